//! A person at a terminal: the greeting, `help`, the board.

use crate::position::Position;
use crate::types::{Color, File, Hand, Rank, Square};
use std::fmt::Write;

/// Who reads the output of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Audience {
    /// A GUI or a script: every line is one of the protocol.
    #[default]
    Program,
    /// A person at a terminal, who reads English.
    English,
    /// A person at a terminal, who reads Japanese.
    Japanese,
}

impl Audience {
    /// A person whose environment names this language, as `LANG` does: `ja_JP.UTF-8`.
    pub fn of_language(language: &str) -> Audience {
        if language.starts_with("ja") { Audience::Japanese } else { Audience::English }
    }

    /// Greeting of a session: nothing for a program.
    pub(crate) fn greeting(self) -> &'static [&'static str] {
        match self {
            Audience::Program => &[],
            Audience::English => &[
                concat!("Komainu ", env!("CARGO_PKG_VERSION"), ", a shogi engine"),
                "It speaks USI: try `usi`. `help` says what else to type, `komainu help` lists the commands, `quit` ends.",
            ],
            Audience::Japanese => &[
                concat!("Komainu ", env!("CARGO_PKG_VERSION"), "（将棋エンジン）"),
                "USIプロトコルで動きます。まず`usi`を。入力できる行は`help`、コマンドの一覧は`komainu help`、終了は`quit`です。",
            ],
        }
    }

    /// The answer to `help`.
    pub(crate) fn help(self) -> &'static [&'static str] {
        match self {
            Audience::Program | Audience::English => &[
                "usi                               name and options of the engine",
                "isready                           make ready, answered by readyok",
                "setoption name NAME value VALUE   set an option: setoption name Level value 10kyu",
                "position startpos moves 7g7f      set up a position; also: position sfen SFEN moves ...",
                "go movetime 1000                  search for a move; also: nodes N, depth N, btime MS wtime MS byoyomi MS",
                "go infinite                       analyse until stop",
                "go mate 10000                     look for a mate for 10 seconds",
                "stop                              end the search with its answer",
                "d                                 show the board",
                "eval                              show the static evaluation, without a search",
                "bench                             measure the speed",
                "quit                              end; in a shell, `komainu help` lists what else the program does",
            ],
            Audience::Japanese => &[
                "usi                               エンジンの名前とオプション",
                "isready                           準備する（readyokが返る）",
                "setoption name NAME value VALUE   オプションを設定する：setoption name Level value 10kyu",
                "position startpos moves 7g7f      局面を設定する。position sfen SFEN moves ... も可",
                "go movetime 1000                  指し手を読む。nodes N、depth N、btime MS wtime MS byoyomi MS も可",
                "go infinite                       stopまで検討する",
                "go mate 10000                     詰みを10秒間探す",
                "stop                              読みを終えて答えさせる",
                "d                                 盤面を表示する",
                "eval                              読みを入れない評価値を表示する",
                "bench                             速度を測る",
                "quit                              終了する。ほかの機能はシェルの`komainu help`で",
            ],
        }
    }
}

/// The board as black sees it, with hands, side to move and SFEN, one line each.
pub(crate) fn diagram(pos: &Position) -> Vec<String> {
    let files: String = (1..=9).rev().map(|file| format!("{file:>3}")).collect();
    let mut lines = vec![files];
    for rank in Rank::ALL {
        let mut row = String::new();
        for file in File::ALL.into_iter().rev() {
            match pos.piece_on(Square::at(file, rank)) {
                Some(piece) => _ = write!(row, "{:>3}", piece.to_string()),
                None => row.push_str("  ."),
            }
        }
        lines.push(format!("{row}  {}", char::from(b'a' + rank.index() as u8)));
    }
    for color in [Color::White, Color::Black] {
        lines.push(format!("{color:?} holds {}", held(pos.hand(color))));
    }
    let check = if pos.in_check() { ", in check" } else { "" };
    lines.push(format!("{:?} to move{check}", pos.side()));
    lines.push(format!("sfen {pos}"));
    lines
}

fn held(hand: Hand) -> String {
    let pieces: Vec<String> = hand.iter().map(|(piece_type, count)| format!("{count}{piece_type}")).collect();
    if pieces.is_empty() { "nothing".to_string() } else { pieces.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_stands_as_black_sees_it() {
        let pos = Position::from_sfen("4k3l/9/4G4/9/9/9/9/9/+R6K1 w 2Pr 8").unwrap();
        let lines = diagram(&pos);
        assert_eq!(lines[0], "  9  8  7  6  5  4  3  2  1");
        assert_eq!(lines[1], "  .  .  .  .  k  .  .  .  l  a");
        assert_eq!(lines[9], " +R  .  .  .  .  .  .  K  .  i");
        assert_eq!(lines[10..], ["White holds 1R", "Black holds 2P", "White to move", &format!("sfen {pos}")]);
        let check = Position::from_sfen("4k4/4G4/9/9/9/9/9/9/4K4 w - 1").unwrap();
        assert_eq!(diagram(&check)[12], "White to move, in check");
    }

    #[test]
    fn a_person_is_greeted_in_two_lines_and_a_program_is_not() {
        assert_eq!(Audience::default().greeting(), [""; 0]);
        for (language, word) in [("ja_JP.UTF-8", "将棋エンジン"), ("C.UTF-8", "a shogi engine"), ("", "a shogi engine")]
        {
            let greeting = Audience::of_language(language).greeting();
            assert!(greeting.len() == 2 && greeting[0].contains(word), "{language}: {greeting:?}");
            assert!(greeting[0].contains(env!("CARGO_PKG_VERSION")) && greeting[1].contains("`usi`"));
            assert!(["help", "quit"].iter().all(|command| greeting[1].contains(command)));
        }
    }
}
