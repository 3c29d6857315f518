//! Pools: the largest, the mean or the norm of what a window sees.
//!
//! Images come as planes, `[planes, pixels]`, or as blocks of 16 of them, `[planes / 16, pixels, 16]`; planes do not see each
//! other, so a caller splits them over lanes as it likes. A plane's result is made row by row: first the rows of the window are
//! folded into one line (the outer axes of the window in row-major order), then the taps along the line, in order. So a sum
//! has an order that follows from the window alone, whatever the layout and the instruction set.
//!
//! Padding takes no part; a window that sees nothing else gives the lowest value as its largest and zero as its mean or norm.
//! NaN wins over every number.

mod fold;
mod global;
mod indices;
#[cfg(test)]
mod tests;
mod walk;

pub use fold::{MaxElement, MeanElement};
pub use global::{global_average, global_max};
pub use indices::{IndexOrder, max_pool_indices};

use crate::window::{Layout, Window};
use fold::{Absolutes, Largest, Squares, Sum};
use freelane_simd::Isa;
use walk::{Planes, walk};

/// Elements of the line that pools need.
pub fn pool_line(window: &Window, layout: Layout) -> usize {
    window.axes[2].input * layout.lanes()
}

/// The largest elements.
///
/// # Panics
/// When the lengths are not those of as many planes in as out, or the line is another than [`pool_line`] says.
pub fn max_pool<T: MaxElement>(isa: Isa, window: &Window, layout: Layout, input: &[T], line: &mut [T], out: &mut [T]) {
    walk::<Largest<T>>(isa, Planes { window, layout, input, line, out }, &mut |_, _| {});
}

/// The means. With `padding` it counts as zeros.
///
/// # Panics
/// As [`max_pool`].
pub fn average_pool<T: MeanElement>(
    isa: Isa,
    window: &Window,
    layout: Layout,
    padding: bool,
    input: &[T],
    line: &mut [T],
    out: &mut [T],
) {
    let ([deep, high, wide], lanes) = (&window.axes, layout.lanes());
    // Most windows of a row see all taps: their sums are divided by one count.
    let all = wide.counted_in_full(padding);
    walk::<Sum<T>>(isa, Planes { window, layout, input, line, out }, &mut |[z, y], row| {
        let outer = deep.counted(z, padding) * high.counted(y, padding);
        let (first, rest) = row.split_at_mut(all.start * lanes);
        let (full, last) = rest.split_at_mut(all.len() * lanes);
        let edges = (0..all.start).zip(first.chunks_exact_mut(lanes));
        for (x, pixel) in edges.chain((all.end..).zip(last.chunks_exact_mut(lanes))) {
            divide(pixel, outer * wide.counted(x, padding));
        }
        divide(full, outer * wide.kernel);
    });
}

fn divide<T: MeanElement>(sums: &mut [T], count: usize) {
    if count > 0 {
        let count = T::of(count);
        sums.iter_mut().for_each(|sum| *sum = *sum / count);
    }
}

/// The norms: the `p`th root of the sum of the `p`th powers of magnitudes.
///
/// # Panics
/// As [`max_pool`].
pub fn lp_pool<T: MeanElement>(
    isa: Isa,
    window: &Window,
    layout: Layout,
    p: u32,
    input: &[T],
    line: &mut [T],
    out: &mut [T],
) {
    let planes = Planes { window, layout, input, line, out };
    match p {
        1 => walk::<Absolutes<T>>(isa, planes, &mut |_, _| {}),
        2 => walk::<Squares<T>>(isa, planes, &mut |_, row| row.iter_mut().for_each(|x| *x = x.root(2))),
        _ => powers(planes, p),
    }
}

/// Any power: magnitudes are raised on the way into the line.
fn powers<T: MeanElement>(planes: Planes<'_, T>, p: u32) {
    let Planes { window, layout, input, line, out } = planes;
    let (lanes, [_, _, wide]) = (layout.lanes(), &window.axes);
    assert!(line.len() == pool_line(window, layout), "pool: a line of {} elements", line.len());
    let (plane, pixels) = (window.inputs() * lanes, window.outputs() * lanes);
    assert!(walk::fits(input.len(), plane, out.len(), pixels), "pool: {} elements into {}", input.len(), out.len());
    for (input, out) in input.chunks_exact(plane.max(1)).zip(out.chunks_exact_mut(pixels.max(1))) {
        for (row, out) in out.chunks_exact_mut((wide.output * lanes).max(1)).enumerate() {
            line.fill(T::default());
            walk::rows(window, row, |from| {
                let from = &input[from * wide.input * lanes..][..wide.input * lanes];
                line.iter_mut().zip(from).for_each(|(sum, x)| *sum = *sum + x.raised(p));
            });
            for (x, pixel) in out.chunks_exact_mut(lanes).enumerate() {
                for (lane, to) in pixel.iter_mut().enumerate() {
                    let taps = wide.taps(x).map(|tap| wide.position(x, tap) as usize * lanes + lane);
                    *to = taps.fold(T::default(), |sum, at| sum + line[at]).root(p);
                }
            }
        }
    }
}
