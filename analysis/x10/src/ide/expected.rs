//! Expected types: the type of value expected at an offset, by which completions are ranked.

use apg_syntax::SyntaxKind::*;
use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxNode, T, TextSize};

use super::navigation_target::{Symbol, declared_local};
use super::receiver::value_type;
use super::signature::candidates_of;
use super::spans::owner_at;
use crate::body::Owner;
use crate::db::Db;
use crate::ids::SourceFile;
use crate::infer::owner_body;
use crate::inputs::parse;
use crate::item_tree::source::Item;
use crate::signature::inferred::result_type;
use crate::signature::method_signature;
use crate::ty::Ty;
use crate::ty::subst::Substitution;

/// The type expected at an offset by the enclosing declaration, assignment, `return`, condition or call.
pub(super) fn expected_type(db: &dyn Db, file: SourceFile, offset: TextSize) -> Option<Ty> {
    let root = parse(db, file).syntax();
    if offset > root.text_range().end() {
        return None;
    }
    let token = apg_syntax::token_at_offset(&root, offset).left_biased()?;
    let token = if token.kind().is_trivia() {
        std::iter::successors(token.prev_token(), |t| t.prev_token()).find(|t| !t.kind().is_trivia())?
    } else {
        token
    };
    if token.kind() == T![new] {
        // `new` itself starts the value: the expected type is that at the token before it, if any.
        return expected_type(db, file, token.prev_token()?.text_range().end());
    }
    let node = token.parent()?;
    match (token.kind(), node.kind()) {
        (T![=], DECLARATOR) => declared_type(db, file, &node),
        (T![=], ASSIGN_EXPR) => value_type(db, file, &ast::AssignExpr::cast(node)?.lhs()?),
        (T![return], RETURN_STMT) | (T![=], EXPR_BODY) => match owner_at(db, file, node.text_range())? {
            Owner::Method(method) => Some(result_type(db, method)),
            Owner::Field(_) => None,
        },
        (T!['('], IF_STMT | WHILE_STMT | WHEN_STMT | DO_STMT) => Some(Ty::boolean(db)),
        (T!['('], AT_STMT | AT_EXPR) => Some(Ty::place(db)),
        (T!['('] | T![,], ARG_LIST) => argument(db, file, &node, offset),
        _ => None,
    }
}

fn declared_type(db: &dyn Db, file: SourceFile, declarator: &SyntaxNode) -> Option<Ty> {
    let declarator = ast::Declarator::cast(declarator.clone())?;
    declarator.ty()?;
    let name = ast::HasName::name(&declarator)?;
    let Symbol::Local { owner, local } = declared_local(db, file, name.range())? else { return None };
    Some(owner_body(db, owner).body.local(local).ty)
}

/// The type of the formal at the cursor, if all methods that the call may refer to agree on it.
fn argument(db: &dyn Db, file: SourceFile, list: &SyntaxNode, offset: TextSize) -> Option<Ty> {
    let commas = list.children_with_tokens().filter_map(|e| e.into_token());
    let nth = commas.filter(|t| t.kind() == T![,] && t.text_range().end() <= offset).count();
    let types = candidates_of(db, file, list).into_iter().filter_map(|(symbol, owner)| {
        let Symbol::Item(Item::Method(method)) = symbol else { return None };
        let formal = method_signature(db, method).params.get(nth)?.ty;
        let (class, args) = owner.as_class(db)?;
        Some(Substitution::class(db, class, args).apply(db, formal))
    });
    let types: Vec<Ty> = types.collect();
    let first = *types.first()?;
    types.iter().all(|t| *t == first).then_some(first)
}
