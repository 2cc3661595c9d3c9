//! Encodes rows as a single string, such as `[[1,77],[2,"OE"]]`, which the database converts to a table.

use crate::replies::push_number;

/// One value of a row.
#[derive(Clone, Copy, Debug)]
pub enum Field<'a> {
    /// An integer.
    Number(i64),
    /// Text in UTF-8.
    Text(&'a [u8]),
}

/// Replaces the contents of `out` with the encoded rows.
pub fn push_rows<'a, const N: usize>(
    rows: impl Iterator<Item = [Field<'a>; N]>,
    out: &mut Vec<u8>,
) {
    out.clear();
    out.push(b'[');
    for row in rows {
        out.extend_from_slice(if out.len() > 1 { b",[" } else { b"[" });
        for (at, field) in row.into_iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            match field {
                Field::Number(number) => push_number(number, out),
                Field::Text(text) => push_text(text, out),
            }
        }
        out.push(b']');
    }
    out.push(b']');
}

fn push_text(text: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push(b'"');
    for byte in text {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', *byte]),
            0..=31 => {
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
            }
            _ => out.push(*byte),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_an_array_of_arrays() {
        let mut out = b"old".to_vec();
        push_rows([[1, -2], [3, 4]].into_iter().map(|row| row.map(Field::Number)), &mut out);
        assert_eq!(out, b"[[1,-2],[3,4]]");
        push_rows([[Field::Text(b"a\"\\\n\xC3\xA9")]].into_iter(), &mut out);
        assert_eq!(out, b"[[\"a\\\"\\\\\\u000a\xC3\xA9\"]]");
        push_rows(std::iter::empty::<[Field<'_>; 1]>(), &mut out);
        assert_eq!(out, b"[]");
    }
}
