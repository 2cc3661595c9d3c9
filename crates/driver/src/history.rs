//! A log of the list operations that transactions perform, for checking the isolation between transactions.
//!
//! A workload encodes the operations of each attempt, and the engine passes them on with the attempt's outcome. Start
//! reading at [`HistoryLog`].

use tacho_core::{AttemptOutcome, Error, ErrorKind, Instant, Result};

/// Tags of the encoded operations.
const APPEND: u64 = 0;
const REPLACE: u64 = 1;
const READ: u64 = 2;
/// Maximum length of an encoded number in bytes.
const NUMBER_MAX: usize = 10;
/// Maximum number of values in a list. A longer list indicates a bug and would exhaust memory.
const VALUES_MAX: u64 = 1 << 16;

/// An attempt to run a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The session number.
    pub session: u32,
    /// The outcome.
    pub outcome: AttemptOutcome,
    /// The start, before the first request.
    pub begun: Instant,
    /// The end, after the last response.
    pub ended: Instant,
}

/// The record of all attempts, in order for each session. Calls never wait for another session.
pub trait HistoryLog: Send + Sync {
    /// Records an attempt and its operations.
    fn record(&self, attempt: Attempt, operations: &Operations);
}

/// The encoded operations of an attempt. The allocated memory is kept when they are cleared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    bytes: Vec<u8>,
}

/// An operation on the list of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation<'a> {
    /// A value was added to the list.
    Append {
        /// The key.
        key: u64,
        /// The value.
        value: u64,
    },
    /// The whole list was written: the list that was read last, with this value added at its end.
    Replace {
        /// The key.
        key: u64,
        /// The value.
        value: u64,
    },
    /// The list was read.
    Read {
        /// The key.
        key: u64,
        /// The values in the list.
        list: &'a [u64],
    },
}

impl Operations {
    /// Removes all operations.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Returns true if there are no operations.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Adds an operation.
    pub fn add(&mut self, operation: Operation<'_>) {
        match operation {
            Operation::Append { key, value } => self.numbers([APPEND, key, value]),
            Operation::Replace { key, value } => self.numbers([REPLACE, key, value]),
            Operation::Read { key, list } => {
                self.numbers([READ, key, list.len() as u64]);
                for value in list {
                    put_number(&mut self.bytes, *value);
                }
            }
        }
    }

    fn numbers(&mut self, numbers: [u64; 3]) {
        for number in numbers {
            put_number(&mut self.bytes, number);
        }
    }

    /// Returns the encoded operations.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Passes encoded operations to `each`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Protocol`] if the bytes are not encoded operations. Errors returned by `each` are passed
    /// on.
    pub fn decode(
        mut bytes: &[u8],
        mut each: impl FnMut(Operation<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut list = Vec::new();
        while !bytes.is_empty() {
            let tag = take_number(&mut bytes)?;
            let key = take_number(&mut bytes)?;
            let value = take_number(&mut bytes)?;
            match tag {
                APPEND => each(Operation::Append { key, value })?,
                REPLACE => each(Operation::Replace { key, value })?,
                READ if value <= VALUES_MAX => {
                    list.clear();
                    for _ in 0..value {
                        list.push(take_number(&mut bytes)?);
                    }
                    each(Operation::Read { key, list: &list })?;
                }
                _ => return Err(damaged()),
            }
        }
        Ok(())
    }
}

/// Appends a number in 7-bit groups, starting with the lowest.
pub fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Removes a number from the start of the bytes.
///
/// # Errors
/// Returns [`ErrorKind::Protocol`] if the bytes do not start with a number.
pub fn take_number(bytes: &mut &[u8]) -> Result<u64> {
    let length = bytes.iter().take(NUMBER_MAX).position(|byte| byte & 0x80 == 0);
    let Some(length) = length else { return Err(damaged()) };
    let (number, rest) = bytes.split_at(length + 1);
    *bytes = rest;
    let add = |sum: u64, byte: &u8| sum.wrapping_shl(7) | u64::from(byte & 0x7f);
    Ok(number.iter().rev().fold(0, add))
}

/// Parses a list as the workload stores it: decimal numbers, each followed by a comma.
///
/// # Errors
/// Returns [`ErrorKind::WrongAnswer`] if the text is not such a list.
pub fn parse_list(text: &[u8], list: &mut Vec<u64>) -> Result<()> {
    list.clear();
    // Some databases store an empty string as NULL or as a blank.
    for number in text.trim_ascii().split_inclusive(|byte| *byte == b',') {
        let digits = number.strip_suffix(b",").filter(|digits| !digits.is_empty());
        let number = digits.and_then(|digits| {
            digits.iter().try_fold(0_u64, |sum, digit| {
                let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
                sum.checked_mul(10)?.checked_add(digit)
            })
        });
        let Some(number) = number else { return Err(no_list(text)) };
        list.push(number);
    }
    Ok(())
}

#[cold]
fn no_list(text: &[u8]) -> Error {
    let text = String::from_utf8_lossy(text);
    let text: String = text.chars().take(100).collect();
    Error::new(ErrorKind::WrongAnswer, format!("not a list of values: \"{text}\""))
        .hint("to rebuild the data, use tacho prepare")
}

#[cold]
fn damaged() -> Error {
    Error::new(ErrorKind::Protocol, "the operations of a transaction are damaged")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_decoded_as_they_were_added() -> Result<()> {
        let all = [
            Operation::Append { key: 0, value: u64::MAX },
            Operation::Read { key: 300, list: &[] },
            Operation::Read { key: u64::MAX, list: &[1, 127, 128, 16_384] },
            Operation::Replace { key: 127, value: 128 },
        ];
        let mut operations = Operations::default();
        for operation in all {
            operations.add(operation);
        }
        let mut expected = all.iter();
        Operations::decode(operations.bytes(), |found| {
            assert_eq!(Some(&found), expected.next());
            Ok(())
        })?;
        assert_eq!(expected.next(), None);
        operations.clear();
        assert!(operations.is_empty());
        Ok(())
    }

    #[test]
    fn damaged_operations_are_errors() {
        for bytes in [
            &[0_u8][..],
            &[0, 1],
            &[3, 1, 1],
            &[2, 1, 2, 1],
            &[0x80; 20],
            &[2, 1, 0xff, 0xff, 0xff, 1],
        ] {
            let error = Operations::decode(bytes, |_| Ok(())).expect_err("damaged");
            assert_eq!(error.kind(), ErrorKind::Protocol, "{bytes:?}");
        }
    }

    #[test]
    fn lists_are_parsed() -> Result<()> {
        let mut list = vec![7];
        for (text, expected) in [
            ("", &[][..]),
            (" ", &[]),
            ("1,", &[1]),
            ("12,3,18446744073709551615, ", &[12, 3, u64::MAX]),
        ] {
            parse_list(text.as_bytes(), &mut list)?;
            assert_eq!(list, expected, "{text}");
        }
        for text in ["1", ",", "1,,", "a,", "18446744073709551616,", "1, 2,"] {
            let error = parse_list(text.as_bytes(), &mut list).expect_err(text);
            assert_eq!(error.kind(), ErrorKind::WrongAnswer, "{text}");
        }
        Ok(())
    }
}
