//! Settings as they are played with: complete and checked.

use super::config::{
    ColorWish, Config, ConfigError, EngineConfig, Mode, RecordConfig, ServerConfig, TimeConfig, is_open_to_others,
};
use super::secret::{Redactor, Secret};
use komainu::position::{GameRules, RuleSet};
use std::path::Path;
use std::time::Duration;

/// The variable of the environment that may hold the password.
pub const PASSWORD_VARIABLE: &str = "KOMAINU_CSA_PASSWORD";
/// The most letters of a name or a password.
const MAX_LETTERS: usize = 32;

/// Settings of a session.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Name or address of the server.
    pub host: String,
    pub port: u16,
    /// The name to log in with.
    pub name: String,
    /// The word that is sent as the password.
    pub password: Secret,
    /// The game that is waited for.
    pub game: Option<String>,
    /// The side that is wished for.
    pub color: Option<ColorWish>,
    pub mode: Mode,
    /// Silence after which an empty line is sent; none for never.
    pub keep_alive: Option<Duration>,
    /// When the system asks whether the other side is there; none for never.
    pub tcp_keep_alive: Option<Duration>,
    /// Who plays.
    pub engine: EngineConfig,
    /// The time that is held back of the clock.
    pub time: TimeConfig,
    /// The files that are written.
    pub record: RecordConfig,
    /// Games to play; none for no end.
    pub games: Option<u64>,
    /// The hour and minute after which no game is begun.
    pub until: Option<(u8, u8)>,
    /// The pause before a login.
    pub relogin: Duration,
    pub relogin_max: Duration,
    /// Failures in a row after which the network is given up.
    pub retries: Option<u32>,
    /// Hides all that must not be shown.
    pub redactor: Redactor,
}

impl Settings {
    /// Completes and checks what is given. `variable` is the value of [`PASSWORD_VARIABLE`]. What the user should hear
    /// is added to `warnings`.
    pub fn new(config: Config, variable: Option<String>, warnings: &mut Vec<String>) -> Result<Settings, ConfigError> {
        let Config { server, engine, time, record, session } = config.completed();
        let name = server.name.clone().ok_or_else(|| missing("name", "the name to log in with"))?;
        check_word("name", &name, |c| c.is_ascii_alphanumeric() || "_@.-".contains(c))?;
        let host = server.host.clone().ok_or_else(|| missing("host", "the server to play on"))?;
        if let Some(game) = &server.game {
            check_word("game", game, |c| c.is_ascii_graphic() && c != ',')?;
        }
        let mode = server.mode.unwrap_or_default();
        let (password, secrets) = password(&server, mode, variable, warnings)?;
        let seconds = |given: Option<u64>| Duration::from_secs(given.unwrap_or_default().min(86_400));
        let some_time = |time: Duration| Some(time).filter(|time| !time.is_zero());
        let relogin = seconds(session.relogin_s);
        Ok(Settings {
            port: server.port.unwrap_or_default(),
            password,
            color: server.color,
            mode,
            keep_alive: some_time(seconds(server.keepalive_s)),
            tcp_keep_alive: some_time(seconds(server.tcp_keepalive_s)),
            engine,
            time,
            record,
            games: session.games.filter(|&games| games > 0),
            until: session.stop_after.as_deref().map(time_of_day).transpose()?,
            relogin,
            relogin_max: seconds(session.relogin_max_s).max(relogin),
            retries: session.retries,
            redactor: Redactor::new(secrets),
            game: server.game,
            host,
            name,
        })
    }

    /// Tests whether this is floodgate, whose clients close the connection without a word.
    pub fn is_floodgate(&self) -> bool {
        self.game.as_deref().is_some_and(|game| game.starts_with("floodgate-")) || self.host.starts_with("wdoor.")
    }

    /// The rules of the server as far as its name tells them, for games whose summary is silent.
    pub fn silent_rules(&self) -> GameRules {
        let set = match self.host.as_str() {
            _ if self.is_floodgate() => RuleSet::Floodgate,
            host if host.contains("denryu") => RuleSet::Denryu,
            host if host.contains("wcsc") => RuleSet::Wcsc,
            // The rules of floodgate's program, without its limit.
            _ => return GameRules { ply_limit: 0, ..RuleSet::Floodgate.rules() },
        };
        set.rules()
    }

    /// The line that logs in, with what is appended to it. It is a secret.
    pub fn login_line(&self, more: &str) -> Secret {
        Secret::new(format!("LOGIN {} {}{more}", self.name, self.password.reveal()))
    }
}

fn missing(name: &'static str, what: &str) -> ConfigError {
    ConfigError::of(name, format_args!("{what} is missing"))
}

fn check_word(what: &'static str, word: &str, is_allowed: impl Fn(char) -> bool) -> Result<(), ConfigError> {
    match word.chars().find(|&c| !is_allowed(c)) {
        _ if word.is_empty() => Err(ConfigError::of(what, "is empty")),
        Some(c) => Err(ConfigError::of(what, format_args!("{word:?} must not contain {c:?}"))),
        None if what == "name" && word.len() > MAX_LETTERS => {
            Err(ConfigError::of(what, format_args!("{word:?} has more than {MAX_LETTERS} letters")))
        }
        None => Ok(()),
    }
}

/// The word that is sent as the password, and the part of it that must not be shown.
///
/// In CSA mode servers read the game from the password: `game,trip`, with `-B` or `-W` behind the game for a side. So a
/// password together with a game is its trip, unless it names a game itself.
fn password(
    server: &ServerConfig,
    mode: Mode,
    variable: Option<String>,
    warnings: &mut Vec<String>,
) -> Result<(Secret, Vec<Secret>), ConfigError> {
    let given = match (&server.password, &server.password_file, variable) {
        (Some(password), ..) => Some(password.clone()),
        (None, Some(path), _) => Some(first_line(path, warnings)?),
        (None, None, variable) => variable.filter(|password| !password.is_empty()),
    };
    let trip = server.trip.clone().or(given.clone());
    if let Some(secret) = &trip {
        // Not with the text in the message.
        if secret.is_empty() || secret.chars().any(|c| !c.is_ascii_graphic()) {
            return Err(ConfigError::of("password", "must be ASCII without blanks, and not empty"));
        }
    }
    let wish = match server.color {
        Some(ColorWish::Black) => "-B",
        Some(ColorWish::White) => "-W",
        None => "",
    };
    let sent = match (mode, &server.game, trip) {
        (Mode::X1, _, None) => return Err(missing("password", "the password")),
        (_, None, None) => return Err(missing("game", "the game to wait for, or a password,")),
        (Mode::X1, _, Some(password)) | (_, None, Some(password)) => password,
        (Mode::Csa, Some(_), Some(password)) if names_a_game(&password) => password,
        (Mode::Csa, Some(game), Some(trip)) => format!("{game}{wish},{trip}"),
        (Mode::Csa, Some(game), None) => format!("{game}{wish}"),
    };
    if sent.len() > MAX_LETTERS {
        warnings
            .push(format!("the password has {} letters with the game; some servers take {MAX_LETTERS}", sent.len()));
    }
    let secret = match sent.split_once(',') {
        Some((game, trip)) if is_game(game) => Some(trip.to_string()),
        // A game alone is no secret: it stands in the names of games.
        _ if is_game(&sent) => None,
        _ => Some(sent.clone()),
    };
    let is_other = |other: &String| !names_a_game(other) && Some(other) != secret.as_ref();
    let others: Vec<String> = [given, server.trip.clone()].into_iter().flatten().filter(is_other).collect();
    let secrets = secret.into_iter().chain(others).map(Secret::new).collect();
    Ok((Secret::new(sent), secrets))
}

/// Tests whether a password is `game` or `game,trip`.
fn names_a_game(password: &str) -> bool {
    is_game(password.split(',').next().unwrap_or_default())
}

/// Tests whether a word is the name of a game: it ends as `-300-10F`, with `-B` or `-W` behind that perhaps.
fn is_game(word: &str) -> bool {
    let word = ["-B", "-W", "-b", "-w"].iter().find_map(|wish| word.strip_suffix(wish)).unwrap_or(word);
    let parts: Vec<&str> = word.rsplitn(3, '-').collect();
    let [last, first, name] = parts[..] else { return false };
    is_number(last.strip_suffix('F').unwrap_or(last)) && is_number(first) && !name.is_empty()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn first_line(path: &Path, warnings: &mut Vec<String>) -> Result<String, ConfigError> {
    let text = std::fs::read_to_string(path).map_err(|error| ConfigError::in_file(path, error))?;
    if is_open_to_others(path) {
        warnings.push(format!("{}: others may read the password: chmod 600 {}", path.display(), path.display()));
    }
    Ok(text.lines().next().unwrap_or_default().trim_end().to_string())
}

/// Reads `HH:MM`.
fn time_of_day(text: &str) -> Result<(u8, u8), ConfigError> {
    let parts = text.split_once(':').and_then(|(hour, minute)| Some((hour.parse().ok()?, minute.parse().ok()?)));
    parts.filter(|&(hour, minute)| hour < 24 && minute < 60).ok_or_else(|| {
        ConfigError::of("until", format_args!("{} is no time of the day as HH:MM", komainu::types::Quoted(text)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str, variable: Option<&str>) -> Result<Settings, String> {
        let text = format!("[server]\nhost = \"h\"\nname = \"me\"\n{text}");
        let config = Config::parse(&text, Path::new("csa.toml")).map_err(|error| error.to_string())?;
        Settings::new(config, variable.map(str::to_string), &mut Vec::new()).map_err(|error| error.to_string())
    }

    fn login(text: &str, variable: Option<&str>) -> String {
        settings(text, variable).unwrap().login_line("").reveal().to_string()
    }

    #[test]
    fn the_password_is_put_together_with_the_game() {
        let game = "game = \"test-300-10F\"\n";
        assert_eq!(login(game, None), "LOGIN me test-300-10F");
        assert_eq!(login(&format!("{game}trip = \"t\""), None), "LOGIN me test-300-10F,t");
        assert_eq!(login(game, Some("t")), "LOGIN me test-300-10F,t");
        assert_eq!(login(&format!("{game}color = \"white\"\ntrip = \"t\""), None), "LOGIN me test-300-10F-W,t");
        assert_eq!(login(&format!("{game}color = \"black\""), None), "LOGIN me test-300-10F-B");
        // A password that names a game is sent as it is, and so is one without a game.
        assert_eq!(login(game, Some("floodgate-300-10F,t")), "LOGIN me floodgate-300-10F,t");
        assert_eq!(login("", Some("sesame")), "LOGIN me sesame");
        // A server that pairs by itself is told no game.
        assert_eq!(login("mode = \"x1\"", Some("sesame")), "LOGIN me sesame");
        assert_eq!(login(&format!("{game}mode = \"x1\""), Some("sesame")), "LOGIN me sesame");
    }

    #[test]
    fn what_is_secret_is_hidden_and_the_game_is_not() {
        let hidden = |text: &str, variable| {
            let settings = settings(text, variable).unwrap();
            assert!(!format!("{settings:?}").contains("sesame"));
            settings.redactor.hide("test-300-10F,sesame test-300-10F")
        };
        let game = "game = \"test-300-10F\"\n";
        assert_eq!(hidden(game, Some("sesame")), "test-300-10F,***** test-300-10F");
        assert_eq!(hidden("", Some("test-300-10F,sesame")), "test-300-10F,***** test-300-10F");
        assert_eq!(hidden(&format!("{game}trip = \"x\""), Some("sesame")), "test-300-10F,***** test-300-10F");
        assert_eq!(hidden(game, None), "test-300-10F,sesame test-300-10F");
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let error = |text: &str| settings(text, None).unwrap_err();
        assert!(error("").contains("game"));
        assert!(error("game = \"a b\"").contains("' '"));
        assert!(error("game = \"g-1-1\"\ntrip = \"two words\"").starts_with("password: must be ASCII"));
        assert!(error("game = \"g-1-1\"\n[session]\nstop_after = \"25:00\"").contains("25:00"));
        assert!(error("mode = \"x1\"").contains("password"));
        assert!(error("mode = \"x1\"\ngame = \"g-1-1\"").contains("password"));
        let long = Config {
            server: ServerConfig { name: Some("x".repeat(33)), ..ServerConfig::default() },
            ..Config::default()
        };
        assert!(Settings::new(long, None, &mut Vec::new()).unwrap_err().to_string().contains("32"));
    }

    #[test]
    fn a_server_is_known_by_its_name_where_the_summary_is_silent() {
        let rules = |text: &str| settings(text, None).unwrap().silent_rules();
        assert_eq!(rules("game = \"floodgate-300-10F\""), RuleSet::Floodgate.rules());
        let other = rules("game = \"test-300-10F\"");
        assert_eq!((other.ply_limit, other.start_counts, other.mate_on_last_ply), (0, false, false));
    }

    #[test]
    fn games_are_known_by_their_end() {
        for game in ["test-300-10F", "floodgate-600-10F", "a-b-0-0", "x-900-060", "g-1-1-B", "g-1-1F-w"] {
            assert!(is_game(game), "{game}");
        }
        for word in ["", "sesame", "a-b", "-300-10F", "x-300-", "x--10F", "x-300-10G"] {
            assert!(!is_game(word), "{word}");
        }
    }
}
