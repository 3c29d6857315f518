//! The function that Python calls: finds the plan of its arguments, or traces.
use super::record::failed;
use super::tree::{Leaves, Tree, traced, tracers};
use crate::nested::{Nested, Of};
use crate::{detach, errors, object};
use freelane::Lane;
use freelane::graph::{Datum, Limits, Runner, Signatures, compile};
use freelane_sync::atomic::{AtomicU64, Ordering};
use pyo3::exceptions as exc;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

/// Plans that a function keeps.
const MOST_PLANS: usize = 64;

/// Different static arguments that are told apart; then all are forgotten.
const MOST_STATIC: usize = 1024;

/// Elements of the largest array from which a run of one group is taken to be long; others always are.
const MANY: usize = 4096;

/// Calls of such functions that may lie in each other.
const MOST_CALLS: u32 = 256;

/// A function that runs as a plan; freelane.jit makes one.
#[pyclass(name = "Jit", module = "freelane", frozen, dict, weakref)]
pub(super) struct Jit {
    function: Py<PyAny>,
    /// Parameters that are looked at when the function is traced alone, and their positions.
    static_names: Vec<String>,
    static_positions: Vec<usize>,
    /// The numbers of static arguments.
    static_numbers: Py<PyDict>,
    // LEDGER: the function; counted up for static arguments that are new
    next_number: AtomicU64,
    plans: Signatures<Traced>,
}

/// A function that was traced.
struct Traced {
    runner: Option<Runner>,
    result: Tree,
    long: bool,
}

#[pymethods]
impl Jit {
    #[new]
    fn new<'py>(
        py: Python<'py>,
        function: Py<PyAny>,
        static_names: Vec<String>,
        static_positions: Vec<usize>,
    ) -> PyResult<Bound<'py, Jit>> {
        if !function.bind(py).is_callable() {
            return Err(exc::PyTypeError::new_err("jit: the function must be callable"));
        }
        let static_numbers = PyDict::new(py).unbind();
        let plans = Signatures::new(MOST_PLANS);
        let next_number = AtomicU64::new(0);
        let jit = Jit { function, static_names, static_positions, static_numbers, next_number, plans };
        let jit = Bound::new(py, jit)?;
        object::defer(&jit);
        Ok(jit)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _nested = Nested::enter(
            Of::Jitted,
            MOST_CALLS,
            "jit: calls of jitted functions lie in each other more than 256 deep",
        )?;
        let kwargs = kwargs.filter(|named| !named.is_empty());
        let leaves = self.read(args, kwargs)?;
        if leaves.traced {
            return self.function.bind(py).call(args, kwargs);
        }
        let (lane, epoch) = (Lane::with(Lane::index), self.plans.epoch());
        if let Some(found) = self.plans.find(lane, &leaves.key) {
            return found.run(py, &leaves.arrays);
        }
        let traced = self.trace(py, args, kwargs, &leaves)?;
        let done = traced.run(py, &leaves.arrays);
        self.plans.add(epoch, &leaves.key, traced);
        done
    }

    /// As a method, the function of an object.
    fn __get__<'py>(
        slf: &Bound<'py, Self>,
        object: Option<&Bound<'py, PyAny>>,
        _kind: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match object.filter(|o| !o.is_none()) {
            None => Ok(slf.clone().into_any()),
            Some(object) => slf.py().import("types")?.call_method1("MethodType", (slf, object)),
        }
    }

    /// The operations that run for such arguments, after all passes, as text.
    #[pyo3(signature = (*args, **kwargs))]
    fn graph(&self, py: Python<'_>, args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
        let leaves = self.read(args, kwargs)?;
        if leaves.traced {
            return Err(errors::of_class("TraceError", "graph: call it outside of traced functions".to_owned()));
        }
        let traced = self.trace(py, args, kwargs, &leaves)?;
        Ok(traced.runner.map_or_else(String::new, |runner| runner.plan().graph().to_string()))
    }

    /// Number of plans that it keeps.
    fn plans(&self, py: Python<'_>) -> usize {
        py.detach(|| self.plans.len())
    }

    /// Forgets all plans.
    fn clear(&self) {
        self.plans.clear();
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("freelane.jit({})", self.function.bind(py).repr()?))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.function)?;
        visit.call(&self.static_numbers)
    }
}

impl Jit {
    fn read(&self, args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Leaves> {
        let mut leaves = Leaves::default();
        let number = |object: &Bound<'_, PyAny>| self.static_number(object);
        for (i, object) in args.iter_borrowed().enumerate() {
            if self.static_positions.contains(&i) {
                leaves.fixed(&object, &number)?;
            } else {
                leaves.read("an argument", &object, 0)?;
            }
        }
        for (name, object) in kwargs.into_iter().flatten() {
            let name = name.cast::<PyString>()?.to_str()?.to_owned();
            leaves.name(&name);
            if self.static_names.contains(&name) {
                leaves.fixed(&object, &number)?;
            } else {
                leaves.read(&name, &object, 0)?;
            }
        }
        for (at, kind) in std::mem::take(&mut leaves.kinds) {
            leaves.key[at] = self.static_number(kind.bind(args.py()))?;
        }
        Ok(leaves)
    }

    /// A number that equal objects of one type have.
    fn static_number(&self, object: &Bound<'_, PyAny>) -> PyResult<u64> {
        let py = object.py();
        let numbers = self.static_numbers.bind(py);
        let key = (object.get_type(), object).into_pyobject(py)?;
        let unhashable = |e: PyErr| {
            if !e.is_instance_of::<exc::PyTypeError>(py) {
                return e;
            }
            let wrong = exc::PyTypeError::new_err(format!("jit: a static argument must be hashable: {e}"));
            wrong.set_cause(py, Some(e));
            wrong
        };
        if let Some(number) = numbers.get_item(&key).map_err(unhashable)? {
            return number.extract();
        }
        if numbers.len() >= MOST_STATIC {
            numbers.clear();
        }
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        numbers.set_item(key, number)?;
        Ok(number)
    }

    #[cold]
    fn trace(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
        leaves: &Leaves,
    ) -> PyResult<Traced> {
        let (inputs, objects) = tracers(py, &leaves.arrays)?;
        let mut next = objects.into_iter();
        let mut positional = vec![];
        for (i, object) in args.iter().enumerate() {
            let fixed = self.static_positions.contains(&i);
            positional.push(if fixed { object } else { traced(&object, &mut next)? });
        }
        let named = PyDict::new(py);
        for (name, object) in kwargs.into_iter().flatten() {
            let fixed = self.static_names.contains(&name.extract::<String>()?);
            named.set_item(name, if fixed { object } else { traced(&object, &mut next)? })?;
        }
        let made = self.function.bind(py).call(PyTuple::new(py, positional)?, Some(&named))?;
        let mut outputs = vec![];
        let result = Tree::read(&made, &mut outputs, 0)?;
        if outputs.is_empty() {
            return Ok(Traced { runner: None, result, long: false });
        }
        let runner = detach::detached(py, || Lane::with(|lane| compile(lane, &inputs, &outputs)));
        let runner = runner.map_err(|e| failed(&e))?;
        let elements = |v: &freelane::graph::Value| v.fact.known_shape().map(|s| s.iter().product::<usize>());
        let graph = runner.plan().graph();
        let several = graph.nodes().len() > 1 || graph.nodes().iter().any(|node| node.op.program().is_none());
        let long = several || graph.values().iter().any(|v| elements(v).is_none_or(|n| n >= MANY));
        Ok(Traced { runner: Some(runner), result, long })
    }
}

impl Traced {
    fn run<'py>(&self, py: Python<'py>, arrays: &[Datum]) -> PyResult<Bound<'py, PyAny>> {
        let outputs = match &self.runner {
            None => vec![],
            Some(runner) => {
                let cost = if self.long { u64::MAX } else { 0 };
                let done = detach::run(py, cost, || runner.run(arrays, &Limits::default()));
                done.map_err(|e| failed(&e))?
            }
        };
        let mut outputs: Vec<Option<Datum>> = outputs.into_iter().map(Some).collect();
        self.result.object(py, &mut outputs)
    }
}
