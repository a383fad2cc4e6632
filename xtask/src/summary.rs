//! The book's table of contents, `docs/SUMMARY.md`: complete, and its entries of diagnostics generated.

use crate::links::{self, Page};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// The entry below which the diagnostics are listed.
const DIAGNOSTICS_PAGE: &str = "(diagnostics/README.md)";

/// Pages of `docs` that the table of contents lacks, and a stale list of diagnostics.
pub(crate) fn problems(root: &Path) -> Result<Vec<String>, String> {
    let docs = root.join("docs");
    let text = crate::read(&docs.join("SUMMARY.md"))?;
    if with_diagnostics(&docs, &text)? != text {
        return Ok(vec!["docs/SUMMARY.md: its list of diagnostics is stale: run `cargo xtask pages`".into()]);
    }
    let listed: BTreeSet<_> =
        Page::parse(&text).relative_targets().map(|target| links::normalize(&docs.join(target))).collect();
    let pages = crate::files_below(&docs, "md")?;
    let missing = pages.iter().filter(|page| !listed.contains(*page) && !page.ends_with("SUMMARY.md"));
    let name = |page: &Path| page.strip_prefix(root).unwrap_or(page).display().to_string();
    Ok(missing.map(|page| format!("docs/SUMMARY.md: {} is missing", name(page))).collect())
}

/// Writes the list of diagnostics anew.
pub(crate) fn write(root: &Path) -> Result<(), String> {
    let docs = root.join("docs");
    let path = docs.join("SUMMARY.md");
    let text = with_diagnostics(&docs, &crate::read(&path)?)?;
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The table of contents with its list of diagnostics as the pages are: the entries indented below that of
/// their index.
fn with_diagnostics(docs: &Path, summary: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut lines = summary.lines().peekable();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        if !line.contains(DIAGNOSTICS_PAGE) {
            continue;
        }
        let indent = indentation(line);
        while lines.next_if(|line| !line.trim().is_empty() && indentation(line) > indent).is_some() {}
        for page in crate::files_below(&docs.join("diagnostics"), "md")? {
            let name = page.strip_prefix(docs).unwrap_or(&page).display().to_string().replace('\\', "/");
            if name != "diagnostics/README.md" {
                let code = name.trim_start_matches("diagnostics/").trim_end_matches(".md");
                let _ = writeln!(out, "{:indent$}  - [{code}]({name})", "");
            }
        }
    }
    Ok(out)
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join("docs").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn diagnostics_are_listed_below_their_index() {
        let summary =
            "# S\n\n- [D](diagnostics/README.md)\n  - [gone](diagnostics/a/gone.md)\n- [Last](last.md)\n";
        let book = book(&[
            ("SUMMARY.md", summary),
            ("diagnostics/README.md", "# D"),
            ("diagnostics/a/new.md", "# N"),
            ("last.md", "# L"),
        ]);
        assert!(problems(book.path()).unwrap()[0].contains("cargo xtask pages"));
        write(book.path()).unwrap();
        assert_eq!(problems(book.path()).unwrap(), Vec::<String>::new());
        let written = crate::read(&book.path().join("docs/SUMMARY.md")).unwrap();
        let expected =
            "# S\n\n- [D](diagnostics/README.md)\n  - [a/new](diagnostics/a/new.md)\n- [Last](last.md)\n";
        assert_eq!(written, expected);
    }

    #[test]
    fn pages_that_are_not_listed_are_reported() {
        let book = book(&[
            ("SUMMARY.md", "# S\n\n- [D](diagnostics/README.md)\n"),
            ("diagnostics/README.md", "# D"),
            ("guide/lost.md", "# L"),
        ]);
        let found = problems(book.path()).unwrap();
        assert!(found.len() == 1 && found[0].ends_with("guide/lost.md is missing"), "{found:?}");
    }
}
