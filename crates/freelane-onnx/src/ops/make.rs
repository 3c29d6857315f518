//! Arrays made of a few numbers.
use super::given::{area_of, array, axis_of, dims_of, fact, float_of, int_of, known, length_of, lengths_of, listed};
use super::{Op, Row, Spec, ints_of, row};
use crate::Fault;
use freelane_array::{ArrayData, DType};
use freelane_graph::{Dim, Fact, GraphError, Operator};
use freelane_ops::{Array, Operand, Scalar, ufuncs};
use std::f64::consts::PI;
use std::sync::Arc;

pub(super) const ROWS: &[Row] = &[
    row("BlackmanWindow", 17, |s| window(s, |x| 0.42 - 0.5 * x.cos() + 0.08 * (2.0 * x).cos())),
    row("Constant", 1, constant),
    row("ConstantOfShape", 9, constant_of_shape),
    row("EyeLike", 9, eye_like),
    row("HammingWindow", 17, |s| window(s, |x| 25.0 / 46.0 - 21.0 / 46.0 * x.cos())),
    row("HannWindow", 17, |s| window(s, |x| 0.5 - 0.5 * x.cos())),
    row("MelWeightMatrix", 17, mel_weight_matrix),
    row("OneHot", 9, one_hot),
    row("Range", 11, range),
];

fn constant(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let value = constant_value(spec)?;
    let fact = Fact::known(value.dtype(), value.layout().shape());
    Op::new(spec, move |cx| {
        cx.set(0, value.clone());
        Ok(())
    })
    .infer(move |_, _| Ok(vec![fact.clone()]))
    .done()
}

fn constant_value(spec: &Spec<'_>) -> Result<ArrayData, Fault> {
    if let Some(tensor) = spec.tensor("value")? {
        return Ok(tensor);
    }
    let array = if let Some(v) = spec.float_or_none("value_float")? {
        Array::from_vec(vec![v], &[])?
    } else if let Some(v) = spec.int_or_none("value_int")? {
        Array::from_vec(vec![v], &[])?
    } else if let Some(v) = spec.floats("value_floats")? {
        Array::from_slice(v)?
    } else if let Some(v) = spec.ints("value_ints")? {
        Array::from_slice(v)?
    } else if let Some(sparse) = spec.raw("sparse_value").and_then(|a| a.sparse_tensor.as_deref()) {
        crate::import::dense(sparse, spec.external)?
    } else {
        return Err(Fault::Unsupported("a constant needs numbers as its value; text is not supported".to_owned()));
    };
    Ok(array.into())
}

fn constant_of_shape(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let (value, dtype) = match spec.tensor("value")? {
        Some(tensor) => (Array::from(tensor.clone()).to_scalar()?, tensor.dtype()),
        None => (Scalar::Float(0.0), DType::F32),
    };
    Op::new(spec, move |cx| {
        let shape = lengths_of(&ints_of(cx.array(0)?)?)?;
        cx.set(0, Array::full(&shape, value, dtype)?);
        Ok(())
    })
    .infer(move |facts, _| {
        let shape = match fact(facts, 0) {
            Some(Fact { constant: Some(shape), .. }) => Some(dims_of(&lengths_of(&ints_of(shape)?)?)),
            Some(Fact { shape: Some(shape), .. }) => match shape.as_slice() {
                [Dim::Known(rank)] if *rank <= 16 => Some(vec![Dim::Unknown; *rank]),
                _ => None,
            },
            _ => None,
        };
        Ok(known(Some(dtype), shape))
    })
    .done()
}

fn eye_like(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let (dtype, k) = (spec.dtype("dtype")?, spec.int("k", 0)? as isize);
    Op::new(spec, move |cx| {
        let x = cx.array(0)?;
        let [rows, columns] = *x.layout().shape() else {
            return Err(GraphError::invalid(format!("needs two axes, found {}", x.layout().rank())));
        };
        cx.set(0, Array::eye(rows, columns, k, dtype.unwrap_or(x.dtype()))?);
        Ok(())
    })
    .infer(move |facts, _| {
        let x = fact(facts, 0).cloned().unwrap_or_default();
        Ok(known(dtype.or(x.dtype), x.shape))
    })
    .done()
}

fn one_hot(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let axis = spec.int("axis", -1)?;
    Op::new(spec, move |cx| {
        let places = array(cx, 0)?.astype(DType::I64)?;
        let depth = float_of(cx, 1)?.unwrap_or(0.0) as i64;
        let values = array(cx, 2)?;
        let at = axis_of(axis, places.rank() + 1)?;
        let places = ufuncs::WHERE
            .call(cx.lane(), &[(&places.less(0)?).into(), (&places.add(depth)?).into(), (&places).into()])?;
        let mut shape = vec![1isize; at + 1];
        shape[at] = length_of(depth)? as isize;
        shape.resize(places.layout().rank() + 1, 1);
        let numbers = Array::arange(0, depth, 1)?.reshape(&shape)?;
        let hot = Array::from(places).expand_dims(at as isize)?.equal(&numbers)?;
        let [off, on] = [0, 1].map(|i| values.index(&[(i as isize).into()]));
        let y = ufuncs::WHERE.call(cx.lane(), &[(&hot).into(), (&on?).into(), Operand::from(&off?)])?;
        cx.set(0, y);
        Ok(())
    })
    .infer(move |facts, _| {
        let dtype = fact(facts, 2).and_then(|f| f.dtype);
        let Some(mut shape) = fact(facts, 0).and_then(|f| f.shape.clone()) else { return Ok(known(dtype, None)) };
        let at = axis_of(axis, shape.len() + 1)?;
        shape.insert(at, Dim::Unknown);
        Ok(known(dtype, Some(shape)))
    })
    .done()
}

fn range(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    spec.ignore("stash_type");
    Op::new(spec, |cx| {
        let dtype = cx.array(0)?.dtype();
        if dtype.is_integer() {
            let number = |i| int_of(cx, i)?.ok_or_else(|| GraphError::invalid(format!("input {i} is missing")));
            let (start, limit, delta) = (number(0)?, number(1)?, number(2)?);
            cx.set(0, Array::arange(start, limit, delta)?.astype(dtype)?);
            return Ok(());
        }
        let number = |i| float_of(cx, i)?.ok_or_else(|| GraphError::invalid(format!("input {i} is missing")));
        let (start, limit, delta) = (number(0)?, number(1)?, number(2)?);
        let count = ((limit - start) / delta).ceil().max(0.0);
        if count.is_nan() || count > 1e12 {
            return Err(GraphError::invalid(format!("a range from {start} to {limit} by {delta} has no end")));
        }
        let y = Array::arange(0, count as i64, 1)?.astype(DType::F64)?.multiply(delta)?.add(start)?;
        cx.set(0, y.astype(dtype)?);
        Ok(())
    })
    .infer(|facts, _| Ok(known(fact(facts, 0).and_then(|f| f.dtype), Some(vec![Dim::Unknown]))))
    .done()
}

fn window(spec: &Spec<'_>, f: fn(f64) -> f64) -> Result<Arc<dyn Operator>, Fault> {
    let periodic = spec.flag("periodic", true)?;
    let dtype = spec.dtype("output_datatype")?.unwrap_or(DType::F32);
    Op::new(spec, move |cx| {
        let n = length_of(int_of(cx, 0)?.unwrap_or(0))?;
        let period = if periodic { n } else { n.saturating_sub(1) } as f64;
        let values = listed(n, (0..n).map(|i| f(2.0 * PI * i as f64 / period)))?;
        cx.set(0, Array::from_vec(values, &[n])?.astype(dtype)?);
        Ok(())
    })
    .infer(move |_, _| Ok(known(Some(dtype), Some(vec![Dim::Unknown]))))
    .done()
}

fn mel_weight_matrix(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let dtype = spec.dtype("output_datatype")?.unwrap_or(DType::F32);
    Op::new(spec, move |cx| {
        let number = |i| float_of(cx, i)?.ok_or_else(|| GraphError::invalid(format!("input {i} is missing")));
        let (bands, length, rate) = (number(0)? as i64, number(1)? as i64, number(2)?);
        let (bands, bins) = (length_of(bands)?, length_of(length)? / 2 + 1);
        let mel = |hertz: f64| 2595.0 * (1.0 + hertz / 700.0).log10();
        let hertz = |mel: f64| 700.0 * (10f64.powf(mel / 2595.0) - 1.0);
        let (low, high) = (mel(number(3)?), mel(number(4)?));
        let step = (high - low) / (bands as f64 + 2.0);
        let edge = |i: usize| ((length as f64 + 1.0) * hertz(low + i as f64 * step) / rate).floor() as i64;
        let count = area_of(bins, bands)?;
        let mut weights = listed(count, std::iter::repeat_n(0.0f64, count))?;
        for band in 0..bands {
            let (from, centre, to) = (edge(band), edge(band + 1), edge(band + 2));
            let mut put = |bin: i64, weight: f64| {
                if let Some(place) = usize::try_from(bin).ok().filter(|&b| b < bins) {
                    weights[place * bands + band] = weight;
                }
            };
            if centre == from {
                put(centre, 1.0);
            } else {
                (from..=centre).for_each(|b| put(b, (b - from) as f64 / (centre - from) as f64));
            }
            if to > centre {
                (centre..to).for_each(|b| put(b, (to - b) as f64 / (to - centre) as f64));
            }
        }
        cx.set(0, Array::from_vec(weights, &[bins, bands])?.astype(dtype)?);
        Ok(())
    })
    .infer(move |_, _| Ok(known(Some(dtype), Some(vec![Dim::Unknown; 2]))))
    .done()
}
