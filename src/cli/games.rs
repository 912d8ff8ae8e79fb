//! Games that were played: records, lists of moves, games of `komainu match`.

use crate::cli::{Failure, numbered_lines};
use crate::notation::json::GameLine;
use crate::notation::read_file_bytes;
use crate::notation::record::{GameRecord, RecordMove};
use crate::notation::usi::parse_move;
use crate::openings::{is_list, is_record};
use crate::position::Position;
use crate::types::{Color, Move, Quoted};
use std::fs;
use std::path::{Path, PathBuf};

/// Value that stands for a mate.
const MATE: i32 = 32_000;

/// A game, as far as books and ratings of levels are interested in it.
pub(super) struct RecordedGame {
    pub(super) start: Position,
    pub(super) moves: Vec<Made>,
    pub(super) players: [Option<String>; 2],
    pub(super) winner: Option<Color>,
    /// It has a result, a draw included.
    pub(super) has_ended: bool,
}

/// A move with what the record says of it, from the view of the side that moved.
pub(super) struct Made {
    pub(super) mv: Move,
    pub(super) value: Option<i32>,
    pub(super) depth: u32,
}

/// The files that are named and all records in the folders that are named, in the order of their names.
pub(super) fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in named {
        if path.is_dir() {
            in_folder(path, &mut files)?;
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn in_folder(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let fail = super::in_file(folder);
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(&fail)? {
        entries.push(entry.map_err(&fail)?);
    }
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // A link to a folder above would lead round and round.
        if entry.file_type().map_err(&fail)?.is_dir() {
            in_folder(&path, files)?;
        } else if kind(&path).is_some() {
            files.push(path);
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Record,
    Json,
    Lines,
}

fn kind(path: &Path) -> Option<Kind> {
    match path {
        _ if path.extension()?.eq_ignore_ascii_case("jsonl") => Some(Kind::Json),
        _ if is_list(path) => Some(Kind::Lines),
        _ => is_record(path).then_some(Kind::Record),
    }
}

/// Hands the games of a file to `visit`; those that cannot be read are told to `remark`, with their place.
pub(super) fn visit_games(
    path: &Path,
    mut visit: impl FnMut(RecordedGame) -> Result<(), Failure>,
    remark: &dyn Fn(&str),
) -> Result<(), Failure> {
    let bytes = fs::read(path).map_err(super::in_file(path))?;
    let shown = path.display();
    match kind(path) {
        Some(Kind::Record) => match read_file_bytes(&path.to_string_lossy(), &bytes) {
            Ok(games) => games.into_iter().try_for_each(|parsed| visit(of_record(parsed.record))),
            Err(error) => {
                remark(&format!("{shown}: {error}; passed over"));
                Ok(())
            }
        },
        kind => {
            let text = String::from_utf8_lossy(&bytes);
            for (number, line) in numbered_lines(&text) {
                let game = if kind == Some(Kind::Json) { of_json(line) } else { of_moves(line) };
                match game {
                    Ok(game) => visit(game)?,
                    Err(fault) => remark(&format!("{shown}: line {number}: {fault}; passed over")),
                }
            }
            Ok(())
        }
    }
}

fn of_record(record: GameRecord) -> RecordedGame {
    let mut side = record.start.side();
    let mut moves = Vec::new();
    for made in &record.moves {
        let (value, depth) = score(made, side);
        moves.push(Made { mv: made.mv, value, depth });
        side = !side;
    }
    let GameRecord { players, start, conclusion, .. } = record;
    let winner = conclusion.and_then(|conclusion| conclusion.winner);
    RecordedGame { start, moves, players, winner, has_ended: conclusion.is_some() }
}

/// The score that programs write as a comment, from black's view: `*評価値=35`, `* 35 -3334FU`, `** 35`; and the depth,
/// `*深さ=12`.
fn score(made: &RecordMove, side: Color) -> (Option<i32>, u32) {
    let (mut value, mut depth) = (None, 0);
    for line in &made.comments {
        let line = line.trim().trim_start_matches(['*', '#', '＊']).trim_start();
        let number = |text: &str| -> Option<i32> {
            let end =
                text.char_indices().position(|(at, c)| !(c.is_ascii_digit() || at == 0 && matches!(c, '-' | '+')));
            text.chars().take(end.unwrap_or(usize::MAX)).collect::<String>().parse().ok()
        };
        if let Some(text) = line.strip_prefix("評価値=").or_else(|| line.strip_prefix("評価値 ")) {
            value = number(text.trim_start()).or(value);
        } else if let Some(text) = line.strip_prefix("深さ=") {
            depth = number(text).map_or(depth, |depth| depth.max(0).unsigned_abs());
        } else if value.is_none() && made.comments.iter().any(|line| line.trim_start().starts_with('*')) {
            value = line.split_ascii_whitespace().next().and_then(|word| word.parse().ok());
        }
    }
    let value = value.map(|value: i32| value.clamp(-MATE, MATE));
    (value.map(|value| if side == Color::Black { value } else { -value }), depth)
}

fn of_json(line: &str) -> Result<RecordedGame, String> {
    let game: GameLine = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let start = Position::from_sfen(&game.start).map_err(|error| format!("start: {error}"))?;
    let mut position = start.clone();
    let mut moves = Vec::new();
    for made in &game.moves {
        let mv = parse_move(&position, &made.mv).map_err(|error| format!("move {}: {error}", moves.len() + 1))?;
        position.do_move(mv);
        let mate = made.mate.map(|plies| if plies > 0 { MATE - plies } else { -MATE - plies });
        let value = made.cp.or(mate).map(|value| value.clamp(-MATE, MATE));
        moves.push(Made { mv, value, depth: made.depth.unwrap_or(0) });
    }
    let [black, white] = game.players;
    Ok(RecordedGame { start, moves, players: [Some(black), Some(white)], winner: game.winner, has_ended: true })
}

/// `startpos moves ...`, `sfen SFEN moves ...`, `SFEN moves ...`, or moves alone.
fn of_moves(line: &str) -> Result<RecordedGame, String> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let at = words.iter().position(|&word| word == "moves");
    let (head, moves) = match at {
        Some(at) => (&words[..at], &words[at + 1..]),
        None if words[0].parse::<Move>().is_ok() => (&words[..0], &words[..]),
        None => (&words[..], &words[..0]),
    };
    let start = match head {
        [] | ["startpos"] => Position::startpos(),
        ["startpos", other, ..] => return Err(format!("{} after startpos", Quoted(other))),
        ["sfen", rest @ ..] | rest => Position::from_sfen(&rest.join(" ")).map_err(|error| error.to_string())?,
    };
    let mut position = start.clone();
    let mut made = Vec::new();
    for (number, word) in moves.iter().enumerate() {
        let mv = parse_move(&position, word).map_err(|error| format!("move {}: {error}", number + 1))?;
        position.do_move(mv);
        made.push(Made { mv, value: None, depth: 0 });
    }
    Ok(RecordedGame { start, moves: made, players: [None, None], winner: None, has_ended: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(comments: &[&str], side: Color) -> (Option<i32>, u32) {
        let comments = comments.iter().map(|line| line.to_string()).collect();
        score(&RecordMove { comments, ..RecordMove::new("7g7f".parse().unwrap()) }, side)
    }

    #[test]
    fn scores_are_read_from_comments_and_turned_to_the_mover() {
        assert_eq!(scored(&["*評価値=35", "*深さ=12"], Color::Black), (Some(35), 12));
        assert_eq!(scored(&["#評価値=-120"], Color::White), (Some(120), 0));
        assert_eq!(scored(&["* 35 -3334FU +2625FU"], Color::White), (Some(-35), 0));
        assert_eq!(scored(&["* 99999"], Color::Black), (Some(MATE), 0));
        assert_eq!(scored(&["35 people watch"], Color::Black), (None, 0));
        assert_eq!(scored(&["良い手"], Color::Black), (None, 0));
    }

    #[test]
    fn lines_of_moves_come_in_four_forms() {
        for line in ["startpos moves 7g7f 3c3d", "7g7f 3c3d", "moves 7g7f 3c3d"] {
            assert_eq!(of_moves(line).unwrap().moves.len(), 2, "{line}");
        }
        let sfen = "sfen 4k4/9/9/9/9/9/9/9/4K4 b - 5 moves 5i5h";
        assert_eq!(of_moves(sfen).unwrap().start.ply(), 5);
        assert_eq!(of_moves("startpos moves 7g7f 7g7f").err().unwrap(), "move 2: 7g7f is not legal");
        assert_eq!(of_moves("startpos x moves 7g7f").err().unwrap(), "\"x\" after startpos");
    }
}
