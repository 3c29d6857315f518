"""NumPy's arrays from freelane's heaps: who has the handler, and that every array ends well."""

import asyncio
import contextvars
import ctypes
import os
import random
import subprocess
import sys
import sysconfig
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

np = pytest.importorskip("numpy")

try:
    from numpy._core.multiarray import get_handler_name
except ImportError:
    from numpy.core.multiarray import get_handler_name

from freelane import numpy_allocator
from freelane._freelane import _numpy_allocator as native

FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
INHERITS = bool(getattr(sys.flags, "thread_inherit_context", 0))


@pytest.fixture(autouse=True)
def _own_handler_afterwards():
    before = native.current()
    yield
    while native.current()[1]:
        numpy_allocator.uninstall()
    assert native.current() == before


def in_new_python(code, *options):
    """Runs `code` in an interpreter of its own; what it printed."""
    run = subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    return run.stdout


def in_thread(f, thread=threading.Thread):
    results = []
    t = thread(target=lambda: results.append(f()))
    t.start()
    t.join()
    return results[0]


class Other:
    """A handler of somebody else, over the C library's functions."""

    class Struct(ctypes.Structure):
        _fields_ = [("name", ctypes.c_char * 127), ("version", ctypes.c_uint8), ("ctx", ctypes.c_void_p)] + [
            (f, ctypes.c_void_p) for f in ("malloc", "calloc", "realloc", "free")
        ]

    M = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    C = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
    R = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    F = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)

    def __init__(self):
        libc = ctypes.CDLL(None)
        for name, result, arguments in (
            ("malloc", ctypes.c_void_p, [ctypes.c_size_t]),
            ("calloc", ctypes.c_void_p, [ctypes.c_size_t] * 2),
            ("realloc", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t]),
            ("free", None, [ctypes.c_void_p]),
        ):
            getattr(libc, name).restype, getattr(libc, name).argtypes = result, arguments
        self.functions = (
            self.M(lambda _, n: libc.malloc(n)),
            self.C(lambda _, n, size: libc.calloc(n, size)),
            self.R(lambda _, p, n: libc.realloc(p, n)),
            self.F(lambda _, p, n: libc.free(p)),
        )
        addresses = (ctypes.cast(f, ctypes.c_void_p) for f in self.functions)
        self.struct = self.Struct(b"other", 1, None, *addresses)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.name = b"mem_handler"
        self.capsule = new(ctypes.addressof(self.struct), self.name, None)


OTHER = Other()


def test_install_and_uninstall():
    assert not numpy_allocator.is_installed()
    numpy_allocator.install()
    numpy_allocator.install()
    assert numpy_allocator.is_installed()
    assert native.current() == ("freelane", True)
    assert get_handler_name(np.ones(3)) == "freelane"
    numpy_allocator.uninstall()
    assert native.current() == ("default_allocator", False)
    numpy_allocator.uninstall()


def test_a_block_has_it_and_afterwards_the_one_before_is_back():
    with numpy_allocator.using():
        assert numpy_allocator.is_installed()
        with numpy_allocator.using():
            assert numpy_allocator.is_installed()
        assert numpy_allocator.is_installed()
    assert not numpy_allocator.is_installed()
    with pytest.raises(ZeroDivisionError), numpy_allocator.using():
        1 / 0
    assert not numpy_allocator.is_installed()
    numpy_allocator.install()
    with numpy_allocator.using():
        pass
    assert numpy_allocator.is_installed()


@pytest.mark.parametrize("n", [0, 1, 7, 31, 32, 100, 128, 1000, 10_000, 200_000, 3_000_000])
def test_arrays_are_right_at_every_size(n):
    with numpy_allocator.using():
        zeros, ones, run = np.zeros(n), np.ones(n, np.complex128), np.arange(n)
        assert not zeros.any() and ones.sum() == n and (run + run == 2 * run).all()
        assert zeros.ctypes.data % (16 if zeros.nbytes < 256 else 64) == 0
        run.resize(2 * n + 1, refcheck=False)
        assert (run[:n] == np.arange(n)).all() and not run[n:].any()
        run.resize(n // 3, refcheck=False)
        assert (run == np.arange(n // 3)).all()


def test_zeroed_memory_that_was_used_before_is_zero():
    with numpy_allocator.using():
        for n in (1, 64, 1000, 50_000, 1_000_000):
            for _ in range(3):
                x = np.zeros(n)
                assert not x.any()
                x += 1


def test_arrays_end_with_the_handler_that_made_them():
    before = np.arange(1000)
    numpy_allocator.install()
    during = np.arange(1000)
    before.resize(5000, refcheck=False)
    numpy_allocator.uninstall()
    during.resize(5000, refcheck=False)
    after = np.arange(1000)
    for x in (before, during):
        assert (x[:1000] == after).all() and not x[1000:].any()
    numpy_allocator.install()
    del before, after
    numpy_allocator.uninstall()
    del during


def test_impossible_sizes_are_memory_errors():
    with numpy_allocator.using():
        for make in (np.empty, np.zeros):
            with pytest.raises(MemoryError):
                make(1 << 45)
        x = np.ones(10)
        with pytest.raises(MemoryError):
            x.resize(1 << 45, refcheck=False)
        assert x.sum() == 10


def test_arrays_end_on_other_threads():
    with numpy_allocator.using():
        arrays = [np.full(n, n) for n in (1, 100, 20_000, 400_000)]
        made = in_thread(lambda: [np.full(n, n) for n in (1, 100, 20_000, 400_000)])
    in_thread(arrays.clear)
    assert [x.sum() for x in made] == [n * n for n in (1, 100, 20_000, 400_000)]


class OwnRun(threading.Thread):
    def __init__(self, target):
        super().__init__()
        self.f = target

    def run(self):
        self.f()


class OwnStart(threading.Thread):
    def start(self):
        super().start()


@pytest.mark.parametrize("thread", [threading.Thread, OwnRun, OwnStart])
def test_threads_have_it_from_the_thread_that_starts_them(thread):
    assert not in_thread(numpy_allocator.is_installed, thread)
    numpy_allocator.install()
    assert in_thread(numpy_allocator.is_installed, thread)
    assert in_thread(lambda: in_thread(numpy_allocator.is_installed), thread)
    numpy_allocator.uninstall()
    assert not in_thread(numpy_allocator.is_installed, thread)


def test_a_run_that_was_set_on_the_thread_is_called_and_left_there():
    with numpy_allocator.using():
        seen = []
        t = threading.Thread()
        own = lambda: seen.append((numpy_allocator.is_installed(), t.__dict__["run"]))
        t.run = own
        t.start()
        t.join()
        assert seen == [(True, own)]


def test_a_thread_without_it_starts_threads_without_it():
    started, go = threading.Event(), threading.Event()
    results = []

    def body():
        started.set()
        go.wait()
        results.append(in_thread(numpy_allocator.is_installed))

    t = threading.Thread(target=body)
    t.start()
    started.wait()
    with numpy_allocator.using():
        go.set()
        t.join()
    assert results == [False]


def test_executors_and_timers():
    with numpy_allocator.using(), ThreadPoolExecutor(2) as pool:
        assert all(pool.map(lambda _: numpy_allocator.is_installed(), range(8)))
        timer = threading.Timer(0, lambda: results.append(numpy_allocator.is_installed()))
        results = []
        timer.start()
        timer.join()
        assert results == [True]


@pytest.mark.skipif(INHERITS, reason="this interpreter hands contexts to threads by itself")
def test_threads_can_be_left_out():
    numpy_allocator.install(threads=False)
    assert not in_thread(numpy_allocator.is_installed)


def test_a_thread_can_give_it_up_for_itself():
    with numpy_allocator.using():

        def body():
            numpy_allocator.uninstall()
            return numpy_allocator.is_installed()

        assert not in_thread(body)
        assert numpy_allocator.is_installed()


@pytest.mark.alone("runs in an interpreter of its own")
def test_threads_start_as_before_when_it_is_uninstalled():
    in_new_python(
        "import threading; start = threading.Thread.start\n"
        "from freelane import numpy_allocator as a\n"
        "a.install(); a.install()\n"
        "with a.using(): pass\n"
        "a.uninstall()\n"
        "assert threading.Thread.start is start\n"
        "a.install()\n"
        "mine = lambda self, start=threading.Thread.start: start(self)\n"
        "threading.Thread.start = mine\n"
        "a.uninstall(); assert threading.Thread.start in (mine, start)\n"
        "a.install()\n"
        "seen = []; t = threading.Thread(target=lambda: seen.append(a.is_installed())); t.start(); t.join()\n"
        "assert seen == [True]\n"
    )


def test_numpys_error_state_is_left_as_it_was():
    with np.errstate(divide="raise"):
        with numpy_allocator.using():
            assert np.geterr()["divide"] == "raise"
            np.seterr(over="ignore")
        assert np.geterr()["over"] == "ignore" and np.geterr()["divide"] == "raise"
    assert np.geterr()["divide"] == "warn"


def test_tasks_and_contexts_keep_it_to_themselves():
    async def task(install):
        with numpy_allocator.using() if install else pytest.MonkeyPatch.context():
            await asyncio.sleep(0.001)
            return numpy_allocator.is_installed()

    async def main():
        return await asyncio.gather(*(task(i % 2 == 0) for i in range(6)))

    assert asyncio.run(main()) == [True, False] * 3
    context = contextvars.copy_context()
    context.run(numpy_allocator.install, threads=False)
    assert context.run(numpy_allocator.is_installed) and not numpy_allocator.is_installed()
    context.run(numpy_allocator.uninstall)


def test_another_handler_in_place():
    def body():
        numpys = native.swap(OTHER.capsule)
        for entry in (numpy_allocator.install, numpy_allocator.using().__enter__):
            with pytest.raises(RuntimeError, match="'other'.*replace=True"):
                entry()
        assert native.current() == ("other", False)
        theirs = np.arange(100)
        with numpy_allocator.using(replace=True):
            assert numpy_allocator.is_installed()
        assert native.current() == ("other", False)
        numpy_allocator.install(replace=True)
        numpy_allocator.uninstall()
        assert native.current() == ("other", False)
        native.swap(numpys)
        numpy_allocator.install()
        ours = theirs + 1
        del theirs
        native.swap(OTHER.capsule)
        with pytest.raises(RuntimeError, match="'other'"):
            numpy_allocator.uninstall()
        native.swap(native.handler)
        numpy_allocator.uninstall()
        assert ours.sum() == 5050

    contextvars.copy_context().run(body)


@pytest.mark.parametrize("wrong", [None, 1, "handler", np.ones(3), np])
def test_what_is_no_handler_is_refused(wrong):
    with pytest.raises(TypeError, match="not the capsule"):
        native.swap(wrong)


@pytest.mark.alone("runs in an interpreter of its own")
def test_without_numpy():
    code = (
        "import sys; sys.modules['numpy'] = None\n"
        "from freelane import numpy_allocator\n"
        "try: numpy_allocator.install()\n"
        "except ImportError as error: print(error); assert error.__cause__ is not None\n"
    )
    assert "needs NumPy" in in_new_python(code)


@pytest.mark.alone("runs in an interpreter of its own")
def test_numpy_that_is_too_old():
    code = """if 1:
        import ctypes, sys, types
        version = ctypes.CFUNCTYPE(ctypes.c_uint)(lambda: 0xe)
        table = (ctypes.c_void_p * 400)()
        table[211] = ctypes.cast(version, ctypes.c_void_p).value
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        for name in ("numpy", "numpy._core", "numpy._core._multiarray_umath"):
            sys.modules[name] = types.ModuleType(name)
        sys.modules["numpy"].__version__ = "1.21.6"
        sys.modules["numpy._core._multiarray_umath"]._ARRAY_API = new(ctypes.addressof(table), None, None)
        from freelane import numpy_allocator
        try: numpy_allocator.install()
        except ImportError as error: print(error)
    """
    assert "NumPy 1.21.6 has no memory handlers" in in_new_python(code)


@pytest.mark.alone("runs in an interpreter of its own")
def test_importing_it_does_not_import_numpy():
    in_new_python("import sys, freelane.numpy_allocator; assert 'numpy' not in sys.modules")


@pytest.mark.alone("runs in an interpreter of its own")
def test_arrays_may_outlive_the_interpreter():
    code = """if 1:
        import builtins, threading, numpy as np
        from freelane import numpy_allocator
        numpy_allocator.install()
        builtins.kept = [np.ones(n) for n in (1, 1000, 100_000, 3_000_000)]
        class Cycle: pass
        cycle = Cycle(); cycle.itself = cycle; cycle.array = np.ones(10_000)
        local = threading.local(); local.array = np.ones(500_000)
        def run():
            local.array = np.ones(1000)
            builtins.more = [np.ones(n) for n in (1, 1000, 100_000, 3_000_000)]
            threading.Event().wait()
        for _ in range(3): threading.Thread(target=run, daemon=True).start()
    """
    in_new_python(code)


@pytest.mark.alone("runs in an interpreter of its own")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_goes_on():
    code = """if 1:
        import os, numpy as np
        from freelane import numpy_allocator
        numpy_allocator.install()
        kept = [np.ones(n) for n in (1, 1000, 100_000, 3_000_000)]
        pid = os.fork()
        if pid == 0:
            assert numpy_allocator.is_installed()
            total = sum((x + x).sum() for x in kept)
            kept.clear(); numpy_allocator.trim()
            os._exit(int(total != 2 * 3_101_001))
        assert os.waitpid(pid, 0)[1] == 0
    """
    in_new_python(code, "-W", "ignore")


@pytest.mark.alone("what one thread trims another no longer finds")
def test_trim_gives_memory_back():
    with numpy_allocator.using():
        np.ones(8 << 20).sum()
        assert numpy_allocator.trim() >= 64 << 20


@pytest.mark.alone("reads a count that other threads change")
def test_the_capsule_is_immortal_where_counts_are_shared_and_only_there():
    immortal = getattr(sys, "_is_immortal", None)
    if immortal is None:
        assert not FREE_THREADED
        before = sys.getrefcount(native.handler)
        with numpy_allocator.using():
            kept = [np.empty(4) for _ in range(10)]
        assert sys.getrefcount(native.handler) >= before + len(kept)
    else:
        assert immortal(native.handler) == FREE_THREADED


def random_work(seed, steps=300):
    random_ = random.Random(seed)
    kept = []
    for _ in range(steps):
        n = int(2 ** random_.uniform(0, 18))
        kind = random_.randrange(4)
        if kind == 0 or not kept:
            kept.append((np.full(n, seed), seed))
        elif kind == 1:
            x, value = kept.pop(random_.randrange(len(kept)))
            assert (x == value).all()
            kept.append((x + 1, value + 1))
        elif kind == 2:
            x, value = kept[random_.randrange(len(kept))]
            rest = max(n - len(x), 0)
            x.resize(n, refcheck=False)
            if rest:
                x[-rest:] = value
        else:
            x, value = kept.pop(random_.randrange(len(kept)))
            assert (x == value).all()
    return kept


def test_random_work():
    kept = []
    for seed in range(3):
        with numpy_allocator.using():
            kept.extend(random_work(seed))
            in_thread(lambda: kept.extend(random_work(seed, 50)))
        numpy_allocator.trim()
    assert all((x == value).all() for x, value in kept)
    assert not numpy_allocator.is_installed()
