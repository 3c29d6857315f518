//! Normalizations.
use crate::arrays::{Real, axis_of, dense_as, elements, elements_mut, fill, in_dtype, wide_dtype, with_real};
use crate::softmax::sum;
use freelane_array::{ArrayData, DType};
use freelane_ops::{Array, OpsError};
use freelane_pool::Lane;
use std::borrow::Cow;

/// A layer's normalization: values, means, reciprocal deviations.
pub type Normalized = (ArrayData, Option<ArrayData>, Option<ArrayData>);

/// How lines are normalized.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineNorm {
    /// Added to the variance.
    pub epsilon: f32,
    /// Whether the mean is taken away first; if not, the mean square stands for the variance.
    pub centred: bool,
    /// The type that is computed in.
    pub stash: Option<DType>,
    /// The first axis of a line.
    pub axis: i64,
    /// Whether means and deviations are wanted.
    pub moments: bool,
}

/// Mean and reciprocal deviation of a line.
#[inline(always)]
fn moments<T: Real>(x: &[T], centred: bool, epsilon: T) -> (T, T) {
    let n = T::of(x.len() as f64);
    let mean = if centred { sum(x, |x| x) / n } else { T::zero() };
    let variance = sum(x, |x| (x - mean) * (x - mean)) / n;
    (mean, T::one() / (variance + epsilon).sqrt())
}

/// An operand of lines without gaps, broadcast to one of them, or to all where it has more axes.
fn spread<'a>(
    op: &'static str,
    x: &'a ArrayData,
    lines: &[usize],
    all: &[usize],
    dtype: DType,
) -> Result<Cow<'a, ArrayData>, OpsError> {
    let x = dense_as(x, dtype)?;
    let bare = |shape: &[usize]| shape.iter().position(|&n| n != 1).map_or(vec![], |first| shape[first..].to_vec());
    let own = bare(x.layout().shape());
    let to = if own.len() <= lines.len() { lines } else { all };
    if own == bare(to) {
        return Ok(x);
    }
    let own: Vec<isize> = own.iter().map(|&n| n as isize).collect();
    let whole = Array::from(x.into_owned()).reshape(&own)?.broadcast_to(to).map_err(|e| e.of(op))?.contiguous()?;
    Ok(Cow::Owned(whole.into()))
}

impl LineNorm {
    /// Normalizes over the axes from the first of a line on; then scales and shifts, both broadcast to those axes.
    ///
    /// # Errors
    /// When shapes do not fit, elements are no floats, or memory cannot be had.
    pub fn call(
        &self,
        lane: &Lane,
        op: &'static str,
        x: &ArrayData,
        scale: Option<&ArrayData>,
        shift: Option<&ArrayData>,
    ) -> Result<Normalized, OpsError> {
        let shape = x.layout().shape();
        let axis = axis_of(op, self.axis, shape.len())?;
        let dtype = x.dtype();
        let wide = match self.stash {
            Some(DType::F64) => DType::F64,
            _ => wide_dtype(op, dtype)?,
        };
        let x = dense_as(x, wide)?;
        let lines = &shape[axis..];
        let n: usize = lines.iter().product();
        let rows: usize = shape[..axis].iter().product();
        let scale = scale.map(|y| spread(op, y, lines, shape, wide)).transpose()?;
        let shift = shift.map(|y| spread(op, y, lines, shape, wide)).transpose()?;
        with_real!(op, wide, T => {
            let from = elements::<T>(&x)?;
            let scales = scale.as_deref().map(elements::<T>).transpose()?;
            let shifts = shift.as_deref().map(elements::<T>).transpose()?;
            let epsilon = T::of(self.epsilon.into());
            let line = |all: &[T], i: usize| -> std::ops::Range<usize> {
                if all.len() > n { i * n..(i + 1) * n } else { 0..n }
            };
            let y = fill::<T>(lane, op, shape, rows.max(1), from.len(), |_, i, out| {
                let x = &from[i * n..][..n];
                let (mean, factor) = moments(x, self.centred, epsilon);
                match (scales, shifts) {
                    (None, _) => out.iter_mut().zip(x).for_each(|(o, x)| *o = (*x - mean) * factor),
                    (Some(scale), None) => {
                        let scale = &scale[line(scale, i)];
                        out.iter_mut().zip(x).zip(scale).for_each(|((o, x), s)| *o = (*x - mean) * factor * *s);
                    }
                    (Some(scale), Some(shift)) => {
                        let (scale, shift) = (&scale[line(scale, i)], &shift[line(shift, i)]);
                        let each = out.iter_mut().zip(x).zip(scale).zip(shift);
                        each.for_each(|(((o, x), s), b)| *o = (*x - mean) * factor * *s + *b);
                    }
                }
                Ok(())
            })?;
            let (mut means, mut factors) = (None, None);
            if self.moments {
                let kept: Vec<usize> = (0..shape.len()).map(|i| if i < axis { shape[i] } else { 1 }).collect();
                let (mut m, mut f) = (Array::empty(&kept, T::DTYPE)?, Array::empty(&kept, T::DTYPE)?);
                let (ms, fs) = (elements_mut::<T>(&mut m)?, elements_mut::<T>(&mut f)?);
                for i in 0..rows {
                    (ms[i], fs[i]) = moments(&from[i * n..][..n], self.centred, epsilon);
                }
                (means, factors) = (Some(m.into()), Some(f.into()));
            }
            Ok((in_dtype(y, dtype)?, means, factors))
        })
    }
}

/// Batches, channels and pixels of an image with channels first.
fn image(op: &'static str, shape: &[usize]) -> Result<(usize, usize, usize), OpsError> {
    match shape {
        [n, c, pixels @ ..] => Ok((*n, *c, pixels.iter().product())),
        _ => Err(OpsError::argument(op, format!("an image has a batch and channels, the array has shape {shape:?}"))),
    }
}

fn channelled(op: &'static str, what: &str, x: &ArrayData, channels: usize) -> Result<(), OpsError> {
    if x.layout().len() == channels {
        return Ok(());
    }
    let found = x.layout().shape();
    Err(OpsError::argument(op, format!("a {what} of shape {found:?} for {channels} channels")))
}

/// A factor and a summand for each channel of images.
#[derive(Clone)]
pub struct Channels {
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    F32(Vec<(f32, f32)>),
    F64(Vec<(f64, f64)>),
}

/// What a batch's normalization takes: one number of each for each channel.
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    /// Factor.
    pub scale: &'a ArrayData,
    /// Added last.
    pub shift: &'a ArrayData,
    /// Mean.
    pub mean: &'a ArrayData,
    /// Variance.
    pub variance: &'a ArrayData,
    /// Added to the variance.
    pub epsilon: f32,
}

impl Batch<'_> {
    fn pairs<T: Real>(&self) -> Result<Vec<(T, T)>, OpsError> {
        let [scale, shift, mean, variance] =
            [self.scale, self.shift, self.mean, self.variance].map(|x| dense_as(x, T::DTYPE));
        let (scale, shift, mean, variance) = (scale?, shift?, mean?, variance?);
        let (scale, shift) = (elements::<T>(&scale)?, elements::<T>(&shift)?);
        let (mean, variance) = (elements::<T>(&mean)?, elements::<T>(&variance)?);
        if [shift.len(), mean.len(), variance.len()] != [scale.len(); 3] {
            let found = [scale.len(), shift.len(), mean.len(), variance.len()];
            return Err(OpsError::argument(BATCH, format!("scale, bias, mean and variance of {found:?} channels")));
        }
        let epsilon = T::of(self.epsilon.into());
        let pair = |((s, b), (m, v)): ((&T, &T), (&T, &T))| {
            let factor = *s / (*v + epsilon).sqrt();
            (factor, *b - *m * factor)
        };
        Ok(scale.iter().zip(shift).zip(mean.iter().zip(variance)).map(pair).collect())
    }

    /// `(x - mean) / sqrt(variance + epsilon) * scale + shift` as a factor and a summand, for images of a type.
    ///
    /// # Errors
    /// When there are not as many of all, elements are no floats, or memory cannot be had.
    pub fn channels(&self, dtype: DType) -> Result<Channels, OpsError> {
        let kind = match wide_dtype(BATCH, dtype)? {
            DType::F64 => Kind::F64(self.pairs()?),
            _ => Kind::F32(self.pairs()?),
        };
        Ok(Channels { kind })
    }
}

const BATCH: &str = "BatchNormalization";

impl Channels {
    /// Factors and summands, if they are for `f32`.
    pub fn singles(&self) -> Option<&[(f32, f32)]> {
        match &self.kind {
            Kind::F32(pairs) => Some(pairs),
            Kind::F64(_) => None,
        }
    }

    /// Applies them.
    ///
    /// # Errors
    /// When the array has other channels or another type, or memory cannot be had.
    pub fn call(&self, lane: &Lane, x: &ArrayData) -> Result<ArrayData, OpsError> {
        let done = match &self.kind {
            Kind::F32(pairs) => apply(lane, x, pairs)?,
            Kind::F64(pairs) => apply(lane, x, pairs)?,
        };
        in_dtype(done, x.dtype())
    }
}

fn apply<T: Real>(lane: &Lane, x: &ArrayData, map: &[(T, T)]) -> Result<ArrayData, OpsError> {
    let shape = x.layout().shape();
    let (batch, channels, pixels) = if let [n] = shape { (*n, 1, 1) } else { image(BATCH, shape)? };
    if channels != map.len() {
        return Err(OpsError::argument(BATCH, format!("{} numbers for {channels} channels", map.len())));
    }
    let x = dense_as(x, T::DTYPE)?;
    let from = elements::<T>(&x)?;
    fill::<T>(lane, BATCH, shape, batch.max(1), from.len() / 2, |_, i, out| {
        let x = &from[i * out.len()..][..out.len()];
        if pixels == 1 {
            out.iter_mut().zip(x).zip(map.iter().cycle()).for_each(|((o, x), (f, b))| *o = *x * *f + *b);
            return Ok(());
        }
        for ((out, x), (f, b)) in out.chunks_mut(pixels).zip(x.chunks(pixels)).zip(map) {
            out.iter_mut().zip(x).for_each(|(o, x)| *o = *x * *f + *b);
        }
        Ok(())
    })
}

/// Mean and variance of each channel over batch and pixels, in the array's type.
///
/// # Errors
/// When elements are no floats, or memory cannot be had.
pub fn channel_moments(x: &ArrayData) -> Result<(ArrayData, ArrayData), OpsError> {
    const OP: &str = "BatchNormalization";
    let (batch, channels, pixels) = image(OP, x.layout().shape())?;
    let wide = wide_dtype(OP, x.dtype())?;
    let dense = dense_as(x, wide)?;
    with_real!(OP, wide, T => {
        let from = elements::<T>(&dense)?;
        let n = T::of((batch * pixels) as f64);
        let mut made = (Array::empty(&[channels], T::DTYPE)?, Array::empty(&[channels], T::DTYPE)?);
        let (means, variances) = (elements_mut::<T>(&mut made.0)?, elements_mut::<T>(&mut made.1)?);
        for c in 0..channels {
            let plane = |b: usize| &from[(b * channels + c) * pixels..][..pixels];
            let mean = (0..batch).map(|b| sum(plane(b), |x| x)).sum::<T>() / n;
            means[c] = mean;
            variances[c] = (0..batch).map(|b| sum(plane(b), |x| (x - mean) * (x - mean))).sum::<T>() / n;
        }
        Ok((in_dtype(made.0.into(), x.dtype())?, in_dtype(made.1.into(), x.dtype())?))
    })
}

/// Normalizes groups of channels of each image; then scales and shifts, by channel or by group.
///
/// # Errors
/// When groups do not divide the channels, shapes do not fit, elements are no floats, or memory cannot be had.
pub fn group_norm(
    lane: &Lane,
    op: &'static str,
    x: &ArrayData,
    scale: &ArrayData,
    shift: &ArrayData,
    groups: usize,
    epsilon: f32,
) -> Result<ArrayData, OpsError> {
    let shape = x.layout().shape();
    let (batch, channels, pixels) = image(op, shape)?;
    if groups == 0 || !channels.is_multiple_of(groups) {
        return Err(OpsError::argument(op, format!("{channels} channels in {groups} groups")));
    }
    let by_group = scale.layout().len() == groups;
    let sizes = if by_group { groups } else { channels };
    channelled(op, "scale", scale, sizes)?;
    channelled(op, "bias", shift, sizes)?;
    let (each, wide) = (channels / groups, wide_dtype(op, x.dtype())?);
    let (dense, scale, shift) = (dense_as(x, wide)?, dense_as(scale, wide)?, dense_as(shift, wide)?);
    let done = with_real!(op, wide, T => {
        let (from, scales, shifts) = (elements::<T>(&dense)?, elements::<T>(&scale)?, elements::<T>(&shift)?);
        let epsilon = T::of(epsilon.into());
        fill::<T>(lane, op, shape, (batch * groups).max(1), from.len(), |_, i, out| {
            let x = &from[i * out.len()..][..out.len()];
            let (mean, factor) = moments(x, true, epsilon);
            let group = i % groups;
            for (c, (out, x)) in out.chunks_mut(pixels.max(1)).zip(x.chunks(pixels.max(1))).enumerate() {
                let at = if by_group { group } else { group * each + c };
                let (f, b) = (factor * scales[at], shifts[at]);
                out.iter_mut().zip(x).for_each(|(o, x)| *o = (*x - mean) * f + b);
            }
            Ok(())
        })
    })?;
    in_dtype(done, x.dtype())
}

/// Each element divided by a power of the mean square of those near it in other channels.
///
/// # Errors
/// When the array is no image, elements are no floats, or memory cannot be had.
pub fn local_response(
    lane: &Lane,
    x: &ArrayData,
    size: usize,
    [alpha, beta, bias]: [f32; 3],
) -> Result<ArrayData, OpsError> {
    const OP: &str = "LRN";
    let shape = x.layout().shape();
    let (batch, channels, pixels) = image(OP, shape)?;
    let wide = wide_dtype(OP, x.dtype())?;
    let dense = dense_as(x, wide)?;
    let (before, behind) = (size.saturating_sub(1) / 2, size / 2);
    let done = with_real!(OP, wide, T => {
        let from = elements::<T>(&dense)?;
        let (factor, beta, bias) = (T::of(f64::from(alpha) / size.max(1) as f64), T::of(beta.into()), T::of(bias.into()));
        fill::<T>(lane, OP, shape, (batch * channels).max(1), from.len().saturating_mul(size.saturating_add(20)), |_, i, out| {
            let (b, c) = (i / channels, i % channels);
            let plane = |c: usize| &from[(b * channels + c) * pixels..][..pixels];
            out.fill(T::zero());
            for near in c.saturating_sub(before)..(c + behind + 1).min(channels) {
                out.iter_mut().zip(plane(near)).for_each(|(o, x)| *o += *x * *x);
            }
            out.iter_mut().zip(plane(c)).for_each(|(o, x)| *o = *x / (bias + factor * *o).powf(beta));
            Ok(())
        })
    })?;
    in_dtype(done, x.dtype())
}
