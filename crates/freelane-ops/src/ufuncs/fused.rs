//! Functions that have one loop with the function that reads their result.
use super::{ADD, MULTIPLY, SUBTRACT};
use crate::UFunc;
use freelane_array::DType;
use freelane_kernels::elementwise::{Add, Loop3, Map2, Multiply, Subtract, Swapped, fused2};

const FUNCTIONS: [&UFunc; 3] = [&ADD, &SUBTRACT, &MULTIPLY];

/// The loops of a first function, by the second, by the second's operand that is the first's result, and by type.
type Row = [[[Loop3; 2]; 2]; FUNCTIONS.len()];

// LEDGER: the process; pointers to loops, made by the compiler and only read
static LOOPS: [Row; FUNCTIONS.len()] = [row::<Add>(), row::<Subtract>(), row::<Multiply>()];

const fn row<F: Map2<f32, Out = f32> + Map2<f64, Out = f64>>() -> Row {
    [both::<F, Add>(), both::<F, Subtract>(), both::<F, Multiply>()]
}

const fn both<F, G>() -> [[Loop3; 2]; 2]
where
    F: Map2<f32, Out = f32> + Map2<f64, Out = f64>,
    G: Map2<f32, Out = f32> + Map2<f64, Out = f64>,
{
    [[fused2::<F, G, f32>, fused2::<F, G, f64>], [fused2::<F, Swapped<G>, f32>, fused2::<F, Swapped<G>, f64>]]
}

/// The loop of `second(first(a, b), c)`, or of `second(c, first(a, b))` where the operand of `first` is 1, in one type; if
/// there is one. Each is rounded by itself.
pub(crate) fn fused(first: &UFunc, second: &UFunc, operand: usize, dtype: DType) -> Option<Loop3> {
    let position = |f: &UFunc| FUNCTIONS.iter().position(|g| std::ptr::eq(*g, f));
    let loops = LOOPS[position(first)?][position(second)?][operand];
    match dtype {
        DType::F32 => Some(loops[0]),
        DType::F64 => Some(loops[1]),
        _ => None,
    }
}
