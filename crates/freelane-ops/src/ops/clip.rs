//! Values held between bounds.
use crate::function::{Default, Kind, Param};
use crate::ufunc::{Ready, drive, finish, uninit};
use crate::{Array, InOp, Op, Operand, OpsError, Run, Scalar, ufuncs};
use freelane_array::{ArrayData, DType, Layout, broadcast_shapes};
use freelane_kernels::elementwise::{Clip, Loop3, loop3};
use freelane_pool::Lane;
use freelane_simd::Isa;

const OP: &str = "clip";

impl Array {
    /// The elements, each at least `min` and at most `max`, where those are given. NaN stays, and NaN as a bound gives NaN;
    /// where `min` exceeds `max`, the result is `max`.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let x = Array::from_vec(vec![-2.0, 0.5, 7.0], &[3])?;
    /// assert_eq!(x.clip(Some(0.0.into()), Some(1.0.into()))?.to_vec::<f64>()?, [0.0, 0.5, 1.0]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When the dtype has no order, shapes do not broadcast, or memory cannot be had.
    pub fn clip(&self, min: Option<Operand<'_>>, max: Option<Operand<'_>>) -> Result<Array, OpsError> {
        let dtype = self.dtype();
        let (min, max) = (min.filter(|m| !holds_all(*m, dtype, true)), max.filter(|m| !holds_all(*m, dtype, false)));
        let clipped = Lane::with(|lane| match (min, max) {
            (None, None) => ordered(self.data()),
            (Some(min), None) => ufuncs::MAXIMUM.call(lane, &[self.into(), min]),
            (None, Some(max)) => ufuncs::MINIMUM.call(lane, &[self.into(), max]),
            (Some(min), Some(max)) => match one_pass(dtype).filter(|_| keeps_dtype(self, [min, max])) {
                Some(run) => clip(lane, self.data(), [min, max], run),
                None => at_most(lane, ufuncs::MAXIMUM.call(lane, &[self.into(), min])?, max),
            },
        });
        clipped.map(Into::into).map_err(|e| e.of(OP))
    }
}

/// Whether a bound is an integer beyond what the dtype holds, on the side where it bounds nothing.
fn holds_all(bound: Operand<'_>, dtype: DType, lower: bool) -> bool {
    match bound {
        Operand::Scalar(s @ Scalar::Int(i)) if dtype.is_integer() => {
            s.to_element(OP, dtype).is_err() && (i < 0) == lower
        }
        _ => false,
    }
}

fn ordered(x: &ArrayData) -> Result<ArrayData, OpsError> {
    let supported = || ufuncs::MAXIMUM.dtypes().map(|d| d.name()).collect::<Vec<_>>().join(", ");
    let error = || OpsError::DType { op: OP, found: vec![x.dtype()], supported: supported() };
    ufuncs::MAXIMUM.output_dtype(x.dtype()).map(|_| x.clone()).ok_or_else(error)
}

/// The loop that holds elements of a dtype between two bounds.
fn one_pass(dtype: DType) -> Option<Loop3> {
    match dtype {
        DType::I8 => Some(loop3::<Clip, i8>),
        DType::I16 => Some(loop3::<Clip, i16>),
        DType::I32 => Some(loop3::<Clip, i32>),
        DType::I64 => Some(loop3::<Clip, i64>),
        DType::U8 => Some(loop3::<Clip, u8>),
        DType::U16 => Some(loop3::<Clip, u16>),
        DType::U32 => Some(loop3::<Clip, u32>),
        DType::U64 => Some(loop3::<Clip, u64>),
        DType::F32 => Some(loop3::<Clip, f32>),
        DType::F64 => Some(loop3::<Clip, f64>),
        _ => None,
    }
}

/// Whether the bounds are of the array's dtype, or numbers that give way to it, and the result has its shape.
fn keeps_dtype(x: &Array, bounds: [Operand<'_>; 2]) -> bool {
    let shape = broadcast_shapes([x.shape(), bounds[0].shape(), bounds[1].shape()]);
    shape.is_ok_and(|shape| shape[..] == *x.shape())
        && bounds.iter().all(|b| matches!(ufuncs::MINIMUM.loop_dtype(&[x.into(), *b]), Ok(d) if d == x.dtype()))
}

fn clip(lane: &Lane, x: &ArrayData, bounds: [Operand<'_>; 2], run: Loop3) -> Result<ArrayData, OpsError> {
    let (dtype, isa) = (x.dtype(), Isa::current());
    let layout = Layout::contiguous(x.layout().shape()).in_op(OP)?;
    let [low, high] = bounds.map(|b| Ready::new(lane, OP, b, dtype));
    let (x, low, high) = (Ready::new(lane, OP, Operand::Array(x), dtype)?, low?, high?);
    let mut buffer = uninit(lane, &layout, dtype, OP)?;
    let inner = |[x, a, b, o]: [*mut u8; 4], [sx, sa, sb, os]: [isize; 4], n| {
        // SAFETY: `drive` hands over parts of operands that hold `n` elements at these strides.
        unsafe { run(isa, n, x, sx, a, sa, b, sb, o, os) }
    };
    drive(lane, [&x, &low, &high], buffer.as_mut_ptr(), &layout, dtype.size(), 0.5, inner).in_op(OP)?;
    // SAFETY: `drive` wrote every element of the layout.
    Ok(unsafe { finish(buffer, dtype, layout) })
}

fn at_most(lane: &Lane, mut x: ArrayData, max: Operand<'_>) -> Result<ArrayData, OpsError> {
    let shape = broadcast_shapes([x.layout().shape(), max.shape()]);
    let in_place = shape.is_ok_and(|shape| shape[..] == *x.layout().shape());
    let same_dtype = matches!(ufuncs::MINIMUM.loop_dtype(&[Operand::Array(&x), max]), Ok(d) if d == x.dtype());
    if !in_place || !same_dtype {
        return ufuncs::MINIMUM.call(lane, &[Operand::Array(&x), max]);
    }
    ufuncs::MINIMUM.call_over(lane, &mut x, &[None, Some(max)])?;
    Ok(x)
}

pub(crate) static CLIP: Op = Op {
    name: OP,
    doc: "The elements, each at least min and at most max, where those are given; NaN stays.",
    params: &[
        Param::required("x", Kind::Operand),
        Param::optional("min", Kind::Operand, Default::None),
        Param::optional("max", Kind::Operand, Default::None),
    ],
    run: Run::One(|_, a| {
        let bound = |i| if a.is_given(i) { a.operand(i).map(Some) } else { Ok(None) };
        a.array(0)?.clip(bound(1)?, bound(2)?)
    }),
    onnx: Some(("Clip", 6)),
};
