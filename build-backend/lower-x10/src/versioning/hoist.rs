//! Loop-invariant code motion of rails in rails: the rail `rows(i)` of `rows(i)(j)` is loaded once before an
//! innermost loop.
//!
//! Nothing in the loop may store another rail there. The unchecked version uses the loaded rail whatever
//! other activities do.

use apg_analysis::program::body::Node;
use apg_analysis::program::body::{ExprId, ExprKind as Source};

use super::nest::LoopScan;
use super::{Invariant, and, compare, not_null};
use crate::builder::function::Builder;
use crate::builder::operands::{expr, int};
use apg_mir::{self as mir, ExprKind, Operation};

impl Builder<'_, '_> {
    /// The local that holds a rail in a rail in the unchecked version of a loop.
    pub(crate) fn hoisted_rail(&self, id: ExprId) -> Option<mir::LocalId> {
        self.hoisted.iter().find(|(known, _)| *known == id).map(|(_, local)| *local)
    }

    /// Loads a rail that is an element of another rail before the loop: null if the element does not exist.
    pub(super) fn hoist(&mut self, id: ExprId, scan: &mut LoopScan) -> Option<mir::LocalId> {
        if !scan.calm {
            return None;
        }
        let body = self.source.body.clone();
        // The same rail as the operand saved by a compound assignment.
        let mut access = id;
        loop {
            access = match &body.expr(access).kind {
                Source::Coerce { value } => *value,
                Source::Local(local) => *scan.values.get(local)?,
                _ => break,
            };
        }
        if let Some((_, local)) = scan.hoisted.iter().find(|(known, _)| *known == access) {
            return Some(*local);
        }
        let Source::Call { method, receiver: Some(receiver), args, .. } = &body.expr(access).kind else {
            return None;
        };
        let ty = self.type_of(access);
        let is_rail = ty.rail_element(self.lowerer.db).is_some();
        if !is_rail || self.lowerer.intrinsic(*method)? != "rail.get" {
            return None;
        }
        let [index] = args.as_slice() else { return None };
        let (rail, mut guards) = match self.hoist(*receiver, scan) {
            Some(local) => (self.local(local), Vec::new()),
            None => {
                let Invariant { value, guards } = self.invariant(*receiver, scan, 0)?;
                (value, guards)
            }
        };
        let index = self.invariant(*index, scan, 0)?;
        if index.value.ty != mir::Ty::I64 {
            return None;
        }
        guards.push(not_null(&rail));
        guards.extend(index.guards);
        let index = index.value;
        let length = expr(mir::Ty::I64, ExprKind::Length { rail: Box::new(rail.clone()), checked: false });
        guards.push(compare(Operation::Ge, &index, int(mir::Ty::I64, 0)));
        guards.push(compare(Operation::Lt, &index, length));
        let machine = self.lowerer.machine(ty);
        let element = ExprKind::Element { rail: Box::new(rail), index: Box::new(index), checked: false };
        let found = ExprKind::Select {
            condition: Box::new(guards.into_iter().reduce(and)?),
            then: Box::new(expr(machine, element)),
            otherwise: Box::new(expr(machine, ExprKind::Null)),
        };
        let local = self.temporary(machine);
        self.set(local, expr(machine, found));
        scan.hoisted.push((access, local));
        Some(local)
    }

    /// Whether nothing in a loop can store a reference into a rail.
    pub(super) fn is_calm(&mut self, scan: &LoopScan) -> bool {
        let body = self.source.body.clone();
        let mut all = Vec::new();
        for root in scan.counted.nodes() {
            body.walk(root, &mut |node| {
                if let Node::Expr(id) = node {
                    all.push(id);
                }
                true
            });
        }
        all.into_iter().all(|id| match &body.expr(id).kind {
            Source::Call { method, receiver, .. } => {
                let Some(name) = self.lowerer.intrinsic(*method) else { return false };
                if name == "rail.set" {
                    let rail = receiver.map(|it| self.type_of(it));
                    let element = rail.and_then(|it| it.rail_element(self.lowerer.db));
                    return element.is_some_and(|it| self.is_number(it));
                }
                name.starts_with("op.") || name == "rail.get" || name == "rail.size"
            }
            Source::Equal { left, .. } => {
                let ty = self.type_of(*left);
                self.is_number(ty)
            }
            Source::Cast { checked, .. } => !checked,
            Source::New { .. }
            | Source::ClosureCall { .. }
            | Source::StaticField(_)
            | Source::Concat { .. }
            | Source::TypeTest(_) => false,
            _ => true,
        })
    }

    fn is_number(&mut self, ty: apg_analysis::program::ty::Ty) -> bool {
        !matches!(
            self.lowerer.machine(ty),
            mir::Ty::Ref(_) | mir::Ty::Any | mir::Ty::Struct(_) | mir::Ty::Void
        )
    }
}
