//! File skeletons: the declarations of a file without the bodies of its methods. An edit inside of a body
//! does not change the skeleton, so that results which depend on declarations only stay valid.

use std::hash::{DefaultHasher, Hash, Hasher};

use rowan::{GreenNodeData, NodeOrToken};

use crate::syntax_kind::SyntaxKind::{self, *};
use crate::syntax_node::{GreenNode, SyntaxNode};
use apg_source::{TextRange, TextSize};

/// The syntax tree of a file's declarations. The bodies of methods, constructors and operators are empty,
/// except for bodies that declare classes or types; there are no blanks and comments between declarations.
#[derive(Clone, Debug, Eq)]
pub struct Skeleton(GreenNode);

impl Skeleton {
    /// The skeleton of a file, given its root.
    pub fn new(file: &GreenNode) -> Skeleton {
        Skeleton(strip(file))
    }

    /// The skeleton of `new`, if this is the skeleton of `old`. Only the member in which the two differ is
    /// examined; `None` unless they differ in one method or constructor without declarations.
    pub fn after(&self, old: &GreenNode, new: &GreenNode) -> Option<Skeleton> {
        strip_again(&self.0, old, new).map(Skeleton)
    }

    /// The skeleton as a syntax tree. Its positions are not those of the file.
    pub fn syntax(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.0.clone())
    }
}

impl PartialEq for Skeleton {
    fn eq(&self, other: &Skeleton) -> bool {
        same_tree(&self.0, &other.0)
    }
}

/// Equality of trees. Subtrees that both trees share in memory are not compared: most of a file after an
/// edit.
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

/// Number of tokens that distinguish most declarations of a file.
const HASHED_TOKENS: usize = 16;

/// A hash of a tree's text: of its length and its first `HASHED_TOKENS` tokens.
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

/// A node with declarations, without the bodies of their methods.
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

/// [`strip`] of `new`, computed incrementally: `skeleton` is [`strip`] of `old`.
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

/// Index in the skeleton of the child at `index` of the node.
fn nth_kept(node: &GreenNodeData, index: usize) -> usize {
    let is_kept = |child: &NodeOrToken<&GreenNodeData, &rowan::GreenTokenData>| match child {
        NodeOrToken::Token(token) => !SyntaxKind::from_raw(token.kind().0).is_trivia(),
        NodeOrToken::Node(_) => true,
    };
    node.children().take(index).filter(is_kept).count()
}

/// Whether both are methods or both are constructors, and neither contains a declaration ([`declares`]).
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

/// The only body or member in which two trees differ, if neither version of it contains a declaration
/// ([`declares`]). All other nodes, and the order of the declarations, are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeChange {
    /// Range of the body or member in the old tree.
    pub range: TextRange,
    /// Its length in the new tree.
    pub new_len: TextSize,
    /// Whether it is a body, so that the skeleton is the same too. Otherwise it is a method or constructor.
    pub is_body: bool,
}

/// Finds the only body or member in which two trees of a file differ. All other subtrees must be shared in
/// memory, as they are after an incremental reparse; otherwise the result is `None`.
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

/// The only child node that two versions of a node do not share in memory.
struct Difference<'a> {
    /// Index among all children.
    index: usize,
    /// Offset of the child in the parent.
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

/// Whether the node contains a class body or a type definition.
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
    fn skeleton_ignores_code_except_declarations() {
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
    fn only_changed_body_or_member_is_found() {
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
        // A whole member; the skeleton around it has no blanks and comments.
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
