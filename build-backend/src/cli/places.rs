//! `apg places`.

use apg_runtime::device;
use clap::Args;

use super::run::LaunchOptions;
use super::{Failure, Outcome, output};

/// Show the places that a run would have: hosts and their accelerators
#[derive(Debug, Args)]
pub struct Places {
    #[command(flatten)]
    launch: LaunchOptions,
}

impl Places {
    pub fn run(self) -> Outcome {
        let options = self.launch.resolve(apg_runtime::Image::Bytes(Vec::new()))?;
        let ordinals = options.accelerators.resolve(&device::count).map_err(Failure::new)?;
        let mut accelerator = u64::from(options.places);
        let threads = match options.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
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
