//! Plays through a game record (KIF, KI2 or CSA, in UTF-8 or CP932) and prints its moves in three notations.
//!
//! ```sh
//! cargo run --release --example replay_kif -- game.kif
//! ```

use komainu::notation::{csa, ki2, kif, read_file_bytes};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).ok_or("usage: replay_kif FILE")?;
    let bytes = std::fs::read(&name).map_err(|error| format!("{name}: {error}"))?;
    for game in read_file_bytes(&name, &bytes).map_err(|error| format!("{name}: {error}"))? {
        for warning in &game.warnings {
            eprintln!("{warning}");
        }
        let record = game.record;
        let [black, white] = record.players.each_ref().map(|player| player.as_deref().unwrap_or("?"));
        println!("{black} - {white}");

        let mut position = record.start.clone();
        let mut last = None;
        for (number, made) in record.moves.iter().enumerate() {
            let japanese = ki2::move_text(&position, made.mv, last);
            println!("{:4}  {:6} {}  {japanese}", number + 1, made.mv.to_string(), csa::move_text(&position, made.mv));
            // The reader has checked every move; what comes from elsewhere goes through `Position::play`.
            position.do_move(made.mv);
            last = Some(made.mv.to());
        }
        println!("{}", kif::write_board(&position));
        if let Some(conclusion) = record.conclusion {
            let winner = conclusion.winner.map_or("no winner".to_string(), |color| format!("{color:?} has won"));
            println!("{}: {winner}", conclusion.ending);
        }
    }
    Ok(())
}
