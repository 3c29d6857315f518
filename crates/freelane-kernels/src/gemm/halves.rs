//! `f16` and `bf16`: blocks are converted to `f32`, multiplied in the common order, and rounded once at the end.
use super::driver::{Job, Rhs, Scratch, part};
use super::element::Kind;
use super::mat::{Mat, MatMut};
use super::{Fused, KC, driver};
use freelane_simd::Isa;
use half::{bf16, f16};

/// Rows and columns converted at a time.
const ROWS: usize = 192;
const COLUMNS: usize = 256;

trait Half: Copy + Send + Sync + 'static {
    fn wide(self) -> f32;
    fn rounded(x: f32) -> Self;
}

macro_rules! halves {
    ($($t:ty),*) => {$(
        impl Half for $t {
            #[inline(always)]
            fn wide(self) -> f32 {
                self.to_f32()
            }
            #[inline(always)]
            fn rounded(x: f32) -> $t {
                <$t>::from_f32(x)
            }
        }
        impl Kind for $t {
            fn scratch(m: usize, n: usize, k: usize) -> usize {
                scratch(m, n, k)
            }
            unsafe fn product(isa: Isa, job: &Job<'_, $t>, scratch: Scratch<'_>) {
                // SAFETY: the caller's promise is the same.
                unsafe { product(isa, job, scratch) }
            }
        }
    )*};
}
halves!(f16, bf16);

fn scratch(m: usize, n: usize, k: usize) -> usize {
    let (m, n, k) = (m.min(ROWS), n.min(COLUMNS), k.min(KC));
    part::<f32>(m * k) + part::<f32>(k * n) + part::<f32>(m * n) + driver::scratch::<f32>(m, n.max(2), k)
}

/// Copies of one block of each operand. C's stays over all of k.
struct Blocks {
    a: *mut f32,
    b: *mut f32,
    c: *mut f32,
}

/// # Safety
/// As `Kind::product`.
unsafe fn product<T: Half>(isa: Isa, job: &Job<'_, T>, mut scratch: Scratch<'_>) {
    let (m, k) = (job.a.rows, job.a.cols);
    let (rows, cols, depth) = (m.min(ROWS), job.n.min(COLUMNS), k.min(KC));
    let blocks = Blocks { a: scratch.take(rows * depth), b: scratch.take(depth * cols), c: scratch.take(rows * cols) };
    for i in (0..m).step_by(ROWS) {
        for j in job.columns.clone().step_by(COLUMNS) {
            let (mb, nb) = (ROWS.min(m - i), COLUMNS.min(job.columns.end - j));
            for k0 in (0..k).step_by(KC) {
                // SAFETY: the block lies in the job, and its copies in scratch.
                unsafe { block(isa, job, &blocks, (i, mb), (j, nb), (k0, KC.min(k - k0)), scratch.again()) };
            }
            // SAFETY: the block lies in the job; its copy is summed over all of k.
            unsafe { round(job, &blocks, (i, mb), (j, nb)) };
        }
    }
}

/// Adds one block of k.
///
/// # Safety
/// The block lies in the job, its copies have room.
unsafe fn block<T: Half>(
    isa: Isa,
    job: &Job<'_, T>,
    blocks: &Blocks,
    (i, mb): (usize, usize),
    (j, nb): (usize, usize),
    (k0, kb): (usize, usize),
    scratch: Scratch<'_>,
) {
    let Rhs::Place(b) = job.b else { unreachable!("only elements with panels are packed") };
    // SAFETY: the blocks lie in the operands; the copies are initialised here, C's by the first block of k.
    unsafe {
        widen(&job.a, (i, mb), (k0, kb), blocks.a);
        widen(&b, (k0, kb), (j, nb), blocks.b);
        let a = Mat::from_raw(blocks.a.cast_const(), [mb, kb], [kb as isize, 1]);
        let b = Rhs::Place(Mat::from_raw(blocks.b.cast_const(), [kb, nb], [nb as isize, 1]));
        let c = MatMut::from_raw(blocks.c, [mb, nb], [nb as isize, 1]);
        // One column is not told apart, for the other order runs over all of k.
        let wide = Job { a, b, c, n: nb.max(2), columns: 0..nb, bias: core::ptr::null(), relu: false, add: k0 > 0 };
        driver::product(f32::kernel(isa), &wide, scratch);
    }
}

/// # Safety
/// Rows and columns lie in `x`, and `out` has room for them.
unsafe fn widen<T: Half>(x: &Mat<'_, T>, (i, rows): (usize, usize), (j, cols): (usize, usize), out: *mut f32) {
    for r in 0..rows {
        // SAFETY: the caller's promise.
        (0..cols).for_each(|c| unsafe { *out.add(r * cols + c) = (*x.at(i + r, j + c)).wide() });
    }
}

/// Takes a block of C to its place.
///
/// # Safety
/// The block lies in C and the bias; unless k is 0, its copy is initialised.
unsafe fn round<T: Half>(job: &Job<'_, T>, blocks: &Blocks, (i, mb): (usize, usize), (j, nb): (usize, usize)) {
    for r in 0..mb {
        for c in 0..nb {
            // SAFETY: the caller's promise.
            unsafe {
                let mut x = if job.a.cols == 0 { 0.0 } else { *blocks.c.add(r * nb + c) };
                if !job.bias.is_null() {
                    x += (*job.bias.add(j + c)).wide();
                }
                *job.c.at(i + r, j + c) = T::rounded(if job.relu && x < 0.0 { 0.0 } else { x });
            }
        }
    }
}
