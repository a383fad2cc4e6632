//! Variants of functions (OpenMP 5.2, sections 7.2 to 7.5): the function that a call in code of devices
//! calls.

use apg_c_analysis::contexts::{Choice, Context};
use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{Construct, DirectiveId, ExprId, ExprKind, FunctionId, Program, Selector};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

/// What a call of a function with variants calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    /// The function that it names.
    Base,
    /// The function of this name.
    Variant(SmolStr),
    /// It cannot be said at compile time, because of this trait.
    Unknown(SmolStr),
}

/// What the calls of a file call whose functions have variants, by the expressions that name these.
pub(crate) fn callees(hir: &Program, is_device: bool) -> FxHashMap<ExprId, Callee> {
    let mut found = FxHashMap::default();
    if hir.variants.is_empty() {
        return found;
    }
    let around = directives_around(hir);
    for call in (0..hir.exprs.len()).map(ExprId::new) {
        if let ExprKind::Call(callee, _) = hir.expr(call).kind
            && let ExprKind::Function(base) = hir.expr(callee).kind
            && hir.variants.iter().any(|it| it.base == base)
        {
            let constructs = constructs_around(hir, around.get(&call).copied(), is_device);
            found.insert(callee, choose(hir, base, &Context::new(constructs, is_device)));
        }
    }
    found
}

fn choose(hir: &Program, base: FunctionId, context: &Context) -> Callee {
    let variants: Vec<_> = hir.variants.iter().filter(|it| it.base == base).collect();
    let selectors: Vec<&Selector> = variants.iter().map(|it| &it.selector).collect();
    match context.choose(&selectors) {
        Choice::Variant(index) => Callee::Variant(variants[index].name.clone()),
        Choice::Base => Callee::Base,
        Choice::Unknown(what) => Callee::Unknown(what),
    }
}

/// The innermost directive around each call.
fn directives_around(hir: &Program) -> FxHashMap<ExprId, DirectiveId> {
    let mut around = FxHashMap::default();
    // Outer directives come before those inside of them.
    for id in hir.directive_ids() {
        let Some(body) = hir.directive(id).body else { continue };
        hir.walk_stmt(body, &mut |node| {
            if let Node::Expr(expr) = node
                && matches!(hir.expr(expr).kind, ExprKind::Call(..))
            {
                around.insert(expr, id);
            }
            true
        });
    }
    around
}

/// The constructs around, from `target` on. Functions of devices are inside of it.
fn constructs_around(hir: &Program, innermost: Option<DirectiveId>, is_device: bool) -> Vec<Construct> {
    let mut directives = Vec::new();
    let mut next = innermost;
    while let Some(id) = next {
        let of = hir.directive(id);
        directives.push(if is_device { &of.for_device().constructs } else { &of.constructs });
        next = of.parent.filter(|_| !of.has(Construct::Target));
    }
    let mut constructs: Vec<Construct> = directives.into_iter().rev().flatten().copied().collect();
    if is_device && !constructs.contains(&Construct::Target) {
        constructs.insert(0, Construct::Target);
    }
    constructs
}
