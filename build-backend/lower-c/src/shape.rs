//! Shapes of `target` regions: their directives, and the loops whose iterations threads share.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{
    Clause, Construct, Directive, DirectiveId, ExprId, ExprKind, Program, StmtId, StmtKind,
};
use apg_c_analysis::loops::{self, CanonicalLoop};

use crate::changes::is_changed;
use crate::data::check_clauses;
use crate::loops::{check_perfect_nest, not_canonical};
use crate::unsupported::{Lowered, unsupported};

/// The shape of a region: its directives, and what threads share.
pub(crate) struct Shape {
    /// The outermost first; the others are the only statement of the one before.
    pub chain: Vec<DirectiveId>,
    pub constructs: Vec<Construct>,
    pub loops: Vec<CanonicalLoop>,
    /// What each iteration, or the only thread, does.
    pub body: StmtId,
}

impl Shape {
    /// All threads belong to one team.
    pub(crate) fn is_one_team(&self) -> bool {
        !self.constructs.contains(&Construct::Teams)
    }

    /// Threads of a team share iterations, not teams alone.
    pub(crate) fn is_parallel(&self) -> bool {
        self.constructs.iter().any(|it| matches!(it, Construct::Parallel | Construct::Loop))
    }

    /// Each team executes all iterations: neither `distribute` nor a `loop` of the league divides them among
    /// the teams (OpenMP 5.2, sections 10.2 and 11.5).
    pub(crate) fn is_of_each_team(&self) -> bool {
        !self.is_one_team() && !is_divided_among_teams(&self.constructs)
    }

    /// One thread executes it.
    pub(crate) fn is_serial(&self) -> bool {
        self.loops.is_empty() && self.is_one_team() && !self.is_parallel()
    }

    /// The threads of a block are a team that executes it: they share what its constructs divide.
    pub(crate) fn is_of_block_teams(&self) -> bool {
        self.loops.is_empty() && self.is_parallel()
    }

    pub(crate) fn clause<'h>(&self, hir: &'h Program, name: &str) -> Option<&'h Clause> {
        self.chain.iter().find_map(|it| hir.directive(*it).clause(name))
    }
}

/// The shape of a region, or why it has no device form.
pub(crate) fn shape(hir: &Program, directive: DirectiveId) -> Lowered<Shape> {
    let mut chain = vec![directive];
    let mut constructs = hir.directive(directive).constructs.clone();
    let mut last = hir.directive(directive);
    while !last.is_loop() {
        let Some(inner) = last.body.and_then(|it| only_directive(hir, it)) else { break };
        let of = hir.directive(inner);
        let is_part = |it: &Construct| {
            use Construct::*;
            matches!(it, Teams | Distribute | Parallel | For | Simd | Loop)
        };
        let is_executed_whole = is_of_each(&constructs, of) || is_simd_of_each(&constructs, of);
        let is_team_of_thread = constructs.contains(&Construct::Parallel) && of.has(Construct::Parallel);
        if of.constructs.is_empty()
            || !of.constructs.iter().all(is_part)
            || is_executed_whole
            || is_team_of_thread
        {
            break;
        }
        chain.push(inner);
        constructs.extend(of.constructs.iter().copied());
        last = of;
    }
    for directive in &chain {
        check_clauses(hir.directive(*directive))?;
    }
    let range = hir.directive(directive).range;
    let Some(body) = last.body else { return unsupported(range, "this region is empty", "leave it out") };
    if !last.is_loop() {
        return Ok(Shape { chain, constructs, loops: Vec::new(), body });
    }
    let (loops, problem) = loops::associated(hir, last);
    if let Some(problem) = problem {
        return not_canonical(hir, problem, last.range);
    }
    if loops.len() < loops::loop_count(hir, last) {
        return unsupported(last.range, "a directive stands between the loops", "`collapse` fewer loops");
    }
    let mut body = loops.last().map_or(body, |it| it.body);
    check_perfect_nest(hir, &loops)?;
    let mut loops = loops;
    if let Some(inner) = inner_parallel_loop(hir, &constructs, body, &loops) {
        check_clauses(hir.directive(inner.directive))?;
        chain.push(inner.directive);
        constructs.extend(hir.directive(inner.directive).constructs.iter().copied());
        body = inner.loops.last().map_or(body, |it| it.body);
        loops.extend(inner.loops);
    }
    Ok(Shape { chain, constructs, loops, body })
}

/// Whether each of the teams or threads around executes all iterations of a `loop` construct (OpenMP 5.2,
/// section 11.7.1).
fn is_of_each(around: &[Construct], of: &Directive) -> bool {
    let is_in = |construct| around.contains(&construct) || of.has(construct);
    match of.clause("bind").and_then(Clause::word) {
        Some("thread") => is_in(Construct::Teams) || is_in(Construct::Parallel),
        Some("parallel") => is_in(Construct::Teams) && !is_in(Construct::Parallel),
        _ => false,
    }
}

/// Whether each of the teams or threads around executes all iterations of a `simd` construct, which divides
/// them among no threads (OpenMP 5.2, section 10.4).
fn is_simd_of_each(around: &[Construct], of: &Directive) -> bool {
    of.constructs == [Construct::Simd]
        && around.iter().any(|it| matches!(it, Construct::Teams | Construct::Parallel))
}

/// Whether constructs divide iterations among the teams of a league.
fn is_divided_among_teams(constructs: &[Construct]) -> bool {
    use Construct::*;
    constructs.contains(&Distribute) || constructs.contains(&Loop) && !constructs.contains(&Parallel)
}

/// A parallel loop that is all that the iterations of `distribute` do.
struct InnerLoop {
    directive: DirectiveId,
    loops: Vec<CanonicalLoop>,
}

/// The parallel loop inside of `distribute` whose iterations all threads can share together with the outer
/// ones: its bounds are the same in all of them, and its clauses concern each iteration only.
fn inner_parallel_loop(
    hir: &Program,
    constructs: &[Construct],
    body: StmtId,
    outer: &[CanonicalLoop],
) -> Option<InnerLoop> {
    use Construct::*;
    if !constructs.contains(&Distribute) || constructs.contains(&Parallel) {
        return None;
    }
    let directive = only_directive(hir, body)?;
    let of = hir.directive(directive);
    let is_loop = matches!(of.constructs[..], [Parallel, For] | [Parallel, For, Simd] | [Parallel, Loop]);
    let concerns_iterations = |it: &Clause| {
        matches!(&*it.name, "collapse" | "default" | "private" | "proc_bind" | "schedule" | "shared")
    };
    if !is_loop || !of.clauses.iter().all(concerns_iterations) {
        return None;
    }
    let (loops, problem) = loops::associated(hir, of);
    let is_whole = problem.is_none() && loops.len() == loops::loop_count(hir, of);
    let counters: Vec<_> = outer.iter().chain(&loops).map(|it| it.variable).collect();
    let bounds = loops.iter().flat_map(|it| [Some(it.start), Some(it.end), it.step]).flatten();
    let is_fixed = |bound: ExprId| {
        let mut is_fixed = true;
        hir.walk_expr(bound, &mut |node| {
            let Node::Expr(id) = node else { return true };
            is_fixed &= match hir.expr(id).kind {
                ExprKind::Variable(it) => !counters.contains(&it) && !is_changed(hir, body, it),
                ExprKind::Integer(_) | ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Cast(_) => true,
                ExprKind::Unevaluated => true,
                _ => false,
            };
            is_fixed
        });
        is_fixed
    };
    let is_rectangular = bounds.into_iter().all(is_fixed) && check_perfect_nest(hir, &loops).is_ok();
    (is_whole && is_rectangular).then_some(InnerLoop { directive, loops })
}

/// The directive that a statement is, inside of blocks with nothing else.
fn only_directive(hir: &Program, mut stmt: StmtId) -> Option<DirectiveId> {
    loop {
        match &hir.stmt(stmt).kind {
            StmtKind::Block(stmts) => match stmts[..] {
                [only] => stmt = only,
                _ => return None,
            },
            StmtKind::Directive(id) => return Some(*id),
            _ => return None,
        }
    }
}
