//! Models that all threads share, each thread with inputs of its own.
use freelane::graph::{Datum, Limits};
use freelane::onnx::{Session, SessionOptions};
use freelane::{Array, DType};
use freelane_benches::marked::{Run, Seen, run};
use std::hint::black_box;

const MLP: &[u8] = include_bytes!("../../../../../crates/freelane-cli/models/mlp.onnx");
const CNN: &[u8] = include_bytes!("../../../../models/cnn.onnx");
/// A service's worth of models.
const MODELS: usize = 24;

fn session(bytes: &[u8]) -> Session {
    Session::from_bytes(bytes.to_vec(), &SessionOptions::default()).expect("a model of the repository loads")
}

/// Inputs of ones; open axes have length 1.
fn ones(session: &Session) -> Vec<Datum> {
    let one = |port: &freelane::onnx::Port| {
        let shape = port.fact.shape.iter().flatten().map(|d| d.known().unwrap_or(1)).collect::<Vec<_>>();
        let dtype = port.fact.dtype.unwrap_or(DType::F32);
        Datum::from(Array::ones(&shape, dtype).expect("a case's inputs are small"))
    };
    session.inputs().iter().map(one).collect()
}

/// Runs the sessions in turn into outputs that stay.
fn into(how: Run, sessions: &[Session]) -> Seen {
    run(how, |thread| {
        let inputs: Vec<Vec<Datum>> = sessions.iter().map(ones).collect();
        let limits = Limits::default();
        let run = |s: &Session, x: &[Datum]| s.run_within(x, &limits).unwrap_or_else(|e| panic!("a case runs: {e}"));
        let mut outputs: Vec<Vec<Datum>> = sessions.iter().zip(&inputs).map(|(s, x)| run(s, x)).collect();
        let mut next = thread;
        move |_| {
            next = (next + 1) % sessions.len();
            let done = sessions[next].run_into(&inputs[next], &Limits::default(), &mut outputs[next]);
            done.unwrap_or_else(|e| panic!("a case runs: {e}"));
        }
    })
}

pub fn mlp(how: Run) -> Seen {
    into(how, &[session(MLP)])
}

pub fn cnn(how: Run) -> Seen {
    into(how, &[session(CNN)])
}

/// As [`mlp`], with new outputs at each run.
pub fn mlp_fresh(how: Run) -> Seen {
    let session = session(MLP);
    run(how, |_| {
        let (inputs, session) = (ones(&session), &session);
        move |_| drop(black_box(session.run_within(&inputs, &Limits::default())))
    })
}

/// Many models: each has a letter of its own in its producer's name, so that no two are the same to freelane.
pub fn many(how: Run) -> Seen {
    let name = MLP.windows(8).position(|bytes| bytes == b"freelane").expect("the producer's name");
    let model = |i: usize| {
        let mut bytes = MLP.to_vec();
        bytes[name] = b'a' + i as u8;
        session(&bytes)
    };
    let sessions: Vec<Session> = (0..MODELS).map(model).collect();
    into(how, &sessions)
}

/// The model in the file that `FREELANE_AUDIT_MODEL` names.
pub fn of_file(how: Run) -> Seen {
    let path = std::env::var_os("FREELANE_AUDIT_MODEL").expect("FREELANE_AUDIT_MODEL names a model");
    let session = Session::open(path, &SessionOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    // A thread that panics would leave the others waiting.
    drop(session.run_within(&ones(&session), &Limits::default()).unwrap_or_else(|e| panic!("inputs of ones: {e}")));
    into(how, &[session])
}
