//! `@CUDA` functions: summaries of their own code, and the functions reachable from kernels.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::body::Owner;
use crate::body::parents::Parents;
use crate::body::{Body, ExprId, LocalId, StmtId};
use crate::db::Db;
use crate::ids::{FieldId, MethodId};
use crate::item_tree::ClassKind;
use crate::kernel::context::KernelContext;
use crate::kernel::device_code::{CodeKind, DeviceUses};
use crate::kernel::device_semantics::DeviceSemantics;
use crate::kernel::generics::bound_call::BoundCall;
use crate::kernel::violation::Violation;
use crate::rules::cuda;

/// Summary of one `@CUDA` function, without its callees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::kernel) struct FunctionSummary {
    /// Violations, relative to the function.
    pub violations: Vec<Violation>,
    /// Callees.
    pub calls: Vec<MethodId>,
    /// Indices of rail formals whose elements it writes.
    written_rails: Vec<usize>,
    /// Rail formals passed on: own index, callee, callee's index.
    forwarded_rails: Vec<(usize, MethodId, usize)>,
    /// Static fields it uses.
    statics: Vec<FieldId>,
    /// Calls through bounds of type parameters.
    pub bound_calls: Vec<BoundCall>,
    /// Whether it has type errors.
    pub broken: bool,
    /// Whether it has barriers or collective operations.
    synchronizes: bool,
    /// Whether one of them concerns the whole block, not only a warp.
    synchronizes_block: bool,
    /// Whether it asks for the index of a thread.
    reads_thread_index: bool,
}

impl FunctionSummary {
    /// The first violation that is an error.
    pub(crate) fn first_error(&self) -> Option<&Violation> {
        self.violations.iter().find(|violation| violation.is_error())
    }
}

/// Checks the code of one function for the device, without its callees.
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

/// Whether a function has a barrier or collective operation, directly or in callees.
pub(in crate::kernel) fn synchronizes(db: &dyn Db, method: MethodId) -> bool {
    any_reachable(db, method, |code| code.synchronizes)
}

/// Whether a function synchronises whole blocks, not only warps.
pub(in crate::kernel) fn synchronizes_block(db: &dyn Db, method: MethodId) -> bool {
    any_reachable(db, method, |code| code.synchronizes_block)
}

/// Whether a function can run only in thread code: it synchronises, or asks for thread indices.
pub fn requires_thread_context(db: &dyn Db, method: MethodId) -> bool {
    any_reachable(db, method, |code| code.synchronizes || code.reads_thread_index)
}

fn any_reachable(db: &dyn Db, method: MethodId, wanted: fn(&FunctionSummary) -> bool) -> bool {
    visit_reachable(db, method, |_, code| wanted(code))
}

/// A function and all functions reachable from it.
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

/// Visits the call graph from a function until `wanted` holds; returns whether it did.
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

/// Summaries of reachable functions.
type FunctionSummaries = FxHashMap<MethodId, Arc<FunctionSummary>>;

impl KernelContext<'_> {
    /// Initialisers of a struct's fields are part of its constructors.
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
        let mut violation = Violation { at: self.at, initialiser: Some(field), ..first.clone() };
        violation.problem.range = self.stmt(root).range;
        violation.related.clear();
        violation.fixes.clear();
        self.report(violation);
    }

    /// All functions that a kernel reaches, each once, in order of first call. Their errors are reported at
    /// the kernel's call.
    pub(in crate::kernel) fn functions(&self, uses: &mut DeviceUses) -> Vec<MethodId> {
        let mut codes = FunctionSummaries::default();
        let mut reached = Vec::new();
        for (method, call) in &uses.calls {
            let order = self.reachable_from(*method, &mut codes);
            self.check_reached(*method, *call, &order, &codes);
            for found in order {
                if !reached.contains(&found) {
                    reached.push(found);
                }
            }
        }
        self.check_passed(uses, &codes);
        // Static fields used by functions are captured with the kernel.
        uses.statics.extend(reached.iter().filter_map(|it| codes.get(it)).flat_map(|it| &it.statics));
        reached
    }

    /// `method` and all functions reachable from it, in preorder.
    fn reachable_from(&self, method: MethodId, codes: &mut FunctionSummaries) -> Vec<MethodId> {
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
            self.report_at(self.expr(call).range, cuda::recursion::Recursion { method: cycle });
        }
    }

    fn bad_callee(&self, called: MethodId, found: MethodId, call: ExprId, first: &Violation) {
        let reason = first.render(self.semantics.db, Owner::Method(found)).message;
        let through = (called != found).then_some(called);
        let data = cuda::bad_callee::BadCallee { method: found, through, reason: reason.clone() };
        self.report(self.violation(self.expr(call).range, data).related(found, first.range(), reason));
    }

    /// Reports captured host rails passed to functions that write their elements.
    fn check_passed(&self, uses: &DeviceUses, codes: &FunctionSummaries) {
        let written = written_formals(codes.iter().map(|(method, code)| (*method, &**code)));
        for passed in &uses.passed {
            if written.contains(&(passed.method, passed.formal)) {
                self.check_captured_rail_write(passed.local, passed.site);
            }
        }
    }
}

/// The rail formals whose elements are written, directly or through callees: a fixpoint over the call graph.
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

/// Violations and callees of a field initialiser.
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
