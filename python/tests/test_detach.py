"""Long work lets other threads have the interpreter, and ends when a signal's handler raises."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

from samples import bits, pair  # noqa: E402

set_threshold = fl._freelane._set_detach_threshold
DEFAULT = 50e-6


@contextlib.contextmanager
def threshold(seconds):
    set_threshold(seconds)
    try:
        yield
    finally:
        set_threshold(DEFAULT)


def results(size):
    (x, v), (y, _) = pair("float64", (size,), 1), pair("float64", (size,), 4)
    out, mine = fl.zeros(size), x.copy()
    fl.add(x, y, out=out)
    fl.add(mine, y, out=mine)
    mine *= 2
    part = mine[:]
    part[1:] = y[:-1]
    part[part > 1] = 0
    plane = x[: size // 4 * 4].reshape(4, -1)
    made = [out, mine, part, x + y, fl.sin(x), fl.sum(x), fl.sum(plane, axis=0), plane @ plane.T, fl.where(x > 0, x, y)]
    made += [
        x.astype("float32"),
        x.copy(),
        fl.concat([x, y]),
        x[x > 0],
        x[[0, -1]],
        fl.array(v),
        fl.zeros_like(x),
        fl.arange(size),
    ]
    return [bits(m) for m in made]


@pytest.mark.parametrize("size", [4, 100, 20_000])
def test_results_do_not_depend_on_it(size):
    """Whether all work runs detached or none."""
    expected = results(size)
    for seconds in (0, 1e-9, 1e300, float("inf")):
        with threshold(seconds):
            assert results(size) == expected


def test_errors_come_out_of_detached_work():
    with threshold(0):
        for call, error in (
            (lambda: fl.ones(2) + fl.ones(3), ValueError),
            (lambda: fl.ones(2) & 1, TypeError),
            (lambda: fl.ones(2)[[5]], IndexError),
            (lambda: fl.asarray([2]) ** -1, ValueError),
        ):
            with pytest.raises(error):
                call()


@pytest.mark.parametrize(
    "wrong, error", [(-1, ValueError), (float("nan"), ValueError), ("a", TypeError), (None, TypeError)]
)
def test_wrong_thresholds(wrong, error):
    with pytest.raises(error):
        set_threshold(wrong)


@pytest.mark.alone("changes the threshold and measures who runs")
def test_other_threads_run_meanwhile():
    """While one call lasts, another thread goes on."""
    x, steps, stop = fl.broadcast_to(fl.ones(1000), (200_000, 1000)), [0], threading.Event()

    def count():
        while not stop.is_set():
            steps[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    interval = sys.getswitchinterval()
    try:
        while not steps[0]:
            time.sleep(0.001)
        sys.setswitchinterval(100.0)
        before = steps[0]
        assert fl.sum(x).item() == 200_000_000
        after = steps[0]
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        thread.join()
    assert after > before


def python(program, *args, send=None):
    """Runs a program; sends it a signal when it has written a line."""
    command = [sys.executable, "-c", textwrap.dedent(program), *args]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        if send is not None:
            assert child.stdout.readline() == "ready\n"
            time.sleep(0.3)
            child.send_signal(send)
        out, errors = child.communicate(timeout=120)
    finally:
        child.kill()
        child.wait()
    return child.returncode, out, errors


CALLS = {
    "reduction": "fl.sum(endless)",
    "reduction along an axis": "fl.max(endless.reshape(1 << 20, 1 << 25), axis=1)",
    "argmax": "fl.argmax(endless)",
    "elementwise": "[fl.sin(x, out=y) for _ in iter(int, 1)]",
    "matmul": "square @ square",
    "parallel": "fl.sum(endless)",
    "short calls": "[fl.add(1, 2) for _ in iter(int, 1)]",
}
LONG = """
    import sys, signal, threading
    import freelane as fl
    endless = fl.broadcast_to(fl.ones(1), (1 << 45,))
    x, y, square = fl.ones(3_000_000), fl.zeros(3_000_000), fl.ones((9000, 9000), dtype="float64")
    def run():
        CALL
    scope = fl.parallel(2) if "PARALLEL" == "parallel" else fl.parallel(1)
    print("ready", flush=True)
    try:
        with scope:
            run()
    except KeyboardInterrupt:
        print("interrupted", fl.sum(fl.ones(10)).item(), (x + 1)[0].item())
"""


@pytest.mark.alone("starts an interpreter")
@pytest.mark.skipif(os.name == "nt", reason="sends signals")
@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c(name):
    code, out, errors = python(LONG.replace("CALL", CALLS[name]).replace("PARALLEL", name), send=signal.SIGINT)
    assert (code, out, errors) == (0, "interrupted 10.0 2.0\n", "")


HANDLERS = {
    "raises its own": ("raise ZeroDivisionError", "ZeroDivisionError\n"),
    "lets it go on": ("print('handled')", "handled\ndone 1e+09\n"),
    "computes": ("print(fl.sum(fl.ones(100_000)).item())", "100000.0\ndone 1e+09\n"),
}
HANDLED = """
    import signal
    import freelane as fl
    handled = []
    def handle(*_):
        handled.append(1)
        HANDLER
    signal.signal(signal.SIGINT, handle)
    x = fl.broadcast_to(fl.ones(1, dtype="float32"), (1_000_000_000,))
    print("ready", flush=True)
    try:
        while not handled:
            total = fl.sum(x).item()
        print("done", f"{total:g}")
    except ZeroDivisionError as error:
        print(type(error).__name__)
"""


@pytest.mark.alone("starts an interpreter")
@pytest.mark.skipif(os.name == "nt", reason="sends signals")
@pytest.mark.parametrize("name", HANDLERS)
def test_handlers(name):
    """A handler that returns does not end the work; one that raises does."""
    act, expected = HANDLERS[name]
    code, out, errors = python(HANDLED.replace("HANDLER", act), send=signal.SIGINT)
    assert (code, out, errors) == (0, expected, "")


@pytest.mark.alone("starts an interpreter")
@pytest.mark.skipif(os.name == "nt", reason="sends signals")
def test_signals_reach_the_main_thread_while_another_computes():
    program = """
        import threading, time
        import freelane as fl
        x = fl.ones(100_000)
        stop = threading.Event()
        def work():
            while not stop.is_set():
                fl.sin(x)
        thread = threading.Thread(target=work)
        thread.start()
        print("ready", flush=True)
        try:
            time.sleep(100)
        except KeyboardInterrupt:
            stop.set()
            thread.join()
            print("interrupted")
    """
    assert python(program, send=signal.SIGINT) == (0, "interrupted\n", "")
