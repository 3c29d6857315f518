//! Tests: what the Array API standard and Annex F of the C standard say of special values, on every instruction set.
use super::*;
use crate::elementwise::{Map1, Map2, loop1, loop2};
use freelane_simd::Isa;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Both NaN, or the same infinity or zero with its sign; other numbers may be a unit in the last place apart.
fn agree(got: f64, want: f64, epsilon: f64) -> bool {
    if want.is_nan() || want.is_infinite() || want == 0.0 {
        return got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
    }
    (got - want).abs() <= want.abs() * epsilon
}

fn one<K: Map1<f64, Out = f64> + Map1<f32, Out = f32>>(name: &str, table: &[(f64, f64)]) {
    let x: Vec<f64> = table.iter().map(|t| t.0).collect();
    let y: Vec<f32> = x.iter().map(|&x| x as f32).collect();
    for &isa in Isa::available() {
        let (mut o, mut p) = (x.clone(), y.clone());
        // SAFETY: as many results as elements, and they lie apart.
        unsafe { loop1::<K, f64>(isa, x.len(), x.as_ptr().cast(), 8, o.as_mut_ptr().cast(), 8) };
        // SAFETY: as above.
        unsafe { loop1::<K, f32>(isa, y.len(), y.as_ptr().cast(), 4, p.as_mut_ptr().cast(), 4) };
        for (i, &(x, want)) in table.iter().enumerate() {
            assert!(agree(o[i], want, f64::EPSILON), "{isa} {name}({x}) = {}, not {want}", o[i]);
            assert!(agree(p[i] as f64, want, f32::EPSILON as f64), "{isa} {name}({x}f32) = {}, not {want}", p[i]);
        }
    }
}

fn two<K: Map2<f64, Out = f64> + Map2<f32, Out = f32>>(name: &str, table: &[(f64, f64, f64)]) {
    let (a, b): (Vec<f64>, Vec<f64>) = table.iter().map(|t| (t.0, t.1)).unzip();
    let (c, d): (Vec<f32>, Vec<f32>) = table.iter().map(|t| (t.0 as f32, t.1 as f32)).unzip();
    for &isa in Isa::available() {
        let (mut o, mut p) = (a.clone(), c.clone());
        // SAFETY: as many results as elements, and they lie apart.
        unsafe { loop2::<K, f64>(isa, a.len(), a.as_ptr().cast(), 8, b.as_ptr().cast(), 8, o.as_mut_ptr().cast(), 8) };
        // SAFETY: as above.
        unsafe { loop2::<K, f32>(isa, c.len(), c.as_ptr().cast(), 4, d.as_ptr().cast(), 4, p.as_mut_ptr().cast(), 4) };
        for (i, &(a, b, want)) in table.iter().enumerate() {
            assert!(agree(o[i], want, f64::EPSILON), "{isa} {name}({a}, {b}) = {}, not {want}", o[i]);
            assert!(agree(p[i] as f64, want, f32::EPSILON as f64), "{isa} {name}({a}f32, {b}) = {}, not {want}", p[i]);
        }
    }
}

#[test]
fn functions_of_one_number_at_their_limits() {
    one::<Exp>("exp", &[(NAN, NAN), (0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0)]);
    one::<Exp2>("exp2", &[(NAN, NAN), (0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (10.0, 1024.0)]);
    one::<Expm1>("expm1", &[(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1.0)]);
    let log = [(NAN, NAN), (-1.0, NAN), (-INF, NAN), (0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF)];
    one::<Log>("log", &log);
    one::<Log2>("log2", &log);
    one::<Log10>("log10", &log);
    one::<Log1p>("log1p", &[(NAN, NAN), (-2.0, NAN), (-1.0, -INF), (0.0, 0.0), (-0.0, -0.0), (INF, INF)]);
    let odd = [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0)];
    one::<Sin>("sin", &[&odd[..], &[(INF, NAN), (-INF, NAN)]].concat());
    one::<Tan>("tan", &[&odd[..], &[(INF, NAN), (-INF, NAN)]].concat());
    one::<Cos>("cos", &[(NAN, NAN), (0.0, 1.0), (-0.0, 1.0), (INF, NAN), (-INF, NAN)]);
    one::<Asin>("asin", &[&odd[..], &[(2.0, NAN), (-2.0, NAN), (1.0, FRAC_PI_2), (-1.0, -FRAC_PI_2)]].concat());
    one::<Acos>("acos", &[(NAN, NAN), (2.0, NAN), (-2.0, NAN), (1.0, 0.0), (-1.0, PI), (0.0, FRAC_PI_2)]);
    one::<Atan>("atan", &[&odd[..], &[(INF, FRAC_PI_2), (-INF, -FRAC_PI_2)]].concat());
    one::<Sinh>("sinh", &[&odd[..], &[(INF, INF), (-INF, -INF)]].concat());
    one::<Cosh>("cosh", &[(NAN, NAN), (0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF)]);
    one::<Tanh>("tanh", &[&odd[..], &[(INF, 1.0), (-INF, -1.0)]].concat());
    one::<Asinh>("asinh", &[&odd[..], &[(INF, INF), (-INF, -INF)]].concat());
    one::<Acosh>("acosh", &[(NAN, NAN), (0.5, NAN), (-INF, NAN), (1.0, 0.0), (INF, INF)]);
    one::<Atanh>("atanh", &[&odd[..], &[(2.0, NAN), (-2.0, NAN), (1.0, INF), (-1.0, -INF)]].concat());
    one::<Cbrt>("cbrt", &[&odd[..], &[(INF, INF), (-INF, -INF), (27.0, 3.0), (-8.0, -2.0)]].concat());
    one::<Erf>("erf", &[&odd[..], &[(INF, 1.0), (-INF, -1.0)]].concat());
}

#[test]
fn powers_at_their_limits() {
    let mut table = vec![(-1.0, INF, 1.0), (-1.0, -INF, 1.0), (-8.0, 0.5, NAN), (NAN, 2.0, NAN), (2.0, NAN, NAN)];
    for y in [0.0, -0.0, 1.0, -3.5, INF, -INF, NAN] {
        table.push((1.0, y, 1.0));
        table.extend([(y, 0.0, 1.0), (y, -0.0, 1.0)]);
    }
    for a in [2.0, -2.0, INF] {
        table.extend([(a, INF, INF), (a, -INF, 0.0)]);
    }
    for a in [0.5, -0.5, 0.0, -0.0] {
        table.extend([(a, INF, 0.0), (a, -INF, INF)]);
    }
    table.extend([(INF, 2.5, INF), (INF, -2.5, 0.0)]);
    table.extend([(-INF, 3.0, -INF), (-INF, 2.0, INF), (-INF, 2.5, INF)]);
    table.extend([(-INF, -3.0, -0.0), (-INF, -2.0, 0.0), (-INF, -2.5, 0.0)]);
    table.extend([(0.0, 3.0, 0.0), (0.0, 2.5, 0.0), (-0.0, 3.0, -0.0), (-0.0, 2.0, 0.0), (-0.0, 2.5, 0.0)]);
    table.extend([(0.0, -3.0, INF), (0.0, -2.5, INF), (-0.0, -3.0, -INF), (-0.0, -2.0, INF), (-0.0, -2.5, INF)]);
    two::<Pow>("pow", &table);
}

#[test]
fn angles_and_sums_at_their_limits() {
    let mut table = vec![(NAN, 1.0, NAN), (1.0, NAN, NAN), (INF, INF, FRAC_PI_4), (-INF, INF, -FRAC_PI_4)];
    table.extend([(INF, -INF, 3.0 * FRAC_PI_4), (-INF, -INF, -3.0 * FRAC_PI_4)]);
    for x in [0.0, 2.0, INF] {
        table.extend([(0.0, x, 0.0), (-0.0, x, -0.0), (0.0, -x, PI), (-0.0, -x, -PI)]);
    }
    for x in [0.0, -0.0] {
        table.extend([(3.0, x, FRAC_PI_2), (-3.0, x, -FRAC_PI_2)]);
    }
    for x in [3.0, -3.0] {
        table.extend([(INF, x, FRAC_PI_2), (-INF, x, -FRAC_PI_2)]);
    }
    table.extend([(3.0, INF, 0.0), (-3.0, INF, -0.0), (3.0, -INF, PI), (-3.0, -INF, -PI)]);
    two::<Atan2>("atan2", &table);
    let mut table = vec![(0.0, -0.0, 0.0), (NAN, 1.0, NAN), (1.0, NAN, NAN), (-0.0, 3.0, 3.0), (3.0, -4.0, 5.0)];
    for x in [INF, -INF, NAN, 1.0, 0.0] {
        table.extend([(INF, x, INF), (x, INF, INF), (-INF, x, INF), (x, -INF, INF)]);
    }
    two::<Hypot>("hypot", &table);
    let equal = [(-INF, -INF, -INF), (INF, INF, INF), (INF, -INF, INF), (-INF, 7.0, 7.0), (7.0, -INF, 7.0)];
    two::<LogAddExp>("logaddexp", &[&equal[..], &[(NAN, 1.0, NAN), (1.0, NAN, NAN), (INF, NAN, NAN)]].concat());
}
