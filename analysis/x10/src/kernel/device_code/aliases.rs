//! May-alias analysis of rails: through other variables, conditionals, and functions that return an argument.

use rustc_hash::FxHashSet;

use crate::body::walk::Node;
use crate::body::{AssignTarget, Body, ExprId, ExprKind, LocalId, StmtKind};
use crate::ids::MethodId;
use crate::kernel::context::KernelContext;
use crate::kernel::device_semantics::{DeviceSemantics, TypeCategory};

/// An alias search in one body.
struct Search<'a> {
    semantics: &'a DeviceSemantics<'a>,
    body: &'a Body,
    found: Vec<LocalId>,
    /// The functions on the current call path.
    within: Vec<MethodId>,
}

impl KernelContext<'_> {
    /// The variables whose rail an expression may denote, in order of discovery.
    pub(in crate::kernel) fn aliased_rails(&self, expr: ExprId) -> Vec<LocalId> {
        let mut search =
            Search { semantics: self.semantics, body: self.body, found: Vec::new(), within: Vec::new() };
        search.expr(expr);
        search.found
    }
}

impl Search<'_> {
    fn expr(&mut self, expr: ExprId) {
        match &self.body.expr(expr).kind {
            ExprKind::Local(local) => self.local(*local),
            ExprKind::Coerce { value } | ExprKind::Cast { value, .. } => self.expr(*value),
            ExprKind::Assign { value, .. } => self.expr(*value),
            ExprKind::Let { result, .. } => self.expr(*result),
            ExprKind::Conditional { then, otherwise, .. } => {
                self.expr(*then);
                self.expr(*otherwise);
            }
            ExprKind::Call { method, args, .. } => {
                for formal in self.given_back(*method) {
                    if let Some(arg) = args.get(formal) {
                        self.expr(*arg);
                    }
                }
            }
            _ => {}
        }
    }

    fn local(&mut self, local: LocalId) {
        if self.found.contains(&local) {
            return;
        }
        self.found.push(local);
        let body = self.body;
        for stmt in &body.stmts {
            if let StmtKind::Let { local: declared, init: Some(init) } = stmt.kind
                && declared == local
            {
                self.expr(init);
            }
        }
        if body.local(local).mutable {
            for expr in &body.exprs {
                if let ExprKind::Assign { target: AssignTarget::Local(assigned), value } = expr.kind
                    && assigned == local
                {
                    self.expr(value);
                }
            }
        }
    }

    /// The formals that a `@CUDA` function may return.
    fn given_back(&mut self, method: MethodId) -> FxHashSet<usize> {
        let mut formals = FxHashSet::default();
        // Recursion is reported separately.
        if !self.semantics.is_cuda(method) || self.within.contains(&method) {
            return formals;
        }
        let result = self.semantics.body(method);
        let body = &result.body;
        let Some(root) = body.root else { return formals };
        let mut within = self.within.clone();
        within.push(method);
        let mut search = Search { semantics: self.semantics, body, found: Vec::new(), within };
        body.walk(Node::Stmt(root), &mut |node| {
            if let Node::Stmt(stmt) = node
                && let StmtKind::Return(Some(value)) = body.stmt(stmt).kind
                && matches!(self.semantics.category(body.expr(value).ty), TypeCategory::Rail(_))
            {
                search.expr(value);
            }
            true
        });
        for local in search.found {
            formals.extend(body.params.iter().position(|it| *it == local));
        }
        formals
    }
}
