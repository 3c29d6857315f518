//! Floats as small integers, and products of those.
use crate::arrays::{around, axis_of, dense, dense_as, elements, fill};
use freelane_array::{ArrayData, DType, Element};
use freelane_kernels::int8::{dynamic_range, quantize as quantize_bytes};
use freelane_ops::{Array, OpsError};
use freelane_pool::Lane;
use freelane_simd::Isa;

/// An integer that stands for floats.
trait Code: Element {
    const LOW: f64;
    const HIGH: f64;
    fn of(x: f64) -> Self;
    fn wide(self) -> f64;
}
macro_rules! codes {
    ($($t:ident),*) => {$(
        impl Code for $t {
            const LOW: f64 = $t::MIN as f64;
            const HIGH: f64 = $t::MAX as f64;
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
codes!(u8, i8, u16, i16, i32, u32);

/// Runs a body with `T` standing for the integer of a type.
macro_rules! with_code {
    ($op:expr, $dtype:expr, $T:ident => $body:expr) => {
        with_code!(@ $op, $dtype, $T, $body, U8 u8, I8 i8, U16 u16, I16 i16, I32 i32, U32 u32)
    };
    (@ $op:expr, $dtype:expr, $T:ident, $body:expr, $($name:ident $t:ident),*) => {
        match $dtype {
            $(DType::$name => {
                type $T = $t;
                $body
            })*
            other => Err(not_code($op, other)),
        }
    };
}

#[cold]
fn not_code(op: &'static str, found: DType) -> OpsError {
    let supported = "int8, uint8, int16, uint16, int32, uint32".to_owned();
    OpsError::DType { op, found: vec![found], supported }
}

/// Which elements share a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared {
    /// The axis along which scales differ, where there is more than one.
    pub axis: i64,
    /// Elements along the axis that share one, if scales have as many axes as the array; 0 elsewhere.
    pub block: usize,
}

/// Scales laid out beside an array: `(outer, n, inner)` about the axis.
struct Scales {
    n: usize,
    inner: usize,
    /// Elements along the axis that share a row of `inner` scales; 0: one scale for each place along it.
    block: usize,
    one: bool,
}

impl Scales {
    fn new(op: &'static str, x: &[usize], scale: &[usize], shared: Shared) -> Result<Scales, OpsError> {
        let fail = || OpsError::argument(op, format!("scales of shape {scale:?} for an array of shape {x:?}"));
        if scale.iter().product::<usize>() == 1 && (scale.len() < 2 || shared.block == 0) {
            return Ok(Scales { n: 1, inner: 1, block: 0, one: true });
        }
        let axis = axis_of(op, shared.axis, x.len())?;
        let (_, n, inner) = around(x, axis);
        if shared.block == 0 {
            let fits = scale.len() == 1 && scale[0] == n;
            return if fits { Ok(Scales { n, inner, block: 0, one: false }) } else { Err(fail()) };
        }
        let blocks = n.div_ceil(shared.block);
        let fits = scale.len() == x.len() && (0..x.len()).all(|i| scale[i] == if i == axis { blocks } else { x[i] });
        if fits { Ok(Scales { n, inner, block: shared.block, one: false }) } else { Err(fail()) }
    }

    /// Rows of elements, and elements of a row, whose scales are one, or lie side by side.
    fn rows(&self, len: usize) -> [usize; 2] {
        let row = self.row(len);
        [len.checked_div(row).unwrap_or(1).max(1), row]
    }

    fn row(&self, len: usize) -> usize {
        match self {
            Scales { one: true, .. } => len,
            Scales { block: 0, inner: 1, n, .. } => *n,
            Scales { inner, .. } => *inner,
        }
    }

    /// Where the scales of row `i` begin, and whether there is only one.
    #[inline(always)]
    fn of(&self, i: usize) -> (usize, bool) {
        match self {
            Scales { one: true, .. } => (0, true),
            Scales { block: 0, inner: 1, .. } => (0, false),
            Scales { block: 0, n, .. } => (i % n, true),
            Scales { block, n, inner, .. } => {
                let blocks = n.div_ceil(*block);
                ((i / n * blocks + i % n / block) * inner, false)
            }
        }
    }
}

/// Scales, zero points as numbers, and how they lie beside an array.
struct Codes<'a, Z> {
    layout: Scales,
    scale: &'a [f32],
    zero: Vec<Z>,
}

impl<Z: Copy> Codes<'_, Z> {
    /// Row `i` of a result from that of an array, each element with its scale and zero point.
    #[inline(always)]
    fn each<A: Copy, B>(&self, i: usize, x: &[A], out: &mut [B], f: impl Fn(A, f32, Z) -> B) {
        let (at, one) = self.layout.of(i);
        if one {
            let (s, z) = (self.scale[at], self.zero[at]);
            out.iter_mut().zip(x).for_each(|(o, x)| *o = f(*x, s, z));
        } else {
            let each = out.iter_mut().zip(x).zip(self.scale[at..].iter().zip(&self.zero[at..]));
            each.for_each(|((o, x), (s, z))| *o = f(*x, *s, *z));
        }
    }
}

/// Zero points as numbers, one for each scale.
fn zeros(op: &'static str, zero: Option<&ArrayData>, scales: usize) -> Result<Vec<f64>, OpsError> {
    let Some(zero) = zero else { return Ok(vec![0.0; scales]) };
    let all = dense_as(zero, DType::F64)?;
    let list = elements::<f64>(&all)?.to_vec();
    if list.len() == scales {
        return Ok(list);
    }
    let found = zero.layout().shape();
    Err(OpsError::argument(op, format!("zero points of shape {found:?} for {scales} scales")))
}

/// `saturate(round(x / scale) + zero)` as elements of `dtype`; halves go to the even neighbour.
///
/// # Errors
/// When shapes do not fit, elements are of other types, or memory cannot be had.
pub fn quantize(
    lane: &Lane,
    x: &ArrayData,
    scale: &ArrayData,
    zero: Option<&ArrayData>,
    dtype: DType,
    shared: Shared,
) -> Result<ArrayData, OpsError> {
    const OP: &str = "QuantizeLinear";
    let shape = x.layout().shape();
    let layout = Scales::new(OP, shape, scale.layout().shape(), shared)?;
    // Half floats are divided in their own type by those who define this; the quotient in `f32` rounds alike.
    let (x, scale) = (dense_as(x, DType::F32)?, dense_as(scale, DType::F32)?);
    let (from, scale) = (elements::<f32>(&x)?, elements::<f32>(&scale)?);
    let zero: Vec<f32> = zeros(OP, zero, scale.len())?.into_iter().map(|z| z as f32).collect();
    let [rows, row] = layout.rows(from.len());
    let codes = Codes { layout, scale, zero };
    with_code!(OP, dtype, C => {
        // NaN is the lowest.
        let code = |x: f32, s: f32, z: f32| -> C {
            let y = (x / s).round_ties_even() + z;
            let y = if y > C::LOW as f32 { y } else { C::LOW as f32 };
            C::of(f64::from(if y < C::HIGH as f32 { y } else { C::HIGH as f32 }))
        };
        fill::<C>(lane, OP, shape, rows, from.len(), |_, i, out| {
            codes.each(i, &from[i * row..][..out.len()], out, code);
            Ok(())
        })
    })
}

/// `(x - zero) * scale`, in the type of the scales or another one.
///
/// # Errors
/// When shapes do not fit, elements are of other types, or memory cannot be had.
pub fn dequantize(
    lane: &Lane,
    x: &ArrayData,
    scale: &ArrayData,
    zero: Option<&ArrayData>,
    dtype: DType,
    shared: Shared,
) -> Result<ArrayData, OpsError> {
    const OP: &str = "DequantizeLinear";
    let shape = x.layout().shape();
    let layout = Scales::new(OP, shape, scale.layout().shape(), shared)?;
    let scale = dense_as(scale, DType::F32)?;
    let scale = elements::<f32>(&scale)?;
    let zero = zeros(OP, zero, scale.len())?;
    let x = dense(x)?;
    let [rows, row] = layout.rows(x.layout().len());
    let codes = Codes { layout, scale, zero };
    let done = with_code!(OP, x.dtype(), C => {
        let from = elements::<C>(&x)?;
        let value = |x: C, s: f32, z: f64| (x.wide() - z) as f32 * s;
        fill::<f32>(lane, OP, shape, rows, from.len(), |_, i, out| {
            codes.each(i, &from[i * row..][..out.len()], out, value);
            Ok(())
        })
    })?;
    crate::arrays::in_dtype(done, dtype)
}

/// The array as bytes, their scale and zero point, chosen by its range.
///
/// # Errors
/// When elements are no `f32`, or memory cannot be had.
pub fn quantize_dynamic(lane: &Lane, x: &ArrayData) -> Result<[ArrayData; 3], OpsError> {
    const OP: &str = "DynamicQuantizeLinear";
    let dense = dense(x)?;
    let from = elements::<f32>(&dense)?;
    let isa = Isa::current();
    let (scale, zero) = dynamic_range(isa, from);
    let shape = x.layout().shape();
    let parts = crate::activation::parts(shape);
    let y = fill::<u8>(lane, OP, shape, parts, from.len(), |_, i, out| {
        quantize_bytes(isa, &from[i * out.len()..][..out.len()], scale, zero, out);
        Ok(())
    })?;
    let (scale, zero) =
        (Array::full(&[], f64::from(scale), DType::F32)?, Array::full(&[], i64::from(zero), DType::U8)?);
    Ok([y, scale.into(), zero.into()])
}

/// The type in which sums of so many products of bytes are exact.
fn exact(depth: usize) -> DType {
    // 258 products of 255 and 255 stay below 2^24.
    if depth <= 258 { DType::F32 } else { DType::F64 }
}

/// Integers without their zero point, in a float type. Zero points are one, or one for each place along an axis.
fn centred(
    op: &'static str,
    x: &ArrayData,
    zero: Option<&ArrayData>,
    axis: usize,
    dtype: DType,
) -> Result<Array, OpsError> {
    let wide = Array::from(x.clone()).astype(dtype)?;
    let Some(zero) = zero else { return Ok(wide) };
    wide.subtract(&along(zero, axis, x.layout().rank(), dtype)?).map_err(|e| e.of(op))
}

/// The product of matrices of integers, exact in `i32`. Zero points of `a` are one or one for each row, those of `b` one or one
/// for each column.
///
/// # Errors
/// When shapes do not fit, or memory cannot be had.
pub fn matmul_integer(
    a: &ArrayData,
    b: &ArrayData,
    a_zero: Option<&ArrayData>,
    b_zero: Option<&ArrayData>,
) -> Result<ArrayData, OpsError> {
    const OP: &str = "MatMulInteger";
    product(OP, a, b, a_zero, b_zero)?.astype(DType::I32).map(Into::into)
}

fn product(
    op: &'static str,
    a: &ArrayData,
    b: &ArrayData,
    a_zero: Option<&ArrayData>,
    b_zero: Option<&ArrayData>,
) -> Result<Array, OpsError> {
    let depth = a.layout().shape().last().copied().unwrap_or(0);
    let dtype = exact(depth);
    let (rows, columns) = (a.layout().rank().saturating_sub(2), b.layout().rank().saturating_sub(1));
    let (a, b) = (centred(op, a, a_zero, rows, dtype)?, centred(op, b, b_zero, columns, dtype)?);
    a.matmul(&b).map_err(|e| e.of(op))
}

/// Scales or zero points as an array that broadcasts along an axis of another.
fn along(each: &ArrayData, axis: usize, rank: usize, dtype: DType) -> Result<Array, OpsError> {
    let each = Array::from(each.clone()).astype(dtype)?;
    let shape: Vec<isize> = match each.shape() {
        [] | [1] => vec![],
        [n] => (0..rank).map(|i| if i == axis { *n as isize } else { 1 }).collect(),
        more => more.iter().map(|n| *n as isize).collect(),
    };
    each.reshape(&shape)
}

/// What a quantized operand is: integers, their scale, their zero point.
#[derive(Clone, Copy)]
pub struct Quantized<'a> {
    /// Integers.
    pub x: &'a ArrayData,
    /// What one of them stands for.
    pub scale: &'a ArrayData,
    /// The integer that stands for zero.
    pub zero: Option<&'a ArrayData>,
}

/// Sums as bytes of another scale and zero point.
fn requantized(op: &'static str, sums: &Array, factor: &Array, zero: &ArrayData) -> Result<ArrayData, OpsError> {
    let (low, high) = match zero.dtype() {
        DType::I8 => (-128.0, 127.0),
        DType::U8 => (0.0, 255.0),
        other => return Err(crate::bytes::not_bytes(op, other)),
    };
    let scaled = sums.astype(DType::F64)?.multiply(factor)?.rint()?;
    let shifted = scaled.add(&Array::from(zero.clone()).astype(DType::F64)?)?;
    Ok(shifted.maximum(low)?.minimum(high)?.astype(zero.dtype())?.into())
}

/// The product of two quantized matrices, quantized.
///
/// # Errors
/// When shapes do not fit, or memory cannot be had.
pub fn matmul(a: &Quantized<'_>, b: &Quantized<'_>, y: (&ArrayData, &ArrayData)) -> Result<ArrayData, OpsError> {
    const OP: &str = "QLinearMatMul";
    let sums = product(OP, a.x, b.x, a.zero, b.zero)?;
    let rank = sums.rank();
    let a_scale = along(a.scale, rank.saturating_sub(2), rank, DType::F64)?;
    let b_scale = along(b.scale, rank.saturating_sub(1), rank, DType::F64)?;
    let factor = a_scale.multiply(&b_scale)?.divide(&along(y.0, 0, rank, DType::F64)?)?;
    requantized(OP, &sums, &factor, y.1)
}
