"""Arrays out of numbers, nested lists and other libraries' arrays, and arrays from nothing."""

import array
import math
import sys

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

from samples import COMPLEX, FLOATS, INTEGERS, NAMES, bits, check, layouts, pair  # noqa: E402

NESTED = [
    (5, ()),
    (2.5, ()),
    (True, ()),
    (1j, ()),
    ([], (0,)),
    ([[]], (1, 0)),
    ([[], []], (2, 0)),
    ([[[]], [[]]], (2, 1, 0)),
    ([1], (1,)),
    ([1, 2, 3], (3,)),
    ((1, 2), (2,)),
    ([(1, 2), (3, 4)], (2, 2)),
    (([1.5], [2]), (2, 1)),
    ([[1, 2.5], [True, 4]], (2, 2)),
    ([1, 2j], (2,)),
    ([[[1], [2]], [[3], [4]]], (2, 2, 1)),
    (range(4), (4,)),
    ([range(2), range(2)], None),
    ([True, False], (2,)),
    ([False, 2], (2,)),
    ([True, 2.5], (2,)),
    ([[1, 2], (3, 4)], (2, 2)),
]


@pytest.mark.parametrize("given, shape", NESTED, ids=[str(i) for i in range(len(NESTED))])
@pytest.mark.parametrize("make", [fl.asarray, fl.array])
def test_nested_lists(make, given, shape):
    expected = np.asarray(given)
    check(make(given), expected)
    assert shape is None or expected.shape == shape
    for name in ("float32", "complex128"):
        if expected.dtype.kind != "c" or name == "complex128":
            check(make(given, dtype=name), np.asarray(given, dtype=name))
            check(make(given, name), np.asarray(given, dtype=name))


WIDTHS = [
    ([2**63 - 1, -(2**63)], "int64"),
    ([2**63], "uint64"),
    ([0, 2**64 - 1], "uint64"),
    ([-1, 2**63], "float64"),
    ([1, 2**63, 0.5], "float64"),
    ([True, 2**63], "uint64"),
    ([2**53 + 1, 1.0], "float64"),
]


@pytest.mark.parametrize("given, dtype", WIDTHS, ids=[str(i) for i in range(len(WIDTHS))])
def test_large_integers(given, dtype):
    x = fl.asarray(given)
    assert x.dtype == dtype
    assert x.tolist() == [float(g) if dtype == "float64" else int(g) for g in given]


RAGGED = [
    ([1, [2]], "depth 1 a number was expected and a list of 1 found"),
    ([[1], 2], "depth 1 a list of 1 was expected and a number found"),
    ([[1, 2], [3]], "depth 1 a list of 2 was expected and a list of 1 found"),
    ([[1], [2, 3]], "a list of 1 was expected and a list of 2"),
    ([[], [1]], "a list of 0 was expected and a list of 1"),
    ([[1], []], "a list of 1 was expected and a list of 0"),
    ([[[1]], [[1, 2]]], "depth 2"),
    ([[[1], [2]], [[3]]], "depth 1"),
    ([[1, 2], [3, [4]]], "depth 2"),
]


@pytest.mark.parametrize("given, message", RAGGED, ids=[str(i) for i in range(len(RAGGED))])
def test_ragged_lists(given, message):
    for make in (fl.asarray, fl.array, fl.sin, lambda g: fl.ones(2) + g):
        with pytest.raises(ValueError, match=f"ragged lists.*{message}"):
            make(given)


def deep(depth, inside=1):
    for _ in range(depth):
        inside = [inside]
    return inside


def test_deep_lists():
    assert fl.asarray(deep(64)).shape == (1,) * 64 and fl.asarray(deep(64)).item() == 1
    for depth in (65, 66, 500, 100_000):
        with pytest.raises(ValueError, match="64"):
            fl.asarray(deep(depth))
    loop = []
    loop.append(loop)
    with pytest.raises(ValueError, match="64"):
        fl.asarray(loop)
    with pytest.raises(ValueError, match="64"):
        fl.asarray(deep(40, fl.zeros((1,) * 30)))


REFUSED = [
    "text",
    None,
    {},
    {1},
    object(),
    int,
    iter([1]),
    ...,
    [None],
    ["a"],
    [[1, "a"]],
    [b"ab", 1],
    [{}],
    [object()],
    deep(3, "a"),
]


@pytest.mark.parametrize("thing", REFUSED, ids=[str(i) for i in range(len(REFUSED))])
def test_what_is_no_array(thing):
    with pytest.raises((TypeError, ValueError), match="cannot become an array|ragged|broadcast"):
        fl.asarray(thing)


def test_numbers_that_do_not_fit():
    for given, dtype in (
        (300, "uint8"),
        (-1, "uint8"),
        ([1, 2**40], "int32"),
        (2**63, "int64"),
        ([1e30], "int8"),
        ([math.nan], "int8"),
    ):
        with pytest.raises((OverflowError, ValueError), match=dtype):
            fl.asarray(given, dtype=dtype)
    for given in (1j, [1, 2j]):
        with pytest.raises((TypeError, OverflowError), match="float64"):
            fl.asarray(given, dtype="float64")
    assert fl.asarray([1.75, -1.75], dtype="int8").tolist() == [1, -1]
    assert fl.asarray([2, 0, -1], dtype=bool).tolist() == [True, False, True]
    assert fl.asarray([1e300], dtype="float32").tolist() == [math.inf]


def test_arrays_among_lists():
    x, y = fl.asarray([1, 2]), np.asarray([3.5, 4])
    check(fl.asarray([x, [5, 6]]), np.asarray([[1, 2], [5, 6]]))
    check(fl.asarray([[5, 6], x, y]), np.asarray([[5, 6], [1, 2], [3.5, 4]]))
    check(fl.asarray([x, y], dtype="float32"), np.asarray([[1, 2], [3.5, 4]], dtype="float32"))
    check(fl.asarray([[x[0], 7], [y[0], np.float32(1)]]), np.asarray([[1, 7], [3.5, 1]]))
    check(fl.asarray([fl.asarray(1), 2.5, True]), np.asarray([1, 2.5, 1]))
    for ragged in ([x, [1]], [x, 1], [1, x], [x, [[1, 2]]]):
        with pytest.raises(ValueError):
            fl.asarray(ragged)


@pytest.mark.parametrize("name", NAMES)
def test_conversion_from_every_dtype(name):
    x, values = pair(name, (3, 4), special=False)
    for target in NAMES:
        found = fl.astype(x, target)
        assert found.dtype == target and found.shape == (3, 4)
        if "bfloat16" not in (name, target) and not (name in COMPLEX and target not in COMPLEX + ["bool"]):
            whole = target in INTEGERS and name in FLOATS
            unsigned = whole and target.startswith("u")
            with np.errstate(all="ignore"):
                check(found, (np.maximum(values, 0) if unsigned else values).astype(target))
        assert bits(fl.asarray(x, dtype=target)) == bits(found) == bits(fl.array(x, target)) == bits(x.astype(target))


def test_floats_become_integers_without_wrapping():
    for name in INTEGERS:
        ends = np.iinfo(name)
        x = fl.asarray([math.nan, math.inf, -math.inf, 1e30, -1e30, 2.9, -0.9]).astype(name)
        assert x.tolist() == [0, ends.max, ends.min, ends.max, ends.min, 2, 0]
    assert fl.asarray([math.nan, 0.5, -0.0]).astype("bool").tolist() == [True, True, False]
    assert fl.asarray([300, -1]).astype("uint8").tolist() == [44, 255]


def test_complex_numbers_become_real_ones_only_when_asked_to():
    x = fl.asarray([1 + 2j, 3.0])
    found = None
    try:
        found = x.astype("float64")
    except (TypeError, ValueError) as error:
        assert "complex" in str(error)
    assert found is None or found.tolist() == [1, 3]


def address(x):
    return np.asarray(x).ctypes.data


def test_copies():
    values = np.arange(4.0)
    x = fl.asarray(values)
    assert address(x) == values.ctypes.data == address(fl.asarray(values, copy=False))
    assert values.ctypes.data not in (address(fl.array(values)), address(fl.asarray(values, copy=True)))
    assert fl.asarray(x) is x and fl.asarray(x, copy=False) is x and fl.asarray(x, dtype="float64", copy=None) is x
    for y in (fl.asarray(x, copy=True), fl.array(x), fl.asarray(x, "float64", copy=True)):
        assert y is not x and address(y) != address(x) and bits(y) == bits(x)
    assert (
        address(fl.array(values, copy=False)) == values.ctypes.data
        and address(fl.array(values, copy=None)) == values.ctypes.data
    )
    for refused in (5, [1], (1, 2), 2.5, range(3)):
        with pytest.raises(ValueError, match="without a copy"):
            fl.asarray(refused, copy=False)
    for y in (x, values):
        with pytest.raises(ValueError, match="float64 cannot become one of float32 without a copy"):
            fl.asarray(y, dtype="float32", copy=False)


def test_memory_of_others_is_a_snapshot_until_either_side_writes():
    values = np.arange(4.0)
    x = fl.asarray(values)
    x[0] = 9
    assert values.tolist() == [0, 1, 2, 3] and x.tolist() == [9, 1, 2, 3]
    y = fl.array(values)
    values[1] = -1
    assert y.tolist() == [0, 1, 2, 3]


def test_memory_of_others_lives_as_long_as_its_arrays():
    class Kept(np.ndarray):
        dead = 0

        def __array_finalize__(self, other):
            pass

        def __del__(self):
            Kept.dead += 1

    x = fl.asarray(np.arange(100.0).view(Kept))[10:]
    y = x + 1
    assert x.tolist() == list(map(float, range(10, 100))) and y[0].item() == 11


def test_buffers_of_any_kind():
    for code, name in zip(
        "bBhHiIqQfd", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]
    ):
        check(fl.asarray(array.array(code, [1, 2, 3])), np.asarray([1, 2, 3], dtype=name))
    check(fl.asarray(b"abc"), np.asarray([97, 98, 99], dtype="uint8"))
    check(fl.asarray(bytearray(2)), np.zeros(2, dtype="uint8"))
    check(fl.asarray(memoryview(np.arange(6.0).reshape(2, 3))[1:]), np.asarray([[3.0, 4.0, 5.0]]))
    for strange in (
        np.zeros(2, dtype="U3"),
        np.zeros(2, dtype="i4,f4"),
        np.zeros(2, dtype=object),
        np.zeros(2, dtype="M8[s]"),
    ):
        with pytest.raises((TypeError, ValueError)):
            fl.asarray(strange)
    big = np.arange(3, dtype=">i4")
    try:
        found = fl.asarray(big)
    except (TypeError, ValueError):
        pass
    else:
        assert found.tolist() == [0, 1, 2]


def test_devices():
    makers = [
        lambda d: fl.asarray([1], device=d),
        lambda d: fl.array([1], device=d),
        lambda d: fl.zeros(2, device=d),
        lambda d: fl.ones(2, device=d),
        lambda d: fl.empty(2, device=d),
        lambda d: fl.full(2, 1, device=d),
        lambda d: fl.arange(2, device=d),
        lambda d: fl.eye(2, device=d),
        lambda d: fl.zeros_like(fl.ones(2), device=d),
        lambda d: fl.ones_like(fl.ones(2), device=d),
        lambda d: fl.empty_like(fl.ones(2), device=d),
        lambda d: fl.full_like(fl.ones(2), 1, device=d),
        lambda d: fl.astype(fl.ones(2), "int8", device=d),
        lambda d: fl.ones(2).to_device("cpu" if d is None else d),
    ]
    for make in makers:
        assert make("cpu").device == make(None).device == "cpu"
        for wrong in ("gpu", "cuda:0", 0, b"cpu"):
            with pytest.raises(ValueError, match="no device .*'cpu'"):
                make(wrong)


FROM_NOTHING = {"zeros": 0, "ones": 1, "empty": None}
SHAPES = [
    (0, (0,)),
    (5, (5,)),
    ((), ()),
    ((2, 3), (2, 3)),
    ([2, 3], (2, 3)),
    ((0, 3), (0, 3)),
    (np.int64(4), (4,)),
    ((np.uint8(2), 1), (2, 1)),
]
WRONG_SHAPES = [
    (-1, ValueError, "-1"),
    ((2, -1), ValueError, None),
    (2.0, TypeError, "whole number"),
    ((2, 2.0), TypeError, "whole number"),
    ("3", TypeError, "whole number"),
    (None, TypeError, None),
    ((None,), TypeError, None),
    (2**62, (ValueError, MemoryError), None),
    (2**63, (ValueError, OverflowError, MemoryError), None),
    (2**70, (ValueError, OverflowError), None),
    ((2**32, 2**32), ValueError, "memory can address"),
    (2**45, MemoryError, str(2**48)),
    ((1,) * 65, ValueError, "65 axes are more than the 64"),
    ((1,) * 10_000, ValueError, "64"),
]


@pytest.mark.parametrize("name", FROM_NOTHING)
def test_from_nothing(name):
    make = getattr(fl, name)
    for shape, expected in SHAPES:
        for dtype in NAMES:
            x = make(shape, dtype=dtype)
            assert x.shape == expected and x.dtype == dtype
            if FROM_NOTHING[name] is not None:
                assert fl.all(x == FROM_NOTHING[name]).item()
        assert make(shape).dtype == fl.float64 and make(shape, dtype=None).dtype == fl.float64
    assert make((2**40, 0, 2**20)).shape == (2**40, 0, 2**20) and make((1,) * 64).ndim == 64


@pytest.mark.parametrize("name", FROM_NOTHING)
@pytest.mark.parametrize("shape, error, message", WRONG_SHAPES, ids=[str(i) for i in range(len(WRONG_SHAPES))])
def test_impossible_shapes(name, shape, error, message):
    with pytest.raises(error, match=message):
        getattr(fl, name)(shape)
    if name == "zeros":
        with pytest.raises(error, match=message):
            fl.full(shape, 1.0)


@pytest.mark.parametrize("dtype", NAMES)
def test_like_another(dtype):
    for x, values in layouts(dtype):
        for make, value in (
            (fl.zeros_like, 0),
            (fl.ones_like, 1),
            (fl.empty_like, None),
            (lambda x, **o: fl.full_like(x, 1, **o), 1),
        ):
            for found in (make(x), make(x, dtype="float32"), make(x, dtype=None)):
                assert found.shape == values.shape and (value is None or fl.all(found == value).item())
            assert make(x).dtype == dtype and make(x, dtype="float32").dtype == fl.float32
    assert fl.zeros_like([[1, 2]]).tolist() == [[0, 0]] and fl.empty_like(np.ones(3)).shape == (3,)
    assert fl.zeros_like(fl.zeros(100_000)).size == 100_000


def test_fresh_arrays_share_nothing():
    made = [fl.zeros(100) for _ in range(50)]
    for i, x in enumerate(made):
        x += i
    assert [x[0].item() for x in made] == list(range(50)) and all(fl.all(x == i).item() for i, x in enumerate(made))


def test_full_takes_the_numbers_kind():
    for value, dtype in ((True, "bool"), (1, "int64"), (2**63, "uint64"), (1.5, "float64"), (2j, "complex128")):
        x = fl.full((2,), value)
        assert x.dtype == dtype and x.tolist() == [value] * 2
    assert fl.full(2, fl.asarray(1.5)).tolist() == [1.5] * 2 and fl.full(2, np.float32(1.5)).tolist() == [1.5] * 2
    for value, dtype, error in (
        (300, "uint8", OverflowError),
        (1j, "float64", (TypeError, OverflowError)),
        ("a", None, TypeError),
    ):
        with pytest.raises(error):
            fl.full(2, value, dtype=dtype)


RANGES = [
    (5,),
    (0,),
    (-3,),
    (2, 7),
    (7, 2),
    (0, 10, 3),
    (10, 0, -3),
    (0, 1, 0.1),
    (1.0, 2.0, 0.25),
    (2.5,),
    (0, -1.0, -0.125),
    (-5, 5, 2),
]


@pytest.mark.parametrize("args", RANGES)
def test_arange(args):
    check(fl.arange(*args), np.arange(*args), ulps=4)
    for dtype in ("float32", "float64"):
        check(fl.arange(*args, dtype=dtype), np.arange(*args).astype(dtype), ulps=8)
    assert bits(fl.arange(0, 10, 3)) == bits(fl.arange(0, stop=10, step=3)) == bits(fl.arange(start=0, stop=10, step=3))


def test_no_arange():
    for args, error in (
        ((0, 1, 0), ValueError),
        ((0, 1, 0.0), ValueError),
        ((0, math.inf), ValueError),
        ((math.nan,), ValueError),
    ):
        with pytest.raises(error):
            fl.arange(*args)
    for args in ((2**62,), (0, 1e300), (0, 1, 1e-300), (-(2**63), 2**63 - 1)):
        with pytest.raises((ValueError, MemoryError, OverflowError)):
            fl.arange(*args)


@pytest.mark.parametrize(
    "args", [(0, 1, 5), (0, 1, 0), (3, 3, 4), (1, -1, 3), (0.1, 0.7, 11), (-5, 5, 1), (0, 1e300, 3)]
)
def test_linspace(args):
    check(fl.linspace(*args), np.linspace(*args), ulps=4)
    if args[2] > 1:
        assert fl.linspace(*args)[-1].item() == args[1]


def test_recursion_ends():
    """A conversion that asks for itself ends with RecursionError and not with a crash."""

    class Endless:
        def __array__(self, dtype=None, copy=None):
            return fl.asarray(self)

        def __dlpack__(self, **options):
            return fl.asarray(self)

        def __dlpack_device__(self):
            return 1, 0

        def __index__(self):
            return fl.zeros(self)

        def __len__(self):
            return 1

        def __getitem__(self, i):
            return fl.asarray(self)

    limit = sys.getrecursionlimit()
    for call in (fl.asarray, fl.sin, lambda e: fl.ones(1) + e, fl.zeros, fl.empty, lambda e: fl.ones(3)[e]):
        with pytest.raises((RecursionError, TypeError, ValueError, IndexError)):
            call(Endless())
    assert sys.getrecursionlimit() == limit
