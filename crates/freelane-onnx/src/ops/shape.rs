//! Shapes: the same elements under other axes.
use super::{Op, Row, Spec, row};
use crate::Fault;
use freelane_graph::{GraphError, Operator};
use std::sync::Arc;

pub(super) const ROWS: &[Row] = &[row("Identity", 1, identity)];

/// The input itself.
pub(super) fn identity(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    Op::new(spec, |cx| {
        let x = cx.datum(0).ok_or_else(|| GraphError::invalid("input 0 is missing"))?.clone();
        cx.set(0, x);
        Ok(())
    })
    .like_input()
    .done()
}
