//! A file without its code: what its declarations say, equal before and after an edit inside a body.

use rowan::{GreenNodeData, NodeOrToken};

use crate::{GreenNode, SyntaxKind, SyntaxNode};

/// The declarations of a file. The bodies of methods, constructors and operators are empty, except for those that declare
/// classes or types; blanks and comments between declarations are gone.
#[derive(Clone, Debug, Eq)]
pub struct Outline(GreenNode);

impl Outline {
    /// The outline of the root of a file.
    pub fn new(file: &GreenNode) -> Outline {
        Outline(strip(file))
    }

    /// As a tree. Its positions are not those of the file.
    pub fn syntax(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.0.clone())
    }
}

impl PartialEq for Outline {
    fn eq(&self, other: &Outline) -> bool {
        same_tree(&self.0, &other.0)
    }
}

/// Equality that stops where both are the same piece of memory: most of a file after an edit.
pub fn same_tree(a: &GreenNodeData, b: &GreenNodeData) -> bool {
    if std::ptr::eq(a, b) {
        return true;
    }
    if a.kind() != b.kind() || a.text_len() != b.text_len() {
        return false;
    }
    let (a, b) = (a.children(), b.children());
    a.len() == b.len()
        && a.zip(b).all(|pair| match pair {
            (NodeOrToken::Node(a), NodeOrToken::Node(b)) => same_tree(a, b),
            (NodeOrToken::Token(a), NodeOrToken::Token(b)) => std::ptr::eq(a, b) || a == b,
            _ => false,
        })
}

fn kind(node: &GreenNodeData) -> SyntaxKind {
    SyntaxKind::from_raw(node.kind().0)
}

/// A node that holds declarations, without their code.
fn strip(node: &GreenNodeData) -> GreenNode {
    use SyntaxKind::*;
    let children = node.children().filter_map(|child| match child {
        NodeOrToken::Token(token) => {
            let is_trivia = SyntaxKind::from_raw(token.kind().0).is_trivia();
            (!is_trivia).then(|| NodeOrToken::Token(token.to_owned()))
        }
        NodeOrToken::Node(child) => Some(NodeOrToken::Node(match kind(child) {
            CLASS_DECL | STRUCT_DECL | INTERFACE_DECL | CLASS_BODY => strip(child),
            METHOD_DECL | CONSTRUCTOR_DECL | OPERATOR_DECL => without_body(child),
            _ => child.to_owned(),
        })),
    });
    GreenNode::new(node.kind(), children.collect::<Vec<_>>())
}

fn without_body(method: &GreenNodeData) -> GreenNode {
    use SyntaxKind::{BLOCK, CALL_BODY, EXPR_BODY};
    let is_body = |child: NodeOrToken<&GreenNodeData, _>| {
        child.into_node().is_some_and(|it| matches!(kind(it), BLOCK | EXPR_BODY | CALL_BODY))
    };
    let Some(index) = method.children().position(is_body) else { return method.to_owned() };
    match method.children().nth(index).and_then(NodeOrToken::into_node) {
        Some(body) if !declares(body) => {
            let empty = GreenNode::new(body.kind(), []);
            method.replace_child(index, NodeOrToken::Node(empty))
        }
        _ => method.to_owned(),
    }
}

/// Whether classes or type definitions stand anywhere inside.
pub fn declares(node: &GreenNodeData) -> bool {
    node.children()
        .filter_map(NodeOrToken::into_node)
        .any(|child| matches!(kind(child), SyntaxKind::CLASS_BODY | SyntaxKind::TYPE_DEF) || declares(child))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn outline(text: &str) -> Outline {
        Outline::new(parse(text).green())
    }

    #[test]
    fn code_does_not_matter_but_what_it_declares_does() {
        let text = "class A { def f(x:Int) { g(); } def g() = 1; val x = 1; def this() { new B() { } } }";
        let of = |from, to| outline(&text.replace(from, to));
        assert_eq!(of("", ""), outline(text));
        assert_eq!(of("g();", "h(1); { }"), outline(text));
        assert_eq!(of("= 1; val", "= 2 + 3; val"), outline(text));
        assert_eq!(of("val x", "// c\n\nval x"), outline(text));
        assert_ne!(of("x:Int", "x:Long"), outline(text));
        assert_ne!(of("val x = 1", "val x = 2"), outline(text));
        assert_ne!(of("B() { }", "B() { val y = 1; }"), outline(text));
        assert_ne!(of("g();", "class L { }"), outline(text));
        assert_ne!(of("{ g(); }", ";"), outline(text));
    }
}
