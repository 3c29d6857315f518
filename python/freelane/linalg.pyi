# Written by python/tests/stubs.py from the module: UPDATE_EXPECT=1 with python/tests/test_stubs.py writes it anew.
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, SupportsIndex

from . import Array, _ArrayLike, _DTypeLike, _str
import builtins

_bool = builtins.bool

class LinAlgError(ValueError):
    """A matrix without a result: not square, or singular. NumPy has one of the same name and kind."""

class _EigResult(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array

class _EighResult(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array

class _LstsqResult(NamedTuple):
    x: Array
    residuals: Array
    rank: Array
    s: Array

class _QrResult(NamedTuple):
    Q: Array
    R: Array

class _SlogdetResult(NamedTuple):
    sign: Array
    logabsdet: Array

class _SvdResult(NamedTuple):
    U: Array
    S: Array
    Vh: Array

def cholesky(x: _ArrayLike, /, *, upper: _bool = False) -> Array:
    """The lower triangular L with x = L Lᴴ, or with upper the U with x = Uᴴ U, of Hermitian positive definite matrices."""

def cond(x: _ArrayLike, /, p: Any | None = None) -> Array:
    """Condition numbers of matrices: by their singular values, or by the norm that p names as for matrix_norm."""

def cross(x1: _ArrayLike, x2: _ArrayLike, /, *, axis: SupportsIndex = -1) -> Array:
    """The cross products of vectors of three along an axis of both arrays; other axes broadcast."""

def det(x: _ArrayLike, /) -> Array:
    """The determinants of matrices."""

def diagonal(x: _ArrayLike, /, *, offset: SupportsIndex = 0) -> Array:
    """The elements of each matrix whose row and column differ by offset, as the last axis of the result."""

def eig(x: _ArrayLike, /) -> _EigResult:
    """Eigenvalues of matrices, in no order, and their eigenvectors of length one as columns; both are complex."""

def eigh(x: _ArrayLike, /) -> _EighResult:
    """Eigenvalues of Hermitian matrices in ascending order, and their orthonormal eigenvectors as columns; the lower half is read."""

def eigvals(x: _ArrayLike, /) -> Array:
    """Eigenvalues of matrices, in no order, as complex numbers."""

def eigvalsh(x: _ArrayLike, /) -> Array:
    """Eigenvalues of Hermitian matrices in ascending order; the lower half is read."""

def inv(x: _ArrayLike, /) -> Array:
    """The inverses of matrices; a singular one is an error."""

def lstsq(a: _ArrayLike, b: _ArrayLike, /, rcond: _ArrayLike | None = None) -> _LstsqResult:
    """The x for which the sum of squares of b - a x is least, and is least itself; those sums if a has independent columns and more rows, the rank of a, and its singular values."""

def matmul(x1: _ArrayLike, x2: _ArrayLike, /) -> Array:
    """The matrix product over the last axis of the first and the last but one of the second array; other axes broadcast."""

def matrix_norm(x: _ArrayLike, /, *, keepdims: _bool = False, ord: Any = 'fro') -> Array:
    """Norms of matrices: 'fro', 'nuc', 1, 2, inf, -1, -2 or -inf."""

def matrix_power(x: _ArrayLike, /, n: SupportsIndex) -> Array:
    """The product of n times a matrix; of its inverse where n is negative, the unit matrix for 0."""

def matrix_rank(x: _ArrayLike, /, *, rtol: _ArrayLike | None = None) -> Array:
    """How many singular values of each matrix are greater than rtol times its greatest one; without rtol than the longer side times the dtype's epsilon."""

def matrix_transpose(x: _ArrayLike, /) -> Array:
    """The last two axes exchanged."""

def multi_dot(arrays: Sequence[_ArrayLike], /) -> Array:
    """The product of matrices in the order of multiplication that takes the fewest steps."""

def norm(x: _ArrayLike, /, ord: Any | None = None, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, keepdims: _bool = False) -> Array:
    """As NumPy's norm: of all elements, of vectors along one axis, or of matrices along two."""

def outer(x1: _ArrayLike, x2: _ArrayLike, /) -> Array:
    """The products of all pairs of elements, those of the first array as rows; both arrays count as one axis."""

def pinv(x: _ArrayLike, /, *, rtol: _ArrayLike | None = None) -> Array:
    """The pseudo-inverses of matrices; singular values up to rtol times the greatest count as zero."""

def qr(x: _ArrayLike, /, mode: Literal['reduced', 'complete'] = 'reduced') -> _QrResult:
    """Matrices Q with orthonormal columns and upper triangular matrices R with x = Q R; in mode 'complete' Q is square."""

def slogdet(x: _ArrayLike, /) -> _SlogdetResult:
    """Signs and logarithms of the absolute values of the determinants of matrices: 0 and -inf for a singular one."""

def solve(x1: _ArrayLike, x2: _ArrayLike, /) -> Array:
    """The x with x1 x = x2, for a vector x2 of one axis, else for the columns of its matrices; batches broadcast."""

def solve_triangular(x1: _ArrayLike, x2: _ArrayLike, /, *, upper: _bool = False, unit_diagonal: _bool = False) -> Array:
    """The x with x1 x = x2, where only the lower triangle of x1 is read, or the upper one; its diagonal may be taken for ones."""

def svd(x: _ArrayLike, /, full_matrices: _bool = True) -> _SvdResult:
    """Singular values and vectors of matrices: x = U diag(S) Vh, the values in descending order; U and Vh are square, or without full_matrices have as many columns and rows as there are values."""

def svdvals(x: _ArrayLike, /) -> Array:
    """The singular values of matrices in descending order."""

def tensordot(x1: _ArrayLike, x2: _ArrayLike, /, axes: Any = 2) -> Array:
    """Sums of products over pairs of axes: so many last ones of the first array with the first ones of the second, or those of a pair of lists."""

def trace(x: _ArrayLike, /, *, offset: SupportsIndex = 0, dtype: _DTypeLike | None = None, device: Literal["cpu"] | None = None) -> Array:
    """The sum of the diagonal of each matrix. With a dtype, elements are converted to it first."""

def vecdot(x1: _ArrayLike, x2: _ArrayLike, /, *, axis: SupportsIndex = -1) -> Array:
    """Sums of products along an axis of both arrays, the first conjugated; other axes broadcast."""

def vector_norm(x: _ArrayLike, /, *, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, keepdims: _bool = False, ord: float = 2) -> Array:
    """Norms of the vectors along axes, or of all elements; ord is any number, inf and -inf for the greatest and the least magnitude."""
