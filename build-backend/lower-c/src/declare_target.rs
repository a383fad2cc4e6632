//! Objects of file scope that have a copy on every device: `declare target` (OpenMP 5.2, section 7.8).

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{Construct, Entity, ExprId, ExprKind, Program, Storage, VariableId};
use apg_c_syntax::TextRange;
use rustc_hash::FxHashSet;

/// The objects that `declare target` directives name or enclose, those of headers too, in the order of their
/// declarations.
pub(crate) fn device_objects(hir: &Program) -> Vec<VariableId> {
    let mut found: Vec<VariableId> = hir.header_target_objects.iter().copied().collect();
    let mut opened: Option<TextRange> = None;
    for id in hir.directive_ids() {
        let of = hir.directive(id);
        let clauses = of.clauses.iter().filter(|it| matches!(it.name.as_str(), "to" | "enter" | "link"));
        let items = clauses.flat_map(|it| &it.items).chain(&of.argument);
        match of.constructs.first() {
            Some(Construct::DeclareTarget) if of.clauses.is_empty() && of.argument.is_empty() => {
                opened = Some(of.range);
            }
            Some(Construct::DeclareTarget) => found.extend(items.filter_map(|it| it.variable(hir))),
            Some(Construct::BeginDeclareTarget) => opened = Some(of.range),
            Some(Construct::EndDeclareTarget) => {
                let Some(start) = opened.take() else { continue };
                found.extend(hir.names.values().filter_map(|entity| match entity {
                    Entity::Variable(it) => {
                        let at = hir.variable(*it).range?.start();
                        (at > start.start() && at < of.range.start()).then_some(*it)
                    }
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    found.retain(|it| hir.variable(*it).storage == Storage::Global);
    found.sort();
    found.dedup();
    found
}

/// The variables that the functions of a file and their directives refer to.
pub(crate) fn used_variables(hir: &Program) -> FxHashSet<VariableId> {
    let mut found = FxHashSet::default();
    let mut add = |node: Node| {
        if let Node::Expr(id) = node
            && let ExprKind::Variable(variable) = hir.expr(id).kind
        {
            found.insert(variable);
        }
        true
    };
    for body in hir.functions.iter().filter_map(|it| it.body) {
        hir.walk_stmt(body, &mut add);
    }
    let directives = hir.directives.iter().filter(|it| it.function.is_some());
    let items: Vec<ExprId> =
        directives.flat_map(|it| &it.clauses).flat_map(|it| &it.items).filter_map(|it| it.expr).collect();
    items.into_iter().for_each(|it| hir.walk_expr(it, &mut add));
    found
}
