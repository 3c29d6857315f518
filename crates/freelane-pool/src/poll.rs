//! Loops that are interrupted on request.

use std::time::Instant;

/// Estimated time between two questions whether to go on, and of the longest loop that is not asked about.
pub const POLL_NS: u64 = 1_000_000;

/// A loop ended early, because the lane's [poll](crate::Lane::set_poll) said so or its
/// [deadline](crate::Lane::until) has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// What a loop's caller asks, and how often.
#[derive(Clone, Copy)]
pub struct Polls {
    asked: Asked,
    every: usize,
}

/// What ends loops early.
#[derive(Clone, Copy, Default)]
pub struct Asked {
    /// Says whether to stop.
    pub poll: Option<fn() -> bool>,
    /// When to stop.
    pub deadline: Option<Instant>,
}

impl Asked {
    /// Whether there is nothing to ask.
    #[inline]
    pub fn is_nothing(self) -> bool {
        self.poll.is_none() && self.deadline.is_none()
    }

    /// Whether to stop, asked now.
    pub fn stops(self) -> bool {
        self.poll.is_some_and(|poll| poll()) || self.deadline.is_some_and(|deadline| Instant::now() > deadline)
    }
}

impl Polls {
    pub fn new(asked: Asked, tasks: usize, cost_ns: u64) -> Polls {
        let polls = usize::try_from(cost_ns.div_ceil(POLL_NS)).unwrap_or(usize::MAX);
        Polls { asked, every: (tasks / polls.max(1)).max(1) }
    }

    /// Whether to stop after so many tasks; asks when it is time to.
    #[inline]
    pub fn interrupt(self, done: usize) -> bool {
        done > 0 && done.is_multiple_of(self.every) && self.asked.stops()
    }

    /// Runs a task after `done` others, unless it is time to stop.
    #[inline]
    pub fn then(self, done: usize, task: impl FnOnce()) -> Result<(), Interrupted> {
        if self.interrupt(done) {
            return Err(Interrupted);
        }
        task();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lane, Runtime};
    use freelane_sync::atomic::{AtomicUsize, Ordering};
    use freelane_sync::lane_local;
    use std::cell::Cell;

    lane_local! {
        static ASKED: Cell<usize> = Cell::new(0);
        static LIMIT: Cell<usize> = Cell::new(usize::MAX);
    }

    /// Says yes the `LIMIT`th time.
    fn ask() -> bool {
        ASKED.with(|n| n.set(n.get() + 1));
        ASKED.with(Cell::get) >= LIMIT.with(Cell::get)
    }

    /// Runs a loop of `tasks` and `ms` milliseconds with a poll that says yes the `limit`th time: the result, how often it
    /// was asked, and how many tasks have run.
    fn run(tasks: usize, ms: u64, limit: usize) -> (Result<(), Interrupted>, usize, usize) {
        ASKED.with(|n| n.set(0));
        LIMIT.with(|n| n.set(limit));
        let ran = AtomicUsize::new(0);
        let done = Lane::with(|lane| {
            lane.set_poll(Some(ask));
            let done = lane.try_par_for(tasks, ms * POLL_NS, &|_, _| {
                ran.fetch_add(1, Ordering::Relaxed);
            });
            lane.set_poll(None);
            done
        });
        (done, ASKED.with(Cell::get), ran.into_inner())
    }

    #[test]
    fn a_long_loop_is_asked_about_between_tasks() {
        assert_eq!(run(100, 100, usize::MAX), (Ok(()), 99, 100));
        assert_eq!(run(100, 10, usize::MAX), (Ok(()), 9, 100));
        assert_eq!(run(10, 1000, usize::MAX), (Ok(()), 9, 10));
        assert_eq!(run(100, 1, usize::MAX), (Ok(()), 0, 100));
        assert_eq!(run(1, 100, 1), (Ok(()), 0, 1));
    }

    #[test]
    fn it_ends_at_the_first_yes() {
        assert_eq!(run(100, 100, 1), (Err(Interrupted), 1, 1));
        assert_eq!(run(100, 10, 3), (Err(Interrupted), 3, 30));
    }

    #[test]
    fn a_loop_in_order_is_interrupted_too() {
        let run = |limit| {
            ASKED.with(|n| n.set(0));
            LIMIT.with(|n| n.set(limit));
            let mut ran = vec![];
            let done = Lane::with(|lane| {
                lane.set_poll(Some(ask));
                let done = lane.try_for(40, 10 * POLL_NS, |task| ran.push(task));
                lane.set_poll(None);
                done
            });
            (done, ran)
        };
        assert_eq!(run(3), (Err(Interrupted), (0..12).collect()));
        assert_eq!(run(99), (Ok(()), (0..40).collect()));
    }

    #[test]
    fn workers_stop_too_and_ask_nothing() {
        let runtime = Runtime::new(3).unwrap();
        for _ in 0..20 {
            let (done, asked, ran) = runtime.install(|_| run(30_000, 30_000, 1));
            assert_eq!((done, asked), (Err(Interrupted), 1));
            assert!(ran < 30_000, "{ran} tasks");
            let (done, asked, ran) = runtime.install(|_| run(300, 300, usize::MAX));
            assert_eq!((done, ran), (Ok(()), 300));
            assert!(asked >= 99, "{asked}");
        }
    }

    #[test]
    fn pieces_are_short_only_where_somebody_asks() {
        Lane::with(|lane| {
            assert_eq!(lane.pieces(1_000_000_000), 1);
            lane.set_poll(Some(ask));
            assert_eq!((lane.pieces(1_000_000_000), lane.pieces(POLL_NS), lane.pieces(POLL_NS + 1)), (1000, 1, 2));
            lane.set_poll(None);
        });
        let runtime = Runtime::new(4).unwrap();
        assert_eq!(runtime.install(|lane| lane.pieces(u64::MAX)), 4);
    }
}
