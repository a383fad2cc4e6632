//! Lines and their indentation.

use apg_syntax::{TextRange, TextSize};

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

/// Where members are added before the brace that ends a class, and what stands before and behind them there.
pub(super) fn before_brace<'a>(
    text: &str,
    brace: TextSize,
    indent: &'a str,
) -> (TextRange, &'static str, &'a str) {
    // The white space before the brace belongs to its line; to none where that holds the other brace too.
    let before = text[..usize::from(brace)].trim_end_matches([' ', '\t']);
    let start = TextSize::of(before);
    match before.ends_with('\n') {
        true => (TextRange::empty(start), "", ""),
        false => (TextRange::new(start, brace), "\n", indent),
    }
}
