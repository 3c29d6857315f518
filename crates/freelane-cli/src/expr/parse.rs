//! From text to tree. The grammar is in `grammar.pest`; here is how tightly operators bind.
use super::ast::{Call, Item, Node, NodeKind};
use super::error::{ExprError, Problem};
use super::number;
use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::{Pair, Pairs};
use pest::pratt_parser::{Assoc, Op, PrattParser};

/// The longest expression, in bytes.
const MAX_BYTES: usize = 16 << 10;
/// Brackets inside of brackets; bounds the parser's recursion.
const MAX_NESTING: usize = 64;
/// Characters of operators, and opening brackets; bounds the depth of the tree.
const MAX_OPERATORS: usize = 256;

mod grammar {
    #![allow(missing_docs, reason = "a rule is documented in the grammar")]

    #[derive(pest_derive::Parser)]
    #[grammar = "expr/grammar.pest"]
    pub struct Grammar;
}
use grammar::{Grammar, Rule};

/// A tree, and whether it is a comparison without brackets around it, which cannot be compared again.
struct Operand {
    node: Node,
    comparison: bool,
}

type Parsed<T> = Result<T, ExprError>;

/// Reads an expression.
///
/// # Errors
/// When the text is no expression, or larger than the bounds above.
pub fn parse(text: &str) -> Parsed<Node> {
    measure(text)?;
    let mut pairs = Grammar::parse(Rule::program, text).map_err(|e| explain(text, &e))?;
    let expr = pairs.next().ok_or_else(|| Problem::syntax("the expression is empty").at(1))?;
    Reader { text, pratt: table() }.expr(expr)
}

/// Operators from the loosest to the tightest, as in Python.
fn table() -> PrattParser<Rule> {
    let left = |rule| Op::infix(rule, Assoc::Left);
    PrattParser::new()
        .op(left(Rule::or))
        .op(left(Rule::and))
        .op(Op::prefix(Rule::not))
        .op(left(Rule::less)
            | left(Rule::less_equal)
            | left(Rule::greater)
            | left(Rule::greater_equal)
            | left(Rule::equal)
            | left(Rule::not_equal))
        .op(left(Rule::bit_or))
        .op(left(Rule::bit_xor))
        .op(left(Rule::bit_and))
        .op(left(Rule::left_shift) | left(Rule::right_shift))
        .op(left(Rule::add) | left(Rule::subtract))
        .op(left(Rule::multiply)
            | left(Rule::matmul)
            | left(Rule::divide)
            | left(Rule::floor_divide)
            | left(Rule::remainder))
        .op(Op::prefix(Rule::negative) | Op::prefix(Rule::positive) | Op::prefix(Rule::invert))
        .op(Op::infix(Rule::pow, Assoc::Right))
        .op(Op::postfix(Rule::call) | Op::postfix(Rule::index) | Op::postfix(Rule::attribute))
}

/// The function behind an operator.
fn function_of(rule: Rule) -> &'static str {
    match rule {
        Rule::negative => "negative",
        Rule::positive => "positive",
        Rule::invert => "bitwise_invert",
        Rule::pow => "pow",
        Rule::matmul => "matmul",
        Rule::multiply => "multiply",
        Rule::divide => "divide",
        Rule::floor_divide => "floor_divide",
        Rule::remainder => "remainder",
        Rule::add => "add",
        Rule::subtract => "subtract",
        Rule::left_shift => "bitwise_left_shift",
        Rule::right_shift => "bitwise_right_shift",
        Rule::less => "less",
        Rule::less_equal => "less_equal",
        Rule::greater => "greater",
        Rule::greater_equal => "greater_equal",
        Rule::equal => "equal",
        Rule::not_equal => "not_equal",
        Rule::bit_and => "bitwise_and",
        Rule::bit_or => "bitwise_or",
        Rule::bit_xor => "bitwise_xor",
        other => unreachable!("{other:?} is no operator"),
    }
}

struct Reader<'a> {
    text: &'a str,
    pratt: PrattParser<Rule>,
}

impl Reader<'_> {
    fn expr(&self, pair: Pair<'_, Rule>) -> Parsed<Node> {
        self.operand(pair.into_inner()).map(|operand| operand.node)
    }

    fn operand(&self, pairs: Pairs<'_, Rule>) -> Parsed<Operand> {
        self.pratt
            .map_primary(|pair| self.atom(pair))
            .map_prefix(|op, x| self.prefix(&op, x?))
            .map_postfix(|x, op| self.postfix(x?, op))
            .map_infix(|a, op, b| self.infix(a?, &op, b?))
            .parse(pairs)
    }

    fn column(&self, pair: &Pair<'_, Rule>) -> usize {
        column(self.text, pair.as_span().start())
    }

    fn atom(&self, pair: Pair<'_, Rule>) -> Parsed<Operand> {
        let column = self.column(&pair);
        let kind = match pair.as_rule() {
            Rule::number => NodeKind::Number(number::read(pair.as_str()).map_err(|problem| problem.at(column))?),
            Rule::name => NodeKind::Name(pair.as_str().to_owned()),
            Rule::text => NodeKind::Text(unquoted(pair.as_str()).to_owned()),
            Rule::list => NodeKind::List(pair.into_inner().map(|e| self.expr(e)).collect::<Parsed<_>>()?),
            Rule::group => return self.group(pair, column).map(operand),
            other => unreachable!("{other:?} is no atom"),
        };
        Ok(operand(Node { column, kind }))
    }

    /// `(x)` is x; a comma makes it a tuple.
    fn group(&self, pair: Pair<'_, Rule>, column: usize) -> Parsed<Node> {
        let mut tuple = pair.clone().into_inner().next().is_none();
        let mut items = vec![];
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::comma => tuple = true,
                _ => items.push(self.expr(part)?),
            }
        }
        match items.pop() {
            Some(only) if !tuple => Ok(only),
            last => Ok(Node { column, kind: NodeKind::Tuple(items.into_iter().chain(last).collect()) }),
        }
    }

    fn prefix(&self, op: &Pair<'_, Rule>, x: Operand) -> Parsed<Operand> {
        let column = self.column(op);
        if op.as_rule() == Rule::not {
            return Err(Problem::syntax("'not' does not work on arrays; use ~").at(column));
        }
        Ok(operand(Node { column, kind: NodeKind::Unary(function_of(op.as_rule()), Box::new(x.node)) }))
    }

    fn infix(&self, a: Operand, op: &Pair<'_, Rule>, b: Operand) -> Parsed<Operand> {
        let column = self.column(op);
        let refuse = |what: &str| Err(Problem::syntax(what).at(column));
        let comparison = match op.as_rule() {
            Rule::and => return refuse("'and' does not work on arrays; use & with brackets around both sides"),
            Rule::or => return refuse("'or' does not work on arrays; use | with brackets around both sides"),
            Rule::less | Rule::less_equal | Rule::greater | Rule::greater_equal | Rule::equal | Rule::not_equal => true,
            _ => false,
        };
        if comparison && a.comparison {
            return refuse("comparisons cannot be chained; write (a < b) & (b < c)");
        }
        let kind = NodeKind::Binary(function_of(op.as_rule()), Box::new(a.node), Box::new(b.node));
        Ok(Operand { node: Node { column, kind }, comparison })
    }

    fn postfix(&self, x: Operand, op: Pair<'_, Rule>) -> Parsed<Operand> {
        let (x, at) = (x.node, self.column(&op));
        let (column, kind) = match op.as_rule() {
            Rule::call => (x.column, NodeKind::Call(Box::new(self.call(x, op)?))),
            Rule::index => {
                (at, NodeKind::Index(Box::new(x), op.into_inner().map(|i| self.item(i)).collect::<Parsed<_>>()?))
            }
            Rule::attribute => {
                let name = op.into_inner().map(|name| name.as_str().to_owned()).collect();
                (at, NodeKind::Attribute(Box::new(x), name))
            }
            other => unreachable!("{other:?} is no postfix"),
        };
        Ok(operand(Node { column, kind }))
    }

    fn call(&self, callee: Node, op: Pair<'_, Rule>) -> Parsed<Call> {
        let mut call = Call { callee, positional: vec![], named: vec![] };
        for argument in op.into_inner() {
            let column = self.column(&argument);
            if argument.as_rule() == Rule::expr {
                if !call.named.is_empty() {
                    return Err(Problem::syntax("an argument without a name follows one with a name").at(column));
                }
                call.positional.push(self.expr(argument)?);
                continue;
            }
            let mut parts = argument.into_inner();
            if let (Some(name), Some(value)) = (parts.next(), parts.next()) {
                call.named.push((name.as_str().to_owned(), self.expr(value)?));
            }
        }
        Ok(call)
    }

    fn item(&self, pair: Pair<'_, Rule>) -> Parsed<Item> {
        let mut bounds = [None, None, None];
        let mut colons = 0;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::ellipsis => return Ok(Item::Ellipsis),
                Rule::colon => colons += 1,
                _ => bounds[colons] = Some(self.expr(part)?),
            }
        }
        match bounds {
            [Some(at), ..] if colons == 0 => Ok(Item::At(at)),
            bounds => Ok(Item::Range(bounds)),
        }
    }
}

fn operand(node: Node) -> Operand {
    Operand { node, comparison: false }
}

/// A text without the quotes around it.
fn unquoted(text: &str) -> &str {
    text.get(1..text.len().saturating_sub(1)).unwrap_or_default()
}

/// The column of a byte, in characters from 1.
fn column(text: &str, byte: usize) -> usize {
    text.get(..byte).map_or(byte, |before| before.chars().count()) + 1
}

/// Refuses what would take the parser too deep, and brackets that do not match.
fn measure(text: &str) -> Parsed<()> {
    let too_large = |what, limit, at| Err(Problem::TooLarge { what, limit }.at(at));
    if text.len() > MAX_BYTES {
        return too_large("bytes", MAX_BYTES, MAX_BYTES + 1);
    }
    let mut open: Vec<(char, usize)> = vec![];
    let mut operators = 0;
    let mut quote: Option<(char, usize)> = None;
    for (i, c) in text.chars().enumerate() {
        if quote.is_some() || matches!(c, '\'' | '"') {
            quote = if quote.is_none() { Some((c, i + 1)) } else { quote.filter(|q| q.0 != c) };
            continue;
        }
        if "+-~*/%@<>=!&|^.([".contains(c) {
            operators += 1;
        }
        match c {
            '(' | '[' => open.push((if c == '(' { ')' } else { ']' }, i + 1)),
            ')' | ']' => match open.pop() {
                Some((expected, _)) if expected == c => {}
                Some((expected, at)) => {
                    let what = format!("found '{c}' where '{expected}' should close column {at}");
                    return Err(Problem::syntax(what).at(i + 1));
                }
                None => return Err(Problem::syntax(format!("'{c}' closes nothing")).at(i + 1)),
            },
            _ => {}
        }
        if open.len() > MAX_NESTING {
            return too_large("brackets inside of brackets", MAX_NESTING, i + 1);
        }
        if operators > MAX_OPERATORS {
            return too_large("operators and brackets", MAX_OPERATORS, i + 1);
        }
    }
    if let Some((_, at)) = quote {
        return Err(Problem::syntax("this quote is not closed").at(at));
    }
    match open.pop() {
        Some((_, at)) => Err(Problem::syntax("this bracket is not closed").at(at)),
        None => Ok(()),
    }
}

/// Says in words what the grammar did not expect.
fn explain(text: &str, error: &pest::error::Error<Rule>) -> ExprError {
    let byte = match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    };
    let rest = text.get(byte..).unwrap_or_default();
    let word: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').take(40).collect();
    let found = if word.is_empty() { rest.chars().take(1).collect() } else { word };
    let wants_operand = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => {
            positives.iter().any(|r| matches!(r, Rule::expr | Rule::number | Rule::negative))
        }
        ErrorVariant::CustomError { .. } => false,
    };
    let what = match (found.as_str(), wants_operand) {
        ("", _) if text.trim().is_empty() => "the expression is empty".to_owned(),
        ("", _) => "the expression ends where a value should follow".to_owned(),
        ("=", _) => "'=' outside of a call's arguments; use == to compare".to_owned(),
        (found, true) => format!("expected a value, found '{found}'"),
        (found, false) => format!("expected an operator, found '{found}'"),
    };
    Problem::syntax(what).at(column(text, byte))
}
