//! An expression as a tree.
use freelane::Scalar;

/// A part of an expression, and the column where the reader would look for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Counted in characters from 1.
    pub column: usize,
    /// What it is.
    pub kind: NodeKind,
}

/// The kinds of parts.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// A number as written.
    Number(Scalar),
    /// A name: of an array, a function, a constant, a data type.
    Name(String),
    /// A word in quotes, as `indexing='ij'` takes it.
    Text(String),
    /// A list or tuple.
    Tuple(Vec<Node>),
    /// `[a, b]`.
    List(Vec<Node>),
    /// A prefix operator, under the name of its function.
    Unary(&'static str, Box<Node>),
    /// An infix operator, under the name of its function.
    Binary(&'static str, Box<Node>, Box<Node>),
    /// A call.
    Call(Box<Call>),
    /// A subscript.
    Index(Box<Node>, Vec<Item>),
    /// `object.name`.
    Attribute(Box<Node>, String),
}

/// A call of a function or method.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What is called.
    pub callee: Node,
    /// Arguments by position.
    pub positional: Vec<Node>,
    /// Arguments by name.
    pub named: Vec<(String, Node)>,
}

/// One item of a subscript.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `...`
    Ellipsis,
    /// A position, `None`, or whatever an expression gives.
    At(Node),
    /// `start:stop:step`.
    Range([Option<Node>; 3]),
}

impl Node {
    /// How many operators, calls and subscripts there are: the steps of an evaluation.
    pub fn steps(&self) -> u64 {
        match &self.kind {
            NodeKind::Number(_) | NodeKind::Name(_) | NodeKind::Text(_) => 0,
            NodeKind::Tuple(items) | NodeKind::List(items) => items.iter().map(Node::steps).sum(),
            NodeKind::Unary(_, x) => 1 + x.steps(),
            NodeKind::Attribute(x, _) => x.steps(),
            NodeKind::Binary(_, a, b) => 1 + a.steps() + b.steps(),
            NodeKind::Index(x, items) => 1 + x.steps() + items.iter().map(Item::steps).sum::<u64>(),
            NodeKind::Call(call) => {
                let named = call.named.iter().map(|(_, node)| node);
                1 + call.callee.steps() + call.positional.iter().chain(named).map(Node::steps).sum::<u64>()
            }
        }
    }
}

impl Item {
    fn steps(&self) -> u64 {
        match self {
            Item::Ellipsis => 0,
            Item::At(node) => node.steps(),
            Item::Range(bounds) => bounds.iter().flatten().map(Node::steps).sum(),
        }
    }
}
