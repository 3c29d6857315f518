"""What the Array API standard asks of a namespace beyond functions: facts of data types, and of the namespace itself."""

import math

from . import _freelane

_KINDS = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_KINDS["integral"] = _KINDS["signed integer"] + _KINDS["unsigned integer"]
_KINDS["numeric"] = _KINDS["integral"] + _KINDS["real floating"] + _KINDS["complex floating"]
# Types beyond the standard belong to their kind, but are not listed as the standard's.
_MORE = {"real floating": ("float16", "bfloat16"), "numeric": ("float16", "bfloat16")}

# Bits of the significand without the leading one, and the least and greatest exponent.
_FLOATS = {
    "float16": (10, -14, 15),
    "bfloat16": (7, -126, 127),
    "float32": (23, -126, 127),
    "float64": (52, -1022, 1023),
}


def _dtype_of(x):
    return x.dtype if isinstance(x, _freelane.Array) else _freelane.dtype(x)


class finfo:
    """Limits of a floating-point dtype, or of an array's; those of the parts for complex ones.

    >>> freelane.finfo(freelane.float32).bits
    32
    """

    __slots__ = ("bits", "dtype", "eps", "max", "min", "smallest_normal")

    def __init__(self, type, /):
        dtype = _dtype_of(type)
        name = {"complex64": "float32", "complex128": "float64"}.get(dtype.name, dtype.name)
        if name not in _FLOATS:
            raise TypeError(f"finfo: {dtype} is not a floating-point dtype; iinfo describes integers")
        digits, least, greatest = _FLOATS[name]
        self.dtype = _freelane.dtype(name)
        self.bits = 8 * self.dtype.itemsize
        self.eps = 2.0**-digits
        self.max = math.ldexp(2.0 - 2.0**-digits, greatest)
        self.min = -self.max
        self.smallest_normal = 2.0**least

    @property
    def tiny(self):
        """NumPy's name of smallest_normal."""
        return self.smallest_normal

    def __repr__(self):
        return f"finfo({self.dtype}, min={self.min}, max={self.max}, eps={self.eps})"


class iinfo:
    """Limits of an integer dtype, or of an array's.

    >>> freelane.iinfo(freelane.uint8).max
    255
    """

    __slots__ = ("bits", "dtype", "max", "min")

    def __init__(self, type, /):
        dtype = _dtype_of(type)
        if dtype.kind not in "iu":
            raise TypeError(f"iinfo: {dtype} is not an integer dtype; finfo describes floating-point ones")
        self.dtype = dtype
        self.bits = 8 * dtype.itemsize
        signed = dtype.kind == "i"
        self.max = 2 ** (self.bits - signed) - 1
        self.min = -(2 ** (self.bits - 1)) if signed else 0

    def __repr__(self):
        return f"iinfo({self.dtype}, min={self.min}, max={self.max})"


def isdtype(dtype, kind):
    """Whether a dtype is of a kind: a dtype, one of the standard's names of kinds, or a tuple of those.

    >>> freelane.isdtype(freelane.float32, ("real floating", "bool"))
    True
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    dtype = _freelane.dtype(dtype)
    if isinstance(kind, str) and kind in _KINDS:
        return dtype.name in _KINDS[kind] + _MORE.get(kind, ())
    try:
        return dtype == _freelane.dtype(kind)
    except TypeError:
        raise ValueError(f"isdtype: {kind!r} is neither a dtype nor a kind; kinds are {', '.join(_KINDS)}") from None


class _Info:
    """What `__array_namespace_info__` returns: capabilities, devices and dtypes."""

    def capabilities(self):
        """What the namespace can do."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self):
        """Where arrays are made."""
        return "cpu"

    def devices(self):
        """All devices."""
        return ("cpu",)

    def default_dtypes(self, *, device=None):
        """The dtypes of arrays for which none is given."""
        self._check(device)
        return {
            "real floating": _freelane.float64,
            "complex floating": _freelane.complex128,
            "integral": _freelane.int64,
            "indexing": _freelane.int64,
        }

    def dtypes(self, *, device=None, kind=None):
        """The standard's dtypes by name, all or those of a kind."""
        self._check(device)
        kinds = ("bool", "numeric") if kind is None else kind if isinstance(kind, tuple) else (kind,)
        for k in kinds:
            if k not in _KINDS:
                raise ValueError(f"dtypes: {k!r} is not a kind; kinds are {', '.join(_KINDS)}")
        return {name: getattr(_freelane, name) for k in kinds for name in _KINDS[k]}

    @staticmethod
    def _check(device):
        if device not in (None, "cpu"):
            raise ValueError(f"there is no device {device!r}; freelane computes on 'cpu'")


def __array_namespace_info__():
    """What the namespace can do, as the Array API standard asks for it."""
    return _Info()
