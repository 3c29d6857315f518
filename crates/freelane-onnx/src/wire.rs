//! The wire format of protocol buffers, read out of bytes that nobody vouches for.
//!
//! A message is a sequence of fields; each has a number, a type of encoding and a value. Nothing is copied here: texts and
//! nested messages are slices of the file. Every error says at which byte of the file it was found.
use crate::{Fault, Limits};
use std::cell::Cell;

/// What all readers of one file share: where it begins, how deep they may go, how much may still be made of it.
pub struct Budget<'a> {
    file: &'a [u8],
    max_depth: u32,
    bytes: Cell<u64>,
    limit: u64,
}

impl<'a> Budget<'a> {
    /// A budget for a file.
    pub fn new(file: &'a [u8], limits: &Limits) -> Self {
        let limit = limits.bytes_for(file.len());
        Budget { file, max_depth: limits.max_depth, bytes: Cell::new(0), limit }
    }

    /// Takes memory for `n` values of a type.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn charge<T>(&self, n: usize) -> Result<(), Fault> {
        let used = self.bytes.get().saturating_add((size_of::<T>() as u64).saturating_mul(n as u64));
        self.bytes.set(used);
        if used > self.limit {
            Err(Fault::TooLarge { what: "the parts of the model", limit: self.limit })
        } else {
            Ok(())
        }
    }

    fn offset(&self, bytes: &[u8]) -> u64 {
        (bytes.as_ptr() as usize).wrapping_sub(self.file.as_ptr() as usize) as u64
    }
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// A number of variable length.
    Varint(u64),
    /// Eight bytes.
    Fixed64([u8; 8]),
    /// Four bytes.
    Fixed32([u8; 4]),
    /// A text, a message, or many numbers.
    Bytes(&'a [u8]),
}

/// Reads the fields of one message.
#[derive(Clone, Copy)]
pub struct Message<'a, 'b> {
    rest: &'a [u8],
    budget: &'b Budget<'a>,
    depth: u32,
    /// The name of the message's type, for errors.
    kind: &'static str,
}

impl<'a, 'b> Message<'a, 'b> {
    /// The outermost message: the whole file.
    pub fn whole(budget: &'b Budget<'a>, kind: &'static str) -> Self {
        Message { rest: budget.file, budget, depth: 0, kind }
    }

    /// The budget of the file.
    pub fn budget(&self) -> &'b Budget<'a> {
        self.budget
    }

    /// Something wrong at this place.
    pub fn fault(&self, what: impl Into<String>) -> Fault {
        Fault::Malformed { kind: self.kind, what: what.into(), at: self.budget.offset(self.rest) }
    }

    /// The number and value of the next field.
    ///
    /// # Errors
    /// When the message is cut off, or is no such message.
    pub fn field(&mut self) -> Result<Option<(u32, Value<'a>)>, Fault> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).ok().filter(|&n| n > 0 && n < 1 << 29);
        let number = number.ok_or_else(|| self.fault(format!("{} is no field number", tag >> 3)))?;
        let value = match tag & 7 {
            0 => Value::Varint(self.varint()?),
            1 => Value::Fixed64(self.array()?),
            2 => {
                let n = self.varint()?;
                Value::Bytes(self.take(n)?)
            }
            5 => Value::Fixed32(self.array()?),
            other => return Err(self.fault(format!("field {number} has the unknown encoding {other}"))),
        };
        Ok(Some((number, value)))
    }

    fn varint(&mut self) -> Result<u64, Fault> {
        let mut value = 0u64;
        for (i, &byte) in self.rest.iter().take(10).enumerate() {
            value |= u64::from(byte & 0x7f) << (7 * i);
            if byte < 0x80 {
                if i == 9 && byte > 1 {
                    return Err(self.fault("a number of more than 64 bits"));
                }
                self.rest = &self.rest[i + 1..];
                return Ok(value);
            }
        }
        let cut = self.rest.len() < 10;
        Err(self.fault(if cut { "a number is cut off" } else { "a number of more than 64 bits" }))
    }

    fn take(&mut self, n: u64) -> Result<&'a [u8], Fault> {
        let cut = || self.fault(format!("{n} bytes are announced, {} are left", self.rest.len()));
        let n = usize::try_from(n).ok().filter(|&n| n <= self.rest.len()).ok_or_else(cut)?;
        let (taken, rest) = self.rest.split_at(n);
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let bytes = self.take(N as u64)?;
        bytes.try_into().map_err(|_| self.fault("a number is cut off"))
    }

    /// A field's value as a message.
    ///
    /// # Errors
    /// When it is none, or messages lie too deep in each other.
    pub fn message(&self, value: Value<'a>, kind: &'static str) -> Result<Message<'a, 'b>, Fault> {
        if self.depth == self.budget.max_depth {
            return Err(Fault::TooLarge { what: "messages inside of messages", limit: self.budget.max_depth.into() });
        }
        Ok(Message { rest: self.bytes(value)?, budget: self.budget, depth: self.depth + 1, kind })
    }

    /// A field's value as bytes.
    ///
    /// # Errors
    /// When it is a number.
    pub fn bytes(&self, value: Value<'a>) -> Result<&'a [u8], Fault> {
        match value {
            Value::Bytes(bytes) => Ok(bytes),
            other => Err(self.fault(format!("{other:?} where bytes are expected"))),
        }
    }

    /// A field's value as a text.
    ///
    /// # Errors
    /// When it is a number, or no UTF-8.
    pub fn text(&self, value: Value<'a>) -> Result<&'a str, Fault> {
        let bytes = self.bytes(value)?;
        std::str::from_utf8(bytes).map_err(|_| {
            let shown: String = bytes.iter().take(20).map(|b| b.escape_ascii().to_string()).collect();
            self.fault(format!("the text \"{shown}\" is no UTF-8"))
        })
    }

    /// A field's value as a whole number.
    ///
    /// # Errors
    /// When it is none.
    pub fn int(&self, value: Value<'a>) -> Result<i64, Fault> {
        match value {
            Value::Varint(v) => Ok(v as i64),
            other => Err(self.fault(format!("{other:?} where a whole number is expected"))),
        }
    }

    /// A field's value as a real number.
    ///
    /// # Errors
    /// When it is none.
    pub fn float(&self, value: Value<'a>) -> Result<f32, Fault> {
        match value {
            Value::Fixed32(bytes) => Ok(f32::from_le_bytes(bytes)),
            other => Err(self.fault(format!("{other:?} where a real number is expected"))),
        }
    }

    /// Adds a field of whole numbers, alone or packed, to those found before.
    ///
    /// # Errors
    /// When they are none, or the budget is used up.
    pub fn ints(&self, value: Value<'a>, into: &mut Vec<i64>) -> Result<(), Fault> {
        let Value::Bytes(packed) = value else { return self.push(into, self.int(value)?) };
        let mut numbers = Message { rest: packed, ..*self };
        while !numbers.rest.is_empty() {
            let number = numbers.varint()? as i64;
            self.push(into, number)?;
        }
        Ok(())
    }

    /// Adds a field of four-byte numbers, alone or packed, to those found before.
    ///
    /// # Errors
    /// As [`Message::ints`].
    pub fn floats(&self, value: Value<'a>, into: &mut Vec<f32>) -> Result<(), Fault> {
        let Value::Bytes(packed) = value else { return self.push(into, self.float(value)?) };
        let chunks = packed.chunks_exact(4);
        if !chunks.remainder().is_empty() {
            return Err(self.fault(format!("{} bytes are no whole number of 4-byte numbers", packed.len())));
        }
        self.budget.charge::<f32>(chunks.len())?;
        into.extend(chunks.map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]])));
        Ok(())
    }

    /// Adds a field of eight-byte numbers, alone or packed, to those found before.
    ///
    /// # Errors
    /// As [`Message::ints`].
    pub fn doubles(&self, value: Value<'a>, into: &mut Vec<f64>) -> Result<(), Fault> {
        let packed = match value {
            Value::Fixed64(bytes) => return self.push(into, f64::from_le_bytes(bytes)),
            value => self.bytes(value)?,
        };
        let chunks = packed.chunks_exact(8);
        if !chunks.remainder().is_empty() {
            return Err(self.fault(format!("{} bytes are no whole number of 8-byte numbers", packed.len())));
        }
        self.budget.charge::<f64>(chunks.len())?;
        into.extend(chunks.map(|c| f64::from_le_bytes([c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]])));
        Ok(())
    }

    /// Adds a value to a list that grows with the file.
    ///
    /// # Errors
    /// When the budget is used up.
    pub fn push<T>(&self, list: &mut Vec<T>, value: T) -> Result<(), Fault> {
        self.budget.charge::<T>(1)?;
        list.push(value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(bytes: &[u8]) -> Result<Vec<(u32, String)>, String> {
        let budget = Budget::new(bytes, &Limits::default());
        let mut message = Message::whole(&budget, "Test");
        let mut found = vec![];
        while let Some((number, value)) = message.field().map_err(|e| e.to_string())? {
            found.push((number, format!("{value:?}")));
        }
        Ok(found)
    }

    #[test]
    fn fields_of_all_encodings() {
        let bytes = [0x08, 0x96, 0x01, 0x12, 2, b'h', b'i', 0x1d, 0, 0, 0x80, 0x3f, 0x21, 1, 0, 0, 0, 0, 0, 0, 0];
        let want = [
            (1, "Varint(150)".to_owned()),
            (2, "Bytes([104, 105])".to_owned()),
            (3, "Fixed32([0, 0, 128, 63])".to_owned()),
            (4, "Fixed64([1, 0, 0, 0, 0, 0, 0, 0])".to_owned()),
        ];
        assert_eq!(fields(&bytes).unwrap(), want);
        assert_eq!(
            fields(&[0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]).unwrap()[0].1,
            format!("Varint({})", u64::MAX)
        );
    }

    #[test]
    fn faults_say_what_and_where() {
        let cases: [(&[u8], &str); 7] = [
            (&[0x08], "Test: a number is cut off at byte 1"),
            (&[0x08, 0x80, 0x80], "Test: a number is cut off at byte 1"),
            (&[0x12, 5, 1], "Test: 5 bytes are announced, 1 are left at byte 2"),
            (
                &[0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
                "Test: 18446744073709551615 bytes are announced, 0 are left at byte 11",
            ),
            (&[0x0b], "Test: field 1 has the unknown encoding 3 at byte 1"),
            (&[0x00, 0x00], "Test: 0 is no field number at byte 1"),
            (
                &[0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
                "Test: a number of more than 64 bits at byte 1",
            ),
        ];
        for (bytes, want) in cases {
            assert_eq!(fields(bytes).unwrap_err(), want);
        }
    }

    #[test]
    fn numbers_alone_and_packed() {
        let bytes = [0x08, 3, 0x0a, 3, 1, 0x96, 0x01];
        let budget = Budget::new(&bytes, &Limits::default());
        let mut message = Message::whole(&budget, "Test");
        let mut ints = vec![];
        while let Some((_, value)) = message.field().unwrap() {
            message.ints(value, &mut ints).unwrap();
        }
        assert_eq!(ints, [3, 1, 150]);
    }
}
