//! Completion context: the syntax around the cursor.

use apg_syntax::SyntaxKind::*;
use apg_syntax::T;
use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxNode, SyntaxToken, TextRange, TextSize};
use smol_str::SmolStr;

use super::snippets::TOP_KEYWORDS;
use crate::db::Db;
use crate::ide::navigation_target::{condition_type, constrained_type, in_condition};
use crate::ide::receiver::{Receiver, receiver};
use crate::ide::spans::enclosing_class;
use crate::ids::{ClassId, SourceFile};
use crate::inputs::parse;
use crate::ty::Ty;

/// The kind of completion.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    /// A member of the expression before the dot; no receiver for a call without a value.
    Members(Option<Receiver>, ast::Expr),
    /// A property of this type, in a constraint.
    Property(Ty),
    /// A term of a constraint: properties of the constrained type, if there is one, and values.
    Term(Option<Ty>),
    /// A type of a package or of another type, in a type.
    Package(SmolStr),
    /// A package or type, in an import.
    Import(SmolStr),
    /// The package declared by the file, with its written prefix before the last dot.
    Declared(SmolStr),
    /// An annotation, after `@`.
    Annotation,
    /// A type.
    Type,
    /// An exception class.
    Thrown,
    /// A class or struct to instantiate; whether it is an operand of `throw`.
    New(bool),
    /// A supertype; whether it must be an interface.
    Super(bool),
    /// A declaration in the body of a class.
    Member(ClassId),
    /// A method of that class that overrides another; its declaration starts at the offset.
    Override(ClassId, TextSize),
    /// One of these keywords.
    Words(&'static [&'static str]),
    /// A value.
    Expression,
    /// A statement or a value.
    Statement,
}

/// The context at an offset, and the word to replace.
pub(super) fn wanted(db: &dyn Db, file: SourceFile, offset: TextSize) -> Option<(Wanted, TextRange)> {
    let root = parse(db, file).syntax();
    if offset > root.text_range().end() {
        return None;
    }
    let left = apg_syntax::token_at_offset(&root, offset).left_biased();
    let is_word = |t: &SyntaxToken| t.kind() == IDENT || t.kind().is_keyword();
    let word = left.clone().filter(is_word);
    let in_text = |t: &SyntaxToken| {
        t.text_range().end() > offset
            || !t.text().ends_with(['"', '\'']) && t.kind().is_literal()
            || t.kind().is_comment() && !t.text().ends_with("*/")
    };
    if left.as_ref().is_some_and(|t| (t.kind().is_literal() || t.kind().is_comment()) && in_text(t)) {
        return None;
    }
    let replace = word.as_ref().map_or(TextRange::empty(offset), |w| w.text_range());
    // The token before the word.
    let before = match &word {
        Some(word) => solid_before(word),
        None => left.and_then(|t| if t.kind().is_trivia() { solid_before(&t) } else { Some(t) }),
    };
    let Some(before) = before else { return Some((Wanted::Words(TOP_KEYWORDS), replace)) };
    let wanted = match before.kind() {
        T![.] => after_dot(db, file, &before)?,
        // Between the dots of `a..b`, before an existing name.
        T![..] if before.text_range().contains(offset) => {
            after_dot(db, file, &before).unwrap_or_else(|| Wanted::Package(path_before(&before)))
        }
        T![@] => Wanted::Annotation,
        T![import] => Wanted::Import(SmolStr::default()),
        T![package] => Wanted::Declared(SmolStr::default()),
        _ => elsewhere(db, file, &before, word.as_ref(), offset)?,
    };
    Some((wanted, replace))
}

/// The last token before `token` that is not trivia.
pub(super) fn solid_before(token: &SyntaxToken) -> Option<SyntaxToken> {
    std::iter::successors(token.prev_token(), SyntaxToken::prev_token).find(|t| !t.kind().is_trivia())
}

fn after_dot(db: &dyn Db, file: SourceFile, dot: &SyntaxToken) -> Option<Wanted> {
    let node = dot.parent()?;
    let node = if node.kind() == ERROR { node.parent()? } else { node };
    match node.kind() {
        IMPORT_DECL | PACKAGE_DECL | QUALIFIED_NAME => {
            let name = node.descendants().filter_map(ast::QualifiedName::cast);
            let before = name.filter(|n| n.syntax().text_range().end() <= dot.text_range().start());
            let qualifier = before.max_by_key(|n| n.syntax().text_range().len())?;
            let is_declared = node.ancestors().any(|it| it.kind() == PACKAGE_DECL);
            Some(if is_declared { Wanted::Declared } else { Wanted::Import }(qualifier.text()))
        }
        NAMED_TYPE => {
            let qualifier = node.children().find_map(ast::NamedType::cast)?;
            let names = crate::ide::navigation_target::segments(&qualifier)?;
            Some(Wanted::Package(SmolStr::new(names.join("."))))
        }
        _ => {
            let end = dot.text_range().start();
            let before = |n: &SyntaxNode| n.text_range().end() <= end;
            // A dot after a complete expression may be attached by error recovery to the following node.
            let own = node.children().filter(before).filter_map(ast::Expr::cast).last();
            let e = own.or_else(|| expression_before(dot))?;
            if let Some(name) = made(&e) {
                return Some(Wanted::Package(name));
            }
            if in_condition(e.syntax())
                && let Some(ty) = condition_type(db, file, &e)
            {
                return Some(Wanted::Property(ty));
            }
            match receiver(db, file, &e) {
                Some(Receiver::Package(package)) => Some(Wanted::Package(package)),
                None if !matches!(e, ast::Expr::CallExpr(_)) => None,
                receiver => Some(Wanted::Members(receiver, e)),
            }
        }
    }
}

/// The dotted name after a `new` without arguments, where the name may be incomplete.
fn made(e: &ast::Expr) -> Option<SmolStr> {
    let ast::Expr::NewExpr(made) = e else { return None };
    let last = made.syntax().last_child().and_then(ast::NamedType::cast)?;
    Some(SmolStr::new(crate::ide::navigation_target::segments(&last)?.join(".")))
}

/// The dotted name that ends right before a token.
fn path_before(token: &SyntaxToken) -> SmolStr {
    let tokens = std::iter::successors(token.prev_token(), SyntaxToken::prev_token);
    let path: Vec<SyntaxToken> = tokens.take_while(|it| matches!(it.kind(), IDENT | T![.])).collect();
    SmolStr::from(path.iter().rev().map(|it| it.text().trim_matches('`')).collect::<String>())
}

/// The largest expression that ends right before a token.
fn expression_before(token: &SyntaxToken) -> Option<ast::Expr> {
    let last = solid_before(token)?;
    let end = last.text_range().end();
    last.parent_ancestors().take_while(|n| n.text_range().end() == end).filter_map(ast::Expr::cast).last()
}

fn elsewhere(
    db: &dyn Db,
    file: SourceFile,
    before: &SyntaxToken,
    word: Option<&SyntaxToken>,
    offset: TextSize,
) -> Option<Wanted> {
    let parent = before.parent()?;
    if before.kind() == T![def]
        && let Some(class) = enclosing_class(db, file, before.text_range())
    {
        let modifiers = parent.children().find(|it| it.kind() == MODIFIER_LIST);
        let start = modifiers.map_or(before.text_range(), |it| it.text_range()).start();
        return Some(Wanted::Override(class, start));
    }
    if names_something_new(before, &parent) {
        return None;
    }
    let at = word.and_then(SyntaxToken::parent).and_then(|n| n.parent());
    if let Some(wanted) = in_head(before, &parent) {
        return Some(wanted);
    }
    if before.kind() == T![:] && before.parent_ancestors().take(3).any(|n| n.kind() == CATCH_CLAUSE) {
        return Some(Wanted::Thrown);
    }
    let starts_term = matches!(before.kind(), T!['{'] | T![,] | T![==] | T![!=] | T![&&] | T!['(']);
    if starts_term && in_condition(&parent) {
        return Some(Wanted::Term(constrained_type(db, file, &parent)));
    }
    if before.kind() == T![new] {
        return Some(Wanted::New(solid_before(before).is_some_and(|t| t.kind() == T![throw])));
    }
    let in_type = at.as_ref().is_some_and(|n| n.kind() == NAMED_TYPE && !is_value_like(n));
    if in_type || starts_type(before, &parent) {
        return Some(Wanted::Type);
    }
    // A construct that the preceding brace or semicolon closes has ended.
    let is_over = |n: &SyntaxNode| {
        let ends = match n.kind() {
            BLOCK | CLASS_BODY => T!['}'],
            EXPR_BODY | CALL_BODY => T![;],
            _ => return false,
        };
        before.kind() == ends && n.last_token().is_some_and(|last| last == *before)
    };
    let code = before.parent_ancestors().filter(|n| !is_over(n)).chain(at);
    let mut inside_code = false;
    for node in code {
        match node.kind() {
            BLOCK | EXPR_BODY | CALL_BODY | ARG_LIST | DECLARATOR => inside_code = true,
            CLASS_BODY if !inside_code => return declaration(db, file, before, offset),
            _ => {}
        }
        if inside_code {
            break;
        }
    }
    if !inside_code {
        return declaration(db, file, before, offset);
    }
    let starts_statement = matches!(before.kind(), T!['{'] | T!['}'] | T![;])
        || matches!(before.kind(), T![else] | T![do] | T![async] | T![finish] | T![atomic] | T![clocked])
        || before.kind() == T![')'] && heads_statement(&parent)
        || before.kind() == T![:] && matches!(parent.kind(), SWITCH_LABEL | LABELED_STMT);
    Some(if starts_statement { Wanted::Statement } else { Wanted::Expression })
}

/// In a block, the parser reads a single name as a type as often as a value.
fn is_value_like(named: &SyntaxNode) -> bool {
    named.parent().is_some_and(|p| p.kind() == TYPE_EXPR)
}

/// Whether a node is the head of a statement such as `if (...)`, `for (...)` or `at (...)`.
pub(super) fn heads_statement(node: &SyntaxNode) -> bool {
    matches!(
        node.kind(),
        IF_STMT | WHILE_STMT | FOR_STMT | FOR_IN_STMT | AT_STMT | AT_EACH_STMT | WHEN_STMT | CATCH_CLAUSE
    )
}

/// Whether a type is expected next.
fn starts_type(before: &SyntaxToken, parent: &SyntaxNode) -> bool {
    match before.kind() {
        T![:] => matches!(
            parent.kind(),
            DECLARATOR | FORMAL | PROPERTY | RESULT_TYPE | METHOD_DECL | FIELD_DECL | LOCAL_DECL
        ),
        T![as] | T![instanceof] | T![extends] | T![implements] | T![throws] | T![new] => true,
        T![<:] => true,
        T!['['] | T![,] => matches!(parent.kind(), TYPE_ARG_LIST),
        T![=>] => parent.kind() == FUNCTION_TYPE,
        _ => false,
    }
}

/// Whether a new name is expected, as after `val`, `class` or `def`.
fn names_something_new(before: &SyntaxToken, parent: &SyntaxNode) -> bool {
    matches!(
        before.kind(),
        T![val] | T![var] | T![class] | T![struct] | T![interface] | T![def] | T![package]
    ) || matches!(before.kind(), T!['('] | T![,])
        && matches!(parent.kind(), FORMAL_LIST | PROPERTY_LIST | TYPE_PARAM_LIST | POINT_PATTERN)
        || before.kind() == T!['('] && matches!(parent.kind(), FOR_IN_STMT | AT_EACH_STMT | CATCH_CLAUSE)
        || before.kind() == T!['('] && solid_before(before).is_some_and(|t| t.kind() == T![catch])
}

fn declaration(db: &dyn Db, file: SourceFile, before: &SyntaxToken, offset: TextSize) -> Option<Wanted> {
    let class = enclosing_class(db, file, TextRange::empty(offset)).map(Wanted::Member);
    // Outside of classes: at the start of a declaration, and after its modifiers.
    let starts =
        matches!(before.kind(), T![;] | T!['}'] | T![public] | T![abstract] | T![final] | T![static]);
    class.or_else(|| starts.then_some(Wanted::Words(TOP_KEYWORDS)))
}

/// The completion in the head of a class declaration: after its name, and among its supertypes.
fn in_head(before: &SyntaxToken, parent: &SyntaxNode) -> Option<Wanted> {
    let declared = parent.parent()?;
    match (before.kind(), parent.kind(), declared.kind()) {
        (IDENT, NAME, CLASS_DECL) => Some(Wanted::Words(&["extends", "implements"])),
        (IDENT, NAME, STRUCT_DECL) => Some(Wanted::Words(&["implements"])),
        (IDENT, NAME, INTERFACE_DECL) => Some(Wanted::Words(&["extends"])),
        (T![extends] | T![,], EXTENDS_CLAUSE, kind) => Some(Wanted::Super(kind == INTERFACE_DECL)),
        (T![implements] | T![,], IMPLEMENTS_CLAUSE, _) => Some(Wanted::Super(true)),
        _ => None,
    }
}
