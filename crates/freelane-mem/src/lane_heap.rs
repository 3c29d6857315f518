//! The part of the memory runtime that belongs to one lane.
//!
//! ```text
//!  small (< 64 KiB)   magazines  <- chains ->  shelves of the process   <- blocks ->  mimalloc
//!  large              lane cache <- blocks ->  large depot               <- blocks ->  mimalloc, mmap from 1 MiB
//! ```
//!
//! Magazines are the lane's alone. The cache of large blocks has a lock of its own that its lane finds free always, except
//! while somebody trims; so the memory of a lane that sleeps comes back. Heaps are never freed: when a thread ends it hands
//! its blocks over, and the next thread goes on with its heap.

use crate::block::Block;
use crate::block_cache::BlockCache;
use crate::chain::Chain;
use crate::counts::Counts;
use crate::magazine::Magazine;
use crate::process::Process;
use crate::{DEFAULT_ALIGN, MemError, OwnerId, SizeClass, limits, trim};
use freelane_sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use freelane_sync::{Mutex, lane_local, on_thread_exit};
use std::cell::Cell;

lane_local! {
    // LEDGER: its thread; the heap it holds until it ends
    static HERE: Cell<Option<&'static LaneHeap>> = Cell::new(None);
}

// LEDGER: the process; the list of all heaps, which only grows, read by `trim`, `snapshot` and new threads.
static ALL: AtomicPtr<LaneHeap> = AtomicPtr::new(std::ptr::null_mut());

/// When the system refuses more than this, giving back what is kept does not help.
const HOPELESS: usize = 1 << 40;

#[repr(align(128))]
pub(crate) struct LaneHeap {
    magazines: [Magazine; SizeClass::PRIVATE],
    /// Whether the lane may be made to wait for memory to be unmapped.
    pub may_wait: Cell<bool>,
    trimmed: Cell<usize>,
    pub counts: Counts,
    // LEDGER: its lane; others enter it only to trim, so that the memory of a sleeping lane comes back
    large: Mutex<BlockCache>,
    // LEDGER: the thread that holds the heap; claimed by a new thread, given back by an ending one
    in_use: AtomicBool,
    next: *const LaneHeap,
}

// SAFETY: `large`, `in_use` and the sums of `counts` may be used by all; `next` never changes; the rest is used only by the
// thread that holds `in_use`, which gets at it through `here` and `get`.
unsafe impl Sync for LaneHeap {}

impl LaneHeap {
    /// The calling thread's heap, if it has one already.
    #[inline(always)]
    pub fn here() -> Option<&'static LaneHeap> {
        HERE.with(Cell::get)
    }

    /// The calling thread's heap.
    #[inline]
    pub fn get() -> &'static LaneHeap {
        LaneHeap::here().unwrap_or_else(LaneHeap::begin)
    }

    #[cold]
    fn begin() -> &'static LaneHeap {
        // Acquire pairs with the release in `hand_over`: what the former thread left is complete.
        let claim =
            |heap: &&LaneHeap| heap.in_use.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok();
        let heap = LaneHeap::all().find(claim).unwrap_or_else(LaneHeap::create);
        heap.counts.set_payer(OwnerId::OTHER);
        heap.may_wait.set(true);
        Process::here().lanes.fetch_add(1, Ordering::Relaxed);
        HERE.with(|here| here.set(Some(heap)));
        on_thread_exit(hand_over);
        heap
    }

    fn create() -> &'static LaneHeap {
        let heap = Box::leak(Box::new(LaneHeap {
            magazines: std::array::from_fn(|class| Magazine::new(SizeClass::from_index(class))),
            may_wait: Cell::new(true),
            trimmed: Cell::new(trim::epoch()),
            counts: Counts::new(),
            large: Mutex::new(BlockCache::new()),
            in_use: AtomicBool::new(true),
            next: std::ptr::null(),
        }));
        let mut first = ALL.load(Ordering::Relaxed);
        loop {
            heap.next = first;
            // Release pairs with the acquire in `all`.
            match ALL.compare_exchange_weak(first, heap, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return heap,
                Err(now) => first = now,
            }
        }
    }

    /// All heaps, whether a thread has them or not.
    pub fn all() -> impl Iterator<Item = &'static LaneHeap> {
        // Acquire pairs with the release in `create`.
        let first = ALL.load(Ordering::Acquire).cast_const();
        // SAFETY: heaps in the list are never freed.
        let deref = |heap: *const LaneHeap| unsafe { heap.as_ref() };
        std::iter::successors(deref(first), move |heap| deref(heap.next))
    }

    #[inline(always)]
    pub fn magazine(&self, class: usize) -> Option<&Magazine> {
        self.magazines.get(class)
    }

    /// A free block of at least `bytes` bytes when the magazine has none, and whether its memory is known to be zero.
    pub fn take(&self, bytes: usize) -> Result<(Block, bool), MemError> {
        let class = SizeClass::of(bytes).ok_or(MemError::TooLarge { bytes })?;
        let found = if class.is_private() { self.take_small(class) } else { self.take_large(class) };
        if let Some(block) = found {
            return Ok((block, false));
        }
        let again = || {
            (bytes <= HOPELESS).then(trim::trim)?;
            Block::fresh(class)
        };
        Block::fresh(class).or_else(again).ok_or(MemError::OutOfMemory { bytes, align: DEFAULT_ALIGN })
    }

    fn take_small(&self, class: SizeClass) -> Option<Block> {
        self.catch_up();
        let magazine = &self.magazines[class.index()];
        if let Some(block) = magazine.pop().or_else(|| magazine.pop_spare()) {
            return Some(block);
        }
        magazine.load(Process::here().take_chain(class)?);
        magazine.pop()
    }

    fn take_large(&self, class: SizeClass) -> Option<Block> {
        let own = self.large.try_lock().and_then(|mut cache| cache.take(class));
        own.or_else(|| Process::here().take_large(class))
    }

    /// Keeps a free block, or hands over what there is no room for.
    pub fn put(&self, block: Block) {
        let class = block.size_class();
        if class.is_private() { self.put_small(class, block) } else { self.put_large(block) }
    }

    fn put_small(&self, class: SizeClass, block: Block) {
        let magazine = &self.magazines[class.index()];
        if !magazine.push(block) {
            Process::here().leave_chain(class, magazine.push_past(block));
            self.catch_up();
        }
    }

    fn put_large(&self, block: Block) {
        let process = Process::here();
        let limit = limits::lane_share(process.lanes.load(Ordering::Relaxed));
        let gone = match self.large.try_lock() {
            Some(mut cache) => cache.put(block, limit),
            None => {
                let mut gone = Chain::EMPTY;
                gone.push(block);
                gone
            }
        };
        process.leave_large(gone, self.may_wait.get());
    }

    /// Gives the magazines' blocks back if somebody has called `trim` since the lane last looked.
    fn catch_up(&self) {
        let epoch = trim::epoch();
        if self.trimmed.replace(epoch) != epoch {
            self.trim_own();
        }
    }

    /// Gives the magazines' blocks back; only the lane itself can.
    pub fn trim_own(&self) -> usize {
        self.trimmed.set(trim::epoch());
        self.magazines.iter().flat_map(Magazine::drain).map(Chain::destroy).sum()
    }

    /// Gives the large blocks back, whoever's heap it is; nothing if its lane is at it just now.
    pub fn trim_large(&self) -> usize {
        let drained = self.large.try_lock().map(|mut cache| cache.drain());
        drained.map_or(0, Chain::destroy)
    }

    /// The bytes of large blocks that wait here.
    pub fn large_bytes(&self) -> usize {
        self.large.try_lock().map_or(0, |cache| cache.bytes())
    }
}

/// Leaves all free blocks for other lanes, at the end of a thread.
fn hand_over() {
    let Some(heap) = HERE.with(Cell::take) else { return };
    let process = Process::here();
    for (class, magazine) in heap.magazines.iter().enumerate() {
        let class = SizeClass::from_index(class);
        magazine.drain().into_iter().for_each(|chain| process.leave_chain(class, chain));
    }
    let large = heap.large.try_lock().map(|mut cache| cache.drain()).unwrap_or_default();
    process.leave_large(large, false);
    let one_less = |lanes: usize| Some(lanes.saturating_sub(1));
    let _ = process.lanes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
    // Release pairs with the acquire in `begin`.
    heap.in_use.store(false, Ordering::Release);
}
