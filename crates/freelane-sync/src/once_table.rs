//! Tables that are built at first use and frozen from then on.

use std::sync::OnceLock;

/// A cell written once and then read by all; a read is one acquire load.
///
/// ```
/// static SQUARES: freelane_sync::OnceTable<Vec<u32>> = freelane_sync::OnceTable::new();
/// assert_eq!(SQUARES.get_or_init(|| (0..4).map(|i| i * i).collect())[3], 9);
/// ```
#[derive(Debug, Default)]
pub struct OnceTable<T>(OnceLock<T>);

impl<T> OnceTable<T> {
    /// An empty cell.
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// The value, built by `f` if this is the first call. Others wait meanwhile; `f` must not come back here.
    #[inline]
    pub fn get_or_init(&self, f: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(f)
    }

    /// The value, built by `f` if it is not there yet. Nobody waits: of several built at once one stays, and an `f` that
    /// fails leaves the cell as it is.
    ///
    /// # Errors
    /// Those of `f`.
    #[inline]
    pub fn get_or_try_init<E>(&self, f: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        if let Some(value) = self.0.get() {
            return Ok(value);
        }
        let made = f()?;
        Ok(self.0.get_or_init(|| made))
    }

    /// The value, if built.
    #[inline]
    pub fn get(&self) -> Option<&T> {
        self.0.get()
    }

    /// The value, if built, out of its cell.
    pub fn into_inner(self) -> Option<T> {
        self.0.into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_stays() {
        let table = OnceTable::new();
        assert_eq!(table.get(), None);
        assert_eq!((*table.get_or_init(|| 1), *table.get_or_init(|| 2)), (1, 1));
        assert_eq!(table.get(), Some(&1));
    }

    #[test]
    fn what_fails_is_tried_again() {
        let table = OnceTable::new();
        assert_eq!((table.get_or_try_init(|| Err("no")), table.get()), (Err("no"), None));
        assert_eq!((table.get_or_try_init(|| Ok::<_, &str>(1)), table.get_or_try_init(|| Err("no"))), (Ok(&1), Ok(&1)));
    }
}
