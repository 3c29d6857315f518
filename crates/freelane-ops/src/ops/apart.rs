//! Numbers taken apart: quotient and remainder, whole part and fraction, fraction and exponent, digits.
use crate::function::{Default, Kind, Param};
use crate::ufuncs::steps::{EXPONENT, FRACTION, MANTISSA, SCALE_BY_POWER};
use crate::{Array, Op, Operand, OpsError, Run, ufuncs};
use freelane_array::DType;
use freelane_pool::Lane;

impl Array {
    /// Quotient and remainder, as `floor_divide` and `remainder` have them.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let (q, r) = Array::from_vec(vec![7, -7], &[2])?.divmod(3)?;
    /// assert_eq!((q.to_vec::<i32>()?, r.to_vec::<i32>()?), (vec![2, -3], vec![1, 2]));
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// As those functions.
    pub fn divmod<'a>(&self, other: impl Into<Operand<'a>>) -> Result<(Array, Array), OpsError> {
        let other = other.into();
        let run = || {
            let quotient = self.floor_divide(other)?;
            let remainder = match rest(self, other, &quotient)? {
                Some(rest) => rest,
                None => self.remainder(other)?,
            };
            Ok((quotient, remainder))
        };
        run().map_err(|e: OpsError| e.of("divmod"))
    }

    /// Fraction and whole part, both with the sign of the element. The fraction of an infinity is zero.
    ///
    /// # Errors
    /// When the array is complex, or memory cannot be had.
    pub fn modf(&self) -> Result<(Array, Array), OpsError> {
        let dtype = crate::promote::float_result(self.dtype());
        let run = || {
            let x = self.astype(dtype)?;
            let fraction = Lane::with(|lane| FRACTION.call(lane, &[(&x).into()]))?;
            Ok((fraction.into(), x.trunc()?))
        };
        run().map_err(|e: OpsError| e.of("modf"))
    }

    /// Fractions and exponents, `x = fraction 2^exponent`; magnitudes of fractions lie between 1/2 and 1.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let (fraction, exponent) = Array::from_vec(vec![6.0, 0.0], &[2])?.frexp()?;
    /// assert_eq!((fraction.to_vec::<f64>()?, exponent.to_vec::<i32>()?), (vec![0.75, 0.0], vec![3, 0]));
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When the array is complex, or memory cannot be had.
    pub fn frexp(&self) -> Result<(Array, Array), OpsError> {
        Lane::with(|lane| {
            Ok((MANTISSA.call(lane, &[self.into()])?.into(), EXPONENT.call(lane, &[self.into()])?.into()))
        })
    }

    /// Each element times two to the power of an integer, rounded once.
    ///
    /// # Errors
    /// When the exponents are no integers, the array is complex, shapes do not broadcast, or memory cannot be had.
    pub fn ldexp(&self, exponent: &Array) -> Result<Array, OpsError> {
        if !exponent.dtype().is_integer() {
            let message = format!("takes integers as exponents, not {}", exponent.dtype());
            return Err(OpsError::argument("ldexp", message));
        }
        let held = if exponent.dtype() == DType::I32 { None } else { Some(in_32_bits(exponent)?) };
        let (exponent, x) = (held.as_ref().unwrap_or(exponent).into(), self.into());
        Lane::with(|lane| SCALE_BY_POWER.call(lane, &[exponent, x, x])).map(Into::into)
    }

    /// Each element rounded to so many decimals, halves to the even digit; negative numbers count digits before the point.
    /// Floats are multiplied by a power of ten, rounded and divided by it.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// assert_eq!(Array::from_vec(vec![2.675, -0.125], &[2])?.around(2)?.to_vec::<f64>()?, [2.68, -0.12]);
    /// assert_eq!(Array::from_vec(vec![15, 25, -17], &[3])?.around(-1)?.to_vec::<i32>()?, [20, 20, -20]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When the array is boolean, or memory cannot be had.
    pub fn around(&self, decimals: i32) -> Result<Array, OpsError> {
        let run = || match (decimals, self.dtype().is_integer()) {
            (0, _) | (1.., true) => self.round(),
            _ if self.dtype() == DType::Bool => self.round(),
            (_, true) => round_integers(self, decimals.unsigned_abs()),
            (1.., false) => power_of_ten(self, decimals).map_or_else(
                || Ok(self.clone()),
                |ten| {
                    let whole = ufuncs::ROUND.over(self.multiply(ten)?, &[None])?;
                    ufuncs::DIVIDE.over(whole, &[None, Some(ten.into())])
                },
            ),
            (_, false) => match power_of_ten(self, decimals.saturating_neg()) {
                Some(ten) => {
                    let whole = ufuncs::ROUND.over(self.divide(ten)?, &[None])?;
                    ufuncs::MULTIPLY.over(whole, &[None, Some(ten.into())])
                }
                None => self.zeros_like(),
            },
        };
        run().map_err(|e: OpsError| e.of("around"))
    }
}

/// Elements from which a product and a look for zeros cost less than a division.
const MANY: usize = 1024;

/// What a quotient of integers of at most 32 bits leaves, by a product; `None` where that costs more, or is something else, as
/// beside a zero.
fn rest(x: &Array, y: Operand<'_>, quotient: &Array) -> Result<Option<Array>, OpsError> {
    let exact = match y {
        Operand::Array(y) => {
            let dtype = x.dtype();
            let fast = dtype.is_integer() && dtype.size() <= 4 && quotient.len() >= MANY;
            let same = fast && y.dtype() == dtype && quotient.dtype() == dtype;
            same && Array::of(y).all(.., false)?.item::<bool>()?
        }
        Operand::Scalar(_) => false,
    };
    if !exact {
        return Ok(None);
    }
    ufuncs::SUBTRACT.over(quotient.multiply(y)?, &[Some(x.into()), None]).map(Some)
}

/// Exponents as `i32`: what that does not hold is far beyond every float.
fn in_32_bits(exponent: &Array) -> Result<Array, OpsError> {
    let held = match exponent.dtype() {
        DType::I64 => exponent.clip(Some(i32::MIN.into()), Some(i32::MAX.into()))?,
        DType::U32 | DType::U64 => exponent.minimum(i32::MAX)?,
        _ => exponent.clone(),
    };
    held.astype(DType::I32)
}

/// A power of ten, if the array's dtype has it.
fn power_of_ten(x: &Array, decimals: i32) -> Option<f64> {
    let most = match x.dtype().real() {
        DType::F16 => 4,
        DType::F32 | DType::BF16 => 38,
        _ => 308,
    };
    (decimals <= most).then(|| 10f64.powi(decimals))
}

fn round_integers(x: &Array, digits: u32) -> Result<Array, OpsError> {
    let Some(ten) =
        10i128.checked_pow(digits).filter(|t| crate::Scalar::Int(*t).to_element("around", x.dtype()).is_ok())
    else {
        return x.zeros_like();
    };
    let ten = crate::Scalar::Int(ten);
    let (q, r) = x.divmod(ten)?;
    let rest = Array::full(&[], ten, x.dtype())?.subtract(&r)?;
    let odd = q.bitwise_and(1)?.equal(1)?;
    let up = r.greater(&rest)?.logical_or(&r.equal(&rest)?.logical_and(&odd)?)?;
    q.add(&up.astype(x.dtype())?)?.multiply(ten)
}

const X: Param = Param::required("x", Kind::Operand);
const Y: Param = Param::required("y", Kind::Operand);

pub(crate) static DIVMOD: Op = Op {
    name: "divmod",
    doc: "Quotient and remainder, as floor_divide and remainder have them.",
    params: &[X, Y],
    run: Run::Many(&["quotient", "remainder"], |_, a| a.array(0)?.divmod(a.operand(1)?).map(|(q, r)| vec![q, r])),
    onnx: None,
};

pub(crate) static MODF: Op = Op {
    name: "modf",
    doc: "Fraction and whole part, both with the sign of the element.",
    params: &[X],
    run: Run::Many(&["fractional", "integral"], |_, a| a.array(0)?.modf().map(|(f, w)| vec![f, w])),
    onnx: None,
};

pub(crate) static FREXP: Op = Op {
    name: "frexp",
    doc: "Fractions and exponents: x = mantissa 2^exponent; magnitudes of mantissas lie between 1/2 and 1.",
    params: &[X],
    run: Run::Many(&["mantissa", "exponent"], |_, a| a.array(0)?.frexp().map(|(m, e)| vec![m, e])),
    onnx: None,
};

pub(crate) static LDEXP: Op = Op {
    name: "ldexp",
    doc: "Each element times two to the power of an integer, rounded once.",
    params: &[X, Param::required("exponent", Kind::Operand).whole()],
    run: Run::One(|_, a| a.array(0)?.ldexp(&a.array(1)?)),
    onnx: None,
};

pub(crate) static AROUND: Op = Op {
    name: "around",
    doc: "Each element rounded to so many decimals, halves to the even digit; negative numbers count digits before the point.",
    params: &[X.flat(), Param::optional("decimals", Kind::Int, Default::Int(0))],
    run: Run::One(|_, a| {
        let decimals = a.int(1)?.clamp(-1000, 1000) as i32;
        a.array(0)?.around(decimals)
    }),
    onnx: None,
};
