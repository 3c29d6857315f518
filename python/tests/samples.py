"""Arrays of every dtype and layout beside the same in NumPy, and the comparison of the two.

NumPy has no bfloat16: its samples are float32 with values that both hold exactly.
"""

import gc
import inspect
import time

import numpy as np

import freelane as fl

# Whether this NumPy sorts downwards too.
KNOWS_DESCENDING = "descending" in inspect.signature(np.sort).parameters
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTEGERS = SIGNED + UNSIGNED
HALVES = ["float16", "bfloat16"]
FLOATS = HALVES + ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
NAMES = ["bool"] + INTEGERS + FLOATS + COMPLEX
IN_NUMPY = [name for name in NAMES if name != "bfloat16"]
EPS = {"bfloat16": 2.0**-7, "float16": 2.0**-10, "float32": 2.0**-23, "float64": 2.0**-52}
EPS |= {"complex64": EPS["float32"], "complex128": EPS["float64"]}

_PATTERNS = {
    "b": [1, 0, 1, 1, 0, 0, 1],
    "u": [3, 0, 1, 5, 2, 7, 4, 1],
    "i": [3, -2, 0, 1, -5, 7, 2, -1, 4],
    "f": [0.5, -0.75, 3.0, 0.0, 1.0, -2.5, 0.25, -1.0, 1.5, -0.0, 2.0, 0.125, 6.0],
    "c": [0.5 + 1j, -0.75, 3j, 1.5 - 0.5j, -2 - 1j, 0.25 + 0.25j, 2.0, -1j, 1 + 2j],
}
_SPECIAL = [np.inf, -np.inf, np.nan]


def floor_divide(a, b, **options):
    """NumPy's, with the standard's answer where an infinity is divided or divides: the floor of the plain quotient."""
    quotient = np.floor_divide(a, b, **options)
    if quotient.dtype.kind != "f":
        return quotient
    a, b = np.asarray(a).astype(quotient.dtype), np.asarray(b).astype(quotient.dtype)
    return np.where(np.isinf(a) | np.isinf(b), np.floor(np.true_divide(a, b)), quotient).astype(quotient.dtype)


def numpy_name(name):
    """NumPy's dtype that holds the values of ours."""
    return "float32" if name == "bfloat16" else name


def wide(values):
    """The same numbers in the widest type of their kind."""
    kind = {"f": "float64", "c": "complex128"}.get(values.dtype.kind)
    return values.astype(kind) if kind else values


def numbers(name, shape=(67,), shift=0, special=False):
    """Numbers of a dtype as a NumPy array; another shift gives others."""
    dtype = np.dtype(numpy_name(name))
    pattern = _PATTERNS[dtype.kind] + (_SPECIAL if special and dtype.kind == "f" else [])
    size = int(np.prod(shape))
    flat = np.resize(np.roll(np.asarray(pattern), shift), size)
    return flat.astype(dtype).reshape(shape)


def pair(name, shape=(67,), shift=0, special=False):
    """An array of ours and NumPy's with the same elements."""
    values = numbers(name, shape, shift, special)
    return fl.asarray(values, dtype=name), values


def layouts(name, shift=0, special=False):
    """Pairs of equal arrays: dense, reversed, with gaps, transposed, broadcast, empty, without axes."""
    line, plane = pair(name, (67,), shift, special), pair(name, (4, 5), shift, special)
    views = [lambda x: x, lambda x: x[::-1], lambda x: x[1::3], lambda x: x[4:4], lambda x: x[5]]
    views2 = [
        lambda x: x,
        lambda x: x.T,
        lambda x: x[::-1, 1:4],
        lambda x: x[:, ::-2],
        lambda x: x[:0],
        lambda x: x[None],
    ]
    found = [tuple(view(x) for x in line) for view in views] + [tuple(view(x) for x in plane) for view in views2]
    x, values = plane
    return found + [(fl.broadcast_to(x[0], (3, 5)), np.broadcast_to(values[0], (3, 5)))]


def to_numpy(x):
    """The elements of an array of ours in NumPy."""
    return np.asarray(x.astype(fl.float32) if x.dtype == fl.bfloat16 else x)


def check(found, expected, dtype=None, ulps=0):
    """Same shape, dtype and elements; floats may differ by some units in the last place, NaN equals NaN."""
    expected = np.asarray(expected)
    assert type(found) is fl.Array
    assert found.shape == expected.shape, (found.shape, expected.shape)
    dtype = dtype or expected.dtype.name
    assert found.dtype == dtype, (found.dtype, dtype)
    got = to_numpy(found)
    with np.errstate(all="ignore"):
        expected = expected.astype(got.dtype)
        if ulps and dtype in EPS:
            near = ulps * EPS[dtype]
            np.testing.assert_allclose(wide(got), wide(expected), rtol=near, atol=near / 8)
        else:
            np.testing.assert_array_equal(got, expected)


def bits(x):
    """The bytes of the elements in row-major order."""
    return (
        x.dtype.name,
        x.shape,
        bytes(memoryview(x.copy()).cast("B")) if x.size and x.dtype != fl.bfloat16 else repr(x),
    )


def collected(*refs):
    """Whether what weak references point at goes. A collection does nothing while another thread's is under way."""
    for _ in range(500):
        gc.collect()
        if not any(ref() is not None for ref in refs):
            return True
        time.sleep(0.005)
    return False
