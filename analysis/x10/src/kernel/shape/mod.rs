//! Shape of a kernel: prelude, block loop, shared memory, thread loop.
//!
//! A missing part is reported once and skipped, so that the rest is still checked.

pub(in crate::kernel) mod axes;
pub(in crate::kernel) mod hoistable;
mod prelude;
pub(in crate::kernel) mod recognise;
pub(in crate::kernel) mod sequential_loops;
pub(in crate::kernel) mod shared_memory;

use apg_syntax::{TextRange, TextSize};

use crate::body::walk::Node;
use crate::body::{Clocked, StmtId, StmtKind};
use crate::kernel::context::KernelContext;
use crate::kernel::fixes::template::{EditTemplate, FixTemplate, text};
use crate::kernel::shape::axes::Level;
use crate::kernel::{Axis, Prelude, SharedRail};
use crate::rules::cuda;
use crate::rules::cuda::extra_statement::ExtraStatement;
use crate::rules::cuda::misplaced_shared_memory::MisplacedSharedMemory;
use crate::rules::cuda::missing_block_loop::MissingBlockLoop;
use crate::rules::cuda::missing_thread_loop::MissingThreadLoop;

/// The parts of a kernel that were matched.
#[derive(Debug, Default)]
pub(crate) struct KernelShape {
    pub prelude: Vec<Prelude>,
    pub blocks: Option<Vec<Axis>>,
    pub shared: Vec<SharedRail>,
    pub threads: Option<Vec<Axis>>,
    pub body: Option<StmtId>,
}

impl KernelContext<'_> {
    /// Matches the body of the `at`.
    pub(crate) fn match_shape(&self, body: StmtId) -> KernelShape {
        let mut shape = KernelShape::default();
        let stmts = self.flat_statements(body);
        if stmts.is_empty() {
            self.report_at(self.stmt(body).range, cuda::empty_kernel::EmptyKernel);
            return shape;
        }
        if let [only] = stmts[..]
            && let StmtKind::Async { body: inner, .. } = self.stmt(only).kind
        {
            self.report_async_behind_at(only, inner);
            return shape;
        }
        let Some(main) = self.main_statement(Level::Blocks, &stmts, body) else {
            return shape;
        };
        for stmt in &stmts[..main] {
            self.match_prelude_value(*stmt, &mut shape.prelude);
        }
        self.report_extra_statements(Level::Blocks, &stmts[main + 1..]);
        if self.are_threads(stmts[main]) {
            self.report_missing_blocks(stmts[main]);
            self.match_threads(stmts[main], &mut shape);
            return shape;
        }
        let loops = self.match_finish(Level::Blocks, stmts[main]);
        let Some((axes, block)) = self.match_loop(Level::Blocks, &loops, stmts[main]) else { return shape };
        shape.blocks = axes;
        let Some(block) = self.match_async(Level::Blocks, block, stmts[main]) else { return shape };
        self.match_block(block, &mut shape);
        shape
    }

    /// Reports `at (p) @CUDA async { ... }`, which starts an activity in place of the kernel.
    fn report_async_behind_at(&self, stmt: StmtId, inner: StmtId) {
        self.report_at(self.header_range(stmt, inner), cuda::async_in_kernel::AsyncInKernel::Whole);
    }

    /// Whether the outer `finish` starts threads instead of blocks: it is clocked and contains one level of
    /// activities.
    fn are_threads(&self, stmt: StmtId) -> bool {
        let StmtKind::Finish { clocked, body } = &self.stmt(stmt).kind else { return false };
        let mut starts = 0;
        self.body.walk(Node::Stmt(*body), &mut |node| {
            if let Node::Stmt(stmt) = node {
                match &self.stmt(stmt).kind {
                    StmtKind::Finish { .. } => starts = 2,
                    StmtKind::Async { .. } => starts += 1,
                    _ => {}
                }
            }
            starts < 2
        });
        *clocked != Clocked::No && starts < 2
    }

    fn report_missing_blocks(&self, stmt: StmtId) {
        let StmtKind::Finish { body, .. } = self.stmt(stmt).kind else { return };
        let range = self.stmt(stmt).range;
        let around = |at, words: &str| EditTemplate { range: TextRange::empty(at), text: vec![text(words)] };
        let edits =
            vec![around(range.start(), "finish for (block in 0n..0n) async { "), around(range.end(), " }")];
        let violation = self.violation(self.header_range(stmt, body), MissingBlockLoop::ThreadsOnly);
        self.report(violation.fix(FixTemplate::edits(vec![text("Put the threads into one block")], edits)));
    }

    /// Matches the code of a block: shared memory, then the threads.
    fn match_block(&self, block: StmtId, shape: &mut KernelShape) {
        let stmts = self.flat_statements(block);
        let Some(main) = self.main_statement(Level::Threads, &stmts, block) else { return };
        for stmt in &stmts[..main] {
            self.check_shared_definition(*stmt, &mut shape.shared);
        }
        self.report_extra_statements(Level::Threads, &stmts[main + 1..]);
        self.match_threads(stmts[main], shape);
    }

    /// Matches the statement that starts the threads of a block.
    fn match_threads(&self, main: StmtId, shape: &mut KernelShape) {
        let loops = self.match_finish(Level::Threads, main);
        let Some((axes, thread)) = self.match_loop(Level::Threads, &loops, main) else { return };
        shape.threads = axes;
        shape.body = self.match_async(Level::Threads, thread, main);
    }

    /// The index of the statement that starts a level: the first `finish`, else the first loop.
    fn main_statement(&self, level: Level, stmts: &[StmtId], around: StmtId) -> Option<usize> {
        let find =
            |wanted: fn(&StmtKind) -> bool| stmts.iter().position(|stmt| wanted(&self.stmt(*stmt).kind));
        let main = find(|kind| matches!(kind, StmtKind::Finish { .. })).or_else(|| find(is_loop));
        if main.is_none() {
            if stmts.iter().any(|stmt| self.has_errors(*stmt)) {
                return None;
            }
            let range = stmts.first().map_or(self.stmt(around).range, |stmt| self.stmt(*stmt).range);
            match level {
                Level::Blocks => self.report_at(range, MissingBlockLoop::NoLoop),
                Level::Threads => self.report_at(range, MissingThreadLoop::NoLoop),
            }
        }
        main
    }

    /// Matches the `finish` of a level; returns its statements.
    fn match_finish(&self, level: Level, stmt: StmtId) -> Vec<StmtId> {
        let start = self.stmt(stmt).range.start();
        match (&self.stmt(stmt).kind, level) {
            (StmtKind::Finish { clocked, body }, Level::Blocks) => {
                if *clocked != Clocked::No {
                    let violation = self.violation(
                        self.header_range(stmt, *body),
                        cuda::clocked_block_finish::ClockedBlockFinish,
                    );
                    self.report(violation.fix(self.remove_clocked_fix(stmt, *body, "finish")));
                }
                self.flat_statements(*body)
            }
            (StmtKind::Finish { clocked, body }, Level::Threads) => {
                if *clocked == Clocked::No {
                    let violation = self.violation(
                        self.header_range(stmt, *body),
                        cuda::missing_clocked_finish::MissingClockedFinish,
                    );
                    let title = "Write `clocked finish`";
                    self.report(violation.fix(self.insert_clocked_fix(start, "clocked ", title, *body)));
                }
                self.flat_statements(*body)
            }
            _ => {
                self.report_missing_finish(level, stmt);
                vec![stmt]
            }
        }
    }

    /// A fix that inserts `words` at `start`, and `clocked` before the `async` of the loop inside, if it is
    /// missing there, too.
    fn insert_clocked_fix(&self, start: TextSize, words: &str, title: &str, inside: StmtId) -> FixTemplate {
        let body = match self.flat_statements(inside)[..] {
            [only] => match &self.stmt(only).kind {
                StmtKind::ForIn { body, .. } => self.flat_statements(*body),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        let [activity] = body[..] else { return FixTemplate::insert(title, start, words) };
        if !matches!(self.stmt(activity).kind, StmtKind::Async { clocked: Clocked::No, .. }) {
            return FixTemplate::insert(title, start, words);
        }
        let insert = |at, words: &str| EditTemplate {
            range: TextRange::empty(at),
            text: vec![text(words.to_owned())],
        };
        let edits = vec![insert(start, words), insert(self.stmt(activity).range.start(), "clocked ")];
        FixTemplate::edits(vec![text(format!("{title}, and `clocked async`"))], edits)
    }

    fn report_missing_finish(&self, level: Level, stmt: StmtId) {
        let words = match level {
            Level::Blocks => "finish",
            Level::Threads => "clocked finish",
        };
        let start = self.stmt(stmt).range.start();
        let insert = |at, words: &str| EditTemplate {
            range: TextRange::empty(at),
            text: vec![text(format!("{words} "))],
        };
        let sequential_body = self.sequential_body_start(stmt);
        let fix = match sequential_body {
            // A sequential loop lacks both `finish` and `async`: reported once.
            Some(body) => {
                let activity = level.activity();
                let title = format!("Write `{words}` before the loop and `{activity}` before its body");
                let edits = vec![insert(start, words), insert(body, activity)];
                let fix = FixTemplate::edits(vec![text(title)], edits);
                self.has_independent_iterations(stmt).then_some(fix)
            }
            None => {
                let title = format!("Write `{words}` before the loop");
                Some(match level {
                    Level::Threads => self.insert_clocked_fix(start, &format!("{words} "), &title, stmt),
                    Level::Blocks => FixTemplate::insert(title, start, format!("{words} ")),
                })
            }
        };
        let (range, is_sequential) = (self.loop_header_range(stmt), sequential_body.is_some());
        let violation = match level {
            Level::Blocks => {
                self.violation(range, cuda::missing_block_finish::MissingBlockFinish { is_sequential })
            }
            Level::Threads => {
                self.violation(range, cuda::missing_thread_finish::MissingThreadFinish { is_sequential })
            }
        };
        self.report(violation.fix(fix));
    }

    /// Whether a statement is the body of a loop with independent iterations.
    fn is_body_of_independent_loop(&self, body: StmtId) -> bool {
        matches!(self.parents.parent(Node::Stmt(body)), Some(Node::Stmt(around)) if self.has_independent_iterations(around))
    }

    /// The start of the body of a loop that starts no activities.
    fn sequential_body_start(&self, stmt: StmtId) -> Option<TextSize> {
        let StmtKind::ForIn { body, .. } = &self.stmt(stmt).kind else { return None };
        let starts = |stmt: &StmtId| matches!(self.stmt(*stmt).kind, StmtKind::Async { .. });
        (!self.flat_statements(*body).iter().any(starts)).then(|| self.stmt(*body).range.start())
    }

    /// Matches the loop in the statements of a `finish`: its axes (if valid) and its body.
    fn match_loop(
        &self,
        level: Level,
        stmts: &[StmtId],
        finish: StmtId,
    ) -> Option<(Option<Vec<Axis>>, StmtId)> {
        let noun = level.noun();
        let Some(main) = stmts.iter().position(|stmt| is_loop(&self.stmt(*stmt).kind)) else {
            if stmts.iter().any(|stmt| self.has_errors(*stmt)) {
                return None;
            }
            let range = stmts.first().map_or(self.stmt(finish).range, |stmt| self.stmt(*stmt).range);
            match level {
                Level::Blocks => self.report_at(range, MissingBlockLoop::NoLoopInFinish),
                Level::Threads => self.report_at(range, MissingThreadLoop::NoLoopInFinish),
            }
            return None;
        };
        for stmt in stmts.iter().enumerate().filter(|(index, _)| *index != main).map(|(_, stmt)| *stmt) {
            self.report_at(self.stmt(stmt).range, ExtraStatement::BesideLoop { noun });
        }
        let stmt = stmts[main];
        if !matches!(self.stmt(stmt).kind, StmtKind::ForIn { .. }) {
            self.report_not_a_range_loop(level, stmt);
            return self.loop_body(stmt).map(|body| (None, body));
        }
        match self.match_nested_loops(level, stmt) {
            Some(body) => Some((None, body)),
            None => Some(self.match_axes(level, stmt)),
        }
    }

    /// Matches the `async` that is the body of a loop; returns its code. `main` is the statement that starts
    /// the level: a `finish`, or a loop whose missing `finish` is reported already.
    fn match_async(&self, level: Level, body: StmtId, main: StmtId) -> Option<StmtId> {
        let reported = !matches!(self.stmt(main).kind, StmtKind::Finish { .. });
        let stmts = self.flat_statements(body);
        let noun = level.noun();
        let wanted = level.activity();
        let Some(main) =
            stmts.iter().position(|stmt| matches!(self.stmt(*stmt).kind, StmtKind::Async { .. }))
        else {
            if stmts.iter().any(|stmt| self.has_errors(*stmt)) {
                return None;
            }
            if reported {
                return Some(body);
            }
            let range = self.stmt(body).range;
            let head = TextRange::at(range.start(), TextSize::from(1).min(range.len()));
            let violation = match level {
                Level::Blocks => self.violation(head, cuda::missing_block_async::MissingBlockAsync),
                Level::Threads => self.violation(head, cuda::missing_thread_async::MissingThreadAsync),
            };
            self.report(violation.fix(self.is_body_of_independent_loop(body).then(|| {
                FixTemplate::insert(format!("Write `{wanted}`"), range.start(), format!("{wanted} "))
            })));
            return Some(body);
        };
        for stmt in stmts.iter().enumerate().filter(|(index, _)| *index != main).map(|(_, stmt)| *stmt) {
            self.report_at(self.stmt(stmt).range, ExtraStatement::BesideAsync { noun });
        }
        let StmtKind::Async { clocked, body, .. } = &self.stmt(stmts[main]).kind else { return None };
        self.check_clocked(level, stmts[main], clocked, *body);
        Some(*body)
    }

    fn check_clocked(&self, level: Level, stmt: StmtId, clocked: &Clocked, body: StmtId) {
        let head = self.header_range(stmt, body);
        match (level, clocked) {
            (Level::Blocks, Clocked::No) | (Level::Threads, Clocked::Implicit) => {}
            (Level::Blocks, _) => {
                let violation = self.violation(head, cuda::clocked_block_async::ClockedBlockAsync);
                self.report(violation.fix(self.remove_clocked_fix(stmt, body, "async")));
            }
            // Covered by the fix for the missing `clocked finish`.
            (Level::Threads, Clocked::No)
                if self.breaks(&cuda::missing_clocked_finish::RULE)
                    || self.breaks(&cuda::missing_thread_finish::RULE) => {}
            (Level::Threads, _) => {
                let title = "Write `clocked async`";
                let fix = match *clocked == Clocked::No {
                    true => FixTemplate::insert(title, self.stmt(stmt).range.start(), "clocked "),
                    false => FixTemplate::replace(title, head, "clocked async "),
                };
                self.report(self.violation(head, cuda::missing_clocked_async::MissingClockedAsync).fix(fix));
            }
        }
    }

    /// The range from the start of a statement to its body: `clocked finish`, `async`.
    fn header_range(&self, stmt: StmtId, body: StmtId) -> TextRange {
        let start = self.stmt(stmt).range.start();
        TextRange::new(start, self.stmt(body).range.start().max(start))
    }

    pub(crate) fn loop_header_range(&self, stmt: StmtId) -> TextRange {
        match &self.stmt(stmt).kind {
            StmtKind::ForIn { body, .. } | StmtKind::For { body, .. } | StmtKind::While { body, .. } => {
                self.header_range(stmt, *body)
            }
            _ => self.stmt(stmt).range,
        }
    }

    fn remove_clocked_fix(&self, stmt: StmtId, body: StmtId, keyword: &str) -> FixTemplate {
        FixTemplate::replace(
            format!("Write `{keyword}` without `clocked`"),
            self.header_range(stmt, body),
            format!("{keyword} "),
        )
    }

    /// Reports statements after the part of a level that runs on the device.
    fn report_extra_statements(&self, level: Level, stmts: &[StmtId]) {
        for stmt in stmts {
            if self.has_errors(*stmt) {
                continue;
            }
            let range = self.stmt(*stmt).range;
            match level {
                Level::Blocks => {
                    let violation = self.violation(range, cuda::statement_after_blocks::StatementAfterBlocks);
                    self.report(violation.fix(self.move_print_after_at(*stmt)));
                }
                Level::Threads if self.makes_rail(*stmt) => {
                    self.report_misplaced_shared_memory(*stmt, MisplacedSharedMemory::AfterThreads);
                }
                Level::Threads => {
                    self.report_at(range, cuda::statement_after_threads::StatementAfterThreads);
                }
            }
        }
    }
}

fn is_loop(kind: &StmtKind) -> bool {
    matches!(
        kind,
        StmtKind::ForIn { .. } | StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. }
    )
}
