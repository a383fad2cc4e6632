//! Objects of file scope that have a copy on every device: `declare target` (OpenMP 5.2, section 7.8).

use apg_c_analysis::hir::{Construct, Entity, Program, Storage, VariableId};
use apg_c_syntax::TextRange;

/// The objects that `declare target` directives name or enclose, in the order of their declarations.
pub(crate) fn device_objects(hir: &Program) -> Vec<VariableId> {
    let mut found: Vec<VariableId> = Vec::new();
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
