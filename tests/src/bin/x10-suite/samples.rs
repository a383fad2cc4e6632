//! `x10-suite samples`: no false error in X10's samples.

use std::path::Path;

use apg_tests::x10_suite::passes;
use clap::Args;

use crate::front::WhichLibrary;
use crate::library::report;

/// Check X10's samples (all but those that need Java)
#[derive(Args)]
pub struct Samples {
    /// The class library that they use
    #[arg(long, value_enum, default_value_t)]
    library: WhichLibrary,

    /// Write the names of those with errors to tests/x10-suite/samples.json
    #[arg(long, conflicts_with = "library")]
    record: bool,
}

impl Samples {
    pub fn run(&self, home: &Path) -> bool {
        let errors = passes::samples(home, self.library.into(), &|| ());
        report(&errors, "samples", self.record.then_some("samples.json"))
    }
}
