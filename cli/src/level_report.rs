//! `komainu level-report`: how strong levels are by games with people of known ratings.

use crate::terminal::{Failure, complain, print_line, verdict};
use komainu::games::{NamedGame, SourceFile, SourceGame, SourceReader, Thoughts, fingerprint, source_files};
use komainu::levels::Level;
use komainu::position::Position;
use komainu::types::{Color, Quoted};
use komainu_tools::arena::stats::{Performance, RatedGame};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Rating points of Shogi Club 24 that make odds of ten to one: near even its expectation is 1/2 + difference / 800.
const TENFOLD: f64 = 430.0;
/// A rating by fewer games is marked.
const ENOUGH: usize = 30;

/// Fit ratings of levels to games with people of known ratings
///
/// Game records and games of `komainu match` (.jsonl) are read; of a folder all of them, of the folder of a match its
/// games; a game that is there twice counts once, by the copy that says most. The engine is the player whose name contains `komainu`; the name also
/// says the level, as in "Komainu 10kyu" or "Komainu 10級". The rating of the other player stands in its name, as in
/// "Taro R650" or "Taro (650)", or is given by --rating. Handicap games do not count.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Files of games, and folders of them
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Text that the name of the engine contains, whatever its case
    #[arg(long, value_name = "NAME", default_value = "komainu")]
    engine_name: String,
    /// The level in games where the engine's name says none
    #[arg(long, value_parser = str::parse::<Level>)]
    level: Option<Level>,
    /// The rating of a person whose name says none; may be repeated
    #[arg(long = "rating", value_name = "NAME=RATING", value_parser = rating_of_name)]
    ratings: Vec<(String, f64)>,
}

/// `NAME=RATING`.
fn rating_of_name(text: &str) -> Result<(String, f64), String> {
    let wrong = || format!("{}: not NAME=RATING", Quoted(text));
    let (name, rating) = text.rsplit_once('=').ok_or_else(wrong)?;
    let rating: i32 = rating.trim().parse().map_err(|_| wrong())?;
    if name.trim().is_empty() || !(-5_000..=10_000).contains(&rating) {
        return Err(wrong());
    }
    Ok((name.trim().to_lowercase(), f64::from(rating)))
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut reader = SourceReader::new(Thoughts::WithoutLines);
    let mut games = BTreeMap::new();
    let mut visit = |_: &SourceFile, NamedGame { game, .. }: NamedGame| {
        let rated = rated(&game, arguments);
        let known = games.entry(fingerprint(&game)).or_insert(rated);
        // Of a game that is there twice one copy may lack the result.
        if known.is_err() {
            *known = rated;
        }
        Ok::<(), Failure>(())
    };
    reader.visit(&source_files(&arguments.games)?, &|text| complain(text), &mut visit)?;
    let mut levels: BTreeMap<Level, Vec<RatedGame>> = BTreeMap::new();
    let mut left_out: BTreeMap<&str, usize> = BTreeMap::new();
    for rated in games.into_values() {
        match rated {
            Ok((level, game)) => levels.entry(level).or_default().push(game),
            Err(why) => *left_out.entry(why).or_default() += 1,
        }
    }
    let counted = levels.values().map(Vec::len).sum::<usize>();
    let printed = print_table(&levels, &left_out, reader.faulty_files);
    if counted == 0 && !matches!(printed, Err(Failure::Usage(_))) {
        complain(if reader.games == 0 { "no game could be read" } else { "no game says anything of a level" });
    }
    verdict(printed, reader.faulty_files > 0 || counted == 0)
}

/// The table of the levels, and the line for scripts.
fn print_table(
    levels: &BTreeMap<Level, Vec<RatedGame>>,
    left_out: &BTreeMap<&str, usize>,
    refused: usize,
) -> Result<(), Failure> {
    print_line("level  table  games  points  rating")?;
    for (level, games) in levels {
        let points: f64 = games.iter().map(|game| game.points).sum();
        let Some(Performance { rating, error }) = Performance::of(games, TENFOLD) else { continue };
        let few = if games.len() < ENOUGH { "  fewer than 30 games" } else { "" };
        let name = level.to_string();
        let table = level.rating();
        let count = games.len();
        print_line(format_args!("{name:<6} {table:5} {count:6} {points:7.1}  {rating:.0} ± {error:.0}{few}"))?;
    }
    for (why, games) in left_out {
        print_line(format_args!("left out, {why}: {games}"))?;
    }
    let counted = levels.values().map(Vec::len).sum::<usize>();
    let left_out = left_out.values().sum::<usize>();
    let refused = if refused > 0 { format!(" refused {refused}") } else { String::new() };
    print_line(format_args!("levels {} games {counted} left_out {left_out}{refused}", levels.len()))
}

/// The level that played a game, and the game from its view; or why the game says nothing.
fn rated(game: &SourceGame, arguments: &Arguments) -> Result<(Level, RatedGame), &'static str> {
    let name = |side: Color| game.record.players[side].as_deref().unwrap_or_default();
    let is_engine = |side: &Color| name(*side).to_lowercase().contains(&arguments.engine_name.to_lowercase());
    let mut engines = Color::ALL.into_iter().filter(is_engine);
    let (Some(side), None) = (engines.next(), engines.next()) else { return Err("not one engine and one person") };
    let Some(result) = game.result else { return Err("no result") };
    if game.record.start.key() != Position::startpos().key() {
        return Err("not from the start of an even game");
    }
    let level = level_in(name(side)).or(arguments.level).ok_or("no level")?;
    let person = name(!side);
    let given = arguments.ratings.iter().find(|(name, _)| *name == person.trim().to_lowercase());
    let opponent = given.map(|&(_, rating)| rating).or_else(|| rating_in(person)).ok_or("no rating")?;
    let points = result.winner().map_or(0.5, |winner| if winner == side { 1.0 } else { 0.0 });
    Ok((level, RatedGame { opponent, points }))
}

/// The text with digits of full width as plain ones, in small letters.
fn plain(text: &str) -> String {
    let digit = |c: char| match c {
        '０'..='９' => char::from_u32(u32::from(c) - u32::from('０') + u32::from('0')).unwrap_or(c),
        '（' => '(',
        '）' => ')',
        'Ｒ' => 'r',
        other => other,
    };
    text.chars().map(digit).collect::<String>().to_lowercase()
}

/// The level that a name tells: `10kyu`, `10級`, `1dan`, `1段`, `初段`, `二段`.
fn level_in(name: &str) -> Option<Level> {
    const DANS: [&str; 9] = ["初段", "二段", "三段", "四段", "五段", "六段", "七段", "八段", "九段"];
    let name = plain(name);
    let says = |word: &str| {
        name.match_indices(word).any(|(at, _)| !name[..at].ends_with(|before: char| before.is_ascii_digit()))
    };
    Level::all().find(|level| {
        let grade = level.grade();
        let number = grade.unsigned_abs();
        if grade > 0 && DANS.get(usize::from(number) - 1).is_some_and(|dan| says(dan)) {
            return true;
        }
        let rank = if grade > 0 { "段" } else { "級" };
        says(&level.to_string()) || says(&format!("{number}{rank}"))
    })
}

/// The rating that a name tells: two to four digits after an `R`, or alone in brackets.
fn rating_in(name: &str) -> Option<f64> {
    let name = plain(name);
    let mut at = 0;
    while let Some(start) = name[at..].find(|c: char| c.is_ascii_digit()).map(|found| at + found) {
        let end = name[start..].find(|c: char| !c.is_ascii_digit()).map_or(name.len(), |found| start + found);
        let before = name[..start].chars().next_back();
        let after = name[end..].chars().next();
        let is_marked = match before {
            Some('r') => !name[..start - 1].ends_with(|c: char| c.is_ascii_alphabetic()),
            Some('(') => after == Some(')'),
            Some('[') => after == Some(']'),
            _ => false,
        };
        if is_marked && (2..=4).contains(&(end - start)) {
            return name[start..end].parse().ok();
        }
        at = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_level_and_rating() {
        for (name, level) in [
            ("Komainu 10kyu", "10kyu"),
            ("komainu 0.1.0 (1kyu)", "1kyu"),
            ("Komainu 11級", "11kyu"),
            ("Komainu １０級", "10kyu"),
            ("Komainu初段", "1dan"),
            ("Komainu 三段", "3dan"),
            ("KOMAINU-9DAN", "9dan"),
        ] {
            assert_eq!(level_in(name).map(|level| level.to_string()).as_deref(), Some(level), "{name}");
        }
        for name in ["Komainu", "Komainu 0.1.0", "Komainu 16kyu", "Komainu 0dan", ""] {
            assert_eq!(level_in(name), None, "{name}");
        }
        for (name, rating) in
            [("Taro R650", 650.0), ("taro(1234)", 1_234.0), ("太郎（８００）", 800.0), ("a [90]", 90.0)]
        {
            assert_eq!(rating_in(name), Some(rating), "{name}");
        }
        for name in ["Taro", "player1234", "Taro (3)", "Taro (12345)", "Taro (650", "super650", "初段"] {
            assert_eq!(rating_in(name), None, "{name}");
        }
    }
}
