//! Assist: extract selected statements, or an expression, to a new method (Fowler, *Refactoring*: Extract
//! Function).

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, SyntaxNode, TextRange};

use super::lines::{STEP, indentation};
use super::{Assist, AssistContext, AssistKind, extract_variable, selection};
use crate::body::Owner;
use crate::body::{Body, LocalId, LocalKind};
use crate::ide::receiver::value_type;
use crate::ids::MethodId;
use crate::item_tree::items::{class_head, method_is_static, method_item, methods};
use crate::item_tree::source::{Item, item_node, item_ptr};
use crate::signature::inferred::result_type;

pub(super) fn extract_method(ctx: &AssistContext<'_>) -> Option<Assist> {
    if ctx.range.is_empty() {
        return None;
    }
    of_expression(ctx).or_else(|| of_statements(ctx))
}

/// The new method: its name, its position, and the text shared by it and its call.
struct Made {
    name: String,
    /// `n:Long`, `var n:Long`
    formals: Vec<String>,
    /// Declarations of variables that are assigned in the extracted code first: `var n:Long;`.
    declared: Vec<String>,
    arguments: Vec<String>,
    /// The type parameters `[T]`, with their guard ` {T haszero}`.
    type_params: String,
    guard: String,
    is_static: bool,
    after: TextRange,
    indent: String,
}

impl Made {
    fn head(&self) -> String {
        let keyword = if self.is_static { "private static def" } else { "private def" };
        format!("{keyword} {}{}({}){}", self.name, self.type_params, self.formals.join(", "), self.guard)
    }

    fn call(&self) -> String {
        format!("{}{}({})", self.name, self.type_params, self.arguments.join(", "))
    }
}

fn of_expression(ctx: &AssistContext<'_>) -> Option<Assist> {
    let expr = extract_variable::selected(ctx)?;
    // A statement is extracted as a statement, and a single name needs no method.
    let is_trivial = matches!(expr, ast::Expr::NameExpr(_) | ast::Expr::Literal(_) | ast::Expr::ThisExpr(_));
    let is_statement = expr.syntax().parent().is_some_and(|p| p.kind() == SyntaxKind::EXPR_STMT);
    if is_trivial || is_statement || selection::in_kernel(expr.syntax()) {
        return None;
    }
    let ty = value_type(ctx.db, ctx.file, &expr)?;
    let range = expr.syntax().text_range();
    let (owner, body, locals) = selection::locals(ctx, range)?;
    if !locals.assigned.is_empty() || mentions_self(expr.syntax()) {
        return None;
    }
    let result = ctx.spelled(ty)?;
    let made = made(ctx, owner, body, &locals, (range, &result))?;
    let text = ctx.text()[range].to_owned();
    let head = format!("{}{}:{result} = ", made.indent, made.head());
    let replaced = extract_variable::with_parens(ctx, expr.syntax());
    Some(assist(ctx, &made, replaced, made.call(), (head, format!("{text};"))))
}

fn of_statements(ctx: &AssistContext<'_>) -> Option<Assist> {
    let statements = selection::statements(ctx)?;
    let (first, last) = (statements.first()?, statements.last()?);
    let range = TextRange::new(first.text_range().start(), last.text_range().end());
    // These keywords refer to the enclosing construct or class.
    let bound = selection::has_word(&statements, &["clocked", "offer", "super", "property", "self"]);
    let returns = selection::return_values(&statements);
    // A method without a result can report an early exit by a Boolean.
    let exits = if returns { Vec::new() } else { selection::exits(&statements) };
    if bound
        || selection::in_kernel(first)
        || !returns && selection::jumps_out(&statements) && exits.is_empty()
    {
        return None;
    }
    let (owner, body, locals) = selection::locals(ctx, range)?;
    // A local that is passed must have a value.
    let has_value = |local: &LocalId| {
        body.local(*local).kind == LocalKind::Param
            || body.stmts.iter().any(
                |s| matches!(&s.kind, crate::body::StmtKind::Let { local: l, init: Some(_) } if l == local),
            )
    };
    if !locals.assigned.iter().all(|local| locals.renewed.contains(local) || has_value(local)) {
        return None;
    }
    let Owner::Method(method) = owner else { return None };
    // The code after the selection must be reachable exactly as before, as must the end of the new method.
    if !returns && !selection::completes(ctx, method, body, last) {
        return None;
    }
    let back = match (returns, exits.is_empty()) {
        // Code after a `return` is unreachable.
        (true, _) => handed_on(ctx, method)?,
        (false, true) => results(ctx, (method, body), &locals, range)?,
        (false, false) => left_early(&locals)?,
    };
    let made = made(ctx, owner, body, &locals, (range, &back.result))?;
    let own = indentation(ctx.text(), range.start()).to_owned();
    let inner = format!("{}{STEP}", made.indent);
    let mut text = ctx.text()[range].to_owned();
    for exit in exits.iter().rev() {
        let at = usize::from(exit.end() - range.start());
        text.replace_range(at..at, " true");
    }
    let moved = moved(&text, &own, &inner);
    let returned = back.ends.map_or_else(String::new, |end| format!("{inner}{end}\n"));
    let indent = &made.indent;
    let declared: String = made.declared.iter().map(|it| format!("{it}\n{inner}")).collect();
    let head = format!("{indent}{}:{} {{\n{inner}{declared}", made.head(), back.result);
    let method = format!("{moved}\n{returned}{indent}}}");
    // Code before it on the same line is kept.
    let starts_line = ctx.text()[..usize::from(range.start())].ends_with(&format!("\n{own}"));
    let between = if starts_line { format!("\n{own}") } else { " ".to_owned() };
    let call = back.call.replace(CALL, &made.call()).replace('\n', &between);
    Some(assist(ctx, &made, range, call, (head, method)))
}

/// Placeholder for the call of the new method.
const CALL: &str = "$call";

/// The result of the extracted statements.
struct Back {
    /// The result type.
    result: String,
    /// The last statement of the new method, if one is needed.
    ends: Option<String>,
    /// The code that replaces the statements.
    call: String,
}

/// For statements that end in `return e`: the call's result is returned.
fn handed_on(ctx: &AssistContext<'_>, method: MethodId) -> Option<Back> {
    let result = ctx.spelled(result_type(ctx.db, method))?;
    Some(Back { result, ends: None, call: format!("return {CALL};") })
}

/// For statements that may `return`: the enclosing method returns if the call reports so.
fn left_early(locals: &selection::Locals) -> Option<Back> {
    let call = format!("if ({CALL}) return;");
    let is_alone = locals.outgoing.is_empty() && locals.changed.is_empty();
    is_alone.then(|| Back { result: "Boolean".into(), ends: Some("return false;".into()), call })
}

/// Library structs that hold several values, with their numbers of fields, [`PARTS`].
const TUPLES: [(&str, usize); 2] = [("Pair", 2), ("Triple", 3)];
const PARTS: [&str; 3] = ["first", "second", "third"];

/// The result for locals that are used after the statements.
fn results(
    ctx: &AssistContext<'_>,
    (method, body): (MethodId, &Body),
    locals: &selection::Locals,
    range: TextRange,
) -> Option<Back> {
    let all: Vec<LocalId> = locals.outgoing.iter().chain(&locals.changed).copied().collect();
    let names: Vec<&str> = all.iter().map(|it| body.local(*it).name.as_str()).collect();
    let types = all.iter().map(|it| ctx.spelled(body.local(*it).ty)).collect::<Option<Vec<_>>>()?;
    let target = |local: LocalId, name: &str| match (locals.outgoing.contains(&local), body.local(local)) {
        (true, it) if it.mutable => format!("var {name}"),
        (true, _) => format!("val {name}"),
        (false, _) => name.to_owned(),
    };
    Some(match (&all[..], &names[..], &types[..]) {
        ([], ..) => Back { result: "void".into(), ends: None, call: format!("{CALL};") },
        ([local], [name], [ty]) => Back {
            result: ty.clone(),
            ends: Some(format!("return {name};")),
            call: format!("{} = {CALL};", target(*local, name)),
        },
        _ => {
            let (tuple, _) = TUPLES.iter().find(|(_, count)| *count == all.len())?;
            let tuple = format!("{}[{}]", ctx.library_type("x10.util", tuple, range), types.join(", "));
            let kept = unsaid(ctx, method)?;
            let mut call = format!("val {kept} = {CALL};");
            for ((local, name), part) in all.iter().zip(&names).zip(PARTS) {
                call.push_str(&format!("\n{} = {kept}.{part};", target(*local, name)));
            }
            Back { ends: Some(format!("return {tuple}({});", names.join(", "))), result: tuple, call }
        }
    })
}

/// A name for the result. It occurs nowhere in the method, so it neither collides with a later local nor
/// hides a field.
fn unsaid(ctx: &AssistContext<'_>, method: MethodId) -> Option<String> {
    let around = &ctx.text()[item_ptr(ctx.db, Item::Method(method))?.range()];
    let words: Vec<&str> = apg_syntax::tokens(around).map(|(_, word)| word.trim_matches('`')).collect();
    let mut names = std::iter::once("results".to_owned()).chain((2..).map(|n| format!("results{n}")));
    names.find(|name| !words.contains(&name.as_str()))
}

fn assist(
    ctx: &AssistContext<'_>,
    made: &Made,
    range: TextRange,
    call: String,
    (head, body): (String, String),
) -> Assist {
    Assist {
        title: format!("Extract into method `{}`", made.name),
        kind: AssistKind::Extract,
        edits: vec![
            ctx.edit(range, call),
            ctx.edit(
                TextRange::empty(made.after.end()),
                format!("\n\n{}", formatted(head, &body, &made.indent)),
            ),
        ],
    }
}

/// The new method, with its head formatted, since its lines may be too long. The moved code is kept as
/// written.
fn formatted(head: String, body: &str, indent: &str) -> String {
    const AROUND: [&str; 2] = ["class Around {\n", "\n}\n"];
    let method = head.clone() + body;
    if indent != STEP {
        return method;
    }
    let text = format!("{}{method}{}", AROUND[0], AROUND[1]);
    let Ok(edits) = apg_syntax::format_parsed(&apg_syntax::parse(&text), None) else { return method };
    let start = AROUND[0].len() + head.len();
    let mut edits: Vec<_> = edits.into_iter().filter(|it| usize::from(it.range.end()) <= start).collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.range.start()));
    let mut text = text;
    for edit in edits {
        text.replace_range(std::ops::Range::<usize>::from(edit.range), &edit.insert);
    }
    let inner = text.strip_prefix(AROUND[0]).and_then(|text| text.strip_suffix(AROUND[1]));
    inner.map_or(method, str::to_owned)
}

/// `None` if the code cannot be moved to a method beside the enclosing one. `moved` is the range of the code
/// and its result.
fn made(
    ctx: &AssistContext<'_>,
    owner: Owner,
    body: &Body,
    locals: &selection::Locals,
    moved: (TextRange, &str),
) -> Option<Made> {
    let Owner::Method(method) = owner else { return None };
    let item = method_item(ctx.db, method).filter(|m| !m.kind.is_constructor())?;
    let class = method.class(ctx.db);
    // A class in a method's body captures that method's variables, which are not locals of this body.
    if class.name(ctx.db).starts_with('$') || crate::ide::navigation_target::is_anonymous(ctx.db, class) {
        return None;
    }
    let (mut formals, mut arguments) = (Vec::new(), Vec::new());
    let mut declared = Vec::new();
    for id in &locals.used {
        let local = body.local(*id);
        if locals.renewed.contains(id) {
            let keyword = if local.mutable { "var" } else { "val" };
            declared.push(format!("{keyword} {}:{};", local.name, ctx.spelled(local.ty)?));
            continue;
        }
        let keyword = if locals.assigned.contains(id) { "var " } else { "" };
        formals.push(format!("{keyword}{}:{}", local.name, ctx.spelled(local.ty)?));
        arguments.push(local.name.to_string());
    }
    let after = item_ptr(ctx.db, Item::Method(method))?.range();
    let (range, result) = moved;
    let types = [&formals.join(", "), &declared.join(" "), result].join(" ");
    if selection::parts_types(ctx, &item_node(ctx.db, Item::Method(method))?, range, &types) {
        return None;
    }
    let said = [&types, &ctx.text()[range]].join(" ");
    let says = |name: &str| apg_syntax::tokens(&said).any(|(_, word)| word == name);
    let guard = guard(ctx, method).unwrap_or_default();
    let in_guard = |name: &str| apg_syntax::tokens(&guard).any(|(_, word)| word == name);
    // If one type parameter is used, so is its guard, and the types that the guard names.
    let is_generic = item.type_params.iter().any(|p| says(&p.name));
    let type_params: Vec<&str> = item.type_params.iter().map(|p| p.name.as_str()).collect();
    let kept = |name: &&str| is_generic && (says(name) || in_guard(name));
    let type_params: Vec<&str> = type_params.into_iter().filter(kept).collect();
    let of_class = class_head(ctx.db, class).as_ref().map_or(&[][..], |head| &head.type_params);
    let needs_object = selection::uses_this(ctx, body, range) || of_class.iter().any(|p| says(&p.name));
    Some(Made {
        name: fresh(ctx, method),
        formals,
        declared,
        arguments,
        guard: if type_params.is_empty() { String::new() } else { guard },
        type_params: match type_params.is_empty() {
            true => String::new(),
            false => format!("[{}]", type_params.join(", ")),
        },
        is_static: method_is_static(ctx.db, method) || !needs_object,
        after,
        indent: indentation(ctx.text(), after.start()).to_owned(),
    })
}

/// The guard of a method on its type parameters; `None` if it has terms about values, which differ in the new
/// method.
fn guard(ctx: &AssistContext<'_>, method: MethodId) -> Option<String> {
    let node = item_node(ctx.db, Item::Method(method))?;
    let guard = node.children().find(|child| child.kind() == SyntaxKind::GUARD)?;
    let item = method_item(ctx.db, method)?;
    let is_formal = |word: &str| item.params.iter().any(|param| param.name.as_deref() == Some(word));
    let text = guard.text().to_string();
    let is_of_types = !apg_syntax::tokens(&text).any(|(_, word)| is_formal(word));
    is_of_types.then(|| text.trim().to_owned())
}

/// A method name that is unused in the class.
fn fresh(ctx: &AssistContext<'_>, method: MethodId) -> String {
    let all = methods(ctx.db, method.class(ctx.db));
    let free = |name: &str| all.iter().all(|m| m.name(ctx.db) != name);
    let mut names = std::iter::once("extracted".to_owned()).chain((2..).map(|n| format!("extracted{n}")));
    names.find(|name| free(name)).unwrap_or_default()
}

/// Replaces the indentation of all lines but the first.
fn moved(text: &str, from: &str, to: &str) -> String {
    let mut lines = text.split('\n');
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |text, line| match line.strip_prefix(from) {
        _ if line.trim().is_empty() => format!("{text}\n"),
        Some(rest) => format!("{text}\n{to}{rest}"),
        None => format!("{text}\n{line}"),
    })
}

fn mentions_self(node: &SyntaxNode) -> bool {
    selection::has_word(std::slice::from_ref(node), &["self", "super"])
}
