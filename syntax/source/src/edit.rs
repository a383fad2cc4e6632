//! Text edits.

use std::ops::Range;

use text_size::{TextRange, TextSize};

/// Replacement of a range of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The replaced range; empty for an insertion.
    pub range: TextRange,
    /// The replacement; empty for a deletion.
    pub insert: String,
}

impl Edit {
    /// Replaces `range` by `insert`.
    pub fn new(range: TextRange, insert: impl Into<String>) -> Edit {
        Edit { range, insert: insert.into() }
    }

    /// The smallest edit that makes `new` of `old`; `None` if they are equal.
    pub fn between(old: &str, new: &str) -> Option<Edit> {
        let mut start = common_prefix_len(old.as_bytes(), new.as_bytes());
        while !(old.is_char_boundary(start) && new.is_char_boundary(start)) {
            start -= 1;
        }
        let mut end = common_suffix_len(&old.as_bytes()[start..], &new.as_bytes()[start..]);
        while !(old.is_char_boundary(old.len() - end) && new.is_char_boundary(new.len() - end)) {
            end -= 1;
        }
        let (removed, inserted) = (start..old.len() - end, start..new.len() - end);
        if removed.is_empty() && inserted.is_empty() {
            return None;
        }
        let range = TextRange::new(TextSize::new(removed.start as u32), TextSize::new(removed.end as u32));
        Some(Edit::new(range, &new[inserted]))
    }

    /// Applies the edit to `text`; both ends of `range` must be character boundaries of it.
    pub fn apply(&self, text: &mut String) {
        text.replace_range(Range::<usize>::from(self.range), &self.insert);
    }

    /// The range `part` of `text` after `edits`, which are inside of it, in order and disjoint.
    pub fn apply_all(edits: &[Edit], text: &str, part: TextRange) -> String {
        let mut result = String::with_capacity(usize::from(part.len()));
        let mut done = part.start();
        for edit in edits {
            result.push_str(&text[TextRange::new(done, edit.range.start())]);
            result.push_str(&edit.insert);
            done = edit.range.end();
        }
        result.push_str(&text[TextRange::new(done, part.end())]);
        result
    }
}

/// Bytes that are compared at once: slices of a fixed length compare as vectors.
const COMPARED_CHUNK_BYTES: usize = 64;

fn common_prefix_len(a: &[u8], b: &[u8]) -> usize {
    let chunks = a.chunks_exact(COMPARED_CHUNK_BYTES).zip(b.chunks_exact(COMPARED_CHUNK_BYTES));
    let same = chunks.take_while(|(a, b)| a == b).count() * COMPARED_CHUNK_BYTES;
    same + a[same..].iter().zip(&b[same..]).take_while(|(a, b)| a == b).count()
}

fn common_suffix_len(a: &[u8], b: &[u8]) -> usize {
    let chunks = a.rchunks_exact(COMPARED_CHUNK_BYTES).zip(b.rchunks_exact(COMPARED_CHUNK_BYTES));
    let same = chunks.take_while(|(a, b)| a == b).count() * COMPARED_CHUNK_BYTES;
    let rest = a[..a.len() - same].iter().rev().zip(b[..b.len() - same].iter().rev());
    same + rest.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_between_two_sources_makes_the_new_one() {
        let long = "x".repeat(3 * COMPARED_CHUNK_BYTES);
        let sources = ["", "a", "aa", "é", "è", "aéb", "aèb", &long, &format!("{long}é{long}")];
        for old in sources {
            for new in sources {
                let edit = Edit::between(old, new);
                assert_eq!(edit.is_none(), old == new);
                let mut text = old.to_owned();
                if let Some(edit) = edit {
                    edit.apply(&mut text);
                }
                assert_eq!(text, new);
            }
        }
    }

    #[test]
    fn edits_inside_a_range_are_applied_in_order() {
        let range = |start: u32, end: u32| TextRange::new(start.into(), end.into());
        let edits = [Edit::new(range(2, 3), "XY"), Edit::new(range(4, 4), "-")];
        assert_eq!(Edit::apply_all(&edits, "abcdef", range(1, 5)), "bXYd-e");
    }
}
