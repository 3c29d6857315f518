//! Is a matrix product no slower than the `gemm` crate and NumPy on one thread, and does no row count fall out of line?
//!
//! `cargo bench -p freelane-benches --bench gemm [-- FILTER]` prints lines `gemm/TYPE/MxKxN/WAY`, threads (1), median
//! nanoseconds, efficiency (1), and a table of ratios to the error stream. `rows` has B as the caller has it, `packed` has it
//! packed ahead; the peers read the same rows. NumPy takes part if `FREELANE_PYTHON` (or `python3`) can import it.
//!
//! Seven rounds, the columns in turns; each time is thread CPU time, the least of three samples. A call of NumPy costs more
//! than one of ours; its cost is subtracted.
mod clock;
mod numpy;
mod ours;

use freelane_kernels::gemm::Packable;
use freelane_simd::Isa;
use numpy::NumPy;
use ours::Product;

const ROUNDS: usize = 7;
const SHAPES: [[usize; 3]; 10] = [
    [64, 64, 64],
    [256, 256, 256],
    [1024, 1024, 1024],
    [1, 768, 768],
    [8, 768, 768],
    [32, 768, 3072],
    [768, 768, 1],
    [128, 384, 384],
    [1, 128, 64],
    [64, 10, 1],
];
/// Depth and columns of the lines for each row count.
const ROW_SHAPE: [usize; 2] = [256, 512];

/// An element that all take part with.
trait Element: Packable + From<f32> + 'static {
    const NAME: &'static str;
}
impl Element for f32 {
    const NAME: &'static str = "f32";
}
impl Element for f64 {
    const NAME: &'static str = "f64";
}

/// Median times of one shape: ours on rows, ours packed, the crate, NumPy.
type Times = [Option<f64>; 4];
const WAYS: [&str; 4] = ["rows", "packed", "crate", "numpy"];

fn measure<T: Element>(shape: [usize; 3], isa: Isa, numpy: Option<&mut NumPy>) -> Times {
    let mut product = Product::<T>::new(isa, shape);
    let mut numpy = numpy;
    let mut times: [Vec<f64>; 4] = Default::default();
    for _ in 0..ROUNDS {
        times[0].push(clock::least(|| product.rows()));
        times[1].push(clock::least(|| product.packed()));
        times[2].push(clock::least(|| product.of_the_crate()));
        times[3].extend(numpy.as_mut().and_then(|numpy| numpy.time(T::NAME, shape)));
    }
    times.map(|mut rounds| {
        rounds.sort_by(f64::total_cmp);
        rounds.get(rounds.len() / 2).copied()
    })
}

fn report<T: Element>(shape: [usize; 3], isa: Isa, numpy: Option<&mut NumPy>) {
    let name = format!("gemm/{}/{}", T::NAME, shape.map(|x| x.to_string()).join("x"));
    let times = measure::<T>(shape, isa, numpy);
    for (way, time) in WAYS.iter().zip(times) {
        time.inspect(|time| println!("{name}/{way},1,{time:.1},1.000"));
    }
    let flops = 2.0 * shape.iter().product::<usize>() as f64;
    let column = |x: Option<f64>| x.map_or_else(|| format!("{:>8}", "-"), |x| format!("{x:>8.2}"));
    let rate = times.map(|time| column(time.map(|time| flops / time)));
    let over = |peer: usize, own: usize| column(times[peer].zip(times[own]).map(|(peer, own)| peer / own));
    let ratios = [over(2, 0), over(3, 0), over(2, 1), over(3, 1)];
    eprintln!("{name:<24}{isa:<8}{}  |{}", rate.concat(), ratios.concat());
}

fn all<T: Element>(filter: Option<&str>, numpy: &mut Option<NumPy>) {
    let wanted = |shape: &[usize; 3]| {
        filter.is_none_or(|f| format!("{}/{}", T::NAME, shape.map(|x| x.to_string()).join("x")).contains(f))
    };
    for shape in SHAPES.into_iter().filter(wanted) {
        report::<T>(shape, Isa::current(), numpy.as_mut());
    }
    for shape in (1..=14).map(|m| [m, ROW_SHAPE[0], ROW_SHAPE[1]]).filter(wanted) {
        report::<T>(shape, Isa::current(), None);
    }
}

fn main() {
    let filter = std::env::args().skip(1).find(|a| !a.starts_with("--"));
    let mut numpy = NumPy::start();
    let head =
        ["rows", "packed", "crate", "NumPy", "c/rows", "np/rows", "c/pack", "np/pack"].map(|h| format!("{h:>8}"));
    eprintln!("{:<32}{}  |{}", "GFLOP/s, peer's time / ours", head[..4].concat(), head[4..].concat());
    all::<f32>(filter.as_deref(), &mut numpy);
    all::<f64>(filter.as_deref(), &mut numpy);
}
