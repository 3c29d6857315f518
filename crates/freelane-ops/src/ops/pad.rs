//! Elements added before and after each axis.
use crate::function::{Bound, Default, Kind, Param};
use crate::{Array, InOp, Op, OpsError, Run, Scalar, Value};
use freelane_array::{ArrayError, Index, Slice};
use std::mem::MaybeUninit;

/// What [`Array::pad`] puts around an array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pad {
    /// One number.
    Constant(Scalar),
    /// The nearest element.
    Edge,
    /// The elements mirrored at the outermost one, which is not repeated.
    Reflect,
    /// The elements mirrored at the border, so that the outermost one is repeated.
    Symmetric,
    /// The elements of the other end.
    Wrap,
}

impl Array {
    /// With elements added before and after each axis: `widths` has the two numbers of each.
    ///
    /// ```
    /// use freelane_ops::{Array, Pad};
    /// let x = Array::arange(1, 4, 1)?;
    /// assert_eq!(x.pad(&[(2, 1)], Pad::Reflect)?.to_vec::<i64>()?, [3, 2, 1, 2, 3, 2]);
    /// assert_eq!(x.pad(&[(1, 2)], Pad::Constant(0.into()))?.to_vec::<i64>()?, [0, 1, 2, 3, 0, 0]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When there is not one pair for each axis, an empty axis is to be filled with its own elements, the number does not
    /// fit the dtype, or memory cannot be had.
    pub fn pad(&self, widths: &[(usize, usize)], with: Pad) -> Result<Array, OpsError> {
        const OP: &str = "pad";
        if widths.len() != self.rank() {
            let message = format!("{} pairs of widths for {} axes", widths.len(), self.rank());
            return Err(OpsError::argument(OP, message));
        }
        if let Pad::Constant(value) = with {
            return self.pad_constant(widths, value);
        }
        let along = |x: Array, axis: usize| {
            let (before, after) = widths[axis];
            if (before, after) == (0, 0) {
                Ok(x)
            } else {
                x.take(&source(x.shape()[axis], before, after, with)?, axis as isize)
            }
        };
        (0..self.rank()).try_fold(self.clone(), along).map_err(|e| e.of(OP))
    }

    fn pad_constant(&self, widths: &[(usize, usize)], value: Scalar) -> Result<Array, OpsError> {
        let long = |(&n, &(before, after)): (&usize, &(usize, usize))| n.checked_add(before)?.checked_add(after);
        let shape = self.shape().iter().zip(widths).map(long).collect::<Option<Vec<_>>>();
        let overflow = || ArrayError::ShapeOverflow { shape: self.shape().to_vec() };
        let mut out = Array::full(&shape.ok_or_else(overflow).in_op("pad")?, value, self.dtype())?;
        let inside = |(&n, &(before, _)): (&usize, &(usize, usize))| -> Index {
            Slice { start: Some(before as isize), stop: Some((before + n) as isize), step: 1 }.into()
        };
        out.assign(&self.shape().iter().zip(widths).map(inside).collect::<Vec<_>>(), self)?;
        Ok(out)
    }
}

/// Which element of an axis of `n` comes to each place of the padded one.
fn source(n: usize, before: usize, after: usize, with: Pad) -> Result<Array, OpsError> {
    if n == 0 {
        return Err(OpsError::argument("pad", "an axis without elements has none to fill the space around it with"));
    }
    let all =
        before.checked_add(n).and_then(|all| all.checked_add(after)).filter(|&all| all <= isize::MAX as usize / 8);
    let all =
        all.ok_or_else(|| OpsError::argument("pad", format!("{before} + {n} + {after} elements are too many")))?;
    let n = n as i64;
    let at = |i: usize| {
        let i = i as i64 - before as i64;
        match with {
            Pad::Reflect if n == 1 => 0,
            Pad::Reflect => mirrored(i.rem_euclid(2 * n - 2), 2 * n - 2, n),
            Pad::Symmetric => mirrored(i.rem_euclid(2 * n), 2 * n - 1, n),
            Pad::Wrap => i.rem_euclid(n),
            Pad::Edge | Pad::Constant(_) => i.clamp(0, n - 1),
        }
    };
    Array::from_fn_uninit("pad", &[all], |out: &mut [MaybeUninit<i64>]| {
        out.iter_mut().enumerate().for_each(|(i, place)| {
            place.write(at(i));
        });
        Ok(())
    })
}

/// Place `i` of elements there and back again.
fn mirrored(i: i64, turn: i64, n: i64) -> i64 {
    if i < n { i } else { turn - i }
}

/// `2`, `(1, 2)` for each axis, or a pair for each.
fn widths(a: &Bound<'_>, rank: usize) -> Result<Vec<(usize, usize)>, OpsError> {
    const OP: &str = "pad";
    let wrong = || {
        let usage = "pad_width must be a number, a pair, or a pair for each axis, none of them negative";
        OpsError::argument(OP, usage)
    };
    let number = |v: &Value| match v {
        Value::Scalar(Scalar::Int(n)) => usize::try_from(*n).map_err(|_| wrong()),
        _ => Err(wrong()),
    };
    let pair = |items: &[Value]| match items {
        [one] => Ok((number(one)?, number(one)?)),
        [before, after] => Ok((number(before)?, number(after)?)),
        _ => Err(wrong()),
    };
    match a.value(1).ok_or_else(wrong)? {
        Value::Tuple(items) if items.iter().any(|i| matches!(i, Value::Tuple(_))) => {
            let of = |item: &Value| if let Value::Tuple(items) = item { pair(items) } else { Err(wrong()) };
            let pairs = items.iter().map(of).collect::<Result<Vec<_>, _>>()?;
            Ok(if pairs.len() == 1 { vec![pairs[0]; rank] } else { pairs })
        }
        Value::Tuple(items) => Ok(vec![pair(items)?; rank]),
        one => Ok(vec![pair(std::slice::from_ref(one))?; rank]),
    }
}

pub(crate) static PAD: Op = Op {
    name: "pad",
    doc: "With elements added before and after each axis: a number, their nearest element, or the elements mirrored or \
          repeated.\n\npad_width is a number, a pair (before, after), or a pair for each axis.",
    params: &[
        Param::required("x", Kind::Operand),
        Param::required("pad_width", Kind::Any),
        Param::optional(
            "mode",
            Kind::Str(&["constant", "edge", "reflect", "symmetric", "wrap"]),
            Default::Str("constant"),
        ),
        Param::keyword("constant_values", Kind::Float, Default::Int(0)),
    ],
    run: Run::One(|_, a| {
        let x = a.array(0)?;
        let with = match a.word(2)? {
            "edge" => Pad::Edge,
            "reflect" => Pad::Reflect,
            "symmetric" => Pad::Symmetric,
            "wrap" => Pad::Wrap,
            _ => Pad::Constant(a.scalar(3)?),
        };
        x.pad(&widths(a, x.rank())?, with)
    }),
    onnx: Some(("Pad", 11)),
};
