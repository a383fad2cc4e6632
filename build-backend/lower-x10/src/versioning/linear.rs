//! Affine indices: sums of induction variables times invariant factors, and an invariant offset.
//!
//! The program computes an index modulo 2^64, and so do the ends of its range here. They are right if the
//! true range is shorter than 2^64; the bounds guard then tests that they are in order. For one variable with
//! factor 1 this always holds. For several variables or other factors, guards test that variables and factors
//! are small.

use apg_analysis::program::body::{ExprId, ExprKind as Source};

use super::nest::LoopScan;
use super::{CountedLoop, compare, sum};
use crate::builder::function::Builder;
use crate::builder::operands::{int, operation};
use apg_mir::{self as mir, ExprKind, Operation};

/// Limit of variables and factors where several terms or factors other than 1 occur.
const MAX_FACTOR: i64 = 1 << 30;
/// Number of terms whose sum cannot overflow within [`MAX_FACTOR`].
const MAX_TERMS: usize = 4;

/// An induction variable, negated if `negative`, times `scale` if there is one.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub axis: usize,
    negative: bool,
    scale: Option<mir::Expr>,
}

/// A sum of terms and an offset.
#[derive(Clone, Debug, Default)]
pub(super) struct Linear {
    pub terms: Vec<Term>,
    offset: Option<mir::Expr>,
    guards: Vec<mir::Expr>,
}

impl Linear {
    fn constant(value: mir::Expr, guards: Vec<mir::Expr>) -> Linear {
        Linear { terms: Vec::new(), offset: Some(value), guards }
    }

    /// A coordinate of the loop's point.
    fn coordinate(counted: &CountedLoop, axis: usize) -> Option<Linear> {
        let outer = &counted.point.as_ref()?.outer;
        match outer.get(axis) {
            Some(value) => Some(Linear::constant(value.clone(), Vec::new())),
            None if axis - outer.len() < counted.axes_of_point => {
                let terms = vec![Term { axis: axis - outer.len(), negative: false, scale: None }];
                Some(Linear { terms, ..Linear::default() })
            }
            None => None,
        }
    }

    fn add(mut self, other: Linear) -> Option<Linear> {
        self.terms.extend(other.terms);
        self.guards.extend(other.guards);
        self.offset = match (self.offset, other.offset) {
            (Some(a), Some(b)) => Some(sum(a, b)),
            (a, b) => a.or(b),
        };
        (self.terms.len() <= MAX_TERMS).then_some(self)
    }

    fn negate(mut self) -> Linear {
        self.terms.iter_mut().for_each(|term| term.negative = !term.negative);
        self.offset = self.offset.map(|it| operation(Operation::Neg, mir::Ty::I64, vec![it]));
        self
    }

    /// A product. One factor must be invariant.
    fn multiply(self, other: Linear) -> Option<Linear> {
        let (mut sum, factor) = if other.terms.is_empty() { (self, other) } else { (other, self) };
        if !factor.terms.is_empty() {
            return None;
        }
        let value = factor.offset?;
        let times = |it: mir::Expr| operation(Operation::Mul, mir::Ty::I64, vec![it, value.clone()]);
        for term in &mut sum.terms {
            let mut scale = match term.scale.take() {
                Some(scale) => times(scale),
                None => value.clone(),
            };
            if let ExprKind::Int(number @ ..0) = scale.kind {
                scale = int(mir::Ty::I64, number.wrapping_neg());
                term.negative = !term.negative;
            }
            term.scale = Some(scale);
        }
        sum.offset = sum.offset.map(times);
        sum.guards.extend(factor.guards);
        Some(sum)
    }

    /// Smallest and largest value over all iterations. Conditions under which they are right are added to the
    /// guards.
    pub(super) fn interval(
        self,
        scan: &LoopScan,
        tests: &mut Vec<mir::Expr>,
    ) -> Option<(mir::Expr, mir::Expr)> {
        tests.extend(self.guards);
        let single = self.terms.len() < 2 && self.terms.iter().all(|term| term.scale.is_none());
        let mut ends = (self.offset.clone(), self.offset);
        let add = |end: Option<mir::Expr>, value: mir::Expr| match end {
            Some(end) => Some(sum(value, end)),
            None => Some(value),
        };
        for term in self.terms {
            let axis = &scan.counted.axes[term.axis];
            tests.extend(axis.tests.iter().cloned());
            let (mut low, mut high) = (axis.low.clone(), axis.high.clone());
            if !single {
                tests.extend(small(&low, &high));
            }
            if let Some(scale) = term.scale {
                tests.push(compare(Operation::Ge, &scale, int(mir::Ty::I64, 0)));
                tests.push(compare(Operation::Le, &scale, int(mir::Ty::I64, MAX_FACTOR)));
                let times = |it| operation(Operation::Mul, mir::Ty::I64, vec![it, scale.clone()]);
                (low, high) = (times(low), times(high));
            }
            if term.negative {
                let minus = |it| operation(Operation::Neg, mir::Ty::I64, vec![it]);
                (low, high) = (minus(high), minus(low));
            }
            ends = (add(ends.0, low), add(ends.1, high));
        }
        Some((ends.0?, ends.1?))
    }

    /// Smallest and largest value as the range of another variable, where they must not wrap.
    pub(super) fn bound(
        mut self,
        scan: &LoopScan,
        tests: &mut Vec<mir::Expr>,
    ) -> Option<(mir::Expr, mir::Expr)> {
        if let [term] = self.terms.as_slice() {
            if term.scale.is_some() {
                return None;
            }
            let axis = &scan.counted.axes[term.axis];
            // First tests that the objects exist that offset and ends are read from: the loop may never be
            // reached.
            tests.append(&mut self.guards);
            tests.extend(axis.tests.iter().cloned());
            tests.extend(small(&axis.low, &axis.high));
            if let Some(offset) = &self.offset {
                tests.extend(small(offset, offset));
            }
        } else if !self.terms.is_empty() {
            return None;
        }
        self.interval(scan, tests)
    }
}

/// The condition that both ends are small numbers.
pub(super) fn small(low: &mir::Expr, high: &mir::Expr) -> [mir::Expr; 2] {
    [
        compare(Operation::Ge, low, int(mir::Ty::I64, -MAX_FACTOR)),
        compare(Operation::Le, high, int(mir::Ty::I64, MAX_FACTOR)),
    ]
}

impl Builder<'_, '_> {
    /// The affine form of a Long.
    pub(super) fn linear(&mut self, id: ExprId, scan: &LoopScan, depth: u32) -> Option<Linear> {
        self.linear_of(id, scan, depth, mir::Ty::I64)
    }

    /// The affine form of a Long, or of an Int whose terms are computed as Longs.
    fn linear_of(&mut self, id: ExprId, scan: &LoopScan, depth: u32, ty: mir::Ty) -> Option<Linear> {
        if depth > 12 {
            return None;
        }
        let body = self.source.body.clone();
        match &body.expr(id).kind {
            Source::Local(local) => match (scan.axis(*local), scan.values.get(local)) {
                (Some(axis), _) => {
                    let terms = vec![Term { axis, negative: false, scale: None }];
                    Some(Linear { terms, ..Linear::default() })
                }
                (None, Some(value)) => self.linear_of(*value, scan, depth + 1, ty),
                (None, None) => self.invariant_number(id, scan),
            },
            Source::Coerce { value } => self.linear_of(*value, scan, depth + 1, ty),
            Source::Call { .. } if ty == mir::Ty::I64 && self.counted_coordinate(id, scan).is_some() => {
                self.counted_coordinate(id, scan)
            }
            Source::Call { receiver, args, method, .. } if self.number(id) == Some(ty) => {
                let operands: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
                let name = self.lowerer.intrinsic(*method);
                let mut of = |it: ExprId| self.linear_of(it, scan, depth + 1, ty);
                match (name.as_deref(), operands.as_slice()) {
                    (Some("op.convert"), [value]) if ty == mir::Ty::I64 => {
                        self.converted(*value, scan, depth + 1)
                    }
                    (Some("op.neg"), [a]) => Some(of(*a)?.negate()),
                    (Some("op.add"), [a, b]) => of(*a)?.add(of(*b)?),
                    (Some("op.sub"), [a, b]) => of(*a)?.add(of(*b)?.negate()),
                    (Some("op.mul"), [a, b]) => of(*a)?.multiply(of(*b)?),
                    _ => None,
                }
            }
            _ => self.invariant_number(id, scan),
        }
    }

    /// `p(1)` of the loop's point, or of the point of an enclosing loop.
    fn counted_coordinate(&self, id: ExprId, scan: &LoopScan) -> Option<Linear> {
        let (local, axis) = self.coordinate_of(id)?;
        match &scan.counted.point {
            Some(point) if point.local == local => Linear::coordinate(&scan.counted, axis),
            _ => self.known_coordinate(id).map(|it| Linear::constant(it, Vec::new())),
        }
    }

    /// All coordinates of such a point.
    pub(super) fn coordinates(
        &self,
        array: ExprId,
        point: ExprId,
        rank: usize,
        scan: &LoopScan,
    ) -> Option<Vec<Linear>> {
        match &scan.counted.point {
            Some(counted) if self.index_local(array, point) == Some(counted.local) => {
                (0..rank).map(|axis| Linear::coordinate(&scan.counted, axis)).collect()
            }
            _ => {
                let known = self.known_coordinates(array, point)?;
                Some(known.into_iter().map(|it| Linear::constant(it, Vec::new())).collect())
            }
        }
    }

    /// The affine form of an Int as a Long. Int arithmetic wraps at 32 bits: guards test that the result
    /// fits.
    pub(super) fn converted(&mut self, value: ExprId, scan: &LoopScan, depth: u32) -> Option<Linear> {
        if self.number(value) != Some(mir::Ty::I32) {
            return None;
        }
        if let Some(fixed) = self.invariant_number(value, scan) {
            return Some(fixed);
        }
        let mut sum = self.linear_of(value, scan, depth, mir::Ty::I32)?;
        if let ([Term { negative: false, scale: None, .. }], None) = (sum.terms.as_slice(), &sum.offset) {
            return Some(sum);
        }
        let mut tests = Vec::new();
        let (least, greatest) = sum.clone().interval(scan, &mut tests)?;
        // The 64-bit ends may have wrapped as well. If they are within 32 bits and in order, they have not.
        tests.push(compare(Operation::Le, &least, greatest.clone()));
        tests.push(compare(Operation::Ge, &least, int(mir::Ty::I64, i32::MIN.into())));
        tests.push(compare(Operation::Le, &greatest, int(mir::Ty::I64, i32::MAX.into())));
        sum.guards = tests;
        Some(sum)
    }

    /// The affine form of an invariant Long or Int.
    fn invariant_number(&mut self, id: ExprId, scan: &LoopScan) -> Option<Linear> {
        let super::Invariant { value, guards } = self.invariant(id, scan, 0)?;
        let known = matches!(value.ty, mir::Ty::I64 | mir::Ty::I32);
        known.then(|| Linear::constant(super::long(&value), guards))
    }
}
