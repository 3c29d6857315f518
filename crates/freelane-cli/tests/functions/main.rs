//! What holds for every function of every namespace, seen from `freelane eval`: the same bits for any layout, number of
//! threads and instruction set, and derivatives that are what the rows say.
mod samples;

use freelane::{Array, Function, Gradient, Isa, Lane, Registry, Runtime};
use freelane_cli::expr::{Evaluator, parse};
use freelane_testing::{THREADS, bits, layouts, values};
use samples::{UNSPECIFIED, arrays, calls, flat};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

type Arrays = BTreeMap<String, Array>;

fn evaluate(lane: &Lane, registry: &Registry, call: &str, arrays: &Arrays) -> Result<Vec<Array>, String> {
    let tree = parse(call).map_err(|e| e.to_string())?;
    Evaluator::new(lane, registry, arrays, &()).value(&tree).map(flat).map_err(|e| e.to_string())
}

/// Runs a test for every call and fails with all that is wrong.
fn for_each_call(mut test: impl FnMut(&str, &str) -> Result<(), String>) {
    let wrong = |(name, call): (String, String)| test(&name, &call).err().map(|e| format!("{call}: {e}"));
    let wrong: Vec<String> = calls().into_iter().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn same(got: &[Array], want: &[Array]) -> Result<(), String> {
    let facts = |arrays: &[Array]| -> Vec<_> { arrays.iter().map(|a| (a.dtype(), a.shape().to_vec())).collect() };
    if facts(got) != facts(want) {
        return Err(format!("{:?} is not {:?}", facts(got), facts(want)));
    }
    match got.iter().zip(want).all(|(got, want)| bits(got).unwrap() == bits(want).unwrap()) {
        true => Ok(()),
        false => Err("other bits".to_owned()),
    }
}

fn library_chooses(name: &str) -> bool {
    name.starts_with("fft.") || name.starts_with("linalg.")
}

#[test]
fn every_function_has_a_call() {
    let called: BTreeSet<String> = calls().into_iter().map(|(name, _)| name).collect();
    let named =
        |(namespace, f): (&str, Function)| format!("{namespace}.{}", f.name()).trim_start_matches('.').to_owned();
    let missing: Vec<String> = freelane::functions().map(named).filter(|name| !called.contains(name)).collect();
    assert_eq!(missing, UNSPECIFIED, "give each a call in samples.rs");
}

#[test]
fn layouts_do_not_show_in_the_bits() {
    let (registry, arrays) = (freelane::registry(), arrays(12, 17).unwrap());
    let laid: Vec<_> = arrays.iter().map(|(name, array)| (name.clone(), layouts(array).unwrap())).collect();
    for_each_call(|_, call| {
        let want = Lane::with(|lane| evaluate(lane, &registry, call, &arrays))?;
        (0..laid[0].1.len()).try_for_each(|k| {
            let these: Arrays = laid.iter().map(|(name, all)| (name.clone(), all[k].1.clone())).collect();
            let got = Lane::with(|lane| evaluate(lane, &registry, call, &these))?;
            same(&got, &want).map_err(|e| format!("{}: {e}", laid[0].1[k].0))
        })
    });
}

#[test]
fn threads_do_not_show_in_the_bits() {
    let runtimes: Vec<Runtime> = THREADS.iter().filter_map(|&t| Runtime::new(t).ok()).collect();
    assert_eq!(runtimes.len(), THREADS.len());
    let (registry, arrays) = (freelane::registry(), arrays(240, 301).unwrap());
    for_each_call(|_, call| {
        let want = Lane::with(|lane| evaluate(lane, &registry, call, &arrays))?;
        runtimes.iter().try_for_each(|runtime| {
            let got = runtime.install(|lane| evaluate(lane, &registry, call, &arrays))?;
            same(&got, &want).map_err(|e| format!("{} threads: {e}", runtime.threads()))
        })
    });
}

/// A hash of the results of every call whose bits do not depend on the instruction set: FNV-1a.
#[test]
fn instruction_sets_do_not_show_in_the_bits() {
    const CHILD: &str = "FREELANE_TEST_PRINTS_HASHES";
    let this = "instruction_sets_do_not_show_in_the_bits";
    if std::env::var_os(CHILD).is_some() {
        return print_hashes();
    }
    let hashes = |isa: &Isa| {
        let mut child = Command::new(std::env::current_exe().unwrap());
        let child = child.args(["--exact", this, "--nocapture"]).env(CHILD, "1").env("FREELANE_ISA", isa.name());
        let output = child.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<String> = text.lines().filter_map(|l| l.strip_prefix("hash ")).map(str::to_owned).collect();
        assert!(lines.len() > 100, "{text}");
        lines
    };
    // Without fused multiply-add there is no such promise.
    let vector = Isa::available().iter().filter(|isa| **isa != Isa::Portable);
    let all: Vec<(&Isa, Vec<String>)> = vector.map(|isa| (isa, hashes(isa))).collect();
    let differ = |(isa, lines): &(&Isa, Vec<String>)| -> Vec<String> {
        let pairs = lines.iter().zip(&all[0].1).filter(|(got, want)| got != want);
        pairs.map(|(got, want)| format!("{got} on {}, {want} on {}", isa.name(), all[0].0.name())).collect()
    };
    let wrong: Vec<String> = all.iter().flat_map(differ).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn print_hashes() {
    let (registry, arrays) = (freelane::registry(), arrays(33, 41).unwrap());
    for_each_call(|name, call| {
        if !library_chooses(name) {
            let results = Lane::with(|lane| evaluate(lane, &registry, call, &arrays))?;
            let bytes = results.iter().flat_map(|array| bits(array).unwrap());
            let hash = bytes.fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
            println!("hash {hash:016x} {call}");
        }
        Ok(())
    });
}

/// How the results change along a direction in the arrays of one name: the greatest difference quotient, if results are
/// floating-point numbers of one shape on both sides.
fn slope(call: &str, arrays: &Arrays, name: &str) -> Result<f64, String> {
    let registry = freelane::registry();
    let x = &arrays[name];
    let (step, direction) = (1e-6, values(x.shape(), x.dtype(), (0.5, 1.0), 77).unwrap());
    let at = |h: f64| {
        let moved = x.add(&direction.multiply(h).unwrap()).unwrap();
        let moved = if name == "s" { moved.add(&moved.t()).unwrap().divide(2.0).unwrap() } else { moved };
        let mut arrays = arrays.clone();
        arrays.insert(name.to_owned(), moved);
        Lane::with(|lane| evaluate(lane, &registry, call, &arrays))
    };
    let change = |(a, b): (Array, Array)| -> f64 {
        if a.shape() != b.shape() || a.is_empty() {
            return 0.0;
        }
        let as_real = |z: Array| if z.dtype().is_real() { z.astype(freelane::DType::F64) } else { z.abs() };
        let difference = as_real(a).unwrap().subtract(&as_real(b).unwrap()).unwrap().abs().unwrap();
        // Outside its domain a function says nothing.
        let moved = difference.isfinite().unwrap().where_(&difference, 0.0).unwrap();
        moved.max(.., false).unwrap().item::<f64>().unwrap() / (2.0 * step)
    };
    Ok(at(step)?.into_iter().zip(at(-step)?).map(change).fold(0.0, f64::max))
}

/// The rows' word against numbers: a function is differentiable if results move with an operand, and its derivative is
/// zero if none do.
#[test]
fn derivatives_are_what_the_rows_say() {
    let arrays = arrays(6, 7).unwrap();
    let real: Vec<&String> = arrays.iter().filter(|(_, a)| a.dtype().is_inexact()).map(|(name, _)| name).collect();
    let mut moves: BTreeMap<String, bool> = BTreeMap::new();
    for_each_call(|name, call| {
        let used = |array: &str| {
            let inside = &call[call.find('(').map_or(0, |i| i + 1)..];
            inside.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == array)
        };
        for array in real.iter().filter(|array| used(array)) {
            *moves.entry(name.to_owned()).or_default() |= slope(call, &arrays, array)? > 1e-3;
        }
        Ok(())
    });
    let mut wrong = vec![];
    for (namespace, f) in freelane::functions() {
        let name = format!("{namespace}.{}", f.name()).trim_start_matches('.').to_owned();
        let Some(&moving) = moves.get(&name) else { continue };
        if moving != (f.gradient() == Gradient::Differentiable) {
            wrong.push(format!(
                "{name}: the row says {}, results {}",
                f.gradient(),
                if moving { "move" } else { "stay" }
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
