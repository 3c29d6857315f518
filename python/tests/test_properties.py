"""Every function that NumPy has too, on arrays of random sizes, shapes, strides and dtypes: both give the same.

What is compared with what stands in the table of the benches, so that a function that is measured is tested. The number of
examples is fixed and small; `FREELANE_EXAMPLES=1000` tries more, and other ones."""

import os
import sys
import warnings
from pathlib import Path

import pytest

import freelane as fl

np = pytest.importorskip("numpy")
hypothesis = pytest.importorskip("hypothesis")

from hypothesis import strategies as st  # noqa: E402

AGAINST = Path(__file__).parents[2] / "dev/benches/peers/against"
if not AGAINST.is_dir():
    pytest.skip("the table of the benches is not here", allow_module_level=True)
sys.path.insert(0, str(AGAINST))

import public  # noqa: E402
import operands as made  # noqa: E402
import table_linalg  # noqa: E402, F401
import table_random  # noqa: E402, F401
from table import CASES  # noqa: E402

pytestmark = pytest.mark.alone("Hypothesis runs its examples on one thread")
EXAMPLES = int(os.environ.get("FREELANE_EXAMPLES", "8"))
few = hypothesis.settings(
    max_examples=EXAMPLES,
    derandomize="FREELANE_EXAMPLES" not in os.environ,
    deadline=None,
    database=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)

# Results that are not unique, and the part of them that is.
PARTS = {"linalg.svd": 1, "linalg.eigh": 0}
# Results in an order that NumPy leaves open.
UNORDERED = {"unique_values"}
# What others may choose differently: order among equals, signs of vectors, numbers drawn; or what NumPy rounds much worse.
FREE = {"argsort unstable", "argpartition", "linalg.eig", "linalg.qr", "topk", "top_k", "empty", "empty_like", "linalg.eigvals",
        "sinc", "logit"}  # fmt: skip


def compared(case):
    small = len(case.sizes) > 1 or case.sizes[0] < 100_000
    return case.peer and small and public.exists(case.function) and case.family != "random" and case.name not in FREE


COMPARED = [case for case in CASES if compared(case)]
SHAPED = [c for c in COMPARED if c.family in ("elementwise", "reduction") and "{axis}" not in c.ours.replace("(x{axis})", "")]
SHAPED = [c for c in SHAPED if not any(o.fixed for o in c.operands.values()) and "axis=-1" not in c.ours]


def run(text, library, names):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(text, {"fl": fl, "np": np, "xp": library, **names})


# How much more than one rounding results may differ by. What moves elements changes none.
LOOSER = {"elementwise": 1, "reduction": 10, "scan": 10, "sorting": 10, "creation": 10}
# Of the others those that compute: edges of bins, numbers between others.
COMPUTING = {"histogram", "interp", "linspace", "geomspace", "logspace", "astype"}


# Sums of products that may cancel: NumPy rounds the products, we do not.
CANCELLING = {"fma", "lerp"}


def tolerance(dtype, family):
    one = {"float16": 2e-3, "float32": 4e-6, "complex64": 4e-5, "float64": 1e-13, "complex128": 1e-12}
    return one.get(dtype, 0.0) * LOOSER.get(family, 2000)


def is_exact(case):
    return case.family in ("sorting", "indexing", "creation") and case.function not in COMPUTING


def check(case, found, expected, dtype):
    if case.name in PARTS:
        found, expected = found[PARTS[case.name]], expected[PARTS[case.name]]
    if case.function in UNORDERED:
        found, expected = np.sort(np.asarray(found)), np.sort(expected)
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            close(case, one, other, dtype)
    else:
        close(case, found, expected, dtype)


def close(case, found, expected, dtype):
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    if is_exact(case) or (expected.dtype.kind not in "fc" and found.dtype.kind not in "fc"):
        np.testing.assert_array_equal(found, expected)
        return
    rtol = tolerance(dtype, case.family) or 1e-12
    finite = np.abs(expected[np.isfinite(expected)])
    relative = case.family == "elementwise" and case.function not in CANCELLING
    atol = np.finfo("float32").tiny if relative else rtol * finite.max(initial=0.0)
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol, equal_nan=True)


def dtypes_of(case):
    return st.sampled_from([dtype for kind in case.dtypes for dtype in made.DTYPES[kind]])


def test_every_function_is_in_the_table():
    assert public.missing() == []


@pytest.mark.parametrize("case", COMPARED, ids=[f"{c.name}-{i}" for i, c in enumerate(COMPARED)])
def test_as_in_the_benches(case):
    """Sizes between those of the benches, in their layouts."""
    largest = 300 if case.sizes[-1] > 300 else case.sizes[-1]

    @few
    @hypothesis.given(st.integers(12, max(largest, 12)), st.sampled_from(case.layouts), dtypes_of(case), st.integers(0, 2**32))
    def runs(n, layout, dtype, seed):
        n = n if len(case.sizes) > 1 else case.sizes[0]
        n = n // 10 * 10 + 60 if "10" in case.ours or "50" in case.ours else n
        values = made.operands(case, n, layout, dtype, seed)
        axis = {"axis 0": ", axis=0", "axis 1": ", axis=1"}.get(layout, "")
        ours = {name: lay(fl.asarray(v, copy=True)) for name, (v, lay) in values.items()}
        numpys = {name: lay(v) for name, (v, lay) in values.items()}
        found = run(case.ours.replace("{axis}", axis), fl, ours)
        check(case, found, run(case.peer.replace("{axis}", axis), np, numpys), dtype)

    runs()


@st.composite
def shapes(draw, count):
    """Shapes that broadcast with each other, up to three axes, empty ones too."""
    whole = draw(st.lists(st.sampled_from([0, 1, 2, 3, 5, 17]), max_size=3))
    parts = [tuple(n if draw(st.booleans()) else 1 for n in whole) for _ in range(count - 1)]
    return [tuple(whole), *(part[draw(st.integers(0, len(part))) :] for part in parts)]


@st.composite
def steps(draw, rank):
    """How an array lies in a larger one: a step and an offset an axis, then an order of the axes."""
    return [draw(st.sampled_from([1, 1, 2, 3, -1, -2])) for _ in range(rank)], draw(st.permutations(range(rank)))


def lie(values, shape, how):
    """An array of the shape in NumPy, and the same with the same strides of ours."""
    step, order = how
    room = [max(n * abs(s), n) for n, s in zip(shape, step)]
    base = np.resize(values, [room[i] for i in order])
    back = [order.index(i) for i in range(len(order))]
    index = tuple(slice(None, None, s) for s in step)
    return fl.permute_dims(fl.asarray(base, copy=True), tuple(back))[index], base.transpose(back)[index]


def refused(case, text, ours):
    """What NumPy refuses we refuse too, unless nothing is asked for; only NumPy divides numbers of its own."""
    try:
        found = run(text, fl, ours)
    except (ValueError, IndexError):
        return
    assert found.size == 0 or case.function == "average"


@pytest.mark.parametrize("case", SHAPED, ids=[f"{c.name}-{i}" for i, c in enumerate(SHAPED)])
def test_shapes_and_strides(case):
    @few
    @hypothesis.given(st.data())
    def runs(data):
        dtype, seed = data.draw(dtypes_of(case)), data.draw(st.integers(0, 2**32))
        rng, ours, numpys = np.random.default_rng(seed), {}, {}
        for (name, operand), shape in zip(case.operands.items(), data.draw(shapes(len(case.operands)))):
            values = operand.values(rng, 1000, dtype)
            ours[name], numpys[name] = lie(values, shape, data.draw(steps(len(shape))))
        rank = next(iter(numpys.values())).ndim
        axis = ""
        if "{axis}" in case.ours:
            axis = data.draw(st.sampled_from(["", *(f", axis={i}" for i in range(-rank, rank))]))
        if case.function == "median" and min(numpys["x"].shape, default=1) == 0:
            return  # Here nothing has no median; NumPy warns.
        try:
            expected = run(case.peer.replace("{axis}", axis), np, numpys)
        except (ValueError, IndexError, ZeroDivisionError):
            refused(case, case.ours.replace("{axis}", axis), ours)
            return
        check(case, run(case.ours.replace("{axis}", axis), fl, ours), expected, dtype)

    runs()
