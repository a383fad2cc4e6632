//! The loop construct (OpenMP 2.5, section 2.5.1): each thread takes chunks of the logical iterations, by the
//! schedule of its clause.

use apg_c_analysis::hir::{Directive, StmtId};
use apg_c_analysis::loops;
use apg_mir::{self as mir, Expr, LabelId, Operation, Stmt, Ty};

use super::clauses::Environment;
use crate::body::{Body, Jumps, binary, int, local_value};
use crate::loops::{Space, check_perfect_nest, not_canonical};
use crate::unsupported::{Lowered, unsupported};

/// Schedules, as apg_team.h numbers them.
pub(super) mod schedule {
    pub(in crate::team) const ANY: i64 = 0;
    pub(in crate::team) const STATIC: i64 = 1;
    pub(in crate::team) const CHUNKS: i64 = 2;
    pub(in crate::team) const DYNAMIC: i64 = 3;
    pub(in crate::team) const GUIDED: i64 = 4;
    pub(in crate::team) const RUNTIME: i64 = 5;
}

impl Body<'_, '_> {
    /// A loop whose iterations the threads of the team share.
    pub(super) fn worksharing_loop(&mut self, directive: &Directive) -> Lowered<()> {
        let hir = self.unit.hir;
        let (found, problem) = loops::associated(hir, directive);
        if let Some(problem) = problem {
            return not_canonical(hir, problem, directive.range);
        }
        if found.is_empty() || found.len() < loops::loop_count(hir, directive) {
            let message = "a directive stands between the loops";
            return unsupported(directive.range, message, "`collapse` fewer loops");
        }
        check_perfect_nest(hir, &found)?;
        let Some(body) = found.last().map(|it| it.body) else { return Ok(()) };
        let environment = self.enter_environment(directive)?;
        for counter in &found {
            if environment.last.iter().any(|it| it.variable == counter.variable) {
                let message = "the last value of the iteration variable has no device form";
                return unsupported(directive.range, message, "assign it to another variable in the loop");
            }
        }
        let space = self.iteration_space(&found)?;
        let (kind, chunk) = self.schedule(directive)?;
        let is_ordered = directive.clause("ordered").is_some();
        let args = vec![int(Ty::I32, kind), space.total.clone(), chunk, int(Ty::I32, i64::from(is_ordered))];
        self.call_entry("team_loop_begin", args);
        self.chunks(&space, &environment, is_ordered, body)?;
        self.call_entry("team_loop_leave", Vec::new());
        self.leave_environment(environment)?;
        self.end_worksharing(directive);
        Ok(())
    }

    /// The barrier at the end of a worksharing construct. A parallel region has one of its own.
    pub(super) fn end_worksharing(&mut self, directive: &Directive) {
        let is_region = directive.has(apg_c_analysis::hir::Construct::Parallel);
        if directive.clause("nowait").is_none() && !is_region {
            self.call_entry("team_synchronize", Vec::new());
        }
    }

    /// The schedule of a loop, and its chunk.
    fn schedule(&mut self, directive: &Directive) -> Lowered<(i64, Expr)> {
        let one = int(Ty::I64, 1);
        let Some(clause) = directive.clause("schedule") else { return Ok((schedule::ANY, one)) };
        let chunk = match clause.items.get(1).and_then(|it| it.expr) {
            Some(expr) => {
                let value = self.value(expr)?;
                Some(self.convert_to(value, Ty::I64, clause.range)?)
            }
            None => None,
        };
        let kind = match (clause.word().unwrap_or_default(), &chunk) {
            ("static", None) => schedule::STATIC,
            ("static", Some(_)) => schedule::CHUNKS,
            ("dynamic", _) => schedule::DYNAMIC,
            ("guided", _) => schedule::GUIDED,
            ("runtime", _) => schedule::RUNTIME,
            ("auto", _) => schedule::ANY,
            (other, _) => {
                let message = format!("the schedule `{other}` is not known");
                return unsupported(clause.range, message, "write `static`, `dynamic` or `guided`");
            }
        };
        Ok((kind, chunk.unwrap_or(one)))
    }

    /// Takes chunks until there are none.
    fn chunks(
        &mut self,
        space: &Space,
        environment: &Environment,
        is_ordered: bool,
        body: StmtId,
    ) -> Lowered<()> {
        let outer = self.label();
        let (stmts, ()) = self.nested(|it| {
            it.leave_without_chunk(outer);
            it.chunk(
                |it, iteration| {
                    it.set_iteration(space, &iteration)?;
                    if is_ordered {
                        it.call_entry("team_iteration_begin", vec![iteration]);
                    }
                    it.stmt(body);
                    Ok(())
                },
                |it, iteration| {
                    if !environment.last.is_empty() {
                        let last = binary(Ty::I64, Operation::Sub, space.total.clone(), int(Ty::I64, 1));
                        let is_last = binary(Ty::Bool, Operation::Eq, iteration, last);
                        let (then, ()) = it.nested(|it| it.keep_last(environment))?;
                        it.push(mir::StmtKind::If { condition: is_last, then, otherwise: Vec::new() });
                    }
                    if is_ordered {
                        it.call_entry("team_iteration_end", Vec::new());
                    }
                    Ok(())
                },
            )
        })?;
        self.push_endless(outer, stmts);
        Ok(())
    }

    /// Leaves a loop over chunks if there is none.
    pub(super) fn leave_without_chunk(&mut self, label: LabelId) {
        let next = self.entry_value("team_loop_next", Vec::new());
        let is_over = binary(Ty::Bool, Operation::Eq, next, int(Ty::I32, 0));
        let then = vec![Stmt::new(self.span, mir::StmtKind::Break(label))];
        self.push(mir::StmtKind::If { condition: is_over, then, otherwise: Vec::new() });
    }

    /// The iterations of a chunk; `behind` follows each, also after `continue`.
    pub(super) fn chunk(
        &mut self,
        inside: impl FnOnce(&mut Self, Expr) -> Lowered<()>,
        behind: impl FnOnce(&mut Self, Expr) -> Lowered<()>,
    ) -> Lowered<()> {
        let iteration = self.local("iteration", Ty::I64);
        let current = || local_value(iteration, Ty::I64);
        let first = self.entry("team_loop_first", Vec::new());
        self.set(iteration, first);
        let end = self.entry_value("team_loop_end", Vec::new());
        let step = self.entry_value("team_loop_step", Vec::new());
        let label = self.label();
        let (body, ()) = self.nested(|it| {
            it.jumps.push(Jumps { label, has_break: false });
            let result = inside(it, current());
            it.jumps.pop();
            result
        })?;
        let (update, ()) = self.nested(|it| {
            behind(it, current())?;
            it.set(iteration, binary(Ty::I64, Operation::Add, current(), step));
            Ok(())
        })?;
        let condition = binary(Ty::Bool, Operation::Lt, current(), end);
        self.push(mir::StmtKind::Loop { label, condition, body, update, unroll: None, post_tested: false });
        Ok(())
    }

    /// A loop that only `break` leaves.
    pub(crate) fn push_endless(&mut self, label: LabelId, body: Vec<Stmt>) {
        self.push_while(label, int(Ty::Bool, 1), body);
    }

    /// A loop that executes its body while a condition holds.
    pub(super) fn push_while(&mut self, label: LabelId, condition: Expr, body: Vec<Stmt>) {
        self.push(mir::StmtKind::Loop {
            label,
            condition,
            body,
            update: Vec::new(),
            unroll: None,
            post_tested: false,
        });
    }
}
