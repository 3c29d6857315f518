//! `+ - * / % & | ^ ! -` and their assigning forms, on arrays and scalars.
//!
//! An operator panics where the method of the same function returns an error, since Rust's operators cannot return one:
//! when shapes do not broadcast, the dtype has no such function, or memory cannot be had. Use the methods
//! ([`Array::add`] and so on) where that must not happen.
use crate::{Array, Operand, OpsError, UFunc, ufuncs};
use freelane_pool::Lane;
use std::ops;

#[track_caller]
fn apply(f: &UFunc, args: &[Operand<'_>]) -> Array {
    match Lane::with(|lane| f.call(lane, args)) {
        Ok(data) => data.into(),
        Err(e) => fail(&e),
    }
}

#[track_caller]
fn apply_assign(f: &UFunc, x: &mut Array, y: Operand<'_>) {
    if let Err(e) = Lane::with(|lane| f.call_over(lane, x.data_mut(), &[None, Some(y)])) {
        fail(&e)
    }
}

#[cold]
#[track_caller]
fn fail(e: &OpsError) -> ! {
    panic!("{e}")
}

/// Binary operators: array with array or scalar on the right, scalar on the left, and `op=`.
macro_rules! binary {
    ($($Trait:ident $method:ident $Assign:ident $assign:ident $NAME:ident;)*) => { $(
        impl<'a, R: Into<Operand<'a>>> ops::$Trait<R> for &Array {
            type Output = Array;
            #[track_caller]
            fn $method(self, rhs: R) -> Array {
                apply(&ufuncs::$NAME, &[self.into(), rhs.into()])
            }
        }
        impl<'a, R: Into<Operand<'a>>> ops::$Trait<R> for Array {
            type Output = Array;
            #[track_caller]
            fn $method(self, rhs: R) -> Array {
                apply(&ufuncs::$NAME, &[(&self).into(), rhs.into()])
            }
        }
        impl ops::$Trait<Array> for &Array {
            type Output = Array;
            #[track_caller]
            fn $method(self, rhs: Array) -> Array {
                apply(&ufuncs::$NAME, &[self.into(), (&rhs).into()])
            }
        }
        impl ops::$Trait<Array> for Array {
            type Output = Array;
            #[track_caller]
            fn $method(self, rhs: Array) -> Array {
                apply(&ufuncs::$NAME, &[(&self).into(), (&rhs).into()])
            }
        }
        impl<'a, R: Into<Operand<'a>>> ops::$Assign<R> for Array {
            #[track_caller]
            fn $assign(&mut self, rhs: R) {
                apply_assign(&ufuncs::$NAME, self, rhs.into())
            }
        }
        impl ops::$Assign<Array> for Array {
            #[track_caller]
            fn $assign(&mut self, rhs: Array) {
                apply_assign(&ufuncs::$NAME, self, (&rhs).into())
            }
        }
        scalar_left!($Trait $method $NAME; bool i32 i64 f32 f64 num_complex::Complex<f64>);
    )* };
}

macro_rules! scalar_left {
    ($Trait:ident $method:ident $NAME:ident; $($S:ty)*) => { $(
        impl ops::$Trait<&Array> for $S {
            type Output = Array;
            #[track_caller]
            fn $method(self, rhs: &Array) -> Array {
                apply(&ufuncs::$NAME, &[self.into(), rhs.into()])
            }
        }
        impl ops::$Trait<Array> for $S {
            type Output = Array;
            #[track_caller]
            fn $method(self, rhs: Array) -> Array {
                apply(&ufuncs::$NAME, &[self.into(), (&rhs).into()])
            }
        }
    )* };
}

binary! {
    Add add AddAssign add_assign ADD;
    Sub sub SubAssign sub_assign SUBTRACT;
    Mul mul MulAssign mul_assign MULTIPLY;
    Div div DivAssign div_assign DIVIDE;
    Rem rem RemAssign rem_assign REMAINDER;
    BitAnd bitand BitAndAssign bitand_assign BITWISE_AND;
    BitOr bitor BitOrAssign bitor_assign BITWISE_OR;
    BitXor bitxor BitXorAssign bitxor_assign BITWISE_XOR;
}

macro_rules! unary {
    ($($Trait:ident $method:ident $NAME:ident;)*) => { $(
        impl ops::$Trait for &Array {
            type Output = Array;
            #[track_caller]
            fn $method(self) -> Array {
                apply(&ufuncs::$NAME, &[self.into()])
            }
        }
        impl ops::$Trait for Array {
            type Output = Array;
            #[track_caller]
            fn $method(self) -> Array {
                apply(&ufuncs::$NAME, &[(&self).into()])
            }
        }
    )* };
}

unary! {
    Neg neg NEGATIVE;
    Not not BITWISE_INVERT;
}
