//! Errors of the parser: which are reported, and which would only be consequences of others.

use apg_source::TextRange;

use super::state::Parser;
use super::token_set::TokenSet;
use crate::syntax_error::{MistakeKind, SyntaxError};
use crate::syntax_kind::SyntaxKind;

/// Tokens of a line that are searched for another error.
const MAX_SEARCHED_TOKENS: usize = 128;

impl Parser<'_> {
    /// An error at the current token.
    pub(super) fn error(&mut self, message: impl Into<String>) {
        let range = self.input.range(self.lexed, self.position);
        self.error_at(range, message);
    }

    /// An error just after the last token: something is missing there. Beside another error of the line it
    /// would be a consequence more often than not.
    pub(super) fn missing(&mut self, message: impl Into<String>) {
        let before = self.position.checked_sub(1);
        if self.last_error != self.position && self.is_reported_in_line() {
            self.suppress_next_error();
            self.last_report = before.unwrap_or(0);
        }
        let range = match before {
            None => TextRange::empty(self.input.range(self.lexed, 0).start()),
            Some(it) => TextRange::empty(self.input.range(self.lexed, it).end()),
        };
        self.report(before.unwrap_or(0), SyntaxError::new(range, message).as_gap());
    }

    pub(super) fn error_at(&mut self, range: TextRange, message: impl Into<String>) {
        self.report(self.position, SyntaxError::new(range, message));
    }

    /// An error at the current token: something else must are here, and what this means is not known.
    pub(super) fn unexpected(&mut self, message: impl Into<String>) {
        self.unexpected_at(self.position, message);
    }

    /// The same at the token `index`.
    pub(super) fn unexpected_at(&mut self, index: usize, message: impl Into<String>) {
        let range = self.input.range(self.lexed, index);
        self.report(index, SyntaxError::new(range, message).as_gap());
    }

    /// Reports an error in the line of the token at `index`.
    pub(super) fn report(&mut self, index: usize, error: SyntaxError) {
        self.reported_last_error = self.last_error != self.position && !self.gave_up && !self.is_reported();
        self.last_error = if self.gave_up { self.last_error } else { self.position };
        if self.reported_last_error {
            self.last_report = index;
            self.own_errors += 1;
            self.errors.push(error);
        }
    }

    /// Suppresses the next error at the current token, which would be a consequence of another one.
    pub(super) fn suppress_next_error(&mut self) {
        self.last_error = self.position;
        self.reported_last_error = false;
    }

    /// Whether a comment without an end has taken the rest of the text, and with it whatever is missing.
    pub(super) fn in_comment_to_the_end(&self) -> bool {
        let Some(last) = self.lexed.kinds.len().checked_sub(1) else { return false };
        matches!(self.lexed.kinds[last], SyntaxKind::BLOCK_COMMENT | SyntaxKind::DOC_COMMENT)
            && self.lexed.errors.last().is_some_and(|it| it.range.start() == self.lexed.range(last).start())
    }

    /// Whether the lexer has said what is wrong with the token at `index`: characters of no token, or a
    /// string without an end.
    pub(super) fn is_malformed(&self, index: usize) -> bool {
        let kind = self.input.kind(index);
        kind == SyntaxKind::ERROR_TOKEN
            || matches!(kind, SyntaxKind::STRING | SyntaxKind::CHAR) && {
                let start = self.input.range(self.lexed, index).start();
                self.lexed.errors.binary_search_by_key(&start, |it| it.range.start()).is_ok()
            }
    }

    /// Whether the lexer has said what is wrong here, or a comment without an end has taken it.
    pub(super) fn is_reported(&self) -> bool {
        self.input.kind(self.position) == SyntaxKind::ERROR_TOKEN
            || self.at_end() && self.in_comment_to_the_end()
            || self.position.checked_sub(1).is_some_and(|it| self.is_malformed(it))
    }

    /// Whether an error was reported in the line before the current token, or the lexer has one in the rest
    /// of the line. The search ends at braces, because the code inside may be parsed by itself.
    pub(super) fn is_reported_in_line(&self) -> bool {
        let is_brace = |index: usize| matches!(self.input.kind(index), T!['{'] | T!['}']);
        let is_near = |index: usize| index.abs_diff(self.position) < MAX_SEARCHED_TOKENS;
        let mut index = self.position;
        while let Some(before) = index.checked_sub(1).filter(|it| is_near(*it) && !is_brace(*it)) {
            index = before;
            if index == self.last_report || self.is_malformed(index) {
                return true;
            }
            if self.input.newline_before(index) {
                break;
            }
        }
        let mut index = self.position;
        while is_near(index)
            && index < self.input.kinds.len()
            && !is_brace(index)
            && !self.input.newline_before(index)
        {
            if self.is_malformed(index) {
                return true;
            }
            index += 1;
        }
        false
    }

    /// Adds what to write instead to the error just made at this position.
    pub(super) fn hint(&mut self, hint: &str) {
        if self.last_error == self.position
            && self.reported_last_error
            && let Some(error) = self.errors.last_mut()
        {
            error.hint.get_or_insert_with(|| hint.to_string());
        }
    }

    /// Adds what to put in place of the range of the error just made at this position.
    pub(super) fn replace_by(&mut self, text: String) {
        if self.last_error == self.position
            && self.reported_last_error
            && let Some(error) = self.errors.last_mut()
        {
            error.replacement.get_or_insert(text);
        }
    }

    /// Says that the error just made at this position may be made again.
    pub(super) fn mark_mistake(&mut self, mistake: MistakeKind) {
        if self.last_error == self.position
            && self.reported_last_error
            && let Some(error) = self.errors.last_mut()
        {
            error.mistake = Some(mistake);
        }
    }

    /// Lets a token that is missing after the last one be written there, if that is all that is wrong:
    /// nothing follows that belongs to what it ends.
    pub(super) fn insert(&mut self, kind: SyntaxKind) {
        let ends = self.at_end()
            || match kind {
                T![;] => self.at_line_start() || self.at(T!['}']),
                T![')'] | T![']'] => matches!(self.current(), T![;] | T!['{'] | T!['}']),
                _ => false,
            };
        if let Some(text) = kind.text().filter(|_| ends && self.position > 0) {
            match self.reported_last_error {
                true => self.replace_by(text.to_owned()),
                false => self.insert_too(text),
            }
        }
    }

    /// Adds to what the error at this position inserts: one more of the same is missing.
    pub(super) fn insert_too(&mut self, text: &str) {
        let behind = self.input.range(self.lexed, self.position - 1).end();
        if self.last_error == self.position
            && let Some(error) = self.errors.last_mut()
            && error.range == TextRange::empty(behind)
            && let Some(inserted) = &mut error.replacement
            && inserted.ends_with(text)
        {
            inserted.push_str(text);
        }
    }

    /// The range of the tokens from `start` up to the current one.
    pub(super) fn range_since(&self, start: usize) -> TextRange {
        let first = self.input.range(self.lexed, start);
        match self.position {
            end if end > start => first.cover(self.input.range(self.lexed, end - 1)),
            _ => first,
        }
    }

    /// An error at the current token, which is skipped unless `stop` has it.
    pub(super) fn error_recover(&mut self, message: impl Into<String>, stop: &TokenSet) {
        self.unexpected(message);
        if !self.at_end() && !self.at_set(stop) {
            let m = self.start();
            self.bump();
            m.complete(self, SyntaxKind::ERROR);
        }
    }
}
