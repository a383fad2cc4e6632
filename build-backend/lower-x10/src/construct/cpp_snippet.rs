//! C++ code in X10 string literals: tokens, and the source lines that they come from.

use apg_syntax::TextSize;
use apg_syntax::ast::{self, AstNode};

use apg_mir as mir;

/// A token of C++ code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// A name or keyword.
    Word(&'a str),
    /// `#name`, `#1`.
    Operand(&'a str),
    /// Anything else.
    Other(&'a str),
}

impl<'a> Token<'a> {
    /// The text of the token, without the `#` of an operand.
    pub(crate) fn name(self) -> &'a str {
        match self {
            Token::Word(text) | Token::Operand(text) | Token::Other(text) => text,
        }
    }

    /// Its length in the code.
    fn len(self) -> usize {
        self.name().len() + usize::from(matches!(self, Token::Operand(_)))
    }
}

/// The tokens of C++ code, which together are the code.
pub(crate) fn tokens(code: &str) -> Vec<Token<'_>> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut all = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let word_end = |from: &str| from.find(|c| !is_word(c)).unwrap_or(from.len());
        let (length, token): (usize, fn(&str) -> Token<'_>) = match first {
            '#' if rest[1..].starts_with(is_word) => {
                (1 + word_end(&rest[1..]), |it| Token::Operand(&it[1..]))
            }
            '"' | '\'' => (literal_end(rest, first), |it| Token::Other(it)),
            _ if rest.starts_with("//") => (rest.find('\n').unwrap_or(rest.len()), |it| Token::Other(it)),
            _ if rest.starts_with("/*") => {
                (rest.find("*/").map_or(rest.len(), |end| end + 2), |it| Token::Other(it))
            }
            '0'..='9' => (word_end(rest), |it| Token::Other(it)),
            _ if is_word(first) => (word_end(rest), |it| Token::Word(it)),
            _ => (first.len_utf8(), |it| Token::Other(it)),
        };
        let (text, after) = rest.split_at(length);
        all.push(token(text));
        rest = after;
    }
    all
}

/// The index after the literal that begins with `quote`.
fn literal_end(code: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in code.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    code.len()
}

/// A string literal: its value, and where it starts in the file.
pub(crate) type CodeLiteral = (String, TextSize);

/// The literals of a string that may be a sum of several, in order.
pub(crate) fn literals(expr: &ast::Expr) -> Vec<CodeLiteral> {
    let literals = expr.syntax().descendants().filter_map(ast::Literal::cast);
    let code_literal = |it: ast::Literal| match it.value() {
        Some(ast::LiteralValue::String(text)) => Some((text.to_string(), it.syntax().text_range().start())),
        _ => None,
    };
    literals.filter_map(code_literal).collect()
}

/// C++ code with the lines of the `.x10` file that it is written in.
pub(crate) struct Snippet {
    pub text: String,
    /// Byte offsets in the text at which another literal begins, with its line.
    lines: Vec<(usize, mir::Span)>,
}

impl Snippet {
    pub(crate) fn new(literals: Vec<CodeLiteral>, span: impl Fn(TextSize) -> mir::Span) -> Snippet {
        let mut snippet = Snippet { text: String::new(), lines: Vec::new() };
        for (text, offset) in literals {
            snippet.lines.push((snippet.text.len(), span(offset)));
            snippet.text.push_str(&text);
        }
        snippet
    }

    /// Code whose literals are unknown: all of it is in this line.
    pub(crate) fn in_line(text: &str, span: mir::Span) -> Snippet {
        Snippet { text: text.to_owned(), lines: vec![(0, span)] }
    }

    /// Whether `#line` directives may be inserted between the tokens of a line: not in preprocessor lines,
    /// nor with raw string literals, whose ends are not recognised.
    fn is_divisible(line: &str) -> bool {
        !line.trim_start().starts_with('#') && !line.trim_end_matches('\n').ends_with('\\')
    }

    /// The source line of each token at which a new line begins for the compiler's messages.
    pub(crate) fn line_of_tokens(&self, tokens: &[Token<'_>]) -> Vec<Option<mir::Span>> {
        let mut lines = vec![None; tokens.len()];
        if self.text.contains("R\"") {
            return lines;
        }
        let mut at = 0;
        let mut starts_line = true;
        let mut known = self.lines.iter().peekable();
        let mut current = None;
        for (line, token) in lines.iter_mut().zip(tokens) {
            let mut changed = false;
            while let Some((_, span)) = known.next_if(|it| it.0 <= at) {
                changed |= current != Some(*span);
                current = Some(*span);
            }
            let before = &self.text[self.text[..at].rfind('\n').map_or(0, |it| it + 1)..at];
            let follows = self.text[..at].strip_suffix('\n').is_none_or(|it| !it.ends_with('\\'));
            if (starts_line || changed && Self::is_divisible(before)) && follows {
                *line = current;
            }
            starts_line = token.name().contains('\n');
            at += token.len();
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_names_operands_and_the_rest() {
        let code = "f((#x)->raw, \"#y \\\" z\", #1) // this\n+ 0x1f";
        let all = tokens(code);
        assert!(all.contains(&Token::Word("f")) && all.contains(&Token::Word("raw")));
        assert!(all.contains(&Token::Operand("x")) && all.contains(&Token::Operand("1")));
        assert!(!all.contains(&Token::Operand("y")) && !all.contains(&Token::Word("this")));
        let text = |token: &Token<'_>| match token {
            Token::Word(text) | Token::Other(text) => (*text).to_owned(),
            Token::Operand(text) => format!("#{text}"),
        };
        assert_eq!(all.iter().map(text).collect::<String>(), code);
    }

    /// Each token at which a new line begins, with that line.
    fn lines(literals: &[(&str, u32)]) -> Vec<(String, u32)> {
        let span = |offset| mir::Span::of_line(mir::FileId(0), u32::from(offset));
        let literals = literals.iter().map(|it| (it.0.to_owned(), TextSize::new(it.1))).collect();
        let snippet = Snippet::new(literals, span);
        let all = tokens(&snippet.text);
        let found = snippet.line_of_tokens(&all);
        let found =
            all.iter().zip(found).filter_map(|(token, line)| Some((token.name().to_owned(), line?.line())));
        found.collect()
    }

    #[test]
    fn literals_keep_their_source_lines() {
        let at = |text: &str, line| (text.to_owned(), line);
        assert_eq!(lines(&[("f(", 7), ("x)", 8)]), [at("f", 7), at("x", 8)]);
        assert_eq!(lines(&[("a;\nb;", 7)]), [at("a", 7), at("b", 7)]);
        // A token of two literals is not divided, nor are directives and raw strings.
        assert_eq!(lines(&[("na", 7), ("me;", 8), ("b", 9)]), [at("name", 7), at(";", 8), at("b", 9)]);
        assert_eq!(lines(&[("#define A \\\n", 7), ("1\n", 8), ("A", 9)]), [at("define", 7), at("A", 9)]);
        assert_eq!(lines(&[("f(R\"(", 7), (")\")", 8)]), []);
    }
}
