//! Records of games as trees, read and written in every format of the library.

use crate::board::Board;
use crate::errors::{bad_value, in_file};
use crate::moves::{AnyMove, Pickled, PyMove, object, objects};
use crate::numbers::number;
use crate::octets::octets;
use komainu::games::{SourceGame, read_source, read_source_text};
use komainu::notation::encoding::encode_cp932;
use komainu::notation::kif;
use komainu::notation::record::{GameRecord, Outcome, RecordMove};
use komainu::notation::tree::{NodeId, RecordTree, TreeError};
use komainu::notation::{Format, Part};
use komainu::storage::NewFile;
use komainu::types::{Color, Counted};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyType};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A game: headers, moves with times and comments, variations, the end. `Record()` is an empty one, `Record(board)` one
/// with the moves of a board; others are read by `Record.read`, `Record.parse` and `read_records`.
///
/// >>> r = Record.parse("手合割：平手\n   1 ７六歩(77)   ( 0:05/00:00:05)\n*角道\n   2 投了\n")
/// >>> [str(m) for m in r.moves], r.times, r.comments, r.result, r.ending
/// (['7g7f'], [5.0], ['', '角道'], 'black', 'resignation')
/// >>> print(r.to_string("usi"), end="")
/// position startpos moves 7g7f
#[pyclass(module = "komainu")]
pub(crate) struct Record {
    tree: RecordTree,
    /// Where and why reading it came to an end before the end of its text; None if it was read whole.
    #[pyo3(get)]
    fault: Option<String>,
    /// What was odd about its text, one a line.
    #[pyo3(get)]
    warnings: Vec<String>,
    /// The file that it was read from; None for a text.
    #[pyo3(get)]
    path: Option<PathBuf>,
}

/// The formats by the names that callers use.
fn format(name: &str) -> PyResult<Format> {
    name.parse().map_err(|_| bad_value(format_args!("{name:?} is none of kif, ki2, csa, csa2, jkf, usi, sfen")))
}

fn seconds(spent: Option<Duration>) -> Option<f64> {
    spent.map(|time| time.as_secs_f64())
}

impl Record {
    pub(crate) fn of_game(game: SourceGame, path: Option<PathBuf>) -> Record {
        Record { tree: game.record.into(), fault: game.fault, warnings: game.warnings, path }
    }

    pub(crate) fn of_record(record: GameRecord) -> Record {
        Record { tree: record.into(), fault: None, warnings: Vec::new(), path: None }
    }

    /// The only game of a text, whole unless that is not asked for.
    fn of_games(
        games: Vec<Result<SourceGame, komainu::games::Unread>>,
        path: Option<&Path>,
        strict: bool,
    ) -> PyResult<Record> {
        let place = path.map(|path| format!("{}: ", path.display())).unwrap_or_default();
        let count = games.len();
        if count > 1 {
            return Err(bad_value(format_args!("{place}{count} games, not one: read_records reads them")));
        }
        let game = games.into_iter().next().expect("there is a game or an error");
        let game = game.map_err(|error| bad_value(format_args!("{place}{error}")))?;
        let record = Record::of_game(game, path.map(Path::to_path_buf));
        if strict { record.whole() } else { Ok(record) }
    }

    /// The record, unless it could not be read to its end.
    pub(crate) fn whole(self) -> PyResult<Record> {
        let Some(fault) = &self.fault else { return Ok(self) };
        let place = self.path.as_ref().map(|path| format!("{}: ", path.display())).unwrap_or_default();
        Err(bad_value(format_args!("{place}{fault}")))
    }

    /// What the tree says of one of its own nodes.
    fn of<'a, T>(&'a self, id: NodeId, read: impl FnOnce(&'a RecordTree, NodeId) -> Result<T, TreeError>) -> T {
        read(&self.tree, id).expect("the node is in the tree")
    }

    pub(crate) fn record(&self) -> GameRecord {
        self.tree.record()
    }
}

#[pymethods]
impl Record {
    #[new]
    #[pyo3(signature = (board=None))]
    fn new(board: Option<PyRef<'_, Board>>) -> Record {
        let Some(board) = board else {
            return Record::of_record(GameRecord::new(komainu::position::Position::startpos()));
        };
        let (start, moves) = board.pos.game();
        let moves = moves.into_iter().map(RecordMove::new).collect();
        Record::of_record(GameRecord { moves, ..GameRecord::new(start) })
    }

    /// Reads the game of a file: KIF, KI2, CSA, JKF, a line of USI, in UTF-8, Shift_JIS, EUC-JP, ISO-2022-JP or UTF-16.
    ///
    /// Errors: OSError for the file; ValueError for a game that cannot be read, with the line and the word, also if
    /// only its end cannot be, unless strict=False: then what stands before is kept and `fault` tells the rest.
    #[staticmethod]
    #[pyo3(signature = (path, *, strict=true))]
    fn read(py: Python<'_>, path: PathBuf, strict: bool) -> PyResult<Record> {
        let games = py.detach(|| {
            let bytes = std::fs::read(&path).map_err(|error| in_file(&path, &error))?;
            Ok::<_, PyErr>(read_source(&path.to_string_lossy(), &bytes))
        })?;
        Record::of_games(games, Some(&path), strict)
    }

    /// Reads the game of a text or of bytes in any encoding, as `read` does.
    #[staticmethod]
    #[pyo3(signature = (text, *, strict=true))]
    fn parse(py: Python<'_>, text: &Bound<'_, PyAny>, strict: bool) -> PyResult<Record> {
        let games = match text.downcast::<PyString>() {
            Ok(text) => {
                let text = text.to_string_lossy().into_owned();
                py.detach(|| read_source_text("", &text))
            }
            Err(_) => {
                let bytes = octets(text)?;
                let bytes = bytes.as_bytes();
                py.detach(|| read_source("", bytes))
            }
        };
        Record::of_games(games, None, strict)
    }

    /// The moves of the game.
    #[getter]
    fn moves(&self, py: Python<'_>) -> PyResult<Vec<Py<PyMove>>> {
        self.tree.main_line().filter_map(|id| self.of(id, RecordTree::mv)).map(|mv| object(py, mv)).collect()
    }

    /// Seconds that each move of the game took; None where the record does not say it.
    #[getter]
    fn times(&self) -> Vec<Option<f64>> {
        self.tree.main_line().map(|id| seconds(self.of(id, RecordTree::made).and_then(|made| made.spent))).collect()
    }

    /// Comments: on the start, then on each move of the game; lines separated by "\n", "" for none.
    #[getter]
    fn comments(&self) -> Vec<String> {
        let nodes = std::iter::once(self.tree.root()).chain(self.tree.main_line());
        nodes.map(|id| self.of(id, RecordTree::comments).join("\n")).collect()
    }

    /// Headers and players by the keys of KIF, as {"先手": ..., "棋戦": ...}: a mapping that writes into the record. A
    /// mapping that is set replaces all.
    #[getter]
    fn header(this: Bound<'_, Record>) -> PyResult<Py<PyAny>> {
        static HEADER: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let py = this.py();
        Ok(HEADER.import(py, "komainu._headers", "Header")?.call1((this,))?.unbind())
    }

    /// The headers as they are now.
    fn _header<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let header = PyDict::new(py);
        for (key, value) in kif::headers(self.tree.head()) {
            header.set_item(key, value)?;
        }
        Ok(header)
    }

    #[setter]
    fn set_header(this: &Bound<'_, Record>, header: &Bound<'_, PyAny>) -> PyResult<()> {
        let pairs = PyDict::new(this.py());
        // A mapping may be written in Python, and read this very record.
        pairs.call_method1("update", (header,))?;
        let mut record = GameRecord::new(this.borrow().tree.head().start.clone());
        for (key, value) in pairs {
            let key: String = key.extract()?;
            let value: String = value.extract()?;
            if !kif::is_header(&key) {
                return Err(bad_value(format_args!("{key:?} is no name of a header")));
            }
            if value.contains(['\n', '\r']) {
                return Err(bad_value(format_args!("{key}: {value:?} has more than one line")));
            }
            kif::set_header(&mut record, &key, &value);
        }
        this.try_borrow_mut()?.tree.set_headers(&record);
        Ok(())
    }

    /// The name of black; None if the record does not say it.
    #[getter]
    fn black(&self) -> Option<String> {
        self.tree.head().players[Color::Black].clone()
    }

    /// The name of white; None if the record does not say it.
    #[getter]
    fn white(&self) -> Option<String> {
        self.tree.head().players[Color::White].clone()
    }

    /// Who won: "black", "white", "draw"; None for a game without a result.
    #[getter]
    fn result(&self) -> Option<&'static str> {
        self.of(self.tree.end(), RecordTree::conclusion)?.outcome().map(Outcome::words)
    }

    /// How the game ended, in English: "resignation", "repetition", "time" and so on; None if the record just stops.
    #[getter]
    fn ending(&self) -> Option<&'static str> {
        self.of(self.tree.end(), RecordTree::conclusion).map(|conclusion| conclusion.ending.words())
    }

    /// The board after so many moves of the game; after the last one without a number. IndexError beyond it.
    #[pyo3(signature = (ply=None))]
    fn board(&self, ply: Option<&Bound<'_, PyAny>>) -> PyResult<Board> {
        let id = match ply {
            None => self.tree.end(),
            Some(ply) => self.at(number("ply", ply, 0, u32::MAX.into())? as usize)?,
        };
        Ok(Board { pos: self.of(id, RecordTree::position) })
    }

    /// The start of the game as a node of the tree.
    #[getter]
    fn root(this: Bound<'_, Record>) -> Node {
        let id = this.borrow().tree.root();
        Node { record: this.unbind(), id }
    }

    /// The node after so many moves of the game. IndexError beyond the last one.
    fn node(this: Bound<'_, Record>, ply: &Bound<'_, PyAny>) -> PyResult<Node> {
        let ply = number("ply", ply, 0, u32::MAX.into())? as usize;
        let id = this.borrow().at(ply)?;
        Ok(Node { record: this.unbind(), id })
    }

    /// All nodes of the tree, each before its children, without the root.
    fn nodes(this: Bound<'_, Record>) -> Vec<Node> {
        let ids: Vec<NodeId> = this.borrow().tree.walk().collect();
        ids.into_iter().map(|id| Node { record: this.clone().unbind(), id }).collect()
    }

    /// The record as text: "kif", "ki2", "csa" ("csa2" is version 2.2), "jkf", "usi", "sfen" (the last position).
    fn to_string(this: &Bound<'_, Record>, format: &str) -> PyResult<String> {
        let format = self::format(format)?;
        let record = this.borrow().record();
        Ok(this.py().detach(|| format.write(&record)))
    }

    /// The parts of the record that a format has no place for, as ["comments", "times"].
    fn losses(&self, format: &str) -> PyResult<Vec<&'static str>> {
        Ok(self::format(format)?.losses(&self.record()).into_iter().map(Part::words).collect())
    }

    /// Writes the record to a file, as a whole or not at all. The ending of its name tells the format (kif, kifu, ki2,
    /// csa, jkf, json, usi) unless one is given. encoding: "utf-8", or "cp932" (Shift_JIS).
    ///
    /// Errors: OSError for the file; ValueError for a format or encoding that there is not, and for letters that the
    /// encoding has not.
    #[pyo3(signature = (path, format=None, *, encoding="utf-8"))]
    fn write(this: &Bound<'_, Record>, path: PathBuf, format: Option<&str>, encoding: &str) -> PyResult<()> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default();
        let text = Record::to_string(this, format.unwrap_or(&ending))?;
        let bytes = match encoding.to_ascii_lowercase().replace('_', "-").as_str() {
            "utf-8" | "utf8" => text.into_bytes(),
            "cp932" | "shift-jis" | "sjis" => {
                let encoded = encode_cp932(&text);
                if !encoded.lost.is_empty() {
                    let lost = String::from_iter(&encoded.lost);
                    return Err(bad_value(format_args!("{encoding} has no {lost}")));
                }
                encoded.bytes
            }
            _ => return Err(bad_value(format_args!("{encoding:?} is neither utf-8 nor cp932"))),
        };
        let written = this.py().detach(|| {
            let mut file = NewFile::create(&path)?;
            file.write_all(&bytes)?;
            // Thousands of records are written one after the other: none waits for the disk.
            file.finish_unsynced()
        });
        written.map_err(|error| in_file(&path, &error))
    }

    fn __len__(&self) -> usize {
        self.tree.main_line().count()
    }

    fn __repr__(&self) -> String {
        let name = |name: Option<String>| name.unwrap_or_else(|| "?".to_string());
        let moves = Counted(self.__len__() as u64, "move");
        format!("<Record {} - {}, {moves}>", name(self.black()), name(self.white()))
    }

    fn __eq__(&self, other: PyRef<'_, Record>) -> bool {
        self.tree == other.tree
    }

    fn __copy__(&self) -> Record {
        let Record { tree, fault, warnings, path } = self;
        Record { tree: tree.clone(), fault: fault.clone(), warnings: warnings.clone(), path: path.clone() }
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Record {
        self.__copy__()
    }

    /// A record is pickled as its KIF.
    fn __reduce__(&self, py: Python<'_>) -> (Py<PyAny>, (), State) {
        let state = (Format::Kif.write(&self.record()), self.fault.clone(), self.warnings.clone(), self.path.clone());
        (py.get_type::<Record>().into_any().unbind(), (), state)
    }

    fn __setstate__(&mut self, state: State) -> PyResult<()> {
        let (text, fault, warnings, path) = state;
        let Record { tree, .. } = Record::of_games(read_source_text("record.kif", &text), None, true)?;
        *self = Record { tree, fault, warnings, path };
        Ok(())
    }
}

/// A pickled record: its KIF, fault, warnings and path.
type State = (String, Option<String>, Vec<String>, Option<PathBuf>);

impl Record {
    fn at(&self, ply: usize) -> PyResult<NodeId> {
        let count = || Counted(self.__len__() as u64, "move");
        self.tree.at_ply(ply).ok_or_else(|| PyIndexError::new_err(format!("ply {ply}: the game has {}", count())))
    }
}

/// A node of a record: a position and, but for the root, the move that led to it.
///
/// >>> r = Record()
/// >>> first = r.root.add("7g7f")
/// >>> main, other = first.add("3c3d"), first.add("8c8d")
/// >>> [str(n.move) for n in main.siblings], other.ply, [str(m) for m in r.moves]
/// (['3c3d', '8c8d'], 2, ['7g7f', '3c3d'])
#[pyclass(module = "komainu", frozen)]
pub(crate) struct Node {
    record: Py<Record>,
    id: NodeId,
}

impl Node {
    /// What the tree says of the node. ValueError if it was removed.
    fn with<T>(&self, py: Python<'_>, read: impl FnOnce(&RecordTree) -> Result<T, TreeError>) -> PyResult<T> {
        read(&self.record.try_borrow(py)?.tree).map_err(bad_value)
    }

    /// Changes the node. ValueError if it was removed.
    fn change<T>(&self, py: Python<'_>, change: impl FnOnce(&mut RecordTree) -> Result<T, TreeError>) -> PyResult<T> {
        change(&mut self.record.try_borrow_mut(py)?.tree).map_err(bad_value)
    }

    fn beside(&self, py: Python<'_>, id: NodeId) -> Node {
        Node { record: self.record.clone_ref(py), id }
    }

    fn all(&self, py: Python<'_>, ids: &[NodeId]) -> Vec<Node> {
        ids.iter().map(|&id| self.beside(py, id)).collect()
    }
}

#[pymethods]
impl Node {
    /// The move that led here; None at the root.
    #[getter]
    fn r#move(&self, py: Python<'_>) -> PyResult<Option<Py<PyMove>>> {
        self.with(py, |tree| tree.mv(self.id))?.map(|mv| object(py, mv)).transpose()
    }

    /// Moves made up to here.
    #[getter]
    fn ply(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |tree| tree.ply(self.id))
    }

    /// The node before; None at the root.
    #[getter]
    fn parent(&self, py: Python<'_>) -> PyResult<Option<Node>> {
        Ok(self.with(py, |tree| tree.parent(self.id))?.map(|id| self.beside(py, id)))
    }

    /// The node that the line goes on with; None at its end.
    #[getter]
    fn next(&self, py: Python<'_>) -> PyResult<Option<Node>> {
        Ok(self.with(py, |tree| tree.next(self.id))?.map(|id| self.beside(py, id)))
    }

    /// The nodes after this one, the one that the line goes on with first.
    #[getter]
    fn children(&self, py: Python<'_>) -> PyResult<Vec<Node>> {
        let ids = self.with(py, |tree| Ok(tree.children(self.id)?.to_vec()))?;
        Ok(self.all(py, &ids))
    }

    /// The nodes of the same position, this one included.
    #[getter]
    fn siblings(&self, py: Python<'_>) -> PyResult<Vec<Node>> {
        let ids = self.with(py, |tree| Ok(tree.siblings(self.id)?.to_vec()))?;
        Ok(self.all(py, &ids))
    }

    /// The moves from the start to here.
    #[getter]
    fn line(&self, py: Python<'_>) -> PyResult<Vec<Py<PyMove>>> {
        let mut moves = Vec::new();
        self.with(py, |tree| {
            for id in tree.path(self.id)? {
                moves.extend(tree.mv(id)?);
            }
            Ok(())
        })?;
        objects(py, &moves)
    }

    /// The comment, lines separated by "\n"; "" for none. May be set.
    #[getter]
    fn comment(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |tree| Ok(tree.comments(self.id)?.join("\n")))
    }

    #[setter]
    fn set_comment(&self, py: Python<'_>, text: &str) -> PyResult<()> {
        let lines = text.lines().map(str::to_string).collect();
        self.change(py, |tree| {
            *tree.comments_mut(self.id)? = lines;
            Ok(())
        })
    }

    /// Seconds that the move took; None where that is not known. May be set.
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        self.with(py, |tree| Ok(seconds(tree.made(self.id)?.and_then(|made| made.spent))))
    }

    #[setter]
    fn set_time(&self, py: Python<'_>, seconds: Option<f64>) -> PyResult<()> {
        let bad = |seconds: f64| bad_value(format_args!("{seconds} is no time in seconds"));
        let read = |seconds: f64| Duration::try_from_secs_f64(seconds).map_err(|_| bad(seconds));
        let spent = seconds.map(read).transpose()?;
        self.change(py, |tree| tree.set_spent(self.id, spent))
    }

    /// How the game or the variation ended here, in English; None if it did not.
    #[getter]
    fn ending(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        Ok(self.with(py, |tree| tree.conclusion(self.id))?.map(|conclusion| conclusion.ending.words()))
    }

    /// The board here, with the moves that led to it.
    fn board(&self, py: Python<'_>) -> PyResult<Board> {
        Ok(Board { pos: self.with(py, |tree| tree.position(self.id))? })
    }

    /// Adds a legal move, as the last of the variations, and returns its node: the one that is there if the move is.
    /// ValueError for any other move.
    fn add(&self, py: Python<'_>, r#move: AnyMove) -> PyResult<Node> {
        let id = self.change(py, |tree| tree.add(self.id, r#move.0))?;
        Ok(self.beside(py, id))
    }

    /// Makes this the move that its line goes on with; the others become variations.
    fn promote(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py, |tree| tree.promote(self.id))
    }

    /// Takes the node out of the record, with all that follows.
    fn remove(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py, |tree| tree.remove(self.id))
    }

    fn __eq__(&self, other: PyRef<'_, Node>) -> bool {
        self.record.as_ptr() == other.record.as_ptr() && self.id == other.id
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        (self.record.as_ptr() as usize, self.id).hash(&mut hasher);
        hasher.finish()
    }

    /// A node is pickled with its record. ValueError if it was removed.
    fn __reduce__(&self, py: Python<'_>) -> PyResult<Pickled<(Py<Record>, Vec<usize>)>> {
        let steps = self.with(py, |tree| {
            let mut steps = Vec::new();
            for id in tree.path(self.id)? {
                let place = tree.siblings(id)?.iter().position(|&sibling| sibling == id);
                steps.push(place.expect("a node is one of its siblings"));
            }
            Ok(steps)
        })?;
        Ok((py.import("komainu._komainu")?.getattr("node_at")?.unbind(), (self.record.clone_ref(py), steps)))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let told = self.with(py, |tree| Ok((tree.ply(self.id)?, tree.mv(self.id)?)));
        match told {
            Ok((ply, Some(mv))) => format!("<Node {ply} {mv}>"),
            Ok((ply, None)) => format!("<Node {ply}>"),
            Err(_) => "<Node removed>".to_string(),
        }
    }
}

/// The node of a record behind these numbers of children, from the start on: how nodes are pickled.
#[pyfunction]
pub(crate) fn node_at(record: Bound<'_, Record>, steps: Vec<usize>) -> PyResult<Node> {
    let mut id = record.borrow().tree.root();
    for step in steps {
        let children = record.borrow().tree.children(id).map_err(bad_value)?.to_vec();
        id = *children.get(step).ok_or_else(|| bad_value("the record has no such node"))?;
    }
    Ok(Node { record: record.unbind(), id })
}
