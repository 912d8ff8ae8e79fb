//! The start of a CSA game: the even board without some pieces (`PI`), a diagram (`P1` to `P9`), single pieces
//! (`P+`, `P-`).

use super::{name, piece_of, square_of, square_text};
use crate::position::{Handicap, InvalidPosition, Position, PositionBuilder};
use crate::types::{Color, File, Piece, PieceType, Rank, Square};
use std::fmt::Write;

/// The start as its statements tell it.
#[derive(Clone)]
pub(super) struct Setup {
    board: [Option<Piece>; 81],
    hands: [[u32; 8]; 2],
    /// The side that holds all pieces that are named nowhere: `00AL`.
    rest: Option<Color>,
    side: Option<Color>,
    is_told: bool,
}

impl Setup {
    pub(super) fn new() -> Setup {
        Setup { board: [None; 81], hands: [[0; 8]; 2], rest: None, side: None, is_told: false }
    }

    pub(super) fn side(&mut self, side: Color) {
        self.side = Some(side);
    }

    /// Reads a statement that begins with `P`; `None` if it tells no pieces.
    pub(super) fn read(&mut self, statement: &str) -> Option<()> {
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
        self.board = Square::ALL.map(|square| even.piece_on(square));
        for (square, piece_type) in squares_and_pieces(removed)? {
            let square = square_of(square)?;
            self.board[square].take_if(|piece| Some(piece.piece_type()) == piece_of(piece_type))?;
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
            self.board[Square::at(file, rank)] = Some(Piece::new(color, piece_type));
            rest = &rest[3..];
        }
        rest.trim_start().is_empty().then_some(())
    }

    fn pieces(&mut self, color: Color, text: &str) -> Option<()> {
        for (square, piece) in squares_and_pieces(text)? {
            match (square, piece) {
                ("00", "AL") => self.rest = Some(color),
                ("00", held) => {
                    let piece_type = piece_of(held).filter(|piece_type| PieceType::HAND.contains(piece_type))?;
                    let count = &mut self.hands[color][piece_type.index()];
                    *count = count.saturating_add(1);
                }
                _ => self.board[square_of(square)?] = Some(Piece::new(color, piece_of(piece)?)),
            }
        }
        Some(())
    }

    /// The position, the even start if nothing was told. `first` is the side of the first move.
    pub(super) fn build(&self, first: Option<Color>) -> Result<Position, InvalidPosition> {
        let mut setup = self.clone();
        if !self.is_told {
            setup.board = Square::ALL.map(|square| Position::startpos().piece_on(square));
        }
        let mut builder = PositionBuilder::new();
        for square in Square::ALL {
            if let Some(piece) = setup.board[square] {
                builder.piece(square, piece);
            }
        }
        for piece_type in PieceType::HAND {
            let on_board = setup.board.iter().flatten().filter(|p| p.piece_type().unpromoted() == piece_type).count();
            let [black, white] = Color::ALL.map(|color| setup.hands[color][piece_type.index()]);
            builder.hand(Color::Black, piece_type, black).hand(Color::White, piece_type, white);
            if let Some(color) = setup.rest {
                let named = (on_board as u32).saturating_add(black).saturating_add(white);
                builder.hand(color, piece_type, (piece_type.total() as u32).saturating_sub(named));
            }
        }
        builder.side(self.side.or(first).unwrap_or(Color::Black)).build()
    }
}

/// Cuts `22KA33FU` into `("22", "KA")`, `("33", "FU")`.
fn squares_and_pieces(text: &str) -> Option<Vec<(&str, &str)>> {
    let text = text.trim_end();
    let parts = (0..text.len()).step_by(4).map(|at| Some((text.get(at..at + 2)?, text.get(at + 2..at + 4)?)));
    parts.collect()
}

/// Writes the start and the side to move: `PI` if only pieces of white's are missing, else a diagram.
pub(super) fn write(text: &mut String, start: &Position) {
    // The format has no move counter.
    let sfen = start.to_sfen();
    let without_counter = sfen.trim_end_matches(|c: char| c.is_ascii_digit());
    if Handicap::USUAL.into_iter().any(|handicap| handicap.sfen().strip_suffix('1') == Some(without_counter)) {
        let even = Position::startpos();
        let given = Square::ALL.into_iter().filter(|&square| start.piece_on(square).is_none());
        let given = given.filter_map(|square| Some((square, even.piece_on(square)?.piece_type())));
        let given: String = given.map(|(square, piece)| format!("{}{}", square_text(square), name(piece))).collect();
        _ = writeln!(text, "PI{given}");
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
    for color in Color::ALL.into_iter().filter(|&color| !start.hand(color).is_empty()) {
        _ = write!(text, "P{}", sign(color));
        for (piece_type, count) in start.hand(color).iter() {
            text.push_str(&format!("00{}", name(piece_type)).repeat(count as usize));
        }
        text.push('\n');
    }
}
