//! The types of elements that the standard knows, one row each.
use crate::Fault;
use freelane_array::DType;

/// A type of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataType {
    /// Its number in a file.
    pub code: i64,
    /// Its name in the standard.
    pub name: &'static str,
    /// Bits an element; 0 for texts.
    pub bits: u32,
}

/// All types of elements.
pub const DATA_TYPES: &[DataType] = &[
    row(1, "float", 32),
    row(2, "uint8", 8),
    row(3, "int8", 8),
    row(4, "uint16", 16),
    row(5, "int16", 16),
    row(6, "int32", 32),
    row(7, "int64", 64),
    row(8, "string", 0),
    row(9, "bool", 8),
    row(10, "float16", 16),
    row(11, "double", 64),
    row(12, "uint32", 32),
    row(13, "uint64", 64),
    row(14, "complex64", 64),
    row(15, "complex128", 128),
    row(16, "bfloat16", 16),
    row(17, "float8e4m3fn", 8),
    row(18, "float8e4m3fnuz", 8),
    row(19, "float8e5m2", 8),
    row(20, "float8e5m2fnuz", 8),
    row(21, "uint4", 4),
    row(22, "int4", 4),
    row(23, "float4e2m1", 4),
    row(24, "float8e8m0", 8),
    row(25, "uint2", 2),
    row(26, "int2", 2),
];

const fn row(code: i64, name: &'static str, bits: u32) -> DataType {
    DataType { code, name, bits }
}

impl DataType {
    /// The type of a number in a file.
    ///
    /// ```
    /// use freelane_onnx::DataType;
    /// assert_eq!(DataType::of(7)?.name, "int64");
    /// assert!(DataType::of(99).is_err());
    /// # Ok::<(), freelane_onnx::Fault>(())
    /// ```
    ///
    /// # Errors
    /// When there is none.
    pub fn of(code: i64) -> Result<&'static DataType, Fault> {
        DATA_TYPES.iter().find(|row| row.code == code).ok_or(Fault::UnknownDataType(code))
    }

    /// The dtype of arrays of it. Integers of two and four bits are carried as int8 and uint8, floats of four and eight bits as
    /// float32.
    ///
    /// # Errors
    /// When there is none.
    pub fn dtype(&self) -> Result<DType, Fault> {
        if let Some(narrow) = self.narrow() {
            return Ok(narrow.carrier());
        }
        let dtype = DType::ALL.iter().find(|d| i64::from(d.onnx_code()) == self.code);
        dtype.copied().ok_or(Fault::UnsupportedDataType(self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dtype_is_a_type_of_the_standard() {
        for dtype in DType::ALL {
            let row = DataType::of(dtype.onnx_code().into()).unwrap();
            assert_eq!((row.dtype().unwrap(), row.bits as usize), (*dtype, dtype.size() * 8));
        }
    }
}
