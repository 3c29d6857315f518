//! Products of complex numbers side by side: vectors hold whole numbers, whose parts are never taken apart.
use freelane_simd::Simd;

/// `o = a b` for `n` parts, real and imaginary ones in turn.
///
/// # Safety
/// `n` parts can be read from `a` and `b` and written at `o`, which lies apart.
#[inline(always)]
unsafe fn products<S: Simd>(s: S, n: usize, a: *const S::T, b: *const S::T, o: *mut S::T) {
    // (re, im) (x, y) = (re x, re y) + (im -y, im x)
    let product = |a, b| {
        let turned = s.swap(s.alternate(b));
        s.add(s.mul(s.evens_twice(a), b), s.mul(s.odds_twice(a), turned))
    };
    let whole = n / S::L * S::L;
    for i in (0..whole).step_by(S::L) {
        // SAFETY: `i + L <= n`.
        let (a, b) = unsafe { (s.load(a.add(i)), s.load(b.add(i))) };
        // SAFETY: as above.
        unsafe { s.store(o.add(i), product(a, b)) };
    }
    if whole < n {
        // SAFETY: so many parts are left.
        let (a, b) = unsafe { (s.load_first(a.add(whole), n - whole), s.load_first(b.add(whole), n - whole)) };
        // SAFETY: as above.
        unsafe { s.store_first(o.add(whole), product(a, b), n - whole) };
    }
}

/// Bodies of [`Multiply`](super::Multiply) and [`Square`](super::Square).
macro_rules! bodies {
    ($($t:ident: $simd:ident, $multiply:ident, $square:ident;)*) => { $(
        /// # Safety
        /// `n` elements can be read from `a` and `b` and written at `o`, which lies apart; this CPU has the instructions.
        #[target_feature(enable = "avx2,fma")]
        pub(super) unsafe fn $multiply(
            n: usize,
            a: *const num_complex::Complex<$t>,
            b: *const num_complex::Complex<$t>,
            o: *mut num_complex::Complex<$t>,
        ) {
            // SAFETY: this CPU has the instructions.
            let s = unsafe { freelane_simd::$simd::assume() };
            // SAFETY: the caller's promise.
            unsafe { products(s, 2 * n, a.cast(), b.cast(), o.cast()) }
        }

        /// # Safety
        /// As above.
        #[target_feature(enable = "avx2,fma")]
        pub(super) unsafe fn $square(n: usize, x: *const num_complex::Complex<$t>, o: *mut num_complex::Complex<$t>) {
            // SAFETY: the caller's promise.
            unsafe { $multiply(n, x, x, o) }
        }
    )* };
}
bodies! {
    f32: F32x8, multiply_c64, square_c64;
    f64: F64x4, multiply_c128, square_c128;
}
