//! A share of a file of records: every Nth block of them, behind a line that says so.

use super::RECORD_BYTES;

/// Records of a block, the last one of which may be short.
pub(in crate::training) const BLOCK: u64 = 512;
/// Bytes of a block.
pub(in crate::training) const BLOCK_BYTES: u64 = BLOCK * RECORD_BYTES as u64;

/// Beginning of a file with a share of records: a line, behind which the records stand.
pub(super) const SHARE_MAGIC: &[u8] = b"KMNSHARE ";
/// The longest such line.
pub(super) const MAX_SHARE_HEAD: u64 = 10_000;

/// Line with which a share of records begins: what made it.
pub(in crate::training) fn share_head(description: &str) -> Vec<u8> {
    [SHARE_MAGIC, description.as_bytes(), b"\n"].concat()
}

/// Number of records in a block of so many in all.
pub(in crate::training) fn block_length(records: u64, block: u64) -> u64 {
    records.saturating_sub(block * BLOCK).min(BLOCK)
}
