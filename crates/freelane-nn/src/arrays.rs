//! Operands without gaps, and results written part by part.
use freelane_array::{ArrayData, DType, Element};
use freelane_kernels::conv::ConvElement;
use freelane_mem::ScratchReq;
use freelane_ops::batch::{Chunks, for_each_part};
use freelane_ops::{Array, InOp, OpsError};
use freelane_pool::Lane;
use freelane_simd::Isa;
use freelane_sync::OnceTable;
use num_traits::Float;
use std::alloc::Layout;
use std::borrow::Cow;
use std::iter::Sum;
use std::mem::MaybeUninit;
use std::ops::{AddAssign, DivAssign, MulAssign};

/// A float that layers compute in.
pub(crate) trait Real: Element + Float + ConvElement + Sum + AddAssign + MulAssign + DivAssign {
    /// The nearest to a number.
    fn of(x: f64) -> Self;
    /// The number.
    fn wide(self) -> f64;
    /// The same elements, if they are `f32`.
    fn singles(x: &[Self]) -> Option<&[f32]>;
    /// As `singles`.
    fn singles_mut(x: &mut [Self]) -> Option<&mut [f32]>;
}

macro_rules! reals {
    ($($t:ty: |$x:ident| $singles:expr),*) => {$(
        impl Real for $t {
            fn singles($x: &[$t]) -> Option<&[f32]> {
                $singles
            }
            fn singles_mut($x: &mut [$t]) -> Option<&mut [f32]> {
                $singles
            }
            #[inline(always)]
            fn of(x: f64) -> $t {
                x as $t
            }
            #[inline(always)]
            fn wide(self) -> f64 {
                self as f64
            }
        }
    )*};
}
reals!(f32: |x| Some(x), f64: |_x| None);

/// Runs a body with `T` standing for `f32` or `f64`.
macro_rules! with_real {
    ($op:expr, $dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            freelane_array::DType::F32 => $crate::arrays::with_real!(@ f32, $T => $body),
            freelane_array::DType::F64 => $crate::arrays::with_real!(@ f64, $T => $body),
            other => Err($crate::arrays::not_real($op, other)),
        }
    };
    (@ $t:ty, $T:ident => $body:expr) => {{
        #[allow(unused_imports)]
        use {freelane_array::Element as _, num_traits::Float as _, num_traits::One as _, num_traits::Zero as _};
        type $T = $t;
        $body
    }};
}
pub(crate) use with_real;

#[cold]
pub(crate) fn not_real(op: &'static str, found: DType) -> OpsError {
    OpsError::DType { op, found: vec![found], supported: "float16, bfloat16, float32, float64".to_owned() }
}

/// Indices of elements among `n`, of which none is negative.
pub(crate) fn indices_below(op: &'static str, indices: &[i64], n: usize) -> Result<Vec<usize>, OpsError> {
    let below = |&i: &i64| {
        let place = usize::try_from(i).ok().filter(|i| *i < n);
        place.ok_or_else(|| OpsError::argument(op, format!("index {i} of {n}")))
    };
    indices.iter().map(below).collect()
}

/// The array itself if it has no gaps, else a copy without.
pub(crate) fn dense(x: &ArrayData) -> Result<Cow<'_, ArrayData>, OpsError> {
    if x.layout().is_contiguous() {
        return Ok(Cow::Borrowed(x));
    }
    Ok(Cow::Owned(Array::from(x.clone()).contiguous()?.into()))
}

/// The array without gaps, of a type.
pub(crate) fn dense_as(x: &ArrayData, dtype: DType) -> Result<Cow<'_, ArrayData>, OpsError> {
    if x.dtype() == dtype {
        return dense(x);
    }
    Ok(Cow::Owned(Array::from(x.clone()).astype(dtype)?.contiguous()?.into()))
}

/// The type that floats are computed in: half ones in `f32`.
pub(crate) fn wide_dtype(op: &'static str, dtype: DType) -> Result<DType, OpsError> {
    match dtype {
        DType::F16 | DType::BF16 | DType::F32 => Ok(DType::F32),
        DType::F64 => Ok(DType::F64),
        other => Err(not_real(op, other)),
    }
}

/// A result in the type that is wanted.
pub(crate) fn in_dtype(x: ArrayData, dtype: DType) -> Result<ArrayData, OpsError> {
    if x.dtype() == dtype { Ok(x) } else { Ok(Array::from(x).astype(dtype)?.into()) }
}

/// The elements of an array without gaps.
pub(crate) fn elements<T: Element>(x: &ArrayData) -> Result<&[T], OpsError> {
    let view = x.view::<T>().map_err(|source| OpsError::Array { op: "view", source })?;
    Ok(view.as_slice().unwrap_or_else(|| unreachable!("the array was made without gaps")))
}

/// The elements of an array that was just made.
pub(crate) fn elements_mut<T: Element>(x: &mut Array) -> Result<&mut [T], OpsError> {
    Ok(x.view_mut::<T>()?.into_slice().unwrap_or_else(|| unreachable!("the array was made without gaps")))
}

/// Runs `f`, compiled for the vectors of this CPU as far as it is inlined here. Nothing contracts products and sums, so the bits
/// are those of any other CPU.
#[inline]
pub(crate) fn vectors<R>(f: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if matches!(Isa::current(), Isa::Avx2 | Isa::Avx512) {
        // SAFETY: these instruction sets are chosen only where the CPU has them.
        return unsafe { avx2(f) };
    }
    f()
}

/// # Safety
/// The CPU has the instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<R>(f: impl FnOnce() -> R) -> R {
    f()
}

/// A new array in `parts` parts of equal length, each written by `f` with its number, on the lanes of the runtime in scope.
/// What a part holds before is anything. `cost` is the estimated time of all parts in nanoseconds.
pub(crate) fn fill<T: Element>(
    lane: &Lane,
    op: &'static str,
    shape: &[usize],
    parts: usize,
    cost: usize,
    f: impl Fn(&Lane, usize, &mut [T]) -> Result<(), OpsError> + Sync,
) -> Result<ArrayData, OpsError> {
    let mut out = Array::empty_in(lane, shape, T::DTYPE).map_err(|e| e.of(op))?;
    if out.is_empty() {
        return Ok(out.into());
    }
    let elements = elements_mut::<T>(&mut out)?;
    let each = |lane: &Lane, i: usize, part: &mut [T]| vectors(|| f(lane, i, part));
    if parts == 1 {
        each(lane, 0, elements)?;
    } else {
        for_each_part(lane, op, cost as u64, Chunks::new(elements, parts), each)?;
    }
    Ok(out.into())
}

/// Calls `f` with so many zeros in the lane's scratch memory.
pub(crate) fn scratch<T: Element, R>(
    lane: &Lane,
    op: &'static str,
    len: usize,
    f: impl FnOnce(&mut [T]) -> Result<R, OpsError>,
) -> Result<R, OpsError> {
    let made = lane.scratch(ScratchReq::of::<T>(len), |memory| {
        memory.fill(MaybeUninit::new(0));
        // SAFETY: the memory is aligned and large enough for `len` elements, and zero bytes are one of each type.
        f(unsafe { std::slice::from_raw_parts_mut(memory.as_mut_ptr().cast::<T>(), len) })
    });
    made.in_op(op)?
}

/// Calls `f` with the lane's scratch memory, as much as a kernel needs.
pub(crate) fn with_scratch<R>(
    lane: &Lane,
    op: &'static str,
    need: Layout,
    f: impl FnOnce(&mut [MaybeUninit<u8>]) -> R,
) -> Result<R, OpsError> {
    lane.scratch(ScratchReq::new(need.size(), need.align()), f).in_op(op)
}

/// So many elements, made by `f`.
///
/// # Safety
/// `f` initialises all of them.
pub(crate) unsafe fn made<T>(
    op: &'static str,
    len: usize,
    f: impl FnOnce(&mut [MaybeUninit<T>]),
) -> Result<Vec<T>, OpsError> {
    let mut made = with_room(op, len)?;
    f(&mut made.spare_capacity_mut()[..len]);
    // SAFETY: the caller's promise.
    unsafe { made.set_len(len) };
    Ok(made)
}

/// Runs tasks on the lanes of the runtime in scope, each once. `cost` is the estimated time of all in nanoseconds.
pub(crate) fn tasks(
    lane: &Lane,
    op: &'static str,
    count: usize,
    cost: u64,
    f: impl Fn(&Lane, usize) -> Result<(), OpsError> + Sync,
) -> Result<(), OpsError> {
    let failed = OnceTable::new();
    let done = lane.try_par_for(count, cost, &|lane, task| {
        if let Err(e) = f(lane, task) {
            failed.get_or_init(|| e);
        }
    });
    done.in_op(op)?;
    failed.into_inner().map_or(Ok(()), Err)
}

/// An empty vector with room for so many elements.
pub(crate) fn with_room<T>(op: &'static str, len: usize) -> Result<Vec<T>, OpsError> {
    let mut made = Vec::new();
    made.try_reserve_exact(len).map_err(|_| too_large(op))?;
    Ok(made)
}

#[cold]
pub(crate) fn too_large(op: &'static str) -> OpsError {
    OpsError::argument(op, "operands larger than memory")
}

/// The number, or the bound that it is beyond; NaN stays NaN.
#[inline(always)]
pub(crate) fn bounded<T: Real>(x: T, low: T, high: T) -> T {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// Lengths before, of, and behind an axis.
pub(crate) fn around(shape: &[usize], axis: usize) -> (usize, usize, usize) {
    (shape[..axis].iter().product(), shape[axis], shape[axis + 1..].iter().product())
}

/// An axis counted from the front.
pub(crate) fn axis_of(op: &'static str, axis: i64, rank: usize) -> Result<usize, OpsError> {
    freelane_array::normalize_axis(axis as isize, rank).map_err(|source| OpsError::Array { op, source })
}
