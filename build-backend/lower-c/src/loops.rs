//! Logical iteration spaces of canonical loop nests (OpenMP 5.2, section 4.4.2).

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{BinaryOp, ExprId, ExprKind, Program, StmtKind, VariableId};
use apg_c_analysis::loops::{CanonicalLoop, NotCanonical};
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, Expr, Operation, Ty};

use crate::body::{Body, binary, int, operation};
use crate::tiles::Tile;
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
    /// How many numbers iterations have: with tiles some numbers have no iteration.
    pub total: Expr,
    tiling: Option<Tiling>,
}

/// Tiles of a nest.
struct Tiling {
    shape: Tile,
    /// How many there are along each loop.
    counts: Vec<Expr>,
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
        Ok(Space { axes, total: total.unwrap_or_else(|| int(Ty::I64, 1)), tiling: None })
    }

    /// Numbers the iterations tile by tile: those of a tile follow each other.
    pub(crate) fn tiled(&mut self, space: Space, shape: Tile) -> Space {
        let counts: Vec<Expr> = space
            .axes
            .iter()
            .zip(&shape.sides)
            .map(|(axis, side)| match side {
                1 => axis.count.clone(),
                _ => self.temporary(tiles_along(axis.count.clone(), *side)),
            })
            .collect();
        let size = shape.sides.iter().product();
        let long = |a, b| binary(Ty::I64, Operation::Mul, a, b);
        let tiles = counts.iter().cloned().reduce(|all, it| self.temporary(long(all, it)));
        let total = match tiles {
            Some(tiles) => self.temporary(long(tiles, int(Ty::I64, size))),
            None => space.total,
        };
        Space { axes: space.axes, total, tiling: Some(Tiling { shape, counts }) }
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

    /// Sets the iteration variables for a logical iteration; the condition that there is one of this number,
    /// where that is not certain.
    pub(crate) fn set_iteration(&mut self, space: &Space, number: &Expr) -> Lowered<Option<Expr>> {
        let (indices, condition) = match &space.tiling {
            Some(tiling) => self.indices_of_tile(space, tiling, number),
            None => {
                let counts: Vec<&Expr> = space.axes.iter().map(|it| &it.count).collect();
                (self.indices(&counts, number), None)
            }
        };
        for (axis, index) in space.axes.iter().zip(indices) {
            let long = |op, a, b| binary(Ty::I64, op, a, b);
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
        Ok(condition)
    }

    /// The digits of a number, whose bases are `counts`.
    fn indices(&mut self, counts: &[&Expr], number: &Expr) -> Vec<Expr> {
        let mut rest = number.clone();
        let mut indices = Vec::new();
        for (depth, count) in counts.iter().enumerate().rev() {
            if depth == 0 {
                indices.push(rest.clone());
                continue;
            }
            let digit = |op| binary(Ty::I64, op, rest.clone(), (*count).clone());
            indices.push(self.temporary(digit(Operation::RemUndefined)));
            rest = self.temporary(digit(Operation::DivUndefined));
        }
        indices.reverse();
        indices
    }

    /// The indices of an iteration of a tile, and the condition that they are in the nest.
    fn indices_of_tile(
        &mut self,
        space: &Space,
        tiling: &Tiling,
        number: &Expr,
    ) -> (Vec<Expr>, Option<Expr>) {
        let long = |op, a, b: i64| binary(Ty::I64, op, a, int(Ty::I64, b));
        let bits = |side: i64| i64::from(side.trailing_zeros());
        let Tile { sides, .. } = &tiling.shape;
        let size: i64 = sides.iter().product();
        let tile = self.temporary(long(Operation::Shr, number.clone(), bits(size)));
        let counts: Vec<&Expr> = tiling.counts.iter().collect();
        let mut indices = self.indices(&counts, &tile);
        let mut rest = self.temporary(long(Operation::And, number.clone(), size - 1));
        let mut condition: Option<Expr> = None;
        for axis in tiling.shape.order().into_iter().filter(|it| sides[*it] > 1) {
            let lane = self.temporary(long(Operation::And, rest.clone(), sides[axis] - 1));
            rest = self.temporary(long(Operation::Shr, rest, bits(sides[axis])));
            let first = long(Operation::Mul, indices[axis].clone(), sides[axis]);
            indices[axis] = self.temporary(binary(Ty::I64, Operation::Add, first, lane));
            let count = space.axes[axis].count.clone();
            let is_inside = binary(Ty::Bool, Operation::Lt, indices[axis].clone(), count);
            condition = Some(match condition {
                Some(others) => {
                    Expr::new(Ty::Bool, mir::ExprKind::And(Box::new(others), Box::new(is_inside)))
                }
                None => is_inside,
            });
        }
        (indices, condition)
    }
}

/// How many tiles of this length iterations fill, the last one perhaps in part.
pub(crate) fn tiles_along(count: Expr, side: i64) -> Expr {
    let more = binary(Ty::I64, Operation::Add, count, int(Ty::I64, side - 1));
    binary(Ty::I64, Operation::Shr, more, int(Ty::I64, i64::from(side.trailing_zeros())))
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
