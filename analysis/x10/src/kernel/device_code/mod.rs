//! Rules of device code: what kernel threads and `@CUDA` functions may contain.

pub(in crate::kernel) mod aliases;
pub(in crate::kernel) mod calls;
pub(in crate::kernel) mod captures;
pub(in crate::kernel) mod functions;

use apg_syntax::TextRange;

use crate::body::walk::Node;
use crate::body::{AssignTarget, ExprId, ExprKind, Iteration, Literal, LocalId, StmtId, StmtKind};
use crate::ids::{FieldId, MethodId};
use crate::kernel::context::KernelContext;
use crate::kernel::device_semantics::TypeCategory;
use crate::kernel::fixes::template::FixTemplate;
use crate::kernel::generics::bound_call::BoundCall;
use crate::rules::cuda;
use crate::rules::cuda::allocation::Allocation;
use crate::ty::Ty;

/// What device code uses of its surroundings, in order of first use.
#[derive(Debug, Default)]
pub(crate) struct DeviceUses {
    /// Locals, declared inside or outside.
    pub locals: Vec<LocalId>,
    /// Static fields.
    pub statics: Vec<FieldId>,
    /// Called functions, with the call.
    pub calls: Vec<(MethodId, ExprId)>,
    /// Barriers and collective operations.
    pub barriers: Vec<ExprId>,
    /// Rail locals whose elements are written.
    pub written: Vec<LocalId>,
    /// Rail locals passed to functions.
    pub passed: Vec<PassedRail>,
    /// Calls through bounds of type parameters.
    pub bound_calls: Vec<BoundCall>,
    /// Whether it asks for the index of a thread.
    pub reads_thread_index: bool,
}

/// A rail passed to a function.
#[derive(Debug)]
pub(crate) struct PassedRail {
    /// The function.
    pub method: MethodId,
    /// The index of the formal.
    pub formal: usize,
    /// The rail.
    pub local: LocalId,
    /// The argument.
    pub site: ExprId,
}

/// The kind of device code under check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeKind {
    /// The threads of a kernel.
    Thread,
    /// A closure that fills shared memory.
    SharedClosure,
    /// A `@CUDA` function; `this` says whether it may use `this`, as methods of structs may.
    Function { this: bool },
}

impl KernelContext<'_> {
    /// Reports everything in `root` that a device cannot do, and collects what it uses.
    pub(crate) fn check_device_code(&self, root: StmtId, code: CodeKind, uses: &mut DeviceUses) {
        self.check_node(Node::Stmt(root), code, uses);
    }

    pub(in crate::kernel) fn check_node(&self, node: Node, code: CodeKind, uses: &mut DeviceUses) {
        let below = match node {
            Node::Stmt(stmt) => self.check_stmt(stmt, code, uses),
            Node::Expr(expr) => self.check_expr(expr, code, uses),
        };
        if below {
            for child in self.body.children(node) {
                self.check_node(child, code, uses);
            }
        }
    }

    /// Checks one statement; returns whether to visit its children.
    fn check_stmt(&self, stmt: StmtId, code: CodeKind, uses: &mut DeviceUses) -> bool {
        let range = self.stmt(stmt).range;
        match &self.stmt(stmt).kind {
            StmtKind::Error => self.mark_broken(),
            StmtKind::Async { body, .. } => {
                self.report_at(self.keyword_range(range, *body), cuda::async_in_kernel::AsyncInKernel::Thread)
            }
            StmtKind::Finish { body, .. } => {
                self.report_at(self.keyword_range(range, *body), cuda::finish_in_kernel::FinishInKernel)
            }
            StmtKind::At { body, .. } => {
                if self.annotation_range(stmt, "CUDA").is_some() {
                    self.report_at(range, cuda::nested_kernel::NestedKernel);
                } else {
                    self.report_at(
                        self.keyword_range(range, *body),
                        cuda::at_in_kernel::AtInKernel::Statement,
                    );
                }
            }
            StmtKind::AtEach { .. } => self.report_at(range, cuda::ateach_in_kernel::AtEachInKernel),
            StmtKind::Atomic(body) => {
                self.report_at(self.keyword_range(range, *body), cuda::atomic_in_kernel::AtomicInKernel)
            }
            StmtKind::When(_) => self.report_at(range, cuda::when_in_kernel::WhenInKernel),
            StmtKind::Throw(_) => self.report_at(range, cuda::throw_in_kernel::ThrowInKernel),
            StmtKind::Try { .. } => self.report_at(range, cuda::try_in_kernel::TryInKernel),
            StmtKind::Assert { .. } => self.report_at(range, cuda::assert_in_kernel::AssertInKernel),
            StmtKind::Let { local, init: Some(init) }
                if self.annotation_range(stmt, "StackAllocate").is_some() =>
            {
                uses.locals.push(*local);
                return self.check_stack_allocation(*init, code, uses);
            }
            StmtKind::ForIn { iterable, iteration, body, .. } => {
                self.check_loop(*iterable, iteration, code, uses);
                self.check_node(Node::Stmt(*body), code, uses);
            }
            StmtKind::ConstructorCall { constructor, args, .. } => {
                if let Some(first) = args.first() {
                    uses.calls.push((*constructor, *first));
                }
                return true;
            }
            _ => return true,
        }
        false
    }

    /// The iterable of `for (x in e)`: a written range, a rail, or an unsupported one.
    fn check_loop(&self, iterable: ExprId, iteration: &Iteration, code: CodeKind, uses: &mut DeviceUses) {
        if let Iteration::Iterable { .. } = iteration {
            return self.report_at(
                self.expr(iterable).range,
                cuda::iterator_in_kernel::IteratorInKernel { ty: self.expr(iterable).ty },
            );
        }
        let iterable = self.strip_coercions(iterable);
        if let ExprKind::Call { receiver, args, method, .. } = &self.expr(iterable).kind
            && method.name(self.semantics.db).ends_with("..")
        {
            for end in receiver.iter().chain(args) {
                self.check_node(Node::Expr(*end), code, uses);
            }
            return;
        }
        self.check_node(Node::Expr(iterable), code, uses);
    }

    /// Checks one expression; returns whether to visit its children.
    fn check_expr(&self, expr: ExprId, code: CodeKind, uses: &mut DeviceUses) -> bool {
        let node = self.expr(expr);
        match &node.kind {
            ExprKind::Error => self.mark_broken(),
            ExprKind::Local(local) => uses.locals.push(*local),
            ExprKind::Assign { target: AssignTarget::Local(local), .. } => {
                uses.locals.push(*local);
                return true;
            }
            ExprKind::This if code == (CodeKind::Function { this: true }) => {}
            ExprKind::This | ExprKind::Outer(_) => self.report_captured_this(expr),
            ExprKind::Field { object, field } => {
                return self.check_field(expr, *object, *field, code, false);
            }
            ExprKind::Assign { target: AssignTarget::Field { object, field }, value } => {
                self.check_field(expr, *object, *field, code, true);
                self.check_node(Node::Expr(*value), code, uses);
            }
            ExprKind::StaticField(field) => self.check_static_field(expr, *field, uses),
            ExprKind::Call { .. } => return self.check_call(expr, code, uses),
            ExprKind::ClosureCall { .. } => return self.check_closure_call(expr, code, uses),
            ExprKind::New { .. } => return self.check_allocation(expr, uses),
            ExprKind::Let { .. } | ExprKind::Conditional { .. } | ExprKind::ShortCircuit { .. } => {
                return true;
            }
            ExprKind::Coerce { .. } => return true,
            ExprKind::Equal { left, right, .. } => return self.check_equality(expr, *left, *right),
            ExprKind::Literal(Literal::String(_)) | ExprKind::Concat { .. } => self.report_string(node.range),
            _ => return self.report_unsupported_expr(expr),
        }
        false
    }

    /// Reports expressions that no device code may contain; returns whether to visit children.
    fn report_unsupported_expr(&self, expr: ExprId) -> bool {
        let node = self.expr(expr);
        let range = node.range;
        match &node.kind {
            ExprKind::Here => self.report_at(range, cuda::here_in_kernel::HereInKernel),
            ExprKind::Closure(_) => self.report_at(range, cuda::closure_in_kernel::ClosureInKernel),
            ExprKind::RailLiteral { .. } => self.report_at(range, cuda::rail_literal::RailLiteral),
            // A box that is already reported.
            ExprKind::InstanceOf { value: of, .. }
            | ExprKind::Unbox { value: of }
            | ExprKind::Cast { value: of, .. }
                if self.is_reported(*of) => {}
            ExprKind::InstanceOf { .. } => {
                self.report_at(range, cuda::instanceof_in_kernel::InstanceOfInKernel)
            }
            ExprKind::Box { value } => {
                if self.semantics.category(self.expr(*value).ty) == TypeCategory::String {
                    self.report_string(range);
                } else {
                    self.report_at(range, cuda::boxing::Boxing { ty: node.ty });
                }
            }
            ExprKind::Unbox { .. } | ExprKind::Cast { .. } => return self.check_cast(expr),
            ExprKind::At { .. } => self.report_at(range, cuda::at_in_kernel::AtInKernel::Expression),
            _ => return true,
        }
        false
    }

    fn check_cast(&self, expr: ExprId) -> bool {
        let node = self.expr(expr);
        match (&node.kind, self.semantics.category(node.ty)) {
            (ExprKind::Cast { checked: false, .. }, TypeCategory::Plain) => true,
            (_, TypeCategory::Unknown) => {
                self.mark_broken();
                false
            }
            (ExprKind::Cast { .. }, TypeCategory::Plain) => {
                self.report_at(node.range, cuda::checked_cast::CheckedCast);
                false
            }
            _ => {
                self.report_at(node.range, cuda::reference_cast::ReferenceCast { ty: node.ty });
                false
            }
        }
    }

    fn check_equality(&self, expr: ExprId, left: ExprId, right: ExprId) -> bool {
        let unfit =
            [left, right].into_iter().map(|side| self.semantics.category(self.expr(side).ty)).find(|shape| {
                !matches!(shape, TypeCategory::Plain | TypeCategory::Unknown | TypeCategory::String)
            });
        // A comparison of a struct with `null` is reported elsewhere.
        let (a, b) = (self.expr(left).ty, self.expr(right).ty);
        let struct_and_null = |a: Ty, b: Ty| a.is_null(self.semantics.db) && b.is_struct(self.semantics.db);
        if struct_and_null(a, b) || struct_and_null(b, a) {
            return false;
        }
        if unfit.is_some() {
            self.report_at(self.expr(expr).range, cuda::reference_comparison::ReferenceComparison);
        }
        unfit.is_none()
    }

    fn check_field(
        &self,
        expr: ExprId,
        object: ExprId,
        field: FieldId,
        code: CodeKind,
        writes: bool,
    ) -> bool {
        let inner = self.strip_coercions(object);
        // `o.f++` reads and writes: reported once.
        if !writes
            && self.semantics.category(self.expr(inner).ty) != TypeCategory::Plain
            && self.is_updated(expr, field)
        {
            return false;
        }
        if matches!(self.expr(inner).kind, ExprKind::This | ExprKind::Outer(_))
            && code != (CodeKind::Function { this: true })
        {
            self.report_captured_field(expr, field);
            return false;
        }
        let name = field.name(self.semantics.db).as_str();
        match self.semantics.category(self.expr(inner).ty) {
            TypeCategory::Plain => true,
            TypeCategory::Rail(_) | TypeCategory::GlobalRail(_) | TypeCategory::ConstantRail(_)
                if name == "size" =>
            {
                true
            }
            TypeCategory::Unknown => {
                self.mark_broken();
                false
            }
            _ if self.is_reported(inner) => false,
            _ => {
                let data = cuda::object_field::ObjectField {
                    field,
                    ty: self.expr(inner).ty,
                    is_write: writes,
                    in_function: self.is_function(),
                };
                let mut violation = self.violation(self.expr(expr).range, data);
                if !writes && self.can_capture(self.expr(expr).ty) && self.is_movable(expr) {
                    violation = violation.fix(self.hoist_fix(self.expr(expr).range, name));
                }
                self.report(violation);
                false
            }
        }
    }

    /// A fix that hoists an expression before the `at`; unavailable in functions, whose callers are unknown.
    fn hoist_fix(&self, range: TextRange, name: &str) -> Option<FixTemplate> {
        (!self.is_function()).then(|| self.hoist_before_at(range, name))
    }

    /// Whether a `@CUDA` function is checked, not a kernel.
    fn is_function(&self) -> bool {
        !matches!(self.stmt(self.at).kind, StmtKind::At { .. })
    }

    /// Whether the field read by an expression is assigned by an enclosing compound assignment.
    fn is_updated(&self, read: ExprId, field: FieldId) -> bool {
        let range = self.expr(read).range;
        self.body.exprs.iter().any(|it| match it.kind {
            ExprKind::Assign { target: AssignTarget::Field { field: written, .. }, .. } => {
                written == field && it.range.start() == range.start() && it.range.contains_range(range)
            }
            _ => false,
        })
    }

    fn check_static_field(&self, expr: ExprId, field: FieldId, uses: &mut DeviceUses) {
        let node = self.expr(expr);
        match self.semantics.category(node.ty) {
            TypeCategory::Plain if !self.semantics.is_mutable_field(field) => uses.statics.push(field),
            TypeCategory::Unknown => self.mark_broken(),
            // Its declaration is reported already.
            _ if self.semantics.is_mutable_field(field) => self.mark_broken(),
            _ => {
                let name = field.name(self.semantics.db);
                let fix = self.hoist_fix(node.range, &format!("the_{name}"));
                let violation =
                    self.violation(node.range, cuda::static_field::StaticField { field }).fix(fix);
                self.report(violation);
            }
        }
    }

    /// Checks `new` in device code, and a struct's `S(...)`.
    fn check_allocation(&self, expr: ExprId, uses: &mut DeviceUses) -> bool {
        let node = self.expr(expr);
        let ExprKind::New { constructor, .. } = &node.kind else { return true };
        match self.semantics.category(node.ty) {
            TypeCategory::Plain => {
                uses.calls.push((*constructor, expr));
                true
            }
            TypeCategory::Unknown => {
                self.mark_broken();
                false
            }
            _ => {
                if let Some(reference) = self.semantics.object_reference_in(node.ty) {
                    self.report_at(node.range, Allocation::Struct(reference));
                    return false;
                }
                if let TypeCategory::ConstantRail(_) = self.semantics.category(node.ty) {
                    self.report_at(node.range, Allocation::ConstantMemory(node.ty));
                    return false;
                }
                let is_rail =
                    self.new_rail(expr).is_some() && matches!(self.stmt(self.at).kind, StmtKind::At { .. });
                // In a kernel with barriers the rail may have been meant as shared memory.
                let may_be_shared = is_rail && self.has_barrier(self.at);
                let violation = self.violation(node.range, Allocation::Object { ty: node.ty, may_be_shared });
                let fix = if may_be_shared { None } else { self.stack_allocate_fix(expr) };
                self.report(violation.fix(fix));
                false
            }
        }
    }

    /// A fix that adds `@StackAllocate` to a `val` that holds a small rail of fixed size.
    fn stack_allocate_fix(&self, expr: ExprId) -> Option<FixTemplate> {
        const MAX_STACK_RAIL_LENGTH: i64 = 64;
        let (args, element) = self.new_rail(expr)?;
        let fits = (0..=MAX_STACK_RAIL_LENGTH).contains(&self.constant(*args.first()?)?);
        let Some(Node::Stmt(stmt)) = self.parents.parent(Node::Expr(expr)) else { return None };
        let StmtKind::Let { local, .. } = self.stmt(stmt).kind else { return None };
        let alone = !self.is_in_multi_declaration(stmt) && !self.local(local).mutable;
        (fits && alone && self.semantics.category(element) == TypeCategory::Plain).then(|| {
            FixTemplate::insert(
                "Keep it on the thread's stack",
                self.stmt(stmt).range.start(),
                "@StackAllocate ",
            )
            .with_import("StackAllocate")
        })
    }

    /// Checks `@StackAllocate val r = new Rail[T](n)`.
    fn check_stack_allocation(&self, init: ExprId, code: CodeKind, uses: &mut DeviceUses) -> bool {
        let init = self.strip_coercions(init);
        let Some((args, element)) = self.new_rail(init) else { return true };
        let (length, rest) = match args {
            [length, rest @ ..] if self.semantics.category(self.expr(*length).ty) == TypeCategory::Plain => {
                (*length, rest)
            }
            _ => {
                self.report_stack_size(self.expr(init).range);
                return false;
            }
        };
        if self.check_element(element, init) && self.constant(length).is_none_or(|length| length < 0) {
            self.report_stack_size(self.expr(length).range);
        }
        for value in rest {
            self.check_node(Node::Expr(*value), code, uses);
        }
        false
    }

    fn report_stack_size(&self, range: TextRange) {
        self.report_at(range, cuda::stack_size::StackSize);
    }

    fn report_string(&self, range: TextRange) {
        self.report_at(range, cuda::string_in_kernel::StringInKernel::Value);
    }

    /// The range from the start of a statement to its body.
    fn keyword_range(&self, range: TextRange, body: StmtId) -> TextRange {
        let body = self.stmt(body).range;
        if body.start() > range.start() { TextRange::new(range.start(), body.start()) } else { range }
    }
}
