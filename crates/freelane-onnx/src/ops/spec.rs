//! What a node says of itself.
use crate::proto::{Attribute, Tensor};
use crate::{DataType, ExternalData, Fault, array_of};
use freelane_array::{ArrayData, DType};
use freelane_graph::{Datum, Fact, GraphError, Plan, Run, State};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// A graph that a node runs: a branch, or the body of a loop.
#[derive(Clone)]
pub(crate) struct Body {
    /// The graph. Behind its own inputs it has those that it takes from outside.
    pub plan: Arc<Plan>,
    /// Number of its own inputs.
    pub inputs: usize,
    /// Which of the node's inputs those are that it takes from outside.
    pub captures: Vec<usize>,
}

impl Body {
    /// What is known of its outputs.
    pub fn output_facts(&self) -> Vec<Fact> {
        let graph = self.plan.graph();
        graph.outputs().iter().map(|&id| Fact { constant: None, ..graph.fact(id).clone() }).collect()
    }

    /// Runs it on its own inputs.
    pub fn run(&self, cx: &Run<'_>, state: &mut State, mut inputs: Vec<Datum>) -> Result<Vec<Datum>, GraphError> {
        for &i in &self.captures {
            let missing = || GraphError::invalid(format!("input {i}, which a body reads, is missing"));
            inputs.push(cx.datum(i).ok_or_else(missing)?.clone());
        }
        cx.call(&self.plan, state, &inputs)
    }
}

/// A node, before it is an operator.
pub(crate) struct Spec<'s> {
    /// The operator's name.
    pub name: &'s str,
    /// The version of its set.
    pub opset: u32,
    /// What is known of the node's own inputs; nothing where one is left out.
    pub inputs: &'s [Option<Fact>],
    /// Which outputs are wanted.
    pub outputs: &'s [bool],
    /// Attributes, those of a function's caller put in.
    pub attributes: &'s [Attribute<'s>],
    /// The graphs among them, by name.
    pub bodies: &'s [(&'s str, Body)],
    /// Where elements may lie that are not in the file.
    pub external: &'s ExternalData,
    /// Of each own input, the type that its array carries, where that is narrower.
    pub narrow: &'s [Option<&'static DataType>],
    /// The same of the outputs, told by whoever makes the operator.
    pub makes: Cell<Option<&'static DataType>>,
    /// Names of attributes that were asked for.
    pub asked: RefCell<Vec<&'static str>>,
    /// How many of its own inputs the operator reads: fewer than there are, where it keeps the others itself.
    pub reads: Cell<usize>,
}

impl<'s> Spec<'s> {
    /// The attribute of a name, which must be of a kind.
    fn find(&self, name: &'static str, kind: i64, what: &str) -> Result<Option<&'s Attribute<'s>>, Fault> {
        self.asked.borrow_mut().push(name);
        let Some(found) = self.attributes.iter().find(|a| a.name == name) else { return Ok(None) };
        // Files of the first versions do not tell the kind.
        if found.kind != kind && found.kind != 0 {
            return Err(Fault::Invalid(format!("attribute {name} must be {what}")));
        }
        Ok(Some(found))
    }

    /// A whole number, if it is there.
    pub fn int_or_none(&self, name: &'static str) -> Result<Option<i64>, Fault> {
        Ok(self.find(name, 2, "a whole number")?.map(|a| a.i))
    }

    /// A whole number.
    pub fn int(&self, name: &'static str, default: i64) -> Result<i64, Fault> {
        Ok(self.int_or_none(name)?.unwrap_or(default))
    }

    /// A whole number that stands for true or false.
    pub fn flag(&self, name: &'static str, default: bool) -> Result<bool, Fault> {
        Ok(self.int(name, default.into())? != 0)
    }

    /// A real number, if it is there.
    pub fn float_or_none(&self, name: &'static str) -> Result<Option<f32>, Fault> {
        Ok(self.find(name, 1, "a real number")?.map(|a| a.f))
    }

    /// A real number.
    pub fn float(&self, name: &'static str, default: f32) -> Result<f32, Fault> {
        Ok(self.float_or_none(name)?.unwrap_or(default))
    }

    /// A text, if it is there.
    pub fn text_or_none(&self, name: &'static str) -> Result<Option<&'s str>, Fault> {
        let wrong = |_| Fault::Invalid(format!("attribute {name} must be text"));
        self.find(name, 3, "a text")?.map(|a| std::str::from_utf8(a.s).map_err(wrong)).transpose()
    }

    /// A text.
    pub fn text(&self, name: &'static str, default: &'s str) -> Result<&'s str, Fault> {
        Ok(self.text_or_none(name)?.unwrap_or(default))
    }

    /// One of several words; returns its place among them.
    pub fn word(&self, name: &'static str, default: &'s str, words: &[&str]) -> Result<usize, Fault> {
        let found = self.text(name, default)?;
        words.iter().position(|w| *w == found).ok_or_else(|| {
            let shown = crate::error::shown(found);
            Fault::Invalid(format!("attribute {name} must be one of {}, not '{shown}'", words.join(", ")))
        })
    }

    /// Texts.
    pub fn texts(&self, name: &'static str) -> Result<Option<Vec<&'s str>>, Fault> {
        let wrong = |_| Fault::Invalid(format!("attribute {name} must be text"));
        let Some(found) = self.find(name, 8, "a list of texts")? else { return Ok(None) };
        found.strings.iter().map(|s| std::str::from_utf8(s).map_err(wrong)).collect::<Result<_, _>>().map(Some)
    }

    /// Whole numbers.
    pub fn ints(&self, name: &'static str) -> Result<Option<&'s [i64]>, Fault> {
        Ok(self.find(name, 7, "a list of whole numbers")?.map(|a| a.ints.as_slice()))
    }

    /// Real numbers.
    pub fn floats(&self, name: &'static str) -> Result<Option<&'s [f32]>, Fault> {
        Ok(self.find(name, 6, "a list of real numbers")?.map(|a| a.floats.as_slice()))
    }

    /// A tensor.
    pub fn tensor(&self, name: &'static str) -> Result<Option<ArrayData>, Fault> {
        let Some(found) = self.find(name, 4, "a tensor")? else { return Ok(None) };
        let tensor: &Tensor<'_> =
            found.t.as_deref().ok_or_else(|| Fault::Invalid(format!("attribute {name} has no tensor")))?;
        let ty = DataType::of(tensor.data_type)?;
        if ty.narrow().is_some() {
            self.makes.set(Some(ty));
        }
        array_of(tensor, self.external).map(|array| Some(array.into()))
    }

    /// A type of elements that arrays have.
    pub fn dtype(&self, name: &'static str) -> Result<Option<DType>, Fault> {
        match self.data_type(name)? {
            Some(ty) if ty.narrow().is_some() => {
                let (op, ty) = (self.name, ty.name);
                Err(Fault::Unsupported(format!("{op} does not make elements of type {ty}; make wider ones and cast")))
            }
            ty => ty.map(DataType::dtype).transpose(),
        }
    }

    /// A type of elements.
    pub fn data_type(&self, name: &'static str) -> Result<Option<&'static DataType>, Fault> {
        self.int_or_none(name)?.map(DataType::of).transpose()
    }

    /// The narrow type that input `i` carries.
    pub fn narrow(&self, i: usize) -> Option<&'static DataType> {
        self.narrow.get(i).copied().flatten()
    }

    /// The attribute itself.
    pub fn raw(&self, name: &'static str) -> Option<&'s Attribute<'s>> {
        self.asked.borrow_mut().push(name);
        self.attributes.iter().find(|a| a.name == name)
    }

    /// A graph.
    pub fn body(&self, name: &'static str) -> Result<Body, Fault> {
        self.asked.borrow_mut().push(name);
        let found = self.bodies.iter().find(|(n, _)| *n == name);
        found.map(|(_, body)| body.clone()).ok_or_else(|| Fault::Invalid(format!("attribute {name} has no graph")))
    }

    /// An attribute that needs no attention.
    pub fn ignore(&self, name: &'static str) {
        self.asked.borrow_mut().push(name);
    }

    /// Whether input `i` is there.
    pub fn has(&self, i: usize) -> bool {
        self.fact(i).is_some()
    }

    /// What is known of input `i`, if it is there.
    pub fn fact(&self, i: usize) -> Option<&Fact> {
        self.inputs.get(i)?.as_ref()
    }

    /// The value of input `i`, if it is the same in every run.
    pub fn constant(&self, i: usize) -> Option<&ArrayData> {
        self.fact(i)?.constant.as_ref()
    }

    /// Complains of attributes that nobody asked for.
    pub fn check_attributes(&self) -> Result<(), Fault> {
        let asked = self.asked.borrow();
        match self.attributes.iter().find(|a| !asked.contains(&a.name)) {
            Some(a) => {
                let name = crate::error::shown(a.name);
                Err(Fault::Unsupported(format!("{} has no attribute {name} in version {}", self.name, self.opset)))
            }
            None => Ok(()),
        }
    }

    /// What distinguishes the node from others of its operator; nothing if it has bodies.
    pub fn key(&self) -> Option<String> {
        const MOST_BYTES: usize = 4096;
        let long = |a: &Attribute<'_>| a.t.as_ref().is_some_and(|t| t.raw_data.is_some_and(|r| r.len() > MOST_BYTES));
        if !self.bodies.is_empty() || self.attributes.iter().any(long) {
            return None;
        }
        Some(format!("{} {} {:?}", self.opset, self.outputs.len(), self.attributes))
    }
}
