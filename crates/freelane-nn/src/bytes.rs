//! Products of matrices of bytes, the right one packed once.
use crate::arrays::{dense, elements, elements_mut, made, scratch, tasks, too_large, with_scratch};
use freelane_array::{ArrayData, DType, Element};
use freelane_kernels::Target;
use freelane_kernels::gemm::Mat;
use freelane_kernels::int8::{Byte, Dequantize, Each, Exact, IntPlan, IntProduct, Sink, dynamic_range, quantize};
use freelane_ops::{Array, OpsError};
use freelane_pool::Lane;
use freelane_simd::Isa;

const OP: &str = "MatMulInteger";

/// Multiplications of bytes in a nanosecond on one core, about.
pub(crate) const PRODUCTS: usize = 60;

/// A matrix of bytes as products read it from the right.
#[derive(Clone)]
pub struct ByteMatrix {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    words: Vec<i32>,
    plan: Plan,
}

#[derive(Clone, Copy)]
enum Plan {
    U8(IntPlan<u8>),
    I8(IntPlan<i8>),
}

/// Zero points of either type.
#[derive(Clone, Copy)]
enum Zeros<'a> {
    None,
    U8(&'a [u8]),
    I8(&'a [i8]),
}

/// Zero points without gaps.
fn zeros(x: Option<&ArrayData>) -> Result<Zeros<'_>, OpsError> {
    match x {
        None => Ok(Zeros::None),
        Some(x) if x.dtype() == DType::U8 => Ok(Zeros::U8(elements(x)?)),
        Some(x) if x.dtype() == DType::I8 => Ok(Zeros::I8(elements(x)?)),
        Some(x) => Err(not_bytes(OP, x.dtype())),
    }
}

#[cold]
pub(crate) fn not_bytes(op: &'static str, found: DType) -> OpsError {
    OpsError::DType { op, found: vec![found], supported: "int8, uint8".to_owned() }
}

/// Zero points of bytes of one type.
trait Zero: Byte + Element {
    fn of_zeros(zeros: Zeros<'_>) -> Result<&[Self], OpsError>;
}
impl Zero for u8 {
    fn of_zeros(zeros: Zeros<'_>) -> Result<&[u8], OpsError> {
        match zeros {
            Zeros::None => Ok(&[]),
            Zeros::U8(list) => Ok(list),
            Zeros::I8(_) => Err(not_bytes(OP, DType::I8)),
        }
    }
}
impl Zero for i8 {
    fn of_zeros(zeros: Zeros<'_>) -> Result<&[i8], OpsError> {
        match zeros {
            Zeros::None => Ok(&[]),
            Zeros::I8(list) => Ok(list),
            Zeros::U8(_) => Err(not_bytes(OP, DType::U8)),
        }
    }
}

/// None, one, or one for each row or column.
pub(crate) fn each<'a, T: Copy + Default>(list: &'a [T], many: fn(&'a [T]) -> Each<'a, T>) -> Each<'a, T> {
    match list {
        [] => Each::One(T::default()),
        [one] => Each::One(*one),
        list => many(list),
    }
}

fn packed<B: Byte>(bytes: &[B], [rows, columns]: [usize; 2]) -> Result<(IntPlan<B>, Vec<i32>), OpsError> {
    let plan = IntPlan::<B>::new(Isa::current(), rows, columns).ok_or_else(|| too_large(OP))?;
    let view = Mat::new(bytes, 0, [rows, columns], [columns as isize, 1]).ok_or_else(|| too_large(OP))?;
    // SAFETY: `pack` initialises all of them.
    let words = unsafe { made(OP, plan.packed_len(), |words| plan.pack(view, words)) }?;
    Ok((plan, words))
}

impl ByteMatrix {
    /// Packs a matrix of `uint8` or `int8`.
    ///
    /// # Errors
    /// When it is no matrix of bytes, or memory cannot be had.
    pub fn pack(matrix: &ArrayData) -> Result<ByteMatrix, OpsError> {
        let matrix = dense(matrix)?;
        let &[rows, columns] = matrix.layout().shape() else {
            return Err(OpsError::argument(OP, format!("a matrix of shape {:?}", matrix.layout().shape())));
        };
        let (plan, words) = match matrix.dtype() {
            DType::U8 => packed(elements::<u8>(&matrix)?, [rows, columns]).map(|(plan, words)| (Plan::U8(plan), words)),
            DType::I8 => packed(elements::<i8>(&matrix)?, [rows, columns]).map(|(plan, words)| (Plan::I8(plan), words)),
            other => Err(not_bytes(OP, other)),
        }?;
        Ok(ByteMatrix { rows, columns, words, plan })
    }

    /// Bytes of the packed matrix.
    pub fn nbytes(&self) -> usize {
        size_of_val(&self.words[..])
    }

    /// `a` times the matrix, exact: the last axis of `a` is summed over. Zero points of `a` are one or one for each row, those of
    /// the matrix one or one for each column.
    ///
    /// # Errors
    /// When shapes or types do not fit, or memory cannot be had.
    pub fn multiply(
        &self,
        lane: &Lane,
        a: &ArrayData,
        a_zero: Option<&ArrayData>,
        b_zero: Option<&ArrayData>,
    ) -> Result<ArrayData, OpsError> {
        let a = dense(a)?;
        let Some((&depth, lead)) = a.layout().shape().split_last() else {
            return Err(OpsError::argument(OP, "an operand without axes"));
        };
        if depth != self.rows {
            return Err(OpsError::argument(OP, format!("{depth} columns times {} rows", self.rows)));
        }
        let rows: usize = lead.iter().product();
        let shape: smallvec::SmallVec<[usize; 6]> = lead.iter().copied().chain([self.columns]).collect();
        let mut out = Array::empty_in(lane, &shape, DType::I32)?;
        let to = elements_mut::<i32>(&mut out)?;
        let (a_zero, b_zero) = (a_zero.map(dense).transpose()?, b_zero.map(dense).transpose()?);
        let zeros = (zeros(a_zero.as_deref())?, zeros(b_zero.as_deref())?);
        match a.dtype() {
            DType::U8 => self.run::<u8, _>(lane, elements(&a)?, rows, zeros, &Exact, to)?,
            DType::I8 => self.run::<i8, _>(lane, elements(&a)?, rows, zeros, &Exact, to)?,
            other => return Err(not_bytes(OP, other)),
        }
        Ok(out.into())
    }

    fn run<A: Zero, S: Sink>(
        &self,
        lane: &Lane,
        a: &[A],
        rows: usize,
        zeros: (Zeros<'_>, Zeros<'_>),
        sink: &S,
        out: &mut [S::Out],
    ) -> Result<(), OpsError>
    where
        S::Out: Send,
    {
        match self.plan {
            Plan::U8(plan) => self.run_of(lane, plan, a, rows, zeros, sink, out),
            Plan::I8(plan) => self.run_of(lane, plan, a, rows, zeros, sink, out),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "hands its caller's arguments on")]
    fn run_of<A: Zero, B: Zero, S: Sink>(
        &self,
        lane: &Lane,
        plan: IntPlan<B>,
        a: &[A],
        rows: usize,
        zeros: (Zeros<'_>, Zeros<'_>),
        sink: &S,
        out: &mut [S::Out],
    ) -> Result<(), OpsError>
    where
        S::Out: Send,
    {
        let (a_zero, b_zero) = (A::of_zeros(zeros.0)?, B::of_zeros(zeros.1)?);
        let wrong = |n: usize, many: usize| n > 1 && n != many;
        if wrong(a_zero.len(), rows) || wrong(b_zero.len(), self.columns) {
            return Err(OpsError::argument(OP, "zero points for other rows or columns"));
        }
        if out.is_empty() {
            return Ok(());
        }
        let a = Mat::new(a, 0, [rows, self.rows], [self.rows as isize, 1]).ok_or_else(|| too_large(OP))?;
        let product =
            IntProduct { a, a_zero: each(a_zero, Each::Rows), b: &self.words, b_zero: each(b_zero, Each::Columns) };
        let cost = (out.len().saturating_mul(self.rows) / PRODUCTS) as u64;
        let count = lane.pieces(cost).clamp(1, rows);
        let first = |task: usize| rows * task / count;
        let target = Target::of(out);
        tasks(lane, OP, count, cost, |lane, task| {
            let rows = first(task)..first(task + 1);
            // SAFETY: the tasks cut the rows into ranges that do not overlap, and each runs once.
            let mut target = unsafe { target.share() };
            with_scratch(lane, OP, plan.scratch(rows.len()), |memory| {
                plan.run(&product, sink, &mut target, memory, rows, 0..self.columns);
            })
        })
    }
}

/// A matrix of bytes that stand for floats.
#[derive(Clone)]
pub struct ScaledMatrix {
    /// The bytes.
    pub matrix: ByteMatrix,
    /// Their scale: one, or one for each column.
    pub scale: Vec<f32>,
    /// Their zero point, alike.
    pub zero: Option<ArrayData>,
}

impl ScaledMatrix {
    /// `x` times the matrix, `x` becoming bytes by its range; then a bias is added to each row.
    ///
    /// # Errors
    /// When memory cannot be had.
    pub fn multiply(&self, lane: &Lane, x: &[f32], bias: Option<&[f32]>, out: &mut [f32]) -> Result<(), OpsError> {
        let (columns, isa) = (self.matrix.columns, Isa::current());
        let rows = out.len().checked_div(columns).unwrap_or(0);
        let b_zero = self.zero.as_ref().map(dense).transpose()?;
        let (scale, zero) = dynamic_range(isa, x);
        let bias = bias.map_or(Each::One(0.0), Each::Columns);
        scratch::<u8, _>(lane, OP, x.len(), |bytes| {
            quantize(isa, x, scale, zero, bytes);
            let zeros = (Zeros::U8(std::slice::from_ref(&zero)), zeros(b_zero.as_deref())?);
            if let [one] = self.scale[..] {
                let sink = Dequantize { scale: Each::One(scale * one), bias };
                return self.matrix.run::<u8, _>(lane, bytes, rows, zeros, &sink, out);
            }
            scratch::<f32, _>(lane, OP, columns, |scales| {
                scales.iter_mut().zip(&self.scale).for_each(|(s, w)| *s = scale * *w);
                let sink = Dequantize { scale: Each::Columns(scales), bias };
                self.matrix.run::<u8, _>(lane, bytes, rows, zeros, &sink, out)
            })
        })
    }
}
