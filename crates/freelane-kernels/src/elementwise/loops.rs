//! The erased inner loops: what a table of functions holds.
//!
//! One loop per function and element type picks the shape at run time: contiguous, a scalar operand (stride 0), the result
//! in place of the left operand, and everything else through tiles.
use super::tile::{Sink, Source, TILE, tile};
use super::{Map1, Map2, Map3, Tier};
use freelane_simd::Isa;
use std::mem::{MaybeUninit, size_of};

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

/// An element at any address.
#[derive(Clone, Copy)]
#[repr(C, packed)]
struct Any<T>(T);

type Body1<T, O> = unsafe fn(usize, *const T, *mut O);
type Body2<T, O> = unsafe fn(usize, *const T, *const T, *mut O);

/// # Safety
/// `n` elements can be read from `p`, and nothing writes to them while the slice lives.
#[inline(always)]
unsafe fn read<'a, T>(p: *const T, n: usize) -> &'a [Any<T>] {
    // SAFETY: passed on to the caller; `Any` asks for no alignment.
    unsafe { std::slice::from_raw_parts(p.cast(), n) }
}

/// # Safety
/// `n` elements can be written at `p`, and nothing else touches them while the slice lives.
#[inline(always)]
unsafe fn write<'a, T>(p: *mut T, n: usize) -> &'a mut [MaybeUninit<Any<T>>] {
    // SAFETY: passed on to the caller; `Any` asks for no alignment and `MaybeUninit` for no contents.
    unsafe { std::slice::from_raw_parts_mut(p.cast(), n) }
}

#[inline(always)]
fn map1<K: Map1<T>, T: Copy>(x: &[Any<T>], o: &mut [MaybeUninit<Any<K::Out>>]) {
    if K::GUARD {
        return guarded1::<K, T>(x, o);
    }
    for (o, x) in o.iter_mut().zip(x) {
        o.write(Any(K::apply(x.0)));
    }
}

#[inline(always)]
fn guarded1<K: Map1<T>, T: Copy>(x: &[Any<T>], o: &mut [MaybeUninit<Any<K::Out>>]) {
    for (o, x) in o.chunks_mut(TILE).zip(x.chunks(TILE)) {
        let mut any = false;
        for (o, x) in o.iter_mut().zip(x) {
            any |= K::guard(x.0);
            o.write(Any(K::apply(x.0)));
        }
        if any {
            redo1::<K, T>(x, o);
        }
    }
}

#[cold]
#[inline(never)]
fn redo1<K: Map1<T>, T: Copy>(x: &[Any<T>], o: &mut [MaybeUninit<Any<K::Out>>]) {
    for (o, x) in o.iter_mut().zip(x) {
        if K::guard(x.0) {
            o.write(Any(K::slow(x.0)));
        }
    }
}

#[inline(always)]
fn map2<K: Map2<T>, T: Copy>(a: &[Any<T>], b: &[Any<T>], o: &mut [MaybeUninit<Any<K::Out>>]) {
    for ((o, a), b) in o.iter_mut().zip(a).zip(b) {
        o.write(Any(K::apply(a.0, b.0)));
    }
}

#[inline(always)]
fn left_scalar2<K: Map2<T>, T: Copy>(a: T, b: &[Any<T>], o: &mut [MaybeUninit<Any<K::Out>>]) {
    for (o, b) in o.iter_mut().zip(b) {
        o.write(Any(K::apply(a, b.0)));
    }
}

#[inline(always)]
fn right_scalar2<K: Map2<T>, T: Copy>(a: &[Any<T>], b: T, o: &mut [MaybeUninit<Any<K::Out>>]) {
    for (o, a) in o.iter_mut().zip(a) {
        o.write(Any(K::apply(a.0, b)));
    }
}

#[inline(always)]
fn map3<K: Map3<T>, T: Copy>(c: &[Any<K::First>], a: &[Any<T>], b: &[Any<T>], o: &mut [MaybeUninit<Any<K::Out>>]) {
    for (((o, c), a), b) in o.iter_mut().zip(c).zip(a).zip(b) {
        o.write(Any(K::apply(c.0, a.0, b.0)));
    }
}

/// # Safety
/// `n` elements can be read and written at `p`; an element and its result have the same size.
#[inline(always)]
unsafe fn update1<K: Map1<T>, T: Copy>(n: usize, p: *mut T) {
    for i in 0..n {
        // SAFETY: `i < n`.
        let x = unsafe { p.add(i).read_unaligned() };
        // SAFETY: as above, and the sizes are the same.
        unsafe { p.add(i).cast::<K::Out>().write_unaligned(K::apply(x)) };
    }
}

/// # Safety
/// As for `update1`; `b` has `n` elements that are none of those at `p`.
#[inline(always)]
unsafe fn update2<K: Map2<T>, T: Copy>(n: usize, p: *mut T, b: &[Any<T>]) {
    for (i, b) in b.iter().enumerate().take(n) {
        // SAFETY: `i < n`.
        let a = unsafe { p.add(i).read_unaligned() };
        // SAFETY: as above, and the sizes are the same.
        unsafe { p.add(i).cast::<K::Out>().write_unaligned(K::apply(a, b.0)) };
    }
}

/// # Safety
/// As for `update1`.
#[inline(always)]
unsafe fn update_by_scalar2<K: Map2<T>, T: Copy>(n: usize, p: *mut T, b: T) {
    for i in 0..n {
        // SAFETY: `i < n`.
        let a = unsafe { p.add(i).read_unaligned() };
        // SAFETY: as above, and the sizes are the same.
        unsafe { p.add(i).cast::<K::Out>().write_unaligned(K::apply(a, b)) };
    }
}

/// The loops for one instruction set. All are unsafe for the same two reasons: the CPU must have the features, and the
/// pointers must satisfy the function whose name they bear.
macro_rules! shells {
    ($isa:ident $(, $features:literal)?) => {
        mod $isa {
            use super::{Map1, Map2, read, write};
            $(#[target_feature(enable = $features)])?
            pub(super) unsafe fn map1<K: Map1<T>, T: Copy>(n: usize, x: *const T, o: *mut K::Out) {
                // SAFETY: the caller's promise.
                let (x, o) = unsafe { (read(x, n), write(o, n)) };
                super::map1::<K, T>(x, o)
            }
            $(#[target_feature(enable = $features)])?
            pub(super) unsafe fn map2<K: Map2<T>, T: Copy>(n: usize, a: *const T, b: *const T, o: *mut K::Out) {
                // SAFETY: the caller's promise.
                let (a, b, o) = unsafe { (read(a, n), read(b, n), write(o, n)) };
                super::map2::<K, T>(a, b, o)
            }
        }
    };
}

/// The loops that only light functions have.
macro_rules! light_shells {
    ($isa:ident $(, $features:literal)?) => {
        mod $isa {
            use super::{Map1, Map2, Map3, read, write};
            $(#[target_feature(enable = $features)])?
            pub(super) unsafe fn left_scalar2<K: Map2<T>, T: Copy>(n: usize, a: T, b: *const T, o: *mut K::Out) {
                // SAFETY: the caller's promise.
                let (b, o) = unsafe { (read(b, n), write(o, n)) };
                super::left_scalar2::<K, T>(a, b, o)
            }
            $(#[target_feature(enable = $features)])?
            pub(super) unsafe fn right_scalar2<K: Map2<T>, T: Copy>(n: usize, a: *const T, b: T, o: *mut K::Out) {
                // SAFETY: the caller's promise.
                let (a, o) = unsafe { (read(a, n), write(o, n)) };
                super::right_scalar2::<K, T>(a, b, o)
            }
            $(#[target_feature(enable = $features)])?
            pub(super) unsafe fn update1<K: Map1<T>, T: Copy>(n: usize, p: *mut T) {
                // SAFETY: the caller's promise.
                unsafe { super::update1::<K, T>(n, p) }
            }
            $(#[target_feature(enable = $features)])?
            pub(super) unsafe fn update2<K: Map2<T>, T: Copy>(n: usize, p: *mut T, b: *const T) {
                // SAFETY: the caller's promise.
                unsafe { super::update2::<K, T>(n, p, read(b, n)) }
            }
            $(#[target_feature(enable = $features)])?
            pub(super) unsafe fn update_by_scalar2<K: Map2<T>, T: Copy>(n: usize, p: *mut T, b: T) {
                // SAFETY: the caller's promise.
                unsafe { super::update_by_scalar2::<K, T>(n, p, b) }
            }
            $(#[target_feature(enable = $features)])?
            pub(super) unsafe fn map3<K: Map3<T>, T: Copy>(
                n: usize,
                c: *const K::First,
                a: *const T,
                b: *const T,
                o: *mut K::Out,
            ) {
                // SAFETY: the caller's promise.
                let (c, a, b, o) = unsafe { (read(c, n), read(a, n), read(b, n), write(o, n)) };
                super::map3::<K, T>(c, a, b, o)
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
shells!(native, "avx2,fma,bmi1,bmi2,lzcnt,popcnt");
#[cfg(target_arch = "x86_64")]
shells!(avx512, "avx512f,avx512dq,avx512vl,avx512bw,avx512cd,avx2,fma,bmi1,bmi2,lzcnt,popcnt");
#[cfg(target_arch = "x86_64")]
light_shells!(native_light, "avx2,fma,bmi1,bmi2,lzcnt,popcnt");
#[cfg(not(target_arch = "x86_64"))]
shells!(native);
#[cfg(not(target_arch = "x86_64"))]
light_shells!(native_light);

/// The loops of the portable path.
mod portable {
    use super::{Any, Map1, Map2, Map3, read, write};

    /// # Safety
    /// `n` elements can be read from `x`, and as many written at `o`, which lies apart.
    pub(super) unsafe fn map1<K: Map1<T>, T: Copy>(n: usize, x: *const T, o: *mut K::Out) {
        // SAFETY: the caller's promise.
        let (x, o) = unsafe { (read(x, n), write(o, n)) };
        for (o, x) in o.iter_mut().zip(x) {
            o.write(Any(K::slow(x.0)));
        }
    }

    /// # Safety
    /// `n` elements can be read from `a` and `b`, and as many written at `o`, which lies apart.
    pub(super) unsafe fn map2<K: Map2<T>, T: Copy>(n: usize, a: *const T, b: *const T, o: *mut K::Out) {
        // SAFETY: the caller's promise.
        let (a, b, o) = unsafe { (read(a, n), read(b, n), write(o, n)) };
        for ((o, a), b) in o.iter_mut().zip(a).zip(b) {
            o.write(Any(K::slow(a.0, b.0)));
        }
    }

    /// # Safety
    /// `n` elements can be read from `c`, `a` and `b`, and as many written at `o`, which lies apart.
    pub(super) unsafe fn map3<K: Map3<T>, T: Copy>(
        n: usize,
        c: *const K::First,
        a: *const T,
        b: *const T,
        o: *mut K::Out,
    ) {
        // SAFETY: the caller's promise.
        let (c, a, b, o) = unsafe { (read(c, n), read(a, n), read(b, n), write(o, n)) };
        super::map3::<K, T>(c, a, b, o)
    }
}

#[inline(always)]
fn body1<K: Map1<T>, T: Copy>(isa: Isa) -> Body1<T, K::Out> {
    match (isa, K::TIER) {
        (Isa::Portable, _) | (_, Tier::Scalar) => portable::map1::<K, T>,
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx512, Tier::Heavy) => avx512::map1::<K, T>,
        _ => native::map1::<K, T>,
    }
}

#[inline(always)]
fn body2<K: Map2<T>, T: Copy>(isa: Isa) -> Body2<T, K::Out> {
    match (isa, K::TIER) {
        (Isa::Portable, _) | (_, Tier::Scalar) => portable::map2::<K, T>,
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx512, Tier::Heavy) => avx512::map2::<K, T>,
        _ => native::map2::<K, T>,
    }
}

/// Whether the loops made for light functions can run.
#[inline(always)]
fn light(isa: Isa, tier: Tier) -> bool {
    isa != Isa::Portable && matches!(tier, Tier::Light)
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
        unsafe { body1::<K, T>(isa)(n, x.cast(), o.cast()) }
    } else if ex == eo && xs == ex && os == eo && light(isa, K::TIER) {
        // SAFETY: the caller's promise; results replace elements of their own size.
        unsafe { native_light::update1::<K, T>(n, o.cast()) }
    } else {
        // SAFETY: the caller's promise.
        unsafe { tiled1(body1::<K, T>(isa), n, x, xs, o, os) }
    }
}

/// # Safety
/// As for [`loop1`].
#[inline(never)]
unsafe fn tiled1<T: Copy, O: Copy>(body: Body1<T, O>, n: usize, x: *const u8, xs: isize, o: *mut u8, os: isize) {
    let (mut tx, mut to) = (tile(), tile());
    // SAFETY: the caller's promise.
    let mut source = unsafe { Source::new(x, xs, n, &mut tx) };
    let mut sink = Sink::new(o, os, x != o.cast_const(), &mut to);
    for i in (0..n).step_by(TILE) {
        let m = TILE.min(n - i);
        // SAFETY: `i + m <= n`; the result is a tile, or apart from the operand.
        unsafe { body(m, source.run(i, m), sink.room(i)) };
        // SAFETY: the body filled `m` results.
        unsafe { sink.put(i, m) };
    }
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
    let (e, eo) = (size_of::<T>() as isize, size_of::<K::Out>() as isize);
    let apart = a != o.cast_const() && b != o.cast_const();
    if sa == e && sb == e && os == eo && apart {
        // SAFETY: the caller's promise; operands and result are contiguous and apart.
        return unsafe { body2::<K, T>(isa)(n, a.cast(), b.cast(), o.cast()) };
    }
    // SAFETY: the caller's promise.
    if os != eo || !light(isa, K::TIER) || !unsafe { shaped2::<K, T>(n, a, sa, b, sb, o) } {
        // SAFETY: the caller's promise.
        unsafe { tiled2(body2::<K, T>(isa), n, a, sa, b, sb, o, os) }
    }
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
    false
}

/// # Safety
/// As for [`loop2`].
#[inline(never)]
#[allow(clippy::too_many_arguments, reason = "the signature of `Loop2`")]
unsafe fn tiled2<T: Copy, O: Copy>(
    body: Body2<T, O>,
    n: usize,
    a: *const u8,
    sa: isize,
    b: *const u8,
    sb: isize,
    o: *mut u8,
    os: isize,
) {
    let (mut ta, mut tb, mut to) = (tile(), tile(), tile());
    // SAFETY: the caller's promise.
    let mut left = unsafe { Source::new(a, sa, n, &mut ta) };
    // SAFETY: the caller's promise.
    let mut right = unsafe { Source::new(b, sb, n, &mut tb) };
    let mut sink = Sink::new(o, os, a != o.cast_const() && b != o.cast_const(), &mut to);
    for i in (0..n).step_by(TILE) {
        let m = TILE.min(n - i);
        // SAFETY: `i + m <= n`; the result is a tile, or apart from the operands.
        unsafe { body(m, left.run(i, m), right.run(i, m), sink.room(i)) };
        // SAFETY: the body filled `m` results.
        unsafe { sink.put(i, m) };
    }
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
    let (mut tc, mut ta, mut tb, mut to) = (tile::<K::First>(), tile::<T>(), tile::<T>(), tile::<K::Out>());
    // SAFETY: the caller's promise.
    let mut first = unsafe { Source::new(c, sc, n, &mut tc) };
    // SAFETY: the caller's promise.
    let mut left = unsafe { Source::new(a, sa, n, &mut ta) };
    // SAFETY: the caller's promise.
    let mut right = unsafe { Source::new(b, sb, n, &mut tb) };
    let apart = [a, b, c].iter().all(|&p| p != o.cast_const());
    let mut sink = Sink::new(o, os, apart, &mut to);
    for i in (0..n).step_by(TILE) {
        let m = TILE.min(n - i);
        // SAFETY: `i + m <= n`; the result is a tile, or apart from the operands.
        let (c, a, b, o) = unsafe { (first.run(i, m), left.run(i, m), right.run(i, m), sink.room(i)) };
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
