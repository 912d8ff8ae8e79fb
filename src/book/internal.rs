//! The book that is built in: openings that everybody knows, valued and extended by the engine's own searches.

/// The name that stands for it in place of a file: `Book::open(Path::new(INTERNAL), OnTheFly::Auto)`.
pub const INTERNAL: &str = "<internal>";

/// File of the built-in book, a `.ybb`.
#[cfg(not(feature = "packed"))]
pub(super) fn file() -> &'static [u8] {
    include_bytes!("komainu.ybb")
}

/// File of the built-in book, a `.ybb`, inflated at the first call.
#[cfg(feature = "packed")]
pub(super) fn file() -> &'static [u8] {
    static FILE: once_cell::sync::Lazy<Vec<u8>> = once_cell::sync::Lazy::new(|| {
        let deflated = include_bytes!(env!("KOMAINU_BOOK"));
        miniz_oxide::inflate::decompress_to_vec_zlib(deflated).expect("the build has deflated it")
    });
    &FILE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::stream::visit_entries;
    use crate::book::{Book, BookError, BookFormat, Lookup, OnTheFly, check::check_book};
    use crate::position::Position;
    use std::path::Path;

    #[test]
    fn the_built_in_book_is_small_and_without_faults() {
        assert!(file().len() <= 300_000, "{} bytes", file().len());
        let mut faults = Vec::new();
        let mut found = |fault: &str| faults.push(fault.to_string());
        let report = check_book(Path::new(INTERNAL), &std::env::temp_dir(), 1 << 20, &mut found).unwrap();
        assert_eq!((faults, report.faults), (Vec::new(), 0));
        assert!(report.positions >= 1_000, "{} positions", report.positions);
    }

    #[test]
    fn it_opens_games_in_several_ways_and_no_move_is_much_worse_than_the_best() {
        let book = Book::open(Path::new(INTERNAL), OnTheFly::Auto).unwrap();
        assert_eq!((book.format(), book.is_on_disk()), (BookFormat::Ybb, false));
        let first = book.find(&Position::startpos(), Lookup::default()).unwrap().expect("the start position");
        let first: Vec<String> = first.iter().map(|candidate| candidate.mv.to_string()).collect();
        assert!(first.len() == 2 && first.iter().all(|mv| ["2g2f", "7g7f"].contains(&mv.as_str())), "{first:?}");
        let visited = visit_entries::<BookError>(Path::new(INTERNAL), |entry| {
            let value = |place: usize| entry.moves[place].value.expect("every move was searched");
            let worst = (0..entry.moves.len()).map(value).min().unwrap();
            assert!(value(0) - worst <= 30, "{}: {:?}", entry.position, entry.moves);
            Ok(())
        });
        visited.unwrap();
    }

    #[test]
    fn its_main_lines_are_sixteen_plies_long_and_more() {
        let book = Book::open(Path::new(INTERNAL), OnTheFly::Auto).unwrap();
        for first in ["2g2f", "7g7f"] {
            let mut pos = Position::startpos();
            pos.play(first.parse().unwrap()).unwrap();
            while let Some(moves) = book.find(&pos, Lookup::default()).unwrap() {
                pos.play(moves[0].mv).expect("a legal move");
            }
            assert!(pos.moves_made() >= 16, "{first}: {} plies, {pos}", pos.moves_made());
        }
    }

    #[test]
    fn both_sides_play_static_and_ranging_rooks() {
        let mut played = std::collections::HashSet::new();
        let visited = visit_entries::<BookError>(Path::new(INTERNAL), |entry| {
            played.extend(entry.moves.iter().map(|candidate| candidate.mv.to_string()));
            Ok(())
        });
        visited.unwrap();
        for mv in ["2f2e", "8d8e", "2h6h", "8b4b"] {
            assert!(played.contains(mv), "{mv}");
        }
    }
}
