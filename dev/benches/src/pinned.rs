//! Timing on pinned threads that start together: the median of several rounds, one thread and all threads in turns.

use freelane_pool::{Runtime, allowed_cores, pin_to_core};
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// Rounds of each thread count; the median is reported.
const ROUNDS: usize = 9;
/// What a round should take.
const ROUND: Duration = Duration::from_millis(20);

/// Measures `make(thread)`'s operation on one thread and on all processors, and prints a line for each.
pub fn bench<Op: FnMut()>(name: &str, make: impl Fn(usize) -> Op + Sync) {
    let mut cpus = allowed_cores();
    if cpus.is_empty() {
        cpus = (0..Runtime::available()).collect();
    }
    let ops = calibrate(&cpus[..1], &make);
    let counts = if cpus.len() > 1 { vec![1, cpus.len()] } else { vec![1] };
    let mut times = vec![Vec::new(); counts.len()];
    for _ in 0..ROUNDS {
        for (&count, times) in counts.iter().zip(&mut times) {
            times.push(round(&cpus[..count], ops, &make));
        }
    }
    let medians: Vec<f64> = times.iter_mut().map(|times| median(times)).collect();
    for (count, time) in counts.iter().zip(&medians) {
        println!("{name},{count},{time:.2},{:.3}", medians[0] / time);
    }
}

/// Operations that fill a round.
fn calibrate<Op: FnMut()>(cpus: &[usize], make: &(impl Fn(usize) -> Op + Sync)) -> usize {
    let mut ops = 1;
    loop {
        let took = round(cpus, ops, make) * ops as f64;
        if took > ROUND.as_nanos() as f64 / 4.0 {
            return (ops as f64 * ROUND.as_nanos() as f64 / took).ceil() as usize;
        }
        ops *= 4;
    }
}

/// Nanoseconds per operation of the slowest thread.
fn round<Op: FnMut()>(cpus: &[usize], ops: usize, make: &(impl Fn(usize) -> Op + Sync)) -> f64 {
    let gate = Barrier::new(cpus.len());
    let lane = |thread: usize, cpu: usize| {
        // Where threads cannot be bound, they stay where the system puts them.
        let _ = pin_to_core(cpu);
        let mut op = make(thread);
        (0..ops.div_ceil(10)).for_each(|_| op());
        gate.wait();
        let start = Instant::now();
        (0..ops).for_each(|_| op());
        start.elapsed().as_nanos() as f64 / ops as f64
    };
    let lane = &lane;
    let times: Vec<f64> = std::thread::scope(|scope| {
        let lanes: Vec<_> = cpus.iter().enumerate().map(|(i, &cpu)| scope.spawn(move || lane(i, cpu))).collect();
        lanes.into_iter().map(|lane| lane.join().expect("a measured operation does not panic")).collect()
    });
    times.into_iter().fold(0.0, f64::max)
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
