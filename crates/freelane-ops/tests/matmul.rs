//! Matrix products: shapes, batches, dtypes, and bits that do not depend on batch, strides or threads.
use freelane_ops::{Array, DType, Index, OpsError, Slice};
use freelane_pool::Runtime;
use freelane_testing::{THREADS, assert_same_bits, layouts, values};

type Result<T = ()> = std::result::Result<T, OpsError>;

fn reference(a: &Array, b: &Array) -> Result<Vec<f64>> {
    let (m, k, n) = (a.shape()[0], a.shape()[1], b.shape()[1]);
    let (a, b) = (a.astype(DType::F64)?.to_vec::<f64>()?, b.astype(DType::F64)?.to_vec::<f64>()?);
    let dot = |i: usize, j: usize| (0..k).map(|p| a[i * k + p] * b[p * n + j]).sum();
    Ok((0..m * n).map(|at| dot(at / n, at % n)).collect())
}

#[test]
fn values_are_right() -> Result {
    for dtype in [DType::F32, DType::F64, DType::I32, DType::U8, DType::F16, DType::BF16] {
        let tolerance = match dtype {
            DType::F64 => 1e-13,
            DType::F32 => 1e-5,
            DType::F16 => 1e-3,
            DType::BF16 => 1e-2,
            _ => 0.0,
        };
        for (m, k, n) in [(1, 1, 1), (3, 5, 2), (1, 300, 40), (13, 257, 33), (40, 64, 1), (5, 7, 4)] {
            let (a, b) = (values(&[m, k], dtype, (-1.5, 1.5), 1)?, values(&[k, n], dtype, (-1.5, 1.5), 2)?);
            let got = a.matmul(&b)?.astype(DType::F64)?.to_vec::<f64>()?;
            for (g, w) in got.iter().zip(reference(&a, &b)?) {
                assert!((g - w).abs() <= tolerance * (k as f64).sqrt().max(w.abs()), "{dtype} {m}x{k}x{n}: {g} {w}");
            }
        }
    }
    Ok(())
}

#[test]
fn bits_do_not_depend_on_layout_threads_or_batch() -> Result {
    let runtimes: Vec<Runtime> = THREADS.iter().filter_map(|&t| Runtime::new(t).ok()).collect();
    for dtype in DType::ALL.iter().copied() {
        for (m, k, n) in [(7, 300, 70), (130, 64, 40), (9, 33, 1), (6, 5, 3), (100, 256, 96)] {
            let (a, b) = (values(&[m, k], dtype, (-2.0, 2.0), 1)?, values(&[k, n], dtype, (-2.0, 2.0), 2)?);
            let want = a.matmul(&b)?;
            for ((what, a), (_, b)) in layouts(&a)?.into_iter().zip(layouts(&b)?) {
                assert_same_bits(&a.matmul(&b)?, &want, &format!("{dtype} {m}x{k}x{n} {what}"));
            }
            for runtime in &runtimes {
                let got = runtime.install(|_| a.matmul(&b))?;
                assert_same_bits(&got, &want, &format!("{dtype} {m}x{k}x{n} {} threads", runtime.threads()));
            }
            for i in [0, m - 1] {
                let row = [Slice { start: Some(i as isize), stop: Some(i as isize + 1), step: 1 }.into()];
                assert_same_bits(&a.index(&row)?.matmul(&b)?, &want.index(&row)?, &format!("{dtype} row {i}"));
            }
        }
    }
    Ok(())
}

#[test]
fn batches_broadcast_and_vectors_lose_their_axis() -> Result {
    let (a, b) = (values(&[3, 1, 4, 5], DType::F64, (-1.0, 1.0), 1)?, values(&[2, 5, 6], DType::F64, (-1.0, 1.0), 2)?);
    let c = a.matmul(&b)?;
    assert_eq!(c.shape(), [3, 2, 4, 6]);
    for i in 0..3 {
        for j in 0..2 {
            let one = a.index(&[Index::At(i), Index::At(0)])?.matmul(&b.index(&[Index::At(j)])?)?;
            assert_same_bits(&c.index(&[Index::At(i), Index::At(j)])?, &one, "a matrix of the batch");
        }
    }
    let x = Array::arange(0, 5, 1)?;
    assert!(x.matmul(&x)?.shape().is_empty() && x.matmul(&x)?.item::<i64>()? == 30);
    assert_eq!(a.matmul(&x)?.shape(), [3, 1, 4]);
    assert_eq!(x.matmul(&b)?.shape(), [2, 6]);
    assert_eq!(
        Array::zeros(&[2, 0], DType::F32)?.matmul(&Array::zeros(&[0, 3], DType::F32)?)?.to_vec::<f32>()?,
        [0.0; 6]
    );
    assert_eq!(Array::zeros(&[0, 4], DType::F32)?.matmul(&Array::zeros(&[4, 3], DType::F32)?)?.shape(), [0, 3]);
    Ok(())
}

#[test]
fn misfits_are_errors() -> Result {
    let (a, x) = (Array::zeros(&[2, 3], DType::F64)?, Array::zeros(&[4], DType::F64)?);
    let text = |r: Result<Array>| r.map_or_else(|e| e.to_string(), |_| String::new());
    assert_eq!(text(a.matmul(&a)), "matmul: the first operand has 3 columns, the second 2 rows; they must agree");
    assert_eq!(text(a.matmul(&x)), "matmul: the first operand has 3 columns, the second 4 rows; they must agree");
    let scalar = Array::scalar(2.0)?;
    assert_eq!(text(a.matmul(&scalar)), "matmul: an operand without axes; multiply by a number with multiply");
    let batch = Array::zeros(&[2, 3, 3], DType::F64)?;
    assert_eq!(
        text(batch.matmul(&Array::zeros(&[3, 3, 3], DType::F64)?)),
        "matmul: shapes (2,) and (3,) do not broadcast"
    );
    Ok(())
}
