//! Calls of structured functions, as `freelane eval` reads them, over arrays by name.
use freelane::{Array, DType, OpsError, Value, function::Kind};
use freelane_testing::values;
use std::collections::BTreeMap;

/// Calls by function. A name may stand more than once.
pub const SAMPLES: &[(&str, &[&str])] = &[
    ("allclose", &["allclose(x, y)"]),
    ("angle", &["angle(c)"]),
    ("append", &["append(x, y, axis=0)", "append(v, 7)"]),
    ("arange", &["arange(3.0, 70000.0)"]),
    ("argpartition", &["argpartition(v, 20)", "argpartition(x, 3, axis=0)"]),
    ("argsort", &["argsort(x)", "argsort(v, descending=True)", "argsort(n, axis=0, stable=False)"]),
    ("argwhere", &["argwhere(b)"]),
    ("around", &["around(x, 2)"]),
    ("array_equal", &["array_equal(x, y)"]),
    ("array_split", &["array_split(v, 3)"]),
    ("astype", &["astype(x, float32)", "astype(n, float64)"]),
    ("average", &["average(x, 0)", "average(v, weights=w)", "average(x, weights=y)", "average(v)"]),
    ("bincount", &["bincount(k[0])", "bincount(k[0], x[0])"]),
    ("broadcast_arrays", &["broadcast_arrays(x, y[0])"]),
    ("broadcast_to", &["broadcast_to(v, (3, v.size))"]),
    ("clip", &["clip(x, 0.5, 1.5)", "clip(x, y, y + 1)"]),
    ("column_stack", &["column_stack([v, w])"]),
    ("concat", &["concat([x, y], axis=1)"]),
    ("convolve", &["convolve(v, w[:9])", "convolve(w[:5], v, mode='same')"]),
    ("corrcoef", &["corrcoef(x[:9])"]),
    ("correlate", &["correlate(v, w[:9])"]),
    ("cov", &["cov(x[:9])"]),
    ("cross", &["cross(x[:, :3], y[:, :3])"]),
    ("cumulative_max", &["cumulative_max(x, axis=0)"]),
    ("cumulative_min", &["cumulative_min(v)"]),
    ("cumulative_prod", &["cumulative_prod(x, axis=0)", "cumulative_prod(x / 3 + 0.5, axis=1)"]),
    (
        "cumulative_sum",
        &[
            "cumulative_sum(x, axis=0)",
            "cumulative_sum(x, axis=1, include_initial=True)",
            "cumulative_sum(v)",
            "cumulative_sum(n, axis=1, dtype=float32)",
            "cumulative_sum(c, axis=0)",
        ],
    ),
    ("diagonal", &["diagonal(x, offset=1)"]),
    ("diff", &["diff(x)", "diff(x, axis=0, n=2)", "diff(v, prepend=w[:1])"]),
    ("digitize", &["digitize(x, sort(y[0]))"]),
    ("divmod", &["divmod(x, y)"]),
    ("dot", &["dot(x, y.T[:, :9])"]),
    ("dstack", &["dstack([x, y])"]),
    ("einsum", &["einsum('ij,kj->ik', x[:20], y[:20])", "einsum('ij->j', x)", "einsum('ij,jk,kl->il', m, s, r)"]),
    ("expand_dims", &["expand_dims(x, axis=1)"]),
    ("eye", &["eye(5, 7, k=1)"]),
    ("flatnonzero", &["flatnonzero(b)"]),
    ("flip", &["flip(x)", "flip(x, axis=1)"]),
    ("frexp", &["frexp(x)"]),
    ("full", &["full((3, 4), 2.5)"]),
    ("full_like", &["full_like(x, 2.5)"]),
    ("geomspace", &["geomspace(1.0, 1000.0, 31)"]),
    ("histogram", &["histogram(x)", "histogram(x, 7, density=True)", "histogram(x, sort(y[0]), weights=y)"]),
    ("hstack", &["hstack([x, y])"]),
    ("identity", &["identity(7)"]),
    ("imag", &["imag(c)"]),
    ("inner", &["inner(x, y[:9])"]),
    ("interp", &["interp(x, sort(v), w)"]),
    ("intersect1d", &["intersect1d(n, k)"]),
    ("isclose", &["isclose(x, y)"]),
    ("isin", &["isin(n, k[0])", "isin(x, y[0])"]),
    ("kron", &["kron(x[:9], y[:2, :3])"]),
    ("ldexp", &["ldexp(x, n % 5)"]),
    ("linspace", &["linspace(0.0, 1.0, 70001)"]),
    ("log_softmax", &["log_softmax(x)", "log_softmax(x, axis=0)"]),
    ("logspace", &["logspace(0.0, 1.0, 31)"]),
    (
        "logsumexp",
        &["logsumexp(x)", "logsumexp(x, axis=0)", "logsumexp(x, axis=1, keepdims=True)", "logsumexp(x, axis=1)"],
    ),
    ("matmul", &["matmul(x, y.T[:, :9])", "matmul(t, t)", "matmul(x, y[0])", "matmul(v, w)", "matmul(c[:9], c[:9].T)"]),
    ("matrix_transpose", &["matrix_transpose(x)"]),
    ("median", &["median(x)", "median(x, axis=0)"]),
    ("meshgrid", &["meshgrid(x[0], y[1])"]),
    ("modf", &["modf(x)"]),
    ("moveaxis", &["moveaxis(t, 0, 2)"]),
    ("nan_to_num", &["nan_to_num(x)"]),
    ("nanargmax", &["nanargmax(sqrt(x - 0.3), axis=0)", "nanargmax(x, axis=0)"]),
    ("nanargmin", &["nanargmin(sqrt(v - 0.3))", "nanargmin(x, axis=1)"]),
    ("nanmax", &["nanmax(sqrt(x - 0.3), axis=1)", "nanmax(x, axis=0)"]),
    ("nanmean", &["nanmean(sqrt(x - 0.3), axis=0)", "nanmean(n)", "nanmean(x, axis=1)"]),
    ("nanmin", &["nanmin(log(x - 0.3), axis=0)", "nanmin(x)"]),
    ("nanprod", &["nanprod(sqrt(x - 0.3), axis=0)", "nanprod(x, axis=1)"]),
    ("nanstd", &["nanstd(sqrt(x - 0.3), axis=1)", "nanstd(x, axis=0)"]),
    ("nansum", &["nansum(sqrt(x - 0.3), axis=0)", "nansum(log(v - 0.3))", "nansum(x)"]),
    ("nanvar", &["nanvar(sqrt(x - 0.3), axis=0)", "nanvar(x, axis=1)"]),
    ("nonzero", &["nonzero(b)", "nonzero(x)"]),
    ("ones", &["ones((3, 4))"]),
    ("ones_like", &["ones_like(x)"]),
    ("outer", &["outer(x[0], y[1])"]),
    ("pad", &["pad(x, 2)"]),
    ("partition", &["partition(v, 20)", "partition(x, 3, axis=0)"]),
    ("percentile", &["percentile(x, 30.0, axis=1)"]),
    ("permute_dims", &["permute_dims(t, (2, 0, 1))"]),
    ("polyval", &["polyval([1.0, -2.0, 0.5], x)"]),
    ("ptp", &["ptp(x, axis=0)", "ptp(v)", "ptp(x, axis=1)"]),
    ("put", &["put(v, k[0], w)", "put(x, i, 3.5)"]),
    ("quantile", &["quantile(x, [0.1, 0.9], axis=0)"]),
    ("ravel", &["ravel(x)"]),
    ("real", &["real(c)"]),
    ("repeat", &["repeat(x, 3, axis=0)", "repeat(v, 2)", "repeat(x, k[0] % 3, axis=1)"]),
    ("reshape", &["reshape(x, (-1,))"]),
    ("roll", &["roll(x, 3, axis=1)", "roll(v, -5)"]),
    ("searchsorted", &["searchsorted(sort(v), w)"]),
    ("setdiff1d", &["setdiff1d(n, k)"]),
    ("setxor1d", &["setxor1d(n, k)"]),
    ("softmax", &["softmax(x)", "softmax(x, axis=0)", "softmax(n / 100, axis=1)"]),
    ("sort", &["sort(x)", "sort(v, descending=True)", "sort(n, axis=0, stable=False)"]),
    ("split", &["split(x[:4], 2)"]),
    ("squeeze", &["squeeze(x[:1], axis=0)"]),
    ("stack", &["stack([x, y], axis=1)"]),
    ("swapaxes", &["swapaxes(t, 0, 2)"]),
    ("take", &["take(x, i, axis=0)", "take(v, k)"]),
    ("take_along_axis", &["take_along_axis(x, k, axis=1)"]),
    ("tensordot", &["tensordot(x, y, axes=2)", "tensordot(t, m, axes=1)"]),
    ("tile", &["tile(x, (2, 1))"]),
    ("topk", &["topk(v, 20)", "topk(x, 3, axis=0, largest=False)"]),
    ("trace", &["trace(x)"]),
    ("transpose", &["transpose(x)", "transpose(t, (1, 0, 2))"]),
    ("trapezoid", &["trapezoid(x)", "trapezoid(v, sqrt(w))"]),
    ("tril", &["tril(x, k=2)"]),
    ("triu", &["triu(x)"]),
    ("union1d", &["union1d(n, k)"]),
    ("unique_all", &["unique_all(n)", "unique_all(c)"]),
    ("unique_counts", &["unique_counts(n)", "unique_counts(x)"]),
    ("unique_inverse", &["unique_inverse(k)"]),
    ("unique_values", &["unique_values(n)", "unique_values(c)"]),
    ("unstack", &["unstack(x)"]),
    ("vecdot", &["vecdot(x, y)", "vecdot(x, y, axis=0)"]),
    ("vstack", &["vstack([x, y])"]),
    ("zeros", &["zeros((3, 4))"]),
    ("zeros_like", &["zeros_like(x)"]),
    ("fft.fft", &["fft.fft(x)", "fft.fft(c, axis=0)"]),
    ("fft.fft2", &["fft.fft2(x)"]),
    ("fft.fftfreq", &["fft.fftfreq(9)"]),
    ("fft.fftn", &["fft.fftn(c)"]),
    ("fft.fftshift", &["fft.fftshift(x)"]),
    ("fft.hfft", &["fft.hfft(c)"]),
    ("fft.ifft", &["fft.ifft(c)"]),
    ("fft.ifft2", &["fft.ifft2(c)"]),
    ("fft.ifftn", &["fft.ifftn(t)"]),
    ("fft.ifftshift", &["fft.ifftshift(x)"]),
    ("fft.ihfft", &["fft.ihfft(x)"]),
    ("fft.irfft", &["fft.irfft(c)"]),
    ("fft.irfft2", &["fft.irfft2(c)"]),
    ("fft.irfftn", &["fft.irfftn(t)"]),
    ("fft.rfft", &["fft.rfft(x)", "fft.rfft(v)"]),
    ("fft.rfft2", &["fft.rfft2(x)"]),
    ("fft.rfftfreq", &["fft.rfftfreq(9)"]),
    ("fft.rfftn", &["fft.rfftn(x)"]),
    ("linalg.cholesky", &["linalg.cholesky(s)"]),
    ("linalg.cond", &["linalg.cond(m)"]),
    ("linalg.cross", &["linalg.cross(x[:, :3], y[:, :3])"]),
    ("linalg.det", &["linalg.det(m / m[0, 0])"]),
    ("linalg.diagonal", &["linalg.diagonal(t)"]),
    ("linalg.eig", &["linalg.eig(m)"]),
    ("linalg.eigh", &["linalg.eigh(s)"]),
    ("linalg.eigvals", &["linalg.eigvals(m)"]),
    ("linalg.eigvalsh", &["linalg.eigvalsh(s)"]),
    ("linalg.inv", &["linalg.inv(m)"]),
    ("linalg.lstsq", &["linalg.lstsq(m, r)"]),
    ("linalg.matmul", &["linalg.matmul(t, t)"]),
    ("linalg.matrix_norm", &["linalg.matrix_norm(t)", "linalg.matrix_norm(m, ord=2)"]),
    ("linalg.matrix_power", &["linalg.matrix_power(m / m[0, 0], 5)"]),
    ("linalg.matrix_rank", &["linalg.matrix_rank(m)"]),
    ("linalg.matrix_transpose", &["linalg.matrix_transpose(t)"]),
    ("linalg.multi_dot", &["linalg.multi_dot([m, s, r])"]),
    ("linalg.norm", &["linalg.norm(x)", "linalg.norm(m, ord=1)", "linalg.norm(t, axis=1)"]),
    ("linalg.outer", &["linalg.outer(x[0], y[1])"]),
    ("linalg.pinv", &["linalg.pinv(m)"]),
    ("linalg.qr", &["linalg.qr(m)"]),
    ("linalg.slogdet", &["linalg.slogdet(m)"]),
    ("linalg.solve", &["linalg.solve(m, r)"]),
    ("linalg.solve_triangular", &["linalg.solve_triangular(triu(m), r)"]),
    ("linalg.svd", &["linalg.svd(m, full_matrices=False)"]),
    ("linalg.svdvals", &["linalg.svdvals(m)"]),
    ("linalg.tensordot", &["linalg.tensordot(t, m, axes=1)"]),
    ("linalg.trace", &["linalg.trace(t)"]),
    ("linalg.vecdot", &["linalg.vecdot(x, y)"]),
    ("linalg.vector_norm", &["linalg.vector_norm(x)", "linalg.vector_norm(v, ord=1)"]),
    ("random.binomial", &["random.binomial((300, 401), 40, 0.3, seed=7)"]),
    ("random.bits", &["random.bits((300, 401), seed=7)"]),
    ("random.child_seeds", &["random.child_seeds(9, seed=7)"]),
    ("random.choice", &["random.choice(v, (300, 7), seed=7)"]),
    ("random.exponential", &["random.exponential((300, 401), seed=7)"]),
    ("random.integers", &["random.integers((300, 401), -5, 1000, seed=7)"]),
    ("random.normal", &["random.normal((300, 401), seed=7)", "random.normal((300, 401), seed=7, dtype=float32)"]),
    ("random.permutation", &["random.permutation(v, seed=7)"]),
    ("random.poisson", &["random.poisson((300, 401), 3.5, seed=7)"]),
    ("random.random", &["random.random((300, 401), seed=7)"]),
    ("random.uniform", &["random.uniform((300, 401), -1.0, 2.0, seed=7)"]),
];

/// Functions whose results are not theirs to promise.
pub const UNSPECIFIED: &[&str] = &["empty", "empty_like"];

/// The arrays that samples name. `x`, `y`, `c` (complex), `b` (boolean), `k` and `n` (integers) have the shape given; `v` and
/// `w` are as many in a row; `i` numbers rows; `m` is a regular matrix, `s` symmetric and positive definite, `r` has as many
/// rows, `t` is a batch of matrices.
pub fn arrays(rows: usize, columns: usize) -> Result<BTreeMap<String, Array>, OpsError> {
    let shape = [rows, columns];
    let real = |shape: &[usize], seed| values(shape, DType::F64, (0.1, 2.1), seed);
    let below = |shape: &[usize], n: usize, seed| values(shape, DType::I64, (0.0, n as f64), seed);
    let side = rows.min(40);
    let m = real(&[side, side], 5)?.add(&Array::eye(side, side, 0, DType::F64)?.multiply(side as f64)?)?;
    let half = real(&[side, side], 6)?;
    let s = half.matmul(&half.t())?.add(&Array::eye(side, side, 0, DType::F64)?)?;
    let named = [
        ("x", real(&shape, 1)?),
        ("y", real(&shape, 2)?),
        ("c", values(&shape, DType::C128, (-1.0, 1.0), 3)?),
        ("b", values(&shape, DType::Bool, (0.0, 1.0), 4)?),
        ("k", below(&shape, columns, 7)?),
        ("n", values(&shape, DType::I64, (-1000.0, 1000.0), 8)?),
        ("i", below(&[rows + 3], rows, 9)?),
        ("v", real(&[rows * columns], 10)?),
        ("w", real(&[rows * columns], 11)?),
        ("m", m),
        ("s", s),
        ("r", real(&[side, 3], 12)?),
        ("t", real(&[4, side, side], 13)?),
    ];
    Ok(named.into_iter().map(|(name, array)| (name.to_owned(), array)).collect())
}

/// Every call: those above, and one of each function that takes operands and nothing else that it must be given.
pub fn calls() -> Vec<(String, String)> {
    let known = freelane::registry();
    let sampled =
        SAMPLES.iter().flat_map(|(name, calls)| calls.iter().map(|call| ((*name).to_owned(), (*call).to_owned())));
    let sampled = sampled.filter(|(name, _)| {
        let (namespace, own) = name.split_once('.').unwrap_or(("", name));
        known.get(namespace, own).is_some()
    });
    sampled.chain(freelane::functions().filter_map(|(namespace, f)| made_up(namespace, f))).collect()
}

/// A call of a row of elementwise functions or reductions.
fn made_up(namespace: &str, f: freelane::Function) -> Option<(String, String)> {
    let dtypes: Vec<DType> = match f {
        freelane::Function::UFunc(f) => f.dtypes().collect(),
        freelane::Function::Reduction(r, _) => r.dtypes().collect(),
        freelane::Function::Op(_) => return None,
    };
    let operands: &[&str] = if dtypes.contains(&DType::F64) { &["x", "y", "x + y"] } else { &["n", "k", "n"] };
    let count = f.params().iter().filter(|p| p.kind == Kind::Operand).count();
    let name = if namespace.is_empty() { f.name().to_owned() } else { format!("{namespace}.{}", f.name()) };
    let call = match f {
        freelane::Function::UFunc(f) if f.name == "where" => "where(b, x, y)".to_owned(),
        freelane::Function::Reduction(..) => format!("{name}(x, axis=0)"),
        _ => format!("{name}({})", operands[..count].join(", ")),
    };
    Some((name, call))
}

/// The arrays of a value, in order.
pub fn flat(value: Value) -> Vec<Array> {
    match value {
        Value::Array(array) => vec![array],
        Value::Tuple(items) => items.into_iter().flat_map(flat).collect(),
        Value::Scalar(s) => vec![Array::scalar(s).expect("one number")],
        _ => panic!("not an array"),
    }
}
