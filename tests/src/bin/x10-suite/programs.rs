//! `x10-suite programs FOLDER`: programs that others wrote, through the checker.

use std::collections::BTreeMap;
use std::path::PathBuf;

use apg_tests::x10_suite::checker::Found;
use apg_tests::x10_suite::passes;
use clap::Args;

/// Check all .x10 files below a folder, and count those with errors by folder and by rule
#[derive(Args)]
pub(crate) struct Programs {
    /// The folder
    folder: PathBuf,

    /// A folder to look packages up in, after the program's own; may be given several times
    #[arg(long, value_name = "DIR")]
    source_path: Vec<PathBuf>,

    /// Print all errors
    #[arg(long)]
    verbose: bool,

    /// Write the names of those with errors to tests/x10-suite/NAME
    #[arg(long, value_name = "NAME")]
    record: Option<String>,
}

impl Programs {
    pub(crate) fn run(&self) -> bool {
        let errors = passes::programs(&self.folder, &self.source_path);
        let mut folders: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        let mut rules: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for (name, found) in &errors {
            let folder = name.rsplit_once('/').map_or("", |it| it.0);
            let counts = folders.entry(folder).or_default();
            *counts = (counts.0 + usize::from(found.is_empty()), counts.1 + 1);
            let mut codes: Vec<&str> = found.iter().map(|it| it.code).collect();
            codes.sort_unstable();
            for run in codes.chunk_by(|a, b| a == b) {
                let counts = rules.entry(run[0]).or_default();
                *counts = (counts.0 + run.len(), counts.1 + 1);
            }
            if self.verbose {
                found.iter().for_each(|it| show(name, it));
            }
        }
        println!("files without an error, by folder:");
        folders.iter().for_each(|(folder, (clean, all))| println!("{clean:5} of {all:4}  {folder}"));
        println!("errors, by rule:");
        rules.iter().for_each(|(rule, (times, files))| println!("{times:5} in {files:4} files  {rule}"));
        let summary = passes::summary(&errors);
        println!("{} of {} files have no error", summary.counts.clean, errors.len());
        if let Some(name) = &self.record {
            summary.write(name);
        }
        summary.mismatches.is_empty()
    }
}

fn show(name: &str, found: &Found) {
    println!("{name}:{}: [{}] {}", found.line, found.code, found.message);
}
