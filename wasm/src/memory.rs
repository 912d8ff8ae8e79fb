//! Memory that JavaScript and the module both see; the module of the rules has it too.

use std::alloc::{Layout, alloc as allocate, dealloc};

fn layout(len: usize) -> Option<Layout> {
    // A place for numbers, too.
    Layout::from_size_align(len.max(1), 8).ok()
}

/// Memory of so many bytes; null if there is none.
pub(crate) fn alloc(len: usize) -> *mut u8 {
    // SAFETY: the layout is not empty.
    layout(len).map_or(std::ptr::null_mut(), |layout| unsafe { allocate(layout) })
}

/// Gives memory back.
pub(crate) fn free(ptr: *mut u8, len: usize) {
    if let Some(layout) = layout(len).filter(|_| !ptr.is_null()) {
        // SAFETY: the host says with which length it was given this memory.
        unsafe { dealloc(ptr, layout) }
    }
}

/// Bytes that the host has written.
pub(crate) fn bytes<'a>(ptr: *const u8, len: usize) -> &'a [u8] {
    if ptr.is_null() {
        return &[];
    }
    // SAFETY: the host has written so many bytes into memory that `alloc` gave it, and frees it after the call.
    unsafe { std::slice::from_raw_parts(ptr, len) }
}
