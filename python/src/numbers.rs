//! Numbers that the caller gives: one out of range is a `ValueError` that names it.

use crate::errors::bad_value;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// A number within a range; its name stands in the error.
pub(crate) fn number(name: &str, value: &Bound<'_, PyAny>, least: u64, most: u64) -> PyResult<u64> {
    match value.extract::<u64>() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => {
            Err(PyTypeError::new_err(format!("{name}: {value} is no whole number")))
        }
        _ => Err(bad_value(format_args!("{name}: {value} is no whole number from {least} to {most}"))),
    }
}

/// A number within a range, where there is one.
pub(crate) fn maybe(name: &str, value: Option<&Bound<'_, PyAny>>, least: u64, most: u64) -> PyResult<Option<u64>> {
    value.filter(|value| !value.is_none()).map(|value| number(name, value, least, most)).transpose()
}

/// A number from 1 to `most`, for the classes that are written in Python.
#[pyfunction]
pub(crate) fn whole_number(name: &str, value: &Bound<'_, PyAny>, most: u64) -> PyResult<u64> {
    number(name, value, 1, most)
}

/// The longest time of a move, about 31 years, as the protocol has it.
pub(crate) const MAX_MILLIS: u64 = 1_000_000_000_000;
