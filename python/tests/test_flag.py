"""Who uses an array at the moment: threads that meet at one array get an error or a right answer, never a mix."""

import random
import threading
import time

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

from samples import bits  # noqa: E402

THREADS = 6


def together(works):
    """Runs functions in a thread each, at once; raises what they raise but for the error of arrays in use."""
    raised, barrier = [], threading.Barrier(len(works))

    def run(work):
        barrier.wait()
        try:
            work()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for error in raised:
        raise error


def patient(call):
    """The result of a call that may meet another thread, and how often it met one."""
    met = 0
    while True:
        try:
            return call(), met
        except RuntimeError as error:
            assert "another thread is using it" in str(error) and "freelane.share" in str(error)
            met += 1
            time.sleep(0)


def test_in_place_operations_are_not_lost():
    """Each that succeeds counts, for one element and for many."""
    for size in (1, 300, 100_000):
        x, steps = fl.zeros(size), 60 if size < 1000 else 8

        def work():
            for _ in range(steps):
                y = x
                _, met = patient(lambda: y.__iadd__(1))

        together([work] * THREADS)
        assert fl.all(x == steps * THREADS).item()


def test_readers_see_whole_writes():
    """All elements are written at once as far as a reader can tell."""
    for size in (8, 20_000):
        x, stop = fl.zeros(size), threading.Event()

        def write():
            for i in range(1, 40):
                patient(lambda: fl.add(x, 1, out=x) if i % 2 else x.__setitem__(..., float(i)))
            stop.set()

        def read():
            while not stop.is_set():
                seen, _ = patient(lambda: x.copy())
                assert fl.min(seen).item() == fl.max(seen).item()
                view, _ = patient(lambda: x[1:])
                assert fl.min(view).item() == fl.max(view).item()

        together([write, read, read, read])
        assert fl.all(x == 39).item()


OPERATIONS = [
    lambda x, r: x.__iadd__(1),
    lambda x, r: x.__imul__(1),
    lambda x, r: x.__setitem__(r.randrange(50), 1.0),
    lambda x, r: x.__setitem__(slice(r.randrange(50), None, 2), fl.ones(())),
    lambda x, r: x.__setitem__(x > 2, 0.0),
    lambda x, r: x.__setitem__([0, 3, 7], [1.0, 2.0, 3.0]),
    lambda x, r: fl.sin(x, out=x),
    lambda x, r: fl.multiply(x[::-1], 1, out=x),
    lambda x, r: x + x,
    lambda x, r: x[r.randrange(50)].item(),
    lambda x, r: x[[1, 2, 3]].tolist(),
    lambda x, r: fl.sum(x).item(),
    lambda x, r: x.tolist(),
    lambda x, r: repr(x),
    lambda x, r: x.T.reshape(-1)[::3],
    lambda x, r: np.asarray(x).sum(),
    lambda x, r: bytes(memoryview(x)),
    lambda x, r: list(x)[:3],
    lambda x, r: fl.stack([x, x]),
    lambda x, r: x.copy(),
    lambda x, r: (x.shape, x.dtype, x.size, x.strides),
    lambda x, r: x @ x,
    lambda x, r: x == x,
    lambda x, r: 3.0 in x,
    lambda x, r: fl.from_dlpack(x)[0],
]


@pytest.mark.parametrize("threshold", [0, 50e-6], ids=["detached", "attached"])
def test_everything_at_once(threshold):
    """Threads do what they like with one array; it stays an array of fifty finite numbers."""
    x = fl.ones(50)
    fl._freelane._set_detach_threshold(threshold)

    def work(seed):
        def run():
            chance = random.Random(seed)
            for _ in range(150):
                try:
                    chance.choice(OPERATIONS)(x, chance)
                except RuntimeError as error:
                    assert "another thread" in str(error)

        return run

    try:
        together([work(seed) for seed in range(THREADS)])
    finally:
        fl._freelane._set_detach_threshold(50e-6)
    assert x.shape == (50,) and x.dtype == fl.float64 and fl.all(fl.isfinite(x)).item()


def test_arrays_that_threads_replace():
    """The list changes under its readers; the arrays in it do not."""
    box = [fl.full(20, 0)]

    def work(number):
        def run():
            for i in range(200):
                seen = box[0]
                first, last = seen[0].item(), seen[-1].item()
                assert first == last
                box[0] = fl.full(20, number * 1000 + i)

        return run

    together([work(n) for n in range(THREADS)])


def test_views_of_one_storage_are_written_apart():
    """Each thread has a view of its own; writing gives it storage of its own."""
    base = fl.share(fl.arange(1000))
    views = [base[n:] for n in range(THREADS)]

    def work(n):
        def run():
            x = views[n]
            for _ in range(20):
                x += 1
                x[0] = -1
            assert x[1:].tolist() == list(range(n + 21, 1020)) and x[0].item() == -1

        return run

    together([work(n) for n in range(THREADS)])
    assert base.tolist() == list(range(1000))


def test_clones_written_at_once():
    """Threads start from storage that they share with each other, and with an array that dies."""
    for _ in range(20):
        base = fl.asarray(np.arange(64.0))
        clones = [base[...] for _ in range(THREADS)]
        del base

        def work(n):
            def run():
                clones[n] += n
                assert clones[n].tolist() == [i + n for i in range(64)]

            return run

        together([work(n) for n in range(THREADS)])


def test_sharing_ends_writing():
    """Once the array is shared, nobody writes: what readers see then stays."""
    for _ in range(10):
        x, seen = fl.zeros(100), []

        def write():
            for _ in range(200):
                try:
                    fl.add(x, 1, out=x)
                except RuntimeError:
                    pass
                except ValueError as error:
                    assert "shared" in str(error)
                    return

        def share():
            patient(lambda: fl.share(x))
            seen.append(bits(x))

        together([write, write, share, share])
        assert seen == [bits(x)] * 2 and x.is_shared


@pytest.mark.alone("one thread waits for another's long call")
def test_a_long_call_holds_its_arrays():
    """While a call reads an array and writes another, others may read the one and must leave the other alone."""
    x, out = fl.ones((20_000, 1000)), fl.zeros((20_000, 1000), dtype="float32")
    done, met = threading.Event(), {"written": 0, "read": 0}

    def work():
        try:
            for _ in range(200):
                if all(met.values()):
                    break
                for call in (lambda: fl.sum(x), lambda: fl.add(out, 1, out=out)):
                    patient(call)
        finally:
            done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set() and not all(met.values()):
        assert x[5, 5].item() == 1.0
        for use, call in (("written", lambda: x.__setitem__((0, 0), 1.0)), ("read", lambda: out[0, 0])):
            try:
                call()
            except RuntimeError:
                met[use] += 1
    thread.join()
    assert all(met.values())


def test_one_thread_never_meets_itself():
    x = fl.asarray([1.0, 2.0, 3.0])
    x += x
    x[...] = x
    x[x > 2] = x[0]
    fl.add(x, x, out=x)
    fl.where(x > 0, x, x, out=x)
    x[[0, 1, 2]] += x
    x @= fl.eye(3)
    assert x.tolist() == [8.0, 8.0, 8.0]


class Meddler:
    """Uses the array while a call converts its arguments."""

    def __init__(self, act):
        self.act = act

    def __index__(self):
        self.act()
        return 0

    def __array__(self, dtype=None, copy=None):
        self.act()
        return np.ones(3)


def test_python_code_of_arguments_runs_before_arrays_are_held():
    x = fl.asarray([1.0, 2.0, 3.0])

    def act():
        x[2] = x[0] + x[1]
        assert fl.sum(x).item() > 0

    meddler = Meddler(act)
    x[meddler] = 5.0
    x[meddler:] = [1.0, 2.0, 3.0]
    assert x[meddler].item() == 1.0
    fl.sum(x, axis=meddler)
    fl.add(x, meddler, out=x)
    fl.where(x > 0, meddler, x)
    x.reshape((3, 1))[meddler]
    fl.take(x, [0, 1], axis=meddler)
    fl.concat([x, meddler])
    assert x.shape == (3,)


def test_finding_an_array_in_use_leaves_it_usable():
    """Errors do not leave a mark: after all threads have ended, everything works."""
    x = fl.zeros(1000)

    def work():
        for _ in range(100):
            for call in (
                lambda: x.__iadd__(1),
                lambda: x + [1, 2],
                lambda: x[5000],
                lambda: fl.add(x, x, out=fl.zeros(3)),
            ):
                try:
                    call()
                except (RuntimeError, ValueError, IndexError):
                    pass

    together([work] * THREADS)
    x[...] = 0
    x += 1
    assert fl.sum(x).item() == 1000 and fl.share(x).is_shared
