//! Walking a body: the children of a node in source order, and the parent of each.

use super::{AssignTarget, Body, Clocked, ExprId, ExprKind, StmtId, StmtKind};

/// A statement or an expression of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A statement.
    Stmt(StmtId),
    /// An expression.
    Expr(ExprId),
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
    /// The direct children of `node`, in evaluation order. The code of closures and of `at`
    /// expressions is a child of theirs.
    pub fn children(&self, node: impl Into<Node>) -> Vec<Node> {
        let mut found = Children(Vec::new());
        match node.into() {
            Node::Stmt(stmt) => self.stmt_children(&self.stmt(stmt).kind, &mut found),
            Node::Expr(expr) => self.expr_children(&self.expr(expr).kind, &mut found),
        }
        found.0
    }

    /// Visits `node` and all below it, parents first. `enter` says whether to go below a node.
    pub fn walk(&self, node: impl Into<Node>, enter: &mut dyn FnMut(Node) -> bool) {
        let node = node.into();
        if enter(node) {
            for child in self.children(node) {
                self.walk(child, enter);
            }
        }
    }

    fn expr_children(&self, kind: &ExprKind, found: &mut Children) {
        match kind {
            ExprKind::Error
            | ExprKind::Literal(_)
            | ExprKind::Local(_)
            | ExprKind::This
            | ExprKind::Outer(_)
            | ExprKind::Here
            | ExprKind::StaticField(_) => {}
            ExprKind::Field { object, .. } => found.expr(*object),
            ExprKind::Call { receiver, args, .. } => {
                found.exprs(receiver);
                found.exprs(args);
            }
            ExprKind::New { args, .. } => found.exprs(args),
            ExprKind::ClosureCall { closure, args } => {
                found.expr(*closure);
                found.exprs(args);
            }
            ExprKind::Closure(closure) => found.stmt(closure.body),
            ExprKind::RailLiteral { items, .. } => found.exprs(items),
            ExprKind::Assign { target, value } => {
                if let AssignTarget::Field { object, .. } = target {
                    found.expr(*object);
                }
                found.expr(*value);
            }
            ExprKind::Cast { value, .. }
            | ExprKind::Coerce { value }
            | ExprKind::Box { value }
            | ExprKind::Unbox { value }
            | ExprKind::InstanceOf { value, .. } => found.expr(*value),
            ExprKind::Conditional { condition, then, otherwise } => {
                found.exprs([condition, then, otherwise]);
            }
            ExprKind::ShortCircuit { left, right, .. } | ExprKind::Equal { left, right, .. } => {
                found.exprs([left, right]);
            }
            ExprKind::Concat { parts } => found.exprs(parts),
            ExprKind::Let { stmts, result } => {
                found.stmts(stmts);
                found.expr(*result);
            }
            ExprKind::At { place, body, .. } => {
                found.expr(*place);
                found.stmt(*body);
            }
        }
    }

    fn stmt_children(&self, kind: &StmtKind, found: &mut Children) {
        match kind {
            StmtKind::Error | StmtKind::Empty | StmtKind::Break(_) | StmtKind::Continue(_) => {}
            StmtKind::Block(stmts) => found.stmts(stmts),
            StmtKind::Let { init, .. } => found.exprs(init),
            StmtKind::Expr(expr) | StmtKind::Throw(expr) => found.expr(*expr),
            StmtKind::ConstructorCall { args, .. } => found.exprs(args),
            StmtKind::Property { values, .. } => found.exprs(values),
            StmtKind::If { condition, then, otherwise } => {
                found.expr(*condition);
                found.stmt(*then);
                found.stmts(otherwise);
            }
            StmtKind::Return(value) => found.exprs(value),
            StmtKind::Try { body, catches, finally } => {
                found.stmt(*body);
                found.stmts(catches.iter().map(|(_, body)| body));
                found.stmts(finally);
            }
            StmtKind::Assert { condition, message } => {
                found.expr(*condition);
                found.exprs(message);
            }
            StmtKind::Labeled { body, .. } | StmtKind::Atomic(body) => found.stmt(*body),
            StmtKind::When(branches) => {
                for (condition, body) in branches {
                    found.expr(*condition);
                    found.stmt(*body);
                }
            }
            StmtKind::Async { clocked, body, .. } | StmtKind::Finish { clocked, body } => {
                found.clocks(clocked);
                found.stmt(*body);
            }
            StmtKind::At { place, body, .. } => {
                found.expr(*place);
                found.stmt(*body);
            }
            StmtKind::AtEach { clocked, distribution, body, .. } => {
                found.clocks(clocked);
                found.expr(*distribution);
                found.stmt(*body);
            }
            _ => self.loop_children(kind, found),
        }
    }

    fn loop_children(&self, kind: &StmtKind, found: &mut Children) {
        match kind {
            StmtKind::While { condition, body, .. } => {
                found.expr(*condition);
                found.stmt(*body);
            }
            StmtKind::DoWhile { body, condition, .. } => {
                found.stmt(*body);
                found.expr(*condition);
            }
            StmtKind::For { init, condition, update, body, .. } => {
                found.stmts(init);
                found.exprs(condition);
                found.stmt(*body);
                found.exprs(update);
            }
            StmtKind::ForIn { iterable, body, .. } => {
                found.expr(*iterable);
                found.stmt(*body);
            }
            StmtKind::Switch { value, cases, .. } => {
                found.expr(*value);
                found.stmts(cases.iter().flat_map(|(_, stmts)| stmts));
            }
            _ => {}
        }
    }
}

struct Children(Vec<Node>);

impl Children {
    fn expr(&mut self, expr: ExprId) {
        self.0.push(Node::Expr(expr));
    }
    fn stmt(&mut self, stmt: StmtId) {
        self.0.push(Node::Stmt(stmt));
    }
    fn exprs<'a>(&mut self, exprs: impl IntoIterator<Item = &'a ExprId>) {
        self.0.extend(exprs.into_iter().map(|expr| Node::Expr(*expr)));
    }
    fn stmts<'a>(&mut self, stmts: impl IntoIterator<Item = &'a StmtId>) {
        self.0.extend(stmts.into_iter().map(|stmt| Node::Stmt(*stmt)));
    }
    fn clocks(&mut self, clocked: &Clocked) {
        if let Clocked::Clocks(clocks) = clocked {
            self.exprs(clocks);
        }
    }
}

/// The parent of every node of a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parents {
    of_expr: Vec<Option<Node>>,
    of_stmt: Vec<Option<Node>>,
}

impl Parents {
    /// Computes the parents of all nodes below the root.
    pub fn of(body: &Body) -> Parents {
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

    /// The node directly around `node`; `None` for the root and for what is not in the tree.
    pub fn parent(&self, node: impl Into<Node>) -> Option<Node> {
        match node.into() {
            Node::Stmt(stmt) => self.of_stmt.get(stmt.0 as usize).copied().flatten(),
            Node::Expr(expr) => self.of_expr.get(expr.0 as usize).copied().flatten(),
        }
    }

    /// The nodes around `node`, innermost first.
    pub fn ancestors(&self, node: impl Into<Node>) -> impl Iterator<Item = Node> + '_ {
        std::iter::successors(self.parent(node), |node| self.parent(*node))
    }
}
