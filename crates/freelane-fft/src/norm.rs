//! What a transform is multiplied by.

/// Which of the two directions is divided by the length `n`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Norm {
    /// The inverse transform, by `n`.
    #[default]
    Backward,
    /// Both, by the square root of `n`.
    Ortho,
    /// The forward transform, by `n`.
    Forward,
}

impl Norm {
    /// All, by the name that NumPy and the Array API give them.
    pub const NAMES: &[&str] = &["backward", "ortho", "forward"];

    /// The one of a name.
    pub fn by_name(name: &str) -> Option<Norm> {
        let all = [Norm::Backward, Norm::Ortho, Norm::Forward];
        Norm::NAMES.iter().position(|n| *n == name).map(|i| all[i])
    }

    /// The factor of a transform over `n` elements.
    pub(crate) fn factor(self, n: usize, inverse: bool) -> f64 {
        match (self, inverse) {
            (Norm::Backward, false) | (Norm::Forward, true) => 1.0,
            (Norm::Backward, true) | (Norm::Forward, false) => 1.0 / n as f64,
            (Norm::Ortho, _) => 1.0 / (n as f64).sqrt(),
        }
    }
}
