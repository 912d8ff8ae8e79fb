//! Memory: how much there is, large pages for large tables, and a cache line ahead of its use.
//!
//! A table of many megabytes is read at random places. With pages of 4 KB nearly every look-up also misses the cache of
//! page addresses; with pages of 2 MB that cache covers the table.

use std::mem::MaybeUninit;
use std::sync::Arc;

/// The machine's memory in megabytes; the largest number on a system of which nothing is known.
pub fn total_megabytes() -> usize {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let total = usize::try_from(system.total_memory() >> 20).unwrap_or(usize::MAX);
    if total == 0 { usize::MAX >> 20 } else { total }
}

/// Nine tenths of the memory that is free, in megabytes: to touch more would have the system kill the process. A limit
/// of the process itself (`ulimit -v`) counts as well.
pub fn free_megabytes() -> usize {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let machine = system.available_memory();
    if system.total_memory() == 0 {
        // A system of which nothing is known, or one that has no file to give for reading it.
        return usize::try_from(address_space_left() >> 20).unwrap_or(usize::MAX >> 20) / 10 * 9;
    }
    // Within a container what counts as used includes files that are only cached; what processes hold is its `rss`.
    let container = system.cgroup_limits().map(|limits| limits.total_memory.saturating_sub(limits.rss));
    let free = container.map_or(machine, |container| container.min(machine)).min(address_space_left());
    usize::try_from(free >> 20).unwrap_or(usize::MAX >> 20) * 9 / 10
}

/// Bytes that the process may still take of its address space.
#[cfg(target_os = "linux")]
fn address_space_left() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call writes into `limit` and keeps no pointer.
    let answered = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) } == 0;
    if !answered || limit.rlim_cur == libc::RLIM_INFINITY {
        return u64::MAX;
    }
    match virtual_kilobytes() {
        Some(taken) => limit.rlim_cur.saturating_sub(taken << 10),
        None => u64::MAX,
    }
}

/// Kilobytes of address space that the process has taken.
#[cfg(target_os = "linux")]
fn virtual_kilobytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    size.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(not(target_os = "linux"))]
fn address_space_left() -> u64 {
    u64::MAX
}

/// Threads with stacks of so many bytes that the address space of the process has room for, with some left over.
pub fn fitting_stacks(stack: usize) -> usize {
    const LEFT_OVER: u64 = 32 << 20;
    usize::try_from(address_space_left().saturating_sub(LEFT_OVER) / stack as u64).unwrap_or(usize::MAX)
}

/// Asks for large pages in memory that was reserved and not touched yet. The system may not have any.
pub fn advise_large_pages<T>(memory: &mut [MaybeUninit<T>]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4_096;
        let range = memory.as_mut_ptr_range();
        // Only pages that lie wholly within the memory.
        let start = (range.start as usize).next_multiple_of(PAGE);
        let end = range.end as usize / PAGE * PAGE;
        if start < end {
            let address = range.start.with_addr(start).cast();
            // SAFETY: the pages from `start` to `end` belong to `memory`, and the advice changes no content of theirs.
            unsafe { libc::madvise(address, end - start, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

/// Asks the processor for the cache line of a value that is soon read. Changes nothing but time.
pub fn prefetch<T>(value: &T) {
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
    // WebAssembly has no such hint: a byte is read that nobody waits for.
    #[cfg(target_family = "wasm")]
    // SAFETY: the address is that of a reference, and a byte may hold anything.
    let _ = unsafe { address.cast::<std::mem::MaybeUninit<u8>>().read_volatile() };
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_family = "wasm")))]
    let _ = address;
}

/// Gives every large block of memory back to the system as soon as it is freed. To be called when a program starts.
///
/// The allocator of glibc raises the size from which on it does so with each such block that is freed, up to 32 MB;
/// tables that are given back and taken again then stay in the heaps of its threads, tens of megabytes in each. Where
/// the address space is limited there is one heap for all threads: each reserves 64 MB of it.
pub fn return_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the calls set numbers of the allocator, under its lock, and keep no pointer.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
        if address_space_left() < u64::MAX {
            libc::mallopt(libc::M_ARENA_MAX, 1);
        }
    };
}

/// A slice of `len` values that may be shared, in large pages where the system has them.
pub fn large_shared<T>(len: usize, value: impl Fn() -> T) -> Arc<[T]> {
    let mut slice = Arc::new_uninit_slice(len);
    let memory = Arc::get_mut(&mut slice).expect("nobody else knows it");
    advise_large_pages(memory);
    for place in memory {
        place.write(value());
    }
    // SAFETY: the loop above has written every value.
    unsafe { slice.assume_init() }
}
