//! The largest elements, and where they are.
use super::fold::MaxElement;
use super::walk::fits;
use crate::window::Window;

/// How elements of a plane are numbered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexOrder {
    /// The last axis runs fastest.
    #[default]
    Rows,
    /// The first axis runs fastest.
    Columns,
}

/// The largest element of each window, the first of equal ones, and its number in all planes, of which `before` come before
/// the first one here. A window that sees padding alone has number -1.
///
/// # Panics
/// When the lengths are not those of as many planes in as out.
pub fn max_pool_indices<T: MaxElement>(
    window: &Window,
    order: IndexOrder,
    before: usize,
    input: &[T],
    out: &mut [T],
    indices: &mut [i64],
) {
    let (plane, pixels) = (window.inputs(), window.outputs());
    assert!(fits(input.len(), plane, out.len(), pixels), "pool: {} elements into {}", input.len(), out.len());
    assert!(indices.len() == out.len(), "pool: {} indices of {} elements", indices.len(), out.len());
    for (at, (out, index)) in out.iter_mut().zip(indices).enumerate() {
        let (of, pixel) = (at / pixels, at % pixels);
        let (value, place) = largest(window, &input[of * plane..][..plane], pixel);
        *out = value;
        *index = place.map_or(-1, |[z, y, x]| {
            let [deep, high, wide] = window.axes.map(|axis| axis.input);
            let number = match order {
                IndexOrder::Rows => (z * high + y) * wide + x,
                IndexOrder::Columns => (x * high + y) * deep + z,
            };
            ((before + of) * plane + number) as i64
        });
    }
}

fn largest<T: MaxElement>(window: &Window, plane: &[T], pixel: usize) -> (T, Option<[usize; 3]>) {
    let [deep, high, wide] = &window.axes;
    let [z, y, x] = window.output(pixel);
    let (mut value, mut place) = (T::LOWEST, None);
    for a in deep.taps(z).map(|tap| deep.position(z, tap) as usize) {
        for b in high.taps(y).map(|tap| high.position(y, tap) as usize) {
            for c in wide.taps(x).map(|tap| wide.position(x, tap) as usize) {
                let seen = plane[(a * high.input + b) * wide.input + c];
                let next = value.larger(seen);
                // Larger, or the first NaN, which alone is not equal to itself; or the first of all.
                let changed =
                    next > value || (next.partial_cmp(&next).is_none() && value.partial_cmp(&value).is_some());
                if changed || place.is_none() {
                    (value, place) = (next, Some([a, b, c]));
                }
            }
        }
    }
    (value, place)
}
