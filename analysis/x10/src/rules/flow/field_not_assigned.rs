//! `flow/field-not-assigned`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::FieldId;
use crate::item_tree::items::{field_is_mutable, field_item};
use crate::rules::render::{Render, RenderContext};
use crate::signature::field_type;

/// A constructor that can end without assigning a field.
pub static RULE: Rule = Rule {
    code: "flow/field-not-assigned",
    severity: Severity::Error,
    summary: "A constructor that can end without assigning a field.",
    explanation: r##"
Every field without an initialiser must be assigned on every path through every constructor, and a class with
properties must set them by `property(...)`: an object is complete when its constructor ends. A constructor that
starts with `this(...)` leaves that to the constructor it calls.

Assign the field on the path that lacks it, or give it an initialiser where it is declared.
"##,
    failing: r##"
class Example {
    val limit:Long;
    def this(wanted:Long) {
        if (wanted > 0) limit = wanted;
    }
}
"##,
    fixed: r##"
class Example {
    val limit:Long;
    def this(wanted:Long) {
        if (wanted > 0) limit = wanted;
        else limit = 0;
    }
}
"##,
};

/// Fields that have no value when an object is complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldNotAssigned {
    /// A field of a class without a constructor of its own.
    ByInitialiser(FieldId),
    /// A static field without an initialiser.
    Static(FieldId),
    /// Fields that a constructor does not assign on every path.
    ByConstructor(Vec<FieldId>),
}

impl Render for FieldNotAssigned {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            FieldNotAssigned::Static(field) => RULE
                .at(range, format!("nothing assigns the static field `{}`", field.name(cx.db)))
                .note("static fields are set once, by an initialiser: write `= value`"),
            FieldNotAssigned::ByInitialiser(field) => {
                let (name, ty) = (field.name(cx.db), cx.show(field_type(cx.db, *field)));
                let is_var = field_is_mutable(cx.db, *field);
                let message = match is_var {
                    true => {
                        format!("nothing assigns the field `{name}`, and `{ty}` has no zero to start from")
                    }
                    false => format!("nothing assigns the field `{name}`"),
                };
                RULE.at(range, message).note(match field_type(cx.db, *field).as_param(cx.db) {
                    Some(param) if is_var => {
                        format!("give it an initialiser, or take only types that have a zero: `{{{} haszero}}` after the class's type parameters", param.name(cx.db))
                    }
                    _ => "give it an initialiser, or write a constructor that assigns it".to_owned(),
                })
            }
            FieldNotAssigned::ByConstructor(fields) => {
                let names: Vec<String> =
                    fields.iter().map(|field| format!("`{}`", field.name(cx.db))).collect();
                let is_property =
                    |field: &FieldId| field_item(cx.db, *field).is_some_and(|item| item.is_property);
                let are_properties = fields.iter().all(is_property);
                let (what, them) = match (fields.len(), are_properties) {
                    (1, true) => ("property", "it"),
                    (_, true) => ("properties", "them"),
                    (1, false) => ("field", "it"),
                    (_, false) => ("fields", "them"),
                };
                let message =
                    format!("this constructor can end without assigning the {what} {}", names.join(", "));
                RULE.at(range, message).note(match are_properties {
                    true => format!("set {them} by `property(...)`, on every path"),
                    false => format!("assign {them} on every path, or give {them} an initialiser"),
                })
            }
        }
    }
}
