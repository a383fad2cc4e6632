//! Logical iteration spaces of canonical loop nests (OpenMP 5.2, section 4.4.2).

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{BinaryOp, ExprId, ExprKind, Program, StmtKind, VariableId};
use apg_c_analysis::loops::{CanonicalLoop, NotCanonical};
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, Expr, Operation, Ty};

use crate::body::{Body, binary, int, operation};
use crate::unsupported::{Lowered, unsupported};

/// One loop of a nest; all values are of 64 bits.
struct Axis {
    variable: VariableId,
    start: Expr,
    step: Expr,
    count: Expr,
}

/// The iterations of a nest.
pub(crate) struct Space {
    axes: Vec<Axis>,
    /// How many there are.
    pub total: Expr,
}

impl Space {
    /// The value of an iteration variable behind the loops; `None` for another variable.
    pub(crate) fn value_behind(&self, variable: VariableId) -> Option<Expr> {
        let axis = self.axes.iter().find(|it| it.variable == variable)?;
        let moved = binary(Ty::I64, Operation::Mul, axis.count.clone(), axis.step.clone());
        Some(binary(Ty::I64, Operation::Add, axis.start.clone(), moved))
    }
}

impl Body<'_, '_> {
    /// Computes the iteration space of loops, the outermost first.
    pub(crate) fn iteration_space(&mut self, loops: &[CanonicalLoop]) -> Lowered<Space> {
        let mut axes = Vec::new();
        let mut total: Option<Expr> = None;
        for (depth, it) in loops.iter().enumerate() {
            for bound in [Some(it.start), Some(it.end), it.step].into_iter().flatten() {
                if loops[..depth].iter().any(|outer| self.names(bound, outer.variable)) {
                    let range = self.unit.hir.expr(bound).range;
                    let message = "this bound depends on an outer loop of the same directive";
                    return unsupported(range, message, "`collapse` fewer loops");
                }
            }
            let axis = self.axis(it)?;
            let count = axis.count.clone();
            total = Some(match total {
                Some(before) => self.temporary(binary(Ty::I64, Operation::Mul, before, count)),
                None => count,
            });
            axes.push(axis);
        }
        Ok(Space { axes, total: total.unwrap_or_else(|| int(Ty::I64, 1)) })
    }

    fn names(&self, expr: ExprId, variable: VariableId) -> bool {
        let hir = self.unit.hir;
        let mut found = false;
        hir.walk_expr(expr, &mut |node| {
            if let Node::Expr(it) = node {
                found |= hir.expr(it).kind == ExprKind::Variable(variable);
            }
            true
        });
        found
    }

    fn axis(&mut self, of: &CanonicalLoop) -> Lowered<Axis> {
        let hir = self.unit.hir;
        let variable = hir.variable(of.variable);
        let range = hir.expr(of.end).range;
        if !variable.ty.is_integer() {
            let message = format!("the loop counts by `{}`, which is no integer", variable.name);
            return unsupported(range, message, "count by an integer, and index with it");
        }
        let (start, end) = (self.long(of.start)?, self.long(of.end)?);
        let constant = of.step.map_or(Some(1), |it| hir.constant(it)).map(|it| it as i64);
        let signed = constant.map(|it| if of.is_downward { it.wrapping_neg() } else { it });
        let is_up = match of.comparison {
            BinaryOp::Less | BinaryOp::LessEqual => true,
            BinaryOp::NotEqual => match signed {
                Some(step) => step > 0,
                None => {
                    let message = "the direction of this loop is not known";
                    return unsupported(range, message, "compare with `<` or `>`");
                }
            },
            _ => false,
        };
        // A loop whose step leads away from its end, or is zero, does not end.
        if signed.is_some_and(|it| it == 0 || (it > 0) != is_up) {
            return unsupported(range, "this loop does not reach its end", "change the sign of its step");
        }
        let step = match (signed, of.step) {
            (Some(step), _) => int(Ty::I64, step),
            (None, Some(step)) => {
                let step = self.long(step)?;
                match of.is_downward {
                    true => self.temporary(operation(Ty::I64, Operation::Neg, vec![step])),
                    false => step,
                }
            }
            (None, None) => int(Ty::I64, 1),
        };
        let is_inclusive = matches!(of.comparison, BinaryOp::LessEqual | BinaryOp::GreaterEqual);
        let count = self.trip_count(&start, &end, &step, is_up, is_inclusive);
        Ok(Axis { variable: of.variable, start, step, count })
    }

    /// An integer as one of 64 bits, evaluated once.
    fn long(&mut self, expr: ExprId) -> Lowered<Expr> {
        let range = self.unit.hir.expr(expr).range;
        let value = self.value(expr)?;
        let value = self.convert_to(value, Ty::I64, range)?;
        Ok(match value.kind {
            mir::ExprKind::Int(_) => value,
            _ => self.temporary(value),
        })
    }

    /// The number of iterations: the distance divided by the step, rounded up, and not less than zero.
    fn trip_count(&mut self, start: &Expr, end: &Expr, step: &Expr, is_up: bool, is_inclusive: bool) -> Expr {
        let long = |op, a, b| binary(Ty::I64, op, a, b);
        let (low, high) = if is_up { (start, end) } else { (end, start) };
        let mut distance = long(Operation::Sub, high.clone(), low.clone());
        if is_inclusive {
            distance = long(Operation::Add, distance, int(Ty::I64, 1));
        }
        let size = match step.kind {
            mir::ExprKind::Int(step) => int(Ty::I64, step.saturating_abs()),
            _ if is_up => step.clone(),
            _ => self.temporary(operation(Ty::I64, Operation::Neg, vec![step.clone()])),
        };
        let distance = long(Operation::Max, distance, int(Ty::I64, 0));
        let count = match size.kind {
            mir::ExprKind::Int(1) => distance,
            _ => {
                let below = long(Operation::Sub, size.clone(), int(Ty::I64, 1));
                let rounded = long(Operation::Add, distance, below);
                long(Operation::DivUndefined, rounded, size)
            }
        };
        self.temporary(count)
    }

    /// Sets the iteration variables for a logical iteration.
    pub(crate) fn set_iteration(&mut self, space: &Space, number: &Expr) -> Lowered<()> {
        let long = |op, a, b| binary(Ty::I64, op, a, b);
        let mut rest = number.clone();
        for (depth, axis) in space.axes.iter().enumerate().rev() {
            let mut index = rest.clone();
            if depth > 0 {
                index = self.temporary(long(Operation::RemUndefined, rest.clone(), axis.count.clone()));
                rest = self.temporary(long(Operation::DivUndefined, rest, axis.count.clone()));
            }
            let moved = match axis.step.kind {
                mir::ExprKind::Int(1) => index,
                _ => long(Operation::Mul, index, axis.step.clone()),
            };
            let value = match axis.start.kind {
                mir::ExprKind::Int(0) => moved,
                _ => long(Operation::Add, axis.start.clone(), moved),
            };
            let range = self.unit.hir.variable(axis.variable).range.unwrap_or_default();
            let ty = self.unit.hir.variable(axis.variable).ty.clone();
            let value = self.convert(value, &ty, range)?;
            let storage = self.declare(axis.variable, range)?;
            self.initialize(storage, value);
        }
        Ok(())
    }
}

/// Statements between the loops of a nest have no iteration of their own.
pub(crate) fn check_perfect_nest(hir: &Program, loops: &[CanonicalLoop]) -> Lowered<()> {
    for of in loops.iter().take(loops.len().saturating_sub(1)) {
        let mut stmt = of.body;
        while let StmtKind::Block(stmts) = &hir.stmt(stmt).kind {
            match stmts[..] {
                [only] => stmt = only,
                _ => {
                    let message = "there are statements between the loops that `collapse` joins";
                    return unsupported(hir.stmt(stmt).range, message, "move them into the innermost loop");
                }
            }
        }
    }
    Ok(())
}

pub(crate) fn not_canonical<T>(hir: &Program, problem: NotCanonical, directive: TextRange) -> Lowered<T> {
    let stmt = match problem {
        NotCanonical::NotFor(it) | NotCanonical::Init(it) | NotCanonical::Variable(_, it) => it,
        NotCanonical::Condition(it, _) | NotCanonical::Step(it, _) | NotCanonical::Stride(it, _) => it,
    };
    let range = hir.stmt(stmt).range;
    let range = if range.is_empty() { directive } else { range };
    unsupported(
        range,
        "the number of iterations of this loop is not known in front of it",
        "write `for (int i = start; i < end; i++)`",
    )
}
