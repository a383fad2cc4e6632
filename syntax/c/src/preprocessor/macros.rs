//! Macro definitions (C17 6.10.3) with GNU's named variadic parameters and `__VA_OPT__`.

use std::sync::Arc;

use crate::files::Span;
use crate::preprocessor::token::Token;
use crate::symbol::{Interner, Symbol};
use crate::syntax_kind::SyntaxKind;

/// A macro.
#[derive(Debug)]
pub(crate) struct Macro {
    pub(crate) definition: Span,
    pub(crate) parameters: Option<Parameters>,
    pub(crate) body: Arc<[BodyToken]>,
    pub(crate) builtin: Option<Builtin>,
}

/// Macros whose value changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    File,
    Line,
    Counter,
    IncludeLevel,
    BaseFile,
    Date,
    Time,
    Timestamp,
}

impl Builtin {
    pub(crate) const ALL: [(&'static str, Builtin); 8] = [
        ("__FILE__", Builtin::File),
        ("__LINE__", Builtin::Line),
        ("__COUNTER__", Builtin::Counter),
        ("__INCLUDE_LEVEL__", Builtin::IncludeLevel),
        ("__BASE_FILE__", Builtin::BaseFile),
        ("__DATE__", Builtin::Date),
        ("__TIME__", Builtin::Time),
        ("__TIMESTAMP__", Builtin::Timestamp),
    ];
}

/// The parameters of a function-like macro.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameters {
    pub(crate) names: Vec<Symbol>,
    /// The last one takes all further arguments.
    pub(crate) is_variadic: bool,
}

/// A token of a replacement list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyToken {
    pub(crate) token: Token,
    pub(crate) role: Role,
    /// `##` follows.
    pub(crate) paste: bool,
}

/// What a token of a replacement list stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Plain,
    Parameter(u16),
    Stringify(u16),
    /// `__VA_OPT__(`, with the number of tokens up to its closing parenthesis, which is not among them.
    VaOpt(u32),
}

impl Macro {
    /// A macro from the tokens after its name. The error has the token that is wrong, if there is one.
    pub(crate) fn parse(
        definition: Span,
        rest: &[Token],
        interner: &mut Interner,
    ) -> Result<Macro, (Option<Token>, String)> {
        let (parameters, body) = match rest.first() {
            Some(open) if open.kind == SyntaxKind::L_PAREN && !open.has_space_before() => {
                let (parameters, taken) = Parameters::parse(&rest[1..], interner)?;
                (Some(parameters), &rest[1 + taken..])
            }
            _ => (None, rest),
        };
        let body = body_tokens(body, parameters.as_ref(), interner)?;
        Ok(Macro { definition, parameters, body: body.into(), builtin: None })
    }

    /// The same macro with changed spans of its definition and of its tokens.
    pub(crate) fn with_spans(&self, mut change: impl FnMut(&mut Span)) -> Macro {
        let mut definition = self.definition;
        change(&mut definition);
        let mut body = self.body.to_vec();
        body.iter_mut().for_each(|it| change(&mut it.token.span));
        let parameters = self.parameters.clone();
        Macro { definition, parameters, body: body.into(), builtin: self.builtin }
    }

    /// Whether both mean the same (C17 6.10.3 paragraph 2).
    pub(crate) fn is_same(&self, other: &Macro) -> bool {
        self.builtin == other.builtin
            && self.parameters == other.parameters
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&*other.body).enumerate().all(|(index, (a, b))| {
                a.token.text == b.token.text
                    && a.role == b.role
                    && a.paste == b.paste
                    && (index == 0 || a.token.has_space_before() == b.token.has_space_before())
            })
    }
}

impl Parameters {
    /// Parses what follows the opening parenthesis; gives the number of tokens too.
    fn parse(
        tokens: &[Token],
        interner: &mut Interner,
    ) -> Result<(Parameters, usize), (Option<Token>, String)> {
        let mut names = Vec::new();
        let mut is_variadic = false;
        let mut at = 0;
        let missing = || (None, "the parameters of this macro lack their `)`".to_string());
        if tokens.first().is_some_and(|it| it.kind == SyntaxKind::R_PAREN) {
            return Ok((Parameters { names, is_variadic }, 1));
        }
        loop {
            let token = *tokens.get(at).ok_or_else(missing)?;
            at += 1;
            match token.kind {
                SyntaxKind::IDENT if names.contains(&token.text) => {
                    let name = interner.text(token.text);
                    return Err((Some(token), format!("the parameter `{name}` is there twice")));
                }
                SyntaxKind::IDENT => {
                    names.push(token.text);
                    if tokens.get(at).is_some_and(|it| it.kind == SyntaxKind::ELLIPSIS) {
                        is_variadic = true;
                        at += 1;
                    }
                }
                SyntaxKind::ELLIPSIS => {
                    names.push(interner.intern("__VA_ARGS__"));
                    is_variadic = true;
                }
                _ => return Err((Some(token), "a parameter of a macro is a name or `...`".to_string())),
            }
            let separator = *tokens.get(at).ok_or_else(missing)?;
            at += 1;
            match separator.kind {
                SyntaxKind::R_PAREN => return Ok((Parameters { names, is_variadic }, at)),
                SyntaxKind::COMMA if !is_variadic => {}
                _ => return Err((Some(separator), "`,` or `)` belongs here".to_string())),
            }
        }
    }
}

fn body_tokens(
    tokens: &[Token],
    parameters: Option<&Parameters>,
    interner: &Interner,
) -> Result<Vec<BodyToken>, (Option<Token>, String)> {
    let parameter = |token: &Token| {
        let names = &parameters?.names;
        let index = names.iter().position(|it| *it == token.text)?;
        (token.kind == SyntaxKind::IDENT).then_some(index as u16)
    };
    let mut body: Vec<BodyToken> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let token = tokens[at];
        at += 1;
        match token.kind {
            SyntaxKind::HASH2 => match body.last_mut() {
                Some(last) if at < tokens.len() => last.paste = true,
                _ => return Err((Some(token), "`##` needs a token on each side".to_string())),
            },
            SyntaxKind::HASH if parameters.is_some() => {
                let Some(index) = tokens.get(at).and_then(parameter) else {
                    return Err((Some(token), "`#` needs a parameter of the macro after it".to_string()));
                };
                let name = tokens[at].spaced_as(token);
                body.push(BodyToken { token: name, role: Role::Stringify(index), paste: false });
                at += 1;
            }
            _ if is_va_opt(&token, parameters, interner) => {
                let inner = va_opt_tokens(&tokens[at..])
                    .ok_or_else(|| (Some(token), "`__VA_OPT__` needs `(...)` after it".to_string()))?;
                let inside = body_tokens(&tokens[at + 1..at + 1 + inner], parameters, interner)?;
                body.push(BodyToken { token, role: Role::VaOpt(inside.len() as u32), paste: false });
                let is_empty = inside.is_empty();
                body.extend(inside);
                at += inner + 2;
                // `__VA_OPT__(x) ## y`: the paste is of the last token inside.
                if is_empty && tokens.get(at).is_some_and(|it| it.kind == SyntaxKind::HASH2) {
                    at += 1;
                }
            }
            _ => {
                let role = parameter(&token).map_or(Role::Plain, Role::Parameter);
                body.push(BodyToken { token, role, paste: false });
            }
        }
    }
    Ok(body)
}

fn is_va_opt(token: &Token, parameters: Option<&Parameters>, interner: &Interner) -> bool {
    token.kind == SyntaxKind::IDENT
        && parameters.is_some_and(|it| it.is_variadic)
        && interner.text(token.text) == "__VA_OPT__"
}

/// The number of tokens between the parentheses that `tokens` starts with.
fn va_opt_tokens(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            SyntaxKind::L_PAREN => depth += 1,
            SyntaxKind::R_PAREN => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return index.checked_sub(1);
        }
    }
    None
}
