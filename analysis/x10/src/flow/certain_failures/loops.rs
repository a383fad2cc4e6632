//! Loops: a fixpoint with widening for all iterations, and the first and last iteration apart.

use super::integer_types::{IntegerInterval, Interval};
use super::state::State;
use super::value::{Number, Relation, Value};
use super::{Interpreter, Jumps};
use crate::body::walk::Node;
use crate::body::{
    AssignTarget, ExprId, ExprKind, Iteration as Iterates, LabelId, Literal, LocalId, StmtId, StmtKind,
};
use crate::rules::values::{Iteration, IterationKind, Symbol, Variable};
use apg_symbolic::Comparison;

/// The most repetitions of a loop before its assigned variables count as unknown.
const MAX_ROUNDS: u32 = 6;
/// From which repetition on intervals are widened.
const FIRST_WIDENED_ROUND: u32 = 1;
/// The deepest loop nest whose loops are repeated to a fixpoint.
const MAX_REPEATED_DEPTH: u32 = 3;
/// The deepest loop nest in which first and last iterations are interpreted apart.
const MAX_SPLIT_DEPTH: u32 = 4;

/// A loop statement.
struct Loop<'a> {
    label: LabelId,
    condition: Option<ExprId>,
    /// Whether the condition is tested after the body.
    tests_last: bool,
    update: &'a [ExprId],
    body: StmtId,
    /// Variables that count through a range in steps of one: their first and last values.
    counters: Vec<(LocalId, Number, Number)>,
    /// Whether the counters belong to the loop, which sets them.
    sets_counters: bool,
    /// Variables that each iteration sets to a value that is not known.
    elements: Vec<LocalId>,
    /// Where the last value is written.
    last: Option<ExprId>,
    /// Whether each iteration only starts an activity.
    is_parallel: bool,
}

impl Loop<'_> {
    /// Whether the counters have no values for certain.
    fn is_empty(&self) -> bool {
        self.counters.iter().any(|(_, first, last)| first.decides(Comparison::Greater, last) == Some(true))
    }
}

/// What the iterations of a loop have led to.
pub(super) struct Fixpoint {
    /// The state before the loop.
    entry: State,
    /// The counters of the loop.
    counters: Vec<(LocalId, Number, Number)>,
    /// The state before any iteration.
    head: State,
    /// The iteration from there.
    last_round: Round,
}

/// What an iteration makes of the state before it.
#[derive(Clone)]
struct Round {
    next: State,
    exit: State,
    jumps: Jumps,
}

/// Which iterations a pass over the body is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    All,
    First,
    Last,
}

impl<'a> Interpreter<'a> {
    pub(super) fn loop_statement(&mut self, id: StmtId) {
        let Some(the_loop) = self.enter_loop(id) else { return };
        if !self.state.live {
            return;
        }
        let is_certain = self.certain_after(&[the_loop.body]);
        let parts = assigning_parts(&the_loop);
        self.loop_depth += 1;
        let may_fail = self.may_report() && self.loop_may_fail(id);
        // What fails in all iterations fails in the first one too.
        let reports = may_fail && (self.iterations.is_empty() || !self.splits_iterations());
        let first = may_fail.then(|| self.first_iteration(&the_loop)).flatten();
        let (head, last_round) = self.fixpoint(id, &the_loop, first);
        if may_fail {
            self.last_iteration(&the_loop, &head);
        }
        let (mut exit, jumps) = match last_round {
            // The last round has found the same from the same state, and there is nothing more to report.
            Some(round) if !reports => {
                self.state = round.next;
                (round.exit, round.jumps)
            }
            // No iteration changes what is known.
            None if !reports && !the_loop.tests_last && self.keeps_state(the_loop.body, &parts) => {
                self.leave_by_calls_in(the_loop.body);
                let exit = match the_loop.condition {
                    Some(condition) => self.condition(condition),
                    None => self.state.clone(),
                };
                (exit, Jumps::none())
            }
            _ => {
                self.state = head;
                self.iteration(&the_loop, Pass::All)
            }
        };
        self.loop_depth -= 1;
        if the_loop.condition.is_none() && the_loop.sets_counters {
            // The range ends before the first or after some iteration.
            exit.join(&self.state);
        }
        self.state = exit;
        self.state.join(&jumps.breaks);
        self.state.is_certain = is_certain;
    }

    /// Interprets what comes before the first iteration. `None` if there is none.
    fn enter_loop(&mut self, id: StmtId) -> Option<Loop<'a>> {
        let body = self.body;
        let (label, condition, tests_last, update, code): (_, _, _, &[ExprId], _) = match &body.stmt(id).kind
        {
            StmtKind::While { label, condition, body } => (*label, Some(*condition), false, &[], *body),
            StmtKind::DoWhile { label, condition, body } => (*label, Some(*condition), true, &[], *body),
            StmtKind::For { label, init, condition, update, body } => {
                init.iter().for_each(|it| self.stmt(*it));
                (*label, *condition, false, update, *body)
            }
            StmtKind::ForIn { label, body, .. } => (*label, None, false, &[], *body),
            _ => return None,
        };
        let mut the_loop = Loop {
            label,
            condition,
            tests_last,
            update,
            body: code,
            counters: Vec::new(),
            sets_counters: false,
            elements: Vec::new(),
            last: None,
            is_parallel: self.only_starts_activity(code),
        };
        if let StmtKind::ForIn { local, components, iterable, iteration, .. } = &body.stmt(id).kind {
            let value = self.expr(*iterable);
            self.check_null(*iterable, &value);
            the_loop.sets_counters = true;
            the_loop.elements.push(*local);
            the_loop.elements.extend(components);
            self.range_counters(&mut the_loop, &value, (*local, components), *iterable, iteration);
            let is_empty_rail =
                value.reference().and_then(|it| it.length).is_some_and(|it| it.range.greatest() == 0);
            if the_loop.is_empty() || is_empty_rail {
                return None;
            }
        } else if let Some((counter, first, last, written)) = self.counted(&the_loop) {
            the_loop.counters.push((counter, first, last));
            the_loop.last = written;
        }
        Some(the_loop)
    }

    /// The counters of `for (i in a..b)` and `for ([i, j] in a..b * c..d)`.
    fn range_counters(
        &mut self,
        the_loop: &mut Loop<'_>,
        iterable: &Value,
        (local, components): (LocalId, &[LocalId]),
        written: ExprId,
        iteration: &Iterates,
    ) {
        let Value::Ranges(axes) = iterable else { return };
        let variables = match (&axes[..], iteration) {
            ([_], Iterates::IntRange | Iterates::LongRange) => vec![local],
            _ if axes.len() == components.len() => components.to_vec(),
            _ => return,
        };
        let counters = variables.into_iter().zip(axes).map(|(local, (first, last))| (local, *first, *last));
        the_loop.counters = counters.collect();
        the_loop.last = match &self.body.expr(self.without_conversions(written)).kind {
            ExprKind::Call { receiver, args, .. } if axes.len() == 1 => {
                receiver.iter().chain(args).nth(1).map(|it| self.without_conversions(*it))
            }
            _ => None,
        };
    }

    /// The counter of `for (...; i < n; i++)`, if nothing else changes it.
    fn counted(&mut self, the_loop: &Loop<'_>) -> Option<(LocalId, Number, Number, Option<ExprId>)> {
        let ([update], false) = (the_loop.update, the_loop.tests_last) else { return None };
        let (sign, left, right) = self.comparison(the_loop.condition?)?;
        let ExprKind::Local(counter) = self.body.expr(self.without_conversions(left)).kind else {
            return None;
        };
        let assigns_it = |it: &Self, node: Node| {
            let mut count = 0;
            it.body.walk(node, &mut |node| {
                count += u32::from(matches!(node, Node::Expr(id) if matches!(it.body.expr(id).kind,
                    ExprKind::Assign { target: AssignTarget::Local(local), .. } if local == counter)));
                true
            });
            count
        };
        let is_counter = !self.is_shared(counter)
            && self.adds_one(*update, counter)
            && assigns_it(self, Node::Expr(*update)) == 1
            && assigns_it(self, Node::Stmt(the_loop.body)) == 0;
        if !is_counter {
            return None;
        }
        let first = self.local_value(counter).number()?;
        // The bound is the same in all iterations if it depends on nothing that the loop assigns.
        let assigned = self.assigned_in(the_loop.body, &assigning_parts(the_loop));
        let bound = self.quietly(|it| {
            assigned.iter().for_each(|variable| it.state.forget(*variable));
            it.expr(right).number()
        });
        let bound = bound.filter(Number::is_exact)?;
        let last = match sign {
            Comparison::LessEqual => bound,
            Comparison::Less => self.shifted(&bound, -1)?,
            _ => return None,
        };
        let written = (sign == Comparison::LessEqual).then(|| self.without_conversions(right));
        Some((counter, first, last, written))
    }

    /// `number + by`, if it does not wrap.
    fn shifted(&self, number: &Number, by: i64) -> Option<Number> {
        let range = number.range.binary("+", Interval::constant(by.into()), 64)?;
        let all = Interval::between(i64::MIN.into(), i64::MAX.into());
        let (range, true) = range.wrapped(all) else { return None };
        let relation = Number::shifted(number.relation, Interval::constant(by.into()));
        Some(Number { range, relation, origin: None })
    }

    fn adds_one(&self, update: ExprId, counter: LocalId) -> bool {
        let mut found = false;
        self.body.walk(Node::Expr(update), &mut |node| {
            if let Node::Expr(id) = node
                && let ExprKind::Assign { target: AssignTarget::Local(local), value } =
                    self.body.expr(id).kind
                && local == counter
                && let Some(("+", left, right)) = self.operator(value)
            {
                let left = &self.body.expr(self.without_conversions(left)).kind;
                let right = &self.body.expr(self.without_conversions(right)).kind;
                found = matches!(left, ExprKind::Local(it) if *it == counter)
                    && matches!(right, ExprKind::Literal(Literal::Int(1)));
            }
            true
        });
        found
    }

    /// Whether a statement only starts an activity.
    fn only_starts_activity(&self, stmt: StmtId) -> bool {
        match &self.body.stmt(stmt).kind {
            StmtKind::Block(stmts) => matches!(stmts[..], [only] if self.only_starts_activity(only)),
            kind => matches!(kind, StmtKind::Async { .. }),
        }
    }

    /// One iteration. Afterwards the state is that before the next one; the result is the state where the
    /// condition does not hold, or that before the iteration, and those at jumps.
    fn iteration(&mut self, the_loop: &Loop<'_>, pass: Pass) -> (State, Jumps) {
        let mut exit = State::dead();
        let enters = self.enters(the_loop, pass);
        if the_loop.sets_counters {
            exit = self.state.clone();
            self.state.is_certain &= enters;
            the_loop.elements.iter().for_each(|it| self.state.forget(Variable::Local(*it)));
        }
        self.set_counters(the_loop, pass);
        if let (Some(condition), false) = (the_loop.condition, the_loop.tests_last) {
            exit = self.loop_condition(condition, enters);
        }
        let jumps = self.with_label(the_loop.label, |it| it.stmt(the_loop.body));
        self.state.join(&jumps.continues);
        the_loop.update.iter().for_each(|it| {
            self.expr(*it);
        });
        if let (Some(condition), true) = (the_loop.condition, the_loop.tests_last) {
            exit = self.loop_condition(condition, true);
        }
        (exit, jumps)
    }

    /// The test of a loop; afterwards the state is that of an iteration.
    fn loop_condition(&mut self, condition: ExprId, enters: bool) -> State {
        let is_certain = self.state.is_certain;
        let exit = self.condition(condition);
        self.state.is_certain = is_certain && (enters || !exit.live);
        exit
    }

    /// Whether a pass may suppose that the loop has an iteration: a statement about an outermost loop is one
    /// about executions that get there, and the ends of an inner loop are known, or do not depend on the
    /// loops around it.
    fn enters(&self, the_loop: &Loop<'_>, pass: Pass) -> bool {
        let are_known = |it: &(LocalId, Number, Number)| it.1.is_exact() && it.2.is_exact();
        let is_outermost = pass != Pass::All && self.iterations.len() == 1;
        let are_all_known = !the_loop.counters.is_empty() && the_loop.counters.iter().all(are_known);
        !the_loop.is_empty() && (is_outermost || are_all_known)
    }

    fn set_counters(&mut self, the_loop: &Loop<'_>, pass: Pass) {
        for (local, first, last) in &the_loop.counters {
            let value = match pass {
                Pass::First => *first,
                Pass::Last => *last,
                Pass::All if !the_loop.sets_counters => continue,
                Pass::All => {
                    let low = first.range.least();
                    let range = Interval::between(low, last.range.greatest().max(low));
                    let relation = first.relation.map(|it| Relation { is_exact: false, ..it });
                    Number { range, relation, origin: None }
                }
            };
            let symbol = Symbol::Value(Variable::Local(*local));
            let is_set = the_loop.sets_counters || pass != Pass::First;
            if is_set && !self.is_shared(*local) {
                self.state.forget(Variable::Local(*local));
                self.state.set(symbol, Value::Number(Number { origin: None, ..value }));
            }
        }
    }

    /// Whether the first and last iterations are interpreted apart here.
    fn splits_iterations(&self) -> bool {
        self.may_report() && self.loop_depth <= MAX_SPLIT_DEPTH && self.remaining_visits > 0
    }

    /// Interprets the first iteration for reports. The result is that of a round from the state before the
    /// loop, if that has the values of the first iteration.
    fn first_iteration(&mut self, the_loop: &Loop<'_>) -> Option<Round> {
        if !self.splits_iterations() {
            return None;
        }
        let before = self.state.clone();
        let may_have_left = before.may_have_left;
        let (mut exit, mut jumps) = self.apart(the_loop, Pass::First);
        let mut next = std::mem::replace(&mut self.state, before);
        for state in [&mut next, &mut exit, &mut jumps.breaks, &mut jumps.continues] {
            state.may_have_left |= may_have_left;
        }
        (!the_loop.sets_counters).then_some(Round { next, exit, jumps })
    }

    /// The last iteration of a counted loop that nothing leaves early.
    fn last_iteration(&mut self, the_loop: &Loop<'_>, head: &State) {
        let exits = self.exits_of(the_loop.body);
        let may_leave = exits.by_jump || (exits.by_call && !self.is_in_kernel);
        let has_last = !the_loop.counters.is_empty() && !the_loop.is_empty();
        if self.splits_iterations() && has_last && (the_loop.is_parallel || !may_leave) {
            let before = std::mem::replace(&mut self.state, head.clone());
            self.apart(the_loop, Pass::Last);
            self.state = before;
        }
    }

    /// One iteration whose certain failures are reported as such.
    fn apart(&mut self, the_loop: &Loop<'_>, pass: Pass) -> (State, Jumps) {
        let amount = |it: &(LocalId, Number, Number)| {
            let value = if pass == Pass::First { it.1 } else { it.2 };
            (it.0, value.amount())
        };
        let kind = match pass {
            _ if the_loop.is_parallel => IterationKind::Activity,
            Pass::First => IterationKind::First,
            _ => IterationKind::Last,
        };
        let last = the_loop.last.filter(|_| pass == Pass::Last).map(|it| self.range(it));
        let variables = the_loop.counters.iter().map(amount).collect();
        if self.iterations.is_empty() {
            self.state.is_certain = true;
            self.state.may_have_left = false;
        }
        self.iterations.push(Iteration { variables, kind, last });
        let result = self.iteration(the_loop, pass);
        self.iterations.pop();
        result
    }

    /// The state before any iteration, and the iteration from there if it was interpreted. The state is kept
    /// for the next time that the loop is entered alike: in the last round of a loop around it, and then
    /// once more with reports.
    fn fixpoint(
        &mut self,
        id: StmtId,
        the_loop: &Loop<'_>,
        mut first: Option<Round>,
    ) -> (State, Option<Round>) {
        let assigned = self.assigned_in(the_loop.body, &assigning_parts(the_loop));
        if !assigned.iter().any(|it| self.state.knows(*it)) {
            return (self.state.clone(), None);
        }
        if let Some(known) = self.fixpoints.get(&id)
            && known.entry == self.state
            && known.counters == the_loop.counters
        {
            return (known.head.clone(), Some(known.last_round.clone()));
        }
        let entry = self.state.clone();
        let mut head = entry.clone();
        if self.loop_depth <= MAX_REPEATED_DEPTH && self.remaining_visits > 0 {
            for round in 0..MAX_ROUNDS {
                let before = head.clone();
                let after = first.take().unwrap_or_else(|| {
                    self.quietly(|it| {
                        it.state = before.clone();
                        let (exit, jumps) = it.iteration(the_loop, Pass::All);
                        Round { next: it.state.clone(), exit, jumps }
                    })
                });
                let longs = Interval::between(i64::MIN.into(), i64::MAX.into());
                let all = |symbol: Symbol| match symbol {
                    Symbol::Value(Variable::Local(local)) => {
                        self.facts.of_type(self.body.local(local).ty).integers().unwrap_or(longs)
                    }
                    _ => longs,
                };
                let is_certain = head.is_certain;
                head.join_with(&after.next, &|symbol, before, joined| match round >= FIRST_WIDENED_ROUND {
                    true => before.widen_within(joined, all(symbol)),
                    false => joined,
                });
                head.is_certain = is_certain;
                if head == before {
                    let counters = the_loop.counters.clone();
                    let fixpoint =
                        Fixpoint { entry, counters, head: head.clone(), last_round: after.clone() };
                    self.fixpoints.insert(id, fixpoint);
                    return (head, Some(after));
                }
            }
        }
        assigned.iter().for_each(|it| head.forget(*it));
        (head, None)
    }
}

/// The expressions besides the body that each iteration evaluates.
fn assigning_parts(the_loop: &Loop<'_>) -> Vec<ExprId> {
    the_loop.update.iter().copied().chain(the_loop.condition).collect()
}
