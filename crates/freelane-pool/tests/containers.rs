//! The size of the default pool under affinity and environment bounds, in fresh processes.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_types, missing_docs)]

use freelane_pool::{Runtime, allowed_cores, pin_to_core};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

const ASKED: &str = "FREELANE_TEST_REPORT";

/// Not a test of its own: what the processes below run.
#[test]
fn report() {
    if std::env::var_os(ASKED).is_none() {
        return;
    }
    let threads = Runtime::available();
    let runtime = Runtime::new(threads).unwrap();
    let sum = AtomicUsize::new(0);
    runtime.install(|lane| {
        lane.par_for(100, u64::MAX, &|_, task| {
            sum.fetch_add(task * task, Ordering::Relaxed);
        });
    });
    println!("threads={threads} answer={}", sum.into_inner());
}

/// How many threads a process started here finds.
fn threads(env: &[(&str, &str)]) -> usize {
    threads_of(Command::new(std::env::current_exe().unwrap()), env)
}

/// How many threads a process of this program finds, however it is started.
fn threads_of(mut command: Command, env: &[(&str, &str)]) -> usize {
    command.args(["--exact", "report", "--nocapture"]).env_remove("FREELANE_NUM_THREADS").env_remove("OMP_NUM_THREADS");
    let output = command.env(ASKED, "1").envs(env.iter().copied()).output().unwrap();
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && errors.is_empty(), "{text}{errors}");
    let line = text.lines().find(|line| line.contains("threads=")).unwrap();
    assert!(line.ends_with("answer=328350"), "{line}");
    let (_, count) = line.split_once("threads=").unwrap();
    count.split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn one_core_means_one_thread() {
    for core in allowed_cores() {
        // The process inherits the affinity of the thread that starts it.
        let counted = std::thread::spawn(move || pin_to_core(core).map(|()| threads(&[("OMP_NUM_THREADS", "64")])));
        assert_eq!(counted.join().unwrap().unwrap(), 1);
    }
}

#[test]
fn the_environment_lowers_and_never_raises() {
    let granted = threads(&[]);
    assert!(granted <= allowed_cores().len());
    let cases: [(&[(&str, &str)], usize); 7] = [
        (&[("OMP_NUM_THREADS", "1")], 1),
        (&[("FREELANE_NUM_THREADS", "1")], 1),
        (&[("FREELANE_NUM_THREADS", "1"), ("OMP_NUM_THREADS", "2")], 1),
        (&[("OMP_NUM_THREADS", "1,8")], 1),
        (&[("FREELANE_NUM_THREADS", "5000")], granted),
        (&[("FREELANE_NUM_THREADS", "none"), ("OMP_NUM_THREADS", "0")], granted),
        (&[("FREELANE_NUM_THREADS", ""), ("OMP_NUM_THREADS", "-1")], granted),
    ];
    for (env, expected) in cases {
        assert_eq!(threads(env), expected, "{env:?}");
    }
}

/// A group of processes that may use the time of one core, as long as it lives.
struct OneCore(PathBuf);

impl OneCore {
    /// Nothing where the system does not let this process make one.
    fn new() -> Option<OneCore> {
        let name = format!("freelane-containers-{}", std::process::id());
        let limits = [
            ("/sys/fs/cgroup/cpu", vec![("cpu.cfs_period_us", "100000"), ("cpu.cfs_quota_us", "100000")]),
            ("/sys/fs/cgroup", vec![("cpu.max", "100000 100000")]),
        ];
        limits.into_iter().find_map(|(root, files)| {
            let group = OneCore(PathBuf::from(root).join(&name));
            std::fs::create_dir(&group.0).ok()?;
            let written = files
                .iter()
                .all(|(file, text)| group.0.join(file).exists() && std::fs::write(group.0.join(file), text).is_ok());
            written.then_some(group)
        })
    }

    /// This program, to be started in the group.
    fn command(&self) -> Command {
        let mut command = Command::new("sh");
        let enter = "echo $$ > \"$0\" && exec \"$@\"";
        command.args(["-c", enter]).arg(self.0.join("cgroup.procs")).arg(std::env::current_exe().unwrap());
        command
    }
}

impl Drop for OneCore {
    fn drop(&mut self) {
        // A group that somebody is in stays.
        let _ = std::fs::remove_dir(&self.0);
    }
}

#[test]
fn a_quota_of_one_core_means_one_thread() {
    let Some(group) = OneCore::new() else {
        println!("skipped: no control group can be made here");
        return;
    };
    assert_eq!(threads_of(group.command(), &[]), 1);
    assert_eq!(threads_of(group.command(), &[("OMP_NUM_THREADS", "64")]), 1);
}
