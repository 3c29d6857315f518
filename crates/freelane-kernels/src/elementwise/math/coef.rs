//! Coefficients. Written by `dev/fit/fit.py`, which says how; edit that.
#![allow(clippy::excessive_precision, clippy::approx_constant, clippy::unreadable_literal)]
/// `(sin r - r) / r^3`, in `t = r^2`, for `|r| <= pi / 2`.
/// Interpolated at 5 Chebyshev nodes over [0.0, 2.4773].
pub(super) const SIN_32: [f32; 5] =
    [-0.166666666638, 0.00833333275972, -0.000198410843718, 2.7536298331e-6, -2.40763730702e-8];
/// `(sin r - r) / r^3`, in `t = r^2`, for `|r| <= pi / 2`.
/// Interpolated at 8 Chebyshev nodes over [0.0, 2.4773].
pub(super) const SIN_64: [f64; 8] = [
    -0.16666666666666666632,
    0.0083333333333333153751,
    -0.00019841269841254614414,
    2.7557319219066356026e-6,
    -2.5052107604683421646e-8,
    1.6058976515758235962e-10,
    -7.6439449109889181738e-13,
    2.7311288666722242045e-15,
];
/// pi in three words.
pub(super) const PI_32: [f32; 3] = [3.14159274101, -8.74227765735e-8, -3.43024902001e-15];
/// pi in three words.
pub(super) const PI_64: [f64; 3] = [3.141592653589793116, 1.2246467991473532072e-16, -2.9947698097183396659e-33];
