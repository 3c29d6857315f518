//! Every kernel against the definition of the order, in plain steps, bit for bit; and the definition against wider arithmetic.
use super::*;
use half::{bf16, f16};
use num_complex::Complex;
use std::fmt::Debug;

mod apart;
mod stacks;

/// A float with one rounding per step of a chain, or two.
trait Float: Packable + Debug {
    const TINY: Self;
    fn of(x: f64) -> Self;
    fn fused(self, b: Self, c: Self) -> Self;
    fn same(self, other: Self) -> bool;
}

macro_rules! floats {
    ($($t:ty, $tiny:literal);*) => {$(
        impl Float for $t {
            const TINY: $t = $tiny;
            fn of(x: f64) -> $t {
                x as $t
            }
            fn fused(self, b: $t, c: $t) -> $t {
                self.mul_add(b, c)
            }
            fn same(self, other: $t) -> bool {
                self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
            }
        }
    )*};
}
floats!(f32, 1e-30; f64, 1e-200);

type Step<T> = fn(T, T, T) -> T;

/// What one step of a chain is on `isa`.
fn step<T: Float>(isa: Isa) -> Step<T> {
    if isa == Isa::Portable { T::chain } else { T::fused }
}

/// An element of C by definition.
fn by_definition<T: Float>(step: Step<T>, n: usize, a: &[T], b: &[T]) -> T {
    if n == 1 { chains_of_64(step, a, b) } else { blocks_of_256(step, a, b) }
}

fn blocks_of_256<T: Float>(step: Step<T>, a: &[T], b: &[T]) -> T {
    let chain = |(a, b): (&[T], &[T])| a.iter().zip(b).fold(T::default(), |sum, (&a, &b)| step(a, b, sum));
    a.chunks(256).zip(b.chunks(256)).map(chain).reduce(|a, b| a + b).unwrap_or_default()
}

fn chains_of_64<T: Float>(step: Step<T>, a: &[T], b: &[T]) -> T {
    let mut sums = [T::default(); 64];
    let at = |x: &[T], k: usize| x.get(k).copied().unwrap_or_default();
    for k in 0..a.len().next_multiple_of(64) {
        sums[k % 64] = step(at(a, k), at(b, k), sums[k % 64]);
    }
    let mut h = 32;
    while h > 0 {
        (0..h).for_each(|c| sums[c] = sums[c] + sums[c + h]);
        h /= 2;
    }
    sums[0]
}

/// Numbers from a small generator.
struct Source(u64);

impl Source {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    /// About one; every 16th so small that products underflow, some to -0; rarely infinite or NaN if `wild`.
    fn float<T: Float>(&mut self, wild: bool) -> T {
        let x = self.next();
        let sign = if x & 1 == 0 { 1.0 } else { -1.0 };
        match x >> 1 & 0x3ff {
            0 if wild => T::of(f64::NAN),
            1 if wild => T::of(sign * f64::INFINITY),
            y if y % 16 == 3 => T::of(sign) * T::TINY,
            y if y % 64 == 4 => T::of(0.0 * sign),
            _ => T::of(sign * (0.5 + (self.next() % 4096) as f64 / 4096.0)),
        }
    }
}

/// How a matrix lies in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lie {
    Rows,
    /// Rows apart from each other.
    Apart,
    Columns,
    /// Neither stride is 1.
    Scattered,
    /// Both directions backwards.
    Backwards,
    /// Rows forwards, columns contiguous but backwards.
    Upwards,
    /// All rows are one.
    SameRow,
    /// All columns are one.
    SameColumn,
    /// Row stride of 2 KiB.
    Aliased,
}
use Lie::*;

const ALL: [Lie; 9] = [Rows, Apart, Columns, Scattered, Backwards, Upwards, SameRow, SameColumn, Aliased];

impl Lie {
    /// Length of the storage, offset of the first element, strides.
    fn place<T>(self, rows: usize, cols: usize) -> (usize, usize, [isize; 2]) {
        let (r, c) = (rows as isize, cols as isize);
        let last = |count: usize| count.saturating_sub(1);
        let (rs, cs) = match self {
            Rows => (c, 1),
            Apart => (c + 3, 1),
            Columns => (1, r),
            Scattered => (3 * c + 1, 3),
            Backwards => (-c, -1),
            Upwards => (-1, -r),
            SameRow => (0, 1),
            SameColumn => (1, 0),
            Aliased => ((c as usize * size_of::<T>()).next_multiple_of(2048) as isize / size_of::<T>() as isize, 1),
        };
        let reach = |stride: isize, count: usize| (stride.unsigned_abs() * last(count), stride < 0);
        let ((down, up), (right, left)) = (reach(rs, rows), reach(cs, cols));
        let offset = usize::from(up) * down + usize::from(left) * right;
        (down + right + 1, offset, [rs, cs])
    }
}

/// A matrix with its storage.
struct Owned<T> {
    data: Vec<T>,
    offset: usize,
    shape: [usize; 2],
    strides: [isize; 2],
}

impl<T: Copy> Owned<T> {
    fn new(lie: Lie, rows: usize, cols: usize, mut element: impl FnMut() -> T) -> Self {
        let (len, offset, strides) = lie.place::<T>(rows, cols);
        Owned { data: (0..len).map(|_| element()).collect(), offset, shape: [rows, cols], strides }
    }
    fn mat(&self) -> Mat<'_, T> {
        Mat::new(&self.data, self.offset, self.shape, self.strides).unwrap()
    }
    fn mat_mut(&mut self) -> MatMut<'_, T> {
        MatMut::new(&mut self.data, self.offset, self.shape, self.strides).unwrap()
    }
    fn get(&self, i: usize, j: usize) -> T {
        self.data[self.offset.wrapping_add_signed(i as isize * self.strides[0] + j as isize * self.strides[1])]
    }
    fn row(&self, i: usize) -> Vec<T> {
        (0..self.shape[1]).map(|j| self.get(i, j)).collect()
    }
    fn column(&self, j: usize) -> Vec<T> {
        (0..self.shape[0]).map(|i| self.get(i, j)).collect()
    }
}

/// Scratch of exactly the size asked for, full of NaN.
fn scratch<T: Product>(m: usize, n: usize, k: usize) -> Vec<MaybeUninit<u8>> {
    vec![MaybeUninit::new(0xff); gemm_scratch::<T>(m, n, k).size()]
}

/// One product in every way this CPU has, against the definition.
struct Case<T> {
    a: Owned<T>,
    b: Owned<T>,
    bias: Option<Vec<T>>,
    relu: bool,
}

impl<T: Float> Case<T> {
    fn new(m: usize, n: usize, k: usize, a: Lie, b: Lie, wild: bool) -> Self {
        let mut source = Source((m * 1000003 + n * 1009 + k) as u64);
        let a = Owned::new(a, m, k, || source.float(wild));
        let b = Owned::new(b, k, n, || source.float(wild));
        let bias = (m + n + k).is_multiple_of(3).then(|| (0..n).map(|_| source.float(wild)).collect());
        Case { a, b, bias, relu: (m + k).is_multiple_of(2) }
    }

    fn expected(&self, step: Step<T>) -> Owned<T> {
        let [m, n] = [self.a.shape[0], self.b.shape[1]];
        let rows: Vec<_> = (0..m).map(|i| self.a.row(i)).collect();
        let columns: Vec<_> = (0..n).map(|j| self.b.column(j)).collect();
        let mut at = (0..m * n).map(|x| (x / n, x % n));
        Owned::new(Rows, m, n, || {
            let (i, j) = at.next().unwrap_or_default();
            if m * n == 0 {
                return T::default();
            }
            let sum = by_definition(step, n, &rows[i], &columns[j]);
            let x = self.bias.as_ref().map_or(sum, |bias| sum + bias[j]);
            if self.relu && x < T::default() { T::default() } else { x }
        })
    }

    fn epilogue(&self) -> Epilogue<'_, T> {
        Epilogue { bias: self.bias.as_deref(), relu: self.relu }
    }

    /// C where it lies as `lie`, computed in pieces: rows at `cut.0`, columns at `cut.1`.
    fn run(&self, isa: Isa, lie: Lie, cut: (usize, usize), packed: Option<Packed<'_, T>>) -> Owned<T> {
        let ([m, k], n) = (self.a.shape, self.b.shape[1]);
        let mut c = Owned::new(lie, m, n, || T::of(f64::NAN));
        for rows in [0..cut.0, cut.0..m] {
            let mut scratch = scratch::<T>(rows.len(), n, k);
            for columns in [0..cut.1, cut.1..n] {
                let all = c.mat_mut();
                // SAFETY: these rows of C are borrowed from `c`.
                let mut out = unsafe { MatMut::from_raw(all.at(rows.start, 0), [rows.len(), n], c.strides) };
                let a = self.a.mat().rows(rows.clone());
                match packed {
                    Some(b) => gemm_packed(isa, a, b, &mut out, columns, self.epilogue(), &mut scratch),
                    None => gemm(isa, a, self.b.mat(), &mut out, columns, self.epilogue(), &mut scratch),
                }
            }
        }
        c
    }

    fn check(&self) {
        let ([m, k], n) = (self.a.shape, self.b.shape[1]);
        let mut packed = vec![MaybeUninit::uninit(); packed_len::<T>(k, n).unwrap()];
        let panels = n / Packed::<T>::panel();
        for &isa in Isa::available() {
            let expected = self.expected(step(isa));
            pack(isa, self.b.mat(), &mut packed);
            // SAFETY: `pack` initialised all of it.
            let packed = unsafe { std::slice::from_raw_parts(packed.as_ptr().cast(), packed.len()) };
            let packed = Packed::new(packed, k, n).unwrap();
            let runs = [
                ("rows", self.run(isa, Rows, (0, 0), None)),
                ("packed", self.run(isa, Rows, (0, 0), Some(packed))),
                ("cut", self.run(isa, Apart, (m / 3, (n - n / 3).min(n)), None)),
                ("cut, packed", self.run(isa, Apart, (m - m / 4, panels / 2 * Packed::<T>::panel()), Some(packed))),
                ("columns", self.run(isa, Columns, (m / 2, n / 2), None)),
                ("backwards, packed", self.run(isa, Backwards, (0, 0), Some(packed))),
            ];
            for (way, c) in runs {
                for i in 0..m {
                    for j in 0..n {
                        let (got, want) = (c.get(i, j), expected.get(i, j));
                        let (a, b) = (self.a.strides, self.b.strides);
                        assert!(
                            got.same(want),
                            "{isa} {way} {m}x{k}x{n} {a:?} {b:?} at {i}, {j}: {got:?}, not {want:?}"
                        );
                    }
                }
            }
        }
    }
}

fn each_shape<T: Float>() {
    for m in 1..=14 {
        for n in [1, 2, 3, 4, 5, 16, 17, 33, 64, 97] {
            for k in [1, 10, 64, 65, 257] {
                Case::<T>::new(m, n, k, Rows, Rows, (m + n) % 3 == 0).check();
            }
        }
    }
    for k in [0, 2, 15, 16, 17, 31, 63, 127, 128, 129, 255, 256, 511, 512, 513, 1025] {
        for (m, n) in [(1, 1), (1, 40), (5, 1), (18, 1), (3, 4), (9, 48), (13, 33)] {
            Case::<T>::new(m, n, k, Rows, Rows, k % 2 == 0).check();
        }
    }
}

fn each_layout<T: Float>() {
    for (m, n, k) in
        [(1, 1, 70), (1, 50, 300), (2, 33, 80), (4, 3, 260), (17, 1, 130), (21, 2, 19), (13, 35, 270), (30, 64, 33)]
    {
        for a in ALL {
            for b in ALL {
                Case::<T>::new(m, n, k, a, b, false).check();
            }
        }
    }
}

#[test]
fn each_shape_by_definition() {
    each_shape::<f32>();
    each_shape::<f64>();
}

#[test]
fn each_layout_by_definition() {
    each_layout::<f32>();
    each_layout::<f64>();
}

/// Sizes at which blocks are packed: many rows, many columns, more than one block of each.
#[test]
fn large_sizes_by_definition() {
    for (m, n, k, a, b) in [
        (193, 530, 300, Rows, Rows),
        (241, 550, 40, Columns, Rows),
        (250, 300, 258, Rows, Columns),
        (435, 45, 20, Scattered, Backwards),
        (245, 2100, 8, Rows, Rows),
        (60, 700, 270, Aliased, Columns),
        (7, 2500, 31, Rows, Aliased),
        (1, 2500, 270, Rows, Rows),
        (300, 1, 700, Columns, SameColumn),
    ] {
        Case::<f32>::new(m, n, k, a, b, false).check();
        Case::<f64>::new(m, n, k, a, b, false).check();
    }
}

#[test]
fn empty_products() {
    for (m, n, k) in [(0, 3, 4), (3, 0, 4), (3, 4, 0), (0, 0, 0), (1, 1, 0), (5, 1, 0), (1, 7, 0)] {
        Case::<f32>::new(m, n, k, Rows, Rows, false).check();
    }
}

/// `matmul(ones((2, 4)), broadcast_to(1.0, (4, 1)))` is `[[4], [4]]`, on either side.
#[test]
fn a_broadcast_operand_has_strides_of_zero() {
    let (ones, mut scratch) = ([1.0f64; 8], scratch::<f64>(4, 4, 4));
    let full = |shape: [usize; 2]| Mat::new(&ones, 0, shape, [shape[1] as isize, 1]).unwrap();
    let one = |shape| Mat::new(&ones[..1], 0, shape, [0, 0]).unwrap();
    for (a, b, m, n) in
        [(full([2, 4]), one([4, 1]), 2, 1), (one([1, 4]), full([4, 2]), 1, 2), (one([2, 4]), one([4, 2]), 2, 2)]
    {
        for &isa in Isa::available() {
            let mut c = [0.0; 4];
            let mut out = MatMut::new(&mut c, 0, [m, n], [n as isize, 1]).unwrap();
            gemm(isa, a, b, &mut out, 0..n, Epilogue::default(), &mut scratch);
            assert_eq!(c[..m * n], [4.0; 4][..m * n]);
        }
    }
}

/// The orders against `f64` sums: the error stays within that of chains of 256, or of k / 64.
#[test]
fn the_orders_are_accurate() {
    let (m, k) = (9, 5000);
    for n in [1, 20] {
        let case = Case::<f32>::new(m, n, k, Rows, Rows, false);
        let c = Case { bias: None, relu: false, ..case }.run(Isa::current(), Rows, (0, 0), None);
        let case = Case::<f32>::new(m, n, k, Rows, Rows, false);
        for i in 0..m {
            for j in 0..n {
                let terms = case.a.row(i).into_iter().zip(case.b.column(j)).map(|(a, b)| f64::from(a) * f64::from(b));
                let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), x| (sum + x, size + f64::abs(x)));
                let error = (f64::from(c.get(i, j)) - sum).abs();
                assert!(error <= size * 300.0 * f64::from(f32::EPSILON), "{n}: {error} of {size}");
            }
        }
    }
}

/// Whole numbers in every element type against `i64`, in every layout.
fn whole<T: Product + PartialEq + Debug>(from: fn(i64) -> T) {
    for (m, n, k) in [(1, 1, 300), (2, 3, 4), (5, 1, 7), (1, 90, 12), (9, 70, 300), (200, 5, 20), (3, 4, 0)] {
        for (a, b, c) in [(Rows, Rows, Rows), (Columns, Backwards, Columns), (Scattered, SameRow, Apart)] {
            let mut source = Source(7);
            let mut digits = |rows, cols, lie| Owned::new(lie, rows, cols, || (source.next() % 3) as i64);
            let (a, b, bias) = (digits(m, k, a), digits(k, n, b), digits(1, n, Rows));
            let other = |x: &Owned<i64>| Owned {
                data: x.data.iter().map(|&x| from(x)).collect(),
                offset: x.offset,
                shape: x.shape,
                strides: x.strides,
            };
            let (x, y, z) = (other(&a), other(&b), other(&bias));
            for &isa in Isa::available() {
                let mut out = Owned::new(c, m, n, || from(99));
                let epilogue = Epilogue { bias: Some(&z.data[..n]), relu: false };
                let mut scratch = scratch::<T>(m, n, k);
                for columns in [0..n / 2, n / 2..n] {
                    gemm(isa, x.mat(), y.mat(), &mut out.mat_mut(), columns, epilogue, &mut scratch);
                }
                for i in 0..m {
                    for j in 0..n {
                        let sum: i64 = (0..k).map(|k| a.get(i, k) * b.get(k, j)).sum();
                        assert_eq!(out.get(i, j), from(sum + bias.get(0, j)), "{isa} {m}x{k}x{n} at {i}, {j}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_element_multiplies() {
    whole(|x| x as i8);
    whole(|x| x as i16);
    whole(|x| x as i32);
    whole(|x| x);
    whole(|x| x as u8);
    whole(|x| x as u16);
    whole(|x| x as u32);
    whole(|x| x as u64);
    whole(|x| x as f32);
    whole(|x| x as f64);
    whole(|x| f16::from_f64(x as f64));
    whole(|x| bf16::from_f64(x as f64));
    whole(|x| Complex::new(x as f32, 0.0));
    whole(|x| Complex::new(x as f64, 0.0));
    whole(|x| x != 0);
}

#[test]
fn complex_numbers_multiply() {
    let (a, b) = ([Complex::new(1.0, 2.0), Complex::new(0.0, -1.0)], [Complex::new(3.0, -1.0), Complex::new(2.0, 5.0)]);
    let mut c = [Complex::default(); 1];
    let (row, column) = (Mat::new(&a, 0, [1, 2], [2, 1]).unwrap(), Mat::new(&b, 0, [2, 1], [1, 1]).unwrap());
    let mut out = MatMut::new(&mut c, 0, [1, 1], [1, 1]).unwrap();
    let mut scratch = scratch::<Complex<f64>>(1, 1, 2);
    gemm(Isa::current(), row, column, &mut out, 0..1, Epilogue::default(), &mut scratch);
    assert_eq!(c[0], Complex::new(10.0, 3.0));
}

/// Whole numbers, so that sums are exact in any order: one column and more, several blocks, rows or columns contiguous.
#[test]
fn complex_products_are_those_of_their_parts() {
    let number = |i: usize| Complex::new((i * 7 % 5) as f32 - 2.0, (i * 3 % 7) as f32 - 3.0);
    for [m, k, n] in [[1, 1, 1], [5, 3, 1], [17, 1100, 1], [33, 513, 1], [1, 40, 9], [3, 300, 4], [70, 20, 130]] {
        let (a, b): (Vec<_>, Vec<_>) = ((0..m * k).map(number).collect(), (0..k * n).map(|i| number(i + 11)).collect());
        for turned in [false, true] {
            let [a_strides, b_strides] = if turned { [[1, m], [1, k]] } else { [[k, 1], [n, 1]] };
            let at = |i: usize, j: usize, [rs, cs]: [usize; 2]| i * rs + j * cs;
            let signed = |strides: [usize; 2]| strides.map(|s| s as isize);
            let mut c = vec![Complex::default(); m * n];
            let x = Mat::new(&a, 0, [m, k], signed(a_strides)).unwrap();
            let y = Mat::new(&b, 0, [k, n], signed(b_strides)).unwrap();
            let mut out = MatMut::new(&mut c, 0, [m, n], [n as isize, 1]).unwrap();
            let bias: Vec<_> = (0..n).map(|j| Complex::new(j as f32, 1.0)).collect();
            let epilogue = Epilogue { bias: Some(&bias), relu: false };
            gemm(Isa::current(), x, y, &mut out, 0..n, epilogue, &mut scratch::<Complex<f32>>(m, n, k));
            for i in 0..m {
                for j in 0..n {
                    let terms = (0..k).map(|p| a[at(i, p, a_strides)] * b[at(p, j, b_strides)]);
                    assert_eq!(c[i * n + j], terms.fold(bias[j], |sum, x| sum + x), "{m}x{k}x{n} {turned} ({i}, {j})");
                }
            }
        }
    }
}

/// Rows of `f16` alone and in a batch, columns cut or not: the same bits.
#[test]
fn halves_round_once_and_do_not_depend_on_the_batch() {
    let (m, n, k) = (200, 300, 600);
    let mut source = Source(3);
    let mut halves = |rows, cols| Owned::new(Rows, rows, cols, || f16::from_f32(source.float::<f32>(false)));
    let (a, b) = (halves(m, k), halves(k, n));
    let mut scratch = scratch::<f16>(m, n, k);
    let mut product = |rows: Range<usize>, cut: usize| {
        let mut c = Owned::new(Rows, rows.len(), n, || f16::NAN);
        for columns in [0..cut, cut..n] {
            gemm(
                Isa::current(),
                a.mat().rows(rows.clone()),
                b.mat(),
                &mut c.mat_mut(),
                columns,
                Epilogue::default(),
                &mut scratch,
            );
        }
        c
    };
    let whole = product(0..m, 0);
    for i in [0, 57, 199] {
        assert_eq!(product(i..i + 1, 1).data, whole.row(i));
        let wide: Vec<_> = a.row(i).iter().map(|x| x.to_f32()).collect();
        let column: Vec<_> = b.column(5).iter().map(|x| x.to_f32()).collect();
        assert_eq!(whole.get(i, 5), f16::from_f32(blocks_of_256(step(Isa::current()), &wide, &column)));
    }
}

#[test]
fn misfits_are_refused() {
    let data = [0.0f32; 16];
    let attempt = |a: [usize; 2], b: [usize; 2], c: [usize; 2], columns: Range<usize>, bias: usize, bytes: usize| {
        std::panic::catch_unwind(|| {
            let (mut out, mut scratch) = ([0.0f32; 16], vec![MaybeUninit::uninit(); bytes]);
            let mat = |shape: [usize; 2]| Mat::new(&data, 0, shape, [shape[1] as isize, 1]).unwrap();
            let mut c = MatMut::new(&mut out, 0, c, [c[1] as isize, 1]).unwrap();
            let epilogue = Epilogue { bias: Some(&data[..bias]), relu: false };
            gemm(Isa::current(), mat(a), mat(b), &mut c, columns, epilogue, &mut scratch);
        })
        .is_ok()
    };
    let enough = gemm_scratch::<f32>(2, 4, 3).size();
    assert!(attempt([2, 3], [3, 4], [2, 4], 0..4, 4, enough));
    assert!(!attempt([2, 3], [4, 4], [2, 4], 0..4, 4, enough));
    assert!(!attempt([2, 3], [3, 4], [3, 4], 0..4, 4, enough));
    assert!(!attempt([2, 3], [3, 4], [2, 4], 0..5, 4, enough));
    assert!(!attempt([2, 3], [3, 4], [2, 4], 0..4, 3, enough));
    assert!(!attempt([2, 3], [3, 4], [2, 4], 0..4, 4, enough - 1));
}
