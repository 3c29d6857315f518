//! How far from the core's peak are convolutions on one thread, and does no way to compute one fall out of line?
//!
//! `cargo bench -p freelane-benches --bench conv [-- FILTER]` prints lines `conv/TYPE/SHAPE/WAY`, threads (1), nanoseconds,
//! efficiency (1), and rates to the error stream. Times are thread CPU time, the median of seven rounds.
#[path = "../gemm/clock.rs"]
mod clock;
mod int8;

use freelane_kernels::Target;
use freelane_kernels::conv::{Activation, Conv, ConvPlan, ConvShape};
use freelane_kernels::window::{Axis, Layout, Window};
use freelane_simd::Isa;
use std::mem::MaybeUninit;

const ROUNDS: usize = 7;

/// Channels in and out, groups, image, kernel, stride, padding; images and kernels are squares.
const SHAPES: [[usize; 7]; 9] = [
    [3, 64, 1, 224, 7, 2, 3],
    [64, 64, 1, 56, 3, 1, 1],
    [128, 128, 1, 28, 3, 1, 1],
    [256, 1024, 1, 14, 1, 1, 0],
    [96, 96, 96, 112, 3, 1, 1],
    [32, 64, 1, 160, 3, 2, 1],
    [256, 256, 1, 14, 3, 1, 1],
    [512, 512, 1, 7, 3, 1, 1],
    [240, 240, 240, 14, 5, 1, 2],
];

fn shape([inputs, outputs, groups, side, kernel, stride, pad]: [usize; 7]) -> ConvShape {
    let axis = Axis::new(side, kernel, stride, 1, [pad, pad]).expect("a kernel that fits");
    let window = Window::new(&[axis; 2]).expect("two axes");
    ConvShape::new(inputs, outputs, groups, window).expect("groups that divide")
}

fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i * 31 % 101) as f32 / 101.0 - 0.5).collect()
}

/// Prints the median time of a way.
pub fn report(name: &str, operations: f64, mut call: impl FnMut()) {
    let mut times: Vec<f64> = (0..ROUNDS).map(|_| clock::least(&mut call)).collect();
    times.sort_by(f64::total_cmp);
    let time = times[ROUNDS / 2];
    println!("{name},1,{time:.1},1.000");
    eprintln!("{name:<56}{:>12.1} us{:>10.1} G/s", time / 1e3, operations / time);
}

const LAYOUTS: [(&str, [Layout; 2]); 4] = [
    ("planar", [Layout::Planar, Layout::Planar]),
    ("stem", [Layout::Planar, Layout::Blocked]),
    ("blocked", [Layout::Blocked, Layout::Blocked]),
    ("leave", [Layout::Blocked, Layout::Planar]),
];

fn ways(name: &str, shape: ConvShape, isa: Isa, filter: &str) {
    for (layouts, [input, output]) in LAYOUTS {
        let Some(plan) = ConvPlan::<f32>::with_layouts(shape, input, output) else { continue };
        measure(&format!("{name}/{layouts}"), &plan, isa, filter);
    }
}

fn measure(name: &str, plan: &ConvPlan<f32>, isa: Isa, filter: &str) {
    let (name, shape) = (format!("{name}/{}", plan.way().replace(' ', "-")), plan.shape());
    if !name.contains(filter) {
        return;
    }
    let mut packed = vec![MaybeUninit::uninit(); plan.packed_len()];
    plan.pack(&numbers(shape.weights_len()), &mut packed);
    // SAFETY: `pack` initialises all of it.
    let weights: Vec<f32> = packed.into_iter().map(|x| unsafe { x.assume_init() }).collect();
    let [input, output] = plan.lens();
    let (input, bias) = (numbers(input), numbers(shape.outputs));
    let mut out = vec![0.0; output];
    let mut scratch = vec![MaybeUninit::uninit(); plan.scratch().size()];
    let activation = Activation::Relu;
    let conv = Conv { weights: &weights, input: &input, batch: 1, bias: Some(&bias), residual: None, activation };
    report(&name, 2.0 * plan.products(1) as f64, || {
        plan.run(isa, &conv, &mut Target::of(&mut out), &mut scratch, 0..plan.parts(1));
    });
}

fn main() {
    let filter = std::env::args().skip(1).find(|a| !a.starts_with("--")).unwrap_or_default();
    let isa = Isa::current();
    for sizes in SHAPES {
        let name = format!("conv/f32/{}", sizes.map(|x| x.to_string()).join("x"));
        ways(&name, shape(sizes), isa, &filter);
    }
    int8::all(&filter, isa);
}
