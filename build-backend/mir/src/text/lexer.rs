//! Lexer of MIR text. Comments begin with `//` and end with the line.

use smol_str::SmolStr;

use super::error::TextError;
use super::names::{Name, is_name_start, plain_length};
use crate::LineColumn;

/// A token, with the byte offset where it begins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    /// A keyword, or the name of an operation or field.
    Word(SmolStr),
    /// `@name`
    Global(Name),
    /// `%name`
    Local(Name),
    /// `#3`, the ordinal of a field.
    Ordinal(u32),
    /// An integer without its sign.
    Integer(u64),
    /// A floating-point number without its sign.
    Float(f64),
    String(String),
    Char(char),
    /// `@3:12:5-14:1`, without the parts that are inherited.
    Span(SpanText),
    Punctuation(&'static str),
    /// After the text.
    End,
}

/// A source range as written. The line of the end is that of the start, and the end is the start, unless
/// they are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SpanText {
    pub(super) file: Option<u32>,
    pub(super) start: LineColumn,
    pub(super) end: LineColumn,
}

/// Punctuation, longer ones before their beginnings.
const PUNCTUATION: &[&str] = &[
    ">>>", "...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "?.", "?[", "(", ")", "[", "]", "{", "}",
    ",", ";", ":", ".", "=", "+", "-", "*", "/", "%", "&", "|", "^", "<", ">", "!", "?",
];

impl TokenKind {
    /// How a message calls it.
    pub(super) fn describe(&self) -> String {
        match self {
            TokenKind::Word(word) => format!("`{word}`"),
            TokenKind::Global(name) => format!("`@{}`", name.text),
            TokenKind::Local(name) => format!("`%{}`", name.text),
            TokenKind::Ordinal(number) => format!("`#{number}`"),
            TokenKind::Integer(_) | TokenKind::Float(_) => "a number".into(),
            TokenKind::String(_) => "a string".into(),
            TokenKind::Char(_) => "a character".into(),
            TokenKind::Span(_) => "a source position".into(),
            TokenKind::Punctuation(text) => format!("`{text}`"),
            TokenKind::End => "the end of the text".into(),
        }
    }
}

/// All tokens of a text; the last one is [`TokenKind::End`].
pub(super) fn tokenize(text: &str) -> Result<Vec<Token>, TextError> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks();
        let start = lexer.at;
        let kind = lexer.token()?;
        let is_end = kind == TokenKind::End;
        tokens.push(Token { kind, start });
        if is_end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, TextError> {
        Err(TextError::at(self.text, self.at, message))
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if !self.rest().starts_with("//") {
                return;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    fn token(&mut self) -> Result<TokenKind, TextError> {
        let Some(first) = self.peek() else { return Ok(TokenKind::End) };
        let second = self.rest().chars().nth(1);
        let begins_name = second.is_some_and(|it| is_name_start(it) || matches!(it, '"' | '#'));
        match first {
            '@' if second.is_some_and(|it| it.is_ascii_digit()) => self.span(),
            '@' if begins_name => {
                self.at += 1;
                Ok(TokenKind::Global(self.name(true)?))
            }
            '%' if begins_name => {
                self.at += 1;
                Ok(TokenKind::Local(self.name(false)?))
            }
            '#' => {
                self.at += 1;
                Ok(TokenKind::Ordinal(self.number()?))
            }
            '"' => Ok(TokenKind::String(self.string()?)),
            '\'' => self.char(),
            '0'..='9' => self.numeral(),
            _ if is_name_start(first) => {
                let length = plain_length(self.rest(), false);
                let word = SmolStr::new(&self.rest()[..length]);
                self.at += length;
                Ok(TokenKind::Word(word))
            }
            _ => match PUNCTUATION.iter().find(|it| self.rest().starts_with(**it)) {
                Some(text) => {
                    self.at += text.len();
                    Ok(TokenKind::Punctuation(text))
                }
                None => self.error(format!("unexpected character `{}`", first.escape_debug())),
            },
        }
    }

    /// A name behind its sigil.
    fn name(&mut self, is_global: bool) -> Result<Name, TextError> {
        let text = if self.rest().starts_with('"') {
            SmolStr::from(self.string()?)
        } else {
            let length = plain_length(self.rest(), is_global);
            let text = SmolStr::new(&self.rest()[..length]);
            self.at += length;
            text
        };
        let ordinal = if self.eat("#") { self.number()? } else { 0 };
        Ok(Name { text, ordinal })
    }

    fn digits(&mut self) -> &'t str {
        let rest = self.rest();
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        self.at += length;
        &rest[..length]
    }

    /// A small number in decimal digits.
    fn number(&mut self) -> Result<u32, TextError> {
        let start = self.at;
        match self.digits().parse() {
            Ok(number) => Ok(number),
            Err(_) => {
                self.at = start;
                self.error("a number from 0 to 4294967295 is needed here")
            }
        }
    }

    fn numeral(&mut self) -> Result<TokenKind, TextError> {
        let start = self.at;
        if self.eat("0x") {
            let length = self.rest().bytes().take_while(u8::is_ascii_hexdigit).count();
            let digits = &self.rest()[..length];
            let value = u64::from_str_radix(digits, 16).ok();
            self.at += length;
            return match value {
                Some(value) => Ok(TokenKind::Integer(value)),
                None => {
                    self.at = start;
                    self.error("this is no hexadecimal number of at most 64 bits")
                }
            };
        }
        self.digits();
        let mut is_float = false;
        let followed_by_digit = |text: &str| text.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        if self.rest().starts_with('.') && followed_by_digit(self.rest()) {
            is_float = true;
            self.at += 1;
            self.digits();
        }
        if self.rest().starts_with(['e', 'E']) {
            let exponent = self.rest()[1..].strip_prefix(['+', '-']).unwrap_or(&self.rest()[1..]);
            if exponent.bytes().next().is_some_and(|it| it.is_ascii_digit()) {
                is_float = true;
                self.at = self.text.len() - exponent.len();
                self.digits();
            }
        }
        let digits = &self.text[start..self.at];
        let number = if is_float {
            digits.parse().ok().map(TokenKind::Float)
        } else {
            digits.parse().ok().map(TokenKind::Integer)
        };
        number.map_or_else(
            || {
                self.at = start;
                self.error("this number does not fit 64 bits")
            },
            Ok,
        )
    }

    fn string(&mut self) -> Result<String, TextError> {
        let start = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            match self.peek() {
                Some('"') => {
                    self.at += 1;
                    return Ok(out);
                }
                None | Some('\n') => {
                    self.at = start;
                    return self.error("this string does not end in its line: add `\"`");
                }
                Some(_) => out.push(self.character()?),
            }
        }
    }

    fn char(&mut self) -> Result<TokenKind, TextError> {
        let start = self.at;
        self.at += 1;
        let value = match self.peek() {
            None | Some('\n' | '\'') => None,
            Some(_) => Some(self.character()?),
        };
        match value {
            Some(value) if self.eat("'") => Ok(TokenKind::Char(value)),
            _ => {
                self.at = start;
                self.error("a character literal is one character in `'`")
            }
        }
    }

    /// A character of a literal, perhaps escaped.
    fn character(&mut self) -> Result<char, TextError> {
        let start = self.at;
        let Some(c) = self.peek() else { return self.error("the text ends in a literal") };
        self.at += c.len_utf8();
        if c != '\\' {
            return Ok(c);
        }
        let escape = self.peek();
        self.at += escape.map_or(0, char::len_utf8);
        let value = match escape {
            Some('n') => Some('\n'),
            Some('r') => Some('\r'),
            Some('t') => Some('\t'),
            Some(c @ ('\\' | '"' | '\'')) => Some(c),
            Some('u') if self.eat("{") => {
                let digits = self.rest().split('}').next().unwrap_or_default();
                let value = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                self.at += digits.len();
                value.filter(|_| self.eat("}"))
            }
            _ => None,
        };
        value.map_or_else(
            || {
                self.at = start;
                self.error("unknown escape: write `\\n`, `\\r`, `\\t`, `\\\\`, `\\\"`, `\\'` or `\\u{1f600}`")
            },
            Ok,
        )
    }

    /// `@[file:]line:column[-[line:]column]`
    fn span(&mut self) -> Result<TokenKind, TextError> {
        let start = self.at;
        self.at += 1;
        let mut numbers = vec![self.number()?];
        while self.eat(":") {
            numbers.push(self.number()?);
        }
        let (file, from) = match numbers[..] {
            [line, column] => (None, LineColumn { line, column }),
            [file, line, column] => (Some(file), LineColumn { line, column }),
            _ => {
                self.at = start;
                return self.error("a position is `@line:column`, or `@file:line:column`");
            }
        };
        let mut end = from;
        if self.eat("-") {
            end.column = self.number()?;
            if self.eat(":") {
                end = LineColumn { line: end.column, column: self.number()? };
            }
        }
        Ok(TokenKind::Span(SpanText { file, start: from, end }))
    }
}
