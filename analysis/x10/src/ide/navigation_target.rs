//! Name classification: the symbol under the cursor, its declaration and its type.

use apg_syntax::ast::{self, AstNode, HasDocComments};
use apg_syntax::{SyntaxKind, SyntaxNode, SyntaxToken, TextRange, TextSize};
use smol_str::SmolStr;

use super::spans::{enclosing_class, items_around, owner_at};
use super::visible::visible_locals;
use crate::body::Owner;
use crate::body::{AssignTarget, Body, Expr, ExprKind, LocalId};
use crate::db::Db;
use crate::ids::{FieldId, MethodId, SourceFile};
use crate::infer::owner_body;
use crate::inputs::parse;
use crate::item_tree::TypeRefKind;
use crate::item_tree::items::class_head;
use crate::item_tree::lower::types::TypeLowering;
use crate::item_tree::source::{Item, item_node, item_offset, item_ptr, name_range};
use crate::relate::Context;
use crate::scope::lookup::{Found, qualified_type};
use crate::scope::type_scope::TypeScope;
use crate::signature::field_type;
use crate::signature::inferred::result_type;
use crate::ty::Ty;

/// A named program element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A class, method, field or type definition.
    Item(Item),
    /// A local variable or formal.
    Local {
        /// The owner of the body that declares it.
        owner: Owner,
        /// The variable.
        local: LocalId,
    },
    /// A type parameter.
    TypeParam(Ty),
}

/// The symbol under the cursor, and the range of its name.
pub fn symbol_at(db: &dyn Db, file: SourceFile, offset: TextSize) -> Option<(Symbol, TextRange)> {
    let token = name_token(&parse(db, file).syntax(), offset)?;
    Some((*token_symbols(db, file, &token).first()?, token.text_range()))
}

/// The name token at the offset, or ending there.
pub(super) fn name_token(root: &SyntaxNode, offset: TextSize) -> Option<SyntaxToken> {
    if offset > root.text_range().end() {
        return None;
    }
    let at = apg_syntax::token_at_offset(root, offset);
    let is_name = |t: &SyntaxToken| {
        let first = t.text().chars().next();
        !t.kind().is_trivia()
            && !t.kind().is_literal()
            && first.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '`')
    };
    at.clone().right_biased().filter(is_name).or_else(|| at.left_biased().filter(is_name))
}

/// The symbols that a name refers to, the most precise first: the class name in a construction refers to the
/// constructor, then to the class. Empty if unresolved.
pub(super) fn token_symbols(db: &dyn Db, file: SourceFile, token: &SyntaxToken) -> Vec<Symbol> {
    let range = token.text_range();
    if let Some(symbol) = declared(db, file, token).or_else(|| declared_local(db, file, range)) {
        return vec![symbol];
    }
    let Some(name) = token.parent() else { return Vec::new() };
    let Some(around) = name.parent() else { return Vec::new() };
    match around.kind() {
        SyntaxKind::NAMED_TYPE => in_type(db, file, token, &around),
        SyntaxKind::QUALIFIED_NAME => in_import(db, file, &around).into_iter().collect(),
        SyntaxKind::TYPE_PARAM => declared_type_param(db, file, token).into_iter().collect(),
        _ if in_condition(&around) => match ast::Expr::cast(around) {
            Some(expr) => in_constraint(db, file, &expr).into_iter().collect(),
            None => Vec::new(),
        },
        _ => in_code(db, file, token, &around),
    }
}

/// The item whose declaration has this token as its name.
fn declared(db: &dyn Db, file: SourceFile, token: &SyntaxToken) -> Option<Symbol> {
    let (range, text) = (token.text_range(), plain_name(token));
    // Computing the range of a name needs the tree: do so only for candidates.
    let may_be = |item: &Item| {
        let name = name_of(db, &Symbol::Item(*item));
        name == text || name.starts_with("operator")
    };
    let mut around = items_around(db, file, range).filter(may_be);
    around.find(|item| name_range(db, *item) == range).map(Symbol::Item)
}

/// The local that is declared by the name at `range`.
pub(super) fn declared_local(db: &dyn Db, file: SourceFile, range: TextRange) -> Option<Symbol> {
    let owner = owner_at(db, file, range)?;
    let range = range.checked_sub(item_offset(db, owner.into()))?;
    let locals = &owner_body(db, owner).body.locals;
    let local = locals.iter().position(|l| l.range == range && !l.name.starts_with('$'))?;
    Some(Symbol::Local { owner, local: LocalId(u32::try_from(local).ok()?) })
}

fn declared_type_param(db: &dyn Db, file: SourceFile, token: &SyntaxToken) -> Option<Symbol> {
    match scope_at(db, file, token.text_range()).find_type(token.text())? {
        Found::Param(ty) => Some(Symbol::TypeParam(ty)),
        _ => None,
    }
}

/// The symbol of each part of a type name `a.b.C.D`. After `new`, also the constructor.
fn in_type(db: &dyn Db, file: SourceFile, token: &SyntaxToken, named: &SyntaxNode) -> Vec<Symbol> {
    let Some(named) = ast::NamedType::cast(named.clone()) else { return Vec::new() };
    let Some(segments) = segments(&named) else { return Vec::new() };
    let scope = scope_at(db, file, token.text_range());
    let mut found: Vec<Symbol> = type_symbol(&scope, &segments).into_iter().collect();
    if let Some(new) = named.syntax().parent().and_then(ast::NewExpr::cast)
        && let Some((owner, offset)) = owner_and_offset(db, file, token.text_range())
        && let Some(range) = new.syntax().text_range().checked_sub(offset)
    {
        let made = |e: &&Expr| e.range == range && matches!(e.kind, ExprKind::New { .. });
        let made = owner_body(db, owner).body.exprs.iter().find(made);
        if let Some(ExprKind::New { constructor, .. }) = made.map(|e| &e.kind) {
            found.push(Symbol::Item(Item::Method(*constructor)));
        }
    }
    found
}

/// The type that a name refers to, as far as that is known without typing the body: `None` proves nothing.
/// `has_variables` tells whether the file declares variables or members of this name.
pub(super) fn token_type(
    db: &dyn Db,
    file: SourceFile,
    token: &SyntaxToken,
    has_variables: bool,
) -> Option<Symbol> {
    let around = token.parent()?.parent()?;
    let range = token.text_range();
    let path = match around.kind() {
        SyntaxKind::NAMED_TYPE => segments(&ast::NamedType::cast(around)?)?,
        // A name before a dot that is not that of a variable.
        SyntaxKind::NAME_EXPR
            if !has_variables && around.parent().is_some_and(|it| it.kind() == SyntaxKind::FIELD_EXPR) =>
        {
            let name = plain_name(token);
            let class = enclosing_class(db, file, range);
            let context = Context { class, ..Context::global(db) };
            let has_field = |class| context.find_field(Ty::this_type(db, class), &name).is_some();
            if std::iter::successors(class, |class| class.outer(db)).any(has_field) {
                return None;
            }
            vec![name]
        }
        _ => return None,
    };
    type_symbol(&scope_at(db, file, range), &path)
}

/// The segments of a type name, without arguments.
pub(super) fn segments(named: &ast::NamedType) -> Option<Vec<SmolStr>> {
    let mut reference = TypeLowering::default().named(named);
    if let TypeRefKind::Constrained { base, .. } = reference.kind {
        reference = *base;
    }
    let TypeRefKind::Named { segments, .. } = &reference.kind else { return None };
    Some(segments.iter().map(|s| s.name.clone()).collect())
}

/// The symbol of a dotted type name.
fn type_symbol(scope: &TypeScope<'_>, names: &[SmolStr]) -> Option<Symbol> {
    if let [name] = names {
        return match scope.find_type(name)? {
            Found::Param(ty) => Some(Symbol::TypeParam(ty)),
            Found::Typedefs(all) => all.first().map(|t| Symbol::Item(Item::Typedef(*t))),
            Found::Class(class) => Some(Symbol::Item(Item::Class(class))),
        };
    }
    scope.find_class(names).map(|class| Symbol::Item(Item::Class(class)))
}

/// The type that an import names, up to this segment.
fn in_import(db: &dyn Db, file: SourceFile, name: &SyntaxNode) -> Option<Symbol> {
    let name = ast::QualifiedName::cast(name.clone())?;
    match qualified_type(db, file, &name.text())? {
        Found::Class(class) => Some(Symbol::Item(Item::Class(class))),
        Found::Typedefs(all) => all.first().map(|t| Symbol::Item(Item::Typedef(*t))),
        Found::Param(_) => None,
    }
}

/// The scope of type names at a range.
pub(super) fn scope_at(db: &dyn Db, file: SourceFile, range: TextRange) -> TypeScope<'_> {
    let Some(class) = enclosing_class(db, file, range) else { return TypeScope::file(db, file) };
    match enclosing_method(db, file, class, range) {
        Some(method) => TypeScope::method(db, method),
        None => TypeScope::class(db, class),
    }
}

fn enclosing_method(
    db: &dyn Db,
    file: SourceFile,
    class: crate::ids::ClassId,
    range: TextRange,
) -> Option<MethodId> {
    items_around(db, file, range).find_map(|item| match item {
        Item::Method(method) if method.class(db) == class => Some(method),
        _ => None,
    })
}

fn owner_and_offset(db: &dyn Db, file: SourceFile, range: TextRange) -> Option<(Owner, TextSize)> {
    let owner = owner_at(db, file, range)?;
    Some((owner, item_offset(db, owner.into())))
}

/// The symbols of a name in a body.
fn in_code(db: &dyn Db, file: SourceFile, token: &SyntaxToken, around: &SyntaxNode) -> Vec<Symbol> {
    let name = plain_name(token);
    let range = token.text_range();
    if let Some((owner, offset)) = owner_and_offset(db, file, range) {
        let body = &owner_body(db, owner).body;
        // The name expression itself, or the call with it as callee.
        let call = around.parent().filter(|p| {
            matches!(p.kind(), SyntaxKind::CALL_EXPR | SyntaxKind::TRAILING_CLOSURE_STMT)
                && p.text_range().start() == around.text_range().start()
        });
        for node in [call.as_ref(), Some(around)].into_iter().flatten() {
            let Some(range) = node.text_range().checked_sub(offset) else { continue };
            let exact = body.exprs.iter().filter(|e| e.range == range);
            if let Some(found) = exact.filter_map(|e| named(db, owner, body, e, &name)).next() {
                return found;
            }
        }
        if let Some(range) = range.checked_sub(offset)
            && let Some(found) = assigned(db, owner, body, range, &name)
        {
            return vec![found];
        }
    }
    let path = ast::Expr::cast(around.clone()).and_then(|e| dotted(&e));
    if let Some(path) = path
        && let Some(found) = type_symbol(&scope_at(db, file, range), &path)
    {
        return vec![found];
    }
    // Names that desugaring removed from the typed body, as in compound assignments.
    let Some((owner, offset)) = owner_and_offset(db, file, range) else { return Vec::new() };
    let Some(range) = range.checked_sub(offset) else { return Vec::new() };
    let body = &owner_body(db, owner).body;
    let around = body.exprs.iter().filter(|e| e.range.contains_range(range));
    let named = around.filter_map(|e| Some((e.range.len(), named(db, owner, body, e, &name)?)));
    named.min_by_key(|(length, _)| *length).map(|(_, found)| found).unwrap_or_default()
}

/// The text of a name, without backquotes.
pub(super) fn plain_name(token: &SyntaxToken) -> SmolStr {
    SmolStr::new(token.text().trim_matches('`'))
}

/// The names in a dotted expression `a.b.c`.
pub(super) fn dotted(e: &ast::Expr) -> Option<Vec<SmolStr>> {
    match e {
        ast::Expr::NameExpr(name) => Some(vec![name.name_ref()?.text()]),
        ast::Expr::FieldExpr(field) => {
            let mut names = dotted(&field.receiver()?)?;
            names.push(field.name_ref()?.text());
            Some(names)
        }
        _ => None,
    }
}

/// The symbols that an expression refers to, if they have this name.
fn named(db: &dyn Db, owner: Owner, body: &Body, e: &Expr, name: &str) -> Option<Vec<Symbol>> {
    let method = |method: &MethodId| Symbol::Item(Item::Method(*method));
    match &e.kind {
        ExprKind::Local(local) => {
            (body.local(*local).name == name).then(|| vec![Symbol::Local { owner, local: *local }])
        }
        ExprKind::Field { field, .. } | ExprKind::StaticField(field) => {
            (field.name(db) == name).then(|| vec![Symbol::Item(Item::Field(*field))])
        }
        ExprKind::Call { method: called, .. } => (called.name(db) == name).then(|| vec![method(called)]),
        ExprKind::New { constructor, class, .. } => {
            (class.name(db) == name).then(|| vec![method(constructor), Symbol::Item(Item::Class(*class))])
        }
        _ => None,
    }
}

/// The variable `name` that an assignment at `range` assigns to.
fn assigned(db: &dyn Db, owner: Owner, body: &Body, range: TextRange, name: &str) -> Option<Symbol> {
    let field = |field: FieldId| (field.name(db) == name).then_some(Symbol::Item(Item::Field(field)));
    let target = |e: &Expr| match &e.kind {
        ExprKind::Assign { target, .. } => match *target {
            AssignTarget::Local(local) => {
                (body.local(local).name == name).then_some(Symbol::Local { owner, local })
            }
            AssignTarget::Field { field: assigned, .. } | AssignTarget::Static(assigned) => field(assigned),
        },
        _ => None,
    };
    let around = body.exprs.iter().filter(|e| e.range.contains_range(range));
    let targets = around.filter_map(|e| Some((e.range.len(), target(e)?)));
    targets.min_by_key(|(length, _)| *length).map(|(_, symbol)| symbol)
}

/// Whether a node is in a constraint or guard, which has no typed body.
pub(super) fn in_condition(node: &SyntaxNode) -> bool {
    let mut around = node.ancestors().map(|n| n.kind());
    around.find_map(|kind| match kind {
        SyntaxKind::CONSTRAINT | SyntaxKind::GUARD => Some(true),
        kind if ast::Stmt::can_cast(kind) || ast::Member::can_cast(kind) => Some(false),
        _ => None,
    }) == Some(true)
}

/// The symbol of a name in a constraint: a local or formal, a property of the constrained type or of an
/// enclosing class, or a type.
fn in_constraint(db: &dyn Db, file: SourceFile, e: &ast::Expr) -> Option<Symbol> {
    let range = e.syntax().text_range();
    let scope = scope_at(db, file, range);
    let context = Context { class: scope.class, ..Context::global(db) };
    let member = |ty: Ty, name: &str| {
        let field = context.find_field(ty, name).map(|(field, _)| Item::Field(field));
        let method = || context.find_property_method(ty, name).map(|c| Item::Method(c.method));
        field.or_else(method).map(Symbol::Item)
    };
    match e {
        ast::Expr::NameExpr(name) => {
            let name = name.name_ref()?.text();
            let locals = visible_locals(db, file, range.start());
            if let Some(local) = locals.into_iter().find(|l| l.name == name) {
                return Some(local.symbol);
            }
            let of_type = constrained_type(db, file, e.syntax()).and_then(|ty| member(ty, &name));
            let classes = std::iter::successors(scope.class, |c| c.outer(db));
            of_type
                .or_else(|| classes.into_iter().find_map(|c| member(Ty::this_type(db, c), &name)))
                .or_else(|| type_symbol(&scope, &[name]))
        }
        ast::Expr::FieldExpr(field) => {
            let name = field.name_ref()?.text();
            let receiver = condition_type(db, file, &field.receiver()?)?;
            member(receiver, &name)
        }
        _ => None,
    }
}

/// The type of an expression in a constraint.
pub(super) fn condition_type(db: &dyn Db, file: SourceFile, e: &ast::Expr) -> Option<Ty> {
    Some(match e {
        ast::Expr::SelfExpr(e) => constrained_type(db, file, e.syntax())?,
        ast::Expr::ThisExpr(_) => Ty::this_type(db, scope_at(db, file, e.syntax().text_range()).class?),
        e => match in_constraint(db, file, e)? {
            Symbol::Local { owner, local } => owner_body(db, owner).body.local(local).ty,
            Symbol::Item(Item::Field(field)) => field_type(db, field),
            Symbol::Item(Item::Method(method)) => result_type(db, method),
            Symbol::Item(Item::Class(class)) => Ty::this_type(db, class),
            _ => return None,
        },
    })
}

/// The base type of the constrained type whose constraint contains `node`.
pub(super) fn constrained_type(db: &dyn Db, file: SourceFile, node: &SyntaxNode) -> Option<Ty> {
    let condition = node.ancestors().find(|n| n.kind() == SyntaxKind::CONSTRAINT)?;
    let named = ast::NamedType::cast(condition.parent()?)?;
    let mut reference = TypeLowering::default().named(&named);
    if let TypeRefKind::Constrained { base, .. } = reference.kind {
        reference = *base;
    }
    Some(scope_at(db, file, named.syntax().text_range()).resolve(&reference, &mut Vec::new()))
}

/// The declaration of a symbol: its file and the range of its name.
pub fn declaration(db: &dyn Db, symbol: &Symbol) -> Option<(SourceFile, TextRange)> {
    match symbol {
        Symbol::Item(item) => Some((item.file(db), declared_name(db, *item))),
        Symbol::Local { owner, local } => {
            let item: Item = (*owner).into();
            let range = owner_body(db, *owner).body.local(*local).range;
            Some((item.file(db), range + item_offset(db, item)))
        }
        Symbol::TypeParam(ty) => {
            let param = ty.as_param(db)?;
            let item = param.method(db).map_or(Item::Class(param.class(db)), Item::Method);
            let list = item_node(db, item)?.children().find(|n| n.kind() == SyntaxKind::TYPE_PARAM_LIST)?;
            let declared = ast::TypeParamList::cast(list)?.type_params().nth(param.index(db) as usize)?;
            Some((item.file(db), ast::HasName::name(&declared)?.range()))
        }
    }
}

/// The range of an item's name; for an automatic constructor that of its class.
fn declared_name(db: &dyn Db, item: Item) -> TextRange {
    match item {
        Item::Method(method) if item_ptr(db, item).is_none() => name_range(db, Item::Class(method.class(db))),
        item => name_range(db, item),
    }
}

/// The range of a symbol's whole declaration, with its body.
pub fn full_range(db: &dyn Db, symbol: &Symbol) -> Option<(SourceFile, TextRange)> {
    match symbol {
        Symbol::Item(item) => match item_ptr(db, *item) {
            Some(ptr) => Some((item.file(db), ptr.range())),
            None => declaration(db, symbol),
        },
        _ => declaration(db, symbol),
    }
}

/// The class, struct or interface that is the type of a symbol.
pub fn type_of(db: &dyn Db, symbol: &Symbol) -> Option<Symbol> {
    let ty = match symbol {
        Symbol::Item(Item::Class(_)) | Symbol::TypeParam(_) => return Some(*symbol),
        Symbol::Item(Item::Field(field)) => field_type(db, *field),
        Symbol::Item(Item::Method(method)) => {
            let is_constructor = method.name(db) == "this";
            if is_constructor { Ty::this_type(db, method.class(db)) } else { result_type(db, *method) }
        }
        Symbol::Item(Item::Typedef(_)) => return None,
        Symbol::Local { owner, local } => owner_body(db, *owner).body.local(*local).ty,
    };
    match ty.base(db).as_class(db) {
        Some((class, _)) => Some(Symbol::Item(Item::Class(class))),
        None => ty.base(db).as_param(db).map(|_| Symbol::TypeParam(ty.base(db))),
    }
}

/// The name of a symbol as it is written.
pub fn name_of(db: &dyn Db, symbol: &Symbol) -> SmolStr {
    match symbol {
        Symbol::Item(Item::Class(class)) => class.name(db).clone(),
        Symbol::Item(Item::Method(method)) => method.name(db).clone(),
        Symbol::Item(Item::Field(field)) => field.name(db).clone(),
        Symbol::Item(Item::Typedef(typedef)) => typedef.name(db).clone(),
        Symbol::Local { owner, local } => owner_body(db, *owner).body.local(*local).name.clone(),
        Symbol::TypeParam(ty) => ty.as_param(db).map(|p| p.name(db).clone()).unwrap_or_default(),
    }
}

/// The documentation comment of an item.
pub fn documentation(db: &dyn Db, item: Item) -> Option<String> {
    let mut node = item_node(db, item)?;
    if ast::Declarator::can_cast(node.kind()) {
        node = node.parent()?;
    }
    let member = ast::Member::cast(node.clone()).and_then(|m| m.doc_text());
    member.or_else(|| ast::Item::cast(node)?.doc_text()).map(|text| super::doc_text::markdown(&text))
}

/// Whether a class is anonymous.
pub(super) fn is_anonymous(db: &dyn Db, class: crate::ids::ClassId) -> bool {
    class_head(db, class).as_ref().is_some_and(|item| item.place == crate::item_tree::ClassPlace::Anonymous)
}
