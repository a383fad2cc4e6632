//! Brace matching by indentation, for sources where braces are missing: half of a loop above other methods is
//! one error then, not one in each of them.

/// A brace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Brace {
    /// Which token it is.
    pub index: u32,
    /// How far its line is indented.
    pub indent: u32,
    /// It is the first on its line.
    pub is_first: bool,
    /// It opens.
    pub opens: bool,
}

/// Pairs of closing and opening braces; `None` if the lines are not indented as the braces nest, so that the
/// pairs would need more missing braces than there can be.
pub(super) fn pairs(braces: &[Brace]) -> Option<Vec<(u32, u32)>> {
    let mut found = Vec::with_capacity(braces.len() / 2);
    let mut open: Vec<Brace> = Vec::new();
    let mut mistakes = 0;
    for brace in braces {
        if brace.opens {
            open.push(*brace);
            continue;
        }
        match partner(&open, brace) {
            Some(nth) => {
                mistakes += open.len() - nth - 1;
                found.push((brace.index, open[nth].index));
                open.truncate(nth);
            }
            None => mistakes += 1,
        }
    }
    mistakes += open.len();
    (mistakes == fewest_mistakes(braces)).then_some(found)
}

/// No more braces are missing in a row.
const FARTHEST: usize = 64;

/// Which of the open braces this one closes: that of a line as far indented, else the last; none if that
/// stands further out.
fn partner(open: &[Brace], close: &Brace) -> Option<usize> {
    let last = open.len().checked_sub(1)?;
    if !close.is_first {
        return Some(last);
    }
    let nearest = open.iter().enumerate().rev().take(FARTHEST);
    let same = nearest.into_iter().find(|(_, it)| it.indent == close.indent).map(|(nth, _)| nth);
    same.or_else(|| (open[last].indent > close.indent).then_some(last))
}

/// How many braces are missing at least.
fn fewest_mistakes(braces: &[Brace]) -> usize {
    let (mut open, mut stray) = (0_usize, 0);
    for brace in braces {
        match (brace.opens, open) {
            (true, _) => open += 1,
            (false, 0) => stray += 1,
            (false, _) => open -= 1,
        }
    }
    open + stray
}

/// How far the line that a text starts with is indented; a tab goes to the next multiple of eight.
pub(crate) fn indent(line: &str) -> u32 {
    let mut width = 0;
    for byte in line.bytes() {
        match byte {
            b' ' => width += 1,
            b'\t' => width = (width / 8 + 1) * 8,
            _ => break,
        }
    }
    width
}

#[cfg(test)]
mod tests {
    use crate::lexer;
    use crate::parser::input::Input;

    /// For each closing brace the line of its partner.
    fn partners(text: &str) -> Vec<Option<usize>> {
        let lexed = lexer::lex(text);
        let input = Input::new(&lexed, text);
        let line =
            |index: usize| text[..usize::from(input.range(&lexed, index).start())].matches('\n').count();
        let closing = (0..input.kinds.len()).filter(|it| input.kind(*it) == T!['}']);
        closing.map(|it| input.matching(it).map(line)).collect()
    }

    #[test]
    fn indentation_decides_where_a_brace_is_missing() {
        let no_close = "class A {\n  def f() {\n    if (x) {\n  }\n  def g() {\n  }\n}\n";
        assert_eq!(partners(no_close), [Some(1), Some(4), Some(0)]);
        let no_open = "class A {\n  def f() {\n    for (\n      a();\n    }\n  }\n  def g() {\n  }\n}\n";
        assert_eq!(partners(no_open), [None, Some(1), Some(6), Some(0)]);
    }

    #[test]
    fn braces_that_match_are_not_judged_by_their_lines() {
        assert_eq!(partners("class A {\n    def f() {\n      }\n  }\n"), [Some(1), Some(0)]);
    }

    #[test]
    fn lines_that_are_not_indented_decide_nothing() {
        assert_eq!(partners("class A {\ndef f() { if (x) {\n}\n  }\n"), [Some(1), Some(1)]);
    }
}
