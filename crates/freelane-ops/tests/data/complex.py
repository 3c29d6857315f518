#!/usr/bin/env python3
"""Writes complex.txt: what functions of complex numbers are, by NumPy and mpmath.

    python3 -m venv venv && venv/bin/pip install numpy mpmath
    venv/bin/python complex.py > complex.txt

A line is a function, a number and its value, parts in hexadecimal. Values at zeros, infinities and NaN are those of NumPy,
which takes them from a C library that follows Annex G of the C standard; where that leaves a sign open, `?` stands before
the part. The other values are mpmath's, with 300 bits, rounded.
"""
import itertools
import math

import mpmath as mp
import numpy as np

INF, NAN = math.inf, math.nan
SPECIAL = [0.0, -0.0, INF, -INF, NAN]
OTHER = [1.0, -2.0]
ORDINARY = [(0.6, 0.8), (-0.7, 0.71), (1e-5, -3e-7), (12.0, 7.5), (-3.25, 0.5), (0.9999, 1e-3), (1.5, -20.0), (-2.5, -1e-9),
            (1e-9, 1.0), (250.0, 99.0)]
NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh"}
PRECISE = {
    "exp": mp.exp, "log": mp.log, "sqrt": mp.sqrt, "sin": mp.sin, "cos": mp.cos, "tan": mp.tan, "sinh": mp.sinh,
    "cosh": mp.cosh, "tanh": mp.tanh, "asin": mp.asin, "acos": mp.acos, "atan": mp.atan, "asinh": mp.asinh,
    "acosh": mp.acosh, "atanh": mp.atanh, "log1p": lambda z: mp.log(1 + z), "log2": lambda z: mp.log(z) / mp.log(2),
    "log10": lambda z: mp.log(z) / mp.log(10), "expm1": lambda z: mp.exp(z) - 1, "sign": lambda z: z / abs(z),
    "reciprocal": lambda z: 1 / z, "square": lambda z: z * z,
}
# What Annex G says nothing of, or what NumPy computes by formulas of its own.
OWN = {"expm1", "sign", "reciprocal", "square"}


def open_signs(name, z):
    """Which parts have a sign that the standard leaves open."""
    unbounded = {"exp": z.imag, "sinh": z.imag, "cosh": z.imag, "tanh": z.imag, "sin": z.real, "cos": z.real, "tan": z.real}
    free = name in unbounded and not math.isfinite(unbounded[name])
    return free, free or (name in ("cosh", "cos", "tanh", "tan") and (math.isnan(z.real) or math.isnan(z.imag)))


def line(name, z, value, free):
    parts = [f"{'?' if open and not math.isnan(x) else ''}{float(x).hex()}" for x, open in zip((value.real, value.imag), free)]
    print(name, float(z.real).hex(), float(z.imag).hex(), *parts)


np.seterr(all="ignore")
mp.mp.prec = 300
for name, precise in PRECISE.items():
    for re, im in itertools.product(SPECIAL + OTHER, repeat=2):
        if name not in OWN and (re in SPECIAL or im in SPECIAL or math.isnan(re) or math.isnan(im)):
            z = complex(re, im)
            value = getattr(np, NAMES.get(name, name))(np.array([z]))[0]
            if name == "tanh" and math.isinf(re):
                # The array API standard keeps the sign, Annex G takes that of sin(2 im).
                value = complex(value.real, math.copysign(0.0, im))
            if name == "tan" and math.isinf(im):
                value = complex(math.copysign(0.0, re), value.imag)
            line(name, z, value, open_signs(name, z))
    for re, im in ORDINARY:
        with mp.workprec(1200):
            line(name, complex(re, im), complex(precise(mp.mpc(re, im))), (False, False))
