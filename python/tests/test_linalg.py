"""`freelane.linalg` and the products of the main namespace against NumPy: values, names of results, errors."""

import freelane as fl
import numpy as np
import pytest

RANDOM = np.random.default_rng(7)
L = fl.linalg
DTYPES = ["float32", "float64", "complex64", "complex128"]


def matrices(shape, dtype="float64"):
    x = RANDOM.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * RANDOM.normal(size=shape)
    return x.astype(dtype)


def positive(shape, dtype):
    x = matrices(shape, dtype)
    return x @ np.conj(np.swapaxes(x, -1, -2)) + np.eye(shape[-1], dtype=dtype)


def close(found, expected):
    found = np.asarray(found)
    assert found.shape == np.shape(expected)
    tolerance = 1e-3 if found.dtype.name in ("float32", "complex64") else 1e-10
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(4, 4), (2, 3, 5, 5), (0, 0), (2, 0, 0), (0, 3, 3)])
def test_square(shape, dtype):
    x = matrices(shape, dtype)
    p = positive(shape, dtype)
    for name in ("det", "inv"):
        close(getattr(L, name)(fl.asarray(x)), getattr(np.linalg, name)(x))
    for name in ("cholesky", "eigvalsh"):
        close(getattr(L, name)(fl.asarray(p)), getattr(np.linalg, name)(p))
    sign, log = L.slogdet(fl.asarray(x))
    close(sign, np.linalg.slogdet(x).sign)
    close(log, np.linalg.slogdet(x).logabsdet)
    b = matrices((*shape[:-1], 3), dtype)
    close(L.solve(fl.asarray(x), fl.asarray(b)), np.linalg.solve(x, b))
    close(L.matrix_power(fl.asarray(x), 3), np.linalg.matrix_power(x, 3))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(4, 4), (6, 3), (2, 3, 5), (3, 2, 4, 2)])
def test_any_matrix(shape, dtype):
    x = matrices(shape, dtype)
    ours = fl.asarray(x)
    close(L.svdvals(ours), np.linalg.svdvals(x))
    close(L.pinv(ours), np.linalg.pinv(x))
    close(L.matrix_rank(ours), np.linalg.matrix_rank(x))
    for order in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        close(L.matrix_norm(ours, ord=order), np.linalg.matrix_norm(x, ord=order))
        close(L.matrix_norm(ours, ord=order, keepdims=True), np.linalg.matrix_norm(x, ord=order, keepdims=True))
    for order in (0, 1, 2, 3, 0.5, -1, np.inf, -np.inf):
        for axis in (None, 0, -1, (0, 1)):
            if order == 0 and isinstance(axis, tuple):
                continue
            expected = np.linalg.vector_norm(x, ord=order, axis=axis)
            close(L.vector_norm(ours, ord=order, axis=axis), expected)
    close(L.trace(ours, offset=1), np.linalg.trace(x, offset=1))
    close(L.diagonal(ours, offset=-1), np.linalg.diagonal(x, offset=-1))


def test_results_have_names():
    x = fl.asarray(positive((3, 3), "float64"))
    assert L.eigh(x)[0].shape == L.eig(x)[0].shape == (3,)
    assert L.eigh(x).eigenvalues.shape == (3,)
    assert L.eig(x).eigenvectors.dtype == fl.complex128
    assert L.qr(x).Q.shape == L.qr(x).R.shape == (3, 3)
    assert L.svd(x, full_matrices=False).Vh.shape == (3, 3)
    assert L.slogdet(x).logabsdet.shape == ()
    assert L.lstsq(x, fl.asarray([1.0, 2.0, 3.0])).rank == 3


def test_tolerances_are_numbers_or_arrays():
    x = np.stack([np.diag([1.0, 0.1, 0.001]), np.diag([1.0, 0.5, 0.25])])
    assert L.matrix_rank(fl.asarray(x), rtol=0.01).tolist() == [2, 3]
    assert L.matrix_rank(fl.asarray(x), rtol=fl.asarray([0.5, 0.3])).tolist() == [1, 2]
    close(L.pinv(fl.asarray(x), rtol=0.01)[0], np.diag([1.0, 10.0, 0.0]))


def test_least_squares():
    a, b = matrices((7, 3)), matrices((7, 2))
    found, expected = L.lstsq(fl.asarray(a), fl.asarray(b)), np.linalg.lstsq(a, b)
    for one, other in zip(found, expected, strict=True):
        close(one, other)


def test_condition_and_chains():
    a = matrices((4, 4))
    for p in (None, 1, -1, 2, -2, np.inf, "fro"):
        close(L.cond(fl.asarray(a), p), np.linalg.cond(a, p))
    parts = [matrices((3, 9)), matrices((9, 2)), matrices((2, 8)), matrices((8,))]
    close(L.multi_dot([fl.asarray(p) for p in parts]), np.linalg.multi_dot(parts))


def test_norm_takes_what_numpy_takes():
    x = matrices((3, 4, 5))
    cases = [
        (x, {}),
        (x[0], {}),
        (x[0], {"ord": "nuc"}),
        (x[0], {"ord": 1, "keepdims": True}),
        (x[0, 0], {"ord": 3}),
        (x[0, 0], {"keepdims": True}),
        (x, {"axis": 1}),
        (x, {"ord": np.inf, "axis": -1, "keepdims": True}),
        (x, {"axis": (0, 2)}),
        (x, {"ord": 2, "axis": (2, 0), "keepdims": True}),
        (x, {"keepdims": True}),
    ]
    for array, options in cases:
        close(L.norm(fl.asarray(array), **options), np.linalg.norm(array, **options))
    for array, options in [(x, {"ord": 2}), (x[0, 0], {"ord": "fro"}), (x, {"axis": (0, 1, 2)})]:
        with pytest.raises(ValueError, match="norm: there is no such norm"):
            L.norm(fl.asarray(array), **options)


def test_errors():
    assert issubclass(L.LinAlgError, ValueError) and L.LinAlgError.__module__ == "freelane.linalg"
    with pytest.raises(L.LinAlgError, match="singular"):
        L.inv(fl.zeros((2, 2)))
    with pytest.raises(L.LinAlgError, match=r"square matrices, the array has shape \[2, 3\]"):
        L.det(fl.ones((2, 3)))
    with pytest.raises(L.LinAlgError, match="not positive definite"):
        L.cholesky(fl.asarray([[1.0, 2.0], [2.0, 1.0]]))
    with pytest.raises(L.LinAlgError, match="NaN"):
        L.eigvals(fl.asarray([[np.nan, 0.0], [0.0, 1.0]]))
    with pytest.raises(TypeError, match="astype"):
        L.svd(fl.ones((2, 2), dtype="float16"))
    with pytest.raises(ValueError, match="mode must be 'reduced' or 'complete'"):
        L.qr(fl.ones((2, 2)), mode="economic")
    with pytest.raises(ValueError, match="order"):
        L.matrix_norm(fl.ones((2, 2)), ord="max")


def operand(letters, sizes, dtype):
    """Random numbers in a random layout."""
    x = RANDOM.integers(-5, 6, size=[sizes[c] for c in letters]).astype(dtype)
    ours = fl.asarray(x)
    order = RANDOM.permutation(len(letters))
    turned = fl.permute_dims(fl.asarray(x.transpose(order).copy()), tuple(np.argsort(order).tolist()))
    flip = tuple(int(a) for a in np.flatnonzero(RANDOM.integers(0, 2, len(letters))))
    return x, [ours, turned, fl.flip(fl.asarray(np.flip(x, flip).copy()), axis=flip)][RANDOM.integers(3)]


def test_einsum_of_random_operands():
    for _ in range(300):
        sizes = dict(zip("abcdef", (int(n) for n in RANDOM.integers(1, 5, 6))))
        count = int(RANDOM.integers(1, 5))
        parts = ["".join(RANDOM.choice(list("abcdef"), RANDOM.integers(0, 4))) for _ in range(count)]
        used = sorted(set("".join(parts)))
        kept = "".join(c for c in RANDOM.permutation(used) if RANDOM.random() < 0.5) if used else ""
        text = ",".join(parts) + ("->" + kept if RANDOM.random() < 0.8 else "")
        dtype = str(RANDOM.choice(["int64", "float64", "float32", "complex128"]))
        pairs = [operand(p, sizes, dtype) for p in parts]
        expected = np.einsum(text, *[x for x, _ in pairs])
        found = np.asarray(fl.einsum(text, *[x for _, x in pairs]))
        assert found.shape == expected.shape and found.dtype == expected.dtype, text
        np.testing.assert_allclose(found, expected, rtol=1e-4, err_msg=text)


def test_matrix_products_of_random_batches():
    for _ in range(200):
        m, k, n = (int(x) for x in RANDOM.integers(0, 9, 3))
        batch = [int(x) for x in RANDOM.integers(1, 4, RANDOM.integers(0, 3))]
        one = [b if RANDOM.random() < 0.6 else 1 for b in batch]
        other = [b if RANDOM.random() < 0.6 else 1 for b in batch][int(RANDOM.integers(0, len(batch) + 1)) :]
        sizes = dict(zip("pq", batch))
        dtype = str(RANDOM.choice(["int32", "float64", "float32", "complex64", "complex128"]))
        x, ours = operand("abcd"[: len(one) + 2], dict(zip("abcd", [*one, m, k])), dtype)
        y, others = operand("abcd"[: len(other) + 2], dict(zip("abcd", [*other, k, n])), dtype)
        np.testing.assert_allclose(np.asarray(ours @ others), x @ y, rtol=1e-4, err_msg=f"{x.shape} {y.shape} {sizes}")


def test_a_broadcast_operand_is_not_repeated():
    x = fl.ones((3, 4))
    wide = fl.broadcast_to(x, (100_000, 3, 4))
    assert fl.matmul(wide, fl.ones((4, 2)))[99_999].tolist() == [[4.0, 4.0]] * 3
    zero = fl.broadcast_to(fl.asarray(2.0), (300, 500))
    assert (zero @ fl.broadcast_to(fl.asarray(3.0), (500, 20)))[7, 3].item() == 3000.0
