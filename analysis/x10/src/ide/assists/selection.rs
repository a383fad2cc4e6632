//! Analysis of selected statements: the locals they use and define, and the jumps that leave them.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, SyntaxNode, TextRange, TextSize};

use super::AssistContext;
use crate::body::Owner;
use crate::body::{AssignTarget, Body, Expr, ExprKind, LocalId, StmtId};
use crate::ide::spans::owner_at;
use crate::ids::MethodId;
use crate::infer::owner_body;
use crate::item_tree::source::item_offset;

/// The complete statements of one block that the selection overlaps.
pub(super) fn statements(ctx: &AssistContext<'_>) -> Option<Vec<SyntaxNode>> {
    let text = &ctx.text()[ctx.range];
    if text.trim().is_empty() {
        return None;
    }
    let node = match ctx.root.covering_element(ctx.range) {
        apg_syntax::NodeOrToken::Node(node) => node,
        apg_syntax::NodeOrToken::Token(token) => token.parent()?,
    };
    // A statement with a block around the whole selection is not selected itself.
    let statement = node
        .ancestors()
        .take_while(|n| n.kind() != SyntaxKind::BLOCK)
        .find(|n| ast::Stmt::can_cast(n.kind()) && n.text_range().contains_range(ctx.range));
    // Either one completely selected statement, or several of a block.
    if let Some(statement) = statement.filter(|s| s.parent().is_some_and(|p| p.kind() == SyntaxKind::BLOCK)) {
        let whole = ctx.text()[statement.text_range()].trim() == text.trim();
        return whole.then(|| vec![statement]);
    }
    let block = node.ancestors().find(|n| n.kind() == SyntaxKind::BLOCK)?;
    let touched = block.children().filter(|n| {
        ast::Stmt::can_cast(n.kind()) && n.text_range().intersect(ctx.range).is_some_and(|r| !r.is_empty())
    });
    let touched: Vec<SyntaxNode> = touched.collect();
    let whole = |n: &SyntaxNode| ctx.range.contains_range(n.text_range());
    (!touched.is_empty() && touched.iter().all(whole)).then_some(touched)
}

/// The data flow of locals into and out of a piece of code.
#[derive(Debug, Default)]
pub(super) struct Locals {
    /// Declared before the code and used in it, in the order of declaration.
    pub(super) used: Vec<LocalId>,
    /// Declared before the code and assigned in it.
    pub(super) assigned: Vec<LocalId>,
    /// Declared in the code and used after it.
    pub(super) outgoing: Vec<LocalId>,
    /// Declared before the code, assigned in it, and used after it or, in a loop, before it.
    pub(super) changed: Vec<LocalId>,
    /// Declared before the code and assigned in it, by a statement of their own, before any other use: their
    /// previous value is dead.
    pub(super) renewed: Vec<LocalId>,
}

/// The body around a range, and the data flow of its locals.
pub(super) fn locals<'db>(ctx: &AssistContext<'db>, range: TextRange) -> Option<(Owner, &'db Body, Locals)> {
    let owner = owner_at(ctx.db, ctx.file, range)?;
    let selected = range.start();
    let range = range.checked_sub(item_offset(ctx.db, owner.into()))?;
    let body = &owner_body(ctx.db, owner).body;
    let mut found = Locals::default();
    for e in &body.exprs {
        let (local, is_assigned) = match &e.kind {
            ExprKind::Local(local) => (*local, false),
            ExprKind::Assign { target: AssignTarget::Local(local), .. } => (*local, true),
            _ => continue,
        };
        let declared = body.local(local).range;
        let declared_inside = range.contains_range(declared);
        let inside = range.contains_range(e.range);
        if inside && !declared_inside {
            found.used.push(local);
            if is_assigned {
                found.assigned.push(local);
            }
        } else if !inside && declared_inside {
            found.outgoing.push(local);
        }
    }
    let again = |e: &crate::body::Expr, local: LocalId| {
        matches!(&e.kind, ExprKind::Local(other) if *other == local) && !range.contains_range(e.range)
    };
    found.changed = found.assigned.clone();
    found.changed.retain(|local| body.exprs.iter().any(|e| again(e, *local)));
    for list in [&mut found.used, &mut found.assigned, &mut found.outgoing, &mut found.changed] {
        list.sort();
        list.dedup();
    }
    found.renewed =
        found.assigned.iter().copied().filter(|it| is_renewed(ctx, body, *it, (range, selected))).collect();
    Some((owner, body, found))
}

/// Whether the first use of a local in a piece of code is an assignment, in a statement that is always
/// executed.
fn is_renewed(
    ctx: &AssistContext<'_>,
    body: &Body,
    local: LocalId,
    (range, selected): (TextRange, TextSize),
) -> bool {
    let mentions = |e: &&Expr| matches!(e.kind, ExprKind::Local(it) | ExprKind::Assign { target: AssignTarget::Local(it), .. } if it == local);
    let inside = || body.exprs.iter().filter(|e| range.contains_range(e.range)).filter(mentions);
    let Some(first) = inside().min_by_key(|e| (e.range.start(), std::cmp::Reverse(e.range.end()))) else {
        return false;
    };
    // The target of an assignment comes first and counts as a use.
    let is_read =
        inside().any(|e| first.range.contains_range(e.range) && e.range.start() > first.range.start());
    // Ranges of a body are relative to its declaration.
    let Some(at) = selected.checked_sub(range.start()).map(|offset| first.range + offset) else {
        return false;
    };
    let is_own = |it: &SyntaxNode| {
        let assignment = it.first_child().filter(|_| it.kind() == SyntaxKind::EXPR_STMT);
        assignment.is_some_and(|it| {
            let mut tokens = it.children_with_tokens().filter_map(|it| it.into_token());
            it.text_range() == at && tokens.any(|token| token.text() == "=")
        })
    };
    matches!(first.kind, ExprKind::Assign { .. })
        && !is_read
        && statements(ctx).is_some_and(|all| all.iter().any(is_own))
}

/// Whether a piece of code needs the enclosing object: it contains `this` or names a member.
pub(super) fn uses_this(ctx: &AssistContext<'_>, body: &Body, range: TextRange) -> bool {
    let Some(owner) = owner_at(ctx.db, ctx.file, range) else { return true };
    let Some(range) = range.checked_sub(item_offset(ctx.db, owner.into())) else { return true };
    let mut inside = body.exprs.iter().filter(|e| range.contains_range(e.range)).peekable();
    let of_object = |kind: &ExprKind| match kind {
        ExprKind::This | ExprKind::Outer(_) => true,
        // An inner or anonymous class captures the enclosing object.
        ExprKind::New { outer: None, class, .. } => {
            class.outer(ctx.db).is_some() && !crate::item_tree::nesting::is_static_class(ctx.db, *class)
        }
        _ => false,
    };
    inside.peek().is_none() || inside.any(|e| of_object(&e.kind))
}

/// Whether a `return`, `break` or `continue` in the statements leaves them.
pub(super) fn jumps_out(statements: &[SyntaxNode]) -> bool {
    jumps(statements).next().is_some()
}

/// Whether the statements end in a `return` with a value, and every jump out of them returns from the method.
pub(super) fn return_values(statements: &[SyntaxNode]) -> bool {
    use SyntaxKind::*;
    let returns = |node: &SyntaxNode| {
        node.kind() == RETURN_STMT && node.children().any(|child| ast::Expr::can_cast(child.kind()))
    };
    let from_method = |node: &SyntaxNode| {
        let around = |n: &SyntaxNode| {
            matches!(
                n.kind(),
                METHOD_DECL | CLOSURE_EXPR | AT_EXPR | FINISH_EXPR | ASYNC_STMT | AT_STMT | AT_EACH_STMT
            )
        };
        node.ancestors().find(around).is_some_and(|n| n.kind() == METHOD_DECL)
    };
    statements.last().is_some_and(|last| returns(last) && from_method(last))
        && jumps(statements).all(|it| returns(&it))
}

/// The `return` tokens that leave the statements, if they have no value, return from the enclosing method,
/// and no other jump leaves the statements; else empty.
pub(super) fn exits(statements: &[SyntaxNode]) -> Vec<TextRange> {
    use SyntaxKind::*;
    let is_plain = |node: &SyntaxNode| {
        let around = |n: &SyntaxNode| {
            matches!(
                n.kind(),
                METHOD_DECL
                    | CONSTRUCTOR_DECL
                    | CLOSURE_EXPR
                    | AT_EXPR
                    | FINISH_EXPR
                    | ASYNC_STMT
                    | AT_STMT
                    | AT_EACH_STMT
            )
        };
        node.kind() == RETURN_STMT
            && !node.children().any(|child| ast::Expr::can_cast(child.kind()))
            && node.ancestors().find(around).is_some_and(|n| n.kind() == METHOD_DECL)
    };
    if !jumps(statements).all(|it| is_plain(&it)) {
        return Vec::new();
    }
    let word = |node: SyntaxNode| {
        let mut tokens = node.children_with_tokens().filter_map(|it| it.into_token());
        tokens.find(|it| it.kind() == RETURN_KW).map(|it| it.text_range())
    };
    jumps(statements).filter_map(word).collect()
}

/// Whether the code after a statement is reachable through it; false if unknown.
pub(super) fn completes(ctx: &AssistContext<'_>, method: MethodId, body: &Body, last: &SyntaxNode) -> bool {
    let owner = Owner::Method(method);
    let Some(range) = last.text_range().checked_sub(item_offset(ctx.db, owner.into())) else {
        return false;
    };
    let inside = (0u32..).zip(&body.stmts).filter(|(_, stmt)| range.contains_range(stmt.range));
    let inside: Vec<_> = inside.map(|(id, stmt)| (StmtId(id), stmt.range.len())).collect();
    // The longest statement in the range is the whole one. Its parts may be equally long and must complete
    // too.
    let Some(whole) = inside.iter().map(|(_, len)| *len).max() else { return false };
    let is_left = |id: StmtId| crate::flow::completes(ctx.db, owner, body, id);
    inside.iter().all(|(id, len)| *len < whole || is_left(*id))
}

/// Whether moving a piece of code out of a method would separate types declared in the method's body from
/// code that names them. `types` are the types written at the destination.
pub(super) fn parts_types(
    ctx: &AssistContext<'_>,
    method: &SyntaxNode,
    range: TextRange,
    types: &str,
) -> bool {
    let text = ctx.text();
    let around = method.text_range();
    let behind = &text[TextRange::new(range.end(), around.end())];
    let stays = [&text[TextRange::new(around.start(), range.start())], behind, types].join(" ");
    let goes = [&text[range], types].join(" ");
    let is_declaration = |it: &SyntaxNode| {
        use SyntaxKind::*;
        matches!(it.kind(), CLASS_DECL | STRUCT_DECL | INTERFACE_DECL | TYPE_DEF)
    };
    method.descendants().filter(is_declaration).any(|declaration| {
        let elsewhere = if range.contains_range(declaration.text_range()) { &stays } else { &goes };
        let name = declaration.children().find_map(ast::Name::cast);
        name.is_none_or(|name| apg_syntax::tokens(elsewhere).any(|(_, word)| word == name.text()))
    })
}

/// The jumps that leave the statements.
fn jumps(statements: &[SyntaxNode]) -> impl Iterator<Item = SyntaxNode> {
    let is_inside =
        move |node: &SyntaxNode| statements.iter().any(|s| s.text_range().contains_range(node.text_range()));
    let leads_out = move |jump: &SyntaxNode| {
        let mut around = jump.ancestors().skip(1).take_while(is_inside);
        match jump.kind() {
            SyntaxKind::RETURN_STMT => !around.any(|n| {
                matches!(n.kind(), SyntaxKind::CLOSURE_EXPR | SyntaxKind::CLASS_BODY | SyntaxKind::AT_EXPR)
            }),
            SyntaxKind::BREAK_STMT | SyntaxKind::CONTINUE_STMT => match label_of(jump) {
                Some(label) => !around.any(|n| {
                    ast::LabeledStmt::cast(n).and_then(|l| l.name()).is_some_and(|name| name.text() == label)
                }),
                None => !around.any(|n| is_target(&n, jump.kind())),
            },
            _ => false,
        }
    };
    statements.iter().flat_map(|s| s.descendants()).filter(leads_out)
}

fn label_of(jump: &SyntaxNode) -> Option<String> {
    let mut tokens = jump.descendants_with_tokens().filter_map(|e| e.into_token());
    tokens.find(|t| t.kind() == SyntaxKind::IDENT).map(|t| t.text().to_owned())
}

fn is_target(node: &SyntaxNode, jump: SyntaxKind) -> bool {
    use SyntaxKind::*;
    matches!(node.kind(), WHILE_STMT | DO_STMT | FOR_STMT | FOR_IN_STMT)
        || node.kind() == SWITCH_STMT && jump == BREAK_STMT
}

/// Whether code contains one of these keywords.
pub(super) fn has_word(statements: &[SyntaxNode], words: &[&str]) -> bool {
    let tokens = statements.iter().flat_map(|s| s.descendants_with_tokens()).filter_map(|e| e.into_token());
    tokens.into_iter().any(|t| !t.kind().is_trivia() && words.contains(&t.text()))
}

/// Whether code is part of a kernel, where most constructs have another meaning or none.
pub(super) fn in_kernel(node: &SyntaxNode) -> bool {
    kernel_around(node).is_some()
}

/// Whether code is in a kernel but outside of its threads' code: only declarations and loops of the kernel
/// are allowed there.
pub(super) fn is_kernel_frame(node: &SyntaxNode) -> bool {
    kernel_around(node).is_some_and(|kernel| {
        let inside = node.ancestors().take_while(|n| *n != kernel);
        // The `async` of the blocks contains that of the threads.
        inside.filter(|n| n.kind() == SyntaxKind::ASYNC_STMT).count() < 2
    })
}

/// The enclosing statement marked `@CUDA`.
pub(super) fn kernel_around(node: &SyntaxNode) -> Option<SyntaxNode> {
    node.ancestors().find(|n| {
        matches!(
            n.kind(),
            SyntaxKind::AT_STMT | SyntaxKind::BLOCK | SyntaxKind::ASYNC_STMT | SyntaxKind::FINISH_STMT
        ) && n.children().any(|child| is_cuda(&child))
    })
}

fn is_cuda(annotation: &SyntaxNode) -> bool {
    annotation.kind() == SyntaxKind::ANNOTATION
        && annotation.text().to_string().trim_start_matches('@').trim_start().starts_with("CUDA")
}
