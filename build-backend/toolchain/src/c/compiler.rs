//! The system's C compiler, and whether it has OpenMP.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use apg_runtime::cache::{self, Cache};

use super::error::CBuildError;
use crate::compiler::locate;

/// A C compiler that takes GCC's options.
#[derive(Clone, Debug)]
pub struct CCompiler {
    path: PathBuf,
    /// Words behind the compiler in `$CC`.
    arguments: Vec<String>,
    /// Identity of the executable, and its arguments.
    identity: String,
}

/// `$CC`, which may have arguments, else the first of `cc`, `gcc` and `clang` on the `PATH`.
///
/// # Errors
/// [`CBuildError::NoCompiler`].
pub fn find() -> Result<CCompiler, CBuildError> {
    let variable = std::env::var("CC").ok().filter(|it| !it.trim().is_empty());
    let words: Vec<String> =
        variable.as_deref().unwrap_or_default().split_whitespace().map(str::to_owned).collect();
    let (candidates, arguments) = match words.split_first() {
        Some((name, arguments)) => (vec![name.as_str()], arguments.to_vec()),
        None => (vec!["cc", "gcc", "clang"], Vec::new()),
    };
    let found = candidates
        .into_iter()
        .find_map(locate)
        .ok_or(CBuildError::NoCompiler { variable: variable.clone() })?;
    let identity = format!("{} {}", found.identity, arguments.join(" "));
    Ok(CCompiler { path: found.path, arguments, identity })
}

/// A program that only a compiler with OpenMP and its library accepts.
const OPENMP_PROGRAM: &[u8] = b"#ifndef _OPENMP\n#error without OpenMP\n#endif\n#include <omp.h>\n\
    int main(void) {\n  int n = 0;\n  #pragma omp parallel reduction(+ : n)\n  n += omp_get_thread_num();\n\
    \x20 return n < 0;\n}\n";

impl CCompiler {
    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Path, size and time of the executable, with the arguments of `$CC`.
    pub(super) fn identity(&self) -> &str {
        &self.identity
    }

    /// A command that starts it.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.args(&self.arguments).stdin(Stdio::null());
        command
    }

    /// The first line of `--version`, for people.
    pub fn version(&self) -> Option<String> {
        let output = self.command().arg("--version").output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).lines().next()?.to_owned())
    }

    /// Whether it takes an option; the cache remembers it.
    ///
    /// # Errors
    /// It cannot be started, or the cache fails.
    pub(super) fn takes(&self, option: &str, cache: &Cache) -> Result<bool, CBuildError> {
        let known = cache.path("c-compilers", &cache::key(&[self.identity.as_str(), option]), "option");
        if let Some(answer) = cache.load(&known) {
            return Ok(answer == b"yes");
        }
        let mut command = self.command();
        command.args([option, "-E", "-x", "c", "/dev/null"]);
        let output = command.output().map_err(|error| CBuildError::cannot_start(self, &error))?;
        apg_runtime::base::interrupt::wait_for_end();
        cache.store(&known, if output.status.success() { b"yes" } else { b"no" })?;
        Ok(output.status.success())
    }

    /// Whether it compiles and links programs with OpenMP; if so, the cache remembers it.
    ///
    /// # Errors
    /// [`CBuildError::NoOpenMp`] with the reason, or that of the cache.
    pub fn check_openmp(&self, cache: &Cache) -> Result<(), CBuildError> {
        let known =
            cache.path("c-compilers", &cache::key(&[self.identity.as_bytes(), OPENMP_PROGRAM]), "openmp");
        if cache.contains(&known) {
            return Ok(());
        }
        let source = cache.temporary("openmp.c", OPENMP_PROGRAM)?;
        let program = cache.temporary("openmp", b"")?;
        let mut command = self.command();
        command.arg("-fopenmp").arg(source.path()).arg("-o").arg(program.path()).env("LC_ALL", "C");
        let output = command.output().map_err(|error| CBuildError::cannot_start(self, &error))?;
        // Ctrl-C ends the compiler as well: its failure then means nothing.
        apg_runtime::base::interrupt::wait_for_end();
        if output.status.success() {
            return Ok(cache.store(&known, b"yes")?);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let reason = said.lines().find(|it| it.contains("error") || it.contains("cannot find"));
        let reason = reason.unwrap_or("it ended with an error").trim();
        let reason = reason.rsplit("error: ").next().unwrap_or(reason).to_owned();
        Err(CBuildError::NoOpenMp { compiler: self.path.display().to_string(), reason })
    }
}
