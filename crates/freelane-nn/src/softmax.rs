//! Exponentials that add up to one, their logarithms, and the greatest element as a one.
use crate::arrays::{Real, dense_as, elements, fill, in_dtype, scratch, wide_dtype, with_real};
use freelane_array::ArrayData;
use freelane_kernels::elementwise as k;
use freelane_kernels::elementwise::Map1;
use freelane_ops::OpsError;
use freelane_pool::Lane;

/// What is made of each line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// Exponentials divided by their sum.
    Softmax,
    /// Logarithms of those.
    LogSoftmax,
    /// One in place of the first greatest element, zero elsewhere.
    Hardmax,
}

/// Sums in a fixed order that vectors can follow: sixteen chains, folded in halves.
#[inline(always)]
pub(crate) fn sum<T: Real>(x: &[T], f: impl Fn(T) -> T) -> T {
    let mut chains = [T::zero(); 16];
    let whole = x.chunks_exact(16);
    let rest = whole.remainder();
    for chunk in whole {
        chains.iter_mut().zip(chunk).for_each(|(c, x)| *c += f(*x));
    }
    chains.iter_mut().zip(rest).for_each(|(c, x)| *c += f(*x));
    let mut width = 8;
    while width > 0 {
        for i in 0..width {
            let other = chains[i + width];
            chains[i] += other;
        }
        width /= 2;
    }
    chains[0]
}

/// The greatest element; a NaN counts as the least.
#[inline(always)]
pub(crate) fn greatest<T: Real>(x: &[T]) -> T {
    let mut chains = [T::neg_infinity(); 16];
    let whole = x.chunks_exact(16);
    let rest = whole.remainder();
    let greater = |a: T, b: T| if b > a { b } else { a };
    for chunk in whole {
        chains.iter_mut().zip(chunk).for_each(|(c, x)| *c = greater(*c, *x));
    }
    chains.iter_mut().zip(rest).for_each(|(c, x)| *c = greater(*c, *x));
    chains.into_iter().fold(T::neg_infinity(), greater)
}

/// The softmax of a line, in its place. Where all elements are minus infinity, all become NaN.
#[inline(always)]
pub(crate) fn softmax_line<T: Real>(line: &mut [T])
where
    k::Exp: Map1<T, Out = T>,
{
    let top = greatest(line);
    line.iter_mut().for_each(|x| *x = *x - top);
    k::map::<k::Exp, T>(line);
    let scale = T::one() / sum(line, |x| x);
    line.iter_mut().for_each(|x| *x *= scale);
}

#[inline(always)]
fn log_softmax_line<T: Real>(line: &mut [T], powers: &mut [T])
where
    k::Exp: Map1<T, Out = T>,
{
    let top = greatest(line);
    line.iter_mut().for_each(|x| *x = *x - top);
    powers.copy_from_slice(line);
    k::map::<k::Exp, T>(powers);
    let log = sum(powers, |x| x).ln();
    line.iter_mut().for_each(|x| *x = *x - log);
}

fn hardmax_line<T: Real>(line: &mut [T]) {
    let mut best = 0;
    for i in 1..line.len() {
        if line[i] > line[best] {
            best = i;
        }
    }
    line.fill(T::zero());
    line[best] = T::one();
}

impl Lines {
    #[inline(always)]
    fn run<T: Real>(self, line: &mut [T], powers: &mut Vec<T>)
    where
        k::Exp: Map1<T, Out = T>,
    {
        match self {
            Lines::Softmax => softmax_line(line),
            Lines::LogSoftmax => {
                powers.resize(line.len(), T::zero());
                log_softmax_line(line, powers);
            }
            Lines::Hardmax => hardmax_line(line),
        }
    }

    /// All columns of a matrix side by side. `column` has room for a row, and is zero.
    #[inline(always)]
    fn columns<T: Real>(self, from: &[T], out: &mut [T], column: &mut [T])
    where
        k::Exp: Map1<T, Out = T>,
    {
        let inner = column.len();
        column.fill(T::neg_infinity());
        for row in from.chunks_exact(inner) {
            column.iter_mut().zip(row).for_each(|(top, x)| *top = if *x > *top { *x } else { *top });
        }
        for (out, row) in out.chunks_exact_mut(inner).zip(from.chunks_exact(inner)) {
            out.iter_mut().zip(row).zip(&*column).for_each(|((o, x), top)| *o = *x - *top);
        }
        if self == Lines::Softmax {
            k::map::<k::Exp, T>(out);
            column.fill(T::zero());
            for row in out.chunks_exact(inner) {
                column.iter_mut().zip(row).for_each(|(sum, x)| *sum += *x);
            }
            for row in out.chunks_exact_mut(inner) {
                row.iter_mut().zip(&*column).for_each(|(x, sum)| *x /= *sum);
            }
            return;
        }
        let mut powers = out.to_vec();
        k::map::<k::Exp, T>(&mut powers);
        column.fill(T::zero());
        for row in powers.chunks_exact(inner) {
            column.iter_mut().zip(row).for_each(|(sum, x)| *sum += *x);
        }
        column.iter_mut().for_each(|sum| *sum = sum.ln());
        for row in out.chunks_exact_mut(inner) {
            row.iter_mut().zip(&*column).for_each(|(x, log)| *x = *x - *log);
        }
    }

    /// Along the axes `from..to` taken as one.
    ///
    /// # Errors
    /// When elements are no floats, or memory cannot be had.
    pub fn call(
        self,
        lane: &Lane,
        op: &'static str,
        x: &ArrayData,
        axes: std::ops::Range<usize>,
    ) -> Result<ArrayData, OpsError> {
        let wide = wide_dtype(op, x.dtype())?;
        let dense = dense_as(x, wide)?;
        let shape = x.layout().shape();
        let n: usize = shape[axes.clone()].iter().product();
        let outer: usize = shape[..axes.start].iter().product();
        let inner: usize = shape[axes.end..].iter().product();
        let done = with_real!(op, wide, T => {
            let from = elements::<T>(&dense)?;
            let cost = from.len() * 2;
            fill::<T>(lane, op, shape, outer, cost, |lane, i, out| {
                let from = &from[i * out.len()..][..out.len()];
                let mut powers = vec![];
                if inner == 1 {
                    out.copy_from_slice(from);
                    self.run(out, &mut powers);
                    return Ok(());
                }
                if self != Lines::Hardmax {
                    return scratch::<T, _>(lane, op, inner, |column| {
                        self.columns(from, out, column);
                        Ok(())
                    });
                }
                let mut line = vec![T::zero(); n];
                for j in 0..inner {
                    line.iter_mut().zip(from[j..].iter().step_by(inner)).for_each(|(l, x)| *l = *x);
                    self.run(&mut line, &mut powers);
                    line.iter().zip(out[j..].iter_mut().step_by(inner)).for_each(|(l, o)| *o = *l);
                }
                Ok(())
            })
        })?;
        in_dtype(done, x.dtype())
    }
}
