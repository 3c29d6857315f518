//! Rows: the elements of one output at a time, one block of them.
use super::dispatch::{Body, Tier};
use super::fold::Fold;
use super::order::{BLOCK, CHAINS, fold_halves};
use std::mem::MaybeUninit;

/// The block kernel: interleaved chains folded in halves.
///
/// # Safety
/// `x` is valid for reads of `n` elements; it need not be aligned.
#[inline(always)]
pub(super) unsafe fn chains<T: Copy + 'static, F: Fold<T> + ?Sized>(
    param: F::Param,
    x: *const T,
    n: usize,
    index: usize,
) -> F::Acc {
    let mut acc = [F::identity(); CHAINS];
    let whole = n / CHAINS * CHAINS;
    for i in (0..whole).step_by(CHAINS) {
        // SAFETY: `i + CHAINS <= n`.
        let v = unsafe { x.add(i).cast::<[T; CHAINS]>().read_unaligned() };
        for c in 0..CHAINS {
            acc[c] = F::combine(acc[c], F::lift(param, v[c], index + i + c));
        }
    }
    if whole < n {
        let mut tail = [F::identity(); CHAINS];
        for (c, t) in tail.iter_mut().enumerate().take(n - whole) {
            // SAFETY: `whole + c < n`.
            let v = unsafe { x.add(whole + c).read_unaligned() };
            *t = F::lift(param, v, index + whole + c);
        }
        for c in 0..CHAINS {
            acc[c] = F::combine(acc[c], tail[c]);
        }
    }
    fold_halves(acc, F::combine)
}

/// The block kernel for folds that do not mind the order: one plain loop, for the compiler to spread over vectors.
///
/// # Safety
/// As for [`chains`].
#[inline(always)]
pub(super) unsafe fn plain<T: Copy + 'static, F: Fold<T> + ?Sized>(
    param: F::Param,
    x: *const T,
    n: usize,
    index: usize,
) -> F::Acc {
    let mut acc = F::identity();
    for i in 0..n {
        // SAFETY: `i < n`.
        let v = unsafe { x.add(i).read_unaligned() };
        acc = F::combine(acc, F::lift(param, v, index + i));
    }
    acc
}

/// One block of each of `outputs` rows. Strides are in bytes.
pub(super) struct Rows<T: Copy + 'static, F: Fold<T> + ?Sized> {
    pub outputs: usize,
    pub x: *const u8,
    pub row_stride: isize,
    pub n: usize,
    pub stride: isize,
    pub index: usize,
    pub param: *const u8,
    pub param_stride: isize,
    /// Room for one accumulator a row.
    pub accs: *mut F::Acc,
    pub of: std::marker::PhantomData<fn(T)>,
}

impl<T: Copy + 'static, F: Fold<T> + ?Sized> Body for Rows<T, F> {
    const TIER: Tier = F::TIER;

    #[inline(always)]
    fn run(self) {
        let adjacent = self.stride == size_of::<T>() as isize || self.n <= 1;
        let mut tile = [MaybeUninit::<T>::uninit(); BLOCK];
        for o in 0..self.outputs {
            // SAFETY: whoever made `Rows` promised that every row and its parameter can be read.
            let row = unsafe { self.x.offset(o as isize * self.row_stride) };
            // SAFETY: as above.
            let param =
                unsafe { self.param.offset(o as isize * self.param_stride).cast::<F::Param>().read_unaligned() };
            let x = if adjacent {
                row.cast::<T>()
            } else {
                // SAFETY: as above.
                unsafe { gather(&mut tile[..self.n], row, self.stride) };
                tile.as_ptr().cast::<T>()
            };
            // SAFETY: `n` elements lie at `x`, in the row or in the tile.
            let acc = unsafe { F::block(param, x, self.n, self.index) };
            // SAFETY: `accs` has room for one accumulator a row.
            unsafe { self.accs.add(o).write(acc) };
        }
    }
}

/// Copies elements a stride apart into adjacent places.
///
/// # Safety
/// `x` is valid for reads of `to.len()` elements `stride` bytes apart.
#[inline(always)]
pub(super) unsafe fn gather<T: Copy>(to: &mut [MaybeUninit<T>], x: *const u8, stride: isize) {
    const { assert!(size_of::<T>() > 0) };
    let size = size_of::<T>() as isize;
    let x = x.cast::<MaybeUninit<T>>();
    // Strides known to the compiler become loads of whole vectors and shuffles.
    // SAFETY: the caller's promise.
    match stride {
        _ if stride == size => unsafe { copy(to, |i| x.offset(i)) },
        _ if stride == -size => unsafe { copy(to, |i| x.offset(-i)) },
        _ if stride == 2 * size => unsafe { copy(to, |i| x.offset(2 * i)) },
        _ => unsafe { scattered(to, x, stride) },
    }
}

/// # Safety
/// What `place` gives for each index into `to` can be read.
#[inline(always)]
unsafe fn copy<T: Copy>(to: &mut [MaybeUninit<T>], place: impl Fn(isize) -> *const MaybeUninit<T>) {
    for (i, t) in to.iter_mut().enumerate() {
        // SAFETY: the caller's promise.
        *t = unsafe { place(i as isize).read_unaligned() };
    }
}

/// Not part of the loops for wide instruction sets, whose gather instructions are slower than plain loads.
///
/// # Safety
/// As for [`gather`].
#[inline(never)]
unsafe fn scattered<T: Copy>(to: &mut [MaybeUninit<T>], x: *const MaybeUninit<T>, stride: isize) {
    // SAFETY: the caller's promise.
    unsafe { copy(to, |i| x.byte_offset(i * stride)) };
}
