//! An array with a label for each axis.
use super::order::Sizes;
use super::{Label, Labels, OP, wrong};
use crate::{Array, OpsError};
use freelane_array::{DType, Dims, Layout, Strides};
use smallvec::SmallVec;

pub(super) struct Term {
    pub array: Array,
    pub labels: Labels,
}

impl Term {
    /// Each label once: axes of one label become their diagonal.
    pub fn new(x: &Array, labels: &[Label]) -> Result<Term, OpsError> {
        let (mut kept, mut shape, mut strides) = (Labels::new(), Dims::new(), Strides::new());
        for ((&label, &n), &stride) in labels.iter().zip(x.shape()).zip(x.strides()) {
            match kept.iter().position(|&l| l == label) {
                None => {
                    kept.push(label);
                    shape.push(n);
                    strides.push(stride);
                }
                Some(at) if shape[at] == n => strides[at] = strides[at].wrapping_add(stride),
                Some(at) => {
                    let name = super::subscripts::shown(label);
                    return Err(wrong(format!("{name} names axes of {} and {n} elements in one operand", shape[at])));
                }
            }
        }
        let array = x.viewed(OP, Layout::strided(&shape, &strides, x.data().layout().offset()))?;
        Ok(Term { array, labels: kept })
    }

    pub fn has(&self, label: Label) -> bool {
        self.labels.contains(&label)
    }

    fn axes(&self, mut which: impl FnMut(usize) -> bool) -> SmallVec<[isize; 4]> {
        (0..self.labels.len()).filter(|&axis| which(axis)).map(|axis| axis as isize).collect()
    }

    /// Without axes of length 1 that are longer elsewhere: they broadcast.
    pub fn without_stretched(self, sizes: &Sizes) -> Result<Term, OpsError> {
        let drop = self.axes(|i| self.array.shape()[i] == 1 && sizes.get(self.labels[i]) != Some(1));
        self.without(drop, |x, axes| x.squeeze(axes))
    }

    pub fn in_dtype(self, dtype: DType) -> Result<Term, OpsError> {
        Ok(Term { array: self.array.astype(dtype)?, labels: self.labels })
    }

    /// Summed over the labels that are not to be kept.
    pub fn summed(self, keep: impl Fn(Label) -> bool) -> Result<Term, OpsError> {
        let over = self.axes(|i| !keep(self.labels[i]));
        self.without(over, |x, axes| match x.dtype() {
            DType::Bool => x.any(axes, false),
            dtype => x.sum(axes, false)?.astype(dtype),
        })
    }

    fn without(
        self,
        axes: SmallVec<[isize; 4]>,
        how: impl FnOnce(&Array, &[isize]) -> Result<Array, OpsError>,
    ) -> Result<Term, OpsError> {
        if axes.is_empty() {
            return Ok(self);
        }
        let array = how(&self.array, &axes)?;
        let kept = self.labels.iter().enumerate().filter(|(i, _)| !axes.contains(&(*i as isize)));
        Ok(Term { array, labels: kept.map(|(_, &label)| label).collect() })
    }

    /// The array with its axes in the order of `labels`; those it has not get length 1.
    pub fn spread(&self, labels: &[Label]) -> Result<Array, OpsError> {
        let have: Labels = labels.iter().copied().filter(|&l| self.has(l)).collect();
        let mut array = self.permuted(&have)?;
        for (axis, &label) in labels.iter().enumerate() {
            if !self.has(label) {
                array = array.expand_dims(axis as isize)?;
            }
        }
        Ok(array)
    }

    fn permuted(&self, labels: &[Label]) -> Result<Array, OpsError> {
        let at = |label| self.labels.iter().position(|l| l == label).map(|axis| axis as isize);
        self.array.permute_dims(&labels.iter().filter_map(at).collect::<SmallVec<[isize; 4]>>())
    }

    /// The axes as the result has them.
    pub fn in_order(self, output: &[Label]) -> Result<Array, OpsError> {
        if self.labels[..] == *output { Ok(self.array) } else { self.permuted(output) }
    }
}
