//! `ufuncs!`: rows become tables, statics and methods.
use crate::ufunc::Entry;
use freelane_array::{DType, Element};
use freelane_kernels::elementwise::{
    Half, Loop1, Loop2, Loop3, Map1, Map2, Map3, Widen, half_loop1, half_loop2, loop1, loop2, loop3,
};

/// The table entry of a kernel of one operand at type `T`.
pub(super) const fn unary<K: Map1<T>, T: Element>() -> Option<Entry<Loop1>>
where
    K::Out: Element,
{
    Some(Entry { run: loop1::<K, T>, out: <K::Out as Element>::DTYPE })
}

/// The table entry of a kernel of two operands at type `T`.
pub(super) const fn binary<K: Map2<T>, T: Element>() -> Option<Entry<Loop2>>
where
    K::Out: Element,
{
    Some(Entry { run: loop2::<K, T>, out: <K::Out as Element>::DTYPE })
}

/// The table entry of a kernel of one operand for a half type.
pub(super) const fn half_unary<K: Map1<f32>, H: Element + Half>() -> Option<Entry<Loop1>>
where
    K::Out: Widen<H>,
    <K::Out as Widen<H>>::Out: Element,
{
    Some(Entry { run: half_loop1::<K, H>, out: <<K::Out as Widen<H>>::Out as Element>::DTYPE })
}

/// The table entry of a kernel of two operands for a half type.
pub(super) const fn half_binary<K: Map2<f32>, H: Element + Half>() -> Option<Entry<Loop2>>
where
    K::Out: Widen<H>,
    <K::Out as Widen<H>>::Out: Element,
{
    Some(Entry { run: half_loop2::<K, H>, out: <<K::Out as Widen<H>>::Out as Element>::DTYPE })
}

/// The table entry of a selecting kernel at type `T`.
pub(super) const fn select<K: Map3<T, First = bool>, T: Element>() -> Option<Entry<Loop3>>
where
    K::Out: Element,
{
    Some(Entry { run: loop3::<K, T>, out: <K::Out as Element>::DTYPE })
}

/// The table entry of a kernel of three operands at type `T`.
pub(super) const fn ternary<K: Map3<T, First = T>, T: Element>() -> Option<Entry<Loop3>>
where
    K::Out: Element,
{
    Some(Entry { run: loop3::<K, T>, out: <K::Out as Element>::DTYPE })
}

/// The table entry of a kernel that multiplies by powers of two.
pub(super) const fn scaled<K: Map3<T, First = i32>, T: Element>() -> Option<Entry<Loop3>>
where
    K::Out: Element,
{
    Some(Entry { run: loop3::<K, T>, out: <K::Out as Element>::DTYPE })
}

/// The entry of an unsigned type for the signed type of the same width: for functions in which the sign plays no part.
pub(super) const fn alias<F: Copy>(entry: Option<Entry<F>>, unsigned: DType, signed: DType) -> Option<Entry<F>> {
    match entry {
        Some(Entry { run, out }) if out as u8 == unsigned as u8 => Some(Entry { run, out: signed }),
        other => other,
    }
}

/// A name without the underscore that sets it apart from a keyword.
pub(super) const fn trimmed(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [.., b'_'] => name.split_at(name.len() - 1).0,
        _ => name,
    }
}

/// Where a dtype stands in a table.
pub(super) const fn slot(dtype: DType) -> usize {
    dtype as usize
}

/// Fills a table: each group of dtypes names the kernel that serves it. Half types run in `f32`, as `narrow` in their own
/// width; `wrapping` are the
/// integers of a function in which the sign plays no part, so that signed types share the loops of unsigned ones.
macro_rules! table {
    (@fill $t:ident $kind:ident bool $K:ty) => { table!(@set $t $kind $K; bool) };
    (@fill $t:ident $kind:ident signed $K:ty) => { table!(@set $t $kind $K; i8 i16 i32 i64) };
    (@fill $t:ident $kind:ident unsigned $K:ty) => { table!(@set $t $kind $K; u8 u16 u32 u64) };
    (@fill $t:ident $kind:ident ints $K:ty) => { table!(@set $t $kind $K; u8 i8 u16 i16 u32 i32 u64 i64) };
    (@fill $t:ident $kind:ident wrapping $K:ty) => {
        table!(@set $t $kind $K; u8 u16 u32 u64);
        table!(@alias $t; u8 i8, u16 i16, u32 i32, u64 i64)
    };
    (@alias $t:ident; $($U:ident $I:ident),*) => {
        $($t[slot(<$I as Element>::DTYPE)] =
            rows::alias($t[slot(<$U as Element>::DTYPE)], <$U as Element>::DTYPE, <$I as Element>::DTYPE);)*
    };
    (@fill $t:ident $kind:ident narrow $K:ty) => { table!(@set $t $kind $K; f16 bf16 f32 f64) };
    (@fill $t:ident select floats $K:ty) => { table!(@set $t select $K; f16 bf16 f32 f64) };
    (@fill $t:ident ternary floats $K:ty) => { table!(@set $t ternary $K; f16 bf16 f32 f64) };
    (@fill $t:ident $kind:ident floats $K:ty) => {
        table!(@set $t $kind $K; f32 f64);
        table!(@half $t $kind $K; f16 bf16)
    };
    (@half $t:ident unary $K:ty; $($H:ty)*) => {
        $($t[slot(<$H as Element>::DTYPE)] = rows::half_unary::<$K, $H>();)*
    };
    (@half $t:ident binary $K:ty; $($H:ty)*) => {
        $($t[slot(<$H as Element>::DTYPE)] = rows::half_binary::<$K, $H>();)*
    };
    (@fill $t:ident $kind:ident complex $K:ty) => { table!(@set $t $kind $K; C64 C128) };
    (@set $t:ident $kind:ident $K:ty; $($T:ty)*) => {
        $($t[slot(<$T as Element>::DTYPE)] = rows::$kind::<$K, $T>();)*
    };
    ($kind:ident { $($group:ident: $K:ty),* $(,)? }) => {{
        #[allow(unused_imports)]
        use freelane_array::{Element, types::*};
        use $crate::ufuncs::rows::{self, slot};
        let mut t = [None; freelane_array::DType::COUNT];
        $(table!(@fill t $kind $group $K);)*
        t
    }};
}

/// Rows of elementwise functions. The number of parameters chooses the kind of loop.
macro_rules! ufuncs {
    ($($(#[doc = $doc:literal])+ $name:ident $NAME:ident ($($param:ident),+) {
        loops: { $($group:ident: $K:ty),* $(,)? },
        promotion: $class:ident, cost: $cost:literal, domain: ($low:expr, $high:expr), ulp: $ulp:literal $(, onnx: ($onnx:literal, $opset:literal))? $(, check: $check:expr)? $(, order: $order:expr)? $(, derivative: $derivative:ident)? $(,)?
    })*) => {
        $(
            $(#[doc = $doc])+
            pub static $NAME: $crate::UFunc = $crate::UFunc {
                name: $crate::ufuncs::rows::trimmed(stringify!($name)),
                doc: concat!($($doc, "\n"),+),
                params: &[$(crate::function::Param::required(stringify!($param), crate::function::Kind::Operand)),+],
                loops: ufuncs!(@loops ($($param),+) { $($group: $K),* }),
                promotion: $crate::Promotion::$class,
                cost: $cost,
                onnx: ufuncs!(@option $(($onnx, $opset))?),
                check: ufuncs!(@option $($check)?),
                order: ufuncs!(@option $($order)?),
                derivative: ufuncs!(@derivative $($derivative)?),
                domain: ($low, $high),
                ulp: $ulp,
            };
        )*

        /// The rows of this family.
        pub(super) const ROWS: &[&$crate::UFunc] = &[$(&$NAME),*];

        impl $crate::Array {
            $(ufuncs!(@method $($doc)+; $name $NAME ($($param),+));)*
        }
    };
    (@loops ($x:ident) $groups:tt) => {
        $crate::Loops::Unary({ static TABLE: $crate::Table<freelane_kernels::elementwise::Loop1> = table!(unary $groups); &TABLE })
    };
    (@loops ($x:ident, $y:ident) $groups:tt) => {
        $crate::Loops::Binary({ static TABLE: $crate::Table<freelane_kernels::elementwise::Loop2> = table!(binary $groups); &TABLE })
    };
    (@loops (condition, $x:ident, $y:ident) $groups:tt) => {
        $crate::Loops::Select(
            freelane_array::DType::Bool,
            { static TABLE: $crate::Table<freelane_kernels::elementwise::Loop3> = table!(select $groups); &TABLE },
        )
    };
    (@loops ($x:ident, $y:ident, $z:ident) $groups:tt) => {
        $crate::Loops::Ternary({ static TABLE: $crate::Table<freelane_kernels::elementwise::Loop3> = table!(ternary $groups); &TABLE })
    };
    (@derivative) => { $crate::Gradient::Differentiable };
    (@derivative $derivative:ident) => { $crate::Gradient::$derivative };
    (@option) => { None };
    (@option $value:expr) => { Some($value) };
    (@method $($doc:literal)+; $name:ident $NAME:ident ($x:ident)) => {
        $(#[doc = $doc])+
        ///
        /// # Errors
        /// When the function is not defined for the array's dtype, or memory cannot be had.
        pub fn $name(&self) -> Result<$crate::Array, $crate::OpsError> {
            freelane_pool::Lane::with(|lane| $NAME.call(lane, &[self.into()])).map(Into::into)
        }
    };
    (@method $($doc:literal)+; $name:ident $NAME:ident ($x:ident, $y:ident)) => {
        $(#[doc = $doc])+
        ///
        /// The other operand is an array (`&y`) or a scalar.
        ///
        /// # Errors
        /// When the function is not defined for the operands' dtypes, their shapes do not broadcast, or memory cannot be
        /// had.
        pub fn $name<'a>(&self, other: impl Into<$crate::Operand<'a>>) -> Result<$crate::Array, $crate::OpsError> {
            let other = other.into();
            freelane_pool::Lane::with(|lane| $NAME.call(lane, &[self.into(), other])).map(Into::into)
        }
    };
    (@method $($doc:literal)+; $name:ident $NAME:ident ($c:ident, $x:ident, $y:ident)) => {
        $(#[doc = $doc])+
        ///
        /// The other operands are arrays (`&y`) or scalars.
        ///
        /// # Errors
        /// When a condition is not boolean, the function is not defined for the operands' dtypes, their shapes do not
        /// broadcast, or memory cannot be had.
        pub fn $name<'a, 'b>(
            &self,
            $x: impl Into<$crate::Operand<'a>>,
            $y: impl Into<$crate::Operand<'b>>,
        ) -> Result<$crate::Array, $crate::OpsError> {
            let ($x, $y) = ($x.into(), $y.into());
            freelane_pool::Lane::with(|lane| $NAME.call(lane, &[self.into(), $x, $y])).map(Into::into)
        }
    };
}
