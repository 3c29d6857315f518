//! To and from the `ndarray` crate.
//!
//! Arrays that come from there as owners keep their memory and their strides, and what goes there as a view does too.
//! Copies are what comes from a borrowed array or view, and [`ndarray::ArrayD`], which must own its elements.
use crate::{Array, InOp, OpsError};
use freelane_array::{ArrayData, ArrayError, Element, Layout};
use freelane_mem::BufferMut;
use ndarray::{ArrayBase, ArrayD, ArrayViewD, Axis, Data, Dimension, IxDyn, ShapeBuilder};

impl Array {
    /// The elements as a view of the `ndarray` crate, sharing memory.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let x = Array::from_vec(vec![1.0, 2.0, 3.0, 4.0], &[2, 2])?;
    /// assert_eq!(x.t().as_ndarray::<f64>()?[[0, 1]], 3.0);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When `T` is not the element type, or the shape is empty and too large for that crate.
    pub fn as_ndarray<T: Element>(&self) -> Result<ArrayViewD<'_, T>, OpsError> {
        self.view::<T>()?;
        let layout = self.data().layout();
        check_lengths(layout.shape()).in_op("as_ndarray")?;
        if layout.is_empty() {
            let none = ArrayViewD::from_shape(layout.shape(), &[]);
            return none.map_err(|e| OpsError::argument("as_ndarray", e.to_string()));
        }
        let (mut lowest, mut steps) = (self.data().as_ptr().cast::<T>(), Vec::with_capacity(layout.rank()));
        for (&n, &step) in layout.shape().iter().zip(layout.strides()) {
            if step < 0 {
                lowest = lowest.wrapping_offset(step * (n as isize - 1));
            }
            steps.push(step.unsigned_abs());
        }
        let shape = IxDyn(layout.shape()).strides(IxDyn(&steps));
        // SAFETY: `lowest` is the element at the end of each flipped axis, so that with strides counted upwards the shape
        // reaches the elements that the layout reaches, which are initialised and borrowed with `self`.
        let mut view = unsafe { ArrayViewD::from_shape_ptr(shape, lowest) };
        for (axis, _) in layout.strides().iter().enumerate().filter(|(_, step)| **step < 0) {
            view.invert_axis(Axis(axis));
        }
        Ok(view)
    }
}

impl<T: Element> TryFrom<&Array> for ArrayD<T> {
    type Error = OpsError;

    /// A copy.
    fn try_from(array: &Array) -> Result<ArrayD<T>, OpsError> {
        Ok(array.as_ndarray::<T>()?.to_owned())
    }
}

impl<T: Element, D: Dimension> TryFrom<ndarray::Array<T, D>> for Array {
    type Error = OpsError;

    /// The same memory and strides, whatever the order of the elements.
    fn try_from(array: ndarray::Array<T, D>) -> Result<Array, OpsError> {
        const OP: &str = "from ndarray";
        let (shape, strides) = (array.shape().to_vec(), array.strides().to_vec());
        let (values, offset) = array.into_raw_vec_and_offset();
        let layout = match offset {
            Some(offset) => Layout::strided(&shape, &strides, offset),
            None => Layout::contiguous(&shape),
        };
        let buffer = BufferMut::from_vec(values).in_op(OP)?.freeze();
        // SAFETY: all values of a vector are initialised, and the buffer has exactly those.
        unsafe { ArrayData::new(buffer, T::DTYPE, layout.in_op(OP)?) }.in_op(OP).map(Array::from)
    }
}

impl<T: Element, S: Data<Elem = T>, D: Dimension> TryFrom<&ArrayBase<S, D>> for Array {
    type Error = OpsError;

    /// A copy of an array, a view or a shared array, in row-major order.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let table = ndarray::array![[1.0f32, 2.0], [3.0, 4.0]];
    /// let column = Array::try_from(&table.column(1))?;
    /// assert_eq!(column.to_vec::<f32>()?, [2.0, 4.0]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    fn try_from(array: &ArrayBase<S, D>) -> Result<Array, OpsError> {
        match array.as_slice() {
            Some(values) => Array::from_slice(values)?.reshape(&lengths(array.shape())),
            None => Array::from_vec(array.iter().copied().collect(), array.shape()),
        }
    }
}

fn lengths(shape: &[usize]) -> Vec<isize> {
    shape.iter().map(|&n| n as isize).collect()
}

/// There, the lengths of an empty array must multiply without overflow too.
fn check_lengths(shape: &[usize]) -> Result<(), ArrayError> {
    let count = shape.iter().filter(|&&n| n > 0).try_fold(1usize, |all, &n| all.checked_mul(n));
    let fits = count.is_some_and(|n| isize::try_from(n).is_ok());
    if fits { Ok(()) } else { Err(ArrayError::ShapeOverflow { shape: shape.to_vec() }) }
}
