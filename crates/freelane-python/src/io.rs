//! Array files: `load`, `load_all`, `save`, `save_all`. Reading and writing run detached from the interpreter.
use crate::convert::to_array;
use crate::errors::to_py;
use crate::native::{Args, Native};
use crate::object;
use freelane::Array;
use freelane::io::{self, Fault, IoError, Options, SaveOptions, Source};
use pyo3::exceptions::{PyKeyError, PyMemoryError, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};
use std::io::ErrorKind;
use std::path::PathBuf;

/// The Python error that says the same.
fn raise(e: IoError) -> PyErr {
    let text = e.to_string();
    match e.fault {
        Fault::System(system) => refused(&system, text, &e.path),
        Fault::Memory(_) => PyMemoryError::new_err(text),
        Fault::DType { .. } => PyTypeError::new_err(text),
        Fault::NoSuchKey { .. } => PyKeyError::new_err(text),
        Fault::Ops(source) => to_py(source),
        _ => PyValueError::new_err(text),
    }
}

/// `OSError` picks its subclass, `FileNotFoundError` for one, by the number.
fn refused(e: &std::io::Error, text: String, path: &std::path::Path) -> PyErr {
    match (e.raw_os_error(), e.kind()) {
        (Some(number), _) => {
            let said = e.to_string();
            let said = said.split(" (os error").next().unwrap_or(&said).to_owned();
            PyOSError::new_err((number, said, path.to_path_buf()))
        }
        (None, ErrorKind::PermissionDenied) => pyo3::exceptions::PyPermissionError::new_err(text),
        (None, ErrorKind::IsADirectory) => pyo3::exceptions::PyIsADirectoryError::new_err(text),
        (None, ErrorKind::InvalidInput) => PyValueError::new_err(text),
        (None, _) => PyOSError::new_err(text),
    }
}

fn path_of(obj: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    obj.extract().map_err(|_| {
        let kind = obj.get_type().name().map_or_else(|_| "object".to_owned(), |n| n.to_string());
        PyTypeError::new_err(format!("a path must be str or os.PathLike, not {kind}; open files are not taken"))
    })
}

/// Whether files are mapped: from some size on, always, never.
fn options(mmap: Option<&Bound<'_, PyAny>>) -> PyResult<Options> {
    let map_from = match mmap.map(|m| m.is_truthy()).transpose()? {
        None => Options::default().map_from,
        Some(true) => 0,
        Some(false) => u64::MAX,
    };
    Ok(Options { map_from, ..Options::default() })
}

fn load<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let path = path_of(args.required(0))?;
    let key: Option<String> = args.some(1).map(|k| k.extract()).transpose()?;
    let options = options(args.some(2))?;
    let loaded = py.detach(|| Source::open_with(path, &options)?.load(key.as_deref()));
    object::wrap(py, loaded.map_err(raise)?)
}

fn load_all<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let path = path_of(args.required(0))?;
    let options = options(args.some(1))?;
    let loaded = py.detach(|| {
        let source = Source::open_with(&path, &options)?;
        let names = source.names();
        names.into_iter().map(|name| Ok((source.load(Some(&name))?, name))).collect::<Result<Vec<_>, IoError>>()
    });
    let arrays = PyDict::new(py);
    for (array, name) in loaded.map_err(raise)? {
        arrays.set_item(name, object::wrap(py, array)?)?;
    }
    Ok(arrays.into_any())
}

fn write(py: Python<'_>, path: PathBuf, arrays: &[(String, Array)], compress: bool) -> PyResult<()> {
    let named: Vec<(&str, &Array)> = arrays.iter().map(|(name, array)| (name.as_str(), array)).collect();
    py.detach(|| io::save_with(path, &named, SaveOptions { compress }, &mut |_, _| ())).map_err(raise)
}

fn save<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let path = path_of(args.required(0))?;
    write(py, path, &[("arr_0".to_owned(), to_array(args.required(1))?)], false)?;
    Ok(py.None().into_bound(py))
}

fn save_all<'py>(py: Python<'py>, args: &Args<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let path = path_of(args.required(0))?;
    let given = args.required(1).cast::<PyMapping>().map_err(|_| {
        PyTypeError::new_err("save_all takes a mapping of names to arrays, {'x': x}; save takes one array")
    })?;
    let mut arrays = Vec::new();
    for item in given.items()?.iter() {
        let (name, value): (String, Bound<'_, PyAny>) = item.extract()?;
        arrays.push((name, to_array(&value)?));
    }
    let compress = args.some(2).map(|c| c.is_truthy()).transpose()?.unwrap_or(false);
    write(py, path, &arrays, compress)?;
    Ok(py.None().into_bound(py))
}

/// Functions of the module.
pub(crate) const FUNCTIONS: &[Native] = &[
    Native {
        signature: "load(path, key=None, *, mmap=None)",
        doc: "The array in a .npy, .npz, .safetensors or .csv file; key picks one of several (of a table: a column).\n\nFiles are not trusted: nothing is unpickled, sizes are checked. With mmap=None arrays of 4 MiB and more are mapped where the file allows it, with True all of them, with False none; a mapped file must not be cut short meanwhile.\n\nRaises FileNotFoundError and other OSErrors, KeyError for an unknown key, TypeError for dtypes that arrays do not hold, ValueError for a malformed file.",
        run: load,
    },
    Native {
        signature: "load_all(path, *, mmap=None)",
        doc: "All arrays of a .npz, .safetensors or .csv file, a dict by name.\n\nErrors as for load.",
        run: load_all,
    },
    Native {
        signature: "save(path, x, /)",
        doc: "Writes an array to a .npy, .npz, .safetensors or .csv file, as the name ends. The file appears whole or not at all.\n\nRaises OSError, and ValueError for an unknown ending or an array that the format cannot hold.",
        run: save,
    },
    Native {
        signature: "save_all(path, arrays, /, *, compress=False)",
        doc: "Writes a mapping of names to arrays to a .npz or .safetensors file. Otherwise as save.",
        run: save_all,
    },
];
