//! The elementwise functions, one row each, by family.
//!
//! A row gives the static [`UFunc`] (its name in capitals), the method of [`Array`](crate::Array), the
//! function of `freelane eval`, its documentation, generated tests and a bench line. [`all`] walks them.
#[macro_use]
mod rows;

mod activation;
mod arithmetic;
mod bitwise;
mod compare;
mod exponential;
mod fused;
mod rounding;
mod select;
mod special;
pub(crate) mod steps;
mod trigonometric;

pub use activation::*;
pub use arithmetic::*;
pub use bitwise::*;
pub use compare::*;
pub use exponential::*;
pub(crate) use fused::fused;
pub use rounding::*;
pub use select::*;
pub use special::*;
pub use trigonometric::*;

use crate::UFunc;

const FAMILIES: &[&[&UFunc]] = &[
    activation::ROWS,
    arithmetic::ROWS,
    bitwise::ROWS,
    compare::ROWS,
    exponential::ROWS,
    rounding::ROWS,
    select::ROWS,
    special::ROWS,
    trigonometric::ROWS,
];

/// All rows.
pub fn all() -> impl Iterator<Item = &'static UFunc> {
    FAMILIES.iter().flat_map(|f| f.iter().copied())
}

/// The row of a name.
pub fn by_name(name: &str) -> Option<&'static UFunc> {
    all().find(|f| f.name == name)
}
