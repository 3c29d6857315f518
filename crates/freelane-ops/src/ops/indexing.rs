//! Indexing with arrays: elements by their numbers, and those where a mask is true.
use super::positions::Mask;
use super::selection::Selection;
use super::{assign, line, masked, transfer};
use crate::{Array, Operand, OpsError};
use freelane_array::{DType, Index};
use freelane_pool::Lane;
use smallvec::SmallVec;

/// One item of an index in which arrays may stand.
#[derive(Clone)]
pub enum IndexItem {
    /// A position, a range, a new axis or the ellipsis.
    Basic(Index),
    /// The elements where the array is true; it has the lengths of the axes that it stands for.
    Bools(Array),
    /// Elements by number, of any integer dtype. Negative ones count from the back.
    Ints(Array),
}

impl<I: Into<Index>> From<I> for IndexItem {
    fn from(index: I) -> IndexItem {
        IndexItem::Basic(index.into())
    }
}

impl IndexItem {
    /// The item that an array is: a mask if it is boolean, else numbers of elements.
    ///
    /// # Errors
    /// When the array holds neither booleans nor integers.
    pub fn from_array(array: Array) -> Result<IndexItem, OpsError> {
        let item = if array.dtype() == DType::Bool { IndexItem::Bools(array) } else { IndexItem::Ints(array) };
        item.check("index").map(|()| item)
    }

    /// How many axes of the array it stands for; the ellipsis does not count.
    pub(super) fn axes(&self) -> usize {
        match self {
            IndexItem::Basic(Index::At(_) | Index::Range(_)) | IndexItem::Ints(_) => 1,
            IndexItem::Basic(Index::NewAxis | Index::Ellipsis) => 0,
            IndexItem::Bools(mask) => mask.rank(),
        }
    }

    /// Whether the dtype is one that can index.
    pub(super) fn check(&self, op: &'static str) -> Result<(), OpsError> {
        let (array, fits) = match self {
            IndexItem::Basic(_) => return Ok(()),
            IndexItem::Bools(array) => (array, array.dtype() == DType::Bool),
            IndexItem::Ints(array) => (array, array.dtype().is_integer()),
        };
        let supported = "integers and booleans as indices".to_owned();
        if fits { Ok(()) } else { Err(OpsError::DType { op, found: vec![array.dtype()], supported }) }
    }

    /// As an item without an array, if it is one: an integer array without axes is a position.
    fn basic(&self) -> Option<Index> {
        match self {
            IndexItem::Basic(index) => Some(*index),
            IndexItem::Ints(array) if array.rank() == 0 => position(array).map(Index::At),
            _ => None,
        }
    }
}

/// The value of an integer array without axes. No axis is as long as the numbers that do not fit.
pub(super) fn position(array: &Array) -> Option<isize> {
    match array.dtype() {
        DType::U64 => Some(isize::try_from(array.item::<u64>().ok()?).unwrap_or(isize::MAX)),
        dtype if dtype.is_integer() => Some(array.astype(DType::I64).ok()?.item::<i64>().ok()? as isize),
        _ => None,
    }
}

type Basic = SmallVec<[Index; 8]>;

/// The index without arrays, or its items once single positions are told apart.
fn sort(items: &[IndexItem]) -> Result<Basic, Vec<IndexItem>> {
    let basic: Option<Basic> = items.iter().map(IndexItem::basic).collect();
    basic.ok_or_else(|| items.iter().map(|item| item.basic().map_or_else(|| item.clone(), IndexItem::Basic)).collect())
}

impl Array {
    /// What an index selects, as in NumPy: sharing storage if no array with axes is in it, else copied.
    ///
    /// Index arrays broadcast together, and their common shape takes the place of the axes they stand for; in front of all
    /// axes, if ranges stand between them.
    ///
    /// ```
    /// use freelane_ops::{Array, IndexItem};
    /// let x = Array::arange(0, 6, 1)?.reshape(&[2, 3])?;
    /// let columns = IndexItem::Ints(Array::from_slice(&[2i64, -3])?);
    /// assert_eq!(x.get_items(&[(..).into(), columns])?.to_vec::<i64>()?, [2, 0, 5, 3]);
    /// let even = IndexItem::Bools(x.remainder(2)?.equal(0)?);
    /// assert_eq!(x.get_items(&[even])?.to_vec::<i64>()?, [0, 2, 4]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When an index lies outside of its axis, a mask has other lengths than its axes, index arrays do not broadcast, there
    /// are more indices than axes, an array of indices holds neither integers nor booleans, or memory cannot be had.
    pub fn get_items(&self, items: &[IndexItem]) -> Result<Array, OpsError> {
        const OP: &str = "index";
        if let Some(indices) = line::of(self, items) {
            return Lane::with(|lane| line::get(lane, OP, self.data(), indices.data())).map(Into::into);
        }
        let items = match sort(items) {
            Ok(basic) => return self.index(&basic),
            Err(items) => items,
        };
        Lane::with(|lane| {
            if let Some(mask) = masked::whole(self, &items) {
                return masked::compress(lane, OP, self.data(), &Mask::new(mask)?).map(Into::into);
            }
            let selection = Selection::new(lane, OP, self.data().layout(), &items)?;
            transfer::get(lane, OP, self.data(), &selection).map(Into::into)
        })
    }

    /// Writes `value`, broadcast and converted, to what an index selects. Where an element is selected more than once, the
    /// last value remains.
    ///
    /// If the storage is shared, this array first takes a copy of its own.
    ///
    /// ```
    /// use freelane_ops::{Array, IndexItem};
    /// let mut x = Array::arange(0, 5, 1)?;
    /// let before = x.clone();
    /// x.set_items(&[IndexItem::Ints(Array::from_slice(&[0i64, 3, 0])?)], &Array::from_slice(&[7i64, 8, 9])?)?;
    /// assert_eq!(x.to_vec::<i64>()?, [9, 1, 2, 8, 4]);
    /// let odd = before.remainder(2)?.equal(1)?;
    /// x.set_items(&[IndexItem::Bools(odd)], 0)?;
    /// assert_eq!(x.to_vec::<i64>()?, [9, 0, 2, 0, 4]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Array::get_items`]; also when the value's shape does not broadcast to the selection's, or its kind (complex
    /// into real, say) cannot be held. Nothing is written then.
    pub fn set_items<'a>(&mut self, items: &[IndexItem], value: impl Into<Operand<'a>>) -> Result<(), OpsError> {
        let value = value.into();
        if line::of(self, items).is_some() {
            return Lane::with(|lane| self.set_selected(lane, items, value));
        }
        let items = match sort(items) {
            Ok(basic) => return self.assign(&basic, value),
            Err(items) => items,
        };
        Lane::with(|lane| self.set_selected(lane, &items, value))
    }

    fn set_selected(&mut self, lane: &Lane, items: &[IndexItem], value: Operand<'_>) -> Result<(), OpsError> {
        const OP: &str = "assign";
        let dtype = self.dtype();
        assign::check_kind(OP, value, dtype)?;
        let value = transfer::Values::new(lane, OP, value, dtype)?;
        assign::make_unique(lane, self.data_mut(), OP)?;
        if let (Some(mask), transfer::Values::One(element)) = (masked::whole(self, items), &value) {
            let mask = Mask::new(mask)?;
            return masked::fill(lane, OP, self.data_mut(), &mask, element);
        }
        let value = match line::of(self, items) {
            Some(indices) => match line::set(lane, OP, self.data_mut(), indices.data(), value)? {
                Some(value) => value,
                None => return Ok(()),
            },
            None => value,
        };
        let selection = Selection::new(lane, OP, self.data().layout(), items)?;
        transfer::set(lane, OP, self.data_mut(), &selection, value)
    }
}
