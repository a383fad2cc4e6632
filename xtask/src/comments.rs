//! Width check of comments: rustfmt wraps code and leaves comments as they are.

use std::fmt::Write as _;
use std::path::Path;

/// Columns of a comment line, as `max_width` of rustfmt.
const MAX_COLUMNS: usize = 110;
/// Lines that a failure prints.
const MAX_PRINTED: usize = 40;

/// Fails where a line of a Rust file that is a comment is wider than [`MAX_COLUMNS`]; addresses cannot be
/// wrapped.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let mut wide = Vec::new();
    for file in crate::files_below(root, "rs")? {
        // Generated files have one line for each rule of the grammar.
        if file.components().any(|it| it.as_os_str() == "generated") {
            continue;
        }
        let shown = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        for (number, line) in crate::read(&file)?.lines().enumerate() {
            if is_too_wide(line) {
                wide.push(format!("{shown}:{}: {} columns", number + 1, line.chars().count()));
            }
        }
    }
    if wide.is_empty() {
        return Ok(());
    }
    let mut message = format!("{} comment lines have more than {MAX_COLUMNS} columns:", wide.len());
    for line in wide.iter().take(MAX_PRINTED) {
        let _ = write!(message, "\n  {line}");
    }
    Err(message)
}

fn is_too_wide(line: &str) -> bool {
    line.trim_start().starts_with("//") && line.chars().count() > MAX_COLUMNS && !line.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_alone_are_measured() {
        let wide = "x".repeat(120);
        assert!(is_too_wide(&format!("    /// {wide}")));
        assert!(!is_too_wide(&format!("let text = \"{wide}\"; // it")));
        assert!(!is_too_wide(&format!("// https://example.org/{wide}")));
    }

    #[test]
    fn comments_of_the_repository_are_narrow() {
        if let Err(message) = check(&crate::repository()) {
            panic!("{message}");
        }
    }
}
