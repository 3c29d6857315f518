//! A model that is ready to run, from any number of threads at once.
use crate::import::{Imported, import};
use crate::passes::passes;
use crate::shared::of_content;
use crate::{ExternalData, ModelFile, OnnxError};
use freelane_graph::{Datum, Fact, GraphError, Latency, Limits, Measure, Memory, NodeTime, Plan, Runner};
use freelane_pool::Runtime;
use std::path::Path;
use std::sync::Arc;

/// How a [`Session`] is made.
#[derive(Clone, Default)]
pub struct SessionOptions {
    /// What is measured at each run.
    pub measure: Measure,
    /// Splits large operations over its threads; without one a run stays on its caller's thread.
    pub runtime: Option<Arc<Runtime>>,
    /// Leaves the graph as the file has it.
    pub plain: bool,
}

/// An input or output: its name, and what the model says of it.
#[derive(Clone, Debug)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// Its type and shape, as far as they are known.
    pub fact: Fact,
}

/// Who made a model, and what it says of itself.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    /// The program that wrote it, and its version.
    pub producer: String,
    /// The name of its graph.
    pub graph: String,
    /// What it is for.
    pub description: String,
    /// Its own version.
    pub version: i64,
    /// Names and values.
    pub properties: Vec<(String, String)>,
}

/// A model that is frozen for all sessions of it.
pub(crate) struct Loaded {
    plan: Arc<Plan>,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    metadata: Metadata,
}

/// A model, loaded once and run from any number of threads. A run takes no lock, and writes nothing that another thread
/// reads. Sessions of the same bytes share weights and plan.
///
/// ```no_run
/// use freelane_onnx::{Session, SessionOptions};
/// use freelane_ops::Array;
/// let session = Session::open("model.onnx", &SessionOptions::default())?;
/// let x = Array::from_vec(vec![0.5f32; 64], &[1, 64])?;
/// let outputs = session.run(&[("x", x.into())])?;
/// println!("{:?}", outputs[0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Session {
    loaded: Arc<Loaded>,
    runner: Runner,
    runtime: Option<Arc<Runtime>>,
}

impl Session {
    /// The model in a file. Data beside the file is read from its folder.
    ///
    /// # Errors
    /// When the file is no model, or something in it is not supported; the error names the node.
    pub fn open(path: impl AsRef<Path>, options: &SessionOptions) -> Result<Session, OnnxError> {
        Session::load(&ModelFile::open(path)?, options)
    }

    /// The model in bytes, as they stand in a file.
    ///
    /// # Errors
    /// As [`Session::open`].
    pub fn from_bytes(bytes: Vec<u8>, options: &SessionOptions) -> Result<Session, OnnxError> {
        Session::load(&ModelFile::from_bytes(bytes), options)
    }

    fn load(file: &ModelFile, options: &SessionOptions) -> Result<Session, OnnxError> {
        let make = || Loaded::new(file, options.plain).map_err(|e| file.blame(e));
        let loaded = of_content(file, options.plain, make)?;
        let runner = Runner::new(loaded.plan.clone()).measuring(options.measure);
        Ok(Session { loaded, runner, runtime: options.runtime.clone() })
    }

    /// What it takes, in order.
    pub fn inputs(&self) -> &[Port] {
        &self.loaded.inputs
    }

    /// What it makes, in order.
    pub fn outputs(&self) -> &[Port] {
        &self.loaded.outputs
    }

    /// What the model says of itself.
    pub fn metadata(&self) -> &Metadata {
        &self.loaded.metadata
    }

    /// The plan that it runs.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.loaded.plan
    }

    /// Runs the model on named inputs; the outputs are in order.
    ///
    /// # Errors
    /// When an input is missing, unknown, given twice, or not what the model takes, or a node fails.
    pub fn run(&self, inputs: &[(&str, Datum)]) -> Result<Vec<Datum>, GraphError> {
        self.run_within(&self.in_order(inputs)?, &Limits::default())
    }

    /// Inputs by name as a list in order.
    ///
    /// # Errors
    /// When one is missing, unknown or given twice.
    pub fn in_order(&self, inputs: &[(&str, Datum)]) -> Result<Vec<Datum>, GraphError> {
        let wrong = |name: &str, message: String| GraphError::Input { name: name.to_owned(), message };
        let names = || self.inputs().iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(", ");
        for (i, (name, _)) in inputs.iter().enumerate() {
            if !self.inputs().iter().any(|port| port.name == *name) {
                return Err(wrong(name, format!("the model has no such input; it takes {}", names())));
            }
            if inputs[..i].iter().any(|(earlier, _)| earlier == name) {
                return Err(wrong(name, "is given twice".to_owned()));
            }
        }
        let find = |port: &Port| match inputs.iter().find(|(name, _)| port.name == *name) {
            Some((_, datum)) => Ok(datum.clone()),
            None => Err(wrong(&port.name, format!("is missing; expected {}", port.fact))),
        };
        self.inputs().iter().map(find).collect()
    }

    /// Runs the model on inputs in order, for as long as the limits allow.
    ///
    /// # Errors
    /// As [`Session::run`], and when a limit is reached.
    pub fn run_within(&self, inputs: &[Datum], limits: &Limits<'_>) -> Result<Vec<Datum>, GraphError> {
        self.split(|| self.runner.run(inputs, limits))
    }

    /// As [`Session::run_within`], into arrays of the caller, in order of the outputs: an array that has an output's type
    /// and shape and shares its storage with nobody is written to, others are replaced. With such arrays a run, but for
    /// the first of its input shapes, allocates nothing.
    ///
    /// # Errors
    /// As [`Session::run_within`], and when there are not as many arrays as outputs.
    pub fn run_into(&self, inputs: &[Datum], limits: &Limits<'_>, outputs: &mut [Datum]) -> Result<(), GraphError> {
        self.split(|| self.runner.run_into(inputs, limits, outputs))
    }

    fn split<R>(&self, run: impl FnOnce() -> R) -> R {
        match &self.runtime {
            Some(runtime) => runtime.install(|_| run()),
            None => run(),
        }
    }

    /// How long runs took, if that is measured.
    pub fn latency(&self) -> Latency {
        self.runner.latency()
    }

    /// How long each node took, if that is measured, the slowest first.
    pub fn profile(&self) -> Vec<NodeTime> {
        self.runner.profile()
    }

    /// Memory that it holds.
    pub fn memory(&self) -> Memory {
        self.runner.memory()
    }

    /// Frees what threads keep for their next run, except where one is running.
    pub fn trim(&self) -> usize {
        self.runner.trim()
    }
}

impl Loaded {
    fn new(file: &ModelFile, plain: bool) -> Result<Loaded, OnnxError> {
        let model = file.model()?;
        let external: ExternalData = file.external_data();
        let passes = if plain { vec![] } else { passes() };
        let Imported { graph, inputs, outputs, declared } = import(&model, &external, &passes)?;
        let plan = Plan::new(graph).map_err(crate::Fault::from)?;
        let graph = plan.graph();
        let ports = |names: Vec<String>, ids: &[freelane_graph::ValueId]| -> Vec<Port> {
            let port = |(name, id): (String, &freelane_graph::ValueId)| Port { name, fact: graph.fact(*id).clone() };
            names.into_iter().zip(ids).map(port).collect()
        };
        let inputs = ports(inputs, graph.inputs());
        let mut outputs = ports(outputs, graph.outputs());
        outputs.iter_mut().zip(&declared).for_each(|(port, told)| port.fact = port.fact.or(told));
        let text = |s: &str| s.to_owned();
        let metadata = Metadata {
            producer: [model.producer_name, model.producer_version].join(" ").trim().to_owned(),
            graph: model.graph.as_deref().map_or_else(String::new, |g| text(g.name)),
            description: text(model.doc_string),
            version: model.model_version,
            properties: model.metadata_props.iter().map(|p| (text(p.key), text(p.value))).collect(),
        };
        Ok(Loaded { plan: Arc::new(plan), inputs, outputs, metadata })
    }
}
