//! The value at a position depends on nothing else, and what cannot be is an error.
use freelane_array::DType;
use freelane_ops::{Array, OpsError};
use freelane_pool::Runtime;
use freelane_random::{
    Generator, Source, binomial, bits, choice, exponential, integers, normal, permutation, poisson, random, uniform,
    weighted_choice,
};

type Draw = fn(Source, usize) -> Result<Array, OpsError>;

const DRAWS: [(&str, Draw); 11] = [
    ("poisson", |at, n| poisson(at, 3.5, &[n])),
    ("binomial", |at, n| binomial(at, 100, 0.3, &[n])),
    ("bits", |at, n| bits(at, &[n], DType::U32)),
    ("random", |at, n| random(at, &[n], DType::F64)),
    ("random32", |at, n| random(at, &[n], DType::F32)),
    ("uniform", |at, n| uniform(at, -1.0, 1.0, &[n], DType::F64)),
    ("normal", |at, n| normal(at, 1.0, 2.0, &[n], DType::F64)),
    ("exponential", |at, n| exponential(at, 1.0, &[n], DType::F64)),
    ("integers", |at, n| integers(at, -3, 1 << 62, &[n], DType::I64)),
    ("dice", |at, n| integers(at, 1, 7, &[n], DType::U8)),
    ("weighted", |at, n| weighted_choice(at, &[1.0, 2.0, 3.0], &[n], true)),
];

fn list(x: Result<Array, OpsError>) -> Vec<f64> {
    text(x).into_iter().map(f64::from_bits).collect()
}

fn text(x: Result<Array, OpsError>) -> Vec<u64> {
    let x = x.unwrap().contiguous().unwrap();
    x.astype(DType::F64).unwrap().to_vec::<f64>().unwrap().into_iter().map(f64::to_bits).collect()
}

#[test]
fn threads_and_parts_do_not_matter() {
    let at = Source { seed: 1, stream: 2, position: 12_345 };
    for (name, draw) in DRAWS {
        let n = 300_001;
        let want = text(draw(at, n));
        for threads in [1, 2, 3, 5, 16] {
            let runtime = Runtime::new(threads).unwrap();
            assert!(runtime.install(|_| text(draw(at, n))) == want, "{name} on {threads} threads");
        }
        for part in [1, 2, 7, 32, 33, 1000] {
            let mut start = 0;
            while start < 5000 {
                let from = Source { position: at.position + start as u64, ..at };
                assert_eq!(text(draw(from, part)), want[start..start + part], "{name}: {part} from {start}");
                start += part * 7 + 1;
            }
        }
    }
    let order = |threads| Runtime::new(threads).unwrap().install(|_| text(permutation(at, 50_000)));
    assert_eq!(order(1), order(3));
}

#[test]
fn known_values() {
    // Words are those of Random123's Philox4x32-10, as are the uniform values made of their upper 53 bits.
    let words = bits(Source::new(0), &[2], DType::U64).unwrap().to_vec::<u64>().unwrap();
    assert_eq!(words, [0xe169_c58d_6627_e8d5, 0x9b00_dbd8_bc57_ac4c]);
    let uniform = random(Source::new(0), &[2], DType::F64).unwrap().to_vec::<f64>().unwrap();
    assert_eq!(uniform, words.iter().map(|w| (w >> 11) as f64 / 2f64.powi(53)).collect::<Vec<_>>());
    let (u, v) = (1.0 - uniform[0], uniform[1]);
    let normal = normal(Source::new(0), 0.0, 1.0, &[2], DType::F64).unwrap().to_vec::<f64>().unwrap();
    let radius = (-2.0 * (1.0 - u + 2f64.powi(-53)).ln()).sqrt();
    let (sin, cos) = (std::f64::consts::TAU * v).sin_cos();
    assert!((normal[0] - radius * cos).abs() < 1e-14 && (normal[1] - radius * sin).abs() < 1e-14);
    let dice = integers(Source::new(0), 1, 7, &[2], DType::I64).unwrap().to_vec::<i64>().unwrap();
    assert_eq!(dice, words.iter().map(|w| 1 + ((u128::from(*w) * 6) >> 64) as i64).collect::<Vec<_>>());
}

#[test]
fn generators_move_on_by_what_they_drew() {
    let mut rng = Generator::new(5);
    let first = text(rng.random(&[3, 2]));
    assert_eq!((first.len(), rng.position()), (6, 6));
    let normal = text(rng.normal(0.0, 1.0, &[5]));
    assert_eq!(normal, text(Generator::new(5).at(6).normal(0.0, 1.0, &[5])));
    rng.permutation(10).unwrap();
    assert_eq!(rng.position(), 21);
    rng.choice(100, &[3], false).unwrap();
    assert_eq!(rng.position(), 121);
    rng.choice(100, &[3], true).unwrap();
    rng.weighted_choice(&[1.0; 7], &[2], false).unwrap();
    assert_eq!(rng.position(), 131);
    assert!(rng.uniform(0.0, f64::INFINITY, &[4]).is_err());
    assert_eq!(rng.position(), 131, "an error takes nothing");
    assert_eq!(rng.stream(4).source(), Source { seed: 5, stream: 4, position: 0 });
    assert_ne!(Generator::from_system().unwrap(), Generator::from_system().unwrap());
}

#[test]
fn what_cannot_be_is_an_error_and_says_why() {
    let at = Source::new(1);
    let cases: [(Result<Array, OpsError>, &str); 17] = [
        (poisson(at, -1.0, &[2]), "poisson: lam must be from 0 to 1e9, not -1"),
        (poisson(at, f64::NAN, &[2]), "poisson: lam must be from 0 to 1e9, not NaN"),
        (binomial(at, 5, 1.5, &[2]), "binomial: p must be from 0 to 1, not 1.5"),
        (random(at, &[2], DType::F16), "random: not defined for float16; it takes float32 and float64"),
        (
            uniform(at, 0.0, f64::INFINITY, &[2], DType::F64),
            "uniform: low, 0, or the distance to high, inf, is not finite in float64",
        ),
        (normal(at, 0.0, -1.0, &[2], DType::F64), "normal: scale must be 0 or more, not -1"),
        (exponential(at, f64::NAN, &[2], DType::F64), "exponential: scale must be 0 or more, not NaN"),
        (bits(at, &[2], DType::I64), "bits: not defined for int64; it takes uint8, uint16, uint32 and uint64"),
        (integers(at, 5, 5, &[2], DType::I64), "integers: there is no integer from 5 up to, not including, 5"),
        (integers(at, -1, 5, &[2], DType::U8), "integers: -1 is out of range for uint8"),
        (integers(at, 0, 257, &[2], DType::U8), "integers: 256 is out of range for uint8"),
        (integers(at, 0, 5, &[2], DType::F32), "integers: not defined for float32; it takes integers and booleans"),
        (choice(at, 0, &[2], true), "choice: there is nothing to choose from"),
        (choice(at, 3, &[4], false), "choice: 4 different ones of 3 do not exist; choose fewer, or with replace"),
        (weighted_choice(at, &[1.0, -1.0], &[1], true), "choice: a probability must be 0 or more, not -1"),
        (
            weighted_choice(at, &[1.0, 0.0], &[2], false),
            "choice: 2 different ones of 1 do not exist; choose fewer, or with replace",
        ),
        (
            weighted_choice(at, &[0.0], &[1], true),
            "choice: there is nothing to choose from that has a probability above 0",
        ),
    ];
    for (i, (got, want)) in cases.into_iter().enumerate() {
        assert_eq!(got.err().map(|e| e.to_string()).as_deref(), Some(want), "case {i}");
    }
    assert!(random(at, &[usize::MAX, 2], DType::F64).is_err());
    assert!(random(at, &[1 << 58], DType::F64).is_err());
    assert!(permutation(at, 1 << 58).is_err());
    assert!(random(Source { position: u64::MAX, ..at }, &[1], DType::F64).is_err());
    let last = Source { position: u64::MAX - 1, ..at };
    assert_eq!(text(random(last, &[1], DType::F64)).len(), 1);
    assert_eq!(text(integers(last, 0, (1 << 63) + 1, &[1], DType::U64)).len(), 1);
    assert_eq!(choice(at, 0, &[0], false).unwrap().len(), 0);
    assert_eq!(choice(at, 1 << 60, &[3], false).unwrap().len(), 3);
    assert_eq!(random(at, &[0, 5], DType::F32).unwrap().shape(), [0, 5]);
    assert_eq!(list(poisson(at, 0.0, &[3])), [0.0; 3]);
    assert_eq!(
        [list(binomial(at, 9, 0.0, &[1])), list(binomial(at, 9, 1.0, &[1])), list(binomial(at, 0, 0.5, &[1]))].concat(),
        [0.0, 9.0, 0.0]
    );
    assert!(binomial(at, 1 << 60, 0.5, &[1]).is_err());
    assert_eq!(random(at, &[], DType::F64).unwrap().shape(), [0; 0]);
}
