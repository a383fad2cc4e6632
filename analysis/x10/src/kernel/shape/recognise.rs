//! Recognition of kernels in a body.

use std::sync::Arc;

use apg_kernels::Uniformity;
use apg_syntax::TextRange;
use rustc_hash::FxHashSet;

use crate::body::parents::Parents;
use crate::body::walk::Node;
use crate::body::{Body, ExprId, ExprKind, Owner, Stmt, StmtId, StmtKind};
use crate::db::Db;
use crate::kernel::context::{KernelContext, annotation_range};
use crate::kernel::device_code::{CodeKind, DeviceUses, functions};
use crate::kernel::device_semantics::DeviceSemantics;
use crate::kernel::fixes::template::{EditTemplate, FixTemplate, Fragment, text};
use crate::kernel::lower_kernel::{KernelParts, lower_kernel};
use crate::kernel::violation::Violation;
use crate::kernel::{Kernel, Recognised, SharedInit, shape};
use crate::rules::cuda;

/// All kernels of a method or field initialiser and misplaced annotations, in source order.
#[salsa::tracked]
pub fn kernels(db: &dyn Db, owner: Owner) -> Arc<Vec<Recognised>> {
    let semantics = DeviceSemantics::new(db);
    Arc::new(recognise(&semantics, &semantics.body_of(owner).body))
}

/// All kernels of a body and misplaced annotations, in source order.
fn recognise(semantics: &DeviceSemantics, body: &Body) -> Vec<Recognised> {
    let mut found = Vec::new();
    // Fast path: most bodies have no such annotation.
    let speaks_of_kernels =
        |stmt: &Stmt| stmt.annotations.iter().any(|annotation| annotation.name.starts_with("CUDA"));
    if !body.stmts.iter().any(speaks_of_kernels) {
        return found;
    }
    let parents = Parents::of(body);
    let mut bodies = FxHashSet::default();
    let Some(root) = body.root else { return found };
    body.walk(Node::Stmt(root), &mut |node| {
        let Node::Stmt(stmt) = node else { return true };
        let is_body = bodies.contains(&stmt);
        if let StmtKind::At { body: inner, .. } = body.stmt(stmt).kind {
            bodies.insert(inner);
            if annotation_range(semantics, body, stmt, "CUDA").is_some() {
                found.push(recognise_kernel(semantics, body, &parents, stmt));
                return false;
            }
        }
        if !is_body {
            found.extend(misplaced_annotation(semantics, body, &parents, stmt));
        }
        true
    });
    found
}

/// Recognises one `at` with `@CUDA`.
fn recognise_kernel(semantics: &DeviceSemantics, body: &Body, parents: &Parents, at: StmtId) -> Recognised {
    let context = KernelContext::new(semantics, body, parents, at);
    let mut kernel = None;
    if let StmtKind::At { place, body: inner, .. } = body.stmt(at).kind {
        let shape = context.match_shape(inner);
        kernel = context.check_parts(Some(place), shape);
    }
    let broken = context.is_broken();
    let violations = context.into_violations();
    let refused = broken || violations.iter().any(Violation::is_error);
    Recognised { at, kernel: kernel.filter(|_| !refused), violations }
}

impl KernelContext<'_> {
    /// Checks the matched parts; returns a kernel if none is missing. `place` is `None` for code that is not
    /// in an `at` yet.
    fn check_parts(&self, place: Option<ExprId>, shape: shape::KernelShape) -> Option<Kernel> {
        for axis in shape.blocks.iter().chain(&shape.threads).flatten() {
            self.check_hoistable(axis.last);
        }
        for axes in [&shape.blocks, &shape.threads].into_iter().flatten() {
            self.check_empty(axes);
        }
        self.check_shared(&shape.shared);
        let mut uses = DeviceUses::default();
        for rail in &shape.shared {
            match &rail.init {
                SharedInit::Closure { closure, .. } => self.shared_closure(*closure, &mut uses),
                SharedInit::Copy { rail } => uses.locals.extend(self.named_local(*rail)),
                SharedInit::Zero { .. } | SharedInit::Value { .. } => {}
            }
        }
        let body = shape.body?;
        self.check_device_code(body, CodeKind::Thread, &mut uses);
        let functions = self.functions(&mut uses);
        let meeting =
            uses.calls.iter().filter(|(method, _)| functions::synchronizes(self.semantics.db, *method));
        uses.barriers.extend(meeting.map(|(_, call)| *call));
        let captures = self.collect_captures(&uses, place);
        let threads = shape.threads?;
        self.check_threads(&threads);
        let parts = KernelParts {
            blocks: shape.blocks.as_deref().unwrap_or_default(),
            threads: &threads,
            chosen: shape.prelude.iter().map(|it| it.local).collect(),
            shared: &shape.shared,
        };
        let statements = self.flat_statements(body);
        let model = lower_kernel(self, &parts, body, &statements);
        let uniformity = Uniformity::new(&model);
        self.report_divergence(&uniformity);
        self.report_write_conflicts(&model, &uniformity, &threads);
        let kernel = Kernel {
            at: self.at,
            place: place?,
            direct_params: self.annotation_range(self.at, "CUDADirectParams").is_some(),
            fast_math: self.annotation_range(self.at, "FastMath").is_some(),
            prelude: shape.prelude,
            blocks: shape.blocks?,
            shared: shape.shared,
            threads,
            body,
            captures,
            functions,
            has_barrier: !uses.barriers.is_empty(),
            bound_calls: uses.bound_calls,
        };
        self.report_races(&model, &uniformity, &statements);
        Some(kernel)
    }

    fn shared_closure(&self, closure: crate::body::ExprId, uses: &mut DeviceUses) {
        if let crate::body::ExprKind::Closure(closure) = &self.expr(closure).kind {
            self.check_device_code(closure.body, CodeKind::SharedClosure, uses);
        }
    }
}

/// Reports `@CUDA` or `@CUDADirectParams` on a statement that is no kernel.
fn misplaced_annotation(
    semantics: &DeviceSemantics,
    body: &Body,
    parents: &Parents,
    stmt: StmtId,
) -> Option<Recognised> {
    let is_at = matches!(body.stmt(stmt).kind, StmtKind::At { .. });
    // An annotation on the `at` itself, not on its body.
    let own = body.stmt(stmt).annotations.iter().find(|annotation| is_at && annotation.name == "CUDA");
    let cuda = annotation_range(semantics, body, stmt, "CUDA").or(own.map(|annotation| annotation.range));
    let direct = annotation_range(semantics, body, stmt, "CUDADirectParams");
    let context = || KernelContext::new(semantics, body, parents, stmt);
    let violation = match (cuda, direct) {
        (Some(range), _) => misplaced_cuda_annotation(&context(), stmt, range),
        (None, Some(range)) => {
            let data = cuda::direct_params_without_cuda::DirectParamsWithoutCuda;
            let violation = context().violation(range, data);
            let insert =
                FixTemplate::insert("Make it a kernel: write `@CUDA` as well", range.start(), "@CUDA ");
            match is_at && would_be_kernel(&context(), stmt) {
                true => violation.fix(insert),
                false => violation,
            }
        }
        (None, None) => return None,
    };
    Some(Recognised { at: stmt, kernel: None, violations: vec![violation] })
}

/// Whether an `at` would be a valid kernel if it was marked `@CUDA`.
fn would_be_kernel(context: &KernelContext, at: StmtId) -> bool {
    let found = recognise_kernel(context.semantics, context.body, context.parents, at);
    found.kernel.is_some()
}

/// Whether a statement would be a valid kernel as the body of an `at (here)`.
fn would_be_kernel_here(context: &KernelContext, stmt: StmtId) -> bool {
    let probe = KernelContext::new(context.semantics, context.body, context.parents, stmt);
    let shape = probe.match_shape(stmt);
    let is_whole = shape.blocks.is_some() && shape.threads.is_some() && shape.body.is_some();
    probe.check_parts(None, shape);
    let is_broken = probe.is_broken();
    is_whole && !is_broken && !probe.into_violations().iter().any(Violation::is_error)
}

fn misplaced_cuda_annotation(context: &KernelContext, stmt: StmtId, range: TextRange) -> Violation {
    let violation = context.violation(range, cuda::misplaced_annotation::MisplacedAnnotation);
    // `@CUDA finish async at (p) { ... }`: the annotation moves inwards.
    let mut inner = stmt;
    while let StmtKind::Finish { body, .. } | StmtKind::Async { body, .. } = context.stmt(inner).kind {
        inner = body;
    }
    if let StmtKind::At { body, .. } = context.stmt(inner).kind {
        let target = context.stmt(body).range.start();
        let edits = vec![
            EditTemplate { range, text: Vec::new() },
            EditTemplate { range: TextRange::empty(target), text: vec![Fragment::Source(range), text(" ")] },
        ];
        let moved = FixTemplate::edits(vec![text("Move `@CUDA` to the body of the `at`")], edits);
        return violation.fix(would_be_kernel(context, inner).then_some(moved));
    }
    // `at (p) async @CUDA { ... }`: `at` and `async` change their order.
    let around = |stmt: StmtId| match context.parents.parent(Node::Stmt(stmt)) {
        Some(Node::Stmt(parent)) => Some((parent, &context.stmt(parent).kind)),
        _ => None,
    };
    if let Some((started, StmtKind::Async { .. })) = around(stmt)
        && let Some((at, StmtKind::At { .. })) = around(started)
    {
        let head = TextRange::new(context.stmt(at).range.start(), context.stmt(started).range.start());
        let edits = vec![
            EditTemplate { range: head, text: Vec::new() },
            EditTemplate { range: TextRange::empty(range.start()), text: vec![Fragment::Source(head)] },
        ];
        let is_same_later = is_place_invariant(context, at) && would_be_kernel_here(context, stmt);
        let swapped = FixTemplate::edits(vec![text("Write `async at`")], edits);
        return violation.fix(is_same_later.then_some(swapped));
    }
    if !would_be_kernel_here(context, stmt) {
        return violation;
    }
    let whole = context.stmt(stmt).range;
    let insert =
        |offset, piece: &str| EditTemplate { range: TextRange::empty(offset), text: vec![text(piece)] };
    let waited = matches!(context.parents.parent(Node::Stmt(stmt)), Some(Node::Stmt(parent)) if matches!(context.stmt(parent).kind, StmtKind::Async { .. }));
    let head = if waited { "at (here)" } else { "finish async at (here)" };
    let mut edits = vec![insert(range.start(), &format!("{head} "))];
    if !matches!(context.stmt(stmt).kind, StmtKind::Block(_)) {
        edits.push(insert(range.end(), " {"));
        edits.push(insert(whole.end(), " }"));
    }
    violation.fix(FixTemplate::edits(vec![text(format!("Wrap in `{head}`"))], edits))
}

/// Whether the place expression of an `at` has the same value if the started activity evaluates it.
fn is_place_invariant(context: &KernelContext, at: StmtId) -> bool {
    let StmtKind::At { place, .. } = context.stmt(at).kind else { return false };
    let mut keeps = true;
    context.body.walk(Node::Expr(place), &mut |node| {
        keeps &= match node {
            Node::Expr(expr) => match &context.expr(expr).kind {
                ExprKind::Local(local) => !context.local(*local).mutable,
                ExprKind::Field { field, .. } => !context.semantics.is_mutable_field(*field),
                ExprKind::Call { method, .. } => !context.semantics.is_user_code(*method),
                ExprKind::Here | ExprKind::This | ExprKind::Coerce { .. } | ExprKind::Literal(_) => true,
                ExprKind::StaticField(_) => true,
                _ => false,
            },
            Node::Stmt(_) => false,
        };
        keeps
    });
    keeps
}
