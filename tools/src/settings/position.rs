//! Positions and sides.

use komainu::types::Color;

/// Help of `--sfen`.
pub const SFEN_HELP: &str = "Position: a SFEN, or as in `position`: \"startpos moves 7g7f\"";

/// A side, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Sides {
    /// Black
    #[value(alias = "black")]
    B,
    /// White
    #[value(alias = "white")]
    W,
    /// Both
    Both,
}

impl Sides {
    /// The sides.
    pub fn colors(self) -> Vec<Color> {
        match self {
            Sides::B => vec![Color::Black],
            Sides::W => vec![Color::White],
            Sides::Both => Color::ALL.to_vec(),
        }
    }

    /// The side, if it is one alone.
    pub fn one(self) -> Option<Color> {
        <[Color; 1]>::try_from(self.colors()).ok().map(|[color]| color)
    }
}
