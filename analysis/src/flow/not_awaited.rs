//! Results that are read while the activities that write them may still run: code that starts them without any `finish`, and goes on
//! to read what they write.
//!
//! Sure is only what is written out: an assignment to an element or a field in the activity, or a copy by `Rail.asyncCopy`; and afterwards, with
//! nothing between that could wait, the same element or field that is read.

use super::Facts;
use super::paths::{Path, Paths};
use crate::body::parents::Parents;
use crate::body::walk::Node;
use crate::body::{AssignTarget, Body, Clocked, ExprId, ExprKind, Iteration, LocalId, StmtId, StmtKind};
use crate::diagnostics::{Diagnostic, Fix, TextEdit, r#async as rules};
use crate::ids::{FileOrigin, MethodId};
use crate::item_tree::items::package;
use crate::ty::Ty;
use crate::ty::known::Known;

/// The warnings of one body.
pub(super) fn check(facts: &Facts<'_>, body: &Body) -> Vec<Diagnostic> {
    let mut search = Search { facts, body, parents: Parents::default() };
    let starts = body.stmts.iter().any(|it| matches!(it.kind, StmtKind::Async { .. }))
        || (0..body.exprs.len()).any(|it| search.copy(ExprId(it as u32)).is_some());
    let Some(root) = body.root.filter(|_| starts) else { return Vec::new() };
    search.parents = Parents::of(body);
    let mut diagnostics = Vec::new();
    body.walk(Node::Stmt(root), &mut |node| {
        let Node::Stmt(id) = node else { return true };
        match &body.stmt(id).kind {
            // Whoever waits for some of the activities knows what to wait for.
            StmtKind::Finish { .. } => false,
            StmtKind::Block(stmts) => {
                let in_loop = search.parents.ancestors(node).any(|it| search.is_loop(it));
                for (index, stmt) in stmts.iter().enumerate() {
                    diagnostics.extend(search.unawaited(*stmt, &stmts[index + 1..], in_loop));
                }
                true
            }
            _ => true,
        }
    });
    diagnostics
}

struct Search<'a> {
    facts: &'a Facts<'a>,
    body: &'a Body,
    parents: Parents,
}

/// What code does first.
enum Next {
    /// It reads what may not have been written yet, of this object.
    Reads(LocalId),
    /// It waits, for what is not known.
    Waits,
    Nothing,
}

impl Search<'_> {
    fn is_loop(&self, node: Node) -> bool {
        matches!(node, Node::Stmt(id) if matches!(self.body.stmt(id).kind,
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } | StmtKind::ForIn { .. }))
    }

    /// Whether a statement waits until something happens; what it reads for that may change.
    fn is_poll(&self, id: StmtId) -> bool {
        match &self.body.stmt(id).kind {
            StmtKind::When(_) | StmtKind::While { .. } | StmtKind::DoWhile { .. } => true,
            StmtKind::For { update, .. } => update.is_empty(),
            _ => false,
        }
    }

    /// The warning about a statement that starts activities, if what follows it reads what they write.
    fn unawaited(&self, stmt: StmtId, after: &[StmtId], in_loop: bool) -> Option<Diagnostic> {
        let mut written = Vec::new();
        let is_copy = self.started(stmt, &mut written);
        if written.is_empty() {
            return None;
        }
        let mut own = Vec::new();
        for next in after {
            match self.follow(*next, &written, &mut own) {
                Next::Reads(object) => return Some(self.report(stmt, object, is_copy, in_loop)),
                Next::Waits => return None,
                Next::Nothing => {}
            }
        }
        None
    }

    fn report(&self, stmt: StmtId, read: LocalId, is_copy: bool, in_loop: bool) -> Diagnostic {
        let name = &self.body.local(read).name;
        let range = self.body.stmt(stmt).range;
        let (what, head) = match is_copy {
            true => ("the copy", range),
            false => ("what this starts", self.head(stmt)),
        };
        let note = match in_loop {
            true => "write `finish` around the loop, or before this statement",
            false => "write `finish` before it",
        };
        let diagnostic = rules::not_awaited::RULE
            .at(head, format!("`{name}` is read below while {what} may still run: nothing waits for it"))
            .note(note);
        if !self.ends_by_itself(stmt) {
            return diagnostic;
        }
        let range = apg_syntax::TextRange::empty(range.start());
        let edits = vec![TextEdit { file: None, range, text: "finish ".to_owned() }];
        diagnostic.fix(Fix { title: "Write `finish`".to_owned(), edits })
    }

    /// Whether what a statement starts waits for nobody, so that a `finish` around it ends: what it would wait for may come after it. No
    /// `finish` stands around activities of clocks that are made outside of it either.
    fn ends_by_itself(&self, stmt: StmtId) -> bool {
        let mut ends = true;
        self.body.walk(Node::Stmt(stmt), &mut |node| {
            ends &= match node {
                Node::Stmt(id) => match &self.body.stmt(id).kind {
                    StmtKind::When(_) => false,
                    StmtKind::Async { clocked, .. } | StmtKind::AtEach { clocked, .. } => {
                        *clocked == Clocked::No
                    }
                    StmtKind::While { condition, .. } | StmtKind::DoWhile { condition, .. } => {
                        !self.reads_memory(*condition)
                    }
                    StmtKind::For { condition: Some(condition), .. } => !self.reads_memory(*condition),
                    _ => true,
                },
                Node::Expr(id) => match self.body.expr(id).kind {
                    ExprKind::Call { method, .. } => !self.is_unknown(method) || self.is_users(method),
                    _ => true,
                },
            };
            ends
        });
        ends
    }

    fn is_users(&self, method: MethodId) -> bool {
        method.class(self.facts.db).file(self.facts.db).origin(self.facts.db) == FileOrigin::User
    }

    /// Whether an expression reads elements or fields that other activities may change.
    fn reads_memory(&self, expr: ExprId) -> bool {
        let mut reads = false;
        self.body.walk(Node::Expr(expr), &mut |node| {
            reads |= matches!(node, Node::Expr(id) if match &self.body.expr(id).kind {
                ExprKind::Field { field, .. } => !(self.facts.is_val)(*field),
                ExprKind::Call { method, .. } => {
                    method.name(self.facts.db) == "operator()" || self.is_users(*method)
                }
                ExprKind::ClosureCall { .. } => true,
                _ => false,
            });
            !reads
        });
        reads
    }

    /// A statement without the code in it.
    fn head(&self, stmt: StmtId) -> apg_syntax::TextRange {
        let range = self.body.stmt(stmt).range;
        let inner = match &self.body.stmt(stmt).kind {
            StmtKind::Async { body, .. }
            | StmtKind::At { body, .. }
            | StmtKind::AtEach { body, .. }
            | StmtKind::ForIn { body, .. }
            | StmtKind::For { body, .. } => self.body.stmt(*body).range.start(),
            _ => return range,
        };
        apg_syntax::TextRange::new(range.start(), inner)
    }

    /// Adds what is written by activities that `stmt` starts and does not wait for. Whether `stmt` itself is a copy.
    fn started(&self, stmt: StmtId, written: &mut Vec<Path>) -> bool {
        let body = self.body;
        if let StmtKind::Expr(id) = body.stmt(stmt).kind {
            written.extend(self.copied_to(id, stmt));
            return true;
        }
        // What starts them is a loop over them, an `at`, or they stand alone.
        let mut at = stmt;
        loop {
            at = match &body.stmt(at).kind {
                StmtKind::ForIn { body, .. } | StmtKind::For { body, .. } | StmtKind::At { body, .. } => {
                    *body
                }
                StmtKind::Block(stmts) if stmts.len() == 1 => stmts[0],
                StmtKind::Async { body, .. } => {
                    self.written(*body, stmt, written);
                    return false;
                }
                _ => return false,
            };
        }
    }

    /// Adds what the code of an activity that `stmt` starts writes.
    fn written(&self, code: StmtId, stmt: StmtId, written: &mut Vec<Path>) {
        self.body.walk(Node::Stmt(code), &mut |node| {
            let Node::Expr(id) = node else { return true };
            if matches!(self.body.expr(id).kind, ExprKind::Closure(_)) {
                return false;
            }
            let path = self.stored(id, stmt).or_else(|| self.copied_to(id, stmt));
            // What goes to another place works on copies there, of all but what names an object of one place.
            let goes = |it: Node| match it {
                Node::Stmt(id) => {
                    matches!(self.body.stmt(id).kind, StmtKind::At { .. } | StmtKind::AtEach { .. })
                }
                Node::Expr(id) => matches!(self.body.expr(id).kind, ExprKind::At { .. }),
            };
            let mut around = self.parents.ancestors(node).take_while(|it| *it != Node::Stmt(stmt));
            let elsewhere = around.any(goes) || goes(Node::Stmt(stmt));
            written.extend(path.filter(|it| it.is_global || !elsewhere));
            true
        });
    }

    /// What an assignment changes.
    fn stored(&self, id: ExprId, stmt: StmtId) -> Option<Path> {
        let paths = self.paths(stmt);
        match &self.body.expr(id).kind {
            ExprKind::Assign { target: AssignTarget::Field { object, field }, .. } => {
                paths.field(*object, *field)
            }
            ExprKind::Call { receiver: Some(receiver), method, args, .. }
                if method.name(self.facts.db) == "operator()=" && !self.is_unknown(*method) =>
            {
                let (_, indices) = args.split_last()?;
                paths.elements(*receiver, indices)
            }
            _ => None,
        }
    }

    fn copied_to(&self, id: ExprId, stmt: StmtId) -> Option<Path> {
        let [.., to, at, count] = self.copy(id)?[..] else { return None };
        self.paths(stmt).copied(to, at, count)
    }

    fn copied_from(&self, id: ExprId, stmt: StmtId) -> Option<Path> {
        let [from, at, .., count] = self.copy(id)?[..] else { return None };
        self.paths(stmt).copied(from, at, count)
    }

    /// The arguments of `Rail.asyncCopy(from, index, to, index, count)`.
    fn copy(&self, id: ExprId) -> Option<&[ExprId]> {
        let ExprKind::Call { method, args, receiver: None, .. } = &self.body.expr(id).kind else {
            return None;
        };
        let db = self.facts.db;
        let is_copy =
            method.name(db) == "asyncCopy" && Ty::this_type(db, method.class(db)).rail_element(db).is_some();
        (is_copy && args.len() == 5).then_some(args)
    }

    fn paths(&self, stmt: StmtId) -> Paths<'_> {
        Paths { db: self.facts.db, body: self.body, stmt }
    }

    /// What `stmt` does first, in the order in which it runs: read one of `written` in this activity, or wait by means that are not known.
    fn follow(&self, stmt: StmtId, written: &[Path], own: &mut Vec<Path>) -> Next {
        let mut open = vec![(Node::Stmt(stmt), false)];
        while let Some((node, is_done)) = open.pop() {
            if !is_done {
                if self.is_skipped(node) {
                    continue;
                }
                if matches!(node, Node::Stmt(id) if self.is_poll(id)) {
                    return Next::Waits;
                }
                open.push((node, true));
                open.extend(self.body.children(node).into_iter().rev().map(|it| (it, false)));
                continue;
            }
            if self.waits(node) {
                return Next::Waits;
            }
            let read =
                self.read(node, stmt).filter(|it| !own.iter().any(|own| self.paths(stmt).overlap(own, it)));
            if let Some(read) = read
                && written.iter().any(|it| self.paths(stmt).overlap(it, &read))
            {
                return Next::Reads(read.root);
            }
            if let Node::Expr(id) = node {
                own.extend(self.stored(id, stmt));
            }
        }
        Next::Nothing
    }

    /// Code of other activities, and what reads on purpose what others write.
    fn is_skipped(&self, node: Node) -> bool {
        match node {
            Node::Stmt(id) => matches!(self.body.stmt(id).kind, StmtKind::Async { .. } | StmtKind::Atomic(_)),
            Node::Expr(id) => matches!(self.body.expr(id).kind, ExprKind::Closure(_)),
        }
    }

    /// The element, field or elements that an expression or loop reads.
    fn read(&self, node: Node, stmt: StmtId) -> Option<Path> {
        let paths = self.paths(stmt);
        let id = match node {
            Node::Expr(id) => id,
            Node::Stmt(id) => match self.body.stmt(id).kind {
                StmtKind::ForIn { iterable, iteration: Iteration::Rail, .. } => return paths.all(iterable),
                _ => return None,
            },
        };
        match &self.body.expr(id).kind {
            ExprKind::Call { receiver: Some(receiver), method, args, .. }
                if method.name(self.facts.db) == "operator()" =>
            {
                paths.elements(*receiver, args)
            }
            ExprKind::Field { object, field } if !(self.facts.is_val)(*field) => paths.field(*object, *field),
            _ => self.copied_from(id, stmt),
        }
    }

    /// Whether an expression or statement may wait for activities, by means that are not known.
    fn waits(&self, node: Node) -> bool {
        match node {
            Node::Stmt(id) => matches!(self.body.stmt(id).kind, StmtKind::Error),
            Node::Expr(id) => match &self.body.expr(id).kind {
                ExprKind::Call { method, .. } => self.is_unknown(*method),
                ExprKind::New { constructor, .. } => self.is_unknown(*constructor),
                ExprKind::ClosureCall { .. } | ExprKind::Error => true,
                _ => false,
            },
        }
    }

    /// Whether a method may wait: those of programs, and of the library all but those of values and containers, and what prints.
    fn is_unknown(&self, method: MethodId) -> bool {
        let db = self.facts.db;
        let class = method.class(db);
        let clock = Ty::this_type(db, class).is_known(db, Known::Clock);
        let place = package(db, class.file(db));
        let waits = ["Team", "Runtime", "System", "Condition"].contains(&class.name(db).as_str());
        clock || waits || !["x10.lang", "x10.util", "x10.io", "x10.array"].contains(&place.as_str())
    }
}
