//! A record as a tree: its positions, what was played and shown in each, walked through and edited.
//!
//! [`GameRecord`] lists variations as the formats do; a [`RecordTree`] is made from it, and makes one again. A node
//! stands for a position and, but for the root, for the move that led there. Its first child goes on with the game or
//! the variation, the others are variations of that move.

use super::record::{Conclusion, EndWord, GameRecord, RecordMove, Variation};
use crate::movegen::IllegalMove;
use crate::position::Position;
use crate::types::Move;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use thiserror::Error;

/// A node of a [`RecordTree`] and of the copies of that tree.
///
/// It stays valid while the tree is edited, until the node is removed; every call with a node that is gone, or that
/// belongs to another tree, is [`TreeError::Gone`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId {
    index: usize,
    /// No two nodes of a program have the same number, so that no node is taken for another one.
    number: u64,
}

/// Why something cannot be done to a tree.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TreeError {
    /// The node was removed, or belongs to another tree.
    #[error("this node is not in the record: it was removed, or belongs to another one")]
    Gone,
    /// The start of the game is no move and has no time.
    #[error("the start of a game is no move and has no time")]
    Start,
    /// A game or a variation cannot end where it goes on.
    #[error("the game cannot end here: it goes on")]
    GoesOn,
    /// The move is not legal.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
}

#[derive(Clone, Debug)]
struct Node {
    number: u64,
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
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Node { number, parent, made, children: Vec::new(), conclusion: None, is_end: false, other_ends: Vec::new() }
    }

    /// The node that the line goes on with.
    fn next(&self) -> Option<NodeId> {
        if self.is_end { None } else { self.children.first().copied() }
    }
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
/// assert_eq!((tree.siblings(variation)?.len(), tree.ply(variation)?), (2, 2));
/// assert_eq!(tree.record().variations[0].from, 2);
/// assert!(tree.add(variation, "8c8d".parse()?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RecordTree {
    /// Everything but moves, variations and the end.
    head: GameRecord,
    /// The nodes by their index; those that were removed are none.
    nodes: Vec<Option<Node>>,
    /// Word for the end of the game, and the node that it stands at.
    end_word: Option<(NodeId, EndWord)>,
}

/// Trees are equal if they are those of equal records.
impl PartialEq for RecordTree {
    fn eq(&self, other: &RecordTree) -> bool {
        self.record() == other.record()
    }
}

impl Eq for RecordTree {}

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
        let GameRecord { players, event, site, started, ended, time_limit, opening, headers, .. } = record.clone();
        let comments = std::mem::take(&mut self.head.comments);
        let kept = GameRecord::new(self.head.start.clone());
        self.head = GameRecord { players, event, site, started, ended, time_limit, opening, headers, comments, ..kept };
    }

    /// The start of the game.
    pub fn root(&self) -> NodeId {
        let number = self.nodes[0].as_ref().expect("the root is never removed").number;
        NodeId { index: 0, number }
    }

    /// Tests whether a node is in the tree.
    pub fn contains(&self, id: NodeId) -> bool {
        self.node(id).is_ok()
    }

    fn node(&self, id: NodeId) -> Result<&Node, TreeError> {
        match self.nodes.get(id.index) {
            Some(Some(node)) if node.number == id.number => Ok(node),
            _ => Err(TreeError::Gone),
        }
    }

    fn node_mut(&mut self, id: NodeId) -> Result<&mut Node, TreeError> {
        match self.nodes.get_mut(id.index) {
            Some(Some(node)) if node.number == id.number => Ok(node),
            _ => Err(TreeError::Gone),
        }
    }

    /// A node that another node of the tree names.
    fn own(&self, id: NodeId) -> &Node {
        self.node(id).expect("the nodes of a tree know no others")
    }

    fn own_mut(&mut self, id: NodeId) -> &mut Node {
        self.node_mut(id).expect("the nodes of a tree know no others")
    }

    /// The node before; `None` for the root.
    pub fn parent(&self, id: NodeId) -> Result<Option<NodeId>, TreeError> {
        Ok(self.node(id)?.parent)
    }

    /// The nodes after this one, the one that the line goes on with first.
    pub fn children(&self, id: NodeId) -> Result<&[NodeId], TreeError> {
        Ok(&self.node(id)?.children)
    }

    /// The node that the line goes on with; `None` where it ends, whatever variations show beyond its end.
    pub fn next(&self, id: NodeId) -> Result<Option<NodeId>, TreeError> {
        Ok(self.node(id)?.next())
    }

    /// The moves that were played or shown in the same position, the node itself included; empty for the root.
    pub fn siblings(&self, id: NodeId) -> Result<&[NodeId], TreeError> {
        match self.parent(id)? {
            Some(parent) => self.children(parent),
            None => Ok(&[]),
        }
    }

    /// The moves that lead to a node, as nodes, from the start on.
    pub fn path(&self, id: NodeId) -> Result<Vec<NodeId>, TreeError> {
        let mut path = Vec::new();
        let mut at = id;
        while let Some(parent) = self.parent(at)? {
            path.push(at);
            at = parent;
        }
        path.reverse();
        Ok(path)
    }

    /// Moves made up to a node.
    pub fn ply(&self, id: NodeId) -> Result<usize, TreeError> {
        Ok(self.path(id)?.len())
    }

    /// A node and those that its line goes on with.
    fn line_from(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(id), |&at| self.own(at).next())
    }

    /// The nodes of the game, without the root.
    pub fn main_line(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.line_from(self.root()).skip(1)
    }

    /// The node after so many moves of the game; `None` beyond its end.
    pub fn at_ply(&self, ply: usize) -> Option<NodeId> {
        self.line_from(self.root()).nth(ply)
    }

    /// The node at which the game ends, the root for a game without moves.
    pub fn end(&self) -> NodeId {
        self.main_line().last().unwrap_or(self.root())
    }

    /// The move that led to a node; `None` for the root.
    pub fn mv(&self, id: NodeId) -> Result<Option<Move>, TreeError> {
        Ok(self.made(id)?.map(|made| made.mv))
    }

    /// The move that led to a node, with its time and comments; `None` for the root.
    pub fn made(&self, id: NodeId) -> Result<Option<&RecordMove>, TreeError> {
        Ok(self.node(id)?.made.as_ref())
    }

    /// Changes the time of a move; the root has none, which is [`TreeError::Start`].
    pub fn set_spent(&mut self, id: NodeId, spent: Option<Duration>) -> Result<(), TreeError> {
        match &mut self.node_mut(id)?.made {
            Some(made) => made.spent = spent,
            None if spent.is_some() => return Err(TreeError::Start),
            None => {}
        }
        Ok(())
    }

    /// Comments on a node, one a line.
    pub fn comments(&self, id: NodeId) -> Result<&[String], TreeError> {
        match self.made(id)? {
            Some(made) => Ok(&made.comments),
            None => Ok(&self.head.comments),
        }
    }

    /// Comments on a node, to be changed.
    pub fn comments_mut(&mut self, id: NodeId) -> Result<&mut Vec<String>, TreeError> {
        match self.nodes.get_mut(id.index) {
            Some(Some(Node { number, made, .. })) if *number == id.number => match made {
                Some(made) => Ok(&mut made.comments),
                None => Ok(&mut self.head.comments),
            },
            _ => Err(TreeError::Gone),
        }
    }

    /// End of the game or the variation at a node.
    pub fn conclusion(&self, id: NodeId) -> Result<Option<Conclusion>, TreeError> {
        Ok(self.node(id)?.conclusion)
    }

    /// Changes the end of the game or the variation at a node; where it goes on, an end is [`TreeError::GoesOn`].
    pub fn set_conclusion(&mut self, id: NodeId, conclusion: Option<Conclusion>) -> Result<(), TreeError> {
        let node = self.node_mut(id)?;
        if conclusion.is_some() && node.next().is_some() {
            return Err(TreeError::GoesOn);
        }
        node.conclusion = conclusion;
        self.end_word.take_if(|(at, _)| *at == id);
        Ok(())
    }

    /// The position at a node, with the moves that led there as its history. All of them are made again: a walk through
    /// the tree has its positions from [`RecordTree::positions`].
    pub fn position(&self, id: NodeId) -> Result<Position, TreeError> {
        let mut pos = self.head.start.clone();
        for at in self.path(id)? {
            pos.do_move(self.own_move(at));
        }
        Ok(pos)
    }

    /// The move of a node that is not the root.
    fn own_move(&self, id: NodeId) -> Move {
        self.own(id).made.as_ref().expect("only the root has no move").mv
    }

    /// Adds a move at a node, as the last of its variations, and returns its node: the one that is there if it has been
    /// played or shown already.
    pub fn add(&mut self, id: NodeId, mv: Move) -> Result<NodeId, TreeError> {
        let children = self.children(id)?;
        if let Some(&known) = children.iter().find(|&&child| self.own_move(child) == mv) {
            return Ok(known);
        }
        self.position(id)?.play(mv)?;
        Ok(self.append(id, RecordMove::new(mv)))
    }

    fn append(&mut self, parent: NodeId, made: RecordMove) -> NodeId {
        let node = Node::new(Some(parent), Some(made));
        let new = NodeId { index: self.nodes.len(), number: node.number };
        self.nodes.push(Some(node));
        self.own_mut(parent).children.push(new);
        new
    }

    /// Makes a node the one that its line goes on with: the others become variations of it. Nothing changes at the root.
    pub fn promote(&mut self, id: NodeId) -> Result<(), TreeError> {
        let Some(parent) = self.parent(id)? else { return Ok(()) };
        let parent = self.own_mut(parent);
        let at = parent.children.iter().position(|&child| child == id).expect("a node is a child of its parent");
        parent.children[..=at].rotate_right(1);
        parent.is_end = false;
        Ok(())
    }

    /// Takes a node out with all that follows; the root stays.
    pub fn remove(&mut self, id: NodeId) -> Result<(), TreeError> {
        let Some(parent) = self.parent(id)? else { return Ok(()) };
        self.own_mut(parent).children.retain(|&child| child != id);
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if let Some(node) = self.nodes[id.index].take() {
                open.extend(node.children);
            }
        }
        Ok(())
    }

    /// All nodes of the tree, each before its children, without the root.
    pub fn walk(&self) -> impl Iterator<Item = NodeId> + '_ {
        let mut open: Vec<NodeId> = self.own(self.root()).children.iter().rev().copied().collect();
        std::iter::from_fn(move || {
            let id = open.pop()?;
            open.extend(self.own(id).children.iter().rev());
            Some(id)
        })
    }

    /// The root and all nodes of the tree, each before its children, with their positions. A position is made from the
    /// one before and has no history: nothing is replayed.
    ///
    /// ```
    /// use komainu::notation::tree::RecordTree;
    /// use komainu::notation::usi::parse_game;
    ///
    /// let mut tree = RecordTree::from(parse_game("startpos moves 7g7f 3c3d")?.record);
    /// let first = tree.at_ply(1).ok_or("a move is missing")?;
    /// tree.add(first, "8c8d".parse()?)?;
    /// let plies: Vec<u32> = tree.positions().map(|(_, position)| position.ply()).collect();
    /// assert_eq!(plies, [1, 2, 3, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn positions(&self) -> impl Iterator<Item = (NodeId, Position)> + '_ {
        let mut open = vec![(self.root(), self.head.start.without_history())];
        std::iter::from_fn(move || {
            let (id, pos) = open.pop()?;
            for &child in self.own(id).children.iter().rev() {
                let after = pos.after(self.own_move(child));
                open.push((child, after.without_history()));
            }
            Some((id, pos))
        })
    }

    /// The record with its variations as a list, the latest branch of a line first.
    pub fn record(&self) -> GameRecord {
        let mut record = self.head.clone();
        let end = self.end();
        record.moves = self.moves(self.main_line());
        record.conclusion = self.own(end).conclusion;
        if let Some((at, word)) = &self.end_word
            && *at == end
        {
            record.end_word = Some(word.clone());
        }
        let mut open = vec![Branch::Line { first: self.root(), from: 0 }];
        while let Some(branch) = open.pop() {
            match branch {
                Branch::End { from, conclusion } => {
                    record.variations.push(Variation { from, moves: Vec::new(), conclusion: Some(conclusion) });
                }
                Branch::Line { first, from } => {
                    let line: Vec<NodeId> = self.line_from(first).collect();
                    if from > 0 {
                        let moves = self.moves(line.iter().copied());
                        let conclusion = self.own(line[line.len() - 1]).conclusion;
                        record.variations.push(Variation { from, moves, conclusion });
                    }
                    self.branches(&line, from + 1, &mut open);
                }
            }
        }
        record
    }

    fn moves(&self, nodes: impl Iterator<Item = NodeId>) -> Vec<RecordMove> {
        nodes.filter_map(|id| self.own(id).made.clone()).collect()
    }

    /// Adds what branches off a line to `open`, the latest branch last: a list names the latest one first. `from` is
    /// the number of a move behind the first node of the line.
    fn branches(&self, line: &[NodeId], from: usize, open: &mut Vec<Branch>) {
        for (index, &id) in line.iter().enumerate() {
            let node = self.own(id);
            let from = from + index;
            open.extend(node.other_ends.iter().rev().map(|&conclusion| Branch::End { from, conclusion }));
            let variations = node.children.iter().skip(usize::from(!node.is_end)).rev();
            open.extend(variations.map(|&first| Branch::Line { first, from }));
        }
    }
}

/// A line of the tree that is still to be listed, with the number of its first move; 0 for the game.
enum Branch {
    Line {
        first: NodeId,
        from: usize,
    },
    /// A variation without a move.
    End {
        from: usize,
        conclusion: Conclusion,
    },
}

impl From<GameRecord> for RecordTree {
    /// The tree of a record. A variation that begins beyond the end of the line before it is left out.
    fn from(mut record: GameRecord) -> RecordTree {
        let moves = std::mem::take(&mut record.moves);
        let variations = std::mem::take(&mut record.variations);
        let conclusion = record.conclusion.take();
        let end_word = record.end_word.take();
        let mut tree = RecordTree { head: record, nodes: vec![Some(Node::new(None, None))], end_word: None };
        let mut path = vec![tree.root()];
        tree.append_line(&mut path, moves, conclusion);
        tree.end_word = end_word.map(|word| (path[path.len() - 1], word));
        for Variation { from, moves, conclusion } in variations {
            if from == 0 || from > path.len() {
                continue;
            }
            path.truncate(from);
            let parent = tree.own_mut(path[from - 1]);
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
            path.push(self.append(path[path.len() - 1], made));
        }
        self.own_mut(path[path.len() - 1]).conclusion = conclusion;
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
        assert_eq!((tree.next(last), tree.children(last).unwrap().len(), tree.at_ply(5)), (Ok(None), 1, None));
        assert!(tree.conclusion(last).unwrap().is_some());
    }

    #[test]
    fn positions_and_siblings_are_those_of_the_lines() {
        let tree = RecordTree::from(record());
        for id in tree.walk() {
            let pos = tree.position(id).unwrap();
            assert_eq!((pos.moves_made(), pos.last_move()), (tree.ply(id).unwrap(), tree.mv(id).unwrap()));
            assert!(tree.siblings(id).unwrap().contains(&id));
        }
        let walked: Vec<NodeId> = std::iter::once(tree.root()).chain(tree.walk()).collect();
        let with_positions: Vec<NodeId> = tree.positions().map(|(id, _)| id).collect();
        assert_eq!(with_positions, walked);
        for (id, pos) in tree.positions() {
            let replayed = tree.position(id).unwrap();
            assert_eq!((pos.to_sfen(), pos.moves_made()), (replayed.to_sfen(), 0));
        }
        let third = tree.at_ply(3).unwrap();
        let siblings: Vec<String> =
            tree.siblings(third).unwrap().iter().map(|&id| tree.own_move(id).to_string()).collect();
        assert_eq!(siblings, ["2g2f", "6g6f", "2g2f"]);
    }

    #[test]
    fn lines_are_added_promoted_and_taken_out() {
        let mut tree = RecordTree::from(record());
        let second = tree.at_ply(2).unwrap();
        let new = tree.add(second, "9g9f".parse().unwrap()).unwrap();
        assert_eq!(tree.add(second, "9g9f".parse().unwrap()), Ok(new));
        assert!(tree.add(second, "9g9e".parse().unwrap()).is_err());
        tree.comments_mut(new).unwrap().push("edge".to_string());
        tree.promote(new).unwrap();
        let record = tree.record();
        assert_eq!((record.moves.len(), &record.moves[2].comments[..]), (3, &["edge".to_string()][..]));
        // The end of the game went with the move that was the last one.
        assert_eq!(record.conclusion, None);
        assert_eq!(RecordTree::from(record.clone()).record(), record);
        tree.remove(new).unwrap();
        assert_eq!(tree.record(), self::record());
        tree.remove(tree.at_ply(1).unwrap()).unwrap();
        assert_eq!(tree.record().moves, moves("2g2f 3c3d"));
    }

    #[test]
    fn a_deep_tree_needs_no_deep_stack() {
        let mut tree = RecordTree::new(Position::startpos());
        let mut at = tree.root();
        for mv in ["5i5h", "5a5b", "5h5i", "5b5a"].iter().cycle().take(20_000) {
            at = tree.append(at, RecordMove::new(mv.parse().unwrap()));
        }
        assert_eq!((tree.record().moves.len(), tree.ply(at).unwrap(), tree.walk().count()), (20_000, 20_000, 20_000));
    }

    /// Calls every method that takes a node, each of which must fail because it is gone.
    fn assert_gone(tree: &mut RecordTree, id: NodeId) {
        let before = tree.record();
        assert!(!tree.contains(id));
        assert_eq!(tree.parent(id), Err(TreeError::Gone));
        assert_eq!(tree.children(id), Err(TreeError::Gone));
        assert_eq!(tree.next(id), Err(TreeError::Gone));
        assert_eq!(tree.siblings(id), Err(TreeError::Gone));
        assert_eq!(tree.path(id), Err(TreeError::Gone));
        assert_eq!(tree.ply(id), Err(TreeError::Gone));
        assert_eq!(tree.mv(id), Err(TreeError::Gone));
        assert_eq!(tree.made(id), Err(TreeError::Gone));
        assert_eq!(tree.set_spent(id, None), Err(TreeError::Gone));
        assert_eq!(tree.comments(id), Err(TreeError::Gone));
        assert_eq!(tree.comments_mut(id), Err(TreeError::Gone));
        assert_eq!(tree.conclusion(id), Err(TreeError::Gone));
        assert_eq!(tree.set_conclusion(id, None), Err(TreeError::Gone));
        assert_eq!(tree.position(id).map(|_| ()), Err(TreeError::Gone));
        assert_eq!(tree.add(id, "2g2f".parse().unwrap()), Err(TreeError::Gone));
        assert_eq!(tree.promote(id), Err(TreeError::Gone));
        assert_eq!(tree.remove(id), Err(TreeError::Gone));
        assert_eq!(tree.record(), before);
    }

    #[test]
    fn a_node_that_is_gone_is_an_error_of_every_call() {
        let mut tree = RecordTree::from(record());
        let copy = tree.clone();
        let removed = tree.at_ply(2).unwrap();
        let below = tree.at_ply(4).unwrap();
        tree.remove(removed).unwrap();
        for id in [removed, below] {
            assert_gone(&mut tree, id);
        }
        // The copy has its nodes still, and one that either of them gets is none of the other.
        assert_eq!(copy.ply(below), Ok(4));
        let new = tree.add(tree.at_ply(1).unwrap(), "4a3b".parse().unwrap()).unwrap();
        assert_gone(&mut copy.clone(), new);
        // Nor are the nodes of one record those of another.
        let other = RecordTree::from(record());
        assert_gone(&mut tree, other.root());
        assert_gone(&mut tree, other.at_ply(1).unwrap());
        assert_eq!(other, RecordTree::from(record()));
    }

    #[test]
    fn what_a_node_cannot_have_is_refused() {
        let mut tree = RecordTree::from(record());
        let second = Some(Duration::from_secs(1));
        assert_eq!(tree.set_spent(tree.root(), second), Err(TreeError::Start));
        assert_eq!(tree.set_spent(tree.at_ply(1).unwrap(), second), Ok(()));
        let drawn = Some(Conclusion::new(Ending::Repetition, None));
        assert_eq!(tree.set_conclusion(tree.at_ply(1).unwrap(), drawn), Err(TreeError::GoesOn));
        assert_eq!(tree.set_conclusion(tree.end(), drawn), Ok(()));
        assert_eq!(tree.record().conclusion, drawn);
        assert_eq!((tree.remove(tree.root()), tree.promote(tree.root())), (Ok(()), Ok(())));
        assert_eq!(tree.main_line().count(), 4);
    }
}
