//! Comparisons and logic: results are bool.
use half::{bf16, f16};
use num_complex::Complex;

functions! {
    /// `a == b`.
    Equal,
    /// `a != b`.
    NotEqual,
    /// `a < b`.
    Less,
    /// `a <= b`.
    LessEqual,
    /// `a > b`.
    Greater,
    /// `a >= b`.
    GreaterEqual,
    /// Both differ from zero.
    LogicalAnd,
    /// One or both differ from zero.
    LogicalOr,
    /// Exactly one differs from zero.
    LogicalXor,
    /// Equals zero.
    LogicalNot,
}

/// Whether an element counts as true.
pub trait Truth: Copy {
    /// Differs from zero; NaN is true.
    fn truth(self) -> bool;
}

macro_rules! truth {
    ($($t:ty, |$x:ident| $e:expr;)*) => { $(
        impl Truth for $t {
            #[inline(always)]
            fn truth(self) -> bool {
                let $x = self;
                $e
            }
        }
    )* };
}
truth! {
    bool, |x| x;
    i8, |x| x != 0; i16, |x| x != 0; i32, |x| x != 0; i64, |x| x != 0;
    u8, |x| x != 0; u16, |x| x != 0; u32, |x| x != 0; u64, |x| x != 0;
    f32, |x| x != 0.0; f64, |x| x != 0.0;
    f16, |x| x.to_bits() & 0x7fff != 0; bf16, |x| x.to_bits() & 0x7fff != 0;
    Complex<f32>, |x| (x.re != 0.0) | (x.im != 0.0);
    Complex<f64>, |x| (x.re != 0.0) | (x.im != 0.0);
}

macro_rules! ordered {
    ($($k:ident $op:tt;)*) => { $(
        map2!($k: ints -> bool, |a, b| a $op b);
        map2!($k: floats -> bool, |a, b| a $op b);
        map2!($k: [bool] -> bool, |a, b| a $op b);
    )* };
}
ordered! { Equal ==; NotEqual !=; Less <; LessEqual <=; Greater >; GreaterEqual >=; }
map2!(Equal: complex -> bool, |a, b| (a.re == b.re) & (a.im == b.im));
map2!(NotEqual: complex -> bool, |a, b| (a.re != b.re) | (a.im != b.im));

macro_rules! logical {
    ($($t:ty),*) => {
        map2!(LogicalAnd: [$($t),*] -> bool, |a, b| a.truth() & b.truth());
        map2!(LogicalOr: [$($t),*] -> bool, |a, b| a.truth() | b.truth());
        map2!(LogicalXor: [$($t),*] -> bool, |a, b| a.truth() ^ b.truth());
        map1!(LogicalNot: [$($t),*] -> bool, |x| !x.truth());
    };
}
logical!(bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, Complex<f32>, Complex<f64>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::{Map1, Map2};

    #[test]
    fn nan_differs_from_everything_and_is_true() {
        let nan = f64::NAN;
        for other in [nan, 0.0, f64::INFINITY] {
            assert!(!Equal::apply(nan, other) && NotEqual::apply(nan, other));
            assert!(!Less::apply(nan, other) && !LessEqual::apply(nan, other));
            assert!(!Greater::apply(other, nan) && !GreaterEqual::apply(other, nan));
        }
        assert!(LogicalAnd::apply(nan, 1.0) && !LogicalNot::apply(nan) && LogicalNot::apply(-0.0));
        assert!(Equal::apply(0.0f64, -0.0));
        assert!(LogicalNot::apply(f16::NEG_ZERO) && !LogicalNot::apply(bf16::MIN_POSITIVE_SUBNORMAL));
    }

    #[test]
    fn numbers_compare_in_their_own_type() {
        assert!(Less::apply(-1i8, 1) && Greater::apply(u64::MAX, 1) && Less::apply(false, true));
        assert!(Equal::apply(Complex::new(1.0f64, 2.0), Complex::new(1.0, 2.0)));
        assert!(NotEqual::apply(Complex::new(1.0f32, 2.0), Complex::new(1.0, 3.0)));
        assert!(LogicalXor::apply(3i32, 0) && !LogicalXor::apply(3i32, 4) && LogicalOr::apply(0u8, 2));
    }
}
