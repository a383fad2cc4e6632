//! Code that goes to an accelerator without being a kernel: the place of an `at` is certainly a child of a host.

use apg_syntax::TextRange;

use super::Facts;
use crate::body::parents::Parents;
use crate::body::walk::Node;
use crate::body::{Body, ExprId, ExprKind, LocalId, StmtId, StmtKind};
use crate::diagnostics::{Diagnostic, cuda};
use crate::ids::MethodId;
use crate::item_tree::items::qualified_name;

/// `val`s that lead to other `val`s are followed so far.
const MAX_DEPTH: u32 = 16;

/// The warnings of one body.
pub(super) fn check(facts: &Facts<'_>, body: &Body) -> Vec<Diagnostic> {
    let search = Search { facts, body };
    let is_child =
        |it: &ExprKind| matches!(it, ExprKind::Call { method, .. } if search.is_of_topology(*method));
    let Some(root) = body.root.filter(|_| body.exprs.iter().any(|it| is_child(&it.kind))) else {
        return Vec::new();
    };
    let parents = Parents::of(body);
    let mut diagnostics = Vec::new();
    body.walk(Node::Stmt(root), &mut |node| {
        let (place, code, start) = match node {
            Node::Stmt(id) => match &body.stmt(id).kind {
                StmtKind::At { place, body: code, .. } if !search.is_marked(id) && !search.is_marked(*code) => {
                    (*place, *code, body.stmt(id).range.start())
                }
                _ => return true,
            },
            Node::Expr(id) => match &body.expr(id).kind {
                ExprKind::At { place, body: code, .. } => (*place, *code, body.expr(id).range.start()),
                _ => return true,
            },
        };
        if search.is_accelerator(place, MAX_DEPTH) && !search.is_asked(&parents, node) {
            let end = body.stmt(code).range.start().max(body.expr(place).range.end());
            diagnostics.push(
                cuda::missing_annotation::RULE
                    .at(TextRange::new(start, end), "this place is an accelerator, where only kernels run")
                    .note("a BadPlaceException is raised here when the program runs")
                    .note(
                        "write `async at (p) @CUDA { finish for (block in ...) async { clocked finish for (thread in ...) clocked async { ... } } }`; \
                         or go to its host, `p.parent()`, and copy by `Rail.asyncCopy`",
                    ),
            );
        }
        true
    });
    diagnostics
}

struct Search<'a> {
    facts: &'a Facts<'a>,
    body: &'a Body,
}

impl Search<'_> {
    fn is_marked(&self, stmt: StmtId) -> bool {
        self.body.stmt(stmt).annotations.iter().any(|it| it.name.starts_with("CUDA"))
    }

    /// `PlaceTopology.getChild` and `.children`
    fn is_of_topology(&self, method: MethodId) -> bool {
        let name = method.name(self.facts.db);
        ["getChild", "children"].contains(&name.as_str())
            && qualified_name(self.facts.db, method.class(self.facts.db)) == "x10.lang.PlaceTopology"
    }

    /// Whether a value is a place that is certainly an accelerator.
    fn is_accelerator(&self, expr: ExprId, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match &self.body.expr(expr).kind {
            ExprKind::Coerce { value } | ExprKind::Cast { value, .. } => self.is_accelerator(*value, depth),
            ExprKind::Call { method, .. } if self.is_of_topology(*method) => {
                method.name(self.facts.db) == "getChild"
            }
            // `rail.home()` of what was made there.
            ExprKind::Call { method, receiver: Some(rail), .. } if method.name(self.facts.db) == "home" => {
                self.is_made_there(*rail, depth)
            }
            ExprKind::Conditional { then, otherwise, .. } => {
                self.is_accelerator(*then, depth) && self.is_accelerator(*otherwise, depth)
            }
            ExprKind::Local(local) if !self.body.local(*local).mutable => match self.initialiser(*local) {
                Some(init) => self.is_accelerator(init, depth),
                None => self.is_child(*local),
            },
            _ => false,
        }
    }

    /// Whether a rail is made at an accelerator.
    fn is_made_there(&self, rail: ExprId, depth: u32) -> bool {
        let ExprKind::Local(local) = self.body.expr(self.unconverted(rail)).kind else { return false };
        let Some(init) = self.initialiser(local).filter(|_| !self.body.local(local).mutable) else {
            return false;
        };
        match &self.body.expr(self.unconverted(init)).kind {
            ExprKind::Call { method, args, .. } if method.name(self.facts.db) == "makeGlobalRail" => {
                args.first().is_some_and(|it| self.is_accelerator(*it, depth))
            }
            _ => false,
        }
    }

    /// The variable of a loop over the children of a host.
    fn is_child(&self, variable: LocalId) -> bool {
        self.body.stmts.iter().any(|it| match &it.kind {
            StmtKind::ForIn { local, iterable, .. } if *local == variable => {
                matches!(&self.body.expr(self.unconverted(*iterable)).kind, ExprKind::Call { method, .. } if self.is_of_topology(*method))
            }
            _ => false,
        })
    }

    fn unconverted(&self, mut expr: ExprId) -> ExprId {
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

    /// Whether code around asks if there is an accelerator: then what runs at one is its own business.
    fn is_asked(&self, parents: &Parents, node: Node) -> bool {
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
                    ExprKind::Call { method, .. } if method.name(self.facts.db) == "isCUDA"));
                !found
            });
            found
        })
    }
}
