//! `flow/use-before-assignment`

use apg_syntax::TextRange;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::{FieldId, MethodId};
use crate::rules::render::{Render, RenderContext};

/// A variable or field that may be read before it is assigned.
pub static RULE: Rule = Rule {
    code: "flow/use-before-assignment",
    severity: Severity::Error,
    summary: "A variable or field that may be read before it is assigned.",
    explanation: r##"
X10 has no default values for local variables: on every path that leads to a use, the variable must have been assigned.
An assignment inside an `async` counts only after the `finish` around it, for only then has the activity
certainly ended. In a constructor the same holds for fields that have no initialiser.

Give the variable an initialiser, or assign it on the path that lacks it.
"##,
    failing: r##"
class Example {
    static def largest(a:Long, b:Long):Long {
        val result:Long;
        if (a > b) result = a;
        return result;
    }
}
"##,
    fixed: r##"
class Example {
    static def largest(a:Long, b:Long):Long {
        val result:Long;
        if (a > b) result = a;
        else result = b;
        return result;
    }
}
"##,
};

/// A read of a variable or field that may not be assigned yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UseBeforeAssignment {
    /// Of a local variable.
    Local {
        /// The variable.
        local: LocalId,
        /// Whether an activity assigns it that need not have ended.
        is_assigned_by_activity: bool,
    },
    /// Of a field during construction.
    Field(FieldId),
    /// Of a field by a method called during construction.
    Callee {
        /// The method.
        method: MethodId,
        /// The field.
        field: FieldId,
    },
}

impl Render for UseBeforeAssignment {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            UseBeforeAssignment::Local { local, is_assigned_by_activity } => {
                let name = cx.local_name(*local);
                RULE.at(range, format!("`{name}` may be read here before it is assigned")).note(
                    match is_assigned_by_activity {
                        true => "it is assigned by an activity that need not have ended: read it after the enclosing `finish`".to_owned(),
                        false => format!("assign `{name}` on every path that leads here"),
                    },
                )
            }
            UseBeforeAssignment::Field(field) => {
                let name = field.name(cx.db);
                let message = format!(
                    "the field `{name}` may be read here before the object's construction assigns it"
                );
                RULE.at(range, message)
                    .note(format!("assign `{name}` first, or read the value that it is given"))
            }
            UseBeforeAssignment::Callee { method, field } => {
                let (name, field) = (method.name(cx.db), field.name(cx.db));
                RULE.at(range, format!("`{name}` reads the field `{field}`, which may not be assigned yet"))
                    .note(format!("assign `{field}` before this call, or call `{name}` later"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::check_none;

    #[test]
    fn assignment_on_every_path() {
        check_none(
            &RULE,
            "class A { def f(b:Boolean):Long { val x:Long; if (b) { x = 1; } else { x = 2; } return x; } }",
        );
    }

    #[test]
    fn assignment_by_an_awaited_activity() {
        check_none(&RULE, "class A { def f():Long { val x:Long; finish { async { x = 1; } } return x; } }");
    }
}
