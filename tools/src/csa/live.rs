//! The page of a session: its games as those of a match, and the game under way on a board.

use super::game::Game;
use super::records;
use super::settings::Settings;
use crate::arena::folder::{MatchFolder, MatchJournal};
use crate::arena::live::{Boards, ClockFace, LiveGame, LiveMatch, Seat};
use crate::arena::plan::{EnginePlan, Plan, Tournament};
use crate::http::Listener;
use crate::live::{self, Server};
use komainu::notation::json::{EngineIdentity, GameLine};
use std::io;
use std::sync::Arc;

/// A session as a page shows it.
pub(super) struct LiveSession {
    page: Arc<LiveMatch>,
    plan: Plan,
    /// The number of the next game.
    next: u64,
    _server: Server,
}

impl LiveSession {
    /// Answers on a port from now on, with the games of the folder so far.
    pub(super) fn open(listener: Listener, settings: &Settings) -> io::Result<LiveSession> {
        let list = Some(&settings.record.folder).filter(|folder| MatchJournal::exists(folder));
        let folder = list.and_then(|folder| MatchFolder::read(folder).ok());
        let folder = folder.unwrap_or_else(|| MatchFolder::in_memory(unknown_opponent(settings), Vec::new()));
        let page = Arc::new(LiveMatch::new(&folder));
        let next = folder.games.iter().map(|game| game.line.game + 1).max().unwrap_or(0);
        let server = live::serve(listener, Arc::clone(&page) as Arc<dyn live::Source>)?;
        Ok(LiveSession { page, plan: folder.plan, next, _server: server })
    }

    /// A game begins: the place for its board.
    pub(super) fn begin(&mut self, settings: &Settings, game: &Game, identity: &EngineIdentity) -> Seat {
        let fresh = records::plan(settings, game, identity);
        if self.next == 0 {
            self.plan = fresh;
        } else {
            self.plan.add_engines(fresh.engines);
        }
        self.page.plan(self.plan.clone());
        let players = game.summary.players.each_ref().map(|name| self.plan.engine_index(name));
        let [Some(black), Some(white)] = players else { return Seat::default() };
        let seat = Boards::seat(self.page.boards(), 0);
        let opening: Vec<_> = game.summary.moves.iter().map(|(mv, _)| *mv).collect();
        let start = &game.summary.start;
        seat.begin(&LiveGame { number: self.next, players: [black, white], start, opening: &opening });
        seat.turn(game.position.side(), || faces(game));
        seat
    }

    pub(super) fn finished(&mut self, line: &GameLine) {
        self.page.finished(&GameLine { game: self.next, pair: self.next, ..line.clone() });
        self.next += 1;
    }
}

/// The clocks of a game for those who look at them.
pub(super) fn faces(game: &Game) -> [Option<ClockFace>; 2] {
    game.clocks.map(|clock| {
        let face = ClockFace { left: clock.left, increment: clock.control.increment, byoyomi: clock.control.byoyomi };
        clock.control.is_limited().then_some(face)
    })
}

/// The players before the first game: there is no opponent yet.
fn unknown_opponent(settings: &Settings) -> Plan {
    let names = [settings.name.clone(), "?".to_string()];
    let engines = names.map(|name| EnginePlan { name, ..EnginePlan::default() });
    Plan { tournament: Tournament::Server, ..Plan::new(engines.to_vec(), settings.games.unwrap_or(0)) }
}
