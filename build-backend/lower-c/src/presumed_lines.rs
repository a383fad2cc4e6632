//! Lines of a text as compilers count them: by the `#line` directives and line markers in it (C17 6.10.4).

use apg_c_syntax::{SyntaxKind, lexer};
use rustc_hash::FxHashMap;

/// Where the lines of a text begin, and the numbers that directives give them.
#[derive(Clone, Debug, Default)]
pub struct PresumedLines {
    /// The offset of each line, and its number.
    starts: Vec<(usize, usize)>,
}

impl PresumedLines {
    /// Reads the directives of a text, but for those in comments and behind `#if 0`.
    pub fn new(text: &str) -> PresumedLines {
        let may_count = |line: &str| {
            let directive = line.trim_start();
            directive.starts_with('#') || directive.starts_with("%:")
        };
        let given = if text.lines().any(may_count) { given_numbers(text) } else { FxHashMap::default() };
        let mut number = 1;
        let mut starts = vec![(0, 1)];
        for (newline, _) in text.match_indices('\n') {
            number = given.get(&(newline + 1)).copied().unwrap_or(number + 1);
            starts.push((newline + 1, number));
        }
        PresumedLines { starts }
    }

    fn at(&self, offset: usize) -> (usize, usize) {
        let behind = self.starts.partition_point(|it| it.0 <= offset);
        self.starts.get(behind.saturating_sub(1)).copied().unwrap_or((0, 1))
    }

    /// The number of the line of an offset.
    pub fn line(&self, offset: usize) -> usize {
        self.at(offset).1
    }

    /// The column of an offset, in bytes from 1.
    pub fn column(&self, offset: usize) -> usize {
        offset - self.at(offset).0 + 1
    }

    /// Which line from 1 is the first one with a number, or the first one of the text if none has it.
    pub fn first_line_with(&self, number: usize) -> usize {
        self.starts.iter().position(|it| it.1 == number).map_or(1, |it| it + 1)
    }
}

/// The numbers that directives give to lines, by the offsets of those.
fn given_numbers(text: &str) -> FxHashMap<usize, usize> {
    let mut found = FxHashMap::default();
    // The words of the directive that is read, and how many conditionals are open from an `#if 0` on.
    let (mut words, mut is_line_start, mut skipped): (Option<Vec<&str>>, _, _) = (None, true, 0_usize);
    for (kind, range) in lexer::tokens(text) {
        match kind {
            SyntaxKind::NEWLINE => {
                let words = words.take().unwrap_or_default();
                match (words.as_slice(), skipped) {
                    (["line", number, ..] | [number, ..], 0) if number.parse::<usize>().is_ok() => {
                        found.insert(range.end, number.parse().unwrap_or_default());
                    }
                    (["if", "0"], 0) | (["if" | "ifdef" | "ifndef", ..], 1..) => skipped += 1,
                    (["endif", ..], 1..) | (["else" | "elif", ..], 1) => skipped -= 1,
                    _ => {}
                }
                is_line_start = true;
            }
            _ if kind.is_trivia() => {}
            SyntaxKind::HASH if is_line_start => (words, is_line_start) = (Some(Vec::new()), false),
            _ => {
                words.iter_mut().for_each(|it| it.push(&text[range.clone()]));
                is_line_start = false;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_directives_and_markers() {
        let text = "a\n#line 7\nb\n# 20 \"x.h\" 3\nc\n  %: line 4\nd\n#pragma omp e\nf";
        let lines = PresumedLines::new(text);
        let at = |it: &str| lines.line(text.find(it).expect("it"));
        assert_eq!(["a", "b", "c", "d\n", "#pragma", "f"].map(at), [1, 7, 20, 4, 5, 6]);
        assert_eq!((lines.column(text.find("omp").expect("it")), lines.line(text.len())), (9, 6));
        assert_eq!((lines.first_line_with(20), lines.first_line_with(99)), (5, 1));
    }

    #[test]
    fn comments_and_what_is_left_out_give_no_numbers() {
        let text = "a\n/* many\n  # 100 elements\n*/\n// # 200\n#if 0\n#if 1\n#line 500\n#endif\n#else\n\
                    #  30\nb\n#endif\n\"\\\n# 7\"\nc\n# /* from */ line 80 /*\n*/\nd";
        let lines = PresumedLines::new(text);
        let at = |it: &str| lines.line(text.find(it).expect("it"));
        assert_eq!(["/*", "b\n", "c\n", "\nd"].map(at), [2, 30, 34, 36]);
        assert_eq!(lines.line(text.len()), 80);
    }

    #[test]
    fn the_line_0_has_a_number() {
        assert_eq!(PresumedLines::new("#line 0\na\nb").line(9), 0);
        assert_eq!(PresumedLines::new("").line(0), 1);
    }
}
