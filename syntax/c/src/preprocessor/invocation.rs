//! Arguments of macro invocations (C17 6.10.3 paragraphs 10 to 12).

use super::Preprocessor;
use super::limits::MAX_ARGUMENT_DEPTH;
use super::macros::Parameters;
use super::token::Token;
use crate::files::Span;
use crate::syntax_kind::SyntaxKind;

/// The tokens of each argument.
pub(super) type Arguments = Vec<Vec<Token>>;

impl Preprocessor<'_> {
    /// The arguments after the name of a function-like macro, and the closing parenthesis. `None` if there
    /// are none; an error was reported if they are wrong.
    pub(super) fn arguments(
        &mut self,
        name: Token,
        parameters: &Parameters,
    ) -> Option<Result<(Arguments, Span), ()>> {
        if !self.take_open_parenthesis() {
            return None;
        }
        if self.argument_depth >= MAX_ARGUMENT_DEPTH {
            let message =
                format!("invocations of macros are nested more than {MAX_ARGUMENT_DEPTH} levels deep here");
            self.give_up(name.span, message);
            return Some(Err(()));
        }
        let collects = std::mem::replace(&mut self.collects_arguments, true);
        let read = self.read_arguments(parameters);
        self.collects_arguments = collects;
        let Some((mut arguments, end)) = read else {
            let text = self.text(name.text).to_string();
            self.error_at(name, format!("the arguments of macro `{text}` lack their `)`"));
            return Some(Err(()));
        };
        let wanted = parameters.names.len();
        if wanted == 0 && arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        let least = if parameters.is_variadic { wanted - 1 } else { wanted };
        if arguments.len() < least || arguments.len() > wanted {
            let text = self.text(name.text);
            let message = format!("macro `{text}` takes {wanted} arguments, not {}", arguments.len());
            self.error_at(name, message);
            return Some(Err(()));
        }
        arguments.resize(wanted, Vec::new());
        Some(Ok((arguments, end)))
    }

    fn read_arguments(&mut self, parameters: &Parameters) -> Option<(Arguments, Span)> {
        let mut arguments = vec![Vec::new()];
        let mut depth = 0;
        loop {
            let mut token = self.next_raw()?;
            match token.kind {
                SyntaxKind::L_PAREN => depth += 1,
                SyntaxKind::R_PAREN if depth == 0 => return Some((arguments, token.span)),
                SyntaxKind::R_PAREN => depth -= 1,
                SyntaxKind::COMMA
                    if depth == 0
                        && !(parameters.is_variadic && arguments.len() >= parameters.names.len()) =>
                {
                    arguments.push(Vec::new());
                    continue;
                }
                SyntaxKind::IDENT if self.is_disabled(token) => token.flags |= Token::NO_EXPAND,
                _ => {}
            }
            if let Some(last) = arguments.last_mut() {
                last.push(token);
            }
        }
    }

    /// Takes `(` if it is the next token; contexts that are empty are left.
    fn take_open_parenthesis(&mut self) -> bool {
        while let Some(context) = self.contexts.last() {
            match context.tokens.get(context.position) {
                Some(token) if token.kind == SyntaxKind::L_PAREN => {
                    self.next_raw();
                    return true;
                }
                Some(_) => return false,
                None if context.is_barrier => return false,
                None => self.pop_context(),
            }
        }
        // Directives between the name and its arguments are obeyed.
        let Some(frame) = self.frames.last() else { return false };
        let is_open = |token: &Token| token.kind == SyntaxKind::L_PAREN;
        match frame.file.tokens.get(frame.position) {
            Some(token) if token.kind == SyntaxKind::HASH && token.is_line_start() => {
                let collects = std::mem::replace(&mut self.collects_arguments, true);
                let next = self.next_of_file();
                self.collects_arguments = collects;
                let found = next.as_ref().is_some_and(is_open);
                if let Some(token) = next.filter(|_| !found) {
                    self.push_context(std::sync::Arc::new([token]), None, false);
                }
                found
            }
            Some(token) if is_open(token) => {
                self.next_raw();
                true
            }
            _ => false,
        }
    }
}
