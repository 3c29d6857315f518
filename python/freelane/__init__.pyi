# Written by python/tests/stubs.py from the module: UPDATE_EXPECT=1 with python/tests/test_stubs.py writes it anew.
import builtins
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from types import EllipsisType, ModuleType
from typing import Any, ClassVar, Final, Literal, NamedTuple, Protocol, SupportsIndex, TypeAlias, final, overload
from typing_extensions import Buffer, Self

class _SupportsDLPack(Protocol):
    def __dlpack__(self, *, stream: None = None) -> Any: ...
    def __dlpack_device__(self) -> tuple[Any, int]: ...

class _SupportsArrow(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _HasName(Protocol):
    @property
    def name(self) -> str: ...

# The module and its classes have these names too.
_bool: TypeAlias = builtins.bool
_dtype: TypeAlias = dtype
_str: TypeAlias = builtins.str
_Scalar: TypeAlias = int | float | complex
_Nested: TypeAlias = Sequence[_Scalar | Array | _Nested]
_ArrayLike: TypeAlias = Array | _Scalar | _Nested | Buffer | _SupportsDLPack | _SupportsArrow
_DTypeLike: TypeAlias = dtype | str | type[_Scalar] | _HasName
_Kind: TypeAlias = dtype | str
_One: TypeAlias = SupportsIndex | slice | EllipsisType | Array | Sequence[Any] | None
_Index: TypeAlias = _One | tuple[_One, ...]
_Path: TypeAlias = str | PathLike[str]

__version__: Final[str]
__array_api_version__: Final[str]
e: Final[float]
inf: Final[float]
nan: Final[float]
newaxis: Final[None]
pi: Final[float]

@final
class dtype:
    """The type of an array's elements: dtype('float32') is freelane.float32."""
    def __new__(cls, name: _DTypeLike, /) -> Self: ...
    def __eq__(self, other: object, /) -> _bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @property
    def __numpy_dtype__(self) -> Any:
        """The same as a dtype of NumPy's."""

    @property
    def char(self) -> _str:
        """NumPy's one-letter code."""

    @property
    def dtype(self) -> Any:
        """The same as a dtype of NumPy's."""

    @property
    def fields(self) -> None:
        """None: elements have no fields."""

    @property
    def hasobject(self) -> _bool:
        """False: elements are numbers."""

    @property
    def itemsize(self) -> int:
        """Bytes in one element."""

    @property
    def kind(self) -> Literal["b", "u", "i", "f", "c"]:
        """NumPy's letter: b, u, i, f or c."""

    @property
    def name(self) -> _str:
        """The name, as in the Array API standard."""

    @property
    def names(self) -> None:
        """None: elements have no fields."""

    @property
    def str(self) -> _str:
        """NumPy's code with byte order."""

    @property
    def type(self) -> Any:
        """NumPy's scalar type."""

bool: Final[dtype]
uint8: Final[dtype]
int8: Final[dtype]
uint16: Final[dtype]
int16: Final[dtype]
uint32: Final[dtype]
int32: Final[dtype]
uint64: Final[dtype]
int64: Final[dtype]
float16: Final[dtype]
bfloat16: Final[dtype]
float32: Final[dtype]
float64: Final[dtype]
complex64: Final[dtype]
complex128: Final[dtype]

@final
class Array:
    """An n-dimensional array with value semantics; freelane.asarray makes one."""
    @property
    def T(self) -> Array:
        """The array with its axes reversed; shares storage."""

    def __array__(self, dtype: Any | None = None, copy: _bool | None = None) -> Any:
        """A NumPy array over the elements, read-only; a copy where dtype or copy ask for one."""

    def __array_function__(self, func: Callable[..., Any], types: Sequence[type], args: tuple[Any, ...], kwargs: Mapping[_str, Any], /) -> Any:
        """NumPy's functions over arrays of ours give arrays of ours."""

    @property
    def __array_interface__(self) -> dict[_str, Any]:
        """NumPy's description of the elements, version 3."""

    def __array_namespace__(self, *, api_version: _str | None = None) -> ModuleType:
        """The module freelane, a namespace by the Array API standard."""

    @property
    def __array_priority__(self) -> float:
        """Which type wins in mixed operations of old."""

    def __array_ufunc__(self, ufunc: Callable[..., Any], method: _str, /, *inputs: Any, **kwargs: Any) -> Any:
        """NumPy's ufuncs over arrays of ours give arrays of ours."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Capsules of the Arrow C data interface over the elements of an array of one axis. Bools are copied."""

    def __complex__(self) -> complex:
        """The only element as a complex number."""

    def __copy__(self) -> Array:
        """Another array of the same elements; both share storage until one is written."""

    def __deepcopy__(self, memo: dict[int, Any] | None, /) -> Array:
        """Another array of the same elements; both share storage until one is written."""

    def __dlpack__(self, *, stream: None = None, max_version: tuple[int, int] | None = None, dl_device: tuple[Any, int] | None = None, copy: _bool | None = None) -> Any:
        """A DLPack capsule over the elements, read-only; a copy for consumers that know no versions."""

    def __dlpack_device__(self) -> tuple[int, int]:
        """Where the elements are: (1, 0), the CPU."""

    def __format__(self, spec: _str, /) -> _str:
        """The text by a format, which an array without axes has as its number does.

        >>> f'{freelane.asarray(2.5):.2f}'
        '2.50'
        """

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> _str | tuple[Any, ...]:
        """What pickle needs. From protocol 5 on the elements are a buffer that can travel out of band."""

    def abs(self, *, out: Array | None = None) -> Array:
        """The absolute value; of a complex number its modulus.

        Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def acos(self, *, out: Array | None = None) -> Array:
        """The angle in radians whose cosine is the element; NaN outside of -1 to 1.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def acosh(self, *, out: Array | None = None) -> Array:
        """The inverse of the hyperbolic cosine; NaN below 1.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def add(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """The sum of two arrays. Integers wrap; for booleans it is "or".

        Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def all(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
        """Whether all elements are not zero; true for none.

        Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128.
        The order of the elements is fixed: the bits do not depend on threads or strides.
        """

    def allclose(self, b: _ArrayLike, /, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: _bool = False) -> Array:
        """Whether all elements are close, as isclose has it."""

    def angle(self, *, out: Array | None = None) -> Array:
        """The angle of a complex number, from -pi to pi; of a real one, 0 or pi.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def any(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
        """Whether any element is not zero; false for none.

        Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128.
        The order of the elements is fixed: the bits do not depend on threads or strides.
        """

    def append(self, values: _ArrayLike, /, axis: SupportsIndex | None = None) -> Array:
        """An array with values behind it along an axis; without an axis, all elements of both in a row."""

    def argmax(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
        """The position of the first greatest element, counted over the reduced axes; of the first NaN if there is one.

        Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64.
        The order of the elements is fixed: the bits do not depend on threads or strides.
        """

    def argmin(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
        """The position of the first least element, counted over the reduced axes; of the first NaN if there is one.

        Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64.
        The order of the elements is fixed: the bits do not depend on threads or strides.
        """

    def argpartition(self, kth: SupportsIndex | Sequence[SupportsIndex] | None, axis: SupportsIndex = -1) -> Array:
        """The numbers of the elements along an axis with that one at place kth which is there in sorted order."""

    def argsort(self, axis: SupportsIndex = -1, *, descending: _bool = False, stable: _bool = True) -> Array:
        """The numbers that the elements have along an axis, in the order of the elements; those of equal ones ascend, stable or not."""

    def argwhere(self) -> Array:
        """The indices of the elements that are not zero, one row each."""

    def around(self, decimals: SupportsIndex = 0) -> Array:
        """Each element rounded to so many decimals, halves to the even digit; negative numbers count digits before the point."""

    def array_equal(self, y: _ArrayLike, /, *, equal_nan: _bool = False) -> Array:
        """Whether two arrays have one shape and equal elements; with equal_nan, NaN equals NaN."""

    def array_split(self, indices_or_sections: SupportsIndex | Sequence[SupportsIndex], axis: SupportsIndex = 0) -> tuple[Array, ...]:
        """An axis cut into that many parts, the first longer by one if it does not divide evenly, or at the given places."""

    def asin(self, *, out: Array | None = None) -> Array:
        """The angle in radians whose sine is the element; NaN outside of -1 to 1.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def asinh(self, *, out: Array | None = None) -> Array:
        """The inverse of the hyperbolic sine.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def astype(self, dtype: _DTypeLike, *, copy: _bool = True, device: Literal["cpu"] | None = None) -> Array:
        """The elements converted to another type.

        Floats become integers by truncation, saturating at the ends of the range; NaN gives 0.

        >>> freelane.asarray([1.5, -2.5]).astype(freelane.int8).tolist()
        [1, -2]
        """

    def atan(self, *, out: Array | None = None) -> Array:
        """The angle in radians whose tangent is the element.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def atan2(self, x: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """The angle in radians of the point (y, x), from -pi to pi.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def atanh(self, *, out: Array | None = None) -> Array:
        """The inverse of the hyperbolic tangent; NaN outside of -1 to 1.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def average(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, weights: _ArrayLike | None = None, *, keepdims: _bool = False) -> Array:
        """The mean of the elements, each as often as its weight says; without weights all alike."""

    def bincount(self, weights: _ArrayLike | None = None, minlength: SupportsIndex = 0) -> Array:
        """How often each of the numbers from 0 on comes, at least minlength of them; with weights, their sums."""

    def bitwise_and(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """"And" of each bit; for booleans, logical "and".

        Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def bitwise_count(self, *, out: Array | None = None) -> Array:
        """The number of bits that are set, as `u8`; of a negative number those of its magnitude.

        Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def bitwise_invert(self, *, out: Array | None = None) -> Array:
        """Each bit reversed; for booleans, logical "not".

        Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def bitwise_left_shift(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """Bits moved up by the second array; zero once all have left.

        Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def bitwise_or(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """"Or" of each bit; for booleans, logical "or".

        Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def bitwise_right_shift(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """Bits moved down by the second array; the sign stays.

        Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def bitwise_xor(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """"Exclusive or" of each bit; for booleans, logical "exclusive or".

        Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def broadcast_to(self, shape: SupportsIndex | Sequence[SupportsIndex]) -> Array:
        """Repeated to a larger shape."""

    def cbrt(self, *, out: Array | None = None) -> Array:
        """The cube root, of negative numbers too.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def ceil(self, *, out: Array | None = None) -> Array:
        """The least whole number that is not less.

        Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def clip(self, min: _ArrayLike | None = None, max: _ArrayLike | None = None) -> Array:
        """The elements, each at least min and at most max, where those are given; NaN stays."""

    def conj(self, *, out: Array | None = None) -> Array:
        """The complex conjugate; a real number itself.

        Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def convolve(self, y: _ArrayLike, /, mode: Literal['full', 'same', 'valid'] = 'full') -> Array:
        """The discrete convolution of two sequences: wherever they overlap ('full'), as long as the longer one ('same'), or where they overlap entirely ('valid')."""

    def copy(self) -> Array:
        """A copy with storage of its own, in row-major order.

        Arrays are values, so a copy is needed only to write to an array that is shared, or to let go of a large array of which this is a small part.
        """

    def copysign(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """The magnitude of the first array with the sign of the second.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def corrcoef(self, *, rowvar: _bool = True) -> Array:
        """Correlation coefficients of variables, which are the rows (with rowvar) or the columns."""

    def correlate(self, y: _ArrayLike, /, mode: Literal['full', 'same', 'valid'] = 'valid') -> Array:
        """The cross-correlation of two sequences: sums of x[i + k] times the conjugate of y[i], for each shift k."""

    def cos(self, *, out: Array | None = None) -> Array:
        """The cosine of an angle in radians.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def cosh(self, *, out: Array | None = None) -> Array:
        """The hyperbolic cosine.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def count_nonzero(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
        """How many elements are not zero.

        Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128.
        The order of the elements is fixed: the bits do not depend on threads or strides.
        """

    def cov(self, *, rowvar: _bool = True, ddof: float = 1) -> Array:
        """Covariances of variables, which are the rows (with rowvar) or the columns; n - ddof is divided by."""

    def cross(self, x2: _ArrayLike, /, *, axis: SupportsIndex = -1) -> Array:
        """The cross products of vectors of three along an axis of both arrays; other axes broadcast."""

    def cumulative_max(self, axis: SupportsIndex | None = None) -> Array:
        """The greatest of all elements along an axis up to each; NaN from the first NaN on."""

    def cumulative_min(self, axis: SupportsIndex | None = None) -> Array:
        """The least of all elements along an axis up to each; NaN from the first NaN on."""

    def cumulative_prod(self, axis: SupportsIndex | None = None, *, dtype: _DTypeLike | None = None, include_initial: _bool = False, device: Literal["cpu"] | None = None) -> Array:
        """The products of all elements along an axis up to each, with include_initial from a one on. Small integers are multiplied in 64 bits. An array of one axis needs none named."""

    def cumulative_sum(self, axis: SupportsIndex | None = None, *, dtype: _DTypeLike | None = None, include_initial: _bool = False, device: Literal["cpu"] | None = None) -> Array:
        """The sums of all elements along an axis up to each, with include_initial from a zero on. Small integers are added up in 64 bits. An array of one axis needs none named."""

    def deg2rad(self, *, out: Array | None = None) -> Array:
        """Radians from degrees.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def degrees(self, *, out: Array | None = None) -> Array:
        """Degrees from radians.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    @property
    def device(self) -> Literal["cpu"]:
        """Where the elements are: 'cpu'."""

    def diagonal(self, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1) -> Array:
        """The elements whose places along two axes differ by offset, as the last axis of the result."""

    def diff(self, *, axis: SupportsIndex = -1, n: SupportsIndex = 1, prepend: _ArrayLike | None = None, append: _ArrayLike | None = None) -> Array:
        """What each element along an axis adds to the one before, n times over; prepend and append are joined on first."""

    def digamma(self, *, out: Array | None = None) -> Array:
        """The derivative of `lgamma`. The bound holds for positive numbers; near a zero below 0 digits are lost.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def digitize(self, bins: _ArrayLike, /, right: _bool = False) -> Array:
        """For each value the number of the bin that it belongs to: bins[i - 1] <= x < bins[i], or with right bins[i - 1] < x <= bins[i]; the other way round for bins in descending order."""

    def divide(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """The quotient of two arrays. Integers are divided as `f64`.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def divmod(self, y: _ArrayLike, /) -> _DivmodResult:
        """Quotient and remainder, as floor_divide and remainder have them."""

    def dot(self, x2: _ArrayLike, /) -> Array:
        """As NumPy's dot: the last axis of the first array with the last but one of the second; a number multiplies."""

    @property
    def dtype(self) -> _dtype:
        """The type of the elements."""

    def empty_like(self, *, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
        """An array with anything in it, with the shape and dtype of another."""

    def equal(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """Whether the elements are equal. NaN equals nothing.

        Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def erf(self, *, out: Array | None = None) -> Array:
        """The error function, 2/sqrt(pi) times the integral of exp(-t^2) from 0 to x.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def erfc(self, *, out: Array | None = None) -> Array:
        """One less the error function, precise where that is small.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def erfinv(self, *, out: Array | None = None) -> Array:
        """The inverse of `erf`: from -1 to 1, infinite at both ends.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def exp(self, *, out: Array | None = None) -> Array:
        """e raised to the power of the array.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def exp2(self, *, out: Array | None = None) -> Array:
        """Two raised to the power of the array.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def expand_dims(self, axis: SupportsIndex | Sequence[SupportsIndex] | None) -> Array:
        """New axes of length 1 at the given places of the result."""

    def expm1(self, *, out: Array | None = None) -> Array:
        """e raised to the power of the array, less one; precise near zero.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def flatnonzero(self) -> Array:
        """The numbers in row-major order of the elements that are not zero."""

    def flatten(self) -> Array:
        """The elements along one axis, in row-major order."""

    def flip(self, *, axis: SupportsIndex | Sequence[SupportsIndex] | None = None) -> Array:
        """Elements in reverse order along the given axes; along all of them when none is given."""

    def floor(self, *, out: Array | None = None) -> Array:
        """The greatest whole number that is not greater.

        Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def floor_divide(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """The quotient rounded towards negative infinity. An integer divided by zero gives 0.

        Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def fma(self, x2: _ArrayLike, x3: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """The first array times the second, plus the third, rounded once.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def fmax(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """The greater of two arrays; of a number and NaN the number.

        Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def fmin(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """The lesser of two arrays; of a number and NaN the number.

        Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def fmod(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """What a division towards zero leaves; it has the sign of the first array. An integer's remainder by zero is 0.

        Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def frexp(self) -> _FrexpResult:
        """Fractions and exponents: x = mantissa 2^exponent; magnitudes of mantissas lie between 1/2 and 1."""

    def full_like(self, fill_value: float, *, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
        """An array with one value in every place, with the shape and dtype of another."""

    def gamma(self, *, out: Array | None = None) -> Array:
        """The gamma function: of n + 1, n factorial. At the negative whole numbers it is NaN.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def gcd(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """The greatest common divisor of integers.

        Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def gelu(self, *, out: Array | None = None) -> Array:
        """The element times the probability that a normal variable is below it: exact, by the error function.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def greater(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """Whether the first is greater than the second.

        Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def greater_equal(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """Whether the first is greater than the second or equal to it.

        Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def heaviside(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """0 below zero, 1 above zero, and the second array at zero.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def histogram(self, bins: Any = 10, range: Any | None = None, *, density: _bool = False, weights: _ArrayLike | None = None) -> _HistogramResult:
        """How many elements fall into each bin, and the edges of the bins: as many as bins says, of one width over range or from the smallest element to the largest; or edges given by bins. With weights their sums; with density such that the area is one."""

    def hypot(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """The length of the vector (x, y), without overflow on the way.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def i0(self, *, out: Array | None = None) -> Array:
        """The modified Bessel function of the first kind and order 0.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def imag(self) -> Array:
        """The imaginary parts of complex numbers; zeros for a real array."""

    def inner(self, x2: _ArrayLike, /) -> Array:
        """Sums of products over the last axis of both arrays; a number multiplies."""

    def interp(self, xp: _ArrayLike, fp: _ArrayLike, /, left: float | None = None, right: float | None = None) -> Array:
        """The value at each of x on the lines between the points (xp, fp), whose xp ascend; left and right of all points left and right, or the value of the nearest one."""

    def intersect1d(self, x2: _ArrayLike, /) -> Array:
        """The distinct values that both arrays have, in ascending order."""

    @property
    def is_shared(self) -> _bool:
        """Whether freelane.share made the array one that can only be read."""

    def isclose(self, b: _ArrayLike, /, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: _bool = False) -> Array:
        """Whether each element of a is as close to that of b as atol + rtol |b|.
        Infinities are close to themselves, NaN with equal_nan.
        """

    def isfinite(self, *, out: Array | None = None) -> Array:
        """Whether the element is neither infinite nor NaN.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def isin(self, x2: _ArrayLike, /, *, invert: _bool = False) -> Array:
        """For each element of x1 whether x2 has it, or with invert whether it does not. NaN is nowhere."""

    def isinf(self, *, out: Array | None = None) -> Array:
        """Whether the element is infinite.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def isnan(self, *, out: Array | None = None) -> Array:
        """Whether the element is not a number.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def item(self, *index: SupportsIndex) -> Any:
        """The only element, or the one at an index, as a Python number.

        >>> freelane.asarray([[1, 2]]).item(0, 1)
        2
        """

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""

    def kron(self, x2: _ArrayLike, /) -> Array:
        """The Kronecker product: each element of the first array times the whole second, in its place."""

    def lcm(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """The least common multiple of integers. It wraps.

        Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def ldexp(self, exponent: _ArrayLike, /) -> Array:
        """Each element times two to the power of an integer, rounded once."""

    def lerp(self, end: _ArrayLike, weight: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """`start + weight (end - start)`: exactly `start` and `end` at the weights 0 and 1, whatever the other one is.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def less(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """Whether the first is less than the second.

        Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def less_equal(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """Whether the first is less than the second or equal to it.

        Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def lgamma(self, *, out: Array | None = None) -> Array:
        """The logarithm of the gamma function's magnitude; infinite at 0 and the negative whole numbers.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def log(self, *, out: Array | None = None) -> Array:
        """The natural logarithm; NaN for negative numbers.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def log10(self, *, out: Array | None = None) -> Array:
        """The logarithm to base 10.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def log1p(self, *, out: Array | None = None) -> Array:
        """The natural logarithm of one plus the array; precise near zero.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def log2(self, *, out: Array | None = None) -> Array:
        """The logarithm to base 2.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def log_softmax(self, axis: SupportsIndex = -1) -> Array:
        """The logarithm of the softmax along an axis, exact where that is too small."""

    def logaddexp(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """The logarithm of the sum of the exponentials of two arrays, without overflow on the way.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def logical_and(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """Whether both are not zero.

        Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def logical_not(self, *, out: Array | None = None) -> Array:
        """Whether the element is zero.

        Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def logical_or(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """Whether at least one is not zero.

        Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def logical_xor(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """Whether exactly one is not zero.

        Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def logit(self, *, out: Array | None = None) -> Array:
        """The inverse of `sigmoid`, `log(x / (1 - x))`: from 0 to 1, infinite at both ends.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def logsumexp(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
        """The logarithm of the sum of the exponentials of the elements over axes; minus infinity for none."""

    @property
    def mT(self) -> Array:
        """The array with its last two axes exchanged; shares storage."""

    def matmul(self, x2: _ArrayLike, /) -> Array:
        """The matrix product over the last axis of the first and the last but one of the second array; other axes broadcast."""

    def matrix_transpose(self) -> Array:
        """The last two axes exchanged."""

    def max(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
        """The greatest element; NaN if there is one.

        Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64.
        The order of the elements is fixed: the bits do not depend on threads or strides.
        """

    def maximum(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """The greater of two arrays; NaN if either is.

        Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def mean(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, dtype: _DTypeLike | None = None, keepdims: _bool = False) -> Array:
        """The arithmetic mean; NaN for no elements. Integers give `f64`.

        Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128.
        The order of the elements is fixed: the bits do not depend on threads or strides.
        """

    def median(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
        """The middle element of those along some axes, or the mean of the middle two; NaN if one is NaN."""

    def min(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
        """The least element; NaN if there is one.

        Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64.
        The order of the elements is fixed: the bits do not depend on threads or strides.
        """

    def minimum(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """The lesser of two arrays; NaN if either is.

        Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def modf(self) -> _ModfResult:
        """Fraction and whole part, both with the sign of the element."""

    def moveaxis(self, source: SupportsIndex | Sequence[SupportsIndex] | None, destination: SupportsIndex | Sequence[SupportsIndex] | None) -> Array:
        """Some axes moved to other places; the others keep their order."""

    def multiply(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """The product of two arrays. Integers wrap; for booleans it is "and".

        Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def nan_to_num(self, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Array:
        """The array with numbers in place of NaN and of infinities, which become the ends of the dtype's range by default."""

    def nanargmax(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
        """The position of the first greatest of the elements that are no NaN, counted over the reduced axes."""

    def nanargmin(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
        """The position of the first least of the elements that are no NaN, counted over the reduced axes."""

    def nanmax(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
        """The greatest of the elements that are no NaN; NaN if all are."""

    def nanmean(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
        """The mean of the elements that are no NaN; NaN for none."""

    def nanmin(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
        """The least of the elements that are no NaN; NaN if all are."""

    def nanprod(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
        """The product of the elements that are no NaN; 1 for none."""

    def nanstd(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, correction: float = 0, keepdims: _bool = False) -> Array:
        """The square root of the variance of the elements that are no NaN; NaN for none."""

    def nansum(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
        """The sum of the elements that are no NaN; 0 for none."""

    def nanvar(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, correction: float = 0, keepdims: _bool = False) -> Array:
        """The mean squared distance of the elements that are no NaN from their mean; NaN for none."""

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""

    @property
    def ndim(self) -> int:
        """Number of axes."""

    def negative(self, *, out: Array | None = None) -> Array:
        """The array with its sign reversed. Unsigned integers wrap.

        Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def nextafter(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """The next number of its type after the first array's, towards the second's.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def nonzero(self) -> tuple[Array, ...]:
        """The indices of the elements that are not zero: one array of int64 for each axis, in row-major order."""

    def not_equal(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """Whether the elements differ.

        Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def ones_like(self, *, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
        """An array of ones with the shape and dtype of another."""

    def outer(self, x2: _ArrayLike, /) -> Array:
        """The products of all pairs of elements, those of the first array as rows; both arrays count as one axis."""

    def pad(self, pad_width: Any, mode: Literal['constant', 'edge', 'reflect', 'symmetric', 'wrap'] = 'constant', *, constant_values: float = 0) -> Array:
        """With elements added before and after each axis: a number, their nearest element, or the elements mirrored or repeated.

        pad_width is a number, a pair (before, after), or a pair for each axis.
        """

    def partition(self, kth: SupportsIndex | Sequence[SupportsIndex], axis: SupportsIndex = -1) -> None:
        """Brings that element to place kth along an axis which is there in sorted order, smaller ones before it, larger ones behind, in place."""

    def percentile(self, q: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, method: Literal['linear', 'lower', 'higher', 'nearest', 'midpoint'] = 'linear', keepdims: _bool = False) -> Array:
        """As quantile, with q from 0 to 100."""

    def permute_dims(self, axes: SupportsIndex | Sequence[SupportsIndex] | None) -> Array:
        """Axes in another order; axis i of the result is axis axes[i]."""

    def polyval(self, x: _ArrayLike, /) -> Array:
        """The polynomial whose coefficients are p, highest power first, at each element of x."""

    def positive(self, *, out: Array | None = None) -> Array:
        """The array itself.

        Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def pow(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """The first array raised to the power of the second. Integers wrap, and take no negative exponents.

        Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def prod(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, dtype: _DTypeLike | None = None, keepdims: _bool = False) -> Array:
        """The product of the elements; 1 for none. Integers are multiplied in 64 bits, floats in `f64` whatever their type. With a dtype, the product is in that.

        Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128.
        The order of the elements is fixed: the bits do not depend on threads or strides.
        """

    def ptp(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
        """The greatest element less the least; NaN if there is one."""

    def put(self, indices: _ArrayLike, values: _ArrayLike) -> None:
        """Writes values to the elements that have these numbers in row-major order. If there are fewer values than numbers, they come again from the first on.

        >>> x = freelane.asarray([3, 1, 2])
        >>> x.put([0, -1], 7)
        >>> x.tolist()
        [7, 1, 7]
        """

    def quantile(self, q: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, method: Literal['linear', 'lower', 'higher', 'nearest', 'midpoint'] = 'linear', keepdims: _bool = False) -> Array:
        """The number below which a share q, from 0 to 1, of the elements along some axes lies; NaN if one is NaN. With several q they make the first axes."""

    def rad2deg(self, *, out: Array | None = None) -> Array:
        """Degrees from radians.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def radians(self, *, out: Array | None = None) -> Array:
        """Radians from degrees.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def ravel(self) -> Array:
        """The elements along one axis, in row-major order; shares storage where it can."""

    def real(self) -> Array:
        """The real parts of complex numbers; a real array itself."""

    def reciprocal(self, *, out: Array | None = None) -> Array:
        """One divided by the array.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def relu(self, *, out: Array | None = None) -> Array:
        """The element where it is positive, else zero.

        Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def remainder(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """What `floor_divide` leaves; it has the sign of the divisor. An integer's remainder by zero is 0.

        Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def repeat(self, repeats: _ArrayLike, /, axis: SupportsIndex | None = None) -> Array:
        """Each element several times in a row along an axis; along that of all elements in a row, if none is given."""

    def reshape(self, *shape: SupportsIndex | Sequence[SupportsIndex]) -> Array:
        """The elements in row-major order under another shape, as numbers or one tuple; one length may be -1.

        >>> freelane.arange(6).reshape(2, -1).shape
        (2, 3)
        """

    def rint(self, *, out: Array | None = None) -> Array:
        """The nearest whole number as a float; halves go to the even one.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def roll(self, shift: SupportsIndex | Sequence[SupportsIndex], axis: SupportsIndex | Sequence[SupportsIndex] | None = None) -> Array:
        """Elements moved along axes, those that leave one end coming in at the other; in row-major order of all, if no axis is given."""

    def round(self, *, out: Array | None = None) -> Array:
        """The nearest whole number; halves go to the even one.

        Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def searchsorted(self, x2: _ArrayLike, /, *, side: Literal['left', 'right'] = 'left', sorter: _ArrayLike | None = None) -> Array:
        """For each value of x2 the place in the sorted array x1 at which it can be put in: before its equals, or behind them. sorter is the order that argsort has of an x1 that is not sorted."""

    def setdiff1d(self, x2: _ArrayLike, /) -> Array:
        """The distinct values of x1 that x2 has not, in ascending order."""

    def setxor1d(self, x2: _ArrayLike, /) -> Array:
        """The distinct values that one of the arrays has and the other has not, in ascending order."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""

    def sigmoid(self, *, out: Array | None = None) -> Array:
        """The logistic function, `1 / (1 + exp(-x))`.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def sign(self, *, out: Array | None = None) -> Array:
        """-1, 0 or 1 by the sign; of a complex number, that divided by its modulus. NaN stays NaN.

        Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def signbit(self, *, out: Array | None = None) -> Array:
        """Whether the sign bit is set: of negative numbers, -0 and some NaN.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def silu(self, *, out: Array | None = None) -> Array:
        """The element times its `sigmoid`.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def sin(self, *, out: Array | None = None) -> Array:
        """The sine of an angle in radians.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def sinc(self, *, out: Array | None = None) -> Array:
        """`sin(pi x) / (pi x)`; 1 at 0, and exactly 0 at all other whole numbers.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def sinh(self, *, out: Array | None = None) -> Array:
        """The hyperbolic sine.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    @property
    def size(self) -> int:
        """Number of elements."""

    def softmax(self, axis: SupportsIndex = -1) -> Array:
        """Exponentials of the elements, divided by their sum along an axis. Nothing overflows."""

    def softplus(self, *, out: Array | None = None) -> Array:
        """`log(1 + exp(x))`, a smooth `relu`.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def sort(self, axis: SupportsIndex = -1, *, descending: _bool = False, stable: _bool = True) -> None:
        """Puts the elements in order along an axis, in place; NaN comes last.

        >>> x = freelane.asarray([3, 1, 2])
        >>> x.sort()
        >>> x.tolist()
        [1, 2, 3]
        """

    def split(self, indices_or_sections: SupportsIndex | Sequence[SupportsIndex], axis: SupportsIndex = 0) -> tuple[Array, ...]:
        """An axis cut into that many equal parts, or at the given places. Nothing is copied."""

    def sqrt(self, *, out: Array | None = None) -> Array:
        """The square root; NaN for negative numbers.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def square(self, *, out: Array | None = None) -> Array:
        """The square. Integers wrap.

        Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def squeeze(self, axis: SupportsIndex | Sequence[SupportsIndex] | None) -> Array:
        """Without the given axes, each of length 1."""

    def std(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, correction: float = 0, keepdims: _bool = False) -> Array:
        """The square root of the variance.

        Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128.
        The order of the elements is fixed: the bits do not depend on threads or strides.
        """

    @property
    def strides(self) -> tuple[int, ...]:
        """Distances between neighbours along each axis, in bytes as in NumPy."""

    def subtract(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """The difference of two arrays. Integers wrap; booleans have none.

        Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def sum(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, dtype: _DTypeLike | None = None, keepdims: _bool = False) -> Array:
        """The sum of the elements; 0 for none. Integers are added up in 64 bits, floats in `f64` whatever their type. With a dtype, the sum is in that.

        Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128.
        The order of the elements is fixed: the bits do not depend on threads or strides.
        """

    def swapaxes(self, axis1: SupportsIndex, axis2: SupportsIndex) -> Array:
        """Two axes exchanged. Nothing is copied."""

    def take(self, indices: _ArrayLike, /, axis: SupportsIndex | None = None) -> Array:
        """The elements with the given numbers along an axis, which must be given if there is more than one."""

    def take_along_axis(self, indices: _ArrayLike, /, axis: SupportsIndex = -1) -> Array:
        """For each place of the indices the element with that number along an axis."""

    def tan(self, *, out: Array | None = None) -> Array:
        """The tangent of an angle in radians.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def tanh(self, *, out: Array | None = None) -> Array:
        """The hyperbolic tangent.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def tensordot(self, x2: _ArrayLike, /, axes: Any = 2) -> Array:
        """Sums of products over pairs of axes: so many last ones of the first array with the first ones of the second, or those of a pair of lists."""

    def tile(self, repetitions: SupportsIndex | Sequence[SupportsIndex]) -> Array:
        """The whole array repeated along each axis."""

    def to_device(self, device: Literal["cpu"], /, *, stream: None = None) -> Array:
        """The array itself; there is one device, 'cpu'."""

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers; a number for an array without axes.

        >>> freelane.asarray([[1, 2], [3, 4]]).T.tolist()
        [[1, 3], [2, 4]]
        """

    def topk(self, k: SupportsIndex, axis: SupportsIndex = -1, *, largest: _bool = True, sorted: _bool = True) -> _TopkResult:
        """The k largest elements along an axis, the largest first, and their numbers; or the smallest: the first k in the order of argsort. NaN comes after every number either way (PyTorch calls it the largest). They are sorted, whatever sorted says."""

    def trace(self, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1, dtype: _DTypeLike | None = None, *, device: Literal["cpu"] | None = None) -> Array:
        """The sums of the diagonals of two axes. With a dtype, elements are converted to it first."""

    def transpose(self, *axes: SupportsIndex | Sequence[SupportsIndex] | None) -> Array:
        """The axes in another order, or reversed; shares storage."""

    def trapezoid(self, x: _ArrayLike | None = None, dx: float = 1.0, axis: SupportsIndex = -1) -> Array:
        """The integral along an axis by the trapezoidal rule, over points x or points dx apart."""

    def tril(self, *, k: SupportsIndex = 0) -> Array:
        """Matrices with zeros above diagonal k."""

    def triu(self, *, k: SupportsIndex = 0) -> Array:
        """Matrices with zeros below diagonal k."""

    def trunc(self, *, out: Array | None = None) -> Array:
        """The nearest whole number towards zero.

        Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def union1d(self, x2: _ArrayLike, /) -> Array:
        """The distinct values of two arrays in ascending order."""

    def unique_all(self) -> _UniqueAllResult:
        """The distinct values in ascending order, where each comes first, which of them each element is, and how often each comes. Each NaN is a value of its own."""

    def unique_counts(self) -> _UniqueCountsResult:
        """The distinct values in ascending order and how often each comes. Each NaN is a value of its own."""

    def unique_inverse(self) -> _UniqueInverseResult:
        """The distinct values in ascending order and which of them each element is. Each NaN is a value of its own."""

    def unique_values(self) -> Array:
        """The distinct values in ascending order. Each NaN is a value of its own."""

    def unstack(self, *, axis: SupportsIndex = 0) -> tuple[Array, ...]:
        """The arrays of which stack would make this one. Nothing is copied."""

    def var(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, correction: float = 0, keepdims: _bool = False) -> Array:
        """The mean squared distance from the mean.

        Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128.
        The order of the elements is fixed: the bits do not depend on threads or strides.
        """

    def vecdot(self, x2: _ArrayLike, /, *, axis: SupportsIndex = -1) -> Array:
        """Sums of products along an axis of both arrays, the first conjugated; other axes broadcast."""

    def xlogy(self, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
        """`x log(y)`, and 0 wherever x is 0, unless y is NaN.

        Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
        With out=, the result is written there and out is returned.
        """

    def zeros_like(self, *, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
        """An array of zeros with the shape and dtype of another."""
    def __bool__(self) -> _bool: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __contains__(self, value: _ArrayLike, /) -> _bool: ...
    def __delitem__(self, index: Any, /) -> None: ...
    def __float__(self) -> float: ...
    def __getitem__(self, index: _Index, /) -> Array: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleMethodOverride]
    def __index__(self) -> int: ...
    def __int__(self) -> int: ...
    def __iter__(self) -> Iterator[Array]: ...
    def __len__(self) -> int: ...
    def __setitem__(self, index: _Index, value: _ArrayLike, /) -> None: ...
    def __add__(self, other: _ArrayLike, /) -> Array: ...
    def __radd__(self, other: _ArrayLike, /) -> Array: ...
    def __iadd__(self, other: _ArrayLike, /) -> Array: ...
    def __sub__(self, other: _ArrayLike, /) -> Array: ...
    def __rsub__(self, other: _ArrayLike, /) -> Array: ...
    def __isub__(self, other: _ArrayLike, /) -> Array: ...
    def __mul__(self, other: _ArrayLike, /) -> Array: ...
    def __rmul__(self, other: _ArrayLike, /) -> Array: ...
    def __imul__(self, other: _ArrayLike, /) -> Array: ...
    def __truediv__(self, other: _ArrayLike, /) -> Array: ...
    def __rtruediv__(self, other: _ArrayLike, /) -> Array: ...
    def __itruediv__(self, other: _ArrayLike, /) -> Array: ...
    def __floordiv__(self, other: _ArrayLike, /) -> Array: ...
    def __rfloordiv__(self, other: _ArrayLike, /) -> Array: ...
    def __ifloordiv__(self, other: _ArrayLike, /) -> Array: ...
    def __mod__(self, other: _ArrayLike, /) -> Array: ...
    def __rmod__(self, other: _ArrayLike, /) -> Array: ...
    def __imod__(self, other: _ArrayLike, /) -> Array: ...
    def __pow__(self, other: _ArrayLike, mod: None = None, /) -> Array: ...
    def __rpow__(self, other: _ArrayLike, mod: None = None, /) -> Array: ...
    def __ipow__(self, other: _ArrayLike, /) -> Array: ...  # type: ignore[misc]
    def __matmul__(self, other: _ArrayLike, /) -> Array: ...
    def __rmatmul__(self, other: _ArrayLike, /) -> Array: ...
    def __and__(self, other: _ArrayLike, /) -> Array: ...
    def __rand__(self, other: _ArrayLike, /) -> Array: ...
    def __iand__(self, other: _ArrayLike, /) -> Array: ...
    def __or__(self, other: _ArrayLike, /) -> Array: ...
    def __ror__(self, other: _ArrayLike, /) -> Array: ...
    def __ior__(self, other: _ArrayLike, /) -> Array: ...
    def __xor__(self, other: _ArrayLike, /) -> Array: ...
    def __rxor__(self, other: _ArrayLike, /) -> Array: ...
    def __ixor__(self, other: _ArrayLike, /) -> Array: ...
    def __lshift__(self, other: _ArrayLike, /) -> Array: ...
    def __rlshift__(self, other: _ArrayLike, /) -> Array: ...
    def __ilshift__(self, other: _ArrayLike, /) -> Array: ...
    def __rshift__(self, other: _ArrayLike, /) -> Array: ...
    def __rrshift__(self, other: _ArrayLike, /) -> Array: ...
    def __irshift__(self, other: _ArrayLike, /) -> Array: ...
    def __divmod__(self, other: _ArrayLike, /) -> tuple[Array, Array]: ...
    def __rdivmod__(self, other: _ArrayLike, /) -> tuple[Array, Array]: ...
    def __lt__(self, other: _ArrayLike, /) -> Array: ...
    def __le__(self, other: _ArrayLike, /) -> Array: ...
    def __gt__(self, other: _ArrayLike, /) -> Array: ...
    def __ge__(self, other: _ArrayLike, /) -> Array: ...
    def __eq__(self, other: object, /) -> Array: ...  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
    def __ne__(self, other: object, /) -> Array: ...  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
    def __neg__(self) -> Array: ...
    def __pos__(self) -> Array: ...
    def __abs__(self) -> Array: ...
    def __invert__(self) -> Array: ...

class AxisError(ValueError, IndexError):
    """An axis that the array does not have. NumPy has one of the same name and kind."""

class CancelledError(RuntimeError):
    """A run that another thread ended."""

class TraceError(TypeError):
    """Something that needs elements was asked of an array while freelane.jit traces its function."""

@final
class _Jitted:
    def __call__(self, *arguments: Any, **named: Any) -> Any: ...
    def __get__(self, object: Any, kind: Any = None, /) -> Any: ...
    def clear(self) -> None: ...
    def graph(self, *arguments: Any, **named: Any) -> _str: ...
    def plans(self) -> int: ...

@overload
def jit(function: Callable[..., Any], /, *, static_argnames: _str | Sequence[_str] = ()) -> _Jitted: ...
@overload
def jit(
    function: None = None, /, *, static_argnames: _str | Sequence[_str] = ()
) -> Callable[[Callable[..., Any]], _Jitted]:
    """Makes a function of arrays run as a plan: elementwise functions in groups, one pass over memory for each."""

class finfo:
    """Limits of a floating-point dtype, or of an array's; those of the parts for complex ones."""
    bits: int
    dtype: _dtype
    eps: float
    max: float
    min: float
    smallest_normal: float
    @property
    def tiny(self) -> float: ...
    def __init__(self, type: _DTypeLike | Array, /) -> None: ...

class iinfo:
    """Limits of an integer dtype, or of an array's."""
    bits: int
    dtype: _dtype
    max: int
    min: int
    def __init__(self, type: _DTypeLike | Array, /) -> None: ...

class _Info:
    def capabilities(self) -> dict[str, Any]: ...
    def default_device(self) -> str: ...
    def default_dtypes(self, *, device: Literal["cpu"] | None = None) -> dict[str, _dtype]: ...
    def devices(self) -> Sequence[str]: ...
    def dtypes(
        self, *, device: Literal["cpu"] | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, _dtype]: ...

def __array_namespace_info__() -> _Info: ...
def isdtype(dtype: _DTypeLike, kind: _Kind | tuple[_Kind, ...]) -> _bool:
    """Whether a dtype is of a kind: a dtype, one of the standard's names of kinds, or a tuple of those."""

@final
class parallel:
    """Spreads the work of large calls in a with block over this many threads; all that there are if none are given."""
    def __new__(cls, threads: int | None = None, /) -> Self: ...
    @property
    def threads(self) -> int: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_reason: object) -> None: ...

@final
class Cancel:
    """Ends the runs it was given to, from another thread."""
    def __new__(cls) -> Self: ...
    def cancel(self) -> None:
        """Ends the runs that were given this, before their next node."""
    def reset(self) -> None:
        """Lets runs go on again."""
    @property
    def cancelled(self) -> _bool: ...

@final
class Session:
    """An ONNX model, loaded once and run from any number of threads at once."""
    def __new__(
        cls,
        model: _Path | bytes | bytearray | memoryview,
        /,
        *,
        threads: int = 1,
        profile: _bool = False,
        optimize: _bool = True,
    ) -> Self: ...
    def run(
        self,
        inputs: Mapping[_str, Any] | Sequence[Any] | None = None,
        /,
        *,
        timeout: float | None = None,
        cancel: Cancel | None = None,
        **named: Any,
    ) -> list[Any]:
        """Runs the model on inputs by name, in order, or as named arguments; returns its outputs as a list."""
    @property
    def inputs(self) -> list[tuple[_str, _str | None, tuple[int | _str | None, ...] | None]]: ...
    @property
    def outputs(self) -> list[tuple[_str, _str | None, tuple[int | _str | None, ...] | None]]: ...
    @property
    def metadata(self) -> dict[_str, Any]: ...
    def profile(self) -> list[tuple[_str, _str, int, float]]:
        """Time of each node, the slowest first: node, operator, runs, seconds."""
    def memory(self) -> dict[_str, int]:
        """Bytes of weights, lanes that keep tables, bytes that values of a run need."""
    def trim(self) -> int:
        """Frees what threads keep for their next run."""

def savez(path: _Path, /, *arrays: _ArrayLike, **named: _ArrayLike) -> None:
    """Writes arrays to a .npz or .safetensors file: keywords by their names, others as arr_0, arr_1 and so on."""

def savez_compressed(path: _Path, /, *arrays: _ArrayLike, **named: _ArrayLike) -> None:
    """As savez, deflated."""

class _DivmodResult(NamedTuple):
    quotient: Array
    remainder: Array

class _FrexpResult(NamedTuple):
    mantissa: Array
    exponent: Array

class _HistogramResult(NamedTuple):
    hist: Array
    bin_edges: Array

class _ModfResult(NamedTuple):
    fractional: Array
    integral: Array

class _TopkResult(NamedTuple):
    values: Array
    indices: Array

class _UniqueAllResult(NamedTuple):
    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array

class _UniqueCountsResult(NamedTuple):
    values: Array
    counts: Array

class _UniqueInverseResult(NamedTuple):
    values: Array
    inverse_indices: Array

def abs(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The absolute value; of a complex number its modulus.

    Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def acos(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The angle in radians whose cosine is the element; NaN outside of -1 to 1.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def acosh(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The inverse of the hyperbolic cosine; NaN below 1.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def add(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The sum of two arrays. Integers wrap; for booleans it is "or".

    Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def all(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
    """Whether all elements are not zero; true for none.

    Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128.
    The order of the elements is fixed: the bits do not depend on threads or strides.
    """

def allclose(a: _ArrayLike, b: _ArrayLike, /, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: _bool = False) -> Array:
    """Whether all elements are close, as isclose has it."""

def angle(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The angle of a complex number, from -pi to pi; of a real one, 0 or pi.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def any(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
    """Whether any element is not zero; false for none.

    Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128.
    The order of the elements is fixed: the bits do not depend on threads or strides.
    """

def append(x: _ArrayLike, values: _ArrayLike, /, axis: SupportsIndex | None = None) -> Array:
    """An array with values behind it along an axis; without an axis, all elements of both in a row."""

def arange(start: float, stop: float | None = None, step: float = 1, *, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
    """Numbers from start (0) up to, not including, stop, step (1) apart. With one argument, that is the stop."""

def argmax(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
    """The position of the first greatest element, counted over the reduced axes; of the first NaN if there is one.

    Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64.
    The order of the elements is fixed: the bits do not depend on threads or strides.
    """

def argmin(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
    """The position of the first least element, counted over the reduced axes; of the first NaN if there is one.

    Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64.
    The order of the elements is fixed: the bits do not depend on threads or strides.
    """

def argpartition(x: _ArrayLike, /, kth: SupportsIndex | Sequence[SupportsIndex] | None, axis: SupportsIndex = -1) -> Array:
    """The numbers of the elements along an axis with that one at place kth which is there in sorted order."""

def argsort(x: _ArrayLike, /, axis: SupportsIndex = -1, *, descending: _bool = False, stable: _bool = True) -> Array:
    """The numbers that the elements have along an axis, in the order of the elements; those of equal ones ascend, stable or not."""

def argwhere(x: _ArrayLike, /) -> Array:
    """The indices of the elements that are not zero, one row each."""

def around(x: _ArrayLike, /, decimals: SupportsIndex = 0) -> Array:
    """Each element rounded to so many decimals, halves to the even digit; negative numbers count digits before the point."""

def array(obj: _ArrayLike, /, dtype: _DTypeLike | None = None, *, device: Literal["cpu"] | None = None, copy: _bool | None = True) -> Array:
    """As asarray, with a copy of memory that belongs to others.

    >>> freelane.array([True, False])
    array([ True, False])
    """

def array_equal(x: _ArrayLike, y: _ArrayLike, /, *, equal_nan: _bool = False) -> Array:
    """Whether two arrays have one shape and equal elements; with equal_nan, NaN equals NaN."""

def array_split(x: _ArrayLike, /, indices_or_sections: SupportsIndex | Sequence[SupportsIndex], axis: SupportsIndex = 0) -> tuple[Array, ...]:
    """An axis cut into that many parts, the first longer by one if it does not divide evenly, or at the given places."""

def asarray(obj: _ArrayLike, /, dtype: _DTypeLike | None = None, *, device: Literal["cpu"] | None = None, copy: _bool | None = None) -> Array:
    """An array of a number, nested lists, or another library's array.

    Takes arrays, Python numbers, nested lists and tuples of them, and whatever has the buffer protocol,
    __dlpack__ or __arrow_c_array__: NumPy's arrays for one. Memory of others is used, not copied, and is never
    written: writing to the result takes a copy first. copy=True copies at once, copy=False refuses to.

    >>> freelane.asarray([[1, 2], [3, 4]]).shape
    (2, 2)
    >>> freelane.asarray([1, 2.5], dtype=freelane.float32)
    array([1. , 2.5], dtype=float32)
    """

def asin(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The angle in radians whose sine is the element; NaN outside of -1 to 1.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def asinh(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The inverse of the hyperbolic sine.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def astype(x: _ArrayLike, dtype: _DTypeLike, /, *, copy: _bool = True, device: Literal["cpu"] | None = None) -> Array:
    """The elements converted to another type.

    Floats become integers by truncation, saturating at the ends of the range; NaN gives 0.

    >>> freelane.astype(freelane.asarray([1.5, -2.5]), freelane.int8)
    array([ 1, -2], dtype=int8)
    """

def atan(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The angle in radians whose tangent is the element.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def atan2(y: _ArrayLike, x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The angle in radians of the point (y, x), from -pi to pi.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def atanh(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The inverse of the hyperbolic tangent; NaN outside of -1 to 1.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def average(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, weights: _ArrayLike | None = None, *, keepdims: _bool = False) -> Array:
    """The mean of the elements, each as often as its weight says; without weights all alike."""

def bincount(x: _ArrayLike, /, weights: _ArrayLike | None = None, minlength: SupportsIndex = 0) -> Array:
    """How often each of the numbers from 0 on comes, at least minlength of them; with weights, their sums."""

def bitwise_and(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """"And" of each bit; for booleans, logical "and".

    Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def bitwise_count(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The number of bits that are set, as `u8`; of a negative number those of its magnitude.

    Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def bitwise_invert(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Each bit reversed; for booleans, logical "not".

    Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def bitwise_left_shift(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Bits moved up by the second array; zero once all have left.

    Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def bitwise_or(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """"Or" of each bit; for booleans, logical "or".

    Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def bitwise_right_shift(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Bits moved down by the second array; the sign stays.

    Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def bitwise_xor(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """"Exclusive or" of each bit; for booleans, logical "exclusive or".

    Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def broadcast_arrays(*arrays: _ArrayLike) -> tuple[Array, ...]:
    """The arrays, each broadcast to the shape that all of them broadcast to. Nothing is copied."""

def broadcast_shapes(*shapes: Sequence[SupportsIndex]) -> tuple[int, ...]:
    """The shape that arrays of these shapes have together.

    >>> freelane.broadcast_shapes((3,), (2, 1))
    (2, 3)
    """

def broadcast_to(x: _ArrayLike, /, shape: SupportsIndex | Sequence[SupportsIndex]) -> Array:
    """Repeated to a larger shape."""

def can_cast(from_: _ArrayLike | _DTypeLike, to: _DTypeLike, /) -> _bool:
    """Whether values of a dtype, or of an array's, can be had in another without loss of kind or range.

    >>> freelane.can_cast(freelane.int32, freelane.int64), freelane.can_cast(freelane.float64, freelane.float32)
    (True, False)
    """

def cbrt(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The cube root, of negative numbers too.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def ceil(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The least whole number that is not less.

    Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def clip(x: _ArrayLike, /, min: _ArrayLike | None = None, max: _ArrayLike | None = None) -> Array:
    """The elements, each at least min and at most max, where those are given; NaN stays."""

def column_stack(arrays: Sequence[_ArrayLike], /) -> Array:
    """Arrays joined as columns of a matrix; an array of one axis is one column."""

def concat(arrays: Sequence[_ArrayLike], /, *, axis: SupportsIndex = 0) -> Array:
    """Joins arrays along an axis that they have; with None for the axis, all their elements in a row."""

def conj(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The complex conjugate; a real number itself.

    Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def convolve(x: _ArrayLike, y: _ArrayLike, /, mode: Literal['full', 'same', 'valid'] = 'full') -> Array:
    """The discrete convolution of two sequences: wherever they overlap ('full'), as long as the longer one ('same'), or where they overlap entirely ('valid')."""

def copysign(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The magnitude of the first array with the sign of the second.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def corrcoef(x: _ArrayLike, /, *, rowvar: _bool = True) -> Array:
    """Correlation coefficients of variables, which are the rows (with rowvar) or the columns."""

def correlate(x: _ArrayLike, y: _ArrayLike, /, mode: Literal['full', 'same', 'valid'] = 'valid') -> Array:
    """The cross-correlation of two sequences: sums of x[i + k] times the conjugate of y[i], for each shift k."""

def cos(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The cosine of an angle in radians.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def cosh(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The hyperbolic cosine.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def count_nonzero(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
    """How many elements are not zero.

    Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128.
    The order of the elements is fixed: the bits do not depend on threads or strides.
    """

def cov(m: _ArrayLike, /, *, rowvar: _bool = True, ddof: float = 1) -> Array:
    """Covariances of variables, which are the rows (with rowvar) or the columns; n - ddof is divided by."""

def cross(x1: _ArrayLike, x2: _ArrayLike, /, *, axis: SupportsIndex = -1) -> Array:
    """The cross products of vectors of three along an axis of both arrays; other axes broadcast."""

def cumulative_max(x: _ArrayLike, /, axis: SupportsIndex | None = None) -> Array:
    """The greatest of all elements along an axis up to each; NaN from the first NaN on."""

def cumulative_min(x: _ArrayLike, /, axis: SupportsIndex | None = None) -> Array:
    """The least of all elements along an axis up to each; NaN from the first NaN on."""

def cumulative_prod(x: _ArrayLike, /, axis: SupportsIndex | None = None, *, dtype: _DTypeLike | None = None, include_initial: _bool = False, device: Literal["cpu"] | None = None) -> Array:
    """The products of all elements along an axis up to each, with include_initial from a one on. Small integers are multiplied in 64 bits. An array of one axis needs none named."""

def cumulative_sum(x: _ArrayLike, /, axis: SupportsIndex | None = None, *, dtype: _DTypeLike | None = None, include_initial: _bool = False, device: Literal["cpu"] | None = None) -> Array:
    """The sums of all elements along an axis up to each, with include_initial from a zero on. Small integers are added up in 64 bits. An array of one axis needs none named."""

def deg2rad(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Radians from degrees.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def degrees(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Degrees from radians.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def diagonal(x: _ArrayLike, /, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1) -> Array:
    """The elements whose places along two axes differ by offset, as the last axis of the result."""

def diff(x: _ArrayLike, /, *, axis: SupportsIndex = -1, n: SupportsIndex = 1, prepend: _ArrayLike | None = None, append: _ArrayLike | None = None) -> Array:
    """What each element along an axis adds to the one before, n times over; prepend and append are joined on first."""

def digamma(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The derivative of `lgamma`. The bound holds for positive numbers; near a zero below 0 digits are lost.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def digitize(x: _ArrayLike, bins: _ArrayLike, /, right: _bool = False) -> Array:
    """For each value the number of the bin that it belongs to: bins[i - 1] <= x < bins[i], or with right bins[i - 1] < x <= bins[i]; the other way round for bins in descending order."""

def divide(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The quotient of two arrays. Integers are divided as `f64`.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def divmod(x: _ArrayLike, y: _ArrayLike, /) -> _DivmodResult:
    """Quotient and remainder, as floor_divide and remainder have them."""

def dot(x1: _ArrayLike, x2: _ArrayLike, /) -> Array:
    """As NumPy's dot: the last axis of the first array with the last but one of the second; a number multiplies."""

def dstack(arrays: Sequence[_ArrayLike], /) -> Array:
    """Arrays joined along the third axis; those of fewer axes are taken as (1, n, 1) and (m, n, 1)."""

def einsum(subscripts: _str, *operands: _ArrayLike) -> Array:
    """Sums of products of operands whose axes are named by letters: 'ij,jk->ik' is a matrix product, 'ii' a trace."""

def empty(shape: SupportsIndex | Sequence[SupportsIndex], dtype: _DTypeLike | None = None, *, device: Literal["cpu"] | None = None) -> Array:
    """An array with anything in it: whatever its memory held before.

    >>> freelane.empty((2, 3)).shape
    (2, 3)
    """

def empty_like(x: _ArrayLike, /, dtype: _DTypeLike | None = None, *, device: Literal["cpu"] | None = None) -> Array:
    """An array with anything in it, with the shape and dtype of another."""

def equal(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Whether the elements are equal. NaN equals nothing.

    Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def erf(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The error function, 2/sqrt(pi) times the integral of exp(-t^2) from 0 to x.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def erfc(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """One less the error function, precise where that is small.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def erfinv(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The inverse of `erf`: from -1 to 1, infinite at both ends.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def exp(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """e raised to the power of the array.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def exp2(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Two raised to the power of the array.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def expand_dims(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None) -> Array:
    """New axes of length 1 at the given places of the result."""

def expm1(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """e raised to the power of the array, less one; precise near zero.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def eye(n_rows: SupportsIndex, n_cols: SupportsIndex | None = None, *, k: SupportsIndex = 0, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
    """A matrix with ones on diagonal k and zeros elsewhere."""

def flatnonzero(x: _ArrayLike, /) -> Array:
    """The numbers in row-major order of the elements that are not zero."""

def flip(x: _ArrayLike, /, *, axis: SupportsIndex | Sequence[SupportsIndex] | None = None) -> Array:
    """Elements in reverse order along the given axes; along all of them when none is given."""

def floor(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The greatest whole number that is not greater.

    Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def floor_divide(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The quotient rounded towards negative infinity. An integer divided by zero gives 0.

    Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def fma(x1: _ArrayLike, x2: _ArrayLike, x3: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The first array times the second, plus the third, rounded once.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def fmax(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The greater of two arrays; of a number and NaN the number.

    Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def fmin(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The lesser of two arrays; of a number and NaN the number.

    Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def fmod(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """What a division towards zero leaves; it has the sign of the first array. An integer's remainder by zero is 0.

    Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def frexp(x: _ArrayLike, /) -> _FrexpResult:
    """Fractions and exponents: x = mantissa 2^exponent; magnitudes of mantissas lie between 1/2 and 1."""

def from_dlpack(x: _SupportsDLPack, /, *, device: Literal["cpu"] | None = None, copy: _bool | None = None) -> Array:
    """The array that an object offers through DLPack, over its memory where that can be.

    Bools are copied. Writing to the array copies first, so the object's memory is never written.

    Raises BufferError for data that is not on the CPU or malformed, TypeError for types that arrays do not hold, ValueError when copy=False and a copy is needed.
    """

def full(shape: SupportsIndex | Sequence[SupportsIndex], fill_value: float, *, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
    """An array with one value in every place, of the value's dtype unless one is given."""

def full_like(x: _ArrayLike, /, fill_value: float, *, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
    """An array with one value in every place, with the shape and dtype of another."""

def gamma(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The gamma function: of n + 1, n factorial. At the negative whole numbers it is NaN.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def gcd(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The greatest common divisor of integers.

    Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def gelu(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The element times the probability that a normal variable is below it: exact, by the error function.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def geomspace(start: float, stop: float, num: SupportsIndex = 50, *, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
    """Numbers evenly spaced on a logarithmic scale, from start to stop, which have one sign."""

def greater(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Whether the first is greater than the second.

    Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def greater_equal(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Whether the first is greater than the second or equal to it.

    Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def heaviside(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """0 below zero, 1 above zero, and the second array at zero.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def histogram(x: _ArrayLike, /, bins: Any = 10, range: Any | None = None, *, density: _bool = False, weights: _ArrayLike | None = None) -> _HistogramResult:
    """How many elements fall into each bin, and the edges of the bins: as many as bins says, of one width over range or from the smallest element to the largest; or edges given by bins. With weights their sums; with density such that the area is one."""

def hstack(arrays: Sequence[_ArrayLike], /) -> Array:
    """Arrays joined as columns: along the second axis, arrays of one axis along that."""

def hypot(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The length of the vector (x, y), without overflow on the way.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def i0(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The modified Bessel function of the first kind and order 0.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def identity(n: SupportsIndex, *, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
    """The square matrix with ones on its diagonal."""

def imag(x: _ArrayLike, /) -> Array:
    """The imaginary parts of complex numbers; zeros for a real array."""

def inner(x1: _ArrayLike, x2: _ArrayLike, /) -> Array:
    """Sums of products over the last axis of both arrays; a number multiplies."""

def interp(x: _ArrayLike, xp: _ArrayLike, fp: _ArrayLike, /, left: float | None = None, right: float | None = None) -> Array:
    """The value at each of x on the lines between the points (xp, fp), whose xp ascend; left and right of all points left and right, or the value of the nearest one."""

def intersect1d(x1: _ArrayLike, x2: _ArrayLike, /) -> Array:
    """The distinct values that both arrays have, in ascending order."""

def isclose(a: _ArrayLike, b: _ArrayLike, /, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: _bool = False) -> Array:
    """Whether each element of a is as close to that of b as atol + rtol |b|.
    Infinities are close to themselves, NaN with equal_nan.
    """

def isfinite(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Whether the element is neither infinite nor NaN.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def isin(x1: _ArrayLike, x2: _ArrayLike, /, *, invert: _bool = False) -> Array:
    """For each element of x1 whether x2 has it, or with invert whether it does not. NaN is nowhere."""

def isinf(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Whether the element is infinite.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def isnan(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Whether the element is not a number.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def kron(x1: _ArrayLike, x2: _ArrayLike, /) -> Array:
    """The Kronecker product: each element of the first array times the whole second, in its place."""

def lcm(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The least common multiple of integers. It wraps.

    Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def ldexp(x: _ArrayLike, exponent: _ArrayLike, /) -> Array:
    """Each element times two to the power of an integer, rounded once."""

def lerp(start: _ArrayLike, end: _ArrayLike, weight: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """`start + weight (end - start)`: exactly `start` and `end` at the weights 0 and 1, whatever the other one is.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def less(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Whether the first is less than the second.

    Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def less_equal(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Whether the first is less than the second or equal to it.

    Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def lgamma(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The logarithm of the gamma function's magnitude; infinite at 0 and the negative whole numbers.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def linspace(start: float, stop: float, num: SupportsIndex, *, dtype: _DTypeLike | None = None, endpoint: _bool = True, device: Literal["cpu"] | None = None) -> Array:
    """Evenly spaced numbers from start to stop, which is the last one unless endpoint is False."""

def load(path: _Path, key: _str | None = None, *, mmap: _bool | None = None) -> Array:
    """The array in a .npy, .npz, .safetensors or .csv file; key picks one of several (of a table: a column).

    Files are not trusted: nothing is unpickled, sizes are checked. With mmap=None arrays of 4 MiB and more are mapped where the file allows it, with True all of them, with False none; a mapped file must not be cut short meanwhile.

    Raises FileNotFoundError and other OSErrors, KeyError for an unknown key, TypeError for dtypes that arrays do not hold, ValueError for a malformed file.
    """

def load_all(path: _Path, *, mmap: _bool | None = None) -> dict[_str, Array]:
    """All arrays of a .npz, .safetensors or .csv file, a dict by name.

    Errors as for load.
    """

def log(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The natural logarithm; NaN for negative numbers.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def log10(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The logarithm to base 10.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def log1p(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The natural logarithm of one plus the array; precise near zero.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def log2(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The logarithm to base 2.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def log_softmax(x: _ArrayLike, /, axis: SupportsIndex = -1) -> Array:
    """The logarithm of the softmax along an axis, exact where that is too small."""

def logaddexp(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The logarithm of the sum of the exponentials of two arrays, without overflow on the way.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def logical_and(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Whether both are not zero.

    Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def logical_not(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Whether the element is zero.

    Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def logical_or(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Whether at least one is not zero.

    Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def logical_xor(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Whether exactly one is not zero.

    Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def logit(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The inverse of `sigmoid`, `log(x / (1 - x))`: from 0 to 1, infinite at both ends.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def logspace(start: float, stop: float, num: SupportsIndex = 50, *, base: float = 10.0, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
    """Numbers evenly spaced on a logarithmic scale, from base**start to base**stop."""

def logsumexp(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
    """The logarithm of the sum of the exponentials of the elements over axes; minus infinity for none."""

def matmul(x1: _ArrayLike, x2: _ArrayLike, /) -> Array:
    """The matrix product over the last axis of the first and the last but one of the second array; other axes broadcast."""

def matrix_transpose(x: _ArrayLike, /) -> Array:
    """The last two axes exchanged."""

def max(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
    """The greatest element; NaN if there is one.

    Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64.
    The order of the elements is fixed: the bits do not depend on threads or strides.
    """

def maximum(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The greater of two arrays; NaN if either is.

    Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def mean(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, dtype: _DTypeLike | None = None, keepdims: _bool = False) -> Array:
    """The arithmetic mean; NaN for no elements. Integers give `f64`.

    Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128.
    The order of the elements is fixed: the bits do not depend on threads or strides.
    """

def median(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
    """The middle element of those along some axes, or the mean of the middle two; NaN if one is NaN."""

def meshgrid(*arrays: _ArrayLike, indexing: Literal['xy', 'ij'] = 'xy') -> tuple[Array, ...]:
    """Coordinates of a grid: each array's numbers along one axis of the grid, repeated along the others.

    That is the array's own place among the arrays, with indexing='ij'; with 'xy' the first two change places. Nothing is copied.
    """

def min(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
    """The least element; NaN if there is one.

    Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64.
    The order of the elements is fixed: the bits do not depend on threads or strides.
    """

def minimum(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The lesser of two arrays; NaN if either is.

    Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def modf(x: _ArrayLike, /) -> _ModfResult:
    """Fraction and whole part, both with the sign of the element."""

def moveaxis(x: _ArrayLike, /, source: SupportsIndex | Sequence[SupportsIndex] | None, destination: SupportsIndex | Sequence[SupportsIndex] | None) -> Array:
    """Some axes moved to other places; the others keep their order."""

def multiply(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The product of two arrays. Integers wrap; for booleans it is "and".

    Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def nan_to_num(x: _ArrayLike, /, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Array:
    """The array with numbers in place of NaN and of infinities, which become the ends of the dtype's range by default."""

def nanargmax(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
    """The position of the first greatest of the elements that are no NaN, counted over the reduced axes."""

def nanargmin(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
    """The position of the first least of the elements that are no NaN, counted over the reduced axes."""

def nanmax(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
    """The greatest of the elements that are no NaN; NaN if all are."""

def nanmean(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
    """The mean of the elements that are no NaN; NaN for none."""

def nanmin(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
    """The least of the elements that are no NaN; NaN if all are."""

def nanprod(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
    """The product of the elements that are no NaN; 1 for none."""

def nanstd(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, correction: float = 0, keepdims: _bool = False) -> Array:
    """The square root of the variance of the elements that are no NaN; NaN for none."""

def nansum(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
    """The sum of the elements that are no NaN; 0 for none."""

def nanvar(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, correction: float = 0, keepdims: _bool = False) -> Array:
    """The mean squared distance of the elements that are no NaN from their mean; NaN for none."""

def negative(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The array with its sign reversed. Unsigned integers wrap.

    Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def nextafter(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The next number of its type after the first array's, towards the second's.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def nonzero(x: _ArrayLike, /) -> tuple[Array, ...]:
    """The indices of the elements that are not zero: one array of int64 for each axis, in row-major order."""

def not_equal(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Whether the elements differ.

    Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def ones(shape: SupportsIndex | Sequence[SupportsIndex], *, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
    """An array of ones, of float64 unless a dtype is given."""

def ones_like(x: _ArrayLike, /, *, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
    """An array of ones with the shape and dtype of another."""

def outer(x1: _ArrayLike, x2: _ArrayLike, /) -> Array:
    """The products of all pairs of elements, those of the first array as rows; both arrays count as one axis."""

def pad(x: _ArrayLike, /, pad_width: Any, mode: Literal['constant', 'edge', 'reflect', 'symmetric', 'wrap'] = 'constant', *, constant_values: float = 0) -> Array:
    """With elements added before and after each axis: a number, their nearest element, or the elements mirrored or repeated.

    pad_width is a number, a pair (before, after), or a pair for each axis.
    """

def partition(x: _ArrayLike, /, kth: SupportsIndex | Sequence[SupportsIndex] | None, axis: SupportsIndex = -1) -> Array:
    """The elements along an axis with that one at place kth which is there in sorted order, smaller ones before it, larger ones behind."""

def percentile(x: _ArrayLike, q: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, method: Literal['linear', 'lower', 'higher', 'nearest', 'midpoint'] = 'linear', keepdims: _bool = False) -> Array:
    """As quantile, with q from 0 to 100."""

def permute_dims(x: _ArrayLike, /, axes: SupportsIndex | Sequence[SupportsIndex] | None) -> Array:
    """Axes in another order; axis i of the result is axis axes[i]."""

def polyval(p: _ArrayLike, x: _ArrayLike, /) -> Array:
    """The polynomial whose coefficients are p, highest power first, at each element of x."""

def positive(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The array itself.

    Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def pow(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The first array raised to the power of the second. Integers wrap, and take no negative exponents.

    Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def prod(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, dtype: _DTypeLike | None = None, keepdims: _bool = False) -> Array:
    """The product of the elements; 1 for none. Integers are multiplied in 64 bits, floats in `f64` whatever their type. With a dtype, the product is in that.

    Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128.
    The order of the elements is fixed: the bits do not depend on threads or strides.
    """

def ptp(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, keepdims: _bool = False) -> Array:
    """The greatest element less the least; NaN if there is one."""

def put(x: _ArrayLike, indices: _ArrayLike, values: _ArrayLike, /) -> Array:
    """A copy of x with values written to the elements that have these numbers in row-major order. If there are fewer values than numbers, they come again from the first on."""

def quantile(x: _ArrayLike, q: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, method: Literal['linear', 'lower', 'higher', 'nearest', 'midpoint'] = 'linear', keepdims: _bool = False) -> Array:
    """The number below which a share q, from 0 to 1, of the elements along some axes lies; NaN if one is NaN. With several q they make the first axes."""

def rad2deg(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Degrees from radians.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def radians(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Radians from degrees.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def ravel(x: _ArrayLike, /) -> Array:
    """All elements in row-major order along one axis."""

def real(x: _ArrayLike, /) -> Array:
    """The real parts of complex numbers; a real array itself."""

def reciprocal(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """One divided by the array.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def relu(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The element where it is positive, else zero.

    Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def remainder(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """What `floor_divide` leaves; it has the sign of the divisor. An integer's remainder by zero is 0.

    Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def repeat(x: _ArrayLike, repeats: _ArrayLike, /, axis: SupportsIndex | None = None) -> Array:
    """Each element several times in a row along an axis; along that of all elements in a row, if none is given."""

def reshape(x: _ArrayLike, /, shape: SupportsIndex | Sequence[SupportsIndex], *, copy: _bool | None = None) -> Array:
    """The same elements in row-major order under another shape; one length may be -1, what is left."""

def result_type(*arrays_and_dtypes: _ArrayLike | _DTypeLike) -> _dtype:
    """The dtype that arrays, dtypes and Python numbers have together; numbers give way to the others.

    >>> freelane.result_type(freelane.float32, freelane.int8, 1.0)
    freelane.float32
    """

def rint(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The nearest whole number as a float; halves go to the even one.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def roll(x: _ArrayLike, /, shift: SupportsIndex | Sequence[SupportsIndex], axis: SupportsIndex | Sequence[SupportsIndex] | None = None) -> Array:
    """Elements moved along axes, those that leave one end coming in at the other; in row-major order of all, if no axis is given."""

def round(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The nearest whole number; halves go to the even one.

    Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def save(path: _Path, x: _ArrayLike, /) -> None:
    """Writes an array to a .npy, .npz, .safetensors or .csv file, as the name ends. The file appears whole or not at all.

    Raises OSError, and ValueError for an unknown ending or an array that the format cannot hold.
    """

def save_all(path: _Path, arrays: Mapping[_str, _ArrayLike], /, *, compress: _bool = False) -> None:
    """Writes a mapping of names to arrays to a .npz or .safetensors file. Otherwise as save."""

def searchsorted(x1: _ArrayLike, x2: _ArrayLike, /, *, side: Literal['left', 'right'] = 'left', sorter: _ArrayLike | None = None) -> Array:
    """For each value of x2 the place in the sorted array x1 at which it can be put in: before its equals, or behind them. sorter is the order that argsort has of an x1 that is not sorted."""

def setdiff1d(x1: _ArrayLike, x2: _ArrayLike, /) -> Array:
    """The distinct values of x1 that x2 has not, in ascending order."""

def setxor1d(x1: _ArrayLike, x2: _ArrayLike, /) -> Array:
    """The distinct values that one of the arrays has and the other has not, in ascending order."""

def share(x: Array, /) -> Array:
    """Makes an array one that any number of threads read, and returns it.

    From now on nobody can write to it (x += 1 gives x a new array), and reading it writes no memory: on free-threaded builds
    its references are not counted either, so it is freed by the collector and not at once.
    Memory that belongs to another library stays its own: what that writes shows. freelane.array(a) copies it first.

    >>> table = freelane.share(freelane.arange(3))
    >>> table.is_shared
    True
    """

def sigmoid(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The logistic function, `1 / (1 + exp(-x))`.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def sign(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """-1, 0 or 1 by the sign; of a complex number, that divided by its modulus. NaN stays NaN.

    Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def signbit(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """Whether the sign bit is set: of negative numbers, -0 and some NaN.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def silu(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The element times its `sigmoid`.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def sin(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The sine of an angle in radians.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def sinc(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """`sin(pi x) / (pi x)`; 1 at 0, and exactly 0 at all other whole numbers.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def sinh(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The hyperbolic sine.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def softmax(x: _ArrayLike, /, axis: SupportsIndex = -1) -> Array:
    """Exponentials of the elements, divided by their sum along an axis. Nothing overflows."""

def softplus(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """`log(1 + exp(x))`, a smooth `relu`.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def sort(x: _ArrayLike, /, axis: SupportsIndex = -1, *, descending: _bool = False, stable: _bool = True) -> Array:
    """The elements in order along an axis; NaN comes last, and real ones lose sign and payload. Equal elements keep their order, stable or not."""

def split(x: _ArrayLike, /, indices_or_sections: SupportsIndex | Sequence[SupportsIndex], axis: SupportsIndex = 0) -> tuple[Array, ...]:
    """An axis cut into that many equal parts, or at the given places. Nothing is copied."""

def sqrt(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The square root; NaN for negative numbers.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def square(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The square. Integers wrap.

    Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def squeeze(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None) -> Array:
    """Without the given axes, each of length 1."""

def stack(arrays: Sequence[_ArrayLike], /, *, axis: SupportsIndex = 0) -> Array:
    """Joins arrays of one shape along a new axis."""

def stats(*, enable: _bool | None = None, reset: _bool = False) -> dict[_str, Any]:
    """Memory in use, as a dictionary.

    enable switches counting on or off (it is off at first, and costs a nanosecond an allocation when on); reset starts counting anew.
    live_bytes and live_blocks are signed: they run from the moment counting was switched on.
    """

def std(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, correction: float = 0, keepdims: _bool = False) -> Array:
    """The square root of the variance.

    Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128.
    The order of the elements is fixed: the bits do not depend on threads or strides.
    """

def subtract(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The difference of two arrays. Integers wrap; booleans have none.

    Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def sum(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, dtype: _DTypeLike | None = None, keepdims: _bool = False) -> Array:
    """The sum of the elements; 0 for none. Integers are added up in 64 bits, floats in `f64` whatever their type. With a dtype, the sum is in that.

    Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128.
    The order of the elements is fixed: the bits do not depend on threads or strides.
    """

def swapaxes(x: _ArrayLike, /, axis1: SupportsIndex, axis2: SupportsIndex) -> Array:
    """Two axes exchanged. Nothing is copied."""

def take(x: _ArrayLike, indices: _ArrayLike, /, axis: SupportsIndex | None = None) -> Array:
    """The elements with the given numbers along an axis, which must be given if there is more than one."""

def take_along_axis(x: _ArrayLike, indices: _ArrayLike, /, axis: SupportsIndex = -1) -> Array:
    """For each place of the indices the element with that number along an axis."""

def tan(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The tangent of an angle in radians.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def tanh(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The hyperbolic tangent.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def tensordot(x1: _ArrayLike, x2: _ArrayLike, /, axes: Any = 2) -> Array:
    """Sums of products over pairs of axes: so many last ones of the first array with the first ones of the second, or those of a pair of lists."""

def tile(x: _ArrayLike, /, repetitions: SupportsIndex | Sequence[SupportsIndex]) -> Array:
    """The whole array repeated along each axis."""

def topk(x: _ArrayLike, /, k: SupportsIndex, axis: SupportsIndex = -1, *, largest: _bool = True, sorted: _bool = True) -> _TopkResult:
    """The k largest elements along an axis, the largest first, and their numbers; or the smallest: the first k in the order of argsort. NaN comes after every number either way (PyTorch calls it the largest). They are sorted, whatever sorted says."""

def trace(x: _ArrayLike, /, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1, dtype: _DTypeLike | None = None, *, device: Literal["cpu"] | None = None) -> Array:
    """The sums of the diagonals of two axes. With a dtype, elements are converted to it first."""

def transpose(x: _ArrayLike, /, axes: SupportsIndex | Sequence[SupportsIndex] | None = None) -> Array:
    """Axes in another order; all of them reversed when none is given."""

def trapezoid(y: _ArrayLike, /, x: _ArrayLike | None = None, dx: float = 1.0, axis: SupportsIndex = -1) -> Array:
    """The integral along an axis by the trapezoidal rule, over points x or points dx apart."""

def tril(x: _ArrayLike, /, *, k: SupportsIndex = 0) -> Array:
    """Matrices with zeros above diagonal k."""

def trim() -> int:
    """Gives memory that is kept for reuse back to the system and returns the number of its bytes.

    It is that of the calling thread and that which no thread keeps for itself.
    """

def triu(x: _ArrayLike, /, *, k: SupportsIndex = 0) -> Array:
    """Matrices with zeros below diagonal k."""

def trunc(x: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The nearest whole number towards zero.

    Of each element, after broadcasting. Computed in uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def union1d(x1: _ArrayLike, x2: _ArrayLike, /) -> Array:
    """The distinct values of two arrays in ascending order."""

def unique_all(x: _ArrayLike, /) -> _UniqueAllResult:
    """The distinct values in ascending order, where each comes first, which of them each element is, and how often each comes. Each NaN is a value of its own."""

def unique_counts(x: _ArrayLike, /) -> _UniqueCountsResult:
    """The distinct values in ascending order and how often each comes. Each NaN is a value of its own."""

def unique_inverse(x: _ArrayLike, /) -> _UniqueInverseResult:
    """The distinct values in ascending order and which of them each element is. Each NaN is a value of its own."""

def unique_values(x: _ArrayLike, /) -> Array:
    """The distinct values in ascending order. Each NaN is a value of its own."""

def unstack(x: _ArrayLike, /, *, axis: SupportsIndex = 0) -> tuple[Array, ...]:
    """The arrays of which stack would make this one. Nothing is copied."""

def var(x: _ArrayLike, /, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *, correction: float = 0, keepdims: _bool = False) -> Array:
    """The mean squared distance from the mean.

    Over axis (None: all, a number, or a tuple), whose lengths become 1 with keepdims and go without. Takes bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128.
    The order of the elements is fixed: the bits do not depend on threads or strides.
    """

def vecdot(x1: _ArrayLike, x2: _ArrayLike, /, *, axis: SupportsIndex = -1) -> Array:
    """Sums of products along an axis of both arrays, the first conjugated; other axes broadcast."""

def vstack(arrays: Sequence[_ArrayLike], /) -> Array:
    """Arrays joined as rows: along the first axis, arrays of one axis as one row each."""

def where(condition: _ArrayLike, x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """The first array where the condition holds, the second elsewhere.

    Of each element, after broadcasting. Computed in bool, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, bfloat16, float32, float64, complex64, complex128; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def xlogy(x: _ArrayLike, y: _ArrayLike, /, *, out: Array | None = None) -> Array:
    """`x log(y)`, and 0 wherever x is 0, unless y is NaN.

    Of each element, after broadcasting. Computed in float16, bfloat16, float32, float64; other dtypes are converted to the nearest of them.
    With out=, the result is written there and out is returned.
    """

def zeros(shape: SupportsIndex | Sequence[SupportsIndex], dtype: _DTypeLike | None = None, *, device: Literal["cpu"] | None = None) -> Array:
    """An array of zeros, of float64 unless a dtype is given.

    >>> freelane.zeros(2)
    array([0., 0.])
    """

def zeros_like(x: _ArrayLike, /, dtype: _DTypeLike | None = None, *, device: Literal["cpu"] | None = None) -> Array:
    """An array of zeros with the shape and dtype of another.

    >>> freelane.zeros_like([1, 2])
    array([0, 0])
    """
