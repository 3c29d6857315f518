//! What is made once for each kind of call, found again without writing memory that lanes share.
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
type Recent<T> = Vec<Arc<Known<T>>>;

/// Values by the words of their keys. A lane that found a value once finds it again in a list of its own; the list that all
/// lanes share is locked only for what a lane sees for the first time. There are at most as many as allowed: the oldest goes.
///
/// ```
/// use freelane_graph::Signatures;
/// let lengths = Signatures::new(2);
/// lengths.add(&[1, 2], "two");
/// assert_eq!(lengths.find(0, &[1, 2]).as_deref(), Some(&"two"));
/// assert!(lengths.find(0, &[1, 2, 3]).is_none());
/// ```
pub struct Signatures<T> {
    // LEDGER: who meets a new signature; locked then, and when a lane meets one for the first time
    all: Mutex<Vec<Arc<Known<T>>>>,
    // LEDGER: each lane; a list of its own, taken while a call runs
    recent: PerLane<Slot<Recent<T>>>,
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
        Signatures { all: Mutex::new(vec![]), recent: PerLane::new(Slot::new), most: most.max(1) }
    }

    /// The value of a key, for the lane of an index.
    pub fn find(&self, lane: usize, key: &[u64]) -> Option<Found<'_, T>> {
        let slot = self.recent.cell(lane);
        // Empty at the lane's first call, and where a call makes another.
        let mut recent = slot.take().unwrap_or_default();
        match recent.iter().position(|e| *e.key == *key) {
            Some(at) => recent[..=at].rotate_right(1),
            None => {
                let Some(entry) = self.seek(key) else {
                    slot.put(recent);
                    return None;
                };
                recent.truncate(MOST_RECENT - 1);
                recent.insert(0, entry);
            }
        }
        Some(Found { slot, recent: Some(recent) })
    }

    #[cold]
    fn seek(&self, key: &[u64]) -> Option<Arc<Known<T>>> {
        let all = self.all.lock();
        all.iter().find(|e| *e.key == *key).cloned()
    }

    /// Adds a value, unless another lane has been faster; the oldest goes where there are too many.
    pub fn add(&self, key: &[u64], value: T) {
        let entry = Arc::new(Known { key: key.into(), value });
        let mut all = self.all.lock();
        if all.iter().any(|e| *e.key == *key) {
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
        let gone = std::mem::take(&mut *self.all.lock());
        drop(gone);
        self.recent.iter().for_each(|slot| drop(slot.take()));
    }
}

impl<T> Deref for Found<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.recent.as_ref().expect("given back by `drop` alone")[0].value
    }
}

impl<T> Drop for Found<'_, T> {
    fn drop(&mut self) {
        if let Some(recent) = self.recent.take() {
            self.slot.put(recent);
        }
    }
}
