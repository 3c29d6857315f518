//! Several elementwise functions in one pass over memory.
//!
//! A [`Program`] is a list of the loops of [`UFunc`]s. It runs tile by tile: the first step reads the operands, each further
//! one what a step before it left in the cache, and the last writes the result. Each step does to a tile what it would do
//! to the whole array, so the result has the same bits as one call after another. Sums, differences and products whose result is
//! read by another of them alone run in one loop with it, which rounds both.
use crate::ops::astype::{COST as CAST_COST, cast};
use crate::ufunc::{Entry, Ready, drive, finish, output_layout, uninit};
use crate::ufuncs::fused;
use crate::{InOp, Loops, Operand, OpsError, UFunc};
use freelane_array::{ArrayData, DType, Layout};
use freelane_kernels::elementwise::{Loop1, Loop2, Loop3};
use freelane_pool::{Lane, SPLIT_NS};
use freelane_simd::Isa;
use smallvec::SmallVec;
use std::mem::MaybeUninit;

const OP: &str = "program";

/// Bytes of an intermediate result: small enough for the first-level cache to hold all of them beside the operands, large
/// enough that calls of loops do not count (bench `chain` shows what a chain costs).
const TILE_BYTES: usize = 2048;

/// The most intermediate results that live at once.
const MOST_TILES: usize = 8;

/// The most operands of a program.
pub const MOST_INPUTS: usize = 7;

/// A value inside a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register(usize);

#[derive(Clone, Copy)]
enum Kernel {
    Unary(Loop1),
    Binary(Loop2),
    Ternary(Loop3),
}

/// The place of the result: behind those of the operands.
const RESULT: usize = MOST_INPUTS;

/// The first place of an intermediate result.
const TILES: usize = RESULT + 1;

const PLACES: usize = TILES + MOST_TILES;

/// Where operands, the result and intermediate results lie.
struct Places {
    ptrs: [*mut u8; PLACES],
    /// Bytes from one element to the next; 0 for intermediate results, whose types change from step to step.
    strides: [isize; PLACES],
}

impl Places {
    /// Of a result alone.
    #[inline]
    fn of_result(ptr: *mut u8, stride: isize) -> Places {
        let mut places = Places { ptrs: [ptr; PLACES], strides: [0; PLACES] };
        places.strides[RESULT] = stride;
        places
    }

    /// Of operands, and the result behind them.
    fn new<const N: usize>(ptrs: [*mut u8; N], strides: [isize; N]) -> Places {
        let mut places = Places::of_result(ptrs[N - 1], strides[N - 1]);
        places.ptrs[..N - 1].copy_from_slice(&ptrs[..N - 1]);
        places.strides[..N - 1].copy_from_slice(&strides[..N - 1]);
        places
    }

    /// So many elements on. Never inlined, so that short calls do not prepare for it.
    #[inline(never)]
    fn advance(&mut self, by: usize) {
        for (ptr, stride) in self.ptrs[..TILES].iter_mut().zip(self.strides) {
            *ptr = ptr.wrapping_offset(stride * by as isize);
        }
    }
}

struct Step {
    kernel: Kernel,
    /// Where its arguments and its result lie.
    places: [usize; 4],
    /// Of intermediate results bytes of an element; 0 for others.
    strides: [isize; 4],
}

/// Elementwise functions of up to [`MOST_INPUTS`] operands, one after another, with one result.
///
/// ```
/// use freelane_ops::{Array, DType, program::Builder, ufuncs};
/// use freelane_pool::Lane;
/// let mut b = Builder::default();
/// let (x, y) = (b.input(DType::F64)?, b.input(DType::F64)?);
/// let xy = b.apply(&ufuncs::MULTIPLY, &[x, y])?;
/// let e = b.apply(&ufuncs::SUBTRACT, &[xy, x])?;
/// let program = b.finish(e)?;
/// let x = Array::from_vec(vec![1.0, 2.0, 3.0], &[3])?;
/// let y = Array::from_vec(vec![10.0], &[1])?;
/// let got = Lane::with(|lane| program.call(lane, &[(&x).into(), (&y).into()]))?;
/// assert_eq!(Array::from(got).to_vec::<f64>()?, [9.0, 18.0, 27.0]);
/// # Ok::<(), freelane_ops::OpsError>(())
/// ```
pub struct Program {
    inputs: SmallVec<[DType; MOST_INPUTS]>,
    steps: Vec<Step>,
    out: DType,
    /// Elements of a tile.
    tile: usize,
    cost: f32,
    /// So many elements are too little work for more than one lane.
    alone: usize,
}

/// What makes a register.
enum From {
    Input(usize),
    Cast(usize),
    Function(&'static UFunc, SmallVec<[usize; 3]>),
    /// Two functions in one loop, and what both cost.
    Pair(Loop3, [usize; 3], f32),
}

/// Makes a [`Program`].
#[derive(Default)]
pub struct Builder {
    inputs: SmallVec<[DType; MOST_INPUTS]>,
    dtypes: Vec<DType>,
    from: Vec<From>,
}

impl Builder {
    /// The next operand.
    ///
    /// # Errors
    /// When there are too many.
    pub fn input(&mut self, dtype: DType) -> Result<Register, OpsError> {
        if self.inputs.len() == MOST_INPUTS {
            return Err(OpsError::argument(OP, format!("takes {MOST_INPUTS} operands at most")));
        }
        self.inputs.push(dtype);
        Ok(self.register(dtype, From::Input(self.inputs.len() - 1)))
    }

    fn register(&mut self, dtype: DType, from: From) -> Register {
        self.dtypes.push(dtype);
        self.from.push(from);
        Register(self.dtypes.len() - 1)
    }

    /// A function of registers, which all have the type that the function computes in.
    ///
    /// # Errors
    /// When they have not, or the function looks at the values of its operands before it runs.
    pub fn apply(&mut self, f: &'static UFunc, args: &[Register]) -> Result<Register, OpsError> {
        let found: Vec<DType> = args.iter().map(|r| self.dtypes[r.0]).collect();
        let wrong = || OpsError::DType {
            op: f.name,
            found: found.clone(),
            supported: "operands of one type that it computes in".into(),
        };
        let computing = if matches!(f.loops, Loops::Select(..)) { found.get(1..) } else { Some(&found[..]) };
        let dtype = *computing.and_then(<[DType]>::first).ok_or_else(wrong)?;
        let same = computing.is_some_and(|d| d.iter().all(|&d| d == dtype));
        let first = !matches!(f.loops, Loops::Select(first, _) if found[0] != first);
        let own = f.result_dtype(dtype).is_some() && f.output_dtype(dtype) == f.result_dtype(dtype);
        if args.len() != f.arity() || !same || !first || !own || f.looks_at_elements(dtype) {
            return Err(wrong());
        }
        let out = f.output_dtype(dtype).ok_or_else(wrong)?;
        Ok(self.register(out, From::Function(f, args.iter().map(|r| r.0).collect())))
    }

    /// A register converted to another type, as [`Array::astype`](crate::Array::astype) does it.
    pub fn cast(&mut self, x: Register, dtype: DType) -> Register {
        if self.dtypes[x.0] == dtype { x } else { self.register(dtype, From::Cast(x.0)) }
    }

    /// The program that computes a register.
    ///
    /// # Errors
    /// When the register is an operand, or too many intermediate results live at once.
    pub fn finish(mut self, result: Register) -> Result<Program, OpsError> {
        self.join_pairs();
        let mut last_read = vec![0; self.from.len()];
        let mut needed = vec![false; self.from.len()];
        needed[result.0] = true;
        for i in (0..self.from.len()).rev() {
            if needed[i] {
                for &a in self.from[i].args() {
                    needed[a] = true;
                    last_read[a] = last_read[a].max(i);
                }
            }
        }
        let mut tiles = Tiles::default();
        let mut places = vec![RESULT; self.from.len()];
        let (mut steps, mut cost) = (vec![], 0.0);
        for (i, from) in self.from.iter().enumerate().filter(|(i, _)| needed[*i]) {
            if let From::Input(input) = from {
                places[i] = *input;
                continue;
            }
            if i != result.0 {
                let tile = tiles.take().ok_or_else(|| {
                    OpsError::argument(OP, format!("more than {MOST_TILES} intermediate results live at once"))
                })?;
                places[i] = TILES + tile;
            }
            steps.push(self.step(from, i, &places)?);
            cost += from.cost();
            // Only now: a step never writes over what it reads.
            for &a in from.args() {
                if places[a] >= TILES && last_read[a] == i {
                    tiles.give(places[a] - TILES);
                }
            }
        }
        if steps.is_empty() {
            return Err(OpsError::argument(OP, "computes nothing"));
        }
        let widest = self.dtypes.iter().map(|d| d.size()).max().unwrap_or(1);
        let (out, tile, alone) = (self.dtypes[result.0], TILE_BYTES / widest, (SPLIT_NS as f32 / cost) as usize);
        Ok(Program { inputs: self.inputs, steps, out, tile, cost, alone })
    }

    /// Joins a function with the one that alone reads its result, where the two have a loop together.
    fn join_pairs(&mut self) {
        let mut reads = vec![0; self.from.len()];
        self.from.iter().flat_map(From::args).for_each(|&a| reads[a] += 1);
        for i in 0..self.from.len() {
            let From::Function(second, args) = &self.from[i] else { continue };
            let &[x, y] = &args[..] else { continue };
            let pair = [(x, y), (y, x)].into_iter().enumerate().find_map(|(operand, (inner, other))| {
                let From::Function(first, of) = &self.from[inner] else { return None };
                let run = fused(first, second, operand, self.dtypes[i]).filter(|_| reads[inner] == 1)?;
                Some(From::Pair(run, [of[0], of[1], other], first.cost + second.cost))
            });
            if let Some(pair) = pair {
                self.from[i] = pair;
            }
        }
    }

    fn step(&self, from: &From, to: usize, places: &[usize]) -> Result<Step, OpsError> {
        let args = from.args();
        let dtype = self.dtypes[args[args.len() - 1]];
        let kernel = match from {
            From::Function(f, _) => Self::kernel(f, dtype)?,
            From::Pair(run, ..) => Kernel::Ternary(*run),
            _ => Kernel::Unary(cast(dtype, self.dtypes[to])),
        };
        let arg = |k: usize| args.get(k).copied().unwrap_or(args[0]);
        let registers = [arg(0), arg(1), arg(2), to];
        let stride = |r: usize| if places[r] >= TILES { self.dtypes[r].size() as isize } else { 0 };
        Ok(Step { kernel, places: registers.map(|r| places[r]), strides: registers.map(stride) })
    }

    fn kernel(f: &UFunc, dtype: DType) -> Result<Kernel, OpsError> {
        fn of<F: Copy>(entry: Option<Entry<F>>, f: &UFunc, dtype: DType) -> Result<F, OpsError> {
            entry.map(|e| e.run).ok_or(OpsError::DType { op: f.name, found: vec![dtype], supported: String::new() })
        }
        Ok(match f.loops {
            Loops::Unary(table) => Kernel::Unary(of(table[dtype as usize], f, dtype)?),
            Loops::Binary(table) => Kernel::Binary(of(table[dtype as usize], f, dtype)?),
            Loops::Select(_, table) | Loops::Ternary(table) => Kernel::Ternary(of(table[dtype as usize], f, dtype)?),
        })
    }
}

impl From {
    fn args(&self) -> &[usize] {
        match self {
            From::Input(_) => &[],
            From::Cast(x) => std::slice::from_ref(x),
            From::Function(_, args) => args,
            From::Pair(_, args, _) => args,
        }
    }

    fn cost(&self) -> f32 {
        match self {
            From::Function(f, _) => f.cost,
            From::Pair(.., cost) => *cost,
            _ => CAST_COST,
        }
    }
}

/// Which tiles are free.
#[derive(Default)]
struct Tiles {
    used: [bool; MOST_TILES],
}

impl Tiles {
    fn take(&mut self) -> Option<usize> {
        let free = self.used.iter().position(|used| !used)?;
        self.used[free] = true;
        Some(free)
    }

    fn give(&mut self, tile: usize) {
        self.used[tile] = false;
    }
}

/// Memory for intermediate results. Each begins at another offset in its page, or stores would wait for loads of others.
#[repr(align(64))]
struct Scratch(#[allow(dead_code, reason = "used by address")] [[MaybeUninit<u8>; TILE_BYTES + 64]; MOST_TILES]);

impl Program {
    /// The types of its operands.
    pub fn inputs(&self) -> &[DType] {
        &self.inputs
    }

    /// The type of its result.
    pub fn output(&self) -> DType {
        self.out
    }

    /// Applies it; operands broadcast.
    ///
    /// # Errors
    /// When operands are not as many and of the types that the program was made for, shapes do not broadcast, or memory
    /// cannot be had.
    pub fn call(&self, lane: &Lane, args: &[Operand<'_>]) -> Result<ArrayData, OpsError> {
        let layout = output_layout(args).in_op(OP)?;
        let mut buffer = uninit(lane, &layout, self.out, OP)?;
        // SAFETY: the buffer was made for the elements of the layout.
        unsafe { self.run(lane, args, buffer.as_mut_ptr(), &layout) }?;
        // SAFETY: `run` wrote every element.
        Ok(unsafe { finish(buffer, self.out, layout) })
    }

    /// Applies it and writes the result to `out`, if that has the result's type and shape, lies in row-major order and shares
    /// its storage with nobody; returns whether it has.
    ///
    /// # Errors
    /// As [`Program::call`].
    pub fn call_into(&self, lane: &Lane, args: &[Operand<'_>], out: &mut ArrayData) -> Result<bool, OpsError> {
        let layout = output_layout(args).in_op(OP)?;
        let fits = out.dtype() == self.out && out.layout().is_contiguous() && out.layout().shape() == layout.shape();
        let Some(ptr) = out.as_mut_ptr().filter(|_| fits && layout.is_contiguous()) else { return Ok(false) };
        // SAFETY: the output has the program's type and the layout's shape without gaps, and no operand shares its storage.
        unsafe { self.run(lane, args, ptr, &layout) }?;
        Ok(true)
    }

    /// As [`Program::call_into`] where the shapes are known to broadcast to that of `out`: does nothing and returns false
    /// unless all are of the program's types and in row-major order, operands are as long as the result or have one
    /// element, and the lane works alone. An operand that is not there counts as one that does not fit.
    #[inline]
    pub fn call_whole<'a>(
        &self,
        lane: &Lane,
        args: impl Iterator<Item = Option<&'a ArrayData>>,
        out: &mut ArrayData,
    ) -> bool {
        let n = out.layout().len();
        if out.dtype() != self.out || !out.layout().is_contiguous() {
            return false;
        }
        let Some(to) = out.as_mut_ptr() else { return false };
        let mut places = Places::of_result(to, self.out.size() as isize);
        let whole = self.find(&mut places, lane, args, n);
        if whole {
            // SAFETY: `find` noted the operands; the result has `n` elements and shares its storage with nobody.
            unsafe { self.tiles(&mut places, n) };
        }
        whole
    }

    /// Notes the places of the operands, if they can be visited as they lie and on one lane: each has `n` elements or the one
    /// that stride 0 repeats.
    #[inline]
    fn find<'a>(
        &self,
        places: &mut Places,
        lane: &Lane,
        mut args: impl Iterator<Item = Option<&'a ArrayData>>,
        n: usize,
    ) -> bool {
        if n > self.alone && lane.pieces((n as f64 * f64::from(self.cost)) as u64) != 1 {
            return false;
        }
        for (i, &dtype) in self.inputs.iter().enumerate() {
            let Some(Some(arg)) = args.next() else { return false };
            let len = arg.layout().len();
            if arg.dtype() != dtype || !arg.layout().is_contiguous() || !(len == n || len == 1) {
                return false;
            }
            places.ptrs[i] = arg.as_ptr().cast_mut();
            places.strides[i] = if len == n { dtype.size() as isize } else { 0 };
        }
        args.next().is_none()
    }

    /// # Safety
    /// `out` is writable at every position of the layout, for elements of the result's type, apart from the operands.
    unsafe fn run(&self, lane: &Lane, args: &[Operand<'_>], out: *mut u8, layout: &Layout) -> Result<(), OpsError> {
        let whole = args.iter().map(|arg| match arg {
            Operand::Array(a) if a.layout().len() == 1 || a.layout().shape() == layout.shape() => Some(*a),
            _ => None,
        });
        let mut places = Places::of_result(out, self.out.size() as isize);
        if layout.is_contiguous() && self.find(&mut places, lane, whole, layout.len()) {
            // SAFETY: `find` noted the operands; the caller vouches for the result.
            unsafe { self.tiles(&mut places, layout.len()) };
            return Ok(());
        }
        let fits = |(arg, &dtype): (&Operand<'_>, &DType)| match arg {
            Operand::Array(a) => a.dtype() == dtype,
            Operand::Scalar(_) => true,
        };
        if args.len() != self.inputs.len() || !args.iter().zip(&self.inputs).all(fits) {
            let found = args.iter().map(|a| crate::result_type(std::slice::from_ref(a))).collect();
            let supported = self.inputs.iter().map(|d| d.name()).collect::<Vec<_>>().join(" and ");
            return Err(OpsError::DType { op: OP, found, supported });
        }
        if layout.is_empty() {
            return Ok(());
        }
        let mut ready = [const { Ready::EMPTY }; MOST_INPUTS];
        for (place, (arg, &dtype)) in ready.iter_mut().zip(args.iter().zip(&self.inputs)) {
            *place = Ready::new(lane, OP, *arg, dtype)?;
        }
        let size = self.out.size();
        match &ready {
            [a, b, c, ..] if args.len() <= 3 => {
                drive(lane, [a, b, c], out, layout, size, self.cost, |ptrs: [*mut u8; 4], strides: [isize; 4], n| {
                    // SAFETY: `drive` hands over parts of the operands and of the result that hold `n` elements.
                    unsafe { self.tiles(&mut Places::new(ptrs, strides), n) }
                })
            }
            [a, b, c, d, e, f, g] => {
                let inputs = [a, b, c, d, e, f, g];
                drive(lane, inputs, out, layout, size, self.cost, |ptrs: [*mut u8; 8], strides: [isize; 8], n| {
                    // SAFETY: as above.
                    unsafe { self.tiles(&mut Places::new(ptrs, strides), n) }
                })
            }
        }
        .in_op(OP)
    }

    /// Runs all steps over `n` elements.
    ///
    /// # Safety
    /// The operands can be read and the result written at `n` places, their strides apart.
    unsafe fn tiles(&self, places: &mut Places, n: usize) {
        let mut scratch = MaybeUninit::<Scratch>::uninit();
        let base = scratch.as_mut_ptr().cast::<u8>();
        for (t, ptr) in places.ptrs[TILES..].iter_mut().enumerate() {
            *ptr = base.wrapping_add(t * (TILE_BYTES + 64));
        }
        let isa = Isa::current();
        let mut left = n;
        while left > 0 {
            let part = self.tile.min(left);
            for step in &self.steps {
                // SAFETY: the caller's promise for operands and result; a tile holds `tile >= part` elements of the widest
                // type, the step that fills it comes before those that read it, and no step reads where it writes.
                unsafe { step.run(isa, part, places) };
            }
            left -= part;
            if left > 0 {
                places.advance(part);
            }
        }
    }
}

impl Step {
    /// # Safety
    /// `n` elements of the arguments can be read where they lie, and as many results written, apart from them.
    #[inline(always)]
    unsafe fn run(&self, isa: Isa, n: usize, places: &Places) {
        // The remainder is the place itself, which spares checks.
        let at = |k: usize| {
            let place = self.places[k] % PLACES;
            (places.ptrs[place], places.strides[place] + self.strides[k])
        };
        let ((a, sa), (o, os)) = (at(0), at(3));
        match self.kernel {
            // SAFETY: the caller's promise.
            Kernel::Unary(run) => unsafe { run(isa, n, a, sa, o, os) },
            Kernel::Binary(run) => {
                let (b, sb) = at(1);
                // SAFETY: the caller's promise.
                unsafe { run(isa, n, a, sa, b, sb, o, os) }
            }
            Kernel::Ternary(run) => {
                let ((b, sb), (c, sc)) = (at(1), at(2));
                // SAFETY: the caller's promise.
                unsafe { run(isa, n, a, sa, b, sb, c, sc, o, os) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Array, ufuncs};
    use freelane_array::Element;

    fn bits(a: &Array) -> Vec<u64> {
        a.to_vec::<f64>().unwrap().iter().map(|x| x.to_bits()).collect()
    }

    /// `where(x > y, 2 * sin(x) * cos(y) + x * y, exp(x) - y)`, fused and one call after another.
    fn both(x: &Array, y: &Array) -> (Array, Array) {
        let mut b = Builder::default();
        let (rx, ry, two) = (b.input(DType::F64).unwrap(), b.input(DType::F64).unwrap(), b.input(DType::F64).unwrap());
        let mut apply = |f: &'static UFunc, args: &[Register]| b.apply(f, args).unwrap();
        let sin = apply(&ufuncs::SIN, &[rx]);
        let cos = apply(&ufuncs::COS, &[ry]);
        let twice = apply(&ufuncs::MULTIPLY, &[two, sin]);
        let product = apply(&ufuncs::MULTIPLY, &[twice, cos]);
        let xy = apply(&ufuncs::MULTIPLY, &[rx, ry]);
        let sum = apply(&ufuncs::ADD, &[product, xy]);
        let e = apply(&ufuncs::EXP, &[rx]);
        let difference = apply(&ufuncs::SUBTRACT, &[e, ry]);
        let greater = apply(&ufuncs::GREATER, &[rx, ry]);
        let result = apply(&ufuncs::WHERE, &[greater, sum, difference]);
        let program = b.finish(result).unwrap();
        let fused = Lane::with(|lane| program.call(lane, &[x.into(), y.into(), Operand::Scalar(2.0.into())])).unwrap();
        let left = &(&(&x.sin().unwrap() * 2.0) * &y.cos().unwrap()) + &(x * y);
        let right = &x.exp().unwrap() - y;
        let apart = x.greater(y).unwrap();
        let apart = Lane::with(|lane| ufuncs::WHERE.call(lane, &[(&apart).into(), (&left).into(), (&right).into()]));
        (fused.into(), apart.unwrap().into())
    }

    #[test]
    fn fused_is_one_after_another_bit_for_bit() {
        let value = |i: usize| {
            [0.3 * i as f64 - 70.0, f64::NAN, -0.0, f64::INFINITY, 1e300][if i % 11 == 3 { i % 5 } else { 0 }]
        };
        for (rows, columns) in [(1, 1), (1, 7), (3, 255), (2, 256), (5, 257), (1, 10_000), (0, 4), (300, 3)] {
            let n = rows * columns;
            let x = Array::from_vec((0..n).map(value).collect(), &[rows, columns]).unwrap();
            let y = Array::from_vec((0..n).map(|i| value(i * 7 + 1)).collect(), &[rows, columns]).unwrap();
            let column = y
                .index(&[crate::Slice::all().into(), crate::Slice { start: None, stop: Some(1), step: 1 }.into()])
                .unwrap();
            let flipped = x.flip(..).unwrap();
            for (x, y) in [(&x, &y), (&x, &column), (&flipped, &y), (&column, &x)] {
                let (fused, apart) = both(x, y);
                assert_eq!((fused.shape(), bits(&fused)), (apart.shape(), bits(&apart)), "{rows}x{columns}");
            }
        }
    }

    /// `second(first(x, y), z)`, and `second(z, first(x, y))` where swapped.
    fn two<T: Element>(names: [&'static UFunc; 2], swapped: bool, args: [&Array; 3]) -> [Vec<T>; 2] {
        let order = |inner, z| if swapped { [z, inner] } else { [inner, z] };
        let mut b = Builder::default();
        let [x, y, z] = [0; 3].map(|_| b.input(T::DTYPE).unwrap());
        let inner = b.apply(names[0], &[x, y]).unwrap();
        let result = b.apply(names[1], &order(inner, z)).unwrap();
        let program = b.finish(result).unwrap();
        assert_eq!(program.steps.len(), 1, "{} and {} have a loop together", names[0].name, names[1].name);
        let call = |f: &UFunc, args: &[&Array]| -> Array {
            let args: Vec<Operand<'_>> = args.iter().map(|a| Operand::from(*a)).collect();
            Lane::with(|lane| f.call(lane, &args)).unwrap().into()
        };
        let inner = call(names[0], &args[..2]);
        let apart = if swapped { call(names[1], &[args[2], &inner]) } else { call(names[1], &[&inner, args[2]]) };
        let fused = Array::from(Lane::with(|lane| program.call(lane, &args.map(Operand::from))).unwrap());
        assert_eq!(fused.shape(), apart.shape());
        [fused.to_vec().unwrap(), apart.to_vec().unwrap()]
    }

    #[test]
    fn two_functions_with_one_loop_round_twice() {
        let value = |i: usize| [(i as f64).sin() * 40.0, f64::INFINITY, -0.0, 1e-310, 1e38, f64::NAN][i * i % 17 % 6];
        let names = [&ufuncs::ADD, &ufuncs::SUBTRACT, &ufuncs::MULTIPLY];
        for (rows, columns) in [(1, 1), (1, 15), (2, 8), (3, 11), (2, 256), (1, 1000), (40, 30)] {
            let n = rows * columns;
            let array =
                |by: usize| Array::from_vec((0..n).map(|i| value(i * by + by)).collect(), &[rows, columns]).unwrap();
            let (x, y, z) = (array(1), array(3), array(7));
            let (one, turned) = (y.index(&[0.into(), 0.into()]).unwrap(), z.flip(..).unwrap());
            for args in [[&x, &y, &z], [&x, &one, &z], [&one, &y, &one], [&x, &turned, &z], [&x, &one, &turned]] {
                let singles = args.map(|a| a.astype(DType::F32).unwrap());
                for (first, second) in names.iter().flat_map(|f| names.map(|g| (*f, g))) {
                    for swapped in [false, true] {
                        let [fused, apart] = two::<f64>([first, second], swapped, args).map(|v| keys(&v));
                        assert_eq!(fused, apart, "{} {} {rows}x{columns} {swapped}", first.name, second.name);
                        let [fused, apart] = two::<f32>([first, second], swapped, singles.each_ref()).map(|v| keys(&v));
                        assert_eq!(fused, apart, "{} {} {rows}x{columns} {swapped}", first.name, second.name);
                    }
                }
            }
        }
    }

    /// Bits, NaNs being one.
    fn keys<T: Copy + Into<f64>>(values: &[T]) -> Vec<u64> {
        let wide = values.iter().map(|&x| x.into());
        wide.map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() }).collect()
    }

    #[test]
    fn what_two_read_is_computed_once() {
        let mut b = Builder::default();
        let [x, y] = [0; 2].map(|_| b.input(DType::F64).unwrap());
        let xy = b.apply(&ufuncs::MULTIPLY, &[x, y]).unwrap();
        let sum = b.apply(&ufuncs::ADD, &[xy, x]).unwrap();
        let result = b.apply(&ufuncs::SUBTRACT, &[sum, xy]).unwrap();
        let program = b.finish(result).unwrap();
        assert_eq!(program.steps.len(), 2);
        let (x, y) = (Array::from_slice(&[3.0]).unwrap(), Array::from_slice(&[5.0]).unwrap());
        let got = Lane::with(|lane| program.call(lane, &[(&x).into(), (&y).into()])).unwrap();
        assert_eq!(Array::from(got).to_vec::<f64>().unwrap(), [3.0]);
    }

    #[test]
    fn threads_do_not_show() {
        let x = Array::from_vec((0..200_000).map(|i| f64::from(i) * 0.01).collect(), &[200_000]).unwrap();
        let alone = both(&x, &x).0;
        for threads in [2, 3, 5] {
            let runtime = freelane_pool::Runtime::new(threads).unwrap();
            assert_eq!(bits(&runtime.install(|_| both(&x, &x).0)), bits(&alone));
        }
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        let mut b = Builder::default();
        let (x, i) = (b.input(DType::F64).unwrap(), b.input(DType::I32).unwrap());
        assert!(b.apply(&ufuncs::ADD, &[x, i]).is_err());
        assert!(b.apply(&ufuncs::SIN, &[i]).is_err(), "sin of integers computes in floats");
        assert!(b.apply(&ufuncs::SIN, &[x, x]).is_err());
        let y = b.apply(&ufuncs::SIN, &[x]).unwrap();
        let program = b.finish(y).unwrap();
        let single = Array::from_vec(vec![1.0f32], &[1]).unwrap();
        let two = Lane::with(|lane| program.call(lane, &[(&single).into(), (&single).into()]));
        assert!(two.err().unwrap().to_string().contains("float64 and int32"));
        let mut b = Builder::default();
        let x = b.input(DType::F64).unwrap();
        assert!(b.finish(x).is_err());
    }
}
