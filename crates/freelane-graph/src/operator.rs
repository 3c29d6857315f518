//! What a node does.
use crate::runner::NodeTally;
use crate::{Datum, Fact, GraphError, Limits, Plan, State};
use freelane_array::{ArrayData, DType};
use freelane_ops::InOp;
use freelane_pool::Lane;
use smallvec::SmallVec;
use std::any::Any;
use std::sync::Arc;

/// What a node does to its inputs. One value is shared by all lanes, so whatever a run changes goes to [`Run::with_memo`].
pub trait Operator: Any + Send + Sync {
    /// The operator's name, as its users know it.
    fn name(&self) -> &str;

    /// What is known of the outputs, from what is known of the inputs; a missing input has no fact. Called once, when
    /// the node is put into its graph, so that what cannot work is told then.
    ///
    /// # Errors
    /// When no run with such inputs can succeed.
    fn infer(&self, inputs: &[Option<&Fact>], outputs: usize) -> Result<Vec<Fact>, GraphError> {
        let _ = inputs;
        Ok(vec![Fact::unknown(); outputs])
    }

    /// Computes the outputs.
    ///
    /// # Errors
    /// When the inputs do not fit each other, or memory cannot be had.
    fn run(&self, cx: &mut Run<'_>) -> Result<(), GraphError>;

    /// Whether the outputs depend on the inputs alone, so that a run may be done ahead or saved.
    fn is_pure(&self) -> bool {
        true
    }

    /// What distinguishes this operator from others of its name: two nodes with equal keys and inputs compute the same.
    /// Nothing if that is not known.
    fn key(&self) -> Option<String> {
        None
    }

    /// The operator that does this and then applies a function to its only result, of which `with`, if there is one, is the
    /// other operand, the first one where `flipped`. Nothing if there is no such operator of the same bits.
    fn absorb(
        &self,
        function: &'static freelane_ops::UFunc,
        with: Option<&ArrayData>,
        flipped: bool,
    ) -> Option<Arc<dyn Operator>> {
        let _ = (function, with, flipped);
        None
    }

    /// Bytes of weights that it keeps in a form of its own.
    fn held_bytes(&self) -> usize {
        0
    }

    /// The plans that it runs: branches, or the body of a loop.
    fn bodies(&self) -> Vec<&Arc<Plan>> {
        vec![]
    }

    /// The elementwise function of its inputs, in order, that it is, if it is one: groups of them run tile by tile.
    fn elementwise(&self) -> Option<&'static freelane_ops::UFunc> {
        None
    }

    /// The type that it converts its only input to, if that is what it does: such nodes join groups of elementwise ones.
    fn cast(&self) -> Option<DType> {
        None
    }

    /// The program that computes its only output of all of its inputs, if that is what it does.
    fn program(&self) -> Option<&Arc<freelane_ops::program::Program>> {
        None
    }
}

/// What an operator may need again at the next run of the same shapes.
pub type Memo = Option<Box<dyn Any + Send>>;

/// A node's run: where its inputs are and its outputs go.
pub struct Run<'r> {
    pub(crate) lane: &'r Lane,
    pub(crate) inputs: &'r [Option<&'r Datum>],
    pub(crate) outputs: SmallVec<[Option<Datum>; 2]>,
    pub(crate) wanted: &'r [Option<u32>],
    pub(crate) memo: &'r mut Memo,
    pub(crate) limits: &'r Limits<'r>,
    /// Where the times of the plans that the node runs are noted.
    pub(crate) tally: Option<&'r NodeTally>,
}

/// Runs an operator by itself, outside of any graph, for as long as the limits allow. Returns the outputs that are wanted.
///
/// # Errors
/// Those of the operator, and when a limit is reached.
pub fn run_once(
    lane: &Lane,
    op: &dyn Operator,
    inputs: &[Option<&Datum>],
    wanted: &[bool],
    limits: &Limits<'_>,
) -> Result<SmallVec<[Option<Datum>; 2]>, GraphError> {
    let wanted: SmallVec<[Option<u32>; 4]> = wanted.iter().map(|w| w.then_some(0)).collect();
    let mut outputs = SmallVec::new();
    outputs.resize_with(wanted.len(), || None);
    let memo = &mut None;
    let mut cx = Run { lane, inputs, outputs, wanted: &wanted, memo, limits, tally: None };
    lane.until(limits.deadline, || op.run(&mut cx)).map_err(|e| limits.blame(e))?;
    Ok(cx.outputs)
}

impl<'r> Run<'r> {
    /// The calling thread's lane.
    #[inline]
    pub fn lane(&self) -> &'r Lane {
        self.lane
    }

    /// Number of inputs, missing ones included.
    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    /// Whether there are no inputs.
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// Input `i`, unless it is missing.
    #[inline]
    pub fn datum(&self, i: usize) -> Option<&'r Datum> {
        self.inputs.get(i).copied().flatten()
    }

    /// Input `i`, which must be an array.
    ///
    /// # Errors
    /// When it is missing or no array.
    #[inline]
    pub fn array(&self, i: usize) -> Result<&'r ArrayData, GraphError> {
        match self.datum(i) {
            Some(Datum::Array(a)) => Ok(a),
            other => Err(no_array(i, other)),
        }
    }

    /// Input `i` as an array, nothing if it is missing.
    ///
    /// # Errors
    /// When it is there and no array.
    #[inline]
    pub fn array_or_none(&self, i: usize) -> Result<Option<&'r ArrayData>, GraphError> {
        match self.datum(i) {
            None => Ok(None),
            Some(Datum::Array(a)) => Ok(Some(a)),
            other => Err(no_array(i, other)),
        }
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.wanted.len()
    }

    /// Whether somebody reads output `i`.
    #[inline]
    pub fn wants(&self, i: usize) -> bool {
        self.wanted.get(i).is_some_and(Option::is_some)
    }

    /// Sets output `i`.
    #[inline]
    pub fn set(&mut self, i: usize, value: impl Into<Datum>) {
        if let Some(place) = self.outputs.get_mut(i) {
            *place = Some(value.into());
        }
    }

    /// What this node keeps for itself between runs of the same input shapes on the same lane, made if it is missing, for
    /// the time of `f`.
    ///
    /// # Errors
    /// Those of the two functions.
    pub fn with_memo<T: Any + Send, R>(
        &mut self,
        make: impl FnOnce(&Run<'r>) -> Result<T, GraphError>,
        f: impl FnOnce(&mut Run<'r>, &mut T) -> Result<R, GraphError>,
    ) -> Result<R, GraphError> {
        let kept = self.memo.take().and_then(|memo| memo.downcast::<T>().ok());
        let mut memo = match kept {
            Some(memo) => memo,
            None => Box::new(make(self)?),
        };
        let result = f(self, &mut memo);
        *self.memo = Some(memo);
        result
    }

    /// Runs a plan of the node's own, a loop's body for one, with the limits of this run.
    ///
    /// # Errors
    /// Those of the plan.
    pub fn call(&self, plan: &Plan, state: &mut State, inputs: &[Datum]) -> Result<Vec<Datum>, GraphError> {
        match self.tally.and_then(|tally| tally.of(plan)) {
            Some(times) => plan.run_with(self.lane, state, inputs, self.limits, &mut [], Some(times)),
            None => plan.run_within(self.lane, state, inputs, self.limits),
        }
    }

    /// Whether the run is to end now: for operators that loop.
    ///
    /// # Errors
    /// When the deadline has passed, the run was cancelled, or the lane is told to stop.
    pub fn check(&self) -> Result<(), GraphError> {
        self.limits.check()?;
        Ok(self.lane.check().in_op("run")?)
    }
}

#[cold]
fn no_array(i: usize, found: Option<&Datum>) -> GraphError {
    match found {
        None => GraphError::invalid(format!("input {i} is missing")),
        Some(d) => GraphError::invalid(format!("input {i} must be an array, not {}", d.describe())),
    }
}
