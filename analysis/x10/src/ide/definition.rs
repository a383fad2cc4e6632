//! Go to definition. Besides names, also operators, applications, `this` and `super` have a definition.

use apg_syntax::SyntaxKind::{
    ARG_LIST, ASSIGN_EXPR, BIN_EXPR, CALL_EXPR, CONSTRUCTOR_CALL_STMT, POSTFIX_EXPR, PREFIX_EXPR, SUPER_EXPR,
    THIS_EXPR,
};
use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxToken, TextRange, TextSize};

use super::navigation_target::{Symbol, name_token, token_symbols};
use super::signature::candidates_of;
use super::spans::{enclosing_class, owner_at};
use crate::body::{ExprKind, StmtKind};
use crate::db::Db;
use crate::ids::SourceFile;
use crate::infer::owner_body;
use crate::inputs::parse;
use crate::item_tree::source::{Item, item_offset, item_ptr};
use crate::signature::method_signature;
use crate::signature::supertypes::direct_supertypes;

/// The symbol defined elsewhere that the token at an offset refers to, with the range of the token. The class
/// name after `new` refers to the constructor.
pub fn defined_at(db: &dyn Db, file: SourceFile, offset: TextSize) -> Option<(Symbol, TextRange)> {
    let root = parse(db, file).syntax();
    let found = |token: &SyntaxToken, symbol: Option<Symbol>| Some((symbol?, token.text_range()));
    if let Some(token) = name_token(&root, offset) {
        let symbols = token_symbols(db, file, &token);
        let is_constructor = |symbol: &&Symbol| match symbol {
            Symbol::Item(item @ Item::Method(method)) => {
                method.name(db) == "this" && item_ptr(db, *item).is_some()
            }
            _ => false,
        };
        let symbol = symbols.iter().find(is_constructor).or(symbols.first()).copied();
        return found(
            &token,
            symbol.or_else(|| object(db, file, &token)).or_else(|| meant(db, file, &token)),
        );
    }
    if offset > root.text_range().end() {
        return None;
    }
    let at = apg_syntax::token_at_offset(&root, offset);
    let operators = at.clone().right_biased().into_iter().chain(at.left_biased());
    operators.filter(|it| it.kind().is_punct()).find_map(|it| found(&it, operator(db, file, &it)))
}

/// The method named by a call to which no overload is applicable, as while its arguments are being typed: the
/// overload with the same number of parameters, else with the fewest more.
fn meant(db: &dyn Db, file: SourceFile, token: &SyntaxToken) -> Option<Symbol> {
    let callee = token.parent()?.parent()?;
    let call = callee.parent().filter(|call| call.kind() == CALL_EXPR)?;
    let list = call.children().find(|part| part.kind() == ARG_LIST)?;
    let is_callee = call.text_range().start() == callee.text_range().start() && callee != list;
    let written = list.children().filter(|part| ast::Expr::can_cast(part.kind())).count();
    let takes = |symbol: &Symbol| match symbol {
        Symbol::Item(Item::Method(method)) => method_signature(db, *method).params.len(),
        _ => 0,
    };
    let all = candidates_of(db, file, &list).into_iter().map(|(symbol, _)| symbol).filter(|_| is_callee);
    all.min_by_key(|symbol| (takes(symbol) < written, takes(symbol).abs_diff(written)))
}

/// The class of `this`, the superclass of `super`; for a constructor call `this(...)` or `super(...)` the
/// constructor.
fn object(db: &dyn Db, file: SourceFile, token: &SyntaxToken) -> Option<Symbol> {
    let class = enclosing_class(db, file, token.text_range())?;
    let class = match token.parent()?.kind() {
        CONSTRUCTOR_CALL_STMT => {
            let owner = owner_at(db, file, token.text_range())?;
            let body = &owner_body(db, owner).body;
            return body.stmts.iter().find_map(|stmt| match stmt.kind {
                // An automatic constructor has no declaration; show its class.
                StmtKind::ConstructorCall { constructor, .. } => {
                    let item = Item::Method(constructor);
                    let shown = item_ptr(db, item).map_or(Item::Class(constructor.class(db)), |_| item);
                    Some(Symbol::Item(shown))
                }
                _ => None,
            });
        }
        THIS_EXPR => class,
        SUPER_EXPR => direct_supertypes(db, class).iter().find_map(|ty| ty.base(db).as_class(db))?.0,
        _ => return None,
    };
    Some(Symbol::Item(Item::Class(class)))
}

/// The method called by an operator or by the parenthesis of an application.
fn operator(db: &dyn Db, file: SourceFile, token: &SyntaxToken) -> Option<Symbol> {
    let mut node = token.parent()?;
    let name = match node.kind() {
        BIN_EXPR | PREFIX_EXPR => format!("operator{}", token.text()),
        POSTFIX_EXPR => format!("operator{}", token.text().get(..1)?),
        ASSIGN_EXPR if token.text() == "=" => "operator()=".to_owned(),
        ASSIGN_EXPR => format!("operator{}", token.text().strip_suffix('=')?),
        ARG_LIST => {
            node = node.parent().filter(|call| call.kind() == CALL_EXPR)?;
            "operator()".to_owned()
        }
        _ => return None,
    };
    let owner = owner_at(db, file, token.text_range())?;
    let range = node.text_range().checked_sub(item_offset(db, owner.into()))?;
    let within = owner_body(db, owner).body.exprs.iter().filter(|e| range.contains_range(e.range));
    let called = within.filter_map(|e| match &e.kind {
        ExprKind::Call { method, .. } if *method.name(db) == name => Some((e.range.len(), *method)),
        _ => None,
    });
    called.max_by_key(|(length, _)| *length).map(|(_, method)| Symbol::Item(Item::Method(method)))
}
