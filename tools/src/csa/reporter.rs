//! Output for the user: a line for each event, or the same as JSON.

use super::secret::Redactor;
use komainu::types::Printable;
use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

/// The form in which events are shown on standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// A line of text each.
    #[default]
    Lines,
    /// A line of JSON each.
    Json,
    Quiet,
}

/// Shows events and writes them to a file. Neither is worth a game: errors of writing are passed over.
#[derive(Debug)]
pub struct Reporter {
    style: Style,
    file: Option<File>,
    /// Secrets that are hidden from now on.
    pub(super) redactor: Redactor,
}

impl Reporter {
    /// One that shows events in a style and adds them to a file.
    pub fn new(style: Style, file: Option<&Path>) -> io::Result<Reporter> {
        let open = |path: &Path| {
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            OpenOptions::new().create(true).append(true).open(path)
        };
        Ok(Reporter { style, file: file.map(open).transpose()?, redactor: Redactor::default() })
    }

    /// An event: its name, its fields as a JSON object, and what is shown of it as a line of text.
    pub(super) fn event(&mut self, name: &str, fields: Value, text: &str) {
        if self.style == Style::Lines && !text.is_empty() {
            _ = writeln!(io::stdout(), "{}", Printable(&self.redactor.hide(text)));
        }
        if self.style != Style::Json && self.file.is_none() {
            return;
        }
        let mut line = self.hidden(fields);
        line["event"] = name.into();
        line["time"] = humantime::format_rfc3339_millis(SystemTime::now()).to_string().into();
        let line = line.to_string();
        if self.style == Style::Json {
            _ = writeln!(io::stdout(), "{}", Printable(&line));
        }
        if let Some(file) = &mut self.file {
            _ = file.write_all(format!("{line}\n").as_bytes());
        }
    }

    /// A word to the user on standard error, and as an event.
    pub(super) fn alert(&mut self, text: &str) {
        let text = self.redactor.hide(text);
        _ = writeln!(io::stderr(), "komainu: {}", Printable(&text));
        self.event("alert", json!({ "text": text }), "");
    }

    /// The texts of a value without secrets. Numbers and names of fields are not from outside.
    fn hidden(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.redactor.hide(&text)),
            Value::Array(values) => Value::Array(values.into_iter().map(|value| self.hidden(value)).collect()),
            Value::Object(map) => {
                Value::Object(map.into_iter().map(|(name, value)| (name, self.hidden(value))).collect())
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::secret::Secret;
    use super::*;

    #[test]
    fn events_are_lines_of_json_without_secrets() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut reporter = Reporter::new(Style::Quiet, Some(file.path())).unwrap();
        reporter.redactor.add(Secret::new("sesame"));
        reporter.event("odd", json!({ "text": "a sesame \" b", "more": ["sesame"], "number": 3 }), "sesame");
        let text = std::fs::read_to_string(file.path()).unwrap();
        let value: Value = serde_json::from_str(text.trim_end()).unwrap();
        assert_eq!((value["event"].as_str(), value["number"].as_i64()), (Some("odd"), Some(3)));
        assert_eq!((value["text"].as_str(), value["more"][0].as_str()), (Some("a ***** \" b"), Some("*****")));
        assert!(!text.contains("sesame"));
    }
}
