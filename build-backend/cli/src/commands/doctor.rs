//! `apg doctor`.

use apg_runtime::cache::Cache;
use clap::Args;

use super::remote::{self, OnOption};
use crate::failure::{Failure, Outcome};
use crate::output;
use apg_toolchain::{BuildError, find_compiler};

/// Say what this machine has and what it lacks
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    #[command(flatten)]
    on: OnOption,
}

impl Doctor {
    /// Always succeeds where programs can run at all: a GPU is not needed.
    pub(crate) fn run(self) -> Outcome {
        if let Some(on) = &self.on.on {
            return remote::run_plain(on, &["doctor"], remote::CommandLine::default());
        }
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        line(
            "ok",
            &format!("apg {}", env!("CARGO_PKG_VERSION")),
            &format!("{threads} threads at each host place"),
        )?;
        let compiler = find_compiler();
        match &compiler {
            Ok(compiler) => {
                let version = compiler.version().unwrap_or_else(|| "does not tell its version".to_owned());
                line("ok", "C++ compiler", &format!("{} ({version})", compiler.path().display()))?;
            }
            Err(error) => {
                line("LACKS", "C++ compiler", &error.to_string())?;
                hint(error)?;
            }
        }
        let cache = Cache::default();
        match cache.acquire() {
            Ok(_) => line("ok", "build cache", &cache.root().display().to_string())?,
            Err(error) => {
                let text = format!("{}: {}; {}", error.path.display(), error.error, error.hint());
                line("LACKS", "build cache", &text)?;
            }
        }
        let checks = apg_runtime::device::self_test();
        let mut gpu = false;
        for check in &checks {
            match &check.result {
                Ok(known) => line("ok", &check.what, known)?,
                Err(why) => line("lacks", &check.what, why)?,
            }
            gpu |= check.what.starts_with("run a kernel on") && check.result.is_ok();
        }
        let runs = if gpu { "on hosts and GPUs" } else { "on hosts; kernels too, as CPU code" };
        match &compiler {
            Ok(_) => output::line(format_args!("\nPrograms run here {runs}."))?,
            Err(_) => output::line("\nPrograms can be checked here, but not run: a C++ compiler is needed.")?,
        }
        Ok(u8::from(compiler.is_err()))
    }
}

fn line(state: &str, what: &str, known: &str) -> Result<(), Failure> {
    output::line(format_args!("{state:>5}  {what}: {known}"))
}

fn hint(error: &BuildError) -> Result<(), Failure> {
    error.hint().map_or(Ok(()), |hint| output::line(format_args!("       {hint}")))
}
