//! Lines of a text as compilers count them: by the `#line` directives and line markers in it (C17 6.10.4).

/// Where the lines of a text begin, and the numbers that directives give them.
#[derive(Clone, Debug, Default)]
pub struct PresumedLines {
    /// The offset of each line, and its number.
    starts: Vec<(usize, usize)>,
}

impl PresumedLines {
    /// Reads the directives of a text.
    pub fn new(text: &str) -> PresumedLines {
        let (mut offset, mut number) = (0, 1);
        let mut starts = vec![(0, 1)];
        for line in text.split_inclusive('\n').filter(|it| it.ends_with('\n')) {
            offset += line.len();
            number = next_number(line).unwrap_or(number + 1);
            starts.push((offset, number));
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

/// The number that a line gives to the next one.
fn next_number(line: &str) -> Option<usize> {
    let line = line.trim_start();
    let directive = line.strip_prefix('#').or_else(|| line.strip_prefix("%:"))?.trim_start();
    let number = directive.strip_prefix("line").unwrap_or(directive);
    number.split_whitespace().next()?.parse().ok()
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
    fn the_line_0_has_a_number() {
        assert_eq!(PresumedLines::new("#line 0\na\nb").line(9), 0);
        assert_eq!(PresumedLines::new("").line(0), 1);
    }
}
