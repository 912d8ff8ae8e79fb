//! Tables of 16-bit cells that several threads read and learn at a time.
//!
//! Every access is a relaxed load or a relaxed store of one cell. Of two threads that learn the same cell at the same
//! moment one may lose its bonus; a cell always holds a value that one of them has stored, and so stays within its
//! bound.

use crate::system::large_shared;
use rayon::prelude::*;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicI16, Ordering};

/// Cells that a task fills at a time when a table is cleared.
const FILLED_AT_ONCE: usize = 1 << 20;

/// A value that any thread may change.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct Cell(AtomicI16);

impl Cell {
    const fn new(value: i16) -> Cell {
        Cell(AtomicI16::new(value))
    }

    pub(crate) fn get(&self) -> i32 {
        i32::from(self.0.load(Ordering::Relaxed))
    }

    /// Moves the value towards the bonus' sign, as [`gravity`] does.
    pub(crate) fn learn<const LIMIT: i32>(&self, bonus: i32) {
        let mut value = self.0.load(Ordering::Relaxed);
        gravity::<LIMIT>(&mut value, bonus);
        self.0.store(value, Ordering::Relaxed);
    }
}

/// Cells that are read at once.
pub(crate) const LANES: usize = if cfg!(all(target_arch = "x86_64", target_feature = "avx512f")) { 16 } else { 8 };

/// The values of the cells of a row from `at` on, each of them read as by a relaxed load of its own. Compilers make no
/// vectors of atomic loads, and the order of quiet moves reads hundreds of cells.
pub(crate) fn read_lanes(row: &[Cell; 81], at: usize) -> [i32; LANES] {
    assert!(at + LANES <= row.len(), "the lanes lie within the row");
    #[cfg(all(target_arch = "x86_64", target_feature = "avx512f", not(miri)))]
    {
        let lanes: std::arch::x86_64::__m512i;
        // SAFETY: it reads 32 bytes of `row`, as asserted, and nothing else. The cells are aligned to 2 bytes, and
        // these processors read two such bytes as a whole within a vector, too, as relaxed loads do. Every bit
        // pattern is valid.
        unsafe {
            std::arch::asm!("vpmovsxwd {}, ymmword ptr [{} + 2*{}]", out(zmm_reg) lanes, in(reg) row, in(reg) at,
                options(pure, readonly, nostack, preserves_flags));
            std::mem::transmute(lanes)
        }
    }
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2", not(target_feature = "avx512f"), not(miri)))]
    {
        let lanes: std::arch::x86_64::__m256i;
        // SAFETY: as above, with 16 bytes.
        unsafe {
            std::arch::asm!("vpmovsxwd {}, xmmword ptr [{} + 2*{}]", out(ymm_reg) lanes, in(reg) row, in(reg) at,
                options(pure, readonly, nostack, preserves_flags));
            std::mem::transmute(lanes)
        }
    }
    #[cfg(all(target_arch = "x86_64", not(target_feature = "avx2"), not(miri)))]
    {
        let lanes: std::arch::x86_64::__m128i;
        // SAFETY: as above.
        let lanes: [i16; LANES] = unsafe {
            std::arch::asm!("movdqu {}, xmmword ptr [{}]", out(xmm_reg) lanes, in(reg) &raw const row[at],
                options(pure, readonly, nostack, preserves_flags));
            std::mem::transmute(lanes)
        };
        lanes.map(i32::from)
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    {
        let lanes: std::arch::aarch64::int16x8_t;
        // SAFETY: as above; the architecture reads each aligned element of a vector as a whole.
        let lanes: [i16; LANES] = unsafe {
            std::arch::asm!("ld1 {{{0:v}.8h}}, [{1}]", out(vreg) lanes, in(reg) &raw const row[at],
                options(pure, readonly, nostack, preserves_flags));
            std::mem::transmute(lanes)
        };
        lanes.map(i32::from)
    }
    #[cfg(all(target_arch = "wasm32", not(target_feature = "atomics"), not(miri)))]
    {
        // SAFETY: a module without atomics has one thread, so that nobody writes meanwhile.
        let lanes: [i16; LANES] = unsafe { *(&raw const row[at]).cast() };
        lanes.map(i32::from)
    }
    #[cfg(any(
        miri,
        not(any(
            target_arch = "x86_64",
            target_arch = "aarch64",
            all(target_arch = "wasm32", not(target_feature = "atomics"))
        ))
    ))]
    {
        std::array::from_fn(|i| row[at + i].get())
    }
}

/// A table of cells. A clone is the same table.
#[derive(Clone, Default)]
pub(crate) struct Cells(Arc<[Cell]>);

impl Cells {
    pub(crate) fn new(value: i16, len: usize) -> Cells {
        Cells(large_shared(len, || Cell::new(value)))
    }

    /// Gives all cells a value: with all cores and by vectors where nobody else holds the table.
    pub(crate) fn fill(&mut self, value: i16) {
        match Arc::get_mut(&mut self.0) {
            Some(cells) => cells.par_chunks_mut(FILLED_AT_ONCE).for_each(|chunk| {
                for cell in chunk {
                    *cell.0.get_mut() = value;
                }
            }),
            None => {
                for cell in self.0.iter() {
                    cell.0.store(value, Ordering::Relaxed);
                }
            }
        }
    }

    /// Tests whether two handles are of one table.
    #[cfg(test)]
    pub(crate) fn is_same(&self, other: &Cells) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// A sum that changes with every cell.
    #[cfg(test)]
    pub(crate) fn value_sum(&self) -> i64 {
        (1..).zip(self.iter()).map(|(place, cell)| place * i64::from(cell.get())).sum()
    }
}

impl Deref for Cells {
    type Target = [Cell];

    fn deref(&self) -> &[Cell] {
        &self.0
    }
}

/// Moves a value towards the bonus' sign, the less the nearer it is to the bound.
pub(crate) fn gravity<const LIMIT: i32>(value: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-LIMIT, LIMIT);
    let old = i32::from(*value);
    debug_assert!(old.abs() <= LIMIT, "{old} is beyond ±{LIMIT}");
    let new = old + bonus - old * bonus.abs() / LIMIT;
    debug_assert!(new.abs() <= LIMIT, "{old} with {bonus} is beyond ±{LIMIT}");
    *value = new as i16;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_within_their_bounds() {
        let mut value = 0;
        for bonus in [1_600, 9_999, 8_192, -20_000, -1, 8_192, 2_000_000_000].repeat(50) {
            gravity::<30_000>(&mut value, bonus);
            assert!(i32::from(value).abs() <= 30_000);
            let mut small = value.clamp(-1_024, 1_024);
            gravity::<1_024>(&mut small, bonus);
            assert!(i32::from(small).abs() <= 1_024);
        }
    }

    #[test]
    fn cells_read_at_once_are_the_cells() {
        let table = Cells::new(0, 81);
        for (i, cell) in (0..).zip(table.iter()) {
            cell.learn::<30_000>(i * 400 - 16_000);
        }
        for start in 0..=81 - LANES {
            let lanes = read_lanes(table.first_chunk().unwrap(), start);
            assert_eq!(lanes, std::array::from_fn(|i| table[start + i].get()), "{start}");
        }
    }

    #[test]
    fn a_table_is_filled_whoever_holds_it() {
        let mut alone = Cells::new(-523, FILLED_AT_ONCE + 5);
        assert!(alone.iter().all(|cell| cell.get() == -523));
        alone[FILLED_AT_ONCE + 4].learn::<1_024>(100);
        assert!(alone[FILLED_AT_ONCE + 4].get() > -523);
        alone.fill(6);
        assert!(alone.iter().all(|cell| cell.get() == 6));
        let other = alone.clone();
        alone.fill(-1);
        assert!(other.is_same(&alone) && other.iter().all(|cell| cell.get() == -1));
    }

    #[test]
    fn two_threads_learn_the_same_cells_and_every_value_stays_within_its_bound() {
        let table = Cells::new(0, 3);
        std::thread::scope(|scope| {
            for bonus in [900, -700] {
                let table = table.clone();
                scope.spawn(move || {
                    for i in 0..20_000 {
                        table[i % 2].learn::<1_024>(bonus);
                    }
                });
            }
        });
        assert!(table.iter().all(|cell| cell.get().abs() <= 1_024));
        assert!(table[0].get() != 0 && table[1].get() != 0 && table[2].get() == 0);
    }
}
