//! The lines of one game.

use super::{LastWord, PgnFault, PgnGame, PgnMove, PgnResult, PgnThought};
use crate::notation::usi::parse_move;
use crate::position::Position;

/// A fault with the number of its line.
type Faulty<T> = Result<T, (usize, PgnFault)>;

/// The value of the first header of this name.
pub(super) fn tag<'a>(tags: &'a [(String, String)], name: &str) -> Option<&'a str> {
    tags.iter().find(|tag| tag.0 == name).map(|tag| tag.1.as_str())
}

/// Reads the lines of a game, of which there is at least one.
pub(super) fn read(block: &[(usize, String)]) -> Faulty<PgnGame> {
    let line = block[0].0;
    let heads = block.iter().take_while(|(_, text)| text.starts_with('[')).count();
    let (heads, rest) = block.split_at(heads);
    if heads.is_empty() {
        return Err((line, PgnFault::NoTags));
    }
    let tags: Vec<(String, String)> =
        heads.iter().map(|(number, text)| read_tag(*number, text)).collect::<Faulty<_>>()?;
    let line_of = |name: &str| heads.iter().zip(&tags).find(|(_, tag)| tag.0 == name).map_or(line, |(head, _)| head.0);
    let header = tag(&tags, "Result").unwrap_or_default();
    let result = PgnResult::of(header).ok_or_else(|| (line_of("Result"), PgnFault::Result(header.to_string())))?;
    let start = read_start(tag(&tags, "FEN")).map_err(|fault| (line_of("FEN"), fault))?;
    let mut moves = Moves {
        pos: start.clone(),
        may_be_illegal: tag(&tags, "Termination").is_some_and(|text| text.to_ascii_lowercase().contains("illegal")),
        read: Vec::new(),
        last_word: None,
        reason: None,
        has_ended: false,
    };
    for (number, text) in rest {
        moves.read_line(text, (header, result)).map_err(|fault| (*number, fault))?;
    }
    let last_line = block[block.len() - 1].0;
    if !moves.has_ended {
        return Err((last_line, PgnFault::NoEnd));
    }
    let words = moves.read.len() + usize::from(moves.last_word.is_some());
    if let Some(count) = tag(&tags, "PlyCount").filter(|count| count.parse() != Ok(words)) {
        return Err((line_of("PlyCount"), PgnFault::PlyCount(words, count.to_string())));
    }
    let Moves { pos: end, read: moves, last_word, reason, .. } = moves;
    Ok(PgnGame { line, tags, start, end, moves, last_word, result, reason })
}

/// `[NAME "VALUE"]`, the value with backslashes before quotes and backslashes.
fn read_tag(number: usize, text: &str) -> Faulty<(String, String)> {
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let parts = inner.and_then(|inner| inner.trim().split_once([' ', '\t']));
    let value = parts.and_then(|(name, value)| Some((name, value.trim().strip_prefix('"')?.strip_suffix('"')?)));
    let (name, value) = value.ok_or_else(|| (number, PgnFault::Tag(text.to_string())))?;
    let mut plain = String::new();
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        plain.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    Ok((name.to_string(), plain))
}

/// The start that `FEN` gives: of its fields the first four are those of a SFEN.
fn read_start(fen: Option<&str>) -> Result<Position, PgnFault> {
    let Some(fen) = fen else { return Ok(Position::startpos()) };
    let sfen: Vec<&str> = fen.split_ascii_whitespace().take(4).collect();
    Position::from_sfen(&sfen.join(" ")).map_err(PgnFault::Start)
}

/// The part of a game after its headers.
struct Moves {
    pos: Position,
    /// The last word may be a move that is not legal.
    may_be_illegal: bool,
    read: Vec<PgnMove>,
    last_word: Option<LastWord>,
    reason: Option<String>,
    has_ended: bool,
}

impl Moves {
    /// Words and comments; the result of the header is what must stand at the end.
    fn read_line(&mut self, text: &str, result: (&str, PgnResult)) -> Result<(), PgnFault> {
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(comment) = rest.strip_prefix('{') {
                let (comment, after) = comment.split_once('}').ok_or(PgnFault::OpenComment)?;
                self.read_comment(comment)?;
                rest = after.trim_start();
            } else {
                let end = rest.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                self.read_word(word, result)?;
                rest = after.trim_start();
            }
        }
        Ok(())
    }

    fn read_comment(&mut self, comment: &str) -> Result<(), PgnFault> {
        if self.has_ended {
            return Err(PgnFault::AfterEnd(format!("{{{comment}}}")));
        }
        let (thought, reason) = match PgnThought::read(comment) {
            // What is said of a word that is no move may be anything.
            Err(_) if self.last_word.is_some() => (PgnThought::default(), None),
            read => read?,
        };
        if let (None, Some(played)) = (&self.last_word, self.read.last_mut()) {
            played.thought = thought;
        }
        self.reason = reason.map(str::to_string).or(self.reason.take());
        Ok(())
    }

    fn read_word(&mut self, word: &str, (header, result): (&str, PgnResult)) -> Result<(), PgnFault> {
        if self.has_ended {
            return Err(PgnFault::AfterEnd(word.to_string()));
        }
        if let Some(found) = PgnResult::of(word) {
            // OpenBench's clients take the star of a drop for the result.
            if found != result && word != "*" {
                return Err(PgnFault::OtherResult(word.to_string(), header.to_string()));
            }
            self.has_ended = true;
            return Ok(());
        }
        if self.last_word.is_some() {
            return Err(PgnFault::AfterEnd(word.to_string()));
        }
        match word {
            "resign" => self.last_word = Some(LastWord::Resign),
            "win" => self.last_word = Some(LastWord::Win),
            _ => match parse_move(&self.pos, word) {
                Ok(mv) => {
                    self.pos.do_move(mv);
                    self.read.push(PgnMove { mv, thought: PgnThought::default() });
                }
                Err(_) if self.may_be_illegal => self.last_word = Some(LastWord::Illegal(word.to_string())),
                Err(error) => return Err(PgnFault::Move(self.read.len() + 1, error.to_string())),
            },
        }
        Ok(())
    }
}
