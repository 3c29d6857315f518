//! Recurrent layers.
use super::{Op, Row, Spec, row};
use crate::Fault;
use freelane_graph::{Datum, Fact, GraphError, Operator, Run};
use freelane_nn::activation::Activation;
use freelane_nn::recurrent::{Cell, Gate, Inputs, Recurrence, Weights};
use freelane_sync::OnceTable;
use std::sync::Arc;

type Made = Result<Arc<dyn Operator>, Fault>;

pub(crate) const ROWS: &[Row] = &[
    row("RNN", 1, |s| layer(s, Cell::Rnn)),
    row("GRU", 1, |s| layer(s, Cell::Gru(s.flag("linear_before_reset", false)?))),
    row("LSTM", 1, |s| layer(s, Cell::Lstm(s.flag("input_forget", false)?))),
    Row { domain: "com.microsoft", name: "DynamicQuantizeLSTM", since: 1, make: quantized },
];

/// The functions of all gates, by name; those with parameters take the next of two lists.
fn functions(s: &Spec<'_>, cell: Cell, directions: usize) -> Result<Vec<Gate>, Fault> {
    let defaults: &[&str] = match cell {
        Cell::Rnn => &["Tanh"],
        Cell::Gru(_) => &["Sigmoid", "Tanh"],
        Cell::Lstm(_) => &["Sigmoid", "Tanh", "Tanh"],
    };
    let names = match s.texts("activations")? {
        Some(names) if !names.is_empty() => names,
        _ => (0..directions).flat_map(|_| defaults.iter().copied()).collect(),
    };
    let want = cell.functions() * directions;
    if names.len() != want {
        return Err(Fault::Invalid(format!("attribute activations has {} names, not {want}", names.len())));
    }
    let mut alphas = s.floats("activation_alpha")?.unwrap_or_default().iter().copied();
    let mut betas = s.floats("activation_beta")?.unwrap_or_default().iter().copied();
    let mut gates = vec![];
    for name in names {
        let mut alpha = |default: f32| alphas.next().unwrap_or(default);
        let mut beta = |default: f32| betas.next().unwrap_or(default);
        gates.push(match name.to_ascii_lowercase().as_str() {
            "sigmoid" => Gate::Sigmoid,
            "tanh" => Gate::Tanh,
            "relu" => Gate::Relu,
            "softplus" => Gate::Softplus,
            "softsign" => Gate::Other(Activation::Softsign),
            "affine" => Gate::Other(Activation::Affine(alpha(1.0), beta(0.0))),
            "leakyrelu" => Gate::Other(Activation::Leaky(alpha(0.01))),
            "thresholdedrelu" => Gate::Other(Activation::Thresholded(alpha(1.0))),
            "scaledtanh" => Gate::Other(Activation::ScaledTanh(alpha(1.0), beta(1.0))),
            "hardsigmoid" => Gate::Other(Activation::HardSigmoid(alpha(0.2), beta(0.5))),
            "elu" => Gate::Other(Activation::Elu(alpha(1.0))),
            _ => return Err(Fault::Invalid(format!("there is no activation {}", crate::error::shown(name)))),
        });
    }
    Ok(gates)
}

fn recurrence(s: &Spec<'_>, cell: Cell) -> Result<Recurrence, Fault> {
    let backwards = match s.word("direction", "forward", &["forward", "reverse", "bidirectional"])? {
        0 => vec![false],
        1 => vec![true],
        _ => vec![false, true],
    };
    s.ignore("hidden_size");
    s.ignore("output_sequence");
    Ok(Recurrence {
        cell,
        functions: functions(s, cell, backwards.len())?,
        backwards,
        clip: s.float_or_none("clip")?.filter(|c| *c > 0.0),
        batch_first: s.flag("layout", false)?,
    })
}

/// A recurrent layer as an operator. Constant weights are packed once for all lanes.
struct Layer {
    name: &'static str,
    how: Recurrence,
    constant: bool,
    key: Option<String>,
    // LEDGER: the node; written once, then read by all lanes
    packed: OnceTable<Weights>,
}

fn layer(s: &Spec<'_>, cell: Cell) -> Made {
    let how = recurrence(s, cell)?;
    let constant = s.constant(1).is_some() && s.constant(2).is_some();
    let name = match cell {
        Cell::Rnn => "RNN",
        Cell::Gru(_) => "GRU",
        Cell::Lstm(_) => "LSTM",
    };
    Ok(Arc::new(Layer { name, how, constant, key: s.key(), packed: OnceTable::new() }))
}

/// Runs a layer with weights, and gives its outputs.
fn run(cx: &mut Run<'_>, how: &Recurrence, weights: &Weights) -> Result<(), GraphError> {
    let lstm = matches!(how.cell, Cell::Lstm(_));
    let inputs = Inputs {
        x: cx.array(0)?,
        bias: cx.array_or_none(3)?,
        lengths: cx.array_or_none(4)?,
        hidden: cx.array_or_none(5)?,
        cells: if lstm { cx.array_or_none(6)? } else { None },
        peepholes: if lstm { cx.array_or_none(7)? } else { None },
    };
    let made = how.run(cx.lane(), weights, &inputs)?;
    for (i, x) in [made.all, made.hidden, made.cells].into_iter().enumerate() {
        cx.set(i, Datum::from(x));
    }
    Ok(())
}

fn of_input_dtype(inputs: &[Option<&Fact>], outputs: usize) -> Vec<Fact> {
    let dtype = inputs.first().and_then(|x| x.as_ref()?.dtype);
    vec![Fact { dtype, ..Fact::default() }; outputs]
}

impl Operator for Layer {
    fn name(&self) -> &str {
        self.name
    }

    fn infer(&self, inputs: &[Option<&Fact>], outputs: usize) -> Result<Vec<Fact>, GraphError> {
        Ok(of_input_dtype(inputs, outputs))
    }

    fn run(&self, cx: &mut Run<'_>) -> Result<(), GraphError> {
        let make = |cx: &Run<'_>| self.how.pack(cx.array(1)?, cx.array(2)?).map_err(GraphError::from);
        if !self.constant {
            let weights = make(cx)?;
            return run(cx, &self.how, &weights);
        }
        let weights = self.packed.get_or_try_init(|| make(cx))?;
        run(cx, &self.how, weights)
    }

    fn key(&self) -> Option<String> {
        self.key.clone()
    }

    fn held_bytes(&self) -> usize {
        self.packed.get().map_or(0, Weights::nbytes)
    }
}

/// An LSTM whose weights are bytes, and whose inputs become bytes at each product.
fn quantized(s: &Spec<'_>) -> Made {
    let how = recurrence(s, Cell::Lstm(s.flag("input_forget", false)?))?;
    // LEDGER: the node; written once, then read by all lanes
    let packed: Arc<OnceTable<Weights>> = Arc::new(OnceTable::new());
    let held = packed.clone();
    let constant = [1, 2, 8, 9, 10, 11].into_iter().all(|i| !s.has(i) || s.constant(i).is_some());
    Op::new(s, move |cx| {
        let make = |cx: &Run<'_>| -> Result<Weights, GraphError> {
            let inputs = (cx.array(1)?, cx.array(8)?, cx.array_or_none(9)?);
            let hidden = (cx.array(2)?, cx.array(10)?, cx.array_or_none(11)?);
            Ok(how.pack_bytes(inputs, hidden)?)
        };
        if !constant {
            let weights = make(cx)?;
            return run(cx, &how, &weights);
        }
        let weights = packed.get_or_try_init(|| make(cx))?;
        run(cx, &how, weights)
    })
    .holding(move || held.get().map_or(0, Weights::nbytes))
    .of_input_dtype()
    .done()
}
