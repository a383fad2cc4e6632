//! The locals and formals in scope at an offset.

use apg_syntax::SyntaxKind::{self, *};
use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxNode, SyntaxToken, TextRange, TextSize};
use rustc_hash::FxHashSet;
use smol_str::SmolStr;

use super::navigation_target::{Symbol, declared_local};
use crate::db::Db;
use crate::ids::SourceFile;
use crate::inputs::parse;

/// A local in scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleLocal {
    /// Its name.
    pub name: SmolStr,
    /// The symbol.
    pub symbol: Symbol,
}

/// The locals and formals in scope at an offset, nearest first, without shadowed ones.
pub fn visible_locals(db: &dyn Db, file: SourceFile, offset: TextSize) -> Vec<VisibleLocal> {
    let mut seen = FxHashSet::default();
    visible_names(&parse(db, file).syntax(), offset)
        .into_iter()
        .filter(|(name, _)| seen.insert(name.clone()))
        .filter_map(|(name, range)| Some(VisibleLocal { name, symbol: declared_local(db, file, range)? }))
        .collect()
}

/// The declared names in scope at an offset, nearest first.
fn visible_names(root: &SyntaxNode, offset: TextSize) -> Vec<(SmolStr, TextRange)> {
    let mut found = Vec::new();
    if offset > root.text_range().end() {
        return found;
    }
    let Some(token) = apg_syntax::token_at_offset(root, offset).left_biased() else { return found };
    for node in token.parent_ancestors() {
        let names = match node.kind() {
            BLOCK | SWITCH_GROUP => declared_before(&node, offset, &[LOCAL_DECL]),
            LOCAL_DECL => declared_before(&node, offset, &[DECLARATOR]),
            FOR_STMT => declared_before(&node, offset, &[FOR_INIT]),
            FOR_IN_STMT | AT_EACH_STMT if !is_in_header(&node, offset) => {
                declared_before(&node, offset, &[FORMAL])
            }
            CATCH_CLAUSE | KEYWORD_CALL_STMT => declared_before(&node, offset, &[FORMAL, LOOP_HEADER]),
            CLOSURE_EXPR | METHOD_DECL | CONSTRUCTOR_DECL | OPERATOR_DECL | TYPE_DEF | FUNCTION_TYPE => {
                formals(&node)
            }
            _ => continue,
        };
        found.extend(names.into_iter().rev());
    }
    found
}

/// The names declared before an offset by children of these kinds.
fn declared_before(node: &SyntaxNode, offset: TextSize, kinds: &[SyntaxKind]) -> Vec<(SmolStr, TextRange)> {
    let before = node.children().take_while(|child| child.text_range().end() <= offset);
    // In `val x = |` and `val x = f(|` the initialiser is incomplete; `x` is not in scope in it.
    let unfinished = |child: &SyntaxNode| {
        let last = child.last_token();
        matches!(child.kind(), LOCAL_DECL | DECLARATOR)
            && last.as_ref().is_some_and(|t| t.kind() != SEMICOLON)
            && last.and_then(|t| next_solid(&t)).is_none_or(|t| t.text_range().start() >= offset)
    };
    before
        .filter(|child| kinds.contains(&child.kind()) && !unfinished(child))
        .flat_map(|child| names(&child))
        .collect()
}

/// Whether an offset is in the domain of a loop, where the loop variable is not in scope.
fn is_in_header(node: &SyntaxNode, offset: TextSize) -> bool {
    let over = node.children().find(|child| ast::Expr::can_cast(child.kind()));
    over.is_none_or(|over| offset <= over.text_range().end())
}

/// The next token that is not trivia.
fn next_solid(token: &SyntaxToken) -> Option<SyntaxToken> {
    std::iter::successors(token.next_token(), SyntaxToken::next_token).find(|t| !t.kind().is_trivia())
}

/// The formals of a method or closure, in scope in its whole signature and body.
fn formals(node: &SyntaxNode) -> Vec<(SmolStr, TextRange)> {
    node.children().filter(|child| child.kind() == FORMAL_LIST).flat_map(|list| names(&list)).collect()
}

/// The names declared by declarators and formals below a node, without those inside their types and
/// initialisers.
fn names(node: &SyntaxNode) -> Vec<(SmolStr, TextRange)> {
    let mut found = Vec::new();
    for child in node.children() {
        match child.kind() {
            NAME => {
                let text = child.text().to_string();
                found.push((SmolStr::new(text.trim_matches('`')), child.text_range()));
            }
            DECLARATOR | FORMAL | FORMAL_LIST | POINT_PATTERN | LOCAL_DECL | FOR_INIT | LOOP_HEADER => {
                found.extend(names(&child))
            }
            _ => {}
        }
    }
    found
}
