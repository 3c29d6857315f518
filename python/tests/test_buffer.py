"""The buffer protocol: NumPy, memoryview, array.array and ctypes over our memory, and we over theirs."""

import array
import ctypes
import gc
import threading
import weakref

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

NAMES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128".split()
CODES = "?bBhHiI" + ("lL" if ctypes.sizeof(ctypes.c_long) == 8 else "qQ") + "efd"
WRITABLE, FORMAT, ND, STRIDES = 1, 4, 8, 0x18
C_CONTIGUOUS, F_CONTIGUOUS, ANY_CONTIGUOUS = 0x38, 0x58, 0x98


class PyBuffer(ctypes.Structure):
    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)),
        ("internal", ctypes.c_void_p),
    ]


def request(obj, flags):
    """The fields of an export asked for with these flags."""
    view = PyBuffer()
    get, release = ctypes.pythonapi.PyObject_GetBuffer, ctypes.pythonapi.PyBuffer_Release
    get.argtypes, release.argtypes = (ctypes.py_object, ctypes.POINTER(PyBuffer), ctypes.c_int), None
    get(obj, ctypes.byref(view), flags)
    found = (view.len, view.readonly, view.format, bool(view.shape), bool(view.strides))
    release(ctypes.byref(view))
    return found


def sample(name, shape=(3, 4)):
    count = int(np.prod(shape))
    return (np.arange(count) % 2 if name == "bool" else np.arange(count)).astype(name).reshape(shape)


@pytest.mark.parametrize("name", NAMES)
def test_round_trip(name):
    a = sample(name)
    x = fl.asarray(a)
    b = np.asarray(x)
    assert x.dtype == getattr(fl, name) and tuple(x.shape) == (3, 4)
    assert b.dtype == a.dtype and b.dtype.char == a.dtype.char and (b == a).all()
    assert not b.flags.writeable
    assert np.shares_memory(a, b) == (name != "bool")


@pytest.mark.parametrize("name, code", list(zip(NAMES, [*CODES, "Zf", "Zd"], strict=True)))
def test_formats_of_the_struct_module(name, code):
    assert memoryview(fl.zeros(2, dtype=getattr(fl, name))).format == code


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::-1],
        lambda a: a[:, ::-2],
        lambda a: a.T,
        lambda a: a[1:, 1:],
        lambda a: np.broadcast_to(a[:1], (5, 4)),
        lambda a: a[:0],
        lambda a: a[1, 2],
        lambda a: a[1:2, :, None][..., 0],
        lambda a: np.broadcast_to(a[0, 0], (2, 3)),
    ],
)
def test_layouts_both_ways(view):
    a = np.asarray(view(np.arange(12.0).reshape(3, 4)))
    x = fl.asarray(a)
    b = np.asarray(x)
    assert tuple(x.shape) == a.shape and b.shape == a.shape and (b == a).all()
    assert a.size == 0 or np.shares_memory(a, b)
    assert a.size < 2 or b.strides == a.strides
    y = np.asarray(fl.asarray(b))
    assert (y == a).all()


@pytest.mark.parametrize("name", ["uint16", "int32", "float16", "float64", "complex64", "complex128", "int8", "bool"])
def test_other_byte_order_is_turned(name):
    a = sample(name)
    swapped = a.astype(a.dtype.newbyteorder(">"))[:, ::-1]
    assert (np.asarray(fl.asarray(swapped)) == a[:, ::-1]).all()
    if a.dtype.itemsize > 1:
        with pytest.raises(ValueError, match="without a copy"):
            fl.asarray(swapped, copy=False)


def test_misaligned_is_copied():
    raw = np.zeros(41, np.uint8)
    a = raw[1:].view("f8")
    a[:] = [1, 2, 3, 4, 5]
    x = fl.asarray(a)
    a[0] = 9
    assert np.asarray(x).tolist() == [1, 2, 3, 4, 5]
    record = np.zeros(4, dtype=[("a", "u1"), ("b", "f4")])
    record["b"] = [1, 2, 3, 4]
    assert np.asarray(fl.asarray(record["b"][::-1])).tolist() == [4, 3, 2, 1]


def test_bools_are_made_bools():
    raw = np.array([0, 1, 2, 255], np.uint8)
    x = fl.asarray(raw.view(bool))
    raw[0] = 7
    assert np.asarray(x).view(np.uint8).tolist() == [0, 1, 1, 1]
    with pytest.raises(ValueError, match="bool"):
        fl.asarray(raw.view(bool), copy=False)


def test_copy_says_whether_memory_is_shared():
    a = np.arange(4.0)
    assert np.shares_memory(np.asarray(fl.asarray(a)), a)
    assert np.shares_memory(np.asarray(fl.asarray(a, copy=False)), a)
    assert not np.shares_memory(np.asarray(fl.asarray(a, copy=True)), a)


@pytest.mark.parametrize(
    "exporter, values, name",
    [
        (array.array("d", [1, 2]), [1, 2], "float64"),
        (array.array("H", [1, 65535]), [1, 65535], "uint16"),
        (bytearray(b"\1\2"), [1, 2], "uint8"),
        (memoryview(b"abcd")[::2], [97, 99], "uint8"),
        ((ctypes.c_int32 * 2 * 2)((1, 2), (3, 4)), [[1, 2], [3, 4]], "int32"),
    ],
)
def test_other_exporters(exporter, values, name):
    x = fl.asarray(exporter)
    assert np.asarray(x).tolist() == values and x.dtype == getattr(fl, name)


def test_an_export_never_changes():
    x = fl.asarray([1.0, 2.0, 3.0])
    view, part = np.asarray(x), memoryview(x[1:])
    x[0] = 9.0
    x += 1.0
    assert view.tolist() == [1, 2, 3] and part.tolist() == [2, 3]
    assert np.asarray(x).tolist() == [10, 3, 4]


def test_writing_leaves_what_was_imported():
    a = np.arange(3.0)
    x = fl.asarray(a)
    x[0] = 9.0
    x *= 2.0
    assert a.tolist() == [0, 1, 2] and np.asarray(x).tolist() == [18, 2, 4]


def test_an_export_keeps_the_memory():
    view = np.asarray(fl.arange(1000) * 2)
    gc.collect()
    assert view.sum() == 999 * 1000
    x = fl.asarray(np.arange(1000.0) * 2)
    gc.collect()
    assert float(fl.sum(x)) == 999 * 1000


def test_the_exporter_is_let_go():
    class Exporter(np.ndarray):
        pass

    a = np.arange(10.0).view(Exporter)
    gone = weakref.ref(a)
    x = fl.asarray(a)
    y = x[2:]
    del a, x
    gc.collect()
    assert gone() is not None and np.asarray(y).tolist() == [2, 3, 4, 5, 6, 7, 8, 9]
    del y
    gc.collect()
    assert gone() is None


def test_let_go_in_another_thread():
    b = bytearray(b"12345678")
    held = [fl.asarray(b)]
    with pytest.raises(BufferError):
        b.append(1)
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    b.append(1)
    assert len(b) == 9


def test_requests():
    x, t = fl.zeros((2, 3)), fl.zeros((2, 3)).T
    assert request(x, 0) == (48, 1, None, False, False)
    assert request(x, ND) == (48, 1, None, True, False)
    assert request(x, C_CONTIGUOUS | FORMAT) == (48, 1, b"d", True, True)
    assert request(t, F_CONTIGUOUS) == (48, 1, None, True, True)
    assert request(t, ANY_CONTIGUOUS) == (48, 1, None, True, True)
    assert request(fl.zeros(()), C_CONTIGUOUS | F_CONTIGUOUS | FORMAT) == (8, 1, b"d", False, False)


@pytest.mark.parametrize(
    "obj, flags, says",
    [
        (lambda: fl.zeros(2), WRITABLE, "numpy.array"),
        (lambda: fl.zeros((2, 3)), F_CONTIGUOUS, "column-major"),
        (lambda: fl.zeros((2, 3)).T, C_CONTIGUOUS, "copy=True"),
        (lambda: fl.zeros((2, 3)).T, ND, "strides"),
        (lambda: fl.zeros((4, 4))[::2, ::2], ANY_CONTIGUOUS, "contiguous"),
        (lambda: fl.zeros(4)[::2], 0, "strides"),
        (lambda: fl.zeros(2, dtype=fl.bfloat16), FORMAT | STRIDES, "astype"),
    ],
)
def test_refused_requests_say_what_to_do(obj, flags, says):
    with pytest.raises(BufferError, match=says):
        request(obj(), flags)


@pytest.mark.parametrize(
    "exporter, error, says",
    [
        (lambda: np.array([None, 1]), TypeError, "object|'O'"),
        (lambda: np.array(["ab", "c"]), TypeError, "2w|U2|format"),
        (lambda: np.zeros(2, "M8[s]"), TypeError, "datetime64"),
        (lambda: np.zeros(2, [("a", "i4"), ("b", "f8")]), TypeError, "format"),
        (lambda: np.zeros(2, np.longdouble), TypeError, "'g'"),
        (lambda: (ctypes.c_char * 3)(), TypeError, "'<?c'"),
    ],
)
def test_what_arrays_do_not_hold(exporter, error, says):
    with pytest.raises(error, match=says):
        fl.asarray(exporter())


def test_bfloat16_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    a = np.array([[1, 2.5], [-3, 4]], ml_dtypes.bfloat16)
    x = fl.asarray(a)
    assert x.dtype == fl.bfloat16 and np.asarray(x.astype(fl.float32)).tolist() == a.tolist()
    b = np.asarray(x)
    assert b.dtype == a.dtype and (b == a).all()


def test_many_axes():
    a = np.arange(2.0).reshape((1,) * 63 + (2,))
    assert np.asarray(fl.asarray(a)).shape == a.shape
    with pytest.raises(ValueError):
        fl.asarray(a.astype(">f8"))


def test_huge_empty_shapes():
    x = fl.zeros((0, 1 << 40, 1 << 20))
    assert memoryview(x).nbytes == 0 and memoryview(x).shape == (0, 1 << 40, 1 << 20)
    assert tuple(fl.asarray(memoryview(x)).shape) == (0, 1 << 40, 1 << 20)
