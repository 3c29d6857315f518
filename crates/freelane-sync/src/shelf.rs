//! A small place where lanes leave batches for one another, and never wait.
//!
//! Either side gives up at once when another lane is at the shelf, or when it is full or empty: what does not find a
//! place there goes another way. So a lock left behind by a thread that a fork did not copy only makes the shelf useless.

use crate::Mutex;

/// At most `N` batches, last in first out.
#[derive(Debug)]
pub struct Shelf<T, const N: usize>(Mutex<Stack<T, N>>);

#[derive(Debug)]
struct Stack<T, const N: usize> {
    len: usize,
    slots: [Option<T>; N],
}

impl<T, const N: usize> Shelf<T, N> {
    /// An empty shelf.
    pub fn new() -> Shelf<T, N> {
        Shelf(Mutex::new(Stack { len: 0, slots: [const { None }; N] }))
    }

    /// Leaves a batch; it comes back when the shelf is full or in use.
    pub fn leave(&self, batch: T) -> Result<(), T> {
        let Some(mut stack) = self.0.try_lock() else { return Err(batch) };
        let len = stack.len;
        match stack.slots.get_mut(len) {
            Some(slot) => *slot = Some(batch),
            None => return Err(batch),
        }
        stack.len += 1;
        Ok(())
    }

    /// Takes the newest batch, unless there is none or the shelf is in use.
    pub fn take(&self) -> Option<T> {
        let mut stack = self.0.try_lock()?;
        stack.len = stack.len.checked_sub(1)?;
        let len = stack.len;
        stack.slots[len].take()
    }
}

impl<T, const N: usize> Default for Shelf<T, N> {
    fn default() -> Self {
        Shelf::new()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn batches_beyond_the_bound_come_back() {
        let shelf = Shelf::<_, 2>::new();
        assert_eq!((shelf.leave(1), shelf.leave(2), shelf.leave(3)), (Ok(()), Ok(()), Err(3)));
        assert_eq!((shelf.take(), shelf.take(), shelf.take()), (Some(2), Some(1), None));
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::{sync::Arc, thread};

    #[test]
    fn every_batch_is_in_exactly_one_hand() {
        loom::model(|| {
            let shelf = Arc::new(Shelf::<Box<u8>, 1>::new());
            let giver = {
                let shelf = shelf.clone();
                thread::spawn(move || usize::from(shelf.leave(Box::new(1)).is_err()))
            };
            let taker = {
                let shelf = shelf.clone();
                thread::spawn(move || usize::from(shelf.take().is_some()))
            };
            let held = usize::from(shelf.leave(Box::new(2)).is_err())
                + giver.join().unwrap()
                + taker.join().unwrap()
                + usize::from(shelf.take().is_some());
            assert_eq!(held, 2);
        });
    }
}
