//! Completeness of the list of environment variables: every variable that code names is in
//! docs/reference/environment.md.

use std::collections::BTreeSet;
use std::path::Path;

const PAGE_FILE: &str = "docs/reference/environment.md";
const FOLDERS: &[&str] = &["analysis", "build-backend", "lsp-server", "runtime", "syntax", "tests", "xtask"];
const PREFIXES: &[&str] = &["APG_", "X10_", "X10RT_"];
/// Set by a test for its own child process or compiler.
const PRIVATE: &[&str] = &[
    "APG_FRAME_FUZZ_CHILD",
    "APG_TEST_COMPILED",
    "APG_TEST_COMPILER",
    "APG_TEST_NO_THREADS",
    "APG_TEST_STARTS",
    "X10_TEST_DIR",
];

/// A message for each variable that the page lacks.
pub(crate) fn problems(root: &Path) -> Result<Vec<String>, String> {
    let page = crate::read(&root.join(PAGE_FILE))?;
    let mut named = BTreeSet::new();
    let mut macros = BTreeSet::new();
    for folder in FOLDERS {
        for file in crate::files_below(&root.join(folder), "rs")? {
            if !file.ends_with("xtask/src/environment.rs") {
                named.extend(variables(&crate::read(&file)?));
            }
        }
        for file in crate::files_below(&root.join(folder), "h")? {
            macros.extend(identifiers(&crate::read(&file)?));
        }
    }
    let missing = named.into_iter().filter(|name| {
        !macros.contains(name) && !PRIVATE.contains(&name.as_str()) && !is_listed(&page, name)
    });
    Ok(missing
        .map(|name| format!("{PAGE_FILE}: the code names `{name}`, which is not on the list"))
        .collect())
}

/// String literals that are names of our variables.
fn variables(source: &str) -> Vec<String> {
    let literals = source.split('"').skip(1);
    let is_name = |text: &&str| {
        let rest = PREFIXES.iter().find_map(|prefix| text.strip_prefix(prefix));
        rest.is_some_and(|rest| !rest.is_empty())
            && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    literals.filter(is_name).map(str::to_owned).collect()
}

/// Identifiers of a C header outside of its string literals: macros and constants, which generated C++ and
/// edited C name as well.
fn identifiers(header: &str) -> Vec<String> {
    let outside = header.split('"').step_by(2);
    let words =
        outside.flat_map(|text| text.split(|each: char| !each.is_ascii_alphanumeric() && each != '_'));
    words.filter(|word| PREFIXES.iter().any(|prefix| word.starts_with(prefix))).map(str::to_owned).collect()
}

fn is_listed(page: &str, name: &str) -> bool {
    page.contains(&format!("`{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_string_literals() {
        let source =
            r#"var("APG_ONE"); const A: &str = "X10RT_TWO2"; // APG_THREE "APG_" "APG_four" "OTHER""#;
        assert_eq!(variables(source), ["APG_ONE", "X10RT_TWO2"]);
    }

    #[test]
    fn a_variable_that_is_not_listed_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        for name in FOLDERS {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        std::fs::create_dir_all(folder.path().join("docs/reference")).unwrap();
        std::fs::write(folder.path().join(PAGE_FILE), "| `APG_ONE` | one |").unwrap();
        let header = r#"enum { APG_TO = 1 }; char *value = getenv("APG_TWO");"#;
        std::fs::write(folder.path().join("runtime/a.h"), header).unwrap();
        std::fs::write(folder.path().join("runtime/a.rs"), r#"("APG_ONE", "APG_TWO", "APG_TO")"#).unwrap();
        let found = problems(folder.path()).unwrap();
        assert!(found.len() == 1 && found[0].contains("`APG_TWO`"), "{found:?}");
    }
}
