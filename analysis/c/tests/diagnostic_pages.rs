//! `docs/diagnostics/omp` and `docs/diagnostics/xmp`, generated from the rules. `APG_UPDATE=1` rewrites the
//! pages.

use std::path::{Path, PathBuf};

use apg_c_analysis::rules::rules;

/// The families with the specifications that they are about.
const FAMILIES: [(&str, &str); 2] = [("omp", "OpenMP"), ("xmp", "XcalableMP")];

/// The pages of a family that should exist, by path below its folder.
fn expected_pages(family: &str, specification: &str) -> Vec<(PathBuf, String)> {
    let mut index = format!(
        "# Diagnostics of C files with {specification}\n\nEvery code that apg reports of directives. `apg explain CODE` \
         prints the same page. These pages are generated from `analysis/c/src/rules`.\n\n",
    );
    let mut pages = Vec::new();
    for rule in rules().filter(|it| it.family() == family) {
        let name = rule.name();
        index.push_str(&format!("- [`{}`]({name}.md): {}\n", rule.code, rule.summary));
        pages.push((PathBuf::from(format!("{name}.md")), rule.page()));
    }
    pages.push((PathBuf::from("README.md"), index));
    pages
}

#[test]
fn pages_are_up_to_date() {
    for (family, specification) in FAMILIES {
        check_pages(family, specification);
    }
}

fn check_pages(family: &str, specification: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/diagnostics").join(family);
    let pages = expected_pages(family, specification);
    let update = std::env::var_os("APG_UPDATE").is_some();
    let mut stale = Vec::new();
    for (path, text) in &pages {
        if std::fs::read_to_string(folder.join(path)).is_ok_and(|old| old == *text) {
            continue;
        }
        stale.push(path.clone());
        if update {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(path), text).unwrap();
        }
    }
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        let name = PathBuf::from(entry.file_name());
        if !pages.iter().any(|it| it.0 == name) {
            stale.push(name);
            if update {
                std::fs::remove_file(entry.path()).unwrap();
            }
        }
    }
    assert!(update || stale.is_empty(), "stale pages {stale:?}: run this test with APG_UPDATE=1");
}
