//! Formats of the files of a game, and their encoding.

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use komainu::notation::encoding::encode_cp932;
use serde::{Deserialize, Serialize};

/// A format of the files that a tool writes of a game. Each tool has those that [`one_of`] lets it have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum RecordFormat {
    /// KIF: in UTF-8 as .kifu, with `--encoding cp932` as .kif
    Kif,
    /// KIF in CP932 as .kif, whatever the encoding is
    KifCp932,
    /// KI2: in UTF-8 as .ki2u, with `--encoding cp932` as .ki2
    Ki2,
    /// CSA, UTF-8
    Csa,
    /// CSA 2.2, with whole seconds
    Csa2,
    /// JSON: the JSON Kifu Format (JKF)
    #[value(alias = "jkf")]
    Json,
    /// Moves as `startpos moves ...`, one game a line
    Usi,
    /// Last position, one game a line
    Sfen,
    /// Page for a browser
    Html,
    /// None
    None,
}

/// The formats of the records that stand beside the list of the games of a match or of a session on a server.
pub const GAME_FORMATS: [RecordFormat; 4] =
    [RecordFormat::Csa, RecordFormat::Kif, RecordFormat::KifCp932, RecordFormat::None];

/// Encoding of KIF and KI2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// UTF-8
    #[default]
    Utf8,
    /// CP932, for programs that read nothing else
    Cp932,
}

/// The flag of the encoding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, clap::Args)]
pub struct EncodingSetting {
    /// Encoding of KIF (.kifu in UTF-8, .kif in CP932) and KI2 (.ki2u, .ki2) [default: utf8]
    #[arg(long, value_name = "ENCODING")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
}

impl EncodingSetting {
    /// The encoding, UTF-8 if none is given.
    pub fn get(self) -> Encoding {
        self.encoding.unwrap_or_default()
    }
}

impl RecordFormat {
    /// The extension of a file in this format.
    pub fn extension(self, encoding: Encoding) -> &'static str {
        match (self, self.encoding(encoding)) {
            (RecordFormat::Kif | RecordFormat::KifCp932, Encoding::Utf8) => "kifu",
            (RecordFormat::Kif | RecordFormat::KifCp932, Encoding::Cp932) => "kif",
            (RecordFormat::Ki2, Encoding::Utf8) => "ki2u",
            (RecordFormat::Ki2, Encoding::Cp932) => "ki2",
            (RecordFormat::Csa | RecordFormat::Csa2, _) => "csa",
            (RecordFormat::Json, _) => "json",
            (RecordFormat::Usi, _) => "usi",
            (RecordFormat::Sfen, _) => "sfen",
            (RecordFormat::Html, _) => "html",
            (RecordFormat::None, _) => "",
        }
    }

    /// The encoding of a file in this format: only the formats of Kakinoki have a choice.
    fn encoding(self, wished: Encoding) -> Encoding {
        match self {
            RecordFormat::Kif | RecordFormat::Ki2 => wished,
            RecordFormat::KifCp932 => Encoding::Cp932,
            _ => Encoding::Utf8,
        }
    }

    /// The bytes of a text in this format, and the letters that its encoding lacks.
    pub fn encoded(self, text: &str, wished: Encoding) -> (Vec<u8>, String) {
        match self.encoding(wished) {
            Encoding::Utf8 => (text.as_bytes().to_vec(), String::new()),
            Encoding::Cp932 => {
                let encoded = encode_cp932(text);
                (encoded.bytes, encoded.lost.into_iter().collect())
            }
        }
    }
}

/// A parser of those of the formats that a tool can write.
pub fn one_of(formats: &'static [RecordFormat]) -> impl TypedValueParser<Value = RecordFormat> {
    let names = formats.iter().filter_map(ValueEnum::to_possible_value);
    PossibleValuesParser::new(names)
        .map(|name| RecordFormat::from_str(&name, false).expect("a name of the list is one of the enum"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_kifu_format_goes_by_both_of_its_names() {
        for name in ["json", "jkf"] {
            assert_eq!(RecordFormat::from_str(name, false), Ok(RecordFormat::Json), "{name}");
        }
        assert_eq!(RecordFormat::Json.extension(Encoding::Utf8), "json");
    }

    #[test]
    fn the_extension_tells_the_encoding() {
        for (format, encoding, extension, has_choice) in [
            (RecordFormat::Kif, Encoding::Utf8, "kifu", false),
            (RecordFormat::Kif, Encoding::Cp932, "kif", true),
            (RecordFormat::KifCp932, Encoding::Utf8, "kif", true),
            (RecordFormat::Ki2, Encoding::Cp932, "ki2", true),
            (RecordFormat::Csa, Encoding::Cp932, "csa", false),
        ] {
            assert_eq!(format.extension(encoding), extension);
            assert_eq!(format.encoded("歩", encoding).0.len() == 2, has_choice, "{format:?} {encoding:?}");
        }
    }
}
