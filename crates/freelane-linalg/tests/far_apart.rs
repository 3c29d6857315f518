//! Values of matrices whose rows differ in scale.
use freelane_linalg::eigvalsh;
use freelane_ops::Array;

#[test]
fn small_eigenvalues_beside_a_huge_one() {
    let rows = vec![1e200, 0.0, 0.0, 0.0, 3.0, 4.0, 0.0, 4.0, -3.0];
    let values = eigvalsh(&Array::from_vec(rows, &[3, 3]).unwrap()).unwrap().to_vec::<f64>().unwrap();
    for (found, expected) in values.iter().zip([-5.0, 5.0, 1e200]) {
        assert!((found / expected - 1.0).abs() < 1e-14, "{values:?}");
    }
}
