//! The calling thread's heap: taking and releasing blocks.
//!
//! The paths that matter are straight lines: load the thread's heap, find the class, pop, look whether anything is switched
//! on. All else is behind a call.

use crate::block::{Block, Foreign, marks};
use crate::lane_heap::LaneHeap;
use crate::modes::{STATS, modes};
use crate::{BufferMut, DEFAULT_ALIGN, MAX_ALIGN, MemError, OwnerId, SizeClass};
use std::marker::PhantomData;

/// The heap of the thread that uses it: a token, since a thread has only one.
///
/// ```
/// use freelane_mem::Heap;
/// let buffer = Heap::with(|heap| heap.zeroed(800, 64))?;
/// assert_eq!(buffer.len(), 800);
/// # Ok::<(), freelane_mem::MemError>(())
/// ```
///
/// It stays on its thread:
///
/// ```compile_fail
/// freelane_mem::Heap::with(|heap| std::thread::scope(|scope| drop(scope.spawn(move || heap.uninit(8, 8)))));
/// ```
#[derive(Debug)]
pub struct Heap {
    /// Stays on its thread.
    thread: PhantomData<*const ()>,
}

impl Heap {
    /// The calling thread's heap.
    #[inline]
    pub const fn current() -> Heap {
        Heap { thread: PhantomData }
    }

    /// Calls `f` with the calling thread's heap.
    #[inline]
    pub fn with<R>(f: impl FnOnce(&Heap) -> R) -> R {
        f(&Heap::current())
    }

    /// Memory with anything in it.
    #[inline]
    pub fn uninit(&self, len: usize, align: usize) -> Result<BufferMut, MemError> {
        BufferMut::uninit_aligned(len, align)
    }

    /// Memory that is all zero.
    #[inline]
    pub fn zeroed(&self, len: usize, align: usize) -> Result<BufferMut, MemError> {
        BufferMut::zeroed_aligned(len, align)
    }

    /// Has `owner` pay for what this thread allocates during `f`.
    pub fn owned_by<R>(&self, owner: OwnerId, f: impl FnOnce() -> R) -> R {
        let heap = LaneHeap::get();
        let before = heap.counts.set_payer(owner);
        let _after = Finally(|| {
            heap.counts.set_payer(before);
        });
        f()
    }

    /// Runs `f`, during which this thread unmaps no memory: what it frees and nobody keeps goes to the reclaim thread even
    /// if that has more to do than its bound.
    pub fn without_waiting<R>(&self, f: impl FnOnce() -> R) -> R {
        let heap = LaneHeap::get();
        let before = heap.may_wait.replace(false);
        let _after = Finally(|| heap.may_wait.set(before));
        f()
    }
}

/// Does something when it is dropped, also by a panic.
struct Finally<F: FnMut()>(F);

impl<F: FnMut()> Drop for Finally<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// A block for `len` bytes at the default alignment.
#[inline]
pub(crate) fn uninit(len: usize) -> Result<Block, MemError> {
    pop(len).map_or_else(|| uninit_slow(len), Ok)
}

/// As [`uninit`], if the magazine has one.
#[inline(always)]
pub(crate) fn pop(len: usize) -> Option<Block> {
    if len > SizeClass::PRIVATE_BYTES {
        return None;
    }
    let heap = LaneHeap::here()?;
    let class = SizeClass::of_possible(len).index();
    let block = heap.magazine(class)?.pop()?;
    hand_out(heap, block, class, len);
    Some(block)
}

/// As [`uninit`], all zero.
#[inline]
pub(crate) fn zeroed(len: usize) -> Result<Block, MemError> {
    if len > SizeClass::PRIVATE_BYTES {
        return zeroed_large(len);
    }
    let block = uninit(len)?;
    // SAFETY: the block has at least `len` bytes, and nobody else uses it.
    unsafe { block.ptr.get().write_bytes(0, len) };
    Ok(block)
}

/// As [`uninit`], at any alignment.
pub(crate) fn aligned(len: usize, align: usize, zero: bool) -> Result<Block, MemError> {
    check_align(align)?;
    if align <= DEFAULT_ALIGN || is_aligned_anyway(len, align) {
        return if zero { zeroed(len) } else { uninit(len) };
    }
    let padded = len.checked_add(align - DEFAULT_ALIGN).ok_or(MemError::TooLarge { bytes: usize::MAX })?;
    let block = if zero { zeroed(padded) } else { uninit(padded) }?;
    let base = block.ptr.get();
    let up = base.addr().get().wrapping_neg() & (align - 1);
    // SAFETY: blocks start at multiples of 64, so `up <= align - 64`, which the block was made larger by.
    block.ptr.set(unsafe { base.add(up) });
    block.len.set(len);
    block.marks.set(block.marks.get() | marks::MOVED);
    Ok(block)
}

fn check_align(align: usize) -> Result<(), MemError> {
    if align.is_power_of_two() && align <= MAX_ALIGN { Ok(()) } else { Err(MemError::BadAlignment { align }) }
}

fn is_aligned_anyway(len: usize, align: usize) -> bool {
    let class = SizeClass::of(len);
    class.is_some_and(|class| class.is_mapped() && align <= crate::mapping::alignment(class.bytes()))
}

/// A descriptor for memory that somebody else allocated; if there is no memory for it, the foreign memory is freed.
///
/// # Safety
/// The memory is the caller's to give away.
pub(crate) unsafe fn adopt(foreign: Foreign) -> Result<Block, MemError> {
    match Block::foreign(foreign) {
        Ok(block) => {
            if modes() & STATS != 0 {
                LaneHeap::get().counts.allocated(block, block.class as usize);
            }
            Ok(block)
        }
        Err(foreign) => {
            // SAFETY: the caller gave it away, and nobody has got it.
            unsafe { foreign.free() };
            Err(MemError::OutOfMemory { bytes: 64, align: DEFAULT_ALIGN })
        }
    }
}

#[inline(always)]
fn hand_out(heap: &LaneHeap, block: Block, class: usize, len: usize) {
    block.len.set(len);
    match modes() {
        0 => (),
        STATS => heap.counts.allocated(block, class),
        modes => hand_out_filled(heap, block, modes),
    }
}

#[cold]
fn hand_out_filled(heap: &LaneHeap, block: Block, modes: u32) {
    if modes & STATS != 0 {
        heap.counts.allocated(block, block.class as usize);
    }
    block.marks.set(block.marks.get() | marks::FILL);
    fill(block, 0xCB);
}

#[cold]
fn fill(block: Block, byte: u8) {
    // SAFETY: the block has that many bytes from its base, and belongs to the caller.
    unsafe { block.base().write_bytes(byte, block.bytes()) };
}

#[cold]
#[inline(never)]
fn uninit_slow(len: usize) -> Result<Block, MemError> {
    Ok(take(len)?.0)
}

#[inline(never)]
fn zeroed_large(len: usize) -> Result<Block, MemError> {
    let (block, zero) = take(len)?;
    if !zero || block.marks.get() & marks::FILL != 0 {
        // SAFETY: the block has at least `len` bytes, and nobody else uses it.
        unsafe { block.ptr.get().write_bytes(0, len) };
    }
    Ok(block)
}

fn take(len: usize) -> Result<(Block, bool), MemError> {
    let heap = LaneHeap::get();
    let (block, zero) = heap.take(len)?;
    hand_out(heap, block, block.class as usize, len);
    Ok((block, zero))
}

/// Releases a block whose last handle is gone.
///
/// # Safety
/// Nobody uses the block any more, and this is the last copy of the pointer.
#[inline]
pub(crate) unsafe fn release(block: Block) {
    if let Some(heap) = LaneHeap::here()
        && let Some(magazine) = heap.magazine(block.class as usize)
    {
        let marked = block.marks.get();
        if marked != 0 {
            unmark(heap, block, marked);
        }
        if magazine.push(block) {
            return;
        }
    }
    // SAFETY: the caller's promise.
    unsafe { release_slow(block) }
}

/// # Safety
/// As [`release`].
#[cold]
#[inline(never)]
unsafe fn release_slow(block: Block) {
    let heap = LaneHeap::get();
    unmark(heap, block, block.marks.get());
    if block.is_foreign() {
        // SAFETY: the caller's promise.
        unsafe { block.destroy_foreign() };
    } else {
        heap.put(block);
    }
}

#[inline(always)]
fn unmark(heap: &LaneHeap, block: Block, marked: u32) {
    block.marks.set(0);
    if marked <= marks::OWNER {
        heap.counts.freed(block, marked);
    } else {
        restore(heap, block, marked);
    }
}

#[cold]
fn restore(heap: &LaneHeap, block: Block, marked: u32) {
    heap.counts.freed(block, marked & marks::OWNER);
    block.ptr.set(block.base());
    if marked & marks::FILL != 0 {
        fill(block, 0xDE);
    }
}
