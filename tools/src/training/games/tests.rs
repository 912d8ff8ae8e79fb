use super::*;
use crate::random::Random;
use crate::training::input::ReadError;
use komainu::movegen::{All, generate};

/// A game of random moves, with random scores, that was broken off.
fn random_game(start: &Position, seed: u64, plies: usize) -> Game {
    let mut random = Random::new(seed, 0);
    let mut pos = start.clone();
    let mut played = Vec::new();
    while played.len() < plies {
        let moves = generate::<All>(&pos);
        if moves.is_empty() {
            break;
        }
        let mv = *random.pick(&moves);
        pos.do_move(mv);
        played.push(Ply { mv, score: random.below(65_536) as u16 as i16 });
    }
    let opening = random.below(played.len() + 1);
    Game::new(start, played, opening, (Ending::AdjudicatedWin, Some(Color::White))).expect("a legal game")
}

fn handicap() -> Position {
    Position::from_sfen("lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 7").expect("a valid SFEN")
}

fn file_of(games: &[Game], description: &str) -> Vec<u8> {
    let mut writer = GamesWriter::new(Vec::new(), description).expect("memory takes all");
    for game in games {
        writer.write(game).expect("memory takes all");
    }
    writer.get_mut().clone()
}

fn read(bytes: &[u8]) -> Result<Vec<Game>, ReadError> {
    GamesReader::new(bytes, "test")?.collect()
}

fn encoded(games: &[Game]) -> Vec<Vec<u8>> {
    games.iter().map(Game::encode).collect()
}

#[test]
fn a_file_gives_back_its_games() {
    let starts = [Position::startpos(), handicap()];
    let mut games: Vec<Game> = (0..20).map(|i| random_game(&starts[i % 2], i as u64, 10 * i)).collect();
    let drawn = (Ending::Repetition, None);
    games.push(Game::new(&starts[0], Vec::new(), 0, drawn).expect("a game without moves"));
    let bytes = file_of(&games, "試験 x");
    let mut reader = GamesReader::new(&bytes[..], "test").expect("a good header");
    assert_eq!(reader.description(), "試験 x");
    let back: Vec<Game> = reader.by_ref().map(|game| game.expect("a good record")).collect();
    assert_eq!(reader.offset(), bytes.len() as u64);
    assert_eq!(encoded(&back), encoded(&games));
    for (back, game) in back.iter().zip(&games) {
        assert_eq!((back.plies(), back.opening()), (game.plies(), game.opening()));
        assert_eq!((back.ending(), back.winner()), (game.ending(), game.winner()));
        assert_eq!(back.start().to_sfen(), game.start().to_sfen());
    }
}

#[test]
fn the_bytes_are_those_of_the_table() {
    let plies = [("7g7f", 258), ("3c3d", -2), ("8h2b+", 31_999)];
    let plies = plies.map(|(mv, score)| Ply { mv: mv.parse().expect("a move"), score }).to_vec();
    let game = Game::new(&Position::startpos(), plies.clone(), 1, (Ending::Checkmate, Some(Color::Black)));
    let content = [17, 0, 1, 1, 1, 0, 0, 0x3B, 0x1E, 2, 1, 0x15, 0x0A, 0xFE, 0xFF, 0x0A, 0xA3, 0xFF, 0x7C];
    let bytes = game.expect("a legal game").encode();
    assert_eq!(bytes[..19], content);
    assert_eq!(bytes[19..], crc32fast::hash(&content).to_le_bytes());
    let end = (Ending::PlyLimit, None);
    let game = Game::new(&handicap(), Vec::new(), 0, end).expect("a legal game").encode();
    assert_eq!(game[..11], [41, 0, 0, 6, 0, 0, 1, 7, 0, 0, 0]);
    assert_eq!(game[11..43], handicap().pack().expect("two kings").0);
    assert_eq!(game.len(), 47);
    assert_eq!(file_of(&[], "ab")[..18], *b"KMNGAMES\x01\0\0\0\x02\0\0\0ab");
    // The check value of this checksum.
    assert_eq!(crc32fast::hash(b"123456789"), 0xCBF4_3926);
}

#[test]
fn games_against_the_rules_are_refused() {
    let start = Position::startpos();
    let ply = |mv: &str| Ply { mv: mv.parse().expect("a move"), score: 0 };
    let fault =
        |plies: Vec<Ply>, opening, end| Game::new(&start, plies, opening, end).expect_err("no game").to_string();
    let won = (Ending::Checkmate, Some(Color::Black));
    assert_eq!(fault(vec![ply("7g7f"), ply("7g7f")], 0, won), "move 2: 7g7f is not legal");
    assert_eq!(fault(vec![ply("7g7f")], 2, won), "2 random plies in a game of 1");
    assert_eq!(fault(vec![], 0, (Ending::Checkmate, None)), "checkmate, and nobody won");
    assert_eq!(fault(vec![], 0, (Ending::PlyLimit, Some(Color::White))), "ply limit, and a side (w) won");
    assert_eq!(fault(vec![], 0, (Ending::Crash, Some(Color::White))), "a game that ended by crash");
    let cycle = ["2h3h", "8b7b", "3h2h", "7b8b"].map(ply).repeat(4_001);
    assert_eq!(fault(cycle, 0, (Ending::Interrupted, None)), "16004 plies, more than 16000");
    let one_king = Position::from_sfen("4k4/9/9/9/9/9/9/9/9 b G 1").expect("a tsume board");
    assert!(matches!(Game::new(&one_king, Vec::new(), 0, won), Err(GameFault(_))));
}

#[test]
fn the_longest_game_fits_into_a_record() {
    let ply = |mv: &str| Ply { mv: mv.parse().expect("a move"), score: -1 };
    let plies = ["5a5b", "5i5h", "5b5a", "5h5i"].map(ply).repeat(MAX_PLIES / 4);
    let game = Game::new(&handicap(), plies, MAX_PLIES, (Ending::Interrupted, None)).expect("a legal game");
    assert!(game.encode().len() <= MAX_RECORD);
    let games = [game];
    assert_eq!(encoded(&read(&file_of(&games, "")).expect("a good file")), encoded(&games));
}

#[test]
fn the_history_of_a_start_does_not_count() {
    let mut start = Position::startpos();
    for mv in ["7g7f", "3c3d"] {
        start.do_move(mv.parse().expect("a move"));
    }
    let game = random_game(&start, 5, 4);
    assert_eq!((game.start().moves_made(), game.start().ply()), (0, 3));
    let end = game.replay(|number, pos, _| {
        assert_eq!(pos.moves_made(), number);
        Ok::<(), GameFault>(())
    });
    assert_eq!(end.expect("nothing fails").moves_made(), 4);
}

#[test]
fn a_file_cut_anywhere_gives_its_whole_games_and_names_the_place() {
    let games: Vec<Game> = (0..4).map(|seed| random_game(&handicap(), seed, 9)).collect();
    let whole = file_of(&games, "abc");
    let mut ends = vec![file_of(&[], "abc").len()];
    for game in &games {
        ends.push(ends.last().expect("the header") + game.encode().len());
    }
    for length in 0..whole.len() {
        let cut = &whole[..length];
        let begun = match GamesReader::new(cut, "cut") {
            Ok(reader) => reader,
            Err(error) => {
                assert!(length < ends[0] && error.offset == 0, "{length}: {error}");
                continue;
            }
        };
        let read: Vec<Result<Game, ReadError>> = begun.collect();
        let games = ends.iter().filter(|&&end| end <= length).count() - 1;
        assert_eq!(read.iter().filter(|game| game.is_ok()).count(), games, "{length}");
        match read.last() {
            Some(Err(error)) => {
                assert!(matches!(error.fault, ReadFault::Torn(_)));
                let place = format!("cut: byte {}: the file ends within this game", ends[games]);
                assert_eq!(error.to_string(), place);
            }
            _ => assert!(ends.contains(&length), "{length}"),
        }
    }
}

#[test]
fn changed_bytes_are_noticed() {
    let games: Vec<Game> = (0..3).map(|seed| random_game(&handicap(), seed, 6)).collect();
    let whole = file_of(&games, "abc");
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut changed = whole.clone();
            changed[at] ^= 1 << bit;
            assert!(read(&changed).is_err(), "byte {at}, bit {bit}");
        }
    }
}

/// Gives every record the checksum that its bytes ask for, as far as there are records.
fn seal(bytes: &mut [u8], header: usize) {
    let mut at = header;
    while let Some(&[low, high]) = bytes.get(at..at + 2) {
        let end = at + 2 + u16::from_le_bytes([low, high]) as usize;
        if end + 4 > bytes.len() {
            break;
        }
        let checksum = crc32fast::hash(&bytes[at..end]).to_le_bytes();
        bytes[end..end + 4].copy_from_slice(&checksum);
        at = end + 4;
    }
}

#[test]
fn no_bytes_with_good_checksums_do_harm() {
    let starts = [Position::startpos(), handicap()];
    let games: Vec<Game> = (0..6).map(|i| random_game(&starts[i % 2], i as u64, 12)).collect();
    let whole = file_of(&games, "abc");
    let header = file_of(&[], "abc").len();
    let mut random = Random::new(2_026, 0);
    let mut good = 0;
    let mut bad = 0;
    for _ in 0..20_000 {
        let mut changed = whole.clone();
        for _ in 0..1 + random.below(3) {
            let at = header + random.below(whole.len() - header);
            changed[at] = random.below(256) as u8;
        }
        seal(&mut changed, header);
        match read(&changed) {
            // Whatever is read as a game can be replayed and written.
            Ok(games) => {
                good += 1;
                assert!(games.iter().all(|game| !game.encode().is_empty()));
            }
            Err(error) => {
                bad += 1;
                assert!(error.offset >= header as u64 && !error.to_string().is_empty());
            }
        }
    }
    assert!(good > 1_000 && bad > 1_000, "{good} good, {bad} bad");
}

#[test]
fn other_files_and_versions_are_refused() {
    let refusal = |bytes: &[u8]| read(bytes).expect_err("no games").to_string();
    assert_eq!(refusal(b""), "test: byte 0: not a file of games");
    assert_eq!(refusal(b"lnsgkgsnl/1r5b1/ppppppppp"), "test: byte 0: not a file of games");
    let mut bytes = file_of(&[], "abc");
    bytes[8] = 2;
    assert_eq!(refusal(&bytes), "test: byte 0: games of version 2, which is not known");
    let error = GamesReader::open(std::path::Path::new("no/such/file")).expect_err("there is none");
    assert!(error.to_string().starts_with("no/such/file: "), "{error}");
}
