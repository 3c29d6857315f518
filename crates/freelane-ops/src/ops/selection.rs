//! What an index with arrays in it selects, under NumPy's rules.
//!
//! Index arrays broadcast together; their common shape, the points, takes the place of the axes they index. If they stand
//! side by side that is where they stand, else in front of all other axes. A single position counts as an index array. A
//! mask stands for the indices of its true elements, one index array for each of its axes; one without axes, for a new
//! axis of length 1 or 0.
use super::indexing::IndexItem;
use super::positions::Mask;
use crate::{Array, InOp, OpsError};
use freelane_array::{ArrayData, ArrayError, Dims, Index, Layout, Slice, Strides, broadcast_shapes};
use freelane_pool::Lane;
use smallvec::SmallVec;

/// Points of an array, and the axes that are kept whole.
pub(crate) struct Selection {
    /// Position of the element that all offsets count from.
    pub origin: usize,
    /// Lengths of the kept axes.
    pub kept: Dims,
    /// Strides of the kept axes in elements.
    pub strides: Strides,
    /// What to add for each point.
    pub terms: SmallVec<[Term; 2]>,
    /// Lengths of the axes of the points.
    pub points: Dims,
    /// How many kept axes come before them.
    pub place: usize,
}

/// One axis' part in the positions of all points.
pub(crate) struct Term {
    /// An index for each point, of any integer dtype, in one axis.
    pub indices: ArrayData,
    /// Length of the indexed axis.
    pub len: usize,
    /// Its stride in elements.
    pub stride: isize,
    /// Its number, for messages.
    pub axis: usize,
    /// Whether the indices are increasing positions inside of the array already.
    pub mask: bool,
}

impl Selection {
    /// What `items` select of an array. At least one of them is an array with axes, or a mask.
    pub(crate) fn new(lane: &Lane, op: &'static str, x: &Layout, items: &[IndexItem]) -> Result<Selection, OpsError> {
        let used: usize = items.iter().map(IndexItem::axes).sum();
        if used > x.rank() {
            return Err(ArrayError::TooManyIndices { given: used, rank: x.rank() }).in_op(op);
        }
        let mut axes = Axes { open: x.rank() - used, ..Axes::default() };
        items.iter().for_each(|item| axes.take(item));
        let view = x.index(&axes.basic).in_op(op)?;
        let parts =
            axes.arrays.iter().map(|array| array.part(lane, op, &view)).collect::<Result<SmallVec<[_; 4]>, _>>()?;
        let points = points(parts.iter().map(|part| &part.shape[..])).in_op(op)?;
        let terms = parts.into_iter().filter_map(|part| part.term);
        let terms = terms.map(|term| term.spread(&points)).collect::<Result<_, _>>()?;
        let kept = (0..view.rank()).filter(|i| axes.arrays.iter().all(|array| !array.view_axes().contains(i)));
        let (kept, strides) = kept.map(|i| (view.shape()[i], view.strides()[i])).unzip();
        Ok(Selection { origin: view.offset(), kept, strides, terms, points, place: axes.place.number() })
    }

    /// The points `indices` of one axis; all other axes are kept.
    pub(crate) fn along(op: &'static str, x: &Layout, axis: usize, indices: &Array) -> Result<Selection, OpsError> {
        let term = Term {
            indices: indices.data().clone(),
            len: x.shape()[axis],
            stride: x.strides()[axis],
            axis,
            mask: false,
        };
        IndexItem::Ints(indices.clone()).check(op)?;
        let points = Dims::from_slice(indices.shape());
        let kept = (0..x.rank()).filter(|&i| i != axis).map(|i| (x.shape()[i], x.strides()[i]));
        let (kept, strides) = kept.unzip();
        let terms = SmallVec::from_iter([term.spread(&points)?]);
        Ok(Selection { origin: x.offset(), kept, strides, terms, points, place: axis })
    }

    /// The shape of what is selected.
    pub(crate) fn shape(&self) -> Dims {
        let (before, after) = self.kept.split_at(self.place);
        [before, &self.points, after].concat().into()
    }

    /// Number of points.
    pub(crate) fn count(&self) -> usize {
        self.points.iter().product()
    }
}

/// Where the points go: after so many kept axes.
#[derive(Clone, Copy, Default)]
enum Place {
    /// No index array yet.
    #[default]
    Open,
    /// The last item was an index array.
    Here(usize),
    /// Something else came after index arrays.
    Behind(usize),
    /// Index arrays stand apart.
    Front,
}

impl Place {
    fn number(self) -> usize {
        match self {
            Place::Here(n) | Place::Behind(n) => n,
            Place::Open | Place::Front => 0,
        }
    }
}

/// The items read so far.
#[derive(Default)]
struct Axes<'a> {
    /// Axes that no item speaks of, for the ellipsis.
    open: usize,
    /// The index with each array replaced by full ranges.
    basic: SmallVec<[Index; 8]>,
    arrays: SmallVec<[IndexArray<'a>; 4]>,
    place: Place,
    /// Axes of the array so far.
    source: usize,
    /// Axes so far once `basic` is applied, and how many of them are kept whole.
    view: usize,
    kept: usize,
}

impl<'a> Axes<'a> {
    fn take(&mut self, item: &'a IndexItem) {
        match item {
            IndexItem::Basic(index) => self.basic(*index),
            _ => {
                let axes = item.axes();
                self.point();
                self.basic.extend(std::iter::repeat_n(Index::from(Slice::all()), axes));
                self.arrays.push(IndexArray { item, source: self.source, view: self.view, axes });
                self.source += axes;
                self.view += axes;
            }
        }
    }

    fn basic(&mut self, index: Index) {
        self.basic.push(index);
        let (source, kept) = match index {
            Index::At(_) => {
                self.source += 1;
                return self.point();
            }
            Index::Range(_) => (1, 1),
            Index::NewAxis => (0, 1),
            Index::Ellipsis => (self.open, self.open),
        };
        self.source += source;
        self.view += kept;
        self.kept += kept;
        if let Place::Here(n) = self.place {
            self.place = Place::Behind(n);
        }
    }

    /// An index array, or a position, which counts as one.
    fn point(&mut self) {
        self.place = match self.place {
            Place::Open => Place::Here(self.kept),
            Place::Behind(_) => Place::Front,
            other => other,
        }
    }
}

/// An index array and the axes it indexes.
struct IndexArray<'a> {
    item: &'a IndexItem,
    source: usize,
    view: usize,
    axes: usize,
}

/// What an index array adds to the selection.
struct Part {
    shape: Dims,
    term: Option<Term>,
}

impl IndexArray<'_> {
    fn view_axes(&self) -> std::ops::Range<usize> {
        self.view..self.view + self.axes
    }

    fn part(&self, lane: &Lane, op: &'static str, view: &Layout) -> Result<Part, OpsError> {
        self.item.check(op)?;
        let (lengths, strides) = (&view.shape()[self.view_axes()], &view.strides()[self.view_axes()]);
        match self.item {
            IndexItem::Ints(indices) => {
                let (indices, shape) = (indices.data().clone(), Dims::from_slice(indices.shape()));
                let term = Term { indices, len: lengths[0], stride: strides[0], axis: self.source, mask: false };
                Ok(Part { shape, term: Some(term) })
            }
            IndexItem::Bools(mask) => self.mask_part(lane, op, mask, lengths, strides),
            IndexItem::Basic(_) => unreachable!("not an array"),
        }
    }

    fn mask_part(
        &self,
        lane: &Lane,
        op: &'static str,
        mask: &Array,
        lengths: &[usize],
        strides: &[isize],
    ) -> Result<Part, OpsError> {
        let differs = mask.shape().iter().zip(lengths).position(|(m, n)| m != n);
        if let Some(i) = differs {
            let (len, mask) = (lengths[i], mask.shape()[i]);
            return Err(ArrayError::MaskMismatch { axis: self.source + i, len, mask }).in_op(op);
        }
        let mask = Mask::new(mask)?;
        let shape = Dims::from_slice(&[mask.count()]);
        if self.axes == 0 {
            return Ok(Part { shape, term: None });
        }
        let indices = mask.positions(lane, op, strides)?;
        Ok(Part { shape, term: Some(Term { indices, len: 0, stride: 1, axis: self.source, mask: true }) })
    }
}

impl Term {
    /// One index for each of the points, in one axis.
    fn spread(mut self, points: &[usize]) -> Result<Term, OpsError> {
        let count = points.iter().product::<usize>() as isize;
        self.indices = Array::from(self.indices).broadcast_to(points)?.reshape(&[count])?.into();
        Ok(self)
    }
}

/// The common shape of index arrays.
fn points<'a>(shapes: impl Iterator<Item = &'a [usize]>) -> Result<Dims, ArrayError> {
    broadcast_shapes(shapes).map_err(|e| match e {
        ArrayError::BroadcastMismatch { lhs, rhs } => ArrayError::IndexMismatch { lhs, rhs },
        other => other,
    })
}
