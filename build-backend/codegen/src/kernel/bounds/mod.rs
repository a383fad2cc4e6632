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
mod interpret;
mod loop_ranges;
mod narrow_i32;
mod permuted_locals;
mod refine;
mod symbolic;
mod widen_i64;

pub(super) use widen_i64::is_wide;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::code::{Code, Used};
use crate::kernel::environment::spell_captures;
use crate::names::Names;
use apg_mir::*;
use apg_passes::analysis::constants::constant_value;
use apg_passes::kernel::facts::{CheckElimination, NarrowedExprs};
use apg_passes::kernel::locals::collect_assigned;
use symbolic::{Affine, Range, SymInt, SymbolicContext};

/// Upper limit of locals that are replaced by their definitions for one index.
const MAX_EXPANDED_LOCALS: u32 = 48;

/// The last bit of [`CheckElimination::AtLaunch`]; further conditions share it.
const LAST_CONDITION_BIT: usize = 31;

/// Results of the analysis of a body.
#[derive(Default)]
pub(super) struct Bounds {
    /// Decisions for index expressions, and for divisors, which must not be zero.
    pub check_elimination: FxHashMap<ExprId, CheckElimination>,
    /// Host code that the conditions refer to.
    pub lines: Vec<String>,
    /// Launch conditions of accesses, one expression per bit.
    pub conditions: Vec<String>,
    /// Indices that can be computed with 64 bits, and steps of counters that do not wrap.
    pub wide: FxHashSet<ExprId>,
    /// Launch condition of `wide`; `None` if it always holds.
    pub wide_condition: Option<String>,
    /// Expressions that a device can compute with 32 bits.
    pub narrow: NarrowedExprs,
    /// Launch condition of `narrow`; `None` if it always holds.
    pub narrow_condition: Option<String>,
    /// The items that the host code refers to.
    pub used: Used,
}

/// Length of a rail.
#[derive(Clone)]
enum RailLength {
    Symbolic(SymInt),
    HostExpr(String),
}

/// Abstract state at a point of the body.
#[derive(Clone, Default)]
struct AbstractState<'a> {
    /// Values of integer locals.
    values: FxHashMap<LocalId, Affine>,
    /// Rails that other locals refer to.
    aliases: FxHashMap<LocalId, LocalId>,
    /// Definitions of integer locals, while their operands are unchanged.
    definitions: FxHashMap<LocalId, &'a Expr>,
    /// Definitions of boolean locals.
    predicates: FxHashMap<LocalId, &'a Expr>,
    /// Values of expressions refined by guards, by [`evaluate::expr_key`].
    refined: FxHashMap<String, Affine>,
    /// Forms that guards prove to be non-negative.
    nonnegative: Vec<Affine>,
    /// Host conditions under which this point is reached.
    path_conditions: Vec<String>,
}

struct BoundsChecker<'p, 'a> {
    code: Code<'p>,
    context: SymbolicContext,
    state: AbstractState<'a>,
    /// Evaluation uses facts from guards.
    uses_guards: bool,
    /// Number of locals that may still be replaced by their definitions, about which guards may say more.
    expansion_budget: u32,
    /// Captures that nothing assigns.
    uniform: FxHashSet<LocalId>,
    lengths: FxHashMap<LocalId, RailLength>,
    check_elimination: FxHashMap<ExprId, CheckElimination>,
    /// Launch conditions of accesses.
    conditions: Vec<String>,
    /// See [`widen_i64::WidenAnalysis`].
    wide: widen_i64::WidenAnalysis,
    /// See [`narrow_i32::NarrowAnalysis`].
    narrow: narrow_i32::NarrowAnalysis,
}

/// Analyses a kernel.
pub(super) fn analyse_kernel(program: &Program, names: &Names, id: KernelId) -> Bounds {
    let kernel = &program.kernels[id.index()];
    let mut code = Code::new(program, names, super::super::code::Target::Host);
    code.attributes_expressions = false;
    spell_captures(&mut code, kernel);
    let mut checker = BoundsChecker::new(code, &kernel.body);
    let mut assigned = FxHashSet::default();
    collect_assigned(&kernel.body, &mut assigned);
    for (index, capture) in kernel.captures.iter().enumerate() {
        let local = LocalId(index as u32);
        match capture.kind {
            KernelCaptureKind::Scalar(_) if assigned.contains(&local) => {
                let text = checker.code.local(local).text;
                if evaluate::type_range(kernel.locals[index].ty).is_some() {
                    let form = Affine::constant(checker.context.bind_value(&text));
                    checker.state.values.insert(local, form);
                }
            }
            KernelCaptureKind::Scalar(_) => {
                checker.uniform.insert(local);
            }
            _ => {
                let length = checker.code.local(local).rail.map(|it| it.length).unwrap_or_default();
                checker.lengths.insert(local, RailLength::HostExpr(length));
            }
        }
    }
    let product = |what: &str| format!("(apg_i64)launch->{what}[0] * launch->{what}[1] * launch->{what}[2]");
    for (local, text) in [(kernel.auto_blocks, product("blocks")), (kernel.auto_threads, product("threads"))]
    {
        if let Some(local) = local {
            let form = Affine::constant(checker.context.bind_value(&text));
            checker.state.values.insert(local, form);
        }
    }
    for (locals, extents, member) in [
        (&kernel.block_locals, &kernel.host.blocks, "blocks"),
        (&kernel.thread_locals, &kernel.host.threads, "threads"),
    ] {
        for (axis, local) in locals.iter().rev().enumerate() {
            let extent = match extents.iter().rev().nth(axis).and_then(constant_value) {
                Some(value) => SymInt::Const(value),
                None => checker.context.bind_value(&format!("launch->{member}[{axis}]")),
            };
            let last = checker.context.sub(&extent, &SymInt::Const(1));
            let form = checker.context.symbol((Some(SymInt::Const(0)), Some(last)), Default::default());
            checker.state.values.insert(*local, form);
        }
    }
    for (number, rail) in kernel.shared.iter().enumerate() {
        let bound = match kernel.host.shared_lengths.get(number).and_then(constant_value) {
            Some(value) => RailLength::Symbolic(SymInt::Const(value)),
            None => RailLength::HostExpr(format!("launch->shared_lengths[{number}]")),
        };
        checker.lengths.insert(rail.local, bound);
    }
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
pub(super) fn analyse_function(program: &Program, names: &Names, function: &Function) -> Bounds {
    let mut code = Code::new(program, names, super::super::code::Target::Host);
    code.attributes_expressions = false;
    code.locals = Code::plain_locals(&function.locals);
    let mut checker = BoundsChecker::new(code, &function.body);
    checker.visit_stmts(&function.body);
    let mut bounds = checker.finish(|_| false);
    for elimination in bounds.check_elimination.values_mut() {
        if matches!(elimination, CheckElimination::AtLaunch(_)) {
            *elimination = CheckElimination::Unknown;
        }
    }
    bounds
}

impl<'p, 'a> BoundsChecker<'p, 'a> {
    fn new(code: Code<'p>, body: &[Stmt]) -> BoundsChecker<'p, 'a> {
        let mut lengths = FxHashMap::default();
        walk::visit_stmts(body, &mut |stmt| {
            if let StmtKind::Set { local, value } = &stmt.kind
                && let ExprKind::AllocateRail { length, .. } = &value.kind
                && let Some(length) = constant_value(length)
            {
                lengths.insert(*local, RailLength::Symbolic(SymInt::Const(length)));
            }
        });
        BoundsChecker {
            code,
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

    /// Visits the initialisers of shared rails.
    fn visit_shared_initialisers(&mut self, kernel: &'a Kernel) {
        for rail in &kernel.shared {
            let SharedInit::Function { index, setup, value } = &rail.init else { continue };
            let before = self.state.clone();
            let last = match self.lengths.get(&rail.local).cloned() {
                Some(RailLength::Symbolic(number)) => number,
                Some(RailLength::HostExpr(text)) => self.context.bind_value(&text),
                None => continue,
            };
            let last = self.context.sub(&last, &SymInt::Const(1));
            let form = self.context.symbol((Some(SymInt::Const(0)), Some(last)), Default::default());
            self.state.values.insert(*index, form);
            self.visit_stmts(setup);
            self.visit_expr_accesses(value);
            self.state = before;
        }
    }

    fn finish(self, own: impl Fn(LocalId) -> bool) -> Bounds {
        let all = |conditions: &[String]| (!conditions.is_empty()).then(|| conditions.join(" && "));
        let wide_condition = all(&self.wide.conditions());
        let narrow = self.narrow.finish(own);
        let narrow_condition = all(&narrow.conditions);
        let conditions = merge_excess_conditions(self.conditions);
        let results = conditions.iter().chain(&wide_condition).chain(&narrow_condition);
        Bounds {
            lines: symbolic::needed_lines(self.context.lines, results.map(String::as_str)),
            conditions,
            wide_condition,
            wide: self.wide.indices(),
            narrow,
            narrow_condition,
            check_elimination: self.check_elimination,
            used: self.code.used,
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
    fn evaluate_by_strategy(&mut self, index: &'a Expr, strategy: u32) -> Option<(Affine, Range)> {
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
        let elimination = self.check_value(divisor, nonzero_tests).unwrap_or(CheckElimination::Unknown);
        self.record_elimination(divisor, elimination);
    }

    /// Records the decision for an index or divisor. One that is visited twice must be safe both times.
    fn record_elimination(&mut self, expr: &Expr, elimination: CheckElimination) {
        if expr.id.is_assigned() {
            let entry = self.check_elimination.entry(expr.id).or_insert(elimination);
            *entry = entry.and(elimination);
        }
    }

    fn check_access(&mut self, rail: &Expr, index: &'a Expr) -> Option<CheckElimination> {
        let length = self.length(rail)?;
        self.check_value(index, |range| in_bounds_tests(range, &length))
    }

    /// Decides a check of a value; `tests` gives the conditions on its range, or `None` if they cannot hold.
    fn check_value(
        &mut self,
        expr: &'a Expr,
        tests: impl Fn(&Range) -> Option<Vec<String>>,
    ) -> Option<CheckElimination> {
        let mut alternatives: Vec<String> = Vec::new();
        for strategy in 0..4 {
            let Some((form, range)) = self.evaluate_by_strategy(expr, strategy) else { continue };
            let Some(mut tests) = tests(&range) else { continue };
            let approximate = self.context.approximation();
            if form.assumptions.contains(&approximate) && !tests.is_empty() {
                continue;
            }
            tests.extend(form.assumptions.iter().filter(|it| **it != approximate).map(|it| format!("q{it}")));
            if tests.is_empty() {
                return Some(CheckElimination::Inside);
            }
            let test = tests.join(" && ");
            if !alternatives.contains(&test) {
                alternatives.push(test);
            }
        }
        if alternatives.is_empty() {
            return None;
        }
        let mut text = if alternatives.len() == 1 {
            alternatives.remove(0)
        } else {
            format!("(({}))", alternatives.join(") || ("))
        };
        if !self.state.path_conditions.is_empty() {
            text = format!("(!({}) || ({text}))", self.state.path_conditions.join(" && "));
        }
        let assumption = self.context.assumption(text);
        let name = format!("q{assumption}");
        let number = self.conditions.iter().position(|it| *it == name).unwrap_or(self.conditions.len());
        if number == self.conditions.len() {
            self.conditions.push(name);
        }
        Some(CheckElimination::AtLaunch(1 << number.min(LAST_CONDITION_BIT)))
    }
}

/// Conditions for an index to be in bounds.
fn in_bounds_tests((low, high): &Range, length: &SymInt) -> Option<Vec<String>> {
    let mut tests = Vec::new();
    match low.as_ref()? {
        SymInt::Const(0..) => {}
        SymInt::Const(_) => return None,
        SymInt::Expr(text) => tests.push(format!("{text} >= 0")),
    }
    match (high.as_ref()?, length) {
        (SymInt::Const(high), SymInt::Const(length)) if high < length => {}
        (SymInt::Const(_), SymInt::Const(_)) => return None,
        (high, length) => tests.push(format!("{} < {}", high.text(), length.text())),
    }
    Some(tests)
}

/// Conditions for a divisor not to be zero.
fn nonzero_tests((low, high): &Range) -> Option<Vec<String>> {
    match (low, high) {
        (Some(SymInt::Const(1..)), _) | (_, Some(SymInt::Const(..=-1))) => Some(Vec::new()),
        (Some(SymInt::Expr(low)), Some(SymInt::Expr(high))) if low == high => {
            Some(vec![format!("{low} != 0")])
        }
        (Some(SymInt::Expr(low)), _) => Some(vec![format!("{low} > 0")]),
        _ => None,
    }
}

/// Merges the conditions that share the last bit.
fn merge_excess_conditions(mut conditions: Vec<String>) -> Vec<String> {
    if conditions.len() > LAST_CONDITION_BIT {
        let rest = conditions.split_off(LAST_CONDITION_BIT).join(" && ");
        conditions.push(rest);
    }
    conditions
}

/// Whether a kernel has a faster variant, for launches that satisfy its launch conditions.
pub(crate) fn depends_on_launch(program: &Program, names: &Names, id: KernelId) -> bool {
    let bounds = analyse_kernel(program, names, id);
    bounds.wide_condition.is_some()
        || bounds.narrow_condition.is_some()
        || !bounds.conditions.is_empty() && !program.unchecked
}
