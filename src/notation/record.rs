//! The model of a game, whatever the format it is written in.
//!
//! Everything else that holds a game is an encoding of [`GameRecord`] or of a part of it: the record formats beside
//! this module; `json::GameLine`, a line of a match's journal, with its moves as text (`arena::records::record` makes a
//! record of it); `training::games::Game`, moves and scores in four bytes a ply. All of them end by an [`Ending`].

use crate::position::Position;
use crate::types::{Color, Move, named};
use std::ops::Not;
use std::time::Duration;

/// The key of the header that names a record as a whole.
pub(crate) const TITLE: &str = "表題";

/// A game: who played, from which position, the moves, the end.
///
/// With the feature `serde` it is serialized under the names of its fields, without those that say nothing; a game with
/// an illegal move is refused on the way back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(remote = "Self", default))]
pub struct GameRecord {
    /// Names of black and white.
    pub players: [Option<String>; 2],
    /// The event or tournament. 棋戦
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub event: Option<String>,
    /// Where it was played. 場所
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub site: Option<String>,
    /// When it began, as the record says it. 開始日時
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub started: Option<String>,
    /// When it ended, as the record says it. 終了日時
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub ended: Option<String>,
    /// The time control, as the record says it. 持ち時間
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub time_limit: Option<String>,
    /// The name of the opening. 戦型
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub opening: Option<String>,
    /// All other headers, in the order of the record.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub headers: Vec<(String, String)>,
    /// Comments before the first move, one a line.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub comments: Vec<String>,
    /// The position in which the game began; it has no history.
    pub start: Position,
    /// The moves. Each is legal, but the last one of a game that an illegal move ended may be missing.
    pub moves: Vec<RecordMove>,
    /// Lines that were not played, as analysis shows them, in the order of the record.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub variations: Vec<Variation>,
    /// End of the game; `None` if the record just stops.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub conclusion: Option<Conclusion>,
    /// Word of the record for the end, where it is not known or says more than the conclusion.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub end_word: Option<EndWord>,
}

/// Word in place of a move, as 封じ手.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EndWord {
    /// The word.
    pub word: String,
    /// The time that the side to move had used up to then.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none", with = "serial::seconds"))]
    pub spent: Option<Duration>,
}

/// A move with what a record tells about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RecordMove {
    /// The move.
    pub mv: Move,
    /// The time that was used for it.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none", with = "serial::seconds"))]
    pub spent: Option<Duration>,
    /// Comments on it, one a line.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub comments: Vec<String>,
}

/// A line beside the game. 変化
///
/// It branches off the line before it in [`GameRecord::variations`] (the first one off the game): it has that line's
/// moves up to number `from - 1`, then its own. That is how Kakinoki's formats write a tree as a list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Variation {
    /// The number of the move that its first move replaces, counted from 1.
    pub from: usize,
    /// Moves in their order.
    pub moves: Vec<RecordMove>,
    /// End of the variation, if that is said.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub conclusion: Option<Conclusion>,
}

/// End of a game, and its winner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Conclusion {
    /// Kind of the end.
    pub ending: Ending,
    /// Who won; `None` for a draw and for a game without a result.
    pub winner: Option<Color>,
    /// The time that the side to move had used up to then.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none", with = "serial::seconds"))]
    pub spent: Option<Duration>,
}

named! {
    /// Kind of the end of a game.
    ///
    /// ```
    /// use komainu::notation::record::Ending;
    ///
    /// assert_eq!("perpetual check".parse(), Ok(Ending::PerpetualCheck));
    /// assert!("bored".parse::<Ending>().is_err());
    /// ```
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
    #[non_exhaustive]
    pub enum Ending {
        /// The side to move resigned. 投了
        Resignation = "resignation",
        /// The side to move is mated. 詰み
        Checkmate = "checkmate",
        /// The side to move has no legal move and is not in check: it loses.
        NoMoves = "no legal move",
        /// The side to move declared and was right; under the try rule its king has arrived. 入玉勝ち
        Declaration = "declaration",
        /// The side to move declared and was wrong. 反則負け
        FalseDeclaration = "false declaration",
        /// An illegal move, or an answer that is none. 反則負け, 反則勝ち
        IllegalMove = "illegal move",
        /// The side to move ran out of time. 切れ負け
        TimeUp = "time",
        /// The program of the side to move ended by itself.
        Crash = "crash",
        /// The program of the side to move did not answer at all.
        Stall = "no answer",
        /// Repetition: a position for the fourth time, a draw. 千日手
        Repetition = "repetition",
        /// Repetition in which one side gave perpetual check: it loses. 連続王手の千日手
        PerpetualCheck = "perpetual check",
        /// Both kings have entered the camps and neither side has the points to win: a draw. 持将棋
        Impasse = "impasse",
        /// The limit on the number of moves: a draw. 最大手数
        PlyLimit = "ply limit",
        /// Adjudicated by the scores as won by a side.
        AdjudicatedWin = "adjudicated win",
        /// Adjudicated by the scores as a draw.
        AdjudicatedDraw = "adjudicated draw",
        /// A draw for a reason that the record does not say. 引き分け
        Draw = "draw",
        /// One side did not turn up. 不戦勝, 不戦敗
        WalkOver = "walkover",
        /// A tsume problem without a mate. 不詰
        NoMate = "no mate",
        /// Broken off without a result. 中断
        #[default]
        Interrupted = "interrupted",
        /// Broken off through a fault outside the game.
        Error = "error",
    }

    /// In English, as a table shows it.
    words
}

impl Ending {
    /// Tests whether a player lost by a fault of its program: time, an illegal move, a false declaration, a crash, no
    /// answer.
    pub fn is_fault(self) -> bool {
        use Ending::*;
        matches!(self, TimeUp | IllegalMove | FalseDeclaration | Crash | Stall)
    }

    /// Who has won a game that ended so with this side to move, if the record does not say it.
    ///
    /// ```
    /// use komainu::notation::record::Ending;
    /// use komainu::types::Color;
    ///
    /// assert_eq!(Ending::Resignation.usual_winner(Color::Black), Some(Color::White));
    /// assert_eq!(Ending::Repetition.usual_winner(Color::Black), None);
    /// ```
    pub const fn usual_winner(self, side: Color) -> Option<Color> {
        use Ending::*;
        match self {
            Resignation | Checkmate | NoMoves | FalseDeclaration | IllegalMove | TimeUp | Crash | Stall => {
                Some(side.flip())
            }
            // The fourth occurrence comes about by a check, and the side that is to answer it has won.
            Declaration | PerpetualCheck | WalkOver => Some(side),
            Repetition | Impasse | PlyLimit | AdjudicatedWin | AdjudicatedDraw | Draw | NoMate | Interrupted
            | Error => None,
        }
    }
}

/// The result of a game that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// This side won.
    Win(Color),
    /// Neither won.
    Draw,
}

impl Outcome {
    /// The side that won.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Outcome::Win(color) => Some(color),
            Outcome::Draw => None,
        }
    }

    /// The result in a word: black, white, draw.
    pub const fn words(self) -> &'static str {
        match self {
            Outcome::Win(color) => color.name(),
            Outcome::Draw => "draw",
        }
    }

    /// The result as the player of this side sees it.
    pub fn of_player(self, side: Color) -> PlayerResult {
        match self {
            Outcome::Draw => PlayerResult::Draw,
            Outcome::Win(winner) if winner == side => PlayerResult::Win,
            Outcome::Win(_) => PlayerResult::Loss,
        }
    }
}

named! {
    /// The result of a game for one of its players, the fewest points first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum PlayerResult {
        /// It lost.
        Loss = "lose",
        /// Neither won.
        Draw = "draw",
        /// It won.
        Win = "win",
    }

    /// The word of the command `gameover`.
    word
}

impl PlayerResult {
    /// 0, 1 or 2.
    pub const fn half_points(self) -> usize {
        self as usize
    }
}

/// The result for the other player.
impl Not for PlayerResult {
    type Output = PlayerResult;

    fn not(self) -> PlayerResult {
        PlayerResult::ALL[2 - self.half_points()]
    }
}

/// A record that was read, with what was odd about its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The record.
    pub record: GameRecord,
    /// Parts that were passed over or mended, one warning a line.
    pub warnings: Vec<String>,
}

impl GameRecord {
    /// A game of which only the start is known.
    pub fn new(start: Position) -> GameRecord {
        GameRecord { start, ..GameRecord::default() }
    }

    /// The event, or where none is named the title of the record.
    pub fn event_or_title(&self) -> Option<&str> {
        if let Some(event) = &self.event {
            return Some(event);
        }
        let title = self.headers.iter().find(|(key, value)| key == TITLE && !value.is_empty());
        title.map(|(_, value)| value.as_str())
    }

    /// The positions of the game: the start, then that after each move. Each is made from the one before, and has
    /// no history: nothing is replayed, and a position is small.
    ///
    /// ```
    /// use komainu::notation::usi::parse_game;
    ///
    /// let record = parse_game("startpos moves 7g7f 3c3d")?.record;
    /// let plies: Vec<u32> = record.positions().map(|position| position.ply()).collect();
    /// assert_eq!(plies, [1, 2, 3]);
    /// # Ok::<(), komainu::notation::usi::PositionError>(())
    /// ```
    pub fn positions(&self) -> impl Iterator<Item = Position> + '_ {
        let mut pos = self.start.clone();
        let after_moves = self.moves.iter().map(move |made| {
            pos.do_move(made.mv);
            pos.without_history()
        });
        std::iter::once(self.start.without_history()).chain(after_moves)
    }
}

impl Conclusion {
    /// A game that ended so, won by a side or by nobody.
    pub const fn new(ending: Ending, winner: Option<Color>) -> Conclusion {
        Conclusion { ending, winner, spent: None }
    }

    /// A game that ended so with this side to move, won by whoever usually wins then.
    pub const fn usual(ending: Ending, side: Color) -> Conclusion {
        Conclusion { ending, winner: ending.usual_winner(side), spent: None }
    }

    /// The result of a game that ended so; `None` for one that counts for nobody.
    pub const fn outcome(&self) -> Option<Outcome> {
        use Ending::*;
        match (self.ending, self.winner) {
            (Interrupted | Error, _) => None,
            (_, Some(winner)) => Some(Outcome::Win(winner)),
            (Repetition | Impasse | PlyLimit | AdjudicatedDraw | Draw, None) => Some(Outcome::Draw),
            (_, None) => None,
        }
    }
}

impl RecordMove {
    /// A move about which nothing else is known.
    pub const fn new(mv: Move) -> RecordMove {
        RecordMove { mv, spent: None, comments: Vec::new() }
    }
}

/// Records as serde has them: times in seconds, and no illegal move on the way in.
#[cfg(feature = "serde")]
mod serial {
    use super::{GameRecord, RecordMove};
    use crate::position::Position;
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::{Serialize, Serializer};

    /// Times in seconds.
    pub(crate) mod seconds {
        use super::{Deserialize, Deserializer, Error, Serialize, Serializer};
        use std::time::Duration;

        pub(crate) fn serialize<S: Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
            time.map(|time| time.as_secs_f64()).serialize(to)
        }

        pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
            let Some(seconds) = Option::<f64>::deserialize(from)? else { return Ok(None) };
            let time = Duration::try_from_secs_f64(seconds);
            time.map(Some).map_err(|_| D::Error::custom(format_args!("{seconds} is no time")))
        }
    }

    impl Serialize for GameRecord {
        fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            GameRecord::serialize(self, to)
        }
    }

    impl<'de> Deserialize<'de> for GameRecord {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<GameRecord, D::Error> {
            let record = GameRecord::deserialize(from)?;
            check(&record).map_err(D::Error::custom)?;
            Ok(record)
        }
    }

    /// Tests that the moves of a record and of its variations are legal and begin where they say.
    fn check(record: &GameRecord) -> Result<(), String> {
        let mut pos = record.start.without_history();
        play(&mut pos, &record.moves, 1)?;
        for variation in &record.variations {
            let made = pos.moves_made();
            if variation.from == 0 || variation.from > made + 1 {
                return Err(format!("a variation from move {}, behind {made} moves", variation.from));
            }
            while pos.moves_made() >= variation.from {
                pos.undo();
            }
            play(&mut pos, &variation.moves, variation.from)?;
        }
        Ok(())
    }

    fn play(pos: &mut Position, moves: &[RecordMove], from: usize) -> Result<(), String> {
        for (index, made) in moves.iter().enumerate() {
            pos.play(made.mv).map_err(|error| format!("move {}: {error}", from + index))?;
        }
        Ok(())
    }
}
