//! Conditional inclusion (C17 6.10.1): which groups of lines are read.

use super::token::Token;
use super::{PreprocessError, Preprocessor, Severity};
use crate::files::Span;
use crate::preprocessor::token::ExpansionId;
use crate::syntax_kind::SyntaxKind;

/// An `#if` that is open.
#[derive(Debug)]
pub(super) struct Conditional {
    start: Span,
    /// One of its groups was read.
    was_taken: bool,
    has_else: bool,
}

impl Preprocessor<'_> {
    /// `#if`, `#ifdef`, `#ifndef`.
    pub(super) fn open_conditional(&mut self, start: Span, holds: bool) {
        if let Some(frame) = self.frames.last_mut() {
            frame.conditionals.push(Conditional { start, was_taken: holds, has_else: false });
        }
        if !holds {
            self.skip_group();
        }
    }

    /// `#elif` and `#else` after a group that was read; `#endif`.
    pub(super) fn next_group(&mut self, name: Token, word: &str) {
        let Some(conditional) = self.frames.last_mut().and_then(|it| it.conditionals.last_mut()) else {
            self.error_at(name, format!("`#{word}` without an `#if` before it"));
            return;
        };
        let after_else = conditional.has_else && word != "endif";
        conditional.has_else |= word == "else";
        if word == "endif" {
            self.close_conditional();
            return;
        }
        if after_else {
            self.error_at(name, format!("`#{word}` after the `#else` of the same `#if`"));
        }
        self.skip_group();
    }

    fn close_conditional(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.conditionals.pop();
        }
    }

    /// Passes over lines up to the next group that is read.
    fn skip_group(&mut self) {
        let mut depth = 0;
        loop {
            let Some(line) = self.next_directive_line() else { return };
            let Some(&name) = line.get(1) else { continue };
            let word = self.text(name.text).to_string();
            match &*word {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" if depth == 0 => {
                    self.close_conditional();
                    return;
                }
                "endif" => depth -= 1,
                "elif" | "else" if depth == 0 && self.starts_group(name, &word, &line[2..]) => return,
                _ => {}
            }
        }
    }

    /// Whether the group after this `#elif` or `#else` is read.
    fn starts_group(&mut self, name: Token, word: &str, condition: &[Token]) -> bool {
        let Some(conditional) = self.frames.last_mut().and_then(|it| it.conditionals.last_mut()) else {
            return false;
        };
        let after_else = conditional.has_else;
        let was_taken = conditional.was_taken;
        conditional.has_else |= word == "else";
        if after_else {
            self.error_at(name, format!("`#{word}` after the `#else` of the same `#if`"));
            return false;
        }
        let holds = !was_taken && (word == "else" || self.condition(name, condition));
        if holds && let Some(conditional) = self.frames.last_mut().and_then(|it| it.conditionals.last_mut()) {
            conditional.was_taken = true;
        }
        holds
    }

    /// Moves behind the next line that is a directive, and gives its tokens.
    fn next_directive_line(&mut self) -> Option<Vec<Token>> {
        let frame = self.frames.last_mut()?;
        let tokens = &frame.file.tokens;
        let starts = |token: &Token| token.is_line_start() && token.kind == SyntaxKind::HASH;
        let start = tokens[frame.position..].iter().position(starts).map(|it| it + frame.position);
        let Some(start) = start else {
            frame.position = tokens.len();
            return None;
        };
        let end = tokens[start + 1..].iter().position(Token::is_line_start);
        let end = end.map_or(tokens.len(), |it| it + start + 1);
        frame.position = end;
        Some(tokens[start..end].to_vec())
    }

    /// Leaves the file that is being read.
    pub(super) fn leave_file(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        for open in frame.conditionals {
            let message = "this `#if` has no `#endif`".to_string();
            self.report(
                PreprocessError::new(Severity::Error, open.start, ExpansionId::NONE, message)
                    .with_hint("add `#endif` where its lines end"),
            );
        }
    }
}
