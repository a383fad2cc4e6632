//! `apg places`.

use apg_runtime::device;
use clap::Args;

use super::remote::{self, OnOption};
use super::run::LaunchOptions;
use crate::failure::{Failure, Outcome};
use crate::output;

/// Show the places that a run would have: hosts and their accelerators
#[derive(Debug, Args)]
pub(crate) struct Places {
    /// Host places, each a process of this machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    places: Option<u32>,

    /// Accelerators of each host place: `all`, `none`, or numbers such as `0,1` [default: those there are]
    #[arg(long, value_name = "WHICH")]
    accels: Option<String>,

    /// Threads that run activities at each place [default: one a processor, at least two]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    threads: Option<u32>,

    #[command(flatten)]
    on: OnOption,
}

impl Places {
    pub(crate) fn run(self) -> Outcome {
        if let Some(on) = &self.on.on {
            let mut line = remote::CommandLine::default();
            line.option("places", self.places).option("accels", self.accels).option("threads", self.threads);
            return remote::run_plain(on, &["places"], line);
        }
        let launch = LaunchOptions {
            places: self.places,
            accels: self.accels,
            threads: self.threads,
            ..LaunchOptions::default()
        };
        let options = launch.resolve(apg_runtime::Image::Bytes(Vec::new()))?;
        let ordinals = options.accelerators.resolve(&device::count).map_err(Failure::new)?;
        let mut accelerator = u64::from(options.places);
        let threads = match options.threads {
            0 => apg_runtime::scheduler::default_threads(),
            threads => threads,
        };
        for place in 0..options.places {
            output::line(format_args!("Place({place})  host, {threads} threads"))?;
            for ordinal in &ordinals {
                let found = device::describe(*ordinal).map_err(|error| Failure::new(error.message))?;
                let gib = found.memory as f64 / f64::from(1 << 30);
                let (major, minor) = found.capability;
                output::line(format_args!(
                    "  Place({accelerator})  CUDA{ordinal}: {}, {gib:.0} GiB, compute capability {major}.{minor}",
                    found.name
                ))?;
                accelerator += 1;
            }
        }
        if ordinals.is_empty() {
            output::line("no accelerators (`apg doctor` says why)")?;
        }
        Ok(0)
    }
}
