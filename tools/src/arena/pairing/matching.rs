//! The largest matching of a graph: as many pairs of neighbours as there can be, nobody in two of them (Edmonds 1965,
//! "Paths, trees, and flowers").

use std::collections::VecDeque;

/// A largest matching of those vertices that are left of a graph.
#[derive(Clone, Debug)]
pub(crate) struct Matching<'a> {
    /// `[vertex][vertex]`: whether they are neighbours.
    edges: &'a [Vec<bool>],
    is_left: Vec<bool>,
    partners: Vec<Option<usize>>,
}

impl<'a> Matching<'a> {
    /// A largest matching of these vertices.
    pub(crate) fn new(edges: &'a [Vec<bool>], vertices: &[usize]) -> Matching<'a> {
        let mut is_left = vec![false; edges.len()];
        for &vertex in vertices {
            is_left[vertex] = true;
        }
        let mut matching = Matching { edges, is_left, partners: vec![None; edges.len()] };
        for &vertex in vertices {
            if matching.partners[vertex].is_none() {
                matching.augment(vertex);
            }
        }
        matching
    }

    /// A largest matching of what is left without these two.
    pub(crate) fn without(&self, pair: [usize; 2]) -> Matching<'a> {
        let mut rest = self.clone();
        for vertex in pair {
            rest.remove(vertex);
        }
        rest
    }

    fn remove(&mut self, vertex: usize) {
        self.is_left[vertex] = false;
        // A path that makes the matching larger can only begin where a partner was lost.
        if let Some(partner) = self.partners[vertex].take() {
            self.partners[partner] = None;
            self.augment(partner);
        }
    }

    /// Number of vertices without a partner.
    pub(crate) fn unmatched(&self) -> usize {
        let is_lonely = |vertex: &usize| self.is_left[*vertex] && self.partners[*vertex].is_none();
        (0..self.edges.len()).filter(is_lonely).count()
    }

    /// Makes the matching larger by a path that begins at a vertex without a partner, if there is one.
    fn augment(&mut self, root: usize) {
        let mut tree = Tree::new(self, root);
        let Some(mut end) = tree.grow() else { return };
        let parents = std::mem::take(&mut tree.parents);
        // Along the path every second pair is new.
        loop {
            let parent = parents[end].expect("the path leads back to the root");
            let next = self.partners[parent];
            self.partners[end] = Some(parent);
            self.partners[parent] = Some(end);
            match next {
                Some(next) => end = next,
                None => return,
            }
        }
    }
}

/// Paths from a vertex without a partner on which every second step goes to a partner.
struct Tree<'m, 'a> {
    matching: &'m Matching<'a>,
    root: usize,
    /// From a vertex at an odd distance, back towards the root.
    parents: Vec<Option<usize>>,
    /// Vertices of a blossom (an odd cycle) count as one: the one that it hangs on.
    bases: Vec<usize>,
    /// Marks the vertices at an even distance that have been or will be looked at.
    is_even: Vec<bool>,
    waiting: VecDeque<usize>,
}

impl<'m, 'a> Tree<'m, 'a> {
    fn new(matching: &'m Matching<'a>, root: usize) -> Tree<'m, 'a> {
        let vertices = matching.edges.len();
        let mut is_even = vec![false; vertices];
        is_even[root] = true;
        let parents = vec![None; vertices];
        let bases = (0..vertices).collect();
        Tree { matching, root, parents, bases, is_even, waiting: VecDeque::from([root]) }
    }

    /// Grows until it comes to another vertex without a partner.
    fn grow(&mut self) -> Option<usize> {
        let matching = self.matching;
        while let Some(from) = self.waiting.pop_front() {
            for to in 0..self.bases.len() {
                let is_step = matching.is_left[to] && matching.edges[from][to] && matching.partners[from] != Some(to);
                if !is_step || self.bases[from] == self.bases[to] {
                    continue;
                }
                let partner = matching.partners[to];
                if to == self.root || partner.is_some_and(|partner| self.parents[partner].is_some()) {
                    self.close_blossom(from, to);
                } else if self.parents[to].is_none() {
                    self.parents[to] = Some(from);
                    let Some(partner) = partner else { return Some(to) };
                    self.is_even[partner] = true;
                    self.waiting.push_back(partner);
                }
            }
        }
        None
    }

    /// An edge between two even vertices closes an odd cycle, on which every vertex can be even.
    fn close_blossom(&mut self, from: usize, to: usize) {
        let base = self.common_base(from, to);
        let mut is_inside = vec![false; self.bases.len()];
        self.mark_path(from, base, to, &mut is_inside);
        self.mark_path(to, base, from, &mut is_inside);
        for vertex in 0..self.bases.len() {
            if is_inside[self.bases[vertex]] {
                self.bases[vertex] = base;
                if !self.is_even[vertex] {
                    self.is_even[vertex] = true;
                    self.waiting.push_back(vertex);
                }
            }
        }
    }

    /// The even vertex before this one on the way to the root, in terms of blossoms.
    fn even_before(&self, base: usize) -> Option<usize> {
        let parent = self.parents[self.matching.partners[base]?].expect("only the root has no way back");
        Some(self.bases[parent])
    }

    fn common_base(&self, one: usize, other: usize) -> usize {
        let mut is_passed = vec![false; self.bases.len()];
        let mut at = Some(self.bases[one]);
        while let Some(base) = at {
            is_passed[base] = true;
            at = self.even_before(base);
        }
        let mut base = self.bases[other];
        while !is_passed[base] {
            base = self.even_before(base).expect("both ways lead to the root");
        }
        base
    }

    /// Turns the way from a vertex to the base of a blossom round, so that it can be walked in both directions.
    fn mark_path(&mut self, mut vertex: usize, base: usize, mut child: usize, is_inside: &mut [bool]) {
        while self.bases[vertex] != base {
            let partner = self.matching.partners[vertex].expect("only the root has no partner");
            is_inside[self.bases[vertex]] = true;
            is_inside[self.bases[partner]] = true;
            self.parents[vertex] = Some(child);
            child = partner;
            vertex = self.parents[partner].expect("a partner at an odd distance has a parent");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// The size of a largest matching of these vertices (bits), by trying everything.
    fn largest(edges: &[Vec<bool>], left: u32, known: &mut HashMap<u32, usize>) -> usize {
        if left == 0 {
            return 0;
        }
        if let Some(&size) = known.get(&left) {
            return size;
        }
        let first = left.trailing_zeros() as usize;
        let rest = left & (left - 1);
        let mut size = largest(edges, rest, known);
        for other in (0..edges.len()).filter(|&other| rest >> other & 1 == 1 && edges[first][other]) {
            size = size.max(1 + largest(edges, rest & !(1 << other), known));
        }
        known.insert(left, size);
        size
    }

    fn assert_largest(matching: &Matching, known: &mut HashMap<u32, usize>) {
        for (vertex, partner) in matching.partners.iter().enumerate() {
            if let Some(partner) = *partner {
                assert!(matching.is_left[vertex] && matching.edges[vertex][partner]);
                assert_eq!(matching.partners[partner], Some(vertex));
            }
        }
        let left = (0..matching.edges.len()).filter(|&vertex| matching.is_left[vertex]).fold(0, |set, v| set | 1 << v);
        let size = largest(matching.edges, left, known);
        assert_eq!(matching.unmatched(), left.count_ones() as usize - 2 * size);
    }

    proptest! {
        #[test]
        fn no_matching_is_larger_and_none_of_what_is_left_after_a_pair(
            vertices in 2..13usize, bits in any::<u128>(), density in 1..4u32,
        ) {
            let mut edges = vec![vec![false; vertices]; vertices];
            let mut bits = (0..density).fold(u128::MAX, |all, turn| all & bits.rotate_left(17 * turn));
            for (a, b) in (0..vertices).flat_map(|a| (0..a).map(move |b| (a, b))) {
                edges[a][b] = bits & 1 == 1;
                edges[b][a] = bits & 1 == 1;
                bits >>= 1;
            }
            let all: Vec<usize> = (0..vertices).collect();
            let mut known = HashMap::new();
            let matching = Matching::new(&edges, &all);
            assert_largest(&matching, &mut known);
            for a in 0..vertices {
                for b in 0..a {
                    assert_largest(&matching.without([a, b]), &mut known);
                }
            }
            let mut rest = matching;
            for pair in all.chunks_exact(2) {
                rest = rest.without([pair[0], pair[1]]);
                assert_largest(&rest, &mut known);
            }
        }
    }
}
