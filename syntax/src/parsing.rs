//! Text to tree.

use crate::ast::{AstNode, SourceFile};
use crate::parser::{Entry, input::Input};
use crate::{GreenNode, SyntaxError, SyntaxNode, lexer, parser, tree, validation};

/// A parsed text: its tree, and what is wrong with it. Cheap to copy, compared by content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parse {
    green: GreenNode,
    /// All errors, in the order of the text: of tokens, of grammar, of [validation](crate::validation).
    errors: std::sync::Arc<[SyntaxError]>,
}

/// Parses a file. Any text gives a tree whose text is the input.
pub fn parse(text: &str) -> Parse {
    let (green, mut errors) = parse_entry(text, Entry::SourceFile);
    validation::validate(&green, &mut errors);
    Parse::new(green, errors)
}

/// Tree and errors of `text` as `entry`; no validation.
pub(crate) fn parse_entry(text: &str, entry: Entry) -> (GreenNode, Vec<SyntaxError>) {
    let lexed = lexer::lex(text);
    let input = Input::new(&lexed, text);
    let (events, mut errors) = parser::parse(&lexed, &input, entry);
    let green = tree::build(text, &lexed, events);
    errors.extend(lexed.errors);
    (green, errors)
}

impl Parse {
    pub(crate) fn new(green: GreenNode, mut errors: Vec<SyntaxError>) -> Parse {
        errors.sort_by_key(|it| (it.range.start(), it.range.end()));
        Parse { green, errors: errors.into() }
    }

    /// The typed tree.
    pub fn tree(&self) -> SourceFile {
        SourceFile::cast(self.syntax()).expect("the root of a parsed text is a source file")
    }

    /// The tree.
    pub fn syntax(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.green.clone())
    }

    /// The tree without positions.
    pub fn green(&self) -> &GreenNode {
        &self.green
    }

    /// All errors, in the order of the text.
    pub fn errors(&self) -> &[SyntaxError] {
        &self.errors
    }
}

impl SourceFile {
    /// Parses a file.
    pub fn parse(text: &str) -> Parse {
        parse(text)
    }
}
