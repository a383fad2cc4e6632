//! Formatter of white space: indentation of lines and spaces between tokens. Line breaks are the writer's
//! choice. `docs/style.md` describes the style.

mod comments;
mod indent;
mod newline;
mod spacing;

use rustc_hash::FxHashMap;

use self::indent::Indenter;
use crate::lexer;
use crate::parse::{Parse, parse};
use crate::syntax_error::SyntaxError;
use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::SyntaxToken;
use apg_source::{Edit, TextRange, TextSize};

/// The edits that format `text`, in order, each of white space only (or of the blanks that align the lines of
/// a comment); with `range`, those that touch it. A text with errors of syntax is left alone: the first is
/// the answer. With `range`, only errors in the declaration around it count, so that one may format while
/// writing elsewhere.
pub fn format(text: &str, range: Option<TextRange>) -> Result<Vec<Edit>, SyntaxError> {
    format_parsed(&parse(text), range)
}

/// [`format()`] of a text that is already parsed.
pub fn format_parsed(parse: &Parse, range: Option<TextRange>) -> Result<Vec<Edit>, SyntaxError> {
    let scope = range.map_or(parse.syntax().text_range(), |it| declaration_around(parse, it));
    if let Some(error) = parse.syntax_errors().iter().find(|it| it.range.intersect(scope).is_some()) {
        return Err(error.clone());
    }
    let text = parse.syntax().to_string();
    let mut edits = edits(parse, &text);
    if let Some(range) = range {
        // What follows the range belongs to the next line.
        let follows = |it: &Edit| it.range.start() == range.end() && !it.range.is_empty();
        edits.retain(|it| it.range.intersect(range).is_some() && !follows(it));
    }
    let touched = touched(parse, &edits);
    if !same_tokens(&text[touched], &Edit::apply_all(&edits, &text, touched)) {
        // The rules of spacing are meant to make this impossible, and the tests look for it; better no change
        // than a wrong one.
        debug_assert!(false, "formatting would change the tokens");
        return Ok(Vec::new());
    }
    Ok(edits)
}

/// The edits after `typed` was written before `offset`: a closing brace, `;` or a line end formats its line;
/// a line that was begun is indented, whatever is still missing around it.
pub fn format_on_type(parse: &Parse, offset: TextSize, typed: char) -> Vec<Edit> {
    if !matches!(typed, '}' | ';' | '\n') || offset > parse.syntax().text_range().end() {
        return Vec::new();
    }
    let text = parse.syntax().to_string();
    let before = text[..usize::from(offset)].trim_end_matches(['\n', '\r']);
    let start = before.rfind(['\n', '\r']).unwrap_or(0);
    let mut edits =
        format_parsed(parse, Some(TextRange::new(TextSize::new(start as u32), offset))).unwrap_or_default();
    // Behind what was written there may be empty lines that somebody has just begun.
    let written = TextSize::of(before.trim_end());
    edits.retain(|it| it.range.end() < written);
    let begun = newline::indented(parse, &text, offset).filter(|_| typed == '\n');
    // A token that reaches the line has fixed its indentation.
    edits.extend(begun.filter(|begun| edits.iter().all(|it| it.range.end() < begun.range.start())));
    edits
}

/// The smallest declaration that contains `range`; the file if none does.
fn declaration_around(parse: &Parse, range: TextRange) -> TextRange {
    use crate::ast::{AstNode, Member};
    let root = parse.syntax();
    let Some(range) = range.intersect(root.text_range()) else { return root.text_range() };
    let node = match root.covering_element(range) {
        rowan::NodeOrToken::Node(node) => node,
        rowan::NodeOrToken::Token(token) => token.parent().unwrap_or(root),
    };
    let declaration = node.ancestors().find(|it| Member::can_cast(it.kind()));
    declaration.unwrap_or_else(|| parse.syntax()).text_range()
}

/// The range from the token before the first edit to the tokens after the last one. The lexer needs both of
/// them: `1` ends differently before the name in `1.f()`.
fn touched(parse: &Parse, edits: &[Edit]) -> TextRange {
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return TextRange::default() };
    let root = parse.syntax();
    let before = root.token_at_offset(first.range.start()).left_biased();
    let after = root.token_at_offset(last.range.end()).right_biased();
    let after = std::iter::successors(after, |it| it.next_token()).take(8).last();
    TextRange::new(
        before.map_or(first.range.start(), |it| it.text_range().start()),
        after.map_or(last.range.end(), |it| it.text_range().end()),
    )
}

/// The text that [`format()`] makes of `text`.
pub fn formatted(text: &str) -> Result<String, SyntaxError> {
    Ok(Edit::apply_all(&format(text, None)?, text, TextRange::up_to(TextSize::of(text))))
}

fn same_tokens(old: &str, new: &str) -> bool {
    fn tokens(text: &str) -> impl Iterator<Item = (SyntaxKind, String)> + '_ {
        let lexed = lexer::lex(text);
        let all: Vec<_> = (0..lexed.kinds.len())
            .filter(|&it| lexed.kinds[it] != SyntaxKind::WHITESPACE)
            .map(|it| (lexed.kinds[it], &text[lexed.range(it)]))
            .collect();
        // White space in comments stays as it is: their lines may be aligned.
        all.into_iter().map(|(kind, text)| match kind.is_comment() {
            true => (kind, text.split_whitespace().collect::<Vec<_>>().join(" ")),
            false => (kind, text.to_string()),
        })
    }
    tokens(old).eq(tokens(new))
}

fn edits(parse: &Parse, text: &str) -> Vec<Edit> {
    let root = parse.syntax();
    let tokens: Vec<SyntaxToken> = root
        .descendants_with_tokens()
        .filter_map(|it| it.into_token())
        .filter(|it| it.kind() != SyntaxKind::WHITESPACE)
        .collect();
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut pass = Pass { text, newline, edits: Vec::new(), indents: FxHashMap::default() };
    let mut indenter = Indenter::default();
    let mut line_indent = 0;
    for (index, token) in tokens.iter().enumerate() {
        let gap = match index.checked_sub(1).map(|it| &tokens[it]) {
            Some(before) => TextRange::new(before.text_range().end(), token.text_range().start()),
            None => TextRange::new(start_after_mark(text), token.text_range().start()),
        };
        let lines = newlines(&text[gap]);
        if index == 0 || lines > 0 {
            line_indent = indenter.indent_of_line(&tokens, index, &pass.indents);
            let breaks = if index == 0 { 0 } else { lines.min(2) };
            let want = format!("{}{}", newline.repeat(breaks), " ".repeat(line_indent));
            pass.replace(gap, want);
        } else {
            let want = spacing::between(&tokens[index - 1], token, &text[gap]);
            pass.replace(gap, want);
        }
        pass.indents.insert(token.text_range().start(), line_indent);
        if token.kind().is_comment() {
            pass.edits.extend(comments::aligned(token, line_indent, lines > 0 || index == 0));
        } else {
            indenter.take(token, line_indent);
        }
    }
    pass.end(tokens.last());
    pass.edits
}

fn start_after_mark(text: &str) -> TextSize {
    if text.starts_with('\u{feff}') { TextSize::of('\u{feff}') } else { TextSize::new(0) }
}

/// Line ends in white space; `\r\n` is one.
fn newlines(blank: &str) -> usize {
    let lone = blank.matches('\r').count() - blank.matches("\r\n").count();
    blank.matches('\n').count() + lone
}

struct Pass<'a> {
    text: &'a str,
    newline: &'static str,
    edits: Vec<Edit>,
    /// The indentation of the line on which the token at this offset stands.
    indents: FxHashMap<TextSize, usize>,
}

impl Pass<'_> {
    fn replace(&mut self, gap: TextRange, want: String) {
        if self.text[gap] != want {
            self.edits.push(Edit::new(gap, want));
        }
    }

    /// One line end after the last token.
    fn end(&mut self, last: Option<&SyntaxToken>) {
        let start = last.map_or(start_after_mark(self.text), |it| it.text_range().end());
        let want = if last.is_some() { self.newline } else { "" };
        self.replace(TextRange::new(start, TextSize::of(self.text)), want.to_string());
    }
}

#[cfg(test)]
mod tests;
