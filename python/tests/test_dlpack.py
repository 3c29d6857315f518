"""DLPack: NumPy's and hand-made tensors, and those of torch and JAX where they are installed."""

import ctypes
import gc
import threading

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

NAMES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128".split()
INT, UINT, FLOAT, BFLOAT, COMPLEX, BOOL = 0, 1, 2, 4, 5, 6


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    ]


class Legacy(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_uint32 * 2),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


def opened(capsule):
    return Versioned.from_address(pointer_of(capsule, b"dltensor_versioned"))


new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)
pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", ctypes.pythonapi))


class Producer:
    """A tensor made by hand. Its capsule has no destructor: what is not taken stays."""

    def __init__(self, shape=(3,), strides=None, code=FLOAT, bits=64, lanes=1, versioned=True, version=(1, 0), **other):
        self.bytes = (ctypes.c_double * 16)(*range(16))
        self.shape = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        self.strides = (ctypes.c_int64 * max(len(shape), 1))(*(strides or ()))
        self.deleted, self.device, self.versioned = 0, other.pop("device", (1, 0)), versioned
        at = other.pop("at", 0)
        data = other.pop("data", ctypes.addressof(self.bytes) + 8 * at)
        tensor = Tensor(
            data,
            (ctypes.c_int32 * 2)(*other.pop("tensor_device", self.device)),
            other.pop("ndim", len(shape)),
            code,
            bits,
            lanes,
            ctypes.addressof(self.shape) if other.pop("has_shape", True) else None,
            ctypes.addressof(self.strides) if strides is not None else None,
            other.pop("byte_offset", 0),
        )
        assert not other
        self.delete = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.count)
        deleter = ctypes.cast(self.delete, ctypes.c_void_p)
        if versioned:
            self.managed = Versioned((ctypes.c_uint32 * 2)(*version), None, deleter, 0, tensor)
        else:
            self.managed = Legacy(tensor, None, deleter)
        self.name = b"dltensor_versioned" if versioned else b"dltensor"
        self.capsule = new_capsule(ctypes.addressof(self.managed), self.name, None)

    def count(self, _managed):
        self.deleted += 1

    def __dlpack__(self, **kwargs):
        self.asked = kwargs
        return self.capsule

    def __dlpack_device__(self):
        return self.device


@pytest.mark.parametrize("name", NAMES)
def test_numpy_both_ways(name):
    a = (np.arange(12) % 2).astype(name).reshape(3, 4)
    x = fl.from_dlpack(a)
    assert x.dtype == getattr(fl, name) and (np.asarray(x) == a).all()
    assert np.shares_memory(a, np.asarray(x)) == (name != "bool")
    b = np.from_dlpack(fl.asarray(a))
    assert b.dtype == a.dtype and (b == a).all() and not b.flags.writeable


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::-1],
        lambda a: a[:, ::-2],
        lambda a: a.T,
        lambda a: np.broadcast_to(a[0], (5, 4)),
        lambda a: a[:0],
        lambda a: a[1, 2, ...],
    ],
)
def test_layouts_both_ways(view):
    a = view(np.arange(12.0).reshape(3, 4))
    x = fl.from_dlpack(a)
    b = np.from_dlpack(x)
    assert tuple(x.shape) == a.shape and (np.asarray(x) == a).all()
    assert b.shape == a.shape and (b == a).all()


def test_ours_of_ours():
    x = fl.arange(4)
    y = fl.from_dlpack(x)
    y[0] = 9
    assert np.asarray(x).tolist() == [0, 1, 2, 3]
    assert x.__dlpack_device__() == (1, 0)


def test_an_export_is_read_only_and_never_changes():
    x = fl.asarray([1.0, 2.0])
    view = np.from_dlpack(x)
    x[0] = 5.0
    assert view.tolist() == [1, 2]
    capsule = x.__dlpack__(max_version=(1, 0))
    tensor = opened(capsule)
    assert tensor.flags == 1 and tensor.version[0] == 1 and tensor.tensor.byte_offset == 0


def test_consumers_without_versions_get_a_copy():
    x = fl.asarray([1.0, 2.0])
    for asked in ({}, {"max_version": None}, {"max_version": (0, 8)}, {"copy": True}):
        capsule = x.__dlpack__(**asked)
        assert name_of(capsule) == b"dltensor"
        tensor = Legacy.from_address(pointer_of(capsule, b"dltensor")).tensor
        assert tensor.data != np.asarray(x).ctypes.data
    capsule = x.__dlpack__(copy=False)
    assert Legacy.from_address(pointer_of(capsule, b"dltensor")).tensor.data == np.asarray(x).ctypes.data
    capsule = x.__dlpack__(max_version=(1, 0), copy=True)
    assert opened(capsule).flags == 2


def test_refused_exports():
    x = fl.zeros(2)
    with pytest.raises(BufferError, match="stream"):
        x.__dlpack__(stream=1)
    with pytest.raises(BufferError, match="CPU"):
        x.__dlpack__(dl_device=(2, 0))
    assert name_of(x.__dlpack__(dl_device=(1, 0), max_version=(1, 1))) == b"dltensor_versioned"


def test_bfloat16():
    x = fl.asarray([1.0, -2.5]).astype(fl.bfloat16)
    capsule = x.__dlpack__(max_version=(1, 0))
    tensor = opened(capsule).tensor
    assert (tensor.code, tensor.bits, tensor.lanes) == (BFLOAT, 16, 1)


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize(
    "made, values",
    [
        (dict(shape=(3,)), [0, 1, 2]),
        (dict(shape=(2, 2)), [[0, 1], [2, 3]]),
        (dict(shape=(2, 2), strides=(1, 2)), [[0, 2], [1, 3]]),
        (dict(shape=(3,), strides=(-1,), at=2), [2, 1, 0]),
        (dict(shape=(3,), byte_offset=16), [2, 3, 4]),
        (dict(shape=(2, 2), strides=(0, 1)), [[0, 1], [0, 1]]),
        (dict(shape=()), 0),
        (dict(shape=(0, 3), data=None), []),
        (dict(shape=(2, 0), strides=(5, 7)), [[], []]),
        (dict(shape=(2,), code=COMPLEX, bits=128), [1j, 2 + 3j]),
    ],
)
def test_tensors_made_by_hand(versioned, made, values):
    producer = Producer(versioned=versioned, **made)
    x = fl.from_dlpack(producer)
    assert np.asarray(x).tolist() == values and name_of(producer.capsule) == b"used_" + producer.name
    part = x[...]
    del x
    gc.collect()
    assert producer.deleted == (part.size == 0)
    del part
    gc.collect()
    assert producer.deleted == 1
    with pytest.raises(ValueError, match="used before"):
        fl.from_dlpack(producer)
    assert producer.deleted == 1


@pytest.mark.parametrize(
    "made, error, says",
    [
        (dict(ndim=2**31 - 1), BufferError, "2147483647 axes"),
        (dict(ndim=-1), BufferError, "-1 axes"),
        (dict(ndim=65), BufferError, "65 axes"),
        (dict(shape=(-1,)), BufferError, "negative"),
        (dict(shape=(2**40, 2**40)), BufferError, "address space"),
        (dict(shape=(2**40, 2**40), strides=(0, 0)), ValueError, "exceed|large|overflow|address"),
        (dict(shape=(3,), strides=(2**62,)), BufferError, "address space"),
        (dict(shape=(3,), strides=(2**60 - 1,)), ValueError, "address space|exceed|large"),
        (dict(data=None), BufferError, "no data"),
        (dict(has_shape=False), BufferError, "no shape"),
        (dict(byte_offset=2**64 - 1), BufferError, "address space"),
        (dict(lanes=2), TypeError, "lanes"),
        (dict(lanes=0), TypeError, "lanes"),
        (dict(bits=4), TypeError, "type code"),
        (dict(code=3), TypeError, "type code"),
        (dict(code=17, bits=8), TypeError, "type code"),
        (dict(tensor_device=(2, 0)), BufferError, r"\(2, 0\)"),
        (dict(device=(2, 1)), BufferError, r"\(2, 1\)"),
        (dict(version=(2, 0)), BufferError, "2.0"),
    ],
)
def test_malformed_and_foreign_tensors(made, error, says):
    producer = Producer(**made)
    with pytest.raises(error, match=says):
        fl.from_dlpack(producer)
    gc.collect()
    assert producer.deleted == (name_of(producer.capsule) != b"dltensor_versioned")


def test_bools_are_made_bools():
    producer = Producer(shape=(8,), code=BOOL, bits=8, at=1)
    x = fl.from_dlpack(producer)
    gc.collect()
    assert producer.deleted == 1 and set(np.asarray(x).view(np.uint8).tolist()) == {0, 1}
    with pytest.raises(ValueError, match="bool"):
        fl.from_dlpack(Producer(shape=(8,), code=BOOL, bits=8), copy=False)


def test_copy_and_device():
    a = np.arange(3.0)
    assert not np.shares_memory(np.asarray(fl.from_dlpack(a, copy=True)), a)
    assert np.shares_memory(np.asarray(fl.from_dlpack(a, copy=False, device="cpu")), a)
    with pytest.raises(ValueError, match="cuda"):
        fl.from_dlpack(a, device="cuda")
    with pytest.raises(TypeError, match="asarray"):
        fl.from_dlpack([1, 2])
    with pytest.raises(TypeError):
        fl.from_dlpack(type("Odd", (), {"__dlpack__": lambda s: 1, "__dlpack_device__": lambda s: (1, 0)})())


def test_producers_without_keywords():
    class Old:
        def __init__(self, a):
            self.a = a

        def __dlpack__(self):
            return self.a.__dlpack__()

        def __dlpack_device__(self):
            return (1, 0)

    assert np.asarray(fl.from_dlpack(Old(np.arange(3)))).tolist() == [0, 1, 2]


def test_deleters_run_once_from_any_thread():
    producer = Producer()
    held = [fl.from_dlpack(producer)]
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    assert producer.deleted == 1


def test_threads_meet_at_one_capsule():
    for _ in range(20):
        producer, barrier, got = Producer(), threading.Barrier(4), []

        def take(producer=producer, barrier=barrier, got=got):
            barrier.wait()
            try:
                got.append(fl.from_dlpack(producer))
            except ValueError:
                pass

        threads = [threading.Thread(target=take) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(got) == 1 and producer.deleted == 0
        got.clear()
        assert producer.deleted == 1


def test_capsules_that_nobody_takes():
    for _ in range(100):
        fl.zeros(1000).__dlpack__()
        fl.zeros(1000).__dlpack__(max_version=(1, 0))
    capsule = fl.ones(3).__dlpack__(max_version=(1, 0))

    class Passing:
        def __dlpack__(self, **_):
            return capsule

        def __dlpack_device__(self):
            return (1, 0)

    x = fl.from_dlpack(Passing())
    del capsule
    assert float(fl.sum(x)) == 3


@pytest.mark.parametrize("name", [*NAMES, "bfloat16"])
def test_torch(name):
    torch = pytest.importorskip("torch")
    if not hasattr(torch, name):
        pytest.skip(f"torch has no {name}")
    x = fl.asarray([[0, 1], [1, 0]]).astype(getattr(fl, name))
    t = torch.from_dlpack(x)
    assert t.dtype == getattr(torch, name) and t.to(torch.complex128).tolist() == [[0, 1], [1, 0]]
    y = fl.from_dlpack(t.T)
    assert y.dtype == x.dtype and np.asarray(y.astype(fl.complex128)).tolist() == [[0, 1], [1, 0]]
    # torch does not look at the read-only flag: who writes takes a copy.
    torch.from_dlpack(x, copy=True).fill_(1)
    assert np.asarray(x.astype(fl.float64)).tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize("name", NAMES)
def test_jax(name):
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        x = fl.asarray([[0, 1], [1, 0]]).astype(getattr(fl, name))
        j = jax.dlpack.from_dlpack(x)
        assert str(j.dtype) == name and np.asarray(j).tolist() == np.asarray(x).tolist()
        y = fl.from_dlpack(j)
        assert y.dtype == x.dtype and np.asarray(y).tolist() == np.asarray(x).tolist()
        x[...] = x[::-1]
        assert np.asarray(j).tolist()[0][0] == 0
