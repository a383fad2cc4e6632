//! Place types: what is known of the place in a condition `here == x.home` (X10 2.6, "Places").

use crate::constraint::{Entailment, Solver};
use crate::ty::{ConstraintTerm, Path, PathRoot};

/// The path of `here` in the constraints of a body. Inside an `at` or a closure it has another name, so
/// [`PathRoot::Here`] denotes the place of the call in a signature.
pub(crate) fn here_of_body() -> Path {
    Path::local("here", u32::MAX - 2)
}

/// A path to an unnamed value, for one query.
pub(crate) fn nameless() -> Path {
    Path::local("$value", u32::MAX - 3)
}

/// Whether a path is `here` at some point of a body or signature.
pub(crate) fn is_here(path: &Path) -> bool {
    match &path.root {
        PathRoot::Here => path.fields.is_empty(),
        PathRoot::Local { name, .. } => name == "here" && path.fields.is_empty(),
        _ => false,
    }
}

/// The home that a condition compares with `here`.
pub(crate) fn required_home(term: &ConstraintTerm) -> Option<&Path> {
    match term {
        ConstraintTerm::Equal(a, b) if is_here(a) => Some(b),
        ConstraintTerm::Equal(a, b) if is_here(b) => Some(a),
        _ => None,
    }
}

/// Knowledge about a home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// It is `here`.
    Here,
    /// This place, which is not known to be `here`.
    Named(Path),
    /// It is certainly not `here`.
    Elsewhere(Option<Path>),
    /// Unknown.
    Unknown,
}

/// The knowledge that `facts` imply about `home`, seen from the place `here`.
pub(crate) fn home(facts: &[ConstraintTerm], home: &Path, here: &Path) -> Home {
    let mut solver = Solver::default();
    facts.iter().for_each(|fact| solver.assume(fact));
    let name = other_name(facts, home, &mut solver);
    match solver.decide(&ConstraintTerm::Equal(home.clone(), here.clone())) {
        Entailment::Proved => Home::Here,
        Entailment::Refuted => Home::Elsewhere(name),
        Entailment::Unknown => name.map_or(Home::Unknown, Home::Named),
    }
}

/// Another name of the place `home`: the shortest equal path with another root.
fn other_name(facts: &[ConstraintTerm], home: &Path, solver: &mut Solver) -> Option<Path> {
    let mut best: Option<Path> = None;
    for fact in facts {
        let ConstraintTerm::Equal(a, b) = fact else { continue };
        for path in [a, b] {
            let usable = path.root != home.root && path.root != PathRoot::SelfValue && *path != nameless();
            let equal = usable
                && solver.decide(&ConstraintTerm::Equal(home.clone(), path.clone())) == Entailment::Proved;
            if equal && best.as_ref().is_none_or(|best| path.fields.len() < best.fields.len()) {
                best = Some(path.clone());
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(a: Path, b: Path) -> ConstraintTerm {
        ConstraintTerm::Equal(a, b)
    }

    #[test]
    fn homes() {
        let rail_home = Path::local("rail", 3).field("home");
        let place = Path::local("p", 1);
        let facts = [equal(rail_home.clone(), place.clone())];
        let here = here_of_body();
        assert_eq!(home(&facts, &rail_home, &here), Home::Named(place.clone()));
        assert_eq!(home(&[], &rail_home, &here), Home::Unknown);
        let inside = Path::local("here", 40);
        let mut more = facts.to_vec();
        more.push(equal(inside.clone(), place.clone()));
        assert_eq!(home(&more, &rail_home, &inside), Home::Here);
        more.push(ConstraintTerm::NotEqual(here.clone(), inside));
        assert_eq!(home(&more, &rail_home, &here), Home::Elsewhere(Some(place)));
    }
}
