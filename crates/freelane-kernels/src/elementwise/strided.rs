//! Loops of light functions over operands that do not lie side by side; the results do.
//!
//! Where every second element is taken, vectors are read and put together; but pairs of complex numbers are read one by one
//! unless much is done with them. Where elements lie further apart, those of eight bytes and more are read one by one; smaller ones go
//! through tiles.
use super::{Map1, Map2};

/// Whether there is a loop for operands at these strides that is better than tiles.
#[inline(always)]
pub(super) fn has_loop<T>(strides: &[isize]) -> bool {
    size_of::<T>() >= 8 || size_of::<T>() == 4 && strides.iter().all(|&s| s == twice::<T>())
}

#[inline(always)]
fn twice<T>() -> isize {
    2 * size_of::<T>() as isize
}

/// Whether elements are numbers of one part.
#[inline(always)]
fn is_single<T>() -> bool {
    align_of::<T>() == size_of::<T>()
}

/// The element `i * stride` bytes on.
///
/// # Safety
/// There is one to read.
#[inline(always)]
pub(super) unsafe fn get<T: Copy>(p: *const u8, stride: isize, i: usize) -> T {
    // SAFETY: the caller's promise.
    unsafe { p.wrapping_offset(stride.wrapping_mul(i as isize)).cast::<T>().read_unaligned() }
}

/// Whether two operands that lie side by side are better read one by one too: complex numbers, for a truth.
#[inline(always)]
pub(super) fn beats_vectors<T, O>() -> bool {
    size_of::<O>() == 1 && size_of::<T>() >= 8 && !is_single::<T>()
}

/// # Safety
/// `x` and `xs` reach `n` readable elements, and `o` has room for `n` results, apart from all of them.
#[inline(always)]
unsafe fn each1<K: Map1<T>, T: Copy>(n: usize, x: *const u8, xs: isize, o: *mut K::Out) {
    for i in 0..n {
        // SAFETY: `i < n`.
        let y = K::apply(unsafe { get(x, xs, i) });
        // SAFETY: `i < n`.
        unsafe { o.add(i).write_unaligned(y) };
    }
}

/// # Safety
/// `a`, `sa` and `b`, `sb` reach `n` readable elements, and `o` has room for `n` results, apart from all of them.
#[inline(always)]
unsafe fn each2<K: Map2<T>, T: Copy>(n: usize, a: *const u8, sa: isize, b: *const u8, sb: isize, o: *mut K::Out) {
    for i in 0..n {
        // SAFETY: `i < n`.
        let (a, b) = unsafe { (get(a, sa, i), get(b, sb, i)) };
        // SAFETY: `i < n`.
        unsafe { o.add(i).write_unaligned(K::apply(a, b)) };
    }
}

/// Every second element, known as such, is read as whole vectors.
macro_rules! shells {
    ($($features:literal)?) => {
        /// # Safety
        /// As `each1`; this CPU has the native instruction set.
        $(#[target_feature(enable = $features)])?
        pub(super) unsafe fn map1<K: Map1<T>, T: Copy>(n: usize, x: *const u8, xs: isize, o: *mut K::Out) {
            if xs == twice::<T>() {
                // SAFETY: the caller's promise.
                unsafe { each1::<K, T>(n, x, twice::<T>(), o) }
            } else {
                // SAFETY: the caller's promise.
                unsafe { each1::<K, T>(n, x, xs, o) }
            }
        }

        /// # Safety
        /// As `each2`; this CPU has the native instruction set.
        $(#[target_feature(enable = $features)])?
        pub(super) unsafe fn map2<K: Map2<T>, T: Copy>(
            n: usize,
            a: *const u8,
            sa: isize,
            b: *const u8,
            sb: isize,
            o: *mut K::Out,
        ) {
            if (is_single::<T>() || K::BY_VECTORS) && sa == twice::<T>() && sb == twice::<T>() {
                // SAFETY: the caller's promise.
                unsafe { each2::<K, T>(n, a, twice::<T>(), b, twice::<T>(), o) }
            } else {
                // SAFETY: the caller's promise.
                unsafe { each2::<K, T>(n, a, sa, b, sb, o) }
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
shells!("avx2,fma,bmi1,bmi2,lzcnt,popcnt");
#[cfg(not(target_arch = "x86_64"))]
shells!();
