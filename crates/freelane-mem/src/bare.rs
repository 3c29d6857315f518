//! Memory that is known by its address alone, as C interfaces want it.
//!
//! ```text
//!            block of a class                                   mapping, from 1 MiB on
//!   | descriptor | 0 | data ...          |      lead page: ... | descriptor | 0 || data ...          |
//!   ^ 64         ^ 16 bytes on, from 256 B on 64                               ^ 4 KiB, from 2 MiB on 2 MiB
//! ```
//!
//! The word 16 bytes before the data leads to the block's descriptor, whatever the size, so freeing needs neither a size nor a
//! look-up. Small data follows at once and is aligned to 16 bytes, as C's `malloc` has it. Data of 256 bytes and more starts
//! on a cache line. A mapping has room for the word in front of it, so that sizes that are powers of two fill their class.

use crate::block::Block;
use crate::{MemError, SizeClass, heap, mapping};
use std::ptr::NonNull;

/// The bytes between the word that leads to the descriptor and the data.
const WORD: usize = 16;
/// From here on data starts on a cache line.
const LINE_FROM: usize = 256;
const LINE: usize = 64;
/// Data from this size on lies in a mapping.
const MAPPED_FROM: usize = SizeClass::from_index(SizeClass::MAPPED - 1).bytes() + 1;

/// Memory that can be turned into its address and back: `malloc`, `calloc`, `realloc` and `free` without sizes to remember.
///
/// It comes from the calling thread's heap, may be freed by any thread, and is aligned to 16 bytes, from 256 bytes on to 64.
///
/// ```
/// use freelane_mem::{Bare, MemError};
/// let mut numbers = Bare::zeroed(4096)?;
/// numbers.resize(5000)?;
/// let address = numbers.into_raw();
/// assert_eq!(address.addr().get() % 64, 0);
/// // SAFETY: the address comes from `into_raw` and is not used again.
/// drop(unsafe { Bare::from_raw(address) });
/// assert!(matches!(Bare::uninit(usize::MAX), Err(MemError::TooLarge { .. })));
/// # Ok::<(), MemError>(())
/// ```
#[derive(Debug)]
#[repr(transparent)]
pub struct Bare {
    data: NonNull<u8>,
}

// SAFETY: the memory has one owner, and blocks may be freed by any thread.
unsafe impl Send for Bare {}
// SAFETY: through `&Bare` nothing can be reached but the address and the size.
unsafe impl Sync for Bare {}

impl Bare {
    /// At least `len` bytes with anything in them.
    #[inline]
    pub fn uninit(len: usize) -> Result<Bare, MemError> {
        let before = if len < LINE_FROM { WORD } else { LINE };
        if len <= SizeClass::PRIVATE_BYTES
            && let Some(block) = heap::pop(len + before)
        {
            return Ok(Bare::lead_to(block, before));
        }
        Bare::uninit_slow(len)
    }

    #[cold]
    #[inline(never)]
    fn uninit_slow(len: usize) -> Result<Bare, MemError> {
        let before = before(len);
        Ok(Bare::lead_to(heap::uninit(padded(len, before)?)?, before))
    }

    /// At least `len` bytes, the first `len` of them zero.
    #[inline]
    pub fn zeroed(len: usize) -> Result<Bare, MemError> {
        let before = before(len);
        Ok(Bare::lead_to(heap::zeroed(padded(len, before)?)?, before))
    }

    #[inline(always)]
    fn lead_to(block: Block, before: usize) -> Bare {
        // SAFETY: the block was asked for with that many bytes more.
        let data = unsafe { block.ptr.get().add(before) };
        // SAFETY: there are `before >= WORD` bytes in front of the data, or a lead.
        let word = unsafe { data.sub(WORD) };
        // SAFETY: the word is ours, and aligned as the data is.
        unsafe { word.cast::<Block>().write(block) };
        Bare { data }
    }

    /// The memory at an address.
    ///
    /// # Safety
    /// The address comes from [`into_raw`](Bare::into_raw), and this gives it up: nobody else makes it a `Bare` again.
    #[inline]
    pub unsafe fn from_raw(data: NonNull<u8>) -> Bare {
        Bare { data }
    }

    /// Frees the memory at an address; as dropping it, without a call in between.
    ///
    /// # Safety
    /// As [`from_raw`](Bare::from_raw).
    #[inline(always)]
    pub unsafe fn free_raw(data: NonNull<u8>) {
        // SAFETY: the caller's promise.
        let bare = std::mem::ManuallyDrop::new(unsafe { Bare::from_raw(data) });
        // SAFETY: this was the only way to the block.
        unsafe { heap::release(bare.block()) }
    }

    /// The address, from which [`from_raw`](Bare::from_raw) makes the memory again; until then it is never freed.
    #[inline]
    pub fn into_raw(self) -> NonNull<u8> {
        std::mem::ManuallyDrop::new(self).data
    }

    #[inline(always)]
    fn block(&self) -> Block {
        // SAFETY: `lead_to` left the word there, and only `&mut self` could write in front of the data.
        let word = unsafe { self.data.sub(WORD) };
        // SAFETY: as above.
        unsafe { word.cast::<Block>().read() }
    }

    /// The bytes that may be used.
    pub fn capacity(&self) -> usize {
        let block = self.block();
        block.bytes() - (self.data.addr().get() - block.base().addr().get())
    }

    /// Where the memory starts, for writing.
    #[inline]
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.data.as_ptr()
    }

    /// Makes room for `len` bytes: in place, or at another address, to which the bytes that there is room for move.
    ///
    /// Memory that shrinks to less than half of its block, and is more than 1 KiB, moves to a smaller one. If there is an
    /// error nothing changes.
    pub fn resize(&mut self, len: usize) -> Result<(), MemError> {
        let capacity = self.capacity();
        let aligned = len < LINE_FROM || self.data.addr().get().is_multiple_of(LINE);
        if aligned && len <= capacity && (len > capacity / 2 || capacity < 1024) {
            return Ok(());
        }
        let mut other = Bare::uninit(len)?;
        // SAFETY: both have that many bytes, and are two blocks.
        unsafe { other.as_mut_ptr().copy_from_nonoverlapping(self.data.as_ptr(), len.min(capacity)) };
        *self = other;
        Ok(())
    }
}

impl Drop for Bare {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this was the only way to the block.
        unsafe { heap::release(self.block()) }
    }
}

/// The bytes between the start of a block and `len` bytes of data.
#[inline(always)]
fn before(len: usize) -> usize {
    if len < LINE_FROM {
        WORD
    } else if mapping::LEAD >= WORD && len >= MAPPED_FROM {
        0
    } else {
        LINE
    }
}

#[inline(always)]
fn padded(len: usize, before: usize) -> Result<usize, MemError> {
    len.checked_add(before).ok_or(MemError::TooLarge { bytes: usize::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(bare: &mut Bare, len: usize, seed: u8) {
        for i in 0..len {
            // SAFETY: `len` bytes were asked for.
            unsafe { bare.as_mut_ptr().add(i).write(seed.wrapping_add(i as u8)) };
        }
    }

    fn stamped(bare: &mut Bare, len: usize, seed: u8) -> bool {
        // SAFETY: `stamp` wrote these bytes.
        (0..len).all(|i| unsafe { bare.as_mut_ptr().add(i).read() } == seed.wrapping_add(i as u8))
    }

    const SIZES: [usize; 17] = [
        0,
        1,
        16,
        48,
        49,
        255,
        256,
        512,
        1023,
        1024,
        4096,
        (56 << 10) - 64,
        (56 << 10) - 63,
        64 << 10,
        (896 << 10) - 10,
        1 << 20,
        2 << 20,
    ];

    #[test]
    fn all_sizes_are_aligned_and_can_be_written_to_the_last_byte() {
        for len in SIZES {
            let mut bare = Bare::uninit(len).unwrap();
            let align = if len < 256 { 16 } else { 64 };
            assert_eq!(bare.as_mut_ptr().addr() % align, 0, "{len}");
            let capacity = bare.capacity();
            assert!(capacity >= len && capacity <= len + len / 2 + 64, "{len}: {capacity}");
            stamp(&mut bare, capacity, 3);
            assert!(stamped(&mut bare, capacity, 3), "{len}");
        }
    }

    #[test]
    fn a_power_of_two_fills_its_mapping_where_there_is_a_lead() {
        for len in [1 << 20, 16 << 20] {
            let mut bare = Bare::uninit(len).unwrap();
            let align = if mapping::LEAD > 0 { mapping::alignment(len) } else { 64 };
            assert_eq!(bare.as_mut_ptr().addr() % align, 0);
            assert_eq!(bare.capacity() == len, mapping::LEAD > 0, "{len}");
        }
    }

    #[test]
    fn zeroed_memory_is_zero_whatever_it_was_before() {
        for len in SIZES {
            let mut dirty = Bare::uninit(len).unwrap();
            stamp(&mut dirty, len, 1);
            drop(dirty);
            let mut bare = Bare::zeroed(len).unwrap();
            // SAFETY: zeroed.
            assert!((0..len).all(|i| unsafe { bare.as_mut_ptr().add(i).read() } == 0), "{len}");
        }
    }

    #[test]
    fn resizing_keeps_what_there_is_room_for() {
        for from in SIZES {
            for to in SIZES {
                let mut bare = Bare::uninit(from).unwrap();
                stamp(&mut bare, from, 7);
                bare.resize(to).unwrap();
                assert!(bare.capacity() >= to && stamped(&mut bare, from.min(to), 7), "{from} to {to}");
                assert!(to < 256 || bare.as_mut_ptr().addr().is_multiple_of(64), "{from} to {to}");
            }
        }
    }

    #[test]
    fn resizing_stays_in_place_while_the_block_has_room() {
        let mut bare = Bare::uninit(70_000).unwrap();
        let (address, capacity) = (bare.as_mut_ptr(), bare.capacity());
        for len in [70_001, capacity, 70_000, capacity / 2 + 1] {
            bare.resize(len).unwrap();
            assert_eq!(bare.as_mut_ptr(), address, "{len}");
        }
        bare.resize(100).unwrap();
        assert!(bare.capacity() < 1024);
    }

    #[test]
    fn impossible_sizes_are_errors_and_leave_what_there_was() {
        let mut bare = Bare::uninit(100).unwrap();
        stamp(&mut bare, 100, 5);
        for len in [usize::MAX, usize::MAX - 10, usize::MAX / 2, 1 << 48, (1 << 46) + 1] {
            assert!(Bare::uninit(len).is_err() && Bare::zeroed(len).is_err(), "{len}");
            assert!(bare.resize(len).is_err());
        }
        assert!(stamped(&mut bare, 100, 5));
    }
}
