//! `type/not-implemented`

use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::db::Db;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::{ClassId, MethodId};
use crate::item_tree::MethodKind;
use crate::item_tree::items::{class_kind, method_item};
use crate::members::describe_method;
use crate::relate::subtype::erase;
use crate::rules::render::{Render, RenderContext};
use crate::ty::{Ty, TyKind};

/// A class that lacks a method it promises.
pub static RULE: Rule = Rule {
    code: "type/not-implemented",
    severity: Severity::Error,
    summary: "A class that lacks a method it promises.",
    explanation: r##"
A class that is not abstract, and every struct, has an implementation of each abstract method that it inherits from its
superclass and its interfaces. Write the method, or declare the class abstract.
"##,
    failing: r##"
interface Shape {
    def area():Long;
}
class Square implements Shape {
    val side:Long = 1;
}
"##,
    fixed: r##"
interface Shape {
    def area():Long;
}
class Square implements Shape {
    val side:Long = 1;
    public def area():Long = side * side;
}
"##,
};

/// A concrete class lacks code that it promises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotImplemented {
    /// The application operator of a function type.
    Function {
        /// The class.
        class: ClassId,
        /// The function type.
        function: Ty,
    },
    /// Abstract methods.
    Methods {
        /// The class.
        class: ClassId,
        /// The methods: at least one.
        missing: Vec<MethodId>,
        /// The supertype that promises the first of them.
        promised_by: Ty,
        /// What was probably meant to implement one of them.
        candidate: Option<Candidate>,
    },
}

/// A member that was probably meant to implement a missing method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Candidate {
    /// A property with the name of this method.
    Property(MethodId),
    /// This method, which has other formals.
    OtherFormals(MethodId),
    /// A method of a similar name.
    Misspelt {
        /// Its name.
        written: SmolStr,
        /// The missing method.
        meant: MethodId,
    },
}

impl Render for NotImplemented {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let db = cx.db;
        match self {
            NotImplemented::Function { class, function } => {
                let message = format!("{} does not implement `{}`", subject(db, *class), cx.show(*function));
                RULE.at(range, message).note(format!(
                    "write `public {}`, or declare the class `abstract`",
                    operator_form(cx, *function)
                ))
            }
            NotImplemented::Methods { class, missing, promised_by, candidate } => {
                let names: Vec<String> =
                    missing.iter().map(|it| format!("`{}`", describe_method(db, *it))).collect();
                let message = format!("{} does not implement {}", subject(db, *class), listed(&names));
                let diagnostic = RULE.at(range, message).note(format!(
                    "promised by `{}`: write the method, or declare the class `abstract`",
                    cx.show(*promised_by)
                ));
                match candidate {
                    Some(candidate) => diagnostic.note(candidate.note(db)),
                    None => diagnostic,
                }
            }
        }
    }
}

impl Candidate {
    fn note(&self, db: &dyn Db) -> String {
        match self {
            Candidate::Property(method) => {
                let name = method.name(db);
                let is_property = method_item(db, *method).is_some_and(|it| it.kind == MethodKind::Property);
                let keyword = if is_property { "property" } else { "def" };
                format!("a property is no method: write `public {keyword} {name}() = {name};`")
            }
            Candidate::OtherFormals(method) => {
                format!("`{}` has other formals", describe_method(db, *method))
            }
            Candidate::Misspelt { written, meant } => {
                format!("is `{written}` meant to be `{}`?", meant.name(db))
            }
        }
    }
}

/// The class as the subject of a message.
fn subject(db: &dyn Db, class: ClassId) -> String {
    let keyword = class_kind(db, class).map_or("class", |kind| kind.keyword());
    format!("the {keyword} `{}`", Ty::this_type(db, class).display(db))
}

/// The operator that implements a function type.
fn operator_form(cx: &RenderContext<'_>, function: Ty) -> String {
    let TyKind::Function { params, result, .. } = function.kind(cx.db) else { return String::new() };
    let params = params.iter().map(|ty| erase(cx.db, *ty)).enumerate();
    let params: Vec<String> = params.map(|(n, ty)| format!("x{}:{}", n + 1, cx.show(ty))).collect();
    format!("operator this({}):{}", params.join(", "), cx.show(*result))
}

/// The names of a list, or the first three and how many more.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] if most.len() < 4 => format!("{} and {last}", most.join(", ")),
        [first, second, third, rest @ ..] => format!("{first}, {second}, {third} and {} more", rest.len()),
        [_, _] => names.join(" and "),
    }
}
