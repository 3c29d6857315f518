//! The functions by name.
use crate::axes::too_short;
use crate::{
    Norm, fft, fftfreq, fftn, fftshift, hfft, ifft, ifftn, ifftshift, ihfft, irfft, irfftn, rfft, rfftfreq, rfftn,
};
use freelane_array::DType;
use freelane_ops::function::{Bound, Default, Kind, Param, Run};
use freelane_ops::{Array, Axes, Op, OpsError};
use smallvec::SmallVec;

/// Every function of the crate, as `freelane eval` and the Python module call it.
pub const OPS: &[&Op] = &[
    &FFT, &FFT2, &FFTFREQ, &FFTN, &FFTSHIFT, &HFFT, &IFFT, &IFFT2, &IFFTN, &IFFTSHIFT, &IHFFT, &IRFFT, &IRFFT2,
    &IRFFTN, &RFFT, &RFFT2, &RFFTFREQ, &RFFTN,
];

const X: Param = Param::required("x", Kind::Operand);
const AXES: Param = Param::optional("axes", Kind::Axes, Default::None);
const NORM: Param = Param::optional("norm", Kind::Str(Norm::NAMES), Default::Str("backward"));
const ONE: &[Param] =
    &[X, Param::optional("n", Kind::Int, Default::None), Param::optional("axis", Kind::Int, Default::Int(-1)), NORM];
const SEVERAL: &[Param] = &[X, Param::optional("s", Kind::Axes, Default::None), AXES, NORM];
const FREQUENCIES: &[Param] = &[
    Param::required("n", Kind::Int),
    Param::optional("d", Kind::Float, Default::Float(1.0)),
    Param::keyword("dtype", Kind::DType, Default::None),
];

fn norm(a: &Bound<'_>, i: usize) -> Result<Norm, OpsError> {
    if a.is_nothing(i) { Ok(Norm::Backward) } else { a.word(i).map(|word| Norm::by_name(word).unwrap_or_default()) }
}

type Ints = Option<SmallVec<[isize; 4]>>;

fn list(a: &Bound<'_>, i: usize) -> Result<Ints, OpsError> {
    match a.axes(i)? {
        Axes::All => Ok(None),
        Axes::These(these) => Ok(Some(these)),
    }
}

fn along(
    op: &'static str,
    a: &Bound<'_>,
    run: fn(&Array, Option<usize>, isize, Norm) -> Result<Array, OpsError>,
) -> Result<Array, OpsError> {
    let n = if a.is_given(1) { Some(length(op, a, 1)?) } else { None };
    run(&a.array(0)?, n, a.int(2)? as isize, norm(a, 3)?)
}

/// A length, at least 1.
fn length(op: &'static str, a: &Bound<'_>, i: usize) -> Result<usize, OpsError> {
    let n = a.int(i)?;
    usize::try_from(n).ok().filter(|&n| n > 0).ok_or_else(|| too_short(op, n.into()))
}

type Several = fn(&Array, Option<&[isize]>, Option<&[isize]>, Norm) -> Result<Array, OpsError>;

fn several(a: &Bound<'_>, run: Several) -> Result<Array, OpsError> {
    run(&a.array(0)?, list(a, 1)?.as_deref(), list(a, 2)?.as_deref(), norm(a, 3)?)
}

/// Over the last two axes unless others are given.
fn two(op: &'static str, a: &Bound<'_>, run: Several) -> Result<Array, OpsError> {
    let axes = list(a, 2)?.unwrap_or_else(|| SmallVec::from_slice(&[-2, -1]));
    run(&a.array(0)?, list(a, 1)?.as_deref(), Some(&axes), norm(a, 3)?).map_err(|e| e.of(op))
}

static FFT: Op = Op {
    name: "fft",
    doc: "The discrete Fourier transform along an axis, over its first n elements or over all and zeros up to n.",
    params: ONE,
    run: Run::One(|_, a| along("fft", a, fft)),
    onnx: None,
};

static IFFT: Op = Op {
    name: "ifft",
    doc: "The inverse of fft.",
    params: ONE,
    run: Run::One(|_, a| along("ifft", a, ifft)),
    onnx: None,
};

static RFFT: Op = Op {
    name: "rfft",
    doc: "The first half, n // 2 + 1 elements, of the transform of real numbers.",
    params: ONE,
    run: Run::One(|_, a| along("rfft", a, rfft)),
    onnx: None,
};

static IRFFT: Op = Op {
    name: "irfft",
    doc: "The inverse of rfft: n real numbers, 2 (m - 1) of them unless it is given, from m elements of the first half.",
    params: ONE,
    run: Run::One(|_, a| along("irfft", a, irfft)),
    onnx: None,
};

static HFFT: Op = Op {
    name: "hfft",
    doc: "The transform, n real numbers, of numbers whose second half mirrors the first, of which n // 2 + 1 are given.",
    params: ONE,
    run: Run::One(|_, a| along("hfft", a, hfft)),
    onnx: None,
};

static IHFFT: Op = Op {
    name: "ihfft",
    doc: "The inverse of hfft: the first half, n // 2 + 1 elements.",
    params: ONE,
    run: Run::One(|_, a| along("ihfft", a, ihfft)),
    onnx: None,
};

static FFTN: Op = Op {
    name: "fftn",
    doc: "The discrete Fourier transform over several axes, or all, of lengths s.",
    params: SEVERAL,
    run: Run::One(|_, a| several(a, fftn)),
    onnx: None,
};

static IFFTN: Op = Op {
    name: "ifftn",
    doc: "The inverse of fftn.",
    params: SEVERAL,
    run: Run::One(|_, a| several(a, ifftn)),
    onnx: None,
};

static RFFTN: Op = Op {
    name: "rfftn",
    doc: "The transform of real numbers over several axes; of the last one it has the first half.",
    params: SEVERAL,
    run: Run::One(|_, a| several(a, rfftn)),
    onnx: None,
};

static IRFFTN: Op = Op {
    name: "irfftn",
    doc: "The inverse of rfftn; the last axis becomes 2 (m - 1) long unless its length is given.",
    params: SEVERAL,
    run: Run::One(|_, a| several(a, irfftn)),
    onnx: None,
};

static FFT2: Op = Op {
    name: "fft2",
    doc: "The discrete Fourier transform over two axes, the last two unless others are given.",
    params: SEVERAL,
    run: Run::One(|_, a| two("fft2", a, fftn)),
    onnx: None,
};

static IFFT2: Op = Op {
    name: "ifft2",
    doc: "The inverse of fft2.",
    params: SEVERAL,
    run: Run::One(|_, a| two("ifft2", a, ifftn)),
    onnx: None,
};

static RFFT2: Op = Op {
    name: "rfft2",
    doc: "The transform of real numbers over two axes; of the last one it has the first half.",
    params: SEVERAL,
    run: Run::One(|_, a| two("rfft2", a, rfftn)),
    onnx: None,
};

static IRFFT2: Op = Op {
    name: "irfft2",
    doc: "The inverse of rfft2; the last axis becomes 2 (m - 1) long unless its length is given.",
    params: SEVERAL,
    run: Run::One(|_, a| two("irfft2", a, irfftn)),
    onnx: None,
};

static FFTFREQ: Op = Op {
    name: "fftfreq",
    doc: "The frequencies of the elements of a transform over n samples that are d apart.",
    params: FREQUENCIES,
    run: Run::One(|_, a| fftfreq(length("fftfreq", a, 0)?, a.float(1)?, a.dtype(2)?.unwrap_or(DType::F64))),
    onnx: None,
};

static RFFTFREQ: Op = Op {
    name: "rfftfreq",
    doc: "The frequencies of the first half of a spectrum, as rfft gives it.",
    params: FREQUENCIES,
    run: Run::One(|_, a| rfftfreq(length("rfftfreq", a, 0)?, a.float(1)?, a.dtype(2)?.unwrap_or(DType::F64))),
    onnx: None,
};

static FFTSHIFT: Op = Op {
    name: "fftshift",
    doc: "The spectrum with the zero frequency in the middle of the given axes, or of all.",
    params: &[X, AXES],
    run: Run::One(|_, a| fftshift(&a.array(0)?, list(a, 1)?.as_deref())),
    onnx: None,
};

static IFFTSHIFT: Op = Op {
    name: "ifftshift",
    doc: "The inverse of fftshift.",
    params: &[X, AXES],
    run: Run::One(|_, a| ifftshift(&a.array(0)?, list(a, 1)?.as_deref())),
    onnx: None,
};
