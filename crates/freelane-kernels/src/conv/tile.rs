//! The inner loops over blocked and planar images.
use freelane_simd::Simd;

use super::shape::BLOCK;
use core::mem::MaybeUninit;

/// Output channels of a panel of weights.
pub const PANEL: usize = 32;

/// Some pixels of a row times one panel of output channels.
#[derive(Clone, Copy)]
pub struct Tile<T> {
    /// The first pixel's first tap in the first channel.
    pub x: *const T,
    /// Where each tap is from there.
    pub taps: *const usize,
    pub tap_count: usize,
    /// From block of channels to block of channels.
    pub block: usize,
    /// From channel to channel of a planar image.
    pub channel: usize,
    pub channels: usize,
    /// Steps of a chain.
    pub chain: usize,
    /// `[step][channel][PANEL]`.
    pub w: *const T,
    /// The first pixel of each block of output channels.
    pub out: [*mut T; 2],
    /// Blocks of output channels: one or two.
    pub blocks: usize,
    /// `PANEL` elements.
    pub bias: Option<*const T>,
    pub relu: bool,
}

/// `P` pixels; the blocks of a panel in pieces of `NV` registers, which make up whole blocks. Nothing leaves the registers until a chain ends.
///
/// # Safety
/// All pixels are readable under all taps in all channels, the weights are a whole panel; `P` pixels of each block of output
/// channels are writable.
#[inline(always)]
pub unsafe fn tile<S: Simd, const P: usize, const NV: usize, const BLOCKED: bool, const STRIDE: usize>(
    s: S,
    t: &Tile<S::T>,
) {
    let mut part = 0;
    while part < BLOCK * t.blocks {
        // SAFETY: the caller's promise.
        let sums = unsafe { sums::<S, P, NV, BLOCKED, STRIDE>(s, t, part) };
        for v in 0..NV {
            let c = part + v * S::L;
            for p in 0..P {
                let mut y = sums[p][v];
                if let Some(bias) = t.bias {
                    // SAFETY: a panel of bias.
                    y = s.add(y, unsafe { s.load(bias.wrapping_add(c)) });
                }
                if t.relu {
                    y = s.relu(y);
                }
                let to = t.out[c / BLOCK].wrapping_add(p * BLOCK + c % BLOCK);
                // SAFETY: the caller vouches for the pixels.
                unsafe { s.store(to, y) };
            }
        }
        part += NV * S::L;
    }
}

/// # Safety
/// As [`tile`].
#[inline(always)]
unsafe fn sums<S: Simd, const P: usize, const NV: usize, const BLOCKED: bool, const STRIDE: usize>(
    s: S,
    t: &Tile<S::T>,
    part: usize,
) -> [[S::V; NV]; P] {
    let pixel = if BLOCKED { BLOCK * STRIDE } else { STRIDE };
    let mut sum = [[MaybeUninit::<S::V>::uninit(); NV]; P];
    let (mut w, mut x) = (t.w.wrapping_add(part), t.x);
    let (mut left, mut tap, mut first) = (t.channels, 0, true);
    loop {
        let mut acc = [[s.zero(); NV]; P];
        let mut steps = t.chain;
        while steps > 0 && left > 0 {
            let width = left.min(BLOCK);
            // SAFETY: `tap < tap_count`.
            let mut xp = x.wrapping_add(unsafe { *t.taps.add(tap) });
            for _ in 0..width {
                let mut row = [s.zero(); NV];
                for v in 0..NV {
                    // SAFETY: the weights go on for every channel of every step.
                    row[v] = unsafe { s.load(w.wrapping_add(v * S::L)) };
                }
                for p in 0..P {
                    // SAFETY: the caller vouches for the pixels.
                    let seen = s.splat(unsafe { *xp.wrapping_add(p * pixel) });
                    for v in 0..NV {
                        acc[p][v] = s.fma(seen, row[v], acc[p][v]);
                    }
                }
                w = w.wrapping_add(PANEL);
                xp = xp.wrapping_add(if BLOCKED { 1 } else { t.channel });
            }
            tap += 1;
            steps -= 1;
            if tap == t.tap_count {
                (tap, left) = (0, left - width);
                x = x.wrapping_add(t.block);
            }
        }
        for p in 0..P {
            for v in 0..NV {
                if !first {
                    // SAFETY: written when the chain before this one ended.
                    acc[p][v] = s.add(unsafe { sum[p][v].assume_init() }, acc[p][v]);
                }
                sum[p][v].write(acc[p][v]);
            }
        }
        first = false;
        if left == 0 {
            return acc;
        }
    }
}

/// Some pixels of a row of one block of channels that do not see each other.
#[derive(Clone, Copy)]
pub struct Depth<T> {
    /// The first pixel under the first tap that counts.
    pub x: *const T,
    /// From tap to tap along columns and rows.
    pub steps: [usize; 2],
    /// Taps that count.
    pub taps: [usize; 2],
    /// Weights of the first tap that counts, `[tap][BLOCK]`.
    pub w: *const T,
    /// Weights from tap to tap along columns.
    pub w_step: usize,
    pub out: *mut T,
    /// `BLOCK` elements.
    pub bias: Option<*const T>,
    pub relu: bool,
}

/// `P` pixels, whose taps lie inside.
///
/// # Safety
/// All pixels are readable under all taps that count, and `P` pixels are writable.
#[inline(always)]
pub unsafe fn depth<S: Simd, const P: usize, const STRIDE: usize>(s: S, t: &Depth<S::T>) {
    let mut part = 0;
    while part < BLOCK {
        let mut acc = [s.zero(); P];
        for a in 0..t.taps[0] {
            for b in 0..t.taps[1] {
                let x = t.x.wrapping_add(a * t.steps[0] + b * t.steps[1] + part);
                // SAFETY: a tap that counts.
                let w = unsafe { s.load(t.w.wrapping_add(a * t.w_step + b * BLOCK + part)) };
                for p in 0..P {
                    // SAFETY: the caller vouches for the pixels.
                    acc[p] = s.fma(unsafe { s.load(x.wrapping_add(p * STRIDE * BLOCK)) }, w, acc[p]);
                }
            }
        }
        for p in 0..P {
            let mut y = acc[p];
            if let Some(bias) = t.bias {
                // SAFETY: a block of bias.
                y = s.add(y, unsafe { s.load(bias.wrapping_add(part)) });
            }
            if t.relu {
                y = s.relu(y);
            }
            // SAFETY: the caller vouches for the pixels.
            unsafe { s.store(t.out.wrapping_add(p * BLOCK + part), y) };
        }
        part += S::L;
    }
}

/// A row of one channel.
#[derive(Clone, Copy)]
pub struct Row<T> {
    /// The first pixel; behind the last one there is room for [`SLACK`] elements.
    pub x: *const T,
    /// Where each tap is from there.
    pub taps: *const usize,
    pub w: *const T,
    pub tap_count: usize,
    pub out: *mut T,
    pub pixels: usize,
}

/// Elements behind a row that may be read and are not used.
pub const SLACK: usize = 64;

/// Pixels side by side in registers.
///
/// # Safety
/// All pixels are readable under all taps, and [`SLACK`] elements more; the pixels are writable.
#[inline(always)]
pub unsafe fn row<S: Simd>(s: S, t: &Row<S::T>) {
    let mut pixel = 0;
    while pixel < t.pixels {
        // SAFETY: the caller's promise.
        unsafe {
            if t.pixels - pixel > 3 * S::L {
                row_piece::<S, 4>(s, t, pixel);
                pixel += 4 * S::L;
            } else {
                row_piece::<S, 1>(s, t, pixel);
                pixel += S::L;
            }
        }
    }
}

/// # Safety
/// As [`row`].
#[inline(always)]
unsafe fn row_piece<S: Simd, const NV: usize>(s: S, t: &Row<S::T>, pixel: usize) {
    let mut acc = [s.zero(); NV];
    for tap in 0..t.tap_count {
        // SAFETY: a tap.
        let (x, w) = unsafe { (t.x.wrapping_add(*t.taps.add(tap) + pixel), s.splat(*t.w.add(tap))) };
        for v in 0..NV {
            // SAFETY: pixels, or the room behind them.
            acc[v] = s.fma(unsafe { s.load(x.wrapping_add(v * S::L)) }, w, acc[v]);
        }
    }
    for v in 0..NV {
        let first = pixel + v * S::L;
        let (to, left) = (t.out.wrapping_add(first), t.pixels.saturating_sub(first));
        // SAFETY: pixels of the row.
        unsafe { if left >= S::L { s.store(to, acc[v]) } else { s.store_first(to, acc[v], left) } };
    }
}

/// Blocks to planes, or planes to blocks.
#[derive(Clone, Copy)]
pub struct Turn<T> {
    pub from: *const T,
    pub to: *mut T,
    pub pixels: usize,
    pub channels: usize,
    /// Elements of a plane.
    pub plane: usize,
}

/// A row of pixels of one block becomes a row of each of its channels.
///
/// # Safety
/// The row is readable, and those of the planes are writable.
#[inline(always)]
pub unsafe fn planes<S: Simd>(s: S, t: &Turn<S::T>) {
    let mut pixel = 0;
    while pixel + S::L <= t.pixels {
        for part in (0..t.channels).step_by(S::L) {
            let from = t.from.wrapping_add(pixel * BLOCK + part);
            let to = t.to.wrapping_add(part * t.plane + pixel);
            let left = S::L.min(t.channels - part);
            // SAFETY: pixels of the row, whose blocks have 16 channels, and L pixels of each plane that is there.
            unsafe { turn(s, (from, BLOCK, S::L), (to, t.plane, left)) };
        }
        pixel += S::L;
    }
    for pixel in pixel..t.pixels {
        for channel in 0..t.channels {
            // SAFETY: an element of the row.
            unsafe { *t.to.wrapping_add(channel * t.plane + pixel) = *t.from.wrapping_add(pixel * BLOCK + channel) };
        }
    }
}

/// A row of each channel becomes a row of pixels of one block; missing channels are zero.
///
/// # Safety
/// The rows of the planes are readable, and that of the block is writable.
#[inline(always)]
pub unsafe fn blocks<S: Simd>(s: S, t: &Turn<S::T>) {
    let mut pixel = 0;
    while pixel + S::L <= t.pixels {
        for part in (0..BLOCK).step_by(S::L) {
            let from = t.from.wrapping_add(part * t.plane + pixel);
            let to = t.to.wrapping_add(pixel * BLOCK + part);
            let left = S::L.min(t.channels.saturating_sub(part));
            // SAFETY: L pixels of each plane that is there, and pixels of the row.
            unsafe { turn(s, (from, t.plane, left), (to, BLOCK, S::L)) };
        }
        pixel += S::L;
    }
    for pixel in pixel..t.pixels {
        for channel in 0..BLOCK {
            let mut x = S::T::default();
            if channel < t.channels {
                // SAFETY: an element of a plane.
                x = unsafe { *t.from.wrapping_add(channel * t.plane + pixel) };
            }
            // SAFETY: an element of the row.
            unsafe { *t.to.wrapping_add(pixel * BLOCK + channel) = x };
        }
    }
}

/// Lines of L elements become columns: first element, step and number of the lines to read, up to L, the others being zero,
/// and of those to write.
///
/// # Safety
/// The lines are readable and writable.
#[inline(always)]
unsafe fn turn<S: Simd>(s: S, from: (*const S::T, usize, usize), to: (*mut S::T, usize, usize)) {
    // SAFETY: the caller's promise, for lines that are there.
    let load = |i: usize| unsafe { s.load(from.0.wrapping_add(i * from.1)) };
    // SAFETY: as above.
    let store = |i: usize, x: S::V| unsafe { s.store(to.0.wrapping_add(i * to.1), x) };
    let mut square = s.square();
    if [from.2, to.2] == [S::L; 2] {
        // Two at a time: a line at a time may be compiled into a copy of all of them in memory.
        for pair in 0..S::L / 2 {
            square.as_mut()[2 * pair] = load(2 * pair);
            square.as_mut()[2 * pair + 1] = load(2 * pair + 1);
        }
        s.transpose(&mut square);
        for i in 0..S::L {
            store(i, square.as_ref()[i]);
        }
        return;
    }
    let mut square = s.square();
    for i in 0..from.2 {
        square.as_mut()[i] = load(i);
    }
    s.transpose(&mut square);
    for i in 0..to.2 {
        store(i, square.as_ref()[i]);
    }
}
