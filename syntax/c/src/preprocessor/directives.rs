//! Preprocessing directives (C17 6.10).

use std::sync::Arc;

use super::macros::Macro;
use super::token::{ExpansionId, Token};
use super::{PreprocessError, Preprocessor, Severity};
use crate::files::{FileId, Span};
use crate::symbol::Symbol;
use crate::syntax_kind::SyntaxKind;

impl Preprocessor<'_> {
    /// The directive whose `#` is next.
    pub(super) fn directive(&mut self) {
        let line = self.take_line();
        let Some(&name) = line.get(1) else { return };
        let rest = &line[2..];
        let word = self.text(name.text).to_string();
        let whole = line[0].span.to(line[line.len() - 1].span);
        match &*word {
            "define" => self.define(name, rest),
            "undef" => self.undefine(name, rest),
            "include" | "include_next" | "import" => self.include(name, rest, &word),
            "if" => {
                let holds = self.condition(name, rest);
                self.open_conditional(whole, holds);
            }
            "ifdef" | "ifndef" => {
                let Some(macro_name) = rest.first().filter(|it| it.kind == SyntaxKind::IDENT) else {
                    self.error_at(name, format!("`#{word}` needs the name of a macro"));
                    self.open_conditional(whole, false);
                    return;
                };
                let is_defined = self.is_defined(*macro_name);
                self.open_conditional(whole, is_defined == (word == "ifdef"));
            }
            "elif" | "else" | "endif" => self.next_group(name, &word),
            "line" => self.set_line(name, rest),
            "error" => self.message(Severity::Error, whole, rest),
            "warning" => self.message(Severity::Warning, whole, rest),
            "pragma" => self.pragma(line[0], rest),
            // Assertions of old compilers, and `#ident`.
            "ident" | "sccs" | "assert" | "unassert" => {}
            // A line marker of a preprocessed file.
            _ if name.kind == SyntaxKind::PP_NUMBER => {}
            _ => {
                let known = [
                    "define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif", "line",
                    "error", "warning", "pragma",
                ];
                let message = format!("`#{word}` is not a directive of the preprocessor");
                let mut error = PreprocessError::new(Severity::Error, name.span, ExpansionId::NONE, message);
                if let Some(close) = apg_source::closest(&word, known.into_iter()) {
                    error = error.with_hint(format!("did you mean `#{close}`?"));
                }
                self.report(error);
            }
        }
    }

    /// Takes the tokens of the line here.
    fn take_line(&mut self) -> Vec<Token> {
        let Some(frame) = self.frames.last_mut() else { return Vec::new() };
        let tokens = &frame.file.tokens;
        let start = frame.position;
        let end = tokens[start + 1..].iter().position(Token::is_line_start);
        frame.position = end.map_or(tokens.len(), |it| it + start + 1);
        let line = tokens[start..frame.position].to_vec();
        if let Some(last) = line.last() {
            self.last_span = last.span;
        }
        line
    }

    /// Defines or removes a macro: what it was before.
    pub(super) fn change_macro(&mut self, name: Symbol, now: Option<Arc<Macro>>) -> Option<Arc<Macro>> {
        let last = self.frames.first().and_then(|it| it.file.tokens.get(it.position.checked_sub(1)?));
        self.state.macro_changes.extend(last.map(|it| (it.span.start, name)));
        match now {
            Some(now) => self.state.macros.insert(name, now),
            None => self.state.macros.remove(&name),
        }
    }

    fn define(&mut self, name: Token, rest: &[Token]) {
        let Some((macro_name, rest)) = rest.split_first() else {
            return self.error_at(name, "`#define` needs a name");
        };
        let text = self.text(macro_name.text);
        if macro_name.kind != SyntaxKind::IDENT || text == "defined" {
            let message = format!("`{text}` cannot be the name of a macro");
            return self.error_at(*macro_name, message);
        }
        let definition = macro_name.span;
        match Macro::parse(definition, rest, &mut self.state.interner) {
            Err((at, message)) => self.error_at(at.unwrap_or(*macro_name), message),
            Ok(new) => {
                let old = self.change_macro(macro_name.text, Some(Arc::new(new)));
                let new = &self.state.macros[&macro_name.text];
                if let Some(old) = old.filter(|old| !old.is_same(new) && old.builtin.is_none()) {
                    let is_system = |span: Span| self.file(span.file).is_system;
                    if !is_system(definition) && !is_system(old.definition) {
                        let message =
                            format!("`{}` is defined again and differently", self.text(macro_name.text));
                        let error =
                            PreprocessError::new(Severity::Warning, definition, ExpansionId::NONE, message);
                        self.report(error.with_hint("write `#undef` before it"));
                    }
                }
            }
        }
    }

    fn undefine(&mut self, name: Token, rest: &[Token]) {
        match rest.first() {
            Some(it) if it.kind == SyntaxKind::IDENT => {
                self.change_macro(it.text, None);
            }
            _ => self.error_at(name, "`#undef` needs the name of a macro"),
        }
    }

    fn message(&mut self, severity: Severity, whole: Span, rest: &[Token]) {
        let text = self.spelled_text(rest);
        let message = if text.is_empty() { "`#error`".to_string() } else { text };
        self.report(PreprocessError::new(severity, whole, ExpansionId::NONE, message));
    }

    /// `#line 100 "file"`: what `__LINE__` and `__FILE__` are from here on.
    fn set_line(&mut self, name: Token, rest: &[Token]) {
        let expanded = self.expand_line(rest.into());
        let number = expanded.first().and_then(|it| self.text(it.text).parse::<i64>().ok());
        let file = expanded.get(1).filter(|it| it.kind == SyntaxKind::STRING);
        let file = file.map(|it| self.text(it.text).trim_matches('"').to_string());
        let Some(number) = number.filter(|it| (0..=i64::from(i32::MAX)).contains(it)) else {
            return self.error_at(name, "`#line` needs a line number");
        };
        let here = i64::from(self.state.line(name.span.file, name.span.start));
        self.state.dependences.sets_line |= name.span.file == FileId::MAIN;
        if let Some(frame) = self.frames.last_mut() {
            frame.line_shift = number - here - 1;
            if file.is_some() {
                frame.name = file;
            }
        }
    }

    /// Tokens as text, with single spaces where white space stands between them.
    pub(super) fn spelled_text(&self, tokens: &[Token]) -> String {
        let mut out = String::new();
        for (index, token) in tokens.iter().enumerate() {
            if index > 0 && token.has_space_before() {
                out.push(' ');
            }
            out.push_str(self.text(token.text));
        }
        out
    }
}
