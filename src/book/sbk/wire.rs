//! The wire format of protocol buffers, as far as `.sbk` needs it. Every length is checked against the bytes there are.

use super::super::error::BookFault;

/// A field: its number and its value.
pub(super) enum Field<'a> {
    Number(u64, u64),
    Bytes(u64, Wire<'a>),
}

/// Bytes that hold fields, and where in the file they are.
#[derive(Clone, Copy)]
pub(super) struct Wire<'a> {
    bytes: &'a [u8],
    offset: u64,
}

impl<'a> Wire<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Wire<'a> {
        Wire { bytes, offset: 0 }
    }

    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(self.bytes).into_owned()
    }

    fn take(&mut self, count: u64) -> Result<Wire<'a>, BookFault> {
        let there = self.bytes.len() as u64;
        if count > there {
            return Err(BookFault::truncated(self.offset, count - there));
        }
        let (head, rest) = self.bytes.split_at(count as usize);
        let taken = Wire { bytes: head, offset: self.offset };
        *self = Wire { bytes: rest, offset: self.offset + count };
        Ok(taken)
    }

    fn number(&mut self) -> Result<u64, BookFault> {
        let mut value = 0_u64;
        for (i, &byte) in self.bytes.iter().enumerate().take(10) {
            value |= u64::from(byte & 127).checked_shl(7 * i as u32).unwrap_or(0);
            if byte < 128 {
                self.take(i as u64 + 1)?;
                return Ok(value);
            }
        }
        Err(match self.bytes.len() < 10 {
            true => BookFault::truncated(self.offset, 1),
            false => BookFault::at(self.offset, "a number of more than 10 bytes"),
        })
    }

    /// The next field; none at the end. Fields of fixed length, which the format does not have, are passed over.
    pub(super) fn next(&mut self) -> Result<Option<Field<'a>>, BookFault> {
        while !self.bytes.is_empty() {
            let start = self.offset;
            let tag = self.number()?;
            let (field, kind) = (tag >> 3, (tag & 7) as u8);
            match kind {
                0 => return Ok(Some(Field::Number(field, self.number()?))),
                2 => {
                    let length = self.number()?;
                    return Ok(Some(Field::Bytes(field, self.take(length)?)));
                }
                1 => _ = self.take(8)?,
                5 => _ = self.take(4)?,
                _ => return Err(BookFault::at(start, format_args!("field {field} with wire type {kind}"))),
            }
        }
        Ok(None)
    }
}

/// Appends a number with its tag; 0 is left out, as the format has it.
pub(super) fn put_number(out: &mut Vec<u8>, field: u64, value: u64) {
    if value != 0 {
        put_varint(out, field << 3);
        put_varint(out, value);
    }
}

/// Appends bytes with their tag and length; none are left out unless they are a message.
pub(super) fn put_bytes(out: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    put_varint(out, field << 3 | 2);
    put_varint(out, bytes.len() as u64);
    out.extend(bytes);
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 128 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_lengths_come_back() {
        for value in [1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            put_number(&mut bytes, 4, value);
            put_bytes(&mut bytes, 7, b"ab");
            let mut wire = Wire::new(&bytes);
            assert!(matches!(wire.next(), Ok(Some(Field::Number(4, found))) if found == value));
            assert!(matches!(wire.next(), Ok(Some(Field::Bytes(7, text))) if text.text() == "ab"));
            assert!(matches!(wire.next(), Ok(None)));
        }
    }

    #[test]
    fn faults_are_named_with_their_offset() {
        let error = |bytes: &[u8]| {
            let mut wire = Wire::new(bytes);
            loop {
                match wire.next() {
                    Ok(Some(_)) => {}
                    Ok(None) => return "none".to_string(),
                    Err(fault) => return fault.to_string(),
                }
            }
        };
        assert_eq!(error(b"\x08\x05\x1a\xff\xff\xff\xff\x0f"), "byte 8: the file ends 4294967295 bytes too early");
        assert_eq!(error(b"\x08\x05\x08"), "byte 3: the file ends 1 bytes too early");
        assert_eq!(error(&[255; 20]), "byte 0: a number of more than 10 bytes");
        assert_eq!(error(b"\x0b"), "byte 0: field 1 with wire type 3");
        assert_eq!(error(b"\x09\0\0\0\0\0\0\0\0\x0d\0\0\0\0"), "none");
    }
}
