//! How files are read.
use crate::{CsvOptions, Limits};

/// How files are read. The defaults fit most.
///
/// ```
/// use freelane_io::{Options, Source};
/// let never_mapped = Options { map_from: u64::MAX, ..Options::default() };
/// assert!(Source::open_with("no/such/file.npy", &never_mapped).is_err());
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// Bounds on what a file can ask for.
    pub limits: Limits,
    /// Arrays of this many bytes or more are mapped into memory instead of read, where the file's layout allows it.
    ///
    /// A mapped file must not be changed or cut while its arrays live: reading what was cut off ends the process. Files
    /// written by [`save`](crate::save) take the place of an old one, which keeps its contents for those who mapped it.
    pub map_from: u64,
    /// How tables are read.
    pub csv: CsvOptions,
}

impl Default for Options {
    fn default() -> Options {
        Options { limits: Limits::default(), map_from: 4 << 20, csv: CsvOptions::default() }
    }
}
