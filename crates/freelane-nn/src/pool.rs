//! Pools: what a window sees, made into one element.
//!
//! Rows of outputs are gone through tap by tap, so that the inner loops are plain loops over rows of pixels.
use crate::Sliding;
use crate::arrays::{Real, dense, dense_as, elements, elements_mut, fill, in_dtype, wide_dtype, with_real};
use crate::softmax::sum;
use freelane_array::{ArrayData, DType, Element};
use freelane_kernels::window::{Axis, Window};
use freelane_ops::{Array, OpsError};
use freelane_pool::Lane;
use smallvec::SmallVec;

/// Images with channels first, and the window over them.
struct Planes {
    planes: usize,
    window: Window,
    shape: SmallVec<[usize; 6]>,
}

impl Planes {
    fn new(op: &'static str, x: &ArrayData, sliding: &Sliding) -> Result<Planes, OpsError> {
        let shape = x.layout().shape();
        let [batch, channels, image @ ..] = shape else {
            return Err(OpsError::argument(op, format!("needs a batch of images, the array has shape {shape:?}")));
        };
        let window = sliding.window(op, image, &sliding.kernel)?;
        let outputs = &window.axes[3 - image.len()..];
        let shape = [*batch, *channels].into_iter().chain(outputs.iter().map(|axis| axis.output)).collect();
        Ok(Planes { planes: batch * channels, window, shape })
    }

    fn cost(&self) -> usize {
        self.planes * self.window.outputs() * self.window.taps()
    }

    fn parts(&self) -> usize {
        self.planes.max(1)
    }
}

/// Folds what each output sees into it, tap by tap in row-major order.
#[inline(always)]
fn sweep<T: Copy>(window: &Window, image: &[T], out: &mut [T], start: T, fold: impl Fn(T, T) -> T) {
    let [deep, high, wide] = &window.axes;
    for (pixel, row) in out.chunks_exact_mut(wide.output).enumerate() {
        let (z, y) = (pixel / high.output, pixel % high.output);
        row.fill(start);
        for tz in deep.taps(z) {
            let plane = deep.position(z, tz) as usize * high.input;
            for ty in high.taps(y) {
                let line = &image[(plane + high.position(y, ty) as usize) * wide.input..][..wide.input];
                for tx in 0..wide.kernel {
                    sweep_row(wide, tx, line, row, &fold);
                }
            }
        }
    }
}

#[inline(always)]
fn sweep_row<T: Copy>(wide: &Axis, tap: usize, line: &[T], row: &mut [T], fold: impl Fn(T, T) -> T) {
    let outputs = wide.outputs(tap);
    if outputs.is_empty() {
        return;
    }
    let line = &line[wide.position(outputs.start, tap) as usize..];
    let row = &mut row[outputs];
    match wide.stride {
        1 => row.iter_mut().zip(line).for_each(|(o, x)| *o = fold(*o, *x)),
        2 => {
            let last = row.len() - 1;
            row[..last].iter_mut().zip(line.chunks_exact(2)).for_each(|(o, x)| *o = fold(*o, x[0]));
            row[last] = fold(row[last], line[2 * last]);
        }
        stride => row.iter_mut().zip(line.iter().step_by(stride)).for_each(|(o, x)| *o = fold(*o, *x)),
    }
}

/// An element with an order.
trait Ordered: Element + PartialOrd {
    const LEAST: Self;
}
macro_rules! ordered {
    ($($t:ident $least:ident),*) => { $(impl Ordered for $t { const LEAST: $t = $t::$least; })* };
}
ordered!(f32 NEG_INFINITY, f64 NEG_INFINITY, i8 MIN, u8 MIN, i32 MIN, i64 MIN);

/// The greatest element of each window, and where it is if that is asked for: its place among all elements, columns first if
/// `column_major`.
///
/// # Errors
/// When the window does not fit, elements are of other types, or memory cannot be had.
pub fn max_pool(
    lane: &Lane,
    x: &ArrayData,
    sliding: &Sliding,
    column_major: bool,
    places: bool,
) -> Result<(ArrayData, Option<ArrayData>), OpsError> {
    const OP: &str = "MaxPool";
    let planes = Planes::new(OP, x, sliding)?;
    let wide = match x.dtype() {
        DType::F16 | DType::BF16 => DType::F32,
        same => same,
    };
    let from = dense_as(x, wide)?;
    let run = |lane: &Lane| -> Result<(ArrayData, Option<ArrayData>), OpsError> {
        match wide {
            DType::F32 => max_of::<f32>(lane, &planes, &from, column_major, places),
            DType::F64 => max_of::<f64>(lane, &planes, &from, column_major, places),
            DType::U8 => max_of::<u8>(lane, &planes, &from, column_major, places),
            DType::I8 => max_of::<i8>(lane, &planes, &from, column_major, places),
            DType::I32 => max_of::<i32>(lane, &planes, &from, column_major, places),
            DType::I64 => max_of::<i64>(lane, &planes, &from, column_major, places),
            other => Err(OpsError::DType {
                op: OP,
                found: vec![other],
                supported: "float16, bfloat16, float32, float64, uint8, int8, int32, int64".to_owned(),
            }),
        }
    };
    let (values, at) = run(lane)?;
    Ok((in_dtype(values, x.dtype())?, at))
}

fn max_of<T: Ordered>(
    lane: &Lane,
    planes: &Planes,
    x: &ArrayData,
    column_major: bool,
    places: bool,
) -> Result<(ArrayData, Option<ArrayData>), OpsError> {
    const OP: &str = "MaxPool";
    let (from, window) = (elements::<T>(x)?, &planes.window);
    let (inputs, outputs) = (window.inputs(), window.outputs());
    let values = fill::<T>(lane, OP, &planes.shape, planes.parts(), planes.cost() / 4, |_, i, out| {
        let image = &from[i * inputs..][..inputs];
        sweep(window, image, out, T::LEAST, |a, b| if b > a { b } else { a });
        Ok(())
    })?;
    if !places {
        return Ok((values, None));
    }
    let greatest = elements::<T>(&values)?;
    let at = fill::<i64>(lane, OP, &planes.shape, planes.parts(), planes.cost() * 2, |_, i, out| {
        let (image, greatest) = (&from[i * inputs..][..inputs], &greatest[i * outputs..][..outputs]);
        for (pixel, (o, top)) in out.iter_mut().zip(greatest).enumerate() {
            *o = (i * inputs + place_of(window, image, pixel, *top, column_major)) as i64;
        }
        Ok(())
    })?;
    Ok((values, Some(at)))
}

/// Where an output's greatest element lies in its image: the first one.
fn place_of<T: Ordered>(window: &Window, image: &[T], pixel: usize, top: T, column_major: bool) -> usize {
    let [deep, high, wide] = &window.axes;
    let (z, y, x) = (pixel / wide.output / high.output, pixel / wide.output % high.output, pixel % wide.output);
    for tz in deep.taps(z) {
        for ty in high.taps(y) {
            for tx in wide.taps(x) {
                let [a, b, c] = [deep.position(z, tz), high.position(y, ty), wide.position(x, tx)].map(|p| p as usize);
                let row_major = (a * high.input + b) * wide.input + c;
                if image[row_major] == top {
                    return if column_major { (c * high.input + b) * deep.input + a } else { row_major };
                }
            }
        }
    }
    0
}

/// How many pixels each output of an axis divides by.
fn counts(axis: &Axis, padding_counts: bool) -> Vec<usize> {
    let end = (axis.before + axis.input + axis.after) as isize - axis.before as isize;
    let inside = |o: usize| {
        if !padding_counts {
            return axis.taps(o).len();
        }
        (0..axis.kernel).filter(|&t| axis.position(o, t) < end).count()
    };
    (0..axis.output).map(inside).collect()
}

/// The mean of each window; padding counts as zeros if it does.
///
/// # Errors
/// When the window does not fit, elements are no floats, or memory cannot be had.
pub fn average_pool(
    lane: &Lane,
    x: &ArrayData,
    sliding: &Sliding,
    padding_counts: bool,
) -> Result<ArrayData, OpsError> {
    const OP: &str = "AveragePool";
    let planes = Planes::new(OP, x, sliding)?;
    let wide = wide_dtype(OP, x.dtype())?;
    let dense = dense_as(x, wide)?;
    let window = &planes.window;
    let [deep, high, row] = [0, 1, 2].map(|i| counts(&window.axes[i], padding_counts));
    let done = with_real!(OP, wide, T => {
        let (from, inputs) = (elements::<T>(&dense)?, window.inputs());
        fill::<T>(lane, OP, &planes.shape, planes.parts(), planes.cost() / 4, |_, i, out| {
            sweep(window, &from[i * inputs..][..inputs], out, T::zero(), |a, b| a + b);
            for (pixel, line) in out.chunks_exact_mut(row.len()).enumerate() {
                let rows = deep[pixel / high.len()] * high[pixel % high.len()];
                line.iter_mut().zip(&row).for_each(|(o, n)| *o /= T::of((rows * n) as f64));
            }
            Ok(())
        })
    })?;
    in_dtype(done, x.dtype())
}

/// The p-norm of each window.
///
/// # Errors
/// As [`average_pool`].
pub fn norm_pool(lane: &Lane, x: &ArrayData, sliding: &Sliding, p: u32) -> Result<ArrayData, OpsError> {
    const OP: &str = "LpPool";
    let planes = Planes::new(OP, x, sliding)?;
    let wide = wide_dtype(OP, x.dtype())?;
    let dense = dense_as(x, wide)?;
    let window = &planes.window;
    let done = with_real!(OP, wide, T => {
        let (from, inputs) = (elements::<T>(&dense)?, window.inputs());
        fill::<T>(lane, OP, &planes.shape, planes.parts(), planes.cost() * 4, |_, i, out| {
            let power = |x: T| x.abs().powi(p as i32);
            sweep(window, &from[i * inputs..][..inputs], out, T::zero(), |a, b| a + power(b));
            let root = T::one() / T::of(p.into());
            out.iter_mut().for_each(|o| *o = if p == 2 { o.sqrt() } else { o.powf(root) });
            Ok(())
        })
    })?;
    in_dtype(done, x.dtype())
}

/// What a global pool makes of all pixels of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// Their mean.
    Mean,
    /// The greatest.
    Max,
    /// Their p-norm.
    Norm(u32),
}

/// One element for each channel, with spatial axes of length 1.
///
/// # Errors
/// When the array is no image, elements are no floats, or memory cannot be had.
pub fn global_pool(lane: &Lane, op: &'static str, x: &ArrayData, whole: Whole) -> Result<ArrayData, OpsError> {
    let shape = x.layout().shape();
    let [batch, channels, pixels @ ..] = shape else {
        return Err(OpsError::argument(op, format!("needs a batch of images, the array has shape {shape:?}")));
    };
    let n: usize = pixels.iter().product();
    let kept: SmallVec<[usize; 6]> = [*batch, *channels].into_iter().chain(pixels.iter().map(|_| 1)).collect();
    let wide = wide_dtype(op, x.dtype())?;
    let dense = dense_as(x, wide)?;
    let done = with_real!(op, wide, T => {
        let from = elements::<T>(&dense)?;
        fill::<T>(lane, op, &kept, (*batch).max(1), from.len() / 4, |_, b, out| {
            for (c, o) in out.iter_mut().enumerate() {
                *o = over_all(&from[(b * channels + c) * n..][..n], whole);
            }
            Ok(())
        })
    })?;
    in_dtype(done, x.dtype())
}

#[inline(always)]
fn over_all<T: Real>(x: &[T], whole: Whole) -> T {
    match whole {
        Whole::Mean => sum(x, |x| x) / T::of(x.len() as f64),
        Whole::Max => crate::softmax::greatest(x),
        Whole::Norm(p) => sum(x, |x| x.abs().powi(p as i32)).powf(T::one() / T::of(p.into())),
    }
}

/// Elements put where `max_pool` found them, zero elsewhere; `places` count over the whole result of shape `natural`, which is
/// then the upper corner of `shape`.
///
/// # Errors
/// When places lie outside, types do not fit, or memory cannot be had.
pub fn max_unpool(
    x: &ArrayData,
    places: &ArrayData,
    natural: &[usize],
    shape: &[usize],
) -> Result<ArrayData, OpsError> {
    const OP: &str = "MaxUnpool";
    let (x, places) = (dense(x)?, dense_as(places, DType::I64)?);
    let places = elements::<i64>(&places)?;
    let mut out = Array::zeros(natural, x.dtype())?;
    freelane_array::with_dtype!(x.dtype(), T => {
        let (from, to) = (elements::<T>(&x)?, elements_mut::<T>(&mut out)?);
        for (value, &at) in from.iter().zip(places) {
            let place = usize::try_from(at).ok().and_then(|at| to.get_mut(at));
            let outside = || OpsError::argument(OP, format!("place {at} in {natural:?}"));
            *place.ok_or_else(outside)? = *value;
        }
    });
    if shape == natural {
        return Ok(out.into());
    }
    let mut whole = Array::zeros(shape, x.dtype())?;
    let corner: Vec<freelane_ops::Index> = natural
        .iter()
        .map(|&n| freelane_ops::Slice { start: Some(0), stop: Some(n as isize), step: 1 }.into())
        .collect();
    whole.assign(&corner, &out)?;
    Ok(whole.into())
}
