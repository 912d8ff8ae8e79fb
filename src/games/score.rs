//! Scores that records tell of their moves.

use crate::notation::record::GameRecord;
use crate::notation::remark::{SearchRemark, read_remarks};
use crate::types::Color;

/// A score of a move with the depth of its search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveScore {
    /// Centipawns from the view of the side that moved, within ±32000; a mate in `n` plies is 32000 - n, one of unknown
    /// length 31000. `None` if the record says nothing.
    pub value: Option<i32>,
    /// Plies; 0 if it is not told.
    pub depth: u32,
}

/// The score of each move that programs wrote into the comments of a record, in whatever form. Of what the player
/// thought and what an analysis found the deeper one counts.
pub fn move_scores(record: &GameRecord) -> Vec<MoveScore> {
    let mut pos = record.start.clone();
    let mut scores = Vec::with_capacity(record.moves.len());
    for made in &record.moves {
        let remarks = read_remarks(&pos, Some(made.mv), &made.comments);
        let told = [remarks.player, remarks.research].into_iter().flatten();
        let deepest = told.filter_map(|remark| score(&remark, pos.side())).max_by_key(|score| score.depth);
        scores.push(deepest.unwrap_or_default());
        pos.do_move(made.mv);
    }
    scores
}

/// A score from the view of a side; remarks have it from black's.
fn score(remark: &SearchRemark, side: Color) -> Option<MoveScore> {
    let for_black = remark.score?.book_value();
    let value = if side == Color::Black { for_black } else { -for_black };
    Some(MoveScore { value: Some(value), depth: remark.depth.unwrap_or(0) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::usi::parse_game;

    /// Value and depth of the move that is made after `before`, with these comments.
    fn scored(before: &str, comments: &[&str]) -> (Option<i32>, u32) {
        let mut record = parse_game(&format!("startpos moves {before}")).unwrap().record;
        let last = record.moves.last_mut().unwrap();
        last.comments = comments.iter().map(|line| line.to_string()).collect();
        let score = move_scores(&record).pop().unwrap();
        (score.value, score.depth)
    }

    #[test]
    fn scores_are_read_from_comments_and_turned_to_the_mover() {
        let black = "7g7f";
        let white = "7g7f 3c3d";
        assert_eq!(scored(black, &["*評価値=35", "*深さ=12"]), (Some(35), 12));
        assert_eq!(scored(white, &["#評価値=-120"]), (Some(120), 0));
        assert_eq!(scored(white, &["* 35 +2726FU"]), (Some(-35), 0));
        assert_eq!(scored(black, &["* 99999"]), (Some(31_000), 0));
        assert_eq!(scored(white, &["*詰み=先手勝ち:7手"]), (Some(-31_993), 0));
        assert_eq!(scored(white, &["#詰み=後手勝ち"]), (Some(31_000), 0));
        let shogigui = "*対局 時間 00:00.8 深さ 22/28 ノード数 5 評価値 88 読み筋 ▲７六歩(77)";
        assert_eq!(scored(black, &[shogigui]), (Some(88), 22));
        assert_eq!(scored(black, &["35 people watch"]), (None, 0));
        assert_eq!(scored(black, &["良い手"]), (None, 0));
    }

    #[test]
    fn the_deeper_of_player_and_analysis_counts() {
        let player = ["*評価値=10", "*深さ=12"];
        let analysis = ["#評価値=20", "#深さ=11"];
        assert_eq!(scored("7g7f", &[player, analysis].concat()), (Some(10), 12));
        assert_eq!(scored("7g7f", &["*評価値=10", "#評価値=20"]), (Some(20), 0));
    }
}
