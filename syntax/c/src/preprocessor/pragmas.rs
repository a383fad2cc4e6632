//! Pragmas (C17 6.10.6): directives of OpenMP, OpenACC and XcalableMP become runs of tokens with macros
//! expanded in them; others are kept aside. `_Pragma` (6.10.9).

use std::sync::Arc;

use super::Preprocessor;
use super::files::prepare;
use super::token::Token;
use super::unit::OtherPragma;
use crate::files::{FileId, Span};
use crate::syntax_kind::SyntaxKind;

/// The first words of the pragmas that become tokens.
pub(super) const FAMILIES: [&str; 4] = ["omp", "ompx", "acc", "xmp"];

impl Preprocessor<'_> {
    /// `#pragma`: `hash` is its `#`, `rest` what follows the word.
    pub(super) fn pragma(&mut self, hash: Token, rest: &[Token]) {
        let end = rest.last().map_or(hash, |it| Token { span: end_of(it.span), ..hash });
        self.pragma_until(hash, rest, end);
    }

    /// A pragma whose end is that of `last`.
    fn pragma_until(&mut self, hash: Token, rest: &[Token], last: Token) {
        let end = rest.last().map_or(hash.span, |it| it.span);
        let words: Vec<String> = rest.iter().take(2).map(|it| self.text(it.text).to_string()).collect();
        match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [family, ..] if FAMILIES.contains(&family) => {
                let tokens = self.directive_tokens(hash, rest, last);
                self.push_context(tokens, None, false);
            }
            ["once", ..] => {
                self.state.once.insert(hash.span.file);
            }
            ["push_macro", ..] => self.push_or_pop_macro(rest, true),
            ["pop_macro", ..] => self.push_or_pop_macro(rest, false),
            ["GCC", "system_header"] if hash.span.file > FileId::MAIN => {
                self.state.files[hash.span.file.0 as usize].is_system = true;
            }
            ["GCC", "poison"] | [] => {}
            _ => {
                let span = hash.span.to(end);
                self.state.other_pragmas.push(OtherPragma { span, tokens: rest.to_vec() });
            }
        }
    }

    /// The tokens of a directive, with macros expanded in its name too, as GCC and Clang do.
    fn directive_tokens(&mut self, hash: Token, rest: &[Token], last: Token) -> Arc<[Token]> {
        let mut tokens = Vec::with_capacity(rest.len() + 2);
        let start = self.state.interner.intern("#pragma");
        tokens.push(Token { kind: SyntaxKind::PRAGMA_START, text: start, ..hash });
        tokens.push(rest[0]);
        let in_condition = std::mem::replace(&mut self.in_condition, false);
        let mut expanded = self.expand_line(rest[1..].into());
        if expanded.iter().any(|it| it.kind == SyntaxKind::PRAGMA_START) {
            // A macro with `_Pragma` makes no name: there is no directive of that name.
            expanded = rest[1..].to_vec();
        }
        tokens.extend(expanded);
        self.in_condition = in_condition;
        for token in &mut tokens {
            if token.kind == SyntaxKind::IDENT {
                token.flags |= Token::NO_EXPAND;
            }
        }
        let text = self.state.interner.intern("\n");
        tokens.push(Token { kind: SyntaxKind::PRAGMA_END, flags: 0, text, ..last });
        tokens.into()
    }

    fn push_or_pop_macro(&mut self, rest: &[Token], pushes: bool) {
        let Some(name) = rest.iter().find(|it| it.kind == SyntaxKind::STRING) else { return };
        let name = self.text(name.text).trim_matches('"').to_string();
        let name = self.state.interner.intern(&name);
        if pushes {
            let now = self.state.macros.get(&name).cloned();
            self.state.pushed_macros.entry(name).or_default().push(now);
        } else if let Some(old) = self.state.pushed_macros.get_mut(&name).and_then(Vec::pop) {
            self.change_macro(name, old);
        }
    }

    /// `_Pragma("...")`; false if no parenthesis follows.
    pub(super) fn pragma_operator(&mut self, operator: Token) -> bool {
        let mut taken = Vec::new();
        let mut read_text = |this: &mut Self, kind: SyntaxKind| {
            let token = this.next_raw()?;
            taken.push(token);
            (token.kind == kind).then_some(token)
        };
        let read = read_text(self, SyntaxKind::L_PAREN)
            .and_then(|_| read_text(self, SyntaxKind::STRING))
            .and_then(|literal| Some((literal, read_text(self, SyntaxKind::R_PAREN)?)));
        let Some((literal, close)) = read else {
            self.push_context(taken.into(), None, false);
            self.error_at(operator, "`_Pragma` needs a string literal in parentheses after it");
            return false;
        };
        let (text, offsets) = destringize(self.text(literal.text));
        let mut tokens = prepare(literal.span.file, &text, &mut self.state.interner).tokens;
        for token in &mut tokens {
            let range = offsets[token.span.start as usize]..offsets[token.span.end as usize];
            let is_exact = !literal.has(Token::SYNTHETIC)
                && literal.span.end - literal.span.start == self.text(literal.text).len() as u32;
            token.span = match is_exact {
                true => Span {
                    file: literal.span.file,
                    start: literal.span.start + range.start,
                    end: literal.span.start + range.end,
                },
                false => literal.span,
            };
            token.expansion = literal.expansion;
            token.flags |= Token::SYNTHETIC;
        }
        let is_directive = tokens.first().is_some_and(|it| FAMILIES.contains(&self.text(it.text)));
        self.state.dependences.has_pragma_operator |= !is_directive;
        let hash = Token { kind: SyntaxKind::HASH, flags: operator.flags | Token::SYNTHETIC, ..operator };
        if !is_directive {
            self.push_marker(hash, &tokens);
        }
        self.pragma_until(hash, &tokens, Token { span: end_of(close.span), ..close });
        true
    }

    /// Marks where among the tokens a pragma that makes none stands: its text is that of the marker.
    fn push_marker(&mut self, hash: Token, tokens: &[Token]) {
        let text = format!("#pragma {}", self.spelled_text(tokens));
        let text = self.state.interner.intern(&text);
        let marker = Token { kind: SyntaxKind::OTHER_PRAGMA, text, ..hash };
        self.push_context(Arc::new([marker]), None, false);
    }
}

/// The empty range behind a token.
fn end_of(span: Span) -> Span {
    Span { start: span.end, ..span }
}

/// The text of a string literal, and for each of its bytes and its end the offset in the literal.
fn destringize(literal: &str) -> (String, Vec<u32>) {
    let start = literal.find('"').map_or(0, |it| it + 1);
    let end = literal.rfind('"').unwrap_or(literal.len()).max(start);
    let mut text = String::new();
    let mut offsets = Vec::new();
    let mut chars = literal[start..end].char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let c = match chars.peek() {
            Some(&(_, escaped)) if c == '\\' && matches!(escaped, '"' | '\\') => {
                chars.next();
                escaped
            }
            _ => c,
        };
        offsets.extend(std::iter::repeat_n((start + at) as u32, c.len_utf8()));
        text.push(c);
    }
    offsets.push(end as u32);
    (text, offsets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_loses_its_quotes_and_escapes_and_keeps_offsets() {
        assert_eq!(destringize(r#"L"a\"b""#), ("a\"b".to_string(), vec![2, 3, 5, 6]));
    }
}
