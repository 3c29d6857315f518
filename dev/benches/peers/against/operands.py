"""Operands of the cases: flat values in NumPy, and the same layout of them in both libraries."""
import math
from dataclasses import dataclass
from typing import Callable

import numpy as np

DTYPES = {
    "b": ["bool"],
    "i": ["int32", "int64"],
    "f": ["float32", "float64"],
    "c": ["complex64", "complex128"],
}
COLUMNS = 64


@dataclass(frozen=True)
class Operand:
    """How an operand is made: `values(rng, count, dtype)`; a fixed one keeps its layout and `count(n)` elements."""

    values: Callable
    fixed: bool = False
    count: Callable = lambda n: n


def within(low, high):
    """Numbers of the case's dtype, even over a range."""

    def values(rng, count, dtype):
        kind = np.dtype(dtype).kind
        if kind == "b":
            return rng.random(count) < 0.5
        if kind in "iu":
            return rng.integers(math.ceil(low), math.floor(high), count, endpoint=True).astype(dtype)
        real = rng.uniform(low, high, count)
        return (real + 1j * rng.uniform(low, high, count) if kind == "c" else real).astype(dtype)

    return values


def of(dtype, low, high):
    """As `within`, of one dtype whatever the case's is."""
    return lambda rng, count, _dtype: within(low, high)(rng, count, dtype)


def repeating(fraction):
    """Integers of which each occurs `fraction` times, in the case's dtype."""

    def values(rng, count, dtype):
        if np.dtype(dtype).kind == "b":
            return rng.random(count) < 0.5
        return rng.integers(0, max(count // fraction, 2), count).astype(dtype)

    return values


def increasing(rng, count, dtype):
    return np.sort(within(-1e6, 1e6)(rng, count, dtype))


def positions(rng, count, _dtype):
    return rng.integers(0, count, count)


def square(kind):
    """Square matrices with about as many elements: `normal`, `symmetric`, `definite` (conditions stay small)."""

    def values(rng, count, dtype):
        m = math.isqrt(count)
        a = within(-1.0, 1.0)(rng, m * m, dtype).reshape(m, m)
        if kind == "symmetric":
            a = (a + a.conj().T) / 2
        if kind == "definite":
            a = a @ a.conj().T / m + np.eye(m)
        if kind == "regular":
            a = a + np.eye(m) * math.sqrt(m)
        return a.astype(dtype)

    return values


def shaped(*shape):
    """Of one shape, whatever n is."""
    return lambda rng, _count, dtype: within(-1.0, 1.0)(rng, math.prod(shape), dtype).reshape(shape)


def rows_of(width):
    """(n / width, width)."""
    return lambda rng, count, dtype: within(-10.0, 10.0)(rng, max(count // width, 1) * width, dtype).reshape(-1, width)


def laid_out(operand, place, last, n, layout, dtype, rng):
    """The values of one operand, and what a library makes of them with its own slices."""
    count = operand.count(n)
    same = lambda a: a  # noqa: E731
    table = lambda a: a.reshape((-1, COLUMNS))  # noqa: E731
    if operand.fixed or layout == "contiguous":
        return operand.values(rng, count, dtype), same
    if layout == "strided":
        twice = operand.values(rng, 2 * count, dtype)
        return twice, lambda a: a[::2]
    if layout == "strided matrix":
        fourfold = operand.values(rng, 4 * count, dtype)
        return fourfold, lambda a: a[::2, ::2]
    if layout == "transposed":
        return operand.values(rng, count, dtype), lambda a: a.T
    rows = max(count // COLUMNS, 2) * COLUMNS
    if layout == "broadcast":
        return (operand.values(rng, COLUMNS, dtype), same) if place == last else (operand.values(rng, rows, dtype), table)
    return operand.values(rng, rows, dtype), table


def operands(case, n, layout, dtype, seed=0):
    """Pairs by name: values, and the function that lays them out."""
    rng = np.random.default_rng(seed)
    last = len(case.operands) - 1
    return {
        name: laid_out(operand, i, last if last else -1, n, layout, dtype, rng)
        for i, (name, operand) in enumerate(case.operands.items())
    }
