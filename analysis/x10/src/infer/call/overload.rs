//! Which method a call means, and what to say when it means none.

use std::borrow::Cow;

use apg_syntax::TextRange;
use smol_str::{SmolStr, format_smolstr};

use crate::body::{Dispatch, ExprId, ExprKind};
use crate::diagnostics::Diagnostic;
use crate::ids::{ClassId, MethodId};
use crate::infer::context::Infer;
use crate::infer::expr::convert::Why;
use crate::item_tree::items::{method_is_static, method_item, own_methods};
use crate::members::operators::{OperatorCall, OperatorForm, plain_operator};
use crate::members::resolve::has_unknown_formal;
use crate::members::{Arg, Candidate, Failure, Reason, Rejection, Resolution};
use crate::relate::subtype::erase;
use crate::rules::r#type as type_rules;
use crate::signature::method_signature;
use crate::ty::known::Known;
use crate::ty::{Path, Ty};

/// The method that a call means.
pub(crate) type Picked = Resolution;

/// A call at work.
pub(crate) struct Call {
    pub(crate) args: Vec<ExprId>,
    pub(crate) type_args: Vec<Ty>,
    /// `super.m()`
    pub(crate) through_super: bool,
    /// The name of the method, for messages.
    pub(crate) at: TextRange,
    /// The whole call.
    pub(crate) range: TextRange,
}

impl<'db> Infer<'db> {
    pub(crate) fn candidates(&self, ty: Ty, name: &str) -> Cow<'db, [Candidate]> {
        self.context().methods_named(ty, name)
    }

    pub(crate) fn arg(&self, id: ExprId) -> Arg {
        Arg { ty: self.ty(id), path: self.path_of(id), not_null: self.is_not_null(id) }
    }

    fn args(&self, call: &Call) -> Vec<Arg> {
        call.args.iter().map(|&id| self.arg(id)).collect()
    }

    /// The candidate that the call means; `receiver` is the object in constraints.
    pub(crate) fn pick(
        &mut self,
        candidates: &[Candidate],
        receiver: Option<&Path>,
        call: &Call,
    ) -> Result<Picked, Failure> {
        self.name_arguments(candidates, call);
        let known = self.known.len();
        self.note_arguments(&call.args);
        let args = self.args(call);
        let call = crate::members::resolve::Call {
            around: None,
            receiver,
            type_args: &call.type_args,
            args: &args,
            infer_class: false,
        };
        let found = self.context().choose(candidates, call);
        self.forget(known);
        found.map(|picked| self.here_and_now(picked))
    }

    /// As [`Infer::pick`]. Where static and other methods fit alike, as a unary operator of a class and a binary one of its
    /// objects do, those of what stands before the name are meant: of a type, or of an object.
    pub(crate) fn pick_of(
        &mut self,
        candidates: &[Candidate],
        receiver: Option<&Path>,
        call: &Call,
        of_type: bool,
    ) -> Result<Picked, Failure> {
        let found = self.pick(candidates, receiver, call);
        if !matches!(found, Err(Failure::Ambiguous(_))) {
            return found;
        }
        let is_of_it = |it: &&Candidate| method_is_static(self.db, it.method) == of_type;
        let own: Vec<Candidate> = candidates.iter().filter(is_of_it).copied().collect();
        self.pick(&own, receiver, call).or(found)
    }

    pub(crate) fn pick_constructor(
        &mut self,
        class: ClassId,
        given: Option<Vec<Ty>>,
        outer: Option<ExprId>,
        call: &Call,
    ) -> Result<Picked, Failure> {
        let owner = Ty::this_type(self.db, class);
        let constructors = self.context().constructors(class);
        let candidates: Vec<Candidate> =
            constructors.iter().map(|&method| Candidate { method, owner }).collect();
        self.name_arguments(&candidates, call);
        let known = self.known.len();
        self.note_arguments(&call.args);
        let args = self.args(call);
        let around = outer.and_then(|outer| Some((class.outer(self.db)?, self.path_of(outer))));
        let found = self.context().resolve_constructor(class, given.as_deref(), &args, around.as_ref());
        self.forget(known);
        found.map(|picked| self.here_and_now(picked))
    }

    /// What a signature says of `here` is said of the place of the call.
    fn here_and_now(&self, mut picked: Picked) -> Picked {
        picked.result = self.at_this_place(picked.result);
        for param in &mut picked.params {
            *param = self.at_this_place(*param);
        }
        for term in &mut picked.unproved.terms {
            *term = self.term_here(term);
        }
        picked
    }

    pub(crate) fn binary_operator(
        &mut self,
        op: &str,
        left: ExprId,
        right: ExprId,
        range: TextRange,
    ) -> Result<ExprId, Failure> {
        let name = format_smolstr!("operator{op}");
        // Of the built-in types no operator asks for more than the types of its operands.
        let built_in = self.is_built_in(left) && self.is_built_in(right);
        if built_in && let Some(call) = self.built_in_operator(&name, left, right) {
            return Ok(self.operator_call(call, vec![left, right], range));
        }
        let (a, b) = (self.operand(left, built_in), self.operand(right, built_in));
        let call = self.context().resolve_binary(&name, &a, &b)?;
        Ok(self.operator_call(call, vec![left, right], range))
    }

    /// The operator, if all of it follows from what the operands' types are without their constraints: nearly all of them.
    fn built_in_operator(&self, name: &SmolStr, left: ExprId, right: ExprId) -> Option<OperatorCall> {
        let base = |operand| self.ty(operand).base(self.db);
        plain_operator(self.db, name.clone(), base(left), base(right)).clone()
    }

    pub(crate) fn unary_operator(&mut self, op: &str, operand: ExprId, range: TextRange) -> Option<ExprId> {
        let name = format!("operator{op}");
        let arg = self.operand(operand, self.is_built_in(operand));
        let call = self.context().resolve_unary(&name, &arg).ok()?;
        Some(self.operator_call(call, vec![operand], range))
    }

    fn is_built_in(&self, operand: ExprId) -> bool {
        let ty = self.ty(operand);
        ty.primitive(self.db).is_some() || self.is_string(ty)
    }

    fn operand(&mut self, id: ExprId, built_in: bool) -> Arg {
        if !built_in {
            self.named(id);
        }
        self.arg(id)
    }

    fn operator_call(&mut self, found: OperatorCall, operands: Vec<ExprId>, range: TextRange) -> ExprId {
        let picked = self.here_and_now(found.resolution);
        let call = |args| Call { args, type_args: Vec::new(), through_super: false, at: range, range };
        match (found.form, &operands[..]) {
            (OperatorForm::Static, _) => self.static_call(picked, call(operands)),
            (OperatorForm::Left, [receiver, args @ ..]) => {
                self.instance_call(*receiver, picked, call(args.to_vec()))
            }
            (OperatorForm::Right, &[left, receiver]) => {
                // The receiver of a call comes first, but of `a + b` it is a.
                let mut stmts = Vec::new();
                let is_literal = matches!(self.body.expr(left).kind, ExprKind::Literal(_));
                let argument = if is_literal || self.is_simple(receiver) {
                    left
                } else {
                    let (stmt, local) = self.temporary(left);
                    stmts.push(stmt);
                    self.read(local, self.range(left))
                };
                let result = self.instance_call(receiver, picked, call(vec![argument]));
                self.wrap(stmts, result)
            }
            _ => self.error(range),
        }
    }

    /// `value as to`, by a conversion operator.
    pub(crate) fn explicit_conversion(&mut self, value: ExprId, to: Ty, range: TextRange) -> Option<ExprId> {
        let arg = self.operand(value, self.is_built_in(value) && to.primitive(self.db).is_some());
        let picked = self.context().resolve_conversion(&arg, to)?;
        let picked = self.here_and_now(picked);
        let param = picked.params.first().copied()?;
        let (mut value, mut stmts) = (value, Vec::new());
        self.bind_nameless(&picked, std::slice::from_mut(&mut value), &mut stmts);
        let argument = self.convert(value, param, Why::Cast);
        let kind = ExprKind::Call {
            method: picked.method,
            dispatch: Dispatch::Static,
            receiver: None,
            class_args: picked.class_args.clone(),
            type_args: picked.type_args.clone(),
            args: vec![argument],
        };
        let call = self.alloc(kind, picked.result, range);
        let call = self.guarded(call, &picked, stmts);
        Some(if picked.result == to { call } else { self.convert(call, to, Why::Cast) })
    }

    // ---- messages

    /// Whether some of `methods` are one method that is declared twice, which is said there.
    fn are_duplicates(&self, name: &str, methods: &[MethodId]) -> bool {
        let db = self.db;
        let formals = |method: MethodId| -> Vec<Ty> {
            method_signature(db, method).params.iter().map(|it| erase(db, it.ty)).collect()
        };
        let is_twice = |(index, method): (usize, &MethodId)| {
            methods[..index]
                .iter()
                .any(|it| it.class(db) == method.class(db) && formals(*it) == formals(*method))
        };
        // Conversions differ in what they give.
        !name.starts_with("operator") && methods.iter().enumerate().any(is_twice)
    }

    fn is_unclear(&self, ty: Ty) -> bool {
        ty.mentions_error(self.db) || self.context().is_open(ty)
    }

    /// Whether a formal of a method that may be meant has an unknown type, which is said there.
    fn is_of_unknown_types(&self, failure: &Failure) -> bool {
        let mut methods: Box<dyn Iterator<Item = MethodId>> = match failure {
            Failure::NoneFits(all) => Box::new(all.iter().map(|it| it.method)),
            Failure::Ambiguous(all) => Box::new(all.iter().copied()),
            Failure::Unknown => return false,
        };
        methods.any(|it| has_unknown_formal(self.db, it))
    }

    /// Says why a call means no method.
    pub(crate) fn call_failed(
        &mut self,
        name: &str,
        failure: &Failure,
        receiver: Option<ExprId>,
        call: &Call,
    ) -> ExprId {
        let silent = call.args.iter().any(|&id| self.is_unclear(self.ty(id)))
            || self.is_of_unknown_types(failure)
            || call.type_args.iter().any(|ty| ty.mentions_error(self.db))
            || matches!(failure, Failure::Ambiguous(methods) if self.are_duplicates(name, methods));
        if silent {
            return self.error(call.range);
        }
        let shown = match name {
            "operator()" => "the application".to_owned(),
            "operator()=" => "the assignment of an element".to_owned(),
            "operator as" => "`operator as`".to_owned(),
            "operator implicit as" => "the implicit conversion".to_owned(),
            name => match name.strip_prefix("operator") {
                Some(operator) => format!("`operator {}`", operator.trim_start()),
                None => format!("`{name}`"),
            },
        };
        let diagnostic = match failure {
            Failure::Ambiguous(_) => type_rules::ambiguous_call::RULE
                .at(
                    call.at,
                    format!("{shown} means several methods, none of which is more specific than the others"),
                )
                .note("convert an argument with `as` to the type that the method you mean takes"),
            Failure::NoneFits(all) => match (&all[..], only_of_count(all)) {
                ([only], _) if self.refuse_place(only, receiver, call) => return self.error(call.range),
                ([only], _) | (_, Some(only)) => self.explain_only(&shown, only, call),
                _ => {
                    let types: Vec<String> =
                        call.args.iter().map(|&id| self.show(self.ty(id).base(self.db))).collect();
                    let message = format!("no form of {shown} takes ({})", types.join(", "));
                    type_rules::no_matching_call::RULE.at(call.at, message)
                }
            },
            Failure::Unknown => type_rules::no_matching_call::RULE
                .at(call.at, format!("there is nothing that {shown} could mean")),
        };
        let single =
            matches!(failure, Failure::NoneFits(all) if all.len() == 1 || only_of_count(all).is_some());
        // `println("x is", x)`
        let prints = matches!(name, "print" | "println") && call.args.len() > 1;
        let diagnostic = match prints {
            true => diagnostic.note("one value is printed: join text by `+`, or give `printf` a format"),
            false => diagnostic,
        };
        let notes = if single || prints { Vec::new() } else { failure.notes(self.db) };
        let diagnostic = notes.into_iter().fold(diagnostic, |d, note| d.note(note));
        let diagnostic = self.former_static(diagnostic, failure, name);
        let diagnostic = self.element_in_two(diagnostic, failure, call);
        self.report(diagnostic);
        self.error(call.range)
    }

    /// Says what X10 2.6 has in place of a static method of earlier versions that the library keeps for itself.
    fn former_static(&self, diagnostic: Diagnostic, failure: &Failure, name: &str) -> Diagnostic {
        let Failure::NoneFits(all) = failure else { return diagnostic };
        let class = all.first().map(|it| it.method.class(self.db).name(self.db));
        let advice = class.and_then(|class| crate::scope::outdated_names::static_advice(class, name));
        advice.into_iter().fold(diagnostic, Diagnostic::note)
    }

    /// One candidate: the message names the argument that does not fit.
    fn explain_only(&self, shown: &str, only: &Rejection, call: &Call) -> Diagnostic {
        let declared = crate::members::describe_method(self.db, only.method);
        let argument = match only.reason {
            Reason::Argument { index, expected, .. } => call.args.get(index).map(|&arg| (arg, expected)),
            _ => None,
        };
        match argument {
            Some((argument, expected)) => {
                let message =
                    format!("expected `{}`, found `{}`", self.show(expected), self.show(self.ty(argument)));
                let diagnostic = type_rules::mismatch::RULE
                    .at(self.range(argument), message)
                    .note(format!("it is an argument of `{declared}`"));
                let is_global =
                    Ty::this_type(self.db, only.method.class(self.db)).global_rail_element(self.db).is_some();
                let diagnostic = match is_global && self.ty(argument).base(self.db) == Ty::long(self.db) {
                    true => diagnostic.note(
                        "rails of other places are made by `CUDAUtilities.makeGlobalRail[T](place, size)`",
                    ),
                    false => diagnostic,
                };
                self.with_difference(diagnostic, argument, expected)
            }
            _ => {
                let diagnostic = type_rules::no_matching_call::RULE
                    .at(call.at, format!("{shown} does not fit: {}", only.reason.text(self.db)))
                    .note(format!("it is declared as `{declared}`"));
                if let Some(converted) = self.converted_by_name(&diagnostic, only, call) {
                    return converted;
                }
                let class = only.method.class(self.db);
                if crate::item_tree::items::qualified_name(self.db, class) == "x10.lang.CUDAConstantRail" {
                    return diagnostic.note(crate::suggest::CONSTANT_RAIL_NOTE);
                }
                if let Some(note) = self.held_elsewhere(only, call) {
                    return diagnostic.note(note);
                }
                if let Some(near) = self.seen_alike(only) {
                    return crate::infer::suggest::foreign_members::replaced(
                        diagnostic.note(format!("did you mean `{near}`?")),
                        call.at,
                        near,
                    );
                }
                match (&only.reason, self.maker(only.method)) {
                    (Reason::Hidden(..), Some(note)) => diagnostic.note(note),
                    _ => diagnostic,
                }
            }
        }
    }

    /// `h(p)` of a handle: what it stands for at another place is to be had there.
    fn held_elsewhere(&self, only: &Rejection, call: &Call) -> Option<&'static str> {
        let class = Ty::this_type(self.db, only.method.class(self.db));
        let [argument] = call.args[..] else { return None };
        let is_place = self.ty(argument).base(self.db) == Ty::place(self.db);
        let names_place = is_place && only.method.name(self.db) == "operator()";
        if names_place && class.is_known(self.db, Known::PlaceLocalHandle) {
            return Some(
                "`h()` is the object of this place; that of another is used there: `at (p) { ... h() ... }`",
            );
        }
        (names_place && class.is_known(self.db, Known::GlobalRef))
            .then_some("`g()` is the object, at the place where it lives: `at (g) { ... g() ... }`")
    }

    /// `Long(x)` as a conversion, which is `x as Long` of a number; text is read.
    fn converted_by_name(
        &self,
        diagnostic: &Diagnostic,
        only: &Rejection,
        call: &Call,
    ) -> Option<Diagnostic> {
        let [value] = call.args[..] else { return None };
        let to = Ty::this_type(self.db, only.method.class(self.db));
        let from = self.ty(value).base(self.db);
        let target = to.primitive(self.db)?;
        if self.is_string(from) {
            return self.with_making(diagnostic, value, to, call.range);
        }
        let from = from.primitive(self.db)?;
        if !target.is_number() || !(from.is_number() || from == Known::Char) {
            return None;
        }
        let source = self.source(self.range(value))?;
        let is_literal =
            source.starts_with(|c: char| c.is_ascii_digit()) && source.chars().all(char::is_alphanumeric);
        let mut text = if is_literal { source } else { crate::infer::suggest::conversion::operand(&source) };
        if from == Known::Char {
            let diagnostic = diagnostic.clone().note("the number of a character is `c.ord()`, an `Int`");
            text.push_str(".ord()");
            let text = if target == Known::Int { text } else { format!("({text} as {})", self.show(to)) };
            return Some(crate::infer::suggest::foreign_members::replaced(diagnostic, call.range, text));
        }
        let diagnostic = diagnostic.clone().note("numbers are converted by `as`");
        Some(crate::infer::suggest::foreign_members::replaced(
            diagnostic,
            call.range,
            format!("({text} as {})", self.show(to)),
        ))
    }

    /// A method that can be seen, and whose name differs in capital letters only from that of one that cannot.
    fn seen_alike(&self, only: &Rejection) -> Option<String> {
        let Reason::Hidden(class, _) = only.reason else { return None };
        let hidden = only.method.name(self.db);
        let alike = |it: &&MethodId| {
            let name = it.name(self.db);
            let item = method_item(self.db, **it);
            name != hidden
                && name.eq_ignore_ascii_case(hidden)
                && item.is_some_and(|it| self.context().can_access(class, it.modifiers))
        };
        let methods = crate::item_tree::items::methods(self.db, class);
        Some(methods.iter().find(alike)?.name(self.db).to_string())
    }

    /// The static method that makes objects of a class whose constructor cannot be seen.
    fn maker(&self, constructor: MethodId) -> Option<String> {
        let db = self.db;
        let class = constructor.class(db);
        let is_constructor = method_item(db, constructor).is_some_and(|it| it.kind.is_constructor());
        let makes = |method: &&MethodId| {
            method_is_static(db, **method)
                && method_item(db, **method).is_some_and(|it| self.context().can_access(class, it.modifiers))
        };
        if !is_constructor {
            return None;
        }
        let gives = |it: &&MethodId| {
            makes(it)
                && crate::signature::inferred::result_type(db, **it)
                    .as_class(db)
                    .is_some_and(|(of, _)| of == class)
        };
        let mut others = crate::item_tree::items::methods(db, class).iter().filter(gives);
        let found = own_methods(db, class, "make").iter().find(makes).or_else(|| others.next())?;
        Some(format!(
            "objects are made by `{}.{}`",
            class.name(db),
            crate::members::describe_method(db, *found)
        ))
    }
}

/// The only candidate that takes as many arguments as are given, if one of them keeps it from being called: it was meant. So was the only
/// one whose first two arguments fit, where the first fits no other.
fn only_of_count(all: &[Rejection]) -> Option<&Rejection> {
    let other_count =
        |it: &&Rejection| matches!(it.reason, Reason::Count(..) | Reason::TypeCount(..) | Reason::Hidden(..));
    let index = |it: &&Rejection| match it.reason {
        Reason::Argument { index, .. } => Some(index),
        _ => None,
    };
    let later: Vec<&Rejection> = all.iter().filter(|it| index(it) != Some(0) && !other_count(it)).collect();
    if let [only] = later[..]
        && index(&only).is_some_and(|it| it >= 2)
    {
        return Some(only);
    }
    let mut near = all.iter().filter(|it| !other_count(it));
    let only = near.next().filter(|it| matches!(it.reason, Reason::Argument { .. }))?;
    near.next().is_none().then_some(only)
}
