//! Words for mates, the same in records, JSON and pages.
//!
//! A mate is counted as tsume are: in plies from a move of the attacker on, which is an odd number. Where the defender
//! moves, the line is under way, and the plies that are left of it are told. After the mate nothing is left to count.

use komainu::notation::score::ReportedScore;
use komainu::types::Color;

const MARKS: [char; 2] = ['▲', '△'];

/// Words for a mate in Japanese and English, by the score of the side to move, which may also be able to declare a win;
/// `None` for centipawns.
pub(crate) fn mate_words(score: ReportedScore, side: Color, declares: bool) -> Option<[String; 2]> {
    let attacks = score.mates()?;
    let [ja, en] = match score.as_mate().map(i32::unsigned_abs) {
        _ if declares => ["宣言勝ち".to_string(), "wins by declaration".to_string()],
        Some(plies) if attacks => [format!("{plies}手詰"), format!("mate in {plies}")],
        // Who has no legal move is mated in one ply less than by any move.
        Some(1) => return Some(["詰み".to_string(), "mated".to_string()]),
        Some(plies) => [format!("詰み筋（残り{plies}手）"), format!("mate, {plies} plies left")],
        None => ["詰みあり".to_string(), "mate".to_string()],
    };
    let mark = MARKS[usize::from((side == Color::White) == attacks)];
    Some([format!("{mark}{ja}"), format!("{mark}{en}")])
}

/// Tells whether a line of a comment is words for a mate in Japanese.
pub(super) fn is_mate_words(line: &str) -> bool {
    let Some(words) = line.strip_prefix(MARKS) else { return line == "詰み" };
    let between = |head, end| words.strip_prefix(head).and_then(|rest: &str| rest.strip_suffix(end));
    let plies = between("", "手詰").or_else(|| between("詰み筋（残り", "手）"));
    words == "詰みあり" || words == "宣言勝ち" || plies.is_some_and(|plies| plies.parse::<u32>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ReportedScore::{Centipawns, Mate, UnknownMate};

    #[test]
    fn a_mate_is_counted_from_the_attackers_move() {
        for (score, side, ja, en) in [
            (Mate(5), Color::Black, "▲5手詰", "▲mate in 5"),
            (Mate(5), Color::White, "△5手詰", "△mate in 5"),
            (Mate(-4), Color::White, "▲詰み筋（残り4手）", "▲mate, 4 plies left"),
            (Mate(-2), Color::Black, "△詰み筋（残り2手）", "△mate, 2 plies left"),
            (Mate(-1), Color::White, "詰み", "mated"),
            (UnknownMate { wins: true }, Color::Black, "▲詰みあり", "▲mate"),
            (UnknownMate { wins: false }, Color::Black, "△詰みあり", "△mate"),
        ] {
            assert_eq!(mate_words(score, side, false), Some([ja.to_string(), en.to_string()]));
            assert!(is_mate_words(ja), "{ja}");
        }
        assert_eq!(mate_words(Centipawns(30_000), Color::Black, false), None);
        let [declares, _] = mate_words(Mate(1), Color::White, true).unwrap();
        assert!(declares == "△宣言勝ち" && is_mate_words(&declares));
    }

    #[test]
    fn a_comment_of_somebody_is_not_taken_for_words_of_a_mate() {
        for line in ["▲手詰", "▲３手詰の形", "詰みあり", "▲７六歩", "この局面は詰み", "5手詰"]
        {
            assert!(!is_mate_words(line), "{line}");
        }
    }
}
