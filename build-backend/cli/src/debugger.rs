//! Debuggers of `apg run --debugger`.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;

use apg_runtime::cache::Cache;
use apg_runtime::device;
use clap::ValueEnum;

use crate::commands::build::build_failure;
use crate::failure::{Failure, Outcome};

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
        let name = match self {
            Debugger::Gdb => "gdb",
            Debugger::CudaGdb => CUDA_GDB,
        };
        let cannot = |error: std::io::Error| {
            let hint = match name {
                CUDA_GDB => "it comes with the CUDA toolkit, whose `bin` then belongs on PATH",
                _ => "install it (Debian, Ubuntu: `apt install gdb`)",
            };
            Failure::new(format!("cannot start {name}: {error}")).hint(hint)
        };
        let cache = Cache::default();
        let scripts = cache.root().join("debugger").join(env!("CARGO_PKG_VERSION"));
        let kept = cache.prepare().and_then(|()| {
            apg_toolchain::GDB_SCRIPTS
                .iter()
                .try_for_each(|(name, text)| cache.keep_text(&scripts.join(name), text))
        });
        kept.map_err(|error| build_failure(&error.into()))?;
        let mut command = std::process::Command::new(find(name).unwrap_or_else(|| PathBuf::from(name)));
        if name == CUDA_GDB {
            command.env(device::DEBUG, "1");
        }
        command.arg("-q");
        for (script, _) in apg_toolchain::GDB_SCRIPTS {
            command.arg("-x").arg(scripts.join(script));
        }
        command.arg("--args").arg(std::env::current_exe().map_err(cannot)?).args(arguments);
        Err(cannot(command.exec()))
    }
}

const CUDA_GDB: &str = "cuda-gdb";

/// The path of a command: on the PATH, or in the CUDA toolkit's default folder.
fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let toolkit = (name == CUDA_GDB).then(|| PathBuf::from("/usr/local/cuda/bin"));
    std::env::split_paths(&path).chain(toolkit).map(|folder| folder.join(name)).find(|file| file.is_file())
}
