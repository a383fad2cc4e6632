//! Sanitizers of the C++ compiler for generated code: AddressSanitizer, UndefinedBehaviorSanitizer and
//! ThreadSanitizer.
//!
//! Their libraries must be loaded first, so that this executable restarts itself with `LD_PRELOAD` to run the
//! program. Further places inherit the environment.

use std::path::PathBuf;
use std::process::Command;

use super::{BuildError, Compiler};

/// A sanitizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Sanitizer {
    /// Accesses outside of objects, and to freed objects.
    Address,
    /// Undefined behaviour of C++.
    Undefined,
    /// Data races.
    Thread,
}

impl Sanitizer {
    /// All of them.
    pub const ALL: [Sanitizer; 3] = [Sanitizer::Address, Sanitizer::Undefined, Sanitizer::Thread];

    /// Options of the compiler, and of the linker.
    pub fn flags(self) -> &'static [&'static str] {
        match self {
            // Locals stay on the stack, where the collector looks for references.
            Self::Address => &["-fsanitize=address", "--param=asan-use-after-return=0"],
            Self::Undefined => &[
                "-fsanitize=undefined,float-cast-overflow",
                "-fno-sanitize-recover=all",
                "-fno-sanitize=vptr",
            ],
            Self::Thread => &["-fsanitize=thread"],
        }
    }

    /// Options of the compiler for C programs, which have a frame for each call.
    pub fn c_flags(self) -> &'static [&'static str] {
        match self {
            Self::Address => &["-fsanitize=address", "-g", "-fno-omit-frame-pointer"],
            Self::Undefined => &["-fsanitize=undefined", "-fno-sanitize-recover=all", "-g"],
            Self::Thread => &["-fsanitize=thread", "-g"],
        }
    }

    /// The option for linking alone.
    pub fn link_flag(self) -> &'static str {
        self.flags()[0]
    }

    /// The name of its library, without `lib` and `.so`.
    fn library_name(self) -> &'static str {
        match self {
            Self::Address => "asan",
            Self::Undefined => "ubsan",
            Self::Thread => "tsan",
        }
    }

    /// The variable that its library reads, and our settings in it.
    fn settings(self) -> (&'static str, &'static str) {
        match self {
            // The collector frees memory, and the runtime handles signals.
            Self::Address => (
                "ASAN_OPTIONS",
                "detect_leaks=0:detect_stack_use_after_return=0:use_sigaltstack=0:handle_segv=0:handle_sigbus=0:exitcode=1",
            ),
            Self::Undefined => ("UBSAN_OPTIONS", "print_stacktrace=1:halt_on_error=1"),
            Self::Thread => ("TSAN_OPTIONS", "detect_deadlocks=0:report_signal_unsafe=0:exitcode=66"),
        }
    }

    /// The sanitizer that a shared object was compiled for, and the file name of its library.
    pub fn of_object(object: &[u8]) -> Option<(Sanitizer, String)> {
        Self::ALL.into_iter().find_map(|sanitizer| {
            let name = format!("\0lib{}.so", sanitizer.library_name());
            let at = object.windows(name.len()).position(|window| window == name.as_bytes())? + 1;
            let length = object[at..].iter().position(|byte| *byte == 0)?;
            let name = String::from_utf8_lossy(&object[at..at + length]).into_owned();
            Some((sanitizer, name))
        })
    }

    /// The library that comes with the compiler.
    ///
    /// # Errors
    /// When the compiler has none.
    pub fn library(self, compiler: &Compiler) -> Result<PathBuf, BuildError> {
        let name = format!("lib{}.so", self.library_name());
        let output = Command::new(compiler.path()).arg(format!("-print-file-name={name}")).output();
        let path =
            output.map(|it| PathBuf::from(String::from_utf8_lossy(&it.stdout).trim())).unwrap_or_default();
        if path.is_absolute() && path.exists() {
            return Ok(path);
        }
        Err(BuildError::NoSanitizer { compiler: compiler.path().display().to_string(), library: name })
    }

    /// Prepares a command to run with the library. Settings of the user come last and take precedence.
    pub fn prepare(self, command: &mut Command, library: impl Into<std::ffi::OsString>) {
        let (variable, ours) = self.settings();
        let mut settings = ours.to_owned();
        if self == Self::Thread
            && let Ok(executable) = std::env::current_exe()
            && let Some(file) = suppressions(&format!(
                // The second: thread-locals are freed at the end by a fiber that runs on the thread.
                "called_from_lib:^{}$\nrace:call_tls_dtors\n",
                executable.display()
            ))
        {
            settings += &format!(":suppressions={file}");
        }
        if let Ok(theirs) = std::env::var(variable) {
            settings += &format!(":{theirs}");
        }
        let mut preload = library.into();
        if self == Self::Address {
            // It resolves the function that throws when it starts, before the program is loaded.
            preload.push(":libstdc++.so.6");
        }
        if let Some(theirs) = std::env::var_os("LD_PRELOAD").filter(|it| !it.is_empty()) {
            preload.push(":");
            preload.push(theirs);
        }
        command.env(variable, settings).env("LD_PRELOAD", preload).env(LOADED, "1");
        if self == Self::Thread {
            // Its shadow mapping does not cover randomised addresses.
            // SAFETY: a system call without pointers.
            unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) };
        }
    }
}

/// Set in processes that were started with the library.
const LOADED: &str = "APG_SANITIZER_LOADED";

/// Whether this process was started by [`Sanitizer::prepare`].
pub fn is_loaded() -> bool {
    std::env::var_os(LOADED).is_some()
}

/// A file of suppressions in memory, inherited by child processes. The runtime is not instrumented, so that
/// its calls of the C library must not be reported.
fn suppressions(text: &str) -> Option<String> {
    // SAFETY: a constant name; the descriptor is new and stays open.
    unsafe {
        let file = libc::memfd_create(c"apg-suppressions".as_ptr(), 0);
        let written = file >= 0 && libc::write(file, text.as_ptr().cast(), text.len()) == text.len() as isize;
        written.then(|| format!("/proc/self/fd/{file}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sanitizer_is_found_in_the_object() {
        let needs = |object: &[u8]| Sanitizer::of_object(object);
        assert_eq!(
            needs(b"..\0libm.so.6\0libtsan.so.2\0x"),
            Some((Sanitizer::Thread, "libtsan.so.2".into()))
        );
        assert_eq!(needs(b"..\0libm.so.6\0"), None);
        assert_eq!(needs(b""), None);
    }
}
