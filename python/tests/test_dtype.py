"""Data types: names, codes, NumPy's dtypes, equality, pickling, and that they live for ever."""

import copy
import gc
import pickle
import sys
import weakref

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

from samples import COMPLEX, FLOATS, IN_NUMPY, INTEGERS, NAMES  # noqa: E402

ALL = [getattr(fl, name) for name in NAMES]


def test_there_are_these():
    found = {n for n in dir(fl) if isinstance(getattr(fl, n), fl.dtype)}
    assert found == set(NAMES) == {d.name for d in ALL} and len(set(ALL)) == len(NAMES) == 15


@pytest.mark.parametrize("name", NAMES)
def test_names_and_text(name):
    d = getattr(fl, name)
    assert d.name == str(d) == name and repr(d) == f"freelane.{name}"
    assert fl.dtype(name) is d and fl.dtype(d) is d and fl.zeros(1, dtype=d).dtype is d
    assert d.itemsize == (2 if name == "bfloat16" else np.dtype(name).itemsize)
    kinds = {"bool": "b"} | {n: n[0] for n in INTEGERS} | dict.fromkeys(FLOATS, "f") | dict.fromkeys(COMPLEX, "c")
    assert d.kind == kinds[name]


@pytest.mark.parametrize("name", IN_NUMPY)
def test_numpys_dtypes(name):
    d, n = getattr(fl, name), np.dtype(name)
    assert np.dtype(d) == n and d.str == n.str and d.kind == n.kind
    assert np.zeros(2, dtype=d).dtype == n and np.dtype(d).name == name
    for given in (n, n.type, n.str, n.char, n.str[1:], "=" + n.str[1:]):
        assert fl.dtype(given) is d
    assert d == n and n == d and d == n.type and d == name and not d != n
    assert d != np.dtype("U3") and d != np.dtype("M8[s]") and np.dtype("U3") != d


def test_bfloat16_is_not_numpys():
    with pytest.raises(TypeError, match="NumPy has no bfloat16; convert with astype"):
        fl.bfloat16.str
    with pytest.raises((TypeError, AttributeError)):
        np.dtype(fl.bfloat16)
    assert fl.bfloat16 != np.dtype("float16") and fl.bfloat16 != np.float32 and fl.bfloat16.itemsize == 2


EQUAL = [
    (int, "int64"),
    (float, "float64"),
    (complex, "complex128"),
    (bool, "bool"),
    ("int", "int64"),
    ("float", "float64"),
]


def test_python_types():
    for kind, name in EQUAL:
        assert fl.dtype(kind) is getattr(fl, name) and getattr(fl, name) == kind


@pytest.mark.parametrize(
    "thing",
    [
        "float33",
        "",
        "i3",
        "f16",
        "f32",
        "U3",
        "M8[s]",
        "O",
        "f4,i4",
        ">f8" if sys.byteorder == "little" else "<f8",
        " float32",
        "Float32",
        "\0",
        "float32\0",
    ],
)
def test_other_names_are_refused(thing):
    with pytest.raises(TypeError, match="is not a data type.*bool.*complex128"):
        fl.dtype(thing)


@pytest.mark.parametrize(
    "thing",
    [None, 3, 2.5, b"f4", object(), object, str, [], {}, np.dtype("U3"), np.dtype("i4,f4"), np.datetime64],
    ids=repr,
)
def test_other_things_are_refused(thing):
    with pytest.raises(TypeError):
        print(fl.dtype(thing))


def test_calls():
    for call in (
        lambda: fl.dtype(),
        lambda: fl.dtype("f4", "f8"),
        lambda: fl.dtype(name="f4"),
        lambda: fl.dtype("f4", copy=True),
    ):
        with pytest.raises(TypeError, match="dtype"):
            call()


def test_equality_and_hash():
    for i, d in enumerate(ALL):
        for j, other in enumerate(ALL):
            assert (d == other) is (i == j) and (d != other) is (i != j)
        assert len({d, d, fl.dtype(d.name)}) == 1 and {d: 1}[fl.dtype(d.name)] == 1
        for stranger in (None, 3, object(), b"", "", [d], "nothing"):
            assert d != stranger and not d == stranger
    for act in (lambda: fl.int8 < fl.int16, lambda: fl.int8 >= fl.int16, lambda: fl.int8 + 1, lambda: fl.int8[0]):
        with pytest.raises(TypeError):
            act()


def test_an_object_that_fails_when_compared_is_another():
    class Broken:
        @property
        def name(self):
            raise ZeroDivisionError

        __hash__ = None

    assert fl.int8 != Broken() and not fl.int8 == Broken()
    with pytest.raises(ZeroDivisionError):
        fl.dtype(Broken())


@pytest.mark.parametrize("name", NAMES)
def test_pickling_and_copies_give_the_same_object(name):
    d = getattr(fl, name)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(d, protocol)) is d
    assert copy.copy(d) is d and copy.deepcopy(d) is d and copy.deepcopy([d])[0] is d


def test_they_cannot_be_changed_or_extended():
    for name in ("name", "itemsize", "kind", "str", "other"):
        with pytest.raises(AttributeError):
            setattr(fl.int8, name, 1)
    with pytest.raises(AttributeError):
        fl.int8.nothing
    with pytest.raises(TypeError, match="base type"):
        type("Mine", (fl.dtype,), {})
    with pytest.raises(TypeError):
        fl.dtype.name = 1
    with pytest.raises(TypeError):
        weakref.ref(fl.int8)


@pytest.mark.alone("counts of objects that other threads would change")
def test_they_are_immortal():
    """Where references are counted by all threads at once, these are not counted."""
    free_threaded = not getattr(sys, "_is_gil_enabled", lambda: True)()
    for d in [*ALL, fl.dtype, fl.Array]:
        before = sys.getrefcount(d)
        held = [d] * 1000
        if free_threaded:
            assert sys.getrefcount(d) == before
        del held
        assert sys.getrefcount(d) == before


def test_dropping_references_does_not_free_them():
    for _ in range(3):
        held = [fl.dtype(name) for name in NAMES for _ in range(100)]
        del held
        gc.collect()
    assert [str(d) for d in ALL] == NAMES and fl.zeros(1, dtype=ALL[3]).dtype is ALL[3]


def test_what_dask_and_others_ask():
    for name in IN_NUMPY:
        d, n = getattr(fl, name), np.dtype(name)
        assert d.type is n.type and d.char == n.char and d.hasobject is False and d.names is None and d.fields is None
    assert not hasattr(fl.bfloat16, "type")
