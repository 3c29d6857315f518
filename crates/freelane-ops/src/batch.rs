//! Results written part by part by many lanes: one part for each matrix of a batch, for one.
use crate::{InOp, OpsError};
use freelane_pool::Lane;
use freelane_sync::OnceTable;
use smallvec::SmallVec;
use std::marker::PhantomData;

/// A slice in parts of equal length, or a tuple of up to three with the same number of parts.
pub trait Parts: Sync {
    /// One part, or one of each.
    type Part;
    /// The number of parts.
    fn count(&self) -> usize;
    /// Part `i`.
    ///
    /// # Safety
    /// `i` is below the count, and no part is asked for twice.
    unsafe fn part(&self, i: usize) -> Self::Part;
}

/// A slice in parts of equal length.
pub struct Chunks<'a, T> {
    first: *mut T,
    count: usize,
    len: usize,
    life: PhantomData<&'a mut [T]>,
}

// SAFETY: each part is borrowed by one lane alone, as `Parts::part` demands.
unsafe impl<T: Send> Sync for Chunks<'_, T> {}

impl<'a, T> Chunks<'a, T> {
    /// The slice in `count` parts.
    ///
    /// # Panics
    /// When the length of the slice is no multiple of that.
    pub fn new(slice: &'a mut [T], count: usize) -> Self {
        let len = slice.len().checked_div(count).unwrap_or(0);
        assert!(len * count == slice.len(), "{} elements in {count} parts", slice.len());
        Chunks { first: slice.as_mut_ptr(), count, len, life: PhantomData }
    }
}

impl<'a, T: Send> Parts for Chunks<'a, T> {
    type Part = &'a mut [T];

    fn count(&self) -> usize {
        self.count
    }

    unsafe fn part(&self, i: usize) -> &'a mut [T] {
        // SAFETY: part `i` lies in the slice, which is borrowed for `'a`, and is the caller's alone.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(i * self.len), self.len) }
    }
}

impl<A: Parts, B: Parts> Parts for (A, B) {
    type Part = (A::Part, B::Part);

    fn count(&self) -> usize {
        self.0.count().min(self.1.count())
    }

    unsafe fn part(&self, i: usize) -> Self::Part {
        // SAFETY: the caller's promise is the same.
        unsafe { (self.0.part(i), self.1.part(i)) }
    }
}

impl<A: Parts, B: Parts, C: Parts> Parts for (A, B, C) {
    type Part = (A::Part, B::Part, C::Part);

    fn count(&self) -> usize {
        self.0.count().min(self.1.count()).min(self.2.count())
    }

    unsafe fn part(&self, i: usize) -> Self::Part {
        // SAFETY: the caller's promise is the same.
        unsafe { (self.0.part(i), self.1.part(i), self.2.part(i)) }
    }
}

/// Calls `f` with every part and its number, on the lanes of the runtime in scope; `cost_ns` is the time of all of them
/// on one.
///
/// # Errors
/// The error of the first part that has one, after which no other of its lane's parts are gone through; or when the loop was
/// interrupted.
pub fn for_each_part<P: Parts>(
    lane: &Lane,
    op: &'static str,
    cost_ns: u64,
    parts: P,
    f: impl Fn(&Lane, usize, P::Part) -> Result<(), OpsError> + Sync,
) -> Result<(), OpsError> {
    let count = parts.count();
    let groups = lane.pieces(cost_ns).clamp(1, count.max(1));
    let first = |group: usize| (count as u128 * group as u128 / groups as u128) as usize;
    let failed: SmallVec<[OnceTable<OpsError>; 8]> = (0..groups).map(|_| OnceTable::new()).collect();
    let done = lane.try_par_for(groups, cost_ns, &|lane, group| {
        for i in first(group)..first(group + 1) {
            // SAFETY: the groups cut the parts into ranges that do not overlap, and each runs once.
            if let Err(e) = f(lane, i, unsafe { parts.part(i) }) {
                failed[group].get_or_init(|| e);
                return;
            }
        }
    });
    done.in_op(op)?;
    failed.into_iter().find_map(OnceTable::into_inner).map_or(Ok(()), Err)
}
