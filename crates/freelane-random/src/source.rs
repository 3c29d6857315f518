//! Seed, stream and position: what a value depends on.
use crate::philox::{Place, block};
use freelane_ops::OpsError;

/// Where the words of values come from; further domains are those of second, third and later tries.
const VALUES: u32 = 0;
/// Where the seeds of children come from.
const CHILDREN: u32 = u32::MAX;

/// A place in the sequence of a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// Which family of sequences.
    pub seed: u64,
    /// Which sequence of the family.
    pub stream: u32,
    /// Which value of the sequence.
    pub position: u64,
}

impl Source {
    /// The first value of the first sequence of a seed.
    pub fn new(seed: u64) -> Source {
        Source { seed, stream: 0, position: 0 }
    }

    /// The place `n` values later.
    ///
    /// # Errors
    /// When there are no such positions: a sequence has 2^64.
    pub fn after(self, op: &'static str, n: usize) -> Result<Source, OpsError> {
        let position = self.position.checked_add(n as u64).ok_or_else(|| {
            let at = self.position;
            OpsError::argument(op, format!("{n} values from position {at} go beyond the last one, 2**64 - 1"))
        })?;
        Ok(Source { position, ..self })
    }

    /// The seed of a child, which has nothing to do with the values of this sequence.
    pub fn child_seed(self) -> u64 {
        block(Place { domain: CHILDREN, ..self.place() }, self.position)[0]
    }

    #[inline(always)]
    pub(crate) fn place(self) -> Place {
        Place { key: self.seed, stream: self.stream, domain: VALUES }
    }

    /// The word at this position.
    #[inline]
    pub(crate) fn word(self) -> u64 {
        block(self.place(), self.position / 2)[(self.position % 2) as usize]
    }

    /// Words for further tries at this position.
    pub(crate) fn tries(self) -> impl Iterator<Item = u64> {
        (VALUES + 1..CHILDREN).flat_map(move |domain| block(Place { domain, ..self.place() }, self.position))
    }
}

/// The operating system gave no random bytes.
#[derive(Debug)]
pub struct EntropyError(getrandom::Error);

impl std::fmt::Display for EntropyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the system gives no random seed: {}; give one", self.0)
    }
}

impl std::error::Error for EntropyError {}

/// A seed that nobody has had before, from the operating system.
///
/// # Errors
/// When the system refuses.
pub fn seed_from_system() -> Result<u64, EntropyError> {
    getrandom::u64().map_err(EntropyError)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_tries_and_children_are_apart() {
        let mut seen = std::collections::HashSet::new();
        for position in 0..200 {
            let at = Source { position, ..Source::new(1) };
            assert!(seen.insert(at.word()) && seen.insert(at.child_seed()));
            assert!(at.tries().take(5).all(|word| seen.insert(word)));
            assert!(seen.insert(Source { stream: 1, ..at }.word()));
        }
    }

    #[test]
    fn the_end_of_a_sequence_is_an_error() {
        let last = Source { position: u64::MAX - 1, ..Source::new(0) };
        assert_eq!(last.after("random", 1).unwrap().position, u64::MAX);
        let error = last.after("random", 2).unwrap_err().to_string();
        assert_eq!(error, "random: 2 values from position 18446744073709551614 go beyond the last one, 2**64 - 1");
    }
}
