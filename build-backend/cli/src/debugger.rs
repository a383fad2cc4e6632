//! Debuggers of `apg run --debugger`.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use apg_runtime::cache::Cache;
use apg_runtime::device;
use clap::ValueEnum;

use crate::failure::{Failure, Outcome, build_failure};

/// A debugger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Debugger {
    /// Stops in host code
    Gdb,
    /// Stops in kernels on GPUs too; the CUDA toolkit brings it
    CudaGdb,
}

impl Debugger {
    /// Replaces this process by the debugger. The program is this executable with these arguments.
    pub(crate) fn start(self, arguments: Vec<OsString>) -> Outcome {
        let cache = Cache::default();
        let scripts = cache.root().join("debugger").join(env!("CARGO_PKG_VERSION"));
        let kept = cache.prepare().and_then(|()| {
            apg_toolchain::GDB_SCRIPTS
                .iter()
                .try_for_each(|(name, text)| cache.keep_text(&scripts.join(name), text))
        });
        kept.map_err(|error| build_failure(&error.into()))?;
        let mut command = self.command();
        for (script, _) in apg_toolchain::GDB_SCRIPTS {
            command.arg("-x").arg(scripts.join(script));
        }
        let program = std::env::current_exe().map_err(|error| self.cannot_start(&error))?;
        command.arg("--args").arg(program).args(arguments);
        Err(self.cannot_start(&command.exec()))
    }

    /// Replaces this process by the debugger of a program in C.
    pub(crate) fn start_program(self, program: &Path, arguments: impl Iterator<Item = OsString>) -> Outcome {
        let mut command = self.command();
        command.arg("--args").arg(program).args(arguments);
        Err(self.cannot_start(&command.exec()))
    }

    fn name(self) -> &'static str {
        match self {
            Debugger::Gdb => "gdb",
            Debugger::CudaGdb => CUDA_GDB,
        }
    }

    fn command(self) -> std::process::Command {
        let name = self.name();
        let mut command = std::process::Command::new(find(name).unwrap_or_else(|| PathBuf::from(name)));
        if self == Debugger::CudaGdb {
            command.env(device::DEBUG, "1");
        }
        command.arg("-q");
        command
    }

    fn cannot_start(self, error: &std::io::Error) -> Failure {
        let hint = match self {
            Debugger::CudaGdb => "it comes with the CUDA toolkit, whose `bin` then belongs on PATH",
            Debugger::Gdb => "install it (Debian, Ubuntu: `apt install gdb`)",
        };
        Failure::new(format!("cannot start {}: {error}", self.name())).hint(hint)
    }
}

const CUDA_GDB: &str = "cuda-gdb";

/// The path of a command: on the PATH, or in the CUDA toolkit's default folder.
fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let toolkit = (name == CUDA_GDB).then(|| PathBuf::from("/usr/local/cuda/bin"));
    std::env::split_paths(&path).chain(toolkit).map(|folder| folder.join(name)).find(|file| file.is_file())
}
