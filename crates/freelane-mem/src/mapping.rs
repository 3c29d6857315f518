//! Large memory: a mapping for each block, in huge pages from 2 MiB on.
//!
//! A mapping of 2 MiB or more starts at a multiple of 2 MiB, so that the kernel can back it with huge pages; first touch is
//! then 4 to 15 times cheaper and unmapping 30 times. It is advice: a fragmented machine may not follow it.

use std::ptr::NonNull;

/// The size of a huge page, and the alignment of mappings of at least that size.
pub(crate) const HUGE: usize = 2 << 20;
/// The alignment of smaller mappings.
pub(crate) const PAGE: usize = 4096;

/// The alignment of a mapping of `bytes`.
pub(crate) const fn alignment(bytes: usize) -> usize {
    if bytes >= HUGE { HUGE } else { PAGE }
}

#[cfg(all(unix, not(miri)))]
mod imp {
    use super::*;
    use std::ptr;

    /// Fresh zeroed memory, or `None` when the system has no more.
    pub(crate) fn map(bytes: usize) -> Option<NonNull<u8>> {
        let align = alignment(bytes);
        let slack = if align > PAGE { align } else { 0 };
        let start = map_anywhere(bytes.checked_add(slack)?)?;
        // SAFETY: the mapping has `align` spare bytes if `align` is more than what the kernel gives.
        Some(unsafe { trim_ends(start, bytes, align, slack) })
    }

    fn map_anywhere(bytes: usize) -> Option<NonNull<u8>> {
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new anonymous mapping at a place of the kernel's choice touches no existing memory.
        let start = unsafe { libc::mmap(ptr::null_mut(), bytes, access, kind, -1, 0) };
        if start == libc::MAP_FAILED { None } else { NonNull::new(start.cast()) }
    }

    /// # Safety
    /// `start` maps `bytes + slack`, and nobody uses it.
    unsafe fn trim_ends(start: NonNull<u8>, bytes: usize, align: usize, slack: usize) -> NonNull<u8> {
        let before = start.as_ptr().align_offset(align).min(slack);
        // SAFETY: `before <= slack`, so the block lies inside the mapping.
        let block = unsafe { start.add(before) };
        // SAFETY: as above; the end of the block is at most the end of the mapping.
        let end = unsafe { block.add(bytes) };
        // SAFETY: the bytes before the block are mapped and unused.
        unsafe { unmap(start, before) };
        // SAFETY: the bytes after the block are mapped and unused.
        unsafe { unmap(end, slack - before) };
        advise(block, bytes);
        block
    }

    fn advise(block: NonNull<u8>, bytes: usize) {
        #[cfg(target_os = "linux")]
        if bytes >= HUGE {
            // SAFETY: advice on a mapping of our own changes no contents; that it may fail does not matter.
            unsafe { libc::madvise(block.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE) };
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (block, bytes);
    }

    /// # Safety
    /// `bytes` from `start` on are mapped, or `bytes` is 0, and nobody uses them.
    pub(crate) unsafe fn unmap(start: NonNull<u8>, bytes: usize) {
        if bytes > 0 {
            // SAFETY: the caller's promise. It can fail only when the process has too many mappings; the memory is
            // then lost, which is all that can be done about it.
            unsafe { libc::munmap(start.as_ptr().cast(), bytes) };
        }
    }
}

#[cfg(not(all(unix, not(miri))))]
mod imp {
    use super::*;
    use crate::system;

    /// Fresh zeroed memory, or `None` when the system has no more.
    pub(crate) fn map(bytes: usize) -> Option<NonNull<u8>> {
        let block = system::allocate(bytes, alignment(bytes))?;
        // SAFETY: the block has that many bytes.
        unsafe { block.write_bytes(0, bytes) };
        Some(block)
    }

    /// # Safety
    /// `start` comes from [`map`] with the same size and is used by nobody.
    pub(crate) unsafe fn unmap(start: NonNull<u8>, bytes: usize) {
        // SAFETY: the caller's promise.
        unsafe { system::free(start, bytes, alignment(bytes)) }
    }
}

pub(crate) use imp::{map, unmap};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_are_aligned_zeroed_and_writable() {
        for bytes in [1 << 20, 3 << 20, HUGE, HUGE + 4096, 5 << 19] {
            let block = map(bytes).unwrap();
            assert_eq!(block.as_ptr().addr() % alignment(bytes), 0);
            // SAFETY: the mapping has that many bytes, zeroed by the kernel.
            let bytes_of = unsafe { std::slice::from_raw_parts_mut(block.as_ptr(), bytes) };
            assert!(bytes_of.iter().all(|&byte| byte == 0));
            bytes_of[bytes - 1] = 1;
            // SAFETY: mapped above, and the slice is not used again.
            unsafe { unmap(block, bytes) };
        }
    }

    #[test]
    fn more_than_there_is_fails() {
        assert!(map(1 << 46).is_none());
    }
}
