//! Models that all threads share: many small ones, one alone, the same behind a lock, and one of the user's.
use super::group::{Group, Side, Workload};
use anyhow::{Result, anyhow};
use freelane::graph::{Datum, Limits};
use freelane::onnx::{Session, SessionOptions};
use freelane::{Array, Scalar};
use freelane_sync::Mutex;
use std::path::Path;
use std::sync::Arc;

/// Two dense layers of 128 and 10 over 64 numbers. A run is so short that what threads share would show.
const MLP: &[u8] = include_bytes!("../../models/mlp.onnx");
/// Numbers that it takes.
const WIDTH: usize = 64;
/// A service's worth of models.
const MODELS: usize = 24;

/// The groups of this workload, beside a model of the user's if there is one.
///
/// # Errors
/// When a model cannot be loaded.
pub fn groups(model: Option<&Path>) -> Result<Vec<Group>> {
    let group = |n, sides| Group { workload: Workload::Session, n, sides };
    let (one, many) = (small(1)?, side(format!("{MODELS} small models"), small(MODELS)?, false));
    let alone = side("one small model", Arc::clone(&one), false);
    let contended = side("one small model, contended lock", one, true);
    let mut groups = vec![group(WIDTH, vec![alone, contended]), group(WIDTH * MODELS, vec![many])];
    if let Some(path) = model {
        let name = path.file_stem().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let sessions = Arc::new(vec![Session::open(path, &SessionOptions::default())?]);
        groups.push(group(1, vec![side(name, sessions, false)]));
    }
    Ok(groups)
}

/// Models that differ in their description alone, which makes them different models.
fn small(count: usize) -> Result<Arc<Vec<Session>>> {
    let open = |i: usize| {
        // Of a field that comes twice the last counts. 6 is the description.
        let description = [6 << 3 | 2, 1, b'a' + i as u8];
        Ok(Session::from_bytes([MLP, &description].concat(), &SessionOptions::default())?)
    };
    (0..count).map(open).collect::<Result<Vec<_>>>().map(Arc::new)
}

/// Threads that share sessions, and a lock if they are to wait for each other.
fn side(case: impl Into<String>, sessions: Arc<Vec<Session>>, locked: bool) -> Side {
    // LEDGER: a measurement's contended twin; sharing it is the point
    let lock = move |_| locked.then(|| Mutex::new(()));
    Side::sharing(case, lock, move |lock, _| runs(Arc::clone(&sessions), lock))
}

/// Runs the models one after another, on inputs of ones, into outputs that stay.
fn runs(sessions: Arc<Vec<Session>>, lock: Arc<Option<Mutex<()>>>) -> Result<impl FnMut() -> Result<()>> {
    let inputs = sessions.iter().map(ones).collect::<Result<Vec<_>>>()?;
    let run = |(s, x): (&Session, &Vec<Datum>)| s.run_within(x, &Limits::default());
    let mut outputs = sessions.iter().zip(&inputs).map(run).collect::<Result<Vec<_>, _>>()?;
    let mut next = 0;
    Ok(move || {
        next = (next + 1) % sessions.len();
        let _held = lock.as_ref().as_ref().map(Mutex::lock);
        Ok(sessions[next].run_into(&inputs[next], &Limits::default(), &mut outputs[next])?)
    })
}

/// Inputs of ones; open axes have length 1.
fn ones(session: &Session) -> Result<Vec<Datum>> {
    let one = |port: &freelane::onnx::Port| {
        let (Some(dtype), Some(shape)) = (port.fact.dtype, &port.fact.shape) else {
            return Err(anyhow!("input {}: its type or shape is not known", port.name));
        };
        let shape: Vec<usize> = shape.iter().map(|d| d.known().unwrap_or(1)).collect();
        Ok(Datum::from(Array::full(&shape, Scalar::from(1), dtype)?))
    };
    session.inputs().iter().map(one).collect()
}
