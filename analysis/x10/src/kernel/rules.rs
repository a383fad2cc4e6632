//! What device code may contain, whether the code of a kernel's threads or of a `@CUDA` function.

use apg_syntax::TextRange;

use super::draft::Draft;
use super::facts::Shape;
use super::promises::Promise;
use super::repair::Repair;
use crate::body::walk::Node;
use crate::body::{AssignTarget, ExprId, ExprKind, Iteration, Literal, LocalId, StmtId, StmtKind};
use crate::diagnostics::{Rule, article, cuda};
use crate::ids::{FieldId, MethodId};
use crate::ty::Ty;

/// What the code of a kernel or function uses of the world around it, in order of first use.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    /// Locals, from inside and outside.
    pub locals: Vec<LocalId>,
    /// Static fields.
    pub statics: Vec<FieldId>,
    /// Functions called, with the call.
    pub calls: Vec<(MethodId, ExprId)>,
    /// Calls of `Clock.advanceAll()`.
    pub barriers: Vec<ExprId>,
    /// Locals that are rails whose elements are set.
    pub written: Vec<LocalId>,
    /// Locals that are rails and given to functions.
    pub passed: Vec<Passed>,
    /// What is called that type parameters promise.
    pub promises: Vec<Promise>,
    /// It asks for the number of a thread.
    pub numbers: bool,
}

/// A rail given to a function.
#[derive(Debug)]
pub(crate) struct Passed {
    /// The function.
    pub method: MethodId,
    /// Which of its formals.
    pub formal: usize,
    /// The rail.
    pub local: LocalId,
    /// The argument.
    pub site: ExprId,
}

/// Whose code is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// The threads of a kernel.
    Thread,
    /// A closure that fills shared memory.
    SharedClosure,
    /// A `@CUDA` function; of a struct, if it may use `this`.
    Function { this: bool },
}

impl Draft<'_> {
    /// Reports everything in `root` that a device cannot do, and collects what it uses.
    pub fn device_code(&self, root: StmtId, code: Code, uses: &mut Uses) {
        self.device_node(Node::Stmt(root), code, uses);
    }

    pub(super) fn device_node(&self, node: Node, code: Code, uses: &mut Uses) {
        let below = match node {
            Node::Stmt(stmt) => self.device_stmt(stmt, code, uses),
            Node::Expr(expr) => self.device_expr(expr, code, uses),
        };
        if below {
            for child in self.body.children(node) {
                self.device_node(child, code, uses);
            }
        }
    }

    /// Looks at one statement; gives whether to go on below it.
    fn device_stmt(&self, stmt: StmtId, code: Code, uses: &mut Uses) -> bool {
        let range = self.stmt(stmt).range;
        match &self.stmt(stmt).kind {
            StmtKind::Error => self.mark_broken(),
            StmtKind::Async { body, .. } => self.refuse(&cuda::async_in_kernel::RULE, self.keyword(range, *body), "a thread cannot start activities",
                "all threads of a kernel are started with it: give the kernel more threads, or start the activity after the `at`"),
            StmtKind::Finish { body, .. } => self.refuse(&cuda::finish_in_kernel::RULE, self.keyword(range, *body), "a thread cannot wait for activities",
                "a thread starts none. To wait for the other threads of the block, use `Clock.advanceAll()`"),
            StmtKind::At { body, .. } => {
                if self.annotation(stmt, "CUDA").is_some() {
                    self.refuse(&cuda::nested_kernel::RULE, range, "a kernel within a kernel",
                        "a device does not launch kernels itself: launch the second one after the first, from the host");
                } else {
                    self.refuse(&cuda::at_in_kernel::RULE, self.keyword(range, *body), "a thread cannot go to another place",
                        "a thread runs on its device to its end: leave the result in a `GlobalRail` and go on after the `at`");
                }
            }
            StmtKind::AtEach { .. } => self.refuse(&cuda::ateach_in_kernel::RULE, range, "a thread cannot start activities at other places",
                "write the `ateach` around the `at` that launches the kernel"),
            StmtKind::Atomic(body) => self.refuse(&cuda::atomic_in_kernel::RULE, self.keyword(range, *body), "a thread cannot lock its place",
                "update one element with `CUDAAtomic.add(rail, index, value)` and its like, or let each thread write elements \
                 of its own and combine them after a `Clock.advanceAll()`"),
            StmtKind::When(_) => self.refuse(&cuda::when_in_kernel::RULE, range, "a thread cannot wait for a condition",
                "threads of a block wait for each other with `Clock.advanceAll()`; other waiting belongs after the `at`"),
            StmtKind::Throw(_) => self.refuse(&cuda::throw_in_kernel::RULE, range, "a thread cannot throw",
                "a device has no exceptions: write an error number into a `GlobalRail` and throw on the host"),
            StmtKind::Try { .. } => self.refuse(&cuda::try_in_kernel::RULE, range, "a thread cannot catch exceptions",
                "a device has no exceptions, so none can arrive: write the code without `try`"),
            StmtKind::Assert { .. } => self.refuse(&cuda::assert_in_kernel::RULE, range, "a thread cannot assert",
                "a failed assertion is an exception, which a device does not have: check on the host, or write an error number into a `GlobalRail`"),
            StmtKind::Let { local, init: Some(init) } if self.annotation(stmt, "StackAllocate").is_some() => {
                uses.locals.push(*local);
                return self.stack_allocated(*init, code, uses);
            }
            StmtKind::ForIn { iterable, iteration, body, .. } => {
                self.device_loop(*iterable, iteration, code, uses);
                self.device_node(Node::Stmt(*body), code, uses);
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

    /// What `for (x in e)` iterates over: the ends of a written range, a rail, or something to refuse.
    fn device_loop(&self, iterable: ExprId, iteration: &Iteration, code: Code, uses: &mut Uses) {
        if let Iteration::Iterable { .. } = iteration {
            let shown = self.facts.show(self.expr(iterable).ty);
            return self.refuse(&cuda::iterator_in_kernel::RULE, self.expr(iterable).range,
                &format!("a thread cannot iterate over a value of type `{shown}`"),
                "that needs an iterator, which is an object: iterate over a range, as in `for (i in 0..(n - 1))`, or over a rail");
        }
        let iterable = self.strip(iterable);
        if let ExprKind::Call { receiver, args, method, .. } = &self.expr(iterable).kind
            && method.name(self.facts.db).ends_with("..")
        {
            for end in receiver.iter().chain(args) {
                self.device_node(Node::Expr(*end), code, uses);
            }
            return;
        }
        self.device_node(Node::Expr(iterable), code, uses);
    }

    /// Looks at one expression; gives whether to go on below it.
    fn device_expr(&self, expr: ExprId, code: Code, uses: &mut Uses) -> bool {
        let node = self.expr(expr);
        match &node.kind {
            ExprKind::Error => self.mark_broken(),
            ExprKind::Local(local) => uses.locals.push(*local),
            ExprKind::Assign { target: AssignTarget::Local(local), .. } => {
                uses.locals.push(*local);
                return true;
            }
            ExprKind::This if code == (Code::Function { this: true }) => {}
            ExprKind::This | ExprKind::Outer(_) => self.captured_this(expr),
            ExprKind::Field { object, field } => {
                return self.device_field(expr, *object, *field, code, false);
            }
            ExprKind::Assign { target: AssignTarget::Field { object, field }, value } => {
                self.device_field(expr, *object, *field, code, true);
                self.device_node(Node::Expr(*value), code, uses);
            }
            ExprKind::StaticField(field) => self.device_static(expr, *field, uses),
            ExprKind::Call { .. } => return self.device_call(expr, code, uses),
            ExprKind::ClosureCall { .. } => return self.function_call(expr, code, uses),
            ExprKind::New { .. } => return self.device_new(expr, uses),
            ExprKind::Let { .. } | ExprKind::Conditional { .. } | ExprKind::ShortCircuit { .. } => {
                return true;
            }
            ExprKind::Coerce { .. } => return true,
            ExprKind::Equal { left, right, .. } => return self.device_equal(expr, *left, *right),
            ExprKind::Literal(Literal::String(_)) | ExprKind::Concat { .. } => self.text(node.range),
            _ => return self.refused_expr(expr),
        }
        false
    }

    /// Expressions that no device code may contain; gives whether to go on below.
    fn refused_expr(&self, expr: ExprId) -> bool {
        let node = self.expr(expr);
        let range = node.range;
        match &node.kind {
            ExprKind::Here => self.refuse(&cuda::here_in_kernel::RULE, range, "a thread cannot ask where it is",
                "the kernel runs at the place of its `at`: use that place's variable before the `at`, and copy what depends on it into a `val`"),
            ExprKind::Closure(_) => self.refuse(&cuda::closure_in_kernel::RULE, range, "a thread cannot make a function value",
                "a closure is an object: write the code itself, or make it a `@CUDA static def`"),
            ExprKind::RailLiteral { .. } => self.refuse(&cuda::rail_literal::RULE, range, "a thread cannot allocate a rail",
                "a device has no heap: make the rail before the `at`, or use `@StackAllocate val r = new Rail[T](16)` of fixed size"),
            // A box that was refused is no second mistake.
            ExprKind::InstanceOf { value: of, .. } | ExprKind::Unbox { value: of } | ExprKind::Cast { value: of, .. }
                if self.is_refused_already(*of) => {}
            ExprKind::InstanceOf { .. } => self.refuse(&cuda::instanceof_in_kernel::RULE, range, "a thread cannot test a value's class",
                "values on a device carry no class: decide it before the `at` and pass a number or `Boolean`"),
            ExprKind::Box { value } => {
                if self.facts.shape(self.expr(*value).ty) == Shape::Text {
                    self.text(range);
                } else {
                    let shown = self.facts.show(node.ty);
                    self.refuse(&cuda::boxing::RULE, range, &format!("a thread cannot make an object of type `{shown}` from a value"),
                        "a device has no heap: keep the value in a variable of its own type");
                }
            }
            ExprKind::Unbox { .. } | ExprKind::Cast { .. } => return self.device_cast(expr),
            ExprKind::At { .. } => self.refuse(&cuda::at_in_kernel::RULE, range, "a thread cannot go to another place",
                "evaluate this before the `at` that launches the kernel, into a `val`"),
            _ => return true,
        }
        false
    }

    fn device_cast(&self, expr: ExprId) -> bool {
        let node = self.expr(expr);
        match (&node.kind, self.facts.shape(node.ty)) {
            (ExprKind::Cast { checked: false, .. }, Shape::Plain) => true,
            (_, Shape::Unknown) => {
                self.mark_broken();
                false
            }
            (ExprKind::Cast { .. }, Shape::Plain) => {
                self.refuse(&cuda::checked_cast::RULE, node.range, "a thread cannot check a constraint",
                    "a failed check is an exception, which a device does not have: cast to the type without its constraint, or check before the `at`");
                false
            }
            _ => {
                let shown = self.facts.show(node.ty);
                self.refuse(
                    &cuda::reference_cast::RULE,
                    node.range,
                    &format!("a thread cannot cast to `{shown}`"),
                    "values on a device carry no class: cast before the `at`",
                );
                false
            }
        }
    }

    fn device_equal(&self, expr: ExprId, left: ExprId, right: ExprId) -> bool {
        let unfit = [left, right]
            .into_iter()
            .map(|side| self.facts.shape(self.expr(side).ty))
            .find(|shape| !matches!(shape, Shape::Plain | Shape::Unknown | Shape::Text));
        // That a struct is no `null` has been said.
        let (a, b) = (self.expr(left).ty, self.expr(right).ty);
        let struct_and_null = |a: Ty, b: Ty| a.is_null(self.facts.db) && b.is_struct(self.facts.db);
        if struct_and_null(a, b) || struct_and_null(b, a) {
            return false;
        }
        if unfit.is_some() {
            self.refuse(&cuda::reference_comparison::RULE, self.expr(expr).range, "a thread cannot compare references",
                "an object or rail of the host has no identity on a device: compare before the `at` and pass the result");
        }
        unfit.is_none()
    }

    fn device_field(&self, expr: ExprId, object: ExprId, field: FieldId, code: Code, writes: bool) -> bool {
        let inner = self.strip(object);
        // `o.f++` reads and writes: one mistake.
        if !writes && self.facts.shape(self.expr(inner).ty) != Shape::Plain && self.is_updated(expr, field) {
            return false;
        }
        if matches!(self.expr(inner).kind, ExprKind::This | ExprKind::Outer(_))
            && code != (Code::Function { this: true })
        {
            self.captured_field(expr, field);
            return false;
        }
        let name = field.name(self.facts.db).as_str();
        match self.facts.shape(self.expr(inner).ty) {
            Shape::Plain => true,
            Shape::Rail(_) | Shape::GlobalRail(_) | Shape::ConstantRail(_) if name == "size" => true,
            Shape::Unknown => {
                self.mark_broken();
                false
            }
            _ if self.is_refused_already(inner) => false,
            _ => {
                let shown = self.facts.show(self.expr(inner).ty);
                let does = if writes { "write" } else { "read" };
                let mut violation = self
                    .violation(
                        &cuda::object_field::RULE,
                        self.expr(expr).range,
                        format!("a thread cannot {does} the field `{name}` of {}", article(&shown)),
                    )
                    .note(match writes {
                        true => "the object lives on the host: write an element of a `GlobalRail`, and set the field from it after the kernel",
                        false if self.is_function() => "the object lives on the host: take the field's value as a parameter",
                        false => "the object lives on the host: read the field into a `val` before the `at`",
                    });
                if !writes && self.can_travel(self.expr(expr).ty) && self.is_settled(expr) {
                    violation = violation.repair(self.hoisted(self.expr(expr).range, name));
                }
                self.report(violation);
                false
            }
        }
    }

    /// Moves what is refused before the `at`; of a function it is not known where that stands.
    fn hoisted(&self, range: TextRange, name: &str) -> Option<Repair> {
        (!self.is_function()).then(|| self.hoist(range, name))
    }

    /// Whether it is the code of a `@CUDA` function that is looked at, not a kernel.
    fn is_function(&self) -> bool {
        !matches!(self.stmt(self.at).kind, StmtKind::At { .. })
    }

    /// Whether the field that an expression reads is assigned around it.
    fn is_updated(&self, read: ExprId, field: FieldId) -> bool {
        let range = self.expr(read).range;
        self.body.exprs.iter().any(|it| match it.kind {
            ExprKind::Assign { target: AssignTarget::Field { field: written, .. }, .. } => {
                written == field && it.range.start() == range.start() && it.range.contains_range(range)
            }
            _ => false,
        })
    }

    fn device_static(&self, expr: ExprId, field: FieldId, uses: &mut Uses) {
        let node = self.expr(expr);
        match self.facts.shape(node.ty) {
            Shape::Plain if !self.facts.is_mutable_field(field) => uses.statics.push(field),
            Shape::Unknown => self.mark_broken(),
            // Its declaration is an error already.
            _ if self.facts.is_mutable_field(field) => self.mark_broken(),
            _ => {
                let name = field.name(self.facts.db);
                let violation = self
                    .violation(&cuda::static_field::RULE, node.range, format!("a thread cannot use the static field `{name}`"))
                    .note("only static `val`s of number types and plain structs have a copy on the device: copy the field into a `val` before the `at`")
                    .repair(self.hoisted(node.range, &format!("the_{name}")));
                self.report(violation);
            }
        }
    }

    /// `new` in device code, and a struct's `S(...)`.
    fn device_new(&self, expr: ExprId, uses: &mut Uses) -> bool {
        let node = self.expr(expr);
        let ExprKind::New { constructor, .. } = &node.kind else { return true };
        match self.facts.shape(node.ty) {
            Shape::Plain => {
                uses.calls.push((*constructor, expr));
                true
            }
            Shape::Unknown => {
                self.mark_broken();
                false
            }
            _ => {
                let shown = self.facts.show(node.ty);
                if let Some(reference) = self.facts.reference_in(node.ty) {
                    let message =
                        format!("a thread cannot have the struct `{shown}`, which refers to an object");
                    self.report(
                        self.violation(&cuda::allocation::RULE, node.range, message)
                            .note("a device has no heap, and knows nothing of the objects of the host")
                            .note(reference),
                    );
                    return false;
                }
                let violation = self
                    .violation(&cuda::allocation::RULE, node.range, format!("a thread cannot make a new `{shown}`"))
                    .note(match self.facts.shape(node.ty) {
                        Shape::ConstantRail(_) => "constant memory belongs to all blocks: define it before the loop over them, at the start of the `at`",
                        _ => "a device has no heap: make it before the `at`. For a small rail of fixed size write `@StackAllocate val r = new Rail[T](16)`",
                    });
                let is_rail =
                    self.new_rail(expr).is_some() && matches!(self.stmt(self.at).kind, StmtKind::At { .. });
                // Threads that wait for each other have something to share: what is meant is not known.
                self.report(match is_rail && self.has_barrier(self.at) {
                    true => violation.note(
                        "memory that all threads of a block share is made before them, in the `async` of the blocks",
                    ),
                    false => violation.repair(self.onto_the_stack(expr)),
                });
                false
            }
        }
    }

    /// `@StackAllocate` for a `val` that holds a small rail of fixed size.
    fn onto_the_stack(&self, expr: ExprId) -> Option<Repair> {
        const LARGEST: i64 = 64;
        let (args, element) = self.new_rail(expr)?;
        let fits = (0..=LARGEST).contains(&self.constant(*args.first()?)?);
        let Some(Node::Stmt(stmt)) = self.parents.parent(Node::Expr(expr)) else { return None };
        let StmtKind::Let { local, .. } = self.stmt(stmt).kind else { return None };
        let alone = !self.shares_its_declaration(stmt) && !self.local(local).mutable;
        (fits && alone && self.facts.shape(element) == Shape::Plain).then(|| {
            Repair::insert("Keep it on the thread's stack", self.stmt(stmt).range.start(), "@StackAllocate ")
                .importing("StackAllocate")
        })
    }

    /// `@StackAllocate val r = new Rail[T](n)`.
    fn stack_allocated(&self, init: ExprId, code: Code, uses: &mut Uses) -> bool {
        let init = self.strip(init);
        let Some((args, element)) = self.new_rail(init) else { return true };
        let (length, rest) = match args {
            [length, rest @ ..] if self.facts.shape(self.expr(*length).ty) == Shape::Plain => (*length, rest),
            _ => {
                self.stack_size(self.expr(init).range);
                return false;
            }
        };
        if self.check_element(element, init) && self.constant(length).is_none_or(|length| length < 0) {
            self.stack_size(self.expr(length).range);
        }
        for value in rest {
            self.device_node(Node::Expr(*value), code, uses);
        }
        false
    }

    fn stack_size(&self, range: TextRange) {
        self.refuse(
            &cuda::stack_size::RULE,
            range,
            "the size of a rail on a thread's stack is not known when the program is compiled",
            "write a literal, or a `val` of literals: `@StackAllocate val r = new Rail[Float](16)`",
        );
    }

    fn text(&self, range: TextRange) {
        self.refuse(&cuda::string_in_kernel::RULE, range, "a thread cannot use a string",
            "a string is an object of the host: write numbers into a `GlobalRail`, and make text of them after the `at`");
    }

    /// A violation with its reason, without a fix.
    pub fn refuse(&self, rule: &'static Rule, range: TextRange, message: &str, note: &str) {
        self.report(self.violation(rule, range, message).note(note));
    }

    /// From the start of a statement to its body.
    fn keyword(&self, range: TextRange, body: StmtId) -> TextRange {
        let body = self.stmt(body).range;
        if body.start() > range.start() { TextRange::new(range.start(), body.start()) } else { range }
    }
}
