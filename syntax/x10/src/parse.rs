//! Entry points: from text to syntax tree and errors.

use std::sync::Arc;

use crate::ast::{AstNode, SourceFile};
use crate::merge_errors::merged;
use crate::parser::{Entry, input::Input};
use crate::syntax_error::SyntaxError;
use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::{GreenNode, SyntaxNode};
use crate::{lexer, parser, tree, validation};

/// A parsed text: its tree, and what is wrong with it. Cheap to copy, compared by content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parse {
    green: GreenNode,
    /// Errors of tokens and grammar.
    syntax_errors: Arc<[SyntaxError]>,
    /// What the validation found.
    invalid: Arc<[SyntaxError]>,
    /// All of them, each mistake once.
    errors: Arc<[SyntaxError]>,
    /// Braces are missing.
    pub(crate) unbalanced: bool,
}

/// Parses a file. Any text gives a tree whose text is the input.
pub fn parse(text: &str) -> Parse {
    let lexed = lexer::lex(text);
    let mut input = Input::new(&lexed, text);
    let (events, mut errors) = parser::parse(text, &lexed, &mut input, Entry::SourceFile);
    let green = tree::build(text, &lexed, events, &mut errors);
    errors.extend(lexed.errors);
    let invalid = validation::validate(&green);
    Parse::new(green, errors, invalid, input.unbalanced)
}

/// The tokens of a text with their kinds: for what needs no tree.
pub fn tokens(text: &str) -> impl Iterator<Item = (SyntaxKind, &str)> {
    let lexed = lexer::lex(text);
    (0..lexed.kinds.len()).map(move |at| (lexed.kinds[at], &text[lexed.range(at)]))
}

/// Parses what precedes the first class, struct or interface of a file: its package and imports.
pub fn parse_header(text: &str) -> Parse {
    let starts_type = |kind| matches!(kind, T![class] | T![struct] | T![interface] | T!['{']);
    parse(&text[..lexer::first(text, starts_type)])
}

/// Does the first stages of parsing: lexer, parser, tree, validation; to measure each.
#[doc(hidden)]
pub fn parse_stages(text: &str, stages: u32) {
    if stages == 0 {
        std::hint::black_box(lexer::lex(text));
    } else if stages == 1 {
        let lexed = lexer::lex(text);
        let mut input = Input::new(&lexed, text);
        std::hint::black_box(parser::parse(text, &lexed, &mut input, Entry::SourceFile));
    } else if stages == 2 {
        let lexed = lexer::lex(text);
        let mut input = Input::new(&lexed, text);
        let (events, mut errors) = parser::parse(text, &lexed, &mut input, Entry::SourceFile);
        std::hint::black_box(tree::build(text, &lexed, events, &mut errors));
    } else {
        std::hint::black_box(parse(text));
    }
}

impl Parse {
    pub(crate) fn new(
        green: GreenNode,
        syntax_errors: Vec<SyntaxError>,
        invalid: Vec<SyntaxError>,
        unbalanced: bool,
    ) -> Parse {
        let sorted = |mut errors: Vec<SyntaxError>| -> Arc<[SyntaxError]> {
            errors.sort_by(|a, b| {
                let key = |it: &SyntaxError| (it.range.start(), it.range.end());
                key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
            });
            errors.into()
        };
        let errors = sorted([&syntax_errors[..], &invalid].concat());
        Parse {
            syntax_errors: sorted(syntax_errors),
            invalid: sorted(invalid),
            errors: merged(&green, errors),
            green,
            unbalanced,
        }
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

    /// The errors of what does not parse: not those of what may not stand where it stands.
    pub fn syntax_errors(&self) -> &[SyntaxError] {
        &self.syntax_errors
    }

    /// Whether each brace has its other one.
    pub fn has_all_braces(&self) -> bool {
        !self.unbalanced
    }

    pub(crate) fn invalid(&self) -> &[SyntaxError] {
        &self.invalid
    }

    /// All errors, in the order of the text; what is one mistake is one error.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_what_stands_before_the_first_type() {
        let header = |text: &str| parse_header(text).syntax().to_string();
        assert_eq!(
            header("package a.b; // class C\nimport c.D;\nclass E {}"),
            "package a.b; // class C\nimport c.D;\n"
        );
        assert_eq!(header("import a.B\npublic struct S {}"), "import a.B\npublic ");
        assert_eq!(header("import a.*;"), "import a.*;");
        let text = "@A(\"class\") package p; import q.R; interface I {} import s.T;";
        assert_eq!(parse_header(text).tree().import_decls().count(), 1);
        assert!(parse_header(text).tree().package_decl().is_some());
    }
}
