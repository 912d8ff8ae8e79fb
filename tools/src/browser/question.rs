//! The keys of a question. They are read one by one: readers that are made for each kind of question would be a good
//! part of the WebAssembly module.

use komainu::types::Color;
use serde_json::Value;

/// A question, as it was asked.
pub(super) struct Question(pub(super) Value);

impl Question {
    /// The text of a key; `None` if there is none.
    pub(super) fn text(&self, key: &str) -> Result<Option<&str>, String> {
        match &self.0[key] {
            Value::Null => Ok(None),
            Value::String(text) => Ok(Some(text)),
            other => Err(format!("{key} is no text: {other}")),
        }
    }

    /// The text of a key that must be there.
    pub(super) fn needed_text(&self, key: &str) -> Result<&str, String> {
        self.text(key)?.ok_or_else(|| format!("the question has no {key}"))
    }

    /// The side of a key.
    pub(super) fn side(&self, key: &str) -> Result<Color, String> {
        let text = self.needed_text(key)?;
        text.parse().map_err(|_| format!("{key}: {text} is no side"))
    }

    /// The number of a key; `None` if there is none.
    pub(super) fn number(&self, key: &str) -> Result<Option<u64>, String> {
        match &self.0[key] {
            Value::Null => Ok(None),
            value => value.as_u64().map(Some).ok_or_else(|| format!("{key} is no whole number: {value}")),
        }
    }

    /// The values of a key; none if it is not there.
    pub(super) fn list(&self, key: &str) -> Result<&[Value], String> {
        match &self.0[key] {
            Value::Null => Ok(&[]),
            Value::Array(values) => Ok(values),
            other => Err(format!("{key} is no list: {other}")),
        }
    }

    /// The texts of a key.
    pub(super) fn texts(&self, key: &str) -> Result<Vec<&str>, String> {
        let text = |value: &Value| format!("{key} holds {value}, which is no text");
        self.list(key)?.iter().map(|value| value.as_str().ok_or_else(|| text(value))).collect()
    }
}
