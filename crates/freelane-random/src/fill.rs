//! Arrays of values, each from its word.
//!
//! Values are made a tile at a time by bodies without branches, so that LLVM makes vector loops of them. A tile that is not
//! wanted whole is made whole all the same: the bits of a value depend on its position alone.
use crate::philox::{self, TILE};
use crate::source::Source;
use freelane_array::{ArrayData, DType, Layout, element_count};
use freelane_mem::DEFAULT_ALIGN;
use freelane_ops::{Array, InOp, OpsError};
use freelane_pool::Lane;
use freelane_simd::Isa;
use std::mem::MaybeUninit;

/// Words of a tile.
pub(crate) type Words = [u64; TILE];

/// One value of each word. A plain loop: of an iterator's, unrolled, LLVM makes scalar code.
#[inline(always)]
pub(crate) fn each<T: Copy + Default>(words: &Words, value: impl Fn(u64) -> T) -> [T; TILE] {
    let mut values = [T::default(); TILE];
    for i in 0..TILE {
        values[i] = value(words[i]);
    }
    values
}

/// Makes values of words.
pub(crate) trait Fill: Copy + Sync {
    /// A value.
    type Out: Copy;
    /// Estimated nanoseconds a value.
    const COST: f64 = 2.0;

    /// The values of a tile, whose first word is at an even position. No branches, no calls; mark it `#[inline(always)]`.
    fn tile(self, words: &Words) -> [Self::Out; TILE];

    /// Whether some word of the tile gives no value, so that `again` is to be asked.
    #[inline(always)]
    fn refuses(self, _words: &Words) -> bool {
        false
    }

    /// The value at a position whose word may be one that gives none.
    fn again(self, _at: Source, value: Self::Out) -> Self::Out {
        value
    }
}

#[inline(always)]
fn fill<F: Fill>(f: F, from: Source, out: &mut [MaybeUninit<F::Out>]) {
    let mut block = from.position / 2;
    let mut skip = (from.position % 2) as usize;
    let mut rest = out;
    while !rest.is_empty() {
        let words = philox::tile(from.place(), block);
        let mut values = f.tile(&words);
        if f.refuses(&words) {
            retry(f, from, block.wrapping_mul(2), &mut values);
        }
        let n = rest.len().min(TILE - skip);
        let (now, later) = rest.split_at_mut(n);
        now.iter_mut().zip(&values[skip..]).for_each(|(place, value)| {
            place.write(*value);
        });
        (rest, skip, block) = (later, 0, block + TILE as u64 / 2);
    }
}

#[cold]
#[inline(never)]
fn retry<F: Fill>(f: F, from: Source, first: u64, values: &mut [F::Out; TILE]) {
    for (j, value) in values.iter_mut().enumerate() {
        *value = f.again(Source { position: first.wrapping_add(j as u64), ..from }, *value);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512cd,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn fill_avx512<F: Fill>(f: F, from: Source, out: &mut [MaybeUninit<F::Out>]) {
    fill(f, from, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn fill_avx2<F: Fill>(f: F, from: Source, out: &mut [MaybeUninit<F::Out>]) {
    fill(f, from, out);
}

/// Writes the values from a position on, with the instructions of `isa`, which this processor has.
pub(crate) fn write<F: Fill>(isa: Isa, f: F, from: Source, out: &mut [MaybeUninit<F::Out>]) {
    debug_assert!(isa.is_supported());
    match isa {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has these instructions, as detected or as the caller says.
        Isa::Avx512 => unsafe { fill_avx512(f, from, out) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Isa::Avx2 => unsafe { fill_avx2(f, from, out) },
        _ => fill(f, from, out),
    }
}

/// The words from a position on.
pub(crate) fn words(from: Source, out: &mut [u64]) {
    /// Itself.
    #[derive(Clone, Copy)]
    struct Word;
    impl Fill for Word {
        type Out = u64;

        #[inline(always)]
        fn tile(self, words: &Words) -> [u64; TILE] {
            *words
        }
    }
    // SAFETY: places with a value may be written as if they had none, and are written with values.
    let out = unsafe { std::slice::from_raw_parts_mut(out.as_mut_ptr().cast(), out.len()) };
    write(Isa::current(), Word, from, out);
}

/// Values from a position on, as an array of `dtype`, whose elements are of the type that `f` makes.
pub(crate) fn array<F: Fill>(
    op: &'static str,
    f: F,
    from: Source,
    shape: &[usize],
    dtype: DType,
) -> Result<Array, OpsError> {
    made(op, from, shape, dtype, |lane, out| spread(op, lane, f, from, out))
}

/// An array of which `write` writes all places.
fn made<T>(
    op: &'static str,
    from: Source,
    shape: &[usize],
    dtype: DType,
    write: impl FnOnce(&Lane, &Out<T>) -> Result<(), OpsError>,
) -> Result<Array, OpsError> {
    assert_eq!(size_of::<T>(), dtype.size(), "elements of another type");
    let bytes = element_count(shape, size_of::<T>()).in_op(op)? * size_of::<T>();
    let layout = Layout::contiguous(shape).in_op(op)?;
    from.after(op, layout.len())?;
    Lane::with(|lane| {
        let mut buffer = lane.heap().uninit(bytes, DEFAULT_ALIGN).in_op(op)?;
        write(lane, &Out(buffer.as_mut_ptr().cast(), layout.len()))?;
        // SAFETY: every element was written, with a value of this dtype, and the buffer was made for the layout.
        Ok(unsafe { ArrayData::from_parts_unchecked(buffer, dtype, layout) }.into())
    })
}

/// Places for values, and how many.
struct Out<T>(*mut MaybeUninit<T>, usize);

// SAFETY: tasks write places of their own.
unsafe impl<T> Sync for Out<T> {}

/// Tiles that a task has at least.
const LEAST: usize = 32;

fn spread<F: Fill>(op: &'static str, lane: &Lane, f: F, from: Source, out: &Out<F::Out>) -> Result<(), OpsError> {
    let (isa, n) = (Isa::current(), out.1);
    let cost = (n as f64 * F::COST) as u64;
    let tasks = lane.pieces(cost).min(n / (LEAST * TILE)).max(1);
    let tiles = n.div_ceil(TILE);
    let done = lane.try_par_for(tasks, cost, &|_, task| {
        let part = |task: usize| n.min(tiles * task / tasks * TILE);
        let (start, end) = (part(task), part(task + 1));
        // SAFETY: the buffer has `n` places, aligned for any element, and no other task has these.
        let out = unsafe { std::slice::from_raw_parts_mut(out.0.add(start), end - start) };
        write(isa, f, Source { position: from.position + start as u64, ..from }, out);
    });
    done.in_op(op)
}

#[cfg(test)]
pub(crate) fn on<F: Fill<Out: Default>>(isa: Isa, f: F, from: Source, n: usize) -> Vec<F::Out> {
    let mut out = vec![MaybeUninit::new(F::Out::default()); n];
    write(isa, f, from, &mut out);
    // SAFETY: initialised when made.
    out.into_iter().map(|v| unsafe { v.assume_init() }).collect()
}
