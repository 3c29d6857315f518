//! The two precisions.
use crate::plans::{Cache, Plans};
use freelane_array::{DType, Element};
use num_complex::Complex;
use rustfft::FftNum;

/// A real number that transforms compute in.
pub(crate) trait Real: FftNum + Element {
    /// The dtype of its complex numbers.
    const COMPLEX: DType;

    /// Where its plans are kept.
    fn cache(plans: &mut Plans) -> &mut Cache<Self>;

    /// The nearest number.
    fn nearest(x: f64) -> Self;
}

impl Real for f32 {
    const COMPLEX: DType = <Complex<f32> as Element>::DTYPE;

    fn cache(plans: &mut Plans) -> &mut Cache<f32> {
        &mut plans.single
    }

    fn nearest(x: f64) -> f32 {
        x as f32
    }
}

impl Real for f64 {
    const COMPLEX: DType = <Complex<f64> as Element>::DTYPE;

    fn cache(plans: &mut Plans) -> &mut Cache<f64> {
        &mut plans.double
    }

    fn nearest(x: f64) -> f64 {
        x
    }
}
