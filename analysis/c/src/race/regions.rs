//! Execution of directives: teams, divided loops, sections, critical and ordered regions.

use apg_c_syntax::Family;
use apg_kernels::fork_join::{self, Step, Symbol};

use super::Lowering;
use super::iterations::Bounds;
use super::values::{LockKey, Value};
use crate::hir::{Construct, Directive, DirectiveId, StmtId, StmtKind};
use crate::loops;
use crate::updates;

impl<'p> Lowering<'p> {
    pub(super) fn directive(&mut self, id: DirectiveId) {
        let program = self.program;
        let directive = program.directive(id);
        use Construct::*;
        // What a `metadirective` or a loop transformation becomes is not known. Constructs of OpenACC have
        // other rules: gangs without barriers, scalars of their own.
        let known = directive.constructs.first().filter(|_| directive.family != Family::OpenAcc);
        let Some(first) = known.copied() else {
            let before = std::mem::replace(&mut self.is_synchronised_by_hand, true);
            directive.body.into_iter().for_each(|it| self.stmt(it));
            self.is_synchronised_by_hand = before;
            return;
        };
        match first {
            Barrier => self.barrier(),
            Taskwait => self.taskwait(directive),
            Taskgroup => self.taskgroup(directive),
            Task => self.task(id, directive),
            Critical => {
                let name = directive.argument.first().and_then(|it| it.word.as_deref()).unwrap_or("");
                let lock = self.lock(LockKey::Critical(name.to_owned()));
                self.with_lock(Some(lock), directive.body);
            }
            Ordered => {
                let lock = self.ordered;
                self.with_lock(lock, directive.body);
            }
            Atomic => self.atomic_region(directive),
            _ => self.region(id, directive),
        }
    }

    fn with_lock(&mut self, lock: Option<u32>, body: Option<StmtId>) {
        if self.locks.is_empty() {
            self.elections.begin();
        }
        let is_new = lock.filter(|it| self.locks.insert(*it));
        body.into_iter().for_each(|it| self.stmt(it));
        if let Some(lock) = is_new {
            self.locks.remove(&lock);
            if self.locks.is_empty() {
                self.elections.end();
            }
        }
    }

    fn atomic_region(&mut self, directive: &Directive) {
        let Some(body) = directive.body else { return };
        let program = self.program;
        let mut target = None;
        program.walk_stmt(body, &mut |node| {
            if let crate::hir::visit::Node::Expr(expr) = node {
                let kind = &program.expr(expr).kind;
                let updated = updates::update(program, expr).map(|it| it.0);
                let read = match kind {
                    crate::hir::ExprKind::Assign(None, _, value) if directive.clause("read").is_some() => {
                        Some(*value)
                    }
                    crate::hir::ExprKind::Assign(None, written, _)
                        if directive.clause("write").is_some() || directive.clause("compare").is_some() =>
                    {
                        Some(*written)
                    }
                    _ => None,
                };
                target = target.or(read).or(updated);
            }
            true
        });
        let target = target.or_else(|| updates::exchanged(program, body));
        let before = std::mem::replace(&mut self.atomic, target);
        let is_compared = directive.clause("compare").is_some();
        let around = std::mem::replace(&mut self.is_compared, is_compared);
        let is_election = self.locks.is_empty() && directive.clause("capture").is_some();
        if is_election {
            self.elections.begin();
            self.elections.is_captured = true;
        }
        self.stmt(body);
        if is_election {
            self.elections.is_captured = false;
            self.elections.end();
        }
        (self.atomic, self.is_compared) = (before, around);
    }

    /// Whether a clause's only value is this constant.
    fn is_constant(&mut self, directive: &Directive, clause: &str, value: i128) -> bool {
        let expr = directive.clause(clause).and_then(|it| it.items.first()).and_then(|it| it.expr);
        expr.and_then(|it| self.program.constant(it)) == Some(value)
    }

    fn region(&mut self, id: DirectiveId, directive: &'p Directive) {
        use Construct::*;
        let Some(body) = directive.body else { return };
        for clause in &directive.clauses {
            if matches!(clause.name.as_str(), "if" | "num_threads" | "num_teams" | "thread_limit") {
                clause.items.iter().filter_map(|it| it.expr).for_each(|it| {
                    self.value(it);
                });
            }
        }
        if directive.has(Target) && directive.clause("depend").is_some() {
            // The thread waits until the tasks have ended that the task of the device depends on.
            self.taskwait(directive);
        }
        self.touch_originals(directive, true);
        let depth = self.path.len();
        let (count, region) = (self.constraints.len(), self.region);
        let values = self.values.clone();
        let (ordered, synchronised) = (self.ordered, self.is_synchronised_by_hand);
        let is_team = directive.has(Parallel) || directive.has(Teams);
        if is_team || directive.has(Simd) {
            self.met.insert(id);
            if self.region.is_none() {
                self.region = Some(id);
                let effects = self.effects_of(body);
                let directives = self.directives_in(body);
                self.has_tasks = directives.iter().any(|it| self.program.directive(*it).has(Task));
                self.written = effects.assigned.union(&effects.addressed).copied().collect();
            }
        }
        let is_serial = self.is_constant(directive, "if", 0) || self.is_constant(directive, "num_threads", 1);
        let is_one_team = self.is_constant(directive, "num_teams", 1);
        let is_league = directive.has(Teams) && !is_one_team;
        if is_league {
            self.push_team(false);
        } else if directive.has(Parallel) && !is_serial && !self.divides_league(directive) {
            self.push_team(true);
        }
        let replaced = self.region_body(id, directive, body);
        self.leave_environment(replaced);
        self.path.truncate(depth);
        self.constraints.truncate(count);
        self.touch_originals(directive, false);
        let waits = directive.constructs.last().is_some_and(|it| it.is_worksharing() && *it != Loop)
            || directive.has(For);
        if waits && !directive.has(Parallel) && directive.clause("nowait").is_none() {
            self.barrier();
        }
        self.region = region;
        self.ordered = ordered;
        if self.region.is_none() {
            // After the region memory has what its threads stored.
            self.is_synchronised_by_hand = synchronised;
            self.values = values;
            self.forget_assigned(body);
            self.written.clear();
        }
    }

    /// Whether the iterations of a loop are divided among the teams of the league around it.
    fn divides_league(&self, directive: &Directive) -> bool {
        directive.has(Construct::Distribute)
            && matches!(self.path.last(), Some(Step::Team { synchronises: false, .. }))
    }

    fn push_team(&mut self, synchronises: bool) {
        let region = self.fresh_region();
        let thread = self.fresh_symbol(Symbol::Own);
        // Threads are numbered from zero.
        self.require_at_most(&fork_join::Value::from_constant(0), &fork_join::Value::symbol(thread), 0);
        let around = self.counters();
        self.path.push(Step::Team { region, thread, phase: 0, synchronises, around });
    }

    /// The parts of a region inside of its team.
    fn region_body(
        &mut self,
        id: DirectiveId,
        directive: &'p Directive,
        body: StmtId,
    ) -> super::clauses::Replaced {
        use Construct::*;
        let last = directive.constructs.last().copied();
        if directive.is_loop() && (self.is_parallel() || directive.has(Simd)) {
            return self.loop_region(id, directive, body);
        }
        match last {
            Some(Sections) => {
                let replaced = self.enter_environment(id);
                self.sections(body);
                return replaced;
            }
            Some(Single) if self.is_parallel() => {
                let region = self.fresh_region();
                self.path.push(Step::Single { region });
            }
            Some(Master) if self.is_parallel() => self.path.push(Step::Master),
            Some(Masked) if self.is_parallel() => {
                let region = self.fresh_region();
                self.path.push(if directive.clause("filter").is_some() {
                    Step::Single { region }
                } else {
                    Step::Master
                });
            }
            _ => {}
        }
        let replaced = self.enter_environment(id);
        self.stmt(body);
        replaced
    }

    /// A loop that is divided among threads, tasks or lanes.
    fn loop_region(
        &mut self,
        id: DirectiveId,
        directive: &'p Directive,
        body: StmtId,
    ) -> super::clauses::Replaced {
        use Construct::*;
        let (found, problem) = loops::associated(self.program, directive);
        if found.is_empty() || problem.is_some() {
            // A loop that another directive transforms, or a wrong one: its iterations are not known.
            let before = std::mem::replace(&mut self.is_synchronised_by_hand, true);
            let replaced = self.enter_environment(id);
            self.stmt(body);
            self.is_synchronised_by_hand = before;
            return replaced;
        }
        let bounds: Vec<Bounds> = found.iter().map(|it| self.bounds(it)).collect();
        let counters: Vec<Symbol> = found.iter().map(|_| self.fresh_symbol(Symbol::Own)).collect();
        for (symbol, it) in counters.iter().zip(&found) {
            self.counter_names.insert(*symbol, it.variable);
        }
        let region = self.fresh_region();
        let divides = directive.has(For) || directive.has(Distribute) || directive.has(Loop);
        let step = if directive.has(Taskloop) {
            Step::Taskloop { region, counters: counters.clone() }
        } else if divides {
            let space = self.static_space(directive, &bounds);
            Step::Iteration { region, counters: counters.clone(), space }
        } else {
            let clause = directive.clause("safelen").and_then(|it| it.items.first()).and_then(|it| it.expr);
            let safe_distance =
                clause.and_then(|it| self.program.constant(it)).and_then(|it| i64::try_from(it).ok());
            let (counter, outer) = counters.split_last().expect("a loop was found");
            let mut around = self.counters();
            around.extend(outer);
            Step::Lane { region, counter: *counter, safe_distance, around }
        };
        self.path.push(step);
        if directive.clause("ordered").is_some() {
            let lock = self.lock(LockKey::Ordered(region));
            self.ordered = Some(lock);
            // Iterations that wait for others by `depend(sink: ...)` are not judged.
            if directive.clause("ordered").is_some_and(|it| !it.items.is_empty()) {
                self.is_synchronised_by_hand = true;
            }
        }
        let replaced = self.enter_environment(id);
        // Inner bounds may use outer counters, and are evaluated again.
        for (number, it) in found.iter().enumerate() {
            let bounds = if number == 0 { bounds[0].clone() } else { self.bounds(it) };
            let object = self.make_object(it.variable);
            match self.counter_value(it, &bounds, counters[number]) {
                Some(value) => self.values.insert(object, Value::Integer(value)),
                None => self.values.remove(object),
            };
        }
        if let Some(innermost) = found.last() {
            let counters = self.values.clone();
            self.forget_assigned(innermost.body);
            for it in &found {
                let object = self.object(it.variable);
                if let Some(value) = counters.get(object) {
                    self.values.insert(object, value.clone());
                }
            }
            self.stmt(innermost.body);
        }
        replaced
    }

    /// The number of an iteration space that is divided statically.
    fn static_space(&mut self, directive: &Directive, bounds: &[Bounds]) -> Option<u32> {
        let schedule = directive.clause("schedule").filter(|it| it.word() == Some("static"));
        let is_reproducible = directive.clause("order").is_some_and(|it| {
            it.items.iter().any(|it| it.word.as_deref() == Some("reproducible"))
                || it.modifier() == Some("reproducible")
        });
        if schedule.is_none() && !is_reproducible {
            return None;
        }
        let chunk = schedule.and_then(|it| it.items.get(1)).and_then(|it| it.expr);
        let chunk = match chunk {
            Some(chunk) => Some(Value::integer(i64::try_from(self.program.constant(chunk)?).ok()?)),
            None => None,
        };
        let mut key = vec![chunk];
        for it in bounds {
            key.push(Some(Value::Integer(it.start.clone()?)));
            key.extend(it.ends.clone()?.into_iter().map(|it| Some(Value::Integer(it))));
            key.push(Some(Value::integer(it.amount?)));
        }
        let known = self.spaces.iter().position(|it| *it == key);
        let number = known.unwrap_or_else(|| {
            self.spaces.push(key);
            self.spaces.len() - 1
        });
        u32::try_from(number).ok()
    }

    fn sections(&mut self, body: StmtId) {
        let region = self.fresh_region();
        let stmts = match &self.program.stmt(body).kind {
            StmtKind::Block(stmts) => stmts.clone(),
            _ => vec![body],
        };
        let is_parallel = self.is_parallel();
        for (index, stmt) in stmts.into_iter().enumerate() {
            let section = match &self.program.stmt(stmt).kind {
                StmtKind::Directive(it) if self.program.directive(*it).has(Construct::Section) => Some(*it),
                _ => None,
            };
            // Statements before the first `section` are a section too.
            let number = section.map_or(0, |_| index as u32 + 1);
            if is_parallel {
                self.path.push(Step::Section { region, number });
            }
            let synchronised = self.is_synchronised_by_hand;
            match section {
                Some(it) => self.program.directive(it).body.into_iter().for_each(|it| self.stmt(it)),
                None => self.stmt(stmt),
            }
            if is_parallel {
                self.path.pop();
            }
            // Another thread executes the next section.
            self.is_synchronised_by_hand = synchronised;
        }
    }

    /// All threads of the innermost team wait for each other and for all tasks.
    pub(super) fn barrier(&mut self) {
        if let Some(team) = self.innermost_team()
            && team + 1 == self.path.len()
            && let Step::Team { phase, .. } = &mut self.path[team]
        {
            *phase += 1;
        }
        self.end_tasks(|_, _| true);
    }
}
