//! X10's files through the parser and the formatter: which are accepted, and what breaking and editing them
//! does.

mod damage;
mod edits;
mod losses;
mod record;

use std::collections::BTreeMap;
use std::path::Path;

use apg_syntax::{SyntaxKind, SyntaxNode, TextRange, parse};

pub use damage::{Damage, damage};
pub use edits::{Edits, edits};
pub use losses::{Formatted, formatted, prefixes};
pub use record::{Grammar, Recorded};

use super::{files_below, text_of};

/// The sources by file name.
pub type Corpus = Vec<(String, String)>;

/// All X10 files of a checkout.
pub fn corpus(home: &Path) -> Corpus {
    files_below(home).into_iter().map(|(name, path)| (name, text_of(&path))).collect()
}

/// What the parser says of whole files.
#[derive(Clone, Debug, Default)]
pub struct Accepted {
    /// How many there are.
    pub files: usize,
    /// How many have no error.
    pub clean: usize,
    /// Those that X10's parser judges otherwise, with our first error.
    pub different: BTreeMap<String, String>,
}

/// Parses every file; panics if a tree is not its text.
pub fn accepted(files: &Corpus, grammar: &Grammar) -> Accepted {
    let mut result = Accepted { files: files.len(), ..Accepted::default() };
    for (name, text) in files {
        let parse = parse(text);
        assert_eq!(parse.syntax().to_string(), *text, "{name}");
        let is_clean = parse.errors().is_empty();
        result.clean += usize::from(is_clean);
        if is_clean == grammar.is_refused(name) {
            let error = parse.errors().first().map_or("no error", |error| &error.message);
            result.different.insert(name.clone(), error.to_owned());
        }
    }
    result
}

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }
}

/// Tokens of a tree that are no trivia.
fn tokens(root: &SyntaxNode) -> Vec<(TextRange, SyntaxKind)> {
    let all = root.descendants_with_tokens().filter_map(|it| it.into_token());
    all.filter(|it| !it.kind().is_trivia()).map(|it| (it.text_range(), it.kind())).collect()
}
