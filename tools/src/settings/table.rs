//! Settings as a table: a file and the flags over it.

use serde::de::value::Error as Captured;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::{Deserialize, Serialize, forward_to_deserialize_any};
use std::fmt;
use toml::{Table, Value};

/// Why a text holds no settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFault {
    /// The line, counted from 1, if it is known.
    pub line: Option<usize>,
    /// Why; nothing of the text, which may hold secrets.
    pub message: String,
}

impl TableFault {
    fn new(error: &toml::de::Error, text: &str) -> TableFault {
        let line_at =
            |offset: usize| 1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|&&b| b == b'\n').count();
        // The message alone: the rest of the error shows the line.
        let message = error.message().lines().collect::<Vec<_>>().join(" ");
        TableFault { line: error.span().map(|span| line_at(span.start)), message }
    }
}

/// Reads the text of a file of settings: as a struct, or as a [`Table`].
pub fn read_settings<T: DeserializeOwned>(text: &str) -> Result<T, TableFault> {
    toml::from_str(text).map_err(|error| TableFault::new(&error, text))
}

/// The settings that are given, as a table: nothing of those that are missing, no section that is empty.
pub fn given(settings: &impl Serialize) -> Table {
    let mut table = Table::try_from(settings).expect("settings are a struct of plain values");
    table.retain(|_, value| value.as_table().is_none_or(|section| !section.is_empty()));
    table
}

/// Lays one table over another: its values win, sections are joined key by key. The case of names does not count:
/// engines take their options in any.
pub fn lay_over(under: &mut Table, over: Table) {
    for (key, value) in over {
        let known = under.keys().find(|name| name.eq_ignore_ascii_case(&key)).cloned();
        let below = known.and_then(|name| under.remove(&name));
        let value = match (below, value) {
            (Some(Value::Table(mut below)), Value::Table(above)) => {
                lay_over(&mut below, above);
                Value::Table(below)
            }
            (_, value) => value,
        };
        under.insert(key, value);
    }
}

/// The value at a path as `rules.set`.
pub fn at<'a>(table: &'a Table, path: &str) -> Option<&'a Value> {
    match path.split_once('.') {
        None => table.get(path),
        Some((section, rest)) => at(table.get(section)?.as_table()?, rest),
    }
}

/// The flags of a command whose settings a table holds, each with the key of its section: the id of such a flag is the
/// path of its setting.
pub fn flags_of(command: &clap::Command, table: &Table) -> Vec<(String, String)> {
    let flags = command.get_arguments().filter(|flag| at(table, flag.get_id().as_str()).is_some());
    let named = flags.filter_map(|flag| {
        let section = flag.get_id().as_str().split('.').next()?;
        Some((format!("--{}", flag.get_long()?), section.to_string()))
    });
    named.collect()
}

/// The keys that a struct reads.
pub fn keys_of<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    struct Capture<'a>(&'a mut &'static [&'static str]);

    impl<'de> Deserializer<'de> for Capture<'_> {
        type Error = Captured;

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Captured> {
            Err(Captured::custom("only the keys are wanted"))
        }

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            keys: &'static [&'static str],
            visitor: V,
        ) -> Result<V::Value, Captured> {
            *self.0 = keys;
            self.deserialize_any(visitor)
        }

        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
            unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }

    let mut keys: &'static [&'static str] = &[];
    // It always fails, with the keys in hand.
    _ = T::deserialize(Capture(&mut keys)).map(drop);
    keys
}

/// The word of a list that is most like another one.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> &'a str {
    known.iter().min_by_key(|name| strsim::damerau_levenshtein(word, name)).copied().unwrap_or_default()
}

impl fmt::Display for TableFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Table {
        text.parse().expect("it is TOML")
    }

    #[test]
    fn flags_win_and_the_rest_stays() {
        let mut file = table("a = 1\nb = 2\n[options]\nusi_hash = 1\nThreads = 2\n[kept]\nx = 1\n");
        lay_over(&mut file, table("b = 3\n[options]\nUSI_Hash = 9\n[new]\ny = 1\n"));
        assert_eq!(file, table("a = 1\nb = 3\n[options]\nThreads = 2\nUSI_Hash = 9\n[kept]\nx = 1\n[new]\ny = 1\n"));
        assert_eq!(at(&file, "options.Threads").and_then(Value::as_integer), Some(2));
        assert_eq!((at(&file, "options.Hash"), at(&file, "a.b")), (None, None));
    }

    #[test]
    fn nothing_stands_for_what_is_not_given() {
        #[derive(Serialize, Default)]
        struct Section {
            number: Option<u32>,
        }
        #[derive(Serialize, Default)]
        struct Settings {
            word: Option<String>,
            section: Section,
            other: Section,
        }
        assert_eq!(given(&Settings::default()), Table::new());
        let one = Settings { other: Section { number: Some(4) }, ..Settings::default() };
        assert_eq!(given(&one), table("[other]\nnumber = 4\n"));
    }

    #[test]
    fn the_keys_of_a_struct_are_its_fields() {
        #[derive(Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[expect(dead_code, reason = "only the names of the fields count")]
        struct Settings {
            first_key: Option<u32>,
            second: String,
        }
        assert_eq!(keys_of::<Settings>(), ["first-key", "second"]);
        assert_eq!(keys_of::<u32>(), [""; 0]);
        assert_eq!(nearest("secnd", keys_of::<Settings>()), "second");
    }

    #[test]
    fn a_fault_names_its_line_and_shows_nothing_of_it() {
        #[derive(Debug, Deserialize)]
        #[expect(dead_code, reason = "it is never read whole")]
        struct Number {
            number: u32,
        }
        let fault = |text: &str| read_settings::<Number>(text).expect_err("it holds no number");
        let broken = fault("a = 1\npassword = sesame\n");
        assert!(broken.line == Some(2) && !broken.to_string().contains("sesame"), "{broken}");
        assert_eq!(fault("a = 1\nnumber = \"sesame\"\n").line, Some(2));
    }
}
