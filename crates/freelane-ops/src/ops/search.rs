//! Places of values in sorted arrays.
use super::long::in_pieces;
use super::positions::Shared;
use crate::function::{Default, Kind, Param};
use crate::ufunc::{finish, uninit};
use crate::{Array, Op, Operand, OpsError, Run, Scalar, result_type};
use freelane_array::{DType, Element, Slice, types::*};
use freelane_kernels::sort::{SearchLoop, Side, insertion_points};
use freelane_pool::Lane;

impl Array {
    /// For each value the place in this sorted array of one axis at which it can be put in without disturbing the order: before
    /// its equals, or with `right` behind them. NaN is above every number.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let x = Array::from_slice(&[1.0, 2.0, 2.0, 4.0])?;
    /// let values = Array::from_slice(&[2.0, 9.0])?;
    /// assert_eq!(x.searchsorted(&values, false)?.to_vec::<i64>()?, [1, 4]);
    /// assert_eq!(x.searchsorted(&values, true)?.to_vec::<i64>()?, [3, 4]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When this array has not one axis, the values are complex, memory cannot be had, or the thread's poll asks to stop.
    pub fn searchsorted<'a>(&self, values: impl Into<Operand<'a>>, right: bool) -> Result<Array, OpsError> {
        let side = if right { Side::Right } else { Side::Left };
        Lane::with(|lane| places(lane, "searchsorted", self, values.into(), side))
    }
}

fn search_loop(op: &'static str, dtype: DType, side: Side) -> Result<SearchLoop, OpsError> {
    Ok(match dtype {
        DType::Bool | DType::U8 => insertion_points::<u8>(side),
        DType::I8 => insertion_points::<i8>(side),
        DType::U16 => insertion_points::<u16>(side),
        DType::I16 => insertion_points::<i16>(side),
        DType::U32 => insertion_points::<u32>(side),
        DType::I32 => insertion_points::<i32>(side),
        DType::U64 => insertion_points::<u64>(side),
        DType::I64 => insertion_points::<i64>(side),
        DType::F16 => insertion_points::<f16>(side),
        DType::BF16 => insertion_points::<bf16>(side),
        DType::F32 => insertion_points::<f32>(side),
        DType::F64 => insertion_points::<f64>(side),
        DType::C64 | DType::C128 => {
            return Err(OpsError::DType { op, found: vec![dtype], supported: "real numbers and booleans".to_owned() });
        }
    })
}

pub(super) fn places(
    lane: &Lane,
    op: &'static str,
    x: &Array,
    values: Operand<'_>,
    side: Side,
) -> Result<Array, OpsError> {
    if x.rank() != 1 {
        return Err(OpsError::argument(
            op,
            format!("takes a sorted array of one axis, this has shape {:?}", x.shape()),
        ));
    }
    let dtype = result_type(&[x.into(), values]);
    let run = search_loop(op, dtype, side)?;
    let sorted = x.astype(dtype)?.contiguous()?;
    let values = match values {
        Operand::Array(values) => Array::from(values.clone()).astype(dtype)?.contiguous()?,
        // A number that the dtype does not hold is before all elements or behind them.
        Operand::Scalar(Scalar::Int(i)) if dtype.is_integer() && is_outside(op, i, dtype) => {
            return Array::full(&[], if i < 0 { 0 } else { x.len() as i64 }, DType::I64);
        }
        Operand::Scalar(value) => Array::full(&[], value, dtype)?,
    };
    let layout = values.data().layout().to_contiguous();
    let mut buffer = uninit(lane, &layout, i64::DTYPE, op)?;
    let (len, n, size) = (sorted.len(), values.len(), dtype.size());
    let (from, to, all) =
        (Bytes(values.data().as_ptr()), Shared(buffer.as_mut_ptr().cast::<i64>()), Bytes(sorted.data().as_ptr()));
    let cost = u64::from(usize::BITS - len.leading_zeros()) + 1;
    in_pieces(lane, op, n, cost, |part| {
        // SAFETY: both arrays are contiguous and of this dtype; pieces have values and places of their own.
        unsafe { run(all.at(0), len, part.len(), from.at(part.start * size), size as isize, to.at(part.start), 8) };
    })?;
    // SAFETY: there is a place for every value.
    Ok(unsafe { finish(buffer, i64::DTYPE, layout) }.into())
}

fn is_outside(op: &'static str, value: i128, dtype: DType) -> bool {
    Scalar::Int(value).to_element(op, dtype).is_err()
}

/// Memory that threads read.
struct Bytes(*const u8);

// SAFETY: it is only read, and its array outlives the loop.
unsafe impl Sync for Bytes {}

impl Bytes {
    fn at(&self, offset: usize) -> *const u8 {
        self.0.wrapping_add(offset)
    }
}

/// For each value the number of the bin that it belongs to, bins lying between neighbours of `bins`.
fn digitize(x: &Array, bins: &Array, right: bool) -> Result<Array, OpsError> {
    const OP: &str = "digitize";
    if bins.rank() != 1 {
        return Err(OpsError::argument(OP, format!("bins must have one axis, not shape {:?}", bins.shape())));
    }
    let ascending = |x: &Array| -> Result<bool, OpsError> {
        let n = x.len().saturating_sub(1) as isize;
        let part = |at| x.index(&[Slice { start: Some(at), stop: Some(at + n), step: 1 }.into()]);
        part(0)?.less_equal(&part(1)?)?.all(.., false)?.item()
    };
    let side = if right { Side::Left } else { Side::Right };
    let run = |bins: &Array| Lane::with(|lane| places(lane, OP, bins, x.into(), side));
    if ascending(bins)? {
        return run(bins);
    }
    let turned = bins.flip(..)?;
    if !ascending(&turned)? {
        return Err(OpsError::argument(OP, "bins must be in ascending or in descending order"));
    }
    Array::full(&[], bins.len() as i64, DType::I64)?.subtract(&run(&turned)?)
}

const SIDES: &[&str] = &["left", "right"];

pub(crate) static SEARCHSORTED: Op = Op {
    name: "searchsorted",
    doc: "For each value of x2 the place in the sorted array x1 at which it can be put in: before its equals, or behind them. \
          sorter is the order that argsort has of an x1 that is not sorted.",
    params: &[
        Param::required("x1", Kind::Operand).flat(),
        Param::required("x2", Kind::Operand).flat(),
        Param::keyword("side", Kind::Str(SIDES), Default::Str("left")),
        Param::keyword("sorter", Kind::Operand, Default::None).whole(),
    ],
    run: Run::One(|lane, a| {
        let mut x = a.array(0)?;
        if let Some(sorter) = a.array_or_none(3)? {
            if sorter.rank() != 1 || sorter.len() != x.len() {
                let message = format!("sorter must have shape ({},), not {:?}", x.len(), sorter.shape());
                return Err(OpsError::argument("searchsorted", message));
            }
            x = x.take(&sorter, 0).map_err(|e| e.of("searchsorted"))?;
        }
        let side = if a.word(2)? == "left" { Side::Left } else { Side::Right };
        places(lane, "searchsorted", &x, a.operand(1)?, side)
    }),
    onnx: None,
};

pub(crate) static DIGITIZE: Op = Op {
    name: "digitize",
    doc: "For each value the number of the bin that it belongs to: bins[i - 1] <= x < bins[i], or with right bins[i - 1] < x <= \
          bins[i]; the other way round for bins in descending order.",
    params: &[
        Param::required("x", Kind::Operand).flat(),
        Param::required("bins", Kind::Operand).flat(),
        Param::optional("right", Kind::Bool, Default::Bool(false)),
    ],
    run: Run::One(|_, a| digitize(&a.array(0)?, &a.array(1)?, a.bool(2)?)),
    onnx: None,
};
