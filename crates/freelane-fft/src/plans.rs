//! Plans: factors and twiddles of a length, kept by the thread that made them.
//!
//! A plan is found by a load of a thread-local and a short search. It is shared with other lanes only while they work on a
//! call of its owner, who waits for them; its reference count is written by the owner alone.
use crate::real::Real;
use freelane_mem::MemError;
use freelane_sync::{lane_local, on_thread_exit};
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftDirection, FftPlanner};
use std::cell::Cell;
use std::ptr;
use std::sync::Arc;

/// Plans that a thread keeps, of each precision.
const MOST: usize = 24;
/// Estimated bytes of the plans that a thread keeps, of each precision.
const MOST_BYTES: usize = 96 << 20;
/// The newest plans, which stay whatever their size: there and back again, for one.
const NEWEST: usize = 2;
/// Length from which memory is asked for before a plan is made, since making one cannot fail in an orderly way.
const LONG: usize = 1 << 16;

lane_local! {
    // LEDGER: its thread; the plans of the lengths it used last
    static PLANS: Cell<*mut Plans> = Cell::new(ptr::null_mut());
}

/// What a plan is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Complex numbers to complex numbers, forward.
    Forward,
    /// Complex numbers to complex numbers, the inverse without its factor.
    Inverse,
    /// Real numbers to the first half of their spectrum.
    FromReal,
    /// The first half of a spectrum to real numbers.
    ToReal,
}

/// A plan of any way.
pub(crate) enum Plan<T: Real> {
    Complex(Arc<dyn Fft<T>>),
    FromReal(Arc<dyn RealToComplex<T>>),
    ToReal(Arc<dyn ComplexToReal<T>>),
}

impl<T: Real> Clone for Plan<T> {
    fn clone(&self) -> Self {
        match self {
            Plan::Complex(p) => Plan::Complex(p.clone()),
            Plan::FromReal(p) => Plan::FromReal(p.clone()),
            Plan::ToReal(p) => Plan::ToReal(p.clone()),
        }
    }
}

/// The plans of one precision, the one used last in front.
pub(crate) struct Cache<T: Real>(Vec<(Way, usize, Plan<T>)>);

impl<T: Real> Cache<T> {
    fn get(&mut self, way: Way, n: usize) -> Result<Plan<T>, MemError> {
        match self.0.iter().position(|(w, m, _)| (*w, *m) == (way, n)) {
            Some(0) => (),
            Some(at) => self.0[..=at].rotate_right(1),
            None => {
                self.0.insert(0, (way, n, make(way, n)?));
                self.0.truncate(stay(self.0.iter().map(|(_, n, _)| plan_bytes::<T>(*n))));
            }
        }
        Ok(self.0[0].2.clone())
    }

    fn bytes(&self) -> usize {
        self.0.iter().map(|(_, n, _)| plan_bytes::<T>(*n)).sum()
    }
}

/// How many of the plans, whose bytes are given, the newest first, stay.
fn stay(bytes: impl Iterator<Item = usize>) -> usize {
    let sums = bytes.scan(0usize, |sum, bytes| {
        *sum = sum.saturating_add(bytes);
        Some(*sum)
    });
    sums.take(MOST).enumerate().take_while(|(i, sum)| *i < NEWEST || *sum <= MOST_BYTES).count()
}

/// An estimate: twiddles of the length and of the parts it is made of.
fn plan_bytes<T>(n: usize) -> usize {
    n.saturating_mul(3 * size_of::<T>())
}

fn make<T: Real>(way: Way, n: usize) -> Result<Plan<T>, MemError> {
    if n >= LONG {
        let (bytes, align) = (plan_bytes::<T>(n).saturating_mul(3), align_of::<T>());
        let mut trial = Vec::<u8>::new();
        trial.try_reserve_exact(bytes).map_err(|_| MemError::OutOfMemory { bytes, align })?;
        std::hint::black_box(&trial);
    }
    Ok(match way {
        Way::Forward => Plan::Complex(FftPlanner::new().plan_fft(n, FftDirection::Forward)),
        Way::Inverse => Plan::Complex(FftPlanner::new().plan_fft(n, FftDirection::Inverse)),
        Way::FromReal => Plan::FromReal(RealFftPlanner::new().plan_fft_forward(n)),
        Way::ToReal => Plan::ToReal(RealFftPlanner::new().plan_fft_inverse(n)),
    })
}

/// What a thread keeps.
pub(crate) struct Plans {
    pub(crate) single: Cache<f32>,
    pub(crate) double: Cache<f64>,
}

impl Plans {
    const NONE: Plans = Plans { single: Cache(Vec::new()), double: Cache(Vec::new()) };

    /// Calls `f` with the calling thread's plans.
    fn with<R>(f: impl FnOnce(&mut Plans) -> R) -> R {
        let mut at = PLANS.with(Cell::get);
        if at.is_null() {
            at = Box::into_raw(Box::new(Plans::NONE));
            PLANS.with(|place| place.set(at));
            on_thread_exit(drop_plans);
        }
        // SAFETY: the box lives until its thread's exit hooks run; no `f` here comes back to this function, so that this is
        // the only reference.
        f(unsafe { &mut *at })
    }
}

fn drop_plans() {
    let at = PLANS.with(|place| place.replace(ptr::null_mut()));
    // SAFETY: `with` leaked the box on this thread and registered this hook once for it.
    drop(unsafe { Box::from_raw(at) });
}

/// The plan of a way and a length, which is not zero: the one kept, or a new one.
pub(crate) fn plan<T: Real>(way: Way, n: usize) -> Result<Plan<T>, MemError> {
    Plans::with(|plans| T::cache(plans).get(way, n))
}

/// About how many bytes of plans the calling thread keeps.
pub fn kept_bytes() -> usize {
    Plans::with(|plans| plans.single.bytes() + plans.double.bytes())
}

/// Forgets the calling thread's plans; returns about how many bytes that frees.
pub fn forget_plans() -> usize {
    let before = kept_bytes();
    Plans::with(|plans| *plans = Plans::NONE);
    before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_kept_within_bounds() {
        forget_plans();
        let first = |n| match plan::<f64>(Way::Forward, n).unwrap() {
            Plan::Complex(p) => Arc::as_ptr(&p).cast::<u8>(),
            _ => unreachable!("a complex plan"),
        };
        let kept = first(31);
        assert_eq!(first(31), kept);
        for n in 1..=MOST {
            first(n);
            first(31);
        }
        assert_eq!(first(31), kept, "what is used stays");
        assert_eq!(Plans::with(|plans| plans.double.0.len()), MOST);
        assert_eq!(forget_plans(), plan_bytes::<f64>((2..=MOST).sum::<usize>() + 31));
        assert_eq!(kept_bytes(), 0);
    }

    #[test]
    fn long_plans_make_room() {
        let half = MOST_BYTES / 2;
        let cases: [(&[usize], usize); 6] = [
            (&[], 0),
            (&[1; MOST + 2], MOST),
            (&[half, half, 0, 1], 3),
            (&[usize::MAX; 3], NEWEST),
            (&[1, usize::MAX, 1], 2),
            (&[half, 1, half], 2),
        ];
        for (bytes, wanted) in cases {
            assert_eq!(stay(bytes.iter().copied()), wanted, "{bytes:?}");
        }
    }

    #[test]
    fn impossible_plans_are_an_error() {
        assert!(plan::<f64>(Way::Forward, 1 << 58).is_err());
    }
}
