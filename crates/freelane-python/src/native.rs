//! How Python calls: one convention for every function and method.
//!
//! ```text
//! trampoline N -> Table.functions[N]  (or methods)   a static array of C functions, one a place in the table
//!              -> Callable: parameters, body         bound by position and name, then a row or a native function runs
//! ```
//!
//! The interpreter wants a C function for each Python function. They are made by a const generic, so a new row needs none
//! written. Functions enter the module through its method table: on free-threaded builds they then are not counted.
use crate::{errors, functions};
use freelane::Function;
use freelane_sync::OnceTable;
use pyo3::prelude::*;
use pyo3::{Borrowed, exceptions as exc, ffi};
use std::ffi::{CStr, CString};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The most parameters a function has.
pub(crate) const MAX_PARAMS: usize = 12;
/// The most functions, and the most methods.
const PLACES: usize = 512;

/// A function or method written by hand.
pub struct Native {
    /// As Python writes it: `asarray(obj, /, *, dtype=None)`. A method's first parameter is `self`. It binds arguments, and
    /// is what `help` and the stub show.
    pub signature: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// Does it.
    pub run: NativeFn,
}

/// The body of a function written by hand.
pub type NativeFn = for<'py> fn(Python<'py>, &Args<'_, 'py>) -> PyResult<Bound<'py, PyAny>>;

/// A read-only attribute.
pub struct Getter {
    /// Its name.
    pub name: &'static CStr,
    /// What it is.
    pub doc: &'static CStr,
    /// Reads it.
    pub get: for<'py> fn(Python<'py>, &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>,
}

/// Arguments matched to parameters.
pub struct Args<'a, 'py> {
    values: [Option<Borrowed<'a, 'py, PyAny>>; MAX_PARAMS],
    rest: &'a [*mut ffi::PyObject],
    py: Python<'py>,
}

impl<'py> Args<'_, 'py> {
    /// Argument `i`; `None` if it was not given.
    #[inline]
    pub fn get(&self, i: usize) -> Option<&Bound<'py, PyAny>> {
        self.values[i].as_deref()
    }

    /// Argument `i`, unless it was not given or is Python's `None`.
    #[inline]
    pub fn some(&self, i: usize) -> Option<&Bound<'py, PyAny>> {
        self.get(i).filter(|v| !v.is_none())
    }

    /// Argument `i`, a parameter without a default.
    #[inline]
    pub fn required(&self, i: usize) -> &Bound<'py, PyAny> {
        self.get(i).unwrap_or_else(|| unreachable!("parameter {i} was bound"))
    }

    /// Whether argument `i` was given and is true.
    pub fn flag(&self, i: usize) -> PyResult<bool> {
        self.some(i).map_or(Ok(false), Bound::is_truthy)
    }

    /// The arguments of the parameter with a star.
    pub fn rest(&self) -> impl ExactSizeIterator<Item = Borrowed<'_, 'py, PyAny>> {
        // SAFETY: the arguments live as long as the call, and are not null.
        self.rest.iter().map(|&p| unsafe { Borrowed::from_ptr(self.py, p) })
    }
}

/// A parameter as Python knows it.
pub(crate) struct Param {
    pub name: String,
    also: Option<String>,
    pub required: bool,
    pub by_position: bool,
    pub by_name: bool,
    interned: *mut ffi::PyObject,
}

/// A short way for the commonest call of a function; `None` sends the call the long way.
pub(crate) type QuickFn = fn(&RawCall<'_, '_>) -> Option<*mut ffi::PyObject>;

/// What a function does.
pub(crate) enum Body {
    Row(Function),
    Native(NativeFn),
    Quick(QuickFn, NativeFn),
    QuickRow(QuickFn, Function),
}

/// A function that Python can call.
pub(crate) struct Callable {
    /// The namespace it is in; the main one has no name.
    pub namespace: &'static str,
    name: CString,
    pub doc: CString,
    pub signature: String,
    pub params: Vec<Param>,
    positions: usize,
    /// Whether more positional arguments are taken, into `Args::rest`.
    star: bool,
    pub body: Body,
}

// SAFETY: the pointers are to interned strings, which are never written after the module has started.
unsafe impl Sync for Callable {}
// SAFETY: as above.
unsafe impl Send for Callable {}

fn c_string(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

fn interned(name: &str) -> *mut ffi::PyObject {
    let name = c_string(name);
    // SAFETY: attached, and the text is a C string. The reference is kept for ever.
    let object = unsafe { ffi::PyUnicode_InternFromString(name.as_ptr()) };
    immortal(object);
    object
}

/// Keeps an object that was just made here for ever, uncounted where counting would be shared.
pub(crate) fn immortal(object: *mut ffi::PyObject) {
    #[cfg(Py_GIL_DISABLED)]
    {
        unsafe extern "C" {
            fn _Py_SetRefcnt(object: *mut ffi::PyObject, count: ffi::Py_ssize_t);
        }
        // SAFETY: made by this thread just now; a count that does not fit makes an object immortal.
        unsafe { _Py_SetRefcnt(object, ffi::Py_ssize_t::MAX) };
    }
    let _ = object;
}

impl Callable {
    pub(crate) fn of_native(native: &Native) -> Callable {
        let body = match crate::quick(native.signature) {
            Some(quick) => Body::Quick(quick, native.run),
            None => Body::Native(native.run),
        };
        Callable::new(native.signature, native.doc, body)
    }

    pub(crate) fn of_row((namespace, row): (&'static str, Function)) -> Callable {
        let signature = functions::signature(row);
        let body = match crate::quick(&signature) {
            Some(quick) if namespace.is_empty() => Body::QuickRow(quick, row),
            _ => Body::Row(row),
        };
        Callable { namespace, ..Callable::new(&signature, &functions::doc(row), body) }
    }

    /// A row whose first parameter is the array that the method is called on.
    pub(crate) fn of_method_row(row: Function) -> Callable {
        let signature = functions::signature(row);
        let first = row.params().first().map_or("", |p| p.shown_name());
        let signature = signature.replacen(&format!("({first}"), "(self", 1);
        Callable::new(&signature, &functions::doc(row), Body::Row(row))
    }

    /// Reads a signature as Python writes it.
    fn new(signature: &str, doc: &str, body: Body) -> Callable {
        let (name, rest) = signature.split_once('(').unwrap_or((signature, ")"));
        let mut params: Vec<Param> = vec![];
        let (mut keyword_only, mut star) = (false, false);
        for part in split(rest.strip_suffix(')').unwrap_or(rest)) {
            match part {
                "/" => params.iter_mut().for_each(|p| p.by_name = false),
                "*" => keyword_only = true,
                _ if part.starts_with('*') => (keyword_only, star) = (true, true),
                _ => {
                    let (name, default) = part.split_once('=').map_or((part, None), |(n, d)| (n, Some(d)));
                    params.push(Param {
                        interned: interned(name),
                        also: None,
                        name: name.to_owned(),
                        required: default.is_none(),
                        by_position: !keyword_only,
                        by_name: true,
                    });
                }
            }
        }
        if let Body::Row(row) | Body::QuickRow(_, row) = body {
            for (also, param) in row.params().iter().filter_map(|p| Some((p.name.split_once('|')?.1, p.shown_name()))) {
                if let Some(p) = params.iter_mut().find(|p| p.name == param) {
                    p.also = Some(also.to_owned());
                }
            }
        }
        assert!(params.len() <= MAX_PARAMS, "{signature}: more parameters than {MAX_PARAMS}");
        let positions = params.iter().filter(|p| p.by_position).count();
        let shown = signature.replacen("(self", "($self", 1);
        let doc = c_string(&format!("{shown}\n--\n\n{}", doc.trim_end()));
        Callable {
            namespace: "",
            name: c_string(name),
            doc,
            signature: signature.to_owned(),
            params,
            positions,
            star,
            body,
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.name.to_str().unwrap_or_default()
    }

    /// The name of parameter `i` as the interpreter passes it.
    #[inline(always)]
    pub(crate) fn interned(&self, i: usize) -> *mut ffi::PyObject {
        self.params[i].interned
    }

    /// Matches arguments to parameters.
    #[inline]
    pub(crate) fn bind<'a, 'py>(&self, call: &RawCall<'a, 'py>) -> PyResult<Args<'a, 'py>> {
        let mut args = Args { values: [None; MAX_PARAMS], rest: &[], py: call.py };
        let given = call.given();
        if given > self.positions {
            if !self.star {
                return Err(self.too_many(given));
            }
            args.rest = &call.positional[self.positions - usize::from(call.slf.is_some())..];
        }
        for (i, value) in args.values.iter_mut().take(given.min(self.positions)).enumerate() {
            *value = Some(call.at(i));
        }
        for (name, value) in call.named() {
            self.bind_name(&mut args, name, value)?;
        }
        if given < self.params.len() {
            let missing = (given..self.params.len()).find(|&i| self.params[i].required && args.values[i].is_none());
            if let Some(i) = missing {
                return Err(self.missing(i));
            }
        }
        Ok(args)
    }

    fn bind_name<'a, 'py>(
        &self,
        args: &mut Args<'a, 'py>,
        name: Borrowed<'a, 'py, PyAny>,
        value: Borrowed<'a, 'py, PyAny>,
    ) -> PyResult<()> {
        let found = self.params.iter().position(|p| p.by_name && p.interned == name.as_ptr());
        let i = match found {
            Some(i) => i,
            None => self.position_of(name)?,
        };
        if args.values[i].replace(value).is_some() {
            let message =
                format!("{}() got two values for {}; usage: {}", self.name(), self.params[i].name, self.signature);
            return Err(exc::PyTypeError::new_err(message));
        }
        Ok(())
    }

    #[cold]
    fn position_of(&self, name: Borrowed<'_, '_, PyAny>) -> PyResult<usize> {
        let name: String = name.extract()?;
        let answers = |p: &Param| p.by_name && (p.name == name || p.also.as_deref() == Some(&name));
        self.params.iter().position(answers).ok_or_else(|| {
            let by_position = self.params.iter().any(|p| p.name == name);
            let why = if by_position { "takes by position only" } else { "does not have" };
            let message = format!("{}() {why} a parameter {name}; {}", self.name(), self.usage());
            exc::PyTypeError::new_err(message)
        })
    }

    #[cold]
    fn too_many(&self, given: usize) -> PyErr {
        let (name, most) = (self.name(), self.positions);
        let message = format!("{name}() takes {most} positional arguments, {given} given; {}", self.usage());
        exc::PyTypeError::new_err(message)
    }

    /// How it is called, and what else may have been meant.
    fn usage(&self) -> String {
        let other = if self.name() == "round" { "; around(x, decimals) keeps decimals" } else { "" };
        format!("usage: {}{other}", self.signature)
    }

    #[cold]
    fn missing(&self, i: usize) -> PyErr {
        let (name, missing) = (self.name(), &self.params[i].name);
        exc::PyTypeError::new_err(format!("{name}() needs {missing}; usage: {}", self.signature))
    }
}

/// The parts of a parameter list, brackets in defaults respected.
fn split(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0i32;
    list.split(move |c: char| {
        depth += i32::from(c == '(' || c == '[') - i32::from(c == ')' || c == ']');
        c == ',' && depth == 0
    })
    .map(str::trim)
    .filter(|part| !part.is_empty())
}

/// The arguments as the interpreter hands them over.
pub(crate) struct RawCall<'a, 'py> {
    pub py: Python<'py>,
    pub slf: Option<Borrowed<'a, 'py, PyAny>>,
    pub positional: &'a [*mut ffi::PyObject],
    /// Values of the named arguments.
    named: &'a [*mut ffi::PyObject],
    /// A tuple of their names, or null.
    names: *mut ffi::PyObject,
}

impl<'a, 'py> RawCall<'a, 'py> {
    /// # Safety
    /// The arguments are those of a `METH_FASTCALL | METH_KEYWORDS` call, and live for `'a`.
    #[inline(always)]
    unsafe fn new(
        py: Python<'py>,
        slf: Option<Borrowed<'a, 'py, PyAny>>,
        args: *const *mut ffi::PyObject,
        count: ffi::Py_ssize_t,
        names: *mut ffi::PyObject,
    ) -> Self {
        let count = count as usize;
        // SAFETY: names is null or a tuple.
        let more = if names.is_null() { 0 } else { unsafe { ffi::PyTuple_GET_SIZE(names) as usize } };
        if count + more == 0 {
            return RawCall { py, slf, positional: &[], named: &[], names };
        }
        // SAFETY: the interpreter passes that many arguments.
        let all = unsafe { std::slice::from_raw_parts(args, count + more) };
        RawCall { py, slf, positional: &all[..count], named: &all[count..], names }
    }

    /// Number of positional arguments, `self` included.
    #[inline(always)]
    pub(crate) fn given(&self) -> usize {
        self.positional.len() + usize::from(self.slf.is_some())
    }

    /// Whether there are no named arguments.
    #[inline(always)]
    pub(crate) fn is_positional(&self) -> bool {
        self.names.is_null()
    }

    /// The named argument, if there is just one and it has this name.
    #[inline(always)]
    pub(crate) fn only_named(&self, name: *mut ffi::PyObject) -> Option<Borrowed<'a, 'py, PyAny>> {
        let &[value] = self.named else { return None };
        // SAFETY: there is one named argument, so the tuple has one name; the value is a live object for 'a.
        unsafe { (ffi::PyTuple_GET_ITEM(self.names, 0) == name).then(|| Borrowed::from_ptr(self.py, value)) }
    }

    /// Positional argument `i`, `self` included.
    #[inline(always)]
    pub(crate) fn at(&self, i: usize) -> Borrowed<'a, 'py, PyAny> {
        match (self.slf, i) {
            (Some(slf), 0) => slf,
            // SAFETY: arguments are live objects for 'a.
            (Some(_), _) => unsafe { Borrowed::from_ptr(self.py, self.positional[i - 1]) },
            // SAFETY: as above.
            (None, _) => unsafe { Borrowed::from_ptr(self.py, self.positional[i]) },
        }
    }

    /// The named arguments.
    pub(crate) fn named(&self) -> impl Iterator<Item = (Borrowed<'a, 'py, PyAny>, Borrowed<'a, 'py, PyAny>)> {
        let (py, names) = (self.py, self.names);
        self.named.iter().enumerate().map(move |(i, &value)| {
            // SAFETY: the tuple of names has one for each value; both live for 'a.
            unsafe {
                let name = ffi::PyTuple_GET_ITEM(names, i as ffi::Py_ssize_t);
                (Borrowed::from_ptr(py, name), Borrowed::from_ptr(py, value))
            }
        })
    }
}

/// Everything that Python can call, frozen while the module starts.
pub(crate) struct Table {
    pub functions: Vec<Callable>,
    pub methods: Vec<Callable>,
    pub matmul: Function,
}

// LEDGER: the process; written once while the module starts, then only read
static TABLE: OnceTable<Table> = OnceTable::new();

/// The table. The module has started.
#[inline(always)]
pub(crate) fn table() -> &'static Table {
    TABLE.get_or_init(Table::build)
}

impl Table {
    #[cold]
    fn build() -> Table {
        let functions = crate::natives().map(Callable::of_native).chain(functions::rows().map(Callable::of_row));
        let methods = crate::native_methods()
            .map(Callable::of_native)
            .chain(functions::method_rows().map(Callable::of_method_row));
        let (functions, methods): (Vec<_>, Vec<_>) = (functions.collect(), methods.collect());
        assert!(functions.len() <= PLACES && methods.len() <= PLACES, "more functions than places for them");
        let matmul = Function::by_name("matmul").unwrap_or_else(|| unreachable!("matmul is a row"));
        Table { functions, methods, matmul }
    }
}

/// Runs the body of a call: errors and panics become exceptions.
#[inline(always)]
pub(crate) fn enter<'py>(py: Python<'py>, body: impl FnOnce() -> PyResult<Bound<'py, PyAny>>) -> *mut ffi::PyObject {
    enter_raw(py, || raw(py, body()))
}

/// As [`enter`], for a body that raises its errors itself. A pointer comes back in a register; a result with room for an
/// error is copied through memory, several times, which costs more than a small array.
#[inline(always)]
fn enter_raw(py: Python<'_>, body: impl FnOnce() -> *mut ffi::PyObject) -> *mut ffi::PyObject {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| raise(py, panicked(panic)))
}

/// What the interpreter wants instead of a result: the object, or null with the error raised.
#[inline(always)]
pub(crate) fn raw<'py>(py: Python<'py>, result: PyResult<Bound<'py, PyAny>>) -> *mut ffi::PyObject {
    match result {
        Ok(value) => value.into_ptr(),
        Err(error) => raise(py, error),
    }
}

#[cold]
fn raise(py: Python<'_>, error: PyErr) -> *mut ffi::PyObject {
    errors::discard_waiting();
    error.restore(py);
    std::ptr::null_mut()
}

#[cold]
pub(crate) fn panicked(panic: Box<dyn std::any::Any + Send>) -> PyErr {
    let message = panic.downcast_ref::<String>().cloned();
    let message = message.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
    pyo3::panic::PanicException::new_err(message.unwrap_or_else(|| "a panic without a message".to_owned()))
}

type FastCall = unsafe extern "C" fn(
    *mut ffi::PyObject,
    *const *mut ffi::PyObject,
    ffi::Py_ssize_t,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;

unsafe extern "C" fn function<const N: usize>(
    _module: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls this attached, with the arguments of a fast call.
    let (py, call) = unsafe {
        let py = Python::assume_attached();
        (py, RawCall::new(py, None, args, count, names))
    };
    enter_raw(py, || functions::call(&table().functions[N], &call))
}

unsafe extern "C" fn method<const N: usize>(
    slf: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: as for a function; `slf` is the object the method was called on.
    let (py, call) = unsafe {
        let py = Python::assume_attached();
        (py, RawCall::new(py, Some(Borrowed::from_ptr(py, slf)), args, count, names))
    };
    enter_raw(py, || functions::call(&table().methods[N], &call))
}

seq_macro::seq!(N in 0..512 {
    static FUNCTIONS: [FastCall; PLACES] = [#(function::<N>,)*];
    static METHODS: [FastCall; PLACES] = [#(method::<N>,)*];
});

/// The definitions of a list of callables for the interpreter, which keeps them for ever.
fn definitions(
    callables: &'static [Callable],
    entries: &[FastCall],
    more: impl Iterator<Item = ffi::PyMethodDef>,
) -> *mut ffi::PyMethodDef {
    let mut list: Vec<ffi::PyMethodDef> = callables
        .iter()
        .zip(entries)
        .map(|(callable, &entry)| ffi::PyMethodDef {
            ml_name: callable.name.as_ptr(),
            ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: entry },
            ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
            ml_doc: callable.doc.as_ptr(),
        })
        .chain(more)
        .collect();
    list.push(ffi::PyMethodDef::zeroed());
    list.leak().as_mut_ptr()
}

/// The methods of the array type.
pub(crate) fn method_definitions() -> *mut ffi::PyMethodDef {
    let variadic = crate::numpy::VARIADIC.iter().map(|&(name, function, doc)| ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionWithKeywords: function },
        ml_flags: ffi::METH_VARARGS | ffi::METH_KEYWORDS,
        ml_doc: doc.as_ptr(),
    });
    definitions(&table().methods, &METHODS, variadic)
}

/// Adds all functions to the module, those of a namespace to a module of its name.
pub(crate) fn add_functions(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let functions = &table().functions;
    let mut from = 0;
    for part in functions.chunk_by(|a, b| a.namespace == b.namespace) {
        let namespace = part[0].namespace;
        let target = match namespace {
            "" => module.clone(),
            _ => PyModule::new(module.py(), &format!("freelane.{namespace}"))?,
        };
        add_part(&target, part, &FUNCTIONS[from..])?;
        if !namespace.is_empty() {
            module.setattr(format!("_{namespace}"), target)?;
        }
        from += part.len();
    }
    Ok(())
}

fn add_part(module: &Bound<'_, PyModule>, part: &'static [Callable], entries: &[FastCall]) -> PyResult<()> {
    let list = definitions(part, entries, std::iter::empty());
    // SAFETY: the list ends with an empty definition and is never freed.
    let failed = unsafe { ffi::PyModule_AddFunctions(module.as_ptr(), list) } < 0;
    if failed {
        return Err(PyErr::fetch(module.py()));
    }
    let mut public = part.iter().map(Callable::name).filter(|name| !name.starts_with('_'));
    let all = module.index()?;
    public.try_for_each(|name| all.append(name))
}

unsafe extern "C" fn getter(slf: *mut ffi::PyObject, closure: *mut std::ffi::c_void) -> *mut ffi::PyObject {
    // SAFETY: called attached, with the closure of `getter_definitions`.
    let (py, slf, getter) = unsafe {
        let py = Python::assume_attached();
        (py, Borrowed::from_ptr(py, slf), &*closure.cast::<Getter>())
    };
    enter(py, || (getter.get)(py, &slf))
}

/// The attributes of a type.
pub(crate) fn getter_definitions(getters: impl Iterator<Item = &'static Getter>) -> *mut ffi::PyGetSetDef {
    let define = |g: &'static Getter| ffi::PyGetSetDef {
        name: g.name.as_ptr(),
        get: Some(getter),
        set: None,
        doc: g.doc.as_ptr(),
        closure: std::ptr::from_ref(g).cast_mut().cast(),
    };
    let mut list: Vec<ffi::PyGetSetDef> = getters.map(define).collect();
    list.push(ffi::PyGetSetDef::default());
    list.leak().as_mut_ptr()
}
