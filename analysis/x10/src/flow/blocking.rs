//! Blocking operations in `atomic` code, and barriers of activities that are not registered on a clock.

use apg_syntax::{TextRange, TextSize};

use super::FlowContext;
use crate::body::parents::Parents;
use crate::body::walk::Node;
use crate::body::{Body, Clocked, ExprId, ExprKind, StmtId, StmtKind};
use crate::ids::MethodId;
use crate::rules::Problem;
use crate::rules::r#async::blocked_atomic::{BlockedAtomic, BlockingOperation};
use crate::rules::r#async::idle_barrier::IdleBarrier;
use crate::ty::Ty;
use crate::ty::known::Known;

/// The problems of one body.
pub(super) fn check(context: &FlowContext<'_>, body: &Body) -> Vec<Problem> {
    let Some(root) = body.root else { return Vec::new() };
    let is_atomic = |kind: &StmtKind| matches!(kind, StmtKind::Atomic(_) | StmtKind::When(_));
    let has_atomic = body.stmts.iter().any(|it| is_atomic(&it.kind));
    let calls_barrier = body.exprs.iter().any(|it| is_barrier(context, &it.kind));
    let mut problems = Vec::new();
    if has_atomic {
        body.walk(Node::Stmt(root), &mut |node| {
            let code = match node {
                Node::Stmt(id) => match &body.stmt(id).kind {
                    StmtKind::Atomic(code) => vec![*code],
                    StmtKind::When(arms) => arms.iter().map(|(_, code)| *code).collect(),
                    // Device code has rules of its own.
                    _ => return !is_kernel(body, id),
                },
                Node::Expr(_) => return true,
            };
            code.into_iter().for_each(|code| report_blocking_calls(context, body, code, &mut problems));
            false
        });
    }
    if calls_barrier {
        problems.extend(barriers_without_clock(context, body));
    }
    problems
}

fn is_kernel(body: &Body, id: StmtId) -> bool {
    let marked = |id: StmtId| body.stmt(id).annotations.iter().any(|it| it.name == "CUDA");
    matches!(body.stmt(id).kind, StmtKind::At { body, .. } if marked(id) || marked(body))
}

fn is_clock(context: &FlowContext<'_>, method: MethodId) -> bool {
    Ty::this_type(context.db, method.class(context.db)).is_known(context.db, Known::Clock)
}

/// `Clock.advanceAll()`
fn is_barrier(context: &FlowContext<'_>, kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::Call { method, .. } if method.name(context.db) == "advanceAll" && is_clock(context, *method))
}

/// Reports operations in `atomic` code that block or start activities; nested ones only once.
fn report_blocking_calls(context: &FlowContext<'_>, body: &Body, code: StmtId, problems: &mut Vec<Problem>) {
    let head = |id: StmtId, inner: StmtId| {
        TextRange::new(body.stmt(id).range.start(), body.stmt(inner).range.start())
    };
    body.walk(Node::Stmt(code), &mut |node| {
        let (operation, range) = match node {
            Node::Stmt(id) => match &body.stmt(id).kind {
                StmtKind::Async { body: inner, .. } => match head(id, *inner) {
                    // The activities of an `ateach` are implicit.
                    none if none.is_empty() => {
                        (BlockingOperation::AtEach, TextRange::at(none.start(), TextSize::of("ateach")))
                    }
                    range => (BlockingOperation::Async, range),
                },
                StmtKind::Finish { body: inner, .. } => (BlockingOperation::Finish, head(id, *inner)),
                StmtKind::At { body: inner, .. } => (BlockingOperation::At, head(id, *inner)),
                StmtKind::AtEach { body: inner, .. } => (BlockingOperation::AtEach, head(id, *inner)),
                StmtKind::When(arms) if !arms.is_empty() => (BlockingOperation::When, head(id, arms[0].1)),
                _ => return true,
            },
            Node::Expr(id) => match &body.expr(id).kind {
                ExprKind::Closure(_) => return false,
                ExprKind::At { .. } => (BlockingOperation::At, body.expr(id).range),
                kind if is_barrier(context, kind) => (BlockingOperation::Barrier, body.expr(id).range),
                _ => return true,
            },
        };
        problems.push(Problem::new(range, BlockedAtomic { operation }));
        false
    });
}

/// Barriers in activities that are not registered on a clock.
fn barriers_without_clock(context: &FlowContext<'_>, body: &Body) -> Vec<Problem> {
    let parents = Parents::of(body);
    let mut problems = Vec::new();
    for (index, expr) in body.exprs.iter().enumerate() {
        if !is_barrier(context, &expr.kind) {
            continue;
        }
        let Some(started) = enclosing_unclocked_async(context, body, &parents, ExprId(index as u32)) else {
            continue;
        };
        let is_clocked = |node: Node| matches!(node, Node::Stmt(id) if matches!(body.stmt(id).kind, StmtKind::Finish { clocked: Clocked::Implicit, .. }));
        let finishes = |node: &Node| matches!(node, Node::Stmt(id) if matches!(body.stmt(*id).kind, StmtKind::Finish { .. }));
        let finish = parents.ancestors(Node::Stmt(started)).find(finishes);
        // Only a registered activity can start registered ones.
        let mut between = parents.ancestors(Node::Stmt(started)).take_while(|it| Some(*it) != finish);
        let is_off_clock = between.any(|it| match it {
            Node::Stmt(id) => matches!(
                body.stmt(id).kind,
                StmtKind::Async { clocked: Clocked::No, .. } | StmtKind::AtEach { .. }
            ),
            Node::Expr(id) => matches!(body.expr(id).kind, ExprKind::Closure(_)),
        });
        let can_be_clocked = finish.is_some_and(is_clocked) && !is_off_clock;
        let clockable = can_be_clocked.then(|| body.stmt(started).range.start());
        problems.push(Problem::new(expr.range, IdleBarrier { clockable }));
    }
    problems
}

/// Whether a call is a clock operation, or creates a clock, which registers the caller.
fn registers_on_clock(context: &FlowContext<'_>, body: &Body, id: ExprId) -> bool {
    let expr = body.expr(id);
    let of_clock = matches!(expr.kind, ExprKind::Call { method, .. } if is_clock(context, method));
    let makes = matches!(expr.kind, ExprKind::Call { .. } | ExprKind::ClosureCall { .. });
    (of_clock || makes && expr.ty.is_known(context.db, Known::Clock)) && !is_barrier(context, &expr.kind)
}

/// The `async` that executes a barrier, if nothing in it registers it on a clock.
fn enclosing_unclocked_async(
    context: &FlowContext<'_>,
    body: &Body,
    parents: &Parents,
    barrier: ExprId,
) -> Option<StmtId> {
    let mut started = None;
    for node in parents.ancestors(Node::Expr(barrier)) {
        match node {
            Node::Expr(id) if matches!(body.expr(id).kind, ExprKind::Closure(_)) => return None,
            Node::Expr(_) => {}
            Node::Stmt(id) if is_kernel(body, id) => return None,
            Node::Stmt(id) => match &body.stmt(id).kind {
                StmtKind::Async { clocked: Clocked::No, .. } if started.is_none() => started = Some(id),
                // An activity that starts clocked activities is registered itself.
                StmtKind::Async { .. }
                | StmtKind::AtEach { .. }
                | StmtKind::Finish { clocked: Clocked::Implicit, .. }
                    if started.is_none() =>
                {
                    return None;
                }
                _ => {}
            },
        }
    }
    let started = started?;
    let mut registers = false;
    body.walk(Node::Stmt(started), &mut |node| {
        registers |= matches!(node, Node::Expr(id) if registers_on_clock(context, body, id));
        !registers
    });
    (!registers).then_some(started)
}
