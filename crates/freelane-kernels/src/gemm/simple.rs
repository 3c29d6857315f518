//! Elements without kernels of their own: integers and `bool`. Plain loops in order of k.
use super::driver::{Job, Rhs, Scratch, part};
use super::element::Kind;
use super::{KC, table};
use freelane_simd::Isa;

/// Columns whose sums are kept together, and the same for a C of few columns.
const WIDTH: usize = 64;
const SLIM: usize = 4;
/// Rows that share a row of B.
const ROWS: usize = 4;

/// An element with a sum and a product.
trait Ring: Copy + Send + Sync + 'static {
    const ZERO: Self;
    /// `self + a * b`.
    fn plus(self, a: Self, b: Self) -> Self;
    fn sum(self, b: Self) -> Self;
    /// Whether relu cuts it.
    fn negative(self) -> bool;
}

macro_rules! integers {
    ($($t:ty),*) => {$(
        impl Ring for $t {
            const ZERO: $t = 0;
            #[inline(always)]
            fn plus(self, a: $t, b: $t) -> $t {
                self.wrapping_add(a.wrapping_mul(b))
            }
            #[inline(always)]
            fn sum(self, b: $t) -> $t {
                self.wrapping_add(b)
            }
            fn negative(self) -> bool {
                self < Self::ZERO
            }
        }
    )*};
}
integers!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Ring for bool {
    const ZERO: bool = false;
    #[inline(always)]
    fn plus(self, a: bool, b: bool) -> bool {
        self | (a & b)
    }
    #[inline(always)]
    fn sum(self, b: bool) -> bool {
        self | b
    }
    fn negative(self) -> bool {
        false
    }
}

macro_rules! kinds {
    ($($t:ty),*) => {$(
        impl Kind for $t {
            fn scratch(_: usize, _: usize, k: usize) -> usize {
                part::<$t>(k.min(KC) * WIDTH)
            }
            unsafe fn product(isa: Isa, job: &Job<'_, $t>, mut scratch: Scratch<'_>) {
                let panel = scratch.take(job.a.cols.min(KC) * WIDTH);
                // SAFETY: the caller's promise is the same; `panel` holds a block of KC rows.
                unsafe { on(isa, job, panel) }
            }
        }
    )*};
}
kinds!(bool, i8, i16, i32, i64, u8, u16, u32, u64);

/// The same loops compiled for each instruction set. They contain nothing that a compiler may fuse, so bits agree.
///
/// # Safety
/// As `Kind::product`; `panel` has room for KC rows (or k, if less) of WIDTH.
unsafe fn on<T: Ring>(isa: Isa, job: &Job<'_, T>, panel: *mut T) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
        unsafe fn avx512<T: Ring>(job: &Job<'_, T>, panel: *mut T) {
            // SAFETY: the caller's promise is the same.
            unsafe { any_width(job, panel) }
        }
        #[target_feature(enable = "avx2")]
        unsafe fn avx2<T: Ring>(job: &Job<'_, T>, panel: *mut T) {
            // SAFETY: the caller's promise is the same.
            unsafe { any_width(job, panel) }
        }
        // SAFETY: this CPU has the instructions; else the caller's promise.
        unsafe {
            match isa {
                Isa::Avx512 if table::runs(isa) => return avx512(job, panel),
                Isa::Avx2 if table::runs(isa) => return avx2(job, panel),
                _ => {}
            }
        }
    }
    let _ = isa;
    // SAFETY: the caller's promise is the same.
    unsafe { any_width(job, panel) }
}

/// # Safety
/// As [`on`].
#[inline(always)]
unsafe fn any_width<T: Ring>(job: &Job<'_, T>, panel: *mut T) {
    let slim = job.columns.len() <= SLIM;
    for j0 in job.columns.clone().step_by(WIDTH) {
        // SAFETY: the columns from j0 on lie in the job.
        unsafe { if slim { columns::<T, SLIM>(job, j0, panel) } else { columns::<T, WIDTH>(job, j0, panel) } }
    }
}

/// Up to `W` columns from `j0` on, all rows. Between blocks of k, C holds the sums.
///
/// # Safety
/// As [`on`], and the columns lie in the job.
#[inline(always)]
unsafe fn columns<T: Ring, const W: usize>(job: &Job<'_, T>, j0: usize, panel: *mut T) {
    let (m, k) = (job.a.rows, job.a.cols);
    let cols = W.min(job.columns.end - j0);
    for k0 in (0..k.max(1)).step_by(KC) {
        let kb = KC.min(k - k0);
        // SAFETY: the block lies in B, and in `panel`.
        unsafe { copy::<T, W>(job, (k0, kb), (j0, cols), panel) };
        for i0 in (0..m).step_by(ROWS) {
            // SAFETY: rows and columns lie in the job.
            unsafe {
                if m - i0 >= ROWS {
                    tile::<T, ROWS, W>(job, (k0, kb), i0, (j0, cols), panel);
                } else {
                    (i0..m).for_each(|i| tile::<T, 1, W>(job, (k0, kb), i, (j0, cols), panel));
                }
            }
        }
    }
}

/// # Safety
/// As [`columns`], for one block of k.
#[inline(always)]
unsafe fn copy<T: Ring, const W: usize>(
    job: &Job<'_, T>,
    (k0, kb): (usize, usize),
    (j0, cols): (usize, usize),
    panel: *mut T,
) {
    let Rhs::Place(b) = job.b else { unreachable!("only elements with panels are packed") };
    for k in 0..kb {
        for j in 0..W {
            // SAFETY: the caller's promise; columns past the last are not read.
            unsafe { *panel.add(k * W + j) = if j < cols { *b.at(k0 + k, j0 + j) } else { T::ZERO } };
        }
    }
}

/// # Safety
/// As [`columns`], for `R` rows and one block of k that is in `panel`.
#[inline(always)]
unsafe fn tile<T: Ring, const R: usize, const W: usize>(
    job: &Job<'_, T>,
    (k0, kb): (usize, usize),
    i0: usize,
    (j0, cols): (usize, usize),
    panel: *const T,
) {
    let mut acc = [[T::ZERO; W]; R];
    // SAFETY: the caller's promise.
    unsafe {
        if k0 > 0 {
            (0..R).for_each(|r| (0..cols).for_each(|j| acc[r][j] = *job.c.at(i0 + r, j0 + j)));
        }
        for k in 0..kb {
            let b: &[T; W] = &*panel.add(k * W).cast();
            for (r, acc) in acc.iter_mut().enumerate() {
                let a = *job.a.at(i0 + r, k0 + k);
                acc.iter_mut().zip(b).for_each(|(sum, &b)| *sum = sum.plus(a, b));
            }
        }
        for (r, acc) in acc.iter().enumerate() {
            for (j, &sum) in acc.iter().enumerate().take(cols) {
                *job.c.at(i0 + r, j0 + j) = if k0 + kb == job.a.cols { finished(job, sum, j0 + j) } else { sum };
            }
        }
    }
}

/// # Safety
/// Column `j` lies in the bias, if there is one.
#[inline(always)]
unsafe fn finished<T: Ring>(job: &Job<'_, T>, sum: T, j: usize) -> T {
    // SAFETY: the caller's promise.
    let x = if job.bias.is_null() { sum } else { sum.sum(unsafe { *job.bias.add(j) }) };
    if job.relu && x.negative() { T::ZERO } else { x }
}
