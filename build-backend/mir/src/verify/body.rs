//! Rules of statements in functions and kernels.

use rustc_hash::{FxHashMap, FxHashSet};

use super::flow::check_flow;
use super::goto_regions::find_synchronised_gotos;
use super::{Rule, Verifier, is_compatible};
use crate::*;

/// The state of a walk over the code of one function or kernel, in the order of evaluation.
pub(super) struct Body<'v, 'p> {
    pub verifier: &'v mut Verifier<'p>,
    pub item: &'p str,
    pub locals: &'p [Local],
    /// Variables in memory.
    pub variables: &'p [Local],
    pub stack_objects: &'p [ClassId],
    result: Ty,
    /// Threads of a kernel run the code.
    pub is_device: bool,
    is_kernel: bool,
    /// Locals that are assigned in front of the code.
    assigned: Vec<bool>,
    /// Whether a read of an unassigned local is a violation: inside of the code, control flow decides.
    checks_reads: bool,
    /// Labels of enclosing statements, and whether they are loops.
    labels: Vec<(LabelId, bool)>,
    defined_labels: FxHashSet<LabelId>,
    /// The innermost code with exceptions or activities around it, by number, and the next number.
    scope: u32,
    next_scope: u32,
    /// Jumps and their targets, with the scopes that they are in.
    gotos: Vec<(LabelId, u32, Span)>,
    targets: FxHashMap<LabelId, u32>,
    stmts: FxHashSet<StmtId>,
    exprs: FxHashSet<ExprId>,
    /// The current source.
    pub span: Span,
}

impl<'p> Verifier<'p> {
    pub(super) fn check_bodies(&mut self) {
        let program = self.program;
        for function in &program.functions {
            self.check_function_body(function);
        }
        for kernel in &program.kernels {
            self.check_kernel(kernel);
        }
    }

    fn check_function_body(&mut self, function: &'p Function) {
        let is_device = function.device || function.kernel_only;
        let mut body = self.body(&function.name, &function.locals, function.span, is_device);
        body.stack_objects = &function.stack_objects;
        body.variables = &function.variables;
        body.result = function.result;
        let params = function.params as usize;
        if params > function.locals.len() {
            body.report(Rule::OperandCount, format!("there are fewer locals than {params} parameters"));
            return;
        }
        body.assigned[..params].fill(true);
        for class in &function.stack_objects {
            body.class(*class);
        }
        body.check_ty(function.result);
        body.check_locals();
        body.code(&function.body);
    }

    fn check_kernel(&mut self, kernel: &'p Kernel) {
        let mut body = self.body(&kernel.name, &kernel.locals, kernel.span, true);
        body.variables = &kernel.variables;
        body.check_locals();
        let captured = kernel.captures.len().min(kernel.locals.len());
        body.assigned[..captured].fill(true);
        for local in kernel.auto_blocks.iter().chain(&kernel.auto_threads) {
            body.assign(*local);
        }
        let LaunchConfiguration { blocks, threads, shared_lengths } = &kernel.host;
        for (extents, locals, what) in [
            (blocks, kernel.block_locals.len(), "block extents"),
            (threads, kernel.thread_locals.len(), "thread extents"),
            (shared_lengths, kernel.shared.len(), "lengths of shared memory"),
        ] {
            if extents.len() != locals {
                body.report(Rule::OperandCount, format!("{} {what} instead of {locals}", extents.len()));
            }
            for extent in extents {
                body.integer(extent);
            }
        }
        for capture in &kernel.captures {
            if let Some(value) = &capture.derived_from {
                body.expr(value);
            }
            body.captured_global(capture);
            if capture.static_field.is_some_and(|it| it.index() >= body.program().statics.len()) {
                body.report(
                    Rule::KnownItem,
                    format!("the static field of `{}` does not exist", capture.name),
                );
            }
        }
        for local in kernel.block_locals.iter().chain(&kernel.thread_locals) {
            body.assign(*local);
        }
        for shared in &kernel.shared {
            body.check_shared(shared);
        }
        body.is_kernel = true;
        body.code(&kernel.body);
    }

    fn body<'v>(
        &'v mut self,
        item: &'p str,
        locals: &'p [Local],
        span: Span,
        is_device: bool,
    ) -> Body<'v, 'p> {
        Body {
            verifier: self,
            item,
            locals,
            variables: &[],
            stack_objects: &[],
            result: Ty::Void,
            is_device,
            assigned: vec![false; locals.len()],
            checks_reads: true,
            is_kernel: false,
            scope: 0,
            next_scope: 1,
            gotos: Vec::new(),
            targets: FxHashMap::default(),
            labels: Vec::new(),
            defined_labels: FxHashSet::default(),
            stmts: FxHashSet::default(),
            exprs: FxHashSet::default(),
            span,
        }
    }
}

impl<'p> Body<'_, 'p> {
    pub(super) fn program(&self) -> &'p Program {
        self.verifier.program
    }

    pub(super) fn report(&mut self, rule: Rule, message: String) {
        self.verifier.report(rule, self.item, Some(self.span), message);
    }

    fn check_ty(&mut self, ty: Ty) {
        self.verifier.check_ty(self.item, ty);
        self.verifier.check_value_type(self.item, ty);
    }

    /// Checks the statements of the function or kernel, and the paths through them.
    fn code(&mut self, stmts: &'p [Stmt]) {
        let assigned = self.assigned.clone();
        self.checks_reads = false;
        self.stmts(stmts);
        for (label, scope, span) in std::mem::take(&mut self.gotos) {
            let (rule, what) = match self.targets.get(&label) {
                None => (Rule::KnownLabel, "has no target"),
                Some(target) if *target != scope => {
                    (Rule::GotoScope, "enters or leaves code with exceptions or activities around it")
                }
                Some(_) => continue,
            };
            self.span = span;
            self.report(rule, format!("the `goto` to the label {} {what}", label.0));
        }
        if self.is_kernel {
            for (label, span) in find_synchronised_gotos(stmts) {
                self.span = span;
                let message = format!("the `goto` to the label {} passes a barrier", label.0);
                self.report(Rule::GotoScope, message);
            }
        }
        for (rule, span, message) in check_flow(self.locals, &assigned, stmts, self.result, self.span) {
            self.span = span;
            self.report(rule, message);
        }
    }

    fn check_locals(&mut self) {
        for local in self.locals {
            self.check_ty(local.ty);
        }
    }

    fn check_shared(&mut self, shared: &'p SharedArray) {
        if let Some(ty @ Ty::Pointer(_)) = self.assign(shared.local)
            && self.program().types.pointer(ty).is_none_or(|it| it.pointee != shared.element)
        {
            let message = format!("shared memory with elements of {:?} behind a {ty:?}", shared.element);
            self.report(Rule::OperandType, message);
        }
        match &shared.init {
            SharedInit::Zero => {}
            SharedInit::Value(value) => self.value(value, shared.element),
            SharedInit::Function { index, setup, value } => {
                self.assign(*index);
                self.stmts(setup);
                self.value(value, shared.element);
            }
            SharedInit::Copy(from) => _ = self.read(*from),
        }
    }

    /// Notes an assignment; returns the type of the local.
    fn assign(&mut self, local: LocalId) -> Option<Ty> {
        let Some(found) = self.locals.get(local.index()) else {
            self.report(Rule::KnownLocal, format!("there is no local {}", local.0));
            return None;
        };
        self.assigned[local.index()] = true;
        Some(found.ty)
    }

    /// Checks that a local has a value; returns its type.
    pub(super) fn read(&mut self, local: LocalId) -> Option<Ty> {
        let Some(found) = self.locals.get(local.index()) else {
            self.report(Rule::KnownLocal, format!("there is no local {}", local.0));
            return None;
        };
        if self.checks_reads && !self.assigned[local.index()] {
            let message = format!("the local `{}` ({}) is read before it is assigned", found.name, local.0);
            self.report(Rule::AssignedLocal, message);
        }
        Some(found.ty)
    }

    /// Checks that the program has what a dialect needs.
    pub(super) fn check_dialect(&mut self, dialect: Dialect) {
        if dialect.needs_object_heap() && !self.program().has_object_heap() {
            let message = format!("code of the dialect {dialect:?} in a program without classes");
            self.report(Rule::ObjectHeap, message);
        }
    }

    pub(super) fn check_span(&mut self, span: Span) {
        let is_known = span.file.index() < self.program().files.len().max(1);
        if !is_known || span.end < span.start {
            self.report(
                Rule::ValidSpan,
                format!("the span {span:?} is in no file, or ends before it starts"),
            );
        }
    }

    pub(super) fn check_expr_id(&mut self, id: ExprId) {
        if !id.is_assigned() || !self.exprs.insert(id) {
            self.report(Rule::UniqueId, format!("the identity {} of an expression is not unique", id.0));
        }
    }

    fn stmts(&mut self, stmts: &'p [Stmt]) {
        for stmt in stmts {
            self.check_span(stmt.span);
            let around = std::mem::replace(&mut self.span, stmt.span);
            if !stmt.id.is_assigned() || !self.stmts.insert(stmt.id) {
                self.report(
                    Rule::UniqueId,
                    format!("the identity {} of a statement is not unique", stmt.id.0),
                );
            }
            self.check_dialect(stmt.kind.dialect());
            self.stmt(&stmt.kind);
            self.span = around;
        }
    }

    /// Checks code that a `goto` neither enters nor leaves.
    fn scoped(&mut self, stmts: &'p [Stmt]) {
        let around = std::mem::replace(&mut self.scope, self.next_scope);
        self.next_scope += 1;
        self.stmts(stmts);
        self.scope = around;
    }

    fn labelled(&mut self, label: LabelId, is_loop: bool, check: impl FnOnce(&mut Self)) {
        if !self.defined_labels.insert(label) {
            self.report(Rule::KnownLabel, format!("the label {} is not unique", label.0));
        }
        self.labels.push((label, is_loop));
        check(self);
        self.labels.pop();
    }

    fn jump(&mut self, label: LabelId, needs_loop: bool) {
        if !self.labels.iter().any(|it| it.0 == label && (it.1 || !needs_loop)) {
            let what = if needs_loop { "loop" } else { "statement" };
            self.report(Rule::KnownLabel, format!("no enclosing {what} has the label {}", label.0));
        }
    }

    fn stmt(&mut self, kind: &'p StmtKind) {
        match kind {
            StmtKind::Set { local, value } => {
                match &value.kind {
                    ExprKind::Collective { args, .. } => self.collective(value, args),
                    _ => self.expr(value),
                }
                if let Some(ty) = self.assign(*local) {
                    self.stored(value, ty);
                }
            }
            StmtKind::SetField { object, class, field, value, .. } => {
                self.reference(object);
                self.expr(value);
                if let Some(ty) = self.class_field(*class, *field) {
                    self.stored(value, ty);
                }
            }
            StmtKind::SetStructField { local, field, value } => {
                self.expr(value);
                if let Some(ty) = self.assign(*local)
                    && let Some(ty) = self.struct_field(ty, *field)
                {
                    self.stored(value, ty);
                }
            }
            StmtKind::SetElement { rail, element, index, value, .. } => {
                self.element(rail, index, *element);
                self.value(value, *element);
            }
            StmtKind::SetStatic { field, value } => {
                self.expr(value);
                match self.program().statics.get(field.index()) {
                    Some(field) => self.stored(value, field.ty),
                    None => self.report(Rule::KnownItem, format!("there is no static field {}", field.0)),
                }
            }
            StmtKind::Expr(value) => self.expr(value),
            StmtKind::Store { place, value } => self.store(place, value),
            StmtKind::Goto(label) => self.gotos.push((*label, self.scope, self.span)),
            StmtKind::Target(label) => {
                if !self.defined_labels.insert(*label) {
                    self.report(Rule::KnownLabel, format!("the label {} is not unique", label.0));
                }
                self.targets.insert(*label, self.scope);
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    self.expr(value);
                }
                let ty = value.as_ref().map_or(Ty::Void, |it| it.ty);
                if !is_compatible(ty, self.result) {
                    self.report(
                        Rule::OperandType,
                        format!("{ty:?} is returned instead of {:?}", self.result),
                    );
                }
            }
            StmtKind::Throw(value) => self.reference(value),
            StmtKind::Barrier if !self.is_device => {
                self.report(Rule::KernelCode, "a barrier outside of a kernel".to_owned());
            }
            StmtKind::Barrier => {}
            StmtKind::Native(native) => {
                native.values().for_each(|it| self.expr(it));
                for fragment in &native.fragments {
                    if let native::Fragment::Address(local) = fragment {
                        self.assign(*local);
                    }
                }
            }
            _ => self.control(kind),
        }
    }

    /// Statements with statements in them, and jumps.
    fn control(&mut self, kind: &'p StmtKind) {
        match kind {
            StmtKind::Block(body) => self.stmts(body),
            StmtKind::Atomic(body) | StmtKind::Finish { body, .. } => self.scoped(body),
            StmtKind::Outlined(body) => {
                // No jump leaves it.
                let around = std::mem::take(&mut self.labels);
                self.scoped(body);
                self.labels = around;
            }
            StmtKind::If { condition, then, otherwise } => {
                self.value(condition, Ty::Bool);
                self.stmts(then);
                self.stmts(otherwise);
            }
            StmtKind::Loop { label, condition, body, update, post_tested, .. } => {
                self.labelled(*label, true, |this| {
                    if !post_tested {
                        this.value(condition, Ty::Bool);
                    }
                    this.stmts(body);
                    this.stmts(update);
                    if *post_tested {
                        this.value(condition, Ty::Bool);
                    }
                });
            }
            StmtKind::Switch { label, value, cases } => {
                self.integer(value);
                self.labelled(*label, false, |this| cases.iter().for_each(|it| this.stmts(&it.1)));
            }
            StmtKind::Labeled { label, body } => self.labelled(*label, false, |this| this.stmts(body)),
            StmtKind::Break(label) => self.jump(*label, false),
            StmtKind::Continue(label) => self.jump(*label, true),
            StmtKind::Try { body, catches, finally } => {
                self.scoped(body);
                for catch in catches {
                    self.class(catch.class);
                    self.assign(catch.local);
                    self.scoped(&catch.body);
                }
                self.scoped(finally);
            }
            StmtKind::When(branches) => {
                for branch in branches {
                    self.scoped(&branch.setup);
                    self.value(&branch.condition, Ty::Bool);
                    self.scoped(&branch.body);
                }
            }
            _ => self.activity(kind),
        }
    }

    /// Activities and launches.
    fn activity(&mut self, kind: &'p StmtKind) {
        match kind {
            StmtKind::Async { closure, clocks } => {
                self.reference(closure);
                self.clocks(clocks);
            }
            StmtKind::AsyncAt { place, closure, clocks, .. } => {
                self.value(place, Ty::I64);
                self.reference(closure);
                self.clocks(clocks);
            }
            StmtKind::At { place, closure } => {
                self.value(place, Ty::I64);
                self.reference(closure);
            }
            StmtKind::Launch { place, kernel, captures, fallback_activity, .. } => {
                self.value(place, Ty::I64);
                self.captures(*kernel, captures);
                if let Some(closure) = fallback_activity {
                    self.reference(closure);
                }
            }
            _ => {}
        }
    }

    fn captures(&mut self, kernel: KernelId, captures: &'p [Expr]) {
        captures.iter().for_each(|it| self.expr(it));
        let Some(kernel) = self.program().kernels.get(kernel.index()) else {
            return self.report(Rule::KnownItem, format!("there is no kernel {}", kernel.0));
        };
        if kernel.captures.len() != captures.len() {
            let message = format!("{} captures instead of {}", captures.len(), kernel.captures.len());
            return self.report(Rule::OperandCount, message);
        }
        for (value, capture) in captures.iter().zip(&kernel.captures) {
            if let KernelCaptureKind::Scalar(ty) = capture.kind {
                self.stored(value, ty);
            }
        }
    }

    fn clocks(&mut self, clocks: &'p Clocks) {
        if let Clocks::Listed(list) = clocks {
            list.iter().for_each(|it| self.reference(it));
        }
    }
}
