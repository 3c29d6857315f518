//! The element types, one row each. Adding a dtype is adding a row.
use crate::types::{C64, C128, bf16, f16};
use std::fmt;

/// The family of an element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// True or false, one byte.
    Bool,
    /// Unsigned integers.
    Unsigned,
    /// Signed integers, two's complement.
    Signed,
    /// Binary floating point.
    Float,
    /// A real and an imaginary part.
    Complex,
}

/// A type that arrays can hold.
///
/// # Safety
/// `DTYPE` names this very type, and the type has no padding, no drop glue and no interior mutability.
pub unsafe trait Element: Copy + Default + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The row of this type.
    const DTYPE: DType;
}

// `$d` is a dollar sign: the macro writes `with_dtype!`, whose own variables must pass through.
macro_rules! dtypes {
    ($d:tt $($(#[$doc:meta])* $variant:ident: $ty:ty, $short:literal, $name:literal, $kind:ident, numpy $np:literal, onnx $onnx:literal, safetensors $st:literal;)*) => {
        /// The type of an array's elements.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum DType { $($(#[$doc])* $variant),* }

        impl DType {
            /// All rows, in the order of their discriminants.
            pub const ALL: &'static [DType] = &[$(DType::$variant),*];
            /// The number of rows: the width of a dispatch table.
            pub const COUNT: usize = Self::ALL.len();

            /// Bytes in one element.
            #[inline]
            pub const fn size(self) -> usize {
                const SIZES: [usize; DType::COUNT] = [$(size_of::<$ty>()),*];
                SIZES[self as usize]
            }

            /// Alignment of one element in bytes.
            pub const fn align(self) -> usize {
                match self { $(DType::$variant => align_of::<$ty>()),* }
            }

            /// The name of the Array API standard, `float32` for one.
            pub const fn name(self) -> &'static str {
                match self { $(DType::$variant => $name),* }
            }

            /// The short name, `f32` for one.
            pub const fn short_name(self) -> &'static str {
                match self { $(DType::$variant => $short),* }
            }

            /// The family.
            #[inline]
            pub const fn kind(self) -> Kind {
                match self { $(DType::$variant => Kind::$kind),* }
            }

            /// NumPy's type code without the byte order, `f4` for one; `None` where NumPy has no such type.
            pub fn numpy_code(self) -> Option<&'static str> {
                let code = match self { $(DType::$variant => $np),* };
                (!code.is_empty()).then_some(code)
            }

            /// `TensorProto.DataType` of ONNX.
            pub const fn onnx_code(self) -> i32 {
                match self { $(DType::$variant => $onnx),* }
            }

            /// The name in a .safetensors header, `F32` for one.
            pub fn safetensors_name(self) -> &'static str {
                match self { $(DType::$variant => $st),* }
            }
        }

        $(
            // SAFETY: the row pairs the variant with its type; all of them are plain numbers (or `bool`) without padding.
            unsafe impl Element for $ty { const DTYPE: DType = DType::$variant; }
        )*

        /// Runs a body with `T` standing for the Rust type of a dtype: `with_dtype!(dtype, T => size_of::<T>())`.
        #[macro_export]
        macro_rules! with_dtype {
            ($d value:expr, $d T:ident => $d body:expr) => {
                match $d value {
                    $($crate::DType::$variant => { #[allow(unused_imports)] use $crate::types::*; type $d T = $ty; $d body })*
                }
            };
        }
    };
}

dtypes! { $
    /// True or false, one byte holding 0 or 1.
    Bool: bool, "bool", "bool", Bool, numpy "b1", onnx 9, safetensors "BOOL";
    /// Unsigned 8-bit integer.
    U8: u8, "u8", "uint8", Unsigned, numpy "u1", onnx 2, safetensors "U8";
    /// Signed 8-bit integer.
    I8: i8, "i8", "int8", Signed, numpy "i1", onnx 3, safetensors "I8";
    /// Unsigned 16-bit integer.
    U16: u16, "u16", "uint16", Unsigned, numpy "u2", onnx 4, safetensors "U16";
    /// Signed 16-bit integer.
    I16: i16, "i16", "int16", Signed, numpy "i2", onnx 5, safetensors "I16";
    /// Unsigned 32-bit integer.
    U32: u32, "u32", "uint32", Unsigned, numpy "u4", onnx 12, safetensors "U32";
    /// Signed 32-bit integer.
    I32: i32, "i32", "int32", Signed, numpy "i4", onnx 6, safetensors "I32";
    /// Unsigned 64-bit integer.
    U64: u64, "u64", "uint64", Unsigned, numpy "u8", onnx 13, safetensors "U64";
    /// Signed 64-bit integer.
    I64: i64, "i64", "int64", Signed, numpy "i8", onnx 7, safetensors "I64";
    /// IEEE 754 half precision: 5 bits of exponent, 10 of mantissa.
    F16: f16, "f16", "float16", Float, numpy "f2", onnx 10, safetensors "F16";
    /// The upper half of an `F32`: 8 bits of exponent, 7 of mantissa.
    BF16: bf16, "bf16", "bfloat16", Float, numpy "", onnx 16, safetensors "BF16";
    /// IEEE 754 single precision.
    F32: f32, "f32", "float32", Float, numpy "f4", onnx 1, safetensors "F32";
    /// IEEE 754 double precision.
    F64: f64, "f64", "float64", Float, numpy "f8", onnx 11, safetensors "F64";
    /// Two `F32`: real and imaginary part.
    C64: C64, "c64", "complex64", Complex, numpy "c8", onnx 14, safetensors "C64";
    /// Two `F64`: real and imaginary part.
    C128: C128, "c128", "complex128", Complex, numpy "c16", onnx 15, safetensors "C128";
}

impl DType {
    /// The dtype of either name, `float32` or `f32`.
    ///
    /// ```
    /// # use freelane_array::DType;
    /// assert_eq!(DType::from_name("float32"), Some(DType::F32));
    /// assert_eq!(DType::from_name("f32"), Some(DType::F32));
    /// assert_eq!(DType::from_name("float33"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<DType> {
        Self::ALL.iter().copied().find(|d| d.name() == name || d.short_name() == name)
    }

    /// Whether values can be ordered: everything but complex numbers.
    pub const fn is_real(self) -> bool {
        !matches!(self.kind(), Kind::Complex)
    }

    /// Whether this is a signed or unsigned integer type.
    pub const fn is_integer(self) -> bool {
        matches!(self.kind(), Kind::Unsigned | Kind::Signed)
    }

    /// Whether this is a real or complex floating-point type.
    pub const fn is_inexact(self) -> bool {
        matches!(self.kind(), Kind::Float | Kind::Complex)
    }

    /// The real type of a complex type's parts; every other type itself.
    pub const fn real(self) -> DType {
        match self {
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            other => other,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_agree_with_their_types() {
        for (i, &d) in DType::ALL.iter().enumerate() {
            assert_eq!(d as usize, i);
            assert_eq!(DType::from_name(d.name()), Some(d));
            assert_eq!(DType::from_name(d.short_name()), Some(d));
            with_dtype!(d, T => {
                assert_eq!(T::DTYPE, d);
                assert_eq!((size_of::<T>(), align_of::<T>()), (d.size(), d.align()));
            });
        }
    }

    #[test]
    fn codes_are_distinct() {
        let onnx: std::collections::HashSet<_> = DType::ALL.iter().map(|d| d.onnx_code()).collect();
        assert_eq!(onnx.len(), DType::COUNT);
    }
}
