//! What the search asks of the machine's memory: large pages for large tables, and a cache line ahead of its use.
//!
//! A table of many megabytes is read at random places. With pages of 4 KB nearly every look-up also misses the cache of
//! page addresses; with pages of 2 MB that cache covers the table.

use std::mem::MaybeUninit;

/// Asks for large pages in memory that was reserved and not touched yet. A wish: a system may have none.
pub(super) fn advise_large_pages<T>(memory: &mut [MaybeUninit<T>]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4_096;
        let range = memory.as_mut_ptr_range();
        // Pages that lie within the memory as a whole, so that nobody else's are touched.
        let (start, end) = ((range.start as usize).next_multiple_of(PAGE), range.end as usize / PAGE * PAGE);
        if start < end {
            let address = range.start.with_addr(start).cast();
            // SAFETY: the pages from `start` to `end` belong to `memory`, and the advice changes no content of theirs.
            unsafe { libc::madvise(address, end - start, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

/// Has the processor fetch the cache line of a value that is soon read. Changes nothing but time.
#[inline(always)]
pub(super) fn prefetch<T>(value: &T) {
    let address: *const T = value;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of any address reads nothing that the program can see; SSE is part of every x86-64.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the instruction is a hint that changes neither memory nor registers.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}

/// A vector of copies of a value in large pages.
pub(super) fn large_vec<T: Copy>(value: T, len: usize) -> Vec<T> {
    let mut vec = Vec::with_capacity(len);
    advise_large_pages(vec.spare_capacity_mut());
    vec.resize(len, value);
    vec
}
