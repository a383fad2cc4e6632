//! Execution of statements: branches are joined, loops are executed once for all iterations.

use apg_kernels::fork_join::{self, Constraint, Step, Symbol};

use rustc_hash::FxHashSet;

use super::Lowering;
use super::values::{Place, Value, Values};
use crate::hir::{ExprId, ExprKind, StmtId, StmtKind, Storage, Type, VariableId};
use crate::loops::{self, CanonicalLoop};

impl Lowering<'_> {
    pub(super) fn stmt(&mut self, id: StmtId) {
        if self.has_ended() {
            return;
        }
        match &self.program.stmt(id).kind {
            StmtKind::Empty | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue => {}
            StmtKind::Block(stmts) => stmts.iter().for_each(|it| self.stmt(*it)),
            StmtKind::Expr(expr) => {
                self.value(*expr);
            }
            StmtKind::Declaration(variables) => variables.iter().for_each(|it| self.declare(*it)),
            StmtKind::If(condition, then, otherwise) => self.branch(*condition, *then, *otherwise),
            StmtKind::While(condition, body) => self.unknown_loop(id, Some(*condition), *body, None),
            StmtKind::DoWhile(body, condition) => self.unknown_loop(id, Some(*condition), *body, None),
            StmtKind::For { init, condition, step, body } => match loops::canonical(self.program, id) {
                Ok(found) => self.counted_loop(id, &found),
                Err(_) => {
                    init.iter().for_each(|it| self.stmt(*it));
                    self.unknown_loop(id, *condition, *body, *step);
                }
            },
            StmtKind::Switch(condition, body) => {
                self.value(*condition);
                let before = self.values.clone();
                self.stmt(*body);
                self.join(before);
            }
            StmtKind::Label(_, body) | StmtKind::Case(_, body) => body.iter().for_each(|it| self.stmt(*it)),
            StmtKind::Return(value) => {
                let value = value.and_then(|it| self.value(it));
                // Of several values none is known.
                self.returned = match self.returned.take() {
                    None => Some(value),
                    Some(_) => Some(None),
                };
            }
            StmtKind::Asm(operands) => operands.iter().for_each(|it| {
                self.value(*it);
            }),
            StmtKind::Directive(directive) => self.directive(*directive),
        }
    }

    fn declare(&mut self, variable: VariableId) {
        let declared = self.program.variable(variable);
        if declared.storage != Storage::Automatic {
            return;
        }
        let object = self.make_object(variable);
        if let Some(list) = declared.initializer
            && self.facts.pointer_tables.contains(&variable)
            && let ExprKind::List(elements) = &self.program.expr(list).kind
        {
            let pointers = elements.iter().map(|it| self.value(*it)).collect();
            self.pointer_tables.insert(object, pointers);
            return;
        }
        let value = declared.initializer.and_then(|it| self.value(it));
        let is_scalar = declared.ty.is_integer() || matches!(declared.ty, Type::Pointer(_));
        match value.filter(|_| is_scalar) {
            Some(value) => self.set_value(&Place::whole(object), Some(value)),
            None => {
                self.values.remove(object);
            }
        }
    }

    fn branch(&mut self, condition: ExprId, then: StmtId, otherwise: Option<StmtId>) {
        let known = self.value(condition);
        match known.as_ref().and_then(Value::as_constant) {
            Some(0) => return otherwise.into_iter().for_each(|it| self.stmt(it)),
            Some(_) => return self.stmt(then),
            None => {}
        }
        if self.is_parallel() && self.is_election(condition) {
            return self.elected_branch(condition, then, otherwise);
        }
        self.branches(condition, then, otherwise);
    }

    /// Branches that threads reach which were elected: what these do is not judged.
    fn elected_branch(&mut self, condition: ExprId, then: StmtId, otherwise: Option<StmtId>) {
        let before = std::mem::replace(&mut self.is_synchronised_by_hand, true);
        self.branches(condition, then, otherwise);
        // Behind it only one of them continues, or some have waited for others.
        let mut stmts = std::iter::once(then).chain(otherwise);
        let is_last = stmts.any(|it| self.leaves(it) || self.effects_of(it).synchronises);
        self.is_synchronised_by_hand = before || is_last;
    }

    fn branches(&mut self, condition: ExprId, then: StmtId, otherwise: Option<StmtId>) {
        let count = self.constraints.len();
        let (values, locks) = (self.values.clone(), self.locks.clone());
        let synchronised = self.is_synchronised_by_hand;
        let holds = self.conditions(condition, true);
        self.constraints.extend(holds);
        self.stmt(then);
        self.constraints.truncate(count);
        let after_then = std::mem::replace(&mut self.values, values);
        let locks_then = std::mem::replace(&mut self.locks, locks);
        let fails = self.conditions(condition, false);
        let leaves = self.leaves(then);
        if let Some(otherwise) = otherwise {
            self.constraints.extend(fails);
            let waited = std::mem::replace(&mut self.is_synchronised_by_hand, synchronised);
            self.stmt(otherwise);
            self.is_synchronised_by_hand |= waited;
            self.constraints.truncate(count);
            if self.leaves(otherwise) {
                (self.values, self.locks) = (after_then, locks_then);
                return;
            }
        } else if leaves && self.is_parallel() {
            // What follows runs only where the condition fails.
            self.constraints.extend(fails);
        }
        if !leaves {
            self.locks.retain(|it| locks_then.contains(it));
            self.join(after_then);
        }
    }

    /// Whether control never reaches the end of a statement.
    fn leaves(&self, stmt: StmtId) -> bool {
        match &self.program.stmt(stmt).kind {
            StmtKind::Block(stmts) => stmts.iter().any(|it| self.leaves(*it)),
            StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => true,
            StmtKind::Expr(expr) => match &self.program.expr(*expr).kind {
                ExprKind::Call(callee, _) => {
                    matches!(
                        self.program.callee_name(*callee),
                        Some("exit" | "abort" | "_Exit" | "__assert_fail")
                    )
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Keeps the values that are the same on two ways.
    fn join(&mut self, other: Values) {
        for object in self.values.objects(&other) {
            let (here, there) = (self.values.get(object), other.get(object));
            // A name that was given on one way is as good as any.
            if let (Some(here), Some(there)) = (here, there)
                && here != there
            {
                self.forget(object);
            } else if (here.is_none() || there.is_none()) && self.objects[object as usize].depth > 0 {
                self.values.remove(object);
            }
        }
    }

    /// Forgets the variables that a statement assigns.
    pub(super) fn forget_assigned(&mut self, stmt: StmtId) {
        self.forget_assigned_but(stmt, &FxHashSet::default());
    }

    /// Forgets the variables that a statement assigns, but for some.
    fn forget_assigned_but(&mut self, stmt: StmtId, kept: &FxHashSet<VariableId>) {
        let effects = self.effects_of(stmt);
        for variable in effects.assigned.iter().copied() {
            let declared = self.program.variable(variable);
            if kept.contains(&variable) {
                continue;
            }
            if self.scope.contains_key(&variable) || declared.has_static_storage() {
                let object = self.object(variable);
                self.forget(object);
            }
        }
    }

    /// A loop whose iterations are not counted.
    fn unknown_loop(&mut self, id: StmtId, condition: Option<ExprId>, body: StmtId, step: Option<ExprId>) {
        self.forget_assigned(id);
        let before = self.values.clone();
        let phase = self.phase();
        let count = self.constraints.len();
        for _ in 0..2 {
            self.enter_loop(None);
            condition.and_then(|it| self.value(it));
            self.stmt(body);
            step.and_then(|it| self.value(it));
            self.loops.pop();
            self.constraints.truncate(count);
            self.forget_assigned(id);
            if self.phase() == phase {
                break;
            }
        }
        self.join(before);
        let waits = self.is_parallel() && self.effects_of(id).synchronises;
        if waits {
            // A thread may wait here until another has stored a flag.
            self.is_synchronised_by_hand = true;
        }
    }

    /// The number of barriers that the innermost team has passed.
    pub(super) fn phase(&self) -> Option<u32> {
        match &self.path[self.innermost_team()?] {
            Step::Team { phase, .. } => Some(*phase),
            _ => None,
        }
    }

    /// A sequential loop with a counter.
    fn counted_loop(&mut self, id: StmtId, found: &CanonicalLoop) {
        let bounds = self.bounds(found);
        self.assign_counter(found, bounds.start.clone());
        let mut followed = self.moved_between_regions(id);
        if bounds.has_one_iteration(found) {
            followed.clear();
        }
        self.forget_assigned_but(id, &followed);
        let object = self.object(found.variable);
        let is_shared = self.is_parallel() && self.is_shared(object);
        let phase = self.phase();
        let count = self.constraints.len();
        let meets_barriers = self.meets_barriers(id);
        let make = if self.is_parallel() && !meets_barriers { Symbol::Own } else { Symbol::Fixed };
        for _ in 0..2 {
            let symbol = self.fresh_symbol(make);
            self.counter_names.insert(symbol, found.variable);
            self.enter_loop(Some(symbol));
            let value = self.counter_value(found, &bounds, symbol);
            if is_shared {
                self.touch_counter(found);
            } else {
                self.set_value(&Place::whole(object), value.map(Value::Integer));
            }
            self.stmt(found.body);
            self.loops.pop();
            self.constraints.truncate(count);
            self.forget_assigned_but(id, &followed);
            if self.phase() == phase && followed.is_empty() {
                break;
            }
        }
        self.forget_assigned(id);
        self.forget(object);
    }

    /// What a serial loop that makes parallel regions assigns of pointers, and of indices in arrays of
    /// pointers, as a loop over steps of time that exchanges its arrays: the second iteration starts from the
    /// values that the first leaves.
    fn moved_between_regions(&mut self, id: StmtId) -> FxHashSet<VariableId> {
        self.summarized.insert(id);
        if self.is_parallel() || !self.facts.has_parallel_regions(self.program, id) {
            return FxHashSet::default();
        }
        let effects = self.effects_of(id);
        let is_pointer = |it: &VariableId| matches!(self.program.variable(*it).ty, Type::Pointer(_));
        let is_moved = |it: &VariableId| is_pointer(it) || self.facts.selects_pointers.contains(it);
        effects.assigned.iter().copied().filter(is_moved).collect()
    }

    /// Whether a loop in a team passes barriers: threads are in the same iteration then.
    fn meets_barriers(&mut self, id: StmtId) -> bool {
        use crate::hir::Construct::{Barrier, For, Parallel, Sections, Single};
        let directives = self.directives_in(id);
        self.innermost_team().is_some()
            && directives.iter().any(|it| {
                let directive = self.program.directive(*it);
                let is_own = !directive.has(Parallel);
                let waits = directive.has(Barrier)
                    || [For, Sections, Single].iter().any(|it| directive.has(*it))
                        && directive.clause("nowait").is_none();
                is_own && waits
            })
    }

    /// The accesses to a counter that all threads share.
    fn touch_counter(&mut self, found: &CanonicalLoop) {
        let place = Place::whole(self.object(found.variable));
        let site = self.counter_site(found);
        if let Some(site) = site {
            self.access(&place, false, site);
            self.access(&place, true, site);
        }
    }

    /// The expression that first names the counter of a loop.
    fn counter_site(&self, found: &CanonicalLoop) -> Option<ExprId> {
        let range = self.program.expr(found.start).range;
        let is_counter = |it: &crate::hir::Expr| {
            it.kind == ExprKind::Variable(found.variable) && it.range.end() <= range.start()
        };
        self.program.exprs[..found.start.index()].iter().rposition(is_counter).map(ExprId::new)
    }

    fn assign_counter(&mut self, found: &CanonicalLoop, start: Option<fork_join::Value>) {
        let is_local = self.program.variable(found.variable).initializer == Some(found.start);
        if is_local {
            self.make_object(found.variable);
            return;
        }
        let object = self.object(found.variable);
        if let Some(site) = self.counter_site(found) {
            self.access(&Place::whole(object), true, site);
        }
        self.set_value(&Place::whole(object), start.map(Value::Integer));
    }

    /// Pushes a condition.
    pub(super) fn require_at_most(&mut self, a: &fork_join::Value, b: &fork_join::Value, by: i64) {
        if let Some(mut gap) = b.checked_sub(a) {
            gap.constant -= by;
            self.constraints.push(Constraint::NonNegative(gap));
        }
    }
}
