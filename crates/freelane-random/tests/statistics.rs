//! Values beside what probability says of them. Seeds are fixed: a bound that holds once holds always. Bounds lie where
//! right generators arrive once in millions.
use freelane_array::DType;
use freelane_ops::Array;
use freelane_random::{
    Generator, Source, binomial, bits, choice, exponential, integers, normal, permutation, poisson, random, uniform,
    weighted_choice,
};

const N: usize = 200_000;

fn list(x: &Array) -> Vec<f64> {
    x.astype(DType::F64).unwrap().to_vec().unwrap()
}

fn at(seed: u64) -> Source {
    Source { seed, stream: 3, position: 1001 }
}

/// Five standard deviations and a half.
fn near(found: f64, wanted: f64, deviation: f64, what: &str) {
    assert!((found - wanted).abs() < 5.5 * deviation, "{what}: {found}, not {wanted} +- {deviation}");
}

fn mean(x: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = x.len() as f64;
    x.sum::<f64>() / n
}

/// The largest distance of the share of values below each from `cdf`, in units in which 1.95 is exceeded once in 1000.
fn kolmogorov(x: &[f64], cdf: impl Fn(f64) -> f64) -> f64 {
    let mut sorted = x.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let distance = |(i, v): (usize, &f64)| (cdf(*v) - i as f64 / n).abs().max((cdf(*v) - (i + 1) as f64 / n).abs());
    sorted.iter().enumerate().map(distance).fold(0.0, f64::max) * n.sqrt()
}

/// How far counts are from being equal, in standard deviations.
fn chi_square(counts: &[usize]) -> f64 {
    let (n, cells) = (counts.iter().sum::<usize>() as f64, counts.len() as f64);
    let sum: f64 = counts.iter().map(|&c| (c as f64 - n / cells).powi(2)).sum::<f64>() * cells / n;
    (sum - (cells - 1.0)) / (2.0 * (cells - 1.0)).sqrt()
}

/// The normal distribution, from the integral of its density.
fn normal_cdf(x: f64) -> f64 {
    let steps = 200;
    let density = |t: f64| (-t * t / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let h = x / steps as f64;
    let inner: f64 = (1..steps).map(|i| if i % 2 == 1 { 4.0 } else { 2.0 } * density(i as f64 * h)).sum();
    0.5 + h / 3.0 * (density(0.0) + inner + density(x))
}

fn correlations(x: &[f64], mean: f64, variance: f64, what: &str) {
    for lag in [1, 2, 3, 4, 16, 32, 64, 1000] {
        let n = x.len() - lag;
        let sum: f64 = (0..n).map(|i| (x[i] - mean) * (x[i + lag] - mean)).sum();
        near(sum / variance / (n as f64).sqrt(), 0.0, 1.0, &format!("{what} at lag {lag}"));
    }
}

#[test]
fn uniform_values_are_uniform() {
    for (seed, dtype) in [(1, DType::F64), (2, DType::F64), (3, DType::F32)] {
        let x = list(&random(at(seed), &[N], dtype).unwrap());
        assert!(x.iter().all(|v| (0.0..1.0).contains(v)));
        near(mean(x.iter().copied()), 0.5, (1.0 / 12.0 / N as f64).sqrt(), "mean");
        near(mean(x.iter().map(|v| (v - 0.5).powi(2))), 1.0 / 12.0, (1.0 / 180.0 / N as f64).sqrt(), "variance");
        assert!(kolmogorov(&x, |v| v) < 2.7);
        let mut counts = vec![0; 1000];
        x.iter().for_each(|v| counts[(v * 1000.0) as usize] += 1);
        assert!(chi_square(&counts).abs() < 5.5);
        let mut pairs = vec![0; 1024];
        x.chunks(2).for_each(|v| pairs[(v[0] * 32.0) as usize * 32 + (v[1] * 32.0) as usize] += 1);
        assert!(chi_square(&pairs).abs() < 5.5);
        correlations(&x, 0.5, 1.0 / 12.0, "uniform");
    }
    let x = list(&uniform(at(4), -3.0, 5.0, &[N], DType::F64).unwrap());
    assert!(kolmogorov(&x, |v| (v + 3.0) / 8.0) < 2.7);
}

#[test]
fn every_bit_is_set_half_of_the_time() {
    let words = bits(at(5), &[N], DType::U64).unwrap().to_vec::<u64>().unwrap();
    for bit in 0..64 {
        let set = words.iter().filter(|w| *w >> bit & 1 == 1).count();
        near(set as f64, N as f64 / 2.0, (N as f64).sqrt() / 2.0, &format!("bit {bit}"));
        let changes = words.windows(2).filter(|w| (w[0] ^ w[1]) >> bit & 1 == 1).count();
        near(changes as f64, N as f64 / 2.0, (N as f64).sqrt() / 2.0, &format!("changes of bit {bit}"));
    }
    let bytes = bits(at(5), &[N], DType::U8).unwrap().to_vec::<u8>().unwrap();
    assert!(bytes.iter().zip(&words).all(|(b, w)| u64::from(*b) == w >> 56));
}

#[test]
fn normal_values_are_normal() {
    for (seed, dtype) in [(6, DType::F64), (7, DType::F32)] {
        let x = list(&normal(at(seed), 0.0, 1.0, &[N], dtype).unwrap());
        let moment = |k: i32| mean(x.iter().map(|v| v.powi(k)));
        let n = (N as f64).sqrt();
        near(moment(1), 0.0, 1.0 / n, "mean");
        near(moment(2), 1.0, 2f64.sqrt() / n, "variance");
        near(moment(3), 0.0, 15f64.sqrt() / n, "third moment");
        near(moment(4), 3.0, 96f64.sqrt() / n, "fourth moment");
        assert!(kolmogorov(&x, normal_cdf) < 2.7);
        correlations(&x, 0.0, 1.0, "normal");
        correlations(&x.iter().map(|v| v * v).collect::<Vec<_>>(), 1.0, 2.0, "squares");
        let far = x.iter().filter(|v| v.abs() > 3.0).count() as f64;
        let expected = N as f64 * 0.002_699_796;
        near(far, expected, expected.sqrt(), "beyond three deviations");
    }
    let shifted = list(&normal(at(6), 10.0, 0.5, &[100], DType::F64).unwrap());
    let plain = list(&normal(at(6), 0.0, 1.0, &[100], DType::F64).unwrap());
    assert!(shifted.iter().zip(&plain).all(|(s, p)| *s == 10.0 + 0.5 * p));
    assert_eq!(list(&normal(at(6), 2.0, 0.0, &[3], DType::F64).unwrap()), [2.0; 3]);
}

#[test]
fn exponential_values_are_exponential() {
    let x = list(&exponential(at(8), 2.0, &[N], DType::F64).unwrap());
    assert!(x.iter().all(|v| *v >= 0.0));
    near(mean(x.iter().copied()), 2.0, 2.0 / (N as f64).sqrt(), "mean");
    assert!(kolmogorov(&x, |v| 1.0 - (-v / 2.0).exp()) < 2.7);
    correlations(&x, 2.0, 4.0, "exponential");
}

#[test]
fn integers_are_all_as_likely() {
    for (low, count) in [(0, 2), (-5, 10), (3, 1000), (-7, 999)] {
        let x = integers(at(9), low, low + count, &[N], DType::I64).unwrap().to_vec::<i64>().unwrap();
        let mut counts = vec![0; count as usize];
        x.iter().for_each(|v| counts[(i128::from(*v) - low) as usize] += 1);
        assert!(chi_square(&counts).abs() < 5.5, "{count} from {low}: {counts:?}");
    }
    // A remainder would make two of three values of the upper half of this range rarer.
    let x = integers(at(10), 0, 3 << 62, &[N], DType::U64).unwrap().to_vec::<u64>().unwrap();
    let mut thirds = [0; 3];
    x.iter().for_each(|v| thirds[(v >> 62) as usize] += 1);
    assert!(chi_square(&thirds).abs() < 5.5, "{thirds:?}");
    let all = integers(at(11), i64::MIN.into(), i128::from(i64::MAX) + 1, &[N], DType::I64).unwrap();
    near(all.to_vec::<i64>().unwrap().iter().filter(|v| **v < 0).count() as f64, 1e5, 224.0, "negative ones");
    for dtype in [DType::I8, DType::U8, DType::I16, DType::U16, DType::I32, DType::U32, DType::U64, DType::Bool] {
        let (low, high) = if dtype == DType::Bool { (0, 2) } else { (5, 100) };
        let narrow = list(&integers(at(12), low, high, &[1000], dtype).unwrap());
        assert_eq!(narrow, list(&integers(at(12), low, high, &[1000], DType::I64).unwrap()), "{dtype}");
    }
}

#[test]
fn permutations_are_all_as_likely() {
    let mut counts = std::collections::HashMap::new();
    for i in 0..24_000 {
        let order = permutation(Source { seed: 13, stream: i, position: 5 }, 4).unwrap().to_vec::<i64>().unwrap();
        *counts.entry(order).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 24);
    assert!(chi_square(&counts.into_values().collect::<Vec<_>>()).abs() < 5.5);
    for n in [0, 1, 2, 1000, 100_000] {
        let mut order = permutation(at(14), n).unwrap().to_vec::<i64>().unwrap();
        let fixed = order.iter().zip(0..).filter(|(v, i)| **v == *i).count();
        assert!(n < 1000 || fixed < 10, "{fixed} of {n} where they were");
        order.sort_unstable();
        assert!(order.iter().copied().eq(0..n as i64));
    }
}

#[test]
fn choices_are_as_likely_as_they_should_be() {
    for (n, k) in [(5, 3), (1000, 5)] {
        let (mut first, mut all) = (vec![0; n], vec![0; n]);
        for i in 0..20_000 {
            let x = choice(Source { seed: 15, stream: i, position: 0 }, n, &[k], false).unwrap();
            let x = x.to_vec::<i64>().unwrap();
            first[x[0] as usize] += 1;
            x.iter().for_each(|v| all[*v as usize] += 1);
            assert_eq!(x.iter().collect::<std::collections::HashSet<_>>().len(), k);
        }
        assert!(chi_square(&first).abs() < 5.5 && chi_square(&all).abs() < 5.5);
    }
    let weights = [1.0, 0.0, 3.0, 6.0, 0.0];
    let x = weighted_choice(at(16), &weights, &[N], true).unwrap().to_vec::<i64>().unwrap();
    let two = |i: u32| weighted_choice(Source { seed: 17, stream: i, position: 0 }, &weights, &[2], false).unwrap();
    let pairs: Vec<Vec<i64>> = (0..20_000).map(|i| two(i).to_vec().unwrap()).collect();
    for (i, w) in weights.iter().enumerate() {
        let (p, n) = (w / 10.0, N as f64);
        let count = x.iter().filter(|v| **v == i as i64).count() as f64;
        near(count, n * p, (n * p * (1.0 - p)).sqrt().max(1e-9), "weighted");
        let first = pairs.iter().filter(|v| v[0] == i as i64).count() as f64;
        near(first, 2e4 * p, (2e4 * p * (1.0 - p)).sqrt().max(1e-9), "first of two");
    }
    // After 0 comes 2 in one of three cases.
    let after: Vec<&Vec<i64>> = pairs.iter().filter(|v| v[0] == 0).collect();
    let twos = after.iter().filter(|v| v[1] == 2).count() as f64;
    near(twos, after.len() as f64 / 3.0, (after.len() as f64 * 2.0 / 9.0).sqrt(), "second of two");
}

#[test]
fn streams_seeds_and_children_are_unrelated() {
    let one = list(&random(Source::new(18), &[N], DType::F64).unwrap());
    let child = Generator::new(18).split(1).unwrap().remove(0).source();
    for other in [Source::new(19), Source { stream: 1, ..Source::new(18) }, child] {
        let other = list(&random(other, &[N], DType::F64).unwrap());
        let sum: f64 = one.iter().zip(&other).map(|(a, b)| (a - 0.5) * (b - 0.5)).sum();
        near(sum * 12.0 / (N as f64).sqrt(), 0.0, 1.0, "correlation");
    }
    let mut rng = Generator::new(20);
    let (first, second) = (rng.split(2).unwrap(), rng.split(2).unwrap());
    let seeds: std::collections::HashSet<u64> = first.iter().chain(&second).map(|g| g.source().seed).collect();
    assert_eq!((seeds.len(), rng.position()), (4, 4));
}

/// Mean and variance, whose own deviation comes from the fourth central moment.
fn moments(x: &[f64], mean_of: f64, variance: f64, fourth: f64, what: &str) {
    let n = x.len() as f64;
    near(mean(x.iter().copied()), mean_of, (variance / n).sqrt(), what);
    let found = mean(x.iter().map(|v| (v - mean_of).powi(2)));
    near(found, variance, ((fourth - variance * variance) / n).sqrt(), what);
}

#[test]
fn numbers_of_events_are_as_likely_as_they_should_be() {
    for lam in [0.01, 0.5, 3.5, 40.0, 1e4, 1e8] {
        let x = list(&poisson(at(21), lam, &[N]).unwrap());
        moments(&x, lam, lam, lam + 3.0 * lam * lam, &format!("poisson {lam}"));
        near(
            x.iter().filter(|v| **v == 0.0).count() as f64,
            N as f64 * (-lam).exp(),
            (N as f64 * (-lam).exp()).sqrt().max(0.1),
            "none",
        );
    }
    for (n, p) in [(1, 0.3), (10, 0.5), (100, 0.02), (1000, 0.999), (1_000_000, 0.4), (1 << 40, 1e-6)] {
        let x = list(&binomial(at(22), n, p, &[N]).unwrap());
        let (mean, variance) = (n as f64 * p, n as f64 * p * (1.0 - p));
        let fourth = variance * (1.0 + (3.0 * n as f64 - 6.0) * p * (1.0 - p));
        moments(&x, mean, variance, fourth, &format!("binomial {n}, {p}"));
        assert!(x.iter().all(|v| (0.0..=n as f64).contains(v)));
    }
}
