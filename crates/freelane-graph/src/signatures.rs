//! What is made once for each kind of call, found again without writing memory that lanes share.
use freelane_sync::atomic::{AtomicU64, Ordering};
use freelane_sync::{Mutex, PerLane, Slot};
use std::ops::Deref;
use std::sync::Arc;

/// Signatures that a lane finds without a lock.
const MOST_RECENT: usize = 16;

struct Known<T> {
    key: Box<[u64]>,
    value: T,
}

/// A lane's own list, those used last in front.
struct Recent<T> {
    /// When it was begun: a list from before the last [`Signatures::clear`] is empty.
    epoch: u64,
    known: Vec<Arc<Known<T>>>,
}

/// Values by the words of their keys. A lane that found a value once finds it again in a list of its own; the list that all
/// lanes share is locked only for what a lane sees for the first time. That list has at most as many as allowed, the oldest goes;
/// what a lane used lately it keeps a little longer.
///
/// ```
/// use freelane_graph::Signatures;
/// let lengths = Signatures::new(2);
/// lengths.add(lengths.epoch(), &[1, 2], "two");
/// assert_eq!(lengths.find(0, &[1, 2]).as_deref(), Some(&"two"));
/// assert!(lengths.find(0, &[1, 2, 3]).is_none());
/// ```
pub struct Signatures<T> {
    // LEDGER: who meets a new signature; locked then, and when a lane meets one for the first time
    all: Mutex<Vec<Arc<Known<T>>>>,
    // LEDGER: each lane; a list of its own, taken while a call runs
    recent: PerLane<Slot<Recent<T>>>,
    // LEDGER: whoever clears; read by all, written then
    epoch: AtomicU64,
    most: usize,
}

/// A value, and the lane's list, which goes back when this is dropped.
pub struct Found<'s, T> {
    slot: &'s Slot<Recent<T>>,
    /// The value comes first in it; nothing once it is given back.
    recent: Option<Box<Recent<T>>>,
}

impl<T: Send + Sync> Signatures<T> {
    /// None yet, and no more than `most` at any time.
    pub fn new(most: usize) -> Signatures<T> {
        let (all, recent) = (Mutex::new(vec![]), PerLane::new(Slot::new));
        Signatures { all, recent, epoch: AtomicU64::new(0), most: most.max(1) }
    }

    /// The value of a key, for the lane of an index.
    pub fn find(&self, lane: usize, key: &[u64]) -> Option<Found<'_, T>> {
        let slot = self.recent.cell(lane);
        // Empty at the lane's first call, and where a call makes another.
        let epoch = self.epoch();
        let taken = slot.take().filter(|recent| recent.epoch == epoch);
        let mut recent = taken.unwrap_or_else(|| Box::new(Recent { epoch, known: vec![] }));
        let known = &mut recent.known;
        match known.iter().position(|e| *e.key == *key) {
            Some(at) => known[..=at].rotate_right(1),
            None => {
                let Some(entry) = self.seek(key) else {
                    slot.put(recent);
                    return None;
                };
                known.truncate(MOST_RECENT - 1);
                known.insert(0, entry);
            }
        }
        Some(Found { slot, recent: Some(recent) })
    }

    #[cold]
    fn seek(&self, key: &[u64]) -> Option<Arc<Known<T>>> {
        let all = self.all.lock();
        all.iter().find(|e| *e.key == *key).cloned()
    }

    /// What tells values made before a [`Signatures::clear`] from later ones.
    pub fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Adds a value that was begun in an epoch, unless another lane has been faster or that epoch is over; the oldest goes where
    /// there are too many.
    pub fn add(&self, epoch: u64, key: &[u64], value: T) {
        let entry = Arc::new(Known { key: key.into(), value });
        let mut all = self.all.lock();
        if epoch != self.epoch() || all.iter().any(|e| *e.key == *key) {
            return;
        }
        let gone = (all.len() >= self.most).then(|| all.remove(0));
        all.push(entry);
        // Values are dropped when nobody waits for the lock.
        drop(all);
        drop(gone);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.lock().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets all, but for what runs now.
    pub fn clear(&self) {
        let mut all = self.all.lock();
        self.epoch.fetch_add(1, Ordering::AcqRel);
        let gone = std::mem::take(&mut *all);
        drop(all);
        drop(gone);
        self.recent.iter().for_each(|slot| drop(slot.take()));
    }
}

impl<T> Deref for Found<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.recent.as_ref().expect("given back by `drop` alone").known[0].value
    }
}

impl<T> Drop for Found<'_, T> {
    fn drop(&mut self) {
        if let Some(recent) = self.recent.take() {
            self.slot.put(recent);
        }
    }
}
