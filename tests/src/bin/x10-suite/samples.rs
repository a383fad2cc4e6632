//! `x10-suite samples`: no false error in X10's samples, and right results when they run.

use std::path::{Path, PathBuf};

use apg_tests::x10_suite::{passes, samples::SAMPLES};
use clap::Args;

use crate::front::WhichLibrary;
use crate::library::report;

/// Check X10's samples (all but those that need Java), or run them
#[derive(Args)]
pub(crate) struct Samples {
    /// The class library that they use
    #[arg(long, value_enum, default_value_t)]
    library: WhichLibrary,

    /// Write the names of those with errors to tests/x10-suite/samples.json
    #[arg(long, conflicts_with = "library")]
    record: bool,

    /// Run them at 1 and at 4 places with this apg, and compare what they print with what they should
    #[arg(long, value_name = "APG", conflicts_with_all = ["library", "record"])]
    run: Option<PathBuf>,

    /// Run only samples whose path has this text
    #[arg(long, value_name = "TEXT", requires = "run")]
    filter: Option<String>,
}

impl Samples {
    pub(crate) fn run(&self, home: &Path) -> bool {
        if let Some(apg) = &self.run {
            return self.run_with(apg, home);
        }
        let errors = passes::samples(home, self.library.into(), &|| ());
        report(&errors, "samples", self.record.then_some("samples.json"))
    }

    fn run_with(&self, apg: &Path, home: &Path) -> bool {
        let (mut right, mut all) = (0, 0);
        for sample in SAMPLES {
            if self.filter.as_ref().is_some_and(|text| !sample.file.contains(text.as_str())) {
                continue;
            }
            for places in [1, 4] {
                all += 1;
                match sample.check(apg, home, places) {
                    Ok(()) => right += 1,
                    Err(wrong) => println!("{} at {places}: {wrong}", sample.file),
                }
            }
        }
        println!("{right} of {all} runs of samples print what they should");
        right == all
    }
}
