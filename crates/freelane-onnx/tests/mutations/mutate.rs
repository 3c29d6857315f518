//! Changes of a model's bytes, at a seed.

/// Numbers that are good enough for this.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        let mut random = Random((seed ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9) | 1);
        let _ = [0; 4].map(|_| random.next());
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 8
    }

    /// A number below another.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// Operators, so that one can stand where another of the same length was.
const NAMES: &[&str] = &[
    "Add",
    "Mul",
    "Div",
    "Pow",
    "Mod",
    "Max",
    "Sum",
    "Exp",
    "Erf",
    "Det",
    "Not",
    "Sub",
    "Relu",
    "Tanh",
    "Conv",
    "Gemm",
    "Mean",
    "Sign",
    "Tile",
    "Size",
    "Cast",
    "TopK",
    "Slice",
    "Split",
    "Shape",
    "Range",
    "Where",
    "Trilu",
    "Gather",
    "Concat",
    "Expand",
    "MatMul",
    "Unique",
    "CumSum",
    "Einsum",
    "OneHot",
    "Reshape",
    "Flatten",
    "Squeeze",
    "MaxPool",
    "Softmax",
    "Dropout",
    "NonZero",
    "EyeLike",
    "Identity",
    "LpPool",
    "HannWindow",
];

/// Replaces a name of an operator, if one is found behind a place.
fn renamed(bytes: &mut [u8], random: &mut Random) {
    let name = NAMES[random.below(NAMES.len())].as_bytes();
    let from = random.below(bytes.len());
    let old = NAMES.iter().filter(|old| old.len() == name.len());
    let places = old.filter_map(|old| bytes[from..].windows(old.len()).position(|part| part == old.as_bytes()));
    if let Some(at) = places.min() {
        bytes[from + at..][..name.len()].copy_from_slice(name);
    }
}

/// A model with a few bytes changed, mostly in their places, so that most of it is still a model.
pub fn mutated(good: &[u8], random: &mut Random) -> Vec<u8> {
    const EDGES: [u8; 8] = [0, 1, 2, 0x7f, 0x80, 0xff, 0x10, 0x40];
    let mut bad = good.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bad.len());
        match random.below(12) {
            0 => bad[at] = random.next() as u8,
            1..=3 => bad[at] ^= 1 << random.below(8),
            4 | 5 => bad[at] = EDGES[random.below(EDGES.len())],
            6 => bad[at..].iter_mut().take(8).for_each(|b| *b = 0xff),
            7 => {
                let from = random.below(bad.len());
                let part: Vec<u8> = bad[from..].iter().take(1 + random.below(16)).copied().collect();
                bad[at..].iter_mut().zip(part).for_each(|(b, new)| *b = new);
            }
            8 => bad.truncate(at.max(1)),
            9 => bad.insert(at, random.next() as u8),
            _ => renamed(&mut bad, random),
        }
    }
    bad
}
