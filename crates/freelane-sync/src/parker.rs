//! Waiting for another lane: a short spin, then sleep.

use crate::atomic::{AtomicU32, Ordering};
use crate::{Condvar, Mutex, hint, thread};
use std::time::{Duration, Instant};

/// How long a waiter spins before it yields and sleeps. Waking a sleeper takes 15 to 20 us, so spinning longer costs
/// the other users of the core more than it saves (bench `par_for`).
const SPIN: Duration = Duration::from_micros(10);
const SPINS_PER_CLOCK: u32 = 32;
const YIELDS: u32 = 2;

/// Spins for about 10 us, then yields the core twice; true as soon as `done` is. Does not spin under loom.
pub fn spin_until(mut done: impl FnMut() -> bool) -> bool {
    if done() {
        return true;
    }
    if cfg!(loom) {
        return false;
    }
    let start = Instant::now();
    while start.elapsed() < SPIN {
        for _ in 0..SPINS_PER_CLOCK {
            hint::spin_loop();
            if done() {
                return true;
            }
        }
    }
    (0..YIELDS).any(|_| {
        thread::yield_now();
        done()
    })
}

const EMPTY: u32 = 0;
const NOTIFIED: u32 = 1;
const ASLEEP: u32 = 2;

/// One lane waits, others wake it. A wake-up that comes first is kept, so none is lost; two count as one.
///
/// What was written before `unpark` is visible after the `park` that it ends.
#[derive(Debug)]
pub struct Parker {
    state: AtomicU32,
    lock: Mutex<()>,
    wake: Condvar,
}

impl Parker {
    /// A parker nobody waits on.
    pub fn new() -> Self {
        Self { state: AtomicU32::new(EMPTY), lock: Mutex::new(()), wake: Condvar::new() }
    }

    /// Waits for an `unpark`: spins about 10 us, then sleeps. One lane at a time may wait.
    pub fn park(&self) {
        if !spin_until(|| self.take()) {
            self.sleep();
        }
    }

    /// Ends the current or the next `park`. A system call only if the waiter sleeps.
    pub fn unpark(&self) {
        // Release: pairs with the acquire in `take` and `sleep`.
        if self.state.swap(NOTIFIED, Ordering::Release) == ASLEEP {
            // The sleeper holds the lock from marking itself asleep until it waits; passing through it here puts the
            // notice after the wait.
            drop(self.lock.lock());
            self.wake.notify_one();
        }
    }

    /// Takes a wake-up that has come. Reads first, so that a spinning waiter does not write the line.
    fn take(&self) -> bool {
        self.state.load(Ordering::Relaxed) == NOTIFIED
            // Acquire: pairs with the release in `unpark`.
            && self.state.compare_exchange(NOTIFIED, EMPTY, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    #[cold]
    fn sleep(&self) {
        let mut guard = self.lock.lock();
        // Relaxed: on failure `take` below acquires; on success nothing has been handed over yet.
        let _ = self.state.compare_exchange(EMPTY, ASLEEP, Ordering::Relaxed, Ordering::Relaxed);
        while !self.take() {
            guard = self.wake.wait(guard);
        }
    }
}

impl Default for Parker {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::UnsafeCell;
    use crate::model;
    use std::sync::Arc;

    struct Mailbox {
        parker: Parker,
        letter: UnsafeCell<u32>,
    }
    // SAFETY: `letter` is written before `unpark` and read after the `park` it ends.
    unsafe impl Sync for Mailbox {}

    #[test]
    fn what_was_written_before_unpark_is_read_after_park() {
        model(|| {
            let ours = Arc::new(Mailbox { parker: Parker::new(), letter: UnsafeCell::new(0) });
            let theirs = Arc::clone(&ours);
            let sender = thread::spawn(move || {
                // SAFETY: the reader waits for the `unpark` below.
                theirs.letter.with_mut(|letter| unsafe { *letter = 7 });
                theirs.parker.unpark();
            });
            ours.parker.park();
            // SAFETY: the writer has called `unpark`.
            assert_eq!(ours.letter.with(|letter| unsafe { *letter }), 7);
            sender.join().unwrap();
        });
    }

    #[test]
    fn no_wake_up_of_two_senders_is_lost() {
        model(|| {
            let parker = Arc::new(Parker::new());
            let sent = Arc::new(AtomicU32::new(0));
            let senders: Vec<_> = (0..2)
                .map(|_| {
                    let (parker, sent) = (Arc::clone(&parker), Arc::clone(&sent));
                    thread::spawn(move || {
                        sent.fetch_add(1, Ordering::Release);
                        parker.unpark();
                    })
                })
                .collect();
            while sent.load(Ordering::Acquire) < 2 {
                parker.park();
            }
            for sender in senders {
                sender.join().unwrap();
            }
        });
    }

    #[cfg(not(loom))]
    #[test]
    fn a_sleeper_wakes_and_an_early_notice_is_kept() {
        let parker = Arc::new(Parker::new());
        parker.unpark();
        parker.unpark();
        parker.park();
        let theirs = Arc::clone(&parker);
        let sleeper = thread::spawn(move || theirs.park());
        std::thread::sleep(Duration::from_millis(20));
        assert!(!sleeper.is_finished());
        parker.unpark();
        sleeper.join().unwrap();
    }

    #[cfg(not(loom))]
    #[test]
    fn the_spin_ends() {
        let start = Instant::now();
        assert!(!spin_until(|| false));
        assert!(start.elapsed() >= SPIN);
    }
}
