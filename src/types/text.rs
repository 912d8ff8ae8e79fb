//! Serde for what has a text of its own: written as it is displayed, read as it is parsed.

/// Implements `Serialize` by `Display` and `Deserialize` by `FromStr`.
macro_rules! serde_as_text {
    ($($name:ty),*) => {$(
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}

pub(crate) use serde_as_text;

serde_as_text!(super::Color, super::Hand, super::Move, super::Piece, super::Square);

#[cfg(test)]
mod tests {
    use super::super::{Color, Move, Piece, Square};
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, StrDeserializer};
    use serde::{Deserialize, Serialize};
    use std::fmt;

    /// Text as which a value is serialized, if it is one.
    struct Text<'a, T>(&'a T);

    impl<T: Serialize> fmt::Display for Text<'_, T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.serialize(f)
        }
    }

    fn read<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, Error> {
        let text: StrDeserializer<'de, Error> = text.into_deserializer();
        T::deserialize(text)
    }

    #[test]
    fn words_of_the_game_are_serialized_as_their_text() {
        fn round<T: Serialize + for<'de> Deserialize<'de> + PartialEq + std::fmt::Debug>(value: T, text: &str) {
            assert_eq!(Text(&value).to_string(), text);
            assert_eq!(read::<T>(text), Ok(value));
        }
        round("8h2b+".parse::<Move>().unwrap(), "8h2b+");
        round("P*5e".parse::<Move>().unwrap(), "P*5e");
        round(Square::S7G, "7g");
        round(Piece::WDragon, "+r");
        round(Color::White, "w");
        assert_eq!(read::<Move>("7g7z").unwrap_err().to_string(), "\"7g7z\" is not a move");
    }
}
