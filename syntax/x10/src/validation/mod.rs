//! Validation: rules of the language that the grammar does not express. Each looks at a node, its children
//! and its ancestors, so that one pass over the tree checks all.

mod decls;
mod exprs;
mod foreign;
mod modifiers;
mod operators;

use rowan::{GreenNodeData, GreenTokenData, NodeOrToken};

use crate::syntax_error::SyntaxError;
use crate::syntax_kind::SyntaxKind;
use apg_source::{TextRange, TextSize};

/// Validates a tree.
pub(crate) fn validate(root: &GreenNodeData) -> Vec<SyntaxError> {
    let mut errors = Vec::new();
    below(Path { open: Vec::new() }, Node { green: root, start: TextSize::new(0) }, &mut errors);
    errors
}

/// What is wrong with the nodes that hold the piece of text `range`, a node's, and with all nodes inside it;
/// or only with those that hold it. All others do not see what is inside.
pub(crate) fn validate_around(root: &GreenNodeData, range: TextRange, inside: bool) -> Vec<SyntaxError> {
    let mut errors = Vec::new();
    let mut path = Path { open: Vec::new() };
    let mut node = Node { green: root, start: TextSize::new(0) };
    while let Some(next) = node.nodes().find(|it| it.range().contains_range(range)) {
        check(node, &path, &mut errors);
        path.open.push(node);
        node = next;
    }
    if inside {
        below(path, node, &mut errors);
    }
    errors
}

/// Validates a node and all nodes below it.
fn below<'a>(mut path: Path<'a>, node: Node<'a>, errors: &mut Vec<SyntaxError>) {
    // A stack of our own, not the thread's: nodes whose children are still to come.
    let mut pending = vec![(path.open.len(), node)];
    while let Some((depth, node)) = pending.pop() {
        path.open.truncate(depth);
        check(node, &path, errors);
        path.open.push(node);
        let first = pending.len();
        pending.extend(node.nodes().map(|it| (depth + 1, it)));
        pending[first..].reverse();
    }
}

fn check(node: Node<'_>, path: &Path<'_>, errors: &mut Vec<SyntaxError>) {
    use SyntaxKind::*;
    match node.kind() {
        SOURCE_FILE => decls::order(node, errors),
        MODIFIER_LIST => modifiers::check(node, path, errors),
        CLASS_DECL | STRUCT_DECL | INTERFACE_DECL => decls::heritage(node, errors),
        TYPE_PARAM => decls::variance(node, errors),
        TYPE_DEF => decls::type_def(node, errors),
        FIELD_DECL => decls::field(node, errors),
        LOCAL_DECL => decls::local(node, errors),
        OPERATOR_DECL => operators::declaration(node, errors),
        OPERATOR_NAME => operators::name(node, errors),
        DECLARATOR => foreign::declarator(node, path, errors),
        FORMAL => foreign::formal(node, path, errors),
        METHOD_DECL => foreign::method(node, errors),
        FOR_IN_STMT | AT_EACH_STMT => {
            decls::loop_variable(node, errors);
            foreign::loop_variable(node, errors);
        }
        CATCH_CLAUSE => decls::catch(node, path, errors),
        CONSTRUCTOR_CALL_STMT => decls::constructor_call(node, path, errors),
        CLOSURE_EXPR => exprs::closure(node, errors),
        TYPE_EXPR => exprs::type_expr(node, path, errors),
        BIN_EXPR => exprs::type_equality(node, errors),
        SUPER_EXPR => exprs::super_expr(node, path, errors),
        LITERAL => exprs::literal(node, errors),
        _ => {}
    }
}

/// The ancestors of the checked node, outermost first.
struct Path<'a> {
    open: Vec<Node<'a>>,
}

impl<'a> Path<'a> {
    fn parent(&self) -> Option<Node<'a>> {
        self.open.last().copied()
    }

    fn grandparent(&self) -> Option<Node<'a>> {
        self.open.len().checked_sub(2).map(|it| self.open[it])
    }

    /// The kind of the class, struct or interface around.
    fn class(&self) -> Option<SyntaxKind> {
        let kinds = self.open.iter().rev().map(|it| it.kind());
        kinds.into_iter().find(|it| {
            matches!(it, SyntaxKind::CLASS_DECL | SyntaxKind::STRUCT_DECL | SyntaxKind::INTERFACE_DECL)
        })
    }
}

/// A node without the cost of a cursor: what it holds, and where it starts.
#[derive(Clone, Copy)]
struct Node<'a> {
    green: &'a GreenNodeData,
    start: TextSize,
}

#[derive(Clone, Copy)]
struct Token<'a> {
    green: &'a GreenTokenData,
    start: TextSize,
}

impl<'a> Node<'a> {
    fn kind(self) -> SyntaxKind {
        SyntaxKind::from_raw(self.green.kind().0)
    }

    fn range(self) -> TextRange {
        TextRange::at(self.start, self.green.text_len())
    }

    fn elements(self) -> impl Iterator<Item = NodeOrToken<Node<'a>, Token<'a>>> {
        let mut start = self.start;
        self.green.children().map(move |child| {
            let here = start;
            match child {
                NodeOrToken::Node(green) => {
                    start += green.text_len();
                    NodeOrToken::Node(Node { green, start: here })
                }
                NodeOrToken::Token(green) => {
                    start += green.text_len();
                    NodeOrToken::Token(Token { green, start: here })
                }
            }
        })
    }

    fn nodes(self) -> impl Iterator<Item = Node<'a>> {
        self.elements().filter_map(NodeOrToken::into_node)
    }

    /// The tokens, without trivia.
    fn tokens(self) -> impl Iterator<Item = Token<'a>> {
        self.elements().filter_map(NodeOrToken::into_token).filter(|it| !it.kind().is_trivia())
    }

    fn child(self, kind: SyntaxKind) -> Option<Node<'a>> {
        self.nodes().find(|it| it.kind() == kind)
    }

    fn token(self, kind: SyntaxKind) -> Option<Token<'a>> {
        self.tokens().find(|it| it.kind() == kind)
    }

    /// The modifier of this kind, if the declaration has it.
    fn modifier(self, kind: SyntaxKind) -> Option<Token<'a>> {
        self.child(SyntaxKind::MODIFIER_LIST)?.token(kind)
    }
}

impl Token<'_> {
    fn kind(self) -> SyntaxKind {
        SyntaxKind::from_raw(self.green.kind().0)
    }

    fn range(self) -> TextRange {
        TextRange::at(self.start, self.green.text_len())
    }
}

fn error(errors: &mut Vec<SyntaxError>, range: TextRange, message: impl Into<String>, hint: &str) {
    let error = SyntaxError::new(range, message);
    errors.push(if hint.is_empty() { error } else { error.with_hint(hint) });
}
