//! Cumulative sums, products and extremes along an axis.
use crate::function::{Bound, Default, Kind, Param};
use crate::ops::astype::astype;
use crate::ufunc::{finish, uninit};
use crate::{Array, InOp, Op, OpsError, Run};
use freelane_array::{ArrayData, DType, Dims, Element, Layout, normalize_axis};
use freelane_kernels::reduce as k;
use freelane_kernels::scan::{ACC_BYTES, COLUMNS, Scan, ScanLoops, scan_loops};
use freelane_pool::{Lane, SPLIT_NS};
use smallvec::SmallVec;
use std::ops::Range;

/// Estimated nanoseconds an element.
const COST: f64 = 0.8;

/// One scan of a table: the loops, and the element type they write.
#[derive(Clone, Copy)]
struct Entry {
    loops: ScanLoops,
    out: DType,
}

type Table = [Option<Entry>; DType::COUNT];

macro_rules! table {
    ($fold:ty: $($T:ty),*) => {{
        #[allow(unused_imports)]
        use freelane_array::types::*;
        let mut t: Table = [None; DType::COUNT];
        $(
            t[<$T as Element>::DTYPE as usize] =
                Some(Entry { loops: scan_loops::<$T, $fold>(), out: <<$fold as k::Fold<$T>>::Out as Element>::DTYPE });
        )*
        t
    }};
}

static SUMS: Table = table!(k::Sum: bool, u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64, C64, C128);
static PRODUCTS: Table = table!(k::Prod: bool, u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64, C64, C128);
static MAXIMA: Table = table!(k::Max: bool, u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64);
static MINIMA: Table = table!(k::Min: bool, u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64);

/// How a scan is asked for.
struct Kindred {
    op: &'static str,
    table: &'static Table,
}

impl Kindred {
    fn entry(&self, dtype: DType) -> Result<Entry, OpsError> {
        let supported = || DType::ALL.iter().filter(|&&d| self.table[d as usize].is_some());
        let missing = || OpsError::DType {
            op: self.op,
            found: vec![dtype],
            supported: supported().map(|d| d.name()).collect::<Vec<_>>().join(", "),
        };
        self.table[dtype as usize].ok_or_else(missing)
    }

    fn axis(&self, x: &Array, axis: Option<isize>) -> Result<usize, OpsError> {
        match axis {
            Some(axis) => normalize_axis(axis, x.rank()).in_op(self.op),
            None if x.rank() == 1 => Ok(0),
            None => {
                let message = format!("of {} axes one must be named; reshape the array to (-1,) for all", x.rank());
                Err(OpsError::argument(self.op, message))
            }
        }
    }

    /// The scan along an axis, in `dtype` if one is given.
    fn call(
        &self,
        lane: &Lane,
        x: &Array,
        axis: Option<isize>,
        dtype: Option<DType>,
        initial: bool,
    ) -> Result<Array, OpsError> {
        let axis = self.axis(x, axis)?;
        let done = |x: &ArrayData| self.run(lane, x, axis, initial);
        match dtype {
            Some(dtype) if !same_sums(x.dtype(), dtype) => {
                done(&astype(lane, x.data(), dtype)?).and_then(|y| astype(lane, &y, dtype))
            }
            Some(dtype) => done(x.data()).and_then(|y| astype(lane, &y, dtype)),
            None => done(x.data()),
        }
        .map(Into::into)
    }

    fn run(&self, lane: &Lane, x: &ArrayData, axis: usize, initial: bool) -> Result<ArrayData, OpsError> {
        let entry = self.entry(x.dtype())?;
        let mut shape: Dims = x.layout().shape().into();
        shape[axis] += usize::from(initial);
        let layout = Layout::contiguous(&shape).in_op(self.op)?;
        let mut buffer = uninit(lane, &layout, entry.out, self.op)?;
        if !layout.is_empty() {
            let job = Job::new(x, axis, entry, buffer.as_mut_ptr(), initial);
            job.start(initial, axis, &shape);
            job.run(lane, x.layout().shape()[axis]).in_op(self.op)?;
        }
        // SAFETY: the job wrote what stands for no elements and every result.
        Ok(unsafe { finish(buffer, entry.out, layout) })
    }
}

/// Whether sums in the type of the elements are those in `dtype`: integers wrap.
fn same_sums(from: DType, dtype: DType) -> bool {
    from == dtype || (dtype.is_integer() && (from.is_integer() || from == DType::Bool))
}

/// An axis that is not scanned; strides in bytes.
#[derive(Clone, Copy)]
struct Kept {
    len: usize,
    x: isize,
    out: isize,
}

/// All scans of an array, cut into tiles of adjacent ones.
struct Job {
    loops: ScanLoops,
    x: *const u8,
    out: *mut u8,
    out_size: usize,
    stride: isize,
    out_stride: isize,
    len: usize,
    kept: SmallVec<[Kept; 4]>,
    /// Scans in a tile, along the last kept axis.
    columns: usize,
}

// SAFETY: lanes read elements that the caller borrows, and each writes the results of its own tiles or blocks.
unsafe impl Sync for Job {}

/// Accumulators of blocks, side by side.
struct Totals(*mut u8);
// SAFETY: each task writes those of its own block.
unsafe impl Sync for Totals {}

impl Totals {
    fn at(&self, bytes: usize) -> *mut u8 {
        self.0.wrapping_add(bytes)
    }
}

#[repr(C, align(64))]
struct State([std::mem::MaybeUninit<u8>; 3 * COLUMNS * ACC_BYTES]);

impl State {
    fn new() -> State {
        State([const { std::mem::MaybeUninit::uninit() }; 3 * COLUMNS * ACC_BYTES])
    }

    fn as_mut_ptr(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

impl Job {
    fn new(x: &ArrayData, axis: usize, entry: Entry, out: *mut u8, initial: bool) -> Job {
        let (shape, strides, size) = (x.layout().shape(), x.layout().strides(), x.dtype().size() as isize);
        let out_size = entry.out.size();
        let (mut step, mut out_stride) = (out_size as isize, 0);
        let mut kept: SmallVec<[Kept; 4]> = SmallVec::new();
        for i in (0..shape.len()).rev() {
            if i == axis {
                out_stride = step;
                step *= (shape[i] + usize::from(initial)) as isize;
                continue;
            }
            let outer = Kept { len: shape[i], x: strides[i] * size, out: step };
            step *= shape[i] as isize;
            match kept.last_mut() {
                Some(inner) if follows(inner, &outer) => inner.len *= outer.len,
                _ if outer.len != 1 => kept.push(outer),
                _ => {}
            }
        }
        kept.reverse();
        let adjacent = kept.last().filter(|a| a.x == size && a.out == out_size as isize && a.len >= 8);
        let columns = adjacent.map_or(1, |a| a.len.min(COLUMNS));
        if columns == 1 {
            kept.push(Kept { len: 1, x: 0, out: 0 });
        }
        let first = if initial { out_stride } else { 0 };
        Job {
            loops: entry.loops,
            x: x.as_ptr(),
            out: out.wrapping_offset(first),
            out_size,
            stride: strides[axis] * size,
            out_stride,
            len: shape[axis],
            kept,
            columns,
        }
    }

    /// Writes what stands for no elements before each scan.
    fn start(&self, initial: bool, axis: usize, shape: &[usize]) {
        if !initial {
            return;
        }
        let (outer, inner) = (shape[..axis].iter().product::<usize>(), shape[axis + 1..].iter().product::<usize>());
        let first = self.out.wrapping_offset(-self.out_stride);
        for i in 0..outer {
            let at = first.wrapping_add(i * shape[axis] * inner * self.out_size);
            // SAFETY: the output has `outer` times `shape[axis]` times `inner` places.
            unsafe { self.loops.nothing(at, inner) };
        }
    }

    fn tiles(&self) -> usize {
        let (last, outer) = self.kept.split_last().unwrap_or_else(|| unreachable!("a last axis was pushed"));
        outer.iter().map(|a| a.len).product::<usize>() * last.len.div_ceil(self.columns)
    }

    fn tile(&self, tile: usize) -> Scan {
        let (last, outer) = self.kept.split_last().unwrap_or_else(|| unreachable!("a last axis was pushed"));
        let across = last.len.div_ceil(self.columns);
        let (mut rest, first) = (tile / across, tile % across * self.columns);
        let mut x = self.x.wrapping_offset(first as isize * last.x);
        let mut out = self.out.wrapping_offset(first as isize * last.out);
        for a in outer.iter().rev() {
            let i = (rest % a.len) as isize;
            rest /= a.len;
            x = x.wrapping_offset(i * a.x);
            out = out.wrapping_offset(i * a.out);
        }
        let columns = self.columns.min(last.len - first);
        Scan { x, stride: self.stride, len: self.len, columns, out, out_stride: self.out_stride }
    }

    fn run(&self, lane: &Lane, len: usize) -> Result<(), freelane_pool::Interrupted> {
        let tiles = self.tiles();
        let cost = (tiles as f64 * self.columns as f64 * len as f64 * COST) as u64;
        let pieces = lane.pieces(cost);
        if tiles >= pieces || cost < SPLIT_NS {
            let size = tiles.div_ceil(pieces).max(1);
            let part = |task: usize| task * size..((task + 1) * size).min(tiles);
            return lane.try_par_for(tiles.div_ceil(size), cost, &|_, task| part(task).for_each(|t| self.whole(t)));
        }
        let each = cost / tiles.max(1) as u64;
        (0..tiles).try_for_each(|t| {
            if lane.threads() == 1 { self.in_turn(lane, t, each, pieces) } else { self.shared(lane, t, each, pieces) }
        })
    }

    fn whole(&self, tile: usize) {
        let scan = self.tile(tile);
        self.step(&scan, 0..scan.blocks(), &mut State::new());
    }

    fn step(&self, scan: &Scan, blocks: Range<usize>, state: &mut State) {
        // SAFETY: the axes were taken from checked layouts, and the state has room for all columns.
        unsafe { self.loops.step(scan, blocks, state.as_mut_ptr()) };
    }

    /// One long tile on this lane, in pieces between which it may be interrupted.
    fn in_turn(&self, lane: &Lane, tile: usize, cost: u64, pieces: usize) -> Result<(), freelane_pool::Interrupted> {
        let scan = self.tile(tile);
        let size = scan.blocks().div_ceil(pieces).max(1);
        let mut state = State::new();
        lane.try_for(scan.blocks().div_ceil(size), cost, |i| {
            self.step(&scan, i * size..((i + 1) * size).min(scan.blocks()), &mut state);
        })
    }

    /// One long tile on all lanes: what each block comes to, what is before each, then the results.
    fn shared(&self, lane: &Lane, tile: usize, cost: u64, pieces: usize) -> Result<(), freelane_pool::Interrupted> {
        let scan = self.tile(tile);
        let (blocks, row) = (scan.blocks(), scan.columns * self.loops.acc);
        let Ok(mut buffer) = lane.heap().uninit(blocks * row, freelane_mem::DEFAULT_ALIGN) else {
            return self.in_turn(lane, tile, cost, pieces);
        };
        let totals = Totals(buffer.as_mut_ptr());
        let size = blocks.div_ceil(pieces).max(1);
        let part = |task: usize| task * size..((task + 1) * size).min(blocks);
        let shared = Shared(scan);
        lane.try_par_for(blocks.div_ceil(size), cost / 2, &|_, task| {
            // SAFETY: as in `step`; each block has a row of accumulators.
            part(task).for_each(|b| unsafe { self.loops.total(shared.scan(), b, totals.at(b * row)) });
        })?;
        // SAFETY: all totals were written, for the loop was not interrupted.
        unsafe { self.loops.offsets(totals.0, blocks, scan.columns) };
        lane.try_par_for(blocks.div_ceil(size), cost, &|_, task| {
            // SAFETY: as above; blocks write results of their own.
            part(task).for_each(|b| unsafe { self.loops.resume(shared.scan(), b, totals.at(b * row)) });
        })
    }
}

/// A scan that lanes share.
struct Shared(Scan);
// SAFETY: lanes write results of their own blocks.
unsafe impl Sync for Shared {}

impl Shared {
    fn scan(&self) -> &Scan {
        &self.0
    }
}

/// Whether the scans of an outer axis go on where those of an inner end, in steps of the same size.
fn follows(inner: &Kept, outer: &Kept) -> bool {
    let n = inner.len as isize;
    outer.x == n.wrapping_mul(inner.x) && outer.out == n.wrapping_mul(inner.out)
}

const SUM: Kindred = Kindred { op: "cumulative_sum", table: &SUMS };
const PROD: Kindred = Kindred { op: "cumulative_prod", table: &PRODUCTS };
const MAX: Kindred = Kindred { op: "cumulative_max", table: &MAXIMA };
const MIN: Kindred = Kindred { op: "cumulative_min", table: &MINIMA };

impl Array {
    /// The sums of all elements along an axis up to each. Small integers are added up in 64 bits.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let x = Array::arange(1, 6, 1)?;
    /// assert_eq!(x.cumulative_sum(0)?.to_vec::<i64>()?, [1, 3, 6, 10, 15]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such axis, or memory cannot be had.
    pub fn cumulative_sum(&self, axis: isize) -> Result<Array, OpsError> {
        Lane::with(|lane| SUM.call(lane, self, Some(axis), None, false))
    }

    /// The products of all elements along an axis up to each. Small integers are multiplied in 64 bits.
    ///
    /// # Errors
    /// When there is no such axis, or memory cannot be had.
    pub fn cumulative_prod(&self, axis: isize) -> Result<Array, OpsError> {
        Lane::with(|lane| PROD.call(lane, self, Some(axis), None, false))
    }

    /// The greatest of all elements along an axis up to each; NaN from the first NaN on.
    ///
    /// # Errors
    /// When there is no such axis, the dtype has no order, or memory cannot be had.
    pub fn cumulative_max(&self, axis: isize) -> Result<Array, OpsError> {
        Lane::with(|lane| MAX.call(lane, self, Some(axis), None, false))
    }

    /// The least of all elements along an axis up to each; NaN from the first NaN on.
    ///
    /// # Errors
    /// When there is no such axis, the dtype has no order, or memory cannot be had.
    pub fn cumulative_min(&self, axis: isize) -> Result<Array, OpsError> {
        Lane::with(|lane| MIN.call(lane, self, Some(axis), None, false))
    }
}

const X: Param = Param::required("x", Kind::Operand);
const AXIS: Param = Param::optional("axis", Kind::Int, Default::None);
const SUMMED: &[Param] = &[
    X,
    AXIS,
    Param::keyword("dtype", Kind::DType, Default::None),
    Param::keyword("include_initial", Kind::Bool, Default::Bool(false)),
];

fn axis(a: &Bound<'_>) -> Result<Option<isize>, OpsError> {
    if a.is_given(1) { a.int(1).map(|axis| Some(axis as isize)) } else { Ok(None) }
}

fn summed(lane: &Lane, a: &Bound<'_>, kind: &Kindred) -> Result<Array, OpsError> {
    kind.call(lane, &a.array(0)?, axis(a)?, a.dtype(2)?, a.bool(3)?)
}

pub(crate) static CUMULATIVE_SUM: Op = Op {
    name: "cumulative_sum",
    doc: "The sums of all elements along an axis up to each, with include_initial from a zero on. Small integers are added \
          up in 64 bits. An array of one axis needs none named.",
    params: SUMMED,
    run: Run::One(|lane, a| summed(lane, a, &SUM)),
    onnx: Some(("CumSum", 14)),
};

pub(crate) static CUMULATIVE_PROD: Op = Op {
    name: "cumulative_prod",
    doc: "The products of all elements along an axis up to each, with include_initial from a one on. Small integers are \
          multiplied in 64 bits. An array of one axis needs none named.",
    params: SUMMED,
    run: Run::One(|lane, a| summed(lane, a, &PROD)),
    onnx: None,
};

pub(crate) static CUMULATIVE_MAX: Op = Op {
    name: "cumulative_max",
    doc: "The greatest of all elements along an axis up to each; NaN from the first NaN on.",
    params: &[X, AXIS],
    run: Run::One(|lane, a| MAX.call(lane, &a.array(0)?, axis(a)?, None, false)),
    onnx: None,
};

pub(crate) static CUMULATIVE_MIN: Op = Op {
    name: "cumulative_min",
    doc: "The least of all elements along an axis up to each; NaN from the first NaN on.",
    params: &[X, AXIS],
    run: Run::One(|lane, a| MIN.call(lane, &a.array(0)?, axis(a)?, None, false)),
    onnx: None,
};
