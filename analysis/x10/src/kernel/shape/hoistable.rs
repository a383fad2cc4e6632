//! Host-evaluated expressions of a kernel: extents, sizes and initial values of shared memory.
//!
//! They are evaluated before the launch, so they may use only values that are the same on host and device.

use apg_syntax::TextRange;

use crate::body::walk::Node;
use crate::body::{Dispatch, ExprId, ExprKind, LocalId, StmtKind};
use crate::ids::{FieldId, MethodId};
use crate::item_tree::ClassKind;
use crate::item_tree::items::field_is_static;
use crate::kernel::PreludeKind;
use crate::kernel::context::KernelContext;
use crate::kernel::device_semantics::TypeCategory;
use crate::rules::hoist::field_access::FieldAccess;
use crate::rules::{ProblemData, cuda, hoist};

impl KernelContext<'_> {
    /// Reports every part of `expr` that the host cannot evaluate before the launch.
    pub(crate) fn check_hoistable(&self, expr: ExprId) {
        self.check_hoistable_part(expr, expr);
    }

    fn check_hoistable_part(&self, expr: ExprId, whole: ExprId) {
        let node = self.expr(expr);
        let below = |context: &Self| {
            for child in context.body.children(Node::Expr(expr)) {
                if let Node::Expr(child) = child {
                    context.check_hoistable_part(child, whole);
                }
            }
        };
        match &node.kind {
            ExprKind::Error => self.mark_broken(),
            ExprKind::Literal(_) => {}
            ExprKind::Local(local) => self.check_hoistable_local(*local, node.range, whole),
            ExprKind::Here => self.report_here(node.range),
            ExprKind::This | ExprKind::Outer(_) => {
                self.report_not_hoistable(expr, FieldAccess::This, "self");
            }
            ExprKind::Field { .. } | ExprKind::Call { .. } if self.depends_on_here(expr) => {
                self.report_here(node.range)
            }
            ExprKind::Field { object, field }
                if self.is_constant_field(*object, field.name(self.semantics.db)) =>
            {
                below(self)
            }
            ExprKind::Field { field, .. } => self.report_field(expr, *field),
            ExprKind::StaticField(field) => {
                if self.semantics.is_mutable_field(*field) || !field_is_static(self.semantics.db, *field) {
                    self.report_field(expr, *field);
                }
            }
            ExprKind::Call { method, dispatch, .. } => {
                if *dispatch != Dispatch::Virtual && self.is_side_effect_free(*method) {
                    return below(self);
                }
                self.report_impure_call(expr, *method);
            }
            ExprKind::Coerce { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Conditional { .. }
            | ExprKind::ShortCircuit { .. }
            | ExprKind::Equal { .. } => below(self),
            ExprKind::Assign { .. } | ExprKind::Let { .. } => {
                self.report_not_hoistable(expr, hoist::assignment::Assignment, "value");
            }
            _ => {
                self.report_not_hoistable(expr, hoist::expression::Expression, "value");
            }
        }
    }

    /// Whether a call only computes: an operator, a `@CUDA` function, or a `@CUDA` method of a struct.
    fn is_side_effect_free(&self, method: MethodId) -> bool {
        let is_of_struct = || self.semantics.class_kind(method.class(self.semantics.db)) == ClassKind::Struct;
        self.semantics.is_pure(method) || self.semantics.is_cuda(method) && is_of_struct()
    }

    fn report_impure_call(&self, expr: ExprId, method: MethodId) {
        let name = method.name(self.semantics.db).as_str();
        let data = match name {
            "operator()" => hoist::call::Call::Element,
            _ => hoist::call::Call::Method(method),
        };
        self.report_not_hoistable(expr, data, &variable_name_for(name));
    }

    /// Whether a field of a captured value is constant: a field of a struct, or the length of a rail.
    fn is_constant_field(&self, object: ExprId, field: &str) -> bool {
        match self.semantics.category(self.expr(object).ty) {
            TypeCategory::Plain => true,
            TypeCategory::Rail(_) | TypeCategory::GlobalRail(_) => {
                field == "size" && matches!(self.expr(self.strip_coercions(object)).kind, ExprKind::Local(_))
            }
            _ => false,
        }
    }

    /// Whether an expression is a field or result of `here`.
    fn depends_on_here(&self, expr: ExprId) -> bool {
        match &self.expr(self.strip_coercions(expr)).kind {
            ExprKind::Here => true,
            ExprKind::Field { object, .. } => self.depends_on_here(*object),
            ExprKind::Call { method, receiver: Some(receiver), .. } => {
                !self.semantics.is_pure(*method) && self.depends_on_here(*receiver)
            }
            _ => false,
        }
    }

    fn report_here(&self, range: TextRange) {
        self.report_at(range, hoist::here::Here);
    }

    fn check_hoistable_local(&self, local: LocalId, range: TextRange, whole: ExprId) {
        let declared = self.local(local);
        if !self.inner.contains(&local) {
            if declared.mutable {
                let data = hoist::mutable_variable::MutableVariable { local };
                self.report(self.violation(range, data).fix(self.copy_var_to_val(local)));
            }
            return;
        }
        if self.is_auto(local) || self.is_reported_prelude(local) {
            return;
        }
        let whole = self.expr(whole).range;
        self.report_at(range, hoist::inner_variable::InnerVariable { local, whole });
    }

    /// Whether the local is `CUDAUtilities.autoBlocks()` or `autoThreads()` of the prelude.
    fn is_auto(&self, local: LocalId) -> bool {
        let Some(init) = self.initialiser(local) else { return false };
        matches!(self.prelude_auto(init), Some(PreludeKind::AutoBlocks | PreludeKind::AutoThreads))
    }

    /// Whether an expression names such a local.
    pub(crate) fn is_auto_value(&self, expr: ExprId) -> bool {
        matches!(self.expr(self.strip_coercions(expr)).kind, ExprKind::Local(local) if self.is_auto(local))
    }

    /// Whether the local is a misplaced definition before blocks or threads, reported there.
    fn is_reported_prelude(&self, local: LocalId) -> bool {
        let declared = self.local(local).range;
        let init = self.initialiser(local).map(|init| self.expr(init).range);
        self.has_violation(&cuda::var_in_prelude::RULE, declared)
            || init.is_some_and(|range| {
                self.has_violation(&cuda::prelude_value::RULE, range)
                    || self.has_violation(&cuda::shared_value::RULE, range)
            })
    }

    fn report_field(&self, expr: ExprId, field: FieldId) {
        let name = field.name(self.semantics.db);
        self.report_not_hoistable(expr, FieldAccess::Field(field), &format!("the_{name}"));
    }

    /// `name`: of the `val` that a fix moves the expression to.
    fn report_not_hoistable(&self, expr: ExprId, data: impl Into<ProblemData>, name: &str) {
        let range = self.expr(expr).range;
        let fix = self.is_movable(expr).then(|| self.hoist_before_at(range, name));
        self.report(self.violation(range, data).fix(fix));
    }

    /// Whether the expression uses a variable declared inside the `at`, so that it cannot be moved out.
    pub(crate) fn uses_inner(&self, expr: ExprId) -> bool {
        let mut found = false;
        self.body.walk(Node::Expr(expr), &mut |node| {
            if let Node::Expr(part) = node
                && let ExprKind::Local(local) = self.expr(part).kind
            {
                found |= self.inner.contains(&local);
            }
            if let Node::Stmt(stmt) = node
                && let StmtKind::At { .. } = self.stmt(stmt).kind
            {
                found = true;
            }
            !found
        });
        found
    }
}

/// A variable name for the value of a call.
fn variable_name_for(method: &str) -> String {
    if method.starts_with("operator") || method == "this" {
        "value".to_owned()
    } else {
        format!("the_{method}")
    }
}
