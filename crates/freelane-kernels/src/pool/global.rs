//! Pools over whole planes.
//!
//! A mean's sum is made by 16 chains, element i in chain `i % 16`, which are added pairwise: 8 and 8, 4 and 4, 2 and 2, 1 and 1.
use super::fold::{Fold, Largest, MaxElement, MeanElement, Sum};
use crate::window::Layout;
use freelane_simd::Isa;

const CHAINS: usize = 16;

/// The mean of each plane of `pixels` elements.
///
/// # Panics
/// When the lengths do not fit together.
pub fn global_average<T: MeanElement>(isa: Isa, pixels: usize, layout: Layout, input: &[T], out: &mut [T]) {
    all::<Sum<T>>(isa, pixels, layout, input, out);
    let count = T::of(pixels);
    out.iter_mut().for_each(|sum| *sum = *sum / count);
}

/// The largest element of each plane of `pixels` elements.
///
/// # Panics
/// When the lengths do not fit together.
pub fn global_max<T: MaxElement>(isa: Isa, pixels: usize, layout: Layout, input: &[T], out: &mut [T]) {
    all::<Largest<T>>(isa, pixels, layout, input, out);
}

fn all<F: Fold>(isa: Isa, pixels: usize, layout: Layout, input: &[F::T], out: &mut [F::T]) {
    let lanes = layout.lanes();
    assert!(out.len().is_multiple_of(lanes), "pool: {} planes in blocks of {lanes}", out.len());
    assert!(
        out.len().checked_mul(pixels) == Some(input.len()),
        "pool: {} elements of {} planes",
        input.len(),
        out.len()
    );
    for (at, out) in out.chunks_exact_mut(lanes).enumerate() {
        let plane = &input[at * pixels * lanes..][..pixels * lanes];
        match layout {
            Layout::Planar => out.fill(fold_plane::<F>(isa, plane)),
            Layout::Blocked => out.copy_from_slice(&fold_block::<F>(isa, plane)),
        }
    }
}

compiled! {
    fn fold_plane<F: Fold>(plane: &[F::T]) -> F::T {
        let mut sums = [F::EMPTY; CHAINS];
        let (whole, rest) = plane.as_chunks::<CHAINS>();
        for x in whole {
            for i in 0..CHAINS {
                sums[i] = F::join(sums[i], F::enter(x[i]));
            }
        }
        for (sum, x) in sums.iter_mut().zip(rest) {
            *sum = F::join(*sum, F::enter(*x));
        }
        let mut half = CHAINS / 2;
        while half > 0 {
            for i in 0..half {
                sums[i] = F::join(sums[i], sums[i + half]);
            }
            half /= 2;
        }
        sums[0]
    }
}

compiled! {
    fn fold_block<F: Fold>(block: &[F::T]) -> [F::T; 16] {
        let mut sums = [[F::EMPTY; 16]; CHAINS];
        for (i, x) in block.as_chunks::<16>().0.iter().enumerate() {
            let sum = &mut sums[i % CHAINS];
            for lane in 0..16 {
                sum[lane] = F::join(sum[lane], F::enter(x[lane]));
            }
        }
        let mut half = CHAINS / 2;
        while half > 0 {
            for i in 0..half {
                let (low, high) = sums.split_at_mut(half);
                for (a, b) in low[i].iter_mut().zip(&high[i]) {
                    *a = F::join(*a, *b);
                }
            }
            half /= 2;
        }
        sums[0]
    }
}
