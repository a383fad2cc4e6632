//! `omp/needless-critical`

use apg_diagnostics::{Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{Construct, DirectiveId, ExprKind, StmtId, StmtKind, Storage, Type, VariableId};
use crate::rules::Context;
use crate::uses::UseKind;

/// Threads wait for each other to do what concerns themselves alone.
pub static RULE: Rule = Rule {
    code: "omp/needless-critical",
    severity: Severity::Hint,
    summary: "A `critical` region, or a loop in it, that touches the thread's own variables only.",
    explanation: r##"
One thread at a time is in a `critical` region; the others wait. What touches only variables of which each thread has its own needs no such protection: it
can stand in front of the region or behind it, where all threads do it at the same time.

Reported are whole regions, and loops at the beginning or the end of one. Move the loop out of the region, or remove the directive.
"##,
    failing: r##"
double sums[64];
void total(void) {
    #pragma omp parallel
    {
        double own[64];
        #pragma omp critical
        {
            for (int i = 0; i < 64; i++) own[i] = 2.0 * i;
            for (int i = 0; i < 64; i++) sums[i] += own[i];
        }
    }
}
"##,
    fixed: r##"
double sums[64];
void total(void) {
    #pragma omp parallel
    {
        double own[64];
        for (int i = 0; i < 64; i++) own[i] = 2.0 * i;
        #pragma omp critical
        {
            for (int i = 0; i < 64; i++) sums[i] += own[i];
        }
    }
}
"##,
};

/// Whether a variable is the thread's own at a directive inside of a parallel region, or no thread of the
/// region assigns it.
fn is_harmless(cx: &Context<'_>, at: DirectiveId, region: DirectiveId, variable: VariableId) -> bool {
    let program = cx.program;
    let of = program.variable(variable);
    // What pointers of the thread's own point to is not.
    if matches!(of.ty, Type::Pointer(_)) || of.is_volatile {
        return false;
    }
    let mut next = Some(at);
    while let Some(id) = next {
        if let Some(sharing) = program.sharing(id, variable) {
            let is_local = matches!(of.storage, Storage::Automatic | Storage::Parameter);
            let is_own = !sharing.attribute.is_shared();
            return is_own || is_local && is_only_read(cx, region, variable);
        }
        if id == region {
            break;
        }
        next = program.directive(id).parent;
    }
    false
}

fn is_only_read(cx: &Context<'_>, region: DirectiveId, variable: VariableId) -> bool {
    let body = cx.program.directive(region).body;
    cx.program.variable(variable).ty.is_arithmetic()
        && body.is_some_and(|it| cx.program.uses_of(variable, it).iter().all(|it| it.kind == UseKind::Read))
}

/// Whether a statement touches variables of the thread's own alone, and does not leave the region.
fn is_own(cx: &Context<'_>, at: DirectiveId, region: DirectiveId, stmt: StmtId) -> bool {
    let program = cx.program;
    let mut is_own = true;
    program.walk_stmt(stmt, &mut |node| {
        is_own &= match node {
            Node::Expr(id) => match &program.expr(id).kind {
                ExprKind::Variable(it) => is_harmless(cx, at, region, *it),
                // Elements that a pointer leads to may be those of others.
                ExprKind::Index(base, _) => matches!(program.expr(*base).ty, Type::Array(..)),
                ExprKind::Member { is_arrow: false, .. } => {
                    !matches!(program.expr(id).ty, Type::Pointer(_) | Type::Unknown)
                }
                ExprKind::Other(_)
                | ExprKind::Call(..)
                | ExprKind::Dereference(_)
                | ExprKind::AddressOf(_)
                | ExprKind::Member { is_arrow: true, .. }
                | ExprKind::Unresolved(_)
                | ExprKind::Coindexed(..)
                | ExprKind::Function(_) => false,
                _ => true,
            },
            Node::Stmt(it) => !matches!(
                program.stmt(it).kind,
                StmtKind::Asm(_) | StmtKind::Goto(_) | StmtKind::Return(_) | StmtKind::Label(..)
            ),
            Node::Directive(_) => false,
        };
        is_own
    });
    is_own
}

pub(super) fn check(cx: &mut Context<'_>) {
    let criticals: Vec<_> = cx.directives().filter(|it| it.1.has(Construct::Critical)).collect();
    for (id, directive) in criticals {
        let region = cx.around(directive).find(|it| it.1.has(Construct::Parallel)).map(|it| it.0);
        let Some((region, body)) = region.zip(directive.body) else { continue };
        let stmts = match &cx.program.stmt(body).kind {
            StmtKind::Block(stmts) => &stmts[..],
            _ => std::slice::from_ref(&body),
        };
        // A region without anything in it makes threads wait for each other on purpose.
        if stmts.is_empty() || matches!(cx.program.stmt(stmts[0]).kind, StmtKind::Empty) {
            continue;
        }
        if stmts.iter().all(|it| is_own(cx, id, region, *it)) {
            let message = "each thread has its own of all that this region touches: it needs no `critical`";
            let mut diagnostic = cx.at(&RULE, directive.name_range, message);
            diagnostic = diagnostic.note("remove the directive");
            cx.report(diagnostic);
            continue;
        }
        let ends = [stmts.first(), stmts.last()].into_iter().flatten().copied();
        for stmt in ends {
            let condition = match cx.program.stmt(stmt).kind {
                StmtKind::For { condition, .. } => condition,
                StmtKind::While(it, _) | StmtKind::DoWhile(_, it) => Some(it),
                _ => None,
            };
            if let Some(condition) = condition.filter(|_| is_own(cx, id, region, stmt)) {
                let message =
                    "this loop touches the thread's own variables only, and all other threads wait for it";
                let at = (cx.program.expr(condition).range, message.to_owned());
                cx.report_pair(
                    &RULE,
                    at,
                    (directive.name_range, "the region that one thread at a time is in"),
                );
            }
        }
    }
}
