//! Elementwise functions made of closures.
use super::loops::{Loop, ScalarFn, SliceFn};
use super::{check_name, guarded, takes};
use crate::function::{Kind, Param, signature};
use crate::ufunc::{Ready, drive, finish, output_layout, uninit};
use crate::{Array, InOp, Operand, OpsError, ops};
use freelane_array::{ArrayData, ArrayError, DType, Layout, broadcast_shapes};
use freelane_pool::Lane;
use std::fmt;
use std::sync::Arc;

/// A handle on an elementwise function of the program's own.
///
/// ```
/// use freelane_ops::{Array, DType, UserFunc};
/// let softsign = UserFunc::builder("softsign", &["x"])
///     .doc("The element divided by one plus its absolute value.")
///     .map(|x: f64| x / (1.0 + x.abs()))
///     .map(|x: f32| x / (1.0 + x.abs()))
///     .register()?;
/// let x = Array::from_vec(vec![1.0, -3.0], &[2])?;
/// assert_eq!(softsign.apply(&[(&x).into()])?.to_vec::<f64>()?, [0.5, -0.75]);
/// let integers = Array::arange(0, 2, 1)?;
/// assert_eq!(softsign.apply(&[(&integers).into()])?.dtype(), DType::F64);
/// # Ok::<(), freelane_ops::OpsError>(())
/// ```
///
/// Closures may take up to three operands, of types that differ, and work on slices:
///
/// ```
/// # use freelane_ops::{Array, UserFunc};
/// let pick = UserFunc::builder("scaled", &["x", "k"])
///     .slices(|x: &[f64], k: &[i32], out: &mut [f64]| {
///         for ((o, x), k) in out.iter_mut().zip(x).zip(k) {
///             *o = x * 2f64.powi(*k);
///         }
///     })
///     .register()?;
/// let x = Array::from_vec(vec![1.0, 3.0], &[2, 1])?;
/// let k = Array::from_vec(vec![0i32, 1, 2], &[3])?;
/// assert_eq!(pick.apply(&[(&x).into(), (&k).into()])?.to_vec::<f64>()?, [1.0, 2.0, 4.0, 3.0, 6.0, 12.0]);
/// # Ok::<(), freelane_ops::OpsError>(())
/// ```
#[derive(Clone)]
pub struct UserFunc {
    row: Arc<Row>,
}

struct Row {
    name: &'static str,
    doc: String,
    params: Vec<Param>,
    loops: Vec<Loop>,
    cost: f32,
}

/// An elementwise function being made.
pub struct UserFuncBuilder {
    row: Row,
}

impl UserFuncBuilder {
    /// What it computes; the first line is a summary.
    #[must_use]
    pub fn doc(mut self, doc: impl Into<String>) -> Self {
        self.row.doc = doc.into();
        self
    }

    /// Estimated nanoseconds an element, 1 if not given: it decides from which size on a `Runtime` splits the work.
    #[must_use]
    pub fn cost(mut self, nanoseconds: f32) -> Self {
        self.row.cost = nanoseconds;
        self
    }

    /// Adds a loop from a closure over elements.
    #[must_use]
    pub fn map<Args>(mut self, f: impl ScalarFn<Args>) -> Self {
        self.row.loops.push(f.into_loop());
        self
    }

    /// Adds a loop from a closure over slices, which come filled with zeros where results go.
    ///
    /// Slices are any part of the operands: result `i` is to depend on elements `i` alone, or else bits depend on how the
    /// work was split.
    #[must_use]
    pub fn slices<Args>(mut self, f: impl SliceFn<Args>) -> Self {
        self.row.loops.push(f.into_loop());
        self
    }

    /// Freezes the table and gives the handle.
    ///
    /// # Errors
    /// When the name is none, there is no loop, a loop has another number of operands than there are parameters, or two
    /// loops take the same types.
    pub fn register(self) -> Result<UserFunc, OpsError> {
        let row = self.row;
        check_name(row.name, "function")?;
        row.params.iter().try_for_each(|param| check_name(param.name, "parameter"))?;
        let problem = |message: String| Err(OpsError::argument(row.name, message));
        if row.loops.is_empty() {
            return problem("has no loop; give a closure to map or slices".to_owned());
        }
        let odd = row.loops.iter().find(|l| l.inputs.len() != row.params.len());
        if let Some(odd) = odd {
            return problem(format!("has {} parameters, a loop takes {} operands", row.params.len(), odd.inputs.len()));
        }
        let again = |i: usize| row.loops[..i].iter().any(|l| l.inputs == row.loops[i].inputs);
        if let Some(i) = (1..row.loops.len()).find(|&i| again(i)) {
            return problem(format!("has two loops for {}", shown(&row.loops[i].inputs)));
        }
        if !(row.cost >= 0.0 && row.cost.is_finite()) {
            return problem(format!("a cost of {} nanoseconds an element is none", row.cost));
        }
        Ok(UserFunc { row: Arc::new(row) })
    }
}

impl UserFunc {
    /// Begins a function of a name and parameters.
    pub fn builder(name: &'static str, params: &[&'static str]) -> UserFuncBuilder {
        let doc = "A function of the program's own.".to_owned();
        let params = params.iter().map(|name| Param::required(name, Kind::Operand)).collect();
        UserFuncBuilder { row: Row { name, doc, params, loops: vec![], cost: 1.0 } }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.row.name
    }

    /// What it computes.
    pub fn doc(&self) -> &str {
        &self.row.doc
    }

    /// The operands, in order.
    pub fn params(&self) -> &[Param] {
        &self.row.params
    }

    /// What the loops take and give, in the order in which they are tried.
    pub fn loops(&self) -> impl Iterator<Item = (&[DType], DType)> {
        self.row.loops.iter().map(|l| (&l.inputs[..], l.out))
    }

    /// Calls it on the calling thread's lane.
    ///
    /// # Errors
    /// As [`UserFunc::call`].
    pub fn apply(&self, args: &[Operand<'_>]) -> Result<Array, OpsError> {
        Lane::with(|lane| self.call(lane, args)).map(Into::into)
    }

    /// Applies the function and returns a new array. Operands broadcast.
    ///
    /// The loop is the one for just these types; else the first, in the order of addition, that takes all operands by
    /// promotion.
    ///
    /// # Errors
    /// When no loop takes the operands, shapes do not broadcast, memory cannot be had, or a closure panics.
    pub fn call(&self, lane: &Lane, args: &[Operand<'_>]) -> Result<ArrayData, OpsError> {
        let chosen = self.choose(args)?;
        let layout = output_layout(args).in_op(self.row.name)?;
        let mut buffer = uninit(lane, &layout, chosen.out, self.row.name)?;
        self.run(lane, chosen, args, buffer.as_mut_ptr(), &layout)?;
        // SAFETY: `run` wrote every element of the layout, and the buffer was made to hold exactly those.
        Ok(unsafe { finish(buffer, chosen.out, layout) })
    }

    /// Applies the function and writes the result into `out`; one that shares its storage first takes a copy of its own.
    ///
    /// # Errors
    /// As [`UserFunc::call`]; also when `out` has not the result's shape, or cannot hold its type without loss of kind.
    /// After a panic or an interruption `out` is half written.
    pub fn call_into(&self, lane: &Lane, args: &[Operand<'_>], out: &mut ArrayData) -> Result<(), OpsError> {
        let (op, chosen) = (self.row.name, self.choose(args)?);
        let shape = broadcast_shapes(args.iter().map(|o| o.shape())).in_op(op)?;
        if shape[..] != *out.layout().shape() {
            let found = out.layout().shape().to_vec();
            return Err(OpsError::OutputShape { op, expected: shape.to_vec(), found });
        }
        if out.dtype() != chosen.out {
            if !crate::can_cast_same_kind(chosen.out, out.dtype()) {
                return Err(OpsError::Output { op, result: chosen.out, out: out.dtype() });
            }
            let value = self.call(lane, args)?;
            return ops::assign::assign(lane, out, Operand::Array(&value));
        }
        ops::assign::make_unique(lane, out, op)?;
        let ptr = out.as_mut_ptr().ok_or(ArrayError::NotUnique).in_op(op)?;
        self.run(lane, chosen, args, ptr, out.layout())
    }

    fn choose(&self, args: &[Operand<'_>]) -> Result<&Loop, OpsError> {
        let row = &*self.row;
        if args.len() != row.params.len() {
            let message = format!("takes {} operands, {} given", row.params.len(), args.len());
            return Err(OpsError::argument(row.name, message));
        }
        let arrays = args.iter().any(|a| matches!(a, Operand::Array(_)));
        let exactly = |l: &Loop| l.inputs.iter().zip(args).all(|(&d, a)| is(d, a) && takes(d, a, arrays));
        let promoted = |l: &Loop| l.inputs.iter().zip(args).all(|(&d, a)| takes(d, a, arrays));
        let found = row.loops.iter().find(|l| exactly(l)).or_else(|| row.loops.iter().find(|l| promoted(l)));
        found.ok_or_else(|| {
            let found = args.iter().map(|a| crate::result_type(std::slice::from_ref(a))).collect();
            let supported = row.loops.iter().map(|l| shown(&l.inputs)).collect::<Vec<_>>().join(", ");
            OpsError::DType { op: row.name, found, supported }
        })
    }

    /// Runs a loop over all elements of `layout`, writing at `out`, which no operand overlaps.
    fn run(&self, lane: &Lane, l: &Loop, args: &[Operand<'_>], out: *mut u8, layout: &Layout) -> Result<(), OpsError> {
        match l.inputs.len() {
            1 => self.run_with::<1, 2>(lane, l, args, out, layout),
            2 => self.run_with::<2, 3>(lane, l, args, out, layout),
            _ => self.run_with::<3, 4>(lane, l, args, out, layout),
        }
    }

    fn run_with<const I: usize, const N: usize>(
        &self,
        lane: &Lane,
        l: &Loop,
        args: &[Operand<'_>],
        out: *mut u8,
        layout: &Layout,
    ) -> Result<(), OpsError> {
        if layout.is_empty() {
            return Ok(());
        }
        let row = &*self.row;
        let mut ready = [const { Ready::EMPTY }; I];
        for (i, slot) in ready.iter_mut().enumerate() {
            *slot = Ready::new(lane, row.name, args[i], l.inputs[i])?;
        }
        let inputs = std::array::from_fn(|i| &ready[i]);
        guarded(row.name, || {
            drive::<I, N>(lane, inputs, out, layout, l.out.size(), row.cost, |ptrs, strides, n| {
                // SAFETY: `drive` hands over parts of operands of the loop's types that hold `n` elements at these strides.
                unsafe { l.run.run(&ptrs, &strides, n) }
            })
            .in_op(row.name)
        })
    }
}

/// Whether an array has just this type; numbers have any.
fn is(dtype: DType, operand: &Operand<'_>) -> bool {
    matches!(operand, Operand::Array(a) if a.dtype() == dtype) || matches!(operand, Operand::Scalar(_))
}

fn shown(dtypes: &[DType]) -> String {
    match dtypes {
        [one] => one.to_string(),
        more => format!("({})", more.iter().map(DType::to_string).collect::<Vec<_>>().join(", ")),
    }
}

impl fmt::Debug for UserFunc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&signature(self.row.name, &self.row.params))
    }
}
