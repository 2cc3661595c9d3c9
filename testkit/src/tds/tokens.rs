//! The tokens of a reply (MS-TDS 2.2.7).
//!
//! This module only encodes tokens, and must not depend on the code that decides which tokens to send. Start reading at
//! [`Reply`].

use rusqlite::types::Value;

use super::types::Ty;

/// Status bits of `DONE`.
const MORE: u8 = 1;
const ERROR: u8 = 2;
const IN_TRANSACTION: u8 = 4;
const COUNT: u8 = 0x10;
const ATTENTION: u8 = 0x20;

pub const DONE: u8 = 0xfd;
pub const DONE_PROC: u8 = 0xfe;
pub const DONE_IN_PROC: u8 = 0xff;

/// An error as clients see it.
#[derive(Clone, Debug)]
pub struct Trouble {
    pub number: i32,
    pub class: u8,
    pub text: String,
}

impl Trouble {
    pub fn new(number: i32, class: u8, text: impl Into<String>) -> Self {
        Self { number, class, text: text.into() }
    }
}

/// A column of a result.
#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    pub ty: Ty,
}

/// A reply under construction.
#[derive(Default)]
pub struct Reply {
    pub bytes: Vec<u8>,
    last_done: Option<usize>,
}

impl Reply {
    fn wide(&mut self, text: &str) {
        self.bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    }

    /// Appends a string, preceded by its length in one byte.
    pub fn name(&mut self, text: &str) {
        self.bytes.push(text.encode_utf16().count() as u8);
        self.wide(text);
    }

    /// Appends a token whose length precedes it in two bytes.
    fn sized(&mut self, token: u8, write: impl FnOnce(&mut Self)) {
        self.bytes.extend([token, 0, 0]);
        let start = self.bytes.len();
        write(self);
        let length = (self.bytes.len() - start) as u16;
        self.bytes[start - 2..start].copy_from_slice(&length.to_le_bytes());
    }

    pub fn error(&mut self, trouble: &Trouble) {
        let token = if trouble.class > 10 { 0xaa } else { 0xab };
        self.sized(token, |reply| {
            reply.bytes.extend(trouble.number.to_le_bytes());
            reply.bytes.extend([1, trouble.class]);
            reply.bytes.extend((trouble.text.encode_utf16().count() as u16).to_le_bytes());
            reply.wide(&trouble.text);
            reply.name("tacho-tds");
            reply.name("");
            reply.bytes.extend(1_u32.to_le_bytes());
        });
    }

    /// Appends an `ENVCHANGE` with strings.
    pub fn changed(&mut self, kind: u8, new: &str, old: &str) {
        self.sized(0xe3, |reply| {
            reply.bytes.push(kind);
            reply.name(new);
            reply.name(old);
        });
    }

    /// Appends an `ENVCHANGE` with bytes.
    pub fn changed_bytes(&mut self, kind: u8, new: &[u8], old: &[u8]) {
        self.sized(0xe3, |reply| {
            reply.bytes.push(kind);
            for bytes in [new, old] {
                reply.bytes.push(bytes.len() as u8);
                reply.bytes.extend(bytes);
            }
        });
    }

    pub fn login_ack(&mut self, version: u32) {
        self.sized(0xad, |reply| {
            reply.bytes.push(1);
            reply.bytes.extend(version.to_be_bytes());
            reply.name("Microsoft SQL Server");
            reply.bytes.extend(super::VERSION);
        });
    }

    pub fn columns(&mut self, columns: &[Column]) {
        self.bytes.push(0x81);
        self.bytes.extend((columns.len() as u16).to_le_bytes());
        for column in columns {
            self.bytes.extend(0_u32.to_le_bytes());
            // The column is nullable and updatable.
            self.bytes.extend(0x0009_u16.to_le_bytes());
            column.ty.write(&mut self.bytes);
            self.name(&column.name);
        }
    }

    pub fn row(&mut self, columns: &[Column], values: &[Value]) {
        let nulls = values.iter().filter(|value| **value == Value::Null).count();
        if nulls == 0 {
            self.bytes.push(0xd1);
        } else {
            // NBCROW, which has one bit for each column. The bit is set if the value is null.
            self.bytes.push(0xd2);
            let start = self.bytes.len();
            self.bytes.resize(start + columns.len().div_ceil(8), 0);
            for (at, value) in values.iter().enumerate() {
                self.bytes[start + at / 8] |= u8::from(*value == Value::Null) << (at % 8);
            }
        }
        for (column, value) in columns.iter().zip(values) {
            if *value != Value::Null {
                column.ty.write_value(value, &mut self.bytes);
            }
        }
    }

    pub fn return_status(&mut self, status: i32) {
        self.bytes.push(0x79);
        self.bytes.extend(status.to_le_bytes());
    }

    pub fn return_value(&mut self, at: u16, name: &str, ty: Ty, value: &Value) {
        self.bytes.push(0xac);
        self.bytes.extend(at.to_le_bytes());
        self.name(name);
        self.bytes.push(1);
        self.bytes.extend([0; 6]);
        ty.write(&mut self.bytes);
        ty.write_value(value, &mut self.bytes);
    }

    /// Appends the end of a statement, with a flag that announces another statement. [`Reply::finish`] clears the flag
    /// of the last one.
    pub fn done(
        &mut self,
        token: u8,
        command: u16,
        count: Option<u64>,
        failed: bool,
        inside: bool,
    ) {
        self.last_done = Some(self.bytes.len() + 1);
        let bit = |set, bit| if set { bit } else { 0 };
        let status =
            MORE | bit(failed, ERROR) | bit(count.is_some(), COUNT) | bit(inside, IN_TRANSACTION);
        self.bytes.extend([token, status, 0]);
        self.bytes.extend(command.to_le_bytes());
        self.bytes.extend(count.unwrap_or(0).to_le_bytes());
    }

    /// Appends the acknowledgement that the request was cancelled.
    pub fn cancelled(&mut self) {
        self.bytes.extend([DONE, ATTENTION, 0]);
        self.bytes.extend([0; 10]);
    }

    /// Completes the reply. Appends the end of a statement if there is none, and clears the flag that announces another
    /// statement.
    pub fn finish(&mut self) {
        if self.last_done.is_none() {
            self.done(DONE, 0, None, false, false);
        }
        if let Some(at) = self.last_done {
            self.bytes[at] &= !MORE;
        }
    }
}
