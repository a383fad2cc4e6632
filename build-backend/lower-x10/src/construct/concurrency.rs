//! `async`, `at`, `finish`, `atomic`, `when` and clocks.

use apg_analysis::program::body::{Capture, Clocked, ExprId, StmtId, StmtKind};
use apg_analysis::program::items::qualified_name;
use apg_analysis::program::kernel::Kernel;

use crate::builder::function::Builder;
use apg_mir::{self as mir, StmtKind as Out};

impl Builder<'_, '_> {
    /// `async S`; with `at (p)` as its whole body the activity starts at `p`.
    pub(crate) fn spawn(&mut self, stmt: StmtId, clocked: &Clocked, body: StmtId, captures: &[Capture]) {
        let clocks = if self.is_uncounted(stmt) { mir::Clocks::Uncounted } else { self.clocks(clocked) };
        if let Some(at) = self.only_at(body) {
            if let Some(kernel) = self.kernel_of(at) {
                self.launch_activity(at, &kernel, clocks);
                return;
            }
            let source = self.source.body.clone();
            if let StmtKind::At { place, body, captures } = &source.stmt(at).kind {
                let place = self.place_id(*place);
                let place = self.save(place);
                let closure = self.activity(*body, captures);
                let closure = self.as_any(closure);
                self.push(Out::AsyncAt { place, closure, clocks, raise_at_sender: false });
                return;
            }
        }
        let closure = self.activity(body, captures);
        self.at(self.source.body.stmt(stmt).range);
        let closure = self.as_any(closure);
        self.push(Out::Async { closure, clocks });
    }

    /// Whether an `async` is annotated as uncounted: no `finish` waits for it.
    fn is_uncounted(&self, stmt: StmtId) -> bool {
        let db = self.lowerer.db;
        let annotations = &self.source.body.stmt(stmt).annotations;
        let names = annotations.iter().filter_map(|it| Some(qualified_name(db, it.class?)));
        names.into_iter().any(|it| matches!(&*it, "x10.compiler.Uncounted" | "x10.compiler.Immediate"))
    }

    /// The `at` that a statement consists of.
    pub(crate) fn only_at(&self, stmt: StmtId) -> Option<StmtId> {
        match &self.source.body.stmt(stmt).kind {
            StmtKind::Block(stmts) => match stmts.as_slice() {
                [one] => self.only_at(*one),
                _ => None,
            },
            StmtKind::At { .. } => Some(stmt),
            _ => None,
        }
    }

    /// `at (p) S`.
    pub(crate) fn at_statement(&mut self, stmt: StmtId, place: ExprId, body: StmtId, captures: &[Capture]) {
        if let Some(kernel) = self.kernel_of(stmt) {
            self.launch_and_wait(stmt, &kernel);
            return;
        }
        let place = self.place_id(place);
        let place = self.save(place);
        // An activity that only starts another one is started directly at its place.
        if let Some((spawned, body, captures)) = self.only_spawned(body) {
            let clocks = if self.is_uncounted(spawned) { mir::Clocks::Uncounted } else { mir::Clocks::None };
            let closure = self.activity(body, &captures);
            self.at(self.source.body.stmt(stmt).range);
            let closure = self.as_any(closure);
            self.push(Out::AsyncAt { place, closure, clocks, raise_at_sender: true });
            return;
        }
        let closure = self.activity(body, captures);
        self.at(self.source.body.stmt(stmt).range);
        let closure = self.as_any(closure);
        self.push(Out::At { place, closure });
    }

    /// The local `async` without clocks that a statement consists of.
    fn only_spawned(&self, stmt: StmtId) -> Option<(StmtId, StmtId, Vec<Capture>)> {
        match &self.source.body.stmt(stmt).kind {
            StmtKind::Block(stmts) => match stmts.as_slice() {
                [one] => self.only_spawned(*one),
                _ => None,
            },
            StmtKind::Async { clocked: Clocked::No, body, captures } => Some((stmt, *body, captures.clone())),
            _ => None,
        }
    }

    /// `finish S`.
    pub(crate) fn finish_statement(&mut self, clocked: &Clocked, body: StmtId) {
        // The waiting activity launches a single kernel itself. Registered on a clock it would delay the
        // clock.
        let single = if *clocked == Clocked::No { self.only_spawned_kernel(body) } else { None };
        let body = match single {
            Some((at, kernel)) => self.nested(|it| it.launch_and_wait(at, &kernel)).0,
            None => {
                let captures_stable = self.only_launches_kernels(body);
                let before = std::mem::replace(&mut self.captures_stable, captures_stable);
                let lowered = self.nested_stmt(body);
                self.captures_stable = before;
                lowered
            }
        };
        self.push(Out::Finish { body, clocked: *clocked != Clocked::No });
    }

    /// The kernel of a statement that only starts one: `async at (p) @CUDA { ... }`.
    fn only_spawned_kernel(&self, stmt: StmtId) -> Option<(StmtId, Kernel)> {
        let source = self.source.body.clone();
        match &source.stmt(stmt).kind {
            StmtKind::Block(stmts) => match stmts.as_slice() {
                [one] => self.only_spawned_kernel(*one),
                _ => None,
            },
            StmtKind::Async { clocked: Clocked::No, body, .. } => {
                let at = self.only_at(*body)?;
                let kernel = self.source.kernels.iter().find(|it| it.at == at)?.kernel.clone()?;
                Some((at, kernel))
            }
            _ => None,
        }
    }

    /// `when (c) S or (d) T`.
    pub(crate) fn when_statement(&mut self, branches: &[(ExprId, StmtId)]) {
        let branches = branches.iter().map(|(condition, body)| {
            let (setup, condition) = self.nested(|it| it.value(*condition));
            mir::WhenBranch { setup, condition, body: self.nested_stmt(*body) }
        });
        let branches = branches.collect();
        self.push(Out::When(branches));
    }

    /// The clocks that a new activity is registered with.
    fn clocks(&mut self, clocked: &Clocked) -> mir::Clocks {
        match clocked {
            Clocked::No => mir::Clocks::None,
            Clocked::Implicit => mir::Clocks::Implicit,
            Clocked::Clocks(clocks) => {
                let operands: Vec<_> = clocks.iter().map(|it| (*it, self.type_of(*it))).collect();
                mir::Clocks::Listed(self.operands(&operands))
            }
        }
    }
}
