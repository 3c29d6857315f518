//! Writing tables.
use crate::{Fault, Progress};
use freelane_array::{ArrayView, DType, Element};
use freelane_ops::Array;
use half::{bf16, f16};
use std::fmt::Write as _;
use std::io::Write;

const FORMAT: &str = ".csv";

/// Writes an array of up to two axes, one row a line; one axis becomes a column. Floats come back as the same bits.
pub(crate) fn write(out: &mut impl Write, array: &Array, progress: &mut Progress<'_>) -> Result<(), Fault> {
    let columns = match *array.shape() {
        [] | [_] => 1,
        [_, columns] => columns,
        _ => {
            let found = format!("the array has {} axes", array.rank());
            return Err(Fault::Unwritable { format: FORMAT, holds: "at most two axes", found });
        }
    };
    let table = TableWriter { out, columns, progress };
    match array.dtype() {
        DType::Bool => table.write(array.view::<bool>()?, |x, s| write!(s, "{}", u8::from(x))),
        DType::U8 => table.write(array.view::<u8>()?, |x, s| write!(s, "{x}")),
        DType::I8 => table.write(array.view::<i8>()?, |x, s| write!(s, "{x}")),
        DType::U16 => table.write(array.view::<u16>()?, |x, s| write!(s, "{x}")),
        DType::I16 => table.write(array.view::<i16>()?, |x, s| write!(s, "{x}")),
        DType::U32 => table.write(array.view::<u32>()?, |x, s| write!(s, "{x}")),
        DType::I32 => table.write(array.view::<i32>()?, |x, s| write!(s, "{x}")),
        DType::U64 => table.write(array.view::<u64>()?, |x, s| write!(s, "{x}")),
        DType::I64 => table.write(array.view::<i64>()?, |x, s| write!(s, "{x}")),
        DType::F16 => table.write(array.view::<f16>()?, |x, s| write!(s, "{:?}", x.to_f32())),
        DType::BF16 => table.write(array.view::<bf16>()?, |x, s| write!(s, "{:?}", x.to_f32())),
        DType::F32 => table.write(array.view::<f32>()?, |x, s| write!(s, "{x:?}")),
        DType::F64 => table.write(array.view::<f64>()?, |x, s| write!(s, "{x:?}")),
        DType::C64 | DType::C128 => Err(Fault::unwritable(FORMAT, "no complex numbers", array.dtype())),
    }
}

struct TableWriter<'a, 'p, W> {
    out: &'a mut W,
    columns: usize,
    progress: &'a mut Progress<'p>,
}

impl<W: Write> TableWriter<'_, '_, W> {
    fn write<T: Element>(
        self,
        elements: ArrayView<'_, T>,
        print: impl Fn(T, &mut String) -> std::fmt::Result,
    ) -> Result<(), Fault> {
        const STEP: usize = 1 << 16;
        let (mut line, total) = (String::new(), elements.iter().len());
        for (i, x) in elements.iter().enumerate() {
            // Printing into a string does not fail.
            let _ = print(x, &mut line);
            let ends = (i + 1) % self.columns == 0;
            line.push(if ends { '\n' } else { ',' });
            if ends || line.len() >= STEP {
                self.out.write_all(line.as_bytes())?;
                line.clear();
            }
            if (i + 1) % STEP == 0 || i + 1 == total {
                (self.progress)(i as u64 + 1, total as u64);
            }
        }
        Ok(())
    }
}
