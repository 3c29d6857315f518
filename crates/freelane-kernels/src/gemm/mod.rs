//! Matrix products in a fixed order over k.
//!
//! For `f32` and `f64`, every element of C with two or more columns is
//!
//! ```text
//! sum over blocks of KC = 256 consecutive k, in order, of (a chain of fused multiply-adds over the block's k, in order, from +0)
//! ```
//!
//! With one column (matrix times vector, dot) it is 64 interleaved chains, folded in halves: see `fold.rs`. Either order is a
//! function of k alone: not of the rows, the element's place, strides, packing, the split over lanes or the instruction
//! set. So row i of a product of many rows equals the product of that row alone, bit for bit. Columns are a property of the
//! weights, rows of the batch, hence one column may have an order of its own. Outside the promise: the payload of a NaN,
//! and CPUs without fused multiply-add, on which each step rounds twice.
//!
//! `f16` and `bf16` are converted to `f32`, multiplied in the first order and rounded once. Integers wrap; `bool` is "any of
//! both"; of complex numbers the sums of the products of parts are made in the first order, and then added and subtracted.
//!
//! How it is fast: C is cut into tiles of up to 12 rows and one panel of columns (`tile.rs`). Rows are split evenly into the
//! fewest strips; there is a compiled tile for each row count. Few rows read B in place, some more rows pack each panel as
//! the first strip passes over it, many rows pack blocks (`walk.rs`). One row (`gemv.rs`), one column (`fold.rs`, `windows.rs`,
//! complex `pairs.rs`), two to four columns (`narrow.rs`) and less than a panel (`small.rs`) have kernels of their own, and a
//! stack of small products is one call of one.
//!
//! Nothing here allocates or starts a thread: scratch comes from the caller, and [`Split`] says how to cut a product.
#![expect(clippy::needless_range_loop, reason = "arrays of registers are indexed by constants")]

mod complex;
mod driver;
mod element;
mod fold;
mod gemv;
mod halves;
mod mat;
mod narrow;
mod pack;
mod pairs;
mod simple;
mod small;
mod split;
mod table;
#[cfg(test)]
mod tests;
mod tile;
mod walk;
mod windows;

pub use driver::Stack;
pub use element::{Packable, Product};
pub use mat::{Mat, MatMut};
pub use split::Split;

pub(crate) use driver::Rhs;

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ops::Range;
use driver::{Job, Scratch};
use element::Fused;
use freelane_simd::Isa;

/// Length of one chain. Part of the definition of the result, so it never depends on the machine.
pub(crate) const KC: usize = 256;

/// What is done to C as it is stored.
#[derive(Debug)]
pub struct Epilogue<'a, T> {
    /// A row added to every row.
    pub bias: Option<&'a [T]>,
    /// Whether negative results become zero; NaN stays.
    pub relu: bool,
}

impl<T> Clone for Epilogue<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Epilogue<'_, T> {}
impl<T> Default for Epilogue<'_, T> {
    fn default() -> Self {
        Epilogue { bias: None, relu: false }
    }
}

/// Scratch that [`gemm`] needs for `m` rows or fewer, `n` columns and a depth of `k`, whatever the strides.
///
/// # Panics
/// When the size overflows, for which the operands themselves must be larger than memory.
pub fn gemm_scratch<T: Product>(m: usize, n: usize, k: usize) -> Layout {
    Layout::from_size_align(T::scratch(m, n, k), driver::ALIGN).expect("scratch is no larger than the operands")
}

/// The given columns of `out = a b`, then the epilogue.
///
/// The columns may be cut anywhere, and so may the rows (by views of `a` and `out`); see [`Split`]. No cut changes a bit.
/// Whether C has one column is read from `out`, not from `columns`.
///
/// ```
/// use core::mem::MaybeUninit;
/// use freelane_kernels::gemm::{Epilogue, Mat, MatMut, gemm, gemm_scratch};
/// use freelane_simd::Isa;
///
/// let (a, b, mut c) = ([1.0f32, 2.0, 3.0, 4.0], [5.0f32, 6.0, 7.0, 8.0], [0.0f32; 4]);
/// let mut scratch = vec![MaybeUninit::uninit(); gemm_scratch::<f32>(2, 2, 2).size()];
/// let mat = |data| Mat::new(data, 0, [2, 2], [2, 1]).unwrap();
/// let mut out = MatMut::new(&mut c, 0, [2, 2], [2, 1]).unwrap();
/// gemm(Isa::current(), mat(&a), mat(&b).transposed(), &mut out, 0..2, Epilogue::default(), &mut scratch);
/// assert_eq!(c, [17.0, 23.0, 39.0, 53.0]);
/// ```
///
/// # Panics
/// When shapes, `columns` or the bias do not fit together, or scratch is smaller than [`gemm_scratch`] says.
pub fn gemm<T: Product>(
    isa: Isa,
    a: Mat<'_, T>,
    b: Mat<'_, T>,
    out: &mut MatMut<'_, T>,
    columns: Range<usize>,
    epilogue: Epilogue<'_, T>,
    scratch: &mut [MaybeUninit<u8>],
) {
    assert!(a.cols == b.rows, "gemm: {} columns times {} rows", a.cols, b.rows);
    run(isa, a, Rhs::Place(b), b.cols, out, columns, epilogue, scratch);
}

/// [`gemm`] with B packed ahead. The bits are the same. `columns` begin at a multiple of [`Packed::panel`].
///
/// # Panics
/// As [`gemm`].
pub fn gemm_packed<T: Packable>(
    isa: Isa,
    a: Mat<'_, T>,
    b: Packed<'_, T>,
    out: &mut MatMut<'_, T>,
    columns: Range<usize>,
    epilogue: Epilogue<'_, T>,
    scratch: &mut [MaybeUninit<u8>],
) {
    assert!(a.cols == b.k, "gemm: {} columns times {} rows", a.cols, b.k);
    assert!(columns.start.is_multiple_of(Packed::<T>::panel()), "gemm: {columns:?} begin inside a panel");
    run(isa, a, Rhs::Packed(b), b.n, out, columns, epilogue, scratch);
}

#[expect(clippy::too_many_arguments, reason = "the two entries hand their arguments on")]
fn run<T: Product>(
    isa: Isa,
    a: Mat<'_, T>,
    b: Rhs<'_, T>,
    n: usize,
    out: &mut MatMut<'_, T>,
    columns: Range<usize>,
    epilogue: Epilogue<'_, T>,
    scratch: &mut [MaybeUninit<u8>],
) {
    let (m, k) = (a.rows, a.cols);
    assert!((out.rows, out.cols) == (m, n), "gemm: {m} x {n} into {} x {}", out.rows, out.cols);
    assert!(columns.start <= columns.end && columns.end <= n, "gemm: columns {columns:?} of {n}");
    assert!(epilogue.bias.is_none_or(|bias| bias.len() == n), "gemm: a bias of another length than {n}");
    let need = T::scratch(m, n, k);
    assert!(scratch.len() >= need, "gemm: {} bytes of scratch, {need} needed", scratch.len());
    let bias = epilogue.bias.map_or(core::ptr::null(), <[T]>::as_ptr);
    let job = Job { a, b, c: out.again(), n, columns, bias, relu: epilogue.relu, add: false };
    // SAFETY: shapes agree as asserted; the views vouch for their elements, and scratch is large enough.
    unsafe { T::product(isa, &job, Scratch::new(scratch)) };
}

/// One chain of a longer sum: `out = a b`, or `out += a b`, for a depth of at most [`KC`].
///
/// # Safety
/// The columns of `out` are valid for writes, and initialised if they are added to; scratch is as large as [`gemm_scratch`] says.
pub(crate) unsafe fn chain<T: Packable>(
    isa: Isa,
    a: Mat<'_, T>,
    b: Rhs<'_, T>,
    out: MatMut<'_, T>,
    columns: Range<usize>,
    add: bool,
    scratch: &mut [MaybeUninit<u8>],
) {
    let (depth, n) = match b {
        Rhs::Place(b) => (b.rows, b.cols),
        Rhs::Packed(b) => (b.k, b.n),
    };
    debug_assert!(a.cols == depth && depth <= KC && out.cols == n && out.rows == a.rows && columns.end <= n && n != 1);
    let job = Job { a, b, c: out, n, columns, bias: core::ptr::null(), relu: false, add };
    // SAFETY: shapes agree; the views vouch for their elements, the caller for the rest.
    unsafe { T::product(isa, &job, Scratch::new(scratch)) };
}

/// `stack.count` products of one shape, `a b` into `out` the first. Every product has the bits of [`gemm`].
///
/// # Safety
/// The operands and the result of each product are as [`Mat::from_raw`] and [`MatMut::from_raw`] say, and results lie apart.
///
/// # Panics
/// As [`gemm`].
pub unsafe fn gemm_stack<T: Product>(
    isa: Isa,
    a: Mat<'_, T>,
    b: Mat<'_, T>,
    out: &mut MatMut<'_, T>,
    stack: Stack,
    scratch: &mut [MaybeUninit<u8>],
) {
    assert!(a.cols == b.rows, "gemm: {} columns times {} rows", a.cols, b.rows);
    let (m, n, need) = (a.rows, b.cols, T::scratch(a.rows, b.cols, a.cols));
    assert!((out.rows, out.cols) == (m, n), "gemm: {m} x {n} into {} x {}", out.rows, out.cols);
    assert!(scratch.len() >= need, "gemm: {} bytes of scratch, {need} needed", scratch.len());
    let bias = core::ptr::null();
    let job = Job { a, b: Rhs::Place(b), c: out.again(), n, columns: 0..n, bias, relu: false, add: false };
    // SAFETY: shapes agree as asserted; the caller vouches for the elements, and scratch is large enough.
    unsafe { T::products(isa, &job, stack, Scratch::new(scratch)) };
}

/// B in panels, made by [`pack`]. One format serves every instruction set.
#[derive(Debug)]
pub struct Packed<'a, T> {
    data: &'a [T],
    k: usize,
    n: usize,
}

impl<T> Clone for Packed<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Packed<'_, T> {}

impl<'a, T: Fused> Packed<'a, T> {
    /// Takes what [`pack`] wrote for `k` rows and `n` columns; `None` when `data` has another length.
    pub fn new(data: &'a [T], k: usize, n: usize) -> Option<Self>
    where
        T: Packable,
    {
        (packed_len::<T>(k, n) == Some(data.len())).then_some(Packed { data, k, n })
    }

    /// Columns of a panel.
    pub fn panel() -> usize {
        T::PANEL
    }

    /// The panel that begins at column `j`, from row `k` on.
    fn at(&self, k: usize, j: usize) -> *const T {
        self.data.as_ptr().wrapping_add(j * self.k + k * T::PANEL)
    }
}

/// Elements that [`pack`] writes; `None` on overflow.
pub fn packed_len<T: Packable>(k: usize, n: usize) -> Option<usize> {
    let width = if n == 1 { 1 } else { n.checked_next_multiple_of(T::PANEL)? };
    width.checked_mul(k)
}

/// Packs B, initialising all of `out`.
///
/// # Panics
/// When `out` has another length than [`packed_len`] says.
pub fn pack<T: Packable>(isa: Isa, b: Mat<'_, T>, out: &mut [MaybeUninit<T>]) {
    assert!(packed_len::<T>(b.rows, b.cols) == Some(out.len()), "pack: {} x {} into {}", b.rows, b.cols, out.len());
    let block = pack::Block { lines: b.cols, k: b.rows, ptr: b.ptr, step: b.cs, k_step: b.rs };
    let to = out.as_mut_ptr().cast::<T>();
    if b.cols == 1 {
        // SAFETY: row k of the only column exists, and `out` has k elements.
        (0..b.rows).for_each(|k| unsafe { *to.add(k) = *b.at(k, 0) });
    } else {
        // SAFETY: the view vouches for B, and `out` holds whole panels.
        unsafe { (T::kernel(isa).panels)(block, to) };
    }
}
