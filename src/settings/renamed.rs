//! Spellings that were given up: they go on to work, and whoever uses one is told the new one.

use std::ffi::OsString;
use toml::{Table, Value};

/// An old spelling of a flag or of a key in a file.
struct Renamed {
    /// The command, or the name of the file.
    home: &'static str,
    old: &'static str,
    new: &'static str,
    /// Old values with the new ones.
    values: &'static [(&'static str, &'static str)],
    /// The values that tell the old meaning of the word from one that it has now; empty if it has none.
    only: &'static [&'static str],
}

const fn renamed(home: &'static str, old: &'static str, new: &'static str) -> Renamed {
    Renamed { home, old, new, values: &[], only: &[] }
}

const TOURNAMENTS: &[&str] = &["round-robin", "gauntlet", "swiss", "server"];
const CSA_FORMATS: &[(&str, &str)] = &[("kif", "kif-cp932"), ("kifu", "kif")];
const CSA_PONDER: &[(&str, &str)] = &[("none", "off"), ("usi", "on")];

const RENAMED: [Renamed; 11] = [
    Renamed { only: TOURNAMENTS, ..renamed("match", "--format", "--tournament") },
    renamed("match", "--records", "--format"),
    Renamed { values: CSA_FORMATS, ..renamed("csa", "--formats", "--format") },
    Renamed { values: CSA_PONDER, ..renamed("csa", "--ponder", "--ponder") },
    renamed("csa", "--engine-folder", "--folder"),
    renamed("book think", "--part", "--shard"),
    renamed("level-report", "--engine", "--engine-name"),
    Renamed { only: TOURNAMENTS, ..renamed("match.toml", "format", "tournament") },
    renamed("match.toml", "records", "format"),
    Renamed { values: CSA_FORMATS, ..renamed("csa.toml", "record.formats", "record.format") },
    Renamed { values: CSA_PONDER, ..renamed("csa.toml", "engine.ponder", "engine.ponder") },
];

impl Renamed {
    /// The values in their new spelling; `None` if nothing here is old.
    fn values(&self, values: &[String]) -> Option<Vec<String>> {
        let is_other = !self.only.is_empty() && !values.iter().all(|value| self.only.contains(&value.as_str()));
        let new = |value: &String| {
            let known = self.values.iter().find(|(old, _)| old == value);
            known.map_or_else(|| value.clone(), |(_, new)| new.to_string())
        };
        let values_now: Vec<String> = values.iter().map(new).collect();
        (!is_other && (self.old != self.new || values_now != values)).then_some(values_now)
    }

    fn note(&self, old: &[String], new: &[String]) -> String {
        let [old, new] = [(self.old, old), (self.new, new)].map(|(name, values)| {
            let values = if self.values.is_empty() && self.only.is_empty() { String::new() } else { values.join(",") };
            format!("{name} {values}").trim_end().to_string()
        });
        format!("{old} is now {new}")
    }
}

/// A command line in the present spelling, and a note on each old one.
pub fn in_command_line(mut words: Vec<OsString>) -> (Vec<OsString>, Vec<String>) {
    let mut notes = Vec::new();
    let command: Vec<_> = words.iter().skip(1).take(2).map(|word| word.to_string_lossy()).collect();
    let path = command.join(" ");
    let known: Vec<&Renamed> = RENAMED
        .iter()
        .filter(|known| path == known.home || command.first().is_some_and(|first| first == known.home))
        .collect();
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    for place in 1..end {
        let word = words[place].to_string_lossy().into_owned();
        let (flag, joined) =
            word.split_once('=').map_or((&*word, None), |(flag, value)| (flag, Some(value.to_string())));
        let apart = words.get(place + 1).map(|next| next.to_string_lossy().into_owned());
        let Some(text) = joined.clone().or(apart) else { continue };
        let values: Vec<String> = text.split(',').map(str::to_string).collect();
        let new =
            known.iter().filter(|known| known.old == flag).find_map(|known| Some((known, known.values(&values)?)));
        let Some((known, new)) = new else { continue };
        match joined {
            Some(_) => words[place] = format!("{}={}", known.new, new.join(",")).into(),
            None => {
                words[place] = known.new.into();
                // A value that stays need not be text.
                if new != values {
                    words[place + 1] = new.join(",").into();
                }
            }
        }
        notes.push(known.note(&values, &new));
    }
    notes.dedup();
    (words, notes)
}

/// Brings a table of settings into the present spelling, with a note on each old one. `home` is the name of the file.
pub fn in_file(table: &mut Table, home: &str) -> Vec<String> {
    let mut notes = Vec::new();
    for known in RENAMED.iter().filter(|known| known.home == home) {
        let (section, key) = known.old.rsplit_once('.').unwrap_or(("", known.old));
        let new_key = known.new.rsplit('.').next().unwrap_or(known.new);
        let section = if section.is_empty() { Some(&mut *table) } else { section_of(table, section) };
        let Some(section) = section else { continue };
        let (values, is_list): (Vec<String>, bool) = match section.get(key) {
            Some(Value::String(text)) => (vec![text.clone()], false),
            Some(Value::Array(list)) => (list.iter().filter_map(Value::as_str).map(str::to_string).collect(), true),
            _ => continue,
        };
        // A list is no old word of a single value.
        let Some(new) = known.values(&values).filter(|_| known.only.is_empty() || !is_list) else { continue };
        notes.push(known.note(&values, &new));
        let mut new: Vec<Value> = new.into_iter().map(Value::String).collect();
        section.remove(key);
        section.entry(new_key).or_insert(if is_list { Value::Array(new) } else { new.remove(0) });
    }
    notes
}

fn section_of<'a>(table: &'a mut Table, name: &str) -> Option<&'a mut Table> {
    table.get_mut(name)?.as_table_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(line: &str) -> (String, String) {
        let words = std::iter::once("komainu").chain(line.split(' ')).map(OsString::from).collect();
        let (words, notes) = in_command_line(words);
        let text: Vec<String> = words[1..].iter().map(|word| word.to_string_lossy().into_owned()).collect();
        (text.join(" "), notes.join("; "))
    }

    #[test]
    fn old_flags_become_new_ones_and_are_told() {
        for (old, new, note) in [
            ("match --records kif,csa", "match --format kif,csa", "--records is now --format"),
            (
                "match --format swiss --games 2",
                "match --tournament swiss --games 2",
                "--format swiss is now --tournament swiss",
            ),
            (
                "match --format=gauntlet",
                "match --tournament=gauntlet",
                "--format gauntlet is now --tournament gauntlet",
            ),
            (
                "csa h --formats kif,csa",
                "csa h --format kif-cp932,csa",
                "--formats kif,csa is now --format kif-cp932,csa",
            ),
            ("csa --formats=kifu", "csa --format=kif", "--formats kifu is now --format kif"),
            ("csa --ponder none", "csa --ponder off", "--ponder none is now --ponder off"),
            ("csa --engine-folder d", "csa --folder d", "--engine-folder is now --folder"),
            ("book think --part 1/2", "book think --shard 1/2", "--part is now --shard"),
        ] {
            assert_eq!(rewritten(old), (new.to_string(), note.to_string()));
        }
    }

    #[test]
    fn present_spellings_stay_as_they_are() {
        for line in [
            "match --format kif,csa",
            "csa --format kif --ponder off",
            "analyse --format kif",
            "selfplay --engine x",
            "match -- --records kif",
            "match --records",
            "usi",
        ] {
            assert_eq!(rewritten(line), (line.to_string(), String::new()));
        }
    }

    #[test]
    fn old_keys_of_files_become_new_ones_and_are_told() {
        let read = |text: &str| text.parse::<Table>().expect("it is TOML");
        let mut file = read("format = \"swiss\"\nrecords = [\"kif\"]\ngames = 2\n");
        assert_eq!(in_file(&mut file, "match.toml"), ["format swiss is now tournament swiss", "records is now format"]);
        assert_eq!(file, read("tournament = \"swiss\"\nformat = [\"kif\"]\ngames = 2\n"));
        assert_eq!(in_file(&mut file, "match.toml"), [""; 0]);
        let mut file = read("[record]\nformats = [\"kif\", \"csa\"]\n[engine]\nponder = \"usi\"\n");
        assert_eq!(in_file(&mut file, "csa.toml").len(), 2);
        assert_eq!(file, read("[record]\nformat = [\"kif-cp932\", \"csa\"]\n[engine]\nponder = \"on\"\n"));
        assert_eq!(in_file(&mut file, "csa.toml"), [""; 0]);
    }
}
