//! The start of a CSA game: the even board without some pieces (`PI`), a diagram (`P1` to `P9`), single pieces
//! (`P+`, `P-`).

use super::{name, piece_of, push_square, square_of};
use crate::position::{Handicap, InvalidPosition, Position, PositionBuilder};
use crate::types::{Color, File, Piece, PieceType, Rank, Square};
use std::fmt::Write;

/// The start as its statements tell it.
#[derive(Default)]
pub(crate) struct Setup {
    builder: PositionBuilder,
    /// The side that holds all pieces that are named nowhere: `00AL`.
    rest: Option<Color>,
    pub(crate) side: Option<Color>,
    is_told: bool,
}

impl Setup {
    /// Reads a statement that begins with `P`; `None` if it tells no pieces.
    pub(crate) fn read(&mut self, statement: &str) -> Option<()> {
        let kind = *statement.as_bytes().get(1)?;
        let rest = statement.get(2..)?;
        self.is_told = true;
        match kind {
            b'I' => self.even_without(rest),
            b'1'..=b'9' => self.rank(Rank::ALL[(kind - b'1') as usize], rest),
            b'+' => self.pieces(Color::Black, rest),
            b'-' => self.pieces(Color::White, rest),
            _ => None,
        }
    }

    fn even_without(&mut self, removed: &str) -> Option<()> {
        let even = Position::startpos();
        for square in Square::ALL {
            match even.piece_on(square) {
                Some(piece) => self.builder.piece(square, piece),
                None => self.builder.empty(square),
            };
        }
        for (square, piece_type) in squares_and_pieces(removed)? {
            let square = square_of(square)?;
            if self.builder.piece_on(square)?.piece_type() != piece_of(piece_type)? {
                return None;
            }
            self.builder.empty(square);
        }
        Some(())
    }

    /// Reads `-KY-KE * …`. Blanks at the end may be missing, and those between empty squares may be fewer.
    fn rank(&mut self, rank: Rank, text: &str) -> Option<()> {
        let mut rest = text;
        for file in File::ALL.into_iter().rev() {
            rest = rest.trim_start();
            let color = match rest.as_bytes().first()? {
                b'*' => {
                    rest = &rest[1..];
                    continue;
                }
                b'+' => Color::Black,
                b'-' => Color::White,
                _ => return None,
            };
            let piece_type = piece_of(rest.get(1..3)?)?;
            self.builder.piece(Square::at(file, rank), Piece::new(color, piece_type));
            rest = &rest[3..];
        }
        if rest.trim_start().is_empty() { Some(()) } else { None }
    }

    fn pieces(&mut self, color: Color, text: &str) -> Option<()> {
        for (square, piece) in squares_and_pieces(text)? {
            match (square, piece) {
                ("00", "AL") => self.rest = Some(color),
                ("00", held) => {
                    let piece_type = piece_of(held)?;
                    if !PieceType::HAND.contains(&piece_type) {
                        return None;
                    }
                    self.builder.hand(color, piece_type, 1);
                }
                _ => _ = self.builder.piece(square_of(square)?, Piece::new(color, piece_of(piece)?)),
            }
        }
        Some(())
    }

    /// The position, the even start if nothing was told. `first` is the side of the first move.
    pub(crate) fn build(&self, first: Option<Color>) -> Result<Position, InvalidPosition> {
        let mut builder =
            if self.is_told { self.builder.clone() } else { PositionBuilder::from(&Position::startpos()) };
        if let Some(color) = self.rest {
            builder.rest(color);
        }
        builder.side(self.side.or(first).unwrap_or(Color::Black)).build()
    }
}

/// Cuts `22KA33FU` into `("22", "KA")`, `("33", "FU")`.
fn squares_and_pieces(text: &str) -> Option<Vec<(&str, &str)>> {
    let text = text.trim_end();
    (0..text.len()).step_by(4).map(|at| Some((text.get(at..at + 2)?, text.get(at + 2..at + 4)?))).collect()
}

/// Writes the start and the side to move: `PI` if only pieces of white's are missing, else a diagram.
pub(crate) fn write(text: &mut String, start: &Position) {
    // The format has no move counter.
    let sfen = start.to_sfen();
    let without_counter = sfen.trim_end_matches(|c: char| c.is_ascii_digit());
    if Handicap::USUAL.into_iter().any(|handicap| handicap.sfen().strip_suffix('1') == Some(without_counter)) {
        let even = Position::startpos();
        text.push_str("PI");
        for square in Square::ALL {
            if let (None, Some(given)) = (start.piece_on(square), even.piece_on(square)) {
                push_square(text, square);
                text.push_str(name(given.piece_type()));
            }
        }
        text.push('\n');
    } else {
        write_diagram(text, start);
    }
    text.push_str(if start.side() == Color::Black { "+\n" } else { "-\n" });
}

fn sign(color: Color) -> char {
    if color == Color::Black { '+' } else { '-' }
}

fn write_diagram(text: &mut String, start: &Position) {
    for rank in Rank::ALL {
        _ = write!(text, "P{}", rank.index() + 1);
        for file in File::ALL.into_iter().rev() {
            match start.piece_on(Square::at(file, rank)) {
                None => text.push_str(" * "),
                Some(piece) => _ = write!(text, "{}{}", sign(piece.color()), name(piece.piece_type())),
            }
        }
        text.push('\n');
    }
    for color in Color::ALL {
        if start.hand(color).is_empty() {
            continue;
        }
        _ = write!(text, "P{}", sign(color));
        for (piece_type, count) in start.hand(color).iter() {
            text.push_str(&format!("00{}", name(piece_type)).repeat(count as usize));
        }
        text.push('\n');
    }
}
