//! Two functions in one loop: `g(f(a, b), c)`, each rounded by itself, so that the bits are those of one loop after another.
use super::bodies::Any;
use super::strided::get;
use super::tile::{Source, TILE, tile};
use super::{Map2, Tier};
use freelane_simd::Isa;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, size_of};

/// A function with its operands the other way round: `g(b, a)`.
pub struct Swapped<G>(PhantomData<G>);

impl<G: Map2<T>, T: Copy> Map2<T> for Swapped<G> {
    type Out = G::Out;
    const TIER: Tier = G::TIER;
    #[inline(always)]
    fn apply(a: T, b: T) -> G::Out {
        G::apply(b, a)
    }
}

/// The most elements of a block.
const MOST_LANES: usize = 32;

/// Elements of a block, which is four vectors.
const fn lanes<T>() -> usize {
    let lanes = 128 / size_of::<T>();
    assert!(lanes <= MOST_LANES, "elements of four bytes or more");
    lanes
}

/// An element for all, as often as a block has elements.
type Spread<T> = [MaybeUninit<Any<T>>; MOST_LANES];

/// An operand: elements side by side, or the first of them for all results.
#[derive(Clone, Copy)]
struct Given<T> {
    p: *const Any<T>,
    /// All bits, or none.
    mask: usize,
}

impl<T: Copy> Given<T> {
    #[inline(always)]
    fn new(p: *const u8, stride: isize) -> Self {
        Given { p: p.cast(), mask: if stride == 0 { 0 } else { usize::MAX } }
    }

    /// Where the element for a position is.
    #[inline(always)]
    fn at(self, i: usize) -> *const Any<T> {
        self.p.wrapping_add(i & self.mask)
    }

    /// The operand with a block of elements for each block of results.
    ///
    /// # Safety
    /// There is a first element.
    #[inline(always)]
    unsafe fn spread(self, to: &mut Spread<T>) -> Self {
        if self.mask != 0 {
            return self;
        }
        // SAFETY: the caller's promise.
        to[..lanes::<T>()].fill(MaybeUninit::new(unsafe { *self.p }));
        Given { p: to.as_ptr().cast(), mask: 0 }
    }
}

/// A block, computed aside: whatever overlaps, this is vector code.
///
/// # Safety
/// So many elements of each operand can be read, and results written.
#[inline(always)]
unsafe fn block<F: Map2<T, Out = T>, G: Map2<T>, T: Copy>(from: [*const Any<T>; 3], o: *mut Any<G::Out>) {
    let lanes = lanes::<T>();
    let mut results = [const { MaybeUninit::<Any<G::Out>>::uninit() }; MOST_LANES];
    // SAFETY: the caller's promise.
    let [a, b, c] = from.map(|p| unsafe { std::slice::from_raw_parts(p, lanes) });
    for i in 0..lanes {
        results[i].write(Any(G::apply(F::apply(a[i].0, b[i].0), c[i].0)));
    }
    // SAFETY: the caller's promise.
    unsafe { o.copy_from_nonoverlapping(results.as_ptr().cast(), lanes) };
}

/// In blocks, the last of which overlaps the one before.
///
/// # Safety
/// `n` elements of the operands can be read, and as many results written at `o`, apart from them: a block or more. This CPU
/// has the native instruction set.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt"))]
unsafe fn blocks<F: Map2<T, Out = T>, G: Map2<T>, T: Copy>(n: usize, [a, b, c]: [Given<T>; 3], o: *mut Any<G::Out>) {
    let mut spread = [const { [const { MaybeUninit::uninit() }; MOST_LANES] }; 3];
    let [x, y, z] = &mut spread;
    // SAFETY: there is a first element.
    let from = unsafe { [a.spread(x), b.spread(y), c.spread(z)] };
    let lanes = lanes::<T>();
    for i in (0..n).step_by(lanes) {
        let i = i.min(n - lanes);
        // SAFETY: `i + lanes <= n`.
        unsafe { block::<F, G, T>(from.map(|x| x.at(i)), o.add(i)) };
    }
}

/// `o[i] = g(f(a[i], b[i]), c[i])` for `i` in `0..n`, of light functions: a [`Loop3`](super::Loop3).
///
/// # Safety
/// As for [`loop3`](super::loop3); the results lie apart from all operands.
#[allow(clippy::too_many_arguments, reason = "the signature of `Loop3`")]
pub unsafe fn fused2<F: Map2<T, Out = T>, G: Map2<T>, T: Copy>(
    isa: Isa,
    n: usize,
    a: *const u8,
    sa: isize,
    b: *const u8,
    sb: isize,
    c: *const u8,
    sc: isize,
    o: *mut u8,
    os: isize,
) {
    const { assert!(matches!((F::TIER, G::TIER), (Tier::Light, Tier::Light))) };
    if n < lanes::<T>() || isa == Isa::Portable || os != size_of::<G::Out>() as isize {
        for i in 0..n {
            // SAFETY: `i < n`.
            let (a, b, c): (T, T, T) = unsafe { (get(a, sa, i), get(b, sb, i), get(c, sc, i)) };
            let to = o.wrapping_offset(os.wrapping_mul(i as isize)).cast::<G::Out>();
            // SAFETY: as above.
            unsafe { to.write_unaligned(G::apply(F::apply(a, b), c)) };
        }
        return;
    }
    let plain = |s: isize| s == 0 || s == size_of::<T>() as isize;
    if plain(sa) && plain(sb) && plain(sc) {
        // SAFETY: the caller's promise; there is a block of elements.
        return unsafe { blocks::<F, G, T>(n, [Given::new(a, sa), Given::new(b, sb), Given::new(c, sc)], o.cast()) };
    }
    // SAFETY: as above.
    unsafe { tiled::<T, G::Out>(isa, blocks::<F, G, T>, n, [(a, sa), (b, sb), (c, sc)], o.cast()) }
}

/// # Safety
/// As for `fused2`; there is a block of elements, and the results lie side by side.
#[inline(never)]
unsafe fn tiled<T: Copy, O>(
    isa: Isa,
    body: unsafe fn(usize, [Given<T>; 3], *mut Any<O>),
    n: usize,
    [a, b, c]: [(*const u8, isize); 3],
    o: *mut Any<O>,
) {
    let mut tiles = [const { tile::<T>() }; 3];
    let [ta, tb, tc] = &mut tiles;
    // SAFETY: the caller's promise.
    let mut sources = unsafe {
        [Source::new(isa, a.0, a.1, n, ta), Source::new(isa, b.0, b.1, n, tb), Source::new(isa, c.0, c.1, n, tc)]
    };
    for i in (0..n).step_by(TILE) {
        // The last tile has a block at least, if it must overlap the one before.
        let i = i.min(n - lanes::<T>());
        let m = TILE.min(n - i);
        // SAFETY: `i + m <= n`.
        let from = sources.each_mut().map(|s| Given { p: unsafe { s.run(i, m) }.cast(), mask: usize::MAX });
        // SAFETY: as above.
        unsafe { body(m, from, o.add(i)) };
    }
}
