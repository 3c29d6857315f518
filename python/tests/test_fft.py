"""Transforms beside NumPy's: every function, with every length, axis, norm and layout."""

import itertools

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

from samples import bits  # noqa: E402

RNG = np.random.default_rng(5)
REAL = RNG.standard_normal((3, 5, 8))
COMPLEX = REAL + 1j * RNG.standard_normal((3, 5, 8))
INPUTS = [REAL, COMPLEX, REAL.astype("float32"), COMPLEX.astype("complex64"), (9 * REAL).astype("int16"), REAL > 0]
NORMS = [None, "backward", "ortho", "forward"]
OF_REALS = ("rfft", "rfft2", "rfftn", "ihfft")


def compare(name, x, options):
    function = getattr(fl.fft, name)
    if name in OF_REALS and np.iscomplexobj(x):
        with pytest.raises(TypeError, match="real numbers"):
            function(fl.asarray(x), **options)
        return
    reference = getattr(np.fft, name)(x, **options)
    for layout in (x, x.T.copy().T, np.repeat(x, 2, axis=-1)[..., ::2], x[::-1].copy()[::-1]):
        array = fl.asarray(layout)
        before = bits(array)
        found = function(array, **options)
        assert found.dtype == reference.dtype.name and found.shape == reference.shape
        single = found.dtype in (fl.float32, fl.complex64)
        scale = np.abs(reference).max()
        np.testing.assert_allclose(np.asarray(found), reference, rtol=0, atol=scale * (1e-6 if single else 1e-15))
        assert bits(array) == before and bits(found) == bits(function(fl.asarray(x), **options))


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_one_axis(name):
    for x, axis, norm in itertools.product(INPUTS, (-1, 0, 1), NORMS):
        for n in (None, 1, 2, x.shape[axis] + 3, 7):
            compare(name, x, {"n": n, "axis": axis, "norm": norm})


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2"])
def test_several_axes(name):
    choices = [{}, {"axes": (0, 2)}, {"axes": (-1, 0)}, {"s": (4, 7), "axes": (2, 1)}, {"s": (4, -1), "axes": (1, 2)}]
    if name.endswith("n"):
        choices += [{"axes": (1,)}, {"axes": (2, 0, 1)}, {"s": (2, 6, 9), "axes": (0, 1, 2)}]
    for x, options, norm in itertools.product(INPUTS, choices, ("ortho", "forward")):
        compare(name, x, {**options, "norm": norm})


def test_long_and_awkward_lengths():
    for n in (127, 1000, 1009, 4096, 10007, 2**16 + 1):
        x = RNG.standard_normal(n) + 1j * RNG.standard_normal(n)
        for name, values in itertools.product(("fft", "rfft", "irfft"), (x, x.real)):
            if name != "rfft" or values is not x:
                found, reference = getattr(fl.fft, name)(fl.asarray(values)), getattr(np.fft, name)(values)
                np.testing.assert_allclose(np.asarray(found), reference, rtol=0, atol=4e-15 * np.abs(reference).max())


def test_frequencies_have_numpys_bits():
    for n, d in itertools.product((1, 2, 3, 8, 100, 101), (1.0, 0.1, 3)):
        for name in ("fftfreq", "rfftfreq"):
            found = getattr(fl.fft, name)(n, d=d, device="cpu")
            assert found.dtype == fl.float64 and np.asarray(found).tobytes() == getattr(np.fft, name)(n, d).tobytes()
    assert fl.fft.fftfreq(4, dtype="float32").dtype == fl.float32
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="at least 1"):
            fl.fft.fftfreq(wrong)
    with pytest.raises(TypeError):
        fl.fft.rfftfreq(4, dtype="int64")


def test_shifts():
    for axes in (None, 0, -1, (0, 1), (2, 1), ()):
        for x, name in itertools.product(INPUTS, ("fftshift", "ifftshift")):
            found = getattr(fl.fft, name)(fl.asarray(x), axes=axes)
            assert found.dtype == x.dtype.name and (np.asarray(found) == getattr(np.fft, name)(x, axes=axes)).all()


def test_half_types_compute_as_float32():
    x = np.arange(9).astype("float16")
    for dtype in ("float16", "bfloat16"):
        array = fl.asarray(x).astype(dtype)
        assert bits(fl.fft.fft(array)) == bits(fl.fft.fft(array.astype("float32")))
        assert fl.fft.irfft(array).dtype == fl.float32


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: fl.fft.fft([1, 2], n=0), ValueError, "at least 1"),
        (lambda: fl.fft.fft([1, 2], n=-4), ValueError, "-4"),
        (lambda: fl.fft.fft([]), ValueError, "at least 1"),
        (lambda: fl.fft.irfft([1.0]), ValueError, "at least 1"),
        (lambda: fl.fft.fft(1.0), IndexError, "axis"),
        (lambda: fl.fft.fft([1, 2], axis=1), IndexError, "axis"),
        (lambda: fl.fft.fft([1, 2], norm="unit"), ValueError, "norm must be 'backward' or 'ortho' or 'forward'"),
        (lambda: fl.fft.fft([1, 2], n=1.5), (TypeError, ValueError), "whole number"),
        (lambda: fl.fft.fftn([[1, 2]], s=(1,), axes=(0, 1)), ValueError, "1 lengths for 2 axes"),
        (lambda: fl.fft.fft([1, 2], n=2**60), (MemoryError, ValueError), "fft"),
    ],
)
def test_what_cannot_be_is_an_error(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_threads_give_the_same_bits():
    x = fl.asarray(RNG.standard_normal((64, 500)))
    expected = [bits(fl.fft.fft2(x)), bits(fl.fft.rfft(x, axis=0))]
    for threads in (2, 3, 5, 16):
        with fl.parallel(threads):
            assert [bits(fl.fft.fft2(x)), bits(fl.fft.rfft(x, axis=0))] == expected
