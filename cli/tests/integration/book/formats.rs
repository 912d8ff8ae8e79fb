//! Every format is read as its writers write it, and found in memory and on disk alike.

use super::sample::{HEADER, START, disordered, entries, find, open, text, words};
use crate::engine::folder;
use komainu::book::stream::visit_entries;
use komainu::book::{Book, BookEntry, BookError, BookFormat, Lookup, OnTheFly, apery_key};
use komainu::notation::usi::parse_position;
use komainu::position::Position;
use komainu::random::SplitMix64;
use std::fs;

const AFTER_7G7F: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";

/// A small book of ten lines, in which an engine has missed the start position when it searched on disk.
fn ten_lines() -> String {
    let others = [
        "lnsgkgsnl/1r5b1/p1ppppppp/1p7/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3",
        AFTER_7G7F,
        START,
        "lnsgkgsnl/1r7/ppppppbpp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3",
    ];
    let mut sorted = others;
    sorted.sort_by_key(|sfen| sfen.rsplit_once(' ').unwrap().0);
    let lines: Vec<String> = sorted.iter().map(|sfen| format!("sfen {sfen}\n7g7f none 0 32 5\n")).collect();
    format!("#YANEURAOU-DB2016 1.00\n# of a kind\n{}", lines.concat())
}

#[test]
fn a_file_of_ten_lines_hits_whatever_its_line_ends_are() {
    let folder = folder("book-ten-lines");
    let path = folder.join("book.db");
    let text = ten_lines();
    assert_eq!(text.lines().count(), 10);
    let without_end = text.trim_end().to_string();
    let blank = format!("{text}\n");
    for text in [text, without_end, blank] {
        for text in [text.clone(), text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
            fs::write(&path, &text).unwrap();
            for on_the_fly in [OnTheFly::Yes, OnTheFly::No, OnTheFly::Auto] {
                let book = open(&path, on_the_fly);
                assert_eq!(book.is_on_disk(), on_the_fly == OnTheFly::Yes);
                for line in text.lines().filter_map(|line| line.trim_end().strip_prefix("sfen ")) {
                    let position = Position::from_sfen(line).unwrap();
                    let found = find(&book, &position).unwrap_or_else(|| panic!("{line} in {text:?}"));
                    assert_eq!(words(&found), ["7g7f none 0 32 5"]);
                }
                let other = parse_position("startpos moves 9g9f").unwrap().position;
                assert_eq!(find(&book, &other), None);
            }
        }
    }
}

#[test]
fn what_is_found_on_disk_is_what_is_found_in_memory() {
    let folder = folder("book-disk");
    let path = folder.join("book.db");
    let entries = entries(20_000, 1);
    let text = text(&entries);
    fs::write(&path, &text).unwrap();
    let disk = open(&path, OnTheFly::Yes);
    let memory = open(&path, OnTheFly::No);
    assert!(disk.is_on_disk() && !memory.is_on_disk());
    assert!(disk.to_string().ends_with(" MB, sorted, on disk"), "{disk}");
    assert_eq!(memory.to_string(), "20000 positions, in memory");
    let mut random = SplitMix64(2);
    for _ in 0..10_000 {
        let entry = &entries[random.below(entries.len())];
        let found = find(&disk, &entry.position);
        assert_eq!(found.as_ref(), Some(&entry.moves), "{}", entry.position);
        assert_eq!(found, find(&memory, &entry.position));
    }
    for entry in super::sample::entries(2_000, 99) {
        assert_eq!(find(&disk, &entry.position), find(&memory, &entry.position), "{}", entry.position);
    }
}

#[test]
fn a_file_that_is_cut_off_anywhere_gives_no_wrong_answer() {
    let folder = folder("book-cut");
    let path = folder.join("book.db");
    let entries = entries(2_000, 3);
    let text = text(&entries);
    let mut random = SplitMix64(4);
    for _ in 0..50 {
        let end = random.below(text.len());
        fs::write(&path, &text[..end]).unwrap();
        for on_the_fly in [OnTheFly::Yes, OnTheFly::No] {
            let Ok(book) = Book::open(&path, on_the_fly) else { continue };
            // The last position of the file may be cut off itself.
            let whole = text[..end].matches("\nsfen ").count().saturating_sub(1);
            for (number, entry) in entries.iter().enumerate().step_by(7) {
                let found = book.find(&entry.position, Lookup { ignore_ply: true, flipped: false });
                match found.unwrap_or_else(|fault| panic!("cut at {end}: {fault}")) {
                    Some(moves) if number < whole => assert_eq!(moves, entry.moves, "cut at {end}"),
                    None if number < whole => panic!("{} is lost, cut at {end}", entry.position),
                    Some(_) => assert!(number == whole, "cut at {end}"),
                    None => {}
                }
            }
        }
    }
}

#[test]
fn the_writers_of_text_books_are_all_read() {
    let folder = folder("book-writers");
    let path = folder.join("book.db");
    let body = format!("sfen {START}\n7g7f none none none 12\n2g2f 8c8d 30 10 # a word\n");
    let expected = ["2g2f 8c8d 30 10 1", "7g7f none none 0 12"];
    let crlf = format!("{HEADER}{body}").replace('\n', "\r\n");
    for text in [body.clone(), format!("{HEADER}{body}"), format!("\u{feff}{HEADER}{body}"), crlf] {
        fs::write(&path, text).unwrap();
        let book = open(&path, OnTheFly::Auto);
        assert_eq!(words(&find(&book, &Position::startpos()).unwrap()), expected);
        assert_eq!((book.format(), book.skipped()), (BookFormat::Text, None));
    }
    // Every position with ply 1, and one whose hands come in another order.
    let text = format!(
        "{HEADER}sfen {}\n3c3d none 5 4\nsfen 4k4/9/9/9/9/9/9/9/4K4 b P2G 1\nG*5e none 5 4\n",
        AFTER_7G7F.replace(" 2", " 1")
    );
    fs::write(&path, text).unwrap();
    let book = open(&path, OnTheFly::Auto);
    let after = parse_position("startpos moves 7g7f").unwrap().position;
    assert!(find(&book, &after).is_some());
    let strict = Lookup { ignore_ply: false, flipped: false };
    assert_eq!(book.find(&after, strict).unwrap(), None);
    assert!(find(&book, &Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b 2GP 33").unwrap()).is_some());
}

#[test]
fn plies_are_ignored_or_not_on_disk_and_in_memory() {
    let folder = folder("book-plies");
    let path = folder.join("book.db");
    let at = |ply: u32, mv: &str| format!("sfen {} {ply}\n{mv} none 0 1 1\n", START.rsplit_once(' ').unwrap().0);
    fs::write(&path, format!("{HEADER}{}{}{}", at(11, "9g9f"), at(3, "7g7f"), at(5, "2g2f"))).unwrap();
    for on_the_fly in [OnTheFly::Yes, OnTheFly::No] {
        let book = open(&path, on_the_fly);
        let mut position = Position::startpos();
        assert_eq!(words(&find(&book, &position).unwrap()), ["7g7f none 0 1 1"]);
        let strict = Lookup { ignore_ply: false, flipped: true };
        assert_eq!(book.find(&position, strict).unwrap(), None);
        for (ply, mv) in [(3, "7g7f"), (5, "2g2f"), (11, "9g9f")] {
            position.set_ply(ply);
            let found = book.find(&position, strict).unwrap().unwrap_or_else(|| panic!("ply {ply}"));
            assert_eq!(words(&found), [format!("{mv} none 0 1 1")]);
        }
    }
}

#[test]
fn an_unsorted_file_is_read_whole() {
    let folder = folder("book-unsorted");
    let path = folder.join("book.db");
    let mut entries = entries(300, 5);
    entries.reverse();
    fs::write(&path, text(&entries)).unwrap();
    let book = open(&path, OnTheFly::Yes);
    assert_eq!(book.to_string(), "300 positions, not sorted, in memory");
    for entry in &entries {
        assert_eq!(find(&book, &entry.position).as_ref(), Some(&entry.moves));
    }
}

#[test]
fn disorder_that_is_found_by_a_look_up_is_an_error_that_says_where() {
    let folder = folder("book-disorder");
    let path = folder.join("book.db");
    let (entries, _) = disordered();
    fs::write(&path, text(&entries)).unwrap();
    let book = open(&path, OnTheFly::Yes);
    if book.is_on_disk() {
        let how = Lookup { ignore_ply: true, flipped: false };
        let errors = entries.iter().filter_map(|entry| book.find(&entry.position, how).err());
        let shown: Vec<String> = errors.map(|fault| fault.to_string()).collect();
        assert!(shown.iter().any(|text| text.ends_with("the positions are not sorted")), "{}", shown.len());
    }
    let whole = Book::open_whole(&path).unwrap();
    for entry in &entries {
        assert_eq!(find(&whole, &entry.position).as_ref(), Some(&entry.moves));
    }
}

/// The bytes of a `.ybb` with the start position, written here by the description of the format.
fn ybb(moves: &[(u16, i16, u16)], flags: u64) -> Vec<u8> {
    let mut bytes = b"YANE-BINBOOK-V1\0".to_vec();
    bytes.extend(1_u64.to_le_bytes());
    bytes.extend(flags.to_le_bytes());
    bytes.extend(Position::startpos().pack().unwrap().0);
    bytes.extend(0_u64.to_le_bytes());
    bytes.extend(1_u16.to_le_bytes());
    bytes.extend((moves.len() as u16).to_le_bytes());
    for (mv, value, depth) in moves {
        bytes.extend(mv.to_le_bytes());
        bytes.extend(value.to_le_bytes());
        if flags & 1 != 0 {
            bytes.extend(depth.to_le_bytes());
        }
    }
    bytes
}

#[test]
fn packed_books_are_read_with_and_without_depths() {
    // 7g7f and 2g2f as the format has them.
    let moves = [(0x1E3B, 40, 12), (15 << 7 | 14, i16::MIN, 3)];
    let with = Book::from_bytes(ybb(&moves, 1)).unwrap();
    assert_eq!(words(&find(&with, &Position::startpos()).unwrap()), ["7g7f none 40 12 1", "2g2f none none 3 1"]);
    assert_eq!((with.format(), with.to_string()), (BookFormat::Ybb, "1 position, sorted, in memory".to_string()));
    let without = Book::from_bytes(ybb(&moves, 0)).unwrap();
    assert_eq!(words(&find(&without, &Position::startpos()).unwrap()), ["7g7f none 40 0 1", "2g2f none none 0 1"]);
    let error = |bytes: Vec<u8>| Book::from_bytes(bytes).unwrap_err().to_string();
    assert_eq!(error(ybb(&moves, 4)), "byte 24: unknown flags 0x4");
    let mut huge = ybb(&moves, 1);
    huge[16..24].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(error(huge).starts_with("byte 88: the file ends "));
    assert_eq!(error(ybb(&moves, 1)[..20].to_vec()), "byte 20: the file ends 12 bytes too early");
    let mut outside = ybb(&moves, 1);
    outside[64..72].copy_from_slice(&1_000_u64.to_le_bytes());
    let book = Book::from_bytes(outside).unwrap();
    let fault = book.find(&Position::startpos(), Lookup::default()).unwrap_err();
    assert_eq!(fault.to_string(), "byte 32: moves at offset 1000, number 2, lie outside the file");
}

#[test]
fn books_of_apery_are_read() {
    let mut bytes = Vec::new();
    let to_and_from = |to: u16, from: u16| to | from << 7;
    // 7g7f and 2g2f as the format has them: file * 9 + rank.
    for (bits, count, score) in [(to_and_from(59, 60), 12_u16, 40_i32), (to_and_from(14, 15), 3, -5)] {
        bytes.extend(apery_key(&Position::startpos()).to_le_bytes());
        bytes.extend(bits.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.extend(score.to_le_bytes());
    }
    let book = Book::from_bytes(bytes.clone()).unwrap();
    assert_eq!((book.format(), book.to_string()), (BookFormat::Apery, "2 moves, sorted, in memory".to_string()));
    assert_eq!(words(&find(&book, &Position::startpos()).unwrap()), ["7g7f none 40 0 12", "2g2f none -5 0 3"]);
    bytes.push(0);
    let error = Book::from_bytes(bytes).unwrap_err().to_string();
    assert!(error.starts_with("no book format begins with"), "{error}");
}

/// Fields of a protocol buffer.
fn number(field: u8, mut value: u64) -> Vec<u8> {
    let mut bytes = vec![field << 3];
    while value >= 128 {
        bytes.push(value as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn message(field: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = number(field, content.len() as u64);
    bytes[0] |= 2;
    bytes.extend(content);
    bytes
}

/// A move: origin and destination as rank and file, the piece, whether white moves.
fn sbk_move(from: (u32, u32), to: (u32, u32), piece: u32, white: bool) -> u64 {
    let bits = from.1 | from.0 << 4 | to.1 << 8 | to.0 << 12 | piece << 24 | u32::from(white) << 28;
    u64::from(bits | u32::from(white) << 31)
}

#[test]
fn graphs_of_shogigui_are_walked_with_their_cycles() {
    let none = u64::MAX;
    let step = |bits: u64, mark: u64, weight: u64, next: u64| {
        message(9, &[number(1, bits), number(2, mark), number(3, weight), number(4, next)].concat())
    };
    // The start position, the one after 7g7f, and a way back that no game has: the walk must end all the same.
    let to_7f = sbk_move((7, 7), (7, 6), 1, false);
    let to_2f = sbk_move((2, 7), (2, 6), 1, false);
    let to_3d = sbk_move((3, 3), (3, 4), 1, true);
    let start = [step(to_7f, 2, 60, 1), step(to_2f, 0, 40, none), number(4, 9), number(5, 5), number(6, 3)].concat();
    let after = [number(1, 1), step(to_3d, 0, 7, 0), message(8, b"a word")].concat();
    let bytes = [message(1, b"author"), message(2, b""), message(3, &start), message(3, &after)].concat();
    let book = Book::from_bytes(bytes.clone()).unwrap();
    assert_eq!((book.format(), book.to_string()), (BookFormat::Sbk, "2 positions, in memory".to_string()));
    assert_eq!(words(&find(&book, &Position::startpos()).unwrap()), ["7g7f none none 0 60", "2g2f none none 0 40"]);
    let position = parse_position("startpos moves 7g7f").unwrap().position;
    assert_eq!(words(&find(&book, &position).unwrap()), ["3c3d none none 0 7"]);
    let path = folder("book-sbk").join("book.sbk");
    fs::write(&path, &bytes).unwrap();
    let mut entries: Vec<BookEntry> = Vec::new();
    visit_entries::<BookError>(&path, |entry| {
        entries.push(entry);
        Ok(())
    })
    .unwrap();
    assert_eq!((entries[0].results.games, entries[0].results.black, entries[0].results.white), (9, 5, 3));
    assert_eq!((entries[0].moves[0].comment.as_str(), entries[1].comment.as_str()), ("good", "a word"));
    let error = Book::from_bytes([message(1, b"author"), message(3, &step(to_3d, 0, 1, none))].concat()).unwrap_err();
    assert!(error.to_string().ends_with("3c3d is not legal"), "{error}");
}

#[test]
fn files_that_are_no_books_are_named_so() {
    let path = folder("book-none").join("book.db");
    fs::write(&path, "PNG picture or what it may be").unwrap();
    let error = Book::open(&path, OnTheFly::Auto).unwrap_err().to_string();
    assert!(error.ends_with("no book format begins with \"PNG picture or w\""), "{error}");
    fs::write(&path, "").unwrap();
    assert_eq!(open(&path, OnTheFly::Auto).to_string(), "0 positions, in memory");
    assert!(Book::open(path.parent().unwrap(), OnTheFly::Auto).unwrap_err().to_string().contains("folder"));
}
