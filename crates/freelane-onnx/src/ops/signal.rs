//! Fourier transforms. The last axis holds real and imaginary parts.
use super::given::{area_of, array, axis_of, int_of, length_of, listed};
use super::{Op, Row, Spec, row};
use crate::Fault;
use freelane_array::DType;
use freelane_fft::{Norm, fft, ifft, irfft, rfft};
use freelane_graph::{GraphError, Operator};
use freelane_ops::{Array, stack};
use num_complex::Complex;
use std::sync::Arc;

pub(super) const ROWS: &[Row] = &[row("DFT", 17, dft), row("STFT", 17, stft)];

/// Numbers of an array whose last axis holds one part or both, which are real or complex.
fn numbers(x: &Array) -> Result<Array, GraphError> {
    let (last, wide) = (x.shape().last().copied(), x.dtype() == DType::F64);
    match last {
        Some(1) => Ok(x.squeeze(&[-1])?.astype(if wide { DType::F64 } else { DType::F32 })?),
        Some(2) => {
            let shape = &x.shape()[..x.rank() - 1];
            if wide {
                let parts = x.to_vec::<f64>()?;
                let both = parts.as_chunks::<2>().0.iter().map(|&[re, im]| Complex::new(re, im)).collect();
                return Ok(Array::from_vec::<Complex<f64>>(both, shape)?);
            }
            let parts = x.astype(DType::F32)?.to_vec::<f32>()?;
            let both = parts.as_chunks::<2>().0.iter().map(|&[re, im]| Complex::new(re, im)).collect();
            Ok(Array::from_vec::<Complex<f32>>(both, shape)?)
        }
        _ => Err(GraphError::invalid(format!("the last axis must hold 1 or 2 parts, the shape is {:?}", x.shape()))),
    }
}

/// Complex numbers with their parts along a last axis; real ones with one part.
fn parts(x: &Array, dtype: DType) -> Result<Array, GraphError> {
    if x.dtype().is_real() {
        return Ok(x.expand_dims(-1)?.astype(dtype)?);
    }
    Ok(stack(&[&x.real()?, &x.imag()?], -1)?.astype(dtype)?)
}

fn dft(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let (inverse, onesided) = (spec.flag("inverse", false)?, spec.flag("onesided", false)?);
    let fixed = if spec.opset < 20 { Some(spec.int("axis", 1)?) } else { None };
    Op::new(spec, move |cx| {
        let x = array(cx, 0)?;
        let n = int_of(cx, 1)?.map(length_of).transpose()?;
        let axis = match fixed {
            Some(axis) => axis,
            None => int_of(cx, 2)?.unwrap_or(-2),
        };
        let at = axis_of(axis, x.rank())?;
        if at + 1 == x.rank() {
            return Err(GraphError::invalid("the last axis holds the parts of numbers and is not transformed"));
        }
        let (z, at) = (numbers(x)?, at as isize);
        let y = match (inverse, onesided) {
            (false, false) => fft(&z, n, at, Norm::Backward)?,
            (false, true) => rfft(&z, n, at, Norm::Backward)?,
            (true, false) => ifft(&z, n, at, Norm::Backward)?,
            (true, true) => irfft(&z, n, at, Norm::Backward)?,
        };
        cx.set(0, parts(&y, x.dtype())?);
        Ok(())
    })
    .of_input_dtype()
    .done()
}

fn stft(spec: &Spec<'_>) -> Result<Arc<dyn Operator>, Fault> {
    let onesided = spec.flag("onesided", true)?;
    Op::new(spec, move |cx| {
        let x = array(cx, 0)?;
        let signal = numbers(x)?;
        let window = cx.array_or_none(2)?.map(|w| Array::from(w.clone()));
        let step = int_of(cx, 1)?.unwrap_or(0).max(0) as usize;
        let length = match (int_of(cx, 3)?, &window) {
            (Some(n), _) => length_of(n)?,
            (None, Some(w)) => w.len(),
            (None, None) => return Err(GraphError::invalid("neither a window nor a frame length is given")),
        };
        let [_, n] = *signal.shape() else {
            return Err(GraphError::invalid(format!("a signal needs three axes, found {:?}", x.shape())));
        };
        if step == 0 || length == 0 || length > n {
            return Err(GraphError::invalid(format!("frames of {length} every {step} do not fit a signal of {n}")));
        }
        let frames = (n - length) / step + 1;
        let places = (0..frames).flat_map(|f| (0..length).map(move |i| (f * step + i) as i64));
        let places = listed(area_of(frames, length)?, places)?;
        let mut z = signal.take(&Array::from_vec(places, &[frames, length])?, 1)?;
        if let Some(window) = window {
            z = z.multiply(&window.astype(z.dtype().real())?)?;
        }
        let y = if onesided && z.dtype().is_real() {
            rfft(&z, None, -1, Norm::Backward)?
        } else {
            fft(&z, None, -1, Norm::Backward)?
        };
        cx.set(0, parts(&y, x.dtype())?);
        Ok(())
    })
    .of_input_dtype()
    .done()
}
