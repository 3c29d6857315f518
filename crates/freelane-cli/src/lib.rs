//! The command line of freelane: `eval`, `scale` and `ops`.
//!
//! The binary is one call of [`main`]. Exit status 0 is success, 2 a wrong flag, 1 everything else, with a one-line cause
//! on standard error. Results go to standard output, remarks on time and memory to standard error; `--json` prints one
//! object a line.
#![forbid(unsafe_code)]

mod commands;
pub mod expr;
mod memory;
mod progress;
pub mod scale;
mod show;

use anyhow::Error;
use clap::Parser;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

/// Runs a command line, of which the first argument is the program's name.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    ExitCode::from(status(arguments))
}

/// Runs a command line, and returns the exit status as a number.
pub fn status(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match commands::Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(answer) => {
            // Nobody reads what cannot be written.
            let _ = answer.print();
            return u8::try_from(answer.exit_code()).unwrap_or(2);
        }
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    // A typing error in the name of a path would otherwise go unseen.
    let forced = freelane::Isa::forced().map_err(Error::new);
    let done = forced.and_then(|_| cli.run(&mut out)).and_then(|()| Ok(out.flush()?));
    match done {
        Ok(()) => 0,
        Err(error) if is_closed_pipe(&error) => 0,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {}", one_line(&error));
            1
        }
    }
}

/// Whether the reader of our output has gone, as `head` does when it has enough.
fn is_closed_pipe(error: &Error) -> bool {
    let kind = |e: &(dyn std::error::Error + 'static)| e.downcast_ref::<io::Error>().map(io::Error::kind);
    error.chain().any(|e| {
        let json = e.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        kind(e).or(json) == Some(io::ErrorKind::BrokenPipe)
    })
}

/// An error and its causes on one line. A cause that the line holds already is not repeated.
fn one_line(error: &Error) -> String {
    let mut line = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if !line.is_empty() && line.contains(&cause) {
            continue;
        }
        line += if line.is_empty() { "" } else { ": " };
        line += &cause;
    }
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}
