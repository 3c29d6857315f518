//! What holds for every row of the elementwise functions and the reductions.
use freelane_ops::{Array, DType, Operand, OpsError, ReduceArgs, UFunc, reductions, ufuncs};
use freelane_pool::{Lane, Runtime};
use freelane_testing::{THREADS, assert_same_bits, layouts, values};

type Result<T = ()> = std::result::Result<T, OpsError>;

fn call(f: &UFunc, args: &[&Array]) -> Result<Array> {
    let operands: Vec<Operand<'_>> = args.iter().map(|a| Operand::from(*a)).collect();
    Lane::with(|lane| f.call(lane, &operands)).map(Array::from)
}

/// Random operands for a loop of `dtype`; the condition of `where` is boolean.
fn operands(f: &UFunc, dtype: DType, shape: &[usize]) -> Result<Vec<Array>> {
    let selects = f.name == "where";
    (0..f.arity())
        .map(|i| values(shape, if selects && i == 0 { DType::Bool } else { dtype }, f.domain, i as u64))
        .collect()
}

fn for_each_loop(mut test: impl FnMut(&UFunc, DType) -> Result) -> Result {
    ufuncs::all().try_for_each(|f| f.dtypes().try_for_each(|d| test(f, d)))
}

#[test]
fn strides_and_alignment_do_not_show_in_the_bits() -> Result {
    for_each_loop(|f, dtype| {
        for shape in [&[7usize, 43][..], &[1], &[3, 1, 5]] {
            let args = operands(f, dtype, shape)?;
            let want = call(f, &args.iter().collect::<Vec<_>>())?;
            let variants = args.iter().map(layouts).collect::<Result<Vec<_>>>()?;
            for k in 0..variants[0].len() {
                for mixed in [false, true] {
                    let pick = |i: usize| &variants[i][if mixed && i == 0 { 0 } else { k }].1;
                    let got = call(f, &(0..args.len()).map(pick).collect::<Vec<_>>())?;
                    assert_same_bits(&got, &want, &format!("{} {dtype} {}", f.name, variants[0][k].0));
                }
            }
        }
        Ok(())
    })
}

#[test]
fn threads_do_not_show_in_the_bits() -> Result {
    let runtimes: Vec<Runtime> = THREADS.iter().filter_map(|&t| Runtime::new(t).ok()).collect();
    assert_eq!(runtimes.len(), THREADS.len());
    for_each_loop(|f, dtype| {
        // Long enough to be split for every function.
        let args = operands(f, dtype, &[100_003])?;
        let args: Vec<&Array> = args.iter().collect();
        let want = call(f, &args)?;
        for runtime in &runtimes {
            let got = runtime.install(|_| call(f, &args))?;
            assert_same_bits(&got, &want, &format!("{} {dtype} {} threads", f.name, runtime.threads()));
        }
        Ok(())
    })
}

#[test]
fn an_element_alone_is_the_element_in_the_array() -> Result {
    for_each_loop(|f, dtype| {
        let args = operands(f, dtype, &[37])?;
        let whole = call(f, &args.iter().collect::<Vec<_>>())?;
        for i in [0, 1, 15, 16, 31, 36] {
            let index = [freelane_ops::Index::At(i)];
            let alone = args.iter().map(|a| a.index(&index)?.copy()).collect::<Result<Vec<_>>>()?;
            let got = call(f, &alone.iter().collect::<Vec<_>>())?;
            assert_same_bits(&got, &whole.index(&index)?, &format!("{} {dtype} element {i}", f.name));
        }
        Ok(())
    })
}

#[test]
fn results_in_place_and_into_an_output_are_the_same() -> Result {
    for_each_loop(|f, dtype| {
        let args = operands(f, dtype, &[5, 41])?;
        let refs: Vec<&Array> = args.iter().collect();
        let want = call(f, &refs)?;
        let mut out = Array::zeros(want.shape(), want.dtype())?;
        let operands: Vec<Operand<'_>> = refs.iter().map(|a| Operand::from(*a)).collect();
        Lane::with(|lane| f.call_into(lane, &operands, out.data_mut()))?;
        assert_same_bits(&out, &want, &format!("{} {dtype} into an output", f.name));
        let mut transposed = Array::zeros(&[41, 5], want.dtype())?.t().copy()?;
        Lane::with(|lane| f.call_into(lane, &operands, transposed.data_mut()))?;
        assert_same_bits(&transposed, &want, &format!("{} {dtype} into a strided output", f.name));
        Ok(())
    })
}

#[test]
fn broadcasting_repeats_elements() -> Result {
    for_each_loop(|f, dtype| {
        if f.arity() != 2 {
            return Ok(());
        }
        let column = values(&[6, 1], dtype, f.domain, 1)?;
        let row = values(&[33], dtype, f.domain, 2)?;
        let (full_column, full_row) = (column.broadcast_to(&[6, 33])?.copy()?, row.broadcast_to(&[6, 33])?.copy()?);
        for (a, b) in [(&column, &row), (&row, &column)] {
            let (fa, fb) = if a.rank() == 2 { (&full_column, &full_row) } else { (&full_row, &full_column) };
            assert_same_bits(&call(f, &[a, b])?, &call(f, &[fa, fb])?, &format!("{} {dtype} broadcast", f.name));
        }
        Ok(())
    })
}

#[test]
fn empty_arrays_give_empty_arrays() -> Result {
    for_each_loop(|f, dtype| {
        for shape in [&[0usize][..], &[2, 0], &[0, 3]] {
            let args = operands(f, dtype, shape)?;
            assert_eq!(call(f, &args.iter().collect::<Vec<_>>())?.shape(), shape, "{} {dtype}", f.name);
        }
        Ok(())
    })
}

#[test]
fn rows_are_complete() {
    for f in ufuncs::all() {
        assert!(f.dtypes().count() > 0 && f.doc.len() > 10 && f.domain.0 < f.domain.1, "{}", f.name);
        assert!(f.cost > 0.0 && f.ulp >= 0.5, "{}", f.name);
        assert_eq!(ufuncs::by_name(f.name).map(|g| g.name), Some(f.name));
    }
    let mut names: Vec<&str> = freelane_ops::Function::all().map(|f| f.name()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "two functions share a name");
}

fn reduce(r: &freelane_ops::Reduction, x: &Array, axes: impl Into<freelane_ops::Axes>) -> Result<Array> {
    let args = ReduceArgs { axes: axes.into(), keepdims: false, correction: 0.0 };
    Lane::with(|lane| r.call(lane, x.data(), &args)).map(Array::from)
}

#[test]
fn reductions_depend_on_length_alone() -> Result {
    let runtimes: Vec<Runtime> = THREADS.iter().filter_map(|&t| Runtime::new(t).ok()).collect();
    for (r, _) in reductions::all() {
        for dtype in r.dtypes() {
            let x = values(&[4100, 6], dtype, (-3.0, 3.0), 7)?;
            let columns = reduce(r, &x, 0)?;
            let rows = reduce(r, &x, 1)?;
            for (what, y) in layouts(&x)? {
                let label = format!("{} {dtype} {what}", r.name);
                assert_same_bits(&reduce(r, &y, 0)?, &columns, &label);
                assert_same_bits(&reduce(r, &y, 1)?, &rows, &label);
                assert_same_bits(&reduce(r, &y, ..)?, &reduce(r, &x, ..)?, &label);
            }
            for runtime in &runtimes {
                let label = format!("{} {dtype} {} threads", r.name, runtime.threads());
                assert_same_bits(&runtime.install(|_| reduce(r, &x, 0))?, &columns, &label);
                let long = x.broadcast_to(&[9, 4100, 6])?;
                assert_same_bits(&runtime.install(|_| reduce(r, &long, ..))?, &reduce(r, &long, ..)?, &label);
            }
            let column = x.index(&[freelane_ops::Slice::all().into(), freelane_ops::Index::At(2)])?;
            assert_same_bits(&reduce(r, &column, 0)?, &columns.index(&[freelane_ops::Index::At(2)])?, r.name);
        }
    }
    Ok(())
}

/// Parts that are zero or infinite show whether what pads a block is a true identity.
#[test]
fn complex_reductions_keep_the_signs_of_zeros() -> Result {
    use num_complex::Complex;
    let parts = [0.0, -0.0, 1.0, -1.0, 2.0, f64::INFINITY];
    let z: Vec<Complex<f64>> = (0..40 * 33)
        .map(|i| Complex::new([1.0, -1.5, 0.5][i % 3], parts[(i * 7) % 6 * usize::from(i % 11 == 0)]))
        .collect();
    let x = Array::from_vec(z, &[40, 33])?;
    for (r, _) in reductions::all().filter(|(r, _)| r.dtypes().any(|d| d == DType::C128)) {
        for dtype in [DType::C64, DType::C128] {
            let x = x.astype(dtype)?;
            for axis in [0isize, 1] {
                let want = reduce(r, &x, axis)?;
                for (what, y) in layouts(&x)? {
                    assert_same_bits(&reduce(r, &y, axis)?, &want, &format!("{} {dtype} axis {axis} {what}", r.name));
                }
                for i in 0..5 {
                    let at = freelane_ops::Index::At(i);
                    let all = freelane_ops::Slice::all().into();
                    let one = x.index(&if axis == 0 { [all, at] } else { [at, all] })?;
                    assert_same_bits(&reduce(r, &one, 0)?, &want.index(&[at])?, &format!("{} {dtype} {i}", r.name));
                }
            }
        }
    }
    Ok(())
}
