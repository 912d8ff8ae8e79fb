//! Games that are there more than once.

use super::SourceGame;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A number that two games share only if they are the same: players, date, start and moves. A list of moves tells
/// neither players nor a date, so that each of its lines is a game of its own.
pub fn fingerprint(game: &SourceGame) -> u64 {
    let record = &game.record;
    let mut hash = DefaultHasher::new();
    let date = record.started.as_deref().map(numbers);
    (record.start.to_sfen(), &record.players, date, game.line).hash(&mut hash);
    for made in &record.moves {
        made.mv.hash(&mut hash);
    }
    hash.finish()
}

/// Numbers of a date and of a time of day, which formats and programs write in several ways; midnight stands for no time.
fn numbers(date: &str) -> Vec<u32> {
    let mut numbers: Vec<u32> =
        date.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect();
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    numbers
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
        for date in ["2026年11月21日(土) 10:00", "2026-11-21 10時00分", "2026/11/21　10:00:00"] {
            assert_eq!(
                count(&[("a.kif", kif), ("b.kif", &kif.replace("2026/11/21 10:00:00", date))]),
                (1, 1),
                "{date}"
            );
        }
        let early = kif.replace(" 10:00:00", "");
        assert_eq!(count(&[("a.kif", &early), ("b.csa", &csa.replace("10:00:00", "00:00:00"))]), (1, 1));
        assert_eq!(count(&[("a.kif", &early), ("b.csa", csa)]), (2, 0), "another hour may be another game");
    }

    #[test]
    fn lines_of_a_list_are_games_of_their_own() {
        let list = "startpos moves 7g7f\nstartpos moves 7g7f\n";
        assert_eq!(count(&[("a.usi", list)]), (2, 0));
        assert_eq!(count(&[("a.usi", list), ("b.usi", list)]), (2, 2));
    }
}
