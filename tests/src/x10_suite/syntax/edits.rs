//! Random edits, one after the other: parsing again what is around each gives what parsing everything gives.

use apg_syntax::{Edit, SyntaxNode, TextRange, TextSize, parse};

use super::{Corpus, Numbers, tokens};

/// What edits cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Edits {
    /// How many there were.
    pub total: usize,
    /// Of those, for how many one block was parsed.
    pub local: usize,
}

/// Twelve edits to every fourth file; panics if a tree is not that of the new text.
pub fn edits(files: &Corpus) -> Edits {
    let mut numbers = Numbers(2);
    let mut edits = Edits::default();
    for (name, text) in files.iter().filter(|it| it.1.len() < 20_000).step_by(4) {
        let mut text = text.clone();
        let mut old = parse(&text);
        for _ in 0..12 {
            let edit = random_edit(&mut numbers, &old.syntax(), &text);
            let before = text.clone();
            edit.apply(&mut text);
            edits.local += usize::from(apg_syntax::is_local(&old, &edit));
            edits.total += 1;
            let new = old.reparse(&edit);
            let full = parse(&text);
            assert!(new == full, "{name}: {edit:?} of:\n{before}");
            old = new;
        }
    }
    edits
}

/// Deletes, duplicates or swaps a token, or writes something new between two.
fn random_edit(numbers: &mut Numbers, root: &SyntaxNode, text: &str) -> Edit {
    const NEW: &[&str] = &[
        "x",
        ";",
        "{",
        "}",
        "(",
        ")",
        " ",
        "\n",
        "/*",
        "\"",
        "val x = 1;",
        "if (x) { y(); }",
        "at (p) { f() }",
        "[",
        ":T",
    ];
    let tokens = tokens(root);
    if tokens.is_empty() {
        return Edit::new(TextRange::empty(TextSize::of(text)), "class A { }");
    }
    let (range, _) = tokens[numbers.below(tokens.len())];
    match numbers.below(4) {
        0 => Edit::new(range, ""),
        1 => Edit::new(TextRange::empty(range.end()), format!(" {}", &text[range])),
        2 => Edit::new(range, NEW[numbers.below(NEW.len())]),
        _ => Edit::new(TextRange::empty(range.end()), NEW[numbers.below(NEW.len())]),
    }
}
