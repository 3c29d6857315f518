//! What one lane keeps to run a plan.
use crate::memory::{Memory, signature};
use crate::{Datum, Plan};
use std::sync::Arc;

/// Sets of input shapes whose memory plans a state keeps.
const MOST_SIGNATURES: usize = 16;

/// What a lane needs to run a plan, and keeps from one run to the next: small tables, and no memory of values. Any plan may
/// use any state; one that was last used for another plan starts afresh.
#[derive(Default)]
pub struct State {
    of: Option<Arc<()>>,
    pub(crate) values: Vec<Option<Datum>>,
    /// The plan's constants under counts of the lane's own: whoever takes one along writes nothing that other lanes read.
    pub(crate) constants: Vec<Option<Datum>>,
    /// Those used last come first.
    memories: Vec<Memory>,
}

impl State {
    /// The memory plan for these inputs, and for outputs that are the caller's or new; taken out. A new one if there is none.
    pub(crate) fn take(&mut self, plan: &Plan, inputs: &[Datum], into: bool) -> Memory {
        if !self.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, &plan.token)) {
            *self = State { of: Some(plan.token.clone()), constants: plan.own_constants(), ..State::default() };
            self.values.resize_with(plan.graph.values.len(), || None);
        }
        let mut key = signature(inputs);
        key.push(into.into());
        match self.memories.iter().position(|m| m.key == key) {
            Some(i) => self.memories.remove(i),
            None => Memory::new(key, plan),
        }
    }

    /// Keeps a memory plan for the next run.
    pub(crate) fn keep(&mut self, memory: Memory) {
        self.memories.truncate(MOST_SIGNATURES - 1);
        self.memories.insert(0, memory);
    }

    /// Bytes of the slots that the largest of its memory plans needs.
    pub fn slot_bytes(&self) -> usize {
        self.memories.iter().map(|m| m.slots.iter().sum()).max().unwrap_or(0)
    }
}
