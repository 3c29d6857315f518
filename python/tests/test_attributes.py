"""What an array is asked for: attributes, conversion to Python's numbers and lists, text."""

import inspect
import math
import operator

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

from samples import COMPLEX, EPS, FLOATS, IN_NUMPY, INTEGERS, NAMES, bits, check, layouts, numbers, pair, to_numpy  # noqa: E402

X = fl.share(fl.asarray([[1, 2, 3], [4, 5, 6]]))


@pytest.mark.parametrize("name", NAMES)
def test_description(name):
    itemsize = {"bfloat16": 2}.get(name) or np.dtype(name).itemsize
    for x, values in layouts(name):
        assert (x.shape, x.ndim, x.size) == (values.shape, values.ndim, values.size)
        assert (x.itemsize, x.nbytes) == (itemsize, itemsize * values.size)
        assert x.dtype is getattr(fl, name) and x.device == "cpu" and x.is_shared is False
        if values.size:
            gaps = [s * itemsize // values.itemsize for s, n in zip(values.strides, values.shape) if n > 1]
            assert [s for s, n in zip(x.strides, x.shape) if n > 1] == gaps
        check(x.T, values.T, name)
        if values.ndim >= 2:
            check(x.mT, values.swapaxes(-1, -2), name)
        else:
            with pytest.raises(ValueError, match="two axes"):
                x.mT


@pytest.mark.parametrize("name", "shape dtype ndim size nbytes itemsize strides device T mT is_shared".split())
def test_attributes_are_documented_and_read_only(name):
    assert len(getattr(fl.Array, name).__doc__) > 10
    for change in (lambda: setattr(X, name, 1), lambda: delattr(X, name)):
        with pytest.raises(AttributeError):
            change()


def test_no_other_attributes():
    for change in (lambda: X.nothing, lambda: setattr(X, "nothing", 1), lambda: X.__dict__):
        with pytest.raises(AttributeError, match="nothing|__dict__"):
            change()


ITEM = [
    ((5,), 6),
    ((-1,), 6),
    ((0,), 1),
    ((1, 2), 6),
    ((-2, -3), 1),
    (((1, 0),), 4),
    (([0, 1],), 2),
    ((np.int64(2),), 3),
]
NO_ITEM = [
    ((), ValueError, "has 6; give an index"),
    ((6,), IndexError, "6 is out of range"),
    ((-7,), IndexError, "-7"),
    ((2, 0), IndexError, "axis 0 of length 2"),
    ((0, 3), IndexError, "axis 1 of length 3"),
    ((1, 2, 3), ValueError, "3 indices for an array of 2 axes"),
    ((1.0,), TypeError, "whole numbers"),
    (("a",), TypeError, "whole numbers"),
    ((None, 1), TypeError, "whole numbers"),
    ((2**70,), OverflowError, "64 bits"),
]


@pytest.mark.parametrize("index, value", ITEM)
def test_item(index, value):
    assert X.item(*index) == value and type(X.item(*index)) is int


@pytest.mark.parametrize("index, error, message", NO_ITEM)
def test_no_item(index, error, message):
    with pytest.raises(error, match=message):
        X.item(*index)


@pytest.mark.parametrize("name", NAMES)
def test_items_and_lists_are_python_numbers(name):
    kind = (
        {"bool": bool} | dict.fromkeys(INTEGERS, int) | dict.fromkeys(FLOATS, float) | dict.fromkeys(COMPLEX, complex)
    )
    for x, values in layouts(name):
        found, expected = x.tolist(), values.tolist()
        assert found == expected and repr(found) == repr(expected)
        if x.size == 1:
            assert type(x.item()) is kind[name] and x.item() == values.item()
    x, values = pair(name, (3, 4))
    for i in range(-12, 12):
        assert x.item(i) == values.item(i) and type(x.item(i)) is kind[name]


def test_lists_of_extreme_numbers():
    for name in INTEGERS:
        ends = [int(np.iinfo(name).min), int(np.iinfo(name).max)]
        assert fl.asarray(ends, dtype=name).tolist() == ends
    for name in ("float32", "float64"):
        edge = np.finfo(name)
        ends = [float(edge.max), float(edge.smallest_subnormal), -math.inf, -0.0]
        assert repr(fl.asarray(ends, dtype=name).tolist()) == repr(ends)
    assert math.isnan(fl.asarray(math.nan).tolist())
    assert fl.zeros((2, 0, 3)).tolist() == [[], []] and fl.zeros((0, 3)).tolist() == []


ONE = [True, False, 0, 1, -7, 2**40, 0.0, -0.0, 2.5, -1e300, math.inf, math.nan, 1j, 0j, 2.5 - 1j]
CONVERSIONS = [bool, int, float, complex, operator.index, math.floor]


@pytest.mark.parametrize("convert", CONVERSIONS)
@pytest.mark.parametrize("value", ONE, ids=repr)
def test_conversions_of_one_element(convert, value):
    """As for the Python number, for arrays of one element of any shape; as an index only without axes."""
    for shape in ((), (1,), (1, 1)):
        x = fl.reshape(fl.asarray(value), shape)
        try:
            expected = convert(value)
        except (TypeError, ValueError, OverflowError) as error:
            with pytest.raises(type(error)):
                convert(x)
            continue
        if convert is operator.index and (shape or isinstance(value, bool)):
            with pytest.raises(TypeError, match="integer array without axes"):
                convert(x)
            continue
        found = convert(x)
        assert type(found) is type(expected) and repr(found) == repr(expected)


@pytest.mark.parametrize("shape", [(0,), (2,), (2, 3), (0, 0)])
def test_several_elements_are_no_number(shape):
    x = fl.zeros(shape)
    for convert in (bool, int, float, complex):
        with pytest.raises(ValueError, match=f"{math.prod(shape)} elements"):
            convert(x)
    with pytest.raises(TypeError):
        operator.index(x)


def test_as_positions_of_python_objects():
    two = fl.asarray(2, dtype="uint8")
    assert "abcd"[two] == "c" and range(9)[two:8] == range(2, 8) and list(range(two)) == [0, 1] and hex(two) == "0x2"


def test_length_and_iteration():
    for x, values in layouts("int32"):
        if not values.ndim:
            for function in (len, iter, list):
                with pytest.raises(TypeError, match="without axes"):
                    function(x)
            continue
        assert len(x) == len(values)
        rows = list(x)
        assert [r.tolist() for r in rows] == values.tolist() and all(r.shape == values.shape[1:] for r in rows)
        assert [r.tolist() for r in reversed(x)] == values.tolist()[::-1]
    head, *rest = fl.asarray([1, 2, 3])
    assert head.item() == 1 and len(rest) == 2


def test_an_iterator_sees_later_writes_and_outlives_its_array():
    x = fl.asarray([1, 2, 3])
    numbers = iter(x)
    assert next(numbers).item() == 1
    x[1] = 20
    del x
    assert [n.item() for n in numbers] == [20, 3] and list(numbers) == []


def test_contains():
    x = fl.asarray([[1.5, 2.0], [math.nan, 4.0]])
    assert 2 in x and 1.5 in x and fl.asarray(4.0) in x and [1.5, 2.0] in x
    assert 3 not in x and math.nan not in x and 1 not in fl.zeros((0, 3))


TEXT_SHAPES = [(), (0,), (1,), (5,), (2, 3), (3, 0), (2, 2, 2), (1001,), (40, 40), (2000, 2), (7, 300)]


@pytest.mark.parametrize("name", IN_NUMPY)
def test_text_is_numpys(name):
    for shape in TEXT_SHAPES:
        for shift in (0, 3) if np.prod(shape) < 100 else (0,):
            x, values = pair(name, shape, shift, special=True)
            assert repr(x) == repr(np.asarray(values))
            assert str(x) == str(values)


HARD = [
    [1e10, 1.0],
    [1e-5, 1.0],
    [1e16, 1.0],
    [0.1, 0.2, 0.30000000000000004],
    [1 / 3, 2 / 3],
    [1e300, 1e-300],
    [123456.789, 0.001],
    [-1.5, math.nan, math.inf],
    [1e-320],
    [100000.0, 99999.5],
    [2.0**53],
    [0.0, -0.0],
]


@pytest.mark.parametrize("name", ["float16", "float32", "float64", "complex64", "complex128"])
def test_text_of_hard_numbers(name):
    for row in HARD:
        with np.errstate(all="ignore"):
            values = np.asarray(row).astype(name)
        for v in [values, *values]:
            assert repr(fl.asarray(v)) == repr(np.asarray(v)), v


def test_text_of_views_and_of_bfloat16():
    for x, values in layouts("float64") + layouts("int16"):
        assert repr(x) == repr(np.asarray(values))
    assert repr(fl.asarray([1.5, -2, 0.0078125], dtype="bfloat16")).endswith("dtype=bfloat16)")
    assert repr(fl.ones(2, dtype="bfloat16")) == "array([1., 1.], dtype=bfloat16)"


@pytest.mark.parametrize("value", [7, -2.5, True, 1.5 + 2j])
@pytest.mark.parametrize("spec", ["", ".2f", "d", ">9", "x", "bad spec"])
def test_format_is_the_numbers(value, spec):
    x = fl.asarray(value)
    try:
        expected = format(value, spec)
    except (ValueError, TypeError) as error:
        with pytest.raises(type(error)):
            format(x, spec)
    else:
        assert format(x, spec) == (expected if spec else str(x))


def test_format_of_several_numbers():
    assert f"{X}" == str(X)
    with pytest.raises(TypeError, match="2 axes"):
        format(X, ".2f")


def test_copies_have_storage_of_their_own():
    for x, values in layouts("float32"):
        y = x.copy()
        check(y, values)
        assert y is not x and to_numpy(y).flags.c_contiguous
        if x.size:
            assert np.asarray(y).ctypes.data != np.asarray(x).ctypes.data
    assert not X.copy().is_shared


def test_devices():
    assert X.to_device("cpu") is X and X.to_device("cpu", stream=None) is X
    for call in (lambda: X.to_device("gpu"), lambda: X.to_device(0), lambda: X.to_device("cpu", stream=1)):
        with pytest.raises(ValueError, match="cpu"):
            call()
    with pytest.raises(TypeError, match="device"):
        X.to_device()


def test_namespace():
    for version in (None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
        assert X.__array_namespace__(api_version=version) is fl
    assert X.__array_namespace__() is fl
    with pytest.raises(ValueError, match="2020.01.*2025.12"):
        X.__array_namespace__(api_version="2020.01")


RESHAPES = [
    ((6,), (6,)),
    ((-1,), (6,)),
    (((3, 2),), (3, 2)),
    (([3, 2],), (3, 2)),
    ((3, -1), (3, 2)),
    ((1, 6, 1), (1, 6, 1)),
]
NO_RESHAPES = [
    ((4,), ValueError),
    ((), ValueError),
    ((-1, -1), ValueError),
    (("a",), TypeError),
    ((2.0, 3), TypeError),
    ((2**70,), OverflowError),
]


@pytest.mark.parametrize("shape, expected", RESHAPES)
def test_reshape(shape, expected):
    assert bits(X.reshape(*shape)) == bits(fl.reshape(X, expected))


@pytest.mark.parametrize("shape, error", NO_RESHAPES)
def test_no_reshape(shape, error):
    with pytest.raises(error):
        X.reshape(*shape)


def test_transpose_and_flat_forms():
    x, values = pair("int32", (2, 3, 4))
    for axes in ((), (None,), (2, 0, 1), ((1, 0, 2),), ([0, 2, 1],), (-1, 0, 1)):
        check(x.transpose(*axes), values.transpose(*(tuple(a) if isinstance(a, list) else a for a in axes)))
    for wrong in ((0,), (0, 0, 1), (0, 1, 3)):
        with pytest.raises(ValueError):
            x.transpose(*wrong)
    for y, expected in layouts("float64"):
        check(y.ravel(), expected.ravel())
        check(y.flatten(), expected.flatten())


def test_views_are_values():
    x, values = pair("float64", (4, 6))
    views = [
        x.T,
        x.mT,
        x.ravel(),
        x.reshape(24),
        x.transpose(),
        x[1:],
        x[0],
        x.flatten(),
        fl.broadcast_to(x, (2, 4, 6)),
    ]
    kept = [bits(v) for v in views]
    x[...] = -1.0
    assert [bits(v) for v in views] == kept
    for view in views[:8]:
        before = bits(x)
        view += 1
        assert bits(x) == before


def test_astype():
    assert X.astype(fl.int64, copy=False) is X and X.astype(fl.int64) is not X
    assert X.astype("float32").dtype == fl.float32 and X.astype(dtype=fl.int8).dtype == fl.int8
    assert fl.asarray([1.9, -1.9, math.nan, 1e30]).astype("int32").tolist() == [1, -1, 0, 2**31 - 1]
    with pytest.raises(ValueError, match="gpu"):
        X.astype("int8", device="gpu")


@pytest.mark.parametrize("name", [n for n in dir(fl.Array) if not n.startswith("_") and callable(getattr(fl.Array, n))])
def test_methods_have_signatures_and_documentation(name):
    method = getattr(fl.Array, name)
    parameters = list(inspect.signature(method).parameters.values())
    assert parameters[0].kind is inspect.Parameter.POSITIONAL_ONLY
    assert method.__doc__ and not method.__doc__.startswith(name)
    bound = inspect.signature(getattr(X, name)).parameters
    assert list(bound.values()) == parameters[1:]


def test_every_sample_is_of_its_dtype():
    assert {x.dtype.name for name in NAMES for x, _ in layouts(name)} == set(NAMES) and len(EPS) == 6
    assert numbers("uint8", (9,)).tolist() != numbers("uint8", (9,), 1).tolist()
