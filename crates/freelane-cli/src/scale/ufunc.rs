//! Functions over arrays that each thread owns, and the same behind what an array library might share.
use super::group::{Group, Side, Workload};
use anyhow::Result;
use freelane::{Array, DType, Lane, Operand, UFunc, ufuncs};
use freelane_sync::Mutex;
use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Arc;

const SMALL: usize = 100;
const MIDDLE: usize = 10_000;
const LARGE: usize = 1_000_000;

/// The groups of this workload.
pub fn groups() -> Vec<Group> {
    let group = |n, sides| Group { workload: Workload::Ufunc, n, sides };
    vec![
        group(SMALL, dispatch(SMALL)),
        group(MIDDLE, vec![sine(MIDDLE)]),
        group(LARGE, vec![sine(LARGE)]),
        group(SMALL, vec![sweep(SMALL)]),
        group(MIDDLE, vec![sweep(MIDDLE)]),
        group(LARGE, vec![sweep(LARGE), Side::limit("sin(x), cos(x), sums, plain loops", plain_sweep(LARGE))]),
        group(LARGE, add(LARGE)),
        group(LARGE, sum(LARGE)),
    ]
}

fn ramp(n: usize) -> Result<Array> {
    Ok(Array::linspace(0.0, 100.0, n)?)
}

fn into(f: &UFunc, args: &[Operand<'_>], out: &mut Array) -> Result<()> {
    Ok(Lane::with(|lane| f.call_into(lane, args, out.data_mut()))?)
}

/// sin(x) into an array that is there.
fn sine(n: usize) -> Side {
    Side::alone("sin(x, out)", move || {
        let (x, mut out) = (ramp(n)?, ramp(n)?);
        Ok(move || into(&ufuncs::SIN, &[(&x).into()], &mut out))
    })
}

/// sin(x), cos(x) and their sums, in fresh arrays.
fn sweep(n: usize) -> Side {
    Side::alone("sin(x), cos(x), sums", move || {
        let x = ramp(n)?;
        Ok(move || {
            black_box((x.sin()?.sum(.., false)?, x.cos()?.sum(.., false)?));
            Ok(())
        })
    })
}

/// The way from a call to its loop: an index into a frozen table, or what others put there.
fn dispatch(n: usize) -> Vec<Side> {
    type Cache = Mutex<HashMap<(&'static str, DType), &'static UFunc>>;
    // LEDGER: a measurement's contended twin; sharing it is the point
    let cache = |_| -> Cache { Mutex::new(HashMap::from([(("sin", DType::F64), &ufuncs::SIN)])) };
    let cached = move |cache: Arc<Cache>, _| {
        let (x, mut out) = (ramp(n)?, ramp(n)?);
        Ok(move || {
            let f = cache.lock().get(&("sin", x.dtype())).copied().unwrap_or(&ufuncs::SIN);
            into(f, &[(&x).into()], &mut out)
        })
    };
    let counted = move |handler: Arc<&'static UFunc>, _| {
        let (x, mut out) = (ramp(n)?, ramp(n)?);
        Ok(move || {
            let held = Arc::clone(&handler);
            into(&held, &[(&x).into()], &mut out)
        })
    };
    vec![
        sine(n),
        Side::sharing("sin(x, out), contended dispatch cache", cache, cached),
        Side::sharing("sin(x, out), contended reference count", |_| &ufuncs::SIN, counted),
    ]
}

fn add(n: usize) -> Vec<Side> {
    let ours = move || {
        let (x, y, mut out) = (ramp(n)?, ramp(n)?, ramp(n)?);
        Ok(move || into(&ufuncs::ADD, &[(&x).into(), (&y).into()], &mut out))
    };
    let plain = move || {
        // The same memory as the other side's: huge pages, where the system gives them.
        let (x, y, mut out) = (ramp(n)?, ramp(n)?, ramp(n)?);
        Ok(move || {
            let (x, y) = black_box((elements(&x)?, elements(&y)?));
            let mut out = out.view_mut::<f64>()?;
            let out = out.as_mut_slice().unwrap_or_default();
            for ((o, a), b) in out.iter_mut().zip(x).zip(y) {
                *o = a + b;
            }
            black_box(out);
            Ok(())
        })
    };
    vec![Side::alone("add(x, y, out)", ours), Side::limit("add(x, y, out), plain loop", plain)]
}

/// Loops that move the same memory as `sweep`: two passes that write an array each, and a sum of each.
fn plain_sweep(n: usize) -> impl Fn() -> Result<PlainSweep> + Send + Sync + 'static {
    move || {
        let (x, mut outs) = (ramp(n)?, [ramp(n)?, ramp(n)?]);
        Ok(Box::new(move || {
            for out in &mut outs {
                let x = black_box(elements(&x)?);
                let mut out = out.view_mut::<f64>()?;
                let out = out.as_mut_slice().unwrap_or_default();
                out.iter_mut().zip(x).for_each(|(o, x)| *o = 1.5 * x + 2.0);
                black_box(total(black_box(out)));
            }
            Ok(())
        }) as PlainSweep)
    }
}

type PlainSweep = Box<dyn FnMut() -> Result<()>>;

/// A sum by a plain loop.
fn total(x: &[f64]) -> [f64; 32] {
    let mut sums = [0.0; 32];
    for part in x.chunks_exact(32) {
        sums.iter_mut().zip(part).for_each(|(s, v)| *s += v);
    }
    sums
}

/// The elements of an array that was made here, so they are contiguous doubles.
fn elements(x: &Array) -> Result<&[f64]> {
    Ok(x.view::<f64>()?.as_slice().unwrap_or_default())
}

fn sum(n: usize) -> Vec<Side> {
    let ours = move || {
        let x = ramp(n)?;
        Ok(move || {
            black_box(x.sum(.., false)?);
            Ok(())
        })
    };
    let plain = move || {
        let x = ramp(n)?;
        Ok(move || {
            black_box(total(black_box(elements(&x)?)));
            Ok(())
        })
    };
    vec![Side::alone("sum(x)", ours), Side::limit("sum(x), plain loop", plain)]
}
