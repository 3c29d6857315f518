//! Functions by name, handed to those who look names up: built-in rows, and the program's own beside them.
//!
//! There is no list of the process: a [`Registry`] is a value, filled by its owner and lent, frozen, to an evaluation.
use crate::function::{Param, bind, reduction_params, signature};
use crate::{Array, Function, OpsError, Outputs, UserFunc, UserReduction, Value};
use freelane_pool::Lane;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Functions by name, in namespaces.
///
/// ```
/// use freelane_ops::{Array, Registry, UserFunc, Value};
/// use freelane_pool::Lane;
/// let mut registry = Registry::default();
/// let cube = UserFunc::builder("cube", &["x"]).map(|x: f64| x * x * x).register()?;
/// registry.add(cube.clone())?;
/// let x = Value::Array(Array::from_vec(vec![2.0], &[1])?);
/// let y = Lane::with(|lane| registry.get("", "cube").unwrap().call(lane, &[x], &[]))?.one().unwrap();
/// assert_eq!(y.to_vec::<f64>()?, [8.0]);
/// assert_eq!(registry.add(cube).unwrap_err().to_string(), "cube: there is a function of this name already");
/// # Ok::<(), freelane_ops::OpsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Registry {
    rows: BTreeMap<(&'static str, &'static str), Function>,
    own: BTreeMap<&'static str, Registered>,
}

/// A function of the program's own.
#[derive(Clone, Debug)]
pub enum Registered {
    /// An elementwise function.
    UFunc(UserFunc),
    /// A reduction.
    Reduction(UserReduction),
}

/// A function that a registry knows.
#[derive(Clone, Copy, Debug)]
pub enum Callable<'a> {
    /// A built-in row.
    Row(Function),
    /// One of the program's own.
    Own(&'a Registered),
}

impl Default for Registry {
    /// The rows of this crate.
    fn default() -> Registry {
        Registry::new(Function::all().map(|f| ("", f)))
    }
}

impl Registry {
    /// A registry of built-in rows, each in a namespace; the main one has no name.
    pub fn new(rows: impl IntoIterator<Item = (&'static str, Function)>) -> Registry {
        let rows = rows.into_iter().map(|(namespace, f)| ((namespace, f.name()), f)).collect();
        Registry { rows, own: BTreeMap::new() }
    }

    /// Adds a function of the program's own to the main namespace.
    ///
    /// # Errors
    /// When its name is taken: [`OpsError::NameTaken`].
    pub fn add(&mut self, function: impl Into<Registered>) -> Result<(), OpsError> {
        let function = function.into();
        let op = function.name();
        if self.get("", op).is_some() {
            return Err(OpsError::NameTaken { op });
        }
        self.own.insert(op, function);
        Ok(())
    }

    /// The function of a name in a namespace.
    pub fn get(&self, namespace: &str, name: &str) -> Option<Callable<'_>> {
        let own = if namespace.is_empty() { self.own.get(name).map(Callable::Own) } else { None };
        own.or_else(|| self.rows.get(&(namespace, name)).map(|f| Callable::Row(*f)))
    }

    /// Whether there is a namespace of this name.
    pub fn has_namespace(&self, namespace: &str) -> bool {
        self.namespaces().any(|n| n == namespace)
    }

    fn namespaces(&self) -> impl Iterator<Item = &'static str> {
        self.rows.keys().map(|(namespace, _)| *namespace)
    }

    /// All functions, with their namespaces.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Callable<'_>)> {
        let rows = self.rows.iter().map(|((namespace, _), f)| (*namespace, Callable::Row(*f)));
        rows.chain(self.own.values().map(|f| ("", Callable::Own(f))))
    }
}

impl Registered {
    fn name(&self) -> &'static str {
        match self {
            Registered::UFunc(f) => f.name(),
            Registered::Reduction(r) => r.name(),
        }
    }
}

impl From<UserFunc> for Registered {
    fn from(f: UserFunc) -> Registered {
        Registered::UFunc(f)
    }
}

impl From<UserReduction> for Registered {
    fn from(r: UserReduction) -> Registered {
        Registered::Reduction(r)
    }
}

impl<'a> Callable<'a> {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Callable::Row(f) => f.name(),
            Callable::Own(f) => f.name(),
        }
    }

    /// What it computes.
    pub fn doc(self) -> &'a str {
        match self {
            Callable::Row(f) => f.doc(),
            Callable::Own(Registered::UFunc(f)) => f.doc(),
            Callable::Own(Registered::Reduction(r)) => r.doc(),
        }
    }

    /// Its parameters, in order.
    pub fn params(self) -> &'a [Param] {
        match self {
            Callable::Row(f) => f.params(),
            Callable::Own(Registered::UFunc(f)) => f.params(),
            Callable::Own(Registered::Reduction(_)) => reduction_params(),
        }
    }

    /// The way it is called, as Python writes it.
    pub fn signature(self) -> String {
        signature(self.name(), self.params())
    }

    /// Calls it with positional and named arguments.
    ///
    /// # Errors
    /// As [`Function::call`].
    pub fn call(self, lane: &Lane, positional: &[Value], named: &[(&str, Value)]) -> Result<Outputs, OpsError> {
        let own = match self {
            Callable::Row(f) => return f.call(lane, positional, named),
            Callable::Own(own) => own,
        };
        let params = self.params();
        let bound = bind(self.name(), params, positional, named)?;
        let made = match own {
            Registered::UFunc(f) => {
                let operands = (0..params.len()).map(|i| bound.operand(i)).collect::<Result<SmallVec<[_; 3]>, _>>()?;
                f.call(lane, &operands)
            }
            Registered::Reduction(r) => r.call(lane, bound.array(0)?.data(), &bound.axes(1)?, bound.bool(2)?),
        };
        made.map(Array::from).map(Outputs::One)
    }

    /// As [`Callable::call`], with arguments that are given away ([`Function::call_owned`]).
    ///
    /// # Errors
    /// As [`Function::call`].
    pub fn call_owned(self, lane: &Lane, positional: Vec<Value>, named: &[(&str, Value)]) -> Result<Outputs, OpsError> {
        match self {
            Callable::Row(f) => f.call_owned(lane, positional, named),
            Callable::Own(_) => self.call(lane, &positional, named),
        }
    }
}
