"""What importing the package does: little, and nothing where it cannot work."""

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.alone("looks at processes of its own")

NEW_MODULES = """
import json, sys
before = set(sys.modules)
import freelane
print(json.dumps(sorted(set(sys.modules) - before)))
"""
BROUGHT = [
    "freelane",
    "freelane._errors",
    "freelane._freelane",
    "freelane._info",
    "freelane._io",
    "freelane._jit",
    "freelane.fft",
    "freelane.linalg",
    "freelane.random",
    "math",
]


def python(code, *flags):
    done = subprocess.run([sys.executable, *flags, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_modules_that_an_import_brings():
    """Exactly these: no NumPy, and of the standard library nothing that takes time."""
    assert json.loads(python(NEW_MODULES)) == BROUGHT


def test_the_global_lock_stays_off():
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        assert python("import sys, freelane; print(sys._is_gil_enabled())").strip() == "False"
    else:
        pytest.skip("this interpreter has a global lock")


def test_import_in_many_threads_at_once():
    code = """
import threading
def work():
    barrier.wait()
    import freelane
    seen.append(freelane.__version__)
barrier, seen = threading.Barrier(8), []
threads = [threading.Thread(target=work) for _ in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print(len(seen))
"""
    assert python(code).strip() == "8"


def test_names_of_numpy_are_told():
    """Whoever writes NumPy's name is told ours; other names are errors like those of any module."""
    import freelane as fl
    from freelane import _names

    assert not [name for name in _names.INSTEAD if hasattr(fl, name)]
    assert all(hasattr(fl, name) for name in _names.RENAMED.values())
    with pytest.raises(AttributeError, match="no attribute 'arcsin'; NumPy's arcsin is asin here$"):
        fl.arcsin
    with pytest.raises(AttributeError, match="no attribute 'nothing'$"):
        fl.nothing
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        from freelane import nothing  # noqa: F401
