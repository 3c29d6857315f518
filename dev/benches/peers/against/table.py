"""What freelane's functions are compared with: for each, one or more cases with NumPy's expression for the same.

`{axis}` stands for `, axis=0` and such, where a layout has one. An expression says `xp` for either library when both write it
alike. `numexpr` is what that library writes, where it has the function; Numba compiles NumPy's expression where it can."""
from dataclasses import dataclass, field

from operands import Operand, increasing, of, positions, repeating, rows_of, shaped, square, within

SIZES = (100, 10_000, 1_000_000)
ONE = ("contiguous", "strided")
MORE = ("contiguous", "strided", "broadcast")
AXES = ("contiguous", "strided", "axis 0", "axis 1")
FLAT = ("contiguous",)
MATRIX = ("contiguous", "strided matrix", "transposed")


@dataclass(frozen=True)
class Case:
    """One comparison of one function."""

    function: str
    family: str
    ours: str
    peer: str | None
    operands: dict
    dtypes: str = "f"
    layouts: tuple = FLAT
    sizes: tuple = SIZES
    numexpr: str | None = None
    label: str = ""
    exact: bool = True
    setup: dict = field(default_factory=dict)

    @property
    def name(self):
        return f"{self.function} {self.label}".strip()


CASES: list[Case] = []


def case(function, family, operands, expression=None, peer="same", **facts):
    """Adds a case; without an expression it is a call with the operands in order, in NumPy too."""
    operands = {name: o if isinstance(o, Operand) else Operand(o) for name, o in operands.items()}
    axis = "{axis}" if "axis 0" in facts.get("layouts", ()) else ""
    expression = expression or f"xp.{function}({', '.join(operands)}{axis})"
    peer = expression if peer == "same" else peer
    CASES.append(Case(function, family, expression, peer, operands, **facts))


def fixed(values, count=lambda n: n):
    """An operand that keeps its layout."""
    return Operand(values, fixed=True, count=count)


def unary(names, dtypes, low, high, **facts):
    for name in names.split():
        case(name, "elementwise", {"x": within(low, high)}, dtypes=dtypes, layouts=ONE, **facts)


def binary(names, dtypes, x, y, **facts):
    for name in names.split():
        case(name, "elementwise", {"x": within(*x), "y": within(*y)}, dtypes=dtypes, layouts=MORE, **facts)


WIDE, UNIT, SMALL, POSITIVE = (-100.0, 100.0), (-0.99, 0.99), (-4.0, 4.0), (0.1, 100.0)

for name, operator in dict(add="+", subtract="-", multiply="*", divide="/").items():
    binary(name, "fc" if name == "divide" else "fic", WIDE, (1.0, 100.0), numexpr=f"x {operator} y")
binary("floor_divide", "fi", WIDE, (1.0, 100.0))
binary("remainder", "fi", WIDE, (1.0, 100.0), numexpr="x % y")
binary("pow", "fc", POSITIVE, SMALL, numexpr="x ** y")
binary("pow", "i", (0, 9), (0, 9), label="of integers")
binary("minimum maximum", "fi", WIDE, WIDE)
binary("atan2", "f", WIDE, WIDE, numexpr="arctan2(x, y)")
binary("hypot logaddexp copysign nextafter", "f", WIDE, WIDE)
for name, operator in dict(equal="==", not_equal="!=", less="<", less_equal="<=", greater=">", greater_equal=">=").items():
    binary(name, "fic" if "equal" in (name, name[4:]) else "fi", WIDE, WIDE, numexpr=f"x {operator} y")
binary("logical_and logical_or logical_xor", "bf", WIDE, WIDE)
binary("bitwise_and bitwise_or bitwise_xor", "bi", WIDE, WIDE)
binary("bitwise_left_shift bitwise_right_shift", "i", (0, 100), (0, 20))
unary("abs", "fic", *WIDE, numexpr="abs(x)")
unary("negative", "fic", *WIDE, numexpr="-x")
unary("positive square sign", "fic", *WIDE)
unary("conj", "fc", *WIDE, numexpr="conj(x)")
case("real", "elementwise", {"x": within(*WIDE)}, dtypes="c", layouts=ONE)
case("imag", "elementwise", {"x": within(*WIDE)}, dtypes="c", layouts=ONE)
unary("sqrt", "fc", 0.0, 100.0, numexpr="sqrt(x)")
unary("reciprocal", "fc", 0.5, 100.0)
unary("cbrt", "f", *WIDE)
unary("exp", "fc", -20.0, 20.0, numexpr="exp(x)")
unary("exp2", "f", -20.0, 20.0)
unary("expm1", "fc", *SMALL, numexpr="expm1(x)")
unary("log", "fc", *POSITIVE, numexpr="log(x)")
unary("log10", "fc", *POSITIVE, numexpr="log10(x)")
unary("log1p", "fc", *POSITIVE, numexpr="log1p(x)")
unary("log2", "fc", *POSITIVE)
unary("sin", "f", *WIDE, numexpr="sin(x)")
unary("sin", "c", *SMALL, numexpr="sin(x)")
unary("cos", "f", *WIDE, numexpr="cos(x)")
unary("cos", "c", *SMALL, numexpr="cos(x)")
unary("tan", "fc", *SMALL, numexpr="tan(x)")
unary("sinh", "fc", *SMALL, numexpr="sinh(x)")
unary("cosh", "fc", *SMALL, numexpr="cosh(x)")
unary("tanh", "fc", *SMALL, numexpr="tanh(x)")
unary("asin", "fc", *UNIT, numexpr="arcsin(x)")
unary("acos", "fc", *UNIT, numexpr="arccos(x)")
unary("atan", "fc", *WIDE, numexpr="arctan(x)")
unary("asinh", "fc", *WIDE, numexpr="arcsinh(x)")
unary("acosh", "fc", 1.0, 100.0, numexpr="arccosh(x)")
unary("atanh", "fc", *UNIT, numexpr="arctanh(x)")
unary("floor", "f", *WIDE, numexpr="floor(x)")
unary("ceil", "f", *WIDE, numexpr="ceil(x)")
unary("trunc", "f", *WIDE)
unary("round", "fc", *WIDE)
unary("isnan isinf isfinite", "fc", *WIDE)
unary("signbit", "f", *WIDE)
unary("logical_not", "bf", *WIDE)
unary("bitwise_invert", "bi", *WIDE)
case("where", "elementwise", {"c": of("bool", 0, 1), "x": within(*WIDE), "y": within(*WIDE)}, dtypes="fic", layouts=MORE,
     numexpr="where(c, x, y)")  # fmt: skip
unary("rint", "f", *WIDE)
unary("angle", "fc", *WIDE)
unary("radians degrees deg2rad rad2deg sinc i0", "f", *SMALL)
unary("bitwise_count", "i", 0, 1000)
binary("fmax fmin heaviside", "f", WIDE, WIDE)
binary("fmod", "fi", WIDE, (1.0, 100.0))
binary("gcd lcm", "i", (1, 1000), (1, 1000))
binary("xlogy", "f", (0.1, 4.0), (0.1, 4.0), peer="np.where(x == 0, 0.0, x * np.log(y))")
unary("logit", "f", 0.01, 0.99, peer="np.log(x / (1 - x))")
unary("erfinv gamma", "f", 0.1, 0.9, peer=None)
binary("isclose", "f", WIDE, WIDE)
binary("divmod", "fi", WIDE, (1.0, 100.0))
case("around", "elementwise", {"x": within(*WIDE)}, "xp.around(x, 2)", layouts=ONE)
unary("nan_to_num frexp modf", "f", *WIDE)
case("ldexp", "elementwise", {"x": within(*WIDE), "e": of("int32", -8, 8)}, layouts=ONE)
case("polyval", "elementwise", {"x": within(*UNIT)}, "xp.polyval(xp.asarray([0.5, 2.0, -1.0, 3.0]), x)", layouts=ONE, exact=False)
case("clip", "elementwise", {"x": within(*WIDE)}, "xp.clip(x, -50, 50)", dtypes="fi", layouts=ONE)
case("fma", "elementwise", {"x": within(*SMALL), "y": within(*SMALL), "z": within(*SMALL)}, peer="np.add(np.multiply(x, y), z)",
     layouts=MORE, numexpr="x * y + z", exact=False)  # fmt: skip
case("lerp", "elementwise", {"x": within(*SMALL), "y": within(*SMALL), "w": within(0.0, 1.0)}, peer="x + w * (y - x)",
     layouts=MORE, numexpr="x + w * (y - x)", exact=False)  # fmt: skip
unary("erf erfc lgamma digamma gelu", "f", 0.1, 4.0, peer=None)
unary("sigmoid", "f", *SMALL, peer="1 / (1 + np.exp(-x))", numexpr="1 / (1 + exp(-x))")
unary("softplus", "f", *SMALL, peer="np.logaddexp(x, 0)", numexpr="log1p(exp(x))")
unary("silu", "f", *SMALL, peer="x / (1 + np.exp(-x))", numexpr="x / (1 + exp(-x))")
unary("relu", "f", *SMALL, peer="np.maximum(x, 0)")


def reduction(names, dtypes, low, high, **facts):
    for name in names.split():
        case(name, "reduction", {"x": within(low, high)}, dtypes=dtypes, layouts=AXES, **facts)


reduction("sum", "fic", *WIDE, numexpr="sum(x{axis})")
reduction("prod", "fic", 0.99, 1.01, numexpr="prod(x{axis})")
reduction("min max", "fi", *WIDE)
reduction("mean", "fic", *WIDE)
reduction("var std", "fc", *WIDE)
reduction("any", "bf", 0.0, 0.0)
reduction("all", "bf", 1.0, 1.0)
reduction("count_nonzero", "bfi", -2.0, 2.0)
reduction("argmin argmax", "fi", *WIDE)
for name in ("cumulative_sum", "cumulative_prod"):
    low, high = WIDE if name == "cumulative_sum" else (0.99, 1.01)
    case(name, "scan", {"x": within(low, high)}, dtypes="fic", layouts=AXES)
case("diff", "scan", {"x": within(*WIDE)}, dtypes="fic", layouts=AXES)
reduction("logsumexp", "f", *SMALL, peer="np.logaddexp.reduce(x{axis})")
reduction("nansum nanprod nanmean nanmin nanmax nanvar nanstd nanargmin nanargmax", "f", 0.9, 1.1)
reduction("ptp average median", "f", *WIDE)
case("percentile", "reduction", {"x": within(*WIDE)}, "xp.percentile(x, 30.0)", layouts=ONE)
case("quantile", "reduction", {"x": within(*WIDE)}, "xp.quantile(x, 0.3)", layouts=ONE)
case("softmax", "reduction", {"x": rows_of(64)}, "fl.softmax(x, axis=-1)",
     "(lambda e: e / e.sum(axis=-1, keepdims=True))(np.exp(x - x.max(axis=-1, keepdims=True)))")  # fmt: skip
case("log_softmax", "reduction", {"x": rows_of(64)}, "fl.log_softmax(x, axis=-1)",
     "(lambda s: s - np.log(np.exp(s).sum(axis=-1, keepdims=True)))(x - x.max(axis=-1, keepdims=True))")  # fmt: skip

for name, peer in dict(cumulative_max="maximum", cumulative_min="minimum").items():
    case(name, "scan", {"x": within(*WIDE)}, f"fl.{name}(x{{axis}})", f"np.{peer}.accumulate(x{{axis}})", dtypes="fi", layouts=AXES)
case("trapezoid", "scan", {"x": within(*WIDE)}, dtypes="f", layouts=ONE, exact=False)
case("cov", "scan", {"x": rows_of(1)}, "xp.cov(x.reshape((10, -1)))", dtypes="f", exact=False)
case("corrcoef", "scan", {"x": rows_of(1)}, "xp.corrcoef(x.reshape((10, -1)))", dtypes="f", exact=False)
case("convolve", "scan", {"x": within(*UNIT), "k": fixed(within(*UNIT), lambda n: 9)}, dtypes="f", exact=False)
case("correlate", "scan", {"x": within(*UNIT), "k": fixed(within(*UNIT), lambda n: 9)}, dtypes="f", exact=False)
case("array_equal", "reduction", {"x": within(*WIDE)}, "xp.array_equal(x, x + 0)", dtypes="fi", layouts=ONE)
case("allclose", "reduction", {"x": within(*WIDE)}, "xp.allclose(x, x)", dtypes="f", layouts=ONE)

for name in ("sort", "argsort"):
    for label, ours, kind in (("stable", "", ", kind='stable'"), ("unstable", ", stable=False", "")):
        case(name, "sorting", {"x": within(-1e6, 1e6)}, f"fl.{name}(x{ours}{{axis}})", f"np.{name}(x{kind}{{axis}})", dtypes="fi",
             layouts=AXES, label=label, exact=label == "stable" or name == "sort")  # fmt: skip
case("searchsorted", "sorting", {"x": fixed(increasing), "v": within(-1e6, 1e6)}, "xp.searchsorted(x, v)", dtypes="fi", layouts=ONE)
case("topk", "sorting", {"x": within(-1e6, 1e6)}, "fl.topk(x, 10)", "np.partition(x, -10)[-10:]", dtypes="fi", layouts=ONE, exact=False)
case("top_k", "sorting", {"x": within(-1e6, 1e6)}, "fl.top_k(x, 10)", "np.partition(x, -10)[-10:]", dtypes="fi", layouts=ONE, exact=False)
for name in ("unique_values", "unique_counts", "unique_inverse", "unique_all"):
    ordered = name != "unique_values"  # NumPy's come in any order.
    case(name, "sorting", {"x": repeating(4)}, dtypes="fi", layouts=ONE, exact=ordered)
    case(name, "sorting", {"x": repeating(100)}, dtypes="i", label="of few values", exact=ordered)
case("isin", "sorting", {"x": repeating(4), "y": fixed(repeating(1), lambda n: max(n // 10, 1))}, dtypes="fi", layouts=ONE)
case("partition", "sorting", {"x": within(-1e6, 1e6)}, "xp.sort(xp.partition(x, 50)[:50])", dtypes="f", layouts=ONE)
case("argpartition", "sorting", {"x": within(-1e6, 1e6)}, "xp.argpartition(x, 50)", dtypes="f", layouts=ONE, exact=False)
case("digitize", "sorting", {"x": within(-1e6, 1e6), "b": fixed(increasing, lambda n: 50)}, dtypes="f", layouts=ONE)
case("histogram", "sorting", {"x": within(-1.0, 1.0)}, "xp.histogram(x, 20)", dtypes="f", layouts=ONE)
case("bincount", "sorting", {"x": of("int64", 0, 100)}, dtypes="f", layouts=ONE)
case("interp", "sorting", {"x": within(-1e6, 1e6), "p": fixed(increasing, lambda n: 50), "q": fixed(within(*WIDE), lambda n: 50)},
     dtypes="f", layouts=ONE, exact=False)  # fmt: skip
for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
    case(name, "sorting", {"x": repeating(4), "y": fixed(repeating(4))}, dtypes="fi")
case("argwhere", "indexing", {"x": within(-2, 2)}, dtypes="bf", layouts=ONE)
case("flatnonzero", "indexing", {"x": within(-2, 2)}, dtypes="bf", layouts=ONE)
case("nonzero", "indexing", {"x": within(-2, 2)}, dtypes="bfi", layouts=ONE)
case("take", "indexing", {"x": within(*WIDE), "i": fixed(positions)}, dtypes="fic", layouts=ONE)
case("take", "indexing", {"x": rows_of(64), "i": fixed(positions, lambda n: max(n // 64, 1))}, "xp.take(x, i, axis=0)",
     dtypes="f", label="of rows")  # fmt: skip
case("take_along_axis", "indexing", {"x": within(*WIDE), "i": fixed(positions)}, dtypes="fi", layouts=ONE)
case("put", "indexing", {"x": within(*WIDE), "i": fixed(positions), "v": within(*WIDE)}, "fl.put(x, i, v)",
     "(lambda y: (y.put(i, v), y)[1])(x.copy())", exact=False)  # fmt: skip
case("repeat", "indexing", {"x": within(*WIDE)}, "xp.repeat(x, 3)", dtypes="fi", layouts=ONE)
case("tile", "indexing", {"x": within(*WIDE)}, "xp.tile(x, 3)", "np.tile(x, (3,))", dtypes="fi", layouts=ONE)
case("roll", "indexing", {"x": within(*WIDE)}, "xp.roll(x, 7)", dtypes="fic", layouts=ONE)
case("flip", "indexing", {"x": within(*WIDE)}, dtypes="f", layouts=ONE)
case("concat", "indexing", {"x": within(*WIDE), "y": within(*WIDE)}, "xp.concat([x, y])", dtypes="fic", layouts=ONE)
case("stack", "indexing", {"x": within(*WIDE), "y": within(*WIDE)}, "xp.stack([x, y])", dtypes="fic", layouts=ONE)
case("unstack", "indexing", {"x": rows_of(1)}, "xp.unstack(x.reshape((10, -1)))", dtypes="f")
case("meshgrid", "indexing", {"x": within(*WIDE)}, "xp.meshgrid(x[:10], x)", dtypes="f", sizes=(100, 10_000))
case("append", "indexing", {"x": within(*WIDE), "y": within(*WIDE)}, dtypes="f", layouts=ONE)
for name, parts in dict(array_split=7, split=10).items():
    case(name, "indexing", {"x": within(*WIDE)}, f"xp.{name}(x, {parts})", dtypes="f")
for name in ("column_stack", "dstack", "hstack", "vstack"):
    case(name, "indexing", {"x": within(*WIDE), "y": within(*WIDE)}, f"xp.{name}([x, y])", dtypes="f", layouts=ONE)
case("pad", "indexing", {"x": rows_of(10)}, "xp.pad(x, 2)", dtypes="f")
case("ravel", "indexing", {"x": square("normal")}, dtypes="f", layouts=MATRIX)
case("swapaxes", "indexing", {"x": square("normal")}, "xp.swapaxes(x, 0, 1)", dtypes="f")
for name in ("tril", "triu"):
    case(name, "indexing", {"x": square("normal")}, dtypes="fic", layouts=MATRIX)
case("reshape", "indexing", {"x": within(*WIDE)}, "xp.reshape(x, (-1, 10))", dtypes="f", layouts=ONE)
case("expand_dims", "indexing", {"x": within(*WIDE)}, "xp.expand_dims(x, axis=0)", dtypes="f")
case("squeeze", "indexing", {"x": rows_of(1)}, "xp.squeeze(x, axis=1)", dtypes="f")
case("permute_dims", "indexing", {"x": square("normal")}, "xp.permute_dims(x, (1, 0))", dtypes="f")
case("transpose", "indexing", {"x": square("normal")}, dtypes="f")
case("matrix_transpose", "indexing", {"x": square("normal")}, dtypes="f")
case("moveaxis", "indexing", {"x": square("normal")}, "xp.moveaxis(x, 0, 1)", dtypes="f")
case("broadcast_to", "indexing", {"x": within(*WIDE)}, "xp.broadcast_to(x, (3, x.size))", dtypes="f")
case("broadcast_arrays", "indexing", {"x": within(*WIDE), "y": fixed(within(*WIDE), lambda n: 1)}, "xp.broadcast_arrays(x, y)", dtypes="f")
case("broadcast_shapes", "indexing", {}, "xp.broadcast_shapes((3, 1), (4,))", sizes=(100,))

case("astype", "creation", {"x": within(*WIDE)}, "xp.astype(x, xp.float64)", dtypes="i", layouts=ONE, label="to f64")
case("astype", "creation", {"x": within(*WIDE)}, "xp.astype(x, xp.int32)", dtypes="f", layouts=ONE, label="to i32")
case("asarray", "creation", {"x": within(*WIDE)}, "xp.asarray(x, copy=True)", dtypes="fic", layouts=ONE, label="copy")
case("array", "creation", {"x": within(*WIDE)}, "xp.array([1.0, 2.0, 3.0])", dtypes="f", sizes=(100,), label="of a list")
for name in ("zeros", "ones", "empty"):
    case(name, "creation", {"x": within(*WIDE)}, f"xp.{name}(x.shape, dtype=x.dtype)", dtypes="fc", exact=name != "empty")
    case(name + "_like", "creation", {"x": within(*WIDE)}, dtypes="fc", layouts=ONE, exact=name != "empty")
case("full", "creation", {"x": within(*WIDE)}, "xp.full(x.shape, 3, dtype=x.dtype)", dtypes="fc")
case("full_like", "creation", {"x": within(*WIDE)}, "xp.full_like(x, 3)", dtypes="fc", layouts=ONE)
case("arange", "creation", {"x": within(*WIDE)}, "xp.arange(0, x.size, 1, dtype=x.dtype)", dtypes="fi")
case("linspace", "creation", {"x": within(*WIDE)}, "xp.linspace(0.0, 1.0, x.size, dtype=x.dtype)", dtypes="f", exact=False)
case("geomspace", "creation", {"x": within(*WIDE)}, "xp.geomspace(1.0, 1000.0, x.size)", dtypes="f", exact=False)
case("logspace", "creation", {"x": within(*WIDE)}, "xp.logspace(0.0, 3.0, x.size)", dtypes="f", exact=False)
case("identity", "creation", {"x": square("normal")}, "xp.identity(x.shape[0], dtype=x.dtype)", dtypes="f")
case("eye", "creation", {"x": square("normal")}, "xp.eye(x.shape[0], dtype=x.dtype)", dtypes="f")

for m in (64, 256, 1024):
    case("matmul", "linalg", {"a": shaped(m, m), "b": shaped(m, m)}, dtypes="f", sizes=(m * m,), label=f"{m}", exact=False)
case("matmul", "linalg", {"a": shaped(256, 256), "b": shaped(256, 256)}, dtypes="c", sizes=(65536,), label="256", exact=False)
case("matmul", "linalg", {"a": shaped(1, 1024), "b": shaped(1024, 1024)}, dtypes="f", sizes=(1 << 20,), label="1xN", exact=False)
case("matmul", "linalg", {"a": shaped(1024, 1024), "b": shaped(1024, 1)}, dtypes="f", sizes=(1 << 20,), label="Nx1", exact=False)
case("matmul", "linalg", {"a": shaped(256, 256), "b": shaped(256, 256)}, "xp.matmul(a.T, b)", dtypes="f", sizes=(65536,),
     label="256 transposed", exact=False)  # fmt: skip
case("matmul", "linalg", {"a": shaped(256, 256), "b": shaped(256, 256)}, "xp.matmul(a, b.T)", dtypes="f", sizes=(65536,),
     label="256 by transposed", exact=False)  # fmt: skip
case("matmul", "linalg", {"a": shaped(1000, 8, 8), "b": shaped(1000, 8, 8)}, dtypes="f", sizes=(64_000,), label="batch of 8x8", exact=False)
case("matmul", "linalg", {"x": within(*UNIT), "y": within(*UNIT)}, "xp.matmul(x, y)", dtypes="fc", layouts=ONE, label="dot", exact=False)
