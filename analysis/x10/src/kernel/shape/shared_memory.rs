//! Shared memory: `val`s between the block loop and the thread loop.

use crate::body::{ExprId, ExprKind, StmtId, StmtKind};
use crate::kernel::context::KernelContext;
use crate::kernel::device_semantics::TypeCategory;
use crate::kernel::{SharedInit, SharedRail};
use crate::rules::cuda;
use crate::ty::Ty;

impl KernelContext<'_> {
    /// Checks a statement before the threads of a block, which must define shared memory.
    pub fn check_shared_definition(&self, stmt: StmtId, found: &mut Vec<SharedRail>) {
        let range = self.stmt(stmt).range;
        let (local, init) = match self.stmt(stmt).kind {
            StmtKind::Error => return self.mark_broken(),
            StmtKind::Let { local, init: Some(init) } => (local, init),
            _ => {
                return self.report(
                    self.violation(&cuda::shared_statement::RULE, range, "a statement before the threads of a block")
                        .note(
                            "here stand only the block's shared memory, as in `val s = new Rail[Float](64);`. Let the threads do \
                             the rest: one of them under `if (thread == 0n)`, or each of them its part",
                        ),
                );
            }
        };
        let name = &self.local(local).name;
        let init = self.strip(init);
        let Some((constructor_args, element)) = self.new_rail(init) else {
            if self.has_errors(init) {
                return;
            }
            let violation = self.violation(
                &cuda::shared_value::RULE,
                self.expr(init).range,
                format!("`{name}` is not shared memory, so it may not be defined for a whole block"),
            );
            return self.report(match self.is_constant_rail(init) {
                true => violation.note(
                    "constant memory belongs to all blocks: define it before the loop over them, at the start of the `at`",
                ),
                false => violation
                    .note(
                        "only `new Rail[T](...)` may be shared by the threads of a block: compute the value in each thread, or before the `at`",
                    )
                    .fix(self.relocate_block_value(stmt, local, init)),
            });
        };
        if self.local(local).mutable {
            return self.report(
                self.violation(
                    &cuda::var_shared_memory::RULE,
                    range,
                    format!("the shared memory `{name}` is a `var`"),
                )
                .note(
                    "shared memory has a fixed address: declare it with `val`; its elements may be changed",
                ),
            );
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
    pub fn makes_rail(&self, stmt: StmtId) -> bool {
        let StmtKind::Let { init: Some(init), .. } = self.stmt(stmt).kind else { return false };
        self.new_rail(self.strip(init)).is_some()
    }

    /// Reports a rail made before the blocks or after the threads.
    pub fn report_misplaced_shared_memory(&self, stmt: StmtId, message: &str) {
        self.report(
            self.violation(&cuda::misplaced_shared_memory::RULE, self.stmt(stmt).range, message)
                .note("memory that threads share belongs to a block: define it between the loop over the blocks and the loop over the threads")
                .note("a rail that all blocks read is made before the `at`")
                .fix(self.move_into_block(stmt, "Move the shared memory into the block")),
        );
    }

    /// The arguments and the element type of `new Rail[T](...)`.
    pub fn new_rail(&self, expr: ExprId) -> Option<(&[ExprId], Ty)> {
        let ExprKind::New { class, class_args, args, .. } = &self.expr(expr).kind else { return None };
        let element = *class_args.first()?;
        self.semantics.is_class(*class, "x10.lang.Rail").then_some((args, element))
    }

    /// Checks that device memory can hold the elements.
    pub fn check_element(&self, element: Ty, site: ExprId) -> bool {
        match self.semantics.element_category(element) {
            TypeCategory::Plain => true,
            TypeCategory::Unknown => {
                self.mark_broken();
                false
            }
            _ => {
                let shown = self.semantics.display(element);
                self.report(
                    self.violation(
                        &cuda::element_type::RULE,
                        self.expr(site).range,
                        format!("a kernel cannot keep elements of type `{shown}`"),
                    )
                    .note(
                        "device memory holds numbers, `Boolean`, `Char`, and structs of these; references to objects of \
                         the host mean nothing there",
                    )
                    .notes(self.semantics.describe_reference_in(element)),
                );
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
                    self.report_shared_init(
                        site,
                        "it is filled from a rail that is not a local `val` declared before the `at`",
                    );
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
                let value = self.strip(*value);
                if matches!(self.expr(value).kind, ExprKind::Closure(_)) {
                    return Some(SharedInit::Closure { length: *length, closure: value });
                }
                if self.semantics.category(self.expr(value).ty) == TypeCategory::Function {
                    self.report_shared_init(value, "its elements come from a function value; write the closure itself, `(i:Long) => ...`");
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
                self.report_shared_init(site, "it is made in a way that a block cannot repeat");
                None
            }
        }
    }

    /// The global rail `g` of `g()`, else the expression itself.
    fn global_behind(&self, expr: ExprId) -> ExprId {
        match &self.expr(self.strip(expr)).kind {
            ExprKind::Call { method, receiver: Some(receiver), args, .. }
                if args.is_empty()
                    && self.semantics.is_method(*method, "x10.lang.GlobalRail", "operator()") =>
            {
                *receiver
            }
            _ => expr,
        }
    }

    fn report_shared_init(&self, site: ExprId, why: &str) {
        self.report(
            self.violation(&cuda::shared_initialiser::RULE, self.expr(site).range, format!("shared memory that no kernel can make: {why}"))
                .note(
                    "write `new Rail[T](n)`, `new Rail[T](n, value)`, `new Rail[T](n, (i:Long) => ...)`, or `new Rail[T](rail)` with a \
                     `Rail` or `GlobalRail` declared before the `at`",
                ),
        );
    }
}
