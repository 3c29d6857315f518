//! Numbers as decimal digits.

/// The digits of a finite number: `d.ddd` times ten to the `exponent`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    pub negative: bool,
    /// At least one; no trailing zeros but the first.
    pub digits: String,
    pub exponent: i32,
}

impl Decimal {
    /// Reads what Rust writes with `{:e}`.
    pub fn read(text: &str) -> Decimal {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let negative = mantissa.starts_with('-');
        let all: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        let digits = all.trim_end_matches('0');
        let digits = if digits.is_empty() { "0".to_owned() } else { digits.to_owned() };
        Decimal { negative, digits, exponent: exponent.parse().unwrap_or(0) }
    }

    fn sign(&self, plus: bool) -> &'static str {
        match (self.negative, plus) {
            (true, _) => "-",
            (false, true) => "+",
            (false, false) => "",
        }
    }

    /// Digits after the point, when written without an exponent.
    pub fn fraction_len(&self) -> usize {
        usize::try_from(self.digits.len() as i32 - 1 - self.exponent).unwrap_or(0)
    }

    /// What stands before and after the point, written without an exponent; either part may be shorter than its digits
    /// suggest: `0` and nothing, for zero.
    pub fn positional(&self, plus: bool) -> (String, String) {
        let sign = self.sign(plus);
        if self.exponent < 0 {
            let zeros = "0".repeat(self.exponent.unsigned_abs() as usize - 1);
            return (format!("{sign}0"), format!("{zeros}{}", self.digits));
        }
        let whole = self.exponent as usize + 1;
        if self.digits.len() <= whole {
            let fill = "0".repeat(whole - self.digits.len());
            return (format!("{sign}{}{fill}", self.digits), String::new());
        }
        let (before, after) = self.digits.split_at(whole);
        (format!("{sign}{before}"), after.to_owned())
    }

    /// What stands before the point, after it, and in the exponent with its sign.
    pub fn scientific(&self, plus: bool) -> (String, String, String) {
        let (first, rest) = self.digits.split_at(1);
        (format!("{}{first}", self.sign(plus)), rest.to_owned(), format!("{:+03}", self.exponent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_notations() {
        let cases = [
            ("1.5e3", "1500", "", "1", "5", "+03"),
            ("-1.2345e2", "-123", "45", "-1", "2345", "+02"),
            ("2e-3", "0", "002", "2", "", "-03"),
            ("0e0", "0", "", "0", "", "+00"),
            ("1e-300", "0", &format!("{}1", "0".repeat(299)), "1", "", "-300"),
        ];
        for (text, before, after, first, rest, exponent) in cases {
            let d = Decimal::read(text);
            assert_eq!(d.positional(false), (before.into(), after.into()), "{text}");
            assert_eq!(d.scientific(false), (first.into(), rest.into(), exponent.into()), "{text}");
        }
    }
}
