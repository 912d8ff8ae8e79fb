//! Cache lines of numbers: what the parameters of a net are stored in.

use super::file::NetFault;
use crate::system::{advise_large_pages, free_megabytes};
use std::borrow::Cow;

/// 32 numbers of an accumulator or of a weight row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Words(pub(super) [i16; Words::LEN]);

impl Words {
    /// Numbers of a line.
    pub(super) const LEN: usize = 32;
    pub(super) const ZERO: Words = Words([0; Words::LEN]);
}

/// 32 numbers of a weight row, each half of what is added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub(super) struct Halves(pub(super) [i8; Words::LEN]);

impl Halves {
    /// The halves of these numbers, if all of them are even and their halves fit into bytes.
    fn of(words: &Words) -> Option<Halves> {
        let fits = words.0.iter().all(|&number| number & 1 == 0 && i8::try_from(number / 2).is_ok());
        fits.then(|| Halves(words.0.map(|number| (number / 2) as i8)))
    }
}

/// A line of a weight row in one of the ways in which it is kept.
pub(super) trait RowLine: Copy {
    /// Only halves of the numbers are kept.
    const IS_HALVED: bool;

    /// The numbers as they are kept.
    fn numbers(&self) -> RowNumbers<'_>;
}

/// 32 numbers of a weight row.
pub(super) enum RowNumbers<'a> {
    /// The numbers that are added up.
    Whole(&'a Words),
    /// Their halves.
    Halved(&'a [i8; Words::LEN]),
}

impl RowLine for Words {
    const IS_HALVED: bool = false;

    #[inline]
    fn numbers(&self) -> RowNumbers<'_> {
        RowNumbers::Whole(self)
    }
}

impl RowLine for Halves {
    const IS_HALVED: bool = true;

    #[inline]
    fn numbers(&self) -> RowNumbers<'_> {
        RowNumbers::Halved(&self.0)
    }
}

/// The weight rows of the inputs of a net, line after line.
#[derive(Clone, Debug)]
pub(super) enum Rows {
    /// As they are added up.
    Whole(Vec<Words>),
    /// In bytes: half of the memory, so that more of it stays in a processor's nearest caches.
    Halved(Vec<Halves>),
}

impl Rows {
    /// The rows with these numbers, in bytes if all of them allow it.
    pub(super) fn new(words: Vec<Words>) -> Rows {
        let is_halved = words.iter().all(|line| Halves::of(line).is_some());
        match reserve(words.len()).ok().filter(|_| is_halved) {
            Some(mut halves) => {
                halves.extend(words.iter().filter_map(Halves::of));
                Rows::Halved(halves)
            }
            None => Rows::Whole(words),
        }
    }

    /// The numbers of a line as they are added up.
    pub(super) fn line(&self, number: usize) -> Words {
        match self {
            Rows::Whole(lines) => lines[number],
            Rows::Halved(lines) => Words(lines[number].0.map(|half| 2 * i16::from(half))),
        }
    }

    /// All numbers as they are added up.
    pub(super) fn words(&self) -> Cow<'_, [Words]> {
        match self {
            Rows::Whole(lines) => Cow::Borrowed(lines),
            Rows::Halved(lines) => (0..lines.len()).map(|number| self.line(number)).collect(),
        }
    }
}

/// 64 bytes of dense layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Bytes(pub(super) [u8; Bytes::LEN]);

impl Bytes {
    /// Bytes of a line.
    pub(super) const LEN: usize = 64;
    pub(super) const ZERO: Bytes = Bytes([0; Bytes::LEN]);
}

/// From this size on, a list is put into large pages and the machine is asked first whether it has the memory.
const LARGE: u64 = 16 << 20;

/// An empty list with room for `count` elements, which need not be copied again as they come.
pub(super) fn reserve<T>(count: usize) -> Result<Vec<T>, NetFault> {
    let mut list = Vec::new();
    let bytes = (count as u64).saturating_mul(size_of::<T>() as u64);
    if bytes >= LARGE && bytes >> 20 > free_megabytes() as u64 {
        return Err(NetFault::Memory(bytes));
    }
    list.try_reserve_exact(count).map_err(|_| NetFault::Memory(bytes))?;
    if bytes >= LARGE {
        advise_large_pages(list.spare_capacity_mut());
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_halved_where_every_number_is_twice_a_byte() {
        let line = |number| Words(std::array::from_fn(|i| if i == 7 { number } else { 2 * i as i16 }));
        for number in [-256, -2, 0, 254] {
            let rows = Rows::new(vec![line(4), line(number)]);
            assert!(matches!(rows, Rows::Halved(_)), "{number}");
            assert_eq!(*rows.words(), [line(4), line(number)]);
        }
        for number in [-258, -255, 1, 256, i16::MIN, i16::MAX] {
            let rows = Rows::new(vec![line(4), line(number)]);
            assert!(matches!(rows, Rows::Whole(_)), "{number}");
            assert_eq!((rows.line(1), rows.words().len()), (line(number), 2));
        }
    }
}
