//! Functions that give several arrays: as a tuple, whose items have names where the row names them.
//!
//! A tuple with names is a struct sequence: `result.eigenvalues` and `result[0]` are the same. Its type is made while the
//! module starts.
use crate::native::immortal;
use crate::object;
use freelane::{Array, Function, Run};
use freelane_sync::OnceTable;
use pyo3::ffi::{self, PyStructSequence_Desc, PyStructSequence_Field};
use pyo3::types::PyTuple;
use pyo3::{Borrowed, prelude::*};
use std::ffi::CString;

/// The type that a row's results have.
struct Named {
    row: &'static str,
    of: *mut ffi::PyTypeObject,
}

// SAFETY: the type is never changed after the module has started, and lives for ever.
unsafe impl Sync for Named {}
// SAFETY: as above.
unsafe impl Send for Named {}

// LEDGER: the process; written once while the module starts, then only read
static TYPES: OnceTable<Vec<Named>> = OnceTable::new();

/// Makes the types of the rows that name their results, and adds them to the module, where pickled results find them.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let mut types = vec![];
    for (_, row) in freelane::functions() {
        if let Function::Op(op) = row
            && let Run::Many(fields, _) = op.run
            && !fields.is_empty()
            && !types.iter().any(|t: &Named| t.row == op.name)
        {
            let name = format!("{}Result", pascal(op.name));
            let of = new_type(module.py(), &name, &format!("What {} gives.", op.name), fields)?;
            // SAFETY: a type that was just made, which lives for ever.
            module.setattr(name, unsafe { Borrowed::from_ptr(module.py(), of.cast()) })?;
            types.push(Named { row: op.name, of });
        }
    }
    TYPES.get_or_init(|| types);
    Ok(())
}

/// `unique_all` as `UniqueAll`.
fn pascal(name: &str) -> String {
    let word = |w: &str| w[..1].to_uppercase() + &w[1..];
    name.split('_').filter(|w| !w.is_empty()).map(word).collect()
}

fn new_type(py: Python<'_>, name: &str, doc: &str, fields: &[&str]) -> PyResult<*mut ffi::PyTypeObject> {
    let text = |s: &str| CString::new(s).unwrap_or_default();
    let (full, doc) = (text(&format!("freelane._freelane.{name}")), text(doc));
    let names: Vec<CString> = fields.iter().map(|f| text(f)).collect();
    let field = |name: &CString| PyStructSequence_Field { name: name.as_ptr(), doc: std::ptr::null() };
    let mut described: Vec<_> = names.iter().map(field).collect();
    described.push(PyStructSequence_Field { name: std::ptr::null(), doc: std::ptr::null() });
    let n_in_sequence = fields.len() as i32;
    let mut desc =
        PyStructSequence_Desc { name: full.as_ptr(), doc: doc.as_ptr(), fields: described.as_mut_ptr(), n_in_sequence };
    // SAFETY: attached; the description ends with an empty field.
    let of = unsafe { ffi::PyStructSequence_NewType(&mut desc) };
    if of.is_null() {
        return Err(PyErr::fetch(py));
    }
    immortal(of.cast());
    // The interpreter keeps pointers into these.
    std::mem::forget((full, doc, names, described));
    Ok(of)
}

/// The results of a row as one Python object.
pub(crate) fn wrap<'py>(py: Python<'py>, row: &str, names: &[&str], arrays: Vec<Array>) -> PyResult<Bound<'py, PyAny>> {
    wrap_objects(py, row, names, arrays.into_iter().map(|a| object::wrap(py, a)).collect::<PyResult<_>>()?)
}

/// As [`wrap`], of objects that stand for the arrays.
pub(crate) fn wrap_objects<'py>(
    py: Python<'py>,
    row: &str,
    names: &[&str],
    arrays: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let types = TYPES.get_or_init(Vec::new);
    let Some(named) = types.iter().find(|t| t.row == row).filter(|_| names.len() == arrays.len()) else {
        return Ok(PyTuple::new(py, arrays)?.into_any());
    };
    // SAFETY: attached, and the type is one of struct sequences.
    let made = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyStructSequence_New(named.of)) }?;
    for (i, array) in arrays.into_iter().enumerate() {
        // SAFETY: the sequence is new, has a place for each name, and takes over the reference.
        unsafe { ffi::PyStructSequence_SetItem(made.as_ptr(), i as ffi::Py_ssize_t, array.into_ptr()) };
    }
    Ok(made)
}
