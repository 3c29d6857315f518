//! Losses of classifiers.
use crate::arrays::{Real, dense_as, elements, elements_mut, in_dtype, wide_dtype, with_real};
use freelane_array::{ArrayData, DType};
use freelane_ops::{Array, OpsError};

/// What is made of the losses of all elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reduce {
    /// They stay apart.
    None,
    /// Their mean, weighted if there are weights.
    #[default]
    Mean,
    /// Their sum.
    Sum,
}

/// Negative logarithms of the probabilities of what was right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NegativeLogLikelihood {
    /// What is made of all.
    pub reduce: Reduce,
    /// The class that does not count.
    pub ignore: Option<i64>,
}

impl NegativeLogLikelihood {
    /// The loss of logarithms `[batch, classes, ...]` for classes `[batch, ...]`.
    ///
    /// # Errors
    /// When shapes do not fit, a class does not exist, elements are no floats, or memory cannot be had.
    pub fn call(
        &self,
        op: &'static str,
        logs: &ArrayData,
        classes: &ArrayData,
        weights: Option<&ArrayData>,
    ) -> Result<ArrayData, OpsError> {
        let (shape, found) = (logs.layout().shape(), classes.layout().shape());
        let fail = || OpsError::argument(op, format!("logarithms of shape {shape:?} and classes of shape {found:?}"));
        let [batch, count, rest @ ..] = shape else { return Err(fail()) };
        let pixels: usize = rest.iter().product();
        if found.len() + 1 != shape.len() || found[0] != *batch || found[1..] != *rest {
            return Err(fail());
        }
        if weights.is_some_and(|w| w.layout().len() != *count) {
            return Err(OpsError::argument(op, format!("weights for {count} classes")));
        }
        let wide = wide_dtype(op, logs.dtype())?;
        let dense = dense_as(logs, wide)?;
        let classes = dense_as(classes, DType::I64)?;
        let classes = elements::<i64>(&classes)?;
        let weights = weights.map(|w| dense_as(w, wide)).transpose()?;
        let done = with_real!(op, wide, T => {
            let from = elements::<T>(&dense)?;
            let weights = weights.as_deref().map(elements::<T>).transpose()?;
            let mut losses = Array::zeros(found, T::DTYPE)?;
            let all = self.losses(op, from, classes, weights, [*count, pixels], elements_mut::<T>(&mut losses)?)?;
            match self.reduce {
                Reduce::None => Ok(losses),
                Reduce::Sum => losses.sum(.., false),
                Reduce::Mean => losses.sum(.., false)?.divide(&Array::full(&[], all.wide(), T::DTYPE)?),
            }
        })?;
        in_dtype(done.into(), logs.dtype())
    }

    /// Writes the losses; returns the sum of the weights.
    fn losses<T: Real>(
        &self,
        op: &'static str,
        from: &[T],
        classes: &[i64],
        weights: Option<&[T]>,
        [count, pixels]: [usize; 2],
        losses: &mut [T],
    ) -> Result<T, OpsError> {
        let mut all = T::zero();
        for (i, (loss, &class)) in losses.iter_mut().zip(classes).enumerate() {
            if self.ignore == Some(class) {
                continue;
            }
            let place = usize::try_from(class).ok().filter(|c| *c < count);
            let c = place.ok_or_else(|| OpsError::argument(op, format!("class {class} of {count}")))?;
            let weight = weights.map_or(T::one(), |w| w[c]);
            all += weight;
            *loss = -from[(i / pixels * count + c) * pixels + i % pixels] * weight;
        }
        Ok(all)
    }
}
