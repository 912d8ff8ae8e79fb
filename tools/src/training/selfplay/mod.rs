//! Self-play: games of the engine against itself, one a thread.
//!
//! A game depends on the settings and its number alone: it has its own stream of random numbers, and the search
//! forgets everything before it. Games are written in the order of their numbers, so that the file is the same, byte
//! for byte, whatever the number of threads and however often the work was interrupted. Several machines play disjoint
//! shares of the numbers; [`merge`](super::merge) makes of their files the one that a single machine would have made.

mod openings;
mod output;
mod player;
mod produce;

pub use openings::OpeningPositions;
pub use output::GamesOutput;
pub(super) use output::is_torn;
pub use player::{Player, SelfPlayFault};

pub(super) use produce::produce;

use super::games::Game;
use crate::share::Shard;
use crate::training::DataError;
use komainu::eval::Evaluation;
use komainu::position::GameRules;
use std::sync::atomic::AtomicBool;

/// Settings of self-play.
#[derive(Clone, Debug)]
pub struct SelfPlaySettings {
    /// Seed of all random choices.
    pub seed: u64,
    /// Nodes after which no further iteration begins.
    pub nodes: u64,
    /// Megabytes of the hash table of each thread.
    pub hash: usize,
    /// The game is drawn after this many plies.
    pub max_plies: u32,
    /// Openings for a part of the games.
    pub openings: OpeningPositions,
    /// Percentage of games that begin with one of them, 0 to 100.
    pub openings_share: u32,
    /// The evaluation of both sides.
    pub evaluation: Evaluation,
    /// The share of a work of many machines; all of it without one.
    pub part: Option<Part>,
}

/// A share of a number of games, or of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The share: its games have the streams of random numbers that its items have as numbers.
    pub shard: Shard,
    /// The games of all shares, or the records.
    pub games: u64,
}

/// Word that stands in a description before the share.
const SHARD_WORD: &str = " shard ";

impl Part {
    /// The games of this share.
    pub fn share(self) -> u64 {
        self.shard.share_of(self.games)
    }

    /// End of a description of a share; empty for the whole.
    pub(super) fn suffix(part: Option<Part>) -> String {
        part.map_or(String::new(), |Part { shard, games }| format!("{SHARD_WORD}{shard} of {games}"))
    }

    /// The description without the share, and the share; nothing if it names none.
    pub fn split(description: &str) -> Option<(&str, Part)> {
        let (whole, part) = description.rsplit_once(SHARD_WORD)?;
        let (shard, games) = part.split_once(" of ")?;
        Some((whole, Part { shard: shard.parse().ok()?, games: games.parse().ok()? }))
    }
}

/// Percentage of games that begin with an opening of the list, unless the settings say another.
pub const OPENINGS_SHARE: u32 = 25;

/// A search ends at the latest after this many times the nodes that are asked for.
pub const HARD_FACTOR: u64 = 8;

impl SelfPlaySettings {
    /// The rules of the games.
    pub fn rules(&self) -> GameRules {
        GameRules { ply_limit: self.max_plies, mate_on_last_ply: true, ..GameRules::default() }
    }

    /// The settings in one line: games of equal lines are equal.
    pub fn description(&self) -> String {
        let SelfPlaySettings { seed, nodes, hash, max_plies, openings, openings_share, evaluation, part } = self;
        let version = env!("CARGO_PKG_VERSION");
        let part = Part::suffix(*part);
        // Files made before the share was a setting have no word of it.
        let share = match *openings_share {
            OPENINGS_SHARE => String::new(),
            share => format!(" of {share} %"),
        };
        format!(
            "komainu {version} selfplay seed {seed} nodes {nodes} hash {hash} plies {max_plies} \
             openings {openings}{share} evaluation {evaluation}{part}"
        )
    }

    /// The number of the game at this place of the file, both counted from 0.
    fn number(&self, place: u64) -> u64 {
        self.part.map_or(place, |part| part.shard.item(place))
    }
}

/// Amount to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Games(u64),
    /// Games until there is this number of positions that are not random.
    Positions(u64),
}

impl Target {
    /// Tests whether this many games and positions are enough.
    pub fn is_met(self, games: u64, positions: u64) -> bool {
        match self {
            Target::Games(wanted) => games >= wanted,
            Target::Positions(wanted) => positions >= wanted,
        }
    }
}

/// Plays until the target is met or a stop is asked for; then the games that have begun are played to their end, for
/// without them those after them could not be kept. `on_progress` is called with each game that was written, and
/// without one twice a second.
pub fn run(
    settings: &SelfPlaySettings,
    target: Target,
    threads: usize,
    output: &mut GamesOutput,
    stop: &AtomicBool,
    on_progress: &mut dyn FnMut(Option<&Game>),
) -> Result<(), DataError> {
    if target.is_met(output.games(), output.positions()) {
        return Ok(());
    }
    let end = if let Target::Games(wanted) = target { wanted } else { u64::MAX };
    let places = output.games()..end;
    let write = |game: &Game| {
        output.write(game)?;
        Ok(target.is_met(output.games(), output.positions()))
    };
    let play = |player: &mut Player<'_>, place| player.play(settings.number(place));
    produce(settings, threads, places.map(Ok), play, write, stop, on_progress)
}
