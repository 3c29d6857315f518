//! The loops over contiguous memory, compiled for each instruction set.
//!
//! They see slices, so that LLVM knows what overlaps; a result in place of an operand has loops of its own, over one pointer.
use super::tile::TILE;
use super::{Map1, Map2, Map3};
use std::mem::MaybeUninit;

/// An element at any address.
#[derive(Clone, Copy)]
#[repr(C, packed)]
pub(super) struct Any<T>(pub(super) T);

/// # Safety
/// `n` elements can be read from `p`, and nothing writes to them while the slice lives.
#[inline(always)]
pub(super) unsafe fn read<'a, T>(p: *const T, n: usize) -> &'a [Any<T>] {
    // SAFETY: passed on to the caller; `Any` asks for no alignment.
    unsafe { std::slice::from_raw_parts(p.cast(), n) }
}

/// # Safety
/// `n` elements can be written at `p`, and nothing else touches them while the slice lives.
#[inline(always)]
pub(super) unsafe fn write<'a, T>(p: *mut T, n: usize) -> &'a mut [MaybeUninit<Any<T>>] {
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
    if K::GUARD {
        return guarded2::<K, T>(a, b, o);
    }
    for ((o, a), b) in o.iter_mut().zip(a).zip(b) {
        o.write(Any(K::apply(a.0, b.0)));
    }
}

#[inline(always)]
fn guarded2<K: Map2<T>, T: Copy>(a: &[Any<T>], b: &[Any<T>], o: &mut [MaybeUninit<Any<K::Out>>]) {
    for ((o, a), b) in o.chunks_mut(TILE).zip(a.chunks(TILE)).zip(b.chunks(TILE)) {
        let mut any = false;
        for ((o, a), b) in o.iter_mut().zip(a).zip(b) {
            any |= K::guard(a.0, b.0);
            o.write(Any(K::apply(a.0, b.0)));
        }
        if any {
            redo2::<K, T>(a, b, o);
        }
    }
}

#[cold]
#[inline(never)]
pub(super) fn redo2<K: Map2<T>, T: Copy>(a: &[Any<T>], b: &[Any<T>], o: &mut [MaybeUninit<Any<K::Out>>]) {
    for ((o, a), b) in o.iter_mut().zip(a).zip(b) {
        if K::guard(a.0, b.0) {
            o.write(Any(K::slow(a.0, b.0)));
        }
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
    if K::HAS_EASY && c.iter().fold(true, |all, c| all & K::is_easy(c.0)) {
        for (((o, c), a), b) in o.iter_mut().zip(c).zip(a).zip(b) {
            o.write(Any(K::easy(c.0, a.0, b.0)));
        }
        return;
    }
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
        pub(super) mod $isa {
            use super::{Map1, Map2, read, write};
            $(#[target_feature(enable = $features)])?
            pub(in crate::elementwise) unsafe fn map1<K: Map1<T>, T: Copy>(n: usize, x: *const T, o: *mut K::Out) {
                // SAFETY: the caller's promise.
                let (x, o) = unsafe { (read(x, n), write(o, n)) };
                super::map1::<K, T>(x, o)
            }
            $(#[target_feature(enable = $features)])?
            pub(in crate::elementwise) unsafe fn map2<K: Map2<T>, T: Copy>(n: usize, a: *const T, b: *const T, o: *mut K::Out) {
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
        pub(super) mod $isa {
            use super::{Map1, Map2, Map3, read, write};
            $(#[target_feature(enable = $features)])?
            pub(in crate::elementwise) unsafe fn left_scalar2<K: Map2<T>, T: Copy>(n: usize, a: T, b: *const T, o: *mut K::Out) {
                // SAFETY: the caller's promise.
                let (b, o) = unsafe { (read(b, n), write(o, n)) };
                super::left_scalar2::<K, T>(a, b, o)
            }
            $(#[target_feature(enable = $features)])?
            pub(in crate::elementwise) unsafe fn right_scalar2<K: Map2<T>, T: Copy>(n: usize, a: *const T, b: T, o: *mut K::Out) {
                // SAFETY: the caller's promise.
                let (a, o) = unsafe { (read(a, n), write(o, n)) };
                super::right_scalar2::<K, T>(a, b, o)
            }
            $(#[target_feature(enable = $features)])?
            pub(in crate::elementwise) unsafe fn fill<O: Copy>(n: usize, value: O, o: *mut O) {
                // SAFETY: the caller's promise: room for `n` results.
                unsafe { write(o, n) }.fill(std::mem::MaybeUninit::new(super::Any(value)));
            }
            $(#[target_feature(enable = $features)])?
            pub(in crate::elementwise) unsafe fn update1<K: Map1<T>, T: Copy>(n: usize, p: *mut T) {
                // SAFETY: the caller's promise.
                unsafe { super::update1::<K, T>(n, p) }
            }
            $(#[target_feature(enable = $features)])?
            pub(in crate::elementwise) unsafe fn update2<K: Map2<T>, T: Copy>(n: usize, p: *mut T, b: *const T) {
                // SAFETY: the caller's promise.
                unsafe { super::update2::<K, T>(n, p, read(b, n)) }
            }
            $(#[target_feature(enable = $features)])?
            pub(in crate::elementwise) unsafe fn update_by_scalar2<K: Map2<T>, T: Copy>(n: usize, p: *mut T, b: T) {
                // SAFETY: the caller's promise.
                unsafe { super::update_by_scalar2::<K, T>(n, p, b) }
            }
            $(#[target_feature(enable = $features)])?
            pub(in crate::elementwise) unsafe fn map3<K: Map3<T>, T: Copy>(
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
pub(super) mod portable {
    use super::{Any, Map1, Map2, Map3, read, write};

    /// # Safety
    /// `n` elements can be read from `x`, and as many written at `o`, which lies apart.
    pub(in crate::elementwise) unsafe fn map1<K: Map1<T>, T: Copy>(n: usize, x: *const T, o: *mut K::Out) {
        // SAFETY: the caller's promise.
        let (x, o) = unsafe { (read(x, n), write(o, n)) };
        for (o, x) in o.iter_mut().zip(x) {
            o.write(Any(K::slow(x.0)));
        }
    }

    /// # Safety
    /// `n` elements can be read from `a` and `b`, and as many written at `o`, which lies apart.
    pub(in crate::elementwise) unsafe fn map2<K: Map2<T>, T: Copy>(n: usize, a: *const T, b: *const T, o: *mut K::Out) {
        // SAFETY: the caller's promise.
        let (a, b, o) = unsafe { (read(a, n), read(b, n), write(o, n)) };
        for ((o, a), b) in o.iter_mut().zip(a).zip(b) {
            o.write(Any(K::slow(a.0, b.0)));
        }
    }

    /// # Safety
    /// `n` elements can be read from `c`, `a` and `b`, and as many written at `o`, which lies apart.
    pub(in crate::elementwise) unsafe fn map3<K: Map3<T>, T: Copy>(
        n: usize,
        c: *const K::First,
        a: *const T,
        b: *const T,
        o: *mut K::Out,
    ) {
        // SAFETY: the caller's promise.
        let (c, a, b, o) = unsafe { (read(c, n), read(a, n), read(b, n), write(o, n)) };
        for (((o, c), a), b) in o.iter_mut().zip(c).zip(a).zip(b) {
            o.write(Any(K::slow(c.0, a.0, b.0)));
        }
    }
}
