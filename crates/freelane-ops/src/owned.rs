//! Functions of arguments that the caller gives away: temporaries, whose storage the result may take.
use crate::{Array, Function, InOp, Operand, OpsError, Outputs, UFunc, Value};
use freelane_array::{DType, Dims, broadcast_shapes};
use freelane_pool::Lane;
use smallvec::SmallVec;

type Operands<'a> = SmallVec<[Operand<'a>; 3]>;

impl Function {
    /// As [`Function::call`], with arguments that are given away: an elementwise function writes its result over an
    /// argument that owns its elements alone, if that has the result's dtype and shape. A chain of functions so works in
    /// the storage of its first result.
    ///
    /// ```
    /// use freelane_ops::{Array, Function, Value};
    /// use freelane_pool::Lane;
    /// let x = Array::from_vec(vec![1.0, 4.0], &[2])?;
    /// let at = x.data().as_ptr();
    /// let sqrt = Function::by_name("sqrt").unwrap();
    /// let y = Lane::with(|lane| sqrt.call_owned(lane, vec![Value::Array(x)], &[]))?.one().unwrap();
    /// assert_eq!((y.data().as_ptr(), y.to_vec::<f64>()?), (at, vec![1.0, 2.0]));
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Function::call`].
    pub fn call_owned(self, lane: &Lane, mut args: Vec<Value>, named: &[(&str, Value)]) -> Result<Outputs, OpsError> {
        if let Function::UFunc(f) = self
            && named.is_empty()
            && let Some(done) = f.in_place(lane, &mut args)
        {
            return done.map(Outputs::One);
        }
        self.call(lane, &args, named)
    }
}

impl UFunc {
    /// Runs over an argument that can take the result, if there is one.
    fn in_place(&self, lane: &Lane, args: &mut [Value]) -> Option<Result<Array, OpsError>> {
        let (dtype, shape) = self.unchanged_dtype(&operands(args)?)?;
        let (at, out) = args.iter_mut().enumerate().find_map(|(i, value)| Some((i, storage(value, dtype, &shape)?)))?;
        let Value::Array(x) = &args[at] else { return None };
        let done = self.run(lane, dtype, &operands(args)?, out, &x.data().layout().clone());
        let Value::Array(x) = std::mem::replace(&mut args[at], Value::None) else { return None };
        Some(done.map(|()| x))
    }

    /// The dtype and shape of the result, if it is computed in that dtype and nothing speaks against it.
    fn unchanged_dtype(&self, operands: &[Operand<'_>]) -> Option<(DType, Dims)> {
        let dtype = if operands.len() == self.arity() { self.loop_dtype(operands).ok()? } else { return None };
        let shape = broadcast_shapes(operands.iter().map(Operand::shape)).in_op(self.name).ok()?;
        (self.output_dtype(dtype) == Some(dtype)).then_some((dtype, shape))
    }
}

/// The arguments as operands, if they all are.
fn operands(args: &[Value]) -> Option<Operands<'_>> {
    args.iter().map(operand).collect()
}

fn operand(value: &Value) -> Option<Operand<'_>> {
    match value {
        Value::Array(x) => Some(Operand::Array(x.data())),
        Value::Scalar(s) => Some(Operand::Scalar(*s)),
        _ => None,
    }
}

/// Where an argument can be written over.
fn storage(value: &mut Value, dtype: DType, shape: &[usize]) -> Option<*mut u8> {
    match value {
        Value::Array(x) if x.dtype() == dtype && x.shape() == shape => x.data_mut().as_mut_ptr(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scalar;

    fn call(name: &str, args: Vec<Value>) -> Array {
        let function = Function::by_name(name).unwrap();
        Lane::with(|lane| function.call_owned(lane, args, &[])).unwrap().one().unwrap()
    }

    fn ramp(shape: &[isize]) -> Array {
        Array::arange(0, 6, 1).unwrap().astype(DType::F64).unwrap().reshape(shape).unwrap()
    }

    #[test]
    fn storage_is_taken_only_where_nobody_sees_it() {
        let half = || Value::Scalar(Scalar::Float(0.5));
        let shared = ramp(&[6]);
        let cases: [(&str, Array, Vec<Value>, bool); 6] = [
            ("add", ramp(&[6]), vec![half()], true),
            ("add", ramp(&[3, 2]).t(), vec![half()], true),
            ("add", shared.clone(), vec![half()], false),
            ("add", ramp(&[6]), vec![Value::Array(ramp(&[6, 1]))], false),
            ("less", ramp(&[6]), vec![half()], false),
            ("add", ramp(&[6]), vec![Value::Scalar(Scalar::Complex(num_complex::Complex::new(0.0, 1.0)))], false),
        ];
        for (i, (name, x, more, reused)) in cases.into_iter().enumerate() {
            let at = x.data().as_ptr();
            let want = Lane::with(|lane| {
                let args: Vec<Value> = [Value::Array(x.clone())].into_iter().chain(more.clone()).collect();
                Function::by_name(name).unwrap().call(lane, &args, &[]).unwrap().one().unwrap()
            });
            let got = call(name, [Value::Array(x)].into_iter().chain(more).collect());
            assert_eq!(got.data().as_ptr() == at, reused, "case {i}");
            assert_eq!(got.to_string(), want.to_string(), "case {i}");
        }
        assert_eq!(shared.to_vec::<f64>().unwrap(), ramp(&[6]).to_vec::<f64>().unwrap());
    }

    #[test]
    fn errors_are_those_of_a_plain_call() {
        let add = Function::by_name("add").unwrap();
        for args in
            [vec![], vec![Value::None, Value::None], vec![Value::Array(ramp(&[6])), Value::Array(ramp(&[2, 3]))]]
        {
            let plain = Lane::with(|lane| add.call(lane, &args, &[])).err().unwrap().to_string();
            assert_eq!(Lane::with(|lane| add.call_owned(lane, args, &[])).err().unwrap().to_string(), plain);
        }
    }
}
