//! Functions of the program's own: an elementwise function, a reduction, and both by name beside the built-in ones.
//!
//! ```text
//! cargo run --release -p freelane --example own_functions
//! ```
use freelane::{Array, Lane, OpsError, Runtime, UserFunc, UserReduction, Value};

/// A soft threshold: what is nearer to zero than `limit` becomes zero, the rest moves that much nearer.
fn shrink() -> Result<UserFunc, OpsError> {
    UserFunc::builder("shrink", &["x", "limit"])
        .doc("The element moved towards zero by a limit, but not beyond it.")
        .map(|x: f64, limit: f64| x.signum() * (x.abs() - limit).max(0.0))
        .map(|x: f32, limit: f32| x.signum() * (x.abs() - limit).max(0.0))
        .register()
}

/// Sum and sum of squares in one pass: the accumulator is any type that can be copied.
fn norm_over_mean() -> Result<UserReduction, OpsError> {
    UserReduction::builder("norm_over_mean")
        .doc("The root mean square divided by the mean.")
        .fold(
            (0.0, 0.0),
            |x: f64| (x, x * x),
            |a: (f64, f64), b: (f64, f64)| (a.0 + b.0, a.1 + b.1),
            |(sum, squares): (f64, f64), n| (squares / n as f64).sqrt() / (sum / n as f64),
        )
        .register()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (shrink, spread) = (shrink()?, norm_over_mean()?);
    let x = Array::arange(-3, 5, 1)?.reshape(&[2, 4])?;
    let limits = Array::from_vec(vec![0.5, 1.5], &[2, 1])?;
    let y = shrink.apply(&[(&x).into(), (&limits).into()])?;
    println!("shrink(x, limits) =\n{y}");

    // A Runtime splits large calls; the bits are the same.
    let large = Array::arange(1, 1_000_001, 1)?;
    let runtime = Runtime::new(2)?;
    let (alone, split) = (spread.apply(&large, .., false)?, runtime.install(|_| spread.apply(&large, .., false))?);
    assert_eq!(alone.item::<f64>()?.to_bits(), split.item::<f64>()?.to_bits());
    println!("norm_over_mean(1..=1000000) = {alone}");

    // By name, as `freelane eval` finds them: a registry is a value, and nothing is global.
    let mut registry = freelane::registry();
    registry.add(shrink)?;
    registry.add(spread)?;
    let function = registry.get("", "norm_over_mean").ok_or("not registered")?;
    println!("{}", function.signature());
    let rows = Lane::with(|lane| function.call(lane, &[Value::Array(y)], &[("axis", Value::Scalar(1.into()))]))?;
    println!("{}", rows.one().ok_or("one array")?);
    Ok(())
}
