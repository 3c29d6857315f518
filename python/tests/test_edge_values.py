"""Right values where the obvious algorithm gives a wrong one: each line is a call and what it must give."""

import math

import freelane as fl
import pytest

INF, NAN = math.inf, math.nan

VALUES = {
    "determinant of zeros": (lambda: fl.linalg.det(fl.zeros((2, 2))), 0.0),
    "determinant of a singular matrix": (lambda: fl.linalg.det(fl.ones((3, 3))), 0.0),
    "determinant whose partial products overflow": (
        lambda: fl.linalg.det(fl.eye(4) * fl.asarray([1e200, 1e200, 1e-200, 1e-200])),
        pytest.approx(1.0, rel=1e-12),
    ),
    "sign of a singular matrix": (lambda: fl.linalg.slogdet(fl.ones((3, 3)))[0], 0.0),
    "condition number beside a singular matrix": (
        lambda: fl.linalg.cond(fl.stack([fl.eye(2), fl.ones((2, 2))]), 1),
        [1.0, INF],
    ),
    "eigenvalues of rows far apart": (
        lambda: fl.linalg.eigvalsh(fl.asarray([[1e200, 0.0, 0.0], [0.0, 3.0, 4.0], [0.0, 4.0, -3.0]])),
        [pytest.approx(-5.0), pytest.approx(5.0), 1e200],
    ),
    "singular values far apart": (
        lambda: fl.linalg.svdvals(fl.eye(4) * fl.asarray([1e160, 1.0, 0.1, 0.01])),
        [1e160, pytest.approx(1.0), pytest.approx(0.1), pytest.approx(0.01)],
    ),
    "a singular value whose square is nothing": (
        lambda: fl.linalg.svdvals(fl.eye(2) * fl.asarray([1.0, 1e-165])),
        [1.0, pytest.approx(1e-165, abs=0, rel=1e-12)],
    ),
    "singular values whose squares' squares overflow": (
        lambda: fl.linalg.svdvals(fl.asarray([[1.15e77, 1.15e77], [0.0, 1.15e77]])),
        [pytest.approx(1.15e77 * (5**0.5 + 1) / 2, rel=1e-14), pytest.approx(1.15e77 * (5**0.5 - 1) / 2, rel=1e-14)],
    ),
    "condition of rows far apart": (
        lambda: fl.linalg.cond(fl.eye(3) * fl.asarray([1.0, 1e-100, 1e-165])),
        pytest.approx(1e165, rel=1e-12),
    ),
    "singular values of rank one": (
        lambda: fl.linalg.svdvals(fl.ones((60, 60), dtype="float32"))[:2] + 0.0,
        [pytest.approx(60.0, rel=1e-6), pytest.approx(0.0, abs=1e-4)],
    ),
    "lerp at its ends": (
        lambda: fl.lerp(fl.asarray([INF, 3.0, -0.0, 3.0]), fl.asarray([3.0, INF, 3.0, -0.0]), fl.asarray([1.0, 0.0, 0.0, 1.0])),
        [3.0, 3.0, -0.0, -0.0],
    ),
    "average of int8": (lambda: fl.average(fl.asarray([100, 100, 100], dtype="int8")), 100.0),
    "weighted average of int8": (
        lambda: fl.average(fl.asarray([100, 120], dtype="int8"), weights=fl.asarray([100, 100], dtype="int8")),
        110.0,
    ),
    "covariance of int8": (lambda: fl.cov(fl.asarray([[-100, 0, 100]], dtype="int8")), 10000.0),
    "correlation of far large numbers": (
        lambda: fl.corrcoef(fl.asarray([[1e8, 1e8 + 1, 1e8 + 2], [3.0, 2.0, 1.0]]))[0, 1],
        pytest.approx(-1.0, abs=1e-12),
    ),
    "convolution meets infinity only where the kernel does": (
        lambda: fl.convolve(fl.asarray([0.0, 1.0, 2.0]), fl.asarray([1.0, INF]), "valid"),
        [NAN, INF],
    ),
    "convolution with infinity, in full": (
        lambda: fl.convolve(fl.asarray([0.0, 1.0, 2.0]), fl.asarray([1.0, INF])),
        [0.0, NAN, INF, INF],
    ),
    "variance of infinity": (lambda: fl.nanvar(fl.asarray([1.0, INF, NAN])), NAN),
    "nanmean of small halves": (lambda: fl.nanmean(fl.full(5000, 1.0, dtype="float16")), 1.0),
    "signed beside unsigned 64-bit": (
        lambda: fl.isin(fl.asarray([-1, 2**53 + 1]), fl.asarray([2**64 - 1, 2**53 + 1], dtype="uint64")),
        [False, True],
    ),
    "geometric steps hit powers": (lambda: fl.geomspace(1.0, 1000.0, 4), [1.0, 10.0, 100.0, 1000.0]),
    "median on a line to infinity": (lambda: fl.median(fl.asarray([INF, INF])), INF),
    "halves to even": (lambda: fl.rint(fl.asarray([0.5, 1.5, -0.5])), [0.0, 2.0, -0.0]),
}

ERRORS = {
    "the same axis twice": (lambda: fl.fft.rfft2(fl.ones((4, 4)), axes=(0, 0)), ValueError, "axis 0 is named twice"),
    "pads that overflow": (lambda: fl.pad(fl.ones(3), (2**62, 2**62)), (ValueError, MemoryError), "more elements"),
    "a count as large as its bins": (lambda: fl.bincount(fl.asarray([2**63 - 1])), (ValueError, MemoryError), "more elements"),
    "more children than there can be": (lambda: fl.random.Generator(1).spawn(2**45), (ValueError, MemoryError), "spawn|child"),
    "quantile at a complex share": (lambda: fl.quantile(fl.ones(3), 0.5 + 3j), TypeError, "quantile: .*complex128"),
    "histogram of complex numbers": (lambda: fl.histogram(fl.asarray([1j, 2])), TypeError, "histogram: .*complex128"),
    "complex weights": (
        lambda: fl.random.Generator(1).choice(fl.arange(3), size=2, p=[1, 2j, 3]),
        (TypeError, ValueError),
        "choice",
    ),
    "rank by a complex bound": (lambda: fl.linalg.matrix_rank(fl.eye(2), rtol=1j), TypeError, "matrix_rank: .*complex128"),
    "sizes that do not hold the parameters": (
        lambda: fl.random.Generator(1).normal(fl.zeros(3), 1.0, size=(2, 4)),
        ValueError,
        "size|broadcast",
    ),
    "bounds beyond the type": (
        lambda: fl.random.Generator(1).integers(0, 300, dtype="int8"),
        (ValueError, OverflowError),
        "int8",
    ),
}


def same(found, expected):
    if not isinstance(expected, (float, list)):
        return found == expected
    if isinstance(expected, float) and math.isnan(expected):
        return math.isnan(found)
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    return found == expected and (not isinstance(expected, float) or math.copysign(1, found) == math.copysign(1, expected))


@pytest.mark.parametrize("name", VALUES)
def test_value(name):
    call, expected = VALUES[name]
    found = call().tolist()
    assert same(found, expected), (found, expected)


@pytest.mark.parametrize("name", ERRORS)
def test_error(name):
    call, kind, message = ERRORS[name]
    with pytest.raises(kind, match=message):
        call()
