//! Products with weights that never change: packed once, bias and ReLU added as the result is stored.
use crate::arrays::{dense_as, elements, elements_mut, made, tasks, too_large, with_scratch};
use freelane_array::{ArrayData, DType};
use freelane_kernels::Target;
use freelane_kernels::gemm::{Epilogue, Mat, MatMut, Packed, Split, gemm_packed, gemm_scratch, pack, packed_len};
use freelane_ops::{Array, OpsError};
use freelane_pool::Lane;
use freelane_simd::Isa;
use smallvec::SmallVec;

const OP: &str = "MatMul";

/// `x @ weights + bias`, then ReLU if asked for, for any number of rows: the bits are those of the operations one after
/// another, and of each row alone.
///
/// ```
/// use freelane_nn::dense::Dense;
/// use freelane_ops::Array;
/// use freelane_pool::Lane;
/// let weights = Array::from_vec(vec![1.0f32, -2.0, 3.0, 4.0], &[2, 2])?;
/// let bias = Array::from_vec(vec![0.5f32, 0.0], &[2])?;
/// let dense = Dense::new(weights.data(), Some(bias.data()))?.expect("f32 weights of two axes").with_relu();
/// let x = Array::from_vec(vec![1.0f32, 0.0], &[1, 2])?;
/// let y = Array::from(Lane::with(|lane| dense.run(lane, x.data()))?);
/// assert_eq!(y.to_vec::<f32>()?, [1.5, 0.0]);
/// # Ok::<(), freelane_ops::OpsError>(())
/// ```
#[derive(Clone)]
pub struct Dense {
    /// As the kernels read them.
    packed: ArrayData,
    k: usize,
    n: usize,
    bias: Option<ArrayData>,
    relu: bool,
}

impl Dense {
    /// Packs weights of shape `(k, n)`, with a bias of `n` elements; nothing if they are no such arrays of `f32`.
    ///
    /// # Errors
    /// When memory cannot be had.
    pub fn new(weights: &ArrayData, bias: Option<&ArrayData>) -> Result<Option<Dense>, OpsError> {
        let &[k, n] = weights.layout().shape() else { return Ok(None) };
        let row = |b: &ArrayData| {
            let shape = b.layout().shape();
            b.dtype() == DType::F32 && shape.last() == Some(&n) && b.layout().len() == n
        };
        let (Some(len), true) = (packed_len::<f32>(k, n), weights.dtype() == DType::F32 && bias.is_none_or(row)) else {
            return Ok(None);
        };
        if k == 0 || n == 0 {
            return Ok(None);
        }
        let whole = dense_as(weights, DType::F32)?;
        let from = Mat::new(elements::<f32>(&whole)?, 0, [k, n], [n as isize, 1]);
        let from = from.ok_or_else(|| too_large(OP))?;
        // SAFETY: `pack` initialises all of them.
        let packed = unsafe { made(OP, len, |packed| pack(Isa::current(), from, packed)) }?;
        let packed = Array::from_vec(packed, &[len])?.into();
        let bias = bias.map(|b| dense_as(b, DType::F32).map(|b| b.into_owned())).transpose()?;
        Ok(Some(Dense { packed, k, n, bias, relu: false }))
    }

    /// The same and a bias added, if there is none so far and this is one; addition gives the same bits either way around.
    ///
    /// # Errors
    /// When memory cannot be had.
    pub fn with_bias(&self, bias: &ArrayData) -> Result<Option<Dense>, OpsError> {
        let n = bias.layout().shape().last();
        let row = bias.dtype() == DType::F32 && n == Some(&self.n) && bias.layout().len() == self.n;
        if self.bias.is_some() || self.relu || !row {
            return Ok(None);
        }
        let bias = Some(dense_as(bias, DType::F32)?.into_owned());
        Ok(Some(Dense { bias, ..self.clone() }))
    }

    /// Elements of a row of `x`.
    pub fn rows(&self) -> usize {
        self.k
    }

    /// Elements of a row of the result.
    pub fn columns(&self) -> usize {
        self.n
    }

    /// Bytes of the packed weights and the bias.
    pub fn nbytes(&self) -> usize {
        let arrays = [Some(&self.packed), self.bias.as_ref()].into_iter().flatten();
        arrays.map(|x| x.layout().len() * x.dtype().size()).sum()
    }

    /// The same, with negative results made zero.
    #[must_use]
    pub fn with_relu(self) -> Dense {
        Dense { relu: true, ..self }
    }

    /// The product for rows `x`, of which the last axis has `k` elements.
    ///
    /// # Errors
    /// When `x` is no such array of `f32`, or memory cannot be had.
    pub fn run(&self, lane: &Lane, x: &ArrayData) -> Result<ArrayData, OpsError> {
        let shape = x.layout().shape();
        if x.dtype() != DType::F32 || shape.last() != Some(&self.k) {
            let message = format!("takes float32 rows of {}, not {} of shape {shape:?}", self.k, x.dtype());
            return Err(OpsError::argument(OP, message));
        }
        let mut output: SmallVec<[usize; 6]> = shape.into();
        output[shape.len() - 1] = self.n;
        let mut out = Array::empty_in(lane, &output, DType::F32)?;
        let m = x.layout().len() / self.k;
        if m > 0 {
            let x = dense_as(x, DType::F32)?;
            self.products(lane, m, elements::<f32>(&x)?, elements_mut::<f32>(&mut out)?)?;
        }
        Ok(out.into())
    }

    fn products(&self, lane: &Lane, m: usize, x: &[f32], out: &mut [f32]) -> Result<(), OpsError> {
        let (k, n, isa) = (self.k, self.n, Isa::current());
        let whole = || OpsError::argument(OP, "packed weights of another length");
        let weights = Packed::new(elements::<f32>(&self.packed)?, k, n).ok_or_else(whole)?;
        let bias = self.bias.as_ref().map(elements::<f32>).transpose()?;
        let epilogue = Epilogue { bias, relu: self.relu };
        let a = Mat::new(x, 0, [m, k], [k as isize, 1]).ok_or_else(whole)?;
        let split = Split::new::<f32>(m, n, k, lane.pieces(Split::new::<f32>(m, n, k, 1).cost_ns()));
        let need = gemm_scratch::<f32>(m, n, k);
        if split.tasks() == 1 {
            let mut c = MatMut::new(out, 0, [m, n], [n as isize, 1]).ok_or_else(whole)?;
            return with_scratch(lane, OP, need, |scratch| {
                gemm_packed(isa, a, weights, &mut c, 0..n, epilogue, scratch);
            });
        }
        let out = Target::of(out);
        tasks(lane, OP, split.tasks(), split.cost_ns(), |lane, task| {
            let (rows, columns) = split.block(task);
            // SAFETY: rows of `out` from `rows.start` on, `n` apart; tasks write blocks that do not overlap.
            let mut c = unsafe { MatMut::from_raw(out.at(rows.start * n), [rows.len(), n], [n as isize, 1]) };
            let part = a.rows(rows.clone());
            with_scratch(lane, OP, need, |scratch| {
                gemm_packed(isa, part, weights, &mut c, columns, epilogue, scratch);
            })
        })
    }
}
