//! The kernels for a segment of elements of one output.
use super::fold::Accumulate;
use super::order::{CHAINS, PIECE, fold_halves};
use std::mem::MaybeUninit;

/// Elements that a kernel takes at once: four pieces. A tile of them fits the first-level cache beside much else.
pub(super) const SEGMENT: usize = 4 * PIECE;

/// Pieces in the order of the tree. No closure stands for a piece: one that is not inlined would be compiled without the
/// instruction set of its caller.
///
/// # Safety
/// `x` is valid for reads of `n <= SEGMENT` elements; it need not be aligned.
#[inline(always)]
pub(super) unsafe fn pieces<T: Copy + 'static, A: Accumulate<T> + ?Sized>(
    param: A::Param,
    x: *const T,
    n: usize,
    index: usize,
) -> A::Acc {
    let mut all = [A::identity(); SEGMENT / PIECE];
    for (p, one) in all.iter_mut().enumerate().take(n.div_ceil(PIECE)) {
        let first = p * PIECE;
        // SAFETY: the piece lies among the elements.
        *one = unsafe { chains::<T, A>(param, x.wrapping_add(first), PIECE.min(n - first), index + first) };
    }
    tree::<T, A>(all)
}

/// As [`pieces`], of elements `stride` bytes apart: where vectors gain nothing, there is no need to put them together.
///
/// # Safety
/// `x` is valid for reads of `n <= SEGMENT` elements at that stride; they need not be aligned.
#[inline(always)]
pub(super) unsafe fn pieces_apart<T: Copy + 'static, A: Accumulate<T> + ?Sized>(
    param: A::Param,
    x: *const u8,
    stride: isize,
    n: usize,
    index: usize,
) -> A::Acc {
    let mut all = [A::identity(); SEGMENT / PIECE];
    for (p, one) in all.iter_mut().enumerate().take(n.div_ceil(PIECE)) {
        let first = p * PIECE;
        let x = x.wrapping_offset(first as isize * stride);
        let load = |i: usize| {
            // SAFETY: `chains_of` asks for elements of the piece.
            unsafe { x.wrapping_offset(i as isize * stride).cast::<T>().read_unaligned() }
        };
        let row = |i| std::array::from_fn(|c| load(i + c));
        *one = chains_of::<T, A>(param, PIECE.min(n - first), index + first, row, load);
    }
    tree::<T, A>(all)
}

/// The tree over the pieces of a segment.
#[inline(always)]
fn tree<T: Copy + 'static, A: Accumulate<T> + ?Sized>(all: [A::Acc; SEGMENT / PIECE]) -> A::Acc {
    A::combine(A::combine(all[0], all[1]), A::combine(all[2], all[3]))
}

/// The kernel for a piece: interleaved chains folded in halves.
///
/// # Safety
/// `x` is valid for reads of `n` elements; it need not be aligned.
#[inline(always)]
pub(super) unsafe fn chains<T: Copy + 'static, A: Accumulate<T> + ?Sized>(
    param: A::Param,
    x: *const T,
    n: usize,
    index: usize,
) -> A::Acc {
    // SAFETY: `chains_of` asks for elements among the `n`.
    let row = |i: usize| unsafe { x.add(i).cast::<[T; CHAINS]>().read_unaligned() };
    // SAFETY: as above.
    chains_of::<T, A>(param, n, index, row, |i| unsafe { x.add(i).read_unaligned() })
}

/// Chains over `n` elements: `one(i)` is the `i`th, `row(i)` are `CHAINS` from there on.
#[inline(always)]
fn chains_of<T: Copy + 'static, A: Accumulate<T> + ?Sized>(
    param: A::Param,
    n: usize,
    index: usize,
    row: impl Fn(usize) -> [T; CHAINS],
    one: impl Fn(usize) -> T,
) -> A::Acc {
    let mut acc = [A::identity(); CHAINS];
    let whole = n / CHAINS * CHAINS;
    // The tail first: it is long in memory before it is read as vectors.
    let mut tail = [A::identity(); CHAINS];
    for (c, t) in tail.iter_mut().enumerate().take(n - whole) {
        *t = A::lift(param, one(whole + c), index + whole + c);
    }
    for i in (0..whole).step_by(CHAINS) {
        let v = row(i);
        for c in 0..CHAINS {
            acc[c] = A::add(acc[c], param, v[c], index + i + c);
        }
    }
    if whole < n {
        for c in 0..CHAINS {
            acc[c] = A::combine(acc[c], tail[c]);
        }
    }
    fold_halves(acc, A::combine)
}

/// The kernel for folds that do not mind the order: one plain loop, for the compiler to spread over vectors.
///
/// # Safety
/// As for [`chains`].
#[inline(always)]
pub(super) unsafe fn plain<T: Copy + 'static, A: Accumulate<T> + ?Sized>(
    param: A::Param,
    x: *const T,
    n: usize,
    index: usize,
) -> A::Acc {
    let mut acc = A::identity();
    for i in 0..n {
        // SAFETY: `i < n`.
        let v = unsafe { x.add(i).read_unaligned() };
        acc = A::combine(acc, A::lift(param, v, index + i));
    }
    acc
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
    match stride {
        // SAFETY: the caller's promise.
        _ if stride == size => unsafe { copy(to, |i| x.wrapping_offset(i)) },
        // SAFETY: the caller's promise.
        _ if stride == -size => unsafe { copy(to, |i| x.wrapping_offset(-i)) },
        // SAFETY: the caller's promise.
        _ if stride == 2 * size => unsafe { copy(to, |i| x.wrapping_offset(2 * i)) },
        // SAFETY: the caller's promise.
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
    unsafe { copy(to, |i| x.wrapping_byte_offset(i * stride)) };
}
