//! Lines and their indentation.

use apg_syntax::TextSize;

/// One step of indentation, as the formatter has it.
pub(super) const STEP: &str = "    ";

/// The white space that the line of an offset starts with.
pub(super) fn indentation(text: &str, offset: TextSize) -> &str {
    let start = text[..usize::from(offset)].rfind('\n').map_or(0, |at| at + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// A text one step further in, but for its first line.
pub(super) fn indented(text: &str) -> String {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |text, line| {
        let step = if line.trim().is_empty() { "" } else { STEP };
        format!("{text}\n{step}{line}")
    })
}
