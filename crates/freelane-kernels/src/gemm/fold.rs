//! C with one column, the dot product included: an order of its own, so that lanes can run along k.
//!
//! [`CHAINS`] chains of fused multiply-adds start from +0; element k belongs to chain `k % CHAINS`, and k is padded with
//! zeros to a multiple of that. The chains are then added in halves: c to c + 32, to c + 16, and so on.
use super::{Fused, windows};
use freelane_simd::Simd;

/// Chains of a column's order. Part of the definition of the result.
pub(super) const CHAINS: usize = 64;
/// Elements of a scattered row copied together at a time; a multiple of `CHAINS`.
const GATHER: usize = 512;
/// Bytes of an A that stays in the second-level cache. There two rows at once share B's loads; a larger A streams best as
/// one row after the other.
const NEAR: usize = 512 << 10;
/// Chains that run at once when lanes are rows.
const ABREAST: usize = 8;

/// `m` sums over k.
#[derive(Clone, Copy)]
pub struct Column<T> {
    pub m: usize,
    pub k: usize,
    pub a: *const T,
    pub a_rs: isize,
    pub a_ks: isize,
    pub b: *const T,
    /// From row to row; 0 where all rows meet one B.
    pub b_rs: isize,
    pub b_ks: isize,
    pub c: *mut T,
    pub c_rs: isize,
    /// One element, or null.
    pub bias: *const T,
    pub relu: bool,
}

impl<T: Fused> Column<T> {
    /// B as row `i` meets it.
    #[inline(always)]
    fn b_of(&self, i: usize) -> *const T {
        self.b.wrapping_offset(i as isize * self.b_rs)
    }

    /// Takes row `i`'s sum to C.
    ///
    /// # Safety
    /// Row `i` of C is writable, the bias readable.
    #[inline(always)]
    unsafe fn put(&self, i: usize, sum: T) {
        // SAFETY: the caller's promise.
        let x = if self.bias.is_null() { sum } else { sum + unsafe { *self.bias } };
        let x = if self.relu && x < T::default() { T::default() } else { x };
        // SAFETY: the caller's promise.
        unsafe { *self.c.offset(i as isize * self.c_rs) = x };
    }
}

/// Rows and B that are contiguous; `NV` registers hold the chains of one row, and `W` of them run at once. `R` rows run at
/// once if A is near.
///
/// # Safety
/// A, B, C and the bias are valid for the column's shape; `a_ks` and `b_ks` are 1.
#[inline(always)]
pub(super) unsafe fn column<S: Simd<T: Fused>, const R: usize, const NV: usize, const W: usize>(
    s: S,
    x: &Column<S::T>,
) {
    let near = x.b_rs == 0 && x.m * x.k * size_of::<S::T>() <= NEAR;
    let mut i = 0;
    while i < x.m {
        let rows = S::L.min(x.m - i);
        let mut square = s.square();
        let out = &mut square.as_mut()[..rows];
        // SAFETY: rows i to i + rows exist.
        unsafe {
            if x.k <= CHAINS {
                short::<S, NV>(s, x, i, out);
            } else if near {
                along::<S, R, NV, W>(s, x, i, out);
            } else {
                along::<S, 1, NV, W>(s, x, i, out);
            }
            if rows == 1 {
                x.put(i, in_halves(s, square.as_ref()[0]));
            } else {
                s.transpose(&mut square);
                let sums = halves(s, square.as_mut());
                put_lanes(s, x, i, rows, sums);
            }
        }
        i += rows;
    }
}

/// Rows that are neighbours in memory: lanes are rows, and a register is one chain.
///
/// # Safety
/// A, B, C and the bias are valid for the column's shape; `a_rs` is 1, and `b_rs` 0 or 1.
#[inline(always)]
pub(super) unsafe fn across<S: Simd<T: Fused>>(s: S, x: &Column<S::T>) {
    if x.b_rs == 0 && x.k <= windows::MOST {
        // SAFETY: the caller's promise.
        return unsafe { windows::windows(s, x) };
    }
    let mut i = 0;
    while i < x.m {
        let rows = S::L.min(x.m - i);
        // SAFETY: rows i to i + rows exist.
        unsafe {
            let sums = lanes(s, x, i, rows);
            put_lanes(s, x, i, rows, sums);
        }
        i += rows;
    }
}

/// Any strides: every second element of both from where they lie, else pieces of each row, and of B, are copied together first.
///
/// # Safety
/// A, B, C and the bias are valid for the column's shape.
#[inline(always)]
pub(super) unsafe fn scattered<S: Simd<T: Fused>, const NV: usize, const W: usize>(s: S, x: &Column<S::T>) {
    let (mut row, mut column) = ([S::T::default(); GATHER], [S::T::default(); GATHER]);
    for i in 0..x.m {
        let (a, b) = (x.a.wrapping_offset(i as isize * x.a_rs), x.b_of(i));
        let mut acc = [[s.zero(); NV]; 1];
        // Of every second element, all but the last are read where they lie.
        let near = if (x.a_ks, x.b_ks) == (2, 2) { x.k.saturating_sub(1) / CHAINS * CHAINS } else { 0 };
        // SAFETY: more than `near` elements follow.
        unsafe { run::<S, 2, 1, NV, W>(s, near, a, 0, b, &mut acc) };
        for k0 in (near..x.k).step_by(GATHER) {
            let n = GATHER.min(x.k - k0);
            // SAFETY: k0 + k < x.k; the copies hold n elements.
            unsafe {
                let a = side_by_side(a.wrapping_offset(k0 as isize * x.a_ks), x.a_ks, &mut row[..n]);
                let b = side_by_side(b.wrapping_offset(k0 as isize * x.b_ks), x.b_ks, &mut column[..n]);
                run::<S, 1, 1, NV, W>(s, n, a, 0, b, &mut acc);
            }
        }
        // SAFETY: row i exists.
        unsafe { x.put(i, in_halves(s, halves(s, &mut acc[0]))) };
    }
}

/// The elements where they lie, or a copy of them without gaps.
///
/// # Safety
/// `to.len()` elements are readable, `step` apart.
#[inline(always)]
unsafe fn side_by_side<T: Copy>(from: *const T, step: isize, to: &mut [T]) -> *const T {
    match step {
        1 => return from,
        // A step known to the compiler becomes loads of whole registers.
        // SAFETY: the caller's promise.
        2 => (0..to.len()).for_each(|k| to[k] = unsafe { *from.add(2 * k) }),
        // SAFETY: the caller's promise.
        _ => (0..to.len()).for_each(|k| to[k] = unsafe { *from.wrapping_offset(k as isize * step) }),
    }
    to.as_ptr()
}

/// # Safety
/// Rows i to i + rows of C are writable, the bias readable; `rows <= L`.
#[inline(always)]
pub(super) unsafe fn put_lanes<S: Simd<T: Fused>>(s: S, x: &Column<S::T>, i: usize, rows: usize, sums: S::V) {
    // SAFETY: `CHAINS` is at least L, and the caller vouches for C.
    unsafe {
        if x.c_rs == 1 && x.bias.is_null() && !x.relu {
            return s.store_first(x.c.add(i), sums, rows);
        }
        let mut lanes = [S::T::default(); CHAINS];
        s.store(lanes.as_mut_ptr(), sums);
        for (r, sum) in lanes.iter().enumerate().take(rows) {
            x.put(i + r, *sum);
        }
    }
}

/// The chains of up to L rows from `i` on, each row's folded into one register. A transpose takes them further, for all
/// rows together.
///
/// # Safety
/// As [`column`], for as many rows from i on as `out` has.
#[inline(always)]
unsafe fn along<S: Simd<T: Fused>, const R: usize, const NV: usize, const W: usize>(
    s: S,
    x: &Column<S::T>,
    i: usize,
    out: &mut [S::V],
) {
    let mut r = 0;
    // SAFETY: r stays below the number of rows.
    unsafe {
        while r + R <= out.len() {
            out[r..r + R].copy_from_slice(&chains::<S, R, NV, W>(s, x, i + r));
            r += R;
        }
        while r < out.len() {
            [out[r]] = chains::<S, 1, NV, W>(s, x, i + r);
            r += 1;
        }
    }
}

/// The same when no chain has more than one element: a B of all rows stays in registers.
///
/// # Safety
/// As [`along`]; k is at most `CHAINS`, rows and B are contiguous.
#[inline(always)]
unsafe fn short<S: Simd<T: Fused>, const NV: usize>(s: S, x: &Column<S::T>, i: usize, out: &mut [S::V]) {
    // SAFETY: the caller's promise.
    unsafe {
        match x.k.div_ceil(S::L).next_power_of_two() {
            1 => few::<S, 1>(s, x, i, out),
            2 if NV > 2 => few::<S, 2>(s, x, i, out),
            4 if NV > 4 => few::<S, 4>(s, x, i, out),
            8 if NV > 8 => few::<S, 8>(s, x, i, out),
            _ => few::<S, NV>(s, x, i, out),
        }
    }
}

/// The same in so many registers, a power of two. Those left out of the order's are zeros, which only -0 minds.
///
/// # Safety
/// As [`short`].
#[inline(always)]
unsafe fn few<S: Simd<T: Fused>, const N: usize>(s: S, x: &Column<S::T>, i: usize, out: &mut [S::V]) {
    // SAFETY: so many elements of B exist.
    let mut y = unsafe { registers::<S, N>(s, x.b_of(i), x.k) };
    for (r, out) in out.iter_mut().enumerate() {
        // SAFETY: and of each row.
        unsafe {
            if x.b_rs != 0 {
                y = registers::<S, N>(s, x.b_of(i + r), x.k);
            }
            let mut acc = registers::<S, N>(s, x.a.wrapping_offset((i + r) as isize * x.a_rs), x.k);
            for v in 0..N {
                acc[v] = s.fma(acc[v], y[v], s.zero());
            }
            *out = halves(s, &mut acc);
            if N * S::L < CHAINS {
                *out = s.add(*out, s.zero());
            }
        }
    }
}

/// `n` elements, and zeros behind them.
///
/// # Safety
/// So many are readable; `n` is at most `CHAINS`.
#[inline(always)]
unsafe fn registers<S: Simd, const NV: usize>(s: S, p: *const S::T, n: usize) -> [S::V; NV] {
    let mut v = [s.zero(); NV];
    for (i, v) in v.iter_mut().enumerate() {
        let left = n.saturating_sub(i * S::L);
        // SAFETY: as many are left.
        unsafe {
            if left >= S::L {
                *v = s.load(p.add(i * S::L));
            } else if left > 0 {
                *v = s.load_first(p.add(i * S::L), left);
            }
        }
    }
    v
}

/// Adds the upper half of the registers to the lower until one is left.
#[inline(always)]
pub(super) fn halves<S: Simd>(s: S, v: &mut [S::V]) -> S::V {
    let mut h = v.len() / 2;
    while h > 0 {
        for i in 0..h {
            v[i] = s.add(v[i], v[i + h]);
        }
        h /= 2;
    }
    v[0]
}

/// The same among the lanes of one register.
#[inline(always)]
pub(super) fn in_halves<S: Simd>(s: S, v: S::V) -> S::T {
    let mut lanes = [S::T::default(); CHAINS];
    // SAFETY: `CHAINS` is at least L.
    unsafe { s.store(lanes.as_mut_ptr(), v) };
    let mut h = S::L / 2;
    while h > 0 {
        for i in 0..h {
            lanes[i] = lanes[i] + lanes[i + h];
        }
        h /= 2;
    }
    lanes[0]
}

/// The chains of `R` rows from `i` on, each folded into one register.
///
/// # Safety
/// As [`column`], for these rows.
#[inline(always)]
unsafe fn chains<S: Simd<T: Fused>, const R: usize, const NV: usize, const W: usize>(
    s: S,
    x: &Column<S::T>,
    i: usize,
) -> [S::V; R] {
    let mut acc = [[s.zero(); NV]; R];
    let a = x.a.wrapping_offset(i as isize * x.a_rs);
    // SAFETY: the caller's promise.
    unsafe { run::<S, 1, R, NV, W>(s, x.k, a, x.a_rs, x.b_of(i), &mut acc) };
    let mut out = [s.zero(); R];
    for r in 0..R {
        out[r] = halves(s, &mut acc[r]);
    }
    out
}

/// Carries the chains of `R` rows over `k` elements: contiguous ones, or every second one of `2 k`, `k` a multiple of `CHAINS`.
///
/// # Safety
/// `R` rows of `k` elements, `STEP` apart, are readable at `a`, and `k` at `b`; for the step 2 what lies behind each, too.
#[inline(always)]
unsafe fn run<S: Simd, const STEP: usize, const R: usize, const NV: usize, const W: usize>(
    s: S,
    k: usize,
    a: *const S::T,
    a_rs: isize,
    b: *const S::T,
    acc: &mut [[S::V; NV]; R],
) {
    let whole = k - k % CHAINS;
    for h in 0..NV / W {
        let mut part = [[s.zero(); W]; R];
        for r in 0..R {
            part[r].copy_from_slice(&acc[r][h * W..(h + 1) * W]);
        }
        let at = |k: usize, v: usize| k + (h * W + v) * S::L;
        let mut k0 = 0;
        while k0 < whole {
            for v in 0..W {
                // SAFETY: the chunk from k0 on lies in k.
                unsafe {
                    let y = stepping::<S, STEP>(s, b.add(STEP * at(k0, v)));
                    for r in 0..R {
                        let x = stepping::<S, STEP>(s, a.offset(r as isize * a_rs).add(STEP * at(k0, v)));
                        part[r][v] = s.fma(x, y, part[r][v]);
                    }
                }
            }
            k0 += CHAINS;
        }
        if whole < k {
            for v in 0..W {
                let n = k.saturating_sub(at(whole, v)).min(S::L);
                let o = at(whole, v).min(k);
                // SAFETY: n elements from o on lie in k.
                unsafe {
                    let y = s.load_first(b.add(o), n);
                    for r in 0..R {
                        part[r][v] = s.fma(s.load_first(a.offset(r as isize * a_rs).add(o), n), y, part[r][v]);
                    }
                }
            }
        }
        for r in 0..R {
            acc[r][h * W..(h + 1) * W].copy_from_slice(&part[r]);
        }
    }
}

/// A register of elements that lie `STEP` apart.
///
/// # Safety
/// `STEP * L` elements are readable.
#[inline(always)]
unsafe fn stepping<S: Simd, const STEP: usize>(s: S, p: *const S::T) -> S::V {
    // SAFETY: the caller's promise.
    let first = unsafe { s.load(p) };
    if STEP == 1 {
        return first;
    }
    // SAFETY: the caller's promise.
    s.evens(first, unsafe { s.load(p.add(S::L)) })
}

/// The sums of up to L rows from `i` on.
///
/// # Safety
/// As [`across`], for rows i to i + rows.
#[inline(always)]
unsafe fn lanes<S: Simd<T: Fused>>(s: S, x: &Column<S::T>, i: usize, rows: usize) -> S::V {
    let a = x.a.wrapping_add(i);
    let b = x.b_of(i);
    let mut all = [s.zero(); CHAINS];
    for c in (0..CHAINS.min(x.k)).step_by(ABREAST) {
        // SAFETY: the caller's promise.
        let part = unsafe {
            if rows == S::L {
                abreast::<S, true>(s, x, a, b, rows, c)
            } else {
                abreast::<S, false>(s, x, a, b, rows, c)
            }
        };
        all[c..c + ABREAST].copy_from_slice(&part);
    }
    if x.k >= CHAINS {
        return halves(s, &mut all);
    }
    // Chains without elements are +0, which only -0 minds.
    let used = x.k.next_power_of_two().max(ABREAST);
    s.add(halves(s, &mut all[..used]), s.zero())
}

/// `ABREAST` chains from chain `c` on of the rows at `a`.
///
/// # Safety
/// As [`across`]; `WHOLE` says that `rows` is L.
#[inline(always)]
unsafe fn abreast<S: Simd, const WHOLE: bool>(
    s: S,
    x: &Column<S::T>,
    a: *const S::T,
    b: *const S::T,
    rows: usize,
    c: usize,
) -> [S::V; ABREAST] {
    let mut part = [s.zero(); ABREAST];
    let whole = x.k - x.k % CHAINS;
    for k0 in (c..whole).step_by(CHAINS) {
        for w in 0..ABREAST {
            // SAFETY: k0 + w < k.
            part[w] = unsafe { step::<S, WHOLE>(s, x, a, b, rows, k0 + w, part[w]) };
        }
    }
    for w in 0..ABREAST {
        if whole + c + w < x.k {
            // SAFETY: as compared.
            part[w] = unsafe { step::<S, WHOLE>(s, x, a, b, rows, whole + c + w, part[w]) };
        } else if whole < x.k {
            // The padding's product, for which -0 becomes +0.
            part[w] = s.add(part[w], s.zero());
        }
    }
    part
}

/// # Safety
/// As [`abreast`], and `k` is in range.
#[inline(always)]
unsafe fn step<S: Simd, const WHOLE: bool>(
    s: S,
    x: &Column<S::T>,
    a: *const S::T,
    b: *const S::T,
    rows: usize,
    k: usize,
    acc: S::V,
) -> S::V {
    let (p, q) = (a.wrapping_offset(k as isize * x.a_ks), b.wrapping_offset(k as isize * x.b_ks));
    // SAFETY: the caller's promise.
    unsafe {
        let column = if WHOLE { s.load(p) } else { s.load_first(p, rows) };
        let other = match x.b_rs {
            0 => s.splat(*q),
            _ if WHOLE => s.load(q),
            _ => s.load_first(q, rows),
        };
        s.fma(column, other, acc)
    }
}
