//! The reductions, one row each.
//!
//! A row gives the static [`Reduction`] (its name in capitals), the method of [`Array`], the function of
//! `freelane eval`, its documentation, generated tests and a bench line.
use crate::reduce::FoldEntry;
use crate::{Array, Axes, OpsError, ReduceArgs, Reduction};
use freelane_array::{DType, Element};
use freelane_kernels::reduce::{self as k, Fold, fold_loops};
use freelane_pool::Lane;

/// The dtype of a fold's parameter; `()` has none.
trait Param {
    const DTYPE: Option<DType>;
}

impl Param for () {
    const DTYPE: Option<DType> = None;
}

macro_rules! params {
    ($($T:ty),*) => { $(impl Param for $T { const DTYPE: Option<DType> = Some(<$T as Element>::DTYPE); })* };
}
params!(f32, f64, freelane_array::types::C64, freelane_array::types::C128);

#[allow(private_bounds)]
const fn fold<F: Fold<T>, T: Element>() -> Option<FoldEntry>
where
    F::Out: Element,
    F::Param: Param,
{
    Some(FoldEntry { loops: fold_loops::<T, F>(), out: <F::Out as Element>::DTYPE, param: <F::Param as Param>::DTYPE })
}

/// Fills a table: each group of dtypes names the fold that serves it.
macro_rules! folds {
    (@fill $t:ident bool $F:ty) => { folds!(@set $t $F; bool) };
    (@fill $t:ident ints $F:ty) => { folds!(@set $t $F; u8 i8 u16 i16 u32 i32 u64 i64) };
    (@fill $t:ident floats $F:ty) => { folds!(@set $t $F; f16 bf16 f32 f64) };
    (@fill $t:ident complex $F:ty) => { folds!(@set $t $F; C64 C128) };
    (@fill $t:ident all $F:ty) => {
        folds!(@fill $t bool $F);
        folds!(@fill $t ints $F);
        folds!(@fill $t floats $F);
        folds!(@fill $t complex $F)
    };
    (@set $t:ident $F:ty; $($T:ty)*) => { $($t[<$T as Element>::DTYPE as usize] = fold::<$F, $T>();)* };
    ({ $($group:ident: $F:ty),* $(,)? }) => {{
        #[allow(unused_imports)]
        use freelane_array::types::*;
        let mut t = [None; DType::COUNT];
        $(folds!(@fill t $group $F);)*
        t
    }};
}

macro_rules! reductions {
    ($($(#[doc = $doc:literal])+ $vis:vis $name:ident $NAME:ident ($kind:ident) {
        folds: $groups:tt, $(wide: $wide:tt,)? promotion: $class:ident, needs_elements: $needs:literal, cost: $cost:literal
        $(, onnx: ($onnx:literal, $opset:literal))? $(,)?
    })*) => {
        $(
            $(#[doc = $doc])+
            $vis static $NAME: Reduction = Reduction {
                name: stringify!($name),
                doc: concat!($($doc, "\n"),+),
                folds: { static TABLE: crate::FoldTable = folds!($groups); &TABLE },
                wide: { static TABLE: crate::FoldTable = reductions!(@wide $($wide)?); &TABLE },
                promotion: crate::Promotion::$class,
                needs_elements: $needs,
                cost: $cost,
                onnx: reductions!(@option $(($onnx, $opset))?),
            };
            reductions!(@method $($doc)+; $kind $name $NAME);
        )*

        const ROWS: &[(&Reduction, Signature)] = &[$((&$NAME, Signature::$kind)),*];
    };
    (@wide) => { [None; DType::COUNT] };
    (@wide $groups:tt) => { folds!($groups) };
    (@option) => { None };
    (@option $value:expr) => { Some($value) };
    (@method $($doc:literal)+; Hidden $name:ident $NAME:ident) => {};
    (@method $($doc:literal)+; Typed $name:ident $NAME:ident) => {
        reductions!(@method $($doc)+; Axes $name $NAME);
    };
    (@method $($doc:literal)+; Axes $name:ident $NAME:ident) => {
        impl Array {
            $(#[doc = $doc])+
            ///
            /// `axes` is `..` for all, a number, or a list; with `keepdims` they stay, with length 1.
            ///
            /// # Errors
            /// When an axis does not exist, the dtype has no such reduction, or memory cannot be had.
            pub fn $name(&self, axes: impl Into<Axes>, keepdims: bool) -> Result<Array, OpsError> {
                self.reduced(&$NAME, axes.into(), keepdims, 0.0)
            }
        }
    };
    (@method $($doc:literal)+; Correction $name:ident $NAME:ident) => {
        impl Array {
            $(#[doc = $doc])+
            ///
            /// `axes` is `..` for all, a number, or a list; with `keepdims` they stay, with length 1. `correction` is
            /// subtracted from the number of elements before dividing: 0 for the population's, 1 for the sample's.
            ///
            /// # Errors
            /// When an axis does not exist, the dtype has no such reduction, or memory cannot be had.
            pub fn $name(&self, axes: impl Into<Axes>, correction: f64, keepdims: bool) -> Result<Array, OpsError> {
                self.reduced(&$NAME, axes.into(), keepdims, correction)
            }
        }
    };
}

/// Which arguments a reduction takes beside the array and `keepdims`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    /// Any axes.
    Axes,
    /// Any axes, and the type in which to compute and answer.
    Typed,
    /// Any axes, and a correction of the count.
    Correction,
    /// Not part of the interface.
    Hidden,
}

reductions! {
    /// The sum of the elements; 0 for none. Integers are added up in 64 bits, floats in `f64` whatever their type. With a dtype, the sum is in that.
    pub sum SUM (Typed) {
        folds: { all: k::Sum }, wide: { all: k::WideSum }, promotion: Same, needs_elements: false, cost: 0.25, onnx: ("ReduceSum", 13),
    }
    /// The product of the elements; 1 for none. Integers are multiplied in 64 bits, floats in `f64` whatever their type. With a dtype, the product is in that.
    pub prod PROD (Typed) {
        folds: { all: k::Prod }, wide: { all: k::WideProd }, promotion: Same, needs_elements: false, cost: 0.3, onnx: ("ReduceProd", 13),
    }
    /// The arithmetic mean; NaN for no elements. Integers give `f64`.
    pub mean MEAN (Typed) {
        folds: { all: k::Mean }, wide: { all: k::Center },
        promotion: Same, needs_elements: false, cost: 0.25, onnx: ("ReduceMean", 13),
    }
    /// The mean squared distance from the mean.
    pub var VAR (Correction) {
        folds: { all: k::Variance }, promotion: Same, needs_elements: false, cost: 0.6,
    }
    /// The square root of the variance.
    pub std STD (Correction) {
        folds: { all: k::Std }, promotion: Same, needs_elements: false, cost: 0.6,
    }
    /// The least element; NaN if there is one.
    pub min MIN (Axes) {
        folds: { bool: k::Min, ints: k::Min, floats: k::Min },
        promotion: Same, needs_elements: true, cost: 0.25, onnx: ("ReduceMin", 13),
    }
    /// The greatest element; NaN if there is one.
    pub max MAX (Axes) {
        folds: { bool: k::Max, ints: k::Max, floats: k::Max },
        promotion: Same, needs_elements: true, cost: 0.25, onnx: ("ReduceMax", 13),
    }
    /// The position of the first least element, counted over the reduced axes; of the first NaN if there is one.
    pub argmin ARGMIN (Axes) {
        folds: { bool: k::ArgMin, ints: k::ArgMin, floats: k::ArgMin },
        promotion: Same, needs_elements: true, cost: 0.5, onnx: ("ArgMin", 13),
    }
    /// The position of the first greatest element, counted over the reduced axes; of the first NaN if there is one.
    pub argmax ARGMAX (Axes) {
        folds: { bool: k::ArgMax, ints: k::ArgMax, floats: k::ArgMax },
        promotion: Same, needs_elements: true, cost: 0.5, onnx: ("ArgMax", 13),
    }
    /// Whether any element is not zero; false for none.
    pub any ANY (Axes) {
        folds: { all: k::Any }, promotion: Same, needs_elements: false, cost: 0.1,
    }
    /// Whether all elements are not zero; true for none.
    pub all ALL (Axes) {
        folds: { all: k::All }, promotion: Same, needs_elements: false, cost: 0.1,
    }
    /// How many elements are not zero.
    pub count_nonzero COUNT_NONZERO (Axes) {
        folds: { all: k::CountNonzero }, promotion: Same, needs_elements: false, cost: 0.2,
    }
    /// The mean in double precision.
    pub(crate) center CENTER (Hidden) {
        folds: { all: k::Center }, promotion: Same, needs_elements: false, cost: 0.25,
    }
    /// The sum of the squares of absolute values.
    pub(crate) square_sum SQUARE_SUM (Hidden) {
        folds: { all: k::SquareSum }, promotion: Same, needs_elements: false, cost: 0.25,
    }
    /// The sum of absolute values.
    pub(crate) absolute_sum ABSOLUTE_SUM (Hidden) {
        folds: { bool: k::AbsoluteSum, ints: k::AbsoluteSum, floats: k::AbsoluteSum },
        promotion: Same, needs_elements: false, cost: 0.25,
    }
}

impl Array {
    fn reduced(&self, row: &Reduction, axes: Axes, keepdims: bool, correction: f64) -> Result<Array, OpsError> {
        let args = ReduceArgs { axes, keepdims, correction };
        Lane::with(|lane| row.call(lane, self.data(), &args)).map(Into::into)
    }
}

/// All reductions of the interface, with the arguments they take.
pub fn all() -> impl Iterator<Item = (&'static Reduction, Signature)> {
    ROWS.iter().copied().filter(|(_, s)| *s != Signature::Hidden)
}
