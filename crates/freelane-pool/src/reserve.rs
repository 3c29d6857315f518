//! Buffers that a lane keeps for runs of plans: those of one run after another use the same.

use freelane_mem::{BufferMut, Heap, MemError};
use std::cell::{Cell, RefCell};

/// Buffers by size, the largest first; a place is empty while its buffer is in use.
type Buffers = Vec<Option<BufferMut>>;

/// All that a lane keeps, and what is offered on it.
#[derive(Default)]
pub struct Reserves {
    /// One set a level of nesting.
    kept: RefCell<Vec<Buffers>>,
    depth: Cell<usize>,
    /// How many are offered, to be asked without a borrow.
    offers: Cell<usize>,
    offered: RefCell<Vec<Offer>>,
}

struct Offer {
    /// How deep the run is nested that offers it: only that one may have it or take it back.
    depth: usize,
    place: usize,
    bytes: usize,
    buffer: BufferMut,
}

impl Reserves {
    /// The buffer that is offered for so many bytes.
    #[inline]
    pub fn accept(&self, bytes: usize) -> Option<BufferMut> {
        if self.offers.get() == 0 { None } else { self.accept_offered(bytes) }
    }

    fn accept_offered(&self, bytes: usize) -> Option<BufferMut> {
        let mut offered = self.offered.borrow_mut();
        let depth = self.depth.get();
        let i = offered.iter().position(|offer| offer.depth == depth && offer.bytes == bytes)?;
        self.offers.set(offered.len() - 1);
        Some(offered.swap_remove(i).buffer)
    }

    /// Frees what no run uses; returns its bytes.
    pub fn trim(&self) -> usize {
        let freed: Vec<Buffers> = self.kept.borrow_mut().drain(..).collect();
        freed.iter().flatten().flatten().map(BufferMut::capacity).sum()
    }
}

/// Buffers of a lane for one run.
pub struct Reserve<'l> {
    of: &'l Reserves,
    /// How deep it is nested, counted from 1.
    depth: usize,
    buffers: Buffers,
}

impl<'l> Reserve<'l> {
    pub(crate) fn take(of: &'l Reserves, heap: &Heap, sizes: &[usize]) -> Result<Reserve<'l>, MemError> {
        let depth = of.depth.get();
        let mut kept = of.kept.borrow_mut();
        if kept.len() <= depth {
            kept.resize_with(depth + 1, Vec::new);
        }
        let buffers = std::mem::take(&mut kept[depth]);
        drop(kept);
        of.depth.set(depth + 1);
        let mut reserve = Reserve { of, depth: depth + 1, buffers };
        if reserve.buffers.len() < sizes.len() {
            reserve.buffers.resize_with(sizes.len(), || None);
        }
        for (place, &bytes) in reserve.buffers.iter_mut().zip(sizes) {
            if place.as_ref().is_none_or(|buffer| buffer.capacity() < bytes) {
                // The smaller one is freed first, so that its memory can serve.
                *place = None;
                *place = Some(heap.uninit(bytes, freelane_mem::DEFAULT_ALIGN)?);
            }
        }
        Ok(reserve)
    }

    /// Lets the next [`Lane::uninit`](crate::Lane::uninit) of exactly `bytes` bytes have the buffer in a place, if it is
    /// there, until [`withdraw`](Reserve::withdraw).
    #[inline]
    pub fn offer(&mut self, place: usize, bytes: usize) {
        if let Some(mut buffer) = self.buffers.get_mut(place).and_then(Option::take)
            && buffer.set_len(bytes)
        {
            let mut offered = self.of.offered.borrow_mut();
            offered.push(Offer { depth: self.depth, place, bytes, buffer });
            self.of.offers.set(offered.len());
        }
    }

    /// Takes back what was offered and not accepted.
    #[inline]
    pub fn withdraw(&mut self) {
        if self.of.offers.get() > 0 {
            let (of, depth) = (self.of, self.depth);
            let mut offered = of.offered.borrow_mut();
            for offer in offered.extract_if(.., |offer| offer.depth == depth) {
                self.give(offer.place, offer.buffer);
            }
            of.offers.set(offered.len());
        }
    }

    /// Gives a buffer back to its place.
    #[inline]
    pub fn give(&mut self, place: usize, buffer: BufferMut) {
        if let Some(kept) = self.buffers.get_mut(place) {
            *kept = Some(buffer);
        }
    }
}

impl Drop for Reserve<'_> {
    fn drop(&mut self) {
        self.withdraw();
        self.of.depth.set(self.of.depth.get() - 1);
        let depth = self.depth - 1;
        let mut kept = self.of.kept.borrow_mut();
        if kept.len() <= depth {
            kept.resize_with(depth + 1, Vec::new);
        }
        kept[depth] = std::mem::take(&mut self.buffers);
    }
}

#[cfg(test)]
mod tests {
    use crate::Lane;

    #[test]
    fn the_next_run_gets_the_same_buffers() {
        Lane::with(|lane| {
            let mut first = lane.reserve(&[4096, 100]).unwrap();
            first.offer(0, 4000);
            let taken = lane.uninit(4000).unwrap();
            let at = taken.as_ptr();
            first.withdraw();
            first.give(0, taken);
            drop(first);
            let mut second = lane.reserve(&[3000]).unwrap();
            second.offer(0, 3000);
            assert_eq!(lane.uninit(3000).unwrap().as_ptr(), at);
        });
    }

    #[test]
    fn only_the_size_that_was_told_is_accepted() {
        Lane::with(|lane| {
            let mut reserve = lane.reserve(&[4096]).unwrap();
            reserve.offer(0, 512);
            let other = lane.uninit(600).unwrap();
            let offered = lane.uninit(512).unwrap();
            assert_eq!((other.len(), offered.len()), (600, 512));
            assert!(offered.capacity() >= 4096);
        });
    }

    #[test]
    fn nested_runs_have_buffers_of_their_own() {
        Lane::with(|lane| {
            let mut outer = lane.reserve(&[1 << 16]).unwrap();
            outer.offer(0, 1 << 16);
            let mine = lane.uninit(1 << 16).unwrap();
            let mut inner = lane.reserve(&[1 << 16]).unwrap();
            inner.offer(0, 1 << 16);
            assert_ne!(lane.uninit(1 << 16).unwrap().as_ptr(), mine.as_ptr());
        });
        assert!(Lane::with(Lane::trim) < 1 << 20);
    }

    #[test]
    fn nested_runs_leave_what_is_offered_around_them() {
        Lane::with(|lane| {
            let mut outer = lane.reserve(&[1 << 16, 4096]).unwrap();
            outer.offer(1, 4096);
            let taken = lane.uninit(4096).unwrap();
            let at = taken.as_ptr();
            outer.give(1, taken);
            outer.offer(1, 4096);
            let mut inner = lane.reserve(&[]).unwrap();
            assert_ne!(lane.uninit(4096).unwrap().as_ptr(), at);
            inner.withdraw();
            drop(inner);
            assert_eq!(lane.uninit(4096).unwrap().as_ptr(), at);
        });
    }

    #[test]
    fn reserves_may_end_in_any_order() {
        Lane::with(|lane| {
            let (mut outer, mut inner) = (lane.reserve(&[64]).unwrap(), lane.reserve(&[64, 64]).unwrap());
            outer.offer(0, 64);
            inner.offer(1, 64);
            drop(outer);
            inner.withdraw();
            inner.offer(0, 64);
            drop(inner);
            let mut next = lane.reserve(&[64]).unwrap();
            next.offer(0, 64);
            assert_eq!(lane.uninit(64).unwrap().len(), 64);
        });
    }

    #[test]
    fn impossible_sizes_are_errors() {
        assert!(Lane::with(|lane| lane.reserve(&[1 << 60]).is_err()));
        assert!(Lane::with(|lane| lane.reserve(&[64]).is_ok()));
    }
}
