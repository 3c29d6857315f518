//! What the transforms are measured against: sums written out, and what NumPy prints.
use freelane_array::{DType, Index, Slice};
use freelane_fft::{
    Norm, fft, fftfreq, fftn, fftshift, hfft, ifft, ifftn, ifftshift, ihfft, irfft, irfftn, rfft, rfftfreq, rfftn,
};
use freelane_ops::{Array, OpsError};
use num_complex::Complex;

type C = Complex<f64>;

/// Numbers without a pattern, in [-1, 1).
fn numbers(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..n).map(|_| next()).collect()
}

fn complex(n: usize, seed: u64) -> Vec<C> {
    numbers(2 * n, seed).chunks(2).map(|z| C::new(z[0], z[1])).collect()
}

fn array(values: &[C], shape: &[usize]) -> Array {
    Array::from_vec(values.to_vec(), shape).unwrap()
}

/// The transform as it is defined; angles are reduced in whole numbers.
fn direct(x: &[C], sign: f64) -> Vec<C> {
    let n = x.len();
    let turn = |k: usize| {
        let (octant, rest) = (8 * k / n, 8 * k % n);
        let angle = |r: usize| std::f64::consts::FRAC_PI_4 * r as f64 / n as f64;
        let (s, c) = if octant % 2 == 0 { angle(rest).sin_cos() } else { angle(n - rest).sin_cos() };
        match octant {
            0 => C::new(c, s),
            1 => C::new(s, c),
            2 => C::new(-s, c),
            3 => C::new(-c, s),
            4 => C::new(-c, -s),
            5 => C::new(-s, -c),
            6 => C::new(s, -c),
            _ => C::new(c, -s),
        }
    };
    let turns: Vec<C> = (0..n).map(turn).map(|z| C::new(z.re, sign * z.im)).collect();
    (0..n).map(|k| (0..n).map(|j| x[j] * turns[j * k % n]).sum()).collect()
}

/// The distance of two vectors in units of the length of the second.
fn distance(got: &[C], want: &[C]) -> f64 {
    assert_eq!(got.len(), want.len());
    let norm = |v: &mut dyn Iterator<Item = C>| v.map(|z| z.norm_sqr()).sum::<f64>().sqrt();
    norm(&mut got.iter().zip(want).map(|(a, b)| a - b)) / norm(&mut want.iter().copied()).max(1e-300)
}

fn wide(x: &Array) -> Vec<C> {
    x.astype(DType::C128).unwrap().to_vec().unwrap()
}

#[test]
fn every_length_up_to_500_is_the_sum_it_is_defined_by() {
    for n in (1..=130).chain((131..=500).step_by(7)).chain([251, 256, 499, 500]) {
        let x = complex(n, n as u64);
        let bound = 4e-16 * (n as f64).log2().max(1.0) * if n > 100 { 4.0 } else { 2.0 };
        let (forward, backward) = (direct(&x, -1.0), direct(&x, 1.0));
        let at = array(&x, &[n]);
        let got = wide(&fft(&at, None, -1, Norm::Backward).unwrap());
        assert!(distance(&got, &forward) < bound, "{n}: {}", distance(&got, &forward));
        let got = wide(&ifft(&at, None, -1, Norm::Forward).unwrap());
        assert!(distance(&got, &backward) < bound, "{n}: {}", distance(&got, &backward));
        let single = at.astype(DType::C64).unwrap();
        let got = wide(&fft(&single, None, -1, Norm::Backward).unwrap());
        let want = direct(&wide(&single), -1.0);
        assert!(distance(&got, &want) < 5e8 * bound, "{n}: {}", distance(&got, &want));
    }
}

#[test]
fn real_lines_have_the_spectrum_of_complex_ones() {
    for n in (1..=64).chain([101, 128, 250, 499]) {
        let x = numbers(n, 7 * n as u64);
        let want = direct(&x.iter().map(|&v| C::new(v, 0.0)).collect::<Vec<_>>(), -1.0);
        let x = Array::from_vec(x, &[n]).unwrap();
        let whole = fft(&x, None, -1, Norm::Backward).unwrap();
        let half = rfft(&x, None, -1, Norm::Backward).unwrap();
        assert!(distance(&wide(&whole), &want) < 1e-14, "{n}");
        assert!(distance(&wide(&half), &want[..n / 2 + 1]) < 1e-14, "{n}");
        assert_eq!(wide(&half), wide(&whole)[..n / 2 + 1], "{n}");
        let back = irfft(&half, Some(n), -1, Norm::Backward).unwrap();
        assert!(distance(&wide(&back), &wide(&x)) < 1e-14, "{n}");
        let inverse = ihfft(&x, None, -1, Norm::Backward).unwrap();
        let conjugate: Vec<C> = want[..n / 2 + 1].iter().map(|z| z.conj() / n as f64).collect();
        assert!(distance(&wide(&inverse), &conjugate) < 1e-14, "{n}");
        assert!(distance(&wide(&hfft(&inverse, Some(n), -1, Norm::Backward).unwrap()), &wide(&x)) < 1e-14, "{n}");
        assert!(distance(&wide(&ifft(&whole, None, -1, Norm::Backward).unwrap()), &wide(&x)) < 1e-14, "{n}");
        let inverse = wide(&ifft(&x, None, -1, Norm::Backward).unwrap());
        let conjugate: Vec<C> = want.iter().map(|z| z.conj() / n as f64).collect();
        assert!(distance(&inverse, &conjugate) < 1e-14, "{n}");
    }
}

#[test]
fn energy_is_kept_by_the_orthogonal_transform() {
    for n in [1, 2, 37, 1000, 4096, 10007, 65537] {
        let x = complex(n, 11);
        let y = wide(&fft(&array(&x, &[n]), None, -1, Norm::Ortho).unwrap());
        let energy = |v: &[C]| v.iter().map(|z| z.norm_sqr()).sum::<f64>();
        assert!((energy(&y) / energy(&x) - 1.0).abs() < 1e-13, "{n}");
    }
}

#[test]
fn numpy_prints_the_same() {
    // numpy.fft of [1, 2, 4, 8] and of its first and padded elements, with each norm.
    let x = Array::from_vec(vec![1.0, 2.0, 4.0, 8.0], &[4]).unwrap();
    let list = |x: Result<Array, OpsError>| wide(&x.unwrap());
    let c = C::new;
    assert_eq!(list(fft(&x, None, -1, Norm::Backward)), [c(15.0, 0.0), c(-3.0, 6.0), c(-5.0, 0.0), c(-3.0, -6.0)]);
    assert_eq!(list(fft(&x, None, 0, Norm::Ortho)), [c(7.5, 0.0), c(-1.5, 3.0), c(-2.5, 0.0), c(-1.5, -3.0)]);
    assert_eq!(list(ifft(&x, None, 0, Norm::Backward)), [c(3.75, 0.0), c(-0.75, -1.5), c(-1.25, 0.0), c(-0.75, 1.5)]);
    assert_eq!(list(fft(&x, Some(2), -1, Norm::Backward)), [c(3.0, 0.0), c(-1.0, 0.0)]);
    let padded = list(rfft(&x, Some(8), -1, Norm::Backward));
    let want = [c(15.0, 0.0), c(-3.24264069, -11.07106781), c(-3.0, 6.0), c(5.24264069, -3.07106781), c(-5.0, 0.0)];
    assert!(distance(&padded, &want) < 1e-8);
    assert_eq!(list(irfft(&x, None, -1, Norm::Backward)).len(), 6);
    let h = list(hfft(&x, None, -1, Norm::Backward));
    let want = [21.0, -9.0, 3.0, -3.0, 3.0, -9.0].map(|v| c(v, 0.0));
    assert!(distance(&h, &want) < 1e-15, "{h:?}");
}

#[test]
fn imaginary_parts_that_cannot_be_are_ignored() {
    let clean = [C::new(3.0, 0.0), C::new(1.0, -2.0), C::new(2.0, 0.0)];
    let dirty = [C::new(3.0, 9.0), C::new(1.0, -2.0), C::new(2.0, f64::NAN)];
    for n in [4, 3] {
        let keep = n / 2 + 1;
        let of =
            |v: &[C]| irfft(&array(&v[..keep], &[keep]), Some(n), -1, Norm::Backward).unwrap().to_vec::<f64>().unwrap();
        assert_eq!(of(&clean), of(&dirty), "{n}");
    }
    // Of an odd number of elements the last one is not real.
    let last = |im: f64| {
        let x = array(&[C::new(3.0, 0.0), C::new(1.0, im)], &[2]);
        irfft(&x, Some(3), -1, Norm::Backward).unwrap().to_vec::<f64>().unwrap()
    };
    assert_ne!(last(1.0), last(0.0));
}

#[test]
fn lines_do_not_depend_on_where_they_lie() {
    for (n, batch) in [(1, 5), (8, 40), (12, 33), (64, 17), (100, 40), (257, 5), (1024, 19)] {
        let x = complex(n * batch, 3);
        let rows = array(&x, &[batch, n]);
        let want = wide(&fft(&rows, None, 1, Norm::Ortho).unwrap());
        for row in 0..batch {
            let alone = fft(&array(&x[row * n..][..n], &[n]), None, -1, Norm::Ortho).unwrap();
            assert_eq!(wide(&alone), want[row * n..][..n], "row {row} of {batch} x {n}");
        }
        let columns = rows.t().contiguous().unwrap();
        assert_eq!(wide(&fft(&columns, None, 0, Norm::Ortho).unwrap().t().contiguous().unwrap()), want);
        assert_eq!(wide(&fft(&columns.t(), None, 1, Norm::Ortho).unwrap()), want);
        let every_other = Array::zeros(&[batch, 2 * n], DType::C128).and_then(|mut wide| {
            let index = [Slice::all().into(), Index::from(Slice { start: None, stop: None, step: 2 })];
            wide.assign(&index, &rows)?;
            wide.index(&index)
        });
        assert_eq!(wide(&fft(&every_other.unwrap(), None, 1, Norm::Ortho).unwrap()), want);
        let reals = Array::from_vec(numbers(n * batch, 5), &[batch, n]).unwrap();
        let want = wide(&rfft(&reals, None, 1, Norm::Backward).unwrap());
        let columns = reals.t().contiguous().unwrap();
        assert_eq!(wide(&rfft(&columns, None, 0, Norm::Backward).unwrap().t().contiguous().unwrap()), want);
        let back = irfft(&rfft(&columns, None, 0, Norm::Backward).unwrap(), Some(n), 0, Norm::Backward).unwrap();
        assert!(distance(&wide(&back), &wide(&columns)) < 1e-14);
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let x = array(&complex(60 * 500, 9), &[60, 500]);
    let all = || {
        [
            wide(&fftn(&x, None, None, Norm::Backward).unwrap()),
            wide(&fft(&x, None, 0, Norm::Backward).unwrap()),
            wide(&irfftn(&x, None, None, Norm::Backward).unwrap()),
        ]
    };
    let want = all();
    for threads in [2, 3, 5, 16] {
        let runtime = freelane_pool::Runtime::new(threads).unwrap();
        assert!(runtime.install(|_| all()) == want, "{threads} threads");
    }
}

#[test]
fn several_axes_are_one_after_the_other() {
    let x = array(&complex(4 * 5 * 6, 1), &[4, 5, 6]);
    let one = |x: &Array, axis| fft(x, None, axis, Norm::Backward).unwrap();
    assert_eq!(wide(&fftn(&x, None, None, Norm::Backward).unwrap()), wide(&one(&one(&one(&x, 2), 1), 0)));
    assert_eq!(wide(&fftn(&x, None, Some(&[0, -1]), Norm::Backward).unwrap()), wide(&one(&one(&x, 2), 0)));
    let cropped = fftn(&x, Some(&[3, -1]), None, Norm::Backward).unwrap();
    assert_eq!(cropped.shape(), [4, 3, 6]);
    let back = ifftn(&fftn(&x, None, None, Norm::Forward).unwrap(), None, None, Norm::Forward).unwrap();
    assert!(distance(&wide(&back), &wide(&x)) < 1e-15);
    let reals = Array::from_vec(numbers(4 * 5 * 7, 2), &[4, 5, 7]).unwrap();
    let half = rfftn(&reals, None, None, Norm::Ortho).unwrap();
    assert_eq!(half.shape(), [4, 5, 4]);
    assert_eq!(irfftn(&half, Some(&[-1, -1, -1]), None, Norm::Ortho).unwrap().shape(), [4, 5, 4]);
    assert_eq!(irfftn(&half, None, None, Norm::Ortho).unwrap().shape(), [4, 5, 6]);
    let back = irfftn(&half, Some(&[4, 5, 7]), None, Norm::Ortho).unwrap();
    assert!(distance(&wide(&back), &wide(&reals)) < 1e-15);
    assert_eq!(wide(&fftn(&reals, None, Some(&[]), Norm::Ortho).unwrap()), wide(&reals));
    assert_eq!(wide(&x), complex(4 * 5 * 6, 1), "the argument stays");
}

#[test]
fn dtypes_are_those_of_the_standard() {
    let of = |dtype: DType| {
        let x = Array::ones(&[4], dtype).unwrap();
        let real = rfft(&x, None, -1, Norm::Backward).ok().map(|x| x.dtype());
        (fft(&x, None, -1, Norm::Backward).unwrap().dtype(), real, irfft(&x, None, -1, Norm::Backward).unwrap().dtype())
    };
    for dtype in DType::ALL {
        let single = matches!(dtype, DType::F16 | DType::BF16 | DType::F32 | DType::C64);
        let (complex, real) = if single { (DType::C64, DType::F32) } else { (DType::C128, DType::F64) };
        let from_real = (!matches!(dtype, DType::C64 | DType::C128)).then_some(complex);
        assert_eq!(of(*dtype), (complex, from_real, real), "{dtype}");
    }
}

#[test]
fn what_cannot_be_is_an_error_and_says_why() {
    let x = Array::ones(&[3, 4], DType::C128).unwrap();
    let empty = Array::zeros(&[3, 0], DType::F64).unwrap();
    let cases: [(Result<Array, OpsError>, &str); 10] = [
        (fft(&x, Some(0), -1, Norm::Backward), "fft: a transform over 0 elements does not exist; n must be at least 1"),
        (
            fft(&empty, None, -1, Norm::Backward),
            "fft: a transform over 0 elements does not exist; n must be at least 1",
        ),
        (
            irfft(
                &x.index(&[Slice::all().into(), Slice { start: None, stop: Some(1), step: 1 }.into()]).unwrap(),
                None,
                -1,
                Norm::Backward,
            ),
            "irfft: a transform over 0 elements does not exist; n must be at least 1",
        ),
        (
            rfft(&x, None, -1, Norm::Backward),
            "rfft: not defined for complex128; it takes real numbers; use fft or ifft for complex ones",
        ),
        (fftn(&x, Some(&[2]), Some(&[0, 1]), Norm::Backward), "fftn: 1 lengths for 2 axes; give as many"),
        (fftn(&x, Some(&[2, 2, 2]), None, Norm::Backward), "fftn: 3 lengths for an array of 2 axes"),
        (
            ifftn(&x, Some(&[-2]), Some(&[0]), Norm::Backward),
            "ifftn: a transform over -2 elements does not exist; n must be at least 1",
        ),
        (irfftn(&x, None, Some(&[]), Norm::Backward), "irfftn: needs at least one axis"),
        (fftfreq(0, 1.0, DType::F64), "fftfreq: a transform over 0 elements does not exist; n must be at least 1"),
        (fftfreq(3, 1.0, DType::I64), "fftfreq: not defined for int64; it takes floating-point dtypes"),
    ];
    for (i, (got, want)) in cases.into_iter().enumerate() {
        let got = got.err().map(|e| e.to_string());
        assert_eq!(got.as_deref(), Some(want), "case {i}");
    }
    assert!(fft(&x, None, 2, Norm::Backward).is_err());
    assert!(fft(&x, Some(usize::MAX), -1, Norm::Backward).is_err());
    assert!(fft(&x, Some(1 << 55), -1, Norm::Backward).is_err());
    let no_lines = fft(&Array::zeros(&[0, 4], DType::F64).unwrap(), None, -1, Norm::Backward).unwrap();
    assert_eq!(no_lines.shape(), [0, 4]);
    assert_eq!(fft(&empty, Some(2), -1, Norm::Backward).unwrap().to_vec::<C>().unwrap(), [C::default(); 6]);
}

#[test]
fn frequencies_and_shifts_are_those_of_numpy() {
    let list = |x: Result<Array, OpsError>| x.unwrap().to_vec::<f64>().unwrap();
    assert_eq!(list(fftfreq(4, 0.1, DType::F64)), [0.0, 2.5, -5.0, -2.5]);
    assert_eq!(list(fftfreq(1, 2.0, DType::F64)), [0.0]);
    assert_eq!(list(rfftfreq(5, 0.1, DType::F64)), [0.0, 2.0, 4.0]);
    assert_eq!(list(rfftfreq(4, 0.1, DType::F64)), [0.0, 2.5, 5.0]);
    assert_eq!(fftfreq(4, 0.1, DType::F32).unwrap().dtype(), DType::F32);
    let x = Array::arange(0, 5, 1).unwrap();
    assert_eq!(fftshift(&x, None).unwrap().to_vec::<i64>().unwrap(), [3, 4, 0, 1, 2]);
    assert_eq!(ifftshift(&x, None).unwrap().to_vec::<i64>().unwrap(), [2, 3, 4, 0, 1]);
    let x = Array::arange(0, 6, 1).unwrap().reshape(&[2, 3]).unwrap();
    assert_eq!(fftshift(&x, None).unwrap().to_vec::<i64>().unwrap(), [5, 3, 4, 2, 0, 1]);
    assert_eq!(fftshift(&x, Some(&[-1])).unwrap().to_vec::<i64>().unwrap(), [2, 0, 1, 5, 3, 4]);
    assert!(fftshift(&x, Some(&[2])).is_err());
}
