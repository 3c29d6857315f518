//! Functions of each element, and those that fold any number of arrays elementwise.
use super::given::fact;
use super::{Op, Row, Spec, row, ufunc};
use crate::Fault;
use freelane_array::{DType, Kind};
use freelane_graph::{Fact, GraphError, Operator, Run, broadcast_dims};
use freelane_ops::{Array, Axes, Operand, OpsError, UFunc, ufuncs as u};
use std::sync::Arc;

pub(super) const ROWS: &[Row] = &[
    row("Abs", 1, |s| unary(s, &u::ABS)),
    row("Acos", 7, |_| ufunc(&u::ACOS)),
    row("Acosh", 9, |_| ufunc(&u::ACOSH)),
    row("Add", 1, |s| binary(s, &u::ADD)),
    row("And", 1, |s| binary(s, &u::LOGICAL_AND)),
    row("Asin", 7, |_| ufunc(&u::ASIN)),
    row("Asinh", 9, |_| ufunc(&u::ASINH)),
    row("Atan", 7, |_| ufunc(&u::ATAN)),
    row("Atanh", 9, |_| ufunc(&u::ATANH)),
    row("BitShift", 11, bit_shift),
    row("BitwiseAnd", 18, |_| ufunc(&u::BITWISE_AND)),
    row("BitwiseNot", 18, |_| ufunc(&u::BITWISE_INVERT)),
    row("BitwiseOr", 18, |_| ufunc(&u::BITWISE_OR)),
    row("BitwiseXor", 18, |_| ufunc(&u::BITWISE_XOR)),
    row("Ceil", 1, |s| unary(s, &u::CEIL)),
    row("Cos", 7, |_| ufunc(&u::COS)),
    row("Cosh", 9, |_| ufunc(&u::COSH)),
    row("Div", 1, divide),
    row("Equal", 1, |s| binary(s, &u::EQUAL)),
    row("Erf", 9, |_| ufunc(&u::ERF)),
    row("Exp", 1, |s| unary(s, &u::EXP)),
    row("Floor", 1, |s| unary(s, &u::FLOOR)),
    row("Greater", 1, |s| binary(s, &u::GREATER)),
    row("GreaterOrEqual", 12, |_| ufunc(&u::GREATER_EQUAL)),
    row("IsInf", 10, is_inf),
    row("IsNaN", 9, |_| ufunc(&u::ISNAN)),
    row("Less", 1, |s| binary(s, &u::LESS)),
    row("LessOrEqual", 12, |_| ufunc(&u::LESS_EQUAL)),
    row("Log", 1, |s| unary(s, &u::LOG)),
    row("Max", 1, |s| fold(s, &u::MAXIMUM)),
    row("Mean", 1, mean),
    row("Min", 1, |s| fold(s, &u::MINIMUM)),
    row("Mod", 10, modulo),
    row("Mul", 1, |s| binary(s, &u::MULTIPLY)),
    row("Neg", 1, |s| unary(s, &u::NEGATIVE)),
    row("Not", 1, |_| ufunc(&u::LOGICAL_NOT)),
    row("Or", 1, |s| binary(s, &u::LOGICAL_OR)),
    row("Pow", 1, power),
    row("Reciprocal", 1, |s| unary(s, &u::RECIPROCAL)),
    row("Round", 11, |_| ufunc(&u::ROUND)),
    row("Sign", 9, |_| ufunc(&u::SIGN)),
    row("Sin", 7, |_| ufunc(&u::SIN)),
    row("Sinh", 9, |_| ufunc(&u::SINH)),
    row("Sqrt", 1, |s| unary(s, &u::SQRT)),
    row("Sub", 1, |s| binary(s, &u::SUBTRACT)),
    row("Sum", 1, |s| fold(s, &u::ADD)),
    row("Tan", 7, |_| ufunc(&u::TAN)),
    row("Tanh", 1, |s| unary(s, &u::TANH)),
    row("Where", 9, |_| ufunc(&u::WHERE)),
    row("Xor", 1, |s| binary(s, &u::LOGICAL_XOR)),
];

/// A function of one array; the first versions had hints about memory.
fn unary(spec: &Spec<'_>, f: &'static UFunc) -> Result<Arc<dyn Operator>, Fault> {
    spec.ignore("consumed_inputs");
    ufunc(f)
}

/// A function of two arrays. Before version 7 shapes were stretched only where the node said so, and from which axis on.
fn binary(spec: &Spec<'_>, f: &'static UFunc) -> Result<Arc<dyn Operator>, Fault> {
    if spec.opset >= 7 {
        return ufunc(f);
    }
    spec.ignore("consumed_inputs");
    let axis = spec.int_or_none("axis")?;
    if !spec.flag("broadcast", false)? || axis.is_none() {
        return ufunc(f);
    }
    let axis = axis.unwrap_or(0);
    Op::new(spec, move |cx| {
        let (x, mut y) = (cx.array(0)?, Array::from(cx.array(1)?.clone()));
        let rank = x.layout().rank() as i64;
        let from = if axis < 0 { axis + rank } else { axis };
        for _ in from + y.rank() as i64..rank {
            y = y.expand_dims(-1)?;
        }
        let z = f.call(cx.lane(), &[Operand::Array(x), Operand::Array(y.data())])?;
        cx.set(0, z);
        Ok(())
    })
    .infer(move |facts, _| {
        let x = fact(facts, 0).cloned().unwrap_or_default();
        Ok(vec![Fact { dtype: x.dtype.and_then(|d| f.result_dtype(d)), shape: x.shape, constant: None }])
    })
    .done()
}

/// What is known of the result of arrays that are stretched to each other.
pub(super) fn broadcast_fact(facts: &[Option<&Fact>], dtype: Option<DType>) -> Result<Vec<Fact>, GraphError> {
    let shapes: Option<Vec<_>> = facts.iter().flatten().map(|f| f.shape.as_deref()).collect();
    let shape = match shapes {
        Some(shapes) => Some(broadcast_dims(&shapes).ok_or_else(|| {
            let shown: Vec<String> = facts.iter().flatten().map(|f| f.to_string()).collect();
            GraphError::invalid(format!("shapes do not broadcast: {}", shown.join(" and ")))
        })?),
        None => None,
    };
    Ok(vec![Fact { dtype, shape, constant: None }])
}

fn first_dtype(facts: &[Option<&Fact>]) -> Option<DType> {
    facts.first()?.as_ref()?.dtype
}

/// An operator of arrays that are stretched to each other; the result has the type of the first.
fn stretched(
    spec: &Spec<'_>,
    run: impl Fn(&mut Run<'_>) -> Result<Array, GraphError> + Send + Sync + 'static,
) -> Result<Arc<dyn Operator>, Fault> {
    Op::new(spec, move |cx| {
        let z = run(cx)?;
        cx.set(0, z);
        Ok(())
    })
    .infer(|facts, _| broadcast_fact(facts, first_dtype(facts)))
    .done()
}

fn pair(cx: &Run<'_>) -> Result<(Array, Array), GraphError> {
    Ok((cx.array(0)?.clone().into(), cx.array(1)?.clone().into()))
}

/// Quotients; those of integers are cut towards zero.
fn divide(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let dtype = spec.fact(0).and_then(|f| f.dtype);
    if spec.opset < 7 || dtype.is_some_and(DType::is_inexact) {
        return binary(spec, &u::DIVIDE);
    }
    stretched(spec, |cx| {
        let (x, y) = pair(cx)?;
        if !x.dtype().is_integer() {
            return Ok(x.divide(&y)?);
        }
        Ok(if x.dtype().kind() == Kind::Unsigned {
            x.floor_divide(&y)?
        } else {
            x.subtract(&x.fmod(&y)?)?.floor_divide(&y)?
        })
    })
}

/// Powers, in the type of the base.
fn power(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let dtypes = [0, 1].map(|i| spec.fact(i).and_then(|f| f.dtype));
    if spec.opset < 7 || dtypes[0].is_some_and(DType::is_inexact) && dtypes[0] == dtypes[1] {
        return binary(spec, &u::POW);
    }
    stretched(spec, |cx| {
        let (x, y) = pair(cx)?;
        let (exponents, wide) = (y.astype(x.dtype())?, y.astype(DType::F64)?);
        let both = x.dtype().is_inexact() && y.dtype().is_inexact();
        let exact = both || every(&exponents.astype(DType::F64)?.equal(&wide)?)?;
        // Whole numbers have no negative powers, but fractions that are cut.
        if exact && (x.dtype().is_inexact() || every(&exponents.greater_equal(0)?)?) {
            return Ok(x.pow(&exponents)?);
        }
        Ok(x.astype(DType::F64)?.pow(&wide)?.astype(x.dtype())?)
    })
}

/// Whether all elements are true.
fn every(x: &Array) -> Result<bool, OpsError> {
    x.all(Axes::All, false)?.item()
}

fn modulo(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    ufunc(if spec.flag("fmod", false)? { &u::FMOD } else { &u::REMAINDER })
}

fn bit_shift(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let directions: [&'static UFunc; 2] = [&u::BITWISE_LEFT_SHIFT, &u::BITWISE_RIGHT_SHIFT];
    ufunc(directions[spec.word("direction", "", &["LEFT", "RIGHT"])?])
}

fn is_inf(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    match (spec.flag("detect_positive", true)?, spec.flag("detect_negative", true)?) {
        (true, true) => ufunc(&u::ISINF),
        (positive, negative) => Op::new(spec, move |cx| {
            let x = Array::from(cx.array(0)?.clone());
            let found = match (positive, negative) {
                (true, _) => x.equal(f64::INFINITY)?,
                (_, true) => x.equal(f64::NEG_INFINITY)?,
                _ => Array::zeros(x.shape(), DType::Bool)?,
            };
            cx.set(0, found);
            Ok(())
        })
        .infer(|facts, _| broadcast_fact(facts, Some(DType::Bool)))
        .done(),
    }
}

/// Any number of arrays, folded by a function of two.
fn fold(spec: &Spec<'_>, f: &'static UFunc) -> Result<Arc<dyn Operator>, Fault> {
    spec.ignore("consumed_inputs");
    match spec.inputs.len() {
        1 => super::shape::identity(spec),
        2 => ufunc(f),
        _ => stretched(spec, move |cx| folded(cx, f)),
    }
}

fn folded(cx: &Run<'_>, f: &'static UFunc) -> Result<Array, GraphError> {
    let mut sum = cx.array(0)?.clone();
    for i in 1..cx.len() {
        sum = f.call(cx.lane(), &[Operand::Array(&sum), Operand::Array(cx.array(i)?)])?;
    }
    Ok(sum.into())
}

fn mean(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    spec.ignore("consumed_inputs");
    stretched(spec, |cx| Ok(folded(cx, &u::ADD)?.divide(cx.len() as f64)?))
}
