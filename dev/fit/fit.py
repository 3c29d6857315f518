#!/usr/bin/env python3
"""Fits the polynomials of freelane-kernels and prints their Rust file.

    python3 -m venv venv && venv/bin/pip install mpmath==1.3.0
    venv/bin/python dev/fit/fit.py > crates/freelane-kernels/src/elementwise/math/coef.rs
    cargo fmt -p freelane-kernels

Method: interpolation at Chebyshev nodes in 60-digit arithmetic of a function chosen so that the leading term of the
series is exact; where the weight of an error varies much over the range (erfc), weighted least squares on eight times as
many nodes. Both come within a small factor of the best polynomial, which is all that is asked for: the tests beside the
functions bound the error of the whole function, rounding included. Running it twice gives the same file.
"""
from mpmath import (atanh, cos, erf, erfc, exp, expm1, floor, log, log1p, lu_solve, matrix, mp, mpf, nint, nstr, pi, sin,
                    sqrt, tanh)

mp.dps = 60
DIGITS = {"f32": 12, "f64": 20}
out = []


def nodes(a, b, n):
    return [(a + b) / 2 + (b - a) / 2 * cos(pi * (2 * i + 1) / (2 * n)) for i in range(n)]


def interpolate(g, a, b, degree):
    xs = nodes(a, b, degree + 1)
    c = lu_solve(matrix([[x**j for j in range(degree + 1)] for x in xs]), matrix([g(x) for x in xs]))
    return list(c)


def least_squares(g, weight, a, b, degree, centre):
    xs = nodes(a, b, 8 * (degree + 1))
    rows = matrix([[weight(x) * (x - centre)**j for j in range(degree + 1)] for x in xs])
    c = lu_solve(rows, matrix([weight(x) * g(x) for x in xs]))
    return list(c)


def words(value, count, bits):
    """value as a sum of floats of so many bits."""
    parts = []
    for _ in range(count):
        scale = mpf(2)**(bits - 1 - floor(log(abs(value), 2)))
        parts.append(nint(value * scale) / scale)
        value -= parts[-1]
    return parts


def short(value, bits):
    """A head of so many bits after the point, so that its product with a small integer is exact, and the rest."""
    head = nint(value * mpf(2)**bits) / mpf(2)**bits
    return [head, value - head]


def emit(name, ty, values, doc):
    for line in doc.strip().split("\n"):
        out.append(f"/// {line.strip()}")
    body = ", ".join(nstr(v, DIGITS[ty]) for v in values)
    out.append(f"pub(super) const {name}: [{ty}; {len(values)}] = [{body}];")


def fit(name, doc, g, a, b, degrees):
    for ty, degree in degrees.items():
        where = f"Interpolated at {degree + 1} Chebyshev nodes over [{nstr(a, 5)}, {nstr(b, 5)}]."
        emit(f"{name}_{ty[1:]}", ty, interpolate(g, a, b, degree), f"{doc}\n{where}")


TINY = mpf(10)**-30
t = (pi / 2 * mpf("1.002"))**2
fit("SIN", "`(sin r - r) / r^3`, in `t = r^2`, for `|r| <= pi / 2`.",
    lambda t: (sin(sqrt(t)) - sqrt(t)) / sqrt(t)**3 if t > TINY else -mpf(1) / 6, mpf(0), t, {"f32": 4, "f64": 7})

for ty, bits in (("f32", 24), ("f64", 53)):
    emit(f"PI_{ty[1:]}", ty, words(+pi, 3, bits), "pi in three words.")

print("//! Coefficients. Written by `dev/fit/fit.py`, which says how; edit that.")
print("#![allow(clippy::excessive_precision, clippy::approx_constant, clippy::unreadable_literal)]")
print("\n".join(out))
