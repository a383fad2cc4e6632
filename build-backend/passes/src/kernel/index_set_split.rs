//! Index-set splitting of work-item loops by guards on thread indices (Griebl, Feautrier and Lengauer, 2000).
//!
//! A guard such as `if (tx == 0n) ...` in a parallel region costs each thread a test and each vector a mask.
//! Where the code behind it reads no register of the code before it, the guarded statement gets its own loop
//! over the threads of a row that pass the guard; a guard on a slower axis is tested once per row.
//!
//! Each thread executes its statements in order; only the order between threads changes, which CUDA leaves
//! open. Conjuncts that are no index bounds stay as tests inside: only threads that certainly fail are
//! excluded.

use rustc_hash::FxHashSet;

use super::expressions::is_total;
use super::locals::{is_assigned_first, mentioned_locals};
use super::region_formation::{RegionTree, single_stmt};
use super::region_node::Storage;
use crate::analysis::constants::constant_value;
use apg_mir::*;

/// Rows of no more threads are a few vectors, for which a mask is cheaper than a loop.
const MAX_MASKED_ROW_THREADS: i64 = 32;
/// A loop of its own stores and reloads what the loops around it keep in registers: it pays if at most one
/// thread in this number passes.
const MIN_EXCLUDED_RATIO: i64 = 4;
/// From this stride on, single threads (for example the first lane of each warp) are cheaper one by one than
/// as masked vectors.
const MIN_REMAINDER_STRIDE: i64 = 8;

/// A relation between a thread's index and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `<`.
    Below,
    /// `<=`.
    UpTo,
    /// `>=`.
    From,
    /// `>`.
    Above,
    /// `==`.
    Is,
    /// The index modulo this number equals the value.
    Remainder(i64),
}

impl Relation {
    fn of(operation: Operation) -> Option<Relation> {
        Some(match operation {
            Operation::Lt => Relation::Below,
            Operation::Le => Relation::UpTo,
            Operation::Ge => Relation::From,
            Operation::Gt => Relation::Above,
            Operation::Eq => Relation::Is,
            _ => return None,
        })
    }

    fn mirrored(self) -> Relation {
        match self {
            Relation::Below => Relation::Above,
            Relation::UpTo => Relation::From,
            Relation::From => Relation::UpTo,
            Relation::Above => Relation::Below,
            Relation::Is | Relation::Remainder(_) => self,
        }
    }

    /// The operator of C++.
    pub fn symbol(self) -> &'static str {
        match self {
            Relation::Below => "<",
            Relation::UpTo => "<=",
            Relation::From => ">=",
            Relation::Above => ">",
            Relation::Is | Relation::Remainder(_) => "==",
        }
    }
}

/// A bound on the index of an axis (0 is the fastest) that a guard implies.
pub struct AxisBound<'a> {
    /// The axis, 0 is the fastest.
    pub axis: usize,
    /// The relation.
    pub relation: Relation,
    /// The value that the index is compared with.
    pub side: &'a Expr,
}

/// Statements for a sub-range of the threads.
pub struct SubRange<'a> {
    stmts: Vec<&'a Stmt>,
    /// The bounds, all of which hold.
    pub bounds: Vec<AxisBound<'a>>,
    /// The bounds are equivalent to the guard.
    is_exact: bool,
}

impl<'a> SubRange<'a> {
    /// Values that indices are compared with.
    pub fn sides(&self) -> impl Iterator<Item = &'a Expr> {
        self.bounds.iter().map(|it| it.side)
    }

    /// Statements for the threads within the bounds.
    pub fn inside(&self) -> Vec<&'a Stmt> {
        match self.stmts.as_slice() {
            [Stmt { kind: StmtKind::If { then, .. }, .. }] if self.is_exact && !self.bounds.is_empty() => {
                then.iter().collect()
            }
            all => all.to_vec(),
        }
    }
}

/// Splits a region at its guards, if one of them is worth a loop of its own.
pub fn split_by_guards<'a>(tree: &RegionTree<'a>, stmts: &[&'a Stmt]) -> Option<Vec<SubRange<'a>>> {
    let mut found = Vec::new();
    let is_alone = is_single_guard(tree, stmts);
    stmts.iter().for_each(|it| add_stmt(tree, it, is_alone, &mut found));
    merge_dependent(tree, &mut found);
    found.iter().any(|it| !it.bounds.is_empty()).then_some(found)
}

/// Whether the region consists of one guard.
fn is_single_guard<'a>(tree: &RegionTree<'a>, stmts: &[&'a Stmt]) -> bool {
    let mut found = None;
    stmts.iter().all(|it| single_stmt(tree, it, &mut found).is_some())
}

fn add_stmt<'a>(tree: &RegionTree<'a>, stmt: &'a Stmt, is_alone: bool, found: &mut Vec<SubRange<'a>>) {
    let mut bounds = Vec::new();
    let mut is_exact = false;
    match &stmt.kind {
        StmtKind::Block(body) => return body.iter().for_each(|it| add_stmt(tree, it, is_alone, found)),
        StmtKind::If { condition, otherwise, .. } if otherwise.is_empty() => {
            let is_complete = collect_bounds(tree, condition, &mut bounds) == Residual::None;
            let before = bounds.len();
            let row = tree.kernel().host.threads.last().and_then(constant_value);
            bounds.retain(|it| it.is_profitable(row, is_alone));
            let rest = bounds.iter().any(|it| matches!(it.relation, Relation::Remainder(_)));
            is_exact = is_complete && bounds.len() == before && !rest;
        }
        _ => {}
    }
    match found.last_mut() {
        Some(last) if last.bounds.is_empty() && bounds.is_empty() => last.stmts.push(stmt),
        _ => found.push(SubRange { stmts: vec![stmt], bounds, is_exact }),
    }
}

/// Merges sub-ranges that pass values in registers.
fn merge_dependent<'a>(tree: &RegionTree<'a>, found: &mut Vec<SubRange<'a>>) {
    let all: Vec<&Stmt> = found.iter().flat_map(|it| it.stmts.iter().copied()).collect();
    for local in mentioned_locals(&all) {
        if tree.storage.get(local.index()) != Some(&Storage::Register) {
            continue;
        }
        let mentions = |it: &SubRange<'_>| mentioned_locals(&it.stmts).contains(&local);
        let reads_first =
            |it: &SubRange<'_>| mentions(it) && !is_assigned_first(it.stmts.iter().copied(), local);
        let (Some(first), Some(last)) =
            (found.iter().position(mentions), found.iter().rposition(reads_first))
        else {
            continue;
        };
        if first < last {
            let stmts = found.drain(first..=last).flat_map(|it| it.stmts).collect();
            found.insert(first, SubRange { stmts, bounds: Vec::new(), is_exact: false });
        }
    }
}

/// The part of a condition that the collected bounds do not express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Residual {
    None,
    /// Something pure and total: excluded threads need not evaluate it.
    Pure,
    /// Something that excluded threads have to evaluate.
    Required,
}

/// Collects the bounds of a condition from left to right, up to what all threads must evaluate.
fn collect_bounds<'a>(tree: &RegionTree<'a>, expr: &'a Expr, found: &mut Vec<AxisBound<'a>>) -> Residual {
    let both = |a: &'a Expr, b: &'a Expr, found: &mut Vec<AxisBound<'a>>| match collect_bounds(tree, a, found)
    {
        Residual::Required => Residual::Required,
        first => match collect_bounds(tree, b, found) {
            Residual::None => first,
            second => second,
        },
    };
    match &expr.kind {
        ExprKind::And(a, b) => both(a, b, found),
        ExprKind::Local(local) => rematerialized_value(tree, *local)
            .map_or(Residual::Required, |it| collect_bounds(tree, it, found)),
        ExprKind::Operation { operation, args } => match (args.as_slice(), Relation::of(*operation)) {
            // A strict conjunction evaluates its second operand for all threads.
            ([a, b], _) if *operation == Operation::And && expr.ty == Ty::Bool => {
                let before = found.len();
                let rest = both(a, b, found);
                if rest == Residual::Required {
                    found.truncate(before);
                }
                rest
            }
            ([a, b], Some(relation)) => {
                if let Some(bound) =
                    axis_bound(tree, a, relation, b).or_else(|| axis_bound(tree, b, relation.mirrored(), a))
                {
                    found.push(bound);
                    return Residual::None;
                }
                let is_pure = |it: &&Expr| matches!(it.ty, Ty::I32 | Ty::I64) && is_total(it);
                if [a, b].iter().copied().all(|it| is_pure(&it)) {
                    Residual::Pure
                } else {
                    Residual::Required
                }
            }
            _ => Residual::Required,
        },
        _ => Residual::Required,
    }
}

impl AxisBound<'_> {
    /// Upper bound of the threads that pass, of a row of `row`.
    fn passing(&self, row: i64) -> i64 {
        let Some(side) = constant_value(self.side) else { return row };
        let passing = match self.relation {
            Relation::Below => side,
            Relation::UpTo => side.saturating_add(1),
            Relation::From => row.saturating_sub(side),
            Relation::Above => row.saturating_sub(side).saturating_sub(1),
            Relation::Is => 1,
            Relation::Remainder(number) => row / number,
        };
        passing.clamp(0, row)
    }

    fn is_profitable(&self, row: Option<i64>, is_alone: bool) -> bool {
        match self.relation {
            Relation::Remainder(number) => number >= MIN_REMAINDER_STRIDE,
            Relation::Is => true,
            _ if self.axis > 0 => true,
            _ if is_alone => row.is_none_or(|it| it > MAX_MASKED_ROW_THREADS),
            _ => row.is_some_and(|it| self.passing(it) <= it / MIN_EXCLUDED_RATIO),
        }
    }
}

/// The bound that a comparison implies.
fn axis_bound<'a>(
    tree: &RegionTree<'a>,
    value: &'a Expr,
    relation: Relation,
    side: &'a Expr,
) -> Option<AxisBound<'a>> {
    let relation_of = |number| (relation == Relation::Is).then_some(Relation::Remainder(number));
    if let Some((axis, number)) = remainder_axis(tree, value) {
        constant_value(side).filter(|it| (0..number).contains(it))?;
        return Some(AxisBound { axis, relation: relation_of(number)?, side });
    }
    let axis = index_axis(tree, value).filter(|_| is_uniform_total(tree, side))?;
    Some(AxisBound { axis, relation, side })
}

/// Axis and modulus of an index modulo a constant, such as the lane in a warp.
fn remainder_axis(tree: &RegionTree<'_>, expr: &Expr) -> Option<(usize, i64)> {
    match &expr.kind {
        _ if !matches!(expr.ty, Ty::I32 | Ty::I64) => None,
        ExprKind::Local(local) => remainder_axis(tree, rematerialized_value(tree, *local)?),
        ExprKind::Operation { operation: Operation::Convert, args } => remainder_axis(tree, args.first()?),
        ExprKind::Operation { operation, args } => {
            let [index, number] = args.as_slice() else { return None };
            let number = match (operation, constant_value(number)?) {
                (Operation::Rem, number) => number,
                (Operation::And, mask) => mask.checked_add(1).filter(|it| it & mask == 0)?,
                _ => return None,
            };
            Some((index_axis(tree, index)?, number)).filter(|_| number > 1)
        }
        _ => None,
    }
}

/// Whether an integer is block-uniform and its evaluation cannot fail.
fn is_uniform_total(tree: &RegionTree<'_>, expr: &Expr) -> bool {
    matches!(expr.ty, Ty::I32 | Ty::I64) && is_total(expr) && tree.is_uniform(expr, &FxHashSet::default())
}

fn rematerialized_value<'a>(tree: &RegionTree<'a>, local: LocalId) -> Option<&'a Expr> {
    tree.rematerialized.iter().find(|it| it.local == local && !it.has_offset).map(|it| it.value)
}

/// The axis whose index a value is.
fn index_axis(tree: &RegionTree<'_>, expr: &Expr) -> Option<usize> {
    match &expr.kind {
        _ if !matches!(expr.ty, Ty::I32 | Ty::I64) => None,
        ExprKind::Local(local) => {
            let own = tree.kernel().thread_locals.iter().rev().position(|it| it == local);
            own.or_else(|| index_axis(tree, rematerialized_value(tree, *local)?))
        }
        ExprKind::Operation { operation: Operation::Convert, args } => index_axis(tree, args.first()?),
        _ => None,
    }
}
