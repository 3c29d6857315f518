//! Files as the system has them: large, missing, of no known kind.
use freelane_io::{CsvHeader, CsvOptions, Options, Source, load};
use freelane_ops::{Index, Slice};
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};

/// A .npy file of `n` doubles that are holes but for the last one, 2.5.
fn sparse(path: &std::path::Path, n: u64) {
    let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({n},), }}");
    let mut file = File::create(path).unwrap();
    file.write_all(b"\x93NUMPY\x01\x00\x76\x00").unwrap();
    file.write_all(format!("{text:117}\n").as_bytes()).unwrap();
    file.seek(SeekFrom::Start(128 + 8 * (n - 1))).unwrap();
    file.write_all(&2.5f64.to_le_bytes()).unwrap();
}

/// Resident bytes of this process.
fn resident() -> u64 {
    let text = fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

#[cfg(target_os = "linux")]
#[test]
fn a_gibibyte_is_mapped_and_only_what_is_used_comes_in() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    sparse(&path, 1 << 27);
    let before = resident();
    let x = load(&path, None).unwrap();
    assert_eq!((x.shape(), x.data().buffer().is_read_only()), (&[1 << 27][..], true));
    let tail = x.index(&[Slice { start: Some(-(1 << 20)), stop: None, step: 1 }.into()]).unwrap();
    assert_eq!(tail.sum(.., false).unwrap().item::<f64>().unwrap(), 2.5);
    let steps = x.index(&[Index::Range(Slice { start: None, stop: None, step: 1 << 20 })]).unwrap();
    assert_eq!(steps.sum(.., false).unwrap().item::<f64>().unwrap(), 0.0);
    let grown = resident().saturating_sub(before);
    assert!(grown < 64 << 20, "{grown} bytes came in");
}

#[test]
fn what_is_wrong_is_said_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("empty.npy"), "").unwrap();
    fs::write(at("text.npy"), "1,2\n").unwrap();
    fs::write(at("empty"), "").unwrap();
    fs::write(at("x.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    fs::write(at("short.safetensors"), "1234").unwrap();
    fs::write(at("x.npz"), "PK\x03\x04").unwrap();
    fs::create_dir(at("dir.npy")).unwrap();
    for (name, problem) in [
        ("missing.npy", "No such file or directory (os error 2)"),
        ("dir.npy", "is a directory"),
        ("empty.npy", "truncated: the start of a .npy file takes 8 bytes, found 0"),
        ("text.npy", "truncated: the start of a .npy file takes 8 bytes, found 4"),
        ("empty", "not an array file: the name does not end in .npy, .npz, .safetensors or .csv"),
        (
            "x.png",
            "not an array file: the name does not end in .npy, .npz, .safetensors or .csv, and it starts with '\u{fffd}PNG\\r\\n\\u{1a}\\n'",
        ),
        ("short.safetensors", "truncated: the header's length takes 8 bytes, found 4"),
        (
            "x.npz",
            "malformed .npz directory: expected an end record within the last 65557 bytes, found none; the file may be truncated",
        ),
    ] {
        let e = load(at(name), None).err().unwrap().to_string();
        assert_eq!(e, format!("{}: {problem}", at(name).display()));
    }
    let x = freelane_ops::Array::zeros(&[2], freelane_ops::DType::F64).unwrap();
    freelane_io::save(at("x.npy"), &x).unwrap();
    let e = load(at("x.npy"), Some("y")).err().unwrap().to_string();
    assert!(e.ends_with("x.npy:'y': a .npy file has one array without a name, so 'y' cannot be picked"), "{e}");
}

#[test]
fn the_first_bytes_tell_the_format_where_the_name_does_not() {
    let dir = tempfile::tempdir().unwrap();
    let x = freelane_ops::Array::from_vec(vec![1i64, 2], &[2]).unwrap();
    for name in ["x.npy", "x.npz", "x.safetensors"] {
        freelane_io::save(dir.path().join(name), &x).unwrap();
        fs::rename(dir.path().join(name), dir.path().join("x")).unwrap();
        assert_eq!(load(dir.path().join("x"), None).unwrap().to_vec::<i64>().unwrap(), [1, 2]);
    }
}

#[test]
fn trailing_bytes_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npy");
    freelane_io::save(&path, &freelane_ops::Array::from_vec(vec![1i64, 2], &[2]).unwrap()).unwrap();
    File::options().append(true).open(&path).unwrap().write_all(b"xyz").unwrap();
    let e = load(&path, None).err().unwrap().to_string();
    assert!(e.ends_with("x.npy: 19 bytes of data for an array of 16 bytes"), "{e}");
}

fn table(text: &str, name: &str, options: CsvOptions, key: Option<&str>) -> Result<(Vec<usize>, Vec<f64>), String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    fs::write(&path, text).unwrap();
    let options = Options { csv: options, ..Options::default() };
    let x = Source::open_with(&path, &options).and_then(|s| s.load(key));
    let x = x.map_err(|e| e.to_string().split_once("x.").unwrap().1.split_once(": ").unwrap().1.to_owned())?;
    Ok((x.shape().to_vec(), x.astype(freelane_ops::DType::F64).unwrap().to_vec().unwrap()))
}

#[test]
fn tables() {
    let options = CsvOptions::default;
    for (text, shape) in [
        ("1,2\n3,4\n", &[2, 2][..]),
        ("1,2\r\n3,4", &[2, 2]),
        ("\u{feff}1,2\n\n3,4\n", &[2, 2]),
        ("a,b\n1,2\n3,4\n", &[2, 2]),
        ("# c\n1,2\n#\n3,4\n", &[2, 2]),
        ("\"1\",\" 2\"\n3 ,\t4\n", &[2, 2]),
        ("1\n2\n3\n4\n", &[4]),
        ("1,2,3,4\n", &[4]),
        ("x\n1\n2\n3\n4\n", &[4]),
    ] {
        assert_eq!(table(text, "x.csv", options(), None), Ok((shape.to_vec(), vec![1.0, 2.0, 3.0, 4.0])), "{text:?}");
    }
    assert_eq!(table("5", "x.csv", options(), None), Ok((vec![], vec![5.0])));
    for text in ["", "\n", "# only\n"] {
        assert_eq!(table(text, "x.csv", options(), None), Ok((vec![0], vec![])), "{text:?}");
    }
    assert_eq!(table("1\t2\n", "x.tsv", options(), None), Ok((vec![2], vec![1.0, 2.0])));
    assert_eq!(
        table("1;2\n", "x.csv", CsvOptions { delimiter: Some(b';'), ..options() }, None),
        Ok((vec![2], vec![1.0, 2.0]))
    );
    assert_eq!(
        table("1\n2\n", "x.csv", CsvOptions { min_rank: 2, ..options() }, None),
        Ok((vec![2, 1], vec![1.0, 2.0]))
    );
    assert_eq!(
        table("1\n2\n", "x.csv", CsvOptions { header: CsvHeader::Yes, ..options() }, None),
        Ok((vec![], vec![2.0]))
    );
    let (shape, values) = table("1,,3\n", "x.csv", options(), None).unwrap();
    assert!(shape == [3] && values[0] == 1.0 && values[1].is_nan());
    assert_eq!(table("id,size,kind\n1,2,a\n3,4,b\n", "x.csv", options(), Some("size")), Ok((vec![2], vec![2.0, 4.0])));
}

#[test]
fn tables_that_are_none() {
    let options = CsvOptions::default;
    for (text, key, problem) in [
        ("1,2\n3,x\n", None, "line 2, column 2: expected a number, found 'x'"),
        (
            "a,b\n\n1,2\n3,4 5\n",
            None,
            "line 4, column 2: expected a number, found '4 5'; columns of numbers can be read one by one, by name",
        ),
        ("a,b\n1,x\n", Some("b"), "line 2, column 2: expected a number, found 'x'"),
        ("<html>", None, "line 1, column 1: expected numbers, found one line of text"),
        ("1,b\n1,2\n", None, "line 1, column 2: expected a number, found 'b'"),
        ("1,2\n3\n", None, "line 2, column 2: expected 2 fields as in the first line, found 1"),
        ("1,2\n3,4,5\n", None, "line 2, column 3: expected 2 fields as in the first line, found 3"),
        ("a,b\n1,2\n", Some("c"), "no 'c' in the file; it has 'a', 'b'"),
        ("a,a\n1,2\n", Some("a"), "malformed header line: two columns are named 'a'"),
        ("1,2\n", Some("a"), "no 'a' in the file; it has no names"),
        ("1,\u{1b}[31m\n", None, "line 1, column 2: expected a number, found '\\u{1b}[31m'"),
    ] {
        assert_eq!(table(text, "x.csv", options(), key).unwrap_err(), problem, "{text:?}");
    }
}

#[cfg(unix)]
#[test]
fn pipes_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let [file, pipe] = ["x.npy", "pipe"].map(|f| dir.path().join(f));
    freelane_io::save(&file, &freelane_ops::Array::from_vec(vec![1i64, 2], &[2]).unwrap()).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|s| s.success()) {
        return;
    }
    let (from, to) = (file.clone(), pipe.clone());
    let writer = std::thread::spawn(move || fs::copy(from, to));
    assert_eq!(load(&pipe, None).unwrap().to_vec::<i64>().unwrap(), [1, 2]);
    drop(writer.join());
}
