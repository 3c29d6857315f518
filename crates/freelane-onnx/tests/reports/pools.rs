//! Windows that hang over an edge: what is averaged is what is there, and no row is made of nothing.
use super::build::{bytes, model, node, number, numbers, set, value};
use super::{array, counted, run};

/// How a window goes over one axis.
#[derive(Clone, Copy, Debug)]
struct Window {
    n: usize,
    kernel: usize,
    stride: usize,
    dilation: usize,
    pads: [usize; 2],
    up: bool,
}

impl Window {
    /// Number of places, as the standard has it: a window that would begin in the padding behind is none.
    fn count(self) -> usize {
        let (padded, reach) = (self.n + self.pads[0] + self.pads[1], self.dilation * (self.kernel - 1) + 1);
        let free = padded - reach;
        let count = if self.up { free.div_ceil(self.stride) } else { free / self.stride } + 1;
        let behind = (count - 1) * self.stride >= self.n + self.pads[0];
        count - usize::from(self.up && behind)
    }

    /// Places of elements in a window, and how many of the padding lie in it.
    fn at(self, i: usize) -> (Vec<usize>, usize) {
        let all = (0..self.kernel).map(|k| i * self.stride + k * self.dilation);
        let inside: Vec<usize> = all.filter(|p| *p < self.n + self.pads[0] + self.pads[1]).collect();
        let (from, to) = (self.pads[0], self.n + self.pads[0]);
        let there: Vec<usize> = inside.iter().filter(|p| (from..to).contains(*p)).map(|p| p - from).collect();
        let padding = inside.len() - there.len();
        (there, padding)
    }
}

fn windows() -> Vec<Window> {
    let mut all = vec![];
    for (n, kernel, stride) in (1..8).flat_map(|n| (1..4).flat_map(move |k| (1..5).map(move |s| (n, k, s)))) {
        for pads in [[0, 0], [0, 1], [1, 0], [1, 1]] {
            for (dilation, up) in [(1, false), (1, true), (2, true)] {
                let fits = dilation * (kernel - 1) < n + pads[0] + pads[1] && pads.iter().all(|p| *p < kernel);
                if fits {
                    all.push(Window { n, kernel, stride, dilation, pads, up });
                }
            }
        }
    }
    all
}

fn attributes(windows: &[Window]) -> Vec<Vec<u8>> {
    let each = |f: &dyn Fn(&Window) -> usize| windows.iter().map(|w| f(w) as u8).collect::<Vec<_>>();
    let pads = [each(&|w| w.pads[0]), each(&|w| w.pads[1])].concat();
    vec![
        numbers("kernel_shape", &each(&|w| w.kernel)),
        numbers("strides", &each(&|w| w.stride)),
        numbers("dilations", &each(&|w| w.dilation)),
        numbers("pads", &pads),
        number("ceil_mode", windows[0].up.into()),
    ]
}

fn pooled(op: &str, windows: &[Window], more: &[Vec<u8>]) -> Result<(Vec<usize>, Vec<f32>), String> {
    let shape: Vec<usize> = [1, 1].into_iter().chain(windows.iter().map(|w| w.n)).collect();
    let attributes = [&attributes(windows)[..], more].concat();
    let graph = [node(op, "x", "y", &attributes), value(11, "x", 1), value(12, "y", 1)];
    let y = run(model(&graph, &[bytes(8, &set("", 22))]), &[counted(&shape)])?;
    Ok((y.shape().to_vec(), y.to_vec::<f32>().unwrap()))
}

#[test]
fn pools_that_round_up_average_what_is_there() {
    for include in [0, 1] {
        let attributes = [
            numbers("kernel_shape", &[3, 3]),
            numbers("strides", &[2, 2]),
            number("ceil_mode", 1),
            number("count_include_pad", include),
        ];
        for version in [10, 11, 19, 22] {
            let graph = [node("AveragePool", "x", "y", &attributes), value(11, "x", 1), value(12, "y", 1)];
            let y = run(model(&graph, &[bytes(8, &set("", version))]), &[counted(&[1, 1, 4, 4])]).unwrap();
            assert_eq!(y.to_vec::<f32>().unwrap(), [6.0, 7.5, 12.0, 13.5], "version {version}, {include}");
        }
    }
}

#[test]
fn each_window_of_a_line_has_its_elements() {
    for window in windows() {
        for include in [0, 1] {
            let found = pooled("AveragePool", &[window], &[number("count_include_pad", include)]).unwrap();
            let average = |i| {
                let (there, padding) = window.at(i);
                let count = there.len() + if include == 1 { padding } else { 0 };
                // The average of nothing, between two taps far apart, is 0.
                there.iter().map(|p| (p + 1) as f32).sum::<f32>() / count.max(1) as f32
            };
            let expected: Vec<f32> = (0..window.count()).map(average).collect();
            let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-5;
            let same = found.1.len() == expected.len() && found.1.iter().zip(&expected).all(near);
            assert!(same, "{window:?}, {include}: {:?} instead of {expected:?}", found.1);
        }
        let greatest = |i| window.at(i).0.iter().max().map_or(f32::NEG_INFINITY, |p| (p + 1) as f32);
        let expected: Vec<f32> = (0..window.count()).map(greatest).collect();
        assert_eq!(pooled("MaxPool", &[window], &[]).unwrap().1, expected, "{window:?}");
        let sum = |i| window.at(i).0.iter().map(|p| (p + 1) as f32).sum::<f32>();
        let expected: Vec<f32> = (0..window.count()).map(sum).collect();
        let found = pooled("LpPool", &[window], &[number("p", 1)]).unwrap().1;
        assert_eq!(found, expected, "{window:?}");
    }
}

#[test]
fn each_window_of_an_image_has_its_elements() {
    let lines: Vec<Window> = windows().into_iter().filter(|w| w.n > 3 && w.kernel > 1).collect();
    for (i, a) in lines.iter().enumerate() {
        let b = Window { up: a.up, ..lines[(i * 7 + 3) % lines.len()] };
        let (shape, found) = pooled("AveragePool", &[*a, b], &[]).unwrap();
        assert_eq!(shape, [1, 1, a.count(), b.count()], "{a:?} {b:?}");
        for (at, y) in found.iter().enumerate() {
            let (rows, columns) = (a.at(at / b.count()).0, b.at(at % b.count()).0);
            let sum: usize = rows.iter().flat_map(|r| columns.iter().map(move |c| r * b.n + c + 1)).sum();
            let expected = sum as f32 / (rows.len() * columns.len()).max(1) as f32;
            assert!((y - expected).abs() < 1e-4, "{a:?} {b:?}: {y} {expected}");
        }
    }
}

#[test]
fn other_types_are_averaged_where_a_window_hangs_over_too() {
    let attributes = [numbers("kernel_shape", &[3]), numbers("strides", &[2]), number("ceil_mode", 1)];
    for (code, dtype) in [(10, freelane_ops::DType::F16), (11, freelane_ops::DType::F64)] {
        let graph = [node("AveragePool", "x", "y", &attributes), value(11, "x", code), value(12, "y", code)];
        let x = array(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[1, 1, 6]).astype(dtype).unwrap();
        let y = run(model(&graph, &[bytes(8, &set("", 19))]), &[x]).unwrap();
        assert_eq!(y.astype(freelane_ops::DType::F64).unwrap().to_vec::<f64>().unwrap(), [2.0, 4.0, 5.5]);
    }
}
