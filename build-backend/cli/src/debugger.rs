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
        let program = std::env::current_exe().map_err(|error| self.cannot_start(&error))?;
        let mut command = self.command(apg_toolchain::GDB_SCRIPTS)?;
        command.arg("--args").arg(program).args(arguments);
        Err(self.cannot_start(&command.exec()))
    }

    /// Replaces this process by the debugger of a program in C, which gets variables of the environment. A
    /// program with device code is loaded after the start, as one in X10.
    pub(crate) fn start_program(
        self,
        program: &Path,
        arguments: impl Iterator<Item = OsString>,
        environment: impl Iterator<Item = (&'static str, String)>,
    ) -> Outcome {
        let [general, _] = apg_toolchain::GDB_SCRIPTS;
        let mut command = self.command([general])?;
        command.envs(environment).arg("--args").arg(program).args(arguments);
        Err(self.cannot_start(&command.exec()))
    }

    fn name(self) -> &'static str {
        match self {
            Debugger::Gdb => "gdb",
            Debugger::CudaGdb => CUDA_GDB,
        }
    }

    /// The command of the debugger with these scripts, each a name and a text.
    fn command<const N: usize>(
        self,
        scripts: [(&'static str, &'static str); N],
    ) -> Result<std::process::Command, Failure> {
        let cache = Cache::default();
        let folder = cache.root().join("debugger").join(env!("CARGO_PKG_VERSION"));
        let kept = cache.prepare().and_then(|()| {
            scripts.iter().try_for_each(|(name, text)| cache.keep_text(&folder.join(name), text))
        });
        kept.map_err(|error| build_failure(&error.into()))?;
        let name = self.name();
        let mut command = std::process::Command::new(find(name).unwrap_or_else(|| PathBuf::from(name)));
        if self == Debugger::CudaGdb {
            command.env(device::DEBUG, "1");
        }
        command.arg("-q");
        for (script, _) in scripts {
            command.arg("-x").arg(folder.join(script));
        }
        Ok(command)
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
