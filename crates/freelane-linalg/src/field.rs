//! The four types of numbers that matrices are decomposed in.
use crate::dense;
use faer::MatRef;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::evd::EvdError;
use faer::traits::{ComplexField, RealField};
use freelane_ops::{Array, DType, Element, Kind, OpsError};
use num_complex::Complex;

/// `f32`, `f64`, or a complex number over one of them.
pub(crate) trait Field: Element + ComplexField<Real = Self::R> {
    /// The type of its parts.
    type R: Real;
    /// Its complex type.
    type C: Field<R = Self::R, C = Self::C>;
    /// Zero.
    const ZERO: Self;
    const ONE: Self;
    fn finite(self) -> bool;
    fn conjugate(self) -> Self;
    fn times(self, other: Self) -> Self;
    fn magnitude(self) -> Self::R;
    /// The greater magnitude of its parts.
    fn bound(self) -> Self::R;
    /// The number divided by its magnitude, which is not zero.
    fn direction(self) -> Self;
    fn real_part(self) -> Self::R;
    fn from_real(re: Self::R) -> Self;
    fn complex(re: Self::R, im: Self::R) -> Self::C;
    /// Memory for what `eig` gets in parts.
    fn eig_parts(n: usize, vectors: bool) -> StackReq;
    /// Eigenvalues of a general matrix and, by columns, its vectors, which may have any length.
    fn eig(
        a: MatRef<'_, Self>,
        values: &mut [Self::C],
        vectors: Option<&mut [Self::C]>,
        stack: &mut MemStack,
    ) -> Result<(), EvdError>;
}

/// `f32` or `f64`.
pub(crate) trait Real: Element + RealField {
    const NAUGHT: Self;
    const UNITY: Self;
    fn ln(self) -> Self;
    fn exp(self) -> Self;
    fn sqrt(self) -> Self;
    /// One divided by it.
    fn inverse(self) -> Self;
    fn double(self) -> f64;
    fn of_double(x: f64) -> Self;
    /// By which power of two a matrix with this greatest element is to be multiplied, if squares of its elements would
    /// overflow or vanish.
    fn taming(self) -> Option<Self>;
}

macro_rules! fields {
    ($($t:ident),*) => {$(
        impl Field for $t {
            type R = $t;
            type C = Complex<$t>;
            const ZERO: $t = 0.0;
            const ONE: $t = 1.0;
            fn finite(self) -> bool { self.is_finite() }
            fn conjugate(self) -> $t { self }
            fn times(self, other: $t) -> $t { self * other }
            fn magnitude(self) -> $t { self.abs() }
            fn bound(self) -> $t { self.abs() }
            fn direction(self) -> $t { self.signum() }
            fn real_part(self) -> $t { self }
            fn from_real(re: $t) -> $t { re }
            fn complex(re: $t, im: $t) -> Complex<$t> { Complex { re, im } }
            fn eig_parts(n: usize, vectors: bool) -> StackReq {
                let packed = if vectors { n.saturating_mul(n) } else { 0 };
                StackReq::all_of(&[StackReq::new::<$t>(n), StackReq::new::<$t>(n), StackReq::new::<$t>(packed)])
            }
            fn eig(
                a: MatRef<'_, $t>,
                values: &mut [Complex<$t>],
                vectors: Option<&mut [Complex<$t>]>,
                stack: &mut MemStack,
            ) -> Result<(), EvdError> {
                use faer::linalg::evd::evd_real;
                let n = a.nrows();
                let (mut re, stack) = stack.make_with(n, |_| 0.0);
                let (mut im, stack) = stack.make_with(n, |_| 0.0);
                let (mut packed, stack) = stack.make_with(if vectors.is_some() { n * n } else { 0 }, |_| 0.0);
                let columns = vectors.is_some().then(|| faer::MatMut::from_column_major_slice_mut(&mut packed, n, n));
                let [r, i] = [&mut re, &mut im].map(|part| faer::diag::DiagMut::from_slice_mut(part));
                evd_real(a, r, i, None, columns, faer::Par::Seq, stack, std::default::Default::default())?;
                dense::unpack([&re, &im], vectors.is_some().then_some(&packed), values, vectors);
                Ok(())
            }
        }
        impl Field for Complex<$t> {
            type R = $t;
            type C = Complex<$t>;
            const ZERO: Self = Complex { re: 0.0, im: 0.0 };
            const ONE: Self = Complex { re: 1.0, im: 0.0 };
            fn finite(self) -> bool { self.re.is_finite() && self.im.is_finite() }
            fn conjugate(self) -> Self { self.conj() }
            fn times(self, other: Self) -> Self { self * other }
            fn magnitude(self) -> $t { self.re.hypot(self.im) }
            fn bound(self) -> $t { self.re.abs().max(self.im.abs()) }
            fn direction(self) -> Self { self / self.magnitude() }
            fn real_part(self) -> $t { self.re }
            fn from_real(re: $t) -> Self { Complex { re, im: 0.0 } }
            fn complex(re: $t, im: $t) -> Self { Complex { re, im } }
            fn eig_parts(_: usize, _: bool) -> StackReq {
                StackReq::EMPTY
            }
            fn eig(
                a: MatRef<'_, Self>,
                values: &mut [Self],
                vectors: Option<&mut [Self]>,
                stack: &mut MemStack,
            ) -> Result<(), EvdError> {
                use faer::linalg::evd::evd_cplx;
                let n = a.nrows();
                let values = faer::diag::DiagMut::from_slice_mut(values);
                let vectors = vectors.map(|v| faer::MatMut::from_column_major_slice_mut(v, n, n));
                evd_cplx(a, values, None, vectors, faer::Par::Seq, stack, std::default::Default::default())
            }
        }
        impl Real for $t {
            const NAUGHT: $t = 0.0;
            const UNITY: $t = 1.0;
            fn ln(self) -> $t { self.ln() }
            fn exp(self) -> $t { self.exp() }
            fn sqrt(self) -> $t { self.sqrt() }
            fn inverse(self) -> $t { self.recip() }
            fn double(self) -> f64 { f64::from(self) }
            fn of_double(x: f64) -> $t { x as $t }
            fn taming(self) -> Option<$t> {
                let far = <$t>::MAX.sqrt().sqrt();
                let fine = self == 0.0 || (far.recip()..=far).contains(&self);
                (!fine).then(|| <$t>::powi(2.0, -(self.log2() as i32).clamp(<$t>::MIN_EXP + 2, <$t>::MAX_EXP - 2)))
            }
        }
    )*};
}
fields!(f32, f64);

/// Runs an expression for the field of a dtype that [`in_field`] gave.
macro_rules! with_field {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            freelane_ops::DType::F32 => {
                type $T = f32;
                $body
            }
            freelane_ops::DType::C64 => {
                type $T = num_complex::Complex<f32>;
                $body
            }
            freelane_ops::DType::C128 => {
                type $T = num_complex::Complex<f64>;
                $body
            }
            _ => {
                type $T = f64;
                $body
            }
        }
    };
}
pub(crate) use with_field;

/// The dtype that numbers of this type are computed in.
pub(crate) fn field_of(op: &'static str, dtype: DType) -> Result<DType, OpsError> {
    match dtype.kind() {
        Kind::Bool | Kind::Unsigned | Kind::Signed => Ok(DType::F64),
        _ if matches!(dtype, DType::F16 | DType::BF16) => {
            let supported = "float32, float64, complex64 and complex128; convert it with astype(float32)";
            Err(OpsError::DType { op, found: vec![dtype], supported: supported.to_owned() })
        }
        _ => Ok(dtype),
    }
}

/// The array in the dtype it is computed in.
pub(crate) fn in_field(op: &'static str, x: &Array) -> Result<Array, OpsError> {
    x.astype(field_of(op, x.dtype())?)
}
