"""The Arrow C data interface, with pyarrow on the other side."""

import gc

import pytest

import freelane as fl

np = pytest.importorskip("numpy")
pa = pytest.importorskip("pyarrow")

NAMES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64".split()


class Wrapped:
    """An object whose only protocol is Arrow's."""

    def __init__(self, array):
        self.array = array

    def __arrow_c_array__(self, requested_schema=None):
        return self.array.__arrow_c_array__(requested_schema)


def sample(name, count=19):
    return (np.arange(count) % 3 % 2).astype(name)


@pytest.mark.parametrize("name", NAMES)
def test_round_trip(name):
    a = sample(name)
    there = pa.array(fl.asarray(a))
    assert there.to_pylist() == a.tolist() and there.null_count == 0
    back = fl.asarray(Wrapped(there))
    assert back.dtype == getattr(fl, name) and (np.asarray(back) == a).all()


@pytest.mark.parametrize("name", NAMES)
def test_offsets_are_respected(name):
    a = sample(name)
    part = pa.array(a).slice(5, 11)
    assert (np.asarray(fl.asarray(Wrapped(part))) == a[5:16]).all()


def test_numbers_are_not_copied():
    a = pa.array(np.arange(100.0))
    x = fl.asarray(Wrapped(a))
    assert np.asarray(x).ctypes.data == a.buffers()[1].address
    y = fl.arange(100)
    assert pa.array(y).buffers()[1].address == np.asarray(y).ctypes.data


def test_memory_outlives_both_sides():
    x = fl.asarray(Wrapped(pa.array(np.arange(1000.0))))
    there = pa.array(fl.arange(1000) * 3)
    gc.collect()
    assert float(fl.sum(x)) == 999 * 500 and sum(there.to_pylist()) == 3 * 999 * 500


def test_an_export_never_changes():
    x = fl.asarray([1.0, 2.0])
    there = pa.array(x)
    x[0] = 7.0
    assert there.to_pylist() == [1, 2]


def test_strided_and_empty():
    assert pa.array(fl.arange(10)[::-3]).to_pylist() == [9, 6, 3, 0]
    assert pa.array((fl.arange(10) > 4)[::2]).to_pylist() == [False, False, False, True, True]
    assert pa.array(fl.zeros(0)).to_pylist() == []
    assert tuple(fl.asarray(Wrapped(pa.array([], pa.float32()))).shape) == (0,)


def test_missing_values_are_refused():
    for values, kind in (([1.0, None, 3.0], pa.float64()), ([True, None, None], pa.bool_()), ([None], pa.int8())):
        array = pa.array(values, kind)
        with pytest.raises(ValueError, match=f"{array.null_count} missing"):
            fl.asarray(Wrapped(array))
    whole = pa.array([None, 1.0, 2.0]).slice(1)
    assert np.asarray(fl.asarray(Wrapped(whole))).tolist() == [1, 2]


@pytest.mark.parametrize(
    "array",
    [
        pa.array(["a"]),
        pa.array([[1], [2]]),
        pa.array([1, 2], pa.timestamp("s")),
        pa.array(["a", "b"]).dictionary_encode(),
        pa.array([{"a": 1}]),
    ],
)
def test_what_arrays_do_not_hold(array):
    with pytest.raises(TypeError, match="Arrow elements of format"):
        fl.asarray(Wrapped(array))


@pytest.mark.parametrize(
    "x, says", [(lambda: fl.zeros((2, 2)), "reshape"), (lambda: fl.zeros(2, dtype=fl.complex64), "complex64")]
)
def test_what_arrow_does_not_hold(x, says):
    with pytest.raises(TypeError, match=says):
        x().__arrow_c_array__()


def test_capsules_are_used_once():
    class Twice:
        def __init__(self):
            self.pair = pa.array([1.0, 2.0]).__arrow_c_array__()

        def __arrow_c_array__(self, requested_schema=None):
            return self.pair

    twice = Twice()
    assert np.asarray(fl.asarray(twice)).tolist() == [1, 2]
    with pytest.raises(ValueError, match="used before"):
        fl.asarray(twice)


def test_capsules_that_nobody_takes():
    for _ in range(100):
        fl.zeros(1000).__arrow_c_array__()


def test_wrong_answers():
    for answer in (None, (1, 2), (1, 2, 3), fl.zeros(2).__arrow_c_array__()[::-1]):
        odd = type("Odd", (), {"__arrow_c_array__": lambda self, schema=None, answer=answer: answer})()
        with pytest.raises((TypeError, ValueError)):
            fl.asarray(odd)
