//! Handing things over, one lane to another, in order.
//!
//! A bounded queue that can be closed. It is for what is rare and large (a batch, a mapping to give back), where a lock
//! held for a few instructions does not count; nothing of a hot path passes through here.

use crate::{Condvar, Mutex};
use std::collections::VecDeque;

/// A bounded first-in-first-out hand-over; closing it lets the receivers drain it and then stop.
#[derive(Debug)]
pub struct Queue<T> {
    inner: Mutex<Inner<T>>,
    capacity: usize,
    not_empty: Condvar,
    not_full: Condvar,
}

#[derive(Debug)]
struct Inner<T> {
    items: VecDeque<T>,
    closed: bool,
}

/// Why an item was not taken; it comes back to the sender.
#[derive(Debug, PartialEq, Eq)]
pub enum PushError<T> {
    /// As many items are waiting as the queue may hold.
    Full(T),
    /// The queue was closed.
    Closed(T),
}

impl<T> PushError<T> {
    /// The item that was not taken.
    pub fn into_item(self) -> T {
        match self {
            PushError::Full(item) | PushError::Closed(item) => item,
        }
    }
}

impl<T> Queue<T> {
    /// An empty queue for at most `capacity` items; `usize::MAX` when the senders keep a bound of their own.
    pub fn new(capacity: usize) -> Queue<T> {
        let inner = Mutex::new(Inner { items: VecDeque::new(), closed: false });
        Queue { inner, capacity, not_empty: Condvar::new(), not_full: Condvar::new() }
    }

    /// Puts an item in, if there is room now.
    pub fn try_push(&self, item: T) -> Result<(), PushError<T>> {
        let mut inner = self.inner.lock();
        if inner.closed {
            return Err(PushError::Closed(item));
        }
        if inner.items.len() >= self.capacity {
            return Err(PushError::Full(item));
        }
        inner.items.push_back(item);
        drop(inner);
        self.not_empty.notify_one();
        Ok(())
    }

    /// Puts an item in, waiting for room; the item comes back when the queue is closed.
    pub fn push(&self, item: T) -> Result<(), T> {
        let mut inner = self.inner.lock();
        while !inner.closed && inner.items.len() >= self.capacity {
            inner = self.not_full.wait(inner);
        }
        if inner.closed {
            return Err(item);
        }
        inner.items.push_back(item);
        drop(inner);
        self.not_empty.notify_one();
        Ok(())
    }

    /// Takes the oldest item, if there is one now.
    pub fn try_pop(&self) -> Option<T> {
        let item = self.inner.lock().items.pop_front();
        self.made_room(item)
    }

    /// Takes the oldest item, waiting for one; `None` once the queue is closed and empty.
    pub fn pop(&self) -> Option<T> {
        let mut inner = self.inner.lock();
        while inner.items.is_empty() && !inner.closed {
            inner = self.not_empty.wait(inner);
        }
        let item = inner.items.pop_front();
        drop(inner);
        self.made_room(item)
    }

    fn made_room(&self, item: Option<T>) -> Option<T> {
        if item.is_some() {
            self.not_full.notify_one();
        }
        item
    }

    /// Refuses further items and wakes everybody who waits.
    pub fn close(&self) {
        self.inner.lock().closed = true;
        self.not_empty.notify_all();
        self.not_full.notify_all();
    }

    /// Whether [`close`](Queue::close) was called.
    pub fn is_closed(&self) -> bool {
        self.inner.lock().closed
    }

    /// How many items are waiting.
    pub fn len(&self) -> usize {
        self.inner.lock().items.len()
    }

    /// Whether no item is waiting.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn items_come_out_in_order_up_to_the_bound() {
        let queue = Queue::new(2);
        assert_eq!((queue.try_push(1), queue.try_push(2)), (Ok(()), Ok(())));
        assert_eq!(queue.try_push(3), Err(PushError::Full(3)));
        assert_eq!((queue.len(), queue.try_pop(), queue.try_pop(), queue.try_pop()), (2, Some(1), Some(2), None));
    }

    #[test]
    fn a_closed_queue_is_drained_and_then_ends() {
        let queue = Queue::new(4);
        queue.push('a').unwrap();
        queue.close();
        assert_eq!(queue.push('b'), Err('b'));
        assert_eq!(queue.try_push('c').unwrap_err().into_item(), 'c');
        assert_eq!((queue.pop(), queue.pop()), (Some('a'), None));
    }

    #[test]
    fn closing_wakes_a_waiting_receiver_and_a_waiting_sender() {
        let (empty, full) = (Queue::<u8>::new(1), Queue::new(1));
        full.push(0u8).unwrap();
        std::thread::scope(|scope| {
            let receiver = scope.spawn(|| empty.pop());
            let sender = scope.spawn(|| full.push(1));
            std::thread::sleep(std::time::Duration::from_millis(10));
            empty.close();
            full.close();
            assert_eq!(receiver.join().unwrap(), None);
            assert_eq!(sender.join().unwrap(), Err(1));
        });
    }

    #[test]
    fn many_senders_and_receivers_lose_nothing() {
        let queue = Queue::new(3);
        let total: u64 = std::thread::scope(|scope| {
            let senders: Vec<_> =
                (0..3).map(|_| scope.spawn(|| (1..=1000).for_each(|i| queue.push(i).unwrap()))).collect();
            let receivers: Vec<_> =
                (0..2).map(|_| scope.spawn(|| std::iter::from_fn(|| queue.pop()).sum::<u64>())).collect();
            senders.into_iter().for_each(|sender| sender.join().unwrap());
            queue.close();
            receivers.into_iter().map(|receiver| receiver.join().unwrap()).sum()
        });
        assert_eq!(total, 3 * 500_500);
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::{sync::Arc, thread};

    #[test]
    fn a_sender_that_waits_for_room_delivers_everything() {
        loom::model(|| {
            let queue = Arc::new(Queue::new(1));
            let sender = {
                let queue = queue.clone();
                thread::spawn(move || {
                    (1..=2).for_each(|i| queue.push(i).unwrap());
                    queue.close();
                })
            };
            assert_eq!(std::iter::from_fn(|| queue.pop()).collect::<Vec<_>>(), [1, 2]);
            sender.join().unwrap();
        });
    }

    #[test]
    fn closing_never_leaves_a_receiver_asleep() {
        loom::model(|| {
            let queue = Arc::new(Queue::<u8>::new(1));
            let receiver = {
                let queue = queue.clone();
                thread::spawn(move || queue.pop())
            };
            queue.close();
            assert_eq!(receiver.join().unwrap(), None);
        });
    }

    #[test]
    fn two_receivers_share_without_duplicates() {
        loom::model(|| {
            let queue = Arc::new(Queue::new(2));
            let other = {
                let queue = queue.clone();
                thread::spawn(move || queue.pop())
            };
            queue.push(1).unwrap();
            queue.push(2).unwrap();
            let here = queue.pop();
            let mut both = [here, other.join().unwrap()];
            both.sort();
            assert_eq!(both, [Some(1), Some(2)]);
        });
    }
}
