//! Reading tables.
use super::column::{Numbers, is_number};
use super::{CsvHeader, CsvOptions};
use crate::error::Shown;
use crate::{Fault, Progress, file_at::FileAt};
use ::csv::{ByteRecord, Reader, ReaderBuilder};
use freelane_ops::Array;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;

/// A table, opened: its first line is read.
pub(crate) struct Table {
    file: Arc<File>,
    len: u64,
    options: CsvOptions,
    /// The names of the columns, if the first line has them.
    names: Option<Vec<String>>,
}

impl Table {
    pub(crate) fn open(file: Arc<File>, len: u64, mut options: CsvOptions) -> Result<Table, Fault> {
        if options.delimiter.is_none() {
            options.delimiter = Some(guess_delimiter(&file, options.comment)?);
        }
        let mut table = Table { file, len, options, names: None };
        let mut first = ByteRecord::new();
        let found = table.reader().read_byte_record(&mut first).map_err(refused)?;
        let is_header = match table.options.header {
            CsvHeader::Auto => found && !first.iter().any(is_number),
            CsvHeader::Yes => found,
            CsvHeader::No => false,
        };
        table.names = is_header.then(|| first.iter().map(name).collect());
        Ok(table)
    }

    /// The names of the columns.
    pub(crate) fn names(&self) -> Vec<String> {
        self.names.clone().unwrap_or_default()
    }

    fn reader(&self) -> Reader<FileAt> {
        ReaderBuilder::new()
            .delimiter(self.options.delimiter.unwrap_or(b','))
            .comment(self.options.comment)
            .has_headers(false)
            .from_reader(FileAt::new(self.file.clone(), 0, self.len))
    }

    /// The whole table, or the column of a name.
    pub(crate) fn load(&self, name: Option<&str>, progress: &mut Progress<'_>) -> Result<Array, Fault> {
        let only = name.map(|name| self.column(name)).transpose()?;
        let (mut reader, mut record) = (self.reader(), ByteRecord::new());
        let (mut numbers, mut lines, mut columns, mut told) = (Numbers::new(), 0, 0, 0);
        while reader.read_byte_record(&mut record).map_err(refused)? {
            columns = record.len();
            if lines > 0 || self.names.is_none() {
                push(&mut numbers, &record, only).map_err(|e| self.with_way_out(e, only))?;
            }
            lines += 1;
            let done = reader.position().byte();
            if done >= told + (1 << 20) {
                told = done;
                progress(done, self.len);
            }
        }
        progress(self.len, self.len);
        let rows = lines - usize::from(self.names.is_some());
        if rows == 0 && self.names.is_some() && self.options.header == CsvHeader::Auto {
            // What looked like a header may be text of any kind.
            return Err(Fault::Field {
                line: lines as u64,
                column: 1,
                problem: "expected numbers, found one line of text".into(),
            });
        }
        numbers.into_array(&shape(rows, if only.is_some() { 1 } else { columns }, self.options.min_rank))
    }

    fn with_way_out(&self, fault: Fault, only: Option<usize>) -> Fault {
        match fault {
            Fault::Field { line, column, problem } if only.is_none() && self.names.is_some() => {
                let problem = format!("{problem}; columns of numbers can be read one by one, by name");
                Fault::Field { line, column, problem }
            }
            other => other,
        }
    }

    fn column(&self, name: &str) -> Result<usize, Fault> {
        let missing = || Fault::NoSuchKey { key: name.into(), available: self.names() };
        let mut found = self.names.iter().flatten().enumerate().filter(|(_, n)| *n == name);
        let (at, _) = found.next().ok_or_else(missing)?;
        match found.next() {
            None => Ok(at),
            Some(_) => Err(Fault::malformed("header line", format!("two columns are named {}", Shown(name)))),
        }
    }
}

/// A semicolon or a tab, if the first line has one and no comma.
fn guess_delimiter(file: &Arc<File>, comment: Option<u8>) -> Result<u8, Fault> {
    const ENOUGH: u64 = 1 << 16;
    let mut start = Vec::new();
    FileAt::new(file.clone(), 0, ENOUGH).read_to_end(&mut start)?;
    let is_content = |line: &&[u8]| !line.trim_ascii().is_empty() && line.first().copied() != comment;
    let line = start.split(|&b| b == b'\n').find(is_content).unwrap_or_default();
    let mut quoted = false;
    let outside: Vec<u8> =
        line.iter().copied().filter(|&b| (b == b'"').then(|| quoted = !quoted).is_none() && !quoted).collect();
    Ok([b',', b';', b'\t'].into_iter().find(|d| outside.contains(d)).unwrap_or(b','))
}

fn push(numbers: &mut Numbers, record: &ByteRecord, only: Option<usize>) -> Result<(), Fault> {
    for (i, field) in record.iter().enumerate() {
        if only.is_none_or(|only| only == i) && !numbers.push(field) {
            let line = record.position().map_or(0, |p| p.line());
            let problem = format!("expected a number, found {}", Shown(&String::from_utf8_lossy(field)));
            return Err(Fault::Field { line, column: i as u64 + 1, problem });
        }
    }
    Ok(())
}

/// The axes of a table without those of length 1, but at least `min_rank` of them.
fn shape(rows: usize, columns: usize, min_rank: usize) -> Vec<usize> {
    match (rows, columns, min_rank) {
        (0, _, 0 | 1) => vec![0],
        (1, 1, 0) => vec![],
        (n, 1, 0 | 1) | (1, n, 0 | 1) => vec![n],
        _ => vec![rows, columns],
    }
}

fn name(field: &[u8]) -> String {
    String::from_utf8_lossy(field).trim().to_owned()
}

fn refused(e: ::csv::Error) -> Fault {
    match e.kind() {
        ::csv::ErrorKind::UnequalLengths { pos, expected_len, len } => Fault::Field {
            line: pos.as_ref().map_or(0, |p| p.line()),
            column: *len.min(expected_len) + 1,
            problem: format!("expected {expected_len} fields as in the first line, found {len}"),
        },
        _ => match e.into_kind() {
            ::csv::ErrorKind::Io(e) => Fault::System(e),
            other => Fault::malformed("table", format!("{other:?}")),
        },
    }
}
