//! Rules of control flow: definite assignment of locals, and returns on every path (Java Language
//! Specification, chapter 16; Dragon Book, 9.2).
//!
//! A forward analysis over the statements, with the set of assigned locals as its state. States of targets
//! of `goto`, and of loops that a `goto` enters, are those of the round before, until no state changes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Rule;
use crate::walk::{bodies, operands, visit_expr, visit_stmts};
use crate::*;

/// A violation: the rule, the source and what is wrong.
pub(super) type Violation = (Rule, Span, String);

/// Upper limit of rounds; code of which the states change longer is not checked.
const MAX_ROUNDS: usize = 64;

/// Checks the code of a function or kernel, with the locals that are assigned in front of it. `result` is the
/// type that it returns.
pub(super) fn check_flow(
    locals: &[Local],
    assigned: &[bool],
    body: &[Stmt],
    result: Ty,
    span: Span,
) -> Vec<Violation> {
    let (mut has_goto, mut has_native) = (false, false);
    visit_stmts(body, &mut |it| {
        has_goto |= matches!(it.kind, StmtKind::Goto(_));
        has_native |= matches!(it.kind, StmtKind::Native(_));
    });
    let mut flow = Flow::new(locals);
    let mut end = State::Reachable(Assigned::of(assigned));
    if has_goto {
        let mut rounds = 0;
        loop {
            flow.changes = false;
            flow.stmts(body, State::Reachable(Assigned::of(assigned)));
            rounds += 1;
            if !flow.changes {
                break;
            }
            if rounds == MAX_ROUNDS {
                return Vec::new();
            }
        }
    }
    flow.reports = true;
    end = flow.stmts(body, end);
    // C++ code may return by itself.
    if result != Ty::Void && !has_native && matches!(end, State::Reachable(_)) {
        let message = format!("the end can be reached without a `return` of a {result:?}");
        flow.violations.push((Rule::ReturnOnEveryPath, span, message));
    }
    flow.violations
}

/// A set of locals.
#[derive(Clone, PartialEq)]
struct Assigned(Vec<u64>);

impl Assigned {
    fn of(flags: &[bool]) -> Assigned {
        let mut set = Assigned(vec![0; flags.len().div_ceil(64)]);
        for (index, _) in flags.iter().enumerate().filter(|it| *it.1) {
            set.insert(LocalId(index as u32));
        }
        set
    }

    fn insert(&mut self, local: LocalId) {
        if let Some(word) = self.0.get_mut(local.index() / 64) {
            *word |= 1 << (local.index() % 64);
        }
    }

    fn contains(&self, local: LocalId) -> bool {
        self.0.get(local.index() / 64).is_none_or(|word| word >> (local.index() % 64) & 1 == 1)
    }
}

/// What is known at a point of the code.
#[derive(Clone, PartialEq)]
enum State {
    Unreachable,
    /// These locals are assigned on every path.
    Reachable(Assigned),
}

impl State {
    /// The state where two paths meet.
    fn join(&mut self, other: &State) {
        match (&mut *self, other) {
            (_, State::Unreachable) => {}
            (State::Unreachable, other) => *self = other.clone(),
            (State::Reachable(a), State::Reachable(b)) => {
                a.0.iter_mut().zip(&b.0).for_each(|(a, b)| *a &= b);
            }
        }
    }

    /// The state behind code that makes `after` of `before`, where this state is reached as well.
    fn behind(&self, before: &State, after: &State) -> State {
        let (State::Reachable(own), State::Reachable(after)) = (self, after) else {
            return State::Unreachable;
        };
        let State::Reachable(before) = before else { return self.clone() };
        let added = after.0.iter().zip(&before.0).map(|(after, before)| after & !before);
        State::Reachable(Assigned(own.0.iter().zip(added).map(|(own, added)| own | added).collect()))
    }
}

struct Flow<'p> {
    locals: &'p [Local],
    /// The states in which loops are continued from their end, and targets are reached by `goto`.
    entries: FxHashMap<LabelId, State>,
    /// The states in which enclosing statements are left, and enclosing loops continued.
    breaks: FxHashMap<LabelId, State>,
    continues: FxHashMap<LabelId, State>,
    changes: bool,
    reports: bool,
    reported: FxHashSet<LocalId>,
    violations: Vec<Violation>,
}

impl<'p> Flow<'p> {
    fn new(locals: &'p [Local]) -> Flow<'p> {
        Flow {
            locals,
            entries: FxHashMap::default(),
            breaks: FxHashMap::default(),
            continues: FxHashMap::default(),
            changes: false,
            reports: false,
            reported: FxHashSet::default(),
            violations: Vec::new(),
        }
    }

    fn stmts(&mut self, stmts: &[Stmt], mut state: State) -> State {
        for stmt in stmts {
            state = self.stmt(stmt, state);
        }
        state
    }

    /// Checks what an expression reads.
    fn read(&mut self, expr: &Expr, state: &State, span: Span) {
        let State::Reachable(assigned) = state else { return };
        if !self.reports {
            return;
        }
        let mut missing = Vec::new();
        visit_expr(expr, None, &mut |it, _| {
            if let ExprKind::Local(local) = it.kind
                && !assigned.contains(local)
            {
                missing.push((local, it.span.unwrap_or(span)));
            }
        });
        for (local, span) in missing {
            if self.reported.insert(local)
                && let Some(found) = self.locals.get(local.index())
            {
                let message =
                    format!("the local `{}` ({}) is read before it is assigned", found.name, local.0);
                self.violations.push((Rule::AssignedLocal, span, message));
            }
        }
    }

    /// A path to a target or the beginning of a loop.
    fn enter(&mut self, label: LabelId, state: &State) {
        let entry = self.entries.entry(label).or_insert(State::Unreachable);
        let before = entry.clone();
        entry.join(state);
        self.changes |= *entry != before;
    }

    fn entry(&self, label: LabelId, mut state: State) -> State {
        if let Some(other) = self.entries.get(&label) {
            state.join(other);
        }
        state
    }

    fn stmt(&mut self, stmt: &Stmt, state: State) -> State {
        let is_loop = matches!(stmt.kind, StmtKind::Loop { .. });
        if !is_loop && !matches!(stmt.kind, StmtKind::When(_)) {
            operands(&stmt.kind).into_iter().for_each(|it| self.read(it, &state, stmt.span));
        }
        match &stmt.kind {
            StmtKind::Set { local, .. } | StmtKind::SetStructField { local, .. } => assign(state, [*local]),
            StmtKind::Native(native) => {
                let addresses = native.fragments.iter().filter_map(|it| match it {
                    native::Fragment::Address(local) => Some(*local),
                    _ => None,
                });
                assign(state, addresses)
            }
            StmtKind::Break(label) => leave(&mut self.breaks, *label, state),
            StmtKind::Continue(label) => leave(&mut self.continues, *label, state),
            StmtKind::Goto(label) => {
                self.enter(*label, &state);
                State::Unreachable
            }
            StmtKind::Target(label) => self.entry(*label, state),
            StmtKind::Return(_) | StmtKind::Throw(_) => State::Unreachable,
            StmtKind::If { condition, then, otherwise } => {
                let [if_true, if_false] = branches(condition, state);
                let mut end = self.stmts(then, if_true);
                end.join(&self.stmts(otherwise, if_false));
                end
            }
            StmtKind::Loop { .. } => self.repeat(stmt, state),
            StmtKind::Labeled { label, body } => {
                let mut end = self.stmts(body, state);
                end.join(&self.breaks.remove(label).unwrap_or(State::Unreachable));
                end
            }
            StmtKind::Switch { label, cases, .. } => {
                let has_default = cases.iter().any(|it| it.0.contains(&None));
                let mut end = if has_default { State::Unreachable } else { state.clone() };
                let mut fallen = State::Unreachable;
                for (_, body) in cases {
                    fallen.join(&state);
                    fallen = self.stmts(body, fallen);
                }
                end.join(&fallen);
                end.join(&self.breaks.remove(label).unwrap_or(State::Unreachable));
                end
            }
            StmtKind::Try { body, catches, finally } => self.protected(body, catches, finally, state),
            StmtKind::When(all) => self.when(all, state, stmt.span),
            // One after the other: scopes.
            _ => bodies(&stmt.kind).into_iter().fold(state, |state, body| self.stmts(body, state)),
        }
    }

    fn repeat(&mut self, stmt: &Stmt, state: State) -> State {
        let StmtKind::Loop { label, condition, body, update, post_tested, .. } = &stmt.kind else {
            return state;
        };
        let start = self.entry(*label, state);
        let (mut inside, mut end) = (start.clone(), State::Unreachable);
        if !post_tested {
            self.read(condition, &start, stmt.span);
            [inside, end] = branches(condition, start);
        }
        inside = self.stmts(body, inside);
        inside.join(&self.continues.remove(label).unwrap_or(State::Unreachable));
        inside = self.stmts(update, inside);
        if *post_tested {
            self.read(condition, &inside, stmt.span);
            [inside, end] = branches(condition, inside);
        }
        self.enter(*label, &inside);
        end.join(&self.breaks.remove(label).unwrap_or(State::Unreachable));
        end
    }

    /// Handlers and cleanup may follow any statement of the body.
    fn protected(&mut self, body: &[Stmt], catches: &[Catch], finally: &[Stmt], state: State) -> State {
        let mut end = self.stmts(body, state.clone());
        for catch in catches {
            let handler = self.stmts(&catch.body, assign(state.clone(), [catch.local]));
            end.join(&handler);
        }
        if finally.is_empty() {
            return end;
        }
        let after = self.stmts(finally, state.clone());
        end.behind(&state, &after)
    }

    /// Guards are computed in order until one holds.
    fn when(&mut self, all: &[WhenBranch], mut state: State, span: Span) -> State {
        let mut end = State::Unreachable;
        for branch in all {
            state = self.stmts(&branch.setup, state);
            self.read(&branch.condition, &state, span);
            let done = self.stmts(&branch.body, state.clone());
            end.join(&done);
        }
        end
    }
}

fn assign(mut state: State, locals: impl IntoIterator<Item = LocalId>) -> State {
    if let State::Reachable(assigned) = &mut state {
        locals.into_iter().for_each(|it| assigned.insert(it));
    }
    state
}

fn leave(exits: &mut FxHashMap<LabelId, State>, label: LabelId, state: State) -> State {
    exits.entry(label).or_insert(State::Unreachable).join(&state);
    State::Unreachable
}

/// The states in which a condition is true, and false.
fn branches(condition: &Expr, state: State) -> [State; 2] {
    match condition.kind {
        ExprKind::Int(0) => [State::Unreachable, state],
        ExprKind::Int(_) => [state, State::Unreachable],
        _ => [state.clone(), state],
    }
}
