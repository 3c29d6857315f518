"""The table's rows of the namespaces `linalg`, `fft` and `random`, and of products of arrays."""
from operands import rows_of, shaped, square, within
from table import FLAT, MATRIX, ONE, UNIT, WIDE, case, fixed

MATRICES = (100, 10_000, 250_000)


def decomposition(name, kind="normal", dtypes="fc", expression=None, peer="same", **facts):
    facts = {"sizes": MATRICES, "exact": False} | facts
    case(f"linalg.{name}", "linalg", {"a": square(kind)}, expression, peer, dtypes=dtypes, **facts)


for prefix in ("", "linalg."):
    case(f"{prefix}vecdot", "linalg", {"x": within(*UNIT), "y": within(*UNIT)}, dtypes="fc", layouts=ONE, exact=False)
    case(f"{prefix}vecdot", "linalg", {"x": rows_of(64), "y": rows_of(64)}, dtypes="f", label="of rows", exact=False)
    case(f"{prefix}tensordot", "linalg", {"a": shaped(16, 16, 16), "b": shaped(16, 16, 16)}, dtypes="f", sizes=(4096,), exact=False)
case("linalg.matmul", "linalg", {"a": shaped(64, 64), "b": shaped(64, 64)}, dtypes="f", sizes=(4096,), exact=False)
case("linalg.matrix_transpose", "linalg", {"x": square("normal")}, dtypes="f")
case("linalg.outer", "linalg", {"x": within(*UNIT), "y": within(*UNIT)}, dtypes="fc", sizes=(10, 100, 1000), layouts=ONE)
case("linalg.cross", "linalg", {"x": rows_of(3), "y": rows_of(3)}, dtypes="fc", exact=False)
case("linalg.diagonal", "linalg", {"x": square("normal")}, dtypes="f")
case("linalg.trace", "linalg", {"x": square("normal")}, dtypes="fic", layouts=MATRIX, exact=False)
case("linalg.kron", "linalg", {"a": shaped(10, 10), "b": square("normal")}, "fl.linalg.kron(a, b)", "np.kron(a, b)", dtypes="f", sizes=(100, 10_000))
case("outer", "linalg", {"x": within(*UNIT), "y": within(*UNIT)}, dtypes="f", sizes=(10, 100, 1000))
case("cross", "linalg", {"x": rows_of(3), "y": rows_of(3)}, dtypes="f", exact=False)
case("diagonal", "linalg", {"x": square("normal")}, dtypes="f")
case("trace", "linalg", {"x": square("normal")}, dtypes="f", exact=False)
case("kron", "linalg", {"a": shaped(10, 10), "b": square("normal")}, dtypes="f", sizes=(100, 10_000))
case("dot", "linalg", {"a": shaped(64, 64), "b": shaped(64, 64)}, dtypes="f", sizes=(4096,), exact=False)
case("inner", "linalg", {"x": within(*UNIT), "y": within(*UNIT)}, dtypes="f", exact=False)
for formula in ("ij,jk->ik", "ij,kj->ik", "ij,ij->", "ij->ji", "ii->i", "ij->j", "bij,bjk->bik"):
    batch = formula.startswith("b")
    shape = (100, 16, 16) if batch else (128, 128)
    names = {"a": shaped(*shape)} | ({"b": shaped(*shape)} if "," in formula else {})
    call = f"einsum('{formula}', {', '.join(names)})"
    case("einsum", "linalg", names, f"fl.{call}", f"np.{call}", dtypes="f", sizes=(128 * 128,), label=formula, exact=False)
case("einsum", "linalg", {"a": shaped(64, 64), "b": shaped(64, 64), "c": shaped(64, 64)}, "fl.einsum('ij,jk,kl->il', a, b, c)",
     "np.einsum('ij,jk,kl->il', a, b, c, optimize=True)", dtypes="f", sizes=(4096,), label="chain", exact=False)  # fmt: skip
decomposition("cholesky", "definite")
decomposition("inv", "regular")
decomposition("det", "regular")
decomposition("slogdet", "regular")
decomposition("qr")
decomposition("svd", "normal", "f", "xp.linalg.svd(a, full_matrices=False)", sizes=(100, 10_000, 90_000))
decomposition("svdvals", "normal", "f", sizes=(100, 10_000, 90_000))
decomposition("eigh", "symmetric", "fc", sizes=(100, 10_000, 90_000))
decomposition("eigvalsh", "symmetric", "fc", sizes=(100, 10_000, 90_000))
decomposition("eig", "normal", "f", sizes=(100, 10_000))
decomposition("eigvals", "normal", "f", sizes=(100, 10_000))
decomposition("pinv", "regular", "f", sizes=(100, 10_000))
decomposition("matrix_rank", "regular", "f", sizes=(100, 10_000))
decomposition("matrix_norm", "normal", "fc")
decomposition("matrix_norm", "normal", "f", "xp.linalg.matrix_norm(a, ord=2)", sizes=(100, 10_000), label="2")
decomposition("matrix_power", "regular", "f", "xp.linalg.matrix_power(a, 5)")
case("linalg.solve", "linalg", {"a": square("regular"), "b": square("normal")}, dtypes="fc", sizes=MATRICES, exact=False)
case("linalg.solve", "linalg", {"a": square("regular"), "b": fixed(within(*UNIT), lambda n: int(n**0.5))}, dtypes="f", sizes=MATRICES,
     label="of a vector", exact=False)  # fmt: skip
case("linalg.lstsq", "linalg", {"a": rows_of(10), "b": fixed(within(*UNIT), lambda n: n // 10)}, dtypes="f", sizes=(100, 10_000, 100_000), exact=False)
decomposition("cond", "regular", "f", sizes=(100, 10_000))
case("linalg.multi_dot", "linalg", {"a": shaped(64, 64), "b": shaped(64, 64), "c": shaped(64, 8)}, "xp.linalg.multi_dot([a, b, c])",
     dtypes="f", sizes=(4096,), exact=False)  # fmt: skip
case("linalg.solve_triangular", "linalg", {"a": square("regular"), "b": square("normal")}, "fl.linalg.solve_triangular(fl.triu(a), b, upper=True)",
     "np.linalg.solve(np.triu(a), b)", dtypes="f", sizes=MATRICES, exact=False)  # fmt: skip
case("linalg.vector_norm", "linalg", {"x": within(*WIDE)}, dtypes="fc", layouts=ONE, exact=False)
case("linalg.norm", "linalg", {"x": within(*WIDE)}, dtypes="fc", layouts=ONE, exact=False)
case("linalg.vector_norm", "linalg", {"x": within(*WIDE)}, "xp.linalg.vector_norm(x, ord=1)", dtypes="f", label="1", exact=False)

for name, dtypes in dict(fft="fc", ifft="c", rfft="f", irfft="c", hfft="c", ihfft="f").items():
    case(f"fft.{name}", "fft", {"x": within(*UNIT)}, dtypes=dtypes, layouts=ONE, exact=False)
case("fft.fft", "fft", {"x": within(*UNIT)}, dtypes="c", sizes=(128, 1 << 14, 1 << 20), label="power of two", exact=False)
case("fft.fft", "fft", {"x": within(*UNIT)}, dtypes="c", sizes=(101, 10_007), label="prime", exact=False)
case("fft.fft", "fft", {"x": rows_of(64)}, dtypes="c", label="of rows", exact=False)
for name, dtypes in dict(fftn="c", ifftn="c", rfftn="f", irfftn="c", fft2="c", ifft2="c", rfft2="f", irfft2="c").items():
    case(f"fft.{name}", "fft", {"x": square("normal")}, dtypes=dtypes, exact=False)
for name in ("fftshift", "ifftshift"):
    case(f"fft.{name}", "fft", {"x": within(*UNIT)}, dtypes="fc", layouts=ONE)
for name in ("fftfreq", "rfftfreq"):
    case(f"fft.{name}", "fft", {"x": within(*UNIT)}, f"fl.fft.{name}(x.size)", f"np.fft.{name}(x.size)", dtypes="f", layouts=FLAT)
