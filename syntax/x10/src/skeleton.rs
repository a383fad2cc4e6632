//! File skeletons: the declarations of a file without its bodies, equal before and after an edit inside a
//! body.

use std::hash::{DefaultHasher, Hash, Hasher};

use rowan::{GreenNodeData, NodeOrToken};

use crate::syntax_kind::SyntaxKind::{self, *};
use crate::syntax_node::{GreenNode, SyntaxNode};
use apg_source::{TextRange, TextSize};

/// The declarations of a file. The bodies of methods, constructors and operators are empty, except for those
/// that declare classes or types; blanks and comments between declarations are gone.
#[derive(Clone, Debug, Eq)]
pub struct Skeleton(GreenNode);

impl Skeleton {
    /// The skeleton of the root of a file.
    pub fn new(file: &GreenNode) -> Skeleton {
        Skeleton(strip(file))
    }

    /// The skeleton of `new`, where this is that of `old`: only the member in which both differ is examined.
    /// `None` unless they differ in one method or constructor that declares nothing.
    pub fn after(&self, old: &GreenNode, new: &GreenNode) -> Option<Skeleton> {
        strip_again(&self.0, old, new).map(Skeleton)
    }

    /// As a tree. Its positions are not those of the file.
    pub fn syntax(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.0.clone())
    }
}

impl PartialEq for Skeleton {
    fn eq(&self, other: &Skeleton) -> bool {
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

/// Tokens that distinguish most declarations of a file.
const HASHED_TOKENS: usize = 16;

/// A number that trees of the same text, cut into the same tokens, have in common, and few others: it is made
/// of the length and of how the text begins.
pub fn label(node: &GreenNodeData) -> u64 {
    fn add(node: &GreenNodeData, left: &mut usize, hasher: &mut DefaultHasher) {
        for child in node.children() {
            if *left == 0 {
                return;
            }
            match child {
                NodeOrToken::Node(node) => add(node, left, hasher),
                NodeOrToken::Token(token) => {
                    token.text().hash(hasher);
                    *left -= 1;
                }
            }
        }
    }
    let mut hasher = DefaultHasher::new();
    u32::from(node.text_len()).hash(&mut hasher);
    add(node, &mut HASHED_TOKENS.clone(), &mut hasher);
    hasher.finish()
}

fn kind(node: &GreenNodeData) -> SyntaxKind {
    SyntaxKind::from_raw(node.kind().0)
}

/// A node that holds declarations, without their code.
fn strip(node: &GreenNodeData) -> GreenNode {
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

/// [`strip`] of `new`, where `skeleton` is that of `old`.
fn strip_again(skeleton: &GreenNodeData, old: &GreenNodeData, new: &GreenNodeData) -> Option<GreenNode> {
    let Difference { index, old: old_child, new: new_child, .. } = only_difference(old, new)?;
    let stripped = match kind(old) {
        CLASS_BODY if is_code(old_child, new_child) => without_body(new_child),
        SOURCE_FILE | CLASS_DECL | STRUCT_DECL | INTERFACE_DECL | CLASS_BODY => {
            strip_again(skeleton.children().nth(nth_kept(old, index))?.into_node()?, old_child, new_child)?
        }
        _ => return None,
    };
    Some(skeleton.replace_child(nth_kept(old, index), NodeOrToken::Node(stripped)))
}

/// Which child of the skeleton stands for the child at `index`.
fn nth_kept(node: &GreenNodeData, index: usize) -> usize {
    let is_kept = |child: &NodeOrToken<&GreenNodeData, &rowan::GreenTokenData>| match child {
        NodeOrToken::Token(token) => !SyntaxKind::from_raw(token.kind().0).is_trivia(),
        NodeOrToken::Node(_) => true,
    };
    node.children().take(index).filter(is_kept).count()
}

/// Whether both are methods or both are constructors, and neither declares anything.
fn is_code(old: &GreenNodeData, new: &GreenNodeData) -> bool {
    old.kind() == new.kind()
        && matches!(kind(old), METHOD_DECL | CONSTRUCTOR_DECL)
        && !declares(old)
        && !declares(new)
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

/// The one piece in which two trees differ, where neither the old nor the new one declares anything: all
/// else, and the order of what is declared, is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeChange {
    /// The piece in the old tree.
    pub range: TextRange,
    /// How long it is in the new one.
    pub new_len: TextSize,
    /// It is a body, so that the skeleton is the same too. Else it is a method or constructor.
    pub is_body: bool,
}

/// The piece of code in which two trees of a file differ. What else they have in common must be the same
/// pieces of memory, as it is when one was made of the other by parsing a block or member again: where that
/// is not known to be so, there is no answer.
pub fn code_change(old: &GreenNodeData, new: &GreenNodeData) -> Option<CodeChange> {
    let Difference { at, old: old_child, new: new_child, .. } = only_difference(old, new)?;
    let whole = |is_body| {
        let range = TextRange::up_to(old_child.text_len());
        CodeChange { range: range + at, new_len: new_child.text_len(), is_body }
    };
    match kind(old) {
        SOURCE_FILE | CLASS_DECL | STRUCT_DECL | INTERFACE_DECL | CLASS_BODY => {
            let inside =
                code_change(old_child, new_child).map(|it| CodeChange { range: it.range + at, ..it });
            inside
                .or_else(|| (kind(old) == CLASS_BODY && is_code(old_child, new_child)).then(|| whole(false)))
        }
        METHOD_DECL | CONSTRUCTOR_DECL | OPERATOR_DECL => {
            let is_plain = |body| is_body(body) && !is_empty(body) && !declares(body);
            (is_plain(old_child) && !declares(new_child)).then(|| whole(true))
        }
        _ => None,
    }
}

fn is_empty(node: &GreenNodeData) -> bool {
    node.text_len() == TextSize::new(0)
}

/// The one child that is another piece of memory.
struct Difference<'a> {
    /// Among all children.
    index: usize,
    /// Where it starts in the parent.
    at: TextSize,
    old: &'a GreenNodeData,
    new: &'a GreenNodeData,
}

fn only_difference<'a>(old: &'a GreenNodeData, new: &'a GreenNodeData) -> Option<Difference<'a>> {
    if old.kind() != new.kind() || old.children().len() != new.children().len() {
        return None;
    }
    let mut at = TextSize::new(0);
    let mut found = None;
    for (index, pair) in old.children().zip(new.children()).enumerate() {
        let len = match pair {
            (NodeOrToken::Token(old), NodeOrToken::Token(new)) if std::ptr::eq(old, new) => old.text_len(),
            (NodeOrToken::Node(old), NodeOrToken::Node(new)) => {
                if !std::ptr::eq(old, new) {
                    if found.is_some() || old.kind() != new.kind() {
                        return None;
                    }
                    found = Some(Difference { index, at, old, new });
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
    use crate::parse::parse;

    fn skeleton(text: &str) -> Skeleton {
        Skeleton::new(parse(text).green())
    }

    #[test]
    fn code_does_not_matter_but_what_it_declares_does() {
        let text = "class A { def f(x:Int) { g(); } def g() = 1; val x = 1; def this() { new B() { } } }";
        let of = |from, to| skeleton(&text.replace(from, to));
        assert_eq!(of("", ""), skeleton(text));
        assert_eq!(of("g();", "h(1); { }"), skeleton(text));
        assert_eq!(of("= 1; val", "= 2 + 3; val"), skeleton(text));
        assert_eq!(of("val x", "// c\n\nval x"), skeleton(text));
        assert_ne!(of("x:Int", "x:Long"), skeleton(text));
        assert_ne!(of("val x = 1", "val x = 2"), skeleton(text));
        assert_ne!(of("B() { }", "B() { val y = 1; }"), skeleton(text));
        assert_ne!(of("g();", "class L { }"), skeleton(text));
        assert_ne!(of("{ g(); }", ";"), skeleton(text));
    }

    #[test]
    fn a_piece_of_code_that_alone_is_another_is_found() {
        let text = "package p;\nclass A { def this(a:Long) { } def f() { g(1); } val x = 1; class B { def h() { while (true) { g(); } } } }\nclass C {}";
        let old = parse(text);
        let change = |from: &str, to: &str| {
            let new = text.replacen(from, to, 1);
            let parse = old.reparse_text(text, &new);
            let change = code_change(old.green(), parse.green());
            let (skeleton, new_skeleton) = (Skeleton::new(old.green()), Skeleton::new(parse.green()));
            if let Some(change) = change {
                let after = skeleton.after(old.green(), parse.green());
                assert!(!change.is_body || skeleton == new_skeleton);
                assert!(change.is_body || after.as_ref() == Some(&new_skeleton), "{after:?}");
            }
            change
                .map(|it| (text[std::ops::Range::<usize>::from(it.range)].to_owned(), u32::from(it.new_len)))
        };
        assert_eq!(change("g(1)", "g(123)"), Some(("{ g(1); }".into(), 11)));
        assert_eq!(change("g();", ""), Some(("{ while (true) { g(); } }".into(), 21)));
        // A whole member: what surrounds it in the skeleton has no blanks and comments.
        assert_eq!(change("f() {", "ff(): Long {"), Some(("def f() { g(1); }".into(), 24)));
        assert_eq!(change("(a:Long)", "(aa:Long)"), Some(("def this(a:Long) { }".into(), 21)));
        assert_eq!(change("h() {", "h(x: B) {").map(|it| it.1), Some(37));
        assert_eq!(change("f() {", "f(x: B) { class L { } "), None);
        assert_eq!(change("g(1)", "class L { }"), None);
        assert_eq!(change("x = 1", "x = 2"), None);
        assert_eq!(change("class C", "class D"), None);
        assert_eq!(change("g(1);", "g(1); }"), None);
    }
}
