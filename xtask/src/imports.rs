//! Import graph of each crate: which file uses which other file of the crate, its cycles, and the declared
//! layers.
//!
//! A file uses another where it writes a path to it that begins with `crate`, `super` or `self`, outside of
//! tests and comments. Cycles are the strongly connected components of that graph (Tarjan, 1972).
//! `xtask/layers.txt` declares the order of the crates and of the folders inside them, and how many files may
//! be in cycles.

mod declared;
mod graph;
mod paths;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use declared::{Layers, parse_layers};
use graph::Graph;

const LAYERS_FILE: &str = "xtask/layers.txt";

/// One crate of the workspace: its folder relative to the root, its package name and the `apg-*` packages it
/// depends on.
struct Package {
    folder: PathBuf,
    name: String,
    dependencies: Vec<String>,
}

/// Prints the cycles of each crate; with `details` the files of each cycle.
pub(crate) fn print(root: &Path, details: bool) -> Result<(), String> {
    let mut total = 0;
    let mut largest = 0;
    for package in packages(root)? {
        let graph = Graph::of(&root.join(&package.folder).join("src"))?;
        let cycles = graph.cycles();
        let inside: usize = cycles.iter().map(Vec::len).sum();
        let longest = cycles.iter().map(Vec::len).max().unwrap_or(0);
        total += inside;
        largest = largest.max(longest);
        let (folder, files) = (package.folder.display(), graph.len());
        crate::say(&format!("{folder}: {files} files, largest cycle {longest}, files in cycles {inside}"));
        if details {
            for cycle in &cycles {
                crate::say(&graph.describe_cycle(cycle));
            }
        }
    }
    crate::say(&format!("largest cycle {largest}, files in cycles {total}"));
    Ok(())
}

/// Fails where a file uses a layer above its own, a crate depends on one above it, or cycles exceed their
/// limits.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let layers = parse_layers(&crate::read(&root.join(LAYERS_FILE))?)
        .map_err(|error| format!("{LAYERS_FILE}:{error}"))?;
    let packages = packages(root)?;
    let mut problems = crate_order_problems(&layers, &packages);
    let mut inside = 0;
    for package in &packages {
        let graph = Graph::of(&root.join(&package.folder).join("src"))?;
        let folder = package.folder.to_string_lossy();
        if let Some(order) = layers.folders.get(folder.as_ref()) {
            problems.extend(order.problems(&graph).into_iter().map(|it| format!("{folder}/{it}")));
        }
        for cycle in graph.cycles().iter().filter(|cycle| cycle.len() > layers.ignored_cycle_files) {
            inside += cycle.len();
            if cycle.len() > layers.max_cycle_files {
                let (files, limit) = (cycle.len(), layers.max_cycle_files);
                let shown = graph.describe_cycle(cycle);
                problems
                    .push(format!("{folder}: a cycle of {files} files, at most {limit} allowed:\n{shown}"));
            }
        }
    }
    if inside > layers.max_files_in_cycles {
        let (small, limit) = (layers.ignored_cycle_files, layers.max_files_in_cycles);
        problems
            .push(format!("{inside} files in cycles of more than {small} files, at most {limit} allowed"));
    }
    if problems.is_empty() {
        return Ok(());
    }
    let mut message = String::from("imports against the layers of xtask/layers.txt:");
    for problem in problems {
        let _ = write!(message, "\n  {problem}");
    }
    message.push_str("\n`cargo xtask imports --details` prints all cycles");
    Err(message)
}

fn crate_order_problems(layers: &Layers, packages: &[Package]) -> Vec<String> {
    let mut problems = Vec::new();
    let level = |name: &str| layers.crates.iter().position(|row| row.iter().any(|it| it == name));
    for package in packages {
        let Some(own) = level(&package.name) else {
            problems.push(format!("package `{}` has no layer in the section [crates]", package.name));
            continue;
        };
        for dependency in &package.dependencies {
            if level(dependency).is_some_and(|other| other >= own) {
                problems.push(format!("{} -> {dependency}: the dependency runs up", package.name));
            }
        }
    }
    problems
}

/// All packages with a `src` folder, sorted by folder.
fn packages(root: &Path) -> Result<Vec<Package>, String> {
    let mut packages = Vec::new();
    for manifest in crate::files_below(root, "toml")? {
        let Some(folder) = manifest.parent().filter(|it| it.join("src").is_dir()) else { continue };
        if !manifest.ends_with("Cargo.toml") || folder.ends_with("fuzz") {
            continue;
        }
        let text = crate::read(&manifest)?;
        let folder = folder.strip_prefix(root).unwrap_or(folder).to_owned();
        let name = text.lines().find_map(|line| line.strip_prefix("name = ")).unwrap_or_default();
        let mut section = "";
        let mut dependencies = Vec::new();
        for line in text.lines() {
            if line.starts_with('[') {
                section = line;
            } else if section == "[dependencies]" && line.starts_with("apg-") {
                let end = line.find(['.', ' ', '=']).unwrap_or(line.len());
                dependencies.push(line[..end].to_owned());
            }
        }
        packages.push(Package { folder, name: name.trim_matches('"').to_owned(), dependencies });
    }
    packages.sort_by(|a, b| a.folder.cmp(&b.folder));
    Ok(packages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_follow_the_declared_layers() {
        if let Err(message) = check(&crate::repository()) {
            panic!("{message}");
        }
    }
}
