//! Method resolution (section 8.12 of the language specification): of the methods that a name may mean,
//! the applicable method that is more specific than all other applicable methods.

use super::access::{Visibility, visibility};
use super::candidates::Candidate;
use super::describe_method;
use super::unify::Inference;
use crate::constraint::Entailment;
use crate::db::Db;
use crate::ids::{ClassId, MethodId, TypeParamId};
use crate::item_tree::items::{method_is_static, method_item, method_type_param_ids, type_param_ids};
use crate::item_tree::nesting::all_type_params;
use crate::relate::Context;
use crate::relate::entailment::Question;
use crate::relate::subtype::Conversion;
use crate::signature::inferred::result_type;
use crate::signature::method_signature;
use crate::signature::supertypes::enclosing_args;
use crate::ty::guard::Guard;
use crate::ty::subst::Substitution;
use crate::ty::{Constraint, Path, Ty};

/// An argument of a call.
#[derive(Clone, Debug)]
pub struct Arg {
    /// Its type.
    pub ty: Ty,
    /// What it is in constraints, if it is a stable path or literal.
    pub path: Option<Path>,
    /// Whether the argument is known not to be `null`, whatever its type.
    pub not_null: bool,
}

impl Arg {
    /// An argument that has no path in constraints.
    pub fn of(ty: Ty) -> Arg {
        Arg { ty, path: None, not_null: false }
    }
}

impl Arg {
    /// Its type, constrained to exclude `null` if that is known and `wanted` has a constraint.
    fn known_type(&self, db: &dyn Db, wanted: Ty) -> Ty {
        let asked = self.not_null && wanted.constraint(db).is_some();
        if asked { self.ty.constrained(db, Constraint::not_null()) } else { self.ty }
    }
}

/// A resolved call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// The method.
    pub method: MethodId,
    /// The declaring type, as seen from the receiver's type.
    pub owner: Ty,
    /// The declaring class's type arguments.
    pub class_args: Vec<Ty>,
    /// The method's own type arguments, given or inferred.
    pub type_args: Vec<Ty>,
    /// The types of the formals, for this call.
    pub params: Vec<Ty>,
    /// The conversion of each argument to its formal's type.
    pub conversions: Vec<Conversion>,
    /// The type of the call.
    pub result: Ty,
    /// The terms of the guard that are not proved and must be checked at run time.
    pub unproved: Constraint,
    /// Whether one of those terms is refuted, so that the check must fail.
    pub is_refuted: bool,
}

/// Why method resolution failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// There is no method of that name.
    Unknown,
    /// No candidate is applicable.
    NoneFits(Vec<Rejection>),
    /// Several candidates are applicable and none is most specific.
    Ambiguous(Vec<MethodId>),
}

/// Why one candidate is not applicable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The method.
    pub method: MethodId,
    /// Why.
    pub reason: Reason,
}

/// The reason of a rejection. It is rendered as text only on demand, since most calls have inapplicable
/// candidates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It is declared in this class with this visibility and is not accessible here.
    Hidden(ClassId, Visibility),
    /// Number of arguments: expected, given.
    Count(usize, usize),
    /// Number of type arguments: expected, given.
    TypeCount(usize, usize),
    /// A type parameter that cannot be inferred from the arguments.
    Unknown(Option<TypeParamId>),
    /// The argument with this index does not convert to the type of the formal.
    Argument {
        /// The index.
        index: usize,
        /// Its type.
        found: Ty,
        /// The type of the formal.
        expected: Ty,
    },
    /// The first type is not a subtype of the second.
    NotSubtype(Ty, Ty),
    /// The two types are not the same.
    NotSame(Ty, Ty),
    /// The type has no zero.
    NoZero(Ty),
    /// The type is not a reference type.
    NoReference(Ty),
}

impl Reason {
    /// The reason as text, to follow the signature of the method.
    pub fn text(&self, db: &dyn Db) -> String {
        let shown = |ty: &Ty| ty.display(db).to_string();
        match self {
            Reason::Hidden(class, visibility) => {
                format!("it cannot be seen from here ({} `{}`)", visibility.text(), class.name(db))
            }
            Reason::Count(wanted, given) => count_message(*wanted, *given),
            Reason::TypeCount(wanted, given) => type_count_message(*wanted, *given),
            Reason::Unknown(param) => {
                let name = param.map_or("T", |p| p.name(db).as_str());
                format!(
                    "the type `{name}` does not follow from the arguments; write it in brackets before them"
                )
            }
            Reason::Argument { index, found, expected } => {
                format!("argument {} is `{}`, not `{}`", index + 1, shown(found), shown(expected))
            }
            Reason::NotSubtype(a, b) => format!("`{}` is not a subtype of `{}`", shown(a), shown(b)),
            Reason::NotSame(a, b) => format!("`{}` is not `{}`", shown(a), shown(b)),
            Reason::NoZero(ty) => match ty.as_param(db) {
                Some(param) => {
                    let name = param.name(db);
                    format!(
                        "`{name}` may have no zero value: ask for it by `{{{name} haszero}}` where `{name}` is declared"
                    )
                }
                None => format!("`{}` has no zero value (`haszero`)", shown(ty)),
            },
            Reason::NoReference(ty) => format!("`{}` is not a reference type (`isref`)", shown(ty)),
        }
    }
}

impl Resolution {
    /// Whether no run-time check is needed.
    pub fn is_certain(&self) -> bool {
        self.unproved.terms.is_empty() && self.conversions.iter().all(|conversion| !conversion.checked)
    }
}

/// Minimum and maximum number of candidates explained in a message.
const MIN_CANDIDATE_NOTES: usize = 3;
const MAX_CANDIDATE_NOTES: usize = 6;

impl Failure {
    /// One line for each candidate.
    pub fn notes(&self, db: &dyn Db) -> Vec<String> {
        match self {
            Failure::Unknown => Vec::new(),
            Failure::NoneFits(all) => {
                // Candidates with the right number of arguments come first, those with the most matching
                // first arguments in front.
                let is_far = |it: &&Rejection| match it.reason {
                    Reason::Hidden(..) => 2,
                    Reason::Count(..) | Reason::TypeCount(..) => 1,
                    _ => 0,
                };
                let mut shown: Vec<&Rejection> = all.iter().collect();
                let fitting = |it: &&Rejection| match it.reason {
                    Reason::Argument { index, .. } => index,
                    _ => 0,
                };
                shown.sort_by_key(|it| (is_far(it), std::cmp::Reverse(fitting(it))));
                if let [first, second, ..] = shown[..]
                    && is_far(&first) == 2
                    && first.method.name(db) == second.method.name(db)
                {
                    let name = first.method.name(db);
                    return vec![format!("no form of `{name}` can be used here: {}", first.reason.text(db))];
                }
                let near = shown.iter().filter(|it| is_far(it) == 0).count();
                let line = |r: &&Rejection| {
                    format!("`{}` does not fit: {}", describe_method(db, r.method), r.reason.text(db))
                };
                let mut notes: Vec<String> = shown
                    .iter()
                    .take(near.clamp(MIN_CANDIDATE_NOTES, MAX_CANDIDATE_NOTES))
                    .map(line)
                    .collect();
                let left = all.len() - notes.len();
                if left > 0 {
                    let forms = if left == 1 { "form" } else { "forms" };
                    notes.push(format!("{left} more {forms} with other arguments"));
                }
                notes
            }
            Failure::Ambiguous(all) => all
                .iter()
                .take(MAX_CANDIDATE_NOTES)
                .map(|m| format!("`{}` fits", describe_method(db, *m)))
                .collect(),
        }
    }
}

/// A call to resolve, besides its candidates.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// The path of the receiver in constraints.
    pub receiver: Option<&'a Path>,
    /// For a constructor call of an inner class: the class and path of the enclosing object, if it is
    /// written.
    pub around: Option<&'a (ClassId, Option<Path>)>,
    /// Type arguments, if given.
    pub type_args: &'a [Ty],
    /// Arguments.
    pub args: &'a [Arg],
    /// Whether the type arguments of the declaring class are to be inferred as well (`new C(x)`, `C.m(x)`).
    pub infer_class: bool,
}

/// An applicable candidate.
struct Fitting {
    candidate: Candidate,
    resolution: Resolution,
}

impl<'db> Context<'db> {
    /// Resolves the call `receiver.name[type_args](args)` of an instance or static method.
    pub fn resolve_method(
        &self,
        receiver: Ty,
        path: Option<&Path>,
        name: &str,
        type_args: &[Ty],
        args: &[Arg],
    ) -> Result<Resolution, Failure> {
        let candidates = self.methods_named(receiver, name);
        self.choose(&candidates, Call { receiver: path, around: None, type_args, args, infer_class: false })
    }

    /// Resolves the call `C.name[type_args](args)` of a static method.
    pub fn resolve_static(
        &self,
        class: Ty,
        name: &str,
        type_args: &[Ty],
        args: &[Arg],
    ) -> Result<Resolution, Failure> {
        let mut candidates = self.methods_named(class, name).into_owned();
        candidates.retain(|c| method_is_static(self.db, c.method));
        self.choose(&candidates, Call { receiver: None, around: None, type_args, args, infer_class: false })
    }

    /// Resolves the constructor of `new C[class_args](args)`; without `class_args` the type arguments are
    /// inferred.
    pub fn resolve_constructor(
        &self,
        class: ClassId,
        class_args: Option<&[Ty]>,
        args: &[Arg],
        around: Option<&(ClassId, Option<Path>)>,
    ) -> Result<Resolution, Failure> {
        let db = self.db;
        let owner = match class_args {
            Some(given) => Ty::class(db, class, given.to_vec()),
            None => {
                let own = type_param_ids(db, class).iter().map(|p| Ty::param(db, *p));
                let around = enclosing_args(db, class, self.class, None);
                Ty::class(db, class, own.chain(around).collect())
            }
        };
        let candidates: Vec<_> =
            self.constructors(class).iter().map(|m| Candidate { method: *m, owner }).collect();
        let infer_class = class_args.is_none() && !type_param_ids(db, class).is_empty();
        self.choose(&candidates, Call { receiver: None, around, type_args: &[], args, infer_class })
    }

    /// The applicable candidate that is more specific than all other applicable candidates. Candidates that
    /// need no implicit conversion and no run-time check come first.
    pub fn choose(&self, candidates: &[Candidate], call: Call<'_>) -> Result<Resolution, Failure> {
        if candidates.is_empty() {
            return Err(Failure::Unknown);
        }
        let mut rejections = Vec::new();
        let mut to_check = Vec::new();
        let mut to_fail = Vec::new();
        // The value of an argument of unknown type may need an implicit conversion.
        let first = call.args.iter().any(|arg| arg.ty.mentions_error(self.db));
        for implicit in [first, true] {
            let mut fitting = Vec::new();
            let mut checked = Vec::new();
            let mut refuted = Vec::new();
            rejections.clear();
            for candidate in candidates {
                match self.fit(*candidate, call, implicit) {
                    Ok(resolution) => {
                        let list = match resolution.is_refuted {
                            true => &mut refuted,
                            false if resolution.is_certain() => &mut fitting,
                            false => &mut checked,
                        };
                        list.push(Fitting { candidate: *candidate, resolution });
                    }
                    Err(rejection) => rejections.push(rejection),
                }
            }
            if !fitting.is_empty() {
                return self.most_specific(fitting, call, implicit);
            }
            to_check.push((checked, implicit));
            to_fail.push((refuted, implicit));
        }
        // A candidate that needs a run-time check is chosen only if no other candidate is applicable.
        for (fitting, implicit) in to_check.into_iter().chain(to_fail) {
            if !fitting.is_empty() {
                return self.most_specific(fitting, call, implicit);
            }
        }
        Err(Failure::NoneFits(rejections))
    }

    fn most_specific(
        &self,
        fitting: Vec<Fitting>,
        call: Call<'_>,
        implicit: bool,
    ) -> Result<Resolution, Failure> {
        let mut fitting = self.of_known_types(fitting, call)?;
        let beats =
            |a: &Fitting, b: &Fitting| self.is_more_specific(a.candidate, b.candidate, call, implicit);
        // A tournament finds the only possible winner of most calls in linear time; it is then compared with
        // all others.
        let first = (1..fitting.len()).fold(0, |a, b| if beats(&fitting[a], &fitting[b]) { a } else { b });
        let beats_all = |i: &usize| {
            let all = std::iter::once(first).chain(0..fitting.len());
            all.filter(|j| i != j).all(|j| beats(&fitting[*i], &fitting[j]))
        };
        let best: Vec<usize> = (0..fitting.len()).filter(beats_all).collect();
        match best.as_slice() {
            // Two methods of one class with the same argument types are ambiguous. Of two in different
            // classes, inherited along several paths, the nearest one, which is first, is chosen.
            [first, second, ..] if fitting[*first].candidate.owner == fitting[*second].candidate.owner => {
                Err(Failure::Ambiguous(best.iter().map(|i| fitting[*i].candidate.method).collect()))
            }
            [first, ..] => Ok(fitting.swap_remove(*first).resolution),
            [] => Err(Failure::Ambiguous(fitting.into_iter().map(|f| f.candidate.method).collect())),
        }
    }

    /// Removes the candidates that are applicable only because a formal has an unknown type, which is
    /// compatible with everything. The call is ambiguous if the results differ and an argument is of unknown
    /// type or may match the unknown formal; its value then has an unknown type, so no follow-up errors are
    /// reported.
    fn of_known_types(&self, fitting: Vec<Fitting>, call: Call<'_>) -> Result<Vec<Fitting>, Failure> {
        if fitting.len() < 2 {
            return Ok(fitting);
        }
        let db = self.db;
        let by_chance = |it: &Fitting| has_unknown_formal(db, it.candidate.method);
        let some_by_chance = fitting.iter().any(by_chance);
        let differ = fitting.iter().any(|it| it.resolution.result != fitting[0].resolution.result);
        let is_unknown = |arg: &Arg| {
            let ty = arg.ty;
            ty.mentions_error(db) || self.is_open(ty) || (some_by_chance && ty.is_null(db))
        };
        if differ && call.args.iter().any(is_unknown) {
            return Err(Failure::Ambiguous(fitting.into_iter().map(|it| it.candidate.method).collect()));
        }
        if !some_by_chance || fitting.iter().all(by_chance) {
            return Ok(fitting);
        }
        Ok(fitting.into_iter().filter(|it| !by_chance(it)).collect())
    }

    /// The type parameters to infer for a candidate.
    fn variables(&self, candidate: Candidate, call: Call<'_>) -> Vec<TypeParamId> {
        let db = self.db;
        let mut variables = Vec::new();
        if call.infer_class {
            variables
                .extend(candidate.owner.as_class(db).into_iter().flat_map(|(c, _)| type_param_ids(db, c)));
        }
        if call.type_args.is_empty() {
            variables.extend(method_type_param_ids(db, candidate.method));
        }
        variables
    }

    /// The resolution of the call to `candidate`, or the reason why it is not applicable.
    fn fit(&self, candidate: Candidate, call: Call<'_>, implicit: bool) -> Result<Resolution, Rejection> {
        let db = self.db;
        let Candidate { method, owner } = candidate;
        let signature = method_signature(db, method);
        let reject = |reason| Rejection { method, reason };
        self.check_access(method).map_err(reject)?;
        let count = signature.written_params().len();
        if count != call.args.len() {
            return Err(reject(Reason::Count(count, call.args.len())));
        }
        let own = method_type_param_ids(db, method);
        if !call.type_args.is_empty() && call.type_args.len() != own.len() {
            return Err(reject(Reason::TypeCount(own.len(), call.type_args.len())));
        }
        let (class, class_args) = owner.as_class(db).map_or((method.class(db), &[][..]), |(c, a)| (c, a));
        let mut types = match call.infer_class {
            true => {
                let own = type_param_ids(db, class).len().min(class_args.len());
                Substitution::types(all_type_params(db, class).get(own..).unwrap_or(&[]), &class_args[own..])
            }
            false => Substitution::class(db, class, class_args),
        };
        if !call.type_args.is_empty() {
            types = types.with_types(own, call.type_args);
        }
        let variables = self.variables(candidate, call);
        let mut inference = Inference::new(&variables);
        for (param, arg) in signature.params.iter().zip(call.args) {
            inference.add_subtype(self, arg.ty, types.apply(db, param.ty));
        }
        let Some(solution) = inference.solve(self) else {
            return Err(reject(Reason::Unknown(inference.first_unknown(db))));
        };
        let types = types.with_types(&variables, &solution);
        self.fit_arguments(candidate, call, types, implicit)
    }

    fn fit_arguments(
        &self,
        candidate: Candidate,
        call: Call<'_>,
        types: Substitution,
        implicit: bool,
    ) -> Result<Resolution, Rejection> {
        let db = self.db;
        let Candidate { method, owner } = candidate;
        let signature = method_signature(db, method);
        let mut params = Vec::new();
        let mut conversions = Vec::new();
        let paths: Vec<Option<Path>> = call.args.iter().map(|a| a.path.clone()).collect();
        let mut substitution = types.clone().with_paths(call.receiver.cloned(), paths);
        substitution.around = call.around.cloned();
        for (index, (param, arg)) in signature.params.iter().zip(call.args).enumerate() {
            let formal = substitution.apply(db, param.ty);
            let conversion = match implicit {
                true => self.convert(arg.known_type(db, formal), formal, arg.path.as_ref()),
                false => self.convert_directly(arg.known_type(db, formal), formal, arg.path.as_ref()),
            };
            let Some(conversion) = conversion else {
                let reason = Reason::Argument { index, found: arg.ty, expected: formal };
                return Err(Rejection { method, reason });
            };
            params.push(formal);
            conversions.push(conversion);
        }
        let reject = |reason| Rejection { method, reason };
        let condition = crate::signature::inferred::full_guard(db, method);
        let (unproved, is_refuted) =
            self.check_guard(&signature.guard, &condition, &substitution).map_err(reject)?;
        let class_params = owner.as_class(db).map_or(&[][..], |(c, _)| all_type_params(db, c));
        let apply_param = |p: &TypeParamId| types.apply(db, Ty::param(db, *p));
        let class_args: Vec<Ty> = class_params.iter().map(apply_param).collect();
        let own = method_type_param_ids(db, method);
        let type_args: Vec<Ty> = own.iter().map(apply_param).collect();
        let owner = match owner.as_class(db) {
            Some((class, _)) => Ty::class(db, class, class_args.clone()),
            None => owner,
        };
        let result = substitution.apply(db, result_type(db, method));
        Ok(Resolution {
            method,
            owner,
            class_args,
            type_args,
            params,
            conversions,
            result,
            unproved,
            is_refuted,
        })
    }

    fn check_access(&self, method: MethodId) -> Result<(), Reason> {
        match self.sees(method) {
            true => Ok(()),
            false => {
                let class = method.class(self.db);
                let modifiers = method_item(self.db, method).map(|it| it.modifiers).unwrap_or_default();
                Err(Reason::Hidden(class, visibility(self.db, class, modifiers)))
            }
        }
    }

    /// Whether the method is accessible here.
    pub(super) fn sees(&self, method: MethodId) -> bool {
        let modifiers = method_item(self.db, method).map_or_else(Default::default, |m| m.modifiers);
        self.can_access(method.class(self.db), modifiers)
    }

    /// Checks a guard. Returns the terms of `condition`, its part about values, that are not proved, and
    /// whether one of them is refuted. A condition on types that does not hold is an error.
    pub fn check_guard(
        &self,
        guard: &Guard,
        condition: &Constraint,
        substitution: &Substitution,
    ) -> Result<(Constraint, bool), Reason> {
        let db = self.db;
        for (a, b) in &guard.subtypes {
            let (a, b) = (substitution.apply(db, *a), substitution.apply(db, *b));
            if !self.is_subtype(a, b) {
                return Err(Reason::NotSubtype(a, b));
            }
        }
        for (a, b) in &guard.same {
            let (a, b) = (substitution.apply(db, *a), substitution.apply(db, *b));
            if !self.is_same(a, b) {
                return Err(Reason::NotSame(a, b));
            }
        }
        for ty in &guard.has_zero {
            let ty = substitution.apply(db, *ty);
            if !self.has_zero(ty) {
                return Err(Reason::NoZero(ty));
            }
        }
        for ty in &guard.is_ref {
            let ty = substitution.apply(db, *ty);
            if !self.has_null(ty) && !self.is_bounded(ty) {
                return Err(Reason::NoReference(ty));
            }
        }
        let mut unproved = Constraint::default();
        let mut is_refuted = false;
        for term in &condition.terms {
            let Some(term) = substitution.term(term) else {
                unproved.terms.push(term.clone());
                continue;
            };
            match self.decide(Question::default(), std::slice::from_ref(&term)) {
                Entailment::Proved => {}
                Entailment::Unknown => unproved.terms.push(term),
                Entailment::Refuted => {
                    is_refuted = true;
                    unproved.terms.push(term);
                }
            }
        }
        Ok((unproved, is_refuted))
    }

    /// Whether `a` is more specific than `b`: a call with arguments of the types of `a`'s formals could call
    /// `b`.
    fn is_more_specific(&self, a: Candidate, b: Candidate, call: Call<'_>, implicit: bool) -> bool {
        let db = self.db;
        let renamed = |c: Candidate, types: &mut Substitution| {
            if !call.infer_class {
                return;
            }
            // Two constructors share the type parameters of their class: those of `a` are renamed to fresh
            // ones.
            let params = c.owner.as_class(db).map_or(&[][..], |(class, _)| type_param_ids(db, class));
            for p in params {
                let fresh = TypeParamId::new(db, p.class(db), None, p.index(db) + 0x1000, p.name(db).clone());
                types.types.insert(*p, Ty::param(db, fresh));
            }
        };
        let substitution = |c: Candidate| {
            let mut types = Substitution { keep_paths: true, ..Substitution::default() };
            if let (false, Some((class, args))) = (call.infer_class, c.owner.as_class(db)) {
                types = Substitution::class(db, class, args);
            }
            let own = method_type_param_ids(db, c.method);
            if call.type_args.is_empty() { types } else { types.with_types(own, call.type_args) }
        };
        let mut of_a = substitution(a);
        renamed(a, &mut of_a);
        let given: Vec<Ty> =
            method_signature(db, a.method).params.iter().map(|p| of_a.apply(db, p.ty).base(db)).collect();
        let of_b = substitution(b);
        let wanted = &method_signature(db, b.method).params;
        let variables = self.variables(b, call);
        let mut inference = Inference::new(&variables);
        for (x, y) in given.iter().zip(wanted) {
            inference.add_subtype(self, *x, of_b.apply(db, y.ty));
        }
        let Some(solution) = inference.solve(self) else { return false };
        let of_b = of_b.with_types(&variables, &solution);
        given.iter().zip(wanted).all(|(x, y)| {
            let formal = of_b.apply(db, y.ty).base(db);
            match implicit {
                true => self.convert(*x, formal, None).is_some(),
                false => self.is_subtype(*x, formal),
            }
        })
    }
}

/// Whether a formal of a method has an unknown type, which is reported at its declaration.
pub(crate) fn has_unknown_formal(db: &dyn Db, method: MethodId) -> bool {
    method_signature(db, method).params.iter().any(|it| it.ty.mentions_error(db))
}

fn count_message(wanted: usize, given: usize) -> String {
    let given = are_given(given);
    match wanted {
        0 => format!("it takes no arguments, {given}"),
        1 => format!("it takes one argument, {given}"),
        _ => format!("it takes {wanted} arguments, {given}"),
    }
}

fn are_given(count: usize) -> String {
    match count {
        0 => "none is given".to_owned(),
        1 => "one is given".to_owned(),
        _ => format!("{count} are given"),
    }
}

fn type_count_message(wanted: usize, given: usize) -> String {
    match wanted {
        0 => "it takes no type arguments".to_owned(),
        1 => format!("it takes one type argument, {}", are_given(given)),
        _ => format!("it takes {wanted} type arguments, {}", are_given(given)),
    }
}
