//! Systems of equations, inverses, norms and ranks: values that NumPy prints, and what is said of matrices without a result.
use freelane_linalg::*;
use freelane_ops::{Array, DType, OpsError};
use freelane_testing::values;

type Result<T = ()> = std::result::Result<T, OpsError>;

fn array(values: &[f64], shape: &[usize]) -> Result<Array> {
    Array::from_vec(values.to_vec(), shape)
}

fn close(got: &Array, want: &[f64], what: &str) -> Result {
    let got = got.astype(DType::F64)?.to_vec::<f64>()?;
    assert_eq!(got.len(), want.len(), "{what}");
    for (g, w) in got.iter().zip(want) {
        assert!(g == w || (g - w).abs() <= 1e-12 * w.abs().max(1.0) || g.is_nan() && w.is_nan(), "{what}: {g} for {w}");
    }
    Ok(())
}

/// [[2, 1, 0], [-1, 3, 2], [4, 0, 1]], whose determinant is 15.
fn sample() -> Result<Array> {
    array(&[2.0, 1.0, 0.0, -1.0, 3.0, 2.0, 4.0, 0.0, 1.0], &[3, 3])
}

#[test]
fn values_are_those_of_numpy() -> Result {
    let a = sample()?;
    close(&det(&a)?, &[15.0], "det")?;
    let (sign, log) = slogdet(&a.negative()?)?;
    close(&sign, &[-1.0], "sign")?;
    close(&log, &[2.70805020110221], "logarithm")?;
    close(&solve(&a, &array(&[1.0, 2.0, 3.0], &[3])?)?, &[7.0 / 15.0, 1.0 / 15.0, 17.0 / 15.0], "solve")?;
    let inverse = [0.2, -1.0 / 15.0, 2.0 / 15.0, 0.6, 2.0 / 15.0, -4.0 / 15.0, -0.8, 4.0 / 15.0, 7.0 / 15.0];
    close(&inv(&a)?, &inverse, "inv")?;
    close(&pinv(&a, None)?, &inverse, "pinv")?;
    close(&matrix_power(&a, -1)?, &inverse, "power")?;
    close(&svdvals(&a)?, &[4.610170874746957, 3.7402660459472417, 0.8699048287997153], "svdvals")?;
    close(&cond(&a, None)?, &[5.2996267202103216], "cond")?;
    close(&cond(&a, Some(Order::P(1.0)))?, &[11.2], "cond 1")?;
    assert_eq!(matrix_rank(&a, None)?.item::<i64>()?, 3);
    let upper = array(&[2.0, 1.0, 9.0, 4.0], &[2, 2])?;
    close(&solve_triangular(&upper, &array(&[4.0, 8.0], &[2])?, true, false)?, &[1.0, 2.0], "upper")?;
    close(&solve_triangular(&upper, &array(&[4.0, 8.0], &[2])?, false, true)?, &[4.0, -28.0], "lower, ones")?;
    Ok(())
}

#[test]
fn norms_are_those_of_numpy() -> Result {
    let a = array(&[1.0, -2.0, 3.0, -4.0, 5.0, -6.0], &[2, 3])?;
    let orders = [
        (Order::Frobenius, 9.539392014169456),
        (Order::Nuclear, 10.280901636369208),
        (Order::P(1.0), 9.0),
        (Order::P(-1.0), 5.0),
        (Order::P(2.0), 9.508032000695724),
        (Order::P(-2.0), 0.7728696356734838),
        (Order::P(f64::INFINITY), 15.0),
        (Order::P(f64::NEG_INFINITY), 6.0),
    ];
    for (order, want) in orders {
        close(&matrix_norm(&a, order, false)?, &[want], &format!("{order:?}"))?;
        assert_eq!(matrix_norm(&a, order, true)?.shape(), [1, 1]);
    }
    let v = array(&[1.0, -2.0, 0.0, 4.0], &[4])?;
    for (p, want) in [
        (0.0, 3.0),
        (1.0, 7.0),
        (2.0, 4.58257569495584),
        (3.0, 4.179339196381232),
        (0.5, 19.485281374238568),
        (f64::INFINITY, 4.0),
        (f64::NEG_INFINITY, 0.0),
    ] {
        close(&vector_norm(&v, .., false, p)?, &[want], &format!("{p}"))?;
    }
    close(&vector_norm(&a, 0, true, 2.0)?, &[17f64.sqrt(), 29f64.sqrt(), 45f64.sqrt()], "columns")?;
    // Squares of these overflow, or vanish.
    for (x, want) in [([3e200, 4e200], 5e200), ([3e-200, 4e-200], 5e-200), ([0.0, 0.0], 0.0)] {
        let norm = vector_norm(&array(&x, &[2])?, .., false, 2.0)?.item::<f64>()?;
        assert!((norm - want).abs() <= 1e-15 * want, "{norm} for {want}");
    }
    let ones = Array::ones(&[20_000_000], DType::F32)?;
    assert_eq!(vector_norm(&ones, .., false, 2.0)?.item::<f32>()?, 2e7_f64.sqrt() as f32);
    assert!(vector_norm(&array(&[f64::NAN, 1.0], &[2])?, .., false, 2.0)?.item::<f64>()?.is_nan());
    Ok(())
}

#[test]
fn least_squares_are_those_of_numpy() -> Result {
    let a = array(&[0.0, 1.0, 1.0, 1.0, 2.0, 1.0, 3.0, 1.0], &[4, 2])?;
    let (x, residuals, rank, s) = lstsq(&a, &array(&[-1.0, 0.2, 0.9, 2.1], &[4])?, None)?;
    close(&x, &[1.0, -0.95], "x")?;
    close(&residuals, &[0.05], "residuals")?;
    assert_eq!(rank.item::<i64>()?, 2);
    close(&s, &[4.10003044816824, 1.090756766696107], "s")?;
    let flat = array(&[1.0, 2.0, 2.0, 4.0, 3.0, 6.0], &[3, 2])?;
    let (x, residuals, rank, _) = lstsq(&flat, &array(&[1.0, 2.0, 3.0], &[3])?, None)?;
    close(&x, &[0.2, 0.4], "the shortest of many")?;
    assert_eq!((residuals.shape(), rank.item::<i64>()?), (&[0][..], 1));
    Ok(())
}

#[test]
fn batches_of_systems_broadcast() -> Result {
    for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
        let a = values(&[2, 1, 5, 5], dtype, (-1.0, 1.0), 1)?;
        let b = values(&[3, 5, 2], dtype, (-1.0, 1.0), 2)?;
        let x = solve(&a, &b)?;
        assert_eq!(x.shape(), [2, 3, 5, 2]);
        let off = a.matmul(&x)?.subtract(&b)?.abs()?.max(.., false)?.astype(DType::F64)?.item::<f64>()?;
        let most = if dtype.real() == DType::F32 { 1e-4 } else { 1e-12 };
        assert!(off < most, "{dtype}: {off}");
        assert_eq!(solve(&a, &values(&[5], dtype, (-1.0, 1.0), 3)?)?.shape(), [2, 1, 5]);
        let unit = a.matmul(&inv(&a)?)?.subtract(&Array::eye(5, 5, 0, dtype)?)?;
        assert!(unit.abs()?.max(.., false)?.astype(DType::F64)?.item::<f64>()? < most, "{dtype}");
    }
    assert_eq!(solve(&Array::zeros(&[0, 0], DType::F64)?, &Array::zeros(&[0, 3], DType::F64)?)?.shape(), [0, 3]);
    assert_eq!(solve(&Array::zeros(&[0, 2, 2], DType::F64)?, &Array::zeros(&[2], DType::F64)?)?.shape(), [0, 2]);
    assert_eq!(det(&Array::zeros(&[0, 0], DType::F64)?)?.item::<f64>()?, 1.0);
    assert_eq!(inv(&Array::zeros(&[2, 0, 0], DType::F64)?)?.shape(), [2, 0, 0]);
    assert_eq!(pinv(&Array::zeros(&[2, 0], DType::F64)?, None)?.shape(), [0, 2]);
    Ok(())
}

#[test]
fn integers_are_computed_in_f64() -> Result {
    let x = Array::from_vec(vec![1i32, 2, 3, 4], &[2, 2])?;
    close(&det(&x)?, &[-2.0], "det")?;
    assert_eq!(matrix_norm(&x, Order::Frobenius, false)?.dtype(), DType::F64);
    close(&matrix_power(&x, 3)?, &[37.0, 54.0, 81.0, 118.0], "power")?;
    assert_eq!(matrix_power(&x, 3)?.dtype(), DType::I32);
    Ok(())
}

#[test]
fn determinants_do_not_overflow_on_the_way() -> Result {
    let scale = array(&[1e200, 1e200, 1e-200, 1e-200], &[4])?;
    let x = Array::eye(4, 4, 0, DType::F64)?.multiply(&scale)?;
    let det = det(&x)?.item::<f64>()?;
    assert!((det - 1.0).abs() < 1e-12, "{det}");
    Ok(())
}

#[test]
fn elements_may_be_so_large_or_small_that_squares_are_not() -> Result {
    for (dtype, sizes) in [(DType::F32, [6.5e18, 1e-30]), (DType::F64, [1e300, 1e-300]), (DType::C128, [1e300, 1e-300])]
    {
        for size in sizes {
            let x = sample()?.add(&sample()?.matrix_transpose()?)?.astype(dtype)?;
            let big = x.multiply(&Array::full(&[], size, dtype.real())?)?;
            let relative = |got: Array, want: Array| -> Result<f64> {
                let got = got.abs()?.astype(DType::F64)?.divide(size)?;
                got.subtract(&want.abs()?.astype(DType::F64)?)?.abs()?.max(.., false)?.item::<f64>()
            };
            assert!(relative(svdvals(&big)?, svdvals(&x)?)? < 1e-5, "svdvals {dtype} {size}");
            assert!(relative(eigvalsh(&big)?, eigvalsh(&x)?)? < 1e-5, "eigvalsh {dtype} {size}");
            let sorted = |x: &Array| eigvals(x)?.real()?.max(.., false);
            assert!(relative(sorted(&big)?, sorted(&x)?)? < 1e-5, "eigvals {dtype} {size}");
        }
    }
    Ok(())
}

fn message<T>(result: Result<T>) -> String {
    result.err().map(|e| e.to_string()).unwrap_or_default()
}

#[test]
fn what_has_no_result_is_an_error_that_says_so() -> Result {
    let singular = array(&[1.0, 2.0, 2.0, 4.0], &[2, 2])?;
    assert_eq!(message(inv(&singular)), "inv: the matrix is singular");
    assert_eq!(message(solve(&singular, &singular)), "solve: the matrix is singular");
    let batch = freelane_ops::stack(&[&Array::eye(2, 2, 0, DType::F64)?, &singular], 0)?;
    assert_eq!(message(inv(&batch)), "inv: the matrix is singular (number 1 of the batch)");
    assert_eq!(det(&singular)?.item::<f64>()?, 0.0);
    let (sign, log) = slogdet(&singular)?;
    assert_eq!((sign.item::<f64>()?, log.item::<f64>()?), (0.0, f64::NEG_INFINITY));
    assert_eq!(cond(&singular, Some(Order::P(1.0)))?.item::<f64>()?, f64::INFINITY);
    let minor = "cholesky: the matrix is not positive definite: its leading minor of order 2 is not positive";
    assert_eq!(message(cholesky(&array(&[1.0, 2.0, 2.0, 1.0], &[2, 2])?, false)), minor);
    let wide = Array::ones(&[2, 3], DType::F64)?;
    for (name, result) in
        [("det", det(&wide)), ("inv", inv(&wide)), ("cholesky", cholesky(&wide, false)), ("eigvals", eigvals(&wide))]
    {
        assert_eq!(message(result), format!("{name}: needs square matrices, the array has shape [2, 3]"));
    }
    let rows = "solve: 2 equations for 3 right-hand sides: shapes [2, 2] and [3]";
    assert_eq!(message(solve(&singular, &Array::ones(&[3], DType::F64)?)), rows);
    assert_eq!(
        message(qr(&Array::ones(&[3], DType::F64)?, Mode::Reduced)),
        "qr: needs matrices, the array has shape [3]"
    );
    let half = "det: not defined for float16; it takes float32, float64, complex64 and complex128; convert it with astype(float32)";
    assert_eq!(message(det(&Array::ones(&[2, 2], DType::F16)?)), half);
    let norm = "matrix_norm: there is no matrix norm of order 3; it is 'fro', 'nuc', 1, 2, inf, -1, -2 or -inf";
    assert_eq!(message(matrix_norm(&wide, Order::P(3.0), false)), norm);
    Ok(())
}

#[test]
fn nan_and_infinity_end_in_nan_or_an_error() -> Result {
    for bad in [f64::NAN, f64::INFINITY] {
        for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
            for at in 0..9 {
                let mut x = Array::eye(3, 3, 0, DType::F64)?.to_vec::<f64>()?;
                x[at] = bad;
                let x = array(&x, &[3, 3])?.astype(dtype)?;
                for result in [svdvals(&x), eigvals(&x), eigvalsh(&x), pinv(&x, None), matrix_rank(&x, None)] {
                    assert!(message(result).ends_with("the matrix has NaN or infinite elements"), "{dtype} {at}");
                }
                // These end, with NaN where elimination carries it or with an error.
                let _ = (cholesky(&x, false), inv(&x), solve(&x, &x), qr(&x, Mode::Complete), slogdet(&x));
            }
        }
        let all = Array::full(&[3, 3], bad, DType::F64)?;
        assert!(det(&all)?.item::<f64>()?.is_nan());
        assert!(inv(&all)?.isnan()?.all(.., false)?.item::<bool>()?);
        assert!(message(cholesky(&all, false)).starts_with("cholesky: the matrix is not positive definite"));
    }
    Ok(())
}

#[test]
fn chains_of_products_are_cut_where_it_is_cheapest() -> Result {
    let part = |shape: &[usize], seed| values(shape, DType::F64, (-1.0, 1.0), seed);
    let (a, b, c, d) = (part(&[10, 30], 1)?, part(&[30, 5], 2)?, part(&[5, 60], 3)?, part(&[60], 4)?);
    let want = a.matmul(&b)?.matmul(&c)?.matmul(&d)?.to_vec::<f64>()?;
    close(&multi_dot(&[&a, &b, &c, &d])?, &want, "four")?;
    let row = part(&[10], 5)?;
    close(&multi_dot(&[&row, &a, &b])?, &row.matmul(&a)?.matmul(&b)?.to_vec::<f64>()?, "a row in front")?;
    close(&multi_dot(&[&row, &row])?, &[row.vecdot(&row, -1)?.item::<f64>()?], "two vectors")?;
    assert!(message(multi_dot(&[])).contains("needs matrices"));
    assert!(message(multi_dot(&[&a, &d, &b])).contains("needs matrices"));
    Ok(())
}

/// What NumPy 2.5 says of the same: the greatest of nothing is 0, the least of nothing an error.
#[test]
fn norms_of_nothing() -> Result {
    let zeros = |shape: &[usize]| Array::zeros(shape, DType::F64);
    let inf = f64::INFINITY;
    let zero = [Order::Frobenius, Order::Nuclear, Order::P(1.0), Order::P(2.0), Order::P(inf)];
    for order in zero {
        for shape in [[0, 3], [3, 0], [0, 0]] {
            assert_eq!(matrix_norm(&zeros(&shape)?, order, false)?.item::<f64>()?, 0.0, "{order:?} {shape:?}");
        }
        assert_eq!(matrix_norm(&zeros(&[2, 0, 3])?, order, false)?.to_vec::<f64>()?, [0.0; 2]);
    }
    assert_eq!(matrix_norm(&zeros(&[0, 3])?, Order::P(-1.0), false)?.item::<f64>()?, 0.0);
    assert_eq!(matrix_norm(&zeros(&[3, 0])?, Order::P(-inf), false)?.item::<f64>()?, 0.0);
    for (order, shape) in [(-1.0, [3, 0]), (-inf, [0, 3]), (-2.0, [0, 3]), (-2.0, [3, 0])] {
        let refused = matrix_norm(&zeros(&shape)?, Order::P(order), false).unwrap_err();
        assert!(refused.to_string().contains("matrix_norm"), "{refused}");
    }
    for (order, norm) in [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (inf, 0.0), (-1.0, inf), (-2.0, inf)] {
        assert_eq!(vector_norm(&zeros(&[0])?, .., false, order)?.item::<f64>()?, norm, "{order}");
    }
    assert!(vector_norm(&zeros(&[0])?, .., false, -inf).unwrap_err().to_string().contains("vector_norm"));
    for (order, shape) in [(None, [0, 3]), (Some(Order::P(1.0)), [0, 0]), (Some(Order::P(-2.0)), [3, 0])] {
        let refused = cond(&zeros(&shape)?, order).unwrap_err();
        assert!(matches!(refused, OpsError::LinAlg { op: "cond", .. }), "{refused}");
    }
    assert_eq!(cond(&zeros(&[0, 2, 2])?, None)?.shape(), [0]);
    Ok(())
}
