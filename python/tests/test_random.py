"""Random numbers: what a position gives, the generator with NumPy's method names, threads."""

import copy
import pickle
import threading

import pytest

import freelane as fl
from freelane.random import Generator, default_rng

np = pytest.importorskip("numpy")

ROWS = {
    "bits": lambda n, **at: fl.random.bits(n, **at),
    "random": lambda n, **at: fl.random.random(n, **at),
    "random of float32": lambda n, **at: fl.random.random(n, dtype="float32", **at),
    "uniform": lambda n, **at: fl.random.uniform(n, -2.0, 3, **at),
    "normal": lambda n, **at: fl.random.normal(n, 1.0, 0.5, **at),
    "normal of float32": lambda n, **at: fl.random.normal(n, dtype="float32", **at),
    "exponential": lambda n, **at: fl.random.exponential(n, 2.0, **at),
    "integers": lambda n, **at: fl.random.integers(n, -5, 10**12, **at),
    "dice": lambda n, **at: fl.random.integers(n, 1, 7, dtype="int8", **at),
    "poisson": lambda n, **at: fl.random.poisson(n, 4.5, **at),
    "binomial": lambda n, **at: fl.random.binomial(n, 20, 0.3, **at),
    "choice": lambda n, **at: fl.random.choice(10, n, **at),
    "weighted choice": lambda n, **at: fl.random.choice(3, n, p=[0.5, 0.25, 0.25], **at),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_value_depends_on_seed_stream_and_position_alone(name):
    row = ROWS[name]
    whole = np.asarray(row(20_001, seed=1, stream=2, position=7))
    for start, n in ((0, 1), (1, 10), (6, 100), (333, 19_000)):
        assert (np.asarray(row(n, seed=1, stream=2, position=7 + start)) == whole[start : start + n]).all()
    for threads in (2, 3, 5, 16):
        with fl.parallel(threads):
            assert (np.asarray(row(20_001, seed=1, stream=2, position=7)) == whole).all()
    for other in ({"seed": 2, "stream": 2}, {"seed": 1, "stream": 3}):
        assert (np.asarray(row(20_001, position=7, **other)) != whole).any()
    assert row((3, 4), seed=1).shape == (3, 4) and row((), seed=1).shape == () and row((2, 0), seed=1).shape == (2, 0)


def test_known_answers():
    """Words of Random123's Philox4x32-10 for a key and a counter of zero."""
    assert fl.random.bits(2, seed=0).tolist() == [0xE169C58D6627E8D5, 0x9B00DBD8BC57AC4C]
    assert fl.random.bits((2,), seed=0, dtype="uint8").tolist() == [0xE1, 0x9B]
    assert fl.random.random(1, seed=0).item() == (0xE169C58D6627E8D5 >> 11) / 2**53


CALLS = {
    "random": [(), (5,), ((2, 3),)],
    "uniform": [(), (-1, 1), (0.0, 2.0, 5), (0, 1, (2, 3))],
    "normal": [(), (1, 2), (0.0, 2.0, 5)],
    "standard_normal": [(), (5,), ((2, 3),)],
    "exponential": [(), (2.0,), (2.0, 5)],
    "standard_exponential": [(), (5,)],
    "integers": [(5,), (2, 5), (2, 5, 10), (0, 10, (2, 3))],
    "poisson": [(), (3.0, 5), (0.5, (2, 3))],
    "binomial": [(10, 0.5), (10, 0.5, 5)],
    "permutation": [(5,), (np.arange(12).reshape(3, 4),), ([3, 1, 2],)],
    "choice": [(5,), (5, 3), (5, (2, 2)), (5, 5, False), ([1.5, 2.5], 4), (3, 2, True, [0.1, 0.9, 0.0])],
    "bytes": [(0,), (3,), (17,)],
}


@pytest.mark.parametrize("name", CALLS)
def test_methods_take_and_give_what_numpys_do(name):
    for args in CALLS[name]:
        found, reference = getattr(default_rng(3), name)(*args), getattr(np.random.default_rng(3), name)(*args)
        if isinstance(found, fl.Array):
            assert found.shape == reference.shape and found.dtype == reference.dtype.name
        else:
            assert isinstance(found, (float, int, bytes)) and np.shape(found) == np.shape(reference)
            assert len(found) == len(reference) if name == "bytes" else isinstance(reference, (float, int, np.generic))


def test_options():
    rng = default_rng(4)
    assert {x for x in rng.integers(1, 3, 100, endpoint=True).tolist()} == {1, 2, 3}
    assert rng.integers(0, 2, 10, dtype="bool").dtype == fl.bool
    assert rng.random(3, dtype="float32").dtype == fl.float32
    x = np.arange(12).reshape(3, 4)
    columns = np.asarray(rng.permutation(x, axis=1))
    assert sorted(columns[0]) == [0, 1, 2, 3] and (columns[1] - columns[0] == 4).all()
    kept = fl.asarray(x)
    shuffled = rng.shuffle(kept)
    assert (np.asarray(kept) == x).all() and sorted(np.asarray(shuffled)[:, 0]) == [0, 4, 8]
    assert rng.choice(x, 2, axis=1).shape == (3, 2)
    assert sorted(rng.choice(1000, 1000, replace=False).tolist()) == list(range(1000))
    assert len(set(rng.choice(10**12, 50, replace=False).tolist())) == 50
    locs = fl.asarray([0.0, 100.0, 200.0])
    assert [round(v / 100) for v in rng.normal(locs, 1.0).tolist()] == [0, 1, 2]
    assert rng.normal(locs, np.ones((2, 1))).shape == (2, 3) and rng.normal(0, locs, (4, 3)).shape == (4, 3)
    assert rng.uniform(locs, locs + 1).shape == (3,) and rng.exponential(locs, (2, 3)).shape == (2, 3)
    assert (rng.exponential(fl.asarray([0.0, 0.0])) == 0).tolist() == [True, True]


def test_a_generator_moves_on():
    rng = Generator(5)
    a, b, c = rng.random(3), rng.normal(), rng.random((2, 2))
    assert rng.position == 8
    whole = fl.random.random(8, seed=5).tolist()
    assert a.tolist() == whole[:3] and c.ravel().tolist() == whole[4:] and b == rng.at(3).standard_normal()
    assert rng.at(2).random() == whole[2] and rng.position == 8
    assert Generator(5, stream=1).random() != whole[0] and default_rng(rng) is rng
    for again in (copy.copy(rng), copy.deepcopy(rng), pickle.loads(pickle.dumps(rng))):
        assert (again.seed, again.stream, again.position) == (5, 0, 8) and again is not rng
    assert repr(rng) == "Generator(5, stream=0, position=8)"
    children = rng.spawn(3) + rng.spawn(3)
    assert len({child.seed for child in children}) == 6 and rng.position == 14
    assert default_rng().seed != default_rng().seed


@pytest.mark.alone("starts threads of its own")
def test_threads_never_get_the_same_positions():
    rng, drawn, start = Generator(6), [], threading.Barrier(8)

    def draw():
        start.wait()
        mine = [rng.random(n).tolist() for n in range(1, 60)]
        drawn.append([x for values in mine for x in values])

    threads = [threading.Thread(target=draw) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    every = [x for values in drawn for x in values]
    assert len(every) == rng.position and sorted(every) == sorted(fl.random.random(len(every), seed=6).tolist())


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: Generator(-1), ValueError),
        (lambda: Generator(2**64), ValueError),
        (lambda: Generator(1.5), TypeError),
        (lambda: Generator(1, stream=2**32), ValueError),
        (lambda: default_rng(1).random(-1), ValueError),
        (lambda: default_rng(1).random(1.5), TypeError),
        (lambda: default_rng(1).random(3, dtype="int64"), TypeError),
        (lambda: default_rng(1).normal(0, -1), ValueError),
        (lambda: default_rng(1).normal(0, fl.asarray([-1.0])), ValueError),
        (lambda: default_rng(1).integers(0), ValueError),
        (lambda: default_rng(1).integers(0, 300, 3, dtype="int8"), (ValueError, OverflowError)),
        (lambda: default_rng(1).poisson(-1), ValueError),
        (lambda: default_rng(1).binomial(-1, 0.5), ValueError),
        (lambda: default_rng(1).binomial(3, 1.5), ValueError),
        (lambda: default_rng(1).choice(0, 2), ValueError),
        (lambda: default_rng(1).choice(3, 4, replace=False), ValueError),
        (lambda: default_rng(1).choice(3, 4, p=[0.5, 0.5]), ValueError),
        (lambda: default_rng(1).choice(2, 4, p=[0.5, -0.5]), ValueError),
        (lambda: default_rng(1).permutation(-1), ValueError),
        (lambda: default_rng(1).permutation([[1]], axis=2), IndexError),
        (lambda: default_rng(1).choice(5.0), ValueError),
        (lambda: default_rng(1).shuffle(3), TypeError),
        (lambda: default_rng(1).random(2**62), (MemoryError, ValueError)),
        (lambda: Generator(1, position=2**64 - 2).random(3), ValueError),
        (lambda: fl.random.random(3), TypeError),
        (lambda: fl.random.random(3, seed=-1), ValueError),
        (lambda: fl.random.random(3, seed=1, stream=2**32), ValueError),
        (lambda: fl.random.random(3, seed=1, position=2**64 - 2), ValueError),
    ],
)
def test_what_cannot_be_is_an_error(call, error):
    with pytest.raises(error):
        call()
