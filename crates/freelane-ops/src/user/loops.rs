//! Closures as inner loops: what they take and give is read off their types, then erased.
use super::tile::{TILE, Tile};
use freelane_array::{DType, Element};
use std::marker::PhantomData;
use std::ops::Range;

/// An inner loop: operands by pointer and byte stride, the result last.
pub(super) trait Erased: Send + Sync {
    /// # Safety
    /// There is one pointer and stride for each operand of [`Loop::inputs`] and for the result; they reach `n` elements of
    /// those types, the results apart from all operands. Nothing else writes to the operands, or touches the results,
    /// meanwhile.
    unsafe fn run(&self, ptrs: &[*mut u8], strides: &[isize], n: usize);
}

/// One loop of a table: what it reads, what it writes, how to run it.
pub struct Loop {
    pub(super) inputs: Vec<DType>,
    pub(super) out: DType,
    pub(super) run: Box<dyn Erased>,
}

/// A closure over elements, `Fn(A) -> R` to `Fn(A, B, C) -> R`, of any element types.
pub trait ScalarFn<Args>: Send + Sync + 'static {
    /// The loop around it.
    fn into_loop(self) -> Loop;
}

/// A closure over slices, `Fn(&[A], &mut [R])` to `Fn(&[A], &[B], &[C], &mut [R])`, of any element types.
///
/// It gets any part of the operands, with the results in the same places: result `i` is to depend on elements `i` alone.
pub trait SliceFn<Args>: Send + Sync + 'static {
    /// The loop around it.
    fn into_loop(self) -> Loop;
}

/// A closure with the types of its operands and result.
struct Typed<F, Args>(F, PhantomData<fn(Args)>);

fn boxed<F, Args>(f: F, inputs: Vec<DType>, out: DType) -> Loop
where
    Typed<F, Args>: Erased + 'static,
{
    Loop { inputs, out, run: Box::new(Typed(f, PhantomData)) }
}

/// Tiles over `n` elements.
fn tiles(n: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n).step_by(TILE).map(move |start| start..(start + TILE).min(n))
}

macro_rules! arity {
    ($($T:ident $x:ident $k:literal),+; $last:literal) => {
        impl<Func, $($T,)+ R> ScalarFn<($($T,)+ R)> for Func
        where
            Func: Fn($($T),+) -> R + Send + Sync + 'static,
            $($T: Element,)+
            R: Element,
        {
            fn into_loop(self) -> Loop {
                let slices = move |$($x: &[$T],)+ out: &mut [R]| {
                    for (i, o) in out.iter_mut().enumerate() {
                        *o = self($($x[i]),+);
                    }
                };
                SliceFn::<($($T,)+ R)>::into_loop(slices)
            }
        }

        impl<Func, $($T,)+ R> SliceFn<($($T,)+ R)> for Func
        where
            Func: Fn($(&[$T],)+ &mut [R]) + Send + Sync + 'static,
            $($T: Element,)+
            R: Element,
        {
            fn into_loop(self) -> Loop {
                boxed::<Func, ($($T,)+ R)>(self, vec![$($T::DTYPE),+], R::DTYPE)
            }
        }

        impl<Func, $($T,)+ R> Erased for Typed<Func, ($($T,)+ R)>
        where
            Func: Fn($(&[$T],)+ &mut [R]) + Send + Sync,
            $($T: Element,)+
            R: Element,
        {
            unsafe fn run(&self, ptrs: &[*mut u8], strides: &[isize], n: usize) {
                $(let mut $x = Tile::<$T>::new();)+
                let mut out = Tile::<R>::new();
                for part in tiles(n) {
                    let (start, n) = (part.start, part.len());
                    $(
                        // SAFETY: the caller's promise: the operand has elements of this type at these places.
                        let $x = unsafe { $x.read(ptrs[$k], strides[$k], start, n) };
                    )+
                    // SAFETY: as for the operands; the results lie apart from them.
                    unsafe { out.write(ptrs[$last], strides[$last], start, n, |out| (self.0)($($x,)+ out)) };
                }
            }
        }
    };
}

arity!(A a 0; 1);
arity!(A a 0, B b 1; 2);
arity!(A a 0, B b 1, C c 2; 3);
