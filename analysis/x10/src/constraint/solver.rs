//! Congruence closure (Nelson and Oppen, 1980) over equalities of paths and literals, with disequalities.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::Entailment;
use crate::ty::{ConstraintTerm, Path, PathRoot};

type Node = u32;

/// A congruence closure: a union-find over paths in which equal objects have equal fields.
#[derive(Default)]
pub(crate) struct Solver {
    parent: Vec<Node>,
    roots: FxHashMap<PathRoot, Node>,
    fields: FxHashMap<(Node, SmolStr), Node>,
    /// The literal in a class, by representative.
    literals: FxHashMap<Node, SmolStr>,
    different: Vec<(Node, Node)>,
    opaque: Vec<SmolStr>,
    inconsistent: bool,
}

impl Solver {
    /// Adds a term to the facts.
    pub(crate) fn assume(&mut self, term: &ConstraintTerm) {
        match term {
            ConstraintTerm::Equal(a, b) => {
                let (a, b) = (self.path(a), self.path(b));
                self.merge(a, b);
            }
            ConstraintTerm::NotEqual(a, b) => {
                let pair = (self.path(a), self.path(b));
                self.different.push(pair);
            }
            ConstraintTerm::Holds(a) => {
                let (a, truth) = (self.path(a), self.path(&Path::literal("true")));
                self.merge(a, truth);
            }
            ConstraintTerm::Opaque(text) => self.opaque.push(text.clone()),
        }
    }

    /// Whether the facts entail or contradict a term.
    pub(crate) fn decide(&mut self, term: &ConstraintTerm) -> Entailment {
        if let ConstraintTerm::Opaque(text) = term {
            return if self.opaque.contains(text) { Entailment::Proved } else { Entailment::Unknown };
        }
        let (a, b, wanted) = match term {
            ConstraintTerm::Equal(a, b) => (self.path(a), self.path(b), true),
            ConstraintTerm::NotEqual(a, b) => (self.path(a), self.path(b), false),
            ConstraintTerm::Holds(a) => (self.path(a), self.path(&Path::literal("true")), true),
            ConstraintTerm::Opaque(_) => unreachable!("decided above"),
        };
        if self.is_inconsistent() {
            return Entailment::Proved;
        }
        let equal = self.find(a) == self.find(b);
        let decided = if equal {
            Some(true)
        } else if self.are_different(a, b) {
            Some(false)
        } else {
            None
        };
        match decided {
            Some(known) if known == wanted => Entailment::Proved,
            Some(_) => Entailment::Refuted,
            None => Entailment::Unknown,
        }
    }

    /// Whether the facts contradict each other, so that the code is unreachable.
    pub(crate) fn is_inconsistent(&mut self) -> bool {
        let pairs = self.different.clone();
        self.inconsistent || pairs.iter().any(|(a, b)| self.find(*a) == self.find(*b))
    }

    fn are_different(&mut self, a: Node, b: Node) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if let (Some(x), Some(y)) = (self.literals.get(&a), self.literals.get(&b))
            && x != y
        {
            return true;
        }
        let pairs = self.different.clone();
        pairs.iter().any(|(x, y)| {
            let (x, y) = (self.find(*x), self.find(*y));
            (x, y) == (a, b) || (x, y) == (b, a)
        })
    }

    fn new_node(&mut self) -> Node {
        let node = self.parent.len() as Node;
        self.parent.push(node);
        node
    }

    fn path(&mut self, path: &Path) -> Node {
        let mut node = match self.roots.get(&path.root) {
            Some(node) => *node,
            None => {
                let node = self.new_node();
                self.roots.insert(path.root.clone(), node);
                if let PathRoot::Literal(text) = &path.root {
                    self.literals.insert(node, text.clone());
                }
                node
            }
        };
        for field in &path.fields {
            let key = (self.find(node), field.clone());
            node = match self.fields.get(&key) {
                Some(node) => *node,
                None => {
                    let fresh = self.new_node();
                    self.fields.insert(key, fresh);
                    fresh
                }
            };
        }
        node
    }

    fn find(&mut self, node: Node) -> Node {
        let mut root = node;
        while self.parent[root as usize] != root {
            root = self.parent[root as usize];
        }
        let mut next = node;
        while self.parent[next as usize] != root {
            next = std::mem::replace(&mut self.parent[next as usize], root);
        }
        root
    }

    fn merge(&mut self, a: Node, b: Node) {
        let mut pending = vec![(a, b)];
        while let Some((a, b)) = pending.pop() {
            let (a, b) = (self.find(a), self.find(b));
            if a == b {
                continue;
            }
            self.parent[b as usize] = a;
            if let Some(literal) = self.literals.remove(&b) {
                match self.literals.get(&a) {
                    Some(other) if *other != literal => self.inconsistent = true,
                    _ => {
                        self.literals.insert(a, literal);
                    }
                }
            }
            // Equal objects have equal fields.
            let moved: Vec<_> = self.fields.keys().filter(|(owner, _)| *owner == b).cloned().collect();
            for key in moved {
                let Some(node) = self.fields.remove(&key) else { continue };
                match self.fields.get(&(a, key.1.clone())) {
                    Some(other) => pending.push((*other, node)),
                    None => {
                        self.fields.insert((a, key.1), node);
                    }
                }
            }
        }
    }
}
