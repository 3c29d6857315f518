//! Values written to elements by number.
use super::rearrange::part;
use crate::function::{Kind, Param};
use crate::{Array, IndexItem, Op, Operand, OpsError, Run};

impl Array {
    /// Writes values to the elements with these numbers in row-major order. If there are fewer values than numbers, they come
    /// again from the first on; where an element is named twice, the last value remains.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let mut x = Array::arange(0, 6, 1)?.reshape(&[2, 3])?;
    /// x.put(&Array::from_slice(&[0i64, -1, 3])?, &Array::from_slice(&[7i64, 8])?)?;
    /// assert_eq!(x.to_vec::<i64>()?, [7, 1, 2, 7, 4, 8]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When a number lies outside of the array, `indices` does not hold integers, there are no values, the kind of the values
    /// cannot be held, or memory cannot be had.
    pub fn put<'a>(&mut self, indices: &Array, values: impl Into<Operand<'a>>) -> Result<(), OpsError> {
        const OP: &str = "put";
        let indices = flat(indices)?;
        if indices.is_empty() {
            return Ok(());
        }
        if self.rank() == 1 {
            return write(self, IndexItem::Ints(indices), values.into()).map_err(|e| e.of(OP));
        }
        let shape: Vec<isize> = self.shape().iter().map(|&n| n as isize).collect();
        // Taken out and put back, so that nobody shares the storage while it is written.
        let mut flat = std::mem::replace(self, Array::zeros(&[0], self.dtype())?).reshape(&[-1])?;
        let written = write(&mut flat, IndexItem::Ints(indices), values.into()).map_err(|e| e.of(OP));
        *self = flat.reshape(&shape)?;
        written
    }
}

fn write(x: &mut Array, indices: IndexItem, values: Operand<'_>) -> Result<(), OpsError> {
    indices.check("put")?;
    let IndexItem::Ints(numbers) = &indices else { unreachable!("made of integers") };
    let n = numbers.len();
    match values {
        Operand::Scalar(value) => x.set_items(&[indices], value),
        Operand::Array(values) => {
            let values = flat(&values.clone().into())?;
            match values.len() {
                0 => Err(OpsError::argument("put", format!("there are no values for {n} elements"))),
                len if len < n => x.set_items(&[indices], &front(&values.tile(&[n.div_ceil(len)])?, n)?),
                _ => x.set_items(&[indices], &front(&values, n)?),
            }
        }
    }
}

fn flat(x: &Array) -> Result<Array, OpsError> {
    if x.rank() == 1 { Ok(x.clone()) } else { x.reshape(&[-1]) }
}

fn front(x: &Array, n: usize) -> Result<Array, OpsError> {
    if x.len() == n { Ok(x.clone()) } else { part(x, 0, None, Some(n as isize)) }
}

pub(crate) static PUT: Op = Op {
    name: "put",
    doc: "A copy of x with values written to the elements that have these numbers in row-major order. If there are fewer values \
          than numbers, they come again from the first on.",
    params: &[
        Param::required("x", Kind::Operand),
        Param::required("indices", Kind::Operand).whole(),
        Param::required("values", Kind::Operand),
    ],
    run: Run::One(|_, a| {
        let mut x = a.array(0)?;
        x.put(&a.array(1)?, a.operand(2)?)?;
        Ok(x)
    }),
    onnx: None,
};
