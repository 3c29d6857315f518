//! Recurrent layers: RNN, GRU, LSTM, in one or both directions.
//!
//! The products of all inputs are made at once; then each step multiplies the hidden state and finishes its gates. Rows of a
//! batch do not see each other.
use crate::activation::Activation;
use crate::arrays::{Real, dense_as, elements, elements_mut, in_dtype, not_real, wide_dtype};
use freelane_array::{ArrayData, DType};
use freelane_kernels::elementwise as k;
use freelane_kernels::elementwise::Map1;
use freelane_kernels::gemm::{Epilogue, Mat, MatMut, Packed, gemm_packed, gemm_scratch, pack, packed_len};
use freelane_mem::ScratchReq;
use freelane_ops::{Array, InOp, OpsError};
use freelane_pool::Lane;
use freelane_simd::Isa;
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
            Gate::Relu => x.iter_mut().for_each(|x| *x = x.max(T::zero())),
            Gate::Softplus => k::map::<k::Softplus, T>(x),
            Gate::Other(f) => {
                let before = x.to_vec();
                f.run(&before, x);
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

/// A direction's weights as products read them.
struct Direction<T> {
    inputs: Vec<T>,
    hidden: Vec<T>,
    /// The hidden gate's part of `hidden`, where that is multiplied apart.
    reset: Vec<T>,
}

/// Weights as products read them.
#[derive(Clone)]
pub struct Weights {
    inputs: usize,
    hidden: usize,
    /// Whether what is multiplied becomes bytes first.
    bytes: bool,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    F32(Arc<Vec<Direction<f32>>>),
    F64(Arc<Vec<Direction<f64>>>),
}

/// Packs columns of the transpose of some rows.
fn pack_rows<T: Real>(rows: &[T], count: usize, depth: usize) -> Result<Vec<T>, OpsError> {
    let large = || OpsError::argument("recurrence", "weights larger than memory");
    let matrix = Mat::new(rows, 0, [count, depth], [depth as isize, 1]).ok_or_else(large)?.transposed();
    let len = packed_len::<T>(depth, count).ok_or_else(large)?;
    let mut packed = Vec::new();
    packed.try_reserve_exact(len).map_err(|_| large())?;
    pack(Isa::current(), matrix, &mut packed.spare_capacity_mut()[..len]);
    // SAFETY: `pack` initialised all of them.
    unsafe { packed.set_len(len) };
    Ok(packed)
}

/// Weights of bytes, scales of all, of each direction or of each column, and zero points alike.
pub type Bytes<'a> = (&'a ArrayData, &'a ArrayData, Option<&'a ArrayData>);

/// The numbers that bytes stand for, rows and columns exchanged.
fn floats((bytes, scale, zero): Bytes<'_>) -> Result<ArrayData, OpsError> {
    let spread = |x: &ArrayData| -> Result<Array, OpsError> {
        let x = Array::from(x.clone()).astype(DType::F32)?;
        match *x.shape() {
            [] | [1] => x.reshape(&[]),
            [d] => x.reshape(&[d as isize, 1, 1]),
            [d, n] => x.reshape(&[d as isize, 1, n as isize]),
            _ => Ok(x),
        }
    };
    let mut x = Array::from(bytes.clone()).astype(DType::F32)?;
    if let Some(zero) = zero {
        x = x.subtract(&spread(zero)?)?;
    }
    permuted(x.multiply(&spread(scale)?)?.into(), &[0, 2, 1])
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
            DType::F64 => Kind::F64(Arc::new(self.pack_of::<f64>(inputs, hidden, *depth, *size)?)),
            _ => Kind::F32(Arc::new(self.pack_of::<f32>(inputs, hidden, *depth, *size)?)),
        };
        Ok(Weights { inputs: *depth, hidden: *size, bytes: false, kind })
    }

    /// Packs weights of bytes, with their scales and zero points: `[directions, inputs, gates * hidden]` and
    /// `[directions, hidden, gates * hidden]`. What they are multiplied by becomes bytes at each product.
    ///
    /// # Errors
    /// As [`Recurrence::pack`].
    pub fn pack_bytes(&self, inputs: Bytes<'_>, hidden: Bytes<'_>) -> Result<Weights, OpsError> {
        let (inputs, hidden) = (floats(inputs)?, floats(hidden)?);
        Ok(Weights { bytes: true, ..self.pack(&inputs, &hidden)? })
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
                inputs: pack_rows(w, rows, depth)?,
                hidden: pack_rows(&r[..apart * size], apart, size)?,
                reset: pack_rows(&r[apart * size..], rows - apart, size)?,
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
            Kind::F32(directions) => self.run_of::<f32>(lane, weights, directions, inputs),
            Kind::F64(directions) => self.run_of::<f64>(lane, weights, directions, inputs),
        }
    }

    fn run_of<T: Real>(
        &self,
        lane: &Lane,
        packed: &Weights,
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
        let x = dense_as(inputs.x, T::DTYPE)?.into_owned();
        let mut x = if self.batch_first { permuted(x, &[1, 0, 2])? } else { x };
        if packed.bytes {
            let mut own = Array::from(x).copy()?;
            T::through_bytes(elements_mut::<T>(&mut own)?);
            x = own.into();
        }
        let &[steps, batch, depth] = x.layout().shape() else {
            return Err(self.wrong(format!("an input of shape {:?}; it has three axes", x.layout().shape())));
        };
        if depth != packed.inputs {
            return Err(self.wrong(format!("inputs of {depth} numbers for weights of {}", packed.inputs)));
        }
        let (size, ways) = (packed.hidden, directions.len());
        let gates = self.cell.gates();
        let state = |given: Option<&ArrayData>, what: &str| -> Result<Array, OpsError> {
            let Some(given) = given else { return Array::zeros(&[ways, batch, size], T::DTYPE) };
            let mut state = dense_as(given, T::DTYPE)?.into_owned();
            if self.batch_first && state.layout().rank() == 3 {
                state = permuted(state, &[1, 0, 2])?;
            }
            if state.layout().shape() != [ways, batch, size] {
                let found = given.layout().shape();
                return Err(self.wrong(format!("{what} of shape {found:?} for {ways}, {batch}, {size}")));
            }
            Array::from(state).copy()
        };
        let (mut hidden, mut cells) = (state(inputs.hidden, "hidden states")?, state(inputs.cells, "cells")?);
        let list = |given: Option<&ArrayData>, each: usize, what: &str| -> Result<Option<ArrayData>, OpsError> {
            let Some(given) = given else { return Ok(None) };
            if given.layout().len() != ways * each {
                return Err(self.wrong(format!("{what} of shape {:?} for {ways}, {each}", given.layout().shape())));
            }
            Ok(Some(dense_as(given, T::DTYPE)?.into_owned()))
        };
        let bias = list(inputs.bias, 2 * gates * size, "a bias")?;
        let peepholes = list(inputs.peepholes, 3 * size, "peepholes")?;
        let lengths = match inputs.lengths {
            None => vec![steps; batch],
            Some(given) => self.lengths(given, batch, steps)?,
        };
        let mut all = Array::empty_in(lane, &[steps, ways, batch, size], T::DTYPE)?;
        let out = elements_mut::<T>(&mut all)?;
        if lengths.iter().any(|n| *n < steps) {
            out.fill(T::zero());
        }
        let (hs, cs) = (elements_mut::<T>(&mut hidden)?, elements_mut::<T>(&mut cells)?);
        for (d, weights) in directions.iter().enumerate() {
            let of = |x: &'_ Option<ArrayData>, each: usize| -> Result<Vec<T>, OpsError> {
                x.as_ref().map_or(Ok(vec![]), |x| Ok(elements::<T>(x)?[d * each..(d + 1) * each].to_vec()))
            };
            let pass = Pass {
                layer: self,
                weights,
                functions: &self.functions[d * self.cell.functions()..][..self.cell.functions()],
                backwards: self.backwards[d],
                bytes: packed.bytes,
                bias: of(&bias, 2 * gates * size)?,
                peepholes: of(&peepholes, 3 * size)?,
                lengths: &lengths,
                steps,
                batch,
                depth,
                size,
            };
            let states = d * batch * size..(d + 1) * batch * size;
            pass.run(
                lane,
                elements::<T>(&x)?,
                &mut hs[states.clone()],
                &mut cs[states],
                |t| (t * ways + d) * batch,
                out,
            )?;
        }
        self.finished(all.into(), hidden.into(), cells.into(), dtype)
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
    bytes: bool,
    bias: Vec<T>,
    peepholes: Vec<T>,
    lengths: &'a [usize],
    steps: usize,
    batch: usize,
    depth: usize,
    size: usize,
}

/// `out = a b` for `rows` rows of `a`, with packed `b` of `n` columns.
fn product<T: Real>(
    lane: &Lane,
    a: &[T],
    b: &[T],
    [rows, depth, n]: [usize; 3],
    bias: Option<&[T]>,
    out: &mut [T],
) -> Result<(), OpsError> {
    const OP: &str = "recurrence";
    if rows == 0 || n == 0 {
        return Ok(());
    }
    let large = || OpsError::argument(OP, "operands larger than memory");
    let a = Mat::new(a, 0, [rows, depth], [depth as isize, 1]).ok_or_else(large)?;
    let b = Packed::new(b, depth, n).ok_or_else(large)?;
    let mut out = MatMut::new(out, 0, [rows, n], [n as isize, 1]).ok_or_else(large)?;
    let need = gemm_scratch::<T>(rows, n, depth);
    let epilogue = Epilogue { bias, relu: false };
    lane.scratch(ScratchReq::new(need.size(), need.align()), |scratch| {
        gemm_packed(Isa::current(), a, b, &mut out, 0..n, epilogue, scratch);
    })
    .in_op(OP)
}

impl<T: Real> Pass<'_, T>
where
    k::Expm1: Map1<T, Out = T>,
    k::Tanh: Map1<T, Out = T>,
    k::Sigmoid: Map1<T, Out = T>,
    k::Softplus: Map1<T, Out = T>,
{
    /// What is added to the products of the inputs.
    fn input_bias(&self) -> Option<Vec<T>> {
        let n = self.layer.cell.gates() * self.size;
        let (of_inputs, of_hidden) = self.bias.split_at_checked(n)?;
        let mut bias = of_inputs.to_vec();
        // The hidden gate's own bias is reset with its products.
        let together = if self.layer.cell == Cell::Gru(true) { 2 * self.size } else { n };
        bias.iter_mut().zip(&of_hidden[..together]).for_each(|(b, h)| *b += *h);
        Some(bias)
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
        let mut memory = Array::empty(&[(self.steps + 2) * batch * n], T::DTYPE)?;
        let (of_inputs, rest) = elements_mut::<T>(&mut memory)?.split_at_mut(self.steps * batch * n);
        let (gates, of_hidden) = rest.split_at_mut(batch * n);
        let bias = self.input_bias();
        product(lane, x, &self.weights.inputs, [self.steps * batch, self.depth, n], bias.as_deref(), of_inputs)?;
        for step in 0..self.steps {
            let time = |b: usize| if self.backwards { self.lengths[b].wrapping_sub(1 + step) } else { step };
            let active = |b: usize| step < self.lengths[b];
            for b in (0..batch).filter(|b| active(*b)) {
                gates[b * n..][..n].copy_from_slice(&of_inputs[(time(b) * batch + b) * n..][..n]);
            }
            self.multiply(lane, hidden, of_hidden)?;
            if self.layer.cell == Cell::Gru(false) {
                self.reset(lane, gates, hidden, of_hidden)?;
            }
            for b in (0..batch).filter(|b| active(*b)) {
                let (gates, of_hidden) = (&mut gates[b * n..][..n], &of_hidden[b * n..][..n]);
                let (h, c) = (&mut hidden[b * size..][..size], &mut cells[b * size..][..size]);
                match self.layer.cell {
                    Cell::Rnn => self.rnn(gates, of_hidden, h),
                    Cell::Gru(before) => self.gru(before, gates, of_hidden, h),
                    Cell::Lstm(coupled) => self.lstm(coupled, gates, of_hidden, h, c),
                }
                out[(row(time(b)) + b) * size..][..size].copy_from_slice(h);
            }
        }
        Ok(())
    }

    /// The products of the hidden states; each row of `out` has room for all gates.
    fn multiply(&self, lane: &Lane, hidden: &[T], out: &mut [T]) -> Result<(), OpsError> {
        let (batch, size) = (self.batch, self.size);
        if self.bytes {
            let mut bytes = hidden.to_vec();
            T::through_bytes(&mut bytes);
            return product(
                lane,
                &bytes,
                &self.weights.hidden,
                [batch, size, self.layer.cell.gates() * size],
                None,
                out,
            );
        }
        if self.layer.cell != Cell::Gru(false) {
            let n = self.layer.cell.gates() * size;
            return product(lane, hidden, &self.weights.hidden, [batch, size, n], None, out);
        }
        // Two gates of a row, then room for the third.
        let mut two = vec![T::zero(); batch * 2 * size];
        product(lane, hidden, &self.weights.hidden, [batch, size, 2 * size], None, &mut two)?;
        for (out, two) in out.chunks_mut(3 * size).zip(two.chunks(2 * size)) {
            out[..2 * size].copy_from_slice(two);
        }
        Ok(())
    }

    /// Finishes the first two gates, and multiplies the hidden states as far as they are not reset.
    fn reset(&self, lane: &Lane, gates: &mut [T], hidden: &[T], of_hidden: &mut [T]) -> Result<(), OpsError> {
        let (batch, size) = (self.batch, self.size);
        let mut kept = vec![T::zero(); 2 * batch * size];
        let (kept, products) = kept.split_at_mut(batch * size);
        for b in 0..batch {
            let (gates, of_hidden) = (&mut gates[b * 3 * size..][..2 * size], &of_hidden[b * 3 * size..]);
            self.add(gates, of_hidden);
            self.function(0, gates);
            let kept = kept[b * size..][..size].iter_mut();
            kept.zip(&gates[size..]).zip(&hidden[b * size..]).for_each(|((k, r), h)| *k = *r * *h);
        }
        product(lane, kept, &self.weights.reset, [batch, size, size], None, products)?;
        for (of_hidden, products) in of_hidden.chunks_mut(3 * size).zip(products.chunks(size)) {
            of_hidden[2 * size..].copy_from_slice(products);
        }
        Ok(())
    }

    fn add(&self, gates: &mut [T], of_hidden: &[T]) {
        gates.iter_mut().zip(of_hidden).for_each(|(g, h)| *g += *h);
    }

    /// Clips gates and applies function `i`.
    fn function(&self, i: usize, gates: &mut [T]) {
        if let Some(clip) = self.layer.clip {
            let bound = T::of(clip.into());
            gates.iter_mut().for_each(|g| *g = g.max(-bound).min(bound));
        }
        self.functions[i].run(gates);
    }

    fn rnn(&self, gates: &mut [T], of_hidden: &[T], h: &mut [T]) {
        self.add(gates, of_hidden);
        self.function(0, gates);
        h.copy_from_slice(gates);
    }

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
