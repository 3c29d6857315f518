"""Rows as functions and methods: every row, those of tomorrow too, is called by its signature and compared with NumPy.

Elementwise functions and reductions are found by their parameters; a structured operation without calls below is tried with
arrays of several shapes.
"""

import functools
import inspect
import itertools
import math
from fractions import Fraction

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

from samples import FLOATS, INTEGERS, IN_NUMPY, KNOWS_DESCENDING, NAMES, bits, check, floor_divide, layouts, numbers, numpy_name, pair, to_numpy, wide  # noqa: E402

ROWS = {name: dict(params) for space, name, params, _ in fl._freelane._rows() if not space}
PARAMETERS = {name: inspect.signature(getattr(fl, name)).parameters for name in ROWS}
ELEMENTWISE = [name for name in ROWS if "out" in PARAMETERS[name]]
# Rows of reductions say what they take; others with axes to keep are made of them.
REDUCTIONS = [name for name in ROWS if "keepdims" in PARAMETERS[name] and " Takes " in f" {getattr(fl, name).__doc__}"]
STRUCTURED = [name for name in ROWS if name not in ELEMENTWISE + REDUCTIONS]
ARITY = {name: len(PARAMETERS[name]) - 1 for name in ELEMENTWISE}
BINARY = [name for name in ELEMENTWISE if ARITY[name] == 2]


# What these compute depends on the width of the numbers.
OF_THE_WIDTH = ("nextafter", "spacing")


def erf_of(x):
    if np.iscomplexobj(x):
        raise TypeError("no erf of complex numbers")
    return np.asarray([math.erf(v) for v in x.ravel()]).reshape(x.shape)


def numpys(name):
    """NumPy's function of a name of ours."""
    if name == "erf":
        return erf_of
    if name == "floor_divide":
        return floor_divide
    if name in ("var", "std"):
        return lambda x, correction=0, **options: getattr(np, name)(x, ddof=correction, **options)
    if not hasattr(np, name):
        pytest.skip(f"NumPy has no {name} to compare with")
    return getattr(np, name)


def computed_in(name):
    """The dtypes that the documentation of a function names."""
    text = getattr(fl, name).__doc__
    line = next(line for line in text.splitlines() if "Computed in " in line or " Takes " in f" {line}")
    start = line.split("Computed in ")[-1].split("Takes ")[-1]
    return {part.strip(" .") for part in start.split(";")[0].split(",")}


def compare(name, args, values):
    """Calls a function of ours and NumPy's: both give the same numbers, or refuse."""
    taken = fl.result_type(*args).name in computed_in(name) or name == "where"
    with np.errstate(all="ignore"):
        try:
            found = getattr(fl, name)(*args)
        except ValueError:
            with pytest.raises(ValueError):
                numpys(name)(*values)
            return
        except TypeError:
            assert not taken, f"{name} takes these by its documentation: {[x.dtype for x in args]}"
            return
        assert type(found) is fl.Array
        if name in OF_THE_WIDTH:
            if fl.bfloat16 in [x.dtype for x in args] or found.dtype == fl.float64:
                return
            reference = numpys(name)(*[v.astype(found.dtype.name) for v in values])
        else:
            # Integers that become floats do so before, as NumPy's small floats would be less exact.
            real = found.dtype.kind == "f" and name != "where"
            reference = numpys(name)(
                *[v.astype("float64") if real and v.dtype.kind in "bui" else wide(v) for v in values]
            )
    check(found, reference, found.dtype.name, ulps=4)


def test_every_row_is_a_public_function():
    assert len(ROWS) == len(ELEMENTWISE) + len(REDUCTIONS) + len(STRUCTURED) > 90
    for name in ROWS:
        assert name in fl._freelane.__all__ and callable(getattr(fl, name))
        first, *_ = ROWS[name].values()
        assert hasattr(fl.Array, name) == (first == "Operand" and name != "where"), name


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise(name):
    for dtype in NAMES:
        shifted = [layouts(dtype, shift) for shift in range(ARITY[name])]
        for pairs in zip(*shifted):
            compare(name, [x for x, _ in pairs], [v for _, v in pairs])


@pytest.mark.parametrize("name", BINARY)
def test_dtypes_and_shapes_meet(name):
    shapes = itertools.cycle(
        [((4, 5), (5,)), ((4, 1), (1, 5)), ((), (3,)), ((2, 1, 3), (4, 1)), ((0, 5), (5,)), ((3,), (3,))]
    )
    for one, other in itertools.product(NAMES, NAMES):
        left, right = next(shapes)
        pairs = [pair(one, left, 1), pair(other, right, 2)]
        compare(name, [x for x, _ in pairs], [v for _, v in pairs])


@pytest.mark.parametrize(
    "name", [n for n in ELEMENTWISE if ARITY[n] < 3 and n not in ("erf", "reciprocal") and hasattr(np, n)]
)
def test_result_dtypes_are_numpys(name):
    """But for functions that make floats of integers: NumPy's are as small as the integers."""
    for dtypes in itertools.product(IN_NUMPY, repeat=ARITY[name]):
        args = [np.ones(2, dtype) for dtype in dtypes]
        try:
            found = getattr(fl, name)(*map(fl.asarray, args)).dtype
        except TypeError:
            continue
        with np.errstate(all="ignore"):
            expected = numpys(name)(*args).dtype
        of_integers = expected.kind == "f" and all(x.dtype.kind in "bui" for x in args)
        # NumPy computes sinc and i0 in float64, and heaviside of mixed integers in less than holds them.
        of_integers_as = [fl.float16, fl.float32] if name in ("sinc", "i0", "heaviside") else []
        assert found == expected.name or of_integers and found in [fl.float64, *of_integers_as], dtypes


def test_where_takes_dtypes_together():
    condition = fl.asarray([True, False])
    for one, other in itertools.product(NAMES, NAMES):
        (x, v), (y, w) = pair(one, (2,), 1), pair(other, (2,), 2)
        if "bfloat16" not in (one, other):
            check(fl.where(condition, x, y), np.where([True, False], v, w))
        else:
            check(fl.where(condition, x, y), np.where([True, False], v, w), fl.result_type(one, other).name)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_out(name):
    dtype = next(d for d in ("float64", "int64", "bool") if d in computed_in(name))
    shapes = [(4, 5)] * ARITY[name]
    if name == "where":
        made = [pair("bool", (4, 5))] + [pair("float64", (4, 5), shift) for shift in (1, 2)]
    else:
        made = [pair(dtype, shape, i) for i, shape in enumerate(shapes)]
    args = [x for x, _ in made]
    before = [bits(x) for x in args]
    function = getattr(fl, name)
    try:
        expected = function(*args)
    except ValueError:
        args = [fl.abs(x) for x in args]
        before, expected = [bits(x) for x in args], function(*args)
    outs = [
        fl.zeros_like(expected),
        fl.zeros((4, 10), dtype=expected.dtype)[:, ::2],
        fl.zeros_like(expected).T.copy().T,
    ]
    for out in outs:
        kept = out.copy()
        view = out[:]
        assert function(*args, out=out) is out
        assert bits(out) == bits(expected) and bits(view) == bits(kept)
        assert [bits(x) for x in args] == before
    for i, x in enumerate(args):
        if x.dtype == expected.dtype:
            mine, held = x.copy(), x[:]
            over = [mine if j == i else y for j, y in enumerate(args)]
            assert function(*over, out=mine) is mine and bits(mine) == bits(expected)
            sharing = x[:]
            assert bits(function(*args, out=sharing)) == bits(expected) and bits(x) == bits(held) == before[i]
    with pytest.raises(ValueError, match="shape"):
        function(*args, out=fl.zeros((3, 3), dtype=expected.dtype))
    with pytest.raises(TypeError):
        function(*args, out=np.zeros((4, 5)))
    with pytest.raises(ValueError, match="share"):
        function(*args, out=fl.share(fl.zeros_like(expected)))
    assert function(*args, out=None) is not None


@pytest.mark.parametrize("name", [n for n in BINARY if "float64" in computed_in(n)])
def test_out_that_broadcasts_or_overlaps(name):
    x, v = pair("float64", (6,), 1)
    function = getattr(fl, name)
    row, column = fl.abs(x), fl.abs(x)[:, None]
    expected = function(column, row)
    out = fl.zeros((6, 6), dtype=expected.dtype)
    function(column, row, out=out)
    assert bits(out) == bits(expected)
    if expected.dtype == fl.float64:
        expected = function(row[1:], row[:-1])
        ahead = row[1:]
        assert bits(function(ahead, row[:-1], out=ahead)) == bits(expected)
        backwards = row[:]
        assert bits(function(row, row[::-1], out=backwards)) == bits(function(row, row[::-1].copy()))
    with pytest.raises(ValueError):
        function(column, row, out=row.copy())


@pytest.mark.parametrize("name", ELEMENTWISE + REDUCTIONS)
def test_methods_are_the_functions(name):
    if not hasattr(fl.Array, name):
        assert name == "where"
        return
    dtype = next(d for d in ("float64", "int64", "bool") if d in computed_in(name))
    args = [
        fl.abs(x) if d != "bool" else x
        for d in [dtype]
        for x in [pair(dtype, (4, 5), s)[0] for s in range(ARITY.get(name, 1))]
    ]
    expected = getattr(fl, name)(*args)
    assert bits(getattr(args[0], name)(*args[1:])) == bits(expected)
    assert bits(getattr(fl.Array, name)(*args)) == bits(expected)
    if name in ELEMENTWISE:
        out = fl.zeros_like(expected)
        assert getattr(args[0], name)(*args[1:], out=out) is out and bits(out) == bits(expected)
    else:
        assert bits(args[0].__getattribute__(name)(axis=0)) == bits(getattr(fl, name)(args[0], 0))


AXES = [None, 0, 1, -1, -2, (0,), (1, 0), (0, -1), ()]


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name):
    several = name not in ("argmin", "argmax")
    for dtype in NAMES:
        for x, values in layouts(dtype):
            for axis in AXES if values.ndim == 2 else [None]:
                if several or not isinstance(axis, tuple):
                    reduce(name, x, values, axis)


def reduce(name, x, values, axis):
    empty = values.size == 0
    if empty and name in ("mean", "var", "std", "min", "max", "argmin", "argmax"):
        if values.ndim == 2 or dtype_missing(name, x):
            return
        if name in ("mean", "var", "std"):
            check(getattr(fl, name)(x), np.nan, getattr(fl, name)(x).dtype.name)
        else:
            with pytest.raises(ValueError, match=name):
                getattr(fl, name)(x)
        return
    with np.errstate(all="ignore"):
        reference = numpys(name)(wide(values), axis=axis)
        kept = numpys(name)(wide(values), axis=axis, keepdims=True)
    if dtype_missing(name, x):
        with pytest.raises(TypeError, match=name):
            getattr(fl, name)(x, axis=axis)
        return
    found = getattr(fl, name)(x, axis=axis)
    check(found, reference, found.dtype.name, ulps=16)
    check(getattr(fl, name)(x, axis=axis, keepdims=True), kept, found.dtype.name, ulps=16)
    if x.dtype != fl.bfloat16 and values.dtype.kind != "c":
        assert (
            found.dtype.name == numpys(name)(values[..., :1] if values.ndim else values).dtype.name
            or name == "count_nonzero"
        )


def dtype_missing(name, x):
    return x.dtype.name not in computed_in(name)


@pytest.mark.parametrize("name", ["var", "std"])
def test_correction(name):
    x, values = pair("float64", (4, 5))
    for correction in (0, 1, 0.5, 2):
        expected = getattr(np, name)(values, axis=1, ddof=correction)
        check(getattr(fl, name)(x, axis=1, correction=correction), expected, ulps=16)


def test_arg_reductions_over_several_axes():
    """The index is into the axes taken together, in row-major order."""
    x, values = pair("int32", (3, 4, 5))
    for axes in ((0, 1, 2), (2, 0, 1)):
        check(fl.argmax(x, axis=axes), np.argmax(values))
    check(fl.argmin(x, axis=(1, 2)), values.reshape(3, 20).argmin(1))
    check(fl.argmax(x, axis=(1,), keepdims=True), values.argmax(1, keepdims=True))


def test_nan_goes_through_reductions():
    x = fl.asarray([1.0, float("nan"), 3.0])
    for name in ("sum", "prod", "mean", "var", "std", "min", "max"):
        assert fl.isnan(getattr(fl, name)(x)).item()
    assert [fl.argmax(x).item(), fl.argmin(x).item(), fl.any(x).item(), fl.count_nonzero(x).item()] == [1, 1, True, 3]


@pytest.mark.parametrize("name", [n for n in ELEMENTWISE if "float64" in computed_in(n)])
def test_infinity_and_nan(name):
    for dtype in ("float32", "float64"):
        # The limits of sinc and i0 at infinity are 0 and infinity; NumPy has NaN.
        if name in ("where", "sinc", "i0"):
            return
        pairs = [pair(dtype, (40,), shift * 5, special=True) for shift in range(ARITY[name])]
        compare(name, [x for x, _ in pairs], [v for _, v in pairs])


def test_fma_rounds_once():
    rng = np.random.default_rng(7)
    for dtype in (np.float32, np.float64):
        x, y = rng.standard_normal((2, 300)).astype(dtype)
        z = (-x * y * (1 + rng.integers(-2, 3, 300) * np.finfo(dtype).eps)).astype(dtype)
        exact = [Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c)) for a, b, c in zip(x, y, z)]
        found = fl.fma(fl.asarray(x), fl.asarray(y), fl.asarray(z))
        assert found.dtype == dtype.__name__
        # The sum is so small that it is a number of f64, and needs no rounding in f32 beyond its own.
        assert found.tolist() == [float(dtype(float(e))) for e in exact]
    assert fl.fma(fl.asarray([1.0, 2.0]), 3.0, fl.asarray([[10.0], [20.0]])).tolist() == [[13.0, 16.0], [23.0, 26.0]]
    assert math.isnan(fl.fma(fl.asarray(math.inf), 0.0, 1.0).item())
    with pytest.raises(TypeError, match="fma"):
        fl.fma(fl.asarray([1, 2]), 3, 4)


def test_lerp_meets_both_ends():
    rng = np.random.default_rng(8)
    start, end = rng.standard_normal((2, 300)) * 10.0 ** rng.integers(-200, 200, (2, 300))
    x, y = fl.asarray(start), fl.asarray(end)
    assert fl.lerp(x, y, 0.0).tolist() == start.tolist() and fl.lerp(x, y, 1.0).tolist() == end.tolist()
    weight = fl.asarray([[0.25], [0.5]], dtype="float32")
    assert fl.lerp(fl.asarray([1.0, 2.0], dtype="float32"), 5.0, weight).tolist() == [[2.0, 2.75], [3.0, 3.5]]
    assert x.lerp(y, 0.5).tolist() == [float((Fraction(a) + Fraction(b)) / 2) for a, b in zip(start, end)]
    with pytest.raises(TypeError, match="lerp"):
        fl.lerp(fl.asarray([1, 2]), 3, 1)


def test_sums_are_exact_where_their_numbers_are():
    assert fl.sum(fl.full(300, 200, dtype="uint8")).item() == 60_000
    assert fl.sum(fl.full(300, True)).item() == 300
    assert fl.prod(fl.asarray([2, 3, 7], dtype="int8")).dtype == fl.int64
    assert fl.mean(fl.full(100_000, 1.0, dtype="float16")).item() == 1.0
    assert fl.sum(fl.full(1_000_000, 0.1, dtype="float32")).item() == pytest.approx(100_000.0015, rel=2e-6)


def test_bits_do_not_depend_on_layout():
    values = np.sin(np.arange(12_000.0)).reshape(3, 4000)
    x = fl.asarray(values)
    column_major = fl.asarray(np.asfortranarray(values))
    gaps = fl.asarray(np.repeat(values, 2, axis=1))[:, ::2]
    for name in ("sum", "mean", "var", "std", "prod"):
        for axis in (0, 1):
            expected = bits(getattr(fl, name)(x, axis=axis))
            assert (
                bits(getattr(fl, name)(column_major, axis=axis)) == bits(getattr(fl, name)(gaps, axis=axis)) == expected
            )
            if axis == 1:
                assert expected[2] == b"".join(bits(getattr(fl, name)(x[i]))[2] for i in range(3))


A = np.arange(12.0).reshape(3, 4)
B = np.arange(4.0)
ONES = np.ones((3, 4))
# What a structured operation is called with: positional, then named.
WITH_NAN = np.where(np.arange(A.size).reshape(A.shape) % 5 == 1, np.nan, A)
CALLS = {
    "around": [((A,), {}), ((A / 7, 2), {}), ((A * 37, -2), {}), ((np.array([15, 25, -17]), -1), {}), ((A / 3, 1), {})],
    "divmod": [((A, 3), {}), ((B, -2.5), {}), ((np.arange(-6, 6), 4), {})],
    "modf": [((A / 4,), {}), ((np.array([np.inf, -np.inf, np.nan, -0.5]),), {})],
    "frexp": [((A / 4,), {}), ((np.array([np.inf, -np.inf, np.nan, 5e-324, 0.0], "float64"),), {}), ((B.astype("float32"),), {})],
    "ldexp": [((A / 4, np.arange(4)), {}), ((np.float32([1.5, 3.0]), np.array([140, -150])), {})],
    "isclose": [((A, A + 1e-9), {}), ((A, A + 0.1), {"atol": 0.2}), ((A * np.nan, A * np.nan), {"equal_nan": True})],
    "allclose": [((A, A + 1e-9), {}), ((A, A + 0.1), {}), ((A, A + 0.1), {"rtol": 1.0})],
    "nan_to_num": [((np.array([np.nan, np.inf, -np.inf, 1.5]),), {}), ((np.array([np.nan, np.inf]),), {"nan": 3.0, "posinf": 7.0})],
    "cumulative_sum": [
        ((B,), {}),
        ((A,), {"axis": 0}),
        ((A,), {"axis": -1, "include_initial": True}),
        ((A.astype("int8"),), {"axis": 1, "dtype": "float32"}),
    ],
    "cumulative_prod": [((B * 0.1,), {}), ((A * 0.5,), {"axis": 0, "include_initial": True}), ((A > 2,), {"axis": 1})],
    "nansum": [((WITH_NAN,), {}), ((WITH_NAN,), {"axis": 0}), ((A.astype("int8"),), {"axis": 1, "keepdims": True})],
    "nanprod": [((WITH_NAN,), {}), ((WITH_NAN,), {"axis": 1})],
    "nanmean": [((WITH_NAN,), {}), ((WITH_NAN,), {"axis": 0, "keepdims": True}), ((A.astype("int16"),), {"axis": 0})],
    "nanmin": [((WITH_NAN,), {}), ((WITH_NAN,), {"axis": 0})],
    "nanmax": [((WITH_NAN,), {}), ((WITH_NAN,), {"axis": 1})],
    "nanargmin": [((WITH_NAN,), {}), ((WITH_NAN,), {"axis": 0})],
    "nanargmax": [((WITH_NAN,), {}), ((WITH_NAN,), {"axis": 1})],
    "nanvar": [((WITH_NAN,), {}), ((WITH_NAN,), {"axis": 0, "ddof": 1})],
    "nanstd": [((WITH_NAN,), {}), ((WITH_NAN,), {"axis": 1})],
    "ptp": [((A,), {}), ((A,), {"axis": 0}), ((A.astype("int16"),), {"axis": 1, "keepdims": True})],
    "average": [((A,), {}), ((A, 0), {}), ((A, None, A * A + 1), {}), ((A, 1, np.arange(1.0, A.shape[1] + 1)), {})],
    "astype": [((A, "int8"), {}), ((A - 5.5, "int64"), {}), ((A, "bool"), {}), ((A, "complex64"), {})],
    "arange": [
        ((5,), {}),
        ((1, 10, 3), {}),
        ((0.0, 1.0, 0.125), {}),
        ((10, 0, -3), {}),
        ((3,), {"dtype": "float32"}),
        ((5, 0), {}),
    ],
    "eye": [
        ((3,), {}),
        ((2, 4), {}),
        ((4, 3), {"k": 1}),
        ((3,), {"k": -2, "dtype": "int32"}),
        ((0,), {}),
        ((3,), {"k": 7}),
    ],
    "full": [(((2, 3), 7), {}), ((4, 1.5), {}), (((), True), {}), (((2, 0), 2j), {}), ((3, 1), {"dtype": "float32"})],
    "full_like": [((A, 3), {}), ((A, 2.5), {"dtype": "float32"}), ((A, 2), {"dtype": "int8"})],
    "linspace": [((0, 1, 5), {}), ((2.0, -3.0, 7), {}), ((0, 1, 1), {}), ((0, 1, 0), {})],
    "ones": [((3,), {}), (((2, 0),), {}), (((),), {"dtype": "int16"})],
    "ones_like": [((A,), {}), ((A,), {"dtype": "bool"})],
    "zeros": [((3,), {}), (((2, 3),), {"dtype": "complex64"}), (((),), {})],
    "zeros_like": [((A,), {}), ((A,), {"dtype": "int8"})],
    "concat": [
        (([A, ONES],), {}),
        (([A, ONES],), {"axis": 1}),
        (([B, B[:0], B],), {"axis": -1}),
        (([B, B.astype("int8")],), {}),
    ],
    "stack": [(([A, ONES],), {}), (([A, ONES],), {"axis": 1}), (([B, B],), {"axis": -1})],
    "broadcast_to": [((B, (3, 4)), {}), ((np.float64(2), (2, 2)), {}), ((B, (0, 4)), {})],
    "expand_dims": [((A, 0), {}), ((A, 1), {}), ((A, -1), {}), ((A, (0, -1)), {}), ((A, ()), {})],
    "flip": [((A,), {}), ((A,), {"axis": 0}), ((A,), {"axis": (0, 1)}), ((A,), {"axis": -1})],
    "matrix_transpose": [((A,), {}), ((np.arange(24).reshape(2, 3, 4),), {})],
    "matmul": [
        ((A, B), {}),
        ((A, A.T), {}),
        ((B, B), {}),
        ((B, A.T), {}),
        ((np.ones((2, 3, 4)), A.T), {}),
        ((A[:0], A.T), {}),
    ],
    "append": [((A, ONES), {"axis": 0}), ((A, B), {}), ((B, 7), {})],
    "array_equal": [
        ((A, A), {}),
        ((A, B), {}),
        ((A, A + 1), {}),
        ((B * np.nan, B * np.nan), {}),
        ((B * np.nan, B * np.nan), {"equal_nan": True}),
        ((np.array([1, np.nan]), np.array([2, np.nan])), {"equal_nan": True}),
    ],
    "array_split": [((B, 3), {}), ((A, 3), {"axis": 1}), ((B, 9), {}), ((B, (1, 3)), {}), ((A, (1, -1)), {"axis": 1})],
    "split": [((B, 2), {}), ((A, 2), {"axis": 1}), ((A, 3), {}), ((B, (1, 3)), {}), ((B, (2, 9)), {})],
    "column_stack": [(([B, B],), {}), (([A, ONES, A[:, 0]],), {})],
    "convolve": [
        ((B, B[1:3]), {}),
        ((B[:2], B), {"mode": "same"}),
        ((B, B[:3]), {"mode": "same"}),
        ((B, B[:2] * 1j), {"mode": "valid"}),
        ((B[:2], np.arange(7)), {"mode": "valid"}),
        ((B, 3), {}),
    ],
    "correlate": [
        ((B, B[1:3]), {}),
        ((B, B[1:4]), {"mode": "same"}),
        ((B[1:3], B * B), {"mode": "full"}),
        ((B, B[:2] + 1j), {"mode": "full"}),
        ((B[:2], np.arange(7.0) ** 2), {"mode": "valid"}),
        ((B[:2], np.arange(7.0) ** 2), {"mode": "same"}),
    ],
    "corrcoef": [((A * A,), {}), ((np.array([[1.0, 3, 2], [2, 2, 9]]),), {"rowvar": False}), ((B,), {})],
    "cov": [((A * A,), {}), ((A * A,), {"rowvar": False, "ddof": 0}), ((B,), {}), ((A * (1 + 1j),), {})],
    "dstack": [(([A, ONES],), {}), (([B, B],), {}), (([np.float64(1), np.float64(2)],), {})],
    "geomspace": [((1.0, 1000.0, 4), {}), ((-2.0, -32.0, 5), {}), ((1, 5, 1), {}), ((1, 5, 0), {})],
    "hstack": [(([A, ONES],), {}), (([B, B[:1]],), {}), (([np.float64(1), B],), {})],
    "identity": [((3,), {}), ((0,), {"dtype": "int8"})],
    "logspace": [((0, 3, 4), {}), ((0, 1, 3), {"base": 2.0}), ((0, 1, 0), {})],
    "pad": [
        ((B, 2), {}),
        ((A, ((1, 0), (2, 3))), {"constant_values": 7}),
        ((A, (1, 2), "edge"), {}),
        ((A, (5, 7), "reflect"), {}),
        ((A, (5, 9), "symmetric"), {}),
        ((A, ((0, 3), (9, 1)), "wrap"), {}),
        ((B[:1], 3, "reflect"), {}),
        ((A[:0], ((1, 1), (0, 0))), {}),
        ((A, ((1, 2),)), {}),
    ],
    "polyval": [((np.array([1, -2, 3.0]), A), {}), ((np.array([2, 1]), np.arange(3)), {}), ((np.array([]), B), {})],
    "ravel": [((A.T,), {}), ((np.float64(3),), {})],
    "swapaxes": [((np.arange(24).reshape(2, 3, 4), 0, -1), {}), ((A, 1, 1), {})],
    "trapezoid": [
        ((A,), {}),
        ((A, B * B), {}),
        ((A,), {"dx": 0.5, "axis": 0}),
        ((A, np.array([0.0, 1, 4])), {"axis": 0}),
        ((A, A * A), {"axis": 0}),
        ((np.arange(4),), {}),
    ],
    "vstack": [(([A, ONES],), {}), (([B, A],), {}), (([np.float64(1), np.float64(2)],), {})],
    "cross": [((A[:, :3], B[:3]), {}), ((A, A[::-1]), {"axis": 0})],
    "diagonal": [((A,), {}), ((A, 1), {}), ((np.arange(24).reshape(2, 3, 4), -1, 2, 1), {})],
    "dot": [((A, B), {}), ((B, B), {}), ((A, 3.0), {}), ((np.ones((2, 3, 4)), A.T), {})],
    "einsum": [
        (("ij,kj->ik", A, A), {}),
        (("ij,j", A, B), {}),
        (("...j->...", A), {}),
        (("ij,kj,kl,l->i", A, A, A, B), {}),
    ],
    "inner": [((A, A), {}), ((A, B), {}), ((B, 2.0), {})],
    "kron": [((A, ONES), {}), ((A, B), {}), ((B, B), {})],
    "outer": [((A, B), {}), ((B, B[:2]), {}), ((B[:0], B), {})],
    "tensordot": [((A, A.T), {"axes": 1}), ((A, A), {}), ((A, A), {"axes": ([1], [1])}), ((A, B), {"axes": 0})],
    "trace": [((A,), {}), ((A, 1), {}), ((np.arange(24).reshape(2, 3, 4), 0, 1, 2), {"dtype": "float32"})],
    "vecdot": [((A, B), {}), ((A, A), {}), ((A, A), {"axis": -2}), ((A + 1j, A - 2j), {})],
    "broadcast_arrays": [((A, B), {}), ((B, A, np.float64(2)), {}), ((B,), {})],
    "meshgrid": [((B, B[:2]), {}), ((B, B[:2], B[:3]), {"indexing": "ij"}), ((B,), {})],
    "nonzero": [((A - 3,), {}), ((A > 20,), {}), ((B,), {})],
    "unstack": [((A,), {}), ((A,), {"axis": 1}), ((B,), {})],
    "permute_dims": [((np.arange(24).reshape(2, 3, 4), (2, 0, 1)), {}), ((A, (1, 0)), {}), ((B, (0,)), {})],
    "reshape": [((A, (4, 3)), {}), ((A, (2, -1)), {}), ((A.T, (12,)), {}), ((A, -1), {}), ((A[:0], (0, 2)), {})],
    "squeeze": [((A[:1], 0), {}), ((A[:1, :1], (0, 1)), {}), ((A[:, :1], -1), {})],
    "take": [
        ((B, [0, 3, 3, 1]), {}),
        ((A, [2, 0]), {"axis": 0}),
        ((A, [1]), {"axis": -1}),
        ((A, [[0, 1], [2, 3]]), {"axis": 1}),
    ],
    "take_along_axis": [((A, np.array([[0], [1], [3]])), {"axis": 1}), ((A, np.argsort(-A, axis=0)), {"axis": 0})],
    "clip": [
        ((A, 2, 7), {}),
        ((A,), {"min": 3.5}),
        ((A,), {"max": B}),
        ((A, B, 5), {}),
        ((A.astype("int8"), 1, 6), {}),
    ],
    "diff": [
        ((A,), {}),
        ((A,), {"axis": 0, "n": 2}),
        ((B * B,), {"prepend": B[:1], "append": B[1:3]}),
        ((A,), {"n": 0}),
    ],
    "imag": [((A * (1 + 2j),), {}), (((A * 1j).astype("complex64"),), {})],
    "real": [((A * (1 + 2j),), {}), ((A,), {})],
    "moveaxis": [((np.arange(24).reshape(2, 3, 4), 0, 2), {}), ((np.arange(24).reshape(2, 3, 4), (0, 1), (-1, 0)), {})],
    "roll": [
        ((A, 1), {}),
        ((A, -5), {}),
        ((A, 1), {"axis": 0}),
        ((A, (1, 2)), {"axis": (0, 1)}),
        ((A, 2), {"axis": (0, 1)}),
    ],
    "repeat": [((B, 2), {}), ((A, 3), {"axis": 1}), ((B, np.array([1, 0, 2, 1])), {"axis": 0}), ((A, 2), {})],
    "tile": [((B, (2,)), {}), ((A, (2, 1)), {}), ((A, (2, 1, 2)), {}), ((B, (3, 2)), {})],
    "tril": [((A,), {}), ((A,), {"k": 1}), ((A.T,), {"k": -1}), ((np.ones((2, 3, 3)),), {})],
    "triu": [((A,), {}), ((A,), {"k": 1}), ((A.T,), {"k": -1}), ((np.ones((2, 3, 3)),), {})],
    "sort": [((A[::-1],), {}), ((-A,), {"axis": 0}), ((-B,), {"stable": False}), ((A,), {"descending": True})],
    "argsort": [((A[:, ::-1],), {}), ((-A,), {"axis": 0}), ((np.array([2, 1, 2, 1]),), {"descending": True, "stable": True})],
    "argwhere": [((A > 4,), {}), ((B,), {})],
    "bincount": [((np.array([1, 3, 1]),), {}), ((np.array([1, 3, 1]), B[:3]), {"minlength": 7})],
    "flatnonzero": [((A - 3,), {}), ((A.T > 4,), {})],
    "histogram": [((A,), {}), ((A, 5), {"range": (1, 9), "density": True}), ((A, B), {"weights": A * A})],
    "interp": [((A, B, B * B), {}), ((A - 2, B, B * B), {"left": -1.0, "right": 5.0})],
    "median": [((A,), {}), ((A * A,), {"axis": 0}), ((A[:, :3],), {"axis": (0, 1), "keepdims": True})],
    "partition": [((B[::-1], 2), {}), ((A[::-1], 0), {"axis": None})],
    "percentile": [((A, 30), {}), ((A, np.array([[0, 50, 99]])), {"axis": 1})],
    "put": [((A, np.array([0, -1, 5]), B), {}), ((A, np.array([[3, 3], [1, 0]]), B[:2]), {}), ((A, np.array([2]), 7), {})],
    "quantile": [((A, 0.3), {}), ((A, 0.25), {"axis": 0, "keepdims": True, "method": "higher"})],
    "searchsorted": [
        ((B, A), {}),
        ((B, B), {"side": "right"}),
        ((B[::-1], A), {"sorter": np.argsort(B[::-1])}),
        ((np.arange(9), np.array([3, 99])), {}),
    ],
    "digitize": [((A, B), {}), ((A, B), {"right": True}), ((A, B[::-1]), {}), ((A, B[::-1]), {"right": True})],
    "isin": [((A, B[1:3]), {}), ((A, np.arange(0.0, 40.0, 3.0)), {}), ((A, np.arange(20)), {"invert": True})],
    "unique_all": [((A // 3,), {})],
    "unique_counts": [((A // 3,), {})],
    "unique_inverse": [((A // 3,), {})],
    "unique_values": [((A // 3,), {})],
    "union1d": [((B, A), {}), ((np.array([3, 1, 3]), np.array([2, 1])), {})],
    "intersect1d": [((B, A[1:]), {}), ((np.array([3, 1, 3]), np.array([2, 1])), {})],
    "setdiff1d": [((B, A[1:]), {}), ((np.array([3, 1, 3]), np.array([2, 1])), {})],
    "setxor1d": [((B, A[1:]), {}), ((np.array([3, 1, 3]), np.array([2, 1])), {})],
    "transpose": [
        ((A,), {}),
        ((A,), {"axes": (1, 0)}),
        ((np.arange(24).reshape(2, 3, 4),), {"axes": (1, 2, 0)}),
        ((B,), {}),
    ],
}


def ours(value):
    """The same argument for our function."""
    if isinstance(value, list) and value and isinstance(value[0], np.ndarray):
        return [fl.asarray(v) for v in value]
    return fl.asarray(value) if isinstance(value, np.ndarray | np.generic) else value


def named(module, name):
    """A function by its name, which may be that of a namespace and the function's: `linalg.inv`."""
    return functools.reduce(getattr, name.split("."), module)


def put(x, indices, values):
    """NumPy's writes to its argument."""
    x = x.copy()
    np.put(x, indices, values)
    return x


REFERENCES = {"astype": lambda x, dtype: x.astype(dtype), "put": put}


@pytest.mark.parametrize("name", CALLS)
def test_structured(name):
    for args, options in CALLS[name]:
        if "descending" in options and not KNOWS_DESCENDING:
            continue
        reference = REFERENCES.get(name) or named(np, name)
        with np.errstate(all="ignore"):
            expected, found = reference(*args, **options), named(fl, name)(*map(ours, args), **options)
        if isinstance(found, tuple):
            assert len(found) == len(expected)
            for one, other in zip(found, expected):
                check(one, other, ulps=2)
        else:
            check(found, expected, ulps=2)


SAMPLES = {
    "Operand": [A, B, ONES, np.arange(24.0).reshape(2, 3, 4), np.eye(3)],
    "Operands": [[A, ONES], [B, B]],
    "Shape": [(3, 4), 5],
    "Axes": [0, (0,), 1],
    "Int": [0, 1, 2],
    "Float": [0, 0.5, 2],
    "Bool": [False, True],
    "DType": ["float32", "int8"],
}


def test_structured_without_calls_of_their_own():
    for name in STRUCTURED:
        if name not in CALLS and hasattr(np, name) and not name.startswith("empty"):
            agrees_somewhere(name)


def agrees_somewhere(name):
    """Arguments are made up by the kinds of the parameters; what both take must come out alike."""
    reference = getattr(np, name)
    required = [p for p, v in PARAMETERS[name].items() if v.default is v.empty]
    agreed = 0
    for args in itertools.product(*[SAMPLES[ROWS[name][p]] for p in required]):
        try:
            expected = reference(*args)
        except (TypeError, ValueError, IndexError, np.linalg.LinAlgError):
            continue
        try:
            found = getattr(fl, name)(*map(ours, args))
        except (TypeError, ValueError, IndexError):
            continue
        found, expected = (x if isinstance(x, tuple) else (x,) for x in (found, expected))
        for one, other in zip(found, expected, strict=True):
            check(one, other, one.dtype.name, ulps=64)
        agreed += 1
    assert agreed > 0, f"no call of {name} agreed with NumPy's; give it calls of its own"


WRONG = [
    ("concat", ([A, B],), ValueError),
    ("concat", ([],), ValueError),
    ("concat", (A,), TypeError),
    ("concat", ([A, A],), {"axis": 2}),
    ("stack", ([A, A.T],), ValueError),
    ("stack", ([],), ValueError),
    ("stack", ([A, A],), {"axis": 3}),
    ("broadcast_to", (A, (4, 3)), ValueError),
    ("broadcast_to", (A, (4,)), ValueError),
    ("expand_dims", (A, 3), ValueError),
    ("flip", (A,), {"axis": 2}),
    ("matrix_transpose", (B,), ValueError),
    ("matmul", (A, A), ValueError),
    ("permute_dims", (A, (0, 0)), ValueError),
    ("permute_dims", (A, (0,)), ValueError),
    ("reshape", (A, (5, 2)), ValueError),
    ("reshape", (A, (-1, -1)), ValueError),
    ("reshape", (A, (5, -1)), ValueError),
    ("squeeze", (A, 0), ValueError),
    ("take", (B, [4]), IndexError),
    ("take", (B, [-5]), IndexError),
    ("take", (B, [0.5]), (IndexError, TypeError)),
    ("transpose", (A, (0, 2)), ValueError),
    ("sum", (A, 2), ValueError),
    ("sum", (A, (0, 0)), ValueError),
    ("sum", (A, 0.0), TypeError),
    ("arange", (0, 5, 0), ValueError),
    ("arange", (0, float("inf")), ValueError),
    ("arange", (0, float("nan")), ValueError),
    ("arange", (10**18,), (MemoryError, ValueError)),
    ("eye", (-1,), ValueError),
    (
        "full",
        (
            (2,),
            300,
        ),
        {"dtype": "uint8"},
    ),
    ("linspace", (0, 1, -1), ValueError),
    ("zeros", ((2, -1),), ValueError),
    ("zeros", (2**62,), (MemoryError, ValueError)),
]


@pytest.mark.parametrize("name, args, error", WRONG, ids=[f"{w[0]}{i}" for i, w in enumerate(WRONG)])
def test_what_cannot_be(name, args, error):
    named = error if isinstance(error, dict) else {}
    with pytest.raises((ValueError, OverflowError, IndexError) if named else error, match=name):
        getattr(fl, name)(*map(ours, args), **named)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_python_numbers_follow_the_array(name):
    """A Python number gives way to the array beside it, and alone is of its own kind's default."""
    if ARITY[name] != 2 or "float64" not in computed_in(name):
        return
    function = getattr(fl, name)
    x, values = pair("float32", (5,), 2)
    for found, both in [
        (function(x, 2.0), (values, 2.0)),
        (function(2.0, x), (2.0, values)),
        (function(x, 3), (values, 3)),
    ]:
        with np.errstate(all="ignore"):
            check(found, numpys(name)(*both), ulps=4)
    alone = function(2.0, 0.5)
    assert alone.shape == () and alone.dtype == numpys(name)(2.0, 0.5).dtype.name


@pytest.mark.parametrize("name", ["sin", "add", "sum", "where", "matmul", "concat"])
def test_other_objects_become_arrays(name):
    call = {
        "sin": ([0.0, 1.0],),
        "add": ([1, 2], (3, 4)),
        "sum": ([[1, 2], [3, 4]],),
        "where": ([True, False], 1, [3, 4]),
        "matmul": ([[1, 2]], [[3], [4]]),
        "concat": ([[1, 2], [3.5]],),
    }[name]
    check(getattr(fl, name)(*call), getattr(np, name)(*call), ulps=2)
    if name in ("sin", "sum"):
        check(getattr(fl, name)(np.asarray(call[0])), getattr(np, name)(*call), ulps=2)


def test_tables_are_complete():
    """No row is left out by all of the tests above."""
    assert not [n for n in CALLS if n not in STRUCTURED] and len(FLOATS + INTEGERS) == 12
    assert (
        numbers("bfloat16").dtype == numpy_name("bfloat16")
        and to_numpy(fl.ones(1, dtype="bfloat16")).dtype == np.float32
    )


def test_errors_name_the_function_that_was_called():
    x = fl.asarray([1, 2, 3])
    for name, call in {
        "repeat": lambda: fl.repeat(x, 2**62),
        "searchsorted": lambda: fl.searchsorted(x, 4, sorter=fl.asarray([0, 1])),
        "linspace": lambda: fl.linspace(0, 1, 2**62),
        "topk": lambda: fl.topk(x, 9),
        "percentile": lambda: fl.percentile(x, 101),
        "stack": lambda: fl.stack([x, x[1:]]),
    }.items():
        with pytest.raises((ValueError, MemoryError), match=rf"^{name}: "):
            call()


def test_numbers_that_a_dtype_does_not_hold_are_searched_for():
    x = np.array([-3, 0, 5], np.int8)
    for value in (300, -129, 2**40, 0):
        assert fl.searchsorted(fl.asarray(x), value).item() == np.searchsorted(x, value)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float32"])
@pytest.mark.parametrize("method", ["lower", "higher", "nearest"])
def test_quantiles_that_are_elements_are_of_their_dtype(dtype, method):
    x = np.array([[3, 1, 2, 7], [9, 9, 0, 4]], dtype)
    for q in (0, 10, 30, [50, 100]):
        found, want = fl.percentile(fl.asarray(x), q, axis=1, method=method), np.percentile(x, q, axis=1, method=method)
        assert found.dtype.name == dtype == want.dtype.name and np.array_equal(found, want)


def test_large_numbers_are_not_counted_as_negative_ones():
    with pytest.raises(ValueError, match="too large to be counted, one is 18446744073709551615"):
        fl.bincount(fl.asarray([2**64 - 1], dtype="uint64"))


def test_sorted_nans_are_the_nan_of_their_type():
    for values in ([np.nan, 1.0], [1.0, -np.nan], [-np.nan] * 40, [2.0, -np.nan, 1.0]):
        for x in (np.array(values), np.array(values * 2)[::2], np.array(values)[::-1]):
            found = np.asarray(fl.sort(fl.asarray(x)))
            assert not np.signbit(found[np.isnan(found)]).any() and np.array_equal(found, np.sort(x), equal_nan=True)


def test_nans_are_not_the_largest():
    values, indices = fl.topk(fl.asarray([np.nan, 1.0, 3.0]), 3)
    assert np.asarray(values)[:2].tolist() == [3.0, 1.0] and np.asarray(indices).tolist() == [2, 1, 0]
