//! Scratch of one lane: borrowed for the length of a call, nested as calls are.
//!
//! A scope takes the next bytes of the current chunk, or starts a further chunk if they do not fit there. When the outermost
//! scope ends, several chunks become one of their joint size, so that from the second time on nothing is allocated.

use crate::{BufferMut, DEFAULT_ALIGN, MemError, ScratchReq};
use std::cell::{Cell, RefCell};
use std::mem::MaybeUninit;

/// Memory for the intermediate results of one lane. It grows to what was needed at most, until [`trim`](Workspace::trim).
///
/// ```
/// use freelane_mem::{ScratchReq, Workspace};
/// let workspace = Workspace::new();
/// let sum = workspace.with(ScratchReq::of::<f32>(16), |outer| {
///     workspace.with(ScratchReq::of::<f32>(16), |inner| outer.len() + inner.len())
/// })??;
/// assert_eq!(sum, 128);
/// # Ok::<(), freelane_mem::MemError>(())
/// ```
#[derive(Debug)]
pub struct Workspace {
    /// Those before `place.chunk` are in use by outer scopes, those after it by nobody.
    chunks: RefCell<Vec<BufferMut>>,
    place: Cell<Place>,
    depth: Cell<usize>,
    /// The largest alignment asked for so far.
    align: Cell<usize>,
}

/// Where the next scope's memory starts.
#[derive(Clone, Copy, Debug)]
struct Place {
    chunk: usize,
    offset: usize,
}

const START: Place = Place { chunk: 0, offset: 0 };

impl Workspace {
    /// No memory yet.
    pub const fn new() -> Workspace {
        Workspace {
            chunks: RefCell::new(Vec::new()),
            place: Cell::new(START),
            depth: Cell::new(0),
            align: Cell::new(DEFAULT_ALIGN),
        }
    }

    /// Calls `f` with scratch of the size and alignment asked for, with anything in it. Scopes may nest; their memory is
    /// disjoint.
    pub fn with<R>(&self, request: ScratchReq, f: impl FnOnce(&mut [MaybeUninit<u8>]) -> R) -> Result<R, MemError> {
        let _scope = Scope::enter(self);
        let start = self.reserve(request)?;
        // SAFETY: `reserve` says that these bytes exist and are in no other scope, and the chunk stays until `_scope` ends.
        let scratch = unsafe { std::slice::from_raw_parts_mut(start, request.bytes()) };
        Ok(f(scratch))
    }

    fn reserve(&self, request: ScratchReq) -> Result<*mut MaybeUninit<u8>, MemError> {
        if request.bytes() > isize::MAX as usize {
            return Err(MemError::TooLarge { bytes: request.bytes() });
        }
        self.align.set(self.align.get().max(request.align()));
        let mut chunks = self.chunks.borrow_mut();
        let Place { chunk, offset } = self.place.get();
        let here = chunks.get_mut(chunk).and_then(|memory| carve(memory, offset, request));
        if let Some((start, offset)) = here {
            self.place.set(Place { chunk, offset });
            return Ok(start);
        }
        let fresh = if self.depth.get() == 1 { 0 } else { chunk + 1 };
        chunks.truncate(fresh);
        chunks.push(BufferMut::uninit_aligned(request.bytes(), self.align.get())?);
        let (start, offset) = carve(&mut chunks[fresh], 0, request).expect("the chunk was made for this request");
        self.place.set(Place { chunk: fresh, offset });
        Ok(start)
    }

    /// The bytes that are kept.
    pub fn bytes(&self) -> usize {
        self.chunks.borrow().iter().map(BufferMut::capacity).sum()
    }

    /// Gives the memory back to the lane's heap, unless a scope is using it; returns its bytes.
    pub fn trim(&self) -> usize {
        if self.depth.get() > 0 {
            return 0;
        }
        let bytes = self.bytes();
        self.chunks.take();
        bytes
    }

    /// Makes several chunks into one; without memory for that now, the next scope asks again.
    fn join(&self) {
        let mut chunks = self.chunks.borrow_mut();
        if chunks.len() > 1 {
            let bytes = chunks.iter().map(BufferMut::capacity).sum();
            chunks.clear();
            chunks.extend(BufferMut::uninit_aligned(bytes, self.align.get()));
        }
    }
}

impl Default for Workspace {
    fn default() -> Workspace {
        Workspace::new()
    }
}

/// Where a request fits in a chunk from `offset` on, and the offset after it.
fn carve(chunk: &mut BufferMut, offset: usize, request: ScratchReq) -> Option<(*mut MaybeUninit<u8>, usize)> {
    let (base, capacity) = (chunk.as_mut_ptr(), chunk.capacity());
    let start = offset + ((base.addr() + offset).wrapping_neg() & (request.align() - 1));
    let end = start.checked_add(request.bytes()).filter(|&end| end <= capacity)?;
    // SAFETY: `start <= end <= capacity`.
    Some((unsafe { base.add(start) }.cast(), end))
}

/// One level of nesting; it ends also when the scope panics.
struct Scope<'a> {
    workspace: &'a Workspace,
    before: Place,
}

impl Scope<'_> {
    fn enter(workspace: &Workspace) -> Scope<'_> {
        workspace.depth.set(workspace.depth.get() + 1);
        Scope { workspace, before: workspace.place.get() }
    }
}

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        let Workspace { place, depth, .. } = self.workspace;
        place.set(self.before);
        depth.set(depth.get() - 1);
        if depth.get() == 0 {
            self.workspace.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;

    fn range(scratch: &[MaybeUninit<u8>]) -> Range<usize> {
        let range = scratch.as_ptr_range();
        range.start.addr()..range.end.addr()
    }

    fn nest(workspace: &Workspace, sizes: &[usize], outer: &mut Vec<Range<usize>>) {
        let Some((&bytes, rest)) = sizes.split_first() else { return };
        let request = ScratchReq::new(bytes, 32);
        let visit = |scratch: &mut [MaybeUninit<u8>]| {
            scratch.fill(MaybeUninit::new(1));
            let here = range(scratch);
            assert_eq!((here.len(), here.start % 32), (bytes, 0));
            assert!(outer.iter().all(|other| other.end <= here.start || here.end <= other.start));
            outer.push(here);
            nest(workspace, rest, outer);
            outer.pop();
            nest(workspace, rest, outer);
        };
        workspace.with(request, visit).unwrap();
    }

    #[test]
    fn nested_scopes_are_disjoint_and_later_allocate_nothing() {
        let workspace = Workspace::new();
        let sizes = [100, 5000, 1, 70_000, 64];
        nest(&workspace, &sizes, &mut Vec::new());
        let bytes = workspace.bytes();
        for _ in 0..3 {
            nest(&workspace, &sizes, &mut Vec::new());
            assert_eq!((workspace.bytes(), workspace.chunks.borrow().len()), (bytes, 1));
        }
        assert_eq!((workspace.trim(), workspace.bytes()), (bytes, 0));
    }

    #[test]
    fn a_panic_ends_the_scope() {
        let workspace = Workspace::new();
        let scope = || workspace.with(ScratchReq::of::<u64>(8), |_| panic!("in scope"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(scope)).is_err());
        assert!(workspace.trim() >= 64);
    }

    #[test]
    fn impossible_requests_are_errors_and_leave_it_usable() {
        let workspace = Workspace::new();
        for bytes in [usize::MAX, isize::MAX as usize, 1 << 60] {
            assert!(workspace.with(ScratchReq::new(bytes, 8), |_| ()).is_err());
        }
        assert_eq!(workspace.with(ScratchReq::new(0, 1 << 16), |scratch| scratch.len()).unwrap(), 0);
    }
}
