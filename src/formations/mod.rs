//! Openings and castles by name: tables of patterns on one side's own half of the board.
//!
//! Analyses name games by them, and the plans of the playing levels are made of them.
//!
//! A pattern is a list of tokens, all of which must hold, on squares as the side sees them that plays it (Black's
//! squares; White's are turned). `8hK` is an own king on 8h, `o8bR` a rook of the opponent, `hB` a bishop in hand,
//! `ohB` one in the opponent's; `!` before a token says that it does not hold, and of tokens with `/` between them one
//! is enough. Of several patterns that hold the first counts. An opening asks besides how the game came there
//! (`course`): where that is not sure it has no name, and a handicap game has names of its own.

mod course;
mod tables;

use crate::notation::record::GameRecord;
use crate::position::Position;
use crate::types::opaque_debug;
use crate::types::{Color, Move, Piece, PieceType, Square};
use course::{Course, View};
use once_cell::sync::Lazy;
use tables::{CASTLES, OPENINGS};

/// A line of a table.
#[derive(Clone, Copy)]
struct Entry {
    japanese: &'static str,
    english: &'static str,
    tokens: &'static str,
    /// The ply up to which it is looked for.
    until: usize,
    /// The way in which the game must have come there.
    when: fn(&View<'_>) -> bool,
}

/// Openings are looked for up to this ply.
const OPENING_PLIES: usize = 50;

const fn entry(japanese: &'static str, english: &'static str, tokens: &'static str) -> Entry {
    Entry { japanese, english, tokens, until: OPENING_PLIES, when: |_| true }
}

impl Entry {
    const fn until(self, ply: usize) -> Entry {
        Entry { until: ply, ..self }
    }

    const fn when(self, when: fn(&View<'_>) -> bool) -> Entry {
        Entry { when, ..self }
    }
}

/// A condition on a position, as a side sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Token {
    is_opponent: bool,
    /// The square; `None` for the hand.
    square: Option<Square>,
    piece_type: PieceType,
}

/// A condition of which one part must hold, or none if it is turned round.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    is_absent: bool,
    tokens: Vec<Token>,
}

/// A pattern, read from its text.
struct Pattern {
    entry: &'static Entry,
    clauses: Vec<Condition>,
}

static CASTLE_PATTERNS: Lazy<Vec<Pattern>> = Lazy::new(|| read(&CASTLES));
static OPENING_PATTERNS: Lazy<Vec<Pattern>> = Lazy::new(|| read(&OPENINGS));

fn read(entries: &'static [Entry]) -> Vec<Pattern> {
    let mut patterns = Vec::new();
    for entry in entries {
        patterns.push(Pattern { entry, clauses: entry.tokens.split(' ').map(Condition::read).collect() });
    }
    patterns
}

impl Condition {
    /// Reads the text of a table.
    pub(crate) fn read(text: &str) -> Condition {
        let alternatives = text.strip_prefix('!').unwrap_or(text);
        Condition { is_absent: text.starts_with('!'), tokens: alternatives.split('/').map(token).collect() }
    }

    /// Tests whether it holds for a side.
    pub(crate) fn holds(&self, pos: &Position, side: Color) -> bool {
        self.tokens.iter().any(|token| token.holds(pos, side)) != self.is_absent
    }
}

fn token(text: &str) -> Token {
    let is_opponent = text.starts_with('o');
    let text = text.strip_prefix('o').unwrap_or(text);
    let (place, letter) = text.split_at(text.len() - 1);
    let square = if place == "h" { None } else { Some(place.parse().expect("a token names a square")) };
    let piece_type = letter.parse::<Piece>().expect("a token names a piece").piece_type();
    Token { is_opponent, square, piece_type }
}

impl Token {
    fn holds(&self, pos: &Position, side: Color) -> bool {
        let owner = if self.is_opponent { !side } else { side };
        match self.square {
            None => pos.hand(owner).count(self.piece_type) > 0,
            Some(square) => pos.piece_on(square.seen_by(side)) == Some(Piece::new(owner, self.piece_type)),
        }
    }
}

impl Pattern {
    fn holds(&self, pos: &Position, side: Color) -> bool {
        self.clauses.iter().all(|clause| clause.holds(pos, side))
    }

    fn names(&self) -> [String; 2] {
        [self.entry.japanese.to_string(), self.entry.english.to_string()]
    }
}

/// An opening or a castle of the tables.
#[derive(Clone, Copy)]
pub struct Formation(&'static Pattern);

opaque_debug!(Formation);

impl Formation {
    /// The castle with this Japanese name.
    pub fn castle(japanese: &str) -> Option<Formation> {
        CASTLE_PATTERNS.iter().find(|pattern| pattern.entry.japanese == japanese).map(Formation)
    }

    /// The opening with this Japanese name.
    pub fn opening(japanese: &str) -> Option<Formation> {
        OPENING_PATTERNS.iter().find(|pattern| pattern.entry.japanese == japanese).map(Formation)
    }

    /// The castle that a side is nearest to: with its king there, or on the way, and half of its pieces at least.
    pub fn nearest_castle(pos: &Position, side: Color) -> Option<Formation> {
        let king = pos.king(side)?.seen_by(side);
        if king == Square::S5I {
            return None;
        }
        let mut nearest: Option<(usize, Formation)> = None;
        for castle in CASTLE_PATTERNS.iter().rev().map(Formation) {
            let missing = castle.missing(pos, side).len();
            let size = castle.size();
            let is_near = castle.pieces().any(|(piece, home)| piece == PieceType::King && home.distance(king) <= 2);
            if 2 * missing > size || !is_near {
                continue;
            }
            // Of castles of which the same share stands the larger one, and then the less particular one.
            let is_nearer = nearest.is_none_or(|(least, best)| {
                let share = missing * best.size();
                let best_share = least * size;
                share < best_share || share == best_share && size > best.size()
            });
            if is_nearer {
                nearest = Some((missing, castle));
            }
        }
        nearest.map(|(_, castle)| castle)
    }

    fn size(&self) -> usize {
        self.0.clauses.len()
    }

    /// Own pieces that are missing, with their squares on the board.
    pub fn missing(&self, pos: &Position, side: Color) -> Vec<(PieceType, Square)> {
        let mut missing = Vec::new();
        for clause in &self.0.clauses {
            if clause.is_absent || clause.holds(pos, side) {
                continue;
            }
            let token = clause.tokens[0];
            if let Some(square) = token.square
                && !token.is_opponent
            {
                missing.push((token.piece_type, square.seen_by(side)));
            }
        }
        missing
    }

    /// The name in Japanese and English.
    pub fn names(&self) -> [&'static str; 2] {
        [self.0.entry.japanese, self.0.entry.english]
    }

    /// Tests whether a side has it in this position.
    ///
    /// ```
    /// use komainu::formations::Formation;
    /// use komainu::position::Position;
    /// use komainu::types::Color;
    ///
    /// let rook = Formation::opening("四間飛車").expect("a name of the table");
    /// let pos = Position::from_sfen("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B1R5/LNSGKGSNL w - 2")?;
    /// assert!(rook.is_had(&pos, Color::Black) && !rook.is_had(&pos, Color::White));
    /// # Ok::<(), komainu::position::SfenError>(())
    /// ```
    pub fn is_had(&self, pos: &Position, side: Color) -> bool {
        self.0.holds(pos, side)
    }

    /// Own pieces of it and where they may stand, as Black sees the board.
    pub fn pieces(&self) -> impl Iterator<Item = (PieceType, Square)> {
        let clauses = self.0.clauses.iter().filter(|clause| !clause.is_absent);
        let own = clauses.flat_map(|clause| &clause.tokens).filter(|token| !token.is_opponent);
        own.filter_map(|token| Some((token.piece_type, token.square?)))
    }
}

/// Names of the openings and castles of a game, in Japanese and English, for Black and White.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameNames {
    /// The opening of each side, if it has a name.
    pub openings: [Option<[String; 2]>; 2],
    /// The castles of each side in the order in which they were built.
    pub castles: [Vec<[String; 2]>; 2],
    /// The rook of each side stayed on the right, and was meant to.
    is_static: [bool; 2],
}

impl GameNames {
    /// The names in a game.
    ///
    /// ```
    /// use komainu::formations::GameNames;
    /// use komainu::notation::usi::parse_game;
    ///
    /// let game = parse_game("startpos moves 7g7f 8c8d 6g6f 8d8e 8h7g 3c3d 2h6h 1c1d 5i4h 1d1e 4h3h 5a4b 3h2h 4b3b 3i3h").unwrap().record;
    /// let names = GameNames::of(&game);
    /// assert_eq!(names.openings[0].as_ref().map(|name| &name[0][..]), Some("四間飛車"));
    /// assert_eq!(names.castles[0].last().map(|name| &name[1][..]), Some("Half mino"));
    /// ```
    pub fn of(record: &GameRecord) -> GameNames {
        let moves: Vec<Move> = record.moves.iter().map(|made| made.mv).collect();
        GameNames::of_moves(&record.start, &moves)
    }

    /// The names in a game by its start and its moves, all legal.
    pub fn of_moves(start: &Position, moves: &[Move]) -> GameNames {
        let course = Course::of(start, moves);
        let views = Color::ALL.map(|side| View { course: &course, side });
        let mut names = GameNames { is_static: views.map(|view| view.is_static()), ..GameNames::default() };
        let mut best = [usize::MAX; 2];
        let mut pos = start.clone();
        for ply in 0..=moves.len() {
            for side in Color::ALL {
                if let Some(castle) = CASTLE_PATTERNS.iter().find(|pattern| pattern.holds(&pos, side)) {
                    let castles = &mut names.castles[side];
                    if castles.iter().all(|known| known[0] != castle.entry.japanese) {
                        castles.push(castle.names());
                    }
                }
                let opening = OPENING_PATTERNS.iter().position(|pattern| {
                    ply <= pattern.entry.until && (pattern.entry.when)(&views[side]) && pattern.holds(&pos, side)
                });
                if let Some(opening) = opening
                    && opening < best[side]
                {
                    best[side] = opening;
                    names.openings[side] = Some(OPENING_PATTERNS[opening].names());
                }
            }
            if let Some(&mv) = moves.get(ply) {
                pos.do_move(mv);
            }
        }
        names
    }

    /// Tells whether an opening or a castle of a side has this in its name, in either language and whatever its case.
    pub fn has(&self, side: Color, text: &str) -> bool {
        let mut names = self.openings[side].iter().chain(&self.castles[side]).flatten();
        names.any(|name| contains(name, text)) || self.game().is_some_and(|name| contains(name, text))
    }

    /// Tells whether there is an opening or a castle with this in its name, in either language and whatever its case.
    pub fn is_known(text: &str) -> bool {
        let entries = OPENINGS.iter().chain(&CASTLES);
        let mut names = entries.flat_map(|entry| [entry.japanese, entry.english]).chain([DOUBLE_RANGING]);
        names.any(|name| contains(name, text))
    }

    /// The name that both sides have made together, if the game has one.
    fn game(&self) -> Option<&str> {
        let openings = self.openings.each_ref().map(|names| names.as_ref().map_or("", |names| names[0].as_str()));
        if openings[0] == openings[1] {
            return None;
        }
        if openings.iter().all(|name| name.starts_with("相振り")) {
            return Some(DOUBLE_RANGING);
        }
        ["一手損角換わり", "横歩取り"].into_iter().find(|name| openings.contains(name))
    }

    /// As a header of a record: 四間飛車 対 居飛車穴熊, the opening of each side, or its castle without one.
    pub fn header(&self) -> Option<String> {
        if let Some(name) = self.game() {
            return Some(name.to_string());
        }
        match Color::ALL.map(|side| self.name(side)) {
            [Some(black), Some(white)] if black != white => Some(format!("{black} 対 {white}")),
            [Some(STATIC_ROOK), _] | [None, Some(STATIC_ROOK)] => None,
            [Some(both), Some(_)] if is_of_both(both) => Some(both.to_string()),
            [Some(both), Some(_)] => Some(format!("相{}", both.trim_start_matches("相振り").trim_start_matches('相'))),
            [Some(only), None] | [None, Some(only)] => Some(only.to_string()),
            [None, None] => None,
        }
    }

    /// The name of what a side played: its opening, else its last castle.
    fn name(&self, side: Color) -> Option<&str> {
        match self.openings[side].as_ref().or(self.castles[side].last()) {
            Some(names) => Some(&names[0]),
            None if self.is_static[side] => Some(STATIC_ROOK),
            None => None,
        }
    }
}

/// A side whose rook stayed on the right, without a more particular name.
const STATIC_ROOK: &str = "居飛車";
/// A game in which both rooks went to the left.
const DOUBLE_RANGING: &str = "相振り飛車";

/// Tests whether the name of an opening says by itself that both sides play it.
fn is_of_both(name: &str) -> bool {
    name.starts_with("角換わり") || name == "相掛かり"
}

/// Tests whether a name contains a text, ignoring case.
fn contains(name: &str, text: &str) -> bool {
    name.to_lowercase().contains(&text.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::PositionBuilder;

    /// A position with what a side's pattern asks for, the token at `left_out` left out.
    fn position(pattern: &Pattern, side: Color, left_out: usize) -> Position {
        let mut builder = PositionBuilder::new();
        let mut kings = [Some(Square::S5I), Some(Square::S5A)];
        for (place, clause) in pattern.clauses.iter().enumerate() {
            if clause.is_absent || place == left_out {
                continue;
            }
            let token = clause.tokens[0];
            let owner = if token.is_opponent { !side } else { side };
            match token.square {
                None => _ = builder.hand(owner, token.piece_type, 1),
                Some(square) => {
                    builder.piece(square.seen_by(side), Piece::new(owner, token.piece_type));
                    if token.piece_type == PieceType::King {
                        kings[owner as usize] = None;
                    }
                }
            }
        }
        for color in Color::ALL {
            if let Some(square) = kings[color as usize] {
                let square = if builder.piece_on(square).is_some() { Square::ALL[40] } else { square };
                builder.piece(square, Piece::new(color, PieceType::King));
            }
        }
        builder.side(side);
        let build = |builder: &mut PositionBuilder| builder.build().or_else(|_| builder.side(!side).build());
        build(&mut builder).unwrap_or_else(|error| panic!("{}: {error}", pattern.entry.japanese))
    }

    fn found(patterns: &'static [Pattern], pos: &Position, side: Color) -> Option<&'static str> {
        patterns.iter().find(|pattern| pattern.holds(pos, side)).map(|pattern| pattern.entry.japanese)
    }

    #[test]
    fn every_name_has_a_position_and_none_that_nearly_has_it() {
        assert!(CASTLES.len() >= 25 && OPENINGS.len() >= 25);
        for patterns in [&**CASTLE_PATTERNS, &**OPENING_PATTERNS] {
            for pattern in patterns {
                for side in Color::ALL {
                    let name = pattern.entry.japanese;
                    let pos = position(pattern, side, usize::MAX);
                    assert!(pattern.holds(&pos, side), "{name} {side:?}");
                    // Of openings the course of the game decides besides.
                    let is_castle = std::ptr::eq(patterns, &raw const **CASTLE_PATTERNS);
                    assert!(!is_castle || found(patterns, &pos, side) == Some(name), "{name} {side:?}");
                    for (place, clause) in pattern.clauses.iter().enumerate().filter(|(_, clause)| !clause.is_absent) {
                        // A king that is left out stands on its first square.
                        let is_home = clause.tokens.iter().any(|token| token.square == Some(Square::S5I));
                        let near = position(pattern, side, place);
                        assert!(is_home || !pattern.holds(&near, side), "{name} without {clause:?}");
                    }
                    for token in
                        pattern.clauses.iter().filter(|clause| clause.is_absent).flat_map(|clause| &clause.tokens)
                    {
                        let pos = position(pattern, side, usize::MAX);
                        let mut builder = PositionBuilder::from(&pos);
                        let owner = if token.is_opponent { !side } else { side };
                        match token.square {
                            None => _ = builder.hand(owner, token.piece_type, 1),
                            Some(square) => {
                                _ = builder.piece(square.seen_by(side), Piece::new(owner, token.piece_type))
                            }
                        }
                        assert!(!pattern.holds(&builder.build().unwrap(), side), "{name} with {token:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn names_are_told_apart() {
        for table in [&CASTLES[..], &OPENINGS[..]] {
            for (place, entry) in table.iter().enumerate() {
                let twice = table[..place]
                    .iter()
                    .any(|other| other.japanese == entry.japanese || other.english == entry.english);
                assert!(!twice && entry.english.is_ascii(), "{}", entry.japanese);
            }
        }
    }

    #[test]
    fn the_nearest_castle_is_the_one_of_which_most_stands() {
        let near = |moves: &str, side| {
            let record = crate::notation::usi::parse_game(&format!("startpos moves {moves}")).unwrap().record;
            let mut pos = record.start.clone();
            for made in &record.moves {
                pos.do_move(made.mv);
            }
            Formation::nearest_castle(&pos, side).map(|castle| (castle.names()[0], castle.missing(&pos, side).len()))
        };
        let mino = "7g7f 8c8d 6g6f 8d8e 8h7g 3c3d 2h6h 1c1d 5i4h 1d1e 4h3h 5a4b 3h2h 4b3b";
        assert_eq!(near(mino, Color::Black), Some(("片美濃囲い", 1)));
        assert_eq!(near(&format!("{mino} 3i3h 6a5b 6i5h"), Color::Black), Some(("美濃囲い", 0)));
        assert_eq!(near("7g7f 3c3d", Color::Black), None, "the king is at home");
        assert_eq!(near(mino, Color::White).map(|(name, _)| name), Some("船囲い"));
    }
}
