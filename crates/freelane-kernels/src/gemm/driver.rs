//! Chooses the kernel for a product, and hands out scratch.
use super::Packed;
use super::element::Fused;
use super::fold::Column;
use super::gemv::Row;
use super::mat::{Mat, MatMut};
use super::narrow::Narrow;
use super::small::Small;
use super::table::Kernel;
use super::tile::Finish;
use super::walk::{ALIASING, Walk, packing};
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;

/// Alignment of scratch and of each part of it.
pub(super) const ALIGN: usize = 64;
/// Rows that are too few for lanes to be rows.
const FEW: usize = 8;
const ONE: Stack = Stack { count: 1, steps: [0; 3], conjugate: false };

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

/// Products of one shape that follow each other.
#[derive(Clone, Copy, Debug)]
pub struct Stack {
    /// How many there are.
    pub count: usize,
    /// Elements from one to the next: of A, B and C.
    pub steps: [isize; 3],
    /// Whether complex numbers of A are conjugated, in products of one row and one column.
    pub conjugate: bool,
}

impl<T> Job<'_, T> {
    /// Product `i` of the stack that begins with this one.
    pub(super) fn after(&self, i: usize, steps: [isize; 3]) -> Self {
        let [a, b, c] = steps.map(|step| step * i as isize);
        let b = match self.b {
            Rhs::Place(x) => Rhs::Place(x.after(b)),
            Rhs::Packed(x) => Rhs::Packed(x),
        };
        Job { a: self.a.after(a), b, c: self.c.after(c), columns: self.columns.clone(), ..*self }
    }

    /// Some of the columns.
    fn cut(&self, columns: Range<usize>) -> Self {
        Job { columns, ..self.after(0, [0; 3]) }
    }

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
            sums(kn, &column);
        } else if let Some(small) = small(job, ONE).filter(|small| small.m <= FEW) {
            (kn.small)(&small);
        } else if let Some((few, count)) = narrow(job) {
            (kn.narrow[count])(&few);
        } else if let Some(small) = small(job, ONE) {
            (kn.small)(&small);
        } else if let Some(row) = row(job, &mut scratch) {
            if matches!(job.b, Rhs::Packed(_)) { (kn.row_packed)(&row) } else { (kn.row_place)(&row) }
        } else {
            let columns = job.columns.clone();
            let ragged = columns.end - columns.len() % T::PANEL..columns.end;
            let whole = columns.start..ragged.start;
            match small(&job.cut(ragged), ONE) {
                Some(small) if small.cols > 0 && small.pays() && !aliases(&job.a) => {
                    (kn.small)(&small);
                    Walk::new(kn, &job.cut(whole), scratch).all();
                }
                _ => Walk::new(kn, job, scratch).all(),
            }
        }
    }
}

/// # Safety
/// As `Kind::products`.
pub(super) unsafe fn products<T: Fused>(
    kn: &'static Kernel<T>,
    job: &Job<'_, T>,
    stack: Stack,
    mut scratch: Scratch<'_>,
) {
    let (m, k) = (job.a.rows, job.a.cols);
    // SAFETY: the caller's promise is the same.
    unsafe {
        if m == 1 && job.n == 1 && k > 0 {
            return if let Some(dots) = dots(job, stack) {
                sums(kn, &dots)
            };
        }
        match small(job, stack) {
            Some(small) if job.n > 1 && m > 0 => (kn.small)(&small),
            _ => (0..stack.count).for_each(|i| product(kn, &job.after(i, stack.steps), scratch.again())),
        }
    }
}

/// # Safety
/// A, B, C and the bias are valid for the column's shape.
unsafe fn sums<T: Fused>(kn: &'static Kernel<T>, column: &Column<T>) {
    // SAFETY: the caller's promise; the strides are those that each kernel asks for.
    unsafe {
        match column {
            Column { a_rs: 1, a_ks: 1, b_rs: 0, m: 2.., .. } => (kn.column_across)(column),
            Column { a_ks: 1, b_ks: 1, .. } => (kn.column)(column),
            Column { a_rs: 1, b_rs: 0 | 1, m: 2.., .. } => (kn.column_across)(column),
            _ => (kn.column_scattered)(column),
        }
    }
}

/// The products of a stack that have one row and one column, as rows.
fn dots<T: Fused>(job: &Job<'_, T>, Stack { count, steps: [a_rs, b_rs, c_rs], .. }: Stack) -> Option<Column<T>> {
    let Rhs::Place(b) = job.b else { return None };
    let (a, c, k) = (&job.a, &job.c, job.a.cols);
    let (a, a_ks, b, b_ks, c) = (a.ptr, a.cs, b.ptr, b.rs, c.ptr);
    Some(Column { m: count, k, a, a_rs, a_ks, b, b_rs, b_ks, c, c_rs, bias: job.bias, relu: job.relu })
}

/// The products of a stack, where rows of B and C are contiguous and there is less than a panel of columns, or one and few rows.
fn small<T: Fused>(job: &Job<'_, T>, Stack { count, steps, .. }: Stack) -> Option<Small<T>> {
    let Rhs::Place(b) = job.b else { return None };
    let (cols, k, j) = (job.columns.len(), job.a.cols, job.columns.start);
    let most = if job.a.rows <= FEW { T::PANEL } else { T::PANEL - 1 };
    if b.cs != 1 || job.c.cs != 1 || cols > most || k == 0 {
        return None;
    }
    let (a, b_ks, c_rs, bias) = (&job.a, b.rs, job.c.rs, job.bias_at(j));
    let (b, c) = (b.at(0, j), job.c.at(0, j));
    let (m, a, a_rs, a_ks, relu, add) = (a.rows, a.ptr, a.rs, a.cs, job.relu, job.add);
    Some(Small { count, m, k, cols, a, a_rs, a_ks, b, b_ks, c, c_rs, steps, bias, relu, add })
}

impl<T: Fused> Small<T> {
    /// Whether the columns beside whole panels had better not be a panel that is partly filled.
    fn pays(&self) -> bool {
        self.cols <= T::PANEL / 2 || self.m <= 64
    }
}

/// Whether many rows of the matrix lie in a few sets of the first-level cache, so that it had better be packed.
fn aliases<T>(a: &Mat<'_, T>) -> bool {
    let far = if a.cs == 1 { a.rs } else { a.cs };
    a.rows > FEW && (far.unsigned_abs() * size_of::<T>()).is_multiple_of(ALIASING)
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
    Column {
        m,
        k,
        a: a.ptr,
        a_rs: a.rs,
        a_ks: a.cs,
        b,
        b_rs: 0,
        b_ks,
        c: c.ptr,
        c_rs: c.rs,
        bias: job.bias,
        relu: job.relu,
    }
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
