//! A parallel array runtime whose threads share nothing on the hot path.
//!
//! ```
//! use freelane::{Array, Runtime, Slice};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let x = Array::arange(0, 12, 1)?.reshape(&[3, 4])?.astype(freelane::DType::F64)?;
//! let centred = &x - x.mean(1, true)?;
//! let deviation = centred.square()?.mean(.., false)?.sqrt()?;
//! assert_eq!(deviation.item::<f64>()?, 1.25_f64.sqrt());
//! let last_two = x.index(&[Slice::all().into(), Slice { start: Some(-2), stop: None, step: 1 }.into()])?;
//! assert_eq!(last_two.to_vec::<f64>()?, [2.0, 3.0, 6.0, 7.0, 10.0, 11.0]);
//! let runtime = Runtime::new(2)?;
//! let same = runtime.install(|_| x.sin())?;
//! assert_eq!(same.to_vec::<f64>()?, x.sin()?.to_vec::<f64>()?);
//! # Ok(())
//! # }
//! ```
//!
//! A function of arrays becomes a plan, whose elementwise parts run in one pass over memory, with the bits of one call after
//! another:
//!
//! ```
//! use freelane::{Array, fuse};
//!
//! let wave = fuse(|[x, y]| Ok(2.0 * x.sin()? * y.cos()? + x * y));
//! let x = Array::from_vec(vec![0.5, 1.0, 1.5], &[3])?;
//! let z = wave.call([&x, &x])?.remove(0);
//! let apart = x.sin()?.multiply(2.0)?.multiply(&x.cos()?)?.add(&x.square()?)?;
//! assert_eq!(z.to_vec::<f64>()?, apart.to_vec::<f64>()?);
//! # Ok::<(), freelane::graph::GraphError>(())
//! ```
//!
//! Calls run on their caller's thread, so that N threads of yours do N times the work; a [`Runtime`] in scope splits large
//! loops over its own threads, with the same bits as without. Each part is a crate that can be used alone:
//!
//! | part | crate |
//! | --- | --- |
//! | [`Array`], functions as rows ([`UFunc`], [`Reduction`], [`Op`]) | `freelane-ops` |
//! | [`DType`], [`Layout`], [`ArrayData`] | `freelane-array` |
//! | [`linalg`] | `freelane-linalg` |
//! | [`fft`] | `freelane-fft` |
//! | [`random`] | `freelane-random` |
//! | [`fuse`]: functions that run as plans, [`Expr`] | `freelane-graph` |
//! | [`graph`]: operations as a graph, plans that threads share | `freelane-graph` |
//! | [`onnx`]: models as graphs | `freelane-onnx` |
//! | [`load`], [`save`], [`io`] | `freelane-io` |
//! | [`Runtime`], [`Lane`] | `freelane-pool` |
//! | [`mem`]: buffers, statistics, limits, `trim` | `freelane-mem` |
#![forbid(unsafe_code)]

pub use freelane_array::{ArrayView, Element, Kind, Layout, broadcast_shapes};
pub use freelane_fft as fft;
pub use freelane_graph as graph;
pub use freelane_graph::{Expr, Fused, fuse};
pub use freelane_io as io;
pub use freelane_io::{IoError, load, save};
pub use freelane_linalg as linalg;
pub use freelane_mem as mem;
pub use freelane_onnx as onnx;
pub use freelane_ops::{
    Array, ArrayData, ArrayError, Axes, Callable, DType, Function, Gradient, Index, IndexItem, Isa, IsaError, Op,
    Operand, OpsError, Outputs, ReduceArgs, Reduction, Registered, Registry, Run, Scalar, Slice, Tolerance, UFunc,
    UserFunc, UserReduction, Value, broadcast_arrays, concat, function, meshgrid, nonzero, promote_types, reductions,
    result_type, stack, ufuncs,
};
pub use freelane_pool::{Lane, PoolError, Runtime};
pub use freelane_random as random;

/// The structured operations of each namespace; those of the main one are in the tables of `freelane-ops`.
const NAMESPACES: &[(&str, &[&Op])] = &[("linalg", linalg::OPS), ("fft", fft::OPS), ("random", random::OPS)];

/// Every function with the namespace it belongs to, which has no name for the main one.
///
/// ```
/// assert!(freelane::functions().any(|(namespace, f)| namespace.is_empty() && f.name() == "sin"));
/// ```
pub fn functions() -> impl Iterator<Item = (&'static str, Function)> {
    let others =
        NAMESPACES.iter().flat_map(|&(namespace, ops)| ops.iter().map(move |&op| (namespace, Function::Op(op))));
    Function::all().map(|f| ("", f)).chain(others)
}

/// The functions of all namespaces, to which a program may add its own.
///
/// ```
/// use freelane::{Array, Lane, UserFunc, Value};
/// let mut registry = freelane::registry();
/// registry.add(UserFunc::builder("half", &["x"]).map(|x: f64| x / 2.0).register()?)?;
/// let x = Value::Array(Array::from_vec(vec![3.0], &[1])?);
/// let half = registry.get("", "half").expect("just added");
/// let y = Lane::with(|lane| half.call(lane, &[x], &[]))?.one().expect("one array");
/// assert_eq!(y.to_vec::<f64>()?, [1.5]);
/// # Ok::<(), freelane::OpsError>(())
/// ```
pub fn registry() -> Registry {
    Registry::new(functions())
}

/// What most programs use.
pub mod prelude {
    pub use crate::{Array, DType, Index, Lane, OpsError, Runtime, Scalar, Slice, concat, load, mem, save, stack};
}
