//! Images read between their pixels: at the points of a grid, in boxes, under kernels that bend.
use crate::Sliding;
use crate::arrays::{
    Real, dense_as, elements, fill, in_dtype, indices_below, scratch, too_large, wide_dtype, with_real,
};
use crate::transposed::scatter;
use freelane_array::{ArrayData, DType};
use freelane_kernels::window::Window;
use freelane_ops::{InOp, OpsError};
use freelane_pool::Lane;

/// What lies outside of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// Zeros.
    Zeros,
    /// The nearest pixel.
    Border,
    /// The image, mirrored.
    Reflection,
}

/// What lies between pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// A straight line along each axis.
    Linear,
    /// The nearest pixel, of two the even one.
    Nearest,
    /// A cubic curve along each axis.
    Cubic,
}

/// How images are read at the points of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridSample {
    /// What lies between pixels.
    pub between: Between,
    /// What lies outside.
    pub outside: Outside,
    /// Whether -1 and 1 are the middles of the outermost pixels, not their edges.
    pub align_corners: bool,
}

/// Neighbours along an axis: places, if they are inside, and weights.
type Neighbours = [(Option<usize>, f64); 4];

fn reflected(x: f64, low: f64, high: f64) -> f64 {
    let range = high - low;
    if range <= 0.0 {
        return low;
    }
    let (over, below) = if x < low {
        (low - x, true)
    } else if x > high {
        (x - high, false)
    } else {
        return x;
    };
    let (turns, rest) = ((over / range).trunc(), over % range);
    if (turns % 2.0 == 0.0) == below { low + rest } else { high - rest }
}

impl GridSample {
    fn place(&self, i: f64, n: usize, [low, high]: [f64; 2]) -> Option<usize> {
        let last = n as f64 - 1.0;
        let i = match self.outside {
            Outside::Zeros => return (0.0..=last).contains(&i).then_some(i as usize),
            Outside::Border => i.clamp(0.0, last),
            Outside::Reflection => reflected(i, low, high).trunc(),
        };
        Some(i.clamp(0.0, last) as usize)
    }

    /// Neighbours of a point of the grid along an axis of `n` pixels, and how many count.
    fn neighbours(&self, point: f64, n: usize) -> (Neighbours, usize) {
        let last = n as f64 - 1.0;
        let borders = if self.align_corners { [0.0, last] } else { [-0.5, last + 0.5] };
        let mut x =
            if self.align_corners { (point + 1.0) / 2.0 * last } else { ((point + 1.0) * n as f64 - 1.0) / 2.0 };
        x = f64::from(x as f32);
        if self.between == Between::Nearest {
            x = x.round_ties_even();
        }
        if x < borders[0] || x > borders[1] {
            x = match self.outside {
                Outside::Zeros => x,
                Outside::Border => x.clamp(0.0, last),
                Outside::Reflection => reflected(x, borders[0], borders[1]),
            };
        }
        let mut made: Neighbours = [(None, 0.0); 4];
        if !x.is_finite() {
            return (made, 1);
        }
        let below = x.floor();
        let t = x - below;
        let (first, count, weights) = match self.between {
            Between::Nearest => (x.trunc(), 1, [1.0, 0.0, 0.0, 0.0]),
            Between::Linear => (below, 2, [1.0 - t, t, 0.0, 0.0]),
            Between::Cubic => (below - 1.0, 4, cubic(t)),
        };
        for (i, (made, weight)) in made.iter_mut().zip(weights).take(count).enumerate() {
            *made = (self.place(first + i as f64, n, borders), weight);
        }
        (made, count)
    }

    /// Images `[batch, channels, ...]` at the points of a grid `[batch, ..., axes]`, whose last axis names the last spatial
    /// axis first.
    ///
    /// # Errors
    /// When shapes do not fit, elements are no floats, or memory cannot be had.
    pub fn call(&self, lane: &Lane, x: &ArrayData, grid: &ArrayData) -> Result<ArrayData, OpsError> {
        const OP: &str = "GridSample";
        let (images, points) = (x.layout().shape(), grid.layout().shape());
        let fail = || OpsError::argument(OP, format!("images of shape {images:?} and a grid of shape {points:?}"));
        let ([batch, channels, pixels @ ..], [grids, spread @ .., axes]) = (images, points) else { return Err(fail()) };
        if *axes != pixels.len()
            || batch != grids
            || spread.len() != pixels.len()
            || !(1..=3).contains(axes)
            || pixels.contains(&0)
        {
            return Err(fail());
        }
        let shape: Vec<usize> = [*batch, *channels].into_iter().chain(spread.iter().copied()).collect();
        let wide = wide_dtype(OP, x.dtype())?;
        let dense = dense_as(x, wide)?;
        let grid = dense_as(grid, DType::F64)?;
        let grid = elements::<f64>(&grid)?;
        let (count, plane): (usize, usize) = (spread.iter().product(), pixels.iter().product());
        let done = with_real!(OP, wide, T => {
            let from = elements::<T>(&dense)?;
            let cost = count.saturating_mul(50 + 10 * channels);
            fill::<T>(lane, OP, &shape, (*batch).max(1), cost.saturating_mul(*batch), |lane, b, out| {
                let mut taps: Vec<(usize, T)> = vec![];
                let points = lane.try_for(count, cost as u64, |p| {
                    let point = &grid[(b * count + p) * axes..][..*axes];
                    self.taps(point, pixels, &mut taps);
                    for c in 0..*channels {
                        let image = &from[(b * channels + c) * plane..][..plane];
                        out[c * count + p] = taps.iter().map(|(at, w)| image[*at] * *w).fold(T::zero(), |a, b| a + b);
                    }
                });
                points.in_op(OP)
            })
        })?;
        in_dtype(done, x.dtype())
    }

    /// Places in an image and their weights, for a point.
    fn taps<T: Real>(&self, point: &[f64], pixels: &[usize], taps: &mut Vec<(usize, T)>) {
        taps.clear();
        let rank = pixels.len();
        let along: Vec<(Neighbours, usize)> =
            (0..rank).map(|i| self.neighbours(point[rank - 1 - i], pixels[i])).collect();
        let total: usize = along.iter().map(|(_, n)| n).product();
        'taps: for mut i in 0..total {
            let (mut at, mut weight, mut step) = (0, 1.0, 1);
            for ((near, n), pixels) in along.iter().zip(pixels).rev() {
                let (Some(place), w) = near[i % n] else { continue 'taps };
                i /= n;
                (at, weight, step) = (at + place * step, weight * w, step * pixels);
            }
            taps.push((at, T::of(weight)));
        }
    }
}

fn cubic(t: f64) -> [f64; 4] {
    const A: f64 = -0.75;
    let near = |x: f64| ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0;
    let far = |x: f64| ((A * x - 5.0 * A) * x + 8.0 * A) * x - 4.0 * A;
    [far(t + 1.0), near(t), near(1.0 - t), far(2.0 - t)]
}

/// The points at which an image of a size is read to transform it: `theta` is `[batch, axes, axes + 1]`.
///
/// # Errors
/// When shapes do not fit, elements are no floats, or memory cannot be had.
pub fn affine_grid(lane: &Lane, theta: &ArrayData, size: &[usize], align_corners: bool) -> Result<ArrayData, OpsError> {
    const OP: &str = "AffineGrid";
    let found = theta.layout().shape();
    let fail = || OpsError::argument(OP, format!("transformations of shape {found:?} for images of shape {size:?}"));
    let [_, _, pixels @ ..] = size else { return Err(fail()) };
    let (rank, &[batch, rows, columns]) = (pixels.len(), found) else { return Err(fail()) };
    if rows != rank || columns != rank + 1 || !(2..=3).contains(&rank) {
        return Err(fail());
    }
    let wide = wide_dtype(OP, theta.dtype())?;
    let dense = dense_as(theta, wide)?;
    let count: usize = pixels.iter().product();
    let shape: Vec<usize> = [batch].into_iter().chain(pixels.iter().copied()).chain([rank]).collect();
    let place = |i: usize, n: usize| match (align_corners, n) {
        (true, 1) => -1.0,
        (true, _) => -1.0 + 2.0 * i as f64 / (n - 1) as f64,
        (false, _) => -1.0 + (2 * i + 1) as f64 / n as f64,
    };
    let done = with_real!(OP, wide, T => {
        let theta = elements::<T>(&dense)?;
        fill::<T>(lane, OP, &shape, batch.max(1), batch * count * 10, |_, b, out| {
            let theta = &theta[b * rows * columns..][..rows * columns];
            for (p, out) in out.chunks_exact_mut(rank).enumerate() {
                // The last axis comes first.
                let (mut point, mut rest) = ([0.0; 3], p);
                for i in (0..rank).rev() {
                    point[rank - 1 - i] = place(rest % pixels[i], pixels[i]);
                    rest /= pixels[i];
                }
                for (o, row) in out.iter_mut().zip(theta.chunks_exact(columns)) {
                    let sum: f64 = row.iter().zip(&point[..rank]).map(|(t, x)| t.wide() * x).sum();
                    *o = T::of(sum + row[rank].wide());
                }
            }
            Ok(())
        })
    })?;
    in_dtype(done, theta.dtype())
}

/// Samples of a box; more are an error of the model.
const MOST_SAMPLES: usize = 1 << 24;

/// How boxes are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoiAlign {
    /// Rows and columns of each result.
    pub output: [usize; 2],
    /// Samples along each axis of a cell; 0: as many as it has pixels.
    pub samples: usize,
    /// Pixels of the image to a unit of the boxes.
    pub scale: f32,
    /// Whether pixels are areas about their middle.
    pub half_pixel: bool,
    /// Whether cells hold their greatest sample, not the mean.
    pub max: bool,
}

/// Four pixels of an image, with weights.
type Sample<T> = [(usize, T); 4];

impl RoiAlign {
    /// Reads boxes `[boxes, 4]` out of images `[batch, channels, rows, columns]`.
    ///
    /// # Errors
    /// When shapes do not fit, a box is in no image, elements are no floats, or memory cannot be had.
    pub fn call(
        &self,
        lane: &Lane,
        x: &ArrayData,
        boxes: &ArrayData,
        images: &ArrayData,
    ) -> Result<ArrayData, OpsError> {
        const OP: &str = "RoiAlign";
        let (shape, found) = (x.layout().shape(), boxes.layout().shape());
        let fail = || OpsError::argument(OP, format!("images of shape {shape:?} and boxes of shape {found:?}"));
        let (&[batch, channels, rows, columns], &[count, 4]) = (shape, found) else { return Err(fail()) };
        let [high, broad] = self.output;
        let samples =
            [high, broad, self.samples, self.samples].iter().try_fold(1usize, |n, &k| n.checked_mul(k.max(1)));
        if samples.is_none_or(|n| n > MOST_SAMPLES) {
            let (output, each) = (self.output, self.samples);
            return Err(OpsError::argument(OP, format!("{output:?} cells of {each} by {each} samples")));
        }
        let images = dense_as(images, DType::I64)?;
        let of = indices_below(OP, elements::<i64>(&images)?, batch)?;
        if of.len() != count || rows * columns == 0 {
            return Err(fail());
        }
        let wide = wide_dtype(OP, x.dtype())?;
        let dense = dense_as(x, wide)?;
        let boxes = dense_as(boxes, DType::F64)?;
        let boxes = elements::<f64>(&boxes)?;
        let plane = rows * columns;
        let done = with_real!(OP, wide, T => {
            let from = elements::<T>(&dense)?;
            let cost = count * channels * high * broad * 20;
            fill::<T>(lane, OP, &[count, channels, high, broad], count.max(1), cost, |_, i, out| {
                let (each, samples) = self.cells::<T>(&boxes[i * 4..][..4], [rows, columns])?;
                for (c, out) in out.chunks_exact_mut(high * broad).enumerate() {
                    let image = &from[(of[i] * channels + c) * plane..][..plane];
                    let cell = |i: usize| self.cell(image, &samples[i * each..][..each]);
                    out.iter_mut().enumerate().for_each(|(i, o)| *o = cell(i));
                }
                Ok(())
            })
        })?;
        in_dtype(done, x.dtype())
    }

    fn cell<T: Real>(&self, image: &[T], samples: &[Sample<T>]) -> T {
        let parts = |s: &Sample<T>| s.map(|(at, w)| image[at] * w);
        if self.max {
            let greatest = |s| parts(s).into_iter().fold(T::neg_infinity(), T::max);
            return samples.iter().map(greatest).reduce(T::max).unwrap_or_else(T::zero);
        }
        let sum: T = samples.iter().map(|s| parts(s).into_iter().sum::<T>()).sum();
        sum / T::of(samples.len().max(1) as f64)
    }

    /// How many samples each cell of a box has, and those of all cells: four pixels with weights.
    fn cells<T: Real>(&self, area: &[f64], pixels: [usize; 2]) -> Result<(usize, Vec<Sample<T>>), OpsError> {
        const OP: &str = "RoiAlign";
        let offset = if self.half_pixel { 0.5 } else { 0.0 };
        let edge = |i: usize| area[i] * f64::from(self.scale) - offset;
        let along = |axis: usize| {
            let start = edge(1 - axis);
            let len = edge(3 - axis) - start;
            let len = if self.half_pixel { len } else { len.max(1.0) };
            let cell = len / self.output[axis] as f64;
            // A box cannot ask for more samples than four for each pixel there is.
            let most = 4 * pixels[axis] + 4;
            let samples = if self.samples > 0 { self.samples } else { (cell.ceil().max(0.0) as usize).min(most) };
            let sample = move |c: usize, s: usize| start + c as f64 * cell + (s as f64 + 0.5) * cell / samples as f64;
            (samples, sample)
        };
        let ((down, y), (across, x)) = (along(0), along(1));
        let [rows, columns] = self.output;
        let all = [rows, columns, down, across].iter().try_fold(1usize, |n, &k| n.checked_mul(k));
        let Some(all) = all.filter(|&n| n <= MOST_SAMPLES) else {
            return Err(OpsError::argument(OP, format!("a box {area:?} of {down} by {across} samples in each cell")));
        };
        let mut made = Vec::new();
        made.try_reserve_exact(all).map_err(|_| too_large(OP))?;
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let each = (0..down).flat_map(|i| (0..across).map(move |j| (i, j)));
            made.extend(each.map(|(i, j)| four(y(row, i), x(column, j), pixels)));
        }
        Ok((down * across, made))
    }
}

/// The four pixels about a point.
fn four<T: Real>(y: f64, x: f64, [rows, columns]: [usize; 2]) -> Sample<T> {
    if !((-1.0..=rows as f64).contains(&y) && (-1.0..=columns as f64).contains(&x)) {
        return [(0, T::zero()); 4];
    }
    let along = |x: f64, n: usize| {
        let x = x.max(0.0);
        let low = (x as usize).min(n - 1);
        if low + 1 >= n { (n - 1, n - 1, 0.0) } else { (low, low + 1, x - low as f64) }
    };
    let ((top, bottom, dy), (left, right, dx)) = (along(y, rows), along(x, columns));
    let at = |y: usize, x: usize, w: f64| (y * columns + x, T::of(w));
    [
        at(top, left, (1.0 - dy) * (1.0 - dx)),
        at(top, right, (1.0 - dy) * dx),
        at(bottom, left, dy * (1.0 - dx)),
        at(bottom, right, dy * dx),
    ]
}

/// Columns `[batch, channels * taps, windows]` added back into images of these lengths.
///
/// # Errors
/// When shapes do not fit, elements are no floats, or memory cannot be had.
pub fn columns_to_image(
    lane: &Lane,
    x: &ArrayData,
    image: &[usize],
    kernel: &[usize],
    sliding: &Sliding,
) -> Result<ArrayData, OpsError> {
    const OP: &str = "Col2Im";
    let found = x.layout().shape();
    let window = sliding.window(OP, image, kernel)?;
    let taps = window.taps();
    let &[batch, rows, windows] = found else {
        return Err(OpsError::argument(OP, format!("columns of shape {found:?}; they have three axes")));
    };
    if !rows.is_multiple_of(taps) || windows != window.outputs() {
        let n = window.outputs();
        return Err(OpsError::argument(OP, format!("columns of shape {found:?} for {n} windows of {taps} taps")));
    }
    let channels = rows / taps;
    let shape: Vec<usize> = [batch, channels].into_iter().chain(image.iter().copied()).collect();
    let wide = wide_dtype(OP, x.dtype())?;
    let dense = dense_as(x, wide)?;
    let done = with_real!(OP, wide, T => {
        let from = elements::<T>(&dense)?;
        fill::<T>(lane, OP, &shape, (batch * channels).max(1), from.len(), |_, i, out| {
            out.fill(T::zero());
            for tap in 0..taps {
                scatter(&window, tap, &from[(i * taps + tap) * windows..][..windows], out);
            }
            Ok(())
        })
    })?;
    in_dtype(done, x.dtype())
}

/// A convolution whose taps lie where offsets say.
#[derive(Clone, Debug, Default)]
pub struct DeformConv {
    /// Strides, dilations, pads.
    pub sliding: Sliding,
    /// Groups of channels.
    pub groups: usize,
    /// Groups of channels that share offsets.
    pub offset_groups: usize,
}

impl DeformConv {
    /// Images `[batch, channels, rows, columns]`, weights, offsets and, maybe, a factor for each tap.
    ///
    /// # Errors
    /// When shapes do not fit, elements are no floats, or memory cannot be had.
    pub fn call(
        &self,
        lane: &Lane,
        x: &ArrayData,
        weights: &ArrayData,
        offsets: &ArrayData,
        bias: Option<&ArrayData>,
        mask: Option<&ArrayData>,
    ) -> Result<ArrayData, OpsError> {
        const OP: &str = "DeformConv";
        let (shape, filter) = (x.layout().shape(), weights.layout().shape());
        let fail = || OpsError::argument(OP, format!("images of shape {shape:?} and weights of shape {filter:?}"));
        let (&[batch, channels, rows, columns], &[outputs, each, kh, kw]) = (shape, filter) else { return Err(fail()) };
        let window = self.sliding.window(OP, &[rows, columns], &[kh, kw])?;
        let (taps, pixels) = (kh * kw, window.outputs());
        let (groups, sharing) = (self.groups, self.offset_groups);
        let whole = groups > 0 && sharing > 0 && each * groups == channels && outputs.is_multiple_of(groups);
        if !whole || !channels.is_multiple_of(sharing) {
            return Err(fail());
        }
        let counted = |x: &ArrayData, n: usize| x.layout().len() == n;
        let fits = counted(offsets, batch * sharing * taps * 2 * pixels)
            && mask.is_none_or(|m| counted(m, batch * sharing * taps * pixels))
            && bias.is_none_or(|b| counted(b, outputs));
        if !fits {
            let found = offsets.layout().shape();
            return Err(OpsError::argument(
                OP,
                format!("offsets of shape {found:?} for {taps} taps and {pixels} outputs"),
            ));
        }
        let wide = wide_dtype(OP, x.dtype())?;
        let (images, weights, offsets) = (dense_as(x, wide)?, dense_as(weights, wide)?, dense_as(offsets, wide)?);
        let bias = bias.map(|b| dense_as(b, wide)).transpose()?;
        let mask = mask.map(|m| dense_as(m, wide)).transpose()?;
        let [_, high, broad] = &window.axes;
        let done = with_real!(OP, wide, T => {
            let (from, w, offsets) = (elements::<T>(&images)?, elements::<T>(&weights)?, elements::<T>(&offsets)?);
            let bias = bias.as_deref().map(elements::<T>).transpose()?;
            let mask = mask.as_deref().map(elements::<T>).transpose()?;
            let out_shape = [batch, outputs, high.output, broad.output];
            let cost = batch * pixels * taps * channels * (20 + outputs / groups);
            let bent = Bent { window: &window, offsets, mask, size: [rows, columns] };
            fill::<T>(lane, OP, &out_shape, batch.max(1), cost, |lane, b, out| {
                for (o, out) in out.chunks_exact_mut(pixels).enumerate() {
                    out.fill(bias.map_or(T::zero(), |bias| bias[o]));
                }
                scratch::<T, _>(lane, OP, pixels, |seen| {
                    for (c, tap) in (0..channels).flat_map(|c| (0..taps).map(move |tap| (c, tap))) {
                        let image = &from[(b * channels + c) * rows * columns..][..rows * columns];
                        bent.see(image, b * sharing + c / (channels / sharing), tap, seen);
                        let (group, member) = (c / each, c % each);
                        for o in group * (outputs / groups)..(group + 1) * (outputs / groups) {
                            let w = w[(o * each + member) * taps + tap];
                            out[o * pixels..][..pixels].iter_mut().zip(&*seen).for_each(|(o, s)| *o += *s * w);
                        }
                    }
                    Ok(())
                })
            })
        })?;
        in_dtype(done, x.dtype())
    }
}

/// What bent kernels see.
struct Bent<'a, T> {
    window: &'a Window,
    /// Along rows and columns, of each tap of those that share them, for each output.
    offsets: &'a [T],
    /// Factors, alike.
    mask: Option<&'a [T]>,
    /// Rows and columns of an image.
    size: [usize; 2],
}

impl<T: Real> Bent<'_, T> {
    /// What a tap sees of an image from every output, moved as the offsets of `share` say.
    fn see(&self, image: &[T], share: usize, tap: usize, seen: &mut [T]) {
        let ([_, high, broad], pixels) = (&self.window.axes, seen.len());
        let [_, down, across] = self.window.tap(tap);
        let at = share * self.window.taps() + tap;
        let (dy, dx) = self.offsets[at * 2 * pixels..][..2 * pixels].split_at(pixels);
        for (p, s) in seen.iter_mut().enumerate() {
            let y = high.position(p / broad.output, down) as f64 + dy[p].wide();
            let x = broad.position(p % broad.output, across) as f64 + dx[p].wide();
            *s = bilinear(image, y, x, self.size);
        }
        if let Some(mask) = self.mask {
            seen.iter_mut().zip(&mask[at * pixels..][..pixels]).for_each(|(s, m)| *s *= *m);
        }
    }
}

/// An image between its pixels, zero outside.
fn bilinear<T: Real>(image: &[T], y: f64, x: f64, [rows, columns]: [usize; 2]) -> T {
    let (top, left) = (y.floor(), x.floor());
    let (dy, dx) = (y - top, x - left);
    let at = |row: f64, column: f64, weight: f64| {
        let inside = row >= 0.0 && column >= 0.0 && row < rows as f64 && column < columns as f64;
        if inside { image[row as usize * columns + column as usize] * T::of(weight) } else { T::zero() }
    };
    at(top, left, (1.0 - dy) * (1.0 - dx))
        + at(top, left + 1.0, (1.0 - dy) * dx)
        + at(top + 1.0, left, dy * (1.0 - dx))
        + at(top + 1.0, left + 1.0, dy * dx)
}
