//! What happens to one line: the three kinds of transform, each from and to contiguous memory.
use crate::plans::{Plan, Way, plan};
use crate::real::Real;
use freelane_array::Element;
use freelane_mem::MemError;
use num_complex::Complex;
use realfft::{ComplexToReal, RealToComplex};
use rustfft::Fft;
use std::sync::Arc;

/// A transform of one line.
pub(crate) trait Line: Sync {
    /// What its work memory holds.
    type Work: Element;
    /// What it reads.
    type In: Element;
    /// What it writes.
    type Out: Element;

    /// The elements it reads; missing ones are zeros.
    fn len_in(&self) -> usize;

    /// The elements it writes.
    fn len_out(&self) -> usize;

    /// The work memory it needs.
    fn work(&self) -> usize;

    /// Whether the result takes the place of what is read, so that `output` may be empty.
    fn in_place(&self) -> bool {
        false
    }

    /// Transforms `input`, which is lost.
    fn run(&self, input: &mut [Self::In], output: &mut [Self::Out], work: &mut [Self::Work]);

    /// Where the results are, of those two.
    fn result<'a>(_input: &'a [Self::In], output: &'a [Self::Out]) -> &'a [Self::Out] {
        output
    }
}

fn scale<T: Real>(line: &mut [Complex<T>], factor: T) {
    if factor != T::one() {
        line.iter_mut().for_each(|z| *z = Complex::new(z.re * factor, z.im * factor));
    }
}

fn conjugate<T: Real>(line: &mut [Complex<T>]) {
    line.iter_mut().for_each(|z| z.im = -z.im);
}

/// Complex numbers to complex numbers.
pub(crate) struct ComplexLine<T: Real> {
    fft: Arc<dyn Fft<T>>,
    factor: T,
}

impl<T: Real> ComplexLine<T> {
    pub(crate) fn new(n: usize, inverse: bool, factor: f64) -> Result<Self, MemError> {
        match plan(if inverse { Way::Inverse } else { Way::Forward }, n)? {
            Plan::Complex(fft) => Ok(ComplexLine { fft, factor: T::nearest(factor) }),
            _ => unreachable!("the way says what the plan is"),
        }
    }
}

impl<T: Real> Line for ComplexLine<T>
where
    Complex<T>: Element,
{
    type Work = Complex<T>;
    type In = Complex<T>;
    type Out = Complex<T>;

    fn len_in(&self) -> usize {
        self.fft.len()
    }

    fn len_out(&self) -> usize {
        self.fft.len()
    }

    fn work(&self) -> usize {
        self.fft.get_inplace_scratch_len()
    }

    fn in_place(&self) -> bool {
        true
    }

    fn run(&self, input: &mut [Complex<T>], _output: &mut [Complex<T>], work: &mut [Complex<T>]) {
        self.fft.process_with_scratch(input, work);
        scale(input, self.factor);
    }

    fn result<'a>(input: &'a [Complex<T>], _output: &'a [Complex<T>]) -> &'a [Complex<T>] {
        input
    }
}

/// Real numbers to complex numbers.
pub(crate) struct RealLine<T: Real> {
    fft: Arc<dyn RealToComplex<T>>,
    factor: T,
    conjugate: bool,
    whole: bool,
}

impl<T: Real> RealLine<T> {
    /// `conjugate`: to the result of the inverse transform; `whole`: to all of the spectrum, not its first half.
    pub(crate) fn new(n: usize, conjugate: bool, whole: bool, factor: f64) -> Result<Self, MemError> {
        match plan(Way::FromReal, n)? {
            Plan::FromReal(fft) => Ok(RealLine { fft, factor: T::nearest(factor), conjugate, whole }),
            _ => unreachable!("the way says what the plan is"),
        }
    }
}

impl<T: Real> Line for RealLine<T>
where
    Complex<T>: Element,
{
    type Work = Complex<T>;
    type In = T;
    type Out = Complex<T>;

    fn len_in(&self) -> usize {
        self.fft.len()
    }

    fn len_out(&self) -> usize {
        if self.whole { self.fft.len() } else { self.fft.complex_len() }
    }

    fn work(&self) -> usize {
        self.fft.get_scratch_len()
    }

    fn run(&self, input: &mut [T], output: &mut [Complex<T>], work: &mut [Complex<T>]) {
        let n = self.fft.len();
        let (half, mirrored) = output.split_at_mut(self.fft.complex_len());
        let done = self.fft.process_with_scratch(input, half, work);
        debug_assert!(done.is_ok(), "the driver gives memory of the lengths asked for");
        scale(half, self.factor);
        if self.conjugate {
            conjugate(half);
        }
        if self.whole {
            let twins = half[1..].iter().take((n - 1) / 2).rev();
            mirrored.iter_mut().zip(twins).for_each(|(z, twin)| *z = twin.conj());
        }
    }
}

/// The first half of a spectrum to real numbers.
pub(crate) struct HalfLine<T: Real> {
    fft: Arc<dyn ComplexToReal<T>>,
    factor: T,
    conjugate: bool,
}

impl<T: Real> HalfLine<T> {
    /// `conjugate`: of the conjugate spectrum, as the forward transform sees it.
    pub(crate) fn new(n: usize, conjugate: bool, factor: f64) -> Result<Self, MemError> {
        match plan(Way::ToReal, n)? {
            Plan::ToReal(fft) => Ok(HalfLine { fft, factor: T::nearest(factor), conjugate }),
            _ => unreachable!("the way says what the plan is"),
        }
    }
}

impl<T: Real> Line for HalfLine<T>
where
    Complex<T>: Element,
{
    type Work = Complex<T>;
    type In = Complex<T>;
    type Out = T;

    fn len_in(&self) -> usize {
        self.fft.complex_len()
    }

    fn len_out(&self) -> usize {
        self.fft.len()
    }

    fn work(&self) -> usize {
        self.fft.get_scratch_len()
    }

    fn run(&self, input: &mut [Complex<T>], output: &mut [T], work: &mut [Complex<T>]) {
        if self.conjugate {
            conjugate(input);
        }
        // The spectrum of real numbers is real at zero and, if their number is even, at its last place.
        input[0].im = T::zero();
        if self.fft.len().is_multiple_of(2)
            && let Some(last) = input.last_mut()
        {
            last.im = T::zero();
        }
        let done = self.fft.process_with_scratch(input, output, work);
        debug_assert!(done.is_ok(), "the driver gives memory of the lengths asked for");
        if self.factor != T::one() {
            output.iter_mut().for_each(|x| *x = *x * self.factor);
        }
    }
}
