//! `type/misplaced-annotation`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::ClassId;
use crate::rules::render::{Render, RenderContext};

/// An annotation where its interface does not let it stand.
pub static RULE: Rule = Rule {
    code: "type/misplaced-annotation",
    severity: Severity::Error,
    summary: "An annotation where its interface does not let it stand.",
    explanation: r##"
An annotation is an interface, and says by what it extends where it may stand: `ClassAnnotation`, `FieldAnnotation` (properties
too), `MethodAnnotation` (constructors and operators too), `StatementAnnotation`, `ExpressionAnnotation`, all of
`x10.lang.annotations` (X10 2.6, "Annotations on Program Elements").
"##,
    failing: r##"
import x10.lang.annotations.MethodAnnotation;

interface Checked extends MethodAnnotation {}

@Checked class Example {}
"##,
    fixed: r##"
import x10.lang.annotations.ClassAnnotation;

interface Checked extends ClassAnnotation {}

@Checked class Example {}
"##,
};

/// An annotation in code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MisplacedAnnotation {
    /// It stands on a statement, and is not for statements.
    Statement {
        /// Its interface.
        class: ClassId,
    },
    /// `@TransientInitExpr` has more than one argument.
    TransientInitArguments,
}

impl Render for MisplacedAnnotation {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            MisplacedAnnotation::Statement { class } => RULE
                .at(range, format!("`@{}` cannot stand on a statement", class.name(cx.db)))
                .note("its interface does not extend `x10.lang.annotations.StatementAnnotation`"),
            MisplacedAnnotation::TransientInitArguments => {
                RULE.at(range, "`@TransientInitExpr` takes one value")
            }
        }
    }
}
