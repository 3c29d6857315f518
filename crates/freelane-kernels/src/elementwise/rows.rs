//! Macros that write rows: one function, one body, a group of element types.
//!
//! `map1!(Negative: floats, |x| -x)`; with `-> bool` after the group where the result has another type, and `scalar` before
//! the body where no vector code can be made of it. The group `floats` takes in the half types, through [`Wide`](super::Wide).

macro_rules! map1 {
    ($k:ident: ints $($rest:tt)*) => { map1!($k: [i8, i16, i32, i64, u8, u16, u32, u64] $($rest)*); };
    ($k:ident: signed $($rest:tt)*) => { map1!($k: [i8, i16, i32, i64] $($rest)*); };
    ($k:ident: unsigned $($rest:tt)*) => { map1!($k: [u8, u16, u32, u64] $($rest)*); };
    ($k:ident: complex $($rest:tt)*) => { map1!($k: [num_complex::Complex<f32>, num_complex::Complex<f64>] $($rest)*); };
    ($k:ident: floats $($rest:tt)*) => { map1!($k: [f32, f64] $($rest)*); halves1!($k); };
    ($k:ident: [$($t:ty),*], |$x:ident| $e:expr) => { $( map1!(@ $k, $t, $t, Light, $x, $e); )* };
    ($k:ident: [$($t:ty),*] -> $o:ty, |$x:ident| $e:expr) => { $( map1!(@ $k, $t, $o, Light, $x, $e); )* };
    ($k:ident: [$($t:ty),*], scalar |$x:ident| $e:expr) => { $( map1!(@ $k, $t, $t, Scalar, $x, $e); )* };
    ($k:ident: [$($t:ty),*] -> $o:ty, scalar |$x:ident| $e:expr) => { $( map1!(@ $k, $t, $o, Scalar, $x, $e); )* };
    (@ $k:ident, $t:ty, $o:ty, $tier:ident, $x:ident, $e:expr) => {
        impl crate::elementwise::Map1<$t> for $k {
            type Out = $o;
            const TIER: crate::elementwise::Tier = crate::elementwise::Tier::$tier;
            #[inline(always)]
            fn apply($x: $t) -> $o { $e }
        }
    };
}

macro_rules! map2 {
    ($k:ident: ints $($rest:tt)*) => { map2!($k: [i8, i16, i32, i64, u8, u16, u32, u64] $($rest)*); };
    ($k:ident: signed $($rest:tt)*) => { map2!($k: [i8, i16, i32, i64] $($rest)*); };
    ($k:ident: unsigned $($rest:tt)*) => { map2!($k: [u8, u16, u32, u64] $($rest)*); };
    ($k:ident: complex $($rest:tt)*) => { map2!($k: [num_complex::Complex<f32>, num_complex::Complex<f64>] $($rest)*); };
    ($k:ident: floats $($rest:tt)*) => { map2!($k: [f32, f64] $($rest)*); halves2!($k); };
    ($k:ident: [$($t:ty),*], |$a:ident, $b:ident| $e:expr) => { $( map2!(@ $k, $t, $t, Light, $a, $b, $e); )* };
    ($k:ident: [$($t:ty),*] -> $o:ty, |$a:ident, $b:ident| $e:expr) => { $( map2!(@ $k, $t, $o, Light, $a, $b, $e); )* };
    ($k:ident: [$($t:ty),*], scalar |$a:ident, $b:ident| $e:expr) => { $( map2!(@ $k, $t, $t, Scalar, $a, $b, $e); )* };
    ($k:ident: [$($t:ty),*] -> $o:ty, scalar |$a:ident, $b:ident| $e:expr) => { $( map2!(@ $k, $t, $o, Scalar, $a, $b, $e); )* };
    (@ $k:ident, $t:ty, $o:ty, $tier:ident, $a:ident, $b:ident, $e:expr) => {
        impl crate::elementwise::Map2<$t> for $k {
            type Out = $o;
            const TIER: crate::elementwise::Tier = crate::elementwise::Tier::$tier;
            #[inline(always)]
            fn apply($a: $t, $b: $t) -> $o { $e }
        }
    };
}

/// The half types of a function of one element.
macro_rules! halves1 {
    ($($k:ident),*) => { $( halves1!(@ $k, half::f16); halves1!(@ $k, half::bf16); )* };
    (@ $k:ident, $h:ty) => {
        impl crate::elementwise::Map1<$h> for $k {
            type Out = <crate::elementwise::Wide<$k> as crate::elementwise::Map1<$h>>::Out;
            const TIER: crate::elementwise::Tier =
                <crate::elementwise::Wide<$k> as crate::elementwise::Map1<$h>>::TIER;
            const GUARD: bool = <crate::elementwise::Wide<$k> as crate::elementwise::Map1<$h>>::GUARD;
            #[inline(always)]
            fn apply(x: $h) -> Self::Out {
                <crate::elementwise::Wide<$k> as crate::elementwise::Map1<$h>>::apply(x)
            }
            #[inline(always)]
            fn guard(x: $h) -> bool {
                <crate::elementwise::Wide<$k> as crate::elementwise::Map1<$h>>::guard(x)
            }
            #[inline(always)]
            fn slow(x: $h) -> Self::Out {
                <crate::elementwise::Wide<$k> as crate::elementwise::Map1<$h>>::slow(x)
            }
        }
    };
}

/// The half types of a function of two elements.
macro_rules! halves2 {
    ($($k:ident),*) => { $( halves2!(@ $k, half::f16); halves2!(@ $k, half::bf16); )* };
    (@ $k:ident, $h:ty) => {
        impl crate::elementwise::Map2<$h> for $k {
            type Out = <crate::elementwise::Wide<$k> as crate::elementwise::Map2<$h>>::Out;
            const TIER: crate::elementwise::Tier =
                <crate::elementwise::Wide<$k> as crate::elementwise::Map2<$h>>::TIER;
            const GUARD: bool = <crate::elementwise::Wide<$k> as crate::elementwise::Map2<$h>>::GUARD;
            #[inline(always)]
            fn apply(a: $h, b: $h) -> Self::Out {
                <crate::elementwise::Wide<$k> as crate::elementwise::Map2<$h>>::apply(a, b)
            }
            #[inline(always)]
            fn guard(a: $h, b: $h) -> bool {
                <crate::elementwise::Wide<$k> as crate::elementwise::Map2<$h>>::guard(a, b)
            }
            #[inline(always)]
            fn slow(a: $h, b: $h) -> Self::Out {
                <crate::elementwise::Wide<$k> as crate::elementwise::Map2<$h>>::slow(a, b)
            }
        }
    };
}

/// Declares functions by name: `functions! { /// Sine. Sin, ... }`.
macro_rules! functions {
    ($($(#[$doc:meta])* $k:ident),* $(,)?) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $k;
    )* };
}
