//! Tree builder: from parser events and tokens to a rowan tree. Its text is that of the expanded tokens.

use rowan::GreenNodeBuilder;

use crate::parser::ParseError;
use crate::parser::event::{Event, Step, process};
use crate::parser::limits::MAX_TREE_DEPTH;
use crate::preprocessor::{Token, Unit};
use crate::syntax_error::TREE_TOO_DEEP;
use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::GreenNode;

/// A tree that is being built.
struct Builder<'a> {
    unit: &'a Unit,
    tokens: &'a [Token],
    kinds: &'a [SyntaxKind],
    builder: GreenNodeBuilder<'a>,
    position: usize,
    offset: u32,
    /// The first token of what is built.
    first: usize,
    /// Where each token starts in the text of the tree.
    starts: Vec<u32>,
}

/// Builds the tree: white space goes before the nodes that start after it. Nodes deeper than
/// [`MAX_TREE_DEPTH`] are left out, their tokens kept, and that is an error. Gives where each token starts
/// too.
pub(crate) fn build(
    unit: &Unit,
    tokens: &[Token],
    kinds: &[SyntaxKind],
    events: Vec<Event>,
    errors: &mut Vec<ParseError>,
) -> (GreenNode, Vec<u32>) {
    let builder = Builder {
        unit,
        tokens,
        kinds,
        builder: GreenNodeBuilder::new(),
        position: 0,
        offset: 0,
        first: 0,
        starts: Vec::with_capacity(tokens.len()),
    };
    let (green, starts, too_deep) = builder.build(events, 0);
    debug_assert_eq!(starts.len(), tokens.len(), "the parser takes every token");
    if let Some(position) = too_deep {
        errors.push(ParseError {
            position,
            message: TREE_TOO_DEEP.to_string(),
            hint: Some("move a part into a variable or a function of its own".to_string()),
            replacement: None,
        });
    }
    (green, starts)
}

/// Builds the tree of one external declaration, which begins at the token `first` and at `offset` of the
/// text. `None` if it is too deep.
pub(crate) fn build_declaration(
    unit: &Unit,
    tokens: &[Token],
    kinds: &[SyntaxKind],
    (first, offset): (usize, u32),
    events: Vec<Event>,
) -> Option<(GreenNode, Vec<u32>)> {
    let builder = Builder {
        unit,
        tokens,
        kinds,
        builder: GreenNodeBuilder::new(),
        position: first,
        offset,
        first,
        // The white space before it belongs to the translation unit.
        starts: vec![offset],
    };
    let (green, starts, too_deep) = builder.build(events, 1);
    too_deep.is_none().then_some((green, starts))
}

impl Builder<'_> {
    /// Builds the nodes of `events`, which are in nodes of this depth. Gives the first token of a node that
    /// is too deep, too.
    fn build(mut self, events: Vec<Event>, mut depth: usize) -> (GreenNode, Vec<u32>, Option<usize>) {
        let b = &mut self;
        let mut too_deep = None;
        process(events, |step| match step {
            Step::Start(kind) => {
                depth += 1;
                if depth > MAX_TREE_DEPTH {
                    too_deep.get_or_insert(b.position);
                    return;
                }
                if depth > 1 {
                    b.space();
                }
                b.builder.start_node(rowan::SyntaxKind(kind as u16));
            }
            Step::Token => b.token(),
            Step::Finish => {
                if depth <= MAX_TREE_DEPTH {
                    b.builder.finish_node();
                }
                depth -= 1;
            }
        });
        (self.builder.finish(), self.starts, too_deep)
    }

    /// White space before the next token: as in the file, or to keep two words apart.
    fn space(&mut self) {
        if self.first + self.starts.len() > self.position {
            return;
        }
        let Some(token) = self.tokens.get(self.position) else { return };
        let text = match () {
            () if self.position == 0 => "",
            () if token.is_line_start() => "\n",
            () if token.has_space_before() || self.joins_words() => " ",
            () => "",
        };
        if !text.is_empty() {
            self.builder.token(rowan::SyntaxKind(SyntaxKind::WHITESPACE as u16), text);
            self.offset += text.len() as u32;
        }
        self.starts.push(self.offset);
    }

    /// Whether the next token would be one word with the one before.
    fn joins_words(&self) -> bool {
        let is_word = |kind: SyntaxKind| {
            kind == SyntaxKind::IDENT
                || kind == SyntaxKind::INT_NUMBER
                || kind == SyntaxKind::FLOAT_NUMBER
                || kind.is_keyword()
        };
        self.position > 0 && is_word(self.kinds[self.position - 1]) && is_word(self.kinds[self.position])
    }

    fn token(&mut self) {
        self.space();
        let text = self.unit.text(self.tokens[self.position].text);
        self.builder.token(rowan::SyntaxKind(self.kinds[self.position] as u16), text);
        self.offset += text.len() as u32;
        self.position += 1;
    }
}
