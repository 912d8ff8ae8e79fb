//! The plan of a side for the opening: a formation that people know, built move by move.
//!
//! The plan follows from the moves of the game so far, the seed, the level and the style alone. It is asked for the
//! moves that come next; whether one of them is played the search decides.

use super::level::{Level, LevelSettings, LevelStyle};
use super::params::mix;
use crate::formations::{Condition, Formation};
use crate::position::Position;
use crate::types::{Color, Move, MoveKind, Piece, PieceType, Square};
use once_cell::sync::Lazy;
use std::ops::RangeInclusive;

/// A game that is known only from a later ply on is played without a plan.
const LAST_ORIGIN: u32 = 24;
/// Until this ply the opponent's rook decides about the plan.
const STEERING_PLY: u32 = 20;
/// From this ply on an opponent who has shown nothing counts as one with a static rook.
const SHOWN_PLY: u32 = 7;
/// Moves of the plan are made before this ply.
const LAST_PLY: u32 = 60;

/// A move of a plan, as Black plays it.
struct Step {
    mv: Move,
    /// The piece that makes it.
    piece_type: PieceType,
    condition: Option<Condition>,
}

impl Step {
    /// Tests whether a side should make the move now.
    fn is_wanted(&self, pos: &Position, side: Color) -> bool {
        self.condition.as_ref().is_none_or(|condition| condition.holds(pos, side))
    }
}

/// Against whom a plan is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// Static rook, against a static rook.
    Static,
    /// Static rook, against a ranging rook.
    AntiRanging,
    /// Ranging rook.
    Ranging,
    /// A surprise.
    Surprise,
}

/// A plan for the opening: moves that lead to a formation with a name.
pub struct OpeningPlan {
    family: Family,
    opening: Option<Formation>,
    castle: Option<Formation>,
    /// The grades that play it.
    grades: RangeInclusive<i8>,
    /// The share in which it is chosen beside the others.
    weight: u64,
    /// Squares where the king stays, as Black sees the board.
    home: Vec<Square>,
    /// The bishops may be traded early.
    pub(crate) trades_bishops: bool,
    steps: Vec<Step>,
}

static ALL: Lazy<Vec<OpeningPlan>> = Lazy::new(|| {
    let rows = include_str!("plans.txt").lines().filter(|row| !row.starts_with('#'));
    rows.map(OpeningPlan::read).collect()
});

/// The move of the board that a side sees as this one.
fn seen_move(mv: Move, side: Color) -> Move {
    if side == Color::Black { mv } else { mv.rotate() }
}

impl OpeningPlan {
    /// Reads a row of the table.
    fn read(row: &str) -> OpeningPlan {
        let columns: Vec<&str> = row.split(" ; ").collect();
        let [family, opening, castle, grades, weight, squares, trades, moves] = columns[..] else {
            panic!("a plan has eight columns: {row}");
        };
        let family = match family {
            "static" => Family::Static,
            "anti-ranging" => Family::AntiRanging,
            "ranging" => Family::Ranging,
            "surprise" => Family::Surprise,
            _ => panic!("{family} is no family of plans"),
        };
        let formation = |name: &str, find: fn(&str) -> Option<Formation>| match name {
            "-" => None,
            _ => Some(find(name).expect("a formation with this name")),
        };
        let opening = formation(opening, Formation::opening);
        let castle = formation(castle, Formation::castle);
        let (low, high) = grades.split_once(' ').expect("two grades");
        let kings = castle.iter().flat_map(Formation::pieces).filter(|piece| piece.0 == PieceType::King);
        let mut home: Vec<Square> = kings.map(|piece| piece.1).collect();
        for square in squares.split(' ').filter(|&square| square != "-") {
            home.push(square.parse().expect("a square"));
        }
        let start = Position::startpos();
        let mut steps: Vec<Step> = Vec::new();
        for text in moves.split(' ') {
            let (mv, condition) = match text.split_once('?') {
                Some((mv, condition)) => (mv, Some(Condition::read(condition))),
                None => (text, None),
            };
            let mv: Move = mv.parse().expect("a move");
            let piece_type = match mv.kind() {
                MoveKind::Drop { piece_type, .. } => piece_type,
                // The piece came by an earlier step, or has stood there from the start.
                MoveKind::Board { from, .. } => match steps.iter().rev().find(|step| step.mv.to() == from) {
                    Some(step) => step.piece_type,
                    None => start.piece_on(from).expect("a piece moves").piece_type(),
                },
            };
            steps.push(Step { mv, piece_type, condition });
        }
        OpeningPlan {
            family,
            opening,
            castle,
            grades: low.parse().expect("a grade")..=high.parse().expect("a grade"),
            weight: weight.parse().expect("a weight"),
            home,
            trades_bishops: trades == "trades",
            steps,
        }
    }

    /// Every plan.
    pub fn all() -> &'static [OpeningPlan] {
        &ALL
    }

    /// The opening, if the plan has one with a name.
    pub fn opening(&self) -> Option<&Formation> {
        self.opening.as_ref()
    }

    /// The castle, if the plan has one with a name.
    pub fn castle(&self) -> Option<&Formation> {
        self.castle.as_ref()
    }

    /// The names of opening and castle in Japanese and English: `四間飛車 美濃`, `Fourth-file rook, Mino`.
    pub fn names(&self) -> [String; 2] {
        let mut japanese = Vec::new();
        let mut english = Vec::new();
        if let Some(opening) = &self.opening {
            let names = opening.names();
            japanese.push(names[0]);
            english.push(names[1]);
        }
        if let Some(castle) = &self.castle {
            let names = castle.names();
            // People say 美濃 for 美濃囲い where it is clear that a castle is meant.
            let short = names[0].strip_suffix("囲い").filter(|name| name.chars().count() > 1).unwrap_or(names[0]);
            japanese.push(short);
            english.push(names[1]);
        }
        japanese.dedup();
        english.dedup();
        [japanese.join(" "), english.join(", ")]
    }

    /// The files on which the rook begins and to which the plan brings it.
    fn rook_files(&self) -> Vec<usize> {
        let rook_steps = self.steps.iter().filter(|step| step.piece_type == PieceType::Rook);
        rook_steps.map(|step| step.mv.to().file().index() + 1).chain([2]).collect()
    }

    /// Kind in English and Japanese: with which rook, and against whom.
    pub fn kind(&self) -> [&'static str; 2] {
        match self.family {
            Family::Static => ["static rook, against a static rook", "居飛車（対居飛車）"],
            Family::AntiRanging => ["static rook, against a ranging rook", "居飛車（対振り飛車）"],
            Family::Ranging => ["ranging rook", "振り飛車"],
            Family::Surprise => ["surprise", "奇襲"],
        }
    }

    /// The levels that play it, the weakest and the strongest.
    pub fn levels(&self) -> [Level; 2] {
        [*self.grades.start(), *self.grades.end()].map(|grade| Level::from_grade(grade).expect("a grade of a level"))
    }

    /// Tests whether the king of a side stays on this square.
    pub fn is_home(&self, king: Square, side: Color) -> bool {
        self.home.contains(&king.seen_by(side))
    }

    /// The moves of the plan that the side to move can make now, the most urgent first. They may not be legal.
    pub(crate) fn next_moves(&self, pos: &Position) -> Vec<Move> {
        if pos.ply() > LAST_PLY {
            return Vec::new();
        }
        let side = pos.side();
        let mut moves = Vec::new();
        for step in &self.steps {
            let piece = Some(Piece::new(side, step.piece_type));
            let has_piece = step.mv.from().is_none_or(|from| pos.piece_on(from.seen_by(side)) == piece);
            if has_piece && step.is_wanted(pos, side) {
                moves.push(seen_move(step.mv, side));
            }
        }
        moves
    }

    /// The moves of the plan that a side has still to make: each piece with the square where it goes. Answers to what
    /// the opponent does count only where it does that.
    pub fn missing(&self, pos: &Position, side: Color) -> Vec<(PieceType, Square)> {
        // Pieces of the side by their squares, as far as the steps so far have brought them.
        let mut pieces: Vec<(PieceType, Square)> = Vec::new();
        for square in pos.pieces(side) {
            if let Some(piece) = pos.piece_on(square) {
                pieces.push((piece.piece_type(), square));
            }
        }
        let mut missing = Vec::new();
        for step in &self.steps {
            let Some(from) = step.mv.from() else { continue };
            let standing = (step.piece_type, from.seen_by(side));
            let Some(piece) = pieces.iter_mut().find(|piece| **piece == standing) else { continue };
            if step.is_wanted(pos, side) {
                piece.1 = step.mv.to().seen_by(side);
                missing.push(*piece);
            }
        }
        missing
    }

    /// Tests whether a move takes a piece away from where the plan or its castle wants it.
    pub(crate) fn is_undone_by(&self, pos: &Position, mv: Move) -> bool {
        let side = pos.side();
        let Some(from) = mv.from() else { return false };
        let Some(piece) = pos.piece_on(from) else { return false };
        let of_steps = self.steps.iter().map(|step| (step.piece_type, step.mv.to()));
        let of_castle = self.castle.iter().flat_map(Formation::pieces);
        of_steps
            .chain(of_castle)
            .any(|(wanted, square)| piece == Piece::new(side, wanted) && square.seen_by(side) == from)
    }
}

impl std::fmt::Debug for OpeningPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Plan").field(&self.names()[1]).finish()
    }
}

/// Where a side's rook stands, as that side sees its own camp: its file, 1 to 9; none if it has left the camp.
fn rook_file(pos: &Position, side: Color) -> Option<usize> {
    let rooks = pos.pieces_of(side, PieceType::Rook).into_iter().map(|square| square.seen_by(side));
    rooks.filter(|square| square.rank().index() >= 6).map(|square| square.file().index() + 1).next()
}

/// Knowledge of the side to move about the opening of a game.
struct Opening {
    /// The first known position.
    origin: Position,
    /// The opponent has moved its rook to the left.
    is_ranging: bool,
    /// The opponent has shown what it plays.
    is_shown: bool,
}

impl Opening {
    fn of(pos: &Position) -> Opening {
        let opponent = !pos.side();
        let mut earlier = pos.clone();
        let mut is_ranging = false;
        let mut is_shown = pos.ply() >= SHOWN_PLY;
        loop {
            if earlier.ply() <= STEERING_PLY {
                is_ranging |= rook_file(&earlier, opponent).is_some_and(|file| (5..=8).contains(&file));
                let pawn = earlier.piece_on(Square::S2G.seen_by(opponent));
                is_shown |= is_ranging || pawn.is_none_or(|piece| piece.color() != opponent);
            }
            if earlier.moves_made() == 0 {
                return Opening { origin: earlier, is_ranging, is_shown };
            }
            earlier.undo();
        }
    }
}

/// One of the plans, by a random number and their weights.
fn draw<'a>(plans: &[&'a OpeningPlan], number: u64) -> Option<&'a OpeningPlan> {
    let total: u64 = plans.iter().map(|plan| plan.weight).sum();
    let mut left = number.checked_rem(total)?;
    for plan in plans {
        if left < plan.weight {
            return Some(plan);
        }
        left -= plan.weight;
    }
    None
}

/// The plan of the side to move, and whether it is settled: before the opponent has shown its rook a plan with a static
/// rook may still change. None for the giver of a handicap, for a side without a rook in its camp, and where the opening
/// is not known.
pub(crate) fn choose(pos: &Position, settings: &LevelSettings) -> Option<(&'static OpeningPlan, bool)> {
    let side = pos.side();
    let Opening { origin, is_ranging, is_shown } = Opening::of(pos);
    if origin.ply() > LAST_ORIGIN || settings.given != 0 {
        return None;
    }
    // A game that is known from a later position on goes on as it has begun.
    let file = rook_file(&origin, side)?;
    let families: &[Family] = match settings.style {
        LevelStyle::Any => &[Family::Static, Family::Ranging, Family::Surprise],
        LevelStyle::StaticRook => &[Family::Static],
        LevelStyle::RangingRook => &[Family::Ranging],
        LevelStyle::Surprise => &[Family::Surprise],
    };
    let number = mix(mix(settings.seed) ^ (side.index() as u64 + 1));
    let plan = draw(&plans_for(families, settings.level, file), number)?;
    if plan.family != Family::Static {
        return Some((plan, true));
    }
    if is_ranging && let Some(plan) = draw(&plans_for(&[Family::AntiRanging], settings.level, file), mix(number)) {
        return Some((plan, is_shown));
    }
    Some((plan, is_shown))
}

/// The plans of some families that a level plays with its rook on this file.
fn plans_for(families: &[Family], level: Level, file: usize) -> Vec<&'static OpeningPlan> {
    let mut plans = Vec::new();
    for plan in OpeningPlan::all() {
        let fits_rook = match plan.family {
            Family::Static | Family::AntiRanging => file <= 3,
            Family::Ranging | Family::Surprise => plan.rook_files().contains(&file),
        };
        if families.contains(&plan.family) && plan.grades.contains(&level.grade()) && fits_rook {
            plans.push(plan);
        }
    }
    plans
}

impl LevelSettings {
    /// The plan of the side to move for the opening of its game, once it is settled: a plan with a static rook waits
    /// until the opponent has shown its rook, for three moves at most, and changes if that moves to the left later.
    /// None for the giver of a handicap, and in a game that is known only from its middle on.
    ///
    /// ```
    /// use komainu::levels::{LevelSettings, LevelStyle};
    /// use komainu::position::Position;
    ///
    /// let settings = LevelSettings { style: LevelStyle::RangingRook, ..LevelSettings::new("5kyu".parse()?, 1) };
    /// let plan = settings.plan(&Position::startpos()).expect("a plan from the first move on");
    /// assert!(plan.names()[0].contains("飛車"), "{plan:?}");
    /// # Ok::<(), komainu::levels::UnknownLevel>(())
    /// ```
    pub fn plan(&self, pos: &Position) -> Option<&'static OpeningPlan> {
        let (plan, is_settled) = choose(pos, self)?;
        if is_settled { Some(plan) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::levels::tests::after;
    use crate::movegen::{All, generate, is_legal};

    fn settings(level: &str, seed: u64, style: LevelStyle) -> LevelSettings {
        LevelSettings { style, ..LevelSettings::new(level.parse().unwrap(), seed) }
    }

    /// The positions after each move of a plan, against an opponent who takes back, makes these moves (as it sees the
    /// board) and then passes.
    fn built(plan: &OpeningPlan, side: Color, answers: &str) -> Vec<Position> {
        let mut pos = Position::startpos();
        let mut answers = answers.split_whitespace().map(|mv| seen_move(mv.parse().unwrap(), !side));
        let mut positions = Vec::new();
        let mut answer = |pos: &mut Position| {
            let taken = pos.captured().and(pos.last_move()).map(Move::to);
            let recapture = generate::<All>(pos).into_iter().find(|mv| Some(mv.to()) == taken);
            match recapture.or_else(|| answers.next()) {
                Some(mv) => pos.do_move(mv),
                None => pos.do_null_move(),
            }
        };
        if side == Color::White {
            answer(&mut pos);
        }
        while let Some(mv) = plan.next_moves(&pos).into_iter().find(|&mv| is_legal(&pos, mv)) {
            pos.do_move(mv);
            positions.push(pos.clone());
            answer(&mut pos);
        }
        positions
    }

    #[test]
    fn every_plan_leads_to_the_formation_that_it_names() {
        assert!(OpeningPlan::all().len() >= 12);
        for plan in OpeningPlan::all() {
            let answers = match plan.family {
                Family::Static => "7g7f 2g2f 2f2e",
                Family::AntiRanging => "2h6h",
                Family::Ranging => "",
                Family::Surprise => "7g7f",
            };
            for side in Color::ALL {
                let positions = built(plan, side, answers);
                let name = &plan.names()[0];
                let last = positions.last().unwrap();
                let has = |part: &Option<Formation>, pos| part.as_ref().is_none_or(|part| part.is_had(pos, side));
                assert!(positions.iter().any(|pos| has(&plan.opening, pos)), "{name} {side:?}: {last}");
                assert!(positions.iter().any(|pos| has(&plan.castle, pos)), "{name} {side:?}: {last}");
                assert!(plan.is_home(last.king(side).unwrap(), side), "{name} {side:?}: {last}");
                assert!((9..=22).contains(&positions.len()), "{name}: {} moves", positions.len());
            }
        }
    }

    #[test]
    fn no_two_plans_are_called_alike() {
        let mut names: Vec<String> = Vec::new();
        for plan in OpeningPlan::all() {
            let [japanese, english] = plan.names();
            assert!(!japanese.is_ascii() && english.is_ascii() && !english.is_empty(), "{japanese} {english}");
            names.push(japanese);
        }
        assert!(names.contains(&"四間飛車 美濃".to_string()) && names.contains(&"矢倉".to_string()), "{names:?}");
        names.sort();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn a_style_and_a_rank_choose_among_the_plans() {
        let start = Position::startpos();
        let drawn = |level: &str, style| -> Vec<&'static OpeningPlan> {
            (0..600).map(|seed| choose(&start, &settings(level, seed, style)).unwrap().0).collect()
        };
        for level in ["20kyu", "10kyu", "1dan", "9dan"] {
            let grade = level.parse::<Level>().unwrap().grade();
            for (style, family) in [
                (LevelStyle::StaticRook, Family::Static),
                (LevelStyle::RangingRook, Family::Ranging),
                (LevelStyle::Surprise, Family::Surprise),
            ] {
                let drawn = drawn(level, style);
                assert!(drawn.iter().all(|plan| plan.family == family && plan.grades.contains(&grade)));
                let open = |plan: &&OpeningPlan| plan.family == family && plan.grades.contains(&grade);
                for plan in OpeningPlan::all().iter().filter(open) {
                    assert!(drawn.iter().any(|drawn| std::ptr::eq(*drawn, plan)), "{level}: {plan:?}");
                }
            }
            let any = drawn(level, LevelStyle::Any);
            let share = |family| any.iter().filter(|plan| plan.family == family).count();
            assert!(share(Family::Static) > 150 && share(Family::Ranging) > 150 && share(Family::Surprise) < 120);
            // A bishop exchange is wanted in one game of six at most.
            assert!(any.iter().filter(|plan| plan.trades_bishops).count() <= 100, "{level}");
        }
    }

    #[test]
    fn a_static_rook_waits_for_the_opponent_and_follows_it() {
        let choose = |moves: &str| super::choose(&after(moves), &settings("5kyu", 4, LevelStyle::StaticRook)).unwrap();
        let (first, is_settled) = choose("");
        assert!(first.family == Family::Static && !is_settled);
        assert!(choose("7g7f 8c8d").1 && choose("7g7f 3c3d 2g2f 4c4d 2f2e 9c9d").1);
        for ranging in ["7g7f 3c3d 2g2f 8b4b", "7g7f 3c3d 2g2f 8b4b 2f2e 4b8b"] {
            let (plan, is_settled) = choose(ranging);
            assert!(plan.family == Family::AntiRanging && is_settled, "{ranging}");
        }
        // A rook that comes out on its own side is none that ranges.
        assert_eq!(choose("2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f 8g8f 8b8f").0.family, Family::Static);
    }

    #[test]
    fn a_game_that_begins_later_goes_on_as_it_stands_and_who_has_no_rook_has_no_plan() {
        let plan = |sfen: &str, seed| {
            super::choose(&Position::from_sfen(sfen).unwrap(), &settings("5kyu", seed, LevelStyle::Any))
                .map(|found| found.0)
        };
        let ranging = "lnsgkgsnl/1r5b1/p1pppp1pp/6p2/1p7/2PP5/PP2PPPPP/1B1R5/LNSGKGSNL b - 7";
        for seed in 0..50 {
            assert!(plan(ranging, seed).unwrap().rook_files().contains(&6));
            assert!(plan(crate::position::Handicap::TwoPieces.sfen(), seed).is_none());
            assert!(plan(&ranging.replace(" 7", " 41"), seed).is_none());
        }
    }

    #[test]
    fn conditions_of_moves_are_looked_at() {
        let mino = OpeningPlan::all().iter().find(|plan| plan.names()[0] == "四間飛車 美濃").unwrap();
        let first = |moves: &str| mino.next_moves(&after(moves))[0].to_string();
        assert_eq!((first(""), first("7g7f 8c8d")), ("7g7f".to_string(), "6g6f".to_string()));
        assert_eq!(first("7g7f 8c8d 6g6f 8d8e"), "8h7g");
        assert_eq!(first("7g7f 8c8d 6g6f 1c1d"), "1g1f");
        // White sees the board from the other side.
        assert_eq!(first("2g2f 3c3d 2f2e"), "2b3c");
    }

    #[test]
    fn an_opposing_rook_goes_to_its_file_before_silver_and_king_stand_in_its_way() {
        let opposing = OpeningPlan::all().iter().find(|plan| plan.names()[0] == "向かい飛車 美濃").unwrap();
        let next =
            |moves: &str| -> Vec<String> { opposing.next_moves(&after(moves)).iter().map(Move::to_string).collect() };
        let before = next("7g7f 5c5d 6g6f 8b5b 8h7g 3c3d");
        assert!(before[0] == "2h8h" && !before.iter().any(|mv| mv == "7i6h" || mv == "5i4h"), "{before:?}");
        let after = next("7g7f 5c5d 6g6f 8b5b 8h7g 3c3d 2h8h 5a6b");
        assert_eq!(after[..2], ["7i6h", "5i4h"]);
    }

    #[test]
    fn a_plan_tells_what_is_missing_until_nothing_is() {
        let plan = OpeningPlan::all().iter().find(|plan| plan.names()[0] == "四間飛車 美濃").unwrap();
        let missing = |moves: &str| {
            let list = plan.missing(&after(moves), Color::Black);
            list.into_iter().map(|(piece, square)| format!("{}{square}", piece.letter())).collect::<Vec<_>>()
        };
        let all = missing("");
        assert!(all.starts_with(&["P7f".into(), "P6f".into(), "R6h".into()]) && all.len() > 8, "{all:?}");
        let later = missing("7g7f 3c3d 6g6f 8c8d 2h6h 8d8e");
        // The bishop goes to 7g because a pawn has come to 8e.
        assert!(later.contains(&"B7g".to_string()) && !later.contains(&"R6h".to_string()), "{later:?}");
        assert!(later.len() < all.len());
        let pos = after("7g7f 3c3d 6g6f");
        assert_eq!(plan.missing(&pos, Color::White).len(), all.len() - 1, "3d is White's 7f");
        assert_eq!(missing("7g7f 3c3d 6g6f 8c8d").len(), all.len() - 2);
    }
}
