//! Scan of code in execution order for the first read of a path that may not have been written yet, or the
//! first blocking operation.

use apg_syntax::TextRange;

use super::access_paths::{AccessPath, AccessPaths};
use super::{OpenStart, UnjoinedReads, is_on_path};
use crate::body::walk::Node;
use crate::body::{AssignTarget, ExprId, ExprKind, Iteration, LocalId, StmtId, StmtKind};
use crate::ids::MethodId;
use crate::item_tree::items::{field_is_mutable, package};
use crate::ty::Ty;
use crate::ty::known::Known;

/// A read of a path that may not have been written yet.
pub(super) struct Read {
    pub path: AccessPath,
    pub range: TextRange,
}

/// The first relevant event.
pub(super) enum ScanResult {
    Reads(Read),
    /// It may block on something unknown.
    MayWait,
    Continues,
}

/// A node to be visited.
struct Visit {
    node: Node,
    /// Whether its children have been visited.
    children_visited: bool,
    /// Whether it runs under a condition.
    is_conditional: bool,
    in_kernel: bool,
}

impl UnjoinedReads<'_> {
    /// The first relevant event in `stmt`.
    pub(super) fn scan(&self, stmt: StmtId, open: &mut OpenStart) -> ScanResult {
        self.scan_code(stmt, stmt, open, false)
    }

    fn scan_code(&self, code: StmtId, stmt: StmtId, open: &mut OpenStart, in_kernel: bool) -> ScanResult {
        let paths = self.paths(stmt);
        let first =
            Visit { node: Node::Stmt(code), children_visited: false, is_conditional: false, in_kernel };
        let mut visits = vec![first];
        while let Some(visit) = visits.pop() {
            if !visit.children_visited {
                match self.scan_before_children(&visit, stmt, open) {
                    Some(ScanResult::Continues) => continue,
                    Some(next) => return next,
                    None => {}
                }
                let children = self.child_visits(&visit);
                visits.push(Visit { children_visited: true, ..visit });
                visits.extend(children.into_iter().rev());
                continue;
            }
            if let Some(read) = self.conflicting_read(&visit, open, &paths) {
                return ScanResult::Reads(read);
            }
            if self.may_block(visit.node, visit.in_kernel) {
                return ScanResult::MayWait;
            }
            self.apply_assignment(&visit, open, &paths);
        }
        ScanResult::Continues
    }

    /// The event before any child is visited: the node is skipped, or ends the scan.
    fn scan_before_children(&self, visit: &Visit, stmt: StmtId, open: &mut OpenStart) -> Option<ScanResult> {
        match visit.node {
            Node::Stmt(id) => match &self.body.stmt(id).kind {
                // Another activity: blocking in it does not block this one.
                StmtKind::Async { .. } if visit.is_conditional && open.start.is_conditional => {
                    Some(ScanResult::Continues)
                }
                StmtKind::Async { body, .. } => {
                    let own_writes = open.own_writes.len();
                    let next = self.scan_code(*body, stmt, open, visit.in_kernel);
                    open.own_writes.truncate(own_writes);
                    match next {
                        ScanResult::Reads(read) => Some(ScanResult::Reads(read)),
                        _ => Some(ScanResult::Continues),
                    }
                }
                StmtKind::Atomic(_) => Some(ScanResult::Continues),
                _ if self.is_waiting_loop(id) => Some(ScanResult::MayWait),
                _ => None,
            },
            Node::Expr(id) => {
                matches!(self.body.expr(id).kind, ExprKind::Closure(_)).then_some(ScanResult::Continues)
            }
        }
    }

    fn child_visits(&self, visit: &Visit) -> Vec<Visit> {
        let in_kernel = visit.in_kernel || matches!(visit.node, Node::Stmt(id) if self.is_kernel(id));
        let is_conditional = |child: Node| match visit.node {
            Node::Stmt(id) => match &self.body.stmt(id).kind {
                StmtKind::If { condition, .. } => child != Node::Expr(*condition),
                StmtKind::Switch { value, .. } => child != Node::Expr(*value),
                StmtKind::Try { catches, .. } => catches.iter().any(|it| Node::Stmt(it.1) == child),
                _ => false,
            },
            Node::Expr(id) => match &self.body.expr(id).kind {
                ExprKind::Conditional { condition, .. } => child != Node::Expr(*condition),
                ExprKind::ShortCircuit { right, .. } => child == Node::Expr(*right),
                _ => false,
            },
        };
        let visit_of = |node| Visit {
            node,
            children_visited: false,
            is_conditional: visit.is_conditional || is_conditional(node),
            in_kernel,
        };
        self.body.children(visit.node).into_iter().map(visit_of).collect()
    }

    /// The first conflicting read of a node itself.
    fn conflicting_read(&self, visit: &Visit, open: &OpenStart, paths: &AccessPaths) -> Option<Read> {
        // The branches may be exclusive.
        if visit.is_conditional && open.start.is_conditional {
            return None;
        }
        let range = match visit.node {
            Node::Expr(id) => self.body.expr(id).range,
            Node::Stmt(id) => match &self.body.stmt(id).kind {
                StmtKind::ForIn { iterable, .. } => self.body.expr(*iterable).range,
                _ => self.body.stmt(id).range,
            },
        };
        let meets = |all: &[AccessPath], path: &AccessPath| all.iter().any(|it| paths.overlap(it, path));
        let reads = self.reads(visit.node, visit.in_kernel, paths);
        let early = reads.into_iter().find(|it| !meets(&open.own_writes, it) && meets(&open.writes, it));
        early.map(|path| Read { path, range })
    }

    /// The paths that an expression or loop header reads.
    pub(super) fn reads(&self, node: Node, in_kernel: bool, paths: &AccessPaths) -> Vec<AccessPath> {
        let id = match node {
            Node::Expr(id) => id,
            Node::Stmt(id) => match self.body.stmt(id).kind {
                StmtKind::ForIn { iterable, iteration: Iteration::Rail, .. } => {
                    return paths.all(iterable).into_iter().collect();
                }
                _ => return Vec::new(),
            },
        };
        match &self.body.expr(id).kind {
            ExprKind::Call { receiver: Some(receiver), method, args, .. }
                if method.name(self.db) == "operator()" =>
            {
                paths.elements(*receiver, args, in_kernel).into_iter().collect()
            }
            ExprKind::Call { method, dispatch, .. } => match self.effects(*method, *dispatch) {
                Some(effects) => effects.reads.iter().filter_map(|it| it.path(paths, id)).collect(),
                None => self.copy_source(id, paths).into_iter().collect(),
            },
            ExprKind::Field { object, field } if field_is_mutable(self.db, *field) => {
                paths.field(*object, *field).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Applies the assignment of a node itself.
    fn apply_assignment(&self, visit: &Visit, open: &mut OpenStart, paths: &AccessPaths) {
        let Node::Expr(id) = visit.node else { return };
        if let ExprKind::Assign { target, .. } = self.body.expr(id).kind {
            open.writes.retain(|it| !is_on_path(it, target));
        }
        if !visit.is_conditional && self.copy_target(id).is_none() {
            open.own_writes.extend(self.written_path(id, paths));
        }
    }

    /// Whether a statement waits for an event; a loop condition may be changed by other activities.
    pub(super) fn is_waiting_loop(&self, id: StmtId) -> bool {
        match &self.body.stmt(id).kind {
            StmtKind::When(_) => true,
            StmtKind::While { condition, body, .. } | StmtKind::DoWhile { condition, body, .. } => {
                !self.is_counted(*condition, *body)
            }
            StmtKind::For { update, .. } => update.is_empty(),
            _ => false,
        }
    }

    /// Whether the number of iterations depends only on the code itself.
    fn is_counted(&self, condition: ExprId, code: StmtId) -> bool {
        let mut reads_only_variables = !matches!(self.body.expr(condition).kind, ExprKind::Literal(_));
        let mut variables: Vec<LocalId> = Vec::new();
        let mut is_allowed = |node: Node| match node {
            Node::Expr(id) => self.reads_only_variables(id, &mut variables),
            Node::Stmt(_) => false,
        };
        self.body.walk(Node::Expr(condition), &mut |node| {
            reads_only_variables &= is_allowed(node);
            reads_only_variables
        });
        self.body.walk(Node::Stmt(code), &mut |node| {
            match node {
                Node::Stmt(id) => {
                    let leaves = matches!(
                        self.body.stmt(id).kind,
                        StmtKind::Break(_) | StmtKind::Return(_) | StmtKind::Throw(_)
                    );
                    reads_only_variables &= !leaves;
                }
                Node::Expr(id) => {
                    if let ExprKind::Assign { target: AssignTarget::Local(local), value } =
                        self.body.expr(id).kind
                        && variables.contains(&local)
                    {
                        self.body.walk(Node::Expr(value), &mut |node| {
                            reads_only_variables &= matches!(node, Node::Expr(id) if self.reads_only_variables(id, &mut Vec::new()));
                            reads_only_variables
                        });
                    }
                }
            }
            reads_only_variables
        });
        reads_only_variables
    }

    /// Whether an expression itself reads at most variables.
    fn reads_only_variables(&self, id: ExprId, variables: &mut Vec<LocalId>) -> bool {
        match &self.body.expr(id).kind {
            ExprKind::Local(local) => {
                variables.push(*local);
                true
            }
            ExprKind::Call { method, .. } => self.context.semantics.is_pure(*method),
            ExprKind::Literal(_)
            | ExprKind::ShortCircuit { .. }
            | ExprKind::Equal { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Coerce { .. } => true,
            _ => false,
        }
    }

    /// Whether an expression or statement may block, for unknown reasons.
    pub(super) fn may_block(&self, node: Node, in_kernel: bool) -> bool {
        match node {
            Node::Stmt(id) => match &self.body.stmt(id).kind {
                StmtKind::Error => true,
                StmtKind::ForIn { iteration: Iteration::Iterable { next, .. }, .. } => self.may_wait(*next),
                _ => false,
            },
            Node::Expr(id) => match &self.body.expr(id).kind {
                // Threads of a kernel wait only for each other.
                ExprKind::Call { .. } if in_kernel => false,
                ExprKind::Call { method, dispatch, .. } => match self.effects(*method, *dispatch) {
                    Some(effects) => effects.may_block,
                    None => self.may_wait(*method),
                },
                ExprKind::New { constructor, .. } => {
                    let effects = self.effects(*constructor, crate::body::Dispatch::Static);
                    effects.map_or_else(|| self.may_wait(*constructor), |it| it.may_block)
                }
                ExprKind::ClosureCall { .. } | ExprKind::Error => true,
                _ => false,
            },
        }
    }

    /// Whether a method may block: methods of programs, and library methods except those of values,
    /// containers and printing.
    pub(super) fn may_wait(&self, method: MethodId) -> bool {
        let class = method.class(self.db);
        let clock = Ty::this_type(self.db, class).is_known(self.db, Known::Clock);
        let place = package(self.db, class.file(self.db));
        let may_block = ["Team", "Runtime", "System", "Condition"].contains(&class.name(self.db).as_str())
            || method.name(self.db) == "syncDevice";
        let values = ["x10.lang", "x10.util", "x10.io", "x10.array", "x10.regionarray"];
        clock || may_block || !values.contains(&place.as_str())
    }
}
