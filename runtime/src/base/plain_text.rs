//! Text of other machines and of files, before it is printed.

/// A message that may quote another machine or a file, without the control characters that a terminal would
/// obey.
#[must_use]
pub fn without_controls(text: &str) -> String {
    text.chars().filter(|it| matches!(it, '\n' | '\t') || !it.is_control()).collect()
}
