"""Memory of dead objects: kept by their thread, given back when the thread ends."""

import gc
import os
import queue
import threading
import weakref

import pytest

import freelane as fl

ROUNDS = 4


def resident():
    """Bytes of memory that the process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")


def in_threads(count, work):
    raised = []

    def run(i):
        try:
            work(i)
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not raised, raised[0]


def grown(work, warm=2, rounds=ROUNDS):
    """How much memory more rounds of some work take."""
    for _ in range(warm):
        work()
    gc.collect()
    before = resident()
    for _ in range(rounds):
        work()
    gc.collect()
    return resident() - before


def test_more_objects_than_are_kept():
    for count in (1, 31, 32, 33, 500):
        made = [fl.asarray([float(i)]) for i in range(count)]
        assert [x.item() for x in made] == list(range(count))
        del made
        made = [fl.asarray([i, i]) for i in range(count)]
        assert [x.tolist() for x in made] == [[i, i] for i in range(count)]


@needs_proc
@pytest.mark.alone("measures the process")
def test_threads_that_come_and_go_leave_nothing():
    def work(i):
        made = [fl.full(8, i) for _ in range(100)]
        assert all(x[0].item() == i for x in made)
        big = fl.ones(50_000) + i
        assert big[-1].item() == 1 + i

    assert grown(lambda: [in_threads(8, work) for _ in range(25)]) < 16 << 20


@needs_proc
@pytest.mark.alone("measures the process")
def test_objects_that_die_in_another_thread_leave_nothing():
    def round_():
        moved = queue.SimpleQueue()

        def make(_):
            for i in range(3000):
                moved.put(fl.full(4, i))
            moved.put(None)

        def drop(_):
            left = 2
            total = 0
            while left:
                x = moved.get()
                left -= x is None
                total += 0 if x is None else x[0].item()
            assert total == 2 * sum(range(3000))

        in_threads(3, lambda i: drop(i) if i == 0 else make(i))

    assert grown(round_) < 16 << 20


@needs_proc
@pytest.mark.alone("measures the process")
def test_loops_leave_nothing():
    x, y = fl.ones(64), fl.ones((3, 4))

    def work():
        for i in range(4000):
            z = (x + i) * 2
            z[0] = 1
            z += x
            y.T[1:].reshape(-1)
            fl.sum(z, keepdims=True)
            try:
                x + y
            except ValueError:
                pass

    assert grown(work) < 4 << 20


@needs_proc
@pytest.mark.alone("measures the process")
def test_shared_arrays_leave_nothing():
    def work():
        for _ in range(300):
            fl.share(fl.ones(1000))[0].item()
        gc.collect()

    assert grown(work) < 8 << 20


def test_a_thread_hands_over_and_ends():
    """Arrays outlive the thread that made them, and memory of its dead objects."""
    made = []

    def work():
        dead = [fl.ones(3) for _ in range(50)]
        del dead
        x = fl.arange(100)
        made.append((x, x[10:], fl.share(x[20:30]), weakref.ref(x)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    x, view, shared, ref = made.pop()
    x += 1
    assert view.tolist() == list(range(10, 100)) and shared.tolist() == list(range(20, 30)) and ref() is x
    assert x.tolist() == list(range(1, 101))
    del x
    assert ref() is None


def test_objects_of_finished_threads_die_while_others_run():
    pool = [None] * 50

    def work(i):
        for k in range(50):
            pool[k] = fl.full(3, i * 100 + k)
            seen = pool[(k * 7) % 50]
            assert seen is None or seen[0].item() == seen[2].item()

    in_threads(4, work)
    pool.clear()
    gc.collect()


def test_weak_references_are_asked_while_their_arrays_die():
    """A reader gets the array that was meant, or none: never one that took its place."""
    published, stop = [None], threading.Event()

    def make():
        for i in range(3000):
            x = fl.full(2, i)
            published[0] = (i, weakref.ref(x))
            del x
        stop.set()

    def ask():
        while not stop.is_set():
            if published[0] is not None:
                i, ref = published[0]
                x = ref()
                assert x is None or x.tolist() == [i, i]

    in_threads(4, lambda i: make() if i == 0 else ask())


def test_the_last_reference_goes_in_many_threads_at_once():
    for _ in range(60):
        boxes = [[fl.ones(3), fl.share(fl.ones(3)), fl.ones(3)[1:]]] * 4
        boxes = [list(box) for box in boxes]
        barrier = threading.Barrier(4)

        def drop(i):
            barrier.wait()
            boxes[i].clear()
            assert fl.zeros(3).tolist() == [0, 0, 0]

        in_threads(4, drop)
