//! Uniform, normal and exponential values.
use crate::fill::{Fill, Words, array, each};
use crate::math::{ln, turn, unit, unit_above_zero};
use crate::philox::TILE;
use crate::source::Source;
use freelane_array::DType;
use freelane_ops::{Array, OpsError};
use std::marker::PhantomData;

/// A float that values can be.
trait Float: Copy + Default + Sync {
    /// The nearest one.
    fn nearest(x: f64) -> Self;
}

impl Float for f64 {
    #[inline(always)]
    fn nearest(x: f64) -> f64 {
        x
    }
}

impl Float for f32 {
    #[inline(always)]
    fn nearest(x: f64) -> f32 {
        x as f32
    }
}

/// `low + width * u`, with `u` in [0, 1).
#[derive(Clone, Copy)]
struct Uniform {
    low: f64,
    width: f64,
}

impl Fill for Uniform {
    type Out = f64;

    #[inline(always)]
    fn tile(self, words: &Words) -> [f64; TILE] {
        each(words, |word| self.low + self.width * unit(word))
    }
}

/// The same of 24 bits: rounding 53 of them could give 1.
#[derive(Clone, Copy)]
struct UniformSingle {
    low: f32,
    width: f32,
}

impl Fill for UniformSingle {
    type Out = f32;

    #[inline(always)]
    fn tile(self, words: &Words) -> [f32; TILE] {
        each(words, |word| self.low + self.width * ((word >> 40) as i32 as f32 * (1.0 / 16_777_216.0)))
    }
}

#[derive(Clone, Copy)]
struct Exponential<T> {
    scale: f64,
    of: PhantomData<T>,
}

impl<T: Float> Fill for Exponential<T> {
    type Out = T;
    const COST: f64 = 4.0;

    #[inline(always)]
    fn tile(self, words: &Words) -> [T; TILE] {
        each(words, |word| T::nearest(self.scale * (0.0 - ln(unit_above_zero(word)))))
    }
}

/// Two normal values of the two words of a block, by the polar form of the plane (Box and Muller).
#[derive(Clone, Copy)]
struct Normal<T> {
    loc: f64,
    scale: f64,
    of: PhantomData<T>,
}

impl<T: Float> Fill for Normal<T> {
    type Out = T;
    const COST: f64 = 5.0;

    #[inline(always)]
    fn tile(self, words: &Words) -> [T; TILE] {
        let mut values = [T::default(); TILE];
        for i in 0..TILE / 2 {
            let radius = (-2.0 * ln(unit_above_zero(words[2 * i]))).sqrt();
            let (cos, sin) = turn(words[2 * i + 1]);
            values[2 * i] = T::nearest(self.loc + self.scale * (radius * cos));
            values[2 * i + 1] = T::nearest(self.loc + self.scale * (radius * sin));
        }
        values
    }
}

/// `Float32` or `Float64`, or an error that says so.
fn is_single(op: &'static str, dtype: DType) -> Result<bool, OpsError> {
    match dtype {
        DType::F32 => Ok(true),
        DType::F64 => Ok(false),
        _ => Err(OpsError::DType { op, found: vec![dtype], supported: "float32 and float64".to_owned() }),
    }
}

/// Uniform values in [0, 1): the multiples of 2^-53, or of 2^-24 for `float32`.
///
/// # Errors
/// When the dtype is neither `float32` nor `float64`, the sequence ends, or memory cannot be had.
pub fn random(from: Source, shape: &[usize], dtype: DType) -> Result<Array, OpsError> {
    between("random", from, 0.0, 1.0, shape, dtype)
}

/// Uniform values from `low` up to `high`, which rounding may reach.
///
/// # Errors
/// As [`random`], and when the bounds or their distance are not finite.
pub fn uniform(from: Source, low: f64, high: f64, shape: &[usize], dtype: DType) -> Result<Array, OpsError> {
    between("uniform", from, low, high, shape, dtype)
}

fn between(
    op: &'static str,
    from: Source,
    low: f64,
    high: f64,
    shape: &[usize],
    dtype: DType,
) -> Result<Array, OpsError> {
    let width = high - low;
    let single = is_single(op, dtype)?;
    let fits = |x: f64| if single { (x as f32).is_finite() } else { x.is_finite() };
    if !(fits(low) && fits(width)) {
        let message = format!("low, {low}, or the distance to high, {high}, is not finite in {dtype}");
        return Err(OpsError::argument(op, message));
    }
    if single {
        array(op, UniformSingle { low: low as f32, width: width as f32 }, from, shape, dtype)
    } else {
        array(op, Uniform { low, width }, from, shape, dtype)
    }
}

/// Normal values of mean `loc` and standard deviation `scale`.
///
/// # Errors
/// When `scale` is negative or not a number, and as [`random`].
pub fn normal(from: Source, loc: f64, scale: f64, shape: &[usize], dtype: DType) -> Result<Array, OpsError> {
    const OP: &str = "normal";
    not_negative(OP, scale)?;
    if is_single(OP, dtype)? {
        array(OP, Normal::<f32> { loc, scale, of: PhantomData }, from, shape, dtype)
    } else {
        array(OP, Normal::<f64> { loc, scale, of: PhantomData }, from, shape, dtype)
    }
}

/// Exponential values of mean `scale`.
///
/// # Errors
/// As [`normal`].
pub fn exponential(from: Source, scale: f64, shape: &[usize], dtype: DType) -> Result<Array, OpsError> {
    const OP: &str = "exponential";
    not_negative(OP, scale)?;
    if is_single(OP, dtype)? {
        array(OP, Exponential::<f32> { scale, of: PhantomData }, from, shape, dtype)
    } else {
        array(OP, Exponential::<f64> { scale, of: PhantomData }, from, shape, dtype)
    }
}

fn not_negative(op: &'static str, scale: f64) -> Result<(), OpsError> {
    if scale >= 0.0 { Ok(()) } else { Err(OpsError::argument(op, format!("scale must be 0 or more, not {scale}"))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fill::on;
    use freelane_simd::Isa;

    fn bits<F: Fill<Out: Default>>(f: F, of: fn(F::Out) -> u64) {
        let at = Source { seed: 3, stream: 1, position: 5 };
        let want: Vec<u64> = on(Isa::Portable, f, at, 5000).into_iter().map(of).collect();
        for &isa in Isa::available() {
            for (start, n) in [(0, 5000), (1, 1), (7, 33), (64, 64), (999, 2000)] {
                let from = Source { position: at.position + start as u64, ..at };
                let got: Vec<u64> = on(isa, f, from, n).into_iter().map(of).collect();
                assert_eq!(got, want[start..start + n], "{isa}, {n} from {start}");
            }
        }
    }

    #[test]
    fn every_instruction_set_and_every_part_give_the_same_bits() {
        bits(Uniform { low: -1.0, width: 3.0 }, f64::to_bits);
        bits(UniformSingle { low: 0.0, width: 1.0 }, |x| x.to_bits().into());
        bits(Normal::<f64> { loc: 1.0, scale: 2.0, of: PhantomData }, f64::to_bits);
        bits(Normal::<f32> { loc: 1.0, scale: 2.0, of: PhantomData }, |x| x.to_bits().into());
        bits(Exponential::<f64> { scale: 2.0, of: PhantomData }, f64::to_bits);
    }
}
