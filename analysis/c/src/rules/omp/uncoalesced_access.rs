//! `omp/uncoalesced-access`

use apg_diagnostics::{Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{BinaryOp, Construct, Directive, ExprId, ExprKind, VariableId};
use crate::loops;
use crate::rules::Context;

/// Neighbouring threads of a GPU that use elements far from each other.
pub static RULE: Rule = Rule {
    code: "omp/uncoalesced-access",
    severity: Severity::Hint,
    summary: "Neighbouring threads of a GPU use elements that are not neighbours in memory.",
    explanation: r##"
A GPU executes 32 iterations of the loop at once, and loads what they use in pieces of 32 bytes. If iteration `i` uses element `i`, the 32 loads are a few
pieces; if it uses element `i * n`, each is a piece of its own, most of which is thrown away (CUDA C++ Best Practices Guide, *Coalesced Access to Global
Memory*).

Let the loop over neighbouring elements be divided among threads: exchange the loops, or add `collapse(2)`, or store the array the
other way round.
"##,
    failing: r##"
void scale(double *a, int n) {
    #pragma omp target teams distribute parallel for map(tofrom: a[0:n * n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i * n + j] *= 2;
}
"##,
    fixed: r##"
void scale(double *a, int n) {
    #pragma omp target teams distribute parallel for collapse(2) map(tofrom: a[0:n * n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i * n + j] *= 2;
}
"##,
};

/// The bytes that a GPU loads at once.
const SECTOR_BYTES: u64 = 32;

pub(super) fn check(cx: &mut Context<'_>) {
    let is_device_loop = |it: &&Directive| it.has(Construct::Parallel) && it.is_loop();
    let directives = cx
        .directives()
        .map(|it| it.1)
        .filter(|it| it.has(Construct::Target) || cx.around(it).any(|it| it.1.has(Construct::Target)));
    let directives: Vec<&Directive> = directives.filter(is_device_loop).collect();
    for directive in directives {
        let (found, None) = loops::associated(cx.program, directive) else { continue };
        // Neighbouring iterations of the innermost loop run on neighbouring threads.
        let Some(innermost) = found.last() else { continue };
        let mut reported: Vec<VariableId> = Vec::new();
        let mut accesses: Vec<ExprId> = Vec::new();
        cx.program.walk_stmt(innermost.body, &mut |node| {
            let Node::Expr(expr) = node else { return true };
            if let ExprKind::Index(..) = cx.program.expr(expr).kind {
                accesses.push(expr);
                // The indices of one element belong together.
                return false;
            }
            true
        });
        for access in accesses {
            let Some(variable) = cx.program.base_variable(access).filter(|it| !reported.contains(it)) else {
                continue;
            };
            let Some(distance) = distance(cx, access, innermost.variable) else { continue };
            // Arrays of a thread are in its registers or its own memory.
            if cx.program.is_declared_in(variable, directive) {
                continue;
            }
            reported.push(variable);
            let (name, counter) = (cx.name(variable), cx.name(innermost.variable));
            let message =
                format!("neighbouring threads, by `{counter}`, use elements of `{name}` {distance}");
            let mut diagnostic = cx.at(&RULE, cx.program.expr(access).range, message);
            diagnostic.related.extend(cx.related(directive.name_range, "divided among threads here"));
            cx.report(diagnostic);
        }
    }
}

/// How far apart the elements of neighbouring iterations are, in words; `None` if they are neighbours, one
/// element, or not known.
fn distance(cx: &Context<'_>, access: ExprId, counter: VariableId) -> Option<String> {
    let ExprKind::Index(base, index) = cx.program.expr(access).kind else { return None };
    let inner = match cx.program.expr(base).kind {
        ExprKind::Index(..) => stride_of_rows(cx, base, counter),
        _ => Some(Stride::None),
    }?;
    match (inner, stride(cx, index, counter)?) {
        (Stride::None, Stride::Constant(by)) => {
            let bytes = cx.program.size_of(&cx.program.expr(access).ty)?.checked_mul(by.unsigned_abs())?;
            (bytes >= SECTOR_BYTES && by.unsigned_abs() > 1).then(|| format!("that are {by} apart"))
        }
        (Stride::None, Stride::Variable) => Some("in different rows".to_owned()),
        (Stride::Constant(_) | Stride::Variable, Stride::None) => Some("in different rows".to_owned()),
        _ => None,
    }
}

/// What a counter's next value adds to an index.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stride {
    /// Nothing.
    None,
    /// A constant.
    Constant(i64),
    /// A value that is not constant.
    Variable,
}

/// The stride of the indices of an array's rows.
fn stride_of_rows(cx: &Context<'_>, expr: ExprId, counter: VariableId) -> Option<Stride> {
    let ExprKind::Index(base, index) = cx.program.expr(expr).kind else { return Some(Stride::None) };
    match (stride_of_rows(cx, base, counter)?, stride(cx, index, counter)?) {
        (Stride::None, Stride::None) => Some(Stride::None),
        _ => Some(Stride::Variable),
    }
}

/// The stride of a linear index; `None` if it is not understood.
fn stride(cx: &Context<'_>, expr: ExprId, counter: VariableId) -> Option<Stride> {
    match cx.program.expr(expr).kind {
        ExprKind::Variable(it) if it == counter => Some(Stride::Constant(1)),
        // A variable may depend on the counter.
        ExprKind::Variable(it) => is_invariant(cx, it).then_some(Stride::None),
        ExprKind::Integer(_) => Some(Stride::None),
        ExprKind::Cast(inner) => stride(cx, inner, counter),
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), a, b) => {
            match (stride(cx, a, counter)?, stride(cx, b, counter)?) {
                (it, Stride::None) => Some(it),
                (Stride::None, Stride::Constant(it)) if op == BinaryOp::Subtract => {
                    Some(Stride::Constant(it.checked_neg()?))
                }
                (Stride::None, it) => Some(it),
                (Stride::Constant(a), Stride::Constant(b)) if op == BinaryOp::Add => {
                    Some(Stride::Constant(a.checked_add(b)?))
                }
                _ => None,
            }
        }
        ExprKind::Binary(BinaryOp::Multiply, a, b) => {
            let (linear, factor) = match (stride(cx, a, counter)?, stride(cx, b, counter)?) {
                (Stride::None, Stride::None) => return Some(Stride::None),
                (it, Stride::None) => (it, b),
                (Stride::None, it) => (it, a),
                _ => return None,
            };
            let by = cx.program.constant(factor).and_then(|it| i64::try_from(it).ok());
            Some(match (linear, by) {
                (Stride::Constant(it), Some(by)) => Stride::Constant(it.checked_mul(by)?),
                _ => Stride::Variable,
            })
        }
        _ => None,
    }
}

/// Whether a variable has one value for neighbouring threads: a counter of a loop, a parameter that is not
/// assigned, a constant.
fn is_invariant(cx: &Context<'_>, variable: VariableId) -> bool {
    let declared = cx.program.variable(variable);
    let Some(body) = declared.function.and_then(|it| cx.program.function(it).body) else {
        return true;
    };
    let mut counts = false;
    cx.program.walk_stmt(body, &mut |node| {
        if let Node::Stmt(it) = node {
            counts |= loops::canonical(cx.program, it).is_ok_and(|it| it.variable == variable);
        }
        true
    });
    counts
        || cx.program.uses_of(variable, body).iter().all(|it| it.kind == crate::uses::UseKind::Read)
            && declared.initializer.is_none_or(|it| cx.program.constant(it).is_some())
}
