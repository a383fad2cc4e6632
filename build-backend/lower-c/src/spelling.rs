//! Places of directives in the text of a file (C17 6.10.6): only those that the file spells can be edited.

use apg_c_analysis::Parsed;
use apg_c_syntax::{FileId, TextRange};

use crate::unsupported::{Lowered, unsupported};

/// Whether an included file contains a directive.
pub(crate) fn is_in_header(parsed: &Parsed, range: TextRange) -> bool {
    let span = parsed.syntax.main.span(&parsed.unit, range);
    span.is_some_and(|it| it.file != FileId::MAIN)
}

/// Where a directive is written; one of a header or a macro cannot be changed.
pub(crate) fn spelled_directive(parsed: &Parsed, range: TextRange) -> Lowered<std::ops::Range<usize>> {
    if is_in_header(parsed, range) {
        let message = "a header contains this directive, which so cannot run on a device";
        return unsupported(range, message, "write the directive in the file itself");
    }
    let found: std::ops::Range<usize> = parsed.spelled(range).unwrap_or_default().into();
    let text = &parsed.text()[found.clone()];
    if !text.trim_start().starts_with('#') {
        let message = "a macro contains this directive, which so cannot run on a device";
        return unsupported(range, message, "write the directive itself");
    }
    Ok(found)
}
