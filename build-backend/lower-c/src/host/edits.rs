//! Source-to-source edits of a file, whose lines keep their numbers by `#line` (C17 6.10.4).

use std::ops::Range;

use crate::literal::quoted;
use crate::presumed_lines::PresumedLines;

/// A replaced range of a file.
#[derive(Debug)]
struct Edit {
    range: Range<usize>,
    text: String,
    /// SourceText at one place stand in the order of these numbers.
    order: isize,
}

/// The edits of a file.
#[derive(Debug)]
pub(super) struct Edits {
    lines: PresumedLines,
    edits: Vec<Edit>,
}

impl Edits {
    /// No edits of a text yet.
    pub(super) fn of(text: &str) -> Edits {
        Edits { lines: PresumedLines::new(text), edits: Vec::new() }
    }

    /// The line that the compiler takes an offset to be in.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.lines.line(offset)
    }

    /// Puts a line in front of the directive that begins at an offset.
    pub(super) fn insert_line(&mut self, text: &str, offset: usize, line: &str) {
        let (start, before) = start_of_line(text, offset);
        let number = self.line(start);
        let text = format!("{before}{line}\n#line {number}\n");
        self.edits.push(Edit { range: start..start, text, order: 0 });
    }

    /// Replaces a directive, on whose lines only comments are besides it, by a line.
    pub(super) fn replace_lines(&mut self, text: &str, range: Range<usize>, line: &str) {
        let (start, before) = start_of_line(text, range.start);
        let end = end_of_line(text, range.end);
        let number = self.line(end);
        let text = format!("{before}{line}\n#line {number}\n");
        self.edits.push(Edit { range: start..end, text, order: 0 });
    }

    /// Puts text at an offset inside of a directive.
    pub(super) fn insert(&mut self, offset: usize, text: &str) {
        self.edits.push(Edit { range: offset..offset, text: text.to_owned(), order: 0 });
    }

    /// Replaces a word.
    pub(super) fn replace(&mut self, range: Range<usize>, text: &str) {
        self.edits.push(Edit { range, text: text.to_owned(), order: 0 });
    }

    /// Removes a part of a directive that stands on one line.
    pub(super) fn remove(&mut self, range: Range<usize>) {
        self.edits.push(Edit { range, text: String::new(), order: 0 });
    }

    /// Puts text behind a statement. Of statements that end together the last to start comes first.
    pub(super) fn insert_behind(&mut self, statement: Range<usize>, text: &str) {
        let order = -(statement.start as isize) - 1;
        self.edits.push(Edit { range: statement.end..statement.end, text: text.to_owned(), order });
    }

    /// The edited file, with `#line` for its name in front.
    pub(super) fn apply(mut self, text: &str, name: &str, tail: &str) -> String {
        self.edits.sort_by_key(|it| (it.range.start, it.range.end, it.order));
        let mut edited = format!("#line 1 {}\n", quoted(name));
        let mut at = 0;
        for edit in self.edits {
            edited.push_str(&text[at..edit.range.start]);
            edited.push_str(&edit.text);
            at = edit.range.end;
        }
        edited.push_str(&text[at..]);
        edited.push('\n');
        edited.push_str(tail);
        edited
    }
}

/// Where a line can begin in front of a directive, and what makes it one: behind a comment, the first line of
/// which may be further up, a new line.
fn start_of_line(text: &str, directive: usize) -> (usize, &'static str) {
    let start = text[..directive].rfind('\n').map_or(0, |it| it + 1);
    match text[start..directive].trim().is_empty() {
        true => (start, ""),
        false => (directive, "\n"),
    }
}

/// The end of the line of a directive that ends at an offset: behind its comments, and behind lines that
/// continue it (C17 5.1.1.2, phases 2 and 3).
fn end_of_line(text: &str, mut at: usize) -> usize {
    let mut is_line_comment = false;
    while let Some(rest) = text.get(at..).filter(|it| !it.is_empty()) {
        at += if let Some(continued) = ["\\\n", "\\\r\n"].iter().find(|it| rest.starts_with(**it)) {
            continued.len()
        } else if rest.starts_with('\n') {
            return at + 1;
        } else if rest.starts_with("/*") && !is_line_comment {
            rest.get(2..).and_then(|it| it.find("*/")).map_or(rest.len(), |it| it + 4)
        } else {
            is_line_comment |= rest.starts_with("//");
            rest.chars().next().map_or(1, char::len_utf8)
        };
    }
    text.len()
}

/// The comma behind a clause, or else the one in front of it.
pub(super) fn neighbouring_comma(text: &str, clause: &Range<usize>) -> Option<usize> {
    let is_between = |it: char| it.is_whitespace() || it == '\\';
    let behind = text[clause.end..].trim_start_matches(is_between);
    if behind.starts_with(',') {
        return Some(text.len() - behind.len());
    }
    let before = text[..clause.start].trim_end_matches(is_between);
    before.ends_with(',').then(|| before.len() - 1)
}

/// The 1-based line of an offset.
pub(crate) fn line_number(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

/// A pragma as an operator, which undoes the escapes of quotes and backslashes alone (C17 6.10.9).
pub(super) fn pragma(text: &str) -> String {
    format!("_Pragma(\"{}\")", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_numbers() {
        let text = "a\n  #p \\\n q\nb; c;\n";
        let mut edits = Edits::of(text);
        edits.replace_lines(text, 4..11, "P");
        edits.insert_line(text, 12, "I");
        edits.insert_behind(12..14, "<1");
        edits.insert_behind(13..14, "<2");
        let edited = edits.apply(text, "x.c", "T\n");
        assert_eq!(edited, "#line 1 \"x.c\"\na\nP\n#line 4\nI\n#line 4\nb;<2<1 c;\n\nT\n");
    }

    /// A text with its directive replaced by `X`, and with the line `X` in front of it.
    fn edited(text: &str) -> [String; 2] {
        let start = text.find('#').expect("a directive");
        let end = start + text[start..].find('p').expect("its end") + 1;
        let (mut replaced, mut inserted) = (Edits::of(text), Edits::of(text));
        replaced.replace_lines(text, start..end, "X");
        inserted.insert_line(text, start, "X");
        [replaced, inserted].map(|it| it.apply(text, "x.c", ""))
    }

    #[test]
    fn comments_around_a_directive_stay_whole() {
        let [replaced, inserted] = edited("/* a\nb */ #p\nc;\n");
        assert_eq!(replaced, "#line 1 \"x.c\"\n/* a\nb */ \nX\n#line 3\nc;\n\n");
        assert_eq!(inserted, "#line 1 \"x.c\"\n/* a\nb */ \nX\n#line 2\n#p\nc;\n\n");
        for behind in ["/* a\nb */", "// a \\\n b */", "/*/ \n// */ /* c */", "\\\n", "// /* a"] {
            let text = format!("#p {behind}\nc;\n");
            let line = text.lines().count();
            assert_eq!(edited(&text)[0], format!("#line 1 \"x.c\"\nX\n#line {line}\nc;\n\n"), "{text}");
        }
        assert_eq!(edited("#p /* a\n")[0], "#line 1 \"x.c\"\nX\n#line 2\n\n");
    }

    #[test]
    fn one_comma_beside_a_clause_is_found() {
        let found = |text: &str| {
            let start = text.find("nowait").expect("the clause");
            neighbouring_comma(text, &(start..start + 6))
        };
        assert_eq!(found("map(x), nowait"), Some(6));
        assert_eq!(found("map(x), \\\n  nowait\n"), Some(6));
        assert_eq!(found("target nowait \\\n , map(x), if(1)"), Some(17));
        assert_eq!(found("map(x) nowait device(0)"), None);
        assert_eq!(found("map(x), nowait, device(0)"), Some(14));
    }

    #[test]
    fn pragmas_escape_quotes_and_backslashes_only() {
        assert_eq!(
            pragma(r#"depend(in: a[x ? '\n' : *"ä"])"#),
            r#"_Pragma("depend(in: a[x ? '\\n' : *\"ä\"])")"#
        );
    }
}
