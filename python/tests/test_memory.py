"""Sharing, a runtime of several threads, statistics and trimming."""

import gc
import math
import os
import subprocess
import sys
import textwrap
import threading
import weakref

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

from samples import NAMES, bits, collected, layouts, pair  # noqa: E402


def test_share_returns_the_array():
    x = fl.arange(3)
    assert not x.is_shared and fl.share(x) is x and x.is_shared and fl.share(x) is x
    for other in (3, [1], np.ones(2), None, fl.float32):
        with pytest.raises(TypeError, match="freelane array"):
            fl.share(other)


WRITES = [
    lambda x: x.__setitem__(0, 1),
    lambda x: x.__setitem__(..., x),
    lambda x: x.__setitem__([True, False, False], 1),
    lambda x: fl.add(x, x, out=x),
    lambda x: fl.sin(fl.ones(3), out=x),
    lambda x: x.multiply(2, out=x),
    lambda x: fl.add([1, 2, 3], 1, out=x),
    lambda x: x.__setitem__(slice(None), [1, 2, 3]),
]


@pytest.mark.parametrize("write", WRITES, ids=range(len(WRITES)))
def test_shared_arrays_cannot_be_written(write):
    x = fl.share(fl.asarray([1.0, 2.0, 3.0]))
    before = bits(x)
    with pytest.raises(ValueError, match=r"shared.*x = x.copy\(\)"):
        write(x)
    assert bits(x) == before


@pytest.mark.parametrize("act", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"])
def test_in_place_operators_give_the_name_a_new_array(act):
    x = y = fl.share(fl.asarray([1.0, 2.0, 3.0]))
    y = getattr(__import__("operator"), "i" + act)(y, 2)
    assert y is not x and not y.is_shared and x.tolist() == [1, 2, 3]
    assert bits(y) == bits(getattr(__import__("operator"), act)(x, 2))
    y += 1


def test_what_is_made_of_a_shared_array_is_not_shared():
    x = fl.share(fl.asarray([[1.0, 2.0], [3.0, 4.0]]))
    before = bits(x)
    for make in (
        lambda: x[0],
        lambda: x[...],
        lambda: x.T,
        lambda: x.copy(),
        lambda: x.reshape(4),
        lambda: x + 0,
        lambda: fl.array(x),
        lambda: x.ravel(),
    ):
        y = make()
        assert not y.is_shared
        y += 1
        y[...] = 7
        assert fl.all(y == 7).item() and bits(x) == before


@pytest.mark.parametrize("name", NAMES)
def test_everything_reads_shared_arrays(name):
    for x, values in layouts(name):
        shared, expected = fl.share(x[...]), bits(x)
        assert bits(shared) == expected and shared.tolist() == values.tolist() and repr(shared) == repr(x)
        assert bits(fl.stack([shared, shared])[0]) == expected
        if name != "bfloat16":
            assert np.asarray(shared).tolist() == fl.from_dlpack(shared).tolist() == values.tolist()


X = fl.share(fl.asarray(np.sin(np.arange(3000.0)).reshape(30, 100)))
EXPECTED = {
    "sum": bits(fl.sum(X)),
    "axis": bits(fl.sum(X, axis=0)),
    "sin": bits(fl.sin(X)),
    "row": bits(X[7]),
    "mask": bits(X[X > 0]),
    "matmul": bits(X @ X.T),
}


def test_reading_one_array_from_all_threads():
    """The threads of the test read the same array at once; none ever fails or sees other numbers."""
    for _ in range(40):
        found = [fl.sum(X), fl.sum(X, axis=0), fl.sin(X), X[7], X[X > 0], X @ X.T]
        assert [bits(f) for f in found] == list(EXPECTED.values())
        with pytest.raises(ValueError, match="shared"):
            X[0] = 1.0


def test_sharing_while_others_share_and_read():
    x = fl.arange(100)
    barrier, found = threading.Barrier(4), []

    def work():
        barrier.wait()
        for _ in range(50):
            found.append(fl.share(x) is x and fl.sum(x).item() == 4950)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == [True] * 200 and x.is_shared


def test_shared_arrays_are_freed():
    for make in (lambda: fl.ones(10), lambda: fl.asarray(np.ones(10)), lambda: fl.ones(100_000)[5:]):
        x = fl.share(make())
        ref, died = weakref.ref(x), []
        weakref.finalize(x, died.append, 1).atexit = False
        assert ref() is x
        del x
        assert collected(ref, lambda: None if died else 1) and died == [1]


def test_shared_arrays_in_cycles_and_containers_are_freed():
    class Node:
        pass

    node = Node()
    node.me, node.x = node, fl.share(fl.ones(10))
    table = {"x": [node.x]}
    ref = weakref.ref(node.x)
    del node
    gc.collect()
    assert ref() is table["x"][0] and fl.sum(table["x"][0]).item() == 10
    table.clear()
    assert collected(ref)


def test_memory_of_numpys_can_be_shared():
    values = np.arange(5.0)
    x = fl.share(fl.asarray(values))
    assert fl.sum(x).item() == 10 and np.asarray(x).ctypes.data == values.ctypes.data


LARGE = 400_000
BIG = [fl.share(fl.asarray(np.cos(np.arange(float(LARGE))))), fl.share(fl.asarray(np.arange(LARGE) % 7 + 1.0))]
CALLS = [
    lambda x, y: fl.sin(x),
    lambda x, y: x * y + 1,
    lambda x, y: fl.sum(x),
    lambda x, y: fl.sum(x.reshape(400, 1000), axis=0),
    lambda x, y: fl.var(x.reshape(400, 1000), axis=1),
    lambda x, y: fl.max(x),
    lambda x, y: fl.argmax(x),
    lambda x, y: fl.mean(x.astype("float32")),
    lambda x, y: x.reshape(1000, 400)[:300] @ x.reshape(400, 1000)[:, :300],
    lambda x, y: fl.pow(y, x),
    lambda x, y: x[::-1] - y,
    lambda x, y: fl.where(x > 0, x, y),
    lambda x, y: fl.add(x, 1, out=fl.zeros(LARGE)),
    lambda x, y: x[x > 0.5],
]


@pytest.mark.parametrize("i", range(len(CALLS)))
def test_parallel_gives_the_same_bits(i):
    expected = bits(CALLS[i](*BIG))
    with fl.parallel(3) as p:
        assert p.threads == 3
        assert bits(CALLS[i](*BIG)) == expected
        with fl.parallel(2):
            assert bits(CALLS[i](*BIG)) == expected
        assert bits(CALLS[i](*BIG)) == expected
    assert bits(CALLS[i](*BIG)) == expected


def test_parallel_can_be_used_again_and_by_all():
    p, expected = fl.parallel(2), bits(fl.sin(BIG[0]))
    found, barrier = [], threading.Barrier(3)

    def work():
        barrier.wait()
        for _ in range(3):
            with p as same:
                found.append(same is p and bits(fl.sin(BIG[0])) == expected)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == [True] * 9
    with p, p, fl.parallel(1), p:
        assert bits(fl.sin(BIG[0])) == expected


def test_parallel_lets_errors_through():
    p = fl.parallel(2)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            with p:
                1 / 0
        with pytest.raises(ValueError, match="broadcast"):
            with p:
                BIG[0] + fl.ones(3)
    with pytest.raises(RuntimeError, match="has not entered"):
        p.__exit__(None, None, None)
    p.__enter__()
    assert p.__exit__() is None
    with pytest.raises(RuntimeError):
        p.__exit__()


def test_parallel_of_another_thread():
    """A block belongs to the thread that enters it."""
    p, found = fl.parallel(2), []

    def leave():
        try:
            p.__exit__(None, None, None)
        except RuntimeError:
            found.append("not entered here")

    with p:
        thread = threading.Thread(target=leave)
        thread.start()
        thread.join()
    assert found == ["not entered here"]


FORKS = {
    "inside of a block": "p.__enter__()",
    "after a block": """
with p:
    fl.sin(x)
""",
    "while another thread is inside": """
def work():
    with p:
        while True:
            fl.sin(x)
threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
""",
}


@pytest.mark.alone("starts an interpreter")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("when", FORKS)
def test_parallel_after_a_fork(when):
    """The child has no threads of the parent's; it computes all the same."""
    program = """
import os, signal, threading, time
import freelane as fl
x, p = fl.ones(1_000_000), fl.parallel(2)
expected = fl.sum(fl.sin(x)).item()
SETUP
child = os.fork()
if child == 0:
    signal.alarm(60)
    good = fl.sum(fl.sin(x)).item() == expected
    with p, fl.parallel(2):
        good = good and fl.sum(fl.sin(x)).item() == expected
    fl.trim()
    os._exit(0 if good else 3)
print(os.waitpid(child, 0)[1], fl.sum(fl.sin(x)).item() == expected, flush=True)
os._exit(0)
""".replace("SETUP", textwrap.dedent(FORKS[when]))
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 True\n", "")


@pytest.mark.parametrize(
    "args, error",
    [
        ((0,), ValueError),
        ((-1,), ValueError),
        ((10**6,), ValueError),
        ((2**70,), OverflowError),
        (("2",), TypeError),
        ((1.5,), TypeError),
        ((1, 2), TypeError),
    ],
)
def test_wrong_numbers_of_threads(args, error):
    with pytest.raises(error):
        fl.parallel(*args)


def test_parallel_of_itself():
    assert (
        fl.parallel(2).threads == 2
        and repr(fl.parallel(2)) == "freelane.parallel(2)"
        and fl.parallel(None).threads >= 1
    )
    assert fl.parallel().threads == fl.parallel(None).threads
    with pytest.raises(AttributeError):
        fl.parallel(1).threads = 2
    with pytest.raises(TypeError):
        fl.parallel(threads=2)


KEYS = {
    "allocations",
    "allocated_bytes",
    "frees",
    "live_blocks",
    "live_bytes",
    "enabled",
    "lanes",
    "kept_by_lanes",
    "kept_in_depot",
}


@pytest.mark.alone("switches the counting of the process")
def test_stats():
    off = fl.stats()
    assert KEYS | {"owners", "waiting_for_release"} == set(off) and off["enabled"] is False and off["lanes"] >= 1
    try:
        fl.stats(enable=True, reset=True)
        made = [fl.zeros(1000) for _ in range(10)]
        during = fl.stats()
        assert during["enabled"] is True and during["allocations"] >= 10 and during["live_bytes"] >= 80_000
        assert isinstance(during["owners"], dict) and all(
            type(v) is int for k, v in during.items() if k not in ("enabled", "owners")
        )
        del made
        after = fl.stats()
        assert after["live_bytes"] <= during["live_bytes"] - 80_000 and after["frees"] >= 10
        assert fl.stats(reset=True)["allocations"] < during["allocations"]
    finally:
        assert fl.stats(enable=False)["enabled"] is False
    fl.zeros(1000)
    assert fl.stats()["allocations"] == fl.stats()["allocations"]


def test_trim():
    x = fl.ones(1_000_000)
    del x
    given = fl.trim()
    assert type(given) is int and given >= 0
    y = fl.ones(1_000_000)
    fl.trim()
    assert fl.sum(y).item() == 1_000_000


@pytest.mark.alone("measures what the process keeps")
def test_trim_gives_large_blocks_back():
    x = fl.ones(4_000_000)
    del x
    assert fl.stats()["kept_by_lanes"] + fl.stats()["kept_in_depot"] >= 32_000_000
    assert fl.trim() >= 32_000_000
    assert fl.stats()["kept_by_lanes"] < 32_000_000


def test_views_hold_the_storage_of_dead_arrays():
    x, values = pair("float64", (1000,))
    views = [x[i::7] for i in range(7)]
    del x
    gc.collect()
    assert [v.tolist() for v in views] == [values[i::7].tolist() for i in range(7)] and not math.isnan(
        views[0][0].item()
    )


def test_threads_that_share_one_array_at_once():
    rounds, errors = 200, []
    arrays = [fl.full(3, float(i)) for i in range(rounds)]
    barrier = threading.Barrier(4)

    def work():
        try:
            for i, x in enumerate(arrays):
                barrier.wait(60)
                assert fl.share(x) is x and x.is_shared and float(fl.sum(x)) == 3.0 * i
        except BaseException as error:
            errors.append(error)
            barrier.abort()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
