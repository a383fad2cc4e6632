//! Entry points: from a preprocessed unit to syntax trees and errors.

use std::sync::Arc;

use apg_source::{TextRange, TextSize};

use crate::ast::{AstNode, TranslationUnit};
use crate::files::{FileId, Span};
use crate::literal;
use crate::parser::limits::MAX_ERRORS;
use crate::parser::scopes::{FileScope, TypedefNames};
use crate::parser::{ParseError, has_xcalablemp, parse};
use crate::preprocessor::{ExpansionId, Preamble, Token, Unit};
use crate::syntax_error::SyntaxError;
use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::{GreenNode, SyntaxNode};
use crate::tree;

/// A tree over expanded tokens, with the way back to where they are spelled.
#[derive(Clone, Debug)]
pub struct Parse {
    pub(crate) green: GreenNode,
    pub(crate) errors: Arc<[SyntaxError]>,
    pub(crate) tokens: Arc<[Token]>,
    /// The kind of each token as the parser sees it.
    pub(crate) kinds: Arc<[SyntaxKind]>,
    /// Where each token starts in the text of the tree.
    pub(crate) starts: Arc<[u32]>,
    /// The typedef names of file scope.
    pub(crate) scope: Arc<FileScope>,
    /// No limit was reached: each declaration is parsed by itself.
    pub(crate) is_whole: bool,
}

/// The parsed preamble of a unit: kept for the next text of the file as long as the preamble is the same.
#[derive(Clone, Debug)]
pub struct ParsedPreamble {
    preamble: Arc<Preamble>,
    parse: Parse,
    pub(crate) typedef_names: TypedefNames,
}

/// A parsed unit: the declarations of its preamble, and those of the rest of its main file.
#[derive(Clone, Debug)]
pub struct ParsedUnit {
    /// The declarations of the headers that the leading directives include.
    pub preamble: Arc<ParsedPreamble>,
    /// What follows the leading directives.
    pub main: Parse,
    /// The declaration of the earlier tree that was parsed again; `None` if all of it was.
    pub replaced: Option<TextRange>,
}

/// Parses a unit. `preamble` is that of an earlier text of the file: it is reused if the unit has the same.
pub fn parse_unit(unit: &Unit, preamble: Option<&Arc<ParsedPreamble>>) -> ParsedUnit {
    let known = preamble.filter(|it| Arc::ptr_eq(&it.preamble, unit.preamble()));
    let preamble = known.cloned().unwrap_or_else(|| {
        let predeclared = predeclared(unit);
        let parse = Parse::new(unit, unit.preamble_tokens(), predeclared.clone());
        let typedef_names = parse.scope.over(&predeclared);
        Arc::new(ParsedPreamble { preamble: unit.preamble().clone(), parse, typedef_names })
    });
    let main = Parse::new(unit, unit.tokens(), preamble.typedef_names.clone());
    ParsedUnit { preamble, main, replaced: None }
}

impl ParsedPreamble {
    /// The tree of the preamble's declarations.
    pub fn parse(&self) -> &Parse {
        &self.parse
    }
}

impl Parse {
    fn new(unit: &Unit, tokens: &Arc<[Token]>, names: TypedefNames) -> Parse {
        let (kinds, mut wrong) = kinds(unit, tokens, 0..tokens.len());
        let mut parsed = parse(unit, tokens, &kinds, names);
        let count = parsed.errors.len();
        let (green, starts) = tree::build(unit, tokens, &kinds, parsed.events, &mut parsed.errors);
        let is_whole = !parsed.gave_up
            && parsed.errors.len() == count
            && count < MAX_ERRORS
            && !has_xcalablemp(unit, tokens);
        parsed.errors.append(&mut wrong);
        parsed.errors.sort_by_key(|it| it.position);
        let parse = Parse {
            green,
            errors: Arc::new([]),
            tokens: tokens.clone(),
            kinds: kinds.into(),
            starts: starts.into(),
            scope: Arc::new(parsed.scope),
            is_whole,
        };
        let errors = parsed.errors.into_iter().map(|it| parse.error(unit, it)).collect();
        Parse { errors, ..parse }
    }

    pub(crate) fn error(&self, unit: &Unit, error: ParseError) -> SyntaxError {
        let message = error.message;
        let end = TextSize::from(u32::from(self.green.text_len()));
        let Some(token) = self.tokens.get(error.position) else {
            let span = self.tokens.last().map_or(Span { file: FileId::MAIN, start: 0, end: 0 }, |it| it.span);
            return SyntaxError {
                range: TextRange::empty(end),
                span: Span { start: span.end, ..span },
                expansion: ExpansionId::NONE,
                message,
                hint: error.hint,
                replacement: None,
            };
        };
        let start = TextSize::from(self.starts[error.position]);
        let length = TextSize::of(unit.text(token.text));
        SyntaxError {
            range: TextRange::at(start, length),
            span: token.span,
            expansion: token.expansion,
            message,
            hint: error.hint,
            replacement: error.replacement.filter(|_| token.is_spelled()),
        }
    }

    /// The typed tree.
    pub fn tree(&self) -> TranslationUnit {
        TranslationUnit::cast(self.syntax()).expect("the root is a translation unit")
    }

    /// The tree.
    pub fn syntax(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.green.clone())
    }

    /// The tree without positions.
    pub fn green(&self) -> &GreenNode {
        &self.green
    }

    /// All errors, in order.
    pub fn errors(&self) -> &[SyntaxError] {
        &self.errors
    }

    /// The tokens that lie in a range of the tree's text.
    pub fn tokens_in(&self, range: TextRange) -> &[Token] {
        let first = self.starts.partition_point(|it| *it < range.start().into());
        let end = self.starts.partition_point(|it| *it < range.end().into());
        &self.tokens[first..end.max(first)]
    }

    /// All tokens, each with where it starts in the tree's text.
    pub fn tokens(&self) -> impl Iterator<Item = (TextSize, &Token)> {
        self.starts.iter().map(|it| TextSize::from(*it)).zip(&*self.tokens)
    }

    /// Where a range of the tree's text is spelled: from its first to its last token, outside of macros.
    /// `None` if it has no token.
    pub fn span(&self, unit: &Unit, range: TextRange) -> Option<Span> {
        let tokens = self.tokens_in(range);
        let first = unit.expansion_site(tokens.first()?);
        Some(first.to(unit.expansion_site(tokens.last()?)))
    }

    /// Whether all tokens of a range are spelled in a file as they are: a fix can replace them.
    pub fn is_spelled(&self, range: TextRange) -> bool {
        let tokens = self.tokens_in(range);
        !tokens.is_empty() && tokens.iter().all(|it| it.is_spelled() && it.span.file == tokens[0].span.file)
    }
}

/// The typedef names that compilers declare themselves.
fn predeclared(unit: &Unit) -> TypedefNames {
    let names = ["__builtin_va_list", "__builtin_ms_va_list"];
    Arc::new(names.iter().filter_map(|it| Some((unit.symbol(it)?, true))).collect())
}

/// The kinds that the parser sees of some tokens, and what is wrong with these.
pub(crate) fn kinds(
    unit: &Unit,
    tokens: &[Token],
    range: std::ops::Range<usize>,
) -> (Vec<SyntaxKind>, Vec<ParseError>) {
    let mut wrong = Vec::new();
    let kinds = range.map(|position| kind(unit, &tokens[position], position, &mut wrong)).collect();
    (kinds, wrong)
}

/// The kind that the parser sees: keywords, and numbers of either kind.
fn kind(unit: &Unit, token: &Token, position: usize, errors: &mut Vec<ParseError>) -> SyntaxKind {
    let mut wrong = |message: String| {
        errors.push(ParseError { position, message, hint: None, replacement: None });
    };
    match token.kind {
        SyntaxKind::IDENT => token.text.keyword().unwrap_or(SyntaxKind::IDENT),
        SyntaxKind::PP_NUMBER => {
            let text = unit.text(token.text);
            literal::number_kind(text).unwrap_or_else(|| {
                wrong(format!("`{text}` is not a number"));
                SyntaxKind::INT_NUMBER
            })
        }
        SyntaxKind::ERROR_TOKEN => {
            let text = unit.text(token.text);
            wrong(match text.chars().next() {
                Some('"') => "this string lacks its closing quote".to_string(),
                Some('\'') => "this character lacks its closing quote".to_string(),
                Some('/') => "this comment lacks its `*/`".to_string(),
                _ => format!("`{}` has no meaning in C", text.escape_debug()),
            });
            SyntaxKind::ERROR_TOKEN
        }
        kind => kind,
    }
}
