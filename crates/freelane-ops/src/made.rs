//! What a function makes of arrays, told before it runs: by their types and shapes alone.
//!
//! Arrays may be [stand-ins](stand_in): they have a type and a shape, and one element for all. Functions that move no
//! elements run on those as they are; of others the rule is here. Where there is none, or the function would refuse its
//! arguments, nothing is told: whoever wants to know runs it.
use crate::function::{Kind, Param};
use crate::ops::reshape::resolve;
use crate::{Array, Axes, Function, InOp, Operand, OpsError, Reduction, UFunc, Value, promote_types, reductions};
use crate::{Loops, Outputs};
use freelane_array::{ArrayData, DType, Dims, broadcast_shapes};
use freelane_pool::Lane;
use smallvec::SmallVec;

/// Type and shape of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The type of its elements.
    pub dtype: DType,
    /// Lengths of its axes.
    pub shape: Dims,
}

/// An array of a type and shape that takes no memory: one zero, repeated.
///
/// # Errors
/// When an array cannot be so large.
pub fn stand_in(dtype: DType, shape: &[usize]) -> Result<ArrayData, OpsError> {
    Array::zeros(&[], dtype)?.broadcast_to(shape).map(Into::into)
}

/// Functions that move no elements of an array, so that a stand-in tells what they make.
const VIEWS: &[&str] = &[
    "permute_dims",
    "transpose",
    "matrix_transpose",
    "swapaxes",
    "moveaxis",
    "expand_dims",
    "squeeze",
    "flip",
    "broadcast_to",
];

/// Functions whose results are as long as the values of their operands say.
const BY_VALUES: &[&str] = &[
    "nonzero",
    "argwhere",
    "flatnonzero",
    "bincount",
    "digitize",
    "repeat",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "union1d",
    "intersect1d",
    "setdiff1d",
    "setxor1d",
    "histogram",
    "arange",
    "linspace",
    "lstsq",
];

impl UFunc {
    /// The types that operands are read in, and what is made of them.
    ///
    /// ```
    /// use freelane_ops::{DType, made::stand_in, ufuncs};
    /// let x = stand_in(DType::I8, &[3, 1])?;
    /// let (reads, made) = ufuncs::DIVIDE.made(&[(&x).into(), 2.into()])?;
    /// assert_eq!((&reads[..], made.dtype, &made.shape[..]), (&[DType::F64; 2][..], DType::F64, &[3, 1][..]));
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// As [`UFunc::call`], but for what the operands' elements or memory are to blame for.
    pub fn made(&self, args: &[Operand<'_>]) -> Result<(SmallVec<[DType; 3]>, Made), OpsError> {
        if args.len() != self.arity() {
            let message = format!("takes {} operands, {} given", self.arity(), args.len());
            return Err(OpsError::argument(self.name, message));
        }
        let dtype = self.loop_dtype(args)?;
        let mut reads = SmallVec::from_elem(dtype, args.len());
        if let Loops::Select(first, _) = self.loops {
            reads[0] = first;
        }
        for (arg, &read) in args.iter().zip(&reads) {
            if let Operand::Scalar(s) = arg {
                s.to_element(self.name, read)?;
            }
        }
        let shape = broadcast_shapes(args.iter().map(Operand::shape)).in_op(self.name)?;
        Ok((reads, Made { dtype: self.output_dtype(dtype).unwrap_or(dtype), shape }))
    }
}

impl Function {
    /// What a call of arguments in order of the parameters makes, where that is one array and can be told; the elements of
    /// arrays are not looked at.
    ///
    /// ```
    /// use freelane_ops::{DType, Function, Value, made::stand_in};
    /// use freelane_pool::Lane;
    /// let x = Value::Array(stand_in(DType::F32, &[3, 4])?.into());
    /// let sum = Function::by_name("sum").unwrap();
    /// let made = Lane::with(|lane| sum.made(lane, &[Some(x), Some(Value::Scalar(0.into()))])).unwrap();
    /// assert_eq!((made.dtype, &made.shape[..]), (DType::F32, &[4][..]));
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    pub fn made(self, lane: &Lane, args: &[Option<Value>]) -> Option<Made> {
        let bound = self.placed(args).ok()?;
        let looks = |(p, arg): (&Param, &Option<Value>)| p.is_looked_at() && matches!(arg, Some(Value::Array(_)));
        if self.params().iter().zip(args).any(looks) {
            return None;
        }
        match self {
            Function::UFunc(f) => {
                let operands: SmallVec<[Operand<'_>; 3]> =
                    (0..f.arity()).map(|i| bound.operand(i)).collect::<Result<_, _>>().ok()?;
                f.made(&operands).ok().map(|(_, made)| made)
            }
            Function::Reduction(r, signature) => {
                use reductions::Signature::{Correction, Typed};
                let keepdims = bound.bool(if matches!(signature, Typed | Correction) { 3 } else { 2 }).ok()?;
                let asked = if signature == Typed { bound.dtype(2).ok()? } else { None };
                let x = bound.array(0).ok()?;
                if signature == Correction {
                    bound.float(2).ok()?;
                }
                let dtype = r.output_dtype(x.dtype())?;
                reduced(r, x.shape(), &bound.axes(1).ok()?, keepdims)
                    .filter(|_| asked.is_none_or(|asked| asked == dtype))
                    .map(|shape| Made { dtype, shape })
            }
            Function::Op(op) if VIEWS.contains(&op.name) => match self.call_placed(lane, args).ok()? {
                Outputs::One(x) => Some(Made { dtype: x.dtype(), shape: x.shape().into() }),
                Outputs::Many(..) => None,
            },
            Function::Op(op) => {
                let x = bound.array(0);
                match op.name {
                    "astype" => Some(Made { dtype: bound.dtype(1).ok()??, shape: x.ok()?.shape().into() }),
                    "matmul" => product(&x.ok()?, &bound.array(1).ok()?),
                    "reshape" => {
                        let (x, wanted) = (x.ok()?, bound.ints(1).ok()?);
                        (!bound.is_given(2)).then_some(())?;
                        Some(Made { dtype: x.dtype(), shape: resolve(&wanted, x.shape()).ok()? })
                    }
                    _ => None,
                }
            }
        }
    }

    /// Whether the shape of what it makes may depend on the elements of its operands.
    pub fn makes_by_values(self) -> bool {
        BY_VALUES.contains(&self.name())
    }
}

impl Param {
    /// Whether its argument says what is computed, so that the shape of the result may depend on it.
    pub fn is_looked_at(&self) -> bool {
        !matches!(self.kind, Kind::Operand | Kind::Operands | Kind::Any)
    }
}

fn reduced(r: &Reduction, shape: &[usize], axes: &Axes, keepdims: bool) -> Option<Dims> {
    let gone = axes.mask(r.name, shape.len()).ok()?;
    let none = shape.iter().zip(&gone).any(|(&n, &gone)| gone && n == 0);
    if none && r.needs_elements {
        return None;
    }
    let kept = shape.iter().zip(&gone).filter(|(_, gone)| keepdims || !**gone);
    Some(kept.map(|(&n, &gone)| if gone { 1 } else { n }).collect())
}

/// The product of stacks of matrices; vectors are left to those who multiply.
fn product(a: &Array, b: &Array) -> Option<Made> {
    let ([batch_a @ .., m, k], [batch_b @ .., l, n]) = (a.shape(), b.shape()) else { return None };
    if k != l {
        return None;
    }
    let mut shape = broadcast_shapes([batch_a, batch_b]).ok()?;
    shape.extend([*m, *n]);
    Some(Made { dtype: promote_types(a.dtype(), b.dtype()), shape })
}
