//! Sorting against the definition: a stable sort of the standard library by what numbers are worth.
use freelane_ops::{Array, DType, Index, Kind, OpsError, Slice};
use freelane_pool::{Lane, Runtime};
use freelane_testing::{Random, THREADS, assert_same_bits, layouts};
use num_complex::Complex;
use std::cmp::Ordering;

type Result<T = ()> = std::result::Result<T, OpsError>;

/// What a number is worth in an order: NaN comes last, also in descending order.
#[derive(Clone, Copy)]
enum Worth {
    Whole(i128),
    Real(Complex<f64>),
}

fn compare(a: Worth, b: Worth, descending: bool) -> Ordering {
    let turned = |o: Ordering| if descending { o.reverse() } else { o };
    match (a, b) {
        (Worth::Whole(a), Worth::Whole(b)) => turned(a.cmp(&b)),
        (Worth::Real(a), Worth::Real(b)) => {
            let class = |z: Complex<f64>| (z.re.is_nan(), z.im.is_nan());
            let part = |a: f64, b: f64| turned(a.partial_cmp(&b).unwrap_or(Ordering::Equal));
            class(a).cmp(&class(b)).then(part(a.re, b.re)).then(part(a.im, b.im))
        }
        _ => unreachable!("one dtype"),
    }
}

fn worths(x: &Array) -> Result<Vec<Worth>> {
    Ok(match x.dtype().kind() {
        Kind::Float | Kind::Complex => x.astype(DType::C128)?.to_vec()?.into_iter().map(Worth::Real).collect(),
        Kind::Unsigned => x.astype(DType::U64)?.to_vec::<u64>()?.into_iter().map(|v| Worth::Whole(v.into())).collect(),
        _ => x.astype(DType::I64)?.to_vec::<i64>()?.into_iter().map(|v| Worth::Whole(v.into())).collect(),
    })
}

/// The order of an array of one axis.
fn order(x: &Array, descending: bool) -> Result<Array> {
    let worth = worths(x)?;
    let mut order: Vec<i64> = (0..worth.len() as i64).collect();
    order.sort_by(|&a, &b| compare(worth[a as usize], worth[b as usize], descending));
    Array::from_slice(&order)
}

/// Numbers of every pattern in every dtype.
fn patterns(n: usize, dtype: DType) -> Result<Vec<Array>> {
    let mut random = Random(n as u64 * 31 + dtype as u64);
    let mut with = |f: &dyn Fn(usize, &mut Random) -> f64| (0..n).map(|i| f(i, &mut random)).collect::<Vec<f64>>();
    let special = [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1.0, -1.0];
    let mut all = vec![
        with(&|_, r| r.uniform(-1e4, 1e4)),
        with(&|i, _| i as f64),
        with(&|i, _| -(i as f64)),
        with(&|_, _| 5.0),
        with(&|_, r| r.below(3) as f64),
        with(&|i, _| (i as f64 - n as f64 / 2.0).abs()),
        with(&|i, r| if r.below(9) == 0 { r.uniform(0.0, 100.0) } else { i as f64 }),
        with(&|i, _| -((i / 7) as f64)),
        with(&|i, r| if i + 5 < n { i as f64 } else { r.uniform(0.0, 100.0) }),
        with(&|i, _| (i % (n / 3 + 1)) as f64),
    ];
    if matches!(dtype.kind(), Kind::Float | Kind::Complex) {
        all.push(with(&|_, r| special[r.below(8)]));
        all.push(with(&|_, r| [0.0, -0.0][r.below(2)]));
    }
    let mut arrays = vec![];
    for re in all {
        let (re, im) = (Array::from_vec(re, &[n])?, with(&|_, r| special[r.below(8)]));
        let im = Array::from_vec(im, &[n])?;
        let array = if dtype.kind() == Kind::Complex {
            let pairs = re.to_vec::<f64>()?.into_iter().zip(im.to_vec::<f64>()?);
            Array::from_vec(pairs.map(|(re, im)| Complex::new(re, im)).collect(), &[n])?.astype(dtype)?
        } else {
            re.astype(dtype)?
        };
        arrays.push(array);
    }
    // All the bits that a dtype has.
    let wide: Vec<u64> = (0..n).map(|_| random.bits()).collect();
    if dtype.is_integer() {
        arrays.push(Array::from_vec(wide, &[n])?.astype(dtype)?);
    }
    Ok(arrays)
}

/// Bits; every NaN must be the one of its type.
fn assert_sorted(got: &Array, want: &Array, what: &str) -> Result {
    if got.dtype().kind() != Kind::Float {
        assert_same_bits(got, want, what);
        return Ok(());
    }
    let bits = |x: &Array, nan: &dyn Fn(f64) -> u64| -> Result<Vec<u64>> {
        let of = |v: f64| if v.is_nan() { nan(v) } else { v.to_bits() };
        Ok(x.astype(DType::F64)?.to_vec()?.into_iter().map(of).collect())
    };
    let (got_bits, want_bits) = (bits(got, &f64::to_bits)?, bits(want, &|_| f64::NAN.to_bits())?);
    assert_eq!((got.dtype(), got.shape(), got_bits), (want.dtype(), want.shape(), want_bits), "{what}");
    Ok(())
}

fn check(x: &Array, what: &str) -> Result {
    for descending in [false, true] {
        let want = order(x, descending)?;
        let what = format!("{what}, {} of {}, descending {descending}", x.len(), x.dtype());
        assert_same_bits(&x.argsort(-1, descending)?, &want, &what);
        assert_sorted(&x.sort(0, descending)?, &x.take(&want, 0)?, &what)?;
    }
    Ok(())
}

#[test]
fn nans_lose_sign_and_payload_however_the_array_lies() -> Result {
    let strange = f64::from_bits(0xfff8_0000_0000_0123);
    for values in [vec![1.0, 2.0, strange], vec![2.0, strange, 1.0, -f64::NAN], vec![strange; 70], vec![strange]] {
        for (what, x) in layouts(&Array::from_slice(&values)?)? {
            for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
                let sorted = x.astype(dtype)?.sort(0, false)?.astype(DType::F64)?.to_vec::<f64>()?;
                let nans: Vec<u64> = sorted.iter().filter(|v| v.is_nan()).map(|v| v.to_bits()).collect();
                let count = values.iter().filter(|v| v.is_nan()).count();
                assert_eq!(nans, vec![f64::NAN.to_bits(); count], "{what}, {dtype}");
            }
        }
    }
    Ok(())
}

#[test]
fn short_lines_are_sorted_each_by_itself() -> Result {
    for &dtype in DType::ALL {
        for (rows, n) in [(50, 10), (7, 64), (300, 2), (3, 257), (40, 1)] {
            for x in patterns(rows * n, dtype)? {
                let lines = x.reshape(&[rows as isize, n as isize])?;
                let (sorted, numbers) = (lines.sort(1, false)?, lines.argsort(1, false)?);
                let columns = lines.t().contiguous()?.sort(0, false)?;
                for row in (0..rows as isize).map(Index::At) {
                    let want = order(&lines.index(&[row])?, false)?;
                    assert_same_bits(&numbers.index(&[row])?, &want, "numbers");
                    let want = lines.index(&[row])?.take(&want, 0)?;
                    assert_sorted(&sorted.index(&[row])?, &want, &format!("rows of {n} {dtype}"))?;
                    assert_sorted(
                        &columns.index(&[Slice::all().into(), row])?,
                        &want,
                        &format!("columns of {n} {dtype}"),
                    )?;
                }
            }
        }
    }
    Ok(())
}

#[test]
fn every_dtype_and_pattern_is_sorted() -> Result {
    for &dtype in DType::ALL {
        for n in (0..20).chain([63, 64, 65, 127, 200, 257, 300, 1025, 3000]) {
            for (i, x) in patterns(n, dtype)?.iter().enumerate() {
                check(x, &format!("pattern {i}"))?;
            }
        }
    }
    Ok(())
}

#[test]
fn long_lines_are_the_same_on_any_number_of_threads() -> Result {
    let runtimes: Vec<Runtime> = THREADS.iter().filter_map(|&t| Runtime::new(t).ok()).collect();
    for dtype in [DType::F64, DType::I32, DType::U64, DType::F16, DType::Bool, DType::C128] {
        for x in patterns(70_001, dtype)?.into_iter().step_by(2) {
            for (runtime, descending) in runtimes.iter().zip([false, true, false, true, false]) {
                let want = order(&x, descending)?;
                let what = format!("{dtype} on {} threads", runtime.threads());
                let (sorted, numbers) = runtime.install(|_: &Lane| (x.sort(-1, descending), x.argsort(-1, descending)));
                assert_same_bits(&numbers?, &want, &what);
                assert_sorted(&sorted?, &x.take(&want, 0)?, &what)?;
            }
        }
    }
    Ok(())
}

/// Long enough to be cut on one thread too, so that it can be interrupted.
#[test]
fn very_long_lines_can_be_interrupted() -> Result {
    let n = 6_000_000;
    let mut random = Random(8);
    let values: Vec<i32> = (0..n).map(|_| random.bits() as i32).collect();
    let x = Array::from_vec(values.clone(), &[n])?;
    let mut want = values;
    want.sort_unstable();
    assert_eq!(x.sort(0, false)?.to_vec::<i32>()?, want);
    for run in [Array::sort, Array::argsort] {
        let stopped = Lane::with(|lane| {
            let before = lane.set_poll(Some(|| true));
            let stopped = run(&x, 0, false);
            lane.set_poll(before);
            stopped
        });
        assert!(matches!(stopped, Err(OpsError::Interrupted { .. })));
    }
    Ok(())
}

/// Element numbers that agree in many high bits of their keys, and in all but the low ones.
#[test]
fn keys_that_agree_in_what_fits_are_told_apart() -> Result {
    let mut random = Random(3);
    let n = 70_000;
    let near: Vec<i64> = (0..n).map(|i| if i == 0 { i64::MIN } else { random.below(3000) as i64 }).collect();
    let groups: Vec<i64> = (0..n).map(|_| (random.below(5) as i64) << 60 | random.below(40) as i64).collect();
    for values in [near, groups] {
        let x = Array::from_vec(values, &[n])?;
        check(&x, "one thread")?;
        let runtime = Runtime::new(3).unwrap();
        assert_same_bits(&runtime.install(|_: &Lane| x.argsort(0, false))?, &order(&x, false)?, "three threads");
    }
    Ok(())
}

#[test]
fn every_axis_and_layout_is_sorted() -> Result {
    for (shape, dtype) in
        [(&[5, 70, 3][..], DType::F32), (&[33, 40], DType::I64), (&[7, 1, 20], DType::U8), (&[4, 1030], DType::C64)]
    {
        let n: usize = shape.iter().product();
        let x = &patterns(n, dtype)?[0];
        let x = x.reshape(&shape.iter().map(|&n| n as isize).collect::<Vec<_>>())?;
        for (name, x) in layouts(&x)? {
            for axis in 0..shape.len() {
                let (sorted, numbers) =
                    (x.sort(axis as isize, false)?, x.argsort(axis as isize - shape.len() as isize, false)?);
                let last = x.moveaxis(&[axis as isize], &[-1])?.reshape(&[-1, shape[axis] as isize])?;
                let flat = |y: &Array| y.moveaxis(&[axis as isize], &[-1])?.reshape(&[-1, shape[axis] as isize]);
                let (sorted, numbers) = (flat(&sorted)?, flat(&numbers)?);
                for row in 0..last.shape()[0] {
                    let row = &[Index::At(row as isize)];
                    let line = last.index(row)?;
                    let want = order(&line, false)?;
                    let what = format!("{name}, axis {axis} of {shape:?}");
                    assert_same_bits(&numbers.index(row)?, &want, &what);
                    assert_sorted(&sorted.index(row)?, &line.take(&want, 0)?, &what)?;
                }
            }
        }
    }
    Ok(())
}

#[test]
fn broadcast_and_empty_arrays_are_sorted() -> Result {
    let x = Array::from_slice(&[2.0f32, 1.0, 3.0])?;
    let wide = x.broadcast_to(&[4, 3])?;
    assert_same_bits(&wide.sort(0, false)?, &wide.copy()?, "along the axis that is repeated");
    assert_eq!(wide.argsort(0, true)?.to_vec::<i64>()?, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]);
    assert_eq!(wide.sort(1, true)?.to_vec::<f32>()?, [3.0, 2.0, 1.0].repeat(4));
    for shape in [&[0][..], &[3, 0], &[0, 3]] {
        let empty = Array::zeros(shape, DType::I16)?;
        assert_eq!((empty.sort(-1, false)?.shape(), empty.argsort(0, true)?.shape()), (shape, shape));
    }
    assert!(Array::scalar(1.0)?.sort(-1, false).is_err() && x.argsort(1, false).is_err());
    let every_other = x.index(&[Slice { start: None, stop: None, step: -2 }.into()])?;
    assert_eq!(every_other.argsort(0, false)?.to_vec::<i64>()?, [1, 0]);
    Ok(())
}
