//! Incremental reparsing (block reparse, as in rust-analyzer): parses only the smallest block or member
//! around an edit, if the rest of the file is unaffected. The result always equals a parse of the whole new
//! text; property tests compare the two.

use rowan::{GreenNodeData, NodeOrToken};

use crate::lexer::Lexed;
use crate::parse::Parse;
use crate::parser::input::Input;
use crate::parser::limits::DEPTH_LIMIT;
use crate::parser::{self, Entry};
use crate::syntax_error::SyntaxError;
use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::SyntaxNode;
use crate::{lexer, tree, validation};
use apg_source::{Edit, TextRange, TextSize};

impl Parse {
    /// The parse of the edited text. `edit.range` must lie within the text, between characters.
    pub fn reparse(&self, edit: &Edit) -> Parse {
        let mut text = self.syntax().to_string();
        self.reparse_piece(edit, &text).unwrap_or_else(|| {
            edit.apply(&mut text);
            crate::parse::parse(&text)
        })
    }

    /// The parse of `new`, if this is the parse of `old`. The edit is the difference of the two sources.
    pub fn reparse_text(&self, old: &str, new: &str) -> Parse {
        match Edit::between(old, new) {
            None => self.clone(),
            Some(edit) => self.reparse_piece(&edit, old).unwrap_or_else(|| crate::parse::parse(new)),
        }
    }

    /// [`Parse::reparse`], if one block or member suffices. `text` is the text of the tree; the caller has it
    /// already.
    fn reparse_piece(&self, edit: &Edit, text: &str) -> Option<Parse> {
        // With unbalanced braces, their pairs depend on the whole text.
        if self.unbalanced {
            return None;
        }
        let root = self.syntax();
        let mut node = match root.covering_element(edit.range) {
            NodeOrToken::Node(node) => node,
            NodeOrToken::Token(token) => token.parent()?,
        };
        loop {
            let parse = match is_member(&node) {
                true => self.reparse_member(&node, edit, text),
                false => self.reparse_block(&node, edit, text),
            };
            if parse.is_some() {
                return parse;
            }
            node = node.parent()?;
        }
    }

    fn reparse_block(&self, node: &SyntaxNode, edit: &Edit, text: &str) -> Option<Parse> {
        let entry = entry(node)?;
        // The block must have both of its braces: otherwise it may have taken those of another block.
        let inside = TextRange::new(
            node.first_child_or_token().filter(|it| it.kind() == T!['{'])?.text_range().end(),
            node.last_child_or_token().filter(|it| it.kind() == T!['}'])?.text_range().start(),
        );
        if !inside.contains_range(edit.range) || node.ancestors().any(|it| it.kind() == SyntaxKind::ERROR) {
            return None;
        }
        // The replacement text of an error around the block contains the text of the block.
        let is_rewritten =
            |it: &SyntaxError| it.replacement.is_some() && it.range.contains_range(node.text_range());
        if self.syntax_errors().iter().any(is_rewritten) {
            return None;
        }
        let old_seen = Seen::new(text.get(std::ops::Range::<usize>::from(node.text_range()))?)?;
        let piece = Piece::parse(node, edit, text, entry, |input: &Input, lexed: &Lexed, text: &str| {
            Seen::of(input, lexed, text).as_ref() == Some(&old_seen)
        })?;
        let is_closed =
            |it: NodeOrToken<_, &rowan::GreenTokenData>| it.kind() == rowan::SyntaxKind(T!['}'] as u16);
        if !piece.green.children().next_back().is_some_and(is_closed)
            || has_tail(&piece.green) != has_tail(&node.green())
        {
            return None;
        }
        self.with(node, piece)
    }

    /// Reparses a member. If the file has no errors, the parse of the surrounding text depends only on
    /// [`SeenMember`].
    fn reparse_member(&self, node: &SyntaxNode, edit: &Edit, text: &str) -> Option<Parse> {
        if !self.syntax_errors().is_empty() || !node.ancestors().skip(1).all(|it| holds_members(it.kind())) {
            return None;
        }
        let (first, last) = (node.first_token()?.text_range(), node.last_token()?);
        let is_inside = edit.range.start() > first.start() && edit.range.end() <= last.text_range().start();
        if !is_inside || !matches!(last.kind(), T![;] | T!['}']) {
            return None;
        }
        // Braces before `;` may be a condition.
        if last.kind() == T!['}'] && is_before_semicolon(node) {
            return None;
        }
        let old = text.get(std::ops::Range::<usize>::from(node.text_range()))?;
        let old_seen = SeenMember::of(&Input::new(&lexer::lex(old), old))?;
        let same = |input: &Input, _: &Lexed, _: &str| SeenMember::of(input).as_ref() == Some(&old_seen);
        let piece = Piece::parse(node, edit, text, Entry::Member, same)?;
        if !piece.errors.is_empty() {
            return None;
        }
        self.with(node, piece)
    }

    /// This parse with a piece in place of a node.
    fn with(&self, node: &SyntaxNode, piece: Piece) -> Option<Parse> {
        let depth = node.ancestors().count() + depth(&piece.green);
        if depth * 2 >= DEPTH_LIMIT as usize {
            return None;
        }
        let (old, new_len) = (node.text_range(), piece.green.text_len());
        let of_node = |it: &SyntaxError| is_member(node) && it.range.start() == old.start();
        let errors = piece.errors.into_iter().map(|it| SyntaxError { range: it.range + old.start(), ..it });
        let errors = outside(self.syntax_errors(), old, new_len).chain(errors).collect();
        let green = node.replace_with(piece.green);
        // Validation errors of the nodes around the piece may have changed with it.
        let around = validation::validate_around(self.green(), old, false);
        let others = self.invalid().iter().filter(|it| !around.contains(it) && !of_node(it));
        let others: Vec<SyntaxError> = others.cloned().collect();
        let new = TextRange::at(old.start(), new_len);
        let mut invalid = validation::validate_around(&green, new, true);
        invalid.extend(outside(&others, old, new_len));
        Some(Parse::new(green, errors, invalid, false))
    }
}

/// A block or member that was parsed alone.
struct Piece {
    green: rowan::GreenNode,
    errors: Vec<SyntaxError>,
}

impl Piece {
    /// Parses the edited text of a node; `None` unless the result is one node of the same kind, and `same`
    /// confirms that the parse of the surrounding text is unaffected.
    fn parse(
        node: &SyntaxNode,
        edit: &Edit,
        text: &str,
        entry: Entry,
        same: impl FnOnce(&Input, &Lexed, &str) -> bool,
    ) -> Option<Piece> {
        let start = node.text_range().start();
        let before = text.get(..usize::from(start))?;
        let first_indent = parser::indent(&before[before.rfind(['\n', '\r']).map_or(0, |it| it + 1)..]);
        let mut text = text.get(std::ops::Range::<usize>::from(node.text_range()))?.to_owned();
        Edit { range: edit.range - start, insert: edit.insert.clone() }.apply(&mut text);
        if lexer::conflict::may_be_in(&text) {
            return None;
        }
        let lexed = lexer::lex(&text);
        let mut input = Input::new(&lexed, &text);
        if !same(&input, &lexed, &text) {
            return None;
        }
        input.first_indent = Some(first_indent);
        let (events, mut errors) = parser::parse(&text, &lexed, &mut input, entry);
        let green = only_child(&tree::build(&text, &lexed, events, &mut errors), node.kind())?;
        errors.extend(lexed.errors);
        Some(Piece { green, errors })
    }
}

/// The errors outside of the block at `old`, moved to their positions after the block's change of length.
fn outside(errors: &[SyntaxError], old: TextRange, new_len: TextSize) -> impl Iterator<Item = SyntaxError> {
    let moved = move |at: TextSize| if at >= old.end() { at - old.len() + new_len } else { at };
    errors.iter().filter(move |it| it.range.start() <= old.start() || it.range.start() >= old.end()).map(
        move |it| SyntaxError {
            range: TextRange::new(moved(it.range.start()), moved(it.range.end())),
            ..it.clone()
        },
    )
}

/// The entry point of the parser for a node; `None` if it cannot be parsed alone.
fn entry(node: &SyntaxNode) -> Option<Entry> {
    use SyntaxKind::*;
    let parent = node.parent()?;
    Some(match node.kind() {
        CLASS_BODY => Entry::ClassBody,
        SWITCH_BLOCK => Entry::SwitchBlock,
        BLOCK => match parent.kind() {
            CONSTRUCTOR_DECL => Entry::ConstructorBlock,
            CLOSURE_EXPR | AT_EXPR | TRAILING_CLOSURE_STMT | KEYWORD_CALL_STMT | ELSE_CLAUSE => {
                Entry::ClosureBlock
            }
            CATCH_CLAUSE | FINALLY_CLAUSE if parent.parent()?.kind() == KEYWORD_CALL_STMT => {
                Entry::ClosureBlock
            }
            AT_STMT if is_before_semicolon(node) || may_be_value(&parent) => Entry::ClosureBlock,
            _ => Entry::Block,
        },
        _ => return None,
    })
}

/// Whether this `at` statement would be a value if its block ended in an expression: it is the last statement
/// of a block that may have a value.
fn may_be_value(at: &SyntaxNode) -> bool {
    let Some(parent) = at.parent() else { return false };
    match parent.kind() {
        SyntaxKind::AT_STMT => may_be_value(&parent),
        SyntaxKind::BLOCK => {
            let is_last = at
                .siblings_with_tokens(rowan::Direction::Next)
                .skip(1)
                .find(|it| !it.kind().is_trivia())
                .is_some_and(|it| it.kind() == T!['}']);
            is_last && matches!(entry(&parent), Some(Entry::ClosureBlock))
        }
        _ => false,
    }
}

/// Whether `;` follows, so that the block of an `at` may have a value.
fn is_before_semicolon(node: &SyntaxNode) -> bool {
    let next = node.last_token().and_then(|it| it.next_token());
    std::iter::successors(next, |it| it.next_token())
        .find(|it| !it.kind().is_trivia())
        .is_some_and(|it| it.kind() == T![;])
}

/// The properties of a block that the parse of the surrounding text may depend on.
#[derive(PartialEq, Eq)]
struct Seen {
    /// The tokens after the opening brace. They tell words of other languages and misspelt keywords from
    /// calls: `swich (x) { case 1: ... }`, `match (x) { y => ... }`. No lookahead is longer.
    first: [SyntaxKind; 3],
    has_statements: bool,
    ends_statement: bool,
    /// Indentation of the line of the closing brace, if the opening brace is on another line: more code may
    /// follow in it.
    last_indent: Option<u32>,
}

impl Seen {
    fn new(text: &str) -> Option<Seen> {
        let lexed = lexer::lex(text);
        Seen::of(&Input::new(&lexed, text), &lexed, text)
    }

    /// `None` unless the first and last tokens are matching braces, and all braces between them are balanced.
    fn of(input: &Input, lexed: &Lexed, text: &str) -> Option<Seen> {
        let last = input.kinds.len().checked_sub(1)?;
        if input.unbalanced || input.matching(0) != Some(last) || input.kind(0) != T!['{'] {
            return None;
        }
        Some(Seen {
            first: [1, 2, 3].map(|it| input.kind(it)),
            has_statements: parser::has_statements(input, 0, last),
            ends_statement: matches!(input.kind(last - 1), T![;] | T!['}']),
            last_indent: (1..=last)
                .any(|it| input.newline_before(it))
                .then(|| input.indent(lexed, text, last)),
        })
    }
}

/// The properties of a member that the parse of the surrounding text may depend on, in a file without errors.
#[derive(PartialEq, Eq)]
struct SeenMember {
    /// The first tokens: they show that a member starts here, and they may follow the brace of the class.
    first: [SyntaxKind; 3],
    last: SyntaxKind,
    /// Whether `;` is outside of all brackets, so that the braces around are no condition.
    has_semicolon: bool,
}

impl SeenMember {
    /// `None` if its braces are not balanced.
    fn of(input: &Input) -> Option<SeenMember> {
        let count = input.kinds.len();
        (!input.unbalanced && count > 0).then(|| SeenMember {
            first: [0, 1, 2].map(|it| input.kind(it)),
            last: input.kind(count - 1),
            has_semicolon: input.kind(0) == T![;] || parser::has_statements(input, 0, count),
        })
    }
}

/// Whether a node is a member that may be parsed alone.
fn is_member(node: &SyntaxNode) -> bool {
    use SyntaxKind::*;
    matches!(node.kind(), METHOD_DECL | CONSTRUCTOR_DECL | OPERATOR_DECL | FIELD_DECL)
}

fn holds_members(kind: SyntaxKind) -> bool {
    use SyntaxKind::*;
    matches!(kind, SOURCE_FILE | CLASS_DECL | STRUCT_DECL | INTERFACE_DECL | CLASS_BODY)
}

/// The only child of `root`, which must be of this kind.
fn only_child(root: &GreenNodeData, kind: SyntaxKind) -> Option<rowan::GreenNode> {
    let mut children = root.children();
    let NodeOrToken::Node(only) = children.next()? else { return None };
    (children.next().is_none() && only.kind() == rowan::SyntaxKind(kind as u16)).then(|| only.to_owned())
}

/// Whether a block ends in an expression.
fn has_tail(block: &GreenNodeData) -> bool {
    use crate::ast::AstNode;
    let last = block.children().rev().find_map(NodeOrToken::into_node);
    last.is_some_and(|it| crate::ast::Expr::can_cast(SyntaxKind::from_raw(it.kind().0)))
}

fn depth(green: &GreenNodeData) -> usize {
    1 + green.children().filter_map(NodeOrToken::into_node).map(depth).max().unwrap_or(0)
}

/// Whether one block or member suffices for a reparse of this edit; for measurements.
#[doc(hidden)]
pub fn is_local(parse: &Parse, edit: &Edit) -> bool {
    parse.reparse_piece(edit, &parse.syntax().to_string()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "package p;
class A(n:Long) {
    val a = 1, b:Long = 2; // c
    public static def f(x:Long):Long = x;
    def this() { property(1); }
    def g[T](y:T) {T <: Any} { f(1); }
    operator this + (z:A) = z;
    class B { var c:Long = 0; def h() { } def i():A = null; } ; def j(k:Long)
{k > 0} { return; }
}
class C {val c=1;def d(){}}
";

    /// Checks that the edit gives the tree of the whole new text. Returns whether the constructor is shared
    /// in memory by the old and new trees.
    fn is_alone(from: &str, to: &str) -> bool {
        let old = crate::parse::parse(TEXT);
        assert!(old.errors().is_empty(), "{:?}", old.errors());
        let start = TextSize::new(TEXT.find(from).expect("it is there") as u32);
        let new = old.reparse(&Edit::new(TextRange::at(start, TextSize::of(from)), to));
        assert!(new == crate::parse::parse(&TEXT.replacen(from, to, 1)), "{from} -> {to}");
        let constructor = |parse: &Parse| {
            let node = parse.syntax().descendants().find(|it| it.kind() == SyntaxKind::CONSTRUCTOR_DECL);
            node.map(|it| std::ptr::from_ref::<GreenNodeData>(&it.green()))
        };
        constructor(&old) == constructor(&new)
    }

    #[test]
    fn members_are_parsed_alone() {
        for (from, to) in [
            ("x:Long):Long", "x:Double):Double"),
            ("b:Long", "bb:Long"),
            ("z:A", "zz:A, y:A"),
            ("k > 0", "k > 1 && k < 9"),
            ("i():A", "i(a:A):A"),
            ("f(x", "ff(x"),
            ("{T <: Any}", ""),
            ("= 2", "= (a:Long) => { return a; }"),
            ("c=1", "c=12"),
            ("Long = x", "Long = x // z\n"),
        ] {
            assert!(is_alone(from, to), "{from} -> {to}");
        }
    }

    #[test]
    fn changes_that_affect_the_surrounding_text_are_not_parsed_alone() {
        for (from, to) in [
            ("def f", "def"),
            ("= x;", "= x"),
            ("= x;", "= x; }"),
            ("def this", "this"),
            ("; // c", "; /* c"),
            (":Long = 2", ":Long = "),
            ("f(x", "f((x"),
            ("static def", "static static def"),
            ("x:Long):Long = x", "x:Long) { } static val y = x"),
        ] {
            assert!(!is_alone(from, to), "{from} -> {to}");
        }
    }
}
