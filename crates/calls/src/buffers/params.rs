//! A statement's parameters.

#![expect(unsafe_code, reason = "the ODBC driver reads and writes through pointers")]

use tacho_core::{Error, Result};
use tacho_driver::{Field, Value, ValueKind, text};

use super::{Form, Manner, Timestamp, declared, push_wide, sendable};
use crate::handles::Statement;
use crate::library::{Length, NULL_DATA};

const INPUT: i16 = 1;

/// One parameter.
struct Param<L> {
    kind: ValueKind,
    form: Form,
    length: L,
    number: i64,
    moment: Timestamp,
    text: Vec<u8>,
    /// Size in bytes of the text buffer when it was last bound to the statement.
    bound: usize,
}

/// A statement's parameters.
pub struct Params<L> {
    /// The parameters are in a `Box`, because the driver keeps their addresses.
    all: Box<[Param<L>]>,
    /// For each placeholder, the index of its parameter.
    placeholders: Box<[u16]>,
    manner: Manner,
}

impl<L: Length> Params<L> {
    pub fn new(fields: &[Field], placeholders: &[u16], manner: Manner) -> Self {
        let param = |field: &Field| Param {
            kind: field.kind,
            form: Form::of(field.kind, manner),
            length: L::default(),
            number: 0,
            moment: Timestamp::default(),
            text: Vec::with_capacity(64),
            bound: 0,
        };
        Self { all: fields.iter().map(param).collect(), placeholders: placeholders.into(), manner }
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Binds all placeholders.
    pub fn bind(&mut self, statement: &Statement<L>) -> Result<()> {
        for at in 0..self.all.len() {
            self.bind_one(at, statement)?;
        }
        Ok(())
    }

    fn bind_one(&mut self, at: usize, statement: &Statement<L>) -> Result<()> {
        let param = &mut self.all[at];
        param.bound = param.text.capacity();
        let (kind, size, digits) = declared(param.kind, param.form, self.manner, param.bound);
        let (memory, room) = match param.form {
            Form::Number | Form::Double => ((&raw mut param.number).cast(), size_of::<i64>()),
            Form::Text | Form::Wide => (param.text.as_mut_ptr().cast(), param.bound),
            Form::Moment => ((&raw mut param.moment).cast(), size_of::<Timestamp>()),
        };
        let (form, length) = (param.form.c_type(), &raw mut param.length);
        for place in (1..).zip(&self.placeholders).filter(|(_, param)| usize::from(**param) == at) {
            // SAFETY: the memory does not move until it is bound again or the statement is dropped.
            statement.check(unsafe {
                (statement.library.bind_parameter)(
                    statement.handle,
                    place.0,
                    INPUT,
                    form,
                    kind,
                    L::of(size as isize),
                    digits,
                    memory,
                    L::of(room as isize),
                    length,
                )
            })?;
        }
        Ok(())
    }

    /// Stores a value in its buffer.
    pub fn set(&mut self, at: usize, value: Value<'_>, statement: &Statement<L>) -> Result<()> {
        let param = &mut self.all[at];
        param.text.clear();
        match (param.form, param.kind, value) {
            (_, _, Value::Null) => {
                param.length = L::of(NULL_DATA);
                return Ok(());
            }
            (
                Form::Number,
                _,
                Value::Int(number) | Value::Decimal(number) | Value::Time(number),
            ) => {
                param.number = number;
                param.length = L::of(0);
                return Ok(());
            }
            (Form::Moment, _, Value::Time(micros)) => {
                param.moment = Timestamp::of(micros)?;
                param.length = L::of(0);
                return Ok(());
            }
            (Form::Text, ValueKind::Decimal(scale), Value::Decimal(unscaled)) => {
                text::decimal(unscaled, scale, &mut param.text);
            }
            (Form::Text, ValueKind::Decimal(_) | ValueKind::Int, Value::Int(number)) => {
                text::whole(number, &mut param.text);
            }
            (Form::Text, ValueKind::Text, Value::Text(bytes)) => {
                param.text.extend_from_slice(sendable(bytes)?.as_bytes());
            }
            (Form::Wide, _, Value::Text(bytes)) => push_wide(bytes, &mut param.text)?,
            (_, kind, value) => {
                return Err(Error::usage(format!("{value:?} is not a value of type {kind:?}")));
            }
        }
        param.length = L::of(param.text.len() as isize);
        if param.text.capacity() == param.bound { Ok(()) } else { self.bind_one(at, statement) }
    }
}
