//! The half types: every function runs in f32, between conversions without branches that vectorise.
use super::{Map1, Map2, Tier};
use half::{bf16, f16};
use std::marker::PhantomData;

/// A 16-bit float that computes in f32.
pub trait Half: Copy + 'static {
    /// The same value in f32.
    fn widen(self) -> f32;
    /// The nearest value, ties to even.
    fn narrow(x: f32) -> Self;
}

impl Half for f16 {
    /// The magnitude, moved into place, is off by the difference of the exponent biases: a product puts it right, for
    /// subnormal values too.
    #[inline(always)]
    fn widen(self) -> f32 {
        let h = self.to_bits() as u32;
        let magnitude = (h & 0x7fff) << 13;
        let special = if magnitude >= 0x7c00 << 13 { 0x7f80_0000 } else { 0 };
        let scaled = f32::from_bits(magnitude) * f32::from_bits((127 + 112) << 23);
        f32::from_bits(scaled.to_bits() | special | (h & 0x8000) << 16)
    }

    #[inline(always)]
    fn narrow(x: f32) -> f16 {
        let sign = x.to_bits() >> 16 & 0x8000;
        let a = x.to_bits() & 0x7fff_ffff;
        // Round the mantissa in place; a carry runs into the exponent, up to infinity.
        let normal = a.wrapping_sub(112 << 23).wrapping_add(0xfff + (a >> 13 & 1)) >> 13;
        // Added to 0.5, a small value is rounded to the unit of the subnormals, which are then the low bits.
        let small = (f32::from_bits(a) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
        let finite = if a < 113 << 23 { small } else { normal };
        let finite = if a >= 143 << 23 { 0x7c00 } else { finite };
        let magnitude = if a > 0x7f80_0000 { 0x7e00 } else { finite };
        f16::from_bits((sign | magnitude) as u16)
    }
}

impl Half for bf16 {
    #[inline(always)]
    fn widen(self) -> f32 {
        f32::from_bits((self.to_bits() as u32) << 16)
    }

    #[inline(always)]
    fn narrow(x: f32) -> bf16 {
        let b = x.to_bits();
        let rounded = b.wrapping_add(0x7fff + (b >> 16 & 1)) >> 16;
        let quiet = b >> 16 | 0x40;
        bf16::from_bits(if b & 0x7fff_ffff > 0x7f80_0000 { quiet } else { rounded } as u16)
    }
}

/// What a result in f32 arithmetic becomes for a half type: f32 is narrowed, bool stays.
pub trait Widen<H> {
    /// The result for `H`.
    type Out: Copy;
    /// Converts it.
    fn back(self) -> Self::Out;
}

impl<H: Half> Widen<H> for f32 {
    type Out = H;
    #[inline(always)]
    fn back(self) -> H {
        H::narrow(self)
    }
}

impl<H: Half> Widen<H> for bool {
    type Out = bool;
    #[inline(always)]
    fn back(self) -> bool {
        self
    }
}

/// Runs `K` in f32 for a half type.
#[derive(Clone, Copy, Debug)]
pub struct Wide<K>(PhantomData<K>);

impl<H: Half, K: Map1<f32, Out: Widen<H>>> Map1<H> for Wide<K> {
    type Out = <K::Out as Widen<H>>::Out;
    const TIER: Tier = K::TIER;
    const GUARD: bool = K::GUARD;
    #[inline(always)]
    fn apply(x: H) -> Self::Out {
        K::apply(x.widen()).back()
    }
    #[inline(always)]
    fn guard(x: H) -> bool {
        K::guard(x.widen())
    }
    #[inline(always)]
    fn slow(x: H) -> Self::Out {
        K::slow(x.widen()).back()
    }
}

impl<H: Half, K: Map2<f32, Out: Widen<H>>> Map2<H> for Wide<K> {
    type Out = <K::Out as Widen<H>>::Out;
    const TIER: Tier = K::TIER;
    const GUARD: bool = K::GUARD;
    #[inline(always)]
    fn apply(a: H, b: H) -> Self::Out {
        K::apply(a.widen(), b.widen()).back()
    }
    #[inline(always)]
    fn guard(a: H, b: H) -> bool {
        K::guard(a.widen(), b.widen())
    }
    #[inline(always)]
    fn slow(a: H, b: H) -> Self::Out {
        K::slow(a.widen(), b.widen()).back()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_widens_and_comes_back() {
        for bits in 0..=u16::MAX {
            let (h, b) = (f16::from_bits(bits), bf16::from_bits(bits));
            assert!(h.widen() == h.to_f32() || h.is_nan() && h.widen().is_nan(), "{bits:#x}");
            assert_eq!(h.widen().is_sign_negative(), h.is_sign_negative());
            assert!(f16::narrow(h.widen()) == h || h.is_nan());
            assert_eq!(b.widen().to_bits(), (bits as u32) << 16);
            assert!(bf16::narrow(b.widen()) == b || b.is_nan() && bf16::narrow(b.widen()).is_nan());
        }
    }

    #[test]
    fn narrowing_rounds_to_nearest_even() {
        // Every f32 exponent and sign, with mantissas around every rounding case of both types.
        for top in 0..=0xffffu32 {
            for low in [0, 1, 0x0fff, 0x1000, 0x1001, 0x2fff, 0x3000, 0x3001, 0x7fff, 0x8000, 0x8001, 0xffff] {
                let x = f32::from_bits(top << 16 | low);
                let (h, b) = (f16::narrow(x), bf16::narrow(x));
                if x.is_nan() {
                    assert!(h.is_nan() && b.is_nan());
                } else {
                    assert_eq!(h.to_bits(), f16::from_f32_const(x).to_bits(), "{x:e}");
                    assert_eq!(b.to_bits(), bf16::from_f32_const(x).to_bits(), "{x:e}");
                }
            }
        }
    }
}
