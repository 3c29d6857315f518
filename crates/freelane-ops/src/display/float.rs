//! Floating-point numbers: the fewest digits that tell a number from its neighbours, at most eight after the point.
use super::decimal::Decimal;
use half::{bf16, f16};

/// Digits after the point that an array's elements are printed with.
const PRECISION: usize = 8;

/// A real number that can be printed.
pub(super) trait Real: Copy {
    /// The value, exactly.
    fn wide(self) -> f64;
    /// The fewest digits that read back as this number, as `{:e}` writes them.
    fn shortest(self) -> String;
}

macro_rules! native {
    ($($T:ty)*) => { $(impl Real for $T {
        fn wide(self) -> f64 {
            self.into()
        }

        fn shortest(self) -> String {
            format!("{self:e}")
        }
    })* };
}
native!(f32 f64);

macro_rules! half {
    ($($T:ty)*) => { $(impl Real for $T {
        fn wide(self) -> f64 {
            self.into()
        }

        fn shortest(self) -> String {
            let x = self.to_f64();
            let texts = (0..5).map(|digits| format!("{x:.digits$e}"));
            let exact = |text: &String| text.parse().is_ok_and(|y: f64| <$T>::from_f64(y) == self);
            texts.into_iter().find(exact).unwrap_or_else(|| format!("{x:e}"))
        }
    })* };
}
half!(f16 bf16);

fn not_finite(x: f64, plus: bool) -> String {
    match (x.is_nan(), x < 0.0) {
        (true, _) => if plus { "+nan" } else { "nan" }.to_owned(),
        (_, true) => "-inf".to_owned(),
        _ => if plus { "+inf" } else { "inf" }.to_owned(),
    }
}

/// A number by itself, as Python writes it: all digits, an exponent outside of 1e-4 to 1e16.
pub(super) fn alone<T: Real>(x: T) -> String {
    let text = bare(x);
    if x.wide().is_finite() && !text.contains(['.', 'e']) { text + ".0" } else { text }
}

/// As [`alone`], without a point where nothing follows it.
pub(super) fn bare<T: Real>(x: T) -> String {
    if !x.wide().is_finite() {
        return not_finite(x.wide(), false);
    }
    let d = Decimal::read(&x.shortest());
    let join = |before: String, after: String| if after.is_empty() { before } else { format!("{before}.{after}") };
    if x.wide() != 0.0 && !(-4..16).contains(&d.exponent) {
        let (first, rest, exponent) = d.scientific(false);
        return format!("{}e{exponent}", join(first, rest));
    }
    let (before, after) = d.positional(false);
    join(before, after)
}

/// The common format of an array's elements.
pub(super) struct Columns {
    plus: bool,
    /// Width before the point.
    left: usize,
    /// Width after it.
    right: usize,
    /// Digits of the exponent, if there is one.
    exponent: Option<usize>,
}

impl Columns {
    /// The format that fits all elements; with `plus`, positive numbers get a sign.
    pub fn of<T: Real>(elements: &[T], plus: bool) -> Columns {
        let finite: Vec<T> = elements.iter().copied().filter(|x| x.wide().is_finite()).collect();
        let mut columns = if needs_exponent(&finite) { scientific(&finite, plus) } else { positional(&finite, plus) };
        let others = elements.iter().map(|x| x.wide()).filter(|x| !x.is_finite());
        let width = others.map(|x| not_finite(x, plus).len()).max().unwrap_or(0);
        columns.left = columns.left.max(width.saturating_sub(columns.after_point()));
        columns
    }

    /// Width from the point on.
    fn after_point(&self) -> usize {
        1 + self.right + self.exponent.map_or(0, |digits| 2 + digits)
    }

    /// An element in this format.
    pub fn write<T: Real>(&self, x: T) -> String {
        let (left, right) = (self.left, self.right);
        if !x.wide().is_finite() {
            return format!("{:>1$}", not_finite(x.wide(), self.plus), left + self.after_point());
        }
        let Some(digits) = self.exponent else {
            let (before, after) = cut_positional(x).positional(self.plus);
            return format!("{before:>left$}.{after:<right$}");
        };
        let (first, rest, exponent) = cut_scientific(x).scientific(self.plus);
        let (sign, exponent) = exponent.split_at(1);
        format!("{first:>left$}.{rest:0<right$}e{sign}{exponent:0>digits$}")
    }
}

/// As NumPy decides: when a column of plain digits would be wide or lose most of them.
fn needs_exponent<T: Real>(finite: &[T]) -> bool {
    let sizes = finite.iter().map(|x| x.wide().abs()).filter(|&x| x != 0.0);
    let (low, high) = sizes.fold((f64::INFINITY, 0.0), |(low, high), x| (x.min(low), x.max(high)));
    high > 0.0 && (high >= 1e8 || low < 1e-4 || high / low > 1000.0)
}

fn cut_positional<T: Real>(x: T) -> Decimal {
    let d = Decimal::read(&x.shortest());
    if d.fraction_len() <= PRECISION {
        return d;
    }
    let rounded = format!("{:.PRECISION$}", x.wide());
    let plain: f64 = rounded.parse().unwrap_or(0.0);
    let mut short = Decimal::read(&format!("{plain:e}"));
    short.negative = d.negative;
    short
}

fn cut_scientific<T: Real>(x: T) -> Decimal {
    let d = Decimal::read(&x.shortest());
    if d.digits.len() <= PRECISION + 1 { d } else { Decimal::read(&format!("{:.PRECISION$e}", x.wide())) }
}

fn positional<T: Real>(finite: &[T], plus: bool) -> Columns {
    let parts = finite.iter().map(|&x| cut_positional(x).positional(plus));
    let (left, right) = parts.fold((0, 0), |(l, r), (before, after)| (before.len().max(l), after.len().max(r)));
    Columns { plus, left, right, exponent: None }
}

fn scientific<T: Real>(finite: &[T], plus: bool) -> Columns {
    let parts = finite.iter().map(|&x| cut_scientific(x).scientific(plus));
    let (left, right, digits) = parts.fold((0, 0, 0), |(l, r, e), (first, rest, exponent)| {
        (first.len().max(l), rest.len().max(r), (exponent.len() - 1).max(e))
    });
    Columns { plus, left, right, exponent: Some(digits) }
}
