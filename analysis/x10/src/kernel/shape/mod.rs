//! Shape of a kernel: prelude, block loop, shared memory, thread loop.
//!
//! A missing part is reported once and skipped, so that the rest is still checked.

pub(in crate::kernel) mod axes;
pub(in crate::kernel) mod hoistable;
pub(in crate::kernel) mod recognise;
pub(in crate::kernel) mod sequential_loops;
pub(in crate::kernel) mod shared_memory;

use apg_syntax::{TextRange, TextSize};

use crate::body::walk::Node;
use crate::body::{Clocked, ExprId, ExprKind, LocalId, StmtId, StmtKind};
use crate::diagnostics::Rule;
use crate::kernel::context::KernelContext;
use crate::kernel::fixes::template::{EditTemplate, FixTemplate, text};
use crate::kernel::shape::axes::Level;
use crate::kernel::{Axis, Prelude, PreludeKind, SharedRail};
use crate::rules::cuda;

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
    pub fn match_shape(&self, body: StmtId) -> KernelShape {
        let mut shape = KernelShape::default();
        let stmts = self.statements(body);
        if stmts.is_empty() {
            self.report(
                self.violation(&cuda::empty_kernel::RULE, self.stmt(body).range, "a kernel without any code").note(
                    "write `finish for (block in 0n..7n) async { clocked finish for (thread in 0n..63n) clocked async { ... } }` \
                     inside, or remove `@CUDA`",
                ),
            );
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
        self.report_extra_statements(
            &cuda::statement_after_blocks::RULE,
            &stmts[main + 1..],
            "the blocks of a kernel",
            true,
        );
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
        self.report(
            self.violation(
                &cuda::async_in_kernel::RULE,
                self.head(stmt, inner),
                "this `async` is a part of the kernel, which starts no activities",
            )
            .note("the host starts the activity that launches the kernel: write `finish async at (p) @CUDA { finish for (block in ...) ... }`"),
        );
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
        self.report(
            self.violation(&cuda::missing_block_loop::RULE, self.head(stmt, body), "the kernel has threads, but no blocks that they are of")
                .note("the threads of one block share a barrier and a multiprocessor; a device runs many blocks: write `finish for (block in 0n..7n) async { ... }` around them")
                .fix(FixTemplate::edits(vec![text("Put the threads into one block")], edits)),
        );
    }

    /// Matches the code of a block: shared memory, then the threads.
    fn match_block(&self, block: StmtId, shape: &mut KernelShape) {
        let stmts = self.statements(block);
        let Some(main) = self.main_statement(Level::Threads, &stmts, block) else { return };
        for stmt in &stmts[..main] {
            self.check_shared_definition(*stmt, &mut shape.shared);
        }
        self.report_extra_statements(
            &cuda::statement_after_threads::RULE,
            &stmts[main + 1..],
            "the threads of a block",
            false,
        );
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
            let (rule, wanted): (&'static Rule, &str) = match level {
                Level::Blocks => (
                    &cuda::missing_block_loop::RULE,
                    "write `finish for (block in 0n..7n) async { ... }` around what each block does",
                ),
                Level::Threads => (
                    &cuda::missing_thread_loop::RULE,
                    "write `clocked finish for (thread in 0n..63n) clocked async { ... }` around what each thread does",
                ),
            };
            let noun = level.noun();
            let range = stmts.first().map_or(self.stmt(around).range, |stmt| self.stmt(*stmt).range);
            self.report(
                self.violation(rule, range, format!("the kernel has no loop over its {noun}s")).note(wanted),
            );
        }
        main
    }

    /// Matches the `finish` of a level; returns its statements.
    fn match_finish(&self, level: Level, stmt: StmtId) -> Vec<StmtId> {
        let start = self.stmt(stmt).range.start();
        match (&self.stmt(stmt).kind, level) {
            (StmtKind::Finish { clocked, body }, Level::Blocks) => {
                if *clocked != Clocked::No {
                    self.report(
                        self.violation(
                            &cuda::clocked_block_finish::RULE,
                            self.head(stmt, *body),
                            "the `finish` over the blocks of a kernel is clocked",
                        )
                        .note("the blocks of a kernel run in any order and cannot wait for each other; only the threads of one block can")
                        .fix(self.remove_clocked_fix(stmt, *body, "finish")),
                    );
                }
                self.statements(*body)
            }
            (StmtKind::Finish { clocked, body }, Level::Threads) => {
                if *clocked == Clocked::No {
                    self.report(
                        self.violation(
                            &cuda::missing_clocked_finish::RULE,
                            self.head(stmt, *body),
                            "the `finish` over the threads of a block is not clocked",
                        )
                        .note("the threads of a block share a barrier: write `clocked finish`")
                        .fix(self.insert_clocked_fix(
                            start,
                            "clocked ",
                            "Write `clocked finish`",
                            *body,
                        )),
                    );
                }
                self.statements(*body)
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
        let body = match self.statements(inside)[..] {
            [only] => match &self.stmt(only).kind {
                StmtKind::ForIn { body, .. } => self.statements(*body),
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
        let (rule, words, note): (&'static Rule, _, _) = match level {
            Level::Blocks => (
                &cuda::missing_block_finish::RULE,
                "finish",
                "a kernel ends when all its blocks have: write `finish for (block in ...) async`",
            ),
            Level::Threads => (
                &cuda::missing_thread_finish::RULE,
                "clocked finish",
                "a block ends when all its threads have: write `clocked finish for (thread in ...) clocked async`",
            ),
        };
        let start = self.stmt(stmt).range.start();
        let insert = |at, words: &str| EditTemplate {
            range: TextRange::empty(at),
            text: vec![text(format!("{words} "))],
        };
        let (message, title, edits) = match self.plain_body(stmt) {
            // A sequential loop lacks both `finish` and `async`: reported once.
            Some(body) => {
                let activity = level.activity();
                (
                    format!("the loop over the {}s runs them one after the other", level.noun()),
                    format!("Write `{words}` before the loop and `{activity}` before its body"),
                    vec![insert(start, words), insert(body, activity)],
                )
            }
            None => {
                let message = format!("the loop over the {}s is not in a `{words}`", level.noun());
                let title = format!("Write `{words}` before the loop");
                let fix = match level {
                    Level::Threads => self.insert_clocked_fix(start, &format!("{words} "), &title, stmt),
                    Level::Blocks => FixTemplate::insert(title, start, format!("{words} ")),
                };
                return self
                    .report(self.violation(rule, self.head_of_loop(stmt), message).note(note).fix(fix));
            }
        };
        let fix = FixTemplate::edits(vec![text(title)], edits);
        self.report(
            self.violation(rule, self.head_of_loop(stmt), message)
                .note(note)
                .fix(self.has_independent_iterations(stmt).then_some(fix)),
        );
    }

    /// Whether a statement is the body of a loop with independent iterations.
    fn is_body_of_independent(&self, body: StmtId) -> bool {
        matches!(self.parents.parent(Node::Stmt(body)), Some(Node::Stmt(around)) if self.has_independent_iterations(around))
    }

    /// The start of the body of a loop that starts no activities.
    fn plain_body(&self, stmt: StmtId) -> Option<TextSize> {
        let StmtKind::ForIn { body, .. } = &self.stmt(stmt).kind else { return None };
        let starts = |stmt: &StmtId| matches!(self.stmt(*stmt).kind, StmtKind::Async { .. });
        (!self.statements(*body).iter().any(starts)).then(|| self.stmt(*body).range.start())
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
            let rule = match level {
                Level::Blocks => &cuda::missing_block_loop::RULE,
                Level::Threads => &cuda::missing_thread_loop::RULE,
            };
            let range = stmts.first().map_or(self.stmt(finish).range, |stmt| self.stmt(*stmt).range);
            self.report(
                self.violation(rule, range, format!("the `finish` over the {noun}s holds no loop"))
                    .note(format!("write `for ({noun} in 0n..last)` directly inside it")),
            );
            return None;
        };
        for stmt in stmts.iter().enumerate().filter(|(index, _)| *index != main).map(|(_, stmt)| *stmt) {
            self.report(
                self.violation(
                    &cuda::extra_statement::RULE,
                    self.stmt(stmt).range,
                    format!("a statement beside the loop over the {noun}s"),
                )
                .note(format!("only that loop runs on the device: nothing else may stand in its `finish`. Move the statement into the {noun}, or out of the `at`")),
            );
        }
        let stmt = stmts[main];
        if !matches!(self.stmt(stmt).kind, StmtKind::ForIn { .. }) {
            self.report_not_a_range_loop(level, stmt);
            return self.loop_body(stmt).map(|body| (None, body));
        }
        match self.match_nested_loops(level, stmt) {
            Some(body) => Some((None, body)),
            None => Some(self.axes(level, stmt)),
        }
    }

    /// Matches the `async` that is the body of a loop; returns its code. `main` is the statement that starts
    /// the level: a `finish`, or a loop whose missing `finish` is reported already.
    fn match_async(&self, level: Level, body: StmtId, main: StmtId) -> Option<StmtId> {
        let reported = !matches!(self.stmt(main).kind, StmtKind::Finish { .. });
        let stmts = self.statements(body);
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
            let rule: &'static Rule = match level {
                Level::Blocks => &cuda::missing_block_async::RULE,
                Level::Threads => &cuda::missing_thread_async::RULE,
            };
            let range = self.stmt(body).range;
            let head = TextRange::at(range.start(), TextSize::from(1).min(range.len()));
            self.report(
                self.violation(rule, head, format!("the {noun}s of a kernel are not activities"))
                    .note(format!(
                        "the {noun}s run at the same time: write `{wanted}` before the body of the loop"
                    ))
                    .fix(self.is_body_of_independent(body).then(|| {
                        FixTemplate::insert(format!("Write `{wanted}`"), range.start(), format!("{wanted} "))
                    })),
            );
            return Some(body);
        };
        for stmt in stmts.iter().enumerate().filter(|(index, _)| *index != main).map(|(_, stmt)| *stmt) {
            self.report(
                self.violation(
                    &cuda::extra_statement::RULE,
                    self.stmt(stmt).range,
                    format!("a statement beside the `async` of the {noun}s"),
                )
                .note(format!("the loop only starts the {noun}s: move the statement into the `async`")),
            );
        }
        let StmtKind::Async { clocked, body, .. } = &self.stmt(stmts[main]).kind else { return None };
        self.check_clocked(level, stmts[main], clocked, *body);
        Some(*body)
    }

    fn check_clocked(&self, level: Level, stmt: StmtId, clocked: &Clocked, body: StmtId) {
        let head = self.head(stmt, body);
        match (level, clocked) {
            (Level::Blocks, Clocked::No) | (Level::Threads, Clocked::Implicit) => {}
            (Level::Blocks, _) => self.report(
                self.violation(&cuda::clocked_block_async::RULE, head, "the blocks of a kernel are clocked")
                    .note("blocks run in any order and cannot wait for each other; only the threads of one block can")
                    .fix(self.remove_clocked_fix(stmt, body, "async")),
            ),
            // Covered by the fix for the missing `clocked finish`.
            (Level::Threads, Clocked::No)
                if self.breaks(&cuda::missing_clocked_finish::RULE)
                    || self.breaks(&cuda::missing_thread_finish::RULE) => {}
            (Level::Threads, _) => self.report(
                self.violation(&cuda::missing_clocked_async::RULE, head, "the threads of a block are not clocked")
                    .note("the threads of a block share the barrier of the `clocked finish`: write `clocked async`")
                    .fix(if *clocked == Clocked::No {
                        FixTemplate::insert("Write `clocked async`", self.stmt(stmt).range.start(), "clocked ")
                    } else {
                        FixTemplate::replace("Write `clocked async`", head, "clocked async ")
                    }),
            ),
        }
    }

    /// The range from the start of a statement to its body: `clocked finish`, `async`.
    fn head(&self, stmt: StmtId, body: StmtId) -> TextRange {
        let start = self.stmt(stmt).range.start();
        TextRange::new(start, self.stmt(body).range.start().max(start))
    }

    pub fn head_of_loop(&self, stmt: StmtId) -> TextRange {
        match &self.stmt(stmt).kind {
            StmtKind::ForIn { body, .. } | StmtKind::For { body, .. } | StmtKind::While { body, .. } => {
                self.head(stmt, *body)
            }
            _ => self.stmt(stmt).range,
        }
    }

    fn remove_clocked_fix(&self, stmt: StmtId, body: StmtId, keyword: &str) -> FixTemplate {
        FixTemplate::replace(
            format!("Write `{keyword}` without `clocked`"),
            self.head(stmt, body),
            format!("{keyword} "),
        )
    }

    /// Reports statements after the part of the kernel that runs on the device.
    fn report_extra_statements(&self, rule: &'static Rule, stmts: &[StmtId], what: &str, movable: bool) {
        for stmt in stmts {
            if self.has_errors(*stmt) {
                continue;
            }
            if !movable && self.makes_rail(*stmt) {
                self.report_misplaced_shared_memory(
                    *stmt,
                    "a rail made after the threads that would share it",
                );
                continue;
            }
            let mut violation = self.violation(rule, self.stmt(*stmt).range, format!("a statement after {what}")).note(
                "a kernel ends with its threads; nothing can run on the device after them in the same launch",
            );
            if movable {
                violation = violation
                    .note("do it after the `finish` of the `at`")
                    .fix(self.move_print_after_at(*stmt));
            } else {
                violation = violation.note(
                    "let one thread do it: put it at the end of the thread's code, after a `Clock.advanceAll()`, under `if (thread == 0n)`",
                );
            }
            self.report(violation);
        }
    }

    /// Matches a statement before the blocks: auto-configuration or constant memory.
    fn match_prelude_value(&self, stmt: StmtId, found: &mut Vec<Prelude>) {
        let range = self.stmt(stmt).range;
        let (local, init) = match self.stmt(stmt).kind {
            StmtKind::Error => return self.mark_broken(),
            StmtKind::Let { local, init: Some(init) } => (local, init),
            _ => {
                let violation = self
                    .violation(&cuda::prelude_statement::RULE, range, "a statement before the blocks of a kernel")
                    .note("what is not in a thread would run on the host: move it before the `at`, or into the threads")
                    .fix(self.is_movable_print(stmt).then(|| self.move_out_of_at(stmt, false)).flatten());
                return self.report(violation);
            }
        };
        let name = &self.local(local).name;
        if self.local(local).mutable {
            return self.report(
                self.violation(&cuda::var_in_prelude::RULE, range, format!("`{name}` is a `var` of the whole kernel"))
                    .note("all blocks and threads would share it: make it a `val`, or declare it in the thread's code"),
            );
        }
        if let Some(kind) = self.prelude_auto(init) {
            match found.iter().find(|prelude| prelude.kind == kind) {
                Some(first) => self.report_duplicate_auto(stmt, local, first.local),
                None => {
                    let choices = self.choices(init, &kind).unwrap_or_default();
                    found.push(Prelude { local, kind, choices });
                }
            }
            return;
        }
        if self.has_errors(init) {
            return;
        }
        if self.constant_rail_call(init).is_some() {
            return;
        }
        if self.new_rail(self.strip(init)).is_some() {
            return self.report_misplaced_shared_memory(
                stmt,
                "a rail made inside the kernel, but outside its blocks",
            );
        }
        self.report(
            self.violation(
                &cuda::prelude_value::RULE,
                self.expr(init).range,
                format!("`{name}` is neither auto-configuration nor constant memory"),
            )
            .note(
                "before the blocks of a kernel stand only `CUDAUtilities.autoBlocks()`, `CUDAUtilities.autoThreads()` and \
                 `CUDAConstantRail(rail)`; compute anything else before the `at`",
            )
            .fix(self.move_value_before_at(stmt, local, init)),
        );
    }

    fn report_duplicate_auto(&self, stmt: StmtId, local: LocalId, first: LocalId) {
        let name = &self.local(first).name;
        let uses = self.body.exprs.iter().filter(|expr| expr.kind == ExprKind::Local(local));
        let mut edits: Vec<EditTemplate> =
            uses.map(|expr| EditTemplate { range: expr.range, text: vec![text(name.as_str())] }).collect();
        edits.push(EditTemplate { range: self.stmt(stmt).range, text: Vec::new() });
        edits.dedup();
        let alone = !self.is_in_multi_declaration(stmt);
        self.report(
            self.violation(
                &cuda::auto_twice::RULE,
                self.stmt(stmt).range,
                format!("the kernel asks for this a second time; `{name}` has it already"),
            )
            .note(format!("both would be the same number: use `{name}`"))
            .related(None, self.local(first).range, "first requested here")
            .fix(alone.then(|| FixTemplate::edits(vec![text(format!("Use `{name}` instead"))], edits))),
        );
    }

    /// How a `val` before the blocks is computed.
    pub fn prelude_auto(&self, init: ExprId) -> Option<PreludeKind> {
        let init = self.strip(init);
        if let Some(rail) = self.constant_rail_call(init) {
            return self.constant_rail(rail);
        }
        let ExprKind::Call { method, .. } = self.expr(init).kind else { return None };
        let kind = if self.semantics.is_method(method, "x10.util.CUDAUtilities", "autoBlocks") {
            PreludeKind::AutoBlocks
        } else if self.semantics.is_method(method, "x10.util.CUDAUtilities", "autoThreads") {
            PreludeKind::AutoThreads
        } else {
            return None;
        };
        Some(kind)
    }

    /// The choices of `autoThreads([256n, 128n])`.
    fn choices(&self, init: ExprId, kind: &PreludeKind) -> Option<Vec<i32>> {
        let ExprKind::Call { args, .. } = &self.expr(self.strip(init)).kind else { return None };
        let most = match kind {
            PreludeKind::AutoThreads => crate::kernel::limits::MAX_THREADS_PER_BLOCK,
            PreludeKind::AutoBlocks => i64::from(i32::MAX),
            PreludeKind::ConstantRail { .. } => return None,
        };
        let [choices] = args[..] else { return None };
        let number = |it: &ExprId| {
            let value = self.constant(*it).filter(|it| (1..=most).contains(it))?;
            i32::try_from(value).ok()
        };
        let numbers = match &self.expr(self.strip(choices)).kind {
            ExprKind::RailLiteral { items, .. } => items.iter().map(number).collect::<Option<Vec<i32>>>(),
            _ => None,
        };
        let numbers = numbers.filter(|it| !it.is_empty());
        if numbers.is_none() && !self.has_errors(choices) {
            let message = format!("the choices are not written out as numbers from 1 to {most}");
            self.report(
                self.violation(&cuda::prelude_value::RULE, self.expr(choices).range, message).note(
                    "the launch chooses from constants, the preferred ones first: `CUDAUtilities.autoThreads([256n, 128n, 64n])`",
                ),
            );
        }
        numbers
    }

    /// The argument of `CUDAConstantRail(rail)`.
    fn constant_rail_call(&self, init: ExprId) -> Option<ExprId> {
        let (class, args) = match &self.expr(self.strip(init)).kind {
            ExprKind::New { class, args, .. } => (*class, args),
            ExprKind::Call { method, args, .. } => (method.class(self.semantics.db), args),
            _ => return None,
        };
        (self.semantics.is_class(class, "x10.lang.CUDAConstantRail") && args.len() == 1).then(|| args[0])
    }

    fn constant_rail(&self, rail: ExprId) -> Option<PreludeKind> {
        use crate::kernel::device_semantics::TypeCategory;
        let expr = self.expr(self.strip(rail));
        let shape = self.semantics.category(expr.ty);
        if let (TypeCategory::Rail(element), ExprKind::Local(local)) = (shape, &expr.kind)
            && !self.inner.contains(local)
            && !self.local(*local).mutable
        {
            return Some(PreludeKind::ConstantRail { rail, element });
        }
        if shape == TypeCategory::Unknown {
            self.mark_broken();
            return None;
        }
        let mut violation = self
            .violation(
                &cuda::constant_rail_source::RULE,
                expr.range,
                "constant memory is filled from something else than a `val` of type `Rail` declared before the `at`",
            )
            .note("the host copies it to the device before the launch, so it must be there already");
        if matches!(shape, TypeCategory::Rail(_))
            && !matches!(expr.kind, ExprKind::Local(_))
            && self.is_movable(rail)
        {
            violation = violation.fix(self.hoist_before_at(expr.range, "constants"));
        }
        self.report(violation);
        None
    }
}

fn is_loop(kind: &StmtKind) -> bool {
    matches!(
        kind,
        StmtKind::ForIn { .. } | StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. }
    )
}
