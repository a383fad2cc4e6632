//! Strided loops of chunks: `for (i = first(0) + lane; i < end; i += step)` as in a warp that strides over a
//! row, interchanged with the loop over the threads of a chunk (Allen and Kennedy, *Optimizing Compilers for
//! Modern Architectures*, 5.2).
//!
//! `first` and `end` are the same in all threads of the chunk, and the step is no less than a chunk. So the
//! threads with an iteration left are the first ones, and access adjacent elements. The indices of an
//! iteration are checked in front of it, so that the compiler vectorises the iteration itself.
//!
//! The body assigns locals only: the order between threads cannot be observed.

use rustc_hash::FxHashMap;

use crate::analysis::affine::{Term, invariant_form, linear_form};
use crate::analysis::constants::constant_value;
use crate::analysis::locals::{count_assignments, count_mentions, locals_of};
use crate::kernel_ir::{ChunkPart, KernelIr, LaneCheck, StridedLoop, Threads, chunk_threads};
use crate::transform::kernel_ir::grid_stride::{counter_step, loop_bound};
use apg_mir::walk::{bodies, visit_stmts};
use apg_mir::*;
use apg_symbolic::LinearForm;

/// The strided loops of a region, by the identities of their statements. None unless each chunk begins at a
/// multiple of its length.
pub(super) fn find_strided_loops(
    ir: &KernelIr,
    threads: Threads,
    stmts: &[Stmt],
) -> FxHashMap<StmtId, StridedLoop> {
    let mut found = FxHashMap::default();
    let extent = ir.kernel.host.threads.last().and_then(constant_value);
    if let (Threads::OfBlock, [thread], Some(width)) =
        (threads, ir.kernel.thread_locals.as_slice(), chunk_threads(&ir.kernel))
        && extent.is_some_and(|it| it % width == 0)
    {
        let finder = Finder { ir, thread: *thread, width, mentions: count_mentions(stmts) };
        finder.search(stmts, &mut found);
    }
    found
}

/// Whether an expression has the same value in all threads of a chunk that begins at a multiple of its
/// length, and no effect: the warp of a thread, for instance.
pub(super) fn is_chunk_uniform(ir: &KernelIr, expr: &Expr) -> bool {
    let ([thread], Some(width)) = (ir.kernel.thread_locals.as_slice(), chunk_threads(&ir.kernel)) else {
        return false;
    };
    Finder { ir, thread: *thread, width, mentions: FxHashMap::default() }.is_uniform(expr)
}

struct Finder<'p> {
    ir: &'p KernelIr,
    thread: LocalId,
    /// Threads of a chunk.
    width: i64,
    /// Mentions in the whole region.
    mentions: FxHashMap<LocalId, usize>,
}

impl Finder<'_> {
    fn search(&self, stmts: &[Stmt], found: &mut FxHashMap<StmtId, StridedLoop>) {
        for pair in stmts.windows(2) {
            if let Some(strided) = self.recognise(&pair[0], &pair[1]) {
                found.insert(pair[1].id, strided);
            }
        }
        for stmt in stmts {
            if let StmtKind::Block(_) | StmtKind::If { .. } = &stmt.kind {
                bodies(&stmt.kind).into_iter().for_each(|it| self.search(it, found));
            }
        }
    }

    fn recognise(&self, first: &Stmt, stmt: &Stmt) -> Option<StridedLoop> {
        let StmtKind::Loop { condition, body, update, post_tested: false, .. } = &stmt.kind else {
            return None;
        };
        let (counter, end, inclusive) = loop_bound(condition)?;
        let StmtKind::Set { local, value: start } = &first.kind else { return None };
        let step = constant_value(counter_step(update, counter)?)?;
        let counts = |stmts: &[Stmt]| count_mentions(stmts).get(&counter).copied().unwrap_or(0);
        let is_private = self.ir.uniformity.assignments.get(&counter) == Some(&2)
            && count_assignments(body, counter) == 0
            && Some(counts(std::slice::from_ref(first)) + counts(std::slice::from_ref(stmt)))
                == self.mentions.get(&counter).copied();
        let is_fit = *local == counter
            && step >= self.width
            && stmt.id.is_assigned()
            && end.ty == self.ir.kernel.locals[counter.index()].ty
            && is_private
            && self.is_uniform(end)
            && self.lane_coefficient(start) == Some(1);
        if !is_fit {
            return None;
        }
        let mut checks = Vec::new();
        self.collect_checks(body, counter, &mut checks)?;
        Some(StridedLoop {
            span: stmt.span,
            counter,
            start: start.clone(),
            end: end.clone(),
            inclusive,
            step,
            body: vec![ChunkPart::Lanes { stmts: body.clone(), loads: Vec::new(), stores: Vec::new() }],
            checks,
        })
    }

    /// Whether an expression has the same value in all threads of a chunk.
    fn is_uniform(&self, expr: &Expr) -> bool {
        let all = |args: &[Expr]| args.iter().all(|it| self.is_uniform(it));
        if self.ir.is_uniform(expr, &Default::default()) {
            return true;
        }
        match &expr.kind {
            ExprKind::Local(local) => {
                self.constant_rematerialized(*local).is_some_and(|it| self.is_uniform(it))
            }
            ExprKind::Operation { operation: Operation::Div, args } => match args.as_slice() {
                [index, number] => {
                    self.is_thread(index)
                        && constant_value(number).is_some_and(|it| it > 0 && it % self.width == 0)
                        || all(args)
                }
                _ => false,
            },
            ExprKind::Operation { operation: Operation::Shr, args } => match args.as_slice() {
                [index, bits] => {
                    let number = constant_value(bits).filter(|it| (0..31).contains(it)).map(|it| 1 << it);
                    self.is_thread(index) && number.is_some_and(|it: i64| it % self.width == 0) || all(args)
                }
                _ => false,
            },
            ExprKind::Operation { args, .. } => all(args),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => self.is_uniform(a) && self.is_uniform(b),
            ExprKind::Element { rail, index, .. } => {
                let ExprKind::Local(rail) = rail.kind else { return false };
                self.is_constant_rail(rail) && self.ir.is_inside(index) && self.is_uniform(index)
            }
            _ => false,
        }
    }

    /// Whether a captured array is certainly not changed by the kernel: nothing of its elements' type is.
    fn is_constant_rail(&self, rail: LocalId) -> bool {
        let captures = &self.ir.kernel.captures;
        let element = |index: usize| match captures.get(index).map(|it| it.kind) {
            Some(
                KernelCaptureKind::Buffer { element }
                | KernelCaptureKind::ConstantBuffer { element }
                | KernelCaptureKind::GlobalBuffer { element },
            ) => Some(element),
            _ => None,
        };
        let Some(own) = element(rail.index()) else { return false };
        (0..captures.len())
            .filter(|index| element(*index) == Some(own))
            .all(|index| self.ir.accesses.is_read_only(LocalId(index as u32)))
    }

    fn constant_rematerialized(&self, local: LocalId) -> Option<&Expr> {
        let mut all = self.ir.rematerialized.iter();
        all.find(|it| it.local == local && !it.has_offset).map(|it| &it.value)
    }

    /// Whether an expression is the index of the thread, which is not negative.
    fn is_thread(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Local(local) => {
                *local == self.thread
                    || self.constant_rematerialized(*local).is_some_and(|it| self.is_thread(it))
            }
            ExprKind::Operation { operation: Operation::Convert, args } => {
                matches!(expr.ty, Ty::I32 | Ty::I64) && args.first().is_some_and(|it| self.is_thread(it))
            }
            _ => false,
        }
    }

    /// Coefficient of the position in the chunk.
    fn lane_coefficient(&self, expr: &Expr) -> Option<i64> {
        self.lane_form(expr)?.slope(&())
    }

    /// Affine form over the position in the chunk.
    fn lane_form(&self, expr: &Expr) -> Option<LinearForm<()>> {
        linear_form(expr, &|it| match &it.kind {
            _ if !matches!(it.ty, Ty::I32 | Ty::I64) => Term::Unknown,
            _ if self.is_uniform(it) => Term::Form(invariant_form(it)),
            _ if self.is_thread(it) || self.is_remainder(it) => Term::Form(LinearForm::variable(())),
            ExprKind::Local(local) => {
                let value = self.constant_rematerialized(*local);
                Term::of(value.and_then(|it| self.lane_form(it)))
            }
            _ => Term::Compound,
        })
    }

    /// Whether an expression is the index of the thread modulo a multiple of the chunk.
    fn is_remainder(&self, expr: &Expr) -> bool {
        let ExprKind::Operation { operation, args } = &expr.kind else { return false };
        let [index, number] = args.as_slice() else { return false };
        let number = match (operation, constant_value(number)) {
            (Operation::Rem, number) => number,
            (Operation::And, Some(mask)) => mask.checked_add(1).filter(|it| it & mask == 0),
            _ => None,
        };
        self.is_thread(index) && number.is_some_and(|it| it > 0 && it % self.width == 0)
    }

    /// Collects the checks of indices in the order of evaluation. `None` if the body does more than to assign
    /// locals, or evaluates an index under a condition, or with a value that it assigns.
    fn collect_checks(&self, body: &[Stmt], counter: LocalId, checks: &mut Vec<LaneCheck>) -> Option<()> {
        let mut assigned = Vec::new();
        visit_stmts(body, &mut |it| {
            if let StmtKind::Set { local, .. } = &it.kind {
                assigned.push(*local);
            }
        });
        let context = CheckContext { finder: self, counter, assigned: &assigned };
        body.iter().try_for_each(|it| context.add_stmt(it, checks))
    }
}

struct CheckContext<'f, 'p> {
    finder: &'f Finder<'p>,
    counter: LocalId,
    /// Locals that the body assigns.
    assigned: &'f [LocalId],
}

impl CheckContext<'_, '_> {
    fn add_stmt(&self, stmt: &Stmt, checks: &mut Vec<LaneCheck>) -> Option<()> {
        match &stmt.kind {
            StmtKind::Block(body) => body.iter().try_for_each(|it| self.add_stmt(it, checks)),
            StmtKind::Set { value, .. } => self.add_expr(value, checks),
            _ => None,
        }
    }

    fn add_expr(&self, expr: &Expr, checks: &mut Vec<LaneCheck>) -> Option<()> {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zero | ExprKind::Local(_) => Some(()),
            ExprKind::Operation { operation, args } => {
                let may_fail = matches!(operation, Operation::Div | Operation::Rem)
                    && matches!(
                        expr.ty,
                        Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64 | Ty::U8 | Ty::U16 | Ty::U32 | Ty::U64
                    );
                if may_fail {
                    return None;
                }
                args.iter().try_for_each(|it| self.add_expr(it, checks))
            }
            ExprKind::Element { rail, index, .. } => {
                self.add_expr(index, checks)?;
                let ExprKind::Local(rail) = rail.kind else { return None };
                if rail.index() >= self.finder.ir.kernel.captures.len() || self.depends_on_assigned(index) {
                    return None;
                }
                if !self.finder.ir.is_inside(index) {
                    let of_counter = self.is_counter(index);
                    checks.push(LaneCheck { rail, index: (**index).clone(), of_counter });
                }
                Some(())
            }
            _ => None,
        }
    }

    fn depends_on_assigned(&self, expr: &Expr) -> bool {
        locals_of(expr).iter().any(|it| self.assigned.contains(it))
    }

    /// Whether an index is the counter itself.
    fn is_counter(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Local(local) => *local == self.counter,
            ExprKind::Operation { operation: Operation::Convert, args } if expr.ty == Ty::I64 => {
                args.first().is_some_and(|it| self.is_counter(it))
            }
            _ => false,
        }
    }
}
