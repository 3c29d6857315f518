//! Sorting, selecting and searching.
//!
//! ```text
//! keys      elements become signed integers that compare as the elements do, and back
//! codec     loops over both
//! quick     integers of 32 and 64 bits: a quicksort whose partition packs vectors by masks
//! runs      keys made of a few stretches in order, which are merged
//! network   what the quicksort ends in: up to sixteen vectors, sorted in registers
//! rows      short rows, as many together as a vector has lanes, made columns
//! columns   short columns side by side, exchanged row by row
//! count     keys of 8 and 16 bits: by counting and by digits
//! order     which element goes where: keys and their numbers packed into integers of 64 bits, and those sorted
//! search    places of values in what is sorted
//! select    which elements are on either side of the kth
//! sets      runs of equal elements, and those that are one of some
//! ```
//!
//! What is sorted are integers, so the result does not depend on the way: equal ones cannot be told apart.
mod codec;
mod columns;
mod count;
mod isa;
mod keys;
mod network;
mod order;
mod quick;
mod rows;
mod runs;
mod search;
mod select;
mod sets;
#[cfg(test)]
mod tests;

pub use codec::{CodeLoop, Codec, OrderLoop, codec, complex_ranks};
pub use columns::{COLUMNS, DEPTH, sort_plain as sort_columns_plain};
pub use count::{FEW, MANY_16, Narrow, counters, order_narrow, sort_8, sort_16, sort_rows_8, sort_rows_16};
pub use isa::SortKey;
pub use keys::{Key, Keyed};
pub use order::{MOST, Packing, Span, falls, order_falling, pack, settle, unpack};
pub use search::{SearchLoop, Side, insertion_points, is_in_sorted};
pub use select::{first_numbers, part_numbers};
pub use sets::{distinct, heads, is_marked, is_one_of, mark, scatter_runs};
