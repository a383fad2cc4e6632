//! Data races in shared memory and between blocks: the model of `apg-kernels` finds conflicting accesses of
//! two threads without a barrier between them; here they get their words and fixes.

pub(in crate::kernel) mod loop_dependence;
mod write_conflicts;

use apg_kernels::Uniformity;
use apg_kernels::block_race::{BlockRace, find_block_races};
use apg_kernels::race::{Race, find_races};

use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, LocalId, StmtId, StmtKind};
use crate::kernel::context::KernelContext;
use crate::kernel::device_semantics::CalleeKind;
use crate::kernel::fixes::template::FixTemplate;
use crate::kernel::lower_kernel::ThreadModel;
use crate::rules::cuda::block_race;
use crate::rules::cuda::missing_barrier::{MissingBarrier, ThreadIndex};

impl KernelContext<'_> {
    /// Reports accesses to shared memory that lack a barrier between them, and loads of what other blocks
    /// store. `statements` are those of a
    /// thread, one for each list of the model.
    pub(in crate::kernel) fn report_races(
        &self,
        model: &ThreadModel,
        uniformity: &Uniformity<'_, LocalId, ExprId>,
        statements: &[StmtId],
    ) {
        find_races(model, uniformity).iter().for_each(|it| self.report_race(statements, it));
        find_block_races(model).into_iter().for_each(|it| self.report_block_race(it));
    }

    fn report_block_race(&self, race: BlockRace<LocalId, ExprId>) {
        let data = block_race::BlockRace {
            rail: self.user_variable(race.array),
            store: self.expr(race.store).range,
            reader: (race.reader.block, race.reader.thread),
            writer: (race.writer.block, race.writer.thread),
        };
        self.report_at(self.expr(race.load).range, data);
    }
}

impl KernelContext<'_> {
    /// Whether a statement may synchronise threads.
    pub(in crate::kernel) fn may_synchronise(&self, stmt: StmtId) -> bool {
        let waits = |it: &CalleeKind| !matches!(it, CalleeKind::Builtin | CalleeKind::ThreadIndex);
        self.calls_any(stmt, &waits)
    }

    /// Whether a statement contains a barrier.
    pub(in crate::kernel) fn has_barrier(&self, stmt: StmtId) -> bool {
        self.calls_any(stmt, &|it| *it == CalleeKind::Barrier)
    }

    fn calls_any(&self, stmt: StmtId, is_meant: &dyn Fn(&CalleeKind) -> bool) -> bool {
        let mut found = false;
        self.body.walk(Node::Stmt(stmt), &mut |node| {
            if let Node::Expr(expr) = node
                && let ExprKind::Call { method, .. } = &self.expr(expr).kind
            {
                found |= is_meant(&self.semantics.callee_kind(*method));
            }
            !found
        });
        found
    }
}

impl KernelContext<'_> {
    fn report_race(&self, statements: &[StmtId], race: &Race<LocalId, ExprId>) {
        let example = &race.example;
        let data = MissingBarrier {
            rail: race.array,
            other: self.expr(race.other).range,
            is_write: race.is_write,
            reader: ThreadIndex(example.reader.clone()),
            writer: ThreadIndex(example.writer.clone()),
            block: example.block.clone(),
            block_index: example.block_index,
        };
        let violation = self.violation(self.expr(race.site).range, data);
        // Between two statements of the thread's block a barrier is uniform.
        // A label belongs to its loop.
        let is_loop = |stmt: &StmtId| {
            matches!(
                self.stmt(*stmt).kind,
                StmtKind::For { .. }
                    | StmtKind::ForIn { .. }
                    | StmtKind::While { .. }
                    | StmtKind::DoWhile { .. }
                    | StmtKind::Labeled { .. }
            )
        };
        let outermost = statements.get(race.statement).copied();
        let start = outermost.filter(|it| !is_loop(it)).map(|stmt| self.stmt(stmt).range.start());
        let is_between = |start: &apg_syntax::TextSize| self.expr(race.other).range.end() <= *start;
        let fix = start.filter(is_between).map(|start| {
            FixTemplate::insert("Insert a barrier before this statement", start, "Clock.advanceAll(); ")
        });
        self.report(violation.fix(fix));
    }
}
