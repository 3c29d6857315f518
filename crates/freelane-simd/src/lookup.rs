//! Tables of sixteen floats, read at many places at once.
use crate::Isa;
use core::mem::MaybeUninit;

/// Floats that tables hold.
pub trait Lookup: Copy {
    /// `out[i]` becomes the entry at the lowest four bits of `places[i]`, for as many as both slices have. A path that this
    /// CPU lacks is not taken.
    fn look_up(isa: Isa, table: &[Self; 16], places: &[Self], out: &mut [MaybeUninit<Self>]);
}

macro_rules! lookup {
    ($($t:ident;)*) => { $(
        impl Lookup for $t {
            #[inline]
            fn look_up(isa: Isa, table: &[$t; 16], places: &[$t], out: &mut [MaybeUninit<$t>]) {
                #[cfg(target_arch = "x86_64")]
                if isa == Isa::Avx512 && (isa == Isa::current() || isa.is_supported()) {
                    // SAFETY: this CPU has the instructions, as just asked.
                    return unsafe { avx512::$t(table, places, out) };
                }
                let _ = isa;
                plain::$t(table, places, out)
            }
        }
    )* };
}
lookup! { f32; f64; }

mod plain {
    use super::MaybeUninit;

    macro_rules! plain {
        ($($t:ident;)*) => { $(
            pub(super) fn $t(table: &[$t; 16], places: &[$t], out: &mut [MaybeUninit<$t>]) {
                for (o, p) in out.iter_mut().zip(places) {
                    o.write(table[p.to_bits() as usize & 15]);
                }
            }
        )* };
    }
    plain! { f32; f64; }
}

/// A table in one or two registers, whose lanes an instruction picks by number, higher bits having no effect.
#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::{MaybeUninit, plain};
    use core::arch::x86_64::*;

    macro_rules! wide {
        ($t:ident, $l:literal, $store:ident, |$table:ident| $registers:expr, |$r:ident, $lanes:ident| $pick:expr) => {
            #[target_feature(enable = "avx512f")]
            pub(super) fn $t($table: &[$t; 16], places: &[$t], out: &mut [MaybeUninit<$t>]) {
                // SAFETY: the table has sixteen entries.
                let $r = unsafe { $registers };
                let whole = places.len().min(out.len()) / $l * $l;
                for i in (0..whole).step_by($l) {
                    // SAFETY: `i + L <= whole`, which both slices have.
                    let $lanes = unsafe { _mm512_loadu_si512(places.as_ptr().add(i).cast()) };
                    // SAFETY: as above.
                    unsafe { $store(out.as_mut_ptr().add(i).cast(), $pick) };
                }
                plain::$t($table, &places[whole..], &mut out[whole..]);
            }
        };
    }
    wide!(f32, 16, _mm512_storeu_ps, |table| _mm512_loadu_ps(table.as_ptr()), |r, lanes| _mm512_permutexvar_ps(
        lanes, r
    ));
    wide!(
        f64,
        8,
        _mm512_storeu_pd,
        |table| (_mm512_loadu_pd(table.as_ptr()), _mm512_loadu_pd(table.as_ptr().add(8))),
        |r, lanes| _mm512_permutex2var_pd(r.0, lanes, r.1)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Lookup + From<u8> + PartialEq + std::fmt::Debug>(place: impl Fn(usize) -> T) {
        let table: [T; 16] = std::array::from_fn(|i| T::from(i as u8));
        let places: Vec<T> = (0..300).map(place).collect();
        for &isa in Isa::available() {
            for n in [0, 1, 7, 8, 9, 15, 16, 17, 300] {
                let mut out = vec![MaybeUninit::new(T::from(99)); 300];
                T::look_up(isa, &table, &places[..n], &mut out);
                for (i, o) in out.iter().enumerate() {
                    // SAFETY: initialised above.
                    let o = unsafe { o.assume_init() };
                    assert_eq!(o, T::from(if i < n { (i * 7 % 16) as u8 } else { 99 }), "{isa} {i} of {n}");
                }
            }
        }
    }

    #[test]
    fn entries_are_those_at_the_lowest_bits() {
        check(|i| f32::from_bits((i * 7) as u32 | 0x4b40_0000));
        check(|i| f64::from_bits((i * 7) as u64 | 0xc338 << 48));
    }
}
