//! Models that all threads share: many small ones, one alone, and the same behind a lock.
use super::group::{Group, Side, Workload};
use anyhow::{Result, anyhow};
use freelane::graph::{Arg, Call, Datum, Fact, Graph, Limits, Plan, Runner, ValueId, passes};
use freelane::onnx::{Session, SessionOptions};
use freelane::{Array, DType, Function, Lane, Scalar, ufuncs};
use freelane_sync::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A service's worth of models.
const MODELS: usize = 24;
/// Widths of the layers of a small classifier.
const WIDTHS: [usize; 3] = [64, 128, 10];

/// The groups of this workload, beside a model of the user's if there is one.
pub fn groups(model: Option<&Path>) -> Vec<Group> {
    let group = |n, sides| Group { workload: Workload::Session, n, sides };
    let mut groups = vec![group(WIDTHS[0], one()), group(WIDTHS[0] * MODELS, many())];
    if let Some(path) = model {
        groups.push(group(1, of_user(path)));
    }
    groups
}

/// Models, and the lock that the contended twin takes at each run.
struct Shared {
    models: Result<Vec<Runner>>,
    // LEDGER: a measurement's contended twin; sharing it is the point
    lock: Mutex<()>,
}

fn one() -> Vec<Side> {
    let side =
        |case: &str, locked| Side::sharing(case, |_| shared(1), move |shared: Arc<Shared>, _| runs(shared, locked));
    vec![side("one small model", false), side("one small model, contended lock", true)]
}

fn many() -> Vec<Side> {
    vec![Side::sharing(
        format!("{MODELS} small models"),
        |_| shared(MODELS),
        |shared: Arc<Shared>, _| runs(shared, false),
    )]
}

/// Runs the models one after another, into an output that stays.
fn runs(shared: Arc<Shared>, locked: bool) -> Result<impl FnMut() -> Result<()>> {
    let x = Array::linspace(0.0, 1.0, WIDTHS[0])?.astype(DType::F32)?.reshape(&[1, WIDTHS[0] as isize])?;
    let x = [Datum::from(x)];
    let mut out = [Datum::from(Array::zeros(&[1, WIDTHS[2]], DType::F32)?)];
    let mut next = 0;
    Ok(move || {
        let models = shared.models.as_ref().map_err(|e| anyhow!("{e}"))?;
        next = (next + 1) % models.len();
        let _held = locked.then(|| shared.lock.lock());
        Ok(models[next].run_into(&x, &Limits::default(), &mut out)?)
    })
}

fn shared(count: usize) -> Shared {
    Shared { models: (0..count).map(classifier).collect(), lock: Mutex::new(()) }
}

/// Two layers, `relu(x @ w + b) @ v + c`.
fn classifier(seed: usize) -> Result<Runner> {
    let mut graph = Graph::default();
    let x = graph.input("x", Fact::known(DType::F32, &[1, WIDTHS[0]]));
    let hidden = layer(&mut graph, x, WIDTHS[0], WIDTHS[1], seed)?;
    let hidden = graph.add("", Call::ufunc(&ufuncs::RELU), &[Some(hidden)], 1)?[0];
    let out = layer(&mut graph, hidden, WIDTHS[1], WIDTHS[2], seed + 1)?;
    graph.output(out);
    Lane::with(|lane| passes::optimize(lane, &mut graph, None))?;
    Ok(Runner::new(Arc::new(Plan::new(graph)?)))
}

fn layer(graph: &mut Graph, x: ValueId, rows: usize, columns: usize, seed: usize) -> Result<ValueId> {
    let mut generator = freelane::random::Generator::new(seed as u64);
    let scale = 1.0 / (rows as f64).sqrt();
    let weights = generator.normal(0.0, scale, &[rows, columns])?.astype(DType::F32)?;
    let bias = generator.normal(0.0, scale, &[columns])?.astype(DType::F32)?;
    let (w, b) = (graph.constant("", weights.into()), graph.constant("", bias.into()));
    let matmul = Function::by_name("matmul").ok_or_else(|| anyhow!("there is no matmul"))?;
    let product = Call::new(matmul, vec![Some(Arg::Input(0)), Some(Arg::Input(1))]);
    let xw = graph.add("", product, &[Some(x), Some(w)], 1)?[0];
    Ok(graph.add("", Call::ufunc(&ufuncs::ADD), &[Some(xw), Some(b)], 1)?[0])
}

/// A model of the user's, with inputs of ones; open axes have length 1.
fn of_user(path: &Path) -> Vec<Side> {
    let name = path.file_stem().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let open = |path: PathBuf| move |_| Session::open(&path, &SessionOptions::default()).map_err(|e| anyhow!(e));
    vec![Side::sharing(name, open(path.to_owned()), |session: Arc<Result<Session>>, _| {
        let (inputs, mut outputs) = {
            let session = ready(&session)?;
            let inputs = ones(session)?;
            let outputs = session.run_within(&inputs, &Limits::default())?;
            (inputs, outputs)
        };
        Ok(move || Ok(ready(&session)?.run_into(&inputs, &Limits::default(), &mut outputs)?))
    })]
}

fn ready(session: &Result<Session>) -> Result<&Session> {
    session.as_ref().map_err(|e| anyhow!("{e}"))
}

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
