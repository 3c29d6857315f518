//! Lines of an array along one axis, and putting each in order.
//!
//! Elements become keys, those are sorted, and become elements again; see [`freelane_kernels::sort`]. Many lines are shared out
//! among threads. A single long one is first cut into parts of which each holds larger keys than the one before.
use super::lines::{Group, Lines, carve};
use super::long;
use super::positions::Shared;
use super::take::take_along_axis;
use crate::ufunc::{finish, uninit};
use crate::{Array, InOp, OpsError};
use freelane_array::{ArrayData, DType, Element, Layout, types::*};
use freelane_kernels::sort::{self as kernel, Codec, Key, Narrow, Packing, SortKey, Span, codec};
use freelane_mem::{MemError, ScratchReq};
use freelane_pool::Lane;
use freelane_simd::{Find, Isa};
use std::mem::MaybeUninit;

/// Estimated nanoseconds to sort an element.
pub(super) const COST: u64 = 10;

/// The loops of a real dtype.
pub(super) fn codec_of(dtype: DType, descending: bool) -> Option<Codec> {
    Some(match dtype {
        DType::Bool => codec::<bool>(descending),
        DType::U8 => codec::<u8>(descending),
        DType::I8 => codec::<i8>(descending),
        DType::U16 => codec::<u16>(descending),
        DType::I16 => codec::<i16>(descending),
        DType::U32 => codec::<u32>(descending),
        DType::I32 => codec::<i32>(descending),
        DType::U64 => codec::<u64>(descending),
        DType::I64 => codec::<i64>(descending),
        DType::F16 => codec::<f16>(descending),
        DType::BF16 => codec::<bf16>(descending),
        DType::F32 => codec::<f32>(descending),
        DType::F64 => codec::<f64>(descending),
        DType::C64 | DType::C128 => return None,
    })
}

/// A key of any width, with the way to sort it.
pub(super) trait LineKey: Key + From<i8> {
    /// Scratch besides the keys.
    fn scratch(n: usize) -> ScratchReq;
    /// Sorts keys, which has this scratch.
    fn sort(keys: &mut [Self], scratch: &mut [MaybeUninit<u8>]);
    /// Sorts rows of `n` keys each, at most [`ROW`]; the scratch is that of one.
    fn sort_rows(keys: &mut [Self], n: usize, scratch: &mut [MaybeUninit<u8>]);
    /// Whether one of the keys is `key`.
    fn is_among(key: Self, keys: &[Self]) -> bool {
        keys.iter().fold(false, |any, &k| any | (k == key))
    }
    /// Sorts columns.
    fn sort_columns(rows: &mut [[Self; kernel::COLUMNS]]) {
        kernel::sort_columns_plain(rows);
    }
}

/// Keys of a row that is short.
const ROW: usize = kernel::FEW;

macro_rules! wide_keys {
    ($($K:ty)*) => {$(
        impl LineKey for $K {
            fn scratch(n: usize) -> ScratchReq {
                ScratchReq::of::<$K>(n)
            }
            fn sort(keys: &mut [$K], scratch: &mut [MaybeUninit<u8>]) {
                let (aside, _) = carve(scratch, keys.len());
                <$K as SortKey>::sort(Isa::current(), keys, aside);
            }
            fn sort_rows(keys: &mut [$K], n: usize, scratch: &mut [MaybeUninit<u8>]) {
                let (aside, _) = carve(scratch, n);
                <$K as SortKey>::sort_rows(Isa::current(), keys, n, aside);
            }
            fn is_among(key: $K, keys: &[$K]) -> bool {
                // SAFETY: there are so many keys.
                unsafe { <$K>::first_equal(keys.as_ptr(), keys.len(), key) < keys.len() }
            }
            fn sort_columns(rows: &mut [[$K; kernel::COLUMNS]]) {
                <$K as SortKey>::sort_columns(Isa::current(), rows);
            }
        }
    )*};
}
wide_keys!(i32 i64);

impl LineKey for i8 {
    fn scratch(_: usize) -> ScratchReq {
        ScratchReq::EMPTY
    }
    fn sort(keys: &mut [i8], _: &mut [MaybeUninit<u8>]) {
        kernel::sort_8(keys);
    }
    fn sort_rows(keys: &mut [i8], n: usize, _: &mut [MaybeUninit<u8>]) {
        kernel::sort_rows_8(Isa::current(), keys, n);
    }
}

impl LineKey for i16 {
    fn scratch(n: usize) -> ScratchReq {
        ScratchReq::of::<i16>(n).and(ScratchReq::of::<i64>(kernel::counters(n)))
    }
    fn sort(keys: &mut [i16], scratch: &mut [MaybeUninit<u8>]) {
        let (aside, rest) = carve(scratch, keys.len());
        let (counts, _) = carve(rest, kernel::counters(keys.len()));
        kernel::sort_16(Isa::current(), keys, aside, counts);
    }
    fn sort_rows(keys: &mut [i16], n: usize, _: &mut [MaybeUninit<u8>]) {
        kernel::sort_rows_16(Isa::current(), keys, n);
    }
}

/// The elements along an axis in order.
pub(super) fn sorted(
    lane: &Lane,
    op: &'static str,
    x: &ArrayData,
    axis: usize,
    descending: bool,
) -> Result<ArrayData, OpsError> {
    let Some(codec) = codec_of(x.dtype(), descending) else {
        let order: Array = order(lane, op, x, axis, descending)?.into();
        return take_along_axis(lane, x, &order, axis as isize);
    };
    let layout = Layout::contiguous(x.layout().shape()).in_op(op)?;
    let mut buffer = uninit(lane, &layout, x.dtype(), op)?;
    let lines = Lines::new(x, axis, buffer.as_mut_ptr(), &layout, x.dtype().size());
    match codec.width {
        1 => sort_lines::<i8>(lane, op, codec, &lines)?,
        2 => sort_lines::<i16>(lane, op, codec, &lines)?,
        4 => sort_long_lines::<i32>(lane, op, codec, &lines)?,
        _ => sort_long_lines::<i64>(lane, op, codec, &lines)?,
    }
    // SAFETY: every line was written.
    Ok(unsafe { finish(buffer, x.dtype(), layout) })
}

/// As [`sort_lines`], for keys of which a long line is worth sharing.
fn sort_long_lines<K: LineKey + SortKey>(
    lane: &Lane,
    op: &'static str,
    codec: Codec,
    lines: &Lines,
) -> Result<(), OpsError> {
    if lines.are_few_and_long(lane, COST) {
        return lines.each(|group| sort_long_line::<K>(lane, op, codec, group));
    }
    sort_lines::<K>(lane, op, codec, lines)
}

fn sort_lines<K: LineKey>(lane: &Lane, op: &'static str, codec: Codec, lines: &Lines) -> Result<(), OpsError> {
    if lines.is_empty() {
        return Ok(());
    }
    let in_place = lines.steps[1] == size_of::<K>() as isize;
    let n = lines.n;
    let room = |count: usize| if in_place { 0 } else { count * n };
    lines.for_each(lane, op, COST, |lane, group| {
        if group.count == 1 && group.copy_if_ordered(codec) {
            return Ok(());
        }
        if n <= kernel::DEPTH
            && group.are_columns(size_of::<K>(), kernel::COLUMNS)
            && sort_columns::<K>(lane, codec, &group)?
        {
            return Ok(());
        }
        let request = ScratchReq::of::<K>(room(group.count)).and(K::scratch(n));
        lane.scratch(request, |scratch| {
            let (keys, rest) = carve::<K>(scratch, room(group.count));
            let first = if in_place { group.out_at(0).cast() } else { keys.as_mut_ptr() };
            let step = if in_place { group.out_step / size_of::<K>() as isize } else { n as isize };
            group.encode(codec, codec.encode, first.cast(), step * size_of::<K>() as isize, size_of::<K>());
            if n <= ROW && step == n as isize {
                // SAFETY: the keys of all lines lie here side by side, in scratch or in the lines of the result.
                let keys = unsafe { std::slice::from_raw_parts_mut(first, n * group.count) };
                sort_rows(codec, &group, keys, rest);
                return group.decode(codec, first.cast(), step * size_of::<K>() as isize, size_of::<K>());
            }
            for i in 0..group.count {
                // SAFETY: the keys of line `i` lie here side by side, in scratch or in the line of the result.
                let keys = unsafe { std::slice::from_raw_parts_mut(first.offset(i as isize * step), n) };
                sort_line(codec, &group.line(i), keys, rest);
            }
            group.decode(codec, first.cast(), step * size_of::<K>() as isize, size_of::<K>());
        })
    })
}

/// Sorts short lines that are columns side by side; false if it is not done, since zeros of both signs keep their order.
fn sort_columns<K: LineKey>(lane: &Lane, codec: Codec, group: &Group<'_>) -> Result<bool, MemError> {
    const SIDE: usize = kernel::COLUMNS;
    let (size, count) = (size_of::<K>() as isize, group.count);
    lane.scratch(ScratchReq::of::<K>(group.n * SIDE), |scratch| {
        let (keys, _) = carve::<K>(scratch, group.n * SIDE);
        let (rows, _) = keys.as_chunks_mut::<SIDE>();
        group.rows(|k, from, _| {
            let to = rows[k].as_mut_ptr().cast();
            // SAFETY: a row of the array has `count` elements, one of keys room for more.
            unsafe { (codec.encode)(codec.descending, count, from, size, to, size) };
        });
        if codec.float && K::is_among(K::from(-1), rows.as_flattened()) {
            return false;
        }
        K::sort_columns(rows);
        group.rows(|k, _, to| {
            let from = rows[k].as_ptr().cast();
            // SAFETY: the row of keys was written; that of the result has as many places.
            unsafe { (codec.decode)(codec.descending, count, from, size, to, size) };
        });
        true
    })
}

/// Sorts short lines, all at once.
fn sort_rows<K: LineKey>(codec: Codec, group: &Group<'_>, keys: &mut [K], rest: &mut [MaybeUninit<u8>]) {
    let n = group.n;
    let both_zeros = codec.float && K::is_among(K::from(-1), keys);
    K::sort_rows(keys, n, rest);
    if both_zeros {
        for (i, keys) in keys.chunks_mut(n).enumerate() {
            order_zeros(codec, &group.line(i), keys);
        }
    }
}

fn sort_line<K: LineKey>(codec: Codec, line: &Group<'_>, keys: &mut [K], rest: &mut [MaybeUninit<u8>]) {
    if line.is_ordered(codec) {
        return;
    }
    K::sort(keys, rest);
    if codec.float {
        order_zeros(codec, line, keys);
    }
}

/// Gives zeros of both signs, which are equal, the order that they have in the line.
fn order_zeros<K: LineKey>(codec: Codec, line: &Group<'_>, keys: &mut [K]) {
    let [minus, zero, one] = [-1, 0, 1].map(K::from);
    let start = keys.partition_point(|&k| k < minus);
    let middle = start + keys[start..].partition_point(|&k| k < zero);
    let end = middle + keys[middle..].partition_point(|&k| k < one);
    if start == middle || middle == end {
        return;
    }
    let (n, mut zeros) = (keys.len(), keys[start..end].iter_mut());
    let mut tile = [zero; 64];
    for from in (0..n).step_by(tile.len()) {
        let tile = &mut tile[..64.min(n - from)];
        let first = line.x_at(from);
        // SAFETY: so many elements of the line follow.
        unsafe {
            (codec.encode)(
                codec.descending,
                tile.len(),
                first,
                line.steps[0],
                tile.as_mut_ptr().cast(),
                size_of::<K>() as isize,
            )
        };
        for &k in tile.iter().filter(|&&k| k == minus || k == zero) {
            if let Some(place) = zeros.next() {
                *place = k;
            }
        }
    }
}

fn sort_long_line<K: LineKey + SortKey>(
    lane: &Lane,
    op: &'static str,
    codec: Codec,
    line: Group<'_>,
) -> Result<(), OpsError> {
    let (n, size) = (line.n, size_of::<K>() as isize);
    let in_place = line.steps[1] == size;
    let request = ScratchReq::of::<K>(if in_place { 0 } else { n }).and(ScratchReq::of::<K>(n));
    lane.scratch(request, |scratch| {
        let (keys, rest) = carve::<K>(scratch, if in_place { 0 } else { n });
        let (aside, _) = carve::<K>(rest, n);
        let first = if in_place { line.out_at(0).cast() } else { keys.as_mut_ptr() };
        // SAFETY: the keys lie here side by side, in scratch or in the line of the result.
        let keys = unsafe { std::slice::from_raw_parts_mut(first, n) };
        let places = Shared(keys.as_mut_ptr());
        long::in_pieces(lane, op, n, 1, |part| {
            let from = line.x_at(part.start);
            // SAFETY: the line has these elements, and pieces have keys of their own.
            unsafe {
                (codec.encode)(codec.descending, part.len(), from, line.steps[0], places.at(part.start).cast(), size)
            };
        })?;
        if !line.is_ordered(codec) {
            long::sort(lane, op, keys, aside)?;
            if codec.float {
                order_zeros(codec, &line, keys);
            }
        }
        let places = Shared(keys.as_mut_ptr());
        long::in_pieces(lane, op, n, 1, |part| {
            let to = line.out_at(part.start);
            // SAFETY: the keys of this piece were written; the line of the result has places for them.
            unsafe {
                (codec.decode)(codec.descending, part.len(), places.at(part.start).cast(), size, to, line.steps[1])
            };
        })
    })
    .in_op(op)?
}

/// The numbers of the elements along an axis in the order of the elements.
pub(super) fn order(
    lane: &Lane,
    op: &'static str,
    x: &ArrayData,
    axis: usize,
    descending: bool,
) -> Result<ArrayData, OpsError> {
    let layout = Layout::contiguous(x.layout().shape()).in_op(op)?;
    let mut buffer = uninit(lane, &layout, DType::I64, op)?;
    let lines = Lines::new(x, axis, buffer.as_mut_ptr(), &layout, size_of::<i64>());
    if !lines.is_empty() {
        match codec_of(x.dtype(), descending) {
            None => order_complex(lane, op, x.dtype(), descending, &lines)?,
            Some(codec) => match codec.width {
                1 => order_narrow::<i8>(lane, op, codec, &lines)?,
                2 => order_narrow::<i16>(lane, op, codec, &lines)?,
                4 => order_lines::<i32>(lane, op, codec, &lines)?,
                _ => order_lines::<i64>(lane, op, codec, &lines)?,
            },
        }
    }
    // SAFETY: every line was written.
    Ok(unsafe { finish(buffer, i64::DTYPE, layout) })
}

/// Writes `0, 1, ...` to the line if it is in order already.
fn is_ordered(codec: Codec, line: &Group<'_>) -> bool {
    if !line.is_ordered(codec) {
        return false;
    }
    let first = line.out_at(0).cast::<i64>();
    if line.steps[1] == size_of::<i64>() as isize {
        for i in 0..line.n {
            // SAFETY: the line of the result has `n` places side by side.
            unsafe { first.add(i).write(i as i64) };
        }
    } else {
        for i in 0..line.n {
            // SAFETY: the line of the result has `n` places.
            unsafe { line.out_at(i).cast::<i64>().write(i as i64) };
        }
    }
    true
}

/// Keys below this are packed with their numbers even if they are narrow.
const FEW: usize = 1024;

fn order_narrow<K: Narrow + Into<i64>>(
    lane: &Lane,
    op: &'static str,
    codec: Codec,
    lines: &Lines,
) -> Result<(), OpsError> {
    let n = lines.n;
    if n < FEW {
        return order_lines::<K>(lane, op, codec, lines);
    }
    let request = ScratchReq::of::<K>(n).and(ScratchReq::of::<i64>(if K::DIGITS > 1 { n } else { 0 }));
    lines.for_each(lane, op, COST / 2, |lane, group| {
        lane.scratch(request, |scratch| {
            let (keys, rest) = carve::<K>(scratch, n);
            let (aside, _) = carve::<i64>(rest, if K::DIGITS > 1 { n } else { 0 });
            for line in (0..group.count).map(|i| group.line(i)).filter(|line| !is_ordered(codec, line)) {
                line.encode(codec, codec.rank, keys.as_mut_ptr().cast(), 0, size_of::<K>());
                kernel::order_narrow(keys, aside, |place, number| {
                    // SAFETY: the line of the result has `n` places.
                    unsafe { line.out_at(place).cast::<i64>().write(number) };
                });
            }
        })
    })
}

fn order_lines<K: Key + Into<i64>>(lane: &Lane, op: &'static str, codec: Codec, lines: &Lines) -> Result<(), OpsError> {
    if lines.are_few_and_long(lane, COST) {
        return lines.each(|line| long::order::<K>(lane, op, codec, line));
    }
    let n = lines.n;
    lines.for_each(lane, op, COST, |lane, group| {
        let request = ScratchReq::of::<K>(group.count * n).and(ScratchReq::of::<i64>(2 * n));
        lane.scratch(request, |scratch| {
            let (keys, rest) = carve::<K>(scratch, group.count * n);
            let (both, _) = carve::<i64>(rest, 2 * n);
            let (packed, aside) = both.split_at_mut(n);
            group.encode(codec, codec.rank, keys.as_mut_ptr().cast(), (n * size_of::<K>()) as isize, size_of::<K>());
            for (i, keys) in keys.chunks(n).enumerate() {
                let line = group.line(i);
                if is_ordered(codec, &line) {
                    continue;
                }
                if kernel::falls(keys) {
                    // SAFETY: the line of the result has `n` places.
                    kernel::order_falling(keys, |place, i| unsafe { line.out_at(place).cast::<i64>().write(i) });
                } else {
                    let packing = order_keys(keys, packed, aside);
                    // SAFETY: the line of the result has `n` places.
                    unsafe { kernel::unpack(packed, packing, line.out_at(0).cast(), line.steps[1]) };
                }
            }
        })
    })
}

/// Packs the numbers of keys so that they are in the order of the keys.
pub(super) fn order_keys<K: Key + Into<i64>>(keys: &[K], packed: &mut [i64], aside: &mut [i64]) -> Packing {
    let isa = Isa::current();
    if keys.len() > kernel::MOST {
        packed.iter_mut().zip(0..).for_each(|(p, i)| *p = i);
        packed.sort_unstable_by_key(|&i| (keys[i as usize], i));
        return Packing::NUMBERS;
    }
    let Some(wide) = as_wide(keys) else {
        kernel::pack(keys, 0, Packing::NARROW, packed);
        <i64 as SortKey>::sort(isa, packed, aside);
        return Packing::NARROW;
    };
    let packing = Packing::new(keys.len(), Span::of(wide));
    kernel::pack(wide, 0, packing, packed);
    <i64 as SortKey>::sort(isa, packed, aside);
    if !packing.is_whole() {
        kernel::settle(isa, packed, wide, packing, aside);
    }
    packing
}

/// Keys of 64 bits as what they are.
pub(super) fn as_wide<K: Key>(keys: &[K]) -> Option<&[i64]> {
    // SAFETY: a key of 64 bits is an `i64`.
    (size_of::<K>() == 8).then(|| unsafe { std::slice::from_raw_parts(keys.as_ptr().cast(), keys.len()) })
}

fn order_complex(lane: &Lane, op: &'static str, dtype: DType, descending: bool, lines: &Lines) -> Result<(), OpsError> {
    let n = lines.n;
    lines.for_each(lane, op, 2 * COST, |lane, group| {
        lane.scratch(ScratchReq::of::<i64>(6 * n), |scratch| {
            let (all, _) = carve::<i64>(scratch, 6 * n);
            for line in (0..group.count).map(|i| group.line(i)) {
                let (major, rest) = all.split_at_mut(n);
                let (minor, rest) = rest.split_at_mut(n);
                let (numbers, rest) = rest.split_at_mut(n);
                // SAFETY: the line has `n` elements of this type.
                unsafe {
                    match dtype {
                        DType::C64 => {
                            kernel::complex_ranks::<f32>(line.x_at(0), line.steps[0], descending, major, minor)
                        }
                        _ => kernel::complex_ranks::<f64>(line.x_at(0), line.steps[0], descending, major, minor),
                    }
                };
                let packing = order_keys(major, numbers, &mut rest[..n]);
                numbers.iter_mut().for_each(|p| *p = packing.number(*p));
                order_equal(major, minor, numbers, rest);
                // SAFETY: the line of the result has `n` places.
                unsafe { kernel::unpack(numbers, Packing::NUMBERS, line.out_at(0).cast(), line.steps[1]) };
            }
        })
    })
}

/// Orders numbers whose `major` keys are equal by their `minor` ones. `scratch` has room for three times as many.
fn order_equal(major: &[i64], minor: &[i64], numbers: &mut [i64], scratch: &mut [i64]) {
    let runs = numbers.chunk_by_mut(|&a, &b| major[a as usize] == major[b as usize]);
    for run in runs.filter(|run| run.len() > 1) {
        let (keys, rest) = scratch.split_at_mut(run.len());
        let (packed, rest) = rest.split_at_mut(run.len());
        keys.iter_mut().zip(&*run).for_each(|(k, &i)| *k = minor[i as usize]);
        let packing = order_keys(keys, packed, &mut rest[..run.len()]);
        // The keys have done their work: they hold the numbers while these change places.
        keys.copy_from_slice(run);
        run.iter_mut().zip(&*packed).for_each(|(to, &p)| *to = keys[packing.number(p) as usize]);
    }
}
