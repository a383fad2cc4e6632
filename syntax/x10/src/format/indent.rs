//! Indentation of lines. A line in brackets is one level deeper than the line on which the bracket opens; a
//! continuation of a statement or declaration is one level deeper than the line on which that starts.

use rustc_hash::FxHashMap;

/// Columns of a level of indentation.
pub(super) const INDENT_COLUMNS: usize = 4;

use crate::ast::{AstNode, Stmt};
use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::{SyntaxElement, SyntaxNode, SyntaxToken};
use apg_source::TextSize;

/// The brackets that are open: for each, the indentation of the line it is on.
#[derive(Default)]
pub(super) struct Indenter {
    open: Vec<usize>,
}

impl Indenter {
    /// Notes a token that was placed.
    pub(super) fn take(&mut self, token: &SyntaxToken, line_indent: usize) {
        match token.kind() {
            T!['('] | T!['['] | T!['{'] => self.open.push(line_indent),
            T![')'] | T![']'] | T!['}'] => {
                self.open.pop();
            }
            _ => {}
        }
    }

    /// The indentation of the line that starts with `tokens[index]`. Comments stand where what follows them
    /// does, before a closing bracket where the lines in the brackets do.
    pub(super) fn indent_of_line(
        &self,
        tokens: &[SyntaxToken],
        index: usize,
        indents: &FxHashMap<TextSize, usize>,
    ) -> usize {
        let inside = self.open.last().map_or(0, |it| it + INDENT_COLUMNS);
        let Some(token) = tokens[index..].iter().find(|it| !it.kind().is_comment()) else { return 0 };
        let is_comment = tokens[index].kind().is_comment();
        match token.kind() {
            T!['}'] | T![')'] | T![']'] if is_comment => inside,
            T!['}'] | T![')'] | T![']'] => self.open.last().copied().unwrap_or(0),
            _ => line_context(token).indent(inside, indents),
        }
    }
}

/// What decides the indentation of a line.
enum LineContext {
    /// An element of what is in the innermost brackets, or of the file.
    Element,
    /// A statement after the labels of a `switch`.
    Labelled,
    /// A part that stands as far left as this node.
    Aligned(SyntaxNode),
    /// A part that stands one level right of this node.
    Continued(SyntaxNode),
}

impl LineContext {
    fn indent(self, inside: usize, indents: &FxHashMap<TextSize, usize>) -> usize {
        let line_of = |node: &SyntaxNode| indents.get(&node.text_range().start()).copied().unwrap_or(inside);
        match self {
            LineContext::Element => inside,
            LineContext::Labelled => inside + INDENT_COLUMNS,
            LineContext::Aligned(node) => line_of(&node),
            LineContext::Continued(node) => line_of(&node) + INDENT_COLUMNS,
        }
    }
}

fn line_context(token: &SyntaxToken) -> LineContext {
    use SyntaxKind::*;
    let start = token.text_range().start();
    let Some(mut parent) = token.parent() else { return LineContext::Element };
    let mut first = SyntaxElement::Token(token.clone());
    // The outermost node that starts with the token, and what that is part of.
    while parent.text_range().start() == start {
        let Some(next) = parent.parent() else { return LineContext::Element };
        first = SyntaxElement::Node(parent);
        parent = next;
    }
    if parent.kind() == SOURCE_FILE || is_list(parent.kind()) {
        return LineContext::Element;
    }
    match (parent.kind(), first.kind()) {
        (BLOCK, _) if !matches!(first.kind(), T!['{'] | ANNOTATION) => return LineContext::Element,
        (SWITCH_GROUP, SWITCH_LABEL) => return LineContext::Element,
        (SWITCH_GROUP, _) => return LineContext::Labelled,
        (_, T![else] | CATCH_CLAUSE | FINALLY_CLAUSE | ELSE_CLAUSE) | (DO_STMT, T![while]) => {
            return LineContext::Aligned(parent);
        }
        (LABELED_STMT, _) | (MODIFIER_LIST, _) => return LineContext::Aligned(parent),
        (_, BLOCK | CLASS_BODY | SWITCH_BLOCK | T!['{']) if !is_condition(parent.kind()) => {
            return LineContext::Aligned(unit(&parent));
        }
        _ => {}
    }
    if only_modifiers_before(&first) {
        return LineContext::Aligned(parent);
    }
    LineContext::Continued(unit(&parent))
}

/// Nodes whose brackets hold elements that start lines.
pub(super) fn is_list(kind: SyntaxKind) -> bool {
    use SyntaxKind::*;
    is_condition(kind)
        || matches!(
            kind,
            CLASS_BODY
                | SWITCH_BLOCK
                | ARG_LIST
                | FORMAL_LIST
                | RAIL_EXPR
                | TYPE_ARG_LIST
                | TYPE_PARAM_LIST
                | PROPERTY_LIST
                | POINT_PATTERN
        )
}

fn is_condition(kind: SyntaxKind) -> bool {
    matches!(kind, SyntaxKind::GUARD | SyntaxKind::CONSTRAINT)
}

/// Whether everything before `element` in its node is modifiers and annotations.
fn only_modifiers_before(element: &SyntaxElement) -> bool {
    let mut before = element.prev_sibling_or_token();
    let mut any = false;
    while let Some(it) = before {
        match it.kind() {
            SyntaxKind::MODIFIER_LIST | SyntaxKind::ANNOTATION => any = true,
            kind if kind.is_trivia() => {}
            _ => return false,
        }
        before = it.prev_sibling_or_token();
    }
    any
}

/// The smallest statement, declaration or element of a list around `node`.
pub(super) fn unit(node: &SyntaxNode) -> SyntaxNode {
    let is_unit = |it: &SyntaxNode| {
        let in_list = it.parent().is_none_or(|it| is_list(it.kind()) || it.kind() == SyntaxKind::SOURCE_FILE);
        in_list || (Stmt::can_cast(it.kind()) && it.kind() != SyntaxKind::BLOCK)
    };
    node.ancestors().find(is_unit).unwrap_or_else(|| node.clone())
}
