//! The user's array.
use crate::{Axes, InOp, Operand, OpsError, Scalar, ops};
use freelane_array::{ArrayData, ArrayError, ArrayView, ArrayViewMut, DType, Element, Index, Layout};
use freelane_mem::{BufferMut, MemError};
use freelane_pool::Lane;

/// An n-dimensional array with value semantics.
///
/// Cloning, slicing and transposing are free: they share storage. Writing is private: an array whose storage is shared
/// takes a copy of its own first, so no write is ever seen through another array or on another thread.
///
/// ```
/// use freelane_ops::Array;
/// let x = Array::from_vec(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3])?;
/// let y = (&x - x.mean(1, true)?).square()?.sum(.., false)?;
/// assert_eq!(y.item::<f64>()?, 4.0);
/// # Ok::<(), freelane_ops::OpsError>(())
/// ```
#[derive(Clone)]
#[repr(transparent)]
pub struct Array {
    data: ArrayData,
}

impl From<ArrayData> for Array {
    #[inline]
    fn from(data: ArrayData) -> Array {
        Array { data }
    }
}

impl From<Array> for ArrayData {
    fn from(array: Array) -> ArrayData {
        array.data
    }
}

impl Array {
    /// The array of a description, without a handle of its own on the storage.
    #[inline]
    pub fn of(data: &ArrayData) -> &Array {
        // SAFETY: an array is nothing but its description: `repr(transparent)`.
        unsafe { &*std::ptr::from_ref(data).cast::<Array>() }
    }

    /// The array's description: storage, dtype and layout.
    #[inline]
    pub fn data(&self) -> &ArrayData {
        &self.data
    }

    /// The same, for functions that write into it.
    #[inline]
    pub fn data_mut(&mut self) -> &mut ArrayData {
        &mut self.data
    }

    /// The type of the elements.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.data.dtype()
    }

    /// Lengths of the axes.
    #[inline]
    pub fn shape(&self) -> &[usize] {
        self.data.layout().shape()
    }

    /// Distances between neighbours along each axis, in elements.
    pub fn strides(&self) -> &[isize] {
        self.data.layout().strides()
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.data.layout().rank()
    }

    /// Number of elements.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.data.layout().len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.data.layout().is_empty()
    }

    /// Bytes of the elements; a broadcast array counts each repetition.
    pub fn nbytes(&self) -> usize {
        self.len().saturating_mul(self.dtype().size())
    }

    /// An array over the values of a vector, in row-major order. The vector's memory is used, not copied, where its
    /// alignment allows.
    ///
    /// # Errors
    /// When the vector does not hold as many values as the shape asks for.
    pub fn from_vec<T: Element>(values: Vec<T>, shape: &[usize]) -> Result<Array, OpsError> {
        let layout = Layout::contiguous(shape).in_op("from_vec")?;
        if layout.len() != values.len() {
            let to = shape.iter().map(|&d| d as isize).collect();
            return Err(ArrayError::ReshapeMismatch { from: vec![values.len()], to }).in_op("from_vec");
        }
        let buffer = BufferMut::from_vec(values).in_op("from_vec")?;
        // SAFETY: the vector held exactly the layout's elements, all of them initialised.
        Ok(unsafe { ArrayData::from_parts_unchecked(buffer, T::DTYPE, layout) }.into())
    }

    /// The elements in `f64`, for the operation `op`, which has no meaning for complex numbers.
    ///
    /// # Errors
    /// When they are complex, or memory cannot be had.
    pub fn in_reals(&self, op: &'static str) -> Result<Array, OpsError> {
        if self.dtype().kind() == freelane_array::Kind::Complex {
            return Err(OpsError::DType { op, found: vec![self.dtype()], supported: "real numbers".to_owned() });
        }
        self.astype(DType::F64)
    }

    /// A copy of a slice, as an array of one axis.
    ///
    /// # Errors
    /// When memory cannot be had.
    pub fn from_slice<T: Element>(values: &[T]) -> Result<Array, OpsError> {
        Self::from_fn_uninit("from_slice", &[values.len()], |out: &mut [std::mem::MaybeUninit<T>]| {
            for (o, &v) in out.iter_mut().zip(values) {
                o.write(v);
            }
            Ok(())
        })
    }

    /// A new array whose elements `fill` writes, all of them.
    pub(crate) fn from_fn_uninit<T: Element>(
        op: &'static str,
        shape: &[usize],
        fill: impl FnOnce(&mut [std::mem::MaybeUninit<T>]) -> Result<(), OpsError>,
    ) -> Result<Array, OpsError> {
        let layout = Layout::contiguous(shape).in_op(op)?;
        let mut buffer = Lane::with(|lane| crate::ufunc::uninit(lane, &layout, T::DTYPE, op))?;
        // SAFETY: the buffer has room for the layout's elements and is aligned for every dtype.
        fill(unsafe { std::slice::from_raw_parts_mut(buffer.as_mut_ptr().cast(), layout.len()) })?;
        // SAFETY: `fill` wrote every element.
        Ok(unsafe { crate::ufunc::finish(buffer, T::DTYPE, layout) }.into())
    }

    /// An array without axes, of the scalar's default dtype.
    ///
    /// # Errors
    /// When memory cannot be had, or an integer does not fit 64 bits.
    pub fn scalar(value: impl Into<Scalar>) -> Result<Array, OpsError> {
        let value = value.into();
        Array::full(&[], value, value.default_dtype())
    }

    /// The elements as Rust values, borrowed.
    ///
    /// # Errors
    /// When `T` is not the element type.
    pub fn view<T: Element>(&self) -> Result<ArrayView<'_, T>, OpsError> {
        self.data.view().in_op("view")
    }

    /// The elements as Rust values, borrowed for writing. An array that shares its storage takes a copy of its own first.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let mut x = Array::arange(0, 3, 1)?;
    /// let before = x.clone();
    /// if let Some(elements) = x.view_mut::<i64>()?.as_mut_slice() {
    ///     elements.reverse();
    /// }
    /// assert_eq!((x.to_vec::<i64>()?, before.to_vec::<i64>()?), (vec![2, 1, 0], vec![0, 1, 2]));
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When `T` is not the element type, or memory for the copy cannot be had.
    pub fn view_mut<T: Element>(&mut self) -> Result<ArrayViewMut<'_, T>, OpsError> {
        self.data.view::<T>().in_op("view_mut")?;
        Lane::with(|lane| ops::assign::make_unique(lane, &mut self.data, "view_mut"))?;
        let first = self.data.as_mut_ptr().ok_or(ArrayError::NotUnique).in_op("view_mut")?;
        // SAFETY: the dtype was compared above; this array alone owns the storage and its layout is injective, as
        // `as_mut_ptr` checked; the borrow of `self` lasts as long as the view.
        Ok(unsafe { ArrayViewMut::new_unchecked(first.cast(), self.data.layout()) })
    }

    /// The elements in row-major order.
    ///
    /// # Errors
    /// When `T` is not the element type, or memory cannot be had.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, OpsError> {
        let view = self.data.view::<T>().in_op("to_vec")?;
        let mut values = room("to_vec", self.len())?;
        match view.as_slice() {
            Some(slice) => values.extend_from_slice(slice),
            None => values.extend(view.iter()),
        }
        Ok(values)
    }

    /// The only element of an array that holds one.
    ///
    /// # Errors
    /// When there are more or fewer elements, or `T` is not the element type.
    pub fn item<T: Element>(&self) -> Result<T, OpsError> {
        let first = self.data.view::<T>().in_op("item")?.iter().next();
        match first {
            Some(value) if self.len() == 1 => Ok(value),
            _ => Err(OpsError::argument("item", format!("needs an array of one element, this has {}", self.len()))),
        }
    }

    /// The element at an index.
    ///
    /// # Errors
    /// When the index lies outside of the array, or `T` is not the element type.
    pub fn get<T: Element>(&self, index: &[usize]) -> Result<T, OpsError> {
        let view = self.data.view::<T>().in_op("get")?;
        self.data.layout().position(index).in_op("get")?;
        view.get(index).ok_or_else(|| OpsError::argument("get", "index out of range"))
    }

    /// A view under a layout derived from this array's.
    pub(crate) fn viewed(&self, op: &'static str, layout: Result<Layout, ArrayError>) -> Result<Array, OpsError> {
        self.data.with_layout(layout.in_op(op)?).in_op(op).map(Into::into)
    }

    /// The part that an index selects, sharing storage.
    ///
    /// ```
    /// use freelane_ops::{Array, Index, Slice};
    /// let x = Array::arange(0, 6, 1)?.reshape(&[2, 3])?;
    /// let last_column = x.index(&[Slice::all().into(), Index::At(-1)])?;
    /// assert_eq!(last_column.to_vec::<i64>()?, [2, 5]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When an index lies outside of its axis, or there are more indices than axes.
    pub fn index(&self, items: &[Index]) -> Result<Array, OpsError> {
        self.viewed("index", self.data.layout().index(items))
    }

    /// Axes in another order; axis `i` of the result is axis `axes[i]`. Shares storage.
    ///
    /// # Errors
    /// When `axes` does not name each axis once.
    pub fn permute_dims(&self, axes: &[isize]) -> Result<Array, OpsError> {
        self.viewed("permute_dims", self.data.layout().permute(axes))
    }

    /// All axes in reverse order. Shares storage.
    pub fn t(&self) -> Array {
        let layout = self.data.layout().reverse_axes();
        // A permutation reaches the same elements, so this cannot fail.
        self.data.with_layout(layout).unwrap_or_else(|e| unreachable!("transpose: {e}")).into()
    }

    /// A new axis of length 1 at `axis` of the result. Shares storage.
    ///
    /// # Errors
    /// When there is no such axis.
    pub fn expand_dims(&self, axis: isize) -> Result<Array, OpsError> {
        self.viewed("expand_dims", self.data.layout().expand_dims(axis))
    }

    /// Without the given axes, each of length 1. Shares storage.
    ///
    /// # Errors
    /// When an axis does not exist, is named twice, or is longer than 1.
    pub fn squeeze(&self, axes: &[isize]) -> Result<Array, OpsError> {
        let mut drop = axes
            .iter()
            .map(|&a| freelane_array::normalize_axis(a, self.rank()))
            .collect::<Result<Vec<_>, _>>()
            .in_op("squeeze")?;
        drop.sort_unstable();
        if drop.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(ArrayError::BadAxes { axes: axes.to_vec(), rank: self.rank() }).in_op("squeeze");
        }
        let mut layout = self.data.layout().clone();
        for axis in drop.into_iter().rev() {
            layout = layout.squeeze(axis as isize).in_op("squeeze")?;
        }
        self.viewed("squeeze", Ok(layout))
    }

    /// Elements in reverse order along the given axes. Shares storage.
    ///
    /// # Errors
    /// When an axis does not exist.
    pub fn flip(&self, axes: impl Into<Axes>) -> Result<Array, OpsError> {
        let mut layout = self.data.layout().clone();
        let mask = axes.into().mask("flip", self.rank())?;
        for axis in (0..mask.len()).filter(|&i| mask[i]) {
            layout = layout.flip(axis as isize).in_op("flip")?;
        }
        self.viewed("flip", Ok(layout))
    }

    /// Repeated to a larger shape. Shares storage.
    ///
    /// # Errors
    /// When the shape does not follow from this array's by stretching axes of length 1.
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Array, OpsError> {
        self.viewed("broadcast_to", self.data.layout().broadcast_to(shape))
    }

    /// The same elements in row-major order under another shape; one length may be -1, "what is left". Shares storage
    /// where the strides allow, else copies.
    ///
    /// # Errors
    /// When the number of elements differs.
    pub fn reshape(&self, shape: &[isize]) -> Result<Array, OpsError> {
        let wanted = ops::reshape::resolve(shape, self.shape()).in_op("reshape")?;
        match self.data.layout().reshape(&wanted).in_op("reshape")? {
            Some(layout) => self.viewed("reshape", Ok(layout)),
            None => {
                let dense = self.contiguous()?;
                dense.viewed("reshape", Layout::contiguous(&wanted))
            }
        }
    }

    /// Whether [`Array::reshape`] takes no copy.
    pub(crate) fn reshapes_freely(&self, shape: &[isize]) -> Result<bool, OpsError> {
        let wanted = ops::reshape::resolve(shape, self.shape()).in_op("reshape")?;
        Ok(self.data.layout().reshape(&wanted).in_op("reshape")?.is_some())
    }

    /// The array itself if its elements lie in row-major order without gaps, else a copy that does.
    ///
    /// # Errors
    /// When memory cannot be had.
    pub fn contiguous(&self) -> Result<Array, OpsError> {
        if self.data.layout().is_contiguous() {
            return Ok(self.clone());
        }
        Lane::with(|lane| ops::astype::copy(lane, &self.data, "contiguous")).map(Into::into)
    }

    /// A copy with storage of its own, in row-major order.
    ///
    /// # Errors
    /// When memory cannot be had.
    pub fn copy(&self) -> Result<Array, OpsError> {
        Lane::with(|lane| ops::astype::copy(lane, &self.data, "copy")).map(Into::into)
    }

    /// The elements converted to another type; the array itself when it has that type already.
    ///
    /// Floats become integers by truncation, saturating at the ends of the range (NaN gives 0); complex numbers lose
    /// their imaginary part; numbers become `true` unless they are zero.
    ///
    /// # Errors
    /// When memory cannot be had.
    pub fn astype(&self, dtype: DType) -> Result<Array, OpsError> {
        if dtype == self.dtype() {
            return Ok(self.clone());
        }
        Lane::with(|lane| ops::astype::astype(lane, &self.data, dtype)).map(Into::into)
    }

    /// Writes `value`, broadcast and converted, to the part that an index selects.
    ///
    /// If the storage is shared, this array first takes a copy of its own.
    ///
    /// ```
    /// use freelane_ops::{Array, Index};
    /// let mut x = Array::zeros(&[2, 2], freelane_ops::DType::F64)?;
    /// let before = x.clone();
    /// x.assign(&[Index::At(1)], 7.0)?;
    /// assert_eq!(x.to_vec::<f64>()?, [0.0, 0.0, 7.0, 7.0]);
    /// assert_eq!(before.to_vec::<f64>()?, [0.0; 4]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When the index or the value's shape do not fit, or the value's kind (complex into real, say) cannot be held.
    pub fn assign<'a>(&mut self, index: &[Index], value: impl Into<Operand<'a>>) -> Result<(), OpsError> {
        let value = value.into();
        Lane::with(|lane| ops::assign::assign_part(lane, &mut self.data, index, value))
    }
}

/// A vector with room for `n` values: a broadcast array has more elements than bytes.
pub(crate) fn room<T>(op: &'static str, n: usize) -> Result<Vec<T>, OpsError> {
    let mut values = Vec::new();
    let (bytes, align) = (n.saturating_mul(size_of::<T>()), align_of::<T>());
    values.try_reserve_exact(n).map_err(|_| MemError::OutOfMemory { bytes, align }).in_op(op)?;
    Ok(values)
}
