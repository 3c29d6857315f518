//! Functions of expressions as methods: those of an array, by the same names.
use super::operators::apply;
use super::{Expr, Given, Recorded, Scope};
use crate::GraphError;
use freelane_array::{DType, Index};
use freelane_ops::{Axes, Function, Scalar, Value, ufuncs};
use freelane_pool::Lane;

macro_rules! unary {
    ($($name:ident $NAME:ident;)*) => {
        impl Expr { $(
            #[doc = concat!("As [`Array::", stringify!($name), "`](freelane_ops::Array::", stringify!($name), ").")]
            ///
            /// # Errors
            /// As that.
            pub fn $name(&self) -> Result<Expr, GraphError> {
                apply(&ufuncs::$NAME, &[self.into()])
            }
        )* }

        #[cfg(test)]
        const UNARY: &[&str] = &[$(stringify!($name)),*];
    };
}

macro_rules! binary {
    ($($name:ident $NAME:ident;)*) => {
        impl Expr { $(
            #[doc = concat!("As [`Array::", stringify!($name), "`](freelane_ops::Array::", stringify!($name), ").")]
            ///
            /// # Errors
            /// As that.
            pub fn $name(&self, other: impl Into<Given>) -> Result<Expr, GraphError> {
                apply(&ufuncs::$NAME, &[self.into(), other.into()])
            }
        )* }

        #[cfg(test)]
        const BINARY: &[&str] = &[$(stringify!($name)),*];
    };
}

macro_rules! ternary {
    ($($name:ident $NAME:ident;)*) => {
        impl Expr { $(
            #[doc = concat!("As [`Array::", stringify!($name), "`](freelane_ops::Array::", stringify!($name), ").")]
            ///
            /// # Errors
            /// As that.
            pub fn $name(&self, x: impl Into<Given>, y: impl Into<Given>) -> Result<Expr, GraphError> {
                apply(&ufuncs::$NAME, &[self.into(), x.into(), y.into()])
            }
        )* }

        #[cfg(test)]
        const TERNARY: &[&str] = &[$(stringify!($name)),*];
    };
}

unary! {
    erfc ERFC; sigmoid SIGMOID; relu RELU; silu SILU;
    gelu GELU; softplus SOFTPLUS; negative NEGATIVE; positive POSITIVE;
    abs ABS; sign SIGN; square SQUARE; sqrt SQRT;
    reciprocal RECIPROCAL; conj CONJ; bitwise_invert BITWISE_INVERT; logical_not LOGICAL_NOT;
    bitwise_count BITWISE_COUNT; isnan ISNAN; isinf ISINF; isfinite ISFINITE;
    signbit SIGNBIT; exp EXP; log LOG; erf ERF;
    exp2 EXP2; expm1 EXPM1; log1p LOG1P; log2 LOG2;
    log10 LOG10; cbrt CBRT; floor FLOOR; ceil CEIL;
    trunc TRUNC; round ROUND; rint RINT; gamma GAMMA;
    lgamma LGAMMA; digamma DIGAMMA; erfinv ERFINV; sinc SINC;
    i0 I0; logit LOGIT; radians RADIANS; deg2rad DEG2RAD;
    degrees DEGREES; rad2deg RAD2DEG; angle ANGLE; sin SIN;
    cos COS; tanh TANH; tan TAN; sinh SINH;
    cosh COSH; asin ASIN; acos ACOS; atan ATAN;
    asinh ASINH; acosh ACOSH; atanh ATANH;
}

binary! {
    add ADD; subtract SUBTRACT; multiply MULTIPLY; divide DIVIDE;
    floor_divide FLOOR_DIVIDE; remainder REMAINDER; pow POW; copysign COPYSIGN;
    nextafter NEXTAFTER; minimum MINIMUM; maximum MAXIMUM; fmin FMIN;
    fmax FMAX; fmod FMOD; bitwise_and BITWISE_AND; bitwise_or BITWISE_OR;
    bitwise_xor BITWISE_XOR; bitwise_left_shift BITWISE_LEFT_SHIFT; bitwise_right_shift BITWISE_RIGHT_SHIFT; logical_and LOGICAL_AND;
    logical_or LOGICAL_OR; logical_xor LOGICAL_XOR; gcd GCD; lcm LCM;
    equal EQUAL; not_equal NOT_EQUAL; less LESS; less_equal LESS_EQUAL;
    greater GREATER; greater_equal GREATER_EQUAL; logaddexp LOGADDEXP; xlogy XLOGY;
    heaviside HEAVISIDE; atan2 ATAN2; hypot HYPOT;
}

ternary! {
    fma FMA; lerp LERP; where_ WHERE;
}

/// The result of a function of the main namespace.
fn call(name: &str, args: &[Option<Given>]) -> Result<Expr, GraphError> {
    let function =
        Function::by_name(name).ok_or_else(|| GraphError::invalid(format!("there is no function {name}")))?;
    match Lane::with(|lane| Expr::call(&Scope::new(lane), function, args))? {
        Recorded::One(expr) => Ok(expr),
        Recorded::Many(_, exprs) => {
            let message = format!("{name} makes {} arrays; call it by Expr::call", exprs.len());
            Err(GraphError::invalid(message))
        }
    }
}

fn axes(axes: Axes) -> Given {
    Given::Fixed(match axes {
        Axes::All => Value::None,
        Axes::These(axes) => whole(axes),
    })
}

fn whole(numbers: impl IntoIterator<Item = isize>) -> Value {
    Value::Tuple(numbers.into_iter().map(|n| Value::Scalar(Scalar::Int(n as i128))).collect())
}

macro_rules! reductions {
    ($($name:ident $keepdims:literal;)*) => {
        impl Expr { $(
            #[doc = concat!("As [`Array::", stringify!($name), "`](freelane_ops::Array::", stringify!($name), ").")]
            ///
            /// # Errors
            /// As that.
            pub fn $name(&self, over: impl Into<Axes>, keepdims: bool) -> Result<Expr, GraphError> {
                let mut args = vec![Some(self.into()), Some(axes(over.into()))];
                args.resize($keepdims, None);
                args.push(Some(keepdims.into()));
                call(stringify!($name), &args)
            }
        )* }
    };
}

reductions! { sum 3; prod 3; max 2; min 2; mean 3; any 2; all 2; }

impl Expr {
    /// As [`Array::matmul`](freelane_ops::Array::matmul).
    ///
    /// # Errors
    /// As that.
    pub fn matmul(&self, other: impl Into<Given>) -> Result<Expr, GraphError> {
        call("matmul", &[Some(self.into()), Some(other.into())])
    }

    /// The elements in another type.
    pub fn astype(&self, dtype: DType) -> Expr {
        self.cast(dtype, &None)
    }

    /// As [`Array::reshape`](freelane_ops::Array::reshape).
    ///
    /// # Errors
    /// As that.
    pub fn reshape(&self, shape: &[isize]) -> Result<Expr, GraphError> {
        call("reshape", &[Some(self.into()), Some(Given::Fixed(whole(shape.iter().copied())))])
    }

    /// As [`Array::permute_dims`](freelane_ops::Array::permute_dims).
    ///
    /// # Errors
    /// As that.
    pub fn permute_dims(&self, axes: &[isize]) -> Result<Expr, GraphError> {
        call("permute_dims", &[Some(self.into()), Some(Given::Fixed(whole(axes.iter().copied())))])
    }

    /// As [`Array::index`](freelane_ops::Array::index).
    ///
    /// # Errors
    /// As that.
    pub fn index(&self, items: &[Index]) -> Result<Expr, GraphError> {
        let items = items.iter().copied().map(crate::PickItem::Basic).collect();
        Lane::with(|lane| self.pick(&Scope::new(lane), items, &[]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_elementwise_function_is_a_method() {
        for f in ufuncs::all() {
            let methods = match f.arity() {
                1 => UNARY,
                2 => BINARY,
                _ => TERNARY,
            };
            assert!(methods.iter().any(|m| m.trim_end_matches('_') == f.name), "{} has no method", f.name);
        }
    }
}
