//! Edits of the text of a syntax tree.

use std::ops::Range;

/// What stands first at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Position {
    /// Behind a statement; of statements that end together the last to start comes first.
    Behind(isize),
    /// In front of a statement, in the order in which it was added.
    Before(usize),
    /// In place of a range.
    Replacement,
}

#[derive(Clone, Debug)]
struct Edit {
    range: Range<usize>,
    position: Position,
    text: String,
}

/// Edits, of which those inside of a replaced range are used for its new text only.
#[derive(Debug, Default)]
pub(super) struct Edits {
    edits: Vec<Edit>,
}

impl Edits {
    /// Puts text in front of what starts at an offset.
    pub(super) fn insert(&mut self, offset: usize, text: impl Into<String>) {
        let position = Position::Before(self.edits.len());
        self.edits.push(Edit { range: offset..offset, position, text: text.into() });
    }

    /// Puts text behind a statement.
    pub(super) fn insert_behind(&mut self, statement: Range<usize>, text: impl Into<String>) {
        let position = Position::Behind(-(statement.start as isize));
        self.edits.push(Edit { range: statement.end..statement.end, position, text: text.into() });
    }

    /// Replaces a range.
    pub(super) fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.edits.push(Edit { range, position: Position::Replacement, text: text.into() });
    }

    /// What a range as a whole is replaced by.
    pub(super) fn replacement(&self, range: &Range<usize>) -> Option<&str> {
        let found =
            self.edits.iter().rev().find(|it| it.position == Position::Replacement && it.range == *range);
        found.map(|it| it.text.as_str())
    }

    /// The new text of a range, on one line: with what is replaced in it.
    pub(super) fn text(&self, text: &str, range: Range<usize>) -> String {
        let inside = |it: &&Edit| {
            it.position == Position::Replacement
                && it.range.start >= range.start
                && it.range.end <= range.end
                && it.range != range
        };
        let mut edits: Vec<&Edit> = self.edits.iter().filter(inside).collect();
        edits.sort_by_key(|it| (it.range.start, std::cmp::Reverse(it.range.end)));
        let (mut edited, mut at) = (String::new(), range.start);
        for edit in edits.into_iter() {
            if edit.range.start >= at {
                edited.push_str(&text[at..edit.range.start]);
                edited.push_str(&edit.text);
                at = edit.range.end;
            }
        }
        edited.push_str(&text[at..range.end]);
        edited.replace(['\n', '\r'], " ")
    }

    /// The parts of the edited text, in order.
    pub(super) fn parts(mut self, length: usize) -> Vec<Part> {
        self.edits.sort_by_key(|it| (it.range.start, it.position, std::cmp::Reverse(it.range.end)));
        let (mut parts, mut at) = (Vec::new(), 0);
        for edit in self.edits {
            if edit.range.start < at {
                continue;
            }
            parts.push(Part::Kept(at..edit.range.start));
            at = edit.range.end;
            parts.push(Part::New(edit.text));
        }
        parts.push(Part::Kept(at..length));
        parts
    }
}

/// A part of an edited text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Text of the tree.
    Kept(Range<usize>),
    /// Text of an edit.
    New(String),
}

/// The parts of a range between separators that stand outside of brackets and strings.
pub(super) fn split(text: &str, range: Range<usize>, separator: u8) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let (mut parts, mut depth, mut questions) = (Vec::new(), 0_usize, 0_usize);
    let (mut start, mut quote) = (range.start, None);
    let mut at = range.start;
    while at < range.end {
        let byte = bytes[at];
        match (quote, byte) {
            (Some(_), b'\\') => at += 1,
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            (None, b'?') if depth == 0 => questions += 1,
            (None, b':') if depth == 0 && questions > 0 => questions -= 1,
            (None, _) if depth == 0 && byte == separator => {
                parts.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push(start..range.end);
    parts.into_iter().map(|it| trimmed(text, it)).collect()
}

/// A range without the white space at its ends.
pub(super) fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    start..(start + part.trim().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_edits_are_in_the_text_of_outer_ones() {
        let text = "a[b[i]] = c;";
        let mut edits = Edits::default();
        edits.replace(2..3, "B");
        edits.replace(10..11, "C");
        assert_eq!(edits.text(text, 2..6), "B[i]");
        let outer = format!("f({}, {});", edits.text(text, 0..7), edits.text(text, 10..11));
        edits.replace(0..12, outer);
        edits.insert(0, "{ ");
        edits.insert_behind(0..12, " }");
        let parts = edits.parts(text.len());
        let new = |text: &str| Part::New(text.into());
        assert_eq!(
            parts,
            [
                Part::Kept(0..0),
                new("{ "),
                Part::Kept(0..0),
                new("f(a[B[i]], c);"),
                Part::Kept(12..12),
                new(" }"),
                Part::Kept(12..12)
            ]
        );
    }

    #[test]
    fn separators_in_brackets_and_strings_separate_nothing() {
        let text = "f(a, b), \",\", x ? y : z";
        let parts: Vec<&str> = split(text, 0..text.len(), b',').into_iter().map(|it| &text[it]).collect();
        assert_eq!(parts, ["f(a, b)", "\",\"", "x ? y : z"]);
        assert_eq!(split("a ? b : c : d", 0..13, b':'), [0..9, 12..13]);
    }
}
