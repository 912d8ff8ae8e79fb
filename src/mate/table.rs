//! The transposition table of the solver.
//!
//! Open addressing with linear probing. The home of an entry follows from the board alone, so all hands of one board
//! lie in one run: a look-up finds the exact entry and those that decide it by dominance. The table starts small, which
//! keeps easy problems in the cache, and doubles in place up to its limit; then, whenever it is full, the half that
//! took the least work is thrown out. Memory for more than the first slots is taken when a search needs it
//! ([`MateTable::reserve`]).
//!
//! A result is kept as two lengths: a mate in at most `proven` plies exists, none in at most `disproven` plies does. So
//! the same table serves searches with any limit of length.

use super::node::Length;
use super::search::UNIT;
use crate::random::SplitMix64;
use crate::types::{Hand, Key, Move};

/// Words of an entry: two entries fill a cache line.
const WORDS: usize = 4;
/// The bit beside the hand that says whether a failure by repetition is stored for some path.
const REPETITION: u32 = 1 << 31;
const _: () = assert!(Hand::from_bits_truncate(REPETITION).is_empty());
/// Nothing proven.
const UNPROVEN: Length = Length::MAX;
/// Slots of a new table.
const FIRST_SLOTS: usize = 1 << 12;
/// Slots behind the last home, so that a run need not go round.
const TAIL: usize = 256;
/// Slots that are moved between two reads of the clock.
const SLOTS_PER_CLOCK_READ: usize = 1 << 14;
/// Added to the work of a decided entry: results outlive estimates.
const DECIDED: u32 = 1_000;

/// An entry, taken apart.
#[derive(Clone, Copy, Debug)]
struct TableEntry {
    key: Key,
    hand: Hand,
    pn: u32,
    dn: u32,
    proven: Length,
    disproven: Length,
    /// The least ply at which the position was met.
    ply: u16,
    /// The move that mates, as bits.
    mv: u16,
    /// Nodes that were searched below; 0 in an empty slot.
    work: u32,
    /// A failure by repetition is stored for some path.
    repetition: bool,
}

impl TableEntry {
    fn read(words: &[u64; WORDS]) -> TableEntry {
        TableEntry {
            key: Key(words[0]),
            hand: Hand::from_bits_truncate(words[1] as u32),
            repetition: words[1] as u32 & REPETITION != 0,
            work: (words[1] >> 32) as u32,
            pn: words[2] as u32,
            dn: (words[2] >> 32) as u32,
            proven: words[3] as u16,
            disproven: (words[3] >> 16) as u16,
            ply: (words[3] >> 32) as u16,
            mv: (words[3] >> 48) as u16,
        }
    }

    fn write(&self) -> [u64; WORDS] {
        [
            self.key.0,
            (self.hand.bits() | if self.repetition { REPETITION } else { 0 }) as u64 | (self.work as u64) << 32,
            self.pn as u64 | (self.dn as u64) << 32,
            self.proven as u64 | (self.disproven as u64) << 16 | (self.ply as u64) << 32 | (self.mv as u64) << 48,
        ]
    }

    fn new(key: Key, hand: Hand) -> TableEntry {
        TableEntry {
            key,
            hand,
            pn: 1,
            dn: 1,
            proven: UNPROVEN,
            disproven: 0,
            ply: u16::MAX,
            mv: 0,
            work: 1,
            repetition: false,
        }
    }
}

/// Result of a look-up.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LookupResult {
    /// A mate within the limit.
    Proven { len: Length, hand: Hand, mv: Option<Move> },
    /// No mate within the limit, on whatever path.
    Disproven { len: Length, hand: Hand },
    /// Not decided.
    Open { pn: u32, dn: u32, ply: u16, repetition: bool },
    /// Never met with this hand. The numbers are bounds that follow from other hands, 0 if there are none.
    Unknown { pn: u32, dn: u32 },
}

/// Entry of a position that is not decided.
pub(crate) struct OpenEntry {
    pub(crate) pn: u32,
    pub(crate) dn: u32,
    pub(crate) ply: u16,
    pub(crate) work: u32,
}

/// Tests whether the system would give memory for so many values.
pub(crate) fn is_free<T>(count: usize) -> bool {
    Vec::<T>::new().try_reserve_exact(count).is_ok()
}

/// Words of a table with so many homes, with some to spare for those before the first cache line.
fn words_for(homes: usize) -> usize {
    (homes + TAIL + 1) * WORDS
}

/// The table.
pub(crate) struct MateTable {
    words: Vec<u64>,
    /// Words before the first that begins a cache line.
    skipped: usize,
    /// Slots that are homes.
    homes: usize,
    /// The most that `homes` may become.
    max_homes: usize,
    used: usize,
    /// It was left while it was rebuilt: what it holds cannot be found any more.
    is_broken: bool,
    /// During a trial: the slots that were written and what they held before.
    overwritten: Option<Vec<(usize, [u64; WORDS])>>,
}

impl MateTable {
    /// A table of at most this many bytes, unless the system does not give them.
    pub(crate) fn new(bytes: usize) -> Option<MateTable> {
        let max_homes = (bytes / size_of::<[u64; WORDS]>()).saturating_sub(TAIL + 1).max(64);
        let homes = FIRST_SLOTS.min(max_homes);
        let mut table =
            MateTable { words: Vec::new(), skipped: 0, homes, max_homes, used: 0, is_broken: false, overwritten: None };
        if !is_free::<u64>(words_for(max_homes)) || !table.enlarge(words_for(homes)) {
            return None;
        }
        Some(table)
    }

    /// Takes the memory for a table of any size, if that has not been done. If it is no longer there the table stays small.
    pub(crate) fn reserve(&mut self) {
        if !self.enlarge(words_for(self.max_homes)) {
            self.max_homes = self.homes;
        }
    }

    /// Moves into so many words, unless there are as many already. Returns whether it has them.
    fn enlarge(&mut self, count: usize) -> bool {
        if self.words.len() >= count {
            return true;
        }
        if !is_free::<u64>(count) {
            return false;
        }
        // Zeroed memory comes from the system untouched: what is never used is never paid for.
        let mut words = vec![0; count];
        let skipped = (words.as_ptr() as usize / size_of::<u64>()).wrapping_neg() % WORDS;
        let slots = self.slots().as_flattened();
        words[skipped..][..slots.len()].copy_from_slice(slots);
        self.words = words;
        self.skipped = skipped;
        true
    }

    /// Filled part of the table, in thousandths of its limit.
    pub(crate) fn hashfull(&self) -> u32 {
        (self.used as u64 * 1_000 / self.max_homes as u64).min(1_000) as u32
    }

    fn slots(&self) -> &[[u64; WORDS]] {
        self.words[self.skipped..].as_chunks().0
    }

    fn slots_mut(&mut self) -> &mut [[u64; WORDS]] {
        self.words[self.skipped..].as_chunks_mut().0
    }

    fn home(&self, key: Key) -> usize {
        ((key.0 as u128 * self.homes as u128) >> 64) as usize
    }

    /// Reads the first entry of a board into the cache. Look-ups wait for memory most of their time; to prefetch the
    /// entries of several boards lets them wait for all at once.
    pub(crate) fn prefetch(&self, key: Key) -> u64 {
        self.slots()[self.home(key)][0]
    }

    /// Knowledge about a mate within `len` plies in the position.
    #[inline]
    pub(crate) fn look_up(&self, key: Key, hand: Hand, len: Length, ply: usize) -> LookupResult {
        let mut pn = 0;
        let mut dn = 0;
        let mut own: Option<TableEntry> = None;
        let mut proof: Option<TableEntry> = None;
        for words in &self.slots()[self.home(key)..] {
            if words[1] >> 32 == 0 {
                break;
            }
            if words[0] != key.0 {
                continue;
            }
            let entry = TableEntry::read(words);
            let its = entry.hand;
            if hand.dominates(its) {
                if entry.proven != UNPROVEN
                    && entry.proven <= len
                    && proof.is_none_or(|best| entry.proven < best.proven)
                {
                    proof = Some(entry);
                }
                if its != hand && entry.dn > 0 && entry.ply as usize <= ply {
                    dn = dn.max(entry.dn);
                }
            }
            if its.dominates(hand) {
                if entry.disproven >= len {
                    return LookupResult::Disproven { len: entry.disproven, hand: its };
                }
                if its != hand && entry.pn > 0 && entry.ply as usize <= ply {
                    pn = pn.max(entry.pn);
                }
            }
            if its == hand {
                own = Some(entry);
            }
        }
        match proof {
            Some(entry) => LookupResult::Proven { len: entry.proven, hand: entry.hand, mv: Move::from_bits(entry.mv) },
            None => match own {
                Some(TableEntry { pn, dn, ply, repetition, .. }) => LookupResult::Open { pn, dn, ply, repetition },
                None => LookupResult::Unknown { pn, dn },
            },
        }
    }

    /// Changes the entry of a position, which is made if there is none.
    #[inline]
    fn update(&mut self, key: Key, hand: Hand, change: impl FnOnce(&mut TableEntry)) {
        let home = self.home(key);
        let mut at = home;
        loop {
            let Some(words) = self.slots().get(at) else { return };
            if words[1] >> 32 == 0 {
                break;
            }
            if words[0] == key.0 && Hand::from_bits_truncate(words[1] as u32) == hand {
                let mut entry = TableEntry::read(words);
                change(&mut entry);
                return self.write(at, &entry);
            }
            at += 1;
        }
        let mut entry = TableEntry::new(key, hand);
        change(&mut entry);
        self.write(at, &entry);
        self.used += 1;
    }

    fn write(&mut self, at: usize, entry: &TableEntry) {
        let old = std::mem::replace(&mut self.slots_mut()[at], entry.write());
        if let Some(overwritten) = &mut self.overwritten {
            overwritten.push((at, old));
        }
    }

    /// From now on what is overwritten is kept for [`MateTable::end_trial`]. There must be no [`MateTable::make_room`]
    /// before that.
    pub(crate) fn begin_trial(&mut self) {
        self.overwritten = Some(Vec::new());
    }

    /// Takes back what was stored since [`MateTable::begin_trial`], or keeps it.
    pub(crate) fn end_trial(&mut self, keep: bool) {
        let overwritten = self.overwritten.take().unwrap_or_default();
        if !keep {
            for (at, old) in overwritten.into_iter().rev() {
                self.slots_mut()[at] = old;
                self.used -= (old[1] >> 32 == 0) as usize;
            }
        }
    }

    /// Stores the numbers of a position that is not decided.
    pub(crate) fn store_open(&mut self, key: Key, hand: Hand, estimate: &OpenEntry) {
        self.update(key, hand, |entry| {
            entry.pn = estimate.pn;
            entry.dn = estimate.dn;
            entry.ply = entry.ply.min(estimate.ply);
            entry.work = entry.work.max(estimate.work);
        });
    }

    /// Notes that a failure by repetition is remembered for some path to the position. Its numbers are forgotten: they
    /// were those of a failure near at hand, and on other paths the position may be good.
    pub(crate) fn mark_repetition(&mut self, key: Key, hand: Hand, ply: u16) {
        self.update(key, hand, |entry| {
            entry.repetition = true;
            entry.pn = UNIT;
            entry.dn = UNIT;
            entry.ply = entry.ply.min(ply);
        });
    }

    /// Stores a mate.
    pub(crate) fn store_proof(&mut self, key: Key, hand: Hand, len: Length, mv: Option<Move>, work: u32) {
        self.update(key, hand, |entry| {
            if len <= entry.proven {
                entry.proven = len;
                entry.mv = mv.map_or(0, Move::bits);
            }
            entry.work = entry.work.max(work.saturating_add(DECIDED));
        });
    }

    /// Stores that there is no mate.
    pub(crate) fn store_disproof(&mut self, key: Key, hand: Hand, len: Length, work: u32) {
        self.update(key, hand, |entry| {
            entry.disproven = entry.disproven.max(len);
            entry.work = entry.work.max(work.saturating_add(DECIDED));
        });
    }

    /// Tests whether it is time for [`MateTable::make_room`]: two thirds are filled.
    pub(crate) fn is_crowded(&self) -> bool {
        self.used * 3 >= self.homes * 2
    }

    /// Tests whether the table is of no use until it is cleared.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Forgets everything. A large table takes its time; if `is_over` then says that nobody waits any more, it is left
    /// broken.
    pub(crate) fn clear(&mut self, mut is_over: impl FnMut() -> bool) {
        if self.used == 0 && !self.is_broken {
            return;
        }
        let end = self.homes + TAIL;
        self.is_broken = true;
        for part in self.slots_mut()[..end].chunks_mut(SLOTS_PER_CLOCK_READ) {
            if is_over() {
                return;
            }
            part.fill([0; WORDS]);
        }
        self.homes = FIRST_SLOTS.min(self.max_homes);
        self.used = 0;
        self.is_broken = false;
    }

    /// Doubles the table or, if it has its full size, throws out what took the least work. A large table takes its
    /// time; if `is_over` then says that nobody waits for a result any more, the table is left broken.
    #[cold]
    pub(crate) fn make_room(&mut self, mut is_over: impl FnMut() -> bool) {
        self.reserve();
        self.is_broken = true;
        let is_done =
            if self.homes < self.max_homes { self.grow(&mut is_over) } else { self.collect_garbage(&mut is_over) };
        self.is_broken = !is_done;
    }

    /// Doubles the number of homes in place: from the end on every entry moves to a slot behind all that still wait.
    /// Returns whether it came to the end of it.
    fn grow(&mut self, is_over: &mut impl FnMut() -> bool) -> bool {
        let end = self.homes + TAIL;
        self.homes = (self.homes * 2).min(self.max_homes);
        let mut waiting = Vec::new();
        for at in (0..end).rev() {
            if at % SLOTS_PER_CLOCK_READ == 0 && is_over() {
                return false;
            }
            if self.slots()[at][1] >> 32 == 0 {
                continue;
            }
            let words = std::mem::replace(&mut self.slots_mut()[at], [0; WORDS]);
            if self.home(Key(words[0])) > at {
                self.place(words);
            } else {
                waiting.push(words);
            }
        }
        for words in waiting {
            self.place(words);
        }
        true
    }

    /// Throws out about half of the entries, those with the least work, and closes the gaps. Returns whether it came to
    /// the end of it.
    fn collect_garbage(&mut self, is_over: &mut impl FnMut() -> bool) -> bool {
        let end = self.homes + TAIL;
        let step = (end / 20_000).max(1);
        let mut sample: Vec<u32> = self.slots()[..end]
            .iter()
            .step_by(step)
            .map(|words| (words[1] >> 32) as u32)
            .filter(|&work| work > 0)
            .collect();
        sample.sort_unstable();
        let threshold = sample.get(sample.len() / 2).copied().unwrap_or(0);
        self.used = 0;
        let mut random = SplitMix64(0);
        for at in 0..end {
            if at % SLOTS_PER_CLOCK_READ == 0 && is_over() {
                return false;
            }
            let work = (self.slots()[at][1] >> 32) as u32;
            if work == 0 {
                continue;
            }
            let words = std::mem::replace(&mut self.slots_mut()[at], [0; WORDS]);
            // Of those at the threshold every other one stays: often very many took the same work.
            if work > threshold || work == threshold && random.below(2) == 0 {
                self.place(words);
                self.used += 1;
            }
        }
        true
    }

    /// Puts an entry into the first free slot from its home on.
    fn place(&mut self, words: [u64; WORDS]) {
        let home = self.home(Key(words[0]));
        if let Some(slot) = self.slots_mut()[home..].iter_mut().find(|slot| slot[1] >> 32 == 0) {
            *slot = words;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::GOLDEN;
    use crate::types::PieceType;

    fn key(i: u64) -> Key {
        Key(i.wrapping_mul(GOLDEN))
    }

    fn estimate(work: u32) -> OpenEntry {
        OpenEntry { pn: work, dn: 7, ply: 3, work }
    }

    #[test]
    fn a_growing_table_loses_nothing() {
        let mut table = MateTable::new(64 << 20).unwrap();
        for i in 1..=500_000 {
            table.store_open(key(i), Hand::EMPTY, &estimate(i as u32));
            if table.is_crowded() {
                table.make_room(|| false);
            }
        }
        for i in 1..=500_000 {
            let found = table.look_up(key(i), Hand::EMPTY, 9, 3);
            assert!(matches!(found, LookupResult::Open { pn, .. } if pn == i as u32), "{i}: {found:?}");
        }
    }

    #[test]
    fn a_full_table_keeps_what_took_the_most_work() {
        let mut table = MateTable::new(1 << 20).unwrap();
        for i in 1..=200_000 {
            table.store_open(key(i), Hand::EMPTY, &estimate(if i % 100 == 0 { 1_000_000 } else { 1 }));
            if table.is_crowded() {
                table.make_room(|| false);
            }
        }
        for i in (100..=200_000).step_by(100) {
            let found = table.look_up(key(i), Hand::EMPTY, 9, 3);
            assert!(matches!(found, LookupResult::Open { .. }), "{i}: {found:?}");
        }
        assert!(table.used * 3 <= table.homes * 2);
    }

    #[test]
    fn what_was_stored_in_a_trial_is_taken_back() {
        let mut table = MateTable::new(1 << 20).unwrap();
        table.store_open(key(1), Hand::EMPTY, &estimate(1));
        let before = (table.words.clone(), table.used);
        table.begin_trial();
        table.store_proof(key(1), Hand::EMPTY, 3, None, 1);
        table.store_open(key(2), Hand::EMPTY, &estimate(2));
        table.store_proof(key(2), Hand::EMPTY, 3, None, 1);
        table.end_trial(false);
        assert!(before == (table.words, table.used));
    }

    #[test]
    fn results_hold_for_better_and_worse_hands_and_their_lengths() {
        let mut table = MateTable::new(1 << 20).unwrap();
        let hand = |pawns: u8| {
            let mut hand = Hand::EMPTY;
            hand.set(PieceType::Pawn, pawns);
            hand
        };
        table.store_proof(key(1), hand(3), 7, None, 1);
        table.store_disproof(key(1), hand(2), 5, 1);
        let look_up = |pawns, len| table.look_up(key(1), hand(pawns), len, 0);
        assert!(matches!(look_up(4, 7), LookupResult::Proven { len: 7, .. }));
        assert!(matches!(look_up(4, 5), LookupResult::Unknown { .. }));
        assert!(matches!(look_up(2, 7), LookupResult::Open { .. }));
        assert!(matches!(look_up(1, 5), LookupResult::Disproven { len: 5, .. }));
        assert!(matches!(look_up(3, 5), LookupResult::Open { .. }));
    }
}
