"""Operators: their three forms, beside every kind of other object, and arrays as values under writing."""

import operator
import random

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

from samples import COMPLEX, FLOATS, INTEGERS, IN_NUMPY, NAMES, bits, check, floor_divide, layouts, numbers, numpy_name, pair, wide  # noqa: E402

SYMBOLS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "pow",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
    "matmul": "matmul",
}
IN_PLACE = [s for s in SYMBOLS if s != "matmul"]
COMPARISONS = ["lt", "le", "eq", "ne", "gt", "ge"]
UNARY = {"neg": "negative", "pos": "positive", "abs": "abs", "invert": "bitwise_invert"}


def operator_of(symbol):
    return getattr(operator, {"and": "and_", "or": "or_"}.get(symbol, symbol))


def of_integers(symbol):
    return symbol in ("and", "or", "xor", "lshift", "rshift")


def operands(symbol, shift=0):
    """Two pairs of arrays that the operator takes."""
    name = "int64" if of_integers(symbol) else "float64"
    (x, v), (y, w) = pair(name, (3, 4), shift), pair(name, (3, 4), shift + 4)
    if symbol == "matmul":
        y, w = y.T, w.T
    if symbol in ("pow", "lshift", "rshift"):
        x, v, y, w = fl.abs(x), np.abs(v), fl.abs(y), np.abs(w)
    return (x, v), (y, w)


@pytest.mark.parametrize("symbol", list(SYMBOLS) + COMPARISONS)
def test_two_arrays(symbol):
    act = operator_of(symbol)
    (x, v), (y, w) = operands(symbol)
    with np.errstate(all="ignore"):
        check(act(x, y), act(v, w), ulps=4)
    names = dict(zip(COMPARISONS, ["less", "less_equal", "equal", "not_equal", "greater", "greater_equal"])) | SYMBOLS
    assert bits(act(x, y)) == bits(getattr(fl, names[symbol])(x, y))


OTHERS = {
    "int": 3,
    "float": 1.5,
    "bool": True,
    "list": [3, 1, 2, 4],
    "tuple": (2, 2, 1, 5),
    "nested": [[1, 2, 3, 4]] * 3,
    "numpy": np.asarray([3, 1, 2, 4]),
    "numpy float32": np.asarray([3, 1, 2, 4], dtype="float32"),
    "numpy scalar": np.int16(3),
    "numpy float": np.float64(2.5),
    "memoryview": None,
}


@pytest.mark.parametrize("other", list(OTHERS))
@pytest.mark.parametrize("symbol", list(SYMBOLS) + COMPARISONS)
def test_an_array_and_something_else(symbol, other):
    if symbol == "matmul":
        return
    act, other = operator_of(symbol), OTHERS[other]
    (x, v), _ = operands(symbol)
    if other is None:
        other = memoryview(np.asarray([3, 1, 2, 4]))
        with pytest.raises(TypeError) if symbol not in ("eq", "ne") else np.errstate():
            act(x, other)
        return
    if of_integers(symbol) and np.asarray(other).dtype.kind == "f":
        for left, right in ((x, other), (other, x)):
            with pytest.raises(TypeError):
                act(left, right)
        return
    with np.errstate(all="ignore"):
        check(act(x, other), act(v, other), ulps=4)
        check(act(other, x), act(other, v), ulps=4)


@pytest.mark.parametrize("symbol", IN_PLACE)
def test_in_place(symbol):
    act, plain = getattr(operator, "i" + symbol), operator_of(symbol)
    (x, v), (y, w) = operands(symbol)
    with np.errstate(all="ignore"):
        for other in (y, w, 3, [2, 1, 3, 1], x, y[0], True):
            mine, kept, view = x.copy(), x.copy(), x[:]
            expected = plain(x, other)
            same = mine
            assert act(mine, other) is same and bits(mine) == bits(expected)
            assert act(view, other) is view and bits(view) == bits(expected)
            assert bits(x) == bits(kept), "a view wrote through"
        mine = x.copy()
        expected = plain(mine, mine)
        assert bits(act(mine, mine)) == bits(expected)


def test_in_place_keeps_dtype_and_shape():
    x = fl.asarray([1, 2], dtype="int32")
    for other, error in (
        (1.5, TypeError),
        (1j, TypeError),
        ([1, 2, 3], ValueError),
        ([[1, 2], [3, 4]], ValueError),
        ("a", TypeError),
    ):
        with pytest.raises(error):
            x += other
    with pytest.raises(TypeError):
        x /= 2
    with pytest.raises(OverflowError, match="int32"):
        x += 2**40
    assert bits(x) == bits(fl.asarray([1, 2], dtype="int32"))


def test_in_place_of_shared_storage_copies():
    base = fl.arange(6)
    views = [base[2:], base[::-1], base.reshape(2, 3), base]
    before = [bits(v) for v in views]
    for i, x in enumerate(views):
        x += 10
        assert bits(x) != before[i]
        assert [bits(v) for j, v in enumerate(views) if j > i] == before[i + 1 :]
    assert base.tolist() == [10, 11, 12, 13, 14, 15] and views[0].tolist() == [12, 13, 14, 15]


def test_in_place_with_overlap():
    x = fl.asarray([1, 2, 3, 4, 5])
    x[1:] += x[:-1]
    assert x.tolist() == [1, 3, 5, 7, 9]
    x[::-1] += x
    assert x.tolist() == [10, 10, 10, 10, 10]
    part = x[1:]
    part += x[:-1]
    assert part.tolist() == [20] * 4 and x.tolist() == [10] * 5


def test_in_place_of_numpys_memory_copies():
    values = np.arange(4.0)
    x = fl.asarray(values)
    x *= 2
    assert values.tolist() == [0, 1, 2, 3] and x.tolist() == [0, 2, 4, 6]
    values += fl.ones(4)
    assert values.tolist() == [1, 2, 3, 4] and type(values) is np.ndarray


@pytest.mark.parametrize("symbol", UNARY)
def test_one_array(symbol):
    act = getattr(operator, symbol)
    for name in NAMES:
        for x, v in layouts(name):
            before = bits(x)
            try:
                with np.errstate(all="ignore"):
                    found, expected = act(x), np.abs(wide(v)) if symbol == "abs" else act(v)
            except TypeError:
                assert name == "bool" and symbol != "invert" or name in FLOATS + COMPLEX and symbol == "invert"
                continue
            check(found, expected, found.dtype.name, ulps=2)
            assert bits(x) == before and (symbol == "abs" or found.dtype.name == name)


def test_divmod_and_pow_with_modulus():
    (x, v), (y, w) = pair("int32", (3, 4), 1), pair("int32", (3, 4), 2)
    y, w = fl.where(y == 0, 5, y).astype("int32"), np.where(w == 0, 5, w).astype("int32")
    for left, right, a, b in ((x, y, v, w), (x, 3, v, 3), (7, y, 7, w), (x, [1, 2, 3, 4], v, np.asarray([1, 2, 3, 4]))):
        for found, expected in zip(divmod(left, right), divmod(a, b), strict=True):
            check(found, expected)
    with pytest.raises(TypeError):
        pow(x, 2, 3)
    with pytest.raises(TypeError):
        pow(2, x, 3)
    with pytest.raises(TypeError):
        divmod(x, "a")


def test_matmul_of_all_sorts():
    for left, right in (
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (3, 2)),
        ((4, 2, 3), (3, 2)),
        ((2, 1, 1, 3), (4, 3, 1)),
        ((0, 3), (3, 2)),
        ((2, 0), (0, 2)),
    ):
        for name in ("float64", "float32", "int64", "complex128"):
            (x, v), (y, w) = pair(name, left), pair(name, right, 2)
            check(x @ y, v @ w, ulps=16)
            if x.size:
                check(x @ w.tolist(), v @ np.asarray(w.tolist()), ulps=16)
                check(v.tolist() @ y, np.asarray(v.tolist()) @ w, ulps=16)
    for left, right in (((), (3,)), ((3,), ()), ((2, 3), (2, 3)), ((2, 2, 3), (3, 3, 2))):
        with pytest.raises(ValueError, match="matmul"):
            fl.ones(left) @ fl.ones(right)
    x = fl.eye(2)
    x @= [[2.0, 0.0], [0.0, 3.0]]
    assert x.tolist() == [[2, 0], [0, 3]]


class Friend:
    """Knows what to do with arrays, which do not know it."""

    def __radd__(self, other):
        return "radd", type(other)

    def __rmatmul__(self, other):
        return "rmatmul", type(other)

    def __rdivmod__(self, other):
        return "rdivmod", type(other)

    def __eq__(self, other):
        return "eq"

    def __lt__(self, other):
        return "lt"

    __hash__ = None


def test_others_get_their_turn():
    x, friend = fl.ones(2), Friend()
    assert x + friend == ("radd", fl.Array) and x @ friend == ("rmatmul", fl.Array)
    assert divmod(x, friend) == ("rdivmod", fl.Array)
    assert (x == friend) == "eq" and (x > friend) == "lt"
    y = x
    y += friend
    assert y == ("radd", fl.Array) and x.tolist() == [1, 1]


STRANGERS = [None, "text", b"text", {}, {1}, object(), lambda: 0, int, ...]


@pytest.mark.parametrize("stranger", STRANGERS, ids=lambda s: type(s).__name__)
def test_strangers_are_refused(stranger):
    x = fl.asarray([1, 2])
    for symbol in SYMBOLS:
        act = operator_of(symbol)
        with pytest.raises(TypeError, match="unsupported operand|only an integer"):
            act(x, stranger)
        # Text formats and bytes join whatever they are given.
        if symbol not in ("mod", "add") or not isinstance(stranger, str | bytes):
            with pytest.raises(TypeError):
                act(stranger, x)
    for symbol in ("lt", "le", "gt", "ge"):
        with pytest.raises(TypeError):
            getattr(operator, symbol)(x, stranger)
    assert (x == stranger) is False and (x != stranger) is True
    with pytest.raises(TypeError):
        x += stranger


def test_huge_integers_and_numbers_out_of_range():
    x = fl.asarray([1, 2], dtype="int8")
    for other in (200, -129, 2**70):
        for call in (lambda: x + other, lambda: other + x, lambda: x * other):
            with pytest.raises(OverflowError):
                call()
    assert (fl.asarray([1], dtype="uint64") + (2**64 - 1)).tolist() == [0]
    check(fl.asarray([1], dtype="int8") + 100, np.asarray([1], dtype="int8") + 100)


COMPARED = [-1, 0, 1, 127, 128, 255, 256, -128, -129, 2**63 - 1, 2**63, -(2**63), 2**64 - 1, 2**64, -(2**70), 10**40]


@pytest.mark.parametrize("name", INTEGERS)
def test_comparison_with_any_python_integer_is_exact(name):
    ends = np.iinfo(name)
    values = [int(ends.min), 0, 1, int(ends.max)]
    x = fl.asarray(values, dtype=name)
    for symbol in COMPARISONS:
        act = getattr(operator, symbol)
        for other in COMPARED:
            assert act(x, other).tolist() == [act(v, other) for v in values], other
            assert act(other, x).tolist() == [act(other, v) for v in values], other


@pytest.mark.parametrize("name", [n for n in NAMES if n != "bfloat16"])
def test_python_numbers_keep_the_arrays_width(name):
    x, v = pair(name, (5,), 1)
    for other in (True, 1, 0.5, 2j):
        for act in (operator.add, operator.mul):
            check(act(x, other), act(v, other), ulps=2)
            check(act(other, x), act(other, v), ulps=2)
    assert numpy_name(name) == name and numbers(name).dtype == name


def test_arrays_are_not_hashable_and_compare_element_by_element():
    x = fl.asarray([1, 2])
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)
    with pytest.raises(ValueError, match="truth"):
        bool(x == x)
    with pytest.raises(TypeError, match="deleted"):
        del x[0]
    assert (x == [1, 3]).tolist() == [True, False] and (x != np.asarray([1, 3])).tolist() == [False, True]
    assert ((x == 1) | (x == 2)).tolist() == [True, True] and (~(x == 1)).tolist() == [False, True]


VIEWS = [
    (lambda x, c: x[...],) * 2,
    (lambda x, c: x.T,) * 2,
    (lambda x, c: x[::-1] if x.ndim else x[()],) * 2,
    (lambda x, c: x[1:] if x.ndim and len(x) > 1 else x[...],) * 2,
    (lambda x, c: x[..., ::2] if x.ndim else x[...],) * 2,
    (lambda x, c: x[0] if x.ndim and len(x) else x[...],) * 2,
    (lambda x, c: x[None],) * 2,
    (lambda x, c: x.reshape(-1),) * 2,
    (lambda x, c: x.ravel()[:6],) * 2,
    (lambda x, c: x + 0,) * 2,
    (lambda x, c: x.copy(),) * 2,
    (lambda x, c: fl.broadcast_to(x, (2, *x.shape)), lambda v, c: np.broadcast_to(v, (2, *v.shape))),
    (lambda x, c: fl.asarray(np.asarray(x)), lambda v, c: v),
    (lambda x, c: fl.from_dlpack(x), lambda v, c: v),
    (lambda x, c: x.astype("int64"), lambda v, c: v),
]


def write(chance, x, values, other, numbers):
    """Changes an array of ours and NumPy's in the same way; the other pair is of any shape."""
    kind = chance.randrange(6)
    if kind == 0:
        x += 3
        values += 3
    elif kind == 1 and x.ndim and len(x):
        i = chance.randrange(len(x))
        x[i] = 7
        values[i] = 7
    elif kind == 2:
        x[x > 4] = 1
        values[values > 4] = 1
    elif kind == 3 and x.ndim:
        x[::-1] -= x
        values[::-1] -= values.copy()
    elif kind == 4 and numbers.shape == values.shape:
        assert fl.add(other, x, out=x) is x
        values += numbers
    elif kind == 5 and numbers.shape == values.shape[1:]:
        x[...] = other
        values[...] = numbers


@pytest.mark.parametrize("seed", range(5))
def test_arrays_are_values(seed):
    """Views, copies and writes by chance: each array is what it would be if every view were a copy."""
    chance = random.Random(seed)
    start = np.arange(24).reshape(2, 3, 4)
    pairs = [(fl.asarray(start), start.copy())]
    for _ in range(250):
        x, values = chance.choice(pairs)
        if chance.random() < 0.5:
            ours, numpys = chance.choice(VIEWS)
            if x.ndim < 5 and x.size < 500:
                pairs.append((ours(x, chance), np.array(numpys(values, chance))))
        else:
            write(chance, x, values, *chance.choice(pairs))
        if len(pairs) > 12:
            del pairs[chance.randrange(len(pairs))]
        for y, expected in pairs:
            check(y, expected)
    assert start.tolist() == np.arange(24).reshape(2, 3, 4).tolist()


CORNERS = [0, 1, -1, 2, 7, 127, -128, 255, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63), 2**64 - 1]
REAL_CORNERS = [0.0, -0.0, 0.5, -2.5, 1.0, 7.0, 1e300, -65504.0, np.inf, -np.inf, np.nan]
REAL = [name for name in IN_NUMPY if name not in COMPLEX]


def corners(name):
    """Numbers of a dtype at which arithmetic is hardest."""
    if name == "bool":
        return np.asarray([False, True])
    if name in FLOATS:
        with np.errstate(all="ignore"):
            return np.asarray(REAL_CORNERS).astype(name)
    ends = np.iinfo(name)
    return np.asarray([v for v in CORNERS if ends.min <= v <= ends.max], dtype=name)


@pytest.mark.parametrize("symbol", [s for s in SYMBOLS if s != "matmul"] + COMPARISONS)
def test_corner_cases(symbol):
    """Every pair of dtypes, every pair of hard numbers: overflow, division by zero, signs, shifts beyond the width."""
    act = operator_of(symbol)
    for one in REAL:
        for other in REAL:
            v, w = corners(one)[:, None], corners(other)
            if symbol == "pow" and one not in FLOATS and other not in FLOATS:
                w = np.abs(w[w >= 0]) if other != "bool" else w
            with np.errstate(all="ignore"):
                try:
                    expected = floor_divide(v, w) if symbol == "floordiv" else act(v, w)
                except TypeError:
                    expected = None
            try:
                found = act(fl.asarray(v), fl.asarray(w))
            except TypeError:
                assert expected is None or one == other == "bool"
                continue
            assert expected is not None
            check(found, expected, ulps=2)
