//! One game: between the server and the engine, move by move.

use super::client::Client;
use super::connection::{Connection, Event};
use super::game::{Game, GameMove};
use super::live;
use super::message::{Message, Played};
use super::records::{self, GameFiles};
use super::session::{ConnectionEnd, SessionError};
use super::stop::Wish;
use super::thinker::{Answered, Due, Thinker, Wanted};
use crate::arena::clock::clock_arguments;
use crate::arena::live::Seat;
use crate::client::EngineLine;
use crate::settings::Ponder;
use komainu::movegen::{has_legal_move, is_legal};
use komainu::notation::csa;
use komainu::notation::json::MoveLine;
use komainu::notation::record::{Conclusion, Ending};
use komainu::notation::score::{InfoScore, ReportedScore};
use komainu::notation::usi::parse_move;
use komainu::protocol::{BestMove, Command, Go, Info};
use komainu::referee;
use komainu::types::{Color, Counted, Move, Quoted};
use serde_json::json;
use std::fmt::Display;
use std::time::{Duration, Instant};

/// The end of a game as the session sees it.
pub(super) enum GameEnd {
    /// The server has ended it.
    Over(Connection),
    Lost(String),
    /// It was not begun; with the connection if that may go on.
    NotBegun(Option<Connection>),
}

/// An engine that has said nothing is stopped so long before the end of its time, or a fifth of the time before it.
const EMERGENCY: Duration = Duration::from_secs(1);
/// The most moves of a line that the server gets.
const MAX_COMMENT_MOVES: usize = 12;
/// For how long a lost connection with a token is tried to be resumed: servers wait 30 s.
const RESUME_TIME: Duration = Duration::from_secs(30);
/// For how long a server may be silent when it should answer, once the user wants to stop.
const OVERDUE: Duration = Duration::from_secs(5);
/// Times that an engine which ends in a game is started anew in it.
const MAX_RESTARTS: u32 = 3;
/// The games in a row in which the engine may break down.
const MAX_BROKEN_GAMES: u32 = 3;

/// A game under way.
struct Match<'a> {
    client: &'a mut Client,
    connection: Connection,
    game: Game,
    files: GameFiles,
    thinker: Thinker,
    /// When the clock of the side to move was started, as far as it is known here.
    turn_began: Instant,
    /// The own move that was sent and has not come back: when, the text, what was thought of it.
    sent: Option<(Instant, String, Option<Info>)>,
    /// The reply that the engine expects to its move.
    expected: Option<Move>,
    /// The engine has ended, or plays no legal moves: it does not play on in this game.
    is_broken: bool,
    /// Times that it was started anew in this game.
    restarts: u32,
    /// `%TORYO` or `%KACHI` was sent: nothing more is.
    is_said: bool,
    /// The user wants to stop and the server does not answer.
    is_given_up: bool,
    /// Details that the ending does not tell.
    detail: String,
    /// The time held back, as the built-in engine was told last.
    told_delay: Option<Duration>,
    latency: Option<Duration>,
}

/// Plays a game that has begun.
pub(super) fn play(
    client: &mut Client,
    connection: Connection,
    game: Game,
    started: Instant,
) -> Result<GameEnd, SessionError> {
    let identity = client.identity();
    let files = GameFiles::create(&client.settings, &game, identity.clone()).unwrap_or_else(|error| {
        // No reason to lose the game.
        client.reporter.alert(&format!("the record cannot be written: {error}"));
        GameFiles::without_files(&client.settings, &game, identity.clone())
    });
    client.seat = match &mut client.live {
        Some(live) => live.begin(&client.settings, &game, &identity),
        None => Seat::default(),
    };
    let fields = json!({ "game_id": game.summary.id, "records": files.paths() });
    client.tell("start", fields, &format!("start; record {}", files.paths().join(", ")));
    let mut playing = Match {
        client,
        connection,
        game,
        files,
        thinker: Thinker::new(),
        turn_began: started,
        sent: None,
        expected: None,
        is_broken: false,
        restarts: 0,
        is_said: false,
        is_given_up: false,
        detail: String::new(),
        told_delay: None,
        latency: None,
    };
    playing.begin_turn();
    let mut end = playing.run();
    while end.is_err() && playing.resume() {
        end = playing.run();
    }
    playing.finish(end)
}

impl Match<'_> {
    /// Plays until the server ends the game; the error is why the connection is lost before.
    fn run(&mut self) -> Result<(), String> {
        loop {
            match self.client.stop.wish() {
                Wish::AtOnce => return Err("interrupted".to_string()),
                Wish::Resign if self.game.is_own_turn() && self.sent.is_none() => self.say("%TORYO"),
                _ => {}
            }
            match self.thinker.due(Instant::now()) {
                Due::Nothing => {}
                Due::Stop => _ = self.client.send_player(Command::Stop),
                Due::GiveUp => {
                    let info = self.client.player().and_then(|player| player.last_info());
                    self.play_latest("the engine did not answer in time", info);
                }
            }
            if let Some(due) = self.server_due()
                && Instant::now() >= due
            {
                self.is_given_up = self.client.stop.wish() > Wish::PlayOn;
                return Err("the server does not answer".to_string());
            }
            self.connection.keep_alive(self.client.settings.keep_alive).map_err(|error| error.to_string())?;
            match self.client.event(self.thinker.deadline()) {
                Some(Event::Line(number, line)) => {
                    let message = self.client.receive(&mut self.connection, number, &line);
                    if let Some(message) = message
                        && self.hear_server(message, line.at)?
                    {
                        return Ok(());
                    }
                }
                Some(Event::Closed(number)) if number == self.connection.number => {
                    // A reason without a result is an end as well.
                    let why = "the server closed the connection".to_string();
                    return if self.game.is_ending() { Ok(()) } else { Err(why) };
                }
                Some(Event::Engine(number, line)) => self.hear_engine(number, &line),
                Some(Event::EngineClosed(number)) => self.lose_engine(number),
                _ => self.show_thought(),
            }
        }
    }

    /// Shows on the page of the session what the engine thinks.
    fn show_thought(&mut self) {
        if self.game.is_own_turn() && self.sent.is_none() {
            let seat = self.client.seat.clone();
            seat.thinks(|| self.client.player().and_then(|player| player.last_info()));
        }
    }

    /// When the server is given up unless it answers: when both clocks and the engine's timeout are out; for a user who
    /// wants to stop some seconds after an own move that it does not confirm, or after the clock of the side to move.
    fn server_due(&mut self) -> Option<Instant> {
        let side = self.game.position.side();
        let since = self.turn_began;
        if self.client.stop.wish() == Wish::PlayOn {
            let clocks = self.game.clocks[side].available()? + self.game.clocks[!side].available()?;
            let time = clocks + self.client.settings.engine.timeout;
            return since.checked_add(time);
        }
        match self.sent {
            Some((when, ..)) => Some(when + OVERDUE),
            None => since.checked_add(self.game.clocks[side].available()? + OVERDUE),
        }
    }

    /// Returns whether the game is over.
    fn hear_server(&mut self, message: Message, at: Instant) -> Result<bool, String> {
        match message {
            Message::Played(played) => self.played(&played, at)?,
            Message::Said(word) => {
                self.game.note_said(&word);
                self.halt();
            }
            Message::Reason(reason) => {
                self.game.note_reason(reason);
                self.halt();
            }
            Message::Result(result) => {
                self.game.note_result(result);
                self.halt();
                return Ok(true);
            }
            Message::Notice(text) if text.starts_with("##[ERROR]") => self.client.reporter.alert(&text),
            Message::LoggedOut => return Err("the server has logged this name out".to_string()),
            _ => {}
        }
        Ok(false)
    }

    /// Stops the engine: nobody waits for its answer.
    fn halt(&mut self) {
        if self.thinker.halt() {
            self.client.send_player(Command::Stop);
        }
    }

    /// A move that the server tells to both.
    fn played(&mut self, played: &Played, at: Instant) -> Result<(), String> {
        let is_own = played.side == self.game.side();
        let sent = self.sent.take_if(|_| is_own);
        let thought = match sent {
            Some((when, text, thought)) if text == played.text => {
                let latency = at.saturating_duration_since(when);
                self.client.latency.add(latency);
                self.latency = Some(latency);
                thought
            }
            _ => None,
        };
        let has_thought = thought.is_some();
        let mv = match self.game.play(played, thought) {
            Ok(mv) => mv,
            Err(desync) => {
                self.client.reporter.alert(&desync.to_string());
                return Err(desync.to_string());
            }
        };
        self.turn_began = at;
        // The engine first, the rest afterwards: its clock runs, or its time to ponder.
        if !is_own {
            self.opponent_moved(mv);
        } else if self.client.settings.engine.ponder != Ponder::Early {
            self.begin_ponder(&[]);
        }
        self.write();
        self.tell_move(mv, played.spent, has_thought);
        Ok(())
    }

    fn opponent_moved(&mut self, mv: Move) {
        if self.client.stop.wish() < Wish::Resign && !self.is_said && !self.is_broken {
            let limits = self.limits();
            if self.may_think() && self.thinker.hits(mv, limits) {
                // In USI the clocks came with `go ponder` and have not changed since: only the opponent's has run.
                let clocks = match self.client.settings.engine.ponder {
                    Ponder::Early => self.clocks(),
                    _ => Go::default(),
                };
                self.client.send_player(Command::PonderHit(Box::new(clocks)));
                return;
            }
        }
        self.halt();
        self.begin_turn();
    }

    /// Tests whether the position asks for a move that an engine has to find.
    fn may_think(&self) -> bool {
        has_legal_move(&self.game.position) && referee::declared(&self.game.position, &self.game.rules).is_none()
    }

    /// The own turn, if it is: what the rules decide is decided here, the rest by the engine.
    fn begin_turn(&mut self) {
        if !self.game.is_own_turn() || self.is_said {
            return;
        }
        if referee::declared(&self.game.position, &self.game.rules).is_some() {
            return self.say("%KACHI");
        }
        if !has_legal_move(&self.game.position) {
            // After the limit of plies the server says that the game is over.
            if self.game.is_mated() {
                self.say("%TORYO");
            }
            return;
        }
        if self.is_broken || self.client.stop.wish() >= Wish::Resign {
            return self.say("%TORYO");
        }
        self.begin(Wanted::Think);
    }

    /// Begins a search, or notes that it is to be begun when the engine has answered the one before.
    fn begin(&mut self, wanted: Wanted) {
        if let Some(player) = self.client.player() {
            player.forget_infos();
        }
        let limits = if wanted == Wanted::Think { self.limits() } else { None };
        if !self.thinker.want(wanted, limits) {
            return;
        }
        self.tell_delay();
        let expected = if let Wanted::Ponder(mv) = wanted { Some(mv) } else { None };
        let early = self.early_move();
        let more: Vec<Move> = early.into_iter().chain(expected).collect();
        // The clocks of an early ponder are not known yet.
        let clocks = if early.is_some() { Go::default() } else { self.clocks() };
        let go = Command::Go(Box::new(Go { ponder: expected.is_some(), ..clocks }));
        let position = self.game.position_command(&more);
        if self.client.send_player(format_args!("{position}\n{go}")) {
            self.thinker.begun(wanted, limits);
        }
    }

    /// The own move that was sent and has not come back.
    fn early_move(&self) -> Option<Move> {
        let (_, text, _) = self.sent.as_ref()?;
        csa::parse_move(&self.game.position, text)
    }

    /// Lets the engine think in the opponent's time, after these moves that the board here does not have yet.
    fn begin_ponder(&mut self, ahead: &[Move]) {
        let Some(expected) = self.expected.take() else { return };
        let mut position = self.game.position.clone();
        for &mv in ahead {
            position.do_move(mv);
        }
        if self.game.is_ending() || self.is_broken || referee::judge(&position, &self.game.rules).is_some() {
            return;
        }
        if !is_legal(&position, expected) {
            return;
        }
        position.do_move(expected);
        if referee::judge(&position, &self.game.rules).is_none() {
            self.begin(Wanted::Ponder(expected));
        }
    }

    /// The time that is held back of a move.
    fn held_back(&self) -> Duration {
        let clock = &self.game.clocks[self.game.side()];
        clock.held_back(self.client.latency.percentile(), self.client.settings.margin)
    }

    /// Tells the built-in engine what to hold back; another one is told of less time.
    fn tell_delay(&mut self) {
        let held = self.held_back();
        if self.told_delay == Some(held) {
            return;
        }
        let counts_whole_seconds = self.game.clocks[self.game.side()].counts_whole_seconds();
        let wished = self.client.settings.engine.options.clone();
        let Some(player) = self.client.player().filter(|player| player.is_within()) else { return };
        let millis = held.as_millis().min(10_000).to_string();
        let options = [
            ("NetworkDelay", millis.clone()),
            ("NetworkDelay2", millis),
            ("RoundUpToFullSecond", counts_whole_seconds.to_string()),
        ];
        for (name, value) in &options {
            if !wished.keys().any(|set| set.eq_ignore_ascii_case(name)) {
                _ = player.set_if_taken(name, value);
            }
        }
        self.told_delay = Some(held);
    }

    /// The arguments of `go` for the clocks, from the moment at which the clock of the side to move was started.
    fn clocks(&mut self) -> Go {
        let side = self.game.side();
        let is_built_in = self.client.player().is_some_and(|player| player.is_within());
        let held = if is_built_in { Duration::ZERO } else { self.held_back() };
        let gone = if self.game.is_own_turn() { self.turn_began.elapsed() } else { Duration::ZERO };
        let clocks = Color::ALL.map(|color| {
            let clock = &self.game.clocks[color];
            if color == side { clock.for_engine(gone, held) } else { clock.for_engine(Duration::ZERO, Duration::ZERO) }
        });
        clock_arguments(&clocks, side)
    }

    /// When an engine that says nothing is stopped, and when its answer is not waited for any more.
    fn limits(&self) -> Option<[Instant; 2]> {
        let available = self.game.clocks[self.game.side()].available()?;
        let latency = self.client.latency.percentile().unwrap_or_default() * 2;
        let reserve = EMERGENCY.min(available / 5).max(latency).min(available / 2);
        Some([reserve, reserve / 2].map(|reserve| self.turn_began + (available - reserve)))
    }

    fn hear_engine(&mut self, number: u64, line: &EngineLine) {
        if !self.client.is_player(number) {
            return;
        }
        let Some(answer) = BestMove::read(&line.text) else { return };
        match self.thinker.answered() {
            Answered::Owed(None) | Answered::Early => {}
            Answered::Owed(Some(wanted)) => self.begin(wanted),
            Answered::Move => self.answered(answer, line.info().cloned()),
        }
    }

    /// The engine has answered to the own turn.
    fn answered(&mut self, answer: BestMove<String>, info: Option<Info>) {
        match answer {
            BestMove::Resign => self.say("%TORYO"),
            // Declarations are made by the rules of the game before the engine is asked.
            BestMove::Win => self.play_latest("the engine declares a win that is none", info),
            BestMove::Move(text, reply) => match parse_move(&self.game.position, &text) {
                Err(_) => {
                    self.is_broken = true;
                    self.fault(&format!("the engine plays {}, which is not legal", Quoted(&text)));
                    self.say("%TORYO");
                }
                Ok(_) if self.resigns(info.as_ref()) => self.say("%TORYO"),
                Ok(mv) => {
                    let reply = reply.and_then(|text| text.parse().ok());
                    self.send_move(mv, info, reply);
                }
            },
        }
    }

    /// Tests whether the score is one at which the user wants to resign, of an engine that has no option for it.
    fn resigns(&mut self, info: Option<&Info>) -> bool {
        let Some(limit) = self.client.settings.engine.resign else { return false };
        let knows = self.client.player().is_some_and(|player| player.takes("ResignValue"));
        let score = info.and_then(|info| info.score?.exact()).map(ReportedScore::centipawns);
        !knows && score.is_some_and(|score| i64::from(score) <= -i64::from(limit))
    }

    /// Plays what the engine held for best so far, since it does not answer well: better than nothing.
    fn play_latest(&mut self, fault: &str, info: Option<Info>) {
        let best = info.as_ref().and_then(|info| info.pv.first().copied());
        self.fault(fault);
        match best.filter(|&mv| is_legal(&self.game.position, mv)) {
            Some(mv) => self.send_move(mv, info, None),
            None => {
                self.is_broken = true;
                self.say("%TORYO");
            }
        }
    }

    fn fault(&mut self, text: &str) {
        self.client.reporter.alert(text);
        if self.detail.is_empty() {
            self.detail = text.to_string();
        }
    }

    /// Sends a move with what was thought of it.
    fn send_move(&mut self, mv: Move, info: Option<Info>, reply: Option<Move>) {
        let text = csa::move_text(&self.game.position, mv);
        let comment =
            if self.client.settings.record.comments { self.comment(mv, info.as_ref()) } else { String::new() };
        // Errors of writing are seen as the end of the connection.
        _ = self.connection.send(&format!("{text}{comment}"));
        let expected = info.as_ref().filter(|info| info.pv.first() == Some(&mv)).and_then(|info| info.pv.get(1));
        let ponders = self.client.settings.engine.ponder != Ponder::Off;
        self.expected = if ponders { reply.or(expected.copied()) } else { None };
        self.sent = Some((Instant::now(), text, info));
        if self.client.settings.engine.ponder == Ponder::Early {
            self.begin_ponder(&[mv]);
        }
    }

    /// `,'* 123 -3334FU +2625FU`: the score from black's side and the line from the reply on.
    fn comment(&self, mv: Move, info: Option<&Info>) -> String {
        let made = GameMove { mv, spent: None, thought: info.cloned() };
        let Some(mut thought) = records::thought(&made) else { return String::new() };
        thought.nodes = None;
        thought.line.truncate(MAX_COMMENT_MOVES);
        let position = self.game.position.after(mv);
        thought.floodgate(&position).first().map_or_else(String::new, |line| format!(",'{line}"))
    }

    /// Says `%TORYO` or `%KACHI`, once.
    fn say(&mut self, word: &str) {
        if !self.is_said {
            self.is_said = true;
            self.halt();
            _ = self.connection.send(word);
        }
    }

    /// The engine has ended. It is started anew and goes on with the time that is left, unless that happens too often.
    fn lose_engine(&mut self, number: u64) {
        // One that was written to after its end is gone already.
        let is_lost = self.client.lose_player(number).is_some() || self.client.player().is_none();
        if !is_lost || self.is_broken {
            return;
        }
        self.thinker = Thinker::new();
        self.told_delay = None;
        let goes_on = !self.game.is_ending() && !self.is_said && self.client.stop.wish() < Wish::Resign;
        self.is_broken = !(goes_on && self.restart());
        let ply = self.game.moves.len();
        let detail = if self.is_broken {
            "the engine has ended".to_string()
        } else {
            format!("the engine has ended after {} and was started anew", Counted(ply, "ply"))
        };
        if self.is_broken || self.detail.is_empty() {
            self.detail = detail;
        }
        if self.sent.is_none() && !self.game.is_ending() {
            self.begin_turn();
        }
    }

    /// Starts another engine for the rest of the game. Returns whether there is one.
    fn restart(&mut self) -> bool {
        while self.restarts < MAX_RESTARTS {
            self.restarts += 1;
            let text = format!("the engine is started anew, {} of {MAX_RESTARTS} times in a game", self.restarts);
            let fields = json!({ "game_id": self.game.summary.id, "restarts": self.restarts });
            self.client.tell("engine", fields, &text);
            match self.client.replace_player(&self.game) {
                Ok(()) => return true,
                Err(error) => self.client.reporter.alert(&format!("the engine did not start: {error}")),
            }
            self.client.drop_player();
        }
        false
    }

    /// Adds to the records. A disk that is full is no reason to lose the game.
    fn write(&mut self) {
        if let Err(error) = self.files.add_moves(&self.game) {
            self.cannot_write(&error);
        }
    }

    fn cannot_write(&mut self, error: &dyn Display) {
        self.client.reporter.alert(&format!("the record cannot be written: {error}"));
    }

    /// Tells a move: as an event, and as the line of the game's state.
    fn tell_move(&mut self, mv: Move, spent: Option<Duration>, has_thought: bool) {
        let Some(made) = self.game.moves.last() else { return };
        self.client.seat.moved(&records::move_line(made));
        self.client.seat.turn(self.game.position.side(), || live::faces(&self.game));
        let thought = if has_thought { records::thought(made) } else { None };
        let told = thought.as_ref().map(|thought| thought.score);
        let mut shown_move = MoveLine::default();
        shown_move.set_score(told);
        let depth = thought.as_ref().and_then(|thought| thought.depth);
        let nodes = thought.as_ref().and_then(|thought| thought.nodes);
        let line: Vec<String> = thought.iter().flat_map(|thought| &thought.line).map(|mv| mv.to_string()).collect();
        let [black, white] = self.game.clocks.map(|clock| clock.left);
        let latency = if self.game.is_own_turn() { None } else { self.latency };
        let side = !self.game.position.side();
        let ply = self.game.moves.len();
        let fields = json!({
            "game_id": self.game.summary.id, "ply": ply, "color": side.name(), "own": side == self.game.side(),
            "move": mv.to_string(), "spent_ms": spent.map(|spent| spent.as_millis() as u64),
            "score_cp": shown_move.cp, "score_mate": shown_move.mate, "score": shown_move.score,
            "depth": depth, "nodes": nodes, "pv": line.join(" "),
            "black_ms": black.as_millis() as u64, "white_ms": white.as_millis() as u64,
            "lag_ms": latency.map(|latency| latency.as_millis() as u64),
        });
        let sign = if side == Color::Black { '+' } else { '-' };
        let shown = match told {
            Some(InfoScore::Exact(ReportedScore::Centipawns(cp))) => format!("{cp:+}"),
            Some(told) => told.to_string(),
            None => String::new(),
        };
        let depth = match depth {
            Some(depth) if !shown_move.is_mate() => format!("depth {depth}"),
            _ => String::new(),
        };
        let latency = latency.map_or_else(String::new, |latency| format!("lag {} ms", latency.as_millis()));
        let text = format!(
            "{ply:>4} {sign}{mv:<6} {:>5} s  {shown:>8} {depth:<9} black {} white {}  {latency}",
            spent.unwrap_or_default().as_secs(),
            clock_text(black),
            clock_text(white),
        );
        self.client.tell("move", fields, text.trim_end());
    }

    /// Tries to take the game up again with its token. Returns whether it goes on.
    fn resume(&mut self) -> bool {
        let Some(token) = self.game.summary.token.clone() else { return false };
        if self.is_given_up || self.client.stop.wish() >= Wish::Resign {
            return false;
        }
        let fields = json!({ "game_id": self.game.summary.id });
        self.halt();
        self.connection.close();
        let until = Instant::now() + RESUME_TIME;
        let mut failures = 0;
        while Instant::now() < until {
            self.client.tell("reconnect", fields.clone(), "the connection was lost; resuming");
            match self.client.resume(&self.game.summary.id, &token) {
                Ok((connection, again)) => {
                    self.connection = connection;
                    self.sent = None;
                    if !self.game.resume(&again) {
                        self.detail = "the server gave back another position".to_string();
                        return false;
                    }
                    self.turn_began = Instant::now();
                    self.is_said = false;
                    self.client.seat.moves(self.game.moves.iter().map(records::move_line).collect());
                    self.client.seat.turn(self.game.position.side(), || live::faces(&self.game));
                    self.write();
                    self.client.tell("resumed", fields, "the game goes on");
                    self.begin_turn();
                    return true;
                }
                Err(ConnectionEnd::Failed(why)) => {
                    failures += 1;
                    self.client.reporter.alert(&format!("the game is not resumed yet: {why}"));
                    let pause = self.client.pause_after(failures);
                    std::thread::sleep(pause.min(until.saturating_duration_since(Instant::now())));
                }
                Err(end) => {
                    let why = if let ConnectionEnd::Refused(words) = end { words } else { "interrupted".to_string() };
                    self.client.reporter.alert(&format!("the game cannot be resumed: {why}"));
                    return false;
                }
            }
        }
        false
    }

    /// Ends the game: engine, records, list.
    fn finish(mut self, end: Result<(), String>) -> Result<GameEnd, SessionError> {
        self.halt();
        let conclusion = match &end {
            Ok(()) => self.game.conclusion(),
            Err(why) => {
                if self.detail.is_empty() {
                    self.detail = why.clone();
                }
                Conclusion::new(Ending::Error, None)
            }
        };
        self.client.send_player(self.game.gameover());
        let written = self.files.finish(&self.game, conclusion, &self.detail);
        let line = self.files.line(&self.game, conclusion, &self.detail);
        self.client.seat.ended(conclusion);
        if let Some(live) = &mut self.client.live {
            live.finished(&line);
        }
        let listed = self.files.list(&self.client.settings.record.folder, line);
        if let Err(error) = written {
            self.cannot_write(&error);
        }
        if let Err(error) = listed {
            self.cannot_write(&error);
        }
        let result = self.count(&conclusion);
        let fields = json!({
            "game_id": self.game.summary.id, "result": result, "reason": conclusion.ending, "plies": self.game.moves.len(),
            "detail": self.detail, "records": self.files.paths(),
        });
        let detail = if self.detail.is_empty() { String::new() } else { format!(" ({})", self.detail) };
        let text = format!("end: {result} by {} after {} plies{detail}", conclusion.ending, self.game.moves.len());
        self.client.tell("end", fields, &text);
        self.client.broken_games = if self.is_broken { self.client.broken_games + 1 } else { 0 };
        if self.is_broken {
            self.client.drop_player();
        }
        if self.client.broken_games >= MAX_BROKEN_GAMES {
            return Err(SessionError::Engine(format!("it broke down in {MAX_BROKEN_GAMES} games in a row")));
        }
        Ok(match end {
            Ok(()) => GameEnd::Over(self.connection),
            Err(why) => GameEnd::Lost(why),
        })
    }

    /// Counts the game. Returns the word for its result.
    fn count(&mut self, conclusion: &Conclusion) -> &'static str {
        let tally = &mut self.client.tally;
        tally.games += 1;
        let (place, word) = match conclusion.winner {
            Some(winner) if winner == self.game.side() => (&mut tally.wins, "win"),
            Some(_) => (&mut tally.losses, "lose"),
            None if matches!(conclusion.ending, Ending::Error | Ending::Interrupted) => return "none",
            None => (&mut tally.draws, "draw"),
        };
        *place += 1;
        word
    }
}

/// `4:07`
fn clock_text(time: Duration) -> String {
    format!("{}:{:02}", time.as_secs() / 60, time.as_secs() % 60)
}
