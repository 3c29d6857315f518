//! What many sessions on many threads hold: memory for the largest plan on each lane, however many plans there are.
#![allow(clippy::disallowed_types, reason = "the threads meet while what they hold is counted")]
use freelane_graph::{Datum, Limits};
use freelane_onnx::{Session, SessionOptions};
use freelane_ops::{Array, DType};
use freelane_sync::thread;
use std::sync::Barrier;

const MLP: &[u8] = include_bytes!("../../freelane-cli/models/mlp.onnx");
const SESSIONS: usize = 24;
const LANES: usize = 32;
/// Rows of the batch; one run needs 512 bytes of values for each.
const ROWS: usize = 1024;

/// Bytes that lanes and the depot hold while every lane has run the sessions and none is gone.
fn held(sessions: &[Session]) -> usize {
    let before = freelane_mem::stats::snapshot();
    let (ran, looked) = (Barrier::new(LANES + 1), Barrier::new(LANES + 1));
    thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                let inputs = [Datum::from(Array::ones(&[ROWS, 64], DType::F32).unwrap())];
                let mut outputs = [Datum::from(Array::zeros(&[ROWS, 10], DType::F32).unwrap())];
                for session in sessions {
                    session.run_into(&inputs, &Limits::default(), &mut outputs).unwrap();
                }
                ran.wait();
                looked.wait();
            });
        }
        ran.wait();
        let now = freelane_mem::stats::snapshot();
        looked.wait();
        now.lane_bytes + now.depot_bytes
            - before.lane_bytes.min(now.lane_bytes)
            - before.depot_bytes.min(now.depot_bytes)
    })
}

#[test]
fn lanes_hold_the_largest_plan_and_not_all_plans() {
    let open = |i: usize| {
        // A description of its own makes each another model.
        let bytes = [MLP, &[6 << 3 | 2, 1, b'a' + i as u8]].concat();
        Session::from_bytes(bytes, &SessionOptions::default()).unwrap()
    };
    let sessions: Vec<Session> = (0..SESSIONS).map(open).collect();
    let one = held(&sessions[..1]);
    let all = held(&sessions);
    let plan = sessions[0].memory().values;
    assert!(plan >= ROWS * 128 * 4, "the hidden layer is a value of {plan} bytes");
    println!("{LANES} lanes, plans of {plan} bytes: one session {one}, {SESSIONS} sessions {all}");
    assert!(all <= LANES * 2 * plan, "{all} bytes held; {LANES} lanes times a plan are {}", LANES * plan);
}
