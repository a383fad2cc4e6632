//! Resolution of operators and of conversions written with `as`.

use smol_str::SmolStr;

use super::candidates::Candidate;
use super::resolve::{Arg, Call, Failure, Resolution};
use crate::db::Db;
use crate::item_tree::MethodKind;
use crate::item_tree::items::{method_is_static, method_item, own_methods};
use crate::relate::Context;
use crate::relate::subtype::{Conversion, erase};
use crate::signature::inferred::result_type;
use crate::signature::method_signature;
use crate::ty::Ty;

/// The form of an operator declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorForm {
    /// `operator this + (x:T)`: the left operand is the receiver.
    Left,
    /// `operator (x:T) + this`: the right operand is the receiver.
    Right,
    /// A static operator: the operands are the arguments.
    Static,
}

/// A resolved operator expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorCall {
    /// The operator method; its conversions are those of the arguments, without the receiver.
    pub resolution: Resolution,
    /// Which operand is the receiver.
    pub form: OperatorForm,
    /// The conversion of the receiver to the declaring type.
    pub receiver: Conversion,
}

/// `left op right` for types without constraints, if neither the formals nor the result of the operator have
/// constraints. Cached, since it does not depend on the context.
#[salsa::tracked(cycle_initial = not_plain)]
pub fn plain_operator(db: &dyn Db, name: SmolStr, left: Ty, right: Ty) -> Option<OperatorCall> {
    let call = Context::global(db).resolve_binary(&name, &Arg::of(left), &Arg::of(right)).ok()?;
    let found = &call.resolution;
    let signature = method_signature(db, found.method);
    let types = signature.params.iter().map(|param| param.ty).chain([result_type(db, found.method)]);
    let plain = found.unproved.terms.is_empty() && types.into_iter().all(|ty| ty == erase(db, ty));
    plain.then_some(call)
}

fn not_plain(_db: &dyn Db, _id: salsa::Id, _name: SmolStr, _left: Ty, _right: Ty) -> Option<OperatorCall> {
    None
}

impl<'db> Context<'db> {
    /// Resolves `left op right`; `name` is `operator+` and the like. The operands are tried as they are, then
    /// with an implicit conversion of one of them to the other's type.
    pub fn resolve_binary(&self, name: &str, left: &Arg, right: &Arg) -> Result<OperatorCall, Failure> {
        let mut failure = Failure::Unknown;
        for implicit in [false, true] {
            match self.binary(name, left, right, implicit) {
                Ok(call) => return Ok(call),
                Err(Failure::Unknown) => {}
                Err(other) => failure = other,
            }
            if matches!(failure, Failure::Ambiguous(_)) {
                return Err(failure);
            }
        }
        // Convert one operand to the other's type.
        let mut found = Vec::new();
        for (from, to, is_left) in [(left, right, true), (right, left, false)] {
            let to = Arg { ty: to.ty.base(self.db), ..to.clone() };
            let Some(conversion) = self.convert_implicitly(from.ty, to.ty) else { continue };
            let from = Arg::of(to.ty);
            let call = if is_left {
                self.binary(name, &from, &to, false)
            } else {
                self.binary(name, &to, &from, false)
            };
            let Ok(mut call) = call else { continue };
            let slot = match (call.form, is_left) {
                (OperatorForm::Left, true) | (OperatorForm::Right, false) => Some(&mut call.receiver),
                (OperatorForm::Static, false) => call.resolution.conversions.get_mut(1),
                _ => call.resolution.conversions.get_mut(0),
            };
            if let Some(slot) = slot {
                *slot = conversion;
            }
            found.push(call);
        }
        match found.len() {
            0 => Err(failure),
            1 => Ok(found.remove(0)),
            _ => Err(Failure::Ambiguous(found.iter().map(|c| c.resolution.method).collect())),
        }
    }

    /// Tries instance operators of the left operand, right-hand operators of the right operand, and static
    /// operators of both.
    fn binary(&self, name: &str, left: &Arg, right: &Arg, implicit: bool) -> Result<OperatorCall, Failure> {
        let db = self.db;
        let kind = |c: &Candidate| method_item(db, c.method).map(|m| m.kind);
        let of_left = self.methods_named(left.ty, name);
        let of_right = self.methods_named(right.ty, name);
        let is_static =
            |c: &&Candidate| method_is_static(db, c.method) && kind(c) == Some(MethodKind::Binary);
        let mut statics: Vec<Candidate> = of_left.iter().filter(is_static).copied().collect();
        statics.extend(
            of_right.iter().filter(is_static).filter(|c| !statics.contains(c)).copied().collect::<Vec<_>>(),
        );
        let instance: Vec<Candidate> = of_left
            .iter()
            .filter(|c| kind(c) == Some(MethodKind::Binary) && !method_is_static(db, c.method))
            .copied()
            .collect();
        let reversed: Vec<Candidate> =
            of_right.iter().filter(|c| kind(c) == Some(MethodKind::BinaryRight)).copied().collect();
        let groups = [
            (OperatorForm::Left, instance, vec![right.clone()], left),
            (OperatorForm::Right, reversed, vec![left.clone()], right),
            (OperatorForm::Static, statics, vec![left.clone(), right.clone()], left),
        ];
        let mut found: Vec<OperatorCall> = Vec::new();
        let mut rejections = Vec::new();
        for (form, candidates, args, receiver) in groups {
            let call = Call {
                receiver: receiver.path.as_ref(),
                around: None,
                type_args: &[],
                args: &args,
                infer_class: false,
            };
            match self.choose_operator(&candidates, call, implicit) {
                Ok(resolution) => {
                    let conversion = self.convert_directly(receiver.ty, resolution.owner, None);
                    let receiver = conversion.filter(|_| form != OperatorForm::Static).unwrap_or_default();
                    found.push(OperatorCall { resolution, form, receiver });
                }
                Err(Failure::NoneFits(more)) => rejections.extend(more),
                Err(Failure::Ambiguous(all)) => return Err(Failure::Ambiguous(all)),
                Err(Failure::Unknown) => {}
            }
        }
        match found.len() {
            0 if rejections.is_empty() => Err(Failure::Unknown),
            0 => Err(Failure::NoneFits(rejections)),
            1 => Ok(found.remove(0)),
            _ => self.best_operator(found),
        }
    }

    /// Among operators of different forms, the one whose operand types are subtypes of the others' on both
    /// sides.
    fn best_operator(&self, mut found: Vec<OperatorCall>) -> Result<OperatorCall, Failure> {
        let operands = |call: &OperatorCall| {
            let owner = call.resolution.owner;
            let params = &call.resolution.params;
            match call.form {
                OperatorForm::Left => [owner, params[0]],
                OperatorForm::Right => [params[0], owner],
                OperatorForm::Static => [params[0], params[1]],
            }
        };
        let beats = |a: &OperatorCall, b: &OperatorCall| {
            let (a, b) = (operands(a), operands(b));
            self.is_subtype(a[0], b[0]) && self.is_subtype(a[1], b[1])
        };
        let best =
            (0..found.len()).find(|i| (0..found.len()).all(|j| *i == j || beats(&found[*i], &found[j])));
        match best {
            Some(best) => Ok(found.swap_remove(best)),
            None => Err(Failure::Ambiguous(found.iter().map(|c| c.resolution.method).collect())),
        }
    }

    fn choose_operator(
        &self,
        candidates: &[Candidate],
        call: Call<'_>,
        implicit: bool,
    ) -> Result<Resolution, Failure> {
        let chosen = self.choose(candidates, call)?;
        // `choose` also tries implicit conversions; the first round excludes them.
        if !implicit && chosen.conversions.iter().any(|c| c.implicit.is_some()) {
            return Err(Failure::Unknown);
        }
        Ok(chosen)
    }

    /// Resolves `op operand`.
    pub fn resolve_unary(&self, name: &str, operand: &Arg) -> Result<OperatorCall, Failure> {
        let db = self.db;
        let mut candidates = self.methods_named(operand.ty, name).into_owned();
        candidates.retain(|c| method_item(db, c.method).is_some_and(|m| m.kind == MethodKind::Unary));
        let (statics, instance): (Vec<_>, Vec<_>) =
            candidates.into_iter().partition(|c| method_is_static(db, c.method));
        let path = operand.path.as_ref();
        let call = |args| Call { receiver: path, around: None, type_args: &[], args, infer_class: false };
        let found = self.choose(&instance, call(&[])).map(|resolution| {
            let receiver = self.convert_directly(operand.ty, resolution.owner, None).unwrap_or_default();
            OperatorCall { resolution, form: OperatorForm::Left, receiver }
        });
        let args = [operand.clone()];
        found.or_else(|failure| match self.choose(&statics, call(&args)) {
            Ok(resolution) => {
                Ok(OperatorCall { resolution, form: OperatorForm::Static, receiver: Conversion::default() })
            }
            Err(Failure::Unknown) => Err(failure),
            Err(other) => Err(other),
        })
    }

    /// The conversion operator called by `value as to`, if any: an `as` operator of the target's or the
    /// source's class, else an implicit conversion operator.
    pub fn resolve_conversion(&self, value: &Arg, to: Ty) -> Option<Resolution> {
        let db = self.db;
        let target = to.as_class(db);
        let source = value.ty.as_class(db).filter(|(c, _)| target.is_none_or(|(t, _)| t != *c));
        for name in ["operator as", "operator implicit as"] {
            for (class, args) in target.into_iter().chain(source) {
                let owner = Ty::class(db, class, args.to_vec());
                let candidates: Vec<Candidate> =
                    own_methods(db, class, name).iter().map(|m| Candidate { method: *m, owner }).collect();
                let fits = |c: &Candidate| {
                    let args = std::slice::from_ref(value);
                    let call =
                        Call { receiver: None, around: None, type_args: &[], args, infer_class: false };
                    let resolution = self.choose(std::slice::from_ref(c), call).ok()?;
                    let direct = resolution.conversions.iter().all(|c| c.implicit.is_none());
                    (direct && self.is_subtype(resolution.result, to)).then_some(resolution)
                };
                let mut fitting: Vec<Resolution> = candidates.iter().filter_map(fits).collect();
                if !fitting.is_empty() {
                    let narrowest = (0..fitting.len()).find(|i| {
                        let first = |r: &Resolution| r.params.first().copied();
                        let mine = first(&fitting[*i]);
                        fitting.iter().all(|r| match (mine, first(r)) {
                            (Some(a), Some(b)) => self.is_subtype(a, b),
                            _ => true,
                        })
                    });
                    return Some(fitting.swap_remove(narrowest.unwrap_or(0)));
                }
            }
        }
        None
    }
}
