//! The clauses that each directive of XcalableMP takes (specification 1.4; XcalableACC 1.0 for `acc`).

/// The directives with their clauses, in alphabetical order.
#[rustfmt::skip]
const CLAUSES: &[(&str, &[&str])] = &[
    ("align", &["with"]),
    ("array", &["on"]),
    ("barrier", &["on", "acc"]),
    ("bcast", &["from", "on", "async", "acc"]),
    ("distribute", &["onto"]),
    ("gmove", &["in", "out", "async", "acc"]),
    ("loop", &["on", "reduction", "expand", "margin", "peel_and_wait", "profile", "acc", "private", "firstprivate", "shared",
        "num_threads"]),
    ("reduce_shadow", &["width", "async", "acc"]),
    ("reduction", &["on", "async", "acc"]),
    ("reflect", &["width", "orthogonal", "async", "acc"]),
    ("reflect_init", &["width", "orthogonal", "acc"]),
    ("reflect_do", &["acc", "async"]),
    ("task", &["on", "nocomm", "profile"]),
    ("tasks", &["profile"]),
    ("wait_async", &["on", "acc"]),
];

/// The clauses that a directive takes.
pub fn clauses_of(directive: &str) -> &'static [&'static str] {
    CLAUSES.iter().find(|it| it.0 == directive).map_or(&[], |it| it.1)
}

#[cfg(test)]
mod tests {
    use apg_c_syntax::Family;

    use super::*;

    #[test]
    fn directives_and_clauses_are_those_of_the_grammar() {
        for (directive, clauses) in CLAUSES {
            assert!(apg_c_syntax::directives(Family::XcalableMp).any(|it| it == *directive), "{directive}");
            for clause in *clauses {
                assert!(apg_c_syntax::clauses(Family::XcalableMp).any(|it| it == *clause), "{clause}");
            }
        }
    }
}
