//! Signed LEB128: seven bits a byte, lowest first, the eighth says that more follow, the last seventh is the sign.

use super::Leb128Fault;

/// Beginning of a block, before the number of its bytes.
pub(super) const TAG: &[u8; 17] = b"COMPRESSED_LEB128";

/// The most bytes of a 16-bit number.
pub(super) const MAX_BYTES: u32 = 3;

/// Reads the number with this place in a block, whose bytes `next` hands out one by one, `None` at its end.
pub(super) fn read(number: usize, mut next: impl FnMut() -> Option<u8>) -> Result<i32, Leb128Fault> {
    let mut value = 0;
    for byte_number in 0..MAX_BYTES {
        let byte = next().ok_or(Leb128Fault::Short(number))?;
        value |= i32::from(byte & 0x7F) << (7 * byte_number);
        if byte & 0x80 == 0 {
            let unused = 32 - 7 * (byte_number + 1);
            return Ok(value << unused >> unused);
        }
    }
    Err(Leb128Fault::Overlong(number))
}

/// Appends a number in as few bytes as it needs.
pub(super) fn write(mut value: i16, bytes: &mut Vec<u8>) {
    loop {
        let low = value as u8 & 0x7F;
        value >>= 7;
        let sign = low & 0x40 != 0;
        if value == 0 && !sign || value == -1 && sign {
            bytes.push(low);
            return;
        }
        bytes.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(bytes: &[u8]) -> Result<i32, Leb128Fault> {
        let mut rest = bytes.iter().copied();
        read(7, || rest.next())
    }

    #[test]
    fn every_16_bit_number_comes_back() {
        for value in i16::MIN..=i16::MAX {
            let mut bytes = Vec::new();
            write(value, &mut bytes);
            assert_eq!(read_all(&bytes), Ok(i32::from(value)));
            assert_eq!(
                bytes.len(),
                if (-64..64).contains(&value) {
                    1
                } else if (-8192..8192).contains(&value) {
                    2
                } else {
                    3
                }
            );
        }
    }

    #[test]
    fn examples_of_the_definition_are_read_and_malformed_ones_are_named() {
        assert_eq!(read_all(&[0x02]), Ok(2));
        assert_eq!(read_all(&[0x7E]), Ok(-2));
        assert_eq!(read_all(&[0xFF, 0x00]), Ok(127));
        assert_eq!(read_all(&[0x81, 0x7F]), Ok(-127));
        // A number may take more bytes than it needs.
        assert_eq!(read_all(&[0x80, 0x80, 0x00]), Ok(0));
        assert_eq!(read_all(&[0xFF, 0xFF, 0x3F]), Ok((1 << 20) - 1));
        assert_eq!(read_all(&[]), Err(Leb128Fault::Short(7)));
        assert_eq!(read_all(&[0x80, 0x80]), Err(Leb128Fault::Short(7)));
        assert_eq!(read_all(&[0x80, 0x80, 0x80, 0x00]), Err(Leb128Fault::Overlong(7)));
    }
}
