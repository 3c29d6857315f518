//! Which elements can be multiplied, and by what.
use super::driver::{self, Job, Scratch, Stack};
use super::table::Kernel;
use freelane_simd::{Isa, Scalar};

/// An element with vector kernels.
pub trait Fused: Scalar {
    /// Columns of a panel of B: two cache lines. The same for every instruction set.
    const PANEL: usize;
    /// The kernels for `isa`; plain ones where this CPU cannot run them.
    fn kernel(isa: Isa) -> &'static Kernel<Self>;
}

/// How an element is multiplied.
pub trait Kind: Copy + Send + Sync + 'static {
    /// Bytes of scratch for a product of at most these sizes.
    fn scratch(m: usize, n: usize, k: usize) -> usize;

    /// Computes the job.
    ///
    /// # Safety
    /// A has the rows of C and the depth of B; the job's columns lie in B, C and the bias; all are valid, C for writes; and
    /// scratch has the size `scratch` says for at least these sizes.
    unsafe fn product(isa: Isa, job: &Job<'_, Self>, scratch: Scratch<'_>);

    /// Computes all jobs of a stack, of which this is the first. B is in place.
    ///
    /// # Safety
    /// As [`Kind::product`], for each.
    unsafe fn products(isa: Isa, job: &Job<'_, Self>, stack: Stack, mut scratch: Scratch<'_>) {
        for i in 0..stack.count {
            // SAFETY: the caller's promise is the same.
            unsafe { Self::product(isa, &job.after(i, stack.steps), scratch.again()) };
        }
    }
}

/// An element that matrix products are computed for: `bool`, integers, `f16`, `bf16`, `f32`, `f64`, complex.
pub trait Product: Kind {}
impl<T: Kind> Product for T {}

/// An element whose B can be packed ahead: `f32`, `f64`.
pub trait Packable: Product + Fused {}
impl<T: Kind + Fused> Packable for T {}

macro_rules! fused {
    ($($t:ty),*) => {$(
        impl Kind for $t {
            fn scratch(m: usize, n: usize, k: usize) -> usize {
                driver::scratch::<$t>(m, n, k)
            }
            unsafe fn product(isa: Isa, job: &Job<'_, $t>, scratch: Scratch<'_>) {
                // SAFETY: the caller's promise is the same.
                unsafe { driver::product(<$t>::kernel(isa), job, scratch) }
            }
            unsafe fn products(isa: Isa, job: &Job<'_, $t>, stack: Stack, scratch: Scratch<'_>) {
                // SAFETY: the caller's promise is the same.
                unsafe { driver::products(<$t>::kernel(isa), job, stack, scratch) }
            }
        }
    )*};
}
fused!(f32, f64);
