//! Bytes that somebody gives: `bytes`, or whatever has a buffer, as arrays of numpy.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};

/// The bytes, which are copied unless they are `bytes`. TypeError for what has no buffer.
pub(crate) fn octets<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    if let Ok(bytes) = value.downcast::<PyBytes>() {
        return Ok(bytes.clone());
    }
    let bytes = PyMemoryView::from(value)?.call_method0("tobytes")?;
    Ok(bytes.downcast_into::<PyBytes>()?)
}
