//! The parent of every node of a body.

use super::Body;
use super::walk::Node;

/// The parent of every node of a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parents {
    of_expr: Vec<Option<Node>>,
    of_stmt: Vec<Option<Node>>,
}

impl Parents {
    /// Computes the parents of all nodes below the root.
    pub(crate) fn of(body: &Body) -> Parents {
        let mut parents =
            Parents { of_expr: vec![None; body.exprs.len()], of_stmt: vec![None; body.stmts.len()] };
        let mut open: Vec<Node> = body.root.map(Node::Stmt).into_iter().collect();
        while let Some(node) = open.pop() {
            for child in body.children(node) {
                match child {
                    Node::Stmt(stmt) => parents.of_stmt[stmt.0 as usize] = Some(node),
                    Node::Expr(expr) => parents.of_expr[expr.0 as usize] = Some(node),
                }
                open.push(child);
            }
        }
        parents
    }

    /// The parent of `node`; `None` for the root and for nodes outside the tree.
    pub(crate) fn parent(&self, node: Node) -> Option<Node> {
        match node {
            Node::Stmt(stmt) => self.of_stmt.get(stmt.0 as usize).copied().flatten(),
            Node::Expr(expr) => self.of_expr.get(expr.0 as usize).copied().flatten(),
        }
    }

    /// The ancestors of `node`, innermost first.
    pub(crate) fn ancestors(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        std::iter::successors(self.parent(node), |node| self.parent(*node))
    }
}
