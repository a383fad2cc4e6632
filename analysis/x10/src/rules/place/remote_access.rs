//! `place/remote-access`

use apg_syntax::TextRange;

use crate::body::ExprId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::place::{here_of_body, is_here};
use crate::rules::render::{Render, RenderContext};
use crate::suggest::wrap_in_at::at_around;
use crate::ty::Path;

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
    fixed: r##"
class Example {
    static def first(p:Place, numbers:GlobalRail[Long]{self.home()==p}):Long {
        return at (numbers.home()) numbers(0);
    }
}
"##,
};

/// A call that needs the object behind a handle, at a place that is not its home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteAccess {
    /// The handle: a `GlobalRef` or a `GlobalRail`.
    pub object: ExprId,
    /// The home of the object, if it has a name.
    pub home: Option<Path>,
    /// Whether it is known to be another place, rather than not known to be this one.
    pub is_known: bool,
    /// Whether the access is checked when the program runs.
    pub is_checked: bool,
    /// Whether the home is read from a field, `x.home`, rather than by `x.home()`.
    pub has_home_field: bool,
    /// Whether the access is in a kernel, which cannot go elsewhere.
    pub in_kernel: bool,
}

impl Render for RemoteAccess {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let object = cx.expr(self.object);
        let name = object.and_then(|it| cx.source(it.range)).unwrap_or_default();
        let lives = self.home.as_ref().map_or_else(|| "another place".to_owned(), place_name);
        let message = match (self.is_known, &self.home) {
            (false, _) => format!("`{name}` lives at {lives}, which is not known to be this place"),
            (true, Some(_)) => {
                format!("`{name}` lives at {lives}, not here: it cannot be used at this place")
            }
            (true, None) => format!("`{name}` lives at {lives}: it cannot be used at this one"),
        };
        let home = if self.has_home_field { format!("{name}.home") } else { format!("{name}.home()") };
        let copies = match object.and_then(|it| it.ty.global_rail_element(cx.db)) {
            Some(_) => ", or copy the elements with `Rail.asyncCopy`",
            None => "",
        };
        let mut diagnostic = RULE.at(range, message).note(format!("go there with `at ({home})`{copies}"));
        if self.is_checked {
            diagnostic = diagnostic
                .note("it is checked when the program runs, and raises an exception at any other place");
        }
        if !name.is_empty() && !self.in_kernel {
            diagnostic.fixes.extend(at_around(cx, self.object, range, &home));
        }
        diagnostic
    }
}

/// A place in a message: `here` means another one at this point than where it was said.
fn place_name(place: &Path) -> String {
    if !is_here(place) {
        return format!("`{place}`");
    }
    if *place == here_of_body() {
        return "the place where this method was called".to_owned();
    }
    "the place around this `at`".to_owned()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::{check, check_fix};

    #[test]
    fn read_of_a_remote_element() {
        check(
            &RULE,
            "class A { static def f(p:Place, r:GlobalRail[Long]{self.home()==p}) = $0r(0)$0; }",
            "`r` lives at `p`, which is not known to be this place",
        );
    }

    #[test]
    fn read_goes_to_the_home() {
        check_fix(
            &RULE,
            "class A { static def f(p:Place, r:GlobalRail[Long]{self.home()==p}):Long { return 1 + r(0); } }",
            "class A { static def f(p:Place, r:GlobalRail[Long]{self.home()==p}):Long { return 1 + (at (r.home()) r(0)); } }",
        );
    }
}
