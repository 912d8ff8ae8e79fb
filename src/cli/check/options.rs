//! The options of an engine: U23 to U35.

use super::item::{Checked, FINE, Item, fail, must, require, shown};
use super::lab::Lab;
use super::positions::{OPENING, START};
use super::talk::Talk;
use crate::types::Counted;
use std::time::Duration;

pub(super) const ITEMS: &[Item] = &[
    must(23, "every option line follows the grammar", grammar_of_lines),
    must(24, "no option has a blank in its name or a name twice", names),
    must(25, "every default is a legal value", grammar),
    must(26, "the reserved options are there with the right types", reserved),
    must(27, "names of options match in any case", name_case).without("the values of combos"),
    must(28, "a check takes True and TRUE", check_case).without("whether the value was understood"),
    must(29, "values may hold blanks or be empty", odd_values).without("whether the value was understood"),
    must(30, "an unknown option does no harm", unknown_option),
    must(31, "a number out of range or no number at all does no harm", bad_numbers),
    must(32, "a table larger than the memory does no harm", absurd_hash),
    must(33, "an option in an infinite search does not keep it from stopping", option_in_search),
    must(34, "an option while it ponders does not keep it from stopping", option_in_ponder),
    must(35, "MultiPV 3 gives three lines", three_lines),
];

/// The grammar finds most of what is wrong, but only the first fault of a line.
fn grammar_of_lines(lab: &mut Lab<'_>) -> Checked {
    let talk = lab.introduced()?;
    let lacks_default = |kind: &str| matches!(kind, "string" | "filename" | "string default" | "filename default");
    match talk.options.iter().find(|option| lacks_default(option.kind.trim())) {
        Some(option) => fail(format_args!("{} has no default; <empty> stands for an empty text", shown(&option.name))),
        None => Ok(Counted(talk.options.len(), "option").to_string()),
    }
}

/// The grammar finds what is wrong, here and in every other item.
fn grammar(lab: &mut Lab<'_>) -> Checked {
    let talk = lab.introduced()?;
    Ok(Counted(talk.options.len(), "option").to_string())
}

fn names(lab: &mut Lab<'_>) -> Checked {
    let talk = lab.introduced()?;
    let with_blank = talk.options.iter().find(|option| option.name.contains(' '));
    with_blank.map_or(FINE, |option| fail(format_args!("{} has a blank", shown(&option.name))))
}

fn reserved(lab: &mut Lab<'_>) -> Checked {
    let talk = lab.introduced()?;
    for (name, kind) in [("USI_Hash", "spin"), ("USI_Ponder", "check")] {
        let Some(option) = talk.option(name) else { return fail(format_args!("{name} is missing")) };
        require(option.kind.split(' ').next() == Some(kind), || {
            format!("{name} is no {kind}: {}", shown(&option.kind))
        })?;
    }
    let multi_pv = talk.option("MultiPV").or_else(|| talk.option("USI_MultiPV"));
    let Some(multi_pv) = multi_pv else { return fail("neither MultiPV nor USI_MultiPV is there") };
    let is_right = multi_pv.kind.starts_with("spin ") && multi_pv.number("default") == Some(1);
    require(is_right, || format!("{} is no spin with default 1: {}", multi_pv.name, shown(&multi_pv.kind)))?;
    FINE
}

/// The numbers of the lines that a search shows.
fn line_numbers(talk: &mut Talk, go: &str) -> Result<Vec<u64>, super::item::Stop> {
    let reply = talk.go(START, go)?;
    let number = |line: &String| line.split(' ').skip_while(|word| *word != "multipv").nth(1)?.parse().ok();
    let mut numbers: Vec<u64> = reply.before.iter().filter_map(number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

fn name_case(lab: &mut Lab<'_>) -> Checked {
    let mut talk = lab.boot()?;
    let name = talk.multi_pv()?;
    let swap = |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    let swapped: String = name.chars().map(swap).collect();
    talk.set(&swapped, "2");
    let numbers = line_numbers(&mut talk, "go depth 3")?;
    require(numbers == [1, 2], || format!("lines {numbers:?} after {swapped} was set to 2"))?;
    FINE
}

fn check_case(lab: &mut Lab<'_>) -> Checked {
    let mut talk = lab.boot()?;
    for value in ["True", "TRUE", "true", "on", "1", "False", "maybe", "false"] {
        talk.set("USI_Ponder", value);
    }
    talk.listen(Duration::from_millis(100))?;
    talk.alive()?;
    FINE
}

fn odd_values(lab: &mut Lab<'_>) -> Checked {
    let mut talk = lab.boot()?;
    for value in [" value C:/my books/a b.db", " value ", " value <empty>", ""] {
        talk.send(&format!("setoption name BookFile{value}"));
    }
    talk.listen(Duration::from_millis(100))?;
    talk.alive()?;
    FINE
}

fn unknown_option(lab: &mut Lab<'_>) -> Checked {
    let talk = lab.shared()?;
    for text in ["setoption name NoSuchOption value 3", "setoption", "setoption name", "setoption name NoSuchOption"] {
        talk.send(text);
        talk.only_remarks(60)?;
    }
    talk.alive()?;
    FINE
}

fn bad_numbers(lab: &mut Lab<'_>) -> Checked {
    let mut talk = lab.boot()?;
    let name = talk.multi_pv().unwrap_or_else(|_| "MultiPV".to_string());
    for value in ["0", "999999", "abc", "99999999999999999999", "1"] {
        talk.set(&name, value);
        talk.only_remarks(60)?;
    }
    talk.alive()?;
    FINE
}

fn absurd_hash(lab: &mut Lab<'_>) -> Checked {
    let mut talk = lab.boot()?;
    talk.set("USI_Hash", "100000000");
    talk.send("isready");
    let reply = talk.until_within(&["readyok"], Duration::from_secs(20))?;
    talk.go(START, "go nodes 500")?;
    Ok(format!("{:.1} s to readyok", reply.took.as_secs_f64()))
}

fn option_in_search(lab: &mut Lab<'_>) -> Checked {
    let mut talk = lab.boot()?;
    talk.send(&format!("{START}\ngo infinite"));
    change_and_stop(&mut talk)
}

fn option_in_ponder(lab: &mut Lab<'_>) -> Checked {
    let mut talk = lab.boot_with(&[("USI_Ponder", "true")])?;
    talk.send("position startpos moves 7g7f\ngo ponder btime 60000 wtime 60000 byoyomi 1000");
    change_and_stop(&mut talk)
}

/// Changes an option in a search that waits, and ends it.
fn change_and_stop(talk: &mut Talk) -> Checked {
    talk.no_answer(200, "before stop")?;
    let name = talk.multi_pv().unwrap_or_else(|_| "MultiPV".to_string());
    talk.set(&name, "2");
    talk.no_answer(150, "before stop")?;
    talk.send("stop");
    let reply = talk.best_within(Duration::from_secs(2))?;
    talk.alive()?;
    Ok(format!("{} ms to bestmove", reply.took.as_millis()))
}

fn three_lines(lab: &mut Lab<'_>) -> Checked {
    let mut talk = lab.boot()?;
    let name = talk.multi_pv()?;
    talk.set(&name, "3");
    let numbers = line_numbers(&mut talk, "go depth 4")?;
    require(numbers == [1, 2, 3], || format!("lines {numbers:?}"))?;
    if talk.option("MultiPV").is_none() || talk.option("USI_MultiPV").is_none() {
        return FINE;
    }
    // Two names for one thing: the one that was set last counts.
    talk.set("USI_MultiPV", "2");
    talk.go(OPENING, "go nodes 500")?;
    let numbers = line_numbers(&mut talk, "go depth 4")?;
    require(numbers == [1, 2], || format!("lines {numbers:?} after USI_MultiPV was set to 2"))?;
    FINE
}
