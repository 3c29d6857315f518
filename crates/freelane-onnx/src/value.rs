//! Values in files of their own: what cases and users feed to a model.
use crate::proto::{Optional, Sequence, Tensor, Type};
use crate::wire::Budget;
use crate::{ExternalData, Fault, Limits, array_of};
use freelane_graph::Datum;

/// Reads a value of a type: a tensor, a sequence or an optional.
///
/// # Errors
/// When the bytes are no such value.
pub fn value_of(bytes: &[u8], ty: Option<&Type<'_>>) -> Result<Datum, Fault> {
    let limits = Limits::default();
    let budget = Budget::new(bytes, &limits);
    match ty {
        Some(Type { sequence_type: Some(_), .. }) => sequence(&Sequence::read(&budget)?),
        Some(Type { optional_type: Some(_), .. }) => optional(&Optional::read(&budget)?),
        Some(Type { map_type: Some(_), .. }) => Err(Fault::Unsupported("maps are not supported".to_owned())),
        _ => tensor(&Tensor::read(&budget)?),
    }
}

fn tensor(tensor: &Tensor<'_>) -> Result<Datum, Fault> {
    Ok(array_of(tensor, &ExternalData::Refused)?.into())
}

fn sequence(s: &Sequence<'_>) -> Result<Datum, Fault> {
    let tensors = s.tensor_values.iter().map(tensor);
    let others = s.sequence_values.iter().map(sequence).chain(s.optional_values.iter().map(optional));
    tensors.chain(others).collect::<Result<_, _>>().map(Datum::Sequence)
}

fn optional(o: &Optional<'_>) -> Result<Datum, Fault> {
    let inner = match (&o.tensor_value, &o.sequence_value, &o.optional_value) {
        (Some(t), ..) => Some(tensor(t)?),
        (_, Some(s), _) => Some(sequence(s)?),
        (_, _, Some(inner)) => Some(optional(inner)?),
        _ => None,
    };
    Ok(Datum::Optional(inner.map(Box::new)))
}
