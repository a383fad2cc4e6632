//! Blocking operations in `atomic` code, and barriers of activities that are not registered on a clock.

use apg_syntax::{TextRange, TextSize};

use super::FlowContext;
use crate::body::parents::Parents;
use crate::body::walk::Node;
use crate::body::{Body, Clocked, ExprId, ExprKind, StmtId, StmtKind};
use crate::diagnostics::{Diagnostic, Fix, TextEdit};
use crate::ids::MethodId;
use crate::rules::r#async as rules;
use crate::ty::Ty;
use crate::ty::known::Known;

/// The problems of one body.
pub(super) fn check(context: &FlowContext<'_>, body: &Body) -> Vec<Diagnostic> {
    let Some(root) = body.root else { return Vec::new() };
    let is_atomic = |kind: &StmtKind| matches!(kind, StmtKind::Atomic(_) | StmtKind::When(_));
    let has_atomic = body.stmts.iter().any(|it| is_atomic(&it.kind));
    let calls_barrier = body.exprs.iter().any(|it| is_barrier(context, &it.kind));
    let mut diagnostics = Vec::new();
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
            code.into_iter().for_each(|code| report_blocking_calls(context, body, code, &mut diagnostics));
            false
        });
    }
    if calls_barrier {
        diagnostics.extend(barriers_without_clock(context, body));
    }
    diagnostics
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
fn report_blocking_calls(
    context: &FlowContext<'_>,
    body: &Body,
    code: StmtId,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let head = |id: StmtId, inner: StmtId| {
        TextRange::new(body.stmt(id).range.start(), body.stmt(inner).range.start())
    };
    body.walk(Node::Stmt(code), &mut |node| {
        let (word, range) = match node {
            Node::Stmt(id) => match &body.stmt(id).kind {
                StmtKind::Async { body: inner, .. } => match head(id, *inner) {
                    // The activities of an `ateach` are implicit.
                    none if none.is_empty() => ("ateach", TextRange::at(none.start(), TextSize::of("ateach"))),
                    range => ("async", range),
                },
                StmtKind::Finish { body: inner, .. } => ("finish", head(id, *inner)),
                StmtKind::At { body: inner, .. } => ("at", head(id, *inner)),
                StmtKind::AtEach { body: inner, .. } => ("ateach", head(id, *inner)),
                StmtKind::When(arms) if !arms.is_empty() => ("when", head(id, arms[0].1)),
                _ => return true,
            },
            Node::Expr(id) => match &body.expr(id).kind {
                ExprKind::Closure(_) => return false,
                ExprKind::At { .. } => ("at", body.expr(id).range),
                kind if is_barrier(context, kind) => ("Clock.advanceAll()", body.expr(id).range),
                _ => return true,
            },
        };
        diagnostics.push(
            rules::blocked_atomic::RULE
                .at(range, format!("`{word}` in the code of an `atomic` or `when`"))
                .note("it would wait or start others while no other `atomic` of the place can run: an IllegalOperationException is raised here when the program runs")
                .note("do it before or after the `atomic`, with what both need in a `val`"),
        );
        false
    });
}

/// Barriers in activities that are not registered on a clock.
fn barriers_without_clock(context: &FlowContext<'_>, body: &Body) -> Vec<Diagnostic> {
    let parents = Parents::of(body);
    let mut diagnostics = Vec::new();
    for (index, expr) in body.exprs.iter().enumerate() {
        if !is_barrier(context, &expr.kind) {
            continue;
        }
        let Some(started) = enclosing_unclocked_async(context, body, &parents, ExprId(index as u32)) else {
            continue;
        };
        let diagnostic = rules::idle_barrier::RULE
            .at(expr.range, "this activity is on no clock: the barrier waits for nobody");
        let is_clocked = |node: Node| matches!(node, Node::Stmt(id) if matches!(body.stmt(id).kind, StmtKind::Finish { clocked: Clocked::Implicit, .. }));
        let finishes = |node: &Node| matches!(node, Node::Stmt(id) if matches!(body.stmt(*id).kind, StmtKind::Finish { .. }));
        let finish = parents.ancestors(Node::Stmt(started)).find(finishes);
        let start = TextRange::empty(body.stmt(started).range.start());
        // Only a registered activity can start registered ones.
        let mut between = parents.ancestors(Node::Stmt(started)).take_while(|it| Some(*it) != finish);
        let is_off_clock = between.any(|it| match it {
            Node::Stmt(id) => matches!(
                body.stmt(id).kind,
                StmtKind::Async { clocked: Clocked::No, .. } | StmtKind::AtEach { .. }
            ),
            Node::Expr(id) => matches!(body.expr(id).kind, ExprKind::Closure(_)),
        });
        diagnostics.push(match finish.is_some_and(is_clocked) && !is_off_clock {
            true => diagnostic.note("write `clocked async` for each activity of a `clocked finish`").fix(Fix {
                title: "Write `clocked async`".to_owned(),
                edits: vec![TextEdit { file: None, range: start, text: "clocked ".to_owned() }],
            }),
            false => diagnostic
                .note("write `clocked finish` around the activities and `clocked async` for each, or name the clocks: `async clocked (c)`"),
        });
    }
    diagnostics
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
