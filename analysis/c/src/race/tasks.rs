//! Tasks and the waits for them.

use apg_kernels::fork_join::{Dependence, DependenceKind, Step, Task, task};

use super::Lowering;
use super::values::Value;
use crate::hir::{Directive, DirectiveId, ExprKind};

impl Lowering<'_> {
    /// Ends the tasks for which `ends` holds at this position.
    pub(super) fn end_tasks(&mut self, ends: impl Fn(usize, &Task) -> bool) {
        self.time += 1;
        let time = self.time;
        for (number, task) in self.tasks.iter_mut().enumerate() {
            if task.end == u32::MAX && ends(number, task) {
                task.end = time;
                // A wait in the loop that makes the task: the next one is made after it.
                task.is_repeated &= !self.loops.iter().any(|it| it.start == task.loop_start);
            }
        }
    }

    pub(super) fn taskwait(&mut self, directive: &Directive) {
        let dependences = self.dependences(directive);
        match directive.clause("depend").is_some() {
            true => self.wait_for(&dependences),
            false => {
                let parent = self.task;
                self.end_tasks(|_, it| it.parent == parent);
            }
        }
    }

    /// Waits for the tasks that these dependences order before.
    fn wait_for(&mut self, dependences: &[Dependence]) {
        let parent = self.task;
        let siblings = |it: &Task| it.parent == parent && it.end == u32::MAX;
        let mut awaited: Vec<usize> = Vec::new();
        for (number, it) in self.tasks.iter().enumerate().filter(|it| siblings(it.1)) {
            if it.dependences.iter().any(|a| dependences.iter().any(|b| task::conflicts(a, b))) {
                awaited.push(number);
            }
        }
        // Those they wait for have ended too.
        for number in 0..self.tasks.len() {
            let is_before =
                |it: &usize| number < *it && task::is_ordered(&self.tasks, number as u32, *it as u32);
            if awaited.iter().any(is_before) && !awaited.contains(&number) {
                awaited.push(number);
            }
        }
        self.end_tasks(|number, _| awaited.contains(&number));
    }

    pub(super) fn taskgroup(&mut self, directive: &Directive) {
        let first = self.tasks.len();
        directive.body.into_iter().for_each(|it| self.stmt(it));
        self.end_tasks(|number, _| number >= first);
    }

    fn dependences(&mut self, directive: &Directive) -> Vec<Dependence> {
        let mut found = Vec::new();
        let clauses: Vec<_> = directive.clauses_named("depend").cloned().collect();
        for clause in clauses {
            let kind = match clause.modifier() {
                Some("in") => DependenceKind::In,
                Some("out" | "inout") => DependenceKind::Out,
                Some("mutexinoutset") => DependenceKind::MutexInOutSet,
                Some("inoutset") => DependenceKind::InOutSet,
                // Objects of dependences may have any.
                Some("depobj") => {
                    let (kind, object) = (DependenceKind::Out, task::ALL_MEMORY);
                    found.push(Dependence { kind, object, selectors: Vec::new() });
                    continue;
                }
                _ => continue,
            };
            let is_all = |it: &crate::hir::Item| it.word.as_deref() == Some("omp_all_memory");
            if clause.items.iter().any(is_all) {
                let object = task::ALL_MEMORY;
                found.push(Dependence { kind, object, selectors: Vec::new() });
            }
            for expr in clause.items.iter().filter_map(|it| it.expr) {
                let region = self.region.take();
                let place = match self.program.expr(expr).kind {
                    ExprKind::Section(base, low, _) => {
                        let base = self.value(base);
                        // A section without a lower bound starts at the first element.
                        let low = match low {
                            Some(low) => self.value(low),
                            None => Some(Value::integer(0)),
                        };
                        match (base, low.as_ref().and_then(Value::as_integer)) {
                            (Some(Value::Pointer(place)), low) => Some(place.moved(low, false)),
                            _ => None,
                        }
                    }
                    _ => self.place(expr),
                };
                self.region = region;
                if let Some(place) = place {
                    found.push(Dependence { kind, object: place.object, selectors: place.selectors });
                }
            }
        }
        found
    }

    pub(super) fn task(&mut self, id: DirectiveId, directive: &Directive) {
        let Some(body) = directive.body else { return };
        let dependences = self.dependences(directive);
        let condition = directive.clause("if").and_then(|it| it.items.first()).and_then(|it| it.expr);
        let is_undeferred = condition.and_then(|it| self.program.constant(it)) == Some(0);
        if is_undeferred {
            self.wait_for(&dependences);
        }
        // Outside of a team the thread that meets a task executes it.
        let is_inline = is_undeferred || self.innermost_team().is_none();
        let replaced = if is_inline {
            let replaced = self.enter_environment(id);
            self.stmt(body);
            replaced
        } else {
            self.deferred_task(id, body, dependences)
        };
        self.leave_environment(replaced);
    }

    fn deferred_task(
        &mut self,
        id: DirectiveId,
        body: crate::hir::StmtId,
        dependences: Vec<Dependence>,
    ) -> super::clauses::Replaced {
        self.time += 1;
        let number = self.tasks.len() as u32;
        // The loops inside of what executes the construct.
        let depth = self.path.len();
        let own: Vec<_> = self.loops.iter().filter(|it| it.depth == depth).collect();
        self.tasks.push(Task {
            parent: self.task,
            start: self.time,
            last: u32::MAX,
            end: u32::MAX,
            counters: own.iter().filter_map(|it| it.counter).collect(),
            is_repeated: !own.is_empty(),
            loop_start: own.first().map_or(self.time, |it| it.start),
            dependences,
        });
        let around = self.task.replace(number);
        let values = self.values.clone();
        let locks = std::mem::take(&mut self.locks);
        self.path.push(Step::Task(number));
        let replaced = self.enter_environment(id);
        self.stmt(body);
        self.time += 1;
        self.tasks[number as usize].last = self.time;
        self.path.pop();
        self.locks = locks;
        self.values = values;
        self.forget_shared_after(body);
        self.task = around;
        self.time += 1;
        replaced
    }

    /// What a task assigns is not known to the code after it.
    fn forget_shared_after(&mut self, body: crate::hir::StmtId) {
        let effects = self.effects_of(body);
        for variable in effects.assigned.iter().copied() {
            if self.scope.contains_key(&variable) || self.program.variable(variable).has_static_storage() {
                let object = self.object(variable);
                self.values.remove(object);
            }
        }
    }
}
