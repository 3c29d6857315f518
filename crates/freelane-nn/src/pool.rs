//! Pools: what a window sees, made into one element.
use crate::Sliding;
use crate::arrays::{Real, dense, dense_as, elements, elements_mut, fill, in_dtype, scratch, wide_dtype, with_real};
use crate::softmax::sum;
use freelane_array::types::{bf16, f16};
use freelane_array::{ArrayData, DType, Element};
use freelane_kernels::pool::{self as kernels, IndexOrder, MaxElement};
use freelane_kernels::window::{Layout, Window};
use freelane_ops::batch::{Chunks, for_each_part};
use freelane_ops::{Array, OpsError};
use freelane_pool::Lane;
use freelane_simd::Isa;
use smallvec::SmallVec;

/// Images with channels first, or blocks of them, and the window over them.
struct Planes {
    planes: usize,
    window: Window,
    layout: Layout,
    shape: SmallVec<[usize; 6]>,
}

impl Planes {
    fn new(op: &'static str, x: &ArrayData, sliding: &Sliding, layout: Layout) -> Result<Planes, OpsError> {
        let shape = x.layout().shape();
        let (images, lanes) = match (layout, shape) {
            (Layout::Planar, _) => (shape, None),
            (Layout::Blocked, [images @ .., lanes]) if *lanes == layout.lanes() => (images, Some(*lanes)),
            (Layout::Blocked, _) => (&[][..], None),
        };
        let [batch, channels, image @ ..] = images else {
            return Err(OpsError::argument(op, format!("needs a batch of images, the array has shape {shape:?}")));
        };
        let window = sliding.window(op, image, &sliding.kernel)?;
        let outputs = &window.axes[3 - image.len()..];
        let pixels = outputs.iter().map(|axis| axis.output);
        let shape = [*batch, *channels].into_iter().chain(pixels).chain(lanes).collect();
        Ok(Planes { planes: batch * channels, window, layout, shape })
    }

    fn cost(&self) -> usize {
        let elements = self.planes.saturating_mul(self.layout.lanes()).saturating_mul(self.window.outputs());
        elements.saturating_mul(self.window.taps())
    }

    fn parts(&self) -> usize {
        self.planes.max(1)
    }

    /// Planes, a line of memory, and their results: all at once if one lane has them all, else plane by plane.
    fn fill<T: Element>(
        &self,
        lane: &Lane,
        op: &'static str,
        pool: impl Fn(&[T], &mut [T], &mut [T]) + Sync,
        from: &[T],
    ) -> Result<ArrayData, OpsError> {
        let inputs = self.window.inputs() * self.layout.lanes();
        let len = kernels::pool_line(&self.window, self.layout);
        let cost = self.cost() / 4;
        let parts = if lane.pieces(cost as u64) == 1 { 1 } else { self.parts() };
        let each = self.planes / parts * inputs;
        fill::<T>(lane, op, &self.shape, parts, cost, |lane, i, out| {
            scratch::<T, _>(lane, op, len, |line| {
                pool(&from[i * each..][..each], line, out);
                Ok(())
            })
        })
    }
}

/// The greatest element of each window, and where it is if that is asked for: its place among all elements, columns first if
/// `column_major`. Images are in a layout; places are told of planar ones alone.
///
/// # Errors
/// When the window does not fit, elements are of other types, or memory cannot be had.
pub fn max_pool(
    lane: &Lane,
    x: &ArrayData,
    sliding: &Sliding,
    layout: Layout,
    column_major: bool,
    places: bool,
) -> Result<(ArrayData, Option<ArrayData>), OpsError> {
    const OP: &str = "MaxPool";
    let planes = Planes::new(OP, x, sliding, layout)?;
    if places && planes.layout == Layout::Blocked {
        return Err(OpsError::argument(OP, "places in blocks of channels"));
    }
    let from = dense(x)?;
    match x.dtype() {
        DType::F16 => max_of::<f16>(lane, &planes, &from, column_major, places),
        DType::BF16 => max_of::<bf16>(lane, &planes, &from, column_major, places),
        DType::F32 => max_of::<f32>(lane, &planes, &from, column_major, places),
        DType::F64 => max_of::<f64>(lane, &planes, &from, column_major, places),
        DType::U8 => max_of::<u8>(lane, &planes, &from, column_major, places),
        DType::I8 => max_of::<i8>(lane, &planes, &from, column_major, places),
        other => Err(OpsError::DType {
            op: OP,
            found: vec![other],
            supported: "float16, bfloat16, float32, float64, uint8, int8".to_owned(),
        }),
    }
}

fn max_of<T: Element + MaxElement>(
    lane: &Lane,
    planes: &Planes,
    x: &ArrayData,
    column_major: bool,
    places: bool,
) -> Result<(ArrayData, Option<ArrayData>), OpsError> {
    const OP: &str = "MaxPool";
    let (from, window) = (elements::<T>(x)?, &planes.window);
    let inputs = window.inputs();
    if !places {
        let values = planes.fill::<T>(
            lane,
            OP,
            |image, line, out| {
                kernels::max_pool(Isa::current(), window, planes.layout, image, line, out);
            },
            from,
        )?;
        return Ok((values, None));
    }
    let order = if column_major { IndexOrder::Columns } else { IndexOrder::Rows };
    let mut values = Array::empty_in(lane, &planes.shape, T::DTYPE)?;
    let mut at = Array::empty_in(lane, &planes.shape, DType::I64)?;
    let parts = planes.parts();
    if !values.is_empty() {
        let both =
            (Chunks::new(elements_mut::<T>(&mut values)?, parts), Chunks::new(elements_mut::<i64>(&mut at)?, parts));
        for_each_part(lane, OP, (planes.cost() as u64).saturating_mul(2), both, |_, i, (out, at)| {
            kernels::max_pool_indices(window, order, i, &from[i * inputs..][..inputs], out, at);
            Ok(())
        })?;
    }
    Ok((values.into(), Some(at.into())))
}

/// The mean of each window; padding counts as zeros if it does.
///
/// # Errors
/// When the window does not fit, elements are no floats, or memory cannot be had.
pub fn average_pool(
    lane: &Lane,
    x: &ArrayData,
    sliding: &Sliding,
    layout: Layout,
    padding_counts: bool,
) -> Result<ArrayData, OpsError> {
    const OP: &str = "AveragePool";
    let planes = Planes::new(OP, x, sliding, layout)?;
    let wide = wide_dtype(OP, x.dtype())?;
    let dense = dense_as(x, wide)?;
    let window = &planes.window;
    let done = with_real!(OP, wide, T => planes.fill::<T>(lane, OP, |image, line, out| {
        kernels::average_pool(Isa::current(), window, planes.layout, padding_counts, image, line, out);
    }, elements::<T>(&dense)?))?;
    in_dtype(done, x.dtype())
}

/// The p-norm of each window.
///
/// # Errors
/// As [`average_pool`].
pub fn norm_pool(lane: &Lane, x: &ArrayData, sliding: &Sliding, p: u32) -> Result<ArrayData, OpsError> {
    const OP: &str = "LpPool";
    let planes = Planes::new(OP, x, sliding, Layout::Planar)?;
    let wide = wide_dtype(OP, x.dtype())?;
    let dense = dense_as(x, wide)?;
    let window = &planes.window;
    let done = with_real!(OP, wide, T => planes.fill::<T>(lane, OP, |image, line, out| {
        kernels::lp_pool(Isa::current(), window, Layout::Planar, p, image, line, out);
    }, elements::<T>(&dense)?))?;
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
            let images = &from[b * channels * n..][..channels * n];
            match whole {
                Whole::Mean => kernels::global_average(Isa::current(), n, Layout::Planar, images, out),
                Whole::Max => kernels::global_max(Isa::current(), n, Layout::Planar, images, out),
                Whole::Norm(p) => {
                    let root = 1.0 / T::of(f64::from(p));
                    for (image, o) in images.chunks_exact(n.max(1)).zip(out) {
                        *o = sum(image, |x| x.abs().powi(p as i32)).powf(root);
                    }
                }
            }
            Ok(())
        })
    })?;
    in_dtype(done, x.dtype())
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
