//! Parts of a match that are joined while they are played.

use super::union::MatchUnion;
use super::{match_folders, place};
use crate::arena::folder::{FolderError, FolderTail, MatchFolder};
use crate::arena::stats::{Ledger, Sprt, SprtDecision};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The state of a match whose parts are being played: it changes with each [`Follower::read`].
#[derive(Debug)]
pub struct Follower {
    /// Folders of matches, or folders of those.
    paths: Vec<PathBuf>,
    /// Folder that is made here and is no part.
    out: PathBuf,
    /// Folders that have been found, with their numbers in the union.
    tails: BTreeMap<PathBuf, (FolderTail, Option<usize>)>,
    union: MatchUnion,
    /// Games that have been counted by the ledger.
    tallied: usize,
    ledger: Ledger,
    sprt: Option<Sprt>,
    decision: SprtDecision,
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
                growth.games.into_iter().for_each(|game| self.union.offer(source, game));
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
            game.played().into_iter().for_each(|game| self.ledger.add(game));
            if let (Some(sprt), SprtDecision::Continue) = (&self.sprt, self.decision) {
                self.decision = sprt.status(self.ledger.total(0).pentanomial()).decision;
            }
        }
        self.tallied = whole.games.len();
    }

    /// The union of the parts.
    pub fn union(&self) -> &MatchUnion {
        &self.union
    }

    /// The match as far as it counts, without the rest.
    pub fn into_whole(self) -> Option<MatchFolder> {
        self.union.into_whole()
    }

    /// Results of the games that count.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Decision of the sequential test.
    pub fn decision(&self) -> SprtDecision {
        self.decision
    }

    /// Tests whether every game of the plan counts.
    pub fn is_complete(&self) -> bool {
        self.union.whole().is_some() && self.union.games().len() as u64 == self.union.total()
    }
}
