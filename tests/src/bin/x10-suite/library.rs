//! `x10-suite library`: X10's own class library in place of ours, as input.

use std::path::Path;

use apg_tests::x10_suite::passes::{self, Errors};
use clap::Args;

/// Check X10's own class library, in place of apg's
#[derive(Args)]
pub(crate) struct Library {
    /// Only files whose path contains this text
    #[arg(long)]
    filter: Option<String>,

    /// Write the names of those with errors to tests/x10-suite/library.json
    #[arg(long, conflicts_with = "filter")]
    record: bool,
}

impl Library {
    pub(crate) fn run(&self, home: &Path) -> bool {
        let filter = self.filter.clone();
        let errors = passes::class_library(home, move |name| {
            filter.as_ref().is_none_or(|text| name.contains(text.as_str()))
        });
        report(&errors, "files of X10's class library", self.record.then_some("library.json"))
    }
}

/// Prints what was found in files none of which should have an error.
pub(crate) fn report(errors: &Errors, what: &str, record: Option<&str>) -> bool {
    for (name, found) in errors {
        for it in found {
            println!("{name}:{}: [{}] {}", it.line, it.code, it.message);
        }
    }
    let summary = passes::summary(errors);
    println!("{} of {} {what} have no error", summary.counts.clean, errors.len());
    if let Some(name) = record {
        summary.write(name);
    }
    summary.mismatches.is_empty()
}
