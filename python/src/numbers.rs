//! Numbers that the caller gives: one out of range is a `ValueError` that names it.

use crate::bad_value;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::time::Duration;

/// A number within a range; its name stands in the error.
pub(crate) fn number(name: &str, value: &Bound<'_, PyAny>, least: u64, most: u64) -> PyResult<u64> {
    let fault = || bad_value(format_args!("{name}: {value} is no whole number from {least} to {most}"));
    match value.extract::<u64>() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => {
            Err(PyTypeError::new_err(format!("{name}: {value} is no whole number")))
        }
        _ => Err(fault()),
    }
}

/// A number within a range, where there is one.
pub(crate) fn maybe(name: &str, value: Option<&Bound<'_, PyAny>>, least: u64, most: u64) -> PyResult<Option<u64>> {
    value.filter(|value| !value.is_none()).map(|value| number(name, value, least, most)).transpose()
}

/// Limits of a search, as all engines have them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) nodes: Option<u64>,
    pub(crate) depth: Option<u64>,
    pub(crate) movetime: Option<Duration>,
}

/// The longest time of a move, about 31 years, as the protocol has it.
const MAX_MILLIS: u64 = 1_000_000_000_000;

impl Bounds {
    pub(crate) fn new(
        nodes: Option<&Bound<'_, PyAny>>,
        depth: Option<&Bound<'_, PyAny>>,
        movetime_ms: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bounds> {
        Ok(Bounds {
            nodes: maybe("nodes", nodes, 1, u64::MAX)?,
            depth: maybe("depth", depth, 1, 1_000)?,
            movetime: maybe("movetime_ms", movetime_ms, 1, MAX_MILLIS)?.map(Duration::from_millis),
        })
    }

    /// Tests whether only an order ends the search.
    pub(crate) fn is_endless(&self) -> bool {
        self.nodes.is_none() && self.depth.is_none() && self.movetime.is_none()
    }
}
