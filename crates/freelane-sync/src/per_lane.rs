//! One cell for each lane, found by the lane's index.

use crate::atomic::{AtomicPtr, Ordering};
use crate::{CachePadded, lane_index};
use std::marker::PhantomData;

const FIRST: usize = 32;
const CHUNKS: usize = 24;

/// A growing row of cells; cell `i` belongs to the thread whose [`lane_index`] is `i`, on cache lines of its own.
///
/// Cells never move, are made on first use, and stay when their thread ends: the next thread with that index goes on with
/// the same cell. Chunk `k` holds `32 << k` cells, so finding one is an acquire load and a shift.
///
/// ```
/// use freelane_sync::{PerLane, Tally};
/// static CALLS: PerLane<Tally> = PerLane::new(Tally::new);
/// CALLS.mine().add(2);
/// assert_eq!(CALLS.iter().map(Tally::get).sum::<u64>(), 2);
/// ```
#[derive(Debug)]
pub struct PerLane<T> {
    chunks: [AtomicPtr<CachePadded<T>>; CHUNKS],
    make: fn() -> T,
    /// Shared with other lanes, and dropped on any, only if `T` can be.
    owns: PhantomData<T>,
}

// A lane makes cells that another may drop, hence `Send`; all lanes read them, hence `Sync`.
impl<T: Send + Sync> PerLane<T> {
    /// No cells yet; `make` makes one.
    #[cfg(not(loom))]
    pub const fn new(make: fn() -> T) -> PerLane<T> {
        PerLane { chunks: [const { AtomicPtr::new(std::ptr::null_mut()) }; CHUNKS], make, owns: PhantomData }
    }

    /// No cells yet; `make` makes one.
    #[cfg(loom)]
    pub fn new(make: fn() -> T) -> PerLane<T> {
        PerLane { chunks: std::array::from_fn(|_| AtomicPtr::new(std::ptr::null_mut())), make, owns: PhantomData }
    }
}

impl<T> PerLane<T> {
    /// The calling thread's cell.
    #[inline]
    pub fn mine(&self) -> &T {
        self.cell(lane_index())
    }

    /// The cell of lane `index`, made if needed.
    #[inline]
    pub fn cell(&self, index: usize) -> &T {
        let (chunk, offset) = place(index);
        // Acquire pairs with the release in `install`.
        let mut cells = self.chunks[chunk].load(Ordering::Acquire);
        if cells.is_null() {
            cells = self.install(chunk);
        }
        // SAFETY: a non-null chunk holds `FIRST << chunk` cells until `self` is dropped, and `place` keeps to that.
        unsafe { &*cells.add(offset) }
    }

    /// All cells made so far, in the order of their lanes.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().enumerate().flat_map(|(chunk, cells)| {
            // Acquire pairs with the release in `install`.
            let cells = cells.load(Ordering::Acquire);
            let len = if cells.is_null() { 0 } else { FIRST << chunk };
            // SAFETY: as in `cell`.
            (0..len).map(move |offset| unsafe { &**cells.add(offset) })
        })
    }

    #[cold]
    fn install(&self, chunk: usize) -> *mut CachePadded<T> {
        let fresh: Box<[CachePadded<T>]> = (0..FIRST << chunk).map(|_| CachePadded::new((self.make)())).collect();
        let fresh = Box::into_raw(fresh).cast::<CachePadded<T>>();
        // Release pairs with the acquire loads in `cell` and `iter`; acquire with the release of whoever was first.
        let installed =
            self.chunks[chunk].compare_exchange(std::ptr::null_mut(), fresh, Ordering::AcqRel, Ordering::Acquire);
        match installed {
            Ok(_) => fresh,
            Err(theirs) => {
                // SAFETY: `fresh` was made above and nobody else has seen it.
                unsafe { free_chunk(fresh, chunk) };
                theirs
            }
        }
    }
}

impl<T> Drop for PerLane<T> {
    fn drop(&mut self) {
        for (chunk, cells) in self.chunks.iter().enumerate() {
            let cells = cells.load(Ordering::Relaxed);
            if !cells.is_null() {
                // SAFETY: `install` made it, and `&mut self` shows that nobody uses it any more.
                unsafe { free_chunk(cells, chunk) };
            }
        }
    }
}

/// Which chunk and which cell in it lane `index` has.
#[inline]
fn place(index: usize) -> (usize, usize) {
    let shifted = index + FIRST;
    let chunk = (usize::BITS - 1 - shifted.leading_zeros()) as usize - FIRST.trailing_zeros() as usize;
    (chunk, shifted - (FIRST << chunk))
}

/// # Safety
/// `cells` comes from `install` for this chunk, and nobody uses it any more.
unsafe fn free_chunk<T>(cells: *mut CachePadded<T>, chunk: usize) {
    let cells = std::ptr::slice_from_raw_parts_mut(cells, FIRST << chunk);
    // SAFETY: `install` leaked a boxed slice of this length.
    drop(unsafe { Box::from_raw(cells) });
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::Tally;

    #[test]
    fn places_are_dense_and_distinct() {
        let table = [(0, (0, 0)), (31, (0, 31)), (32, (1, 0)), (95, (1, 63)), (96, (2, 0)), (224, (3, 0))];
        for (index, expected) in table {
            assert_eq!(place(index), expected, "lane {index}");
        }
    }

    #[test]
    fn cells_stay_and_are_apart() {
        let cells = PerLane::new(Tally::new);
        for index in 0..200 {
            cells.cell(index).add(index as u64);
        }
        assert_eq!(cells.iter().map(Tally::get).sum::<u64>(), 199 * 100);
        let (a, b) = (std::ptr::from_ref(cells.cell(7)).addr(), std::ptr::from_ref(cells.cell(8)).addr());
        assert!(b.abs_diff(a) >= 128);
    }

    #[test]
    fn threads_that_race_for_a_chunk_share_it() {
        let cells = PerLane::new(Tally::new);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..100).for_each(|_| cells.mine().add(1)));
            }
        });
        assert_eq!(cells.iter().map(Tally::get).sum::<u64>(), 800);
    }
}
