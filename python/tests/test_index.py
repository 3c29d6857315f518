"""`x[...]` and `x[...] = value`: every kind of index beside NumPy, by tables and by chance."""

import random

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

from samples import NAMES, bits, check, layouts, pair  # noqa: E402

SHAPES = [(), (0,), (1,), (6,), (3, 4), (4, 0), (2, 3, 4), (1, 5, 1), (2, 2, 3, 2)]
MISSING = object()


def some_slice(chance, length):
    def end():
        return chance.choice([None, chance.randint(-length - 2, length + 2)])

    return slice(end(), end(), chance.choice([None, 1, 1, 2, -1, -2, 3, -(length + 1)]))


def some_numbers(chance, length):
    shape = chance.choice([(1,), (2,), (3,), (2, 2), (1, 3), (0,), ()])
    count = int(np.prod(shape))
    return np.asarray([chance.randrange(-length, length) for _ in range(count)], dtype="int64").reshape(shape)


def some_mask(chance, shape):
    return np.asarray([chance.random() < 0.5 for _ in range(int(np.prod(shape)))], dtype=bool).reshape(shape)


def as_given(chance, values):
    """An index array in one of the forms that are taken: for us, and for NumPy."""
    form = chance.choice(["ours", "ours", "numpy", "list"] if values.ndim and values.size else ["ours", "numpy"])
    if form == "list":
        return values.tolist(), values
    if values.dtype != bool and chance.random() < 0.3:
        values = values.astype(chance.choice(["int8", "int32"]))
    return (fl.asarray(values) if form == "ours" else values), values


def some_index(chance, shape):
    """An index that mostly fits the shape, in our form and in NumPy's."""
    ours, numpys, axis = [], [], 0
    ellipsis = False
    while axis < len(shape) and chance.random() < 0.85:
        length = shape[axis]
        kind = chance.choice(["int", "slice", "slice", "none", "ellipsis", "numbers", "mask", "mask2", "bool", "far"])
        if kind == "int" and length:
            i = chance.randrange(-length, length)
            item = (chance.choice([i, np.int8(i), fl.asarray(i)]), i)
        elif kind == "none":
            item, axis = (None, None), axis - 1
        elif kind == "ellipsis" and not ellipsis:
            ellipsis, item = True, (..., ...)
            axis += chance.randint(0, len(shape) - axis) - 1
        elif kind == "numbers" and length:
            item = as_given(chance, some_numbers(chance, length))
        elif kind == "mask":
            item = as_given(chance, some_mask(chance, (length,)))
        elif kind == "mask2" and axis + 1 < len(shape):
            item = as_given(chance, some_mask(chance, shape[axis : axis + 2]))
            axis += 1
        elif kind == "bool" and chance.random() < 0.3:
            item, axis = (chance.choice([(True, True), (False, False)])), axis - 1
        elif kind == "far" and chance.random() < 0.1:
            item = (length + 1, length + 1)
        else:
            item = (some_slice(chance, length),) * 2
        ours.append(item[0])
        numpys.append(item[1])
        axis += 1
    if len(ours) == 1 and chance.random() < 0.7 and not isinstance(ours[0], tuple):
        return ours[0], numpys[0]
    return tuple(ours), tuple(numpys)


@pytest.mark.parametrize("seed", range(8))
def test_get_by_chance(seed):
    chance = random.Random(seed)
    agreed = 0
    for _ in range(250):
        name, shape = chance.choice(NAMES), chance.choice(SHAPES)
        x, values = pair(name, shape, chance.randrange(5))
        if chance.random() < 0.3 and len(shape) > 1:
            x, values = x.T, values.T
        index, numpys = some_index(chance, values.shape)
        before = bits(x)
        try:
            expected = values[numpys]
        except IndexError:
            with pytest.raises(IndexError):
                x[index]
            continue
        found = x[index]
        check(found, expected, name)
        found += found.copy()
        assert bits(x) == before
        agreed += 1
    assert agreed > 150


@pytest.mark.parametrize("seed", range(8))
def test_set_by_chance(seed):
    chance = random.Random(1000 + seed)
    agreed = 0
    for _ in range(250):
        name, shape = chance.choice(["int32", "float64", "bool", "uint8", "complex64"]), chance.choice(SHAPES)
        x, values = pair(name, shape, chance.randrange(5))
        values = values.copy()
        if chance.random() < 0.3 and len(shape) > 1:
            x, values = x.T, values.T
        index, numpys = some_index(chance, values.shape)
        held, before = x[...], bits(x)
        try:
            target = values[numpys].shape
        except IndexError:
            with pytest.raises(IndexError):
                x[index] = True
            assert bits(x) == before
            continue
        given, value = some_value(chance, name, target)
        values[numpys] = value
        x[index] = given
        check(x, values)
        assert bits(held) == before, "a view saw a write"
        agreed += 1
    assert agreed > 150


def some_value(chance, name, shape):
    """A value that broadcasts to a shape: a number, an array of ours, NumPy's, or a list."""
    form = chance.choice(["number", "ours", "numpy", "list", "row", "gaps"])
    if form == "number":
        number = chance.choice([True, False]) if name == "bool" else chance.choice([0, 1, 7])
        return number, number
    if form == "row" and shape:
        shape = (1,) * chance.randint(0, len(shape) - 1) + shape[-1:]
    if form == "gaps" and shape:
        wide, values = pair(name, shape[:-1] + (2 * shape[-1],), 3)
        return wide[..., ::2], values[..., ::2]
    given, values = pair(name, shape, 3)
    return {"numpy": values, "list": values.tolist() if values.size else given}.get(form, given), values


@pytest.mark.parametrize("name", NAMES)
def test_basic_indices_of_all_layouts(name):
    for x, values in layouts(name):
        for index in (..., (), None, slice(None), slice(None, None, -1), slice(1, None, 2), (..., None), (None, ...)):
            if values.ndim or not isinstance(index, slice):
                check(x[index], values[index], name)
        if values.ndim and len(values):
            for i in (0, -1, len(values) - 1):
                check(x[i], values[i], name)


X = fl.share(fl.asarray([[1, 2, 3], [4, 5, 6]]))
WRONG = [
    (2, IndexError, "2 is out of range for axis 0 of length 2"),
    (-3, IndexError, "-3"),
    ((0, 3), IndexError, "axis 1 of length 3"),
    ((0, 0, 0), IndexError, "3 indices for an array of 2 axes"),
    ((..., ...), IndexError, "one ellipsis"),
    ("a", IndexError, "str"),
    (1.0, IndexError, "float64"),
    (np.float32(1), IndexError, "float"),
    (1j, IndexError, "complex"),
    ({}, IndexError, "dict"),
    (object(), IndexError, "object"),
    ([0.5], IndexError, "float64"),
    ([0, 2], IndexError, "2 is out of range"),
    ([[0, 1], [0]], IndexError, None),
    ([True], IndexError, "boolean index of length 1"),
    ([True, False, True], IndexError, "length 3 does not fit axis 0 of length 2"),
    ((slice(None), [True, False]), IndexError, "length 2 does not fit axis 1 of length 3"),
    (([0, 1], [0, 1, 2]), IndexError, "do not broadcast"),
    (slice(None, None, 0), ValueError, "step cannot be zero"),
    (slice(0.5, None), TypeError, "integer"),
    (slice("a", None), TypeError, "integer"),
    (10**30, IndexError, None),
    (-(10**30), IndexError, None),
    ([2**63], IndexError, None),
    (fl.asarray([2**64 - 1], dtype="uint64"), IndexError, None),
]


@pytest.mark.parametrize("index, error, message", WRONG, ids=[str(i) for i in range(len(WRONG))])
def test_wrong_indices(index, error, message):
    x, before = fl.asarray([[1, 2, 3], [4, 5, 6]]), bits(X)
    with pytest.raises(error, match=message):
        x[index]
    with pytest.raises(error, match=message):
        x[index] = 0
    assert bits(x) == before


def test_slices_beyond_the_edges():
    assert X[-(10**30) : 10**30 : 1].shape == (2, 3) and X[10**30 :].shape == (0, 3) and X[:: 10**30].shape == (1, 3)
    x = fl.arange(5)
    assert x[:: -(10**30)].tolist() == [4] and x[100:-100:-1].tolist() == [4, 3, 2, 1, 0]
    assert x[np.int64(1) : fl.asarray(4) : np.uint8(2)].tolist() == [1, 3]


class Position:
    """What has `__index__`."""

    def __init__(self, i, act=lambda: None):
        self.i, self.act = i, act

    def __index__(self):
        self.act()
        return self.i


def test_whatever_has_an_index():
    x = fl.arange(10)
    assert x[Position(3)].item() == 3 and x[Position(2) : Position(8) : Position(3)].tolist() == [2, 5]
    x[Position(-1)] = 99
    assert x[-1].item() == 99 and X[Position(1), Position(2)].item() == 6
    with pytest.raises(ZeroDivisionError):
        x[Position(0, lambda: 1 / 0)]
    with pytest.raises(ZeroDivisionError):
        x[: Position(0, lambda: 1 / 0)] = 1


def test_an_index_that_writes_to_the_array():
    """Python code runs before the array is borrowed."""
    x = fl.arange(4)

    def act():
        x[0] += 10

    x[Position(1, act)] = 5
    assert x[0].item() >= 10 and x[1].item() == 5
    assert x[Position(0, act)].item() >= 20


VALUES = [
    (7, [7, 7, 7]),
    (True, [1, 1, 1]),
    ([7, 8, 9], [7, 8, 9]),
    ((7,), [7, 7, 7]),
    ([[7, 8, 9]], [7, 8, 9]),
    (fl.asarray([7, 8, 9], dtype="int16"), [7, 8, 9]),
    (fl.asarray(7, dtype="uint8"), [7, 7, 7]),
    (np.asarray([7, 8, 9], dtype="int32"), [7, 8, 9]),
    (np.int8(7), [7, 7, 7]),
    (range(7, 10), [7, 8, 9]),
]


@pytest.mark.parametrize("value, row", VALUES, ids=[str(i) for i in range(len(VALUES))])
def test_values(value, row):
    for name in ("int64", "float32", "complex128"):
        x = fl.zeros((2, 3), dtype=name)
        x[1] = value
        assert x.tolist() == [[0, 0, 0], row]
        x[[True, False]] = value
        x[..., ::-1][0]
        assert x.tolist() == [row, row] and x.dtype == name


@pytest.mark.parametrize("name", ["uint8", "int8", "uint64", "int32"])
def test_lists_of_integers_fit_any_integer_array(name):
    x = fl.zeros(3, dtype=name)
    x[:] = [1, 2, 3]
    x[[0, 2]] = (7, 100)
    assert x.tolist() == [7, 2, 100]
    big = 2 ** (8 * x.itemsize)
    for value in ([1, big, 2], big, [[-big]]):
        with pytest.raises(OverflowError):
            x[:] = value
    assert x.tolist() == [7, 2, 100]


WRONG_VALUES = [
    ("a", TypeError),
    (None, TypeError),
    ({}, TypeError),
    ([1, 2], ValueError),
    ([[1], [2]], ValueError),
    ([[1, 2], [3]], ValueError),
    (1.5, TypeError),
    (1j, TypeError),
    ([1.5, 2.5, 3.5], TypeError),
    (2**70, OverflowError),
    (2**40, OverflowError),
]


@pytest.mark.parametrize("value, error", WRONG_VALUES, ids=[str(v[0]) for v in WRONG_VALUES])
def test_wrong_values_change_nothing(value, error):
    x = fl.asarray([[1, 2, 3], [4, 5, 6]], dtype="int32")
    before = bits(x)
    for index in (0, [0], [True, False], (slice(0, 1),)):
        with pytest.raises(error):
            x[index] = value
    assert bits(x) == before


def test_the_array_is_its_own_value():
    x = fl.arange(6)
    x[:] = x[::-1]
    assert x.tolist() == [5, 4, 3, 2, 1, 0]
    x[1:] = x[:-1]
    assert x.tolist() == [5, 5, 4, 3, 2, 1]
    x[...] = x
    x[[0, 1, 2]] = x[3:]
    assert x.tolist() == [3, 2, 1, 3, 2, 1]
    x[x > 2] = x[:2]
    assert x.tolist() == [3, 2, 1, 2, 2, 1]
    y = fl.asarray([2, 0, 1])
    y[y] = y
    assert y.tolist() == [0, 1, 2]


def test_later_values_win_where_an_index_repeats():
    x = fl.zeros(3, dtype="int64")
    x[[0, 0, 2, 0]] = [1, 2, 3, 4]
    assert x.tolist() == [4, 0, 3]
    x[[1, 1]] += 5
    assert x.tolist() == [4, 5, 3]


def test_writing_to_a_selection_of_a_shared_storage():
    base = fl.zeros((3, 4))
    rows = [base[i] for i in range(3)]
    for i, row in enumerate(rows):
        row[i] = i + 1
    assert fl.sum(base).item() == 0 and [r.tolist()[i] for i, r in enumerate(rows)] == [1, 2, 3]
    wide = fl.broadcast_to(fl.asarray([1, 2]), (3, 2))
    wide[0, 0] = 9
    assert wide.tolist() == [[9, 2], [1, 2], [1, 2]]


def test_numpys_memory_is_not_written():
    values = np.arange(6).reshape(2, 3)
    x = fl.asarray(values)
    x[0] = -1
    x[x > 4] = 0
    assert values.tolist() == [[0, 1, 2], [3, 4, 5]] and x.tolist() == [[-1, -1, -1], [3, 4, 0]]
    values.flags.writeable = False
    fl.asarray(values)[0, 0] = 5
    assert values[0, 0] == 0


def test_large_selections():
    """As small ones, which run attached to the interpreter."""
    x, values = fl.arange(300_000), np.arange(300_000)
    where = np.random.default_rng(3).integers(-300_000, 300_000, 200_000)
    check(x[where], values[where])
    mask = values % 3 == 0
    check(x[mask], values[mask])
    x[where] = 7
    values[where] = 7
    check(x, values)


def test_deep_and_odd_indices():
    x = fl.zeros((1,) * 64)
    assert x[(0,) * 64].shape == () and x[(slice(None),) * 64].ndim == 64
    with pytest.raises(ValueError, match="64"):
        x[None]
    with pytest.raises(IndexError):
        x[(0,) * 65]
    with pytest.raises((IndexError, ValueError)):
        x[(None,) * 1000]
    assert X[()] is not X and bits(X[()]) == bits(X)
    nested = [0]
    nested.append(nested)
    with pytest.raises((IndexError, ValueError)):
        X[nested]


def test_a_mask_takes_whole_numbers():
    mask = fl.zeros(3, dtype=fl.bool)
    mask[0], mask[1:] = 1, 0
    assert mask.tolist() == [True, False, False]
    whole = fl.zeros(2, dtype=fl.int64)
    with pytest.raises(TypeError, match="float64"):
        whole[0] = 1.5
