//! The language of `freelane eval`: text to tree to value.
//!
//! ```text
//! text --grammar.pest, parse--> Node --Evaluator--> Term --passes, plan--> Value
//!                                      |
//!                                      names: arrays given, constants, dtypes, functions of freelane_ops
//! ```
//!
//! Expressions are untrusted: length, nesting and the number of operators are bounded, so that neither reading nor walking
//! a tree can exhaust the stack. What a function takes is known by its row in `freelane_ops`; nothing here lists functions
//! but the spellings that NumPy has for them.
mod arithmetic;
mod ast;
mod attribute;
mod error;
mod evaluate;
mod names;
mod number;
mod parse;
mod term;

pub use ast::{Call, Item, Node, NodeKind};
pub use error::{ExprError, Problem};
pub use evaluate::Evaluator;
pub use names::is_reserved;
pub use parse::parse;

#[cfg(test)]
mod tests;
