//! Products of matrices of bytes, the right one packed once.
use crate::arrays::{dense, elements, elements_mut, scratch};
use freelane_array::{ArrayData, DType, Element};
use freelane_kernels::Target;
use freelane_kernels::gemm::Mat;
use freelane_kernels::int8::{Byte, Dequantize, Each, Exact, IntPlan, IntProduct, Sink, dynamic_range, quantize};
use freelane_mem::ScratchReq;
use freelane_ops::{Array, InOp, OpsError};
use freelane_pool::Lane;
use freelane_simd::Isa;
use freelane_sync::OnceTable;

const OP: &str = "MatMulInteger";

/// Multiplications of bytes in a nanosecond on one core, about.
const PRODUCTS: usize = 60;

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

fn zeros(x: Option<&ArrayData>) -> Result<Zeros<'_>, OpsError> {
    match x {
        None => Ok(Zeros::None),
        Some(x) if !x.layout().is_contiguous() => Err(OpsError::argument(OP, "zero points with gaps")),
        Some(x) if x.dtype() == DType::U8 => Ok(Zeros::U8(elements(x)?)),
        Some(x) if x.dtype() == DType::I8 => Ok(Zeros::I8(elements(x)?)),
        Some(x) => Err(not_bytes(x.dtype())),
    }
}

#[cold]
fn not_bytes(found: DType) -> OpsError {
    OpsError::DType { op: OP, found: vec![found], supported: "int8, uint8".to_owned() }
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
            Zeros::I8(_) => Err(not_bytes(DType::I8)),
        }
    }
}
impl Zero for i8 {
    fn of_zeros(zeros: Zeros<'_>) -> Result<&[i8], OpsError> {
        match zeros {
            Zeros::None => Ok(&[]),
            Zeros::I8(list) => Ok(list),
            Zeros::U8(_) => Err(not_bytes(DType::U8)),
        }
    }
}

fn each<'a, T: Copy + Default>(list: &'a [T], many: fn(&'a [T]) -> Each<'a, T>) -> Each<'a, T> {
    match list {
        [] => Each::One(T::default()),
        [one] => Each::One(*one),
        list => many(list),
    }
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
        let large = || OpsError::argument(OP, "operands larger than memory");
        let mut words = vec![];
        macro_rules! packed {
            ($t:ty, $plan:ident) => {{
                let plan = IntPlan::<$t>::new(Isa::current(), rows, columns).ok_or_else(large)?;
                let len = plan.packed_len();
                words.try_reserve_exact(len).map_err(|_| large())?;
                let bytes = elements::<$t>(&matrix)?;
                let view = Mat::new(bytes, 0, [rows, columns], [columns as isize, 1]).ok_or_else(large)?;
                plan.pack(view, &mut words.spare_capacity_mut()[..len]);
                // SAFETY: `pack` initialised all of them.
                unsafe { words.set_len(len) };
                Plan::$plan(plan)
            }};
        }
        let plan = match matrix.dtype() {
            DType::U8 => packed!(u8, U8),
            DType::I8 => packed!(i8, I8),
            other => return Err(not_bytes(other)),
        };
        Ok(ByteMatrix { rows, columns, words, plan })
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
        let zeros = (zeros(a_zero)?, zeros(b_zero)?);
        match a.dtype() {
            DType::U8 => self.run::<u8, _>(lane, elements(&a)?, rows, zeros, &Exact, to)?,
            DType::I8 => self.run::<i8, _>(lane, elements(&a)?, rows, zeros, &Exact, to)?,
            other => return Err(not_bytes(other)),
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
        let large = || OpsError::argument(OP, "operands larger than memory");
        let a = Mat::new(a, 0, [rows, self.rows], [self.rows as isize, 1]).ok_or_else(large)?;
        let product =
            IntProduct { a, a_zero: each(a_zero, Each::Rows), b: &self.words, b_zero: each(b_zero, Each::Columns) };
        let cost = (rows * self.columns * self.rows / PRODUCTS) as u64;
        let tasks = lane.pieces(cost).clamp(1, rows);
        let first = |task: usize| rows * task / tasks;
        let target = Target::of(out);
        let failed = OnceTable::new();
        let done = lane.try_par_for(tasks, cost, &|lane, task| {
            let rows = first(task)..first(task + 1);
            let need = plan.scratch(rows.len());
            // SAFETY: the tasks cut the rows into ranges that do not overlap, and each runs once.
            let mut target = unsafe { target.share() };
            let ran = lane.scratch(ScratchReq::new(need.size(), need.align()), |memory| {
                plan.run(&product, sink, &mut target, memory, rows, 0..self.columns);
            });
            if let Err(e) = ran {
                failed.get_or_init(|| e);
            }
        });
        done.in_op(OP)?;
        failed.into_inner().map_or(Ok(()), Err).in_op(OP)
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
        let rows = x.len().checked_div(self.matrix.rows).unwrap_or(0);
        let (scale, zero) = dynamic_range(isa, x);
        scratch::<u8, _>(lane, OP, x.len(), |bytes| {
            quantize(isa, x, scale, zero, bytes);
            scratch::<f32, _>(lane, OP, columns, |scales| {
                scales.iter_mut().zip(self.scale.iter().cycle()).for_each(|(s, w)| *s = scale * *w);
                let sink =
                    Dequantize { scale: Each::Columns(scales), bias: bias.map_or(Each::One(0.0), Each::Columns) };
                let zeros = (Zeros::U8(std::slice::from_ref(&zero)), zeros(self.zero.as_ref())?);
                self.matrix.run::<u8, _>(lane, bytes, rows, zeros, &sink, out)
            })
        })
    }
}
