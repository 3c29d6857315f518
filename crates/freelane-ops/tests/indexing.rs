//! Indexing with arrays: against what NumPy selects, and against single elements.
use freelane_ops::{Array, ArrayError, DType, Index, IndexItem, OpsError, Slice, nonzero};
use freelane_pool::{Lane, Runtime};
use freelane_testing::{Random, THREADS, assert_same_bits, layouts};

type Result<T = ()> = std::result::Result<T, OpsError>;

/// A line of `data/indexing.txt`: the array holds its positions, `0..n` in row-major order.
struct Case {
    line: &'static str,
    shape: Vec<isize>,
    index: Vec<IndexItem>,
    /// Shape and elements; nothing where NumPy has an error.
    want: Option<(Vec<usize>, Vec<i64>)>,
}

fn numbers<T: std::str::FromStr>(text: &str) -> Vec<T> {
    text.split(',').filter_map(|n| n.trim().parse().ok()).collect()
}

/// `i(2,3)=0,1,..` or `b(..)=..`: the letter, the shape, the numbers.
fn array(text: &str) -> (&str, Vec<usize>, Vec<i64>) {
    let (kind, rest) = text.split_once('(').unwrap();
    let (shape, values) = rest.split_once(")=").unwrap();
    (kind, numbers(shape), numbers(values))
}

fn item(text: &str) -> Result<IndexItem> {
    if text.contains('(') {
        let (kind, shape, values) = array(text);
        let array = Array::from_vec(values, &shape)?;
        return IndexItem::from_array(if kind == "b" { array.astype(DType::Bool)? } else { array });
    }
    Ok(match text {
        "new" => Index::NewAxis.into(),
        "..." => Index::Ellipsis.into(),
        _ if text.contains(':') => {
            let ends: Vec<Option<isize>> = text.split(':').map(|n| n.parse().ok()).collect();
            Slice { start: ends[0], stop: ends[1], step: ends[2].unwrap_or(1) }.into()
        }
        _ => text.parse::<isize>().unwrap().into(),
    })
}

fn cases() -> Vec<Case> {
    let case = |line: &'static str| {
        let parts: Vec<&str> = line.split('|').collect();
        let index = parts[1].split_whitespace().map(item).collect::<Result<_>>().unwrap();
        let want = parts.get(3).map(|elements| (numbers(parts[2]), numbers(elements)));
        Case { line, shape: numbers(parts[0]), index, want }
    };
    include_str!("data/indexing.txt").lines().filter(|l| !l.starts_with('#')).map(case).collect()
}

impl Case {
    fn positions(&self) -> Result<Array> {
        Array::arange(0, self.shape.iter().product::<isize>() as i64, 1)?.reshape(&self.shape)
    }
}

#[test]
fn numpy_selects_the_same() -> Result {
    let cases = cases();
    assert!(cases.len() > 250 && cases.iter().filter(|c| c.want.is_none()).count() > 10);
    for case in &cases {
        let got = case.positions()?.get_items(&case.index);
        match (&case.want, got) {
            (Some((shape, elements)), Ok(got)) => {
                assert_eq!((got.shape(), got.to_vec::<i64>()?), (&shape[..], elements.clone()), "{}", case.line);
            }
            (None, Err(OpsError::Array { op: "index", .. })) => {}
            (_, got) => panic!("{}: {:?}", case.line, got.map(|a| a.shape().to_vec())),
        }
    }
    Ok(())
}

/// Element types of every size.
const SIZES: [DType; 6] = [DType::U8, DType::I16, DType::F32, DType::C64, DType::F64, DType::C128];

#[test]
fn elements_of_every_size_in_every_layout() -> Result {
    for case in cases().iter().filter(|c| c.shape.iter().all(|&n| n > 0)) {
        let Some((shape, elements)) = &case.want else { continue };
        for dtype in SIZES {
            let want = Array::from_vec(elements.clone(), shape)?.astype(dtype)?;
            for (layout, x) in layouts(&case.positions()?.astype(dtype)?)? {
                assert_same_bits(&x.get_items(&case.index)?, &want, &format!("{} {dtype} {layout}", case.line));
            }
        }
    }
    Ok(())
}

#[test]
fn values_go_where_elements_came_from() -> Result {
    for case in cases().iter().filter(|c| c.shape.iter().all(|&n| n > 0)) {
        let Some((shape, elements)) = &case.want else {
            let mut x = case.positions()?;
            assert!(x.set_items(&case.index, -1).is_err(), "{}", case.line);
            assert_eq!(x.to_vec::<i64>()?, case.positions()?.to_vec::<i64>()?, "{}: nothing is written", case.line);
            continue;
        };
        let values = Array::arange(0, elements.len() as i64, 1)?.add(200)?;
        let values = values.reshape(&shape.iter().map(|&n| n as isize).collect::<Vec<_>>())?;
        let written = |values: &Array| -> Result<Array> {
            let mut all = case.positions()?.to_vec::<i64>()?;
            for (&at, value) in elements.iter().zip(values.broadcast_to(shape)?.to_vec::<i64>()?) {
                all[at as usize] = value;
            }
            Array::from_vec(all, case.positions()?.shape())
        };
        let row = values.index(&[Index::Ellipsis, (..1).into()]).unwrap_or(values.clone());
        for values in [values.clone(), row, Array::scalar(7)?, values.t().copy()?.t(), values.expand_dims(0)?] {
            let want = if values.rank() > shape.len() { written(&values.squeeze(&[0])?)? } else { written(&values)? };
            for dtype in [DType::I16, DType::I64, DType::C128] {
                for (layout, mut x) in layouts(&case.positions()?.astype(dtype)?)? {
                    x.set_items(&case.index, &values.astype(if dtype == DType::I16 { dtype } else { DType::I64 })?)?;
                    assert_same_bits(&x, &want.astype(dtype)?, &format!("{} {dtype} {layout}", case.line));
                }
            }
        }
        let mut x = case.positions()?;
        x.set_items(&case.index, 7)?;
        assert_same_bits(&x, &written(&Array::scalar(7)?)?, case.line);
    }
    Ok(())
}

#[test]
fn indices_of_every_type_and_layout() -> Result {
    let x = Array::arange(100, 140, 1)?;
    let indices = Array::from_vec(vec![3i64, 0, 39, 7, 7, 21], &[2, 3])?;
    let want = indices.add(100)?;
    for dtype in DType::ALL.iter().filter(|d| d.is_integer()) {
        for (layout, indices) in layouts(&indices.astype(*dtype)?)? {
            let got = x.get_items(&[IndexItem::Ints(indices.clone())])?;
            assert_same_bits(&got, &want, &format!("{dtype} {layout}"));
            assert_same_bits(&x.take(&indices, 0)?, &want, &format!("take {dtype} {layout}"));
        }
    }
    for dtype in [DType::F64, DType::Bool] {
        let indices = indices.astype(dtype)?;
        assert!(matches!(x.take(&indices, 0), Err(OpsError::DType { op: "take", .. })));
        assert!(matches!(x.get_items(&[IndexItem::Ints(indices)]), Err(OpsError::DType { op: "index", .. })));
    }
    assert!(IndexItem::from_array(indices.astype(DType::F32)?).is_err());
    Ok(())
}

#[test]
fn an_index_outside_is_named() -> Result {
    let x = Array::arange(0, 6, 1)?.reshape(&[2, 3])?;
    let outside = |items: &[IndexItem]| match x.get_items(items).map(|a| a.shape().to_vec()) {
        Err(OpsError::Array { source: ArrayError::IndexOutOfRange { index, axis, len }, .. }) => (index, axis, len),
        other => panic!("{other:?}"),
    };
    let ints = |v: &[i64]| Array::from_slice(v).map(IndexItem::Ints);
    assert_eq!(outside(&[(..).into(), ints(&[0, 3, 9])?]), (3, 1, 3));
    assert_eq!(outside(&[ints(&[0, -3])?, ints(&[5])?]), (-3, 0, 2));
    assert_eq!(outside(&[ints(&[0, 1])?, (-4isize).into()]), (-4, 1, 3));
    let huge = Array::from_slice(&[1u64 << 63, 0])?;
    assert_eq!(outside(&[IndexItem::Ints(huge.clone())]), (isize::MAX, 0, 2));
    assert_eq!(outside(&[IndexItem::Ints(huge.index(&[Index::At(0)])?)]), (isize::MAX, 0, 2));
    let mask = IndexItem::Bools(Array::zeros(&[2, 2], DType::Bool)?);
    let message = x.get_items(&[mask]).map(|_| ()).unwrap_err().to_string();
    assert_eq!(message, "index: a boolean index of length 2 does not fit axis 1 of length 3");
    let message = x.get_items(&[ints(&[0, 1])?, ints(&[0, 1, 2])?]).map(|_| ()).unwrap_err().to_string();
    assert_eq!(message, "index: index arrays of shapes (2,) and (3,) do not broadcast");
    Ok(())
}

#[test]
fn an_index_without_arrays_is_a_view() -> Result {
    let x = Array::arange(0, 6, 1)?.reshape(&[2, 3])?;
    let one = IndexItem::Ints(Array::scalar(-1)?);
    let view = x.get_items(&[one, (1..).into()])?;
    assert_eq!(view.data().buffer().as_ptr(), x.data().buffer().as_ptr());
    assert_eq!(view.to_vec::<i64>()?, [4, 5]);
    Ok(())
}

#[test]
fn writes_stay_private_and_overlaps_are_safe() -> Result {
    let mut x = Array::arange(0, 6, 1)?;
    let (before, reversed) = (x.clone(), x.flip(..)?);
    x.set_items(&[IndexItem::Ints(x.clone())], &reversed)?;
    assert_eq!(x.to_vec::<i64>()?, [5, 4, 3, 2, 1, 0]);
    assert_eq!(before.to_vec::<i64>()?, [0, 1, 2, 3, 4, 5]);
    drop((before, reversed));
    let at = x.data().as_ptr();
    x.set_items(&[IndexItem::Bools(x.greater(3)?)], 9)?;
    x.set_items(&[IndexItem::Ints(Array::from_slice(&[1i8, 1])?)], &Array::from_slice(&[6i64, 7])?)?;
    assert_eq!((x.to_vec::<i64>()?, x.data().as_ptr()), (vec![9, 7, 3, 2, 1, 0], at));
    assert!(matches!(x.set_items(&[IndexItem::Bools(x.equal(0)?)], 0.5), Err(OpsError::Output { .. })));
    assert!(x.set_items(&[IndexItem::Bools(x.less(3)?)], &Array::from_slice(&[1i64, 2])?).is_err());
    Ok(())
}

#[test]
fn large_masks_and_takes_are_the_same_on_all_threads() -> Result {
    let mut random = Random(3);
    let n = 300_000;
    let x = Array::from_vec((0..n).map(|_| random.bits() as i64).collect(), &[n / 3, 3])?;
    for odds in [2, 5, 1000, n] {
        let mask: Vec<bool> = (0..n).map(|_| random.below(odds) == 0).collect();
        let mask = Array::from_vec(mask, &[n / 3, 3])?;
        let indices: Vec<i32> = (0..n / 3).map(|_| random.below(n / 3) as i32).collect();
        let indices = IndexItem::Ints(Array::from_slice(&indices)?);
        let chosen: Vec<i64> =
            x.to_vec::<i64>()?.iter().zip(mask.to_vec::<bool>()?).filter_map(|(&v, m)| m.then_some(v)).collect();
        let run = || -> Result<Vec<Array>> {
            let (mut filled, mut put, mut rows) = (x.clone(), x.clone(), x.clone());
            let picked = x.get_items(&[IndexItem::Bools(mask.clone())])?;
            assert_eq!(picked.to_vec::<i64>()?, chosen);
            filled.set_items(&[IndexItem::Bools(mask.clone())], 5)?;
            put.set_items(&[IndexItem::Bools(mask.clone())], &picked.flip(..)?)?;
            rows.set_items(std::slice::from_ref(&indices), &x)?;
            let places = nonzero(&mask)?;
            Ok([vec![picked, filled, put, rows, x.get_items(std::slice::from_ref(&indices))?], places].concat())
        };
        let want = run()?;
        for threads in THREADS {
            let got = Runtime::new(threads).unwrap().install(|_: &Lane| run())?;
            for (i, (got, want)) in got.iter().zip(&want).enumerate() {
                assert_same_bits(got, want, &format!("result {i}, 1 in {odds}, {threads} threads"));
            }
        }
    }
    Ok(())
}

#[test]
fn places_that_are_not_zero() -> Result {
    let x = Array::from_vec(vec![0.0, f64::NAN, -0.0, 2.0], &[2, 2])?.t();
    let places = nonzero(&x)?;
    assert_eq!((places[0].to_vec::<i64>()?, places[1].to_vec::<i64>()?), (vec![1, 1], vec![0, 1]));
    assert_eq!(nonzero(&Array::zeros(&[3, 0], DType::I8)?)?[1].shape(), [0]);
    assert!(nonzero(&Array::scalar(1)?).is_err());
    Ok(())
}

#[test]
fn taking_along_an_axis() -> Result {
    let x = Array::arange(0, 24, 1)?.reshape(&[2, 3, 4])?;
    let mut random = Random(5);
    for axis in -3..3isize {
        let along = axis.rem_euclid(3) as usize;
        for n in [1usize, 2, 700] {
            let mut shape = [2usize, 3, 4];
            shape[along] = n;
            let len = [2, 3, 4][along];
            let values = (0..shape.iter().product()).map(|_| random.below(2 * len) as i64 - len as i64).collect();
            let indices = Array::from_vec(values, &shape)?;
            for (layout, x) in layouts(&x)? {
                let got = x.take_along_axis(&indices, axis)?;
                assert_eq!(got.shape(), shape);
                for at in 0..got.len() {
                    let mut place = [at / (shape[1] * shape[2]), at / shape[2] % shape[1], at % shape[2]];
                    let want = got.get::<i64>(&place)?;
                    place[along] = indices.get::<i64>(&place)?.rem_euclid(len as i64) as usize;
                    assert_eq!(want, x.get::<i64>(&place)?, "{layout} axis {axis}");
                }
            }
        }
    }
    let wide = Array::from_vec(vec![1i64, 0], &[2, 1, 1])?.take_along_axis(&Array::zeros(&[1, 3, 5], DType::U8)?, 0)?;
    assert_eq!((wide.shape(), wide.to_vec::<i64>()?), (&[1, 3, 5][..], vec![1; 15]));
    let bad = |shape: &[usize], value: i64| x.take_along_axis(&Array::full(shape, value, DType::I64)?, 1);
    assert!(matches!(
        bad(&[2, 1, 4], 3),
        Err(OpsError::Array { source: ArrayError::IndexOutOfRange { index: 3, axis: 1, len: 3 }, .. })
    ));
    assert!(bad(&[2, 1], 0).is_err() && bad(&[3, 1, 4], 0).is_err());
    assert_eq!(bad(&[2, 0, 4], 9)?.shape(), [2, 0, 4]);
    Ok(())
}
