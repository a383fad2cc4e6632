//! What the interpreter must know of a body before it starts: whether there is anything to find, which locals
//! are shared with other activities, and which statements may leave a loop.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::Interpreter;
use super::facts::Facts;
use crate::body::walk::Node;
use crate::body::{AssignTarget, Body, ExprId, ExprKind, Literal, LocalId, StmtId, StmtKind};
use crate::db::Db;
use crate::ids::ClassId;
use crate::rules::values::Variable;
use crate::ty::Ty;
use crate::ty::known::{Known, primitive_class};

/// Ways in which a statement may leave the code around it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Exits {
    /// It has jumps, or throws.
    pub(super) by_jump: bool,
    /// It calls code that may throw.
    pub(super) by_call: bool,
}

/// Whether a body has an index, a division or a use of `null` that may fail.
pub(super) fn has_operation_that_may_fail(db: &dyn Db, body: &Body) -> bool {
    let has_null = has_null(body);
    body.exprs.iter().any(|it| expr_may_fail(db, body, &it.kind, has_null))
        || body.stmts.iter().any(|it| stmt_may_fail(&it.kind, has_null))
}

/// Whether a value of a body is `null` for certain, as written or by its type.
pub(super) fn has_null_value(facts: &Facts<'_>, body: &Body) -> bool {
    has_null(body) || body.exprs.iter().any(|it| facts.of_type(it.ty).is_null == Some(true))
}

/// Whether `null` is written somewhere in a body.
fn has_null(body: &Body) -> bool {
    body.exprs.iter().any(|it| matches!(it.kind, ExprKind::Literal(Literal::Null)))
}

/// Whether an expression may fail, in a body that has `null` or not.
fn expr_may_fail(db: &dyn Db, body: &Body, expr: &ExprKind, has_null: bool) -> bool {
    match expr {
        ExprKind::Field { .. }
        | ExprKind::ClosureCall { .. }
        | ExprKind::Assign { target: AssignTarget::Field { .. }, .. } => has_null,
        ExprKind::New { class, args, .. } => !args.is_empty() && is_rail(db, *class),
        ExprKind::Call { method, args, receiver, .. } => {
            let is_operation = match method.name(db).trim_end() {
                "operator()" | "operator()=" | "charAt" => !args.is_empty(),
                "operator/" | "operator%" => {
                    args.last().is_some_and(|it| !is_nonzero_literal(body, *it))
                        && primitive_class(db, method.class(db)).is_some_and(Known::is_integer)
                }
                _ => false,
            };
            is_operation || (has_null && receiver.is_some())
        }
        _ => false,
    }
}

/// Whether a statement itself may fail: what a loop iterates over may be `null`.
fn stmt_may_fail(stmt: &StmtKind, has_null: bool) -> bool {
    has_null && matches!(stmt, StmtKind::ForIn { .. })
}

fn is_rail(db: &dyn Db, class: ClassId) -> bool {
    Ty::this_type(db, class).rail_element(db).is_some()
}

fn is_nonzero_literal(body: &Body, mut id: ExprId) -> bool {
    while let ExprKind::Coerce { value } = body.expr(id).kind {
        id = value;
    }
    match body.expr(id).kind {
        ExprKind::Literal(Literal::Int(value)) => value != 0,
        ExprKind::Literal(Literal::Float(_)) => true,
        _ => false,
    }
}

/// The locals whose value may change between two statements of the code that uses them: those that an
/// activity, a closure or code elsewhere assigns, or uses while they are assigned again. So are the
/// locals that a `finally` assigns, where jumps pass on their way.
pub(super) fn shared_locals(body: &Body, root: StmtId) -> Vec<bool> {
    let mut scan = SharingScan {
        body,
        declared: vec![None; body.locals.len()],
        used_elsewhere: vec![false; body.locals.len()],
        assigned: vec![false; body.locals.len()],
        shared: vec![false; body.locals.len()],
    };
    body.params.iter().for_each(|it| scan.declare(*it, 0));
    scan.run(root);
    let SharingScan { used_elsewhere, assigned, mut shared, .. } = scan;
    for (index, is_shared) in shared.iter_mut().enumerate() {
        *is_shared |= used_elsewhere[index] && assigned[index];
    }
    shared
}

struct SharingScan<'a> {
    body: &'a Body,
    /// The number of the code that declares a local. Code that other activities or later calls run has a
    /// number of its own.
    declared: Vec<Option<usize>>,
    /// Locals that other code than the declaring one reads.
    used_elsewhere: Vec<bool>,
    /// Locals that are assigned outside of their declaration.
    assigned: Vec<bool>,
    shared: Vec<bool>,
}

impl SharingScan<'_> {
    fn declare(&mut self, local: LocalId, code: usize) {
        self.declared[local.0 as usize] = Some(code);
    }

    fn run(&mut self, root: StmtId) {
        let mut codes = 1;
        let mut open = vec![(Node::Stmt(root), 0, false)];
        while let Some((node, code, is_in_finally)) = open.pop() {
            let mut inner = code;
            let mut finally = None;
            let mut start_code = || {
                codes += 1;
                codes
            };
            match node {
                Node::Stmt(id) => match &self.body.stmt(id).kind {
                    StmtKind::Let { local, .. } => self.declare(*local, code),
                    StmtKind::ForIn { local, components, .. } => {
                        self.declare(*local, code);
                        components.iter().for_each(|it| self.declare(*it, code));
                    }
                    StmtKind::Try { catches, finally: last, .. } => {
                        catches.iter().for_each(|it| self.declare(it.0, code));
                        finally = *last;
                    }
                    StmtKind::Async { .. } | StmtKind::At { .. } => inner = start_code(),
                    StmtKind::AtEach { local, .. } => {
                        inner = start_code();
                        local.iter().for_each(|it| self.declare(*it, inner));
                    }
                    _ => {}
                },
                Node::Expr(id) => match &self.body.expr(id).kind {
                    ExprKind::At { .. } => inner = start_code(),
                    ExprKind::Closure(closure) => {
                        inner = start_code();
                        closure.params.iter().for_each(|it| self.declare(*it, inner));
                    }
                    ExprKind::Local(local) => {
                        let is_elsewhere = self.declared[local.0 as usize] != Some(code);
                        self.used_elsewhere[local.0 as usize] |= is_elsewhere;
                    }
                    ExprKind::Assign { target: AssignTarget::Local(local), .. } => {
                        let is_elsewhere = self.declared[local.0 as usize] != Some(code);
                        self.shared[local.0 as usize] |= is_elsewhere || is_in_finally;
                        self.assigned[local.0 as usize] = true;
                    }
                    _ => {}
                },
            }
            let mut children = self.body.children(node);
            children.reverse();
            open.extend(children.into_iter().map(|child| {
                // The place of an `at` is evaluated outside, but assigns nothing that is used inside.
                (child, inner, is_in_finally || finally.is_some_and(|it| child == Node::Stmt(it)))
            }));
        }
    }
}

impl Interpreter<'_> {
    /// How a statement may leave the code around it.
    pub(super) fn exits_of(&mut self, id: StmtId) -> Exits {
        if let Some(exits) = self.exits.get(&id) {
            return *exits;
        }
        let mut exits = Exits::default();
        self.body.walk(Node::Stmt(id), &mut |node| {
            match node {
                Node::Stmt(id) => {
                    exits.by_jump |= matches!(
                        self.body.stmt(id).kind,
                        StmtKind::Break(_)
                            | StmtKind::Continue(_)
                            | StmtKind::Return(_)
                            | StmtKind::Throw(_)
                            | StmtKind::Assert { .. }
                    );
                }
                Node::Expr(id) => {
                    exits.by_call |= self.may_throw(id);
                    return !matches!(self.body.expr(id).kind, ExprKind::Closure(_));
                }
            }
            true
        });
        self.exits.insert(id, exits);
        exits
    }

    /// Whether an operation in a loop may fail, so that its iterations are to be interpreted for reports.
    pub(super) fn loop_may_fail(&mut self, id: StmtId) -> bool {
        if let Some(known) = self.may_fail.get(&id) {
            return *known;
        }
        let mut found = false;
        self.body.walk(Node::Stmt(id), &mut |node| {
            found = found
                || match node {
                    Node::Expr(id) => {
                        expr_may_fail(self.db, self.body, &self.body.expr(id).kind, self.has_null)
                    }
                    Node::Stmt(id) => stmt_may_fail(&self.body.stmt(id).kind, self.has_null),
                };
            !found
        });
        self.may_fail.insert(id, found);
        found
    }

    /// Whether an expression calls code of the program, which may throw.
    pub(super) fn may_throw(&self, id: ExprId) -> bool {
        match &self.body.expr(id).kind {
            ExprKind::Call { method, args, .. } => {
                self.facts.of_method(*method).is_user_code
                    || args.iter().any(|it| self.body.expr(*it).ty.as_function(self.db).is_some())
            }
            ExprKind::New { constructor, args, .. } => {
                self.facts.of_method(*constructor).is_user_code
                    || args.iter().any(|it| self.body.expr(*it).ty.as_function(self.db).is_some())
            }
            ExprKind::ClosureCall { .. } => true,
            _ => false,
        }
    }

    /// The locals and fields that a statement assigns, and expressions that belong to it.
    pub(super) fn assigned_in(&mut self, body: StmtId, others: &[ExprId]) -> Rc<[Variable]> {
        if let Some(assigned) = self.assigned.get(&body) {
            return Rc::clone(assigned);
        }
        let mut found = FxHashSet::default();
        for node in others.iter().map(|it| Node::Expr(*it)).chain([Node::Stmt(body)]) {
            self.body.walk(node, &mut |node| {
                if let Node::Expr(id) = node
                    && let ExprKind::Assign { target, .. } = self.body.expr(id).kind
                {
                    match target {
                        AssignTarget::Local(local) if !self.is_shared(local) => {
                            found.insert(Variable::Local(local));
                        }
                        AssignTarget::Field { field, .. } => {
                            found.insert(Variable::Field(field));
                        }
                        AssignTarget::Local(_) | AssignTarget::Static(_) => {}
                    }
                }
                true
            });
        }
        let found: Rc<[Variable]> = found.into_iter().collect();
        self.assigned.insert(body, Rc::clone(&found));
        found
    }

    /// Calls in a statement may leave the iteration under analysis.
    pub(super) fn leave_by_calls_in(&mut self, stmt: StmtId) {
        self.state.may_have_left |= !self.is_in_kernel && self.exits_of(stmt).by_call;
    }

    /// Whether a statement that may not be executed leaves everything as known as it is: it has no jumps, and
    /// assigns no variable whose value is known.
    pub(super) fn keeps_state(&mut self, stmt: StmtId, others: &[ExprId]) -> bool {
        !self.exits_of(stmt).by_jump && !self.assigned_in(stmt, others).iter().any(|it| self.state.knows(*it))
    }

    /// Whether a type is one of a rail here.
    pub(super) fn is_rail_or_global_rail(&self, ty: Ty) -> bool {
        self.facts.of_type(ty).is_rail
    }

    pub(super) fn is_string(&self, ty: Ty) -> bool {
        self.facts.of_type(ty).is_string
    }
}
