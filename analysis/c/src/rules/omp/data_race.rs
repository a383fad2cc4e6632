//! `omp/data-race`, and the kinds of data races that have an obvious repair.

use apg_c_syntax::TextRange;
use apg_diagnostics::{Related, Rule, Severity};
use apg_kernels::fork_join::overlap::Side;
use apg_kernels::fork_join::{Access, Race};
use rustc_hash::FxHashSet;

use super::{missing_for, missing_private, missing_reduction, shared_counter, unprotected_update};
use crate::Diagnostic;
use crate::hir::visit::Node;
use crate::hir::{BinaryOp, Construct, Directive, DirectiveId, ExprId, ExprKind, StmtKind, VariableId};
use crate::loops;
use crate::race::{Origin, Races};
use crate::rules::Context;
use crate::updates;

/// Two threads use one element, and one of them stores.
pub static RULE: Rule = Rule {
    code: "omp/data-race",
    severity: Severity::Warning,
    summary: "Two threads use one element at the same time, and one of them stores to it.",
    explanation: r##"
Nothing orders the two accesses: no barrier, no `critical` of one name, no lock, no dependence of tasks. Which of them comes first differs from run
to run, and so does the result; the program has no defined meaning (OpenMP 5.2, section 1.4.1).

The message names the two accesses and, in a loop, two iterations that meet in one element. Reported is only what is certain: an index that is not
understood is passed over, and so are constructs of OpenACC.

Store to another array than is read, let each iteration touch elements of its own, put a barrier between the two, or protect both by one `critical`.
"##,
    failing: r##"
void shift(double *a, int n) {
    #pragma omp parallel for
    for (int i = 0; i < n - 1; i++) a[i] = a[i + 1];
}
"##,
    fixed: r##"
void shift(double *restrict b, const double *a, int n) {
    #pragma omp parallel for
    for (int i = 0; i < n - 1; i++) b[i] = a[i + 1];
}
"##,
};

/// The races on one variable in one region.
struct Finding<'r> {
    races: &'r Races,
    race: &'r Race,
    origin: Origin,
}

impl<'r> Finding<'r> {
    fn write(&self) -> &'r Access<ExprId> {
        &self.races.accesses[self.race.write]
    }

    fn other(&self) -> &'r Access<ExprId> {
        &self.races.accesses[self.race.other]
    }

    /// All accesses to the whole variable in the region, in the order of the program.
    fn accesses(&self) -> Vec<&'r Access<ExprId>> {
        let all = self.races.accesses.iter().zip(&self.races.origins);
        let mut found: Vec<_> = all.filter(|it| *it.1 == self.origin).map(|it| it.0).collect();
        found.sort_by_key(|it| it.time);
        found
    }
}

pub(super) fn check(cx: &mut Context<'_>) {
    let races = std::mem::take(&mut cx.races);
    let mut seen: FxHashSet<(DirectiveId, Option<VariableId>, u32)> = FxHashSet::default();
    let mut found = Vec::new();
    for race in &races.races {
        let origin = races.origins[race.write];
        if !seen.insert((origin.region, origin.variable, races.accesses[race.write].object)) {
            continue;
        }
        let region = cx.program.directive(origin.region);
        if cx.has_error_in(region) {
            continue;
        }
        // The loop that each thread runs as a whole is reported as such.
        if region.constructs.last() == Some(&Construct::Parallel)
            && region.body.is_some_and(|it| missing_for::loop_of_each_thread(cx, it).is_some())
        {
            continue;
        }
        found.push(diagnostic(cx, &Finding { races: &races, race, origin }));
    }
    found.into_iter().for_each(|it| cx.report(it));
}

fn diagnostic(cx: &Context<'_>, finding: &Finding<'_>) -> Diagnostic {
    let is_whole = finding.write().selectors.is_empty();
    match finding.origin.variable.filter(|_| is_whole) {
        Some(variable) => of_variable(cx, finding, variable),
        None => general(cx, finding),
    }
}

fn range_of(cx: &Context<'_>, access: &Access<ExprId>) -> TextRange {
    cx.program.expr(access.site).range
}

fn text_of<'c>(cx: &Context<'c>, access: &Access<ExprId>) -> &'c str {
    cx.source(range_of(cx, access)).unwrap_or("this")
}

fn other_place(
    cx: &Context<'_>,
    access: &Access<ExprId>,
    message: &str,
) -> Option<Related<std::path::PathBuf>> {
    cx.related(range_of(cx, access), message)
}

fn general(cx: &Context<'_>, finding: &Finding<'_>) -> Diagnostic {
    let (write, other) = (finding.write(), finding.other());
    let (a, b) = (text_of(cx, write), text_of(cx, other));
    let message = match (other.is_write, write.site == other.site) {
        (true, true) => format!("several threads store to one `{a}` at the same time"),
        (true, false) => {
            format!("one thread stores to `{a}` while another stores to `{b}`: they are the same")
        }
        (false, _) if a == b => format!("one thread stores to `{a}` while another reads it"),
        (false, _) => format!("one thread stores to `{a}` while another reads `{b}`: they are the same"),
    };
    let mut diagnostic = cx.at(&RULE, range_of(cx, write), message);
    if let Some(example) = example(cx, finding) {
        diagnostic = diagnostic.note(example);
    }
    if write.site != other.site {
        let what = if other.is_write { "the other store" } else { "the read" };
        diagnostic.related.extend(other_place(cx, other, what));
    }
    diagnostic
}

/// Two iterations that meet, in words.
fn example(cx: &Context<'_>, finding: &Finding<'_>) -> Option<String> {
    let side = |access: &Access<ExprId>, side: Side| {
        let mut parts = Vec::new();
        for symbol in access.path.iter().flat_map(|it| it.symbols()) {
            let Some(variable) = finding.races.counters.get(symbol) else { continue };
            let value = finding.race.example.get(&(*symbol, side));
            let value = value.or_else(|| finding.race.example.get(&(*symbol, Side::Both)));
            parts.push(format!("{} = {}", cx.name(*variable), value?));
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    };
    let (first, second) = (side(finding.write(), Side::First)?, side(finding.other(), Side::Second)?);
    (first != second).then(|| format!("for example the iterations with {first} and with {second}"))
}

/// A race on a variable that all threads share.
fn of_variable(cx: &Context<'_>, finding: &Finding<'_>, variable: VariableId) -> Diagnostic {
    let region = cx.program.directive(finding.origin.region);
    let name = cx.name(variable);
    let accesses = finding.accesses();
    let write = range_of(cx, finding.write());
    // A clause is about the variable where the construct names it, not in functions that it calls.
    let body = region.body.map_or(region.range, |it| cx.program.stmt(it).range);
    let is_named_here = accesses.iter().all(|it| {
        let site = range_of(cx, it);
        body.contains_range(site) || region.range.contains_range(site)
    });
    let may_add = |clause: &str| {
        let is_named = region
            .clauses
            .iter()
            .any(|it| it.items.iter().any(|it| it.variable(cx.program) == Some(variable)));
        is_named_here && !is_named && super::clause_not_allowed::takes(region, clause)
    };
    if is_counter(cx, finding.origin.region, variable) {
        let message = format!("all threads count with one `{name}`");
        let mut diagnostic = cx.at(&shared_counter::RULE, write, message);
        diagnostic.fixes.extend(
            may_add("private").then(|| cx.append_clause(region, &format!("private({name})"))).flatten(),
        );
        return diagnostic;
    }
    if let Some(op) = common_update(cx, &accesses) {
        let is_divided = region.is_loop() && accesses.iter().all(|it| it.locks.is_empty());
        let message = format!("several threads update `{name}` at the same time: updates are lost");
        if is_divided && may_add("reduction") && is_reducible(op) {
            let mut diagnostic = cx.at(&missing_reduction::RULE, write, message);
            let sign = if op == BinaryOp::Subtract { "+" } else { op.text() };
            diagnostic.fixes.extend(cx.append_clause(region, &format!("reduction({sign}: {name})")));
            return diagnostic;
        }
        let mut diagnostic = cx.at(&unprotected_update::RULE, write, message);
        let unprotected: Vec<_> = accesses.iter().filter(|it| it.is_write && !it.is_atomic).collect();
        if let [only] = unprotected[..] {
            diagnostic
                .fixes
                .extend(statement_of(cx, only.site).and_then(|it| cx.insert_directive(it, "omp atomic")));
        }
        return diagnostic;
    }
    let is_result = || is_stored_in_each(cx, region, &accesses) && may_add("lastprivate");
    let is_used = accesses.iter().any(|it| !it.is_write) || is_result();
    if is_used && is_stored_first(cx, &accesses) && region.is_loop() && may_add("private") {
        let message = format!("all threads store to one `{name}`, which each of them uses for itself");
        let mut diagnostic = cx.at(&missing_private::RULE, write, message);
        let is_read_after = is_read_after(cx, finding.origin.region, variable);
        let clause = if is_read_after && may_add("lastprivate") { "lastprivate" } else { "private" };
        diagnostic.fixes.extend(cx.append_clause(region, &format!("{clause}({name})")));
        return diagnostic;
    }
    general(cx, finding)
}

/// Whether a sequential loop in a region counts with a variable.
fn is_counter(cx: &Context<'_>, region: DirectiveId, variable: VariableId) -> bool {
    let mut found = false;
    if let Some(body) = cx.program.directive(region).body {
        cx.program.walk_stmt(body, &mut |node| {
            if let Node::Stmt(stmt) = node {
                found |= loops::canonical(cx.program, stmt).is_ok_and(|it| it.variable == variable);
            }
            true
        });
    }
    found
}

/// The update whose target an expression is.
fn update_of(cx: &Context<'_>, site: ExprId) -> Option<(ExprId, BinaryOp)> {
    let range = cx.program.expr(site).range;
    let all = cx.program.exprs.iter().enumerate().skip(site.index());
    let around = all.filter(|it| it.1.range.contains_range(range));
    around.map(|it| ExprId::new(it.0)).find_map(|it| {
        let (target, op) = updates::update(cx.program, it)?;
        let is_operand = || {
            let mut found = false;
            cx.program.walk_expr(it, &mut |node| {
                found |= node == Node::Expr(site);
                true
            });
            found && updates::is_same(cx.program, site, target)
        };
        (target == site || is_operand()).then_some((it, op))
    })
}

/// The operator of all accesses, if each belongs to an update of one kind.
fn common_update(cx: &Context<'_>, accesses: &[&Access<ExprId>]) -> Option<BinaryOp> {
    let mut common = None;
    for access in accesses {
        let (_, op) = update_of(cx, access.site)?;
        let op = if op == BinaryOp::Subtract { BinaryOp::Add } else { op };
        if common.is_some_and(|it| it != op) {
            return None;
        }
        common = Some(op);
    }
    common
}

fn is_reducible(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Add | Multiply | BitAnd | BitOr | BitXor | And | Or)
}

/// Whether each execution stores a value before it reads one.
fn is_stored_first(cx: &Context<'_>, accesses: &[&Access<ExprId>]) -> bool {
    let Some(first) = accesses.first() else { return false };
    let is_plain = first.is_write && update_of(cx, first.site).is_none();
    is_plain && accesses.iter().all(|it| it.constraints.len() >= first.constraints.len())
}

/// Whether each iteration of a divided loop stores a value, under no condition: the last one is the result.
fn is_stored_in_each(cx: &Context<'_>, region: &Directive, accesses: &[&Access<ExprId>]) -> bool {
    let (found, _) = loops::associated(cx.program, region);
    let (Some(innermost), Some(first)) = (found.last(), accesses.first()) else { return false };
    let site = range_of(cx, first);
    let mut is_in_each = true;
    cx.program.walk_stmt(innermost.body, &mut |node| {
        if let Node::Stmt(it) = node {
            let stmt = cx.program.stmt(it);
            let is_plain =
                matches!(stmt.kind, StmtKind::Block(_) | StmtKind::Expr(_) | StmtKind::Directive(_));
            let leaves = matches!(stmt.kind, StmtKind::Continue | StmtKind::Goto(_));
            let is_earlier = leaves && stmt.range.end() <= site.start();
            is_in_each &= !is_earlier && (is_plain || !stmt.range.contains_range(site));
        }
        true
    });
    is_in_each
}

/// Whether the function reads a variable after a region.
fn is_read_after(cx: &Context<'_>, region: DirectiveId, variable: VariableId) -> bool {
    let program = cx.program;
    let directive = program.directive(region);
    let end = directive.body.map_or(directive.range.end(), |it| program.stmt(it).range.end());
    let is_global = program.variable(variable).has_static_storage();
    let targets: FxHashSet<ExprId> = program
        .exprs
        .iter()
        .filter_map(|it| match it.kind {
            ExprKind::Assign(None, target, _) => Some(target),
            _ => None,
        })
        .collect();
    let mut uses = program
        .exprs
        .iter()
        .enumerate()
        .filter(|(_, it)| it.kind == ExprKind::Variable(variable) && it.range.start() >= end);
    let first = uses.next();
    is_global || first.is_some_and(|it| !targets.contains(&ExprId::new(it.0)))
}

/// The range of the expression statement that an expression belongs to.
fn statement_of(cx: &Context<'_>, site: ExprId) -> Option<TextRange> {
    let (update, _) = update_of(cx, site)?;
    let is_it = |it: &&crate::hir::Stmt| it.kind == StmtKind::Expr(update);
    Some(cx.program.stmts.iter().find(is_it)?.range)
}
