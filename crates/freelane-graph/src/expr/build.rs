//! From expressions to graphs, and to values.
use super::{Expr, Maker, Origin, Term};
use crate::{Datum, Dim, Fact, Graph, GraphError, Limits, Plan, State, ValueId, passes};
use freelane_array::ArrayData;
use freelane_pool::Lane;
use std::collections::HashMap;
use std::sync::Arc;

/// The values of expressions, those that are not at hand computed in one run.
///
/// # Errors
/// When a function refuses the elements of its operands, a limit is reached, or memory cannot be had.
pub fn values(lane: &Lane, limits: &Limits<'_>, exprs: &[Expr]) -> Result<Vec<ArrayData>, GraphError> {
    let pending: Vec<&Expr> = exprs.iter().filter(|e| e.at_hand().is_none()).collect();
    if !pending.is_empty() {
        let mut builder = Builder::default();
        let ids = pending.iter().map(|e| builder.add(e)).collect::<Result<Vec<_>, _>>()?;
        let Builder { mut graph, inputs, .. } = builder;
        ids.into_iter().for_each(|id| graph.output(id));
        passes::optimize(lane, &mut graph)?;
        let made = Plan::new(graph)?.run_within(lane, &mut State::default(), &inputs, limits)?;
        for (expr, datum) in pending.iter().zip(made) {
            let Datum::Array(array) = datum else { return Err(GraphError::invalid("an expression is an array")) };
            expr.0.value.get_or_init(|| array);
        }
    }
    let value = |e: &Expr| e.at_hand().cloned().ok_or_else(|| GraphError::invalid("an expression has no value"));
    exprs.iter().map(value).collect()
}

/// The graph of a function that was traced: of its inputs, given by their facts, and its outputs. Arrays that are neither are
/// constants of it.
///
/// # Errors
/// When an operator refuses what is known of its inputs.
pub fn trace(inputs: &[Expr], outputs: &[Expr]) -> Result<Graph, GraphError> {
    let mut builder = Builder { traced: true, ..Builder::default() };
    for input in inputs {
        let id = builder.graph.input("", Fact::known(input.dtype(), input.shape()));
        builder.leaves.insert(Arc::as_ptr(&input.0), id);
    }
    let ids = outputs.iter().map(|e| builder.add(e)).collect::<Result<Vec<_>, _>>()?;
    ids.into_iter().for_each(|id| builder.graph.output(id));
    Ok(builder.graph)
}

#[derive(Default)]
struct Builder {
    graph: Graph,
    /// Arrays that the graph runs on, unless it is traced.
    inputs: Vec<Datum>,
    /// Whether the graph is that of a function: then nothing is taken as it is at hand but constants.
    traced: bool,
    leaves: HashMap<*const Term, ValueId>,
    nodes: HashMap<*const Maker, Vec<ValueId>>,
    /// Numbers by type and value: one constant for each.
    numbers: HashMap<String, ValueId>,
}

impl Builder {
    /// The value of an expression in the graph, with all that it is made of.
    fn add(&mut self, expr: &Expr) -> Result<ValueId, GraphError> {
        // What is on the stack twice has all of its inputs the second time.
        let mut stack: Vec<(&Arc<Maker>, bool)> = self.maker(expr).map(|maker| (maker, false)).into_iter().collect();
        while let Some((maker, ready)) = stack.pop() {
            if self.nodes.contains_key(&Arc::as_ptr(maker)) {
                continue;
            }
            if ready {
                self.node(maker)?;
                continue;
            }
            stack.push((maker, true));
            let makers = maker.inputs.iter().rev().filter_map(|e| self.maker(e));
            stack.extend(makers.map(|maker| (maker, false)));
        }
        self.find(expr)
    }

    /// The node that an expression is an output of, unless its value is taken as it is.
    fn maker<'e>(&self, expr: &'e Expr) -> Option<&'e Arc<Maker>> {
        match &expr.0.source {
            Origin::Node(maker, _) if self.traced || expr.at_hand().is_none() => Some(maker),
            _ => None,
        }
    }

    fn node(&mut self, maker: &Arc<Maker>) -> Result<(), GraphError> {
        let inputs = maker.inputs.iter().map(|e| self.find(e).map(Some)).collect::<Result<Vec<_>, _>>()?;
        let place = maker.place.as_deref().unwrap_or_default();
        let names = vec![Some(""); maker.outputs.len()];
        let ids = self.graph.add_shared(place, maker.op.clone(), &inputs, &names)?;
        let ids: Vec<ValueId> = ids.into_iter().flatten().collect();
        for (id, (dtype, shape)) in ids.iter().zip(&maker.outputs) {
            let fact = self.graph.fact_mut(*id);
            fact.dtype = Some(*dtype);
            fact.shape = (!maker.open).then(|| shape.iter().map(|&n| Dim::Known(n)).collect());
        }
        self.nodes.insert(Arc::as_ptr(maker), ids);
        Ok(())
    }

    fn find(&mut self, expr: &Expr) -> Result<ValueId, GraphError> {
        let missing =
            || GraphError::invalid("an array of another traced function is used in this one: give it as an argument");
        match &expr.0.source {
            Origin::Input if self.traced => self.leaves.get(&Arc::as_ptr(&expr.0)).copied().ok_or_else(missing),
            Origin::Node(maker, i) if self.maker(expr).is_some() => {
                self.nodes.get(&Arc::as_ptr(maker)).map(|ids| ids[*i]).ok_or_else(missing)
            }
            _ => Ok(self.leaf(expr, expr.at_hand().ok_or_else(missing)?)),
        }
    }

    fn leaf(&mut self, expr: &Expr, array: &ArrayData) -> ValueId {
        if let Some(&id) = self.leaves.get(&Arc::as_ptr(&expr.0)) {
            return id;
        }
        let id = match number(array) {
            Some(key) => match self.numbers.get(&key) {
                Some(&id) => id,
                None => {
                    let id = self.graph.constant("", array.clone());
                    self.numbers.insert(key, id);
                    id
                }
            },
            None if self.traced => self.graph.constant("", array.clone()),
            None => {
                self.inputs.push(array.clone().into());
                self.graph.input("", Fact::known(array.dtype(), array.layout().shape()))
            }
        };
        self.leaves.insert(Arc::as_ptr(&expr.0), id);
        id
    }
}

/// An array without axes as text that no other has.
fn number(array: &ArrayData) -> Option<String> {
    if array.layout().rank() > 0 {
        return None;
    }
    // Its bits: values that are equal may differ in a sign, and every NaN prints alike.
    array.as_bytes().map(|bits| format!("{} {bits:02x?}", array.dtype()))
}
