"""Which dtype comes out, and which shapes go together."""

import itertools

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

from samples import IN_NUMPY, NAMES, bits, check, pair  # noqa: E402

PAIRS = list(itertools.product(IN_NUMPY, IN_NUMPY))


def test_two_dtypes_as_in_numpy():
    for one, other in PAIRS:
        expected = np.result_type(one, other).name
        forms = [
            (getattr(fl, one), getattr(fl, other)),
            (one, other),
            (np.dtype(one), np.dtype(other)),
            (fl.ones(2, dtype=one), getattr(fl, other)),
            (fl.ones(2, dtype=one), fl.ones((), dtype=other)),
            (fl.ones(2, dtype=one), np.ones(3, dtype=other)),
        ]
        for form in forms:
            assert fl.result_type(*form) is getattr(fl, expected), form
        assert fl.add(fl.ones(2, dtype=one), fl.ones(2, dtype=other)).dtype == expected


WITH_BFLOAT16 = {"bool": "bfloat16", "int8": "bfloat16", "uint8": "bfloat16", "bfloat16": "bfloat16"}
WITH_BFLOAT16 |= {
    "float16": "float32",
    "float32": "float32",
    "float64": "float64",
    "complex64": "complex64",
    "complex128": "complex128",
}


def test_bfloat16():
    for other, expected in WITH_BFLOAT16.items():
        assert fl.result_type("bfloat16", other) == fl.result_type(other, "bfloat16") == expected
    for other in ("int16", "uint16", "int32", "uint64"):
        assert fl.result_type("bfloat16", other).kind == "f"


def test_order_does_not_matter():
    for one, other in itertools.product(NAMES, NAMES):
        both = fl.result_type(one, other)
        assert both == fl.result_type(other, one) == fl.result_type(one, other, both) and (one != other or both == one)


NUMBERS = [True, 3, 2.5, 2j]


def test_python_numbers_give_way():
    for name in IN_NUMPY:
        for number in NUMBERS:
            expected = np.result_type(np.ones(2, dtype=name), number)
            assert fl.result_type(fl.ones(2, dtype=name), number) == expected.name
            assert fl.result_type(number, getattr(fl, name)) == expected.name
    for number, expected in zip(NUMBERS, ["bool", "int64", "float64", "complex128"]):
        assert fl.result_type(number) == expected
    assert fl.result_type(True, 3, 2.5) == fl.float64 and fl.result_type(3, 2j) == fl.complex128
    assert fl.result_type(fl.float32, 1, 2j) == fl.complex64 and fl.result_type("int8", 3, "uint8") == fl.int16


def test_result_type_needs_something():
    with pytest.raises(ValueError, match="at least one"):
        fl.result_type()
    for wrong in (("float33",), (None,), (fl.int8, object()), ({},)):
        with pytest.raises(TypeError):
            fl.result_type(*wrong)


def test_can_cast():
    for one, other in PAIRS:
        expected = np.can_cast(one, other)
        assert fl.can_cast(getattr(fl, one), getattr(fl, other)) is expected
        assert fl.can_cast(fl.ones(2, dtype=one), other) is expected
    assert (
        fl.can_cast("bfloat16", "float32")
        and not fl.can_cast("bfloat16", "float16")
        and not fl.can_cast("int16", "bfloat16")
    )
    for wrong in (
        lambda: fl.can_cast(fl.int8),
        lambda: fl.can_cast("x", "int8"),
        lambda: fl.can_cast(fl.int8, 3),
        lambda: fl.can_cast(from_=1, to=2),
    ):
        with pytest.raises(TypeError):
            wrong()


SHAPES = [
    [(3,)],
    [(3,), (1,)],
    [(), (2, 3)],
    [(2, 1), (3,)],
    [(4, 1, 3), (1, 2, 1), (3,)],
    [(0,), (1,)],
    [(5, 0), (1, 1)],
    [(), ()],
]
NO_SHAPES = [[(2,), (3,)], [(0,), (2,)], [(2, 3), (2, 4)], [(1, 2), (3, 1), (4,)]]


@pytest.mark.parametrize("shapes", SHAPES)
def test_shapes_that_go_together(shapes):
    expected = np.broadcast_shapes(*shapes)
    assert fl.broadcast_shapes(*shapes) == expected and fl.broadcast_shapes(*map(list, shapes)) == expected
    pairs = [pair("int32", shape, i) for i, shape in enumerate(shapes)]
    found = fl.broadcast_arrays(*[x for x, _ in pairs])
    assert type(found) is tuple
    for one, (_, values) in zip(found, pairs, strict=True):
        check(one, np.broadcast_to(values, expected))
    if len(shapes) == 2:
        check(fl.add(pairs[0][0], pairs[1][0]), pairs[0][1] + pairs[1][1])


@pytest.mark.parametrize("shapes", NO_SHAPES)
def test_shapes_that_do_not(shapes):
    arrays = [fl.zeros(shape) for shape in shapes]
    for call in (
        lambda: fl.broadcast_shapes(*shapes),
        lambda: fl.broadcast_arrays(*arrays),
        lambda: fl.add(arrays[0], sum(arrays[1:], arrays[-1])),
    ):
        with pytest.raises(ValueError, match="do not broadcast|does not broadcast"):
            call()


def test_one_or_none():
    assert fl.broadcast_shapes() == () and fl.broadcast_shapes(5, (1, 5)) == (1, 5)
    assert fl.broadcast_arrays() == () and fl.broadcast_arrays([1, 2])[0].tolist() == [1, 2]
    for wrong in (("a",), ((1.5,),), (None,), ((-1,),)):
        with pytest.raises((TypeError, ValueError)):
            fl.broadcast_shapes(*wrong)


def test_broadcast_arrays_are_values():
    x = fl.asarray([1, 2, 3])
    wide, _ = fl.broadcast_arrays(x, fl.zeros((2, 3)))
    before = bits(x)
    wide[0, 0] = 9
    assert wide.tolist() == [[9, 2, 3], [1, 2, 3]] and bits(x) == before
    x += 1
    assert wide.tolist()[1] == [1, 2, 3]
