//! Assist: extract a selected expression to a `val` before its statement (Fowler, *Refactoring*: Extract
//! Variable).

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, SyntaxNode, TextRange};

use super::lines::{STEP, indentation};
use super::{Assist, AssistContext, AssistKind, selection};
use crate::diagnostics::TextEdit;
use crate::ide::receiver::value_type;
use crate::ide::visible::visible_locals;

pub(super) fn extract_variable(ctx: &AssistContext<'_>) -> Option<Assist> {
    if ctx.range.is_empty() {
        return None;
    }
    let expr = selected(ctx)?;
    if selection::is_kernel_frame(expr.syntax()) {
        return None;
    }
    // An expression without a value, such as a call of a `void` method, cannot be extracted.
    value_type(ctx.db, ctx.file, &expr)?;
    let name = fresh_name(ctx, &expr);
    let edits = before_statement(ctx, &expr, &name).or_else(|| in_new_block(ctx, &expr, &name))?;
    Some(Assist { title: format!("Extract into `val {name}`"), kind: AssistKind::Extract, edits })
}

/// The edits that declare the `val` before the block statement that evaluates the expression.
fn before_statement(ctx: &AssistContext<'_>, expr: &ast::Expr, name: &str) -> Option<Vec<TextEdit>> {
    let statement = expr.syntax().ancestors().find(|n| {
        let in_block = |p: SyntaxNode| matches!(p.kind(), SyntaxKind::BLOCK | SyntaxKind::SWITCH_GROUP);
        n.kind() == SyntaxKind::EXPR_BODY || ast::Stmt::can_cast(n.kind()) && n.parent().is_some_and(in_block)
    })?;
    if evaluated_elsewhere(expr.syntax(), &statement) {
        return None;
    }
    if statement.kind() == SyntaxKind::EXPR_BODY {
        return Some(vec![as_block(ctx, expr, &statement, name)?]);
    }
    let start = statement.text_range().start();
    let indent = indentation(ctx.text(), start);
    let value = expr.syntax().text().to_string();
    let declaration = format!("val {name} = {value};\n{indent}");
    Some(match expr.syntax().parent() {
        // An expression statement becomes the declaration itself.
        Some(parent) if parent.kind() == SyntaxKind::EXPR_STMT => {
            vec![ctx.edit(parent.text_range(), format!("val {name} = {value};"))]
        }
        // Two edits at one offset would have no order.
        _ if expr.syntax().text_range().start() == start => {
            vec![ctx.edit(expr.syntax().text_range(), format!("{declaration}{name}"))]
        }
        _ => vec![
            ctx.edit(TextRange::empty(start), declaration),
            ctx.edit(with_parens(ctx, expr.syntax()), name),
        ],
    })
}

/// The edits for a statement that is the whole body of a loop, branch or activity, or an expression that is
/// the whole body of a closure: it becomes a block that begins with the declaration.
fn in_new_block(ctx: &AssistContext<'_>, expr: &ast::Expr, name: &str) -> Option<Vec<TextEdit>> {
    use SyntaxKind::{AT_EXPR, CLOSURE_EXPR, LABELED_STMT};
    let is_body = |node: &SyntaxNode| match node.parent() {
        Some(around) if matches!(around.kind(), CLOSURE_EXPR | AT_EXPR) => {
            ast::Expr::can_cast(node.kind()) && around.last_child().as_ref() == Some(node)
        }
        // A labelled statement is the target of jumps.
        Some(around) if around.kind() == LABELED_STMT => false,
        Some(around) => ast::Stmt::can_cast(node.kind()) && ast::Stmt::can_cast(around.kind()),
        None => false,
    };
    let body = expr.syntax().ancestors().find(is_body)?;
    if body != *expr.syntax() && evaluated_elsewhere(expr.syntax(), &body) {
        return None;
    }
    let range = body.text_range();
    let part = with_parens(ctx, expr.syntax()).intersect(range)? - range.start();
    let value = expr.syntax().text().to_string();
    let mut rest = body.text().to_string();
    rest.replace_range(std::ops::Range::<usize>::from(part), name);
    let text = match ast::Expr::cast(body) {
        Some(result) => {
            // A call without a value ends in a semicolon.
            let end = if value_type(ctx.db, ctx.file, &result).is_some() { "" } else { ";" };
            format!("{{ val {name} = {value}; {rest}{end} }}")
        }
        None => {
            let indent = indentation(ctx.text(), range.start());
            let rest = rest.replace('\n', &format!("\n{STEP}"));
            format!("{{\n{indent}{STEP}val {name} = {value};\n{indent}{STEP}{rest}\n{indent}}}")
        }
    };
    Some(vec![ctx.edit(range, text)])
}

/// The edit that converts the body `= e;` of a method to a block with the declaration.
fn as_block(ctx: &AssistContext<'_>, expr: &ast::Expr, body: &SyntaxNode, name: &str) -> Option<TextEdit> {
    let result = body.children().find_map(ast::Expr::cast)?;
    // A method without a result has no value to return.
    value_type(ctx.db, ctx.file, &result)?;
    let gives_nothing = body.parent()?.children().any(|n| {
        n.kind() == SyntaxKind::RESULT_TYPE && n.last_token().is_some_and(|token| token.text() == "void")
    });
    if gives_nothing {
        return None;
    }
    let whole = result.syntax().text_range();
    let part = with_parens(ctx, expr.syntax()).intersect(whole)? - whole.start();
    let value = expr.syntax().text().to_string();
    let mut result = result.syntax().text().to_string();
    result.replace_range(std::ops::Range::<usize>::from(part), name);
    let indent = indentation(ctx.text(), body.text_range().start());
    let text = format!("{{\n{indent}{STEP}val {name} = {value};\n{indent}{STEP}return {result};\n{indent}}}");
    Some(ctx.edit(body.text_range(), text))
}

/// The range that a name or call replaces, with parentheses that become redundant.
pub(super) fn with_parens(ctx: &AssistContext<'_>, expr: &SyntaxNode) -> TextRange {
    let parens = expr.parent().filter(|it| it.kind() == SyntaxKind::PAREN_EXPR).map(|it| it.text_range());
    // `return(e)`
    let is_apart = |range: &TextRange| {
        !ctx.text()[..usize::from(range.start())].ends_with(|c: char| c.is_alphanumeric() || c == '_')
    };
    parens.filter(is_apart).unwrap_or_else(|| expr.text_range())
}

/// The expression that equals the selection, ignoring white space at its ends.
pub(super) fn selected(ctx: &AssistContext<'_>) -> Option<ast::Expr> {
    let text = &ctx.text()[ctx.range];
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return None;
    }
    let lead = apg_syntax::TextSize::of(&text[..text.len() - text.trim_start().len()]);
    let range = TextRange::at(ctx.range.start() + lead, apg_syntax::TextSize::of(trimmed));
    let node = match ctx.root.covering_element(range) {
        apg_syntax::NodeOrToken::Node(node) => node,
        apg_syntax::NodeOrToken::Token(token) => token.parent()?,
    };
    let exact = node.ancestors().take_while(|n| n.text_range() == range);
    let found = exact.filter_map(ast::Expr::cast).last()?;
    let is_target = found.syntax().parent().is_some_and(|p| {
        p.kind() == SyntaxKind::ASSIGN_EXPR && p.first_child().as_ref() == Some(found.syntax())
            || p.kind() == SyntaxKind::CALL_EXPR && p.first_child().as_ref() == Some(found.syntax())
            || is_step(&p)
    });
    (!is_target).then_some(found)
}

/// `x++`, `--x`
fn is_step(node: &SyntaxNode) -> bool {
    let mut tokens = node.children_with_tokens().filter_map(|e| e.into_token());
    matches!(node.kind(), SyntaxKind::PREFIX_EXPR | SyntaxKind::POSTFIX_EXPR)
        && tokens.any(|t| matches!(t.text(), "++" | "--"))
}

/// Whether an expression is not evaluated exactly once, before the statement and at its place: in a closure,
/// another activity, the condition of a loop, or one side of `&&`.
fn evaluated_elsewhere(expr: &SyntaxNode, statement: &SyntaxNode) -> bool {
    use SyntaxKind::*;
    let mut inner = expr.clone();
    for around in expr.ancestors().skip(1) {
        let first = around.first_child().as_ref() == Some(&inner);
        let moves = match around.kind() {
            CLOSURE_EXPR | WHILE_STMT | DO_STMT | FOR_STMT | WHEN_STMT | ASYNC_STMT | ATOMIC_STMT
            | TRY_STMT => true,
            // The place, condition or collection is evaluated once, before the body.
            AT_STMT | AT_EXPR | IF_STMT | SWITCH_STMT => !first,
            FOR_IN_STMT | AT_EACH_STMT => !before_body(&inner),
            // An earlier variable of the same declaration is not in scope before the declaration.
            LOCAL_DECL => around.children().filter(|n| n.kind() == DECLARATOR).count() > 1,
            CONDITIONAL_EXPR => !first,
            BIN_EXPR => {
                let operator = around.children_with_tokens().filter_map(|e| e.into_token());
                !first && operator.into_iter().any(|t| matches!(t.text(), "&&" | "||"))
            }
            CONSTRAINT | GUARD => true,
            _ => false,
        };
        if moves {
            return true;
        }
        if around == *statement {
            return false;
        }
        inner = around;
    }
    true
}

/// Whether a child of a loop precedes its body: the collection or range.
fn before_body(child: &SyntaxNode) -> bool {
    child.next_sibling().is_some() && !ast::Stmt::can_cast(child.kind())
}

/// An unused name that describes the expression.
pub(super) fn fresh_name(ctx: &AssistContext<'_>, expr: &ast::Expr) -> String {
    let called = |callee: Option<ast::Expr>| match callee? {
        ast::Expr::NameExpr(name) => Some(name.name_ref()?.text()),
        ast::Expr::FieldExpr(field) => Some(field.name_ref()?.text()),
        _ => None,
    };
    let stem = match expr {
        ast::Expr::CallExpr(call) => called(call.callee()),
        ast::Expr::FieldExpr(field) => field.name_ref().map(|n| n.text()),
        ast::Expr::NewExpr(new) => new.named_type().and_then(|t| t.name_ref()).map(|n| n.text()),
        _ => None,
    };
    let stem = stem.unwrap_or_else(|| "value".into());
    let stem = ["get", "make"].iter().find_map(|p| stem.strip_prefix(p)).unwrap_or(&stem);
    let is_constant = !stem.chars().any(char::is_lowercase);
    let mut letters = stem.chars();
    let stem: String = match letters.next() {
        Some(_) if is_constant => stem.to_lowercase(),
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => "value".to_owned(),
    };
    let taken = visible_locals(ctx.db, ctx.file, expr.syntax().text_range().start());
    let free = |name: &str| SyntaxKind::from_keyword(name).is_none() && taken.iter().all(|l| l.name != name);
    if free(&stem) {
        return stem;
    }
    (2..).map(|n| format!("{stem}{n}")).find(|name| free(name)).unwrap_or(stem)
}
