//! Legality of code motion out of a kernel (loop-invariant code motion; Muchnick, *Advanced Compiler Design
//! and Implementation*, 13.2).
//!
//!
//! A fix moves an expression before the `at` only if the program behaves the same: operands are available
//! there and unchanged, evaluation has no effect, raises no exception and does not depend on the place.
//! Functions of the program are analysed, too.

use crate::body::Owner;
use crate::body::walk::Node;
use crate::body::{AssignTarget, Body, Dispatch, ExprId, ExprKind, Literal, LocalId, StmtId, StmtKind};
use crate::ids::MethodId;
use crate::item_tree::items::{method_item, qualified_name};
use crate::item_tree::{Modifiers, annotation_string};
use crate::kernel::context::KernelContext;
use crate::kernel::device_semantics::{DeviceSemantics, TypeCategory};
use crate::ty::known::Known;

/// Maximum depth of calls that are analysed.
const MAX_CALL_DEPTH: u32 = 4;

/// The code of an expression, and assumptions on its variables.
struct MotionCheck<'a> {
    semantics: &'a DeviceSemantics<'a>,
    body: &'a Body,
    /// Whether a variable has one value that is available before the `at`.
    is_known: &'a dyn Fn(LocalId) -> bool,
    /// Whether no code of the program runs in between, so that mutable fields are unchanged.
    may_read_mutable_fields: bool,
    depth: u32,
}

impl KernelContext<'_> {
    /// Whether an expression of the kernel may be evaluated before the statement around the `at`.
    pub(crate) fn is_movable(&self, expr: ExprId) -> bool {
        let is_known = |local: LocalId| {
            !self.inner.contains(&local)
                && (!self.local(local).mutable || self.is_unassigned_in_kernel(local))
        };
        let may_read_mutable_fields = self.has_pure_place();
        let settled = MotionCheck {
            semantics: self.semantics,
            body: self.body,
            is_known: &is_known,
            may_read_mutable_fields,
            depth: 0,
        };
        settled.expr(expr)
    }

    /// Whether evaluating the place of the `at` runs no code of the program.
    fn has_pure_place(&self) -> bool {
        let StmtKind::At { place, .. } = self.stmt(self.at).kind else { return false };
        let mut is_pure = true;
        self.body.walk(Node::Expr(place), &mut |node| {
            is_pure &= match node {
                Node::Expr(expr) => match &self.expr(expr).kind {
                    ExprKind::Call { method, .. } => !self.semantics.is_user_code(*method),
                    ExprKind::New { .. } | ExprKind::ClosureCall { .. } | ExprKind::Assign { .. } => false,
                    _ => true,
                },
                Node::Stmt(_) => false,
            };
            is_pure
        });
        is_pure
    }

    /// Whether the kernel assigns a captured `var` nowhere.
    pub(crate) fn is_unassigned_in_kernel(&self, local: LocalId) -> bool {
        let mut assigned = false;
        self.body.walk(Node::Stmt(self.at), &mut |node| {
            assigned |= matches!(node, Node::Expr(expr) if matches!(self.expr(expr).kind,
                ExprKind::Assign { target: AssignTarget::Local(it), .. } if it == local));
            !assigned
        });
        !assigned
    }

    /// Whether a statement only prints values available before the `at`, and may run there.
    pub(crate) fn is_movable_print(&self, stmt: StmtId) -> bool {
        let StmtKind::Expr(expr) = self.stmt(stmt).kind else { return false };
        let ExprKind::Call { method, receiver: Some(receiver), args, .. } = &self.expr(expr).kind else {
            return false;
        };
        let is_console = matches!(self.expr(self.strip_coercions(*receiver)).kind, ExprKind::StaticField(field)
            if self.semantics.is_class(field.class(self.semantics.db), "x10.io.Console"));
        let prints = matches!(method.name(self.semantics.db).as_str(), "print" | "println");
        is_console && prints && args.iter().all(|it| self.is_movable(*it))
    }
}

impl MotionCheck<'_> {
    fn expr(&self, expr: ExprId) -> bool {
        let all = |parts: &[ExprId]| parts.iter().all(|it| self.expr(*it));
        match &self.body.expr(expr).kind {
            ExprKind::Literal(_) | ExprKind::This | ExprKind::StaticField(_) => true,
            ExprKind::Local(local) => (self.is_known)(*local),
            ExprKind::Coerce { value } => self.expr(*value),
            ExprKind::Box { value } => self.is_plain(*value) && self.expr(*value),
            ExprKind::Concat { parts } => parts.iter().all(|it| self.is_plain(*it)) && all(parts),
            ExprKind::Conditional { condition, then, otherwise } => all(&[*condition, *then, *otherwise]),
            ExprKind::ShortCircuit { left, right, .. } | ExprKind::Equal { left, right, .. } => {
                all(&[*left, *right])
            }
            ExprKind::Field { object, field } => {
                let keeps = self.may_read_mutable_fields
                    || !self.semantics.is_mutable_field(*field)
                    || self.is_constant_size(*object, field.name(self.semantics.db));
                keeps && self.is_available(*object) && self.expr(*object)
            }
            ExprKind::Call { method, dispatch, receiver, args, .. } => {
                receiver.is_none_or(|it| self.expr(it))
                    && all(args)
                    && self.call(*method, *dispatch, *receiver, args)
            }
            ExprKind::ClosureCall { closure, args } => all(args) && self.closure(*closure),
            ExprKind::RailLiteral { items, .. } => all(items),
            ExprKind::New { class, args, .. } => {
                let of_number = |it: &ExprId| self.is_plain(*it) && self.expr(*it);
                self.semantics.is_class(*class, "x10.lang.Rail")
                    && matches!(args[..], [_] | [_, _])
                    && self.is_natural_literal(args[0])
                    && args.iter().all(of_number)
            }
            _ => false,
        }
    }

    /// Whether a field can be read without an exception: of a struct, of `this`, or the length of a rail.
    fn is_available(&self, object: ExprId) -> bool {
        let ty = self.body.expr(object).ty;
        let is_new = |local: LocalId| {
            let init = initialiser(self.body, local).map(|it| &self.body.expr(self.strip_coercions(it)).kind);
            !self.body.local(local).mutable && matches!(init, Some(ExprKind::New { .. }))
        };
        let is_object = match self.body.expr(self.strip_coercions(object)).kind {
            ExprKind::This => true,
            ExprKind::Local(local) => is_new(local),
            _ => false,
        };
        is_object
            || ty.is_struct(self.semantics.db)
            || matches!(
                self.semantics.category(ty),
                TypeCategory::Plain | TypeCategory::GlobalRail(_) | TypeCategory::Rail(_)
            )
    }

    fn is_constant_size(&self, object: ExprId, field: &str) -> bool {
        field == "size"
            && matches!(
                self.semantics.category(self.body.expr(object).ty),
                TypeCategory::Rail(_) | TypeCategory::GlobalRail(_)
            )
    }

    /// Numbers, characters, Booleans and strings.
    fn is_plain(&self, expr: ExprId) -> bool {
        let ty = self.body.expr(self.strip_coercions(expr)).ty;
        ty.primitive(self.semantics.db).is_some() || ty.is_known(self.semantics.db, Known::String)
    }

    fn strip_coercions(&self, mut expr: ExprId) -> ExprId {
        while let ExprKind::Coerce { value } = self.body.expr(expr).kind {
            expr = value;
        }
        expr
    }

    fn is_natural_literal(&self, expr: ExprId) -> bool {
        match &self.body.expr(expr).kind {
            ExprKind::Literal(Literal::Int(value)) => *value >= 0,
            ExprKind::Coerce { value } => self.is_natural_literal(*value),
            ExprKind::Call { args, receiver: None, .. } if args.len() == 1 => {
                self.is_natural_literal(args[0])
            }
            _ => false,
        }
    }

    fn call(&self, method: MethodId, dispatch: Dispatch, receiver: Option<ExprId>, args: &[ExprId]) -> bool {
        let db = self.semantics.db;
        let Some(item) = method_item(db, method) else { return false };
        if annotation_string(&item.annotations, "Intrinsic").is_some_and(|name| name.starts_with("op.")) {
            return !self.may_divide_by_zero(method, receiver, args);
        }
        if qualified_name(db, method.class(db)) == "x10.lang.Math" && !item.has_body {
            return true;
        }
        let is_final = dispatch != Dispatch::Virtual
            || item.modifiers.has(Modifiers::FINAL)
            || item.modifiers.has(Modifiers::PRIVATE);
        is_final && self.is_movable_code(Owner::Method(method))
    }

    /// `/` or `%` of integers, unless by a non-zero literal.
    fn may_divide_by_zero(&self, method: MethodId, receiver: Option<ExprId>, args: &[ExprId]) -> bool {
        let db = self.semantics.db;
        let divides =
            method.name(db).strip_prefix("operator").is_some_and(|it| matches!(it.trim(), "/" | "%"));
        let operands: Vec<ExprId> = receiver.into_iter().chain(args.iter().copied()).collect();
        let is_float = |it: &ExprId| {
            let ty = self.body.expr(*it).ty;
            ty.is_known(db, Known::Double) || ty.is_known(db, Known::Float)
        };
        let by_literal = operands.last().is_some_and(|it| {
            matches!(self.body.expr(self.strip_coercions(*it)).kind, ExprKind::Literal(Literal::Int(value)) if value != 0)
        });
        divides && !by_literal && !operands.iter().all(is_float)
    }

    /// Whether a function only computes a value from its formals and constants.
    fn is_movable_code(&self, owner: Owner) -> bool {
        if self.depth >= MAX_CALL_DEPTH {
            return false;
        }
        let result = self.semantics.body_of(owner);
        let body = &result.body;
        let is_known = |local: LocalId| !body.local(local).mutable;
        let inside = MotionCheck { body, is_known: &is_known, depth: self.depth + 1, ..*self };
        body.root.is_some_and(|root| inside.stmt(root))
    }

    /// A call of a `val` that holds a closure.
    fn closure(&self, closure: ExprId) -> bool {
        let ExprKind::Local(local) = self.body.expr(self.strip_coercions(closure)).kind else { return false };
        let init = initialiser(self.body, local);
        let Some(ExprKind::Closure(closure)) = init.map(|it| &self.body.expr(self.strip_coercions(it)).kind)
        else {
            return false;
        };
        let is_known = |local: LocalId| !self.body.local(local).mutable;
        let inside = MotionCheck { is_known: &is_known, depth: self.depth + 1, ..*self };
        (self.is_known)(local) && self.depth < MAX_CALL_DEPTH && inside.stmt(closure.body)
    }

    fn stmt(&self, stmt: StmtId) -> bool {
        match &self.body.stmt(stmt).kind {
            StmtKind::Empty | StmtKind::Return(None) => true,
            StmtKind::Block(stmts) => stmts.iter().all(|it| self.stmt(*it)),
            StmtKind::Return(Some(value)) => self.expr(*value),
            StmtKind::Let { init, .. } => init.is_none_or(|it| self.expr(it)),
            StmtKind::If { condition, then, otherwise } => {
                self.expr(*condition) && self.stmt(*then) && otherwise.is_none_or(|it| self.stmt(it))
            }
            _ => false,
        }
    }
}

fn initialiser(body: &Body, local: LocalId) -> Option<ExprId> {
    body.stmts.iter().find_map(|stmt| match stmt.kind {
        StmtKind::Let { local: it, init } if it == local => init,
        _ => None,
    })
}
