//! Assist: declare a missing method, field or class where it is named. Offered only if all types are known,
//! since a guessed type would leave other errors.

mod types;

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, SyntaxNode, SyntaxToken, T, TextRange};

use self::types::{Target, Wanted, wanted};
use super::lines::{STEP, before_brace, indentation};
use super::{Assist, AssistContext, AssistKind};
use crate::body::Owner;
use crate::diagnostics::TextEdit;
use crate::ide::implementations::subtypes;
use crate::ide::navigation_target::{is_anonymous, plain_name, scope_at, segments};
use crate::ide::receiver::{Receiver, receiver, value_type};
use crate::ide::spans::owner_at;
use crate::ids::{ClassId, FileOrigin};
use crate::infer::owner_body;
use crate::inputs::Project;
use crate::inputs::parse;
use crate::item_tree::ClassKind;
use crate::item_tree::items::{class_kind, field_is_static, method_is_static, method_item, package};
use crate::item_tree::source::{Item, item_node, item_offset};
use crate::relate::Context;
use crate::rules::name as rules;
use crate::scope::packages::{source_root, types_named};

pub(super) fn create(ctx: &AssistContext<'_>) -> Vec<Assist> {
    let Some(token) = apg_syntax::token_at_offset(&ctx.root, ctx.range.start())
        .find(|token| token.kind() == SyntaxKind::IDENT)
        .filter(|token| token.text_range().contains_range(ctx.range))
    else {
        return Vec::new();
    };
    let Some(named) = token.parent().and_then(|name| name.parent()) else { return Vec::new() };
    // After a syntax error the tree around a name is unreliable.
    if !parse(ctx.db, ctx.file).syntax_errors().is_empty() {
        return Vec::new();
    }
    let made = match ast::Expr::cast(named.clone()) {
        Some(e) => called(&e).map_or_else(|| field(ctx, &token, &e), |call| method(ctx, &token, &e, &call)),
        None => class(ctx, &token, &named),
    };
    made.into_iter().collect()
}

/// The class of a new member, and whether the member is static: named through a type, or in static code.
struct Home {
    class: ClassId,
    is_static: bool,
    /// Whether the naming code is inside that class.
    is_around: bool,
}

impl Home {
    /// The class of the member that an expression names; `None` if the class is not the user's, is anonymous,
    /// or has syntax errors in its file.
    fn of(ctx: &AssistContext<'_>, token: &SyntaxToken, e: &ast::Expr) -> Option<Home> {
        let owner = owner_at(ctx.db, ctx.file, token.text_range())?;
        is_unknown(ctx, owner, token.text_range()).then_some(())?;
        let (own, own_static) = match owner {
            Owner::Method(method) => (method.class(ctx.db), method_is_static(ctx.db, method)),
            Owner::Field(field) => (field.class(ctx.db), field_is_static(ctx.db, field)),
        };
        let (class, is_static) = match e {
            ast::Expr::NameExpr(_) => (own, own_static),
            ast::Expr::FieldExpr(field) => match receiver(ctx.db, ctx.file, &field.receiver()?)? {
                Receiver::Value(ty) => (ty.base(ctx.db).as_class(ctx.db)?.0, false),
                Receiver::Type(ty) => (ty.base(ctx.db).as_class(ctx.db)?.0, true),
                Receiver::Package(_) => return None,
            },
            _ => return None,
        };
        let is_ours = class.file(ctx.db).origin(ctx.db) == FileOrigin::User;
        let is_whole = parse(ctx.db, class.file(ctx.db)).syntax_errors().is_empty();
        (is_ours && is_whole && !is_anonymous(ctx.db, class)).then_some(Home {
            class,
            is_static,
            is_around: class == own,
        })
    }

    /// The modifiers, such as `private static `; public if code of another package names the member.
    fn modifiers(&self, ctx: &AssistContext<'_>) -> String {
        let is_near = package(ctx.db, self.class.file(ctx.db)) == package(ctx.db, ctx.file);
        let is_interface = class_kind(ctx.db, self.class) == Some(ClassKind::Interface);
        let access = match (self.is_around, is_near) {
            _ if is_interface => "",
            (true, _) => "private ",
            (false, true) => "",
            (false, false) => "public ",
        };
        format!("{access}{}", if self.is_static { "static " } else { "" })
    }

    fn body(&self, ctx: &AssistContext<'_>) -> Option<SyntaxNode> {
        let node = item_node(ctx.db, Item::Class(self.class))?;
        node.children().find(|child| child.kind() == SyntaxKind::CLASS_BODY)
    }
}

/// Whether a name in the body of `owner` is unresolved.
fn is_unknown(ctx: &AssistContext<'_>, owner: Owner, range: TextRange) -> bool {
    let offset = item_offset(ctx.db, owner.into());
    let rules = [&rules::unresolved::RULE, &rules::unresolved_member::RULE];
    let problems = &owner_body(ctx.db, owner).problems;
    problems.iter().any(|it| rules.iter().any(|rule| it.breaks(rule)) && it.range + offset == range)
}

/// The call with an expression as callee.
fn called(e: &ast::Expr) -> Option<ast::CallExpr> {
    let call = ast::CallExpr::cast(e.syntax().parent()?)?;
    (call.callee()?.syntax() == e.syntax()).then_some(call)
}

/// Creates `private def f(n:Long):Long { throw ...; }` after the member with the call, or at the end of the
/// receiver's class.
fn method(
    ctx: &AssistContext<'_>,
    token: &SyntaxToken,
    e: &ast::Expr,
    call: &ast::CallExpr,
) -> Option<Assist> {
    let home = Home::of(ctx, token, e)?;
    let is_abstract = class_kind(ctx.db, home.class) == Some(ClassKind::Interface);
    // The subtypes of an interface would lack the method.
    if is_abstract && (home.is_static || has_subtypes(ctx, home.class)) || call.type_arg_list().is_some() {
        return None;
    }
    let (member, body) = (member_around(call.syntax())?, home.body(ctx)?);
    let target = Target::member(ctx, &home, true)?;
    let formals = formals(ctx, &target, call.arg_list())?;
    let result = match wanted(ctx, call.syntax())? {
        Wanted::Nothing => "void".to_owned(),
        Wanted::Anything => "Any".to_owned(),
        Wanted::Ty(ty) => target.spelled(ctx.db, ty)?,
    };
    let name = plain_name(token);
    let types = type_params(ctx, home.is_around, &format!("{formals} {result}"))?;
    let head = format!("{}def {}{types}({formals}):{result}", home.modifiers(ctx), token.text());
    let indent = match home.is_around {
        true => indentation(ctx.text(), member.text_range().start()).to_owned(),
        false => format!("{}{STEP}", class_indent(ctx, &home)?),
    };
    let code = match is_abstract {
        true => format!("{indent}{head};"),
        false => {
            let todo = "throw new UnsupportedOperationException();";
            format!("{indent}{head} {{\n{indent}{STEP}{todo}\n{indent}}}")
        }
    };
    let edit = match home.is_around {
        true => ctx.edit(TextRange::empty(member.text_range().end()), format!("\n\n{code}")),
        false => last_in(ctx, &home, &body, &code)?,
    };
    Some(quick_fix(format!("Create method `{name}`"), edit))
}

fn has_subtypes(ctx: &AssistContext<'_>, class: ClassId) -> bool {
    let files: Vec<_> = Project::get(ctx.db).files(ctx.db).values().copied().collect();
    !subtypes(ctx.db, &files, class).is_empty()
}

/// Creates `var x:Long;` at the start of its class. Static variables are not created; structs and interfaces
/// have no variables.
fn field(ctx: &AssistContext<'_>, token: &SyntaxToken, e: &ast::Expr) -> Option<Assist> {
    let home = Home::of(ctx, token, e)?;
    if home.is_static || class_kind(ctx.db, home.class) != Some(ClassKind::Class) {
        return None;
    }
    let assignment = e.syntax().parent().and_then(ast::AssignExpr::cast);
    let assigned = assignment.filter(|it| it.lhs().is_some_and(|lhs| lhs.syntax() == e.syntax()));
    let wanted = match assigned {
        // Compound assignments read the missing field.
        Some(assignment) if !types::is_plain(&assignment) => return None,
        Some(assignment) => Wanted::value(ctx.db, value_type(ctx.db, ctx.file, &assignment.rhs()?)?),
        None => wanted(ctx, e.syntax())?,
    };
    let ty = match wanted {
        Wanted::Nothing => return None,
        Wanted::Anything => "Any".to_owned(),
        Wanted::Ty(ty) => {
            Context::class(ctx.db, home.class).has_zero(ty.base(ctx.db)).then_some(())?;
            Target::member(ctx, &home, false)?.spelled(ctx.db, ty)?
        }
    };
    let name = plain_name(token);
    let open = home.body(ctx)?.children_with_tokens().find(|it| it.kind() == T!['{'])?.text_range();
    let indent = class_indent(ctx, &home)?;
    let text = format!("\n{indent}{STEP}{}var {}:{ty};", home.modifiers(ctx), token.text());
    let file = Some(home.class.file(ctx.db));
    let edit = TextEdit { file, range: TextRange::empty(open.end()), text };
    Some(quick_fix(format!("Create field `{name}`"), edit))
}

/// Creates a class after the class that names it; for a name in an `implements` clause an interface.
fn class(ctx: &AssistContext<'_>, token: &SyntaxToken, named: &SyntaxNode) -> Option<Assist> {
    let ty = ast::NamedType::cast(named.clone())?;
    let scope = scope_at(ctx.db, ctx.file, token.text_range());
    let name = plain_name(token);
    let is_elsewhere = || !types_named(ctx.db, source_root(ctx.db, ctx.file), &name).is_empty();
    // A type of another package is imported instead.
    if segments(&ty)?.len() != 1 || scope.find_type(&name).is_some() || is_elsewhere() {
        return None;
    }
    const PARAMS: [&str; 4] = ["T", "U", "V", "W"];
    let types = match ty.type_arg_list().map_or(0, |list| list.types().count()) {
        0 => String::new(),
        count => format!("[{}]", PARAMS.get(..count)?.join(", ")),
    };
    let is_interface = is_interface(named)?;
    let outermost = named.ancestors().filter(|node| node.parent().as_ref() == Some(&ctx.root)).last()?;
    let end = TextRange::empty(outermost.text_range().end());
    let new = named.parent().and_then(ast::NewExpr::cast);
    let formals = match &new {
        Some(new) => formals(ctx, &Target::top_level(ctx, end), new.arg_list())?,
        None => String::new(),
    };
    // An anonymous subclass also calls the constructor.
    if !formals.is_empty() && new.is_some_and(|new| new.class_body().is_some()) {
        return None;
    }
    let constructor = match formals.is_empty() {
        true => String::new(),
        false => format!("{STEP}def this({formals}) {{\n{STEP}}}\n"),
    };
    let keyword = if is_interface { "interface" } else { "class" };
    let text = format!("\n\n{keyword} {}{types} {{\n{constructor}}}", token.text());
    let edit = ctx.edit(end, text);
    Some(quick_fix(format!("Create {keyword} `{name}`"), edit))
}

/// Whether only an interface fits a type name: `Some(false)` if any class does, `None` if only some classes
/// do.
fn is_interface(named: &SyntaxNode) -> Option<bool> {
    let mut around = named.ancestors().skip(1);
    let around = around.find(|node| !ast::Type::can_cast(node.kind()))?;
    let declared = around.parent()?;
    let is_super = |token: &apg_syntax::SyntaxElement| token.kind() == T![super];
    match around.kind() {
        SyntaxKind::ANNOTATION | SyntaxKind::THROWS_CLAUSE | SyntaxKind::OFFERS_CLAUSE => None,
        SyntaxKind::FORMAL if declared.kind() == SyntaxKind::CATCH_CLAUSE => None,
        // `super(1)` needs a constructor, and `super.f()` a method.
        SyntaxKind::EXTENDS_CLAUSE => {
            let is_class = declared.kind() == SyntaxKind::CLASS_DECL;
            (is_class && !declared.descendants_with_tokens().any(|it| is_super(&it))).then_some(false)
        }
        SyntaxKind::IMPLEMENTS_CLAUSE => Some(true),
        _ => Some(false),
    }
}

fn quick_fix(title: String, edit: TextEdit) -> Assist {
    Assist { title, kind: AssistKind::QuickFix, edits: vec![edit] }
}

/// The member that contains a node.
fn member_around(node: &SyntaxNode) -> Option<SyntaxNode> {
    let in_class = |it: &SyntaxNode| it.parent().is_some_and(|p| p.kind() == SyntaxKind::CLASS_BODY);
    node.ancestors().find(in_class)
}

fn class_indent(ctx: &AssistContext<'_>, home: &Home) -> Option<String> {
    let start = item_node(ctx.db, Item::Class(home.class))?.text_range().start();
    Some(indentation(home.class.file(ctx.db).text(ctx.db), start).to_owned())
}

/// Appends a member to a class, in any file.
fn last_in(ctx: &AssistContext<'_>, home: &Home, body: &SyntaxNode, code: &str) -> Option<TextEdit> {
    let file = home.class.file(ctx.db);
    let close = body.last_token().filter(|token| token.text() == "}")?;
    let indent = class_indent(ctx, home)?;
    let (range, gap, end) = before_brace(file.text(ctx.db), close.text_range().start(), &indent);
    let is_first = !body.children().any(|child| ast::Member::can_cast(child.kind()));
    let apart = if is_first || !gap.is_empty() { "" } else { "\n" };
    Some(TextEdit { file: Some(file), range, text: format!("{gap}{apart}{code}\n{end}") })
}

/// A formal for each argument, named after the argument if that is a name; `None` if a type is unknown.
fn formals(ctx: &AssistContext<'_>, target: &Target<'_>, args: Option<ast::ArgList>) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    let mut formal = |arg: ast::Expr| {
        let is_named = matches!(arg, ast::Expr::NameExpr(_) | ast::Expr::FieldExpr(_));
        // Verbatim: backquotes are kept.
        let named = arg.syntax().last_token().filter(|token| is_named && token.kind() == SyntaxKind::IDENT);
        let stem = named.map_or_else(|| "value".to_owned(), |name| name.text().to_owned());
        let numbered = |n: usize| match stem.strip_suffix('`') {
            Some(open) => format!("{open}{n}`"),
            None => format!("{stem}{n}"),
        };
        let free = |name: &String| !names.contains(name);
        let name = std::iter::once(stem.clone()).chain((2..).map(numbered)).find(free)?;
        names.push(name.clone());
        let ty = match Wanted::value(ctx.db, value_type(ctx.db, ctx.file, &arg)?) {
            Wanted::Ty(ty) => target.spelled(ctx.db, ty)?,
            _ => "Any".to_owned(),
        };
        Some(format!("{name}:{ty}"))
    };
    let all: Option<Vec<String>> = args.into_iter().flat_map(|args| args.exprs()).map(&mut formal).collect();
    Some(all?.join(", "))
}

/// The list `[T]` of the enclosing method's type parameters that the declaration `said` names; empty outside
/// of the method's class. `None` if the method has a guard.
fn type_params(ctx: &AssistContext<'_>, is_around: bool, said: &str) -> Option<String> {
    let Some(Owner::Method(method)) = owner_at(ctx.db, ctx.file, ctx.range).filter(|_| is_around) else {
        return Some(String::new());
    };
    let says = |name: &str| apg_syntax::tokens(said).any(|(_, word)| word == name);
    let item = method_item(ctx.db, method)?;
    let own = item.type_params.iter().map(|param| param.name.as_str());
    let own: Vec<&str> = own.filter(|name| says(name)).collect();
    match own.is_empty() {
        true => Some(String::new()),
        false => item.guard.is_none().then(|| format!("[{}]", own.join(", "))),
    }
}
