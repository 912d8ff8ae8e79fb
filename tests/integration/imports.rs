//! No source files import one another in a circle: each can be read after those that it imports.
//!
//! A file imports another one if a `use` or a path in its text, comments and unit tests left out, names something of
//! it. What a module passes on with `pub use` belongs to the file that defines it.

use crate::layers::{code, is_word, sources};
use std::collections::{BTreeMap, BTreeSet};

/// The names on the way to a module or to one of its items.
type Path = Vec<String>;

/// A source file without comments and unit tests.
struct Source {
    text: String,
    /// The modules of tests that have files of their own.
    test_files: Vec<String>,
}

fn without_tests(text: &str) -> Source {
    let lines: Vec<&str> = text.lines().map(code).collect();
    let mut source = Source { text: String::new(), test_files: Vec::new() };
    let mut at = 0;
    while at < lines.len() {
        let module = lines.get(at + 1).and_then(|line| line.trim().rsplit_once("mod "));
        match module.filter(|_| lines[at].trim() == "#[cfg(test)]") {
            // Unit tests stand last in a file.
            Some((_, name)) if name.ends_with('{') => break,
            Some((_, name)) => {
                source.test_files.push(name.trim_end_matches(';').to_string());
                at += 2;
            }
            // A field, a statement or the head of a function.
            None if lines[at].trim() == "#[cfg(test)]" => at += 2,
            None => {
                source.text += lines[at];
                source.text.push('\n');
                at += 1;
            }
        }
    }
    source
}

/// The paths of a tree such as `a::{b, c::d}`, with a path before each.
fn paths_of(tree: &str, before: &[String]) -> Vec<Path> {
    let (head, group) = tree.split_once('{').map_or((tree, None), |(head, group)| (head, Some(group)));
    let head = head.split(" as ").next().unwrap_or_default();
    let mut path = before.to_vec();
    path.extend(head.split("::").map(str::trim).filter(|name| !name.is_empty()).map(str::to_string));
    let Some(group) = group.and_then(|group| group.rsplit_once('}')) else { return vec![path] };
    let (mut paths, mut depth, mut start) = (Vec::new(), 0, 0);
    let ends = group.0.char_indices().chain([(group.0.len(), ',')]);
    for (i, c) in ends {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let part = group.0[start..i].trim();
                if !part.is_empty() {
                    paths.extend(paths_of(part, &path));
                }
                start = i + 1;
            }
            _ => {}
        }
    }
    paths
}

/// The trees of all `use` in a text, each with whether it passes names on, and the text without them.
fn uses(text: &str) -> (Vec<(bool, &str)>, String) {
    let (mut trees, mut rest) = (Vec::new(), String::new());
    let mut at = 0;
    while let Some(found) = text[at..].find("use ").map(|found| at + found) {
        let line_start = text[..found].rfind('\n').map_or(0, |end| end + 1);
        let before = text[line_start..found].trim();
        let end = text[found..].find(';').map_or(text.len(), |end| found + end);
        if before.is_empty() || before == "pub" || before.starts_with("pub(") && before.ends_with(')') {
            rest += &text[at..line_start.max(at)];
            trees.push((!before.is_empty(), &text[found + "use ".len()..end]));
        } else {
            rest += &text[at..end];
        }
        at = end;
    }
    rest += &text[at..];
    (trees, rest)
}

/// The paths in a text without `use` that start with `crate` or `super`, those left out that only say who may see an
/// item.
fn inline_paths(text: &str) -> Vec<Path> {
    let (before, restricted) = text.split_once("pub(in ").unwrap_or((text, ""));
    let after = restricted.split("pub(in ").filter_map(|part| part.split_once(')')).map(|(_, after)| after);
    let pieces = std::iter::once(before).chain(after).flat_map(|part| part.split(|c: char| !is_word(c) && c != ':'));
    let paths = pieces.map(|piece| piece.split("::").map(str::to_string).collect::<Path>());
    paths.filter(|path| path.len() > 1 && (path[0] == "crate" || path[0] == "super")).collect()
}

/// All files by the paths of their modules.
struct Crate {
    texts: BTreeMap<Path, String>,
    /// Names that modules pass on, and the modules where they come from.
    passed_on: BTreeMap<(Path, String), Path>,
}

impl Crate {
    /// Of files, each with its path below `src/`.
    fn new(files: &[(String, String)]) -> Crate {
        let (mut texts, mut tests) = (BTreeMap::new(), BTreeSet::new());
        for (file, text) in files.iter().filter(|(file, _)| file != "main.rs") {
            let mut module: Path = file.trim_end_matches(".rs").split('/').map(str::to_string).collect();
            module.pop_if(|name| name == "mod" || file == "lib.rs");
            let source = without_tests(text);
            tests.extend(source.test_files.into_iter().map(|name| [module.as_slice(), &[name]].concat()));
            texts.insert(module, source.text);
        }
        texts.retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
        let mut all = Crate { texts, passed_on: BTreeMap::new() };
        for (module, text) in &all.texts {
            for (_, tree) in uses(text).0.into_iter().filter(|&(passes_on, _)| passes_on) {
                for path in paths_of(tree, &[]) {
                    let inner = if is_root(&path[0]) { path } else { [vec!["self".to_string()], path].concat() };
                    if let Some((from, [name, ..])) = all.resolve(module, &inner) {
                        all.passed_on.insert((module.clone(), name.clone()), from);
                    }
                }
            }
        }
        all
    }

    /// The module to which a path leads, and the names behind it; `None` for other crates.
    fn resolve<'a>(&self, module: &Path, path: &'a [String]) -> Option<(Path, &'a [String])> {
        let (first, _) = path.split_first().filter(|(first, _)| is_root(first))?;
        let mut at = if first == "crate" { Path::new() } else { module.clone() };
        let mut rest = path;
        while let Some((name, behind)) = rest.split_first() {
            if name == "super" {
                at.pop();
            } else if !is_root(name) {
                at.push(name.clone());
                if !self.texts.contains_key(&at) {
                    at.pop();
                    break;
                }
            }
            rest = behind;
        }
        Some((at, rest))
    }

    /// The modules that each module imports.
    fn imports(&self) -> Imports {
        self.texts.iter().map(|(module, text)| (module.clone(), self.imports_of(module, text))).collect()
    }

    /// The modules that each folder of the search and each file beside the folders imports, its own left out.
    fn imports_of_search_folders(&self) -> Imports {
        let mut folders = Imports::new();
        let of_search = |path: &Path| path.len() > 1 && path[0] == "search";
        for (module, targets) in self.imports().into_iter().filter(|(module, _)| of_search(module)) {
            let folder = module[..2].to_vec();
            let targets = targets.into_iter().filter(of_search).map(|target| target[..2].to_vec());
            let others = targets.filter(|target| *target != folder).collect::<Vec<_>>();
            folders.entry(folder).or_default().extend(others);
        }
        folders
    }

    fn imports_of(&self, module: &Path, text: &str) -> BTreeSet<Path> {
        let (trees, rest) = uses(text);
        let own = trees.iter().filter(|(passes_on, _)| !passes_on);
        let mut found = BTreeSet::new();
        for path in own.flat_map(|(_, tree)| paths_of(tree, &[])).chain(inline_paths(&rest)) {
            let Some((mut target, names)) = self.resolve(module, &path) else { continue };
            if let Some(name) = names.first() {
                while let Some(from) =
                    self.passed_on.get(&(target.clone(), name.clone())).filter(|from| **from != target)
                {
                    target = from.clone();
                }
            }
            found.insert(target);
        }
        found.remove(module);
        found
    }
}

/// The modules that each module imports.
type Imports = BTreeMap<Path, BTreeSet<Path>>;

/// The sets of modules of which each leads to all others.
fn circles(imports: &Imports) -> BTreeSet<BTreeSet<String>> {
    let reached: BTreeMap<&Path, BTreeSet<&Path>> =
        imports.keys().map(|module| (module, reached_from(module, imports))).collect();
    let in_circle = reached.iter().filter(|(module, seen)| seen.contains(*module));
    let members = in_circle.map(|(module, seen)| {
        let is_member = |other: &&&Path| reached.get(**other).is_some_and(|seen| seen.contains(*module));
        seen.iter().filter(is_member).map(|other| other.join("::")).collect()
    });
    members.collect()
}

/// All modules to which imports lead from one.
fn reached_from<'a>(start: &'a Path, imports: &'a Imports) -> BTreeSet<&'a Path> {
    let (mut seen, mut ahead) = (BTreeSet::new(), vec![start]);
    while let Some(module) = ahead.pop() {
        ahead.extend(imports.get(module).into_iter().flatten().filter(|next| seen.insert(*next)));
    }
    seen
}

fn is_root(name: &str) -> bool {
    matches!(name, "crate" | "self" | "super")
}

#[test]
fn no_files_import_one_another_in_a_circle() {
    let circles = circles(&Crate::new(&sources()).imports());
    assert!(circles.is_empty(), "{circles:#?}");
}

#[test]
fn no_folders_of_the_search_import_one_another_in_a_circle() {
    let all = Crate::new(&sources());
    let folders = all.imports_of_search_folders();
    let folder = |name: &str| vec!["search".to_string(), name.to_string()];
    assert!(folders[&folder("root")].contains(&folder("tree")), "the workers of the root search the tree");
    let circles = circles(&folders);
    assert!(circles.is_empty(), "{circles:#?}");
}

#[test]
fn folders_of_the_search_that_import_one_another_are_found() {
    let files = [
        ("search/mod.rs", ""),
        ("search/a/mod.rs", ""),
        ("search/b/mod.rs", ""),
        ("search/a/one.rs", "use crate::search::b::two::X;"),
        ("search/b/two.rs", "use crate::search::c::Y;"),
        ("search/b/three.rs", "use super::super::a::four::Z;"),
        ("search/a/four.rs", "use crate::types::T;"),
        ("search/c.rs", ""),
    ];
    let files: Vec<_> = files.iter().map(|(file, text)| (file.to_string(), text.to_string())).collect();
    let all = Crate::new(&files);
    assert!(circles(&all.imports()).is_empty());
    let found = circles(&all.imports_of_search_folders());
    let circle = ["search::a", "search::b"].map(String::from);
    assert_eq!(found, BTreeSet::from([BTreeSet::from(circle)]));
}

#[test]
fn no_file_of_the_search_imports_from_a_module_that_it_is_part_of() {
    let all = Crate::new(&sources());
    let from_above = |(module, targets): (Path, BTreeSet<Path>)| {
        let above = targets.into_iter().filter(|target| target.len() < module.len() && module.starts_with(target));
        above.map(|target| format!("{} imports from {}", module.join("::"), target.join("::"))).collect::<Vec<_>>()
    };
    let of_search = all.imports().into_iter().filter(|(module, _)| module.first().is_some_and(|name| name == "search"));
    assert_eq!(of_search.flat_map(from_above).collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn circles_are_found_however_they_are_spelled() {
    let circles_of = |files: &[(&str, &str)]| {
        let files: Vec<_> = files.iter().map(|(file, text)| (file.to_string(), text.to_string())).collect();
        let found = circles(&Crate::new(&files).imports());
        found.iter().map(|circle| circle.iter().cloned().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
    };
    let a = ("a/mod.rs", "mod b;\nmod c;\npub use b::{B, X as Y};\npub(crate) use c::C;");
    assert_eq!(circles_of(&[a, ("a/b.rs", "use super::c::D;"), ("a/c.rs", "fn f(b: super::b::B) {}")]), ["a::b a::c"]);
    assert_eq!(
        circles_of(&[a, ("a/b.rs", "use super::{\n    C,\n};"), ("a/c.rs", "use crate::a::{self, B};")]),
        ["a::b a::c"]
    );
    assert_eq!(
        circles_of(&[a, ("a/b.rs", "pub(super) struct B;\nuse super::c::D;"), ("a/c.rs", "use super::MAX;")]),
        [""; 0]
    );
    let (shown, tested) =
        (("a/b.rs", "pub(in crate::a) struct B;\nuse super::c::D;"), ("a/c.rs", "#[cfg(test)]\nb: super::b::B"));
    assert_eq!(circles_of(&[a, shown, tested]), [""; 0]);
    let tests = "#[cfg(test)]\nmod tests {\n    use super::b::B;\n}";
    assert_eq!(circles_of(&[a, ("a/b.rs", "use super::c::D; // use super::c"), ("a/c.rs", tests)]), [""; 0]);
    let (b, test_file) = (("a/b.rs", "use super::c::D;\n#[cfg(test)]\nmod t;"), ("a/b/t.rs", "use super::*;"));
    assert_eq!(circles_of(&[a, b, test_file, ("a/c.rs", "use std::fmt;")]), [""; 0]);
    let through = [
        ("a.rs", "use crate::b::B;"),
        ("b.rs", "use crate::c::C;"),
        ("c.rs", "use crate::a::A;"),
        ("d.rs", "use crate::a::A;"),
    ];
    assert_eq!(circles_of(&through), ["a b c"]);
}
