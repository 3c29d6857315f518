//! The parts of complex numbers, as views.
use crate::function::{Kind, Param};
use crate::{Array, InOp, Op, OpsError, Run};
use freelane_array::{ArrayData, Kind as Family, Layout, Strides};

impl Array {
    /// The real parts of complex numbers, sharing storage; a real array itself.
    ///
    /// # Errors
    /// When strides exceed the address space.
    pub fn real(&self) -> Result<Array, OpsError> {
        if self.dtype().kind() == Family::Complex { part("real", self, 0) } else { Ok(self.clone()) }
    }

    /// The imaginary parts of complex numbers, sharing storage; zeros for a real array.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let z = Array::from_vec(vec![num_complex::Complex::new(1.0, 2.0)], &[1])?;
    /// assert_eq!((z.real()?.to_vec::<f64>()?, z.imag()?.to_vec::<f64>()?), (vec![1.0], vec![2.0]));
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Array::real`]; also when memory for the zeros cannot be had.
    pub fn imag(&self) -> Result<Array, OpsError> {
        if self.dtype().kind() == Family::Complex { part("imag", self, 1) } else { self.zeros_like() }
    }
}

/// Part 0 or 1 of each number.
fn part(op: &'static str, z: &Array, part: usize) -> Result<Array, OpsError> {
    let from = z.data().layout();
    let strides: Strides = from.strides().iter().map(|s| s.wrapping_mul(2)).collect();
    let offset = if from.is_empty() { 0 } else { from.offset() * 2 + part };
    let layout = Layout::strided(from.shape(), &strides, offset).in_op(op)?;
    // SAFETY: a complex number is two real ones side by side, both initialised.
    unsafe { ArrayData::new(z.data().buffer().clone(), z.dtype().real(), layout) }.in_op(op).map(Into::into)
}

const X: Param = Param::required("x", Kind::Operand);

pub(crate) static REAL: Op = Op {
    name: "real",
    doc: "The real parts of complex numbers; a real array itself.",
    params: &[X],
    run: Run::One(|_, a| a.array(0)?.real()),
    onnx: None,
};

pub(crate) static IMAG: Op = Op {
    name: "imag",
    doc: "The imaginary parts of complex numbers; zeros for a real array.",
    params: &[X],
    run: Run::One(|_, a| a.array(0)?.imag()),
    onnx: None,
};
