//! The files of a crate, which of them use which, and the cycles among them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use super::paths::local_paths;

/// One use of another file of the crate.
pub(super) struct Import {
    pub(super) target: usize,
    pub(super) line: usize,
    /// The path as it is written.
    pub(super) path: String,
}

/// The import graph of one crate; files are known by their index.
pub(super) struct Graph {
    /// Paths of the files relative to `src`.
    pub(super) files: Vec<String>,
    /// First import of each target, by file.
    pub(super) imports: Vec<Vec<Import>>,
}

impl Graph {
    /// Reads all files below `src` except tests.
    pub(super) fn of(src: &Path) -> Result<Graph, String> {
        let mut files = Vec::new();
        let mut modules: HashMap<Vec<String>, usize> = HashMap::new();
        let mut sources = Vec::new();
        for path in crate::files_below(src, "rs")? {
            let file = path.strip_prefix(src).unwrap_or(&path).to_string_lossy().into_owned();
            let mut module: Vec<String> =
                file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
            if module.iter().any(|name| name == "tests") {
                continue;
            }
            if module.last().is_some_and(|name| matches!(name.as_str(), "mod" | "lib" | "main")) {
                module.pop();
            }
            sources.push((module.clone(), crate::read(&path)?));
            modules.insert(module, files.len());
            files.push(file);
        }
        let mut imports = Vec::new();
        for (file, (module, source)) in sources.iter().enumerate() {
            let paths = local_paths(source).map_err(|error| format!("{}: {error}", files[file]))?;
            let mut targets: BTreeMap<usize, Import> = BTreeMap::new();
            for path in paths {
                let Some(target) = resolve(module, &path.segments, &modules).filter(|it| *it != file) else {
                    continue;
                };
                let import = Import { target, line: path.line, path: path.segments.join("::") };
                targets.entry(target).or_insert(import);
            }
            imports.push(targets.into_values().collect());
        }
        Ok(Graph { files, imports })
    }

    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// Strongly connected components of more than one file, the largest first (Tarjan's algorithm).
    pub(super) fn cycles(&self) -> Vec<Vec<usize>> {
        let mut search = Search::new(self);
        for file in 0..self.len() {
            if search.index[file].is_none() {
                search.visit(file);
            }
        }
        let mut cycles = search.components;
        cycles.retain(|cycle| cycle.len() > 1);
        cycles.sort_by_key(|cycle| std::cmp::Reverse(cycle.len()));
        cycles
    }

    /// The files of a cycle, each with what it uses of the others.
    pub(super) fn describe_cycle(&self, cycle: &[usize]) -> String {
        let members: BTreeSet<usize> = cycle.iter().copied().collect();
        let mut lines = Vec::new();
        for &file in &members {
            let uses: Vec<&str> = self.imports[file]
                .iter()
                .filter(|import| members.contains(&import.target))
                .map(|import| self.files[import.target].as_str())
                .collect();
            lines.push(format!("      {} -> {}", self.files[file], uses.join(", ")));
        }
        lines.join("\n")
    }
}

/// The file that a path names: the longest prefix that is a module with a file.
fn resolve(module: &[String], segments: &[String], modules: &HashMap<Vec<String>, usize>) -> Option<usize> {
    let mut full = match segments.first()?.as_str() {
        "crate" => Vec::new(),
        _ => module.to_vec(),
    };
    let skipped = usize::from(segments[0] != "super");
    for segment in &segments[skipped..] {
        match segment.as_str() {
            "super" => drop(full.pop()),
            "self" => {}
            name => full.push(name.to_owned()),
        }
    }
    loop {
        if let Some(&file) = modules.get(&full) {
            return Some(file);
        }
        full.pop()?;
    }
}

struct Search<'a> {
    graph: &'a Graph,
    next: usize,
    index: Vec<Option<usize>>,
    low: Vec<usize>,
    is_on_stack: Vec<bool>,
    stack: Vec<usize>,
    components: Vec<Vec<usize>>,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph) -> Self {
        let count = graph.len();
        Search {
            graph,
            next: 0,
            index: vec![None; count],
            low: vec![0; count],
            is_on_stack: vec![false; count],
            stack: Vec::new(),
            components: Vec::new(),
        }
    }

    fn visit(&mut self, file: usize) {
        let own = self.next;
        self.next += 1;
        self.index[file] = Some(own);
        self.low[file] = own;
        self.stack.push(file);
        self.is_on_stack[file] = true;
        for import in &self.graph.imports[file] {
            match self.index[import.target] {
                None => {
                    self.visit(import.target);
                    self.low[file] = self.low[file].min(self.low[import.target]);
                }
                Some(index) if self.is_on_stack[import.target] => self.low[file] = self.low[file].min(index),
                Some(_) => {}
            }
        }
        if self.low[file] == own {
            let start = self.stack.iter().rposition(|&it| it == file).unwrap_or(0);
            let component = self.stack.split_off(start);
            for &member in &component {
                self.is_on_stack[member] = false;
            }
            self.components.push(component);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(files: &[(&str, &str)]) -> Graph {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, source) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            std::fs::write(path, source).expect("written");
        }
        Graph::of(folder.path()).expect("a graph")
    }

    #[test]
    fn a_cycle_through_a_parent_is_found() {
        let graph = graph(&[
            ("lib.rs", "mod a; mod b;"),
            ("a/mod.rs", "mod c; use self::c::f;"),
            ("a/c.rs", "use crate::b::g;"),
            ("b.rs", "fn g() { crate::a::h() }"),
        ]);
        let cycles = graph.cycles();
        let mut names: Vec<&str> = cycles[0].iter().map(|&it| graph.files[it].as_str()).collect();
        names.sort_unstable();
        assert_eq!((cycles.len(), names), (1, vec!["a/c.rs", "a/mod.rs", "b.rs"]));
    }

    #[test]
    fn imports_of_tests_are_left_out() {
        let graph = graph(&[
            ("lib.rs", ""),
            ("a.rs", "#[cfg(test)] mod tests { use crate::b; }"),
            ("b.rs", "use crate::a;"),
        ]);
        assert!(graph.cycles().is_empty());
    }
}
