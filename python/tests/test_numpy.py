"""NumPy's functions, ufuncs and operators over our arrays: NumPy's results, as arrays of ours."""

import operator
import subprocess
import sys

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

A = np.array([[3.0, -1.0, 2.5], [0.5, 4.0, -2.0]])
B = np.array([[1.0, 2.0, -3.0], [2.0, 0.25, 1.0]])
N = np.array([[3, 1, 2], [5, 4, 0]])
M = A > 0
VECTOR = np.array([1.0, -2.0, 0.5])


def ours(value):
    """The same arguments with our arrays."""
    if isinstance(value, np.ndarray):
        return fl.asarray(value)
    if isinstance(value, (list, tuple)):
        return type(value)(ours(v) for v in value)
    if isinstance(value, dict):
        return {k: ours(v) for k, v in value.items()}
    return value


def check(got, want):
    if isinstance(want, (list, tuple)) and any(isinstance(w, np.ndarray) for w in want):
        assert len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            check(g, w)
    elif isinstance(want, (np.ndarray, np.generic)):
        assert type(got) is fl.Array
        assert tuple(got.shape) == want.shape and np.asarray(got).dtype == want.dtype
        np.testing.assert_allclose(np.asarray(got), want, rtol=1e-14)
    else:
        assert type(got) is type(want) and got == want


def agrees(function, *args, **kwargs):
    check(function(*ours(args), **ours(kwargs)), function(*args, **kwargs))


CALLS = [
    (np.sum, A),
    (np.sum, A, 0),
    (np.sum, A, dict(axis=(0, 1), keepdims=True)),
    (np.sum, N, dict(dtype="f4")),
    (np.sum, A, dict(where=M)),
    (np.sum, A, dict(axis=1, initial=10.0)),
    (np.prod, A, dict(axis=-1)),
    (np.mean, A, dict(axis=0)),
    (np.mean, N),
    (np.std, A),
    (np.std, A, dict(axis=1, ddof=1)),
    (np.var, A, dict(axis=0, keepdims=True)),
    (np.max, A, dict(axis=0)),
    (np.amax, A),
    (np.min, A, dict(axis=1, keepdims=True)),
    (np.argmax, A),
    (np.argmax, A, dict(axis=1)),
    (np.argmin, A, 0),
    (np.any, M, dict(axis=0)),
    (np.all, M),
    (np.count_nonzero, M, dict(axis=1)),
    (np.concatenate, [A, B]),
    (np.concatenate, [A, N], dict(axis=1)),
    (np.concatenate, [A, B], dict(axis=None)),
    (np.concatenate, [N, N], dict(dtype="f8")),
    (np.stack, [A, B], dict(axis=-1)),
    (np.vstack, [A, B]),
    (np.hstack, [A, B]),
    (np.where, M, A, B),
    (np.where, M, A, 0.0),
    (np.where, M),
    (np.transpose, A),
    (np.transpose, A, (1, 0)),
    (np.swapaxes, A, 0, 1),
    (np.moveaxis, A, 0, 1),
    (np.reshape, A, (3, 2)),
    (np.reshape, A, -1),
    (np.reshape, A, (3, 2), dict(order="F")),
    (np.ravel, A),
    (np.broadcast_to, A, (4, 2, 3)),
    (np.broadcast_arrays, A, VECTOR),
    (np.take, A, np.array([1, 0]), dict(axis=0)),
    (np.take, A, [0, 2], dict(axis=1)),
    (np.take, A, [[0, 5]]),
    (np.squeeze, A[None, :, None]),
    (np.squeeze, A[None], 0),
    (np.expand_dims, A, 1),
    (np.expand_dims, A, (0, 2)),
    (np.flip, A, 1),
    (np.flip, A),
    (np.matmul, A, B.T),
    (np.dot, A, VECTOR),
    (np.dot, A, 2.0),
    (np.dot, A, np.ones((2, 3, 4))),
    (np.tensordot, A, B, dict(axes=([0, 1], [0, 1]))),
    (np.einsum, "ij,ij->i", A, B),
    (np.einsum, "ij,kj", A, B),
    (np.copy, A),
    (np.shape, A),
    (np.ndim, A),
    (np.size, A),
    (np.size, A, 1),
    (np.zeros_like, N),
    (np.ones_like, A, dict(dtype="i4")),
    (np.zeros_like, A, dict(shape=(2,))),
    (np.full_like, N, 7.9),
    (np.full_like, A, 2, dict(shape=(1, 2), dtype=complex)),
    (np.array_equal, A, A),
    (np.array_equal, A, B),
    (np.allclose, A, A + 1e-12),
    (np.isclose, A, A + 1e-12),
    (np.round, A),
    (np.round, A, 1),
    (np.clip, A, -1, 2),
    (np.clip, A, None, 2),
    (np.clip, A, dict(min=0.0)),
    (np.astype, A, "f4"),
    (np.cumsum, A, dict(axis=1)),
    (np.sort, A, dict(axis=0)),
    (np.unique, N),
    (np.percentile, A, 30),
    (np.linalg.norm, A),
    (np.linalg.inv, A[:, :2]),
    (np.fft.rfft, A),
    (np.pad, A, 1),
    (np.nansum, A),
    (np.interp, VECTOR, np.arange(3.0), np.arange(3.0)),
    (np.result_type, A, N),
    (np.linspace, VECTOR, 2.0, 3),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call[0].__name__)
def test_functions(call):
    function, *args = call
    kwargs = args.pop() if isinstance(args[-1], dict) else {}
    agrees(function, *args, **kwargs)


def test_empty_like():
    x = np.empty_like(fl.asarray(N), dtype="f4", shape=(5, 6))
    assert type(x) is fl.Array and tuple(x.shape) == (5, 6) and x.dtype == fl.float32


UNARY = "absolute arcsinh arctan ceil conjugate cos exp expm1 fabs floor isfinite isnan negative positive rint sign sin \
square tanh trunc cbrt degrees spacing".split()
BINARY = "add subtract multiply true_divide floor_divide remainder arctan2 hypot maximum minimum copysign greater \
less_equal not_equal logical_and logical_xor fmax logaddexp nextafter".split()


@pytest.mark.parametrize("name", UNARY)
def test_unary_ufuncs(name):
    if name == "conjugate" and not hasattr(fl, "conj"):
        check(np.conjugate(fl.asarray(A)), A)
    agrees(getattr(np, name), A)


@pytest.mark.parametrize("name", BINARY)
def test_binary_ufuncs(name):
    ufunc = getattr(np, name)
    agrees(ufunc, A, B)
    agrees(ufunc, A, 2.0)
    agrees(ufunc, 2, VECTOR)
    check(ufunc(fl.asarray(A), B), ufunc(A, B))
    check(ufunc(A, fl.asarray(B)), ufunc(A, B))
    check(ufunc([[1.0, 2.0, 3.0]], fl.asarray(B)), ufunc([[1.0, 2.0, 3.0]], B))


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "invert", "left_shift", "right_shift", "gcd", "bitwise_count"])
def test_integer_ufuncs(name):
    ufunc = getattr(np, name, None) or pytest.skip(f"this NumPy has no {name}")
    agrees(ufunc, *(N, N % 3)[: ufunc.nin])


def test_ufuncs_of_several_results():
    agrees(np.divmod, N, 2)
    agrees(np.modf, A)
    agrees(np.frexp, A)


@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or])
def test_reduce(ufunc):
    agrees(ufunc.reduce, A)
    agrees(ufunc.reduce, A, axis=None)
    agrees(ufunc.reduce, A, axis=1, keepdims=True)


def test_other_methods_of_ufuncs():
    agrees(np.add.reduce, N, dtype="f4")
    agrees(np.add.accumulate, A, axis=1)
    agrees(np.subtract.outer, VECTOR, A)
    agrees(np.subtract.reduce, A)
    agrees(np.add.reduceat, VECTOR, [0, 1])
    with pytest.raises(TypeError, match=r"numpy.add.at .*numpy.array\(x\)"):
        np.add.at(fl.zeros(3), [0], 1.0)


def test_ufunc_keywords():
    agrees(np.add, N, N, dtype="f8")
    x = fl.zeros((2, 3))
    assert np.add(fl.asarray(A), B, where=M, out=x) is x and (np.asarray(x)[M] == (A + B)[M]).all()
    agrees(np.multiply, A, B, casting="same_kind")


OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow]
COMPARISONS = [operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge]


@pytest.mark.parametrize("op", OPERATORS + COMPARISONS, ids=lambda op: op.__name__)
def test_operators_between_the_two(op):
    a = np.abs(A)
    for other in (np.abs(B), np.abs(VECTOR), np.float32(2), np.int8(3), np.float64(0.5), np.array(2.0), [1.0, 2.0, 3.0]):
        check(op(fl.asarray(a), other), op(a, other))
        if not isinstance(other, list):
            check(op(other, fl.asarray(a)), op(other, a))


def test_scalars_of_numpy_have_a_width():
    x = fl.ones(2, dtype=fl.float32)
    assert (x * 2.0).dtype == fl.float32 and (x * np.float64(2)).dtype == fl.float64
    assert (np.float64(2) * x).dtype == fl.float64 and (x * np.float16(2)).dtype == fl.float32


def test_matmul_between_the_two():
    for got in (fl.asarray(A) @ B.T, A @ fl.asarray(B.T)):
        check(got, A @ B.T)


def test_in_place_between_the_two():
    a, x = A.copy(), fl.asarray(A)
    a += fl.asarray(B)
    assert type(a) is np.ndarray and (a == A + B).all()
    x *= B
    check(x, A * B)


def test_out():
    a, x = np.zeros((2, 3)), fl.zeros((2, 3))
    assert np.add(fl.asarray(A), B, out=a) is a and (a == A + B).all()
    assert np.add(fl.asarray(A), B, out=x) is x and (np.asarray(x) == A + B).all()
    assert np.spacing(fl.asarray(A), out=x) is x and (np.asarray(x) == np.spacing(A)).all()
    total = np.zeros(3)
    assert np.sum(fl.asarray(A), axis=0, out=total) is total and (total == A.sum(0)).all()
    y = fl.zeros(3)
    assert np.sum(fl.asarray(A), axis=0, out=y) is y and (np.asarray(y) == A.sum(0)).all()
    with pytest.raises(ValueError, match="shape"):
        np.add(fl.asarray(A), B, out=fl.zeros(3))
    with pytest.raises(ValueError, match="shape"):
        np.sum(fl.asarray(A), out=fl.zeros(3))


def test_out_leaves_other_arrays():
    x = fl.zeros((2, 3))
    before = x[...]
    np.add(fl.asarray(A), 1.0, out=x)
    assert (np.asarray(before) == 0).all()


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.copyto(x, 1.0),
        lambda x: np.put(x, [0], 1.0),
        lambda x: np.putmask(x, [True, False, False], 1.0),
        lambda x: np.place(x, [True, False, False], 1.0),
        lambda x: np.fill_diagonal(x, 1.0),
    ],
)
def test_functions_that_write_are_refused(call):
    x = fl.zeros(3)
    with pytest.raises(TypeError, match=r"numpy\.\w+ writes .* numpy.array\(x\)"):
        call(x)
    assert np.asarray(x).tolist() == [0, 0, 0]


def test_array():
    x = fl.asarray(A)
    view = x.__array__()
    assert np.shares_memory(view, np.asarray(x)) and not view.flags.writeable
    assert x.__array__(np.dtype("f4")).dtype == "f4"
    copied = x.__array__(copy=True)
    assert copied.flags.writeable and not np.shares_memory(copied, view)
    assert np.array(x).flags.writeable and np.asarray(x, dtype="i8").dtype == "i8"
    with pytest.raises(ValueError, match="copy"):
        x.__array__(np.dtype("f4"), copy=False)
    with pytest.raises(ValueError):
        np.asarray(x, dtype="f4", copy=False)


def test_array_interface():
    class Only:
        def __init__(self, x):
            self.__array_interface__ = x.__array_interface__

    for x in (fl.asarray(A), fl.asarray(A).T, fl.asarray(M)[:, ::-1], fl.zeros(()), fl.zeros((0, 3)), fl.asarray(N)[1:]):
        b = np.asarray(Only(x))
        assert b.shape == tuple(x.shape) and b.dtype == np.asarray(x).dtype and (b == np.asarray(x)).all()
    assert not hasattr(fl.zeros(2).astype(fl.bfloat16), "__array_interface__")
    assert fl.zeros(2).__array_priority__ > 0


class Image:
    """Describes its shape to NumPy, and offers its elements in a row to Arrow."""

    def __init__(self, **description):
        self.__array_interface__ = dict(version=3, shape=(2, 3), typestr="|u1", data=bytes(range(6))) | description

    def __arrow_c_array__(self, requested_schema=None):
        raise AssertionError("has one axis only")


def test_images_keep_their_shape():
    assert np.asarray(fl.asarray(Image())).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert tuple(fl.asarray(Image(shape=(0, 3), data=b"")).shape) == (0, 3)
    for lie in (Image(strides=(2**62, 1)), Image(strides=(3, -1)), Image(data=(id(Image), True)), Image(shape=(7,))):
        with pytest.raises((ValueError, TypeError)):
            fl.asarray(lie)


def test_objects_that_convert():
    class Converts:
        def __array__(self, dtype=None, copy=None):
            return np.arange(6).reshape(2, 3)

    assert np.asarray(fl.asarray(Converts())).tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises((TypeError, ValueError)):
        fl.asarray(type("Odd", (), {"__array__": lambda self, dtype=None, copy=None: 1})())


@pytest.mark.alone("starts a process, in which nobody has imported ml_dtypes")
def test_bfloat16_has_no_counterpart():
    code = """
import numpy as np, freelane as fl
x = fl.ones(2).astype(fl.bfloat16)
assert np.asarray(x, dtype="f8").tolist() == [1, 1] and not hasattr(x, "__array_interface__")
try:
    np.asarray(x)
except TypeError as error:
    assert "astype" in str(error)
else:
    raise AssertionError
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_dtypes_are_numpys():
    for name in "bool int8 uint64 float16 float32 complex128".split():
        dtype = getattr(fl, name)
        assert np.dtype(dtype) == np.dtype(name) and fl.zeros(1, dtype=np.dtype(name)).dtype == dtype
        assert np.zeros(1, dtype=dtype).dtype == name
        assert dtype == np.dtype(name) and np.dtype(name) == dtype


def test_other_types_have_their_say():
    class Other:
        __array_ufunc__ = None

        def __add__(self, other):
            return "other"

        __radd__ = __add__

    class Claims:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return "claimed"

        def __array_function__(self, func, types, args, kwargs):
            return "claimed"

    x = fl.ones(2)
    assert x + Other() == "other" and Other() + x == "other"
    assert np.add(x, Claims()) == "claimed" and np.concatenate([x, Claims()]) == "claimed"
    with pytest.raises(TypeError):
        np.add(x, object())


def test_errors_are_ours():
    with pytest.raises(ValueError, match="broadcast"):
        np.add(fl.zeros(2), fl.zeros(3))
    with pytest.raises((ValueError, IndexError)):
        np.sum(fl.zeros(2), axis=5)
    with pytest.raises(TypeError):
        np.add(fl.zeros(2), np.array(["a", "b"]))


@pytest.mark.parametrize("copy", [True, False])
def test_nan_to_num_writes_into_its_argument_only_when_asked(copy):
    x = fl.asarray([np.nan, 1.5, np.inf, -np.inf])
    other = x[:2]
    found = np.nan_to_num(x, copy=copy, nan=7.0, neginf=-3.0)
    largest = np.finfo(float).max
    assert type(found) is fl.Array and np.asarray(found).tolist() == [7.0, 1.5, largest, -3.0]
    assert (found is x) is not copy and np.isnan(np.asarray(other)[0])
    assert np.isnan(np.asarray(x)[0]) == copy
