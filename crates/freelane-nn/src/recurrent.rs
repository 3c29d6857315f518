//! Recurrent layers: RNN, GRU, LSTM, in one or both directions.
//!
//! The products of all inputs are made at once; then each step multiplies the hidden state and finishes its gates. Rows of a
//! batch do not see each other, but for weights of bytes, where all rows share a scale.
use crate::activation::Activation;
use crate::arrays::{
    Real, bounded, dense_as, elements, elements_mut, in_dtype, made, not_real, scratch, too_large, vectors, wide_dtype,
    with_scratch,
};
use crate::bytes::{ByteMatrix, ScaledMatrix};
use freelane_array::{ArrayData, DType};
use freelane_kernels::elementwise as k;
use freelane_kernels::elementwise::Map1;
use freelane_kernels::gemm::{Epilogue, Mat, MatMut, Packed, gemm_packed, gemm_scratch, pack, packed_len};
use freelane_ops::{Array, Index, OpsError, Slice};
use freelane_pool::Lane;
use freelane_simd::Isa;
use std::borrow::Cow;
use std::sync::Arc;

/// What a step computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// One gate.
    Rnn,
    /// Update, reset and hidden gate; whether the hidden state is multiplied before it is reset.
    Gru(bool),
    /// Input, output, forget and cell gate; whether the input gate forgets.
    Lstm(bool),
}

impl Cell {
    /// Gates.
    pub fn gates(self) -> usize {
        match self {
            Cell::Rnn => 1,
            Cell::Gru(_) => 3,
            Cell::Lstm(_) => 4,
        }
    }

    /// Functions of a direction.
    pub fn functions(self) -> usize {
        match self {
            Cell::Rnn => 1,
            Cell::Gru(_) => 2,
            Cell::Lstm(_) => 3,
        }
    }

    fn op(self) -> &'static str {
        match self {
            Cell::Rnn => "RNN",
            Cell::Gru(_) => "GRU",
            Cell::Lstm(_) => "LSTM",
        }
    }
}

/// The function of a gate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gate {
    /// `1 / (1 + e^-x)`.
    Sigmoid,
    /// The hyperbolic tangent.
    Tanh,
    /// `max(x, 0)`.
    Relu,
    /// `log(1 + e^x)`.
    Softplus,
    /// Another function.
    Other(Activation),
}

impl Gate {
    fn run<T: Real>(self, x: &mut [T])
    where
        k::Expm1: Map1<T, Out = T>,
        k::Tanh: Map1<T, Out = T>,
        k::Sigmoid: Map1<T, Out = T>,
        k::Softplus: Map1<T, Out = T>,
    {
        match self {
            Gate::Sigmoid => k::map::<k::Sigmoid, T>(x),
            Gate::Tanh => k::map::<k::Tanh, T>(x),
            Gate::Relu => x.iter_mut().for_each(|x| *x = bounded(*x, T::zero(), T::infinity())),
            Gate::Softplus => k::map::<k::Softplus, T>(x),
            Gate::Other(f) => {
                let mut before = [T::zero(); 256];
                for x in x.chunks_mut(before.len()) {
                    let before = &mut before[..x.len()];
                    before.copy_from_slice(x);
                    f.run(before, x);
                }
            }
        }
    }
}

/// A recurrent layer.
#[derive(Clone, Debug)]
pub struct Recurrence {
    /// What a step computes.
    pub cell: Cell,
    /// Whether each direction goes backwards.
    pub backwards: Vec<bool>,
    /// Functions of all directions, in order.
    pub functions: Vec<Gate>,
    /// Bound of the gates before their functions.
    pub clip: Option<f32>,
    /// Whether arrays lead with the batch.
    pub batch_first: bool,
}

/// A matrix as products read it from the right.
enum Right<T> {
    Floats { packed: Vec<T>, depth: usize, columns: usize },
    Bytes(ScaledMatrix),
}

impl<T: Real> Right<T> {
    /// Packs the transpose of some rows.
    fn new(rows: &[T], columns: usize, depth: usize) -> Result<Right<T>, OpsError> {
        Ok(Right::Floats { packed: pack_rows(rows, columns, depth)?, depth, columns })
    }

    fn nbytes(&self) -> usize {
        match self {
            Right::Floats { packed, .. } => size_of_val(&packed[..]),
            Right::Bytes(scaled) => scaled.matrix.nbytes(),
        }
    }

    /// `out = x right`, then a bias is added to each row.
    fn multiply(&self, lane: &Lane, x: &[T], bias: Option<&[T]>, out: &mut [T]) -> Result<(), OpsError> {
        const OP: &str = "recurrence";
        match self {
            Right::Floats { packed, depth, columns } => {
                let (depth, n) = (*depth, *columns);
                let rows = out.len().checked_div(n).unwrap_or(0);
                if rows == 0 {
                    return Ok(());
                }
                let large = || too_large(OP);
                let a = Mat::new(x, 0, [rows, depth], [depth as isize, 1]).ok_or_else(large)?;
                let b = Packed::new(packed, depth, n).ok_or_else(large)?;
                let mut out = MatMut::new(out, 0, [rows, n], [n as isize, 1]).ok_or_else(large)?;
                let epilogue = Epilogue { bias, relu: false };
                with_scratch(lane, OP, gemm_scratch::<T>(rows, n, depth), |scratch| {
                    gemm_packed(Isa::current(), a, b, &mut out, 0..n, epilogue, scratch);
                })
            }
            Right::Bytes(matrix) => match (T::singles(x), T::singles_mut(out)) {
                (Some(x), Some(out)) => matrix.multiply(lane, x, bias.and_then(T::singles), out),
                _ => Err(not_real(OP, T::DTYPE)),
            },
        }
    }
}

/// A direction's weights.
struct Direction<T> {
    inputs: Right<T>,
    hidden: Right<T>,
    /// The hidden gate's part of `hidden`, where that is multiplied apart.
    reset: Option<Right<T>>,
}

impl<T: Real> Direction<T> {
    fn nbytes(&self) -> usize {
        [Some(&self.inputs), Some(&self.hidden), self.reset.as_ref()].into_iter().flatten().map(Right::nbytes).sum()
    }
}

/// Weights as products read them.
#[derive(Clone)]
pub struct Weights {
    inputs: usize,
    hidden: usize,
    kind: Directions,
}

#[derive(Clone)]
enum Directions {
    F32(Arc<Vec<Direction<f32>>>),
    F64(Arc<Vec<Direction<f64>>>),
}

impl Weights {
    /// Bytes of the packed weights.
    pub fn nbytes(&self) -> usize {
        match &self.kind {
            Directions::F32(all) => all.iter().map(Direction::nbytes).sum(),
            Directions::F64(all) => all.iter().map(Direction::nbytes).sum(),
        }
    }
}

/// Packs columns of the transpose of some rows.
fn pack_rows<T: Real>(rows: &[T], count: usize, depth: usize) -> Result<Vec<T>, OpsError> {
    const OP: &str = "recurrence";
    let large = || too_large(OP);
    let matrix = Mat::new(rows, 0, [count, depth], [depth as isize, 1]).ok_or_else(large)?.transposed();
    let len = packed_len::<T>(depth, count).ok_or_else(large)?;
    // SAFETY: `pack` initialises all of them.
    unsafe { made(OP, len, |packed| pack(Isa::current(), matrix, packed)) }
}

/// Weights of bytes, scales of all, of each direction or of each column, and zero points alike.
pub type Bytes<'a> = (&'a ArrayData, &'a ArrayData, Option<&'a ArrayData>);

/// The matrix of direction `i` of `ways`.
fn byte_part((bytes, scale, zero): Bytes<'_>, i: usize, ways: usize, columns: usize) -> Result<ScaledMatrix, OpsError> {
    let part = |x: &ArrayData| Array::from(x.clone()).index(&[Index::At(i as isize)]);
    // One for all, one for each direction, or one for each column of each direction.
    let of = |x: &ArrayData| -> Result<Array, OpsError> {
        let all = Array::from(x.clone()).reshape(&[-1])?;
        let each = match all.len() {
            1 => return Ok(all),
            n if n == ways => 1,
            n if n == ways * columns => columns,
            n => {
                return Err(OpsError::argument(
                    "recurrence",
                    format!("{n} scales or zero points for {ways} directions"),
                ));
            }
        };
        all.index(&[Slice { start: Some((i * each) as isize), stop: Some(((i + 1) * each) as isize), step: 1 }.into()])?
            .contiguous()
    };
    Ok(ScaledMatrix {
        matrix: ByteMatrix::pack(part(bytes)?.data())?,
        scale: of(scale)?.astype(DType::F32)?.to_vec::<f32>()?,
        zero: zero.map(|z| of(z).map(ArrayData::from)).transpose()?,
    })
}

/// What a layer runs on. Initial states may be missing: they are zero then.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// `[steps, batch, inputs]`.
    pub x: &'a ArrayData,
    /// `[directions, 2 * gates * hidden]`.
    pub bias: Option<&'a ArrayData>,
    /// Steps of each row of the batch.
    pub lengths: Option<&'a ArrayData>,
    /// `[directions, batch, hidden]`.
    pub hidden: Option<&'a ArrayData>,
    /// The cells' states, alike.
    pub cells: Option<&'a ArrayData>,
    /// `[directions, 3 * hidden]`: what cells add to gates.
    pub peepholes: Option<&'a ArrayData>,
}

/// States after each step, after the last one, and the cells' after the last one.
pub struct Outputs {
    /// `[steps, directions, batch, hidden]`.
    pub all: ArrayData,
    /// `[directions, batch, hidden]`.
    pub hidden: ArrayData,
    /// The cells' states, alike.
    pub cells: ArrayData,
}

/// Axes in another order, without gaps.
fn permuted(x: ArrayData, axes: &[isize]) -> Result<ArrayData, OpsError> {
    Ok(Array::from(x).permute_dims(axes)?.contiguous()?.into())
}

impl Recurrence {
    /// Packs weights: `[directions, gates * hidden, inputs]` and `[directions, gates * hidden, hidden]`.
    ///
    /// # Errors
    /// When shapes do not fit, elements are no floats, or memory cannot be had.
    pub fn pack(&self, inputs: &ArrayData, hidden: &ArrayData) -> Result<Weights, OpsError> {
        let op = self.cell.op();
        let (w, r) = (inputs.layout().shape(), hidden.layout().shape());
        let ([d, rows, depth], [d2, rows2, size]) = (w, r) else { return Err(self.misfit(w, r)) };
        let directions = self.backwards.len();
        if [*d, *d2] != [directions; 2] || rows != rows2 || *rows != self.cell.gates() * size || *size == 0 {
            return Err(self.misfit(w, r));
        }
        let kind = match wide_dtype(op, inputs.dtype())? {
            DType::F64 => Directions::F64(Arc::new(self.pack_of::<f64>(inputs, hidden, *depth, *size)?)),
            _ => Directions::F32(Arc::new(self.pack_of::<f32>(inputs, hidden, *depth, *size)?)),
        };
        Ok(Weights { inputs: *depth, hidden: *size, kind })
    }

    /// Packs weights of bytes, with their scales and zero points: `[directions, inputs, gates * hidden]` and
    /// `[directions, hidden, gates * hidden]`. What they are multiplied by becomes bytes at each product.
    ///
    /// # Errors
    /// When shapes or types do not fit, or memory cannot be had.
    pub fn pack_bytes(&self, inputs: Bytes<'_>, hidden: Bytes<'_>) -> Result<Weights, OpsError> {
        let (w, r) = (inputs.0.layout().shape(), hidden.0.layout().shape());
        let (&[d, depth, columns], &[d2, size, columns2]) = (w, r) else { return Err(self.misfit(w, r)) };
        let fits = [d, d2] == [self.backwards.len(); 2] && columns == columns2 && columns == self.cell.gates() * size;
        if !fits || size == 0 || self.cell == Cell::Gru(false) {
            return Err(self.misfit(w, r));
        }
        let one = |i: usize| {
            let part = |x: Bytes<'_>| Ok::<_, OpsError>(Right::Bytes(byte_part(x, i, d, columns)?));
            Ok::<_, OpsError>(Direction { inputs: part(inputs)?, hidden: part(hidden)?, reset: None })
        };
        let directions = (0..d).map(one).collect::<Result<Vec<Direction<f32>>, _>>()?;
        Ok(Weights { inputs: depth, hidden: size, kind: Directions::F32(Arc::new(directions)) })
    }

    #[cold]
    fn misfit(&self, w: &[usize], r: &[usize]) -> OpsError {
        let (gates, directions) = (self.cell.gates(), self.backwards.len());
        OpsError::argument(
            self.cell.op(),
            format!("weights of shapes {w:?} and {r:?} for {directions} directions of {gates} gates"),
        )
    }

    fn pack_of<T: Real>(
        &self,
        inputs: &ArrayData,
        hidden: &ArrayData,
        depth: usize,
        size: usize,
    ) -> Result<Vec<Direction<T>>, OpsError> {
        let (w, r) = (dense_as(inputs, T::DTYPE)?, dense_as(hidden, T::DTYPE)?);
        let (w, r) = (elements::<T>(&w)?, elements::<T>(&r)?);
        let rows = self.cell.gates() * size;
        let apart = if self.cell == Cell::Gru(false) { 2 * size } else { rows };
        let one = |d: usize| {
            let (w, r) = (&w[d * rows * depth..][..rows * depth], &r[d * rows * size..][..rows * size]);
            Ok(Direction {
                inputs: Right::new(w, rows, depth)?,
                hidden: Right::new(&r[..apart * size], apart, size)?,
                reset: if apart < rows { Some(Right::new(&r[apart * size..], rows - apart, size)?) } else { None },
            })
        };
        (0..self.backwards.len()).map(one).collect()
    }

    /// Runs the layer.
    ///
    /// # Errors
    /// When shapes do not fit, or memory cannot be had.
    pub fn run(&self, lane: &Lane, weights: &Weights, inputs: &Inputs<'_>) -> Result<Outputs, OpsError> {
        match &weights.kind {
            Directions::F32(directions) => self.run_of::<f32>(lane, weights, directions, inputs),
            Directions::F64(directions) => self.run_of::<f64>(lane, weights, directions, inputs),
        }
    }

    fn run_of<T: Real>(
        &self,
        lane: &Lane,
        weights: &Weights,
        directions: &[Direction<T>],
        inputs: &Inputs<'_>,
    ) -> Result<Outputs, OpsError>
    where
        k::Expm1: Map1<T, Out = T>,
        k::Tanh: Map1<T, Out = T>,
        k::Sigmoid: Map1<T, Out = T>,
        k::Softplus: Map1<T, Out = T>,
    {
        let dtype = inputs.x.dtype();
        if wide_dtype(self.cell.op(), dtype)? != T::DTYPE {
            return Err(not_real(self.cell.op(), dtype));
        }
        let (ways, functions) = (directions.len(), self.functions.len());
        if self.backwards.len() != ways || functions != ways * self.cell.functions() {
            let said = self.backwards.len();
            return Err(self.wrong(format!("{functions} functions and {said} directions for weights of {ways}")));
        }
        let x = self.steps_first(dense_as(inputs.x, T::DTYPE)?)?;
        let &[steps, batch, depth] = x.layout().shape() else {
            return Err(self.wrong(format!("an input of shape {:?}; it has three axes", x.layout().shape())));
        };
        if depth != weights.inputs {
            return Err(self.wrong(format!("inputs of {depth} numbers for weights of {}", weights.inputs)));
        }
        let size = weights.hidden;
        let shape = [ways, batch, size];
        let mut hidden = self.state::<T>(lane, inputs.hidden, "hidden states", shape)?;
        let mut cells = self.state::<T>(lane, inputs.cells, "cells", shape)?;
        let bias = inputs.bias.map(|b| self.list(b, ways * 2 * self.cell.gates() * size, T::DTYPE)).transpose()?;
        let peepholes = inputs.peepholes.map(|p| self.list(p, ways * 3 * size, T::DTYPE)).transpose()?;
        let bias = bias.as_deref().map(elements::<T>).transpose()?;
        let peepholes = peepholes.as_deref().map(elements::<T>).transpose()?;
        let lengths = inputs.lengths.map(|given| self.lengths(given, batch, steps)).transpose()?;
        let mut all = Array::empty_in(lane, &[steps, ways, batch, size], T::DTYPE)?;
        let out = elements_mut::<T>(&mut all)?;
        if lengths.is_some() {
            out.fill(T::zero());
        }
        let (hs, cs) = (elements_mut::<T>(&mut hidden)?, elements_mut::<T>(&mut cells)?);
        for (d, weights) in directions.iter().enumerate() {
            let part = |all: Option<&'_ [T]>| -> std::ops::Range<usize> {
                all.map_or(0..0, |all| d * (all.len() / ways)..(d + 1) * (all.len() / ways))
            };
            let pass = Pass {
                layer: self,
                weights,
                functions: &self.functions[d * self.cell.functions()..][..self.cell.functions()],
                backwards: self.backwards[d],
                bias: &bias.unwrap_or_default()[part(bias)],
                peepholes: &peepholes.unwrap_or_default()[part(peepholes)],
                lengths: lengths.as_deref(),
                steps,
                batch,
                size,
            };
            let states = d * batch * size..(d + 1) * batch * size;
            let row = |t| (t * ways + d) * batch;
            pass.run(lane, elements::<T>(&x)?, &mut hs[states.clone()], &mut cs[states], row, out)?;
        }
        self.finished(all.into(), hidden.into(), cells.into(), dtype)
    }

    /// An input or state that leads with its steps or directions.
    fn steps_first<'a>(&self, x: Cow<'a, ArrayData>) -> Result<Cow<'a, ArrayData>, OpsError> {
        if !self.batch_first || x.layout().rank() != 3 {
            return Ok(x);
        }
        Ok(Cow::Owned(permuted(x.into_owned(), &[1, 0, 2])?))
    }

    /// A copy of a state, zeros if none is given.
    fn state<T: Real>(
        &self,
        lane: &Lane,
        given: Option<&ArrayData>,
        what: &str,
        shape: [usize; 3],
    ) -> Result<Array, OpsError> {
        let mut state = Array::empty_in(lane, &shape, T::DTYPE)?;
        let to = elements_mut::<T>(&mut state)?;
        match given {
            None => to.fill(T::zero()),
            Some(given) => {
                let from = self.steps_first(dense_as(given, T::DTYPE)?)?;
                if from.layout().shape() != shape {
                    let found = given.layout().shape();
                    return Err(self.wrong(format!("{what} of shape {found:?} for {shape:?}")));
                }
                to.copy_from_slice(elements::<T>(&from)?);
            }
        }
        Ok(state)
    }

    /// Numbers of all directions.
    fn list<'a>(&self, given: &'a ArrayData, len: usize, dtype: DType) -> Result<Cow<'a, ArrayData>, OpsError> {
        if given.layout().len() == len {
            return dense_as(given, dtype);
        }
        let found = given.layout().shape();
        Err(self.wrong(format!("a bias or peepholes of shape {found:?}; they are {len} numbers")))
    }

    fn finished(&self, all: ArrayData, hidden: ArrayData, cells: ArrayData, dtype: DType) -> Result<Outputs, OpsError> {
        let state = |x: ArrayData| in_dtype(if self.batch_first { permuted(x, &[1, 0, 2])? } else { x }, dtype);
        let all = if self.batch_first { permuted(all, &[2, 0, 1, 3])? } else { all };
        Ok(Outputs { all: in_dtype(all, dtype)?, hidden: state(hidden)?, cells: state(cells)? })
    }

    fn lengths(&self, given: &ArrayData, batch: usize, steps: usize) -> Result<Vec<usize>, OpsError> {
        let list = dense_as(given, DType::I64)?;
        let lengths: Option<Vec<usize>> =
            elements::<i64>(&list)?.iter().map(|&n| usize::try_from(n).ok().filter(|n| *n <= steps)).collect();
        lengths
            .filter(|list| list.len() == batch)
            .ok_or_else(|| self.wrong(format!("sequence_lens must be {batch} numbers from 0 to {steps}")))
    }

    #[cold]
    fn wrong(&self, message: String) -> OpsError {
        OpsError::argument(self.cell.op(), message)
    }
}

/// One direction of a run.
struct Pass<'a, T> {
    layer: &'a Recurrence,
    weights: &'a Direction<T>,
    functions: &'a [Gate],
    backwards: bool,
    bias: &'a [T],
    peepholes: &'a [T],
    lengths: Option<&'a [usize]>,
    steps: usize,
    batch: usize,
    size: usize,
}

impl<T: Real> Pass<'_, T>
where
    k::Expm1: Map1<T, Out = T>,
    k::Tanh: Map1<T, Out = T>,
    k::Sigmoid: Map1<T, Out = T>,
    k::Softplus: Map1<T, Out = T>,
{
    /// Writes what is added to the products of the inputs, if there is anything.
    fn input_bias<'b>(&self, sum: &'b mut [T]) -> Option<&'b [T]> {
        let (of_inputs, of_hidden) = self.bias.split_at_checked(sum.len()).filter(|(_, h)| !h.is_empty())?;
        sum.copy_from_slice(of_inputs);
        // The hidden gate's own bias is reset with its products.
        let together = if self.layer.cell == Cell::Gru(true) { 2 * self.size } else { sum.len() };
        sum.iter_mut().zip(&of_hidden[..together]).for_each(|(b, h)| *b += *h);
        Some(sum)
    }

    /// All steps. `row` is the first row of the batch in `out` after a step.
    fn run(
        &self,
        lane: &Lane,
        x: &[T],
        hidden: &mut [T],
        cells: &mut [T],
        row: impl Fn(usize) -> usize,
        out: &mut [T],
    ) -> Result<(), OpsError> {
        let (n, batch, size) = (self.layer.cell.gates() * self.size, self.batch, self.size);
        let (inputs, gate) = (self.steps * batch * n, batch * n);
        let apart = if self.weights.reset.is_some() { 2 * batch * size } else { 0 };
        scratch::<T, _>(lane, self.layer.cell.op(), inputs + 2 * gate + apart + n, |memory| {
            let (of_inputs, rest) = memory.split_at_mut(inputs);
            let (gates, rest) = rest.split_at_mut(gate);
            let (of_hidden, rest) = rest.split_at_mut(gate);
            let (kept, bias) = rest.split_at_mut(apart);
            let bias = self.input_bias(bias);
            self.weights.inputs.multiply(lane, x, bias, of_inputs)?;
            for step in 0..self.steps {
                let length = |b: usize| self.lengths.map_or(self.steps, |n| n[b]);
                let time = |b: usize| if self.backwards { length(b).wrapping_sub(1 + step) } else { step };
                let active = |b: &usize| step < length(*b);
                for b in (0..batch).filter(active) {
                    gates[b * n..][..n].copy_from_slice(&of_inputs[(time(b) * batch + b) * n..][..n]);
                }
                match &self.weights.reset {
                    None => self.weights.hidden.multiply(lane, hidden, None, of_hidden)?,
                    Some(reset) => self.reset(lane, reset, gates, hidden, of_hidden, kept)?,
                }
                for b in (0..batch).filter(active) {
                    let (gates, of_hidden) = (&mut gates[b * n..][..n], &of_hidden[b * n..][..n]);
                    let (h, c) = (&mut hidden[b * size..][..size], &mut cells[b * size..][..size]);
                    vectors(|| match self.layer.cell {
                        Cell::Rnn => self.rnn(gates, of_hidden, h),
                        Cell::Gru(before) => self.gru(before, gates, of_hidden, h),
                        Cell::Lstm(coupled) => self.lstm(coupled, gates, of_hidden, h, c),
                    });
                    out[(row(time(b)) + b) * size..][..size].copy_from_slice(h);
                }
            }
            Ok(())
        })
    }

    /// Finishes the first two gates, and multiplies the hidden states as far as they are not reset.
    fn reset(
        &self,
        lane: &Lane,
        reset: &Right<T>,
        gates: &mut [T],
        hidden: &[T],
        of_hidden: &mut [T],
        kept: &mut [T],
    ) -> Result<(), OpsError> {
        let (batch, size) = (self.batch, self.size);
        self.weights.hidden.multiply(lane, hidden, None, kept)?;
        for (gates, kept) in gates.chunks_mut(3 * size).zip(kept.chunks(2 * size)) {
            self.add(&mut gates[..2 * size], kept);
            self.function(0, &mut gates[..2 * size]);
        }
        let (kept, products) = kept.split_at_mut(batch * size);
        for ((kept, gates), hidden) in kept.chunks_mut(size).zip(gates.chunks(3 * size)).zip(hidden.chunks(size)) {
            kept.iter_mut().zip(&gates[size..]).zip(hidden).for_each(|((k, r), h)| *k = *r * *h);
        }
        reset.multiply(lane, kept, None, products)?;
        for (of_hidden, products) in of_hidden.chunks_mut(3 * size).zip(products.chunks(size)) {
            of_hidden[2 * size..].copy_from_slice(products);
        }
        Ok(())
    }

    #[inline(always)]
    fn add(&self, gates: &mut [T], of_hidden: &[T]) {
        gates.iter_mut().zip(of_hidden).for_each(|(g, h)| *g += *h);
    }

    /// Clips gates and applies function `i`.
    fn function(&self, i: usize, gates: &mut [T]) {
        if let Some(clip) = self.layer.clip {
            let bound = T::of(clip.into());
            gates.iter_mut().for_each(|g| *g = bounded(*g, -bound, bound));
        }
        self.functions[i].run(gates);
    }

    #[inline(always)]
    fn rnn(&self, gates: &mut [T], of_hidden: &[T], h: &mut [T]) {
        self.add(gates, of_hidden);
        self.function(0, gates);
        h.copy_from_slice(gates);
    }

    #[inline(always)]
    fn gru(&self, before: bool, gates: &mut [T], of_hidden: &[T], h: &mut [T]) {
        let size = self.size;
        let (update_reset, new) = gates.split_at_mut(2 * size);
        let of_new = &of_hidden[2 * size..];
        if before {
            self.add(update_reset, of_hidden);
            self.function(0, update_reset);
            let bias = self.bias.get(5 * size..).unwrap_or_default();
            let reset = &update_reset[size..];
            if bias.is_empty() {
                new.iter_mut().zip(reset).zip(of_new).for_each(|((n, r), h)| *n += *r * *h);
            } else {
                let each = new.iter_mut().zip(reset).zip(of_new.iter().zip(bias));
                each.for_each(|((n, r), (h, b))| *n += *r * (*h + *b));
            }
        } else {
            self.add(new, of_new);
        }
        self.function(1, new);
        let each = h.iter_mut().zip(&update_reset[..size]).zip(&*new);
        each.for_each(|((h, z), n)| *h = (T::one() - *z) * *n + *z * *h);
    }

    #[inline(always)]
    fn lstm(&self, coupled: bool, gates: &mut [T], of_hidden: &[T], h: &mut [T], c: &mut [T]) {
        let size = self.size;
        self.add(gates, of_hidden);
        let peep = |i: usize, gate: &mut [T], c: &[T]| {
            if let Some(p) = self.peepholes.get(i * size..(i + 1) * size) {
                gate.iter_mut().zip(p).zip(c).for_each(|((g, p), c)| *g += *p * *c);
            }
        };
        let plain = self.peepholes.is_empty();
        if plain {
            self.function(0, &mut gates[..3 * size]);
        } else {
            peep(0, &mut gates[..size], c);
            peep(2, &mut gates[2 * size..3 * size], c);
            self.function(0, &mut gates[..size]);
            self.function(0, &mut gates[2 * size..3 * size]);
        }
        self.function(1, &mut gates[3 * size..]);
        let (first, last) = gates.split_at_mut(2 * size);
        let (input, output) = first.split_at_mut(size);
        let (forget, new) = last.split_at_mut(size);
        if coupled {
            forget.iter_mut().zip(&*input).for_each(|(f, i)| *f = T::one() - *i);
        }
        let each = c.iter_mut().zip(&*forget).zip(input.iter().zip(&*new));
        each.for_each(|((c, f), (i, n))| *c = *f * *c + *i * *n);
        if !plain {
            peep(1, output, c);
            self.function(0, output);
        }
        h.copy_from_slice(c);
        self.functions[2].run(h);
        h.iter_mut().zip(&*output).for_each(|(h, o)| *h = *o * *h);
    }
}
