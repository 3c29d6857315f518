//! Products of columns of complex numbers, whose parts go into vectors of their own.
use super::summand::Accumulator;
use freelane_simd::{Isa, Simd};
use num_complex::Complex;

/// A part of a complex number.
pub(super) trait Part: Copy + Into<f64> {
    /// Loads so many parts.
    ///
    /// # Safety
    /// They can be read.
    unsafe fn load<S: Simd<T = f64>>(s: S, p: *const Self) -> S::V;
}

impl Part for f32 {
    #[inline(always)]
    unsafe fn load<S: Simd<T = f64>>(s: S, p: *const f32) -> S::V {
        // SAFETY: the caller's promise.
        unsafe { s.load_f32(p) }
    }
}

impl Part for f64 {
    #[inline(always)]
    unsafe fn load<S: Simd<T = f64>>(s: S, p: *const f64) -> S::V {
        // SAFETY: the caller's promise.
        unsafe { s.load(p) }
    }
}

/// The [`Meet`](super::fold::Meet) of products.
///
/// # Safety
/// Rows of so many complex numbers can be read, and as many accumulators be written, which hold numbers unless they start.
pub(super) unsafe fn products<P: Part>(
    accs: *mut Complex<f64>,
    columns: usize,
    fresh: bool,
    rows: usize,
    x: *const u8,
    step: isize,
) {
    #[cfg(target_arch = "x86_64")]
    if matches!(Isa::current(), Isa::Avx2 | Isa::Avx512) {
        // SAFETY: the instruction set in use is there; the rest is the caller's promise.
        return unsafe { avx2::<P>(accs, columns, fresh, rows, x, step) };
    }
    for j in 0..columns {
        // SAFETY: the caller's promise: this column.
        unsafe { column::<P>(accs.add(j), fresh, rows, x.cast::<[P; 2]>().wrapping_add(j).cast(), step) };
    }
}

/// # Safety
/// As for [`products`]; this CPU has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<P: Part>(accs: *mut Complex<f64>, columns: usize, fresh: bool, rows: usize, x: *const u8, step: isize) {
    // SAFETY: the caller's promise.
    let s = unsafe { freelane_simd::F64x4::assume() };
    // SAFETY: the caller's promise.
    unsafe { by_vectors::<_, P>(s, accs, columns, fresh, rows, x, step) }
}

/// # Safety
/// As for [`products`].
#[inline(always)]
unsafe fn by_vectors<S: Simd<T = f64>, P: Part>(
    s: S,
    accs: *mut Complex<f64>,
    columns: usize,
    fresh: bool,
    rows: usize,
    x: *const u8,
    step: isize,
) {
    /// Vectors of either part at once: the next product waits for the one before.
    const MANY: usize = 4;
    let at = |j: usize| (accs.wrapping_add(j), x.cast::<[P; 2]>().wrapping_add(j).cast::<u8>());
    let mut j = 0;
    while j + MANY * S::L <= columns {
        let (accs, x) = at(j);
        // SAFETY: the caller's promise: these columns.
        unsafe { vectors::<S, P, MANY>(s, accs, fresh, rows, x, step) };
        j += MANY * S::L;
    }
    while j + S::L <= columns {
        let (accs, x) = at(j);
        // SAFETY: as above.
        unsafe { vectors::<S, P, 1>(s, accs, fresh, rows, x, step) };
        j += S::L;
    }
    for j in j..columns {
        let (acc, x) = at(j);
        // SAFETY: as above.
        unsafe { column::<P>(acc, fresh, rows, x, step) };
    }
}

/// Real and imaginary parts of as many complex numbers as a register has lanes, in an order that [`Part::load`] of their
/// accumulators also gives.
///
/// # Safety
/// These numbers can be read.
#[inline(always)]
unsafe fn parts<S: Simd<T = f64>, P: Part>(s: S, x: *const P) -> (S::V, S::V) {
    // SAFETY: the caller's promise.
    let (a, b) = unsafe { (P::load(s, x), P::load(s, x.wrapping_add(S::L))) };
    (s.both_evens(a, b), s.both_odds(a, b))
}

/// `N` vectors of columns, by the formula. That a one leaves the other factor as it is shows only where a part comes out as zero,
/// infinite or NaN: there with care, from the beginning again.
///
/// # Safety
/// As for [`products`], of these columns.
#[inline(always)]
unsafe fn vectors<S: Simd<T = f64>, P: Part, const N: usize>(
    s: S,
    accs: *mut Complex<f64>,
    fresh: bool,
    rows: usize,
    x: *const u8,
    step: isize,
) {
    let mut z = [(s.zero(), s.zero()); N];
    for (v, z) in z.iter_mut().enumerate() {
        let (acc, x) = (accs.cast::<f64>().wrapping_add(2 * v * S::L), x.cast::<P>().wrapping_add(2 * v * S::L));
        // SAFETY: the caller's promise.
        *z = unsafe { if fresh { parts(s, x) } else { parts(s, acc.cast_const()) } };
    }
    for r in usize::from(fresh)..rows {
        let row = x.wrapping_offset(r as isize * step).cast::<P>();
        for (v, z) in z.iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            let (re, im) = unsafe { parts(s, row.wrapping_add(2 * v * S::L)) };
            let real = s.sub(s.mul(z.0, re), s.mul(z.1, im));
            *z = (real, s.add(s.mul(z.0, im), s.mul(z.1, re)));
        }
    }
    let mut plain = true;
    for z in &z {
        plain &= s.all_plain(z.0) & s.all_plain(z.1);
    }
    for (v, &(re, im)) in z.iter().enumerate() {
        if plain {
            let acc = accs.cast::<f64>().wrapping_add(2 * v * S::L);
            // SAFETY: the caller's promise.
            unsafe { s.store(acc, s.both_evens(re, im)) };
            // SAFETY: as above.
            unsafe { s.store(acc.wrapping_add(S::L), s.both_odds(re, im)) };
            continue;
        }
        for j in v * S::L..(v + 1) * S::L {
            // SAFETY: the caller's promise.
            unsafe { column::<P>(accs.add(j), fresh, rows, x.cast::<[P; 2]>().wrapping_add(j).cast(), step) };
        }
    }
}

/// # Safety
/// As for [`products`], of one column.
unsafe fn column<P: Part>(acc: *mut Complex<f64>, fresh: bool, rows: usize, x: *const u8, step: isize) {
    // SAFETY: the caller's promise.
    let mut z = if fresh { <Complex<f64> as Accumulator>::ONE } else { unsafe { acc.read() } };
    for r in 0..rows {
        // SAFETY: the caller's promise.
        let [re, im] = unsafe { x.wrapping_offset(r as isize * step).cast::<[P; 2]>().read_unaligned() };
        z = Accumulator::times(z, Complex::new(re.into(), im.into()));
    }
    // SAFETY: the caller's promise.
    unsafe { acc.write(z) };
}
