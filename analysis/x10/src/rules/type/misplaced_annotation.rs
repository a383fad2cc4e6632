//! `type/misplaced-annotation`

use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::ClassId;
use crate::item_tree::items::{class_kind, field_item, method_item};
use crate::item_tree::source::Item;
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

/// An annotation on a declaration or in code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MisplacedAnnotation {
    /// It stands on a declaration of a kind that it is not for: the item that has the problem.
    Declaration {
        /// The simple name as it is written.
        name: SmolStr,
    },
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
            MisplacedAnnotation::Declaration { name } => {
                let (what, interface) = declaration_kind(cx);
                RULE.at(range, format!("`@{name}` cannot stand on a {what}"))
                    .note(format!("its interface does not extend `x10.lang.annotations.{interface}`"))
            }
            MisplacedAnnotation::Statement { class } => RULE
                .at(range, format!("`@{}` cannot stand on a statement", class.name(cx.db)))
                .note("its interface does not extend `x10.lang.annotations.StatementAnnotation`"),
            MisplacedAnnotation::TransientInitArguments => {
                RULE.at(range, "`@TransientInitExpr` takes one value")
            }
        }
    }
}

/// What kind of declaration the item is, and the interface of annotations that may stand on it.
fn declaration_kind(cx: &RenderContext<'_>) -> (&'static str, &'static str) {
    match cx.item {
        Item::Field(field) if field_item(cx.db, field).is_some_and(|it| it.is_property) => {
            ("property", "FieldAnnotation")
        }
        Item::Field(_) => ("field", "FieldAnnotation"),
        Item::Method(method) if method_item(cx.db, method).is_some_and(|it| it.kind.is_constructor()) => {
            ("constructor", "MethodAnnotation")
        }
        Item::Method(_) => ("method", "MethodAnnotation"),
        Item::Class(class) => {
            (class_kind(cx.db, class).map_or("class", |it| it.keyword()), "ClassAnnotation")
        }
        Item::Typedef(_) => ("type definition", "ClassAnnotation"),
    }
}
