//! Hand-made positions with what must hold in them, a line each; `tests/data/rules.txt` says how.
//!
//! A position is looked at in four views: as it is written, turned with the sides exchanged, mirrored, and both. In
//! each view engine and oracle must agree on everything before what the line says is asked for.

use super::OracleResult;
use super::compare::agrees_with_oracle;
use super::symmetry::Symmetry;
use komainu::movegen::{has_legal_move, is_legal};
use komainu::notation::usi::parse_move;
use komainu::position::{Position, PositionBuilder};
use komainu::types::{Move, Piece, Rank, Square};

/// White's king on 5e, shut in by its own pieces, none of which can capture on 5f, where a pawn would be protected.
const NET: &str = "k5e l4d p5d l6d n4e n6e p4f p6f N4h K9i";

struct View {
    symmetry: Symmetry,
    pos: Position,
    expected: OracleResult,
}

/// Panics unless all that the line says is true.
pub(crate) fn check(line: &str) {
    let mut steps = line.split(';').map(str::trim);
    let mut pos = position(steps.next().unwrap_or_default());
    let mut views = views_of(&pos);
    for step in steps {
        let (what, text) = step.split_once(':').unwrap_or((step, ""));
        let (verb, of) = what.split_once(' ').unwrap_or((what, ""));
        match verb {
            "after" | "pass" => {
                match verb {
                    "pass" => pos.do_null_move(),
                    _ => pos.play(of.parse().expect("a move")).unwrap_or_else(|fault| panic!("{fault} in {pos}")),
                }
                views = views_of(&pos);
            }
            "mated" | "stuck" => {
                assert!(!has_legal_move(&pos) && pos.in_check() == (verb == "mated"), "{step} in {pos}")
            }
            _ => {
                for view in &views {
                    view.check(verb, of, text).unwrap_or_else(|found| panic!("{step}: {found} in {}", view.pos));
                }
            }
        }
    }
}

/// The position of a SFEN, or with black to move the pieces as `K5i +R2b k5a` (a piece of SFEN and its square) and behind
/// a bar one letter for each piece held.
fn position(text: &str) -> Position {
    if text.contains('/') {
        return Position::from_sfen(text).unwrap_or_else(|fault| panic!("{text}: {fault}"));
    }
    let (pieces, hands) = text.split_once('|').unwrap_or((text, ""));
    let pieces = pieces.replace("net", NET);
    let mut builder = PositionBuilder::new();
    for word in pieces.split_whitespace().filter(|word| !pieces.contains(&format!("-{word}"))) {
        if let Some(gone) = word.strip_prefix('-') {
            assert!(NET.contains(gone), "{word} is not in the net");
            continue;
        }
        let (name, square) = word.split_at(word.len() - 2);
        let square = square.parse().unwrap_or_else(|_| panic!("\"{word}\" names no square"));
        assert_eq!(builder.piece_on(square), None, "{word} in {pieces}");
        builder.piece(square, piece(name));
    }
    for letter in hands.trim().chars() {
        let held = piece(&letter.to_string());
        builder.hand(held.color(), held.piece_type(), 1);
    }
    builder.build().unwrap_or_else(|faults| panic!("{text}: {faults:?}"))
}

/// A piece as SFEN writes it.
fn piece(text: &str) -> Piece {
    let find = |piece: &Piece| piece.to_string() == text;
    Piece::ALL.into_iter().find(find).unwrap_or_else(|| panic!("\"{text}\" is no piece"))
}

fn views_of(pos: &Position) -> [View; 4] {
    Symmetry::ALL.map(|symmetry| {
        let pos = if symmetry == Symmetry::ALL[0] { pos.clone() } else { symmetry.position(pos) };
        let expected = agrees_with_oracle(&pos).unwrap_or_else(|fault| panic!("{fault}"));
        View { symmetry, pos, expected }
    })
}

impl View {
    /// Compares what a step says with what is there; `Err` tells the latter.
    fn check(&self, verb: &str, of: &str, text: &str) -> Result<(), String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let found = match verb {
            "only" => self.moves(|_| true),
            "from" => {
                let ends = words.iter().map(|end| format!("{of}{end}")).collect();
                return same(self.moves(|mv| mv.starts_with(of)), ends);
            }
            "drops" => {
                let drop = format!("{of}*");
                let drops = self.squares(&words).iter().map(|square| format!("{drop}{square}")).collect();
                return same(self.moves(|mv| mv.starts_with(&drop)), drops);
            }
            "checks" => self.written(self.expected.sorted(|legal| legal.checks)),
            "uchifuzume" => self.written(self.expected.uchifuzume.into_iter().collect()),
            "pinned" => self.pos.pinned().into_iter().map(|square| self.symmetry.square(square).to_string()).collect(),
            "checkers" => {
                self.pos.checkers().into_iter().map(|square| self.symmetry.square(square).to_string()).collect()
            }
            "legal" | "illegal" | "check" | "quiet" => {
                for word in words {
                    self.check_move(verb, word)?;
                }
                return Ok(());
            }
            _ => panic!("\"{verb}\" is no word of these lines"),
        };
        same(found, words.into_iter().map(str::to_string).collect())
    }

    fn check_move(&self, verb: &str, text: &str) -> Result<(), String> {
        let mv = self.symmetry.mv(text.parse().map_err(|fault| format!("{fault}"))?);
        let is_expected = self.expected.moves.iter().any(|legal| legal.mv == mv);
        let answers = [is_expected, is_legal(&self.pos, mv), parse_move(&self.pos, &mv.to_string()).is_ok()];
        if answers != [verb != "illegal"; 3] {
            return Err(format!("{mv} is legal: {answers:?}"));
        }
        match verb {
            "check" | "quiet" if self.pos.gives_check(mv) != (verb == "check") => Err(format!("{mv}")),
            _ => Ok(()),
        }
    }

    /// The legal moves that pass, as they are called on the board as it is written.
    fn moves(&self, passes: impl Fn(&str) -> bool) -> Vec<String> {
        let mut moves = self.written(self.expected.sorted(|_| true));
        moves.retain(|mv| passes(mv));
        moves
    }

    fn written(&self, moves: Vec<Move>) -> Vec<String> {
        moves.into_iter().map(|mv| self.symmetry.mv(mv).to_string()).collect()
    }

    /// Squares by name, the empty ones of `files 1 2` but for the first rank, or those `from rank b` on.
    fn squares(&self, words: &[&str]) -> Vec<Square> {
        let mut squares = Vec::new();
        for square in Square::ALL {
            let name = square.to_string();
            let is_meant = match words {
                ["files", files @ ..] => square.rank() > Rank::A && files.contains(&&name[..1]),
                ["from", "rank", rank] => &name[1..] >= *rank,
                _ => words.contains(&name.as_str()),
            };
            if is_meant && self.pos.piece_on(self.symmetry.square(square)).is_none() {
                squares.push(square);
            }
        }
        squares
    }
}

/// Compares two lists whatever their order.
fn same(mut found: Vec<String>, mut expected: Vec<String>) -> Result<(), String> {
    found.sort_unstable();
    expected.sort_unstable();
    if found == expected { Ok(()) } else { Err(found.join(" ")) }
}
