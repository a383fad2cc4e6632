//! Non-kernel code at accelerators: an `at` whose place is certainly a child of a host.

use apg_syntax::TextRange;

use super::FlowContext;
use crate::body::parents::Parents;
use crate::body::walk::Node;
use crate::body::{Body, ExprId, ExprKind, LocalId, StmtId, StmtKind};
use crate::ids::MethodId;
use crate::item_tree::items::qualified_name;
use crate::rules::Problem;
use crate::rules::cuda::missing_annotation::MissingAnnotation;

/// Maximum length of a chain of `val`s that is followed.
const MAX_VAL_CHAIN_LENGTH: u32 = 16;

/// The problems of one body.
pub(super) fn check(context: &FlowContext<'_>, body: &Body) -> Vec<Problem> {
    let search = AcceleratorAnalysis { context, body };
    let iterates_children =
        |it: &ExprKind| matches!(it, ExprKind::Call { method, .. } if search.is_topology_method(*method));
    let Some(root) = body.root.filter(|_| body.exprs.iter().any(|it| iterates_children(&it.kind))) else {
        return Vec::new();
    };
    let parents = Parents::of(body);
    let mut problems = Vec::new();
    body.walk(Node::Stmt(root), &mut |node| {
        let (place, code, start) = match node {
            Node::Stmt(id) => match &body.stmt(id).kind {
                StmtKind::At { place, body: code, .. }
                    if !search.is_marked(id) && !search.is_marked(*code) =>
                {
                    (*place, *code, body.stmt(id).range.start())
                }
                _ => return true,
            },
            Node::Expr(id) => match &body.expr(id).kind {
                ExprKind::At { place, body: code, .. } => (*place, *code, body.expr(id).range.start()),
                _ => return true,
            },
        };
        if search.is_accelerator(place, MAX_VAL_CHAIN_LENGTH) && !search.is_guarded_by_test(&parents, node) {
            let end = body.stmt(code).range.start().max(body.expr(place).range.end());
            problems.push(Problem::new(TextRange::new(start, end), MissingAnnotation));
        }
        true
    });
    problems
}

struct AcceleratorAnalysis<'a> {
    context: &'a FlowContext<'a>,
    body: &'a Body,
}

impl AcceleratorAnalysis<'_> {
    fn is_marked(&self, stmt: StmtId) -> bool {
        self.body.stmt(stmt).annotations.iter().any(|it| it.name.starts_with("CUDA"))
    }

    /// `PlaceTopology.getChild` and `.children`
    fn is_topology_method(&self, method: MethodId) -> bool {
        let name = method.name(self.context.db);
        ["getChild", "children"].contains(&name.as_str())
            && qualified_name(self.context.db, method.class(self.context.db)) == "x10.lang.PlaceTopology"
    }

    /// Whether a value is certainly an accelerator place.
    fn is_accelerator(&self, expr: ExprId, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match &self.body.expr(expr).kind {
            ExprKind::Coerce { value } | ExprKind::Cast { value, .. } => self.is_accelerator(*value, depth),
            ExprKind::Call { method, .. } if self.is_topology_method(*method) => {
                method.name(self.context.db) == "getChild"
            }
            // `rail.home()` of a rail allocated there.
            ExprKind::Call { method, receiver: Some(rail), .. } if method.name(self.context.db) == "home" => {
                self.is_allocated_at_accelerator(*rail, depth)
            }
            ExprKind::Conditional { then, otherwise, .. } => {
                self.is_accelerator(*then, depth) && self.is_accelerator(*otherwise, depth)
            }
            ExprKind::Local(local) if !self.body.local(*local).mutable => match self.initialiser(*local) {
                Some(init) => self.is_accelerator(init, depth),
                None => self.iterates_children(*local),
            },
            _ => false,
        }
    }

    /// Whether a rail is allocated at an accelerator.
    fn is_allocated_at_accelerator(&self, rail: ExprId, depth: u32) -> bool {
        let ExprKind::Local(local) = self.body.expr(self.strip_casts(rail)).kind else { return false };
        let Some(init) = self.initialiser(local).filter(|_| !self.body.local(local).mutable) else {
            return false;
        };
        match &self.body.expr(self.strip_casts(init)).kind {
            ExprKind::Call { method, args, .. } if method.name(self.context.db) == "makeGlobalRail" => {
                args.first().is_some_and(|it| self.is_accelerator(*it, depth))
            }
            _ => false,
        }
    }

    /// Whether a variable iterates over the children of a host.
    fn iterates_children(&self, variable: LocalId) -> bool {
        self.body.stmts.iter().any(|it| match &it.kind {
            StmtKind::ForIn { local, iterable, .. } if *local == variable => {
                matches!(&self.body.expr(self.strip_casts(*iterable)).kind, ExprKind::Call { method, .. } if self.is_topology_method(*method))
            }
            _ => false,
        })
    }

    fn strip_casts(&self, mut expr: ExprId) -> ExprId {
        while let ExprKind::Coerce { value } | ExprKind::Cast { value, .. } = self.body.expr(expr).kind {
            expr = value;
        }
        expr
    }

    fn initialiser(&self, local: LocalId) -> Option<ExprId> {
        self.body.stmts.iter().find_map(|it| match it.kind {
            StmtKind::Let { local: declared, init } if declared == local => init,
            _ => None,
        })
    }

    /// Whether an enclosing condition tests for an accelerator: then the code is taken to be intended.
    fn is_guarded_by_test(&self, parents: &Parents, node: Node) -> bool {
        parents.ancestors(node).any(|it| {
            let condition = match it {
                Node::Stmt(id) => match self.body.stmt(id).kind {
                    StmtKind::If { condition, .. } => condition,
                    _ => return false,
                },
                Node::Expr(id) => match self.body.expr(id).kind {
                    ExprKind::Conditional { condition, .. } => condition,
                    _ => return false,
                },
            };
            let mut found = false;
            self.body.walk(Node::Expr(condition), &mut |node| {
                found |= matches!(node, Node::Expr(id) if matches!(&self.body.expr(id).kind,
                    ExprKind::Call { method, .. } if method.name(self.context.db) == "isCUDA"));
                !found
            });
            found
        })
    }
}
