//! Operands as slices: where elements lie side by side they are lent as they lie, else they pass through a tile.
use freelane_array::Element;

/// Elements that a closure gets at most at once.
pub(super) const TILE: usize = 512;

/// Room for the elements of one operand.
pub(super) struct Tile<T>([T; TILE]);

impl<T: Element> Tile<T> {
    pub(super) fn new() -> Tile<T> {
        Tile([T::default(); TILE])
    }

    /// Elements `start..start + n` of an operand.
    ///
    /// # Safety
    /// `base` and `stride` (bytes) reach those elements, which are initialised and which nothing writes meanwhile.
    pub(super) unsafe fn read(&mut self, base: *const u8, stride: isize, start: usize, n: usize) -> &[T] {
        let at = |i: usize| base.wrapping_offset(stride.wrapping_mul((start + i) as isize)).cast::<T>();
        if stride == size_of::<T>() as isize && at(0).is_aligned() {
            // SAFETY: side by side and aligned, as just found; the rest is the caller's promise.
            return unsafe { std::slice::from_raw_parts(at(0), n) };
        }
        for (i, slot) in self.0[..n].iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            *slot = unsafe { at(i).read_unaligned() };
        }
        &self.0[..n]
    }

    /// Has results `start..start + n` of an operand filled, from zeros.
    ///
    /// # Safety
    /// `base` and `stride` (bytes) reach those results, which nothing else touches meanwhile.
    pub(super) unsafe fn write(
        &mut self,
        base: *mut u8,
        stride: isize,
        start: usize,
        n: usize,
        fill: impl FnOnce(&mut [T]),
    ) {
        let results = &mut self.0[..n];
        results.fill(T::default());
        fill(results);
        for (i, &result) in results.iter().enumerate() {
            let at = base.wrapping_offset(stride.wrapping_mul((start + i) as isize)).cast::<T>();
            // SAFETY: the caller's promise.
            unsafe { at.write_unaligned(result) };
        }
    }
}
