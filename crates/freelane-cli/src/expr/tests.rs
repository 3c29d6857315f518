//! Expressions against what Python with NumPy 2.4 makes of the same text.
use super::*;
use freelane::{Array, Lane, Registry, UserFunc, UserReduction, Value};
use std::collections::BTreeMap;

fn arrays() -> BTreeMap<String, Array> {
    let x = Array::from_vec(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]);
    let i = Array::arange(0, 12, 1).and_then(|i| i.reshape(&[3, 4]));
    let y = Array::from_slice(&[1.0, -2.0, 0.5]);
    let b = Array::from_slice(&[true, false, true]);
    let f = Array::from_slice(&[1.5f32, 2.5]);
    let u = Array::from_slice(&[200u8, 100]);
    let named = [("x", x), ("i", i), ("y", y), ("b", b), ("f", f), ("u", u)];
    named.into_iter().map(|(name, array)| (name.to_owned(), array.unwrap())).collect()
}

/// All functions, and two of a program's own.
fn registry() -> Registry {
    let mut registry = freelane::registry();
    let clipped = UserFunc::builder("clipped", &["x", "limit"]).map(|x: f64, limit: f64| x.min(limit));
    let longest = UserReduction::builder("longest").fold(0.0, |x: f64| x.abs(), f64::max, |a: f64, _| a);
    registry.add(clipped.register().unwrap()).unwrap();
    registry.add(longest.register().unwrap()).unwrap();
    registry
}

#[test]
fn functions_of_the_program() {
    for (text, want) in [
        ("clipped(x, 2).sum()", "11.0"),
        ("x.clipped(limit=y)", "[[ 1.  -2.   0.5]\n [ 1.  -2.   0.5]]"),
        ("longest(y)", "2.0"),
        ("longest(x, axis=0, keepdims=True)", "[[4. 5. 6.]]"),
        ("(x @ y).longest() + 1", "4.0"),
    ] {
        assert_eq!(shown(text).as_deref(), Ok(want), "{text}");
    }
    for (text, want) in [
        ("cliped(x, 2)", "column 1: unknown name 'cliped'; did you mean 'clipped'?"),
        ("clipped(x)", "column 1: clipped: limit is missing; usage: clipped(x, limit)"),
        ("clipped", "column 1: 'clipped' is a function; call it: clipped(x, limit)"),
        ("longest(1j * x)", "column 1: longest: not defined for complex128; it takes float64"),
    ] {
        assert_eq!(shown(text).unwrap_err(), want, "{text}");
    }
}

fn evaluate(text: &str) -> Result<Value, ExprError> {
    let tree = parse(text)?;
    Lane::with(|lane| Evaluator::new(lane, &registry(), &arrays(), &()).value(&tree))
}

fn shown(text: &str) -> Result<String, String> {
    let value = evaluate(text).map_err(|e| e.to_string())?;
    Ok(crate::show::Shown::of(&value).map_err(|e| e.to_string())?.to_string())
}

/// Expression, and `str` of its value in Python.
const VALUES: &[(&str, &str)] = &[
    ("-2**2", "-4"),
    ("2**-1", "0.5"),
    ("-2**-2", "-0.25"),
    ("2**3**2", "512"),
    ("(-2)**2", "4"),
    ("-x**2", "[[ -1.  -4.  -9.]\n [-16. -25. -36.]]"),
    ("~i[0] + 1", "[ 0 -1 -2 -3]"),
    ("2*3+4*5", "26"),
    ("2+3*4**2", "50"),
    ("7//2*2", "6"),
    ("-7//2", "-4"),
    ("-7%3", "2"),
    ("7%-3", "-2"),
    ("-7.5%2", "0.5"),
    ("7.5//-2", "-4.0"),
    ("1/4*2", "0.5"),
    ("10-4-3", "3"),
    ("100/10/2", "5.0"),
    ("1<<2+1", "8"),
    ("1+1<<2", "8"),
    ("16>>1+1", "4"),
    ("1|2^3&4", "3"),
    ("1|2&3^5", "7"),
    ("5&6==6", "False"),
    ("(5&6)==4", "True"),
    ("not_equal(1, 2)", "True"),
    ("3 > 2", "True"),
    ("1 == 1.0", "True"),
    ("True + True", "2"),
    ("True & False", "False"),
    ("2**0.5", "1.4142135623730951"),
    ("(1+2j)*(3-1j)", "(5+5j)"),
    ("2j**2", "(-4+0j)"),
    ("1.0 // 0.1", "9.0"),
    ("1.0 % 0.1", "0.09999999999999995"),
    ("-5.0 % inf", "inf"),
    ("5.0 % inf", "5.0"),
    ("7.5 // -2", "-4.0"),
    ("(1e200+1e200j)/(1e200+1e200j)", "(1+0j)"),
    ("2**63", "9223372036854775808"),
    ("1e-3 + .5", "0.501"),
    ("0xff + 0b101 + 1_000", "1260"),
    ("x*2+1", "[[ 3.  5.  7.]\n [ 9. 11. 13.]]"),
    ("2-x", "[[ 1.  0. -1.]\n [-2. -3. -4.]]"),
    ("-x+y", "[[ 0.  -4.  -2.5]\n [-3.  -7.  -5.5]]"),
    ("x@y", "[-1.5 -3. ]"),
    ("x @ x.T", "[[14. 32.]\n [32. 77.]]"),
    ("x.T", "[[1. 4.]\n [2. 5.]\n [3. 6.]]"),
    ("x[0]", "[1. 2. 3.]"),
    ("x[-1, ::-1]", "[6. 5. 4.]"),
    ("x[:, 1]", "[2. 5.]"),
    ("x[..., 0]", "[1. 4.]"),
    ("x[None].shape", "(1, 2, 3)"),
    ("x[:, None, 1:].shape", "(2, 1, 2)"),
    ("x[1][2]", "6.0"),
    ("x[(1, 2)]", "6.0"),
    ("x[::2, ::-2]", "[[3. 1.]]"),
    ("i[-2:]", "[[ 4  5  6  7]\n [ 8  9 10 11]]"),
    ("i[1:-1, :2]", "[[4 5]]"),
    ("i[::-1][0]", "[ 8  9 10 11]"),
    ("i[i[0, 1]]", "[4 5 6 7]"),
    ("i & 3", "[[0 1 2 3]\n [0 1 2 3]\n [0 1 2 3]]"),
    ("i << 1", "[[ 0  2  4  6]\n [ 8 10 12 14]\n [16 18 20 22]]"),
    ("i % 3 == 0", "[[ True False False  True]\n [False False  True False]\n [False  True False False]]"),
    ("i // 5", "[[0 0 0 0]\n [0 1 1 1]\n [1 1 2 2]]"),
    ("i ** 2", "[[  0   1   4   9]\n [ 16  25  36  49]\n [ 64  81 100 121]]"),
    ("x > 2", "[[False False  True]\n [ True  True  True]]"),
    ("(x > 1) & (x < 5)", "[[False  True  True]\n [ True False False]]"),
    ("~(x > 2)", "[[ True  True False]\n [False False False]]"),
    ("x != 3", "[[ True  True False]\n [ True  True  True]]"),
    ("x.sum()", "21.0"),
    ("x.sum(axis=0)", "[5. 7. 9.]"),
    ("x.sum(axis=-1, keepdims=True)", "[[ 6.]\n [15.]]"),
    ("sum(x, axis=(0, 1))", "21.0"),
    ("mean(x, 0)", "[2.5 3.5 4.5]"),
    ("x.mean()", "3.5"),
    ("x.std(axis=1)", "[0.81649658 0.81649658]"),
    ("var(x, ddof=1)", "3.5"),
    ("x.max() - x.min()", "5.0"),
    ("argmax(y)", "0"),
    ("any(b) ", "True"),
    ("all(b)", "False"),
    ("sqrt(mean((x-mean(x))**2))", "1.707825127659933"),
    ("abs(y)", "[1.  2.  0.5]"),
    ("absolute(-3.5)", "3.5"),
    ("power(x, 2)", "[[ 1.  4.  9.]\n [16. 25. 36.]]"),
    ("minimum(y, 0)", "[ 0. -2.  0.]"),
    ("maximum(x, 2.5)", "[[2.5 2.5 3. ]\n [4.  5.  6. ]]"),
    ("where(y > 0, y, 0)", "[1.  0.  0.5]"),
    ("where(y > 0, 1, -1)", "[ 1 -1  1]"),
    ("concatenate((y, y))", "[ 1.  -2.   0.5  1.  -2.   0.5]"),
    ("concatenate([x, x], axis=1).shape", "(2, 6)"),
    ("stack([y, y])", "[[ 1.  -2.   0.5]\n [ 1.  -2.   0.5]]"),
    ("reshape(i, (2, 6))", "[[ 0  1  2  3  4  5]\n [ 6  7  8  9 10 11]]"),
    ("i.reshape(2, -1)", "[[ 0  1  2  3  4  5]\n [ 6  7  8  9 10 11]]"),
    ("i.reshape((4, 3)).shape", "(4, 3)"),
    ("i.T.reshape(-1)", "[ 0  4  8  1  5  9  2  6 10  3  7 11]"),
    ("x.transpose(1, 0)", "[[1. 4.]\n [2. 5.]\n [3. 6.]]"),
    ("transpose(i).shape", "(4, 3)"),
    ("expand_dims(y, 0).shape", "(1, 3)"),
    ("squeeze(x[:1], 0)", "[1. 2. 3.]"),
    ("flip(y, axis=0)", "[ 0.5 -2.   1. ]"),
    ("zeros((2, 2))", "[[0. 0.]\n [0. 0.]]"),
    ("ones(3, dtype=int32)", "[1 1 1]"),
    ("full((2,), 7)", "[7 7]"),
    ("arange(5)", "[0 1 2 3 4]"),
    ("arange(2, 10, 3)", "[2 5 8]"),
    ("linspace(0, 1, 5)", "[0.   0.25 0.5  0.75 1.  ]"),
    ("eye(2)", "[[1. 0.]\n [0. 1.]]"),
    ("x.astype(int32)", "[[1 2 3]\n [4 5 6]]"),
    ("y.astype(bool)", "[ True  True  True]"),
    ("float32(y)", "[ 1.  -2.   0.5]"),
    ("x.shape", "(2, 3)"),
    ("x.shape[0] * 2", "4"),
    ("x.shape[::-1]", "(3, 2)"),
    ("x.ndim", "2"),
    ("x.size", "6"),
    ("f * 2", "[3. 5.]"),
    ("f * 2.0", "[3. 5.]"),
    ("f.dtype", "float32"),
    ("(f * y[:2]).dtype", "float64"),
    ("u + 50", "[250 150]"),
    ("u + u", "[144 200]"),
    ("u * 2.0", "[400. 200.]"),
    ("y + [1, 2, 3]", "[2.  0.  3.5]"),
    ("[1, 2] * f", "[1.5 5. ]"),
    ("array([[1, 2], [3, 4]])", "[[1 2]\n [3 4]]"),
    ("array([1, 2.5])", "[1.  2.5]"),
    ("array([1, 2], dtype=float32)", "[1. 2.]"),
    ("np.sin(np.pi / 2)", "1.0"),
    ("exp(1) - e", "0.0"),
    ("inf - 1", "inf"),
    ("nan", "nan"),
    ("log(e**2)", "2.0"),
    ("i.flatten()[5]", "5"),
    ("y.copy()", "[ 1.  -2.   0.5]"),
    ("round(tanh(0.5) * 1e6)", "462117.0"),
    ("round(y)", "[ 1. -2.  0.]"),
    ("floor(y)", "[ 1. -2.  0.]"),
    ("isnan(y)", "[False False False]"),
    ("broadcast_to(y, (2, 3))", "[[ 1.  -2.   0.5]\n [ 1.  -2.   0.5]]"),
    ("y[0]*2", "2.0"),
    ("-y[1]**2", "-4.0"),
    ("+y", "[ 1.  -2.   0.5]"),
    ("x.sum(0)[1:]", "[7. 9.]"),
    ("prod(y)", "-1.0"),
    ("cos(0)**2 + sin(0)**2", "1.0"),
    ("matmul(x, y)", "[-1.5 -3. ]"),
    ("x.mean(axis=(0,1), keepdims=True)", "[[3.5]]"),
    ("x[x > 2]", "[3. 4. 5. 6.]"),
    ("x[:, [2, 0]]", "[[3. 1.]\n [6. 4.]]"),
    ("x[[1, -2]]", "[[4. 5. 6.]\n [1. 2. 3.]]"),
    ("y[[True, False, True]]", "[1.  0.5]"),
    ("y[[]].shape", "(0,)"),
    ("nonzero(y > 0)[0]", "[0 2]"),
    ("meshgrid(y[:2], y[:1], indexing='ij')[0]", "[[ 1.]\n [-2.]]"),
    ("y.astype('float32').dtype", "float32"),
    ("unstack(x)[1]", "[4. 5. 6.]"),
    ("(1,)", "(1,)"),
    ("(1, 2.5)", "(1, 2.5)"),
];

#[test]
fn values_are_those_of_python() {
    let wrong: Vec<_> = VALUES
        .iter()
        .map(|(text, want)| (text, shown(text), want))
        .filter(|(_, got, want)| got.as_deref() != Ok(**want))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Expression, and what is wrong with it.
const FAULTS: &[(&str, &str)] = &[
    ("", "column 1: the expression is empty"),
    ("1 +", "column 4: the expression ends where a value should follow"),
    ("1 2", "column 3: expected an operator, found '2'"),
    ("x[[0.5, 1]]", "column 3: selecting by an array of float64: positions are integers, masks are booleans"),
    ("~18446744073709551615", "column 1: bitwise_invert: the result does not fit 64 bits"),
    ("* 2", "column 1: expected a value, found '*'"),
    ("(1", "column 1: this bracket is not closed"),
    ("1)", "column 2: ')' closes nothing"),
    ("(1]", "column 3: found ']' where ')' should close column 1"),
    ("x = 1", "column 3: '=' outside of a call's arguments; use == to compare"),
    ("x.astype('f3')", "column 2: astype: dtype must be a data type, not 'f3'"),
    ("x.astype('f4", "column 10: this quote is not closed"),
    ("größe + 1", "column 1: unknown name 'größe'"),
    ("x + foo", "column 5: unknown name 'foo'; did you mean 'floor'?"),
    ("sqrt(flooor(x))", "column 6: unknown name 'flooor'; did you mean 'floor'?"),
    ("1 < x < 3", "column 7: comparisons cannot be chained; write (a < b) & (b < c)"),
    ("x > 1 and x < 3", "column 7: 'and' does not work on arrays; use & with brackets around both sides"),
    ("b or b", "column 3: 'or' does not work on arrays; use | with brackets around both sides"),
    ("not b", "column 1: 'not' does not work on arrays; use ~"),
    ("sin", "column 1: 'sin' is a function; call it: sin(x)"),
    ("x(1)", "column 1: 'x' is an array here and cannot be called"),
    ("(x + 1)(2)", "column 4: only functions and methods can be called"),
    ("x.foo", "column 2: an array has no attribute 'foo'; did you mean 'floor'?"),
    ("x.summ()", "column 2: an array has no attribute 'summ'; did you mean 'sum'?"),
    ("x.sum", "column 2: 'sum' is a method; call it: x.sum(...)"),
    ("x.shape()", "column 2: 'shape' is no method; write it without brackets"),
    ("1 + x[5]", "column 6: index: index 5 is out of range for axis 0 of length 2"),
    ("x[0, 0, 0]", "column 2: index: 3 indices for an array of 2 axes"),
    ("x[1.5]", "column 3: an index must be a whole number, not 1.5"),
    ("x[::0]", "column 2: a slice step cannot be zero"),
    ("x + i", "column 3: add: shapes (2, 3) and (3, 4) do not broadcast"),
    ("2 * (x + i)", "column 8: add: shapes (2, 3) and (3, 4) do not broadcast"),
    ("sum(x, axis=2)", "column 1: sum: axis 2 is out of range for an array of 2 axes"),
    ("1 // 0", "column 3: division by zero"),
    ("2 ** 100", "column 3: pow: the result does not fit 64 bits"),
    ("99999999999999999999", "column 1: 99999999999999999999 does not fit 64 bits"),
    ("u + 300", "column 3: add: 300 is out of range for uint8"),
    ("x.shape[5]", "column 8: index 5 is out of range for a list of 2"),
    ("sum(axis=0, x)", "column 13: an argument without a name follows one with a name"),
];

#[test]
fn faults_say_where_and_what() {
    let wrong: Vec<_> = FAULTS
        .iter()
        .map(|(text, want)| (text, shown(text), want))
        .filter(|(_, got, want)| got.as_ref().err().map(String::as_str) != Some(**want))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn hostile_expressions_are_refused() {
    // The stack of a main thread.
    let reader = std::thread::Builder::new().stack_size(8 << 20).spawn(read_hostile_expressions);
    reader.unwrap().join().unwrap();
}

fn read_hostile_expressions() {
    let million = 1_000_000;
    let open = "(".repeat(million);
    let nested = |n: usize| format!("{}x{}", "(".repeat(n), ")".repeat(n));
    let indexed = |n: usize| format!("{}0{}", "i[".repeat(n), "]".repeat(n));
    for text in [
        open,
        nested(million),
        nested(65),
        indexed(65),
        "-".repeat(million) + "1",
        "-".repeat(257) + "1",
        vec!["2"; 300].join("**"),
        format!("i{}", "[0:]".repeat(257)),
        vec!["x"; 2000].join("+"),
        "1".repeat(20_000),
        format!("x{}", ".T".repeat(257)),
    ] {
        assert!(matches!(parse(&text).unwrap_err().problem, Problem::TooLarge { .. }), "{}", &text[..40]);
    }
    for text in [nested(64), "-".repeat(256) + "1", vec!["1"; 129].join("**"), vec!["x"; 257].join("+")] {
        evaluate(&text).unwrap();
    }
    evaluate(&format!("i{}", "[0:]".repeat(256))).unwrap();
    assert!(evaluate(&indexed(64)).is_err());
}
