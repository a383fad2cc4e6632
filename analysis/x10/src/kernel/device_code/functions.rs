//! `@CUDA` functions: their own code, and what kernels reach through them.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::body::parents::Parents;
use crate::body::{Body, ExprId, LocalId, StmtId};
use crate::db::Db;
use crate::diagnostics::Severity;
use crate::ids::{FieldId, MethodId};
use crate::infer::Owner;
use crate::item_tree::ClassKind;
use crate::kernel::context::KernelContext;
use crate::kernel::device_code::{CodeKind, DeviceUses};
use crate::kernel::device_semantics::DeviceSemantics;
use crate::kernel::generics::bound_requirements::BoundCall;
use crate::kernel::violation::Violation;
use crate::rules::cuda;

/// What is known about one `@CUDA` function by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::kernel) struct FunctionSummary {
    /// Broken rules, ranges relative to the function.
    pub violations: Vec<Violation>,
    /// What it calls.
    pub calls: Vec<MethodId>,
    /// The formals that are rails whose elements it sets.
    written_rails: Vec<usize>,
    /// The formals that are rails and passed on: to which formal of what.
    forwarded_rails: Vec<(usize, MethodId, usize)>,
    /// The static fields that it uses.
    statics: Vec<FieldId>,
    /// What it calls that type parameters promise.
    pub bound_calls: Vec<BoundCall>,
    /// It has errors that others report.
    pub broken: bool,
    /// It has barriers, or does something together with other threads.
    synchronizes: bool,
    /// Not only the threads of a warp.
    synchronizes_block: bool,
    /// It asks for the number of a thread.
    reads_thread_index: bool,
}

impl FunctionSummary {
    /// The first rule that it breaks.
    pub fn first_error(&self) -> Option<&Violation> {
        self.violations.iter().find(|violation| violation.severity == Severity::Error)
    }
}

/// Checks the code of one function for the device, not of those it calls.
#[salsa::tracked]
pub(in crate::kernel) fn function_summary(db: &dyn Db, method: MethodId) -> Arc<FunctionSummary> {
    let semantics = DeviceSemantics::new(db);
    let result = semantics.body(method);
    let body = &result.body;
    let Some(root) = body.root else { return Arc::default() };
    let parents = Parents::of(body);
    let mut context = KernelContext::new(&semantics, body, &parents, root);
    context.inner.extend(body.params.iter().copied());
    let is_struct = semantics.class_kind(method.class(db)) == ClassKind::Struct;
    let this = is_struct && !semantics.is_static(method);
    let mut uses = DeviceUses::default();
    context.check_device_code(root, CodeKind::Function { this }, &mut uses);
    if semantics.is_constructor(method) {
        context.field_initialisers(method, root, &mut uses);
    }
    let formal = |local: LocalId| body.params.iter().position(|param| *param == local);
    let mut calls: Vec<MethodId> = Vec::new();
    for (callee, _) in &uses.calls {
        if !calls.contains(callee) {
            calls.push(*callee);
        }
    }
    let passed = uses.passed.iter();
    Arc::new(FunctionSummary {
        calls,
        written_rails: uses.written.iter().filter_map(|local| formal(*local)).collect(),
        forwarded_rails: passed.filter_map(|it| Some((formal(it.local)?, it.method, it.formal))).collect(),
        statics: uses.statics,
        bound_calls: uses.bound_calls,
        broken: context.is_broken(),
        synchronizes: !uses.barriers.is_empty(),
        synchronizes_block: uses.barriers.iter().any(|it| !context.is_warp_collective(*it)),
        reads_thread_index: uses.reads_thread_index,
        violations: context.into_violations(),
    })
}

/// Whether the threads that call a function meet in it: at a barrier, or to do something together.
pub(in crate::kernel) fn synchronizes(db: &dyn Db, method: MethodId) -> bool {
    any_reachable(db, method, |code| code.synchronizes)
}

/// Whether all threads of a block meet in a function, not only those of each warp.
pub(in crate::kernel) fn synchronizes_block(db: &dyn Db, method: MethodId) -> bool {
    any_reachable(db, method, |code| code.synchronizes_block)
}

/// Whether a function can run only as part of the code of a kernel's threads: they meet in it, or it asks for their numbers.
pub fn requires_thread_context(db: &dyn Db, method: MethodId) -> bool {
    any_reachable(db, method, |code| code.synchronizes || code.reads_thread_index)
}

fn any_reachable(db: &dyn Db, method: MethodId, wanted: fn(&FunctionSummary) -> bool) -> bool {
    visit_reachable(db, method, |_, code| wanted(code))
}

/// A function and all that it calls.
pub(in crate::kernel) fn reachable_functions(
    db: &dyn Db,
    method: MethodId,
) -> Vec<(MethodId, Arc<FunctionSummary>)> {
    let mut all = Vec::new();
    visit_reachable(db, method, |method, code| {
        all.push((method, code.clone()));
        false
    });
    all
}

/// Goes through a function and all that it calls until one is found.
fn visit_reachable(
    db: &dyn Db,
    method: MethodId,
    mut wanted: impl FnMut(MethodId, &Arc<FunctionSummary>) -> bool,
) -> bool {
    let mut seen = FxHashSet::default();
    let mut open = vec![method];
    while let Some(method) = open.pop() {
        if seen.insert(method) {
            let code = function_summary(db, method);
            if wanted(method, code) {
                return true;
            }
            open.extend(code.calls.iter().copied());
        }
    }
    false
}

/// The functions reached from some code, by name.
type FunctionSummaries = FxHashMap<MethodId, Arc<FunctionSummary>>;

impl KernelContext<'_> {
    /// The initialisers of a struct's fields are part of its constructors.
    fn field_initialisers(&self, constructor: MethodId, root: StmtId, uses: &mut DeviceUses) {
        for field in self.semantics.initialised_fields(constructor.class(self.semantics.db)) {
            let result = self.semantics.body_of(Owner::Field(field));
            let (found, calls) = initialiser_code(self.semantics, &result.body);
            uses.calls.extend(calls.into_iter().map(|method| (method, ExprId(0))));
            if let Some(first) = found.first() {
                self.bad_initialiser(field, root, first);
            }
        }
    }

    fn bad_initialiser(&self, field: FieldId, root: StmtId, first: &Violation) {
        let name = field.name(self.semantics.db);
        let message =
            format!("the initialiser of the field `{name}` is nothing for a device: {}", first.message);
        let mut violation = self.violation(first.rule, self.stmt(root).range, message);
        violation.notes.clone_from(&first.notes);
        self.report(violation);
    }

    /// All functions that a kernel reaches, each once, in order of first call. What is wrong with one of
    /// them is reported at the call that leads there.
    pub(in crate::kernel) fn functions(&self, uses: &mut DeviceUses) -> Vec<MethodId> {
        let mut codes = FunctionSummaries::default();
        let mut reached = Vec::new();
        for (method, call) in &uses.calls {
            let order = self.reachable(*method, &mut codes);
            self.check_reached(*method, *call, &order, &codes);
            for found in order {
                if !reached.contains(&found) {
                    reached.push(found);
                }
            }
        }
        self.check_passed(uses, &codes);
        // What functions use travels with the kernel too.
        uses.statics.extend(reached.iter().filter_map(|it| codes.get(it)).flat_map(|it| &it.statics));
        reached
    }

    /// `method` and all that it calls, callers first.
    fn reachable(&self, method: MethodId, codes: &mut FunctionSummaries) -> Vec<MethodId> {
        let mut order = Vec::new();
        let mut seen = FxHashSet::default();
        let mut open = vec![method];
        while let Some(method) = open.pop() {
            if seen.insert(method) {
                let code = codes
                    .entry(method)
                    .or_insert_with(|| function_summary(self.semantics.db, method).clone());
                open.extend(code.calls.iter().rev().copied());
                order.push(method);
            }
        }
        order
    }

    fn check_reached(&self, method: MethodId, call: ExprId, order: &[MethodId], codes: &FunctionSummaries) {
        for found in order {
            let code = &codes[found];
            if code.broken {
                self.mark_broken();
            }
            if let Some(first) = code.first_error() {
                self.bad_callee(method, *found, call, first);
            }
        }
        if let Some(cycle) = find_recursion(order, codes) {
            let name = self.semantics.method_name(cycle);
            self.report_with_note(
                &cuda::recursion::RULE,
                self.expr(call).range,
                &format!("`{name}` calls itself, directly or through others"),
                "a thread's stack is small and fixed: write the repetition as a loop",
            );
        }
    }

    fn bad_callee(&self, called: MethodId, found: MethodId, call: ExprId, first: &Violation) {
        let name = self.semantics.method_name(found);
        let through = if called == found {
            String::new()
        } else {
            format!(" through `{}`", self.semantics.method_name(called))
        };
        self.report(
            self.violation(
                &cuda::bad_callee::RULE,
                self.expr(call).range,
                format!("a thread calls `{name}`{through}, which a device cannot run"),
            )
            .note(format!("{}: mend the function, or do without it here", first.message))
            .related(Some(found), first.range, first.message.clone()),
        );
    }

    /// Captured host rails that a function is given which sets elements of them.
    fn check_passed(&self, uses: &DeviceUses, codes: &FunctionSummaries) {
        let written = written_formals(codes.iter().map(|(method, code)| (*method, &**code)));
        for passed in &uses.passed {
            if written.contains(&(passed.method, passed.formal)) {
                self.check_captured_rail_write(passed.local, passed.site);
            }
        }
    }
}

/// The formals, of some functions that call each other, whose elements are set there.
pub(in crate::kernel) fn written_formals<'c>(
    codes: impl Iterator<Item = (MethodId, &'c FunctionSummary)> + Clone,
) -> FxHashSet<(MethodId, usize)> {
    let mut written: FxHashSet<(MethodId, usize)> = FxHashSet::default();
    for (method, code) in codes.clone() {
        written.extend(code.written_rails.iter().map(|formal| (method, *formal)));
    }
    loop {
        let before = written.len();
        for (method, code) in codes.clone() {
            for (formal, callee, theirs) in &code.forwarded_rails {
                if written.contains(&(*callee, *theirs)) {
                    written.insert((method, *formal));
                }
            }
        }
        if written.len() == before {
            return written;
        }
    }
}

/// What is wrong with the initialiser of a field, and what it calls.
fn initialiser_code(semantics: &DeviceSemantics, body: &Body) -> (Vec<Violation>, Vec<MethodId>) {
    let Some(root) = body.root else { return (Vec::new(), Vec::new()) };
    let parents = Parents::of(body);
    let context = KernelContext::new(semantics, body, &parents, root);
    let mut uses = DeviceUses::default();
    context.check_device_code(root, CodeKind::Function { this: true }, &mut uses);
    (context.into_violations(), uses.calls.into_iter().map(|(method, _)| method).collect())
}

/// A function that can reach itself.
fn find_recursion(order: &[MethodId], codes: &FunctionSummaries) -> Option<MethodId> {
    order.iter().copied().find(|start| {
        let mut seen = FxHashSet::default();
        let mut open: Vec<MethodId> = codes[start].calls.clone();
        while let Some(method) = open.pop() {
            if method == *start {
                return true;
            }
            if seen.insert(method) {
                open.extend(codes.get(&method).into_iter().flat_map(|code| code.calls.iter().copied()));
            }
        }
        false
    })
}
