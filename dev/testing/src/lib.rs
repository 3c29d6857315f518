//! Shared test inputs and comparisons.
//!
//! The same values in every layout an array can have ([`layouts`]), values that a function accepts ([`values`]), and
//! comparison of bits rather than of numbers ([`bits`]).
use freelane_ops::{Array, DType, Index, OpsError, Slice, stack};

/// Thread counts that bits must not depend on.
pub const THREADS: [usize; 5] = [1, 2, 3, 5, 16];

/// A small generator of reproducible numbers (splitmix64).
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `low..high`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }
}

/// An array of random values in `domain`, of any dtype.
pub fn values(shape: &[usize], dtype: DType, domain: (f64, f64), seed: u64) -> Result<Array, OpsError> {
    let mut random = Random(seed);
    let n = shape.iter().product();
    let low = if dtype.kind() == freelane_ops::Kind::Unsigned { domain.0.max(0.0) } else { domain.0 };
    let real: Vec<f64> = (0..n).map(|_| random.uniform(low, domain.1)).collect();
    let real = Array::from_vec(real, shape)?;
    match dtype.kind() {
        freelane_ops::Kind::Bool => real.greater((low + domain.1) / 2.0),
        freelane_ops::Kind::Complex => {
            let imaginary: Vec<f64> = (0..n).map(|_| random.uniform(low, domain.1)).collect();
            let i = num_complex::Complex::new(0.0, 1.0);
            real.add(&Array::from_vec(imaginary, shape)?.multiply(i)?)?.astype(dtype)
        }
        _ => real.astype(dtype),
    }
}

/// The same elements in layouts of every kind: contiguous, every other element, reversed, in Fortran order, off by one
/// element, off and strided.
pub fn layouts(x: &Array) -> Result<Vec<(&'static str, Array)>, OpsError> {
    let rank = x.rank();
    let all = vec![Index::from(Slice::all()); rank];
    let spread = stack(&[x, &x.zeros_like()?], -1)?.index(&[&all[..], &[Index::At(0)]].concat())?;
    let reversed = x.flip(..)?.copy()?.flip(..)?;
    let fortran = x.t().copy()?.t();
    let flat = x.reshape(&[-1])?;
    let padded = freelane_ops::concat(&[&Array::zeros(&[1], x.dtype())?, &flat], 0)?;
    let shape: Vec<isize> = x.shape().iter().map(|&d| d as isize).collect();
    let shifted = padded.index(&[Slice { start: Some(1), stop: None, step: 1 }.into()])?.reshape(&shape)?;
    Ok(vec![
        ("contiguous", x.copy()?),
        ("every other element", spread.clone()),
        ("reversed", reversed),
        ("Fortran order", fortran),
        ("off by one element", shifted),
    ])
}

/// The bytes of the elements in row-major order.
pub fn bits(x: &Array) -> Result<Vec<u8>, OpsError> {
    fn bytes<T: freelane_ops::Element>(x: &Array) -> Result<Vec<u8>, OpsError> {
        let values = x.to_vec::<T>()?;
        // SAFETY: elements are plain numbers without padding, so all their bytes are initialised.
        Ok(unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), std::mem::size_of_val(&values[..])) }
            .to_vec())
    }
    freelane_ops::with_dtype!(x.dtype(), T => bytes::<T>(x))
}

/// Fails unless two arrays have the same shape, dtype and bits.
#[track_caller]
pub fn assert_same_bits(got: &Array, want: &Array, what: &str) {
    assert_eq!((got.dtype(), got.shape()), (want.dtype(), want.shape()), "{what}");
    let (a, b) = (bits(got), bits(want));
    match (a, b) {
        (Ok(a), Ok(b)) if a == b => {}
        (Ok(a), Ok(b)) => {
            let size = got.dtype().size();
            let at = a.iter().zip(&b).position(|(a, b)| a != b).unwrap_or(0) / size;
            panic!(
                "{what}: element {at} differs: {:02x?} is not {:02x?}",
                &a[at * size..][..size],
                &b[at * size..][..size]
            );
        }
        (a, b) => panic!("{what}: {a:?} {b:?}"),
    }
}
