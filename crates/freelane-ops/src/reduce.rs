//! Reductions: a row of facts and a table of folds, and the one driver that runs them all.
//!
//! The order in which elements meet depends on the number of reduced elements alone (`freelane_kernels::reduce::order`), so
//! the driver may split outputs or blocks over lanes as it likes: the bits stay.
use crate::ops::astype::astype;
use crate::ufunc::{finish, uninit};
use crate::{InOp, OpsError, Promotion, promote};
use freelane_array::{ArrayData, DType, Dims, Kind, Layout, normalize_axis};
use freelane_kernels::reduce::{self as kernels, Axis, FoldLoops, Kept, Operands};
use freelane_pool::Lane;
use freelane_simd::Isa;
use smallvec::SmallVec;
use std::ops::Range;

/// The axes that a reduction takes away: `..` for all, a number, or a list.
///
/// ```
/// use freelane_ops::Array;
/// let x = Array::arange(0, 6, 1)?.reshape(&[2, 3])?;
/// assert_eq!(x.sum(.., false)?.item::<i64>()?, 15);
/// assert_eq!(x.sum(0, false)?.to_vec::<i64>()?, [3, 5, 7]);
/// assert_eq!(x.sum([-1], true)?.shape(), [2, 1]);
/// # Ok::<(), freelane_ops::OpsError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Axes {
    /// Every axis.
    #[default]
    All,
    /// The listed ones; none, if the list is empty.
    These(SmallVec<[isize; 4]>),
}

impl From<std::ops::RangeFull> for Axes {
    fn from(_: std::ops::RangeFull) -> Axes {
        Axes::All
    }
}

impl From<isize> for Axes {
    fn from(axis: isize) -> Axes {
        Axes::These(SmallVec::from_slice(&[axis]))
    }
}

impl From<&[isize]> for Axes {
    fn from(axes: &[isize]) -> Axes {
        Axes::These(axes.into())
    }
}

impl<const N: usize> From<[isize; N]> for Axes {
    fn from(axes: [isize; N]) -> Axes {
        Axes::These(axes.as_slice().into())
    }
}

impl Axes {
    /// For each axis of an array whether it goes.
    pub(crate) fn mask(&self, op: &'static str, rank: usize) -> Result<SmallVec<[bool; 4]>, OpsError> {
        let Axes::These(axes) = self else { return Ok(SmallVec::from_elem(true, rank)) };
        let mut mask = SmallVec::from_elem(false, rank);
        for &axis in axes {
            let a = normalize_axis(axis, rank).in_op(op)?;
            if std::mem::replace(&mut mask[a], true) {
                let axes = axes.to_vec();
                return Err(freelane_array::ArrayError::BadAxes { axes, rank }).in_op(op);
            }
        }
        Ok(mask)
    }
}

/// One fold of a table.
#[derive(Clone, Copy)]
pub struct FoldEntry {
    /// The loops.
    pub loops: FoldLoops,
    /// The element type they write.
    pub out: DType,
    /// The element type of the fold's parameter, for folds that take one.
    pub param: Option<DType>,
}

/// A dispatch table of folds: one slot a dtype.
pub type FoldTable = [Option<FoldEntry>; DType::COUNT];

/// A reduction: one row, with all that is known about it.
pub struct Reduction {
    /// The name in the Array API standard, where it has one.
    pub name: &'static str,
    /// What it computes; the first line is a summary.
    pub doc: &'static str,
    /// Fold table. Private, for a fold in the wrong place would write out of bounds.
    pub(crate) folds: &'static FoldTable,
    /// The same in double precision, for those that take a dtype to answer in.
    pub(crate) wide: &'static FoldTable,
    /// Promotion class of the operand.
    pub promotion: Promotion,
    /// Whether reducing no elements is an error.
    pub needs_elements: bool,
    /// Estimated nanoseconds an element on one lane.
    pub cost: f32,
    /// Operator name and first opset in ONNX.
    pub onnx: Option<(&'static str, u32)>,
}

/// What a reduction is asked for; by default all axes.
#[derive(Clone, Debug, Default)]
pub struct ReduceArgs {
    /// Axes to take away.
    pub axes: Axes,
    /// Whether they stay as axes of length 1.
    pub keepdims: bool,
    /// Subtracted from the count where the reduction divides by it: 1 for the sample variance.
    pub correction: f64,
}

impl Reduction {
    /// The dtypes that have a fold.
    pub fn dtypes(&self) -> impl Iterator<Item = DType> + '_ {
        DType::ALL.iter().copied().filter(|&d| self.folds[d as usize].is_some())
    }

    /// The type written for an operand of type `dtype`.
    pub fn output_dtype(&self, dtype: DType) -> Option<DType> {
        self.folds[self.fold_dtype(dtype) as usize].map(|e| e.out)
    }

    fn fold_dtype(&self, dtype: DType) -> DType {
        match self.promotion {
            Promotion::Same => dtype,
            Promotion::Float => promote::float_result(dtype),
            Promotion::Double if dtype.is_inexact() => dtype,
            Promotion::Double => DType::F64,
        }
    }

    /// Reduces an array, accumulating in double precision where `dtype` is a float, and answers in that type. No copy of the
    /// array is made, unless its elements lose something in `dtype` (fractions in integers, imaginary parts): those are
    /// converted one by one first.
    ///
    /// ```
    /// use freelane_ops::{Array, DType, ReduceArgs, reductions};
    /// use freelane_pool::Lane;
    /// let x = Array::full(&[1000], 0.1f32, DType::F32)?;
    /// let args = ReduceArgs::default();
    /// let sum = Lane::with(|lane| reductions::SUM.call_as(lane, x.data(), &args, DType::F64))?;
    /// assert_eq!(Array::from(sum).item::<f64>()?, 1000.0 * f64::from(0.1f32));
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// As for [`call`](Self::call), and when elements cannot be converted to `dtype`.
    pub fn call_as(&self, lane: &Lane, x: &ArrayData, args: &ReduceArgs, dtype: DType) -> Result<ArrayData, OpsError> {
        let (from, to) = (x.dtype().kind(), dtype.kind());
        let whole = |kind| matches!(kind, Kind::Bool | Kind::Unsigned | Kind::Signed);
        let result = match self.wide[x.dtype() as usize] {
            _ if x.dtype() == dtype || (whole(from) && matches!(to, Kind::Unsigned | Kind::Signed)) => {
                self.call(lane, x, args)?
            }
            Some(entry) if to == Kind::Complex || (to == Kind::Float && from != Kind::Complex) => {
                self.run(lane, x, entry, args)?
            }
            _ => self.call(lane, &astype(lane, x, dtype)?, args)?,
        };
        if result.dtype() == dtype { Ok(result) } else { astype(lane, &result, dtype) }
    }

    /// Reduces an array.
    ///
    /// # Errors
    /// When the dtype has no such reduction, an axis does not exist or is named twice, there is nothing to reduce for a
    /// reduction that needs elements, or memory cannot be had.
    pub fn call(&self, lane: &Lane, x: &ArrayData, args: &ReduceArgs) -> Result<ArrayData, OpsError> {
        let dtype = self.fold_dtype(x.dtype());
        let Some(entry) = self.folds[dtype as usize] else {
            let supported = self.dtypes().map(|d| d.name()).collect::<Vec<_>>().join(", ");
            return Err(OpsError::DType { op: self.name, found: vec![x.dtype()], supported });
        };
        if x.dtype() != dtype {
            let converted = astype(lane, x, dtype)?;
            return self.run(lane, &converted, entry, args);
        }
        self.run(lane, x, entry, args)
    }

    fn run(&self, lane: &Lane, x: &ArrayData, entry: FoldEntry, args: &ReduceArgs) -> Result<ArrayData, OpsError> {
        let mask = args.axes.mask(self.name, x.layout().rank())?;
        let shape = x.layout().shape();
        let dims = |keep: bool| -> Dims {
            let length = |i: usize| if mask[i] { keep.then_some(1) } else { Some(shape[i]) };
            (0..shape.len()).filter_map(length).collect()
        };
        let layout = Layout::contiguous(&dims(args.keepdims)).in_op(self.name)?;
        let count = (0..shape.len()).filter(|&i| mask[i]).map(|i| shape[i]).product::<usize>();
        if self.needs_elements && count == 0 && !layout.is_empty() {
            let message =
                format!("an array of shape {shape:?} has no elements to reduce, and no value stands for none");
            return Err(OpsError::argument(self.name, message));
        }
        let mut buffer = uninit(lane, &layout, entry.out, self.name)?;
        if layout.is_empty() {
            // SAFETY: there are no elements to write.
            return Ok(unsafe { finish(buffer, entry.out, layout) });
        }
        // Deviations are taken from the mean over the same axes.
        let param = entry.param.map(|dtype| mean_for(lane, x, dtype, args)).transpose()?;
        let (mut kept, mut reduced) = axes_of(x, &mask, entry.out.size(), param.as_ref().map(|p| p.dtype().size()));
        let plan = kernels::Reduction::new(&mut kept, &mut reduced);
        let mut operands = Operands::new(x.as_ptr());
        operands.ddof = args.correction;
        if let Some(p) = &param {
            operands.param = p.as_ptr();
        }
        let job = Job { loops: &entry.loops, plan: &plan, operands, out: buffer.as_mut_ptr() };
        let cost = (x.layout().len() as f64 * f64::from(self.cost)) as u64;
        job.run(lane, self.name, cost)?;
        // SAFETY: `job` wrote every output.
        Ok(unsafe { finish(buffer, entry.out, layout) })
    }
}

/// The mean over the reduced axes in `dtype`, one value an output, in row-major order of the outputs.
fn mean_for(lane: &Lane, x: &ArrayData, dtype: DType, args: &ReduceArgs) -> Result<ArrayData, OpsError> {
    let mean = crate::reductions::CENTER.call(lane, x, args)?;
    if mean.dtype() == dtype { Ok(mean) } else { astype(lane, &mean, dtype) }
}

/// Kept and reduced axes in bytes. Outputs (and parameters) lie in row-major order of the kept axes.
fn axes_of(
    x: &ArrayData,
    mask: &[bool],
    out_size: usize,
    param_size: Option<usize>,
) -> (SmallVec<[Kept; 4]>, SmallVec<[Axis; 4]>) {
    let (shape, strides, size) = (x.layout().shape(), x.layout().strides(), x.dtype().size() as isize);
    let (mut kept, mut reduced): (SmallVec<[Kept; 4]>, SmallVec<[Axis; 4]>) = Default::default();
    let mut outputs = 1isize;
    for i in (0..shape.len()).rev() {
        let stride = strides[i] * size;
        if mask[i] {
            reduced.push(Axis { len: shape[i], stride });
        } else {
            let param = param_size.map_or(0, |p| outputs * p as isize);
            kept.push(Kept { len: shape[i], x: stride, param, out: outputs * out_size as isize });
            outputs *= shape[i] as isize;
        }
    }
    reduced.reverse();
    (kept, reduced)
}

/// One reduction ready to run.
struct Job<'a> {
    loops: &'a FoldLoops,
    plan: &'a kernels::Reduction<'a>,
    operands: Operands,
    out: *mut u8,
}

// SAFETY: lanes read the operands, which the caller borrows, and write disjoint outputs or partial results.
unsafe impl Sync for Job<'_> {}

/// Partial results that lanes write side by side.
struct Partials(*mut u8);
// SAFETY: each task writes the accumulators of its own group.
unsafe impl Sync for Partials {}

impl Partials {
    fn at(&self, bytes: usize) -> *mut u8 {
        self.0.wrapping_add(bytes)
    }
}

/// Outputs that a piece must have at least, so that columns are read in whole lines.
const FEW_OUTPUTS: usize = 64;

impl Job<'_> {
    fn run(&self, lane: &Lane, op: &'static str, cost: u64) -> Result<(), OpsError> {
        let (outputs, pieces) = (self.plan.outputs(), lane.pieces(cost));
        if pieces == 1 || cost < freelane_pool::SPLIT_NS {
            self.outputs(0..outputs);
            return Ok(());
        }
        let few = if pieces > lane.threads() { FEW_OUTPUTS } else { 4 };
        if outputs >= few * pieces || self.plan.blocks() < 2 * pieces {
            let size = outputs.div_ceil(pieces);
            let part = |task: usize| task * size..((task + 1) * size).min(outputs);
            return lane.try_par_for(outputs.div_ceil(size), cost, &|_, task| self.outputs(part(task))).in_op(op);
        }
        self.by_blocks(lane, op, cost, pieces)
    }

    fn outputs(&self, range: Range<usize>) {
        // SAFETY: the axes were taken from a checked layout, the output buffer holds one element an output, and the
        // current instruction set is supported.
        unsafe { self.loops.run(Isa::current(), self.plan, self.operands, range, self.out) };
    }

    /// Few outputs, many elements: lanes take groups of blocks of every output.
    fn by_blocks(&self, lane: &Lane, op: &'static str, cost: u64, pieces: usize) -> Result<(), OpsError> {
        let groups = self.plan.groups(pieces);
        let outputs = self.plan.outputs();
        let row = outputs * self.loops.acc.size();
        let mut partials = lane.heap().uninit(groups.len() * row, freelane_mem::DEFAULT_ALIGN).in_op(op)?;
        let accs = Partials(partials.as_mut_ptr());
        let done = lane.try_par_for(groups.len(), cost, &|_, g| {
            // SAFETY: as in `outputs`; the accumulators of group `g` start at row `g`.
            unsafe {
                let at = accs.at(g * row);
                self.loops.partial(Isa::current(), self.plan, self.operands, 0..outputs, groups.blocks(g), at);
            }
        });
        done.in_op(op)?;
        // SAFETY: every group wrote its accumulators, and the loop was not interrupted.
        unsafe { self.loops.merge(self.plan, self.operands, 0..outputs, groups.len(), accs.0, self.out) };
        Ok(())
    }
}
