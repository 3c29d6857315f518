//! What the lanes of a process hand blocks over through: the depot, and the reclaim thread.
//!
//! Everything in here is approached with `try_lock`, never waited for. A forked child starts with an empty one of its own,
//! since locks held by threads that were not copied never open again.

use crate::SizeClass;
use crate::block::Block;
use crate::block_cache::BlockCache;
use crate::chain::Chain;
use crate::limits;
use crate::reclaim::Reclaimer;
use freelane_sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use freelane_sync::{CachePadded, Mutex, ProcessStamp, Shelf};

/// Chains of small blocks that wait on each class's shelf.
const SHELF_CHAINS: usize = 8;

pub(crate) struct Process {
    stamp: ProcessStamp,
    // LEDGER: the process; lanes leave and take chains of small blocks here, and never wait
    shelves: [CachePadded<Shelf<Chain, SHELF_CHAINS>>; SizeClass::PRIVATE],
    // LEDGER: the process; lanes leave and take large blocks here, and never wait
    large: CachePadded<Mutex<BlockCache>>,
    /// Lanes that have a heap.
    // LEDGER: the process; changes when a thread first allocates or ends
    pub lanes: AtomicUsize,
    pub reclaimer: Reclaimer,
}

// LEDGER: the process; where lanes hand over free blocks, never waited for.
static PROCESS: AtomicPtr<Process> = AtomicPtr::new(std::ptr::null_mut());

impl Process {
    /// The process's own; a forked child gets a new one.
    pub fn here() -> &'static Process {
        // Acquire pairs with the release in `start`.
        let process = PROCESS.load(Ordering::Acquire);
        // SAFETY: what `start` publishes is never freed.
        match unsafe { process.as_ref() } {
            Some(process) if process.stamp.is_here() => process,
            _ => Process::start(process),
        }
    }

    #[cold]
    fn start(old: *mut Process) -> &'static Process {
        let fresh = Box::into_raw(Box::new(Process::new()));
        // Release pairs with the acquire load in `here`; acquire with the release of another lane that was first.
        match PROCESS.compare_exchange(old, fresh, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: published, hence never freed.
            Ok(_) => unsafe { &*fresh },
            Err(theirs) => {
                // SAFETY: `fresh` came from a box just now, and nobody else has seen it.
                drop(unsafe { Box::from_raw(fresh) });
                // SAFETY: as above.
                unsafe { &*theirs }
            }
        }
    }

    fn new() -> Process {
        Process {
            stamp: ProcessStamp::here(),
            shelves: std::array::from_fn(|_| CachePadded::default()),
            large: CachePadded::new(Mutex::new(BlockCache::new())),
            lanes: AtomicUsize::new(0),
            reclaimer: Reclaimer::new(),
        }
    }

    /// A chain of small blocks that another lane left.
    pub fn take_chain(&self, class: SizeClass) -> Option<Chain> {
        self.shelves[class.index()].take()
    }

    /// Leaves small blocks for other lanes; without a place for them they go back to the system.
    pub fn leave_chain(&self, class: SizeClass, chain: Chain) {
        if !chain.is_empty()
            && let Err(chain) = self.shelves[class.index()].leave(chain)
        {
            chain.destroy();
        }
    }

    /// A large block that another lane left.
    pub fn take_large(&self, class: SizeClass) -> Option<Block> {
        self.large.try_lock()?.take(class)
    }

    /// Leaves large blocks for other lanes; what has no place is unmapped, by the reclaim thread if it has time.
    pub fn leave_large(&self, chain: Chain, may_wait: bool) {
        if chain.is_empty() {
            return;
        }
        let mut gone = self.store_large(chain);
        while let Some(block) = gone.pop() {
            self.reclaimer.give_block(block, may_wait);
        }
    }

    fn store_large(&self, mut chain: Chain) -> Chain {
        let limit = limits::depot_bytes();
        let Some(mut depot) = self.large.try_lock() else { return chain };
        let mut gone = Chain::EMPTY;
        while let Some(block) = chain.pop() {
            gone.append(depot.put(block, limit));
        }
        gone
    }

    /// The bytes of large blocks that wait here.
    pub fn depot_bytes(&self) -> usize {
        self.large.lock().bytes()
    }

    /// Gives everything back to the system; returns the bytes.
    pub fn trim(&self) -> usize {
        let mut all = self.large.try_lock().map(|mut depot| depot.drain()).unwrap_or_default();
        for shelf in &self.shelves {
            while let Some(chain) = shelf.take() {
                all.append(chain);
            }
        }
        all.destroy() + self.reclaimer.help()
    }
}
