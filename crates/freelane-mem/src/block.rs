//! A block of memory and its descriptor.
//!
//! The descriptor is one cache line, made together with the block and kept with it while the block waits in a magazine, so
//! taking memory is one pop and a `BufferMut` becomes a `Buffer` without further work. Foreign memory gets one too.

use crate::{Allocator, DEFAULT_ALIGN, SizeClass, mapping, system};
use freelane_sync::RefCount;
use std::alloc::Layout;
use std::cell::Cell;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;

/// The `class` of memory that did not come from this crate.
const FOREIGN: u8 = u8::MAX;

/// What is known about a block. While the block is free its lane alone reads and writes this; while it is in use only
/// `refs` changes, except through a handle that is known to be the only one.
#[repr(align(64))]
pub(crate) struct Header {
    // LEDGER: the buffer's handles; counted when cloned or dropped, hot paths borrow instead
    pub refs: RefCount,
    pub ptr: Cell<NonNull<u8>>,
    pub len: Cell<usize>,
    /// The next block of the chain this one lies in.
    pub next: Cell<Option<Block>>,
    /// What freeing has to do besides (see [`marks`]); zero in every free block.
    pub marks: Cell<u32>,
    pub class: u8,
    pub read_only: bool,
    align_log: u8,
    source: Source,
}

const _: () = assert!(size_of::<Header>() == 64);

/// What a block in use is marked with.
pub(crate) mod marks {
    /// The tag of who pays for the block; 0 when nobody counts it.
    pub const OWNER: u32 = 0xffff;
    /// Fill the block when it is freed.
    pub const FILL: u32 = 1 << 16;
    /// `ptr` was moved up for a large alignment.
    pub const MOVED: u32 = 1 << 17;
}

/// Where the memory comes from, and what it takes to free it.
pub(crate) enum Source {
    /// This crate; the block starts here.
    Lane(NonNull<u8>),
    /// Rust's global allocator.
    Global(Layout),
    /// Somebody who wants to be told.
    Told(Box<dyn FnOnce() + Send>),
    /// A user's allocator.
    User(Arc<dyn Allocator>),
}

/// Memory that somebody else allocated.
pub(crate) struct Foreign {
    pub ptr: NonNull<u8>,
    pub len: usize,
    pub align: usize,
    pub read_only: bool,
    pub source: Source,
}

impl Foreign {
    /// Frees the memory the way its maker wants it.
    ///
    /// # Safety
    /// Nobody uses the memory.
    pub unsafe fn free(self) {
        match self.source {
            Source::Lane(_) => unreachable!("blocks of a lane are not foreign"),
            Source::Told(destructor) => tell(destructor),
            // SAFETY: `Global` holds the layout that this memory was allocated with; the caller's promise.
            Source::Global(layout) if layout.size() > 0 => unsafe { std::alloc::dealloc(self.ptr.as_ptr(), layout) },
            Source::Global(_) => (),
            // SAFETY: the allocator gave this memory for this layout; the caller's promise.
            Source::User(allocator) => unsafe {
                allocator.deallocate(self.ptr, Layout::from_size_align_unchecked(self.len.max(1), self.align))
            },
        }
    }
}

/// Calls a destructor; its panic goes on unless the thread is panicking already, which would end the process.
fn tell(destructor: Box<dyn FnOnce() + Send>) {
    if std::thread::panicking() {
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(destructor));
    } else {
        destructor();
    }
}

/// A pointer to a live descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(crate) struct Block(NonNull<Header>);

// SAFETY: a descriptor may be used from any thread (see `Header`); foreign memory is `Send` by its maker's promise.
unsafe impl Send for Block {}

impl Deref for Block {
    type Target = Header;
    #[inline(always)]
    fn deref(&self) -> &Header {
        // SAFETY: a descriptor lives until it is taken out by `destroy`, which is called with the last copy.
        unsafe { self.0.as_ref() }
    }
}

impl Block {
    /// A new block of a class; true with it if its memory is known to be zero. `None` when there is no more memory.
    pub fn fresh(class: SizeClass) -> Option<(Block, bool)> {
        let (bytes, zero) = (class.bytes(), class.is_mapped());
        let base = if zero { mapping::map(bytes) } else { system::allocate(bytes, DEFAULT_ALIGN) }?;
        let Some(place) = header_place() else {
            // SAFETY: obtained just now for this class.
            unsafe { free_base(base, class) };
            return None;
        };
        let align_log = DEFAULT_ALIGN.ilog2() as u8;
        let source = Source::Lane(base);
        Some((write_header(place, base, 0, class.index() as u8, false, align_log, source), zero))
    }

    /// A descriptor of foreign memory, which comes back when there is no memory for it.
    pub fn foreign(foreign: Foreign) -> Result<Block, Foreign> {
        let Some(place) = header_place() else { return Err(foreign) };
        let Foreign { ptr, len, align, read_only, source } = foreign;
        Ok(write_header(place, ptr, len, FOREIGN, read_only, align.ilog2() as u8, source))
    }

    /// Whether the memory came from somebody else.
    pub fn is_foreign(self) -> bool {
        self.class == FOREIGN
    }

    /// The class of a block of this crate.
    pub fn size_class(self) -> SizeClass {
        SizeClass::from_index(self.class as usize)
    }

    /// All bytes of the block, in use or not.
    pub fn bytes(self) -> usize {
        if self.is_foreign() { self.len.get() } else { self.size_class().bytes() }
    }

    /// The bytes from `ptr` to the end of the block.
    pub fn capacity(self) -> usize {
        self.bytes() - self.ptr.get().addr().get().wrapping_sub(self.base().addr().get())
    }

    /// Where the block starts.
    pub fn base(self) -> NonNull<u8> {
        if let Source::Lane(base) = self.source { base } else { self.ptr.get() }
    }

    /// Gives a free block of this crate back to the system; returns its bytes.
    ///
    /// # Safety
    /// This is the last copy of the pointer, and nobody uses the block.
    pub unsafe fn destroy(self) -> usize {
        let (base, class) = (self.base(), self.size_class());
        // SAFETY: `fresh` obtained it for this class, and the caller says that nobody uses it.
        unsafe { free_base(base, class) };
        // SAFETY: the caller's promise; what is taken out needs no destructor.
        std::mem::forget(unsafe { self.take_header() });
        class.bytes()
    }

    /// Frees foreign memory. The descriptor goes first, so that a destructor that panics leaks nothing.
    ///
    /// # Safety
    /// As [`destroy`](Block::destroy).
    pub unsafe fn destroy_foreign(self) {
        // SAFETY: the caller's promise.
        let header = unsafe { self.take_header() };
        let (ptr, len, align) = (header.ptr.get(), header.len.get(), 1 << header.align_log);
        let foreign = Foreign { ptr, len, align, read_only: header.read_only, source: header.source };
        // SAFETY: the caller's promise.
        unsafe { foreign.free() };
    }

    /// # Safety
    /// This is the last copy of the pointer.
    unsafe fn take_header(self) -> Header {
        // SAFETY: the descriptor is live, and the caller gives up the last way to reach it.
        let header = unsafe { self.0.read() };
        // SAFETY: `header_place` obtained it with this size and alignment.
        unsafe { system::free(self.0.cast(), size_of::<Header>(), align_of::<Header>()) };
        header
    }
}

fn header_place() -> Option<NonNull<Header>> {
    system::allocate(size_of::<Header>(), align_of::<Header>()).map(NonNull::cast)
}

fn write_header(
    place: NonNull<Header>,
    ptr: NonNull<u8>,
    len: usize,
    class: u8,
    read_only: bool,
    align_log: u8,
    source: Source,
) -> Block {
    let (refs, ptr, len) = (RefCount::new(), Cell::new(ptr), Cell::new(len));
    let (next, marks) = (Cell::new(None), Cell::new(0));
    let header = Header { refs, ptr, len, next, marks, class, read_only, align_log, source };
    // SAFETY: `header_place` gave room for a `Header`, aligned for it.
    unsafe { place.write(header) };
    Block(place)
}

/// # Safety
/// `base` was obtained for `class` by `Block::fresh`, and nobody uses it.
unsafe fn free_base(base: NonNull<u8>, class: SizeClass) {
    if class.is_mapped() {
        // SAFETY: the caller's promise.
        unsafe { mapping::unmap(base, class.bytes()) }
    } else {
        // SAFETY: the caller's promise.
        unsafe { system::free(base, class.bytes(), DEFAULT_ALIGN) }
    }
}
