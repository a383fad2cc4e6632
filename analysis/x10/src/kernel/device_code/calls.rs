//! Checks of calls in device code.

use crate::body::walk::Node;
use crate::body::{Dispatch, ExprId, ExprKind, LocalId};
use crate::ids::MethodId;
use crate::item_tree::ClassKind;
use crate::kernel::context::KernelContext;
use crate::kernel::device_code::{CodeKind, DeviceUses, PassedRail};
use crate::kernel::device_semantics::{CalleeKind, TypeCategory};
use crate::kernel::fixes::template::FixTemplate;
use crate::kernel::generics::bound_call::{BoundCall, BoundCallee};
use crate::rules::cuda;
use crate::rules::cuda::generic_call::GenericCall;
use crate::rules::cuda::interface_call::InterfaceCall;
use crate::rules::cuda::unannotated_call::{UnannotatedCall, UnannotatedCallee};
use crate::rules::cuda::virtual_call::VirtualCall;
use crate::ty::Ty;

impl KernelContext<'_> {
    /// Checks a call; returns whether to visit its operands.
    pub(in crate::kernel) fn check_call(&self, expr: ExprId, code: CodeKind, uses: &mut DeviceUses) -> bool {
        let ExprKind::Call { method, dispatch, receiver, args, .. } = &self.expr(expr).kind else {
            return true;
        };
        if let Some(of) = receiver.and_then(|it| self.bound_of_callee(*method, it)) {
            let what = BoundCallee::Method(*method);
            self.check_bound_call(of, what, expr, (receiver.iter(), args), code, uses);
            return false;
        }
        match self.semantics.callee_kind(*method) {
            CalleeKind::Barrier => {
                self.check_barrier_call(expr, code, uses);
                false
            }
            CalleeKind::Collective => self.check_collective_call(expr, *method, args, code, uses),
            CalleeKind::ThreadIndex => {
                uses.reads_thread_index |= self.check_thread_operation(expr, *method, code);
                false
            }
            CalleeKind::Builtin => {
                let writes = method.name(self.semantics.db) == "operator()=";
                if let (true, Some(receiver)) = (writes, receiver) {
                    self.check_rail_write(*receiver, expr, uses);
                }
                if self.semantics.is_atomic(*method)
                    && let Some(rail) = args.first()
                {
                    self.check_rail_write(*rail, expr, uses);
                }
                true
            }
            CalleeKind::Function => {
                let callable = self.check_function_call(expr, *method, *dispatch);
                if callable {
                    uses.calls.push((*method, expr));
                    self.add_passed_rails(*method, args, uses);
                }
                callable
            }
            CalleeKind::HostOnly => self.report_host_only_call(expr, *method, *dispatch, *receiver),
        }
    }

    /// The type parameter whose bound declares the called method. The target is known once the kernel is
    /// instantiated.
    fn bound_of_callee(&self, method: MethodId, receiver: ExprId) -> Option<Ty> {
        let ty = self.type_parameter_of(receiver)?;
        let in_interface = self.semantics.class_kind(method.class(self.semantics.db)) == ClassKind::Interface;
        // Methods of `Any` are declared by every object of the host, too.
        let of_all = || self.semantics.is_class(method.class(self.semantics.db), "x10.lang.Any");
        (in_interface && !of_all()).then_some(ty)
    }

    /// The type parameter that is the type of an expression.
    fn type_parameter_of(&self, expr: ExprId) -> Option<Ty> {
        let ty = self.expr(self.strip_boxing(expr)).ty.base(self.semantics.db);
        ty.as_param(self.semantics.db).map(|_| ty)
    }

    /// Checks `f(args)`; returns whether to visit its operands.
    pub(in crate::kernel) fn check_closure_call(
        &self,
        expr: ExprId,
        code: CodeKind,
        uses: &mut DeviceUses,
    ) -> bool {
        let ExprKind::ClosureCall { closure, args } = &self.expr(expr).kind else { return true };
        let ty = self.expr(self.strip_boxing(*closure)).ty.base(self.semantics.db);
        if ty.as_param(self.semantics.db).is_some() {
            self.check_bound_call(
                ty,
                BoundCallee::Function,
                expr,
                (Some(closure).into_iter(), args),
                code,
                uses,
            );
        } else if !self.is_reported(*closure) {
            let data = cuda::closure_call::ClosureCall { ty };
            self.report_at(self.expr(expr).range, data);
        }
        false
    }

    /// Checks a call through a bound of a type parameter.
    fn check_bound_call<'e>(
        &self,
        of: Ty,
        what: BoundCallee,
        expr: ExprId,
        (receiver, args): (impl Iterator<Item = &'e ExprId>, &'e [ExprId]),
        code: CodeKind,
        uses: &mut DeviceUses,
    ) {
        for operand in receiver.chain(args) {
            self.check_node(Node::Expr(self.strip_boxing(*operand)), code, uses);
        }
        let (class_args, type_args) = match &self.expr(expr).kind {
            ExprKind::Call { class_args, type_args, .. } => (class_args.clone(), type_args.clone()),
            // The value is boxed as the function type of the bound.
            ExprKind::ClosureCall { closure, .. } => {
                (vec![self.expr(*closure).ty.base(self.semantics.db)], Vec::new())
            }
            _ => Default::default(),
        };
        // Within a function, it is unknown which rails its formals are.
        let foreign =
            |rail: &LocalId| matches!(code, CodeKind::Function { .. }) || !self.inner.contains(rail);
        let is_foreign = |arg: &ExprId| {
            matches!(self.semantics.category(self.expr(*arg).ty), TypeCategory::Rail(_))
                && self.aliased_rails(*arg).iter().any(foreign)
        };
        let protected = (0..args.len()).filter(|index| is_foreign(&args[*index])).collect();
        uses.bound_calls.push(BoundCall { of, what, class_args, type_args, protected });
    }

    /// An expression without the boxing that a call through an interface needs.
    fn strip_boxing(&self, expr: ExprId) -> ExprId {
        let expr = self.strip_coercions(expr);
        match self.expr(expr).kind {
            ExprKind::Box { value } => self.strip_boxing(value),
            _ => expr,
        }
    }

    /// Records rails passed to a function.
    fn add_passed_rails(&self, method: MethodId, args: &[ExprId], uses: &mut DeviceUses) {
        for (formal, site) in args.iter().copied().enumerate() {
            if matches!(self.semantics.category(self.expr(site).ty), TypeCategory::Rail(_)) {
                let named = self.aliased_rails(site).into_iter();
                uses.passed.extend(named.map(|local| PassedRail { method, formal, local, site }));
            }
        }
    }

    fn check_barrier_call(&self, expr: ExprId, code: CodeKind, uses: &mut DeviceUses) {
        if code != CodeKind::SharedClosure {
            return uses.barriers.push(expr);
        }
        self.report_at(self.expr(expr).range, cuda::barrier_outside_thread::BarrierOutsideThread);
    }

    /// Whether an expression is a collective operation of a warp.
    pub(in crate::kernel) fn is_warp_collective(&self, expr: ExprId) -> bool {
        matches!(&self.expr(expr).kind, ExprKind::Call { method, .. } if self.semantics.is_warp_collective(*method))
    }

    /// Checks a collective operation of a warp or block.
    fn check_collective_call(
        &self,
        expr: ExprId,
        method: MethodId,
        args: &[ExprId],
        code: CodeKind,
        uses: &mut DeviceUses,
    ) -> bool {
        if !self.check_thread_operation(expr, method, code) {
            return false;
        }
        uses.barriers.push(expr);
        if let Some(rail) = self.semantics.received_argument(method).and_then(|it| args.get(it)) {
            self.check_rail_write(*rail, expr, uses);
        }
        // Slots send what rails hold; operations of warps and blocks take single elements.
        let is_message = self.semantics.is_slot_operation(method);
        let is_buffer = |arg: &ExprId| {
            use TypeCategory::{GlobalRail, Rail};
            is_message && matches!(self.semantics.category(self.expr(*arg).ty), Rail(_) | GlobalRail(_))
        };
        args.iter().all(|arg| is_buffer(arg) || self.check_element(self.expr(*arg).ty, *arg))
    }

    /// Whether thread operations are allowed here: in thread code and functions called by threads.
    fn check_thread_operation(&self, expr: ExprId, method: MethodId, code: CodeKind) -> bool {
        if code != CodeKind::SharedClosure {
            return true;
        }
        self.report_at(
            self.expr(expr).range,
            cuda::thread_operation_outside_thread::ThreadOperationOutsideThread { method },
        );
        false
    }

    /// Checks a call of a `@CUDA` method.
    fn check_function_call(&self, expr: ExprId, method: MethodId, dispatch: Dispatch) -> bool {
        let range = self.expr(expr).range;
        if let ExprKind::Call { type_args, .. } = &self.expr(expr).kind
            && let Some(bad) =
                type_args.iter().find(|ty| self.semantics.category(**ty) != TypeCategory::Plain)
        {
            match self.semantics.category(*bad) {
                TypeCategory::Unknown => self.mark_broken(),
                _ => self.report_at(range, GenericCall::TypeArgument { method, ty: *bad }),
            }
            return false;
        }
        if self.semantics.is_static(method)
            || self.semantics.class_kind(method.class(self.semantics.db)) == ClassKind::Struct
        {
            return true;
        }
        self.report_object_call(expr, method, dispatch);
        false
    }

    /// Reports a call of a method of an object.
    fn report_object_call(&self, expr: ExprId, method: MethodId, dispatch: Dispatch) {
        let range = self.expr(expr).range;
        let class = method.class(self.semantics.db);
        let is_interface = self.semantics.class_kind(class) == ClassKind::Interface;
        if dispatch == Dispatch::Virtual && is_interface {
            self.report_at(range, InterfaceCall::Interface(method));
        } else if self.semantics.is_array(class) {
            self.report_at(range, VirtualCall::Array(method));
        } else if self.semantics.is_class(class, "x10.lang.Point") {
            self.report_at(range, VirtualCall::Point(method));
        } else if dispatch == Dispatch::Virtual {
            self.report_at(range, VirtualCall::Other(method));
        } else {
            self.report_at(range, cuda::instance_call::InstanceCall { method });
        }
    }

    fn report_host_only_call(
        &self,
        expr: ExprId,
        method: MethodId,
        dispatch: Dispatch,
        receiver: Option<ExprId>,
    ) -> bool {
        let db = self.semantics.db;
        let range = self.expr(expr).range;
        let class = method.class(db);
        if self.report_library_call(expr, method) {
            return false;
        }
        if self.semantics.class_kind(class) == ClassKind::Struct
            && self.semantics.category(self.receiver_type(receiver)) == TypeCategory::Plain
        {
            self.report_unannotated(expr, method);
            return true;
        }
        if !self.semantics.is_static(method) {
            if receiver.is_some_and(|it| self.is_reported(it)) {
                return false;
            }
            if let Some(of) = receiver.and_then(|it| self.type_parameter_of(it)) {
                self.report_at(range, InterfaceCall::Any { method, of });
            } else if self.receiver_is_text(receiver) {
                self.report_at(range, cuda::string_in_kernel::StringInKernel::Receiver);
            } else {
                self.report_object_call(expr, method, dispatch);
            }
            return false;
        }
        self.report_unannotated(expr, method);
        true
    }

    /// Reports library calls that have a rule of their own; returns whether this was one.
    fn report_library_call(&self, expr: ExprId, method: MethodId) -> bool {
        let range = self.expr(expr).range;
        let class = method.class(self.semantics.db);
        if ["x10.io.Console", "x10.io.Printer", "x10.io.Writer"]
            .iter()
            .any(|full| self.semantics.is_class(class, full))
        {
            self.report_at(range, cuda::print_in_kernel::PrintInKernel);
            return true;
        }
        if self.semantics.is_class(class, "x10.lang.Clock") {
            self.report_at(range, cuda::clock_operation::ClockOperation { method });
            return true;
        }
        let is_launch_value = || {
            ["autoBlocks", "residentBlocks", "autoThreads"].contains(&method.name(self.semantics.db).as_str())
        };
        if self.semantics.is_class(class, "x10.util.CUDAUtilities") && is_launch_value() {
            self.report_at(range, cuda::auto_in_thread::AutoInThread { method });
            return true;
        }
        false
    }

    fn receiver_type(&self, receiver: Option<ExprId>) -> Ty {
        receiver.map_or_else(|| Ty::void(self.semantics.db), |receiver| self.expr(receiver).ty)
    }

    fn receiver_is_text(&self, receiver: Option<ExprId>) -> bool {
        self.semantics.category(self.receiver_type(receiver)) == TypeCategory::String
    }

    fn report_unannotated(&self, expr: ExprId, method: MethodId) {
        let copies = ["copy", "asyncCopy", "uncountedCopy"];
        let callee = if self.semantics.is_user_code(method) {
            UnannotatedCallee::User
        } else if copies.contains(&method.name(self.semantics.db).as_str()) {
            UnannotatedCallee::LibraryCopy
        } else {
            UnannotatedCallee::Library
        };
        let fix = (callee == UnannotatedCallee::User).then_some(FixTemplate::Annotate(method));
        self.report(self.violation(self.expr(expr).range, UnannotatedCall { method, callee }).fix(fix));
    }
}
