//! Shared memory: `val`s between the block loop and the thread loop.

use crate::body::{ExprId, ExprKind, StmtId, StmtKind};
use crate::kernel::context::KernelContext;
use crate::kernel::device_semantics::TypeCategory;
use crate::kernel::{SharedInit, SharedRail};
use crate::rules::cuda;
use crate::rules::cuda::misplaced_shared_memory::MisplacedSharedMemory;
use crate::rules::cuda::shared_initialiser::SharedInitialiser;
use crate::ty::Ty;

impl KernelContext<'_> {
    /// Checks a statement before the threads of a block, which must define shared memory.
    pub(crate) fn check_shared_definition(&self, stmt: StmtId, found: &mut Vec<SharedRail>) {
        let range = self.stmt(stmt).range;
        let (local, init) = match self.stmt(stmt).kind {
            StmtKind::Error => return self.mark_broken(),
            StmtKind::Let { local, init: Some(init) } => (local, init),
            _ => {
                return self.report_at(range, cuda::shared_statement::SharedStatement);
            }
        };
        let init = self.strip_coercions(init);
        let Some((constructor_args, element)) = self.new_rail(init) else {
            if self.has_errors(init) {
                return;
            }
            let is_constant_rail = self.is_constant_rail(init);
            let data = cuda::shared_value::SharedValue { local, is_constant_rail };
            let fix = if is_constant_rail { None } else { self.relocate_block_value(stmt, local, init) };
            return self.report(self.violation(self.expr(init).range, data).fix(fix));
        };
        if self.local(local).mutable {
            return self.report_at(range, cuda::var_shared_memory::VarSharedMemory { local });
        }
        if !self.check_element(element, init) {
            return;
        }
        if let Some(init) = self.shared_init(init, constructor_args) {
            found.push(SharedRail { local, element, init });
        }
    }

    fn is_constant_rail(&self, init: ExprId) -> bool {
        matches!(self.semantics.category(self.expr(init).ty), TypeCategory::ConstantRail(_))
    }

    /// Whether a statement is `val r = new Rail[T](...)`.
    pub(crate) fn makes_rail(&self, stmt: StmtId) -> bool {
        let StmtKind::Let { init: Some(init), .. } = self.stmt(stmt).kind else { return false };
        self.new_rail(self.strip_coercions(init)).is_some()
    }

    /// Reports a rail made before the blocks or after the threads.
    pub(crate) fn report_misplaced_shared_memory(&self, stmt: StmtId, data: MisplacedSharedMemory) {
        let fix = self.move_into_block(stmt, "Move the shared memory into the block");
        self.report(self.violation(self.stmt(stmt).range, data).fix(fix));
    }

    /// The arguments and the element type of `new Rail[T](...)`.
    pub(crate) fn new_rail(&self, expr: ExprId) -> Option<(&[ExprId], Ty)> {
        let ExprKind::New { class, class_args, args, .. } = &self.expr(expr).kind else { return None };
        let element = *class_args.first()?;
        self.semantics.is_class(*class, "x10.lang.Rail").then_some((args, element))
    }

    /// Checks that device memory can hold the elements.
    pub(crate) fn check_element(&self, element: Ty, site: ExprId) -> bool {
        match self.semantics.element_category(element) {
            TypeCategory::Plain => true,
            TypeCategory::Unknown => {
                self.mark_broken();
                false
            }
            _ => {
                let reference = self.semantics.object_reference_in(element);
                let data = cuda::element_type::ElementType { ty: element, is_captured: false, reference };
                self.report_at(self.expr(site).range, data);
                false
            }
        }
    }

    fn shared_init(&self, site: ExprId, args: &[ExprId]) -> Option<SharedInit> {
        let first = args.first().map(|first| self.semantics.category(self.expr(*first).ty));
        match (args, first) {
            ([rail], Some(TypeCategory::Rail(_) | TypeCategory::GlobalRail(_))) => {
                // `new Rail[T](global())`: the elements of a global rail.
                let rail = &self.global_behind(*rail);
                let known = self.named_local(*rail).is_some_and(|local| !self.inner.contains(&local));
                if !known {
                    self.report_at(self.expr(site).range, SharedInitialiser::UncapturedRail);
                    return None;
                }
                Some(SharedInit::Copy { rail: *rail })
            }
            ([length], Some(TypeCategory::Plain)) => {
                self.check_hoistable(*length);
                Some(SharedInit::Zero { length: *length })
            }
            ([length, value], Some(TypeCategory::Plain)) => {
                self.check_hoistable(*length);
                let value = self.strip_coercions(*value);
                if matches!(self.expr(value).kind, ExprKind::Closure(_)) {
                    return Some(SharedInit::Closure { length: *length, closure: value });
                }
                if self.semantics.category(self.expr(value).ty) == TypeCategory::Function {
                    self.report_at(self.expr(value).range, SharedInitialiser::FunctionValue);
                    return None;
                }
                self.check_hoistable(value);
                Some(SharedInit::Value { length: *length, value })
            }
            (_, Some(TypeCategory::Unknown)) => {
                self.mark_broken();
                None
            }
            _ => {
                self.report_at(self.expr(site).range, SharedInitialiser::Other);
                None
            }
        }
    }

    /// The global rail `g` of `g()`, else the expression itself.
    fn global_behind(&self, expr: ExprId) -> ExprId {
        match &self.expr(self.strip_coercions(expr)).kind {
            ExprKind::Call { method, receiver: Some(receiver), args, .. }
                if args.is_empty()
                    && self.semantics.is_method(*method, "x10.lang.GlobalRail", "operator()") =>
            {
                *receiver
            }
            _ => expr,
        }
    }
}
