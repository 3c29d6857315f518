"""finfo, iinfo, isdtype and what the namespace says of itself."""

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

from samples import COMPLEX, FLOATS, INTEGERS, NAMES, SIGNED, UNSIGNED  # noqa: E402


@pytest.mark.parametrize("name", ["float16", "float32", "float64", "complex64", "complex128"])
def test_finfo_is_numpys(name):
    for given in (name, getattr(fl, name), np.dtype(name), fl.ones(2, dtype=name)):
        found, expected = fl.finfo(given), np.finfo(name)
        for attribute in ("bits", "eps", "max", "min", "smallest_normal", "tiny"):
            assert getattr(found, attribute) == getattr(expected, attribute), attribute
            assert type(getattr(found, attribute)) is (int if attribute == "bits" else float)
        assert found.dtype == expected.dtype and found.dtype is getattr(fl, found.dtype.name)


def test_finfo_of_bfloat16():
    f = fl.finfo(fl.bfloat16)
    assert (f.bits, f.eps, f.smallest_normal, f.max) == (
        16,
        2.0**-7,
        2.0**-126,
        (2 - 2.0**-7) * 2.0**127,
    ) and f.min == -f.max
    one = fl.ones(1, dtype="bfloat16")
    assert (one + f.eps > one).item() and not (one + f.eps / 4 > one).item()


@pytest.mark.parametrize("name", INTEGERS)
def test_iinfo_is_numpys(name):
    for given in (name, getattr(fl, name), np.dtype(name), fl.ones(2, dtype=name)):
        found, expected = fl.iinfo(given), np.iinfo(name)
        assert (found.bits, found.min, found.max) == (expected.bits, expected.min, expected.max) and found.dtype == name
        assert all(type(v) is int for v in (found.bits, found.min, found.max))
    assert name in repr(fl.iinfo(name)) and str(fl.iinfo(name).max) in repr(fl.iinfo(name))


def test_of_the_wrong_kind():
    for name in INTEGERS + ["bool"]:
        with pytest.raises(TypeError, match="iinfo describes integers"):
            fl.finfo(name)
    for name in FLOATS + COMPLEX + ["bool"]:
        with pytest.raises(TypeError, match="finfo describes floating"):
            fl.iinfo(name)
    for call in (
        lambda: fl.finfo(),
        lambda: fl.finfo("x"),
        lambda: fl.iinfo(3),
        lambda: fl.finfo(type="float32"),
        lambda: fl.iinfo(None),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(AttributeError):
        fl.finfo("float32").other = 1


KINDS = {
    "bool": ["bool"],
    "signed integer": SIGNED,
    "unsigned integer": UNSIGNED,
    "integral": INTEGERS,
    "real floating": FLOATS,
    "complex floating": COMPLEX,
    "numeric": INTEGERS + FLOATS + COMPLEX,
}


@pytest.mark.parametrize("kind", KINDS)
def test_isdtype(kind):
    for name in NAMES:
        d = getattr(fl, name)
        assert fl.isdtype(d, kind) is (name in KINDS[kind])
        assert fl.isdtype(d, (kind, "bool")) is (name in KINDS[kind] + ["bool"])
        assert fl.isdtype(d, d) and fl.isdtype(d, name) and fl.isdtype(d, (kind, d)) and not fl.isdtype(d, ())
        for other in NAMES:
            assert fl.isdtype(d, getattr(fl, other)) is (name == other)


def test_isdtype_of_what_is_none():
    for wrong in ("float", "integer", "numbers", None, 3):
        if wrong == "float":
            assert fl.isdtype(fl.float64, wrong)
            continue
        with pytest.raises((ValueError, TypeError)):
            fl.isdtype(fl.int8, wrong)
    with pytest.raises(TypeError):
        fl.isdtype("nothing", "bool")


def test_namespace():
    info = fl.__array_namespace_info__()
    assert (
        fl.__array_api_version__ == "2025.12" and info.default_device() == "cpu" and tuple(info.devices()) == ("cpu",)
    )
    assert info.capabilities() == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}
    defaults = info.default_dtypes()
    assert defaults == info.default_dtypes(device="cpu")
    assert defaults["real floating"] == fl.asarray(1.0).dtype and defaults["complex floating"] == fl.asarray(1j).dtype
    assert defaults["integral"] == fl.asarray(1).dtype and defaults["indexing"] == fl.argmax(fl.ones(2)).dtype
    standard = [n for n in NAMES if n not in ("float16", "bfloat16")]
    assert set(info.dtypes()) == set(standard) and all(info.dtypes()[n] is getattr(fl, n) for n in standard)
    for kind, names in KINDS.items():
        assert sorted(info.dtypes(kind=kind)) == sorted(set(names) & set(standard))
    assert set(info.dtypes(kind=("bool", "complex floating"))) == {"bool", *COMPLEX} and info.dtypes(kind=()) == {}
    for call in (
        lambda: info.dtypes(kind="other"),
        lambda: info.dtypes(device="gpu"),
        lambda: info.default_dtypes(device=0),
    ):
        with pytest.raises(ValueError, match="other|gpu|0"):
            call()


def test_constants():
    assert (fl.pi, fl.e, fl.inf, fl.newaxis) == (np.pi, np.e, np.inf, None) and fl.nan != fl.nan
    assert fl.sin(fl.pi).item() < 1e-15 and fl.ones(2)[fl.newaxis].shape == (1, 2)
