//! Names of source files in the book: a path in backquotes must be the end of the path of a file that exists.

use std::path::Path;

/// Names that end in `.rs` or `.sh` and exist nowhere, each with the page and line.
pub(crate) fn problems(root: &Path) -> Result<Vec<String>, String> {
    let mut files = Vec::new();
    for extension in EXTENSIONS {
        files.extend(crate::files_below(root, extension)?);
    }
    let mut problems = Vec::new();
    for page in crate::files_below(&root.join("docs"), "md")? {
        // Pages of diagnostics name files of examples.
        if page.starts_with(root.join("docs/diagnostics")) {
            continue;
        }
        let shown = page.strip_prefix(root).unwrap_or(&page).display().to_string();
        for (number, line) in crate::read(&page)?.lines().enumerate() {
            for name in names(line).filter(|name| !files.iter().any(|file| file.ends_with(name))) {
                problems.push(format!("{shown}:{}: no file is named `{name}`", number + 1));
            }
        }
    }
    Ok(problems)
}

const EXTENSIONS: [&str; 2] = ["rs", "sh"];

/// Names of files between backquotes; a name with a placeholder in capitals, blanks or a star names no file.
fn names(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split('`').skip(1).step_by(2);
    code.filter(|name| {
        let is_path =
            name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-./".contains(c));
        is_path && name.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_in_backquotes_are_names() {
        let line = "`runtime/src/lib.rs` and `apg run x.x10`, `rules/FAMILY/CODE.rs`, plain.rs, `gpu.sh`";
        assert_eq!(names(line).collect::<Vec<_>>(), ["runtime/src/lib.rs", "gpu.sh"]);
    }
}
