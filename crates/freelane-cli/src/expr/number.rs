//! Numbers as Python writes them.
use super::error::Problem;
use freelane::Scalar;
use num_complex::Complex;

/// The value of a literal that the grammar has accepted.
pub fn read(text: &str) -> Result<Scalar, Problem> {
    let digits = text.replace('_', "");
    let lower = digits.to_ascii_lowercase();
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(rest) = lower.strip_prefix(prefix) {
            return integer(text, i128::from_str_radix(rest, radix).ok());
        }
    }
    if let Some(imaginary) = lower.strip_suffix('j') {
        return float(text, imaginary).map(|im| Scalar::Complex(Complex::new(0.0, im)));
    }
    if lower.contains(['.', 'e']) {
        return float(text, &lower).map(Scalar::Float);
    }
    integer(text, lower.parse().ok())
}

/// Integers are those of 64 bits, signed or unsigned.
fn integer(text: &str, value: Option<i128>) -> Result<Scalar, Problem> {
    let fits = value.filter(|&v| v <= i128::from(u64::MAX));
    fits.map(Scalar::Int).ok_or_else(|| Problem::misuse(format!("{text} does not fit 64 bits")))
}

fn float(text: &str, digits: &str) -> Result<f64, Problem> {
    digits.parse().map_err(|_| Problem::syntax(format!("{text} is not a number")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        let cases = [
            ("0", Scalar::Int(0)),
            ("1_000", Scalar::Int(1000)),
            ("0xFF", Scalar::Int(255)),
            ("0b1_01", Scalar::Int(5)),
            ("0o17", Scalar::Int(15)),
            ("1e-3", Scalar::Float(1e-3)),
            (".5", Scalar::Float(0.5)),
            ("2.", Scalar::Float(2.0)),
            ("1E5", Scalar::Float(1e5)),
            ("2j", Scalar::Complex(Complex::new(0.0, 2.0))),
            ("1.5e1J", Scalar::Complex(Complex::new(0.0, 15.0))),
            ("18446744073709551615", Scalar::Int(u64::MAX.into())),
        ];
        for (text, want) in cases {
            assert_eq!(read(text).ok(), Some(want), "{text}");
        }
        for text in ["18446744073709551616", "0x1_0000_0000_0000_0000", "9999999999999999999999999999999999999999999"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
