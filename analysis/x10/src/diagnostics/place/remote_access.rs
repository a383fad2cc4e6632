//! `place/remote-access`

use crate::diagnostics::{Rule, Severity};

/// A use of an object that lives at another place.
pub static RULE: Rule = Rule {
    code: "place/remote-access",
    severity: Severity::Warning,
    summary: "A use of an object that lives at another place.",
    explanation: r##"
A `GlobalRef` names one object, and a `GlobalRail` one rail, that lives at its home. It can be sent to other places, but the object behind it can be used only
at home: `ref()`, `rail(i)` and `rail(i) = v` need `home == here`. Where the home is known to be another place than `here` this is an error; where
it has a name, but is not known to be `here`, a warning: the access is checked when the program runs, and raises an exception at any other place.

Go there with `at (x.home)`, or copy the elements with `Rail.asyncCopy`.
"##,
    failing: r##"
class Example {
    static def first(p:Place, numbers:GlobalRail[Long]{self.home()==p}):Long {
        return numbers(0);
    }
}
"##,
    mended: r##"
class Example {
    static def first(p:Place, numbers:GlobalRail[Long]{self.home()==p}):Long {
        return at (numbers.home()) numbers(0);
    }
}
"##,
};
