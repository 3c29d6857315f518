"""The stub agrees with the module, and type checkers agree with the stub."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import stubs

USAGE = Path(__file__).with_name("typing_usage.py")


@pytest.mark.alone("may write the stub")
def test_the_stub_is_what_the_module_says():
    generated = stubs.generate()
    if os.environ.get("UPDATE_EXPECT"):
        stubs.STUB.write_text(generated)
    assert stubs.STUB.read_text() == generated, "UPDATE_EXPECT=1 writes the stub anew"


@pytest.mark.alone("may write the stub")
@pytest.mark.parametrize("space", stubs.NAMESPACES)
def test_the_stub_of_a_namespace_is_what_it_says(space):
    generated, stub = stubs.generate_namespace(space), stubs.PACKAGE / f"{space}.pyi"
    if os.environ.get("UPDATE_EXPECT"):
        stub.write_text(generated)
    assert stub.read_text() == generated, "UPDATE_EXPECT=1 writes the stub anew"


def test_a_new_parameter_cannot_be_forgotten():
    def novel(x, /, surprise=None):
        """A function whose parameter nobody knows."""

    with pytest.raises(LookupError, match="surprise of novel"):
        stubs.function("novel", novel)


@pytest.mark.alone("looks at a process of its own")
def test_the_usage_file_runs():
    """What type checkers are told about types is so when the program runs."""
    done = subprocess.run([sys.executable, USAGE], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def check(module, *arguments, folder):
    """Runs a type checker that looks for the package in the repository."""
    pytest.importorskip(module)
    where = {"PYTHONPATH" if module == "pyright" else "MYPYPATH": str(stubs.STUB.parents[1])}
    command = [sys.executable, "-m", module, *map(str, arguments)]
    settings = {**os.environ, **where, "MYPY_CACHE_DIR": str(folder)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=settings, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.alone("starts a type checker, and eight take their time")
class TestCheckers:
    def test_mypy(self, tmp_path):
        check("mypy", "--strict", stubs.STUB, USAGE, folder=tmp_path)

    def test_pyright(self, tmp_path):
        check("pyright", stubs.STUB, USAGE, folder=tmp_path)

    def test_stubtest(self, tmp_path):
        allowed = tmp_path / "allowed"
        # Before 3.12 a buffer has no method that Python sees.
        buffer = r"freelane\.Array\.__buffer__" if sys.version_info < (3, 12) else ""
        spaces = "".join(f"freelane\\.{space}\\._.*\n" for space in stubs.NAMESPACES)
        allowed.write_text("freelane\\._.*\n" + spaces + buffer)
        check("mypy.stubtest", "freelane", "--allowlist", allowed, folder=tmp_path)

    @pytest.mark.parametrize("module", ["mypy", "pyright"])
    def test_a_wrong_use_is_found(self, module, tmp_path):
        wrong = tmp_path / "wrong.py"
        wrong.write_text("import freelane\nx: int = freelane.asarray([1])\n")
        with pytest.raises(AssertionError, match="Array"):
            check(module, wrong, folder=tmp_path)
