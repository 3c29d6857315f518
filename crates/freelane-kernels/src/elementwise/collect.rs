//! Elements that lie apart, copied side by side: one loop for each size of an element, whatever its type.
//!
//! Every second element (`x[::2]`, the parts of complex numbers) and elements backwards are read as whole vectors.
use freelane_simd::Isa;
use std::mem::size_of;

/// Copies `m` elements that lie `stride` bytes apart side by side.
pub(super) type Collect = unsafe fn(from: *const u8, stride: isize, m: usize, to: *mut u8);

/// The copy for elements of a type. It is unsafe to call: `from` and `stride` must reach `m` readable elements, `to` must
/// have room for as many, apart from them, and the CPU must support `isa`. Neither needs to be aligned.
#[inline(always)]
pub(super) fn collector<T>(isa: Isa) -> Collect {
    let portable = isa == Isa::Portable;
    match size_of::<T>() {
        1 if portable => portable::collect::<u8>,
        2 if portable => portable::collect::<u16>,
        4 if portable => portable::collect::<u32>,
        8 if portable => portable::collect::<u64>,
        1 => native::collect::<u8>,
        2 => native::collect::<u16>,
        4 => native::collect::<u32>,
        8 => native::collect::<u64>,
        16 => portable::collect::<[u64; 2]>,
        size => unreachable!("elements of {size} bytes"),
    }
}

macro_rules! shells {
    ($isa:ident $(, $features:literal)?) => {
        mod $isa {
            /// # Safety
            /// As `collector` says, with words for elements.
            $(#[target_feature(enable = $features)])?
            pub(super) unsafe fn collect<W: Copy>(from: *const u8, stride: isize, m: usize, to: *mut u8) {
                let word = size_of::<W>() as isize;
                if stride == 2 * word {
                    // SAFETY: the caller's promise.
                    unsafe { super::collect::<W>(from, 2 * word, m, to.cast()) }
                } else if stride == -word {
                    // SAFETY: the caller's promise.
                    unsafe { super::collect::<W>(from, -word, m, to.cast()) }
                } else {
                    // SAFETY: the caller's promise.
                    unsafe { super::collect::<W>(from, stride, m, to.cast()) }
                }
            }
        }
    };
}
shells!(portable);
#[cfg(target_arch = "x86_64")]
shells!(native, "avx2,fma,bmi1,bmi2,lzcnt,popcnt");
#[cfg(not(target_arch = "x86_64"))]
shells!(native);

/// # Safety
/// As [`collector`] says, with words for elements.
#[inline(always)]
unsafe fn collect<W: Copy>(from: *const u8, stride: isize, m: usize, to: *mut W) {
    for j in 0..m {
        let p = from.wrapping_offset(stride.wrapping_mul(j as isize)).cast::<W>();
        // SAFETY: `j < m`, so there is a word.
        let word = unsafe { p.read_unaligned() };
        // SAFETY: there is room for `m` words.
        unsafe { to.add(j).write_unaligned(word) };
    }
}
