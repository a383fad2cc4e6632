//! Macro expansion (C17 6.10.3): which names are expanded, and `_Pragma`.

use std::sync::Arc;

use super::Preprocessor;
use super::limits::MAX_EXPANDED_TOKENS;
use super::macros::Macro;
use super::token::{Expansion, Token};
use crate::syntax_kind::SyntaxKind;

impl Preprocessor<'_> {
    /// The next token with macros expanded. `None` at a barrier and at the end.
    pub(super) fn next_expanded(&mut self) -> Option<Token> {
        loop {
            let token = self.next_raw()?;
            if token.kind != SyntaxKind::IDENT || token.has(Token::NO_EXPAND) {
                return Some(token);
            }
            // What the name means here is not what it means at the end of the file.
            self.depends_on_place |= self.later_macros.contains(&token.text);
            let Some(definition) = self.state.macros.get(&token.text).cloned() else {
                match self.special_name(token) {
                    Special::Token(token) => return Some(token),
                    Special::Taken => continue,
                }
            };
            if self.is_disabled(token) {
                return Some(Token { flags: token.flags | Token::NO_EXPAND, ..token });
            }
            if !self.expand(token, &definition) {
                return Some(token);
            }
        }
    }

    /// A name that is met while its macro is disabled is never expanded.
    pub(super) fn is_disabled(&self, token: Token) -> bool {
        self.state.disabled.get(&token.text).is_some_and(|it| *it > 0)
    }

    /// Puts the expansion of a macro's name before what follows. False if no arguments follow the name of a
    /// function-like macro.
    fn expand(&mut self, name: Token, definition: &Arc<Macro>) -> bool {
        if let Some(builtin) = definition.builtin {
            let value = self.builtin_value(builtin, name);
            self.push_context(Arc::new([value]), None, false);
            return true;
        }
        let (arguments, end) = match &definition.parameters {
            None => (Vec::new(), name.span),
            Some(parameters) => match self.arguments(name, parameters) {
                None => return false,
                Some(Err(())) => return true,
                Some(Ok(found)) => found,
            },
        };
        let expansion = self.state.add_expansion(Expansion {
            macro_name: name.text,
            definition: definition.definition,
            invocation: name.span.to(end),
            parent: name.expansion,
            argument_of: None,
        });
        let mut tokens = self.substitute(definition, arguments, expansion);
        if let Some(first) = tokens.first_mut() {
            *first = first.spaced_as(name);
        }
        self.expanded_tokens += tokens.len() + 1;
        if self.expanded_tokens > MAX_EXPANDED_TOKENS {
            let message = format!("the macros of this file expand to more than {MAX_EXPANDED_TOKENS} tokens");
            self.give_up(self.state.expansion_site(&name), message);
            return true;
        }
        self.push_context(tokens.into(), Some(name.text), false);
        true
    }

    fn special_name(&mut self, token: Token) -> Special {
        match self.text(token.text) {
            "_Pragma" => match self.pragma_operator(token) {
                true => Special::Taken,
                false => Special::Token(token),
            },
            "defined" if self.in_condition => Special::Token(self.defined_operator(token)),
            word if self.in_condition && word.starts_with("__has_") => {
                let word = word.to_string();
                Special::Token(self.feature_operator(token, &word))
            }
            _ => Special::Token(token),
        }
    }
}

/// What became of a name that has a meaning of its own.
enum Special {
    Token(Token),
    Taken,
}
