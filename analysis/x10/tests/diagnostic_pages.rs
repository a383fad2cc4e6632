//! The registry of diagnostic codes: complete, well-formed, and `docs/diagnostics` generated from it.
//! `APG_UPDATE=1` rewrites the pages.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use apg_analysis::diagnostics::Rule;
use apg_analysis::rules;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the crate is two folders deep")
        .to_owned()
}

/// The pages that should exist, by path below `docs/diagnostics`.
fn expected_pages() -> BTreeMap<PathBuf, String> {
    let mut pages = BTreeMap::new();
    let mut index = String::from(
        "# Diagnostics\n\nEvery code that apg reports. `apg explain CODE` prints the same page. These pages are \
         generated from `analysis/x10/src/rules`.\n",
    );
    let mut family = "";
    for rule in rules::rules() {
        if rule.family() != family {
            family = rule.family();
            index.push_str(&format!("\n## {family}\n\n"));
        }
        let path = format!("{}/{}.md", rule.family(), rule.name());
        index.push_str(&format!("- [`{}`]({path}): {}\n", rule.code, rule.summary));
        pages.insert(PathBuf::from(path), rule.page());
    }
    index.push_str("\n## omp\n\nOf C files with OpenMP directives: see [their list](omp/README.md).\n");
    pages.insert(PathBuf::from("README.md"), index);
    pages
}

/// The markdown files below `folder`, by relative path.
fn markdown_files(folder: &Path, below: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(folder.join(below)).into_iter().flatten().flatten() {
        let path = below.join(entry.file_name());
        if entry.path().is_dir() {
            markdown_files(folder, &path, found);
        } else {
            found.insert(path);
        }
    }
}

#[test]
fn pages_are_up_to_date() {
    let folder = repository().join("docs/diagnostics");
    let pages = expected_pages();
    let mut present = BTreeSet::new();
    markdown_files(&folder, Path::new(""), &mut present);
    let update = std::env::var_os("APG_UPDATE").is_some();
    let mut stale = Vec::new();
    for (path, text) in &pages {
        if fs::read_to_string(folder.join(path)).is_ok_and(|old| old == *text) {
            continue;
        }
        stale.push(path.clone());
        if update {
            let target = folder.join(path);
            fs::create_dir_all(target.parent().expect("a page is in a folder")).expect("folder");
            fs::write(target, text).expect("page");
        }
    }
    // The pages of C's rules are held by their own crate.
    let is_own = |path: &&PathBuf| !["omp", "xmp"].iter().any(|family| path.starts_with(family));
    for path in present.iter().filter(is_own).filter(|path| !pages.contains_key(*path)) {
        stale.push(path.clone());
        if update {
            fs::remove_file(folder.join(path)).expect("stale page");
        }
    }
    assert!(update || stale.is_empty(), "stale pages {stale:?}: run this test with APG_UPDATE=1");
}

/// The source files of rules, as codes.
fn source_codes() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rules");
    let mut files = BTreeSet::new();
    markdown_files(&folder, Path::new(""), &mut files);
    files
        .iter()
        .filter(|path| path.components().count() == 2 && !path.ends_with("mod.rs"))
        .map(|path| path.with_extension("").display().to_string().replace('_', "-").replace('\\', "/"))
        .collect()
}

#[test]
fn every_file_is_registered_once() {
    let codes: Vec<String> = rules::rules().map(|rule| rule.code.to_owned()).collect();
    let unique: BTreeSet<String> = codes.iter().cloned().collect();
    assert_eq!(codes.len(), unique.len(), "a code is registered twice");
    assert_eq!(source_codes(), unique, "left: files below src/rules, right: codes in the RULES lists");
}

#[test]
fn every_rule_is_documented() {
    for rule in rules::rules() {
        let Rule { code, summary, explanation, failing, fixed, .. } = rule;
        assert!(summary.ends_with('.') && !summary.contains('\n'), "{code}: the summary is one sentence");
        assert!(explanation.trim().len() > 80, "{code}: say what, why, and what to write instead");
        let has_examples = !failing.trim().is_empty() && !fixed.trim().is_empty();
        assert!(has_examples || rule.family() == "internal", "{code}: needs a failing and a fixed example");
    }
}
