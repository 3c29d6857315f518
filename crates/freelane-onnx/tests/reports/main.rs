//! What users of other runtimes have met: each of these went wrong somewhere, and here all of its kind is tried.
//!
//! ```text
//! nan.rs        Min and Max of numbers that are none             (microsoft/onnxruntime#21455)
//! pools.rs      windows over an edge                             (onnx/onnx#4958, microsoft/onnxruntime#16351)
//! indices.rs    elements that are not there                      (apache/tvm#20297, microsoft/onnxruntime#28311)
//! views.rs      arrays whose elements do not lie side by side    (tracel-ai/burn#4815)
//! malformed.rs  types that are missing, names that are no names  (microsoft/onnxruntime#4349, #4585)
//! ```
//! The number of threads in containers is a matter of `freelane-pool` and of the command line; mutated models are one of
//! `mutations.rs`.
#[path = "../build/mod.rs"]
mod build;
mod indices;
mod malformed;
mod nan;
mod pools;
mod views;

use freelane_graph::{Datum, Limits};
use freelane_onnx::{Session, SessionOptions};
use freelane_ops::Array;

fn load(bytes: Vec<u8>) -> Result<Session, String> {
    Session::from_bytes(bytes, &SessionOptions::default()).map_err(|e| e.to_string())
}

/// The first output.
fn run(bytes: Vec<u8>, inputs: &[Array]) -> Result<Array, String> {
    let inputs: Vec<Datum> = inputs.iter().map(|x| x.clone().into()).collect();
    let found = load(bytes)?.run_within(&inputs, &Limits::default()).map_err(|e| e.to_string())?;
    Ok(found[0].array().ok_or("no array")?.clone().into())
}

fn array(values: &[f32], shape: &[usize]) -> Array {
    Array::from_vec(values.to_vec(), shape).unwrap()
}

/// 1, 2, 3 and so on.
fn counted(shape: &[usize]) -> Array {
    let values: Vec<f32> = (1..=shape.iter().product::<usize>()).map(|i| i as f32).collect();
    array(&values, shape)
}
