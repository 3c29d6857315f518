//! Functions made of closures: called like rows, and no worse than rows when closures misbehave.
use freelane_ops::{Array, DType, Operand, OpsError, Scalar, UserFunc, UserReduction};
use freelane_pool::{Lane, Runtime};
use freelane_testing::{THREADS, assert_same_bits, layouts, values};
use num_complex::Complex;

type Result<T = ()> = std::result::Result<T, OpsError>;

fn sine() -> UserFunc {
    let made = UserFunc::builder("sine", &["x"]).map(|x: f64| x.sin()).map(|x: f32| x.sin()).cost(8.0).register();
    made.unwrap()
}

/// Three types in, another out.
fn mixed() -> UserFunc {
    let f = |x: f64, k: i32, flip: bool| Complex::new(x * f64::from(k), if flip { -1.0f64 } else { 1.0 });
    UserFunc::builder("mixed", &["x", "k", "flip"]).map(f).register().unwrap()
}

fn axpy() -> UserFunc {
    UserFunc::builder("axpy", &["a", "x", "y"])
        .slices(|a: &[f64], x: &[f64], y: &[f64], out: &mut [f64]| {
            assert!(out.iter().all(|&o| o == 0.0) && [a.len(), x.len(), y.len()].iter().all(|&n| n == out.len()));
            out.iter_mut().enumerate().for_each(|(i, o)| *o = a[i] * x[i] + y[i]);
        })
        .register()
        .unwrap()
}

fn sum() -> UserReduction {
    let sum =
        UserReduction::builder("total").fold(-0.0, |x: f64| x, |a: f64, b| a + b, |a, n| if n == 0 { 0.0 } else { a });
    sum.fold(-0.0, |x: f32| f64::from(x), |a: f64, b| a + b, |a, n| if n == 0 { 0.0 } else { a as f32 })
        .register()
        .unwrap()
}

fn operands(arrays: &[Array]) -> Vec<Operand<'_>> {
    arrays.iter().map(Operand::from).collect()
}

#[test]
fn layouts_and_threads_do_not_show() -> Result {
    let runtimes: Vec<Runtime> = THREADS.iter().filter_map(|&t| Runtime::new(t).ok()).collect();
    let made = |dtype, seed| values(&[103, 977], dtype, (-3.0, 3.0), seed);
    let cases = [
        (sine(), vec![made(DType::F64, 1)?]),
        (mixed(), vec![made(DType::F64, 1)?, made(DType::I32, 2)?, made(DType::Bool, 3)?]),
        (axpy(), vec![made(DType::F64, 1)?, made(DType::F64, 2)?, made(DType::F64, 3)?]),
    ];
    for (f, args) in cases {
        let want = f.apply(&operands(&args))?;
        for (k, (what, _)) in layouts(&args[0])?.iter().enumerate() {
            let laid = args.iter().map(|x| Ok(layouts(x)?.swap_remove(k).1)).collect::<Result<Vec<_>>>()?;
            assert_same_bits(&f.apply(&operands(&laid))?, &want, &format!("{f:?} {what}"));
        }
        for runtime in &runtimes {
            let got = runtime.install(|lane| f.call(lane, &operands(&args)))?;
            assert_same_bits(&got.into(), &want, &format!("{f:?} {} threads", runtime.threads()));
        }
    }
    Ok(())
}

#[test]
fn values_are_those_of_the_closure() -> Result {
    let x = Array::from_vec(vec![1.5, -2.0], &[2, 1])?;
    let k = Array::from_vec(vec![2i32, 3, 4], &[3])?;
    let z = mixed().apply(&[(&x).into(), (&k).into(), true.into()])?;
    assert_eq!((z.shape(), z.dtype()), (&[2, 3][..], DType::C128));
    let re: Vec<f64> = z.to_vec::<Complex<f64>>()?.iter().map(|z| z.re).collect();
    assert_eq!(re, [3.0, 4.5, 6.0, -4.0, -6.0, -8.0]);
    assert!(z.to_vec::<Complex<f64>>()?.iter().all(|z| z.im == -1.0));
    assert_eq!(axpy().apply(&[2.0.into(), (&x).into(), 1.0.into()])?.to_vec::<f64>()?, [4.0, -3.0]);
    assert!(sine().apply(&[(&Array::zeros(&[0, 4], DType::F64)?).into()])?.is_empty());
    Ok(())
}

#[test]
fn operands_are_promoted() -> Result {
    let f = sine();
    let of = |x: &Array| f.apply(&[x.into()]).map(|y| y.dtype());
    for (given, computed) in [
        (DType::F32, DType::F32),
        (DType::F64, DType::F64),
        (DType::F16, DType::F64), // the first loop that takes it
        (DType::I64, DType::F64),
        (DType::Bool, DType::F64),
    ] {
        assert_eq!(of(&Array::zeros(&[2], given)?)?, computed, "{given}");
    }
    assert_eq!(f.apply(&[1.0.into()])?.item::<f64>()?, 1f64.sin());
    let refused = of(&Array::zeros(&[2], DType::C128)?);
    assert_eq!(refused.unwrap_err().to_string(), "sine: not defined for complex128; it takes float64, float32");
    let wide = Array::zeros(&[2], DType::I64)?;
    let refused = mixed().apply(&[1.0.into(), (&wide).into(), false.into()]).unwrap_err().to_string();
    assert_eq!(refused, "mixed: not defined for float64 and int64 and bool; it takes (float64, int32, bool)");
    let too_large =
        mixed().apply(&[1.0.into(), Scalar::Int(1 << 40).into(), (&Array::zeros(&[2], DType::Bool)?).into()]);
    assert!(matches!(too_large, Err(OpsError::ScalarRange { op: "mixed", dtype: DType::I32, .. })));
    Ok(())
}

#[test]
fn outputs_are_written() -> Result {
    let (f, x) = (sine(), values(&[7, 31], DType::F64, (-3.0, 3.0), 1)?);
    let want = f.apply(&[(&x).into()])?;
    let mut out = Array::zeros(&[7, 31], DType::F64)?;
    let shared = out.clone();
    Lane::with(|lane| f.call_into(lane, &[(&x).into()], out.data_mut()))?;
    assert_same_bits(&out, &want, "out");
    assert!(shared.to_vec::<f64>()?.iter().all(|&v| v == 0.0));
    let mut own = x.clone();
    let seen = own.clone();
    Lane::with(|lane| f.call_into(lane, &[(&seen).into()], own.data_mut()))?;
    assert_same_bits(&own, &want, "an output that was an operand");
    let mut narrow = Array::zeros(&[7, 31], DType::F32)?;
    Lane::with(|lane| f.call_into(lane, &[(&x).into()], narrow.data_mut()))?;
    assert_same_bits(&narrow, &want.astype(DType::F32)?, "a narrower output");
    let into = |shape: &[usize], dtype| {
        let mut out = Array::zeros(shape, dtype)?;
        Lane::with(|lane| f.call_into(lane, &[(&x).into()], out.data_mut()))
    };
    assert!(matches!(into(&[7], DType::F64), Err(OpsError::OutputShape { .. })));
    assert!(matches!(into(&[7, 31], DType::I64), Err(OpsError::Output { .. })));
    Ok(())
}

#[test]
fn a_panic_is_an_error_and_leaves_nothing_behind() -> Result {
    let f = UserFunc::builder("picky", &["x"]).map(|x: f64| if x < 0.0 { panic!("{x} is negative") } else { x.sqrt() });
    let f = f.cost(10.0).register()?;
    let (bad, good) = (Array::full(&[100_000], -4.0, DType::F64)?, Array::full(&[100_000], 4.0, DType::F64)?);
    let runtime = Runtime::new(3).unwrap();
    for _ in 0..3 {
        for failed in [f.apply(&[(&bad).into()]), runtime.install(|_| f.apply(&[(&bad).into()]))] {
            assert_eq!(failed.err().map(|e| e.to_string()).as_deref(), Some("picky: panicked: -4 is negative"));
        }
        for done in [f.apply(&[(&good).into()])?, runtime.install(|_| f.apply(&[(&good).into()]))?] {
            assert!(done.to_vec::<f64>()?.iter().all(|&y| y == 2.0));
        }
    }
    let r =
        UserReduction::builder("worse").fold(0.0, |x: f64| x, |_: f64, _| panic!("no"), |a: f64, _| a).register()?;
    assert!(matches!(r.apply(&good, .., false), Err(OpsError::Panicked { op: "worse", .. })));
    let odd = UserFunc::builder("odd", &["x"]).map(|_: f64| -> f64 { std::panic::panic_any(7) }).register()?;
    assert!(matches!(odd.apply(&[1.0.into()]), Err(OpsError::Panicked { op: "odd", .. })));
    Ok(())
}

#[test]
fn what_cannot_be_registered() {
    let message = |made: Result<UserFunc>| made.map(|_| ()).unwrap_err().to_string();
    let builder = |name, params| UserFunc::builder(name, params);
    assert!(message(builder("two words", &["x"]).map(|x: f64| x).register()).contains("is no name"));
    assert!(message(builder("f", &["1"]).map(|x: f64| x).register()).contains("is no name"));
    assert!(message(builder("f", &["x"]).register()).contains("no loop"));
    assert!(message(builder("f", &["x"]).map(|x: f64, y: f64| x + y).register()).contains("1 parameters"));
    let twice = builder("f", &["x"]).map(|x: f64| x).map(|x: f64| -x);
    assert_eq!(message(twice.register()), "f: has two loops for float64");
    assert!(message(builder("f", &["x"]).map(|x: f64| x).cost(f32::NAN).register()).contains("cost"));
    let f = sine();
    assert_eq!(f.apply(&[]).err().map(|e| e.to_string()).as_deref(), Some("sine: takes 1 operands, 0 given"));
    let none = UserReduction::builder("r").register();
    assert!(none.is_err());
}

#[test]
fn folds_have_the_order_of_reductions() -> Result {
    let runtimes: Vec<Runtime> = THREADS.iter().filter_map(|&t| Runtime::new(t).ok()).collect();
    let r = sum();
    for dtype in [DType::F64, DType::F32] {
        for n in [1, 15, 17, 1023, 1025, 5000, 70_001] {
            let x = values(&[n, 3], dtype, (-3.0, 3.0), 5)?;
            for axes in [&[0isize][..], &[1], &[0, 1], &[]] {
                let want = x.sum(axes, true)?;
                for (what, y) in layouts(&x)? {
                    assert_same_bits(&r.apply(&y, axes, true)?, &want, &format!("{dtype} {n} {axes:?} {what}"));
                }
                for runtime in &runtimes {
                    let got = runtime.install(|lane| r.call(lane, x.data(), &axes.into(), true))?;
                    assert_same_bits(
                        &got.into(),
                        &want,
                        &format!("{dtype} {n} {axes:?} {} threads", runtime.threads()),
                    );
                }
            }
        }
    }
    Ok(())
}

#[test]
fn folds_of_nothing_and_of_other_types() -> Result {
    let r = sum();
    assert_eq!(r.apply(&Array::zeros(&[0, 2], DType::F64)?, 0, false)?.to_vec::<f64>()?, [0.0, 0.0]);
    assert_eq!(r.apply(&Array::arange(0, 5, 1)?, .., false)?.item::<f64>()?, 10.0);
    assert!(matches!(r.apply(&Array::zeros(&[2], DType::C64)?, .., false), Err(OpsError::DType { op: "total", .. })));
    assert!(matches!(r.apply(&Array::zeros(&[2], DType::F64)?, 1, false), Err(OpsError::Array { op: "total", .. })));
    let first = UserReduction::builder("first").needs_elements();
    let first = first.fold(None, |x: i64| Some(x), |a: Option<i64>, b| a.or(b), |a, _| a.unwrap_or(0)).register()?;
    assert_eq!(first.apply(&Array::arange(7, 20, 1)?, .., false)?.item::<i64>()?, 7);
    assert!(matches!(first.apply(&Array::zeros(&[0], DType::I64)?, .., false), Err(OpsError::Argument { .. })));
    Ok(())
}

#[test]
fn handles_are_shared_between_threads() -> Result {
    let (f, x) = (sine(), values(&[1000], DType::F64, (-3.0, 3.0), 1)?);
    let want = f.apply(&[(&x).into()])?;
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(|| f.clone().apply(&[(&x).into()]))).collect();
        workers.into_iter().try_for_each(|w| {
            assert_same_bits(&w.join().unwrap()?, &want, "another thread");
            Ok(())
        })
    })
}
