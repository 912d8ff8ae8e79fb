//! Games that are there more than once.

use super::SourceGame;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A number that two games share only if they are the same: players, date, start and moves. A list of moves tells
/// neither players nor a date, so that each of its lines is a game of its own.
pub fn fingerprint(game: &SourceGame) -> u64 {
    let record = &game.record;
    let mut hash = DefaultHasher::new();
    let date = record.started.as_deref().and_then(digits);
    (record.start.to_sfen(), &record.players, date, game.line).hash(&mut hash);
    for made in &record.moves {
        made.mv.hash(&mut hash);
    }
    hash.finish()
}

/// Digits of a date and of a time of day: formats write them in several ways.
fn digits(date: &str) -> Option<String> {
    let digits: String = date.chars().filter(char::is_ascii_digit).collect();
    if digits.is_empty() { None } else { Some(digits) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::read_source;
    use std::collections::HashSet;

    /// Games that are there, and those that are there again.
    fn count(files: &[(&str, &str)]) -> (usize, usize) {
        let games = files.iter().flat_map(|(name, text)| read_source(name, text.as_bytes()));
        let prints: Vec<u64> = games.map(|game| fingerprint(&game.unwrap())).collect();
        let distinct = prints.iter().collect::<HashSet<_>>().len();
        (distinct, prints.len() - distinct)
    }

    #[test]
    fn a_game_is_known_again_in_another_format() {
        let kif = "開始日時：2026/11/21 10:00:00\n先手：甲\n後手：乙\n   1 ７六歩(77)\n";
        let csa = "N+甲\nN-乙\n$START_TIME:2026/11/21 10:00:00\nPI\n+\n+7776FU\n";
        assert_eq!(count(&[("a.kif", kif), ("a.csa", csa)]), (1, 1));
        assert_eq!(count(&[("a.kif", kif), ("b.kif", &kif.replace("甲", "丙"))]), (2, 0));
        assert_eq!(count(&[("a.kif", kif), ("b.kif", &kif.replace("11/21", "11/22"))]), (2, 0));
    }

    #[test]
    fn lines_of_a_list_are_games_of_their_own() {
        let list = "startpos moves 7g7f\nstartpos moves 7g7f\n";
        assert_eq!(count(&[("a.usi", list)]), (2, 0));
        assert_eq!(count(&[("a.usi", list), ("b.usi", list)]), (2, 2));
    }
}
