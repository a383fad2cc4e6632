//! One mistake: a token is deleted or doubled.

use apg_syntax::{Edit, SyntaxKind, SyntaxNode, TextRange, TextSize, parse};

use super::{Corpus, Grammar, Numbers, tokens};

/// A file that a mistake made wrong.
#[derive(Clone, Debug)]
pub struct Broken {
    /// How many errors it has.
    pub errors: usize,
    /// Whether the tree outside the statement or member with the mistake is as it was.
    pub unchanged_outside: bool,
    /// File, line and token.
    pub place: String,
}

/// What mistakes of one kind did.
#[derive(Clone, Debug, Default)]
pub struct Damage {
    /// Those that gave an error, by number of errors. Often what is left is as good X10 as before.
    pub broken: Vec<Broken>,
}

impl Damage {
    /// The number of errors that this percentage of mistakes does not exceed.
    pub fn errors(&self, percent: usize) -> usize {
        self.broken.get(self.broken.len().saturating_sub(1) * percent / 100).map_or(0, |it| it.errors)
    }

    /// In how many of a hundred the tree outside is unchanged.
    pub fn unchanged_percent(&self) -> usize {
        self.broken.iter().filter(|it| it.unchanged_outside).count() * 100 / self.broken.len().max(1)
    }
}

/// Deletes, and doubles, `each` tokens of every file that X10 accepts, one at a time; panics if a tree is not
/// its text.
pub fn damage(files: &Corpus, grammar: &Grammar, each: usize) -> [Damage; 2] {
    let mut numbers = Numbers(1);
    let mut damages = [Damage::default(), Damage::default()];
    for (name, text) in files.iter().filter(|it| it.1.len() < 30_000 && !grammar.is_refused(&it.0)) {
        let old = parse(text).syntax();
        let tokens = tokens(&old);
        for _ in 0..if tokens.is_empty() { 0 } else { each } {
            let (range, _) = tokens[numbers.below(tokens.len())];
            let word = &text[range];
            let edits = [Edit::new(range, ""), Edit::new(TextRange::empty(range.end()), format!(" {word}"))];
            for (edit, damage) in edits.iter().zip(&mut damages) {
                let mut broken = text.clone();
                edit.apply(&mut broken);
                let parse = parse(&broken);
                assert_eq!(parse.syntax().to_string(), broken, "{name}: {edit:?}");
                if parse.errors().is_empty() {
                    continue;
                }
                let line = text[..usize::from(range.start())].matches('\n').count() + 1;
                damage.broken.push(Broken {
                    errors: parse.errors().len(),
                    unchanged_outside: unchanged_outside(&old, &parse.syntax(), range, edit),
                    place: format!("{name}:{line}: {word}"),
                });
            }
        }
    }
    for damage in &mut damages {
        damage.broken.sort_by_key(|it| it.errors);
    }
    damages
}

/// Whether the nodes around and beside the statement or member with the token are as they were.
fn unchanged_outside(old: &SyntaxNode, new: &SyntaxNode, token: TextRange, edit: &Edit) -> bool {
    let enclosing = enclosing(old, token);
    let moved = |at: TextSize| at + TextSize::of(edit.insert.as_str()) - edit.range.len();
    let shifted = |range: TextRange| {
        let start = if range.start() >= enclosing.end() { moved(range.start()) } else { range.start() };
        TextRange::new(start, if range.end() >= enclosing.end() { moved(range.end()) } else { range.end() })
    };
    let expected = outside(old, enclosing).map(|(kind, range)| (kind, shifted(range)));
    let found = outside(new, TextRange::new(enclosing.start(), moved(enclosing.end())));
    expected.eq(found)
}

/// The nodes that are not inside `range`, in source order.
fn outside(root: &SyntaxNode, range: TextRange) -> impl Iterator<Item = (SyntaxKind, TextRange)> {
    root.descendants()
        .map(|node| (node.kind(), node.text_range()))
        .filter(move |(_, of)| !range.contains_range(*of))
}

/// The smallest statement or member around a token; the whole file if it is in none.
fn enclosing(root: &SyntaxNode, token: TextRange) -> TextRange {
    use SyntaxKind::{BLOCK, CLASS_BODY, SOURCE_FILE, SWITCH_BLOCK};
    let element = root.covering_element(token);
    let is_part = |node: &SyntaxNode| {
        node.parent().is_some_and(|it| matches!(it.kind(), BLOCK | CLASS_BODY | SOURCE_FILE | SWITCH_BLOCK))
    };
    element.ancestors().find(is_part).map_or(root.text_range(), |node| node.text_range())
}
