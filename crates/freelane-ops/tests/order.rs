//! What rests on an order: sets, searches, selection, quantiles and counts, against their definitions and NumPy's results.
use freelane_ops::{Array, Between, DType, Function, Kind, Operand, OpsError, Scalar, Unique, Value, nonzero};
use freelane_pool::{Lane, Runtime};
use freelane_testing::{Random, THREADS, assert_same_bits, values};
use num_complex::Complex;

type Result<T = ()> = std::result::Result<T, OpsError>;

const NAN: f64 = f64::NAN;

/// Arrays of few distinct values in every dtype.
fn samples(n: usize) -> Result<Vec<Array>> {
    DType::ALL
        .iter()
        .map(|&dtype| {
            let mut random = Random(n as u64 + 77);
            let re: Vec<f64> = (0..n).map(|_| random.below(1 + n / 3) as f64).collect();
            let x = Array::from_vec(re, &[n])?;
            if dtype.kind() != Kind::Complex {
                return x.astype(dtype);
            }
            let im: Vec<f64> = (0..n).map(|_| random.below(3) as f64).collect();
            x.add(&Array::from_vec(im, &[n])?.multiply(Complex::new(0.0, 1.0))?)?.astype(dtype)
        })
        .collect()
}

fn complex(x: &Array) -> Result<Vec<Complex<f64>>> {
    x.astype(DType::C128)?.to_vec()
}

#[test]
fn distinct_values_are_what_the_definition_says() -> Result {
    for n in [0, 1, 2, 30, 500] {
        for x in samples(n)? {
            let Unique { values, indices, inverse, counts } = x.unique()?;
            let (all, found) = (complex(&x)?, complex(&values)?);
            for (i, value) in found.iter().enumerate() {
                let first = all.iter().position(|v| v == value);
                assert_eq!(indices.to_vec::<i64>()?[i], first.unwrap() as i64, "{}", x.dtype());
                assert_eq!(counts.to_vec::<i64>()?[i] as usize, all.iter().filter(|v| *v == value).count());
            }
            let back: Vec<Complex<f64>> = inverse.to_vec::<i64>()?.iter().map(|&i| found[i as usize]).collect();
            assert_eq!((back, values.dtype()), (all, x.dtype()));
            assert!(found.windows(2).all(|w| (w[0].re, w[0].im) < (w[1].re, w[1].im)));
            assert_same_bits(&x.unique_values()?, &values, "values alone");
        }
    }
    Ok(())
}

#[test]
fn nans_differ_and_zeros_do_not() -> Result {
    let x = Array::from_vec(vec![NAN, 0.0, -0.0, NAN, 3.0, -0.0], &[2, 3])?;
    let Unique { values, indices, inverse, counts } = x.unique()?;
    assert_eq!(values.isnan()?.to_vec::<bool>()?, [false, false, true, true]);
    assert_eq!(values.to_vec::<f64>()?[..2], [0.0, 3.0]);
    assert!(values.to_vec::<f64>()?[0].is_sign_positive());
    assert_eq!((indices.to_vec::<i64>()?, counts.to_vec::<i64>()?), (vec![1, 4, 0, 3], vec![3, 1, 1, 1]));
    assert_eq!((inverse.shape(), inverse.to_vec::<i64>()?), (&[2, 3][..], vec![2, 0, 0, 3, 1, 0]));
    assert_eq!(x.unique_values()?.len(), 4);
    Ok(())
}

#[test]
fn members_are_found_by_any_way() -> Result {
    for n in [0, 1, 5, 40, 3000] {
        for (x, dtype) in samples(300)?.iter().zip(DType::ALL) {
            let others = samples(n)?.into_iter().find(|o| o.dtype() == *dtype).unwrap();
            let few = complex(&others)?;
            for invert in [false, true] {
                let want: Vec<bool> = complex(x)?.iter().map(|v| few.contains(v) != invert).collect();
                let got = x.reshape(&[2, -1])?.isin(&others, invert)?;
                assert_eq!((got.shape(), got.to_vec::<bool>()?), (&[2, 150][..], want), "{dtype} in {n}");
            }
        }
    }
    let nans = Array::from_slice(&[NAN; 20])?;
    assert_eq!(nans.isin(&nans, false)?.to_vec::<bool>()?, [false; 20]);
    Ok(())
}

#[test]
fn members_at_the_ends_of_a_table() -> Result {
    let ends = [i64::MIN, i64::MIN + 1, -65, -64, -1, 0, 1, 63, 64, 65, 128, i64::MAX - 1, i64::MAX];
    let x = Array::from_slice(&ends)?;
    for first in [i64::MIN, -64, 0, 1, i64::MAX - 63] {
        let members: Vec<i64> = (0..64).step_by(3).map(|i| first + i).collect();
        let want: Vec<bool> = ends.iter().map(|e| members.contains(e)).collect();
        assert_eq!(x.isin(&Array::from_slice(&members)?, false)?.to_vec::<bool>()?, want, "from {first}");
    }
    Ok(())
}

#[test]
fn places_are_found_on_any_number_of_threads() -> Result {
    for &dtype in DType::ALL.iter().filter(|d| d.kind() != Kind::Complex) {
        let sorted = values(&[1000], dtype, (-100.0, 100.0), 3)?.sort(0, false)?;
        let queries = values(&[7, 3000], dtype, (-120.0, 120.0), 4)?;
        let (all, wanted) = (sorted.astype(DType::F64)?.to_vec::<f64>()?, queries.astype(DType::F64)?.to_vec::<f64>()?);
        for right in [false, true] {
            let before = |&x: &f64, v: f64| if right { x <= v } else { x < v };
            let want: Vec<i64> = wanted.iter().map(|&v| all.partition_point(|x| before(x, v)) as i64).collect();
            for threads in THREADS {
                let run = |_: &Lane| sorted.searchsorted(&queries, right);
                let got = Runtime::new(threads).unwrap().install(run)?;
                assert_eq!((got.shape(), got.to_vec::<i64>()?), (&[7, 3000][..], want.clone()), "{dtype}");
            }
        }
    }
    let x = Array::from_slice(&[1i8, 3, 5])?;
    assert_eq!(x.searchsorted(Operand::Scalar(Scalar::Int(4)), false)?.item::<i64>()?, 2);
    assert!(x.reshape(&[1, 3])?.searchsorted(&x, false).is_err());
    Ok(())
}

#[test]
fn the_largest_are_the_first_in_order() -> Result {
    let mut shapes = vec![(vec![40], 0), (vec![3, 1000], 1), (vec![700, 3], 0), (vec![2, 300, 2], 1)];
    shapes.push((vec![1, 5000], -1));
    for (shape, axis) in shapes {
        for x in DType::ALL.iter().map(|&d| values(&shape, d, (-50.0, 50.0), 9)) {
            let x = x?;
            for (k, largest) in [(0, true), (1, false), (7, true), (40, false)] {
                let (found, numbers) = x.topk(k, axis, largest)?;
                let order = x.argsort(axis, largest)?;
                let at = if axis < 0 { axis + shape.len() as isize } else { axis };
                let mut index = vec![freelane_ops::Slice::all().into(); at as usize];
                index.push(freelane_ops::Slice { start: Some(0), stop: Some(k as isize), step: 1 }.into());
                assert_same_bits(&numbers, &order.index(&index)?, "numbers");
                assert_same_bits(&found, &x.sort(axis, largest)?.index(&index)?, "values");
            }
        }
    }
    let x = Array::from_slice(&[NAN, 2.0, NAN, 5.0])?;
    assert_eq!(x.topk(2, 0, true)?.0.to_vec::<f64>()?, [5.0, 2.0]);
    assert!(x.topk(5, 0, true).is_err());
    Ok(())
}

#[test]
fn parts_lie_on_their_sides() -> Result {
    for n in [1, 10, 255, 256, 1000, 3001] {
        for x in samples(n)?.into_iter().filter(|x| x.dtype().kind() != Kind::Complex) {
            for k in [0, n / 2, n - 1] {
                let parted = x.partition(k as isize - n as isize, -1)?.astype(DType::F64)?.to_vec::<f64>()?;
                let numbers = x.argpartition(k as isize, 0)?;
                assert_eq!(x.take(&numbers, 0)?.astype(DType::F64)?.to_vec::<f64>()?, parted);
                let sorted = x.sort(0, false)?.astype(DType::F64)?.to_vec::<f64>()?;
                assert_eq!(parted[k], sorted[k], "{} of {n}", x.dtype());
                assert!(parted[..k].iter().all(|v| *v <= sorted[k]) && parted[k..].iter().all(|v| *v >= sorted[k]));
                assert_eq!(numbers.sort(0, false)?.to_vec::<i64>()?, (0..n as i64).collect::<Vec<_>>());
            }
        }
    }
    assert!(Array::zeros(&[3], DType::F32)?.partition(3, 0).is_err());
    Ok(())
}

/// NumPy's results of `np.quantile(x, q, method=...)`.
#[test]
fn quantiles_are_numpys() -> Result {
    use Between::{Higher, Linear, Lower, Midpoint, Nearest};
    let x = Array::from_slice(&[15.0, 20.0, 35.0, 40.0, 50.0])?;
    let want = [(Linear, 29.0), (Lower, 20.0), (Higher, 35.0), (Nearest, 35.0), (Midpoint, 27.5)];
    for (between, want) in want {
        assert_eq!(x.quantile(0.4, .., between, false)?.item::<f64>()?, want, "{between:?}");
    }
    assert_eq!(x.quantile(0.375, 0, Nearest, true)?.to_vec::<f64>()?, [35.0]);
    let y = values(&[4, 301, 3], DType::F32, (-9.0, 9.0), 5)?;
    for (axes, n) in [(vec![1isize], 301), (vec![0, 2], 12), (vec![-1, 1, 0], 3612)] {
        let got = y.median(&axes[..], true)?;
        let stay: Vec<isize> = (0..3).filter(|a| !axes.contains(a) && !axes.contains(&(a - 3))).collect();
        let order: Vec<isize> = stay.iter().copied().chain(axes.iter().copied()).collect();
        let lines = y.permute_dims(&order)?.reshape(&[-1, n])?.sort(1, false)?;
        let middle = |i: isize| lines.index(&[freelane_ops::Slice::all().into(), freelane_ops::Index::At(i)]);
        let want = middle((n - 1) / 2)?.add(&middle(n / 2)?)?.divide(2.0)?;
        assert_eq!((got.rank(), got.dtype(), got.to_vec::<f32>()?), (3, DType::F32, want.to_vec::<f32>()?));
    }
    let nan = Array::from_vec(vec![1.0, NAN, 3.0, 4.0], &[2, 2])?.median(1, false)?.to_vec::<f64>()?;
    assert!(nan[0].is_nan() && nan[1] == 3.5);
    assert_eq!(Array::from_slice(&[1u8, 2])?.median(.., false)?.dtype(), DType::F64);
    assert_eq!(Array::from_slice(&[f64::MAX, f64::MAX])?.median(.., false)?.item::<f64>()?, f64::MAX);
    assert!(x.quantile(1.5, .., Linear, false).is_err() && Array::zeros(&[0], DType::F64)?.median(.., false).is_err());
    Ok(())
}

fn call(name: &str, args: &[Value], named: &[(&str, Value)]) -> Result<Vec<Array>> {
    let found = Lane::with(|lane| Function::by_name(name).unwrap().call(lane, args, named))?;
    Ok(match found {
        freelane_ops::function::Outputs::One(array) => vec![array],
        freelane_ops::function::Outputs::Many(_, arrays) => arrays,
    })
}

/// NumPy's results of the calls in the comments.
#[test]
fn counts_are_numpys() -> Result {
    let x = Value::Array(Array::from_slice(&[1.0, 2.0, 2.5, 4.0, 0.5, 4.0])?);
    // np.histogram(x, 4), np.histogram(x, 3, range=(1, 4)), np.histogram(x, [0, 1, 2, 4], density=True)
    let four = call("histogram", &[x.clone(), Value::Scalar(4.into())], &[])?;
    assert_eq!(
        (four[0].to_vec::<i64>()?, four[1].to_vec::<f64>()?),
        (vec![2, 1, 1, 2], vec![0.5, 1.375, 2.25, 3.125, 4.0])
    );
    let ends = Value::Tuple(vec![Value::Scalar(1.into()), Value::Scalar(4.into())]);
    let some = call("histogram", &[x.clone(), Value::Scalar(3.into())], &[("range", ends)])?;
    assert_eq!(some[0].to_vec::<i64>()?, [1, 2, 2]);
    let edges = Value::Array(Array::from_slice(&[0i64, 1, 2, 4])?);
    let dense = call("histogram", &[x.clone(), edges], &[("density", Value::Scalar(true.into()))])?;
    assert_eq!(dense[0].to_vec::<f64>()?, [1.0 / 6.0, 1.0 / 6.0, 4.0 / 2.0 / 6.0]);
    // np.bincount([3, 0, 3], [0.5, 1, 2], 6)
    let counts = Array::from_slice(&[3, 0, 3])?.bincount(Some(&Array::from_slice(&[0.5, 1.0, 2.0])?), 6)?;
    assert_eq!(counts.to_vec::<f64>()?, [1.0, 0.0, 0.0, 2.5, 0.0, 0.0]);
    assert_eq!(Array::zeros(&[0], DType::U8)?.bincount(None, 2)?.to_vec::<i64>()?, [0, 0]);
    assert!(Array::from_slice(&[-1])?.bincount(None, 0).is_err());
    // np.interp([-1, 0, 0.5, 2, 5], [0, 1, 2], [10, 20, 0], right=7)
    let points = [&[-1.0, 0.0, 0.5, 2.0, 5.0][..], &[0.0, 1.0, 2.0], &[10.0, 20.0, 0.0]];
    let points = points.iter().map(|p| Array::from_slice(p).map(Value::Array)).collect::<Result<Vec<_>>>()?;
    let line = call("interp", &points, &[("right", Value::Scalar(7.into()))])?;
    assert_eq!(line[0].to_vec::<f64>()?, [10.0, 10.0, 15.0, 0.0, 7.0]);
    Ok(())
}

#[test]
fn values_are_put_by_number() -> Result {
    let mut x = Array::arange(0, 6, 1)?.reshape(&[2, 3])?.t();
    let before = x.clone();
    x.put(&Array::from_slice(&[1i32, -1, 1])?, Operand::Scalar(Scalar::Int(9)))?;
    assert_eq!((x.shape(), x.to_vec::<i64>()?), (&[3, 2][..], vec![0, 9, 1, 4, 2, 9]));
    assert_eq!(before.to_vec::<i64>()?, [0, 3, 1, 4, 2, 5]);
    let none = Array::zeros(&[0], DType::I64)?;
    assert!(
        x.put(&Array::from_slice(&[6i64])?, &before).is_err() && x.put(&Array::from_slice(&[0i64])?, &none).is_err()
    );
    assert_eq!(x.to_vec::<i64>()?, [0, 9, 1, 4, 2, 9]);
    x.put(&none, &none)?;
    let places = call("argwhere", &[Value::Array(x.greater(3)?)], &[])?;
    assert_eq!((places[0].shape(), places[0].to_vec::<i64>()?), (&[3, 2][..], vec![0, 1, 1, 1, 2, 1]));
    assert_eq!(nonzero(&x)?.len(), 2);
    Ok(())
}

#[test]
fn quantiles_that_are_elements_keep_the_dtype() -> Result {
    // numpy.percentile([3, 1, 2, 7], [30, 50], method=...)
    let x = Array::from_slice(&[3i64, 1, 2, 7])?;
    for (between, want) in [(Between::Lower, [1, 2]), (Between::Higher, [2, 3]), (Between::Nearest, [2, 3])] {
        let found = [x.quantile(0.3, .., between, false)?, x.quantile(0.5, .., between, false)?];
        assert_eq!(found.map(|f| f.item::<i64>().unwrap()), want);
    }
    // Doubles know no odd numbers beyond 2^53.
    let odd = i64::MAX - 2;
    let large = Array::from_vec(vec![odd, 5, 1, odd - 2, 0, 9], &[2, 3])?;
    assert_eq!(large.quantile(1.0, 1, Between::Nearest, true)?.to_vec::<i64>()?, [odd, odd - 2]);
    let bytes = Array::from_slice(&[9u8, 200])?.quantile(0.9, .., Between::Lower, false)?;
    assert_eq!((bytes.dtype(), bytes.item::<u8>()?), (DType::U8, 9));
    assert_eq!(x.quantile(0.3, .., Between::Linear, false)?.dtype(), DType::F64);
    Ok(())
}

#[test]
fn numbers_that_a_dtype_does_not_hold_have_a_place() -> Result {
    let x = Array::from_slice(&[-3i8, 0, 5])?;
    for right in [false, true] {
        assert_eq!(x.searchsorted(300, right)?.item::<i64>()?, 3);
        assert_eq!(x.searchsorted(-129, right)?.item::<i64>()?, 0);
    }
    assert_eq!(Array::from_slice(&[0u8, 5])?.searchsorted(-1, true)?.item::<i64>()?, 0);
    assert_eq!(x.searchsorted(0, true)?.item::<i64>()?, 2);
    Ok(())
}

#[test]
fn counting_names_numbers_as_they_are() -> Result {
    let message = |x: Array| x.bincount(None, 0).err().unwrap().to_string();
    let large = message(Array::from_slice(&[1u64, u64::MAX - 1])?);
    assert!(large.contains("18446744073709551614") && large.contains("too large"), "{large}");
    let negative = message(Array::from_slice(&[1i32, -4])?);
    assert!(negative.contains("must not be negative, one is -4"), "{negative}");
    let many = Array::from_vec((0..600_000).map(|i| i % 3).collect::<Vec<i64>>(), &[600_000])?;
    assert_eq!(many.bincount(None, 5)?.to_vec::<i64>()?, [200_000, 200_000, 200_000, 0, 0]);
    assert_eq!(Array::empty(&[0], DType::I64)?.bincount(None, 2)?.to_vec::<i64>()?, [0, 0]);
    Ok(())
}

#[test]
fn errors_name_the_function_that_was_called() {
    let x = Value::Array(Array::from_slice(&[1i64, 2, 3]).unwrap());
    let calls: [(&str, Vec<Value>); 4] = [
        ("cumulative_sum", vec![x.clone(), Value::Scalar(Scalar::Int(4))]),
        ("topk", vec![x.clone(), Value::Scalar(Scalar::Int(9))]),
        ("percentile", vec![x.clone(), Value::Scalar(Scalar::Int(101))]),
        ("repeat", vec![x.clone(), Value::Scalar(Scalar::Int(i64::MAX.into()))]),
    ];
    for (name, args) in calls {
        let error = Lane::with(|lane| Function::by_name(name).unwrap().call(lane, &args, &[])).err().unwrap();
        assert!(error.to_string().starts_with(&format!("{name}: ")), "{error}");
    }
}

#[test]
fn nans_are_never_among_the_largest_before_numbers() -> Result {
    for x in [
        vec![1.0, NAN, 3.0, NAN, 3.0, 0.0],
        (0..900).map(|i| if i % 7 == 0 { NAN } else { (i * 37 % 91) as f64 }).collect(),
    ] {
        let x = Array::from_slice(&x)?;
        for (largest, k) in [(true, 4), (false, 4), (true, x.len()), (false, 0)] {
            let (values, numbers) = x.topk(k, 0, largest)?;
            let want = x.argsort(0, largest)?.index(&[(..k as isize).into()])?;
            assert_same_bits(&numbers, &want.contiguous()?, "numbers");
            assert_same_bits(&values, &x.take(&want, 0)?, "values");
        }
    }
    Ok(())
}
