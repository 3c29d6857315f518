//! Models: `freelane.Session`.
use crate::cancel::Cancel;
use crate::errors::to_py;
use crate::{creation, detach, object};
use freelane::Runtime;
use freelane::graph::{Datum, Limits, Measure};
use freelane::onnx::{self, Port, SessionOptions};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::types::{PyByteArray, PyDict, PyList, PyTuple};
use pyo3::{exceptions as exc, prelude::*};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// An ONNX model, loaded once and run from any number of threads at once: no run waits for another, and none writes memory
/// that another reads. model is a path or bytes. threads splits large operations of each run; profile measures every node.
///
/// >>> session = freelane.Session("model.onnx")              # doctest: +SKIP
/// >>> session.run({"x": x})                                  # doctest: +SKIP
/// [array([[0.1, 0.9]], dtype=float32)]
#[pyclass(name = "Session", module = "freelane", frozen)]
pub(crate) struct Session {
    session: onnx::Session,
    profiled: bool,
}

#[pymethods]
impl Session {
    #[new]
    #[pyo3(signature = (model, /, *, threads=1, profile=false, optimize=true))]
    fn new<'py>(
        py: Python<'py>,
        model: &Bound<'py, PyAny>,
        threads: i64,
        profile: bool,
        optimize: bool,
    ) -> PyResult<Bound<'py, Session>> {
        let threads = usize::try_from(threads).ok().filter(|&n| n > 0);
        let threads = threads.ok_or_else(|| exc::PyValueError::new_err("Session: threads must be at least 1"))?;
        let runtime = match threads {
            1 => None,
            n => Some(Arc::new(py.detach(|| Runtime::new(n)).map_err(to_py)?)),
        };
        let measure = if profile { Measure::Nodes } else { Measure::Nothing };
        let options = SessionOptions { measure, runtime, plain: !optimize };
        let session = match model.extract::<PathBuf>() {
            Ok(path) => py.detach(|| onnx::Session::open(path, &options)),
            Err(_) => {
                let array = model.cast::<PyByteArray>().map(|b| b.to_vec());
                let bytes: Vec<u8> = model.extract::<&[u8]>().map(<[u8]>::to_vec).or(array).or_else(|_| {
                    let wrong = || exc::PyTypeError::new_err("Session: model must be a path or bytes");
                    model.call_method0("tobytes").map_err(|_| wrong())?.extract().map_err(|_| wrong())
                })?;
                py.detach(|| onnx::Session::from_bytes(bytes, &options))
            }
        };
        let session = Bound::new(py, Session { session: session.map_err(to_py)?, profiled: profile })?;
        object::defer(&session);
        Ok(session)
    }

    /// Runs the model and returns its outputs as a list. Inputs are a dictionary by name, a list in order, or named
    /// arguments; numbers and lists of them take the type that the model asks for. After timeout seconds the run ends
    /// with TimeoutError, and with CancelledError once another thread calls cancel.cancel().
    #[pyo3(signature = (inputs=None, /, *, timeout=None, cancel=None, **named))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        inputs: Option<&Bound<'py, PyAny>>,
        timeout: Option<f64>,
        cancel: Option<&Bound<'py, Cancel>>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let inputs = self.inputs_of(inputs, named)?;
        let limit = |s: f64| {
            if s == f64::INFINITY {
                return Ok(None);
            }
            let wrong = |_| exc::PyValueError::new_err(format!("timeout: {s} is no number of seconds from 0 on"));
            let span = Duration::try_from_secs_f64(s).map_err(wrong)?;
            Ok::<_, PyErr>(Instant::now().checked_add(span))
        };
        let deadline = timeout.map(limit).transpose()?.flatten();
        let limits = Limits { deadline, cancel: cancel.map(|c| &c.get().0), ..Limits::default() };
        let outputs = detach::detached(py, || self.session.run_within(&inputs, &limits)).map_err(to_py)?;
        PyList::new(py, outputs.into_iter().map(|d| to_object(py, d)).collect::<PyResult<Vec<_>>>()?)
    }

    /// The model's inputs: tuples of name, dtype and shape. An axis whose length is open has a name or None.
    #[getter]
    fn inputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        described(py, self.session.inputs())
    }

    /// The model's outputs, as its inputs.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        described(py, self.session.outputs())
    }

    /// What the model says of itself.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (m, dict) = (self.session.metadata(), PyDict::new(py));
        dict.set_item("producer", &m.producer)?;
        dict.set_item("graph", &m.graph)?;
        dict.set_item("description", &m.description)?;
        dict.set_item("version", m.version)?;
        let properties = PyDict::new(py);
        m.properties.iter().try_for_each(|(key, value)| properties.set_item(key, value))?;
        dict.set_item("properties", properties)?;
        Ok(dict)
    }

    /// Time of each node, the slowest first: tuples of node, operator, runs and seconds. Needs profile=True.
    fn profile(&self) -> PyResult<Vec<(String, String, u64, f64)>> {
        if !self.profiled {
            return Err(exc::PyRuntimeError::new_err("profile: make the session with profile=True"));
        }
        let times = self.session.profile().into_iter();
        Ok(times.map(|t| (t.node, t.op, t.runs, t.total.as_secs_f64())).collect())
    }

    /// Bytes of the weights, which sessions of the same model share, lanes that keep tables for their next run, and bytes
    /// that the values of a run need.
    fn memory<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (m, dict) = (self.session.memory(), PyDict::new(py));
        dict.set_item("weights", m.constants)?;
        dict.set_item("lanes", m.lanes)?;
        dict.set_item("values", m.values)?;
        Ok(dict)
    }

    /// Frees what threads keep for their next run.
    fn trim(&self, py: Python<'_>) -> usize {
        detach::detached(py, || self.session.trim())
    }

    /// It holds no Python objects; being asked makes it one whose references need not be counted.
    #[expect(clippy::unnecessary_wraps, reason = "the collector's protocol")]
    fn __traverse__(&self, _visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        Ok(())
    }

    fn __repr__(&self) -> String {
        let shown =
            |ports: &[Port]| ports.iter().map(|p| format!("{}: {}", p.name, p.fact)).collect::<Vec<_>>().join(", ");
        format!("freelane.Session({} -> {})", shown(self.session.inputs()), shown(self.session.outputs()))
    }
}

impl Session {
    fn inputs_of<'py>(
        &self,
        inputs: Option<&Bound<'py, PyAny>>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Vec<Datum>> {
        let mut given: Vec<(String, Bound<'py, PyAny>)> = vec![];
        let mut take = |dict: &Bound<'py, PyDict>| -> PyResult<()> {
            for (name, value) in dict.iter() {
                given.push((name.extract()?, value));
            }
            Ok(())
        };
        if let Some(dict) = named {
            take(dict)?;
        }
        match inputs {
            None => (),
            Some(inputs) => match inputs.cast::<PyDict>() {
                Ok(dict) => take(dict)?,
                Err(_) if !inputs.is_instance_of::<PyList>() && !inputs.is_instance_of::<PyTuple>() => {
                    let message = "run: inputs must be a dictionary by name or a list in order, not one array";
                    return Err(exc::PyTypeError::new_err(message));
                }
                Err(_) => {
                    let ports = self.session.inputs();
                    for (i, value) in inputs.try_iter()?.enumerate() {
                        let extra =
                            || exc::PyTypeError::new_err(format!("run: the model takes {} inputs", ports.len()));
                        given.push((ports.get(i).ok_or_else(extra)?.name.clone(), value?));
                    }
                }
            },
        }
        let port = |name: &str| self.session.inputs().iter().find(|p| p.name == name);
        let data = given.iter().map(|(name, value)| Ok((name.as_str(), to_datum(value, port(name))?)));
        let data = data.collect::<PyResult<Vec<_>>>()?;
        self.session.in_order(&data).map_err(to_py)
    }
}

/// What Python gives a model. Numbers and lists of them become arrays of the type that the model takes.
fn to_datum(value: &Bound<'_, PyAny>, port: Option<&Port>) -> PyResult<Datum> {
    if value.is_none() {
        return Ok(Datum::Optional(None));
    }
    if port.is_none_or(|p| p.fact.dtype.is_none())
        && let Ok(list) = value.cast::<PyList>()
        && list
            .iter()
            .next()
            .is_some_and(|first| object::is_array(&first) || first.hasattr("__array__").unwrap_or(false))
    {
        return Ok(Datum::Sequence(list.iter().map(|item| to_datum(&item, None)).collect::<PyResult<_>>()?));
    }
    let own = object::is_array(value) || value.hasattr("dtype")?;
    let dtype = port.and_then(|p| p.fact.dtype).filter(|_| !own);
    Ok(creation::array_of(value, dtype, None)?.into())
}

fn to_object(py: Python<'_>, datum: Datum) -> PyResult<Bound<'_, PyAny>> {
    match datum {
        Datum::Array(array) => object::wrap(py, array.into()),
        Datum::Sequence(items) => {
            let items = items.into_iter().map(|d| to_object(py, d)).collect::<PyResult<Vec<_>>>()?;
            Ok(PyList::new(py, items)?.into_any())
        }
        Datum::Optional(None) => Ok(py.None().into_bound(py)),
        Datum::Optional(Some(inner)) => to_object(py, *inner),
    }
}

fn described<'py>(py: Python<'py>, ports: &[Port]) -> PyResult<Bound<'py, PyList>> {
    let one = |port: &Port| -> PyResult<Bound<'py, PyAny>> {
        let dtype = port.fact.dtype.map(freelane::DType::name);
        let dims = port.fact.shape.as_ref().map(|shape| {
            let dim = |d: &freelane::graph::Dim| -> PyResult<Bound<'py, PyAny>> {
                Ok(match d {
                    freelane::graph::Dim::Known(n) => n.into_pyobject(py)?.into_any(),
                    freelane::graph::Dim::Named(name) => (&**name).into_pyobject(py)?.into_any(),
                    freelane::graph::Dim::Unknown => py.None().into_bound(py),
                })
            };
            PyTuple::new(py, shape.iter().map(dim).collect::<PyResult<Vec<_>>>()?)
        });
        Ok((port.name.as_str(), dtype, dims.transpose()?).into_pyobject(py)?.into_any())
    };
    PyList::new(py, ports.iter().map(one).collect::<PyResult<Vec<_>>>()?)
}
