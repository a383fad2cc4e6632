//! Where slots come from: `group.activities(place)(i)` or `group.blocks(place)(i)`, through variables that
//! are assigned once.

use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, LocalId, StmtKind};
use crate::ids::MethodId;
use crate::kernel::device_semantics::DeviceSemantics;
use crate::ty::Ty;

use super::SlotAnalysis;
use super::operand::{Operand, argument};

/// The slots of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Those for activities.
    Activities,
    /// Those for blocks of kernels.
    Blocks,
}

/// Where the slots of a place come from.
#[derive(Clone, Debug, Default)]
pub(super) struct SlotsOrigin {
    /// The first variable that holds them.
    pub variable: Option<LocalId>,
    /// Which of a place they are.
    pub side: Option<Side>,
    /// The variable with the group.
    pub group: Option<LocalId>,
}

/// Where a slot comes from.
#[derive(Clone, Debug, Default)]
pub(super) struct SlotOrigin {
    /// The variables that hold it.
    pub variables: Vec<LocalId>,
    /// The slots of its place.
    pub slots: SlotsOrigin,
    /// Its number among these.
    pub index: Option<Operand>,
    /// Whether it is restricted to a subgroup.
    pub is_subgroup: bool,
}

impl SlotOrigin {
    pub(super) fn group(&self) -> Option<LocalId> {
        self.slots.group
    }

    pub(super) fn side(&self) -> Option<Side> {
        self.slots.side
    }
}

/// The numbers of slots that a group is made with.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GroupSize {
    pub activities: Option<i64>,
    pub blocks: Option<i64>,
}

impl SlotAnalysis<'_> {
    /// The value of a variable that is assigned once.
    pub(super) fn definition(&self, local: LocalId) -> Option<ExprId> {
        let init = self.context.initialiser(local).filter(|_| !self.context.local(local).mutable)?;
        Some(self.context.strip_coercions(init))
    }

    fn is_method(&self, method: MethodId, class: &str, name: &str) -> bool {
        self.context.semantics.is_method(method, class, name)
    }

    pub(super) fn slot_origin(&self, expr: ExprId) -> SlotOrigin {
        let mut origin = SlotOrigin::default();
        let mut expr = self.context.strip_coercions(expr);
        for _ in 0..=self.context.body.exprs.len() {
            match &self.context.expr(expr).kind {
                ExprKind::Local(local) => {
                    origin.variables.push(*local);
                    let Some(definition) = self.definition(*local) else { return origin };
                    expr = definition;
                }
                ExprKind::Call { method, receiver: Some(slot), .. }
                    if self.is_method(*method, "x10.util.Slot", "among") =>
                {
                    origin.is_subgroup = true;
                    expr = self.context.strip_coercions(*slot);
                }
                ExprKind::Call { method, receiver: Some(slots), args, .. }
                    if self.is_method(*method, "x10.util.Slots", "operator()") =>
                {
                    origin.index = args.first().copied().map(Operand::Expr);
                    origin.slots = self.slots_origin(*slots);
                    return origin;
                }
                _ => return origin,
            }
        }
        origin
    }

    pub(super) fn slots_origin(&self, expr: ExprId) -> SlotsOrigin {
        let mut origin = SlotsOrigin::default();
        let mut expr = self.context.strip_coercions(expr);
        while let ExprKind::Local(local) = self.context.expr(expr).kind {
            origin.variable = Some(local);
            let Some(definition) = self.definition(local) else { return origin };
            expr = definition;
        }
        if let ExprKind::Call { method, receiver: Some(group), .. } = &self.context.expr(expr).kind {
            let is = |name| self.is_method(*method, "x10.util.SlotGroup", name);
            origin.side = match () {
                () if is("activities") => Some(Side::Activities),
                () if is("blocks") => Some(Side::Blocks),
                () => None,
            };
            origin.group = self.group_variable(*group).filter(|_| origin.side.is_some());
        }
        origin
    }

    /// The variable that holds a group from the beginning.
    pub(super) fn group_variable(&self, expr: ExprId) -> Option<LocalId> {
        let ExprKind::Local(local) = self.context.expr(self.context.strip_coercions(expr)).kind else {
            return None;
        };
        match self.definition(local).map(|it| (it, &self.context.expr(it).kind)) {
            Some((it, ExprKind::Local(_))) => self.group_variable(it),
            _ => Some(local),
        }
    }

    /// The arguments that a group is made with, if it is made in this body.
    fn made_with(&self, group: LocalId) -> Option<&[ExprId]> {
        let ExprKind::Call { method, args, .. } = &self.context.expr(self.definition(group)?).kind else {
            return None;
        };
        self.is_method(*method, "x10.util.SlotGroup", "make").then_some(&args[..])
    }

    /// Whether all calls of a group are seen: it is made in this body, and passed to no other code.
    pub(super) fn sees_all_calls(&self, group: LocalId) -> bool {
        self.is_closed && self.made_with(group).is_some()
    }

    /// The numbers of slots of a group for each place, where they are constant and the group is made here.
    pub(super) fn group_size(&self, group: LocalId) -> GroupSize {
        match self.made_with(group) {
            Some([activities, blocks] | [_, activities, blocks]) => {
                let count = |it: &ExprId| self.constant(&Operand::Expr(*it));
                GroupSize { activities: count(activities), blocks: count(blocks) }
            }
            _ => GroupSize::default(),
        }
    }

    /// Whether no group and no slot is passed on, returned or stored: all their calls are in the body, or in
    /// functions of which summaries are known.
    pub(super) fn is_closed_body(&self) -> bool {
        let body = self.context.body;
        let all = (0..body.exprs.len() as u32).map(ExprId);
        all.filter(|it| self.is_slot_type(*it)).all(|it| self.is_local_use(it))
    }

    pub(super) fn is_slot_type(&self, expr: ExprId) -> bool {
        is_slot_type(self.context.semantics, self.context.expr(expr).ty)
    }

    /// Whether the parent of an expression uses a group or a slot in a way that is understood.
    fn is_local_use(&self, expr: ExprId) -> bool {
        match self.context.parents.parent(Node::Expr(expr)) {
            None => true,
            Some(Node::Stmt(stmt)) => match self.context.stmt(stmt).kind {
                StmtKind::Let { local, .. } => !self.context.local(local).mutable,
                StmtKind::Expr(_) => true,
                _ => false,
            },
            Some(Node::Expr(parent)) => match &self.context.expr(parent).kind {
                ExprKind::Coerce { .. } => true,
                ExprKind::Field { .. } => true,
                ExprKind::Call { receiver, .. } => {
                    let callee = self.callees.iter().find(|it| it.site == parent);
                    *receiver == Some(expr) || callee.is_some_and(|it| it.summary.is_closed)
                }
                _ => false,
            },
        }
    }

    /// The slots that a rank belongs to: `slot.rank`, or a sum with `slots.firstRank()`.
    pub(super) fn side_of_rank(&self, rank: &Operand, group: LocalId) -> Option<Side> {
        if let Some(rank) = self.constant(rank) {
            let activities = self.group_size(group).activities?;
            return (0..activities).contains(&rank).then_some(Side::Activities);
        }
        match rank {
            Operand::Expr(expr) => self.side_of_rank_expr(*expr, group),
            Operand::OfCallee { value, arguments } => match value.parameter {
                Some(parameter) => self.side_of_source(argument(arguments, parameter)?, group),
                None => {
                    // A constant is added to what says the side; an unknown value may be a rank itself.
                    let is_constant = |it: &ExprId| self.constant(&Operand::Expr(*it)).is_some();
                    let sources = value.sources.iter().filter_map(|it| argument(arguments, *it));
                    let sides =
                        sources.filter(|it| !is_constant(it)).map(|it| self.side_of_source(it, group));
                    only(sides.collect::<Option<Vec<_>>>()?.into_iter())
                }
            },
        }
    }

    /// The slots that the rank belongs to which a function gets, or computes from an argument.
    fn side_of_source(&self, argument: ExprId, group: LocalId) -> Option<Side> {
        if !self.is_slot_type(argument) {
            return self.side_of_rank(&Operand::Expr(argument), group);
        }
        let (slot, slots) = (self.slot_origin(argument).slots, self.slots_origin(argument));
        [slot, slots].into_iter().find(|it| it.group == Some(group)).and_then(|it| it.side)
    }

    fn side_of_rank_expr(&self, expr: ExprId, group: LocalId) -> Option<Side> {
        let mut expr = self.context.strip_coercions(expr);
        while let ExprKind::Local(local) = self.context.expr(expr).kind {
            expr = self.definition(local)?;
        }
        let mut sides = Vec::new();
        self.context.body.walk(Node::Expr(expr), &mut |node| {
            let Node::Expr(part) = node else { return true };
            let origin = match &self.context.expr(part).kind {
                ExprKind::Field { object, field } if field.name(self.context.semantics.db) == "rank" => {
                    self.slot_origin(*object).slots
                }
                ExprKind::Call { method, receiver: Some(slots), .. }
                    if self.is_method(*method, "x10.util.Slots", "firstRank") =>
                {
                    self.slots_origin(*slots)
                }
                ExprKind::Local(local) => {
                    let side = self.definition(*local).and_then(|it| self.side_of_rank_expr(it, group));
                    sides.extend(side);
                    return false;
                }
                _ => return true,
            };
            sides.extend(origin.side.filter(|_| origin.group == Some(group)));
            false
        });
        only(sides.into_iter())
    }
}

/// Whether values of a type are slots or groups.
pub(super) fn is_slot_type(semantics: &DeviceSemantics, ty: Ty) -> bool {
    let class = ty.base(semantics.db).as_class(semantics.db).map(|it| it.0);
    let names = ["x10.util.Slot", "x10.util.Slots", "x10.util.SlotGroup"];
    class.is_some_and(|class| names.iter().any(|it| semantics.is_class(class, it)))
}

/// The only one of some sides.
fn only(mut sides: impl Iterator<Item = Side>) -> Option<Side> {
    sides.next().filter(|_| sides.next().is_none())
}
