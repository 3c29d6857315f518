//! Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3. SC 2011): four words of 32 bits
//! from a counter of 128 bits and a key of 64.
//!
//! All that is done to a block is multiplications of 32 by 32 bits, so that one loop serves every instruction set.

const MULTIPLIERS: [u64; 2] = [0xD251_1F53, 0xCD9E_8D57];
const KEY_STEPS: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: usize = 10;
const LOW: u64 = 0xFFFF_FFFF;

/// Blocks that are made together.
const LANES: usize = 16;
/// Words of 64 bits that are made together: two from each block.
pub(crate) const TILE: usize = 2 * LANES;

/// The counter of a block, but for its number: stream and domain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) key: u64,
    pub(crate) stream: u32,
    pub(crate) domain: u32,
}

/// The words of the blocks from `first` on, two from each.
#[inline(always)]
pub(crate) fn tile(place: Place, first: u64) -> [u64; TILE] {
    let (mut x0, mut x1) = ([0; LANES], [0; LANES]);
    let (mut x2, mut x3) = ([u64::from(place.stream); LANES], [u64::from(place.domain); LANES]);
    for j in 0..LANES {
        let block = first.wrapping_add(j as u64);
        (x0[j], x1[j]) = (block & LOW, block >> 32);
    }
    let mut key = [place.key as u32, (place.key >> 32) as u32];
    for _ in 0..ROUNDS {
        for j in 0..LANES {
            // The upper halves of words are dropped when they are multiplied, and at the end.
            let (p0, p1) = ((x0[j] & LOW) * MULTIPLIERS[0], (x2[j] & LOW) * MULTIPLIERS[1]);
            x0[j] = (p1 >> 32) ^ x1[j] ^ u64::from(key[0]);
            x2[j] = (p0 >> 32) ^ x3[j] ^ u64::from(key[1]);
            (x1[j], x3[j]) = (p1, p0);
        }
        key = [key[0].wrapping_add(KEY_STEPS[0]), key[1].wrapping_add(KEY_STEPS[1])];
    }
    let mut words = [0; TILE];
    for j in 0..LANES {
        words[2 * j] = (x0[j] & LOW) | (x1[j] << 32);
        words[2 * j + 1] = (x2[j] & LOW) | (x3[j] << 32);
    }
    words
}

/// The two words of one block.
pub(crate) fn block(place: Place, number: u64) -> [u64; 2] {
    let mut x = [number as u32, (number >> 32) as u32, place.stream, place.domain];
    let mut key = [place.key as u32, (place.key >> 32) as u32];
    for _ in 0..ROUNDS {
        let (p0, p1) = (u64::from(x[0]) * MULTIPLIERS[0], u64::from(x[2]) * MULTIPLIERS[1]);
        x = [(p1 >> 32) as u32 ^ x[1] ^ key[0], p1 as u32, (p0 >> 32) as u32 ^ x[3] ^ key[1], p0 as u32];
        key = [key[0].wrapping_add(KEY_STEPS[0]), key[1].wrapping_add(KEY_STEPS[1])];
    }
    let word = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    [word(x[0], x[1]), word(x[2], x[3])]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counter, key and result of the known-answer tests that Random123 comes with.
    const KNOWN: [([u32; 4], [u32; 2], [u32; 4]); 3] = [
        ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
        ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
        (
            [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
            [0xa409_3822, 0x299f_31d0],
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
        ),
    ];

    #[test]
    fn known_answers() {
        for (counter, key, want) in KNOWN {
            let place =
                Place { key: u64::from(key[0]) | u64::from(key[1]) << 32, stream: counter[2], domain: counter[3] };
            let number = u64::from(counter[0]) | u64::from(counter[1]) << 32;
            let words = [u64::from(want[0]) | u64::from(want[1]) << 32, u64::from(want[2]) | u64::from(want[3]) << 32];
            assert_eq!(block(place, number), words);
            assert_eq!(tile(place, number)[..2], words);
        }
    }

    #[test]
    fn a_tile_is_its_blocks() {
        let place = Place { key: 0x0123_4567_89ab_cdef, stream: 9, domain: 1 };
        for first in [0, 5, u64::from(u32::MAX) - 3, u64::MAX - 4] {
            let tile = tile(place, first);
            for j in 0..LANES {
                assert_eq!(tile[2 * j..][..2], block(place, first.wrapping_add(j as u64)), "{first} + {j}");
            }
        }
    }
}
