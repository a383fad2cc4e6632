//! `reduction` clauses of regions (OpenMP 5.2, section 5.5): operators, and how threads combine values of
//! arrays and array sections.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{
    BinaryOp, Clause, DirectiveId, ExprId, ExprKind, Item, Length, Program, StmtId, StmtKind, Type,
    VariableId,
};
use apg_c_analysis::updates::{is_same, update};

use crate::data::Reference;
use crate::unsupported::{Lowered, unsupported};

/// The operator of a reduction (OpenMP 5.2, table 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    Add,
    Multiply,
    Min,
    Max,
    BitAnd,
    BitOr,
    BitXor,
    And,
    Or,
}

impl Reduction {
    fn from_text(text: &str) -> Option<Reduction> {
        Some(match text {
            // The values of `-` are added, too.
            "+" | "-" => Reduction::Add,
            "*" => Reduction::Multiply,
            "min" => Reduction::Min,
            "max" => Reduction::Max,
            "&" => Reduction::BitAnd,
            "|" => Reduction::BitOr,
            "^" => Reduction::BitXor,
            "&&" => Reduction::And,
            "||" => Reduction::Or,
            _ => return None,
        })
    }
}

/// The most elements of which each thread has copies, if atomic operations on the device's array do as well.
const MAX_ELEMENTS_OF_A_THREAD: u64 = 32;

/// The most bytes of the elements of which each thread has copies.
const MAX_COPIED_BYTES: u64 = 4096;

/// How a region refers to an item of a `reduction` clause: each thread has a copy of it; or of an array with
/// many elements, or with a number of them that the compiler does not know, threads update the elements.
pub(crate) fn reduction(
    hir: &Program,
    region: DirectiveId,
    clause: &Clause,
    item: &Item,
) -> Lowered<Reference> {
    let operator = reduction_operator(clause)?;
    let (Some(expr), Some(variable)) = (item.expr, item.variable(hir)) else {
        return unsupported(item.range, "this is no object", "name a variable or a section of it");
    };
    let of = hir.variable(variable);
    let section = match hir.expr(expr).kind {
        ExprKind::Variable(_) if !matches!(of.ty, Type::Array(..)) => {
            return Ok(Reference::Reduction(operator, None));
        }
        ExprKind::Variable(_) => None,
        _ => Some(expr),
    };
    let count = match section {
        None => element_count(&of.ty),
        Some(section) => section_of(hir, section).and_then(|it| it.count),
    };
    let bytes = count.and_then(|it| Some(it.checked_mul(element_bytes(hir, &of.ty)?)));
    let is_small = bytes.flatten().is_some_and(|it| it <= MAX_COPIED_BYTES);
    let is_few = count.is_some_and(|it| it <= MAX_ELEMENTS_OF_A_THREAD);
    let body = hir.directive(region).body;
    if !is_few && body.is_some_and(|body| has_updates_only(hir, body, variable, operator)) {
        return Ok(Reference::Updated(section));
    }
    if is_small {
        return Ok(Reference::Reduction(operator, section));
    }
    let message = format!(
        "`{}` is reduced, has many elements, and is used in other ways than updates by the operator",
        of.name
    );
    let advice = format!("write only updates such as `{}[i] += value`, or at most 4 KiB", of.name);
    unsupported(item.range, message, advice)
}

/// A section of one dimension.
pub(crate) struct Section {
    /// The index of its first element; `None` is zero.
    pub low: Option<ExprId>,
    /// How many elements it has, if that is a constant.
    pub count: Option<u64>,
}

/// The section of a variable; `None` for another expression.
pub(crate) fn section_of(hir: &Program, expr: ExprId) -> Option<Section> {
    let ExprKind::Section(base, low, length) = hir.expr(expr).kind else { return None };
    if !matches!(hir.expr(base).kind, ExprKind::Variable(_)) {
        return None;
    }
    let first = low.map_or(Some(0), |it| hir.constant(it));
    let constant = |it: i128| u64::try_from(it).ok();
    let count = match (length, &hir.expr(base).ty) {
        (Some(length), _) => hir.constant(length).and_then(constant),
        (None, Type::Array(_, Length::Constant(all))) => {
            first.and_then(|first| constant(i128::from(*all) - first))
        }
        _ => None,
    };
    // Inner dimensions are whole.
    let inner = hir.expr(base).ty.element().map_or(Some(1), element_count);
    Some(Section { low, count: count.zip(inner).map(|(count, inner)| count.saturating_mul(inner)) })
}

/// The number of elements that are no arrays.
fn element_count(ty: &Type) -> Option<u64> {
    match ty {
        Type::Array(element, Length::Constant(length)) => element_count(element)?.checked_mul(*length),
        Type::Array(..) => None,
        _ => Some(1),
    }
}

/// The size of an element that is no array.
fn element_bytes(hir: &Program, ty: &Type) -> Option<u64> {
    match ty {
        Type::Array(element, _) => element_bytes(hir, element),
        Type::Pointer(to) => element_bytes(hir, to),
        ty => hir.size_of(ty),
    }
}

/// Whether all that a statement does with an array is to update its elements by an operator, and it uses no
/// value of such an update.
fn has_updates_only(hir: &Program, stmt: StmtId, variable: VariableId, operator: Reduction) -> bool {
    let (mut named, mut updated) = (0, 0);
    hir.walk_stmt(stmt, &mut |node| {
        match node {
            Node::Expr(id) if hir.expr(id).kind == ExprKind::Variable(variable) => named += 1,
            Node::Stmt(id) => {
                if let StmtKind::Expr(expr) = hir.stmt(id).kind
                    && let Some((target, op)) = update(hir, expr)
                    && is_of_operator(op, operator)
                    && is_element_of(hir, target, variable)
                    && let Some(count) = names_of_update(hir, expr, target)
                {
                    updated += count;
                }
            }
            _ => {}
        }
        true
    });
    named == updated
}

/// How often an update names its object, if it has the form of an atomic one.
fn names_of_update(hir: &Program, expr: ExprId, target: ExprId) -> Option<u32> {
    let ExprKind::Assign(None, _, value) = hir.expr(expr).kind else { return Some(1) };
    let ExprKind::Binary(op, left, right) = hir.expr(value).kind else { return None };
    let is_first = is_same(hir, left, target);
    (is_first || op != BinaryOp::Subtract && is_same(hir, right, target)).then_some(2)
}

fn is_of_operator(op: BinaryOp, operator: Reduction) -> bool {
    match operator {
        Reduction::Add => matches!(op, BinaryOp::Add | BinaryOp::Subtract),
        Reduction::Multiply => op == BinaryOp::Multiply,
        Reduction::BitAnd => op == BinaryOp::BitAnd,
        Reduction::BitOr => op == BinaryOp::BitOr,
        Reduction::BitXor => op == BinaryOp::BitXor,
        Reduction::Min | Reduction::Max | Reduction::And | Reduction::Or => false,
    }
}

/// Whether an expression is an element of the array that a variable is, or points to.
fn is_element_of(hir: &Program, mut expr: ExprId, variable: VariableId) -> bool {
    loop {
        match hir.expr(expr).kind {
            ExprKind::Index(base, _) if matches!(hir.expr(base).kind, ExprKind::Variable(_)) => {
                return hir.expr(base).kind == ExprKind::Variable(variable);
            }
            ExprKind::Index(base, _) if matches!(hir.expr(base).ty, Type::Array(..)) => expr = base,
            _ => return false,
        }
    }
}

/// The operator of a `reduction` clause.
pub(crate) fn reduction_operator(clause: &Clause) -> Lowered<Reduction> {
    let operator = clause.modifier().unwrap_or_default();
    match Reduction::from_text(operator) {
        Some(it) => Ok(it),
        None => {
            let message = format!("the reduction `{operator}` has no device form");
            unsupported(clause.range, message, "use one of + * min max & | ^ && ||")
        }
    }
}
