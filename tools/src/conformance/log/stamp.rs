//! The times that logs put before their lines.

/// Takes a time off the start of a line, with brackets or without: `2026-11-21T08:52:33.123Z`, `2014/08/02 2:03:33`,
/// `12:34:56.789`, or a number of milliseconds before an arrow. Returns milliseconds since some moment, and the rest.
pub(super) fn strip(line: &str) -> (Option<u64>, &str) {
    let mut text = Scanner(line.trim_ascii_start());
    let is_bracketed = text.one(&['[']).is_some();
    let Some(time) = text.moment() else { return (None, line) };
    if is_bracketed && text.one(&[']']).is_none() {
        return (None, line);
    }
    (Some(time), text.0)
}

/// Rest of a line that is still to be read.
#[derive(Clone, Copy)]
struct Scanner<'a>(&'a str);

impl Scanner<'_> {
    fn one(&mut self, any: &[char]) -> Option<char> {
        let found = self.0.chars().next().filter(|c| any.contains(c))?;
        self.0 = &self.0[found.len_utf8()..];
        Some(found)
    }

    /// A number of at most this many digits.
    fn number(&mut self, most: usize) -> Option<u64> {
        let digits = self.0.bytes().take_while(u8::is_ascii_digit).count();
        if digits > most {
            return None;
        }
        let number = self.0[..digits].parse().ok()?;
        self.0 = &self.0[digits..];
        Some(number)
    }

    fn moment(&mut self) -> Option<u64> {
        let mut ahead = *self;
        let days = ahead.date();
        if days.is_none() {
            ahead = *self;
        }
        if let Some(time) = ahead.clock() {
            *self = ahead;
            return Some(days.unwrap_or(0) * 86_400_000 + time);
        }
        let mut ahead = *self;
        let time = ahead.number(15)?;
        if !ahead.0.starts_with([' ', '\t']) {
            return None;
        }
        let is_before_arrow = ahead.0.trim_ascii_start().starts_with(['<', '>']);
        *self = ahead;
        is_before_arrow.then_some(time)
    }

    /// `2026-11-21T` or `2026/11/21 `, in days of a calendar whose months all have 31: only short times between two
    /// lines matter.
    fn date(&mut self) -> Option<u64> {
        let year = self.number(4)?;
        self.one(&['-', '/', '.'])?;
        let month = self.number(2)?;
        self.one(&['-', '/', '.'])?;
        let day = self.number(2)?;
        self.one(&['T', ' ', '_'])?;
        Some((year * 12 + month) * 31 + day)
    }

    /// `08:52:33`, perhaps with a fraction and a zone, in milliseconds.
    fn clock(&mut self) -> Option<u64> {
        let hours = self.number(2)?;
        self.one(&[':'])?;
        let minutes = self.number(2)?;
        self.one(&[':'])?;
        let seconds = self.number(2)?;
        let mut ahead = *self;
        let fraction = ahead.one(&['.', ',']).and_then(|_| ahead.fraction());
        if fraction.is_some() {
            *self = ahead;
        }
        self.zone();
        Some(((hours * 60 + minutes) * 60 + seconds) * 1_000 + fraction.unwrap_or(0))
    }

    /// The digits after the point, in thousandths.
    fn fraction(&mut self) -> Option<u64> {
        let digits = self.0.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return None;
        }
        let thousandths = format!("{:0<3.3}", &self.0[..digits]).parse().ok()?;
        self.0 = &self.0[digits..];
        Some(thousandths)
    }

    /// `Z` or `+09:00`; it is the same on all lines and does not count.
    fn zone(&mut self) {
        let mut ahead = *self;
        let is_zone = ahead.one(&['Z']).is_some() || ahead.offset().is_some();
        if is_zone {
            *self = ahead;
        }
    }

    fn offset(&mut self) -> Option<u64> {
        self.one(&['+', '-'])?;
        let hours = self.number(4)?;
        self.one(&[':']).and_then(|_| self.number(2)).or(Some(hours))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_of_many_kinds_are_taken_off() {
        for (line, rest) in [
            ("2026-11-21T08:52:33.123Z > usi", " > usi"),
            ("[2026-11-21T08:52:33.123] [INFO] usi - sid=1: > usi", " [INFO] usi - sid=1: > usi"),
            ("2026/11/21 8:52:33> usi", "> usi"),
            ("2026-11-21 08:52:33,123+09:00 > usi", " > usi"),
            ("08:52:33.123456 > usi", " > usi"),
            ("[08:52:33] > usi", " > usi"),
            ("40203 <first : usi", " <first : usi"),
        ] {
            let (time, found) = strip(line);
            assert!(time.is_some(), "{line}");
            assert_eq!(found, rest, "{line}");
        }
        for line in ["> usi", "", "1>usi", ">1:usi", "[INFO] usi", "12:34 usi", "2026-11-21", "1 usi", "歩"] {
            assert_eq!(strip(line), (None, line));
        }
    }

    #[test]
    fn stamps_tell_the_time_between_lines() {
        let time = |line| strip(line).0.expect("a stamp");
        assert_eq!(time("2026-11-21T00:00:00.005Z") - time("2026-11-20T23:59:59.995Z"), 10);
        assert_eq!(time("2027-01-01 00:00:01") - time("2026-12-31 23:59:59"), 2_000);
        assert_eq!(time("00:01:00.5") - time("00:00:59,25"), 1_250);
        assert_eq!(time("40203 > go") - time("40000 > go"), 203);
    }
}
