//! A bar for work that takes a while.
use freelane::graph::Watch;
use freelane_sync::{Condvar, Mutex, thread};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(500);
const TICK: Duration = Duration::from_millis(100);

/// Shows steps done on standard error, if that is a terminal, once the work has taken half a second. Gone when dropped.
pub struct Progress {
    bar: ProgressBar,
    watcher: Option<(Arc<Ended>, thread::JoinHandle<()>)>,
}

/// Tells the thread that waits to show the bar that there is nothing to show any more.
// LEDGER: one command; touched at its beginning and its end
#[derive(Default)]
struct Ended {
    flag: Mutex<bool>,
    changed: Condvar,
}

impl Progress {
    /// A bar over a number of steps.
    pub fn new(what: &'static str, steps: u64) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::hidden());
        if !std::io::stderr().is_terminal() {
            return Progress { bar, watcher: None };
        }
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {wide_bar} {pos}/{len} {elapsed}") {
            bar.set_style(style);
        }
        bar.set_message(what);
        let ended = Arc::new(Ended::default());
        let (theirs, shown) = (Arc::clone(&ended), bar.clone());
        let watcher = thread::spawn(move || theirs.show_unless_ended(&shown));
        Progress { bar, watcher: Some((ended, watcher)) }
    }

    /// One more step is done.
    pub fn step(&self) {
        self.bar.inc(1);
    }
}

impl Ended {
    fn show_unless_ended(&self, bar: &ProgressBar) {
        let mut ended = self.flag.lock();
        while !*ended {
            let (guard, notified) = self.changed.wait_timeout(ended, PATIENCE);
            ended = guard;
            if !notified && !*ended {
                bar.set_draw_target(ProgressDrawTarget::stderr());
                bar.enable_steady_tick(TICK);
                return;
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let Some((ended, watcher)) = self.watcher.take() else { return };
        *ended.flag.lock() = true;
        ended.changed.notify_all();
        // A watcher that panicked shows no bar.
        let _ = watcher.join();
        self.bar.finish_and_clear();
    }
}

impl Watch for Progress {
    fn step(&self) {
        Progress::step(self);
    }
}
