//! Loops over elements and keys, chosen by the type of the elements.
use super::keys::Keyed;
use freelane_simd::Isa;

/// `n` elements to keys or back; strides in bytes.
pub type CodeLoop =
    unsafe fn(descending: bool, n: usize, from: *const u8, stride: isize, to: *mut u8, to_stride: isize);

/// Whether `n` elements are in order.
pub type OrderLoop = unsafe fn(descending: bool, n: usize, x: *const u8, stride: isize) -> bool;

/// The loops of an element type, and the direction of its order.
#[derive(Clone, Copy)]
pub struct Codec {
    /// Whether the largest element comes first.
    pub descending: bool,
    /// Bytes of a key.
    pub width: usize,
    /// Whether some elements are equal that have different bits.
    pub float: bool,
    /// Whether keys are the elements themselves.
    pub plain: bool,
    /// Elements to keys that can be read back.
    pub encode: CodeLoop,
    /// Elements to keys for comparing.
    pub rank: CodeLoop,
    /// Keys to elements.
    pub decode: CodeLoop,
    /// Whether elements are in order.
    pub ordered: OrderLoop,
}

/// The loops of `T`.
///
/// # Safety (of the loops)
/// There are `n` elements and as many keys at these strides, and those that are written are nobody else's.
pub fn codec<T: Keyed>(descending: bool) -> Codec {
    let (width, float, plain) = (size_of::<T>(), T::FLOAT, T::SIGNED && !descending);
    #[cfg(target_arch = "x86_64")]
    if matches!(Isa::current(), Isa::Avx2 | Isa::Avx512) {
        let (encode, rank): (CodeLoop, CodeLoop) = (avx2::encode::<T>, avx2::rank::<T>);
        return Codec {
            descending,
            width,
            float,
            plain,
            encode,
            rank,
            decode: avx2::decode::<T>,
            ordered: avx2::ordered::<T>,
        };
    }
    let (encode, rank): (CodeLoop, CodeLoop) = (plain::encode::<T>, plain::rank::<T>);
    Codec { descending, width, float, plain, encode, rank, decode: plain::decode::<T>, ordered: plain::ordered::<T> }
}

macro_rules! loops {
    ($module:ident $(, $feature:meta)?) => {
        mod $module {
            use super::*;

            $(#[$feature])?
            pub unsafe fn encode<T: Keyed>(
                d: bool, n: usize, from: *const u8, stride: isize, to: *mut u8, to_stride: isize,
            ) {
                // SAFETY: the caller's promise.
                unsafe { each(n, from.cast(), stride, to.cast(), to_stride, |x: T| x.key(d)) };
            }

            $(#[$feature])?
            pub unsafe fn rank<T: Keyed>(
                d: bool, n: usize, from: *const u8, stride: isize, to: *mut u8, to_stride: isize,
            ) {
                // SAFETY: the caller's promise.
                unsafe { each(n, from.cast(), stride, to.cast(), to_stride, |x: T| x.rank(d)) };
            }

            $(#[$feature])?
            pub unsafe fn decode<T: Keyed>(
                d: bool, n: usize, from: *const u8, stride: isize, to: *mut u8, to_stride: isize,
            ) {
                // SAFETY: the caller's promise.
                unsafe { each(n, from.cast(), stride, to.cast(), to_stride, |k| T::of_key(k, d)) };
            }

            $(#[$feature])?
            pub unsafe fn ordered<T: Keyed>(d: bool, n: usize, x: *const u8, stride: isize) -> bool {
                // SAFETY: the caller's promise.
                unsafe { super::ordered(d, n, x.cast::<T>(), stride) }
            }
        }
    };
}
loops!(plain);
#[cfg(target_arch = "x86_64")]
loops!(avx2, target_feature(enable = "avx2"));

/// Pairs that are compared before anybody looks at what came out.
const PAIRS: isize = 64;

/// # Safety
/// There are `n` elements.
#[inline(always)]
unsafe fn ordered<T: Keyed>(descending: bool, n: usize, x: *const T, stride: isize) -> bool {
    let pairs = n.saturating_sub(1) as isize;
    let mut from = 0;
    while from < pairs {
        let end = pairs.min(from + PAIRS);
        let part = x.wrapping_byte_offset(from * stride);
        // Of one size, side by side: a loop over vectors.
        let in_order = if stride == size_of::<T>() as isize {
            // SAFETY: the caller promises these elements and the one behind them.
            unsafe { part_ordered(descending, end - from, part, size_of::<T>() as isize) }
        } else {
            // SAFETY: as above.
            unsafe { part_ordered(descending, end - from, part, stride) }
        };
        if !in_order {
            return false;
        }
        from = end;
    }
    true
}

#[inline(always)]
unsafe fn part_ordered<T: Keyed>(descending: bool, pairs: isize, x: *const T, stride: isize) -> bool {
    let mut all = true;
    for i in 0..pairs {
        // SAFETY: the caller promises `pairs + 1` elements.
        let a = unsafe { x.byte_offset(i * stride).read_unaligned() };
        // SAFETY: as above.
        let b = unsafe { x.byte_offset((i + 1) * stride).read_unaligned() };
        all &= a.precedes(b, descending);
    }
    all
}

/// Keys for comparing complex numbers made of two `T`: first those in `major`, and in `minor` where they are equal.
///
/// Numbers compare by their real parts, then by their imaginary ones. Those with a NaN come last: first those with a NaN for an
/// imaginary part, by their real parts; then those with a NaN for a real part, by their imaginary ones.
///
/// # Safety
/// There are as many elements at this stride as `major` and `minor` have places.
pub unsafe fn complex_ranks<T: Keyed>(
    x: *const u8,
    stride: isize,
    descending: bool,
    major: &mut [i64],
    minor: &mut [i64],
) where
    T::K: Into<i64>,
{
    // The largest key is that of a NaN; no number has the one before.
    let nan = if size_of::<T>() == 4 { i64::from(i32::MAX) } else { i64::MAX };
    for (i, (major, minor)) in major.iter_mut().zip(minor).enumerate() {
        // SAFETY: the caller promises this element.
        let [re, im] = unsafe { x.offset(i as isize * stride).cast::<[T; 2]>().read_unaligned() };
        let (re, im) = (re.rank(descending).into(), im.rank(descending).into());
        (*major, *minor) = if im == nan && re != nan { (nan - 1, re) } else { (re, im) };
    }
}

/// `to[i] = f(from[i])`.
///
/// # Safety
/// As [`codec`].
#[inline(always)]
unsafe fn each<A: Copy, B>(
    n: usize,
    from: *const A,
    stride: isize,
    to: *mut B,
    to_stride: isize,
    f: impl Fn(A) -> B + Copy,
) {
    // Of one size, side by side: a loop over vectors.
    if stride == size_of::<A>() as isize && to_stride == size_of::<B>() as isize {
        // SAFETY: the caller's promise.
        unsafe { strided(n, from, size_of::<A>() as isize, to, size_of::<B>() as isize, f) }
    } else {
        // SAFETY: the caller's promise.
        unsafe { strided(n, from, stride, to, to_stride, f) }
    }
}

#[inline(always)]
unsafe fn strided<A: Copy, B>(
    n: usize,
    from: *const A,
    stride: isize,
    to: *mut B,
    to_stride: isize,
    f: impl Fn(A) -> B,
) {
    for i in 0..n as isize {
        // SAFETY: the caller promises that element `i` can be read.
        let x = unsafe { from.byte_offset(i * stride).read_unaligned() };
        // SAFETY: the caller promises that place `i` can be written.
        unsafe { to.byte_offset(i * to_stride).write_unaligned(f(x)) };
    }
}
