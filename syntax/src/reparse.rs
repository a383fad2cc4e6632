//! Parsing again after an edit: only the smallest block around it, if what surrounds the block cannot
//! notice. The result is always that of parsing the whole new text; the property tests compare them.

use rowan::{GreenNodeData, NodeOrToken};

use crate::lexer::Lexed;
use crate::parser::input::Input;
use crate::parser::{self, DEPTH_LIMIT, Entry};
use crate::parsing::Parse;
use crate::{SyntaxError, SyntaxKind, SyntaxNode, TextRange, TextSize, lexer, tree, validation};

/// Text that is replaced by other text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; empty for an insertion.
    pub range: TextRange,
    /// What comes instead; empty for a deletion.
    pub insert: String,
}

impl Edit {
    /// Replaces `range` by `insert`.
    pub fn new(range: TextRange, insert: impl Into<String>) -> Edit {
        Edit { range, insert: insert.into() }
    }

    /// Does it to `text`, in which `range` must lie between characters.
    pub fn apply(&self, text: &mut String) {
        text.replace_range(std::ops::Range::<usize>::from(self.range), &self.insert);
    }

    /// `part` of `text` after edits that lie within it, in order and apart from each other.
    pub fn apply_all(edits: &[Edit], text: &str, part: TextRange) -> String {
        let mut result = String::with_capacity(usize::from(part.len()));
        let mut done = part.start();
        for edit in edits {
            result.push_str(&text[TextRange::new(done, edit.range.start())]);
            result.push_str(&edit.insert);
            done = edit.range.end();
        }
        result.push_str(&text[TextRange::new(done, part.end())]);
        result
    }
}

/// The one edit that makes `new` of `old`; `None` if they are equal.
fn difference(old: &str, new: &str) -> Option<Edit> {
    let mut start = common_start(old.as_bytes(), new.as_bytes());
    while !(old.is_char_boundary(start) && new.is_char_boundary(start)) {
        start -= 1;
    }
    let mut end = common_end(&old.as_bytes()[start..], &new.as_bytes()[start..]);
    while !(old.is_char_boundary(old.len() - end) && new.is_char_boundary(new.len() - end)) {
        end -= 1;
    }
    let (removed, inserted) = (start..old.len() - end, start..new.len() - end);
    if removed.is_empty() && inserted.is_empty() {
        return None;
    }
    let range = TextRange::new(TextSize::new(removed.start as u32), TextSize::new(removed.end as u32));
    Some(Edit::new(range, &new[inserted]))
}

/// So many bytes are compared at once.
const PIECE: usize = 64;

/// How many bytes are equal at the start.
fn common_start(a: &[u8], b: &[u8]) -> usize {
    let pieces = a.chunks_exact(PIECE).zip(b.chunks_exact(PIECE));
    let same = pieces.take_while(|(a, b)| a == b).count() * PIECE;
    same + a[same..].iter().zip(&b[same..]).take_while(|(a, b)| a == b).count()
}

/// How many bytes are equal at the end.
fn common_end(a: &[u8], b: &[u8]) -> usize {
    let pieces = a.rchunks_exact(PIECE).zip(b.rchunks_exact(PIECE));
    let same = pieces.take_while(|(a, b)| a == b).count() * PIECE;
    let rest = a[..a.len() - same].iter().rev().zip(b[..b.len() - same].iter().rev());
    same + rest.take_while(|(a, b)| a == b).count()
}

impl Parse {
    /// The parse of the edited text. `edit.range` must lie within the text, between characters.
    pub fn reparse(&self, edit: &Edit) -> Parse {
        let mut text = self.syntax().to_string();
        self.reparse_block(edit, &text).unwrap_or_else(|| {
            edit.apply(&mut text);
            crate::parse(&text)
        })
    }

    /// The parse of `new`, where this is that of `old`: what differs is found by comparing the texts.
    pub fn reparse_text(&self, old: &str, new: &str) -> Parse {
        match difference(old, new) {
            None => self.clone(),
            Some(edit) => self.reparse_block(&edit, old).unwrap_or_else(|| crate::parse(new)),
        }
    }

    /// [`Parse::reparse`], if one block is enough. `text` is that of the tree, which would take longer to say it.
    fn reparse_block(&self, edit: &Edit, text: &str) -> Option<Parse> {
        // Which braces belong together is known of the whole text only.
        if self.unbalanced {
            return None;
        }
        let root = self.syntax();
        let mut node = match root.covering_element(edit.range) {
            NodeOrToken::Node(node) => node,
            NodeOrToken::Token(token) => token.parent()?,
        };
        loop {
            if let Some(parse) = self.reparse_node(&node, edit, text) {
                return Some(parse);
            }
            node = node.parent()?;
        }
    }

    fn reparse_node(&self, node: &SyntaxNode, edit: &Edit, text: &str) -> Option<Parse> {
        let entry = entry(node)?;
        // Its own braces: without them it may have taken those of another.
        let inside = TextRange::new(
            node.first_child_or_token().filter(|it| it.kind() == T!['{'])?.text_range().end(),
            node.last_child_or_token().filter(|it| it.kind() == T!['}'])?.text_range().start(),
        );
        if !inside.contains_range(edit.range) || node.ancestors().any(|it| it.kind() == SyntaxKind::ERROR) {
            return None;
        }
        // What is to be written instead of something around the block has the text of the block in it.
        let is_rewritten =
            |it: &SyntaxError| it.replacement.is_some() && it.range.contains_range(node.text_range());
        if self.syntax_errors().iter().any(is_rewritten) {
            return None;
        }
        let before = text.get(..usize::from(node.text_range().start()))?;
        let first_indent = parser::indent(&before[before.rfind(['\n', '\r']).map_or(0, |it| it + 1)..]);
        let mut text = text.get(std::ops::Range::<usize>::from(node.text_range()))?.to_owned();
        let old_seen = Seen::new(&text)?;
        let start = node.text_range().start();
        Edit { range: edit.range - start, insert: edit.insert.clone() }.apply(&mut text);
        let lexed = lexer::lex(&text);
        let mut input = Input::new(&lexed, &text);
        if Seen::of(&input, &lexed, &text)? != old_seen {
            return None;
        }
        input.first_indent = Some(first_indent);
        let (events, mut errors) = parser::parse(&text, &lexed, &mut input, entry);
        let green = only_child(&tree::build(&text, &lexed, events, &mut errors), node.kind())?;
        let depth = node.ancestors().count() + depth(&green);
        if has_tail(&green) != has_tail(&node.green()) || depth * 2 >= DEPTH_LIMIT as usize {
            return None;
        }
        errors.extend(lexed.errors);
        let (old, new_len) = (node.text_range(), TextSize::of(&text));
        let errors = errors.into_iter().map(|it| SyntaxError { range: it.range + old.start(), ..it });
        let errors = outside(self.syntax_errors(), old, new_len).chain(errors).collect();
        let green = node.replace_with(green);
        // What the nodes around the block complain about may have changed with it.
        let around = validation::validate_around(self.green(), old, false);
        let others: Vec<SyntaxError> =
            self.invalid().iter().filter(|it| !around.contains(it)).cloned().collect();
        let new = TextRange::at(old.start(), new_len);
        let mut invalid = validation::validate_around(&green, new, true);
        invalid.extend(outside(&others, old, new_len));
        Some(Parse::new(green, errors, invalid, false))
    }
}

/// The errors outside of the block at `old`; they keep their places in the text around it, when the block gets a new length.
fn outside(errors: &[SyntaxError], old: TextRange, new_len: TextSize) -> impl Iterator<Item = SyntaxError> {
    let moved = move |at: TextSize| if at >= old.end() { at - old.len() + new_len } else { at };
    errors.iter().filter(move |it| it.range.start() <= old.start() || it.range.start() >= old.end()).map(
        move |it| SyntaxError {
            range: TextRange::new(moved(it.range.start()), moved(it.range.end())),
            ..it.clone()
        },
    )
}

/// As what a node is parsed by itself.
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

/// Whether this `at` would be a value if what it does ended in an expression: it stands last in a block that may have one.
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

/// Whether `;` follows, which lets the block of an `at` have a value.
fn is_before_semicolon(node: &SyntaxNode) -> bool {
    let next = node.last_token().and_then(|it| it.next_token());
    std::iter::successors(next, |it| it.next_token())
        .find(|it| !it.kind().is_trivia())
        .is_some_and(|it| it.kind() == T![;])
}

/// What the parser may have looked at from outside the braces.
#[derive(PartialEq, Eq)]
struct Seen {
    /// What follows the opening brace tells words of other languages and misspelt keywords before it from calls:
    /// `swich (x) { case 1: ... }`, `match (x) { y => ... }`. None looks further.
    first: [SyntaxKind; 3],
    has_statements: bool,
    ends_statement: bool,
    /// How far the line of the closing brace is indented, if it is not that of the opening one: more may follow in it.
    last_indent: Option<u32>,
}

impl Seen {
    fn new(text: &str) -> Option<Seen> {
        let lexed = lexer::lex(text);
        Seen::of(&Input::new(&lexed, text), &lexed, text)
    }

    /// `None` if the first and last token are not braces that match each other, or braces are missing between them.
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

/// The only child of `root`, which must be of this kind and end in a brace.
fn only_child(root: &GreenNodeData, kind: SyntaxKind) -> Option<rowan::GreenNode> {
    let mut children = root.children();
    let NodeOrToken::Node(only) = children.next()? else { return None };
    let last = only.children().next_back()?;
    let is_closed = last.kind() == rowan::SyntaxKind(T!['}'] as u16);
    (children.next().is_none() && only.kind() == rowan::SyntaxKind(kind as u16) && is_closed)
        .then(|| only.to_owned())
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

/// Whether a reparse of this edit is expected to touch one block only; for measurements.
#[doc(hidden)]
pub fn is_local(parse: &Parse, edit: &Edit) -> bool {
    parse.reparse_block(edit, &parse.syntax().to_string()).is_some()
}
