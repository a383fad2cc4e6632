//! Receivers: what the expression before a dot, or a callee, denotes, also in incomplete code.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{TextRange, TextSize};
use smol_str::SmolStr;

use super::navigation_target::{dotted, scope_at};
use super::spans::{enclosing_class, owner_at};
use crate::body::ExprKind;
use crate::db::Db;
use crate::ids::SourceFile;
use crate::infer::owner_body;
use crate::item_tree::source::item_offset;
use crate::relate::Context;
use crate::scope::lookup::Found;
use crate::ty::Ty;

/// The receiver of a member selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Receiver {
    /// A value of this type.
    Value(Ty),
    /// A type, for its static members.
    Type(Ty),
    /// A package.
    Package(SmolStr),
}

/// The receiver that an expression before a dot denotes.
pub(super) fn receiver(db: &dyn Db, file: SourceFile, e: &ast::Expr) -> Option<Receiver> {
    let range = e.syntax().text_range();
    match e {
        ast::Expr::ThisExpr(this) if this.qualifier().is_none() => {
            return enclosing_class(db, file, range).map(|c| Receiver::Value(Ty::this_type(db, c)));
        }
        ast::Expr::SuperExpr(_) => {
            let class = enclosing_class(db, file, range)?;
            return crate::signature::supertypes::superclass(db, class).map(Receiver::Value);
        }
        _ => {}
    }
    if let Some(ty) = value_type(db, file, e) {
        return Some(Receiver::Value(ty));
    }
    let scope = scope_at(db, file, range);
    if let ast::Expr::TypeExpr(written) = e
        && let Some(ast::Type::NamedType(named)) = written.ty()
    {
        return type_named(db, file, &super::navigation_target::segments(&named)?, range);
    }
    let names = dotted(e)?;
    type_named(db, file, &names, range).or_else(|| {
        let package = names.join(".");
        scope.is_package(&package).then(|| Receiver::Package(package.into()))
    })
}

fn type_named(db: &dyn Db, file: SourceFile, names: &[SmolStr], range: TextRange) -> Option<Receiver> {
    let scope = scope_at(db, file, range);
    if let [name] = names
        && let Some(Found::Param(ty)) = scope.find_type(name)
    {
        return Some(Receiver::Type(ty));
    }
    scope.find_class(names).map(|class| Receiver::Type(Ty::this_type(db, class)))
}

/// The type of an expression in a body, before implicit conversions.
pub(super) fn value_type(db: &dyn Db, file: SourceFile, e: &ast::Expr) -> Option<Ty> {
    let e = e.without_parens();
    let range = e.syntax().text_range();
    let owner = owner_at(db, file, range)?;
    let range = range.checked_sub(item_offset(db, owner.into()))?;
    let body = &owner_body(db, owner).body;
    // A conversion has the range of its operand and comes after it.
    let same = |e: &&crate::body::Expr| e.range == range && !matches!(e.kind, ExprKind::Error);
    let converted = |kind: &ExprKind| {
        matches!(kind, ExprKind::Coerce { .. } | ExprKind::Box { .. } | ExprKind::Unbox { .. })
    };
    let all: Vec<_> = body.exprs.iter().filter(same).collect();
    let found = all.iter().rev().find(|e| !converted(&e.kind)).or(all.last())?;
    (!found.ty.is_error(db) && !found.ty.is_void(db)).then_some(found.ty)
}

/// The context of a member access, which decides what is accessible.
pub(super) fn context_at<'db>(db: &'db dyn Db, file: SourceFile, offset: TextSize) -> Context<'db> {
    let range = TextRange::empty(offset);
    match owner_at(db, file, range) {
        Some(crate::body::Owner::Method(method)) => Context::method(db, method),
        _ => match enclosing_class(db, file, range) {
            Some(class) => Context::class(db, class),
            None => Context::global(db),
        },
    }
}
