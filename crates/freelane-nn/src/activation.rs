//! Elementwise functions with parameters.
use crate::arrays::{Real, around, bounded, dense_as, elements, fill, in_dtype, wide_dtype, with_real};
use freelane_array::{ArrayData, broadcast_shapes};
use freelane_kernels::elementwise as k;
use freelane_kernels::elementwise::Map1;
use freelane_ops::{Array, OpsError};
use freelane_pool::Lane;

/// Elements in a part of a long array.
const PART: usize = 1 << 14;

/// Elements whose intermediate values stay in the nearest cache.
const TILE: usize = 1 << 10;

/// A function of each element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Activation {
    /// `x` where it is not negative, else `x` times the slope.
    Leaky(f32),
    /// `x` where it is not negative, else `alpha * (e^x - 1)`.
    Elu(f32),
    /// `gamma * x` where x is positive, else `gamma * alpha * (e^x - 1)`.
    Selu(f32, f32),
    /// `max(0, x) + min(0, alpha * (e^(x / alpha) - 1))`.
    Celu(f32),
    /// `max(0, min(1, alpha * x + beta))`.
    HardSigmoid(f32, f32),
    /// `x` times its `HardSigmoid(1/6, 1/2)`.
    HardSwish,
    /// `x` where it is greater than alpha, else zero.
    Thresholded(f32),
    /// `x + bias` below `-lambda`, `x - bias` above `lambda`, else zero.
    Shrink(f32, f32),
    /// `x / (1 + |x|)`.
    Softsign,
    /// `x * tanh(log(1 + e^x))`.
    Mish,
    /// `x / (1 + e^(-alpha x))`.
    Swish(f32),
    /// `alpha * tanh(beta * x)`.
    ScaledTanh(f32, f32),
    /// `alpha * x + beta`.
    Affine(f32, f32),
    /// `gelu` by its approximation with a hyperbolic tangent.
    GeluTanh,
    /// `x` between two bounds; the upper one wins.
    Clip(f64, f64),
}

/// How many parts of leading axes make parts of about [`PART`] elements.
pub(crate) fn parts(shape: &[usize]) -> usize {
    let len: usize = shape.iter().product();
    let mut parts = 1;
    for &n in shape {
        if len / parts.max(1) <= PART {
            break;
        }
        parts *= n;
    }
    parts
}

impl Activation {
    /// Writes the function of `x` to `out`.
    #[inline(always)]
    pub(crate) fn run<T: Real>(self, x: &[T], out: &mut [T])
    where
        k::Expm1: Map1<T, Out = T>,
        k::Tanh: Map1<T, Out = T>,
        k::Sigmoid: Map1<T, Out = T>,
        k::Softplus: Map1<T, Out = T>,
    {
        let of = |a: f32| T::of(a.into());
        let (zero, one) = (T::zero(), T::one());
        match self {
            Activation::Leaky(a) => light(x, out, |x| if x < zero { x * of(a) } else { x }),
            Activation::HardSigmoid(a, b) => light(x, out, |x| bounded(x * of(a) + of(b), zero, one)),
            Activation::HardSwish => light(x, out, |x| x * bounded(x * T::of(1.0 / 6.0) + T::of(0.5), zero, one)),
            Activation::Thresholded(a) => light(x, out, |x| if x > of(a) { x } else { zero }),
            Activation::Shrink(lambda, bias) => light(x, out, |x| shrunk(x, of(lambda), of(bias))),
            Activation::Softsign => light(x, out, |x| x / (one + x.abs())),
            Activation::Affine(a, b) => light(x, out, |x| x * of(a) + of(b)),
            Activation::Clip(low, high) => light(x, out, |x| bounded(x, T::of(low), T::of(high))),
            Activation::Elu(a) => heavy::<k::Expm1, T>(x, out, |x| x, |x, e| if x < zero { of(a) * e } else { x }),
            Activation::Selu(a, g) => heavy::<k::Expm1, T>(x, out, |x| x, |x, e| selu(x, e, of(a), of(g))),
            Activation::Celu(a) => heavy::<k::Expm1, T>(x, out, |x| x / of(a), |x, e| celu(x, of(a) * e)),
            Activation::Swish(a) => heavy::<k::Sigmoid, T>(x, out, |x| x * of(a), |x, s| x * s),
            Activation::ScaledTanh(a, b) => heavy::<k::Tanh, T>(x, out, |x| x * of(b), |_, t| of(a) * t),
            Activation::GeluTanh => heavy::<k::Tanh, T>(x, out, bent, |x, t| T::of(0.5) * x * (one + t)),
            Activation::Mish => mish(x, out),
        }
    }

    /// The function of each element.
    ///
    /// # Errors
    /// When elements are no floats, or memory cannot be had.
    pub fn call(self, lane: &Lane, op: &'static str, x: &ArrayData) -> Result<ArrayData, OpsError> {
        let wide = wide_dtype(op, x.dtype())?;
        let dense = dense_as(x, wide)?;
        let shape = x.layout().shape();
        let done = with_real!(op, wide, T => {
            let from = elements::<T>(&dense)?;
            fill::<T>(lane, op, shape, parts(shape), from.len(), |_, i, out| {
                self.run(&from[i * out.len()..][..out.len()], out);
                Ok(())
            })
        })?;
        in_dtype(done, x.dtype())
    }
}

#[inline(always)]
fn light<T: Real>(x: &[T], out: &mut [T], f: impl Fn(T) -> T) {
    out.iter_mut().zip(x).for_each(|(o, x)| *o = f(*x));
}

/// `after(x, K(before(x)))`, tile by tile.
#[inline(always)]
fn heavy<K: Map1<T, Out = T>, T: Real>(x: &[T], out: &mut [T], before: impl Fn(T) -> T, after: impl Fn(T, T) -> T) {
    for (x, out) in x.chunks(TILE).zip(out.chunks_mut(TILE)) {
        light(x, out, &before);
        k::map::<K, T>(out);
        out.iter_mut().zip(x).for_each(|(o, x)| *o = after(*x, *o));
    }
}

/// `x` brought nearer to zero, zero itself within `lambda` of it.
#[inline(always)]
fn shrunk<T: Real>(x: T, lambda: T, bias: T) -> T {
    if x < -lambda {
        x + bias
    } else if x > lambda {
        x - bias
    } else {
        T::zero()
    }
}

#[inline(always)]
fn selu<T: Real>(x: T, e: T, a: T, g: T) -> T {
    if x > T::zero() { g * x } else { g * (a * e) }
}

#[inline(always)]
fn celu<T: Real>(x: T, below: T) -> T {
    bounded(x, T::zero(), T::infinity()) + bounded(below, T::neg_infinity(), T::zero())
}

/// What the approximation of `gelu` takes the hyperbolic tangent of.
#[inline(always)]
fn bent<T: Real>(x: T) -> T {
    T::of((2.0 / std::f64::consts::PI).sqrt()) * (x + T::of(0.044715) * (x * x * x))
}

#[inline(always)]
fn mish<T: Real>(x: &[T], out: &mut [T])
where
    k::Tanh: Map1<T, Out = T>,
    k::Softplus: Map1<T, Out = T>,
{
    heavy::<k::Softplus, T>(x, out, |x| x, |_, s| s);
    for (x, out) in x.chunks(TILE).zip(out.chunks_mut(TILE)) {
        k::map::<k::Tanh, T>(out);
        out.iter_mut().zip(x).for_each(|(o, x)| *o = *x * *o);
    }
}

/// `x` where it is not negative, else `x` times a slope, which broadcasts to it.
///
/// # Errors
/// When the slopes do not broadcast to `x`, elements are no numbers, or memory cannot be had.
pub fn prelu(lane: &Lane, x: &ArrayData, slope: &ArrayData) -> Result<ArrayData, OpsError> {
    const OP: &str = "prelu";
    let shape = x.layout().shape();
    let common = broadcast_shapes([shape, slope.layout().shape()]);
    if !common.is_ok_and(|common| common[..] == *shape) {
        let slopes = slope.layout().shape();
        return Err(OpsError::argument(OP, format!("slopes of shape {slopes:?} do not broadcast to {shape:?}")));
    }
    let wide = match x.dtype() {
        dtype if dtype.is_integer() => freelane_array::DType::F64,
        dtype => wide_dtype(OP, dtype)?,
    };
    let dense = dense_as(x, wide)?;
    let slope = dense_as(slope, wide)?;
    let done = with_real!(OP, wide, T => prelu_of::<T>(lane, OP, &dense, &slope))?;
    in_dtype(done, x.dtype())
}

fn prelu_of<T: Real>(lane: &Lane, op: &'static str, x: &ArrayData, slope: &ArrayData) -> Result<ArrayData, OpsError> {
    let shape = x.layout().shape();
    let from = elements::<T>(x)?;
    let lead = shape.len() - slope.layout().rank().min(shape.len());
    let long: Vec<usize> =
        slope.layout().shape().iter().enumerate().filter(|(_, n)| **n != 1).map(|(i, _)| i).collect();
    let f = |x: T, s: T| if x < T::zero() { x * s } else { x };
    match long[..] {
        [] | [_] => {
            let axis = long.first().map_or(0, |i| lead + i);
            let (_, n, inner) = if long.is_empty() { (1, 1, from.len()) } else { around(shape, axis) };
            let slopes = elements::<T>(slope)?;
            let block = (n * inner).max(1);
            let parts = from.len() / block;
            fill::<T>(lane, op, shape, parts.max(1), from.len(), |_, i, out| {
                let x = &from[i * out.len()..][..out.len()];
                if inner == 1 {
                    for (out, x) in out.chunks_mut(n).zip(x.chunks(n)) {
                        out.iter_mut().zip(x).zip(slopes).for_each(|((o, x), s)| *o = f(*x, *s));
                    }
                } else {
                    for ((out, x), s) in out.chunks_mut(inner).zip(x.chunks(inner)).zip(slopes.iter().cycle()) {
                        light(x, out, |x| f(x, *s));
                    }
                }
                Ok(())
            })
        }
        _ => {
            let whole = Array::from(slope.clone()).broadcast_to(shape)?.contiguous()?;
            let slopes = elements::<T>(whole.data())?;
            fill::<T>(lane, op, shape, parts(shape), from.len(), |_, i, out| {
                let at = i * out.len();
                out.iter_mut().zip(&from[at..]).zip(&slopes[at..]).for_each(|((o, x), s)| *o = f(*x, *s));
                Ok(())
            })
        }
    }
}

/// `a / (1 + e^(-alpha a)) * b`.
///
/// # Errors
/// When shapes or types differ, elements are no floats, or memory cannot be had.
pub fn swiglu(lane: &Lane, a: &ArrayData, b: &ArrayData, alpha: f32) -> Result<ArrayData, OpsError> {
    const OP: &str = "swiglu";
    let shape = a.layout().shape();
    if shape != b.layout().shape() || a.dtype() != b.dtype() {
        let found = (a.dtype(), shape, b.dtype(), b.layout().shape());
        return Err(OpsError::argument(OP, format!("both inputs must be alike, found {found:?}")));
    }
    let wide = wide_dtype(OP, a.dtype())?;
    let (gate, value) = (dense_as(a, wide)?, dense_as(b, wide)?);
    let done = with_real!(OP, wide, T => {
        let (gate, value) = (elements::<T>(&gate)?, elements::<T>(&value)?);
        fill::<T>(lane, OP, shape, parts(shape), gate.len() * 2, |_, i, out| {
            let at = i * out.len();
            Activation::Swish(alpha).run(&gate[at..at + out.len()], out);
            out.iter_mut().zip(&value[at..]).for_each(|(o, v)| *o *= *v);
            Ok(())
        })
    })?;
    in_dtype(done, a.dtype())
}
