"""Functions that give several arrays, as tuples."""

import numpy as np
import pytest

import freelane as fl


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("lengths", [(), (3,), (3, 2), (3, 2, 4), (0, 2)])
def test_grids_are_those_of_numpy(lengths, indexing):
    axes = [np.arange(n) + 10 * i for i, n in enumerate(lengths)]
    got, want = fl.meshgrid(*axes, indexing=indexing), np.meshgrid(*axes, indexing=indexing)
    assert len(got) == len(want) and type(got) is tuple
    for a, b in zip(got, want):
        assert a.shape == b.shape and (np.asarray(a) == b).all()


def test_a_grid_knows_two_ways():
    with pytest.raises(ValueError, match="indexing must be 'xy' or 'ij', not 'yx'"):
        fl.meshgrid([1], [2], indexing="yx")
    with pytest.raises(ValueError, match="one axis"):
        fl.meshgrid([[1]], [2])


@pytest.mark.parametrize("x", [[0, 3, 0, -1], [[0.0, np.nan], [-0.0, 2.0]], np.zeros((3, 0)), [True, False]])
def test_places_that_are_not_zero(x):
    got, want = fl.nonzero(x), np.nonzero(np.asarray(x))
    assert len(got) == len(want)
    for a, b in zip(got, want):
        assert a.dtype == fl.int64 and a.tolist() == b.tolist()


def test_a_number_has_no_places():
    with pytest.raises(ValueError, match="without axes"):
        fl.nonzero(3)


def test_unstacked_arrays_share_memory_and_are_values():
    x = fl.reshape(fl.arange(24), (2, 3, 4))
    for axis in range(-3, 3):
        parts = fl.unstack(x, axis=axis)
        assert (np.asarray(fl.stack(parts, axis=axis)) == np.asarray(x)).all()
    first = fl.unstack(x)[0]
    assert np.shares_memory(np.asarray(first), np.asarray(x))
    first[0, 0] = 99
    assert x[0, 0, 0] == 0
    with pytest.raises(IndexError, match="axis"):
        fl.unstack(x, axis=3)
    with pytest.raises(TypeError):
        fl.unstack(x, axis="0")
