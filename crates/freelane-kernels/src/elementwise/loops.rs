//! The erased inner loops: what a table of functions holds.
//!
//! One loop per function and element type picks the shape at run time: contiguous, a scalar operand (stride 0), the result
//! in place of the left operand, and everything else through tiles.
#[cfg(target_arch = "x86_64")]
use super::bodies::avx512;
use super::bodies::{native, native_light, portable};
use super::strided;
use super::tile::{Sink, Source, TILE, tile, tiles1, tiles2};
use super::{Map1, Map2, Map3, Tier};
use freelane_simd::Isa;
use std::mem::size_of;

/// `o[i] = f(x[i])` for `i` in `0..n`; strides in bytes.
pub type Loop1 = unsafe fn(isa: Isa, n: usize, x: *const u8, xs: isize, o: *mut u8, os: isize);
/// `o[i] = f(a[i], b[i])` for `i` in `0..n`; strides in bytes.
pub type Loop2 = unsafe fn(isa: Isa, n: usize, a: *const u8, sa: isize, b: *const u8, sb: isize, o: *mut u8, os: isize);
/// `o[i] = f(c[i], a[i], b[i])` for `i` in `0..n`; strides in bytes.
pub type Loop3 = unsafe fn(
    isa: Isa,
    n: usize,
    c: *const u8,
    sc: isize,
    a: *const u8,
    sa: isize,
    b: *const u8,
    sb: isize,
    o: *mut u8,
    os: isize,
);

/// `o[i] = f(a[i], b[0])` for `i` in `0..n`, operand and result contiguous and apart; whether it did that, for this `b`.
pub type ByScalar = unsafe fn(isa: Isa, n: usize, a: *const u8, b: *const u8, o: *mut u8) -> bool;

/// So many elements side by side, and the results apart from them.
pub type Body1<T, O> = unsafe fn(usize, *const T, *mut O);
/// As `Body1`, of two operands.
pub type Body2<T, O> = unsafe fn(usize, *const T, *const T, *mut O);

/// Less than one AVX-512 vector is left to AVX2: the bits are the same.
#[inline(always)]
pub(super) fn fitting<T>(isa: Isa, n: usize) -> Isa {
    if isa == Isa::Avx512 && n < 64 / size_of::<T>() { Isa::Avx2 } else { isa }
}

/// The bodies of heavy functions do whole vectors well and single elements badly: so many elements are a whole.
#[inline(always)]
pub(super) fn whole<T>(isa: Isa, tier: Tier) -> usize {
    match (isa, tier) {
        (Isa::Avx512, Tier::Heavy) => 64 / size_of::<T>(),
        (Isa::Avx2, Tier::Heavy) => 32 / size_of::<T>(),
        (Isa::Neon, Tier::Heavy) => 16 / size_of::<T>(),
        _ => 1,
    }
}

/// Runs a body over whole vectors, the last one overlapping the one before.
///
/// # Safety
/// The promises of the body; the result lies apart from the operand.
#[inline(always)]
unsafe fn run1<T, O>(body: Body1<T, O>, whole: usize, n: usize, x: *const T, o: *mut O) {
    let rest = if n < whole { 0 } else { n % whole };
    // SAFETY: the caller's promise.
    unsafe { body(n - rest, x, o) };
    if rest > 0 {
        let last = n - whole;
        // SAFETY: the caller's promise; `last + whole == n`.
        unsafe { body(whole, x.wrapping_add(last), o.wrapping_add(last)) };
    }
}

/// As `run1`.
///
/// # Safety
/// The promises of the body; the result lies apart from the operands.
#[inline(always)]
pub(super) unsafe fn run2<T, O>(body: Body2<T, O>, whole: usize, n: usize, a: *const T, b: *const T, o: *mut O) {
    let rest = if n < whole { 0 } else { n % whole };
    // SAFETY: the caller's promise.
    unsafe { body(n - rest, a, b, o) };
    if rest > 0 {
        let last = n - whole;
        // SAFETY: the caller's promise; `last + whole == n`.
        unsafe { body(whole, a.wrapping_add(last), b.wrapping_add(last), o.wrapping_add(last)) };
    }
}

#[inline(always)]
pub(super) fn body1<K: Map1<T>, T: Copy>(isa: Isa) -> Body1<T, K::Out> {
    match (isa, K::TIER) {
        (Isa::Portable, _) | (_, Tier::Scalar) => portable::map1::<K, T>,
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx512, Tier::Heavy) => avx512::map1::<K, T>,
        _ => K::BODY.unwrap_or(native::map1::<K, T>),
    }
}

#[inline(always)]
fn body2<K: Map2<T>, T: Copy>(isa: Isa) -> Body2<T, K::Out> {
    match (isa, K::TIER) {
        (Isa::Portable, _) | (_, Tier::Scalar) => portable::map2::<K, T>,
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx512, Tier::Heavy) => avx512::map2::<K, T>,
        _ => K::BODY.unwrap_or(native::map2::<K, T>),
    }
}

/// Whether the loops made for light functions can run.
#[inline(always)]
fn light(isa: Isa, tier: Tier) -> bool {
    isa != Isa::Portable && matches!(tier, Tier::Light)
}

/// Applies `K` to each element of a slice, in its place.
///
/// ```
/// let mut x = [0.0f32, 1.0];
/// freelane_kernels::elementwise::map::<freelane_kernels::elementwise::Exp, f32>(&mut x);
/// assert_eq!(x, [1.0, 1f32.exp()]);
/// ```
pub fn map<K: Map1<T, Out = T>, T: Copy>(x: &mut [T]) {
    let (n, size, p) = (x.len(), size_of::<T>() as isize, x.as_mut_ptr().cast::<u8>());
    // SAFETY: this CPU has its own instructions; `n` elements, in place.
    unsafe { loop1::<K, T>(Isa::current(), n, p, size, p, size) };
}

/// Applies `K` to `n` elements.
///
/// # Safety
/// - This CPU supports `isa`.
/// - `x` and `xs` reach `n` initialised elements of type `T`; `o` and `os` reach `n` writable results. Neither needs to be
///   aligned.
/// - The results overlap no operand, except one that has the same address, stride and element size, or that has stride 0.
/// - No other thread writes to the operands, or touches the results, meanwhile.
pub unsafe fn loop1<K: Map1<T>, T: Copy>(isa: Isa, n: usize, x: *const u8, xs: isize, o: *mut u8, os: isize) {
    if let Some(run) = K::LOOP {
        // SAFETY: the caller's promise.
        return unsafe { run(isa, n, x, xs, o, os) };
    }
    let isa = fitting::<T>(isa, n);
    let (ex, eo) = (size_of::<T>() as isize, size_of::<K::Out>() as isize);
    let apart = x != o.cast_const();
    if n <= 1 && (n == 0 || K::TIER == Tier::Light) {
        if n == 1 {
            // SAFETY: there is one element.
            let x = unsafe { x.cast::<T>().read_unaligned() };
            // SAFETY: there is room for one result.
            unsafe { o.cast::<K::Out>().write_unaligned(K::apply(x)) };
        }
    } else if xs == ex && os == eo && apart {
        // SAFETY: the caller's promise; operand and result are contiguous and apart.
        unsafe { run1(body1::<K, T>(isa), whole::<T>(isa, K::TIER), n, x.cast(), o.cast()) }
    } else if ex == eo && xs == ex && os == eo && light(isa, K::TIER) {
        // SAFETY: the caller's promise; results replace elements of their own size.
        unsafe { native_light::update1::<K, T>(n, o.cast()) }
    } else if xs == 0 && os == eo && light(isa, K::TIER) {
        // SAFETY: there is a first element, which a result may overwrite.
        let x = unsafe { x.cast::<T>().read_unaligned() };
        // SAFETY: the caller's promise; the results are contiguous.
        unsafe { native_light::fill(n, K::apply(x), o.cast()) }
    } else if os == eo && apart && light(isa, K::TIER) && strided::has_loop::<T>(&[xs]) {
        // SAFETY: the caller's promise; the results lie apart from what is read.
        unsafe { strided::map1::<K, T>(n, x, xs, o.cast()) }
    } else {
        // SAFETY: the caller's promise.
        unsafe { tiled1(isa, body1::<K, T>(isa), whole::<T>(isa, K::TIER), n, x, xs, o, os) }
    }
}

/// # Safety
/// As for [`loop1`].
#[inline(never)]
#[allow(clippy::too_many_arguments, reason = "the signature of `Loop1`, and a body")]
unsafe fn tiled1<T: Copy, O: Copy>(
    isa: Isa,
    body: Body1<T, O>,
    whole: usize,
    n: usize,
    x: *const u8,
    xs: isize,
    o: *mut u8,
    os: isize,
) {
    // SAFETY: the caller's promise; results are a tile, or apart from the operand.
    let each = |m, x, o| unsafe { run1(body, whole, m, x, o) };
    // SAFETY: the caller's promise; the body fills the results.
    unsafe { tiles1(isa, n, (x, xs), (o, os), each) }
}

/// Applies `K` to `n` pairs of elements.
///
/// # Safety
/// As for [`loop1`], with operands `a` and `b`.
#[allow(clippy::too_many_arguments, reason = "the signature of `Loop2`")]
pub unsafe fn loop2<K: Map2<T>, T: Copy>(
    isa: Isa,
    n: usize,
    a: *const u8,
    sa: isize,
    b: *const u8,
    sb: isize,
    o: *mut u8,
    os: isize,
) {
    if let Some(run) = K::LOOP {
        // SAFETY: the caller's promise.
        return unsafe { run(isa, n, a, sa, b, sb, o, os) };
    }
    if n <= 1 && (n == 0 || K::TIER == Tier::Light) {
        if n == 1 {
            // SAFETY: there is one element.
            let a = unsafe { a.cast::<T>().read_unaligned() };
            // SAFETY: there is one element.
            let b = unsafe { b.cast::<T>().read_unaligned() };
            // SAFETY: there is room for one result.
            unsafe { o.cast::<K::Out>().write_unaligned(K::apply(a, b)) };
        }
        return;
    }
    let isa = fitting::<T>(isa, n);
    let (e, eo) = (size_of::<T>() as isize, size_of::<K::Out>() as isize);
    let apart = a != o.cast_const() && b != o.cast_const();
    if sa == e && sb == e && os == eo && apart {
        if light(isa, K::TIER) && strided::beats_vectors::<T, K::Out>() {
            // SAFETY: the caller's promise; the results lie apart from what is read.
            return unsafe { strided::map2::<K, T>(n, a, sa, b, sb, o.cast()) };
        }
        // SAFETY: the caller's promise; operands and result are contiguous and apart.
        return unsafe { run2(body2::<K, T>(isa), whole::<T>(isa, K::TIER), n, a.cast(), b.cast(), o.cast()) };
    }
    if let Some(run) = K::BY_SCALAR
        && sb == 0
        // SAFETY: the caller's promise.
        && unsafe { by_scalar2::<T, K::Out>(run, isa, n, a, sa, b, o, os) }
    {
        return;
    }
    // SAFETY: the caller's promise.
    if os != eo || !light(isa, K::TIER) || !unsafe { shaped2::<K, T>(n, a, sa, b, sb, o) } {
        // SAFETY: the caller's promise.
        unsafe { tiled2(isa, body2::<K, T>(isa), whole::<T>(isa, K::TIER), n, a, sa, b, sb, o, os) }
    }
}

/// Runs a loop for one right operand, whether side by side or through tiles; whether it did, for this operand.
///
/// # Safety
/// As for [`loop2`], the right operand having stride 0.
#[inline(never)]
#[allow(clippy::too_many_arguments, reason = "the signature of `Loop2`, and a loop")]
unsafe fn by_scalar2<T: Copy, O: Copy>(
    run: ByScalar,
    isa: Isa,
    n: usize,
    a: *const u8,
    sa: isize,
    b: *const u8,
    o: *mut u8,
    os: isize,
) -> bool {
    // SAFETY: there is a first element, which a result may overwrite.
    let b = unsafe { b.cast::<T>().read_unaligned() };
    let (b, apart) = ((&raw const b).cast(), a != o.cast_const());
    if sa == size_of::<T>() as isize && os == size_of::<O>() as isize && apart {
        // SAFETY: the caller's promise; operand and result are contiguous and apart.
        return unsafe { run(isa, n, a, b, o) };
    }
    let (mut ta, mut to) = (tile::<T>(), tile::<O>());
    // SAFETY: the caller's promise.
    let mut left = unsafe { Source::new(isa, a, sa, n, &mut ta) };
    let mut sink = Sink::new(o, os, apart, &mut to);
    for i in (0..n).step_by(TILE) {
        let m = TILE.min(n - i);
        // SAFETY: `i + m <= n`; the result is a tile, or apart from the operand. Whether it runs depends on `b` alone.
        if !unsafe { run(isa, m, left.run(i, m).cast(), b, sink.room(i).cast()) } {
            return false;
        }
        // SAFETY: the loop filled `m` results.
        unsafe { sink.put(i, m) };
    }
    true
}

/// Runs the loop made for this shape of operands, if there is one; the result is contiguous.
///
/// # Safety
/// As for [`loop2`]; the native instruction set is supported.
#[inline(always)]
unsafe fn shaped2<K: Map2<T>, T: Copy>(n: usize, a: *const u8, sa: isize, b: *const u8, sb: isize, o: *mut u8) -> bool {
    let e = size_of::<T>() as isize;
    let (same_size, at_a, at_b) = (size_of::<T>() == size_of::<K::Out>(), a == o.cast_const(), b == o.cast_const());
    if sa == e && sb == 0 {
        // SAFETY: there is a first element.
        let b = unsafe { b.cast::<T>().read_unaligned() };
        if !at_a {
            // SAFETY: operand and result are contiguous and apart.
            unsafe { native_light::right_scalar2::<K, T>(n, a.cast(), b, o.cast()) }
        } else if same_size {
            // SAFETY: results replace elements of their own size.
            unsafe { native_light::update_by_scalar2::<K, T>(n, o.cast(), b) }
        } else {
            return false;
        }
        return true;
    }
    if sa == 0 && sb == e && !at_b {
        // SAFETY: there is a first element.
        let a = unsafe { a.cast::<T>().read_unaligned() };
        // SAFETY: operand and result are contiguous and apart.
        unsafe { native_light::left_scalar2::<K, T>(n, a, b.cast(), o.cast()) };
        return true;
    }
    if sa == e && sb == e && at_a && !at_b && same_size {
        // SAFETY: results replace elements of their own size; the other operand lies apart.
        unsafe { native_light::update2::<K, T>(n, o.cast(), b.cast()) };
        return true;
    }
    if !at_a && !at_b && strided::has_loop::<T>(&[sa, sb]) {
        let (first, second);
        let (mut a, mut b) = (a, b);
        if sa == 0 {
            // SAFETY: there is a first element, which a result may overwrite.
            first = unsafe { a.cast::<T>().read_unaligned() };
            a = (&raw const first).cast();
        }
        if sb == 0 {
            // SAFETY: as above.
            second = unsafe { b.cast::<T>().read_unaligned() };
            b = (&raw const second).cast();
        }
        // SAFETY: the caller's promise; the results lie apart from what is read.
        unsafe { strided::map2::<K, T>(n, a, sa, b, sb, o.cast()) };
        return true;
    }
    false
}

/// # Safety
/// As for [`loop2`].
#[inline(never)]
#[allow(clippy::too_many_arguments, reason = "the signature of `Loop2`")]
unsafe fn tiled2<T: Copy, O: Copy>(
    isa: Isa,
    body: Body2<T, O>,
    whole: usize,
    n: usize,
    a: *const u8,
    sa: isize,
    b: *const u8,
    sb: isize,
    o: *mut u8,
    os: isize,
) {
    // SAFETY: the caller's promise; results are a tile, or apart from the operands.
    let each = |m, a, b, o| unsafe { run2(body, whole, m, a, b, o) };
    // SAFETY: the caller's promise; the body fills the results.
    unsafe { tiles2(isa, n, [(a, sa), (b, sb)], (o, os), each) }
}

/// Applies `K` to `n` triples of elements.
///
/// # Safety
/// As for [`loop1`], with operands `c`, `a` and `b`.
#[allow(clippy::too_many_arguments, reason = "the signature of `Loop3`")]
pub unsafe fn loop3<K: Map3<T>, T: Copy>(
    isa: Isa,
    n: usize,
    c: *const u8,
    sc: isize,
    a: *const u8,
    sa: isize,
    b: *const u8,
    sb: isize,
    o: *mut u8,
    os: isize,
) {
    let apart = [a, b, c].iter().all(|&p| p != o.cast_const());
    let twice = a == b && sa == sb;
    if size_of::<T>() > 8 && apart && os == size_of::<K::Out>() as isize && [sc, sa, sb].iter().all(|&s| s != 0) {
        for i in 0..n {
            // SAFETY: `i < n`.
            let (c, a, b) = unsafe { (strided::get(c, sc, i), strided::get(a, sa, i), strided::get(b, sb, i)) };
            // The slow body, for this runs on every instruction set. SAFETY: `i < n`; the results lie apart from what is read.
            unsafe { o.cast::<K::Out>().add(i).write_unaligned(K::slow(c, a, b)) };
        }
        return;
    }
    let (mut tc, mut ta, mut tb, mut to) = (tile::<K::First>(), tile::<T>(), tile::<T>(), tile::<K::Out>());
    // SAFETY: the caller's promise.
    let mut first = unsafe { Source::new(isa, c, sc, n, &mut tc) };
    // SAFETY: the caller's promise.
    let mut left = unsafe { Source::new(isa, a, sa, n, &mut ta) };
    // SAFETY: the caller's promise.
    let mut right = unsafe { Source::new(isa, b, sb, n, &mut tb) };
    let mut sink = Sink::new(o, os, apart, &mut to);
    for i in (0..n).step_by(TILE) {
        let m = TILE.min(n - i);
        // SAFETY: `i + m <= n`; the result is a tile, or apart from the operands.
        let (c, a, o) = unsafe { (first.run(i, m), left.run(i, m), sink.room(i)) };
        // SAFETY: as above.
        let b = if twice { a } else { unsafe { right.run(i, m) } };
        match isa {
            // SAFETY: as above.
            Isa::Portable => unsafe { portable::map3::<K, T>(m, c, a, b, o) },
            // SAFETY: as above; the caller says that the instruction set is supported.
            _ => unsafe { native_light::map3::<K, T>(m, c, a, b, o) },
        }
        // SAFETY: the body filled `m` results.
        unsafe { sink.put(i, m) };
    }
}
