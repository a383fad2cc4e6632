//! Overload resolution of calls (X10 specification, "Method resolution"), and the report of calls without a
//! method.

use std::borrow::Cow;

use apg_syntax::TextRange;
use smol_str::{SmolStr, format_smolstr};

use crate::body::{Dispatch, ExprId, ExprKind};
use crate::ids::{ClassId, MethodId};
use crate::infer::context::Infer;
use crate::infer::expr::convert::ConversionSite;
use crate::item_tree::items::{method_is_static, method_item, own_methods};
use crate::members::operators::{OperatorCall, OperatorForm, plain_operator};
use crate::members::resolve::has_unknown_formal;
use crate::members::{Arg, Candidate, Failure, Reason, Rejection, Resolution};
use crate::relate::subtype::erase;
use crate::rules::r#type::ambiguous_call::AmbiguousCall;
use crate::rules::r#type::mismatch::Mismatch;
use crate::rules::r#type::mismatch::NeededAs;
use crate::rules::r#type::no_matching_call::NoMatchingCall;
use crate::rules::r#type::no_matching_call::Rejected;
use crate::signature::method_signature;
use crate::ty::{Path, Ty};

/// The method that overload resolution chose for a call.
pub(crate) type CallTarget = Resolution;

/// A call that is being typed.
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

    /// Resolves a call; `receiver` is the path of the receiver.
    pub(crate) fn resolve_call(
        &mut self,
        candidates: &[Candidate],
        receiver: Option<&Path>,
        call: &Call,
    ) -> Result<CallTarget, Failure> {
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

    /// As [`Infer::resolve_call`], but an ambiguity between static and instance methods (such as a unary
    /// operator of a class and a binary one of its objects) is resolved by the receiver: static methods for a
    /// type, others for an object.
    pub(crate) fn resolve_call_of(
        &mut self,
        candidates: &[Candidate],
        receiver: Option<&Path>,
        call: &Call,
        of_type: bool,
    ) -> Result<CallTarget, Failure> {
        let found = self.resolve_call(candidates, receiver, call);
        if !matches!(found, Err(Failure::Ambiguous(_))) {
            return found;
        }
        let is_of_it = |it: &&Candidate| method_is_static(self.db, it.method) == of_type;
        let own: Vec<Candidate> = candidates.iter().filter(is_of_it).copied().collect();
        self.resolve_call(&own, receiver, call).or(found)
    }

    pub(crate) fn resolve_constructor(
        &mut self,
        class: ClassId,
        given: Option<Vec<Ty>>,
        outer: Option<ExprId>,
        call: &Call,
    ) -> Result<CallTarget, Failure> {
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

    /// Replaces `here` in the resolved signature by the place of the call.
    fn here_and_now(&self, mut picked: CallTarget) -> CallTarget {
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
        // Operators of built-in types have no constraints on their operands.
        let built_in = self.is_built_in(left) && self.is_built_in(right);
        if built_in && let Some(call) = self.built_in_operator(&name, left, right) {
            return Ok(self.operator_call(call, vec![left, right], range));
        }
        let (a, b) = (self.operand(left, built_in), self.operand(right, built_in));
        let call = self.context().resolve_binary(&name, &a, &b)?;
        Ok(self.operator_call(call, vec![left, right], range))
    }

    /// The operator, if it is determined by the operands' types without constraints, as for nearly all uses.
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
            self.name_value(id);
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
        self.bind_skolems(&picked, std::slice::from_mut(&mut value), &mut stmts);
        let argument = self.convert(value, param, ConversionSite::Cast);
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
        Some(if picked.result == to { call } else { self.convert(call, to, ConversionSite::Cast) })
    }

    // ---- messages

    /// Whether some of `methods` are one method declared twice, which is reported at the declaration.
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

    /// Whether a candidate has a formal of unknown type, which is reported at its declaration.
    fn is_of_unknown_types(&self, failure: &Failure) -> bool {
        let mut methods: Box<dyn Iterator<Item = MethodId>> = match failure {
            Failure::NoneFits(all) => Box::new(all.iter().map(|it| it.method)),
            Failure::Ambiguous(all) => Box::new(all.iter().copied()),
            Failure::Unknown => return false,
        };
        methods.any(|it| has_unknown_formal(self.db, it))
    }

    /// Reports why a call has no method.
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
        let name = SmolStr::new(name);
        let args = call.args.clone();
        match failure {
            Failure::Ambiguous(methods) => {
                let methods = methods.clone();
                self.report_at(call.at, AmbiguousCall { name, methods });
            }
            Failure::NoneFits(all) => match (&all[..], only_of_count(all)) {
                ([only], _) if self.refuse_place(only, receiver, call) => {}
                ([only], _) | (_, Some(only)) => self.report_only(name, only, failure, call),
                _ => {
                    let problem = NoMatchingCall::NoForm { name, failure: failure.clone(), args };
                    self.report_at(call.at, problem);
                }
            },
            Failure::Unknown => self.report_at(call.at, NoMatchingCall::Unknown { name }),
        }
        self.error(call.range)
    }

    /// Reports the only candidate that was meant, and its argument that does not fit.
    fn report_only(&mut self, name: SmolStr, only: &Rejection, failure: &Failure, call: &Call) {
        if let Reason::Argument { index, expected, .. } = only.reason
            && let Some(&argument) = call.args.get(index)
        {
            let difference = self.difference(argument, expected);
            let args = call.args.clone();
            let needed_as = NeededAs::Argument { of: only.method, name, failure: failure.clone(), args };
            return self.report_at(self.range(argument), Mismatch::Value { difference, needed_as });
        }
        let rejected = Rejected {
            name,
            only: only.clone(),
            failure: failure.clone(),
            args: call.args.clone(),
            call: call.range,
            similar: self.seen_alike(only),
            maker: self.maker(only.method),
        };
        self.report_at(call.at, NoMatchingCall::Rejected(Box::new(rejected)));
    }

    /// A visible method whose name differs from the rejected one in capital letters only.
    fn seen_alike(&self, only: &Rejection) -> Option<SmolStr> {
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
        Some(methods.iter().find(alike)?.name(self.db).clone())
    }

    /// The static method that makes objects of a class whose constructor cannot be seen.
    fn maker(&self, constructor: MethodId) -> Option<MethodId> {
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
        own_methods(db, class, "make").iter().find(makes).or_else(|| others.next()).copied()
    }
}

/// The candidate that was probably meant: the only one with this number of arguments, rejected for one of
/// them; or the only one whose first two arguments fit, if the first fits no other.
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
