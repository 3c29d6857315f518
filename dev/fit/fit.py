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
from mpmath import (asin, atan, atanh, besseli, cos, cosh, erf, erfc, exp, expm1, floor, log, log1p, lu_solve, matrix, mp,
                    mpf, nint, nstr, pi, sin, sinh, sqrt, tan)

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


def number(v, ty):
    return nstr(v, DIGITS[ty])


def pair(name, values, doc):
    """Coefficients for either width."""
    for line in doc.strip().split("\n"):
        out.append(f"/// {line.strip()}")
    fields = ", ".join(f"{ty}: &[{', '.join(number(v, ty) for v in values[ty])}]" for ty in ("f32", "f64"))
    out.append(f"pub(super) const {name}: Both = Both {{ {fields} }};")


def fit_pair(name, doc, g, a, b, degrees):
    counts = " and ".join(str(degrees[ty] + 1) for ty in ("f32", "f64"))
    where = f"Interpolated at {counts} Chebyshev nodes over [{nstr(a, 5)}, {nstr(b, 5)}]."
    pair(name, {ty: interpolate(g, a, b, d) for ty, d in degrees.items()}, f"{doc}\n{where}")


def rational(g, a, b, top, bottom):
    """Coefficients but the first, which is 1, of a numerator and a denominator whose quotient meets `g` at the nodes."""
    xs = nodes(a, b, top + bottom)
    rows = matrix([[x**j for j in range(1, top + 1)] + [-g(x) * x**j for j in range(1, bottom + 1)] for x in xs])
    c = list(lu_solve(rows, matrix([g(x) - 1 for x in xs])))
    return c[:top], c[top:]


TINY = mpf(10)**-30
t = (pi / 2 * mpf("1.002"))**2
fit("SIN", "`(sin r - r) / r^3`, in `t = r^2`, for `|r| <= pi / 2`.",
    lambda t: (sin(sqrt(t)) - sqrt(t)) / sqrt(t)**3 if t > TINY else -mpf(1) / 6, mpf(0), t, {"f32": 4, "f64": 7})

half_ln2 = log(2) / 2 * mpf("1.001")
fit("EXP", "`(e^r - 1 - r) / r^2`, in `r`, for `|r| <= ln 2 / 2`.",
    lambda r: (exp(r) - 1 - r) / r**2 if abs(r) > TINY else mpf(1) / 2, -half_ln2, half_ln2, {"f32": 4, "f64": 9})

# log m = 2 atanh s with s = (m - 1) / (m + 1), for m from sqrt(1/2) to sqrt(2).
z = ((sqrt(2) - 1) / (sqrt(2) + 1))**2 * mpf("1.001")
fit("LOG", "`(2 atanh s - 2 s) / s^3`, in `z = s^2`, for `|s| <= (sqrt 2 - 1) / (sqrt 2 + 1)`.",
    lambda z: (2 * atanh(sqrt(z)) - 2 * sqrt(z)) / sqrt(z)**3, mpf(0), z, {"f32": 2, "f64": 6})
# Powers: m from sqrt(1/2) to sqrt(2) times the sixteenths nearest a polynomial near 1 / m is 1 + f.
low, high, first = sqrt(mpf(1) / 2), sqrt(mpf(2)), mpf(44) / 16
fit("RECIPROCAL", f"`(1 / m - {nstr(first, 5)}) / m`, for `m` from sqrt(1/2) to sqrt(2).", lambda m: (1 / m - first) / m, low, high,
    {"f32": 1, "f64": 1})
emit("RECIPROCAL_FIRST", "f64", [first], "What is added to `m` times the polynomial for `1 / m`.")
f = mpf("0.047")
fit("LOG_POW", "`(ln(1 + f) - f + f^2 / 2) / f^3`, for the `f` that `RECIPROCAL_64` leaves.",
    lambda f: (log1p(f) - f + f * f / 2) / f**3 if abs(f) > TINY else mpf(1) / 3, -f, f, {"f64": 9})
fit("LOG2_POW", "`(log2(1 + f) - (f - f^2 / 2) / ln 2) / f^3`, for the `f` that `RECIPROCAL_32` leaves.",
    lambda f: (log1p(f) - f + f * f / 2) / f**3 / log(2) if abs(f) > TINY else 1 / log(2) / 3, -f, f, {"f32": 4})
for name, ty, bits, unit, doc in (("LOG_SIXTEENTHS", "f64", 42, 1, "-ln"), ("LOG2_SIXTEENTHS", "f32", 15, log(2), "-log2")):
    parts = zip(*(short(-log(mpf(i if i > 8 else i + 16) / 16) / unit, bits) for i in range(16)))
    for part, values in zip(("HIGH", "LOW"), parts):
        emit(f"{name}_{part}", ty, values, f"`{doc} k/16` at `k` modulo 16, for `k` from 9 to 24: its {part.lower()} word; an exponent added to the high one is exact.")

t = (pi / 4 * mpf("1.002"))**2
tans = {ty: rational(lambda t: tan(sqrt(t)) / sqrt(t), mpf(0), t, *n) for ty, n in {"f32": (1, 2), "f64": (3, 3)}.items()}
where = f"Meets it at Chebyshev nodes over [0, {nstr(t, 5)}]; the first coefficient, not stored, is 1."
pair("TAN_TOP", {ty: c[0] for ty, c in tans.items()}, f"Numerator of `tan r / r`, in `t = r^2`, for `|r| <= pi / 4`.\n{where}")
pair("TAN_BOTTOM", {ty: c[1] for ty, c in tans.items()}, "Denominator of `tan r / r`, as its numerator.")

fit_pair("ASIN", "`(asin s - s) / s^3`, in `z = s^2`, for `s <= 1/2`.",
         lambda z: (asin(sqrt(z)) - sqrt(z)) / sqrt(z)**3, mpf(0), mpf("0.2501"), {"f32": 4, "f64": 11})
fit_pair("ATAN", "`(atan s - s) / s^3`, in `z = s^2`, for `s <= 1/2`.",
         lambda z: (atan(sqrt(z)) - sqrt(z)) / sqrt(z)**3, mpf(0), mpf("0.2501"), {"f32": 4, "f64": 11})
fit_pair("SINH", "`(sinh r - r) / r^3`, in `t = r^2`, for `|r| <= ln 2 / 2`.",
         lambda t: (sinh(sqrt(t)) - sqrt(t)) / sqrt(t)**3, mpf(0), half_ln2**2, {"f32": 2, "f64": 5})
fit_pair("COSH", "`(cosh r - 1) / r^2`, in `t = r^2`, for `|r| <= ln 2 / 2`.",
         lambda t: (cosh(sqrt(t)) - 1) / t, mpf(0), half_ln2**2, {"f32": 2, "f64": 5})
fit_pair("ATANH", "`(2 atanh(w / 2) - w) / w^3`, in `z = w^2`, for `|w| <= 0.406`.",
         lambda z: (2 * atanh(sqrt(z) / 2) - sqrt(z)) / sqrt(z)**3, mpf(0), mpf("0.406")**2, {"f32": 2, "f64": 7})
fit("CBRT", "`m^(-1/3)`, in `m - 1`, for `m` from sqrt(1/2) to sqrt(2).",
    lambda f: (1 + f)**(-mpf(1) / 3), sqrt(mpf(1) / 2) - 1, sqrt(2) - 1, {"f64": 4})
fit("CBRT_STEP", "`((1 - h)^(-2/3) - 1) / h`, for what a third of the bits of a float leaves.",
    lambda h: ((1 - h)**(-mpf(2) / 3) - 1) / h if abs(h) > TINY else mpf(2) / 3, -mpf("0.1026"), mpf("0.1026"), {"f32": 5})
low, high = sqrt(mpf(1) / 2) - 1 - mpf("1e-4"), sqrt(2) - 1 + mpf("1e-4")
fit("LOG_DIRECT", "`(ln(1 + f) - f) / f^2`, for `1 + f` from sqrt(1/2) to sqrt(2).",
    lambda f: (log1p(f) - f) / f**2 if abs(f) > TINY else -mpf(1) / 2, low, high, {"f32": 8})
fit("LOG2_DIRECT", "`log2(1 + f) / f`, over the range of `LOG_DIRECT_32`.",
    lambda f: log1p(f) / f / log(2) if abs(f) > TINY else 1 / log(2), low, high, {"f32": 9})
fit("LOG10_DIRECT", "`log10(1 + f) / f`, over the range of `LOG_DIRECT_32`.",
    lambda f: log1p(f) / f / log(10) if abs(f) > TINY else 1 / log(10), low, high, {"f32": 9})
fit_pair("EXP2", "`(2^r - 1) / r`, for `|r| <= 1/2`.",
         lambda r: expm1(r * log(2)) / r if abs(r) > TINY else log(2), -mpf("0.5001"), mpf("0.5001"), {"f32": 5, "f64": 11})

fit("ERF", "`erf x / x - 1`, in `t = x^2`, for `|x| <= 1`.",
    lambda t: erf(sqrt(t)) / sqrt(t) - 1, mpf(0), mpf(1), {"f32": 6, "f64": 12})
for ty, end, degree, centre, floor_at in (("f64", "6", 19, "2.5", 8), ("f32", "4", 8, "2", 6)):
    c = least_squares(lambda x: -log(erfc(x)), lambda x: erfc(x) + mpf(10)**-floor_at, mpf(1), mpf(end), degree, mpf(centre))
    emit(f"ERFC_{ty[1:]}", ty, c, f"""`-ln erfc x`, in `x - {centre}`.
    Least squares over [1, {end}] with the weight `erfc x + 1e-{floor_at}`.""")

# e^(z^2) erfc z, in u = (z - k) / (z + k), so that z from 0 to 39 is u from -1 to nearly 1.
k = mpf("3.5")
out.append("/// The `z` in the middle of `ERFCX`.")
out.append(f"pub(super) const ERFCX_MIDDLE: f64 = {nstr(k, 5)};")


def erfcx(u):
    z = k * (1 + u) / (1 - u)
    return exp(z * z) * erfc(z) * (z + k)


fit_pair("ERFCX", f"`e^(z^2) erfc z (z + k)`, in `u = (z - k) / (z + k)`, `k = {nstr(k, 5)}`, for `z` from 0.49 to 39.",
         erfcx, (mpf("0.49") - k) / (mpf("0.49") + k), (39 - k) / (39 + k), {"f32": 11, "f64": 21})

# log(a / b) with a / b within 2^0.6 of a power of two, which two subtracted exponents find.
s = (mpf(2)**mpf("0.6") - 1) / (mpf(2)**mpf("0.6") + 1)
fit_pair("LOGIT", "`(2 atanh s - 2 s) / s^3`, in `z = s^2`, for `|s|` up to that of a quotient of 2^0.6.",
         lambda z: (2 * atanh(sqrt(z)) - 2 * sqrt(z)) / sqrt(z)**3, mpf(0), s**2 * mpf("1.01"), {"f32": 3, "f64": 7})
fit_pair("SINC", "`(sin(pi r) / (pi r) - 1) / t`, in `t = r^2`, for `|r| <= 1/2`.",
         lambda t: (sin(pi * sqrt(t)) / (pi * sqrt(t)) - 1) / t if t > TINY else -pi**2 / 6, mpf(0), mpf("0.2501"),
         {"f32": 4, "f64": 8})
fit_pair("BESSEL_NEAR", "`(I0(x) - 1) / a`, in `a = x^2 / 4`, for `x` from 0 to 8.",
         lambda a: (besseli(0, 2 * sqrt(a)) - 1) / a if a > TINY else mpf(1), mpf(0), mpf(16), {"f32": 9, "f64": 15})
fit_pair("BESSEL_FAR", "`sqrt(x) e^-x I0(x)`, in `u = 1 / x`, for `x` from 8 on.",
         lambda u: sqrt(1 / u) * exp(-1 / u) * besseli(0, 1 / u), mpf(0), mpf("0.125"), {"f32": 7, "f64": 23})

for ty, bits in (("f32", 24), ("f64", 53)):
    emit(f"PI_{ty[1:]}", ty, words(+pi, 3, bits), "pi in three words.")
    emit(f"LN2_{ty[1:]}", ty, words(log(2), 2, bits), "ln 2 in two words.")
for ty, bits in (("f32", 15), ("f64", 42)):
    emit(f"LN2_SHORT_{ty[1:]}", ty, short(log(2), bits), "ln 2 in two words; an exponent times the first is exact.")
    emit(f"LOG10_2_SHORT_{ty[1:]}", ty, short(log(2) / log(10), bits), "log10 2 in two words, as those of ln 2.")
emit("LOG2_E_32", "f32", words(1 / log(2), 2, 24), "1 / ln 2 in two words.")
emit("LOG2_E_64", "f64", words(1 / log(2), 2, 53), "1 / ln 2 in two words.")
emit("LOG10_E_64", "f64", words(1 / log(10), 2, 53), "1 / ln 10 in two words.")
pair("PI_QUARTERS", {ty: [w / 4 for w in words(+pi, 2, bits)] for ty, bits in (("f32", 24), ("f64", 53))}, "pi / 4 in two words.")

print("//! Coefficients. Written by `dev/fit/fit.py`, which says how; edit that.")
print("#![allow(clippy::excessive_precision, clippy::approx_constant, clippy::unreadable_literal)]")
print("use super::real::Both;")
print("\n".join(out))
