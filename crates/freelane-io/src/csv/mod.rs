//! `.csv`: a table of numbers.
//!
//! A table becomes an array as `numpy.loadtxt` makes it: axes of length 1 go, so one column gives one axis. Where
//! `numpy.genfromtxt` is kinder it is followed: an empty field is NaN, and so are `nan`, `NaN` and the like. Anything else
//! that is not a number is an error with its line and column, and so is a line with more or fewer fields than the first.
//! The elements are int64 when all fields are integers of that size, else float64. A column picked by its name is a table of
//! its own: the others may then hold text.
mod column;
mod read;
mod write;

pub(crate) use read::Table;
pub(crate) use write::write;

/// How tables are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvOptions {
    /// The character between fields. `None`: a comma, or where the first line has none, a semicolon or a tab.
    pub delimiter: Option<u8>,
    /// Whether the first line names the columns.
    pub header: CsvHeader,
    /// Lines that start with this character are left out.
    pub comment: Option<u8>,
    /// The least number of axes, at most 2: with 2, one column stays a column.
    pub min_rank: usize,
}

impl Default for CsvOptions {
    fn default() -> CsvOptions {
        CsvOptions { delimiter: None, header: CsvHeader::Auto, comment: Some(b'#'), min_rank: 0 }
    }
}

/// Whether the first line of a table names its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CsvHeader {
    /// It does if none of its fields is a number or empty.
    Auto,
    /// It does.
    Yes,
    /// It does not.
    No,
}
