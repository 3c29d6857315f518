//! Python literals, as far as array headers use them.
//!
//! The grammar is fixed and tiny, and the text comes from strangers: a parser of one function a rule, with a bound on the
//! depth, says more exactly what it refuses than a grammar file could. Nothing is evaluated.
use crate::error::Shown;
use std::fmt;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    Str(String),
    Int(i64),
    Bool(bool),
    Tuple(Vec<Literal>),
    List(Vec<Literal>),
    Dict(Vec<(Literal, Literal)>),
}

/// How deep values may be nested. A shape in a field in a structure takes four.
const DEPTH: usize = 16;

/// Reads one value, which may be followed by white space only. The error says what was found and expected, and where.
pub(crate) fn parse(text: &str) -> Result<Literal, String> {
    let mut parser = Parser { text, at: 0 };
    let value = parser.value(0)?;
    match parser.peek() {
        None => Ok(value),
        Some(_) => Err(parser.expected("the end")),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// The next character that is not white space.
    fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
        self.rest().chars().next()
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        self.at += if found { c.len_utf8() } else { 0 };
        found
    }

    fn expected(&self, what: &str) -> String {
        let found: String = self.rest().chars().take(12).collect();
        let found = if found.is_empty() { "the end".into() } else { Shown(&found).to_string() };
        format!("expected {what} at byte {} of the header, found {found}", self.at)
    }

    fn value(&mut self, depth: usize) -> Result<Literal, String> {
        if depth == DEPTH {
            return Err(self.expected("no more than 16 levels of brackets"));
        }
        match self.peek() {
            Some('(') => self.tuple(depth),
            Some('[') => Ok(Literal::List(self.items('[', ']', depth)?.0)),
            Some('{') => self.dict(depth),
            Some(quote @ ('\'' | '"')) => self.string(quote),
            Some('-' | '0'..='9') => self.int(),
            _ => self.bool(),
        }
    }

    fn tuple(&mut self, depth: usize) -> Result<Literal, String> {
        let (mut items, comma) = self.items('(', ')', depth)?;
        // Without a comma, brackets around one value only group.
        if items.len() == 1 && !comma { Ok(items.remove(0)) } else { Ok(Literal::Tuple(items)) }
    }

    /// Values between brackets, and whether the last one had a comma.
    fn items(&mut self, open: char, close: char, depth: usize) -> Result<(Vec<Literal>, bool), String> {
        self.eat(open);
        let (mut items, mut comma) = (Vec::new(), true);
        while !self.eat(close) {
            if !comma {
                return Err(self.expected("',' or a closing bracket"));
            }
            items.push(self.value(depth + 1)?);
            comma = self.eat(',');
        }
        Ok((items, comma))
    }

    fn dict(&mut self, depth: usize) -> Result<Literal, String> {
        self.eat('{');
        let (mut items, mut comma) = (Vec::new(), true);
        while !self.eat('}') {
            if !comma {
                return Err(self.expected("',' or '}'"));
            }
            let key = self.value(depth + 1)?;
            if !self.eat(':') {
                return Err(self.expected("':'"));
            }
            items.push((key, self.value(depth + 1)?));
            comma = self.eat(',');
        }
        Ok(Literal::Dict(items))
    }

    fn string(&mut self, quote: char) -> Result<Literal, String> {
        self.eat(quote);
        let Some(len) = self.rest().find([quote, '\\', '\n']) else {
            return Err(self.expected("a closing quote"));
        };
        let text = self.rest()[..len].to_owned();
        self.at += len;
        if self.rest().starts_with(quote) {
            self.at += 1;
            return Ok(Literal::Str(text));
        }
        Err(self.expected("a string without escapes"))
    }

    fn int(&mut self) -> Result<Literal, String> {
        let rest = self.rest();
        let digits = rest[1..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |n| n + 1);
        let value = rest[..digits].parse().map_err(|_| self.expected("an integer of at most 64 bits"))?;
        self.at += digits;
        // Python 2 wrote long integers as `3L`.
        self.at += usize::from(self.rest().starts_with('L'));
        Ok(Literal::Int(value))
    }

    fn bool(&mut self) -> Result<Literal, String> {
        for (word, value) in [("True", true), ("False", false)] {
            if self.rest().starts_with(word) {
                self.at += word.len();
                return Ok(Literal::Bool(value));
            }
        }
        Err(self.expected("a string, an integer, True, False, or a bracket"))
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, items: &[Literal]| {
            items.iter().enumerate().try_for_each(|(i, x)| write!(f, "{}{x}", if i == 0 { "" } else { ", " }))
        };
        match self {
            Literal::Str(s) => write!(f, "'{s}'"),
            Literal::Int(i) => write!(f, "{i}"),
            Literal::Bool(true) => f.write_str("True"),
            Literal::Bool(false) => f.write_str("False"),
            Literal::Tuple(items) => {
                f.write_str("(")?;
                list(f, items)?;
                f.write_str(if items.len() == 1 { ",)" } else { ")" })
            }
            Literal::List(items) => {
                f.write_str("[")?;
                list(f, items)?;
                f.write_str("]")
            }
            Literal::Dict(items) => {
                f.write_str("{")?;
                items.iter().try_for_each(|(k, v)| write!(f, "{k}: {v}, "))?;
                f.write_str("}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        for (text, printed) in [
            ("'a b'", "'a b'"),
            ("\"it's\"", "'it's'"),
            (" ( 1 , -2L,) \n", "(1, -2)"),
            ("()", "()"),
            ("(3,)", "(3,)"),
            ("((3))", "3"),
            ("[('x', '<f4', (2, 2)), ('y', '|b1')]", "[('x', '<f4', (2, 2)), ('y', '|b1')]"),
            ("{'a': True, 'b': False}", "{'a': True, 'b': False, }"),
        ] {
            assert_eq!(parse(text).map(|v| v.to_string()).as_deref(), Ok(printed), "{text}");
        }
    }

    #[test]
    fn refusals_say_what_was_found() {
        let deep = "(".repeat(100_000);
        for (text, problem) in [
            ("", "expected a string, an integer, True, False, or a bracket at byte 0 of the header, found the end"),
            ("(1 2)", "expected ',' or a closing bracket at byte 3 of the header, found '2)'"),
            ("(1,,)", "expected a string, an integer, True, False, or a bracket at byte 3 of the header, found ',)'"),
            ("{'a' 1}", "expected ':' at byte 5 of the header, found '1}'"),
            ("{'a': 1", "expected ',' or '}' at byte 7 of the header, found the end"),
            ("'a", "expected a closing quote at byte 1 of the header, found 'a'"),
            ("'a\\x41'", "expected a string without escapes at byte 2 of the header, found '\\\\x41''"),
            (
                "99999999999999999999",
                "expected an integer of at most 64 bits at byte 0 of the header, found '999999999999'",
            ),
            ("-", "expected an integer of at most 64 bits at byte 0 of the header, found '-'"),
            ("1 1", "expected the end at byte 2 of the header, found '1'"),
            (
                "__import__('os')",
                "expected a string, an integer, True, False, or a bracket at byte 0 of the header, found '__import__(''",
            ),
            (&deep, "expected no more than 16 levels of brackets at byte 16 of the header, found '(((((((((((('"),
        ] {
            assert_eq!(parse(text).err().as_deref(), Some(problem), "{}", &text[..text.len().min(30)]);
        }
    }
}
