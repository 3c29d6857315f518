"""Methods that change their array, beside NumPy's."""

import freelane as fl
import numpy as np
import pytest

from samples import KNOWS_DESCENDING

X = np.array([[5.0, np.nan, -2.0, 4.0], [1.0, 0.0, 9.0, -1.0]])


@pytest.mark.parametrize("options", [{}, {"axis": 0}, {"descending": True}, {"axis": 0, "stable": True}])
def test_sort(options):
    ours, theirs = fl.asarray(X.copy()), X.copy()
    if "descending" in options and not KNOWS_DESCENDING:
        pytest.skip("this NumPy sorts upwards only")
    before = ours[:]
    assert ours.sort(**options) is None and theirs.sort(**options) is None
    np.testing.assert_array_equal(np.asarray(ours), theirs)
    np.testing.assert_array_equal(np.asarray(before), X)


def test_partition():
    ours = fl.asarray(np.arange(1000.0)[::-1].copy())
    assert ours.partition(10) is None
    found = np.asarray(ours)
    assert found[10] == 10 and (found[:10] < 10).all() and (found[11:] > 10).all()


def test_put():
    ours, theirs = fl.asarray(X.copy()), X.copy()
    assert ours.put(fl.asarray([1, -1, 2]), fl.asarray([7.0, 8.0])) is None
    theirs.put([1, -1, 2], [7.0, 8.0])
    np.testing.assert_array_equal(np.asarray(ours), theirs)
    with pytest.raises(IndexError, match="put"):
        ours.put([8], 1.0)
    np.testing.assert_array_equal(np.asarray(ours), theirs)
