//! Large memory: a mapping for each block, in huge pages from 2 MiB on.
//!
//! A mapping of 2 MiB or more starts at a multiple of 2 MiB, so that the kernel can back it with huge pages; first touch is
//! then 4 to 15 times cheaper and unmapping 30 times. It is advice: a fragmented machine may not follow it.
//!
//! In front of every mapping lies a page that costs an address until somebody writes to it: room for what has to be found
//! from the block's address alone (see [`Bare`](crate::Bare)) without moving the block off its alignment.

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

    /// The bytes in front of a mapping that belong to it.
    pub(crate) const LEAD: usize = PAGE;

    /// Fresh zeroed memory, or `None` when the system has no more.
    pub(crate) fn map(bytes: usize) -> Option<NonNull<u8>> {
        let align = alignment(bytes);
        let slack = LEAD + (align - PAGE);
        let start = map_anywhere(bytes.checked_add(slack)?)?;
        // SAFETY: the mapping starts at a page, and has the lead and what aligning a page may take besides.
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
        // Where the lead starts: as far from an alignment as the block is from the next.
        let before = start.as_ptr().wrapping_add(LEAD).align_offset(align).min(slack - LEAD);
        // SAFETY: `before <= slack - LEAD`, so the lead and the block lie inside the mapping.
        let lead = unsafe { start.add(before) };
        // SAFETY: as above.
        let block = unsafe { lead.add(LEAD) };
        // SAFETY: as above; the end of the block is at most the end of the mapping.
        let end = unsafe { block.add(bytes) };
        // SAFETY: the bytes before the lead are mapped and unused.
        unsafe { unmap_part(start, before) };
        // SAFETY: the bytes after the block are mapped and unused.
        unsafe { unmap_part(end, slack - LEAD - before) };
        advise(lead, LEAD + bytes);
        block
    }

    fn advise(start: NonNull<u8>, bytes: usize) {
        #[cfg(target_os = "linux")]
        if bytes >= HUGE {
            // SAFETY: advice on a mapping of our own changes no contents; that it may fail does not matter.
            unsafe { libc::madvise(start.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE) };
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (start, bytes);
    }

    /// # Safety
    /// `block` comes from [`map`] with the same size and is used by nobody.
    pub(crate) unsafe fn unmap(block: NonNull<u8>, bytes: usize) {
        // SAFETY: `map` put the lead there.
        let lead = unsafe { block.sub(LEAD) };
        // SAFETY: the caller's promise.
        unsafe { unmap_part(lead, LEAD + bytes) }
    }

    /// # Safety
    /// `bytes` from `start` on are mapped, or `bytes` is 0, and nobody uses them.
    unsafe fn unmap_part(start: NonNull<u8>, bytes: usize) {
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

    /// The bytes in front of a mapping that belong to it.
    pub(crate) const LEAD: usize = 0;

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

pub(crate) use imp::{LEAD, map, unmap};

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
            // SAFETY: the lead in front of the block belongs to it.
            let lead = unsafe { std::slice::from_raw_parts_mut(block.as_ptr().sub(LEAD), LEAD) };
            lead.fill(1);
            // SAFETY: mapped above, and the slices are not used again.
            unsafe { unmap(block, bytes) };
        }
    }

    #[test]
    fn more_than_there_is_fails() {
        assert!(map(1 << 46).is_none());
    }
}
