//! `type/no-matching-call`

use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::body::ExprId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::{ClassId, MethodId};
use crate::item_tree::items::qualified_name;
use crate::members::{Failure, Reason, Rejection, describe_method};
use crate::rules::render::{Render, RenderContext};
use crate::suggest::CONSTANT_RAIL_NOTE;
use crate::suggest::call::{add_call_notes, prints_several, shown_name};
use crate::suggest::conversion::{operand, replaced, with_conversion};
use crate::ty::Ty;
use crate::ty::known::Known;

/// A call that no method or constructor of that name fits.
pub static RULE: Rule = Rule {
    code: "type/no-matching-call",
    severity: Severity::Error,
    summary: "A call that no method or constructor of that name fits.",
    explanation: r##"
A method fits a call if it takes as many arguments, each argument is of its formal's type or converts implicitly to it, and its condition
does not contradict what is known. Of several that fit, the most specific one is called.

The notes list the candidates, and why each does not fit.
"##,
    failing: r##"
class Example {
    static def twice(number:Long):Long = 2 * number;
    static def main(args:Rail[String]) {
        Console.OUT.println(twice(1, 2));
    }
}
"##,
    fixed: r##"
class Example {
    static def twice(number:Long):Long = 2 * number;
    static def main(args:Rail[String]) {
        Console.OUT.println(twice(1));
    }
}
"##,
};

/// A call that fits no method or constructor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoMatchingCall {
    /// No candidate takes the arguments.
    NoForm {
        /// The name that is called.
        name: SmolStr,
        /// Why the candidates do not fit.
        failure: Failure,
        /// The arguments.
        args: Vec<ExprId>,
    },
    /// The only candidate that was meant does not fit.
    Rejected(Box<Rejected>),
    /// There is no candidate.
    Unknown {
        /// The name that is called.
        name: SmolStr,
    },
    /// A function takes another number of arguments.
    FunctionArity {
        /// How many it takes.
        wanted: usize,
        /// How many are given.
        given: usize,
    },
    /// `new I(...) { ... }` of an interface, with arguments.
    InterfaceArguments,
    /// `super(...)` with arguments, of a superclass without such a constructor.
    SuperArguments,
    /// A superclass has no constructor without arguments, and none is called.
    NoDefaultConstructor {
        /// The superclass.
        class: ClassId,
    },
    /// `property(...)` with another number of values.
    Properties {
        /// The class.
        class: ClassId,
        /// How many properties it has.
        wanted: usize,
        /// How many values are given.
        given: usize,
    },
}

/// The only candidate that was meant, which does not fit for another reason than an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// The name that is called.
    pub name: SmolStr,
    /// The candidate.
    pub only: Rejection,
    /// Why all candidates do not fit.
    pub failure: Failure,
    /// The arguments.
    pub args: Vec<ExprId>,
    /// The call.
    pub call: TextRange,
    /// A method that can be seen, whose name differs in capital letters only.
    pub similar: Option<SmolStr>,
    /// The static method that makes objects of a class whose constructor cannot be seen.
    pub maker: Option<MethodId>,
}

impl Render for NoMatchingCall {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            NoMatchingCall::NoForm { name, failure, args } => {
                let ty = |id: &ExprId| cx.expr(*id).map(|it| cx.show(it.ty.base(cx.db))).unwrap_or_default();
                let types: Vec<String> = args.iter().map(ty).collect();
                let message = format!("no form of {} takes ({})", shown_name(name), types.join(", "));
                let mut diagnostic = RULE.at(range, message);
                let is_single = matches!(failure, Failure::NoneFits(all) if all.len() == 1);
                if !is_single && !prints_several(name, args) {
                    diagnostic = failure.notes(cx.db).into_iter().fold(diagnostic, Diagnostic::note);
                }
                add_call_notes(cx, diagnostic, name, failure, args)
            }
            NoMatchingCall::Rejected(rejected) => {
                let diagnostic = rejected.render(range, cx);
                add_call_notes(cx, diagnostic, &rejected.name, &rejected.failure, &rejected.args)
            }
            NoMatchingCall::Unknown { name } => {
                RULE.at(range, format!("there is nothing that {} could mean", shown_name(name)))
            }
            NoMatchingCall::FunctionArity { wanted, given } => {
                let wanted = match wanted {
                    0 => "no arguments".to_owned(),
                    1 => "1 argument".to_owned(),
                    _ => format!("{wanted} arguments"),
                };
                RULE.at(range, format!("this function takes {wanted}, not {given}"))
            }
            NoMatchingCall::InterfaceArguments => {
                RULE.at(range, "an interface has no constructor that could take arguments")
            }
            NoMatchingCall::SuperArguments => {
                RULE.at(range, "the superclass has no constructor with arguments")
            }
            NoMatchingCall::NoDefaultConstructor { class } => RULE
                .at(
                    range,
                    format!("the superclass `{}` has no constructor without arguments", class.name(cx.db)),
                )
                .note("start the constructor with `super(...)` and the arguments it needs"),
            NoMatchingCall::Properties { class, wanted, given } => {
                let properties =
                    if *wanted == 1 { "1 property".to_owned() } else { format!("{wanted} properties") };
                let given = match given {
                    0 => "no value is".to_owned(),
                    1 => "one value is".to_owned(),
                    more => format!("{more} values are"),
                };
                RULE.at(range, format!("`{}` has {properties}, and {given} given", class.name(cx.db)))
            }
        }
    }
}

impl Rejected {
    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let (db, only) = (cx.db, &self.only);
        let diagnostic = RULE
            .at(range, format!("{} does not fit: {}", shown_name(&self.name), only.reason.text(db)))
            .note(format!("it is declared as `{}`", describe_method(db, only.method)));
        if let Some(converted) = self.converted_by_name(&diagnostic, cx) {
            return converted;
        }
        if qualified_name(db, only.method.class(db)) == "x10.lang.CUDAConstantRail" {
            return diagnostic.note(CONSTANT_RAIL_NOTE);
        }
        if let Some(note) = self.held_elsewhere(cx) {
            return diagnostic.note(note);
        }
        if let Some(similar) = &self.similar {
            let diagnostic = diagnostic.note(format!("did you mean `{similar}`?"));
            return replaced(diagnostic, range, similar.to_string());
        }
        match (&only.reason, self.maker) {
            (Reason::Hidden(..), Some(maker)) => {
                let class = only.method.class(db).name(db);
                diagnostic.note(format!("objects are made by `{class}.{}`", describe_method(db, maker)))
            }
            _ => diagnostic,
        }
    }

    /// `h(p)` of a handle: its object at another place is used there.
    fn held_elsewhere(&self, cx: &RenderContext<'_>) -> Option<&'static str> {
        let class = Ty::this_type(cx.db, self.only.method.class(cx.db));
        let [argument] = self.args[..] else { return None };
        let is_place = cx.expr(argument)?.ty.base(cx.db) == Ty::place(cx.db);
        let names_place = is_place && self.only.method.name(cx.db) == "operator()";
        if names_place && class.is_known(cx.db, Known::PlaceLocalHandle) {
            return Some(
                "`h()` is the object of this place; that of another is used there: `at (p) { ... h() ... }`",
            );
        }
        (names_place && class.is_known(cx.db, Known::GlobalRef))
            .then_some("`g()` is the object, at the place where it lives: `at (g) { ... g() ... }`")
    }

    /// `Long(x)` as a conversion, which is `x as Long` of a number; strings are read.
    fn converted_by_name(&self, diagnostic: &Diagnostic, cx: &RenderContext<'_>) -> Option<Diagnostic> {
        let db = cx.db;
        let [value] = self.args[..] else { return None };
        let to = Ty::this_type(db, self.only.method.class(db));
        let expr = cx.expr(value)?;
        let from = expr.ty.base(db);
        let target = to.primitive(db)?;
        if from.is_known(db, Known::String) {
            return with_conversion(cx, diagnostic, value, to, self.call);
        }
        let from = from.primitive(db)?;
        if !target.is_number() || !(from.is_number() || from == Known::Char) {
            return None;
        }
        let source = cx.source(expr.range)?;
        let is_literal =
            source.starts_with(|c: char| c.is_ascii_digit()) && source.chars().all(char::is_alphanumeric);
        let mut text = if is_literal { source } else { operand(&source) };
        if from == Known::Char {
            let diagnostic = diagnostic.clone().note("the number of a character is `c.ord()`, an `Int`");
            text.push_str(".ord()");
            let text = if target == Known::Int { text } else { format!("({text} as {})", cx.show(to)) };
            return Some(replaced(diagnostic, self.call, text));
        }
        let diagnostic = diagnostic.clone().note("numbers are converted by `as`");
        Some(replaced(diagnostic, self.call, format!("({text} as {})", cx.show(to))))
    }
}
