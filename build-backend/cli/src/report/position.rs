//! Lines and columns of byte offsets.

/// A position for people and for the JSON form: both numbers start at 1, columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// 1-based.
    pub line: usize,
    /// 1-based, in characters.
    pub column: usize,
}

/// Where the lines of a text start. A line ends in LF, CR LF or CR.
pub struct LineIndex<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    /// Reads the whole text once.
    pub fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            let lone_cr = *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n');
            if *byte == b'\n' || lone_cr {
                starts.push(at + 1);
            }
        }
        Self { text, starts }
    }

    /// The position of a byte offset; one past the end, or inside a character, is moved back to a valid one.
    pub fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        Position { line, column: self.text[start..offset].chars().count() + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::{LineIndex, Position};

    #[test]
    fn counts_characters_and_all_line_ends() {
        let text = "a\r\né b\rc\nd";
        let index = LineIndex::new(text);
        let at = |needle: &str| index.position(text.find(needle).unwrap());
        assert_eq!(at("a"), Position { line: 1, column: 1 });
        assert_eq!(at("b"), Position { line: 2, column: 3 });
        assert_eq!(at("c"), Position { line: 3, column: 1 });
        assert_eq!(at("d"), Position { line: 4, column: 1 });
    }

    #[test]
    fn offsets_outside_are_moved_to_the_end() {
        assert_eq!(LineIndex::new("ab").position(99), Position { line: 1, column: 3 });
        assert_eq!(LineIndex::new("é").position(1), Position { line: 1, column: 1 });
    }
}
