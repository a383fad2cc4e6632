//! Which thread executes which iterations (OpenMP 5.2, sections 11.5.3 and 11.6): the chunks of `schedule` and
//! `dist_schedule`. They are obeyed where the program can see them; elsewhere neighbouring threads have
//! neighbouring iterations, so that their accesses to memory are coalesced.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{Construct, Directive, ExprKind, Program, StmtId};
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, Expr, Operation, Stmt, Ty};

use crate::body::{Body, Jumps, LastValue, binary, int, local_value};
use crate::loops::Space;
use crate::unsupported::Lowered;

/// Workers that take chunks of a range of iterations one after the other; all values are of 64 bits.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    pub worker: Expr,
    pub workers: Expr,
    /// How many iterations a chunk has; `None` is one.
    pub chunk: Option<Expr>,
}

impl Level {
    /// Each worker has every iteration that is a number of workers apart.
    pub(crate) fn of_one((worker, workers): (Expr, Expr)) -> Level {
        Level { worker, workers, chunk: None }
    }
}

/// The number of a worker and how many there are, by what workers are.
pub(crate) struct Workers {
    /// Those that share the iterations.
    pub all: (Expr, Expr),
    /// The teams of a league that divides them, and the threads of each.
    pub of_league: Option<[(Expr, Expr); 2]>,
}

/// How a clause divides iterations.
enum Chunks {
    /// As suits the device.
    Any,
    /// One chunk for each worker.
    Even,
    Of(Expr),
}

/// Whether code can see which thread executes an iteration: by the number of its thread or team.
pub(crate) fn asks_for_numbers(hir: &Program, code: StmtId) -> bool {
    let mut found = false;
    hir.walk_stmt(code, &mut |node| {
        if let Node::Expr(id) = node
            && let ExprKind::Function(function) = hir.expr(id).kind
        {
            found |= matches!(&*hir.function(function).name, "omp_get_thread_num" | "omp_get_team_num");
        }
        !found
    });
    found
}

impl Body<'_, '_> {
    /// The division of iterations that the clauses of directives ask for.
    pub(crate) fn levels(
        &mut self,
        directives: &[&Directive],
        workers: Workers,
        total: &Expr,
    ) -> Lowered<Vec<Level>> {
        let divided = |construct| directives.iter().any(|it| it.has(construct));
        let of_teams = self.chunks_of_clause(directives, "dist_schedule", total)?;
        let of_threads = self.chunks_of_clause(directives, "schedule", total)?;
        let level = |(worker, workers): (Expr, Expr), range: &Expr, chunks: Chunks| {
            let chunk = match chunks {
                Chunks::Any => None,
                Chunks::Of(chunk) => Some(chunk),
                Chunks::Even => Some(rounded_up(range, &workers)),
            };
            Level { worker, workers, chunk }
        };
        if !divided(Construct::For) {
            return Ok(vec![level(workers.all, total, of_teams)]);
        }
        Ok(match (workers.of_league, of_teams) {
            (None, _) => vec![level(workers.all, total, of_threads)],
            // Chunks of a team with one chunk for each of its threads.
            (Some(_), Chunks::Any) => match of_threads {
                Chunks::Of(_) => vec![level(workers.all, total, of_threads)],
                Chunks::Any | Chunks::Even => vec![Level::of_one(workers.all)],
            },
            (Some([team, thread]), of_teams) => {
                let outer = level(team, total, of_teams);
                let part = outer.chunk.clone().unwrap_or_else(|| int(Ty::I64, 1));
                vec![outer, level(thread, &part, of_threads)]
            }
        })
    }

    /// The chunks that a clause asks for, at least one iteration each and at most all of them.
    fn chunks_of_clause(&mut self, directives: &[&Directive], name: &str, total: &Expr) -> Lowered<Chunks> {
        let Some(clause) = directives.iter().find_map(|it| it.clause(name)) else { return Ok(Chunks::Any) };
        let Some(chunk) = clause.items.get(1).and_then(|it| it.expr) else {
            return Ok(if clause.word() == Some("static") { Chunks::Even } else { Chunks::Any });
        };
        let value = self.value(chunk)?;
        let value = self.convert_to(value, Ty::I64, clause.range)?;
        let value = binary(Ty::I64, Operation::Min, value, total.clone());
        Ok(Chunks::Of(self.temporary(binary(Ty::I64, Operation::Max, value, int(Ty::I64, 1)))))
    }

    /// The iterations of a nest that the workers of levels have, the outermost first. The one that executes
    /// the last iteration stores the values of `lastprivate` (OpenMP 5.2, section 5.4.5).
    pub(crate) fn divided_loop(
        &mut self,
        space: &Space,
        body: StmtId,
        levels: &[Level],
        last_values: &[LastValue],
    ) -> Lowered<()> {
        self.divided_range(space, body, levels, last_values, (int(Ty::I64, 0), space.total.clone()))
    }

    fn divided_range(
        &mut self,
        space: &Space,
        body: StmtId,
        levels: &[Level],
        last_values: &[LastValue],
        (low, high): (Expr, Expr),
    ) -> Lowered<()> {
        let serial = Level::of_one((int(Ty::I64, 0), int(Ty::I64, 1)));
        let level = levels.first().unwrap_or(&serial);
        let add = |a, b| binary(Ty::I64, Operation::Add, a, b);
        let Some(chunk) = &level.chunk else {
            let first = add(low, level.worker.clone());
            return self.iterations(space, body, (first, level.workers.clone()), last_values, high);
        };
        let scaled = |by: &Expr| binary(Ty::I64, Operation::Mul, by.clone(), chunk.clone());
        let start = self.local("chunk", Ty::I64);
        let current = || local_value(start, Ty::I64);
        self.set(start, add(low, scaled(&level.worker)));
        let label = self.label();
        let (stmts, ()) = self.nested(|it| {
            let end = binary(Ty::I64, Operation::Min, add(current(), chunk.clone()), high.clone());
            let end = it.temporary(end);
            it.divided_range(space, body, levels.get(1..).unwrap_or_default(), last_values, (current(), end))
        })?;
        let next = add(current(), scaled(&level.workers));
        let update = vec![Stmt::new(self.span, mir::StmtKind::Set { local: start, value: next })];
        let condition = binary(Ty::Bool, Operation::Lt, current(), high);
        let body = stmts;
        self.push(mir::StmtKind::Loop { label, condition, body, update, unroll: None, post_tested: false });
        Ok(())
    }

    /// Iterations from the first of this thread on, a stride apart: a grid-stride loop where all threads have
    /// neighbouring ones.
    fn iterations(
        &mut self,
        space: &Space,
        body: StmtId,
        (first, stride): (Expr, Expr),
        last_values: &[LastValue],
        end: Expr,
    ) -> Lowered<()> {
        let iteration = self.local("iteration", Ty::I64);
        let current = || local_value(iteration, Ty::I64);
        self.set(iteration, first);
        let label = self.label();
        let (body, ()) = self.nested(|it| {
            let condition = it.set_iteration(space, &current())?;
            it.set_linear(last_values, &current())?;
            it.jumps.push(Jumps { label, has_break: false });
            let (then, ()) = it.nested(|it| {
                it.stmt(body);
                Ok(())
            })?;
            it.jumps.pop();
            match condition {
                Some(condition) => {
                    it.push(mir::StmtKind::If { condition, then, otherwise: Vec::new() });
                }
                None => it.stmts.extend(then),
            }
            Ok(())
        })?;
        let next = binary(Ty::I64, Operation::Add, current(), stride);
        let (mut update, ()) = self.nested(|it| it.store_last(last_values, space, &current()))?;
        update.push(Stmt::new(self.span, mir::StmtKind::Set { local: iteration, value: next }));
        let condition = binary(Ty::Bool, Operation::Lt, current(), end);
        self.push(mir::StmtKind::Loop { label, condition, body, update, unroll: None, post_tested: false });
        Ok(())
    }

    /// Gives the variables of `linear` their values in an iteration.
    fn set_linear(&mut self, values: &[LastValue], iteration: &Expr) -> Lowered<()> {
        for of in values {
            let Some((before, step)) = of.step else { continue };
            let range = TextRange::default();
            let ty = self.locals[before.index()].ty;
            let start = local_value(before, ty);
            let moved = binary(Ty::I64, Operation::Mul, iteration.clone(), int(Ty::I64, step));
            let wide = self.convert_to(start, Ty::I64, range)?;
            let value = self.convert_to(binary(Ty::I64, Operation::Add, wide, moved), ty, range)?;
            let own = self.object(of.variable, range)?;
            self.store_into(&own, value);
        }
        Ok(())
    }

    /// Stores the values of the last iteration.
    fn store_last(&mut self, values: &[LastValue], space: &Space, iteration: &Expr) -> Lowered<()> {
        if values.is_empty() {
            return Ok(());
        }
        let total = &space.total;
        let (then, ()) = self.nested(|it| {
            for of in values {
                let range = TextRange::default();
                let address = local_value(of.target, it.locals[of.target.index()].ty);
                let target = it.pointed(address, range)?;
                let value = match space.value_behind(of.variable) {
                    Some(value) => it.convert_to(value, target.ty, range)?,
                    None => {
                        let own = it.object(of.variable, range)?;
                        it.load(own)
                    }
                };
                it.store(target, value);
            }
            Ok(())
        })?;
        let last = binary(Ty::I64, Operation::Sub, total.clone(), int(Ty::I64, 1));
        let condition = binary(Ty::Bool, Operation::Eq, iteration.clone(), last);
        self.push(mir::StmtKind::If { condition, then, otherwise: Vec::new() });
        Ok(())
    }
}

/// The least number of iterations that gives each of the workers at most one chunk.
fn rounded_up(range: &Expr, workers: &Expr) -> Expr {
    let below = binary(Ty::I64, Operation::Sub, workers.clone(), int(Ty::I64, 1));
    let sum = binary(Ty::I64, Operation::Add, range.clone(), below);
    let chunk = binary(Ty::I64, Operation::DivUndefined, sum, workers.clone());
    binary(Ty::I64, Operation::Max, chunk, int(Ty::I64, 1))
}
