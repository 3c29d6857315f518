//! Mean, variance and standard deviation, in double precision whatever the elements are.
//!
//! The variance takes the mean of its output as a parameter, unrounded, as [`Center`] makes it: a second pass over the
//! elements, without a temporary for the deviations. Beside their squares it adds up the deviations themselves, whose sum
//! is what the mean lacks: of equal elements the variance is zero.
use super::block::{SEGMENT, pieces};
use super::dispatch::Tier;
use super::fold::{Accumulate, Fold, Whole};
use super::norm::{SquareSum, squares_f32};
use super::order::{CHAINS, PIECE, fold_halves};
use super::sum::{DoubleProd, DoubleSum, Prod, Sum};
use super::summand::Accumulator;
use crate::elementwise::Half;
use half::{bf16, f16};
use num_complex::Complex;

/// An element that has a mean.
pub trait Averaged: Copy + 'static {
    /// The instruction sets that loops are compiled for.
    const TIER: Tier;
    /// How elements add up. Small integers do so exactly.
    type Total: Accumulate<Self, Param = ()>;
    /// How their product is found.
    type Product: Accumulate<Self, Param = (), Acc = Self::Double>;
    /// `f64`, or a pair of them.
    type Double: Accumulator;
    /// What a mean is.
    type Mean: Copy + 'static;
    /// What a variance is.
    type Variance: Copy + 'static;
    /// To double precision.
    fn double(self) -> Self::Double;
    /// A sum in double precision.
    fn total(sum: <Self::Total as Accumulate<Self>>::Acc) -> Self::Double;
    /// The distance from a mean.
    fn minus(a: Self::Double, b: Self::Double) -> Self::Double;
    /// The quotient.
    fn divide(sum: Self::Double, n: f64) -> Self::Double;
    /// The square of the absolute value.
    fn square(a: Self::Double) -> f64;
    /// The sum of the squares of so many adjacent elements, at most 1024.
    ///
    /// # Safety
    /// `x` is valid for reads of `n` elements; it need not be aligned.
    #[inline(always)]
    unsafe fn squares(x: *const Self, n: usize) -> f64 {
        // SAFETY: the caller's promise.
        unsafe { pieces::<Self, SquareSum>((), x, n, 0) }
    }
    /// To the type of a mean, rounding once.
    fn mean(mean: Self::Double) -> Self::Mean;
    /// To the type of a variance, rounding once.
    fn variance(variance: f64) -> Self::Variance;
}

macro_rules! averaged_reals {
    ($($t:ty: $tier:ident, $total:ty, $product:ty, $out:ty, $double:expr, $sum:expr, $narrow:expr $(, squares $squares:ident)?;)*) => {$(
        impl Averaged for $t {
            const TIER: Tier = Tier::$tier;
            type Total = $total;
            type Product = $product;
            type Double = f64;
            type Mean = $out;
            type Variance = $out;
            #[inline(always)]
            fn double(self) -> f64 {
                $double(self)
            }
            fn total(sum: <$total as Accumulate<$t>>::Acc) -> f64 {
                $sum(sum)
            }
            #[inline(always)]
            fn minus(a: f64, b: f64) -> f64 {
                a - b
            }
            fn divide(sum: f64, n: f64) -> f64 {
                sum / n
            }
            #[inline(always)]
            fn square(a: f64) -> f64 {
                a * a
            }
            $(
                #[inline(always)]
                unsafe fn squares(x: *const $t, n: usize) -> f64 {
                    // SAFETY: the caller's promise.
                    unsafe { $squares(x, n) }
                }
            )?
            fn mean(mean: f64) -> $out {
                $narrow(mean)
            }
            fn variance(variance: f64) -> $out {
                $narrow(variance)
            }
        }
    )*};
}
averaged_reals! {
    bool: Plain, Sum, DoubleProd, f64, |x| f64::from(u8::from(x)), |a| a as f64, |a| a;
    i8: Plain, Sum, DoubleProd, f64, f64::from, |a| a as f64, |a| a;
    i16: Plain, Sum, DoubleProd, f64, f64::from, |a| a as f64, |a| a;
    i32: Native, Sum, DoubleProd, f64, f64::from, |a| a as f64, |a| a;
    i64: Plain, DoubleSum, DoubleProd, f64, |x| x as f64, |a| a, |a| a;
    u8: Plain, Sum, DoubleProd, f64, f64::from, |a| a as f64, |a| a;
    u16: Plain, Sum, DoubleProd, f64, f64::from, |a| a as f64, |a| a;
    u32: Plain, Sum, DoubleProd, f64, f64::from, |a| a as f64, |a| a;
    u64: Plain, DoubleSum, DoubleProd, f64, |x| x as f64, |a| a, |a| a;
    f16: Native, Sum, Prod, f16, |x: f16| x.widen().into(), |a| a, f16::from_f64;
    bf16: Native, Sum, Prod, bf16, |x: bf16| x.widen().into(), |a| a, bf16::from_f64;
    f32: Native, Sum, Prod, f32, f64::from, |a| a, |a| a as f32, squares squares_f32;
    f64: Native, Sum, Prod, f64, |x| x, |a| a, |a| a;
}

macro_rules! averaged_complex {
    ($($t:ty),*) => {$(
        impl Averaged for Complex<$t> {
            const TIER: Tier = Tier::Plain;
            type Total = Sum;
            type Product = Prod;
            type Double = Complex<f64>;
            type Mean = Self;
            type Variance = $t;
            #[inline(always)]
            fn double(self) -> Complex<f64> {
                Complex::new(self.re.into(), self.im.into())
            }
            fn total(sum: Complex<f64>) -> Complex<f64> {
                sum
            }
            #[inline(always)]
            fn minus(a: Complex<f64>, b: Complex<f64>) -> Complex<f64> {
                a - b
            }
            fn divide(sum: Complex<f64>, n: f64) -> Complex<f64> {
                Complex::new(sum.re / n, sum.im / n)
            }
            #[inline(always)]
            fn square(a: Complex<f64>) -> f64 {
                a.re * a.re + a.im * a.im
            }
            fn mean(mean: Complex<f64>) -> Self {
                Complex::new(mean.re as $t, mean.im as $t)
            }
            fn variance(variance: f64) -> $t {
                variance as $t
            }
        }
    )*};
}
averaged_complex!(f32, f64);

/// The mean. That of nothing is NaN.
#[derive(Clone, Copy, Debug)]
pub struct Mean;

/// The mean in double precision: what [`Variance`] and [`Std`] take as their parameter.
#[derive(Clone, Copy, Debug)]
pub struct Center;

/// The sum, answered in double precision.
#[derive(Clone, Copy, Debug)]
pub struct WideSum;

/// The product in double precision.
#[derive(Clone, Copy, Debug)]
pub struct WideProd;

macro_rules! wide_folds {
    ($($fold:ident: $by:ident, $out:ident, |$acc:ident, $count:ident| $finish:expr;)*) => {$(
        impl<T: Averaged> Fold<T> for $fold {
            type By = T::$by;
            type Param = ();
            type Out = T::$out;
            fn finish($acc: <T::$by as Accumulate<T>>::Acc, whole: Whole) -> T::$out {
                let $count = whole.count;
                $finish
            }
        }
    )*};
}
wide_folds! {
    Mean: Total, Mean, |acc, count| T::mean(T::divide(T::total(acc), count as f64));
    Center: Total, Double, |acc, count| T::divide(T::total(acc), count as f64);
    WideSum: Total, Double, |acc, count| if count == 0 { T::Double::ZERO } else { T::total(acc) };
    WideProd: Product, Double, |acc, count| if count == 0 { T::Double::ONE } else { acc };
}

/// The sum of squared deviations from the mean (the parameter), divided by the count less `ddof`.
#[derive(Clone, Copy, Debug)]
pub struct Variance;

/// The square root of the variance.
#[derive(Clone, Copy, Debug)]
pub struct Std;

/// Deviations added up.
#[derive(Clone, Copy, Debug)]
pub struct Spread<D> {
    squares: f64,
    rest: D,
}

impl<D: Accumulator> Spread<D> {
    const NOTHING: Self = Spread { squares: f64::NOTHING, rest: D::NOTHING };

    #[inline(always)]
    fn both(self, b: Self) -> Self {
        Spread { squares: self.squares + b.squares, rest: self.rest.plus(b.rest) }
    }
}

/// Deviations of `L` columns or chains: the squares apart from the rest, so that both stay in vectors.
struct Lanes<D, const L: usize> {
    squares: [f64; L],
    rest: [D; L],
}

impl<D: Accumulator, const L: usize> Lanes<D, L> {
    #[inline(always)]
    fn add<T: Averaged<Double = D>>(&mut self, x: [T; L], means: [D; L]) {
        for l in 0..L {
            let d = T::minus(x[l].double(), means[l]);
            self.squares[l] += T::square(d);
            self.rest[l] = self.rest[l].plus(d);
        }
    }
}

/// One piece, as [`chains`](super::block::chains) has it.
///
/// # Safety
/// `x` is valid for reads of `n` elements; it need not be aligned.
#[inline(always)]
unsafe fn piece<T: Averaged>(mean: T::Double, x: *const T, n: usize) -> Spread<T::Double> {
    let mut lanes = Lanes { squares: [f64::NOTHING; CHAINS], rest: [T::Double::NOTHING; CHAINS] };
    let whole = n / CHAINS * CHAINS;
    for i in (0..whole).step_by(CHAINS) {
        // SAFETY: `i + CHAINS <= n`.
        lanes.add(unsafe { x.add(i).cast::<[T; CHAINS]>().read_unaligned() }, [mean; CHAINS]);
    }
    for c in 0..n - whole {
        // SAFETY: `whole + c < n`.
        let d = T::minus(unsafe { x.add(whole + c).read_unaligned() }.double(), mean);
        lanes.squares[c] += T::square(d);
        lanes.rest[c] = lanes.rest[c].plus(d);
    }
    let rest = fold_halves(lanes.rest, T::Double::plus);
    Spread { squares: fold_halves(lanes.squares, |a, b| a + b), rest }
}

impl<T: Averaged> Accumulate<T> for Variance {
    type Acc = Spread<T::Double>;
    type Param = T::Double;
    const TIER: Tier = T::TIER;
    #[inline(always)]
    fn identity() -> Self::Acc {
        Spread::NOTHING
    }
    #[inline(always)]
    fn lift(mean: T::Double, x: T, _: usize) -> Self::Acc {
        let rest = T::minus(x.double(), mean);
        Spread { squares: T::square(rest), rest }
    }
    #[inline(always)]
    fn combine(a: Self::Acc, b: Self::Acc) -> Self::Acc {
        a.both(b)
    }
    #[inline(always)]
    unsafe fn block(mean: T::Double, x: *const T, n: usize, _: usize) -> Self::Acc {
        let mut all = [Spread::NOTHING; SEGMENT / PIECE];
        for (p, one) in all.iter_mut().enumerate().take(n.div_ceil(PIECE)) {
            let first = p * PIECE;
            // SAFETY: the piece lies among the elements.
            *one = unsafe { piece(mean, x.add(first), PIECE.min(n - first)) };
        }
        all[0].both(all[1]).both(all[2].both(all[3]))
    }
    #[inline(always)]
    fn rows<const L: usize>(
        accs: [Self::Acc; L],
        means: [T::Double; L],
        rows: usize,
        row: impl Fn(usize) -> [T; L],
        _: usize,
        _: usize,
    ) -> [Self::Acc; L] {
        let mut lanes = Lanes { squares: accs.map(|a| a.squares), rest: accs.map(|a| a.rest) };
        for r in 0..rows {
            lanes.add(row(r), means);
        }
        std::array::from_fn(|l| Spread { squares: lanes.squares[l], rest: lanes.rest[l] })
    }
}

macro_rules! variance_folds {
    ($($fold:ident: $f:expr;)*) => {$(
        impl<T: Averaged> Fold<T> for $fold {
            type By = Variance;
            type Param = T::Double;
            type Out = T::Variance;
            fn finish(acc: Spread<T::Double>, whole: Whole) -> T::Variance {
                let n = whole.count as f64;
                // What the mean lacks, squared, once for each element.
                let lacking = T::square(T::divide(acc.rest, n)) * n;
                let squares = if acc.squares.is_infinite() { acc.squares } else { acc.squares - lacking };
                let squares = if squares < 0.0 { 0.0 } else { squares };
                T::variance($f(squares / (n - whole.ddof).max(0.0)))
            }
        }
    )*};
}
variance_folds! {
    Variance: |v: f64| v;
    Std: f64::sqrt;
}
