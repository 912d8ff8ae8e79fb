//! The fixed work that gives a build its signature.

use super::history::{History, HistoryKeys, HistorySize};
use super::limits::Limits;
use super::picker::Picker;
use super::report::Bound;
use super::threads::{ThreadPool, ThreadPoolBuilder};
use super::tt::{Entry, Table};
use crate::eval::Evaluation;
use crate::host::Instant;
use crate::position::{GameRules, Position};
use crate::random::GOLDEN;
use crate::system::free_megabytes;
use crate::types::opaque_debug;
use crate::types::{Key, Score, StopToken};
use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;
use thiserror::Error;

/// Openings, middlegames and endgames of own games, a position rich in drops, kings in the enemy camp, a handicap.
const POSITIONS: [&str; 13] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "ln1g2knl/1rs3g2/p1ppp1s2/5ppp1/1p2S2Sp/2b2PP1L/PP1PP2P1/2G4R1/LNK2G1N1 b BPp 37",
    "l5kn1/1r3gg1l/2ns2sp1/p1ppppp2/1pP4Pp/P1SPSPP2/1PN1P1N1P/2G6/LK3G1RL b Bb 57",
    "l2g1k1nl/4r1g2/pbnp1pspp/1P4p2/7P1/4pSP2/P2P1P2P/2G1P2R1/LNK2G1NL b SPbs2p 57",
    "ln1g3k1/1rs4g1/p1pp2s2/5pp2/4G2p1/1P2PPP1p/P2P3P1/5R3/LN1K1G1N1 w BSNL2Pbsl2p 62",
    "l4gknl/4+P2s1/2n1s2p1/1r2p1P1P/ppP4P1/2ppSp3/P3P1N2/1R3G3/LN1G2K1L w BG2Pbs2p 70",
    "lkg5l/6g2/n1p3npb/3+R1p3/L1P1p1psp/3P1P2P/2N1P1PS1/1KS1G2R1/7NL w 5Pbgsp 82",
    "ln3G2l/9/3+S1sk2/p7p/1p1nP1pp1/P1rn1p3/1PB5R/1G7/LNK2G3 b BSL2Pgs7p 109",
    "l6nk/6g2/3p3p1/p4Pp2/1+R2P1bP+b/P1P6/1P1GGG2+l/3R1s+n2/LNK6 b 2S3Psnl5p 117",
    "4+N2nl/5lgk1/7p1/1+R3+bp1p/5p1P1/2PP2P1P/2S3+b1G/1G6L/+rPK6 b 2SL6Pgs2n2p 157",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "+R8/2+NK1+R+P+P1/+P+PPS+P4/6g+b1/7p1/3g5/3+b1g+p1+p/5p3/5k+p2 b G3S3N2L7p2l 1",
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
];

/// Size of the table; another one gives other nodes.
const HASH_MEGABYTES: usize = 16;

/// Depth of the signature.
pub const DEFAULT_DEPTH: usize = 14;

/// Depths that may be asked for.
pub const DEPTHS: RangeInclusive<usize> = 1..=100;

/// The work that was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Total {
    /// Nodes of all positions: the same on every machine.
    pub nodes: u64,
    /// Time that it took.
    pub time: Duration,
}

impl Total {
    /// Nodes per second.
    pub fn nodes_per_second(&self) -> u64 {
        (self.nodes as u128 * 1_000_000 / self.time.as_micros().max(1)) as u64
    }
}

/// The line that scripts read.
impl fmt::Display for Total {
    /// As in `2117262 nodes 1041212 nps`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes {} nps", self.nodes, self.nodes_per_second())
    }
}

/// Nodes of one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Searched {
    /// Number of the position, from 1.
    pub number: usize,
    /// The position.
    pub sfen: &'static str,
    /// Nodes of the search.
    pub nodes: u64,
}

impl fmt::Display for Searched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:2}  {:9}  {}", self.number, self.nodes, self.sfen)
    }
}

/// Why there is no total.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct BenchError(pub String);

/// Other tables would give other nodes.
fn too_little_memory() -> BenchError {
    BenchError(format!("no memory for a table of {HASH_MEGABYTES} MB and full histories"))
}

/// Searches the fixed positions with one thread, each from an empty table of its own, and tells the nodes of each.
pub fn run(
    depth: usize,
    evaluation: Evaluation,
    stop: &StopToken,
    mut on_position: impl FnMut(Searched),
) -> Result<Total, BenchError> {
    if free_megabytes() << 20 < ThreadPoolBuilder::LEAST_BYTES {
        return Err(too_little_memory());
    }
    let mut pool = ThreadPool::new(1, HASH_MEGABYTES);
    if pool.shrunk().is_some() || pool.has_small_history() {
        return Err(too_little_memory());
    }
    pool.set_evaluation(evaluation);
    let mut total = Total { nodes: 0, time: Duration::ZERO };
    for (number, sfen) in (1..).zip(POSITIONS) {
        let pos = Position::from_sfen(sfen).expect("the bench positions are valid");
        pool.clear();
        let started = Instant::now();
        let result = pool.search(&pos, GameRules::default(), &Limits::to_depth(depth), stop, &mut |_| ());
        let result = result.expect("all moves are searched");
        if stop.is_stopped() {
            return Err(BenchError("stopped".to_string()));
        }
        total.time += started.elapsed();
        total.nodes += result.nodes;
        on_position(Searched { number, sfen, nodes: result.nodes });
    }
    Ok(total)
}

/// A table of that size, filled from one end, for benchmarks of its look-ups.
#[doc(hidden)]
pub struct Probes {
    table: Table,
    keys: Vec<Key>,
}

opaque_debug!(Probes);

impl Probes {
    /// Stores a number of positions under keys that are spread over the table.
    pub fn new(megabytes: usize, positions: usize) -> Probes {
        let (table, _) = Table::new(megabytes);
        let keys: Vec<Key> = (1..=positions as u64).map(|n| Key(n.wrapping_mul(GOLDEN))).collect();
        for (n, &key) in keys.iter().enumerate() {
            let score = Score(n as i32 % 1_000);
            let depth = n as i32 % 20;
            let entry = Entry { score: Some(score), depth, bound: Bound::LOWER, ..Entry::unsearched(score, false) };
            table.store(key, 0, entry);
        }
        Probes { table, keys }
    }

    /// Looks all of them up; how many were found.
    pub fn probe_all(&self) -> usize {
        self.keys.iter().filter(|&&key| self.table.probe(key, 0).is_some()).count()
    }

    /// Looks all positions up with each cluster fetched `ahead` look-ups ahead.
    pub fn probe_all_ahead(&self, ahead: usize) -> usize {
        let mut found = 0;
        for (&key, &later) in self.keys.iter().zip(self.keys.iter().cycle().skip(ahead)) {
            self.table.prefetch(later);
            found += usize::from(self.table.probe(key, 0).is_some());
        }
        found
    }
}

/// Hands out all moves of the bench positions by the staged picker, with empty histories; how many there were.
#[doc(hidden)]
pub struct Picks {
    positions: Vec<Position>,
    history: History,
}

opaque_debug!(Picks);

impl Default for Picks {
    fn default() -> Picks {
        let positions = POSITIONS.map(|sfen| Position::from_sfen(sfen).expect("the bench positions are valid"));
        Picks { positions: positions.into(), history: History::alone(HistorySize::Small) }
    }
}

impl Picks {
    /// The moves of all positions.
    pub fn pick_all(&self) -> usize {
        self.pick(usize::MAX)
    }

    /// The first moves of each position, as in a node that cuts off.
    pub fn pick(&self, most: usize) -> usize {
        let mut picks = 0;
        for pos in &self.positions {
            let mut picker = Picker::new(pos, None, HistoryKeys::default());
            picks += std::iter::from_fn(|| picker.next(pos, &self.history)).take(most).count();
        }
        picks
    }
}
