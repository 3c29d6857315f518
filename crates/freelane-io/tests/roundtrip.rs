//! What is written is read.
use freelane_array::{ArrayData, BytesError, Layout};
use freelane_io::{Options, SaveOptions, Source, save, save_all, save_with};
use freelane_ops::{Array, DType, Index, Slice};
use std::path::Path;

/// An array whose bytes differ from element to element.
fn sample(dtype: DType, shape: &[usize]) -> Array {
    let limit = if dtype == DType::Bool { 2 } else { 251 };
    let data = ArrayData::from_bytes_with(dtype, Layout::contiguous(shape).unwrap(), |bytes| {
        bytes.iter_mut().enumerate().for_each(|(i, b)| *b = ((i * 7 + 1) % limit) as u8);
        Ok::<_, BytesError>(())
    });
    data.unwrap().into()
}

fn same(x: &Array, y: &Array) {
    assert_eq!((x.dtype(), x.shape()), (y.dtype(), y.shape()));
    let (x, y) = (x.contiguous().unwrap(), y.contiguous().unwrap());
    assert_eq!(x.data().as_bytes(), y.data().as_bytes());
}

/// Reads a file mapped and not mapped.
fn check(path: &Path, name: Option<&str>, x: &Array) {
    for map_from in [0, u64::MAX] {
        let source = Source::open_with(path, &Options { map_from, ..Options::default() }).unwrap();
        same(&source.load(name).unwrap(), x);
        assert_eq!(source.info(name).unwrap(), Some((x.dtype(), x.shape().to_vec())));
    }
}

const SHAPES: &[&[usize]] = &[&[], &[0], &[1], &[7], &[2, 3], &[0, 5], &[5, 0, 2], &[2, 1, 3, 2], &[1; 64], &[1000, 3]];

#[test]
fn all_dtypes_and_shapes() {
    let dir = tempfile::tempdir().unwrap();
    let [npy, npz, deflated, tensors] = ["x.npy", "x.npz", "d.npz", "x.safetensors"].map(|f| dir.path().join(f));
    for &dtype in DType::ALL {
        for shape in SHAPES {
            let x = sample(dtype, shape);
            save(&npy, &x).unwrap();
            check(&npy, None, &x);
            save_all(&npz, &[("ab", &x), ("é", &x)]).unwrap();
            check(&npz, Some("é"), &x);
            save_with(&deflated, &[("ab", &x)], SaveOptions { compress: true }, &mut |_, _| ()).unwrap();
            check(&deflated, None, &x);
            if dtype == DType::C128 {
                let e = save(&tensors, &x).unwrap_err().to_string();
                assert!(
                    e.ends_with(": .safetensors holds no complex numbers of 128 bits; the array is complex128"),
                    "{e}"
                );
                continue;
            }
            save_all(&tensors, &[("ab", &sample(DType::U8, &[3])), ("x", &x)]).unwrap();
            check(&tensors, Some("x"), &x);
        }
    }
}

#[test]
fn strided_arrays_are_written_in_row_major_order() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let small = sample(DType::F32, &[4, 5, 6]);
    let large = sample(DType::F64, &[700, 3, 200]);
    let step = |step| Index::Range(Slice { start: None, stop: None, step });
    for x in [small, large] {
        for y in [
            x.t(),
            x.flip(0).unwrap(),
            x.flip(..).unwrap(),
            x.permute_dims(&[1, 0, 2]).unwrap(),
            x.index(&[step(3), step(-1), step(2)]).unwrap(),
            x.index(&[Index::At(1)]).unwrap().t(),
            x.expand_dims(0).unwrap().broadcast_to(&[[2].as_slice(), x.shape()].concat()).unwrap(),
        ] {
            save(&path, &y).unwrap();
            check(&path, None, &y);
        }
    }
}

#[test]
fn tables_keep_their_bits() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.csv");
    let x = Array::from_vec(vec![0.1, -0.0, 1e300, 5e-324, f64::INFINITY, 1.0 / 3.0], &[3, 2]).unwrap();
    save(&path, &x).unwrap();
    same(&freelane_io::load(&path, None).unwrap(), &x);
    save(&path, &x.t()).unwrap();
    same(&freelane_io::load(&path, None).unwrap(), &x.t());
    let n = Array::from_vec(vec![i64::MIN, 0, i64::MAX], &[3]).unwrap();
    save(&path, &n).unwrap();
    same(&freelane_io::load(&path, None).unwrap(), &n);
    for &dtype in DType::ALL.iter().filter(|d| d.is_real()) {
        let x = Array::arange(0, 6, 1).unwrap().astype(dtype).unwrap().reshape(&[2, 3]).unwrap();
        save(&path, &x).unwrap();
        same(&freelane_io::load(&path, None).unwrap().astype(dtype).unwrap(), &x);
    }
    let e = save(&path, &sample(DType::C64, &[2])).unwrap_err().to_string();
    assert!(e.ends_with("x.csv: .csv holds no complex numbers; the array is complex64"), "{e}");
    let e = save(&path, &sample(DType::F64, &[2, 2, 2])).unwrap_err().to_string();
    assert!(e.ends_with("x.csv: .csv holds at most two axes; the array has 3 axes"), "{e}");
}

#[test]
fn an_old_file_stays_with_those_who_mapped_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    let x = sample(DType::F64, &[1000, 1000]);
    save(&path, &x).unwrap();
    let mapped = freelane_io::load(&path, None).unwrap();
    save(&path, &mapped.index(&[Index::At(0)]).unwrap()).unwrap();
    same(&mapped, &x);
    assert_eq!(freelane_io::load(&path, None).unwrap().shape(), [1000]);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_failed_save_leaves_the_old_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.csv");
    std::fs::write(&path, "1\n").unwrap();
    assert!(save(&path, &sample(DType::C64, &[2])).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), b"1\n");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn refused_saves_say_why() {
    let dir = tempfile::tempdir().unwrap();
    let x = sample(DType::F64, &[2]);
    for (name, arrays, part) in [
        ("x.png", &[("a", &x)][..], "not an array file: the name does not end in .npy"),
        ("x.npy", &[("a", &x), ("b", &x)], ".npy holds one array; there are 2"),
        ("x.npz", &[("a", &x), ("a", &x)], ".npz holds arrays of different names; two are called 'a'"),
        ("no/dir/x.npy", &[("a", &x)], "No such file or directory"),
    ] {
        let e = save_all(dir.path().join(name), arrays).unwrap_err().to_string();
        assert!(e.contains(part), "{e}");
    }
}

#[cfg(unix)]
#[test]
fn permissions_and_links_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let [file, link] = ["x.npy", "link.npy"].map(|f| dir.path().join(f));
    let x = sample(DType::F64, &[2]);
    let mode = || std::fs::metadata(&file).unwrap().permissions().mode() & 0o777;
    save(&file, &x).unwrap();
    std::fs::write(dir.path().join("plain"), "").unwrap();
    assert_eq!(mode(), std::fs::metadata(dir.path().join("plain")).unwrap().permissions().mode() & 0o777);
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    save(&link, &x).unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(mode(), 0o640);
    save("/dev/null", &x).unwrap_err();
}

#[test]
fn progress_is_told_to_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let x = sample(DType::F64, &[500, 1000]);
    for name in ["x.npy", "x.npz", "x.safetensors", "x.csv"] {
        let path = dir.path().join(name);
        let mut told = Vec::new();
        save_with(&path, &[("x", &x)], SaveOptions::default(), &mut |done, total| told.push((done, total))).unwrap();
        let (done, total) = *told.last().unwrap();
        assert!(done == total && total >= 500_000 && told.is_sorted() && told.len() > 2, "{name}");
        let options = Options { map_from: u64::MAX, ..Options::default() };
        told.clear();
        let source = Source::open_with(&path, &options).unwrap();
        source.load_with(None, &mut |done, total| told.push((done, total))).unwrap();
        let (done, total) = *told.last().unwrap();
        assert!(done == total && total >= 4_000_000 && told.is_sorted() && told.len() > 2, "{name}");
    }
}
