//! Results that are read while the activities that write them may still run: code that starts them without any `finish`, and goes on
//! to read what they write.
//!
//! Sure is only what is written out: an assignment to an element or a field in the activity, or a copy by `Rail.asyncCopy`; and afterwards, with
//! nothing between that could wait, an element or a field that is read.

use super::Facts;
use crate::body::parents::Parents;
use crate::body::walk::Node;
use crate::body::{AssignTarget, Body, ExprId, ExprKind, LocalId, LocalKind, StmtId, StmtKind};
use crate::diagnostics::{Diagnostic, Fix, TextEdit, r#async as rules};
use crate::ids::MethodId;
use crate::item_tree::items::package;
use crate::ty::Ty;
use crate::ty::known::Known;

/// The warnings of one body.
pub(super) fn check(facts: &Facts<'_>, body: &Body) -> Vec<Diagnostic> {
    let search = Search { facts, body };
    let starts = body.stmts.iter().any(|it| matches!(it.kind, StmtKind::Async { .. }))
        || body.exprs.iter().any(|it| search.copied(&it.kind).is_some());
    let Some(root) = body.root.filter(|_| starts) else { return Vec::new() };
    let parents = Parents::of(body);
    let mut diagnostics = Vec::new();
    body.walk(Node::Stmt(root), &mut |node| {
        let Node::Stmt(id) = node else { return true };
        match &body.stmt(id).kind {
            // Whoever waits for some of the activities knows what to wait for.
            StmtKind::Finish { .. } => false,
            StmtKind::Block(stmts) => {
                let in_loop = parents.ancestors(node).any(|it| search.is_loop(it));
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
}

impl Search<'_> {
    fn is_loop(&self, node: Node) -> bool {
        matches!(node, Node::Stmt(id) if matches!(self.body.stmt(id).kind,
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } | StmtKind::ForIn { .. }))
    }

    /// The warning about a statement that starts activities, if what follows it reads what they write.
    fn unawaited(&self, stmt: StmtId, after: &[StmtId], in_loop: bool) -> Option<Diagnostic> {
        let mut written = Vec::new();
        let is_copy = self.started(stmt, &mut written);
        if written.is_empty() {
            return None;
        }
        for next in after {
            if let Some(read) = self.read(*next, &written) {
                return Some(self.report(stmt, read, is_copy, in_loop));
            }
            if self.may_wait(*next) {
                return None;
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
        rules::not_awaited::RULE
            .at(head, format!("`{name}` is read below while {what} may still run: nothing waits for it"))
            .note(note)
            .fix(Fix {
                title: "Write `finish`".to_owned(),
                edits: vec![TextEdit {
                    file: None,
                    range: apg_syntax::TextRange::empty(range.start()),
                    text: "finish ".to_owned(),
                }],
            })
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

    /// Adds the locals whose objects are written by activities that `stmt` starts and does not wait for. Whether `stmt` itself is a copy.
    fn started(&self, stmt: StmtId, written: &mut Vec<LocalId>) -> bool {
        let body = self.body;
        if let StmtKind::Expr(id) = body.stmt(stmt).kind {
            written.extend(self.copied(&body.expr(id).kind).and_then(|to| self.root(to)));
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
                    self.written(*body, written);
                    return false;
                }
                _ => return false,
            };
        }
    }

    /// Adds what the code of an activity writes.
    fn written(&self, code: StmtId, written: &mut Vec<LocalId>) {
        self.body.walk(Node::Stmt(code), &mut |node| {
            let Node::Expr(id) = node else { return true };
            let kind = &self.body.expr(id).kind;
            let object = match kind {
                ExprKind::Closure(_) => return false,
                ExprKind::Assign { target: AssignTarget::Field { object, .. }, .. } => Some(*object),
                ExprKind::Call { receiver: Some(receiver), method, .. }
                    if method.name(self.facts.db) == "operator()=" =>
                {
                    Some(*receiver)
                }
                _ => self.copied(kind),
            };
            written.extend(object.and_then(|it| self.root(it)));
            true
        });
    }

    /// Where `Rail.asyncCopy` copies to.
    fn copied(&self, kind: &ExprKind) -> Option<ExprId> {
        let ExprKind::Call { method, args, receiver: None, .. } = kind else { return None };
        let db = self.facts.db;
        let is_copy =
            method.name(db) == "asyncCopy" && Ty::this_type(db, method.class(db)).rail_element(db).is_some();
        args.get(2).copied().filter(|_| is_copy)
    }

    /// The local that `x`, `x.f` and `x()` start with, of what shows at this place what others have written.
    fn root(&self, mut id: ExprId) -> Option<LocalId> {
        loop {
            id = match &self.body.expr(id).kind {
                ExprKind::Coerce { value } => *value,
                ExprKind::Field { object, .. } => *object,
                ExprKind::Call { receiver: Some(receiver), method, .. }
                    if method.name(self.facts.db) == "operator()" =>
                {
                    *receiver
                }
                // `x().f += 1` names `x()` once.
                ExprKind::Local(local) if self.body.local(*local).kind == LocalKind::Temporary => {
                    let is_it =
                        |kind: &StmtKind| matches!(kind, StmtKind::Let { local: it, .. } if it == local);
                    match self.body.stmts.iter().find(|it| is_it(&it.kind))?.kind {
                        StmtKind::Let { init: Some(init), .. } => init,
                        _ => return None,
                    }
                }
                ExprKind::Local(local) => {
                    let of_each_place =
                        self.body.local(*local).ty.is_known(self.facts.db, Known::PlaceLocalHandle);
                    return (!of_each_place).then_some(*local);
                }
                _ => return None,
            };
        }
    }

    /// One of `written` that `stmt` reads an element or a field of, in this activity.
    fn read(&self, stmt: StmtId, written: &[LocalId]) -> Option<LocalId> {
        let mut found = None;
        self.body.walk(Node::Stmt(stmt), &mut |node| {
            let id = match node {
                Node::Stmt(id) => return !self.is_shared(id),
                Node::Expr(id) => id,
            };
            let object = match &self.body.expr(id).kind {
                ExprKind::Closure(_) => return false,
                ExprKind::Call { receiver: Some(receiver), method, .. }
                    if method.name(self.facts.db) == "operator()" =>
                {
                    Some(*receiver)
                }
                ExprKind::Field { object, field } if !(self.facts.is_val)(*field) => Some(*object),
                kind @ ExprKind::Call { args, .. } if self.copied(kind).is_some() => args.first().copied(),
                _ => None,
            };
            let local = object.and_then(|it| self.root(it)).filter(|it| written.contains(it));
            found = found.or(local);
            found.is_none()
        });
        found
    }

    /// Whether a statement reads what others write on purpose, or leaves the reading to another activity.
    fn is_shared(&self, id: StmtId) -> bool {
        matches!(
            self.body.stmt(id).kind,
            StmtKind::Async { .. }
                | StmtKind::Atomic(_)
                | StmtKind::When(_)
                | StmtKind::While { .. }
                | StmtKind::DoWhile { .. }
        )
    }

    /// Whether a statement may wait for activities, by means that are not known.
    fn may_wait(&self, stmt: StmtId) -> bool {
        let mut waits = false;
        self.body.walk(Node::Stmt(stmt), &mut |node| {
            waits |= match node {
                Node::Stmt(id) => matches!(
                    self.body.stmt(id).kind,
                    StmtKind::When(_) | StmtKind::While { .. } | StmtKind::DoWhile { .. } | StmtKind::Error
                ),
                Node::Expr(id) => match &self.body.expr(id).kind {
                    ExprKind::Call { method, .. } => self.is_unknown(*method),
                    ExprKind::ClosureCall { .. } | ExprKind::Error => true,
                    _ => false,
                },
            };
            !waits
        });
        waits
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
