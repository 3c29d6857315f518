//! Scans, softmax, norms and reductions that leave NaNs out: known answers, and bits that nothing but the elements decides.
use freelane_ops::{Array, DType, Function, Index, OpsError, Outputs, ReduceArgs, Slice, Value, reductions};
use freelane_pool::{Lane, Runtime};
use freelane_testing::{THREADS, assert_same_bits, layouts, values};

type Result<T = ()> = std::result::Result<T, OpsError>;

fn call(name: &str, args: &[Value], named: &[(&str, Value)]) -> Result<Array> {
    let function = Function::by_name(name).unwrap_or_else(|| panic!("no function {name}"));
    Lane::with(|lane| function.call(lane, args, named)).map(|out| match out {
        Outputs::One(array) => array,
        Outputs::Many(..) => panic!("{name} makes several arrays"),
    })
}

fn of(name: &str, x: &Array) -> Result<Array> {
    call(name, &[Value::Array(x.clone())], &[])
}

fn int(i: i64) -> Value {
    Value::Scalar(i.into())
}

/// Rows of one line each way: name, and whether they take an axis and keep its length.
const ALONG: [&str; 6] =
    ["cumulative_sum", "cumulative_prod", "cumulative_max", "cumulative_min", "softmax", "log_softmax"];
const NANS: [&str; 9] = ["nansum", "nanprod", "nanmean", "nanmin", "nanmax", "nanvar", "nanstd", "ptp", "logsumexp"];

fn dtypes(name: &str) -> Vec<DType> {
    let all = DType::ALL.iter().copied();
    match name {
        "cumulative_sum" | "cumulative_prod" => all.collect(),
        "cumulative_max" | "cumulative_min" => all.filter(|d| d.kind() != freelane_ops::Kind::Complex).collect(),
        "softmax" | "log_softmax" | "logsumexp" => vec![DType::F16, DType::F32, DType::F64, DType::I16],
        "nanmin" | "nanmax" | "ptp" => vec![DType::F16, DType::BF16, DType::F32, DType::F64, DType::I32],
        _ => vec![DType::F16, DType::F32, DType::F64, DType::I32, DType::C64],
    }
}

#[test]
fn bits_depend_on_the_lines_alone() -> Result {
    let runtimes: Vec<Runtime> = THREADS.iter().filter_map(|&t| Runtime::new(t).ok()).collect();
    for name in ALONG.iter().chain(&NANS) {
        for dtype in dtypes(name) {
            let domain = if *name == "cumulative_prod" { (0.99, 1.01) } else { (-3.0, 3.0) };
            let x = values(&[2100, 11], dtype, domain, 5)?;
            for axis in [0i64, 1] {
                let run = |x: &Array| call(name, &[Value::Array(x.clone()), int(axis)], &[]);
                let want = run(&x)?;
                for (what, y) in layouts(&x)? {
                    assert_same_bits(&run(&y)?, &want, &format!("{name} {dtype} axis {axis} {what}"));
                }
                for runtime in &runtimes {
                    let got = runtime.install(|_| run(&x))?;
                    assert_same_bits(&got, &want, &format!("{name} {dtype} axis {axis} {} threads", runtime.threads()));
                }
                // One line of the array alone.
                let (all, at) = (Index::from(Slice::all()), Index::At(3));
                let index = if axis == 0 { [all, at] } else { [at, all] };
                let one = call(name, &[Value::Array(x.index(&index)?), int(0)], &[])?;
                let line = if ALONG.contains(name) { want.index(&index)? } else { want.index(&[at])? };
                assert_same_bits(&one, &line, &format!("{name} {dtype} axis {axis}, a line alone"));
            }
        }
    }
    Ok(())
}

#[test]
fn long_scans_are_the_same_on_all_threads() -> Result {
    let runtimes: Vec<Runtime> = THREADS.iter().filter_map(|&t| Runtime::new(t).ok()).collect();
    for dtype in [DType::F32, DType::F64, DType::C64, DType::I16] {
        let x = values(&[300_001], dtype, (-1.0, 1.0), 3)?;
        for name in ["cumulative_sum", "cumulative_prod"] {
            let want = of(name, &x)?;
            for runtime in &runtimes {
                let got = runtime.install(|_| of(name, &x))?;
                assert_same_bits(&got, &want, &format!("{name} {dtype} {} threads", runtime.threads()));
            }
        }
    }
    Ok(())
}

#[test]
fn scans_have_the_types_of_sums() -> Result {
    for (dtype, sum) in [
        (DType::Bool, DType::I64),
        (DType::I8, DType::I64),
        (DType::U8, DType::U64),
        (DType::U32, DType::U64),
        (DType::I64, DType::I64),
        (DType::F16, DType::F16),
        (DType::F32, DType::F32),
        (DType::C64, DType::C64),
    ] {
        let x = Array::ones(&[5], dtype)?;
        assert_eq!((of("cumulative_sum", &x)?.dtype(), of("cumulative_prod", &x)?.dtype()), (sum, sum), "{dtype}");
    }
    let x = Array::full(&[3], 100, DType::I8)?;
    assert_eq!(x.cumulative_sum(0)?.to_vec::<i64>()?, [100, 200, 300]);
    let narrow = call("cumulative_sum", &[Value::Array(x.clone())], &[("dtype", Value::DType(DType::I8))])?;
    assert_eq!(narrow.to_vec::<i8>()?, [100, -56, 44]);
    let double = call("cumulative_sum", &[Value::Array(x)], &[("dtype", Value::DType(DType::F64))])?;
    assert_eq!(double.to_vec::<f64>()?, [100.0, 200.0, 300.0]);
    Ok(())
}

#[test]
fn an_initial_element_stands_for_nothing() -> Result {
    let initial = [("include_initial", Value::Scalar(true.into()))];
    let x = Array::arange(1, 7, 1)?.reshape(&[2, 3])?;
    let along = |name, axis| call(name, &[Value::Array(x.clone()), int(axis)], &initial);
    assert_eq!(along("cumulative_sum", 1)?.to_vec::<i64>()?, [0, 1, 3, 6, 0, 4, 9, 15]);
    assert_eq!(along("cumulative_sum", 0)?.to_vec::<i64>()?, [0, 0, 0, 1, 2, 3, 5, 7, 9]);
    assert_eq!(along("cumulative_prod", -1)?.to_vec::<i64>()?, [1, 1, 2, 6, 1, 4, 20, 120]);
    let none = call("cumulative_sum", &[Value::Array(Array::zeros(&[0], DType::F32)?)], &initial)?;
    assert_eq!((none.shape(), none.to_vec::<f32>()?), (&[1][..], vec![0.0]));
    let wide = values(&[3, 70], DType::F64, (-1.0, 1.0), 1)?;
    for axis in [0i64, 1] {
        let with = call("cumulative_sum", &[Value::Array(wide.clone()), int(axis)], &initial)?;
        let rest = Slice { start: Some(1), stop: None, step: 1 }.into();
        let rest = with.index(&if axis == 0 { vec![rest] } else { vec![Slice::all().into(), rest] })?;
        assert_same_bits(&rest, &wide.cumulative_sum(axis as isize)?, "without the initial element");
    }
    Ok(())
}

#[test]
fn scans_ask_for_an_axis_they_can_know() -> Result {
    let x = Array::zeros(&[2, 2], DType::F64)?;
    assert!(of("cumulative_sum", &x).is_err_and(|e| e.to_string().contains("must be named")));
    assert!(x.cumulative_sum(2).is_err());
    assert!(values(&[2], DType::C64, (0.0, 1.0), 0)?.cumulative_max(0).is_err());
    for shape in [&[0usize][..], &[2, 0], &[0, 2], &[1, 0, 3]] {
        assert_eq!(Array::zeros(shape, DType::F32)?.cumulative_sum(0)?.shape(), shape);
        assert_eq!(Array::zeros(shape, DType::F32)?.softmax(0)?.shape(), shape);
    }
    Ok(())
}

/// Sums of a million near-equal numbers, against sums that are exact.
#[test]
fn scans_err_less_than_sums_from_left_to_right() -> Result {
    let n = 1_000_000;
    let x: Vec<f64> = (0..n).map(|i| 0.1 + f64::from(i % 97) * 1e-9).collect();
    let sums = Array::from_slice(&x)?.cumulative_sum(0)?.to_vec::<f64>()?;
    let (mut high, mut low, mut left, mut worst, mut worst_left) = (0.0f64, 0.0f64, 0.0, 0.0f64, 0.0f64);
    for (i, &v) in x.iter().enumerate() {
        let next = high + v;
        let back = next - high;
        low += (high - (next - back)) + (v - back);
        high = next;
        left += v;
        let error = |s: f64| ((s - high) - low).abs() / (high * f64::EPSILON);
        worst = worst.max(error(sums[i]));
        worst_left = worst_left.max(error(left));
    }
    assert!(worst < 40.0 && worst < worst_left / 10.0, "{worst} against {worst_left}");
    // Singles are added up in double precision: half a unit in the last place.
    let ones = Array::ones(&[1, 1], DType::F32)?.broadcast_to(&[20_000_000, 1])?;
    let sums = ones.cumulative_sum(0)?;
    let last = sums.index(&[Index::At(-1), Index::At(0)])?.item::<f32>()?;
    assert_eq!(last, 20_000_000.0);
    Ok(())
}

/// tracel-ai/burn#4815: a softmax of a transposed array took the elements in the order of the storage.
#[test]
fn softmax_follows_the_axes_not_the_storage() -> Result {
    for dtype in [DType::F64, DType::F32, DType::F16, DType::I32] {
        let x = Array::arange(1, 13, 1)?.reshape(&[3, 4])?.astype(dtype)?;
        let row = |y: Array| y.index(&[Index::At(0)])?.astype(DType::F64)?.to_vec::<f64>();
        for (what, t) in layouts(&x.t())? {
            let got = row(t.softmax(1)?)?;
            for (g, w) in got.iter().zip([0.000_329, 0.017_980, 0.981_690]) {
                assert!((g - w).abs() < if dtype == DType::F16 { 1e-3 } else { 1e-6 }, "{dtype} {what} {got:?}");
            }
            let logs = row(t.log_softmax(1)?)?;
            assert!(got.iter().zip(&logs).all(|(g, l)| (g.ln() - l).abs() < 1e-2), "{dtype} {what} {logs:?}");
        }
    }
    Ok(())
}

#[test]
fn softmax_neither_overflows_nor_hides_nan() -> Result {
    let inf = f64::INFINITY;
    let x = |v: &[f64]| Array::from_slice(v);
    assert_eq!(x(&[1e308, 1e308])?.softmax(0)?.to_vec::<f64>()?, [0.5, 0.5]);
    assert_eq!(x(&[-inf, 0.0])?.softmax(0)?.to_vec::<f64>()?, [0.0, 1.0]);
    assert_eq!(x(&[-1e4, 0.0])?.log_softmax(0)?.to_vec::<f64>()?, [-1e4, 0.0]);
    assert!(x(&[f64::NAN, 0.0])?.softmax(0)?.to_vec::<f64>()?.iter().all(|v| v.is_nan()));
    assert_eq!(x(&[1e4, 1e4])?.logsumexp(.., false)?.item::<f64>()?, 1e4 + 2f64.ln());
    assert_eq!(x(&[-inf, -inf])?.logsumexp(.., false)?.item::<f64>()?, -inf);
    assert_eq!(x(&[inf, 0.0])?.logsumexp(.., false)?.item::<f64>()?, inf);
    assert!(x(&[inf, f64::NAN])?.logsumexp(.., false)?.item::<f64>()?.is_nan());
    assert_eq!(x(&[])?.logsumexp(.., false)?.item::<f64>()?, -inf);
    let many = values(&[40, 3000], DType::F64, (-5.0, 5.0), 2)?;
    assert_eq!(many.logsumexp(0, true)?.shape(), [1, 3000]);
    assert_eq!(many.logsumexp(1, false)?.shape(), [40]);
    let total = many.softmax(1)?.sum(1, false)?.to_vec::<f64>()?;
    assert!(total.iter().all(|t| (t - 1.0).abs() < 1e-14));
    Ok(())
}

#[test]
fn norms_do_not_overflow() -> Result {
    let x = |v: &[f64]| Array::from_slice(v);
    let norm = |v: &[f64], p| x(v)?.vector_norm(.., p, false)?.item::<f64>();
    assert_eq!(norm(&[3.0, -4.0], 2.0)?, 5.0);
    assert_eq!(norm(&[3e300, 4e300], 2.0)?, 5e300);
    assert_eq!(norm(&[3e-300, 4e-300], 2.0)?, 5e-300);
    assert_eq!(norm(&[3e-320, 4e-320], 2.0)?, 5e-320);
    assert_eq!(norm(&[0.0, 0.0], 2.0)?, 0.0);
    assert_eq!(norm(&[], 2.0)?, 0.0);
    assert_eq!(norm(&[f64::INFINITY, 1.0], 2.0)?, f64::INFINITY);
    assert!(norm(&[f64::NAN, f64::INFINITY], 2.0)?.is_nan() && norm(&[f64::NAN, 1.0], f64::INFINITY)?.is_nan());
    assert_eq!((norm(&[3.0, -4.0], 1.0)?, norm(&[3.0, 0.0], 0.0)?), (7.0, 1.0));
    assert_eq!((norm(&[3.0, -4.0], f64::INFINITY)?, norm(&[3.0, -4.0], f64::NEG_INFINITY)?), (4.0, 3.0));
    assert!((norm(&[1e200, 1e200], 3.0)? / (1e200 * 2f64.cbrt()) - 1.0).abs() < 1e-15);
    assert_eq!(norm(&[0.0, 2.0], -1.0)?, 0.0);
    let half = Array::full(&[10_000], 300.0, DType::F16)?.vector_norm(.., 2.0, false)?;
    assert_eq!(half.item::<half::f16>()?.to_f64(), 30_000.0);
    let z = Array::from_vec(vec![num_complex::Complex::new(3e200, 4e200)], &[1])?;
    for p in [2.0, 1.0, f64::INFINITY] {
        assert!((z.vector_norm(.., p, false)?.item::<f64>()? / 5e200 - 1.0).abs() < 4e-16, "{p}");
    }
    assert_eq!(Array::arange(0, 6, 1)?.reshape(&[2, 3])?.vector_norm(1, 1.0, true)?.to_vec::<f64>()?, [3.0, 12.0]);
    Ok(())
}

#[test]
fn nans_are_left_out() -> Result {
    let nan = f64::NAN;
    let x = Array::from_vec(vec![nan, 1.0, 5.0, nan, nan, nan, 2.0, 4.0, nan], &[3, 3])?;
    let rows = |name: &str| call(name, &[Value::Array(x.clone()), int(1)], &[])?.to_vec::<f64>();
    let same = |got: Vec<f64>, want: [f64; 3]| {
        assert!(got.iter().zip(want).all(|(g, w)| g.to_bits() == w.to_bits() || g.is_nan() && w.is_nan()), "{got:?}");
    };
    same(rows("nansum")?, [6.0, 0.0, 6.0]);
    same(rows("nanprod")?, [5.0, 1.0, 8.0]);
    same(rows("nanmean")?, [3.0, nan, 3.0]);
    same(rows("nanvar")?, [4.0, nan, 1.0]);
    same(rows("nanstd")?, [2.0, nan, 1.0]);
    same(rows("nanmin")?, [1.0, nan, 2.0]);
    same(rows("nanmax")?, [5.0, nan, 4.0]);
    let sample = call("nanvar", &[Value::Array(x.clone()), int(1)], &[("correction", int(1))])?.to_vec::<f64>()?;
    same(sample, [8.0, nan, 2.0]);
    assert_eq!(of("nanargmax", &x)?.item::<i64>()?, 2);
    assert_eq!(of("nanargmin", &x)?.item::<i64>()?, 1);
    assert!(call("nanargmax", &[Value::Array(x.clone()), int(1)], &[]).is_err());
    let infinite = Array::from_slice(&[nan, f64::NEG_INFINITY, nan])?;
    assert_eq!(of("nanargmax", &infinite)?.item::<i64>()?, 1);
    assert_eq!(of("nanmax", &infinite)?.item::<f64>()?, f64::NEG_INFINITY);
    assert_eq!(of("nansum", &Array::arange(0, 5, 1)?)?.item::<i64>()?, 10);
    assert_eq!(of("nanmean", &Array::arange(0, 5, 1)?)?.item::<f64>()?, 2.0);
    Ok(())
}

#[test]
fn averages_take_weights() -> Result {
    let x = Array::arange(0, 6, 1)?.reshape(&[2, 3])?;
    let weights = Array::from_slice(&[1.0, 0.0, 3.0])?;
    let got = call("average", &[Value::Array(x.clone()), int(1), Value::Array(weights)], &[])?;
    assert_eq!(got.to_vec::<f64>()?, [1.5, 4.5]);
    assert_eq!(of("average", &x)?.item::<f64>()?, 2.5);
    Ok(())
}

/// A dtype that is asked for: what converted elements give, without their being converted.
#[test]
fn sums_come_in_the_type_that_is_asked_for() -> Result {
    let as_type = |r: &freelane_ops::Reduction, x: &Array, dtype| -> Result<Array> {
        Lane::with(|lane| r.call_as(lane, x.data(), &ReduceArgs::default(), dtype)).map(Array::from)
    };
    let tenth = Array::full(&[100_000], 0.1, DType::F32)?;
    let sum = as_type(&reductions::SUM, &tenth, DType::F64)?.item::<f64>()?;
    assert!((sum / (1e5 * f64::from(0.1f32)) - 1.0).abs() < 1e-15);
    assert_eq!(as_type(&reductions::MEAN, &tenth, DType::F64)?.item::<f64>()?, f64::from(0.1f32));
    let halves = Array::full(&[100_000], 10.0, DType::F16)?;
    assert_eq!(as_type(&reductions::SUM, &halves, DType::F32)?.item::<f32>()?, 1e6);
    assert_eq!(halves.sum(.., false)?.item::<half::f16>()?, half::f16::INFINITY);
    let many = Array::full(&[70], i64::MAX, DType::I64)?;
    assert_eq!(as_type(&reductions::SUM, &many, DType::F64)?.item::<f64>()?, 70.0 * 2f64.powi(63));
    let threes = Array::full(&[41], 3, DType::I32)?;
    assert_eq!(as_type(&reductions::PROD, &threes, DType::F64)?.item::<f64>()?, 3f64.powi(41));
    assert_eq!(as_type(&reductions::SUM, &threes, DType::U8)?.item::<u8>()?, 123);
    assert_eq!(as_type(&reductions::SUM, &Array::from_slice(&[0.6, 1.6])?, DType::I64)?.item::<i64>()?, 1);
    let c = as_type(&reductions::SUM, &threes, DType::C64)?;
    assert_eq!(c.item::<num_complex::Complex<f32>>()?, num_complex::Complex::new(123.0, 0.0));
    let none = Array::zeros(&[0], DType::I8)?;
    for (r, want) in [(&reductions::SUM, 0.0), (&reductions::PROD, 1.0)] {
        assert_eq!(as_type(r, &none, DType::F64)?.item::<f64>()?.to_bits(), f64::to_bits(want));
    }
    Ok(())
}

/// numpy/numpy#8869 and its kind: equal elements have their own value as mean and do not vary, along any axis.
#[test]
fn equal_elements_have_mean_themselves() -> Result {
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
        for value in [1e4, 0.1, 1.0 / 3.0] {
            let x = Array::full(&[1, 1], value, dtype)?;
            let want = x.index(&[Index::At(0), Index::At(0)])?;
            for shape in [[30_000, 3], [3, 30_000], [2, 2], [700, 700]] {
                let x = x.broadcast_to(&shape)?.copy()?;
                for axis in [0isize, 1] {
                    for (what, x) in layouts(&x)? {
                        let mean = x.mean(axis, false)?;
                        let all = want.broadcast_to(mean.shape())?.copy()?;
                        // Sums in double precision are not exact, so neither are means of that.
                        if dtype != DType::F64 {
                            assert_same_bits(&mean, &all, &format!("{dtype} {shape:?} {axis} {what}"));
                        }
                        let var = x.var(axis, 0.0, false)?.astype(DType::F64)?.to_vec::<f64>()?;
                        assert!(var.iter().all(|&v| v == 0.0), "{dtype} {value} {shape:?} {axis} {what}");
                    }
                }
            }
        }
    }
    Ok(())
}
