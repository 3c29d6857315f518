//! Attention: weighted means of values, by how keys and queries agree.
use crate::arrays::{
    Real, dense_as, elements, elements_mut, fill, in_dtype, indices_below, scratch, too_large, wide_dtype, with_real,
    with_scratch,
};
use crate::softmax::softmax_line;
use freelane_array::{ArrayData, DType};
use freelane_kernels::elementwise as k;
use freelane_kernels::elementwise::Map1;
use freelane_kernels::gemm::{Epilogue, Mat, MatMut, gemm, gemm_scratch};
use freelane_ops::{Array, OpsError, concat};
use freelane_pool::Lane;
use freelane_simd::Isa;

const OP: &str = "Attention";

/// What is shown of the scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd)]
pub enum Stage {
    /// The products.
    #[default]
    Products,
    /// Bounded by the soft cap.
    Capped,
    /// With the mask.
    Masked,
    /// Their softmax.
    Softmax,
}

/// How queries attend to keys.
#[derive(Clone, Debug, Default)]
pub struct Attention {
    /// Heads of queries, and of keys and values, of arrays with three axes.
    pub heads: Option<[usize; 2]>,
    /// Factor of the products; by default one over the root of a head's length.
    pub scale: Option<f32>,
    /// Bound of the scores; none if it is zero.
    pub softcap: f32,
    /// Whether queries attend to no later keys.
    pub causal: bool,
    /// How far queries look back and ahead.
    pub window: [Option<usize>; 2],
    /// What is shown of the scores.
    pub shown: Stage,
}

/// What attention works on.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// Queries: `[batch, heads, length, depth]`, or `[batch, length, heads * depth]`.
    pub q: &'a ArrayData,
    /// Keys.
    pub k: &'a ArrayData,
    /// Values.
    pub v: &'a ArrayData,
    /// Which keys count, or what is added to the scores.
    pub mask: Option<&'a ArrayData>,
    /// Keys before these.
    pub past_k: Option<&'a ArrayData>,
    /// Values before these.
    pub past_v: Option<&'a ArrayData>,
    /// How many keys of each batch are there.
    pub lengths: Option<&'a ArrayData>,
}

/// What attention makes.
pub struct Outputs {
    /// The means.
    pub y: ArrayData,
    /// All keys.
    pub k: ArrayData,
    /// All values.
    pub v: ArrayData,
    /// The scores, if they are asked for.
    pub scores: Option<ArrayData>,
}

/// Heads apart: `[batch, heads, length, depth]` without gaps.
fn by_head(x: &ArrayData, heads: Option<usize>, dtype: DType) -> Result<Array, OpsError> {
    let x = Array::from(dense_as(x, dtype)?.into_owned());
    match (x.shape(), heads) {
        ([_, _, _, _], _) => Ok(x),
        (&[batch, length, all], Some(heads)) if heads > 0 && all.is_multiple_of(heads) => {
            let apart = [batch, length, heads, all / heads].map(|n| n as isize);
            x.reshape(&apart)?.permute_dims(&[0, 2, 1, 3])?.contiguous()
        }
        (shape, heads) => Err(OpsError::argument(OP, format!("an array of shape {shape:?} with {heads:?} heads"))),
    }
}

/// The elements of a list of whole numbers.
fn numbers(x: &ArrayData) -> Result<Vec<i64>, OpsError> {
    let x = dense_as(x, DType::I64)?;
    Ok(elements::<i64>(&x)?.to_vec())
}

/// A mask as four axes, each as long as the scores' or 1, the last one maybe shorter.
struct Mask {
    shape: [usize; 4],
    data: ArrayData,
}

impl Mask {
    fn new(mask: &ArrayData, wide: DType, scores: [usize; 4]) -> Result<Mask, OpsError> {
        let found = mask.layout().shape();
        let fail = || OpsError::argument(OP, format!("a mask of shape {found:?} for scores of shape {scores:?}"));
        let dtype = if mask.dtype() == DType::Bool { DType::Bool } else { wide };
        let lead = 4usize.checked_sub(found.len()).filter(|n| *n < 4).ok_or_else(fail)?;
        let mut shape = [1; 4];
        shape[lead..].copy_from_slice(found);
        let fits = (0..3).all(|i| shape[i] == 1 || shape[i] == scores[i]) && shape[3] <= scores[3];
        if !fits {
            return Err(fail());
        }
        Ok(Mask { shape, data: dense_as(mask, dtype)?.into_owned() })
    }

    /// Where the row of a query begins.
    fn row(&self, [b, h, i]: [usize; 3]) -> std::ops::Range<usize> {
        let [bs, hs, rows, n] = self.shape;
        let at = (((b % bs) * hs + h % hs) * rows + i % rows) * n;
        at..at + n
    }

    /// What is added to the scores of a query.
    fn add<T: Real>(&self, place: [usize; 3], bias: &mut [T]) -> Result<(), OpsError> {
        let row = self.row(place);
        let (here, missing) = bias.split_at_mut(row.len());
        missing.fill(T::neg_infinity());
        if self.data.dtype() == DType::Bool {
            let row = &elements::<bool>(&self.data)?[row];
            here.iter_mut().zip(row).filter(|(_, on)| !**on).for_each(|(b, _)| *b = T::neg_infinity());
        } else {
            here.iter_mut().zip(&elements::<T>(&self.data)?[row]).for_each(|(b, m)| *b += *m);
        }
        Ok(())
    }
}

/// `out = a b`, or `a` times the transpose of `b`.
fn product<T: Real>(
    lane: &Lane,
    a: &[T],
    b: &[T],
    [m, depth, n]: [usize; 3],
    transposed: bool,
    out: &mut [T],
) -> Result<(), OpsError> {
    let large = || too_large(OP);
    let a = Mat::new(a, 0, [m, depth], [depth as isize, 1]).ok_or_else(large)?;
    let b = if transposed {
        Mat::new(b, 0, [n, depth], [depth as isize, 1]).ok_or_else(large)?.transposed()
    } else {
        Mat::new(b, 0, [depth, n], [n as isize, 1]).ok_or_else(large)?
    };
    let mut out = MatMut::new(out, 0, [m, n], [n as isize, 1]).ok_or_else(large)?;
    with_scratch(lane, OP, gemm_scratch::<T>(m, n, depth), |scratch| {
        gemm(Isa::current(), a, b, &mut out, 0..n, Epilogue::default(), scratch);
    })
}

/// Queries and keys, heads apart, and which keys count.
struct Scores<'a> {
    how: &'a Attention,
    q: &'a ArrayData,
    k: &'a ArrayData,
    mask: Option<Mask>,
    /// Keys of each batch that are there.
    lengths: Option<Vec<i64>>,
    /// Keys before the first query's own; none: the last query is at the last key that is there.
    past: Option<i64>,
}

impl Scores<'_> {
    fn shape(&self) -> [usize; 4] {
        let (q, k) = (self.q.layout().shape(), self.k.layout().shape());
        [q[0], q[1], q[2], k[2]]
    }

    /// Where a query of a batch stands among its keys.
    fn position(&self, b: usize, row: usize) -> i64 {
        let rows = self.q.layout().shape()[2] as i64;
        let last = |n: &Vec<i64>| n[b].saturating_sub(rows);
        let before = self.past.or_else(|| self.lengths.as_ref().map(last)).unwrap_or(0);
        before.saturating_add(row as i64)
    }

    /// The scores up to a stage.
    fn run<T: Real>(&self, lane: &Lane, until: Stage) -> Result<ArrayData, OpsError>
    where
        k::Exp: Map1<T, Out = T>,
        k::Tanh: Map1<T, Out = T>,
    {
        let shape = self.shape();
        let [batch, heads, rows, keys] = shape;
        let (depth, shared) = (self.q.layout().shape()[3], self.k.layout().shape()[1]);
        let (q, k) = (elements::<T>(self.q)?, elements::<T>(self.k)?);
        let scale = self.how.scale.map_or(1.0 / (depth as f64).sqrt(), f64::from);
        let root = T::of(scale.sqrt());
        let cost = batch * heads * rows * keys * (depth / 16 + 4);
        fill::<T>(lane, OP, &shape, (batch * heads).max(1), cost, |lane, i, out| {
            let (b, h) = (i / heads, i % heads);
            let key = b * shared + h / (heads / shared);
            let scaled = |x: &[T]| x.iter().map(|x| *x * root).collect::<Vec<T>>();
            let (q, k) =
                (scaled(&q[i * rows * depth..][..rows * depth]), scaled(&k[key * keys * depth..][..keys * depth]));
            product(lane, &q, &k, [rows, depth, keys], true, out)?;
            if until >= Stage::Capped && self.how.softcap > 0.0 {
                let cap = T::of(self.how.softcap.into());
                out.iter_mut().for_each(|x| *x /= cap);
                k::map::<k::Tanh, T>(out);
                out.iter_mut().for_each(|x| *x *= cap);
            }
            if until >= Stage::Masked {
                let mut bias = vec![T::zero(); keys];
                for (row, line) in out.chunks_exact_mut(keys.max(1)).enumerate() {
                    self.bias([b, h, row], &mut bias)?;
                    if until == Stage::Softmax && bias.iter().all(|x| *x == T::neg_infinity()) {
                        line.fill(T::zero());
                        continue;
                    }
                    line.iter_mut().zip(&bias).for_each(|(x, b)| *x += *b);
                    if until == Stage::Softmax {
                        softmax_line(line);
                    }
                }
            }
            Ok(())
        })
    }

    /// What is added to the scores of a query: minus infinity where a key does not count.
    fn bias<T: Real>(&self, place: [usize; 3], bias: &mut [T]) -> Result<(), OpsError> {
        bias.fill(T::zero());
        if let Some(mask) = &self.mask {
            mask.add(place, bias)?;
        }
        let [b, _, row] = place;
        let position = self.position(b, row);
        let [back, ahead] = self.how.window.map(|n| n.map(|n| i64::try_from(n).unwrap_or(i64::MAX)));
        let low = back.map_or(i64::MIN, |n| position.saturating_sub(n));
        let high = ahead.map_or(i64::MAX, |n| position.saturating_add(n));
        let high = high.min(if self.how.causal { position } else { i64::MAX });
        let end = self.lengths.as_ref().map_or(i64::MAX, |n| n[b]);
        if low == i64::MIN && high == i64::MAX && end == i64::MAX {
            return Ok(());
        }
        for (j, x) in bias.iter_mut().enumerate() {
            let j = j as i64;
            if j < low || j > high || j >= end {
                *x = T::neg_infinity();
            }
        }
        Ok(())
    }
}

impl Attention {
    /// Attends.
    ///
    /// # Errors
    /// When shapes do not fit, elements are no floats, or memory cannot be had.
    pub fn call(&self, lane: &Lane, inputs: &Inputs<'_>, scores_too: bool) -> Result<Outputs, OpsError> {
        let dtype = inputs.q.dtype();
        let wide = wide_dtype(OP, dtype)?;
        let [q_heads, kv_heads] = self.heads.map_or([None; 2], |heads| heads.map(Some));
        let q = by_head(inputs.q, q_heads, wide)?;
        let (mut k, mut v) = (by_head(inputs.k, kv_heads, wide)?, by_head(inputs.v, kv_heads, wide)?);
        let past = match (inputs.past_k, inputs.past_v) {
            (Some(past_k), Some(past_v)) => {
                let (before_k, before_v) = (by_head(past_k, kv_heads, wide)?, by_head(past_v, kv_heads, wide)?);
                (k, v) = (concat(&[&before_k, &k], 2)?, concat(&[&before_v, &v], 2)?);
                Some(before_k.shape()[2] as i64)
            }
            (None, None) => None,
            _ => return Err(OpsError::argument(OP, "past keys without past values, or the other way around")),
        };
        self.check(&q, &k, &v)?;
        let &[batch, heads, rows, _] = q.shape() else { unreachable!("four axes, as checked") };
        let (keys, depth) = (k.shape()[2], v.shape()[3]);
        let lengths = inputs.lengths.map(numbers).transpose()?;
        if lengths.as_ref().is_some_and(|n| n.len() != batch) {
            return Err(OpsError::argument(OP, format!("nonpad_kv_seqlen must be {batch} numbers")));
        }
        let mask = inputs.mask.map(|m| Mask::new(m, wide, [batch, heads, rows, keys])).transpose()?;
        let scores = Scores { how: self, q: q.data(), k: k.data(), mask, lengths, past };
        let (y, shown) = with_real!(OP, wide, T => {
            let weights = scores.run::<T>(lane, Stage::Softmax)?;
            let y = means::<T>(lane, &weights, v.data())?;
            let shown = match self.shown {
                _ if !scores_too => None,
                Stage::Softmax => Some(weights),
                until => Some(scores.run::<T>(lane, until)?),
            };
            Ok((y, shown))
        })?;
        let y = if inputs.q.layout().rank() == 3 {
            let together = Array::from(y).permute_dims(&[0, 2, 1, 3])?.contiguous()?;
            together.reshape(&[batch, rows, heads * depth].map(|n| n as isize))?.into()
        } else {
            y
        };
        Ok(Outputs {
            y: in_dtype(y, dtype)?,
            k: in_dtype(k.into(), inputs.k.dtype())?,
            v: in_dtype(v.into(), inputs.v.dtype())?,
            scores: shown.map(|x| in_dtype(x, dtype)).transpose()?,
        })
    }

    fn check(&self, q: &Array, k: &Array, v: &Array) -> Result<(), OpsError> {
        let shapes = (q.shape(), k.shape(), v.shape());
        if let (&[b, h, _, d], &[bk, hk, n, dk], &[bv, hv, nv, _]) = shapes
            && [bk, bv] == [b; 2]
            && dk == d
            && hv == hk
            && nv == n
            && hk > 0
            && h.is_multiple_of(hk)
        {
            return Ok(());
        }
        Err(OpsError::argument(OP, format!("queries, keys and values of shapes {shapes:?}")))
    }
}

/// Weighted means of values: `[batch, heads, rows, keys]` times `[batch, shared heads, keys, depth]`.
fn means<T: Real>(lane: &Lane, weights: &ArrayData, v: &ArrayData) -> Result<ArrayData, OpsError> {
    let (&[batch, heads, rows, keys], &[_, shared, _, depth]) = (weights.layout().shape(), v.layout().shape()) else {
        unreachable!("four axes, as checked")
    };
    let (w, v) = (elements::<T>(weights)?, elements::<T>(v)?);
    let cost = batch * heads * rows * keys * (depth / 16 + 1);
    fill::<T>(lane, OP, &[batch, heads, rows, depth], (batch * heads).max(1), cost, |lane, i, out| {
        let value = i / heads * shared + i % heads / (heads / shared);
        let (w, v) = (&w[i * rows * keys..][..rows * keys], &v[value * keys * depth..][..keys * depth]);
        if keys == 0 {
            out.fill(T::zero());
            return Ok(());
        }
        product(lane, w, v, [rows, keys, depth], false, out)
    })
}

/// Scaled products of queries and keys, heads shared as in [`Attention`], in a type.
///
/// # Errors
/// When shapes do not fit, elements are no floats, or memory cannot be had.
pub fn scores(
    lane: &Lane,
    q: &ArrayData,
    k: &ArrayData,
    v: &ArrayData,
    scale: Option<f32>,
) -> Result<ArrayData, OpsError> {
    let how = Attention { scale, ..Attention::default() };
    let wide = wide_dtype(OP, q.dtype())?;
    let (q, k, v) = (by_head(q, None, wide)?, by_head(k, None, wide)?, by_head(v, None, wide)?);
    how.check(&q, &k, &v)?;
    let scores = Scores { how: &how, q: q.data(), k: k.data(), mask: None, lengths: None, past: None };
    with_real!(OP, wide, T => scores.run::<T>(lane, Stage::Products))
}

/// Weighted means of values, in the weights' type.
///
/// # Errors
/// When shapes do not fit, elements are no floats, or memory cannot be had.
pub fn weighted(lane: &Lane, weights: &ArrayData, v: &ArrayData) -> Result<ArrayData, OpsError> {
    let wide = wide_dtype(OP, weights.dtype())?;
    let (weights, v) = (dense_as(weights, wide)?, by_head(v, None, wide)?);
    let fits = matches!((weights.layout().shape(), v.shape()), (&[b, h, _, n], &[bv, hv, nv, _])
        if b == bv && n == nv && hv > 0 && h.is_multiple_of(hv));
    if !fits {
        let shapes = (weights.layout().shape(), v.shape());
        return Err(OpsError::argument(OP, format!("weights and values of shapes {shapes:?}")));
    }
    with_real!(OP, wide, T => means::<T>(lane, &weights, v.data()))
}

/// Rotates pairs of numbers by angles that depend on where they stand in their sequence.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rotary {
    /// Heads, of arrays with three axes.
    pub heads: usize,
    /// Numbers of each head that are rotated; all if zero.
    pub dim: usize,
    /// Whether neighbours make a pair, not the halves.
    pub interleaved: bool,
}

impl Rotary {
    /// Rotates `[batch, heads, length, depth]` or `[batch, length, heads * depth]`.
    ///
    /// # Errors
    /// When shapes do not fit, positions are outside, elements are no floats, or memory cannot be had.
    pub fn call(
        &self,
        lane: &Lane,
        x: &ArrayData,
        cos: &ArrayData,
        sin: &ArrayData,
        positions: Option<&ArrayData>,
    ) -> Result<ArrayData, OpsError> {
        const OP: &str = "RotaryEmbedding";
        let shape = x.layout().shape();
        let fail = |what: &str| OpsError::argument(OP, format!("{what} for an array of shape {shape:?}"));
        // Lengths of axes, and distances of heads and of steps.
        let (batch, heads, length, depth, head_step, step) = match *shape {
            [b, h, s, d] => (b, h, s, d, s * d, d),
            [b, s, all] if self.heads > 0 && all.is_multiple_of(self.heads) => {
                (b, self.heads, s, all / self.heads, all / self.heads, all)
            }
            _ => return Err(fail("no heads")),
        };
        let dim = if self.dim == 0 { depth } else { self.dim };
        let half = dim / 2;
        if dim > depth || !dim.is_multiple_of(2) {
            return Err(fail(&format!("{dim} numbers to rotate")));
        }
        let wide = wide_dtype(OP, x.dtype())?;
        let (dense, cos, sin) = (dense_as(x, wide)?, dense_as(cos, wide)?, dense_as(sin, wide)?);
        let rows = cos.layout().len().checked_div(half.max(1)).unwrap_or(0);
        if cos.layout().shape().last() != Some(&half) || sin.layout().shape() != cos.layout().shape() {
            return Err(fail(&format!("angles of shape {:?}", cos.layout().shape())));
        }
        let positions = match positions {
            None => (0..batch * length).collect(),
            Some(given) => {
                let given = dense_as(given, DType::I64)?;
                indices_below(OP, elements::<i64>(&given)?, rows)?
            }
        };
        if positions.len() != batch * length || positions.iter().any(|p| *p >= rows) {
            return Err(fail(&format!("positions among {rows} angles")));
        }
        let done = with_real!(OP, wide, T => {
            let (from, cos, sin) = (elements::<T>(&dense)?, elements::<T>(&cos)?, elements::<T>(&sin)?);
            fill::<T>(lane, OP, shape, batch.max(1), from.len(), |_, b, out| {
                let from = &from[b * out.len()..][..out.len()];
                out.copy_from_slice(from);
                for t in 0..length {
                    let angle = positions[b * length + t] * half;
                    let (cos, sin) = (&cos[angle..][..half], &sin[angle..][..half]);
                    for h in 0..heads {
                        let at = h * head_step + t * step;
                        self.rotate(&from[at..][..dim], &mut out[at..][..dim], cos, sin);
                    }
                }
                Ok(())
            })
        })?;
        in_dtype(done, x.dtype())
    }

    fn rotate<T: Real>(&self, x: &[T], out: &mut [T], cos: &[T], sin: &[T]) {
        if self.interleaved {
            let pairs = out.chunks_exact_mut(2).zip(x.chunks_exact(2));
            for ((out, x), (c, s)) in pairs.zip(cos.iter().zip(sin)) {
                (out[0], out[1]) = (*c * x[0] - *s * x[1], *s * x[0] + *c * x[1]);
            }
            return;
        }
        let half = cos.len();
        let ((re, im), (a, b)) = (out.split_at_mut(half), x.split_at(half));
        let angles = cos.iter().zip(sin);
        for (((re, im), (a, b)), (c, s)) in re.iter_mut().zip(im).zip(a.iter().zip(b)).zip(angles) {
            (*re, *im) = (*c * *a - *s * *b, *s * *a + *c * *b);
        }
    }
}

/// Attention as a recurrence over a state of `[keys' depth, values' depth]` for each head.
#[derive(Clone, Copy, Debug)]
pub struct LinearAttention {
    /// Heads of queries, and of keys and values.
    pub heads: [usize; 2],
    /// Factor of the result; by default one over the root of a head's length.
    pub scale: Option<f32>,
    /// Whether the state decays.
    pub gated: bool,
    /// Whether what the state knows of a key is taken from its value.
    pub delta: bool,
}

/// What linear attention works on: `[batch, length, heads * depth]`.
#[derive(Clone, Copy)]
pub struct Sequence<'a> {
    /// Queries.
    pub q: &'a ArrayData,
    /// Keys.
    pub k: &'a ArrayData,
    /// Values.
    pub v: &'a ArrayData,
    /// The state before.
    pub state: Option<&'a ArrayData>,
    /// Logarithms of what is left of the state.
    pub decay: Option<&'a ArrayData>,
    /// How much of a value is written.
    pub beta: Option<&'a ArrayData>,
}

impl LinearAttention {
    /// The results and the state after the last step, computed in `f32`.
    ///
    /// # Errors
    /// When shapes do not fit, elements are no floats, or memory cannot be had.
    pub fn call(&self, lane: &Lane, x: &Sequence<'_>) -> Result<(ArrayData, ArrayData), OpsError> {
        for x in [x.q, x.k, x.v] {
            wide_dtype(LINEAR, x.dtype())?;
        }
        let [batch, steps, dk, dv] = self.check(x)?;
        let shared = self.heads[1];
        let decay = x.decay.map(|x| dense_as(x, DType::F32)).transpose()?;
        let beta = x.beta.map(|x| dense_as(x, DType::F32)).transpose()?;
        let state_shape = [batch, shared, dk, dv];
        let mut state = match x.state {
            None => Array::zeros(&state_shape, DType::F32)?,
            Some(s) if s.layout().shape() == state_shape => {
                Array::from(dense_as(s, DType::F32)?.into_owned()).copy()?
            }
            Some(s) => return Err(OpsError::argument(LINEAR, format!("a state of shape {:?}", s.layout().shape()))),
        };
        let (q, k, v) = (dense_as(x.q, DType::F32)?, dense_as(x.k, DType::F32)?, dense_as(x.v, DType::F32)?);
        let run = Steps {
            heads: self.heads,
            depths: [dk, dv],
            scale: self.scale.filter(|s| *s != 0.0).unwrap_or(1.0 / (dk as f32).sqrt()),
            q: elements(&q)?,
            k: elements(&k)?,
            v: elements(&v)?,
            decay: decay.as_deref().map(|x| Ok::<_, OpsError>((elements::<f32>(x)?, last(x)))).transpose()?,
            beta: beta.as_deref().map(|x| Ok::<_, OpsError>((elements::<f32>(x)?, last(x)))).transpose()?,
        };
        let mut y = Array::empty_in(lane, &[batch, steps, self.heads[0] * dv], DType::F32)?;
        let (out, states) = (elements_mut::<f32>(&mut y)?, elements_mut::<f32>(&mut state)?);
        scratch::<f32, _>(lane, LINEAR, dv, |value| {
            for (i, state) in states.chunks_exact_mut(dk * dv).enumerate() {
                for at in (i / shared * steps..).take(steps) {
                    run.write(at, i % shared, state, value);
                    run.read(at, i % shared, state, out);
                }
            }
            Ok(())
        })?;
        let kept = x.state.map_or(x.q.dtype(), ArrayData::dtype);
        Ok((in_dtype(y.into(), x.q.dtype())?, in_dtype(state.into(), kept)?))
    }

    /// Batch, steps, and the depths of keys and values.
    fn check(&self, x: &Sequence<'_>) -> Result<[usize; 4], OpsError> {
        let [heads, shared] = self.heads;
        let (qs, ks, vs) = (x.q.layout().shape(), x.k.layout().shape(), x.v.layout().shape());
        let fail = || OpsError::argument(LINEAR, format!("queries, keys and values of shapes {:?}", (qs, ks, vs)));
        let (&[batch, steps, q_all], &[_, _, k_all], &[_, _, v_all]) = (qs, ks, vs) else { return Err(fail()) };
        let whole = shared > 0 && heads.is_multiple_of(shared) && heads > 0 && q_all.is_multiple_of(heads);
        if !whole || ks[..2] != qs[..2] || vs[..2] != qs[..2] || !v_all.is_multiple_of(shared) {
            return Err(fail());
        }
        let (dk, dv) = (q_all / heads, v_all / shared);
        if k_all != dk * shared || dk == 0 || dv == 0 {
            return Err(fail());
        }
        for (what, needed, given) in [("decay", self.gated, x.decay), ("beta", self.delta, x.beta)] {
            if needed != given.is_some() {
                let state = if needed { "is missing" } else { "does not belong to this rule" };
                return Err(OpsError::argument(LINEAR, format!("{what} {state}")));
            }
        }
        let (decays, betas) = (x.decay.map_or(shared, last), x.beta.map_or(shared, last));
        let whole = |x: Option<&ArrayData>, each: usize| x.is_none_or(|x| x.layout().len() == batch * steps * each);
        let each = [shared, k_all].contains(&decays) && [shared, 1].contains(&betas);
        if each && whole(x.decay, decays) && whole(x.beta, betas) {
            return Ok([batch, steps, dk, dv]);
        }
        Err(OpsError::argument(LINEAR, format!("decay of {decays} and beta of {betas} for {shared} heads")))
    }
}

const LINEAR: &str = "LinearAttention";

/// The length of the last axis.
fn last(x: &ArrayData) -> usize {
    x.layout().shape().last().copied().unwrap_or(0)
}

/// What the steps of linear attention read: rows of numbers, `at` being a step of a batch.
struct Steps<'a> {
    heads: [usize; 2],
    /// Of keys and of values.
    depths: [usize; 2],
    scale: f32,
    q: &'a [f32],
    k: &'a [f32],
    v: &'a [f32],
    /// Numbers, and how many of each step.
    decay: Option<(&'a [f32], usize)>,
    beta: Option<(&'a [f32], usize)>,
}

impl Steps<'_> {
    /// Lets the state of a head decay, and writes a value under its key.
    fn write(&self, at: usize, head: usize, state: &mut [f32], value: &mut [f32]) {
        let ([dk, dv], shared) = (self.depths, self.heads[1]);
        let key = &self.k[(at * shared + head) * dk..][..dk];
        value.copy_from_slice(&self.v[(at * shared + head) * dv..][..dv]);
        if let Some((decay, each)) = self.decay {
            for (i, row) in state.chunks_exact_mut(dv).enumerate() {
                let left = decay[at * each + if each == shared { head } else { head * dk + i }].exp();
                row.iter_mut().for_each(|s| *s *= left);
            }
        }
        if let Some((beta, each)) = self.beta {
            let beta = beta[at * each + if each == 1 { 0 } else { head }];
            for (row, k) in state.chunks_exact(dv).zip(key) {
                value.iter_mut().zip(row).for_each(|(v, s)| *v -= *s * *k);
            }
            value.iter_mut().for_each(|v| *v *= beta);
        }
        for (row, k) in state.chunks_exact_mut(dv).zip(key) {
            row.iter_mut().zip(&*value).for_each(|(s, v)| *s += *k * *v);
        }
    }

    /// What the queries that share a state read of it.
    fn read(&self, at: usize, shared: usize, state: &[f32], out: &mut [f32]) {
        let ([dk, dv], heads) = (self.depths, self.heads[0]);
        let group = heads / self.heads[1];
        for head in shared * group..(shared + 1) * group {
            let out = &mut out[(at * heads + head) * dv..][..dv];
            out.fill(0.0);
            for (row, q) in state.chunks_exact(dv).zip(&self.q[(at * heads + head) * dk..][..dk]) {
                out.iter_mut().zip(row).for_each(|(o, s)| *o += *s * *q);
            }
            out.iter_mut().for_each(|o| *o *= self.scale);
        }
    }
}

/// Each channel convolved with its own kernel over what is and was: `[batch, channels, length]`; and what the next call needs.
///
/// # Errors
/// When shapes do not fit, elements are no floats, or memory cannot be had.
pub fn causal_conv(
    lane: &Lane,
    x: &ArrayData,
    weights: &ArrayData,
    bias: Option<&ArrayData>,
    past: Option<&ArrayData>,
    silu: bool,
) -> Result<(ArrayData, ArrayData), OpsError> {
    const OP: &str = "CausalConvWithState";
    let (shape, filter) = (x.layout().shape(), weights.layout().shape());
    let fail = || OpsError::argument(OP, format!("an input of shape {shape:?} and weights of shape {filter:?}"));
    let (&[batch, channels, length], &[rows, 1, taps]) = (shape, filter) else { return Err(fail()) };
    let before = taps.checked_sub(1).ok_or_else(fail)?;
    let fits = rows == channels
        && bias.is_none_or(|b| b.layout().len() == channels)
        && past.is_none_or(|p| p.layout().shape() == [batch, channels, before]);
    if !fits {
        return Err(fail());
    }
    let wide = wide_dtype(OP, x.dtype())?;
    let now = Array::from(dense_as(x, wide)?.into_owned());
    let past = match past {
        Some(past) => Array::from(dense_as(past, wide)?.into_owned()),
        None => Array::zeros(&[batch, channels, before], wide)?,
    };
    let padded = concat(&[&past, &now], 2)?;
    let (weights, bias) = (dense_as(weights, wide)?, bias.map(|b| dense_as(b, wide)).transpose()?);
    let (y, state) = with_real!(OP, wide, T => {
        let (from, w) = (elements::<T>(padded.data())?, elements::<T>(&weights)?);
        let bias = bias.as_deref().map(elements::<T>).transpose()?;
        let whole = length + before;
        let cost = batch * channels * length * taps / 4;
        let y = fill::<T>(lane, OP, shape, (batch * channels).max(1), cost, |_, i, out| {
            let (line, c) = (&from[i * whole..][..whole], i % channels);
            out.fill(bias.map_or(T::zero(), |b| b[c]));
            for (t, w) in w[c * taps..][..taps].iter().enumerate() {
                out.iter_mut().zip(&line[t..]).for_each(|(o, x)| *o += *x * *w);
            }
            if silu {
                k::map::<k::Silu, T>(out);
            }
            Ok(())
        })?;
        let mut state = Array::empty(&[batch, channels, before], T::DTYPE)?;
        let to = elements_mut::<T>(&mut state)?;
        if before > 0 {
            for (i, to) in to.chunks_exact_mut(before).enumerate() {
                to.copy_from_slice(&from[i * whole + length..][..before]);
            }
        }
        Ok((y, state))
    })?;
    Ok((in_dtype(y, x.dtype())?, in_dtype(state.into(), x.dtype())?))
}
