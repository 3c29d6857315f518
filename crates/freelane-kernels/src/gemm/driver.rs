//! Chooses the kernel for a product, and hands out scratch.
use super::Packed;
use super::element::Fused;
use super::fold::Column;
use super::gemv::Row;
use super::mat::{Mat, MatMut};
use super::narrow::Narrow;
use super::table::Kernel;
use super::tile::Finish;
use super::walk::{Walk, packing};
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;

/// Alignment of scratch and of each part of it.
pub(super) const ALIGN: usize = 64;
/// B as the caller has it.
#[derive(Clone, Copy)]
pub enum Rhs<'a, T> {
    /// Anywhere, with strides.
    Place(Mat<'a, T>),
    /// In panels.
    Packed(Packed<'a, T>),
}

/// One product, or some columns of one.
pub struct Job<'a, T> {
    pub(super) a: Mat<'a, T>,
    pub(super) b: Rhs<'a, T>,
    pub(super) c: MatMut<'a, T>,
    /// Columns of the whole product: with one the order is another.
    pub(super) n: usize,
    pub(super) columns: Range<usize>,
    /// As long as C is wide, or null.
    pub(super) bias: *const T,
    pub(super) relu: bool,
    /// Add to what C holds. Then k is at most one block.
    pub(super) add: bool,
}

impl<T> Job<'_, T> {
    /// The bias from column `j` on.
    pub(super) fn bias_at(&self, j: usize) -> *const T {
        if self.bias.is_null() { self.bias } else { self.bias.wrapping_add(j) }
    }
}

/// Memory the caller lends, handed out in aligned parts.
pub struct Scratch<'a> {
    next: *mut u8,
    end: *mut u8,
    life: PhantomData<&'a mut u8>,
}

impl<'a> Scratch<'a> {
    pub(super) fn new(bytes: &'a mut [MaybeUninit<u8>]) -> Self {
        let range = bytes.as_mut_ptr_range();
        Scratch { next: range.start.cast(), end: range.end.cast(), life: PhantomData }
    }

    /// What is left, to be handed out more than once.
    pub(super) fn again(&mut self) -> Scratch<'_> {
        Scratch { next: self.next, end: self.end, life: PhantomData }
    }

    /// The next part.
    pub(super) fn take<T>(&mut self, count: usize) -> *mut T {
        let part = self.next.wrapping_add(self.next.align_offset(ALIGN));
        self.next = part.wrapping_add(count * size_of::<T>());
        assert!(self.next <= self.end, "scratch of the size that was asked for");
        part.cast()
    }
}

/// Bytes of a part of scratch.
pub(super) fn part<T>(count: usize) -> usize {
    count
        .checked_mul(size_of::<T>())
        .and_then(|bytes| bytes.checked_add(ALIGN))
        .expect("a size within the address space")
}

/// Bytes of scratch for a product of at most these sizes.
pub(super) fn scratch<T: Fused>(m: usize, n: usize, k: usize) -> usize {
    let (a, b) = packing::<T>(m, n, k);
    let line = if n == 1 { if m > 1 { k } else { 0 } } else { n };
    part::<T>(line).max(part::<T>(a) + part::<T>(b))
}

/// # Safety
/// As `Kind::product`.
pub(super) unsafe fn product<T: Fused>(kn: &'static Kernel<T>, job: &Job<'_, T>, mut scratch: Scratch<'_>) {
    if job.a.rows == 0 || job.columns.is_empty() {
        return;
    }
    // SAFETY: each way covers the job's columns of all rows; the caller's promise holds for them.
    unsafe {
        if job.a.cols == 0 {
            fill(job);
        } else if job.n == 1 {
            let column = column(job, &mut scratch);
            match column {
                Column { a_ks: 1, b_ks: 1, .. } => (kn.column)(&column),
                Column { a_rs: 1, .. } => (kn.column_across)(&column),
                _ => (kn.column_scattered)(&column),
            }
        } else if let Some((few, count)) = narrow(job) {
            (kn.narrow[count])(&few);
        } else if let Some(row) = row(job, &mut scratch) {
            if matches!(job.b, Rhs::Packed(_)) { (kn.row_packed)(&row) } else { (kn.row_place)(&row) }
        } else {
            Walk::new(kn, job, scratch).all();
        }
    }
}

/// An empty sum is +0.
///
/// # Safety
/// C and the bias are valid for the job's columns.
unsafe fn fill<T: Fused>(job: &Job<'_, T>) {
    for i in 0..job.a.rows {
        for j in job.columns.clone() {
            // SAFETY: the caller's promise.
            unsafe {
                let x = if job.bias.is_null() { T::default() } else { T::default() + *job.bias.add(j) };
                *job.c.at(i, j) = if job.relu && x < T::default() { T::default() } else { x };
            }
        }
    }
}

/// The only column; a scattered B is copied once when many rows use it.
///
/// # Safety
/// B is readable.
unsafe fn column<T: Fused>(job: &Job<'_, T>, scratch: &mut Scratch<'_>) -> Column<T> {
    let (m, k) = (job.a.rows, job.a.cols);
    let (mut b, mut b_ks) = match job.b {
        Rhs::Place(b) => (b.ptr, b.rs),
        Rhs::Packed(b) => (b.data.as_ptr(), 1),
    };
    if b_ks != 1 && m > 1 {
        let copy = scratch.take::<T>(k);
        // SAFETY: B has k rows, and the copy room for them.
        (0..k).for_each(|i| unsafe { *copy.add(i) = *b.wrapping_offset(i as isize * b_ks) });
        (b, b_ks) = (copy, 1);
    }
    let (a, c) = (&job.a, &job.c);
    Column { m, k, a: a.ptr, a_rs: a.rs, a_ks: a.cs, b, b_ks, c: c.ptr, c_rs: c.rs, bias: job.bias, relu: job.relu }
}

/// Whether lanes should be rows: with two to four columns, or up to four rows and a B of contiguous columns.
fn narrow<T: Fused>(job: &Job<'_, T>) -> Option<(Narrow<T>, usize)> {
    let Rhs::Place(b) = job.b else { return None };
    let (a, b) = (job.a, b.transposed().rows(job.columns.clone()).transposed());
    let few = |x: Mat<'_, T>, y: Mat<'_, T>, [c_rs, c_cs]: [isize; 2], [bias_rs, bias_cs]: [isize; 2]| Narrow {
        rows: x.rows,
        k: x.cols,
        x: x.ptr,
        x_rs: x.rs,
        x_ks: x.cs,
        y: y.ptr,
        y_ks: y.rs,
        y_cs: y.cs,
        c: job.c.at(0, job.columns.start),
        c_rs,
        c_cs,
        bias: job.bias_at(job.columns.start),
        bias_rs,
        bias_cs,
        relu: job.relu,
        add: job.add,
    };
    if job.n <= 4 && a.rows > 1 && (a.cs == 1 || a.rs == 1) {
        Some((few(a, b, [job.c.rs, job.c.cs], [0, 1]), b.cols))
    } else if a.rows <= 4 && b.rs == 1 && b.cs != 1 {
        Some((few(b.transposed(), a.transposed(), [job.c.cs, job.c.rs], [1, 0]), a.rows))
    } else {
        None
    }
}

/// The only row, when B's rows or panels and C are contiguous.
fn row<T: Fused>(job: &Job<'_, T>, scratch: &mut Scratch<'_>) -> Option<Row<T>> {
    let (j, cols) = (job.columns.start, job.columns.len());
    if job.a.rows != 1 || job.c.cs != 1 || job.add {
        return None;
    }
    let (b, b_ks) = match job.b {
        Rhs::Packed(b) => (b.at(0, j), 0),
        Rhs::Place(b) if b.cs == 1 => (b.at(0, j), b.rs),
        Rhs::Place(_) => return None,
    };
    let finish = Finish { add: false, bias: job.bias_at(j), relu: job.relu, keep: core::ptr::null_mut() };
    let run = if matches!(job.b, Rhs::Place(_)) { scratch.take(cols) } else { core::ptr::null_mut() };
    Some(Row { k: job.a.cols, a: job.a.ptr, a_ks: job.a.cs, b, b_ks, c: job.c.at(0, j), cols, run, finish })
}
