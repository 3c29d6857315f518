//! A position that moves on.
use crate::source::{EntropyError, Source, seed_from_system};
use crate::{
    binomial, bits, child_seeds, choice, exponential, integers, normal, permutation, poisson, random, uniform,
    weighted_choice,
};
use freelane_array::DType;
use freelane_ops::{Array, OpsError};

/// A place in the sequence of a seed, owned by its user: each call takes the next values.
///
/// ```
/// use freelane_random::Generator;
/// let mut one = Generator::new(1);
/// let (a, b) = (one.random(&[3])?, one.random(&[2])?);
/// let both = Generator::new(1).random(&[5])?.to_vec::<f64>()?;
/// assert_eq!([a.to_vec::<f64>()?, b.to_vec()?].concat(), both);
///
/// // Threads take streams of their own, and have nothing to share.
/// let sums: Vec<f64> = std::thread::scope(|scope| {
///     let draw = |i| scope.spawn(move || Generator::new(1).stream(i).random(&[100])?.sum(.., false)?.item::<f64>());
///     (0..4).map(draw).collect::<Vec<_>>().into_iter().map(|t| t.join().unwrap()).collect::<Result<_, _>>()
/// })?;
/// assert_eq!(sums[2], Generator::new(1).stream(2).random(&[100])?.sum(.., false)?.item::<f64>()?);
/// # Ok::<(), freelane_ops::OpsError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generator {
    source: Source,
}

impl From<Source> for Generator {
    fn from(source: Source) -> Generator {
        Generator { source }
    }
}

impl Generator {
    /// The first stream of a seed, from its beginning.
    pub fn new(seed: u64) -> Generator {
        Source::new(seed).into()
    }

    /// A generator with a seed from the operating system.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn from_system() -> Result<Generator, EntropyError> {
        seed_from_system().map(Generator::new)
    }

    /// Where the next value comes from.
    pub fn source(&self) -> Source {
        self.source
    }

    /// The position of the next value.
    pub fn position(&self) -> u64 {
        self.source.position
    }

    /// The same stream at another position.
    pub fn at(&self, position: u64) -> Generator {
        Source { position, ..self.source }.into()
    }

    /// Another stream of the same seed, from its beginning.
    pub fn stream(&self, stream: u32) -> Generator {
        Source { stream, position: 0, ..self.source }.into()
    }

    /// Generators with seeds of their own, made from this one's and its position; takes `n` positions, so that later ones
    /// differ.
    ///
    /// # Errors
    /// When the sequence ends.
    pub fn split(&mut self, n: usize) -> Result<Vec<Generator>, OpsError> {
        let seeds = child_seeds(self.source, n)?;
        self.take("split", n)?;
        Ok(seeds.to_vec::<u64>()?.into_iter().map(Generator::new).collect())
    }

    /// Hands out the next `n` positions.
    fn take(&mut self, op: &'static str, n: usize) -> Result<Source, OpsError> {
        let from = self.source;
        self.source = from.after(op, n)?;
        Ok(from)
    }

    /// Draws an array, after which the position is that of the value behind it.
    fn draw(&mut self, draw: impl FnOnce(Source) -> Result<Array, OpsError>) -> Result<Array, OpsError> {
        let drawn = draw(self.source)?;
        self.take("random", drawn.len())?;
        Ok(drawn)
    }

    /// Random bits of an unsigned dtype.
    ///
    /// # Errors
    /// As [`bits`].
    pub fn bits(&mut self, shape: &[usize], dtype: DType) -> Result<Array, OpsError> {
        self.draw(|from| bits(from, shape, dtype))
    }

    /// Uniform `float64` values in [0, 1).
    ///
    /// # Errors
    /// As [`random`].
    pub fn random(&mut self, shape: &[usize]) -> Result<Array, OpsError> {
        self.draw(|from| random(from, shape, DType::F64))
    }

    /// Uniform `float64` values from `low` up to `high`.
    ///
    /// # Errors
    /// As [`uniform`].
    pub fn uniform(&mut self, low: f64, high: f64, shape: &[usize]) -> Result<Array, OpsError> {
        self.draw(|from| uniform(from, low, high, shape, DType::F64))
    }

    /// Normal `float64` values of mean `loc` and standard deviation `scale`.
    ///
    /// # Errors
    /// As [`normal`].
    pub fn normal(&mut self, loc: f64, scale: f64, shape: &[usize]) -> Result<Array, OpsError> {
        self.draw(|from| normal(from, loc, scale, shape, DType::F64))
    }

    /// Exponential `float64` values of mean `scale`.
    ///
    /// # Errors
    /// As [`exponential`].
    pub fn exponential(&mut self, scale: f64, shape: &[usize]) -> Result<Array, OpsError> {
        self.draw(|from| exponential(from, scale, shape, DType::F64))
    }

    /// `int64` values from `low` up to, not including, `high`, all as likely.
    ///
    /// # Errors
    /// As [`integers`].
    pub fn integers(&mut self, low: i64, high: i64, shape: &[usize]) -> Result<Array, OpsError> {
        self.draw(|from| integers(from, low.into(), high.into(), shape, DType::I64))
    }

    /// Numbers of events of which `lam` are expected.
    ///
    /// # Errors
    /// As [`poisson`].
    pub fn poisson(&mut self, lam: f64, shape: &[usize]) -> Result<Array, OpsError> {
        self.draw(|from| poisson(from, lam, shape))
    }

    /// Numbers of successes of `n` trials, each with probability `p`.
    ///
    /// # Errors
    /// As [`binomial`].
    pub fn binomial(&mut self, n: u64, p: f64, shape: &[usize]) -> Result<Array, OpsError> {
        self.draw(|from| binomial(from, n, p, shape))
    }

    /// The numbers below `n` in an order of which each is as likely.
    ///
    /// # Errors
    /// As [`permutation`].
    pub fn permutation(&mut self, n: usize) -> Result<Array, OpsError> {
        self.draw(|from| permutation(from, n))
    }

    /// Numbers below `n`, independent of each other or all different.
    ///
    /// # Errors
    /// As [`choice`].
    pub fn choice(&mut self, n: usize, shape: &[usize], replace: bool) -> Result<Array, OpsError> {
        let drawn = choice(self.source, n, shape, replace)?;
        self.take("choice", if replace { drawn.len() } else { n })?;
        Ok(drawn)
    }

    /// Numbers below that of the weights, each as likely as its weight says.
    ///
    /// # Errors
    /// As [`weighted_choice`].
    pub fn weighted_choice(&mut self, weights: &[f64], shape: &[usize], replace: bool) -> Result<Array, OpsError> {
        let drawn = weighted_choice(self.source, weights, shape, replace)?;
        self.take("choice", if replace { drawn.len() } else { weights.len() })?;
        Ok(drawn)
    }
}
