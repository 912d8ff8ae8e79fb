//! Games that were played: records, lists of moves, games of `komainu match`.

use crate::arena::folder::{GAMES_FILE, GameLineFault, game_lines};
use crate::cli::sources::visit_folder;
use crate::cli::{Failure, numbered_lines};
use crate::notation::json::{GameLine, GameResult};
use crate::notation::read_file_bytes;
use crate::notation::record::{GameRecord, RecordMove};
use crate::notation::usi::parse_move;
use crate::openings::{is_list, is_record};
use crate::position::Position;
use crate::types::{Color, Move, Quoted};
use std::cell::Cell;
use std::collections::HashSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Value that stands for a mate.
const MATE: i32 = 32_000;

/// A game, as far as books and ratings of levels are interested in it.
pub(super) struct RecordedGame {
    pub(super) start: Position,
    pub(super) moves: Vec<Made>,
    pub(super) players: [Option<String>; 2],
    /// Digits of the date on which it was played.
    date: Option<String>,
    /// Number of its line, if it stands in a list of moves.
    line: Option<usize>,
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

/// Games of files and folders, each once.
pub(super) struct Games {
    /// Files that are read, in their order.
    files: Vec<PathBuf>,
    /// Fingerprints of the games so far.
    seen: HashSet<u64>,
    /// Games that were handed on.
    pub(super) read: u64,
    /// Games that were there already.
    pub(super) repeated: u64,
    /// Files of which something could not be read.
    pub(super) refused: u64,
}

impl Games {
    /// The files that are named and all records in the folders that are named, in the order of their names. The folder of
    /// a match is read from its games alone, since its records hold the same games again.
    pub(super) fn of(named: &[PathBuf]) -> Result<Games, Failure> {
        let mut files = Vec::new();
        for path in named {
            if path.is_dir() {
                in_folder(path, &mut files)?;
            } else {
                files.push(path.clone());
            }
        }
        Ok(Games { files, seen: HashSet::new(), read: 0, repeated: 0, refused: 0 })
    }

    /// Hands all games to `visit`, each once: games of the same players, date and moves are the same. What cannot be read is
    /// told to `remark`, with its place.
    pub(super) fn visit(
        &mut self,
        mut visit: impl FnMut(RecordedGame) -> Result<(), Failure>,
        remark: &dyn Fn(&str),
    ) -> Result<(), Failure> {
        for file in std::mem::take(&mut self.files) {
            let has_fault = Cell::new(false);
            let refuse = |text: &str| {
                has_fault.set(true);
                remark(&format!("{}: {text}; passed over", file.display()));
            };
            let mut take = |game: RecordedGame| {
                if !self.seen.insert(game.fingerprint()) {
                    self.repeated += 1;
                    return Ok(());
                }
                self.read += 1;
                visit(game)
            };
            visit_file(&file, &mut take, &refuse, remark)?;
            self.refused += u64::from(has_fault.get());
        }
        Ok(())
    }
}

impl RecordedGame {
    /// A number that two games share only if they are the same. A list of moves tells neither players nor a date, so that
    /// each of its lines is a game of its own.
    fn fingerprint(&self) -> u64 {
        let mut hash = DefaultHasher::new();
        (self.start.to_sfen(), &self.players, &self.date, self.line).hash(&mut hash);
        self.moves.iter().for_each(|made| made.mv.hash(&mut hash));
        hash.finish()
    }
}

fn in_folder(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let of_match = folder.join(GAMES_FILE);
    if of_match.is_file() {
        files.push(of_match);
        return Ok(());
    }
    visit_folder(folder, &mut |path, is_folder| {
        if is_folder {
            in_folder(path, files)?;
        } else if kind(path).is_some() {
            files.push(path.to_path_buf());
        }
        Ok(())
    })
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

/// Hands the games of a file to `take`, what cannot be read to `refuse`.
fn visit_file(
    path: &Path,
    take: &mut dyn FnMut(RecordedGame) -> Result<(), Failure>,
    refuse: &dyn Fn(&str),
    remark: &dyn Fn(&str),
) -> Result<(), Failure> {
    let bytes = fs::read(path).map_err(super::in_file(path))?;
    match kind(path) {
        Some(Kind::Record) => match read_file_bytes(&path.to_string_lossy(), &bytes) {
            Ok(games) => games.into_iter().try_for_each(|parsed| take(of_record(parsed.record))),
            Err(error) => {
                refuse(&error.to_string());
                Ok(())
            }
        },
        Some(Kind::Json) => {
            for (number, line) in game_lines(&bytes) {
                match line.map_err(|fault| (fault == GameLineFault::Torn, fault.to_string())).and_then(of_line) {
                    Ok(game) => take(game)?,
                    // A match that was killed, or still runs, leaves half a line.
                    Err((true, fault)) => remark(&format!("{}: line {number}: {fault}", path.display())),
                    Err((false, fault)) => refuse(&format!("line {number}: {fault}")),
                }
            }
            Ok(())
        }
        _ => {
            let text = String::from_utf8_lossy(&bytes);
            for (number, line) in numbered_lines(&text) {
                match of_moves(line) {
                    Ok(game) => take(RecordedGame { line: Some(number), ..game })?,
                    Err(fault) => refuse(&format!("line {number}: {fault}")),
                }
            }
            Ok(())
        }
    }
}

/// Digits of a date and of a time of day: formats write them in several ways.
fn digits(date: &str) -> Option<String> {
    let digits: String = date.chars().filter(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}

fn of_record(record: GameRecord) -> RecordedGame {
    let mut side = record.start.side();
    let mut moves = Vec::new();
    for made in &record.moves {
        let (value, depth) = score(made, side);
        moves.push(Made { mv: made.mv, value, depth });
        side = !side;
    }
    let GameRecord { players, start, conclusion, started, .. } = record;
    let winner = conclusion.and_then(|conclusion| conclusion.winner);
    let date = started.as_deref().and_then(digits);
    RecordedGame { start, moves, players, date, line: None, winner, has_ended: conclusion.is_some() }
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

/// A game of a match. An error says that it is no torn line, and what is wrong.
fn of_line(game: GameLine) -> Result<RecordedGame, (bool, String)> {
    let start = Position::from_sfen(&game.start).map_err(|error| (false, format!("start: {error}")))?;
    let mut position = start.clone();
    let mut moves = Vec::new();
    for made in &game.moves {
        let mv = parse_move(&position, &made.mv);
        let mv = mv.map_err(|error| (false, format!("move {}: {error}", moves.len() + 1)))?;
        position.do_move(mv);
        let mate = made.mate.map(|plies| if plies > 0 { MATE - plies } else { -MATE - plies });
        let value = made.cp.or(mate).map(|value| value.clamp(-MATE, MATE));
        moves.push(Made { mv, value, depth: made.depth.unwrap_or(0) });
    }
    let result = game.result();
    let players = game.players.map(Some);
    let (winner, date) = (result.and_then(GameResult::winner), digits(&game.started));
    Ok(RecordedGame { start, moves, players, date, line: None, winner, has_ended: result.is_some() })
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
    let (players, date) = ([None, None], None);
    Ok(RecordedGame { start, moves: made, players, date, line: None, winner: None, has_ended: false })
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
