//! The system's C++ compiler.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

use apg_codegen::UnitKind;

use crate::{BuildError, Mode, Profile};

/// A compiler that takes GCC's options.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// Its path.
    pub path: PathBuf,
    /// Identity of the executable: path, size and modification time. Its version would cost a process at
    /// every run.
    pub identity: String,
}

/// `$CXX`, else the first of `c++`, `g++` and `clang++` on the `PATH`.
///
/// # Errors
/// [`BuildError::NoCompiler`].
pub fn find() -> Result<Compiler, BuildError> {
    let cxx = std::env::var("CXX").ok().filter(|cxx| !cxx.trim().is_empty());
    let candidates = match &cxx {
        Some(cxx) => vec![cxx.as_str()],
        None => vec!["c++", "g++", "clang++"],
    };
    candidates.into_iter().find_map(locate).ok_or(BuildError::NoCompiler { cxx })
}

pub(crate) fn locate(name: &str) -> Option<Compiler> {
    let path = if name.contains('/') {
        PathBuf::from(name)
    } else {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file())?
    };
    // Links such as c++ -> /etc/alternatives/c++ -> g++-12 change under the same name.
    let real = path.canonicalize().ok()?;
    let file = real.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let modified = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let identity = format!("{} {} {}", real.display(), file.len(), modified.as_nanos());
    Some(Compiler { path, identity })
}

/// Options that keep stack traces exact (GCC only): calls between the parts of a split function have no line
/// in the source, and merged functions have the lines of one of them.
pub(crate) const TRACE_FLAGS: [&str; 3] =
    ["-fno-partial-inlining", "-fno-crossjumping", "-fno-ipa-icf-functions"];

impl Compiler {
    /// The [`TRACE_FLAGS`] that the compiler accepts: all or none. Starts the compiler once.
    pub fn trace_flags(&self) -> &'static [&'static str] {
        let mut command = Command::new(&self.path);
        command.args(TRACE_FLAGS).args(["-E", "-x", "c++", "/dev/null"]);
        let accepted = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        // Ctrl-C ends the compiler as well. Then nothing else is started.
        apg_runtime::base::interrupt::wait_for_end();
        if accepted.is_ok_and(|status| status.success()) { &TRACE_FLAGS } else { &[] }
    }

    /// Options for generated code: X10's integers wrap, and `-g1` keeps the `.x10` lines. Kernels are
    /// vectorised in every profile; like a device they may fuse a multiplication with an addition and keep no
    /// floating-point traps.
    pub fn flags(&self, mode: Mode, kind: UnitKind) -> Vec<String> {
        let profile = mode.profile;
        let mut flags = vec![
            "-std=gnu++20",
            "-fPIC",
            "-fwrapv",
            "-fno-math-errno",
            // A loop without effects may run forever.
            "-fno-finite-loops",
            // Unbounded recursion must end in a StackOverflowError, not loop.
            "-fno-optimize-sibling-calls",
            "-fno-semantic-interposition",
            "-fvisibility=hidden",
            "-w",
            "-pipe",
        ];
        match (kind, profile) {
            (UnitKind::Kernels, _) if mode.debug => flags.extend(["-O0", "-ffp-contract=fast", "-g"]),
            (UnitKind::Kernels, _) => {
                flags.extend(["-O3", "-fno-trapping-math", "-ffp-contract=fast", "-g1"]);
                if profile != Profile::Portable {
                    flags.push("-march=native");
                    if has_wide_vectors() {
                        flags.push("-mprefer-vector-width=512");
                    }
                }
                if vector_library().is_some() {
                    flags.push("-DAPG_VECTOR_MATH");
                }
            }
            (UnitKind::Code | UnitKind::Native, _) if mode.debug => {
                flags.extend(["-O0", "-ffp-contract=off", "-g"])
            }
            (UnitKind::Native, Profile::Dev) => {
                // The user's code is compiled as written.
                flags.retain(|it| *it != "-fvisibility=hidden");
                flags.extend(["-O2", "-g1", "-ffp-contract=off"]);
            }
            (UnitKind::Tables, _) => flags.extend(["-O1", "-g0"]),
            (UnitKind::Code, Profile::Dev) => {
                // Inlining small functions makes compilation faster.
                flags.extend(["-O1", "-finline-small-functions", "-ffp-contract=off", "-g1"]);
            }
            (UnitKind::Code | UnitKind::Native, Profile::Portable) => {
                flags.extend(["-O2", "-ffp-contract=off", "-g1"])
            }
            (UnitKind::Code | UnitKind::Native, Profile::Release) => {
                flags.extend(["-O3", "-march=native", "-ffp-contract=off", "-g1"]);
                // GCC inlines little in large units, and a unit is a whole package here.
                flags.push("--param=large-unit-insns=100000");
            }
        }
        if let (Some(sanitizer), UnitKind::Code | UnitKind::Kernels | UnitKind::Native) =
            (mode.sanitizer, kind)
        {
            flags.extend(sanitizer.flags());
            flags.extend(["-fno-omit-frame-pointer"]);
        }
        flags.into_iter().map(str::to_owned).collect()
    }

    /// Libraries for linking, after the objects.
    pub fn libraries(&self) -> Vec<String> {
        vector_library().into_iter().map(|it| format!("-l:{it}")).chain(["-lm".to_owned()]).collect()
    }

    /// The first line of `--version`, for people.
    pub fn version(&self) -> Option<String> {
        let output = std::process::Command::new(&self.path).arg("--version").output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).lines().next()?.to_owned())
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Identity of the CPU, on which `-march=native` depends.
pub(crate) fn cpu_identity() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let kept = |line: &&str| {
            ["model name", "flags", "Features", "CPU part"].iter().any(|it| line.starts_with(it))
        };
        // All CPUs are assumed to be the same.
        text.split("\n\n").next().unwrap_or_default().lines().filter(kept).collect()
    })
}

/// Whether this machine's CPU has 512-bit vectors without a lower clock rate. Compilers do not use them by
/// default.
fn has_wide_vectors() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::is_x86_feature_detected!("avx512bf16");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// The C library's vector versions of mathematical functions, which vectorised kernels on CPUs call.
fn vector_library() -> Option<&'static str> {
    const NAME: &str = "libmvec.so.1";
    static PRESENT: OnceLock<bool> = OnceLock::new();
    if !cfg!(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")) {
        return None;
    }
    // SAFETY: a library of the system without initialisers of its own.
    PRESENT.get_or_init(|| unsafe { libloading::Library::new(NAME) }.is_ok()).then_some(NAME)
}
