//! Operators out of closures.
use super::Spec;
use super::given::listed;
use crate::Fault;
use freelane_array::{ArrayData, DType};
use freelane_graph::{Call, Fact, GraphError, Operator, Run};
use freelane_ops::{Array, UFunc};
use smallvec::SmallVec;
use std::sync::Arc;

type Infer = Box<dyn Fn(&[Option<&Fact>], usize) -> Result<Vec<Fact>, GraphError> + Send + Sync>;

/// An operator that is a closure.
pub(crate) struct Op<R> {
    name: String,
    key: Option<String>,
    pure: bool,
    infer: Option<Infer>,
    held: Option<Box<dyn Fn() -> usize + Send + Sync>>,
    run: R,
}

impl<R: Fn(&mut Run<'_>) -> Result<(), GraphError> + Send + Sync + 'static> Op<R> {
    /// The operator of a node: what it does.
    pub fn new(spec: &Spec<'_>, run: R) -> Op<R> {
        Op { name: spec.name.to_owned(), key: spec.key(), pure: true, infer: None, held: None, run }
    }

    /// What is known of its outputs, by what is known of its inputs.
    pub fn infer(
        mut self,
        infer: impl Fn(&[Option<&Fact>], usize) -> Result<Vec<Fact>, GraphError> + Send + Sync + 'static,
    ) -> Op<R> {
        self.infer = Some(Box::new(infer));
        self
    }

    /// The output has the type and shape of input 0.
    pub fn like_input(self) -> Op<R> {
        self.infer(|facts, outputs| {
            let mut known = vec![Fact::unknown(); outputs];
            if let (Some(first), Some(Some(x))) = (known.first_mut(), facts.first()) {
                *first = Fact { constant: None, ..(*x).clone() };
            }
            Ok(known)
        })
    }

    /// The output has the type of input 0.
    pub fn of_input_dtype(self) -> Op<R> {
        self.infer(|facts, outputs| {
            let dtype = facts.first().and_then(|x| x.as_ref()?.dtype);
            Ok(vec![Fact { dtype, ..Fact::default() }; outputs])
        })
    }

    /// The outputs have a type.
    pub fn of_dtype(self, dtype: DType) -> Op<R> {
        self.infer(move |_, outputs| Ok(vec![Fact::of_dtype(dtype); outputs]))
    }

    /// It keeps weights in a form of its own, of so many bytes.
    pub fn holding(mut self, held: impl Fn() -> usize + Send + Sync + 'static) -> Op<R> {
        self.held = Some(Box::new(held));
        self
    }

    /// Two runs with equal inputs may differ.
    pub fn impure(mut self) -> Op<R> {
        self.pure = false;
        self
    }

    /// The operator.
    pub fn done(self) -> Result<Arc<dyn Operator>, Fault> {
        Ok(Arc::new(self))
    }
}

impl<R: Fn(&mut Run<'_>) -> Result<(), GraphError> + Send + Sync + 'static> Operator for Op<R> {
    fn name(&self) -> &str {
        &self.name
    }

    fn infer(&self, inputs: &[Option<&Fact>], outputs: usize) -> Result<Vec<Fact>, GraphError> {
        match &self.infer {
            Some(infer) => infer(inputs, outputs),
            None => Ok(vec![Fact::unknown(); outputs]),
        }
    }

    fn run(&self, cx: &mut Run<'_>) -> Result<(), GraphError> {
        (self.run)(cx)
    }

    fn is_pure(&self) -> bool {
        self.pure
    }

    fn held_bytes(&self) -> usize {
        self.held.as_ref().map_or(0, |held| held())
    }

    fn key(&self) -> Option<String> {
        self.key.clone()
    }
}

/// An elementwise function as an operator.
pub(crate) fn ufunc(f: &'static UFunc) -> Result<Arc<dyn Operator>, Fault> {
    Ok(Arc::new(Call::ufunc(f)))
}

/// Numbers, of which there may be more than memory: a stretched array has more elements than bytes.
fn few(count: usize, numbers: impl Iterator<Item = i64>) -> Result<SmallVec<[i64; 8]>, GraphError> {
    if count > 8 {
        return Ok(listed(count, numbers)?.into());
    }
    Ok(numbers.collect())
}

/// The numbers of an integer tensor.
pub(crate) fn ints_of(array: &ArrayData) -> Result<SmallVec<[i64; 8]>, GraphError> {
    match array.dtype() {
        DType::I64 => few(array.layout().len(), array.view::<i64>()?.iter()),
        DType::I32 => few(array.layout().len(), array.view::<i32>()?.iter().map(i64::from)),
        dtype if dtype.is_integer() => Ok(Array::from(array.clone()).astype(DType::I64)?.to_vec::<i64>()?.into()),
        other => Err(GraphError::invalid(format!("expected integers, found {other}"))),
    }
}
