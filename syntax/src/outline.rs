//! A file without its code: what its declarations say, equal before and after an edit inside a body.

use std::hash::{Hash, Hasher};

use rowan::{GreenNodeData, GreenToken, GreenTokenData, NodeOrToken};

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

    /// The outline of `new`, where this is that of `old`. What both share of the tree is not looked at again.
    #[must_use]
    pub fn after(&self, old: &GreenNode, new: &GreenNode) -> Outline {
        Outline(strip_after(&self.0, old, new))
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

/// Hashes what a tree consists of.
pub fn hash_tree(node: &GreenNodeData, hasher: &mut impl Hasher) {
    node.kind().0.hash(hasher);
    for child in node.children() {
        match child {
            NodeOrToken::Node(node) => hash_tree(node, hasher),
            NodeOrToken::Token(token) => token.text().hash(hasher),
        }
    }
}

fn kind(node: &GreenNodeData) -> SyntaxKind {
    SyntaxKind::from_raw(node.kind().0)
}

/// What is left of a child of a node that holds declarations.
fn strip_child(child: Element<'_>) -> Option<Child> {
    use SyntaxKind::*;
    match child {
        NodeOrToken::Token(token) => (!is_trivia(token)).then(|| NodeOrToken::Token(token.to_owned())),
        NodeOrToken::Node(child) => Some(NodeOrToken::Node(match kind(child) {
            _ if holds_declarations(child) => strip(child),
            METHOD_DECL | CONSTRUCTOR_DECL | OPERATOR_DECL => without_body(child),
            _ => child.to_owned(),
        })),
    }
}

fn holds_declarations(node: &GreenNodeData) -> bool {
    use SyntaxKind::{CLASS_BODY, CLASS_DECL, INTERFACE_DECL, STRUCT_DECL};
    matches!(kind(node), CLASS_DECL | STRUCT_DECL | INTERFACE_DECL | CLASS_BODY)
}

type Element<'a> = NodeOrToken<&'a GreenNodeData, &'a GreenTokenData>;
type Child = NodeOrToken<GreenNode, GreenToken>;

fn is_trivia(token: &GreenTokenData) -> bool {
    SyntaxKind::from_raw(token.kind().0).is_trivia()
}

/// A node that holds declarations, without their code.
fn strip(node: &GreenNodeData) -> GreenNode {
    GreenNode::new(node.kind(), node.children().filter_map(strip_child).collect::<Vec<_>>())
}

/// The same, where `stripped` is what is left of `old`. What both share is found where it stands from the first child on or from
/// the last.
fn strip_after(stripped: &GreenNodeData, old: &GreenNodeData, new: &GreenNodeData) -> GreenNode {
    let (was, now) = (solid(old), solid(new));
    let left: Vec<Element<'_>> = stripped.children().collect();
    let children = now.iter().enumerate().filter_map(|(at, child)| {
        let from_last = (at + was.len()).checked_sub(now.len());
        let beside = [Some(at), from_last].map(|at| Some((*was.get(at?)?, *left.get(at?)?)));
        let known = |how: fn(_, _, _) -> _| {
            beside.into_iter().flatten().find_map(|(was, left)| how(left, was, *child))
        };
        known(shared).or_else(|| known(alike)).or_else(|| strip_child(*child))
    });
    GreenNode::new(new.kind(), children.collect::<Vec<_>>())
}

/// What is left of a child that has not changed.
fn shared(left: Element<'_>, was: Element<'_>, now: Element<'_>) -> Option<Child> {
    let is_same =
        matches!((was, now), (NodeOrToken::Node(was), NodeOrToken::Node(now)) if std::ptr::eq(was, now));
    Some(NodeOrToken::Node(left.into_node().filter(|_| is_same)?.to_owned()))
}

/// What is left of a child that holds declarations and has changed inside.
fn alike(left: Element<'_>, was: Element<'_>, now: Element<'_>) -> Option<Child> {
    let (left, was, now) = (left.into_node()?, was.into_node()?, now.into_node()?);
    (kind(was) == kind(now) && holds_declarations(now))
        .then(|| NodeOrToken::Node(strip_after(left, was, now)))
}

/// The children that are left, if with less in them.
fn solid(node: &GreenNodeData) -> Vec<Element<'_>> {
    node.children().filter(|child| !child.as_token().is_some_and(|token| is_trivia(token))).collect()
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

    #[test]
    fn an_outline_after_an_edit_is_that_of_the_new_text() {
        let text = "package p; import q.*; class A { def f(x:Int) { g(); } /* c */ class I { def h() = 1; } val x = 1; } struct B { }";
        let old = parse(text);
        let edits = [
            ("g();", "h();"),
            ("g();", "class L { }"),
            ("= 1; }", "= 2; def more() { } }"),
            ("x:Int", "x:Long"),
            ("class A", "interface N { } class A"),
            ("import q.*; ", ""),
            ("/* c */", ""),
            ("struct B { }", "class B { def f(x:Int) { } }"),
            ("class I { def h() = 1; }", ""),
            ("{ g(); }", "{ g( }"),
        ];
        for (from, to) in edits {
            let (before, after) = (text, text.replacen(from, to, 1));
            let new = old.reparse_text(before, &after);
            assert_eq!(Outline::new(old.green()).after(old.green(), new.green()), outline(&after), "{to}");
        }
    }
}
