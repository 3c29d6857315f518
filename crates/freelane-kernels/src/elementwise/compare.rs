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
