//! Canonical loop form (OpenMP 5.2, section 4.4.1; 2.5, section 2.5.1): the loops that directives are about.

use crate::hir::{BinaryOp, Directive, ExprId, ExprKind, Program, StmtId, StmtKind, Type, VariableId};

/// A loop in canonical form: `for (variable = start; variable < end; variable += step)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonicalLoop {
    /// The iteration variable.
    pub variable: VariableId,
    /// Its first value.
    pub start: ExprId,
    /// The value that it is compared with.
    pub end: ExprId,
    /// How it is compared: `variable comparison end`.
    pub comparison: BinaryOp,
    /// The amount that is added; `None` is one.
    pub step: Option<ExprId>,
    /// The amount is subtracted.
    pub is_downward: bool,
    /// The body.
    pub body: StmtId,
}

/// Why a loop is not in canonical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotCanonical {
    /// It is no `for` loop.
    NotFor(StmtId),
    /// Its first part does not set one integer or pointer.
    Init(StmtId),
    /// The iteration variable is neither an integer nor a pointer.
    Variable(VariableId, StmtId),
    /// It has no condition, or its condition does not compare the variable with a bound.
    Condition(StmtId, Option<ExprId>),
    /// Its last part does not add a constant amount to the variable.
    Step(StmtId, Option<ExprId>),
    /// It ends at `!=`, and its last part adds neither 1 nor -1: it may step over the end.
    Stride(StmtId, ExprId),
}

/// The form of a statement as a canonical loop.
pub fn canonical(program: &Program, stmt: StmtId) -> Result<CanonicalLoop, NotCanonical> {
    let StmtKind::For { init, condition, step, body } = &program.stmt(stmt).kind else {
        return Err(NotCanonical::NotFor(stmt));
    };
    let (variable, start) = initialized(program, *init).ok_or(NotCanonical::Init(stmt))?;
    let ty = &program.variable(variable).ty;
    if !(ty.is_integer() || matches!(ty, Type::Pointer(_) | Type::Unknown)) {
        return Err(NotCanonical::Variable(variable, stmt));
    }
    let condition = condition.ok_or(NotCanonical::Condition(stmt, None))?;
    let (comparison, end) =
        compared(program, variable, condition).ok_or(NotCanonical::Condition(stmt, Some(condition)))?;
    let step = step.ok_or(NotCanonical::Step(stmt, None))?;
    let (is_downward, amount) =
        stepped(program, variable, step).ok_or(NotCanonical::Step(stmt, Some(step)))?;
    let is_one = amount.and_then(|it| program.constant(it)).is_none_or(|it| it.abs() == 1);
    if comparison == BinaryOp::NotEqual && !is_one {
        return Err(NotCanonical::Stride(stmt, step));
    }
    let step = amount;
    Ok(CanonicalLoop { variable, start, end, comparison, step, is_downward, body: *body })
}

fn initialized(program: &Program, init: Option<StmtId>) -> Option<(VariableId, ExprId)> {
    match &program.stmt(init?).kind {
        StmtKind::Declaration(variables) => {
            let [variable] = variables[..] else { return None };
            Some((variable, program.variable(variable).initializer?))
        }
        StmtKind::Expr(expr) => match &program.expr(*expr).kind {
            ExprKind::Assign(None, target, value) => Some((as_variable(program, *target)?, *value)),
            _ => None,
        },
        _ => None,
    }
}

fn as_variable(program: &Program, expr: ExprId) -> Option<VariableId> {
    match program.expr(expr).kind {
        ExprKind::Variable(it) => Some(it),
        _ => None,
    }
}

fn is(program: &Program, expr: ExprId, variable: VariableId) -> bool {
    match &program.expr(expr).kind {
        ExprKind::Variable(it) => *it == variable,
        ExprKind::Cast(inner) => is(program, *inner, variable),
        _ => false,
    }
}

fn compared(program: &Program, variable: VariableId, condition: ExprId) -> Option<(BinaryOp, ExprId)> {
    let ExprKind::Binary(op, left, right) = program.expr(condition).kind else { return None };
    let mirrored = match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        BinaryOp::NotEqual => BinaryOp::NotEqual,
        _ => return None,
    };
    if is(program, left, variable) {
        Some((op, right))
    } else if is(program, right, variable) {
        Some((mirrored, left))
    } else {
        None
    }
}

/// Whether the amount is subtracted, and the amount.
fn stepped(program: &Program, variable: VariableId, step: ExprId) -> Option<(bool, Option<ExprId>)> {
    match program.expr(step).kind {
        ExprKind::Increment { target, is_decrement, .. } if is(program, target, variable) => {
            Some((is_decrement, None))
        }
        ExprKind::Assign(Some(op @ (BinaryOp::Add | BinaryOp::Subtract)), target, amount)
            if is(program, target, variable) =>
        {
            Some((op == BinaryOp::Subtract, Some(amount)))
        }
        ExprKind::Assign(None, target, value) if is(program, target, variable) => {
            match program.expr(value).kind {
                ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, amount)
                    if is(program, left, variable) =>
                {
                    Some((op == BinaryOp::Subtract, Some(amount)))
                }
                ExprKind::Binary(BinaryOp::Add, amount, right) if is(program, right, variable) => {
                    Some((false, Some(amount)))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether an expression assigns the sum of a variable and several amounts to the variable.
pub fn is_sum_of_counter(program: &Program, step: ExprId) -> bool {
    let ExprKind::Assign(None, target, value) = program.expr(step).kind else { return false };
    let Some(variable) = as_variable(program, target) else { return false };
    let mut first = value;
    while let ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, left, _) = program.expr(first).kind {
        first = left;
    }
    first != value && is(program, first, variable)
}

/// The number of loops that a directive is about: its clauses `collapse` and `ordered`.
pub fn loop_count(program: &Program, directive: &Directive) -> usize {
    let count = |name: &str| {
        let value = directive.clause(name)?.items.first()?.expr?;
        usize::try_from(program.constant(value)?).ok().filter(|it| (1..=64).contains(it))
    };
    count("collapse").unwrap_or(1).max(count("ordered").unwrap_or(1))
}

/// The loops that a directive is about, the outermost first: all of them, or those up to the first that is
/// not in canonical form, and why. A loop transformation between them ends the list.
pub fn associated(program: &Program, directive: &Directive) -> (Vec<CanonicalLoop>, Option<NotCanonical>) {
    let mut loops = Vec::new();
    let Some(mut stmt) = directive.body else { return (loops, None) };
    for _ in 0..loop_count(program, directive) {
        stmt = only_statement(program, stmt, !loops.is_empty());
        if matches!(program.stmt(stmt).kind, StmtKind::Directive(_)) {
            return (loops, None);
        }
        match canonical(program, stmt) {
            Ok(found) => {
                stmt = found.body;
                loops.push(found);
            }
            Err(why) => return (loops, Some(why)),
        }
    }
    (loops, None)
}

/// The statement that blocks of one loop contain.
fn only_statement(program: &Program, mut stmt: StmtId, may_have_others: bool) -> StmtId {
    while let StmtKind::Block(stmts) = &program.stmt(stmt).kind {
        let is_loop = |it: &&StmtId| {
            matches!(
                program.stmt(**it).kind,
                StmtKind::For { .. } | StmtKind::Block(_) | StmtKind::Directive(_)
            )
        };
        let mut inner = stmts.iter().filter(is_loop);
        match (inner.next(), inner.next(), stmts.len()) {
            (Some(only), None, count) if count == 1 || may_have_others => stmt = *only,
            _ => break,
        }
    }
    stmt
}
