//! Forms of `position`: U45 to U54.

use super::engines::Engines;
use super::item::{CheckItem, must};
use super::outcome::{Checked, PASSED, require, timed};
use super::positions::{NO_KING, ROOK_HANDICAP, START, TO_AND_FRO};

pub(super) const ITEMS: &[CheckItem] = &[
    must(45, "moves, promotions and drops are played", kinds_of_moves),
    must(46, "a SFEN may lack its move counter", no_counter),
    must(47, "hands may be in any order and hold more than nine", hands),
    must(48, "in a handicap game white moves first, by its own clock", handicap),
    must(49, "a position may lack a king", no_king),
    must(50, "a malformed SFEN does no harm", malformed).without("which position counts afterwards"),
    must(51, "a move that cannot be played does no harm", illegal_moves).without("what the message says"),
    must(52, "position in a search is for the next search", position_in_search),
    must(53, "a game may have 1,200 plies", long_game),
    must(54, "positions have nothing to do with each other", unrelated),
];

fn kinds_of_moves(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    conversation.go("position startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e", "go nodes 2000")?;
    PASSED
}

fn no_counter(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    for end in ["", " moves 7g7f", " 0"] {
        let board = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
        conversation.go(&format!("position sfen {board} b -{end}"), "go nodes 500")?;
    }
    PASSED
}

fn hands(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    for hands in ["b 2R2B4G4S4N4L18P", "w 18pRr2G2gb4SB4nL3l"] {
        conversation.go(&format!("position sfen 4k4/9/9/9/9/9/9/9/4K4 {hands} 1"), "go nodes 500")?;
    }
    PASSED
}

fn handicap(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    conversation.go(ROOK_HANDICAP, "go nodes 2000")?;
    timed(0, 400, || {
        conversation.ready()?;
        conversation.send("usinewgame");
        Ok(conversation.go(ROOK_HANDICAP, "go btime 600000 wtime 400 byoyomi 0")?.took)
    })
}

fn no_king(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    conversation.go(NO_KING, "go nodes 500")?;
    conversation.send("position sfen 9/9/9/4R4/9/9/9/9/9 b - 1");
    conversation.only_info_strings(60)?;
    conversation.alive()
}

/// Sends lines with a fault. Each may be remarked upon, and none may end the engine.
fn survive(engines: &mut Engines<'_>, lines: &[String]) -> Checked {
    let conversation = engines.shared()?;
    let mut reported = 0;
    for line in lines {
        reported += usize::from(conversation.tolerates(line)? > 0);
    }
    conversation.alive()?;
    Ok(format!("{reported} of {} reported", lines.len()))
}

fn malformed(engines: &mut Engines<'_>) -> Checked {
    const BAD: [&str; 10] = [
        "",
        "sfen",
        "sfen 9/9/9/9/9/9/9/9/9 b - 1",
        "sfen lnsgkgsnl/1r5b1 b - 1",
        "sfen xyz b - 1",
        "sfen 99/9/9/9/9/9/9/9/9 b - 1",
        "sfen 4k4/9/9/9/9/9/9/9/4K4 q - 1",
        "sfen 4k4/9/9/9/9/9/9/9/4K4 b 99P 1",
        "sfen 4k3P/9/9/9/9/9/9/9/4K4 b - 1",
        "sfen +k8/9/9/9/9/9/9/9/K8 b - 1",
    ];
    survive(engines, &BAD.map(|text| format!("position {text}").trim().to_string()))
}

fn illegal_moves(engines: &mut Engines<'_>) -> Checked {
    survive(engines, &["7g7f", "zzzz", "P*5e", "0000", "3c3d+"].map(|mv| format!("position startpos moves 7g7f {mv}")))
}

fn position_in_search(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    conversation.begin(START, "go infinite", 150)?;
    conversation.send("position startpos moves 7g7f");
    conversation.no_answer(150, "before stop")?;
    let reply = conversation.stop()?;
    require(reply.best() != "resign", || "it resigns in the start position".to_string())?;
    conversation.no_answer(150, "is a second answer")?;
    conversation.go("position startpos moves 7g7f", "go nodes 500")?;
    PASSED
}

fn long_game(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    conversation.go(&format!("position startpos moves{}", TO_AND_FRO.repeat(300)), "go nodes 500")?;
    PASSED
}

fn unrelated(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    let positions = [
        "position startpos moves 7g7f 3c3d 2g2f",
        "position sfen 4k4/9/9/9/4r4/9/9/9/4RK3 b - 1",
        "position startpos moves 7g7f",
        "position sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1 moves 3c3d",
        "position startpos moves 7g7f 3c3d 2g2f 8c8d",
    ];
    for position in positions.iter().chain(positions.iter().rev()) {
        conversation.go(position, "go nodes 1000")?;
    }
    PASSED
}
