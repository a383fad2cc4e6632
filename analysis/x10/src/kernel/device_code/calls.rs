//! Checks of calls in device code.

use apg_syntax::TextRange;

use crate::body::walk::Node;
use crate::body::{Dispatch, ExprId, ExprKind, LocalId};
use crate::ids::MethodId;
use crate::item_tree::ClassKind;
use crate::kernel::context::KernelContext;
use crate::kernel::device_code::{CodeKind, DeviceUses, PassedRail};
use crate::kernel::device_semantics::{CalleeKind, TypeCategory};
use crate::kernel::fixes::template::FixTemplate;
use crate::kernel::generics::bound_requirements::{BoundCall, BoundCallee};
use crate::rules::cuda;
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
        let ty = self.expr(self.unboxed(expr)).ty.base(self.semantics.db);
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
        let ty = self.expr(self.unboxed(*closure)).ty.base(self.semantics.db);
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
            self.report_with_note(
                &cuda::closure_call::RULE,
                self.expr(expr).range,
                "a thread cannot call a function value",
                &format!(
                    "which code it is would be known at run time only: call a `@CUDA static def` by name, or a struct's `operator this` \
                     through a type parameter, `F <: {}`",
                    self.semantics.display(ty)
                ),
            );
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
            self.check_node(Node::Expr(self.unboxed(*operand)), code, uses);
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
    fn unboxed(&self, expr: ExprId) -> ExprId {
        let expr = self.strip(expr);
        match self.expr(expr).kind {
            ExprKind::Box { value } => self.unboxed(value),
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
        self.report_with_note(
            &cuda::barrier_outside_thread::RULE,
            self.expr(expr).range,
            "a barrier in the initialiser of shared memory",
            "the threads fill shared memory in a loop with different numbers of iterations: call `Clock.advanceAll()` in their own code",
        );
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
        args.iter().all(|arg| self.check_element(self.expr(*arg).ty, *arg))
    }

    /// Whether thread operations are allowed here: in thread code and functions called by threads.
    fn check_thread_operation(&self, expr: ExprId, method: MethodId, code: CodeKind) -> bool {
        if code != CodeKind::SharedClosure {
            return true;
        }
        let name = self.semantics.method_name(method);
        self.report_with_note(
            &cuda::thread_operation_outside_thread::RULE,
            self.expr(expr).range,
            &format!("`{name}` in the initialiser of shared memory"),
            "which thread fills an element is not decided there: call it in the code of the threads",
        );
        false
    }

    /// Checks a call of a `@CUDA` method.
    fn check_function_call(&self, expr: ExprId, method: MethodId, dispatch: Dispatch) -> bool {
        let range = self.expr(expr).range;
        let name = self.semantics.method_name(method);
        if let ExprKind::Call { type_args, .. } = &self.expr(expr).kind
            && let Some(bad) =
                type_args.iter().find(|ty| self.semantics.category(**ty) != TypeCategory::Plain)
        {
            match self.semantics.category(*bad) {
                TypeCategory::Unknown => self.mark_broken(),
                _ => self.report_with_note(
                    &cuda::generic_call::RULE,
                    range,
                    &format!("`{name}` is called for `{}`, which a device cannot hold", self.semantics.display(*bad)),
                    "a generic function is compiled for each type that it is called for: numbers, `Boolean`, `Char`, and structs of these",
                ),
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
        let name = self.semantics.method_name(method);
        let interface = self.semantics.class_kind(method.class(self.semantics.db)) == ClassKind::Interface;
        if dispatch == Dispatch::Virtual && interface {
            return self.report_with_note(
                &cuda::interface_call::RULE,
                range,
                &format!("a thread cannot call `{name}` through an interface"),
                "which code it is would depend on an object of the host: call a `@CUDA static def`, or take a struct that implements it as a \
                 type parameter, `T <: Interface`",
            );
        }
        if self.semantics.is_array(method.class(self.semantics.db)) {
            return self.report_with_note(
                &cuda::virtual_call::RULE,
                range,
                &format!("a thread cannot call `{name}`, a method of an object"),
                "the array lives on the host: take its elements before the `at`, `val elements = array.raw()`, and compute the index, `row * columns + column`",
            );
        }
        if self.semantics.is_class(method.class(self.semantics.db), "x10.lang.Point") {
            return self.report_with_note(
                &cuda::virtual_call::RULE,
                range,
                &format!("a thread cannot call `{name}`, a method of an object"),
                "a point is an object of the host: name its parts where the loop declares it, `for ([i, j] in ...)`, and use those",
            );
        }
        if dispatch == Dispatch::Virtual {
            return self.report_with_note(
                &cuda::virtual_call::RULE,
                range,
                &format!("a thread cannot call `{name}`, a method of an object"),
                "which code it is depends on the object's class, and the object lives on the host: call a `@CUDA static def` and pass what it needs",
            );
        }
        self.report_with_note(
            &cuda::instance_call::RULE,
            range,
            &format!("a thread cannot call `{name}` on an object"),
            "the object lives on the host: make it a `@CUDA static def` and pass what it needs",
        );
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
        let name = self.semantics.method_name(method);
        let class = method.class(db);
        if self.report_library_call(expr, method, &name) {
            return false;
        }
        if self.semantics.class_kind(class) == ClassKind::Struct
            && self.semantics.category(self.receiver_type(receiver)) == TypeCategory::Plain
        {
            self.report_unannotated(expr, method, &name);
            return true;
        }
        if !self.semantics.is_static(method) {
            if receiver.is_some_and(|it| self.is_reported(it)) {
                return false;
            }
            if let Some(of) = receiver.and_then(|it| self.type_parameter_of(it)) {
                self.report_any_method_call(range, &name, of);
            } else if self.receiver_is_text(receiver) {
                self.report_with_note(
                    &cuda::string_in_kernel::RULE,
                    range,
                    "a thread cannot use a string",
                    "a string is an object of the host: make numbers of it before the `at`",
                );
            } else {
                self.report_object_call(expr, method, dispatch);
            }
            return false;
        }
        self.report_unannotated(expr, method, &name);
        true
    }

    /// Reports `x.equals(y)`, `x.hashCode()` on a value of the type parameter `of`.
    fn report_any_method_call(&self, range: TextRange, name: &str, of: Ty) {
        let of = self.semantics.display(of);
        self.report_with_note(
            &cuda::interface_call::RULE,
            range,
            &format!("a thread cannot call `{name}` of a `{of}`"),
            &format!(
                "what all values have is made for the host: compare with `==`, or call a method that a bound of `{of}` promises and its \
                 structs mark `@CUDA`"
            ),
        );
    }

    /// Reports library calls that have a rule of their own; returns whether this was one.
    fn report_library_call(&self, expr: ExprId, method: MethodId, name: &str) -> bool {
        let range = self.expr(expr).range;
        let class = method.class(self.semantics.db);
        if ["x10.io.Console", "x10.io.Printer", "x10.io.Writer"]
            .iter()
            .any(|full| self.semantics.is_class(class, full))
        {
            self.report_with_note(
                &cuda::print_in_kernel::RULE,
                range,
                "a thread cannot print",
                "the console belongs to the host: write into a `GlobalRail`, copy it back, and print after the `at`",
            );
            return true;
        }
        if self.semantics.is_class(class, "x10.lang.Clock") {
            self.report_with_note(
                &cuda::clock_operation::RULE,
                range,
                &format!("a thread cannot call `{name}`"),
                "the threads of a block have one barrier and no clock object: `Clock.advanceAll()` is all there is",
            );
            return true;
        }
        if self.semantics.is_class(class, "x10.util.CUDAUtilities")
            && method.name(self.semantics.db).starts_with("auto")
        {
            self.report_with_note(
                &cuda::auto_in_thread::RULE,
                range,
                &format!("`{name}` is asked too late"),
                "it decides how the kernel is launched: write `val n = ...` before the outer `finish`, and use `n` here",
            );
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

    fn report_unannotated(&self, expr: ExprId, method: MethodId, name: &str) {
        let violation = self.violation(
            &cuda::unannotated_call::RULE,
            self.expr(expr).range,
            format!("a thread calls `{name}`, which is not made for the device"),
        );
        self.report(if self.semantics.is_user_code(method) {
            violation
                .note(format!("only functions marked `@CUDA` are checked and compiled for the device: annotate `{name}`"))
                .fix(FixTemplate::Annotate(method))
        } else {
            let copies = ["copy", "asyncCopy", "uncountedCopy"].contains(&method.name(self.semantics.db).as_str());
            violation.note(match copies {
                true => "memory is copied by the host: copy before or after the `at`, or let the threads assign the elements",
                false => "the class library has no version of it for the device: compute it before the `at`, or write a `@CUDA static def`",
            })
        });
    }
}
