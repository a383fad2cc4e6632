//! Terms that the solver proves and refutes.

use smol_str::SmolStr;

use super::*;
use crate::ty::{Constraint, ConstraintTerm, Path};

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
