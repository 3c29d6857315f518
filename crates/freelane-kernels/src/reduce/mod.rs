//! Reductions in an order that depends on the reduced length alone.
//!
//! A reduction is a [`Fold`] (what is done with the elements, by a way to [`Accumulate`] them) and a [`Reduction`] (which axes go and which stay).
//! [`fold_loops`] turns a fold over one element type into plain function pointers, [`FoldLoops`], fit for a table.
//! The order in which elements meet is fixed in [`order`]; three loops keep to it, and which of them runs is a matter
//! of speed only:
//!
//! - rows: one output at a time, its elements contiguous or gathered block by block into a tile on the stack;
//! - columns: many adjacent outputs at once, streaming over the rows of the input;
//! - nests: several reduced axes, read in logical row-major order by either of the two.
//!
//! ```
//! use freelane_kernels::reduce::{self, Axis, FoldLoops, Kept, Operands, Reduction};
//! use freelane_simd::Isa;
//!
//! static SUM_F32: FoldLoops = reduce::fold_loops::<f32, reduce::Sum>();
//!
//! // sum(x, axis=0) of a C-ordered (3000, 4) array.
//! let x = vec![1.0f32; 3000 * 4];
//! let mut out = [0.0f32; 4];
//! let mut kept = [Kept { len: 4, x: 4, param: 0, out: 4 }];
//! let mut reduced = [Axis { len: 3000, stride: 16 }];
//! let plan = Reduction::new(&mut kept, &mut reduced);
//! let operands = Operands::new(x.as_ptr().cast());
//! // Whole outputs; lanes may share `0..plan.outputs()` among them.
//! // SAFETY: the axes stay inside `x` and `out`.
//! unsafe { SUM_F32.run(Isa::Portable, &plan, operands, 0..plan.outputs(), out.as_mut_ptr().cast()) };
//! assert_eq!(out, [3000.0; 4]);
//!
//! // Few outputs, many elements: each lane takes groups of blocks, one lane merges. Same bits.
//! let groups = plan.groups(2);
//! let mut partials = vec![0.0f64; groups.len() * plan.outputs()];
//! assert_eq!(size_of::<f64>(), SUM_F32.acc.size());
//! for g in 0..groups.len() {
//!     let accs = partials[g * plan.outputs()..].as_mut_ptr();
//!     // SAFETY: as above, and `accs` has room for one accumulator an output.
//!     unsafe { SUM_F32.partial(Isa::Portable, &plan, operands, 0..plan.outputs(), groups.blocks(g), accs.cast()) };
//! }
//! // SAFETY: as above.
//! unsafe { SUM_F32.merge(&plan, operands, 0..plan.outputs(), groups.len(), partials.as_ptr().cast(), out.as_mut_ptr().cast()) };
//! assert_eq!(out, [3000.0; 4]);
//! ```
mod arg;
mod block;
mod call;
#[cfg(test)]
mod cases;
mod columns;
mod dispatch;
mod extremum;
mod fold;
mod loops;
mod moments;
mod norm;
pub mod order;
mod pairs;
mod plan;
mod rows;
mod sum;
mod summand;
#[cfg(test)]
mod tests;
mod tile;
mod truth;
mod word;

pub use arg::{ArgMax, ArgMin, At};
pub use dispatch::Tier;
pub use extremum::{Extremum, Max, Min, Ordered};
pub use fold::{Accumulate, Fold, Meet, Whole};
pub use loops::{FoldLoops, Operands, fold_loops};
pub use moments::{Averaged, Center, Mean, Spread, Std, Variance, WideProd, WideSum};
pub use norm::{AbsoluteSum, SquareSum};
pub use plan::{Axis, Groups, Kept, Reduction};
pub use sum::{DoubleProd, DoubleSum, Prod, Sum};
pub use summand::{Accumulator, Doubled, Summand};
pub use truth::{All, Any, CountNonzero, Truth};
pub use word::Word;
