//! Products over any axes and `einsum`: values that NumPy prints, shapes, dtypes, and bits for every layout and thread count.
use freelane_ops::{Array, DType, OpsError, einsum};
use freelane_pool::Runtime;
use freelane_testing::{THREADS, assert_same_bits, layouts, values};

type Result<T = ()> = std::result::Result<T, OpsError>;

/// The numbers from 0 on.
fn ramp(shape: &[usize]) -> Result<Array> {
    let shape: Vec<isize> = shape.iter().map(|&n| n as isize).collect();
    Array::arange(0, shape.iter().product::<isize>() as i64, 1)?.reshape(&shape)
}

/// Subscripts, shapes of operands, the result's shape and elements.
type Case = (&'static str, &'static [&'static [usize]], &'static [usize], &'static [i64]);

#[test]
fn einsum_sums_what_the_text_says() -> Result {
    let cases: [Case; 15] = [
        ("ijk,kjl->il", &[&[2, 3, 4], &[4, 3, 2]], &[2, 2], &[880, 946, 2464, 2674]),
        ("ijk,kji", &[&[2, 3, 4], &[4, 3, 2]], &[], &[3554]),
        ("ii", &[&[3, 3]], &[], &[12]),
        ("ii->i", &[&[3, 3]], &[3], &[0, 4, 8]),
        ("...j,kj->...k", &[&[2, 3, 4], &[2, 4]], &[2, 3, 2], &[14, 38, 38, 126, 62, 214, 86, 302, 110, 390, 134, 478]),
        ("ij,jk,kl->il", &[&[3, 3], &[3, 3], &[3, 3]], &[3, 3], &[180, 234, 288, 558, 720, 882, 936, 1206, 1476]),
        ("i,j", &[&[3], &[4]], &[3, 4], &[0, 0, 0, 0, 0, 1, 2, 3, 0, 2, 4, 6]),
        ("ba", &[&[3, 3]], &[3, 3], &[0, 3, 6, 1, 4, 7, 2, 5, 8]),
        (
            "i...,i...->...",
            &[&[2, 3, 4], &[2, 3, 4]],
            &[3, 4],
            &[144, 170, 200, 234, 272, 314, 360, 410, 464, 522, 584, 650],
        ),
        (
            "bij,bjk->bik",
            &[&[2, 3, 4], &[2, 4, 3]],
            &[2, 3, 3],
            &[42, 48, 54, 114, 136, 158, 186, 224, 262, 906, 960, 1014, 1170, 1240, 1310, 1434, 1520, 1606],
        ),
        ("ij,ij->", &[&[3, 3], &[3, 3]], &[], &[204]),
        ("i,ij,j", &[&[3], &[3, 3], &[3]], &[], &[60]),
        ("ijj->i", &[&[2, 3, 3]], &[2], &[12, 39]),
        ("ij,j->", &[&[3, 3], &[3]], &[], &[42]),
        ("ab,bc,cd,de,ea->", &[&[3, 3], &[3, 3], &[3, 3], &[3, 3], &[3, 3]], &[], &[423792]),
    ];
    for (text, shapes, shape, want) in cases {
        let operands = shapes.iter().map(|s| ramp(s)).collect::<Result<Vec<_>>>()?;
        for dtype in [DType::I64, DType::I32, DType::F64, DType::F32, DType::C128] {
            let operands = operands.iter().map(|x| x.astype(dtype)).collect::<Result<Vec<_>>>()?;
            let got = einsum(text, &operands.iter().collect::<Vec<_>>())?;
            assert_eq!((got.shape(), got.dtype()), (shape, dtype), "{text}");
            assert_eq!(got.astype(DType::I64)?.to_vec::<i64>()?, want, "{text} {dtype}");
        }
    }
    Ok(())
}

#[test]
fn einsum_stretches_axes_of_length_one() -> Result {
    let got = einsum("ij,jk", &[&Array::ones(&[2, 1], DType::I64)?, &ramp(&[3, 4])?])?;
    assert_eq!(got.to_vec::<i64>()?, [12, 15, 18, 21, 12, 15, 18, 21]);
    assert_eq!(einsum("i,i->i", &[&ramp(&[3])?, &Array::ones(&[1], DType::I64)?])?.to_vec::<i64>()?, [0, 1, 2]);
    assert_eq!(einsum("ij->", &[&Array::zeros(&[0, 3], DType::F64)?])?.item::<f64>()?, 0.0);
    let (x, y) = (Array::zeros(&[2, 0], DType::F64)?, Array::zeros(&[0, 3], DType::F64)?);
    assert_eq!(einsum("ij,jk->ik", &[&x, &y])?.to_vec::<f64>()?, [0.0; 6]);
    let truth = Array::from_vec(vec![true, false], &[2])?;
    assert!(einsum("i,i->", &[&truth, &truth])?.item::<bool>()?);
    Ok(())
}

#[test]
fn errors_say_what_does_not_fit() -> Result {
    let (x, y) = (ramp(&[2, 3])?, ramp(&[4])?);
    let cases: [(&str, &[&Array], &str); 8] = [
        ("ij,j", &[&x, &y], "einsum: j names axes of 3 and of 4 elements"),
        ("ij", &[&x, &y], "einsum: the subscripts ij are for 1 operands, 2 are given"),
        ("i", &[&x], "einsum: operand 0 has 2 axes, its subscripts name 1"),
        ("ijk", &[&x], "einsum: operand 0 has 2 axes, its subscripts name 3"),
        ("ii", &[&x], "einsum: i names axes of 2 and 3 elements in one operand"),
        ("i1", &[&x], "einsum: '1' is no letter; axes are named by letters and ..."),
        ("ij->k", &[&x], "einsum: the result names k, no operand does"),
        ("ij->ii", &[&x], "einsum: the result names i twice"),
    ];
    for (text, operands, message) in cases {
        assert_eq!(einsum(text, operands).err().map(|e| e.to_string()).as_deref(), Some(message), "{text}");
    }
    let message = |r: Result<Array>| r.err().map(|e| e.to_string()).unwrap_or_default();
    assert_eq!(message(x.vecdot(&y, -1)), "vecdot: axis -1 has 3 elements in the first operand, 4 in the second");
    let lengths = "tensordot: axis 1 of the first operand has 3 elements, axis 0 of the second 4";
    assert_eq!(message(x.tensordot(&y, &[1], &[0])), lengths);
    assert_eq!(message(x.tensordot(&y, &[1, 1], &[0, 0])), "tensordot: axis 1 is named twice");
    assert_eq!(message(y.cross(&y, -1)), "cross: axis -1 must have 3 elements, an operand of shape [4] has 4");
    assert_eq!(message(x.matrix_power(2)), "matrix_power: needs square matrices, the array has shape [2, 3]");
    assert_eq!(message(x.diagonal(0, [0, -2])), "diagonal: needs two axes, both are 0");
    Ok(())
}

#[test]
fn products_have_the_values_of_numpy() -> Result {
    let (a, s) = (ramp(&[2, 3, 4])?, ramp(&[3, 3])?);
    let b = ramp(&[4, 3, 2])?;
    let ints = |x: Array| x.astype(DType::I64)?.to_vec::<i64>();
    assert_eq!(ints(ramp(&[2, 2])?.kron(&ramp(&[3])?)?)?, [0, 0, 0, 0, 1, 2, 0, 2, 4, 0, 3, 6]);
    assert_eq!(ints(a.tensordot(&b, &[1, 2], &[1, 0])?)?, [880, 946, 2464, 2674]);
    assert_eq!(ints(s.tensordot(&s, &[1], &[0])?)?, [15, 18, 21, 42, 54, 66, 69, 90, 111]);
    assert_eq!(s.tensordot(&ramp(&[2])?, &[], &[])?.shape(), [3, 3, 2]);
    let across = Array::from_vec(vec![1i64, -1, 2], &[1, 3])?;
    assert_eq!(ints(ramp(&[2, 3])?.cross(&across, -1)?)?, [4, 2, -1, 13, -1, -7]);
    assert_eq!(ints(a.trace(0, [0, 1])?)?, [16, 18, 20, 22]);
    let diagonal = a.diagonal(1, [0, 1])?;
    assert_eq!((diagonal.shape(), ints(diagonal.clone())?), (&[4, 2][..], vec![4, 20, 5, 21, 6, 22, 7, 23]));
    assert_eq!(a.diagonal(9, [1, 2])?.shape(), [2, 0]);
    assert_eq!(ints(a.dot(&ramp(&[4])?)?)?, [14, 38, 62, 86, 110, 134]);
    assert_eq!(ints(s.inner(&s)?)?, [5, 14, 23, 14, 50, 86, 23, 86, 149]);
    assert_eq!(ints(s.matrix_power(5)?)?, [32400, 41796, 51192, 99468, 128304, 157140, 166536, 214812, 263088]);
    assert_eq!(ints(s.matrix_power(0)?)?, [1, 0, 0, 0, 1, 0, 0, 0, 1]);
    assert_eq!(ints(ramp(&[3])?.outer(&ramp(&[2, 2])?)?)?, [0, 0, 0, 0, 0, 1, 2, 3, 0, 2, 4, 6]);
    assert_eq!(ramp(&[0])?.outer(&ramp(&[2])?)?.shape(), [0, 2]);
    assert_eq!(a.vecdot(&ramp(&[4])?, -1)?.to_vec::<i64>()?, [14, 38, 62, 86, 110, 134]);
    assert_eq!(ramp(&[4])?.vecdot(&a, -1)?.to_vec::<i64>()?, [14, 38, 62, 86, 110, 134]);
    assert_eq!(a.vecdot(&a, -2)?.to_vec::<i64>()?, [80, 107, 140, 179, 800, 899, 1004, 1115]);
    Ok(())
}

#[test]
fn the_first_vector_is_conjugated() -> Result {
    let z = |re: f64, im: f64| num_complex::Complex::new(re, im);
    let x = Array::from_vec(vec![z(1.0, 2.0), z(0.0, 1.0)], &[2])?;
    let y = Array::from_vec(vec![z(3.0, -1.0), z(2.0, 0.0)], &[2])?;
    assert_eq!(x.vecdot(&y, -1)?.item::<num_complex::Complex<f64>>()?, z(1.0, -9.0));
    assert_eq!(x.dot(&y)?.item::<num_complex::Complex<f64>>()?, z(5.0, 7.0));
    Ok(())
}

#[test]
fn bits_do_not_depend_on_layout_or_threads() -> Result {
    let runtimes: Vec<Runtime> = THREADS.iter().filter_map(|&t| Runtime::new(t).ok()).collect();
    type Function = fn(&Array, &Array) -> Result<Array>;
    let functions: [(&str, Function); 7] = [
        ("vecdot", |x, y| x.vecdot(y, -1)),
        ("vecdot 0", |x, y| x.vecdot(y, 0)),
        ("tensordot", |x, y| x.tensordot(y, &[0, 2], &[0, 2])),
        ("kron", |x, y| x.diagonal(0, [0, 1])?.kron(&y.diagonal(0, [0, 1])?)),
        ("einsum", |x, y| einsum("ijk,ilk->jl", &[x, y])),
        ("einsum batch", |x, y| einsum("ijk,ljk->jil", &[x, y])),
        ("trace", |x, _| x.trace(1, [0, 2])),
    ];
    for dtype in [DType::F32, DType::F64, DType::C64, DType::I16] {
        let (x, y) = (values(&[5, 7, 90], dtype, (-2.0, 2.0), 1)?, values(&[5, 7, 90], dtype, (-2.0, 2.0), 2)?);
        for (name, function) in functions {
            let want = function(&x, &y)?;
            for ((what, x), (_, y)) in layouts(&x)?.iter().zip(layouts(&y)?) {
                assert_same_bits(&function(x, &y)?, &want, &format!("{name} {dtype} {what}"));
            }
            for runtime in &runtimes {
                let got = runtime.install(|_| function(&x, &y))?;
                assert_same_bits(&got, &want, &format!("{name} {dtype} {} threads", runtime.threads()));
            }
        }
    }
    Ok(())
}

/// Whole numbers, so that sums are exact in any order, against the definition; the taps lie backwards, or apart, too.
#[test]
fn convolutions_by_definition() -> Result {
    let numbers = |n: usize, m: usize| -> Vec<f64> { (0..n).map(|i| (i * m % 11) as f64 - 5.0).collect() };
    for (n, m) in [(1, 1), (5, 1), (5, 5), (7, 3), (40, 9), (100, 16), (100, 17), (300, 64), (300, 131)] {
        let (a, b) = (numbers(n, 3), numbers(m, 7));
        let sum = |k: usize| (0..m).filter(|&j| j <= k && k - j < n).map(|j| a[k - j] * b[j]).sum::<f64>();
        let want: Vec<f64> = (0..n + m - 1).map(sum).collect();
        for dtype in [DType::F32, DType::F64, DType::C128, DType::I32] {
            let (x, y) = (Array::from_slice(&a)?.astype(dtype)?, Array::from_slice(&b)?.astype(dtype)?);
            let apart = layouts(&y)?.into_iter().map(|(_, y)| y);
            for y in apart.chain([y.flip(..)?.copy()?.flip(..)?]) {
                let both = [x.convolve(&y)?, y.convolve(&x)?];
                for got in both {
                    let got = if dtype == DType::C128 { got.real()? } else { got.astype(DType::F64)? };
                    assert_eq!(got.to_vec::<f64>()?, want, "{n} {m} {dtype}");
                }
            }
        }
    }
    let infinite = Array::from_slice(&[1.0, f64::INFINITY])?;
    let got = Array::from_slice(&[1.0, 2.0, 0.0])?.convolve(&infinite)?.to_vec::<f64>()?;
    assert!(got[0] == 1.0 && got[1] == f64::INFINITY && got[2] == f64::INFINITY && got[3].is_nan(), "{got:?}");
    Ok(())
}
