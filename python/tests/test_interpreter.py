"""Subinterpreters are refused with an ImportError, also beside a main interpreter that has the package loaded."""

import subprocess
import sys

import pytest

CODE = """
try:
    import _interpreters as interpreters
    run, kinds = interpreters.exec, ["isolated", "legacy"]
except ImportError:
    import _xxsubinterpreters as interpreters
    run, kinds = interpreters.run_string, [None]

attempt = '''
try:
    import freelane
except ImportError as error:
    assert "subinterpreter" in str(error), error
else:
    raise SystemExit("imported")
'''
for kind in kinds:
    for _ in range(2):
        other = interpreters.create(kind) if kind else interpreters.create()
        failure = run(other, attempt)
        assert failure is None, failure
        interpreters.destroy(other)
"""


@pytest.mark.parametrize("before", ["", "import freelane\n"], ids=["alone", "beside"])
def test_subinterpreters_are_refused(before):
    done = subprocess.run([sys.executable, "-c", before + CODE], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
