//! One product with its operands, ours and the `gemm` crate's.
use crate::Element;
use freelane_kernels::gemm::{Epilogue, Mat, MatMut, Packed, gemm, gemm_packed, gemm_scratch, pack, packed_len};
use freelane_mem::BufferMut;
use freelane_simd::Isa;
use std::mem::MaybeUninit;

/// Memory as the runtime hands it out, holding `len` elements.
struct Block<T> {
    memory: BufferMut,
    len: usize,
    element: std::marker::PhantomData<T>,
}

impl<T: Copy> Block<T> {
    fn new(len: usize, value: impl Fn(usize) -> T) -> Self {
        let mut memory = BufferMut::uninit_for::<T>(len).expect("memory for the bench");
        // SAFETY: the buffer holds `len` elements.
        (0..len).for_each(|i| unsafe { memory.as_mut_ptr().cast::<T>().add(i).write(value(i)) });
        Block { memory, len, element: std::marker::PhantomData }
    }
    fn as_slice(&self) -> &[T] {
        // SAFETY: `new` initialised `len` elements.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast(), self.len) }
    }
    fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: `new` initialised `len` elements.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_mut_ptr().cast(), self.len) }
    }
}

pub struct Product<T> {
    isa: Isa,
    shape: [usize; 3],
    a: Block<T>,
    b: Block<T>,
    packed: Block<T>,
    c: Block<T>,
    scratch: Block<MaybeUninit<u8>>,
}

/// The matrix of a contiguous slice.
fn rows<T>(data: &[T], rows: usize, cols: usize) -> Mat<'_, T> {
    Mat::new(data, 0, [rows, cols], [cols as isize, 1]).expect("a slice of that size")
}

impl<T: Element> Product<T> {
    pub fn new(isa: Isa, shape: [usize; 3]) -> Self {
        let [m, k, n] = shape;
        let unit = |i: usize| T::from((i.wrapping_mul(2654435761) % 1000) as f32 / 500.0 - 1.0);
        let (a, b) = (Block::new(m * k, unit), Block::new(k * n, |i| unit(i + 7)));
        let mut packed = Block::new(packed_len::<T>(k, n).expect("a size"), |_| MaybeUninit::new(T::default()));
        pack(isa, rows(b.as_slice(), k, n), packed.as_mut_slice());
        let packed = Block { memory: packed.memory, len: packed.len, element: std::marker::PhantomData };
        let scratch = Block::new(gemm_scratch::<T>(m, n, k).size(), |_| MaybeUninit::new(0));
        Product { isa, shape, a, b, packed, c: Block::new(m * n, |_| T::default()), scratch }
    }

    pub fn rows(&mut self) {
        let [m, k, n] = self.shape;
        let mut out = MatMut::new(self.c.as_mut_slice(), 0, [m, n], [n as isize, 1]).expect("C's size");
        let (a, b) = (rows(self.a.as_slice(), m, k), rows(self.b.as_slice(), k, n));
        gemm(self.isa, a, b, &mut out, 0..n, Epilogue::default(), self.scratch.as_mut_slice());
    }

    pub fn packed(&mut self) {
        let [m, k, n] = self.shape;
        let mut out = MatMut::new(self.c.as_mut_slice(), 0, [m, n], [n as isize, 1]).expect("C's size");
        let (a, b) = (rows(self.a.as_slice(), m, k), Packed::new(self.packed.as_slice(), k, n).expect("B's size"));
        gemm_packed(self.isa, a, b, &mut out, 0..n, Epilogue::default(), self.scratch.as_mut_slice());
    }

    pub fn of_the_crate(&mut self) {
        let [m, k, n] = self.shape;
        let (a, b, c) = (self.a.as_slice().as_ptr(), self.b.as_slice().as_ptr(), self.c.as_mut_slice().as_mut_ptr());
        let (zero, one) = (T::default(), T::from(1.0));
        let (k_, n_) = (k as isize, n as isize);
        // SAFETY: the slices hold m x k, k x n and m x n elements, contiguous rows.
        unsafe {
            ::gemm::gemm(
                m,
                n,
                k,
                c,
                1,
                n_,
                false,
                a,
                1,
                k_,
                b,
                1,
                n_,
                zero,
                one,
                false,
                false,
                false,
                ::gemm::Parallelism::None,
            );
        }
    }
}
