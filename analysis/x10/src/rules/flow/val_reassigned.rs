//! `flow/val-reassigned`

use apg_syntax::TextRange;

use crate::body::{AssignTarget, Body, Capture, Captured, ExprId, ExprKind, LocalId, LocalKind, StmtKind};
use crate::db::Db;
use crate::diagnostics::{Diagnostic, Fix, Rule, Severity};
use crate::ids::{ClassId, FieldId};
use crate::item_tree::ClassKind;
use crate::item_tree::items::{class_kind, own_field};
use crate::item_tree::source::Item;
use crate::relate::Context;
use crate::rules::render::{Render, RenderContext};
use crate::suggest::declaration_keyword;

/// A `val` that is assigned although it may already have its value.
pub static RULE: Rule = Rule {
    code: "flow/val-reassigned",
    severity: Severity::Error,
    summary: "A `val` that is assigned although it may already have its value.",
    explanation: r##"
A `val` gets its value once: from its initialiser, or, if it has none, by one assignment on each path.
Formal parameters, loop variables and the variable of a `catch` are `val`s too. A `val` field is assigned only by a
constructor of its class.

Declare the variable `var` if it has to change, or use a second variable.
"##,
    failing: r##"
class Example {
    static def next(number:Long):Long {
        val result = number;
        result = number + 1;
        return result;
    }
}
"##,
    fixed: r##"
class Example {
    static def next(number:Long):Long {
        var result:Long = number;
        result = number + 1;
        return result;
    }
}
"##,
};

/// An assignment to a `val` that has a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValReassigned {
    /// The assignment.
    pub assignment: ExprId,
    /// The assigned variable or field.
    pub target: AssignTarget,
    /// Whether it may have been assigned on some path, rather than having its value from the start.
    pub may_be_first: bool,
}

impl Render for ValReassigned {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let (name, what) = match self.target {
            AssignTarget::Local(local) => (cx.local_name(local), "variable"),
            AssignTarget::Field { field, .. } | AssignTarget::Static(field) => {
                (field.name(cx.db).as_str(), "field")
            }
        };
        let diagnostic = RULE.at(
            range,
            match self.may_be_first {
                true => format!("`{name}` is a `val` and may have been assigned already"),
                false => format!("`{name}` is a `val` and already has its value"),
            },
        );
        let Some(body) = cx.body() else { return diagnostic };
        if self.means_hidden_field(cx, body) {
            let fix = Fix::insert(format!("Assign to the field `this.{name}`"), range.start(), "this.");
            let note = format!(
                "this `{name}` is the local variable, which hides the field: the field is `this.{name}`"
            );
            return diagnostic.note(note).fix(fix);
        }
        let note = match self.target {
            AssignTarget::Field { field, .. } if is_struct_field(cx.db, field) => {
                "values of structs never change: make a new one, with this value for the field".to_owned()
            }
            _ => format!("declare the {what} `var` if it has to change, else use another one"),
        };
        self.declare_as_var(cx, body).into_iter().fold(diagnostic.note(note), Diagnostic::fix)
    }
}

impl ValReassigned {
    /// Whether it is `x = x` in a class with a field `x`: the field is meant.
    fn means_hidden_field(&self, cx: &RenderContext<'_>, body: &Body) -> bool {
        let AssignTarget::Local(local) = self.target else { return false };
        let ExprKind::Assign { value, .. } = &body.expr(self.assignment).kind else { return false };
        matches!(&body.expr(*value).kind, ExprKind::Local(other) if *other == local)
            && class_of(cx).is_some_and(|it| own_field(cx.db, it, &body.local(local).name).is_some())
    }

    /// A fix that declares the local with `var`.
    fn declare_as_var(&self, cx: &RenderContext<'_>, body: &Body) -> Option<Fix> {
        let AssignTarget::Local(local) = self.target else { return None };
        if !may_be_var(cx.db, body, local, self.assignment) {
            return None;
        }
        let declared = body.local(local);
        let (range, text) = match declared.kind {
            LocalKind::Param => (TextRange::empty(declared.range.start()), "var "),
            LocalKind::Declared => (declaration_keyword(cx, local)?, "var"),
            _ => return None,
        };
        Some(Fix::replace(format!("Declare `{}` as `var`", declared.name), range, text))
    }
}

/// Whether a variable may become a `var`: nothing captures a copy of it, and it can hold the assigned value.
fn may_be_var(db: &dyn Db, body: &Body, local: LocalId, assignment: ExprId) -> bool {
    let holds = |it: &Capture| it.what == Captured::Local(local);
    let copies = |captures: &[Capture]| captures.iter().any(holds);
    let is_copied = body.stmts.iter().any(|it| match &it.kind {
        StmtKind::Async { captures, .. }
        | StmtKind::At { captures, .. }
        | StmtKind::AtEach { captures, .. } => copies(captures),
        _ => false,
    }) || body.exprs.iter().any(|it| match &it.kind {
        ExprKind::Closure(closure) => copies(&closure.captures),
        ExprKind::At { captures, .. } => copies(captures),
        _ => false,
    });
    let ExprKind::Assign { mut value, .. } = body.expr(assignment).kind else { return !is_copied };
    while let ExprKind::Coerce { value: inner } = body.expr(value).kind {
        value = inner;
    }
    let (new, old) = (body.expr(value).ty.base(db), body.local(local).ty.base(db));
    // A type mismatch is reported separately.
    !is_copied && !new.is_null(db) && !new.is_error(db) && Context::global(db).is_subtype(new, old)
}

/// The class of the code.
fn class_of(cx: &RenderContext<'_>) -> Option<ClassId> {
    match cx.item {
        Item::Method(method) => Some(method.class(cx.db)),
        Item::Field(field) => Some(field.class(cx.db)),
        Item::Class(_) | Item::Typedef(_) => None,
    }
}

fn is_struct_field(db: &dyn Db, field: FieldId) -> bool {
    class_kind(db, field.class(db)) == Some(ClassKind::Struct)
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::check_fix;

    #[test]
    fn hidden_field_is_assigned() {
        check_fix(
            &RULE,
            "class A { var n:Long = 0; def f(n:Long) { n = n; } }",
            "class A { var n:Long = 0; def f(n:Long) { this.n = n; } }",
        );
    }

    #[test]
    fn reassigned_local_becomes_a_variable() {
        check_fix(
            &RULE,
            "class A { def f() { val x = 1; x = 2; } }",
            "class A { def f() { var x = 1; x = 2; } }",
        );
    }
}
