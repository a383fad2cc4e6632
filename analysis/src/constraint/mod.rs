//! Entailment of constraints: congruence closure over equalities of paths and literals, with
//! disequalities. What it cannot decide is checked when the program runs, as in X10.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::ty::{Constraint, ConstraintTerm, Path, PathRoot};

/// What the facts say of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entailment {
    /// It holds.
    Proved,
    /// It cannot hold.
    Refuted,
    /// Neither follows: check at run time.
    Unknown,
}

impl Entailment {
    fn and(self, other: Entailment) -> Entailment {
        match (self, other) {
            (Entailment::Refuted, _) | (_, Entailment::Refuted) => Entailment::Refuted,
            (Entailment::Proved, Entailment::Proved) => Entailment::Proved,
            _ => Entailment::Unknown,
        }
    }
}

/// Whether `facts` entail `goal`. `value`, if given, is what `self` is.
pub fn entails(facts: &[ConstraintTerm], goal: &Constraint, value: Option<&Path>) -> Entailment {
    if goal.terms.is_empty() {
        return Entailment::Proved;
    }
    let mut solver = Solver::default();
    if let Some(value) = value {
        solver.assume(&ConstraintTerm::Equal(Path::self_value(), value.clone()));
    }
    facts.iter().for_each(|fact| solver.assume(fact));
    goal.terms.iter().map(|term| solver.decide(term)).fold(Entailment::Proved, Entailment::and)
}

/// Whether both constraints can hold of one value, as far as can be seen.
pub fn compatible(a: &Constraint, b: &Constraint) -> bool {
    let mut solver = Solver::default();
    a.terms.iter().chain(&b.terms).for_each(|fact| solver.assume(fact));
    !solver.is_inconsistent()
}

type Node = u32;

/// A congruence closure: a union-find over paths in which equal objects have equal fields.
#[derive(Default)]
pub struct Solver {
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
    /// Takes a term as true.
    pub fn assume(&mut self, term: &ConstraintTerm) {
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

    /// What follows for a term.
    pub fn decide(&mut self, term: &ConstraintTerm) -> Entailment {
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

    /// Whether the facts contradict each other: the code is never reached.
    pub fn is_inconsistent(&mut self) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn eq(a: Path, b: Path) -> ConstraintTerm {
        ConstraintTerm::Equal(a, b)
    }
    fn ne(a: Path, b: Path) -> ConstraintTerm {
        ConstraintTerm::NotEqual(a, b)
    }
    fn var(name: &str) -> Path {
        Path::local(name, 0)
    }
    fn decide(facts: &[ConstraintTerm], goal: ConstraintTerm) -> Entailment {
        entails(facts, &Constraint { terms: vec![goal] }, None)
    }

    #[test]
    fn equality_is_transitive_and_congruent() {
        let facts = [eq(var("a"), var("b")), eq(var("b"), var("c"))];
        assert_eq!(decide(&facts, eq(var("c"), var("a"))), Entailment::Proved);
        assert_eq!(decide(&facts, eq(var("c").field("home"), var("a").field("home"))), Entailment::Proved);
        assert_eq!(decide(&facts, eq(var("c"), var("d"))), Entailment::Unknown);
    }

    #[test]
    fn fields_named_before_the_merge_are_merged_too() {
        let facts = [
            eq(var("a").field("f"), Path::literal("1")),
            eq(var("b").field("f").field("g"), Path::literal("2")),
            eq(var("a"), var("b")),
        ];
        assert_eq!(decide(&facts, eq(var("b").field("f"), Path::literal("1"))), Entailment::Proved);
    }

    #[test]
    fn literals_differ() {
        let facts = [eq(var("a"), Path::literal("1"))];
        assert_eq!(decide(&facts, eq(var("a"), Path::literal("2"))), Entailment::Refuted);
        assert_eq!(decide(&facts, ne(var("a"), Path::literal("2"))), Entailment::Proved);
        assert_eq!(decide(&facts, ne(var("a"), Path::literal("1"))), Entailment::Refuted);
    }

    #[test]
    fn disequalities() {
        let facts = [ne(var("a"), Path::literal("null")), eq(var("a"), var("b"))];
        assert_eq!(decide(&facts, ne(Path::literal("null"), var("b"))), Entailment::Proved);
        assert_eq!(decide(&facts, ne(var("b"), var("c"))), Entailment::Unknown);
    }

    #[test]
    fn self_is_the_value() {
        let goal = Constraint { terms: vec![eq(Path::self_value().field("home"), var("p"))] };
        let facts = [eq(var("r").field("home"), var("p"))];
        assert_eq!(entails(&facts, &goal, Some(&var("r"))), Entailment::Proved);
        assert_eq!(entails(&facts, &goal, None), Entailment::Unknown);
    }

    #[test]
    fn contradictory_facts_prove_anything() {
        let facts = [eq(var("a"), Path::literal("1")), eq(var("a"), Path::literal("2"))];
        assert_eq!(decide(&facts, eq(var("x"), var("y"))), Entailment::Proved);
    }

    #[test]
    fn opaque_terms_are_compared_as_text() {
        let text = || ConstraintTerm::Opaque(SmolStr::new("x<y"));
        assert_eq!(decide(&[text()], text()), Entailment::Proved);
        assert_eq!(decide(&[], text()), Entailment::Unknown);
    }
}
