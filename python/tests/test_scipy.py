"""The array API paths of SciPy and scikit-learn, where they are installed: their results over our arrays, as arrays of ours."""

import importlib.util
import os
import subprocess
import sys

import pytest

PRELUDE = """
import numpy as np, freelane as fl
A = np.random.default_rng(0).normal(size=(20, 4))
x = fl.asarray(A)
def check(got, want):
    assert type(got) is fl.Array, type(got)
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-10)
"""
SCIPY = {
    "softmax": "from scipy.special import softmax as f; check(f(x, axis=1), f(A, axis=1))",
    "logsumexp": "from scipy.special import logsumexp as f; check(f(x, axis=1), f(A, axis=1))",
    "gammaln": "from scipy.special import gammaln as f; check(f(x), f(A))",
    "zscore": "from scipy.stats import zscore as f; check(f(x), f(A))",
    "trapezoid": "from scipy.integrate import trapezoid as f; check(f(x), f(A))",
    "fft": "from scipy.fft import fft as f; check(f(x), f(A))",
}
SKLEARN = {
    "scalers": "from sklearn.preprocessing import StandardScaler as S; check(S().fit_transform(x), S().fit_transform(A))",
    "ranges": "from sklearn.preprocessing import MinMaxScaler as S; check(S().fit_transform(x), S().fit_transform(A))",
    "similarity": "from sklearn.metrics.pairwise import cosine_similarity as f; check(f(x), f(A))",
}


def run(library, code):
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    switched_on = os.environ | {"SCIPY_ARRAY_API": "1"}
    done = subprocess.run([sys.executable, "-c", PRELUDE + code], env=switched_on, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.alone("starts processes")
@pytest.mark.parametrize("name", SCIPY)
def test_scipy(name):
    run("scipy", SCIPY[name])


@pytest.mark.alone("starts processes")
@pytest.mark.parametrize("name", SKLEARN)
def test_sklearn(name):
    run("sklearn", f"import sklearn\nwith sklearn.config_context(array_api_dispatch=True):\n    {SKLEARN[name]}")
