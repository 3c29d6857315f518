//! Which memory the values of a run use, planned once for each set of input shapes.
//!
//! The first run of new shapes takes every buffer from its lane's heap and notes how large it was and how long it lived.
//! [`Recording::finish`] then lets buffers that never live at once share a slot, the largest first. Later runs fill the
//! slots from the lane's [`Reserve`](freelane_pool::Reserve), which all plans of that lane use, one after another: so a
//! lane holds as much as its largest plan needs, however many plans it runs. Nothing depends on the plan being right: an
//! operator that needs other memory than it did takes it from the heap.
use crate::operator::Memo;
use crate::{Datum, Plan};
use smallvec::SmallVec;

/// Not in a slot.
pub(crate) const NONE: u16 = u16::MAX;

/// What identifies the shapes of a run's inputs.
pub(crate) type Signature = SmallVec<[usize; 24]>;

pub(crate) fn signature(inputs: &[Datum]) -> Signature {
    let mut key = Signature::new();
    inputs.iter().for_each(|d| describe(d, &mut key));
    key
}

fn describe(datum: &Datum, key: &mut Signature) {
    match datum {
        Datum::Array(a) => {
            key.push(a.dtype() as usize * 64 + a.layout().rank());
            key.extend(a.layout().shape().iter().copied());
        }
        Datum::Sequence(items) => {
            key.extend([1 << 20, items.len()]);
            items.iter().for_each(|d| describe(d, key));
        }
        Datum::Optional(inner) => {
            key.push(1 << 21);
            inner.iter().for_each(|d| describe(d, key));
        }
    }
}

/// Where an output of a node goes.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub slot: u16,
    pub bytes: usize,
}

/// The memory plan of one set of input shapes, and what the nodes keep for them.
pub(crate) struct Memory {
    pub key: Signature,
    /// Bytes of each slot, falling.
    pub slots: Vec<usize>,
    /// Of each value, where it goes.
    pub places: Vec<Place>,
    pub memos: Vec<Memo>,
    pub recorded: bool,
}

impl Memory {
    pub fn new(key: Signature, plan: &Plan) -> Memory {
        let places = vec![Place { slot: NONE, bytes: 0 }; plan.graph.values.len()];
        let memos = (0..plan.steps.len()).map(|_| None).collect();
        Memory { key, slots: vec![], places, memos, recorded: false }
    }
}

/// A buffer of the first run.
struct Group {
    at: usize,
    bytes: usize,
    from: usize,
    until: usize,
    /// How many values lie in it now.
    values: usize,
}

/// What the first run of some shapes does with memory.
#[derive(Default)]
pub(crate) struct Recording {
    groups: Vec<Group>,
    /// Of each value, its buffer.
    of: Vec<Option<usize>>,
}

impl Recording {
    /// A value was made by step `step`.
    pub fn made(&mut self, value: usize, datum: &Datum, step: usize) {
        self.of.resize(self.of.len().max(value + 1), None);
        let Datum::Array(array) = datum else { return };
        let at = array.buffer().as_ptr() as usize;
        let living = self.groups.iter().rposition(|g| g.at == at && g.values > 0);
        let group = match living {
            Some(group) => group,
            None if array.buffer().is_unique() && !array.buffer().is_empty() => {
                self.groups.push(Group { at, bytes: array.buffer().len(), from: step, until: step, values: 0 });
                self.groups.len() - 1
            }
            None => return,
        };
        self.groups[group].values += 1;
        self.of[value] = Some(group);
    }

    /// A value was read for the last time by step `step`.
    pub fn released(&mut self, value: usize, step: usize) {
        if let Some(group) = self.of.get(value).copied().flatten() {
            self.groups[group].values -= 1;
            self.groups[group].until = step;
        }
    }

    /// Plans the slots. Buffers in which a value still lies are the caller's.
    pub fn finish(self, memory: &mut Memory) {
        let mut order: Vec<usize> = (0..self.groups.len()).filter(|&g| self.groups[g].values == 0).collect();
        order.sort_by_key(|&g| std::cmp::Reverse(self.groups[g].bytes));
        let mut slots: Vec<Vec<usize>> = vec![];
        let mut slot_of = vec![NONE; self.groups.len()];
        for g in order {
            let group = &self.groups[g];
            let apart = |&other: &usize| {
                let other = &self.groups[other];
                other.until < group.from || group.until < other.from
            };
            let slot = slots.iter().position(|slot| slot.iter().all(apart)).unwrap_or(slots.len());
            if slot >= usize::from(NONE) {
                continue;
            }
            if slot == slots.len() {
                slots.push(vec![]);
                memory.slots.push(group.bytes);
            }
            slots[slot].push(g);
            slot_of[g] = slot as u16;
        }
        for (place, group) in memory.places.iter_mut().zip(&self.of) {
            if let Some(g) = *group {
                *place = Place { slot: slot_of[g], bytes: self.groups[g].bytes };
            }
        }
        memory.recorded = true;
    }
}
