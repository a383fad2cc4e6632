//! Loop-invariant code motion of arrays in arrays: the array `rows(i)` of `rows(i)(j)` is loaded once before
//! an innermost loop.
//!
//! Nothing in the loop may store another array there. The unchecked version uses the loaded array whatever
//! other activities do.

use apg_mir::*;

use super::expressions::{and, compare, expr, int, length, not_null};
use super::state::{HoistedRail, Invariant, Known, OuterRail, RailElement, Scan};

impl Scan<'_> {
    /// An element that is an array, in a loop that stores no arrays into arrays.
    pub(super) fn rail_element(&self, value: &Expr) -> Option<RailElement> {
        if !self.facts.keeps_rails {
            return None;
        }
        match &value.kind {
            ExprKind::Local(local) => match self.state.get(local) {
                Some(Known::RailElement(element)) => Some(element.clone()),
                _ => None,
            },
            ExprKind::Element { rail, index, .. } if self.is_rail(value.ty) && index.ty == Ty::I64 => {
                let rail = match self.rail_element(rail) {
                    Some(element) => OuterRail::Element(Box::new(element)),
                    None => OuterRail::Value(self.invariant(rail)?),
                };
                Some(RailElement { ty: value.ty, rail, index: self.invariant(index)? })
            }
            _ => None,
        }
    }

    /// Loads the arrays in arrays of the value of an expression before the loop.
    pub(super) fn hoist(&mut self, value: &Expr) -> Option<LocalId> {
        let element = self.rail_element(value)?;
        Some(self.hoist_element(element))
    }

    fn hoist_element(&mut self, element: RailElement) -> LocalId {
        let RailElement { ty, rail, index } = element;
        let rail = match rail {
            OuterRail::Value(rail) => rail,
            OuterRail::Element(element) => {
                let local = self.hoist_element(*element);
                Invariant { value: self.local(local), guards: Vec::new() }
            }
        };
        let element = unchecked_element(ty, &rail.value, &index.value);
        if let Some(known) = self.hoisted.iter().find(|it| it.element == element) {
            return known.local;
        }
        let local = LocalId(self.locals.len() as u32);
        self.locals.push(Local { name: "$".into(), ty });
        let load = load(element.clone(), rail, index);
        self.hoisted.push(HoistedRail { element, local, load });
        local
    }

    /// The local that holds the value of an expression, if that is loaded before the loop.
    pub(super) fn hoisted_value(&self, value: &Expr) -> Option<LocalId> {
        if self.hoisted.is_empty() || !matches!(value.kind, ExprKind::Element { .. }) {
            return None;
        }
        self.hoisted_element(&self.rail_element(value)?)
    }

    fn hoisted_element(&self, element: &RailElement) -> Option<LocalId> {
        let rail = match &element.rail {
            OuterRail::Value(rail) => rail.value.clone(),
            OuterRail::Element(element) => self.local(self.hoisted_element(element)?),
        };
        let element = unchecked_element(element.ty, &rail, &element.index.value);
        self.hoisted.iter().find(|it| it.element == element).map(|it| it.local)
    }

    /// Whether a value is an array that is loaded before the loop.
    pub(super) fn is_hoisted(&self, value: &Expr) -> bool {
        matches!(value.kind, ExprKind::Local(local) if self.hoisted.iter().any(|it| it.local == local))
    }

    /// A local as a value.
    pub(super) fn local(&self, local: LocalId) -> Expr {
        expr(self.locals[local.index()].ty, ExprKind::Local(local))
    }

    /// Whether values of a type are references to arrays.
    pub(super) fn is_rail(&self, ty: Ty) -> bool {
        let Ty::Ref(class) = ty else { return false };
        matches!(self.program.classes[class.index()].kind, ClassKind::Rail { .. })
    }
}

fn unchecked_element(ty: Ty, rail: &Expr, index: &Expr) -> Expr {
    let (rail, index) = (Box::new(rail.clone()), Box::new(index.clone()));
    expr(ty, ExprKind::Element { rail, index, checked: false })
}

/// An element, or null if it does not exist.
fn load(element: Expr, rail: Invariant, index: Invariant) -> Expr {
    let ty = element.ty;
    let mut guards = rail.guards;
    guards.push(not_null(&rail.value));
    guards.extend(index.guards);
    guards.push(compare(Operation::Ge, &index.value, &int(0)));
    guards.push(compare(Operation::Lt, &index.value, &length(rail.value)));
    let exists = guards.into_iter().reduce(and).unwrap_or_else(|| expr(Ty::Bool, ExprKind::Int(1)));
    let kind = ExprKind::Select {
        condition: Box::new(exists),
        then: Box::new(element),
        otherwise: Box::new(expr(ty, ExprKind::Null)),
    };
    expr(ty, kind)
}
