//! Scalars written in a program: they have a kind, and take their width from the arrays beside them.
use crate::OpsError;
use freelane_array::{ArrayData, DType, Kind, with_dtype};
use half::{bf16, f16};
use num_complex::Complex;
use std::fmt;

/// A number without a width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// True or false.
    Bool(bool),
    /// An integer; wide enough for every integer dtype.
    Int(i128),
    /// A real number.
    Float(f64),
    /// A complex number.
    Complex(Complex<f64>),
}

/// One element of any dtype, as bytes that a loop can read with stride zero.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Element16(pub(crate) [u8; 16]);

impl Element16 {
    /// The first element of an array that has one.
    pub(crate) fn read(array: &ArrayData) -> Element16 {
        let mut bytes = [0u8; 16];
        assert!(!array.layout().is_empty());
        // SAFETY: the array has an element, of at most 16 bytes.
        unsafe { array.as_ptr().copy_to_nonoverlapping(bytes.as_mut_ptr(), array.dtype().size()) };
        Element16(bytes)
    }
}

impl Scalar {
    /// The dtype the scalar has on its own: the default of its kind.
    pub const fn default_dtype(self) -> DType {
        match self {
            Scalar::Bool(_) => DType::Bool,
            Scalar::Int(i) if i > i64::MAX as i128 => DType::U64,
            Scalar::Int(_) => DType::I64,
            Scalar::Float(_) => DType::F64,
            Scalar::Complex(_) => DType::C128,
        }
    }

    /// The bytes of the scalar as an element; integers out of the dtype's range are an error.
    pub(crate) fn to_element(self, op: &'static str, dtype: DType) -> Result<Element16, OpsError> {
        let mut bytes = [0u8; 16];
        with_dtype!(dtype, T => {
            let value = <T as FromScalar>::from_scalar(self)
                .ok_or_else(|| OpsError::ScalarRange { op, value: self.to_string(), dtype })?;
            // SAFETY: `bytes` has room for the widest element (16 bytes), and the write does not need alignment.
            unsafe { bytes.as_mut_ptr().cast::<T>().write_unaligned(value) };
        });
        Ok(Element16(bytes))
    }

    /// The value as a real number; `None` when it has an imaginary part.
    fn as_f64(self) -> Option<f64> {
        match self {
            Scalar::Bool(b) => Some(f64::from(u8::from(b))),
            Scalar::Int(i) => Some(i as f64),
            Scalar::Float(x) => Some(x),
            Scalar::Complex(z) => (z.im == 0.0).then_some(z.re),
        }
    }

    pub(crate) fn as_complex(self) -> Complex<f64> {
        match self {
            Scalar::Complex(z) => z,
            other => Complex::new(other.as_f64().unwrap_or(f64::NAN), 0.0),
        }
    }

    fn as_int(self) -> Option<i128> {
        match self {
            Scalar::Bool(b) => Some(i128::from(b)),
            Scalar::Int(i) => Some(i),
            Scalar::Float(x) if x.is_finite() && x.abs() < 1e38 => Some(x.trunc() as i128),
            Scalar::Float(_) | Scalar::Complex(_) => None,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool(b) => write!(f, "{b}"),
            Scalar::Int(i) => write!(f, "{i}"),
            Scalar::Float(x) => write!(f, "{x:?}"),
            Scalar::Complex(z) => write!(f, "({}{:+}j)", z.re, z.im),
        }
    }
}

/// A type that a scalar can be turned into.
pub(crate) trait FromScalar: Sized {
    /// `None` when the value does not fit.
    fn from_scalar(s: Scalar) -> Option<Self>;
}

macro_rules! from_scalar {
    ($($t:ty),*; $s:ident => $e:expr) => { $(impl FromScalar for $t { fn from_scalar($s: Scalar) -> Option<$t> { $e } })* };
}
from_scalar!(u8, i8, u16, i16, u32, i32, u64, i64; s => s.as_int()?.try_into().ok());
from_scalar!(bool; s => Some(s.as_complex() != Complex::new(0.0, 0.0)));
from_scalar!(f64; s => s.as_f64());
from_scalar!(f32; s => Some(s.as_f64()? as f32));
from_scalar!(f16; s => Some(freelane_kernels::convert::CastTo::<f16>::cast(s.as_f64()?)));
from_scalar!(bf16; s => Some(freelane_kernels::convert::CastTo::<bf16>::cast(s.as_f64()?)));
from_scalar!(Complex<f64>; s => Some(s.as_complex()));
from_scalar!(Complex<f32>; s => Some(Complex::new(s.as_complex().re as f32, s.as_complex().im as f32)));

macro_rules! scalar_from {
    ($($t:ty => $v:ident as $as:ty),*) => { $(impl From<$t> for Scalar { fn from(x: $t) -> Scalar { Scalar::$v(<$as>::from(x)) } })* };
}
scalar_from!(bool => Bool as bool, i32 => Int as i128, i64 => Int as i128, u8 => Int as i128, u32 => Int as i128,
             u64 => Int as i128, f32 => Float as f64, f64 => Float as f64, Complex<f64> => Complex as Complex<f64>);

/// The dtype of several scalars without an array among them.
pub(crate) fn promote_scalars(a: DType, b: DType) -> DType {
    let order = |d: DType| match d.kind() {
        Kind::Bool => 0,
        Kind::Unsigned | Kind::Signed => 1,
        Kind::Float => 2,
        Kind::Complex => 3,
    };
    if order(a) >= order(b) { a } else { b }
}
