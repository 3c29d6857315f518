//! What one lane has allocated and freed, by owner and size class.
//!
//! Cells are written by their lane alone, with a plain load and store; a report adds up those of all lanes. An allocation
//! is one addition: bytes are counts times the size of the class.

use crate::SizeClass;
use crate::block::Block;
use crate::owner::{MAX_OWNERS, OwnerId};
use freelane_sync::Tally;
use freelane_sync::atomic::{AtomicPtr, Ordering};
use std::cell::Cell;

/// One lane's cells, a row for each owner it has met.
pub(crate) struct Counts {
    // LEDGER: its lane; a report reads the rows from anywhere
    rows: [AtomicPtr<Row>; MAX_OWNERS],
    /// Who pays for what is allocated now, and their row.
    payer: Cell<(OwnerId, &'static Row)>,
}

struct Row {
    // LEDGER: its lane; written by it alone, added up for a report
    allocated: [Tally; SizeClass::COUNT],
    // LEDGER: its lane; written by it alone, added up for a report
    freed: [Tally; SizeClass::COUNT],
    foreign: Foreign,
}

#[derive(Default)]
struct Foreign {
    // LEDGER: its lane; as above, for foreign memory
    taken: Tally,
    // LEDGER: its lane; as above
    taken_bytes: Tally,
    // LEDGER: its lane; as above
    released: Tally,
    // LEDGER: its lane; as above
    released_bytes: Tally,
}

/// Sums over some cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub allocations: u64,
    pub allocated_bytes: u64,
    pub frees: u64,
    pub freed_bytes: u64,
}

impl Counts {
    pub fn new() -> Counts {
        let rows = [const { AtomicPtr::new(std::ptr::null_mut()) }; MAX_OWNERS];
        let row = Counts::begin(&rows[OwnerId::OTHER.index()]);
        Counts { rows, payer: Cell::new((OwnerId::OTHER, row)) }
    }

    /// Makes `owner` pay from now on; returns who paid before.
    pub fn set_payer(&self, owner: OwnerId) -> OwnerId {
        let Some(row) = self.row(owner.tag()) else { return owner };
        self.payer.replace((owner, row)).0
    }

    /// Counts a block of this class that is being handed out, and marks it with who pays.
    #[inline(always)]
    pub fn allocated(&self, block: Block, class: usize) {
        let (owner, row) = self.payer.get();
        block.marks.set(owner.tag());
        match row.allocated.get(class) {
            Some(tally) => tally.add(1),
            None => row.foreign.take(block.len.get()),
        }
    }

    /// Counts a block that is being freed, for the owner it was marked with.
    #[inline(always)]
    pub fn freed(&self, block: Block, tag: u32) {
        let Some(row) = self.row(tag) else { return };
        match row.freed.get(block.class as usize) {
            Some(tally) => tally.add(1),
            None => row.foreign.release(block.len.get()),
        }
    }

    /// The row of a tag, none for tag 0. Only the lane that owns the cells may call it.
    #[inline(always)]
    fn row(&self, tag: u32) -> Option<&'static Row> {
        let row = self.rows.get((tag as usize).wrapping_sub(1))?;
        // Relaxed: only this lane makes rows.
        // SAFETY: a row is never freed.
        Some(unsafe { row.load(Ordering::Relaxed).as_ref() }.unwrap_or_else(|| Counts::begin(row)))
    }

    #[cold]
    fn begin(row: &AtomicPtr<Row>) -> &'static Row {
        let fresh: &'static Row = Box::leak(Box::new(Row::new()));
        // Release pairs with the acquire in `sums`.
        row.store(std::ptr::from_ref(fresh).cast_mut(), Ordering::Release);
        fresh
    }

    /// What this lane has counted for `owner`, from any thread.
    pub fn sums(&self, owner: usize) -> Sums {
        // Acquire pairs with the release in `begin`.
        let row = self.rows[owner].load(Ordering::Acquire);
        // SAFETY: a row is never freed.
        unsafe { row.as_ref() }.map(Row::sums).unwrap_or_default()
    }
}

impl Row {
    fn new() -> Row {
        let zeros = || std::array::from_fn(|_| Tally::new());
        Row { allocated: zeros(), freed: zeros(), foreign: Foreign::default() }
    }

    fn sums(&self) -> Sums {
        let (allocations, allocated_bytes) = add_up(&self.allocated);
        let (frees, freed_bytes) = add_up(&self.freed);
        Sums {
            allocations: allocations + self.foreign.taken.get(),
            allocated_bytes: allocated_bytes + self.foreign.taken_bytes.get(),
            frees: frees + self.foreign.released.get(),
            freed_bytes: freed_bytes + self.foreign.released_bytes.get(),
        }
    }
}

fn add_up(tallies: &[Tally]) -> (u64, u64) {
    let of_class = |(class, tally): (usize, &Tally)| {
        let count = tally.get();
        (count, count.wrapping_mul(SizeClass::from_index(class).bytes() as u64))
    };
    let both = |a: (u64, u64), b: (u64, u64)| (a.0 + b.0, a.1.wrapping_add(b.1));
    tallies.iter().enumerate().map(of_class).fold((0, 0), both)
}

impl Foreign {
    fn take(&self, bytes: usize) {
        self.taken.add(1);
        self.taken_bytes.add(bytes as u64);
    }

    fn release(&self, bytes: usize) {
        self.released.add(1);
        self.released_bytes.add(bytes as u64);
    }
}

impl Sums {
    pub fn plus(self, other: Sums) -> Sums {
        self.with(other, u64::wrapping_add)
    }

    pub fn minus(self, other: Sums) -> Sums {
        self.with(other, u64::wrapping_sub)
    }

    fn with(self, other: Sums, f: fn(u64, u64) -> u64) -> Sums {
        Sums {
            allocations: f(self.allocations, other.allocations),
            allocated_bytes: f(self.allocated_bytes, other.allocated_bytes),
            frees: f(self.frees, other.frees),
            freed_bytes: f(self.freed_bytes, other.freed_bytes),
        }
    }
}
