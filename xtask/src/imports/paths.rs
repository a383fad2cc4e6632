//! Paths to other files of the same crate, as a Rust source writes them.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path that begins with `crate`, `super` or `self`, and the line it stands at.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LocalPath {
    pub(super) segments: Vec<String>,
    pub(super) line: usize,
}

/// All local paths of a source outside of `#[cfg(test)]` items and macro definitions' patterns, trees of
/// `use` expanded.
///
/// # Errors
/// Says where the source does not consist of Rust tokens.
pub(super) fn local_paths(source: &str) -> Result<Vec<LocalPath>, String> {
    let tokens: TokenStream = source.parse().map_err(|error| format!("{error}"))?;
    let mut paths = Vec::new();
    collect(&tokens.into_iter().collect::<Vec<_>>(), &mut paths);
    Ok(paths)
}

fn collect(tokens: &[TokenTree], paths: &mut Vec<LocalPath>) {
    let mut at = 0;
    while at < tokens.len() {
        if let Some(end) = test_item_end(tokens, at) {
            at = end;
            continue;
        }
        match &tokens[at] {
            TokenTree::Ident(name) if is_root(&name.to_string()) && is_path_separator(tokens, at + 1) => {
                let line = name.span().start().line;
                at = collect_path(tokens, at, &[], line, paths);
            }
            TokenTree::Group(group) => {
                collect(&group.stream().into_iter().collect::<Vec<_>>(), paths);
                at += 1;
            }
            _ => at += 1,
        }
    }
}

/// Reads one path or one tree of `use` from `at`, and returns the index after it.
fn collect_path(
    tokens: &[TokenTree],
    mut at: usize,
    prefix: &[String],
    line: usize,
    paths: &mut Vec<LocalPath>,
) -> usize {
    let mut segments = prefix.to_vec();
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(name)) => segments.push(name.to_string()),
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                let mut start = 0;
                while start < inside.len() {
                    start = collect_path(&inside, start, &segments, line, paths);
                    while start < inside.len() && !is_punct(&inside[start], ',') {
                        start += 1;
                    }
                    start += 1;
                }
                return at + 1;
            }
            _ => break,
        }
        at += 1;
        if !is_path_separator(tokens, at) {
            break;
        }
        at += 2;
    }
    paths.push(LocalPath { segments, line });
    at.max(1)
}

/// The end of the item behind `#[cfg(test)]` at `at`.
fn test_item_end(tokens: &[TokenTree], at: usize) -> Option<usize> {
    let TokenTree::Group(attribute) = tokens.get(at + 1)? else { return None };
    if !is_punct(&tokens[at], '#') || attribute.stream().to_string().replace(' ', "") != "cfg(test)" {
        return None;
    }
    let ends_item = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        other => is_punct(other, ';'),
    };
    let length = tokens[at + 2..].iter().position(ends_item)?;
    Some(at + 2 + length + 1)
}

fn is_root(name: &str) -> bool {
    matches!(name, "crate" | "super" | "self")
}

fn is_punct(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == wanted)
}

fn is_path_separator(tokens: &[TokenTree], at: usize) -> bool {
    tokens.get(at..at + 2).is_some_and(|pair| pair.iter().all(|token| is_punct(token, ':')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(source: &str) -> Vec<String> {
        local_paths(source).expect("tokens").into_iter().map(|it| it.segments.join("::")).collect()
    }

    #[test]
    fn trees_of_use_are_expanded() {
        let source = "use crate::{a::{b, c as d}, self::e, f::*};\nuse super::g;";
        assert_eq!(paths(source), ["crate::a::b", "crate::a::c", "crate::self::e", "crate::f", "super::g"]);
    }

    #[test]
    fn paths_in_expressions_count_and_those_in_comments_strings_and_tests_do_not() {
        let source = "fn f() { crate::a::g(super::h) } // crate::b\nconst S: &str = \"crate::c\";\n#[cfg(test)] mod tests { use crate::d; }";
        assert_eq!(paths(source), ["crate::a::g", "super::h"]);
    }
}
