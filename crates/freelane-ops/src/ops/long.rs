//! One long line, shared by all threads.
//!
//! To sort it, each thread parts its piece at a common pivot, the pieces are put together, and so on with both parts until
//! there are enough of them; then each is sorted by one thread. Sorted integers are the same whatever the pivots were.
use super::lines::{Group, UNCUT_NS, carve};
use super::order::{COST, as_wide, order_keys};
use super::positions::Shared;
use super::transfer::Pieces;
use crate::{InOp, OpsError};
use freelane_kernels::sort::{self as kernel, Codec, Key, Packing, SortKey, Span};
use freelane_mem::ScratchReq;
use freelane_pool::Lane;
use freelane_simd::Isa;
use std::ops::Range;

/// Keys of which the middle one is a pivot.
const SAMPLE: usize = 1024;

/// Calls `f` with `0..n` in pieces, on all threads. `cost` is in nanoseconds each.
pub(super) fn in_pieces(
    lane: &Lane,
    op: &'static str,
    n: usize,
    cost: u64,
    f: impl Fn(Range<usize>) + Sync,
) -> Result<(), OpsError> {
    let cost = n as u64 * cost;
    let pieces = Pieces::new(n, lane.pieces(cost));
    lane.try_par_for(pieces.count(), cost, &|_, i| f(pieces.at(i))).in_op(op)
}

/// Sorts the keys; `aside` has room for as many.
pub(super) fn sort<K: SortKey>(lane: &Lane, op: &'static str, keys: &mut [K], aside: &mut [K]) -> Result<(), OpsError> {
    let (isa, n) = (Isa::current(), keys.len());
    let cost = n as u64 * COST;
    // Halves of halves: as many parts as threads, or several for each where that is no power of two.
    let threads = lane.threads();
    let shares = if threads.is_power_of_two() { threads } else { 4 * threads };
    let pieces = shares.max((cost / UNCUT_NS) as usize).min(n / SAMPLE);
    let mut parts: Vec<Range<usize>> = std::iter::once(0..n).collect();
    while parts.len() < pieces {
        parts = halve(lane, op, keys, aside, &parts, pieces)?;
    }
    let (keys, aside) = (Shared(keys.as_mut_ptr()), Shared(aside.as_mut_ptr()));
    lane.try_par_for(parts.len(), cost, &|_, i| {
        // SAFETY: parts are disjoint.
        let keys = unsafe { keys.slice(parts[i].clone()) };
        // SAFETY: as above.
        let aside = unsafe { aside.slice(parts[i].clone()) };
        K::sort(isa, keys, aside);
    })
    .in_op(op)
}

/// A piece of a part.
struct Piece {
    part: usize,
    at: Range<usize>,
}

/// Cuts each part in two, so that no key of the first is above one of the second.
fn halve<K: SortKey>(
    lane: &Lane,
    op: &'static str,
    keys: &mut [K],
    aside: &mut [K],
    parts: &[Range<usize>],
    pieces: usize,
) -> Result<Vec<Range<usize>>, OpsError> {
    let (isa, n) = (Isa::current(), keys.len());
    let pivots: Vec<K> = parts.iter().map(|part| pivot(&keys[part.clone()])).collect();
    let size = n.div_ceil(pieces).max(1);
    let pieces_of = |(part, range): (usize, &Range<usize>)| {
        let end = range.end;
        range.clone().step_by(size).map(move |from| Piece { part, at: from..end.min(from + size) })
    };
    let pieces: Vec<Piece> = parts.iter().enumerate().flat_map(pieces_of).collect();
    let mut fronts = vec![0; pieces.len()];
    let (all, other, counts) = (Shared(keys.as_mut_ptr()), Shared(aside.as_mut_ptr()), Shared(fronts.as_mut_ptr()));
    lane.try_par_for(pieces.len(), n as u64, &|_, i| {
        let piece = &pieces[i];
        // SAFETY: pieces are disjoint.
        let keys = unsafe { all.slice(piece.at.clone()) };
        // SAFETY: as above.
        let aside = unsafe { other.slice(piece.at.clone()) };
        let front = K::part(isa, keys, aside, pivots[piece.part]);
        // SAFETY: each piece has a count of its own.
        unsafe { counts.at(i).write(front) };
    })
    .in_op(op)?;
    let (places, cut) = places(parts, &pieces, &fronts);
    lane.try_par_for(pieces.len(), n as u64, &|_, i| {
        let (piece, front) = (&pieces[i], fronts[i]);
        // SAFETY: nobody writes keys now.
        let keys = unsafe { std::slice::from_raw_parts(all.at(piece.at.start), piece.at.len()) };
        for (keys, place) in [(&keys[..front], places[i][0]), (&keys[front..], places[i][1])] {
            // SAFETY: every key has a place of its own.
            unsafe { other.slice(place..place + keys.len()) }.copy_from_slice(keys);
        }
    })
    .in_op(op)?;
    in_pieces(lane, op, n, 1, |piece| {
        // SAFETY: pieces are disjoint, and nobody writes what was put aside.
        unsafe { all.at(piece.start).copy_from_nonoverlapping(other.at(piece.start), piece.len()) };
    })?;
    Ok(parts.iter().zip(cut).flat_map(|(part, cut)| [part.start..cut, cut..part.end]).collect())
}

/// Where the front and the back of each piece go, and where each part is cut.
fn places(parts: &[Range<usize>], pieces: &[Piece], fronts: &[usize]) -> (Vec<[usize; 2]>, Vec<usize>) {
    let mut cuts: Vec<usize> = parts.iter().map(|part| part.start).collect();
    for (piece, front) in pieces.iter().zip(fronts) {
        cuts[piece.part] += front;
    }
    let mut next: Vec<[usize; 2]> = parts.iter().zip(&cuts).map(|(part, &cut)| [part.start, cut]).collect();
    let place = |(piece, &front): (&Piece, &usize)| {
        let next = &mut next[piece.part];
        let here = *next;
        *next = [here[0] + front, here[1] + piece.at.len() - front];
        here
    };
    (pieces.iter().zip(fronts).map(place).collect(), cuts)
}

/// The middle one of some keys, which are not empty where it matters.
fn pivot<K: SortKey>(keys: &[K]) -> K {
    let (mut sample, mut aside) = ([K::default(); SAMPLE], [K::default(); SAMPLE]);
    let n = SAMPLE.min(keys.len());
    if n == 0 {
        return K::default();
    }
    for (i, k) in sample[..n].iter_mut().enumerate() {
        *k = keys[(i * 2 + 1) * (keys.len() / n) / 2];
    }
    K::sort(Isa::current(), &mut sample[..n], &mut aside);
    sample[n / 2]
}

/// Writes the numbers of a line's elements in their order.
pub(super) fn order<K: Key + Into<i64>>(
    lane: &Lane,
    op: &'static str,
    codec: Codec,
    line: Group<'_>,
) -> Result<(), OpsError> {
    let n = line.n;
    let request = ScratchReq::of::<K>(n).and(ScratchReq::of::<i64>(2 * n));
    lane.scratch(request, |scratch| {
        let (keys, rest) = carve::<K>(scratch, n);
        let (both, _) = carve::<i64>(rest, 2 * n);
        let (packed, aside) = both.split_at_mut(n);
        let places = Shared(keys.as_mut_ptr());
        in_pieces(lane, op, n, 1, |part| {
            let from = line.x_at(part.start);
            let to = places.at(part.start).cast();
            // SAFETY: the line has these elements, and pieces have keys of their own.
            unsafe { (codec.rank)(codec.descending, part.len(), from, line.steps[0], to, size_of::<K>() as isize) };
        })?;
        let packing = order_long(lane, op, keys, packed, aside)?;
        in_pieces(lane, op, n, 1, |part| {
            let to = line.out_at(part.start);
            // SAFETY: the line of the result has these places.
            unsafe { kernel::unpack(&packed[part], packing, to.cast(), line.steps[1]) };
        })
    })
    .in_op(op)?
}

/// As [`order_keys`], on all threads.
fn order_long<K: Key + Into<i64>>(
    lane: &Lane,
    op: &'static str,
    keys: &[K],
    packed: &mut [i64],
    aside: &mut [i64],
) -> Result<Packing, OpsError> {
    let n = keys.len();
    if n > kernel::MOST {
        return Ok(order_keys(keys, packed, aside));
    }
    let wide = as_wide(keys);
    let packing = match wide {
        None => Packing::NARROW,
        Some(wide) => Packing::new(n, span(lane, op, wide)?),
    };
    let places = Shared(packed.as_mut_ptr());
    in_pieces(lane, op, n, 1, |part| {
        // SAFETY: pieces are disjoint.
        let packed = unsafe { places.slice(part.clone()) };
        kernel::pack(&keys[part.clone()], part.start, packing, packed);
    })?;
    sort(lane, op, packed, aside)?;
    match wide {
        Some(wide) if !packing.is_whole() => settle(lane, op, packed, wide, packing, aside)?,
        _ => (),
    }
    Ok(packing)
}

fn span(lane: &Lane, op: &'static str, keys: &[i64]) -> Result<Span, OpsError> {
    let n = keys.len();
    let pieces = Pieces::new(n, lane.pieces(n as u64));
    let mut spans = vec![Span::NOTHING; pieces.count()];
    let each = Shared(spans.as_mut_ptr());
    lane.try_par_for(pieces.count(), n as u64, &|_, i| {
        // SAFETY: each piece has a span of its own.
        unsafe { each.at(i).write(Span::of(&keys[pieces.at(i)])) };
    })
    .in_op(op)?;
    Ok(spans.into_iter().fold(Span::NOTHING, Span::and))
}

/// Settles pieces that end where two keys do not agree.
fn settle(
    lane: &Lane,
    op: &'static str,
    packed: &mut [i64],
    keys: &[i64],
    packing: Packing,
    aside: &mut [i64],
) -> Result<(), OpsError> {
    let n = packed.len();
    let cost = n as u64 * COST;
    let pieces = Pieces::new(n, lane.pieces(cost));
    let mut cuts: Vec<usize> = (0..pieces.count()).map(|i| pieces.at(i).start).collect();
    for cut in &mut cuts[1..] {
        while *cut < n && packing.agree(packed[*cut - 1], packed[*cut]) {
            *cut += 1;
        }
    }
    cuts.push(n);
    let (all, aside) = (Shared(packed.as_mut_ptr()), Shared(aside.as_mut_ptr()));
    lane.try_par_for(pieces.count(), cost, &|_, i| {
        let part = cuts[i]..cuts[i + 1];
        // SAFETY: cuts ascend, so that parts are disjoint.
        let packed = unsafe { all.slice(part.clone()) };
        // SAFETY: as above.
        let aside = unsafe { aside.slice(part) };
        kernel::settle(Isa::current(), packed, keys, packing, aside);
    })
    .in_op(op)
}
