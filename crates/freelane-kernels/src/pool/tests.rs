//! Pools against one window at a time, in the order that is promised.
use super::*;
use crate::window::Axis;

fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 7919 + 13) % 1009) as f32 / 100.0 - 5.0).collect()
}

/// Planes as blocks of 16, the last one filled up with zeros.
fn blocked(planes: &[f32], pixels: usize) -> Vec<f32> {
    let count = planes.len() / pixels;
    let at = |i: usize| {
        let (block, pixel, lane) = (i / 16 / pixels, i / 16 % pixels, i % 16);
        planes.get((block * 16 + lane) * pixels + pixel).copied().unwrap_or_default()
    };
    (0..count.next_multiple_of(16) * pixels).map(at).collect()
}

fn windows() -> Vec<Window> {
    let floor = |i, k, s, d, pads| Axis::new(i, k, s, d, pads).unwrap();
    let ceil = |i, k, s, d, pads| Axis::ceil(i, k, s, d, pads).unwrap();
    let made: [&[Axis]; 8] = [
        &[floor(1, 1, 1, 1, [0, 0])],
        &[floor(13, 3, 2, 1, [1, 1])],
        &[floor(12, 3, 2, 1, [1, 1]), floor(15, 3, 2, 1, [1, 1])],
        &[ceil(12, 3, 2, 1, [0, 1]), ceil(14, 3, 2, 1, [1, 0])],
        &[floor(9, 2, 1, 3, [2, 1]), floor(11, 3, 3, 2, [2, 2])],
        &[floor(4, 2, 1, 1, [1, 1]), ceil(5, 2, 2, 1, [0, 0]), floor(6, 3, 1, 1, [1, 1])],
        &[floor(3, 2, 1, 1, [4, 4]), floor(3, 3, 1, 1, [1, 1])],
        &[floor(7, 7, 1, 1, [0, 0]), floor(7, 7, 1, 1, [0, 0])],
    ];
    made.iter().map(|axes| Window::new(axes).unwrap()).collect()
}

/// What a window sees: for each tap along rows, the elements under the outer taps.
fn seen(window: &Window, plane: &[f32], pixel: usize) -> Vec<Vec<f32>> {
    let [deep, high, wide] = &window.axes;
    let [z, y, x] = window.output(pixel);
    let mut all = Vec::new();
    for c in (0..wide.kernel).filter_map(|tap| wide.inside(x, tap)) {
        let mut column = Vec::new();
        for a in (0..deep.kernel).filter_map(|tap| deep.inside(z, tap)) {
            column.extend(
                (0..high.kernel)
                    .filter_map(|tap| high.inside(y, tap))
                    .map(|b| plane[(a * high.input + b) * wide.input + c]),
            );
        }
        all.push(column);
    }
    all
}

/// Taps that lie in the image or its padding.
fn with_padding(window: &Window, pixel: usize) -> usize {
    let at = window.output(pixel);
    let axis = |(axis, at): (&Axis, usize)| {
        let end = (axis.input + axis.after) as isize;
        (0..axis.kernel).filter(|&tap| axis.position(at, tap) < end).count()
    };
    window.axes.iter().zip(at).map(axis).product()
}

type Pooled<'a> = dyn Fn(Isa, Layout, &[f32], &mut [f32], &mut [f32]) + 'a;

fn check(window: &Window, pool: &Pooled<'_>, one: &dyn Fn(&[f32], usize) -> f32) {
    const PLANES: usize = 19;
    let (plane, pixels) = (window.inputs(), window.outputs());
    let input = numbers(PLANES * plane);
    let want: Vec<f32> =
        (0..PLANES * pixels).map(|at| one(&input[at / pixels * plane..][..plane], at % pixels)).collect();
    for &isa in Isa::available() {
        let mut line = vec![0.0; pool_line(window, Layout::Planar)];
        let mut out = vec![f32::NAN; want.len()];
        pool(isa, Layout::Planar, &input, &mut line, &mut out);
        assert_eq!(out, want, "{window:?} {isa}");
        let mut line = vec![0.0; pool_line(window, Layout::Blocked)];
        let mut out = vec![f32::NAN; PLANES.next_multiple_of(16) * pixels];
        pool(isa, Layout::Blocked, &blocked(&input, plane), &mut line, &mut out);
        for (at, want) in want.iter().enumerate() {
            let (channel, pixel) = (at / pixels, at % pixels);
            assert_eq!(out[(channel / 16 * pixels + pixel) * 16 + channel % 16], *want, "{window:?} {isa} blocked");
        }
    }
}

#[test]
fn largest_elements() {
    for window in windows() {
        let one = |plane: &[f32], pixel: usize| {
            seen(&window, plane, pixel).concat().into_iter().fold(f32::NEG_INFINITY, f32::max)
        };
        check(&window, &|isa, layout, input, line, out| max_pool(isa, &window, layout, input, line, out), &one);
    }
}

#[test]
fn means() {
    for window in windows() {
        for padding in [false, true] {
            let one = |plane: &[f32], pixel: usize| {
                let seen = seen(&window, plane, pixel);
                let count = if padding { with_padding(&window, pixel) } else { seen.concat().len() };
                let sum: f32 = seen.iter().fold(0.0, |sum, column| sum + column.iter().fold(0.0, |sum, x| sum + x));
                if count == 0 { sum } else { sum / count as f32 }
            };
            let pool = |isa, layout, input: &[f32], line: &mut [f32], out: &mut [f32]| {
                average_pool(isa, &window, layout, padding, input, line, out);
            };
            check(&window, &pool, &one);
        }
    }
}

#[test]
fn norms() {
    for window in windows() {
        for p in 1..5 {
            let one = |plane: &[f32], pixel: usize| {
                let power = |x: &f32| (1..p).fold(x.abs(), |y, _| y * x.abs());
                let sum = seen(&window, plane, pixel)
                    .iter()
                    .fold(0.0, |sum, column| sum + column.iter().map(power).fold(0.0, |a, b| a + b));
                match p {
                    1 => sum,
                    2 => sum.sqrt(),
                    _ => libm::pow(sum.into(), 1.0 / f64::from(p)) as f32,
                }
            };
            let pool = |isa, layout, input: &[f32], line: &mut [f32], out: &mut [f32]| {
                lp_pool(isa, &window, layout, p, input, line, out)
            };
            check(&window, &pool, &one);
        }
    }
}

#[test]
fn places_of_the_largest() {
    // ONNX's own examples of MaxPool with indices.
    let input: Vec<f32> = (1..=25).map(|x| x as f32).collect();
    let axis = Axis::new(5, 5, 1, 1, [2, 2]).unwrap();
    let window = Window::new(&[axis; 2]).unwrap();
    let (mut out, mut indices) = ([0.0; 25], [0; 25]);
    max_pool_indices(&window, IndexOrder::Rows, 0, &input, &mut out, &mut indices);
    assert_eq!(out[..5], [13.0, 14.0, 15.0, 15.0, 15.0]);
    assert_eq!(indices[..5], [12, 13, 14, 14, 14]);
    let axis = Axis::new(5, 2, 2, 1, [0, 0]).unwrap();
    let window = Window::new(&[axis; 2]).unwrap();
    let (mut out, mut indices) = ([0.0; 4], [0; 4]);
    max_pool_indices(&window, IndexOrder::Columns, 0, &input, &mut out, &mut indices);
    assert_eq!((out, indices), ([7.0, 9.0, 17.0, 19.0], [6, 16, 8, 18]));
    max_pool_indices(&window, IndexOrder::Rows, 2, &input, &mut out, &mut indices);
    assert_eq!(indices, [56, 58, 66, 68]);
    let axis = Axis::new(2, 1, 1, 1, [1, 0]).unwrap();
    let window = Window::new(&[axis]).unwrap();
    let (mut out, mut indices) = ([0.0; 3], [0; 3]);
    max_pool_indices(&window, IndexOrder::Rows, 0, &[f32::NEG_INFINITY, f32::NAN], &mut out, &mut indices);
    assert_eq!(indices, [-1, 0, 1]);
    assert!(out[2].is_nan());
}

#[test]
fn nan_wins_and_integers_have_ends() {
    let axis = Axis::new(20, 3, 1, 1, [1, 1]).unwrap();
    let window = Window::new(&[axis]).unwrap();
    for &isa in Isa::available() {
        for at in 0..20 {
            let mut x = [1.0f64; 20];
            x[at] = f64::NAN;
            let (mut line, mut out) = ([0.0; 20], [0.0; 20]);
            max_pool(isa, &window, Layout::Planar, &x, &mut line, &mut out);
            (0..20usize).for_each(|i| assert_eq!(out[i].is_nan(), i.abs_diff(at) <= 1, "{i} {at}"));
        }
        let (mut line, mut out) = ([0i8; 20], [0i8; 20]);
        max_pool(isa, &window, Layout::Planar, &[-128i8; 20], &mut line, &mut out);
        assert_eq!(out, [-128; 20]);
    }
}

#[test]
fn whole_planes() {
    for pixels in [1, 7, 16, 49, 100] {
        let input = numbers(18 * pixels);
        let planes = || input.chunks_exact(pixels);
        let mean = |x: &[f32]| {
            let mut sums = [0.0f32; 16];
            x.iter().enumerate().for_each(|(i, x)| sums[i % 16] += x);
            for half in [8, 4, 2, 1] {
                (0..half).for_each(|i| sums[i] += sums[i + half]);
            }
            sums[0] / pixels as f32
        };
        let means: Vec<f32> = planes().map(mean).collect();
        let most: Vec<f32> = planes().map(|x| x.iter().copied().fold(f32::NEG_INFINITY, f32::max)).collect();
        let blocks = blocked(&input, pixels);
        for &isa in Isa::available() {
            let mut out = [0.0; 18];
            global_average(isa, pixels, Layout::Planar, &input, &mut out);
            assert_eq!(out[..], means);
            global_max(isa, pixels, Layout::Planar, &input, &mut out);
            assert_eq!(out[..], most);
            let mut out = [0.0; 32];
            global_average(isa, pixels, Layout::Blocked, &blocks, &mut out);
            assert_eq!(out[..18], means);
            global_max(isa, pixels, Layout::Blocked, &blocks, &mut out);
            assert_eq!(out[..18], most);
        }
    }
    let mut none = [0f32; 2];
    global_average(Isa::current(), 0, Layout::Planar, &[], &mut none);
    assert!(none[0].is_nan());
}

#[test]
fn the_first_of_equal_zeros_stays() {
    let window = Window::new(&[Axis::new(2, 2, 1, 1, [0, 0]).unwrap()]).unwrap();
    for zeros in [[0.0f32, -0.0], [-0.0, 0.0]] {
        for &isa in Isa::available() {
            let (mut line, mut out, mut index) = ([0.0; 2], [1.0f32], [0i64]);
            max_pool(isa, &window, Layout::Planar, &zeros, &mut line, &mut out);
            let alone = out[0];
            max_pool_indices(&window, IndexOrder::Rows, 0, &zeros, &mut out, &mut index);
            assert_eq!((alone.to_bits(), out[0].to_bits()), (zeros[0].to_bits(), zeros[0].to_bits()));
        }
    }
}
