//! Files that NumPy wrote.
use freelane_io::{Options, Source, load};
use freelane_ops::{Array, DType};
use std::path::PathBuf;

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn floats(x: &Array) -> Vec<f64> {
    x.astype(DType::F64).unwrap().to_vec().unwrap()
}

fn grid(x: &Array, dtype: DType) {
    let want = if dtype == DType::Bool { [0.0, 1.0, 1.0, 1.0, 1.0, 1.0] } else { [0.0, 1.0, 2.0, 3.0, 4.0, 5.0] };
    assert_eq!((x.dtype(), x.shape(), floats(x)), (dtype, &[2, 3][..], want.to_vec()));
}

#[test]
fn every_dtype_mapped_and_read_and_written_alike() {
    let out = tempfile::tempdir().unwrap();
    for &dtype in DType::ALL {
        let name = format!("{}.npy", dtype.numpy_code().unwrap_or("bf16"));
        for map_from in [0, u64::MAX] {
            let source = Source::open_with(data(&name), &Options { map_from, ..Options::default() }).unwrap();
            assert_eq!(source.info(None).unwrap(), Some((dtype, vec![2, 3])));
            let x = source.load(None).unwrap();
            grid(&x, dtype);
            freelane_io::save(out.path().join(&name), &x).unwrap();
            assert_eq!(std::fs::read(out.path().join(&name)).unwrap(), std::fs::read(data(&name)).unwrap(), "{name}");
        }
    }
}

#[test]
fn orders_and_versions() {
    for (name, dtype) in [
        ("u2_big", DType::U16),
        ("f4_big", DType::F32),
        ("c16_big", DType::C128),
        ("f8_fortran", DType::F64),
        ("i4_big_fortran", DType::I32),
        ("f8_v2", DType::F64),
        ("f8_v3", DType::F64),
    ] {
        for map_from in [0, u64::MAX] {
            let options = Options { map_from, ..Options::default() };
            let x = Source::open_with(data(&format!("{name}.npy")), &options).unwrap().load(None).unwrap();
            grid(&x, dtype);
            let strides: &[isize] = if name.ends_with("fortran") { &[1, 2] } else { &[3, 1] };
            assert_eq!(x.strides(), strides, "{name}");
        }
    }
}

#[test]
fn shapes_are_written_as_numpy_does() {
    let out = tempfile::tempdir().unwrap();
    for (name, shape) in [
        ("f8_scalar.npy", &[][..]),
        ("f8_empty.npy", &[0, 3]),
        ("f8_one_axis.npy", &[6]),
        ("f8_rank_32.npy", &[vec![1; 30], vec![2, 3]].concat()),
    ] {
        let x = load(data(name), None).unwrap();
        assert_eq!(x.shape(), shape);
        freelane_io::save(out.path().join(name), &x).unwrap();
        assert_eq!(std::fs::read(out.path().join(name)).unwrap(), std::fs::read(data(name)).unwrap(), "{name}");
    }
}

#[test]
fn other_types_name_the_way_out() {
    for (name, part) in [
        ("object", "dtype '|O' is not supported; Python objects are pickled"),
        ("text", "dtype '<U2' is not supported; text"),
        ("bytes", "dtype '|S2' is not supported; text"),
        ("dates", "dtype '<M8[D]' is not supported; convert dates"),
        ("fields", "dtype [('x', '<f8'), ('y', '<i4', (2,))] is not supported; save each field"),
        ("long", "dtype '<f16' is not supported; convert with astype"),
        ("void", "dtype '|V3' is not supported; name the type"),
    ] {
        let name = format!("refused_{name}.npy");
        let e = load(data(&name), None).err().unwrap().to_string();
        assert!(e.contains(&format!("{name}: {part}")), "{e}");
    }
}

#[test]
fn archives() {
    for (name, names) in [("stored.npz", &["x", "y"][..]), ("deflated.npz", &["x", "y", "zeros"])] {
        let source = freelane_io::open(data(name)).unwrap();
        assert_eq!(source.names(), names);
        grid(&source.load(Some("x")).unwrap(), DType::F64);
        grid(&source.load(Some("x.npy")).unwrap(), DType::F64);
        assert_eq!(source.info(Some("y")).unwrap(), Some((DType::I16, vec![4])));
        assert_eq!(floats(&source.load(Some("y")).unwrap()), [0.0, 1.0, 2.0, 3.0]);
        let e = source.load(None).err().unwrap().to_string();
        assert!(e.contains(&format!("the file has {} arrays, name one: 'x', 'y'", names.len())), "{e}");
        let e = source.load(Some("z")).err().unwrap().to_string();
        assert!(e.contains(":'z': no 'z' in the file; it has 'x', 'y'"), "{e}");
    }
    let zeros = load(data("deflated.npz"), Some("zeros")).unwrap();
    assert_eq!((zeros.shape(), floats(&zeros).iter().sum::<f64>()), (&[100, 100][..], 0.0));
    grid(&load(data("one.npz"), None).unwrap(), DType::F32);
}

#[test]
fn tensors() {
    let source = freelane_io::open(data("x.safetensors")).unwrap();
    let mut names = source.names();
    names.sort();
    assert_eq!(names, ["a", "b", "c", "d"]);
    for (name, dtype) in [("a", DType::F32), ("b", DType::F16), ("d", DType::Bool)] {
        grid(&source.load(Some(name)).unwrap(), dtype);
    }
    assert_eq!(source.load(Some("c")).unwrap().shape(), [0, 3]);
}

#[test]
fn tables() {
    grid(&load(data("plain.csv"), None).unwrap(), DType::F64);
    for name in ["ints.csv", "header.csv", "comment.csv"] {
        grid(&load(data(name), None).unwrap(), DType::I64);
    }
    assert_eq!(freelane_io::open(data("header.csv")).unwrap().names(), ["a", "b", "c"]);
    assert_eq!(load(data("header.csv"), Some("b")).unwrap().to_vec::<i64>().unwrap(), [1, 4]);
}
