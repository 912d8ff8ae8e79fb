//! A record as a tree: its positions, what was played and shown in each, walked through and edited.
//!
//! [`GameRecord`] lists variations as the formats do; a [`RecordTree`] is made from it, and makes one again. A node
//! stands for a position and, but for the root, for the move that led there. Its first child goes on with the game or
//! the variation, the others are variations of that move.

use super::record::{Conclusion, EndWord, GameRecord, RecordMove, Variation};
use crate::movegen::IllegalMove;
use crate::position::Position;
use crate::types::Move;

/// A node of a [`RecordTree`]; it means nothing in another tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(usize);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    parent: Option<NodeId>,
    /// The move that led here; none for the root.
    made: Option<RecordMove>,
    children: Vec<NodeId>,
    /// End of the game or the variation here.
    conclusion: Option<Conclusion>,
    /// The line ends here, and all children are variations of an end: what could have followed.
    is_end: bool,
    /// Ends of variations without a move.
    other_ends: Vec<Conclusion>,
}

impl Node {
    fn new(parent: Option<NodeId>, made: Option<RecordMove>) -> Node {
        Node { parent, made, children: Vec::new(), conclusion: None, is_end: false, other_ends: Vec::new() }
    }
}

/// A line of the tree that is still to be listed: a variation by its first node, or one without a move by its end.
struct Branch {
    id: NodeId,
    /// Number of its first move; 0 for the game.
    from: usize,
    end: Option<Conclusion>,
}

/// A record as a tree.
///
/// ```
/// use komainu::notation::tree::RecordTree;
/// use komainu::position::Position;
///
/// let mut tree = RecordTree::new(Position::startpos());
/// let first = tree.add(tree.root(), "7g7f".parse()?)?;
/// tree.add(first, "3c3d".parse()?)?;
/// let variation = tree.add(first, "8c8d".parse()?)?;
/// assert_eq!(tree.main_line().count(), 2);
/// assert_eq!((tree.siblings(variation).len(), tree.ply(variation)), (2, 2));
/// assert_eq!(tree.record().variations[0].from, 2);
/// assert!(tree.add(variation, "8c8d".parse()?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordTree {
    /// Everything but moves, variations and the end.
    head: GameRecord,
    nodes: Vec<Node>,
    /// Word for the end of the game, and the node that it stands at.
    end_word: Option<(NodeId, EndWord)>,
}

impl RecordTree {
    /// A game of which only the start is known.
    pub fn new(start: Position) -> RecordTree {
        RecordTree::from(GameRecord::new(start))
    }

    /// Everything that the record says about the game as a whole: a record without moves, variations and end.
    pub fn head(&self) -> &GameRecord {
        &self.head
    }

    /// Sets players, event and all other headers to those of a record, of which nothing else is taken.
    pub fn set_headers(&mut self, record: &GameRecord) {
        let kept = GameRecord::new(self.head.start.clone());
        let comments = std::mem::take(&mut self.head.comments);
        let GameRecord { players, event, site, started, ended, time_limit, opening, headers, .. } = record.clone();
        self.head = GameRecord { players, event, site, started, ended, time_limit, opening, headers, comments, ..kept };
    }

    /// The start of the game.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// The node before; `None` for the root and for a node that was removed.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.node(id).parent
    }

    /// The nodes after this one, the one that the line goes on with first.
    pub fn children(&self, id: NodeId) -> &[NodeId] {
        &self.node(id).children
    }

    /// The node that the line goes on with; `None` where it ends, whatever variations show beyond its end.
    pub fn next(&self, id: NodeId) -> Option<NodeId> {
        self.children(id).first().copied().filter(|_| !self.node(id).is_end)
    }

    /// The moves that were played or shown in the same position, the node itself included; empty for the root.
    pub fn siblings(&self, id: NodeId) -> &[NodeId] {
        self.parent(id).map_or(&[], |parent| self.children(parent))
    }

    /// The moves that lead to a node, as nodes, from the start on.
    pub fn path(&self, id: NodeId) -> Vec<NodeId> {
        let mut path: Vec<NodeId> = std::iter::successors(Some(id), |&at| self.parent(at)).collect();
        path.reverse();
        path.remove(0);
        path
    }

    /// Moves made up to a node.
    pub fn ply(&self, id: NodeId) -> usize {
        std::iter::successors(Some(id), |&at| self.parent(at)).count() - 1
    }

    /// The nodes of the game, without the root.
    pub fn main_line(&self) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.next(self.root()), |&at| self.next(at))
    }

    /// The node after so many moves of the game.
    pub fn at_ply(&self, ply: usize) -> Option<NodeId> {
        std::iter::once(self.root()).chain(self.main_line()).nth(ply)
    }

    /// The move that led to a node; `None` for the root.
    pub fn mv(&self, id: NodeId) -> Option<Move> {
        self.made(id).map(|made| made.mv)
    }

    /// The move that led to a node, with its time and comments; `None` for the root.
    pub fn made(&self, id: NodeId) -> Option<&RecordMove> {
        self.node(id).made.as_ref()
    }

    /// Changes the time of a move; the root has none.
    pub fn set_spent(&mut self, id: NodeId, spent: Option<std::time::Duration>) {
        if let Some(made) = &mut self.nodes[id.0].made {
            made.spent = spent;
        }
    }

    /// Comments on a node, one a line.
    pub fn comments(&self, id: NodeId) -> &[String] {
        self.made(id).map_or(&self.head.comments, |made| &made.comments)
    }

    /// Comments on a node, to be changed.
    pub fn comments_mut(&mut self, id: NodeId) -> &mut Vec<String> {
        match &mut self.nodes[id.0].made {
            Some(made) => &mut made.comments,
            None => &mut self.head.comments,
        }
    }

    /// End of the game or the variation at a node.
    pub fn conclusion(&self, id: NodeId) -> Option<Conclusion> {
        self.node(id).conclusion
    }

    /// Changes the end of the game or the variation at a node.
    pub fn set_conclusion(&mut self, id: NodeId, conclusion: Option<Conclusion>) {
        self.nodes[id.0].conclusion = conclusion;
        self.end_word.take_if(|(at, _)| *at == id);
    }

    /// The position at a node, with the moves that led there as its history.
    pub fn position(&self, id: NodeId) -> Position {
        let mut pos = self.head.start.clone();
        self.path(id).into_iter().filter_map(|at| self.mv(at)).for_each(|mv| pos.do_move(mv));
        pos
    }

    /// Adds a move at a node, as the last of its variations, and returns its node: the one that is there if it has been
    /// played or shown already.
    pub fn add(&mut self, id: NodeId, mv: Move) -> Result<NodeId, IllegalMove> {
        if let Some(&known) = self.children(id).iter().find(|&&child| self.mv(child) == Some(mv)) {
            return Ok(known);
        }
        self.position(id).play(mv)?;
        Ok(self.append(id, RecordMove::new(mv)))
    }

    fn append(&mut self, id: NodeId, made: RecordMove) -> NodeId {
        let new = NodeId(self.nodes.len());
        self.nodes.push(Node::new(Some(id), Some(made)));
        self.nodes[id.0].children.push(new);
        new
    }

    /// Makes a node the one that its line goes on with: the others become variations of it.
    pub fn promote(&mut self, id: NodeId) {
        let Some(parent) = self.parent(id) else { return };
        let siblings = &mut self.nodes[parent.0].children;
        let at = siblings.iter().position(|&sibling| sibling == id).expect("a node is a child of its parent");
        siblings[..=at].rotate_right(1);
        self.nodes[parent.0].is_end = false;
    }

    /// Takes a node out with all that follows; the root stays. The node is then the root of a tree of its own.
    pub fn remove(&mut self, id: NodeId) {
        if let Some(parent) = self.nodes[id.0].parent.take() {
            self.nodes[parent.0].children.retain(|&child| child != id);
        }
    }

    /// All nodes of the tree, each before its children, without the root.
    pub fn walk(&self) -> impl Iterator<Item = NodeId> + '_ {
        let mut open = vec![self.root()];
        let next = move || {
            let id = open.pop()?;
            open.extend(self.children(id).iter().rev());
            Some(id)
        };
        std::iter::from_fn(next).skip(1)
    }

    /// The record with its variations as a list, the latest branch of a line first.
    pub fn record(&self) -> GameRecord {
        let mut record = self.head.clone();
        let end = self.main_line().last().unwrap_or(self.root());
        record.moves = self.main_line().filter_map(|id| self.made(id).cloned()).collect();
        record.conclusion = self.conclusion(end);
        record.end_word = self.end_word.as_ref().filter(|(at, _)| *at == end).map(|(_, word)| word.clone());
        let mut open = vec![Branch { id: self.root(), from: 0, end: None }];
        while let Some(branch) = open.pop() {
            self.list(&branch, &mut record.variations, &mut open);
        }
        record
    }

    /// Lists a line. What branches off it goes to `open`, the latest branch last: a list names the latest one first.
    fn list(&self, branch: &Branch, variations: &mut Vec<Variation>, open: &mut Vec<Branch>) {
        let &Branch { id, from, end } = branch;
        if end.is_some() {
            variations.push(Variation { from, moves: Vec::new(), conclusion: end });
            return;
        }
        let line: Vec<NodeId> = std::iter::successors(Some(id), |&at| self.next(at)).collect();
        if from > 0 {
            let moves = line.iter().filter_map(|&at| self.made(at).cloned()).collect();
            let conclusion = line.last().and_then(|&at| self.conclusion(at));
            variations.push(Variation { from, moves, conclusion });
        }
        for (&at, from) in line.iter().zip(from + 1..) {
            let node = self.node(at);
            open.extend(node.other_ends.iter().rev().map(|&end| Branch { id: at, from, end: Some(end) }));
            let others = node.children.iter().skip(usize::from(!node.is_end)).rev();
            open.extend(others.map(|&id| Branch { id, from, end: None }));
        }
    }
}

impl From<GameRecord> for RecordTree {
    /// The tree of a record. A variation that begins beyond the end of the line before it is left out.
    fn from(mut record: GameRecord) -> RecordTree {
        let (moves, variations) = (std::mem::take(&mut record.moves), std::mem::take(&mut record.variations));
        let (conclusion, end_word) = (record.conclusion.take(), record.end_word.take());
        let mut tree = RecordTree { head: record, nodes: vec![Node::new(None, None)], end_word: None };
        let mut path = vec![tree.root()];
        tree.append_line(&mut path, moves, conclusion);
        tree.end_word = end_word.map(|word| (path[path.len() - 1], word));
        for Variation { from, moves, conclusion } in variations {
            if from == 0 || from > path.len() {
                continue;
            }
            path.truncate(from);
            let parent = &mut tree.nodes[path[from - 1].0];
            if moves.is_empty() {
                parent.other_ends.extend(conclusion);
            } else {
                parent.is_end |= parent.children.is_empty();
                tree.append_line(&mut path, moves, conclusion);
            }
        }
        tree
    }
}

impl RecordTree {
    /// Appends moves at the end of a path, which then leads to the last of them.
    fn append_line(&mut self, path: &mut Vec<NodeId>, moves: Vec<RecordMove>, conclusion: Option<Conclusion>) {
        for made in moves {
            let id = self.append(path[path.len() - 1], made);
            path.push(id);
        }
        self.nodes[path[path.len() - 1].0].conclusion = conclusion;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::record::Ending;
    use crate::types::Color;

    fn moves(text: &str) -> Vec<RecordMove> {
        text.split_ascii_whitespace().map(|word| RecordMove::new(word.parse().unwrap())).collect()
    }

    fn variation(from: usize, text: &str) -> Variation {
        Variation { from, moves: moves(text), conclusion: None }
    }

    fn record() -> GameRecord {
        let resigned = Some(Conclusion::usual(Ending::Resignation, Color::Black));
        let variations = vec![
            Variation { conclusion: resigned, ..variation(5, "2f2e 8d8e 2e2d") },
            variation(3, "6g6f 8c8d"),
            variation(4, "5c5d"),
            variation(3, "2g2f"),
            variation(1, "2g2f 3c3d"),
        ];
        let moves = moves("7g7f 3c3d 2g2f 8c8d");
        let headers = vec![("表題".to_string(), "a".to_string())];
        GameRecord { moves, variations, conclusion: resigned, headers, ..GameRecord::new(Position::startpos()) }
    }

    #[test]
    fn a_record_is_the_same_after_it_was_a_tree() {
        let record = record();
        let tree = RecordTree::from(record.clone());
        assert_eq!(tree.record(), record);
        assert_eq!(tree.walk().count(), 4 + 3 + 2 + 1 + 1 + 2);
        let bare = Variation { from: 2, moves: Vec::new(), conclusion: record.conclusion };
        let with_end = GameRecord { variations: vec![bare], ..record };
        assert_eq!(RecordTree::from(with_end.clone()).record(), with_end);
    }

    #[test]
    fn moves_shown_beyond_the_end_are_no_part_of_the_game() {
        let tree = RecordTree::from(record());
        let last = tree.at_ply(4).unwrap();
        assert_eq!((tree.next(last), tree.children(last).len(), tree.at_ply(5)), (None, 1, None));
        assert!(tree.conclusion(last).is_some());
    }

    #[test]
    fn positions_and_siblings_are_those_of_the_lines() {
        let tree = RecordTree::from(record());
        for id in tree.walk() {
            let pos = tree.position(id);
            assert_eq!((pos.moves_made(), pos.last_move()), (tree.ply(id), tree.mv(id)));
            assert!(tree.siblings(id).contains(&id));
        }
        let third = tree.at_ply(3).unwrap();
        let siblings: Vec<String> = tree.siblings(third).iter().map(|&id| tree.mv(id).unwrap().to_string()).collect();
        assert_eq!(siblings, ["2g2f", "6g6f", "2g2f"]);
    }

    #[test]
    fn lines_are_added_promoted_and_taken_out() {
        let mut tree = RecordTree::from(record());
        let second = tree.at_ply(2).unwrap();
        let new = tree.add(second, "9g9f".parse().unwrap()).unwrap();
        assert_eq!(tree.add(second, "9g9f".parse().unwrap()), Ok(new));
        assert!(tree.add(second, "9g9e".parse().unwrap()).is_err());
        tree.comments_mut(new).push("edge".to_string());
        tree.promote(new);
        let record = tree.record();
        assert_eq!((record.moves.len(), &record.moves[2].comments[..]), (3, &["edge".to_string()][..]));
        // The end of the game went with the move that was the last one.
        assert_eq!(record.conclusion, None);
        assert_eq!(RecordTree::from(record.clone()).record(), record);
        tree.remove(new);
        assert_eq!(tree.record(), self::record());
        tree.remove(tree.at_ply(1).unwrap());
        assert_eq!(tree.record().moves, moves("2g2f 3c3d"));
    }

    #[test]
    fn a_deep_tree_needs_no_deep_stack() {
        let mut tree = RecordTree::new(Position::startpos());
        let mut at = tree.root();
        for mv in ["5i5h", "5a5b", "5h5i", "5b5a"].iter().cycle().take(20_000) {
            at = tree.append(at, RecordMove::new(mv.parse().unwrap()));
        }
        assert_eq!((tree.record().moves.len(), tree.ply(at), tree.walk().count()), (20_000, 20_000, 20_000));
    }
}
