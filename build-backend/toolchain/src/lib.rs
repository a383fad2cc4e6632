//! From generated C++ to a shared object: the system's compiler, a cache by content, and single-file programs.
//!
//! Nothing here knows X10. Input is translation units and headers as text; each unit is compiled once for a given text, headers,
//! flags and compiler, and found in the cache ever after, by this program or another that generates the same unit.

mod bundle;
mod compiler;
mod messages;
mod native;
mod reads;
pub mod regular_file;
pub mod resources;
mod sanitizer;
pub mod thread_pool;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fmt, io};

use apg_codegen::{Unit, UnitKind};
use apg_runtime::cache::{self, Cache, CacheError, InUse};
use rayon::prelude::*;

use crate::regular_file::ReadError;

pub use bundle::{appended_program, write_bundle};
pub use compiler::{Compiler, find as find_compiler};
pub use messages::{Message, parse as parse_messages};
pub use native::NativeOptions;
pub use sanitizer::{Sanitizer, is_loaded as is_sanitizer_loaded};

/// How code is optimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// Compiles fast; kernels are vectorised all the same.
    #[default]
    Dev,
    /// For a file that goes to other machines: nothing of this processor in particular.
    Portable,
    /// Runs fast, on this machine's processor.
    Release,
}

/// How a program is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Mode {
    /// How it is optimised.
    pub profile: Profile,
    /// What is looked for while it runs.
    pub sanitizer: Option<Sanitizer>,
    /// Variables and statements are as a debugger wants them: nothing is optimised.
    pub debug: bool,
}

impl From<Profile> for Mode {
    fn from(profile: Profile) -> Self {
        Self { profile, ..Self::default() }
    }
}

/// What gdb reads to know X10. The first works also where gdb was built without Python, as some cuda-gdb are.
pub const GDB_SCRIPTS: [(&str, &str); 2] =
    [("apg.gdb", include_str!("apg.gdb")), ("apg_gdb.py", include_str!("apg_gdb.py"))];

/// Hears what is being done; all methods may be called from several threads.
pub trait Observer: Sync {
    /// `total` units are not in the cache and will be compiled.
    fn compiling(&self, total: usize);
    /// One of them is done.
    fn compiled(&self, name: &str);
}

/// Says nothing.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Observer for Silent {
    fn compiling(&self, _: usize) {}
    fn compiled(&self, _: &str) {}
}

/// Why no shared object was made.
#[derive(Debug)]
pub enum BuildError {
    /// There is no C++ compiler: what was looked for.
    NoCompiler {
        /// The value of `$CXX`, if it is set.
        cxx: Option<String>,
    },
    /// The compiler refused generated code, which is a fault of apg.
    Refused {
        /// Unit or "linking".
        what: String,
        /// What the compiler said; `#line` makes it speak of the `.x10` file.
        message: String,
    },
    /// The compiler refused C++ code of the user, or something that this needs is not to be found.
    Native {
        /// What the compiler said.
        message: String,
    },
    /// A file of C++ code that a compiler must not read.
    NativeFile {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: ReadError,
    },
    /// The linker does not find a library, or something that C++ code of the user calls.
    NativeLink {
        /// What the linker said.
        message: String,
    },
    /// The compiler has no library for a sanitizer.
    NoSanitizer {
        /// The compiler.
        compiler: String,
        /// The library.
        library: String,
    },
    /// The build cache cannot be used.
    Cache(CacheError),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCompiler { cxx: Some(cxx) } => {
                write!(f, "the C++ compiler `{cxx}` (from $CXX) does not run")
            }
            Self::NoCompiler { cxx: None } => {
                f.write_str("no C++ compiler was found: neither c++, g++ nor clang++ is on the PATH")
            }
            Self::Refused { what, message } => {
                write!(
                    f,
                    "the C++ compiler refused {what}; this is a fault of apg, please report it\n{}",
                    message.trim_end()
                )
            }
            Self::Native { message } => {
                write!(f, "the C++ compiler refused the program's C++ code\n{}", message.trim_end())
            }
            Self::NativeFile { file, why } => {
                write!(f, "the program's C++ code cannot be compiled: `{}` {why}", file.display())
            }
            Self::NativeLink { message } => f.write_str(&messages::link_message(message)),
            Self::NoSanitizer { compiler, library } => {
                write!(f, "the C++ compiler {compiler} comes without `{library}`, which `--sanitize` needs")
            }
            Self::Cache(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BuildError {}

impl From<CacheError> for BuildError {
    fn from(error: CacheError) -> Self {
        Self::Cache(error)
    }
}

impl BuildError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoCompiler { .. } => Some(
                "install one (Debian, Ubuntu: `apt install g++`; Fedora: `dnf install gcc-c++`; macOS: `xcode-select --install`), \
                 or set CXX to its path",
            ),
            Self::Cache(error) => Some(error.hint()),
            Self::NoSanitizer { .. } => Some(
                "install it (Debian, Ubuntu: it is part of g++; Fedora: `dnf install libasan libubsan libtsan`), or set CXX to GCC",
            ),
            Self::NativeLink { message } if message.contains("cannot find -l") => Some(
                "install the library with its files for development (Debian, Ubuntu: a package that ends in `-dev`), or name its \
                 folder with `-L DIR`",
            ),
            Self::NativeLink { .. } => Some(
                "link the library that defines it with `-l NAME`, or name the C++ file that does in \
                 `@NativeCPPCompilationUnit`",
            ),
            Self::Native { .. } => Some("what C++ code in an X10 program may use is in docs/native.md"),
            Self::Refused { .. } | Self::NativeFile { .. } => None,
        }
    }
}

/// A shared object in the cache, which stays there while this value lives.
#[derive(Debug)]
pub struct Built {
    /// The shared object.
    pub object: PathBuf,
    /// Keeps it.
    pub in_use: InUse,
}

/// Compiles what is not in the cache, links, and gives the shared object, inside the cache.
///
/// # Errors
/// See [`BuildError`].
pub fn build(
    units: &[Unit],
    headers: &[(&str, &str)],
    mode: Mode,
    native: &NativeOptions,
    cache: &Cache,
    observer: &dyn Observer,
) -> Result<Built, BuildError> {
    let build = Build { compiler: find_compiler()?, units, headers, mode, native, cache };
    let in_use = cache.acquire()?;
    let keys = build.unit_keys()?;
    let program = cache.path("programs", &build.program_key(&keys), "so");
    if !cache.contains(&program) {
        let objects: Vec<PathBuf> = keys.iter().map(|key| cache.path("objects", key, "o")).collect();
        build.compile(&objects, observer)?;
        build.link(&objects, &program)?;
    }
    Ok(Built { object: program, in_use })
}

/// What a build needs to know.
struct Build<'a> {
    compiler: Compiler,
    units: &'a [Unit],
    headers: &'a [(&'a str, &'a str)],
    mode: Mode,
    native: &'a NativeOptions,
    cache: &'a Cache,
}

impl Build<'_> {
    fn headers_key(&self) -> String {
        let parts: Vec<&str> = self.headers.iter().flat_map(|(name, text)| [*name, *text]).collect();
        cache::key(&parts)
    }

    /// The key of each unit's object.
    fn unit_keys(&self) -> Result<Vec<String>, BuildError> {
        let headers = self.headers_key();
        let key = |unit: &Unit| {
            // Which of TRACE_FLAGS the compiler takes is part of its identity.
            let flags = flags(&self.compiler, self.mode, self.native, unit.kind);
            let flags = [flags.join(" "), compiler::TRACE_FLAGS.join(" ")].join(" ");
            // A user's home folder, and the cache in it, may be shared by machines of one network.
            let machine = if flags.contains("-march=native") { compiler::processor() } else { "" };
            let read = reads::contents(&unit.reads, &self.native.include_folders)?;
            Ok(cache::key(&[&self.compiler.identity, &flags, machine, &headers, &unit.text, &read]))
        };
        self.units.iter().map(key).collect()
    }

    fn program_key(&self, unit_keys: &[String]) -> String {
        let link_flags = [self.native.before.join(" "), self.native.link_flags().join(" ")].join(" ");
        let units = unit_keys.join(" ");
        cache::key(&[&self.compiler.identity, &units, link_flags.trim(), &self.native.libraries_identity()])
    }

    /// Compiles the units whose objects are missing.
    fn compile(&self, objects: &[PathBuf], observer: &dyn Observer) -> Result<(), BuildError> {
        let missing: Vec<(&Unit, &PathBuf)> =
            self.units.iter().zip(objects).filter(|(_, object)| !self.cache.contains(object)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let include = self.cache.root().join("include").join(self.headers_key());
        self.headers.iter().try_for_each(|(name, text)| self.cache.keep_text(&include.join(name), text))?;
        observer.compiling(missing.len());
        let trace_flags = self.compiler.trace_flags();
        let compile = |(unit, object): &(&Unit, &PathBuf)| {
            self.compile_unit(unit, object, &include, trace_flags)?;
            observer.compiled(&unit.name);
            Ok(())
        };
        thread_pool::install(|| missing.par_iter().try_for_each(compile))
    }

    fn compile_unit(
        &self,
        unit: &Unit,
        object: &Path,
        include: &Path,
        trace_flags: &[&str],
    ) -> Result<(), BuildError> {
        let source = self.cache.temporary(&format!("{}.cpp", unit.name), unit.text.as_bytes())?;
        self.cache.produce(object, |output| {
            let mut command = Command::new(&self.compiler.path);
            command.args(flags(&self.compiler, self.mode, self.native, unit.kind)).args(trace_flags);
            command.arg("-I").arg(include).arg("-c").arg(source.path()).arg("-o").arg(output);
            command.args(reads::folders(&unit.reads));
            self.run(command, &format!("the unit `{}`", unit.name)).map_err(|error| {
                match (unit.kind, error) {
                    (UnitKind::Native, BuildError::Refused { message, .. }) => BuildError::Native { message },
                    (_, error) => error,
                }
            })
        })
    }

    fn link(&self, objects: &[PathBuf], program: &Path) -> Result<(), BuildError> {
        let has_native = self.units.iter().any(|it| it.kind == UnitKind::Native);
        let sanitizer = self.mode.sanitizer;
        self.cache.produce(program, |output| {
            let mut command = Command::new(&self.compiler.path);
            command.args(["-shared", "-fPIC", "-Wl,--build-id=none"]);
            if has_native && sanitizer.is_none() && !cfg!(target_vendor = "apple") {
                // Generated code needs no symbol of the runtime; what C++ code of the program lacks is told now.
                command.arg("-Wl,--no-undefined");
            }
            command.args(sanitizer.map(Sanitizer::link_flag)).args(&self.native.before).args(objects);
            command.arg("-o").arg(output).args(self.native.link_flags());
            command.arg("-Wl,--as-needed").args(self.compiler.libraries());
            self.run(command, "linking").map_err(|error| match error {
                BuildError::Refused { message, .. } if has_native || self.native.has_link_options() => {
                    BuildError::NativeLink { message }
                }
                error => error,
            })
        })
    }

    fn run(&self, mut command: Command, what: &str) -> Result<(), BuildError> {
        // Messages in English whatever the user's language: they are for a report, and are searched here.
        let output = command
            .env("LC_ALL", "C")
            .output()
            .map_err(|error| BuildError::Refused { what: what.to_owned(), message: error.to_string() })?;
        if output.status.success() {
            return Ok(());
        }
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        let full = [
            ("No space left on device", io::ErrorKind::StorageFull),
            ("Disk quota exceeded", io::ErrorKind::QuotaExceeded),
        ];
        if let Some((_, kind)) = full.into_iter().find(|(text, _)| message.contains(text)) {
            return Err(CacheError::new(self.cache.root(), kind.into()).into());
        }
        Err(BuildError::Refused { what: what.to_owned(), message })
    }
}

/// All options for compiling a unit.
fn flags(compiler: &Compiler, mode: Mode, native: &NativeOptions, kind: UnitKind) -> Vec<String> {
    let mut flags = compiler.flags(mode, kind);
    if kind == UnitKind::Native {
        flags.extend(native.compile_flags());
    }
    flags
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[derive(Default)]
    struct Counter(AtomicUsize);

    impl Observer for Counter {
        fn compiling(&self, _: usize) {}
        fn compiled(&self, _: &str) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn unit(name: &str, text: &str) -> Unit {
        Unit { name: name.into(), kind: UnitKind::Code, text: text.into(), reads: Vec::new() }
    }

    #[test]
    fn units_are_compiled_once_and_only_when_they_change() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("cache"));
        let header = [("number.h", "#define NUMBER 42\n")];
        let mut units = vec![
            unit(
                "a",
                "#include \"number.h\"\nint b();\nextern \"C\" __attribute__((visibility(\"default\"))) int a() { return b() + NUMBER; }",
            ),
            unit("b", "int b() { return 1; }"),
        ];
        let compiled = |units: &[Unit], header: &[(&str, &str)]| {
            let counter = Counter::default();
            let path = build(units, header, Profile::Dev.into(), &NativeOptions::default(), &cache, &counter)
                .unwrap()
                .object;
            (path, counter.0.into_inner())
        };
        let (first, count) = compiled(&units, &header);
        assert_eq!(count, 2);
        // SAFETY: the object was compiled from the text above.
        let value = unsafe {
            let library = libloading::Library::new(&first).unwrap();
            library.get::<extern "C" fn() -> i32>(b"a").unwrap()()
        };
        assert_eq!(value, 43);
        assert_eq!(compiled(&units, &header), (first.clone(), 0));
        units[1].text = "int b() { return 2; }".into();
        let (second, count) = compiled(&units, &header);
        assert_eq!(count, 1);
        assert_ne!(first, second);
        assert_eq!(compiled(&units, &[("number.h", "#define NUMBER 43\n")]).1, 2);
    }

    #[test]
    fn what_the_compiler_says_is_passed_on() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("cache"));
        let bad = unit("bad", "#line 7 \"program.x10\"\nint f() { return nonsense; }");
        let native = NativeOptions::default();
        let error =
            build(&[bad], &[], Profile::Dev.into(), &native, &cache, &Silent).unwrap_err().to_string();
        assert!(error.contains("program.x10:7") && error.contains("fault of apg"), "{error}");
    }
}
