//! A file without its code: what its declarations say, equal before and after an edit inside a body.

use std::hash::{DefaultHasher, Hash, Hasher};

use rowan::{GreenNodeData, NodeOrToken};

use crate::{GreenNode, SyntaxKind, SyntaxNode, TextRange, TextSize};

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

/// A number that trees of the same text, cut into the same tokens, have in common.
pub fn content(node: &GreenNodeData) -> u64 {
    fn add(node: &GreenNodeData, hasher: &mut DefaultHasher) {
        for child in node.children() {
            match child {
                NodeOrToken::Node(node) => add(node, hasher),
                NodeOrToken::Token(token) => token.text().hash(hasher),
            }
        }
    }
    let mut hasher = DefaultHasher::new();
    add(node, &mut hasher);
    hasher.finish()
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

fn is_body(node: &GreenNodeData) -> bool {
    matches!(kind(node), SyntaxKind::BLOCK | SyntaxKind::EXPR_BODY | SyntaxKind::CALL_BODY)
}

fn without_body(method: &GreenNodeData) -> GreenNode {
    let index = method.children().position(|child| child.into_node().is_some_and(is_body));
    let Some(index) = index else { return method.to_owned() };
    match method.children().nth(index).and_then(NodeOrToken::into_node) {
        Some(body) if !declares(body) => {
            let empty = GreenNode::new(body.kind(), []);
            method.replace_child(index, NodeOrToken::Node(empty))
        }
        _ => method.to_owned(),
    }
}

/// The one body in which two trees differ, where neither the old nor the new one declares anything: all else, and so the outline
/// and the order of what is declared, is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyChange {
    /// The body in the old tree.
    pub range: TextRange,
    /// How long it is in the new one.
    pub new_len: TextSize,
}

/// The body in which two trees of a file differ. What else they have in common must be the same pieces of memory, as it is when
/// one was made of the other by parsing a block again: where that is not known to be so, there is no answer.
pub fn body_change(old: &GreenNodeData, new: &GreenNodeData) -> Option<BodyChange> {
    use SyntaxKind::*;
    let (at, old_child, new_child) = only_difference(old, new)?;
    let change = match kind(old) {
        SOURCE_FILE | CLASS_DECL | STRUCT_DECL | INTERFACE_DECL | CLASS_BODY => {
            body_change(old_child, new_child)?
        }
        METHOD_DECL | CONSTRUCTOR_DECL | OPERATOR_DECL
            if is_body(old_child) && !is_empty(old_child) && !declares(old_child) && !declares(new_child) =>
        {
            let range = TextRange::up_to(old_child.text_len());
            return Some(BodyChange { range: range + at, new_len: new_child.text_len() });
        }
        _ => return None,
    };
    Some(BodyChange { range: change.range + at, ..change })
}

fn is_empty(node: &GreenNodeData) -> bool {
    node.text_len() == TextSize::new(0)
}

/// The one child, with its place, that is another piece of memory.
fn only_difference<'a>(
    old: &'a GreenNodeData,
    new: &'a GreenNodeData,
) -> Option<(TextSize, &'a GreenNodeData, &'a GreenNodeData)> {
    if old.kind() != new.kind() || old.children().len() != new.children().len() {
        return None;
    }
    let mut at = TextSize::new(0);
    let mut found = None;
    for pair in old.children().zip(new.children()) {
        let len = match pair {
            (NodeOrToken::Token(old), NodeOrToken::Token(new)) if std::ptr::eq(old, new) => old.text_len(),
            (NodeOrToken::Node(old), NodeOrToken::Node(new)) => {
                if !std::ptr::eq(old, new) {
                    if found.is_some() || old.kind() != new.kind() {
                        return None;
                    }
                    found = Some((at, old, new));
                }
                old.text_len()
            }
            _ => return None,
        };
        at += len;
    }
    found
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
    fn a_body_that_alone_is_another_is_found() {
        let text = "package p;\nclass A { def f() { g(1); } val x = 1; class B { def h() { while (true) { g(); } } } }\nclass C {}";
        let old = parse(text);
        let change = |from: &str, to: &str| {
            let new = text.replacen(from, to, 1);
            let parse = old.reparse_text(text, &new);
            let change = body_change(old.green(), parse.green());
            if change.is_some() {
                assert_eq!(Outline::new(old.green()), Outline::new(parse.green()));
            }
            change
                .map(|it| (text[std::ops::Range::<usize>::from(it.range)].to_owned(), u32::from(it.new_len)))
        };
        assert_eq!(change("g(1)", "g(123)"), Some(("{ g(1); }".into(), 11)));
        assert_eq!(change("g();", ""), Some(("{ while (true) { g(); } }".into(), 21)));
        assert_eq!(change("g(1)", "class L { }"), None);
        assert_eq!(change("x = 1", "x = 2"), None);
        assert_eq!(change("class C", "class D"), None);
        assert_eq!(change("g(1);", "g(1); }"), None);
    }
}
