//! Calls in device code: what may be called, and what to do about the rest.

use apg_syntax::TextRange;

use super::draft::Draft;
use super::facts::{Callable, Shape};
use super::promises::{Promise, Promised};
use super::repair::Repair;
use super::rules::{Code, Passed, Uses};
use crate::body::walk::Node;
use crate::body::{Dispatch, ExprId, ExprKind, LocalId};
use crate::diagnostics::cuda;
use crate::ids::MethodId;
use crate::item_tree::ClassKind;
use crate::ty::Ty;

impl Draft<'_> {
    /// Looks at a call; gives whether to go on to its operands.
    pub(super) fn device_call(&self, expr: ExprId, code: Code, uses: &mut Uses) -> bool {
        let ExprKind::Call { method, dispatch, receiver, args, .. } = &self.expr(expr).kind else {
            return true;
        };
        if let Some(of) = receiver.and_then(|it| self.promising(*method, it)) {
            let what = Promised::Method(*method);
            self.promised_call(of, what, expr, (receiver.iter(), args), code, uses);
            return false;
        }
        match self.facts.callable(*method) {
            Callable::Barrier => {
                self.barrier_call(expr, code, uses);
                false
            }
            Callable::Together => self.together_call(expr, *method, args, code, uses),
            Callable::ThreadNumber => {
                uses.numbers |= self.thread_operation(expr, *method, code);
                false
            }
            Callable::Builtin => {
                let writes = method.name(self.facts.db) == "operator()=";
                if let (true, Some(receiver)) = (writes, receiver) {
                    self.written_rail(*receiver, expr, uses);
                }
                if self.facts.is_atomic(*method)
                    && let Some(rail) = args.first()
                {
                    self.written_rail(*rail, expr, uses);
                }
                true
            }
            Callable::Function => {
                let callable = self.device_function_call(expr, *method, *dispatch);
                if callable {
                    uses.calls.push((*method, expr));
                    self.passed_rails(*method, args, uses);
                }
                callable
            }
            Callable::No => self.refused_call(expr, *method, *dispatch, *receiver),
        }
    }

    /// The type parameter whose bound promises the method that is called: which code it is is known when that of the kernel is made.
    fn promising(&self, method: MethodId, receiver: ExprId) -> Option<Ty> {
        let ty = self.parameter(receiver)?;
        let in_interface = self.facts.class_kind(method.class(self.facts.db)) == ClassKind::Interface;
        // What all values have an object of the host has, too.
        let of_all = || self.facts.is_class(method.class(self.facts.db), "x10.lang.Any");
        (in_interface && !of_all()).then_some(ty)
    }

    /// The type parameter whose values an expression has.
    fn parameter(&self, expr: ExprId) -> Option<Ty> {
        let ty = self.expr(self.unboxed(expr)).ty.base(self.facts.db);
        ty.as_param(self.facts.db).map(|_| ty)
    }

    /// `f(args)`; gives whether to go on to its operands.
    pub(super) fn function_call(&self, expr: ExprId, code: Code, uses: &mut Uses) -> bool {
        let ExprKind::ClosureCall { closure, args } = &self.expr(expr).kind else { return true };
        let ty = self.expr(self.unboxed(*closure)).ty.base(self.facts.db);
        if ty.as_param(self.facts.db).is_some() {
            self.promised_call(ty, Promised::Function, expr, (Some(closure).into_iter(), args), code, uses);
        } else if !self.is_refused_already(*closure) {
            self.refuse(
                &cuda::closure_call::RULE,
                self.expr(expr).range,
                "a thread cannot call a function value",
                &format!(
                    "which code it is would be known at run time only: call a `@CUDA static def` by name, or a struct's `operator this` \
                     through a type parameter, `F <: {}`",
                    self.facts.show(ty)
                ),
            );
        }
        false
    }

    /// A call of what a type parameter promises.
    fn promised_call<'e>(
        &self,
        of: Ty,
        what: Promised,
        expr: ExprId,
        (receiver, args): (impl Iterator<Item = &'e ExprId>, &'e [ExprId]),
        code: Code,
        uses: &mut Uses,
    ) {
        for operand in receiver.chain(args) {
            self.device_node(Node::Expr(self.unboxed(*operand)), code, uses);
        }
        let (class_args, type_args) = match &self.expr(expr).kind {
            ExprKind::Call { class_args, type_args, .. } => (class_args.clone(), type_args.clone()),
            // The value is boxed as the function that the bound says it is.
            ExprKind::ClosureCall { closure, .. } => {
                (vec![self.expr(*closure).ty.base(self.facts.db)], Vec::new())
            }
            _ => Default::default(),
        };
        // Of a function it is not known whose rails it is given.
        let foreign = |rail: &LocalId| matches!(code, Code::Function { .. }) || !self.inner.contains(rail);
        let is_foreign = |arg: &ExprId| {
            matches!(self.facts.shape(self.expr(*arg).ty), Shape::Rail(_))
                && self.named_rails(*arg).iter().any(foreign)
        };
        let kept = (0..args.len()).filter(|index| is_foreign(&args[*index])).collect();
        uses.promises.push(Promise { of, what, class_args, type_args, kept });
    }

    /// A value without the box that calling through an interface would need.
    fn unboxed(&self, expr: ExprId) -> ExprId {
        let expr = self.strip(expr);
        match self.expr(expr).kind {
            ExprKind::Box { value } => self.unboxed(value),
            _ => expr,
        }
    }

    /// Notes the rails that a function is given.
    fn passed_rails(&self, method: MethodId, args: &[ExprId], uses: &mut Uses) {
        for (formal, site) in args.iter().copied().enumerate() {
            if matches!(self.facts.shape(self.expr(site).ty), Shape::Rail(_)) {
                let named = self.named_rails(site).into_iter();
                uses.passed.extend(named.map(|local| Passed { method, formal, local, site }));
            }
        }
    }

    fn barrier_call(&self, expr: ExprId, code: Code, uses: &mut Uses) {
        if code != Code::SharedClosure {
            return uses.barriers.push(expr);
        }
        self.refuse(
            &cuda::barrier_outside_thread::RULE,
            self.expr(expr).range,
            "a barrier in the initialiser of shared memory",
            "the threads fill shared memory in turns of which some have one more than others: call `Clock.advanceAll()` in their own code",
        );
    }

    /// Whether an expression is what the threads of a warp do together.
    pub(super) fn is_of_warp(&self, expr: ExprId) -> bool {
        matches!(&self.expr(expr).kind, ExprKind::Call { method, .. } if self.facts.is_of_warp(*method))
    }

    /// What the threads of a warp or block do together: a barrier with values.
    fn together_call(
        &self,
        expr: ExprId,
        method: MethodId,
        args: &[ExprId],
        code: Code,
        uses: &mut Uses,
    ) -> bool {
        if !self.thread_operation(expr, method, code) {
            return false;
        }
        uses.barriers.push(expr);
        args.iter().all(|arg| self.check_element(self.expr(*arg).ty, *arg))
    }

    /// Whether this is code of the threads themselves or of a function that they call, which alone know who they are.
    fn thread_operation(&self, expr: ExprId, method: MethodId, code: Code) -> bool {
        if code != Code::SharedClosure {
            return true;
        }
        let name = self.facts.method_name(method);
        self.refuse(
            &cuda::thread_operation_outside_thread::RULE,
            self.expr(expr).range,
            &format!("`{name}` in the initialiser of shared memory"),
            "which thread fills an element is not decided there: call it in the code of the threads",
        );
        false
    }

    /// Whether a `@CUDA` method can be called here.
    fn device_function_call(&self, expr: ExprId, method: MethodId, dispatch: Dispatch) -> bool {
        let range = self.expr(expr).range;
        let name = self.facts.method_name(method);
        if let ExprKind::Call { type_args, .. } = &self.expr(expr).kind
            && let Some(bad) = type_args.iter().find(|ty| self.facts.shape(**ty) != Shape::Plain)
        {
            match self.facts.shape(*bad) {
                Shape::Unknown => self.mark_broken(),
                _ => self.refuse(
                    &cuda::generic_call::RULE,
                    range,
                    &format!("`{name}` is called for `{}`, which a device cannot hold", self.facts.show(*bad)),
                    "a generic function is compiled for each type that it is called for: numbers, `Boolean`, `Char`, and structs of these",
                ),
            }
            return false;
        }
        if self.facts.is_static(method)
            || self.facts.class_kind(method.class(self.facts.db)) == ClassKind::Struct
        {
            return true;
        }
        self.object_call(expr, method, dispatch);
        false
    }

    /// A call of a method of an object.
    fn object_call(&self, expr: ExprId, method: MethodId, dispatch: Dispatch) {
        let range = self.expr(expr).range;
        let name = self.facts.method_name(method);
        let interface = self.facts.class_kind(method.class(self.facts.db)) == ClassKind::Interface;
        if dispatch == Dispatch::Virtual && interface {
            return self.refuse(
                &cuda::interface_call::RULE,
                range,
                &format!("a thread cannot call `{name}` through an interface"),
                "which code it is would depend on an object of the host: call a `@CUDA static def`, or take a struct that implements it as a \
                 type parameter, `T <: Interface`",
            );
        }
        if self.facts.is_array(method.class(self.facts.db)) {
            return self.refuse(
                &cuda::virtual_call::RULE,
                range,
                &format!("a thread cannot call `{name}`, a method of an object"),
                "the array lives on the host: take its elements before the `at`, `val elements = array.raw()`, and compute the index, `row * columns + column`",
            );
        }
        if self.facts.is_class(method.class(self.facts.db), "x10.lang.Point") {
            return self.refuse(
                &cuda::virtual_call::RULE,
                range,
                &format!("a thread cannot call `{name}`, a method of an object"),
                "a point is an object of the host: name its parts where the loop declares it, `for ([i, j] in ...)`, and use those",
            );
        }
        if dispatch == Dispatch::Virtual {
            return self.refuse(
                &cuda::virtual_call::RULE,
                range,
                &format!("a thread cannot call `{name}`, a method of an object"),
                "which code it is depends on the object's class, and the object lives on the host: call a `@CUDA static def` and pass what it needs",
            );
        }
        self.refuse(
            &cuda::instance_call::RULE,
            range,
            &format!("a thread cannot call `{name}` on an object"),
            "the object lives on the host: make it a `@CUDA static def` and pass what it needs",
        );
    }

    fn refused_call(
        &self,
        expr: ExprId,
        method: MethodId,
        dispatch: Dispatch,
        receiver: Option<ExprId>,
    ) -> bool {
        let db = self.facts.db;
        let range = self.expr(expr).range;
        let name = self.facts.method_name(method);
        let class = method.class(db);
        if self.refused_library_call(expr, method, &name) {
            return false;
        }
        if self.facts.class_kind(class) == ClassKind::Struct
            && self.facts.shape(self.receiver_type(receiver)) == Shape::Plain
        {
            self.unannotated(expr, method, &name);
            return true;
        }
        if !self.facts.is_static(method) {
            if receiver.is_some_and(|it| self.is_refused_already(it)) {
                return false;
            }
            if let Some(of) = receiver.and_then(|it| self.parameter(it)) {
                self.call_of_any(range, &name, of);
            } else if self.receiver_is_text(receiver) {
                self.refuse(
                    &cuda::string_in_kernel::RULE,
                    range,
                    "a thread cannot use a string",
                    "a string is an object of the host: make numbers of it before the `at`",
                );
            } else {
                self.object_call(expr, method, dispatch);
            }
            return false;
        }
        self.unannotated(expr, method, &name);
        true
    }

    /// `x.equals(y)`, `x.hashCode()` for a value of the type parameter `of`.
    fn call_of_any(&self, range: TextRange, name: &str, of: Ty) {
        let of = self.facts.show(of);
        self.refuse(
            &cuda::interface_call::RULE,
            range,
            &format!("a thread cannot call `{name}` of a `{of}`"),
            &format!(
                "what all values have is made for the host: compare with `==`, or call a method that a bound of `{of}` promises and its \
                 structs mark `@CUDA`"
            ),
        );
    }

    /// Calls of the library that have a rule of their own; gives whether it is one.
    fn refused_library_call(&self, expr: ExprId, method: MethodId, name: &str) -> bool {
        let range = self.expr(expr).range;
        let class = method.class(self.facts.db);
        if ["x10.io.Console", "x10.io.Printer", "x10.io.Writer"]
            .iter()
            .any(|full| self.facts.is_class(class, full))
        {
            self.refuse(
                &cuda::print_in_kernel::RULE,
                range,
                "a thread cannot print",
                "the console belongs to the host: write into a `GlobalRail`, copy it back, and print after the `at`",
            );
            return true;
        }
        if self.facts.is_class(class, "x10.lang.Clock") {
            self.refuse(
                &cuda::clock_operation::RULE,
                range,
                &format!("a thread cannot call `{name}`"),
                "the threads of a block have one barrier and no clock object: `Clock.advanceAll()` is all there is",
            );
            return true;
        }
        if self.facts.is_class(class, "x10.util.CUDAUtilities")
            && method.name(self.facts.db).starts_with("auto")
        {
            self.refuse(
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
        receiver.map_or_else(|| Ty::void(self.facts.db), |receiver| self.expr(receiver).ty)
    }

    fn receiver_is_text(&self, receiver: Option<ExprId>) -> bool {
        self.facts.shape(self.receiver_type(receiver)) == Shape::Text
    }

    fn unannotated(&self, expr: ExprId, method: MethodId, name: &str) {
        let violation = self.violation(
            &cuda::unannotated_call::RULE,
            self.expr(expr).range,
            format!("a thread calls `{name}`, which is not made for the device"),
        );
        self.report(if self.facts.is_users(method) {
            violation
                .note(format!("only functions marked `@CUDA` are checked and compiled for the device: annotate `{name}`"))
                .repair(Repair::Annotate(method))
        } else {
            let copies = ["copy", "asyncCopy", "uncountedCopy"].contains(&method.name(self.facts.db).as_str());
            violation.note(match copies {
                true => "memory is copied by the host: copy before or after the `at`, or let the threads assign the elements",
                false => "the class library has no version of it for the device: compute it before the `at`, or write a `@CUDA static def`",
            })
        });
    }
}
