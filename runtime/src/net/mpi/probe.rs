//! What an installed MPI is, without a job: its name, its version, and whether it takes memory of GPUs, for
//! `apg doctor`.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::net::mpi::standard_abi;

/// What the headers of an MPI say, behind marks in the preprocessor's output.
const QUESTIONS: &str = r#"#include <mpi.h>
#if defined(OPEN_MPI) && OPEN_MPI
#include <mpi-ext.h>
apg_mpi_name "Open MPI" OMPI_MAJOR_VERSION.OMPI_MINOR_VERSION.OMPI_RELEASE_VERSION
#elif defined(MPICH_VERSION)
apg_mpi_name "MPICH" MPICH_VERSION
#else
apg_mpi_name "MPI" MPI_VERSION.MPI_SUBVERSION
#endif
#if defined(MPIX_CUDA_AWARE_SUPPORT)
#if MPIX_CUDA_AWARE_SUPPORT
apg_mpi_takes_cuda
#else
apg_mpi_lacks_cuda
#endif
#endif
"#;

/// The MPI of an `mpicc` in words, by its headers.
///
/// # Errors
/// It does not work, and why.
pub fn describe_compiler(compiler: &Path) -> Result<String, String> {
    let words = |error: std::io::Error| error.to_string();
    let mut command = Command::new(compiler);
    command.args(["-E", "-P", "-x", "c", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(words)?;
    // The text is shorter than a pipe; a command that does not read it says why.
    let _ = child.stdin.take().map(|mut input| input.write_all(QUESTIONS.as_bytes()));
    let output = child.wait_with_output().map_err(words)?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(errors.lines().next_back().unwrap_or("it says nothing").trim().to_owned());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    read_answers(&text).ok_or_else(|| "its headers do not tell its version".to_owned())
}

/// "Open MPI 4.1.4, not CUDA-aware".
fn read_answers(text: &str) -> Option<String> {
    let answer = text.lines().find_map(|line| line.trim().strip_prefix("apg_mpi_name "))?;
    let (name, version) = answer.trim().strip_prefix('"')?.split_once('"')?;
    // The preprocessor puts spaces between a number and a dot.
    let version: String = version.chars().filter(|it| !it.is_whitespace() && *it != '"').collect();
    let says = |mark: &str| text.lines().any(|line| line.trim() == mark);
    let cuda = match () {
        () if says("apg_mpi_takes_cuda") => ", CUDA-aware",
        () if says("apg_mpi_lacks_cuda") => ", not CUDA-aware",
        // The headers of MPICH do not tell.
        () => "",
    };
    Some(format!("{name} {version}{cuda}"))
}

/// The library of the standard's binary interface in words; `None` if none is installed.
#[must_use]
pub fn describe_standard_library() -> Option<String> {
    let name = standard_abi::library_name()?;
    Some(format!("{} ({name})", standard_abi::LIBRARY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_preprocessors_are_read() {
        let open = "\napg_mpi_name \"Open MPI\" 4 . 1 . 4\napg_mpi_lacks_cuda\n";
        assert_eq!(read_answers(open).as_deref(), Some("Open MPI 4.1.4, not CUDA-aware"));
        let built_with_cuda = open.replace("lacks", "takes");
        assert_eq!(read_answers(&built_with_cuda).as_deref(), Some("Open MPI 4.1.4, CUDA-aware"));
        let mpich = "extern int x;\napg_mpi_name \"MPICH\" \"4.0.2\"\n";
        assert_eq!(read_answers(mpich).as_deref(), Some("MPICH 4.0.2"));
        assert_eq!(read_answers("int main(void);\n"), None);
        let error = describe_compiler(Path::new("/none/mpicc")).expect_err("there is none");
        assert!(error.contains("No such file"), "{error}");
        assert!(describe_compiler(Path::new("/bin/false")).is_err());
    }
}
