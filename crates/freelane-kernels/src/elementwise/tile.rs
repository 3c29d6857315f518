//! Operands whose elements do not lie side by side: collected into tiles on the stack, and results spread from there.
//!
//! The loop over a tile is the one that runs over contiguous memory, so strides do not show in the bits.
use super::collect::{Collect, collector};
use freelane_simd::Isa;
use std::mem::{MaybeUninit, size_of};

/// Elements in a tile.
pub(super) const TILE: usize = 256;

/// Room for one tile.
pub(super) type Tile<T> = [MaybeUninit<T>; TILE];

/// An empty tile.
#[inline(always)]
pub(super) const fn tile<T>() -> Tile<T> {
    [const { MaybeUninit::uninit() }; TILE]
}

/// An operand to be read in runs of at most [`TILE`] elements.
pub(super) struct Source<'a, T> {
    base: *const u8,
    stride: isize,
    collect: Collect,
    tile: &'a mut Tile<T>,
}

impl<'a, T: Copy> Source<'a, T> {
    /// Reads an operand with stride 0 at once, so that a result may overwrite it.
    ///
    /// # Safety
    /// `base` and `stride` reach `n` readable elements, and this CPU supports `isa`.
    #[inline]
    pub(super) unsafe fn new(isa: Isa, base: *const u8, stride: isize, n: usize, tile: &'a mut Tile<T>) -> Self {
        if stride == 0 && n > 0 {
            // SAFETY: there is a first element.
            let x = unsafe { base.cast::<T>().read_unaligned() };
            tile[..n.min(TILE)].fill(MaybeUninit::new(x));
        }
        Source { base, stride, collect: collector::<T>(isa), tile }
    }

    /// Elements `i..i + m`, side by side; not necessarily aligned.
    ///
    /// # Safety
    /// `i + m <= n` and `m <= TILE`.
    #[inline]
    pub(super) unsafe fn run(&mut self, i: usize, m: usize) -> *const T {
        if self.stride == 0 {
            return self.tile.as_ptr().cast();
        }
        let first = self.base.wrapping_offset(self.stride.wrapping_mul(i as isize));
        if self.stride == size_of::<T>() as isize {
            return first.cast();
        }
        // SAFETY: `i + m <= n`, and `new` was promised n readable elements and the instruction set; a tile has room.
        unsafe { (self.collect)(first, self.stride, m, self.tile.as_mut_ptr().cast()) };
        self.tile.as_ptr().cast()
    }
}

/// Where results go, in runs of at most [`TILE`] elements.
pub(super) struct Sink<'a, O> {
    base: *mut u8,
    stride: isize,
    direct: bool,
    tile: &'a mut Tile<O>,
}

impl<'a, O: Copy> Sink<'a, O> {
    /// `apart` says that no operand starts where the result does.
    #[inline]
    pub(super) fn new(base: *mut u8, stride: isize, apart: bool, tile: &'a mut Tile<O>) -> Self {
        Sink { base, stride, direct: apart && stride == size_of::<O>() as isize, tile }
    }

    /// Room for the results `i..`, at most a tile of them.
    #[inline]
    pub(super) fn room(&mut self, i: usize) -> *mut O {
        if self.direct {
            return self.base.cast::<O>().wrapping_add(i);
        }
        self.tile.as_mut_ptr().cast()
    }

    /// Puts the results `i..i + m` where they belong.
    ///
    /// # Safety
    /// `room(i)` was filled with `m` results, and `base` and `stride` reach `i + m` writable elements.
    #[inline]
    pub(super) unsafe fn put(&mut self, i: usize, m: usize) {
        if self.direct {
            return;
        }
        let first = self.base.wrapping_offset(self.stride.wrapping_mul(i as isize));
        for (j, slot) in self.tile[..m].iter().enumerate() {
            let p = first.wrapping_offset(self.stride.wrapping_mul(j as isize));
            // SAFETY: `j < m`, so the slot is filled and `p` is writable.
            unsafe { p.cast::<O>().write_unaligned(slot.assume_init()) };
        }
    }
}

/// Calls `f(m, x, o)` with each tile of an operand, its elements side by side, and room for `m` results, apart from it.
///
/// # Safety
/// As for [`loop1`](super::loop1); `f` fills the results.
#[inline(always)]
pub(super) unsafe fn tiles1<T: Copy, O: Copy>(
    isa: Isa,
    n: usize,
    (x, xs): (*const u8, isize),
    (o, os): (*mut u8, isize),
    mut f: impl FnMut(usize, *const T, *mut O),
) {
    let (mut tx, mut to) = (tile(), tile());
    // SAFETY: the caller's promise.
    let mut source = unsafe { Source::new(isa, x, xs, n, &mut tx) };
    let mut sink = Sink::new(o, os, x != o.cast_const(), &mut to);
    for i in (0..n).step_by(TILE) {
        let m = TILE.min(n - i);
        // SAFETY: `i + m <= n`.
        f(m, unsafe { source.run(i, m) }, sink.room(i));
        // SAFETY: `f` filled `m` results.
        unsafe { sink.put(i, m) };
    }
}

/// As `tiles1`, of two operands: `f(m, a, b, o)`.
///
/// # Safety
/// As for [`loop2`](super::loop2); `f` fills the results.
#[inline(always)]
pub(super) unsafe fn tiles2<T: Copy, O: Copy>(
    isa: Isa,
    n: usize,
    [(a, sa), (b, sb)]: [(*const u8, isize); 2],
    (o, os): (*mut u8, isize),
    mut f: impl FnMut(usize, *const T, *const T, *mut O),
) {
    let (mut ta, mut tb, mut to) = (tile(), tile(), tile());
    // SAFETY: the caller's promise.
    let mut left = unsafe { Source::new(isa, a, sa, n, &mut ta) };
    // SAFETY: the caller's promise.
    let mut right = unsafe { Source::new(isa, b, sb, n, &mut tb) };
    let mut sink = Sink::new(o, os, a != o.cast_const() && b != o.cast_const(), &mut to);
    for i in (0..n).step_by(TILE) {
        let m = TILE.min(n - i);
        // SAFETY: `i + m <= n`.
        let (a, b) = unsafe { (left.run(i, m), right.run(i, m)) };
        f(m, a, b, sink.room(i));
        // SAFETY: `f` filled `m` results.
        unsafe { sink.put(i, m) };
    }
}
