//! Unjoined reads: results that are read while the activities that write them may still run. Code starts them without a `finish`
//! that ends before the read.
//!
//! Only what is certain is reported: an assignment to elements or a field in an activity, a copy by `Rail.asyncCopy`, or the output of a
//! kernel; and afterwards, on every way there and with nothing between that may wait, a read of such an element or field. Methods of
//! the same file are looked into ([`effects`]).

mod effects;
mod ends;
mod follow;
mod index;
mod paths;

use std::sync::Arc;

use apg_syntax::TextRange;

use crate::body::parents::Parents;
use crate::body::walk::Node;
use crate::body::{AssignTarget, Body, Dispatch, ExprId, ExprKind, LocalId, Stmt, StmtId, StmtKind};
use crate::db::Db;
use crate::diagnostics::{Diagnostic, Fix, Related, TextEdit, r#async as rules};
use crate::ids::{MethodId, SourceFile};
use crate::infer::{Owner, owner_body};
use crate::kernel::{DeviceSemantics, KernelContext};
use crate::ty::Ty;

use effects::Effects;
use follow::{Next, Read};
use paths::{Path, Paths, Step};

/// The warnings about one body, at their places in its item.
#[salsa::tracked]
pub(crate) fn unjoined_reads(db: &dyn Db, owner: Owner) -> Arc<Vec<Diagnostic>> {
    let result = owner_body(db, owner);
    let body = &result.body;
    let Some(root) = body.root.filter(|_| may_start(body)) else { return Arc::default() };
    let semantics = DeviceSemantics::new(db);
    let parents = Parents::of(body);
    let context = KernelContext::new(&semantics, body, &parents, root);
    let mut search = Search::new(&context, owner_file(db, owner));
    search.pending(root);
    for expr in &body.exprs {
        if let ExprKind::Closure(closure) = &expr.kind {
            search.pending(closure.body);
        }
    }
    Arc::new(search.diagnostics)
}

/// Whether the code can start anything: without activities and calls there is nothing to look for.
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

/// Goes through one body.
struct Search<'a> {
    db: &'a dyn Db,
    body: &'a Body,
    context: &'a KernelContext<'a>,
    file: SourceFile,
    /// `finish` statements around.
    finishes: u32,
    diagnostics: Vec<Diagnostic>,
}

/// Something that runs on when the code that starts it goes on.
#[derive(Clone, Copy)]
struct Start {
    node: Node,
    kind: StartKind,
    /// No `finish` waits for it.
    is_uncounted: bool,
    /// It is started under a condition.
    is_conditional: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum StartKind {
    Activity,
    Copy,
    /// What a method of this file starts and leaves.
    Call(MethodId),
}

/// A start and what it writes, as seen from the statements after one that contains it.
struct Open {
    start: Start,
    /// The statement of the block.
    stmt: StmtId,
    writes: Vec<Path>,
    /// What the code itself has written since.
    own: Vec<Path>,
}

impl<'a> Search<'a> {
    fn new(context: &'a KernelContext<'a>, file: SourceFile) -> Search<'a> {
        Search {
            db: context.semantics.db,
            body: context.body,
            context,
            file,
            finishes: 0,
            diagnostics: Vec::new(),
        }
    }

    fn paths(&self, stmt: StmtId) -> Paths<'a> {
        Paths::new(self.db, self.body, self.context, stmt)
    }

    /// What a statement starts that may run on when it ends. Reports what its own code reads too early.
    fn pending(&mut self, stmt: StmtId) -> Vec<Start> {
        let body = self.body;
        match &body.stmt(stmt).kind {
            StmtKind::Block(stmts) => self.block(stmts),
            StmtKind::Finish { body, .. } => {
                self.finishes += 1;
                let mut starts = self.pending(*body);
                self.finishes -= 1;
                starts.retain(|it| it.is_uncounted);
                starts
            }
            StmtKind::If { condition, then, otherwise } => {
                let mut starts = self.started_by(*condition);
                let branches = [Some(*then), *otherwise].into_iter().flatten();
                let inner: Vec<Start> = branches.flat_map(|it| self.pending(it)).collect();
                starts.extend(inner.into_iter().map(|it| Start { is_conditional: true, ..it }));
                starts
            }
            StmtKind::Switch { cases, .. } => {
                let inner: Vec<Start> = cases.iter().flat_map(|case| self.block(&case.1)).collect();
                inner.into_iter().map(|it| Start { is_conditional: true, ..it }).collect()
            }
            StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::ForIn { body, .. } => {
                let starts = self.pending(*body);
                if self.is_poll(stmt) {
                    return Vec::new();
                }
                self.next_iteration(stmt, *body, starts)
            }
            StmtKind::Labeled { body, .. } | StmtKind::At { body, .. } if !self.is_kernel(stmt) => {
                self.pending(*body)
            }
            StmtKind::Try { body, catches, finally } => {
                let starts = self.pending(*body);
                for code in catches.iter().map(|it| it.1).chain(*finally) {
                    self.pending(code);
                }
                starts
            }
            StmtKind::Async { body, .. } | StmtKind::AtEach { body, .. } => {
                if !self.is_kernel(*body) {
                    let around = std::mem::take(&mut self.finishes);
                    self.pending(*body);
                    self.finishes = around;
                }
                let is_uncounted = self.body.stmt(stmt).annotations.iter().any(|it| it.name == "Uncounted");
                let node = Node::Stmt(stmt);
                vec![Start { node, kind: StartKind::Activity, is_uncounted, is_conditional: false }]
            }
            StmtKind::Expr(expr) | StmtKind::Let { init: Some(expr), .. } => self.started_by(*expr),
            _ => Vec::new(),
        }
    }

    /// Statements one after the other.
    fn block(&mut self, stmts: &[StmtId]) -> Vec<Start> {
        let mut open: Vec<Open> = Vec::new();
        for stmt in stmts {
            open = open.into_iter().filter_map(|it| self.still_open(it, *stmt)).collect();
            if matches!(
                self.body.stmt(*stmt).kind,
                StmtKind::Return(_) | StmtKind::Throw(_) | StmtKind::Break(_) | StmtKind::Continue(_)
            ) {
                return Vec::new();
            }
            for start in self.pending(*stmt) {
                let writes = self.writes(start, *stmt);
                if !writes.is_empty() {
                    open.push(Open { start, stmt: *stmt, writes, own: Vec::new() });
                }
            }
        }
        open.into_iter().map(|it| it.start).collect()
    }

    /// What is still open after the next statement; reports what that reads.
    fn still_open(&mut self, mut open: Open, next: StmtId) -> Option<Open> {
        match self.follow(next, &mut open) {
            Next::Reads(read) => {
                let report = self.report(&open, &read);
                self.diagnostics.push(report);
                None
            }
            Next::Waits => None,
            Next::GoesOn => Some(open),
        }
    }

    /// What a loop leaves running; reports what the next iteration reads of what one has started.
    fn next_iteration(&mut self, stmt: StmtId, code: StmtId, starts: Vec<Start>) -> Vec<Start> {
        let range = self.body.stmt(stmt).range;
        let is_inner = |local: LocalId| range.contains_range(self.body.local(local).range);
        let mut left = Vec::new();
        for start in starts {
            let first = self.statement_of(start, code);
            let mut writes = self.writes(start, first);
            // Elements that the variable of the loop picks are others in the next iteration.
            writes.retain(|it| !it.uses(&is_inner));
            if start.is_conditional || writes.is_empty() {
                left.push(start);
                continue;
            }
            let mut open = Open { start, stmt: first, writes, own: Vec::new() };
            match self.follow(code, &mut open) {
                Next::Reads(read) if !read.path.uses(&is_inner) => {
                    let report = self.report(&open, &read);
                    self.diagnostics.push(report);
                }
                Next::Waits => {}
                _ => left.push(start),
            }
        }
        left
    }

    /// The statement directly in `code`, or in its block, that contains what is started.
    fn statement_of(&self, start: Start, code: StmtId) -> StmtId {
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
    fn started_by(&self, expr: ExprId) -> Vec<Start> {
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
            starts.extend(kind.map(|kind| Start { node, kind, is_uncounted, is_conditional: false }));
            true
        });
        starts
    }

    fn calls(&self, id: ExprId, name: &str) -> bool {
        matches!(&self.body.expr(id).kind, ExprKind::Call { method, .. } if method.name(self.db) == name)
    }

    /// What a method does, if it is known which one is called and its code is in this file.
    fn effects(&self, method: MethodId, dispatch: Dispatch) -> Option<Arc<Effects>> {
        let is_own = method.class(self.db).file(self.db) == self.file;
        (is_own && effects::is_known_code(self.db, method, dispatch))
            .then(|| effects::effects(self.db, method).clone())
    }

    /// What is written by what was started, as seen from the statements after `stmt`.
    fn writes(&self, start: Start, stmt: StmtId) -> Vec<Path> {
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
            let written = self.written(id, &paths).into_iter().chain(self.written_by_call(id, &paths));
            found.extend(written.filter(|it| self.is_changed(it, node, stmt)));
            true
        });
        found
    }

    /// Whether what code changes is what the statements after `stmt` see.
    fn is_changed(&self, path: &Path, node: Node, stmt: StmtId) -> bool {
        // What goes to another place works on copies there, of all but what names an object of one place.
        let goes = |it: Node| match it {
            Node::Stmt(id) => {
                matches!(self.body.stmt(id).kind, StmtKind::At { .. } | StmtKind::AtEach { .. })
            }
            Node::Expr(id) => matches!(self.body.expr(id).kind, ExprKind::At { .. }),
        };
        let mut around = self.context.parents.ancestors(node).take_while(|it| *it != Node::Stmt(stmt));
        let is_elsewhere = around.any(goes) || goes(Node::Stmt(stmt));
        (path.is_global || !is_elsewhere) && !self.is_replaced(path, stmt)
    }

    /// Whether a variable on the way to what is written may name another object when `stmt` ends.
    fn is_replaced(&self, path: &Path, stmt: StmtId) -> bool {
        let mut found = false;
        self.body.walk(Node::Stmt(stmt), &mut |node| {
            if let Node::Expr(id) = node
                && let ExprKind::Assign { target, .. } = self.body.expr(id).kind
            {
                found |= leads_through(path, target);
            }
            !found
        });
        found
    }

    /// What an expression itself changes: by an assignment, a copy or an atomic operation.
    fn written(&self, id: ExprId, paths: &Paths) -> Option<Path> {
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
            _ => self.copied_to(id, paths),
        }
    }

    /// What a method of this file changes.
    fn written_by_call(&self, id: ExprId, paths: &Paths) -> Vec<Path> {
        let ExprKind::Call { method, dispatch, .. } = &self.body.expr(id).kind else { return Vec::new() };
        let Some(effects) = self.effects(*method, *dispatch) else { return Vec::new() };
        effects.starts.iter().chain(&effects.writes).filter_map(|it| it.path(paths, id)).collect()
    }

    fn copied_to(&self, id: ExprId, paths: &Paths) -> Option<Path> {
        match self.copy_target(id)? {
            [_, to] => paths.path(*to, vec![Step::Whole]),
            [_, _, to, at, count, ..] => paths.copied(*to, *at, *count),
            _ => None,
        }
    }

    fn copied_from(&self, id: ExprId, paths: &Paths) -> Option<Path> {
        match self.copy_target(id)? {
            [from, _] => paths.path(*from, vec![Step::Whole]),
            [from, at, _, _, count, ..] => paths.copied(*from, *at, *count),
            _ => None,
        }
    }

    /// The arguments of `Rail.asyncCopy(from, index, to, index, count)` and its like.
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

    /// Whether a statement is a kernel: an `at` that is marked, or whose code is.
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

    fn report(&self, open: &Open, read: &Read) -> Diagnostic {
        let Open { start, stmt, .. } = open;
        let name = &read.path.name;
        let (what, head) = match (start.kind, start.node) {
            (StartKind::Copy, Node::Expr(id)) => ("the copy".to_owned(), self.body.expr(id).range),
            (StartKind::Call(method), Node::Expr(id)) => {
                (format!("what `{}` starts", method.name(self.db)), self.body.expr(id).range)
            }
            (_, Node::Stmt(id)) => {
                let is_kernel =
                    matches!(self.body.stmt(id).kind, StmtKind::Async { body, .. } if self.is_kernel(body));
                let what = if is_kernel { "the kernel" } else { "what this starts" };
                (what.to_owned(), self.head(if self.is_chain(*stmt, id) { *stmt } else { id }))
            }
            (_, Node::Expr(id)) => ("what this starts".to_owned(), self.body.expr(id).range),
        };
        let range = self.body.stmt(*stmt).range;
        let in_loop = self.context.parents.ancestors(Node::Stmt(*stmt)).any(|it| self.is_loop(it));
        let is_clocked = self.is_clocked(*stmt);
        let note = match (start.is_uncounted, is_clocked, self.finishes > 0, in_loop) {
            (true, ..) => {
                "no `finish` waits for it: let it tell when it is done, and wait for that by `when`"
            }
            (_, true, ..) => "let all activities meet on their clock before the read: `Clock.advanceAll()`",
            (_, _, true, _) => {
                "the `finish` around both waits only at its end: write another one before this statement"
            }
            (_, _, _, true) => "write `finish` around the loop, or before this statement",
            _ => "write `finish` before it",
        };
        let fix = Fix {
            title: "Write `finish`".to_owned(),
            edits: vec![TextEdit {
                file: None,
                range: TextRange::empty(range.start()),
                text: "finish ".to_owned(),
            }],
        };
        let mut report = rules::not_awaited::RULE
            .at(head, format!("`{name}` is read below while {what} may still run: nothing waits for it"))
            .note(note);
        report.related.push(Related {
            file: self.file,
            range: read.range,
            message: "it is read here".to_owned(),
        });
        match !start.is_uncounted && self.can_be_finished(*stmt) {
            true => report.fix(fix),
            false => report,
        }
    }

    fn is_loop(&self, node: Node) -> bool {
        matches!(node, Node::Stmt(id) if matches!(self.body.stmt(id).kind,
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } | StmtKind::ForIn { .. }))
    }

    /// Whether `stmt` is what starts an activity and nothing else: loops over it, an `at`, or itself.
    fn is_chain(&self, stmt: StmtId, start: StmtId) -> bool {
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

    /// A statement without the code in it.
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

/// Whether an assignment changes which object the path leads to.
fn leads_through(path: &Path, target: AssignTarget) -> bool {
    match target {
        AssignTarget::Local(local) => path.root == paths::Root::Local(local),
        AssignTarget::Field { field, .. } => {
            path.steps.iter().skip(1).any(|it| matches!(it, Step::Field(it) if *it == field))
        }
        AssignTarget::Static(_) => false,
    }
}
