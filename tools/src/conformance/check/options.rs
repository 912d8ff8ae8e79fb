//! The options of an engine: U23 to U35.

use super::conversation::Conversation;
use super::engines::Engines;
use super::item::{CheckItem, must, should};
use super::outcome::{Abort, Checked, PASSED, fail, require, shown};
use super::positions::{OPENING, START};
use komainu::types::Counted;
use std::time::Duration;

pub(super) const ITEMS: &[CheckItem] = &[
    should(23, "every option line follows the grammar", grammar_of_lines),
    should(24, "no option has a blank in its name or a name twice", names),
    must(25, "every default is a legal value", grammar),
    should(26, "the reserved options are there with the right types", reserved),
    must(27, "names of options match in any case", name_case).without("the values of combos"),
    must(28, "a check takes True and TRUE", check_case).without("whether the value was understood"),
    must(29, "values may hold blanks or be empty", odd_values).without("whether the value was understood"),
    should(30, "an unknown option does no harm", unknown_option),
    must(31, "a number out of range or no number at all does no harm", bad_numbers),
    must(32, "a table larger than the memory does no harm", absurd_hash),
    must(33, "an option in an infinite search does not keep it from stopping", option_in_search),
    must(34, "an option while it ponders does not keep it from stopping", option_in_ponder),
    must(35, "MultiPV 3 gives three lines", three_lines),
];

/// The grammar finds most of what is wrong, but only the first fault of a line.
fn grammar_of_lines(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.after_handshake()?;
    let lacks_default = |kind: &str| matches!(kind, "string" | "filename" | "string default" | "filename default");
    match conversation.options.iter().find(|option| lacks_default(option.kind.trim())) {
        Some(option) => fail(format_args!("{} has no default; <empty> stands for an empty text", shown(&option.name))),
        None => Ok(Counted(conversation.options.len(), "option").to_string()),
    }
}

/// The grammar finds what is wrong, here and in every other item.
fn grammar(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.after_handshake()?;
    Ok(Counted(conversation.options.len(), "option").to_string())
}

fn names(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.after_handshake()?;
    let with_blank = conversation.options.iter().find(|option| option.name.contains(' '));
    with_blank.map_or(PASSED, |option| fail(format_args!("{} has a blank", shown(&option.name))))
}

fn reserved(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.after_handshake()?;
    for (name, kind) in [("USI_Hash", "spin"), ("USI_Ponder", "check")] {
        let Some(option) = conversation.option(name) else { return fail(format_args!("{name} is missing")) };
        require(option.kind.split(' ').next() == Some(kind), || {
            format!("{name} is no {kind}: {}", shown(&option.kind))
        })?;
    }
    let multi_pv = conversation.option("MultiPV").or_else(|| conversation.option("USI_MultiPV"));
    let Some(multi_pv) = multi_pv else { return fail("neither MultiPV nor USI_MultiPV is there") };
    let is_right = multi_pv.kind.starts_with("spin ") && multi_pv.number("default") == Some(1);
    require(is_right, || format!("{} is no spin with default 1: {}", multi_pv.name, shown(&multi_pv.kind)))?;
    PASSED
}

/// The numbers of the lines that a search shows.
fn line_numbers(conversation: &mut Conversation, go: &str) -> Result<Vec<u64>, Abort> {
    let mut numbers = conversation.go(START, go)?.numbers("multipv");
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

fn name_case(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.boot()?;
    let name = conversation.multi_pv()?;
    let swap = |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    let swapped: String = name.chars().map(swap).collect();
    conversation.set(&swapped, "2");
    let numbers = line_numbers(&mut conversation, "go depth 3")?;
    require(numbers == [1, 2], || format!("lines {numbers:?} after {swapped} was set to 2"))?;
    PASSED
}

fn check_case(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.boot()?;
    for value in ["True", "TRUE", "true", "on", "1", "False", "maybe", "false"] {
        conversation.set("USI_Ponder", value);
    }
    conversation.collect(Duration::from_millis(100))?;
    conversation.alive()
}

fn odd_values(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.boot()?;
    for value in [" value C:/my books/a b.db", " value ", " value <empty>", ""] {
        conversation.send(&format!("setoption name BookFile{value}"));
    }
    conversation.collect(Duration::from_millis(100))?;
    conversation.alive()
}

fn unknown_option(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    for text in ["setoption name NoSuchOption value 3", "setoption", "setoption name", "setoption name NoSuchOption"] {
        conversation.send(text);
        conversation.only_info_strings(60)?;
    }
    conversation.alive()
}

fn bad_numbers(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.boot()?;
    let name = conversation.multi_pv().unwrap_or_else(|_| "MultiPV".to_string());
    for value in ["0", "999999", "abc", "99999999999999999999", "1"] {
        conversation.tolerates(&format!("setoption name {name} value {value}"))?;
    }
    conversation.alive()
}

fn absurd_hash(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.boot()?;
    conversation.set("USI_Hash", "100000000");
    conversation.send("isready");
    let reply = conversation.until_within(&["readyok"], Duration::from_secs(20))?;
    conversation.go(START, "go nodes 500")?;
    Ok(format!("{:.1} s to readyok", reply.took.as_secs_f64()))
}

fn option_in_search(engines: &mut Engines<'_>) -> Checked {
    change_and_stop(engines.boot()?, START, "go infinite")
}

fn option_in_ponder(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.boot_with(&[("USI_Ponder", "true")])?;
    let go = "go ponder btime 60000 wtime 60000 byoyomi 1000";
    change_and_stop(conversation, "position startpos moves 7g7f", go)
}

/// Changes an option in a search that waits, and ends it.
fn change_and_stop(mut conversation: Conversation, position: &str, go: &str) -> Checked {
    conversation.begin(position, go, 200)?;
    let name = conversation.multi_pv().unwrap_or_else(|_| "MultiPV".to_string());
    conversation.set(&name, "2");
    conversation.no_answer(150, "before stop")?;
    conversation.send("stop");
    let reply = conversation.best_within(Duration::from_secs(2))?;
    conversation.alive()?;
    Ok(format!("{} ms to bestmove", reply.took.as_millis()))
}

fn three_lines(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.boot()?;
    let name = conversation.multi_pv()?;
    conversation.set(&name, "3");
    let numbers = line_numbers(&mut conversation, "go depth 4")?;
    require(numbers == [1, 2, 3], || format!("lines {numbers:?}"))?;
    if conversation.option("MultiPV").is_none() || conversation.option("USI_MultiPV").is_none() {
        return PASSED;
    }
    // Two names for one thing: the one that was set last counts.
    conversation.set("USI_MultiPV", "2");
    conversation.go(OPENING, "go nodes 500")?;
    let numbers = line_numbers(&mut conversation, "go depth 4")?;
    require(numbers == [1, 2], || format!("lines {numbers:?} after USI_MultiPV was set to 2"))?;
    PASSED
}
