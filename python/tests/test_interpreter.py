"""Subinterpreters are refused with an ImportError, and children of a fork can compute."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.alone("looks at processes of its own")

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


FORK = """
import os, threading
import freelane as fl

def compute():
    return float(fl.sum(fl.sin(fl.arange(100_000, dtype=fl.float64)) + fl.ones(100_000)))

def others():
    while not done.is_set():
        compute()

before = compute()
with fl.parallel(2):
    fl.exp(fl.ones(1_000_000))
done = threading.Event()
thread = threading.Thread(target=others)
thread.start()
for _ in range(5):
    child = os.fork()
    if child == 0:
        with fl.parallel(2):
            fl.exp(fl.ones(1_000_000))
        os._exit(0 if compute() == before else 1)
    assert os.waitpid(child, 0)[1] == 0
done.set()
thread.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_child_of_a_fork_computes():
    """Also while another thread allocates, and after a pool has started its threads."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORK], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
