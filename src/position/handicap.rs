//! Handicaps: the starts of games in which one side gives pieces.

use super::START_SFEN;
use crate::types::UnknownName;
use std::fmt;
use std::str::FromStr;

/// Declares the handicaps: names in English and Japanese, the ranks of white's camp, side to move and hands.
macro_rules! handicaps {
    ($($(#[doc = $doc:literal])+ $handicap:ident, $name:literal, $japanese:literal, $camp:literal, $rest:literal;)+) => {
        /// The handicaps that have a name. White gives the pieces and moves first.
        ///
        /// ```
        /// use komainu::position::{Handicap, Position};
        /// use komainu::types::Color;
        ///
        /// let position = Position::from_sfen(Handicap::Rook.sfen())?;
        /// assert_eq!((position.side(), position.occupied().count()), (Color::White, 39));
        /// # Ok::<(), komainu::position::SfenError>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[doc(alias = "駒落ち")]
        pub enum Handicap {
            $($(#[doc = $doc])+ $handicap,)+
        }

        impl Handicap {
            /// All of them: the usual ones, then the rarer ones of Kakinoki's format and of sites.
            pub const ALL: [Handicap; [$($name),+].len()] = [$(Handicap::$handicap),+];

            /// Name in English.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Handicap::$handicap => $name,)+
                }
            }

            /// Name in Japanese, as in records.
            pub const fn japanese_name(self) -> &'static str {
                match self {
                    $(Handicap::$handicap => $japanese,)+
                }
            }

            /// The start position.
            pub const fn sfen(self) -> &'static str {
                match self {
                    $(Handicap::$handicap => concat!($camp, "/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL ", $rest, " 1"),)+
                }
            }
        }
    };
}

handicaps! {
    /// No handicap. 平手
    Even, "even", "平手", "lnsgkgsnl/1r5b1/ppppppppp", "b -";
    /// Without the left lance. 香落ち
    Lance, "lance", "香落ち", "lnsgkgsn1/1r5b1/ppppppppp", "w -";
    /// Without the bishop. 角落ち
    Bishop, "bishop", "角落ち", "lnsgkgsnl/1r7/ppppppppp", "w -";
    /// Without the rook. 飛車落ち
    Rook, "rook", "飛車落ち", "lnsgkgsnl/7b1/ppppppppp", "w -";
    /// Without rook and left lance. 飛香落ち
    RookLance, "rook-lance", "飛香落ち", "lnsgkgsn1/7b1/ppppppppp", "w -";
    /// Without rook and bishop. 二枚落ち
    TwoPieces, "2-pieces", "二枚落ち", "lnsgkgsnl/9/ppppppppp", "w -";
    /// Without rook, bishop and lances. 四枚落ち
    FourPieces, "4-pieces", "四枚落ち", "1nsgkgsn1/9/ppppppppp", "w -";
    /// Also without knights. 六枚落ち
    SixPieces, "6-pieces", "六枚落ち", "2sgkgs2/9/ppppppppp", "w -";
    /// Also without silvers. 八枚落ち
    EightPieces, "8-pieces", "八枚落ち", "3gkg3/9/ppppppppp", "w -";
    /// King and pawns only. 十枚落ち
    TenPieces, "10-pieces", "十枚落ち", "4k4/9/ppppppppp", "w -";
    /// Without the right lance. 右香落ち
    RightLance, "right-lance", "右香落ち", "1nsgkgsnl/1r5b1/ppppppppp", "w -";
    /// Without both lances. 両香落ち
    BothLances, "both-lances", "両香落ち", "1nsgkgsn1/1r5b1/ppppppppp", "w -";
    /// Without rook, bishop and left lance. 三枚落ち
    ThreePieces, "3-pieces", "三枚落ち", "lnsgkgsn1/9/ppppppppp", "w -";
    /// Without rook, bishop and right lance: 三枚落ち of lishogi. 右三枚落ち
    RightThreePieces, "right-3-pieces", "右三枚落ち", "1nsgkgsnl/9/ppppppppp", "w -";
    /// Without rook, bishop, lances and right knight. 五枚落ち
    FivePieces, "5-pieces", "五枚落ち", "2sgkgsn1/9/ppppppppp", "w -";
    /// Without rook, bishop, lances and left knight. 左五枚落ち
    LeftFivePieces, "left-5-pieces", "左五枚落ち", "1nsgkgs2/9/ppppppppp", "w -";
    /// Without rook, bishop, lances, knights and right silver. 七枚落ち
    SevenPieces, "7-pieces", "七枚落ち", "3gkgs2/9/ppppppppp", "w -";
    /// Without rook, bishop, lances, knights and left silver. 左七枚落ち
    LeftSevenPieces, "left-7-pieces", "左七枚落ち", "2sgkg3/9/ppppppppp", "w -";
    /// King, left gold and pawns only. 九枚落ち
    NinePieces, "9-pieces", "九枚落ち", "4kg3/9/ppppppppp", "w -";
    /// King, rook, bishop and pawns only. トンボ
    Dragonfly, "dragonfly", "トンボ", "4k4/1r5b1/ppppppppp", "w -";
    /// King, rook, bishop, lances and pawns only. トンボ＋香
    DragonflyLances, "dragonfly-lances", "トンボ＋香", "l3k3l/1r5b1/ppppppppp", "w -";
    /// King, rook, bishop, lances, knights and pawns only. トンボ＋桂香
    DragonflyKnights, "dragonfly-knights", "トンボ＋桂香", "ln2k2nl/1r5b1/ppppppppp", "w -";
    /// Without the pawn before the rook. 太閤落ち
    Taiko, "taiko", "太閤落ち", "lnsgkgsnl/1r5b1/p1ppppppp", "w -";
    /// King only, with three pawns in hand. 歩三兵
    ThreePawns, "3-pawns", "歩三兵", "4k4/9/9", "w 3p";
    /// King only. 裸玉
    BareKing, "bare-king", "裸玉", "4k4/9/9", "w -";
}

const _: () = assert!(Handicap::Even.sfen().len() == START_SFEN.len());

impl Handicap {
    /// The usual ones, from none to ten pieces: every program knows these by name.
    pub const USUAL: [Handicap; 10] = {
        use Handicap::*;
        [Even, Lance, Bishop, Rook, RookLance, TwoPieces, FourPieces, SixPieces, EightPieces, TenPieces]
    };

    /// The one whose start a SFEN is, counter included.
    pub fn of_sfen(sfen: &str) -> Option<Handicap> {
        Handicap::ALL.into_iter().find(|handicap| handicap.sfen() == sfen)
    }
}

/// Writes the name.
impl fmt::Display for Handicap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Reads the name without regard to case.
///
/// ```
/// use komainu::position::Handicap;
///
/// assert_eq!("2-Pieces".parse(), Ok(Handicap::TwoPieces));
/// assert!("queen".parse::<Handicap>().is_err());
/// ```
impl FromStr for Handicap {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Handicap, UnknownName> {
        UnknownName::find(text, &Handicap::ALL, Handicap::name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use std::collections::HashSet;

    #[test]
    fn every_handicap_has_names_and_a_start_of_its_own() {
        let unique = |of: fn(Handicap) -> &'static str| Handicap::ALL.map(of).into_iter().collect::<HashSet<_>>().len();
        for of in [Handicap::name, Handicap::japanese_name, Handicap::sfen] {
            assert_eq!(unique(of), Handicap::ALL.len());
        }
        assert_eq!(Handicap::ALL[..Handicap::USUAL.len()], Handicap::USUAL);
        assert_eq!(Handicap::Even.sfen(), START_SFEN);
        for handicap in Handicap::ALL {
            let start = Position::from_sfen(handicap.sfen()).unwrap_or_else(|error| panic!("{handicap}: {error}"));
            assert_eq!((start.to_sfen(), Handicap::of_sfen(handicap.sfen())), (handicap.sfen().into(), Some(handicap)));
        }
        assert_eq!(Handicap::of_sfen("4k4/9/9/9/9/9/9/9/4K4 b - 1"), None);
    }

    #[test]
    fn names_that_count_pieces_count_what_is_missing() {
        let mut counted = 0;
        for handicap in Handicap::ALL {
            let Some(number) = handicap.name().strip_suffix("-pieces") else { continue };
            let pieces: u32 = number.rsplit('-').next().unwrap().parse().unwrap();
            let start = Position::from_sfen(handicap.sfen()).unwrap();
            assert_eq!(40 - start.occupied().count(), pieces, "{handicap}");
            counted += 1;
        }
        assert_eq!(counted, 12);
    }
}
