//! What an operator is told: by an attribute in early versions, by an input in later ones.
use super::{Spec, ints_of};
use crate::Fault;
use freelane_graph::{Dim, Fact, GraphError, Run};
use freelane_ops::Array;
use smallvec::SmallVec;

/// A few whole numbers.
pub(crate) type Few = SmallVec<[i64; 8]>;

/// Whole numbers that are an attribute or an input.
#[derive(Clone, Debug)]
pub(crate) enum Ints {
    /// Left out.
    Absent,
    /// The attribute.
    Fixed(Few),
    /// The input of this number.
    Input(usize),
}

impl Ints {
    /// The attribute `name`, from version `since` on the input `i`.
    pub fn of(spec: &Spec<'_>, name: &'static str, i: usize, since: u32) -> Result<Ints, Fault> {
        if spec.opset >= since {
            return Ok(if spec.has(i) { Ints::Input(i) } else { Ints::Absent });
        }
        Ok(spec.ints(name)?.map_or(Ints::Absent, |v| Ints::Fixed(v.into())))
    }

    /// The numbers.
    pub fn get(&self, cx: &Run<'_>) -> Result<Option<Few>, GraphError> {
        match self {
            Ints::Absent => Ok(None),
            Ints::Fixed(v) => Ok(Some(v.clone())),
            Ints::Input(i) => cx.array_or_none(*i)?.map(ints_of).transpose(),
        }
    }

    /// The numbers, as far as they are known ahead: the outer option says whether they are.
    pub fn known(&self, facts: &[Option<&Fact>]) -> Option<Option<Few>> {
        match self {
            Ints::Absent => Some(None),
            Ints::Fixed(v) => Some(Some(v.clone())),
            Ints::Input(i) => match facts.get(*i).copied().flatten() {
                None => Some(None),
                Some(fact) => ints_of(fact.constant.as_ref()?).ok().map(Some),
            },
        }
    }

    /// How many there are, if that is known ahead.
    pub fn count(&self, facts: &[Option<&Fact>]) -> Option<usize> {
        match self {
            Ints::Absent => None,
            Ints::Fixed(v) => Some(v.len()),
            Ints::Input(i) => match facts.get(*i)?.as_ref()?.shape.as_deref()? {
                // A file may claim any length; no array has more axes.
                [n] => n.known().filter(|&n| n <= freelane_array::MAX_RANK),
                _ => None,
            },
        }
    }
}

/// An axis, counted from the front.
pub(crate) fn axis_of(axis: i64, rank: usize) -> Result<usize, GraphError> {
    let from_front = if axis < 0 { axis + rank as i64 } else { axis };
    match usize::try_from(from_front) {
        Ok(a) if a < rank => Ok(a),
        _ => Err(GraphError::invalid(format!("there is no axis {axis} among {rank}"))),
    }
}

/// Axes, counted from the front, each once.
pub(crate) fn axes_of(axes: &[i64], rank: usize) -> Result<SmallVec<[usize; 8]>, GraphError> {
    let found = axes.iter().map(|&a| axis_of(a, rank)).collect::<Result<SmallVec<[usize; 8]>, _>>()?;
    match found.iter().enumerate().find(|(i, a)| found[..*i].contains(a)) {
        Some((_, a)) => Err(GraphError::invalid(format!("axis {a} is named twice"))),
        None => Ok(found),
    }
}

/// A length.
pub(crate) fn length_of(n: i64) -> Result<usize, GraphError> {
    usize::try_from(n)
        .map_err(|_| GraphError::invalid(format!("an axis cannot have the length {n}, only zero or more")))
}

/// Lengths.
pub(crate) fn lengths_of(shape: &[i64]) -> Result<SmallVec<[usize; 8]>, GraphError> {
    shape.iter().map(|&n| length_of(n)).collect()
}

/// Lengths as facts.
pub(crate) fn dims_of(shape: &[usize]) -> Vec<Dim> {
    shape.iter().map(|&n| Dim::Known(n)).collect()
}

/// The number that a tensor of one element holds.
pub(crate) fn int_of(cx: &Run<'_>, i: usize) -> Result<Option<i64>, GraphError> {
    let Some(array) = cx.array_or_none(i)? else { return Ok(None) };
    match ints_of(array)?.as_slice() {
        [one] => Ok(Some(*one)),
        other => Err(GraphError::invalid(format!("input {i} must hold one number, not {}", other.len()))),
    }
}

/// The real number that a tensor of one element holds.
pub(crate) fn float_of(cx: &Run<'_>, i: usize) -> Result<Option<f64>, GraphError> {
    let Some(array) = cx.array_or_none(i)? else { return Ok(None) };
    let array = Array::from(array.clone()).astype(freelane_array::DType::F64)?;
    match array.to_vec::<f64>()?.as_slice() {
        [one] => Ok(Some(*one)),
        other => Err(GraphError::invalid(format!("input {i} must hold one number, not {}", other.len()))),
    }
}

/// Input `i` as an array. It is borrowed: a handle of its own would write to what all threads of a constant share.
pub(crate) fn array<'r>(cx: &Run<'r>, i: usize) -> Result<&'r Array, GraphError> {
    Ok(Array::of(cx.array(i)?))
}

/// What is known of an input, if it is there.
pub(crate) fn fact<'f>(facts: &[Option<&'f Fact>], i: usize) -> Option<&'f Fact> {
    facts.get(i).copied().flatten()
}

/// A fact of a type and maybe a shape.
pub(crate) fn known(dtype: Option<freelane_array::DType>, shape: Option<Vec<Dim>>) -> Vec<Fact> {
    vec![Fact { dtype, shape, constant: None }]
}

/// Values in a list, whose length a file may have chosen: memory that cannot be had is an error.
pub(crate) fn listed<T>(count: usize, values: impl Iterator<Item = T>) -> Result<Vec<T>, GraphError> {
    let mut list = Vec::new();
    list.try_reserve_exact(count)
        .map_err(|_| GraphError::invalid(format!("memory for a list of {count} numbers cannot be had")))?;
    list.extend(values.take(count));
    Ok(list)
}

/// The number of elements of two axes.
pub(crate) fn area_of(a: usize, b: usize) -> Result<usize, GraphError> {
    a.checked_mul(b).ok_or_else(|| GraphError::invalid(format!("{a} times {b} elements are too many")))
}

/// The place of elements in an array of a shape, as they lie one after another: the steps of the axes.
pub(crate) fn steps(shape: &[usize]) -> Vec<usize> {
    let mut steps = vec![1usize; shape.len()];
    for i in (1..shape.len()).rev() {
        // Beyond all memory only where there are no elements.
        steps[i - 1] = steps[i].saturating_mul(shape[i]);
    }
    steps
}
