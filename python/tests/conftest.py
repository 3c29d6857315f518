"""Every test runs twice: once plain, and once in eight threads that start together.

The second form finds what one thread cannot: races under free threading, and switches inside of a call under the global
interpreter lock, which is made to switch every few microseconds. All threads run the whole test; all their failures are
reported. `tmp_path` is a folder of its own for each thread.

A test that cannot run in threads says why: `@pytest.mark.alone("changes the working folder")`. So must a test that uses a
fixture that changes the process.
"""

import gc
import signal
import sys
import threading

import pytest

pytest_plugins = ["pytester"]

THREADS = 8
PATIENCE = 300.0
OF_THE_PROCESS = {"monkeypatch", "capsys", "capfd", "capsysbinary", "capfdbinary", "caplog", "recwarn", "pytester"}


def pytest_addoption(parser):
    parser.addoption("--plain", action="store_true", help="run no test in several threads")


def pytest_configure(config):
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A job in the background ignores interrupts, and so would the programs that tests interrupt.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line("markers", "alone(reason): the test cannot run in several threads")


@pytest.fixture(autouse=True, scope="module")
def _garbage():
    # Tests collect garbage often; what has been imported until here need not be looked through each time.
    gc.collect()
    gc.freeze()


def pytest_generate_tests(metafunc):
    mark = metafunc.definition.get_closest_marker("alone")
    if mark is None:
        shared = OF_THE_PROCESS.intersection(metafunc.fixturenames)
        if shared:
            pytest.fail(f"{metafunc.definition.nodeid} uses {', '.join(sorted(shared))}: mark it alone, with a reason")
        metafunc.fixturenames.append("_threads")
        ways = {"plain": 1} if metafunc.config.getoption("--plain") else {"plain": 1, "threads": THREADS}
        metafunc.parametrize("_threads", list(ways.values()), ids=list(ways), indirect=True)
    elif not (len(mark.args) == 1 and isinstance(mark.args[0], str) and mark.args[0]):
        pytest.fail(f"{metafunc.definition.nodeid}: alone needs a reason")


@pytest.fixture
def _threads(request):
    return request.param


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    callspec = getattr(pyfuncitem, "callspec", None)
    if callspec is None or callspec.params.get("_threads") != THREADS:
        return (yield)
    plain = pyfuncitem.obj
    pyfuncitem.obj = lambda **arguments: run_in_threads(plain, arguments)
    try:
        return (yield)
    finally:
        pyfuncitem.obj = plain


def run_in_threads(function, arguments):
    """Calls the function in all threads at once and raises what they raised."""
    barrier = threading.Barrier(THREADS, timeout=PATIENCE)
    raised = []

    def work(number):
        try:
            own = own_arguments(arguments, number)
            barrier.wait()
            function(**own)
        except pytest.skip.Exception as error:
            raised.append(error)
        except BaseException as error:
            error.add_note(f"in thread {number} of {THREADS}")
            raised.append(error)

    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(THREADS)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
    finally:
        sys.setswitchinterval(interval)
    late = sum(thread.is_alive() for thread in threads)
    if late:
        raised.append(TimeoutError(f"{late} of {THREADS} threads did not end"))
    report(raised)


def own_arguments(arguments, number):
    if "tmp_path" not in arguments:
        return arguments
    folder = arguments["tmp_path"] / f"thread{number}"
    folder.mkdir()
    return arguments | {"tmp_path": folder}


def report(raised):
    skips = [error for error in raised if isinstance(error, pytest.skip.Exception)]
    failures = [error for error in raised if not isinstance(error, pytest.skip.Exception)]
    if len(failures) == 1:
        raise failures[0]
    if failures:
        raise BaseExceptionGroup(f"{len(failures)} of {THREADS} threads failed", failures)
    if skips:
        raise skips[0]
