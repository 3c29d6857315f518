//! The passes of a model, and the mode that checks each of them.
use crate::import::import;
use crate::{Fault, ModelFile, OnnxError, blocked, epilogue, tables};
use freelane_graph::Datum;
use freelane_graph::passes::{Keeps, PASSES, Pass, Trace};
use freelane_pool::Lane;

/// All passes that go over a model and over the graphs that its nodes hold, in order.
pub fn passes() -> Vec<Pass> {
    [&[tables::PASS, epilogue::PASS, blocked::PASS], PASSES].concat()
}

/// A pass that kept what it promises.
#[derive(Clone, Copy, Debug)]
pub struct Checked {
    /// Its name.
    pub pass: &'static str,
    /// What it promises.
    pub keeps: Keeps,
    /// How many values were there before and after it.
    pub values: usize,
}

/// Runs a model once without passes, and again with one pass more each time; compares all values with those before the pass.
/// Passes that go over graphs of nodes are seen by what these nodes give.
///
/// # Errors
/// The first pass that does not keep what it promises, with the first node whose value it changes; when the model cannot be read
/// or does not run.
pub fn check_passes(file: &ModelFile, passes: &[Pass], inputs: &[Datum]) -> Result<Vec<Checked>, OnnxError> {
    let (model, external) = (file.model()?, file.external_data());
    let trace = |count: usize| -> Result<Trace, OnnxError> {
        let graph = import(&model, &external, &passes[..count])?.graph;
        Ok(Lane::with(|lane| Trace::of(lane, &graph, inputs)).map_err(Fault::from)?)
    };
    let mut checked = vec![];
    let mut before = trace(0).map_err(|e| file.blame(e))?;
    for (i, pass) in passes.iter().enumerate() {
        let after = trace(i + 1).map_err(|e| file.blame(e.within(format!("after pass {}", pass.name))))?;
        let values = after.check(pass, &before).map_err(|e| file.blame(Fault::from(e).into()))?;
        checked.push(Checked { pass: pass.name, keeps: pass.keeps, values });
        before = after;
    }
    Ok(checked)
}
