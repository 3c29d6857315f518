//! Floats to bytes, and the range of a row.
use super::Byte;
use super::sink::saturated;
use freelane_simd::Isa;

compiled! {
    /// `round(x / scale) + zero`, ties to even, held in the range of the byte.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn quantize<O: Byte>(x: &[f32], scale: f32, zero: O, out: &mut [O]) {
        assert!(x.len() == out.len(), "quantize: {} elements into {}", x.len(), out.len());
        for (x, out) in x.iter().zip(out) {
            *out = saturated(*x / scale, zero);
        }
    }
}

/// Scale and zero point that spread the range of `x`, widened to hold zero, over the range of `u8`; NaNs are passed over.
///
/// The scale is `(high - low) / 255`, and 1 where that is zero; the zero point is `round(-low / scale)`, ties to even.
pub fn dynamic_range(isa: Isa, x: &[f32]) -> (f32, u8) {
    let [low, high] = extremes(isa, x);
    let scale = if low == high { 1.0 } else { (high - low) / 255.0 };
    (scale, saturated(0.0 - low / scale, 0))
}

const LANES: usize = 32;

compiled! {
    fn extremes(x: &[f32]) -> [f32; 2] {
        let (mut low, mut high) = ([0f32; LANES], [0f32; LANES]);
        let (whole, rest) = x.as_chunks::<LANES>();
        for x in whole {
            for i in 0..LANES {
                low[i] = if x[i] < low[i] { x[i] } else { low[i] };
                high[i] = if x[i] > high[i] { x[i] } else { high[i] };
            }
        }
        let ends = |all: [f32; LANES], pick: fn(f32, f32) -> f32| rest.iter().copied().chain(all).fold(0.0, pick);
        [ends(low, f32::min), ends(high, f32::max)]
    }
}
