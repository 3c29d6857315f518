"""Functions that run as plans give the bits of the functions themselves."""

import inspect
import re
import threading
from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import freelane as fl


def sample(*shape, dtype=np.float64, seed=0):
    return np.random.default_rng(seed).uniform(-3, 3, shape).astype(dtype)


def same(found, wanted):
    """Arrays of one type, shape and bits."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    assert found.tobytes() == wanted.tobytes()


def agree(function, *arguments):
    """The function, jitted twice over, is the function."""
    jitted = fl.jit(function)
    wanted = function(*arguments)
    for _ in range(2):
        same(jitted(*arguments), wanted)
    return jitted


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.uint8])
def test_chains_have_the_bits_of_calls(dtype):
    x, y = (fl.asarray(np.abs(sample(37, 11, dtype=np.float64, seed=s)).astype(dtype)) for s in (1, 2))
    jitted = agree(lambda a, b: 2 * fl.sin(a) * fl.cos(b) + a * b, x, y)
    assert jitted.plans() == 1
    agree(lambda a, b: fl.where(a > b, a - b, b // (a + 1)) ** 2 - (-a) % 3, x, y)
    agree(lambda a, b: (1 / (a + 1)) - abs(b) + True, x, y)


def test_values_against_numpy():
    x, y = sample(50, 4), sample(4)
    jitted = fl.jit(lambda a, b: fl.sum((a - fl.mean(a, axis=0)) ** 2 * b, axis=1))
    np.testing.assert_allclose(jitted(x, y), ((x - x.mean(0)) ** 2 * y).sum(1), rtol=1e-13)
    assert isinstance(jitted(x, y), fl.Array), "NumPy arrays are inputs as they are for sessions"


def operations(graph):
    """The operations of a printed graph, without its constants."""
    return re.findall(r" = ([\w+]+)\(", graph)


def test_elementwise_chains_are_one_operation():
    x = fl.asarray(sample(8))
    assert operations(fl.jit(lambda a: fl.exp(a) * 2 + a - 1).graph(x)) == ["exp+multiply+add+subtract"]
    text = fl.jit(lambda a: fl.sum(fl.exp(a) * 2) + a).graph(x)
    assert "sum" in text and "exp+multiply" in text


def test_reductions_products_views_and_indexing():
    x = fl.asarray(sample(6, 8))
    w = fl.asarray(sample(8, 5))
    agree(lambda a: fl.softmax(a @ w + w[0, :5], axis=-1), x)
    agree(lambda a: a.T[::-1, None, 1:].mean(axis=-1).reshape(2, -1) * 2, x)
    agree(lambda a: fl.concat([a, a + 1, fl.zeros((6, 2))], axis=1)[..., -3:], x)
    agree(lambda a: a[fl.asarray([0, 2, 2])] + a[0], x)
    agree(lambda a: fl.stack([a[i] * i for i in range(a.shape[0])]), x)
    agree(lambda a: fl.sort(a, axis=0).astype(fl.float32).clip(-1, 1).cumulative_sum(axis=1), x)
    agree(lambda a: fl.linalg.norm(a.mT @ a) + fl.sum(fl.real(fl.fft.fft(a))), x)
    agree(lambda a: a.transpose(1, 0).flatten().max() - fl.asarray(a, dtype=fl.float32).min(), x)


def test_operators_with_numbers_arrays_and_numpy_on_either_side():
    a, b, n = fl.asarray(sample(5)), fl.asarray(sample(5, seed=1)), sample(5, seed=2)
    agree(lambda x: b + x - 1 + (2 - x) * b / (b - x), a)
    agree(lambda x: fl.asarray(n) * x + x * fl.asarray(n), a)
    same(fl.jit(lambda x: n * x)(a), n * np.asarray(a))
    agree(lambda x: (x < b) | (b >= x) ^ (x == 1) & ~(x != b), a)
    i = fl.arange(5)
    agree(lambda x: (x << 2) >> 1 | 5 & x ^ 3, i)


def test_shapes_types_and_ranks_steer_python():
    seen = []

    def function(x):
        seen.append((x.shape, x.ndim, x.size, x.dtype, len(x), x.device, x.itemsize, x.nbytes))
        return x.sum() if x.ndim > 1 else x * x.shape[0]

    jitted = fl.jit(function)
    for _ in range(3):
        same(jitted(fl.ones((2, 3))), np.float64(6))
        same(jitted(fl.ones(4, dtype=fl.float32)), np.full(4, 4, np.float32))
    assert seen == [
        ((2, 3), 2, 6, fl.float64, 2, "cpu", 8, 48),
        ((4,), 1, 4, fl.float32, 4, "cpu", 4, 16),
    ], "traced once for each signature"
    assert jitted.plans() == 2


def test_numbers_are_static_and_names_can_be():
    traced = []

    def power(x, n=2, *, how=None):
        traced.append(n)
        for _ in range(n - 1):
            x = x * x
        return how(x) if how else x

    jitted = fl.jit(power, static_argnames="how")
    x = fl.asarray([1.5, 2.0])
    for _ in range(2):
        same(jitted(x), power(x))
        same(jitted(x, 3), power(x, 3))
        same(jitted(x, n=3), power(x, 3))
        same(jitted(x, 3, how=fl.sqrt), power(x, 3, how=fl.sqrt))
    assert jitted.plans() == 4
    with pytest.raises(TypeError, match="static_argnames"):
        fl.jit(power)(x, how=fl.sqrt)
    with pytest.raises(TypeError, match="hashable"):
        jitted(x, how=[])
    with pytest.raises(ValueError, match="no parameter 'where'"):
        fl.jit(lambda x: x, static_argnames=["where"])


def test_a_bool_is_not_the_int_that_equals_it():
    jitted = fl.jit(lambda x, flag: x + 1 if flag is True else x - 1)
    x = fl.asarray([1.0])
    assert [float(jitted(x, flag)[0]) for flag in (True, 1, True, 1.0)] == [2.0, 0.0, 2.0, 0.0]


def test_trees_of_arguments_and_results():
    Pair = namedtuple("Pair", "a b")

    @fl.jit
    def function(state, options):
        x, (y,) = state["x"], state["rest"]
        return {"sum": x + y, "list": [x, None, (y * options["scale"],)], "pair": Pair(x - y, "text")}

    x, y = fl.asarray([1.0, 2.0]), np.asarray([3.0, 4.0])
    for _ in range(2):
        found = function({"x": x, "rest": (y,)}, {"scale": 2})
        assert list(found) == ["sum", "list", "pair"]
        same(found["sum"], [4.0, 6.0])
        assert found["list"][1] is None
        same(found["list"][2][0], [6.0, 8.0])
        assert isinstance(found["pair"], Pair) and found["pair"].b == "text"
        same(found["pair"].a, [-2.0, -2.0])
    with pytest.raises(TypeError, match="keys"):
        function({1: x}, {})


def test_functions_of_several_results():
    x = fl.asarray(sample(20))
    jitted = fl.jit(lambda x: (fl.modf(x * 2)[0] + 1, fl.unique_counts(fl.round(x)).counts * 2))
    for _ in range(2):
        same(jitted(x)[0], fl.modf(x * 2)[0] + 1)
        same(jitted(x)[1], fl.unique_counts(fl.round(x)).counts * 2)


def test_results_whose_length_elements_decide():
    jitted = fl.jit(lambda x: (x[x > 0] * 2, fl.sum(x[x > 0]), fl.nonzero(x > 0)[0] + 1))
    for seed in range(4):
        x = fl.asarray(sample(30, seed=seed))
        part, total, where = jitted(x)
        same(part, x[x > 0] * 2)
        same(total, fl.sum(x[x > 0]))
        same(where, fl.nonzero(x > 0)[0] + 1)
    assert jitted.plans() == 1
    with pytest.raises(fl.TraceError, match="x.shape"):
        fl.jit(lambda x: x[x > 0].shape)(x)


def test_nested_functions_closures_and_recursion():
    weights = fl.asarray(sample(4))
    inner = fl.jit(lambda x: x * weights + 1)

    @fl.jit
    def outer(x):
        return inner(inner(x)) - weights

    x = fl.asarray(sample(4, seed=3))
    same(outer(x), (((x * weights + 1) * weights) + 1) - weights)
    assert inner.plans() == 0, "an inner function becomes part of the outer one"
    assert len(operations(outer.graph(x))) == 1

    @fl.jit
    def halves(x):
        return x if x.shape[0] == 1 else halves(x[: x.shape[0] // 2]) + halves(x[x.shape[0] // 2 :])

    same(halves(x), (x[0:1] + x[1:2]) + (x[2:3] + x[3:4]))


def test_results_that_are_inputs_constants_or_no_arrays():
    x, c = fl.asarray([1.0, 2.0]), fl.asarray([5])
    jitted = fl.jit(lambda x: (x, x, c, 3, None, fl.ones_like(x), fl.zeros_like(x)))
    for _ in range(2):
        found = jitted(x)
        same(found[0], x)
        same(found[1], x)
        same(found[2], c)
        assert found[3:5] == (3, None)
        same(found[5], np.ones(2))
        same(found[6], np.zeros(2))
    found[0][0] = 9
    assert float(x[0]) == 1.0, "results are values"


def line_of(function, text):
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if text in line)


def test_elements_that_python_asks_for():
    x = fl.asarray([1.0, 2.0])
    cases = [
        (lambda x: x if x[0] > 0 else -x, "bool"),
        (lambda x: float(x[0]), "float"),
        (lambda x: int(x[0]), "int"),
        (lambda x: complex(x[0]), "complex"),
        (lambda x: [1, 2][x[0].astype(fl.int64)], "index"),
        (lambda x: x.item(), "item"),
        (lambda x: x.tolist(), "tolist"),
        (lambda x: [v for v in x], "for"),
        (lambda x: 1.0 in x, "in x"),
        (lambda x: np.asarray(x), "NumPy"),
        (lambda x: fl.reshape(x, (x[0].astype(fl.int64),)), "shape"),
        (lambda x: fl.sum(x, axis=x), "axis"),
    ]
    for function, what in cases:
        with pytest.raises(fl.TraceError, match=what) as raised:
            fl.jit(function)(x)
        assert issubclass(fl.TraceError, TypeError)
        if what not in ("axis", "shape"):
            assert f"test_jit.py:{function.__code__.co_firstlineno}" in str(raised.value)


def test_writing_is_refused_and_augmented_assignment_makes_new_arrays():
    def writes(x):
        x[0] = 1
        return x

    def adds(x):
        y = x
        y += 1
        y *= x
        return y

    x = fl.asarray([1.0, 2.0])
    with pytest.raises(fl.TraceError, match="fl.where") as raised:
        fl.jit(writes)(x)
    assert f"test_jit.py:{line_of(writes, 'x[0] = 1')}" in str(raised.value)
    same(fl.jit(adds)(x), [2.0, 6.0])
    same(x, [1.0, 2.0])
    with pytest.raises((fl.TraceError, TypeError)):
        fl.jit(lambda x: fl.sin(x, out=fl.empty(2)))(x)


def test_errors_of_operations_are_those_of_calls():
    x, y = fl.ones((2, 3)), fl.ones(4)
    for function in [lambda x, y: x + y, lambda x, y: x @ y, lambda x, y: fl.sum(x, axis=7), lambda x, y: x[5]]:
        with pytest.raises(Exception) as plain:
            function(x, y)
        with pytest.raises(type(plain.value)) as traced:
            fl.jit(function)(x, y)
        assert str(plain.value).splitlines()[0] in str(traced.value)


def test_errors_of_runs_name_the_line():
    def function(x):
        y = x * 2
        return fl.linalg.inv(y)

    jitted = fl.jit(function)
    same(jitted(fl.eye(2)), [[0.5, 0.0], [0.0, 0.5]])
    with pytest.raises(fl.linalg.LinAlgError if hasattr(fl.linalg, "LinAlgError") else ValueError) as raised:
        jitted(fl.zeros((2, 2)))
    assert f"test_jit.py:{line_of(function, 'linalg.inv')}, in function" in str(raised.value)


def test_traced_arrays_that_escape():
    kept = []
    fl.jit(lambda x: kept.append(x) or x)(fl.ones(3))
    with pytest.raises(fl.TraceError):
        float(kept[0][0])
    with pytest.raises(ValueError, match="another traced function"):
        fl.jit(lambda x: x + kept[0])(fl.ones(3))


def test_as_a_decorator_and_a_method():
    class Model:
        def __init__(self, scale):
            self.scale = fl.asarray(scale)

        @fl.jit
        def plain(x):
            """Doubles."""
            return x * 2

        @fl.jit(static_argnames=["self"])
        def __call__(self, x):
            return x * self.scale

    x = fl.asarray([1.0, 2.0])
    same(Model.plain(x), [2.0, 4.0])
    assert (Model.plain.__name__, Model.plain.__doc__) == ("plain", "Doubles.")
    three, four = Model(3.0), Model(4.0)
    for _ in range(2):
        same(three(x), [3.0, 6.0])
        same(four(x), [4.0, 8.0])
    assert "plain" in repr(Model.plain)
    with pytest.raises(TypeError, match="callable"):
        fl.jit(3)


def test_plans_are_bounded():
    jitted = fl.jit(lambda x, n: x + n)
    x = fl.asarray([1.0])
    for n in range(200):
        assert float(jitted(x, n)[0]) == 1.0 + n
    assert 1 <= jitted.plans() <= 64
    jitted.clear()
    assert jitted.plans() == 0
    same(jitted(x, 1), [2.0])


@pytest.mark.parametrize("shapes", [1, 3])
def test_threads(shapes):
    function = fl.jit(lambda x, w: fl.tanh(x @ w) * 2 + fl.sum(x, axis=1, keepdims=True))
    inputs = [(sample(4 + k, 6, seed=k), sample(6, 6, seed=9)) for k in range(shapes)]
    inputs = [(fl.asarray(x), fl.asarray(w)) for x, w in inputs]
    wanted = [np.asarray(fl.tanh(x @ w) * 2 + fl.sum(x, axis=1, keepdims=True)).tobytes() for x, w in inputs]
    gate, failures = threading.Barrier(8), []

    def work():
        mine = [(fl.asarray(np.asarray(x)), fl.asarray(np.asarray(w))) for x, w in inputs]
        gate.wait()
        for _ in range(40):
            for (x, w), bits in zip(mine, wanted):
                if np.asarray(function(x, w)).tobytes() != bits:
                    failures.append("bits")

    threads = [threading.Thread(target=work) for _ in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not failures
    assert function.plans() == shapes


def test_empty_and_scalar_arrays():
    agree(lambda x: fl.exp(x) * 2 + 1, fl.zeros((0, 3)))
    agree(lambda x: fl.exp(x) * 2 + 1, fl.asarray(0.5))
    agree(lambda x: x[::2, ::-1] + x[::2, :1], fl.asarray(sample(7, 5)))
    with pytest.raises(ValueError):
        fl.jit(lambda x: fl.max(x * 2))(fl.zeros(0))


def test_comparison_with_numbers_beyond_the_type():
    x = fl.asarray([1, -2], dtype=fl.int8)
    agree(lambda x: fl.where(x < 1000, x, 0), x)
    for function in [lambda x: x + 1000, lambda x: x * 2**70]:
        with pytest.raises(OverflowError):
            fl.jit(function)(x)


def test_what_looks_alike_is_told_apart():
    def mode(x, mode="sum", n=1):
        return x * n if mode == "sum" else x + n

    x = fl.asarray([2.0, 4.0])
    f = fl.jit(mode)
    same(f(x, "n", 3), [5.0, 7.0])
    same(f(x, n=3), [6.0, 12.0])
    first, second = namedtuple("First", "a b"), namedtuple("Second", "b a")
    g = fl.jit(lambda t: t.a - t.b)
    same(g(first(x, fl.ones(2))), [1.0, 3.0])
    same(g(second(x, fl.ones(2))), [-1.0, -3.0])
    with pytest.raises(AttributeError):
        g((x, fl.ones(2)))
    h = fl.jit(lambda x, s: x * s[0], static_argnames="s")
    assert str(h(x, (0.0,)).tolist()) == "[0.0, 0.0]" and str(h(x, (-0.0,)).tolist()) == "[-0.0, -0.0]"
    i = fl.asarray([2, 4])
    assert h(i, (1,)).dtype == fl.int64 and h(i, (1.0,)).dtype == fl.float64
    nans = [fl.asarray(s * float("nan")) for s in (1.0, -1.0)]
    agree(lambda x: fl.copysign(x, nans[0]) + fl.copysign(x, nans[1]), x)


def test_what_cannot_be_a_result_is_refused():
    x = fl.ones(2)
    for f in (lambda x: OrderedDict(a=x), lambda x: (x * i for i in range(2)), lambda x: {x.ndim}, lambda x: x.sum):
        with pytest.raises(TypeError, match="returned an object of type"):
            fl.jit(f)(x)


def test_in_place_operators_hold_to_type_and_shape():
    def adds(x, y):
        x += y
        return x

    f = fl.jit(adds)
    same(f(fl.ones(2), fl.ones(2)), [2.0, 2.0])
    for x, y in ((fl.ones(2, dtype="float32"), fl.ones(2)), (fl.asarray([1, 2]), 1.5), (fl.ones(2), fl.ones((3, 2)))):
        with pytest.raises(fl.TraceError, match=r"write x = x \+ y"):
            f(x, y)


def test_arrays_of_other_libraries_are_copied_when_traced():
    m, rows = np.ones(3), [np.ones(3), np.zeros(3)]
    f = fl.jit(lambda x: x * m + fl.exp(fl.asarray(m, copy=True)))
    g = fl.jit(lambda x: fl.stack([x, *rows]))
    x = fl.ones(3)
    before = f(x), g(x)
    m[:] = 7
    rows[0][:] = 7
    same(f(x), before[0])
    same(g(x), before[1])


def test_static_tuples_with_names_are_told_apart_by_bits():
    NT = namedtuple("NT", "v")
    f = fl.jit(lambda x, s: fl.copysign(x, s.v), static_argnames="s")
    same(f(fl.ones(2), NT(0.0)), [1.0, 1.0])
    same(f(fl.ones(2), NT(-0.0)), [-1.0, -1.0])
