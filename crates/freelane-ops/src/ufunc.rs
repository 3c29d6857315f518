//! Elementwise functions: a row of facts and a table of loops, and the one driver that runs them all.
//!
//! ```text
//! operands -> common dtype -> table[dtype] -> loop     (no lock, no hash, no shared write)
//!          -> common shape -> output       -> walk     (contiguous: one call of the loop)
//! ```
use crate::walk::{Walk, byte_strides};
use crate::{Array, Gradient, InOp, Operand, OpsError, Scalar, operand, promote};
use freelane_array::{ArrayData, ArrayError, DType, Dims, Layout, broadcast_shapes};
use freelane_kernels::elementwise::{Loop1, Loop2, Loop3};
use freelane_mem::{BufferMut, MemError};
use freelane_pool::{Interrupted, Lane};
use freelane_simd::Isa;
use smallvec::SmallVec;
use std::cmp::Ordering;

/// How operand types become the type a function computes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promotion {
    /// The operands' common type.
    Same,
    /// The operands' common type; integers and booleans compute in the smallest float that NumPy deems safe for them.
    Float,
    /// The operands' common type; integers and booleans compute in `f64`.
    Double,
}

/// One loop of a table: how to run it and what it writes.
#[derive(Clone, Copy)]
pub struct Entry<F: 'static> {
    /// The inner loop.
    pub run: F,
    /// The element type it writes.
    pub out: DType,
}

/// A dispatch table: one slot a dtype.
pub type Table<F> = [Option<Entry<F>>; DType::COUNT];

/// The loops of a function, by the number of its operands.
#[derive(Clone, Copy)]
pub enum Loops {
    /// One operand.
    Unary(&'static Table<Loop1>),
    /// Two operands of one type.
    Binary(&'static Table<Loop2>),
    /// Two operands of one type after one of another: the type of the first, a boolean for `where`.
    Select(DType, &'static Table<Loop3>),
    /// Three operands of one type.
    Ternary(&'static Table<Loop3>),
}

/// An elementwise function: one row, with all that is known about it.
pub struct UFunc {
    /// The name in the Array API standard, where it has one.
    pub name: &'static str,
    /// What it computes; the first line is a summary.
    pub doc: &'static str,
    /// Names of the operands.
    pub params: &'static [crate::function::Param],
    /// Kernel table. Private, for a loop in the wrong place would write out of bounds.
    pub(crate) loops: Loops,
    /// Promotion class.
    pub promotion: Promotion,
    /// Estimated nanoseconds an element on one lane; decides from which size on work is split.
    pub cost: f32,
    /// Operator name and first opset in ONNX.
    pub onnx: Option<(&'static str, u32)>,
    /// Range of inputs that tests and benches sample.
    pub domain: (f64, f64),
    /// Largest error in units in the last place for `f32` and `f64`; 0.5 is correctly rounded.
    pub ulp: f32,
    /// What operand values the function refuses, where it refuses any; of signed integers alone.
    pub check: Option<Check>,
    /// Of a comparison, what it says of operands in a given order.
    pub order: Option<fn(Ordering) -> bool>,
    /// The derivative, where results are floating-point numbers.
    pub derivative: Gradient,
}

/// Looks at operands before a loop of the given dtype runs over them.
pub type Check = fn(&[Operand<'_>], DType) -> Result<(), OpsError>;

impl UFunc {
    /// Number of operands.
    pub fn arity(&self) -> usize {
        self.params.len()
    }

    /// The type written for operands whose common type is `dtype`, or `None` if the table has no loop for it.
    pub fn output_dtype(&self, dtype: DType) -> Option<DType> {
        match self.loops {
            Loops::Unary(t) => t[dtype as usize].map(|e| e.out),
            Loops::Binary(t) => t[dtype as usize].map(|e| e.out),
            Loops::Select(_, t) | Loops::Ternary(t) => t[dtype as usize].map(|e| e.out),
        }
    }

    /// The type of the result for operands whose common type is `dtype`, or `None` if the function does not take them.
    pub fn result_dtype(&self, dtype: DType) -> Option<DType> {
        self.output_dtype(match self.promotion {
            Promotion::Same => dtype,
            Promotion::Float => promote::float_result(dtype),
            Promotion::Double if dtype.is_inexact() => dtype,
            Promotion::Double => DType::F64,
        })
    }

    /// Whether the function looks at its operands' elements before it runs in a type.
    pub fn looks_at_elements(&self, dtype: DType) -> bool {
        self.check.is_some() && dtype.kind() == freelane_array::Kind::Signed
    }

    /// The dtypes that have a loop.
    pub fn dtypes(&self) -> impl Iterator<Item = DType> + '_ {
        DType::ALL.iter().copied().filter(|&d| self.output_dtype(d).is_some())
    }

    /// The dtype that operands are computed in.
    pub(crate) fn loop_dtype(&self, args: &[Operand<'_>]) -> Result<DType, OpsError> {
        let operands = if matches!(self.loops, Loops::Select(..)) { &args[1..] } else { args };
        let common = match operands {
            [Operand::Array(a)] => a.dtype(),
            [Operand::Array(a), Operand::Array(b)] if a.dtype() == b.dtype() => a.dtype(),
            _ => operand::result_type(operands),
        };
        let dtype = match self.promotion {
            Promotion::Same => common,
            Promotion::Float => self.float_dtype(common, operands),
            Promotion::Double if common.is_inexact() => common,
            Promotion::Double => DType::F64,
        };
        if self.output_dtype(dtype).is_some() {
            return Ok(dtype);
        }
        let found = operands.iter().map(|o| operand::result_type(std::slice::from_ref(o))).collect();
        Err(OpsError::DType { op: self.name, found, supported: self.supported() })
    }

    /// Of integers the widest of the floats that they become alone. A lone scalar computes in the default float rather than
    /// in the narrow type of a small integer.
    fn float_dtype(&self, common: DType, operands: &[Operand<'_>]) -> DType {
        if common.is_inexact() {
            return common;
        }
        let arrays = operands.iter().filter_map(|o| if let Operand::Array(a) = o { Some(a.dtype()) } else { None });
        arrays.map(promote::float_result).reduce(promote::promote_types).unwrap_or(DType::F64)
    }

    fn supported(&self) -> String {
        self.dtypes().map(|d| d.name()).collect::<Vec<_>>().join(", ")
    }

    /// Applies the function and returns a new array.
    ///
    /// # Errors
    /// When the function has no loop for the operands' types, shapes do not broadcast, or memory cannot be had.
    ///
    /// ```
    /// use freelane_ops::{Array, ufuncs};
    /// use freelane_pool::{Interrupted, Lane};
    /// let x = Array::from_vec(vec![0.0, 1.0], &[2])?;
    /// let y = Lane::with(|lane| ufuncs::EXP.call(lane, &[(&x).into()]))?;
    /// assert_eq!(Array::from(y).to_vec::<f64>()?, [1.0, std::f64::consts::E]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    pub fn call(&self, lane: &Lane, args: &[Operand<'_>]) -> Result<ArrayData, OpsError> {
        if let Some(plain) = self.plain(lane, args) {
            let layout = plain.x.layout().to_contiguous();
            let mut buffer = uninit(lane, &layout, plain.out, self.name)?;
            // SAFETY: the buffer was made for as many elements of the output's type.
            unsafe { plain.run(buffer.as_mut_ptr()) };
            // SAFETY: the loop wrote every element; the layout is contiguous and the buffer was made for it.
            return Ok(unsafe { ArrayData::from_parts_unchecked(buffer, plain.out, layout) });
        }
        let dtype = self.loop_dtype(args)?;
        let out_dtype = self.output_dtype(dtype).unwrap_or(dtype);
        let layout = output_layout(args).in_op(self.name)?;
        let mut buffer = uninit(lane, &layout, out_dtype, self.name)?;
        self.run(lane, dtype, args, buffer.as_mut_ptr(), &layout)?;
        // SAFETY: `run` wrote every element of the layout, and the buffer was made to hold exactly those.
        Ok(unsafe { finish(buffer, out_dtype, layout) })
    }

    /// Applies the function and writes the result into `out`, whose own elements may be among the operands.
    ///
    /// An `out` that shares its storage with other arrays first takes a copy of its own, so that no other array changes.
    ///
    /// # Errors
    /// As [`UFunc::call`]; also when the result's shape is not that of `out`, or its type cannot be held without loss of
    /// kind.
    pub fn call_into(&self, lane: &Lane, args: &[Operand<'_>], out: &mut ArrayData) -> Result<(), OpsError> {
        if let Some(plain) = self.plain(lane, args)
            && plain.out == out.dtype()
            && out.layout().is_contiguous()
            && same_shape(out.layout(), plain.x.layout())
            && let Some(ptr) = out.as_mut_ptr()
        {
            // SAFETY: the output is contiguous, of the operands' shape and of the loop's output type.
            unsafe { plain.run(ptr) };
            return Ok(());
        }
        let dtype = self.loop_dtype(args)?;
        let result = self.output_dtype(dtype).unwrap_or(dtype);
        self.check_output_shape(args, out)?;
        if out.dtype() != result {
            if !crate::can_cast_same_kind(result, out.dtype()) {
                return Err(OpsError::Output { op: self.name, result, out: out.dtype() });
            }
            let value = self.call(lane, args)?;
            return crate::ops::assign::assign(lane, out, Operand::Array(&value));
        }
        crate::ops::assign::make_unique(lane, out, self.name)?;
        let ptr = out.as_mut_ptr().ok_or(ArrayError::NotUnique).in_op(self.name)?;
        self.run(lane, dtype, args, ptr, out.layout())
    }

    /// Applies the function to operands among which `out` itself is one, where `None` stands for it, and leaves the result
    /// in `out`: in place when it owns its elements alone, otherwise in new storage.
    ///
    /// ```
    /// use freelane_ops::{Array, ufuncs};
    /// use freelane_pool::Lane;
    /// let mut x = Array::from_vec(vec![1.0, 2.0], &[2])?;
    /// Lane::with(|lane| ufuncs::SUBTRACT.call_over(lane, x.data_mut(), &[Some(10.0.into()), None]))?;
    /// assert_eq!(x.to_vec::<f64>()?, [9.0, 8.0]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// As [`UFunc::call_into`].
    pub fn call_over(&self, lane: &Lane, out: &mut ArrayData, args: &[Option<Operand<'_>>]) -> Result<(), OpsError> {
        let own = out.as_mut_ptr();
        let x: &ArrayData = out;
        let operands: SmallVec<[Operand<'_>; 3]> = args.iter().map(|a| a.unwrap_or(Operand::Array(x))).collect();
        let dtype = self.loop_dtype(&operands)?;
        let result = self.output_dtype(dtype).unwrap_or(dtype);
        self.check_output_shape(&operands, x)?;
        if result != x.dtype() && !crate::can_cast_same_kind(result, x.dtype()) {
            return Err(OpsError::Output { op: self.name, result, out: x.dtype() });
        }
        if let Some(own) = own
            && result == x.dtype()
            && dtype == x.dtype()
        {
            return self.run(lane, dtype, &operands, own, x.layout());
        }
        let value = self.call(lane, &operands)?;
        let same = result == x.dtype();
        drop(operands);
        if !same {
            return crate::ops::assign::assign(lane, out, Operand::Array(&value));
        }
        *out = value;
        Ok(())
    }

    /// The function over a temporary, for which `None` stands among the operands: where it can, the result takes its storage.
    pub(crate) fn over(&self, mut x: Array, args: &[Option<Operand<'_>>]) -> Result<Array, OpsError> {
        Lane::with(|lane| self.call_over(lane, x.data_mut(), args))?;
        Ok(x)
    }

    fn check_output_shape(&self, args: &[Operand<'_>], out: &ArrayData) -> Result<(), OpsError> {
        let same = |o: &Operand<'_>| o.shape() == out.layout().shape() || o.shape().is_empty();
        if args.iter().all(same) && (out.layout().rank() == 0 || args.iter().any(|o| o.shape() == out.layout().shape()))
        {
            return Ok(());
        }
        let shape = broadcast_shapes(args.iter().map(|o| o.shape())).in_op(self.name)?;
        if shape[..] == *out.layout().shape() {
            return Ok(());
        }
        Err(OpsError::OutputShape { op: self.name, expected: shape.to_vec(), found: out.layout().shape().to_vec() })
    }
}

impl UFunc {
    /// Runs the loop over all elements of `layout`, writing at `out`.
    ///
    /// `out` must be writable for the output dtype at every position of `layout` (relative to its first element). It
    /// may be the start of an operand's own elements, under the same layout.
    pub(crate) fn run(
        &self,
        lane: &Lane,
        dtype: DType,
        args: &[Operand<'_>],
        out: *mut u8,
        layout: &Layout,
    ) -> Result<(), OpsError> {
        if layout.is_empty() {
            return Ok(());
        }
        if let Some(check) = self.check {
            check(args, dtype)?;
        }
        if let Some(answer) = self.order.and_then(|says| order_of(args, dtype).map(says)) {
            let answer = Operand::Scalar(answer.into());
            // SAFETY: `out` is writable at every position of the layout, for results, which are booleans.
            return unsafe {
                crate::ops::astype::write(lane, self.name, answer, DType::Bool, out, layout, DType::Bool)
            };
        }
        let isa = Isa::current();
        let out_size = self.output_dtype(dtype).unwrap_or(dtype).size();
        match self.loops {
            Loops::Unary(table) => {
                let [x] = self.ready(lane, args, [dtype])?;
                let run = self.entry(table, dtype)?;
                drive(lane, [&x], out, layout, out_size, self.cost, |[x, o], [xs, os], n| {
                    // SAFETY: `drive` hands over parts of operands that hold `n` elements at these strides.
                    unsafe { run(isa, n, x, xs, o, os) }
                })
            }
            Loops::Binary(table) => {
                let [a, b] = self.ready(lane, args, [dtype, dtype])?;
                let run = self.entry(table, dtype)?;
                drive(lane, [&a, &b], out, layout, out_size, self.cost, |[a, b, o], [sa, sb, os], n| {
                    // SAFETY: as for one operand.
                    unsafe { run(isa, n, a, sa, b, sb, o, os) }
                })
            }
            Loops::Select(_, table) | Loops::Ternary(table) => {
                let first = if let Loops::Select(first, _) = self.loops { first } else { dtype };
                let [c, a, b] = self.ready(lane, args, [first, dtype, dtype])?;
                let run = self.entry(table, dtype)?;
                drive(lane, [&c, &a, &b], out, layout, out_size, self.cost, |[c, a, b, o], [sc, sa, sb, os], n| {
                    // SAFETY: as for one operand.
                    unsafe { run(isa, n, c, sc, a, sa, b, sb, o, os) }
                })
            }
        }
        .in_op(self.name)
    }

    /// The call, if it needs no preparation: arrays of one dtype with a loop of its own, contiguous and of one shape, on one
    /// lane.
    #[inline(always)]
    fn plain<'a>(&self, lane: &Lane, args: &[Operand<'a>]) -> Option<Plain<'a>> {
        let plain = match (self.loops, args) {
            (Loops::Unary(table), &[Operand::Array(x)]) => {
                let entry = table[x.dtype() as usize]?;
                Plain { x, run: PlainLoop::Unary(entry.run), out: entry.out }
            }
            (Loops::Binary(table), &[Operand::Array(x), Operand::Array(y)])
                if x.dtype() == y.dtype() && y.layout().is_contiguous() && same_shape(x.layout(), y.layout()) =>
            {
                let entry = table[x.dtype() as usize]?;
                Plain { x, run: PlainLoop::Binary(entry.run, y), out: entry.out }
            }
            (Loops::Select(..) | Loops::Ternary(_), &[Operand::Array(c), Operand::Array(x), Operand::Array(y)]) => {
                let (first, table) = self.ternary(x.dtype())?;
                let fit = |a: &ArrayData| a.layout().is_contiguous() && same_shape(a.layout(), x.layout());
                if c.dtype() != first || x.dtype() != y.dtype() || !fit(c) || !fit(y) {
                    return None;
                }
                let entry = table[x.dtype() as usize]?;
                Plain { x, run: PlainLoop::Ternary(entry.run, c, y), out: entry.out }
            }
            _ => return None,
        };
        let natural = self.promotion == Promotion::Same || plain.x.dtype().is_inexact();
        let layout = plain.x.layout();
        let ready = natural
            && self.check.is_none()
            && layout.is_contiguous()
            && lane.pieces(estimate(layout.len(), self.cost)) == 1;
        ready.then_some(plain)
    }

    /// The type of the first of three operands, of which the others have `dtype`, and the table.
    #[inline]
    fn ternary(&self, dtype: DType) -> Option<(DType, &'static Table<Loop3>)> {
        match self.loops {
            Loops::Select(first, table) => Some((first, table)),
            Loops::Ternary(table) => Some((dtype, table)),
            _ => None,
        }
    }

    #[inline]
    fn entry<F: Copy>(&self, table: &Table<F>, dtype: DType) -> Result<F, OpsError> {
        let missing = || OpsError::DType { op: self.name, found: vec![dtype], supported: self.supported() };
        table[dtype as usize].map(|e| e.run).ok_or_else(missing)
    }

    /// The operands in the dtypes the loop reads.
    #[inline]
    fn ready<'a, const N: usize>(
        &self,
        lane: &Lane,
        args: &[Operand<'a>],
        dtypes: [DType; N],
    ) -> Result<[Ready<'a>; N], OpsError> {
        if args.len() != N {
            let message = format!("takes {N} operands, {} given", args.len());
            return Err(OpsError::argument(self.name, message));
        }
        let mut ready = [const { Ready::EMPTY }; N];
        for i in 0..N {
            ready[i] = Ready::new(lane, self.name, args[i], dtypes[i])?;
        }
        Ok(ready)
    }
}

/// A call that needs no preparation.
struct Plain<'a> {
    x: &'a ArrayData,
    run: PlainLoop<'a>,
    out: DType,
}

enum PlainLoop<'a> {
    Unary(Loop1),
    Binary(Loop2, &'a ArrayData),
    /// The other operands are the first and the last.
    Ternary(Loop3, &'a ArrayData, &'a ArrayData),
}

impl Plain<'_> {
    /// # Safety
    /// `out` has room for as many elements of the output's type as there are in the operands.
    #[inline(always)]
    unsafe fn run(&self, out: *mut u8) {
        let (isa, n) = (Isa::current(), self.x.layout().len());
        let (size, out_size) = (self.x.dtype().size() as isize, self.out.size() as isize);
        match self.run {
            // SAFETY: `UFunc::plain` found the operand contiguous and of the loop's type; the caller vouches for the output.
            PlainLoop::Unary(run) => unsafe { run(isa, n, self.x.as_ptr(), size, out, out_size) },
            // SAFETY: as above, for both operands.
            PlainLoop::Binary(run, y) => unsafe { run(isa, n, self.x.as_ptr(), size, y.as_ptr(), size, out, out_size) },
            PlainLoop::Ternary(run, c, y) => {
                let (c, c_size) = (c.as_ptr(), c.dtype().size() as isize);
                // SAFETY: as above, for all operands.
                unsafe { run(isa, n, c, c_size, self.x.as_ptr(), size, y.as_ptr(), size, out, out_size) }
            }
        }
    }
}

/// How all integers of a dtype compare with a number that is none of them, where one operand is such a number.
fn order_of(args: &[Operand<'_>], dtype: DType) -> Option<Ordering> {
    if !dtype.is_integer() {
        return None;
    }
    let beyond = |s: &Scalar| match *s {
        Scalar::Int(i) if s.to_element("", dtype).is_err() => Some(0.cmp(&i)),
        _ => None,
    };
    match args {
        [Operand::Array(_), Operand::Scalar(s)] => beyond(s),
        [Operand::Scalar(s), Operand::Array(_)] => beyond(s).map(Ordering::reverse),
        _ => None,
    }
}

/// Whether two layouts have one shape; up to four axes without a call.
#[inline]
fn same_shape(a: &Layout, b: &Layout) -> bool {
    let (a, b) = (a.shape(), b.shape());
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x == y)
}

/// An operand in the dtype that a loop reads.
pub(crate) enum Ready<'a> {
    /// As the caller has it.
    Borrowed(&'a ArrayData),
    /// Converted.
    Cast(ArrayData),
    /// One element for all.
    Scalar(crate::scalar::Element16),
}

impl<'a> Ready<'a> {
    pub(crate) const EMPTY: Ready<'static> = Ready::Scalar(crate::scalar::Element16([0; 16]));

    #[inline]
    pub(crate) fn new(lane: &Lane, op: &'static str, arg: Operand<'a>, dtype: DType) -> Result<Self, OpsError> {
        match arg {
            Operand::Array(a) if a.dtype() == dtype => Ok(Ready::Borrowed(a)),
            Operand::Array(a) => Ok(Ready::Cast(crate::ops::astype::astype(lane, a, dtype)?)),
            Operand::Scalar(s) => Ok(Ready::Scalar(s.to_element(op, dtype)?)),
        }
    }

    #[inline]
    fn array(&self) -> Option<&ArrayData> {
        match self {
            Ready::Borrowed(a) => Some(a),
            Ready::Cast(a) => Some(a),
            Ready::Scalar(_) => None,
        }
    }

    #[inline]
    fn ptr(&self) -> *mut u8 {
        match self {
            Ready::Borrowed(a) => a.as_ptr().cast_mut(),
            Ready::Cast(a) => a.as_ptr().cast_mut(),
            Ready::Scalar(e) => e.0.as_ptr().cast_mut(),
        }
    }

    /// Byte stride when all elements are visited in row-major order, if one stride describes that.
    #[inline]
    fn flat_stride(&self, shape: &[usize]) -> Option<isize> {
        match self.array() {
            None => Some(0),
            Some(a) if a.layout().is_contiguous() && a.layout().shape() == shape => Some(a.dtype().size() as isize),
            Some(a) if a.layout().len() == 1 => Some(0),
            Some(a) if a.layout().rank() == 1 && a.layout().shape() == shape => {
                Some(a.layout().strides()[0] * a.dtype().size() as isize)
            }
            Some(_) => None,
        }
    }
}

/// Calls `inner` for all elements: `I` inputs and the output, which is operand `I` of the `N = I + 1`. Interrupted, it has
/// left some out.
#[inline]
pub(crate) fn drive<const I: usize, const N: usize>(
    lane: &Lane,
    inputs: [&Ready<'_>; I],
    out: *mut u8,
    layout: &Layout,
    out_size: usize,
    cost: f32,
    inner: impl Fn([*mut u8; N], [isize; N], usize) + Sync,
) -> Result<(), Interrupted> {
    const { assert!(N == I + 1) };
    let mut ptrs = [out; N];
    let mut strides = [out_size as isize; N];
    let mut flat = layout.is_contiguous();
    for i in 0..I {
        ptrs[i] = inputs[i].ptr();
        match inputs[i].flat_stride(layout.shape()) {
            Some(s) => strides[i] = s,
            None => flat = false,
        }
    }
    let n = layout.len();
    if flat {
        if lane.pieces(estimate(n, cost)) == 1 {
            inner(ptrs, strides, n);
            return Ok(());
        }
        return drive_flat(lane, Pointers(ptrs), strides, n, cost, &inner);
    }
    drive_walk(lane, inputs, ptrs, layout, out_size, cost, &inner)
}

/// Pointers that lanes share; each lane touches its own part of the output.
struct Pointers<const N: usize>([*mut u8; N]);
// SAFETY: see `drive_flat`: every lane writes a part of the output that no other lane touches.
unsafe impl<const N: usize> Sync for Pointers<N> {}

impl<const N: usize> Pointers<N> {
    /// All pointers, `at` elements further on.
    fn at(&self, at: usize, strides: [isize; N]) -> [*mut u8; N] {
        std::array::from_fn(|k| self.0[k].wrapping_offset(strides[k] * at as isize))
    }
}

/// Elements in a part are a multiple of this, so that two lanes never write to one cache line.
const PART: usize = 128;

fn parts(n: usize, pieces: usize) -> (usize, usize) {
    let size = n.div_ceil(pieces).next_multiple_of(PART);
    (size, n.div_ceil(size))
}

fn estimate(n: usize, cost: f32) -> u64 {
    (n as f64 * f64::from(cost)) as u64
}

fn drive_flat<const N: usize>(
    lane: &Lane,
    ptrs: Pointers<N>,
    strides: [isize; N],
    n: usize,
    cost: f32,
    inner: &(impl Fn([*mut u8; N], [isize; N], usize) + Sync),
) -> Result<(), Interrupted> {
    let cost = estimate(n, cost);
    let (size, tasks) = parts(n, lane.pieces(cost));
    lane.try_par_for(tasks, cost, &|_, task| {
        let start = task * size;
        inner(ptrs.at(start, strides), strides, size.min(n - start));
    })
}

fn drive_walk<const I: usize, const N: usize>(
    lane: &Lane,
    inputs: [&Ready<'_>; I],
    ptrs: [*mut u8; N],
    layout: &Layout,
    out_size: usize,
    cost: f32,
    inner: &(impl Fn([*mut u8; N], [isize; N], usize) + Sync),
) -> Result<(), Interrupted> {
    let shape = layout.shape();
    let zero = Dims::from_elem(0, shape.len()).iter().map(|_| 0isize).collect::<freelane_array::Strides>();
    let strides: [_; N] = std::array::from_fn(|k| match inputs.get(k).map(|i| i.array()) {
        Some(Some(a)) => byte_strides(a.layout(), shape, a.dtype().size()),
        Some(None) => zero.clone(),
        None => byte_strides(layout, shape, out_size),
    });
    let walk = Walk::new(shape, ptrs, std::array::from_fn(|k| &strides[k][..]));
    let (outer, len) = (walk.outer_len(), walk.inner_len());
    let cost = estimate(layout.len(), cost);
    let pieces = lane.pieces(cost);
    if outer >= pieces {
        let size = outer.div_ceil(pieces);
        lane.try_par_for(outer.div_ceil(size), cost, &|_, task| {
            walk.run(task * size..((task + 1) * size).min(outer), 0..len, inner);
        })
    } else {
        let (size, tasks) = parts(len, pieces);
        lane.try_par_for(tasks, cost, &|_, task| walk.run(0..outer, task * size..((task + 1) * size).min(len), inner))
    }
}

/// The layout of a fresh result: row-major, unless every array of the full shape has its axes in another order.
pub(crate) fn output_layout(args: &[Operand<'_>]) -> Result<Layout, ArrayError> {
    let first = args.iter().find_map(|o| if let Operand::Array(a) = o { Some(a) } else { None });
    if let Some(a) = first
        && a.layout().is_contiguous()
        && args.iter().all(|o| match o {
            Operand::Array(b) => same_shape(a.layout(), b.layout()),
            Operand::Scalar(_) => true,
        })
    {
        return Ok(a.layout().to_contiguous());
    }
    let shape = broadcast_shapes(args.iter().map(|o| o.shape()))?;
    let mut full = args.iter().filter_map(|o| match o {
        Operand::Array(a) if a.layout().shape() == &shape[..] => Some(a.layout()),
        _ => None,
    });
    match full.next() {
        Some(layout) if !layout.is_contiguous() && full.all(|l| !l.is_contiguous()) => in_order_of(layout),
        _ => Layout::contiguous(&shape),
    }
}

/// A layout without gaps whose axes are ordered by the strides of another.
fn in_order_of(layout: &Layout) -> Result<Layout, ArrayError> {
    let mut order: Vec<usize> = (0..layout.rank()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(layout.strides()[i].unsigned_abs()));
    let shape: Dims = order.iter().map(|&i| layout.shape()[i]).collect();
    let mut back = vec![0isize; order.len()];
    for (at, &axis) in order.iter().enumerate() {
        back[axis] = at as isize;
    }
    Layout::contiguous(&shape)?.permute(&back)
}

/// Storage for the elements of a layout without gaps.
#[inline(always)]
pub(crate) fn uninit(lane: &Lane, layout: &Layout, dtype: DType, op: &'static str) -> Result<BufferMut, OpsError> {
    match layout.len().checked_mul(dtype.size()) {
        Some(bytes) if bytes <= isize::MAX as usize => lane.uninit(bytes).map_err(|source| no_memory(source, op)),
        _ => Err(overflow(layout, op)),
    }
}

#[cold]
fn no_memory(source: MemError, op: &'static str) -> OpsError {
    OpsError::Memory { op, source }
}

#[cold]
fn overflow(layout: &Layout, op: &'static str) -> OpsError {
    OpsError::Array { op, source: ArrayError::ShapeOverflow { shape: layout.shape().to_vec() } }
}

/// An array over storage from [`uninit`].
///
/// # Safety
/// Every element of the layout, which has no gaps, was written with a valid value of `dtype`.
#[inline]
pub(crate) unsafe fn finish(buffer: BufferMut, dtype: DType, layout: Layout) -> ArrayData {
    if layout.is_contiguous() {
        // SAFETY: contiguous from offset zero, initialised by the caller, and `uninit` sized the buffer for it.
        return unsafe { ArrayData::from_parts_unchecked(buffer, dtype, layout) };
    }
    // SAFETY: initialised by the caller.
    unsafe { ArrayData::new(buffer.freeze(), dtype, layout) }
        .unwrap_or_else(|e| unreachable!("layout without gaps: {e}"))
}
