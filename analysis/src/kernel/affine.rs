//! Indices as sums of variables with factors: `16n * y + x + 1n`.

use std::cell::Cell;

use rustc_hash::FxHashMap;

use super::draft::Draft;
use crate::body::{ExprId, ExprKind, Literal, LocalId};
use crate::infer::Owner;

/// So many parts of an index are looked at, and of the `val`s that it is made of.
const MOST_STEPS: u32 = 200;

/// A sum of variables, each with a factor that is not 0, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Affine {
    /// Variables and their factors, in the order of the variables.
    pub terms: Vec<(LocalId, i64)>,
    /// What is added.
    pub constant: i64,
}

impl Affine {
    fn of(constant: i64) -> Affine {
        Affine { terms: Vec::new(), constant }
    }

    /// The factor of a variable.
    pub fn factor(&self, local: LocalId) -> i64 {
        self.terms.iter().find(|term| term.0 == local).map_or(0, |term| term.1)
    }

    /// `self + factor * other`; none if a number gets too large.
    pub fn plus(&self, factor: i64, other: &Affine) -> Option<Affine> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (local, count) in &other.terms {
            let more = count.checked_mul(factor)?;
            match sum.terms.iter_mut().find(|term| term.0 == *local) {
                Some(term) => term.1 = term.1.checked_add(more)?,
                None => sum.terms.push((*local, more)),
            }
        }
        sum.terms.retain(|term| term.1 != 0);
        sum.terms.sort_by_key(|term| term.0.0);
        Some(sum)
    }

    fn times(&self, other: &Affine) -> Option<Affine> {
        match (self.terms.is_empty(), other.terms.is_empty()) {
            (true, _) => Affine::default().plus(self.constant, other),
            (_, true) => Affine::default().plus(other.constant, self),
            _ => None,
        }
    }
}

/// What is known of variables where an expression stands.
pub(super) struct Known<'f> {
    /// A variable that may be part of a sum.
    pub is_known: &'f dyn Fn(LocalId) -> bool,
    /// The numbers that variables have here.
    pub values: &'f FxHashMap<LocalId, i64>,
}

impl Draft<'_> {
    /// The sum that an integer expression is, of known variables; a `val` that is not known is looked into.
    pub(super) fn affine(&self, expr: ExprId, known: &Known) -> Option<Affine> {
        self.affine_within(expr, known, &Cell::new(MOST_STEPS))
    }

    fn affine_within(&self, expr: ExprId, known: &Known, steps: &Cell<u32>) -> Option<Affine> {
        steps.set(steps.get().checked_sub(1)?);
        let Known { is_known, values } = known;
        let of = |expr: ExprId| self.affine_within(expr, known, steps);
        match &self.expr(expr).kind {
            ExprKind::Literal(Literal::Int(value)) => Some(Affine::of(*value)),
            ExprKind::Local(local) if values.contains_key(local) => {
                values.get(local).copied().map(Affine::of)
            }
            ExprKind::Coerce { value } | ExprKind::Cast { value, .. } => of(*value),
            ExprKind::Let { result, .. } => of(*result),
            ExprKind::Local(local) if is_known(*local) => Some(match self.constant(expr) {
                Some(constant) => Affine::of(constant),
                None => Affine { terms: vec![(*local, 1)], constant: 0 },
            }),
            ExprKind::Local(local) if !self.local(*local).mutable => {
                // Variables may have had other values then.
                let before = Known { is_known, values: &FxHashMap::default() };
                self.affine_within(self.initialiser(*local)?, &before, steps)
            }
            ExprKind::StaticField(field) => {
                let body = self.facts.body_of(Owner::Field(*field));
                let mut literals = body.body.exprs.iter().filter_map(|it| match it.kind {
                    ExprKind::Literal(Literal::Int(value)) => Some(value),
                    _ => None,
                });
                let plain = |kind: &ExprKind| {
                    matches!(kind, ExprKind::Literal(_) | ExprKind::Coerce { .. } | ExprKind::Cast { .. })
                };
                let is_literal = body.body.exprs.iter().all(|it| plain(&it.kind));
                literals.next_back().filter(|_| is_literal).map(Affine::of)
            }
            ExprKind::Call { method, receiver, args, .. } if self.facts.is_pure(*method) => {
                let operands: Vec<Affine> =
                    receiver.iter().chain(args).map(|it| of(*it)).collect::<Option<_>>()?;
                let name = method.name(self.facts.db);
                match (name.strip_prefix("operator")?.trim(), &operands[..]) {
                    ("+", [a, b]) => a.plus(1, b),
                    ("-", [a, b]) => a.plus(-1, b),
                    ("*", [a, b]) => a.times(b),
                    ("-", [a]) => Affine::default().plus(-1, a),
                    (sign, [a, b]) if a.terms.is_empty() && b.terms.is_empty() => {
                        result(sign, a.constant, b.constant).map(Affine::of)
                    }
                    ("!" | "~", _) => None,
                    // Conversions between integer types, and `+a`.
                    (_, [a]) => Some(a.clone()),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// What an operator makes of two numbers, if that is the same for all types of 32 bits and more.
fn result(sign: &str, left: i64, right: i64) -> Option<i64> {
    let found = match sign {
        "/" => left.checked_div(right),
        "%" => left.checked_rem(right),
        ">>" if left >= 0 => (0..32).contains(&right).then(|| left >> right),
        "<<" if left >= 0 => (0..32).contains(&right).then(|| left.checked_mul(1 << right))?,
        "&" => Some(left & right),
        "|" => Some(left | right),
        "^" => Some(left ^ right),
        _ => None,
    };
    found.filter(|it| i32::try_from(*it).is_ok())
}
