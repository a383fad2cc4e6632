//! Extents of the launches of regions: how many blocks, and how many threads each has.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{BinaryOp, Clause, Construct, ExprId, Program, StmtId};
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, Expr, LocalId, Operation, Ty};

use crate::body::{Body, binary, int, local_value};
use crate::conversion::not_zero;
use crate::data::is_condition_of_team;
use crate::loops::tiles_along;
use crate::nested::is_divided_by_teams;
use crate::shape::Shape;
use crate::sources::ReachedObject;
use crate::tiles::{Tile, tile};
use crate::unsupported::{Lowered, unsupported};

/// Threads of a block where no clause says how many.
const THREADS_PER_BLOCK: i64 = 256;

/// The most threads that a block has (CUDA C++ Programming Guide, "Technical Specifications").
const MAX_THREADS_PER_BLOCK: i64 = 1024;

/// The extents of a launch, and where they are in the kernel.
pub(crate) struct Launch {
    pub block: LocalId,
    pub thread: LocalId,
    pub auto_blocks: Option<LocalId>,
    pub blocks: Expr,
    pub threads: Expr,
    /// How the iterations are tiled, if they are.
    pub tile: Option<Tile>,
}

impl Body<'_, '_> {
    /// The numbers of blocks and threads.
    pub(crate) fn launch(&mut self, shape: &Shape, block: LocalId, thread: LocalId) -> Lowered<Launch> {
        let hir = self.unit.hir;
        let one = || int(Ty::I32, 1);
        if shape.is_serial() {
            return Ok(Launch {
                block,
                thread,
                auto_blocks: None,
                blocks: one(),
                threads: one(),
                tile: None,
            });
        }
        let threads = self.limit_of_threads(shape)?;
        let teams = match shape.clause(hir, "num_teams") {
            Some(clause) => Some(self.extent(clause, i64::from(i32::MAX))?),
            None if shape.loops.is_empty() && (shape.is_parallel() || !has_divided_loop(hir, shape.body)) => {
                Some(one())
            }
            // More teams would do the same again.
            None if shape.is_of_each_team() => Some(one()),
            None => None,
        };
        let is_limited = threads.is_some();
        let threads = match threads {
            Some(threads) => threads,
            // Each thread counts as a team.
            None if teams.is_some() && !shape.is_parallel() => one(),
            None => int(Ty::I32, THREADS_PER_BLOCK),
        };
        let condition = self.condition_of_team(shape)?;
        let tile = self.tile(shape, &threads);
        let (blocks, auto_blocks) = match teams {
            Some(teams) => (teams, None),
            // The threads of one team are as many as the program says.
            None if is_limited && shape.is_one_team() => (one(), None),
            None if let Some(blocks) = self.blocks_of_iterations(shape, &threads, tile.as_ref()) => {
                (blocks, None)
            }
            None => {
                let auto = self.local("auto_blocks", Ty::I32);
                (local_value(auto, Ty::I32), Some(auto))
            }
        };
        let Some((condition, range)) = condition else {
            return Ok(Launch { block, thread, auto_blocks, blocks, threads, tile });
        };
        // `if` selects one thread of each team.
        if shape.is_one_team() && auto_blocks.is_some() {
            let message =
                "`if` of this `parallel` has no device form: the launch chooses the number of threads";
            return unsupported(range, message, "write `num_threads`, or two regions in an `if` statement");
        }
        let mut selected = |number: Expr| -> Lowered<Expr> {
            let number = self.convert_to(number, Ty::I64, range)?;
            let more = binary(Ty::I64, Operation::Sub, number, int(Ty::I64, 1));
            let more = binary(Ty::I64, Operation::Mul, more, condition.clone());
            Ok(binary(Ty::I64, Operation::Add, more, int(Ty::I64, 1)))
        };
        let threads = selected(threads)?;
        let blocks = if shape.is_one_team() { selected(blocks)? } else { blocks };
        Ok(Launch { block, thread, auto_blocks, blocks, threads, tile })
    }

    /// The most threads of a team, where the region can compute it (OpenMP 5.2, section 18.4.3).
    pub(crate) fn thread_limit(&mut self, shape: &Shape) -> Option<Expr> {
        let limit = match shape.clause(self.unit.hir, "thread_limit") {
            Some(clause) => self.extent(clause, MAX_THREADS_PER_BLOCK).ok()?,
            None => int(Ty::I64, MAX_THREADS_PER_BLOCK),
        };
        self.convert_to(limit, Ty::I32, TextRange::default()).ok()
    }

    /// How threads of all teams share the iterations of a nest.
    fn tile(&self, shape: &Shape, threads: &Expr) -> Option<Tile> {
        let mir::ExprKind::Int(threads) = threads.kind else { return None };
        if shape.is_of_each_team() || !shape.is_parallel() {
            return None;
        }
        tile(self.unit.hir, &shape.loops, shape.body, threads)
    }

    /// The least of the numbers of threads that clauses allow; `None` if none says one.
    fn limit_of_threads(&mut self, shape: &Shape) -> Lowered<Option<Expr>> {
        let mut threads: Option<Expr> = None;
        // Where each thread counts as a team, these say nothing.
        let limits = if shape.is_parallel() { &["thread_limit", "num_threads"][..] } else { &[] };
        for name in limits {
            if let Some(clause) = shape.clause(self.unit.hir, name) {
                let limit = self.extent(clause, MAX_THREADS_PER_BLOCK)?;
                threads = Some(match threads {
                    Some(other) => binary(Ty::I64, Operation::Min, other, limit),
                    None => limit,
                });
            }
        }
        Ok(threads)
    }

    /// 1 where the threads of a team execute the region, 0 where one alone does, as host code over the
    /// captures; `None` without a condition.
    fn condition_of_team(&mut self, shape: &Shape) -> Lowered<Option<(Expr, TextRange)>> {
        let hir = self.unit.hir;
        let of = shape.chain.iter().map(|it| hir.directive(*it));
        let clause =
            of.flat_map(|of| of.clauses.iter().filter(move |it| is_condition_of_team(of, it))).next();
        let Some(clause) = clause else { return Ok(None) };
        let Some(expr) = clause.items.first().and_then(|it| it.expr) else {
            return unsupported(clause.range, "this clause has no condition", "write a condition");
        };
        let (stmts, value) = self.nested(|it| it.value(expr))?;
        if !stmts.is_empty() || reads_memory(&value) {
            let message = "this condition is read from memory, which the launch cannot do";
            return unsupported(clause.range, message, "copy it into a variable in front of the region");
        }
        let value = self.convert_to(not_zero(value), Ty::I64, clause.range)?;
        Ok(Some((value, clause.range)))
    }

    /// The number that a clause gives, from 1 to `most`, as host code over the captures.
    fn extent(&mut self, clause: &Clause, most: i64) -> Lowered<Expr> {
        let Some(expr) = clause.items.first().and_then(|it| it.expr) else {
            return unsupported(clause.range, "this clause has no number", "write a number");
        };
        let range = self.unit.hir.expr(expr).range;
        let of_host = self.file_addresses.get(&ReachedObject::Number(expr)).copied();
        let (stmts, value) = self.nested(|it| {
            if let Some(number) = of_host {
                return Ok(local_value(number, Ty::I64));
            }
            let value = it.value(expr)?;
            it.convert_to(value, Ty::I64, range)
        })?;
        if !stmts.is_empty() || reads_memory(&value) {
            let message = "this number is read from memory, which the launch cannot do";
            return unsupported(range, message, "copy it into a variable in front of the region");
        }
        let least = binary(Ty::I64, Operation::Max, value, int(Ty::I64, 1));
        Ok(binary(Ty::I64, Operation::Min, least, int(Ty::I64, most)))
    }

    /// The number of blocks with a thread for each iteration, where the host can compute it: blocks that are
    /// done early make room for others, so that iterations may take different times. Reductions have as many
    /// blocks as run at once: each adds its part to the total.
    fn blocks_of_iterations(&mut self, shape: &Shape, threads: &Expr, tile: Option<&Tile>) -> Option<Expr> {
        if shape.loops.is_empty() || shape.clause(self.unit.hir, "reduction").is_some() {
            return None;
        }
        let long = |op, a, b| binary(Ty::I64, op, a, b);
        let rounded_up = |count, by: Expr| {
            if matches!(by.kind, mir::ExprKind::Int(1)) {
                return count;
            }
            let below = long(Operation::Sub, by.clone(), int(Ty::I64, 1));
            long(Operation::DivUndefined, long(Operation::Add, count, below), by)
        };
        let mut total = None;
        for (axis, of) in shape.loops.iter().enumerate() {
            let step = of.step.map_or(Some(1), |it| self.unit.hir.constant(it))?;
            let step = i64::try_from(step).ok().filter(|it| *it != 0 && *it != i64::MIN)?;
            let is_up = match of.comparison {
                BinaryOp::Less | BinaryOp::LessEqual => true,
                BinaryOp::NotEqual => (step > 0) != of.is_downward,
                _ => false,
            };
            let (start, end) = (self.host_value(of.start)?, self.host_value(of.end)?);
            let (low, high) = if is_up { (start, end) } else { (end, start) };
            let mut count = long(Operation::Sub, high, low);
            if matches!(of.comparison, BinaryOp::LessEqual | BinaryOp::GreaterEqual) {
                count = long(Operation::Add, count, int(Ty::I64, 1));
            }
            let count = long(Operation::Max, count, int(Ty::I64, 0));
            let mut count = rounded_up(count, int(Ty::I64, step.abs()));
            if let Some(side @ 2..) = tile.map(|it| it.sides[axis]) {
                count = long(Operation::Mul, tiles_along(count, side), int(Ty::I64, side));
            }
            total = Some(match total {
                Some(outer) => long(Operation::Mul, outer, count),
                None => count,
            });
        }
        let threads = self.convert_to(threads.clone(), Ty::I64, TextRange::default()).ok()?;
        let blocks = long(Operation::Max, rounded_up(total?, threads), int(Ty::I64, 1));
        Some(long(Operation::Min, blocks, int(Ty::I64, i64::from(i32::MAX))))
    }

    /// An integer as host code over the captures, if it is one.
    fn host_value(&mut self, expr: ExprId) -> Option<Expr> {
        let range = self.unit.hir.expr(expr).range;
        let lowered = self.nested(|it| {
            let value = it.value(expr)?;
            it.convert_to(value, Ty::I64, range)
        });
        let (stmts, value) = lowered.ok()?;
        (stmts.is_empty() && !reads_memory(&value)).then_some(value)
    }
}

/// Whether an expression reads memory, which host code of a launch does not.
fn reads_memory(value: &Expr) -> bool {
    let mut found = false;
    mir::walk::visit_expr(value, None, &mut |it, _| {
        found |= matches!(it.kind, mir::ExprKind::Load(_) | mir::ExprKind::Atomic { .. });
    });
    found
}

/// Whether a statement has a loop whose iterations the teams of a league divide.
fn has_divided_loop(hir: &Program, stmt: StmtId) -> bool {
    let mut found = false;
    hir.walk_stmt(stmt, &mut |node| {
        if let Node::Directive(id) = node {
            let of = hir.directive(id);
            found |= of.has(Construct::Distribute)
                || of.constructs == [Construct::Loop] && is_divided_by_teams(of);
            // A `loop` inside of it is its threads' own.
            return !of.has(Construct::Parallel);
        }
        true
    });
    found
}
