//! The book: link check of all pages, completeness of its table of contents, and `mdbook build`.

use crate::{environment, links, sources, summary};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Checks all pages, then builds the book into `target/book` where mdBook is installed.
pub(crate) fn build(root: &Path) -> Result<(), String> {
    let pages = pages(root)?;
    let mut problems = links::check(root, &pages)?;
    problems.extend(summary::problems(root)?);
    problems.extend(environment::problems(root)?);
    problems.extend(sources::problems(root)?);
    if !problems.is_empty() {
        return Err(format!("the book has {} problems:\n  {}", problems.len(), problems.join("\n  ")));
    }
    println!("book: links and anchors of {} pages hold", pages.len());
    let Some(mdbook) = find_mdbook(root) else {
        if std::env::var("APG_REQUIRE").is_ok_and(|value| value == "all") && !is_skipped() {
            return Err("mdbook is not installed, and APG_REQUIRE=all asks for it".into());
        }
        println!(
            "SKIPPED: mdbook is not installed; `cargo install mdbook --locked --version 0.5.4` installs it"
        );
        return Ok(());
    };
    let status = Command::new(&mdbook).arg("build").arg(root.join("docs")).status();
    match status.map_err(|error| format!("{}: {error}", mdbook.display()))? {
        status if status.success() => Ok(()),
        status => Err(format!("mdbook build: {status}")),
    }
}

/// `APG_SKIP` lists tools whose tests may be skipped though `APG_REQUIRE` is `all`.
fn is_skipped() -> bool {
    std::env::var("APG_SKIP").unwrap_or_default().split(',').any(|name| name == "mdbook")
}

/// Pages whose links are checked: those of `docs`, of the editors, and those at the root.
fn pages(root: &Path) -> Result<Vec<PathBuf>, String> {
    let mut pages = crate::files_below(&root.join("docs"), "md")?;
    pages.extend(crate::files_below(&root.join("editors"), "md")?);
    for name in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        pages.push(root.join(name));
    }
    Ok(pages)
}

/// mdBook on the PATH, or where `.ci/run` installs it.
fn find_mdbook(root: &Path) -> Option<PathBuf> {
    let name = format!("mdbook{}", std::env::consts::EXE_SUFFIX);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([root.join("target/ci-tools/bin")]);
    folders.map(|folder| folder.join(&name)).find(|program| program.is_file())
}
