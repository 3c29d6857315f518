//! NumPy's names of element types, with their byte order.
use super::literal::Literal;
use crate::Fault;
use crate::error::{Shown, cut};
use freelane_array::DType;

/// The character of this machine's byte order.
const NATIVE: char = if cfg!(target_endian = "little") { '<' } else { '>' };

/// The name of a dtype for the header of a file written here, `<f8` for one.
///
/// NumPy has no bfloat16; `<V2` is what it writes for the one of ml_dtypes.
pub(crate) fn format(dtype: DType) -> String {
    let code = dtype.numpy_code().unwrap_or("V2");
    let order = if dtype.size() == 1 { '|' } else { NATIVE };
    format!("{order}{code}")
}

/// The dtype and whether its bytes must be swapped.
pub(crate) fn parse(descr: &Literal) -> Result<(DType, bool), Fault> {
    let Literal::Str(text) = descr else {
        let found = cut(&descr.to_string());
        return Err(Fault::DType { found, way_out: "save each field as an array of its own" });
    };
    if text == "<V2" {
        return Ok((DType::BF16, NATIVE != '<'));
    }
    let (order, code) = match text.chars().next() {
        Some(c @ ('<' | '>' | '|' | '=')) => (c, &text[1..]),
        _ => (NATIVE, &text[..]),
    };
    let dtype = DType::ALL.iter().copied().find(|d| d.numpy_code() == Some(code));
    match dtype {
        Some(dtype) if dtype.size() == 1 || order != '|' => {
            Ok((dtype, dtype.size() > 1 && order != '=' && order != NATIVE))
        }
        _ => Err(unsupported(text, way_out(code))),
    }
}

fn unsupported(found: &str, way_out: &'static str) -> Fault {
    Fault::DType { found: Shown(found).to_string(), way_out }
}

fn way_out(code: &str) -> &'static str {
    match code.chars().next() {
        Some('O') => "Python objects are pickled, which is not read; convert with astype(float) before saving",
        Some('U' | 'S' | 'a') => "text has no numbers to read; convert with astype(float), or save category codes",
        Some('M' | 'm') => "convert dates and times with astype('int64') before saving",
        Some('V') => "name the type of the bytes with view(), uint16 for one, before saving",
        Some('f' | 'c') => "convert with astype('float64') or astype('complex128') before saving",
        _ => "convert with astype() to a boolean, integer, float or complex type before saving",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rows_come_back() {
        for &d in DType::ALL {
            assert_eq!(parse(&Literal::Str(format(d))).unwrap(), (d, false));
        }
    }

    #[test]
    fn orders() {
        for (text, want) in [
            (">f8", (DType::F64, true)),
            ("=i4", (DType::I32, false)),
            ("i2", (DType::I16, false)),
            (">u1", (DType::U8, false)),
            ("|b1", (DType::Bool, false)),
            (">c16", (DType::C128, true)),
            ("<V2", (DType::BF16, false)),
        ] {
            assert_eq!(parse(&Literal::Str(text.into())).unwrap(), want, "{text}");
        }
    }

    #[test]
    fn others_name_the_way_out() {
        for (text, part) in [
            ("|O", "pickled"),
            ("<U5", "category codes"),
            ("|S0", "category codes"),
            ("<M8[ns]", "astype('int64')"),
            ("|V2", "view()"),
            ("<f16", "astype('float64')"),
            ("|f8", "astype('float64')"),
            ("<b1x", "astype()"),
            ("", "astype()"),
            ("é", "astype()"),
        ] {
            let e = parse(&Literal::Str(text.into())).unwrap_err().to_string();
            assert!(e.starts_with(&format!("dtype '{text}' is not supported; ")) && e.contains(part), "{e}");
        }
        let fields = super::super::literal::parse("[('a', '<f8'), ('b', '<i4', (2,))]").unwrap();
        let e = parse(&fields).unwrap_err().to_string();
        assert!(e.starts_with("dtype [('a', '<f8'), ('b', '<i4', (2,))] is not supported; save each field"), "{e}");
    }
}
