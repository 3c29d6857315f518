//! Sorting against the standard library's, on every instruction set of this processor.
use super::*;
use freelane_simd::Isa;

/// Reproducible numbers (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> i64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as i64
    }
}

/// Sequences of every kind: random, sorted, reversed, all equal, few distinct, organ pipe, sawtooth, extreme, nearly sorted.
fn patterns(n: usize) -> Vec<Vec<i64>> {
    let mut random = Random(n as u64);
    let mut with = |f: &dyn Fn(i64, i64) -> i64| (0..n as i64).map(|i| f(i, random.next())).collect::<Vec<_>>();
    let middle = n as i64 / 2;
    vec![
        with(&|_, r| r),
        with(&|i, _| i),
        with(&|i, _| -i),
        with(&|_, _| 7),
        with(&|_, r| r & 3),
        with(&|i, _| (i - middle).abs()),
        with(&|i, _| -(i - middle).abs()),
        with(&|i, _| i % 17),
        with(&|_, r| [i64::MIN, i64::MAX, 0, -1][(r & 3) as usize]),
        with(&|i, r| if r & 31 == 0 { r } else { i }),
        with(&|_, r| r >> 20 << 20),
        with(&|i, r| if i < n as i64 - 5 { i } else { r % 1000 }),
        with(&|i, r| if i < 5 { r % 1000 } else { i }),
        with(&|i, _| i / 7 - i % 7 * 1000),
        with(&|i, _| (i % (n as i64 / 3).max(1)) * if i < middle { 1 } else { -1 }),
        with(&|i, _| -i / 10),
    ]
}

fn sizes() -> impl Iterator<Item = usize> {
    (0..300).chain([511, 512, 513, 1000, 2047, 2048, 5000, 40_000, 70_001])
}

fn check_sort<K: SortKey + std::fmt::Debug>(narrow: impl Fn(i64) -> K) {
    for pattern in sizes().flat_map(patterns) {
        let keys: Vec<K> = pattern.into_iter().map(&narrow).collect();
        let mut want = keys.clone();
        want.sort();
        for &isa in Isa::available() {
            let (mut got, mut aside) = (keys.clone(), vec![K::default(); keys.len()]);
            K::sort(isa, &mut got, &mut aside);
            assert_eq!(got, want, "{isa}, {} keys", keys.len());
        }
    }
}

#[test]
fn keys_of_32_and_64_bits_are_sorted() {
    check_sort(|k| k);
    check_sort(|k| k as i32);
}

#[test]
fn rows_are_sorted_each_by_itself() {
    for (n, rows) in [(10, 37), (1, 5), (17, 33), (40, 7), (63, 16), (64, 29), (65, 3)] {
        check_rows(n, rows);
    }
}

fn check_rows(n: usize, rows: usize) {
    let keys: Vec<i64> = patterns(n * rows).swap_remove(0).iter().map(|k| k >> 50).collect();
    let mut want = keys.clone();
    want.chunks_mut(n).for_each(<[i64]>::sort);
    for &isa in Isa::available() {
        let (mut got, mut aside) = (keys.clone(), vec![0; n]);
        i64::sort_rows(isa, &mut got, n, &mut aside);
        assert_eq!(got, want, "{isa}, {rows} rows of {n}");
        let (mut half, mut aside) = (keys.iter().map(|&k| k as i32).collect::<Vec<_>>(), vec![0; n]);
        i32::sort_rows(isa, &mut half, n, &mut aside);
        assert!(half.iter().map(|&k| i64::from(k)).eq(want.iter().copied()), "{isa}, {rows} rows of {n}");
        let mut narrow: Vec<i16> = keys.iter().map(|&k| k as i16).collect();
        sort_rows_16(isa, &mut narrow, n);
        assert!(narrow.iter().map(|&k| i64::from(k)).eq(want.iter().copied()), "{isa}");
        let mut bytes: Vec<i8> = keys.iter().map(|&k| (k >> 7) as i8).collect();
        sort_rows_8(isa, &mut bytes, n);
        assert!(bytes.iter().map(|&k| i64::from(k)).eq(want.iter().map(|k| k >> 7)), "{isa}");
    }
}

#[test]
fn columns_are_sorted_each_by_itself() {
    for n in (0..70).chain([127, 128, 156, 255, 256]) {
        let keys = patterns(n * COLUMNS).swap_remove(0);
        let rows: Vec<[i64; COLUMNS]> = keys.chunks_exact(COLUMNS).map(|row| row.try_into().unwrap()).collect();
        for &isa in Isa::available() {
            let mut got = rows.clone();
            i64::sort_columns(isa, &mut got);
            for c in 0..COLUMNS {
                let mut want: Vec<i64> = rows.iter().map(|row| row[c]).collect();
                want.sort();
                assert!(got.iter().map(|row| row[c]).eq(want), "{isa}, {n} rows");
            }
            let narrow = |rows: &[[i64; COLUMNS]]| rows.iter().map(|row| row.map(|k| k as i32)).collect::<Vec<_>>();
            let (mut got, mut plain) = (narrow(&rows), narrow(&rows));
            i32::sort_columns(isa, &mut got);
            sort_columns_plain(&mut plain);
            assert_eq!(got, plain, "{isa}, {n} rows");
        }
    }
}

#[test]
fn falling_keys_are_ordered_without_sorting() {
    for keys in [vec![], vec![5], vec![9, 7, 7, 7, 3, 3, 1], vec![4; 200], (0..500).map(|i: i64| -i / 3).collect()] {
        let mut got = vec![0; keys.len()];
        assert!(falls(&keys));
        order_falling(&keys, |place, number| got[place] = number);
        assert_eq!(got, stable(&keys));
    }
    assert!(!falls(&[1, 2]) && !falls(&(0..130).map(|i: i64| if i == 129 { 1 } else { 0 }).collect::<Vec<_>>()));
    assert!(!falls(&(0..66).map(|i: i64| if i >= 64 { 1 } else { 0 }).collect::<Vec<_>>()));
}

#[test]
fn parts_keep_their_order() {
    for pattern in sizes().flat_map(patterns).filter(|p| !p.is_empty()) {
        for &isa in Isa::available() {
            let pivot = pattern[pattern.len() / 3];
            let (front, back): (Vec<i64>, Vec<i64>) = pattern.iter().partition(|&&k| k < pivot);
            let (mut got, mut aside) = (pattern.clone(), vec![0; pattern.len()]);
            assert_eq!(i64::part(isa, &mut got, &mut aside, pivot), front.len(), "{isa}");
            assert_eq!(got, [front, back].concat(), "{isa}");
        }
    }
}

#[test]
fn the_kth_key_divides_the_others() {
    for pattern in sizes().flat_map(patterns).filter(|p| !p.is_empty()) {
        let keys: Vec<i32> = pattern.iter().map(|&k| k as i32).collect();
        let mut sorted = keys.clone();
        sorted.sort();
        for k in [0, keys.len() / 2, keys.len() - 1] {
            for &isa in Isa::available() {
                let (mut got, mut aside) = (keys.clone(), vec![0; keys.len()]);
                i32::select(isa, &mut got, &mut aside, k);
                let kth = got[k];
                assert_eq!(kth, sorted[k], "{isa}, {k} of {}", keys.len());
                assert!(got[..k].iter().all(|&x| x <= kth) && got[k..].iter().all(|&x| x >= kth), "{isa}");
                got.sort();
                assert_eq!(got, sorted, "{isa}");
            }
        }
    }
}

#[test]
fn narrow_keys_are_sorted() {
    for pattern in sizes().flat_map(patterns) {
        let mut bytes: Vec<i8> = pattern.iter().map(|&k| (k >> 3) as i8).collect();
        let mut want = bytes.clone();
        want.sort();
        sort_8(&mut bytes);
        assert_eq!(bytes, want);
        let words: Vec<i16> = pattern.iter().map(|&k| (k >> 3) as i16).collect();
        let mut want = words.clone();
        want.sort();
        for &isa in Isa::available() {
            let mut got = words.clone();
            sort_16(isa, &mut got, &mut vec![0; words.len()], &mut vec![0; counters(words.len())]);
            assert_eq!(got, want, "{isa}");
        }
    }
}

fn stable<K: Ord>(keys: &[K]) -> Vec<i64> {
    let mut order: Vec<i64> = (0..keys.len() as i64).collect();
    order.sort_by_key(|&i| &keys[i as usize]);
    order
}

#[test]
fn orders_are_stable() {
    for pattern in sizes().flat_map(patterns) {
        let n = pattern.len();
        let want = stable(&pattern);
        let packing = Packing::new(n, Span::of(&pattern));
        for &isa in Isa::available() {
            let (mut packed, mut aside, mut got) = (vec![0; n], vec![0; n], vec![0; n]);
            pack(&pattern, 0, packing, &mut packed);
            i64::sort(isa, &mut packed, &mut aside);
            if !packing.is_whole() {
                settle(isa, &mut packed, &pattern, packing, &mut aside);
            }
            // SAFETY: as many places as numbers.
            unsafe { unpack(&packed, packing, got.as_mut_ptr(), 8) };
            assert_eq!(got, want, "{isa}, {packing:?}");
        }
        let words: Vec<i16> = pattern.iter().map(|&k| (k >> 3) as i16).collect();
        let mut got = vec![0; n];
        order_narrow(&words, &mut vec![0; n], |place, i| got[place] = i);
        assert_eq!(got, stable(&words));
        let bytes: Vec<i8> = words.iter().map(|&k| k as i8).collect();
        order_narrow(&bytes, &mut [], |place, i| got[place] = i);
        assert_eq!(got, stable(&bytes));
    }
}

#[test]
fn spans_add_up() {
    for pattern in patterns(100) {
        let (a, b) = pattern.split_at(37);
        assert_eq!(Span::of(a).and(Span::of(b)).and(Span::NOTHING), Span::of(&pattern));
    }
}

#[test]
fn places_are_found_on_both_sides() {
    let sorted = [f64::NEG_INFINITY, -1.0, -0.0, 0.0, 0.0, 3.0, f64::INFINITY, f64::NAN, f64::NAN];
    let values = [f64::NAN, -f64::NAN, 0.0, -0.0, 2.0, 3.0, f64::INFINITY, f64::NEG_INFINITY, -7.0];
    let left = [7, 7, 2, 2, 5, 5, 6, 0, 1];
    let right = [9, 9, 5, 5, 5, 6, 7, 1, 1];
    for (side, want) in [(Side::Left, left), (Side::Right, right)] {
        for len in 0..=sorted.len() {
            let mut got = [0; 9];
            let run = insertion_points::<f64>(side);
            // SAFETY: nine values, nine places.
            unsafe { run(sorted.as_ptr().cast(), len, 9, values.as_ptr().cast(), 8, got.as_mut_ptr(), 8) };
            assert_eq!(got, want.map(|w| w.min(len as i64)));
        }
    }
    let long: Vec<u16> = (0..1000).map(|i| i / 3 * 2).collect();
    let values: Vec<u16> = (0..700).rev().collect();
    let mut got = vec![0; 700];
    // SAFETY: as many values as places.
    unsafe {
        insertion_points::<u16>(Side::Left)(
            long.as_ptr().cast(),
            1000,
            700,
            values.as_ptr().cast(),
            2,
            got.as_mut_ptr(),
            8,
        )
    };
    let want: Vec<i64> = values.iter().map(|v| long.partition_point(|x| x < v) as i64).collect();
    assert_eq!(got, want);
}
