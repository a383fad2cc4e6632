//! `x10-suite samples`: no false error in X10's samples, and right results when they run.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use apg_tests::x10_suite::places::{HostOptions, Launcher, Places};
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

    /// Run them at 1 and at 4 places (with other hosts or another launcher at 4) with this apg, and compare
    /// what they print with what they should
    #[arg(long, value_name = "APG", conflicts_with_all = ["library", "record"])]
    run: Option<PathBuf>,

    /// Run only samples whose path has this text; may be given several times
    #[arg(long, value_name = "TEXT", requires = "run")]
    filter: Vec<String>,

    /// What starts the places
    #[arg(long, value_enum, requires = "run", default_value_t)]
    launcher: Launcher,

    #[command(flatten)]
    hosts: HostOptions,
}

impl Samples {
    pub(crate) fn run(&self, home: &Path) -> bool {
        if let Some(apg) = &self.run {
            let places = self.launcher.places(&self.hosts);
            return places.map(|places| self.run_with(apg, home, &Rc::new(places))).unwrap_or_else(|error| {
                eprintln!("error: {error}");
                false
            });
        }
        let errors = passes::samples(home, self.library.into(), &|| ());
        report(&errors, "samples", self.record.then_some("samples.json"))
    }

    fn run_with(&self, apg: &Path, home: &Path, at: &Rc<Places>) -> bool {
        let (mut right, mut all) = (0, 0);
        let counts = if matches!(**at, Places::Here) { &[1, 4][..] } else { &[4] };
        for sample in SAMPLES {
            let is_chosen = |text: &String| sample.file.contains(text.as_str());
            if !self.filter.is_empty() && !self.filter.iter().any(is_chosen) {
                continue;
            }
            for &places in counts {
                all += 1;
                match sample.check(apg, home, at, places) {
                    Ok(()) => right += 1,
                    Err(wrong) => println!("{} at {places}: {wrong}", sample.file),
                }
            }
        }
        println!("{right} of {all} runs of samples print what they should");
        right == all
    }
}
