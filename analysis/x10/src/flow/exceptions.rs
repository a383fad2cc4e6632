//! Checked exceptions (X10 2.6, "Throws Clause"): exceptions that are neither `Exception`s nor `Error`s are
//! caught, or declared by `throws`. A closure declares none; exceptions of an activity reach its `finish`
//! within `MultipleExceptions`.

use apg_syntax::TextRange;

use crate::body::Owner;
use crate::body::walk::Node;
use crate::body::{Body, ExprKind, StmtId, StmtKind};
use crate::db::Db;
use crate::ids::MethodId;
use crate::relate::Context;
use crate::rules::Problem;
use crate::rules::flow::uncaught_exception::UncaughtException;
use crate::signature::method_signature;
use crate::ty::Ty;
use crate::ty::known::Known;

/// Checked exceptions that are neither caught nor declared.
pub(super) fn check(db: &dyn Db, owner: Owner, body: &Body) -> Vec<Problem> {
    let Some(root) = body.root else { return Vec::new() };
    let (context, declared) = match owner {
        Owner::Method(method) => {
            (Context::method(db, method), method_signature(db, method).throws.as_slice())
        }
        Owner::Field(field) => (Context::class(db, field.class(db)), &[][..]),
    };
    let mut walker =
        ExceptionWalker { context, body, caught: declared.to_vec(), in_closure: false, problems: Vec::new() };
    walker.stmt(root);
    walker.problems
}

/// Whether `ty` is an exception that must be caught or declared.
pub(crate) fn is_checked(context: &Context<'_>, ty: Ty) -> bool {
    let db = context.db;
    let is = |known| context.is_subtype(ty, Ty::known(db, known));
    !ty.mentions_error(db) && is(Known::CheckedThrowable) && !is(Known::Exception) && !is(Known::Error)
}

struct ExceptionWalker<'a> {
    context: Context<'a>,
    body: &'a Body,
    /// Exceptions declared, or caught around the current node.
    caught: Vec<Ty>,
    /// Whether the current node is in a closure, which cannot declare exceptions.
    in_closure: bool,
    problems: Vec<Problem>,
}

impl ExceptionWalker<'_> {
    fn visit(&mut self, node: Node) {
        match node {
            Node::Stmt(id) => self.stmt(id),
            Node::Expr(id) => {
                let body = self.body;
                let range = body.expr(id).range;
                match &body.expr(id).kind {
                    ExprKind::Closure(closure) => {
                        let caught = std::mem::take(&mut self.caught);
                        let in_closure = std::mem::replace(&mut self.in_closure, true);
                        self.stmt(closure.body);
                        self.caught = caught;
                        self.in_closure = in_closure;
                        return;
                    }
                    ExprKind::Call { method, .. } => self.check_call(*method, range),
                    ExprKind::New { constructor, .. } => self.check_call(*constructor, range),
                    _ => {}
                }
                self.visit_children(node);
            }
        }
    }

    fn visit_children(&mut self, node: Node) {
        for child in self.body.children(node) {
            self.visit(child);
        }
    }

    fn stmt(&mut self, id: StmtId) {
        let body = self.body;
        let stmt = body.stmt(id);
        match &stmt.kind {
            StmtKind::Throw(value) => {
                self.visit(Node::Expr(*value));
                self.check_throw(body.expr(*value).ty.base(self.context.db), stmt.range, None);
            }
            StmtKind::ConstructorCall { constructor, .. } => {
                self.check_call(*constructor, stmt.range);
                self.visit_children(Node::Stmt(id));
            }
            StmtKind::Try { body: tried, catches, finally } => {
                let depth = self.caught.len();
                self.caught.extend(catches.iter().map(|(local, _)| body.local(*local).ty));
                self.stmt(*tried);
                self.caught.truncate(depth);
                catches.iter().for_each(|(_, handler)| self.stmt(*handler));
                finally.iter().for_each(|finally| self.stmt(*finally));
            }
            // Its exceptions go to the enclosing `finish`.
            StmtKind::Async { .. } | StmtKind::AtEach { .. } => {
                let depth = self.caught.len();
                self.caught.push(Ty::known(self.context.db, Known::CheckedThrowable));
                self.visit_children(Node::Stmt(id));
                self.caught.truncate(depth);
            }
            _ => self.visit_children(Node::Stmt(id)),
        }
    }

    fn check_call(&mut self, method: MethodId, at: TextRange) {
        for ty in &method_signature(self.context.db, method).throws {
            self.check_throw(*ty, at, Some(method));
        }
    }

    fn check_throw(&mut self, ty: Ty, at: TextRange, by: Option<MethodId>) {
        if !is_checked(&self.context, ty)
            || self.caught.iter().any(|caught| self.context.is_subtype(ty, *caught))
        {
            return;
        }
        let data = UncaughtException { ty, method: by, in_closure: self.in_closure };
        self.problems.push(Problem::new(at, data));
    }
}
