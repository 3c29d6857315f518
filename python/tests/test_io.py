"""Files: round trips with NumPy's, and errors that a program can tell apart."""

import errno
import os
import pathlib

import pytest

import freelane as fl

np = pytest.importorskip("numpy")

NAMES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128".split()


@pytest.mark.parametrize("name", NAMES)
def test_npy_is_numpys(name, tmp_path):
    a = (np.arange(12) % 3).astype(name).reshape(3, 4)
    fl.save(tmp_path / "ours.npy", fl.asarray(a))
    there = np.load(tmp_path / "ours.npy")
    assert there.dtype == a.dtype and (there == a).all()
    np.save(tmp_path / "theirs.npy", a.T)
    x = fl.load(tmp_path / "theirs.npy")
    assert x.dtype == getattr(fl, name) and (np.asarray(x) == a.T).all()


def test_npz(tmp_path):
    path = tmp_path / "x.npz"
    fl.savez(path, fl.arange(3), w=fl.ones(2), v=[1.5])
    with np.load(path) as there:
        assert sorted(there) == ["arr_0", "v", "w"] and there["arr_0"].tolist() == [0, 1, 2]
    assert np.asarray(fl.load(path, "w")).tolist() == [1, 1]
    assert np.asarray(fl.load(path, key="v")).tolist() == [1.5]
    everything = fl.load_all(path)
    assert list(everything) == ["arr_0", "w", "v"] and np.asarray(everything["arr_0"]).tolist() == [0, 1, 2]
    fl.savez_compressed(path, fl.zeros(10_000))
    assert path.stat().st_size < 2000 and float(fl.sum(fl.load(path))) == 0
    with pytest.raises(ValueError, match="arr_0"):
        fl.savez(path, fl.zeros(1), arr_0=fl.zeros(1))


def test_safetensors(tmp_path):
    path = tmp_path / "x.safetensors"
    fl.save_all(path, {"a": fl.arange(3), "b": fl.zeros((2, 2)).astype(fl.bfloat16)})
    found = fl.load_all(path)
    assert found["b"].dtype == fl.bfloat16 and tuple(found["b"].shape) == (2, 2)
    assert np.asarray(fl.load(path, "a")).tolist() == [0, 1, 2]


def test_csv(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2.5\n3,4\n")
    assert np.asarray(fl.load(path)).tolist() == [[1, 2.5], [3, 4]]
    assert np.asarray(fl.load(path, "b")).tolist() == [2.5, 4]
    fl.save(path, fl.asarray([[1.0, 2.0]]))
    assert np.loadtxt(path, delimiter=",", ndmin=2).tolist() == [[1, 2]]


def test_mapped_or_read(tmp_path):
    path = tmp_path / "x.npy"
    fl.save(path, fl.arange(100))
    for mmap in (None, True, False):
        x = fl.load(path, mmap=mmap)
        x[0] = 5
        assert float(fl.sum(x)) == 4955
    assert float(fl.sum(fl.load(path))) == 4950


def test_kinds_of_paths(tmp_path):
    class Path:
        def __fspath__(self):
            return str(tmp_path / "x.npy")

    fl.save(Path(), fl.arange(3))
    for path in (Path(), str(tmp_path / "x.npy"), pathlib.Path(tmp_path, "x.npy")):
        assert np.asarray(fl.load(path)).tolist() == [0, 1, 2]
    with open(os.devnull) as file:
        for wrong in (3, None, [], file):
            with pytest.raises(TypeError, match="path"):
                fl.load(wrong)


def test_what_is_not_an_array_is_made_one(tmp_path):
    fl.save(tmp_path / "x.npy", [[1, 2], [3, 4]])
    assert np.load(tmp_path / "x.npy").tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    "path, error, number",
    [
        ("none.npy", FileNotFoundError, errno.ENOENT),
        ("no/such/folder.npy", FileNotFoundError, errno.ENOENT),
        (".", IsADirectoryError, None),
        ("file.npy/x.npy", NotADirectoryError, errno.ENOTDIR),
        ("nul\0.npy", ValueError, None),
    ],
)
def test_the_system_refuses(path, error, number, tmp_path):
    (tmp_path / "file.npy").write_bytes(b"")
    with pytest.raises(error) as raised:
        fl.load(tmp_path / path)
    if number is not None:
        assert raised.value.errno == number and pathlib.Path(raised.value.filename) == tmp_path / path
        assert "(os error" not in str(raised.value)


def npy(header, data=b""):
    header = header.encode().ljust(118)[:-1] + b"\n"
    return b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + data


@pytest.mark.parametrize(
    "name, content, error, says",
    [
        ("x.npy", b"", ValueError, "npy"),
        ("x.npy", b"\x93NUMPY\1\0\xff\xff{", ValueError, "truncated"),
        ("x.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }"), ValueError, "truncated"),
        ("x.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2**70,), }"), ValueError, "malformed"),
        ("x.npy", npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", b"0" * 8), TypeError, "dtype"),
        ("x.npy", npy("{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }", b"\7"), ValueError, "bool"),
        ("x.npz", b"PK\5\6", ValueError, "x.npz"),
        ("x.safetensors", b"\xff" * 16, ValueError, "safetensors"),
        ("x.csv", b"1,2\n3,oops\n", ValueError, "line 2"),
        ("x.png", b"\x89PNG", ValueError, "not an array file"),
    ],
)
def test_hostile_files(name, content, error, says, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(error, match=says):
        fl.load(path)


def test_keys(tmp_path):
    path = tmp_path / "x.npz"
    fl.savez(path, a=fl.zeros(1), b=fl.zeros(1))
    with pytest.raises(KeyError, match="'a', 'b'"):
        fl.load(path, "c")
    with pytest.raises(ValueError, match="name one"):
        fl.load(path)
    fl.save(tmp_path / "x.npy", fl.zeros(1))
    with pytest.raises(ValueError, match="cannot be picked"):
        fl.load(tmp_path / "x.npy", "a")


def test_what_files_do_not_hold(tmp_path):
    with pytest.raises(ValueError, match="not an array file"):
        fl.save(tmp_path / "x.png", fl.zeros(1))
    with pytest.raises(ValueError, match="csv"):
        fl.save(tmp_path / "x.csv", fl.zeros((2, 2, 2)))
    with pytest.raises(TypeError, match="mapping"):
        fl.save_all(tmp_path / "x.npz", [fl.zeros(1)])
    assert os.listdir(tmp_path) == []
