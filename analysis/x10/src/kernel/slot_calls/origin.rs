//! Where slots come from: `group.activities(place)(i)` or `group.blocks(place)(i)`, through variables that
//! are assigned once.

use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, LocalId, StmtKind};
use crate::ids::MethodId;

use super::SlotAnalysis;

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
    pub index: Option<ExprId>,
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
    fn definition(&self, local: LocalId) -> Option<ExprId> {
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
                    origin.index = args.first().copied();
                    origin.slots = self.slots_origin(*slots);
                    return origin;
                }
                _ => return origin,
            }
        }
        origin
    }

    fn slots_origin(&self, expr: ExprId) -> SlotsOrigin {
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
    fn group_variable(&self, expr: ExprId) -> Option<LocalId> {
        let ExprKind::Local(local) = self.context.expr(self.context.strip_coercions(expr)).kind else {
            return None;
        };
        match self.definition(local).map(|it| (it, &self.context.expr(it).kind)) {
            Some((it, ExprKind::Local(_))) => self.group_variable(it),
            _ => Some(local),
        }
    }

    /// The numbers of slots of a group for each place, where they are constant and the group is made here.
    pub(super) fn group_size(&self, group: LocalId) -> GroupSize {
        let Some(definition) = self.definition(group) else { return GroupSize::default() };
        let ExprKind::Call { method, args, .. } = &self.context.expr(definition).kind else {
            return GroupSize::default();
        };
        match &args[..] {
            [activities, blocks] | [_, activities, blocks]
                if self.is_method(*method, "x10.util.SlotGroup", "make") =>
            {
                GroupSize { activities: self.constant(*activities), blocks: self.constant(*blocks) }
            }
            _ => GroupSize::default(),
        }
    }

    /// Whether no group and no slot is passed on, returned or stored: all their calls are in the body.
    pub(super) fn is_closed_body(&self) -> bool {
        let body = self.context.body;
        let all = (0..body.exprs.len() as u32).map(ExprId);
        all.filter(|it| self.is_slot_type(*it)).all(|it| self.is_local_use(it))
    }

    fn is_slot_type(&self, expr: ExprId) -> bool {
        let semantics = self.context.semantics;
        let class = self.context.expr(expr).ty.base(semantics.db).as_class(semantics.db).map(|it| it.0);
        class.is_some_and(|class| {
            ["x10.util.Slot", "x10.util.Slots", "x10.util.SlotGroup"]
                .iter()
                .any(|it| semantics.is_class(class, it))
        })
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
                ExprKind::Call { receiver, .. } => *receiver == Some(expr),
                _ => false,
            },
        }
    }

    /// The slots that a rank belongs to: `slot.rank`, or a sum with `slots.firstRank()`.
    pub(super) fn side_of_rank(&self, expr: ExprId, group: LocalId) -> Option<Side> {
        let mut expr = self.context.strip_coercions(expr);
        while let ExprKind::Local(local) = self.context.expr(expr).kind {
            expr = self.definition(local)?;
        }
        if let Some(rank) = self.constant(expr) {
            let activities = self.group_size(group).activities?;
            return (0..activities).contains(&rank).then_some(Side::Activities);
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
                    let side = self.definition(*local).and_then(|it| self.side_of_rank(it, group));
                    sides.extend(side);
                    return false;
                }
                _ => return true,
            };
            sides.extend(origin.side.filter(|_| origin.group == Some(group)));
            false
        });
        match sides[..] {
            [side] => Some(side),
            _ => None,
        }
    }
}
