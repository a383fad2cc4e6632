//! Iteration spaces of canonical loops.

use apg_kernels::fork_join::{self, Symbol};

use super::Lowering;
use super::values::Value;
use crate::hir::visit::Node;
use crate::hir::{BinaryOp, ExprId, ExprKind};
use crate::loops::CanonicalLoop;
use crate::updates::is_same;

/// Start, end and amount of a loop, as far as they are known.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bounds {
    pub(super) start: Option<fork_join::Value>,
    /// The counter is compared with all of these: more than one is the lesser or greater of several.
    pub(super) ends: Option<Vec<fork_join::Value>>,
    pub(super) amount: Option<i64>,
}

impl Bounds {
    /// Whether a loop is known to have no second iteration.
    pub(super) fn has_one_iteration(&self, found: &CanonicalLoop) -> bool {
        let second = self.start.as_ref().and_then(|it| it.as_constant().copied()).zip(self.amount);
        let Some(second) = second.and_then(|(start, amount)| start.checked_add(amount)) else { return false };
        let ends = self.ends.iter().flatten().filter_map(|it| it.as_constant().copied());
        let continues = |end: i64| match found.comparison {
            BinaryOp::Less => second < end,
            BinaryOp::LessEqual => second <= end,
            BinaryOp::Greater => second > end,
            BinaryOp::GreaterEqual => second >= end,
            _ => second != end,
        };
        ends.into_iter().any(|end| !continues(end))
    }
}

impl Lowering<'_> {
    /// Evaluates the bounds of a loop.
    pub(super) fn bounds(&mut self, found: &CanonicalLoop) -> Bounds {
        let start = self.bound(found.start);
        let is_upward = matches!(found.comparison, BinaryOp::Less | BinaryOp::LessEqual);
        let ends = self.ends(found.end, is_upward);
        let amount = match found.step {
            None => Some(1),
            Some(step) => self.value(step).as_ref().and_then(Value::as_constant),
        };
        let amount = amount.map(|it| if found.is_downward { -it } else { it });
        Bounds { start, ends, amount: amount.filter(|it| *it != 0) }
    }

    /// The value of a bound. An unknown one gets a name if all threads and iterations have the same.
    fn bound(&mut self, expr: ExprId) -> Option<fork_join::Value> {
        let known = self.value(expr);
        if let Some(Value::Integer(known)) = known {
            return Some(known);
        }
        let is_integer = self.program.expr(expr).ty.is_integer();
        (is_integer && self.is_invariant(expr)).then(|| {
            let symbol = self.fresh_symbol(Symbol::Fixed);
            fork_join::Value::symbol(symbol)
        })
    }

    /// Whether an expression has one value for all that execute it.
    fn is_invariant(&mut self, expr: ExprId) -> bool {
        let program = self.program;
        let mut variables = Vec::new();
        let mut is_simple = true;
        program.walk_expr(expr, &mut |node| {
            if let Node::Expr(it) = node {
                match &program.expr(it).kind {
                    ExprKind::Variable(variable) => variables.push(*variable),
                    ExprKind::Assign(..)
                    | ExprKind::Increment { .. }
                    | ExprKind::Call(..)
                    | ExprKind::Block(_) => {
                        is_simple = false;
                    }
                    _ => {}
                }
            }
            true
        });
        is_simple
            && variables.into_iter().all(|it| {
                let object = self.object(it);
                self.objects[object as usize].depth == 0 && !self.written.contains(&it)
            })
    }

    /// The ends of a loop: both operands of `a < b ? a : b` if the counter stays below.
    fn ends(&mut self, end: ExprId, is_upward: bool) -> Option<Vec<fork_join::Value>> {
        let program = self.program;
        let inner = match program.expr(end).kind {
            ExprKind::Cast(inner) => inner,
            _ => end,
        };
        if let ExprKind::Conditional(condition, Some(then), otherwise) = program.expr(inner).kind
            && let ExprKind::Binary(op, a, b) = program.expr(condition).kind
        {
            let same = is_same(program, a, then) && is_same(program, b, otherwise);
            let crossed = is_same(program, a, otherwise) && is_same(program, b, then);
            let is_lesser = match op {
                BinaryOp::Less | BinaryOp::LessEqual => same,
                BinaryOp::Greater | BinaryOp::GreaterEqual => crossed,
                _ => false,
            };
            let is_greater = match op {
                BinaryOp::Less | BinaryOp::LessEqual => crossed,
                BinaryOp::Greater | BinaryOp::GreaterEqual => same,
                _ => false,
            };
            if (is_lesser && is_upward) || (is_greater && !is_upward) {
                let mut ends = self.ends(then, is_upward)?;
                ends.extend(self.ends(otherwise, is_upward)?);
                return Some(ends);
            }
        }
        self.bound(end).map(|it| vec![it])
    }

    /// The value of the counter in an iteration, of which `symbol` is the own integer: the counter itself,
    /// or the number of the iteration. `None` if its range is not known. Pushes the conditions on it.
    pub(super) fn counter_value(
        &mut self,
        found: &CanonicalLoop,
        bounds: &Bounds,
        symbol: Symbol,
    ) -> Option<fork_join::Value> {
        let symbol = fork_join::Value::symbol(symbol);
        let Bounds { start: Some(start), ends: Some(ends), amount: Some(amount) } = bounds else {
            return None;
        };
        let value = match amount {
            1 => {
                self.require_at_most(start, &symbol, 0);
                symbol
            }
            -1 => {
                self.require_at_most(&symbol, start, 0);
                symbol
            }
            _ => {
                self.require_at_most(&fork_join::Value::from_constant(0), &symbol, 0);
                start.checked_add(&symbol.checked_scale(*amount)?)?
            }
        };
        for end in ends {
            match found.comparison {
                BinaryOp::Less => self.require_at_most(&value, end, 1),
                BinaryOp::LessEqual => self.require_at_most(&value, end, 0),
                BinaryOp::Greater => self.require_at_most(end, &value, 1),
                BinaryOp::GreaterEqual => self.require_at_most(end, &value, 0),
                BinaryOp::NotEqual if *amount == 1 => self.require_at_most(&value, end, 1),
                BinaryOp::NotEqual if *amount == -1 => self.require_at_most(end, &value, 1),
                _ => return None,
            }
        }
        Some(value)
    }
}
