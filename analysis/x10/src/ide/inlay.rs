//! Inlay hints: inferred types, names of formals, the captures of `at`, and launches of kernels.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, SyntaxNode, T, TextRange, TextSize};

use super::navigation_target::{Symbol, declared_local};
use super::owners;
use crate::body::Owner;
use crate::body::{Body, Captured, Expr, ExprId, ExprKind, StmtKind};
use crate::db::Db;
use crate::file_diagnostics;
use crate::ids::{MethodId, SourceFile};
use crate::infer::owner_body;
use crate::inputs::parse;
use crate::item_tree::items::{method_item, qualified_name};
use crate::item_tree::source::{Item, item_node, item_offset, item_ptr};
use crate::kernel::launch_summaries;
use crate::rules::constraint::run_time_check;
use crate::signature::inferred::result_type;
use crate::ty::Ty;

/// An inlay hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inlay {
    /// The offset at which it is shown.
    pub at: TextSize,
    /// The text.
    pub label: String,
    /// The kind of hint.
    pub kind: InlayKind,
    /// The text shown on hover.
    pub tooltip: Option<String>,
}

/// The kind of an inlay hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InlayKind {
    /// The type of a variable or the result of a method: as it could be written.
    Type,
    /// The name of the formal for an argument.
    Parameter,
    /// The values that an `at` copies to the other place.
    Captures,
    /// The launch configuration of a kernel.
    Launch,
    /// A check at run time.
    Check,
}

/// The hints in a range of a file, in order.
pub fn inlays(db: &dyn Db, file: SourceFile, range: TextRange) -> Vec<Inlay> {
    let mut all = Vec::new();
    for owner in owners(db, file) {
        let item: Item = owner.into();
        if item_ptr(db, item).is_none_or(|ptr| ptr.range().intersect(range).is_none()) {
            continue;
        }
        result_hint(db, owner, &mut all);
        let body = &owner_body(db, owner).body;
        let offset = item_offset(db, item);
        for e in &body.exprs {
            arguments(db, file, body, e, offset, &mut all);
        }
        for stmt in &body.stmts {
            if let StmtKind::At { captures, place, .. } = &stmt.kind {
                let at = body.expr(*place).range.end() + offset;
                all.extend(captures_hint(db, file, body, captures, at));
            }
        }
        for e in &body.exprs {
            if let ExprKind::At { captures, place, .. } = &e.kind {
                let at = body.expr(*place).range.end() + offset;
                all.extend(captures_hint(db, file, body, captures, at));
            }
        }
        let launches = launch_summaries(db, owner).into_iter();
        all.extend(launches.map(|launch| launch_hint(&launch)));
    }
    for node in parse(db, file).syntax().descendants() {
        if !matches!(node.kind(), SyntaxKind::DECLARATOR | SyntaxKind::FOR_IN_STMT | SyntaxKind::AT_EACH_STMT)
            || node.text_range().intersect(range).is_none()
        {
            continue;
        }
        let undeclared = match ast::Declarator::cast(node.clone()) {
            Some(declarator) => undeclared_variable(&declarator),
            None => undeclared_element(&node),
        };
        all.extend(undeclared.and_then(|name| variable_type(db, file, name)));
    }
    let checks = file_diagnostics(db, file).into_iter().filter(|d| d.code == run_time_check::RULE.code);
    all.extend(checks.map(|check| Inlay {
        at: check.range.end(),
        label: " checked when run".to_owned(),
        kind: InlayKind::Check,
        tooltip: Some(check.message),
    }));
    all.retain(|inlay| range.contains_inclusive(inlay.at));
    all.sort_by_key(|inlay| inlay.at);
    all.dedup();
    all
}

/// The name of a `val` or `var` without a declared type, unless its initialiser makes the type obvious.
fn undeclared_variable(declarator: &ast::Declarator) -> Option<TextRange> {
    if declarator.ty().is_some() {
        return None;
    }
    let obvious = |e: &ast::Expr| {
        matches!(e, ast::Expr::NewExpr(_) | ast::Expr::CastExpr(_) | ast::Expr::ClosureExpr(_))
            || matches!(e, ast::Expr::Literal(_))
    };
    if declarator.expr().as_ref().is_some_and(obvious) {
        return None;
    }
    declarator.name().map(|name| name.range())
}

/// The name of a loop variable without a declared type, unless the range makes the type obvious.
fn undeclared_element(node: &SyntaxNode) -> Option<TextRange> {
    let formal = node.children().find_map(ast::Formal::cast).filter(|formal| formal.ty().is_none())?;
    let iterable = node.children().find_map(ast::Expr::cast)?.without_parens();
    let mut tokens = iterable.syntax().children_with_tokens().filter_map(|it| it.into_token());
    if tokens.any(|token| token.kind() == T![..]) {
        return None;
    }
    formal.name().map(|name| name.range())
}

/// The hint `:T` after the name of a variable.
fn variable_type(db: &dyn Db, file: SourceFile, name: TextRange) -> Option<Inlay> {
    let Symbol::Local { owner, local } = declared_local(db, file, name)? else { return None };
    let ty = owner_body(db, owner).body.local(local).ty;
    if ty.is_error(db) {
        return None;
    }
    Some(Inlay {
        at: name.end(),
        label: format!(":{}", ty.base(db).display(db)),
        kind: InlayKind::Type,
        tooltip: ty.constraint(db).map(|_| format!("with what is known of it: `{}`", ty.display(db))),
    })
}

/// The hint `:T` after the formals of a method without a declared result type.
fn result_hint(db: &dyn Db, owner: Owner, all: &mut Vec<Inlay>) {
    let Owner::Method(method) = owner else { return };
    let undeclared =
        method_item(db, method).is_some_and(|m| m.result.is_none() && m.has_body && !m.kind.is_constructor());
    if !undeclared {
        return;
    }
    let result = result_type(db, method);
    let Some(node) = item_node(db, Item::Method(method)) else { return };
    let formals: Option<SyntaxNode> =
        node.children().filter(|n| matches!(n.kind(), SyntaxKind::FORMAL_LIST | SyntaxKind::GUARD)).last();
    if let Some(formals) = formals.filter(|_| !result.is_error(db) && !result.is_void(db)) {
        let label = format!(":{}", result.base(db).display(db));
        all.push(Inlay { at: formals.text_range().end(), label, kind: InlayKind::Type, tooltip: None });
    }
}

/// The hints with names of formals, before arguments that are not self-explanatory.
fn arguments(db: &dyn Db, file: SourceFile, body: &Body, e: &Expr, offset: TextSize, all: &mut Vec<Inlay>) {
    let (method, args): (MethodId, &[ExprId]) = match &e.kind {
        ExprKind::Call { method, args, .. } if !method.name(db).starts_with("operator") => (*method, args),
        ExprKind::New { constructor, args, .. } => (*constructor, args),
        _ => return,
    };
    let Some(item) = method_item(db, method) else { return };
    if args.len() < 2 || args.len() != item.params.len() {
        return;
    }
    for (arg, param) in args.iter().zip(&item.params) {
        let range = body.expr(*arg).range;
        // An implicit argument has the range of the whole call.
        if range == e.range || !e.range.contains_range(range) {
            continue;
        }
        let range = range + offset;
        let text =
            file.text(db).get(usize::from(range.start())..usize::from(range.end())).unwrap_or_default();
        let tells = text.chars().any(char::is_alphabetic) && !is_literal(text);
        let Some(name) = param.name.as_ref().filter(|n| n.len() > 1 && !tells) else { continue };
        let label = format!("{name}:");
        all.push(Inlay { at: range.start(), label, kind: InlayKind::Parameter, tooltip: None });
    }
}

fn is_literal(text: &str) -> bool {
    matches!(text, "true" | "false" | "null")
        || text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '"' | '\''))
}

/// The hint of the values that an `at` copies.
fn captures_hint(
    db: &dyn Db,
    file: SourceFile,
    body: &Body,
    captures: &[crate::body::Capture],
    end: TextSize,
) -> Option<Inlay> {
    let name = |captured: &Captured| match captured {
        Captured::Local(local) => (body.local(*local).name.to_string(), Some(body.local(*local).ty)),
        Captured::This => ("this".to_owned(), None),
    };
    let named: Vec<(String, Option<Ty>)> =
        captures.iter().map(|c| name(&c.what)).filter(|(n, _)| !n.starts_with('$')).collect();
    if named.is_empty() {
        return None;
    }
    let names: Vec<&str> = named.iter().map(|(n, _)| n.as_str()).collect();
    let bytes = |ty: &Option<Ty>| ty.and_then(|ty| crate::kernel::plain_bytes(db, ty));
    let stays = |ty: &Option<Ty>| ty.and_then(|ty| what_stays(db, ty));
    let lines = named.iter().map(|(n, ty)| {
        let shown = ty.map_or(format!("`{n}`"), |ty| format!("`{n}: {}`", ty.display(db)));
        match (stays(ty), bytes(ty)) {
            (Some(what), _) => format!("- {shown}, {what}"),
            (None, Some(bytes)) => format!("- {shown}, {bytes} bytes"),
            (None, None) => format!("- {shown}, with all it leads to"),
        }
    });
    let tooltip = format!("Copied to the other place:\n{}", lines.collect::<Vec<_>>().join("\n"));
    let copied: Vec<_> = named.iter().map(|(_, ty)| ty).filter(|ty| stays(ty).is_none()).collect();
    let known: u64 = copied.iter().copied().filter_map(bytes).sum();
    // The size of reachable objects is only known at run time.
    let rest = match copied.iter().all(|ty| bytes(ty).is_some()) {
        false => Some("objects"),
        true => (copied.len() < named.len()).then_some("references"),
    };
    let size = match rest {
        None => format!(" ({known} B)"),
        Some(rest) if known > 0 => format!(" ({known} B and {rest})"),
        Some("references") => " (references)".to_owned(),
        Some(_) => String::new(),
    };
    let label = format!(" copies {}{size}", names.join(", "));
    let at = behind_place(db, file, end)?;
    Some(Inlay { at, label, kind: InlayKind::Captures, tooltip: Some(tooltip) })
}

/// The explanation for a reference type of which only the reference is copied.
fn what_stays(db: &dyn Db, ty: Ty) -> Option<&'static str> {
    let (class, _) = ty.base(db).as_class(db)?;
    match qualified_name(db, class).as_str() {
        "x10.lang.GlobalRef" | "x10.lang.GlobalRail" => {
            Some("a reference: what it refers to stays at its home")
        }
        "x10.lang.PlaceLocalHandle" => Some("a handle: each place has an object of its own"),
        _ => None,
    }
}

/// The offset after the parenthesis of the `at` whose place expression ends at `end`.
fn behind_place(db: &dyn Db, file: SourceFile, end: TextSize) -> Option<TextSize> {
    let last = apg_syntax::token_at_offset(&parse(db, file).syntax(), end).left_biased()?;
    let is_at = |it: &SyntaxNode| matches!(it.kind(), SyntaxKind::AT_STMT | SyntaxKind::AT_EXPR);
    let mut around = last.parent_ancestors().filter(is_at);
    around.find_map(|at| {
        let tokens = at.children_with_tokens().filter_map(|it| it.into_token());
        let close = tokens.filter(|it| it.kind() == T![')']).last()?;
        (close.text_range().start() >= end).then(|| close.text_range().end())
    })
}

fn launch_hint(launch: &crate::kernel::LaunchSummary) -> Inlay {
    let count = |n: Option<i64>| n.map_or("?".to_owned(), |n| n.to_string());
    let mut label = format!(" {} × {} threads", count(launch.block_count), count(launch.thread_count));
    if let Some(bytes) = launch.shared_bytes.filter(|b| *b > 0) {
        label.push_str(&format!(", {bytes} B shared"));
    }
    Inlay { at: launch.head.end(), label, kind: InlayKind::Launch, tooltip: None }
}
