//! Indexing as an operator.
use crate::{Fact, GraphError, Operator, Run};
use freelane_array::Index;
use freelane_ops::{Array, IndexItem, made};

/// One item of an index whose arrays are inputs of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickItem {
    /// A position, a range, a new axis or the ellipsis.
    Basic(Index),
    /// Elements by the numbers in this input.
    Ints(usize),
    /// The elements where this input is true.
    Bools(usize),
}

/// The part of its first input that an index selects.
pub struct Pick(pub Vec<PickItem>);

impl Operator for Pick {
    fn name(&self) -> &str {
        "index"
    }

    fn infer(&self, inputs: &[Option<&Fact>], _: usize) -> Result<Vec<Fact>, GraphError> {
        let Some(x) = inputs.first().copied().flatten() else { return Ok(vec![Fact::unknown()]) };
        let mut fact = Fact { dtype: x.dtype, ..Fact::unknown() };
        let basic: Option<Vec<Index>> =
            self.0.iter().map(|item| if let PickItem::Basic(index) = item { Some(*index) } else { None }).collect();
        if let (Some(basic), Some(dtype), Some(shape)) = (basic, x.dtype, x.known_shape()) {
            let part = Array::from(made::stand_in(dtype, &shape)?).index(&basic)?;
            fact = Fact::known(dtype, part.shape());
        }
        Ok(vec![fact])
    }

    fn run(&self, cx: &mut Run<'_>) -> Result<(), GraphError> {
        let array = |i: usize| cx.array(i).map(|a| Array::from(a.clone()));
        let item = |item: &PickItem| {
            Ok::<_, GraphError>(match *item {
                PickItem::Basic(index) => IndexItem::Basic(index),
                PickItem::Ints(i) => IndexItem::Ints(array(i)?),
                PickItem::Bools(i) => IndexItem::Bools(array(i)?),
            })
        };
        let items = self.0.iter().map(item).collect::<Result<Vec<_>, _>>()?;
        let part = Array::of(cx.array(0)?).get_items(&items)?;
        cx.set(0, part);
        Ok(())
    }

    fn key(&self) -> Option<String> {
        Some(format!("{:?}", self.0))
    }
}
