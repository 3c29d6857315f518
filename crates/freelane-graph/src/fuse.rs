//! Functions of arrays that become plans: one for each set of types and shapes.
use crate::expr::{Expr, trace};
use crate::{Datum, Graph, GraphError, Limits, Plan, Runner, Signatures, passes};
use freelane_ops::Array;
use freelane_pool::Lane;
use smallvec::SmallVec;
use std::sync::Arc;

/// Sets of types and shapes that a function keeps plans for.
const MOST_PLANS: usize = 64;

type Made = Result<Vec<Expr>, GraphError>;

/// A function that runs as a plan: elementwise functions in groups, one pass over memory for each. It is traced, which means
/// called with expressions, at the first call with arrays of some types and shapes, and never again for those; any number of
/// threads call it at once.
///
/// ```
/// use freelane_graph::fuse;
/// use freelane_ops::Array;
///
/// let f = fuse(|[a, b, c, d]| a * b + c - d);
/// let x = Array::from_slice(&[1.0, 2.0, 3.0])?;
/// let y = f.call([&x, &x, &x, &x])?;
/// assert_eq!(y[0].to_vec::<f64>()?, [1.0, 4.0, 9.0]);
///
/// let normed = fuse(|[x]| {
///     let centred = &x - x.mean(-1, true)?;
///     let spread = centred.square()?.mean(-1, true)?.sqrt()?;
///     Ok((centred / &spread, spread))
/// });
/// assert_eq!(normed.call([&x])?.len(), 2);
/// # Ok::<(), freelane_graph::GraphError>(())
/// ```
pub struct Fused<const N: usize> {
    function: Box<dyn Fn([Expr; N]) -> Made + Send + Sync>,
    plans: Signatures<Runner>,
}

/// What a function of expressions may return: one, several, or either unless it fails.
pub trait Outputs {
    /// The expressions.
    ///
    /// # Errors
    /// What the function says.
    fn into_exprs(self) -> Made;
}

impl Outputs for Expr {
    fn into_exprs(self) -> Made {
        Ok(vec![self])
    }
}

impl Outputs for Vec<Expr> {
    fn into_exprs(self) -> Made {
        Ok(self)
    }
}

impl<const M: usize> Outputs for [Expr; M] {
    fn into_exprs(self) -> Made {
        Ok(self.into())
    }
}

impl Outputs for (Expr, Expr) {
    fn into_exprs(self) -> Made {
        Ok(vec![self.0, self.1])
    }
}

impl Outputs for (Expr, Expr, Expr) {
    fn into_exprs(self) -> Made {
        Ok(vec![self.0, self.1, self.2])
    }
}

impl<O: Outputs> Outputs for Result<O, GraphError> {
    fn into_exprs(self) -> Made {
        self.and_then(O::into_exprs)
    }
}

/// Makes a function of `N` arrays run as a plan. It must compute the same whenever it is called with arrays of the same types
/// and shapes.
pub fn fuse<const N: usize, O: Outputs>(f: impl Fn([Expr; N]) -> O + Send + Sync + 'static) -> Fused<N> {
    Fused { function: Box::new(move |inputs| f(inputs).into_exprs()), plans: Signatures::new(MOST_PLANS) }
}

/// The graph of a function that has been traced, after all passes, with what lanes keep to run it.
///
/// # Errors
/// When an operator refuses its inputs.
pub fn compile(lane: &Lane, inputs: &[Expr], outputs: &[Expr]) -> Result<Runner, GraphError> {
    let mut graph = trace(inputs, outputs)?;
    passes::optimize(lane, &mut graph)?;
    Ok(Runner::new(Arc::new(Plan::new(graph)?)))
}

impl<const N: usize> Fused<N> {
    /// The results for some arrays, in order of the function's.
    ///
    /// # Errors
    /// What the function says while it is traced, and when a function in it refuses the elements of its operands or memory
    /// cannot be had.
    pub fn call(&self, inputs: [&Array; N]) -> Result<Vec<Array>, GraphError> {
        let data = inputs.map(|a| Datum::Array(a.data().clone()));
        let outputs = self.with(&data, |runner| runner.run(&data, &Limits::default()))?;
        let array = |datum| match datum {
            Datum::Array(array) => Ok(array.into()),
            other => Err(GraphError::invalid(format!("made no array, but {}", other.describe()))),
        };
        outputs.into_iter().map(array).collect()
    }

    /// As [`Fused::call`], into arrays of the caller, and with inputs that need not be shared: an array that has an output's
    /// type and shape and shares its storage with nobody is written to, others are replaced.
    ///
    /// ```
    /// use freelane_graph::{Datum, fuse};
    /// use freelane_ops::{Array, DType};
    /// let f = fuse(|[x]| x * 2.0 + 1.0);
    /// let x: Datum = Array::from_slice(&[1.0, 2.0])?.into();
    /// let mut out: [Datum; 1] = [Array::zeros(&[2], DType::F64)?.into()];
    /// let before = out[0].array().unwrap().as_ptr();
    /// f.call_into(&[x], &mut out)?;
    /// assert_eq!(out[0].array().unwrap().as_ptr(), before);
    /// # Ok::<(), freelane_graph::GraphError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Fused::call`], and when there are not as many arrays as outputs.
    pub fn call_into(&self, inputs: &[Datum; N], outputs: &mut [Datum]) -> Result<(), GraphError> {
        self.with(inputs, |runner| runner.run_into(inputs, &Limits::default(), outputs))
    }

    /// The graph that runs for arrays such as these, after all passes.
    ///
    /// # Errors
    /// As [`Fused::call`].
    pub fn graph(&self, inputs: [&Array; N]) -> Result<Graph, GraphError> {
        let data = inputs.map(|a| Datum::Array(a.data().clone()));
        self.with(&data, |runner| Ok(runner.plan().graph().clone()))
    }

    /// Number of plans that it keeps.
    pub fn plans(&self) -> usize {
        self.plans.len()
    }

    fn with<R>(&self, data: &[Datum; N], f: impl FnOnce(&Runner) -> Result<R, GraphError>) -> Result<R, GraphError> {
        let (key, epoch) = (key(data), self.plans.epoch());
        Lane::with(|lane| {
            if let Some(runner) = self.plans.find(lane.index(), &key) {
                return f(&runner);
            }
            let runner = self.compile(lane, data)?;
            let done = f(&runner);
            self.plans.add(epoch, &key, runner);
            done
        })
    }

    #[cold]
    fn compile(&self, lane: &Lane, data: &[Datum; N]) -> Result<Runner, GraphError> {
        let input = |(i, datum): (usize, &Datum)| match datum {
            Datum::Array(array) => Ok(Expr::input(array.clone())),
            other => Err(GraphError::invalid(format!("input {i} must be an array, not {}", other.describe()))),
        };
        let inputs = data.iter().enumerate().map(input).collect::<Result<Vec<Expr>, _>>()?;
        let inputs: [Expr; N] = inputs.try_into().expect("one expression an input");
        let outputs = (self.function)(inputs.clone())?;
        compile(lane, &inputs, &outputs)
    }
}

fn key(data: &[Datum]) -> SmallVec<[u64; 24]> {
    let mut key = SmallVec::new();
    for array in data.iter().filter_map(Datum::array) {
        push_signature(array, &mut key);
    }
    key
}

/// Adds an array's type and shape to a key of [`Signatures`].
#[inline]
pub fn push_signature(array: &freelane_array::ArrayData, key: &mut SmallVec<[u64; 24]>) {
    let shape = array.layout().shape();
    key.push((array.dtype() as u64) << 8 | shape.len() as u64);
    key.extend(shape.iter().map(|&n| n as u64));
}
