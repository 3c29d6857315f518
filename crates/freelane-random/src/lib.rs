//! Random numbers by position: the same ones on any number of threads and any processor.
//!
//! ```
//! use freelane_random::Generator;
//! let mut rng = Generator::new(7);
//! let x = rng.normal(0.0, 1.0, &[1000])?;
//! let later = Generator::new(7).at(990).normal(0.0, 1.0, &[10])?;
//! assert_eq!(x.to_vec::<f64>()?[990..], later.to_vec::<f64>()?);
//! # Ok::<(), freelane_ops::OpsError>(())
//! ```
//!
//! A seed, the number of a stream and a position say what a value is; nothing is remembered from one value to the next. So
//! loops over positions may be cut anywhere, threads need no generators of their own to be reproducible, and no two threads
//! have anything to share: each takes another stream, or another range of positions.
//!
//! ```text
//! philox.rs      words from counters: Philox4x32-10
//! source.rs      seed, stream and position; where words for second tries come from
//! fill.rs        arrays of values, each from its word: vector loops, spread over lanes
//! real.rs        uniform, normal and exponential values
//! count.rs       Poisson and binomial values, from tables
//! math.rs        logarithm and angles without branches
//! whole.rs       words, integers without bias
//! order.rs       permutations and choices
//! generator.rs   a position that moves on
//! rows.rs        the functions by name
//! ```
//!
//! Every value takes one word of 64 bits, at its own position. What has to throw words away takes further ones from a place
//! that belongs to its position, so that the values after it do not move. Arithmetic is made of operations that every processor
//! rounds alike, without fused ones.
//!
//! Not for secrets: who sees some values can tell the others.

mod count;
mod fill;
mod generator;
mod math;
mod order;
mod philox;
mod real;
mod rows;
mod source;
mod whole;

pub use count::{binomial, poisson};
pub use generator::Generator;
pub use order::{choice, permutation, weighted_choice};
pub use real::{exponential, normal, random, uniform};
pub use rows::OPS;
pub use source::{EntropyError, Source, seed_from_system};
pub use whole::{bits, child_seeds, integers};
