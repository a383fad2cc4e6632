//! Nothing is lost: of prefixes, and when formatting.

use apg_syntax::{SyntaxKind, parse};

use super::Corpus;

/// Parses every prefix of 200 files; panics if a tree is not its text. How many prefixes.
pub fn prefixes(files: &Corpus) -> usize {
    let mut count = 0;
    for (name, text) in files.iter().filter(|it| (200..1500).contains(&it.1.len())).step_by(3).take(200) {
        for end in (0..text.len()).filter(|&it| text.is_char_boundary(it)) {
            assert_eq!(parse(&text[..end]).syntax().to_string(), text[..end], "{name} up to {end}");
            count += 1;
        }
    }
    count
}

/// What the formatter did.
#[derive(Clone, Debug, Default)]
pub struct Formatted {
    /// How many files it formatted: those without errors.
    pub files: usize,
    /// Those that it changes once more when it sees them again.
    pub unstable: Vec<String>,
    /// Those whose tokens it changed.
    pub changed: Vec<String>,
}

/// Formats every file twice.
pub fn formatted(files: &Corpus) -> Formatted {
    let words = |text: &str| -> Vec<(SyntaxKind, String)> {
        let root = parse(text).syntax();
        let all = root.descendants_with_tokens().filter_map(|it| it.into_token());
        all.filter(|it| !it.kind().is_trivia()).map(|it| (it.kind(), it.text().to_string())).collect()
    };
    let mut result = Formatted::default();
    for (name, text) in files {
        let Ok(once) = apg_syntax::formatted(text) else { continue };
        result.files += 1;
        if apg_syntax::formatted(&once).as_ref() != Ok(&once) {
            result.unstable.push(name.clone());
        }
        if words(&once) != words(text) {
            result.changed.push(name.clone());
        }
    }
    result
}
