//! Cases that users of other systems reported, and the kind behind each.
use freelane_ops::{Array, DType, Index, OpsError, Slice};
use freelane_pool::Runtime;
use freelane_testing::{THREADS, layouts};
use half::f16;

type Result<T = ()> = std::result::Result<T, OpsError>;

/// numba/numba#4125: the position of a NaN decided whether `max` and `argmax` saw it.
#[test]
fn a_nan_wins_at_every_position() -> Result {
    for n in 1..70usize {
        for p in 0..n {
            let mut values: Vec<f64> = (0..n).map(|i| ((i * 7) % 13) as f64 - 6.0).collect();
            values[p] = f64::NAN;
            for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
                let x = Array::from_slice(&values)?.astype(dtype)?;
                for (what, x) in layouts(&x)? {
                    let case = format!("{dtype} {what} {p} of {n}");
                    let nan = |a: Array| a.astype(DType::F64)?.item::<f64>().map(f64::is_nan);
                    assert!(nan(x.max(.., false)?)? && nan(x.min(.., false)?)?, "{case}");
                    assert_eq!(x.argmax(.., false)?.item::<i64>()?, p as i64, "{case}");
                    assert_eq!(x.argmin(.., false)?.item::<i64>()?, p as i64, "{case}");
                }
            }
        }
    }
    Ok(())
}

/// The same where lanes share the array, along either axis, whatever the sign of the NaN.
#[test]
fn a_nan_wins_on_every_thread() -> Result {
    let (rows, columns) = (1500, 70);
    let runtimes: Vec<Runtime> = THREADS.iter().filter_map(|&t| Runtime::new(t).ok()).collect();
    for (p, nan) in [(0, f64::NAN), (34_567, -f64::NAN), (rows * columns - 1, f64::NAN)] {
        let mut values: Vec<f64> = (0..rows * columns).map(|i| ((i * 7) % 13) as f64 - 6.0).collect();
        values[p] = nan;
        for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
            let x = Array::from_slice(&values)?.astype(dtype)?.reshape(&[rows as isize, columns as isize])?;
            for (what, x) in layouts(&x)? {
                for runtime in &runtimes {
                    let case = format!("{dtype} {what} {p} {} threads", runtime.threads());
                    runtime.install(|_| {
                        for m in [x.max(.., false)?, x.min(.., false)?, x.sum(.., false)?, x.var(.., 0.0, false)?] {
                            assert!(m.isnan()?.item::<bool>()?, "{case}");
                        }
                        assert_eq!(x.argmax(.., false)?.item::<i64>()?, p as i64, "{case}");
                        assert_eq!(x.argmin(.., false)?.item::<i64>()?, p as i64, "{case}");
                        for (axis, at) in [(0isize, p % columns), (1, p / columns)] {
                            for m in [x.max(axis, false)?, x.min(axis, false)?] {
                                let nans = m.isnan()?;
                                assert_eq!(nans.count_nonzero(.., false)?.item::<i64>()?, 1, "{case}");
                                assert_eq!(nans.argmax(.., false)?.item::<i64>()?, at as i64, "{case}");
                            }
                        }
                        Ok::<_, OpsError>(())
                    })?;
                }
            }
        }
    }
    Ok(())
}

/// numpy/numpy#12156: a product with a broadcast operand, whose strides are zero.
#[test]
fn products_with_zero_strides() -> Result {
    for dtype in [DType::F64, DType::F32, DType::F16, DType::I64, DType::C64] {
        for (m, k, n) in [(2, 4, 1), (2, 4, 3), (1, 4, 5), (17, 300, 40)] {
            let one = Array::ones(&[1, 1], dtype)?;
            let want = Array::full(&[m, n], k as i64, dtype)?;
            let left = Array::ones(&[m, k], dtype)?.matmul(&one.broadcast_to(&[k, n])?)?;
            let right = one.broadcast_to(&[m, k])?.matmul(&Array::ones(&[k, n], dtype)?)?;
            for got in [left, right] {
                assert!(got.equal(&want)?.all(.., false)?.item::<bool>()?, "{dtype} {m}x{k}x{n}");
            }
        }
    }
    Ok(())
}

/// numpy/numpy#15785: half floats summed in half precision stop at 2048.
#[test]
fn half_floats_are_summed_wider() -> Result {
    for n in [3000usize, 6000] {
        let x = Array::ones(&[n, 115], DType::F16)?;
        for t in THREADS {
            let runtime = Runtime::new(t).expect("a runtime");
            let sums = runtime.install(|_| x.sum(0, false))?;
            assert!(sums.to_vec::<f16>()?.iter().all(|s| s.to_f64() == n as f64));
            let mean = runtime.install(|_| x.mean(.., false))?;
            assert_eq!(mean.item::<f16>()?.to_f64(), 1.0);
        }
    }
    Ok(())
}

/// numpy/numpy#8869: a mean of many `f32` ones along the leading axis was 0.84.
#[test]
fn long_sums_in_single_precision_stay_right() -> Result {
    let x = Array::ones(&[1, 1], DType::F32)?.broadcast_to(&[20_000_000, 2])?;
    assert_eq!(x.mean(0, false)?.to_vec::<f32>()?, [1.0, 1.0]);
    assert_eq!(x.t().mean(1, false)?.to_vec::<f32>()?, [1.0, 1.0]);
    Ok(())
}

/// Quansight/pnumpy#84: a parallel sum lost its tail.
#[test]
fn parallel_sums_are_whole() -> Result {
    let n = 100_000_000i64;
    let x = Array::arange(0, n, 1)?;
    let y = x.astype(DType::F64)?;
    for t in THREADS {
        let runtime = Runtime::new(t).expect("a runtime");
        let (ints, floats) = runtime.install(|_| Ok::<_, OpsError>((x.sum(.., false)?, y.sum(.., false)?)))?;
        assert_eq!(ints.item::<i64>()?, n * (n - 1) / 2);
        assert_eq!(floats.item::<f64>()?.to_bits(), 4_999_999_950_000_000f64.to_bits());
    }
    Ok(())
}

/// PyO3/rust-numpy#527, rust-ndarray/ndarray#1609: empty arrays whose strides are anything.
#[test]
fn empty_arrays_with_odd_strides() -> Result {
    for shape in [&[2usize, 0][..], &[0, 2], &[2, 0, 3], &[1, 0]] {
        let zero = Array::zeros(&[0], DType::F64)?;
        let layout = freelane_ops::Layout::strided(shape, &vec![0; shape.len()], 0).expect("an empty layout");
        let x = Array::from(zero.data().with_layout(layout).expect("nothing to reach"));
        assert_eq!(x.sum(.., false)?.item::<f64>()?, 0.0);
        assert_eq!(x.reshape(&[0])?.shape(), [0]);
        assert_eq!(x.sin()?.shape(), shape);
        assert!(x.mean(.., false)?.item::<f64>()?.is_nan());
        assert_eq!(x.flip(..)?.t().copy()?.len(), 0);
    }
    Ok(())
}

/// numba/numba#2804: two threads that call a parallel sum at once; also from inside a parallel region.
#[test]
fn parallel_sums_from_many_threads_at_once() -> Result {
    let x = Array::arange_f64(0.0, 10_000.0, 1.0)?;
    let long = Array::arange_f64(0.0, 200_000.0, 1.0)?;
    let runtime = Runtime::new(2).expect("a runtime");
    std::thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                for i in 0..10_000 {
                    let sum = runtime.install(|_| x.sum(.., false)).and_then(|s| s.item::<f64>());
                    assert_eq!(sum.ok(), Some(49_995_000.0));
                    if i % 100 == 0 {
                        let sum = runtime.install(|_| long.sum(.., false)).and_then(|s| s.item::<f64>());
                        assert_eq!(sum.ok(), Some(19_999_900_000.0));
                    }
                }
            });
        }
    });
    runtime.install(|lane| {
        lane.par_for(64, 1_000_000, &|_, _| {
            let sum = runtime.install(|_| long.sum(.., false)).and_then(|s| s.item::<f64>());
            assert_eq!(sum.ok(), Some(19_999_900_000.0));
        });
    });
    Ok(())
}

/// numpy/numpy#26250: arrays that outlive the thread that made them.
#[test]
fn arrays_outlive_their_thread() -> Result {
    let made = std::thread::spawn(|| {
        Ok::<_, OpsError>((Array::ones(&[100], DType::F64)?, Array::ones(&[10_000_000], DType::F64)?))
    });
    let (small, large) = made.join().expect("the thread ends well")?;
    assert_eq!(small.sum(.., false)?.item::<f64>()?, 100.0);
    assert_eq!(large.sum(.., false)?.item::<f64>()?, 1e7);
    let part = large.index(&[Slice { start: Some(-3), stop: None, step: 1 }.into()])?;
    drop(large);
    assert_eq!(part.index(&[Index::At(2)])?.item::<f64>()?, 1.0);
    Ok(())
}
