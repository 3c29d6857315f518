//! What is known of derivatives, by row. The rules themselves belong to graphs; here is whether there can be one.
use crate::function::{Kind, Param};
use crate::{Function, Reduction, UFunc};
use freelane_array::DType;
use std::fmt;

/// The derivative of a function, or of one of its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gradient {
    /// Nothing real is put in: integers, truths, shapes, or no operands at all.
    None,
    /// The derivative is zero wherever there is one: steps, comparisons, positions.
    Zero,
    /// There is a derivative almost everywhere, and it is not always zero.
    Differentiable,
}

impl fmt::Display for Gradient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Gradient::None => "none",
            Gradient::Zero => "zero",
            Gradient::Differentiable => "differentiable",
        })
    }
}

impl Param {
    /// The parameter of an operand on which the result depends in steps, if at all.
    #[must_use]
    pub const fn flat(mut self) -> Param {
        self.gradient = Gradient::Zero;
        self
    }

    /// The parameter of an operand that holds integers or truths.
    #[must_use]
    pub const fn whole(mut self) -> Param {
        self.gradient = Gradient::None;
        self
    }
}

impl Kind {
    /// What a parameter of this kind has if its row says nothing else.
    pub(crate) const fn gradient(self) -> Gradient {
        match self {
            Kind::Operand | Kind::Operands => Gradient::Differentiable,
            _ => Gradient::None,
        }
    }
}

impl UFunc {
    /// Its derivative.
    pub fn gradient(&self) -> Gradient {
        let results = || DType::ALL.iter().filter(|d| d.is_inexact()).filter_map(|&d| self.output_dtype(d));
        match results().next() {
            None => Gradient::None,
            Some(_) if results().any(|d| d.is_inexact()) => self.derivative,
            Some(_) => Gradient::Zero,
        }
    }
}

impl Reduction {
    /// Its derivative: zero where results are counts, positions or truths.
    pub fn gradient(&self) -> Gradient {
        match self.output_dtype(DType::F64) {
            Some(result) if result.is_inexact() => Gradient::Differentiable,
            Some(_) => Gradient::Zero,
            None => Gradient::None,
        }
    }
}

impl Function {
    /// Its derivative: that of the parameter which has most of one.
    ///
    /// ```
    /// use freelane_ops::{Function, Gradient};
    /// let of = |name| Function::by_name(name).map(Function::gradient);
    /// assert_eq!(of("sin"), Some(Gradient::Differentiable));
    /// assert_eq!(of("floor"), Some(Gradient::Zero));
    /// assert_eq!(of("less"), Some(Gradient::Zero));
    /// assert_eq!(of("bitwise_and"), Some(Gradient::None));
    /// assert_eq!(of("take"), Some(Gradient::Differentiable));
    /// ```
    pub fn gradient(self) -> Gradient {
        match self {
            Function::UFunc(f) => f.gradient(),
            Function::Reduction(r, _) => r.gradient(),
            Function::Op(op) => op.params.iter().map(|p| p.gradient).max().unwrap_or(Gradient::None),
        }
    }
}
