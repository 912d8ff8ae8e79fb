//! The expressions by which ShogiHome reads scores and lines of play from comments, written once more by what they
//! match.
//!
//! A line that no expression matches is text. Later lines win over earlier ones.

use komainu::movegen::{All, generate};
use komainu::notation::csa;
use komainu::notation::ki2;
use komainu::position::Position;

/// What ShogiHome keeps of the comments on a move.
#[derive(Debug, Default)]
pub(super) struct Custom {
    pub(super) player: Info,
    pub(super) research: Info,
    lines: Vec<String>,
}

#[derive(Debug, Default)]
pub(super) struct Info {
    pub(super) score: Option<i64>,
    pub(super) mate: Option<i64>,
    pub(super) depth: Option<i64>,
}

impl Custom {
    pub(super) fn of(comment: &str) -> Custom {
        let mut custom = Custom { lines: comment.split('\n').map(str::to_string).collect(), ..Custom::default() };
        for line in comment.split('\n') {
            let player = &mut custom.player;
            let research = &mut custom.research;
            player.mate = mate(line, "*").or(player.mate);
            research.mate = mate(line, "#").or(research.mate);
            let player_score = score(line, "*評価値=")
                .or_else(|| line.strip_prefix('*').and_then(|rest| integer(rest.trim_start_matches(' '))))
                .or_else(|| spaced(line, "*対局 "));
            player.score = player_score.or(player.score);
            let research_score = score(line, "#評価値=")
                .or_else(|| spaced(line, "*解析 "))
                .or_else(|| spaced(line, "* "))
                .or_else(|| bracket(line));
            research.score = research_score.or(research.score);
            player.depth = score(line, "*深さ=").or(player.depth);
            research.depth = score(line, "#深さ=").or(research.depth);
        }
        custom
    }

    /// How many lines of play ShogiHome finds from a position on; each is followed to its end.
    pub(super) fn lines(&self, pos: &Position) -> usize {
        self.lines.iter().filter(|line| Self::has_line(line, pos)).count()
    }

    fn has_line(line: &str, pos: &Position) -> bool {
        if let Some(moves) = line.strip_prefix("#読み筋=").or_else(|| line.strip_prefix("*読み筋=")) {
            return follow(pos, moves.split(" 候補").next().unwrap());
        }
        if let Some((head, moves)) = line.split_once(" 読み筋 ") {
            return head.starts_with('*') && follow(pos, &moves.replace(' ', ""));
        }
        let words: Vec<&str> = line.split(' ').collect();
        if words.len() > 2 && words[0] == "*" && words[1].parse::<i64>().is_ok() {
            let mut pos = pos.clone();
            for word in words[2..].iter().filter(|word| !word.starts_with('#')) {
                assert_eq!(word.len(), 7, "{line}");
                let mv = csa::parse_move(&pos, word).unwrap_or_else(|| panic!("{word} in {line}"));
                pos.do_move(mv);
            }
            return true;
        }
        false
    }
}

/// Follows moves in Japanese, each with its mark, by writing every legal move and comparing; a move that is none fails.
fn follow(pos: &Position, moves: &str) -> bool {
    // ShogiHome reads a line without the move before it: its first move cannot be 同.
    let mut pos = pos.without_history();
    let marked = moves.split_inclusive(['▲', '△']);
    let words: Vec<&str> =
        marked.map(|word| word.trim_end_matches(['▲', '△'])).filter(|word| !word.is_empty()).collect();
    for word in &words {
        let last = pos.last_move().map(|mv| mv.to());
        let plain = word.replace('　', "");
        let name = plain.split('(').next().unwrap();
        // A drop is called one although nothing else could be meant: the second choice.
        let find = |may_say_drop: bool| {
            generate::<All>(&pos).iter().copied().find(|&mv| {
                if plain.ends_with(')') {
                    // With an origin nothing else tells the piece.
                    let text = komainu::notation::kif::move_text(&pos, mv, last);
                    return plain == text.trim_start_matches(['▲', '△']).replace('　', "");
                }
                let text = ki2::move_text(&pos, mv, last);
                let text = text.trim_start_matches(['▲', '△']);
                text == name
                    || text.trim_end_matches("不成") == name
                    || may_say_drop && format!("{text}打") == name && mv.to_string().contains('*')
            })
        };
        let mv = find(false).or_else(|| find(true));
        let mv = mv.unwrap_or_else(|| panic!("{word} of {moves} in {pos}"));
        pos.do_move(mv);
    }
    !words.is_empty()
}

fn integer(text: &str) -> Option<i64> {
    let digits = text.trim_start_matches(['+', '-']);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let number: i64 = digits[..end].parse().ok()?;
    Some(if text.starts_with('-') { -number } else { number })
}

fn score(line: &str, head: &str) -> Option<i64> {
    integer(line.strip_prefix(head)?)
}

/// `… 評価値 123`
fn spaced(line: &str, head: &str) -> Option<i64> {
    let rest = line.strip_prefix(head)?;
    integer(rest.rsplit_once(" 評価値 ")?.1)
}

fn bracket(line: &str) -> Option<i64> {
    let rest = line.strip_prefix("#形勢[").or_else(|| line.strip_prefix("#指し手["))?;
    integer(rest)
}

fn mate(line: &str, sign: &str) -> Option<i64> {
    let rest = line.strip_prefix(sign)?.strip_prefix("詰み=")?;
    let (winner, rest) = match (rest.strip_prefix("先手勝ち"), rest.strip_prefix("後手勝ち")) {
        (Some(rest), _) => (1, rest),
        (_, Some(rest)) => (-1, rest),
        _ => return None,
    };
    Some(winner * rest.strip_prefix(':').and_then(integer).unwrap_or(i64::MAX))
}
