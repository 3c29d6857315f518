//! To and from the `ndarray` crate.
use freelane_array::with_dtype;
use freelane_ops::{Array, ArrayError, DType, Index, OpsError, Slice};
use ndarray::{Array2, Array3, ArrayD, s};

fn grid() -> Array {
    Array::arange(0, 24, 1).unwrap().reshape(&[2, 3, 4]).unwrap()
}

#[test]
fn views_share_memory_whatever_the_strides() {
    let x = grid();
    let step = |step| Index::Range(Slice { start: None, stop: None, step });
    for y in [
        x.clone(),
        x.t(),
        x.flip(..).unwrap(),
        x.flip(1).unwrap().t(),
        x.index(&[step(-1), step(2), step(-3)]).unwrap(),
        x.index(&[Index::At(1), step(-2)]).unwrap(),
        x.index(&[Index::At(1), Index::At(0), Index::At(2)]).unwrap(),
        x.expand_dims(0).unwrap().broadcast_to(&[5, 2, 3, 4]).unwrap(),
        x.index(&[Index::Range(Slice { start: Some(2), stop: None, step: -3 })]).unwrap(),
        x.index(&[Index::Range(Slice { start: Some(2), stop: None, step: 1 })]).unwrap().flip(..).unwrap(),
    ] {
        let view = y.as_ndarray::<i64>().unwrap();
        assert_eq!(view.shape(), y.shape());
        assert_eq!(view.iter().copied().collect::<Vec<_>>(), y.to_vec::<i64>().unwrap());
        if !y.is_empty() {
            assert_eq!(view.as_ptr().cast(), y.data().as_ptr());
        }
        let back = Array::try_from(ArrayD::<i64>::try_from(&y).unwrap()).unwrap();
        assert_eq!((back.shape(), back.to_vec::<i64>().unwrap()), (y.shape(), y.to_vec::<i64>().unwrap()));
    }
}

#[test]
fn owned_arrays_keep_their_memory() {
    let base = || Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (i * 12 + j * 4 + k) as f32);
    let sliced = |mut a: Array3<f32>| {
        a.slice_collapse(s![.., 1..;-1, ..;2]);
        a
    };
    for a in [base(), base().reversed_axes(), sliced(base()), sliced(base()).reversed_axes(), Array3::zeros((0, 2, 3))]
    {
        let want: Vec<f32> = a.iter().copied().collect();
        let (at, shape) = (a.as_ptr().cast(), a.shape().to_vec());
        let x = Array::try_from(a).unwrap();
        assert_eq!((x.shape(), x.to_vec::<f32>().unwrap()), (&shape[..], want));
        assert!(x.is_empty() || x.data().as_ptr() == at);
    }
}

#[test]
fn every_dtype() {
    for &dtype in DType::ALL {
        let x = grid().astype(dtype).unwrap();
        with_dtype!(dtype, T => {
            let there = ArrayD::<T>::try_from(&x).unwrap();
            let back = Array::try_from(there).unwrap();
            assert_eq!((back.dtype(), back.to_vec::<T>().unwrap()), (dtype, x.to_vec::<T>().unwrap()));
            let view = x.as_ndarray::<T>().unwrap();
            assert_eq!(view.as_ptr().cast(), x.data().as_ptr());
            let copy = Array::try_from(&view.slice(s![.., ..;-1, 1..])).unwrap();
            let want = x.index(&[Index::Ellipsis, Slice { start: None, stop: None, step: -1 }.into(), Slice { start: Some(1), stop: None, step: 1 }.into()]);
            assert_eq!((copy.dtype(), copy.to_vec::<T>().unwrap()), (dtype, want.unwrap().to_vec::<T>().unwrap()));
        });
    }
    assert!(grid().as_ndarray::<f64>().is_err());
}

#[test]
fn borrowed_arrays_and_views_are_copied() {
    let a = Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (i * 12 + j * 4 + k) as i16);
    let shared = a.to_shared();
    let views = [a.view(), a.slice(s![.., 1..;-1, ..;2]), a.view().reversed_axes(), a.slice(s![.., 3.., ..])];
    let broadcast = a.broadcast((5, 2, 3, 4)).unwrap();
    let check = |x: Array, shape: &[usize], want: Vec<i16>| {
        assert_eq!((x.shape(), x.to_vec::<i16>().unwrap()), (shape, want));
    };
    for view in views {
        check(Array::try_from(&view).unwrap(), view.shape(), view.iter().copied().collect());
    }
    check(Array::try_from(&shared).unwrap(), a.shape(), a.iter().copied().collect());
    check(Array::try_from(&broadcast).unwrap(), broadcast.shape(), broadcast.iter().copied().collect());
    let x = Array::try_from(&a).unwrap();
    assert_ne!(x.data().as_ptr(), a.as_ptr().cast());
}

#[test]
fn absurd_empty_shapes_are_errors() {
    let x = Array::zeros(&[1 << 40, 0, 1 << 40], DType::F64).unwrap();
    assert!(matches!(x.as_ndarray::<f64>(), Err(OpsError::Array { source: ArrayError::ShapeOverflow { .. }, .. })));
    assert!(Array::try_from(Array2::<f64>::zeros((0, 5))).unwrap().is_empty());
}
