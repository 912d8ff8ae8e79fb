//! Old games with the scores of the present engine.
//!
//! Moves and results are facts and stay; what a search thought of a position is an opinion that a better engine may
//! revise. Each game is searched by itself, with a hash table that is empty at its start, so that its scores depend on
//! the settings and on nothing else.

pub mod records;

use super::DataError;
use super::games::{Game, GamesReadError, GamesReader, head};
use super::merge::checksum;
use super::selfplay::{
    GamesOutput, Part, Player, SelfPlayFault, SelfPlaySettings, Source, Target, WantedGames, produce,
};
use crate::share::Shard;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

/// A file of games that are to have new scores.
#[derive(Debug)]
pub struct OldGames {
    path: PathBuf,
    description: String,
    /// Number of games in the file.
    pub games: u64,
    /// Number of positions that are not random.
    pub positions: u64,
}

/// The most bytes of the old description that stand in the new one.
const MAX_OLD_DESCRIPTION: usize = 3_000;

impl OldGames {
    /// Reads the file from end to end, so that whatever is wrong with it is known before the work begins.
    pub fn open(path: &Path) -> Result<OldGames, DataError> {
        let reader = GamesReader::open(path)?;
        let old = reader.description();
        let old = head(old, MAX_OLD_DESCRIPTION);
        let description = format!("games {} of: {old}", checksum(path)?);
        let (mut games, mut positions) = (0, 0);
        for game in reader {
            let game = game?;
            (games, positions) = (games + 1, positions + (game.plies().len() - game.opening()) as u64);
        }
        Ok(OldGames { path: path.to_path_buf(), description, games, positions })
    }

    /// The settings and the old games in one line: equal lines make equal files. Of the settings, seed and openings do
    /// not matter.
    pub fn description(&self, settings: &SelfPlaySettings) -> String {
        describe(settings, &self.description)
    }

    /// Number of games of a share, or of all.
    pub fn share(&self, part: Option<Part>) -> u64 {
        part.map_or(self.games, Part::share)
    }

    /// Writes the games behind those that the output holds already, until none is left or a stop is asked for; then
    /// those that have begun are brought to their end. `on_progress` is called with each game that was written, and
    /// without one twice a second.
    pub fn rescore(
        &self,
        settings: &SelfPlaySettings,
        threads: usize,
        output: &mut GamesOutput,
        stop: &AtomicBool,
        on_progress: &mut dyn FnMut(Option<&Game>),
    ) -> Result<(), DataError> {
        let reader = GamesReader::open(&self.path)?;
        let mut left =
            GamesLeft { place: output.games(), reader, number: 0, shard: settings.part.map(|part| part.shard) };
        for _ in 0..output.games() {
            left.next().transpose()?;
        }
        let target = Target::Games(self.share(settings.part));
        let source = Unscored { settings, left: Mutex::new(left) };
        let mut sink = WantedGames { output, target };
        produce(&source, threads, &mut sink, stop, on_progress)
    }
}

/// Settings on which scores depend, in one line.
fn describe(settings: &SelfPlaySettings, old: &str) -> String {
    let SelfPlaySettings { nodes, hash, max_plies, evaluation, part, .. } = settings;
    let (version, part) = (env!("CARGO_PKG_VERSION"), Part::suffix(*part));
    format!("komainu {version} rescore nodes {nodes} hash {hash} plies {max_plies} evaluation {evaluation} {old}{part}")
}

/// The games of a share that are left.
struct GamesLeft {
    /// Place of the next one in the new file.
    place: u64,
    reader: GamesReader<BufReader<File>>,
    /// Number of the next game of the old file.
    number: u64,
    shard: Option<Shard>,
}

impl Iterator for GamesLeft {
    type Item = Result<Game, GamesReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let game = self.reader.next()?;
            self.number += 1;
            if game.is_err() || self.shard.is_none_or(|shard| shard.takes(self.number - 1)) {
                return Some(game);
            }
        }
    }
}

struct Unscored<'a> {
    settings: &'a SelfPlaySettings,
    left: Mutex<GamesLeft>,
}

impl<'a> Source for Unscored<'a> {
    type Worker = Player<'a>;
    type Job = Game;
    type Item = Game;

    fn worker(&self) -> Result<Player<'a>, SelfPlayFault> {
        Player::new(self.settings)
    }

    fn next(&self) -> Option<(u64, Result<Game, SelfPlayFault>)> {
        let mut left = self.left.lock().expect("no thread panics while it reads");
        let game = left.next()?.map_err(|error| SelfPlayFault(error.to_string()));
        left.place += 1;
        Some((left.place - 1, game))
    }

    fn make(&self, player: &mut Player<'a>, game: Game) -> Result<Game, SelfPlayFault> {
        player.rescore(&game)
    }
}
