//! `type/duplicate-member`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::{ClassId, FieldId, MethodId, TypedefId};
use crate::item_tree::items::method_item;
use crate::rules::render::{Render, RenderContext};

/// A member that is declared twice.
pub static RULE: Rule = Rule {
    code: "type/duplicate-member",
    severity: Severity::Error,
    summary: "A member that is declared twice.",
    explanation: r##"
The fields of a class have different names, and so have its member types. Methods may share a name if their formals
differ in number or type, constraints aside: otherwise a call could not tell them apart.
"##,
    failing: r##"
class Example {
    def area(width:Long) = width;
    def area(height:Long) = height;
}
"##,
    fixed: r##"
class Example {
    def area(width:Long) = width;
    def area(width:Long, height:Long) = width * height;
}
"##,
};

/// A declaration whose name another one has already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DuplicateMember {
    /// A top-level type of a file.
    TopLevelType(ClassId),
    /// A member type of a class.
    MemberType {
        /// The member type.
        member: ClassId,
        /// The class around it.
        class: ClassId,
    },
    /// A field or property of a class.
    Field(FieldId),
    /// A property that hides an inherited one.
    InheritedProperty {
        /// The property.
        property: FieldId,
        /// The superclass that declares the other one.
        owner: ClassId,
    },
    /// A method or constructor with the formals of another one.
    Method(MethodId),
    /// A type definition of a class with the arguments of another one.
    Typedef {
        /// The type definition.
        typedef: TypedefId,
        /// The class that declares both.
        class: ClassId,
    },
    /// A type definition without parameters with the name of a class beside it.
    TypedefOfClassName(TypedefId),
}

impl Render for DuplicateMember {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let db = cx.db;
        match self {
            DuplicateMember::TopLevelType(class) => {
                RULE.at(range, format!("`{}` is declared twice in this file", class.name(db)))
            }
            DuplicateMember::MemberType { member, class } => {
                let (class, member) = (class.name(db), member.name(db));
                RULE.at(range, format!("`{class}` has another member type `{member}`"))
            }
            DuplicateMember::Field(field) => {
                let (class, name) = (field.class(db).name(db), field.name(db));
                RULE.at(range, format!("`{class}` has several fields or properties named `{name}`"))
            }
            DuplicateMember::InheritedProperty { property, owner } => {
                let (class, name) = (property.class(db).name(db), property.name(db));
                let message = format!("`{class}` inherits a property `{name}` from `{}`", owner.name(db));
                RULE.at(range, message)
                    .note("a property of the same name would hide it from constraints: choose another name")
            }
            DuplicateMember::Method(method) => {
                let (class, name) = (method.class(db).name(db), method.name(db));
                let is_constructor = method_item(db, *method).is_some_and(|it| it.kind.is_constructor());
                let what = if is_constructor { "constructor" } else { "method" };
                RULE.at(range, format!("`{class}` has another {what} `{name}` with formals of these types"))
                    .note("a call could not tell them apart: rename one, or give it other formals")
            }
            DuplicateMember::Typedef { typedef, class } => {
                let (class, name) = (class.name(db), typedef.name(db));
                RULE.at(range, format!("`{class}` has another type definition `{name}` with such arguments"))
            }
            DuplicateMember::TypedefOfClassName(typedef) => RULE
                .at(range, format!("`{}` is already the name of a class here", typedef.name(db)))
                .note("a type definition without parameters could not be distinguished from the class: choose another name"),
        }
    }
}
