//! What does one element cost? Every kernel, at sizes for call overhead, L1/L2 and L3, on each instruction set.
//!
//! `cargo bench -p freelane-benches --bench elementwise [-- FILTER]` prints lines `elementwise/FUNCTION/TYPE/ISA/N`, threads
//! (1), nanoseconds per element, efficiency (1). The least of several runs; operands and result are apart and contiguous.
use freelane_kernels::elementwise::*;
use freelane_simd::Isa;
use half::f16;
use std::hint::black_box;
use std::mem::size_of;
use std::time::{Duration, Instant};

const SIZES: [usize; 4] = [1, 100, 10_000, 1_000_000];

/// Nanoseconds of one call: the least over some 20 ms of rounds long enough for the clock.
fn least(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    call();
    let calls = (50_000 / (start.elapsed().as_nanos() as usize).max(1)).clamp(1, 5_000);
    let (mut best, begin) = (f64::INFINITY, Instant::now());
    while begin.elapsed() < Duration::from_millis(20) {
        let start = Instant::now();
        (0..calls).for_each(|_| call());
        best = best.min(start.elapsed().as_nanos() as f64 / calls as f64);
    }
    best
}

struct Bench {
    filter: Option<String>,
}

impl Bench {
    fn row(&self, name: &str, run: impl Fn(Isa, usize) -> f64) {
        if self.filter.as_ref().is_some_and(|f| !name.contains(f.as_str())) {
            return;
        }
        for &isa in Isa::available() {
            for n in SIZES {
                println!("elementwise/{name}/{isa}/{n},1,{:.3},1.000", run(isa, n) / n as f64);
            }
        }
    }

    fn one<K: Map1<T>, T: Copy>(&self, name: &str, value: impl Fn(usize) -> T) {
        self.row(name, |isa, n| {
            let x: Vec<T> = (0..n).map(&value).collect();
            let mut o = vec![K::slow(x[0]); n];
            let (px, po) = (x.as_ptr().cast(), o.as_mut_ptr().cast());
            let (sx, so) = (size_of::<T>() as isize, size_of::<K::Out>() as isize);
            let run: Loop1 = black_box(loop1::<K, T>);
            // SAFETY: operand and result hold n elements and lie apart.
            least(|| unsafe { run(isa, n, px, sx, po, so) })
        });
    }

    fn two<K: Map2<T>, T: Copy>(&self, name: &str, a: impl Fn(usize) -> T, b: impl Fn(usize) -> T) {
        self.row(name, |isa, n| {
            let (a, b): (Vec<T>, Vec<T>) = (0..n).map(|i| (a(i), b(i))).unzip();
            let mut o = vec![K::slow(a[0], b[0]); n];
            let (pa, pb, po) = (a.as_ptr().cast(), b.as_ptr().cast(), o.as_mut_ptr().cast());
            let (s, so) = (size_of::<T>() as isize, size_of::<K::Out>() as isize);
            let run: Loop2 = black_box(loop2::<K, T>);
            // SAFETY: operands and result hold n elements and lie apart.
            least(|| unsafe { run(isa, n, pa, s, pb, s, po, so) })
        });
    }
}

/// A number in 0..1, the same in every run.
fn unit(i: usize) -> f64 {
    let h = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (h >> 11) as f64 / (1u64 << 53) as f64
}

fn around(i: usize) -> f64 {
    (unit(i) - 0.5) * 20.0
}

fn positive(i: usize) -> f64 {
    unit(i) * 100.0 + 1e-3
}

fn inside(i: usize) -> f64 {
    (unit(i) - 0.5) * 1.99
}

fn above(i: usize) -> f64 {
    unit(i) * 20.0 + 1.0
}

fn narrow(x: f64) -> f32 {
    x as f32
}

macro_rules! floats {
    ($bench:ident: $($k:ident $domain:ident;)*) => { $(
        $bench.one::<$k, f64>(concat!(stringify!($k), "/f64"), $domain);
        $bench.one::<$k, f32>(concat!(stringify!($k), "/f32"), |i| narrow($domain(i)));
    )* };
}

macro_rules! pairs {
    ($bench:ident: $($k:ident $left:ident $right:ident;)*) => { $(
        $bench.two::<$k, f64>(concat!(stringify!($k), "/f64"), $left, $right);
        $bench.two::<$k, f32>(concat!(stringify!($k), "/f32"), |i| narrow($left(i)), |i| narrow($right(i)));
    )* };
}

fn main() {
    let bench = Bench { filter: std::env::args().skip(1).find(|a| !a.starts_with("--")) };
    floats! { bench: Sin around; Cos around; Tan around; Asin inside; Acos inside; Atan around; }
    floats! { bench: Sinh around; Cosh around; Tanh around; Asinh around; Acosh above; Atanh inside; }
    floats! { bench: Exp around; Exp2 around; Expm1 around; Log positive; Log2 positive; Log10 positive; Log1p positive; }
    floats! { bench: Cbrt around; Erf around; Sqrt positive; Absolute around; Floor around; Round around; }
    pairs! { bench: Pow positive around; Atan2 around positive; Hypot around positive; LogAddExp around positive; }
    pairs! { bench: Add around around; Divide around positive; Maximum around around; Less around around; }
    bench.two::<Add, i32>("Add/i32", |i| i as i32, |i| i as i32);
    bench.two::<Multiply, i64>("Multiply/i64", |i| i as i64, |i| i as i64);
    bench.one::<Sin, f16>("Sin/f16", |i| f16::from_f64_const(around(i)));
    bench.two::<Add, f16>("Add/f16", |i| f16::from_f64_const(around(i)), |i| f16::from_f64_const(around(i)));
}
