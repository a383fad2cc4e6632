//! Which thread executes which iterations (OpenMP 5.2, sections 11.5.3 and 11.6): the chunks of `schedule`
//! and `dist_schedule`. They are obeyed where the program can see them; elsewhere neighbouring threads have
//! neighbouring iterations, so that their accesses to memory are coalesced.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{Construct, Directive, ExprId, ExprKind, Program, StmtId, StmtKind, VariableId};
use apg_c_analysis::loops;
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, Expr, Operation, Stmt, Ty};

use crate::body::{Body, Jumps, LastValue, binary, int, local_value};
use crate::changes::part_of;
use crate::loops::Space;
use crate::questions::ThreadWord;
use crate::sources::ReachedObject;
use crate::unit::Unit;
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

impl Unit<'_> {
    /// Whether code can see which thread executes an iteration: it, or a function that it calls, asks for the
    /// number of its thread or team.
    pub(crate) fn asks_for_numbers(&self, code: StmtId) -> bool {
        let shows = |it: &ReachedObject| {
            use ThreadWord::*;
            matches!(it, ReachedObject::Threads(Team | League | Outermost))
        };
        self.sources.objects_behind_calls(self.file, code).iter().any(shows)
    }
}

/// Whether an iteration of a loop with this body can see what an earlier one of the same thread has left in a
/// variable of which each thread has its own.
pub(crate) fn keeps_values(hir: &Program, body: StmtId, is_own: impl Fn(VariableId) -> bool) -> bool {
    let mut stored = stored_in(hir, body).into_iter();
    stored.any(|it| is_own(it) && first_use(hir, body, it) != Some(Use::Assigned))
}

/// The variables outside of code that it stores to, whole or in part, or whose address it takes.
fn stored_in(hir: &Program, code: StmtId) -> Vec<VariableId> {
    let range = hir.stmt(code).range;
    let is_outside = |it| !hir.variable(it).range.is_some_and(|of| range.contains_range(of));
    let mut stored = Vec::new();
    hir.walk_stmt(code, &mut |node| {
        if let Node::Expr(id) = node
            && let ExprKind::Assign(_, target, _)
            | ExprKind::Increment { target, .. }
            | ExprKind::AddressOf(target) = hir.expr(id).kind
            && let Some(variable) = part_of(hir, target)
            && is_outside(variable)
            && !stored.contains(&variable)
        {
            stored.push(variable);
        }
        true
    });
    stored
}

/// How often code names a variable.
fn uses(hir: &Program, code: StmtId, variable: VariableId) -> usize {
    let mut count = 0;
    hir.walk_stmt(code, &mut |node| {
        let named = matches!(node, Node::Expr(it) if hir.expr(it).kind == ExprKind::Variable(variable));
        count += usize::from(named);
        true
    });
    count
}

/// Whether a loop in a region shows by its variables which of its threads executes an iteration. Where one
/// does, all loops of the region obey their schedules: equal ones give equal iterations to a thread, without
/// a barrier between (OpenMP 5.2, section 11.5.3).
pub(crate) fn shows_threads(hir: &Program, region: StmtId, of_region: &[&Directive]) -> bool {
    let range = hir.stmt(region).range;
    let mut found = false;
    hir.walk_stmt(region, &mut |node| {
        if let Node::Directive(id) = node
            && let of = hir.directive(id)
            && of.has(Construct::For)
            && let (loops, None) = loops::associated(hir, of)
            && let Some(inner) = loops.last()
        {
            let is_named = |variable, of: &Directive, names: &[&str]| {
                let clauses = of.clauses.iter().filter(|it| names.contains(&&*it.name));
                clauses.flat_map(|it| &it.items).any(|it| it.variable(hir) == Some(variable))
            };
            let is_own = |it: VariableId| {
                let is_local = hir.variable(it).range.is_some_and(|of| range.contains_range(of));
                let directives = || of_region.iter().copied().chain([of]);
                (is_local || directives().any(|of| is_named(it, of, &["private", "firstprivate"])))
                    && !directives().any(|of| is_named(it, of, &["reduction"]))
                    && !loops.iter().any(|of| of.variable == it)
            };
            // What a thread has left in a variable of its own is there behind the loop.
            let is_seen = |it: &VariableId| {
                let is_of_loop = is_named(*it, of, &["private", "firstprivate"]);
                is_own(*it) && !is_of_loop && uses(hir, region, *it) > uses(hir, inner.body, *it)
            };
            found |= stored_in(hir, inner.body).iter().any(is_seen);
            found |= keeps_values(hir, inner.body, is_own);
        }
        !found
    });
    found
}

/// The first use of a variable in code that is executed whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// It gets a value that does not depend on the one from before.
    Assigned,
    /// Another one.
    Other,
}

fn first_use(hir: &Program, stmt: StmtId, variable: VariableId) -> Option<Use> {
    let is_variable = |it: ExprId| matches!(hir.expr(it).kind, ExprKind::Variable(of) if of == variable);
    let is_named_in = |expr: ExprId| {
        let mut found = false;
        hir.walk_expr(expr, &mut |node| {
            found |= matches!(node, Node::Expr(it) if is_variable(it));
            !found
        });
        found
    };
    match &hir.stmt(stmt).kind {
        StmtKind::Block(stmts) => stmts.iter().find_map(|it| first_use(hir, *it, variable)),
        StmtKind::Expr(expr) => match hir.expr(*expr).kind {
            ExprKind::Assign(None, target, value) if is_variable(target) && !is_named_in(value) => {
                Some(Use::Assigned)
            }
            _ => is_named_in(*expr).then_some(Use::Other),
        },
        StmtKind::For { init: Some(init), .. } if first_use(hir, *init, variable).is_some() => {
            first_use(hir, *init, variable)
        }
        _ => {
            let mut found = None;
            hir.walk_stmt(stmt, &mut |node| {
                if matches!(node, Node::Expr(it) if is_variable(it)) {
                    found = Some(Use::Other);
                }
                found.is_none()
            });
            found
        }
    }
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

    /// The iterations of a nest that the workers of levels have, the outermost first. The worker of
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
        let add = |a: Expr, b| match a.kind {
            mir::ExprKind::Int(0) => b,
            _ => binary(Ty::I64, Operation::Add, a, b),
        };
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

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use apg_c_analysis::{AnalysisHost, Toolchain, parsed};
    use apg_c_syntax::Disk;

    use crate::{Source, lower};

    /// How many of the loops of the kernel of a region divide chunks.
    fn chunked_loops(region: &str) -> usize {
        let text = format!(
            "int omp_get_thread_num(void);\nint omp_get_team_num(void);\n\
             void f(int n, int *a, int c) {{\n  int k = 0;\n{region}\n}}\n"
        );
        let mut host = AnalysisHost::new(Arc::new(Disk));
        let file = host.set_file(Path::new("/a.c"), text.into(), &Arc::new(Toolchain::default()));
        let parsed = parsed(host.database(), file);
        let program = lower(&[Source { parsed, path: Path::new("/a.c") }], 0);
        let program = program.unwrap_or_else(|errors| panic!("{region}: {errors:?}"));
        program.kernels[0].locals.iter().filter(|it| it.name == "chunk").count()
    }

    fn on_loop(clauses: &str, body: &str) -> usize {
        let directive =
            format!("#pragma omp target teams distribute parallel for map(tofrom: a[0:n]) {clauses}");
        chunked_loops(&format!("{directive}\nfor (int i = 0; i < n; i++) {{ {body} }}"))
    }

    #[test]
    fn schedules_that_no_iteration_sees_are_left_to_the_device() {
        assert_eq!(on_loop("schedule(static, 8)", "a[i] = i;"), 0);
        assert_eq!(on_loop("schedule(static, c) dist_schedule(static, 64)", "a[i] = i;"), 0);
        assert_eq!(on_loop("schedule(static, 8) private(k)", "k = i; a[i] = k;"), 0);
        assert_eq!(on_loop("schedule(static, 8) private(k)", "for (k = 0; k < 3; k++) a[i] += k;"), 0);
        assert_eq!(on_loop("schedule(static, 8)", "int k = 0; k++; a[i] = k;"), 0);
        // Each thread has one of the iterations that its team has at a time.
        assert_eq!(on_loop("schedule(static)", "a[i] = omp_get_thread_num();"), 0);
    }

    #[test]
    fn numbers_and_kept_values_show_schedules() {
        assert_eq!(on_loop("schedule(static, 8)", "a[i] = omp_get_thread_num();"), 1);
        assert_eq!(on_loop("schedule(static, c)", "a[i] = omp_get_thread_num();"), 1);
        assert_eq!(on_loop("schedule(dynamic, 8) firstprivate(k)", "a[i] = k++;"), 1);
        assert_eq!(on_loop("schedule(static, 8) private(k)", "if (i % 8 == 0) k = 0; a[i] = k++;"), 1);
        let teams = "dist_schedule(static, 64) schedule(static, 8)";
        assert_eq!(on_loop(teams, "a[i] = omp_get_team_num();"), 2);
    }

    #[test]
    fn parts_of_variables_and_what_is_left_behind_loops_show_schedules() {
        let on_parts = |before: &str, statement: &str, behind: &str| {
            chunked_loops(&format!(
                "#pragma omp target parallel map(tofrom: a[0:n]) num_threads(8)\n{{ {before}\n\
                 #pragma omp for schedule(static)\nfor (int i = 0; i < n; i++) {{ {statement} }}\n{behind} }}"
            ))
        };
        assert_eq!(on_parts("int own[2];", "own[0]++; a[i] = own[0];", ""), 1);
        assert_eq!(on_parts("struct { int n; } s;", "a[i] = s.n++;", ""), 1);
        assert_eq!(on_parts("int last;", "last = i; a[i] = last;", "a[0] += last;"), 1);
        assert_eq!(on_parts("int last;", "last = i; a[i] = last;", ""), 0);
    }

    #[test]
    fn equal_schedules_of_a_region_give_threads_equal_iterations() {
        let region = |first: &str| {
            format!(
                "#pragma omp target parallel map(tofrom: a[0:n]) num_threads(8)\n{{\n\
                 #pragma omp for schedule(static) nowait\nfor (int i = 0; i < n; i++) a[i] = {first};\n\
                 #pragma omp for schedule(static)\nfor (int i = 0; i < n; i++) a[i] += i;\n}}"
            )
        };
        assert_eq!(chunked_loops(&region("i")), 0);
        assert_eq!(chunked_loops(&region("omp_get_thread_num()")), 2);
    }
}
