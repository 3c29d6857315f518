//! Any function of `freelane-ops` as an operator.
use crate::fact::broadcast_dims;
use crate::{Datum, Dim, Fact, GraphError, Operator, Run};
use freelane_array::DType;
use freelane_ops::{Array, Function, Operand, Outputs, Scalar, UFunc, Value, promote_types};
use smallvec::SmallVec;

/// An argument of a [`Call`].
#[derive(Clone)]
pub enum Arg {
    /// The node's input of this number.
    Input(usize),
    /// The node's inputs from this number on, as a list.
    InputsFrom(usize),
    /// Several, as a list.
    List(Vec<Arg>),
    /// The same value in every run.
    Fixed(Value),
}

/// A function with its arguments, one for each parameter; those left out have their defaults.
#[derive(Clone)]
pub struct Call {
    function: Function,
    args: Vec<Option<Arg>>,
}

impl Call {
    /// A function and its arguments, in order of its parameters.
    pub fn new(function: Function, args: Vec<Option<Arg>>) -> Call {
        Call { function, args }
    }

    /// An elementwise function of the node's inputs.
    pub fn ufunc(f: &'static UFunc) -> Call {
        Call { function: Function::UFunc(f), args: (0..f.arity()).map(|i| Some(Arg::Input(i))).collect() }
    }

    fn value(arg: &Arg, cx: &Run<'_>) -> Result<Option<Value>, GraphError> {
        let array = |i: usize| Ok::<_, GraphError>(cx.array_or_none(i)?.map(|a| Value::Array(Array::from(a.clone()))));
        Ok(match arg {
            Arg::Fixed(v) => Some(v.clone()),
            Arg::Input(i) => array(*i)?,
            Arg::InputsFrom(first) => {
                let list = (*first..cx.len()).filter_map(|i| array(i).transpose()).collect::<Result<_, _>>()?;
                Some(Value::Tuple(list))
            }
            Arg::List(items) => {
                let list =
                    items.iter().filter_map(|item| Self::value(item, cx).transpose()).collect::<Result<_, _>>()?;
                Some(Value::Tuple(list))
            }
        })
    }
}

impl Arg {
    /// The argument as text that no other has; nothing if it holds arrays.
    fn exactly(&self) -> Option<String> {
        match self {
            Arg::Input(i) => Some(format!("#{i}")),
            Arg::InputsFrom(i) => Some(format!("#{i}..")),
            Arg::List(items) => {
                let items: Option<Vec<String>> = items.iter().map(Arg::exactly).collect();
                items.map(|items| format!("[{}]", items.join(",")))
            }
            Arg::Fixed(v) => exactly(v),
        }
    }
}

/// A value as text that no other value has; nothing for arrays.
fn exactly(value: &Value) -> Option<String> {
    Some(match value {
        Value::Array(_) => return None,
        Value::Scalar(Scalar::Float(x)) => format!("{x:?} {:x}", x.to_bits()),
        Value::Scalar(Scalar::Complex(z)) => format!("{z:?} {:x} {:x}", z.re.to_bits(), z.im.to_bits()),
        Value::Scalar(s) => format!("{s:?}"),
        Value::DType(d) => d.name().to_owned(),
        Value::Str(s) => format!("{s:?}"),
        Value::Tuple(items) => format!("{:?}", items.iter().map(exactly).collect::<Option<Vec<_>>>()?),
        Value::None => "None".to_owned(),
    })
}

/// What is known of an elementwise function's result.
pub(crate) fn infer_ufunc(f: &UFunc, inputs: &[Option<&Fact>]) -> Result<Fact, GraphError> {
    let known: Option<Vec<&Fact>> = inputs.iter().copied().collect();
    let Some(known) = known.filter(|k| k.len() == f.arity()) else {
        let (name, n) = (f.name, f.arity());
        return Err(GraphError::invalid(format!("{name} takes {n} inputs, {} given", inputs.len())));
    };
    let dtypes: Option<SmallVec<[DType; 3]>> = known.iter().map(|k| k.dtype).collect();
    let dtype = dtypes.and_then(|d| {
        let operands = if f.name == "where" { &d[1..] } else { &d[..] };
        let common = operands.iter().copied().reduce(promote_types)?;
        f.result_dtype(common)
    });
    let shapes: Option<Vec<&[Dim]>> = known.iter().map(|k| k.shape.as_deref()).collect();
    let shape = match &shapes {
        Some(shapes) => Some(broadcast_dims(shapes).ok_or_else(|| {
            let shown: Vec<String> = known.iter().map(|k| k.to_string()).collect();
            GraphError::invalid(format!("shapes do not broadcast: {}", shown.join(" and ")))
        })?),
        None => None,
    };
    Ok(Fact { dtype, shape, constant: None })
}

impl Operator for Call {
    fn name(&self) -> &str {
        self.function.name()
    }

    fn infer(&self, inputs: &[Option<&Fact>], outputs: usize) -> Result<Vec<Fact>, GraphError> {
        match self.function {
            Function::UFunc(f) if self.elementwise().is_some() => Ok(vec![infer_ufunc(f, inputs)?]),
            _ => Ok(vec![Fact::unknown(); outputs]),
        }
    }

    fn run(&self, cx: &mut Run<'_>) -> Result<(), GraphError> {
        if let Some(function) = self.elementwise() {
            let operands: SmallVec<[Operand<'_>; 3]> =
                (0..function.arity()).map(|i| cx.array(i).map(Operand::Array)).collect::<Result<_, _>>()?;
            let result = function.call(cx.lane(), &operands)?;
            cx.set(0, result);
            return Ok(());
        }
        let value = |arg: &Option<Arg>| arg.as_ref().map_or(Ok(None), |arg| Self::value(arg, cx));
        let values = self.args.iter().map(value).collect::<Result<SmallVec<[_; 4]>, _>>()?;
        match self.function.call_placed(cx.lane(), &values)? {
            Outputs::One(array) => cx.set(0, array),
            Outputs::Many(_, arrays) => arrays.into_iter().enumerate().for_each(|(i, a)| cx.set(i, Datum::from(a))),
        }
        Ok(())
    }

    fn elementwise(&self) -> Option<&'static UFunc> {
        let in_order = |(i, arg): (usize, &Option<Arg>)| matches!(arg, Some(Arg::Input(j)) if i == *j);
        match self.function {
            Function::UFunc(function) if self.args.iter().enumerate().all(in_order) => Some(function),
            _ => None,
        }
    }

    fn key(&self) -> Option<String> {
        let arg = |arg: &Option<Arg>| arg.as_ref().map_or(Some("_".to_owned()), Arg::exactly);
        let args: Option<Vec<String>> = self.args.iter().map(arg).collect();
        // Rows of two namespaces may have one name.
        let row = match self.function {
            Function::UFunc(f) => std::ptr::from_ref(f).addr(),
            Function::Reduction(r, _) => std::ptr::from_ref(r).addr(),
            Function::Op(o) => std::ptr::from_ref(o).addr(),
        };
        args.map(|args| format!("{row:x}({})", args.join(",")))
    }
}
