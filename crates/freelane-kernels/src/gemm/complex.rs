//! Complex products as real ones: the real and the imaginary parts of A's rows, one above the other, times B, whose numbers are
//! pairs of columns.
//!
//! ```text
//! [ re A ]                [ P ]      re C = re P - im Q
//! [ im A ]  [ re B, im B ] = [ Q ]      im C = im P + re Q
//! ```
//!
//! P and Q are made in the common order, so the bits of C depend on k alone as those of real products do. One column has an
//! order of its own: `pairs.rs`.
use super::driver::{Job, Rhs, Scratch, Stack, part};
use super::element::{Fused, Kind};
use super::mat::{Mat, MatMut};
use super::pairs::Pairs;
use super::{KC, driver};
use core::ops::{Add, Sub};
use freelane_simd::Isa;
use num_complex::Complex;

/// Rows and columns of C at a time: P and Q of so many, and the parts of A, stay in the second-level cache.
const ROWS: usize = 64;
const COLUMNS: usize = 128;

/// A part of a complex number.
trait Part: Fused + Add<Output = Self> + Sub<Output = Self> {}
impl Part for f32 {}
impl Part for f64 {}

macro_rules! complex {
    ($($t:ty),*) => {$(
        impl Kind for Complex<$t> {
            fn scratch(m: usize, n: usize, k: usize) -> usize {
                scratch::<$t>(m, n, k)
            }
            unsafe fn product(isa: Isa, job: &Job<'_, Complex<$t>>, scratch: Scratch<'_>) {
                // SAFETY: the caller's promise is the same.
                unsafe { product(isa, job, scratch) }
            }
            unsafe fn products(isa: Isa, job: &Job<'_, Complex<$t>>, stack: Stack, mut scratch: Scratch<'_>) {
                if job.a.rows == 1 && job.n == 1 {
                    // SAFETY: the caller's promise is the same.
                    return unsafe { column(isa, job, stack.count, stack.steps, stack.conjugate) };
                }
                for i in 0..stack.count {
                    // SAFETY: the caller's promise is the same.
                    unsafe { product(isa, &job.after(i, stack.steps), scratch.again()) };
                }
            }
        }
    )*};
}
complex!(f32, f64);

/// Rows of the parts of A, columns of B's pairs, and the depth of a block.
fn block_sizes(m: usize, n: usize, k: usize) -> [usize; 3] {
    [2 * m.min(ROWS), 2 * n.min(COLUMNS), k.min(KC)]
}

fn scratch<T: Part>(m: usize, n: usize, k: usize) -> usize {
    if n == 1 {
        return 0;
    }
    let [rows, cols, depth] = block_sizes(m, n, k);
    part::<T>(rows * depth) + part::<T>(depth * cols) + part::<T>(rows * cols) + driver::scratch::<T>(rows, cols, depth)
}

/// Memory for one block of each operand, and for P above Q.
struct Blocks<T> {
    a: *mut T,
    b: *mut T,
    c: *mut T,
}

/// # Safety
/// As `Kind::product`.
unsafe fn product<T: Part>(isa: Isa, job: &Job<'_, Complex<T>>, mut scratch: Scratch<'_>) {
    if job.n == 1 {
        // SAFETY: the caller's promise is the same.
        return unsafe { column(isa, job, job.a.rows, [job.a.rs, 0, job.c.rs], false) };
    }
    let (m, k) = (job.a.rows, job.a.cols);
    let [rows, cols, depth] = block_sizes(m, job.n, k);
    let blocks = Blocks { a: scratch.take(rows * depth), b: scratch.take(depth * cols), c: scratch.take(rows * cols) };
    for i in (0..m).step_by(ROWS) {
        for j in job.columns.clone().step_by(COLUMNS) {
            let (mb, nb) = (ROWS.min(m - i), COLUMNS.min(job.columns.end - j));
            for k0 in (0..k).step_by(KC) {
                // SAFETY: the block lies in the job, and its copies in scratch.
                unsafe { block(isa, job, &blocks, (i, mb), (j, nb), (k0, KC.min(k - k0)), scratch.again()) };
            }
            // SAFETY: the block lies in the job; P and Q are summed over all of k.
            unsafe { join(job, &blocks, (i, mb), (j, nb)) };
        }
    }
}

/// Adds one block of k to P and Q.
///
/// # Safety
/// The block lies in the job, its copies have room.
unsafe fn block<T: Part>(
    isa: Isa,
    job: &Job<'_, Complex<T>>,
    blocks: &Blocks<T>,
    (i, mb): (usize, usize),
    (j, nb): (usize, usize),
    (k0, kb): (usize, usize),
    scratch: Scratch<'_>,
) {
    let Rhs::Place(b) = job.b else { unreachable!("only elements with panels are packed") };
    // SAFETY: the blocks lie in the operands; the copies are initialised here, P and Q by the first block of k.
    unsafe {
        parts(&job.a, (i, mb), (k0, kb), blocks.a);
        let (at, step) = if b.cs == 1 {
            (b.at(k0, j).cast::<T>(), 2 * b.rs)
        } else {
            pairs(&b, (k0, kb), (j, nb), blocks.b);
            (blocks.b.cast_const(), 2 * nb as isize)
        };
        let a = Mat::from_raw(blocks.a.cast_const(), [2 * mb, kb], [kb as isize, 1]);
        let b = Rhs::Place(Mat::from_raw(at, [kb, 2 * nb], [step, 1]));
        let c = MatMut::from_raw(blocks.c, [2 * mb, 2 * nb], [2 * nb as isize, 1]);
        let real = Job { a, b, c, n: 2 * nb, columns: 0..2 * nb, bias: core::ptr::null(), relu: false, add: k0 > 0 };
        driver::product(T::kernel(isa), &real, scratch);
    }
}

/// The real parts of rows of A, and below them the imaginary ones.
///
/// # Safety
/// Rows and columns lie in `x`, and `out` has room for them.
unsafe fn parts<T: Part>(x: &Mat<'_, Complex<T>>, (i, rows): (usize, usize), (k0, kb): (usize, usize), out: *mut T) {
    let below = rows * kb;
    for r in 0..rows {
        let row = x.at(i + r, k0);
        let step = if x.cs == 1 { 1 } else { x.cs };
        for k in 0..kb {
            // SAFETY: the caller's promise.
            unsafe {
                let z = *row.offset(k as isize * step);
                *out.add(r * kb + k) = z.re;
                *out.add(below + r * kb + k) = z.im;
            }
        }
    }
}

/// A block of B without gaps.
///
/// # Safety
/// As [`parts`].
unsafe fn pairs<T: Part>(x: &Mat<'_, Complex<T>>, (k0, kb): (usize, usize), (j, cols): (usize, usize), out: *mut T) {
    let out = out.cast::<Complex<T>>();
    for c in 0..cols {
        // SAFETY: the caller's promise.
        (0..kb).for_each(|k| unsafe { *out.add(k * cols + c) = *x.at(k0 + k, j + c) });
    }
}

/// Takes P and Q to C.
///
/// # Safety
/// The block lies in C and the bias; unless k is 0, P and Q are initialised.
unsafe fn join<T: Part>(
    job: &Job<'_, Complex<T>>,
    blocks: &Blocks<T>,
    (i, mb): (usize, usize),
    (j, nb): (usize, usize),
) {
    let (p, q) = (blocks.c.cast::<Complex<T>>(), blocks.c.cast::<Complex<T>>().wrapping_add(mb * nb));
    for r in 0..mb {
        for c in 0..nb {
            // SAFETY: the caller's promise.
            unsafe {
                let mut x = Complex { re: T::default(), im: T::default() };
                if job.a.cols > 0 {
                    let (p, q) = (*p.add(r * nb + c), *q.add(r * nb + c));
                    x = Complex { re: p.re - q.im, im: p.im + q.re };
                }
                if !job.bias.is_null() {
                    let bias = *job.bias.add(j + c);
                    x = Complex { re: x.re + bias.re, im: x.im + bias.im };
                }
                *job.c.at(i + r, j + c) = x;
            }
        }
    }
}

/// One column, or the stack of products of one row and one column: `m` sums.
///
/// # Safety
/// As `Kind::products`, for these.
unsafe fn column<T: Part>(isa: Isa, job: &Job<'_, Complex<T>>, m: usize, steps: [isize; 3], conjugate: bool) {
    let Rhs::Place(b) = job.b else { unreachable!("only elements with panels are packed") };
    if job.columns.is_empty() {
        return;
    }
    let ([a_rs, b_rs, c_rs], k, bias) = (steps, job.a.cols, job.bias.cast());
    let (a, a_ks, b_ks) = (job.a.ptr.cast(), job.a.cs, b.rs);
    let (b, c) = (b.ptr.cast(), job.c.ptr.cast());
    let sums = Pairs { m, k, a, a_rs, a_ks, b, b_rs, b_ks, c, c_rs, bias, conjugate };
    // SAFETY: the caller's promise; a complex number is a pair.
    unsafe { (T::kernel(isa).pairs)(&sums) };
}
