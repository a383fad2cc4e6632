//! The system's C compiler: its predefined macros and include folders, and the helper that requests them.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A folder in which headers are found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IncludeDir {
    /// The folder.
    pub path: PathBuf,
    /// Its headers are the system's.
    pub is_system: bool,
}

/// What is known of a C compiler. A value: it is requested once and kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Toolchain {
    /// `#define`s of the predefined macros, as `cc -dM -E` prints them.
    pub predefined: String,
    /// Folders for `#include "..."` only, after that of the file.
    pub quote_dirs: Vec<PathBuf>,
    /// Folders for both forms of `#include`, in their order.
    pub include_dirs: Vec<IncludeDir>,
    /// Headers that a file includes by `#include "..."` are parsed with the file, not with its preamble:
    /// their functions have bodies.
    pub separates_own_headers: bool,
}

impl Toolchain {
    /// Asks a C compiler with these arguments (`-fopenmp`, `-std=...`, `-D...`, `-I...`). The error says what
    /// the compiler said.
    pub fn request(compiler: &str, arguments: &[String]) -> Result<Toolchain, String> {
        let output = Command::new(compiler)
            .args(["-E", "-dM", "-v", "-x", "c"])
            .args(arguments)
            .arg("-")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("`{compiler}` cannot be started: {error}"))?;
        let log = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            let last = log.lines().rfind(|it| it.contains("error:")).unwrap_or("it ended with an error");
            return Err(format!("`{compiler}` does not take these arguments: {last}"));
        }
        let own: Vec<PathBuf> = arguments
            .iter()
            .enumerate()
            .filter_map(|(at, word)| match word.strip_prefix("-I")? {
                "" => arguments.get(at + 1).map(PathBuf::from),
                folder => Some(PathBuf::from(folder)),
            })
            .collect();
        Ok(Toolchain::from_output(&String::from_utf8_lossy(&output.stdout), &log, &own))
    }

    /// Reads the output of `cc -E -dM -v`: macros from standard output, folders from standard error.
    /// The folders of `own` are the program's, all others the system's.
    pub fn from_output(macros: &str, log: &str, own: &[PathBuf]) -> Toolchain {
        let mut toolchain = Toolchain { predefined: macros.to_string(), ..Toolchain::default() };
        let mut section = None;
        for line in log.lines() {
            match line {
                "#include \"...\" search starts here:" => section = Some(true),
                "#include <...> search starts here:" => section = Some(false),
                "End of search list." => section = None,
                _ => {
                    let path = PathBuf::from(line.trim().trim_end_matches(" (framework directory)"));
                    match section {
                        Some(true) => toolchain.quote_dirs.push(path),
                        Some(false) => {
                            let is_system = !own.contains(&path);
                            toolchain.include_dirs.push(IncludeDir { path, is_system });
                        }
                        None => {}
                    }
                }
            }
        }
        toolchain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_macros_are_read_from_the_output_of_a_compiler() {
        let log = "ignoring nonexistent directory \"/x\"\n#include \"...\" search starts here:\n quoted\n\
                   #include <...> search starts here:\n own\n /usr/include\nEnd of search list.\nother\n";
        let toolchain = Toolchain::from_output("#define A 1\n", log, &["own".into()]);
        assert_eq!(toolchain.quote_dirs, [PathBuf::from("quoted")]);
        let dirs: Vec<_> = toolchain.include_dirs.iter().map(|it| (it.path.to_str(), it.is_system)).collect();
        assert_eq!(dirs, [(Some("own"), false), (Some("/usr/include"), true)]);
        assert_eq!(toolchain.predefined, "#define A 1\n");
    }

    #[test]
    fn a_missing_compiler_is_an_error() {
        assert!(Toolchain::request("no-such-compiler", &[]).unwrap_err().contains("no-such-compiler"));
    }
}
