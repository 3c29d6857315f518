"""Python objects as operands, values and options of functions."""

import array
import enum
import fractions
import threading

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

from samples import NAMES, bits, check, pair  # noqa: E402


class Colour(enum.IntEnum):
    RED = 3


class Float(float):
    pass


class Whole(int):
    pass


class Indexed:
    def __init__(self, i):
        self.i = i

    def __index__(self):
        return self.i


class Floating:
    def __float__(self):
        return 2.5


X = fl.share(fl.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
OPERANDS = [
    (2, 2),
    (2.5, 2.5),
    (True, True),
    (1j, 1j),
    (Whole(2), 2),
    (Float(2.5), 2.5),
    (Colour.RED, 3),
    (np.float64(2.5), 2.5),
    (np.int32(2), 2),
    (np.bool_(True), True),
    ([1, 2, 3], [1, 2, 3]),
    ((1.5, 2.5, 3.5), [1.5, 2.5, 3.5]),
    ([[1], [2]], [[1], [2]]),
    (range(3), [0, 1, 2]),
    (np.arange(3), [0, 1, 2]),
    (array.array("d", [1, 2, 3]), [1, 2, 3]),
    (memoryview(np.arange(3.0)), [0, 1, 2]),
    (fractions.Fraction(1, 2), 0.5),
    (Floating(), 2.5),
    ([fl.asarray(1), 2, np.float32(3)], [1, 2, 3]),
]


@pytest.mark.parametrize("given, plain", OPERANDS, ids=[f"{type(o[0]).__name__}{i}" for i, o in enumerate(OPERANDS)])
def test_operands(given, plain):
    values = np.asarray(X)
    check(fl.add(X, given), values + np.asarray(plain))
    check(fl.multiply(given, X), np.asarray(plain) * values)
    check(fl.add(X, fl.asarray(given)), values + np.asarray(plain))
    out = fl.zeros((2, 3), dtype="complex128")
    assert fl.add(given, X, out=out) is out
    check(out, (values + np.asarray(plain)).astype("complex128"))


def test_exact_numbers_give_way_and_others_do_not():
    """Python's own numbers have no width; objects that were made into arrays have one."""
    half = fl.ones(2, dtype="float16")
    for number in (2, 2.5, True):
        assert fl.add(half, number).dtype == fl.float16
    for number in ([2.5], np.float64(2.5), np.asarray(2.5)):
        assert fl.add(half, number).dtype == fl.float64
    assert fl.add(fl.ones(2, dtype="int8"), 2.5).dtype == fl.float64
    assert fl.add(fl.ones(2, dtype="float32"), 2j).dtype == fl.complex64


NOT_OPERANDS = [
    None,
    "text",
    object(),
    {},
    {1, 2},
    iter([1]),
    lambda: 0,
    int,
    ...,
    [None],
    ["a"],
    [[1], [2, 3]],
    [object()],
]


@pytest.mark.parametrize("thing", NOT_OPERANDS, ids=[str(i) for i in range(len(NOT_OPERANDS))])
def test_what_is_no_operand(thing):
    for call in (lambda: fl.add(X, thing), lambda: fl.add(thing, X), lambda: fl.sin(thing), lambda: fl.sum(thing)):
        with pytest.raises((TypeError, ValueError)):
            call()
    with pytest.raises((TypeError, ValueError)):
        fl.add(X, thing, out=fl.zeros((2, 3)))


@pytest.mark.parametrize("huge", [2**64, -(2**63) - 1, 10**40])
def test_integers_beyond_64_bits(huge):
    with pytest.raises(OverflowError, match="out of range for int64|does not fit 64 bits"):
        fl.add(X.astype("int64"), huge)
    for call in (
        lambda: fl.asarray(huge),
        lambda: fl.asarray([1, huge]),
        lambda: fl.zeros(huge),
    ):
        with pytest.raises((OverflowError, ValueError, MemoryError), match="64 bits|cannot be"):
            call()
    for inside in (2**64 - 1, -(2**63)):
        assert fl.asarray(inside).item() == inside


AXES = [
    (0, 0),
    (-1, -1),
    (Whole(1), 1),
    (np.int64(1), 1),
    (Indexed(0), 0),
    (fl.asarray(1), 1),
    ((0, 1), (0, 1)),
    ([0, 1], (0, 1)),
    ((np.int8(0), Indexed(-1)), (0, 1)),
    (range(2), (0, 1)),
    (None, None),
    ((), ()),
]


@pytest.mark.parametrize("axis, plain", AXES, ids=[str(i) for i in range(len(AXES))])
def test_axes(axis, plain):
    check(fl.sum(X, axis), np.asarray(X).sum(plain))
    check(fl.max(X, axis=axis, keepdims=True), np.asarray(X).max(plain, keepdims=True))


WRONG_OPTIONS = [
    (lambda: fl.sum(X, axis=0.0), TypeError, "sum: axis must be a whole number or a tuple of them"),
    (lambda: fl.sum(X, axis="0"), TypeError, "axis"),
    (lambda: fl.sum(X, axis=(0, "1")), TypeError, "axis"),
    (lambda: fl.sum(X, axis=2), ValueError, "axis 2 is out of range for an array of 2 axes"),
    (lambda: fl.sum(X, axis=-3), ValueError, "-3"),
    (lambda: fl.sum(X, axis=(0, -2)), ValueError, "axis|axes"),
    (lambda: fl.sum(X, axis=2**70), OverflowError, "64 bits"),
    (lambda: fl.sum(X, axis=fl.asarray([0])), TypeError, "axis"),
    (lambda: fl.sum(X, axis=fl.asarray(0.0)), TypeError, "axis"),
    (lambda: fl.sum(X, keepdims=1), TypeError, "keepdims must be True or False, not <class 'int'>"),
    (lambda: fl.sum(X, keepdims="yes"), TypeError, "keepdims"),
    (lambda: fl.var(X, correction="1"), TypeError, "correction must be a number"),
    (lambda: fl.concat(X), TypeError, "arrays must be a list or tuple of arrays"),
    (lambda: fl.concat([X, None]), TypeError, "NoneType"),
    (lambda: fl.concat("ab"), TypeError, "arrays"),
    (lambda: fl.stack([X], axis=1.5), TypeError, "axis must be a whole number"),
    (lambda: fl.sin(None), TypeError, "NoneType"),
    (lambda: fl.matmul(X, None), TypeError, "None"),
    (lambda: fl.reshape(X, (2.0, 3)), TypeError, "shape"),
    (lambda: fl.eye(2.5), TypeError, "n_rows must be a whole number"),
    (lambda: fl.arange("3"), TypeError, "start must be a number"),
    (lambda: fl.zeros(3, dtype="float33"), TypeError, "'float33' is not a data type.*float32"),
    (lambda: fl.zeros(3, dtype=3), TypeError, "3 is not a data type"),
    (lambda: fl.take(X, None), TypeError, "None"),
    (lambda: fl.add(X, X, out=[1]), TypeError, "expected a freelane array, found <class 'list'>"),
    (lambda: fl.add(X, X, out=np.zeros((2, 3))), TypeError, "freelane.asarray"),
]


@pytest.mark.parametrize("call, error, message", WRONG_OPTIONS, ids=[str(i) for i in range(len(WRONG_OPTIONS))])
def test_wrong_options(call, error, message):
    with pytest.raises(error, match=message):
        call()


DTYPES = {
    "float32": [fl.float32, "float32", "<f4", "f4", "=f4", "f", np.float32, np.dtype("f4")],
    "float64": [fl.float64, "float64", "<f8", "d", "float", float, np.float64, np.dtype("f8")],
    "int64": [fl.int64, "int64", "i8", "int", int, np.int64],
    "bool": [fl.bool, "bool", "?", "|b1", bool, np.bool_, np.dtype(bool)],
    "complex128": [fl.complex128, "c16", "complex", complex, np.complex128],
    "uint8": [fl.uint8, "u1", "|u1", "B", np.uint8],
    "uint64": [fl.uint64, "u8", "<u8", "Q", np.uint64],
    "bfloat16": [fl.bfloat16, "bfloat16"],
}


@pytest.mark.parametrize("name", DTYPES)
def test_dtypes_by_their_names(name):
    for given in DTYPES[name]:
        assert fl.zeros(2, dtype=given).dtype is getattr(fl, name)
        assert fl.asarray([1], dtype=given).dtype is getattr(fl, name)
        assert X.astype(given).dtype is getattr(fl, name) and fl.astype(X, given).dtype == given


class Hostile:
    """Does something while it is looked at."""

    def __init__(self, act, name):
        self.act, self.name = act, name

    def __getattr__(self, name):
        if name == self.name:
            self.act()
        raise AttributeError(name)


@pytest.mark.parametrize("name", ["__array_interface__", "__dlpack__", "__arrow_c_array__"])
def test_objects_that_write_while_they_are_converted(name):
    x = fl.zeros(3)

    def act():
        x[0] += 1

    for call in (
        lambda thing: fl.add(x, thing),
        lambda thing: x + thing,
        lambda thing: x.__iadd__(thing),
        lambda thing: fl.where(x, thing, x),
    ):
        try:
            call(Hostile(act, name))
        except TypeError:
            pass
    assert fl.all(x[1:] == 0).item() and x[0].item() >= 0


class Explosive:
    def __index__(self):
        raise ZeroDivisionError

    def __float__(self):
        raise ZeroDivisionError

    def __len__(self):
        raise ZeroDivisionError

    def __getitem__(self, i):
        raise ZeroDivisionError

    def __bool__(self):
        raise ZeroDivisionError


def test_errors_of_objects_come_through():
    boom = Explosive()
    calls = [
        lambda: fl.sum(X, axis=boom),
        lambda: fl.zeros(boom),
        lambda: fl.zeros((1, boom)),
        lambda: X[boom],
        lambda: X.reshape(boom),
        lambda: fl.asarray([1], copy=boom),
        lambda: fl.stats(reset=boom),
        lambda: X.item(boom),
    ]
    for i, call in enumerate(calls):
        with pytest.raises(ZeroDivisionError):
            print(i, call())


def test_lists_that_change_while_they_are_read():
    """Another thread grows and shrinks the list: an array of some moment, or an error."""
    numbers, stop = [[1.0, 2.0]] * 4, threading.Event()

    def change():
        while not stop.is_set():
            numbers.append([3.0, 4.0])
            del numbers[4:]

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(300):
            try:
                x = fl.asarray(numbers)
            except ValueError:
                continue
            assert x.shape[1] == 2 and fl.all(x[:4] == fl.asarray([1.0, 2.0])).item()
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("name", NAMES)
def test_an_operand_is_never_changed(name):
    x, _ = pair(name, (3, 4))
    before = bits(x)
    for call in (
        lambda: fl.add(x, x),
        lambda: x.astype("complex128"),
        lambda: fl.stack([x, x]),
        lambda: fl.where(x, x, x),
    ):
        found = call()
        found[...] = fl.zeros((), dtype=found.dtype)
        assert bits(x) == before
