use super::*;

/// `line direction session text` of every entry.
fn shown(log: &str) -> Vec<String> {
    let shown = |entry: &LogEntry| {
        let arrow = if entry.direction == Direction::ToEngine { '>' } else { '<' };
        format!("{} {}{arrow} {}", entry.line, entry.session, String::from_utf8_lossy(&entry.text))
    };
    read(log.as_bytes()).entries.iter().map(shown).collect()
}

#[test]
fn the_arrow_may_point_either_way() {
    assert_eq!(shown("< usi\n> usiok\n< d\n"), ["1 > usi", "2 < usiok", "3 > d"]);
    assert_eq!(shown(">> usi\n<< id name X\n<< start logger\n"), ["1 > usi", "2 < id name X", "3 < start logger"]);
    assert_eq!(shown("[<] isready\n[>] readyok\n"), ["1 > isready", "2 < readyok"]);
    assert_eq!(shown("-> go\n<- bestmove 7g7f\n"), ["1 > go", "2 < bestmove 7g7f"]);
    assert_eq!(shown(">>> go\n<<< bestmove 7g7f\n"), ["1 > go", "2 < bestmove 7g7f"]);
}

#[test]
fn an_arrow_that_points_both_ways_says_nothing_of_other_words() {
    let log = "> usi\n> usiok\n> foobar\n";
    assert_eq!(shown(log), ["1 > usi", "2 < usiok"]);
    assert_eq!(read(log.as_bytes()).unread, [3]);
}

#[test]
fn lines_of_several_engines_are_told_apart() {
    let log = "[2026-10-04T20:17:07.266] [INFO] usi - sid=1: launch: /opt/a>b/komainu\n\
               [2026-10-04T20:17:07.267] [INFO] usi - sid=1: > usi\n\
               [2026-10-04T20:17:07.309] [INFO] usi - sid=2: < id name A > usi\n\
               [2026-10-04T20:17:07.310] [INFO] usi - sid=1: quit USI engine\n";
    assert_eq!(shown(log), ["2 1> usi", "3 2< id name A > usi"]);
    assert_eq!(read(log.as_bytes()).unread, [1, 4]);
    assert_eq!(read(log.as_bytes()).sessions(), ["1", "2"]);
    assert_eq!(shown(">1:usi\n<2:usiok\n"), ["1 1> usi", "2 2< usiok"]);
    assert_eq!(shown("1<usi\n2>usiok\n"), ["1 1> usi", "2 2< usiok"]);
    assert_eq!(shown("2014/08/02 2:03:33> usi\n2014/08/02 2:03:33< usiok\n"), ["1 > usi", "2 < usiok"]);
    assert_eq!(shown("GUI> usi\nengine< usiok\n> Error: 3\n"), ["1 > usi", "2 < usiok", "3 > Error: 3"]);
    let python = "DEBUG:engine:<UsiProtocol (pid=12)>: << isready\nDEBUG:engine:<UsiProtocol (pid=12)>: >> readyok\n";
    assert_eq!(shown(python), ["1 12> isready", "2 12< readyok"]);
}

#[test]
fn the_log_of_a_bridge_is_read_without_the_other_protocol() {
    let log = "100 >first : go\n101 <first : # go btime 0 wtime 0 byoyomi 1000\n\
               902 <first : # engine said: bestmove 7g7f\n903 <first : move 7g7f\n";
    assert_eq!(shown(log), ["2 first> go btime 0 wtime 0 byoyomi 1000", "3 first< bestmove 7g7f"]);
    assert_eq!(read(log.as_bytes()).unread, [1, 4]);
}

#[test]
fn a_transcript_without_arrows_is_read_by_its_words() {
    let log = "usi\nid name X\nusiok\nfree text\n08:52:33.123 info string 3 > usi\n";
    assert_eq!(shown(log), ["1 > usi", "2 < id name X", "3 < usiok", "5 < info string 3 > usi"]);
    assert_eq!(read(log.as_bytes()).unread, [4]);
}

#[test]
fn a_run_ends_with_quit_or_with_the_next_head() {
    let run_lengths = |log: &str| read(log.as_bytes()).runs("").iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(run_lengths("> usi\n< usiok\n> quit\n< info string bye\n> usi\n"), [4, 1]);
    assert_eq!(run_lengths("# komainu 1\n> usi\n# komainu 1\n# komainu 1\n> usi\n< usiok\n"), [1, 2]);
    assert_eq!(run_lengths(""), [0; 0]);
}
