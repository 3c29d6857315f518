//! The text: which label each axis of each operand and of the result has.
use super::{Label, Labels, wrong};
use crate::OpsError;
use std::borrow::Cow;

/// Axes under `...` get labels from here on, counted from the last axis; letters have their own code.
const DOTS: Label = 1 << 24;

/// Labels of the operands and of the result.
#[derive(Debug, PartialEq)]
pub(super) struct Subscripts {
    pub inputs: Vec<Labels>,
    pub output: Labels,
}

/// One operand's or the result's part of the text: letters around `...`, if that is there.
struct Part {
    front: Labels,
    dots: bool,
    back: Labels,
}

impl Subscripts {
    /// Reads the text for operands of these ranks.
    pub fn parse(text: &str, ranks: &[usize]) -> Result<Subscripts, OpsError> {
        let text = match text.contains(char::is_whitespace) {
            true => Cow::Owned(text.chars().filter(|c| !c.is_whitespace()).collect()),
            false => Cow::Borrowed(text),
        };
        let (left, right) = match cut(&text, '-', "->") {
            Some((left, right)) => (left, Some(right)),
            None => (&text[..], None),
        };
        let parts = left.split(',').map(Part::parse).collect::<Result<Vec<_>, _>>()?;
        if parts.len() != ranks.len() {
            return Err(wrong(format!(
                "the subscripts {text} are for {} operands, {} are given",
                parts.len(),
                ranks.len()
            )));
        }
        let inputs = parts.iter().zip(ranks).enumerate().map(|(i, (part, &rank))| part.labels(i, rank));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let dots = inputs.iter().flatten().filter(|&&l| l >= DOTS).map(|l| (l - DOTS) as usize + 1).max().unwrap_or(0);
        let output = match right {
            Some(right) => stated(right, dots)?,
            None => implied(&inputs, dots),
        };
        Ok(Subscripts { inputs, output })
    }
}

impl Part {
    fn parse(text: &str) -> Result<Part, OpsError> {
        let letters = |text: &str| -> Result<Labels, OpsError> {
            match text.chars().find(|c| !c.is_alphabetic()) {
                Some(c) => Err(wrong(format!("{c:?} is no letter; axes are named by letters and ..."))),
                None => Ok(text.chars().map(Label::from).collect()),
            }
        };
        match cut(text, '.', "...") {
            Some((front, back)) => Ok(Part { front: letters(front)?, dots: true, back: letters(back)? }),
            None => Ok(Part { front: letters(text)?, dots: false, back: Labels::new() }),
        }
    }

    /// Labels of operand `i` with `rank` axes.
    fn labels(&self, i: usize, rank: usize) -> Result<Labels, OpsError> {
        let letters = self.front.len() + self.back.len();
        if letters > rank || letters < rank && !self.dots {
            return Err(wrong(format!("operand {i} has {rank} axes, its subscripts name {letters}")));
        }
        Ok(self.around(rank - letters))
    }

    fn around(&self, dots: usize) -> Labels {
        self.front.iter().copied().chain(under_dots(dots)).chain(self.back.iter().copied()).collect()
    }
}

/// The text before and after a mark that begins with `first`. A search for one letter needs no preparation.
fn cut<'a>(text: &'a str, first: char, mark: &str) -> Option<(&'a str, &'a str)> {
    let at = text.find(first)?;
    text[at..].strip_prefix(mark).map(|after| (&text[..at], after))
}

fn under_dots(count: usize) -> impl Iterator<Item = Label> {
    (0..count as Label).rev().map(|i| DOTS + i)
}

/// The result as the text states it.
fn stated(text: &str, dots: usize) -> Result<Labels, OpsError> {
    let part = Part::parse(text)?;
    if dots > 0 && !part.dots {
        return Err(wrong("the operands have axes under ... and the result has no ... for them"));
    }
    let output = part.around(if part.dots { dots } else { 0 });
    match (1..output.len()).find(|&i| output[..i].contains(&output[i])) {
        Some(i) => Err(wrong(format!("the result names {} twice", shown(output[i])))),
        None => Ok(output),
    }
}

/// Axes under `...`, then the letters that occur once.
fn implied(inputs: &[Labels], dots: usize) -> Labels {
    let mut letters: Labels = inputs.iter().flatten().copied().filter(|&l| l < DOTS).collect();
    letters.sort_unstable();
    let once = letters.iter().copied().filter(|l| letters.iter().filter(|m| *m == l).count() == 1);
    under_dots(dots).chain(once).collect()
}

/// A label as the user wrote it.
pub(super) fn shown(label: Label) -> String {
    if label >= DOTS { "...".to_owned() } else { char::from_u32(label).unwrap_or('?').to_string() }
}
