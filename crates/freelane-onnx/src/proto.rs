//! The messages of an ONNX file, one row a field: what `onnx.proto` calls them, with its numbers.
//!
//! Texts and the elements of tensors are slices of the file. Fields that nothing here uses are checked for their form and
//! left.
use crate::Fault;
use crate::wire::{Budget, Message, Value};

/// A message that can be read.
trait Read<'a>: Sized {
    const KIND: &'static str;
    fn read(message: Message<'a, '_>) -> Result<Self, Fault>;
}

/// Reads fields into a struct. `one` keeps the last of several, as protocol buffers do; `many` keeps all.
macro_rules! messages {
    ($($(#[$doc:meta])+ $name:ident $kind:literal {
        $($(#[$field_doc:meta])+ $field:ident: $ty:ty = $number:literal $how:ident,)*
    })*) => {$(
        $(#[$doc])+
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name<'a> {
            $($(#[$field_doc])+ pub $field: $ty,)*
            #[doc(hidden)]
            pub marker: std::marker::PhantomData<&'a ()>,
        }

        impl<'a> Read<'a> for $name<'a> {
            const KIND: &'static str = $kind;

            fn read(mut message: Message<'a, '_>) -> Result<Self, Fault> {
                let mut read = Self::default();
                while let Some((number, value)) = message.field()? {
                    match number {
                        $($number => $how(&message, value, &mut read.$field)?,)*
                        _ => {}
                    }
                }
                Ok(read)
            }
        }
    )*};
}

fn text<'a>(m: &Message<'a, '_>, value: Value<'a>, field: &mut &'a str) -> Result<(), Fault> {
    *field = m.text(value)?;
    Ok(())
}

fn texts<'a>(m: &Message<'a, '_>, value: Value<'a>, field: &mut Vec<&'a str>) -> Result<(), Fault> {
    m.push(field, m.text(value)?)
}

fn bytes<'a>(m: &Message<'a, '_>, value: Value<'a>, field: &mut &'a [u8]) -> Result<(), Fault> {
    *field = m.bytes(value)?;
    Ok(())
}

fn some_bytes<'a>(m: &Message<'a, '_>, value: Value<'a>, field: &mut Option<&'a [u8]>) -> Result<(), Fault> {
    *field = Some(m.bytes(value)?);
    Ok(())
}

fn many_bytes<'a>(m: &Message<'a, '_>, value: Value<'a>, field: &mut Vec<&'a [u8]>) -> Result<(), Fault> {
    m.push(field, m.bytes(value)?)
}

fn int<'a>(m: &Message<'a, '_>, value: Value<'a>, field: &mut i64) -> Result<(), Fault> {
    *field = m.int(value)?;
    Ok(())
}

fn some_int<'a>(m: &Message<'a, '_>, value: Value<'a>, field: &mut Option<i64>) -> Result<(), Fault> {
    *field = Some(m.int(value)?);
    Ok(())
}

fn float<'a>(m: &Message<'a, '_>, value: Value<'a>, field: &mut f32) -> Result<(), Fault> {
    *field = m.float(value)?;
    Ok(())
}

fn ints<'a>(m: &Message<'a, '_>, value: Value<'a>, field: &mut Vec<i64>) -> Result<(), Fault> {
    m.ints(value, field)
}

fn floats<'a>(m: &Message<'a, '_>, value: Value<'a>, field: &mut Vec<f32>) -> Result<(), Fault> {
    m.floats(value, field)
}

fn doubles<'a>(m: &Message<'a, '_>, value: Value<'a>, field: &mut Vec<f64>) -> Result<(), Fault> {
    m.doubles(value, field)
}

fn one<'a, T: Read<'a>>(m: &Message<'a, '_>, value: Value<'a>, field: &mut Option<Box<T>>) -> Result<(), Fault> {
    m.budget().charge::<T>(1)?;
    *field = Some(Box::new(T::read(m.message(value, T::KIND)?)?));
    Ok(())
}

fn many<'a, T: Read<'a>>(m: &Message<'a, '_>, value: Value<'a>, field: &mut Vec<T>) -> Result<(), Fault> {
    let read = T::read(m.message(value, T::KIND)?)?;
    m.push(field, read)
}

messages! {
    /// A model: the whole file.
    Model "ModelProto" {
        /// The version of the format.
        ir_version: i64 = 1 int,
        /// The program that wrote it.
        producer_name: &'a str = 2 text,
        /// That program's version.
        producer_version: &'a str = 3 text,
        /// The namespace of the model.
        domain: &'a str = 4 text,
        /// The version of the model.
        model_version: i64 = 5 int,
        /// What the model is for.
        doc_string: &'a str = 6 text,
        /// What is computed.
        graph: Option<Box<Graph<'a>>> = 7 one,
        /// The sets of operators that the model uses.
        opset_import: Vec<OperatorSetId<'a>> = 8 many,
        /// Whatever its writer wanted to tell.
        metadata_props: Vec<StringStringEntry<'a>> = 14 many,
        /// Functions that nodes may call.
        functions: Vec<Function<'a>> = 25 many,
    }
    /// A set of operators.
    OperatorSetId "OperatorSetIdProto" {
        /// Its name; the standard's own has none.
        domain: &'a str = 1 text,
        /// Its version.
        version: i64 = 2 int,
    }
    /// A name and a value.
    StringStringEntry "StringStringEntryProto" {
        /// The name.
        key: &'a str = 1 text,
        /// The value.
        value: &'a str = 2 text,
    }
    /// Nodes, and what goes in and comes out.
    Graph "GraphProto" {
        /// The nodes, each after those it needs.
        node: Vec<Node<'a>> = 1 many,
        /// Its name.
        name: &'a str = 2 text,
        /// Constants, by the names of values.
        initializer: Vec<Tensor<'a>> = 5 many,
        /// What it is for.
        doc_string: &'a str = 10 text,
        /// What goes in.
        input: Vec<ValueInfo<'a>> = 11 many,
        /// What comes out.
        output: Vec<ValueInfo<'a>> = 12 many,
        /// Types of values between.
        value_info: Vec<ValueInfo<'a>> = 13 many,
        /// Constants that are mostly zero.
        sparse_initializer: Vec<SparseTensor<'a>> = 15 many,
    }
    /// One application of an operator.
    Node "NodeProto" {
        /// Names of the values it takes; empty where an optional one is left out.
        input: Vec<&'a str> = 1 texts,
        /// Names of the values it makes.
        output: Vec<&'a str> = 2 texts,
        /// Its name.
        name: &'a str = 3 text,
        /// The operator.
        op_type: &'a str = 4 text,
        /// Constants that the operator is told.
        attribute: Vec<Attribute<'a>> = 5 many,
        /// The operator's set.
        domain: &'a str = 7 text,
        /// Which of several functions of one name.
        overload: &'a str = 8 text,
    }
    /// A constant that an operator is told.
    Attribute "AttributeProto" {
        /// Its name.
        name: &'a str = 1 text,
        /// A real number.
        f: f32 = 2 float,
        /// A whole number.
        i: i64 = 3 int,
        /// A text.
        s: &'a [u8] = 4 bytes,
        /// A tensor.
        t: Option<Box<Tensor<'a>>> = 5 one,
        /// A graph.
        g: Option<Box<Graph<'a>>> = 6 one,
        /// Real numbers.
        floats: Vec<f32> = 7 floats,
        /// Whole numbers.
        ints: Vec<i64> = 8 ints,
        /// Texts.
        strings: Vec<&'a [u8]> = 9 many_bytes,
        /// Tensors.
        tensors: Vec<Tensor<'a>> = 10 many,
        /// Graphs.
        graphs: Vec<Graph<'a>> = 11 many,
        /// A type.
        tp: Option<Box<Type<'a>>> = 14 one,
        /// Which of these it has: 1 f, 2 i, 3 s, 4 t, 5 g, 6 floats, 7 ints, 8 strings, 9 tensors, 10 graphs, 11 and 12 sparse
        /// tensors, 13 tp, 14 types.
        kind: i64 = 20 int,
        /// In a function: the function's attribute that it stands for.
        ref_attr_name: &'a str = 21 text,
        /// A sparse tensor.
        sparse_tensor: Option<Box<SparseTensor<'a>>> = 22 one,
    }
    /// A tensor with its elements.
    Tensor "TensorProto" {
        /// Lengths of its axes.
        dims: Vec<i64> = 1 ints,
        /// The type of its elements.
        data_type: i64 = 2 int,
        /// Elements of float and complex64.
        float_data: Vec<f32> = 4 floats,
        /// Elements of all small types.
        int32_data: Vec<i64> = 5 ints,
        /// Elements of string.
        string_data: Vec<&'a [u8]> = 6 many_bytes,
        /// Elements of int64.
        int64_data: Vec<i64> = 7 ints,
        /// Its name.
        name: &'a str = 8 text,
        /// Elements of any type but string, as they lie in little-endian memory.
        raw_data: Option<&'a [u8]> = 9 some_bytes,
        /// Elements of double and complex128.
        double_data: Vec<f64> = 10 doubles,
        /// Elements of uint32 and uint64.
        uint64_data: Vec<i64> = 11 ints,
        /// Where the elements lie, if they are in another file.
        external_data: Vec<StringStringEntry<'a>> = 13 many,
        /// 1 if they are in another file.
        data_location: i64 = 14 int,
    }
    /// A tensor that is mostly zero.
    SparseTensor "SparseTensorProto" {
        /// The other elements.
        values: Option<Box<Tensor<'a>>> = 1 one,
        /// Where they are.
        indices: Option<Box<Tensor<'a>>> = 2 one,
        /// Lengths of the axes.
        dims: Vec<i64> = 3 ints,
    }
    /// A list of values.
    Sequence "SequenceProto" {
        /// Its name.
        name: &'a str = 1 text,
        /// What it holds: 1 tensors, 2 sparse tensors, 3 sequences, 4 maps, 5 optionals.
        elem_type: i64 = 2 int,
        /// Tensors.
        tensor_values: Vec<Tensor<'a>> = 3 many,
        /// Sequences.
        sequence_values: Vec<Sequence<'a>> = 5 many,
        /// Optionals.
        optional_values: Vec<Optional<'a>> = 7 many,
    }
    /// A value or nothing.
    Optional "OptionalProto" {
        /// Its name.
        name: &'a str = 1 text,
        /// What it holds: 0 nothing, 1 a tensor, 2 a sparse tensor, 3 a sequence, 4 a map, 5 an optional.
        elem_type: i64 = 2 int,
        /// The tensor.
        tensor_value: Option<Box<Tensor<'a>>> = 3 one,
        /// The sequence.
        sequence_value: Option<Box<Sequence<'a>>> = 5 one,
        /// The optional.
        optional_value: Option<Box<Optional<'a>>> = 7 one,
    }
    /// A value's name and type.
    ValueInfo "ValueInfoProto" {
        /// Its name.
        name: &'a str = 1 text,
        /// Its type.
        ty: Option<Box<Type<'a>>> = 2 one,
    }
    /// The type of a value: one of these.
    Type "TypeProto" {
        /// A tensor.
        tensor_type: Option<Box<TensorType<'a>>> = 1 one,
        /// A sequence.
        sequence_type: Option<Box<Wrapped<'a>>> = 4 one,
        /// A map.
        map_type: Option<Box<MapType<'a>>> = 5 one,
        /// What it means.
        denotation: &'a str = 6 text,
        /// A tensor that is mostly zero.
        sparse_tensor_type: Option<Box<TensorType<'a>>> = 8 one,
        /// Something or nothing.
        optional_type: Option<Box<Wrapped<'a>>> = 9 one,
    }
    /// The type of a tensor.
    TensorType "TypeProto.Tensor" {
        /// The type of its elements.
        elem_type: i64 = 1 int,
        /// Its shape, if that is known.
        shape: Option<Box<Shape<'a>>> = 2 one,
    }
    /// A type of things of another type.
    Wrapped "TypeProto.Sequence" {
        /// The other type.
        elem_type: Option<Box<Type<'a>>> = 1 one,
    }
    /// The type of a map.
    MapType "TypeProto.Map" {
        /// The type of the keys.
        key_type: i64 = 1 int,
        /// The type of the values.
        value_type: Option<Box<Type<'a>>> = 2 one,
    }
    /// Lengths of axes.
    Shape "TensorShapeProto" {
        /// Each one.
        dim: Vec<Dimension<'a>> = 1 many,
    }
    /// The length of an axis: a number, a name, or neither.
    Dimension "TensorShapeProto.Dimension" {
        /// The number.
        dim_value: Option<i64> = 1 some_int,
        /// The name: lengths of one name are equal.
        dim_param: &'a str = 2 text,
        /// What it means.
        denotation: &'a str = 3 text,
    }
    /// Nodes that stand for an operator.
    Function "FunctionProto" {
        /// The operator.
        name: &'a str = 1 text,
        /// What goes in.
        input: Vec<&'a str> = 4 texts,
        /// What comes out.
        output: Vec<&'a str> = 5 texts,
        /// Attributes without a default.
        attribute: Vec<&'a str> = 6 texts,
        /// The nodes.
        node: Vec<Node<'a>> = 7 many,
        /// The sets of operators that it uses.
        opset_import: Vec<OperatorSetId<'a>> = 9 many,
        /// The operator's set.
        domain: &'a str = 10 text,
        /// Attributes with their defaults.
        attribute_proto: Vec<Attribute<'a>> = 11 many,
        /// Which of several functions of one name.
        overload: &'a str = 13 text,
    }
}

impl<'a> Model<'a> {
    /// Reads a file.
    ///
    /// # Errors
    /// When the bytes are no model, or there is more than the budget allows.
    pub fn read(budget: &Budget<'a>) -> Result<Model<'a>, Fault> {
        <Model<'a> as Read<'a>>::read(Message::whole(budget, Model::KIND))
    }
}

macro_rules! whole_files {
    ($($name:ident),*) => {$(
        impl<'a> $name<'a> {
            /// Reads a file that holds one.
            ///
            /// # Errors
            /// As [`Model::read`].
            pub fn read(budget: &Budget<'a>) -> Result<$name<'a>, Fault> {
                <$name<'a> as Read<'a>>::read(Message::whole(budget, $name::KIND))
            }
        }
    )*};
}
whole_files!(Tensor, Sequence, Optional);
