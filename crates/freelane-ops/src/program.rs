//! Several elementwise functions in one pass over memory.
//!
//! A [`Program`] is a list of the loops of [`UFunc`]s. It runs tile by tile: the first step reads the operands, each further
//! one what a step before it left in the cache, and the last writes the result. Each step does to a tile what it would do
//! to the whole array, so the result has the same bits as one call after another.
use crate::ops::astype::{COST as CAST_COST, cast};
use crate::ufunc::{Entry, Ready, drive, finish, output_layout, uninit};
use crate::{InOp, Loops, Operand, OpsError, UFunc};
use freelane_array::{ArrayData, DType, Layout};
use freelane_kernels::elementwise::{Loop1, Loop2, Loop3};
use freelane_pool::Lane;
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
    Select(Loop3),
}

type Pointers = [*mut u8; MOST_INPUTS + 1];
type Strides = [isize; MOST_INPUTS + 1];

/// Where a step reads and writes.
#[derive(Clone, Copy)]
enum Place {
    Input(usize),
    Tile(usize),
    Out,
}

struct Step {
    kernel: Kernel,
    args: [Place; 3],
    /// Bytes of an element of each argument and of the result.
    sizes: [usize; 4],
    to: Place,
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
}

/// What makes a register.
enum From {
    Input(usize),
    Cast(usize),
    Function(&'static UFunc, SmallVec<[usize; 3]>),
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
    pub fn finish(self, result: Register) -> Result<Program, OpsError> {
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
        let mut places: Vec<Place> = vec![Place::Out; self.from.len()];
        let (mut steps, mut cost) = (vec![], 0.0);
        for (i, from) in self.from.iter().enumerate().filter(|(i, _)| needed[*i]) {
            if let From::Input(input) = from {
                places[i] = Place::Input(*input);
                continue;
            }
            if i != result.0 {
                places[i] = Place::Tile(tiles.take().ok_or_else(|| {
                    OpsError::argument(OP, format!("more than {MOST_TILES} intermediate results live at once"))
                })?);
            }
            steps.push(self.step(from, i, &places)?);
            cost += from.cost();
            // Only now: a step never writes over what it reads.
            for &a in from.args() {
                if let (Place::Tile(t), true) = (places[a], last_read[a] == i) {
                    tiles.give(t);
                }
            }
        }
        if steps.is_empty() {
            return Err(OpsError::argument(OP, "computes nothing"));
        }
        let widest = self.dtypes.iter().map(|d| d.size()).max().unwrap_or(1);
        Ok(Program { inputs: self.inputs, steps, out: self.dtypes[result.0], tile: TILE_BYTES / widest, cost })
    }

    fn step(&self, from: &From, to: usize, places: &[Place]) -> Result<Step, OpsError> {
        let args = from.args();
        let dtype = self.dtypes[args[args.len() - 1]];
        let kernel = match from {
            From::Function(f, _) => Self::kernel(f, dtype)?,
            _ => Kernel::Unary(cast(dtype, self.dtypes[to])),
        };
        let arg = |k: usize| args.get(k).copied().unwrap_or(args[0]);
        let mut sizes = [0; 4];
        (0..3).for_each(|k| sizes[k] = self.dtypes[arg(k)].size());
        sizes[3] = self.dtypes[to].size();
        Ok(Step { kernel, args: [0, 1, 2].map(|k| places[arg(k)]), sizes, to: places[to] })
    }

    fn kernel(f: &UFunc, dtype: DType) -> Result<Kernel, OpsError> {
        fn of<F: Copy>(entry: Option<Entry<F>>, f: &UFunc, dtype: DType) -> Result<F, OpsError> {
            entry.map(|e| e.run).ok_or(OpsError::DType { op: f.name, found: vec![dtype], supported: String::new() })
        }
        Ok(match f.loops {
            Loops::Unary(table) => Kernel::Unary(of(table[dtype as usize], f, dtype)?),
            Loops::Binary(table) => Kernel::Binary(of(table[dtype as usize], f, dtype)?),
            Loops::Select(_, table) | Loops::Ternary(table) => Kernel::Select(of(table[dtype as usize], f, dtype)?),
        })
    }
}

impl From {
    fn args(&self) -> &[usize] {
        match self {
            From::Input(_) => &[],
            From::Cast(x) => std::slice::from_ref(x),
            From::Function(_, args) => args,
        }
    }

    fn cost(&self) -> f32 {
        if let From::Function(f, _) = self { f.cost } else { CAST_COST }
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

    /// Number of functions.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are none, which never is.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
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
    /// element, and the lane works alone.
    #[inline]
    pub fn call_whole(&self, lane: &Lane, args: &[&ArrayData], out: &mut ArrayData) -> bool {
        let n = out.layout().len();
        let alone = lane.pieces((n as f64 * f64::from(self.cost)) as u64) == 1;
        if !alone || out.dtype() != self.out || !out.layout().is_contiguous() || args.len() != self.inputs.len() {
            return false;
        }
        let Some(to) = out.as_mut_ptr() else { return false };
        let (mut ptrs, mut strides) = ([to; MOST_INPUTS + 1], [self.out.size() as isize; MOST_INPUTS + 1]);
        for (i, (arg, &dtype)) in args.iter().zip(&self.inputs).enumerate() {
            let len = arg.layout().len();
            if arg.dtype() != dtype || !arg.layout().is_contiguous() || !(len == n || len == 1) {
                return false;
            }
            ptrs[i] = arg.as_ptr().cast_mut();
            strides[i] = if len == n { dtype.size() as isize } else { 0 };
        }
        // SAFETY: operands in row-major order have `n` elements or the one that stride 0 repeats; the result has `n` and
        // shares its storage with nobody.
        unsafe { self.tiles(&ptrs, &strides, n) };
        true
    }

    /// Pointers and strides of the operands, the result's last, where all are visited as they lie and on one lane.
    #[inline]
    fn plain(&self, lane: &Lane, args: &[Operand<'_>], out: *mut u8, layout: &Layout) -> Option<(Pointers, Strides)> {
        let (mut ptrs, mut strides) = ([out; MOST_INPUTS + 1], [self.out.size() as isize; MOST_INPUTS + 1]);
        let alone = lane.pieces((layout.len() as f64 * f64::from(self.cost)) as u64) == 1;
        if !alone || !layout.is_contiguous() || args.len() != self.inputs.len() {
            return None;
        }
        for (i, (arg, &dtype)) in args.iter().zip(&self.inputs).enumerate() {
            let Operand::Array(a) = arg else { return None };
            let whole = a.layout().is_contiguous() && a.layout().shape() == layout.shape();
            if a.dtype() != dtype || !(whole || a.layout().len() == 1) {
                return None;
            }
            ptrs[i] = a.as_ptr().cast_mut();
            strides[i] = if whole { dtype.size() as isize } else { 0 };
        }
        Some((ptrs, strides))
    }

    /// # Safety
    /// `out` is writable at every position of the layout, for elements of the result's type, apart from the operands.
    unsafe fn run(&self, lane: &Lane, args: &[Operand<'_>], out: *mut u8, layout: &Layout) -> Result<(), OpsError> {
        if let Some((ptrs, strides)) = self.plain(lane, args, out, layout) {
            // SAFETY: `plain` found the operands as long as the result, or of one element; the caller vouches for the result.
            unsafe { self.tiles(&ptrs, &strides, layout.len()) };
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
                    unsafe { self.tiles(&ptrs, &strides, n) }
                })
            }
            [a, b, c, d, e, f, g] => {
                let inputs = [a, b, c, d, e, f, g];
                drive(lane, inputs, out, layout, size, self.cost, |ptrs: [*mut u8; 8], strides: [isize; 8], n| {
                    // SAFETY: as above.
                    unsafe { self.tiles(&ptrs, &strides, n) }
                })
            }
        }
        .in_op(OP)
    }

    /// Runs all steps over `n` elements. The operands' pointers come first, the result's is the last.
    ///
    /// # Safety
    /// The operands can be read and the result written at `n` places, `strides` bytes apart.
    unsafe fn tiles(&self, ptrs: &[*mut u8], strides: &[isize], n: usize) {
        let mut scratch = MaybeUninit::<Scratch>::uninit();
        let base = scratch.as_mut_ptr().cast::<u8>();
        let isa = Isa::current();
        let last = ptrs.len() - 1;
        let mut at = 0;
        while at < n {
            let part = self.tile.min(n - at);
            let place = |place: Place, size: usize| match place {
                Place::Input(i) => (ptrs[i].wrapping_offset(strides[i] * at as isize), strides[i]),
                Place::Out => (ptrs[last].wrapping_offset(strides[last] * at as isize), strides[last]),
                Place::Tile(t) => (base.wrapping_add(t * (TILE_BYTES + 64)), size as isize),
            };
            for step in &self.steps {
                let (o, os) = place(step.to, step.sizes[3]);
                let (a, sa) = place(step.args[0], step.sizes[0]);
                match step.kernel {
                    // SAFETY: the caller's promise for operands and result; a tile holds `tile >= part` elements of the
                    // widest type, the step that fills it comes before those that read it, and no step reads where it writes.
                    Kernel::Unary(run) => unsafe { run(isa, part, a, sa, o, os) },
                    Kernel::Binary(run) => {
                        let (b, sb) = place(step.args[1], step.sizes[1]);
                        // SAFETY: as above.
                        unsafe { run(isa, part, a, sa, b, sb, o, os) }
                    }
                    Kernel::Select(run) => {
                        let ((b, sb), (c, sc)) =
                            (place(step.args[1], step.sizes[1]), place(step.args[2], step.sizes[2]));
                        // SAFETY: as above.
                        unsafe { run(isa, part, a, sa, b, sb, c, sc, o, os) }
                    }
                }
            }
            at += part;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Array, ufuncs};

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
