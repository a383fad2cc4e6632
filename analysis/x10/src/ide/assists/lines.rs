//! Lines and their indentation.

use apg_syntax::{TextRange, TextSize};

/// One level of indentation, as the formatter writes it.
pub(super) const STEP: &str = "    ";

/// The indentation of the line at an offset.
pub(super) fn indentation(text: &str, offset: TextSize) -> &str {
    let start = text[..usize::from(offset)].rfind('\n').map_or(0, |at| at + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// A text indented one level further, except for its first line.
pub(super) fn indented(text: &str) -> String {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |text, line| {
        let step = if line.trim().is_empty() { "" } else { STEP };
        format!("{text}\n{step}{line}")
    })
}

/// The insertion point for members before the closing brace of a class, with the text before and after them.
pub(super) fn before_brace<'a>(
    text: &str,
    brace: TextSize,
    indent: &'a str,
) -> (TextRange, &'static str, &'a str) {
    // The white space before the brace is its indentation, unless the opening brace is on the same line.
    let before = text[..usize::from(brace)].trim_end_matches([' ', '\t']);
    let start = TextSize::of(before);
    match before.ends_with('\n') {
        true => (TextRange::empty(start), "", ""),
        false => (TextRange::new(start, brace), "\n", indent),
    }
}
