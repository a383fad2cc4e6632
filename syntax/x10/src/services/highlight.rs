//! Highlighting of tokens by syntax alone.

use crate::ast::{AstNode, Expr};
use crate::syntax_kind::SyntaxKind::{self, *};
use crate::syntax_node::{SyntaxNode, SyntaxToken};
use apg_source::TextRange;

/// A token and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Highlight {
    /// The token.
    pub range: TextRange,
    /// What it is.
    pub kind: HighlightKind,
    /// Whether it is the name of a declaration.
    pub is_declaration: bool,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the words of the language server protocol")]
pub enum HighlightKind {
    Keyword,
    Modifier,
    Comment,
    String,
    Number,
    Operator,
    Namespace,
    Class,
    Struct,
    Interface,
    Type,
    TypeParameter,
    Parameter,
    Variable,
    Property,
    Method,
    Decorator,
    Label,
}

/// All tokens of a tree that are more than punctuation, in order.
pub fn highlight(root: &SyntaxNode) -> Vec<Highlight> {
    let tokens = root.descendants_with_tokens().filter_map(|it| it.into_token());
    tokens
        .filter_map(|token| {
            let (kind, is_declaration) = classify(&token)?;
            Some(Highlight { range: token.text_range(), kind, is_declaration })
        })
        .collect()
}

fn classify(token: &SyntaxToken) -> Option<(HighlightKind, bool)> {
    let parent = token.parent()?;
    let kind = match token.kind() {
        IDENT => return name(&parent),
        STRING | CHAR => HighlightKind::String,
        INT_NUMBER | FLOAT_NUMBER => HighlightKind::Number,
        T![@] => HighlightKind::Decorator,
        kind if kind.is_comment() => HighlightKind::Comment,
        kind if kind.is_keyword() && parent.kind() == MODIFIER_LIST => HighlightKind::Modifier,
        kind if kind.is_keyword() => HighlightKind::Keyword,
        kind if kind.is_punct() && !is_separator(kind) => HighlightKind::Operator,
        _ => return None,
    };
    Some((kind, false))
}

fn is_separator(kind: SyntaxKind) -> bool {
    matches!(kind, T!['('] | T![')'] | T!['['] | T![']'] | T!['{'] | T!['}'] | T![,] | T![;] | T![.] | T![:])
}

fn name(node: &SyntaxNode) -> Option<(HighlightKind, bool)> {
    let parent = node.parent()?;
    if node.kind() == NAME {
        return Some((declared(&parent), true));
    }
    let kind = match parent.kind() {
        QUALIFIED_NAME => {
            let in_import = parent.parent().is_some_and(|it| it.kind() == IMPORT_DECL);
            let starts_upper = node.text().char_at(0.into()).is_some_and(char::is_uppercase);
            if in_import && starts_upper { HighlightKind::Type } else { HighlightKind::Namespace }
        }
        NAMED_TYPE if parent.parent().is_some_and(|it| it.kind() == ANNOTATION) => HighlightKind::Decorator,
        NAMED_TYPE if parent.parent().is_some_and(|it| it.kind() == NAMED_TYPE) => HighlightKind::Namespace,
        NAMED_TYPE => HighlightKind::Type,
        BREAK_STMT | CONTINUE_STMT => HighlightKind::Label,
        _ if is_callee(&parent) => HighlightKind::Method,
        FIELD_EXPR => HighlightKind::Property,
        _ => HighlightKind::Variable,
    };
    Some((kind, false))
}

fn is_callee(expr: &SyntaxNode) -> bool {
    if !matches!(expr.kind(), NAME_EXPR | FIELD_EXPR) || !Expr::can_cast(expr.kind()) {
        return false;
    }
    expr.parent().is_some_and(|it| {
        matches!(it.kind(), CALL_EXPR | TRAILING_CLOSURE_STMT)
            && it.text_range().start() == expr.text_range().start()
    })
}

fn declared(owner: &SyntaxNode) -> HighlightKind {
    match owner.kind() {
        CLASS_DECL => HighlightKind::Class,
        STRUCT_DECL => HighlightKind::Struct,
        INTERFACE_DECL => HighlightKind::Interface,
        TYPE_DEF => HighlightKind::Type,
        TYPE_PARAM => HighlightKind::TypeParameter,
        METHOD_DECL => HighlightKind::Method,
        PROPERTY => HighlightKind::Property,
        LABELED_STMT => HighlightKind::Label,
        FORMAL => match owner.parent().map(|it| it.kind()) {
            Some(FOR_IN_STMT | AT_EACH_STMT) => HighlightKind::Variable,
            _ => HighlightKind::Parameter,
        },
        DECLARATOR if owner.parent().is_some_and(|it| it.kind() == FIELD_DECL) => HighlightKind::Property,
        _ => HighlightKind::Variable,
    }
}
