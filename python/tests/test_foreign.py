"""Memory of other libraries as arrays: used where it can be, copied where it must be, held as long as it is needed."""

import threading
import weakref

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

from samples import IN_NUMPY, check, collected, numbers  # noqa: E402


def is_used(x, values):
    """Whether the elements are those in the memory of the other array."""
    return np.asarray(x).ctypes.data == values.ctypes.data


@pytest.mark.parametrize("name", IN_NUMPY)
def test_layouts(name):
    plane = numbers(name, (4, 6))
    views = [plane, plane.T, plane[::-1], plane[:, ::-2], plane[1:3, 2:], plane[2], plane[:, 1], plane[None]]
    views += [np.asfortranarray(plane), np.broadcast_to(plane[0], (3, 6)), plane[:0], plane[..., 0, 0]]
    for values in views:
        x = fl.asarray(values)
        check(x, values)
        if name == "bool" and values.size:
            with pytest.raises(ValueError, match="copy"):
                fl.asarray(values, copy=False)
        elif values.size:
            assert is_used(x, values)
            steps = [[s for s, n in zip(a.strides, a.shape) if n > 1] for a in (x, values)]
            assert steps[0] == steps[1]
            assert is_used(fl.asarray(values, copy=False), values)
        assert not is_used(fl.asarray(values, copy=True), values) or not values.size


@pytest.mark.parametrize("name", [n for n in IN_NUMPY if np.dtype(n).itemsize > 1])
def test_the_other_byte_order_is_copied(name):
    values = numbers(name, (3, 5))
    swapped = values.astype(values.dtype.newbyteorder())
    for view, expected in ((swapped, values), (swapped.T, values.T), (swapped[::-1, ::2], values[::-1, ::2])):
        check(fl.asarray(view), expected)
        with pytest.raises((ValueError, TypeError)):
            fl.asarray(view, copy=False)
    check(fl.asarray(swapped, dtype="complex128"), values.astype("complex128"))


@pytest.mark.parametrize("name", [n for n in IN_NUMPY if np.dtype(n).itemsize > 1])
def test_misaligned_memory_is_copied(name):
    values = numbers(name, (5,))
    memory = np.zeros(values.nbytes + 1, dtype="uint8")
    memory[1:] = np.frombuffer(values.tobytes(), dtype="uint8")
    odd = memory[1:].view(name)
    assert not odd.flags.aligned
    check(fl.asarray(odd), values)
    check(fl.asarray(odd[::-2]), values[::-2])
    with pytest.raises(ValueError, match="copy"):
        fl.asarray(odd, copy=False)


def test_fields_of_records():
    """Their strides are no multiples of their size."""
    records = np.zeros(6, dtype=[("a", "i4"), ("b", "f8"), ("c", "i2")])
    records["a"], records["b"], records["c"] = range(6), np.arange(6) / 2, -np.arange(6)
    for field in "abc":
        values = records[field]
        check(fl.asarray(values), values.copy())
        check(fl.asarray(values[::-1]), values[::-1].copy())
    aligned = np.zeros(6, dtype=[("a", "f8"), ("b", "f8")])
    aligned["b"] = 3.0
    assert is_used(fl.asarray(aligned["b"]), aligned["b"]) and fl.asarray(aligned["b"]).strides == (16,)


def test_bools_are_zero_or_one():
    memory = np.asarray([0, 1, 2, 255], dtype="uint8")
    x = fl.asarray(memory.view(bool))
    assert (
        x.tolist() == [False, True, True, True]
        and fl.sum(x).item() == 3
        and (~x).tolist() == [True, False, False, False]
    )
    memory[:] = 77
    assert x.astype("uint8").tolist() == [0, 1, 1, 1]


def test_memory_is_never_written():
    values = np.arange(6.0)
    x = fl.asarray(values)
    y = x[::2]
    for write in (lambda: x.__iadd__(1), lambda: y.__setitem__(0, 9.0), lambda: fl.add(x, x, out=x)):
        write()
        assert values.tolist() == [0, 1, 2, 3, 4, 5]
    assert x.tolist() == [2, 4, 6, 8, 10, 12] and y.tolist() == [9, 2, 4]
    frozen = np.arange(3)
    frozen.flags.writeable = False
    z = fl.asarray(frozen)
    z[0] = 5
    assert z.tolist() == [5, 1, 2] and frozen[0] == 0


class Kept(np.ndarray):
    """An array that can be watched."""


def test_memory_is_held_by_the_last_handle():
    base = np.arange(1000.0).view(Kept)
    ref = weakref.ref(base)
    x = fl.asarray(base)
    parts = [x[i:] for i in range(5)] + [fl.share(x[::2]), x.T]
    del base, x
    assert [p[0].item() for p in parts[:5]] == [0, 1, 2, 3, 4] and ref() is not None
    parts[0] += 1
    while len(parts) > 1:
        parts.pop()
    del parts
    assert collected(ref)


def test_the_last_handle_may_go_in_another_thread():
    refs, boxes = [], []
    for _ in range(20):
        base = np.arange(100.0).view(Kept)
        refs.append(weakref.ref(base))
        boxes.append([fl.asarray(base)[1:]])
        del base
    threads = [threading.Thread(target=box.clear) for box in boxes]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert collected(*refs)


class OnlyArray:
    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values


class OnlyInterface:
    def __init__(self, values):
        self.values, self.__array_interface__ = values, values.__array_interface__


class OnlyDLPack:
    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


@pytest.mark.parametrize("kind", [OnlyArray, OnlyDLPack, memoryview, lambda v: v])
def test_protocols(kind):
    for values in (
        np.arange(6.0),
        np.arange(6).reshape(2, 3).T,
        np.arange(8, dtype="int16")[::-2],
        np.zeros((0, 3)),
        np.asarray(2.5),
    ):
        x = fl.asarray(kind(values))
        check(x, values)
        check(fl.asarray(kind(values), dtype="float32"), values.astype("float32"))
        check(fl.asarray(kind(values), copy=True), values)
        before = values.copy()
        x += 1
        assert (values == before).all()


@pytest.mark.parametrize("strange", ["U3", "S3", "M8[s]", "m8[s]", "O", "i4,f4", "V5", "f2,f2"])
def test_elements_that_are_no_numbers(strange):
    values = np.zeros(2, dtype=strange)
    for given in (values, OnlyArray(values), [values]):
        with pytest.raises((TypeError, ValueError)):
            fl.asarray(given)


def test_wide_floats_are_refused_or_exact():
    values = np.asarray([1.5, 2.0], dtype=np.longdouble)
    if values.dtype.itemsize == 8:
        return
    with pytest.raises((TypeError, ValueError)):
        fl.asarray(values)


LIES = [
    {"shape": (2,), "typestr": "<f8"},
    {"shape": (2,), "typestr": "<f8", "data": None},
    {"shape": (2,), "typestr": "<f8", "data": b"1234567"},
    {"shape": (2**40, 2**40), "typestr": "<f8", "data": b"12345678"},
    {"shape": (-1,), "typestr": "<f8", "data": b"12345678"},
    {"shape": ("a",), "typestr": "<f8", "data": b"12345678"},
    {"shape": (1,), "typestr": "<f9", "data": b"12345678"},
    {"shape": (1,), "typestr": 8, "data": b"12345678"},
    {"shape": (1,), "typestr": "<f8", "data": b"12345678", "strides": (1, 2)},
    {"shape": (2,), "typestr": "<f8", "data": b"12345678" * 2, "strides": (2**62,)},
    {"shape": (2,), "typestr": "<f8", "data": b"12345678" * 2, "strides": (-8,)},
    {"typestr": "<f8", "data": b"12345678"},
    {},
    None,
    7,
]


@pytest.mark.parametrize("lie", LIES, ids=range(len(LIES)))
def test_descriptions_of_memory_are_not_trusted(lie):
    """Nothing says whether memory is where such a description has it; NumPy takes it, and then reads there."""
    liar = OnlyInterface(np.ones(2))
    liar.__array_interface__ = {"version": 3} | lie if isinstance(lie, dict) else lie
    for call in (fl.asarray, fl.sin, lambda x: fl.ones(1) + x):
        with pytest.raises(TypeError):
            call(liar)


def test_a_true_description_needs_numpy():
    described = OnlyInterface(np.arange(3.0))
    with pytest.raises(TypeError, match="cannot become an array"):
        fl.asarray(described)
    check(fl.asarray(np.asarray(described)), np.arange(3.0))
