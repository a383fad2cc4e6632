//! `apg doctor`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use apg_runtime::cache::Cache;
use apg_runtime::net::mpi::probe;
use clap::Args;

use super::remote::{self, OnOption};
use crate::failure::{Failure, Outcome};
use crate::output;
use apg_toolchain::c::{self, CBuildError};
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
            return remote::run_plain(on, "doctor", &|_, _| Ok(()));
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
        c_compiler(&cache)?;
        match cache.acquire() {
            Ok(_) => line("ok", "build cache", &cache.root().display().to_string())?,
            Err(error) => {
                let text = format!("{}: {}; {}", error.path.display(), error.error, error.hint());
                line("LACKS", "build cache", &text)?;
            }
        }
        launchers()?;
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

/// The C compiler, and whether it has OpenMP. Programs in X10 do not need it.
fn c_compiler(cache: &Cache) -> Result<(), Failure> {
    let found = c::find().and_then(|compiler| compiler.check_openmp(cache).map(|()| compiler));
    match found {
        Ok(compiler) => {
            let version = compiler.version().unwrap_or_else(|| "does not tell its version".to_owned());
            line("ok", "C compiler with OpenMP", &format!("{} ({version})", compiler.path().display()))
        }
        Err(CBuildError::Cache(_)) => Ok(()),
        Err(error) => {
            line("lacks", "C compiler with OpenMP", &error.to_string())?;
            error.hint().map_or(Ok(()), |hint| output::line(format_args!("       {hint}")))
        }
    }
}

/// The launchers of clusters, each with its first line of `--version`, and the MPIs that can carry messages.
fn launchers() -> Result<(), Failure> {
    const LAUNCHERS: [&str; 4] = ["mpirun.openmpi", "mpirun.mpich", "mpirun", "srun"];
    const COMPILERS: [&str; 3] = ["mpicc.openmpi", "mpicc.mpich", "mpicc"];
    let launchers = installed("launcher", &LAUNCHERS, &version)?;
    let transports = installed("MPI transport", &COMPILERS, &probe::describe_compiler)?;
    let standard = probe::describe_standard_library();
    if let Some(library) = &standard {
        line("ok", "MPI transport", library)?;
    }
    if launchers == 0 {
        line("lacks", "launcher", "neither mpirun nor srun is installed; places start by ssh")?;
    } else if transports == 0 && standard.is_none() {
        line("lacks", "MPI transport", "no mpicc and no libmpi_abi.so.1; messages go by TCP")?;
    }
    Ok(())
}

/// Prints what there is of some programs, and what `describe` says of each; their number.
fn installed(
    use_: &str,
    programs: &[&str],
    describe: &dyn Fn(&Path) -> Result<String, String>,
) -> Result<usize, Failure> {
    let mut found = Vec::new();
    for program in programs {
        let Some(path) = find_on_path(program) else { continue };
        // `mpirun` is often a link to one of the others.
        let target = path.canonicalize().unwrap_or_else(|_| path.clone());
        if !found.contains(&target) {
            match describe(&path) {
                Ok(what) => line("ok", use_, &format!("{} ({what})", path.display()))?,
                Err(why) => line("lacks", use_, &format!("{} does not work: {why}", path.display()))?,
            }
            found.push(target);
        }
    }
    Ok(found.len())
}

fn find_on_path(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// The first line in which a program says its version; an error says why it does not run.
fn version(program: &Path) -> Result<String, String> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    let output = output.map_err(|error| error.to_string())?;
    let in_words = |line: Option<&str>| {
        let words = line.unwrap_or("does not tell its version").split_whitespace();
        words.collect::<Vec<_>>().join(" ")
    };
    let has_number = |line: &&str| line.chars().any(|it| it.is_ascii_digit());
    match output.status.success() {
        true => Ok(in_words(String::from_utf8_lossy(&output.stdout).lines().find(has_number))),
        // The reason stands at the end.
        false => Err(in_words(String::from_utf8_lossy(&output.stderr).lines().next_back())),
    }
}

fn line(state: &str, what: &str, known: &str) -> Result<(), Failure> {
    output::line(format_args!("{state:>5}  {what}: {known}"))
}

fn hint(error: &BuildError) -> Result<(), Failure> {
    error.hint().map_or(Ok(()), |hint| output::line(format_args!("       {hint}")))
}
