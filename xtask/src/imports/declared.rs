//! The declared layers, as `xtask/layers.txt` lists them.

use std::collections::BTreeMap;

use super::graph::Graph;

/// All declarations of the file.
#[derive(Default)]
pub(super) struct Layers {
    /// Packages in order, the lowest row first; packages of one row do not depend on each other.
    pub(super) crates: Vec<Vec<String>>,
    /// Order of folders and files inside a crate, by the crate's folder.
    pub(super) folders: BTreeMap<String, FolderOrder>,
    pub(super) max_cycle_files: usize,
    pub(super) max_files_in_cycles: usize,
    /// Cycles of at most this many files are not limited.
    pub(super) ignored_cycle_files: usize,
}

/// The rows of a crate, the lowest first. A row names folders or files below `src`, without `.rs`.
#[derive(Default)]
pub(super) struct FolderOrder {
    rows: Vec<Vec<String>>,
    /// Imports that may run up: from a folder or file to a folder or file.
    exceptions: Vec<(String, String)>,
}

impl FolderOrder {
    /// The row of a file: that of its longest prefix that is named. The root and faces of folders that no row
    /// names have none.
    fn row(&self, file: &str) -> Option<usize> {
        let path = file.trim_end_matches(".rs").trim_end_matches("/mod");
        let rank = |name: &String| match path.strip_prefix(name.as_str()) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => Some(name.len()),
            _ => None,
        };
        let best = |row: &Vec<String>| row.iter().filter_map(rank).max();
        let rows = self.rows.iter().enumerate().filter_map(|(index, row)| Some((best(row)?, index)));
        rows.max().map(|(_, index)| index)
    }

    fn is_exception(&self, file: &str, target: &str) -> bool {
        self.exceptions.iter().any(|(from, to)| is_below(file, from) && is_below(target, to))
    }

    /// Imports that run up, and files that have no row, each as `src/FILE:LINE: ...`.
    pub(super) fn problems(&self, graph: &Graph) -> Vec<String> {
        let mut problems = Vec::new();
        for (file, name) in graph.files.iter().enumerate() {
            let Some(own) = self.row(name) else {
                if !matches!(name.as_str(), "lib.rs" | "main.rs") {
                    problems.push(format!("src/{name}: the folder has no layer"));
                }
                continue;
            };
            for import in &graph.imports[file] {
                let target = &graph.files[import.target];
                if self.row(target).is_some_and(|row| row > own) && !self.is_exception(name, target) {
                    let (line, path) = (import.line, &import.path);
                    problems.push(format!("src/{name}:{line}: `{path}` runs up to src/{target}"));
                }
            }
        }
        problems
    }
}

/// Whether a file is in the folder, or the file, of that name.
fn is_below(file: &str, name: &str) -> bool {
    let path = file.trim_end_matches(".rs");
    path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Reads `[crates]`, `[limits]` and one section `[FOLDER OF A CRATE]` each, in which `A -> B` lets A
/// import B though B is above; `#` begins a comment.
pub(super) fn parse_layers(text: &str) -> Result<Layers, String> {
    let mut layers = Layers::default();
    let mut section = String::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            section = name.to_owned();
            continue;
        }
        let row = || line.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
        match section.as_str() {
            "" => return Err(format!("{}: a row before the first section", number + 1)),
            "crates" => layers.crates.push(row()),
            "limits" => set_limit(&mut layers, line).ok_or_else(|| {
                format!(
                    "{}: write `max-cycle-files N`, `max-files-in-cycles N` or `ignored-cycle-files N`",
                    number + 1
                )
            })?,
            folder => {
                let order = layers.folders.entry(folder.to_owned()).or_default();
                match line.split_once(" -> ") {
                    Some((from, to)) => order.exceptions.push((from.trim().to_owned(), to.trim().to_owned())),
                    None => order.rows.push(row()),
                }
            }
        }
    }
    Ok(layers)
}

fn set_limit(layers: &mut Layers, line: &str) -> Option<()> {
    let (name, value) = line.split_once(' ')?;
    let value = value.trim().parse().ok()?;
    match name {
        "max-cycle-files" => layers.max_cycle_files = value,
        "max-files-in-cycles" => layers.max_files_in_cycles = value,
        "ignored-cycle-files" => layers.ignored_cycle_files = value,
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::graph::{Graph, Import};
    use super::*;

    fn import(target: usize) -> Import {
        Import { target, line: 7, path: String::from("crate::high::f") }
    }

    #[test]
    fn an_import_that_runs_up_is_named_with_its_line() {
        let layers = parse_layers("[runtime]\nlow\nhigh # the top\n").expect("layers");
        let files = vec!["low/a.rs".to_owned(), "high/mod.rs".to_owned()];
        let graph = Graph { files, imports: vec![vec![import(1)], vec![import(0)]] };
        let problems = layers.folders["runtime"].problems(&graph);
        assert_eq!(problems, ["src/low/a.rs:7: `crate::high::f` runs up to src/high/mod.rs"]);
    }

    #[test]
    fn a_declared_exception_is_no_problem() {
        let layers = parse_layers("[runtime]\nlow\nhigh\nlow/a -> high\n").expect("layers");
        let files = vec!["low/a.rs".to_owned(), "high/mod.rs".to_owned(), "low/b.rs".to_owned()];
        let graph = Graph { files, imports: vec![vec![import(1)], vec![], vec![import(1)]] };
        let problems = layers.folders["runtime"].problems(&graph);
        assert_eq!(problems, ["src/low/b.rs:7: `crate::high::f` runs up to src/high/mod.rs"]);
    }

    #[test]
    fn a_folder_without_a_layer_is_a_problem() {
        let layers = parse_layers("[runtime]\nlow\n").expect("layers");
        let graph = Graph { files: vec!["new.rs".to_owned()], imports: vec![vec![]] };
        assert_eq!(layers.folders["runtime"].problems(&graph), ["src/new.rs: the folder has no layer"]);
    }
}
