//! Elements narrower than those of arrays: integers of two and four bits, floats of four and eight.
//!
//! Arrays carry them as elements of the nearest type that holds all their values: int8, uint8 or float32. What makes them
//! rounds to values that the narrow type has.
use crate::{DataType, Fault};
use freelane_array::{DType, Layout};
use freelane_graph::GraphError;
use freelane_ops::Array;

/// What the bits of a narrow type mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Narrow {
    /// An integer of so many bits, with or without a sign.
    Int { bits: u32, signed: bool },
    /// A sign, an exponent, and a mantissa.
    Float(Float),
    /// A power of two, by its exponent.
    Power,
}

/// A floating-point type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Float {
    mantissa: u32,
    bits: u32,
    bias: i32,
    max: f64,
    rest: Rest,
}

/// Which values are no numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rest {
    /// None.
    Nothing,
    /// All ones is NaN.
    Ones,
    /// The bits of negative zero are NaN.
    NegativeZero,
    /// The greatest exponent is infinite and NaN.
    Greatest,
}

const fn float(bits: u32, mantissa: u32, bias: i32, max: f64, rest: Rest) -> Option<Narrow> {
    Some(Narrow::Float(Float { mantissa, bits, bias, max, rest }))
}

const fn int(bits: u32, signed: bool) -> Option<Narrow> {
    Some(Narrow::Int { bits, signed })
}

/// The narrow type of a number in a file, if it is one.
pub(crate) const fn of(code: i64) -> Option<Narrow> {
    match code {
        17 => float(8, 3, 7, 448.0, Rest::Ones),
        18 => float(8, 3, 8, 240.0, Rest::NegativeZero),
        19 => float(8, 2, 15, 57344.0, Rest::Greatest),
        20 => float(8, 2, 16, 57344.0, Rest::NegativeZero),
        21 => int(4, false),
        22 => int(4, true),
        23 => float(4, 1, 1, 6.0, Rest::Nothing),
        24 => Some(Narrow::Power),
        25 => int(2, false),
        26 => int(2, true),
        _ => None,
    }
}

/// How powers of two are rounded to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Towards {
    Up,
    Down,
    Nearest,
}

impl Narrow {
    /// The dtype of arrays that carry it.
    pub fn carrier(self) -> DType {
        match self {
            Narrow::Int { signed: true, .. } => DType::I8,
            Narrow::Int { signed: false, .. } => DType::U8,
            Narrow::Float(_) | Narrow::Power => DType::F32,
        }
    }

    fn bits(self) -> u32 {
        match self {
            Narrow::Int { bits, .. } => bits,
            Narrow::Float(f) => f.bits,
            Narrow::Power => 8,
        }
    }

    /// Bytes that so many elements take in a file.
    pub fn bytes(self, elements: usize) -> usize {
        elements.div_ceil(8 / self.bits() as usize)
    }

    /// The elements of a file as an array.
    pub fn array(self, bytes: &[u8], layout: &Layout) -> Result<Array, Fault> {
        let (n, bits) = (layout.len(), self.bits());
        if bytes.len() != self.bytes(n) {
            let (found, shape) = (bytes.len(), layout.shape());
            return Err(Fault::Invalid(format!(
                "{found} bytes of data for {n} elements of {bits} bits, shape {shape:?}"
            )));
        }
        let per_byte = 8 / bits as usize;
        let code = |i: usize| bytes[i / per_byte] >> (i % per_byte * bits as usize) & (0xff >> (8 - bits));
        let shape = layout.shape();
        Ok(match self {
            Narrow::Int { signed: false, .. } => Array::from_vec((0..n).map(code).collect::<Vec<u8>>(), shape)?,
            Narrow::Int { signed: true, bits } => {
                let signed = |i| ((code(i) << (8 - bits)) as i8) >> (8 - bits);
                Array::from_vec((0..n).map(signed).collect::<Vec<i8>>(), shape)?
            }
            Narrow::Float(f) => Array::from_vec((0..n).map(|i| f.value(code(i))).collect::<Vec<f32>>(), shape)?,
            Narrow::Power => Array::from_vec((0..n).map(|i| power(code(i))).collect::<Vec<f32>>(), shape)?,
        })
    }

    /// An array's elements as ones of this type: integers lose their upper bits, floats are rounded. What is too large
    /// becomes the greatest value, or else infinite or NaN.
    pub fn cast(self, x: &Array, saturate: bool, towards: Towards) -> Result<Array, GraphError> {
        match self {
            Narrow::Int { bits, signed } => {
                let up = 64 - bits;
                let low = |v: i64| if signed { v << up >> up } else { (((v as u64) << up) >> up) as i64 };
                let values: Vec<i64> = x.astype(DType::I64)?.to_vec::<i64>()?.into_iter().map(low).collect();
                Ok(Array::from_vec(values, x.shape())?.astype(self.carrier())?)
            }
            Narrow::Float(f) => self.each(x, |v| f.round(v, saturate)),
            Narrow::Power => self.each(x, |v| nearest_power(v, towards)),
        }
    }

    fn each(self, x: &Array, f: impl Fn(f64) -> f64) -> Result<Array, GraphError> {
        let values: Vec<f32> = x.astype(DType::F64)?.to_vec::<f64>()?.into_iter().map(|v| f(v) as f32).collect();
        Ok(Array::from_vec(values, x.shape())?)
    }

    /// Least and greatest integer.
    pub fn range(self) -> Option<(i64, i64)> {
        match self {
            Narrow::Int { bits, signed: true } => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
            Narrow::Int { bits, signed: false } => Some((0, (1 << bits) - 1)),
            _ => None,
        }
    }
}

impl Float {
    fn value(self, code: u8) -> f32 {
        let sign = code >> (self.bits - 1) & 1;
        let magnitude = u32::from(code) & ((1 << (self.bits - 1)) - 1);
        let (exponent, mantissa) = ((magnitude >> self.mantissa) as i32, magnitude & ((1 << self.mantissa) - 1));
        let greatest = (1 << (self.bits - 1 - self.mantissa)) - 1;
        let nan = match self.rest {
            Rest::Nothing => false,
            Rest::Ones => magnitude == (1 << (self.bits - 1)) - 1,
            Rest::NegativeZero => sign == 1 && magnitude == 0,
            Rest::Greatest => exponent == greatest && mantissa > 0,
        };
        let value = match (self.rest, exponent) {
            _ if nan => return f32::NAN,
            (Rest::Greatest, e) if e == greatest => f64::INFINITY,
            (_, 0) => f64::from(mantissa) * exp2(1 - self.bias - self.mantissa as i32),
            (_, e) => f64::from((1 << self.mantissa) + mantissa) * exp2(e - self.bias - self.mantissa as i32),
        };
        (if sign == 1 { -value } else { value }) as f32
    }

    /// The nearest value; of two the one with an even mantissa.
    fn round(self, x: f64, saturate: bool) -> f64 {
        if x.is_nan() {
            return if self.rest == Rest::Nothing { 0.0 } else { x };
        }
        let step = exp2(exponent_of(x.abs()).max(1 - self.bias) - self.mantissa as i32);
        let rounded = if x.is_infinite() { x } else { (x / step).round_ties_even() * step };
        if rounded.abs() <= self.max {
            // A type whose negative zero is NaN has one zero.
            return if rounded == 0.0 && self.rest == Rest::NegativeZero { 0.0 } else { rounded };
        }
        match self.rest {
            _ if saturate => self.max.copysign(x),
            Rest::Nothing => self.max.copysign(x),
            Rest::Greatest => f64::INFINITY.copysign(x),
            Rest::Ones | Rest::NegativeZero => f64::NAN,
        }
    }
}

/// Two to a power that doubles have as normal numbers.
fn exp2(e: i32) -> f64 {
    f64::from_bits(((e + 1023) as u64) << 52)
}

/// The exponent of a number's leading bit; that of the least normal number, for smaller ones.
fn exponent_of(x: f64) -> i32 {
    ((x.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(-1022)
}

/// The power of two of an exponent as it lies in a file.
fn power(code: u8) -> f32 {
    if code == 0xff { f32::NAN } else { exp2(i32::from(code) - 127) as f32 }
}

fn nearest_power(x: f64, towards: Towards) -> f64 {
    if x < 0.0 || !x.is_finite() {
        return f64::NAN;
    }
    let below = exp2(exponent_of(x));
    let up = match towards {
        Towards::Up => x > below,
        Towards::Down => false,
        Towards::Nearest => x / below >= 1.5,
    };
    (if up { below * 2.0 } else { below }).clamp(exp2(-127), exp2(127))
}

impl DataType {
    /// What its bits mean, if no array has such elements.
    pub(crate) fn narrow(&self) -> Option<Narrow> {
        of(self.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float_of(code: i64) -> Float {
        match of(code) {
            Some(Narrow::Float(f)) => f,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn codes_mean_what_the_standard_says() {
        let e4m3fn = float_of(17);
        assert_eq!([0x38, 0xc0, 0x01, 0x7e].map(|c| e4m3fn.value(c)), [1.0, -2.0, 0.001953125, 448.0]);
        assert!(e4m3fn.value(0x7f).is_nan() && e4m3fn.value(0xff).is_nan());
        let e5m2 = float_of(19);
        assert_eq!([0x3c, 0x7b, 0x7c, 0xfc].map(|c| e5m2.value(c)), [1.0, 57344.0, f32::INFINITY, f32::NEG_INFINITY]);
        assert_eq!([0x40, 0x7f].map(|c| float_of(18).value(c)), [1.0, 240.0]);
        assert!(float_of(20).value(0x80).is_nan());
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(|c| float_of(23).value(c)), [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]);
    }

    #[test]
    fn each_value_rounds_to_itself_and_ties_go_to_even() {
        for code in [17, 18, 19, 20, 23] {
            let f = float_of(code);
            for value in (0..=(0xffu8 >> (8 - f.bits))).map(|c| f64::from(f.value(c))) {
                assert!(f.round(value, false) == value || value.is_nan() || value == 0.0, "{code}: {value}");
            }
        }
        assert_eq!([2.5, 3.5, 0.25, 0.75, 5.0].map(|x| float_of(23).round(x, true)), [2.0, 4.0, 0.0, 1.0, 4.0]);
        assert_eq!(float_of(17).round(1e6, true), 448.0);
        assert!(float_of(17).round(-1e6, false).is_nan());
        assert_eq!(float_of(19).round(-1e6, false), f64::NEG_INFINITY);
    }

    #[test]
    fn integers_are_packed_from_the_low_bits_up() {
        let layout = Layout::contiguous(&[3]).unwrap();
        let ints = of(22).unwrap().array(&[0x8f, 0x07], &layout).unwrap();
        assert_eq!(ints.to_vec::<i8>().unwrap(), [-1, -8, 7]);
        assert!(of(22).unwrap().array(&[0], &layout).is_err());
    }
}
