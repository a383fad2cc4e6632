//! Source-to-source edits of a file, whose lines keep their numbers by `#line` (C17 6.10.4).

use std::ops::Range;

/// A replaced range of a file.
#[derive(Debug)]
struct Edit {
    range: Range<usize>,
    text: String,
    /// SourceText at one place stand in the order of these numbers.
    order: isize,
}

/// The edits of a file.
#[derive(Debug, Default)]
pub(super) struct Edits {
    edits: Vec<Edit>,
}

impl Edits {
    /// Puts a line in front of the line that contains an offset.
    pub(super) fn insert_line(&mut self, text: &str, offset: usize, line: &str) {
        let start = text[..offset].rfind('\n').map_or(0, |it| it + 1);
        let number = line_number(text, start);
        self.edits.push(Edit { range: start..start, text: format!("{line}\n#line {number}\n"), order: 0 });
    }

    /// Replaces a directive, which stands on lines of its own, by a line.
    pub(super) fn replace_lines(&mut self, text: &str, range: Range<usize>, line: &str) {
        let start = text[..range.start].rfind('\n').map_or(0, |it| it + 1);
        let end = text[range.end..].find('\n').map_or(text.len(), |it| range.end + it + 1);
        let number = line_number(text, end);
        self.edits.push(Edit { range: start..end, text: format!("{line}\n#line {number}\n"), order: 0 });
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

/// The 1-based line of an offset.
pub(super) fn line_number(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

/// A string constant of C.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b' '..=b'~' if byte != b'?' => out.push(char::from(byte)),
            byte => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_numbers() {
        let text = "a\n  #p \\\n q\nb; c;\n";
        let mut edits = Edits::default();
        edits.replace_lines(text, 4..11, "P");
        edits.insert_line(text, 15, "I");
        edits.insert_behind(12..14, "<1");
        edits.insert_behind(13..14, "<2");
        let edited = edits.apply(text, "x.c", "T\n");
        assert_eq!(edited, "#line 1 \"x.c\"\na\nP\n#line 4\nI\n#line 4\nb;<2<1 c;\n\nT\n");
    }

    #[test]
    fn strings_have_no_trigraphs_and_no_control_characters() {
        assert_eq!(quoted("a\"\\?\n"), "\"a\\\"\\\\\\077\\012\"");
    }
}
