//! Arguments and results: arrays in tuples, lists and dictionaries, and what is no array.
//!
//! Arguments become words of a key, by which a plan is found, and arrays. Numbers, texts and the like are part of the key: for
//! others the function is traced again.
use super::tracer::{Tracer, is_tracer, wrap};
use crate::{convert, creation, dtype, object};
use freelane::graph::{Datum, Expr, push_signature};
use pyo3::types::{PyBool, PyBytes, PyComplex, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use pyo3::types::{PyComplexMethods, PyFloatMethods};
use pyo3::{exceptions as exc, prelude::*};
use smallvec::SmallVec;

pub(super) type Key = SmallVec<[u64; 24]>;

/// How many containers may lie in each other.
const MAX_DEPTH: usize = 32;

/// What begins a part of a key.
#[derive(Clone, Copy)]
#[repr(u64)]
enum Tag {
    Array = 1,
    None,
    Bool,
    Int,
    BigInt,
    Float,
    Complex,
    Text,
    Name,
    Bytes,
    DType,
    Tuple,
    NamedTuple,
    List,
    Dict,
    Static,
}

impl Tag {
    fn with(self, n: usize) -> u64 {
        (self as u64) << 56 | n as u64
    }
}

/// The arguments of a call, read.
#[derive(Default)]
pub(super) struct Leaves {
    pub key: Key,
    pub arrays: SmallVec<[Datum; 8]>,
    /// Types of tuples that are more than tuples, and the words of the key that are to be their numbers.
    pub kinds: SmallVec<[(usize, Py<PyAny>); 1]>,
    /// Whether a traced array is among them: the call is part of another trace.
    pub traced: bool,
}

impl Leaves {
    /// Reads an argument.
    pub(super) fn read(&mut self, name: &str, object: &Bound<'_, PyAny>, depth: usize) -> PyResult<()> {
        if object::is_array(object) {
            self.array(object::snapshot(object)?.into());
            return Ok(());
        }
        if is_tracer(object) {
            self.traced = true;
            return Ok(());
        }
        if depth == MAX_DEPTH {
            let message = format!("{name}: containers lie in each other more than {MAX_DEPTH} deep");
            return Err(exc::PyValueError::new_err(message));
        }
        if object.is_none() {
            self.key.push(Tag::None.with(0));
        } else if let Ok(tuple) = object.cast::<PyTuple>() {
            if tuple.is_exact_instance_of::<PyTuple>() {
                self.key.push(Tag::Tuple.with(tuple.len()));
            } else {
                self.key.extend([Tag::NamedTuple.with(tuple.len()), 0]);
                self.kinds.push((self.key.len() - 1, tuple.get_type().into_any().unbind()));
            }
            return tuple.iter_borrowed().try_for_each(|item| self.read(name, &item, depth + 1));
        } else if let Ok(list) = object.cast_exact::<PyList>() {
            self.key.push(Tag::List.with(list.len()));
            return list.iter().try_for_each(|item| self.read(name, &item, depth + 1));
        } else if let Ok(dict) = object.cast_exact::<PyDict>() {
            self.key.push(Tag::Dict.with(dict.len()));
            return dict.iter().try_for_each(|(key, item)| {
                let text = key.cast::<PyString>().map_err(|_| {
                    exc::PyTypeError::new_err(format!("{name}: keys of dictionaries of arrays are texts, not {key}"))
                })?;
                self.text(Tag::Name, text.to_str()?.as_bytes());
                self.read(name, &item, depth + 1)
            });
        } else if !self.number(object)? {
            return self.other(name, object);
        }
        Ok(())
    }

    fn array(&mut self, datum: Datum) {
        self.key.push(Tag::Array.with(0));
        if let Datum::Array(array) = &datum {
            push_signature(array, &mut self.key);
        }
        self.arrays.push(datum);
    }

    /// Adds a number or a text to the key; returns whether the object is one.
    fn number(&mut self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        if let Ok(b) = object.cast::<PyBool>() {
            self.key.push(Tag::Bool.with(usize::from(b.is_true())));
        } else if object.is_exact_instance_of::<PyInt>() {
            match object.extract::<i64>() {
                Ok(i) => self.key.extend([Tag::Int.with(0), i as u64]),
                Err(_) => self.text(Tag::BigInt, object.str()?.to_str()?.as_bytes()),
            }
        } else if let Ok(x) = object.cast_exact::<PyFloat>() {
            self.key.extend([Tag::Float.with(0), x.value().to_bits()]);
        } else if let Ok(z) = object.cast_exact::<PyComplex>() {
            self.key.extend([Tag::Complex.with(0), z.real().to_bits(), z.imag().to_bits()]);
        } else if let Ok(text) = object.cast_exact::<PyString>() {
            self.text(Tag::Text, text.to_str()?.as_bytes());
        } else if let Ok(bytes) = object.cast_exact::<PyBytes>() {
            self.text(Tag::Bytes, bytes.as_bytes());
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    pub(super) fn name(&mut self, name: &str) {
        self.text(Tag::Name, name.as_bytes());
    }

    fn text(&mut self, tag: Tag, bytes: &[u8]) {
        self.key.push(tag.with(bytes.len()));
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.key.push(u64::from_le_bytes(word));
        }
    }

    fn other(&mut self, name: &str, object: &Bound<'_, PyAny>) -> PyResult<()> {
        if dtype::is_dtype(object) {
            self.key.push(Tag::DType.with(convert::dtype_of(object)? as usize));
            return Ok(());
        }
        let kind = object.get_type();
        let foreign = ["__array_interface__", "__dlpack__", "__array__", "__arrow_c_array__"];
        if foreign.iter().any(|protocol| kind.hasattr(*protocol).unwrap_or(false)) {
            self.array(creation::array_of(object, None, None)?.into());
            return Ok(());
        }
        let what = kind.name()?;
        Err(exc::PyTypeError::new_err(format!(
            "jit: {name} is of type {what}, neither an array, a number, a text nor a tuple, list or dictionary of those; name \
             the parameter in static_argnames if it is the same in most calls"
        )))
    }

    /// Adds an argument that is looked at when the function is traced alone: by its own words where it is a number, a text or a
    /// tuple of those, else by a number that equal ones have.
    pub(super) fn fixed(
        &mut self,
        object: &Bound<'_, PyAny>,
        number: &dyn Fn(&Bound<'_, PyAny>) -> PyResult<u64>,
    ) -> PyResult<()> {
        if let Ok(tuple) = object.cast::<PyTuple>() {
            self.key.extend([Tag::Tuple.with(tuple.len()), number(tuple.get_type().as_any())?]);
            return tuple.iter_borrowed().try_for_each(|item| self.fixed(&item, number));
        }
        if !self.number(object)? {
            self.key.extend([Tag::Static.with(0), number(object)?]);
        }
        Ok(())
    }
}

/// The argument as the traced function sees it: `next` has the traced arrays, in the order that they were read in.
pub(super) fn traced<'py>(
    object: &Bound<'py, PyAny>,
    next: &mut std::vec::IntoIter<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let missing = || exc::PyRuntimeError::new_err("an argument changed while it was read");
    if let Ok(tuple) = object.cast::<PyTuple>() {
        let items = tuple.iter().map(|item| traced(&item, next)).collect::<PyResult<Vec<_>>>()?;
        return same_kind(object, PyTuple::new(py, items)?);
    }
    if let Ok(list) = object.cast_exact::<PyList>() {
        let items = list.iter().map(|item| traced(&item, next)).collect::<PyResult<Vec<_>>>()?;
        return Ok(PyList::new(py, items)?.into_any());
    }
    if let Ok(dict) = object.cast_exact::<PyDict>() {
        let made = PyDict::new(py);
        dict.iter().try_for_each(|(key, item)| made.set_item(key, traced(&item, next)?))?;
        return Ok(made.into_any());
    }
    let mut alone = Leaves::default();
    if object::is_array(object) || (!object.is_none() && !alone.number(object)? && !dtype::is_dtype(object)) {
        return next.next().ok_or_else(missing);
    }
    Ok(object.clone())
}

/// A tuple of the kind of another: a plain one, or one with names.
fn same_kind<'py>(like: &Bound<'py, PyAny>, items: Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    if like.is_exact_instance_of::<PyTuple>() {
        return Ok(items.into_any());
    }
    of_kind(&like.get_type(), items)
}

fn of_kind<'py>(kind: &Bound<'py, PyAny>, items: Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    if kind.hasattr("_make")? { kind.call_method1("_make", (items,)) } else { kind.call1((items,)) }
}

/// What a traced function returned.
pub(super) enum Tree {
    /// An array that the plan computes.
    Leaf(usize),
    /// None, a number, a text or a type.
    Fixed(Py<PyAny>),
    Tuple(Vec<Tree>),
    /// A tuple of a type of its own.
    Named(Py<PyAny>, Vec<Tree>),
    List(Vec<Tree>),
    Dict(Vec<(Py<PyAny>, Tree)>),
}

impl Tree {
    /// Reads a result; its arrays go to `exprs`.
    pub(super) fn read(object: &Bound<'_, PyAny>, exprs: &mut Vec<Expr>, depth: usize) -> PyResult<Tree> {
        if let Ok(tracer) = object.cast_exact::<Tracer>() {
            exprs.push(tracer.get().expr.clone());
            return Ok(Tree::Leaf(exprs.len() - 1));
        }
        if object::is_array(object) {
            exprs.push(Expr::from(object::snapshot(object)?));
            return Ok(Tree::Leaf(exprs.len() - 1));
        }
        if depth == MAX_DEPTH {
            return Err(exc::PyValueError::new_err("jit: the result has containers nested too deep"));
        }
        let mut read = |item: &Bound<'_, PyAny>| Tree::read(item, exprs, depth + 1);
        if let Ok(tuple) = object.cast::<PyTuple>() {
            let items = tuple.iter().map(|item| read(&item)).collect::<PyResult<Vec<_>>>()?;
            let plain = object.is_exact_instance_of::<PyTuple>();
            return Ok(if plain {
                Tree::Tuple(items)
            } else {
                Tree::Named(object.get_type().into_any().unbind(), items)
            });
        }
        if let Ok(list) = object.cast_exact::<PyList>() {
            return list.iter().map(|item| read(&item)).collect::<PyResult<_>>().map(Tree::List);
        }
        if let Ok(dict) = object.cast_exact::<PyDict>() {
            let items = dict.iter().map(|(key, item)| Ok((key.unbind(), read(&item)?)));
            return items.collect::<PyResult<_>>().map(Tree::Dict);
        }
        if object.is_none() || Leaves::default().number(object)? || dtype::is_dtype(object) {
            return Ok(Tree::Fixed(object.clone().unbind()));
        }
        let what = object.get_type().name()?;
        Err(exc::PyTypeError::new_err(format!(
            "jit: the function returned an object of type {what}; results are arrays, numbers and texts in tuples, lists and \
             dictionaries"
        )))
    }

    /// The result, of arrays that were computed.
    pub(super) fn object<'py>(&self, py: Python<'py>, arrays: &mut [Option<Datum>]) -> PyResult<Bound<'py, PyAny>> {
        let mut all = |trees: &[Tree]| trees.iter().map(|t| t.object(py, arrays)).collect::<PyResult<Vec<_>>>();
        match self {
            Tree::Leaf(i) => match arrays.get_mut(*i).and_then(Option::take) {
                Some(Datum::Array(array)) => object::wrap(py, array.into()),
                _ => Err(exc::PyRuntimeError::new_err("jit: a result was not computed")),
            },
            Tree::Fixed(object) => Ok(object.clone_ref(py).into_bound(py)),
            Tree::Tuple(trees) => Ok(PyTuple::new(py, all(trees)?)?.into_any()),
            Tree::Named(kind, trees) => of_kind(kind.bind(py), PyTuple::new(py, all(trees)?)?),
            Tree::List(trees) => Ok(PyList::new(py, all(trees)?)?.into_any()),
            Tree::Dict(items) => {
                let dict = PyDict::new(py);
                for (key, tree) in items {
                    dict.set_item(key.clone_ref(py), tree.object(py, arrays)?)?;
                }
                Ok(dict.into_any())
            }
        }
    }
}

/// Traced arrays for the arrays of a call, and their expressions.
pub(super) fn tracers<'py>(py: Python<'py>, arrays: &[Datum]) -> PyResult<(Vec<Expr>, Vec<Bound<'py, PyAny>>)> {
    let exprs: Vec<Expr> = arrays.iter().filter_map(|d| d.array().cloned()).map(Expr::input).collect();
    let objects = exprs.iter().map(|expr| wrap(py, expr.clone())).collect::<PyResult<_>>()?;
    Ok((exprs, objects))
}
