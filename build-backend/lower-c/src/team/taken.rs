//! What a parallel region takes of the function around it: the addresses of objects that its threads share,
//! or values, where no thread can tell the difference.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{DirectiveId, ExprId, ExprKind, Program, StmtId, Type, VariableId};
use rustc_hash::FxHashSet;

/// An object of the function around a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The object.
    pub variable: VariableId,
    /// The region takes its value: it is a number or a pointer whose address the function takes nowhere, and
    /// which the region does not change.
    pub is_value: bool,
}

/// Clauses whose items are not changed by their constructs.
const READING: &[&str] = &["shared", "private", "firstprivate", "if", "num_threads", "schedule", "default"];

/// How a region takes each of these objects.
pub(super) fn taken(hir: &Program, region: DirectiveId, captured: Vec<VariableId>) -> Vec<Taken> {
    let of = hir.directive(region);
    let function = of.function.and_then(|id| hir.function(id).body);
    let mut shared = FxHashSet::default();
    if let Some(body) = function {
        hir.walk_stmt(body, &mut |node| {
            if let Node::Expr(expr) = node
                && let ExprKind::AddressOf(operand) = hir.expr(expr).kind
            {
                shared.extend(object_of(hir, operand));
            }
            true
        });
    }
    note_clauses(hir, region, &mut shared);
    if let Some(body) = of.body {
        note_changes(hir, body, &mut shared);
    }
    let is_value = |it: &VariableId| {
        let of = hir.variable(*it);
        function.is_some() && !shared.contains(it) && !of.is_volatile && is_number_or_pointer(&of.ty)
    };
    captured.into_iter().map(|it| Taken { variable: it, is_value: is_value(&it) }).collect()
}

/// Notes the objects that code changes.
fn note_changes(hir: &Program, body: StmtId, changed: &mut FxHashSet<VariableId>) {
    hir.walk_stmt(body, &mut |node| {
        match node {
            Node::Expr(expr) => match hir.expr(expr).kind {
                ExprKind::Assign(_, target, _) | ExprKind::Increment { target, .. } => {
                    changed.extend(object_of(hir, target));
                }
                _ => {}
            },
            Node::Directive(inner) => note_clauses(hir, inner, changed),
            Node::Stmt(_) => {}
        }
        true
    });
}

/// Notes the objects whose values a construct changes by its clauses.
fn note_clauses(hir: &Program, directive: DirectiveId, changed: &mut FxHashSet<VariableId>) {
    let clauses = hir.directive(directive).clauses.iter();
    for clause in clauses.filter(|it| !READING.contains(&it.name.as_str())) {
        changed.extend(clause.items.iter().filter_map(|it| it.variable(hir)));
    }
}

/// The object that an lvalue is.
fn object_of(hir: &Program, expr: ExprId) -> Option<VariableId> {
    match &hir.expr(expr).kind {
        ExprKind::Variable(it) => Some(*it),
        ExprKind::Member { base, is_arrow: false, .. } => object_of(hir, *base),
        _ => None,
    }
}

fn is_number_or_pointer(ty: &Type) -> bool {
    match ty {
        Type::Bool | Type::Pointer(_) => true,
        Type::Integer { bytes, .. } => *bytes <= 8,
        Type::Float(bytes) => matches!(bytes, 4 | 8),
        _ => false,
    }
}
