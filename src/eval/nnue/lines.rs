//! Cache lines of numbers: what the parameters of a net are stored in.

use super::file::NetFault;
use crate::system::{advise_large_pages, free_megabytes};

/// 32 numbers of an accumulator or of a weight row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Words(pub(super) [i16; Words::LEN]);

impl Words {
    /// Numbers of a line.
    pub(super) const LEN: usize = 32;
    pub(super) const ZERO: Words = Words([0; Words::LEN]);
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
