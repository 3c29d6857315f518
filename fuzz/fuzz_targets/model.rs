//! Bytes as a model: loaded, and run on ones with a deadline. Begin with models: `cargo +nightly fuzz run model fuzz/corpus/model dev/models`.
#![no_main]
use freelane_graph::{Datum, Limits};
use freelane_onnx::{Session, SessionOptions};
use freelane_ops::Array;
use libfuzzer_sys::fuzz_target;
use std::time::{Duration, Instant};

/// Ones for an input; open axes have two elements.
fn fed(port: &freelane_onnx::Port) -> Option<Datum> {
    let dims = port.fact.shape.clone().unwrap_or_default();
    let shape: Vec<usize> = dims.iter().map(|dim| dim.known().unwrap_or(2)).collect();
    let count = shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d)).filter(|n| *n <= 1 << 20);
    Array::ones(&shape, port.fact.dtype.filter(|_| count.is_some())?).ok().map(Datum::from)
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(session) = Session::from_bytes(bytes.to_vec(), &SessionOptions::default()) else { return };
    let Some(inputs) = session.inputs().iter().map(fed).collect::<Option<Vec<Datum>>>() else { return };
    let limits = Limits { deadline: Some(Instant::now() + Duration::from_secs(1)), ..Limits::default() };
    let _ = session.run_within(&inputs, &limits);
});
