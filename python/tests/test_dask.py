"""dask.array over our arrays: NumPy's results, and chunks that stay ours."""

import pytest

import freelane as fl

np = pytest.importorskip("numpy")
dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

try:
    da.register_chunk_type(fl.Array)
except AttributeError:
    from dask.array.chunk_types import register_chunk_type

    register_chunk_type(fl.Array)

A = np.random.default_rng(0).normal(size=(12, 10))
B = np.random.default_rng(1).normal(size=(10, 12))


def chunked(a, chunks=(5, 4)):
    return da.from_array(fl.asarray(a), chunks=chunks)


OPERATIONS = {
    "add": lambda x: x + x,
    "mul": lambda x: x * 2.5,
    "sin": lambda x: np.sin(x),
    "exp": lambda x: np.exp(x),
    "sum": lambda x: x.sum(axis=0),
    "mean": lambda x: x.mean(axis=1),
    "std": lambda x: x.std(axis=0),
    "max": lambda x: x.max(axis=1),
    "argmax": lambda x: x.argmax(axis=0),
    "slicing": lambda x: x[2:9, 1:7:2],
    "negative_step": lambda x: x[::-1, ::-2],
    "rechunk": lambda x: x.rechunk((12, 3)) if hasattr(x, "rechunk") else x,
    "concatenate": lambda x: np.concatenate([x, x + 1], axis=1),
    "stack": lambda x: np.stack([x, -x]),
    "transpose": lambda x: x.T,
    "reshape": lambda x: x.reshape((120,)),
    "astype": lambda x: x.astype("f4"),
    "where": lambda x: np.where(x > 0, x, 0.0),
}


def check(lazy, want):
    parts = lazy.persist(scheduler="threads")
    blocks = [parts.dask[key] for key in dask.core.flatten(parts.__dask_keys__())]
    assert {type(getattr(b, "value", b)) for b in blocks} == {fl.Array}
    got = lazy.compute(scheduler="threads")
    assert type(got) is fl.Array and np.asarray(got).dtype == want.dtype
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-12)


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name):
    check(OPERATIONS[name](chunked(A)), OPERATIONS[name](A))


def test_matmul():
    check(chunked(A) @ chunked(B, (4, 6)), A @ B)


def test_map_blocks():
    check(chunked(A).map_blocks(lambda b: b * b + 1), A * A + 1)


@pytest.mark.parametrize("name", ["sum", "mean", "std", "var", "max", "min", "prod", "argmin", "any", "all"])
def test_whole_reductions(name):
    check(getattr(chunked(A), name)(), np.asarray(getattr(A, name)()))


def test_more():
    x = chunked(A)
    check(x - x.mean(axis=0), A - A.mean(axis=0))
    check(da.tensordot(x, chunked(B, (4, 6)), axes=1), A @ B)
    check(da.einsum("ij,ij->i", x, x), np.einsum("ij,ij->i", A, A))
    check(x[[1, 5, 7]], A[[1, 5, 7]])
    check(x[:, None], A[:, None])
    check(np.clip(x, -1, 1), np.clip(A, -1, 1))
    check(x.cumsum(axis=0), A.cumsum(axis=0))
    check(da.broadcast_to(x, (2, 12, 10)), np.broadcast_to(A, (2, 12, 10)))


@pytest.mark.alone("starts processes")
def test_cluster_of_processes():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(2, processes=True, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster),
    ):
        x = chunked(A)
        y = ((x + 1) * 2).rechunk((4, 10)).persist()
        got = y.compute()
        assert type(got) is fl.Array and (np.asarray(got) == (A + 1) * 2).all()
        np.testing.assert_allclose(np.asarray((y @ y.T).sum().compute()), ((A + 1) * 2 @ ((A + 1) * 2).T).sum())
