//! Sample frequencies, and the zero frequency in the middle.
use crate::axes::too_short;
use freelane_array::{DType, normalize_axis};
use freelane_ops::{Array, InOp, OpsError};

/// The frequencies of the elements of a transform over `n` samples that are `d` apart: first those from zero up, then the
/// negative ones.
///
/// ```
/// use freelane_fft::fftfreq;
/// use freelane_ops::DType;
/// assert_eq!(fftfreq(5, 0.5, DType::F64)?.to_vec::<f64>()?, [0.0, 0.4, 0.8, -0.8, -0.4]);
/// # Ok::<(), freelane_ops::OpsError>(())
/// ```
///
/// # Errors
/// When `n` is zero, or memory cannot be had.
pub fn fftfreq(n: usize, d: f64, dtype: DType) -> Result<Array, OpsError> {
    const OP: &str = "fftfreq";
    let cycles = 1.0 / (length(OP, n)? as f64 * d);
    let positive = n.div_ceil(2) as i64;
    let up = Array::arange(0, positive, 1)?;
    let down = Array::arange(positive - n as i64, 0, 1)?;
    real(OP, &freelane_ops::concat(&[&up, &down], 0)?, cycles, dtype)
}

/// The frequencies of the first half of a spectrum, as [`rfft`](crate::rfft) gives it.
///
/// # Errors
/// When `n` is zero, or memory cannot be had.
pub fn rfftfreq(n: usize, d: f64, dtype: DType) -> Result<Array, OpsError> {
    const OP: &str = "rfftfreq";
    let cycles = 1.0 / (length(OP, n)? as f64 * d);
    real(OP, &Array::arange(0, n as i64 / 2 + 1, 1)?, cycles, dtype)
}

fn length(op: &'static str, n: usize) -> Result<usize, OpsError> {
    if n == 0 { Err(too_short(op, 0)) } else { Ok(n) }
}

fn real(op: &'static str, numbers: &Array, cycles: f64, dtype: DType) -> Result<Array, OpsError> {
    if dtype.kind() != freelane_array::Kind::Float {
        return Err(OpsError::DType { op, found: vec![dtype], supported: "floating-point dtypes".to_owned() });
    }
    numbers.astype(DType::F64)?.multiply(cycles)?.astype(dtype)
}

/// The spectrum with the zero frequency in the middle of the given axes, or of all.
///
/// # Errors
/// When an axis does not exist, or memory cannot be had.
pub fn fftshift(x: &Array, axes: Option<&[isize]>) -> Result<Array, OpsError> {
    shift("fftshift", x, axes, |n| n / 2)
}

/// The inverse of [`fftshift`].
///
/// # Errors
/// As [`fftshift`].
pub fn ifftshift(x: &Array, axes: Option<&[isize]>) -> Result<Array, OpsError> {
    shift("ifftshift", x, axes, |n| -(n / 2))
}

fn shift(op: &'static str, x: &Array, axes: Option<&[isize]>, by: impl Fn(isize) -> isize) -> Result<Array, OpsError> {
    let all: Vec<isize> = (0..x.rank() as isize).collect();
    let mut out = x.clone();
    for &axis in axes.unwrap_or(&all) {
        let n = x.shape()[normalize_axis(axis, x.rank()).in_op(op)?];
        out = out.roll(by(n as isize), axis).map_err(|e| e.of(op))?;
    }
    Ok(out)
}
