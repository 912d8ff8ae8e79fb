//! Numbers in the text of USI: one rule for every command.
//!
//! USI wants whole numbers. Some GUIs compute in floating point and send `1000.5`, `900.0` or `2e3`: what can be read
//! is used, rounded down; what is too large is the largest; what is no number at all is as if it were not there.

/// A number of a line of USI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// The value, rounded down and held within 64 bits.
    pub value: i64,
    /// The text was a whole number, so that nothing was rounded; `900.0` is one too.
    pub is_whole: bool,
}

impl Number {
    /// Reads digits with a sign, a fraction and an exponent, each of which may be missing.
    ///
    /// ```
    /// use komainu::protocol::Number;
    ///
    /// assert_eq!(Number::read("+900").map(|number| number.value), Some(900));
    /// assert_eq!(Number::read("1000.5"), Some(Number { value: 1000, is_whole: false }));
    /// assert_eq!(Number::read("2e3"), Some(Number { value: 2000, is_whole: true }));
    /// assert_eq!(Number::read("soon"), None);
    /// ```
    pub fn read(text: &str) -> Option<Number> {
        let is_negative = text.starts_with('-');
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, read_exponent(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let mut value = 0_i64;
        let mut is_whole = true;
        // How many digits stand before the point, when the exponent has moved it.
        let mut places = whole.len() as i64 + exponent;
        for digit in whole.bytes().chain(fraction.bytes()) {
            if !digit.is_ascii_digit() {
                return None;
            }
            if places > 0 {
                value = value.saturating_mul(10).saturating_add((digit - b'0').into());
            } else if digit != b'0' {
                is_whole = false;
            }
            places -= 1;
        }
        while places > 0 && value > 0 && value < i64::MAX {
            value = value.saturating_mul(10);
            places -= 1;
        }
        if is_negative {
            value = if is_whole { -value } else { (-value).saturating_sub(1) };
        }
        Some(Number { value, is_whole })
    }
}

/// The whole number behind `e`, held within bounds that no text reaches otherwise.
fn read_exponent(text: &str) -> Option<i64> {
    const MOST: i64 = 1 << 40;
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() {
        return None;
    }
    let mut value = 0_i64;
    for digit in digits.bytes() {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = (value * 10 + i64::from(digit - b'0')).min(MOST);
    }
    Some(if text.starts_with('-') { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Option<(i64, bool)> {
        Number::read(text).map(|number| (number.value, number.is_whole))
    }

    #[test]
    fn every_form_of_a_number_is_read_and_rounded_down() {
        for (text, value, is_whole) in [
            ("0", 0, true),
            ("007", 7, true),
            ("+900", 900, true),
            ("-500", -500, true),
            ("900.0", 900, true),
            ("1000.5", 1_000, false),
            ("-0.5", -1, false),
            ("-3.0", -3, true),
            (".5", 0, false),
            ("5.", 5, true),
            ("2e3", 2_000, true),
            ("1.5e3", 1_500, true),
            ("1.2345E2", 123, false),
            ("5e-1", 0, false),
            ("500e-2", 5, true),
            ("1e+2", 100, true),
            ("0e99999999999999999999", 0, true),
            ("1e99999999999999999999", i64::MAX, true),
            ("1e-99999999999999999999", 0, false),
            ("99999999999999999999", i64::MAX, true),
            ("-99999999999999999999", -i64::MAX, true),
        ] {
            assert_eq!(read(text), Some((value, is_whole)), "{text}");
        }
        for text in
            ["", "-", "+", ".", "e3", "1e", "1e+", "1.2.3", "1,000", "0x10", "1_000", "NaN", "inf", "١", "5ms", "--5"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_whole_number_is_itself_and_a_fraction_is_cut_off(whole in 0..1_000_000_000_i64, fraction in 1..1_000_u32) {
            prop_assert_eq!(read(&whole.to_string()), Some((whole, true)));
            prop_assert_eq!(read(&format!("{whole}.{fraction:03}")), Some((whole, false)));
            prop_assert_eq!(read(&format!("{whole}e2")), Some((whole * 100, true)));
        }

        #[test]
        fn any_text_is_read_without_a_fault(text in "[-+0-9.eE]{0,12}") {
            _ = Number::read(&text);
        }
    }
}
