//! Factors of matrices: their product is the matrix, their columns are orthonormal, and each matrix of a batch is factored as
//! if it were alone, whatever its layout and the number of threads.
use freelane_linalg::*;
use freelane_ops::{Array, DType, Index, OpsError};
use freelane_pool::Runtime;
use freelane_testing::{THREADS, assert_same_bits, layouts, values};

type Result<T = ()> = std::result::Result<T, OpsError>;

const DTYPES: [DType; 4] = [DType::F32, DType::F64, DType::C64, DType::C128];
/// Square, tall, wide, small, empty, and batches of them.
const SHAPES: [&[usize]; 9] =
    [&[1, 1], &[5, 5], &[9, 4], &[3, 8], &[35, 35], &[40, 7], &[2, 3, 6, 6], &[0, 3], &[2, 0, 4]];

fn matrices(shape: &[usize], dtype: DType, seed: u64) -> Result<Array> {
    values(shape, dtype, (-1.0, 1.0), seed)
}

fn adjoint(x: &Array) -> Result<Array> {
    let turned = x.matrix_transpose()?;
    if matches!(x.dtype(), DType::C64 | DType::C128) { turned.conj() } else { Ok(turned) }
}

fn hermitian(shape: &[usize], dtype: DType, seed: u64) -> Result<Array> {
    let x = matrices(shape, dtype, seed)?;
    x.add(&adjoint(&x)?)
}

fn positive(shape: &[usize], dtype: DType, seed: u64) -> Result<Array> {
    let x = matrices(shape, dtype, seed)?;
    let n = shape[shape.len() - 1];
    x.matmul(&adjoint(&x)?)?.add(&Array::eye(n, n, 0, dtype)?)
}

fn close(got: &Array, want: &Array, what: &str) -> Result {
    assert_eq!((got.shape(), got.dtype()), (want.shape(), want.dtype()), "{what}");
    if got.is_empty() {
        return Ok(());
    }
    let tolerance = if got.dtype().real() == DType::F32 { 2e-4 } else { 2e-12 };
    let off = got.subtract(want)?.abs()?.max(.., false)?.astype(DType::F64)?.item::<f64>()?;
    assert!(off <= tolerance, "{what}: off by {off}");
    Ok(())
}

/// Whether the columns are orthonormal.
fn orthonormal(q: &Array, what: &str) -> Result {
    let n = q.shape()[q.rank() - 1];
    let product = adjoint(q)?.matmul(q)?;
    close(&product, &Array::eye(n, n, 0, q.dtype())?.broadcast_to(product.shape())?, what)
}

/// The diagonal matrices of the last axis.
fn scaled(columns: &Array, values: &Array) -> Result<Array> {
    columns.multiply(&values.astype(columns.dtype())?.expand_dims(-2)?)
}

#[test]
fn qr_gives_orthonormal_columns_and_a_triangle() -> Result {
    for dtype in DTYPES {
        for shape in SHAPES {
            let x = matrices(shape, dtype, 1)?;
            for mode in [Mode::Reduced, Mode::Complete] {
                let what = format!("qr {dtype} {shape:?} {mode:?}");
                let (q, r) = qr(&x, mode)?;
                close(&q.matmul(&r)?, &x, &what)?;
                orthonormal(&q, &what)?;
                assert_same_bits(&r, &r.triu(0)?, &what);
                let [m, n] = [shape[shape.len() - 2], shape[shape.len() - 1]];
                let size = if mode == Mode::Complete { m } else { m.min(n) };
                assert_eq!((q.shape()[q.rank() - 1], r.shape()[r.rank() - 2]), (size, size), "{what}");
            }
        }
    }
    Ok(())
}

#[test]
fn svd_gives_orthonormal_vectors_and_falling_values() -> Result {
    for dtype in DTYPES {
        for shape in SHAPES {
            let x = matrices(shape, dtype, 2)?;
            let what = format!("svd {dtype} {shape:?}");
            let (u, s, vh) = svd(&x, false)?;
            close(&scaled(&u, &s)?.matmul(&vh)?, &x, &what)?;
            assert_eq!(s.dtype(), dtype.real());
            close(&svdvals(&x)?, &s, &what)?;
            let falling = s.astype(DType::F64)?.to_vec::<f64>()?;
            let size = s.shape()[s.rank() - 1].max(1);
            assert!(
                falling.chunks(size).all(|s| s.is_sorted_by(|a, b| a >= b) && s.iter().all(|&x| x >= 0.0)),
                "{what}"
            );
            let (u, _, vh) = svd(&x, true)?;
            orthonormal(&u, &what)?;
            orthonormal(&adjoint(&vh)?, &what)?;
            let [m, n] = [shape[shape.len() - 2], shape[shape.len() - 1]];
            assert_eq!((u.shape()[u.rank() - 1], vh.shape()[vh.rank() - 2]), (m, n), "{what}");
        }
    }
    Ok(())
}

#[test]
fn eigh_gives_orthonormal_vectors_and_rising_values() -> Result {
    for dtype in DTYPES {
        for shape in [&[1, 1][..], &[5, 5], &[35, 35], &[2, 3, 6, 6], &[0, 0], &[2, 0, 0], &[0, 3, 3]] {
            let x = hermitian(shape, dtype, 3)?;
            let what = format!("eigh {dtype} {shape:?}");
            let (values, vectors) = eigh(&x)?;
            close(&x.matmul(&vectors)?, &scaled(&vectors, &values)?, &what)?;
            orthonormal(&vectors, &what)?;
            close(&eigvalsh(&x)?, &values, &what)?;
            let size = shape[shape.len() - 1].max(1);
            let values = values.astype(DType::F64)?.to_vec::<f64>()?;
            assert!(values.chunks(size).all(|v| v.is_sorted()), "{what}");
        }
    }
    Ok(())
}

#[test]
fn eigh_reads_the_lower_half() -> Result {
    let x = hermitian(&[6, 6], DType::F64, 4)?;
    assert_same_bits(&eigvalsh(&x.tril(0)?)?, &eigvalsh(&x)?, "the upper half is not read");
    Ok(())
}

#[test]
fn eig_gives_vectors_of_length_one() -> Result {
    for dtype in DTYPES {
        for shape in [&[1, 1][..], &[5, 5], &[40, 40], &[2, 3, 6, 6], &[0, 0], &[0, 3, 3]] {
            let x = matrices(shape, dtype, 5)?;
            let what = format!("eig {dtype} {shape:?}");
            let (values, vectors) = eig(&x)?;
            close(&x.astype(vectors.dtype())?.matmul(&vectors)?, &scaled(&vectors, &values)?, &what)?;
            let lengths = vector_norm(&vectors, -2, false, 2.0)?;
            close(&lengths, &Array::ones(lengths.shape(), lengths.dtype())?, &what)?;
            assert_eq!(eigvals(&x)?.dtype(), values.dtype());
        }
    }
    Ok(())
}

#[test]
fn cholesky_reads_one_half() -> Result {
    for dtype in DTYPES {
        for shape in [&[1, 1][..], &[5, 5], &[35, 35], &[2, 3, 6, 6], &[0, 0], &[0, 3, 3]] {
            let x = positive(shape, dtype, 6)?;
            let what = format!("cholesky {dtype} {shape:?}");
            let l = cholesky(&x.tril(0)?, false)?;
            close(&l.matmul(&adjoint(&l)?)?, &x, &what)?;
            assert_same_bits(&l, &l.tril(0)?, &what);
            let u = cholesky(&x.triu(0)?, true)?;
            close(&u, &adjoint(&l)?, &what)?;
        }
    }
    Ok(())
}

type Function = fn(&Array) -> Result<Vec<Array>>;
const FUNCTIONS: [(&str, Function); 12] = [
    ("qr", |x| qr(x, Mode::Reduced).map(|(q, r)| vec![q, r])),
    ("svd", |x| svd(x, true).map(|(u, s, v)| vec![u, s, v])),
    ("svdvals", |x| Ok(vec![svdvals(x)?])),
    ("eig", |x| eig(x).map(|(w, v)| vec![w, v])),
    ("eigvals", |x| Ok(vec![eigvals(x)?])),
    ("eigh", |x| eigh(x).map(|(w, v)| vec![w, v])),
    ("cholesky", |x| Ok(vec![cholesky(&x.matmul(&adjoint(x)?)?, false)?, cholesky(&x.matmul(&adjoint(x)?)?, true)?])),
    ("inv", |x| Ok(vec![inv(x)?])),
    ("det", |x| Ok(vec![det(x)?])),
    ("slogdet", |x| slogdet(x).map(|(s, l)| vec![s, l])),
    ("solve", |x| Ok(vec![solve(x, x)?])),
    ("pinv", |x| Ok(vec![pinv(x, None)?])),
];

#[test]
fn a_matrix_of_a_batch_is_factored_as_if_it_were_alone() -> Result {
    for dtype in DTYPES {
        let x = matrices(&[2, 3, 9, 9], dtype, 7)?;
        for (name, function) in FUNCTIONS {
            let batch = function(&x)?;
            let at = [Index::At(1), Index::At(2)];
            for (all, one) in batch.iter().zip(function(&x.index(&at)?)?) {
                assert_same_bits(&all.index(&at)?, &one, &format!("{name} {dtype}"));
            }
        }
    }
    Ok(())
}

#[test]
fn bits_do_not_depend_on_threads_or_layout() -> Result {
    let runtimes: Vec<Runtime> = THREADS.iter().filter_map(|&t| Runtime::new(t).ok()).collect();
    for dtype in DTYPES {
        let x = matrices(&[5, 11, 11], dtype, 8)?;
        for (name, function) in FUNCTIONS {
            let want = function(&x)?;
            for (what, x) in layouts(&x)? {
                for (got, want) in function(&x)?.iter().zip(&want) {
                    assert_same_bits(got, want, &format!("{name} {dtype} {what}"));
                }
            }
            for runtime in &runtimes {
                for (got, want) in runtime.install(|_| function(&x))?.iter().zip(&want) {
                    assert_same_bits(got, want, &format!("{name} {dtype} {} threads", runtime.threads()));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn an_array_without_gaps_may_still_repeat() -> Result {
    let x = matrices(&[4, 4], DType::F64, 9)?;
    let repeated = x.broadcast_to(&[3, 4, 4])?;
    for (name, function) in FUNCTIONS {
        for (all, one) in function(&repeated)?.iter().zip(function(&x)?) {
            assert_same_bits(&all.index(&[Index::At(2)])?, &one, name);
        }
    }
    Ok(())
}
