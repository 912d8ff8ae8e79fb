//! A game at a playing level or with a handicap, as the session sees it: its seed, what was said of it, from which
//! score the others are counted, and when it is given up.

use super::options::Options;
use super::output::Output;
use crate::eval::Evaluation;
use crate::host::seed;
use crate::levels::{LevelSettings, draw_value_of_giver};
use crate::position::{Handicap, Position};
use crate::search::Limits;
use crate::types::{Color, Score};

/// A level that resigns does so after this number of its own moves in a row that were hopeless for it ...
const LOST_MOVES: usize = 3;
/// ... and not before this ply. A mate that it sees is enough at any time.
const RESIGN_PLY: u32 = 40;
/// The side that gives a handicap, at full strength, does not resign before this ply.
const HANDICAP_RESIGN_PLY: u32 = 60;
/// The score at whose negative a mate is seen.
const MATE_SEEN: i32 = Score::MAX_NON_MATE.0 + 1;
/// A value of `ResignValue` at which no score resigns.
const NEVER: i32 = 99_999;

/// State of a game at a level.
#[derive(Default)]
pub(crate) struct LevelGame {
    /// Which errors are made, unless the option names a seed.
    seed: u64,
    /// The level that was announced.
    announced: Option<String>,
    /// Set once the plan for the opening was announced.
    has_said_plan: bool,
    /// Scores of the last own moves, the latest last; as many as count beside that of the move to come.
    last_scores: Vec<i32>,
    /// The evaluation of the handicap's start for the side to move, 0 in an even game.
    start_score: i32,
    /// Set once it was said that scores are counted from it.
    has_said_zero: bool,
}

impl LevelGame {
    /// A new game with a seed of its own.
    pub(crate) fn new() -> LevelGame {
        LevelGame { seed: seed(), ..LevelGame::default() }
    }

    /// The level at which a search of this position is played; says once a game which one it is, what it leaves aside
    /// and which plan it has, and whenever there is a level that does not count.
    pub(crate) fn settings(
        &mut self,
        options: &Options,
        position: &Position,
        limits: &Limits,
        out: &Output,
    ) -> Option<LevelSettings> {
        let level = options.playing_level()?;
        let analysis = match limits {
            _ if options.consideration_mode => Some("ConsiderationMode"),
            Limits { infinite: true, .. } => Some("go infinite"),
            _ => None,
        };
        if let Some(analysis) = analysis {
            self.say_full_strength(options, analysis, out);
            return None;
        }
        let name = level.to_string();
        if self.announced.as_ref() != Some(&name) {
            out.info_string(format_args!("level {name}"));
            if options.multi_pv > 1 {
                out.info_string(format_args!("MultiPV {} does not count beside level {name}", options.multi_pv));
            }
            self.announced = Some(name);
        }
        let seed = if options.level_seed == 0 { self.seed } else { options.level_seed };
        let style = options.level_style;
        let settings = LevelSettings { level, seed, time: options.level_time, style, given: -self.handicap_score() };
        if !self.has_said_plan
            && let Some(plan) = settings.plan(position)
        {
            out.info_string(format_args!("level {level}, plan {}", plan.names()[0]));
            self.has_said_plan = true;
        }
        Some(settings)
    }

    /// Says that what asks for an answer gets one of full strength, if a level is set.
    pub(crate) fn say_full_strength(&self, options: &Options, analysis: &str, out: &Output) {
        if let Some(level) = options.playing_level() {
            out.info_string(format_args!("{analysis}: full strength, not level {level}"));
        }
    }

    /// The game goes on with this position.
    pub(crate) fn set_position(&mut self, position: &Position, evaluation: &Evaluation) {
        self.start_score = 0;
        if let Some(start) = handicap_start(position) {
            let score = evaluation.start(&start).evaluate(&start).0;
            self.start_score = if position.side() == start.side() { score } else { -score };
        }
    }

    /// The score that counts as 0 for the side to move, by `HandicapZero`; says so once a game.
    pub(crate) fn zero(&mut self, options: &Options, out: &Output) -> i32 {
        let zero = self.shown_zero(options);
        if zero != 0 && !self.has_said_zero {
            let percent = options.handicap_zero;
            out.info_string(format_args!("HandicapZero: {zero} counts as 0, {percent} % of the score of the start"));
            self.has_said_zero = true;
        }
        zero
    }

    fn shown_zero(&self, options: &Options) -> i32 {
        self.start_score * options.handicap_zero / 100
    }

    /// Score of the side that gives the handicap because of what is missing at the start, 0 or less: for that a level
    /// does not resign.
    fn handicap_score(&self) -> i32 {
        self.start_score.min(0)
    }

    /// Value of a draw to the side to move: to the side that gives a handicap less than the start, so that it plays on. A
    /// value that the user has set counts.
    pub(crate) fn draw_value(&self, set: Score) -> Score {
        if set == Score::DRAW { draw_value_of_giver(-self.handicap_score()) } else { set }
    }

    /// The score at whose negative the engine resigns: the user's, or a level's if the user has set none. Whoever
    /// gives a handicap does not resign early.
    pub(crate) fn resign_value(&self, options: &Options, level: Option<LevelSettings>, position: &Position) -> i32 {
        let is_unset = options.resign_value == Options::default().resign_value;
        match level {
            Some(settings) if is_unset => {
                let Some(hopeless) = settings.level.hopeless() else { return NEVER };
                let lost = hopeless - self.handicap_score();
                let are_lost =
                    self.last_scores.len() + 1 == LOST_MOVES && self.last_scores.iter().all(|&score| score <= -lost);
                if position.ply() > RESIGN_PLY && are_lost { lost } else { MATE_SEEN }
            }
            // Whoever gives a handicap plays on at first, however much it is behind.
            _ if self.handicap_score() < 0 && position.ply() <= HANDICAP_RESIGN_PLY => NEVER,
            // What is beyond any score stays there.
            _ if options.resign_value > Score::MATE.0 => options.resign_value,
            _ => options.resign_value - self.shown_zero(options),
        }
    }

    /// An own move had this score.
    pub(crate) fn note_score(&mut self, score: Option<Score>) {
        self.last_scores.extend(score.map(|score| score.0));
        let old = self.last_scores.len().saturating_sub(LOST_MOVES - 1);
        self.last_scores.drain(..old);
    }
}

/// The start of the game, if it is that of a handicap: the side that gives it moves first.
fn handicap_start(position: &Position) -> Option<Position> {
    let (start, _) = position.game();
    let handicap = Handicap::of_sfen(&start.to_sfen())?;
    if handicap == Handicap::Even || start.side() != Color::White {
        return None;
    }
    Some(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::levels::Level;

    fn settings(grade: i8) -> Option<LevelSettings> {
        Some(LevelSettings::new(Level::from_grade(grade).unwrap(), 1))
    }

    const LOST: Score = Score(-1_600);

    fn note_scores(game: &mut LevelGame, score: Score, times: usize) {
        for _ in 0..times {
            game.note_score(Some(score));
        }
    }

    #[test]
    fn a_game_is_given_up_after_three_lost_moves_and_not_early() {
        let options = Options::default();
        let mut game = LevelGame::new();
        let mut pos = Position::startpos();
        pos.set_ply(41);
        let value = |game: &LevelGame, grade, pos: &Position| game.resign_value(&options, settings(grade), pos);
        game.note_score(Some(LOST));
        assert_eq!(value(&game, 1, &pos), MATE_SEEN);
        game.note_score(Some(LOST));
        assert_eq!(value(&game, 1, &pos), 1_500);
        // Weaker players believe in their game for longer; beginners give nothing up.
        assert_eq!((value(&game, -9, &pos), value(&game, -10, &pos)), (MATE_SEEN, NEVER));
        note_scores(&mut game, Score(-2_300), 2);
        assert_eq!((value(&game, -9, &pos), value(&game, -10, &pos)), (2_200, NEVER));
        assert_eq!(game.resign_value(&options, None, &pos), NEVER);
        game.note_score(Some(Score(-1_400)));
        assert_eq!(value(&game, 1, &pos), MATE_SEEN);
        note_scores(&mut game, LOST, 5);
        pos.set_ply(40);
        assert_eq!(value(&game, 1, &pos), MATE_SEEN);
        // Whoever gives six pieces is behind from the start.
        let start = Position::from_sfen(Handicap::SixPieces.sfen()).unwrap();
        game.set_position(&start, &Evaluation::default());
        assert!(game.handicap_score() < -1_000, "{}", game.handicap_score());
        pos.set_ply(61);
        let given = game.handicap_score();
        note_scores(&mut game, LOST, 2);
        assert_eq!(value(&game, 1, &pos), MATE_SEEN, "it was behind by as much when it began");
        note_scores(&mut game, Score(given - 1_500), 2);
        assert_eq!(value(&game, 1, &pos), 1_500 - given);
        assert_eq!(game.draw_value(Score::DRAW), Score(game.handicap_score() - 500));
        assert_eq!(game.draw_value(Score(-20)), Score(-20));
        game.set_position(&Position::startpos(), &Evaluation::default());
        assert_eq!(game.draw_value(Score::DRAW), Score::DRAW);
        let mut set = Options::default();
        set.set("ResignValue", Some("700")).unwrap();
        assert_eq!(game.resign_value(&set, settings(-15), &pos), 700);
    }
}
