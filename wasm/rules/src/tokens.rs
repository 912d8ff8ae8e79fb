//! Rows of numbers with a text beside them. A word of the text is a number in the row, its length as JavaScript counts it.

use std::time::Duration;

/// A row that is written.
#[derive(Default)]
pub(crate) struct Writer {
    pub(crate) numbers: Vec<u32>,
    pub(crate) text: String,
}

impl Writer {
    pub(crate) fn number(&mut self, number: u32) {
        self.numbers.push(number);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.number(text.chars().map(|c| c.len_utf16() as u32).sum());
        self.text.push_str(text);
    }

    /// Seconds as the two halves of a number with a fraction, if there are any.
    pub(crate) fn time(&mut self, time: Option<Duration>) {
        let Some(time) = time else { return };
        let bits = time.as_secs_f64().to_bits();
        self.number(bits as u32);
        self.number((bits >> 32) as u32);
    }
}

/// A row that is read.
#[cfg(feature = "formats")]
pub(crate) struct Reader<'a> {
    numbers: &'a [u8],
    text: &'a str,
}

#[cfg(feature = "formats")]
impl<'a> Reader<'a> {
    pub(crate) fn new(numbers: &'a [u8], text: &'a str) -> Reader<'a> {
        Reader { numbers, text }
    }

    pub(crate) fn number(&mut self) -> Result<u32, String> {
        let (bytes, rest) = self.numbers.split_first_chunk().ok_or("the row is too short")?;
        self.numbers = rest;
        Ok(u32::from_le_bytes(*bytes))
    }

    pub(crate) fn text(&mut self) -> Result<String, String> {
        let mut left = self.number()?;
        let mut length = 0;
        for c in self.text.chars() {
            if left == 0 {
                break;
            }
            left = left.saturating_sub(c.len_utf16() as u32);
            length += c.len_utf8();
        }
        let (text, rest) = self.text.split_at(length);
        self.text = rest;
        Ok(text.to_string())
    }

    pub(crate) fn time(&mut self, is_there: bool) -> Result<Option<Duration>, String> {
        if !is_there {
            return Ok(None);
        }
        let low = self.number()?;
        let high = self.number()?;
        let seconds = f64::from_bits(u64::from(high) << 32 | u64::from(low));
        Duration::try_from_secs_f64(seconds).map(Some).map_err(|_| "a time that is none".to_string())
    }
}
