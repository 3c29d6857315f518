//! Which values have the same shape, as far as the graph alone tells.
use crate::{Dim, Graph, ValueId};

/// Classes of values that are equally shaped in every run, even where their lengths are not known.
pub(super) struct SameShape {
    class: Vec<usize>,
}

impl SameShape {
    /// An elementwise result is as its operands are, when they are all of one class; numbers without axes change no shape.
    pub fn of(graph: &Graph) -> SameShape {
        let mut same = SameShape { class: (0..graph.values.len()).collect() };
        for node in graph.nodes.iter().filter(|node| node.op.elementwise().is_some() || node.op.cast().is_some()) {
            let [Some(out)] = node.outputs[..] else { continue };
            let mut shaped = node.inputs.iter().flatten().filter(|id| graph.fact(**id).rank() != Some(0));
            let Some(&first) = shaped.next() else { continue };
            if shaped.all(|id| same.are(graph, first, *id)) {
                same.class[out.index()] = same.class[first.index()];
            }
        }
        same
    }

    /// Whether two values are equally shaped.
    pub fn are(&self, graph: &Graph, a: ValueId, b: ValueId) -> bool {
        let known = || match (&graph.fact(a).shape, &graph.fact(b).shape) {
            (Some(a), Some(b)) => a == b && !a.contains(&Dim::Unknown),
            _ => false,
        };
        self.class[a.index()] == self.class[b.index()] || known()
    }
}
