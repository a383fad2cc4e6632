//! Bounds-check elimination for kernels (Bodik, Gupta and Sarkar, *ABCD*, PLDI 2000, for the goal; here with
//! launch-time conditions).
//!
//! One walk over the body interprets integer locals as affine forms of the block index, the thread index,
//! iteration numbers, and values that the host knows. Conditions that the compiler cannot decide are
//! collected in a host function, which is evaluated at each launch. If they hold, the launch runs code
//! without these checks.
//!
//! Soundness: a form is the exact value only under its `assumptions`; facts from guards are used only where
//! the guard holds; a local that changes in an unknown way is unknown from the loop's head on.

mod evaluate;
pub mod facts;
mod form;
mod interpret;
mod launch_conditions;
mod loop_ranges;
mod narrow_i32;
mod permuted_locals;
mod refine;
mod value_key;
mod widen_i64;

pub use launch_conditions::{LaunchConditions, LaunchValue};
pub use widen_i64::is_wide;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::constants::constant_value;
use crate::analysis::locals::collect_assigned;
use crate::analysis::ranges::facts::{CheckElimination, NarrowedExprs};
use apg_mir::*;
use apg_symbolic::{Comparison, ExprPool, SymExpr, SymRange};
use form::{Assumptions, Form, SymbolicContext};
use value_key::ValueKey;

/// Upper limit of locals that are replaced by their definitions for one index.
const MAX_EXPANDED_LOCALS: u32 = 48;

/// The last bit of [`CheckElimination::AtLaunch`]; further conditions share it.
const LAST_CONDITION_BIT: usize = 31;

/// Results of the analysis of a body.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// Decisions for index expressions, and for divisors, which must not be zero.
    pub check_elimination: FxHashMap<ExprId, CheckElimination>,
    /// Indices that can be computed with 64 bits, and steps of counters that do not wrap.
    pub wide: FxHashSet<ExprId>,
    /// Expressions that a device can compute with 32 bits.
    pub narrow: NarrowedExprs,
    /// Conditions that the decisions rest on.
    pub launch: LaunchConditions,
}

/// Abstract state at a point of the body.
#[derive(Clone, Default)]
struct AbstractState<'a> {
    /// Values of integer locals.
    values: FxHashMap<LocalId, Form>,
    /// Arrays that other locals refer to.
    aliases: FxHashMap<LocalId, LocalId>,
    /// Definitions of integer locals, while their operands are unchanged.
    definitions: FxHashMap<LocalId, &'a Expr>,
    /// Definitions of boolean locals.
    predicates: FxHashMap<LocalId, &'a Expr>,
    /// Values of expressions refined by guards.
    refined: FxHashMap<ValueKey, Form>,
    /// Forms that guards prove to be non-negative.
    nonnegative: Vec<Form>,
    /// Host conditions under which this point is reached.
    path_conditions: Vec<SymExpr>,
}

struct BoundsChecker<'a> {
    context: SymbolicContext,
    state: AbstractState<'a>,
    /// Evaluation uses facts from guards.
    uses_guards: bool,
    /// Number of locals that may still be replaced by their definitions, about which guards may say more.
    expansion_budget: u32,
    /// Captures that nothing assigns.
    uniform: FxHashSet<LocalId>,
    lengths: FxHashMap<LocalId, SymExpr>,
    check_elimination: FxHashMap<ExprId, CheckElimination>,
    /// Launch conditions of accesses and divisions.
    conditions: Vec<SymExpr>,
    /// See [`widen_i64::WidenAnalysis`].
    wide: widen_i64::WidenAnalysis,
    /// See [`narrow_i32::NarrowAnalysis`].
    narrow: narrow_i32::NarrowAnalysis,
}

/// Analyses a kernel.
pub fn analyse_kernel(kernel: &Kernel) -> Bounds {
    let mut checker = BoundsChecker::new(&kernel.body);
    checker.bind_captures(kernel);
    checker.bind_indices(kernel);
    checker.visit_shared_initialisers(kernel);
    checker.visit_stmts(&kernel.body);
    let given: FxHashSet<LocalId> = predefined_locals(kernel);
    checker.finish(|local| kernel.locals[local.index()].ty == Ty::I64 && !given.contains(&local))
}

/// Locals of a kernel that have values without assignments.
fn predefined_locals(kernel: &Kernel) -> FxHashSet<LocalId> {
    let captured = (0..kernel.captures.len() as u32).map(LocalId);
    let filled = kernel.shared.iter().filter_map(|it| match it.init {
        SharedInit::Function { index, .. } => Some(index),
        _ => None,
    });
    let numbers = kernel.block_locals.iter().chain(&kernel.thread_locals).copied();
    captured.chain(filled).chain(numbers).chain(kernel.auto_blocks).chain(kernel.auto_threads).collect()
}

/// Analyses a function that kernels call. It has no launch conditions: only what always holds counts.
pub fn analyse_function(function: &Function) -> Bounds {
    let mut checker = BoundsChecker::new(&function.body);
    checker.visit_stmts(&function.body);
    let mut bounds = checker.finish(|_| false);
    for elimination in bounds.check_elimination.values_mut() {
        if matches!(elimination, CheckElimination::AtLaunch(_)) {
            *elimination = CheckElimination::Unknown;
        }
    }
    bounds
}

impl<'a> BoundsChecker<'a> {
    fn new(body: &[Stmt]) -> BoundsChecker<'a> {
        let mut lengths = FxHashMap::default();
        walk::visit_stmts(body, &mut |stmt| {
            if let StmtKind::Set { local, value } = &stmt.kind
                && let ExprKind::AllocateRail { length, .. } = &value.kind
                && let Some(length) = constant_value(length)
            {
                lengths.insert(*local, SymExpr::Const(length));
            }
        });
        BoundsChecker {
            context: SymbolicContext::default(),
            state: AbstractState::default(),
            uses_guards: true,
            expansion_budget: 0,
            uniform: FxHashSet::default(),
            lengths,
            check_elimination: FxHashMap::default(),
            conditions: Vec::new(),
            wide: widen_i64::WidenAnalysis::default(),
            narrow: narrow_i32::NarrowAnalysis::new(body),
        }
    }

    /// Binds captured scalars and the lengths of captured arrays to values that the host knows.
    fn bind_captures(&mut self, kernel: &Kernel) {
        let mut assigned = FxHashSet::default();
        collect_assigned(&kernel.body, &mut assigned);
        for (index, capture) in kernel.captures.iter().enumerate() {
            let local = LocalId(index as u32);
            match capture.kind {
                KernelCaptureKind::Scalar(ty) if assigned.contains(&local) => {
                    let initial = Expr::new(ty, ExprKind::Local(local));
                    if evaluate::type_range(ty).is_some() {
                        let value = self.context.captured(&initial);
                        self.state.values.insert(local, Form::constant(value));
                    }
                }
                KernelCaptureKind::Scalar(_) => {
                    self.uniform.insert(local);
                }
                _ => {
                    let length = self.context.launch_value(LaunchValue::RailLength(local));
                    self.lengths.insert(local, length);
                }
            }
        }
    }

    /// Binds the indices of blocks and threads, their numbers, and the lengths of shared arrays.
    fn bind_indices(&mut self, kernel: &Kernel) {
        for (local, count) in
            [(kernel.auto_blocks, LaunchValue::BlockCount), (kernel.auto_threads, LaunchValue::ThreadCount)]
        {
            if let Some(local) = local {
                let form = Form::constant(self.context.launch_value(count));
                self.state.values.insert(local, form);
            }
        }
        let blocks: fn(u32) -> LaunchValue = LaunchValue::Blocks;
        let threads: fn(u32) -> LaunchValue = LaunchValue::Threads;
        let axes = [
            (&kernel.block_locals, &kernel.host.blocks, blocks),
            (&kernel.thread_locals, &kernel.host.threads, threads),
        ];
        for (locals, extents, extent_of) in axes {
            for (axis, local) in locals.iter().rev().enumerate() {
                let extent = match extents.iter().rev().nth(axis).and_then(constant_value) {
                    Some(value) => SymExpr::Const(value),
                    None => self.context.launch_value(extent_of(axis as u32)),
                };
                let form = self.index_below(extent);
                self.state.values.insert(*local, form);
            }
        }
        for (number, rail) in kernel.shared.iter().enumerate() {
            let length = match kernel.host.shared_lengths.get(number).and_then(constant_value) {
                Some(value) => SymExpr::Const(value),
                None => self.context.launch_value(LaunchValue::SharedLength(number as u32)),
            };
            self.lengths.insert(rail.local, length);
        }
    }

    /// An unknown number from zero to below an extent.
    fn index_below(&mut self, extent: SymExpr) -> Form {
        let last = self.context.pool.sub(extent, SymExpr::Const(1));
        self.context.symbol(SymRange::new(SymExpr::Const(0), last), Assumptions::default())
    }

    /// Visits the initialisers of shared arrays.
    fn visit_shared_initialisers(&mut self, kernel: &'a Kernel) {
        for rail in &kernel.shared {
            let SharedInit::Function { index, setup, value } = &rail.init else { continue };
            let before = self.state.clone();
            let Some(length) = self.lengths.get(&rail.local).copied() else { continue };
            let form = self.index_below(length);
            self.state.values.insert(*index, form);
            self.visit_stmts(setup);
            self.visit_expr_accesses(value);
            self.state = before;
        }
    }

    fn finish(mut self, own: impl Fn(LocalId) -> bool) -> Bounds {
        let (wide, needs) = self.wide.finish();
        let wide_condition = conjunction(&mut self.context.pool, needs);
        let (narrow, needs) = self.narrow.finish(own);
        let narrow_condition = conjunction(&mut self.context.pool, needs);
        let checks = merge_excess_conditions(&mut self.context.pool, self.conditions);
        Bounds {
            check_elimination: self.check_elimination,
            wide,
            narrow,
            launch: LaunchConditions {
                pool: self.context.pool,
                captured: self.context.captured,
                checks,
                wide: wide_condition,
                narrow: narrow_condition,
            },
        }
    }

    /// Decides an access.
    fn visit_access(&mut self, rail: &Expr, index: &'a Expr) {
        let elimination = self.check_access(rail, index).unwrap_or(CheckElimination::Unknown);
        self.widen(index);
        self.narrow_index(index);
        self.record_elimination(index, elimination);
    }

    /// Evaluates an index by one of four strategies: without guards, with non-negative forms, with guards,
    /// with definitions of locals.
    fn evaluate_by_strategy(&mut self, index: &'a Expr, strategy: u32) -> Option<(Form, SymRange)> {
        (self.uses_guards, self.expansion_budget) = match strategy {
            0 | 1 => (false, 0),
            2 => (true, 0),
            _ => (true, MAX_EXPANDED_LOCALS),
        };
        let found = self.evaluate_exact(index);
        (self.uses_guards, self.expansion_budget) = (true, 0);
        match strategy {
            1 => self.bound_by_nonnegative(&found?.0),
            _ => found,
        }
    }

    /// Decides the check of an integer division.
    fn visit_division(&mut self, expr: &'a Expr) {
        let ExprKind::Operation { operation: Operation::Div | Operation::Rem, args } = &expr.kind else {
            return;
        };
        let [_, divisor] = args.as_slice() else { return };
        if evaluate::type_range(divisor.ty).is_none() || constant_value(divisor).is_some() {
            return;
        }
        let elimination = self.check_value(divisor, nonzero_test).unwrap_or(CheckElimination::Unknown);
        self.record_elimination(divisor, elimination);
    }

    /// Records the decision for an index or divisor, which must be safe in every visit.
    fn record_elimination(&mut self, expr: &Expr, elimination: CheckElimination) {
        if expr.id.is_assigned() {
            let entry = self.check_elimination.entry(expr.id).or_insert(elimination);
            *entry = entry.and(elimination);
        }
    }

    fn check_access(&mut self, rail: &Expr, index: &'a Expr) -> Option<CheckElimination> {
        let length = self.length(rail)?;
        self.check_value(index, |pool, range| in_bounds_test(pool, range, length))
    }

    /// Decides a check of a value; `tests` gives the conditions on its range, or `None` if they cannot hold.
    fn check_value(
        &mut self,
        expr: &'a Expr,
        tests: impl Fn(&mut ExprPool<LaunchValue>, &SymRange) -> Option<SymExpr>,
    ) -> Option<CheckElimination> {
        let mut alternatives: Vec<SymExpr> = Vec::new();
        for strategy in 0..4 {
            let Some((form, range)) = self.evaluate_by_strategy(expr, strategy) else { continue };
            let Some(test) = tests(&mut self.context.pool, &range) else { continue };
            if form.assumptions.is_approximate && test != SymExpr::TRUE {
                continue;
            }
            let test = self.context.pool.all([test].into_iter().chain(form.assumptions.conditions()));
            if test == SymExpr::TRUE {
                return Some(CheckElimination::Inside);
            }
            alternatives.push(test);
        }
        if alternatives.is_empty() {
            return None;
        }
        let condition = self.context.pool.any(alternatives);
        let condition = self.where_reached(condition);
        if condition == SymExpr::TRUE {
            return Some(CheckElimination::Inside);
        }
        let number = self.conditions.iter().position(|it| *it == condition).unwrap_or(self.conditions.len());
        if number == self.conditions.len() {
            self.conditions.push(condition);
        }
        Some(CheckElimination::AtLaunch(1 << number.min(LAST_CONDITION_BIT)))
    }

    /// A condition that need only hold in launches that reach this point.
    fn where_reached(&mut self, condition: SymExpr) -> SymExpr {
        let path = self.context.pool.all(self.state.path_conditions.iter().copied());
        self.context.pool.implies(path, condition)
    }
}

/// The condition that an index is in bounds; `None` if it cannot hold.
fn in_bounds_test(pool: &mut ExprPool<LaunchValue>, range: &SymRange, length: SymExpr) -> Option<SymExpr> {
    let low = pool.compare(Comparison::GreaterEqual, range.low?, SymExpr::Const(0));
    let high = pool.compare(Comparison::Less, range.high?, length);
    let test = pool.all([low, high]);
    (test != SymExpr::FALSE).then_some(test)
}

/// The condition that a divisor is not zero; `None` if it cannot be shown.
fn nonzero_test(pool: &mut ExprPool<LaunchValue>, range: &SymRange) -> Option<SymExpr> {
    match (range.low, range.high) {
        (Some(SymExpr::Const(1..)), _) | (_, Some(SymExpr::Const(..=-1))) => Some(SymExpr::TRUE),
        (Some(low @ SymExpr::Node(_)), high) => {
            let comparison = if high == Some(low) { Comparison::NotEqual } else { Comparison::Greater };
            Some(pool.compare(comparison, low, SymExpr::Const(0)))
        }
        _ => None,
    }
}

/// The conjunction of conditions; `None` without any.
fn conjunction(pool: &mut ExprPool<LaunchValue>, conditions: Vec<SymExpr>) -> Option<SymExpr> {
    Some(pool.all(conditions)).filter(|it| *it != SymExpr::TRUE)
}

/// Merges the conditions that share the last bit.
fn merge_excess_conditions(pool: &mut ExprPool<LaunchValue>, mut conditions: Vec<SymExpr>) -> Vec<SymExpr> {
    if conditions.len() > LAST_CONDITION_BIT {
        let rest = conditions.split_off(LAST_CONDITION_BIT);
        conditions.push(pool.all(rest));
    }
    conditions
}
