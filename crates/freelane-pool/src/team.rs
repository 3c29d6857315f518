//! The workers of a runtime, and the caller's side of a region.

use crate::lane::Lane;
use crate::poll::{Interrupted, Polls};
use crate::region::{Body, Part, Region};
use crate::{PoolError, affinity};
use freelane_sync::thread::{self, JoinHandle};
use freelane_sync::{Leader, Member, crew};
use std::panic::resume_unwind;

/// Worker `i` runs part `i + 1` of each region; the caller runs part 0, and what workers have not begun by then.
pub struct Team {
    /// Declared, and so dropped, before the handles are joined.
    // LEDGER: the caller whose loop has the workers; posts parts to them and waits
    leader: Option<Leader<Part>>,
    workers: Vec<JoinHandle<()>>,
}

impl Team {
    /// Starts `threads - 1` workers, worker `i` bound to `cores[i + 1]` (wrapping around) if there are any cores.
    pub fn spawn(threads: usize, cores: &[usize]) -> Result<Team, PoolError> {
        let (leader, members) = crew(threads - 1);
        let mut team = Team { leader: Some(leader), workers: Vec::with_capacity(threads - 1) };
        for (worker, member) in members.into_iter().enumerate() {
            let core = cores.get((worker + 1) % cores.len().max(1)).copied();
            let started =
                thread::Builder::new().name(format!("freelane-{}", worker + 1)).spawn(move || serve(member, core));
            // On an error `team` is dropped, which ends the workers started so far.
            team.workers.push(started.map_err(|source| PoolError::Spawn { worker: worker + 1, threads, source })?);
        }
        Ok(team)
    }

    /// A team of nobody: the caller runs everything.
    pub fn nobody() -> Team {
        Team { leader: None, workers: Vec::new() }
    }

    /// True if there are no workers.
    pub fn is_nobody(&self) -> bool {
        self.leader.is_none()
    }

    /// False in a forked child of the process that started the workers.
    pub fn is_home(&self) -> bool {
        self.leader.as_ref().is_none_or(Leader::is_home)
    }

    /// Forgets workers that exist only in the parent process: neither waits for them nor joins them.
    pub fn abandon(&mut self) {
        std::mem::forget(std::mem::replace(self, Team::nobody()));
    }

    /// Runs all tasks and returns when the last has ended, or all that are running once `polls` interrupt the loop.
    ///
    /// # Panics
    /// With the panic of the lowest task that panicked; or, in a child forked by one of the tasks, if parts of the
    /// region went on in the parent only.
    pub fn run(&mut self, lane: &Lane, tasks: usize, body: Body<'_>, polls: Option<Polls>) -> Result<(), Interrupted> {
        let helpers = self.leader.as_ref().map_or(0, Leader::members).min(tasks.saturating_sub(1));
        let region = Region::new(body, tasks, helpers + 1);
        let lost = self.leader.as_mut().is_some_and(|leader| run_with(leader, lane, &region, helpers, polls));
        let interrupted = region.is_interrupted();
        if let Some(payload) = region.into_panic() {
            resume_unwind(payload);
        }
        assert!(!lost, "a task forked the process: parts of its parallel region exist in the parent only");
        if interrupted { Err(Interrupted) } else { Ok(()) }
    }
}

/// True if a part was lost to a parent process.
fn run_with(leader: &mut Leader<Part>, lane: &Lane, region: &Region<'_>, helpers: usize, polls: Option<Polls>) -> bool {
    for helper in 0..helpers {
        // SAFETY: below, each part is taken back or waited for before this function returns, and nothing unwinds:
        // `Region::run` keeps panics. A lost part is not in this process.
        leader.post(helper, unsafe { Part::new(region, helper + 1) });
    }
    region.run(lane, 0, polls);
    // From the last: workers were woken from the first.
    for helper in (0..helpers).rev() {
        if let Some(part) = leader.take_back(helper) {
            part.run(lane, polls);
        }
    }
    (0..helpers).filter(|&helper| leader.wait(helper).is_err()).count() > 0
}

fn serve(mut member: Member<Part>, core: Option<usize>) {
    if let Some(core) = core {
        // A core that is refused (taken offline since) costs speed only.
        let _ = affinity::pin_to_core(core);
    }
    while Lane::with(|lane| member.serve(|part| part.run(lane, None))) {}
}

impl Drop for Team {
    fn drop(&mut self) {
        if !self.is_home() {
            return self.abandon();
        }
        self.leader = None;
        for worker in self.workers.drain(..) {
            // Workers keep panics for the caller, so none ends in one. No worker waits here for itself: while it runs
            // a task, the region's caller borrows the runtime.
            let _ = worker.join();
        }
    }
}
