//! Assists for kernels: hoist an invariant expression out of a kernel, and keep a captured rail in device
//! memory between launches.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, SyntaxNode, TextRange, TextSize};

use super::lines::indentation;
use super::{Assist, AssistContext, AssistKind, extract_variable, selection};
use crate::body::LocalId;
use crate::diagnostics::TextEdit;
use crate::ide::navigation_target::{Symbol, symbol_at};
use crate::ide::receiver::value_type;
use crate::infer::owner_body;
use crate::item_tree::source::item_offset;
use crate::scope::imports::import_edit;

/// The block statement that launches a kernel: `finish async at (p) @CUDA ...`.
fn launch(node: &SyntaxNode) -> Option<SyntaxNode> {
    let kernel = selection::kernel_around(node)?;
    kernel.ancestors().find(|n| {
        ast::Stmt::can_cast(n.kind())
            && n.parent().is_some_and(|p| p.kind() == SyntaxKind::BLOCK)
            && n.text_range().contains_range(kernel.text_range())
            && n.kind() != SyntaxKind::BLOCK
    })
}

/// Hoists a selected expression over values known before the launch: it is evaluated once instead of in each
/// thread.
pub(super) fn hoist(ctx: &AssistContext<'_>) -> Option<Assist> {
    if ctx.range.is_empty() {
        return None;
    }
    let expr = extract_variable::selected(ctx)?;
    let launch = launch(expr.syntax())?;
    if matches!(expr, ast::Expr::NameExpr(_) | ast::Expr::Literal(_)) || !is_pure(expr.syntax()) {
        return None;
    }
    value_type(ctx.db, ctx.file, &expr)?;
    let (owner, body, locals) = selection::locals(ctx, expr.syntax().text_range())?;
    let start = launch.text_range().start().checked_sub(item_offset(ctx.db, owner.into()))?;
    let known = |local: &LocalId| body.local(*local).range.end() <= start && !body.local(*local).mutable;
    if !locals.assigned.is_empty() || !locals.used.iter().all(known) {
        return None;
    }
    let name = extract_variable::fresh_name(ctx, &expr);
    let indent = indentation(ctx.text(), launch.text_range().start());
    let declaration = format!("val {name} = {};\n{indent}", expr.syntax().text());
    Some(Assist {
        title: format!("Hoist out of the kernel into `val {name}`"),
        kind: AssistKind::Extract,
        edits: vec![
            ctx.edit(TextRange::empty(launch.text_range().start()), declaration),
            ctx.edit(expr.syntax().text_range(), name),
        ],
    })
}

/// Whether an expression consists of names, fields, literals and arithmetic, so that its value does not
/// depend on the place of evaluation.
fn is_pure(node: &SyntaxNode) -> bool {
    use SyntaxKind::*;
    node.descendants().filter(|n| ast::Expr::can_cast(n.kind())).all(|n| {
        matches!(n.kind(), NAME_EXPR | FIELD_EXPR | LITERAL | BIN_EXPR | PAREN_EXPR | PREFIX_EXPR | CAST_EXPR)
            && !n.first_token().is_some_and(|t| matches!(t.text(), "++" | "--"))
    })
}

/// Keeps the captured rail at the cursor in device memory: fills it before the launch, and copies it back if
/// the kernel writes it.
pub(super) fn keep_on_device(ctx: &AssistContext<'_>) -> Option<Assist> {
    let (symbol, range) = symbol_at(ctx.db, ctx.file, ctx.range.start())?;
    let Symbol::Local { owner, local } = symbol else { return None };
    let node = ctx.root.covering_element(range).ancestors().next()?;
    let launch = launch(&node)?;
    let declared = owner_body(ctx.db, owner).body.local(local);
    let offset = item_offset(ctx.db, owner.into());
    if (declared.range + offset).end() > launch.text_range().start() {
        return None;
    }
    let element = declared.ty.base(ctx.db).rail_element(ctx.db)?;
    let name = declared.name.as_str();
    let uses: Vec<TextRange> = crate::ide::references(ctx.db, &[ctx.file], &symbol)
        .into_iter()
        .map(|r| r.range)
        .filter(|r| launch.text_range().contains_range(*r))
        .collect();
    let target = kernel_place(&launch)?;
    let is_written = uses.iter().any(|range| is_element_written(ctx, *range));
    let element = element.base(ctx.db).display(ctx.db).to_string();
    let device = format!("{name}OnDevice");
    let indent = indentation(ctx.text(), launch.text_range().start());
    let before = format!(
        "val {device} = CUDAUtilities.makeGlobalRail[{element}]({target}, {name}.size);\n\
         {indent}finish Rail.asyncCopy({name}, 0, {device}, 0, {name}.size);\n{indent}"
    );
    let mut after = String::new();
    if is_written {
        after.push_str(&format!("\n{indent}finish Rail.asyncCopy({device}, 0, {name}, 0, {name}.size);"));
    }
    after.push_str(&format!("\n{indent}CUDAUtilities.deleteGlobalRail({device});"));
    let mut edits = vec![ctx.edit(TextRange::empty(launch.text_range().start()), before)];
    edits.extend(uses.iter().map(|range| ctx.edit(*range, device.clone())));
    edits.push(ctx.edit(TextRange::empty(launch.text_range().end()), after));
    edits.extend(import(ctx));
    Some(Assist { title: format!("Keep `{name}` on the device"), kind: AssistKind::Rewrite, edits })
}

/// The import of `CUDAUtilities`, if it is not imported yet.
fn import(ctx: &AssistContext<'_>) -> Option<TextEdit> {
    let scope = crate::ide::navigation_target::scope_at(ctx.db, ctx.file, TextRange::empty(TextSize::new(0)));
    let known = scope.find_type("CUDAUtilities").is_some();
    (!known).then(|| import_edit(ctx.db, ctx.file, "x10.util.CUDAUtilities"))
}

/// The place of the `at` of a launch, as written.
fn kernel_place(launch: &SyntaxNode) -> Option<String> {
    let at = launch.descendants().find(|n| n.kind() == SyntaxKind::AT_STMT)?;
    at.children().find_map(ast::Expr::cast).map(|e| e.syntax().text().to_string())
}

/// Whether the name at `range` is a rail with an assigned element.
fn is_element_written(ctx: &AssistContext<'_>, range: TextRange) -> bool {
    let name = ctx.root.covering_element(range);
    let call = name
        .ancestors()
        .find(|n| n.kind() == SyntaxKind::CALL_EXPR && n.text_range().start() == range.start());
    let Some(call) = call else { return false };
    call.parent().is_some_and(|around| match around.kind() {
        SyntaxKind::ASSIGN_EXPR => around.first_child().as_ref() == Some(&call),
        SyntaxKind::POSTFIX_EXPR | SyntaxKind::PREFIX_EXPR => around
            .children_with_tokens()
            .filter_map(|e| e.into_token())
            .any(|t| matches!(t.text(), "++" | "--")),
        _ => false,
    })
}
