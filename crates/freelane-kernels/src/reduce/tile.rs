//! Columns: many adjacent outputs at once, streaming over the rows.
//!
//! The chains of all columns stand side by side, so that a row of the input meets a row of accumulators:
//!
//! ```text
//! row 0, 16, 32, ..   ->  chain 0:  [column 0, column 1, ..]
//! row 1, 17, 33, ..   ->  chain 1:  [column 0, column 1, ..]
//! ```
//!
//! Rows of one chain are taken several at a time, to load and store its accumulators once for all of them.
use super::dispatch::{Body, Tier};
use super::fold::Accumulate;
use super::order::CHAINS;
use std::marker::PhantomData;

/// Bytes of accumulators in one chain of a tile.
pub(super) const CHAIN_BYTES: usize = 1024;

/// Columns handled at once: one vector of them, or several.
const LANES: usize = 16;

/// Columns handled at once where 16 are a small part of a vector, or where accumulators are so few vectors that a row can be read
/// from end to end, which memory far away likes best.
const MANY: usize = 64;

/// Whether to handle `MANY`.
const fn many<T: Copy + 'static, A: Accumulate<T> + ?Sized>() -> bool {
    size_of::<A::Acc>() == 1 || (A::ORDER_FREE && A::QUICK)
}

/// Rows of one chain taken together.
const fn together<T: Copy + 'static, A: Accumulate<T> + ?Sized>() -> usize {
    if A::ORDER_FREE { 32 } else { 4 }
}

/// Columns in a tile.
pub(super) const fn width<A>() -> usize {
    let fit = CHAIN_BYTES / size_of::<A>() / LANES * LANES;
    if fit == 0 { LANES } else { fit }
}

/// Chains a fold needs: one if the order does not matter to it.
pub(super) const fn chains<T: Copy + 'static, A: Accumulate<T> + ?Sized>() -> usize {
    if A::ORDER_FREE { 1 } else { CHAINS }
}

/// Rows to be added to the chains of one block. Strides are in bytes.
pub(super) struct Stream<T: Copy + 'static, A: Accumulate<T> + ?Sized> {
    /// `chains()` rows of `width()` accumulators each.
    pub accs: *mut A::Acc,
    pub columns: usize,
    /// Rows the block has seen already.
    pub seen: usize,
    pub rows: usize,
    pub x: *const u8,
    pub row_stride: isize,
    pub column_stride: isize,
    /// Number of the first row among all elements of an output.
    pub index: usize,
    pub param: *const u8,
    pub param_stride: isize,
    pub of: PhantomData<fn(T)>,
}

/// For adjacent columns.
impl<T: Copy + 'static, A: Accumulate<T> + ?Sized> Body for Stream<T, A> {
    const TIER: Tier = A::TIER;

    #[inline(always)]
    fn run(self) {
        self.stream::<true>();
    }
}

impl<T: Copy + 'static, A: Accumulate<T> + ?Sized> Stream<T, A> {
    /// For columns with gaps, whose loads one by one leave little to gain from wide vectors.
    #[inline(never)]
    pub(super) fn run_strided(self) {
        self.stream::<false>();
    }

    #[inline(always)]
    fn stream<const ADJACENT: bool>(&self) {
        let chains = chains::<T, A>();
        let mut row = 0;
        while row < self.rows {
            let group = (self.rows - row).min(together::<T, A>() * chains);
            for c in 0..chains.min(group) {
                let at = self.seen + row + c;
                self.meet::<ADJACENT>(at % chains, at < chains, row + c, (group - c).div_ceil(chains));
            }
            row += group;
        }
    }

    /// Lets `rows` rows, from `row` on in steps of `chains()`, meet chain `c`; a fresh chain starts with them.
    #[inline(always)]
    fn meet<const ADJACENT: bool>(&self, c: usize, fresh: bool, row: usize, rows: usize) {
        let mut j = 0;
        if ADJACENT {
            let chain = self.accs.wrapping_add(c * width::<A::Acc>());
            let x = self.x.wrapping_offset(row as isize * self.row_stride);
            let step = self.row_stride.wrapping_mul(chains::<T, A>() as isize);
            if let Some(meet) = A::MEET {
                // SAFETY: whoever made the stream promised that its rows can be read; a chain that is not fresh was written.
                return unsafe { meet(chain, self.columns, fresh, rows, x, step) };
            }
        }
        if const { many::<T, A>() } && ADJACENT {
            while j + MANY <= self.columns {
                self.meet_columns::<ADJACENT, MANY>(c, fresh, row, rows, j);
                j += MANY;
            }
        }
        while j + LANES <= self.columns {
            self.meet_columns::<ADJACENT, LANES>(c, fresh, row, rows, j);
            j += LANES;
        }
        while j < self.columns {
            self.meet_columns::<ADJACENT, 1>(c, fresh, row, rows, j);
            j += 1;
        }
    }

    #[inline(always)]
    fn meet_columns<const ADJACENT: bool, const L: usize>(
        &self,
        c: usize,
        fresh: bool,
        row: usize,
        rows: usize,
        j: usize,
    ) {
        // SAFETY: chain `c` and column `j` are inside the accumulators.
        let accs = unsafe { self.accs.add(c * width::<A::Acc>() + j).cast::<[A::Acc; L]>() };
        let params: [A::Param; L] = std::array::from_fn(|l| {
            // SAFETY: whoever made the stream promised a parameter a column.
            unsafe { self.param.offset((j + l) as isize * self.param_stride).cast::<A::Param>().read_unaligned() }
        });
        // SAFETY: a chain that is not fresh was written before.
        let a = if fresh { [A::identity(); L] } else { unsafe { accs.read() } };
        let step = chains::<T, A>();
        let a = A::rows(a, params, rows, |r| self.load::<ADJACENT, L>(row + r * step, j), self.index + row, step);
        // SAFETY: as for `accs`.
        unsafe { accs.write(a) };
    }

    /// Elements `j ..` of a row.
    #[inline(always)]
    fn load<const ADJACENT: bool, const L: usize>(&self, row: usize, j: usize) -> [T; L] {
        // SAFETY: whoever made the stream promised that its rows and columns can be read.
        let x = unsafe { self.x.offset(row as isize * self.row_stride + j as isize * self.column_stride) };
        if ADJACENT {
            // SAFETY: as above; the columns are adjacent.
            return unsafe { x.cast::<[T; L]>().read_unaligned() };
        }
        std::array::from_fn(|l| {
            // SAFETY: as above.
            unsafe { x.offset(l as isize * self.column_stride).cast::<T>().read_unaligned() }
        })
    }
}

/// Most rows that [`Few`] takes: one a chain.
pub(super) const fn few<T: Copy + 'static, A: Accumulate<T> + ?Sized>() -> usize {
    if A::ORDER_FREE { 32 } else { CHAINS }
}

/// Adjacent columns of a few rows, done in one go. Strides are in bytes.
pub(super) struct Few<T: Copy + 'static, A: Accumulate<T> + ?Sized> {
    /// Room for an accumulator a column.
    pub accs: *mut A::Acc,
    pub columns: usize,
    pub rows: usize,
    pub x: *const u8,
    pub row_stride: isize,
    pub param: *const u8,
    pub param_stride: isize,
    pub of: PhantomData<fn(T)>,
}

impl<T: Copy + 'static, A: Accumulate<T> + ?Sized> Body for Few<T, A> {
    const TIER: Tier = A::TIER;

    #[inline(always)]
    fn run(self) {
        let mut j = 0;
        if size_of::<A::Acc>() == 1 {
            while j + MANY <= self.columns {
                self.columns::<MANY>(j);
                j += MANY;
            }
        }
        while j + LANES <= self.columns {
            self.columns::<LANES>(j);
            j += LANES;
        }
        while j < self.columns {
            self.columns::<1>(j);
            j += 1;
        }
    }
}

impl<T: Copy + 'static, A: Accumulate<T> + ?Sized> Few<T, A> {
    /// Columns `j .. j + L`.
    #[inline(always)]
    fn columns<const L: usize>(&self, j: usize) {
        let params: [A::Param; L] = std::array::from_fn(|l| {
            // SAFETY: whoever made this promised a parameter a column.
            unsafe { self.param.offset((j + l) as isize * self.param_stride).cast::<A::Param>().read_unaligned() }
        });
        let accs = if self.rows == 1 {
            self.lifted::<L>(params, 0, j)
        } else if A::ORDER_FREE {
            let first = self.lifted::<L>(params, 0, j);
            A::rows(first, params, self.rows - 1, |r| self.load::<L>(r + 1, j), 1, 1)
        } else if self.rows == 2 {
            A::both(self.lifted(params, 0, j), self.lifted(params, 1, j))
        } else {
            let mut chains = [[A::identity(); L]; CHAINS];
            for (row, chain) in chains.iter_mut().enumerate().take(self.rows) {
                *chain = self.lifted(params, row, j);
            }
            let mut half = CHAINS / 2;
            while half > 0 {
                for c in 0..half.min(self.rows.saturating_sub(half)) {
                    chains[c] = A::both(chains[c], chains[c + half]);
                }
                half /= 2;
            }
            chains[0]
        };
        // SAFETY: there is room for an accumulator a column.
        unsafe { self.accs.add(j).cast::<[A::Acc; L]>().write(accs) };
    }

    /// Columns `j .. j + L` of a row.
    #[inline(always)]
    fn load<const L: usize>(&self, row: usize, j: usize) -> [T; L] {
        let x = self.x.wrapping_offset(row as isize * self.row_stride).cast::<T>().wrapping_add(j);
        // SAFETY: whoever made this promised that its rows and columns can be read.
        unsafe { x.cast::<[T; L]>().read_unaligned() }
    }

    #[inline(always)]
    fn lifted<const L: usize>(&self, params: [A::Param; L], row: usize, j: usize) -> [A::Acc; L] {
        let (x, mut accs) = (self.load::<L>(row, j), [A::identity(); L]);
        for l in 0..L {
            accs[l] = A::lift(params[l], x[l], row);
        }
        accs
    }
}

/// Folds the chains of `seen` rows into `to`.
pub(super) struct Halves<T: Copy + 'static, A: Accumulate<T> + ?Sized> {
    pub accs: *mut A::Acc,
    pub columns: usize,
    pub seen: usize,
    pub to: *mut A::Acc,
    pub of: PhantomData<fn(T)>,
}

impl<T: Copy + 'static, A: Accumulate<T> + ?Sized> Body for Halves<T, A> {
    const TIER: Tier = A::TIER;

    #[inline(always)]
    fn run(self) {
        let used = self.seen.min(chains::<T, A>());
        let mut half = CHAINS / 2;
        while half > 0 {
            for c in 0..half.min(used.saturating_sub(half)) {
                self.join(c, c + half);
            }
            half /= 2;
        }
        // SAFETY: `to` has room for the columns, apart from the chains.
        unsafe { self.to.copy_from_nonoverlapping(self.accs, self.columns) };
    }
}

impl<T: Copy + 'static, A: Accumulate<T> + ?Sized> Halves<T, A> {
    #[inline(always)]
    fn chain(&self, c: usize) -> *mut A::Acc {
        self.accs.wrapping_add(c * width::<A::Acc>())
    }

    /// Folds chain `d` into chain `c`.
    #[inline(always)]
    fn join(&self, c: usize, d: usize) {
        let (a, b) = (self.chain(c), self.chain(d));
        if let Some(meet) = A::JOIN {
            // SAFETY: both chains saw a row, so their columns were written.
            return unsafe { meet(a, self.columns, false, 1, b.cast(), 0) };
        }
        for j in 0..self.columns {
            // SAFETY: both chains saw a row, so their columns were written.
            let both = unsafe { A::combine(a.add(j).read(), b.add(j).read()) };
            // SAFETY: as above.
            unsafe { a.add(j).write(both) };
        }
    }
}
