//! Permutations and choices: arrays of indices.
use crate::fill::{Fill, Words, array, words};
use crate::math::unit;
use crate::philox::TILE;
use crate::real::exponential;
use crate::source::Source;
use crate::whole::{Range, below, below_from};
use freelane_array::DType;
use freelane_mem::{MemError, ScratchReq};
use freelane_ops::{Array, InOp, OpsError};
use freelane_pool::{Interrupted, Lane};
use std::array::from_fn;
use std::collections::HashSet;
use std::mem::MaybeUninit;

/// Swaps between two questions whether to go on.
const PIECE: usize = 4096;
/// Of so many times more elements than are chosen, the chosen ones are found without listing all.
const SPARSE: usize = 16;

/// The numbers from 0 up to, not including, `n` in an order of which each is as likely (Fisher and Yates, from the front).
/// Takes `n` positions.
///
/// # Errors
/// When the sequence ends, or memory cannot be had.
pub fn permutation(from: Source, n: usize) -> Result<Array, OpsError> {
    first_of_permutation("permutation", from, n, n)
}

/// The first `k` numbers of a permutation of `n`.
fn first_of_permutation(op: &'static str, from: Source, n: usize, k: usize) -> Result<Array, OpsError> {
    from.after(op, n)?;
    if u32::try_from(n).is_ok() {
        shuffled(op, from, n, k, |i| i as u32, i64::from)
    } else {
        shuffled(op, from, n, k, |i| i as i64, |i| i)
    }
}

fn shuffled<T: Copy>(
    op: &'static str,
    from: Source,
    n: usize,
    k: usize,
    narrow: impl Fn(usize) -> T,
    wide: impl Fn(T) -> i64,
) -> Result<Array, OpsError> {
    let done: Result<Result<Vec<i64>, OpsError>, MemError> = Lane::with(|lane| {
        lane.scratch(ScratchReq::of::<T>(n), |bytes| {
            // SAFETY: the scratch is aligned, has room for `n` elements, and needs no value.
            let order: &mut [MaybeUninit<T>] = unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), n) };
            shuffle(lane, from, order, narrow).in_op(op)?;
            let mut first = Vec::new();
            let (bytes, align) = (8 * k, align_of::<i64>());
            first.try_reserve_exact(k).map_err(|_| MemError::OutOfMemory { bytes, align }).in_op(op)?;
            // SAFETY: `shuffle` wrote all of them.
            first.extend(order[..k].iter().map(|i| wide(unsafe { i.assume_init() })));
            Ok(first)
        })
    });
    Array::from_vec(done.in_op(op)??, &[k])
}

/// Writes all elements.
fn shuffle<T: Copy>(
    lane: &Lane,
    from: Source,
    order: &mut [MaybeUninit<T>],
    narrow: impl Fn(usize) -> T,
) -> Result<(), Interrupted> {
    let n = order.len();
    lane.try_for(n.div_ceil(PIECE), n as u64 * 8, |piece| {
        let start = piece * PIECE;
        let mut drawn = [0; PIECE];
        let drawn = &mut drawn[..PIECE.min(n - start)];
        words(Source { position: from.position + start as u64, ..from }, drawn);
        for (i, &word) in (start..).zip(drawn.iter()) {
            let count = i as u64 + 1;
            let at = Source { position: from.position + i as u64, ..from };
            let j = below_from(word, at, count, || count.wrapping_neg() % count);
            order[i] = MaybeUninit::new(narrow(i));
            order.swap(i, j as usize);
        }
    })
}

/// `shape` numbers below `n`, all as likely, independent of each other or, without `replace`, all different and in an order
/// of which each is as likely. Takes as many positions as there are numbers; without `replace`, `n`.
///
/// # Errors
/// When there is nothing to choose from or, without `replace`, not enough; the sequence ends, or memory cannot be had.
pub fn choice(from: Source, n: usize, shape: &[usize], replace: bool) -> Result<Array, OpsError> {
    const OP: &str = "choice";
    let k = count(OP, shape)?;
    if k > 0 && n == 0 {
        return Err(OpsError::argument(OP, "there is nothing to choose from"));
    }
    if replace {
        return array(OP, Range::<u64>::new(0, n.max(1) as u64), from, shape, DType::I64);
    }
    if k > n {
        return Err(too_few(n, k));
    }
    let chosen = if k < n / SPARSE { sparse(from, n, k)? } else { first_of_permutation(OP, from, n, k)? };
    chosen.reshape(&signed(shape))
}

/// Few of many (Floyd): the numbers first, then their order.
fn sparse(from: Source, n: usize, k: usize) -> Result<Array, OpsError> {
    from.after("choice", n)?;
    let draw = |i: usize, count: u64| {
        below(Source { position: from.position + i as u64, ..from }, count, || count.wrapping_neg() % count)
    };
    let (mut chosen, mut order) = (HashSet::new(), Vec::new());
    let room = order.try_reserve_exact(k).and_then(|()| chosen.try_reserve(k));
    room.map_err(|_| OpsError::argument("choice", format!("there is no memory for {k} numbers")))?;
    in_pieces(k, |i| {
        let last = n - k + i;
        let number = draw(i, last as u64 + 1) as i64;
        let number = if chosen.insert(number) { number } else { last as i64 };
        chosen.insert(number);
        order.push(number);
    })?;
    in_pieces(k, |i| order.swap(i, draw(k + i, i as u64 + 1) as usize))?;
    Array::from_vec(order, &[k])
}

/// Calls `step` with the numbers below `n`, and asks now and then whether to go on.
fn in_pieces(n: usize, mut step: impl FnMut(usize)) -> Result<(), OpsError> {
    let piece = |i: usize| (i * PIECE..n.min((i + 1) * PIECE)).for_each(&mut step);
    Lane::with(|lane| lane.try_for(n.div_ceil(PIECE), n as u64 * 50, piece)).in_op("choice")
}

/// As [`choice`] among as many numbers as there are weights, each as likely as its weight says, or as its weight among those
/// that are left. Without `replace` takes as many positions as there are weights.
///
/// # Errors
/// As [`choice`], and when a weight is negative or not finite, or all are zero.
pub fn weighted_choice(from: Source, weights: &[f64], shape: &[usize], replace: bool) -> Result<Array, OpsError> {
    const OP: &str = "choice";
    let k = count(OP, shape)?;
    if let Some(wrong) = weights.iter().find(|w| !(**w >= 0.0 && w.is_finite())) {
        return Err(OpsError::argument(OP, format!("a probability must be 0 or more, not {wrong}")));
    }
    let possible = weights.iter().filter(|w| **w > 0.0).count();
    if k > 0 && possible == 0 {
        return Err(OpsError::argument(OP, "there is nothing to choose from that has a probability above 0"));
    }
    if replace {
        let mut sum = 0.0;
        let sums: Vec<f64> = weights
            .iter()
            .map(|w| {
                sum += w;
                sum
            })
            .collect();
        if sum == f64::INFINITY {
            return Err(OpsError::argument(OP, "the probabilities add up to infinity; divide them by their greatest"));
        }
        let last = weights.iter().rposition(|w| *w > 0.0).unwrap_or(0);
        return array(OP, Weighted { sums: &sums, sum, last }, from, shape, DType::I64);
    }
    if k > possible {
        return Err(too_few(possible, k));
    }
    // The first of independent exponential times at these rates is each one as often as its rate says, and so on.
    let times = exponential(from, 1.0, &[weights.len()], DType::F64)?.to_vec::<f64>()?;
    let mut order: Vec<(f64, i64)> = times.iter().zip(weights).map(|(t, w)| t / w).zip(0..).collect();
    order.retain(|(_, i)| weights[*i as usize] > 0.0);
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    Array::from_vec(order[..k].iter().map(|(_, i)| *i).collect(), &[k])?.reshape(&signed(shape))
}

/// The index of the first of the growing `sums` that is above a uniform value.
#[derive(Clone, Copy)]
struct Weighted<'a> {
    sums: &'a [f64],
    sum: f64,
    last: usize,
}

impl Fill for Weighted<'_> {
    type Out = u64;
    const COST: f64 = 30.0;

    #[inline(always)]
    fn tile(self, words: &Words) -> [u64; TILE] {
        from_fn(|i| {
            let at = unit(words[i]) * self.sum;
            self.sums.partition_point(|sum| *sum <= at).min(self.last) as u64
        })
    }
}

fn count(op: &'static str, shape: &[usize]) -> Result<usize, OpsError> {
    freelane_array::element_count(shape, size_of::<i64>()).in_op(op)
}

fn signed(shape: &[usize]) -> Vec<isize> {
    shape.iter().map(|n| *n as isize).collect()
}

fn too_few(n: usize, k: usize) -> OpsError {
    OpsError::argument("choice", format!("{k} different ones of {n} do not exist; choose fewer, or with replace"))
}
