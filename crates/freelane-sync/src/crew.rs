//! One leader hands jobs to the members of its crew: the protocol under a thread pool.
//!
//! Each member has a slot on its own cache lines. A slot goes `IDLE -> POSTED` by the leader, `POSTED -> RUNNING` by
//! its member, `RUNNING -> IDLE` by its member; the leader may also take a job back, `POSTED -> IDLE`, as long as the
//! member has not begun. `IDLE -> CLOSED` ends the member. Nobody else writes a slot, so a call costs each side one
//! write that the other reads.

use crate::atomic::{AtomicU32, Ordering};
use crate::cell::UnsafeCell;
use crate::{CachePadded, Parker, ProcessStamp};
use std::sync::Arc;

const IDLE: u32 = 0;
const POSTED: u32 = 1;
const RUNNING: u32 = 2;
const CLOSED: u32 = 3;

/// A leader and its `members`. The leader is one value behind `&mut`; each member belongs to one thread.
pub fn crew<J: Send>(members: usize) -> (Leader<J>, Vec<Member<J>>) {
    let slots = (0..members).map(|_| CachePadded::new(Slot::new())).collect();
    let shared = Arc::new(Shared { slots, leader: CachePadded::new(Parker::new()), home: ProcessStamp::here() });
    let members = (0..members).map(|index| Member { shared: Arc::clone(&shared), index }).collect();
    (Leader { shared }, members)
}

struct Shared<J> {
    slots: Box<[CachePadded<Slot<J>>]>,
    leader: CachePadded<Parker>,
    home: ProcessStamp,
}

struct Slot<J> {
    state: AtomicU32,
    job: UnsafeCell<Option<J>>,
    parker: Parker,
}

// SAFETY: `job` is touched by the leader while the state is IDLE, and by whoever moved it away from POSTED (the leader
// by taking back, the member by running), never by two; `J: Send` then suffices.
unsafe impl<J: Send> Sync for Slot<J> {}

impl<J> Slot<J> {
    fn new() -> Self {
        Self { state: AtomicU32::new(IDLE), job: UnsafeCell::new(None), parker: Parker::new() }
    }

    /// Moves the slot away from POSTED to `to` and takes the job, unless the other side was first.
    fn claim(&self, to: u32) -> Option<J> {
        // Acquire: pairs with the release in `Leader::post`.
        self.state.compare_exchange(POSTED, to, Ordering::Acquire, Ordering::Relaxed).ok()?;
        // SAFETY: the exchange gave the job to this side alone; the leader does not post before it is IDLE again, and
        // when `to` is IDLE this is the leader.
        self.job.with_mut(|job| unsafe { (*job).take() })
    }
}

/// The side that posts jobs. Dropping it takes back what nobody began, waits for what runs, and sends members home.
pub struct Leader<J> {
    shared: Arc<Shared<J>>,
}

/// A job went with the member that ran it: the process is a forked child, and the member is in the parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost;

impl<J> Leader<J> {
    /// How many members there are.
    pub fn members(&self) -> usize {
        self.shared.slots.len()
    }

    /// False in a forked child of the process that made the crew: the members are not there.
    pub fn is_home(&self) -> bool {
        self.shared.home.is_here()
    }

    /// Hands `job` to an idle member and wakes it.
    ///
    /// # Panics
    /// If the member's previous job was neither taken back nor waited for.
    pub fn post(&mut self, member: usize, job: J) {
        let slot = &self.shared.slots[member];
        // Acquire: pairs with the release in `Member::finish`.
        assert_eq!(slot.state.load(Ordering::Acquire), IDLE, "member {member} still has a job");
        // SAFETY: the slot is IDLE, and only the leader, here by `&mut`, moves it on from there.
        slot.job.with_mut(|place| unsafe { *place = Some(job) });
        // Release: pairs with the acquire in `Slot::claim`.
        slot.state.store(POSTED, Ordering::Release);
        slot.parker.unpark();
    }

    /// The member's job, if the member has not begun it.
    pub fn take_back(&mut self, member: usize) -> Option<J> {
        self.shared.slots[member].claim(IDLE)
    }

    /// Waits until the member is idle; what it wrote is visible then. Takes no posted job back: a member that is late
    /// is waited for.
    pub fn wait(&mut self, member: usize) -> Result<(), Lost> {
        // Acquire: pairs with the release in `Member::finish`.
        while self.shared.slots[member].state.load(Ordering::Acquire) != IDLE {
            if !self.is_home() {
                return Err(Lost);
            }
            self.shared.leader.park();
        }
        Ok(())
    }
}

impl<J> Drop for Leader<J> {
    fn drop(&mut self) {
        for member in 0..self.members() {
            drop(self.take_back(member));
            if self.wait(member).is_ok() {
                let slot = &self.shared.slots[member];
                // Relaxed: carries no data.
                slot.state.store(CLOSED, Ordering::Relaxed);
                slot.parker.unpark();
            }
        }
    }
}

/// The side that runs jobs.
pub struct Member<J> {
    shared: Arc<Shared<J>>,
    index: usize,
}

impl<J> Member<J> {
    /// Waits for a job, runs `run` on it, and reports the end, also when `run` panics. False when there will be no
    /// more: the leader is gone, or `run` has forked and this is the child.
    pub fn serve(&mut self, run: impl FnOnce(J)) -> bool {
        let Some(job) = self.next() else { return false };
        let _finish = Finish(self);
        run(job);
        self.shared.home.is_here()
    }

    fn next(&self) -> Option<J> {
        let slot = &self.shared.slots[self.index];
        loop {
            if let Some(job) = slot.claim(RUNNING) {
                return Some(job);
            }
            if slot.state.load(Ordering::Relaxed) == CLOSED {
                return None;
            }
            slot.parker.park();
        }
    }
}

struct Finish<'a, J>(&'a Member<J>);

impl<J> Drop for Finish<'_, J> {
    fn drop(&mut self) {
        let Member { shared, index } = self.0;
        if !shared.home.is_here() {
            // The leader is in the parent, and may have held the parker's lock when the process forked.
            return;
        }
        // Release: pairs with the acquire in `Leader::wait` and `Leader::post`.
        shared.slots[*index].state.store(IDLE, Ordering::Release);
        shared.leader.unpark();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atomic::AtomicUsize;
    use crate::{model, thread};

    /// Plain memory that a job writes and the leader reads: the checker reports a race on it.
    struct Sum(UnsafeCell<u32>);
    // SAFETY: the protocol under test hands it to one side at a time.
    unsafe impl Sync for Sum {}
    // SAFETY: as above.
    unsafe impl Send for Sum {}

    impl Sum {
        fn add(&self, value: u32) {
            // SAFETY: whoever has the job, or has waited for it, is alone.
            self.0.with_mut(|sum| unsafe { *sum += value });
        }

        fn get(&self) -> u32 {
            // SAFETY: as above.
            self.0.with(|sum| unsafe { *sum })
        }
    }

    type Job = (Arc<Sum>, u32);

    fn spawn(mut member: Member<Job>) -> thread::JoinHandle<()> {
        thread::spawn(move || while member.serve(|(sum, value)| sum.add(value)) {})
    }

    #[test]
    fn each_job_runs_once_and_its_writes_are_seen() {
        model(|| {
            let (mut leader, members) = crew::<Job>(1);
            let threads: Vec<_> = members.into_iter().map(spawn).collect();
            let sum = Arc::new(Sum(UnsafeCell::new(0)));
            for value in [1, 10] {
                leader.post(0, (Arc::clone(&sum), value));
                leader.wait(0).unwrap();
            }
            assert_eq!(sum.get(), 11);
            drop(leader);
            threads.into_iter().for_each(|thread| thread.join().unwrap());
        });
    }

    #[test]
    fn a_job_taken_back_runs_once_too() {
        model(|| {
            let (mut leader, members) = crew::<Job>(1);
            let threads: Vec<_> = members.into_iter().map(spawn).collect();
            let sum = Arc::new(Sum(UnsafeCell::new(0)));
            for value in [1, 10] {
                leader.post(0, (Arc::clone(&sum), value));
                match leader.take_back(0) {
                    Some((sum, value)) => sum.add(value),
                    None => leader.wait(0).unwrap(),
                }
                assert_eq!(sum.get() / value, 1);
            }
            drop(leader);
            threads.into_iter().for_each(|thread| thread.join().unwrap());
        });
    }

    #[test]
    fn two_members_report_to_one_leader() {
        model(|| {
            let (mut leader, members) = crew::<Job>(2);
            let threads: Vec<_> = members.into_iter().map(spawn).collect();
            let sums = [0, 1].map(|_| Arc::new(Sum(UnsafeCell::new(0))));
            for (member, sum) in sums.iter().enumerate() {
                leader.post(member, (Arc::clone(sum), 5));
            }
            for (member, sum) in sums.iter().enumerate() {
                leader.wait(member).unwrap();
                assert_eq!(sum.get(), 5);
            }
            drop(leader);
            threads.into_iter().for_each(|thread| thread.join().unwrap());
        });
    }

    #[test]
    fn dropping_the_leader_drops_or_ends_a_posted_job() {
        model(|| {
            let (mut leader, mut members) = crew::<Arc<AtomicUsize>>(1);
            let mut member = members.remove(0);
            let ran = Arc::new(AtomicUsize::new(0));
            let thread = thread::spawn(move || {
                while member.serve(|ran| {
                    ran.fetch_add(1, Ordering::Relaxed);
                }) {}
            });
            leader.post(0, Arc::clone(&ran));
            drop(leader);
            thread.join().unwrap();
            assert_eq!(Arc::strong_count(&ran), 1);
            assert!(ran.load(Ordering::Relaxed) <= 1);
        });
    }

    #[cfg(not(loom))]
    #[test]
    fn a_panicking_job_is_reported_as_ended() {
        let (mut leader, mut members) = crew::<()>(1);
        let mut member = members.remove(0);
        let thread = thread::spawn(move || {
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| member.serve(|()| panic!("job"))));
            ended.is_err() && !member.serve(|()| ())
        });
        leader.post(0, ());
        leader.wait(0).unwrap();
        drop(leader);
        assert!(thread.join().unwrap());
    }
}
