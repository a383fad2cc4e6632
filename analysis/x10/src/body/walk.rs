//! The children of expressions and statements, in evaluation order: the one place that knows the
//! shape of every node, for all passes that walk a body.

use super::{AssignTarget, Body, Clocked, ExprId, ExprKind, StmtId, StmtKind};

/// A child of an expression or statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// An expression.
    Expr(ExprId),
    /// A statement.
    Stmt(StmtId),
}

impl From<StmtId> for Node {
    fn from(stmt: StmtId) -> Node {
        Node::Stmt(stmt)
    }
}

impl From<ExprId> for Node {
    fn from(expr: ExprId) -> Node {
        Node::Expr(expr)
    }
}

impl Body {
    /// The direct children of `node`, in evaluation order. Closure bodies count as children, so do
    /// the arguments of annotations.
    pub fn children(&self, node: Node) -> Vec<Node> {
        let mut out = Vec::new();
        self.push_children(node, &mut out);
        out
    }

    fn push_children(&self, node: Node, out: &mut Vec<Node>) {
        match node {
            Node::Expr(id) => expr_children(&self.expr(id).kind, out),
            Node::Stmt(id) => {
                let stmt = self.stmt(id);
                out.extend(stmt.annotations.iter().flat_map(|a| a.args.iter()).map(|&e| Node::Expr(e)));
                stmt_children(&stmt.kind, out);
            }
        }
    }

    /// Calls `visit` for `node` and everything below it, parents first; `visit` returns whether to go
    /// below the node.
    pub fn walk(&self, node: Node, visit: &mut dyn FnMut(Node) -> bool) {
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            if visit(node) {
                let first = stack.len();
                self.push_children(node, &mut stack);
                stack[first..].reverse();
            }
        }
    }
}

fn expr_children(kind: &ExprKind, out: &mut Vec<Node>) {
    let mut push = |ids: &[ExprId]| out.extend(ids.iter().map(|&e| Node::Expr(e)));
    match kind {
        ExprKind::Error
        | ExprKind::Literal(_)
        | ExprKind::Local(_)
        | ExprKind::This
        | ExprKind::Outer(_)
        | ExprKind::Here
        | ExprKind::TypeTest(_)
        | ExprKind::StaticField(_) => {}
        ExprKind::Field { object, .. } => push(&[*object]),
        ExprKind::Call { receiver, args, .. } => {
            push(receiver.as_slice());
            push(args);
        }
        ExprKind::New { outer, args, .. } => {
            push(outer.as_slice());
            push(args);
        }
        ExprKind::ClosureCall { closure, args } => {
            push(&[*closure]);
            push(args);
        }
        ExprKind::Closure(closure) => out.push(Node::Stmt(closure.body)),
        ExprKind::RailLiteral { items, .. } => push(items),
        ExprKind::Assign { target, value } => {
            if let AssignTarget::Field { object, .. } = target {
                push(&[*object]);
            }
            push(&[*value]);
        }
        ExprKind::Cast { value, .. }
        | ExprKind::Coerce { value }
        | ExprKind::Box { value }
        | ExprKind::Unbox { value }
        | ExprKind::InstanceOf { value, .. } => push(&[*value]),
        ExprKind::Conditional { condition, then, otherwise } => push(&[*condition, *then, *otherwise]),
        ExprKind::ShortCircuit { left, right, .. } | ExprKind::Equal { left, right, .. } => {
            push(&[*left, *right]);
        }
        ExprKind::Concat { parts } => push(parts),
        ExprKind::Let { stmts, result } => {
            out.extend(stmts.iter().map(|&s| Node::Stmt(s)));
            out.push(Node::Expr(*result));
        }
        ExprKind::At { place, body, .. } => {
            push(&[*place]);
            out.push(Node::Stmt(*body));
        }
    }
}

fn stmt_children(kind: &StmtKind, out: &mut Vec<Node>) {
    let expr = |id: &ExprId| Node::Expr(*id);
    let stmt = |id: &StmtId| Node::Stmt(*id);
    match kind {
        StmtKind::Error | StmtKind::Empty | StmtKind::Break(_) | StmtKind::Continue(_) => {}
        StmtKind::Block(stmts) => out.extend(stmts.iter().map(stmt)),
        StmtKind::Let { init, .. } => out.extend(init.iter().map(expr)),
        StmtKind::Expr(e) | StmtKind::Throw(e) => out.push(expr(e)),
        StmtKind::ConstructorCall { outer, args, .. } => out.extend(outer.iter().chain(args).map(expr)),
        StmtKind::Property { values, .. } => out.extend(values.iter().map(expr)),
        StmtKind::If { condition, then, otherwise } => {
            out.extend([expr(condition), stmt(then)]);
            out.extend(otherwise.iter().map(stmt));
        }
        StmtKind::While { condition, body, .. } => out.extend([expr(condition), stmt(body)]),
        StmtKind::DoWhile { body, condition, .. } => out.extend([stmt(body), expr(condition)]),
        StmtKind::For { init, condition, update, body, .. } => {
            out.extend(init.iter().map(stmt));
            out.extend(condition.iter().map(expr));
            out.push(stmt(body));
            out.extend(update.iter().map(expr));
        }
        StmtKind::ForIn { iterable, body, .. } => out.extend([expr(iterable), stmt(body)]),
        StmtKind::Switch { value, cases, .. } => {
            out.push(expr(value));
            out.extend(cases.iter().flat_map(|(_, stmts)| stmts.iter()).map(stmt));
        }
        StmtKind::Labeled { body, .. } | StmtKind::Atomic(body) => out.push(stmt(body)),
        StmtKind::Return(value) => out.extend(value.iter().map(expr)),
        StmtKind::Try { body, catches, finally } => {
            out.push(stmt(body));
            out.extend(catches.iter().map(|(_, s)| stmt(s)));
            out.extend(finally.iter().map(stmt));
        }
        StmtKind::Assert { condition, message } => {
            out.push(expr(condition));
            out.extend(message.iter().map(expr));
        }
        StmtKind::Async { clocked, body, .. } | StmtKind::Finish { clocked, body } => {
            clocks(clocked, out);
            out.push(stmt(body));
        }
        StmtKind::At { place, body, .. } => out.extend([expr(place), stmt(body)]),
        StmtKind::AtEach { clocked, distribution, body, .. } => {
            clocks(clocked, out);
            out.extend([expr(distribution), stmt(body)]);
        }
        StmtKind::When(arms) => {
            for (condition, body) in arms {
                out.extend([expr(condition), stmt(body)]);
            }
        }
    }
}

fn clocks(clocked: &Clocked, out: &mut Vec<Node>) {
    if let Clocked::Clocks(clocks) = clocked {
        out.extend(clocks.iter().map(|&e| Node::Expr(e)));
    }
}
