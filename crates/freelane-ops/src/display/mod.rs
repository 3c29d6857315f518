//! Arrays as text, the way NumPy's users read them: aligned columns, eight digits, the middle of large arrays left out.
//!
//! ```
//! let x = freelane_ops::Array::from_vec(vec![1.0, -2.5, 1e3, 0.1], &[2, 2])?;
//! assert_eq!(x.to_string(), "[[ 1.0e+00 -2.5e+00]\n [ 1.0e+03  1.0e-01]]");
//! # Ok::<(), freelane_ops::OpsError>(())
//! ```
mod decimal;
mod float;
mod page;
#[cfg(test)]
mod tests;

use crate::Array;
use freelane_array::{ArrayView, DType, Element, with_dtype};
use page::Page;
use std::fmt;

/// Arrays of more elements are printed in part.
const MAX_ELEMENTS: usize = 1000;
/// How many elements at each end of an axis are printed then.
const EDGE: usize = 3;

impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(0, ""))
    }
}

impl Array {
    /// The array as Python's `repr` shows one: with commas, and the dtype and shape where the elements do not tell them.
    ///
    /// ```
    /// use freelane_ops::{Array, DType};
    /// let x = Array::from_vec(vec![1.0, 2.5], &[2])?;
    /// assert_eq!(x.to_repr(), "array([1. , 2.5])");
    /// assert_eq!(Array::scalar(2.0)?.to_repr(), "array(2.)");
    /// assert_eq!(x.astype(DType::F32)?.to_repr(), "array([1. , 2.5], dtype=float32)");
    /// assert_eq!(Array::arange(0, 2000, 1)?.to_repr(), "array([   0,    1,    2, ..., 1997, 1998, 1999], shape=(2000,))");
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    pub fn to_repr(&self) -> String {
        const OPEN: &str = "array(";
        let text = format!("{OPEN}{}", if self.rank() == 0 { self.one() } else { self.text(OPEN.len(), ",") });
        let mut more = Vec::new();
        if self.is_empty() && self.shape() != [0] || self.len() > MAX_ELEMENTS {
            more.push(format!("shape={}", tuple(self.shape())));
        }
        if self.is_empty() || !matches!(self.dtype(), DType::Bool | DType::I64 | DType::F64 | DType::C128) {
            more.push(format!("dtype={}", self.dtype()));
        }
        if more.is_empty() {
            return text + ")";
        }
        let more = more.join(", ");
        let last_line = text.len() - text.rfind('\n').map_or(0, |at| at + 1);
        let fits = last_line + more.len() + 3 <= page::WIDTH;
        let space = if fits { " ".to_owned() } else { format!("\n{}", " ".repeat(OPEN.len())) };
        format!("{text},{space}{more})")
    }

    /// The only element, written as among others.
    fn one(&self) -> String {
        let line = self.expand_dims(0).map_or_else(|_| String::new(), |line| line.text(0, ""));
        line.trim_matches(['[', ']', ' ']).to_owned()
    }

    fn text(&self, indent: usize, comma: &'static str) -> String {
        with_dtype!(self.dtype(), T => match self.data().view::<T>() {
            Ok(view) if self.rank() == 0 => view.get(&[]).map_or_else(String::new, Word::alone),
            Ok(view) => text(view, indent, comma),
            Err(_) => unreachable!("the view has the array's own dtype"),
        })
    }
}

/// A shape as Python writes it.
fn tuple(shape: &[usize]) -> String {
    match shape {
        [n] => format!("({n},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Array")
            .field("dtype", &self.dtype())
            .field("shape", &self.shape())
            .field("elements", &format_args!("{self}"))
            .finish()
    }
}

fn text<T: Word>(view: ArrayView<'_, T>, indent: usize, comma: &'static str) -> String {
    let shape = view.layout().shape();
    if view.layout().is_empty() {
        return "[]".to_owned();
    }
    let in_part = view.layout().len() > MAX_ELEMENTS;
    let places: Vec<Vec<usize>> = shape.iter().map(|&n| places(n, in_part)).collect();
    let page = Page { shape, places: &places, in_part, comma };
    page.lay_out(&T::words(&select(view, &places)), indent)
}

/// The indices along an axis that are printed.
fn places(n: usize, in_part: bool) -> Vec<usize> {
    if in_part && n > 2 * EDGE { (0..EDGE).chain(n - EDGE..n).collect() } else { (0..n).collect() }
}

/// The printed elements in row-major order.
fn select<T: Element>(view: ArrayView<'_, T>, places: &[Vec<usize>]) -> Vec<T> {
    let count = places.iter().map(Vec::len).product();
    let mut index = vec![0; places.len()];
    let element = |mut k: usize| {
        for (at, axis) in index.iter_mut().zip(places).rev() {
            *at = axis[k % axis.len()];
            k /= axis.len();
        }
        view.get(&index)
    };
    (0..count).filter_map(element).collect()
}

/// An element type that can be printed.
trait Word: Element {
    /// One element by itself.
    fn alone(self) -> String;
    /// Elements of one array, padded to stand in columns.
    fn words(elements: &[Self]) -> Vec<String>;
}

/// Pads to the longest, from the left.
fn align(words: Vec<String>) -> Vec<String> {
    let width = words.iter().map(String::len).max().unwrap_or(0);
    words.into_iter().map(|w| format!("{w:>width$}")).collect()
}

impl Word for bool {
    fn alone(self) -> String {
        if self { "True".to_owned() } else { "False".to_owned() }
    }

    fn words(elements: &[Self]) -> Vec<String> {
        elements.iter().map(|e| format!("{:>5}", e.alone())).collect()
    }
}

macro_rules! integers {
    ($($T:ty)*) => { $(impl Word for $T {
        fn alone(self) -> String {
            self.to_string()
        }

        fn words(elements: &[Self]) -> Vec<String> {
            align(elements.iter().map(ToString::to_string).collect())
        }
    })* };
}
integers!(u8 i8 u16 i16 u32 i32 u64 i64);

macro_rules! floats {
    ($($T:ty)*) => { $(impl Word for $T {
        fn alone(self) -> String {
            float::alone(self)
        }

        fn words(elements: &[Self]) -> Vec<String> {
            let format = float::Columns::of(elements, false);
            elements.iter().map(|&x| format.write(x)).collect()
        }
    })* };
}
floats!(half::f16 half::bf16 f32 f64);

impl<T: float::Real> Word for num_complex::Complex<T>
where
    num_complex::Complex<T>: Element,
{
    fn alone(self) -> String {
        let (re, im) = (float::bare(self.re), float::bare(self.im));
        let sign = if im.starts_with('-') { "" } else { "+" };
        if re == "0" { format!("{im}j") } else { format!("({re}{sign}{im}j)") }
    }

    fn words(elements: &[Self]) -> Vec<String> {
        let (re, im): (Vec<T>, Vec<T>) = elements.iter().map(|z| (z.re, z.im)).unzip();
        let (real, imaginary) = (float::Columns::of(&re, false), float::Columns::of(&im, true));
        let word = |(re, im): (&T, &T)| {
            let im = imaginary.write(*im);
            let digits = im.trim_end();
            format!("{}{digits}j{}", real.write(*re), &im[digits.len()..])
        };
        re.iter().zip(&im).map(word).collect()
    }
}
