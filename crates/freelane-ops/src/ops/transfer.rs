//! Moving what a [`Selection`] selects out of an array, or values into it.
//!
//! Points are handled in tiles: their indices become offsets once, and for every position of the kept axes the tile's
//! elements move in one loop. Kept axes whose elements lie side by side on both sides move as one chunk.
use super::selection::{Selection, Term};
use crate::scalar::Element16;
use crate::ufunc::{finish, uninit};
use crate::walk::Walk;
use crate::{Array, InOp, Operand, OpsError};
use freelane_array::{ArrayData, ArrayError, DType, Index, Layout, Strides};
use freelane_kernels::moves::{MoveLoop, gather_loop, offsets, scatter_loop};
use freelane_pool::Lane;
use freelane_sync::OnceTable;
use smallvec::SmallVec;
use std::ops::Range;

/// Points whose offsets are computed at once.
pub(super) const TILE: usize = 512;

/// Estimated nanoseconds to move a chunk, and for each of its bytes.
const COST: (f64, f64) = (1.2, 0.05);

/// The selected elements as a new array.
pub(crate) fn get(lane: &Lane, op: &'static str, x: &ArrayData, selection: &Selection) -> Result<ArrayData, OpsError> {
    let layout = Layout::contiguous(&selection.shape()).in_op(op)?;
    let mut buffer = uninit(lane, &layout, x.dtype(), op)?;
    let other = Side::new(selection, layout.strides()).unwrap_or_else(|| unreachable!("row-major axes step evenly"));
    let first = origin(x, selection).cast_mut();
    let moves = Moves::new(selection, x.dtype(), [first, buffer.as_mut_ptr()], &other, gather_loop);
    moves.run(lane, op, true)?;
    // SAFETY: every point at every position of the kept axes is an element of the result, and all were written.
    Ok(unsafe { finish(buffer, x.dtype(), layout) })
}

/// Writes values to the selected elements. `x` owns its storage alone.
pub(crate) fn set(
    lane: &Lane,
    op: &'static str,
    x: &mut ArrayData,
    selection: &Selection,
    values: Values,
) -> Result<(), OpsError> {
    let shape = selection.shape();
    // What is broadcast shares the storage of `values`, which outlives the moves.
    let (from, other) = match &values {
        Values::One(element) => (element.0.as_ptr(), Side::of_one(selection)),
        Values::Many(array) => {
            let wide = super::assign::broadcast_to(array.data().layout(), &shape);
            let wide = Array::from(wide.and_then(|l| array.data().with_layout(l)).in_op(op)?);
            match Side::new(selection, wide.strides()) {
                Some(side) => (wide.data().as_ptr(), side),
                None => return set(lane, op, x, selection, Values::Many(wide.contiguous()?)),
            }
        }
    };
    let size = x.dtype().size() as isize;
    let base = x.as_mut_ptr().ok_or(ArrayError::NotUnique).in_op(op)?;
    let first = base.wrapping_offset((selection.origin as isize - x.layout().offset() as isize) * size);
    let moves = Moves::new(selection, x.dtype(), [first, from.cast_mut()], &other, scatter_loop);
    moves.check(op)?;
    moves.run(lane, op, selection.terms.iter().all(|term| term.mask) && selection.terms.len() == 1)
}

fn origin(x: &ArrayData, selection: &Selection) -> *const u8 {
    let past = selection.origin as isize - x.layout().offset() as isize;
    x.as_ptr().wrapping_offset(if x.layout().is_empty() { 0 } else { past * x.dtype().size() as isize })
}

/// Values to write, in the dtype of the array.
pub(crate) enum Values {
    /// One for all.
    One(Element16),
    /// Broadcast to the selection.
    Many(Array),
}

impl Values {
    pub(crate) fn new(lane: &Lane, op: &'static str, value: Operand<'_>, dtype: DType) -> Result<Values, OpsError> {
        match value {
            Operand::Scalar(s) => s.to_element(op, dtype).map(Values::One),
            Operand::Array(a) if a.dtype() != dtype => {
                Values::new(lane, op, Operand::Array(&super::astype::astype(lane, a, dtype)?), dtype)
            }
            Operand::Array(a) if a.layout().len() == 1 => Ok(Values::One(Element16::read(a))),
            Operand::Array(a) => Ok(Values::Many(a.clone().into())),
        }
    }
}

/// Strides, in elements, of the array that elements move to or come from.
struct Side {
    kept: Strides,
    point: isize,
}

impl Side {
    /// From strides of an array of the selection's shape; `None` if its points do not step evenly.
    fn new(selection: &Selection, strides: &[isize]) -> Option<Side> {
        if selection.shape().contains(&0) {
            return Some(Side::of_one(selection));
        }
        let (place, rank) = (selection.place, selection.points.len());
        let points = selection.points.iter().zip(&strides[place..place + rank]).filter(|(n, _)| **n != 1);
        let mut even: Option<(usize, isize)> = None;
        for (&n, &step) in points.rev() {
            match even {
                None => even = Some((n, step)),
                Some((all, last)) if step == last.wrapping_mul(all as isize) => even = Some((all * n, last)),
                Some(_) => return None,
            }
        }
        let kept = strides[..place].iter().chain(&strides[place + rank..]).copied().collect();
        Some(Side { kept, point: even.map_or(0, |(_, step)| step) })
    }

    fn of_one(selection: &Selection) -> Side {
        Side { kept: Strides::from_elem(0, selection.kept.len()), point: 0 }
    }
}

/// A selection ready to move.
struct Moves<'a> {
    terms: &'a [Term],
    count: usize,
    size: isize,
    /// Over the kept axes that are not part of a chunk, at the first point: the array, the other side.
    walk: Walk<2>,
    chunk: usize,
    point: isize,
    run: MoveLoop,
    /// Whether there is anything to move.
    empty: bool,
}

impl<'a> Moves<'a> {
    fn new(
        selection: &'a Selection,
        dtype: DType,
        first: [*mut u8; 2],
        other: &Side,
        run: fn(usize) -> MoveLoop,
    ) -> Moves<'a> {
        let size = dtype.size() as isize;
        let (mut chunk, mut rank) = (size, selection.kept.len());
        while rank > 0
            && [selection.strides[rank - 1], other.kept[rank - 1]].iter().all(|s| s.wrapping_mul(size) == chunk)
        {
            rank -= 1;
            chunk *= selection.kept[rank] as isize;
        }
        let bytes = |strides: &[isize]| strides[..rank].iter().map(|s| s * size).collect::<SmallVec<[isize; 4]>>();
        let walk = Walk::new(&selection.kept[..rank], first, [&bytes(&selection.strides), &bytes(&other.kept)]);
        let count = selection.count();
        let empty = count == 0 || selection.kept.contains(&0);
        let (chunk, point) = (chunk as usize, other.point * size);
        Moves { terms: &selection.terms, count, size, walk, chunk, point, run: run(chunk), empty }
    }

    /// An error if an index lies outside of its axis.
    fn check(&self, op: &'static str) -> Result<(), OpsError> {
        let mut tile = [0; TILE];
        let inside = (0..self.count.div_ceil(TILE)).all(|i| self.offsets(self.tile(i), &mut tile));
        if inside { Ok(()) } else { Err(self.outside(op)) }
    }

    /// Moves everything. `free`: tiles may move at once, since no element is written twice.
    fn run(&self, lane: &Lane, op: &'static str, free: bool) -> Result<(), OpsError> {
        if self.empty {
            return self.check(op);
        }
        let (tiles, outer, inner) = (self.count.div_ceil(TILE), self.walk.outer_len(), self.walk.inner_len());
        let failed = OnceTable::new();
        let chunks = (self.count * outer * inner) as f64;
        let cost = (chunks * (COST.0 + COST.1 * self.chunk as f64)) as u64;
        let part = |tiles, outer, inner| {
            if !self.part(tiles, outer, inner) {
                failed.get_or_init(|| ());
            }
        };
        let pieces = lane.pieces(cost);
        let done = if free && tiles >= pieces {
            let p = Pieces::new(tiles, pieces);
            lane.try_par_for(p.count(), cost, &|_, i| part(p.at(i), 0..outer, 0..inner))
        } else if outer >= pieces {
            let p = Pieces::new(outer, pieces);
            lane.try_par_for(p.count(), cost, &|_, i| part(0..tiles, p.at(i), 0..inner))
        } else if tiles >= pieces {
            let p = Pieces::new(tiles, pieces);
            lane.try_for(p.count(), cost, |i| part(p.at(i), 0..outer, 0..inner))
        } else {
            let p = Pieces::new(inner, pieces);
            lane.try_par_for(p.count(), cost, &|_, i| part(0..tiles, 0..outer, p.at(i)))
        };
        if failed.get().is_some() { Err(self.outside(op)) } else { done.in_op(op) }
    }

    /// False, with something left unmoved, if an index lies outside of its axis.
    fn part(&self, tiles: Range<usize>, outer: Range<usize>, inner: Range<usize>) -> bool {
        let mut tile = [0; TILE];
        for i in tiles {
            let points = self.tile(i);
            if !self.offsets(points.clone(), &mut tile) {
                return false;
            }
            let (offsets, first) = (&tile[..points.len()], points.start as isize * self.point);
            self.walk.run(outer.clone(), inner.clone(), |[x, other], [xs, os], n| {
                for k in 0..n as isize {
                    let (x, other) = (x.wrapping_offset(k * xs), other.wrapping_offset(k * os + first));
                    // SAFETY: offsets were checked to lead to elements of the selected axes, the walk goes over the kept
                    // ones; on the other side there is an element for each. What is written is owned by the caller alone.
                    unsafe { (self.run)(x, offsets, other, self.point, self.chunk) };
                }
            });
        }
        true
    }

    fn tile(&self, i: usize) -> Range<usize> {
        i * TILE..((i + 1) * TILE).min(self.count)
    }

    /// Offsets in bytes of some points; false if an index lies outside of its axis.
    fn offsets(&self, points: Range<usize>, tile: &mut [isize; TILE]) -> bool {
        let tile = &mut tile[..points.len()];
        tile.fill(0);
        self.terms.iter().all(|term| term.add_offsets(points.start, self.size, tile))
    }

    #[cold]
    fn outside(&self, op: &'static str) -> OpsError {
        outside(op, self.terms)
    }
}

/// The error of the first index outside of its axis.
#[cold]
pub(super) fn outside(op: &'static str, terms: &[Term]) -> OpsError {
    match terms.iter().find_map(Term::outside) {
        Some(source) => OpsError::Array { op, source },
        // Memory of others can change under the hands of whoever reads it.
        None => OpsError::argument(op, "an array of indices was changed by its owner while it was read; copy it first"),
    }
}

/// `0..n` in pieces of one size; the last may be shorter.
pub(super) struct Pieces {
    n: usize,
    size: usize,
}

impl Pieces {
    pub(super) fn new(n: usize, pieces: usize) -> Pieces {
        Pieces { n, size: n.div_ceil(pieces).max(1) }
    }

    pub(super) fn count(&self) -> usize {
        self.n.div_ceil(self.size)
    }

    pub(super) fn at(&self, i: usize) -> Range<usize> {
        i * self.size..((i + 1) * self.size).min(self.n)
    }
}

impl Term {
    /// Adds what the term says of the points from `from` on to their offsets; false if an index lies outside of its axis.
    fn add_offsets(&self, from: usize, size: isize, tile: &mut [isize]) -> bool {
        let stride = self.indices.layout().strides()[0] * self.indices.dtype().size() as isize;
        self.add(self.indices.as_ptr().wrapping_offset(from as isize * stride), stride, size, tile)
    }

    /// As above for the indices at `first`, which are `stride` bytes apart. `size` is that of an element.
    pub(super) fn add(&self, first: *const u8, stride: isize, size: isize, tile: &mut [isize]) -> bool {
        let step = self.stride * size;
        if self.mask {
            for (i, offset) in tile.iter_mut().enumerate() {
                // SAFETY: positions are an array of `i64`, one for each point.
                let position = unsafe { first.offset(i as isize * stride).cast::<i64>().read() };
                *offset = offset.wrapping_add(position as isize * step);
            }
            return true;
        }
        match self.indices.dtype() {
            // SAFETY: the indices are of this type, and as many from `first` on as the tile has places.
            DType::I64 => unsafe { offsets::<i64>(first, stride, self.len, step, tile) },
            // SAFETY: as above.
            DType::I32 => unsafe { offsets::<i32>(first, stride, self.len, step, tile) },
            // SAFETY: as above.
            DType::I16 => unsafe { offsets::<i16>(first, stride, self.len, step, tile) },
            // SAFETY: as above.
            DType::I8 => unsafe { offsets::<i8>(first, stride, self.len, step, tile) },
            // SAFETY: as above.
            DType::U64 => unsafe { offsets::<u64>(first, stride, self.len, step, tile) },
            // SAFETY: as above.
            DType::U32 => unsafe { offsets::<u32>(first, stride, self.len, step, tile) },
            // SAFETY: as above.
            DType::U16 => unsafe { offsets::<u16>(first, stride, self.len, step, tile) },
            // SAFETY: as above.
            DType::U8 => unsafe { offsets::<u8>(first, stride, self.len, step, tile) },
            other => unreachable!("indices of {other}"),
        }
    }

    /// The first index outside of the axis.
    fn outside(&self) -> Option<ArrayError> {
        let all = Array::from(self.indices.clone()).reshape(&[-1]).ok()?;
        (0..if self.mask { 0 } else { all.len() }).find_map(|i| {
            let index = super::indexing::position(&all.index(&[Index::At(i as isize)]).ok()?)?;
            let inside = if index < 0 { index.checked_add_unsigned(self.len)? >= 0 } else { index < self.len as isize };
            (!inside).then_some(ArrayError::IndexOutOfRange { index, axis: self.axis, len: self.len })
        })
    }
}
