//! Products with packed weights have the bits of a product, an addition and a maximum one after another.
use freelane_nn::dense::Dense;
use freelane_ops::{Array, DType};
use freelane_pool::{Lane, Runtime};

fn values(n: usize, seed: u64) -> Vec<f32> {
    let step = |i: u64| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
    (0..n as u64).map(|i| step(i + 1 + seed * 1_000_003)).collect()
}

fn array(shape: &[usize], seed: u64) -> Array {
    Array::from_vec(values(shape.iter().product(), seed), shape).unwrap()
}

fn bits(x: &Array) -> Vec<u32> {
    x.to_vec::<f32>().unwrap().iter().map(|v| v.to_bits()).collect()
}

#[test]
fn the_bits_are_those_of_the_operations() {
    for (m, k, n) in [(1, 64, 128), (1, 128, 10), (3, 1, 1), (2, 700, 1), (5, 300, 33), (40, 17, 96), (1, 8, 16)] {
        let (x, w, b) = (array(&[m, k], 1), array(&[k, n], 2), array(&[n], 3));
        let sum = &x.matmul(&w).unwrap() + &b;
        let expected = sum.maximum(0.0).unwrap();
        let dense = Dense::new(w.data(), Some(b.data())).unwrap().unwrap();
        let run = |d: &Dense, x: &Array| Array::from(Lane::with(|lane| d.run(lane, x.data())).unwrap());
        assert_eq!(bits(&run(&dense, &x)), bits(&sum), "{m} {k} {n}");
        let dense = dense.with_relu();
        assert_eq!(bits(&run(&dense, &x)), bits(&expected), "{m} {k} {n}");
        // Weights with other strides, a row alone, several threads.
        let turned = w.matrix_transpose().unwrap().contiguous().unwrap().matrix_transpose().unwrap();
        let same = Dense::new(turned.data(), Some(b.data())).unwrap().unwrap().with_relu();
        assert_eq!(bits(&run(&same, &x)), bits(&expected));
        let row = x.index(&[freelane_ops::Slice { start: Some(0), stop: Some(1), step: 1 }.into()]).unwrap();
        assert_eq!(bits(&run(&dense, &row)), bits(&expected)[..n]);
        let two = Runtime::new(2).unwrap();
        assert_eq!(bits(&two.install(|_| run(&dense, &x))), bits(&expected));
    }
    let plain = Dense::new(array(&[4, 2], 1).data(), None).unwrap().unwrap();
    let biased = plain.with_bias(array(&[2], 5).data()).unwrap().unwrap();
    assert!(biased.with_bias(array(&[2], 5).data()).unwrap().is_none());
    let x = array(&[2, 3, 4], 7);
    let y = Array::from(Lane::with(|lane| biased.run(lane, x.data())).unwrap());
    assert_eq!(y.shape(), [2, 3, 2]);
}

#[test]
fn what_does_not_fit_is_told() {
    let w = array(&[4, 2], 1);
    assert!(Dense::new(w.astype(DType::F64).unwrap().data(), None).unwrap().is_none());
    assert!(Dense::new(w.data(), Some(array(&[3], 1).data())).unwrap().is_none());
    assert!(Dense::new(array(&[2, 4, 2], 1).data(), None).unwrap().is_none());
    let dense = Dense::new(w.data(), None).unwrap().unwrap();
    let wrong = Lane::with(|lane| dense.run(lane, array(&[2, 3], 1).data())).err().unwrap().to_string();
    assert_eq!(wrong, "MatMul: takes float32 rows of 4, not float32 of shape [2, 3]");
    let none = Array::from(Lane::with(|lane| dense.run(lane, array(&[0, 4], 1).data())).unwrap());
    assert_eq!(none.shape(), [0, 2]);
}
