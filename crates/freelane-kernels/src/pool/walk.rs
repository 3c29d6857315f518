//! The walk over planes and rows.
use super::fold::Fold;
use super::pool_line;
use crate::window::{Axis, Layout, Window};
use core::ops::Range;
use freelane_simd::Isa;

/// Planes in and out, and a line to fold rows into.
pub struct Planes<'a, T> {
    pub window: &'a Window,
    pub layout: Layout,
    pub input: &'a [T],
    pub line: &'a mut [T],
    pub out: &'a mut [T],
}

/// What is done to each row of results, whose place comes with it.
pub type Finish<'a, T> = dyn FnMut([usize; 2], &mut [T]) + 'a;

/// Whether there are as many whole planes in as out.
pub fn fits(input: usize, plane: usize, out: usize, pixels: usize) -> bool {
    if plane == 0 || pixels == 0 {
        return input == 0 && out.checked_rem(pixels).unwrap_or(out) == 0;
    }
    input.is_multiple_of(plane) && out.is_multiple_of(pixels) && input / plane == out / pixels
}

/// Calls `f` with the number of each row of the input that the windows of an output row see, in order.
#[inline(always)]
pub fn rows(window: &Window, row: usize, mut f: impl FnMut(usize)) {
    let [deep, high, _] = &window.axes;
    let (z, y) = (row / high.output, row % high.output);
    for a in deep.taps(z) {
        for b in high.taps(y) {
            f(deep.position(z, a) as usize * high.input + high.position(y, b) as usize);
        }
    }
}

/// Folds every window, then hands each row of results to `finish`, with its place.
pub fn walk<F: Fold>(isa: Isa, planes: Planes<'_, F::T>, finish: &mut Finish<'_, F::T>) {
    let Planes { window, layout, input, line, out } = &planes;
    let (plane, pixels) = (window.inputs() * layout.lanes(), window.outputs() * layout.lanes());
    assert!(line.len() == pool_line(window, *layout), "pool: a line of {} elements", line.len());
    assert!(fits(input.len(), plane, out.len(), pixels), "pool: {} elements into {}", input.len(), out.len());
    if !out.is_empty() {
        fold_planes::<F>(isa, planes, finish);
    }
}

compiled! {
    fn fold_planes<F: Fold>(planes: Planes<'_, F::T>, finish: &mut Finish<'_, F::T>) {
        let Planes { window, layout, input, line, out } = planes;
        let (lanes, [_, high, wide]) = (layout.lanes(), &window.axes);
        let (plane, pixels) = (window.inputs() * lanes, window.outputs() * lanes);
        let spans = Spans::new(wide);
        for (at, out) in out.chunks_exact_mut(pixels).enumerate() {
            for (row, out) in out.chunks_exact_mut(wide.output * lanes).enumerate() {
                let mut empty = true;
                rows(window, row, |from| {
                    let from = at * plane + from * wide.input * lanes;
                    let seen = line.iter_mut().zip(&input[from..][..wide.input * lanes]);
                    if core::mem::take(&mut empty) {
                        seen.for_each(|(sum, x)| *sum = F::join(F::EMPTY, F::enter(*x)));
                    } else {
                        seen.for_each(|(sum, x)| *sum = F::join(*sum, F::enter(*x)));
                    }
                });
                if empty {
                    line.fill(F::EMPTY);
                }
                join_taps::<F>(&spans, layout, line, out);
                finish([row / high.output, row % high.output], out);
            }
        }
    }
}

/// The outputs that see a tap inside the image, and the first pixel that they see.
type Span = (Range<usize>, usize);

/// Those of all taps of an axis. They are the same for all rows, so the first ones are kept.
struct Spans<'a> {
    axis: &'a Axis,
    first: [Span; 8],
}

impl<'a> Spans<'a> {
    fn new(axis: &'a Axis) -> Spans<'a> {
        Spans { axis, first: core::array::from_fn(|tap| if tap < axis.kernel { span(axis, tap) } else { (0..0, 0) }) }
    }

    #[inline(always)]
    fn of(&self, tap: usize) -> Span {
        self.first.get(tap).cloned().unwrap_or_else(|| span(self.axis, tap))
    }
}

fn span(axis: &Axis, tap: usize) -> Span {
    let seen = axis.outputs(tap);
    let from = if seen.is_empty() { 0 } else { axis.position(seen.start, tap) as usize };
    (seen, from)
}

/// Folds the taps along a line.
#[inline(always)]
fn join_taps<F: Fold>(spans: &Spans<'_>, layout: Layout, line: &[F::T], out: &mut [F::T]) {
    let whole = join_whole::<F>(spans.axis, layout, line, out);
    let (lanes, out) = (layout.lanes(), &mut out[whole * layout.lanes()..]);
    out.fill(F::EMPTY);
    for tap in 0..spans.axis.kernel {
        let (seen, from) = spans.of(tap);
        let first = seen.start.max(whole);
        if first >= seen.end {
            continue;
        }
        let line = &line[(from + (first - seen.start) * spans.axis.stride) * lanes..];
        let out = &mut out[(first - whole) * lanes..(seen.end - whole) * lanes];
        match layout {
            Layout::Planar => join_singles::<F>(out, line, spans.axis.stride),
            Layout::Blocked => join_blocks::<F>(out, line, spans.axis.stride),
        }
    }
}

/// Folds windows of two or four taps that lie side by side, and returns how many.
#[inline(always)]
fn join_whole<F: Fold>(axis: &Axis, layout: Layout, line: &[F::T], out: &mut [F::T]) -> usize {
    if axis.stride != axis.kernel || axis.dilation != 1 || axis.before != 0 {
        return 0;
    }
    match (layout, axis.kernel) {
        (Layout::Planar, 2) => join_groups::<F, 1, 2>(line, out),
        (Layout::Planar, 4) => join_groups::<F, 1, 4>(line, out),
        (Layout::Blocked, 2) => join_groups::<F, 16, 32>(line, out),
        (Layout::Blocked, 4) => join_groups::<F, 16, 64>(line, out),
        _ => 0,
    }
}

/// Folds groups of `G` elements into `L`.
#[inline(always)]
fn join_groups<F: Fold, const L: usize, const G: usize>(line: &[F::T], out: &mut [F::T]) -> usize {
    let (groups, out) = (line.as_chunks::<G>().0, out.as_chunks_mut::<L>().0);
    for (out, group) in out.iter_mut().zip(groups) {
        let mut sum = [F::EMPTY; L];
        for x in group.as_chunks::<L>().0 {
            for lane in 0..L {
                sum[lane] = F::join(sum[lane], x[lane]);
            }
        }
        *out = sum;
    }
    groups.len().min(out.len())
}

#[inline(always)]
fn join_singles<F: Fold>(out: &mut [F::T], line: &[F::T], stride: usize) {
    match stride {
        1 => {
            for (sum, x) in out.iter_mut().zip(line) {
                *sum = F::join(*sum, *x);
            }
        }
        2 => {
            let (pairs, rest) = line.as_chunks::<2>();
            let (all, last) = out.split_at_mut(pairs.len().min(out.len()));
            for (sum, x) in all.iter_mut().zip(pairs) {
                *sum = F::join(*sum, x[0]);
            }
            for (sum, x) in last.iter_mut().zip(rest) {
                *sum = F::join(*sum, *x);
            }
        }
        _ => {
            for (sum, x) in out.iter_mut().zip(line.iter().step_by(stride)) {
                *sum = F::join(*sum, *x);
            }
        }
    }
}

#[inline(always)]
fn join_blocks<F: Fold>(out: &mut [F::T], line: &[F::T], stride: usize) {
    let (out, _) = out.as_chunks_mut::<16>();
    let (line, _) = line.as_chunks::<16>();
    for (out, x) in out.iter_mut().zip(line.iter().step_by(stride)) {
        // Made as a whole and then stored, so that it is one operation of vectors.
        let mut sum = *out;
        for lane in 0..16 {
            sum[lane] = F::join(sum[lane], x[lane]);
        }
        *out = sum;
    }
}
