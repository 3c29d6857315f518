//! Images of another size. Axes are resampled one after the other, each by a short list of weighted places.
use crate::arrays::{Real, around, dense_as, elements, fill, in_dtype, too_large, with_real, with_room};
use freelane_array::{ArrayData, DType, Element};
use freelane_ops::{Array, InOp, OpsError};
use freelane_pool::Lane;
use std::borrow::Cow;

const OP: &str = "Resize";
/// About how long a place and its weight take to be found.
const TAP_NS: u64 = 20;

/// Where an output lies in the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coordinates {
    /// Pixels are areas; scaled about the corner of the image.
    #[default]
    HalfPixel,
    /// As `HalfPixel`, about the middle.
    HalfPixelSymmetric,
    /// As `HalfPixel`; a single output lies at the first pixel.
    PytorchHalfPixel,
    /// The outermost pixels lie on each other.
    AlignCorners,
    /// Pixels are points from the corner on.
    Asymmetric,
    /// Within a region of the input.
    CropAndResize,
}

/// Which neighbour is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nearest {
    /// The nearest, of two the lower one.
    #[default]
    PreferFloor,
    /// The nearest, of two the higher one.
    PreferCeil,
    /// The lower one.
    Floor,
    /// The higher one.
    Ceil,
}

/// What lies between pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Between {
    /// One of them.
    Nearest(Nearest),
    /// A straight line.
    Linear,
    /// A cubic curve with this coefficient.
    Cubic(f32),
}

/// How images are resized.
#[derive(Clone, Debug, PartialEq)]
pub struct Resize {
    /// Where outputs lie.
    pub coordinates: Coordinates,
    /// What lies between pixels.
    pub between: Between,
    /// Whether smaller images are of weighted means.
    pub antialias: bool,
    /// Whether places outside have no weight.
    pub exclude_outside: bool,
    /// What lies outside, for regions.
    pub outside: f32,
}

/// One axis: pixels of the output, how many to a pixel of the input, and its region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisTo {
    /// The axis.
    pub axis: usize,
    /// Pixels.
    pub output: usize,
    /// The scale, as it was given.
    pub scale: f64,
    /// Beginning and end of the region, as parts of the axis.
    pub region: [f64; 2],
}

/// Places and weights of each output: `taps` of them, side by side; and which outputs lie outside.
struct Weights {
    taps: usize,
    places: Vec<usize>,
    weights: Vec<f64>,
    outside: Vec<bool>,
}

impl Resize {
    /// Where output `y` lies.
    fn position(&self, y: f64, to: &AxisTo, input: usize) -> f64 {
        let (input, output) = (input as f64, to.scale * input as f64);
        match self.coordinates {
            Coordinates::HalfPixel => (y + 0.5) / to.scale - 0.5,
            Coordinates::HalfPixelSymmetric => {
                let adjusted = to.output as f64 / output;
                input / 2.0 * (1.0 - adjusted) + (y + 0.5) / to.scale - 0.5
            }
            Coordinates::PytorchHalfPixel if output == 1.0 => -0.5,
            Coordinates::PytorchHalfPixel => (y + 0.5) / to.scale - 0.5,
            Coordinates::AlignCorners if output == 1.0 => 0.0,
            Coordinates::AlignCorners => y * (input - 1.0) / (output - 1.0),
            Coordinates::Asymmetric => y / to.scale,
            Coordinates::CropAndResize => {
                let [start, end] = to.region;
                let inside = if output == 1.0 {
                    (end - start) * (input - 1.0) / 2.0
                } else {
                    y * (end - start) * (input - 1.0) / (output - 1.0)
                };
                inside + start * (input - 1.0)
            }
        }
    }

    /// How many pixels each output is made of.
    fn taps(&self, scale: f64) -> usize {
        match self.between {
            Between::Nearest(_) => 1,
            _ => (2 - 2 * self.first_tap(scale)) as usize,
        }
    }

    /// Where the first of them lies, seen from the lower neighbour.
    fn first_tap(&self, scale: f64) -> i64 {
        let scale = if self.antialias { scale.min(1.0) } else { 1.0 };
        let reach = if matches!(self.between, Between::Cubic(_)) { 2.0 } else { 1.0 };
        // Far fewer than would overflow, and more than memory can hold.
        ((-reach / scale).floor() as i64).max(-(1 << 60)) + 1
    }

    /// Weights of the neighbours of a place that lies `ratio` behind the lower one.
    fn coefficients(&self, ratio: f64, scale: f64, out: &mut Vec<f64>) {
        let start = self.first_tap(scale);
        let scale = if self.antialias { scale.min(1.0) } else { 1.0 };
        let curve: &dyn Fn(f64) -> f64 = match self.between {
            Between::Cubic(a) => &move |x: f64| cubic(x, a.into()),
            _ => &|x: f64| (1.0 - x.abs()).max(0.0),
        };
        let weight = |i: i64| curve((i as f64 - ratio) * scale);
        out.extend((start..2 - start).map(weight));
        if self.antialias {
            let n = (2 - 2 * start) as usize;
            let first = out.len() - n;
            let sum: f64 = out[first..].iter().sum();
            out[first..].iter_mut().for_each(|w| *w /= sum);
        }
    }

    /// Places and weights of all outputs of an axis.
    fn weights(&self, lane: &Lane, to: &AxisTo, input: usize) -> Result<Weights, OpsError> {
        let taps = self.taps(to.scale);
        let all = taps.checked_mul(to.output).ok_or_else(|| too_large(OP))?;
        let weighted = if matches!(self.between, Between::Nearest(_)) { 0 } else { all };
        let (places, weights) = (with_room(OP, all)?, with_room(OP, weighted)?);
        let mut made = Weights { taps, places, weights, outside: with_room(OP, to.output)? };
        let cost = (all as u64).saturating_mul(TAP_NS);
        lane.try_for(to.output, cost, |y| self.weigh(y, to, input, &mut made)).in_op(OP)?;
        Ok(made)
    }

    /// Those of one output.
    fn weigh(&self, y: usize, to: &AxisTo, input: usize, made: &mut Weights) {
        let last = input as i64 - 1;
        let x = self.position(y as f64, to, input);
        made.outside.push(self.coordinates == Coordinates::CropAndResize && !(0.0..=last as f64).contains(&x));
        if let Between::Nearest(nearest) = self.between {
            made.places.push((nearest.of(x) as i64).clamp(0, last) as usize);
            return;
        }
        // A place on a pixel counts as lying just before it.
        let below = x.ceil() - 1.0;
        let before = made.weights.len();
        self.coefficients(x - below, to.scale, &mut made.weights);
        let first = (below as i64).saturating_add(1 - made.taps as i64 / 2);
        let places = (0..made.taps as i64).map(|i| first.saturating_add(i));
        if self.exclude_outside {
            let weights = &mut made.weights[before..];
            for (w, place) in weights.iter_mut().zip(places.clone()) {
                *w = if (0..=last).contains(&place) { *w } else { 0.0 };
            }
            let sum: f64 = weights.iter().sum();
            if sum != 0.0 {
                weights.iter_mut().for_each(|w| *w /= sum);
            }
        }
        made.places.extend(places.map(|place| place.clamp(0, last) as usize));
    }

    /// Finds places and weights for arrays like this one.
    ///
    /// # Errors
    /// When an axis without pixels is to have some, a scale is not positive, memory for tables or the result cannot be had, or
    /// the loop is interrupted.
    pub fn plan(&self, lane: &Lane, x: &ArrayData, axes: &[AxisTo]) -> Result<Resampling, OpsError> {
        let shape = x.layout().shape();
        let mut result = shape.to_vec();
        for to in axes {
            let input = shape[to.axis];
            if input == 0 && to.output > 0 || to.scale.is_nan() || to.scale <= 0.0 {
                let (n, scale) = (to.output, to.scale);
                return Err(OpsError::argument(OP, format!("{input} pixels to {n} by {scale}")));
            }
            result[to.axis] = to.output;
        }
        // Tables are as long as axes are: so whether there is memory for the result is asked first.
        let room = Array::empty_in(lane, &result, x.dtype()).map_err(|e| e.of(OP))?;
        let unchanged = |to: &&AxisTo| shape[to.axis] == to.output && to.scale == 1.0 && to.region == [0.0, 1.0];
        let changed = axes.iter().rev().filter(|to| !room.is_empty() && !unchanged(to));
        let steps = changed.map(|to| Ok((to.axis, self.weights(lane, to, shape[to.axis])?)));
        let steps = steps.collect::<Result<_, OpsError>>()?;
        Ok(Resampling { shape: shape.to_vec(), result, steps })
    }

    /// Resizes axes, one after the other.
    ///
    /// # Errors
    /// When the array has another shape than the plan was made for, elements are not supported, or memory cannot be had.
    pub fn run(&self, lane: &Lane, x: &ArrayData, plan: &Resampling) -> Result<ArrayData, OpsError> {
        let dtype = x.dtype();
        if !plan.fits(x) {
            return Err(OpsError::argument(OP, format!("an array of shape {:?}", x.layout().shape())));
        }
        if plan.result.contains(&0) {
            return Ok(Array::zeros(&plan.result, dtype)?.into());
        }
        let taken = matches!(self.between, Between::Nearest(_)) && self.coordinates != Coordinates::CropAndResize;
        let wide = match dtype {
            same if taken => same,
            DType::F64 => DType::F64,
            _ => DType::F32,
        };
        let mut now = dense_as(x, wide)?;
        for (axis, weights) in &plan.steps {
            let next = if taken {
                freelane_array::with_dtype!(wide, T => gather::<T>(lane, &now, *axis, weights))?
            } else {
                with_real!(OP, wide, T => resample::<T>(lane, &now, *axis, weights, self.outside))?
            };
            now = Cow::Owned(next);
        }
        in_dtype(now.into_owned(), dtype)
    }
}

/// Places and weights for arrays of a shape.
pub struct Resampling {
    shape: Vec<usize>,
    result: Vec<usize>,
    steps: Vec<(usize, Weights)>,
}

impl Resampling {
    /// Whether it was made for arrays of this shape.
    pub fn fits(&self, x: &ArrayData) -> bool {
        self.shape == x.layout().shape()
    }
}

impl Nearest {
    fn of(self, x: f64) -> f64 {
        match self {
            Nearest::PreferFloor => (x - 0.5).ceil(),
            Nearest::PreferCeil => (x + 0.5).floor(),
            Nearest::Floor => x.floor(),
            Nearest::Ceil => x.ceil(),
        }
    }
}

/// The cubic convolution kernel.
fn cubic(x: f64, a: f64) -> f64 {
    let x = x.abs();
    if x <= 1.0 {
        ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0
    } else if x < 2.0 {
        ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a
    } else {
        0.0
    }
}

/// The shape with another length of an axis.
fn with(shape: &[usize], axis: usize, n: usize) -> Vec<usize> {
    shape.iter().enumerate().map(|(i, &m)| if i == axis { n } else { m }).collect()
}

/// One pixel of the input for each of the output.
fn gather<T: Element>(lane: &Lane, x: &ArrayData, axis: usize, weights: &Weights) -> Result<ArrayData, OpsError> {
    let (outer, n, inner) = around(x.layout().shape(), axis);
    let from = elements::<T>(x)?;
    let shape = with(x.layout().shape(), axis, weights.places.len());
    fill::<T>(lane, OP, &shape, outer.max(1), outer * inner * weights.places.len(), |_, i, out| {
        let from = &from[i * n * inner..][..n * inner];
        if inner == 1 {
            out.iter_mut().zip(&weights.places).for_each(|(o, p)| *o = from[*p]);
        } else {
            for (out, p) in out.chunks_exact_mut(inner).zip(&weights.places) {
                out.copy_from_slice(&from[p * inner..][..inner]);
            }
        }
        Ok(())
    })
}

/// A weighted sum of pixels of the input for each of the output.
fn resample<T: Real>(
    lane: &Lane,
    x: &ArrayData,
    axis: usize,
    weights: &Weights,
    outside: f32,
) -> Result<ArrayData, OpsError> {
    let (outer, n, inner) = around(x.layout().shape(), axis);
    let from = elements::<T>(x)?;
    let count = weights.outside.len();
    let shape = with(x.layout().shape(), axis, count);
    let nearest = weights.weights.is_empty();
    let factors: Vec<T> =
        if nearest { vec![T::one(); count] } else { weights.weights.iter().map(|w| T::of(*w)).collect() };
    let taps = weights.taps;
    fill::<T>(lane, OP, &shape, outer.max(1), outer * inner * count * taps, |_, i, out| {
        let from = &from[i * n * inner..][..n * inner];
        let each = out.chunks_exact_mut(inner).zip(weights.places.chunks_exact(taps)).zip(factors.chunks_exact(taps));
        for (((out, places), factors), &away) in each.zip(&weights.outside) {
            if away {
                out.fill(T::of(outside.into()));
                continue;
            }
            if inner == 1 {
                out[0] = places.iter().zip(factors).map(|(p, w)| from[*p] * *w).fold(T::zero(), |a, b| a + b);
                continue;
            }
            let (p, w) = (places[0], factors[0]);
            out.iter_mut().zip(&from[p * inner..]).for_each(|(o, x)| *o = *x * w);
            for (p, w) in places[1..].iter().zip(&factors[1..]) {
                out.iter_mut().zip(&from[p * inner..]).for_each(|(o, x)| *o += *x * *w);
            }
        }
        Ok(())
    })
}
