//! Every format, checked by properties of the whole list of games.

use super::*;
use crate::arena::plan::EnginePlan;
use komainu::random::GOLDEN;
use komainu::types::Color;
use proptest::prelude::*;
use std::collections::{BTreeSet, HashMap};

fn plan(tournament: Tournament, engines: usize, games: u64, rounds: u32) -> Plan {
    let engine = |index| EnginePlan { name: format!("engine {index}"), ..EnginePlan::default() };
    Plan { tournament, rounds, ..Plan::new((0..engines).map(engine).collect(), games) }
}

fn pairing(tournament: Tournament, engines: usize, games: u64, rounds: u32) -> Pairing {
    Pairing::new(&plan(tournament, engines, games, rounds)).unwrap()
}

fn game(pairing: &Pairing, number: u64, results: &ResultsByGame) -> GameAssignment {
    match pairing.game(number, results) {
        NextGame::Game(game) => game,
        other => panic!("game {number}: {other:?}"),
    }
}

/// The better engine (by the function) wins; all games in order.
fn play(
    pairing: &Pairing,
    result: impl Fn(&GameAssignment) -> Option<Outcome>,
) -> (Vec<GameAssignment>, ResultsByGame) {
    let mut games = Vec::new();
    let mut results = ResultsByGame::new();
    for number in 0..pairing.total() {
        let game = game(pairing, number, &results);
        results.insert(number, result(&game));
        games.push(game);
    }
    assert_eq!(pairing.game(pairing.total(), &results), NextGame::End);
    (games, results)
}

/// The engine with the lower index wins.
fn by_index(game: &GameAssignment) -> Option<Outcome> {
    Some(Outcome::Win(if game.black < game.white { Color::Black } else { Color::White }))
}

/// A result that depends on nothing but the game and a seed.
fn by_chance(seed: u64) -> impl Fn(&GameAssignment) -> Option<Outcome> {
    move |game| {
        let mixed = (game.number ^ seed).wrapping_mul(GOLDEN) >> 60;
        match mixed {
            0..=6 => Some(Outcome::Win(Color::Black)),
            7..=12 => Some(Outcome::Win(Color::White)),
            13 | 14 => Some(Outcome::Draw),
            _ => None,
        }
    }
}

/// Asserts what holds in every format.
fn assert_sound(games: &[GameAssignment], engines: usize) {
    let mut pairs: HashMap<u64, Vec<&GameAssignment>> = HashMap::new();
    for (number, game) in games.iter().enumerate() {
        assert_eq!(game.number, number as u64);
        assert!(game.black < engines && game.white < engines && game.black != game.white, "{game:?}");
        pairs.entry(game.pair).or_default().push(game);
    }
    let turn_of = |game: &GameAssignment| (game.black.min(game.white), game.black.max(game.white), game.turn);
    let turns: BTreeSet<_> = games.iter().map(turn_of).collect();
    assert_eq!(turns.len(), pairs.len(), "each pair of two engines has an opening of its own");
    for pair in pairs.values() {
        match pair[..] {
            [_] => {}
            [first, second] => {
                assert_eq!((first.black, first.white), (second.white, second.black));
                assert_eq!((first.turn, first.number + 1), (second.turn, second.number));
            }
            _ => panic!("{pair:?}"),
        }
    }
}

/// Games of each two engines: as black, as white, of the one with the lower index.
fn meetings(games: &[GameAssignment]) -> HashMap<[usize; 2], [u64; 2]> {
    let mut meetings: HashMap<[usize; 2], [u64; 2]> = HashMap::new();
    for game in games {
        let key = [game.black.min(game.white), game.black.max(game.white)];
        meetings.entry(key).or_default()[usize::from(game.black != key[0])] += 1;
    }
    meetings
}

/// Games as black less games as white.
fn color_balance(games: &[GameAssignment], engine: usize) -> i64 {
    let sign = |game: &GameAssignment| i64::from(game.black == engine) - i64::from(game.white == engine);
    games.iter().map(sign).sum()
}

#[test]
fn a_match_of_two_plays_each_opening_twice_with_colours_swapped() {
    let (games, _) = play(&pairing(Tournament::RoundRobin, 2, 5, 0), by_index);
    let colors: Vec<_> = games.iter().map(|game| (game.black, game.turn, game.pair, game.round)).collect();
    assert_eq!(colors, [(0, 0, 0, 0), (1, 0, 0, 0), (1, 1, 1, 1), (0, 1, 1, 1), (0, 2, 2, 2)]);
}

/// The openings of the games of two engines, out of six.
fn openings(plan: &Plan, engines: [usize; 2]) -> Vec<usize> {
    let pairing = Pairing::new(plan).unwrap();
    let (games, _) = play(&pairing, by_index);
    let meet = |game: &&GameAssignment| engines.contains(&game.black) && engines.contains(&game.white);
    games.iter().filter(meet).map(|game| pairing.opening(game, 6)).collect()
}

#[test]
fn each_two_engines_of_a_tournament_have_an_order_of_openings_of_their_own() {
    let mut plan = plan(Tournament::RoundRobin, 3, 16, 0);
    for tournament in [Tournament::Gauntlet, Tournament::RoundRobin] {
        plan.tournament = tournament;
        let first = openings(&plan, [0, 1]);
        assert_ne!(first, openings(&plan, [0, 2]));
        assert_eq!(first, openings(&plan, [0, 1]), "a match that goes on has the same ones");
        for pair in first.chunks(2) {
            assert_eq!(pair[0], pair[1], "both colours have one opening");
        }
        // All of the list, then anew.
        let turns: Vec<usize> = first.into_iter().step_by(2).collect();
        assert_eq!(turns[..6].iter().collect::<BTreeSet<_>>().len(), 6);
        assert_eq!(turns[..2], turns[6..]);
    }
    let drawn = openings(&plan, [0, 1]);
    plan.openings.shuffle = Some(1);
    assert_ne!(drawn, openings(&plan, [0, 1]), "another seed");
    plan.same_openings = true;
    let in_order = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0, 0, 1, 1];
    assert_eq!([[0, 1], [0, 2]].map(|engines| openings(&plan, engines)), [in_order; 2]);
    plan.same_openings = false;
    plan.engines.truncate(2);
    assert_eq!(openings(&plan, [0, 1]), in_order, "a match of two plays the list in its order");
}

#[test]
fn a_round_robin_of_four_rotates_around_the_table() {
    let (games, _) = play(&pairing(Tournament::RoundRobin, 4, 2, 0), by_index);
    let meetings: Vec<_> = games.iter().step_by(2).map(|game| (game.black, game.white)).collect();
    assert_eq!(meetings, [(0, 3), (2, 1), (3, 1), (0, 2), (2, 3), (1, 0)].map(|(a, b)| order(a, b)));
}

/// Black is the lower index if the sum is odd.
fn order(a: usize, b: usize) -> (usize, usize) {
    let low = a.min(b);
    let high = a.max(b);
    if (a + b) % 2 == 1 { (low, high) } else { (high, low) }
}

#[test]
fn a_plan_without_games_is_refused() {
    let error = |engines, games| Pairing::new(&plan(Tournament::RoundRobin, engines, games, 0)).unwrap_err();
    assert_eq!(error(1, 2), PairingError("a match needs two engines or more, not 1".into()));
    assert_eq!(error(2, 0), PairingError("a match needs one game or more".into()));
    assert_eq!(error(9, u64::MAX), PairingError("too many games to be counted".into()));
}

proptest! {
    #[test]
    fn a_round_robin_gives_each_pairing_its_games(engines in 2..12usize, games in 1..8u64) {
        let (list, _) = play(&pairing(Tournament::RoundRobin, engines, games, 0), by_index);
        assert_sound(&list, engines);
        let meetings = meetings(&list);
        prop_assert_eq!(meetings.len(), engines * (engines - 1) / 2);
        for [black, white] in meetings.into_values() {
            prop_assert_eq!(black + white, games);
            prop_assert!(black.abs_diff(white) <= 1);
        }
        for engine in 0..engines {
            prop_assert!(color_balance(&list, engine).abs() <= 1);
        }
        // Results fill evenly: at any time no pairing is ahead of another by more than a pair.
        let mut counts = HashMap::new();
        for (played, game) in list.iter().enumerate() {
            *counts.entry([game.black.min(game.white), game.black.max(game.white)]).or_insert(0u64) += 1;
            let laps = played as u64 / (engines * (engines - 1)) as u64;
            prop_assert!(counts.values().all(|&count| count <= 2 * (laps + 1)));
        }
        // And within a turn of the circle nobody plays twice.
        let first_lap: Vec<&GameAssignment> = list.iter().filter(|game| game.round == 0).collect();
        for turn in first_lap.chunks(engines / 2 * games.min(2) as usize) {
            let players: BTreeSet<usize> = turn.iter().flat_map(|game| [game.black, game.white]).collect();
            prop_assert_eq!(players.len(), engines / 2 * 2);
        }
    }

    #[test]
    fn a_gauntlet_is_run_by_the_first_engine(engines in 2..12usize, games in 1..8u64) {
        let (list, _) = play(&pairing(Tournament::Gauntlet, engines, games, 0), by_index);
        assert_sound(&list, engines);
        let meetings = meetings(&list);
        prop_assert_eq!(meetings.len(), engines - 1);
        for (players, [black, white]) in meetings {
            prop_assert_eq!(players[0], 0);
            prop_assert_eq!(black + white, games);
            prop_assert!(black.abs_diff(white) <= 1);
        }
        prop_assert!(color_balance(&list, 0).abs() <= 1);
    }

    #[test]
    fn a_swiss_round_has_everybody_once_and_nobody_twice_while_that_can_be_avoided(
        engines in 2..14usize, games in 1..5u64, seed in any::<u64>(),
    ) {
        // Up to half of the engines' number of rounds can always be made without rematches (Dirac 1952).
        let rounds = (engines as u32 / 2).max(1);
        let pairing = pairing(Tournament::Swiss, engines, games, rounds);
        let (list, results) = play(&pairing, by_chance(seed));
        assert_sound(&list, engines);
        let meetings = meetings(&list);
        prop_assert!(meetings.values().all(|[black, white]| black + white == games && black.abs_diff(*white) <= 1));
        prop_assert_eq!(meetings.len(), engines / 2 * rounds as usize);
        for round in 0..rounds {
            let games: Vec<_> = list.iter().filter(|game| game.round == round).collect();
            let players: BTreeSet<usize> = games.iter().flat_map(|game| [game.black, game.white]).collect();
            prop_assert_eq!(players.len(), engines / 2 * 2);
        }
        let standings = pairing.swiss_standings(&results);
        let byes: u32 = standings.iter().map(|standing| standing.byes).sum();
        prop_assert_eq!(byes, if engines % 2 == 1 { rounds } else { 0 });
        prop_assert!(standings.is_sorted_by_key(|standing| std::cmp::Reverse(standing.half_points)));
    }

    #[test]
    fn a_swiss_tournament_goes_on_exactly_where_it_was(engines in 2..10usize, games in 1..4u64, seed in any::<u64>()) {
        let pairing = pairing(Tournament::Swiss, engines, games, 0);
        let (list, results) = play(&pairing, by_chance(seed));
        for stop in 0..list.len() as u64 {
            let so_far: ResultsByGame = results.range(..stop).map(|(&number, &result)| (number, result)).collect();
            let each = (engines / 2) as u64 * games;
            for number in 0..list.len() as u64 {
                let next = pairing.game(number, &so_far);
                if number / each <= stop / each {
                    prop_assert_eq!(next, NextGame::Game(list[number as usize]));
                } else {
                    prop_assert_eq!(next, NextGame::Wait);
                }
            }
        }
    }
}

#[test]
fn a_swiss_round_lets_the_winners_meet() {
    let pairing = pairing(Tournament::Swiss, 8, 2, 0);
    assert_eq!(pairing.rounds(), 3);
    let (games, results) = play(&pairing, by_index);
    let round = |round: u32| -> Vec<(usize, usize)> {
        let games = games.iter().filter(|game| game.round == round).step_by(2);
        games.map(|game| (game.black.min(game.white), game.black.max(game.white))).collect()
    };
    assert_eq!(round(0), [(0, 4), (1, 5), (2, 6), (3, 7)]);
    assert_eq!(round(1), [(0, 2), (1, 3), (4, 6), (5, 7)]);
    assert_eq!(round(2)[0], (0, 1));
    let standings = pairing.swiss_standings(&results);
    assert_eq!((standings[0].engine, standings[0].half_points), (0, 12));
    assert_eq!((standings[7].engine, standings[7].half_points), (7, 0));
}

#[test]
fn with_an_odd_number_the_last_rests_and_a_bye_counts_as_a_win() {
    let pairing = pairing(Tournament::Swiss, 5, 2, 4);
    let (games, results) = play(&pairing, by_index);
    let first: BTreeSet<usize> = games[..4].iter().flat_map(|game| [game.black, game.white]).collect();
    assert_eq!(first, BTreeSet::from([0, 1, 2, 3]));
    let standings = pairing.swiss_standings(&results);
    assert!(standings.iter().all(|standing| standing.byes <= 1), "{standings:?}");
    let points: u64 = standings.iter().map(|standing| standing.half_points).sum();
    assert_eq!(points, 4 * 3 * 4, "two points for each of two games, and as many for the bye, in each of four rounds");
}

#[test]
fn all_play_all_in_as_many_rounds_as_there_are_opponents_and_then_again() {
    for engines in [4, 6, 8] {
        let rounds = engines as u32 - 1;
        let (games, _) = play(&pairing(Tournament::Swiss, engines, 1, rounds), by_chance(3));
        let met = meetings(&games).len();
        // A Swiss draw may lead to a round in which rematches cannot be avoided; it goes on all the same.
        assert!(met <= engines * (engines - 1) / 2 && met >= engines * (engines - 1) / 3, "{engines}: {met}");
        let (games, _) = play(&pairing(Tournament::Swiss, engines, 1, 3 * rounds), by_chance(3));
        assert_sound(&games, engines);
        assert_eq!(meetings(&games).len(), engines * (engines - 1) / 2);
    }
}

#[test]
fn a_large_tournament_is_paired_quickly() {
    let (games, _) = play(&pairing(Tournament::Swiss, 64, 1, 12), by_chance(1));
    assert_eq!(meetings(&games).len(), 64 / 2 * 12);
}

#[test]
fn each_pair_belongs_to_one_shard_and_every_shard_knows_how_many_games_it_has() {
    for (format, engines, games) in [
        (Tournament::RoundRobin, 2, 15),
        (Tournament::RoundRobin, 4, 7),
        (Tournament::Gauntlet, 3, 4),
        (Tournament::RoundRobin, 2, 1),
    ] {
        let (all, _) = play(&pairing(format, engines, games, 0), by_index);
        for count in 1..=5 {
            let mut counted = 0;
            for index in 1..=count {
                let shard = Some(format!("{index}/{count}").parse().unwrap());
                let pairing = Pairing::new(&Plan { shard, ..plan(format, engines, games, 0) }).unwrap();
                let taken = all.iter().filter(|game| pairing.takes(game.pair)).count() as u64;
                assert_eq!(taken, pairing.share(), "{games} games, {index}/{count}");
                counted += taken;
            }
            assert_eq!(counted, all.len() as u64);
        }
    }
    let plan = Plan { shard: Some("1/2".parse().unwrap()), ..plan(Tournament::Swiss, 4, 2, 2) };
    assert_eq!(Pairing::new(&plan), Err(PairingError("a Swiss tournament has no shards".into())));
}

#[test]
fn ranges_that_follow_one_another_have_every_pair_once_and_none_goes_beyond_the_end() {
    for (format, engines, games, pairs) in [
        (Tournament::RoundRobin, 2, 15, 8),
        (Tournament::RoundRobin, 4, 7, 24),
        (Tournament::Gauntlet, 3, 4, 4),
        (Tournament::RoundRobin, 2, 1, 1),
    ] {
        let whole = pairing(format, engines, games, 0);
        assert_eq!(whole.pairs(), pairs);
        let (all, _) = play(&whole, by_index);
        let part = |range: String| {
            let pairs = Some(range.parse().unwrap());
            Pairing::new(&Plan { pairs, ..plan(format, engines, games, 0) })
        };
        for cut in 1..pairs {
            let mut counted = 0;
            for range in [format!("0..{cut}"), format!("{cut}..{pairs}")] {
                let part = part(range).unwrap();
                let taken = all.iter().filter(|game| part.takes(game.pair)).count() as u64;
                assert_eq!(taken, part.share(), "{games} games, cut at {cut}");
                counted += taken;
            }
            assert_eq!(counted, all.len() as u64);
        }
        assert!(part(format!("0..{pairs}")).is_ok());
        let error = part(format!("0..{}", pairs + 1)).unwrap_err();
        assert!(error.to_string().starts_with(&format!("--pairs 0..{}: the match has ", pairs + 1)), "{error}");
    }
    let plan = Plan { pairs: Some("0..1".parse().unwrap()), ..plan(Tournament::Swiss, 4, 2, 2) };
    assert_eq!(Pairing::new(&plan), Err(PairingError("a Swiss tournament has no shards".into())));
}

#[test]
fn partners_are_the_two_games_of_a_pair() {
    for (format, engines, games, rounds) in [
        (Tournament::RoundRobin, 2, 9, 0),
        (Tournament::RoundRobin, 4, 7, 0),
        (Tournament::Gauntlet, 4, 5, 0),
        (Tournament::Swiss, 6, 3, 3),
    ] {
        let pairing = pairing(format, engines, games, rounds);
        let (all, _) = play(&pairing, by_index);
        for game in &all {
            let of_pair = all.iter().filter(|other| other.pair == game.pair && other.number != game.number);
            let partner: Vec<u64> = of_pair.map(|other| other.number).collect();
            assert_eq!(pairing.partner(game.number).into_iter().collect::<Vec<_>>(), partner, "game {}", game.number);
        }
    }
}
