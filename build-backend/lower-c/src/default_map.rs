//! `defaultmap`: how objects reach a region that no other clause names (OpenMP 5.2, section 5.8.1).

use apg_c_analysis::hir::{Clause, Directive, Type};

/// What a clause says of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behavior {
    /// They are objects of the device, with this type of a map.
    Mapped(&'static str),
    /// Threads have copies.
    Firstprivate,
}

/// The category of all objects, which a clause without a category has as well.
const ALL: &str = "all";

/// The category of a clause: `scalar` of `defaultmap(to: scalar)`.
fn category_of(clause: &Clause) -> &str {
    clause.items.get(1).and_then(|it| it.word.as_deref()).unwrap_or(ALL)
}

/// Whether a clause names the category of all objects, and the behavior `present`, which older compilers do
/// not know.
pub(crate) fn later_words(clause: &Clause) -> (bool, bool) {
    (clause.items.len() > 1 && category_of(clause) == ALL, clause.word() == Some("present"))
}

/// The behavior of objects of a type. `None`: what the specification says without the clause, also where
/// each object must be named.
pub(crate) fn behavior(directive: &Directive, ty: &Type) -> Option<Behavior> {
    let category = match ty {
        Type::Array(..) | Type::Record(_) => "aggregate",
        Type::Pointer(_) => "pointer",
        _ => "scalar",
    };
    // A clause of the category comes before one of all.
    let of = |wanted| directive.clauses_named("defaultmap").find(move |it| category_of(it) == wanted);
    let clause = of(category).or_else(|| of(ALL))?;
    Some(match clause.word()? {
        "firstprivate" => Behavior::Firstprivate,
        "tofrom" => Behavior::Mapped("tofrom"),
        "to" => Behavior::Mapped("to"),
        "from" => Behavior::Mapped("from"),
        "alloc" => Behavior::Mapped("alloc"),
        "present" => Behavior::Mapped("present"),
        _ => return None,
    })
}
