//! A match of which several workers play parts, each into a folder of its own, joined to one.
//!
//! The work is known by the numbers of its pairs alone, so any worker may vanish, and its pairs may be played again
//! by another one. Each pair counts once ([`MatchUnion`]). The folders are joined once they are played ([`merge`])
//! or while they grow ([`Follower`]).
//!
//! A pair counts once it is whole. Of several that are, that counts which ended first, by the clocks of the machines;
//! so the order of the folders changes nothing. What has been counted stays counted.

use crate::arena::folder::{FolderError, FolderTail, MatchFolder, MatchGame, PLAN_FILE};
use crate::arena::pairing::Pairing;
use crate::arena::plan::{Plan, Tournament};
use crate::arena::stats::{Ledger, Sprt, SprtDecision};
use komainu::notation::json::{EngineIdentity, GameLine};
use komainu::types::{Counted, Quoted};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::slice::from_ref;
use std::time::{Duration, SystemTime};

/// A match joined from its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct MergedMatch {
    /// The plan of the whole match.
    pub plan: Plan,
    /// The games by their numbers, each once.
    pub games: Vec<GameLine>,
    /// Number of games of the whole match.
    pub total: u64,
    /// Remarks: engines whose files are not the same everywhere, as when each machine has built its own, and pairs that
    /// were played more than once.
    pub notices: Vec<String>,
}

/// Joins the matches of these folders, whose plans are the same but for the part that each plays. The order of the
/// folders does not matter. A pair that several folders have counts once.
pub fn merge(folders: &[PathBuf]) -> Result<MergedMatch, FolderError> {
    let mut union = MatchUnion::default();
    for folder in folders.iter().flat_map(|folder| match_folders(folder)) {
        let MatchFolder { plan, games, .. } = MatchFolder::read_strictly(&folder)?;
        let source = union.join(&folder, plan)?;
        for game in games {
            union.offer(source, game);
        }
    }
    union.take_pairs();
    union.take_rest();
    let notices = union.notices();
    let total = union.total();
    let MatchFolder { plan, games, .. } = union.into_whole().ok_or_else(|| FolderError::Missing(PathBuf::new()))?;
    let mut games: Vec<GameLine> = games.into_iter().map(|game| game.line).collect();
    games.sort_by_key(|line| line.game);
    Ok(MergedMatch { plan, games, total, notices })
}

/// The folders of matches that this path names: itself, or if it holds none the folders in it that do.
pub fn match_folders(path: &Path) -> Vec<PathBuf> {
    let has_plan = |path: &Path| path.join(PLAN_FILE).exists();
    if has_plan(path) {
        return vec![path.to_path_buf()];
    }
    let inside = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = inside.filter(|path| has_plan(path)).collect();
    found.sort();
    if found.is_empty() { vec![path.to_path_buf()] } else { found }
}

/// A path by which two spellings of it are known as the same.
pub fn place(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// A game and the number of the folder that it comes from.
type Sourced = (usize, MatchGame);

/// The parts of a match that have been read.
#[derive(Debug, Default)]
pub struct MatchUnion {
    /// Plan of the whole match with the games that count, in the order in which they were taken.
    whole: Option<MatchFolder>,
    pairing: Option<Pairing>,
    folders: Vec<PathBuf>,
    /// Folders of the games that count.
    sources: Vec<usize>,
    /// Places of the games that count, by their numbers.
    places: HashMap<u64, usize>,
    /// Games of pairs that do not count yet.
    waiting: BTreeMap<u64, Vec<Sourced>>,
    /// Pairs of which a game has come since pairs were last taken.
    changed: BTreeSet<u64>,
    /// Pairs that were played more than once.
    doubled: BTreeSet<u64>,
    /// Pairs of which the games differ, with the folders of the game that counts and of the other one.
    differing: BTreeMap<u64, [usize; 2]>,
    /// Engines whose files differ.
    rebuilt: BTreeSet<String>,
    /// The match was joined before, perhaps with other records than its parts have.
    is_restored: bool,
}

impl MatchUnion {
    /// Joins a folder by its plan, which must be that of the others. Returns the number of the folder.
    pub fn join(&mut self, folder: &Path, plan: Plan) -> Result<usize, FolderError> {
        if plan.tune.is_some() {
            return refused(folder, "it holds a tuning, whose sides change from game to game: no match to be joined");
        }
        let source = self.folders.iter().position(|known| known == folder).unwrap_or(self.folders.len());
        let plan = of_no_machine(plan);
        match self.whole.as_mut().map(|whole| &mut whole.plan) {
            Some(known) => {
                let mut plan = plan;
                if self.is_restored {
                    plan.format = known.format.clone();
                    plan.encoding = known.encoding;
                }
                let first = self.folders[0].display();
                if let Some(key) = known.difference(&plan) {
                    return refused(folder, format_args!("match.toml differs from that of {first}: {key}"));
                }
                known.machines.extend(plan.machines);
                for (engine, other) in known.engines.iter_mut().zip(&plan.engines) {
                    let fail = |what| {
                        let why = format!("engine {} is not that of {first}: {what}", Quoted(&engine.name));
                        FolderError::Refused(folder.to_path_buf(), why)
                    };
                    if join_identities(&mut engine.identity, &other.identity).map_err(fail)? {
                        self.rebuilt.insert(engine.name.clone());
                    }
                }
            }
            None => {
                if plan.tournament == Tournament::Swiss {
                    return refused(folder, "the rounds of a Swiss tournament cannot be joined");
                }
                self.pairing = Some(Pairing::new(&plan).or_else(|error| refused(folder, error))?);
                self.whole = Some(MatchFolder { plan, games: Vec::new(), notes: Vec::new() });
            }
        }
        if let Some(MatchFolder { plan, .. }) = &mut self.whole {
            plan.machines
                .sort_by(|one, other| (&one.host, &one.cpu, one.cores).cmp(&(&other.host, &other.cpu, other.cores)));
            plan.machines.dedup();
        }
        if source == self.folders.len() {
            self.folders.push(folder.to_path_buf());
        }
        Ok(source)
    }

    /// Takes the games of a match that was joined before as they are.
    pub fn restore(&mut self, folder: &Path, played: MatchFolder) -> Result<(), FolderError> {
        let source = self.join(folder, played.plan)?;
        self.is_restored = true;
        for game in played.games {
            self.count((source, game));
        }
        Ok(())
    }

    /// Offers a game of a folder, which waits until its pair is whole.
    pub fn offer(&mut self, source: usize, game: MatchGame) {
        let pair = game.line.pair;
        let offered = (source, game);
        match self.places.get(&offered.1.line.game) {
            Some(&place) => self.compare(place, &offered),
            None => {
                self.waiting.entry(pair).or_default().push(offered);
                self.changed.insert(pair);
            }
        }
    }

    /// Counts the pairs that are whole in a folder, in the order in which they ended.
    pub fn take_pairs(&mut self) {
        let changed = std::mem::take(&mut self.changed);
        let mut whole: Vec<[Vec<Sourced>; 2]> = changed.iter().filter_map(|&pair| self.first_whole(pair)).collect();
        whole.sort_by_cached_key(|[games, _]| (end_of(games), games[0].1.line.pair));
        for [games, others] in whole {
            self.count_pair(games, others);
        }
    }

    /// Counts of the pairs that are whole in no folder each game that there is, that which ended first.
    pub fn take_rest(&mut self) {
        for (_, mut offered) in std::mem::take(&mut self.waiting) {
            offered.sort_by(|one, other| {
                let numbers = one.1.line.game.cmp(&other.1.line.game);
                numbers.then_with(|| earlier(&[one], &[other]))
            });
            let mut games = Vec::new();
            let mut others = Vec::new();
            for game in offered {
                let is_first = games.last().is_none_or(|known: &Sourced| known.1.line.game != game.1.line.game);
                if is_first { games.push(game) } else { others.push(game) }
            }
            self.count_pair(games, others);
        }
    }

    /// Takes the games of a pair once a folder has it whole: those of the folder that had it first, and the others.
    fn first_whole(&mut self, pair: u64) -> Option<[Vec<Sourced>; 2]> {
        let waiting = self.waiting.get(&pair)?;
        let sources: BTreeSet<usize> = waiting.iter().map(|game| game.0).collect();
        let of = |source: usize| -> Vec<&Sourced> {
            let mut games: Vec<&Sourced> = waiting.iter().filter(|game| game.0 == source).collect();
            games.sort_by_key(|game| game.1.line.game);
            games
        };
        let is_whole = |games: &Vec<&Sourced>| {
            let partner = self.pairing.and_then(|pairing| pairing.partner(games[0].1.line.game));
            games.len() == 1 + usize::from(partner.is_some())
        };
        let first = sources.into_iter().map(of).filter(is_whole).min_by(|one, other| earlier(one, other))?[0].0;
        let (mut games, others): (Vec<_>, Vec<_>) =
            self.waiting.remove(&pair)?.into_iter().partition(|game| game.0 == first);
        games.sort_by_key(|game| game.1.line.game);
        Some([games, others])
    }

    /// Counts these games of a pair, and compares the others of it with them.
    fn count_pair(&mut self, games: Vec<Sourced>, others: Vec<Sourced>) {
        for game in games {
            self.count(game);
        }
        for game in others {
            if let Some(&place) = self.places.get(&game.1.line.game) {
                self.compare(place, &game);
            }
        }
    }

    fn count(&mut self, (source, game): Sourced) {
        let Some(whole) = &mut self.whole else { return };
        self.places.insert(game.line.game, whole.games.len());
        whole.games.push(game);
        self.sources.push(source);
    }

    /// Notes whether a game that does not count was played apart from that which does, and differs from it.
    fn compare(&mut self, place: usize, (source, game): &Sourced) {
        let counted = &self.games()[place];
        if counted.line == game.line {
            return;
        }
        let pair = game.line.pair;
        let sources = [self.sources[place], *source];
        let differs = !is_equal_game(&counted.line, &game.line);
        if differs {
            self.differing.entry(pair).or_insert(sources);
        }
        self.doubled.insert(pair);
    }

    /// The whole match as far as it counts, once a folder has been joined.
    pub fn whole(&self) -> Option<&MatchFolder> {
        self.whole.as_ref()
    }

    /// Number of games of the whole match.
    pub fn total(&self) -> u64 {
        self.pairing.map_or(0, |pairing| pairing.total())
    }

    /// Games that count, in the order in which they were taken.
    pub fn games(&self) -> &[MatchGame] {
        self.whole.as_ref().map_or(&[], |whole| &whole.games)
    }

    /// Remarks on engines whose files are not the same, and on pairs that were played more than once.
    pub fn notices(&self) -> Vec<String> {
        let rebuilt = self.rebuilt.iter().map(|name| format!("the files of {name} are not the same in all folders"));
        let mut notices: Vec<String> = rebuilt.collect();
        if !self.doubled.is_empty() {
            let pairs = Counted(self.doubled.len(), "pair");
            notices.push(format!("{pairs} played more than once: that which ended first counts"));
        }
        if let Some((pair, sources)) = self.differing.first_key_value() {
            let [counted, other] = sources.map(|source| self.folders[source].display());
            let pairs = Counted(self.differing.len(), "pair");
            notices.push(format!(
                "games of {pairs} differ from those that count, as of pair {pair} in {other} from {counted}"
            ));
        }
        notices
    }

    /// The match without what it was joined from.
    pub fn into_whole(self) -> Option<MatchFolder> {
        self.whole
    }
}

/// Order of games that stand for the same: that which ended first, and of those that ended at once the same one
/// whatever the order of the folders.
fn earlier(one: &[&Sourced], other: &[&Sourced]) -> Ordering {
    let text = |games: &[&Sourced]| -> String {
        games.iter().map(|(_, game)| serde_json::to_string(&game.line).unwrap_or_default()).collect()
    };
    let end = |games: &[&Sourced]| games.iter().map(|game| end_of(from_ref(game))).max();
    end(one).cmp(&end(other)).then_with(|| text(one).cmp(&text(other)))
}

/// Time at which the last of some games ended. A time that cannot be read is later than all others.
fn end_of(games: &[Sourced]) -> SystemTime {
    let end = |line: &GameLine| {
        let started = humantime::parse_rfc3339(&line.started).ok()?;
        started.checked_add(Duration::from_millis(line.duration_ms))
    };
    let far = SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 40);
    games.iter().map(|(_, game)| end(&game.line).unwrap_or(far)).max().unwrap_or(far)
}

/// Tests whether two games have the same moves and end; times do not matter.
fn is_equal_game(one: &GameLine, other: &GameLine) -> bool {
    let is_same_end = (one.ending, one.winner) == (other.ending, other.winner);
    is_same_end && one.fingerprint() == other.fingerprint()
}

/// The fault that a folder cannot be joined, with its reason.
fn refused<T>(folder: &Path, why: impl ToString) -> Result<T, FolderError> {
    Err(FolderError::Refused(folder.to_path_buf(), why.to_string()))
}

/// A plan of the whole match, without what each machine may have for itself.
fn of_no_machine(plan: Plan) -> Plan {
    let Plan { concurrency, affinity, log, .. } = Plan::default();
    Plan { shard: None, pairs: None, concurrency, affinity, log, ..plan }
}

/// Joins two identities of an engine. Whether its files differ, which are then known no more; an error says what keeps
/// it from being one engine.
fn join_identities(known: &mut Option<EngineIdentity>, other: &Option<EngineIdentity>) -> Result<bool, String> {
    let (Some(known), Some(other)) = (known.as_mut(), other) else {
        *known = None;
        return Ok(false);
    };
    known.check_name_and_options(other)?;
    let is_same = known.has_files_of(other);
    if !is_same {
        known.files.clear();
        known.arguments.clear();
    }
    Ok(!is_same && !other.files.is_empty())
}

/// The state of a match whose parts are being played: it changes with each [`Follower::read`].
#[derive(Debug)]
pub struct Follower {
    /// Folders of matches, or folders of those.
    paths: Vec<PathBuf>,
    /// Folder that is made here and is no part.
    out: PathBuf,
    /// Folders that have been found, with their numbers in the union.
    tails: BTreeMap<PathBuf, (FolderTail, Option<usize>)>,
    /// The union of the parts.
    pub union: MatchUnion,
    /// Games that have been counted by the ledger.
    tallied: usize,
    /// Results of the games that count.
    pub ledger: Ledger,
    sprt: Option<Sprt>,
    /// Decision of the sequential test.
    pub decision: SprtDecision,
}

impl Follower {
    /// Follows matches in these folders, or in folders in them; `out` is none of them.
    pub fn new(paths: &[PathBuf], out: &Path) -> Follower {
        Follower {
            paths: paths.to_vec(),
            out: out.to_path_buf(),
            tails: BTreeMap::new(),
            union: MatchUnion::default(),
            tallied: 0,
            ledger: Ledger::new(0),
            sprt: None,
            decision: SprtDecision::Continue,
        }
    }

    /// Takes the games that were counted before.
    pub fn restore(&mut self, played: MatchFolder) -> Result<(), FolderError> {
        self.union.restore(&self.out.clone(), played)?;
        self.tally();
        Ok(())
    }

    /// Reads what has come to the folders. The games that count now and did not before are the last ones.
    pub fn read(&mut self) -> Result<(), FolderError> {
        for folder in self.paths.iter().flat_map(|path| match_folders(path)) {
            if !self.tails.contains_key(&folder) && place(&folder) != place(&self.out) {
                self.tails.insert(folder.clone(), (FolderTail::new(&folder), None));
            }
        }
        for (tail, source) in self.tails.values_mut() {
            let growth = tail.read()?;
            if let Some(plan) = growth.plan {
                *source = Some(self.union.join(tail.folder(), plan)?);
            }
            if let Some(source) = *source {
                for game in growth.games {
                    self.union.offer(source, game);
                }
            }
        }
        self.union.take_pairs();
        self.tally();
        Ok(())
    }

    /// Counts the games that have been taken, one after the other. What is decided stays decided.
    fn tally(&mut self) {
        let Some(whole) = self.union.whole() else { return };
        if self.ledger.engines() == 0 {
            self.ledger = Ledger::new(whole.plan.engines.len());
            self.sprt = whole.plan.sprt.and_then(|sprt| Sprt::new(sprt).ok());
        }
        for game in &whole.games[self.tallied..] {
            if let Some(game) = game.played() {
                self.ledger.add(game);
            }
            if let (Some(sprt), SprtDecision::Continue) = (&self.sprt, self.decision) {
                self.decision = sprt.status(self.ledger.total(0).pentanomial()).decision;
            }
        }
        self.tallied = whole.games.len();
    }

    /// The match as far as it counts, without the rest.
    pub fn into_whole(self) -> Option<MatchFolder> {
        self.union.into_whole()
    }

    /// Tests whether every game of the plan counts.
    pub fn is_complete(&self) -> bool {
        self.union.whole().is_some() && self.union.games().len() as u64 == self.union.total()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::plan::EnginePlan;
    use komainu::notation::json::MoveLine;
    use komainu::notation::record::Ending;
    use komainu::types::Color;

    /// A game of a pair that a worker played, ended by this minute.
    fn game(number: u64, first_move: &str, minute: u64) -> MatchGame {
        let players = if matches!(number % 4, 0 | 3) { [0, 1] } else { [1, 0] };
        let line = GameLine {
            game: number,
            pair: number / 2,
            round: (number / 2) as u32,
            players: players.map(|player| ["a", "b"][player].to_string()),
            start: komainu::position::START_SFEN.into(),
            moves: vec![MoveLine { mv: first_move.into(), ..MoveLine::default() }],
            ending: Ending::Resignation,
            winner: Some(Color::Black),
            started: "2026-11-21T12:00:00Z".into(),
            duration_ms: minute * 60_000,
            ..GameLine::default()
        };
        MatchGame { line, players }
    }

    fn union(folders: &[&str]) -> MatchUnion {
        let engine = |name: &str| EnginePlan { name: name.into(), ..EnginePlan::default() };
        let plan = Plan::new(vec![engine("a"), engine("b")], 5);
        let mut union = MatchUnion::default();
        for folder in folders {
            union.join(Path::new(folder), plan.clone()).unwrap();
        }
        union
    }

    /// Numbers of the games that count, with the minutes at which they ended.
    fn counted(union: &MatchUnion) -> Vec<(u64, u64)> {
        union.games().iter().map(|game| (game.line.game, game.line.duration_ms / 60_000)).collect()
    }

    #[test]
    fn a_pair_counts_once_it_is_whole_in_one_folder_and_stays() {
        let mut union = union(&["x", "y"]);
        union.offer(0, game(0, "7g7f", 1));
        union.take_pairs();
        assert!(counted(&union).is_empty());
        union.offer(1, game(1, "7g7f", 2));
        union.take_pairs();
        assert!(counted(&union).is_empty(), "halves of two workers are no pair yet");
        union.offer(1, game(0, "7g7f", 9));
        // The last pair is one of one game.
        union.offer(0, game(4, "7g7f", 3));
        union.take_pairs();
        assert_eq!(counted(&union), [(4, 3), (0, 9), (1, 2)], "in the order in which they ended");
        assert_eq!(union.notices(), ["1 pair played more than once: that which ended first counts"]);
        // What has been counted stays, also if it turns out that another one ended before.
        union.offer(0, game(1, "2g2f", 1));
        union.take_pairs();
        assert_eq!(counted(&union), [(4, 3), (0, 9), (1, 2)]);
        let notes = union.notices();
        assert_eq!(notes[1], "games of 1 pair differ from those that count, as of pair 0 in x from y");
    }

    #[test]
    fn of_two_workers_the_one_that_ended_first_counts_in_either_order() {
        for sources in [[0, 1], [1, 0]] {
            let mut union = union(&["x", "y"]);
            for (source, minute) in sources.into_iter().zip([8, 5]) {
                union.offer(source, game(2, "7g7f", minute));
                union.offer(source, game(3, "7g7f", minute + 1));
            }
            union.take_pairs();
            assert_eq!(counted(&union), [(2, 5), (3, 6)]);
        }
    }

    #[test]
    fn at_the_end_games_of_pairs_that_are_nowhere_whole_count_each_once() {
        let mut union = union(&["x", "y", "z"]);
        union.offer(0, game(0, "7g7f", 4));
        union.offer(1, game(0, "7g7f", 2));
        union.offer(2, game(1, "7g7f", 3));
        union.offer(2, game(2, "7g7f", 3));
        union.take_pairs();
        assert!(counted(&union).is_empty());
        union.take_rest();
        assert_eq!(counted(&union), [(0, 2), (1, 3), (2, 3)]);
    }

    #[test]
    fn a_copy_of_a_folder_is_no_second_worker() {
        let mut union = union(&["x", "y"]);
        for source in [0, 1] {
            union.offer(source, game(0, "7g7f", 4));
            union.offer(source, game(1, "7g7f", 5));
        }
        union.take_pairs();
        assert_eq!((counted(&union).len(), union.notices().len()), (2, 0));
    }
}
