//! Places of directives in the text of a file (C17 6.10.6): only those that the file spells can be edited.

use apg_c_analysis::Parsed;
use apg_c_analysis::hir::Variable;
use apg_c_syntax::{FileId, TextRange};

use crate::unsupported::{Lowered, unsupported};

/// Whether an included file contains a directive.
pub(crate) fn is_in_header(parsed: &Parsed, range: TextRange) -> bool {
    let span = parsed.syntax.main.span(&parsed.unit, range);
    span.is_some_and(|it| it.file != FileId::MAIN)
}

/// Where the declarator of a variable ends, behind its name and the brackets that follow, if the file spells
/// it.
pub(crate) fn end_of_declarator(parsed: &Parsed, of: &Variable) -> Option<usize> {
    let range = of.range.filter(|it| !is_in_header(parsed, *it) && parsed.is_spelled(*it))?;
    let name: std::ops::Range<usize> = parsed.spelled(range)?.into();
    let text = parsed.text();
    if text.get(name.clone()) != Some(&of.name) {
        return None;
    }
    let mut depth = 0;
    for (index, character) in text[name.end..].char_indices() {
        match character {
            '[' | '(' => depth += 1,
            // It is the parenthesis of `(*f)(int)` where it closes none.
            ']' | ')' => depth = i32::max(depth - 1, 0),
            '=' | ',' | ';' if depth == 0 => return Some(name.end + index),
            it if depth == 0 && !it.is_whitespace() => return (it == '_').then_some(name.end + index),
            '/' | '\\' | '"' | '\'' => return None,
            _ => {}
        }
    }
    None
}

/// Where a directive is written; one of a header cannot be changed, and one of a macro neither if it has not
/// been [written out](crate::written_directives).
pub(crate) fn spelled_directive(parsed: &Parsed, range: TextRange) -> Lowered<std::ops::Range<usize>> {
    if is_in_header(parsed, range) {
        let message = "a header contains this directive, which so cannot run on a device";
        return unsupported(range, message, "write the directive in the file itself");
    }
    let tokens = parsed.syntax.main.tokens_in(range);
    if !tokens.first().is_none_or(apg_c_syntax::Token::is_spelled) {
        let why = match parsed.unit.uses_counter() {
            true => "counts by `__COUNTER__`",
            false => "takes arguments from behind itself, or has directives of the preprocessor in them",
        };
        let message = format!("a macro makes this directive, which so cannot run on a device: it {why}");
        return unsupported(range, message, "write the directive itself");
    }
    Ok(parsed.spelled(range).unwrap_or_default().into())
}
