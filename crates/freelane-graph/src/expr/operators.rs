//! `+ - * / % & | ^ ! -` on expressions, arrays and scalars.
//!
//! As with arrays, an operator panics where the method of the same function returns an error.
use super::{Expr, Given, Scope};
use crate::GraphError;
use freelane_ops::{Function, UFunc, ufuncs};
use freelane_pool::Lane;
use std::ops;

/// An elementwise function of expressions and scalars.
///
/// # Errors
/// As [`Expr::call`].
pub(super) fn apply(f: &'static UFunc, args: &[Given]) -> Result<Expr, GraphError> {
    let args: Vec<Option<Given>> = args.iter().cloned().map(Some).collect();
    let made = Lane::with(|lane| Expr::call(&Scope::new(lane), Function::UFunc(f), &args))?;
    made.one().ok_or_else(|| GraphError::invalid(format!("{} makes one array", f.name)))
}

#[track_caller]
fn must(f: &'static UFunc, args: &[Given]) -> Expr {
    match apply(f, args) {
        Ok(expr) => expr,
        Err(e) => fail(&e),
    }
}

#[cold]
#[track_caller]
fn fail(e: &GraphError) -> ! {
    panic!("{e}")
}

macro_rules! binary {
    ($($Trait:ident $method:ident $NAME:ident;)*) => { $(
        impl<R: Into<Given>> ops::$Trait<R> for &Expr {
            type Output = Expr;
            #[track_caller]
            fn $method(self, rhs: R) -> Expr {
                must(&ufuncs::$NAME, &[self.into(), rhs.into()])
            }
        }
        impl<R: Into<Given>> ops::$Trait<R> for Expr {
            type Output = Expr;
            #[track_caller]
            fn $method(self, rhs: R) -> Expr {
                must(&ufuncs::$NAME, &[self.into(), rhs.into()])
            }
        }
        scalar_left!($Trait $method $NAME; bool i32 i64 f32 f64);
    )* };
}

macro_rules! scalar_left {
    ($Trait:ident $method:ident $NAME:ident; $($S:ty)*) => { $(
        impl ops::$Trait<&Expr> for $S {
            type Output = Expr;
            #[track_caller]
            fn $method(self, rhs: &Expr) -> Expr {
                must(&ufuncs::$NAME, &[self.into(), rhs.into()])
            }
        }
        impl ops::$Trait<Expr> for $S {
            type Output = Expr;
            #[track_caller]
            fn $method(self, rhs: Expr) -> Expr {
                must(&ufuncs::$NAME, &[self.into(), rhs.into()])
            }
        }
    )* };
}

binary! {
    Add add ADD;
    Sub sub SUBTRACT;
    Mul mul MULTIPLY;
    Div div DIVIDE;
    Rem rem REMAINDER;
    BitAnd bitand BITWISE_AND;
    BitOr bitor BITWISE_OR;
    BitXor bitxor BITWISE_XOR;
}

macro_rules! unary {
    ($($Trait:ident $method:ident $NAME:ident;)*) => { $(
        impl ops::$Trait for &Expr {
            type Output = Expr;
            #[track_caller]
            fn $method(self) -> Expr {
                must(&ufuncs::$NAME, &[self.into()])
            }
        }
        impl ops::$Trait for Expr {
            type Output = Expr;
            #[track_caller]
            fn $method(self) -> Expr {
                must(&ufuncs::$NAME, &[self.into()])
            }
        }
    )* };
}

unary! {
    Neg neg NEGATIVE;
    Not not BITWISE_INVERT;
}
