"""Pickling by all protocols, out of band too, and copying."""

import copy
import pickle

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

NAMES = (
    "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 bfloat16 float16 float32 float64 complex64 complex128".split()
)
SHAPES = [(), (0,), (5,), (2, 3), (3, 0, 2)]


def sample(name, shape=(2, 3)):
    return fl.asarray(np.asarray(np.arange(int(np.prod(shape))).reshape(shape) % 2)).astype(getattr(fl, name))


def same(x, y):
    wide = fl.complex128
    return x.dtype == y.dtype and tuple(x.shape) == tuple(y.shape) and bool(fl.all(x.astype(wide) == y.astype(wide)))


def address(x):
    return np.asarray(x).ctypes.data


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", NAMES)
def test_all_protocols(name, protocol):
    for shape in SHAPES:
        x = sample(name, shape)
        assert same(pickle.loads(pickle.dumps(x, protocol)), x)


@pytest.mark.parametrize("name", NAMES)
def test_out_of_band(name):
    x, buffers = sample(name, (50, 40)), []
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert len(data) < 300 and len(buffers) == 1 and memoryview(buffers[0]).readonly
    y = pickle.loads(data, buffers=buffers)
    assert same(x, y)
    if name not in ("bool", "bfloat16"):
        assert address(x) == address(y)


def test_loaded_arrays_can_be_written():
    x, buffers = fl.arange(6), []
    y = pickle.loads(pickle.dumps(x, 5, buffer_callback=buffers.append), buffers=buffers)
    y[0] = 9
    y += 1
    assert np.asarray(x).tolist() == [0, 1, 2, 3, 4, 5] and np.asarray(y).tolist() == [10, 2, 3, 4, 5, 6]


def test_buffers_of_any_kind():
    x, buffers = fl.arange(6), []
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    raw = buffers[0].raw().tobytes()
    shifted = memoryview(b"-" + raw)[1:]
    for held in (raw, bytearray(raw), shifted):
        y = pickle.loads(data, buffers=[held])
        assert np.asarray(y).tolist() == [0, 1, 2, 3, 4, 5]


def test_strided_arrays():
    x = fl.reshape(fl.arange(12), (3, 4))
    for part in (x.T, x[::-1, ::2], x[1], x[:, 1:3]):
        for protocol in (2, 5):
            assert same(pickle.loads(pickle.dumps(part, protocol)), part)


def test_only_the_part_is_pickled():
    assert len(pickle.dumps(fl.zeros(100_000)[:10], 5)) < 400


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, lambda x: copy.deepcopy([x])[0]])
def test_copies_are_values(make):
    x = fl.asarray([1.0, 2.0])
    y = make(x)
    assert address(x) == address(y)
    y[0] = 5.0
    assert np.asarray(x).tolist() == [1, 2] and np.asarray(y).tolist() == [5, 2]


@pytest.mark.parametrize("name", NAMES)
def test_dtypes_are_themselves(name):
    dtype = getattr(fl, name)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(dtype, protocol)) is dtype
    assert copy.copy(dtype) is dtype and copy.deepcopy(dtype) is dtype


@pytest.mark.parametrize("name", ["sin", "add", "sum", "asarray", "from_dlpack", "load"])
def test_functions_go_by_name(name):
    function = getattr(fl, name)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        data = pickle.dumps(function, protocol)
        assert len(data) < 80 and pickle.loads(data) is function


@pytest.mark.parametrize(
    "data, dtype, shape",
    [
        (b"123", "float64", (1,)),
        (b"12345678", "float64", (2,)),
        (b"12345678", "float64", (2**62, 2**62)),
        (b"12345678", "float64", (-1,)),
        (b"12345678", "float65", (1,)),
        (b"12345678", "float64", 1.5),
        ("12345678", "float64", (1,)),
        (None, "float64", (1,)),
        (b"", "float64", ()),
    ],
)
def test_hostile_pickles(data, dtype, shape):
    rebuild = fl.zeros(1).__reduce_ex__(5)[0]
    with pytest.raises((ValueError, TypeError, OverflowError)):
        rebuild(data, dtype, shape)


def test_hostile_bools():
    rebuild = fl.zeros(1).__reduce_ex__(5)[0]
    x = rebuild(b"\0\1\2\xff", fl.bool, (4,))
    assert np.asarray(x).view(np.uint8).tolist() == [0, 1, 1, 1]
