//! The functions over one axis and over several.
use crate::drive::run;
use crate::line::{ComplexLine, HalfLine, RealLine};
use crate::norm::Norm;
use crate::real::Real;
use freelane_array::{DType, Element, Kind, normalize_axis};
use freelane_ops::{Array, InOp, OpsError};
use num_complex::Complex;
use smallvec::SmallVec;

/// The discrete Fourier transform along an axis: over its first `n` elements, or over all and zeros up to `n`.
///
/// Real numbers are transformed in half the time of complex ones. `float32` gives `complex64`; `float64`, integers and
/// booleans give `complex128`; half types give `complex64`.
///
/// # Errors
/// When there is no such axis, `n` or the axis is of length zero, or memory cannot be had.
pub fn fft(x: &Array, n: Option<usize>, axis: isize, norm: Norm) -> Result<Array, OpsError> {
    Along::new("fft", x, axis)?.to_complex(x.clone(), n, norm, false)
}

/// The inverse of [`fft`].
///
/// # Errors
/// As [`fft`].
pub fn ifft(x: &Array, n: Option<usize>, axis: isize, norm: Norm) -> Result<Array, OpsError> {
    Along::new("ifft", x, axis)?.to_complex(x.clone(), n, norm, true)
}

/// The first half, `n / 2 + 1` elements, of the transform of real numbers: the other half is its mirror image.
///
/// # Errors
/// As [`fft`], and when the numbers are complex.
pub fn rfft(x: &Array, n: Option<usize>, axis: isize, norm: Norm) -> Result<Array, OpsError> {
    Along::new("rfft", x, axis)?.to_half(x, n, norm, false)
}

/// The inverse of [`rfft`]: `n` real numbers, `2 (m - 1)` of them unless it is given, from `m` elements of the first half
/// of their spectrum. Where the spectrum of real numbers is real, imaginary parts are ignored.
///
/// # Errors
/// As [`fft`].
pub fn irfft(x: &Array, n: Option<usize>, axis: isize, norm: Norm) -> Result<Array, OpsError> {
    Along::new("irfft", x, axis)?.to_real(x.clone(), n, norm, true)
}

/// The transform, which is real, of numbers whose second half is the mirror image of the first, of which `x` has
/// `n / 2 + 1`.
///
/// # Errors
/// As [`fft`].
pub fn hfft(x: &Array, n: Option<usize>, axis: isize, norm: Norm) -> Result<Array, OpsError> {
    Along::new("hfft", x, axis)?.to_real(x.clone(), n, norm, false)
}

/// The inverse of [`hfft`]: the first half, `n / 2 + 1` elements.
///
/// # Errors
/// As [`rfft`].
pub fn ihfft(x: &Array, n: Option<usize>, axis: isize, norm: Norm) -> Result<Array, OpsError> {
    Along::new("ihfft", x, axis)?.to_half(x, n, norm, true)
}

/// The transform over several axes, of lengths `s`: over the last `s.len()` axes, or all, unless `axes` are given. A length
/// of -1 is that of the axis in `x`.
///
/// # Errors
/// As [`fft`], and when there are not as many lengths as axes.
pub fn fftn(x: &Array, s: Option<&[isize]>, axes: Option<&[isize]>, norm: Norm) -> Result<Array, OpsError> {
    every_axis("fftn", x, s, axes, norm, false)
}

/// The inverse of [`fftn`].
///
/// # Errors
/// As [`fftn`].
pub fn ifftn(x: &Array, s: Option<&[isize]>, axes: Option<&[isize]>, norm: Norm) -> Result<Array, OpsError> {
    every_axis("ifftn", x, s, axes, norm, true)
}

/// The transform of real numbers over several axes: of the last one it has the first half, as [`rfft`].
///
/// # Errors
/// As [`fftn`], when the numbers are complex, an axis is named twice, or there is no axis.
pub fn rfftn(x: &Array, s: Option<&[isize]>, axes: Option<&[isize]>, norm: Norm) -> Result<Array, OpsError> {
    let op = "rfftn";
    let places = distinct(op, places(op, x, s, axes)?)?;
    let Some((&(axis, n), others)) = places.split_last() else { return Err(no_axis(op)) };
    let mut out = Along { op, axis }.to_half(x, n, norm, false)?;
    for &(axis, n) in others.iter().rev() {
        out = Along { op, axis }.to_complex(out, n, norm, false)?;
    }
    Ok(out)
}

/// The inverse of [`rfftn`]; the last axis becomes `2 (m - 1)` long unless its length is given.
///
/// # Errors
/// As [`fftn`], when an axis is named twice, and when there is no axis.
pub fn irfftn(x: &Array, s: Option<&[isize]>, axes: Option<&[isize]>, norm: Norm) -> Result<Array, OpsError> {
    let op = "irfftn";
    let places = distinct(op, places(op, x, s, axes)?)?;
    let Some((&(axis, n), others)) = places.split_last() else { return Err(no_axis(op)) };
    let mut out = x.clone();
    for &(axis, n) in others {
        out = Along { op, axis }.to_complex(out, n, norm, true)?;
    }
    Along { op, axis }.to_real(out, n, norm, true)
}

fn every_axis(
    op: &'static str,
    x: &Array,
    s: Option<&[isize]>,
    axes: Option<&[isize]>,
    norm: Norm,
    inverse: bool,
) -> Result<Array, OpsError> {
    let places = places(op, x, s, axes)?;
    let mut out = x.clone();
    for &(axis, n) in places.iter().rev() {
        out = Along { op, axis }.to_complex(out, n, norm, inverse)?;
    }
    if places.is_empty() { complex(&out) } else { Ok(out) }
}

fn no_axis(op: &'static str) -> OpsError {
    OpsError::argument(op, "needs at least one axis")
}

type Places = SmallVec<[(usize, Option<usize>); 4]>;

/// The axes, and the length over which each is transformed, if it is not its own.
fn places(op: &'static str, x: &Array, s: Option<&[isize]>, axes: Option<&[isize]>) -> Result<Places, OpsError> {
    let rank = x.rank();
    let axes: SmallVec<[isize; 4]> = match (axes, s) {
        (Some(axes), _) => axes.into(),
        (None, Some(s)) if s.len() > rank => {
            return Err(OpsError::argument(op, format!("{} lengths for an array of {rank} axes", s.len())));
        }
        (None, Some(s)) => (0..s.len() as isize).map(|i| i - s.len() as isize).collect(),
        (None, None) => (0..rank as isize).collect(),
    };
    if let Some(s) = s.filter(|s| s.len() != axes.len()) {
        return Err(OpsError::argument(op, format!("{} lengths for {} axes; give as many", s.len(), axes.len())));
    }
    let place = |(i, &axis): (usize, &isize)| {
        let axis = normalize_axis(axis, rank).in_op(op)?;
        let length = |&n: &isize| match n {
            -1 => Ok(x.shape()[axis]),
            n => usize::try_from(n).map_err(|_| too_short(op, n as i128)),
        };
        Ok((axis, s.map(|s| length(&s[i])).transpose()?))
    };
    axes.iter().enumerate().map(place).collect()
}

/// Places that name each axis once, as those must that change an axis' length.
fn distinct(op: &'static str, places: Places) -> Result<Places, OpsError> {
    let again = |i: usize| places[..i].iter().any(|place| place.0 == places[i].0);
    match (1..places.len()).find(|&i| again(i)) {
        Some(i) => Err(OpsError::argument(op, format!("axis {} is named twice", places[i].0))),
        None => Ok(places),
    }
}

/// The error of a length below 1.
pub(crate) fn too_short(op: &'static str, n: i128) -> OpsError {
    OpsError::argument(op, format!("a transform over {n} elements does not exist; n must be at least 1"))
}

/// A transform along one axis.
struct Along {
    op: &'static str,
    axis: usize,
}

impl Along {
    fn new(op: &'static str, x: &Array, axis: isize) -> Result<Along, OpsError> {
        Ok(Along { op, axis: normalize_axis(axis, x.rank()).in_op(op)? })
    }

    /// The length that was asked for, or the usual one.
    fn length(&self, asked: Option<usize>, usual: usize) -> Result<usize, OpsError> {
        let n = asked.unwrap_or(usual);
        if n == 0 { Err(too_short(self.op, 0)) } else { Ok(n) }
    }

    fn to_complex(&self, x: Array, n: Option<usize>, norm: Norm, inverse: bool) -> Result<Array, OpsError> {
        let n = self.length(n, x.shape()[self.axis])?;
        let factor = norm.factor(n, inverse);
        let x = widened(x)?;
        match x.dtype() {
            DType::F32 => run(self.op, x, self.axis, &RealLine::<f32>::new(n, inverse, true, factor).in_op(self.op)?),
            DType::F64 => run(self.op, x, self.axis, &RealLine::<f64>::new(n, inverse, true, factor).in_op(self.op)?),
            DType::C64 => run(self.op, x, self.axis, &ComplexLine::<f32>::new(n, inverse, factor).in_op(self.op)?),
            _ => run(self.op, x, self.axis, &ComplexLine::<f64>::new(n, inverse, factor).in_op(self.op)?),
        }
    }

    fn to_half(&self, x: &Array, n: Option<usize>, norm: Norm, inverse: bool) -> Result<Array, OpsError> {
        if x.dtype().kind() == Kind::Complex {
            let supported = "real numbers; use fft or ifft for complex ones".to_owned();
            return Err(OpsError::DType { op: self.op, found: vec![x.dtype()], supported });
        }
        let n = self.length(n, x.shape()[self.axis])?;
        let factor = norm.factor(n, inverse);
        let x = widened(x.clone())?;
        match x.dtype() {
            DType::F32 => run(self.op, x, self.axis, &RealLine::<f32>::new(n, inverse, false, factor).in_op(self.op)?),
            _ => run(self.op, x, self.axis, &RealLine::<f64>::new(n, inverse, false, factor).in_op(self.op)?),
        }
    }

    fn to_real(&self, x: Array, n: Option<usize>, norm: Norm, inverse: bool) -> Result<Array, OpsError> {
        let n = self.length(n, (2 * x.shape()[self.axis]).saturating_sub(2))?;
        let factor = norm.factor(n, inverse);
        let x = complex(&x)?;
        match x.dtype() {
            DType::C64 => run(self.op, x, self.axis, &HalfLine::<f32>::new(n, !inverse, factor).in_op(self.op)?),
            _ => run(self.op, x, self.axis, &HalfLine::<f64>::new(n, !inverse, factor).in_op(self.op)?),
        }
    }
}

/// The array in a dtype that is computed in, real or complex.
fn widened(x: Array) -> Result<Array, OpsError> {
    match x.dtype() {
        DType::F32 | DType::F64 | DType::C64 | DType::C128 => Ok(x),
        DType::F16 | DType::BF16 => x.astype(DType::F32),
        _ => x.astype(DType::F64),
    }
}

/// The array in complex numbers.
fn complex(x: &Array) -> Result<Array, OpsError> {
    match widened(x.clone())? {
        x if x.dtype() == DType::F32 => x.astype(<f32 as Real>::COMPLEX),
        x if x.dtype() == DType::F64 => x.astype(<Complex<f64> as Element>::DTYPE),
        x => Ok(x),
    }
}
