//! The search as it is described: the way from `go` to a node, and the constants under the steps that use them.

use super::layers::sources;
use std::collections::BTreeMap;

/// A function of a source file.
struct Function {
    name: String,
    /// Documentation, head and body.
    text: String,
}

impl Function {
    /// Tests whether the body calls a function or method of this name.
    fn calls(&self, name: &str) -> bool {
        let code = self.text.lines().map(super::layers::code).collect::<Vec<_>>().join("\n");
        let body = code.split_once('{').map_or("", |(_, body)| body);
        body.match_indices(name).any(|(at, _)| {
            let (before, after) = (&body[..at], &body[at + name.len()..]);
            let is_whole = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_') && !before.ends_with("fn ");
            is_whole && (after.starts_with('(') || after.starts_with("::<"))
        })
    }

    /// The steps that the function names: `Step 4.`, `Steps 7 to 9.` or `Steps 4, 17 and 21.`, up to the full stop.
    fn steps(&self) -> Vec<u32> {
        steps(&self.text)
    }
}

fn steps(text: &str) -> Vec<u32> {
    let said = text.split("Step").skip(1).filter_map(|rest| rest.strip_prefix('s').unwrap_or(rest).strip_prefix(' '));
    said.flat_map(|rest| {
        let words = rest.split(['.', ':']).next().unwrap_or_default();
        let numbers: Vec<u32> = words.split(|c: char| !c.is_ascii_digit()).flat_map(str::parse).collect();
        match numbers[..] {
            [first, last] if words.contains(" to ") => (first..=last).collect(),
            _ => numbers,
        }
    })
    .collect()
}

/// The functions of a formatted source: each ends with a brace as far to the right as it begins.
fn functions(text: &str) -> Vec<Function> {
    let lines: Vec<&str> = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().lines().collect();
    let head = |line: &str| {
        let (before, rest) = line.split_once("fn ")?;
        let is_head = before.split_whitespace().all(|word| word.starts_with("pub") || word == "const")
            || before.trim_start().starts_with("pub(in ");
        is_head.then(|| rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default().to_string())
    };
    let mut functions = Vec::new();
    for (at, name) in lines.iter().enumerate().filter_map(|(at, line)| Some((at, head(line)?))) {
        let indent = &lines[at][..lines[at].len() - lines[at].trim_start().len()];
        let end = lines[at..].iter().position(|line| *line == format!("{indent}}}")).map_or(at, |count| at + count);
        let is_doc = |line: &&&str| line.trim_start().starts_with("///") || line.trim_start().starts_with("#[");
        let docs = lines[..at].iter().rev().take_while(is_doc).count();
        functions.push(Function { name, text: lines[at - docs..=end].join("\n") });
    }
    functions
}

/// The rows of the table in a document that leads from `go` to `negamax`: file and function.
fn way(document: &str) -> Vec<(String, String)> {
    let rows = document.lines().skip_while(|line| !line.ends_with("| |") || !line.contains("`src/`")).skip(2);
    let cells = rows.map_while(|row| {
        let mut words = row.strip_prefix("| `")?.split('`');
        Some((words.next()?.to_string(), words.nth(1)?.to_string()))
    });
    cells.collect()
}

#[test]
fn six_calls_lead_from_go_to_negamax_as_the_documents_say() {
    let way = way(include_str!("../../docs/architecture.md"));
    assert_eq!(way, self::way(include_str!("../../docs/architecture.ja.md")), "both languages name the same way");
    assert!(way.len() <= 1 + 6, "{} calls", way.len() - 1);
    let names: Vec<&str> = way.iter().map(|(_, function)| function.as_str()).collect();
    assert_eq!((names[0], names[names.len() - 1]), ("go", "negamax"));
    let texts: BTreeMap<String, String> = sources().into_iter().collect();
    let found = way.iter().map(|(file, name)| {
        let text = texts.get(file).unwrap_or_else(|| panic!("there is no src/{file}"));
        let function = functions(text).into_iter().find(|function| function.name == *name);
        function.unwrap_or_else(|| panic!("src/{file} has no function {name}"))
    });
    let found: Vec<Function> = found.collect();
    for pair in found.windows(2) {
        assert!(pair[0].calls(&pair[1].name), "{} does not call {}", pair[0].name, pair[1].name);
    }
}

/// The headings of `search/params.rs`, `// Step 7. Razoring (tree/pruning.rs).`, each with its file and constants.
fn groups(params: &str) -> Vec<(String, String, Vec<String>)> {
    let (_, list) = params.split_once("\ntunables! {\n").expect("there is a list of constants");
    let (list, _) = list.split_once("\n}\n").expect("the list has an end");
    let mut groups: Vec<(String, String, Vec<String>)> = Vec::new();
    for line in list.lines().map(str::trim_start) {
        if let Some(heading) = line.strip_prefix("// ") {
            let file = heading.rsplit_once(" (").and_then(|(_, file)| file.strip_suffix(")."));
            let file = file.unwrap_or_else(|| panic!("{heading} names no file"));
            groups.push((heading.to_string(), format!("search/{file}"), Vec::new()));
        } else if let Some((name, _)) = line.split_once(": ").filter(|_| !line.starts_with('/')) {
            groups.last_mut().expect("a heading stands before the first constant").2.push(name.to_string());
        }
    }
    groups
}

#[test]
fn every_constant_stands_under_the_step_that_uses_it() {
    let texts = sources();
    let params = &texts.iter().find(|(file, _)| file == "search/params.rs").expect("there are constants").1;
    let groups = groups(params);
    assert!(groups.len() > 20, "{} headings", groups.len());
    let all: Vec<(&String, Vec<Function>)> = texts
        .iter()
        .filter(|(file, _)| file.starts_with("search/") && file != "search/params.rs" && !file.ends_with("tests.rs"))
        .map(|(file, text)| (file, functions(text)))
        .collect();
    let mut wrong = Vec::new();
    for (heading, file, names) in &groups {
        let steps = steps(heading);
        for name in names {
            let users: Vec<(&&String, &Function)> = all
                .iter()
                .flat_map(|(file, functions)| functions.iter().map(move |function| (file, function)))
                .filter(|(_, function)| function.calls(name))
                .collect();
            if users.is_empty() || users.iter().any(|(user, _)| **user != file) {
                wrong.push(format!("{name} is not used in {file} alone"));
            }
            let tells = |function: &Function| steps.iter().all(|step| function.steps().contains(step));
            if file.starts_with("search/tree/") && !users.iter().any(|(_, function)| tells(function)) {
                wrong.push(format!("no function that uses {name} says that it is of {heading}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let first = |heading: &str| steps(heading).first().copied();
    let numbers: Vec<u32> = groups.iter().filter_map(|(heading, ..)| first(heading)).collect();
    assert!(numbers.is_sorted(), "the headings are in the order of the steps: {numbers:?}");
}

#[test]
fn functions_their_calls_and_their_steps_are_found_however_they_are_written() {
    let method = "    /// Steps 7 to 9: early.\n    #[inline]\n    pub(super) fn a<N: T>(\n        &self,\n    ) {\n";
    let body = "        // not_called()\n        self.b::<N>(c(1));\n    }\n";
    let plain = "const fn d() -> i32 {\n    // Step 3.\n    fn_like()\n}\n";
    let text = &format!("impl A {{\n{method}{body}}}\n\n{plain}");
    let [a, d] = &functions(text)[..] else { panic!("{} functions", functions(text).len()) };
    assert_eq!((a.name.as_str(), d.name.as_str()), ("a", "d"));
    assert_eq!((a.steps(), d.steps()), (vec![7, 8, 9], vec![3]));
    assert!(a.calls("b") && a.calls("c") && !a.calls("a") && !a.calls("not_called") && !a.calls("N"));
    assert!(d.calls("fn_like") && !d.calls("like"));
    assert_eq!(steps("Steps 4, 17 and 21. Histories of 3 plies. Step 5: one. Steps taken"), [4, 17, 21, 5]);
}
