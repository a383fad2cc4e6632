//! Argument substitution, `#` and `##` (C17 6.10.3.1 to 6.10.3.3), `__VA_OPT__` and GNU's `, ## __VA_ARGS__`.

use super::Preprocessor;
use super::invocation::Arguments;
use super::macros::{BodyToken, Macro, Role};
use super::token::{Expansion, ExpansionId, Token};
use crate::lexer::lex;
use crate::syntax_kind::SyntaxKind;

/// Kind of the placemarker that an empty argument is beside `##` (C17 6.10.3.3 paragraph 2).
const PLACEMARKER: SyntaxKind = SyntaxKind::TOMBSTONE;

/// A substitution that is under way.
struct Substitution<'a> {
    definition: &'a Macro,
    arguments: Arguments,
    /// The arguments with macros expanded, once they are needed.
    expanded: Vec<Option<Vec<Token>>>,
    expansion: ExpansionId,
    /// The last expansion that an argument's tokens came from, and the one made of it.
    last_argument: Option<(ExpansionId, ExpansionId)>,
    out: Vec<Token>,
}

impl Preprocessor<'_> {
    /// The replacement list with arguments in place of parameters.
    pub(super) fn substitute(
        &mut self,
        definition: &Macro,
        arguments: Arguments,
        expansion: ExpansionId,
    ) -> Vec<Token> {
        let expanded = vec![None; arguments.len()];
        let mut substitution = Substitution {
            definition,
            arguments,
            expanded,
            expansion,
            last_argument: None,
            out: Vec::with_capacity(definition.body.len()),
        };
        self.substitute_body(&mut substitution, &definition.body);
        substitution.out.retain(|it| it.kind != PLACEMARKER);
        substitution.out
    }

    fn substitute_body(&mut self, s: &mut Substitution<'_>, body: &[BodyToken]) {
        let mut index = 0;
        let mut pastes = false;
        while let Some(part) = body.get(index) {
            index += 1;
            let before = s.out.len();
            match part.role {
                Role::Plain => s.out.push(Token { expansion: s.expansion, ..part.token }),
                Role::Stringify(parameter) => {
                    let token = self.stringify(&s.arguments[parameter as usize], part.token, s.expansion);
                    s.out.push(token);
                }
                Role::Parameter(parameter) => {
                    pastes &= self.substitute_parameter(s, parameter, *part, pastes);
                }
                Role::VaOpt(length) => {
                    let inside = &body[index..index + length as usize];
                    index += length as usize;
                    let last = s.arguments.len().saturating_sub(1);
                    if self.expanded_argument(s, last).is_empty() {
                        s.out.push(Token { kind: PLACEMARKER, ..part.token });
                    } else {
                        self.substitute_body(s, inside);
                    }
                    if let Some(first) = s.out.get_mut(before) {
                        *first = first.spaced_as(part.token);
                    }
                    // `__VA_OPT__(...) ## x` has its mark on the last token inside.
                    let after = inside.last().is_some_and(|it| it.paste);
                    self.paste_if(s, before, pastes);
                    pastes = after;
                    continue;
                }
            }
            self.paste_if(s, before, pastes);
            pastes = part.paste;
        }
    }

    fn paste_if(&mut self, s: &mut Substitution<'_>, before: usize, pastes: bool) {
        if pastes && before > 0 && before < s.out.len() {
            let pasted = self.paste(s.out[before - 1], s.out[before], s.expansion);
            s.out.splice(before - 1..=before, pasted);
        }
    }

    /// Puts an argument in; false if it is not pasted to what precedes it: after GNU's comma.
    fn substitute_parameter(
        &mut self,
        s: &mut Substitution<'_>,
        parameter: u16,
        part: BodyToken,
        pastes: bool,
    ) -> bool {
        let index = parameter as usize;
        let is_variadic =
            s.definition.parameters.as_ref().is_some_and(|it| it.is_variadic && index + 1 == it.names.len());
        let after_comma =
            pastes && is_variadic && s.out.last().is_some_and(|it| it.kind == SyntaxKind::COMMA);
        if after_comma && s.arguments[index].is_empty() {
            s.out.pop();
            return false;
        }
        let before = s.out.len();
        let tokens = match pastes || part.paste {
            true => s.arguments[index].clone(),
            false => self.expanded_argument(s, index).to_vec(),
        };
        for token in tokens {
            let expansion = self.argument_expansion(s, token.expansion);
            s.out.push(Token { expansion, ..token });
        }
        match s.out.get_mut(before) {
            Some(first) => *first = first.spaced_as(part.token),
            None if pastes || part.paste => s.out.push(Token { kind: PLACEMARKER, ..part.token }),
            None => {}
        }
        !after_comma
    }

    fn expanded_argument<'s>(&mut self, s: &'s mut Substitution<'_>, index: usize) -> &'s [Token] {
        let Some(argument) = s.arguments.get(index) else { return &[] };
        if s.expanded[index].is_none() {
            self.argument_depth += 1;
            s.expanded[index] = Some(self.expand_list(argument.as_slice().into()));
            self.argument_depth -= 1;
        }
        s.expanded[index].as_deref().unwrap_or_default()
    }

    /// The expansion of an argument's token that came from the expansion `inner`.
    fn argument_expansion(&mut self, s: &mut Substitution<'_>, inner: ExpansionId) -> ExpansionId {
        match s.last_argument {
            Some((last, made)) if last == inner => made,
            _ => {
                let Some(outer) = self.state.expansions.get(s.expansion.0 as usize - 1) else {
                    return s.expansion;
                };
                let made = self.state.add_expansion(Expansion { argument_of: Some(inner), ..*outer });
                s.last_argument = Some((inner, made));
                made
            }
        }
    }

    /// `#`: the spelling of an argument as a string literal.
    fn stringify(&mut self, argument: &[Token], at: Token, expansion: ExpansionId) -> Token {
        let mut text = String::from("\"");
        for (index, token) in argument.iter().enumerate() {
            if index > 0 && token.has_space_before() {
                text.push(' ');
            }
            let spelling = self.text(token.text);
            match token.kind {
                SyntaxKind::STRING | SyntaxKind::CHAR => {
                    for c in spelling.chars() {
                        if matches!(c, '"' | '\\') {
                            text.push('\\');
                        }
                        text.push(c);
                    }
                }
                _ => text.push_str(spelling),
            }
        }
        text.push('"');
        let text = self.state.interner.intern(&text);
        Token { kind: SyntaxKind::STRING, text, expansion, flags: at.flags | Token::SYNTHETIC, ..at }
    }

    /// `##`: both tokens as one, or as they are if that is no token.
    fn paste(&mut self, left: Token, right: Token, expansion: ExpansionId) -> Vec<Token> {
        if right.kind == PLACEMARKER {
            return vec![left];
        }
        if left.kind == PLACEMARKER {
            return vec![right.spaced_as(left)];
        }
        let text = format!("{}{}", self.text(left.text), self.text(right.text));
        let lexed = lex(&text);
        if lexed.kinds.len() != 1 || lexed.kinds[0].is_trivia() || lexed.kinds[0] == SyntaxKind::ERROR_TOKEN {
            let message = format!(
                "`##` of `{}` and `{}` does not make a token",
                self.text(left.text),
                self.text(right.text)
            );
            self.error(left.span, expansion, message);
            return vec![left, right];
        }
        let flags = (left.flags & !Token::NO_EXPAND) | Token::SYNTHETIC;
        let text = self.state.interner.intern(&text);
        vec![Token { kind: lexed.kinds[0], flags, text, span: left.span, expansion }]
    }
}
