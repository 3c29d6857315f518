"""`python -m freelane` and the script `freelane` are the command line, its exit statuses included."""

import json
import os
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.alone("looks at processes of its own")

MODULE = [sys.executable, "-m", "freelane"]
SCRIPT = [str(Path(sysconfig.get_path("scripts"), "freelane"))]


def run(*arguments, command=MODULE):
    return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("command", [MODULE, SCRIPT], ids=["module", "script"])
def test_an_expression_is_evaluated(command):
    if command is SCRIPT and not Path(SCRIPT[0]).exists():
        pytest.skip("the package is not installed here, only on the path")
    done = run("eval", "1 + 2 * 3", command=command)
    assert (done.stdout.strip(), done.returncode) == ("7", 0)


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["eval", "1 +"], 1, "error: "),
        (["eval", "x", "x=no such file.npy"], 1, "error: "),
        (["eval", "1", "--no-such-flag"], 2, "--no-such-flag"),
        (["no-such-command"], 2, "no-such-command"),
        (["--version"], 0, ""),
    ],
)
def test_exit_statuses(arguments, status, said):
    done = run(*arguments)
    assert done.returncode == status
    assert said in done.stderr


def test_results_of_the_binary():
    rows = [json.loads(line) for line in run("ops", "--json").stdout.splitlines()]
    assert {"add", "sin", "sum"} <= {row["op"] for row in rows}


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_an_interrupt_ends_it():
    ready = "import signal, sys; print(flush=True); from freelane.__main__ import main; sys.argv[1:] = ['scale']; main()"
    child = subprocess.Popen([sys.executable, "-c", ready], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    child.stdout.readline()
    deadline = time.monotonic() + 60
    while not is_default(child.pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(child.pid, signal.SIGINT)
    child.stdout.close()
    assert child.wait(60) == -signal.SIGINT


def is_default(pid):
    """Whether the process takes an interrupt as the system does: neither caught nor ignored."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        time.sleep(2)
        return True
    masks = [int(line.split()[1], 16) for line in status.splitlines() if line.startswith(("SigIgn", "SigCgt"))]
    return not any(mask >> (signal.SIGINT - 1) & 1 for mask in masks)
