"""The array object: its type, references, weak references, the collector, and the interpreter's end."""

import gc
import os
import subprocess
import sys
import textwrap
import weakref

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

from samples import bits, collected  # noqa: E402


def test_the_type():
    assert repr(fl.Array) == "<class 'freelane.Array'>" and type(fl.ones(1)) is fl.Array and fl.Array.__doc__
    for call in (
        lambda: fl.Array(),
        lambda: fl.Array([1]),
        lambda: fl.Array.__new__(fl.Array),
        lambda: object.__new__(fl.Array),
    ):
        with pytest.raises(TypeError, match="cannot create|not safe"):
            call()
    for call in (
        lambda: type("Mine", (fl.Array,), {}),
        lambda: setattr(fl.Array, "other", 1),
        lambda: delattr(fl.Array, "sum"),
    ):
        with pytest.raises(TypeError, match="base type|immutable|cannot"):
            call()
    x = fl.ones(2)
    with pytest.raises(TypeError):
        x.__class__ = int
    fl.Array.__init__(x)
    assert x.tolist() == [1, 1] and sys.getsizeof(x) > 64


def test_weak_references():
    x = fl.asarray([1, 2])
    died = []
    plain, called = weakref.ref(x), weakref.ref(x, lambda r: died.append(r))
    final = weakref.finalize(x, died.append, "final")
    final.atexit = False
    assert plain() is x and weakref.getweakrefcount(x) >= 2 and weakref.proxy(x).shape == (2,)
    table = weakref.WeakValueDictionary(x=x)
    del x
    assert plain() is None and called() is None and len(table) == 0 and len(died) == 2 and not final.alive


def test_memory_that_is_used_again_is_a_new_object():
    """The thread keeps memory of dead objects: nothing of the dead one is seen in the next."""
    for _ in range(200):
        x = fl.share(fl.asarray([1.0, 2.0]))
        gone = weakref.ref(x)
        y = fl.asarray([3.0])
        ref = weakref.ref(y)
        del y
        z = fl.asarray([4.0])
        assert ref() is None and z.tolist() == [4.0] and not z.is_shared and weakref.getweakrefcount(z) == 0
        z[0] = 5.0
        assert gone() is x
        del x


def test_weak_callbacks_may_compute():
    found = []
    x = fl.asarray([1.0, 2.0])
    ref = weakref.ref(x, lambda _: found.append((fl.ones(3) + 1).tolist()))
    del x
    assert found == [[2, 2, 2]] and ref() is None


class Holder:
    pass


def test_cycles_are_collected():
    refs = []
    for _ in range(20):
        holder = Holder()
        holder.me, holder.x = holder, fl.ones(10)
        refs.append(weakref.ref(holder.x))
        del holder
    assert collected(*refs)


def operations(x, other, values, out, name):
    """Calls of every kind with the same objects: some that go well, and some that fail."""
    good = [
        lambda: x + other,
        lambda: other - x,
        lambda: x + x,
        lambda: x.__iadd__(other),
        lambda: fl.add(x, other, out=out),
        lambda: fl.add(x, x, out=x),
        lambda: x[0],
        lambda: x[[0, 1]],
        lambda: x[x > 0],
        lambda: x.__setitem__(0, other),
        lambda: x.__setitem__((slice(None), [0]), 2.0),
        lambda: fl.sum(x, **{name: 0}),
        lambda: x.T.mT,
        lambda: x.tolist(),
        lambda: repr(x),
        lambda: list(x),
        lambda: fl.asarray(x),
        lambda: fl.asarray(values) + x,
        lambda: np.asarray(x),
        lambda: memoryview(x),
        lambda: fl.stack([x, x]),
        lambda: x.reshape(4),
        lambda: x.reshape((1, 4)),
        lambda: x == other,
        lambda: 2.0 in x,
        lambda: divmod(x, 2),
        lambda: x @ x,
        lambda: fl.from_dlpack(x),
        lambda: fl.broadcast_arrays(x, other),
        lambda: fl.result_type(x, 1),
    ]
    bad = [
        lambda: x + object(),
        lambda: x + [1.0, 2.0, 3.0],
        lambda: x[5],
        lambda: x["a"],
        lambda: x.__setitem__(0, "a"),
        lambda: fl.sin(x, out=other),
        lambda: fl.sin(x, other),
        lambda: fl.sin(x, nonsense=other),
        lambda: fl.sum(x, axis=other),
        lambda: fl.asarray([other, [1.0]]),
        lambda: x.reshape(3),
        lambda: bool(x),
        lambda: fl.concat([x, other]),
        lambda: fl.zeros(-1),
        lambda: fl.add(x, x, out=fl.zeros(3)),
        lambda: x.__iadd__(1j),
        lambda: x.item(99),
    ]
    return good, bad


def test_no_operation_keeps_or_loses_references():
    held = [fl.asarray([[1.0, 2.0], [3.0, 4.0]]), [1.0, 2.0], np.ones(2), fl.zeros((2, 2)), "axis"]
    good, bad = operations(*held)
    before = [sys.getrefcount(h) for h in held[:4]]
    for call in good + bad:
        for _ in range(30):
            if call in good:
                call()
                continue
            with pytest.raises((TypeError, ValueError, IndexError)):
                call()
        assert [sys.getrefcount(h) for h in held[:4]] == before, call.__code__.co_firstlineno


def test_what_a_failed_call_was_given_is_freed_at_once():
    for call in (
        lambda t: fl.sin(t),
        lambda t: fl.ones(2) + t,
        lambda t: fl.ones(2)[t],
        lambda t: fl.ones(2).__setitem__(0, t),
        lambda t: fl.asarray([t]),
        lambda t: fl.sum(fl.ones(2), axis=t),
        lambda t: fl.dtype(t),
        lambda t: fl.ones(2) < t,
        lambda t: fl.add(1, 2, out=t),
        lambda t: fl.ones(2).reshape(t),
    ):
        thing = Holder()
        ref = weakref.ref(thing)
        try:
            call(thing)
        except (TypeError, IndexError):
            del thing
        assert ref() is None


def test_arrays_hold_what_they_are_made_of():
    base = np.arange(1000.0)
    ref = weakref.ref(base)
    x = fl.asarray(base)[10:20]
    del base
    gc.collect()
    assert x.tolist() == list(map(float, range(10, 20)))
    del x
    assert collected(ref)


def test_objects_die_anywhere():
    """Arrays made here die in other arrays' places, in containers, in frames and in generators."""
    x = fl.ones(3)
    boxes = [[x[:]], {"k": x[:]}, (x[:],), (y for y in [x[:]]), lambda y=x[:]: y]
    for box in boxes:
        if hasattr(box, "send"):
            next(box)
    del boxes, box
    try:
        kept = x[:]
        raise ValueError(kept)
    except ValueError as error:
        assert bits(error.args[0]) == bits(x)


PROGRAMS = {
    "module globals": """
        import freelane as fl
        x = fl.ones(1000)
        y = fl.share(fl.ones(1000))
        views = [x[i:] for i in range(100)]
    """,
    "a cycle": """
        import freelane as fl
        class Node: pass
        a, b = Node(), Node()
        a.b, b.a, a.x, b.x = b, a, fl.ones(10), fl.share(fl.ones(10))
    """,
    "modules that outlive ours": """
        import builtins, sys, freelane as fl
        builtins.kept, sys.kept = fl.ones(10), fl.share(fl.ones(10))
        sys.dtype, sys.function = fl.float32, fl.add
    """,
    "work at exit": """
        import atexit, freelane as fl, weakref
        x = fl.ones(100_000)
        atexit.register(lambda: print(fl.sum(x * 2).item()))
        class Last:
            def __del__(self): fl.ones(10) + fl.ones(10)
        last = Last()
        ref = weakref.ref(x, lambda r: fl.ones(3) + 1)
    """,
    "daemon threads": """
        import threading, time, freelane as fl
        def work(n):
            x = fl.ones(n)
            while True:
                x = fl.sin(x + 1)
                x[0] = 2
        for n in (1, 10, 10_000, 1_000_000):
            threading.Thread(target=work, args=(n,), daemon=True).start()
        time.sleep(0.2)
    """,
    "threads that hold arrays": """
        import threading, freelane as fl
        own, kept = threading.local(), []
        def work():
            own.x = fl.ones(1000)
            kept.append(own.x[5:])
        threads = [threading.Thread(target=work) for _ in range(20)]
        for t in threads: t.start()
        for t in threads: t.join()
        kept[0] += 1
    """,
    "runtimes": """
        import freelane as fl
        p = fl.parallel(2)
        p.__enter__()
        x = fl.sum(fl.ones(1_000_000))
    """,
    "the parent of a fork": """
        import os, freelane as fl
        x = fl.ones(100_000)
        y = fl.sin(x)
        pid = os.fork()
        z = fl.sum(fl.sin(x) - y).item()
        if pid == 0:
            import sys; sys.exit(0 if z == 0 else 3)
        assert os.waitpid(pid, 0)[1] == 0 and z == 0
    """,
    "an error": """
        import freelane as fl
        def f():
            x = fl.ones(10)
            raise SystemExit(0)
        f()
    """,
}


@pytest.mark.alone("starts an interpreter")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_interpreters_end(name):
    if "fork" in name and not hasattr(os, "fork"):
        pytest.skip("no fork here")
    program = textwrap.dedent(PROGRAMS[name])
    for dev in ([], ["-X", "dev"]):
        done = subprocess.run([sys.executable, *dev, "-c", program], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert done.stderr == "" and done.stdout == ("200000.0\n" if name == "work at exit" else "")
