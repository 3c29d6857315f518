//! One model that four threads run at the same time: `cargo run --release -p freelane --example shared_session -- MODEL.onnx`.
//!
//! Without a file it takes a model of two dense layers. No thread waits for another, and all must see the same bits.

use freelane::graph::Limits;
use freelane::onnx::{Session, SessionOptions};
use freelane::{Array, Scalar};
use std::time::Instant;

const RUNS: u32 = 1_000;

/// An array of halves for an input; axes whose length is open have one element.
fn halves(port: &freelane::onnx::Port) -> Result<Array, Box<dyn std::error::Error + Send + Sync>> {
    let dtype = port.fact.dtype.ok_or("an input whose type is not known")?;
    let shape = port.fact.shape.as_ref().ok_or("an input whose shape is not known")?;
    let shape: Vec<usize> = shape.iter().map(|axis| axis.known().unwrap_or(1)).collect();
    Ok(Array::full(&shape, Scalar::from(0.5), dtype)?)
}

fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let options = SessionOptions::default();
    let session = match std::env::args().nth(1) {
        Some(path) => Session::open(path, &options)?,
        None => Session::from_bytes(include_bytes!("../../freelane-cli/models/mlp.onnx").to_vec(), &options)?,
    };
    let run = || {
        let inputs = session.inputs().iter().map(|port| Ok(halves(port)?.into()));
        let inputs = inputs.collect::<Result<Vec<_>, Box<dyn std::error::Error + Send + Sync>>>()?;
        let mut outputs = session.run_within(&inputs, &Limits::default())?;
        let begun = Instant::now();
        for _ in 0..RUNS {
            // Into the same arrays again: nothing is allocated.
            session.run_into(&inputs, &Limits::default(), &mut outputs)?;
        }
        let first = outputs.swap_remove(0).into_array().ok_or("an output that is no array")?;
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>((first, begun.elapsed() / RUNS))
    };
    let (expected, alone) = run()?;
    println!("{}: {expected}", session.outputs()[0].name);
    println!("one thread: {alone:?} a run");
    let found = std::thread::scope(|scope| {
        let threads = [(); 4].map(|()| scope.spawn(run));
        threads.into_iter().map(|thread| thread.join().map_err(|_| "a thread panicked")?).collect::<Result<Vec<_>, _>>()
    })?;
    for (first, took) in found {
        assert_eq!(first.to_string(), expected.to_string());
        println!("one of four: {took:?} a run");
    }
    Ok(())
}
