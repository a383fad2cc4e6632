//! Hover on a literal: its type, and its value in other notations. Hover on the arrow of a closure: its type.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, SyntaxToken, T};

use super::hover::Hover;
use super::receiver::value_type;
use super::shown;
use super::spans::owner_at;
use crate::body::{ExprKind, Literal};
use crate::db::Db;
use crate::ids::SourceFile;
use crate::infer::owner_body;
use crate::item_tree::source::item_offset;

/// The hover text of a number, character or string literal.
pub(super) fn hover_literal(db: &dyn Db, file: SourceFile, token: &SyntaxToken) -> Option<Hover> {
    use SyntaxKind::{CHAR, FLOAT_NUMBER, INT_NUMBER, STRING};
    if !matches!(token.kind(), INT_NUMBER | FLOAT_NUMBER | CHAR | STRING) {
        return None;
    }
    let range = token.text_range();
    let owner = owner_at(db, file, range)?;
    let own = range.checked_sub(item_offset(db, owner.into()))?;
    let literal = |e: &crate::body::Expr| match &e.kind {
        // Includes the sign, if it is part of the literal.
        ExprKind::Literal(literal) if e.range.end() == own.end() && e.range.contains_range(own) => {
            Some((shown(db, e.ty.base(db)), literal.clone()))
        }
        _ => None,
    };
    let (ty, literal) = owner_body(db, owner).body.exprs.iter().find_map(literal)?;
    let mut markdown = format!("```x10\n{ty}\n```");
    if let Some(value) = value(&literal) {
        markdown.push_str("\n\n");
        markdown.push_str(&value);
    }
    Some(Hover { range, markdown })
}

/// The hover text of the arrow of a closure.
pub(super) fn hover_closure(db: &dyn Db, file: SourceFile, token: &SyntaxToken) -> Option<Hover> {
    if token.kind() != T![=>] {
        return None;
    }
    let closure = token.parent().and_then(ast::ClosureExpr::cast)?;
    let ty = value_type(db, file, &ast::Expr::ClosureExpr(closure)).filter(|ty| !ty.is_error(db))?;
    Some(Hover { range: token.text_range(), markdown: format!("```x10\n{}\n```", shown(db, ty)) })
}

fn value(literal: &Literal) -> Option<String> {
    Some(match literal {
        Literal::Int(value) if (-9..=9).contains(value) => return None,
        Literal::Int(value) => format!("`{value}` = `{}0x{:x}`", sign(*value), value.unsigned_abs()),
        Literal::Char(c) => format!("`U+{:04X}` = `{}`", u32::from(*c), u32::from(*c)),
        Literal::String(text) => match text.chars().count() {
            1 => "1 character".to_owned(),
            length => format!("{length} characters"),
        },
        Literal::Float(bits) => format!("`{}`", f64::from_bits(*bits)),
        Literal::Bool(_) | Literal::Null => return None,
    })
}

fn sign(value: i64) -> &'static str {
    if value < 0 { "-" } else { "" }
}
