//! Whether a `finish` around a statement terminates.

use super::UnjoinedReads;
use crate::body::walk::Node;
use crate::body::{Clocked, ExprId, ExprKind, StmtId, StmtKind};
use crate::ids::{FileOrigin, MethodId};
use crate::item_tree::items::field_is_mutable;

impl UnjoinedReads<'_> {
    /// Whether `finish` can be inserted before a statement.
    pub(super) fn can_wrap_in_finish(&self, stmt: StmtId) -> bool {
        let mut leaves = false;
        self.body.walk(Node::Stmt(stmt), &mut |node| {
            leaves |=
                matches!(node, Node::Stmt(id) if matches!(self.body.stmt(id).kind, StmtKind::Return(_)));
            !leaves
        });
        let is_let = matches!(self.body.stmt(stmt).kind, StmtKind::Let { .. });
        !leaves && !is_let && self.terminates_alone(stmt)
    }

    /// Whether a `finish` around a statement terminates: nothing that it starts waits for what may come after
    /// it, and it starts no activities on outer clocks, which a `finish` cannot contain.
    fn terminates_alone(&self, stmt: StmtId) -> bool {
        let mut ends = !self.is_clocked(stmt);
        self.body.walk(Node::Stmt(stmt), &mut |node| {
            ends &= match node {
                // Threads wait only for each other, and end.
                Node::Stmt(id) if self.is_kernel(id) => return false,
                Node::Stmt(id) => match &self.body.stmt(id).kind {
                    StmtKind::When(_) => false,
                    StmtKind::While { condition, .. } | StmtKind::DoWhile { condition, .. } => {
                        !self.reads_memory(*condition)
                    }
                    StmtKind::For { condition: Some(condition), .. } => !self.reads_memory(*condition),
                    _ => true,
                },
                Node::Expr(id) => match self.body.expr(id).kind {
                    ExprKind::Call { method, dispatch, .. } => match self.effects(method, dispatch) {
                        Some(effects) => !effects.may_block,
                        None => !self.may_wait(method) || self.is_user_code(method),
                    },
                    _ => true,
                },
            };
            ends
        });
        ends
    }

    /// Whether a statement starts activities on clocks created outside of it.
    pub(super) fn is_clocked(&self, stmt: StmtId) -> bool {
        let mut found = false;
        self.body.walk(Node::Stmt(stmt), &mut |node| {
            let Node::Stmt(id) = node else { return true };
            let kind = &self.body.stmt(id).kind;
            found |= matches!(kind, StmtKind::Async { clocked, .. } | StmtKind::AtEach { clocked, .. } if *clocked != Clocked::No);
            // Kernels and `clocked finish` have clocks of their own.
            !self.is_kernel(id) && !matches!(kind, StmtKind::Finish { clocked: Clocked::Implicit, .. })
        });
        found
    }

    fn is_user_code(&self, method: MethodId) -> bool {
        method.class(self.db).file(self.db).origin(self.db) == FileOrigin::User
    }

    /// Whether an expression reads elements or fields that other activities may change.
    fn reads_memory(&self, expr: ExprId) -> bool {
        let mut reads = false;
        self.body.walk(Node::Expr(expr), &mut |node| {
            reads |= matches!(node, Node::Expr(id) if match &self.body.expr(id).kind {
                ExprKind::Field { field, .. } => field_is_mutable(self.db, *field),
                ExprKind::Call { method, .. } => method.name(self.db) == "operator()" || self.is_user_code(*method),
                ExprKind::ClosureCall { .. } => true,
                _ => false,
            });
            !reads
        });
        reads
    }
}
