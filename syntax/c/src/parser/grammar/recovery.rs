//! Where a block ends whose `}` is missing: at the next function that is defined at the start of a line.
//!
//! GNU C has functions in functions, so nothing is guessed in a file whose braces are balanced.

use super::*;

/// Whether the block around this token lacks its `}`, and a function of file scope is defined here.
pub(super) fn at_function_behind_open_block(p: &Parser<'_>) -> bool {
    !p.in_directive && starts_file_line(p) && at_function_definition(p) && p.lacks_closing_brace()
}

/// The token is spelled in the first column of its file.
fn starts_file_line(p: &Parser<'_>) -> bool {
    let Some(token) = p.tokens.get(p.position).filter(|it| it.is_line_start() && it.is_spelled()) else {
        return false;
    };
    let before = &p.unit.file(token.span.file).text.as_bytes()[..token.span.start as usize];
    before.last().is_none_or(|it| *it == b'\n')
}

/// Specifiers and `*`, at least one, a name, `( ... )`, attributes, and `{`.
fn at_function_definition(p: &Parser<'_>) -> bool {
    let mut ahead = 0;
    loop {
        match p.peek(ahead) {
            __ATTRIBUTE___KW => match behind_parentheses(p, ahead + 1) {
                Some(next) => ahead = next,
                None => return false,
            },
            IDENT if p.peek(ahead + 1) == L_PAREN => break,
            IDENT | STAR => ahead += 1,
            kind if specifiers::DECLARATION_START.contains(kind) => ahead += 1,
            _ => return false,
        }
    }
    let Some(mut behind) = behind_parentheses(p, ahead + 1).filter(|_| ahead > 0) else { return false };
    while p.peek(behind) == __ATTRIBUTE___KW {
        let Some(next) = behind_parentheses(p, behind + 1) else { return false };
        behind = next;
    }
    p.peek(behind) == L_CURLY
}

/// The token behind the parentheses that open at a token; `None` if they do not open, or do not close in
/// front of the next `;` or brace.
fn behind_parentheses(p: &Parser<'_>, ahead: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for ahead in ahead.. {
        match p.peek(ahead) {
            L_PAREN => depth += 1,
            R_PAREN => depth = depth.checked_sub(1)?,
            EOF | SEMICOLON | L_CURLY | R_CURLY | PRAGMA_START => return None,
            _ => {}
        }
        if depth == 0 {
            return (p.peek(ahead) == R_PAREN).then_some(ahead + 1);
        }
    }
    None
}
