//! Scans: at each element what a [`Fold`] makes of all elements up to it.
//!
//! The order is a function of the element's number alone, with short chains and parts that lanes can do alone:
//!
//! ```text
//! runs     of RUN elements, each from left to right
//! blocks   of RUNS runs; what is before a run in its block: the totals of those runs, from left to right
//! groups   of GROUP blocks; what is before a block in its group likewise, and what is before a group
//! element  ((before the group with before the block) with before the run) with the run up to the element
//! ```
//!
//! What there is nothing of is the fold's identity, which changes no bits. [`ScanLoops::step`] does blocks in turn;
//! lanes that share one long scan take the [`total`](ScanLoops::total) of each block, make
//! [`offsets`](ScanLoops::offsets) of them and write the blocks with [`resume`](ScanLoops::resume): the same bits.
use crate::reduce::{Accumulate, Fold, Whole};
use std::mem::MaybeUninit;
use std::ops::Range;

/// Elements in a run.
const RUN: usize = 64;
/// Runs in a block.
const RUNS: usize = 16;
/// Elements in a block.
pub const BLOCK: usize = RUN * RUNS;
/// Blocks in a group.
const GROUP: usize = 64;
/// Most scans done side by side.
pub const COLUMNS: usize = 64;
/// Scans in the registers together.
const LANES: usize = 16;
/// Most bytes of an accumulator.
pub const ACC_BYTES: usize = 16;

/// Scans side by side, all of one length. Strides are in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Scan {
    /// The first element of the first scan.
    pub x: *const u8,
    /// From one element to the next.
    pub stride: isize,
    /// Elements in each scan.
    pub len: usize,
    /// How many scans: one, or up to [`COLUMNS`] whose elements and results are adjacent.
    pub columns: usize,
    /// Where the first result of the first scan goes.
    pub out: *mut u8,
    /// From one result to the next.
    pub out_stride: isize,
}

impl Scan {
    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.len.div_ceil(BLOCK)
    }

    fn block(&self, b: usize) -> Scan {
        let first = b * BLOCK;
        let at = |p: isize| p * first as isize;
        Scan {
            x: self.x.wrapping_offset(at(self.stride)),
            out: self.out.wrapping_offset(at(self.out_stride)),
            len: BLOCK.min(self.len - first),
            ..*self
        }
    }
}

/// The loops that scan with one fold over one element type.
#[derive(Clone, Copy, Debug)]
pub struct ScanLoops {
    /// Bytes of an accumulator; its alignment is at most as large.
    pub acc: usize,
    step: unsafe fn(&Scan, Range<usize>, *mut u8),
    total: unsafe fn(&Scan, usize, *mut u8),
    offsets: unsafe fn(*mut u8, usize, usize),
    resume: unsafe fn(&Scan, usize, *mut u8),
    nothing: unsafe fn(*mut u8, usize),
}

impl ScanLoops {
    /// Scans some blocks, the first ones or those after the last call's. `state` is kept from call to call.
    ///
    /// # Safety
    /// The elements of the scans can be read and the places of their results be written; nothing need be aligned.
    /// `state`, aligned to an accumulator, has room for three of them for each scan.
    pub unsafe fn step(&self, scan: &Scan, blocks: Range<usize>, state: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { (self.step)(scan, blocks, state) }
    }

    /// Writes what a block comes to, one accumulator a scan.
    ///
    /// # Safety
    /// As for [`step`](Self::step); `total` has room for one accumulator a scan.
    pub unsafe fn total(&self, scan: &Scan, block: usize, total: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { (self.total)(scan, block, total) }
    }

    /// Turns the totals of all blocks into what is before each.
    ///
    /// # Safety
    /// `totals` holds what [`total`](Self::total) wrote for `blocks` blocks of `columns` scans, one after the other.
    pub unsafe fn offsets(&self, totals: *mut u8, blocks: usize, columns: usize) {
        // SAFETY: the caller's promise.
        unsafe { (self.offsets)(totals, blocks, columns) }
    }

    /// Scans one block, given what is before it.
    ///
    /// # Safety
    /// As for [`step`](Self::step); `offset` holds an accumulator a scan, which becomes the block's total.
    pub unsafe fn resume(&self, scan: &Scan, block: usize, offset: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { (self.resume)(scan, block, offset) }
    }

    /// Writes `n` adjacent results of no elements.
    ///
    /// # Safety
    /// There is room for them.
    pub unsafe fn nothing(&self, out: *mut u8, n: usize) {
        // SAFETY: the caller's promise.
        unsafe { (self.nothing)(out, n) }
    }
}

/// The loops of fold `F` over elements `T`.
pub const fn scan_loops<T: Copy + 'static, F: Fold<T, Param = ()>>() -> ScanLoops {
    const { assert!(size_of::<Acc<T, F>>() <= ACC_BYTES) };
    ScanLoops {
        acc: size_of::<Acc<T, F>>(),
        step: step::<T, F>,
        total: total::<T, F>,
        offsets: offsets::<T, F>,
        resume: resume::<T, F>,
        nothing: nothing::<T, F>,
    }
}

type Acc<T, F> = <<F as Fold<T>>::By as Accumulate<T>>::Acc;

#[inline(always)]
fn join<T: Copy + 'static, F: Fold<T>>(a: Acc<T, F>, b: Acc<T, F>) -> Acc<T, F> {
    F::By::combine(a, b)
}

#[inline(always)]
fn finish<T: Copy + 'static, F: Fold<T>>(acc: Acc<T, F>) -> F::Out {
    F::finish(acc, Whole { count: 1, ddof: 0.0 })
}

unsafe fn nothing<T: Copy + 'static, F: Fold<T>>(out: *mut u8, n: usize) {
    let value = F::finish(F::By::identity(), Whole { count: 0, ddof: 0.0 });
    for i in 0..n {
        // SAFETY: the caller has room for `n` results.
        unsafe { out.cast::<F::Out>().add(i).write_unaligned(value) };
    }
}

/// What is before a block: in its group, and before that.
struct Before<'a, A> {
    group: &'a mut [A],
    all: &'a mut [A],
}

impl<A: Copy> Before<'_, A> {
    /// Takes in the totals of block `b`, which become what is before the next.
    fn take(&mut self, b: usize, totals: &mut [A], identity: A, join: impl Fn(A, A) -> A) {
        for (c, total) in totals.iter_mut().enumerate() {
            self.group[c] = join(self.group[c], *total);
            if (b + 1).is_multiple_of(GROUP) {
                self.all[c] = join(self.all[c], self.group[c]);
                self.group[c] = identity;
            }
            *total = join(self.all[c], self.group[c]);
        }
    }
}

unsafe fn step<T: Copy + 'static, F: Fold<T, Param = ()>>(scan: &Scan, blocks: Range<usize>, state: *mut u8) {
    let (n, identity) = (scan.columns, F::By::identity());
    if blocks.start == 0 {
        for i in 0..3 * n {
            // SAFETY: the caller has room for three accumulators a scan.
            unsafe { state.cast::<Acc<T, F>>().add(i).write(identity) };
        }
    }
    // SAFETY: as above; they were written now or in an earlier call.
    let state = unsafe { std::slice::from_raw_parts_mut(state.cast::<Acc<T, F>>(), 3 * n) };
    let (offset, rest) = state.split_at_mut(n);
    let (group, all) = rest.split_at_mut(n);
    let mut before = Before { group, all };
    for b in blocks {
        // SAFETY: the caller's promise; there is one offset a scan.
        unsafe { block::<T, F, true>(&scan.block(b), offset) };
        before.take(b, offset, identity, join::<T, F>);
    }
}

unsafe fn total<T: Copy + 'static, F: Fold<T, Param = ()>>(scan: &Scan, b: usize, total: *mut u8) {
    for c in 0..scan.columns {
        // SAFETY: the caller has room for one accumulator a scan.
        unsafe { total.cast::<Acc<T, F>>().add(c).write(F::By::identity()) };
    }
    // SAFETY: as above.
    let total = unsafe { std::slice::from_raw_parts_mut(total.cast::<Acc<T, F>>(), scan.columns) };
    // SAFETY: the caller's promise.
    unsafe { block::<T, F, false>(&scan.block(b), total) };
}

unsafe fn resume<T: Copy + 'static, F: Fold<T, Param = ()>>(scan: &Scan, b: usize, offset: *mut u8) {
    // SAFETY: the caller has one accumulator a scan.
    let offset = unsafe { std::slice::from_raw_parts_mut(offset.cast::<Acc<T, F>>(), scan.columns) };
    // SAFETY: the caller's promise.
    unsafe { block::<T, F, true>(&scan.block(b), offset) };
}

unsafe fn offsets<T: Copy + 'static, F: Fold<T>>(totals: *mut u8, blocks: usize, columns: usize) {
    let identity = F::By::identity();
    let mut state = [identity; 3 * COLUMNS];
    let (group, rest) = state.split_at_mut(COLUMNS);
    let (all, next) = rest.split_at_mut(COLUMNS);
    let mut before = Before { group, all };
    for b in 0..blocks {
        // SAFETY: the caller has an accumulator for each block and scan.
        let here = unsafe { totals.cast::<Acc<T, F>>().add(b * columns) };
        // SAFETY: as above.
        let here = unsafe { std::slice::from_raw_parts_mut(here, columns) };
        here.swap_with_slice(&mut next[..columns]);
        // What was swapped out is the block's total; what was swapped in is before it.
        before.take(b, &mut next[..columns], identity, join::<T, F>);
    }
}

/// Scans one block. `offset` holds what is before it, and gets its total.
unsafe fn block<T: Copy + 'static, F: Fold<T, Param = ()>, const WRITE: bool>(scan: &Scan, offset: &mut [Acc<T, F>]) {
    if let [offset] = offset {
        // SAFETY: the caller's promise.
        return unsafe { line::<T, F, WRITE>(scan, offset) };
    }
    let mut c = 0;
    while c + LANES <= scan.columns {
        // SAFETY: the caller's promise; these columns are among the scan's.
        unsafe { columns::<T, F, LANES, WRITE>(scan, c, &mut offset[c..c + LANES]) };
        c += LANES;
    }
    while c < scan.columns {
        // SAFETY: as above.
        unsafe { columns::<T, F, 1, WRITE>(scan, c, &mut offset[c..c + 1]) };
        c += 1;
    }
}

/// One scan: its runs side by side, then what is before each is added.
unsafe fn line<T: Copy + 'static, F: Fold<T, Param = ()>, const WRITE: bool>(scan: &Scan, offset: &mut Acc<T, F>) {
    if F::By::QUICK && F::By::ORDER_FREE {
        // SAFETY: the caller's promise.
        return unsafe { straight::<T, F, WRITE>(scan, offset) };
    }
    let mut tile = [MaybeUninit::<Acc<T, F>>::uninit(); BLOCK];
    let lift = |i: usize| {
        let x = scan.x.wrapping_offset(i as isize * scan.stride).cast::<T>();
        // SAFETY: the caller asks for elements of the scan.
        F::By::lift((), unsafe { x.read_unaligned() }, i)
    };
    if scan.len == BLOCK {
        for r in (0..RUNS).step_by(RUNS / 2) {
            side_by_side::<T, F>(&mut tile[r * RUN..], &lift, r * RUN);
        }
    } else {
        for first in (0..scan.len).step_by(RUN) {
            let mut acc = F::By::identity();
            for (i, place) in tile.iter_mut().enumerate().take(scan.len.min(first + RUN)).skip(first) {
                acc = join::<T, F>(acc, lift(i));
                place.write(acc);
            }
        }
    }
    // SAFETY: the first `len` were written.
    let tile = unsafe { std::slice::from_raw_parts(tile.as_ptr().cast::<Acc<T, F>>(), scan.len) };
    let mut before = F::By::identity();
    for (r, run) in tile.chunks(RUN).enumerate() {
        if WRITE {
            let out = scan.out.wrapping_offset((r * RUN) as isize * scan.out_stride);
            // SAFETY: the caller has places for all results.
            unsafe { write::<T, F>(out, scan.out_stride, join::<T, F>(*offset, before), run) };
        }
        before = join::<T, F>(before, run[run.len() - 1]);
    }
    *offset = before;
}

/// One scan from left to right, where the order changes no bits.
unsafe fn straight<T: Copy + 'static, F: Fold<T, Param = ()>, const WRITE: bool>(scan: &Scan, offset: &mut Acc<T, F>) {
    let (mut acc, mut i) = (F::By::identity(), 0);
    while i + AT_ONCE <= scan.len {
        // SAFETY: the caller's promise; there are so many elements.
        acc = unsafe { some::<T, F, AT_ONCE, WRITE>(scan, i, acc, *offset) };
        i += AT_ONCE;
    }
    while i < scan.len {
        // SAFETY: as above.
        acc = unsafe { some::<T, F, 1, WRITE>(scan, i, acc, *offset) };
        i += 1;
    }
    *offset = acc;
}

/// Elements that are joined among themselves before they meet what is before them, so that one step waits for all of them.
const AT_ONCE: usize = 4;

/// `N` elements of a scan from the `i`th on; `acc` is what the block has before them, `offset` what there is before the block.
#[inline(always)]
unsafe fn some<T: Copy + 'static, F: Fold<T, Param = ()>, const N: usize, const WRITE: bool>(
    scan: &Scan,
    i: usize,
    acc: Acc<T, F>,
    offset: Acc<T, F>,
) -> Acc<T, F> {
    let before = join::<T, F>(offset, acc);
    let mut here = F::By::identity();
    for k in i..i + N {
        let x = scan.x.wrapping_offset(k as isize * scan.stride).cast::<T>();
        // SAFETY: the caller promised that the elements can be read.
        here = join::<T, F>(here, F::By::lift((), unsafe { x.read_unaligned() }, k));
        if WRITE {
            let place = scan.out.wrapping_offset(k as isize * scan.out_stride).cast::<F::Out>();
            // SAFETY: the caller has places for all results.
            unsafe { place.write_unaligned(finish::<T, F>(join::<T, F>(before, here))) };
        }
    }
    join::<T, F>(acc, here)
}

/// Half of the runs of a whole block, an element of each in turn, so that none waits for the one before.
#[inline(always)]
fn side_by_side<T: Copy + 'static, F: Fold<T>>(
    tile: &mut [MaybeUninit<Acc<T, F>>],
    lift: &impl Fn(usize) -> Acc<T, F>,
    first: usize,
) {
    let mut accs = [F::By::identity(); RUNS / 2];
    for i in 0..RUN {
        for (r, acc) in accs.iter_mut().enumerate() {
            *acc = join::<T, F>(*acc, lift(first + r * RUN + i));
            tile[r * RUN + i].write(*acc);
        }
    }
}

/// Writes a run, with what is before it.
#[inline(always)]
unsafe fn write<T: Copy + 'static, F: Fold<T>>(out: *mut u8, stride: isize, before: Acc<T, F>, run: &[Acc<T, F>]) {
    if stride == size_of::<F::Out>() as isize {
        for (i, &acc) in run.iter().enumerate() {
            let place = out.cast::<F::Out>().wrapping_add(i);
            // SAFETY: the caller has places for all results.
            unsafe { place.write_unaligned(finish::<T, F>(join::<T, F>(before, acc))) };
        }
        return;
    }
    for (i, &acc) in run.iter().enumerate() {
        let place = out.wrapping_offset(i as isize * stride).cast::<F::Out>();
        // SAFETY: as above.
        unsafe { place.write_unaligned(finish::<T, F>(join::<T, F>(before, acc))) };
    }
}

/// `L` adjacent scans from the `c`-th on.
unsafe fn columns<T: Copy + 'static, F: Fold<T, Param = ()>, const L: usize, const WRITE: bool>(
    scan: &Scan,
    c: usize,
    offset: &mut [Acc<T, F>],
) {
    let (x, out) = (scan.x.wrapping_add(c * size_of::<T>()), scan.out.wrapping_add(c * size_of::<F::Out>()));
    let offset: &mut [Acc<T, F>; L] = offset.try_into().unwrap_or_else(|_| unreachable!("one offset a scan"));
    let mut before = [F::By::identity(); L];
    for first in (0..scan.len).step_by(RUN) {
        let base: [_; L] = std::array::from_fn(|l| join::<T, F>(offset[l], before[l]));
        let mut accs = [F::By::identity(); L];
        for i in first..scan.len.min(first + RUN) {
            let row = x.wrapping_offset(i as isize * scan.stride).cast::<[T; L]>();
            // SAFETY: the caller promised that the elements can be read.
            let row = unsafe { row.read_unaligned() };
            for l in 0..L {
                accs[l] = join::<T, F>(accs[l], F::By::lift((), row[l], i));
            }
            if WRITE {
                let results: [F::Out; L] = std::array::from_fn(|l| finish::<T, F>(join::<T, F>(base[l], accs[l])));
                let place = out.wrapping_offset(i as isize * scan.out_stride).cast::<[F::Out; L]>();
                // SAFETY: the caller has places for all results.
                unsafe { place.write_unaligned(results) };
            }
        }
        before = std::array::from_fn(|l| join::<T, F>(before[l], accs[l]));
    }
    *offset = before;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::{Max, Sum};

    fn identity_of<T: Copy + 'static, F: Fold<T>>() -> Acc<T, F> {
        F::By::identity()
    }

    /// The scan as the definition of the order says it.
    fn defined<T: Copy + 'static, F: Fold<T, Param = ()>>(x: &[T]) -> Vec<F::Out> {
        let fold = |x: &[Acc<T, F>]| x.iter().fold(identity_of::<T, F>(), |a, &b| join::<T, F>(a, b));
        let lifted: Vec<Acc<T, F>> = x.iter().enumerate().map(|(i, &x)| F::By::lift((), x, i)).collect();
        let runs: Vec<Acc<T, F>> = lifted.chunks(RUN).map(fold).collect();
        let blocks: Vec<Acc<T, F>> = runs.chunks(RUNS).map(fold).collect();
        let groups: Vec<Acc<T, F>> = blocks.chunks(GROUP).map(fold).collect();
        let part = |all: &[Acc<T, F>], at: usize, of: usize| fold(&all[at / of * of..at]);
        (0..x.len())
            .map(|i| {
                let (run, block, group) = (i / RUN, i / BLOCK, i / BLOCK / GROUP);
                let before = join::<T, F>(fold(&groups[..group]), part(&blocks, block, GROUP));
                let before = join::<T, F>(before, part(&runs, run, RUNS));
                finish::<T, F>(join::<T, F>(before, fold(&lifted[run * RUN..=i])))
            })
            .collect()
    }

    /// Every way to scan `columns` columns of `rows` rows.
    fn every_way<T: Copy + 'static, F: Fold<T, Param = ()>>(x: &[T], columns: usize) -> Vec<Vec<F::Out>> {
        let (loops, rows) = (scan_loops::<T, F>(), x.len() / columns);
        let (size, out_size) = (size_of::<T>(), size_of::<F::Out>());
        let mut ways = Vec::new();
        for together in [columns.min(COLUMNS), 1] {
            for shared in [false, true] {
                let mut out: Vec<F::Out> = Vec::with_capacity(x.len());
                for c in (0..columns).step_by(together) {
                    let scan = Scan {
                        x: x.as_ptr().wrapping_add(c).cast(),
                        stride: (columns * size) as isize,
                        len: rows,
                        columns: together.min(columns - c),
                        out: out.as_mut_ptr().wrapping_add(c).cast(),
                        out_stride: (columns * out_size) as isize,
                    };
                    let mut accs = vec![identity_of::<T, F>(); scan.blocks().max(3) * scan.columns];
                    let at = |b: usize, accs: &mut Vec<Acc<T, F>>| accs[b * scan.columns..].as_mut_ptr().cast::<u8>();
                    // SAFETY: the scan lies in `x` and `out`, and there is room for the accumulators.
                    unsafe {
                        if shared {
                            (0..scan.blocks()).for_each(|b| loops.total(&scan, b, at(b, &mut accs)));
                            loops.offsets(accs.as_mut_ptr().cast(), scan.blocks(), scan.columns);
                            (0..scan.blocks()).rev().for_each(|b| loops.resume(&scan, b, at(b, &mut accs)));
                        } else {
                            let cut = scan.blocks() / 2;
                            loops.step(&scan, 0..cut, accs.as_mut_ptr().cast());
                            loops.step(&scan, cut..scan.blocks(), accs.as_mut_ptr().cast());
                        }
                    }
                }
                // SAFETY: every place was written.
                unsafe { out.set_len(x.len()) };
                ways.push(out);
            }
        }
        ways
    }

    #[test]
    fn scans_keep_the_order() {
        for (rows, columns) in
            [(1, 1), (63, 1), (64, 3), (65, 17), (1023, 1), (1024, 1), (1025, 2), (70_000, 1), (5000, 70)]
        {
            let x: Vec<f64> = (0..rows * columns).map(|i| ((i * 7919) % 10_007) as f64 * 0.1 - 300.0).collect();
            let near: Vec<f32> = x.iter().map(|&x| x as f32).collect();
            for c in 0..columns {
                let column: Vec<f64> = x.iter().skip(c).step_by(columns).copied().collect();
                let (sums, most) = (defined::<f64, Sum>(&column), defined::<f64, Max>(&column));
                let column: Vec<f32> = near.iter().skip(c).step_by(columns).copied().collect();
                let singles = defined::<f32, Sum>(&column);
                if c > 0 && c + 1 < columns {
                    continue;
                }
                let of = |ways: Vec<Vec<f64>>| {
                    ways.into_iter().map(move |w| w.into_iter().skip(c).step_by(columns).collect::<Vec<_>>())
                };
                assert!(of(every_way::<f64, Sum>(&x, columns)).all(|w| w == sums), "{rows} {columns}");
                assert!(of(every_way::<f64, Max>(&x, columns)).all(|w| w == most), "{rows} {columns}");
                for way in every_way::<f32, Sum>(&near, columns) {
                    assert_eq!(
                        way.into_iter().skip(c).step_by(columns).collect::<Vec<_>>(),
                        singles,
                        "{rows} {columns}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_nan_stays() {
        for p in [0, 63, 64, 1024, 2999] {
            let mut x = vec![-1.0f64; 3000];
            x[p] = f64::NAN;
            for way in every_way::<f64, Max>(&x, 1) {
                assert!(way[..p].iter().all(|&m| m == -1.0) && way[p..].iter().all(|m| m.is_nan()));
            }
        }
    }
}
