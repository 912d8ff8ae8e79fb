//! Games on a clock against itself, in both ways of counting the increment: no move is too late, no clock is hoarded.
//!
//! Tests run beside each other on machines of any kind, so the referee here is lenient; the strict games are simulated,
//! beside the time management.

use crate::engine::{Engine, word_after};
use komainu::notation::usi::parse_move;
use komainu::position::Position;
use komainu::types::Color;
use std::time::{Duration, Instant};

/// A move may be late by this much: other tests want the machine as well.
const MARGIN: Duration = Duration::from_millis(250);
/// Plies of a game.
const PLIES: usize = 50;

/// A time control, in milliseconds.
#[derive(Clone, Copy)]
struct Control {
    main: u64,
    increment: u64,
    byoyomi: u64,
    /// The increment comes on top of the clock that is sent; otherwise the clock holds it.
    on_top: bool,
    ponder: bool,
}

struct Game {
    control: Control,
    engines: [Engine; 2],
    clocks: [u64; 2],
    moves: String,
}

impl Game {
    fn new(control: Control) -> Game {
        let clock = control.main + if control.on_top { 0 } else { control.increment };
        let mut engines = [Engine::ready(), Engine::ready()];
        for engine in &mut engines {
            engine.send(&format!("setoption name USI_Ponder value {}\nusinewgame", control.ponder));
        }
        Game { control, engines, clocks: [clock; 2], moves: String::new() }
    }

    fn clock_text(&self) -> String {
        let ([black, white], Control { increment, byoyomi, .. }) = (self.clocks, self.control);
        match increment {
            0 => format!("btime {black} wtime {white} byoyomi {byoyomi}"),
            _ => format!("btime {black} wtime {white} binc {increment} winc {increment}"),
        }
    }

    /// Charges a side for a move. Panics if it came too late by what the engine `took`, without its wait for a core.
    fn charge(&mut self, side: Color, used: Duration, took: Duration) {
        let Control { increment, byoyomi, on_top, .. } = self.control;
        let clock = &mut self.clocks[side];
        let available = *clock + byoyomi + if on_top { increment } else { 0 };
        assert!(
            took <= Duration::from_millis(available) + MARGIN,
            "{took:?} of {available} ms with{} after{}",
            self.moves,
            if on_top { " the increment on top" } else { "" },
        );
        *clock = (*clock + increment).saturating_sub(used.as_millis() as u64);
    }

    /// Plays a number of plies, or to the end of the game.
    fn play(&mut self) {
        let mut pos = Position::startpos();
        let mut expected: [Option<String>; 2] = [None, None];
        for _ in 0..PLIES {
            let side = pos.side();
            let clocks = self.clock_text();
            let moves = self.moves.clone();
            let hit = expected[side].take().is_some_and(|line| line == moves);
            let engine = &mut self.engines[side];
            let began = Instant::now();
            let mut watch = engine.stopwatch();
            if hit {
                engine.send("ponderhit");
            } else {
                if self.control.ponder && !moves.is_empty() {
                    engine.ask("stop\nisready", "readyok");
                }
                engine.send(&format!("position startpos moves{moves}\ngo {clocks}"));
            }
            let answer = engine.bestmove();
            self.charge(side, began.elapsed(), watch.elapsed());
            let Ok(mv) = parse_move(&pos, word_after(&answer, "bestmove").unwrap()) else { return };
            pos.do_move(mv);
            self.moves += &format!(" {mv}");
            if let Some(reply) = word_after(&answer, "ponder") {
                let line = format!("{} {reply}", self.moves);
                let clocks = self.clock_text();
                self.engines[side].send(&format!("position startpos moves{line}\ngo ponder {clocks}"));
                expected[side] = Some(line);
            }
        }
    }
}

fn play(control: Control) -> Game {
    let mut game = Game::new(control);
    game.play();
    game
}

const FISCHER: Control = Control { main: 600, increment: 60, byoyomi: 0, on_top: true, ponder: false };

#[test]
fn games_with_an_increment_are_kept_in_both_ways_of_counting() {
    for on_top in [true, false] {
        play(Control { on_top, ..FISCHER });
    }
}

#[test]
fn byoyomi_and_sudden_death_are_kept_and_main_time_before_byoyomi_is_used() {
    let none = Control { main: 0, increment: 0, byoyomi: 0, on_top: false, ponder: false };
    play(Control { byoyomi: 120, ..none });
    play(Control { main: 2_500, ..none });
    let game = play(Control { main: 1_500, byoyomi: 60, ..none });
    assert!(game.clocks.iter().all(|&clock| clock < 1_500 * 6 / 10), "{:?}", game.clocks);
}

#[test]
fn a_game_with_pondering_is_kept_on_the_clock() {
    play(Control { ponder: true, ..FISCHER });
}
