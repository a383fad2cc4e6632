//! Loops that `loop` distributes, and the elements of global arrays that their iterations access (XcalableMP
//! 1.4, section 5.3).

use apg_c_syntax::Family;

use super::model::{GlobalArray, Grid, GridKind, Model, target};
use super::partition::Partition;
use crate::hir::visit::Node;
use crate::hir::{
    BinaryOp, Directive, ExprId, ExprKind, Mapping, Program, StmtId, StmtKind, Subscript, SubscriptKind,
    VariableId,
};
use crate::loops::{CanonicalLoop, canonical};

/// Clauses that change which iterations a node executes.
const OTHER_ITERATIONS: [&str; 3] = ["expand", "margin", "peel_and_wait"];

/// The loops of a `loop` directive on a template.
pub struct DistributedLoop<'m> {
    /// The template, with its subscripts.
    pub on: &'m Mapping,
    /// The template.
    pub template: &'m Grid,
    /// The loops of the nest, the outermost first; at least one.
    pub nest: Vec<CanonicalLoop>,
    /// The first and the last value of each loop's variable, if they are constant and the step is one.
    pub iterations: Vec<Option<(i128, i128)>>,
    /// The body of the innermost.
    pub body: StmtId,
}

/// An index that depends on one variable, or on none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affine {
    /// The variable, as a number of the nest.
    pub variable: Option<usize>,
    /// What is added.
    pub offset: i128,
}

/// An access to an element of a global array that every iteration executes.
pub struct Access<'m> {
    /// The array.
    pub array: &'m GlobalArray,
    /// The subscripts, one for each axis.
    pub subscripts: Vec<ExprId>,
    /// The element.
    pub expr: ExprId,
    /// Its value is read.
    pub is_read: bool,
    /// It gets a value.
    pub is_written: bool,
    /// The value it gets in a plain assignment.
    pub value: Option<ExprId>,
}

impl<'m> DistributedLoop<'m> {
    /// The loops of a directive; `None` if they are not on a template with subscripts in its spelling, are
    /// not in canonical form, or other iterations are executed than those whose indices a node owns.
    pub fn of(program: &Program, model: &'m Model, directive: &'m Directive) -> Option<DistributedLoop<'m>> {
        if OTHER_ITERATIONS.iter().any(|it| directive.clause(it).is_some()) {
            return None;
        }
        let on = target(directive, "on")?;
        let template = model.grid(&on.name, directive.function)?;
        let is_of_template = template.kind == GridKind::Template && on.spelling == Some(template.spelling);
        if !is_of_template || on.subscripts.len() != template.axes.len() {
            return None;
        }
        let (mut nest, mut body) = (Vec::new(), directive.body?);
        while let Ok(found) = canonical(program, without_accelerators(program, body)) {
            body = found.body;
            nest.push(found);
        }
        if nest.is_empty() {
            return None;
        }
        let iterations = nest.iter().map(|it| iterations(program, it)).collect();
        Some(DistributedLoop { on, template, nest, iterations, body })
    }

    /// The value of an index by the variables of the nest.
    pub fn affine(&self, program: &Program, expr: ExprId) -> Option<Affine> {
        let variable = |it: ExprId| match program.expr(it).kind {
            ExprKind::Variable(variable) => self.nest.iter().position(|it| it.variable == variable),
            _ => None,
        };
        if let Some(offset) = program.constant(expr) {
            return Some(Affine { variable: None, offset });
        }
        if let Some(found) = variable(expr) {
            return Some(Affine { variable: Some(found), offset: 0 });
        }
        let (variable, offset) = match program.expr(expr).kind {
            ExprKind::Binary(BinaryOp::Add, left, right) => match (variable(left), variable(right)) {
                (Some(found), None) => (found, program.constant(right)?),
                (None, Some(found)) => (found, program.constant(left)?),
                _ => return None,
            },
            ExprKind::Binary(BinaryOp::Subtract, left, right) => {
                (variable(left)?, program.constant(right)?.checked_neg()?)
            }
            _ => return None,
        };
        is_small(offset).then_some(Affine { variable: Some(variable), offset })
    }

    /// The first and the last value of an index.
    pub fn range(&self, of: Affine) -> Option<(i128, i128)> {
        let (first, last) = match of.variable {
            Some(number) => self.iterations[number]?,
            None => (0, 0),
        };
        (is_small(first) && is_small(last)).then_some((first + of.offset, last + of.offset))
    }

    /// The loop whose variable alone is the subscript of an axis of the template.
    pub fn loop_of_axis(&self, program: &Program, axis: usize) -> Option<usize> {
        let SubscriptKind::Expr(_) = self.on.subscripts.get(axis)?.kind else { return None };
        let name = self.on.subscripts[axis].text.as_str();
        self.nest.iter().position(|it| program.variable(it.variable).name == name)
    }

    /// Whether all loops have constant bounds and at least one iteration, each of which executes all of the
    /// body, and none changes the variables of the loops.
    pub fn runs_to_its_end(&self, program: &Program) -> bool {
        let is_counter = |it: ExprId| {
            let variable = program.base_variable(it);
            self.nest.iter().any(|it| Some(it.variable) == variable)
        };
        let mut result = self.iterations.iter().all(Option::is_some);
        program.walk_stmt(self.body, &mut |node| {
            result &= match node {
                Node::Stmt(it) => !leaves(&program.stmt(it).kind),
                Node::Expr(it) => match program.expr(it).kind {
                    ExprKind::Assign(_, target, _)
                    | ExprKind::Increment { target, .. }
                    | ExprKind::AddressOf(target) => !is_counter(target),
                    _ => true,
                },
                Node::Directive(_) => true,
            };
            result
        });
        result
    }

    /// The elements of global arrays that each iteration accesses.
    pub fn accesses(&self, program: &Program, model: &'m Model) -> Vec<Access<'m>> {
        let (mut found, mut targets) = (Vec::new(), Vec::new());
        program.walk_stmt(self.body, &mut |node| match node {
            // Executed under a condition, or not as they are written.
            Node::Stmt(it) => matches!(
                program.stmt(it).kind,
                StmtKind::Block(_) | StmtKind::Expr(_) | StmtKind::Declaration(_)
            ),
            Node::Directive(_) => false,
            Node::Expr(it) => {
                match program.expr(it).kind {
                    ExprKind::Assign(operator, target, value) => {
                        targets.push((target, operator.is_some(), operator.is_none().then_some(value)));
                    }
                    ExprKind::Increment { target, .. } => targets.push((target, true, None)),
                    _ => {}
                }
                found.extend(access(program, model, it, &targets));
                !is_conditional(&program.expr(it).kind)
            }
        });
        found
    }
}

/// The axis of an array that is where an axis of its template is, without an offset.
pub fn aligned_axis(array: &GlobalArray, template_axis: usize) -> Option<usize> {
    let index = array.target.get(template_axis)?;
    let SubscriptKind::Expr(_) = index.kind else { return None };
    array.axes.iter().position(|it| it.text == index.text)
}

/// The axis of the array that a subscript of its template names, and what is added to its index.
pub fn aligned_index(program: &Program, array: &GlobalArray, index: &Subscript) -> Option<(usize, i128)> {
    let SubscriptKind::Expr(expr) = index.kind else { return None };
    let named = |text: &str| array.axes.iter().position(|it| it.text == text);
    if let Some(axis) = named(&index.text) {
        return Some((axis, 0));
    }
    // `i + 1`, `1 + i`, `i - 1`; subscripts are kept without blanks.
    let (left, right) = match program.expr(expr).kind {
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) => (left, right),
        _ => return None,
    };
    let split = index.text.find(['+', '-'])?;
    let is_subtracted = index.text.as_bytes()[split] == b'-';
    let (before, after) = (named(&index.text[..split]), named(&index.text[split + 1..]));
    let found = match (before, after, is_subtracted) {
        (Some(axis), None, false) => (axis, program.constant(right)?),
        (Some(axis), None, true) => (axis, program.constant(right)?.checked_neg()?),
        (None, Some(axis), false) => (axis, program.constant(left)?),
        _ => return None,
    };
    is_small(found.1).then_some(found)
}

/// The division of the nodes' axis that an axis of an array is distributed along, and what the template's
/// index is more than the array's; `None` if the axis is not distributed, or it is not known how.
pub fn distribution_of(
    program: &Program,
    model: &Model,
    array: &GlobalArray,
    axis: usize,
) -> Option<(Partition, i128)> {
    let template = model.grid(&array.template, program.variable(array.variable).function)?;
    let is_of_template = array.target_spelling == Some(template.spelling);
    if !is_of_template || array.target.len() != template.axes.len() {
        return None;
    }
    array.target.iter().enumerate().find_map(|(number, index)| {
        let (found, offset) = aligned_index(program, array, index)?;
        (found == axis).then_some(())?;
        Some((Partition::of(model, template, number)?, offset))
    })
}

fn is_small(value: i128) -> bool {
    value.unsigned_abs() < 1 << 64
}

/// The statement inside of blocks and of directives of accelerators.
fn without_accelerators(program: &Program, mut stmt: StmtId) -> StmtId {
    loop {
        stmt = match &program.stmt(stmt).kind {
            StmtKind::Block(stmts) => match stmts[..] {
                [only] => only,
                _ => return stmt,
            },
            StmtKind::Directive(it) if program.directive(*it).family == Family::OpenAcc => {
                let Some(body) = program.directive(*it).body else { return stmt };
                body
            }
            _ => return stmt,
        };
    }
}

/// The first and the last iteration of a loop with step one, if they are constant and there is one.
fn iterations(program: &Program, of: &CanonicalLoop) -> Option<(i128, i128)> {
    let is_by_one = of.step.is_none_or(|it| program.constant(it) == Some(1)) && !of.is_downward;
    let (start, end) = (program.constant(of.start)?, program.constant(of.end)?);
    let last = match of.comparison {
        BinaryOp::Less => end.checked_sub(1)?,
        BinaryOp::LessEqual => end,
        _ => return None,
    };
    (is_by_one && start <= last).then_some((start, last))
}

/// Whether a statement may leave the iteration before its end, or enter it.
fn leaves(kind: &StmtKind) -> bool {
    use StmtKind::{Break, Continue, Goto, Label, Return};
    matches!(kind, Break | Continue | Goto(_) | Return(_) | Label(..))
}

/// Whether parts of an expression may not be evaluated, or not as they are written.
fn is_conditional(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Conditional(..)
            | ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..)
            | ExprKind::AddressOf(_)
            | ExprKind::Block(_)
    )
}

/// The access of an expression, by the targets of the assignments around it.
fn access<'m>(
    program: &Program,
    model: &'m Model,
    expr: ExprId,
    targets: &[(ExprId, bool, Option<ExprId>)],
) -> Option<Access<'m>> {
    let (variable, subscripts) = element(program, expr)?;
    let array = model.array(variable).filter(|it| it.axes.len() == subscripts.len())?;
    let (is_read, is_written, value) = match targets.iter().find(|it| it.0 == expr) {
        Some((_, is_updated, value)) => (*is_updated, true, *value),
        None => (true, false, None),
    };
    Some(Access { array, subscripts, expr, is_read, is_written, value })
}

/// The array and the subscripts of `a[i][j]`.
pub fn element(program: &Program, mut expr: ExprId) -> Option<(VariableId, Vec<ExprId>)> {
    let mut subscripts = Vec::new();
    while let ExprKind::Index(base, index) = program.expr(expr).kind {
        subscripts.push(index);
        expr = base;
    }
    subscripts.reverse();
    match program.expr(expr).kind {
        ExprKind::Variable(variable) if !subscripts.is_empty() => Some((variable, subscripts)),
        _ => None,
    }
}
