//! Regions that a team executes, whose threads are those of a block: all execute the statements, and
//! constructs divide what is in them, with a barrier of the block at the end (OpenMP 5.2, chapters 10 to 12
//! and 15).

use apg_c_analysis::hir::{Clause, Construct, Directive, DirectiveId, ExprKind, StmtKind, Type};
use apg_c_analysis::loops;
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, Expr, Operation, Ty};

use crate::body::{BlockTeam, Body, LastValue, Storage, Threads, binary, int};
use crate::changes::is_changed_outside_of;
use crate::data::{Captured, Reference, check_last_value};
use crate::launch::Launch;
use crate::loops::{check_perfect_nest, not_canonical};
use crate::nested::no_device_form;
use crate::reduction::{PrivateSum, Reduced};
use crate::reduction_clause::reduction_operator;
use crate::schedule::{Level, Workers, shows_threads};
use crate::shape::Shape;
use crate::unsupported::{Lowered, unsupported};

impl Body<'_, '_> {
    /// A `parallel` region without a loop of its own.
    pub(crate) fn block_team(&mut self, shape: &Shape, launch: &Launch) -> Lowered<()> {
        self.number_threads(shape, launch)?;
        let range = TextRange::default();
        let threads = self.convert_to(launch.threads.clone(), Ty::I64, range)?;
        let threads = self.temporary(threads);
        let thread = crate::body::local_value(launch.thread, Ty::I32);
        let hir = self.unit.hir;
        let of_region: Vec<_> = shape.chain.iter().map(|it| hir.directive(*it)).collect();
        let shows_threads =
            self.unit.asks_for_numbers(shape.body) || shows_threads(hir, shape.body, &of_region);
        let team = BlockTeam { thread, threads, local: launch.thread, shows_threads };
        self.threads = Threads::Block(Box::new(team));
        self.stmt(shape.body);
        Ok(())
    }

    /// Refuses numbers that the threads of a team share and change, and that are no objects of the device:
    /// each thread of the kernel has a copy.
    pub(crate) fn check_shared_values(&self, shape: &Shape, captured: &[Captured]) -> Lowered<()> {
        let hir = self.unit.hir;
        // Objects of the directives around `parallel` are shared by its threads (OpenMP 5.2, section 5.1.1).
        let chain = shape.chain.iter().map(|it| hir.directive(*it));
        let of_team = || chain.clone().skip_while(|it| !it.has(Construct::Parallel));
        let clauses = || of_team().flat_map(|it| &it.clauses).filter(|it| is_own(it));
        for it in captured {
            let of = hir.variable(it.variable);
            let is_own =
                clauses().flat_map(|it| &it.items).any(|item| item.variable(hir) == Some(it.variable));
            let is_of_thread = match it.reference {
                Reference::Value => !matches!(of.ty, Type::Array(..)),
                Reference::Copy | Reference::Private => true,
                _ => false,
            };
            let is_shared = is_of_thread && !is_own;
            // Where an inner construct has copies of its own, nothing changes the shared object.
            let has_copies = |of: &Directive| {
                let names = |name| of.clauses_named(name).flat_map(|it| &it.items);
                let mut items = names("private").chain(names("firstprivate"));
                items.any(|item| item.variable(hir) == Some(it.variable))
            };
            let is_changed = || is_changed_outside_of(hir, shape.body, it.variable, has_copies);
            if is_shared && self.changed.contains(&it.variable) && is_changed() {
                let message = format!("threads of the region share `{}`, and change it", of.name);
                let advice =
                    format!("write `map(tofrom: {0})`, or `firstprivate({0})` of `parallel`", of.name);
                return unsupported(it.range, message, advice);
            }
        }
        Ok(())
    }

    /// A construct that the threads of a block meet.
    pub(crate) fn block_construct(&mut self, id: DirectiveId, team: &BlockTeam) -> Lowered<()> {
        use Construct::*;
        let of = self.unit.hir.directive(id);
        let has_barrier = !is_of_each_thread(of)
            && !matches!(of.constructs[..], [Master | Masked | Simd | Task | Taskwait | Flush, ..]);
        if has_barrier && !self.labels.is_empty() {
            let message = format!("`{}` is in a region with `goto`", of.name);
            return unsupported(of.range, message, "write loops and conditions");
        }
        self.check_nested_clauses(of, false)?;
        let around = (self.objects.clone(), self.threads.clone(), self.numbers.clone());
        let result = match of.constructs[..] {
            [Loop] if is_of_each_thread(of) => self.by_each_thread(id),
            [For] | [For, Simd] | [Loop] => self.block_loop(of, team),
            [Sections] => self.block_sections(of, team),
            [Single] => self.block_single(of, team),
            [Master] => self.block_part(of, team, int(Ty::I32, 0)),
            [Masked] => {
                let number = self.filtered_thread(of)?;
                self.block_part(of, team, number)
            }
            [Critical] => self.block_critical(of, team),
            [Barrier] => {
                self.push(mir::StmtKind::Barrier);
                Ok(())
            }
            [Scope] => {
                self.private_clauses(of)?;
                of.body.iter().for_each(|it| self.stmt(*it));
                self.end_of_construct(of);
                Ok(())
            }
            // Nested regions have one thread, as have tasks that are executed at once.
            [Parallel, ..]
            | [Simd]
            | [Task]
            | [Taskgroup]
            | [Taskloop]
            | [Taskloop, Simd]
            | [Taskwait]
            | [Taskyield]
            | [Flush] => self.by_each_thread(id),
            _ => no_device_form(of),
        };
        (self.objects, self.threads, self.numbers) = around;
        self.may_open_team = true;
        self.has_siblings = false;
        result
    }

    /// A construct that each thread executes whole.
    fn by_each_thread(&mut self, id: DirectiveId) -> Lowered<()> {
        self.threads = Threads::One;
        self.may_open_team = true;
        self.has_siblings = true;
        self.nested_construct(id)
    }

    /// The barrier at the end of a construct without `nowait`.
    fn end_of_construct(&mut self, of: &Directive) {
        if of.clause("nowait").is_none() {
            self.push(mir::StmtKind::Barrier);
        }
    }

    /// Objects that `private` and `firstprivate` give each thread.
    fn private_clauses(&mut self, of: &Directive) -> Lowered<()> {
        for clause in &of.clauses {
            match clause.name.as_str() {
                "private" => {
                    self.each_variable(clause, |it, variable, range| it.declare_private(variable, range))?;
                }
                "firstprivate" => {
                    self.each_variable(clause, |it, variable, range| it.declare_copy(variable, range))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Partial results of the `reduction` clauses of a construct.
    fn partial_results(&mut self, of: &Directive) -> Lowered<Vec<PrivateSum>> {
        let hir = self.unit.hir;
        let mut sums = Vec::new();
        for clause in of.clauses_named("reduction") {
            let operator = reduction_operator(clause)?;
            for item in &clause.items {
                let Some(variable) = item.variable(hir) else { continue };
                let section = item.expr.filter(|it| !matches!(hir.expr(*it).kind, ExprKind::Variable(_)));
                let outside = self.objects.get(&variable).copied();
                let Some(outside @ Storage::Pointed(_)) = outside else {
                    let message = format!(
                        "`{}` is reduced, and is no object of all threads",
                        hir.variable(variable).name
                    );
                    return unsupported(item.range, message, "map it, or reduce it at `parallel`");
                };
                sums.push(
                    self.private_sum(Reduced { variable, operator, section, range: item.range }, outside)?,
                );
            }
        }
        Ok(sums)
    }

    /// `for`: each thread has every iteration that is a number of threads apart.
    fn block_loop(&mut self, of: &Directive, team: &BlockTeam) -> Lowered<()> {
        let hir = self.unit.hir;
        if let Some(clause) = of.clause("ordered") {
            let message = "`ordered` loops of a region have no device form yet";
            return unsupported(clause.range, message, "write the ordered part behind the loop");
        }
        if let Some(clause) = of.clause("linear") {
            let message = "`linear` inside of a region has no device form yet";
            return unsupported(clause.range, message, "compute the value in the loop");
        }
        let (found, problem) = loops::associated(hir, of);
        if let Some(problem) = problem {
            return not_canonical(hir, problem, of.range);
        }
        check_perfect_nest(hir, &found)?;
        let (Some(inner), true) = (found.last(), found.len() == loops::loop_count(hir, of)) else {
            return unsupported(of.range, "a directive stands between the loops", "`collapse` fewer loops");
        };
        let last_values = self.last_values_of(of)?;
        self.private_clauses(of)?;
        let sums = self.partial_results(of)?;
        let first = self.convert_to(team.thread.clone(), Ty::I64, of.range)?;
        self.threads = Threads::One;
        self.has_siblings = true;
        let space = self.iteration_space(&found)?;
        let all = (first, team.threads.clone());
        let levels = match team.shows_threads {
            true => {
                let total = self.temporary(space.total.clone());
                self.levels(&[of], Workers { all, of_league: None }, &total)?
            }
            false => vec![Level::of_one(all)],
        };
        self.divided_loop(&space, inner.body, &levels, &last_values)?;
        for sum in &sums {
            self.combine(sum, team.local)?;
        }
        self.end_of_construct(of);
        Ok(())
    }

    /// The objects of `lastprivate`, each with one of the thread.
    fn last_values_of(&mut self, of: &Directive) -> Lowered<Vec<LastValue>> {
        let hir = self.unit.hir;
        let mut found = Vec::new();
        for clause in of.clauses_named("lastprivate") {
            check_last_value(clause)?;
            for item in &clause.items {
                let Some(variable) = item.variable(hir) else { continue };
                let Some(Storage::Pointed(target)) = self.objects.get(&variable).copied() else {
                    let message = "the last value is that of an object which all threads have";
                    return unsupported(item.range, message, "map it at `target`");
                };
                self.declare_private(variable, item.range)?;
                found.push(LastValue { variable, target, step: None });
            }
        }
        Ok(found)
    }

    /// Statements that one thread executes.
    fn block_part(&mut self, of: &Directive, team: &BlockTeam, number: Expr) -> Lowered<()> {
        let Some(body) = of.body else { return Ok(()) };
        self.threads = Threads::One;
        self.has_siblings = true;
        let (then, ()) = self.nested(|it| {
            it.private_clauses(of)?;
            it.stmt(body);
            Ok(())
        })?;
        let condition = binary(Ty::Bool, Operation::Eq, team.thread.clone(), number);
        self.push(mir::StmtKind::If { condition, then, otherwise: Vec::new() });
        Ok(())
    }

    fn block_single(&mut self, of: &Directive, team: &BlockTeam) -> Lowered<()> {
        if let Some(clause) = of.clause("copyprivate") {
            let message = "`copyprivate` in a region has no device form yet";
            return unsupported(clause.range, message, "write the value into a mapped object");
        }
        self.block_part(of, team, int(Ty::I32, 0))?;
        self.end_of_construct(of);
        Ok(())
    }

    /// `sections`: each has a thread, in the order of threads.
    fn block_sections(&mut self, of: &Directive, team: &BlockTeam) -> Lowered<()> {
        let hir = self.unit.hir;
        let Some(body) = of.body else { return Ok(()) };
        let last_values = self.last_values_of(of)?;
        if let Some(clause) = of.clause("lastprivate").filter(|_| !last_values.is_empty()) {
            let message = "`lastprivate` of `sections` has no device form yet";
            return unsupported(clause.range, message, "assign the value in the last section");
        }
        self.private_clauses(of)?;
        let sums = self.partial_results(of)?;
        let stmts = match &hir.stmt(body).kind {
            StmtKind::Block(stmts) => stmts.clone(),
            _ => vec![body],
        };
        self.threads = Threads::One;
        self.has_siblings = true;
        for (number, stmt) in stmts.into_iter().enumerate() {
            let thread = self.convert_to(team.thread.clone(), Ty::I64, of.range)?;
            let executing =
                binary(Ty::I64, Operation::RemUndefined, int(Ty::I64, number as i64), team.threads.clone());
            let (then, ()) = self.nested(|it| {
                it.stmt(stmt);
                Ok(())
            })?;
            let condition = binary(Ty::Bool, Operation::Eq, thread, executing);
            self.push(mir::StmtKind::If { condition, then, otherwise: Vec::new() });
        }
        for sum in &sums {
            self.combine(sum, team.local)?;
        }
        self.end_of_construct(of);
        Ok(())
    }

    /// `critical`: the threads execute it one after the other.
    fn block_critical(&mut self, of: &Directive, team: &BlockTeam) -> Lowered<()> {
        if self.control_depth > 0 {
            let message =
                "`critical` under a condition, which may hold for some threads only, has no device form";
            return unsupported(of.range, message, "write `atomic`, or a reduction");
        }
        let mut result = Ok(());
        let (zero, threads) = (int(Ty::I64, 0), team.threads.clone());
        self.count_between(zero, threads, |it, thread| {
            let number = mir::Expr::new(
                Ty::I32,
                mir::ExprKind::Operation { operation: Operation::Convert, args: vec![thread] },
            );
            result = it.block_part(of, team, number);
            it.push(mir::StmtKind::Barrier);
        });
        result
    }
}

/// Whether each thread executes all iterations of a `loop` construct (OpenMP 5.2, section 11.7.1).
fn is_of_each_thread(of: &Directive) -> bool {
    of.clause("bind").and_then(Clause::word) == Some("thread")
}

/// Whether a clause names variables of which each thread has its own.
fn is_own(clause: &Clause) -> bool {
    matches!(&*clause.name, "firstprivate" | "private" | "lastprivate")
}
