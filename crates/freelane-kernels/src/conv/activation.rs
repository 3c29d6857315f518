//! What happens to a sum before it is stored.
use crate::elementwise::{Clip, Map1, Map3, Relu, Sigmoid, Silu, loop1};
use core::ops::{Add, Mul};
use freelane_simd::Isa;

/// A function of the finished element. Each gives the bits of the elementwise function of its name.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Activation<T> {
    /// The element.
    #[default]
    None,
    /// `max(x, 0)`.
    Relu,
    /// `min(max(x, low), high)`.
    Clip(T, T),
    /// `x` where it is not negative, else `x` times the slope.
    Leaky(T),
    /// `max(0, min(1, x * slope + offset))`.
    HardSigmoid(T, T),
    /// `x * HardSigmoid(1/6, 1/2)`.
    HardSwish,
    /// `1 / (1 + e^-x)`.
    Sigmoid,
    /// `x / (1 + e^-x)`.
    Silu,
}

/// A float with activations.
pub trait Active:
    Copy + Default + PartialOrd + Add<Output = Self> + Mul<Output = Self> + Send + Sync + 'static
{
    /// One.
    const ONE: Self;
    /// Slope and offset of [`Activation::HardSwish`].
    const SWISH: (Self, Self);
    #[doc(hidden)]
    fn clip(x: Self, low: Self, high: Self) -> Self;
    #[doc(hidden)]
    fn relu(x: Self) -> Self;
    #[doc(hidden)]
    fn heavy(isa: Isa, x: &mut [Self], silu: bool);
}

macro_rules! active {
    ($($t:ty),*) => {$(
        impl Active for $t {
            const ONE: $t = 1.0;
            const SWISH: ($t, $t) = (1.0 / 6.0, 0.5);
            #[inline(always)]
            fn clip(x: $t, low: $t, high: $t) -> $t {
                <Clip as Map3<$t>>::apply(x, low, high)
            }
            #[inline(always)]
            fn relu(x: $t) -> $t {
                <Relu as Map1<$t>>::apply(x)
            }
            fn heavy(isa: Isa, x: &mut [$t], silu: bool) {
                let (n, size, p) = (x.len(), size_of::<$t>() as isize, x.as_mut_ptr().cast::<u8>());
                let function = if silu { loop1::<Silu, $t> } else { loop1::<Sigmoid, $t> };
                // SAFETY: `n` elements, in place.
                unsafe { function(isa, n, p, size, p, size) };
            }
        }
    )*};
}
active!(f32, f64);

/// What is done to a row of sums.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finish<'a, T> {
    /// Added first, to all elements.
    pub bias: Option<T>,
    /// Added then, element by element.
    pub residual: Option<&'a [T]>,
    pub activation: Activation<T>,
}

impl<T: Active> Finish<'_, T> {
    /// Finishes the row in place.
    pub fn run(&self, isa: Isa, x: &mut [T]) {
        if self.bias.is_none() && self.residual.is_none() && self.activation == Activation::None {
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if crate::compiled::has_avx2(isa) {
            // SAFETY: the CPU has the instructions, as just asked.
            unsafe { avx2(self, x) };
            return self.heavy(isa, x);
        }
        self.light(x);
        self.heavy(isa, x);
    }

    fn heavy(&self, isa: Isa, x: &mut [T]) {
        if matches!(self.activation, Activation::Sigmoid | Activation::Silu) {
            T::heavy(isa, x, self.activation == Activation::Silu);
        }
    }

    /// All but the heavy functions. There is no fused multiply-add here, so every instruction set gives the same bits.
    #[inline(always)]
    fn light(&self, x: &mut [T]) {
        let zero = T::default();
        match self.activation {
            Activation::None | Activation::Sigmoid | Activation::Silu => self.sums(x, |x| x),
            Activation::Relu => self.sums(x, T::relu),
            Activation::Clip(low, high) => self.sums(x, |x| T::clip(x, low, high)),
            // Choosing the factor costs less than choosing the result, which may be compiled into a store of chosen elements.
            Activation::Leaky(slope) => self.sums(x, |x| x * if x < zero { slope } else { T::ONE }),
            Activation::HardSigmoid(slope, offset) => self.sums(x, |x| hard(x, slope, offset)),
            Activation::HardSwish => self.sums(x, |x| x * hard(x, T::SWISH.0, T::SWISH.1)),
        }
    }

    #[inline(always)]
    fn sums(&self, x: &mut [T], f: impl Fn(T) -> T) {
        match (self.bias, self.residual) {
            (None, None) => {
                for x in x {
                    *x = f(*x);
                }
            }
            (Some(bias), None) => {
                for x in x {
                    *x = f(*x + bias);
                }
            }
            (None, Some(rest)) => {
                for (x, r) in x.iter_mut().zip(rest) {
                    *x = f(*x + *r);
                }
            }
            (Some(bias), Some(rest)) => {
                for (x, r) in x.iter_mut().zip(rest) {
                    *x = f(*x + bias + *r);
                }
            }
        }
    }
}

#[inline(always)]
fn hard<T: Active>(x: T, slope: T, offset: T) -> T {
    T::clip(x * slope + offset, T::default(), T::ONE)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2<T: Active>(finish: &Finish<'_, T>, x: &mut [T]) {
    finish.light(x);
}
