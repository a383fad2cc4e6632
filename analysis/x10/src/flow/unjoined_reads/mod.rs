//! Unjoined reads: results that are read while the activities that write them may still run, because no
//! `finish` ends before the read.
//!
//!
//! Only certain cases are reported: an activity assigns to elements or a field, `Rail.asyncCopy` copies, or a
//! kernel writes; and afterwards, on every path and with no possibly blocking operation between, the same
//! element or field is read. Methods of the same file are summarised ([`effects`]).

mod access_paths;
mod effects;
mod index_sets;
mod scan;
mod termination;

use std::sync::Arc;

use apg_syntax::TextRange;

use crate::body::Owner;
use crate::body::parents::Parents;
use crate::body::walk::Node;
use crate::body::{AssignTarget, Body, Dispatch, ExprId, ExprKind, LocalId, Stmt, StmtId, StmtKind};
use crate::db::Db;
use crate::ids::{MethodId, SourceFile};
use crate::infer::owner_body;
use crate::kernel::{DeviceSemantics, KernelContext};
use crate::rules::Problem;
use crate::rules::r#async::not_awaited::{NotAwaited, Remedy, Writer};
use crate::ty::Ty;

use access_paths::{AccessPath, AccessPaths, PathStep};
use effects::Effects;
use scan::{Read, ScanResult};

/// The problems of one body, relative to its item.
#[salsa::tracked]
pub(crate) fn unjoined_read_problems(db: &dyn Db, owner: Owner) -> Arc<Vec<Problem>> {
    let result = owner_body(db, owner);
    let body = &result.body;
    let Some(root) = body.root.filter(|_| may_start(body)) else { return Arc::default() };
    let semantics = DeviceSemantics::new(db);
    let parents = Parents::of(body);
    let context = KernelContext::new(&semantics, body, &parents, root);
    let mut search = UnjoinedReads::new(&context, owner_file(db, owner));
    search.pending_starts(root);
    for expr in &body.exprs {
        if let ExprKind::Closure(closure) = &expr.kind {
            search.pending_starts(closure.body);
        }
    }
    Arc::new(search.problems)
}

/// Whether the code has activities or calls, without which there is nothing to find.
fn may_start(body: &Body) -> bool {
    let starts = |it: &Stmt| matches!(it.kind, StmtKind::Async { .. } | StmtKind::AtEach { .. });
    body.stmts.iter().any(starts) || body.exprs.iter().any(|it| matches!(it.kind, ExprKind::Call { .. }))
}

fn owner_file(db: &dyn Db, owner: Owner) -> SourceFile {
    match owner {
        Owner::Method(method) => method.class(db).file(db),
        Owner::Field(field) => field.class(db).file(db),
    }
}

/// The analysis of one body.
struct UnjoinedReads<'a> {
    db: &'a dyn Db,
    body: &'a Body,
    context: &'a KernelContext<'a>,
    file: SourceFile,
    /// Number of enclosing `finish` statements.
    finishes: u32,
    problems: Vec<Problem>,
}

/// An asynchronous operation that may still run when the next statement starts.
#[derive(Clone, Copy)]
struct PendingStart {
    node: Node,
    kind: StartKind,
    /// Whether no `finish` waits for it.
    is_uncounted: bool,
    /// Whether it starts under a condition.
    is_conditional: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum StartKind {
    Activity,
    Copy,
    /// Started by a method of this file that returns before it ends.
    Call(MethodId),
}

/// A pending start and its writes, as seen from the following statements.
struct OpenStart {
    start: PendingStart,
    /// The statement of the block that contains the start.
    stmt: StmtId,
    writes: Vec<AccessPath>,
    /// Later writes by the code itself.
    own_writes: Vec<AccessPath>,
}

impl<'a> UnjoinedReads<'a> {
    fn new(context: &'a KernelContext<'a>, file: SourceFile) -> UnjoinedReads<'a> {
        UnjoinedReads {
            db: context.semantics.db,
            body: context.body,
            context,
            file,
            finishes: 0,
            problems: Vec::new(),
        }
    }

    fn paths(&self, stmt: StmtId) -> AccessPaths<'a> {
        AccessPaths::new(self.db, self.body, self.context, stmt)
    }

    /// The operations that a statement leaves running. Reports unjoined reads within it.
    fn pending_starts(&mut self, stmt: StmtId) -> Vec<PendingStart> {
        let body = self.body;
        match &body.stmt(stmt).kind {
            StmtKind::Block(stmts) => self.block(stmts),
            StmtKind::Finish { body, .. } => {
                self.finishes += 1;
                let mut starts = self.pending_starts(*body);
                self.finishes -= 1;
                starts.retain(|it| it.is_uncounted);
                starts
            }
            StmtKind::If { condition, then, otherwise } => {
                let mut starts = self.starts_in(*condition);
                let branches = [Some(*then), *otherwise].into_iter().flatten();
                let inner: Vec<PendingStart> = branches.flat_map(|it| self.pending_starts(it)).collect();
                starts.extend(inner.into_iter().map(|it| PendingStart { is_conditional: true, ..it }));
                starts
            }
            StmtKind::Switch { cases, .. } => {
                let inner: Vec<PendingStart> = cases.iter().flat_map(|case| self.block(&case.1)).collect();
                inner.into_iter().map(|it| PendingStart { is_conditional: true, ..it }).collect()
            }
            StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::ForIn { body, .. } => {
                let starts = self.pending_starts(*body);
                if self.is_waiting_loop(stmt) {
                    return Vec::new();
                }
                self.next_iteration(stmt, *body, starts)
            }
            StmtKind::Labeled { body, .. } | StmtKind::At { body, .. } if !self.is_kernel(stmt) => {
                self.pending_starts(*body)
            }
            StmtKind::Try { body, catches, finally } => {
                let starts = self.pending_starts(*body);
                for code in catches.iter().map(|it| it.1).chain(*finally) {
                    self.pending_starts(code);
                }
                starts
            }
            StmtKind::Async { body, .. } | StmtKind::AtEach { body, .. } => {
                if !self.is_kernel(*body) {
                    let around = std::mem::take(&mut self.finishes);
                    self.pending_starts(*body);
                    self.finishes = around;
                }
                let is_uncounted = self.body.stmt(stmt).annotations.iter().any(|it| it.name == "Uncounted");
                let node = Node::Stmt(stmt);
                vec![PendingStart { node, kind: StartKind::Activity, is_uncounted, is_conditional: false }]
            }
            StmtKind::Expr(expr) | StmtKind::Let { init: Some(expr), .. } => self.starts_in(*expr),
            _ => Vec::new(),
        }
    }

    /// A sequence of statements.
    fn block(&mut self, stmts: &[StmtId]) -> Vec<PendingStart> {
        let mut open: Vec<OpenStart> = Vec::new();
        for stmt in stmts {
            open = open.into_iter().filter_map(|it| self.scan_statement(it, *stmt)).collect();
            if matches!(
                self.body.stmt(*stmt).kind,
                StmtKind::Return(_) | StmtKind::Throw(_) | StmtKind::Break(_) | StmtKind::Continue(_)
            ) {
                return Vec::new();
            }
            for start in self.pending_starts(*stmt) {
                let writes = self.writes(start, *stmt);
                if !writes.is_empty() {
                    open.push(OpenStart { start, stmt: *stmt, writes, own_writes: Vec::new() });
                }
            }
        }
        open.into_iter().map(|it| it.start).collect()
    }

    /// Scans the next statement; reports its conflicting read, or keeps the start open.
    fn scan_statement(&mut self, mut open: OpenStart, next: StmtId) -> Option<OpenStart> {
        match self.scan(next, &mut open) {
            ScanResult::Reads(read) => {
                let problem = self.problem(&open, &read);
                self.problems.push(problem);
                None
            }
            ScanResult::MayWait => None,
            ScanResult::Continues => Some(open),
        }
    }

    /// The operations that a loop leaves running. Reports conflicting reads in the next iteration.
    fn next_iteration(&mut self, stmt: StmtId, code: StmtId, starts: Vec<PendingStart>) -> Vec<PendingStart> {
        let range = self.body.stmt(stmt).range;
        let is_inner = |local: LocalId| range.contains_range(self.body.local(local).range);
        let mut left = Vec::new();
        for start in starts {
            let first = self.statement_of(start, code);
            let mut writes = self.writes(start, first);
            // Elements indexed by the loop variable differ in the next iteration.
            writes.retain(|it| !it.uses(&is_inner));
            if start.is_conditional || writes.is_empty() {
                left.push(start);
                continue;
            }
            let mut open = OpenStart { start, stmt: first, writes, own_writes: Vec::new() };
            match self.scan(code, &mut open) {
                ScanResult::Reads(read) if !read.path.uses(&is_inner) => {
                    let problem = self.problem(&open, &read);
                    self.problems.push(problem);
                }
                ScanResult::MayWait => {}
                _ => left.push(start),
            }
        }
        left
    }

    /// The statement directly in `code`, or in its block, that contains a start.
    fn statement_of(&self, start: PendingStart, code: StmtId) -> StmtId {
        let mut found = code;
        let mut node = Some(start.node);
        while let Some(at) = node.filter(|it| *it != Node::Stmt(code)) {
            if let Node::Stmt(stmt) = at {
                found = stmt;
            }
            node = self.context.parents.parent(at);
        }
        found
    }

    /// The copies and calls of an expression that leave something running.
    fn starts_in(&self, expr: ExprId) -> Vec<PendingStart> {
        let mut starts = Vec::new();
        self.body.walk(Node::Expr(expr), &mut |node| {
            let Node::Expr(id) = node else { return true };
            let kind = match &self.body.expr(id).kind {
                ExprKind::Closure(_) => return false,
                ExprKind::Call { method, dispatch, .. } => match self.copy_target(id) {
                    Some(_) => Some(StartKind::Copy),
                    None => self
                        .effects(*method, *dispatch)
                        .filter(|it| !it.starts.is_empty())
                        .map(|_| StartKind::Call(*method)),
                },
                _ => None,
            };
            let is_uncounted = self.calls(id, "uncountedCopy");
            starts.extend(kind.map(|kind| PendingStart { node, kind, is_uncounted, is_conditional: false }));
            true
        });
        starts
    }

    fn calls(&self, id: ExprId, name: &str) -> bool {
        matches!(&self.body.expr(id).kind, ExprKind::Call { method, .. } if method.name(self.db) == name)
    }

    /// The effects of a method, if the target is known and declared in this file.
    fn effects(&self, method: MethodId, dispatch: Dispatch) -> Option<Arc<Effects>> {
        let is_own = method.class(self.db).file(self.db) == self.file;
        (is_own && effects::has_known_target(self.db, method, dispatch))
            .then(|| effects::effects(self.db, method).clone())
    }

    /// The paths that a start writes, as seen from the statements after `stmt`.
    fn writes(&self, start: PendingStart, stmt: StmtId) -> Vec<AccessPath> {
        let paths = self.paths(stmt);
        let mut found = Vec::new();
        let code = match start.node {
            Node::Stmt(id) => match self.body.stmt(id).kind {
                StmtKind::Async { body, .. } | StmtKind::AtEach { body, .. } => Node::Stmt(body),
                _ => return found,
            },
            Node::Expr(id) => match start.kind {
                StartKind::Call(method) => {
                    let effects = effects::effects(self.db, method);
                    let starts = effects.starts.iter().filter_map(|it| it.path(&paths, id));
                    found.extend(starts.filter(|it| self.is_changed(it, start.node, stmt)));
                    return found;
                }
                _ => start.node,
            },
        };
        self.body.walk(code, &mut |node| {
            let Node::Expr(id) = node else { return true };
            if matches!(self.body.expr(id).kind, ExprKind::Closure(_)) {
                return false;
            }
            let written_path =
                self.written_path(id, &paths).into_iter().chain(self.paths_written_by_call(id, &paths));
            found.extend(written_path.filter(|it| self.is_changed(it, node, stmt)));
            true
        });
        found
    }

    /// Whether a write is visible to the statements after `stmt`.
    fn is_changed(&self, path: &AccessPath, node: Node, stmt: StmtId) -> bool {
        // Code at another place works on copies, except for globally referenced objects.
        let goes = |it: Node| match it {
            Node::Stmt(id) => {
                matches!(self.body.stmt(id).kind, StmtKind::At { .. } | StmtKind::AtEach { .. })
            }
            Node::Expr(id) => matches!(self.body.expr(id).kind, ExprKind::At { .. }),
        };
        let mut around = self.context.parents.ancestors(node).take_while(|it| *it != Node::Stmt(stmt));
        let is_elsewhere = around.any(goes) || goes(Node::Stmt(stmt));
        (path.is_global || !is_elsewhere) && !self.is_reassigned(path, stmt)
    }

    /// Whether `stmt` assigns a variable or field on the path, so that it may denote another object.
    fn is_reassigned(&self, path: &AccessPath, stmt: StmtId) -> bool {
        let mut found = false;
        self.body.walk(Node::Stmt(stmt), &mut |node| {
            if let Node::Expr(id) = node
                && let ExprKind::Assign { target, .. } = self.body.expr(id).kind
            {
                found |= is_on_path(path, target);
            }
            !found
        });
        found
    }

    /// The path that an expression writes: by an assignment, a copy or an atomic operation.
    fn written_path(&self, id: ExprId, paths: &AccessPaths) -> Option<AccessPath> {
        let in_kernel = || self.is_in_kernel(Node::Expr(id));
        match &self.body.expr(id).kind {
            ExprKind::Assign { target: AssignTarget::Field { object, field }, .. } => {
                paths.field(*object, *field)
            }
            ExprKind::Call { receiver: Some(receiver), method, args, .. }
                if method.name(self.db) == "operator()=" && !self.may_wait(*method) =>
            {
                let (_, indices) = args.split_last()?;
                paths.elements(*receiver, indices, in_kernel())
            }
            ExprKind::Call { method, args, receiver: None, .. }
                if self.context.semantics.is_atomic(*method) =>
            {
                let [rail, index, ..] = args[..] else { return None };
                paths.elements(rail, &[index], in_kernel())
            }
            _ => self.copy_destination(id, paths),
        }
    }

    /// The paths that a call of a method of this file writes.
    fn paths_written_by_call(&self, id: ExprId, paths: &AccessPaths) -> Vec<AccessPath> {
        let ExprKind::Call { method, dispatch, .. } = &self.body.expr(id).kind else { return Vec::new() };
        let Some(effects) = self.effects(*method, *dispatch) else { return Vec::new() };
        effects.starts.iter().chain(&effects.writes).filter_map(|it| it.path(paths, id)).collect()
    }

    fn copy_destination(&self, id: ExprId, paths: &AccessPaths) -> Option<AccessPath> {
        match self.copy_target(id)? {
            [_, to] => paths.path(*to, vec![PathStep::AllElements]),
            [_, _, to, at, count, ..] => paths.copied_elements(*to, *at, *count),
            _ => None,
        }
    }

    fn copy_source(&self, id: ExprId, paths: &AccessPaths) -> Option<AccessPath> {
        match self.copy_target(id)? {
            [from, _] => paths.path(*from, vec![PathStep::AllElements]),
            [from, at, _, _, count, ..] => paths.copied_elements(*from, *at, *count),
            _ => None,
        }
    }

    /// The arguments of `Rail.asyncCopy(from, index, to, index, count)` and similar methods.
    fn copy_target(&self, id: ExprId) -> Option<&'a [ExprId]> {
        let ExprKind::Call { method, args, receiver: None, .. } = &self.body.expr(id).kind else {
            return None;
        };
        let name = method.name(self.db);
        if !["asyncCopy", "uncountedCopy"].contains(&name.as_str()) {
            return None;
        }
        let class = method.class(self.db);
        let is_rail = Ty::this_type(self.db, class).rail_element(self.db).is_some() && args.len() >= 5;
        let is_array = args.len() == 2 && self.context.semantics.is_array(class);
        (is_rail || is_array).then_some(args)
    }

    /// Whether a statement is a kernel: an `at` that is marked, or whose body is.
    fn is_kernel(&self, stmt: StmtId) -> bool {
        let is_marked = |id: StmtId| self.body.stmt(id).annotations.iter().any(|it| it.name == "CUDA");
        match &self.body.stmt(stmt).kind {
            StmtKind::At { body, .. } => is_marked(stmt) || is_marked(*body),
            StmtKind::Block(stmts) => matches!(stmts[..], [only] if self.is_kernel(only)),
            _ => false,
        }
    }

    fn is_in_kernel(&self, node: Node) -> bool {
        self.context.parents.ancestors(node).any(|it| matches!(it, Node::Stmt(id) if self.is_kernel(id)))
    }

    fn problem(&self, open: &OpenStart, read: &Read) -> Problem {
        let OpenStart { start, stmt, .. } = open;
        let (writer, head) = match (start.kind, start.node) {
            (StartKind::Copy, Node::Expr(id)) => (Writer::Copy, self.body.expr(id).range),
            (StartKind::Call(method), Node::Expr(id)) => (Writer::Call(method), self.body.expr(id).range),
            (_, Node::Stmt(id)) => {
                let is_kernel =
                    matches!(self.body.stmt(id).kind, StmtKind::Async { body, .. } if self.is_kernel(body));
                let writer = if is_kernel { Writer::Kernel } else { Writer::Activity };
                (writer, self.head(if self.is_only_start(*stmt, id) { *stmt } else { id }))
            }
            (_, Node::Expr(id)) => (Writer::Activity, self.body.expr(id).range),
        };
        let in_loop = self.context.parents.ancestors(Node::Stmt(*stmt)).any(|it| self.is_loop(it));
        let remedy = match (start.is_uncounted, self.is_clocked(*stmt), self.finishes > 0, in_loop) {
            (true, ..) => Remedy::When,
            (_, true, ..) => Remedy::Clock,
            (_, _, true, _) => Remedy::InnerFinish,
            (_, _, _, true) => Remedy::FinishAroundLoop,
            _ => Remedy::Finish,
        };
        let can_finish = !start.is_uncounted && self.can_wrap_in_finish(*stmt);
        let finish = can_finish.then(|| self.body.stmt(*stmt).range.start());
        let (name, read) = (read.path.name.clone(), read.range);
        Problem::new(head, NotAwaited { name, writer, remedy, read, finish })
    }

    fn is_loop(&self, node: Node) -> bool {
        matches!(node, Node::Stmt(id) if matches!(self.body.stmt(id).kind,
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } | StmtKind::ForIn { .. }))
    }

    /// Whether `stmt` only starts the activity: `start` itself, or loops and `at`s around it.
    fn is_only_start(&self, stmt: StmtId, start: StmtId) -> bool {
        let mut at = stmt;
        while at != start {
            at = match &self.body.stmt(at).kind {
                StmtKind::ForIn { body, .. } | StmtKind::For { body, .. } | StmtKind::At { body, .. } => {
                    *body
                }
                StmtKind::Block(stmts) if stmts.len() == 1 => stmts[0],
                _ => return false,
            };
        }
        true
    }

    /// The range of a statement without its body.
    fn head(&self, stmt: StmtId) -> TextRange {
        let range = self.body.stmt(stmt).range;
        let inner = match &self.body.stmt(stmt).kind {
            StmtKind::Async { body, .. }
            | StmtKind::At { body, .. }
            | StmtKind::AtEach { body, .. }
            | StmtKind::ForIn { body, .. }
            | StmtKind::For { body, .. } => self.body.stmt(*body).range.start(),
            _ => return range,
        };
        match inner > range.start() {
            true => TextRange::new(range.start(), inner),
            false => range,
        }
    }
}

/// Whether an assignment changes the object that the path denotes.
fn is_on_path(path: &AccessPath, target: AssignTarget) -> bool {
    match target {
        AssignTarget::Local(local) => path.root == access_paths::PathRoot::Local(local),
        AssignTarget::Field { field, .. } => {
            path.steps.iter().skip(1).any(|it| matches!(it, PathStep::Field(it) if *it == field))
        }
        AssignTarget::Static(_) => false,
    }
}
