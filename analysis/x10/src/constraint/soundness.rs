//! Soundness of the solver: a proved term holds in every small model of the facts, and a refuted one in none.
//! All models are enumerated.
//!
//! A model has a few objects, each with one field, and assigns an object to each variable. Literals, with
//! `null`, are distinct objects.

use proptest::prelude::*;

use super::{Entailment, Solver, entails};
use crate::ty::{Constraint, ConstraintTerm, Path};

const VARIABLES: [&str; 2] = ["x", "y"];
const FIELDS: [&str; 1] = ["f"];
const LITERALS: [&str; 2] = ["true", "null"];
/// The number of objects, literals included.
const OBJECTS: usize = 4;

struct Model {
    /// The object of each variable, by index.
    variables: Vec<usize>,
    /// For each field, its value in each object.
    fields: Vec<Vec<usize>>,
}

impl Model {
    fn value(&self, path: &Path) -> usize {
        let text = path.to_string();
        let root = text.split('.').next().unwrap_or_default();
        let start = match LITERALS.iter().position(|it| *it == root) {
            Some(literal) => literal,
            None => self.variables[VARIABLES.iter().position(|it| *it == root).expect("a variable")],
        };
        path.fields.iter().fold(start, |object, name| {
            let field = FIELDS.iter().position(|it| it == name).expect("a field");
            self.fields[field][object]
        })
    }

    fn holds(&self, term: &ConstraintTerm) -> bool {
        match term {
            ConstraintTerm::Equal(a, b) => self.value(a) == self.value(b),
            ConstraintTerm::NotEqual(a, b) => self.value(a) != self.value(b),
            ConstraintTerm::Holds(a) => self.value(a) == 0,
            ConstraintTerm::Opaque(_) => true,
        }
    }
}

/// Calls `visit` with every model.
fn for_all_models(mut visit: impl FnMut(&Model)) {
    let digits = VARIABLES.len() + FIELDS.len() * OBJECTS;
    for number in 0..OBJECTS.pow(digits as u32) {
        let mut rest = number;
        let mut digit = || {
            let digit = rest % OBJECTS;
            rest /= OBJECTS;
            digit
        };
        let variables = VARIABLES.iter().map(|_| digit()).collect();
        let fields = FIELDS.iter().map(|_| (0..OBJECTS).map(|_| digit()).collect()).collect();
        visit(&Model { variables, fields });
    }
}

fn path() -> impl Strategy<Value = Path> {
    let root = prop_oneof![
        3 => proptest::sample::select(&VARIABLES[..]).prop_map(|name| Path::local(name, 0)),
        1 => proptest::sample::select(&LITERALS[..]).prop_map(Path::literal),
    ];
    (root, 0usize..3).prop_map(|(root, depth)| match root.is_literal() {
        true => root,
        false => (0..depth).fold(root, |path, _| path.field("f")),
    })
}

fn term() -> impl Strategy<Value = ConstraintTerm> {
    prop_oneof![
        3 => (path(), path()).prop_map(|(a, b)| ConstraintTerm::Equal(a, b)),
        2 => (path(), path()).prop_map(|(a, b)| ConstraintTerm::NotEqual(a, b)),
        1 => path().prop_map(ConstraintTerm::Holds),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn what_is_proved_holds_and_what_is_refuted_does_not(
        facts in proptest::collection::vec(term(), 0..5),
        goal in term(),
    ) {
        let found = entails(&facts, &Constraint { terms: vec![goal.clone()] }, None);
        let mut solver = Solver::default();
        facts.iter().for_each(|fact| solver.assume(fact));
        let is_inconsistent = solver.is_inconsistent();
        let (mut some, mut all, mut any) = (false, true, false);
        for_all_models(|model| {
            if facts.iter().all(|fact| model.holds(fact)) {
                some = true;
                let holds = model.holds(&goal);
                all &= holds;
                any |= holds;
            }
        });
        prop_assert!(!is_inconsistent || !some, "facts that a model meets are said to be inconsistent");
        match found {
            Entailment::Proved => prop_assert!(all, "proved, but a model refutes it"),
            Entailment::Refuted => prop_assert!(!any, "refuted, but a model meets it"),
            Entailment::Unknown => {}
        }
    }

    #[test]
    fn a_fact_follows_from_itself(facts in proptest::collection::vec(term(), 1..6)) {
        for fact in &facts {
            let goal = Constraint { terms: vec![fact.clone()] };
            prop_assert_eq!(entails(&facts, &goal, None), Entailment::Proved);
        }
    }

    #[test]
    fn more_facts_prove_no_less(
        facts in proptest::collection::vec(term(), 0..4),
        more in term(),
        goal in term(),
    ) {
        let goal = Constraint { terms: vec![goal] };
        if entails(&facts, &goal, None) == Entailment::Proved {
            let mut all = facts.clone();
            all.push(more);
            prop_assert_eq!(entails(&all, &goal, None), Entailment::Proved);
        }
    }
}
