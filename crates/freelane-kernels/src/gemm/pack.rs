//! Operands copied into the order in which the tiles read them.
use super::Fused;
use freelane_simd::Simd;

/// Rows of B fetched ahead.
const AHEAD: isize = 12;

/// A block to pack: `lines` run along k. For A they are rows, for B columns.
#[derive(Clone, Copy)]
pub struct Block<T> {
    pub lines: usize,
    pub k: usize,
    pub ptr: *const T,
    /// From line to line.
    pub step: isize,
    /// Along k.
    pub k_step: isize,
}

impl<T: Copy> Block<T> {
    #[inline(always)]
    fn at(&self, line: usize, k: usize) -> *const T {
        self.ptr.wrapping_offset(line as isize * self.step + k as isize * self.k_step)
    }

    fn skip(&self, lines: usize, count: usize) -> Self {
        Block { lines: count, ptr: self.at(lines, 0), ..*self }
    }
}

/// Rows of A as a strip: `out[k * rows + i]`. May write one register past the end.
///
/// # Safety
/// The block is readable; `out` is writable for it and one register more.
#[inline(always)]
pub(super) unsafe fn strip<S: Simd>(s: S, a: Block<S::T>, out: *mut S::T) {
    // SAFETY: the caller's promise.
    unsafe { if a.k_step == 1 && a.lines <= 2 * S::L { turn(s, a, out, a.lines) } else { scalars(a, out, a.lines) } }
}

/// Columns of B as panels, `out[p * PANEL * k + kk * PANEL + j]`, padded with zeros.
///
/// # Safety
/// The block is readable; `out` is writable for whole panels.
#[inline(always)]
pub(super) unsafe fn panels<S: Simd<T: Fused>>(s: S, b: Block<S::T>, out: *mut S::T) {
    let panel = <S::T as Fused>::PANEL;
    let mut j = 0;
    // SAFETY: each step writes the panels it passes, and reads columns below `b.lines`.
    unsafe {
        while b.step == 1 && j + 4 * panel <= b.lines {
            four_panels(s, b.skip(j, 4 * panel), out.add(j * b.k));
            j += 4 * panel;
        }
        while j < b.lines {
            let part = b.skip(j, panel.min(b.lines - j));
            one_panel(s, part, out.add(j * b.k));
            j += panel;
        }
    }
}

/// # Safety
/// As [`panels`], for one.
#[inline(always)]
unsafe fn one_panel<S: Simd<T: Fused>>(s: S, b: Block<S::T>, out: *mut S::T) {
    let panel = <S::T as Fused>::PANEL;
    // SAFETY: the caller's promise.
    unsafe {
        if b.lines < panel {
            (0..b.k * panel).for_each(|i| *out.add(i) = S::T::default());
            scalars(b, out, panel);
        } else if b.step == 1 {
            for k in 0..b.k {
                copy_row(s, b.at(0, k), out.add(k * panel));
            }
        } else if b.k_step == 1 {
            for j in 0..panel / S::L {
                turn(s, b.skip(j * S::L, S::L), out.add(j * S::L), panel);
            }
        } else {
            scalars(b, out, panel);
        }
    }
}

/// Four neighbouring panels at once, so that whole cache lines and pages of B are used together.
///
/// # Safety
/// As [`panels`], for four.
#[inline(always)]
unsafe fn four_panels<S: Simd<T: Fused>>(s: S, b: Block<S::T>, out: *mut S::T) {
    let panel = <S::T as Fused>::PANEL;
    for k in 0..b.k {
        for p in 0..4 {
            let from = b.at(p * panel, k);
            for line in 0..panel * size_of::<S::T>() / 64 {
                s.prefetch(from.wrapping_offset(AHEAD * b.k_step).wrapping_add(line * 64 / size_of::<S::T>()));
            }
            // SAFETY: the row is one of the block's, and panel p is the caller's to write.
            unsafe { copy_row(s, from, out.add((p * b.k + k) * panel)) };
        }
    }
}

/// # Safety
/// Both are valid for a panel's width.
#[inline(always)]
unsafe fn copy_row<S: Simd<T: Fused>>(s: S, from: *const S::T, to: *mut S::T) {
    for v in 0..<S::T as Fused>::PANEL / S::L {
        // SAFETY: the panel is a multiple of L.
        unsafe { s.store(to.add(v * S::L), s.load(from.add(v * S::L))) };
    }
}

/// Lines of neighbouring elements to `out[k * width + line]` by transposes in registers, at most two registers of lines.
/// Each store overwrites the excess of the one before, so a `width` that is no multiple of L leaves one at the end.
///
/// # Safety
/// The block is readable; `out` is writable for `k` rows of `width` and the excess.
#[inline(always)]
unsafe fn turn<S: Simd>(s: S, b: Block<S::T>, out: *mut S::T, width: usize) {
    let low = b.skip(0, b.lines.min(S::L));
    let high = b.skip(low.lines, b.lines - low.lines);
    let mut k = 0;
    // SAFETY: L elements of every line from k on lie in the block; `out` is the caller's promise.
    unsafe {
        while k + S::L <= b.k {
            let x = square(s, &low, k, S::L);
            if high.lines == 0 {
                for (j, row) in x.as_ref().iter().enumerate() {
                    s.store(out.add((k + j) * width), *row);
                }
            } else {
                let y = square(s, &high, k, S::L);
                for (j, (x, y)) in x.as_ref().iter().zip(y.as_ref()).enumerate() {
                    s.store(out.add((k + j) * width), *x);
                    s.store(out.add((k + j) * width + S::L), *y);
                }
            }
            k += S::L;
        }
        let rest = Block { k: b.k - k, ptr: b.at(0, k), ..b };
        scalars(rest, out.add(k * width), width);
    }
}

/// Up to L lines from k on, turned: register j holds element `k + j` of every line.
///
/// # Safety
/// `n <= L` elements of every line from k on are readable, and `b.k_step` is 1.
#[inline(always)]
pub(super) unsafe fn square<S: Simd>(s: S, b: &Block<S::T>, k: usize, n: usize) -> S::Square {
    let mut r = s.square();
    for (i, row) in r.as_mut().iter_mut().enumerate() {
        if i < b.lines {
            // SAFETY: the caller's promise.
            *row = unsafe { if n == S::L { s.load(b.at(i, k)) } else { s.load_first(b.at(i, k), n) } };
        }
    }
    s.transpose(&mut r);
    r
}

/// # Safety
/// The block is readable; `out` is writable for `k` rows of `width >= lines`.
unsafe fn scalars<T: Copy>(b: Block<T>, out: *mut T, width: usize) {
    for k in 0..b.k {
        // SAFETY: the caller's promise.
        (0..b.lines).for_each(|i| unsafe { *out.add(k * width + i) = *b.at(i, k) });
    }
}
