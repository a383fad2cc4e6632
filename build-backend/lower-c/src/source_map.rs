//! The way back from offsets of an edited text to those of the text that it was made from.

use std::ops::Range;

/// A part of an edited text and what it stands for.
#[derive(Clone, Debug)]
struct Part {
    edited: Range<usize>,
    source: Range<usize>,
    is_copy: bool,
}

/// The parts of an edited text, in their order.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    parts: Vec<Part>,
}

impl SourceMap {
    /// The next part is as it was.
    pub(crate) fn add_copy(&mut self, source: Range<usize>) {
        self.add(source.len(), source, true);
    }

    /// The next part, of some bytes, stands for what was written there.
    pub(crate) fn add_expansion(&mut self, length: usize, source: Range<usize>) {
        self.add(length, source, false);
    }

    fn add(&mut self, length: usize, source: Range<usize>, is_copy: bool) {
        let start = self.parts.last().map_or(0, |it| it.edited.end);
        self.parts.push(Part { edited: start..start + length, source, is_copy });
    }

    /// Where a range of the edited text was.
    pub fn source_range(&self, range: Range<usize>) -> Range<usize> {
        let start = self.source_of(range.start).start;
        match range.is_empty() {
            true => start..start,
            false => start..self.source_of(range.end - 1).end.max(start),
        }
    }

    /// What a byte stands for.
    fn source_of(&self, offset: usize) -> Range<usize> {
        let index = self.parts.partition_point(|it| it.edited.end <= offset);
        match self.parts.get(index) {
            None => self.parts.last().map_or(0..0, |it| it.source.end..it.source.end),
            Some(it) if it.is_copy => {
                let start = it.source.start + (offset - it.edited.start);
                start..start + 1
            }
            Some(it) => it.source.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_expansions_are_those_of_their_sites() {
        // `abMcd`, of which `M` is `xyz`.
        let mut map = SourceMap::default();
        map.add_copy(0..2);
        map.add_expansion(3, 2..3);
        map.add_copy(3..5);
        let found = [0..1, 1..3, 3..4, 4..6, 6..7, 5..5, 7..7].map(|it| map.source_range(it));
        assert_eq!(found, [0..1, 1..3, 2..3, 2..4, 4..5, 3..3, 5..5]);
    }
}
