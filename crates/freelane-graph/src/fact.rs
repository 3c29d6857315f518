//! What is known of a value before anything runs.
use freelane_array::{ArrayData, DType};
use smallvec::SmallVec;
use std::fmt;
use std::sync::Arc;

/// The length of an axis, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dim {
    /// This length.
    Known(usize),
    /// The length that this name stands for; two axes of one name are equally long.
    Named(Arc<str>),
    /// Some length.
    Unknown,
}

impl Dim {
    /// The length, if it is known.
    pub fn known(&self) -> Option<usize> {
        match self {
            Dim::Known(n) => Some(*n),
            _ => None,
        }
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Known(n) => write!(f, "{n}"),
            Dim::Named(name) => f.write_str(name),
            Dim::Unknown => f.write_str("?"),
        }
    }
}

/// What is known of a value: each part may be missing, and nothing that stands here is wrong.
#[derive(Clone, Default)]
pub struct Fact {
    /// The type of its elements.
    pub dtype: Option<DType>,
    /// Lengths of its axes.
    pub shape: Option<Vec<Dim>>,
    /// The value itself, where it is the same in every run.
    pub constant: Option<ArrayData>,
}

impl Fact {
    /// Nothing is known.
    pub fn unknown() -> Fact {
        Fact::default()
    }

    /// A type of elements, and any shape.
    pub fn of_dtype(dtype: DType) -> Fact {
        Fact { dtype: Some(dtype), ..Fact::default() }
    }

    /// A type of elements and a shape.
    pub fn new(dtype: DType, shape: impl IntoIterator<Item = Dim>) -> Fact {
        Fact { dtype: Some(dtype), shape: Some(shape.into_iter().collect()), constant: None }
    }

    /// A type of elements and a shape of known lengths.
    ///
    /// ```
    /// use freelane_graph::Fact;
    /// use freelane_ops::DType;
    /// let fact = Fact::known(DType::F32, &[1, 3, 224, 224]);
    /// assert_eq!(fact.to_string(), "float32 [1, 3, 224, 224]");
    /// ```
    pub fn known(dtype: DType, shape: &[usize]) -> Fact {
        Fact::new(dtype, shape.iter().map(|&n| Dim::Known(n)))
    }

    /// What is known of a value that never changes: everything.
    pub fn constant(array: ArrayData) -> Fact {
        Fact { constant: Some(array.clone()), ..Fact::known(array.dtype(), array.layout().shape()) }
    }

    /// Number of axes.
    pub fn rank(&self) -> Option<usize> {
        self.shape.as_ref().map(Vec::len)
    }

    /// Lengths of all axes, if all are known.
    pub fn known_shape(&self) -> Option<Vec<usize>> {
        self.shape.as_ref()?.iter().map(Dim::known).collect()
    }

    /// What contradicts this fact in a value of a type and shape.
    ///
    /// # Errors
    /// What was expected and what was found.
    pub fn check(&self, array: &ArrayData) -> Result<(), String> {
        let found = array.layout().shape();
        let fits = |shape: &Vec<Dim>| {
            shape.len() == found.len() && shape.iter().zip(found).all(|(d, &n)| d.known().is_none_or(|d| d == n))
        };
        if self.dtype.is_some_and(|d| d != array.dtype()) || !self.shape.as_ref().is_none_or(fits) {
            return Err(format!("expected {self}, found {} {found:?}", array.dtype()));
        }
        Ok(())
    }

    /// What contradicts lengths that names stood for before; those that are new are noted.
    pub(crate) fn check_names<'f>(
        &'f self,
        array: &ArrayData,
        named: &mut SmallVec<[(&'f str, usize); 4]>,
    ) -> Result<(), String> {
        for (dim, &n) in self.shape.iter().flatten().zip(array.layout().shape()) {
            let Dim::Named(name) = dim else { continue };
            match named.iter().find(|(known, _)| **known == **name) {
                Some((_, before)) if *before != n => {
                    let found = array.layout().shape();
                    return Err(format!(
                        "expected {self} with {name} = {before} as in an input before, found {found:?}"
                    ));
                }
                Some(_) => (),
                None => named.push((name, n)),
            }
        }
        Ok(())
    }

    /// What is known, and what somebody says of the rest.
    #[must_use]
    pub fn or(&self, told: &Fact) -> Fact {
        let dim = |(mine, told): (&Dim, &Dim)| if *mine == Dim::Unknown { told.clone() } else { mine.clone() };
        let shape = match (&self.shape, &told.shape) {
            (Some(mine), Some(told)) if mine.len() == told.len() => Some(mine.iter().zip(told).map(dim).collect()),
            (Some(mine), _) => Some(mine.clone()),
            (None, told) => told.clone(),
        };
        Fact { dtype: self.dtype.or(told.dtype), shape, constant: self.constant.clone() }
    }

    /// What holds whichever of two facts holds: for a value that two branches make.
    #[must_use]
    pub fn either(&self, other: &Fact) -> Fact {
        let shape = match (&self.shape, &other.shape) {
            (Some(a), Some(b)) if a.len() == b.len() => {
                let either = |(x, y): (&Dim, &Dim)| if x == y { x.clone() } else { Dim::Unknown };
                Some(a.iter().zip(b).map(either).collect())
            }
            _ => None,
        };
        Fact { dtype: self.dtype.filter(|_| self.dtype == other.dtype), shape, constant: None }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.dtype.map_or("any", DType::name))?;
        if let Some(shape) = &self.shape {
            let dims: Vec<String> = shape.iter().map(Dim::to_string).collect();
            write!(f, " [{}]", dims.join(", "))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}{}", if self.constant.is_some() { " constant" } else { "" })
    }
}

/// The shape that several broadcast to, as far as it is known; nothing if they cannot.
pub fn broadcast_dims(shapes: &[&[Dim]]) -> Option<Vec<Dim>> {
    let rank = shapes.iter().map(|s| s.len()).max().unwrap_or(0);
    let mut out = vec![Dim::Known(1); rank];
    for shape in shapes {
        for (o, d) in out[rank - shape.len()..].iter_mut().zip(*shape) {
            *o = match (&*o, d) {
                (Dim::Known(1), d) => d.clone(),
                (o, Dim::Known(1)) => o.clone(),
                (Dim::Known(a), Dim::Known(b)) if a != b => return None,
                // A length that is known and not 1 wins over one that may be 1.
                (Dim::Known(n), _) | (_, Dim::Known(n)) => Dim::Known(*n),
                (a, b) if *a == *b => a.clone(),
                _ => Dim::Unknown,
            };
        }
    }
    Some(out)
}
