//! The lines of a test where an error is expected.

use std::collections::BTreeSet;

use apg_syntax::ast::{self, AstNode};

/// The lines (from 1) that a marker says are rightly reported: a comment `// ERR` behind code, or the
/// annotation `@ERR`. What is marked `ShouldNotBeERR` is right, though X10's compiler reports it, and so is
/// not expected.
pub fn marked_lines(text: &str) -> BTreeSet<usize> {
    let mut lines: BTreeSet<usize> =
        text.lines().enumerate().filter(|(_, line)| is_marked(line)).map(|(at, _)| at + 1).collect();
    if text.contains("ERR") {
        let tree = apg_syntax::parse(text).syntax();
        for annotation in tree.descendants().filter_map(ast::Annotation::cast) {
            if annotation.simple_name().is_some_and(|name| name == "ERR") {
                lines.insert(line_of(text, annotation.range().start().into()));
            }
        }
    }
    lines
}

fn is_marked(line: &str) -> bool {
    let line = line.trim();
    let Some(comment) = line.find("//").filter(|&at| at > 0) else { return false };
    let first = line.find("ERR").filter(|&at| at > comment);
    first.is_some() && line.matches("ERR").count() > line.matches("ShouldNotBeERR").count()
}

/// The line (from 1) of an offset.
pub fn line_of(text: &str, offset: usize) -> usize {
    text[..offset.min(text.len())].bytes().filter(|&byte| byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_behind_code_and_annotations_mark() {
        let text = "class A { // ERR: no\n// ERR\nval a = 1; // ShouldNotBeERR\nval b = 2; // ShouldBeErr\n@ERR val c = 3;\nval ERR = 4; // no\n}";
        assert_eq!(marked_lines(text), BTreeSet::from([1, 5]));
    }
}
