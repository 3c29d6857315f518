//! Memory and threads: sharing, statistics, trimming, a runtime in scope.
use crate::errors::to_py;
use crate::native::Native;
use crate::{detach, object};
use freelane::mem::{self, OwnerStats, stats};
use freelane::{Lane, Runtime};
use pyo3::types::PyDict;
use pyo3::{exceptions as exc, prelude::*};
use std::sync::Arc;

pub(crate) static FUNCTIONS: &[Native] = &[
    Native {
        signature: "share(x, /)",
        doc: "Makes an array one that any number of threads read, and returns it.\n\nFrom now on nobody can write to it (x += 1 \
              gives x a new array), and reading it writes no memory: on free-threaded builds\nits references are not counted \
              either, so it is freed by the collector and not at once.\nMemory that belongs to another library stays its own: what that writes shows. freelane.array(a) copies it first.\n\n>>> table = freelane.share(freelane.arange(3))\n\
              >>> table.is_shared\nTrue",
        run: |_, args| {
            object::share(args.required(0))?;
            Ok(args.required(0).clone())
        },
    },
    Native {
        signature: "trim()",
        doc: "Gives memory that is kept for reuse back to the system and returns the number of its bytes.\n\nIt is that of the \
              calling thread and that which no thread keeps for itself.",
        run: |py, _| {
            let given = detach::detached(py, || freelane::fft::forget_plans() + Lane::with(Lane::trim) + mem::trim());
            Ok(given.into_pyobject(py)?.into_any())
        },
    },
    Native {
        signature: "stats(*, enable=None, reset=False)",
        doc: "Memory in use, as a dictionary.\n\nenable switches counting on or off (it is off at first, and costs a nanosecond \
              an allocation when on); reset starts counting anew.\nlive_bytes and live_blocks are signed: they run from the \
              moment counting was switched on.",
        run: |py, args| {
            match args.some(0).map(Bound::is_truthy).transpose()? {
                Some(true) => stats::enable(),
                Some(false) => stats::disable(),
                None => {}
            }
            if args.flag(1)? {
                stats::reset();
            }
            statistics(py).map(Bound::into_any)
        },
    },
    Native {
        signature: "_set_detach_threshold(seconds, /)",
        doc: "From which estimated time on work runs detached from the interpreter; at first 5e-6 with a global lock, 50e-6 without.",
        run: |py, args| {
            let seconds: f64 = args.required(0).extract()?;
            let valid = seconds >= 0.0;
            if !valid {
                return Err(exc::PyValueError::new_err(format!("a time cannot be {seconds}")));
            }
            detach::set_threshold_ns((seconds * 1e9) as u64);
            Ok(py.None().into_bound(py))
        },
    },
];

fn statistics(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = stats::snapshot();
    let dict = owner(py, &all.total)?;
    dict.set_item("enabled", stats::is_enabled())?;
    dict.set_item("lanes", all.lanes)?;
    dict.set_item("kept_by_lanes", all.lane_bytes)?;
    dict.set_item("kept_in_depot", all.depot_bytes)?;
    dict.set_item("waiting_for_release", all.backlog_bytes)?;
    let owners = PyDict::new(py);
    for o in &all.owners {
        owners.set_item(&o.name, owner(py, o)?)?;
    }
    dict.set_item("owners", owners)?;
    Ok(dict)
}

fn owner<'py>(py: Python<'py>, o: &OwnerStats) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("allocations", o.allocations)?;
    dict.set_item("allocated_bytes", o.allocated_bytes)?;
    dict.set_item("frees", o.frees)?;
    dict.set_item("live_blocks", o.live_blocks)?;
    dict.set_item("live_bytes", o.live_bytes)?;
    Ok(dict)
}

/// parallel(threads=None, /)
/// --
///
/// Threads for large operations: inside of `with freelane.parallel(4):` an operation of this thread that takes longer than
/// some 20 us is split over four threads. The bits are the same as without. Without a number, as many threads as the
/// machine grants. The object can be used again, which saves starting the threads anew.
///
/// >>> with freelane.parallel(2) as p:
/// ...     p.threads
/// 2
#[pyclass(name = "parallel", module = "freelane", frozen)]
pub(crate) struct Parallel {
    runtime: Arc<Runtime>,
}

#[pymethods]
impl Parallel {
    #[new]
    #[pyo3(signature = (threads=None, /))]
    fn new(py: Python<'_>, threads: Option<i64>) -> PyResult<Parallel> {
        let threads = match threads {
            None => Runtime::available(),
            Some(n) => usize::try_from(n)
                .map_err(|_| exc::PyValueError::new_err(format!("parallel: threads must be at least 1, not {n}")))?,
        };
        let runtime = py.detach(|| Runtime::new(threads)).map_err(to_py)?;
        Ok(Parallel { runtime: Arc::new(runtime) })
    }

    /// How many threads there are, the calling one among them.
    #[getter]
    fn threads(&self) -> usize {
        self.runtime.threads()
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        Lane::with(|lane| lane.push_runtime(slf.runtime.clone()));
        slf
    }

    #[pyo3(signature = (*_reason))]
    fn __exit__(&self, _reason: &Bound<'_, PyAny>) -> PyResult<()> {
        match Lane::with(Lane::pop_runtime) {
            Some(_) => Ok(()),
            None => Err(exc::PyRuntimeError::new_err("parallel: this thread has not entered the block that it leaves")),
        }
    }

    fn __repr__(&self) -> String {
        format!("freelane.parallel({})", self.runtime.threads())
    }
}
